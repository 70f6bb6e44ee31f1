//! Against scalar references written down from the specification.

mod codec;
mod image;
mod reference;
mod sample;
mod sampler;
mod texel;
mod transfer;
