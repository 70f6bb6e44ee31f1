//! Compute pipelines and small textures for tests.

use super::{
    Device,
    pipeline::module,
    vk,
    work::{Buffer, Image, ImageDesc, all, run, whole},
};

const ASPECT: vk::ImageAspectFlags = vk::ImageAspectFlags::COLOR;

/// Words as bytes.
pub fn words(values: impl IntoIterator<Item = u32>) -> Vec<u8> {
    values.into_iter().flat_map(u32::to_le_bytes).collect()
}

/// A pipeline layout of these sets, and a pipeline of a module's `main`.
pub fn pipeline(
    device: &Device,
    bytes: &[u8],
    layouts: &[vk::DescriptorSetLayout],
    flags: vk::PipelineCreateFlags,
) -> (vk::PipelineLayout, vk::Pipeline) {
    let raw = &device.raw;
    let layout = vk::PipelineLayoutCreateInfo::default().set_layouts(layouts);
    // SAFETY: the structures are valid; the module is not used after its destruction.
    unsafe {
        let layout = raw.create_pipeline_layout(&layout, None).expect("a layout");
        let module = module(device, bytes);
        let stage = vk::PipelineShaderStageCreateInfo::default()
            .stage(vk::ShaderStageFlags::COMPUTE)
            .module(module)
            .name(c"main");
        let info = [vk::ComputePipelineCreateInfo::default()
            .flags(flags)
            .stage(stage)
            .layout(layout)];
        let pipeline = raw
            .create_compute_pipelines(vk::PipelineCache::null(), &info, None)
            .expect("a pipeline");
        raw.destroy_shader_module(module, None);
        (layout, pipeline[0])
    }
}

/// Bindings of set 0 of `descriptors.comp`: number, type, elements. Set 1 has a storage buffer, [`OTHER`].
pub const DESCRIPTORS: [(u32, vk::DescriptorType, u32); 9] = [
    (0, vk::DescriptorType::UNIFORM_BUFFER, 2),
    (2, vk::DescriptorType::STORAGE_BUFFER, 1),
    (3, vk::DescriptorType::UNIFORM_BUFFER_DYNAMIC, 1),
    (4, vk::DescriptorType::UNIFORM_TEXEL_BUFFER, 1),
    (5, vk::DescriptorType::STORAGE_TEXEL_BUFFER, 1),
    (6, vk::DescriptorType::COMBINED_IMAGE_SAMPLER, 2),
    (8, vk::DescriptorType::STORAGE_IMAGE, 1),
    (9, vk::DescriptorType::SAMPLED_IMAGE, 1),
    (10, vk::DescriptorType::SAMPLER, 1),
];
/// See [`DESCRIPTORS`].
pub const OTHER: (u32, vk::DescriptorType, u32) = (3, vk::DescriptorType::STORAGE_BUFFER, 1);

/// A set layout of bindings that are each a number, a type and a number of elements.
pub fn set_layout(
    device: &Device,
    flags: vk::DescriptorSetLayoutCreateFlags,
    bindings: &[(u32, vk::DescriptorType, u32)],
) -> vk::DescriptorSetLayout {
    let bindings: Vec<_> = bindings
        .iter()
        .map(|&(binding, ty, count)| {
            vk::DescriptorSetLayoutBinding::default()
                .binding(binding)
                .descriptor_type(ty)
                .descriptor_count(count)
                .stage_flags(vk::ShaderStageFlags::ALL)
        })
        .collect();
    let info = vk::DescriptorSetLayoutCreateInfo::default()
        .flags(flags)
        .bindings(&bindings);
    // SAFETY: the structure is valid.
    unsafe { device.raw.create_descriptor_set_layout(&info, None) }.expect("a layout")
}

/// A pool for so many sets of such bindings.
pub fn pool(device: &Device, sets: u32, bindings: &[(u32, vk::DescriptorType, u32)]) -> vk::DescriptorPool {
    let sizes: Vec<_> = bindings
        .iter()
        .map(|&(_, ty, count)| vk::DescriptorPoolSize {
            ty,
            descriptor_count: sets * count,
        })
        .collect();
    let info = vk::DescriptorPoolCreateInfo::default()
        .max_sets(sets)
        .pool_sizes(&sizes);
    // SAFETY: the structure is valid.
    unsafe { device.raw.create_descriptor_pool(&info, None) }.expect("a pool")
}

/// A 2x2 image of 32-bit integers.
pub struct Texture {
    /// The image.
    pub image: Image,
    /// A view of all of it.
    pub view: vk::ImageView,
}

impl Texture {
    /// Destroys it.
    pub fn destroy(self, device: &Device) {
        // SAFETY: no work is pending.
        unsafe { device.raw.destroy_image_view(self.view, None) };
        self.image.destroy(device);
    }
}

/// A texture of four consecutive numbers.
pub fn texture(device: &Device, first: u32) -> Texture {
    let usage = vk::ImageUsageFlags::SAMPLED | vk::ImageUsageFlags::STORAGE | ImageDesc::default().usage;
    let image = Image::new(
        device,
        &ImageDesc {
            usage,
            ..ImageDesc::new(vk::Format::R32_UINT, [2, 2, 1])
        },
    );
    let from = Buffer::with(device, &words(first..first + 4));
    run(device, |cb| {
        let copy = [whole(ASPECT, [2, 2, 1])];
        // SAFETY: the copy lies within image and buffer.
        unsafe {
            device
                .raw
                .cmd_copy_buffer_to_image(cb, from.raw, image.raw, vk::ImageLayout::GENERAL, &copy);
        };
    });
    from.destroy(device);
    let info = vk::ImageViewCreateInfo::default()
        .image(image.raw)
        .view_type(vk::ImageViewType::TYPE_2D)
        .format(vk::Format::R32_UINT)
        .subresource_range(all(ASPECT));
    // SAFETY: the structure is valid.
    let view = unsafe { device.raw.create_image_view(&info, None) }.expect("a view");
    Texture { image, view }
}
