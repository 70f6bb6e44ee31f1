//! What wraps a translated entry point into a kernel: vertex fetch, the fragment loop, compute ids.
//!
//! ```text
//! vertex.rs    attribute fetch, viewport transform, outputs as vectors
//! fragment.rs  the loop over blocks: coverage, interpolation, tests, shader, blending
//! depth.rs     depth bounds, stencil and depth tests of a sample
//! blend.rs     colours into the words of a tile
//! coverage.rs  primitives into blocks
//! compute.rs   one wave of a workgroup
//! resolve.rs   samples of a tile to one; words of clear values
//! ```
#![forbid(unsafe_code)]

mod blend;
mod blend_advanced;
pub mod compute;
pub mod coverage;
mod depth;
pub mod fragment;
mod interpolate;
pub mod resolve;
#[cfg(test)]
pub(crate) mod testing;
pub mod vertex;

use super::ir::{Builder, Func, Type, Value};
use super::spirv::{
    BuiltIn, EntryPoint, Interface, Outputs, ResourceLayout, SpirvError, StageIo, Start, translate,
};
use crate::shader::abi::Context;
use std::mem::offset_of;

/// The code of one stage, to be put into a kernel; it may be asked for more than once.
pub trait Shader: Send + Sync + std::fmt::Debug {
    /// What it uses.
    fn interface(&self) -> &Interface;

    /// Appends it where the builder stands.
    ///
    /// # Errors
    /// What is wrong with the SPIR-V.
    fn emit(&self, io: &mut dyn StageIo, b: &mut Builder<'_>, start: Start) -> Result<Outputs, SpirvError>;
}

/// An entry point of a SPIR-V module with the pipeline layout it is used with.
#[derive(Debug)]
pub struct SpirvShader {
    /// The entry point.
    pub entry: EntryPoint,
    /// Where its descriptors are.
    pub layout: ResourceLayout,
}

impl Shader for SpirvShader {
    fn interface(&self) -> &Interface {
        &self.entry.interface
    }

    fn emit(&self, io: &mut dyn StageIo, b: &mut Builder<'_>, start: Start) -> Result<Outputs, SpirvError> {
        translate(&self.entry, &self.layout, io, b, start)
    }
}

/// Locations that stand for clip and cull distances in lists of varyings.
pub const CLIP_DISTANCES: u32 = u32::MAX;
/// See [`CLIP_DISTANCES`].
pub const CULL_DISTANCES: u32 = u32::MAX - 1;

/// Elements of a built-in array that a shader writes.
#[must_use]
pub fn written_elements(interface: &Interface, builtin: BuiltIn) -> u32 {
    let found = interface
        .output_builtins
        .iter()
        .find(|(other, _)| *other == builtin);
    found.map_or(0, |(_, count)| (*count).min(8))
}

/// A kernel under construction: `fn(ctx, arg) -> status`.
fn kernel(name: &str, width: u32) -> (Func, Value, Value) {
    let func = Func::new(name, width, &[Type::S64, Type::S64]);
    let params = &func.blocks[0].params;
    let (ctx, arg) = (params[0], params[1]);
    (func, ctx, arg)
}

/// Gives the wave that begins its fuel, if the shader can turn in loops at all.
fn refuel(b: &mut Builder<'_>, shader: &dyn Shader, ctx: Value) {
    if shader.interface().has_loops {
        let fuel = b.lload(ctx, at(offset_of!(Context, wave_fuel)));
        b.lstore(ctx, fuel, at(offset_of!(Context, fuel)));
    }
}

/// A byte offset as an immediate.
fn at(offset: usize) -> i64 {
    offset as i64
}

/// `base + index * size`.
fn element(b: &mut Builder<'_>, base: Value, index: Value, size: usize) -> Value {
    let index = b.lzext(index);
    let size = b.lconst(at(size));
    let offset = b.lmul(index, size);
    b.ladd(base, offset)
}

/// 1 in the lanes of the mask, else 0.
fn mask_to_int(b: &mut Builder<'_>, mask: Value) -> Value {
    let (one, zero) = (b.vconst(1), b.vconst(0));
    b.vselect(mask, one, zero)
}

/// The lanes of every quad in which a lane is on.
fn whole_quads(b: &mut Builder<'_>, mask: Value) -> Value {
    let bits = b.mbits(mask);
    let shift = |b: &mut Builder<'_>, bits: Value, by: i64| {
        let by = b.sconst(by);
        let shifted = b.sshr(bits, by);
        b.sor(bits, shifted)
    };
    let bits = shift(b, bits, 1);
    let bits = shift(b, bits, 2);
    let first = b.sconst(0x1111);
    let first = b.sand(bits, first);
    let four = b.sconst(15);
    let bits = b.smul(first, four);
    b.mfrom_bits(bits)
}
