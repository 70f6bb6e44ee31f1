//! Descriptor buffers: descriptors as bytes in the application's memory.

use super::{
    command_buffer::{bind_point, bind_points},
    descriptor::{image, state},
};
use crate::{
    args::{Array, Out, slice},
    boundary::commands,
    capture,
    command::CommandBuffer,
    device::{Device, DeviceState},
    dispatch::Ref,
    error::{Answer, Error},
};
use ash::vk;
use bytemuck::Pod;
use lahar::{
    command::BindPoint,
    descriptor::{ImageDescriptor, MAX_DESCRIPTOR_BUFFERS, SamplerDescriptor},
    resource::{buffer_descriptor, texel_descriptor},
};
use std::ffi::c_void;
use vk::DescriptorType as Type;

commands! {
    fn vkGetDescriptorSetLayoutSizeEXT(
        device: Ref<Device>,
        layout: vk::DescriptorSetLayout,
        size: Out<u64>,
    ) {
        size.write(u64::from(device.tables.set_layouts.get(layout)?.size()));
        Ok(())
    }

    fn vkGetDescriptorSetLayoutBindingOffsetEXT(
        device: Ref<Device>,
        layout: vk::DescriptorSetLayout,
        binding: u32,
        offset: Out<u64>,
    ) {
        let layout = device.tables.set_layouts.get(layout)?;
        let index = layout.find(binding).ok_or(Error(vk::Result::ERROR_UNKNOWN))?;
        offset.write(u64::from(layout.bindings()[index].offset));
        Ok(())
    }

    fn vkGetDescriptorEXT(
        device: Ref<Device>,
        info: &vk::DescriptorGetInfoEXT<'_>,
        size: usize,
        descriptor: *mut c_void,
    ) {
        // SAFETY: the union's member is the type's, and there is room for `size` bytes, as Vulkan asks.
        unsafe { get_descriptor(&device, info, size, descriptor) };
        Ok(())
    }

    fn vkGetBufferOpaqueCaptureDescriptorDataEXT(
        device: Ref<Device>,
        info: &vk::BufferCaptureDescriptorDataInfoEXT<'_>,
        data: *mut c_void,
    ) -> vk::Result {
        let object = device.tables.buffers.get(info.buffer)?;
        // SAFETY: there is room for the data, as Vulkan asks.
        unsafe { capture::write(object.capture(), data) };
        Ok(())
    }

    fn vkGetImageOpaqueCaptureDescriptorDataEXT(
        device: Ref<Device>,
        info: &vk::ImageCaptureDescriptorDataInfoEXT<'_>,
        data: *mut c_void,
    ) -> vk::Result {
        let object = device.tables.images.get(info.image)?;
        // SAFETY: there is room for the data, as Vulkan asks.
        unsafe { capture::write(object.capture(), data) };
        Ok(())
    }

    fn vkGetImageViewOpaqueCaptureDescriptorDataEXT(
        device: Ref<Device>,
        info: &vk::ImageViewCaptureDescriptorDataInfoEXT<'_>,
        data: *mut c_void,
    ) -> vk::Result {
        let object = device.tables.image_views.get(info.image_view)?;
        // SAFETY: there is room for the data, as Vulkan asks.
        unsafe { capture::write(object.capture(), data) };
        Ok(())
    }

    fn vkGetSamplerOpaqueCaptureDescriptorDataEXT(
        device: Ref<Device>,
        info: &vk::SamplerCaptureDescriptorDataInfoEXT<'_>,
        data: *mut c_void,
    ) -> vk::Result {
        let object = device.tables.samplers.get(info.sampler)?;
        // SAFETY: there is room for the data, as Vulkan asks.
        unsafe { capture::write(object.capture(), data) };
        Ok(())
    }

    fn vkGetAccelerationStructureOpaqueCaptureDescriptorDataEXT(
        _device: Ref<Device>,
        _info: &vk::AccelerationStructureCaptureDescriptorDataInfoEXT<'_>,
        _data: *mut c_void,
    ) -> vk::Result {
        // There are no acceleration structures.
        Err::<(), _>(Error::STALE)
    }

    fn vkCmdBindDescriptorBuffersEXT(
        buffer: Ref<CommandBuffer>,
        count: u32,
        infos: Array<vk::DescriptorBufferBindingInfoEXT<'_>>,
    ) {
        let mut sets = buffer.sets.lock();
        for (slot, info) in sets.descriptor_buffers.iter_mut().zip(infos.get(count)) {
            *slot = info.address;
        }
        Ok(())
    }

    fn vkCmdSetDescriptorBufferOffsetsEXT(
        buffer: Ref<CommandBuffer>,
        point: vk::PipelineBindPoint,
        _layout: vk::PipelineLayout,
        first: u32,
        count: u32,
        indices: Array<u32>,
        offsets: Array<u64>,
    ) {
        set_offsets(&buffer, bind_point(point), first, indices.get(count), offsets.get(count));
        Ok(())
    }

    fn vkCmdBindDescriptorBufferEmbeddedSamplersEXT(
        buffer: Ref<CommandBuffer>,
        point: vk::PipelineBindPoint,
        layout: vk::PipelineLayout,
        set: u32,
    ) {
        bind_embedded(&buffer, bind_point(point), layout, set)
    }

    fn vkCmdSetDescriptorBufferOffsets2EXT(
        buffer: Ref<CommandBuffer>,
        info: &vk::SetDescriptorBufferOffsetsInfoEXT<'_>,
    ) {
        // SAFETY: the structure's arrays are valid, as Vulkan asks of the application.
        let (indices, offsets) = unsafe {
            (slice(info.p_buffer_indices, info.set_count), slice(info.p_offsets, info.set_count))
        };
        for point in bind_points(info.stage_flags) {
            set_offsets(&buffer, point, info.first_set, indices, offsets);
        }
        Ok(())
    }

    fn vkCmdBindDescriptorBufferEmbeddedSamplers2EXT(
        buffer: Ref<CommandBuffer>,
        info: &vk::BindDescriptorBufferEmbeddedSamplersInfoEXT<'_>,
    ) {
        bind_points(info.stage_flags)
            .try_for_each(|point| bind_embedded(&buffer, point, info.layout, info.set))
    }
}

