//! What running kernels can end in, and the hooks that count what they did.
#![forbid(unsafe_code)]

mod fault;
mod masked;

pub use fault::{Access, Invocation, Problem, ShaderFault, Stage};
pub use masked::MaskedSink;

use crate::memory::raw;
use crate::shader::abi::{ABORT_BYTES, Context, SUBGROUP_SIZE, Status};
use crate::shader::codegen::entry;
use crate::shader::ir::plain_origin;
use crate::shader::kernel::Kernel;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

/// Why work could not be finished. The device is to be lost; what had been drawn by then is unspecified.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ExecError {
    /// A loop turned more often than the watchdog allows.
    #[error("{0}")]
    OutOfFuel(Box<ShaderFault>),
    /// A kernel touched memory that is not there, or broke off in some other way of its own.
    #[error("{0}")]
    Fault(Box<ShaderFault>),
    /// A shader asked for it.
    #[error("{0}")]
    Abort(Box<ShaderFault>),
    /// The time is over that the submission may take.
    #[error("the work of the submission went on beyond the limit of {} ms", .0.as_millis())]
    Late(Duration),
    /// A worker panicked: a fault of Lahar itself.
    #[error("internal error: {0}")]
    Panic(String),
    /// A kernel variant that is needed at draw time could not be made.
    #[error("internal error: {0}")]
    Compile(String),
}

impl ExecError {
    /// The fault of a shader, if it is one.
    #[must_use]
    pub fn fault(&self) -> Option<&ShaderFault> {
        match self {
            ExecError::OutOfFuel(fault) | ExecError::Fault(fault) | ExecError::Abort(fault) => Some(fault),
            ExecError::Late(_) | ExecError::Panic(_) | ExecError::Compile(_) => None,
        }
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

/// What the status of one of the driver's own kernels means.
pub(crate) fn check_fixed(status: u32) -> Result<(), ExecError> {
    if status == Status::Done as u32 {
        return Ok(());
    }
    let context = Context::default();
    check_status(status, None, &context, (Stage::Fixed, 0), |_| {
        (0, Invocation::None)
    })
}

/// What a kernel's status means. `what` is the stage and [`ShaderFault::item`]; `at` tells of a lane
/// [`ShaderFault::order`] and [`ShaderFault::invocation`].
pub(crate) fn check_status(
    status: u32,
    kernel: Option<&Kernel>,
    context: &Context,
    (stage, item): (Stage, u64),
    at: impl FnOnce(u32) -> (u64, Invocation),
) -> Result<(), ExecError> {
    if status == Status::Done as u32 {
        return Ok(());
    }
    let mut fault = ShaderFault::new(Problem::Status(status), stage, item);
    if status == Status::OutOfFuel as u32 || status == Status::Abort as u32 {
        let lane = context.stopped_lanes.trailing_zeros() % u32::BITS;
        fault.problem = Problem::Endless;
        fault.origin = context.stopped_at;
        fault.lane = Some(lane);
        (fault.order, fault.invocation) = at(lane);
        if status == Status::Abort as u32 {
            fault.problem = Problem::Abort;
            fault.messages = abort_messages(context);
            return Err(ExecError::Abort(Box::new(fault)));
        }
        return Err(ExecError::OutOfFuel(Box::new(fault)));
    }
    let trap = entry::take_trap();
    let lane = trap.and_then(|trap| trap.lane);
    (fault.order, fault.invocation) = at(lane.unwrap_or(0));
    if let Some(trap) = trap {
        let trap = kernel.map_or(trap, |kernel| kernel.complete(trap));
        let origin = kernel.map_or(ShaderFault::NO_ORIGIN, |kernel| kernel.origin(&trap));
        fault.origin = plain_origin(origin);
        fault.set_trap(&trap);
    }
    Err(ExecError::Fault(Box::new(fault)))
}

/// The messages of the lanes that asked for an abort, of those in the subgroup of the lowest.
fn abort_messages(context: &Context) -> Vec<Vec<u8>> {
    let size = (context.abort_size as usize).min(ABORT_BYTES);
    let stride = context.abort_stride;
    let first = context.stopped_lanes.trailing_zeros() % u32::BITS / SUBGROUP_SIZE * SUBGROUP_SIZE;
    let tells = |n: &u32| context.stopped_lanes >> (first + n) & 1 != 0;
    let lanes = (0..SUBGROUP_SIZE).filter(tells);
    lanes
        .take(if stride == 0 { 1 } else { usize::MAX })
        .map(|n| {
            let mut message = vec![0; size];
            raw::read(context.abort + u64::from(n * stride), &mut message);
            message
        })
        .collect()
}
