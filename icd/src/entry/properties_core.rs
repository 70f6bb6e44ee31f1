//! Properties that came with Vulkan 1.1 to 1.3: each structure, and all of a version in one.

use super::instance::copy_text;
use ash::vk;
use lahar::physical::{
    limits,
    properties::{DRIVER_NAME, SUBGROUP_SIZE, uuid},
};

/// Copies members from the structure that a function fills in.
macro_rules! copy {
    ($out:ident, $fill:ident: $($member:ident),+) => {{
        let mut from = Default::default();
        $fill(&mut from);
        $($out.$member = from.$member;)+
    }};
}
pub(super) use copy;

/// Fills in the structure of this name.
pub(super) fn identity(out: &mut vk::PhysicalDeviceIDProperties<'_>) {
    out.device_uuid = uuid("device");
    out.driver_uuid = uuid("driver");
    out.device_luid = [0; vk::LUID_SIZE];
    out.device_node_mask = 0;
    out.device_luid_valid = vk::FALSE;
}

/// Fills in the structure of this name.
pub(super) fn maintenance3(out: &mut vk::PhysicalDeviceMaintenance3Properties<'_>) {
    out.max_per_set_descriptors = MAX_PER_SET_DESCRIPTORS;
    out.max_memory_allocation_size = MAX_ALLOCATION;
}

/// Fills in the structure of this name.
pub(super) fn inline_uniform_block(out: &mut vk::PhysicalDeviceInlineUniformBlockProperties<'_>) {
    out.max_inline_uniform_block_size = MAX_INLINE_BYTES;
    out.max_per_stage_descriptor_inline_uniform_blocks = MAX_INLINE_BLOCKS;
    out.max_per_stage_descriptor_update_after_bind_inline_uniform_blocks = MAX_INLINE_BLOCKS;
    out.max_descriptor_set_inline_uniform_blocks = MAX_INLINE_BLOCKS;
    out.max_descriptor_set_update_after_bind_inline_uniform_blocks = MAX_INLINE_BLOCKS;
}

/// Fills in the structure of this name.
pub(super) fn multiview(out: &mut vk::PhysicalDeviceMultiviewProperties<'_>) {
    out.max_multiview_view_count = MAX_VIEWS;
    out.max_multiview_instance_index = MAX_MULTIVIEW_INSTANCE;
}

/// Fills in the structure of this name.
pub(super) fn point_clipping(out: &mut vk::PhysicalDevicePointClippingProperties<'_>) {
    out.point_clipping_behavior = vk::PointClippingBehavior::ALL_CLIP_PLANES;
}

/// Fills in the structure of this name.
pub(super) fn subgroup(out: &mut vk::PhysicalDeviceSubgroupProperties<'_>) {
    out.subgroup_size = SUBGROUP_SIZE;
    out.supported_stages = SUBGROUP_STAGES;
    out.supported_operations = SUBGROUP_OPERATIONS;
    out.quad_operations_in_all_stages = vk::FALSE;
}

/// Fills in the structure of this name.
pub(super) fn float_controls(out: &mut vk::PhysicalDeviceFloatControlsProperties<'_>) {
    out.denorm_behavior_independence = vk::ShaderFloatControlsIndependence::ALL;
    out.rounding_mode_independence = vk::ShaderFloatControlsIndependence::ALL;
    // Always so, whatever a shader asks for.
    out.shader_signed_zero_inf_nan_preserve_float16 = vk::TRUE;
    out.shader_signed_zero_inf_nan_preserve_float32 = vk::TRUE;
    out.shader_signed_zero_inf_nan_preserve_float64 = vk::TRUE;
    out.shader_denorm_preserve_float16 = vk::TRUE;
    out.shader_denorm_preserve_float32 = vk::TRUE;
    out.shader_denorm_preserve_float64 = vk::TRUE;
    out.shader_rounding_mode_rte_float16 = vk::TRUE;
    out.shader_rounding_mode_rte_float32 = vk::TRUE;
    out.shader_rounding_mode_rte_float64 = vk::TRUE;
}

/// Fills in the structure of this name.
pub(super) fn depth_stencil_resolve(out: &mut vk::PhysicalDeviceDepthStencilResolveProperties<'_>) {
    out.supported_depth_resolve_modes = DEPTH_RESOLVE;
    out.supported_stencil_resolve_modes = STENCIL_RESOLVE;
    out.independent_resolve_none = vk::TRUE;
    out.independent_resolve = vk::TRUE;
}

