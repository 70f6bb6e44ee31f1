//! Properties and their chain.

use super::instance::copy_text;
use crate::{
    args::Out,
    boundary::commands,
    chain::{self, Link},
    dispatch::Ref,
    generated::device_fault::PhysicalDeviceFaultPropertiesKHR,
    instance::PhysicalDevice,
};
use ash::vk::{self, TaggedStructure};
use lahar::{
    descriptor::{MAX_DESCRIPTOR_BUFFERS, SET_ALIGNMENT, descriptor_size},
    physical::{
        limits,
        properties::{self, DRIVER_NAME, SUBGROUP_SIZE, uuid},
    },
};
use vk::DescriptorType as Type;

commands! {
    fn vkGetPhysicalDeviceProperties(_physical: Ref<PhysicalDevice>, out: Out<vk::PhysicalDeviceProperties>) {
        out.write(properties::properties());
        Ok(())
    }

    fn vkGetPhysicalDeviceProperties2(
        _physical: Ref<PhysicalDevice>,
        out: &mut vk::PhysicalDeviceProperties2<'_>,
    ) {
        out.properties = properties::properties();
        for link in chain::links(out) {
            if let Some((_, fill)) = STRUCTS.iter().find(|(s_type, _)| *s_type == link.s_type()) {
                fill(link);
            }
        }
        Ok(())
    }
}

/// Aliases of extensions.
pub(crate) const ALIASES: &[(&str, &str)] = &[(
    "vkGetPhysicalDeviceProperties2KHR",
    "vkGetPhysicalDeviceProperties2",
)];

