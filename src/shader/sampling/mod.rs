#![forbid(unsafe_code)]
//! Image access as IR: texel codecs, loads and stores, sampling, blits and resolves.
//!
//! ```text
//! codec.rs          texels to and from four-component values; loads and stores of texels
//! codec_unpack.rs   words of a texel -> value, by kind of component
//! codec_pack.rs     value -> words of a texel, by kind of component
//! block.rs          texels of compressed blocks
//! op.rs             what a shader asks of an image, and the number that stands for it
//! emit.rs           what the shader translator calls
//! call.rs           calls to routines through the inline cache
//! locate.rs         descriptors and integer coordinates -> addresses
//! state.rs          the bits of descriptors that code depends on
//! routine.rs        the cache of compiled routines, and what fills inline caches from it
//! build.rs          key -> function of a routine
//! sample.rs         sampling; lod.rs, cube.rs, wrap.rs and footprint.rs are its steps
//! anisotropy.rs     several samples along the longer axis of a footprint
//! ycbcr.rs          luma and chroma: their planes, and what colours they stand for
//! transfer.rs       blits, resolves and clears on plain memory; their kernels
//! ```

pub mod codec;
mod codec_pack;
mod codec_unpack;

mod anisotropy;
mod block;
mod build;
mod call;
mod cube;
mod emit;
mod footprint;
mod locate;
mod lod;
mod op;
mod routine;
mod sample;
mod state;
pub mod transfer;
mod transfer_kernels;
mod wrap;
mod ycbcr;

pub use build::{Key, build};
pub use call::Env;
pub use emit::{
    Atomic, emit_buffer_atomic, emit_buffer_read, emit_buffer_write, emit_fetch, emit_image_atomic,
    emit_image_read, emit_image_write, emit_query_buffer_size, emit_query_levels, emit_query_lod,
    emit_query_samples, emit_query_size, emit_sample,
};
pub use lod::MAX_LOD_BIAS;
pub use op::{Dim, OpKind, Operation, SampleArgs, TexelArgs, Vectors};
pub use routine::RoutineCache;
pub use state::texel_bytes;

#[cfg(test)]
mod tests;
