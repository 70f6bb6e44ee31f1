//! From names to entry points: the three exported symbols, and which names apply.

use crate::{boundary::Function, device::Device, dispatch::Ref, entry, instance::Instance};
use ash::vk;
use lahar::{
    generated::{commands::COMMANDS, extensions::id},
    physical::{
        API_MINOR, extensions,
        registry::{self, Command, ExtensionSet, Level},
    },
};
use std::{
    ffi::{CStr, c_char},
    sync::LazyLock,
};

/// The newest loader interface that Lahar speaks.
const LOADER_INTERFACE: u32 = 7;

/// Entry points by the index of the command in the registry's table.
static FUNCTIONS: LazyLock<Vec<Option<Function>>> = LazyLock::new(|| {
    let mut functions = vec![None; COMMANDS.len()];
    for (name, function) in entry::ALL.iter().flat_map(|list| list.iter()) {
        if let Some(index) = registry::command_index(name) {
            functions[index] = Some(*function);
        }
    }
    for (alias, name) in entry::ALIASES.iter().flat_map(|list| list.iter()) {
        if let (Some(alias), Some(index)) = (registry::command_index(alias), registry::command_index(name)) {
            functions[alias] = functions[index];
        }
    }
    functions
});

/// Who asks for a command.
#[derive(Clone, Copy)]
pub(crate) enum Asker<'a> {
    /// No instance.
    Nobody,
    /// An instance.
    Instance(&'a Instance),
    /// A device.
    Device(&'a Device),
}

/// The entry point of a name, if it applies to who asks: core names within the application's version of Vulkan,
/// others when their extension is enabled.
pub(crate) fn find(name: &CStr, asker: Asker<'_>) -> Option<Function> {
    let Some(index) = registry::command_index(name.to_str().ok()?) else {
        return matches!(asker, Asker::Device(_)).then(|| entry::control::find(name))?;
    };
    let function = (*FUNCTIONS.get(index)?)?;
    applies(&COMMANDS[index], asker).then_some(function)
}

fn applies(command: &Command, asker: Asker<'_>) -> bool {
    let within = |minor: u32| command.core.is_some_and(|core| core <= minor.min(API_MINOR));
    match (asker, command.level) {
        (Asker::Nobody, level) => level == Level::Global,
        (Asker::Instance(_), Level::Global) => command.name == "vkGetInstanceProcAddr",
        // A device may be made with any extension that is offered, and with a newer version than the instance asked for.
        (Asker::Instance(instance), Level::Device) => {
            within(API_MINOR) || enabled(command, &instance.extensions) || offered(command)
        }
        (Asker::Instance(instance), _) => {
            within(instance.api_minor)
                || enabled(command, &instance.extensions)
                || (command.level == Level::PhysicalDevice && offered(command))
        }
        (Asker::Device(device), Level::Device) => {
            within(device.api_minor)
                || enabled(command, &device.extensions)
                || enabled(command, &device.instance_extensions)
                || by_feature(command, device)
        }
        (Asker::Device(_), _) => false,
    }
}

fn enabled(command: &Command, extensions: &ExtensionSet) -> bool {
    extensions.contains_any(command.extensions)
}

/// Whether the feature that a command needs is enabled, though its extension is not: the conformance test of
/// `VK_EXT_device_fault` makes its device so, and calls what it gets without a look.
fn by_feature(command: &Command, device: &Device) -> bool {
    command.extensions.contains(&id::EXT_DEVICE_FAULT) && device.features.has("deviceFault")
}

/// Whether a device extension that Lahar offers brings the command.
fn offered(command: &Command) -> bool {
    command
        .extensions
        .iter()
        .any(|id| extensions::DEVICE.contains(id))
}

/// As `vkGetInstanceProcAddr`, for a raw handle.
///
/// # Safety
/// The instance is null or live; the name is a C string or null.
pub(crate) unsafe fn instance_proc_addr(
    instance: vk::Instance,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    // SAFETY: the caller vouches for both.
    let (name, instance) = unsafe { (crate::args::text(name)?, Ref::<Instance>::from_handle(instance)) };
    match &instance {
        Some(instance) => find(name, Asker::Instance(instance)),
        None => find(name, Asker::Nobody).or_else(|| loader_function(name)),
    }
}

/// The loader may ask for its own functions by name (interface 7).
fn loader_function(name: &CStr) -> Option<Function> {
    match name.to_bytes() {
        // SAFETY: callers cast the pointers back to the types that the loader's interface gives them.
        b"vk_icdNegotiateLoaderICDInterfaceVersion" => Some(unsafe {
            std::mem::transmute::<unsafe extern "system" fn(*mut u32) -> vk::Result, Function>(
                vk_icdNegotiateLoaderICDInterfaceVersion,
            )
        }),
        // SAFETY: as above.
        b"vk_icdGetPhysicalDeviceProcAddr" => Some(unsafe {
            std::mem::transmute::<vk::PFN_vkGetInstanceProcAddr, Function>(vk_icdGetPhysicalDeviceProcAddr)
        }),
        _ => None,
    }
}

/// The loader and the driver agree on the interface between them.
///
/// # Safety
/// The version is null or valid.
#[unsafe(no_mangle)]
#[allow(non_snake_case, reason = "the loader's name")]
pub(crate) unsafe extern "system" fn vk_icdNegotiateLoaderICDInterfaceVersion(
    version: *mut u32,
) -> vk::Result {
    // SAFETY: the loader passes a valid pointer.
    let Some(version) = (unsafe { version.as_mut() }) else {
        return vk::Result::ERROR_INITIALIZATION_FAILED;
    };
    *version = LOADER_INTERFACE.min(*version);
    vk::Result::SUCCESS
}

/// The entry points, for the loader.
///
/// # Safety
/// The instance is null or live; the name is a C string or null.
#[unsafe(no_mangle)]
#[allow(non_snake_case, reason = "the loader's name")]
pub(crate) unsafe extern "system" fn vk_icdGetInstanceProcAddr(
    instance: vk::Instance,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    // SAFETY: the loader passes both as Vulkan asks.
    unsafe { instance_proc_addr(instance, name) }
}

/// The entry points of physical devices, for the loader.
///
/// # Safety
/// The instance is null or live; the name is a C string or null.
#[unsafe(no_mangle)]
#[allow(non_snake_case, reason = "the loader's name")]
pub(crate) unsafe extern "system" fn vk_icdGetPhysicalDeviceProcAddr(
    instance: vk::Instance,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    // SAFETY: the loader passes both as Vulkan asks.
    let name = unsafe { crate::args::text(name)? };
    let command = registry::command(name.to_str().ok()?)?;
    if command.level != Level::PhysicalDevice {
        return None;
    }
    // SAFETY: as above.
    unsafe { instance_proc_addr(instance, name.as_ptr()) }
}