/// Fills in the structure of this name.
pub(super) fn timeline_semaphore(out: &mut vk::PhysicalDeviceTimelineSemaphoreProperties<'_>) {
    out.max_timeline_semaphore_value_difference = u64::MAX;
}

/// Fills in the structure of this name.
pub(super) fn subgroup_size(out: &mut vk::PhysicalDeviceSubgroupSizeControlProperties<'_>) {
    out.min_subgroup_size = SUBGROUP_SIZE;
    out.max_subgroup_size = SUBGROUP_SIZE;
    out.max_compute_workgroup_subgroups = limits::MAX_WORKGROUP.div_ceil(SUBGROUP_SIZE);
    out.required_subgroup_size_stages = STAGES;
}

/// Fills in the structure of this name.
pub(super) fn texel_buffer_alignment(out: &mut vk::PhysicalDeviceTexelBufferAlignmentProperties<'_>) {
    out.storage_texel_buffer_offset_alignment_bytes = TEXEL_BUFFER_ALIGNMENT;
    out.storage_texel_buffer_offset_single_texel_alignment = vk::TRUE;
    out.uniform_texel_buffer_offset_alignment_bytes = TEXEL_BUFFER_ALIGNMENT;
    out.uniform_texel_buffer_offset_single_texel_alignment = vk::TRUE;
}

/// Fills in the structure of this name.
pub(super) fn maintenance4(out: &mut vk::PhysicalDeviceMaintenance4Properties<'_>) {
    out.max_buffer_size = MAX_ALLOCATION;
}

/// Fills in the structure of this name.
pub(super) fn sampler_filter_minmax(out: &mut vk::PhysicalDeviceSamplerFilterMinmaxProperties<'_>) {
    out.filter_minmax_single_component_formats = vk::TRUE;
    out.filter_minmax_image_component_mapping = vk::TRUE;
}

/// Fills in the structure of this name.
pub(super) fn driver(out: &mut vk::PhysicalDeviceDriverProperties<'_>) {
    out.driver_id = DRIVER_ID;
    copy_text(&mut out.driver_name, c"Lahar");
    copy_text(&mut out.driver_info, DRIVER_INFO);
    out.conformance_version = vk::ConformanceVersion {
        major: 0,
        minor: 0,
        subminor: 0,
        patch: 0,
    };
}

/// Fills in the limits of sets that are updated after they are bound: nothing but memory bounds these.
pub(super) fn descriptor_indexing(out: &mut vk::PhysicalDeviceDescriptorIndexingProperties<'_>) {
    let limits = limits::limits();
    out.max_update_after_bind_descriptors_in_all_pools = MAX_DESCRIPTORS;
    out.shader_uniform_buffer_array_non_uniform_indexing_native = vk::TRUE;
    out.shader_sampled_image_array_non_uniform_indexing_native = vk::FALSE;
    out.shader_storage_buffer_array_non_uniform_indexing_native = vk::TRUE;
    out.shader_storage_image_array_non_uniform_indexing_native = vk::FALSE;
    out.shader_input_attachment_array_non_uniform_indexing_native = vk::FALSE;
    out.robust_buffer_access_update_after_bind = vk::TRUE;
    out.quad_divergent_implicit_lod = vk::FALSE;
    out.max_per_stage_descriptor_update_after_bind_samplers = MAX_DESCRIPTORS;
    out.max_per_stage_descriptor_update_after_bind_uniform_buffers = MAX_DESCRIPTORS;
    out.max_per_stage_descriptor_update_after_bind_storage_buffers = MAX_DESCRIPTORS;
    out.max_per_stage_descriptor_update_after_bind_sampled_images = MAX_DESCRIPTORS;
    out.max_per_stage_descriptor_update_after_bind_storage_images = MAX_DESCRIPTORS;
    out.max_per_stage_descriptor_update_after_bind_input_attachments =
        limits.max_per_stage_descriptor_input_attachments;
    out.max_per_stage_update_after_bind_resources = MAX_DESCRIPTORS;
    out.max_descriptor_set_update_after_bind_samplers = MAX_DESCRIPTORS;
    out.max_descriptor_set_update_after_bind_uniform_buffers = MAX_DESCRIPTORS;
    out.max_descriptor_set_update_after_bind_uniform_buffers_dynamic =
        limits.max_descriptor_set_uniform_buffers_dynamic;
    out.max_descriptor_set_update_after_bind_storage_buffers = MAX_DESCRIPTORS;
    out.max_descriptor_set_update_after_bind_storage_buffers_dynamic =
        limits.max_descriptor_set_storage_buffers_dynamic;
    out.max_descriptor_set_update_after_bind_sampled_images = MAX_DESCRIPTORS;
    out.max_descriptor_set_update_after_bind_storage_images = MAX_DESCRIPTORS;
    out.max_descriptor_set_update_after_bind_input_attachments = limits.max_descriptor_set_input_attachments;
}

