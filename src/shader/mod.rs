//! The shader compiler: SPIR-V → wave IR → passes → machine code, or the interpreter.
//!
//! ```text
//! spirv/    parse, check, structure; divergence; translation to the wave IR
//! ir/       the wave IR: types, operations, builder, text form, parser, verifier
//! passes/   fold, GVN, DCE, barrier splitting: one file a pass
//! math/     transcendental functions and 64-bit arithmetic as IR
//! sampling/ image reads, writes and sampling as IR routines; texel format codecs
//! stage/    what wraps a translated entry point: vertex fetch, fragment loop, compute ids
//! guard     checks of device addresses before they are used
//! codegen/  wave IR → machine code; the only place that names an instruction set
//! interp/   the oracle: runs the same IR, one lane after another
//! rerun     runs a faulting wave once more, watched, to find its lane and the values of its variables
//! ```
//! Invariant: nothing here knows a Vulkan object; `codegen/` knows nothing of SPIR-V.

pub mod abi;
pub mod codegen;
pub mod guard;
pub mod interp;
pub mod ir;
pub mod kernel;
pub mod math;
pub mod passes;
pub mod rerun;
pub mod sampling;
pub mod spirv;
pub mod stage;
