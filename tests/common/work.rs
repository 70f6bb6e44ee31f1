//! Buffers, images and one-time work for tests.

use super::{Device, vk};

/// A buffer with its own mapped memory.
pub struct Buffer {
    /// The buffer.
    pub raw: vk::Buffer,
    /// Its bytes.
    pub size: usize,
    memory: vk::DeviceMemory,
    mapped: *mut u8,
}

/// An image with its own memory.
pub struct Image {
    /// The image.
    pub raw: vk::Image,
    memory: vk::DeviceMemory,
}

/// What a test asks of an image.
#[derive(Clone, Copy)]
pub struct ImageDesc {
    /// Format.
    pub format: vk::Format,
    /// Texels; 3D where the depth is not 1.
    pub extent: [u32; 3],
    /// Array layers.
    pub layers: u32,
    /// Mip levels.
    pub levels: u32,
    /// Samples a texel.
    pub samples: vk::SampleCountFlags,
    /// Usage.
    pub usage: vk::ImageUsageFlags,
    /// Flags.
    pub flags: vk::ImageCreateFlags,
}

impl Default for ImageDesc {
    fn default() -> Self {
        Self {
            format: vk::Format::R8G8B8A8_UNORM,
            extent: [16, 16, 1],
            layers: 1,
            levels: 1,
            samples: vk::SampleCountFlags::TYPE_1,
            usage: vk::ImageUsageFlags::TRANSFER_SRC | vk::ImageUsageFlags::TRANSFER_DST,
            flags: vk::ImageCreateFlags::empty(),
        }
    }
}

impl ImageDesc {
    /// An image of this format and size.
    pub fn new(format: vk::Format, extent: [u32; 3]) -> Self {
        Self {
            format,
            extent,
            ..Self::default()
        }
    }
}

fn allocate(device: &Device, requirements: vk::MemoryRequirements, mappable: bool) -> vk::DeviceMemory {
    let instance = &device.instance;
    // SAFETY: the physical device is alive.
    let types = unsafe {
        instance
            .raw
            .get_physical_device_memory_properties(instance.physical)
    };
    let flags = if mappable {
        vk::MemoryPropertyFlags::HOST_COHERENT
    } else {
        vk::MemoryPropertyFlags::empty()
    };
    let fits = |i: &u32| {
        requirements.memory_type_bits & 1 << i != 0
            && types.memory_types[*i as usize].property_flags.contains(flags)
    };
    let index = (0..types.memory_type_count).find(fits).expect("a memory type");
    let info = vk::MemoryAllocateInfo::default()
        .allocation_size(requirements.size)
        .memory_type_index(index);
    // SAFETY: the type exists.
    unsafe { device.raw.allocate_memory(&info, None) }.expect("memory")
}

impl Buffer {
    /// A buffer of zeros for every use.
    pub fn new(device: &Device, size: usize) -> Self {
        let usage = vk::BufferUsageFlags::TRANSFER_SRC
            | vk::BufferUsageFlags::TRANSFER_DST
            | vk::BufferUsageFlags::UNIFORM_BUFFER
            | vk::BufferUsageFlags::STORAGE_BUFFER
            | vk::BufferUsageFlags::UNIFORM_TEXEL_BUFFER
            | vk::BufferUsageFlags::STORAGE_TEXEL_BUFFER
            | vk::BufferUsageFlags::INDEX_BUFFER
            | vk::BufferUsageFlags::VERTEX_BUFFER
            | vk::BufferUsageFlags::INDIRECT_BUFFER;
        let info = vk::BufferCreateInfo::default().size(size as u64).usage(usage);
        // SAFETY: plain structures; the memory is as large as the buffer asks for.
        unsafe {
            let raw = device.raw.create_buffer(&info, None).expect("a buffer");
            let memory = allocate(device, device.raw.get_buffer_memory_requirements(raw), true);
            device.raw.bind_buffer_memory(raw, memory, 0).expect("bound");
            let mapped = device
                .raw
                .map_memory(memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty());
            Self {
                raw,
                size,
                memory,
                mapped: mapped.expect("mapped").cast(),
            }
        }
    }

    /// A buffer with these bytes.
    pub fn with(device: &Device, bytes: &[u8]) -> Self {
        let buffer = Self::new(device, bytes.len());
        buffer.write(bytes);
        buffer
    }

    /// Writes its first bytes, through the mapping that it had from the start.
    pub fn write(&self, bytes: &[u8]) {
        assert!(bytes.len() <= self.size, "within it");
        // SAFETY: the memory is mapped and as long.
        unsafe { self.mapped.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
    }

    /// Its memory.
    pub fn memory(&self) -> vk::DeviceMemory {
        self.memory
    }

    /// Its bytes now.
    pub fn bytes(&self) -> Vec<u8> {
        // SAFETY: the memory is mapped and as long; no work is pending.
        unsafe { std::slice::from_raw_parts(self.mapped, self.size) }.to_vec()
    }

    /// Its bytes as words.
    pub fn words(&self) -> Vec<u32> {
        self.bytes()
            .chunks_exact(4)
            .map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
            .collect()
    }

    /// Frees its memory; the buffer stays.
    pub fn free_memory(&mut self, device: &Device) {
        // SAFETY: what is done with it afterwards is what is tested.
        unsafe { device.raw.free_memory(self.memory, None) };
        self.memory = vk::DeviceMemory::null();
    }

    /// Destroys it.
    pub fn destroy(self, device: &Device) {
        // SAFETY: no work is pending.
        unsafe {
            device.raw.destroy_buffer(self.raw, None);
            device.raw.free_memory(self.memory, None);
        }
    }
}

impl Image {
    /// An image.
    pub fn new(device: &Device, desc: &ImageDesc) -> Self {
        let [width, height, depth] = desc.extent;
        let image_type = if depth > 1 {
            vk::ImageType::TYPE_3D
        } else {
            vk::ImageType::TYPE_2D
        };
        let info = vk::ImageCreateInfo::default()
            .image_type(image_type)
            .format(desc.format)
            .extent(vk::Extent3D { width, height, depth })
            .mip_levels(desc.levels)
            .array_layers(desc.layers)
            .samples(desc.samples)
            .usage(desc.usage)
            .flags(desc.flags);
        // SAFETY: plain structures; the memory is as large as the image asks for.
        unsafe {
            let raw = device.raw.create_image(&info, None).expect("an image");
            let memory = allocate(device, device.raw.get_image_memory_requirements(raw), false);
            device.raw.bind_image_memory(raw, memory, 0).expect("bound");
            Self { raw, memory }
        }
    }