/// The structures of Vulkan 1.1 in one.
pub(super) fn vulkan11(out: &mut vk::PhysicalDeviceVulkan11Properties<'_>) {
    copy!(out, identity: device_uuid, driver_uuid, device_luid, device_node_mask, device_luid_valid);
    copy!(out, point_clipping: point_clipping_behavior);
    copy!(out, multiview: max_multiview_view_count, max_multiview_instance_index);
    copy!(out, maintenance3: max_per_set_descriptors, max_memory_allocation_size);
    let mut of_subgroups = vk::PhysicalDeviceSubgroupProperties::default();
    subgroup(&mut of_subgroups);
    out.subgroup_size = of_subgroups.subgroup_size;
    out.subgroup_supported_stages = of_subgroups.supported_stages;
    out.subgroup_supported_operations = of_subgroups.supported_operations;
    out.subgroup_quad_operations_in_all_stages = of_subgroups.quad_operations_in_all_stages;
    out.protected_no_fault = vk::FALSE;
}

/// The structures of Vulkan 1.2 in one.
pub(super) fn vulkan12(out: &mut vk::PhysicalDeviceVulkan12Properties<'_>) {
    copy!(out, driver: driver_id, driver_name, driver_info, conformance_version);
    copy!(out, float_controls: denorm_behavior_independence, rounding_mode_independence, shader_signed_zero_inf_nan_preserve_float16, shader_signed_zero_inf_nan_preserve_float32, shader_signed_zero_inf_nan_preserve_float64, shader_denorm_preserve_float16, shader_denorm_preserve_float32, shader_denorm_preserve_float64, shader_denorm_flush_to_zero_float16, shader_denorm_flush_to_zero_float32, shader_denorm_flush_to_zero_float64, shader_rounding_mode_rte_float16, shader_rounding_mode_rte_float32, shader_rounding_mode_rte_float64, shader_rounding_mode_rtz_float16, shader_rounding_mode_rtz_float32, shader_rounding_mode_rtz_float64);
    copy!(out, descriptor_indexing: max_update_after_bind_descriptors_in_all_pools, shader_uniform_buffer_array_non_uniform_indexing_native, shader_sampled_image_array_non_uniform_indexing_native, shader_storage_buffer_array_non_uniform_indexing_native, shader_storage_image_array_non_uniform_indexing_native, shader_input_attachment_array_non_uniform_indexing_native, robust_buffer_access_update_after_bind, quad_divergent_implicit_lod, max_per_stage_descriptor_update_after_bind_samplers, max_per_stage_descriptor_update_after_bind_uniform_buffers, max_per_stage_descriptor_update_after_bind_storage_buffers, max_per_stage_descriptor_update_after_bind_sampled_images, max_per_stage_descriptor_update_after_bind_storage_images, max_per_stage_descriptor_update_after_bind_input_attachments, max_per_stage_update_after_bind_resources, max_descriptor_set_update_after_bind_samplers, max_descriptor_set_update_after_bind_uniform_buffers, max_descriptor_set_update_after_bind_uniform_buffers_dynamic, max_descriptor_set_update_after_bind_storage_buffers, max_descriptor_set_update_after_bind_storage_buffers_dynamic, max_descriptor_set_update_after_bind_sampled_images, max_descriptor_set_update_after_bind_storage_images, max_descriptor_set_update_after_bind_input_attachments);
    copy!(out, depth_stencil_resolve: supported_depth_resolve_modes, supported_stencil_resolve_modes, independent_resolve_none, independent_resolve);
    copy!(out, sampler_filter_minmax: filter_minmax_single_component_formats, filter_minmax_image_component_mapping);
    copy!(out, timeline_semaphore: max_timeline_semaphore_value_difference);
    out.framebuffer_integer_color_sample_counts = limits::SAMPLE_COUNTS;
}

