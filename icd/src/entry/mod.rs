//! Entry points, one file an area.

mod debug_utils;
mod device;
mod fault;
mod format;
mod instance;
mod physical_device;
mod properties;

use crate::boundary::Function;

/// The entry points of all areas.
pub(crate) const ALL: &[&[(&str, Function)]] = &[
    debug_utils::COMMANDS,
    device::COMMANDS,
    fault::COMMANDS,
    format::COMMANDS,
    instance::COMMANDS,
    physical_device::COMMANDS,
    properties::COMMANDS,
];

/// Commands that are the same as another: name, and the name that has the entry point.
pub(crate) const ALIASES: &[&[(&str, &str)]] = &[
    format::ALIASES,
    instance::ALIASES,
    physical_device::ALIASES,
    properties::ALIASES,
];
