//! Plain structures of newer versions and extensions, which the version of ash in use lacks.

use super::{
    TaskResult,
    ash_source::AshSource,
    registry::{Member, Registry},
};
use std::fmt::Write;

const STRUCTS: [&str; 9] = [
    "VkPhysicalDeviceLayeredApiPropertiesListKHR",
    "VkPhysicalDeviceMaintenance7PropertiesKHR",
    "VkPhysicalDeviceMaintenance9PropertiesKHR",
    "VkPhysicalDeviceVulkan14Properties",
    "VkPresentId2KHR",
    "VkPresentWait2InfoKHR",
    "VkQueueFamilyOwnershipTransferPropertiesKHR",
    "VkSurfaceCapabilitiesPresentId2KHR",
    "VkSurfaceCapabilitiesPresentWait2KHR",
];

/// The commands whose types are made here.
pub(crate) const COMMANDS: [&str; 1] = ["vkWaitForPresent2KHR"];

/// The structures as Rust types.
pub(crate) fn structs(registry: &Registry, _ash: &AshSource) -> TaskResult<String> {
    let mut out = String::from(
        "//! Plain structures that the version of ash in use lacks.\n\
         #![allow(dead_code, reason = \"not everything of the registry is used\")]\n\n\
         use ash::vk;\nuse std::ffi::c_void;\n\n",
    );
    for name in STRUCTS {
        let structure = registry.structs.get(name).ok_or_else(|| format!("no {name}"))?;
        let s_type = registry.value(structure.s_type.as_deref().ok_or("no sType")?)?;
        let rust = name.trim_start_matches("Vk");
        writeln!(
            out,
            "/// `{name}`.\n#[repr(C)]\n#[derive(Clone, Copy)]\npub(crate) struct {rust} {{"
        )?;
        for member in &structure.members {
            let name = snake(&member.name);
            writeln!(out, "/// `{}`.\npub(crate) {name}: {},", member.name, ty(member)?)?;
        }
        writeln!(
            out,
            "}}\n\n// SAFETY: the structure begins with sType and pNext, as the registry lays it out.\n\
             unsafe impl vk::TaggedStructure for {rust} {{\n\
             const STRUCTURE_TYPE: vk::StructureType = vk::StructureType::from_raw({s_type});\n}}\n"
        )?;
    }
    out.push_str(
        "/// `vkWaitForPresent2KHR`.\n#[allow(non_camel_case_types, reason = \"the name is that of C\")]\n\
         pub(crate) type PFN_vkWaitForPresent2KHR = unsafe extern \"system\" fn(\n\
         device: vk::Device, swapchain: vk::SwapchainKHR, info: *const PresentWait2InfoKHR) -> vk::Result;\n",
    );
    Ok(out)
}

fn ty(member: &Member) -> TaskResult<String> {
    let base = match member.ty.as_str() {
        "VkStructureType" => "vk::StructureType",
        "VkBool32" => "vk::Bool32",
        "uint32_t" | "VkDefaultVertexAttributeValueKHR" => "u32",
        "uint64_t" => "u64",
        "uint8_t" => "u8",
        "size_t" => "usize",
        "VkExtent2D" => "vk::Extent2D",
        "VkImageLayout" => "vk::ImageLayout",
        "VkSampleCountFlags" => "vk::SampleCountFlags",
        "VkPipelineRobustnessBufferBehavior" => "vk::PipelineRobustnessBufferBehaviorEXT",
        "VkPipelineRobustnessImageBehavior" => "vk::PipelineRobustnessImageBehaviorEXT",
        "void" | "VkPhysicalDeviceLayeredApiPropertiesKHR" => "c_void",
        other => return Err(format!("no Rust type for {other}").into()),
    };
    Ok(match (member.pointers, member.array.as_deref()) {
        (0, None) => base.into(),
        (0, Some("VK_UUID_SIZE")) => format!("[{base}; vk::UUID_SIZE]"),
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
