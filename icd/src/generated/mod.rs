//! Made by `cargo xtask codegen` from the Vulkan registry.

pub(crate) mod descriptor_heap;
pub(crate) mod device_fault;
pub(crate) mod newer;
pub(crate) mod pfn;
