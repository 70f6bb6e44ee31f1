//! Events.

use crate::device::Device;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// An event: set, reset and read by the host and by command buffers.
#[derive(Debug, Default)]
pub struct Event {
    set: AtomicBool,
    handle: AtomicU64,
}

impl Event {
    /// Its handle, for messages; 0 before it has one.
    #[must_use]
    pub fn handle(&self) -> u64 {
        self.handle.load(Ordering::Relaxed)
    }

    /// Learns its handle.
    pub fn set_handle(&self, handle: u64) {
        self.handle.store(handle, Ordering::Relaxed);
    }

    /// Whether it is set.
    #[must_use]
    pub fn is_set(&self) -> bool {
        self.set.load(Ordering::SeqCst)
    }

    /// Sets it and wakes queues that wait for it.
    pub fn set(&self, device: &Device) {
        self.set.store(true, Ordering::SeqCst);
        device.hub().notify();
    }

    /// Resets it.
    pub fn reset(&self) {
        self.set.store(false, Ordering::SeqCst);
    }
}
