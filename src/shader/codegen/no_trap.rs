//! Hosts without machine code: nothing traps.

use super::entry::{Code, Trap};
use crate::shader::abi::Status;
use crate::shader::guard;
use std::cell::Cell;

thread_local! {
    /// The latest trap of this thread: one of the interpreter's.
    static LATEST: Cell<Option<Trap>> = const { Cell::new(None) };
}

pub(super) fn take() -> Option<Trap> {
    LATEST.take()
}

pub(super) fn report(trap: Trap) {
    LATEST.set(Some(trap));
}

/// See [`super::entry::refuse_code`].
pub(super) fn refuse_code() -> u64 {
    super::entry::host_routine(refuse)
}

extern "C" fn refuse(ctx: u64, sampler: u64) -> u32 {
    if guard::refuse(ctx, sampler != 0) {
        Status::Done as u32
    } else {
        Status::Fault as u32
    }
}

/// There is no machine code to use it.
pub(super) fn guard_code() -> (u64, u64) {
    (0, 0)
}

/// Calls `code(ctx, arg)`.
///
/// # Safety
/// `code` is code of the kernel ABI, and `ctx` and `arg` are what it expects.
pub(super) unsafe fn call(code: u64, ctx: u64, arg: u64) -> u32 {
    // SAFETY: the caller vouches for it.
    let code = unsafe { std::mem::transmute::<*const (), Code>(code as *const ()) };
    code(ctx, arg)
}

pub(super) fn add_arena(_base: usize, _len: usize) -> bool {
    true
}

pub(super) fn remove_arena(_base: usize) {}
