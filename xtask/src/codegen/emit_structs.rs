//! Structures and commands of `VK_KHR_device_fault`, which the version of ash in use lacks.

use super::{
    TaskResult,
    ash_source::AshSource,
    registry::{Member, Registry},
};
use std::fmt::Write;

/// The commands whose types are made here.
pub(crate) const COMMANDS: [&str; 2] = ["vkGetDeviceFaultDebugInfoKHR", "vkGetDeviceFaultReportsKHR"];

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

fn structure(out: &mut String, registry: &Registry, name: &str) -> TaskResult {
    let structure = registry.structs.get(name).ok_or_else(|| format!("no {name}"))?;
    let s_type = registry.value(structure.s_type.as_deref().ok_or("no sType")?)?;
    let rust = name.trim_start_matches("Vk");
    writeln!(
        out,
        "/// `{name}`.\n#[repr(C)]\n#[derive(Clone, Copy)]\npub(crate) struct {rust} {{"
    )?;
    for member in &structure.members {
        writeln!(
            out,
            "/// `{}`.\npub(crate) {}: {},",
            member.name,
            snake(&member.name),
            rust_type(member)?
        )?;
    }
    writeln!(
        out,
        "}}\n\n// SAFETY: the structure begins with sType and pNext, as the registry lays it out.\n\
         unsafe impl vk::TaggedStructure for {rust} {{\n\
         const STRUCTURE_TYPE: vk::StructureType = vk::StructureType::from_raw({s_type});\n}}\n"
    )?;
    Ok(())
}

fn rust_type(member: &Member) -> TaskResult<String> {
    let base = match member.ty.as_str() {
        "VkStructureType" => "vk::StructureType",
        "VkBool32" => "vk::Bool32",
        "uint32_t" | "VkDeviceFaultFlagsKHR" => "u32",
        "uint64_t" => "u64",
        "char" => "c_char",
        "void" => "c_void",
        "VkDeviceFaultAddressInfoKHR" => "vk::DeviceFaultAddressInfoEXT",
        "VkDeviceFaultVendorInfoKHR" => "vk::DeviceFaultVendorInfoEXT",
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
    let mut out = String::new();
    for char in name.chars() {
        if char.is_ascii_uppercase() {
            out.push('_');
        }
        out.push(char.to_ascii_lowercase());
    }
    out
}
