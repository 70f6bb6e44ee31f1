//! Lahar: a Vulkan device that runs on the CPU and fails on command. This crate is the engine, in plain Rust
//! types; `icd/` puts the C ABI around it. `ARCHITECTURE.md` is the map.

pub mod command;
pub mod compute;
pub mod config;
pub mod descriptor;
pub mod device;
pub mod exec;
pub mod fault;
pub mod generated;
pub mod memory;
pub mod physical;
pub mod pipeline;
pub mod query;
pub mod raster;
pub mod resource;
pub mod shader;
pub mod sync;
pub mod vk;
pub mod wsi;
