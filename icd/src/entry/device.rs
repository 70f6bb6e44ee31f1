//! Devices and their queues.

use super::external::Temporary;
use super::{physical_device::basic_values, private_data::PrivateData};
use crate::{
    args::{Name, Out, slice},
    boundary::commands,
    chain,
    device::{Device, DeviceState, Queue},
    dispatch::{Owned, Ref},
    error::{Answer, Error},
    host::{Callbacks, HostBlock},
    instance::{InstanceState, PhysicalDevice},
    proc_addr::{self, Asker},
    tables::Tables,
};
use ash::vk::{self, Handle};
use lahar::{
    device::{self, DeviceDesc, QueueDesc},
    fault::{FaultDesc, dump},
    memory::Memory,
    physical::{features::Enabled, properties, queues::QueueFamily, registry},
    shader::kernel::Backend,
};
use parking_lot::Mutex;
use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicU64, Ordering},
};

commands! {
    fn vkGetDeviceProcAddr(device: Ref<Device>, name: Name) -> vk::PFN_vkVoidFunction {
        Ok(proc_addr::find(name.0, Asker::Device(&device)))
    }

    fn vkCreateDevice(
        physical: Ref<PhysicalDevice>,
        info: &vk::DeviceCreateInfo<'_>,
        allocator: Option<&vk::AllocationCallbacks<'_>>,
        device: Out<vk::Device>,
    ) -> vk::Result {
        device.write(Owned::new(create(&physical, info, allocator)?).into_handle());
        Ok(())
    }

    fn vkDestroyDevice(device: Option<Owned<Device>>, allocator: Option<&vk::AllocationCallbacks<'_>>) {
        if let Some(mut device) = device {
            let host = device.host.take();
            let instance = device.state.instance.clone();
            device.retire(&instance.retired);
            host.into_iter().for_each(|host| host.give(allocator));
        }
        Ok(())
    }

    fn vkGetDeviceQueue(device: Ref<Device>, family: u32, index: u32, queue: Out<vk::Queue>) {
        queue.write(find_queue(&device, family, index, vk::DeviceQueueCreateFlags::empty()));
        Ok(())
    }

    fn vkGetDeviceGroupPeerMemoryFeatures(
        _device: Ref<Device>,
        _heap: u32,
        _local: u32,
        _remote: u32,
        features: Out<vk::PeerMemoryFeatureFlags>,
    ) {
        // A group has one device, whose memory is all its own.
        features.write(
            vk::PeerMemoryFeatureFlags::COPY_SRC
                | vk::PeerMemoryFeatureFlags::COPY_DST
                | vk::PeerMemoryFeatureFlags::GENERIC_SRC
                | vk::PeerMemoryFeatureFlags::GENERIC_DST,
        );
        Ok(())
    }

    fn vkGetDeviceQueue2(device: Ref<Device>, info: &vk::DeviceQueueInfo2<'_>, queue: Out<vk::Queue>) {
        queue.write(find_queue(&device, info.queue_family_index, info.queue_index, info.flags));
        Ok(())
    }
}

fn create(
    physical: &PhysicalDevice,
    info: &vk::DeviceCreateInfo<'_>,
    allocator: Option<&vk::AllocationCallbacks<'_>>,
) -> Answer<Device> {
    // SAFETY: the structure's arrays are valid, as Vulkan asks of the application.
    let (names, queue_infos, features) = unsafe {
        (
            slice(info.pp_enabled_extension_names, info.enabled_extension_count),
            slice(info.p_queue_create_infos, info.queue_create_info_count),
            info.p_enabled_features.as_ref(),
        )
    };
    let extensions =
        super::instance::enabled_extensions(names, &super::instance::device_extensions(physical))?;
    let (features, enabled) = enabled_features(info, features)?;
    if physical.hidden().features.iter().any(|name| enabled.has(name)) {
        return Err(Error(vk::Result::ERROR_FEATURE_NOT_PRESENT));
    }
    let queues = queue_descs(physical.families(), queue_infos)?;
    let parent = physical.instance.callbacks;
    let scope = vk::SystemAllocationScope::DEVICE;
    let host = HostBlock::take(allocator, parent, size_of::<Device>(), scope)?;
    let (usage, listeners) = (physical.memory_usage.clone(), super::memory::listeners(info));
    let mut properties = physical.memory.clone();
    properties.device_coherent = enabled.has("deviceCoherentMemory");
    let memory = Memory::new(properties, usage, listeners)?;
    let desc = DeviceDesc {
        queues: queues.iter().map(|(desc, _)| *desc).collect(),
        features,
        workers: physical.instance.config.threads.unwrap_or(0),
        backend: physical.instance.config.backend,
        fuel: physical.instance.config.fuel,
        guards: physical.instance.config.guards,
        memory: Some(memory.clone()),
        fault: fault_desc(&physical.instance, &enabled),
        time_limit: physical.instance.config.time_limit,
        // The feature promises the strict rule.
        weak_loss: physical.instance.config.weak_loss && !enabled.has("maintenance5"),
    };
    let engine = device::Device::new(desc).map_err(|_| vk::Result::ERROR_INITIALIZATION_FAILED)?;
    let state = Arc::new(DeviceState {
        engine,
        memory,
        tables: Tables::default(),
        private_data: PrivateData::default(),
        captures: Arc::default(),
        border_colors: Mutex::default(),
        api_minor: physical.instance.api_minor,
        extensions,
        features: enabled,
        instance_extensions: physical.instance.extensions.clone(),
        loss_told: AtomicBool::new(false),
        queue_labels: Mutex::default(),
        instance: physical.instance.clone(),
        offer: physical.offer.clone(),
        temporary: Temporary::default(),
        callbacks: Callbacks::of(allocator).or(parent),
    });
    crate::journal::created(&state);
    let queues = queues
        .iter()
        .enumerate()
        .map(|(index, (_, flags))| {
            let queue = Owned::new(Queue {
                device: state.clone(),
                index,
                flags: *flags,
            });
            queue.engine().set_handle(queue.handle().as_raw());
            queue
        })
        .collect();
    Ok(Device { state, queues, host })
}

