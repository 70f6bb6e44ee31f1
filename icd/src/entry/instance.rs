//! Instances.

use crate::{
    args::{Arg, Array, Out, OutArray, text},
    boundary::commands,
    dispatch::{Owned, Ref, Retired},
    error::{Answer, Error},
    hook,
    host::{Callbacks, HostBlock},
    instance::{Application, Instance, InstanceState, PhysicalDevice},
    messenger::Messengers,
    proc_addr,
    table::Table,
};
use ash::vk;
use lahar::physical::{
    API_MINOR, API_VERSION, extensions,
    registry::{ExtensionId, ExtensionSet},
};
use lahar::{
    config::{Config, Trace},
    device::planned,
    fault::plan::watch,
};
use std::ffi::{CStr, c_char};

commands! {
    fn vkGetInstanceProcAddr(instance: vk::Instance, name: *const c_char) -> vk::PFN_vkVoidFunction {
        // SAFETY: both are valid, as Vulkan asks of the application.
        Ok(unsafe { proc_addr::instance_proc_addr(instance, name) })
    }

    fn vkEnumerateInstanceVersion(version: Out<u32>) -> vk::Result {
        version.write(API_VERSION);
        Ok(())
    }

    fn vkEnumerateInstanceLayerProperties(
        count: &mut u32,
        properties: OutArray<vk::LayerProperties>,
    ) -> vk::Result {
        Ok(properties.enumerate(count, [].into_iter()))
    }

    fn vkEnumerateInstanceExtensionProperties(
        layer: *const c_char,
        count: &mut u32,
        properties: OutArray<vk::ExtensionProperties>,
    ) -> vk::Result {
        if !layer.is_null() {
            return Err(Error(vk::Result::ERROR_LAYER_NOT_PRESENT));
        }
        Ok(properties.enumerate(count, extensions::INSTANCE.iter().map(|id| extension_properties(*id))))
    }

    fn vkCreateInstance(
        info: &vk::InstanceCreateInfo<'_>,
        allocator: Option<&vk::AllocationCallbacks<'_>>,
        instance: Out<vk::Instance>,
    ) -> vk::Result {
        if info.enabled_layer_count != 0 {
            return Err(Error(vk::Result::ERROR_LAYER_NOT_PRESENT));
        }
        // SAFETY: the structure's pointers are valid, as Vulkan asks of the application.
        let (application, names) = unsafe {
            let names = Array::from_c(info.pp_enabled_extension_names)?.get(info.enabled_extension_count);
            (info.p_application_info.as_ref(), names)
        };
        let api_minor = match application.map_or(0, |application| application.api_version) {
            0 => 0,
            version if vk::api_version_major(version) > 1 => API_MINOR,
            version => vk::api_version_minor(version).min(API_MINOR),
        };
        let extensions = enabled_extensions(names, extensions::INSTANCE)?;
        let host = HostBlock::take(allocator, None, size_of::<Instance>(), vk::SystemAllocationScope::INSTANCE)?;
        let state = InstanceState {
            callbacks: Callbacks::of(allocator),
            api_minor,
            extensions,
            config: read_config()?,
            application: application.map(describe).unwrap_or_default(),
            messengers: Messengers::default(),
            messenger_handles: Table::default(),
            surfaces: Table::default(),
            retired: Retired::default(),
        };
        hook::creating(&state)?;
        // A messenger in the chain hears of the creation and destruction of the instance; Lahar has nothing to say of them.
        crate::journal::instance(false);
        instance.write(Owned::new(Instance::new(state, host)).into_handle());
        Ok(())
    }

    fn vkDestroyInstance(instance: Option<Owned<Instance>>, allocator: Option<&vk::AllocationCallbacks<'_>>) {
        if let Some(mut instance) = instance {
            let host = instance.host.take();
            drop(instance);
            host.into_iter().for_each(|host| host.give(allocator));
        }
        crate::journal::instance(true);
        Ok(())
    }

    fn vkEnumeratePhysicalDevices(
        instance: Ref<Instance>,
        count: &mut u32,
        devices: OutArray<vk::PhysicalDevice>,
    ) -> vk::Result {
        Ok(devices.enumerate(count, [instance.physical.handle()].into_iter()))
    }

    fn vkEnumeratePhysicalDeviceGroups(
        instance: Ref<Instance>,
        count: &mut u32,
        groups: OutArray<vk::PhysicalDeviceGroupProperties<'_>>,
    ) -> vk::Result {
        Ok(groups.enumerate_in_place(count, [instance.physical.handle()].into_iter(), |group, device| {
            group.physical_device_count = 1;
            group.physical_devices = [vk::PhysicalDevice::null(); vk::MAX_DEVICE_GROUP_SIZE];
            group.physical_devices[0] = device;
            group.subset_allocation = vk::FALSE;
        }))
    }

    fn vkEnumerateDeviceExtensionProperties(
        physical: Ref<PhysicalDevice>,
        layer: *const c_char,
        count: &mut u32,
        properties: OutArray<vk::ExtensionProperties>,
    ) -> vk::Result {
        if !layer.is_null() {
            return Err(Error(vk::Result::ERROR_LAYER_NOT_PRESENT));
        }
        let offered = device_extensions(&physical);
        Ok(properties.enumerate(count, offered.iter().map(|id| extension_properties(*id))))
    }

    fn vkEnumerateDeviceLayerProperties(
        _physical: Ref<PhysicalDevice>,
        count: &mut u32,
        properties: OutArray<vk::LayerProperties>,
    ) -> vk::Result {
        Ok(properties.enumerate(count, [].into_iter()))
    }
}

