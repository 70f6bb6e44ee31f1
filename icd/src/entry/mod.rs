//! Entry points, one file an area.

mod buffer;
mod debug_utils;
pub(crate) mod descriptor;
mod device;
mod fault;
mod format;
mod image;
mod instance;
mod memory;
mod physical_device;
mod properties;
mod sampler;

use crate::boundary::Function;

/// The entry points of all areas.
pub(crate) const ALL: &[&[(&str, Function)]] = &[
    buffer::COMMANDS,
    debug_utils::COMMANDS,
    descriptor::COMMANDS,
    device::COMMANDS,
    fault::COMMANDS,
    format::COMMANDS,
    image::COMMANDS,
    instance::COMMANDS,
    memory::COMMANDS,
    physical_device::COMMANDS,
    properties::COMMANDS,
    sampler::COMMANDS,
];

/// Commands that are the same as another: name, and the name that has the entry point.
pub(crate) const ALIASES: &[&[(&str, &str)]] = &[
    buffer::ALIASES,
    descriptor::ALIASES,
    format::ALIASES,
    image::ALIASES,
    instance::ALIASES,
    memory::ALIASES,
    physical_device::ALIASES,
    properties::ALIASES,
];
