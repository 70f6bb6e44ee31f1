//! Submission, and waiting for queues.

use super::sync::{not_lost, outcome};
use crate::{
    args::{Array, slice},
    boundary::commands,
    chain,
    command::CommandBuffer,
    device::{Device, DeviceState, Queue},
    dispatch::Ref,
    error::{Answer, Error},
    hook,
};
use ash::vk;
use lahar::{
    device::{Submission, Work, planned::CallFault},
    sync::Point,
};

commands! {
    fn vkQueueSubmit(
        queue: Ref<Queue>,
        count: u32,
        submits: Array<vk::SubmitInfo<'_>>,
        fence: vk::Fence,
    ) -> vk::Result {
        begin(&queue)?;
        let batches = submits.get(count).iter().map(|info| batch(&queue.device, info)).collect::<Answer<_>>()?;
        submit(&queue, batches, fence)
    }

    fn vkQueueSubmit2(
        queue: Ref<Queue>,
        count: u32,
        submits: Array<vk::SubmitInfo2<'_>>,
        fence: vk::Fence,
    ) -> vk::Result {
        begin(&queue)?;
        let batches = submits.get(count).iter().map(|info| batch2(&queue.device, info)).collect::<Answer<_>>()?;
        submit(&queue, batches, fence)
    }

    fn vkQueueWaitIdle(queue: Ref<Queue>) -> vk::Result {
        outcome(queue.device.engine.wait_queues(|| queue.engine().is_idle()))
    }

    fn vkDeviceWaitIdle(device: Ref<Device>) -> vk::Result {
        outcome(device.engine.wait_idle())
    }
}

/// Aliases of extensions.
pub(crate) const ALIASES: &[(&str, &str)] = &[("vkQueueSubmit2KHR", "vkQueueSubmit2")];

/// Fails on a lost device, and where that is planned.
pub(super) fn begin(queue: &Queue) -> Answer {
    not_lost(&queue.device)?;
    hook::fail_if_planned()
}

pub(super) fn submit(queue: &Queue, mut batches: Vec<Submission>, fence: vk::Fence) -> Answer<vk::Result> {
    let fence = queue.device.tables.fences.get_optional(fence)?;
    if let Some(labels) = queue.device.queue_labels.lock().get(&queue.index) {
        batches
            .iter_mut()
            .for_each(|batch| batch.labels.clone_from(labels));
    }
    if let Some(CallFault::Stall(looks)) = hook::take() {
        let until = queue.device.engine.stall_until(looks);
        if batches.is_empty() {
            batches.push(Submission::default());
        }
        batches.iter_mut().for_each(|batch| batch.stall = until);
    }
    if fence.is_some() {
        if batches.is_empty() {
            batches.push(Submission::default());
        }
        if let Some(last) = batches.last_mut() {
            last.fence = fence;
        }
    }
    outcome(queue.engine().submit(&queue.device.engine, batches))
}

/// The points to wait for; a value is missing where the semaphore is binary.
pub(super) fn waits(
    device: &DeviceState,
    semaphores: &[vk::Semaphore],
    values: &[u64],
) -> Answer<Vec<Point>> {
    let point = |(i, semaphore): (usize, &vk::Semaphore)| {
        let semaphore = device.semaphore_to_wait(*semaphore)?;
        Ok(semaphore.wait_point(values.get(i).copied().unwrap_or(0)))
    };
    semaphores.iter().enumerate().map(point).collect()
}

pub(super) fn signals(
    device: &DeviceState,
    semaphores: &[vk::Semaphore],
    values: &[u64],
) -> Answer<Vec<Point>> {
    let point = |(i, semaphore): (usize, &vk::Semaphore)| {
        let semaphore = device.tables.semaphores.get(*semaphore)?;
        Ok(semaphore.signal_point(values.get(i).copied().unwrap_or(0)))
    };
    semaphores.iter().enumerate().map(point).collect()
}

fn work(handle: vk::CommandBuffer) -> Answer<Work> {
    // SAFETY: the handle is of a live command buffer, as Vulkan asks of the application.
    let buffer = unsafe { Ref::<CommandBuffer>::from_handle(handle) }.ok_or(Error::NULL)?;
    // One that is not executable is invalid usage.
    buffer
        .engine
        .take_for_submit()
        .map(Work::Commands)
        .ok_or(Error(vk::Result::ERROR_UNKNOWN))
}

fn batch(device: &DeviceState, info: &vk::SubmitInfo<'_>) -> Answer<Submission> {
    let values = chain::find::<vk::TimelineSemaphoreSubmitInfo<'_>, _>(info);
    // SAFETY: the arrays have the lengths that the structures say.
    let (wait, signal, buffers, wait_values, signal_values) = unsafe {
        (
            slice(info.p_wait_semaphores, info.wait_semaphore_count),
            slice(info.p_signal_semaphores, info.signal_semaphore_count),
            slice(info.p_command_buffers, info.command_buffer_count),
            values.map_or(&[][..], |v| {
                slice(v.p_wait_semaphore_values, v.wait_semaphore_value_count)
            }),
            values.map_or(&[][..], |v| {
                slice(v.p_signal_semaphore_values, v.signal_semaphore_value_count)
            }),
        )
    };
    Ok(Submission {
        waits: waits(device, wait, wait_values)?,
        work: buffers
            .iter()
            .map(|buffer| work(*buffer))
            .collect::<Answer<_>>()?,
        signals: signals(device, signal, signal_values)?,
        ..Submission::default()
    })
}

fn batch2(device: &DeviceState, info: &vk::SubmitInfo2<'_>) -> Answer<Submission> {
    // SAFETY: the arrays have the lengths that the structure says.
    let (wait, signal, buffers) = unsafe {
        (
            slice(info.p_wait_semaphore_infos, info.wait_semaphore_info_count),
            slice(info.p_signal_semaphore_infos, info.signal_semaphore_info_count),
            slice(info.p_command_buffer_infos, info.command_buffer_info_count),
        )
    };
    let wait = wait
        .iter()
        .map(|s| Ok(device.semaphore_to_wait(s.semaphore)?.wait_point(s.value)));
    let signal = signal
        .iter()
        .map(|s| Ok(device.tables.semaphores.get(s.semaphore)?.signal_point(s.value)));
    Ok(Submission {
        waits: wait.collect::<Answer<_>>()?,
        work: buffers
            .iter()
            .map(|info| work(info.command_buffer))
            .collect::<Answer<_>>()?,
        signals: signal.collect::<Answer<_>>()?,
        ..Submission::default()
    })
}
