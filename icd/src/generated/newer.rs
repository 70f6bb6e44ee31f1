// Made by `cargo xtask codegen` from the Vulkan registry, header version 1.4.360. Do not edit.
// Generator stamp 992fd977208807b2.

//! Plain structures that the version of ash in use lacks.
#![allow(dead_code, reason = "not everything of the registry is used")]

use ash::vk;
use std::ffi::c_void;

/// `VkPhysicalDeviceLayeredApiPropertiesListKHR`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct PhysicalDeviceLayeredApiPropertiesListKHR {
    /// `sType`.
    pub(crate) s_type: vk::StructureType,
    /// `pNext`.
    pub(crate) p_next: *mut c_void,
    /// `layeredApiCount`.
    pub(crate) layered_api_count: u32,
    /// `pLayeredApis`.
    pub(crate) p_layered_apis: *mut c_void,
}

// SAFETY: the structure begins with sType and pNext, as the registry lays it out.
unsafe impl vk::TaggedStructure for PhysicalDeviceLayeredApiPropertiesListKHR {
    const STRUCTURE_TYPE: vk::StructureType = vk::StructureType::from_raw(1000562002);
}

/// `VkPhysicalDeviceMaintenance7PropertiesKHR`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct PhysicalDeviceMaintenance7PropertiesKHR {
    /// `sType`.
    pub(crate) s_type: vk::StructureType,
    /// `pNext`.
    pub(crate) p_next: *mut c_void,
    /// `robustFragmentShadingRateAttachmentAccess`.
    pub(crate) robust_fragment_shading_rate_attachment_access: vk::Bool32,
    /// `separateDepthStencilAttachmentAccess`.
    pub(crate) separate_depth_stencil_attachment_access: vk::Bool32,
    /// `maxDescriptorSetTotalUniformBuffersDynamic`.
    pub(crate) max_descriptor_set_total_uniform_buffers_dynamic: u32,
    /// `maxDescriptorSetTotalStorageBuffersDynamic`.
    pub(crate) max_descriptor_set_total_storage_buffers_dynamic: u32,
    /// `maxDescriptorSetTotalBuffersDynamic`.
    pub(crate) max_descriptor_set_total_buffers_dynamic: u32,
    /// `maxDescriptorSetUpdateAfterBindTotalUniformBuffersDynamic`.
    pub(crate) max_descriptor_set_update_after_bind_total_uniform_buffers_dynamic: u32,
    /// `maxDescriptorSetUpdateAfterBindTotalStorageBuffersDynamic`.
    pub(crate) max_descriptor_set_update_after_bind_total_storage_buffers_dynamic: u32,
    /// `maxDescriptorSetUpdateAfterBindTotalBuffersDynamic`.
    pub(crate) max_descriptor_set_update_after_bind_total_buffers_dynamic: u32,
}

// SAFETY: the structure begins with sType and pNext, as the registry lays it out.
unsafe impl vk::TaggedStructure for PhysicalDeviceMaintenance7PropertiesKHR {
    const STRUCTURE_TYPE: vk::StructureType = vk::StructureType::from_raw(1000562001);
}

/// `VkPhysicalDeviceMaintenance9PropertiesKHR`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct PhysicalDeviceMaintenance9PropertiesKHR {
    /// `sType`.
    pub(crate) s_type: vk::StructureType,
    /// `pNext`.
    pub(crate) p_next: *mut c_void,
    /// `image2DViewOf3DSparse`.
    pub(crate) image2_d_view_of3_d_sparse: vk::Bool32,
    /// `defaultVertexAttributeValue`.
    pub(crate) default_vertex_attribute_value: u32,
}

// SAFETY: the structure begins with sType and pNext, as the registry lays it out.
unsafe impl vk::TaggedStructure for PhysicalDeviceMaintenance9PropertiesKHR {
    const STRUCTURE_TYPE: vk::StructureType = vk::StructureType::from_raw(1000584001);
}

