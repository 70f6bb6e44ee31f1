//! Vulkan vocabulary: ash's types, plus what `cargo xtask codegen` makes from the registry.
#![forbid(unsafe_code)]

pub use ash::vk::*;