/// The structures of Vulkan 1.3 in one.
pub(super) fn vulkan13(out: &mut vk::PhysicalDeviceVulkan13Properties<'_>) {
    copy!(out, subgroup_size: min_subgroup_size, max_subgroup_size, max_compute_workgroup_subgroups, required_subgroup_size_stages);
    copy!(out, inline_uniform_block: max_inline_uniform_block_size, max_per_stage_descriptor_inline_uniform_blocks, max_per_stage_descriptor_update_after_bind_inline_uniform_blocks, max_descriptor_set_inline_uniform_blocks, max_descriptor_set_update_after_bind_inline_uniform_blocks);
    copy!(out, texel_buffer_alignment: storage_texel_buffer_offset_alignment_bytes, storage_texel_buffer_offset_single_texel_alignment, uniform_texel_buffer_offset_alignment_bytes, uniform_texel_buffer_offset_single_texel_alignment);
    copy!(out, maintenance4: max_buffer_size);
    out.max_inline_uniform_total_size = MAX_INLINE_BYTES * MAX_INLINE_BLOCKS;
    // Nothing is faster as a dot product than written out.
}

/// Descriptors of one type in sets that are updated after they are bound.
pub(super) const MAX_DESCRIPTORS: u32 = 1 << 20;
/// Bytes of an inline uniform block.
pub(super) const MAX_INLINE_BYTES: u32 = 4096;
/// Inline uniform blocks of a set or stage.
const MAX_INLINE_BLOCKS: u32 = 64;
/// Descriptors of a set that certainly fit.
const MAX_PER_SET_DESCRIPTORS: u32 = 1 << 20;
/// The largest allocation.
const MAX_ALLOCATION: u64 = 2 << 30;
/// Views of a multiview pass.
const MAX_VIEWS: u32 = 6;
/// The largest instance index in a multiview pass.
const MAX_MULTIVIEW_INSTANCE: u32 = u32::MAX >> 1;
/// All stages.
const STAGES: vk::ShaderStageFlags = vk::ShaderStageFlags::from_raw(
    vk::ShaderStageFlags::VERTEX.as_raw()
        | vk::ShaderStageFlags::FRAGMENT.as_raw()
        | vk::ShaderStageFlags::COMPUTE.as_raw(),
);
/// Offsets of texel buffers.
const TEXEL_BUFFER_ALIGNMENT: u64 = 16;
/// Stages in which subgroup operations work.
const SUBGROUP_STAGES: vk::ShaderStageFlags = vk::ShaderStageFlags::from_raw(
    vk::ShaderStageFlags::COMPUTE.as_raw() | vk::ShaderStageFlags::FRAGMENT.as_raw(),
);
/// `VK_SUBGROUP_FEATURE_ROTATE_BIT` and its clustered form.
const SUBGROUP_ROTATE: u32 = 0x200;
const SUBGROUP_ROTATE_CLUSTERED: u32 = 0x400;
/// Subgroup operations that work.
const SUBGROUP_OPERATIONS: vk::SubgroupFeatureFlags = vk::SubgroupFeatureFlags::from_raw(
    vk::SubgroupFeatureFlags::BASIC.as_raw()
        | vk::SubgroupFeatureFlags::VOTE.as_raw()
        | vk::SubgroupFeatureFlags::BALLOT.as_raw()
        | vk::SubgroupFeatureFlags::ARITHMETIC.as_raw()
        | vk::SubgroupFeatureFlags::SHUFFLE.as_raw()
        | vk::SubgroupFeatureFlags::SHUFFLE_RELATIVE.as_raw()
        | vk::SubgroupFeatureFlags::CLUSTERED.as_raw()
        | vk::SubgroupFeatureFlags::QUAD.as_raw()
        | SUBGROUP_ROTATE
        | SUBGROUP_ROTATE_CLUSTERED,
);
/// How depth is resolved.
const DEPTH_RESOLVE: vk::ResolveModeFlags = vk::ResolveModeFlags::from_raw(
    vk::ResolveModeFlags::SAMPLE_ZERO.as_raw()
        | vk::ResolveModeFlags::AVERAGE.as_raw()
        | vk::ResolveModeFlags::MIN.as_raw()
        | vk::ResolveModeFlags::MAX.as_raw(),
);
/// How stencil is resolved.
const STENCIL_RESOLVE: vk::ResolveModeFlags = vk::ResolveModeFlags::from_raw(
    vk::ResolveModeFlags::SAMPLE_ZERO.as_raw()
        | vk::ResolveModeFlags::MIN.as_raw()
        | vk::ResolveModeFlags::MAX.as_raw(),
);
/// Vulkan has given Lahar no number; 0 is nobody's.
const DRIVER_ID: vk::DriverId = vk::DriverId::from_raw(0);
/// More about the driver, for people.
const DRIVER_INFO: &std::ffi::CStr =
    match std::ffi::CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
        Ok(text) => text,
        Err(_) => c"",
    };

const _: () = assert!(DRIVER_NAME.len() == 5, "the name above is the engine's");