/// Aliases of extensions.
pub(crate) const ALIASES: &[(&str, &str)] = &[(
    "vkEnumeratePhysicalDeviceGroupsKHR",
    "vkEnumeratePhysicalDeviceGroups",
)];

/// The configuration; where it cannot be used the reason goes to standard error, since no messenger exists yet.
fn read_config() -> Answer<Config> {
    let config = Config::from_environment().map_err(|error| {
        eprintln!("lahar: {error}");
        Error(vk::Result::ERROR_INITIALIZATION_FAILED)
    })?;
    for warning in &config.warnings {
        eprintln!("lahar: {warning}");
    }
    if config.plan.is_some() || config.trace != Trace::default() {
        planned::activate();
    }
    if config.trace != Trace::default() {
        if config.trace.commands {
            // Commands are looked at where they are scheduled.
            watch::watch();
        }
        crate::trace::start(config.trace);
    }
    crate::journal::start(config.report.as_ref());
    Ok(config)
}

/// The extensions of devices that the plan does not hide.
pub(super) fn device_extensions(physical: &PhysicalDevice) -> Vec<ExtensionId> {
    let hidden = physical.hidden();
    let all = extensions::DEVICE.iter().copied();
    all.filter(|id| !hidden.has_extension(id.info().name)).collect()
}

fn describe(info: &vk::ApplicationInfo<'_>) -> Application {
    // SAFETY: names are C strings or null, as Vulkan asks of the application.
    let name = |name| unsafe { text(name) }.map_or(String::new(), |name| name.to_string_lossy().into_owned());
    Application {
        name: name(info.p_application_name),
        version: info.application_version,
        engine_name: name(info.p_engine_name),
        engine_version: info.engine_version,
        api_version: info.api_version,
    }
}

/// The set of the named extensions, if all are offered.
pub(super) fn enabled_extensions(names: &[*const c_char], offered: &[ExtensionId]) -> Answer<ExtensionSet> {
    let missing = Error(vk::Result::ERROR_EXTENSION_NOT_PRESENT);
    names
        .iter()
        .map(|name| {
            // SAFETY: names are C strings, as Vulkan asks of the application.
            let name: &CStr = unsafe { text(*name) }.ok_or(missing)?;
            ExtensionId::find(name)
                .filter(|id| offered.contains(id))
                .ok_or(missing)
        })
        .collect()
}

fn extension_properties(id: ExtensionId) -> vk::ExtensionProperties {
    let info = id.info();
    let mut properties = vk::ExtensionProperties {
        spec_version: info.revision,
        ..Default::default()
    };
    copy_text(&mut properties.extension_name, info.name);
    properties
}

/// Copies a string into an array of a structure, cut to fit.
pub(super) fn copy_text(array: &mut [c_char], text: &CStr) {
    array.fill(0);
    let room = array.len().saturating_sub(1);
    for (slot, byte) in array[..room].iter_mut().zip(text.to_bytes()) {
        *slot = byte.cast_signed();
    }
}
