//! Structures and commands of extensions that the version of ash in use lacks.

use super::{
    TaskResult,
    ash_source::AshSource,
    registry::{Member, Registry},
};
use std::fmt::Write;

/// The commands whose types are made here, by module.
pub(crate) const COMMANDS: [(&str, &[&str]); 2] = [
    (
        "device_fault",
        &["vkGetDeviceFaultDebugInfoKHR", "vkGetDeviceFaultReportsKHR"],
    ),
    (
        "descriptor_heap",
        &[
            "vkCmdBindResourceHeapEXT",
            "vkCmdBindSamplerHeapEXT",
            "vkCmdPushDataEXT",
            "vkGetImageOpaqueCaptureDataEXT",
            "vkGetPhysicalDeviceDescriptorSizeEXT",
            "vkRegisterCustomBorderColorEXT",
            "vkUnregisterCustomBorderColorEXT",
            "vkWriteResourceDescriptorsEXT",
            "vkWriteSamplerDescriptorsEXT",
        ],
    ),
];

const STRUCTS: [&str; 6] = [
    "VkPhysicalDeviceFaultFeaturesKHR",
    "VkPhysicalDeviceFaultPropertiesKHR",
    "VkDeviceFaultInfoKHR",
    "VkDeviceFaultDebugInfoKHR",
    "VkDeviceFaultShaderAbortMessageInfoKHR",
    "VkPhysicalDeviceShaderAbortPropertiesKHR",
];

/// `VK_KHR_device_fault` as Rust types.
pub(crate) fn device_fault(registry: &Registry, _ash: &AshSource) -> TaskResult<String> {
    let mut out = String::from(
        "//! `VK_KHR_device_fault` (and the message structure of `VK_KHR_shader_abort`).\n\
         #![allow(dead_code, reason = \"not everything of the registry is used\")]\n\n\
         use ash::vk;\nuse std::ffi::{c_char, c_void};\n\n\
         /// `VK_ERROR_NOT_ENOUGH_SPACE_KHR`.\n",
    );
    writeln!(
        out,
        "pub(crate) const ERROR_NOT_ENOUGH_SPACE_KHR: vk::Result = vk::Result::from_raw({});\n",
        registry.value("VK_ERROR_NOT_ENOUGH_SPACE_KHR")?
    )?;
    for name in STRUCTS {
        structure(&mut out, registry, name)?;
    }
    out.push_str(
        "/// `vkGetDeviceFaultReportsKHR`.\n#[allow(non_camel_case_types, reason = \"the name is that of C\")]\n\
         pub(crate) type PFN_vkGetDeviceFaultReportsKHR = unsafe extern \"system\" fn(\n\
         device: vk::Device, timeout: u64, fault_counts: *mut u32, fault_info: *mut DeviceFaultInfoKHR) -> vk::Result;\n\n\
         /// `vkGetDeviceFaultDebugInfoKHR`.\n#[allow(non_camel_case_types, reason = \"the name is that of C\")]\n\
         pub(crate) type PFN_vkGetDeviceFaultDebugInfoKHR = unsafe extern \"system\" fn(\n\
         device: vk::Device, debug_info: *mut DeviceFaultDebugInfoKHR) -> vk::Result;\n",
    );
    Ok(out)
}

/// Types of `VK_EXT_descriptor_heap`, those that others are made of first.
const HEAP_STRUCTS: [&str; 21] = [
    "VkPhysicalDeviceDescriptorHeapFeaturesEXT",
    "VkPhysicalDeviceDescriptorHeapPropertiesEXT",
    "VkHostAddressRangeEXT",
    "VkHostAddressRangeConstEXT",
    "VkDeviceAddressRangeKHR",
    "VkTexelBufferDescriptorInfoEXT",
    "VkImageDescriptorInfoEXT",
    "VkResourceDescriptorDataEXT",
    "VkResourceDescriptorInfoEXT",
    "VkBindHeapInfoEXT",
    "VkPushDataInfoEXT",
    "VkDescriptorMappingSourceConstantOffsetEXT",
    "VkDescriptorMappingSourcePushIndexEXT",
    "VkDescriptorMappingSourceIndirectIndexEXT",
    "VkDescriptorMappingSourceIndirectIndexArrayEXT",
    "VkDescriptorMappingSourceHeapDataEXT",
    "VkDescriptorMappingSourceIndirectAddressEXT",
    "VkDescriptorSetAndBindingMappingEXT",
    "VkShaderDescriptorSetAndBindingMappingInfoEXT",
    "VkOpaqueCaptureDataCreateInfoEXT",
    "VkSamplerCustomBorderColorIndexCreateInfoEXT",
];

/// The types of the commands of `VK_EXT_descriptor_heap`: parameters and result.
const HEAP_COMMANDS: [(&str, &str); 9] = [
    (
        "vkWriteSamplerDescriptorsEXT",
        "device: vk::Device, count: u32, samplers: *const vk::SamplerCreateInfo<'_>, descriptors: *const HostAddressRangeEXT) -> vk::Result",
    ),
    (
        "vkWriteResourceDescriptorsEXT",
        "device: vk::Device, count: u32, resources: *const ResourceDescriptorInfoEXT, descriptors: *const HostAddressRangeEXT) -> vk::Result",
    ),
    (
        "vkCmdBindSamplerHeapEXT",
        "buffer: vk::CommandBuffer, info: *const BindHeapInfoEXT)",
    ),
    (
        "vkCmdBindResourceHeapEXT",
        "buffer: vk::CommandBuffer, info: *const BindHeapInfoEXT)",
    ),
    (
        "vkCmdPushDataEXT",
        "buffer: vk::CommandBuffer, info: *const PushDataInfoEXT)",
    ),
    (
        "vkGetImageOpaqueCaptureDataEXT",
        "device: vk::Device, count: u32, images: *const vk::Image, datas: *mut HostAddressRangeEXT) -> vk::Result",
    ),
    (
        "vkGetPhysicalDeviceDescriptorSizeEXT",
        "device: vk::PhysicalDevice, ty: vk::DescriptorType) -> vk::DeviceSize",
    ),
    (
        "vkRegisterCustomBorderColorEXT",
        "device: vk::Device, color: *const vk::SamplerCustomBorderColorCreateInfoEXT<'_>, request: vk::Bool32, index: *mut u32) -> vk::Result",
    ),
    (
        "vkUnregisterCustomBorderColorEXT",
        "device: vk::Device, index: u32)",
    ),
];

