//! Buffers and images with their memory.

use crate::context::{Context, Object};
use crate::error::{Error, Named, Result};
use ash::vk;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether memory that could not be had is taken for granted.
pub(crate) static CARELESS: AtomicBool = AtomicBool::new(false);

/// A buffer.
#[derive(Clone, Copy)]
pub(crate) struct Buffer {
    pub(crate) raw: vk::Buffer,
    pub(crate) size: u64,
    memory: vk::DeviceMemory,
}

/// An image with a view of all of it.
#[derive(Clone, Copy)]
pub(crate) struct Image {
    pub(crate) raw: vk::Image,
    pub(crate) view: vk::ImageView,
}

const HOST: vk::MemoryPropertyFlags = vk::MemoryPropertyFlags::from_raw(
    vk::MemoryPropertyFlags::HOST_VISIBLE.as_raw() | vk::MemoryPropertyFlags::HOST_COHERENT.as_raw(),
);

impl Context<'_> {
    fn allocate(
        &self,
        needs: &vk::MemoryRequirements,
        flags: vk::MemoryPropertyFlags,
    ) -> Result<vk::DeviceMemory> {
        let types = &self.memory.memory_types[..self.memory.memory_type_count as usize];
        let fits = |index: usize, ty: &vk::MemoryType| {
            needs.memory_type_bits >> index & 1 == 1 && ty.property_flags.contains(flags)
        };
        let index = types
            .iter()
            .enumerate()
            .position(|(index, ty)| fits(index, ty))
            .ok_or(Error::Missing("no memory type fits"))?;
        let info = vk::MemoryAllocateInfo::default()
            .allocation_size(needs.size)
            .memory_type_index(index as u32);
        // SAFETY: the device is alive.
        let memory = match unsafe { self.device.allocate_memory(&info, None) } {
            Err(_) if CARELESS.load(Ordering::Relaxed) => vk::DeviceMemory::null(),
            result => result.named("vkAllocateMemory")?,
        };
        self.own(Object::Memory(memory));
        Ok(memory)
    }

    fn buffer(
        &self,
        size: u64,
        usage: vk::BufferUsageFlags,
        flags: vk::MemoryPropertyFlags,
    ) -> Result<Buffer> {
        let info = vk::BufferCreateInfo::default().size(size).usage(usage);
        // SAFETY: the device is alive.
        let raw = unsafe { self.device.create_buffer(&info, None) }.named("vkCreateBuffer")?;
        // SAFETY: the buffer is new.
        let needs = unsafe { self.device.get_buffer_memory_requirements(raw) };
        let memory = self.allocate(&needs, flags)?;
        // Destroyed before its memory is freed.
        self.own(Object::Buffer(raw));
        // SAFETY: buffer and memory are new, and the memory is large enough.
        unsafe { self.device.bind_buffer_memory(raw, memory, 0) }.named("vkBindBufferMemory")?;
        Ok(Buffer { raw, size, memory })
    }

    /// A buffer that only the device reaches.
    pub(crate) fn device_buffer(&self, size: u64, usage: vk::BufferUsageFlags) -> Result<Buffer> {
        self.buffer(size, usage, vk::MemoryPropertyFlags::DEVICE_LOCAL)
    }

    /// A buffer that the host reads and writes.
    pub(crate) fn host_buffer(&self, size: u64, usage: vk::BufferUsageFlags) -> Result<Buffer> {
        self.buffer(size, usage, HOST)
    }

    /// A host buffer that holds `bytes`, as the source of a copy.
    pub(crate) fn staging_buffer(&self, bytes: &[u8]) -> Result<Buffer> {
        let buffer = self.host_buffer(bytes.len() as u64, vk::BufferUsageFlags::TRANSFER_SRC)?;
        self.with_mapped(buffer, |memory| memory.copy_from_slice(bytes))?;
        Ok(buffer)
    }

    /// Shows the bytes of a host buffer that the device is not using.
    pub(crate) fn with_mapped<T>(&self, buffer: Buffer, see: impl FnOnce(&mut [u8]) -> T) -> Result<T> {
        let flags = vk::MemoryMapFlags::empty();
        // SAFETY: the memory can be mapped, and is not at present.
        let pointer =
            unsafe { self.device.map_memory(buffer.memory, 0, buffer.size, flags) }.named("vkMapMemory")?;
        // SAFETY: the mapping is `size` bytes long, and nobody else uses the memory meanwhile.
        let result = see(unsafe { std::slice::from_raw_parts_mut(pointer.cast(), buffer.size as usize) });
        // SAFETY: it was mapped above.
        unsafe { self.device.unmap_memory(buffer.memory) };
        Ok(result)
    }

    /// An image that only the device reaches.
    pub(crate) fn image(
        &self,
        info: &vk::ImageCreateInfo<'_>,
        aspect: vk::ImageAspectFlags,
    ) -> Result<Image> {
        let info = info
            .image_type(vk::ImageType::TYPE_2D)
            .array_layers(1)
            .tiling(vk::ImageTiling::OPTIMAL);
        // SAFETY: the structure is complete.
        let raw = unsafe { self.device.create_image(&info, None) }.named("vkCreateImage")?;
        // SAFETY: the image is new.
        let needs = unsafe { self.device.get_image_memory_requirements(raw) };
        let memory = self.allocate(&needs, vk::MemoryPropertyFlags::DEVICE_LOCAL)?;
        self.own(Object::Image(raw));
        // SAFETY: image and memory are new, and the memory is large enough.
        unsafe { self.device.bind_image_memory(raw, memory, 0) }.named("vkBindImageMemory")?;
        let view = self.image_view(raw, info.format, levels(aspect, 0, info.mip_levels))?;
        Ok(Image { raw, view })
    }

    /// A two-dimensional view.
    pub(crate) fn image_view(
        &self,
        image: vk::Image,
        format: vk::Format,
        range: vk::ImageSubresourceRange,
    ) -> Result<vk::ImageView> {
        let info = vk::ImageViewCreateInfo::default()
            .image(image)
            .view_type(vk::ImageViewType::TYPE_2D)
            .format(format)
            .subresource_range(range);
        // SAFETY: the image is alive and has memory.
        let view = unsafe { self.device.create_image_view(&info, None) }.named("vkCreateImageView")?;
        self.own(Object::ImageView(view));
        Ok(view)
    }
}

/// Some levels of an image with one layer.
pub(crate) fn levels(aspect: vk::ImageAspectFlags, first: u32, count: u32) -> vk::ImageSubresourceRange {
    vk::ImageSubresourceRange::default()
        .aspect_mask(aspect)
        .base_mip_level(first)
        .level_count(count)
        .layer_count(1)
}
