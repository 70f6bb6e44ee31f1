//! Device memory.

use super::external;
use crate::{
    args::{Array, Out},
    binding::Binding,
    boundary::commands,
    chain,
    device::{Device, DeviceState},
    dispatch::Ref,
    error::{Answer, Error},
    hook, objects,
};
use ash::vk;
use lahar::memory::{self, Allocation, Backing, Event, Listener, Placement, Request, SharedFile};
use std::{ffi::c_void, sync::Arc};

impl From<memory::Error> for Error {
    fn from(error: memory::Error) -> Self {
        Self(error.into())
    }
}

commands! {
    fn vkAllocateMemory(
        device: Ref<Device>,
        info: &vk::MemoryAllocateInfo<'_>,
        allocator: Option<&vk::AllocationCallbacks<'_>>,
        memory: Out<vk::DeviceMemory>,
    ) -> vk::Result {
        hook::allocation(&device, info)?;
        let host = device.host_block::<Allocation>(allocator, vk::SystemAllocationScope::OBJECT)?;
        let allocation = device.memory.allocate(&Request {
            size: info.allocation_size,
            type_index: info.memory_type_index,
            owner: vk::ObjectType::DEVICE_MEMORY,
            placement: placement(&device, info)?,
            backing: backing(&device, info)?,
        })?;
        if let Some(byte) = device.instance.config.poison.filter(|_| is_undefined(info)) {
            allocation.fill(byte)?;
        }
        let handle = device.add(&device.tables.memories, host, allocation.clone())?;
        allocation.announce(vk::Handle::as_raw(handle));
        device.report_bind(binding(&allocation, handle, None), true);
        if let Some(import) = chain::find::<vk::ImportMemoryFdInfoKHR<'_>, _>(info).filter(|i| !i.handle_type.is_empty()) {
            external::close(import.fd);
        }
        memory.write(handle);
        Ok(())
    }

    fn vkFreeMemory(
        device: Ref<Device>,
        memory: vk::DeviceMemory,
        allocator: Option<&vk::AllocationCallbacks<'_>>,
    ) {
        // Freed now, whoever else still knows of it.
        if let Some(allocation) = objects::destroy(&device.tables.memories, memory, allocator) {
            let name = device.engine.names().take(vk::ObjectType::DEVICE_MEMORY.as_raw(), vk::Handle::as_raw(memory));
            device.report_unbind(binding(&allocation, memory, name.as_deref()));
            device.memory.history().name_memory(allocation.address(), name);
            allocation.free();
        }
        Ok(())
    }

    fn vkMapMemory(
        device: Ref<Device>,
        memory: vk::DeviceMemory,
        offset: u64,
        _size: u64,
        _flags: vk::MemoryMapFlags,
        data: Out<*mut c_void>,
    ) -> vk::Result {
        data.write(map(&device, memory, offset)?);
        Ok(())
    }

    fn vkMapMemory2KHR(
        device: Ref<Device>,
        info: &vk::MemoryMapInfoKHR<'_>,
        data: Out<*mut c_void>,
    ) -> vk::Result {
        data.write(map(&device, info.memory, info.offset)?);
        Ok(())
    }

    fn vkUnmapMemory2KHR(_device: Ref<Device>, _info: &vk::MemoryUnmapInfoKHR<'_>) -> vk::Result {
        Ok(())
    }

    fn vkUnmapMemory(_device: Ref<Device>, _memory: vk::DeviceMemory) {
        Ok(())
    }

    fn vkFlushMappedMemoryRanges(
        _device: Ref<Device>,
        _count: u32,
        _ranges: Array<vk::MappedMemoryRange<'_>>,
    ) -> vk::Result {
        Ok(())
    }

    fn vkInvalidateMappedMemoryRanges(
        _device: Ref<Device>,
        _count: u32,
        _ranges: Array<vk::MappedMemoryRange<'_>>,
    ) -> vk::Result {
        Ok(())
    }

    fn vkSetDeviceMemoryPriorityEXT(_device: Ref<Device>, _memory: vk::DeviceMemory, _priority: f32) {
        // There is only one kind of memory.
        Ok(())
    }

    fn vkGetDeviceMemoryCommitment(device: Ref<Device>, memory: vk::DeviceMemory, committed: Out<u64>) {
        committed.write(device.tables.memories.get(memory)?.size());
        Ok(())
    }

    fn vkGetMemoryHostPointerPropertiesEXT(
        device: Ref<Device>,
        ty: vk::ExternalMemoryHandleTypeFlags,
        _pointer: *const c_void,
        out: &mut vk::MemoryHostPointerPropertiesEXT<'_>,
    ) -> vk::Result {
        if !HOST_MEMORY.contains(&ty) {
            return Err(Error(vk::Result::ERROR_INVALID_EXTERNAL_HANDLE));
        }
        let properties = device.memory.properties();
        let mappable = |index: &u32| properties.is_mappable(*index);
        out.memory_type_bits = (0..properties.types.len() as u32)
            .filter(mappable)
            .fold(0, |bits, index| bits | 1 << index);
        Ok(())
    }

    fn vkGetDeviceMemoryOpaqueCaptureAddress(
        device: Ref<Device>,
        info: &vk::DeviceMemoryOpaqueCaptureAddressInfo<'_>,
    ) -> u64 {
        Ok(device.tables.memories.get(info.memory)?.address())
    }
}

