//! Descriptors: plain bytes with no host pointer in them.
//!
//! A descriptor set is a run of bytes in device memory in which each binding has an offset and each element a
//! stride (the size of its descriptor; see `encoding.rs`). A kernel is given the address of each set; descriptor buffers are
//! the same bytes in the application's memory.

mod encoding;

pub use encoding::{
    BufferDescriptor, ImageDescriptor, MAX_MIP_OFFSETS, SamplerDescriptor, TexelBufferDescriptor,
};
