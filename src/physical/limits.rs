//! Limits of the device.
//!
//! Modest where nothing is gained by more: clients size their tables by some of these.

use super::{features, queues::TIMESTAMP_BITS};
use crate::{
    memory::{MAX_ALLOCATIONS, SPARSE_ADDRESS_SPACE},
    shader::abi::MAX_SETS,
    vk,
};
use vk::SampleCountFlags as S;

/// The widest image, and the widest framebuffer.
pub const MAX_IMAGE_DIMENSION: u32 = 16384;
/// The largest depth of a 3D image.
pub const MAX_IMAGE_DIMENSION_3D: u32 = 2048;
/// Layers of an image and of a framebuffer.
pub const MAX_LAYERS: u32 = 2048;
/// Descriptors of one type, of a stage or in all sets: nothing but memory bounds them.
const DESCRIPTORS: u32 = 1 << 16;
/// Buffers with dynamic offsets in all sets.
const DYNAMIC: u32 = 64;
/// Colour attachments.
const ATTACHMENTS: u32 = 8;
/// Sample counts of attachments and sampled images.
pub const SAMPLE_COUNTS: S = S::from_raw(S::TYPE_1.as_raw() | S::TYPE_4.as_raw());
/// Invocations of a workgroup.
pub const MAX_WORKGROUP: u32 = 1024;

/// The limits.
pub fn limits() -> vk::PhysicalDeviceLimits {
    let mut limits = vk::PhysicalDeviceLimits::default();
    resources(&mut limits);
    descriptors(&mut limits);
    shaders(&mut limits);
    raster(&mut limits);
    withdraw(&mut limits, |feature| !features::is_offered(feature));
    limits
}

/// Takes back the limits of features that are not there.
pub fn withdraw(limits: &mut vk::PhysicalDeviceLimits, is_missing: impl Fn(&str) -> bool) {
    for (feature, withdraw) in DEPENDENT {
        if is_missing(feature) {
            withdraw(limits);
        }
    }
}

type Withdraw = fn(&mut vk::PhysicalDeviceLimits);

/// What Vulkan prescribes for limits whose feature is not offered.
const DEPENDENT: &[(&str, Withdraw)] = &[
    ("dualSrcBlend", |limits| {
        limits.max_fragment_dual_src_attachments = 0;
    }),
    ("largePoints", |limits| {
        limits.point_size_range = [1.0, 1.0];
        limits.point_size_granularity = 0.0;
    }),
    ("multiDrawIndirect", |limits| limits.max_draw_indirect_count = 1),
    ("multiViewport", |limits| limits.max_viewports = 1),
    ("sampleRateShading", |limits| {
        limits.min_interpolation_offset = 0.0;
        limits.max_interpolation_offset = 0.0;
        limits.sub_pixel_interpolation_offset_bits = 0;
    }),
    ("wideLines", |limits| {
        limits.line_width_range = [1.0, 1.0];
        limits.line_width_granularity = 0.0;
    }),
    ("samplerAnisotropy", |limits| limits.max_sampler_anisotropy = 1.0),
    ("shaderClipDistance", |limits| limits.max_clip_distances = 0),
    ("shaderCullDistance", |limits| limits.max_cull_distances = 0),
];

fn resources(limits: &mut vk::PhysicalDeviceLimits) {
    limits.max_image_dimension1_d = MAX_IMAGE_DIMENSION;
    limits.max_image_dimension2_d = MAX_IMAGE_DIMENSION;
    limits.max_image_dimension3_d = MAX_IMAGE_DIMENSION_3D;
    limits.max_image_dimension_cube = MAX_IMAGE_DIMENSION;
    limits.max_image_array_layers = MAX_LAYERS;
    limits.max_texel_buffer_elements = 1 << 27;
    limits.max_uniform_buffer_range = 65536;
    limits.max_storage_buffer_range = 1 << 30;
    limits.max_push_constants_size = 256;
    limits.max_memory_allocation_count = MAX_ALLOCATIONS;
    limits.sparse_address_space_size = SPARSE_ADDRESS_SPACE;
    limits.max_sampler_allocation_count = 4096;
    limits.buffer_image_granularity = 1;
    limits.max_bound_descriptor_sets = MAX_SETS as u32;
    limits.min_memory_map_alignment = 4096;
    limits.min_texel_buffer_offset_alignment = 16;
    limits.min_uniform_buffer_offset_alignment = 16;
    limits.min_storage_buffer_offset_alignment = 16;
    limits.optimal_buffer_copy_offset_alignment = 1;
    limits.optimal_buffer_copy_row_pitch_alignment = 1;
    limits.non_coherent_atom_size = 64;
    limits.max_sampler_lod_bias = 16.0;
    limits.max_sampler_anisotropy = 16.0;
    limits.sampled_image_color_sample_counts = SAMPLE_COUNTS;
    limits.sampled_image_integer_sample_counts = SAMPLE_COUNTS;
    limits.sampled_image_depth_sample_counts = SAMPLE_COUNTS;
    limits.sampled_image_stencil_sample_counts = SAMPLE_COUNTS;
    limits.storage_image_sample_counts = SAMPLE_COUNTS;
    limits.max_sample_mask_words = 1;
    limits.timestamp_compute_and_graphics = if TIMESTAMP_BITS > 0 { vk::TRUE } else { vk::FALSE };
    limits.timestamp_period = 1.0;
    limits.discrete_queue_priorities = 2;
}