type Fill = fn(Link<'_>);

/// A row of `STRUCTS`: fills in the structure that a link is, from all zeros.
macro_rules! row {
    ($ty:ident, $fill:expr) => {
        (vk::$ty::STRUCTURE_TYPE, |link| {
            if let Some(out) = link.into_mut::<vk::$ty<'_>>() {
                let fill: fn(&mut vk::$ty<'_>) = $fill;
                let p_next = out.p_next;
                *out = vk::$ty::default();
                fill(out);
                out.p_next = p_next;
            }
        })
    };
}

/// The structures of a properties chain that are filled in. sType and pNext stay as they are.
const STRUCTS: &[(vk::StructureType, Fill)] = &[
    row!(PhysicalDeviceIDProperties, |out| {
        out.device_uuid = uuid("device");
        out.driver_uuid = uuid("driver");
        out.device_luid = [0; vk::LUID_SIZE];
        out.device_node_mask = 0;
        out.device_luid_valid = vk::FALSE;
    }),
    row!(PhysicalDeviceMaintenance3Properties, |out| {
        out.max_per_set_descriptors = MAX_PER_SET_DESCRIPTORS;
        out.max_memory_allocation_size = MAX_ALLOCATION;
    }),
    row!(PhysicalDeviceDescriptorBufferPropertiesEXT, descriptor_buffer),
    row!(PhysicalDeviceDescriptorIndexingProperties, descriptor_indexing),
    row!(PhysicalDeviceInlineUniformBlockProperties, |out| {
        out.max_inline_uniform_block_size = MAX_INLINE_BYTES;
        out.max_per_stage_descriptor_inline_uniform_blocks = MAX_INLINE_BLOCKS;
        out.max_per_stage_descriptor_update_after_bind_inline_uniform_blocks = MAX_INLINE_BLOCKS;
        out.max_descriptor_set_inline_uniform_blocks = MAX_INLINE_BLOCKS;
        out.max_descriptor_set_update_after_bind_inline_uniform_blocks = MAX_INLINE_BLOCKS;
    }),
    row!(PhysicalDevicePushDescriptorPropertiesKHR, |out| {
        out.max_push_descriptors = MAX_PUSH_DESCRIPTORS;
    }),
    row!(PhysicalDeviceMultiviewProperties, |out| {
        out.max_multiview_view_count = MAX_VIEWS;
        out.max_multiview_instance_index = MAX_MULTIVIEW_INSTANCE;
    }),
    row!(PhysicalDevicePointClippingProperties, |out| {
        out.point_clipping_behavior = vk::PointClippingBehavior::ALL_CLIP_PLANES;
    }),
    row!(PhysicalDeviceProtectedMemoryProperties, |out| out
        .protected_no_fault =
        vk::FALSE),
    row!(PhysicalDeviceSubgroupProperties, |out| {
        out.subgroup_size = SUBGROUP_SIZE;
        out.supported_stages = SUBGROUP_STAGES;
        out.supported_operations = SUBGROUP_OPERATIONS;
        out.quad_operations_in_all_stages = vk::FALSE;
    }),
    row!(PhysicalDeviceFloatControlsProperties, |out| {
        out.denorm_behavior_independence = vk::ShaderFloatControlsIndependence::ALL;
        out.rounding_mode_independence = vk::ShaderFloatControlsIndependence::ALL;
        // Always so, whatever a shader asks for.
        out.shader_signed_zero_inf_nan_preserve_float16 = vk::TRUE;
        out.shader_signed_zero_inf_nan_preserve_float32 = vk::TRUE;
        out.shader_denorm_preserve_float16 = vk::TRUE;
        out.shader_denorm_preserve_float32 = vk::TRUE;
        out.shader_rounding_mode_rte_float16 = vk::TRUE;
        out.shader_rounding_mode_rte_float32 = vk::TRUE;
    }),
    // Nothing is faster as a dot product than written out.
    row!(PhysicalDeviceShaderIntegerDotProductProperties, |_out| {}),
    row!(PhysicalDeviceDepthStencilResolveProperties, |out| {
        out.supported_depth_resolve_modes = DEPTH_RESOLVE;
        out.supported_stencil_resolve_modes = STENCIL_RESOLVE;
        out.independent_resolve_none = vk::TRUE;
        out.independent_resolve = vk::TRUE;
    }),
    (PhysicalDeviceFaultPropertiesKHR::STRUCTURE_TYPE, |link| {
        if let Some(out) = link.into_mut::<PhysicalDeviceFaultPropertiesKHR>() {
            out.max_device_fault_count = lahar::fault::MAX_REPORTS as u32;
        }
    }),
    row!(PhysicalDeviceTimelineSemaphoreProperties, |out| {
        out.max_timeline_semaphore_value_difference = u64::MAX;
    }),
    row!(PhysicalDeviceMaintenance4Properties, |out| {
        out.max_buffer_size = MAX_ALLOCATION;
    }),
    row!(PhysicalDeviceMaintenance5PropertiesKHR, |out| {
        // Samples are counted last, when mask and shader have had their say.
        out.early_fragment_multisample_coverage_after_sample_counting = vk::FALSE;
        out.early_fragment_sample_mask_test_before_sample_counting = vk::TRUE;
        out.depth_stencil_swizzle_one_support = vk::TRUE;
        out.polygon_mode_point_size = vk::TRUE;
        out.non_strict_single_pixel_wide_lines_use_parallelogram = vk::TRUE;
        out.non_strict_wide_lines_use_parallelogram = vk::TRUE;
    }),
    row!(PhysicalDeviceMaintenance6PropertiesKHR, |out| {
        out.max_combined_image_sampler_descriptor_count = 1;
    }),
    row!(PhysicalDeviceSamplerFilterMinmaxProperties, |out| {
        out.filter_minmax_single_component_formats = vk::TRUE;
        out.filter_minmax_image_component_mapping = vk::TRUE;
    }),
    row!(PhysicalDeviceVertexAttributeDivisorPropertiesEXT, |out| {
        out.max_vertex_attrib_divisor = u32::MAX;
    }),
    row!(PhysicalDeviceDriverProperties, |out| {
        out.driver_id = DRIVER_ID;
        copy_text(&mut out.driver_name, c"Lahar");
        copy_text(&mut out.driver_info, DRIVER_INFO);
        out.conformance_version = vk::ConformanceVersion {
            major: 0,
            minor: 0,
            subminor: 0,
            patch: 0,
        };
    }),
];

/// Fills in the sizes of descriptors and descriptor buffers.
fn descriptor_buffer(out: &mut vk::PhysicalDeviceDescriptorBufferPropertiesEXT<'_>) {
    let size = |ty| descriptor_size(ty).unwrap_or(0) as usize;
    let [sampler, image, texels, buffer] = [
        Type::SAMPLER,
        Type::SAMPLED_IMAGE,
        Type::UNIFORM_TEXEL_BUFFER,
        Type::UNIFORM_BUFFER,
    ]
    .map(size);
    out.combined_image_sampler_descriptor_single_array = vk::TRUE;
    out.bufferless_push_descriptors = vk::TRUE;
    out.allow_sampler_image_view_post_submit_creation = vk::TRUE;
    out.descriptor_buffer_offset_alignment = SET_ALIGNMENT;
    out.max_descriptor_buffer_bindings = MAX_DESCRIPTOR_BUFFERS as u32;
    out.max_resource_descriptor_buffer_bindings = MAX_DESCRIPTOR_BUFFERS as u32;
    out.max_sampler_descriptor_buffer_bindings = MAX_DESCRIPTOR_BUFFERS as u32;
    out.max_embedded_immutable_sampler_bindings = limits::limits().max_bound_descriptor_sets;
    out.max_embedded_immutable_samplers = 1 << 20;
    // Addresses say it all: nothing but memory need be the same for a descriptor to be the same.
    out.buffer_capture_replay_descriptor_data_size = 0;
    out.image_capture_replay_descriptor_data_size = 0;
    out.image_view_capture_replay_descriptor_data_size = 0;
    out.sampler_capture_replay_descriptor_data_size = 0;
    out.acceleration_structure_capture_replay_descriptor_data_size = 0;
    out.sampler_descriptor_size = sampler;
    out.combined_image_sampler_descriptor_size = size(Type::COMBINED_IMAGE_SAMPLER);
    out.sampled_image_descriptor_size = image;
    out.storage_image_descriptor_size = image;
    out.uniform_texel_buffer_descriptor_size = texels;
    out.robust_uniform_texel_buffer_descriptor_size = texels;
    out.storage_texel_buffer_descriptor_size = texels;
    out.robust_storage_texel_buffer_descriptor_size = texels;
    out.uniform_buffer_descriptor_size = buffer;
    out.robust_uniform_buffer_descriptor_size = buffer;
    out.storage_buffer_descriptor_size = buffer;
    out.robust_storage_buffer_descriptor_size = buffer;
    out.input_attachment_descriptor_size = image;
    // There are none; the limit says that there is a size.
    out.acceleration_structure_descriptor_size = 8;
    out.max_sampler_descriptor_buffer_range = MAX_DESCRIPTOR_BUFFER;
    out.max_resource_descriptor_buffer_range = MAX_DESCRIPTOR_BUFFER;
    out.sampler_descriptor_buffer_address_space_size = MAX_DESCRIPTOR_BUFFER;
    out.resource_descriptor_buffer_address_space_size = MAX_DESCRIPTOR_BUFFER;
    out.descriptor_buffer_address_space_size = MAX_DESCRIPTOR_BUFFER;
}

/// Fills in the limits of sets that are updated after they are bound: nothing but memory bounds these.
fn descriptor_indexing(out: &mut vk::PhysicalDeviceDescriptorIndexingProperties<'_>) {
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

/// Descriptors of one type in sets that are updated after they are bound.
const MAX_DESCRIPTORS: u32 = 1 << 20;
/// The largest descriptor buffer, and all of them together: as much as a heap.
const MAX_DESCRIPTOR_BUFFER: u64 = 4 << 30;
/// Bytes of an inline uniform block.
const MAX_INLINE_BYTES: u32 = 4096;
/// Inline uniform blocks of a set or stage.
const MAX_INLINE_BLOCKS: u32 = 64;
/// Descriptors of a pushed set.
const MAX_PUSH_DESCRIPTORS: u32 = 32;
/// Descriptors of a set that certainly fit.
const MAX_PER_SET_DESCRIPTORS: u32 = 4096;
/// The largest allocation.
const MAX_ALLOCATION: u64 = 2 << 30;
/// Views of a multiview pass.
const MAX_VIEWS: u32 = 6;
/// The largest instance index in a multiview pass.
const MAX_MULTIVIEW_INSTANCE: u32 = u32::MAX >> 1;
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
