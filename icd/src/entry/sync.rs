//! Fences, semaphores and events.

use crate::{
    args::{Array, Out, slice},
    boundary::commands,
    chain,
    device::{Device, DeviceState},
    dispatch::Ref,
    error::{Answer, Error},
    hook, objects,
};
use ash::vk::{self, Handle};
use lahar::sync::{self, Deadline, Event, Fence, Outcome, Point, Semaphore, SemaphoreKind};

/// There is no memory for what other processes are to share.
const NO_MEMORY: Error = Error(vk::Result::ERROR_OUT_OF_HOST_MEMORY);

/// Fails on a lost device: for commands that may return `VK_ERROR_DEVICE_LOST`.
pub(super) fn not_lost(device: &DeviceState) -> Answer {
    if device.engine.is_lost() {
        Err(Error(vk::Result::ERROR_DEVICE_LOST))
    } else {
        Ok(())
    }
}

/// Fails on a lost device where a call that `has` something to tell is to fail all the same.
pub(super) fn not_hidden(device: &DeviceState, has: bool) -> Answer {
    if device.engine.hides(has) {
        Err(Error(vk::Result::ERROR_DEVICE_LOST))
    } else {
        Ok(())
    }
}

/// The result of a wait.
pub(super) fn outcome(outcome: Outcome) -> Answer<vk::Result> {
    match outcome {
        Outcome::Ready => Ok(vk::Result::SUCCESS),
        Outcome::Timeout => Ok(vk::Result::TIMEOUT),
        Outcome::Lost => Err(Error(vk::Result::ERROR_DEVICE_LOST)),
    }
}

