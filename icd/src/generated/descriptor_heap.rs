// Made by `cargo xtask codegen` from the Vulkan registry, header version 1.4.360. Do not edit.
// Generator stamp 992fd977208807b2.

//! `VK_EXT_descriptor_heap`.
#![allow(dead_code, reason = "not everything of the registry is used")]

use ash::vk;
use std::ffi::c_void;

/// `VkPhysicalDeviceDescriptorHeapFeaturesEXT`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct PhysicalDeviceDescriptorHeapFeaturesEXT {
    /// `sType`.
    pub(crate) s_type: vk::StructureType,
    /// `pNext`.
    pub(crate) p_next: *mut c_void,
    /// `descriptorHeap`.
    pub(crate) descriptor_heap: vk::Bool32,
    /// `descriptorHeapCaptureReplay`.
    pub(crate) descriptor_heap_capture_replay: vk::Bool32,
}

// SAFETY: the structure begins with sType and pNext, as the registry lays it out.
unsafe impl vk::TaggedStructure for PhysicalDeviceDescriptorHeapFeaturesEXT {
    const STRUCTURE_TYPE: vk::StructureType = vk::StructureType::from_raw(1000135009);
}

/// `VkPhysicalDeviceDescriptorHeapPropertiesEXT`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct PhysicalDeviceDescriptorHeapPropertiesEXT {
    /// `sType`.
    pub(crate) s_type: vk::StructureType,
    /// `pNext`.
    pub(crate) p_next: *mut c_void,
    /// `samplerHeapAlignment`.
    pub(crate) sampler_heap_alignment: u64,
    /// `resourceHeapAlignment`.
    pub(crate) resource_heap_alignment: u64,
    /// `maxSamplerHeapSize`.
    pub(crate) max_sampler_heap_size: u64,
    /// `maxResourceHeapSize`.
    pub(crate) max_resource_heap_size: u64,
    /// `minSamplerHeapReservedRange`.
    pub(crate) min_sampler_heap_reserved_range: u64,
    /// `minSamplerHeapReservedRangeWithEmbedded`.
    pub(crate) min_sampler_heap_reserved_range_with_embedded: u64,
    /// `minResourceHeapReservedRange`.
    pub(crate) min_resource_heap_reserved_range: u64,
    /// `samplerDescriptorSize`.
    pub(crate) sampler_descriptor_size: u64,
    /// `imageDescriptorSize`.
    pub(crate) image_descriptor_size: u64,
    /// `bufferDescriptorSize`.
    pub(crate) buffer_descriptor_size: u64,
    /// `samplerDescriptorAlignment`.
    pub(crate) sampler_descriptor_alignment: u64,
    /// `imageDescriptorAlignment`.
    pub(crate) image_descriptor_alignment: u64,
    /// `bufferDescriptorAlignment`.
    pub(crate) buffer_descriptor_alignment: u64,
    /// `maxPushDataSize`.
    pub(crate) max_push_data_size: u64,
    /// `imageCaptureReplayOpaqueDataSize`.
    pub(crate) image_capture_replay_opaque_data_size: usize,
    /// `maxDescriptorHeapEmbeddedSamplers`.
    pub(crate) max_descriptor_heap_embedded_samplers: u32,
    /// `samplerYcbcrConversionCount`.
    pub(crate) sampler_ycbcr_conversion_count: u32,
    /// `sparseDescriptorHeaps`.
    pub(crate) sparse_descriptor_heaps: vk::Bool32,
    /// `protectedDescriptorHeaps`.
    pub(crate) protected_descriptor_heaps: vk::Bool32,
}

// SAFETY: the structure begins with sType and pNext, as the registry lays it out.
unsafe impl vk::TaggedStructure for PhysicalDeviceDescriptorHeapPropertiesEXT {
    const STRUCTURE_TYPE: vk::StructureType = vk::StructureType::from_raw(1000135008);
}

/// `VkHostAddressRangeEXT`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct HostAddressRangeEXT {
    /// `address`.
    pub(crate) address: *mut c_void,
    /// `size`.
    pub(crate) size: usize,
}

/// `VkHostAddressRangeConstEXT`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct HostAddressRangeConstEXT {
    /// `address`.
    pub(crate) address: *mut c_void,
    /// `size`.
    pub(crate) size: usize,
}

