//! What running kernels can end in, and the hooks that count what they did.
#![forbid(unsafe_code)]

use crate::shader::abi::Status;
use crate::shader::codegen::entry::{self, Trap};
use std::sync::atomic::AtomicU64;

/// Why work could not be finished. The device is to be lost; what had been drawn by then is unspecified.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ExecError {
    /// A loop turned more often than the watchdog allows.
    #[error("a shader ran out of fuel (item {item}, invocation {invocation})")]
    OutOfFuel {
        /// Draw of the scope (in the order of the calls) or linear workgroup index.
        item: u64,
        /// Lowest vertex, primitive or local invocation of the wave that was stopped.
        invocation: u64,
    },
    /// A kernel touched memory that is not there, or broke off in some other way of its own.
    #[error("{}", describe(*status, trap.as_ref()))]
    Fault {
        /// Status that the kernel returned.
        status: u32,
        /// The access, where there was one.
        trap: Option<Trap>,
        /// As in [`ExecError::OutOfFuel`].
        item: u64,
        /// As in [`ExecError::OutOfFuel`].
        invocation: u64,
    },
    /// A worker panicked: a fault of Lahar itself.
    #[error("internal error: {0}")]
    Panic(String),
    /// A kernel variant that is needed at draw time could not be made.
    #[error("internal error: {0}")]
    Compile(String),
}

fn describe(status: u32, trap: Option<&Trap>) -> String {
    match trap {
        Some(Trap { address: 0, .. }) => "a shader accessed an address that no memory can have".to_owned(),
        Some(Trap {
            address, write: true, ..
        }) => format!("a shader wrote to {address:#x}, where no memory is"),
        Some(Trap { address, .. }) => format!("a shader read {address:#x}, where no memory is"),
        None => format!("a shader broke off with status {status:#x}"),
    }
}

/// Counters that draws and dispatches add to: one for each query that is active. Sums do not depend on order.
#[derive(Debug, Default)]
#[allow(missing_docs, reason = "the names of VkQueryPipelineStatisticFlagBits")]
pub struct Counters {
    /// Samples that passed all per-fragment tests (occlusion).
    pub samples_passed: AtomicU64,
    pub input_assembly_vertices: AtomicU64,
    pub input_assembly_primitives: AtomicU64,
    pub vertex_invocations: AtomicU64,
    pub clipping_invocations: AtomicU64,
    pub clipping_primitives: AtomicU64,
    pub fragment_invocations: AtomicU64,
    pub compute_invocations: AtomicU64,
}

/// What a kernel's status means.
pub(crate) fn check_status(status: u32, item: u64, invocation: u64) -> Result<(), ExecError> {
    if status == Status::Done as u32 {
        Ok(())
    } else if status == Status::OutOfFuel as u32 {
        Err(ExecError::OutOfFuel { item, invocation })
    } else {
        Err(ExecError::Fault {
            status,
            trap: entry::take_trap(),
            item,
            invocation,
        })
    }
}
