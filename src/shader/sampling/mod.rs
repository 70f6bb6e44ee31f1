#![forbid(unsafe_code)]
//! Image access as IR: texel codecs, loads and stores, sampling, blits and resolves.
//!
//! ```text
//! codec.rs          texels to and from four-component values; loads and stores of texels
//! codec_unpack.rs   words of a texel -> value, by kind of component
//! codec_pack.rs     value -> words of a texel, by kind of component
//! ```

pub mod codec;
mod codec_pack;
mod codec_unpack;
