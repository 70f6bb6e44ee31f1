//! Buffers and buffer views.

use crate::{
    args::{Array, Out},
    binding::Binding,
    boundary::commands,
    chain,
    device::{Device, DeviceState},
    dispatch::Ref,
    error::{Answer, Error},
    objects,
};
use ash::vk::{self, Handle, TaggedStructure};
use lahar::{
    descriptor::CaptureKind,
    memory::Placement,
    resource::{self, Buffer, BufferInfo, BufferView},
};

impl From<resource::Error> for Error {
    fn from(error: resource::Error) -> Self {
        Self(error.into())
    }
}

commands! {
    fn vkCreateBuffer(
        device: Ref<Device>,
        info: &vk::BufferCreateInfo<'_>,
        allocator: Option<&vk::AllocationCallbacks<'_>>,
        buffer: Out<vk::Buffer>,
    ) -> vk::Result {
        let mut made = Buffer::new(buffer_info(info))?;
        let capture = made.info().capture_address;
        if !Buffer::is_unknown_capture(capture) && !device.memory.may_be_captured(capture) {
            return Err(Error(vk::Result::ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS));
        }
        let asked = info.flags.contains(vk::BufferCreateFlags::DESCRIPTOR_BUFFER_CAPTURE_REPLAY_EXT);
        let sparse = info.flags.contains(vk::BufferCreateFlags::SPARSE_BINDING);
        let identity = if sparse {
            let (otherwise, size) = (placement(&made), made.size());
            let of = (CaptureKind::Buffer, made.fingerprint());
            let (identity, range) = device.capture_sparse(info, asked, of, otherwise, |placement| {
                let (ty, handle) = (vk::ObjectType::BUFFER, device.handle().as_raw());
                Ok(device.memory.reserve_sparse(size, placement, ty, handle)?)
            })?;
            made.set_sparse(range);
            identity
        } else {
            device.capture(info, asked, CaptureKind::Buffer, made.fingerprint())?
        };
        made.set_capture(identity);
        let handle = device.create(&device.tables.buffers, allocator, || Ok(made))?;
        if sparse {
            device.tables.buffers.with(handle, |made| note_bound(&device, handle.as_raw(), made));
        }
        buffer.write(handle);
        Ok(())
    }

    fn vkDestroyBuffer(
        device: Ref<Device>,
        buffer: vk::Buffer,
        allocator: Option<&vk::AllocationCallbacks<'_>>,
    ) {
        objects::destroy(&device.tables.buffers, buffer, allocator);
        device.bury(vk::ObjectType::BUFFER, buffer.as_raw());
        Ok(())
    }

    fn vkGetBufferMemoryRequirements(
        device: Ref<Device>,
        buffer: vk::Buffer,
        requirements: Out<vk::MemoryRequirements>,
    ) {
        let types = device.memory.properties().all_types();
        requirements.write(device.tables.buffers.get(buffer)?.requirements(types));
        Ok(())
    }

    fn vkGetBufferMemoryRequirements2(
        device: Ref<Device>,
        info: &vk::BufferMemoryRequirementsInfo2<'_>,
        requirements: &mut vk::MemoryRequirements2<'_>,
    ) {
        let types = device.memory.properties().all_types();
        fill_requirements(requirements, device.tables.buffers.get(info.buffer)?.requirements(types));
        Ok(())
    }

    fn vkGetDeviceBufferMemoryRequirements(
        device: Ref<Device>,
        info: &vk::DeviceBufferMemoryRequirements<'_>,
        requirements: &mut vk::MemoryRequirements2<'_>,
    ) {
        // SAFETY: the structure's pointer is valid, as Vulkan asks of the application.
        let info = unsafe { info.p_create_info.as_ref() }.ok_or(Error::NULL)?;
        let types = device.memory.properties().all_types();
        fill_requirements(requirements, Buffer::new(buffer_info(info))?.requirements(types));
        Ok(())
    }

    fn vkBindBufferMemory(
        device: Ref<Device>,
        buffer: vk::Buffer,
        memory: vk::DeviceMemory,
        offset: u64,
    ) -> vk::Result {
        bind(&device, buffer, memory, offset)
    }

    fn vkBindBufferMemory2(
        device: Ref<Device>,
        count: u32,
        infos: Array<vk::BindBufferMemoryInfo<'_>>,
    ) -> vk::Result {
        bind_all(infos.get(count), |i| bind(&device, i.buffer, i.memory, i.memory_offset))
    }

    fn vkGetBufferDeviceAddress(device: Ref<Device>, info: &vk::BufferDeviceAddressInfo<'_>) -> u64 {
        device.tables.buffers.with(info.buffer, Buffer::expose).ok_or(Error::STALE)
    }

    fn vkGetBufferOpaqueCaptureAddress(device: Ref<Device>, info: &vk::BufferDeviceAddressInfo<'_>) -> u64 {
        device.tables.buffers.with(info.buffer, Buffer::capture_address).ok_or(Error::STALE)
    }

    fn vkCreateBufferView(
        device: Ref<Device>,
        info: &vk::BufferViewCreateInfo<'_>,
        allocator: Option<&vk::AllocationCallbacks<'_>>,
        view: Out<vk::BufferView>,
    ) -> vk::Result {
        let buffer = device.tables.buffers.get(info.buffer)?;
        let made = BufferView::new(&buffer, info.format, info.offset, info.range)?;
        view.write(device.create(&device.tables.buffer_views, allocator, || Ok(made))?);
        Ok(())
    }

    fn vkDestroyBufferView(
        device: Ref<Device>,
        view: vk::BufferView,
        allocator: Option<&vk::AllocationCallbacks<'_>>,
    ) {
        objects::destroy(&device.tables.buffer_views, view, allocator);
        Ok(())
    }
}

