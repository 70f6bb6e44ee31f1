//! What objects take that have no parts of their own; others say it where they are defined.
#![forbid(unsafe_code)]

use super::Allocation;
use super::charge::{Footprint, bytes_of};
use crate::resource::{Buffer, BufferView, ImageView, Sampler};
use crate::sync::{Event, Fence, Semaphore};

/// Objects that are as large as their type.
macro_rules! plain {
    ($($ty:ty),*) => {
        $(impl Footprint for $ty {
            fn footprint(&self) -> u64 {
                bytes_of(self)
            }
        })*
    };
}

plain!(Buffer, BufferView, ImageView, Sampler, Event, Fence, Semaphore);

impl Footprint for Allocation {
    /// It reports itself.
    fn footprint(&self) -> u64 {
        0
    }
}