/// `VkDeviceAddressRangeKHR`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct DeviceAddressRangeKHR {
    /// `address`.
    pub(crate) address: u64,
    /// `size`.
    pub(crate) size: u64,
}

/// `VkTexelBufferDescriptorInfoEXT`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct TexelBufferDescriptorInfoEXT {
    /// `sType`.
    pub(crate) s_type: vk::StructureType,
    /// `pNext`.
    pub(crate) p_next: *mut c_void,
    /// `format`.
    pub(crate) format: vk::Format,
    /// `addressRange`.
    pub(crate) address_range: DeviceAddressRangeKHR,
}

// SAFETY: the structure begins with sType and pNext, as the registry lays it out.
unsafe impl vk::TaggedStructure for TexelBufferDescriptorInfoEXT {
    const STRUCTURE_TYPE: vk::StructureType = vk::StructureType::from_raw(1000135000);
}

/// `VkImageDescriptorInfoEXT`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct ImageDescriptorInfoEXT {
    /// `sType`.
    pub(crate) s_type: vk::StructureType,
    /// `pNext`.
    pub(crate) p_next: *mut c_void,
    /// `pView`.
    pub(crate) p_view: *mut vk::ImageViewCreateInfo<'static>,
    /// `layout`.
    pub(crate) layout: vk::ImageLayout,
}

// SAFETY: the structure begins with sType and pNext, as the registry lays it out.
unsafe impl vk::TaggedStructure for ImageDescriptorInfoEXT {
    const STRUCTURE_TYPE: vk::StructureType = vk::StructureType::from_raw(1000135001);
}

/// `VkResourceDescriptorDataEXT`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) union ResourceDescriptorDataEXT {
    /// `pImage`.
    pub(crate) p_image: *mut ImageDescriptorInfoEXT,
    /// `pTexelBuffer`.
    pub(crate) p_texel_buffer: *mut TexelBufferDescriptorInfoEXT,
    /// `pAddressRange`.
    pub(crate) p_address_range: *mut DeviceAddressRangeKHR,
    /// `pTensorARM`.
    pub(crate) p_tensor_a_r_m: *mut c_void,
}

/// `VkResourceDescriptorInfoEXT`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct ResourceDescriptorInfoEXT {
    /// `sType`.
    pub(crate) s_type: vk::StructureType,
    /// `pNext`.
    pub(crate) p_next: *mut c_void,
    /// `type`.
    pub(crate) ty: vk::DescriptorType,
    /// `data`.
    pub(crate) data: ResourceDescriptorDataEXT,
}

// SAFETY: the structure begins with sType and pNext, as the registry lays it out.
unsafe impl vk::TaggedStructure for ResourceDescriptorInfoEXT {
    const STRUCTURE_TYPE: vk::StructureType = vk::StructureType::from_raw(1000135002);
}

/// `VkBindHeapInfoEXT`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct BindHeapInfoEXT {
    /// `sType`.
    pub(crate) s_type: vk::StructureType,
    /// `pNext`.
    pub(crate) p_next: *mut c_void,
    /// `heapRange`.
    pub(crate) heap_range: DeviceAddressRangeKHR,
    /// `reservedRangeOffset`.
    pub(crate) reserved_range_offset: u64,
    /// `reservedRangeSize`.
    pub(crate) reserved_range_size: u64,
}

// SAFETY: the structure begins with sType and pNext, as the registry lays it out.
unsafe impl vk::TaggedStructure for BindHeapInfoEXT {
    const STRUCTURE_TYPE: vk::StructureType = vk::StructureType::from_raw(1000135003);
}

/// `VkPushDataInfoEXT`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct PushDataInfoEXT {
    /// `sType`.
    pub(crate) s_type: vk::StructureType,
    /// `pNext`.
    pub(crate) p_next: *mut c_void,
    /// `offset`.
    pub(crate) offset: u32,
    /// `data`.
    pub(crate) data: HostAddressRangeConstEXT,
}

// SAFETY: the structure begins with sType and pNext, as the registry lays it out.
unsafe impl vk::TaggedStructure for PushDataInfoEXT {
    const STRUCTURE_TYPE: vk::StructureType = vk::StructureType::from_raw(1000135004);
}

