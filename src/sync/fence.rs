//! Fences.

use super::{Deadline, Outcome};
use crate::device::Device;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A fence: set by a queue or the window system, reset by the host.
#[derive(Debug, Default)]
pub struct Fence {
    signaled: AtomicBool,
}

impl Fence {
    /// A fence in the given state.
    #[must_use]
    pub fn new(signaled: bool) -> Fence {
        Fence {
            signaled: AtomicBool::new(signaled),
        }
    }

    /// Whether it is signaled.
    #[must_use]
    pub fn is_signaled(&self) -> bool {
        self.signaled.load(Ordering::SeqCst)
    }

    /// Signals it and wakes those who wait.
    pub fn signal(&self, device: &Device) {
        self.mark();
        device.hub().notify();
    }

    /// Signals it; the caller wakes those who wait.
    pub(crate) fn mark(&self) {
        self.signaled.store(true, Ordering::SeqCst);
    }

    /// Unsignals it.
    pub fn reset(&self) {
        self.signaled.store(false, Ordering::SeqCst);
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
