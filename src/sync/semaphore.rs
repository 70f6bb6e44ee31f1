//! Binary and timeline semaphores.
//!
//! Both are a counter that only grows. A timeline semaphore shows it; a binary semaphore counts its signals,
//! and each wait, when it is submitted, draws the number of the signal that it consumes. So the pairs
//! are decided by the order of the calls, not by that of the threads.

use super::payload::{Kind, Payload, Watch};
use super::{Deadline, Outcome};
use crate::device::Device;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Which kind of semaphore.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SemaphoreKind {
    /// Signaled and waited for in pairs.
    Binary,
    /// A counter that the application sees.
    Timeline,
}

impl SemaphoreKind {
    fn payload(self) -> Kind {
        match self {
            SemaphoreKind::Binary => Kind::Binary,
            SemaphoreKind::Timeline => Kind::Timeline,
        }
    }
}

/// A semaphore.
#[derive(Debug)]
pub struct Semaphore {
    kind: SemaphoreKind,
    /// The value, and for binary semaphores the waits and the signals submitted so far.
    payload: Payload,
    watch: Watch,
    handle: AtomicU64,
}

/// Places of the counters.
const VALUE: usize = 0;
const WAITS: usize = 1;
const PROMISES: usize = 2;

/// A semaphore and the value it is to reach.
#[derive(Clone, Debug)]
pub struct Point {
    /// The semaphore.
    pub semaphore: Arc<Semaphore>,
    /// For a wait, the least value that satisfies it; for a signal the new value (ignored for binary ones).
    pub value: u64,
}

impl Point {
    /// Whether the semaphore has got there.
    #[must_use]
    pub fn reached(&self) -> bool {
        self.semaphore.value() >= self.value
    }
}

impl Semaphore {
    /// An unsignaled binary semaphore.
    #[must_use]
    pub fn binary() -> Semaphore {
        Semaphore::new(SemaphoreKind::Binary, Payload::own())
    }

    /// A timeline semaphore with its first value.
    #[must_use]
    pub fn timeline(value: u64) -> Semaphore {
        let semaphore = Semaphore::new(SemaphoreKind::Timeline, Payload::own());
        semaphore.payload.cell(VALUE).store(value, Ordering::SeqCst);
        semaphore
    }

    fn new(kind: SemaphoreKind, payload: Payload) -> Semaphore {
        Semaphore {
            kind,
            payload,
            watch: Watch::default(),
            handle: AtomicU64::new(0),
        }
    }

    /// A semaphore that other processes can share; none if the system has no memory for it.
    #[must_use]
    pub fn exportable(kind: SemaphoreKind, value: u64) -> Option<Semaphore> {
        let semaphore = Semaphore::new(kind, Payload::shared(kind.payload())?);
        semaphore.payload.cell(VALUE).store(value, Ordering::SeqCst);
        Some(semaphore)
    }

    /// A semaphore that was exported; none if the descriptor is not of one of this kind.
    #[must_use]
    pub fn import(kind: SemaphoreKind, fd: BorrowedFd<'_>) -> Option<Semaphore> {
        Some(Semaphore::new(kind, Payload::import(fd, kind.payload())?))
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

    /// Its handle, for messages; 0 before it has one.
    #[must_use]
    pub fn handle(&self) -> u64 {
        self.handle.load(Ordering::Relaxed)
    }

    /// Learns its handle.
    pub fn set_handle(&self, handle: u64) {
        self.handle.store(handle, Ordering::Relaxed);
    }

    /// A signal of a binary semaphore is on its way.
    pub fn promise(&self) {
        self.payload.cell(PROMISES).fetch_add(1, Ordering::SeqCst);
    }

    /// Whether a value is sure to come, or anybody may signal it at any time.
    #[must_use]
    pub fn is_promised(&self, value: u64) -> bool {
        self.kind == SemaphoreKind::Timeline
            || self.payload.is_shared()
            || self.payload.cell(PROMISES).load(Ordering::SeqCst) >= value
    }

    /// Which kind it is.
    #[must_use]
    pub fn kind(&self) -> SemaphoreKind {
        self.kind
    }

    /// The counter.
    #[must_use]
    pub fn value(&self) -> u64 {
        self.payload.cell(VALUE).load(Ordering::SeqCst)
    }

    /// The point for a wait that is being submitted now; `value` counts for timeline semaphores only.
    #[must_use]
    pub fn wait_point(self: &Arc<Self>, value: u64) -> Point {
        let value = match self.kind {
            SemaphoreKind::Timeline => value,
            SemaphoreKind::Binary => self.payload.cell(WAITS).fetch_add(1, Ordering::SeqCst) + 1,
        };
        Point {
            semaphore: self.clone(),
            value,
        }
    }

    /// The point for a signal that is being submitted now; `value` counts for timeline semaphores only.
    #[must_use]
    pub fn signal_point(self: &Arc<Self>, value: u64) -> Point {
        if self.kind == SemaphoreKind::Binary {
            self.promise();
        }
        Point {
            semaphore: self.clone(),
            value,
        }
    }

    /// Signals: a timeline semaphore takes the value (it never falls), a binary one counts.
    pub fn signal(&self, device: &Device, value: u64) {
        self.mark(value);
        device.hub().notify();
    }

    /// Signals; the caller wakes those who wait.
    pub(crate) fn mark(&self, value: u64) {
        match self.kind {
            SemaphoreKind::Timeline => self.payload.cell(VALUE).fetch_max(value, Ordering::SeqCst),
            SemaphoreKind::Binary => self.payload.cell(VALUE).fetch_add(1, Ordering::SeqCst),
        };
        self.payload.changed();
    }
}

/// Waits for all or any of the points.
pub fn wait_points(device: &Device, points: &[Point], all: bool, deadline: Deadline) -> Outcome {
    device.wait(deadline, || {
        if all {
            points.iter().all(Point::reached)
        } else {
            points.is_empty() || points.iter().any(Point::reached)
        }
    })
}