fn descriptors(limits: &mut vk::PhysicalDeviceLimits) {
    limits.max_per_stage_descriptor_samplers = DESCRIPTORS;
    limits.max_per_stage_descriptor_uniform_buffers = DESCRIPTORS;
    limits.max_per_stage_descriptor_storage_buffers = DESCRIPTORS;
    limits.max_per_stage_descriptor_sampled_images = DESCRIPTORS;
    limits.max_per_stage_descriptor_storage_images = DESCRIPTORS;
    limits.max_per_stage_descriptor_input_attachments = DESCRIPTORS;
    limits.max_per_stage_resources = 6 * DESCRIPTORS;
    limits.max_descriptor_set_samplers = DESCRIPTORS;
    limits.max_descriptor_set_uniform_buffers = DESCRIPTORS;
    limits.max_descriptor_set_uniform_buffers_dynamic = DYNAMIC;
    limits.max_descriptor_set_storage_buffers = DESCRIPTORS;
    limits.max_descriptor_set_storage_buffers_dynamic = DYNAMIC;
    limits.max_descriptor_set_sampled_images = DESCRIPTORS;
    limits.max_descriptor_set_storage_images = DESCRIPTORS;
    limits.max_descriptor_set_input_attachments = DESCRIPTORS;
}

fn shaders(limits: &mut vk::PhysicalDeviceLimits) {
    limits.max_vertex_input_attributes = 32;
    limits.max_vertex_input_bindings = 32;
    limits.max_vertex_input_attribute_offset = 2047;
    limits.max_vertex_input_binding_stride = 2048;
    limits.max_vertex_output_components = 128;
    limits.max_fragment_input_components = 128;
    limits.max_fragment_output_attachments = ATTACHMENTS;
    limits.max_fragment_dual_src_attachments = 1;
    limits.max_fragment_combined_output_resources = 136;
    limits.max_compute_shared_memory_size = 32768;
    limits.max_compute_work_group_count = [65535; 3];
    limits.max_compute_work_group_invocations = MAX_WORKGROUP;
    limits.max_compute_work_group_size = [MAX_WORKGROUP, MAX_WORKGROUP, 64];
    limits.min_texel_offset = -8;
    limits.max_texel_offset = 7;
    limits.min_texel_gather_offset = -32;
    limits.max_texel_gather_offset = 31;
    limits.min_interpolation_offset = -0.5;
    limits.max_interpolation_offset = 0.4375;
    limits.sub_pixel_interpolation_offset_bits = 4;
    limits.max_clip_distances = 8;
    limits.max_cull_distances = 8;
    limits.max_combined_clip_and_cull_distances = 8;
}

fn raster(limits: &mut vk::PhysicalDeviceLimits) {
    limits.sub_pixel_precision_bits = 8;
    limits.sub_texel_precision_bits = 8;
    limits.mipmap_precision_bits = 8;
    limits.max_draw_indexed_index_value = u32::MAX;
    limits.max_draw_indirect_count = 1 << 20;
    limits.max_viewports = 16;
    limits.max_viewport_dimensions = [MAX_IMAGE_DIMENSION; 2];
    let bound = MAX_IMAGE_DIMENSION as f32 * 2.0;
    limits.viewport_bounds_range = [-bound, bound - 1.0];
    limits.viewport_sub_pixel_bits = 8;
    limits.max_framebuffer_width = MAX_IMAGE_DIMENSION;
    limits.max_framebuffer_height = MAX_IMAGE_DIMENSION;
    limits.max_framebuffer_layers = MAX_LAYERS;
    limits.framebuffer_color_sample_counts = SAMPLE_COUNTS;
    limits.framebuffer_depth_sample_counts = SAMPLE_COUNTS;
    limits.framebuffer_stencil_sample_counts = SAMPLE_COUNTS;
    limits.framebuffer_no_attachments_sample_counts = SAMPLE_COUNTS;
    limits.max_color_attachments = ATTACHMENTS;
    limits.point_size_range = [1.0, 1024.0];
    limits.line_width_range = [1.0, 64.0];
    limits.line_width_granularity = 0.0078125;
    limits.point_size_granularity = 0.125;
    limits.strict_lines = vk::FALSE;
    limits.standard_sample_locations = vk::TRUE;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_agree_with_features() {
        let limits = limits();
        assert_eq!(limits.max_viewports > 1, features::is_offered("multiViewport"));
        assert_eq!(
            limits.max_sampler_anisotropy > 1.0,
            features::is_offered("samplerAnisotropy")
        );
        assert!(limits.max_memory_allocation_count >= 4096);
        assert!(limits.max_bound_descriptor_sets >= 4);
    }
}
