//! Tables: commands, extensions, feature structures, function pointer types.

use super::{TaskResult, ash_source::AshSource, registry::Registry};
use std::{collections::BTreeMap, fmt::Write};

/// The constant's name of an extension: `VK_KHR_swapchain` → `KHR_SWAPCHAIN`.
fn constant(extension: &str) -> String {
    extension.trim_start_matches("VK_").to_uppercase()
}

fn ids(extensions: &[String]) -> String {
    let names: Vec<_> = extensions
        .iter()
        .map(|name| format!("id::{}", constant(name)))
        .collect();
    format!("&[{}]", names.join(", "))
}

/// Every command: its level, what brings it, and its legal results.
pub(crate) fn commands(registry: &Registry, _ash: &AshSource) -> TaskResult<String> {
    let mut out = String::from(
        "//! Every command of Vulkan, sorted by name.\n\nuse super::extensions::id;\nuse crate::physical::registry::{Command, Level};\n\n\
         /// The table.\n#[rustfmt::skip]\npub static COMMANDS: &[Command] = &[\n",
    );
    for (name, command) in &registry.commands {
        if command.core.is_none() && command.extensions.is_empty() {
            continue;
        }
        let level = match command.dispatch.as_str() {
            "VkInstance" => "Instance",
            "VkPhysicalDevice" => "PhysicalDevice",
            "VkDevice" | "VkQueue" | "VkCommandBuffer" | "VkExternalComputeQueueNV" => "Device",
            _ => "Global",
        };
        let level = if name == "vkGetInstanceProcAddr" {
            "Global"
        } else {
            level
        };
        let core = command
            .core
            .map_or("None".into(), |minor| format!("Some({minor})"));
        writeln!(
            out,
            "Command {{ name: \"{name}\", level: Level::{level}, core: {core}, extensions: {}, successes: &{:?}, errors: &{:?} }},",
            ids(&command.extensions),
            values(registry, &command.successes)?,
            values(registry, &command.errors)?,
        )?;
    }
    out.push_str("];\n");
    Ok(out)
}

fn values(registry: &Registry, names: &[String]) -> TaskResult<Vec<i64>> {
    names.iter().map(|name| registry.value(name)).collect()
}

/// Every extension, and a constant for each.
pub(crate) fn extensions(registry: &Registry, _ash: &AshSource) -> TaskResult<String> {
    let mut table = String::new();
    let mut constants = String::new();
    let sorted: BTreeMap<&str, _> = registry
        .extensions
        .iter()
        .map(|extension| (extension.name.as_str(), extension))
        .collect();
    for (index, (name, extension)) in sorted.iter().enumerate() {
        let promoted = extension
            .promoted
            .map_or("None".into(), |minor| format!("Some({minor})"));
        writeln!(
            table,
            "Extension {{ name: c\"{name}\", instance: {}, revision: {}, depends: \"{}\", promoted: {promoted} }},",
            extension.instance, extension.revision, extension.depends
        )?;
        writeln!(
            constants,
            "/// `{name}`.\npub const {}: ExtensionId = ExtensionId({index});",
            constant(name)
        )?;
    }
    Ok(format!(
        "//! Every extension of Vulkan, sorted by name.\n\nuse crate::physical::registry::Extension;\n\n\
         /// The table; an `ExtensionId` is an index of it.\n#[rustfmt::skip]\npub static EXTENSIONS: &[Extension] = &[\n{table}];\n\n\
         /// A constant for each extension.\npub mod id {{\nuse crate::physical::registry::ExtensionId;\n{constants}}}\n"
    ))
}

/// The structures that extend `VkPhysicalDeviceFeatures2`, and the members of `VkPhysicalDeviceFeatures`.
pub(crate) fn features(registry: &Registry, _ash: &AshSource) -> TaskResult<String> {
    let mut bringers: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for extension in &registry.extensions {
        for name in &extension.structs {
            let list = bringers.entry(registry.resolve(name)).or_default();
            if !list.contains(&extension.name) {
                list.push(extension.name.clone());
            }
        }
    }
    let mut rows = BTreeMap::new();
    for (name, structure) in &registry.structs {
        if !structure
            .extends
            .iter()
            .any(|parent| parent == "VkPhysicalDeviceFeatures2")
        {
            continue;
        }
        let core = registry.struct_versions.get(name).copied();
        let extensions = bringers.get(name.as_str()).cloned().unwrap_or_default();
        let Some(s_type) = &structure.s_type else { continue };
        if core.is_none() && extensions.is_empty() {
            continue;
        }
        let mut members = Vec::new();
        for member in structure.members.iter().skip(2) {
            if member.ty != "VkBool32" {
                return Err(format!("{name}.{} is not a VkBool32", member.name).into());
            }
            members.push(member.name.as_str());
        }
        let core = core.map_or("None".into(), |minor| format!("Some({minor})"));
        let s_type = registry.value(s_type)?;
        let row = format!(
            "FeatureStruct {{ name: \"{name}\", s_type: {s_type}, core: {core}, extensions: {}, members: &{members:?} }},\n",
            ids(&extensions)
        );
        rows.insert(s_type, row);
    }
    let basic = registry
        .structs
        .get("VkPhysicalDeviceFeatures")
        .ok_or("no VkPhysicalDeviceFeatures")?;
    let basic: Vec<_> = basic.members.iter().map(|member| member.name.as_str()).collect();
    Ok(format!(
        "//! Feature structures, sorted by structure type. After sType and pNext each is an array of VkBool32.\n\n\
         use super::extensions::id;\nuse crate::physical::registry::FeatureStruct;\n\n\
         /// The members of `VkPhysicalDeviceFeatures`, in order.\n#[rustfmt::skip]\npub static BASIC: [&str; {}] = {basic:?};\n\n\
         /// The structures of a `VkPhysicalDeviceFeatures2` chain.\n#[rustfmt::skip]\npub static FEATURE_STRUCTS: &[FeatureStruct] = &[\n{}];\n",
        basic.len(),
        rows.values().map(String::as_str).collect::<String>()
    ))
}

/// Function pointer types under the names of their commands, so that entry points can be checked against them.
pub(crate) fn pfn(registry: &Registry, ash: &AshSource) -> TaskResult<String> {
    let mut out = String::from(
        "//! The C type of each command, under the command's name.\n#![allow(non_camel_case_types, reason = \"the names are those of C\")]\n\
         #![allow(dead_code, reason = \"not all commands are implemented\")]\n\nuse ash::vk;\n\n",
    );
    for name in registry.commands.keys() {
        if ash.commands.contains(name) {
            writeln!(out, "pub(crate) type {name} = vk::PFN_{name};")?;
        }
    }
    for (module, commands) in super::emit_structs::COMMANDS {
        for name in commands {
            writeln!(out, "pub(crate) type {name} = super::{module}::PFN_{name};")?;
        }
    }
    for name in super::emit_newer::COMMANDS {
        writeln!(out, "pub(crate) type {name} = super::newer::PFN_{name};")?;
    }
    Ok(out)
}
