//! Command pools and command buffers, as the C ABI sees them.

use crate::{
    device::DeviceState,
    dispatch::{Dispatch, End, Owned},
    error::Answer,
    hook::Scene,
    host::{Callbacks, HostBlock},
};
use ash::vk::{self, Handle};
use lahar::{
    command::{self, Recorder},
    descriptor::{MAX_DESCRIPTOR_BUFFERS, PushedSets},
    memory::{Charge, Footprint, bytes_of},
};
use parking_lot::Mutex;
use std::{collections::BTreeMap, sync::Arc};

/// A command pool: it owns its command buffers.
pub(crate) struct CommandPool {
    /// The application's allocator for them.
    pub(crate) callbacks: Option<Callbacks>,
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
    /// The application's host memory for it.
    pub(crate) host: Option<HostBlock>,
    /// What it takes itself.
    pub(crate) charge: Option<Charge>,
    /// What its commands take, once they are all recorded.
    pub(crate) recorded: Mutex<Option<Charge>>,
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
    /// An empty pool.
    pub(crate) fn new(callbacks: Option<Callbacks>) -> Self {
        Self {
            callbacks,
            buffers: Mutex::default(),
        }
    }

    /// Makes a command buffer.
    pub(crate) fn allocate(&self, device: &Arc<DeviceState>, secondary: bool) -> Answer<vk::CommandBuffer> {
        let scope = vk::SystemAllocationScope::OBJECT;
        let mut buffer = Owned::new(CommandBuffer {
            device: device.clone(),
            engine: command::CommandBuffer::new(device.engine.next_command_buffer(), secondary),
            sets: Mutex::default(),
            host: HostBlock::take(None, self.callbacks, size_of::<CommandBuffer>(), scope)?,
            charge: None,
            recorded: Mutex::default(),
        });
        let handle = buffer.handle();
        buffer.engine.set_handle(handle.as_raw());
        let bytes = size_of::<CommandBuffer>() as u64;
        buffer.charge = Some(
            device
                .memory
                .charge(bytes, vk::ObjectType::COMMAND_BUFFER, handle.as_raw())?,
        );
        self.buffers.lock().insert(handle.as_raw(), buffer);
        Ok(handle)
    }

    /// Frees all command buffers, their host memory through the allocator of the command that destroys the pool.
    pub(crate) fn free_all(&self, allocator: Option<&vk::AllocationCallbacks<'_>>) {
        for mut buffer in std::mem::take(&mut *self.buffers.lock()).into_values() {
            let host = buffer.host.take();
            drop(buffer);
            host.into_iter().for_each(|host| host.give_all(allocator));
        }
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
            buffer.reset(release);
        }
    }
}

impl Footprint for CommandPool {
    fn footprint(&self) -> u64 {
        bytes_of(self)
    }
}

impl CommandBuffer {
    /// Ends the recording, and counts what it takes.
    pub(crate) fn end(&self, handle: vk::CommandBuffer) -> Answer {
        self.engine.end();
        let bytes = self.engine.list().map_or(0, |list| list.footprint());
        if bytes > 0 {
            let charge = self
                .device
                .memory
                .charge(bytes, vk::ObjectType::COMMAND_BUFFER, handle.as_raw())?;
            *self.recorded.lock() = Some(charge);
        }
        Ok(())
    }

    /// Forgets what was recorded; `release` gives its memory back.
    pub(crate) fn reset(&self, release: bool) {
        self.engine.reset(release);
        self.recorded.lock().take();
    }

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
    fn scene(&self) -> Option<Scene<'_>> {
        Some(Scene::Device(&self.device, None))
    }
}