/// Aliases of extensions.
pub(crate) const ALIASES: &[(&str, &str)] = &[
    ("vkMapMemory2", "vkMapMemory2KHR"),
    ("vkUnmapMemory2", "vkUnmapMemory2KHR"),
    (
        "vkGetDeviceMemoryOpaqueCaptureAddressKHR",
        "vkGetDeviceMemoryOpaqueCaptureAddress",
    ),
];

/// The addresses of memory.
fn binding<'a>(allocation: &Allocation, memory: vk::DeviceMemory, name: Option<&'a str>) -> Binding<'a> {
    Binding {
        kind: vk::ObjectType::DEVICE_MEMORY,
        handle: vk::Handle::as_raw(memory),
        name,
        address: allocation.address(),
        size: allocation.size(),
    }
}

/// Whether what is allocated has no contents that anybody could expect.
fn is_undefined(info: &vk::MemoryAllocateInfo<'_>) -> bool {
    // VK_MEMORY_ALLOCATE_ZERO_INITIALIZE_BIT_EXT
    let zeroed = vk::MemoryAllocateFlags::from_raw(8);
    let flags = chain::find::<vk::MemoryAllocateFlagsInfo<'_>, _>(info);
    let by_fd =
        chain::find::<vk::ImportMemoryFdInfoKHR<'_>, _>(info).is_some_and(|i| !i.handle_type.is_empty());
    !by_fd && !is_host_import(info) && flags.is_none_or(|flags| !flags.flags.contains(zeroed))
}

/// Where memory is to be placed.
fn placement(device: &DeviceState, info: &vk::MemoryAllocateInfo<'_>) -> Answer<Placement> {
    let imported = chain::find::<vk::ImportMemoryHostPointerInfoEXT<'_>, _>(info);
    if let Some(import) = imported.filter(|import| !import.handle_type.is_empty()) {
        let mappable = device.memory.properties().is_mappable(info.memory_type_index);
        if !HOST_MEMORY.contains(&import.handle_type) || !mappable {
            return Err(Error(vk::Result::ERROR_INVALID_EXTERNAL_HANDLE));
        }
        return Ok(Placement::Host(import.p_host_pointer as u64));
    }
    let replayed = chain::find::<vk::MemoryOpaqueCaptureAddressAllocateInfo<'_>, _>(info);
    let flags =
        chain::find::<vk::MemoryAllocateFlagsInfo<'_>, _>(info).map_or_else(Default::default, |f| f.flags);
    Ok(match replayed.map_or(0, |r| r.opaque_capture_address) {
        0 if flags.contains(vk::MemoryAllocateFlags::DEVICE_ADDRESS_CAPTURE_REPLAY) => Placement::Captured,
        0 => Placement::Anywhere,
        address => Placement::At(address),
    })
}