commands! {
    fn vkCreateFence(
        device: Ref<Device>,
        info: &vk::FenceCreateInfo<'_>,
        allocator: Option<&vk::AllocationCallbacks<'_>>,
        fence: Out<vk::Fence>,
    ) -> vk::Result {
        let signaled = info.flags.contains(vk::FenceCreateFlags::SIGNALED);
        let exported = chain::find::<vk::ExportFenceCreateInfo<'_>, _>(info).is_some_and(|e| !e.handle_types.is_empty());
        let new = if exported { Fence::exportable(signaled).ok_or(NO_MEMORY)? } else { Fence::new(signaled) };
        fence.write(device.create(&device.tables.fences, allocator, || Ok(new))?);
        Ok(())
    }

    fn vkDestroyFence(device: Ref<Device>, fence: vk::Fence, allocator: Option<&vk::AllocationCallbacks<'_>>) {
        device.forget_fence(fence);
        objects::destroy(&device.tables.fences, fence, allocator);
        Ok(())
    }

    fn vkResetFences(device: Ref<Device>, count: u32, fences: Array<vk::Fence>) -> vk::Result {
        for fence in fences.get(count) {
            device.fence_to_reset(*fence)?.reset();
        }
        Ok(())
    }

    fn vkGetFenceStatus(device: Ref<Device>, fence: vk::Fence) -> vk::Result {
        let signaled = device.tables.fences.get(fence)?.is_signaled();
        not_hidden(&device, signaled)?;
        Ok(if signaled { vk::Result::SUCCESS } else { vk::Result::NOT_READY })
    }

    fn vkWaitForFences(
        device: Ref<Device>,
        count: u32,
        fences: Array<vk::Fence>,
        all: u32,
        timeout: u64,
    ) -> vk::Result {
        let fences: Vec<_> =
            fences.get(count).iter().map(|fence| device.tables.fences.get(*fence)).collect::<Answer<_>>()?;
        hook::waits(&device, timeout);
        outcome(sync::wait_fences(&device.engine, &fences, all != vk::FALSE, Deadline::after(timeout)))
    }

    fn vkCreateSemaphore(
        device: Ref<Device>,
        info: &vk::SemaphoreCreateInfo<'_>,
        allocator: Option<&vk::AllocationCallbacks<'_>>,
        semaphore: Out<vk::Semaphore>,
    ) -> vk::Result {
        let timeline = chain::find::<vk::SemaphoreTypeCreateInfo<'_>, _>(info)
            .filter(|info| info.semaphore_type == vk::SemaphoreType::TIMELINE);
        let exported = chain::find::<vk::ExportSemaphoreCreateInfo<'_>, _>(info).is_some_and(|e| !e.handle_types.is_empty());
        let new = match timeline {
            None if exported => Semaphore::exportable(SemaphoreKind::Binary, 0).ok_or(NO_MEMORY)?,
            None => Semaphore::binary(),
            Some(info) if exported => {
                Semaphore::exportable(SemaphoreKind::Timeline, info.initial_value).ok_or(NO_MEMORY)?
            }
            Some(info) => Semaphore::timeline(info.initial_value),
        };
        let handle = device.create(&device.tables.semaphores, allocator, || Ok(new))?;
        device.tables.semaphores.with(handle, |new| new.set_handle(handle.as_raw()));
        semaphore.write(handle);
        Ok(())
    }

    fn vkDestroySemaphore(
        device: Ref<Device>,
        semaphore: vk::Semaphore,
        allocator: Option<&vk::AllocationCallbacks<'_>>,
    ) {
        device.forget_semaphore(semaphore);
        objects::destroy(&device.tables.semaphores, semaphore, allocator);
        Ok(())
    }

    fn vkGetSemaphoreCounterValue(
        device: Ref<Device>,
        semaphore: vk::Semaphore,
        value: Out<u64>,
    ) -> vk::Result {
        not_hidden(&device, true)?;
        value.write(device.tables.semaphores.get(semaphore)?.value());
        Ok(())
    }

    fn vkWaitSemaphores(
        device: Ref<Device>,
        info: &vk::SemaphoreWaitInfo<'_>,
        timeout: u64,
    ) -> vk::Result {
        // SAFETY: both arrays have this many elements, as Vulkan asks of the application.
        let (semaphores, values) = unsafe {
            (slice(info.p_semaphores, info.semaphore_count), slice(info.p_values, info.semaphore_count))
        };
        let point = |(semaphore, value): (&vk::Semaphore, &u64)| {
            Ok(Point { semaphore: device.tables.semaphores.get(*semaphore)?, value: *value })
        };
        let points: Vec<_> = semaphores.iter().zip(values).map(point).collect::<Answer<_>>()?;
        let all = !info.flags.contains(vk::SemaphoreWaitFlags::ANY);
        hook::waits(&device, timeout);
        outcome(sync::wait_points(&device.engine, &points, all, Deadline::after(timeout)))
    }

    fn vkSignalSemaphore(device: Ref<Device>, info: &vk::SemaphoreSignalInfo<'_>) -> vk::Result {
        device.tables.semaphores.get(info.semaphore)?.signal(&device.engine, info.value);
        Ok(())
    }

    fn vkCreateEvent(
        device: Ref<Device>,
        _info: &vk::EventCreateInfo<'_>,
        allocator: Option<&vk::AllocationCallbacks<'_>>,
        event: Out<vk::Event>,
    ) -> vk::Result {
        let handle = device.create(&device.tables.events, allocator, || Ok(Event::default()))?;
        device.tables.events.with(handle, |new| new.set_handle(handle.as_raw()));
        event.write(handle);
        Ok(())
    }

    fn vkDestroyEvent(device: Ref<Device>, event: vk::Event, allocator: Option<&vk::AllocationCallbacks<'_>>) {
        objects::destroy(&device.tables.events, event, allocator);
        Ok(())
    }

    fn vkGetEventStatus(device: Ref<Device>, event: vk::Event) -> vk::Result {
        not_hidden(&device, true)?;
        let set = device.tables.events.get(event)?.is_set();
        Ok(if set { vk::Result::EVENT_SET } else { vk::Result::EVENT_RESET })
    }

    fn vkSetEvent(device: Ref<Device>, event: vk::Event) -> vk::Result {
        device.tables.events.get(event)?.set(&device.engine);
        Ok(())
    }

    fn vkResetEvent(device: Ref<Device>, event: vk::Event) -> vk::Result {
        device.tables.events.get(event)?.reset();
        Ok(())
    }
}

/// Aliases of extensions.
pub(crate) const ALIASES: &[(&str, &str)] = &[
    ("vkGetSemaphoreCounterValueKHR", "vkGetSemaphoreCounterValue"),
    ("vkWaitSemaphoresKHR", "vkWaitSemaphores"),
    ("vkSignalSemaphoreKHR", "vkSignalSemaphore"),
];
