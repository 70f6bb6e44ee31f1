//! The one place where control passes between Rust and compiled code, both ways.

use crate::exec::Problem;
use crate::shader::interp;
use crate::shader::ir::{Func, NO_ORIGIN};

/// A kernel or routine in memory; see [`crate::shader::abi`].
pub(super) type Code = extern "C" fn(ctx: u64, arg: u64) -> u32;

/// An access of compiled code to memory that is not there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Trap {
    /// Address of the access; 0 where the processor does not tell (an address no process can have).
    pub address: u64,
    /// Whether it was a write.
    pub write: bool,
    /// Address of the instruction; 0 in the interpreter.
    pub instruction: u64,
    /// Whether it was an atomic, as far as that is known.
    pub atomic: bool,
    /// Bytes of the access; 0 if not known.
    pub size: u32,
    /// What is wrong with the address, where more is known than that nothing is there.
    pub problem: Option<Problem>,
    /// Lane of the wave, if known.
    pub lane: Option<u32>,
    /// Whether a check to the byte has found it.
    pub exact: bool,
    /// In the interpreter: [`crate::shader::ir::Inst::origin`] of the instruction.
    pub origin: u32,
    /// Of a masked access: the first byte of what was bound, if known.
    pub base: Option<u64>,
}

impl Trap {
    /// A trap about which only this is known.
    #[must_use]
    pub(crate) fn new(address: u64, write: bool, instruction: u64) -> Trap {
        Trap {
            address,
            write,
            instruction,
            atomic: false,
            size: 0,
            problem: None,
            lane: None,
            exact: false,
            origin: NO_ORIGIN,
            base: None,
        }
    }
}

/// Notes a trap that no signal has told of: it ends the call that is running.
pub fn report(trap: Trap) {
    super::trap::report(trap);
}

/// Address of a routine for descriptors that nothing can be made of: leaves the kernel if a lane is on.
#[must_use]
pub fn refuse_code() -> u64 {
    super::trap::refuse_code()
}

/// Addresses of the code that decides guards and of the one that leaves a kernel.
#[must_use]
pub fn guard_code() -> (u64, u64) {
    super::trap::guard_code()
}

/// Takes the trap that ended the latest call on this thread, if one did.
#[must_use]
pub fn take_trap() -> Option<Trap> {
    super::trap::take()
}

/// Calls compiled code (or a host routine) at `code`.
///
/// The caller vouches that `code` is live code of the kernel ABI and that `ctx` and `arg` are what it expects.
#[must_use]
pub fn call(code: u64, ctx: u64, arg: u64) -> u32 {
    // SAFETY: addresses of code come only from `codegen` and from `host_routine`/`interpreter_entry` below,
    // all of which have this signature; they stay alive as long as the `Kernel` that the caller holds.
    unsafe { super::trap::call(code, ctx, arg) }
}

/// Address of a host function, to be called by kernels.
#[must_use]
pub fn host_routine(f: Code) -> u64 {
    f as usize as u64
}

/// Address of the routine that interprets the function its second argument points at.
#[must_use]
pub fn interpreter_entry() -> u64 {
    host_routine(interpret)
}

extern "C" fn interpret(ctx: u64, func: u64) -> u32 {
    // SAFETY: the second argument of `interpreter_entry` is made by `Kernel::routine` from an `Arc<Func>` that
    // outlives every slot it is put in.
    let func = unsafe { &*(func as *const Func) };
    interp::run(func, ctx, 0)
}
