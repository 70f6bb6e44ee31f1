//! Properties of Vulkan 1.4 and of what came after it: each structure, and all of the version in one.

use super::properties_core::copy;
use crate::generated::newer::{
    PhysicalDeviceMaintenance7PropertiesKHR, PhysicalDeviceMaintenance9PropertiesKHR,
    PhysicalDeviceVulkan14Properties,
};
use ash::vk;
use lahar::physical::limits;

/// Fills in the structure of this name.
pub(super) fn maintenance5(out: &mut vk::PhysicalDeviceMaintenance5PropertiesKHR<'_>) {
    // Samples are counted last, when mask and shader have had their say.
    out.early_fragment_multisample_coverage_after_sample_counting = vk::FALSE;
    out.early_fragment_sample_mask_test_before_sample_counting = vk::TRUE;
    out.depth_stencil_swizzle_one_support = vk::TRUE;
    out.polygon_mode_point_size = vk::TRUE;
    out.non_strict_single_pixel_wide_lines_use_parallelogram = vk::TRUE;
    out.non_strict_wide_lines_use_parallelogram = vk::TRUE;
}

/// Fills in the structure of this name.
pub(super) fn maintenance6(out: &mut vk::PhysicalDeviceMaintenance6PropertiesKHR<'_>) {
    out.max_combined_image_sampler_descriptor_count = 1;
}

/// Fills in the structure of this name.
pub(super) fn push_descriptor(out: &mut vk::PhysicalDevicePushDescriptorPropertiesKHR<'_>) {
    out.max_push_descriptors = MAX_PUSH_DESCRIPTORS;
}

/// Fills in the structure of this name.
pub(super) fn line_rasterization(out: &mut vk::PhysicalDeviceLineRasterizationPropertiesKHR<'_>) {
    out.line_sub_pixel_precision_bits = 8;
}

/// Fills in the structure of this name.
pub(super) fn pipeline_robustness(out: &mut vk::PhysicalDevicePipelineRobustnessPropertiesEXT<'_>) {
    // Every pipeline is as robust as can be asked for.
    let buffers = vk::PipelineRobustnessBufferBehaviorEXT::ROBUST_BUFFER_ACCESS_2;
    out.default_robustness_storage_buffers = buffers;
    out.default_robustness_uniform_buffers = buffers;
    out.default_robustness_vertex_inputs = buffers;
    out.default_robustness_images = vk::PipelineRobustnessImageBehaviorEXT::ROBUST_IMAGE_ACCESS_2;
}

/// Fills in the structure of this name.
pub(super) fn vertex_divisor(out: &mut vk::PhysicalDeviceVertexAttributeDivisorPropertiesKHR<'_>) {
    out.max_vertex_attrib_divisor = u32::MAX;
    out.supports_non_zero_first_instance = vk::TRUE;
}

/// Fills in the structure of this name.
pub(super) fn maintenance7(out: &mut PhysicalDeviceMaintenance7PropertiesKHR) {
    let limits = limits::limits();
    let uniform = limits.max_descriptor_set_uniform_buffers_dynamic;
    let storage = limits.max_descriptor_set_storage_buffers_dynamic;
    out.robust_fragment_shading_rate_attachment_access = vk::FALSE;
    // The aspects are planes of their own.
    out.separate_depth_stencil_attachment_access = vk::TRUE;
    out.max_descriptor_set_total_uniform_buffers_dynamic = uniform;
    out.max_descriptor_set_total_storage_buffers_dynamic = storage;
    out.max_descriptor_set_total_buffers_dynamic = uniform + storage;
    out.max_descriptor_set_update_after_bind_total_uniform_buffers_dynamic = uniform;
    out.max_descriptor_set_update_after_bind_total_storage_buffers_dynamic = storage;
    out.max_descriptor_set_update_after_bind_total_buffers_dynamic = uniform + storage;
}

/// Fills in the structure of this name.
pub(super) fn maintenance9(out: &mut PhysicalDeviceMaintenance9PropertiesKHR) {
    out.image2_d_view_of3_d_sparse = vk::FALSE;
    out.default_vertex_attribute_value = ZERO_ZERO_ZERO_ZERO;
}

/// The structures of Vulkan 1.4 in one.
pub(super) fn vulkan14(out: &mut PhysicalDeviceVulkan14Properties) {
    copy!(out, line_rasterization: line_sub_pixel_precision_bits);
    copy!(out, vertex_divisor: max_vertex_attrib_divisor, supports_non_zero_first_instance);
    copy!(out, push_descriptor: max_push_descriptors);
    copy!(out, maintenance5: early_fragment_multisample_coverage_after_sample_counting, early_fragment_sample_mask_test_before_sample_counting, depth_stencil_swizzle_one_support, polygon_mode_point_size, non_strict_single_pixel_wide_lines_use_parallelogram, non_strict_wide_lines_use_parallelogram);
    copy!(out, maintenance6: block_texel_view_compatible_multiple_layers, max_combined_image_sampler_descriptor_count, fragment_shading_rate_clamp_combiner_inputs);
    copy!(out, pipeline_robustness: default_robustness_storage_buffers, default_robustness_uniform_buffers, default_robustness_vertex_inputs, default_robustness_images);
    out.dynamic_rendering_local_read_depth_stencil_attachments = vk::TRUE;
    out.dynamic_rendering_local_read_multisampled_attachments = vk::TRUE;
    let mut copies = vk::PhysicalDeviceHostImageCopyPropertiesEXT {
        copy_src_layout_count: out.copy_src_layout_count,
        p_copy_src_layouts: out.p_copy_src_layouts,
        copy_dst_layout_count: out.copy_dst_layout_count,
        p_copy_dst_layouts: out.p_copy_dst_layouts,
        ..Default::default()
    };
    super::host_copy::properties(&mut copies);
    out.copy_src_layout_count = copies.copy_src_layout_count;
    out.copy_dst_layout_count = copies.copy_dst_layout_count;
    out.optimal_tiling_layout_u_u_i_d = copies.optimal_tiling_layout_uuid;
    out.identical_memory_type_requirements = copies.identical_memory_type_requirements;
}

/// Descriptors of a pushed set.
const MAX_PUSH_DESCRIPTORS: u32 = 32;
/// `VK_DEFAULT_VERTEX_ATTRIBUTE_VALUE_ZERO_ZERO_ZERO_ZERO_KHR`.
const ZERO_ZERO_ZERO_ZERO: u32 = 0;
