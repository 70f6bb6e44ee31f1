//! Vulkan vocabulary: ash's types, plus what `cargo xtask codegen` makes from the registry.

pub use ash::vk::*;
