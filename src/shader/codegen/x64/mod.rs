//! x86-64: AVX2 for 8 lanes, AVX-512 for 16.
//!
//! ```text
//! order     block order
//! lower/    wave IR → machine instructions over virtual registers
//! inst      those instructions
//! regs      registers; which allocator
//! alloc/    register allocation; regalloc2 stands in for what it cannot do
//! frame     the stack frame; moves of the allocator
//! emit      allocated instructions → bytes; lanes: the per-lane loops; guard: the long ways of guards
//! encoder   bytes of one instruction; opcodes: the table; pool: constants
//! ```
#![forbid(unsafe_code)]

mod alloc;
mod emit;
mod encoder;
mod frame;
mod guard;
mod inst;
mod lanes;
mod lower;
mod opcodes;
mod order;
mod pool;
mod regs;
#[cfg(test)]
mod tests;

use super::{CodegenError, Image};
use crate::shader::ir::{Func, NO_ORIGIN};
use crate::shader::kernel::Backend;
use encoder::Isa;

/// Compiles a function to position-independent bytes.
pub(super) fn assemble(func: &Func, backend: Backend) -> Result<Image, CodegenError> {
    let isa = match backend {
        Backend::Interpreter => return Err(CodegenError::NoCode),
        Backend::Avx2 => Isa::Avx2,
        Backend::Avx512 => Isa::Avx512,
    };
    let (mach, pool) = lower::lower(func, isa)?;
    let allocated = regs::allocate(&mach, isa)?;
    let (bytes, mut sites) = emit::emit(&mach, &allocated, &pool);
    for site in &mut sites {
        let block = func.blocks.get(site.block as usize);
        let inst = block.and_then(|block| block.insts.get(site.inst as usize));
        site.origin = inst.map_or(NO_ORIGIN, |inst| inst.origin);
        site.atomic = inst.is_some_and(|inst| inst.op.is_atomic());
        site.bytes = inst.map_or(0, |inst| inst.op.access_bytes());
    }
    Ok(Image { bytes, sites })
}