/// `VK_EXT_descriptor_heap` as Rust types.
pub(crate) fn descriptor_heap(registry: &Registry, _ash: &AshSource) -> TaskResult<String> {
    let mut out = String::from(
        "//! `VK_EXT_descriptor_heap`.\n\
         #![allow(dead_code, reason = \"not everything of the registry is used\")]\n\n\
         use ash::vk;\nuse std::ffi::c_void;\n\n",
    );
    for name in HEAP_STRUCTS {
        // The source data is a union of what comes before and of plain offsets.
        if name == "VkDescriptorSetAndBindingMappingEXT" {
            structure(&mut out, registry, "VkDescriptorMappingSourceDataEXT")?;
        }
        structure(&mut out, registry, name)?;
    }
    structure(
        &mut out,
        registry,
        "VkCommandBufferInheritanceDescriptorHeapInfoEXT",
    )?;
    for (name, rest) in HEAP_COMMANDS {
        writeln!(
            out,
            "/// `{name}`.\n#[allow(non_camel_case_types, reason = \"the name is that of C\")]\n\
             pub(crate) type PFN_{name} = unsafe extern \"system\" fn({rest};\n"
        )?;
    }
    Ok(out)
}

fn structure(out: &mut String, registry: &Registry, name: &str) -> TaskResult {
    let structure = registry.structs.get(name).ok_or_else(|| format!("no {name}"))?;
    let rust = name.trim_start_matches("Vk");
    let kind = if ["VkResourceDescriptorDataEXT", "VkDescriptorMappingSourceDataEXT"].contains(&name) {
        "union"
    } else {
        "struct"
    };
    writeln!(
        out,
        "/// `{name}`.\n#[repr(C)]\n#[derive(Clone, Copy)]\npub(crate) {kind} {rust} {{"
    )?;
    for member in &structure.members {
        // Sources of stages that are not offered have no types; the union is as large without them.
        if member.ty == "VkDescriptorMappingSourceShaderRecordIndexEXT" {
            continue;
        }
        writeln!(
            out,
            "/// `{}`.\npub(crate) {}: {},",
            member.name,
            snake(&member.name),
            rust_type(member)?
        )?;
    }
    out.push_str("}\n\n");
    if let Some(s_type) = structure.s_type.as_deref() {
        let s_type = registry.value(s_type)?;
        writeln!(
            out,
            "// SAFETY: the structure begins with sType and pNext, as the registry lays it out.\n\
             unsafe impl vk::TaggedStructure for {rust} {{\n\
             const STRUCTURE_TYPE: vk::StructureType = vk::StructureType::from_raw({s_type});\n}}\n"
        )?;
    }
    Ok(())
}

fn rust_type(member: &Member) -> TaskResult<String> {
    let base = match member.ty.as_str() {
        "VkStructureType" => "vk::StructureType",
        "VkBool32" => "vk::Bool32",
        "uint32_t" | "VkDeviceFaultFlagsKHR" | "VkSpirvResourceTypeFlagsEXT" => "u32",
        "uint64_t" | "VkDeviceSize" | "VkDeviceAddress" => "u64",
        "size_t" => "usize",
        "VkDescriptorMappingSourceEXT" => "i32",
        "VkDescriptorType" => "vk::DescriptorType",
        "VkFormat" => "vk::Format",
        "VkImageLayout" => "vk::ImageLayout",
        "VkImageViewCreateInfo" => "vk::ImageViewCreateInfo<'static>",
        "VkSamplerCreateInfo" => "vk::SamplerCreateInfo<'static>",
        "VkTensorViewCreateInfoARM" => "c_void",
        "char" => "c_char",
        "void" => "c_void",
        "VkDeviceFaultAddressInfoKHR" => "vk::DeviceFaultAddressInfoEXT",
        "VkDeviceFaultVendorInfoKHR" => "vk::DeviceFaultVendorInfoEXT",
        "VkDeviceAddressRangeEXT" => "DeviceAddressRangeKHR",
        "VkDescriptorMappingSourceDataEXT" => "DescriptorMappingSourceDataEXT",
        other if HEAP_STRUCTS.contains(&other) => other.trim_start_matches("Vk"),
        other => return Err(format!("no Rust type for {other}").into()),
    };
    Ok(match (member.pointers, member.array.as_deref()) {
        (0, None) => base.into(),
        (0, Some("VK_MAX_DESCRIPTION_SIZE")) => format!("[{base}; vk::MAX_DESCRIPTION_SIZE]"),
        (1, None) => format!("*mut {base}"),
        _ => return Err(format!("no Rust type for {}", member.name).into()),
    })
}

fn snake(name: &str) -> String {
    if name == "type" {
        return "ty".to_owned();
    }
    let mut out = String::new();
    for char in name.chars() {
        if char.is_ascii_uppercase() {
            out.push('_');
        }
        out.push(char.to_ascii_lowercase());
    }
    out
}
