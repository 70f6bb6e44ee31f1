//! Fences.

use super::payload::{Kind, Payload, Watch};
use super::{Deadline, Outcome};
use crate::device::Device;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// A fence: set by a queue or the window system, reset by the host.
#[derive(Debug)]
pub struct Fence {
    payload: Payload,
    watch: Watch,
}

impl Default for Fence {
    fn default() -> Fence {
        Fence::new(false)
    }
}

impl Fence {
    /// A fence in the given state.
    #[must_use]
    pub fn new(signaled: bool) -> Fence {
        Fence::of(Payload::own(), signaled)
    }

    fn of(payload: Payload, signaled: bool) -> Fence {
        let fence = Fence {
            payload,
            watch: Watch::default(),
        };
        if signaled {
            fence.mark();
        }
        fence
    }

    /// A fence that other processes can share; none if the system has no memory for it.
    #[must_use]
    pub fn exportable(signaled: bool) -> Option<Fence> {
        Some(Fence::of(Payload::shared(Kind::Fence)?, signaled))
    }

    /// A fence that was exported; none if the descriptor is not of one.
    #[must_use]
    pub fn import(fd: BorrowedFd<'_>) -> Option<Fence> {
        Some(Fence::of(Payload::import(fd, Kind::Fence)?, false))
    }

    /// A descriptor for other processes; none if it cannot be exported.
    #[must_use]
    pub fn export(&self) -> Option<OwnedFd> {
        self.payload.export()
    }

    /// From now on the device learns of what others do with it.
    pub fn watch(&self, device: &Arc<Device>) {
        self.watch.start(device, &self.payload);
    }

    /// Whether it is signaled.
    #[must_use]
    pub fn is_signaled(&self) -> bool {
        self.payload.cell(0).load(Ordering::SeqCst) != 0
    }

    /// Signals it and wakes those who wait.
    pub fn signal(&self, device: &Device) {
        self.mark();
        device.hub().notify();
    }

    /// Signals it; the caller wakes those who wait.
    pub(crate) fn mark(&self) {
        self.payload.cell(0).store(1, Ordering::SeqCst);
        self.payload.changed();
    }

    /// Unsignals it.
    pub fn reset(&self) {
        self.payload.cell(0).store(0, Ordering::SeqCst);
    }
}

/// Waits for all or any of the fences.
pub fn wait_fences(device: &Device, fences: &[Arc<Fence>], all: bool, deadline: Deadline) -> Outcome {
    device.wait(deadline, || {
        if all {
            fences.iter().all(|fence| fence.is_signaled())
        } else {
            fences.is_empty() || fences.iter().any(|fence| fence.is_signaled())
        }
    })
}