/// `VkPhysicalDeviceVulkan14Properties`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct PhysicalDeviceVulkan14Properties {
    /// `sType`.
    pub(crate) s_type: vk::StructureType,
    /// `pNext`.
    pub(crate) p_next: *mut c_void,
    /// `lineSubPixelPrecisionBits`.
    pub(crate) line_sub_pixel_precision_bits: u32,
    /// `maxVertexAttribDivisor`.
    pub(crate) max_vertex_attrib_divisor: u32,
    /// `supportsNonZeroFirstInstance`.
    pub(crate) supports_non_zero_first_instance: vk::Bool32,
    /// `maxPushDescriptors`.
    pub(crate) max_push_descriptors: u32,
    /// `dynamicRenderingLocalReadDepthStencilAttachments`.
    pub(crate) dynamic_rendering_local_read_depth_stencil_attachments: vk::Bool32,
    /// `dynamicRenderingLocalReadMultisampledAttachments`.
    pub(crate) dynamic_rendering_local_read_multisampled_attachments: vk::Bool32,
    /// `earlyFragmentMultisampleCoverageAfterSampleCounting`.
    pub(crate) early_fragment_multisample_coverage_after_sample_counting: vk::Bool32,
    /// `earlyFragmentSampleMaskTestBeforeSampleCounting`.
    pub(crate) early_fragment_sample_mask_test_before_sample_counting: vk::Bool32,
    /// `depthStencilSwizzleOneSupport`.
    pub(crate) depth_stencil_swizzle_one_support: vk::Bool32,
    /// `polygonModePointSize`.
    pub(crate) polygon_mode_point_size: vk::Bool32,
    /// `nonStrictSinglePixelWideLinesUseParallelogram`.
    pub(crate) non_strict_single_pixel_wide_lines_use_parallelogram: vk::Bool32,
    /// `nonStrictWideLinesUseParallelogram`.
    pub(crate) non_strict_wide_lines_use_parallelogram: vk::Bool32,
    /// `blockTexelViewCompatibleMultipleLayers`.
    pub(crate) block_texel_view_compatible_multiple_layers: vk::Bool32,
    /// `maxCombinedImageSamplerDescriptorCount`.
    pub(crate) max_combined_image_sampler_descriptor_count: u32,
    /// `fragmentShadingRateClampCombinerInputs`.
    pub(crate) fragment_shading_rate_clamp_combiner_inputs: vk::Bool32,
    /// `defaultRobustnessStorageBuffers`.
    pub(crate) default_robustness_storage_buffers: vk::PipelineRobustnessBufferBehaviorEXT,
    /// `defaultRobustnessUniformBuffers`.
    pub(crate) default_robustness_uniform_buffers: vk::PipelineRobustnessBufferBehaviorEXT,
    /// `defaultRobustnessVertexInputs`.
    pub(crate) default_robustness_vertex_inputs: vk::PipelineRobustnessBufferBehaviorEXT,
    /// `defaultRobustnessImages`.
    pub(crate) default_robustness_images: vk::PipelineRobustnessImageBehaviorEXT,
    /// `copySrcLayoutCount`.
    pub(crate) copy_src_layout_count: u32,
    /// `pCopySrcLayouts`.
    pub(crate) p_copy_src_layouts: *mut vk::ImageLayout,
    /// `copyDstLayoutCount`.
    pub(crate) copy_dst_layout_count: u32,
    /// `pCopyDstLayouts`.
    pub(crate) p_copy_dst_layouts: *mut vk::ImageLayout,
    /// `optimalTilingLayoutUUID`.
    pub(crate) optimal_tiling_layout_u_u_i_d: [u8; vk::UUID_SIZE],
    /// `identicalMemoryTypeRequirements`.
    pub(crate) identical_memory_type_requirements: vk::Bool32,
}

