//! Devices and their queues.

use crate::{
    args::{Name, Out, slice},
    boundary::commands,
    device::{Device, DeviceState, Queue},
    dispatch::{Owned, Ref},
    error::{Answer, Error},
    instance::PhysicalDevice,
    proc_addr::{self, Asker},
    tables::Tables,
};
use ash::vk;
use lahar::{
    device::{self, DeviceDesc, QueueDesc},
    memory::Memory,
    physical::{extensions, queues::QUEUE_FAMILIES},
};
use std::sync::Arc;

commands! {
    fn vkGetDeviceProcAddr(device: Ref<Device>, name: Name) -> vk::PFN_vkVoidFunction {
        Ok(proc_addr::find(name.0, Asker::Device(&device)))
    }

    fn vkCreateDevice(
        physical: Ref<PhysicalDevice>,
        info: &vk::DeviceCreateInfo<'_>,
        _allocator: Option<&vk::AllocationCallbacks<'_>>,
        device: Out<vk::Device>,
    ) -> vk::Result {
        device.write(Owned::new(create(&physical, info)?).into_handle());
        Ok(())
    }

    fn vkDestroyDevice(device: Option<Owned<Device>>, _allocator: Option<&vk::AllocationCallbacks<'_>>) {
        drop(device);
        Ok(())
    }

    fn vkGetDeviceQueue(device: Ref<Device>, family: u32, index: u32, queue: Out<vk::Queue>) {
        queue.write(find_queue(&device, family, index, vk::DeviceQueueCreateFlags::empty()));
        Ok(())
    }

    fn vkGetDeviceQueue2(device: Ref<Device>, info: &vk::DeviceQueueInfo2<'_>, queue: Out<vk::Queue>) {
        queue.write(find_queue(&device, info.queue_family_index, info.queue_index, info.flags));
        Ok(())
    }
}

fn create(physical: &PhysicalDevice, info: &vk::DeviceCreateInfo<'_>) -> Answer<Device> {
    // SAFETY: the structure's arrays are valid, as Vulkan asks of the application.
    let (names, queue_infos, features) = unsafe {
        (
            slice(info.pp_enabled_extension_names, info.enabled_extension_count),
            slice(info.p_queue_create_infos, info.queue_create_info_count),
            info.p_enabled_features.as_ref(),
        )
    };
    let extensions = super::instance::enabled_extensions(names, extensions::DEVICE)?;
    let queues = queue_descs(queue_infos)?;
    let desc = DeviceDesc {
        queues: queues.iter().map(|(desc, _)| *desc).collect(),
        features: features.copied().unwrap_or_default(),
        ..DeviceDesc::default()
    };
    let engine = device::Device::new(desc).map_err(|_| vk::Result::ERROR_INITIALIZATION_FAILED)?;
    let memory = Memory::new(physical.memory.clone(), Vec::new())
        .map_err(|_| vk::Result::ERROR_INITIALIZATION_FAILED)?;
    let state = Arc::new(DeviceState {
        engine,
        memory,
        tables: Tables::default(),
        api_minor: physical.instance.api_minor,
        extensions,
        instance_extensions: physical.instance.extensions.clone(),
        instance: physical.instance.clone(),
    });
    let queues = queues
        .iter()
        .enumerate()
        .map(|(index, (_, flags))| {
            Owned::new(Queue {
                device: state.clone(),
                index,
                flags: *flags,
            })
        })
        .collect();
    Ok(Device { state, queues })
}

fn queue_descs(
    infos: &[vk::DeviceQueueCreateInfo<'_>],
) -> Answer<Vec<(QueueDesc, vk::DeviceQueueCreateFlags)>> {
    let mut queues = Vec::new();
    for info in infos {
        let family = QUEUE_FAMILIES.get(info.queue_family_index as usize);
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
