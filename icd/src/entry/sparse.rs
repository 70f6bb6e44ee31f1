//! Binding memory to parts of resources.

use super::queue::{begin, signals, submit, waits};
use crate::{
    args::{Array, slice},
    boundary::commands,
    chain,
    device::{DeviceState, Queue},
    dispatch::Ref,
    error::{Answer, Error},
};
use ash::vk;
use lahar::{
    device::{Cause, CauseKind, Position, Submission, Work},
    memory::{BindError, SparseBind, SparseRange},
    resource::Image,
};
use std::sync::Arc;

commands! {
    fn vkQueueBindSparse(
        queue: Ref<Queue>,
        count: u32,
        binds: Array<vk::BindSparseInfo<'_>>,
        fence: vk::Fence,
    ) -> vk::Result {
        begin(&queue)?;
        let batches = binds.get(count).iter().map(|info| batch(&queue.device, info)).collect::<Answer<_>>()?;
        submit(&queue, batches, fence)
    }
}

impl From<BindError> for Error {
    fn from(error: BindError) -> Self {
        Self(match error {
            // Invalid usage.
            BindError::Outside => vk::Result::ERROR_UNKNOWN,
            BindError::NoRoom => vk::Result::ERROR_OUT_OF_DEVICE_MEMORY,
        })
    }
}

/// What is wrong with the bind of a resource that is not sparse, or of a place that it does not have.
const INVALID: Error = Error(vk::Result::ERROR_UNKNOWN);

fn batch(device: &DeviceState, info: &vk::BindSparseInfo<'_>) -> Answer<Submission> {
    let values = chain::find::<vk::TimelineSemaphoreSubmitInfo<'_>, _>(info);
    // SAFETY: the arrays have the lengths that the structures say.
    let (wait, signal, wait_values, signal_values) = unsafe {
        (
            slice(info.p_wait_semaphores, info.wait_semaphore_count),
            slice(info.p_signal_semaphores, info.signal_semaphore_count),
            values.map_or(&[][..], |v| {
                slice(v.p_wait_semaphore_values, v.wait_semaphore_value_count)
            }),
            values.map_or(&[][..], |v| {
                slice(v.p_signal_semaphore_values, v.signal_semaphore_value_count)
            }),
        )
    };
    let binds = binds(device, info)?;
    let (waits, signals) = (
        waits(device, wait, wait_values)?,
        signals(device, signal, signal_values)?,
    );
    let work = if binds.is_empty() {
        vec![]
    } else {
        vec![work(device, binds)?]
    };
    Ok(Submission {
        waits,
        work,
        signals,
        ..Submission::default()
    })
}

/// What a structure asks to bind, in order.
fn binds(device: &DeviceState, info: &vk::BindSparseInfo<'_>) -> Answer<Vec<SparseBind>> {
    // SAFETY: the arrays have the lengths that the structure says.
    let (buffers, opaque, images) = unsafe {
        (
            slice(info.p_buffer_binds, info.buffer_bind_count),
            slice(info.p_image_opaque_binds, info.image_opaque_bind_count),
            slice(info.p_image_binds, info.image_bind_count),
        )
    };
    let mut all = vec![];
    for bind in buffers {
        let buffer = device.tables.buffers.get(bind.buffer)?;
        // SAFETY: as above.
        let parts = unsafe { slice(bind.p_binds, bind.bind_count) };
        bind_opaque(device, &mut all, buffer.sparse(), parts)?;
    }
    for bind in opaque {
        let image = device.tables.images.get(bind.image)?;
        // SAFETY: as above.
        let parts = unsafe { slice(bind.p_binds, bind.bind_count) };
        bind_opaque(device, &mut all, image.sparse(), parts)?;
    }
    for bind in images {
        let image = device.tables.images.get(bind.image)?;
        // SAFETY: as above.
        let parts = unsafe { slice(bind.p_binds, bind.bind_count) };
        for part in parts {
            bind_blocks(device, &mut all, &image, part)?;
        }
    }
    Ok(all)
}

fn bind_opaque(
    device: &DeviceState,
    all: &mut Vec<SparseBind>,
    range: Option<&Arc<SparseRange>>,
    parts: &[vk::SparseMemoryBind],
) -> Answer {
    let range = range.ok_or(INVALID)?;
    for part in parts {
        let memory = device.tables.memories.get_optional(part.memory)?;
        let memory = memory.map(|memory| (memory, part.memory_offset));
        SparseBind::new(range.clone(), part.resource_offset, part.size, memory)?.join(all);
    }
    Ok(())
}

fn bind_blocks(
    device: &DeviceState,
    all: &mut Vec<SparseBind>,
    image: &Image,
    part: &vk::SparseImageMemoryBind,
) -> Answer {
    let range = image.sparse().ok_or(INVALID)?;
    let memory = device.tables.memories.get_optional(part.memory)?;
    let rows = image
        .sparse_rows(&part.subresource, part.offset, part.extent)
        .ok_or(INVALID)?;
    let mut from = part.memory_offset;
    for (offset, size) in rows {
        let memory = memory.clone().map(|memory| (memory, from));
        SparseBind::new(range.clone(), offset, size, memory)?.join(all);
        from = from.checked_add(size).ok_or(INVALID)?;
    }
    Ok(())
}

/// The binding, as work of a queue.
fn work(device: &DeviceState, binds: Vec<SparseBind>) -> Answer<Work> {
    device.memory.expect_binds(&binds)?;
    Ok(Work::Call(Box::new(move |device| {
        let bound = device
            .memory()
            .map_or(Ok(()), |memory| memory.bind_sparse(&binds));
        if let Err(error) = bound {
            device.lose(Cause::new(
                CauseKind::Internal,
                Position::default(),
                error.to_string(),
            ));
        }
    })))
}
