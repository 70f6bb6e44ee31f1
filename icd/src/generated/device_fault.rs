// Made by `cargo xtask codegen` from the Vulkan registry, header version 1.4.360. Do not edit.
// Generator stamp 992fd977208807b2.

//! `VK_KHR_device_fault` (and the message structure of `VK_KHR_shader_abort`).
#![allow(dead_code, reason = "not everything of the registry is used")]

use ash::vk;
use std::ffi::{c_char, c_void};

/// `VK_ERROR_NOT_ENOUGH_SPACE_KHR`.
pub(crate) const ERROR_NOT_ENOUGH_SPACE_KHR: vk::Result = vk::Result::from_raw(-1000483000);

/// `VkPhysicalDeviceFaultFeaturesKHR`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct PhysicalDeviceFaultFeaturesKHR {
    /// `sType`.
    pub(crate) s_type: vk::StructureType,
    /// `pNext`.
    pub(crate) p_next: *mut c_void,
    /// `deviceFault`.
    pub(crate) device_fault: vk::Bool32,
    /// `deviceFaultVendorBinary`.
    pub(crate) device_fault_vendor_binary: vk::Bool32,
    /// `deviceFaultReportMasked`.
    pub(crate) device_fault_report_masked: vk::Bool32,
    /// `deviceFaultDeviceLostOnMasked`.
    pub(crate) device_fault_device_lost_on_masked: vk::Bool32,
}

// SAFETY: the structure begins with sType and pNext, as the registry lays it out.
unsafe impl vk::TaggedStructure for PhysicalDeviceFaultFeaturesKHR {
    const STRUCTURE_TYPE: vk::StructureType = vk::StructureType::from_raw(1000573000);
}

/// `VkPhysicalDeviceFaultPropertiesKHR`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct PhysicalDeviceFaultPropertiesKHR {
    /// `sType`.
    pub(crate) s_type: vk::StructureType,
    /// `pNext`.
    pub(crate) p_next: *mut c_void,
    /// `maxDeviceFaultCount`.
    pub(crate) max_device_fault_count: u32,
}

// SAFETY: the structure begins with sType and pNext, as the registry lays it out.
unsafe impl vk::TaggedStructure for PhysicalDeviceFaultPropertiesKHR {
    const STRUCTURE_TYPE: vk::StructureType = vk::StructureType::from_raw(1000573001);
}

/// `VkDeviceFaultInfoKHR`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct DeviceFaultInfoKHR {
    /// `sType`.
    pub(crate) s_type: vk::StructureType,
    /// `pNext`.
    pub(crate) p_next: *mut c_void,
    /// `flags`.
    pub(crate) flags: u32,
    /// `groupId`.
    pub(crate) group_id: u64,
    /// `description`.
    pub(crate) description: [c_char; vk::MAX_DESCRIPTION_SIZE],
    /// `faultAddressInfo`.
    pub(crate) fault_address_info: vk::DeviceFaultAddressInfoEXT,
    /// `instructionAddressInfo`.
    pub(crate) instruction_address_info: vk::DeviceFaultAddressInfoEXT,
    /// `vendorInfo`.
    pub(crate) vendor_info: vk::DeviceFaultVendorInfoEXT,
}

// SAFETY: the structure begins with sType and pNext, as the registry lays it out.
unsafe impl vk::TaggedStructure for DeviceFaultInfoKHR {
    const STRUCTURE_TYPE: vk::StructureType = vk::StructureType::from_raw(1000573002);
}

/// `VkDeviceFaultDebugInfoKHR`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct DeviceFaultDebugInfoKHR {
    /// `sType`.
    pub(crate) s_type: vk::StructureType,
    /// `pNext`.
    pub(crate) p_next: *mut c_void,
    /// `vendorBinarySize`.
    pub(crate) vendor_binary_size: u32,
    /// `pVendorBinaryData`.
    pub(crate) p_vendor_binary_data: *mut c_void,
}

// SAFETY: the structure begins with sType and pNext, as the registry lays it out.
unsafe impl vk::TaggedStructure for DeviceFaultDebugInfoKHR {
    const STRUCTURE_TYPE: vk::StructureType = vk::StructureType::from_raw(1000573003);
}

/// `VkDeviceFaultShaderAbortMessageInfoKHR`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct DeviceFaultShaderAbortMessageInfoKHR {
    /// `sType`.
    pub(crate) s_type: vk::StructureType,
    /// `pNext`.
    pub(crate) p_next: *mut c_void,
    /// `messageDataSize`.
    pub(crate) message_data_size: u64,
    /// `pMessageData`.
    pub(crate) p_message_data: *mut c_void,
}

// SAFETY: the structure begins with sType and pNext, as the registry lays it out.
unsafe impl vk::TaggedStructure for DeviceFaultShaderAbortMessageInfoKHR {
    const STRUCTURE_TYPE: vk::StructureType = vk::StructureType::from_raw(1000233001);
}

/// `VkPhysicalDeviceShaderAbortPropertiesKHR`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct PhysicalDeviceShaderAbortPropertiesKHR {
    /// `sType`.
    pub(crate) s_type: vk::StructureType,
    /// `pNext`.
    pub(crate) p_next: *mut c_void,
    /// `maxShaderAbortMessageSize`.
    pub(crate) max_shader_abort_message_size: u64,
}

// SAFETY: the structure begins with sType and pNext, as the registry lays it out.
unsafe impl vk::TaggedStructure for PhysicalDeviceShaderAbortPropertiesKHR {
    const STRUCTURE_TYPE: vk::StructureType = vk::StructureType::from_raw(1000233002);
}

/// `vkGetDeviceFaultReportsKHR`.
#[allow(non_camel_case_types, reason = "the name is that of C")]
pub(crate) type PFN_vkGetDeviceFaultReportsKHR = unsafe extern "system" fn(
    device: vk::Device,
    timeout: u64,
    fault_counts: *mut u32,
    fault_info: *mut DeviceFaultInfoKHR,
) -> vk::Result;

/// `vkGetDeviceFaultDebugInfoKHR`.
#[allow(non_camel_case_types, reason = "the name is that of C")]
pub(crate) type PFN_vkGetDeviceFaultDebugInfoKHR =
    unsafe extern "system" fn(device: vk::Device, debug_info: *mut DeviceFaultDebugInfoKHR) -> vk::Result;
