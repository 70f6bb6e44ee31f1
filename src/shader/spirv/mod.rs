#![forbid(unsafe_code)]
//! SPIR-V 1.0 to 1.6 → wave IR, for vertex, fragment and compute shaders.
//!
//! ```text
//! parse.rs       words → instructions
//! module.rs      sections, names, decorations, entry points, functions
//! types.rs       types, constants.rs: constants with the pipeline's specialization applied
//! structure.rs   blocks, merges, dominators, loops of a function
//! heap.rs        how bindings find their descriptors in heaps
//! interface.rs   what an entry point uses: resources, inputs, outputs, sizes, modes
//! api.rs         what the caller gives (layout, stage inputs) and gets (outputs)
//! translate/     the walk that emits wave IR
//! ```
//!
//! Everything an application can put into a module is checked when it is looked at: unknown ids, wrong types,
//! recursion, unstructured control flow, absurd sizes. The answer to all of it is a [`SpirvError`].
//!
//! ```ignore
//! let module = Module::parse(words)?;
//! let entry = module.entry("main", vk::ShaderStageFlags::COMPUTE, &SpecInfo::default())?;
//! // entry.interface says what it needs; the stage code opens its loop, then:
//! let outputs = translate(&entry, &layout, &mut io, &mut builder, start)?;
//! // builder now stands at the end of the shader; outputs.values are what it wrote.
//! ```

mod api;
mod constants;
mod error;
pub mod heap;
mod interface;
mod layout;
mod module;
mod parse;
mod structure;
mod types;
mod usage;
mod watch;

pub use ::spirv::BuiltIn;
pub use api::{
    BindingLayout, Descriptor, Input, Interpolate, Interpolation, Output, OutputSlot, Outputs,
    ResourceLayout, SpecInfo, StageIo, Start,
};
pub use error::SpirvError;
pub use interface::{EntryPoint, Interface, InterfaceScalar, Resource, ScalarKind};
pub use module::Module;
mod translate;
pub use translate::{translate, translate_watched};
pub use watch::{Mark, Watches};

#[cfg(test)]
mod tests;