/// What the device's crash dump needs to know beforehand.
fn fault_desc(instance: &InstanceState, features: &Enabled) -> FaultDesc {
    static DEVICES: AtomicU64 = AtomicU64::new(0);
    let (config, application) = (&instance.config, instance.application.clone());
    let identity = dump::Identity {
        vendor_id: properties::VENDOR_ID,
        device_id: properties::DEVICE_ID,
        driver_version: properties::DRIVER_VERSION,
        pipeline_cache_uuid: properties::properties(properties::DEVICE_NAME).pipeline_cache_uuid,
        application_name: application.name,
        application_version: application.version,
        engine_name: application.engine_name,
        engine_version: application.engine_version,
        api_version: application.api_version,
    };
    let environment = dump::Environment {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        backend: config.backend.unwrap_or_else(Backend::best).name().to_owned(),
        workers: config.threads.unwrap_or_else(device::workers::default_count),
        host: format!("{}-{}", std::env::consts::ARCH, std::env::consts::OS),
    };
    FaultDesc {
        identity,
        environment,
        plan: config.plan.clone(),
        dump_dir: config.dump_dir.clone(),
        generation: DEVICES.fetch_add(1, Ordering::Relaxed) + 1,
        report_masked: features.has("deviceFaultReportMasked"),
        lost_on_masked: features.has("deviceFaultDeviceLostOnMasked"),
    }
}

/// Aliases of extensions.
pub(crate) const ALIASES: &[(&str, &str)] = &[(
    "vkGetDeviceGroupPeerMemoryFeaturesKHR",
    "vkGetDeviceGroupPeerMemoryFeatures",
)];

/// The features that the application enables, if all are offered: those of Vulkan 1.0 as a structure, and all by name.
fn enabled_features(
    info: &vk::DeviceCreateInfo<'_>,
    basic: Option<&vk::PhysicalDeviceFeatures>,
) -> Answer<(vk::PhysicalDeviceFeatures, Enabled)> {
    let absent = |_| Error(vk::Result::ERROR_FEATURE_NOT_PRESENT);
    let mut enabled = Enabled::default();
    for input in chain::inputs(info) {
        if let Some(row) = registry::feature_struct(input.s_type().as_raw()) {
            let values = input
                .bools(row.members.len())
                .iter()
                .map(|value| *value != vk::FALSE);
            enabled.add(row, values).map_err(absent)?;
        }
    }
    let chained = chain::find::<vk::PhysicalDeviceFeatures2<'_>, _>(info).map(|chained| chained.features);
    let basic = chained.or(basic.copied()).unwrap_or_default();
    enabled.add_basic(basic_values(&basic)).map_err(absent)?;
    Ok((basic, enabled))
}

fn queue_descs(
    families: &[QueueFamily],
    infos: &[vk::DeviceQueueCreateInfo<'_>],
) -> Answer<Vec<(QueueDesc, vk::DeviceQueueCreateFlags)>> {
    let mut queues = Vec::new();
    for info in infos {
        let family = families.get(info.queue_family_index as usize);
        if family.is_none_or(|family| info.queue_count > family.count) {
            return Err(Error(vk::Result::ERROR_INITIALIZATION_FAILED));
        }
        let descs = (0..info.queue_count).map(|index| {
            (
                QueueDesc {
                    family: info.queue_family_index,
                    index,
                },
                info.flags,
            )
        });
        queues.extend(descs);
    }
    Ok(queues)
}

fn find_queue(device: &Device, family: u32, index: u32, flags: vk::DeviceQueueCreateFlags) -> vk::Queue {
    let found = device.queues.iter().find(|queue| {
        let desc = queue.engine().desc();
        (desc.family, desc.index, queue.flags) == (family, index, flags)
    });
    found.map_or(vk::Queue::null(), Owned::handle)
}
