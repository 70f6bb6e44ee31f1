//! Command pools and command buffers, as the C ABI sees them.

use crate::{
    device::DeviceState,
    dispatch::{Dispatch, End, Owned},
};
use ash::vk::{self, Handle};
use lahar::{
    command::{self, Recorder},
    descriptor::{MAX_DESCRIPTOR_BUFFERS, PushedSets},
};
use parking_lot::Mutex;
use std::{collections::BTreeMap, sync::Arc};

/// A command pool: it owns its command buffers.
#[derive(Default)]
pub(crate) struct CommandPool {
    buffers: Mutex<BTreeMap<u64, Owned<CommandBuffer>>>,
}

/// A command buffer.
pub(crate) struct CommandBuffer {
    /// The device's state.
    pub(crate) device: Arc<DeviceState>,
    /// The engine's command buffer.
    pub(crate) engine: command::CommandBuffer,
    /// What it knows of descriptor sets while it is recorded.
    pub(crate) sets: Mutex<SetState>,
}

/// Descriptor sets that are not objects.
#[derive(Default)]
pub(crate) struct SetState {
    /// Pushed sets of graphics and compute.
    pub(crate) pushed: [PushedSets; 2],
    /// Addresses of the bound descriptor buffers.
    pub(crate) descriptor_buffers: [u64; MAX_DESCRIPTOR_BUFFERS],
}

impl CommandPool {
    /// Adds a command buffer.
    pub(crate) fn add(&self, buffer: CommandBuffer) -> vk::CommandBuffer {
        let buffer = Owned::new(buffer);
        let handle = buffer.handle();
        buffer.engine.set_handle(handle.as_raw());
        self.buffers.lock().insert(handle.as_raw(), buffer);
        handle
    }

    /// Frees a command buffer.
    pub(crate) fn free(&self, handle: vk::CommandBuffer) {
        if let Some(buffer) = self.buffers.lock().remove(&handle.as_raw()) {
            // Its address may be the next one's.
            let kind = vk::ObjectType::COMMAND_BUFFER.as_raw();
            buffer.device.engine.names().take(kind, handle.as_raw());
        }
    }

    /// Looks at the handles of all command buffers.
    pub(crate) fn each(&self, look: impl FnMut(u64)) {
        self.buffers.lock().keys().copied().for_each(look);
    }

    /// Resets all command buffers.
    pub(crate) fn reset(&self, release: bool) {
        for buffer in self.buffers.lock().values() {
            buffer.engine.reset(release);
        }
    }
}

impl CommandBuffer {
    /// Records commands.
    pub(crate) fn record(&self, f: impl FnOnce(&mut Recorder)) {
        // Outside a recording, which is not valid usage, there is nothing to record to.
        let _ = self.engine.record(f);
    }
}

impl Dispatch for CommandBuffer {
    type Handle = vk::CommandBuffer;
    fn note(&self, end: End<'_>) {
        self.device.note(end);
    }
}