/// The one kind of handle by which memory is shared.
pub(super) const EXTERNAL_MEMORY: vk::ExternalMemoryHandleTypeFlags =
    vk::ExternalMemoryHandleTypeFlags::OPAQUE_FD;

/// Whether memory of the process's own is imported.
fn is_host_import(info: &vk::MemoryAllocateInfo<'_>) -> bool {
    chain::find::<vk::ImportMemoryHostPointerInfoEXT<'_>, _>(info).is_some_and(|i| !i.handle_type.is_empty())
}

/// The kinds of memory of the process's own that can be imported.
pub(super) const HOST_MEMORY: [vk::ExternalMemoryHandleTypeFlags; 2] = [
    vk::ExternalMemoryHandleTypeFlags::HOST_ALLOCATION_EXT,
    vk::ExternalMemoryHandleTypeFlags::HOST_MAPPED_FOREIGN_MEMORY_EXT,
];

/// Where the bytes of memory are to be.
fn backing(device: &DeviceState, info: &vk::MemoryAllocateInfo<'_>) -> Answer<Backing> {
    let invalid = Error(vk::Result::ERROR_INVALID_EXTERNAL_HANDLE);
    let import = chain::find::<vk::ImportMemoryFdInfoKHR<'_>, _>(info).filter(|i| !i.handle_type.is_empty());
    if let Some(import) = import {
        if import.handle_type != EXTERNAL_MEMORY {
            return Err(invalid);
        }
        let file = SharedFile::import(external::borrowed(import.fd)?).map_err(|_| invalid)?;
        return Ok(Backing::Imported(Arc::new(file)));
    }
    if is_host_import(info) {
        return Ok(Backing::Private);
    }
    let export = chain::find::<vk::ExportMemoryAllocateInfo<'_>, _>(info);
    Ok(if export.is_some_and(|export| !export.handle_types.is_empty()) {
        Backing::Exportable
    } else if device.features.has("sparseBinding") {
        Backing::Aliasable
    } else {
        Backing::Private
    })
}

/// Maps memory.
fn map(device: &DeviceState, memory: vk::DeviceMemory, offset: u64) -> Answer<*mut c_void> {
    let allocation = device.tables.memories.get(memory)?;
    if !allocation.is_mappable() {
        return Err(Error(vk::Result::ERROR_MEMORY_MAP_FAILED));
    }
    allocation.commit()?;
    Ok((allocation.address() + offset) as *mut c_void)
}

/// A callback for memory events with the application's data.
struct Callback {
    function: unsafe extern "system" fn(*const vk::DeviceMemoryReportCallbackDataEXT<'_>, *mut c_void),
    data: *mut c_void,
}

// SAFETY: the application's callback and its data may be used on any thread, as the extension asks.
unsafe impl Send for Callback {}
// SAFETY: as above.
unsafe impl Sync for Callback {}

impl Callback {
    fn tell(&self, event: &Event) {
        let data = vk::DeviceMemoryReportCallbackDataEXT {
            ty: event.kind,
            memory_object_id: event.memory_object_id,
            size: event.size,
            object_type: event.object_type,
            object_handle: event.object_handle,
            heap_index: event.heap_index,
            ..Default::default()
        };
        // SAFETY: the function is the one that the application gave for this data.
        unsafe { (self.function)(&data, self.data) }
    }
}

/// Those who asked at device creation to be told of memory events.
pub(super) fn listeners(info: &vk::DeviceCreateInfo<'_>) -> Vec<Listener> {
    chain::all::<vk::DeviceDeviceMemoryReportCreateInfoEXT<'_>, _>(info)
        .filter_map(|report| {
            let callback = Callback {
                function: report.pfn_user_callback?,
                data: report.p_user_data,
            };
            Some(Box::new(move |event: &Event| callback.tell(event)) as Listener)
        })
        .collect()
}
