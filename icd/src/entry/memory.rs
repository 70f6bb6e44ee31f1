//! Device memory.

use crate::{
    args::{Array, Out},
    boundary::commands,
    device::Device,
    dispatch::Ref,
    error::Error,
};
use ash::vk;
use lahar::memory::{self, Request};
use std::ffi::c_void;

impl From<memory::Error> for Error {
    fn from(error: memory::Error) -> Self {
        Self(error.into())
    }
}

commands! {
    fn vkAllocateMemory(
        device: Ref<Device>,
        info: &vk::MemoryAllocateInfo<'_>,
        _allocator: Option<&vk::AllocationCallbacks<'_>>,
        memory: Out<vk::DeviceMemory>,
    ) -> vk::Result {
        let allocation = device.memory.allocate(&Request {
            size: info.allocation_size,
            type_index: info.memory_type_index,
            owner: vk::ObjectType::DEVICE_MEMORY,
        })?;
        let handle = device.tables.memories.insert(allocation.clone());
        allocation.announce(vk::Handle::as_raw(handle));
        memory.write(handle);
        Ok(())
    }

    fn vkFreeMemory(
        device: Ref<Device>,
        memory: vk::DeviceMemory,
        _allocator: Option<&vk::AllocationCallbacks<'_>>,
    ) {
        // Freed now, whoever else still knows of it.
        if let Some(allocation) = device.tables.memories.remove(memory) {
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
        let allocation = device.tables.memories.get(memory)?;
        if !allocation.is_mappable() {
            return Err(Error(vk::Result::ERROR_MEMORY_MAP_FAILED));
        }
        allocation.commit()?;
        data.write((allocation.address() + offset) as *mut c_void);
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

    fn vkGetDeviceMemoryCommitment(device: Ref<Device>, memory: vk::DeviceMemory, committed: Out<u64>) {
        committed.write(device.tables.memories.get(memory)?.size());
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
pub(crate) const ALIASES: &[(&str, &str)] = &[(
    "vkGetDeviceMemoryOpaqueCaptureAddressKHR",
    "vkGetDeviceMemoryOpaqueCaptureAddress",
)];
