//! Tables made by `cargo xtask codegen` from the Vulkan registry.
#![forbid(unsafe_code)]

pub mod commands;
pub mod extensions;
pub mod features;
