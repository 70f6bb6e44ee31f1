//! Synchronization objects: fences, binary and timeline semaphores, events, and the hub on which all waits sleep.
#![forbid(unsafe_code)]

mod event;
mod fence;
mod hub;
mod payload;
mod semaphore;

pub use event::Event;
pub use fence::{Fence, wait_fences};
pub(crate) use hub::spin;
pub use hub::{Deadline, Hub, Outcome};
pub use semaphore::{Point, Semaphore, SemaphoreKind, wait_points};