/// `VkDescriptorMappingSourceConstantOffsetEXT`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct DescriptorMappingSourceConstantOffsetEXT {
    /// `heapOffset`.
    pub(crate) heap_offset: u32,
    /// `heapArrayStride`.
    pub(crate) heap_array_stride: u32,
    /// `pEmbeddedSampler`.
    pub(crate) p_embedded_sampler: *mut vk::SamplerCreateInfo<'static>,
    /// `samplerHeapOffset`.
    pub(crate) sampler_heap_offset: u32,
    /// `samplerHeapArrayStride`.
    pub(crate) sampler_heap_array_stride: u32,
}

/// `VkDescriptorMappingSourcePushIndexEXT`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct DescriptorMappingSourcePushIndexEXT {
    /// `heapOffset`.
    pub(crate) heap_offset: u32,
    /// `pushOffset`.
    pub(crate) push_offset: u32,
    /// `heapIndexStride`.
    pub(crate) heap_index_stride: u32,
    /// `heapArrayStride`.
    pub(crate) heap_array_stride: u32,
    /// `pEmbeddedSampler`.
    pub(crate) p_embedded_sampler: *mut vk::SamplerCreateInfo<'static>,
    /// `useCombinedImageSamplerIndex`.
    pub(crate) use_combined_image_sampler_index: vk::Bool32,
    /// `samplerHeapOffset`.
    pub(crate) sampler_heap_offset: u32,
    /// `samplerPushOffset`.
    pub(crate) sampler_push_offset: u32,
    /// `samplerHeapIndexStride`.
    pub(crate) sampler_heap_index_stride: u32,
    /// `samplerHeapArrayStride`.
    pub(crate) sampler_heap_array_stride: u32,
}

/// `VkDescriptorMappingSourceIndirectIndexEXT`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct DescriptorMappingSourceIndirectIndexEXT {
    /// `heapOffset`.
    pub(crate) heap_offset: u32,
    /// `pushOffset`.
    pub(crate) push_offset: u32,
    /// `addressOffset`.
    pub(crate) address_offset: u32,
    /// `heapIndexStride`.
    pub(crate) heap_index_stride: u32,
    /// `heapArrayStride`.
    pub(crate) heap_array_stride: u32,
    /// `pEmbeddedSampler`.
    pub(crate) p_embedded_sampler: *mut vk::SamplerCreateInfo<'static>,
    /// `useCombinedImageSamplerIndex`.
    pub(crate) use_combined_image_sampler_index: vk::Bool32,
    /// `samplerHeapOffset`.
    pub(crate) sampler_heap_offset: u32,
    /// `samplerPushOffset`.
    pub(crate) sampler_push_offset: u32,
    /// `samplerAddressOffset`.
    pub(crate) sampler_address_offset: u32,
    /// `samplerHeapIndexStride`.
    pub(crate) sampler_heap_index_stride: u32,
    /// `samplerHeapArrayStride`.
    pub(crate) sampler_heap_array_stride: u32,
}

/// `VkDescriptorMappingSourceIndirectIndexArrayEXT`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct DescriptorMappingSourceIndirectIndexArrayEXT {
    /// `heapOffset`.
    pub(crate) heap_offset: u32,
    /// `pushOffset`.
    pub(crate) push_offset: u32,
    /// `addressOffset`.
    pub(crate) address_offset: u32,
    /// `heapIndexStride`.
    pub(crate) heap_index_stride: u32,
    /// `pEmbeddedSampler`.
    pub(crate) p_embedded_sampler: *mut vk::SamplerCreateInfo<'static>,
    /// `useCombinedImageSamplerIndex`.
    pub(crate) use_combined_image_sampler_index: vk::Bool32,
    /// `samplerHeapOffset`.
    pub(crate) sampler_heap_offset: u32,
    /// `samplerPushOffset`.
    pub(crate) sampler_push_offset: u32,
    /// `samplerAddressOffset`.
    pub(crate) sampler_address_offset: u32,
    /// `samplerHeapIndexStride`.
    pub(crate) sampler_heap_index_stride: u32,
}

/// `VkDescriptorMappingSourceHeapDataEXT`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct DescriptorMappingSourceHeapDataEXT {
    /// `heapOffset`.
    pub(crate) heap_offset: u32,
    /// `pushOffset`.
    pub(crate) push_offset: u32,
}

