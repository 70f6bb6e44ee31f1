//! Descriptors: plain bytes with no host pointer in them.
//!
//! A descriptor set is a run of bytes in device memory in which each binding has an offset and each element a
//! stride (the size of its descriptor; see `encoding.rs`). A kernel is given the address of each set; descriptor buffers are
//! the same bytes in the application's memory.
#![forbid(unsafe_code)]

mod capture;
mod encoding;
mod layout;
mod pool;
mod push;
mod slot;
mod write;

pub use capture::{
    CAPTURE_DATA_SIZE, Capture, CaptureKind, Captures, HEAP_CAPTURE_DATA_SIZE, NotCaptured, fingerprint,
    number_of, parts, with_address,
};
pub use encoding::{
    BufferDescriptor, ImageDescriptor, KIND_MARK, MAX_MIP_OFFSETS, SamplerDescriptor, TexelBufferDescriptor,
};
pub use layout::{
    Binding, BindingInfo, PipelineLayout, SET_ALIGNMENT, SetLayout, descriptor_size, is_dynamic,
};
pub use pool::{DescriptorSet, Pool, PoolInfo};
pub use push::{PushedSets, Target};
pub use write::{Cursor, Spot};

use crate::{memory, vk};

/// Descriptor buffers that can be bound at once.
pub const MAX_DESCRIPTOR_BUFFERS: usize = 32;

/// Why something with descriptors failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// There are no descriptors of this type.
    #[error("descriptor type {0:?} is not supported")]
    Type(vk::DescriptorType),
    /// The layout or pool is too large.
    #[error("too many descriptors")]
    TooLarge,
    /// The pool has too few sets or descriptors left.
    #[error("the descriptor pool is used up")]
    OutOfPoolMemory,
    /// The pool has enough left, but not in one piece.
    #[error("the descriptor pool is fragmented")]
    FragmentedPool,
    /// No memory for the pool.
    #[error(transparent)]
    Memory(#[from] memory::Error),
}

impl From<Error> for vk::Result {
    fn from(e: Error) -> vk::Result {
        match e {
            Error::Type(_) => vk::Result::ERROR_UNKNOWN,
            Error::TooLarge => vk::Result::ERROR_OUT_OF_DEVICE_MEMORY,
            Error::OutOfPoolMemory => vk::Result::ERROR_OUT_OF_POOL_MEMORY,
            Error::FragmentedPool => vk::Result::ERROR_FRAGMENTED_POOL,
            Error::Memory(e) => e.into(),
        }
    }
}
