//! Runs dispatches: workgroups over the workers, waves of a workgroup from barrier to barrier.
//!
//! Invariant: it sees compiled kernels and plain memory, never API objects.
#![forbid(unsafe_code)]

mod explain;

use crate::device::workers::{Scratch, Workers};
use crate::exec::{Counters, ExecError, Invocation, MaskedSink, Stage, check_status};
use crate::memory::raw;
use crate::pipeline::ComputePipeline;
use crate::shader::abi::{ComputeArgs, MAX_SETS, Status};
use crate::shader::guard;
use smallvec::SmallVec;
use std::sync::Arc;
use std::sync::atomic::Ordering;

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
    /// Takes accesses that robustness makes harmless.
    pub masked: Option<Arc<MaskedSink>>,
    /// Chooses the order of the workgroups, where it is to be another.
    pub order: Option<u64>,
}

/// Invocations that a job runs at least, as far as there are that many.
const JOB_INVOCATIONS: u64 = 2048;

/// Everything the jobs of a dispatch share.
struct Running {
    pipeline: Arc<ComputePipeline>,
    dispatch: Dispatch,
    groups: u64,
    /// In which order workgroups are run: the first of them, and from each to the next.
    order: [u64; 2],
    /// Workgroups a job.
    share: u64,
    /// Fuel of a wave.
    fuel: i64,
}

/// A wave of the workgroup being run.
#[derive(Clone, Copy)]
struct Wave {
    /// State to resume in; `None` once it is done.
    state: Option<u32>,
    fuel: i64,
}

/// Runs a dispatch to its end.
///
/// # Errors
/// As [`ExecError`] says.
pub fn dispatch(
    workers: &Workers,
    pipeline: &Arc<ComputePipeline>,
    dispatch: &Dispatch,
) -> Result<(), ExecError> {
    let groups: u64 = dispatch.groups.iter().map(|&n| u64::from(n)).product();
    if groups == 0 {
        return Ok(());
    }
    let invocations: u64 = pipeline.workgroup_size().iter().map(|&n| u64::from(n)).product();
    for counters in &dispatch.counters {
        counters
            .compute_invocations
            .fetch_add(groups * invocations, Ordering::Relaxed);
    }
    let mut dispatch = dispatch.clone();
    let push = pipeline.desc().layout.push_size as usize;
    dispatch.push.resize(dispatch.push.len().max(push), 0);
    let share = (JOB_INVOCATIONS / invocations.max(1)).max(1);
    let order = order(dispatch.order, groups);
    let running = Arc::new(Running {
        pipeline: Arc::clone(pipeline),
        dispatch,
        groups,
        order,
        share,
        fuel: workers.fuel(),
    });
    let jobs = usize::try_from(groups.div_ceil(share)).unwrap_or(usize::MAX);
    let shared = Arc::clone(&running);
    let job = move |scratch: &mut Scratch, job| shared.run(scratch, job as u64);
    let mut result = workers.run(jobs, Arc::new(job));
    if let Err(ExecError::OutOfFuel(fault) | ExecError::Fault(fault)) = &mut result {
        explain::explain(workers, &running, fault);
    }
    result
}

/// The first of so many workgroups, and a step that comes to each of them: in their order, or as a number chooses.
fn order(choice: Option<u64>, groups: u64) -> [u64; 2] {
    fn gcd(a: u64, b: u64) -> u64 {
        if b == 0 { a } else { gcd(b, a % b) }
    }
    let Some(choice) = choice else { return [0, 1] };
    // The step is not 1 where there is another: from its start at least half of all is out of order.
    let from = 2.max(choice % groups);
    let step = (from..groups).chain(2..from).find(|&step| gcd(step, groups) == 1);
    [(choice >> 32) % groups, step.unwrap_or(1)]
}

impl Running {
    fn run(&self, scratch: &mut Scratch, job: u64) -> Result<(), ExecError> {
        self.bind(scratch);
        let end = ((job + 1) * self.share).min(self.groups);
        (job * self.share..end).try_for_each(|group| self.run_group(scratch, group))
    }