/// Aliases of extensions.
pub(crate) const ALIASES: &[(&str, &str)] = &[
    ("vkBindBufferMemory2KHR", "vkBindBufferMemory2"),
    ("vkGetBufferDeviceAddressEXT", "vkGetBufferDeviceAddress"),
    ("vkGetBufferDeviceAddressKHR", "vkGetBufferDeviceAddress"),
    (
        "vkGetBufferMemoryRequirements2KHR",
        "vkGetBufferMemoryRequirements2",
    ),
    (
        "vkGetBufferOpaqueCaptureAddressKHR",
        "vkGetBufferOpaqueCaptureAddress",
    ),
    (
        "vkGetDeviceBufferMemoryRequirementsKHR",
        "vkGetDeviceBufferMemoryRequirements",
    ),
];

fn buffer_info(info: &vk::BufferCreateInfo<'_>) -> BufferInfo {
    BufferInfo {
        flags: info.flags,
        size: info.size,
        usage: chain::find::<vk::BufferUsageFlags2CreateInfoKHR<'_>, _>(info).map_or(info.usage, usage_of),
        capture_address: chain::find::<vk::BufferOpaqueCaptureAddressCreateInfo<'_>, _>(info)
            .map_or(0, |capture| capture.opaque_capture_address),
    }
}

/// The usage of a structure that has more bits for it; those that Lahar knows are where they always were.
fn usage_of(flags: &vk::BufferUsageFlags2CreateInfoKHR<'_>) -> vk::BufferUsageFlags {
    vk::BufferUsageFlags::from_raw(flags.usage.as_raw() as u32)
}

/// Fills in requirements and what extends them.
pub(super) fn fill_requirements(out: &mut vk::MemoryRequirements2<'_>, requirements: vk::MemoryRequirements) {
    out.memory_requirements = requirements;
    if let Some(dedicated) = chain::find_mut::<vk::MemoryDedicatedRequirements<'_>, _>(out) {
        dedicated.prefers_dedicated_allocation = vk::FALSE;
        dedicated.requires_dedicated_allocation = vk::FALSE;
    }
}

fn bind(device: &DeviceState, buffer: vk::Buffer, memory: vk::DeviceMemory, offset: u64) -> Answer {
    let handle = buffer.as_raw();
    let buffer = device.tables.buffers.get(buffer)?;
    let allocation = device.tables.memories.get(memory)?;
    let address = allocation.address() + offset;
    if !buffer.may_bind(address) {
        return Err(Error(vk::Result::ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS));
    }
    allocation.commit()?;
    buffer.bind(address);
    note_bound(device, handle, &buffer);
    Ok(())
}

/// Where a sparse buffer may lie.
fn placement(buffer: &Buffer) -> Placement {
    let info = buffer.info();
    match info.capture_address {
        captured if !Buffer::is_unknown_capture(captured) => Placement::At(captured),
        _ if info
            .flags
            .contains(vk::BufferCreateFlags::DEVICE_ADDRESS_CAPTURE_REPLAY) =>
        {
            Placement::Captured
        }
        _ => Placement::Anywhere,
    }
}

/// Remembers where a buffer lies, and tells of it.
fn note_bound(device: &DeviceState, handle: u64, buffer: &Buffer) {
    let (address, size, usage) = (buffer.address(), buffer.size(), buffer.info().usage);
    let detail = lahar::memory::Detail::Buffer(usage);
    device
        .memory
        .history()
        .bound(vk::ObjectType::BUFFER, handle, address, size, detail);
    let kind = vk::ObjectType::BUFFER;
    let name = device.engine.names().get(kind.as_raw(), handle);
    let name = name.as_deref();
    device.report_bind(
        Binding {
            kind,
            handle,
            name,
            address,
            size,
        },
        false,
    );
}

/// Runs the binds of a list: all of them, whichever fail. Gives the first failure, and to each its own.
pub(super) fn bind_all<I: TaggedStructure>(infos: &[I], bind: impl Fn(&I) -> Answer) -> Answer {
    let mut first = Ok(());
    for info in infos {
        let bound = bind(info);
        if let Some(status) = chain::find::<vk::BindMemoryStatusKHR<'_>, _>(info) {
            let result = bound.err().map_or(vk::Result::SUCCESS, |error| error.0);
            // SAFETY: the pointer is null or to a result, as Vulkan asks of the application.
            unsafe { status.p_result.as_mut() }
                .into_iter()
                .for_each(|slot| *slot = result);
        }
        first = first.and(bound);
    }
    first
}