/// `VkDescriptorMappingSourceIndirectAddressEXT`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct DescriptorMappingSourceIndirectAddressEXT {
    /// `pushOffset`.
    pub(crate) push_offset: u32,
    /// `addressOffset`.
    pub(crate) address_offset: u32,
}

/// `VkDescriptorMappingSourceDataEXT`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) union DescriptorMappingSourceDataEXT {
    /// `constantOffset`.
    pub(crate) constant_offset: DescriptorMappingSourceConstantOffsetEXT,
    /// `pushIndex`.
    pub(crate) push_index: DescriptorMappingSourcePushIndexEXT,
    /// `indirectIndex`.
    pub(crate) indirect_index: DescriptorMappingSourceIndirectIndexEXT,
    /// `indirectIndexArray`.
    pub(crate) indirect_index_array: DescriptorMappingSourceIndirectIndexArrayEXT,
    /// `heapData`.
    pub(crate) heap_data: DescriptorMappingSourceHeapDataEXT,
    /// `pushDataOffset`.
    pub(crate) push_data_offset: u32,
    /// `pushAddressOffset`.
    pub(crate) push_address_offset: u32,
    /// `indirectAddress`.
    pub(crate) indirect_address: DescriptorMappingSourceIndirectAddressEXT,
    /// `shaderRecordDataOffset`.
    pub(crate) shader_record_data_offset: u32,
    /// `shaderRecordAddressOffset`.
    pub(crate) shader_record_address_offset: u32,
}

/// `VkDescriptorSetAndBindingMappingEXT`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct DescriptorSetAndBindingMappingEXT {
    /// `sType`.
    pub(crate) s_type: vk::StructureType,
    /// `pNext`.
    pub(crate) p_next: *mut c_void,
    /// `descriptorSet`.
    pub(crate) descriptor_set: u32,
    /// `firstBinding`.
    pub(crate) first_binding: u32,
    /// `bindingCount`.
    pub(crate) binding_count: u32,
    /// `resourceMask`.
    pub(crate) resource_mask: u32,
    /// `source`.
    pub(crate) source: i32,
    /// `sourceData`.
    pub(crate) source_data: DescriptorMappingSourceDataEXT,
}

// SAFETY: the structure begins with sType and pNext, as the registry lays it out.
unsafe impl vk::TaggedStructure for DescriptorSetAndBindingMappingEXT {
    const STRUCTURE_TYPE: vk::StructureType = vk::StructureType::from_raw(1000135005);
}

/// `VkShaderDescriptorSetAndBindingMappingInfoEXT`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct ShaderDescriptorSetAndBindingMappingInfoEXT {
    /// `sType`.
    pub(crate) s_type: vk::StructureType,
    /// `pNext`.
    pub(crate) p_next: *mut c_void,
    /// `mappingCount`.
    pub(crate) mapping_count: u32,
    /// `pMappings`.
    pub(crate) p_mappings: *mut DescriptorSetAndBindingMappingEXT,
}

// SAFETY: the structure begins with sType and pNext, as the registry lays it out.
unsafe impl vk::TaggedStructure for ShaderDescriptorSetAndBindingMappingInfoEXT {
    const STRUCTURE_TYPE: vk::StructureType = vk::StructureType::from_raw(1000135006);
}

/// `VkOpaqueCaptureDataCreateInfoEXT`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct OpaqueCaptureDataCreateInfoEXT {
    /// `sType`.
    pub(crate) s_type: vk::StructureType,
    /// `pNext`.
    pub(crate) p_next: *mut c_void,
    /// `pData`.
    pub(crate) p_data: *mut HostAddressRangeConstEXT,
}

// SAFETY: the structure begins with sType and pNext, as the registry lays it out.
unsafe impl vk::TaggedStructure for OpaqueCaptureDataCreateInfoEXT {
    const STRUCTURE_TYPE: vk::StructureType = vk::StructureType::from_raw(1000135007);
}

/// `VkSamplerCustomBorderColorIndexCreateInfoEXT`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct SamplerCustomBorderColorIndexCreateInfoEXT {
    /// `sType`.
    pub(crate) s_type: vk::StructureType,
    /// `pNext`.
    pub(crate) p_next: *mut c_void,
    /// `index`.
    pub(crate) index: u32,
}