    /// Readies a worker's context for kernels of the dispatch.
    fn bind(&self, scratch: &mut Scratch) {
        let context = &mut *scratch.context;
        context.sets = self.dispatch.sets;
        context.push = self.dispatch.push.as_ptr() as u64;
        context.dynamic_offsets = self.dispatch.dynamic_offsets.as_ptr() as u64;
        context.view_index = 0;
        context.draw_index = 0;
        guard::refresh(context, self.pipeline.desc().layout.sets.len());
    }

    /// Readies shared memory and frames. What a shader reads before it has written is the same on every worker.
    fn clear(&self, scratch: &mut Scratch, frame_bytes: usize) {
        let shared = self.pipeline.shared_bytes() as usize;
        scratch.shared.ensure(shared);
        raw::fill(scratch.shared.address(), 0, shared);
        scratch.frames.ensure(frame_bytes);
        raw::fill(scratch.frames.address(), 0, frame_bytes);
        scratch.context.shared = scratch.shared.address();
    }

    /// Waves of this many lanes that a workgroup takes.
    fn waves(&self, width: u32) -> usize {
        let total: u32 = self.pipeline.workgroup_size().iter().product();
        total.div_ceil(width) as usize
    }

    /// The arguments of the first wave of the workgroup at a place of the order.
    fn args(&self, place: u64) -> ComputeArgs {
        let [x, y, _] = self.dispatch.groups.map(u64::from);
        let [first, step] = self.order.map(u128::from);
        let group = ((first + step * u128::from(place)) % u128::from(self.groups)) as u64;
        let id = [group % x, group / x % y, group / (x * y)];
        ComputeArgs {
            workgroup_id: std::array::from_fn(|i| self.dispatch.base[i].wrapping_add(id[i] as u32)),
            num_workgroups: self.dispatch.groups,
            first_invocation: 0,
            state: 0,
            local_ids: self.pipeline.local_ids(),
        }
    }

    /// An invocation of a wave, and its number in the workgroup.
    fn invocation(&self, args: &ComputeArgs, lane: u32) -> (u64, Invocation) {
        let [x, y, _] = self.pipeline.workgroup_size().map(|n| n.max(1));
        let n = args.first_invocation + lane;
        let invocation = Invocation::Compute {
            workgroup: args.workgroup_id,
            local: [n % x, n / x % y, n / (x * y)],
        };
        (n.into(), invocation)
    }

    /// Runs the waves of a workgroup from barrier to barrier.
    fn run_group(&self, scratch: &mut Scratch, group: u64) -> Result<(), ExecError> {
        let pipeline = &*self.pipeline;
        let kernel = pipeline.kernel();
        let waves = self.waves(pipeline.width());
        let fresh = Wave {
            state: Some(0),
            fuel: self.fuel,
        };
        let mut left: SmallVec<[Wave; 16]> = SmallVec::from_elem(fresh, waves);
        let frame_bytes = kernel.frame_bytes() as usize;
        self.clear(scratch, frame_bytes * if kernel.states() > 1 { waves } else { 1 });
        let mut args = self.args(group);
        while left.iter().any(|wave| wave.state.is_some()) {
            for (i, wave) in left.iter_mut().enumerate() {
                let Some(state) = wave.state else { continue };
                args.first_invocation = i as u32 * pipeline.width();
                args.state = state;
                let own_frame = if kernel.states() > 1 { i * frame_bytes } else { 0 };
                scratch.context.frame = scratch.frames.address() + own_frame as u64;
                scratch.context.fuel = wave.fuel;
                let status = kernel.call(scratch.context_address(), &raw const args as u64);
                wave.fuel = scratch.context.fuel;
                wave.state = status.checked_sub(Status::BARRIER);
                if let Some(sink) = &self.dispatch.masked {
                    sink.collect(&scratch.context, kernel, (Stage::Compute, group, 0), |entry| {
                        let (n, invocation) = self.invocation(&args, entry.lane);
                        ([group, n, 0, 0, 0], (n, invocation))
                    });
                }
                if wave.state.is_none() {
                    let what = (Stage::Compute, group);
                    check_status(status, Some(kernel), &scratch.context, what, |lane| {
                        self.invocation(&args, lane)
                    })?;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
