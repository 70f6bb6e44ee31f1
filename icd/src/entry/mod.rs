//! Entry points, one file an area.

mod buffer;
mod checkpoint;
mod command_buffer;
mod command_pool;
pub(crate) mod control;
mod debug_utils;
pub(crate) mod descriptor;
mod descriptor_buffer;
mod descriptor_heap;
mod device;
mod draw;
mod dynamic_state;
mod dynamic_state3;
pub(crate) mod external;
mod fault;
mod format;
mod host_copy;
mod image;
mod instance;
mod memory;
mod physical_device;
mod pipeline;
pub(crate) mod pipeline_library;
mod pipeline_state;
pub(crate) mod private_data;
mod properties;
mod properties_core;
mod properties_newer;
mod push_descriptor;
mod query;
mod queue;
mod render_pass;
mod sampler;
mod shader_module;
mod shader_object;
mod sparse;
mod surface;
pub(crate) mod swapchain;
mod sync;
mod transfer;

use crate::boundary::Function;

/// The entry points of all areas.
pub(crate) const ALL: &[&[(&str, Function)]] = &[
    buffer::COMMANDS,
    checkpoint::COMMANDS,
    command_buffer::COMMANDS,
    command_pool::COMMANDS,
    debug_utils::COMMANDS,
    descriptor::COMMANDS,
    descriptor_buffer::COMMANDS,
    descriptor_heap::COMMANDS,
    device::COMMANDS,
    draw::COMMANDS,
    dynamic_state::COMMANDS,
    dynamic_state3::COMMANDS,
    external::COMMANDS,
    fault::COMMANDS,
    format::COMMANDS,
    host_copy::COMMANDS,
    image::COMMANDS,
    instance::COMMANDS,
    memory::COMMANDS,
    physical_device::COMMANDS,
    pipeline::COMMANDS,
    private_data::COMMANDS,
    properties::COMMANDS,
    push_descriptor::COMMANDS,
    query::COMMANDS,
    queue::COMMANDS,
    sparse::COMMANDS,
    render_pass::COMMANDS,
    sampler::COMMANDS,
    shader_module::COMMANDS,
    shader_object::COMMANDS,
    surface::COMMANDS,
    swapchain::COMMANDS,
    sync::COMMANDS,
    transfer::COMMANDS,
];

/// Commands that are the same as another: name, and the name that has the entry point.
pub(crate) const ALIASES: &[&[(&str, &str)]] = &[
    buffer::ALIASES,
    command_buffer::ALIASES,
    command_pool::ALIASES,
    descriptor::ALIASES,
    device::ALIASES,
    dynamic_state::ALIASES,
    format::ALIASES,
    host_copy::ALIASES,
    image::ALIASES,
    instance::ALIASES,
    memory::ALIASES,
    physical_device::ALIASES,
    pipeline::ALIASES,
    private_data::ALIASES,
    properties::ALIASES,
    push_descriptor::ALIASES,
    query::ALIASES,
    queue::ALIASES,
    render_pass::ALIASES,
    sampler::ALIASES,
    shader_module::ALIASES,
    swapchain::ALIASES,
    sync::ALIASES,
    transfer::ALIASES,
];
