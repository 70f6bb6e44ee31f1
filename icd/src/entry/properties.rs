//! Properties and their chain.

use super::{properties_core as core, properties_newer as newer};
use crate::{
    args::Out,
    boundary::commands,
    chain::{self, Link},
    dispatch::Ref,
    generated::{
        descriptor_heap::PhysicalDeviceDescriptorHeapPropertiesEXT,
        device_fault::{PhysicalDeviceFaultPropertiesKHR, PhysicalDeviceShaderAbortPropertiesKHR},
        newer::{
            PhysicalDeviceLayeredApiPropertiesListKHR, PhysicalDeviceMaintenance7PropertiesKHR,
            PhysicalDeviceMaintenance9PropertiesKHR, PhysicalDeviceVulkan14Properties,
        },
    },
    instance::PhysicalDevice,
};
use ash::vk::{self, TaggedStructure};
use lahar::{
    descriptor::{CAPTURE_DATA_SIZE, MAX_DESCRIPTOR_BUFFERS, SET_ALIGNMENT, descriptor_size},
    physical::{limits, properties},
    pipeline::binary,
};
use vk::DescriptorType as Type;

commands! {
    fn vkGetPhysicalDeviceProperties(physical: Ref<PhysicalDevice>, out: Out<vk::PhysicalDeviceProperties>) {
        out.write(offered(&physical));
        Ok(())
    }

    fn vkGetPhysicalDeviceProperties2(
        physical: Ref<PhysicalDevice>,
        out: &mut vk::PhysicalDeviceProperties2<'_>,
    ) {
        out.properties = offered(&physical);
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

/// The properties, with the limits that a plan has lowered.
fn offered(physical: &PhysicalDevice) -> vk::PhysicalDeviceProperties {
    let name = physical
        .instance
        .config
        .profile
        .device_name(properties::DEVICE_NAME);
    let mut properties = properties::properties(&name);
    let hidden = physical.hidden();
    limits::withdraw(&mut properties.limits, |feature| hidden.has_feature(feature));
    hidden.lower(&mut properties.limits);
    properties
}

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
    row!(PhysicalDeviceIDProperties, core::identity),
    row!(PhysicalDeviceVulkan11Properties, core::vulkan11),
    row!(PhysicalDeviceVulkan12Properties, core::vulkan12),
    row!(PhysicalDeviceVulkan13Properties, core::vulkan13),
    row!(PhysicalDeviceSubgroupSizeControlProperties, core::subgroup_size),
    row!(
        PhysicalDeviceTexelBufferAlignmentProperties,
        core::texel_buffer_alignment
    ),
    row!(PhysicalDeviceMaintenance3Properties, core::maintenance3),
    row!(PhysicalDeviceDescriptorBufferPropertiesEXT, descriptor_buffer),
    row!(PhysicalDeviceCustomBorderColorPropertiesEXT, |out| {
        out.max_custom_border_color_samplers = limits::limits().max_sampler_allocation_count;
    }),
    row!(
        PhysicalDeviceDescriptorIndexingProperties,
        core::descriptor_indexing
    ),
    row!(
        PhysicalDeviceInlineUniformBlockProperties,
        core::inline_uniform_block
    ),
    row!(PhysicalDevicePushDescriptorPropertiesKHR, newer::push_descriptor),
    row!(PhysicalDeviceMultiviewProperties, core::multiview),
    row!(PhysicalDevicePointClippingProperties, core::point_clipping),
    row!(PhysicalDeviceProtectedMemoryProperties, |out| out
        .protected_no_fault =
        vk::FALSE),
    row!(PhysicalDeviceSubgroupProperties, core::subgroup),
    row!(PhysicalDeviceFloatControlsProperties, core::float_controls),
    // Nothing is faster as a dot product than written out.
    row!(PhysicalDeviceShaderIntegerDotProductProperties, |_out| {}),
    row!(
        PhysicalDeviceDepthStencilResolveProperties,
        core::depth_stencil_resolve
    ),
    (
        vk::PhysicalDeviceHostImageCopyPropertiesEXT::STRUCTURE_TYPE,
        |link| {
            if let Some(out) = link.into_mut() {
                super::host_copy::properties(out);
            }
        },
    ),
    (
        PhysicalDeviceDescriptorHeapPropertiesEXT::STRUCTURE_TYPE,
        |link| {
            if let Some(out) = link.into_mut() {
                super::descriptor_heap::properties(out);
            }
        },
    ),
    (PhysicalDeviceFaultPropertiesKHR::STRUCTURE_TYPE, |link| {
        if let Some(out) = link.into_mut::<PhysicalDeviceFaultPropertiesKHR>() {
            out.max_device_fault_count = lahar::fault::MAX_REPORTS as u32;
        }
    }),
    (PhysicalDeviceShaderAbortPropertiesKHR::STRUCTURE_TYPE, |link| {
        if let Some(out) = link.into_mut::<PhysicalDeviceShaderAbortPropertiesKHR>() {
            out.max_shader_abort_message_size = lahar::shader::abi::ABORT_BYTES as u64;
        }
    }),
    row!(
        PhysicalDeviceTimelineSemaphoreProperties,
        core::timeline_semaphore
    ),
    row!(PhysicalDeviceMaintenance4Properties, core::maintenance4),
    row!(PhysicalDeviceMaintenance5PropertiesKHR, newer::maintenance5),
    row!(PhysicalDeviceMaintenance6PropertiesKHR, newer::maintenance6),
    row!(
        PhysicalDeviceSamplerFilterMinmaxProperties,
        core::sampler_filter_minmax
    ),
    row!(
        PhysicalDeviceLineRasterizationPropertiesKHR,
        newer::line_rasterization
    ),
    row!(PhysicalDeviceCustomBorderColorPropertiesEXT, |out| {
        out.max_custom_border_color_samplers = limits::limits().max_sampler_allocation_count;
    }),
    row!(PhysicalDeviceExternalMemoryHostPropertiesEXT, |out| {
        out.min_imported_host_pointer_alignment = 4096;
    }),
    row!(PhysicalDeviceProvokingVertexPropertiesEXT, |out| {
        out.provoking_vertex_mode_per_pipeline = vk::TRUE;
    }),
    row!(PhysicalDeviceExtendedDynamicState3PropertiesEXT, |out| {
        out.dynamic_primitive_topology_unrestricted = vk::TRUE;
    }),
    row!(PhysicalDeviceShaderObjectPropertiesEXT, |out| {
        out.shader_binary_uuid = properties::uuid("shader binary");
        out.shader_binary_version = binary::VERSION;
    }),
    row!(PhysicalDeviceBlendOperationAdvancedPropertiesEXT, |out| {
        out.advanced_blend_max_color_attachments = limits::limits().max_color_attachments;
        out.advanced_blend_independent_blend = vk::TRUE;
        out.advanced_blend_non_premultiplied_src_color = vk::TRUE;
        out.advanced_blend_non_premultiplied_dst_color = vk::TRUE;
        out.advanced_blend_correlated_overlap = vk::TRUE;
        out.advanced_blend_all_operations = vk::TRUE;
    }),
    row!(PhysicalDeviceNestedCommandBufferPropertiesEXT, |out| {
        out.max_command_buffer_nesting_level = 16;
    }),
    row!(PhysicalDeviceMultiDrawPropertiesEXT, |out| {
        out.max_multi_draw_count = u32::MAX;
    }),
    row!(PhysicalDeviceGraphicsPipelineLibraryPropertiesEXT, |out| {
        // The code is made when all parts are known.
        out.graphics_pipeline_library_fast_linking = vk::FALSE;
        out.graphics_pipeline_library_independent_interpolation_decoration = vk::TRUE;
    }),
    row!(PhysicalDeviceRobustness2PropertiesEXT, |out| {
        out.robust_storage_buffer_access_size_alignment = 1;
        out.robust_uniform_buffer_access_size_alignment = 1;
    }),
    row!(
        PhysicalDevicePipelineRobustnessPropertiesEXT,
        newer::pipeline_robustness
    ),
    row!(
        PhysicalDeviceVertexAttributeDivisorPropertiesKHR,
        newer::vertex_divisor
    ),
    row!(PhysicalDeviceVertexAttributeDivisorPropertiesEXT, |out| {
        out.max_vertex_attrib_divisor = u32::MAX;
    }),
    row!(PhysicalDeviceDriverProperties, core::driver),
    (
        PhysicalDeviceLayeredApiPropertiesListKHR::STRUCTURE_TYPE,
        |link| {
            if let Some(out) = link.into_mut::<PhysicalDeviceLayeredApiPropertiesListKHR>() {
                // There is nothing below.
                out.layered_api_count = 0;
            }
        },
    ),
    (PhysicalDeviceMaintenance7PropertiesKHR::STRUCTURE_TYPE, |link| {
        if let Some(out) = link.into_mut() {
            newer::maintenance7(out);
        }
    }),
    (PhysicalDeviceMaintenance9PropertiesKHR::STRUCTURE_TYPE, |link| {
        if let Some(out) = link.into_mut() {
            newer::maintenance9(out);
        }
    }),
    (PhysicalDeviceVulkan14Properties::STRUCTURE_TYPE, |link| {
        if let Some(out) = link.into_mut() {
            newer::vulkan14(out);
        }
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
    out.buffer_capture_replay_descriptor_data_size = CAPTURE_DATA_SIZE;
    out.image_capture_replay_descriptor_data_size = CAPTURE_DATA_SIZE;
    out.image_view_capture_replay_descriptor_data_size = CAPTURE_DATA_SIZE;
    out.sampler_capture_replay_descriptor_data_size = CAPTURE_DATA_SIZE;
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

/// The largest descriptor buffer, and all of them together: as much as a heap.
const MAX_DESCRIPTOR_BUFFER: u64 = 4 << 30;