const _: () = assert!(MAX_DESCRIPTOR_BUFFERS >= 3, "the extension asks for as much");

/// Binds the sets from `first` on at offsets in bound descriptor buffers.
fn set_offsets(buffer: &CommandBuffer, point: BindPoint, first: u32, indices: &[u32], offsets: &[u64]) {
    let bases = buffer.sets.lock().descriptor_buffers;
    for (set, (index, offset)) in (first..).zip(indices.iter().zip(offsets)) {
        let base = bases.get(*index as usize).copied().unwrap_or(0);
        let address = base.wrapping_add(*offset);
        // Other memory of the process must not be taken for descriptors.
        let address = if buffer.device.memory.may_hold(address) {
            address
        } else {
            0
        };
        buffer.record(|r| r.bind_set(point, set as u8, address, &[]));
    }
}

/// Binds the samplers that are part of a set's layout.
fn bind_embedded(buffer: &CommandBuffer, point: BindPoint, layout: vk::PipelineLayout, set: u32) -> Answer {
    let layout = buffer.device.tables.pipeline_layouts.get(layout)?;
    if let Some(bytes) = layout
        .sets()
        .get(set as usize)
        .and_then(|s| s.as_ref()?.embedded())
    {
        buffer.record(|r| r.bind_bytes(point, set as u8, bytes));
    }
    Ok(())
}

/// Writes the bytes of a descriptor.
///
/// # Safety
/// The pointer in the union is null or to what the type says; `descriptor` has room for `size` bytes.
unsafe fn get_descriptor(
    device: &DeviceState,
    info: &vk::DescriptorGetInfoEXT<'_>,
    size: usize,
    descriptor: *mut c_void,
) {
    /// Copies the bytes of a descriptor to the application.
    #[inline(always)]
    fn put<T: Pod>(value: &T, size: usize, to: *mut c_void) {
        // The size is known where it is right, and the copy then a few moves.
        if size >= size_of::<T>() {
            // SAFETY: the caller of the outer function vouches for the room.
            unsafe { to.cast::<T>().write_unaligned(*value) };
            return;
        }
        let bytes = bytemuck::bytes_of(value);
        // SAFETY: the caller of the outer function vouches for the room; no more is copied.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), to.cast(), bytes.len().min(size)) }
    }
    let tables = &device.tables;
    // SAFETY: all members of the union are pointers or addresses; the caller vouches for what they point to.
    unsafe {
        match info.ty {
            Type::UNIFORM_BUFFER | Type::STORAGE_BUFFER => {
                let made = info
                    .data
                    .p_uniform_buffer
                    .as_ref()
                    .map(|a| buffer_descriptor(a.address, a.range));
                put(&made.unwrap_or_default(), size, descriptor);
            }
            Type::UNIFORM_TEXEL_BUFFER | Type::STORAGE_TEXEL_BUFFER => {
                let texels = info.data.p_uniform_texel_buffer.as_ref();
                let made = texels.and_then(|a| texel_descriptor(a.address, a.range, a.format).ok());
                put(&made.unwrap_or_default(), size, descriptor);
            }
            Type::SAMPLED_IMAGE | Type::STORAGE_IMAGE | Type::INPUT_ATTACHMENT => {
                let view = info
                    .data
                    .p_sampled_image
                    .as_ref()
                    .map_or_else(vk::ImageView::null, |i| i.image_view);
                put(image(tables.image_views.peek(view)), size, descriptor);
            }
            Type::SAMPLER => {
                let sampler = info.data.p_sampler.as_ref().copied().unwrap_or_default();
                put(state(tables.samplers.peek(sampler)), size, descriptor);
            }
            Type::COMBINED_IMAGE_SAMPLER => {
                let info = info
                    .data
                    .p_combined_image_sampler
                    .as_ref()
                    .copied()
                    .unwrap_or_default();
                let first = size_of::<ImageDescriptor>();
                if size >= first + size_of::<SamplerDescriptor>() {
                    put(image(tables.image_views.peek(info.image_view)), first, descriptor);
                    let at = descriptor.byte_add(first);
                    put(state(tables.samplers.peek(info.sampler)), size - first, at);
                }
            }
            // There are no layouts with other types.
            _ => {}
        }
    }
}