// SAFETY: the structure begins with sType and pNext, as the registry lays it out.
unsafe impl vk::TaggedStructure for SamplerCustomBorderColorIndexCreateInfoEXT {
    const STRUCTURE_TYPE: vk::StructureType = vk::StructureType::from_raw(1000135011);
}

/// `VkCommandBufferInheritanceDescriptorHeapInfoEXT`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct CommandBufferInheritanceDescriptorHeapInfoEXT {
    /// `sType`.
    pub(crate) s_type: vk::StructureType,
    /// `pNext`.
    pub(crate) p_next: *mut c_void,
    /// `pSamplerHeapBindInfo`.
    pub(crate) p_sampler_heap_bind_info: *mut BindHeapInfoEXT,
    /// `pResourceHeapBindInfo`.
    pub(crate) p_resource_heap_bind_info: *mut BindHeapInfoEXT,
}

// SAFETY: the structure begins with sType and pNext, as the registry lays it out.
unsafe impl vk::TaggedStructure for CommandBufferInheritanceDescriptorHeapInfoEXT {
    const STRUCTURE_TYPE: vk::StructureType = vk::StructureType::from_raw(1000135010);
}

/// `vkWriteSamplerDescriptorsEXT`.
#[allow(non_camel_case_types, reason = "the name is that of C")]
pub(crate) type PFN_vkWriteSamplerDescriptorsEXT = unsafe extern "system" fn(
    device: vk::Device,
    count: u32,
    samplers: *const vk::SamplerCreateInfo<'_>,
    descriptors: *const HostAddressRangeEXT,
) -> vk::Result;

/// `vkWriteResourceDescriptorsEXT`.
#[allow(non_camel_case_types, reason = "the name is that of C")]
pub(crate) type PFN_vkWriteResourceDescriptorsEXT = unsafe extern "system" fn(
    device: vk::Device,
    count: u32,
    resources: *const ResourceDescriptorInfoEXT,
    descriptors: *const HostAddressRangeEXT,
) -> vk::Result;

/// `vkCmdBindSamplerHeapEXT`.
#[allow(non_camel_case_types, reason = "the name is that of C")]
pub(crate) type PFN_vkCmdBindSamplerHeapEXT =
    unsafe extern "system" fn(buffer: vk::CommandBuffer, info: *const BindHeapInfoEXT);

/// `vkCmdBindResourceHeapEXT`.
#[allow(non_camel_case_types, reason = "the name is that of C")]
pub(crate) type PFN_vkCmdBindResourceHeapEXT =
    unsafe extern "system" fn(buffer: vk::CommandBuffer, info: *const BindHeapInfoEXT);

/// `vkCmdPushDataEXT`.
#[allow(non_camel_case_types, reason = "the name is that of C")]
pub(crate) type PFN_vkCmdPushDataEXT =
    unsafe extern "system" fn(buffer: vk::CommandBuffer, info: *const PushDataInfoEXT);

/// `vkGetImageOpaqueCaptureDataEXT`.
#[allow(non_camel_case_types, reason = "the name is that of C")]
pub(crate) type PFN_vkGetImageOpaqueCaptureDataEXT = unsafe extern "system" fn(
    device: vk::Device,
    count: u32,
    images: *const vk::Image,
    datas: *mut HostAddressRangeEXT,
) -> vk::Result;

/// `vkGetPhysicalDeviceDescriptorSizeEXT`.
#[allow(non_camel_case_types, reason = "the name is that of C")]
pub(crate) type PFN_vkGetPhysicalDeviceDescriptorSizeEXT =
    unsafe extern "system" fn(device: vk::PhysicalDevice, ty: vk::DescriptorType) -> vk::DeviceSize;

/// `vkRegisterCustomBorderColorEXT`.
#[allow(non_camel_case_types, reason = "the name is that of C")]
pub(crate) type PFN_vkRegisterCustomBorderColorEXT = unsafe extern "system" fn(
    device: vk::Device,
    color: *const vk::SamplerCustomBorderColorCreateInfoEXT<'_>,
    request: vk::Bool32,
    index: *mut u32,
) -> vk::Result;

/// `vkUnregisterCustomBorderColorEXT`.
#[allow(non_camel_case_types, reason = "the name is that of C")]
pub(crate) type PFN_vkUnregisterCustomBorderColorEXT =
    unsafe extern "system" fn(device: vk::Device, index: u32);
