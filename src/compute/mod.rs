//! Runs dispatches: workgroups over the workers, waves of a workgroup from barrier to barrier.
//!
//! Invariant: it sees compiled kernels and plain memory, never API objects.
#![forbid(unsafe_code)]

use crate::device::workers::Workers;
use crate::exec::{Counters, ExecError};
use crate::pipeline::ComputePipeline;
use crate::shader::abi::MAX_SETS;
use smallvec::SmallVec;
use std::sync::Arc;

/// One dispatch: everything but the pipeline, with all addresses resolved.
#[derive(Clone, Debug)]
pub struct Dispatch {
    /// Addresses of the bound sets' bytes.
    pub sets: [u64; MAX_SETS],
    /// Dynamic offsets, in the order of the layout's dynamic descriptors.
    pub dynamic_offsets: SmallVec<[u32; 4]>,
    /// Push constants.
    pub push: SmallVec<[u8; 128]>,
    /// First workgroup (vkCmdDispatchBase).
    pub base: [u32; 3],
    /// Number of workgroups.
    pub groups: [u32; 3],
    /// Queries that count this dispatch.
    pub counters: SmallVec<[Arc<Counters>; 1]>,
}

/// Runs a dispatch to its end.
///
/// # Errors
/// As [`ExecError`] says.
pub fn dispatch(workers: &Workers, pipeline: &ComputePipeline, dispatch: &Dispatch) -> Result<(), ExecError> {
    let _ = (workers, pipeline, dispatch);
    Err(ExecError::Compile("compute is not built yet".to_owned()))
}
