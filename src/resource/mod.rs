//! Resources as memory: formats, images and their layout, buffers, views, samplers.

pub mod format;
