//! How the library meets the loader: exports, negotiation, and which names have entry points.

mod common;

use ash::vk;
use common::{Device, Instance, entry};
use std::{ffi::CStr, process::Command};

#[test]
fn exports_are_those_of_the_loader_interface() {
    let output = Command::new("nm")
        .args(["-D", "--defined-only"])
        .arg(common::library())
        .output();
    let text = String::from_utf8(output.expect("nm is installed").stdout).expect("text");
    let mut names: Vec<_> = text
        .lines()
        .filter_map(|line| line.split_whitespace().last())
        .collect();
    names.sort_unstable();
    assert_eq!(
        names,
        [
            "vk_icdGetInstanceProcAddr",
            "vk_icdGetPhysicalDeviceProcAddr",
            "vk_icdNegotiateLoaderICDInterfaceVersion"
        ]
    );
}

#[test]
fn the_loader_finds_the_device() {
    let instance = Instance::new();
    assert_ne!(instance.physical, vk::PhysicalDevice::null());
}

fn device_function(device: &Device, name: &CStr) -> bool {
    let get = device.instance.raw.fp_v1_0().get_device_proc_addr;
    // SAFETY: the device is alive and the name a C string.
    unsafe { get(device.raw.handle(), name.as_ptr()) }.is_some()
}

#[test]
fn device_functions_are_those_of_the_version_and_extensions_in_use() {
    let device = Device::new();
    assert!(device_function(&device, c"vkGetDeviceQueue"));
    assert!(device_function(&device, c"vkGetDeviceQueue2"));
    assert!(device_function(&device, c"vkQueueSubmit2"));
    assert!(
        !device_function(&device, c"vkMapMemory2"),
        "it is of a later version"
    );
    assert!(
        !device_function(&device, c"vkCreateSwapchainKHR"),
        "its extension is not enabled"
    );
    assert!(
        !device_function(&device, c"vkQueueSubmit2KHR"),
        "nor is this one's, and the name without KHR is there"
    );
    assert!(
        !device_function(&device, c"vkCreateInstance"),
        "it is not of the device"
    );
    assert!(!device_function(&device, c"vkNoSuchCommand"));
}

#[test]
fn unloading_and_loading_again_works() {
    for _ in 0..3 {
        drop(Device::new());
    }
    let entry = entry();
    // SAFETY: no arguments that could be wrong.
    let version = unsafe { entry.try_enumerate_instance_version() }.expect("a version");
    assert!(version.is_some_and(|version| version >= vk::API_VERSION_1_1));
}

/// The commands of every version up to the claimed one have entry points.
#[test]
fn all_commands_of_the_version_are_there() {
    use lahar::{
        generated::commands::COMMANDS,
        physical::{API_MINOR, registry::Level},
    };
    let version = vk::make_api_version(0, 1, API_MINOR, 0);
    let instance = Instance::of_version(version, &[]);
    let device = Device::create(instance, vk::DeviceCreateInfo::default());
    let get_instance = entry().static_fn().get_instance_proc_addr;
    let mut missing = Vec::new();
    for command in COMMANDS {
        if command.core.is_none_or(|core| core > API_MINOR) {
            continue;
        }
        let name = std::ffi::CString::new(command.name).expect("no zero in it");
        let found = match command.level {
            Level::Device => device_function(&device, &name),
            // SAFETY: the instance is alive and the name a C string.
            _ => unsafe { get_instance(device.instance.raw.handle(), name.as_ptr()) }.is_some(),
        };
        let global = command.level == Level::Global && command.name != "vkGetInstanceProcAddr";
        if !found && !global {
            missing.push(command.name);
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
}

/// An offered extension has all its commands.
#[test]
fn all_commands_of_the_extensions_are_there() {
    use lahar::{
        generated::commands::COMMANDS,
        physical::{extensions, registry::Level},
    };
    // Of newer ones the loader need not know.
    // SAFETY: the loader is loaded.
    let known = unsafe { entry().enumerate_instance_extension_properties(None) }.expect("a list");
    let is_known = |name: &&CStr| known.iter().any(|p| p.extension_name_as_c_str() == Ok(*name));
    let names = extensions::INSTANCE.iter().map(|id| id.info().name);
    let names: Vec<&CStr> = names.filter(is_known).collect();
    let instance = Instance::with_extensions(&names);
    let names: Vec<_> = extensions::DEVICE
        .iter()
        .map(|id| id.info().name.as_ptr())
        .collect();
    let device = Device::create(
        instance,
        vk::DeviceCreateInfo::default().enabled_extension_names(&names),
    );
    let get_instance = entry().static_fn().get_instance_proc_addr;
    let offered = |command: &lahar::physical::registry::Command| {
        command
            .extensions
            .iter()
            .any(|id| extensions::INSTANCE.contains(id) || extensions::DEVICE.contains(id))
    };
    // Brought by an extension together with one that is not offered.
    let exempt = [
        "vkCmdPushDescriptorSetWithTemplateKHR",
        "vkCmdSetDepthClampRangeEXT",
        "vkGetAccelerationStructureOpaqueCaptureDescriptorDataEXT",
        "vkGetDeviceGroupSurfacePresentModes2EXT",
        "vkGetTensorOpaqueCaptureDataARM",
    ];
    let mut missing = Vec::new();
    for command in COMMANDS
        .iter()
        .filter(|command| offered(command) && !exempt.contains(&command.name))
    {
        let name = std::ffi::CString::new(command.name).expect("no zero in it");
        let found = match command.level {
            Level::Device => device_function(&device, &name),
            // SAFETY: the instance is alive and the name a C string.
            _ => unsafe { get_instance(device.instance.raw.handle(), name.as_ptr()) }.is_some(),
        };
        if !found {
            missing.push(command.name);
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
}
