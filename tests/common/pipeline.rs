//! Shaders, layouts and pipelines for tests.

use super::{Device, vk, work::Buffer};

/// The words of a compiled shader.
pub fn words(bytes: &[u8]) -> Vec<u32> {
    bytes
        .chunks_exact(4)
        .map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
        .collect()
}

/// A shader module.
pub fn module(device: &Device, bytes: &[u8]) -> vk::ShaderModule {
    let code = words(bytes);
    // SAFETY: the code is SPIR-V.
    unsafe {
        device
            .raw
            .create_shader_module(&vk::ShaderModuleCreateInfo::default().code(&code), None)
    }
    .expect("a shader module")
}

/// A set layout, pool and set with one buffer.
pub struct BufferSet {
    /// The layout.
    pub layout: vk::DescriptorSetLayout,
    /// The set.
    pub set: vk::DescriptorSet,
    pool: vk::DescriptorPool,
}

impl BufferSet {
    /// A set whose binding 0 is the first `range` bytes of a buffer.
    pub fn new(device: &Device, ty: vk::DescriptorType, buffer: &Buffer, range: u64) -> Self {
        Self::of(device, ty, buffer.raw, range)
    }

    /// The same for a buffer in memory of any kind.
    pub fn of(device: &Device, ty: vk::DescriptorType, buffer: vk::Buffer, range: u64) -> Self {
        let bindings = [vk::DescriptorSetLayoutBinding::default()
            .descriptor_type(ty)
            .descriptor_count(1)
            .stage_flags(vk::ShaderStageFlags::ALL)];
        let sizes = [vk::DescriptorPoolSize {
            ty,
            descriptor_count: 1,
        }];
        let layout_info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
        let pool_info = vk::DescriptorPoolCreateInfo::default()
            .max_sets(1)
            .pool_sizes(&sizes);
        let infos = [vk::DescriptorBufferInfo {
            buffer,
            offset: 0,
            range,
        }];
        // SAFETY: the structures are valid.
        unsafe {
            let layout = device
                .raw
                .create_descriptor_set_layout(&layout_info, None)
                .expect("a layout");
            let pool = device
                .raw
                .create_descriptor_pool(&pool_info, None)
                .expect("a pool");
            let layouts = [layout];
            let info = vk::DescriptorSetAllocateInfo::default()
                .descriptor_pool(pool)
                .set_layouts(&layouts);
            let set = device.raw.allocate_descriptor_sets(&info).expect("a set")[0];
            let write = vk::WriteDescriptorSet::default()
                .dst_set(set)
                .descriptor_type(ty)
                .buffer_info(&infos);
            device.raw.update_descriptor_sets(&[write], &[]);
            Self { layout, set, pool }
        }
    }

    /// Destroys all of it.
    pub fn destroy(self, device: &Device) {
        // SAFETY: no work is pending.
        unsafe {
            device.raw.destroy_descriptor_pool(self.pool, None);
            device.raw.destroy_descriptor_set_layout(self.layout, None);
        }
    }
}

/// A pipeline and its layout.
pub struct Pipeline {
    /// The pipeline.
    pub raw: vk::Pipeline,
    /// Its layout.
    pub layout: vk::PipelineLayout,
}

impl Pipeline {
    /// A layout of these sets, with push constants for all stages.
    pub fn layout(device: &Device, sets: &[vk::DescriptorSetLayout], push: u32) -> vk::PipelineLayout {
        let ranges = [vk::PushConstantRange {
            stage_flags: vk::ShaderStageFlags::ALL,
            offset: 0,
            size: push,
        }];
        let info = vk::PipelineLayoutCreateInfo::default()
            .set_layouts(sets)
            .push_constant_ranges(&ranges);
        // SAFETY: the structures are valid.
        unsafe { device.raw.create_pipeline_layout(&info, None) }.expect("a pipeline layout")
    }

    /// A compute pipeline.
    pub fn compute(device: &Device, code: &[u8], layout: vk::PipelineLayout) -> Self {
        Self::specialized(device, code, layout, &vk::SpecializationInfo::default())
    }

    /// A compute pipeline with values of specialization constants.
    pub fn specialized(
        device: &Device,
        code: &[u8],
        layout: vk::PipelineLayout,
        constants: &vk::SpecializationInfo<'_>,
    ) -> Self {
        let module = module(device, code);
        let stage = vk::PipelineShaderStageCreateInfo::default()
            .stage(vk::ShaderStageFlags::COMPUTE)
            .module(module)
            .specialization_info(constants)
            .name(c"main");
        let info = [vk::ComputePipelineCreateInfo::default()
            .flags(vk::PipelineCreateFlags::DISPATCH_BASE)
            .stage(stage)
            .layout(layout)];
        // SAFETY: the structures are valid; the module is not needed afterwards.
        unsafe {
            let made = device
                .raw
                .create_compute_pipelines(vk::PipelineCache::null(), &info, None);
            device.raw.destroy_shader_module(module, None);
            Self {
                raw: made.expect("a pipeline")[0],
                layout,
            }
        }
    }

    /// Destroys both.
    pub fn destroy(self, device: &Device) {
        // SAFETY: no work is pending.
        unsafe {
            device.raw.destroy_pipeline(self.raw, None);
            device.raw.destroy_pipeline_layout(self.layout, None);
        }
    }
}