// SAFETY: the structure begins with sType and pNext, as the registry lays it out.
unsafe impl vk::TaggedStructure for PhysicalDeviceVulkan14Properties {
    const STRUCTURE_TYPE: vk::StructureType = vk::StructureType::from_raw(56);
}

/// `VkPresentId2KHR`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct PresentId2KHR {
    /// `sType`.
    pub(crate) s_type: vk::StructureType,
    /// `pNext`.
    pub(crate) p_next: *mut c_void,
    /// `swapchainCount`.
    pub(crate) swapchain_count: u32,
    /// `pPresentIds`.
    pub(crate) p_present_ids: *mut u64,
}

// SAFETY: the structure begins with sType and pNext, as the registry lays it out.
unsafe impl vk::TaggedStructure for PresentId2KHR {
    const STRUCTURE_TYPE: vk::StructureType = vk::StructureType::from_raw(1000479001);
}

/// `VkPresentWait2InfoKHR`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct PresentWait2InfoKHR {
    /// `sType`.
    pub(crate) s_type: vk::StructureType,
    /// `pNext`.
    pub(crate) p_next: *mut c_void,
    /// `presentId`.
    pub(crate) present_id: u64,
    /// `timeout`.
    pub(crate) timeout: u64,
}

// SAFETY: the structure begins with sType and pNext, as the registry lays it out.
unsafe impl vk::TaggedStructure for PresentWait2InfoKHR {
    const STRUCTURE_TYPE: vk::StructureType = vk::StructureType::from_raw(1000480002);
}

/// `VkQueueFamilyOwnershipTransferPropertiesKHR`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct QueueFamilyOwnershipTransferPropertiesKHR {
    /// `sType`.
    pub(crate) s_type: vk::StructureType,
    /// `pNext`.
    pub(crate) p_next: *mut c_void,
    /// `optimalImageTransferToQueueFamilies`.
    pub(crate) optimal_image_transfer_to_queue_families: u32,
}

// SAFETY: the structure begins with sType and pNext, as the registry lays it out.
unsafe impl vk::TaggedStructure for QueueFamilyOwnershipTransferPropertiesKHR {
    const STRUCTURE_TYPE: vk::StructureType = vk::StructureType::from_raw(1000584002);
}

/// `VkSurfaceCapabilitiesPresentId2KHR`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct SurfaceCapabilitiesPresentId2KHR {
    /// `sType`.
    pub(crate) s_type: vk::StructureType,
    /// `pNext`.
    pub(crate) p_next: *mut c_void,
    /// `presentId2Supported`.
    pub(crate) present_id2_supported: vk::Bool32,
}

// SAFETY: the structure begins with sType and pNext, as the registry lays it out.
unsafe impl vk::TaggedStructure for SurfaceCapabilitiesPresentId2KHR {
    const STRUCTURE_TYPE: vk::StructureType = vk::StructureType::from_raw(1000479000);
}

/// `VkSurfaceCapabilitiesPresentWait2KHR`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct SurfaceCapabilitiesPresentWait2KHR {
    /// `sType`.
    pub(crate) s_type: vk::StructureType,
    /// `pNext`.
    pub(crate) p_next: *mut c_void,
    /// `presentWait2Supported`.
    pub(crate) present_wait2_supported: vk::Bool32,
}

// SAFETY: the structure begins with sType and pNext, as the registry lays it out.
unsafe impl vk::TaggedStructure for SurfaceCapabilitiesPresentWait2KHR {
    const STRUCTURE_TYPE: vk::StructureType = vk::StructureType::from_raw(1000480000);
}

/// `vkWaitForPresent2KHR`.
#[allow(non_camel_case_types, reason = "the name is that of C")]
pub(crate) type PFN_vkWaitForPresent2KHR = unsafe extern "system" fn(
    device: vk::Device,
    swapchain: vk::SwapchainKHR,
    info: *const PresentWait2InfoKHR,
) -> vk::Result;