    /// Frees its memory; the image stays.
    pub fn free_memory(&mut self, device: &Device) {
        // SAFETY: what is done with it afterwards is what is tested.
        unsafe { device.raw.free_memory(self.memory, None) };
        self.memory = vk::DeviceMemory::null();
    }

    /// Destroys it.
    pub fn destroy(self, device: &Device) {
        // SAFETY: no work is pending.
        unsafe {
            device.raw.destroy_image(self.raw, None);
            device.raw.free_memory(self.memory, None);
        }
    }
}

/// A command pool with one primary command buffer.
pub struct Commands {
    /// The pool.
    pub pool: vk::CommandPool,
    /// The command buffer.
    pub raw: vk::CommandBuffer,
}

impl Commands {
    /// A pool whose command buffers can be reset, and a command buffer.
    pub fn new(device: &Device) -> Self {
        let info =
            vk::CommandPoolCreateInfo::default().flags(vk::CommandPoolCreateFlags::RESET_COMMAND_BUFFER);
        // SAFETY: plain structures.
        let pool = unsafe { device.raw.create_command_pool(&info, None) }.expect("a pool");
        let raw = Self::allocate(device, pool, vk::CommandBufferLevel::PRIMARY);
        Self { pool, raw }
    }

    /// One more command buffer of a pool.
    pub fn allocate(
        device: &Device,
        pool: vk::CommandPool,
        level: vk::CommandBufferLevel,
    ) -> vk::CommandBuffer {
        let info = vk::CommandBufferAllocateInfo::default()
            .command_pool(pool)
            .level(level)
            .command_buffer_count(1);
        // SAFETY: the pool is alive.
        unsafe { device.raw.allocate_command_buffers(&info) }.expect("a command buffer")[0]
    }

    /// Records with `f`.
    pub fn record(&self, device: &Device, f: impl FnOnce(vk::CommandBuffer)) {
        // SAFETY: the command buffer is not pending.
        unsafe {
            device
                .raw
                .begin_command_buffer(self.raw, &vk::CommandBufferBeginInfo::default())
                .expect("begun");
            f(self.raw);
            device.raw.end_command_buffer(self.raw).expect("ended");
        }
    }

    /// Submits and waits.
    pub fn run(&self, device: &Device) -> Result<(), vk::Result> {
        let buffers = [self.raw];
        let submit = [vk::SubmitInfo::default().command_buffers(&buffers)];
        // SAFETY: all is alive until the fence is signaled.
        unsafe {
            let fence = device.raw.create_fence(&vk::FenceCreateInfo::default(), None)?;
            let result = device
                .raw
                .queue_submit(device.queue, &submit, fence)
                .and_then(|()| device.raw.wait_for_fences(&[fence], true, u64::MAX));
            device.raw.destroy_fence(fence, None);
            result
        }
    }

    /// Destroys the pool.
    pub fn destroy(self, device: &Device) {
        // SAFETY: no work is pending.
        unsafe { device.raw.destroy_command_pool(self.pool, None) };
    }
}

/// Records with `f` and runs it.
pub fn run(device: &Device, f: impl FnOnce(vk::CommandBuffer)) {
    let commands = Commands::new(device);
    commands.record(device, f);
    commands.run(device).expect("done");
    commands.destroy(device);
}

/// The first layer of the first level of an aspect.
pub fn layers(aspect: vk::ImageAspectFlags) -> vk::ImageSubresourceLayers {
    vk::ImageSubresourceLayers {
        aspect_mask: aspect,
        mip_level: 0,
        base_array_layer: 0,
        layer_count: 1,
    }
}

/// All of an aspect.
pub fn all(aspect: vk::ImageAspectFlags) -> vk::ImageSubresourceRange {
    vk::ImageSubresourceRange {
        aspect_mask: aspect,
        base_mip_level: 0,
        level_count: vk::REMAINING_MIP_LEVELS,
        base_array_layer: 0,
        layer_count: vk::REMAINING_ARRAY_LAYERS,
    }
}

/// A copy of a whole layer between the start of a buffer and an image.
pub fn whole(aspect: vk::ImageAspectFlags, extent: [u32; 3]) -> vk::BufferImageCopy {
    vk::BufferImageCopy {
        image_subresource: layers(aspect),
        image_extent: vk::Extent3D {
            width: extent[0],
            height: extent[1],
            depth: extent[2],
        },
        ..Default::default()
    }
}
