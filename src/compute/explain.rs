//! Explains the fault of a workgroup by running it once more.

use super::Running;
use crate::device::workers::{Scratch, Workers};
use crate::exec::ShaderFault;
use crate::memory::raw;
use crate::shader::abi::{ComputeArgs, Context};
use crate::shader::rerun::{DebugKernel, FUEL, Found, Rerun, WIDTH};
use parking_lot::Mutex;
use std::mem::offset_of;
use std::sync::Arc;

/// Adds to a fault what a run of its workgroup tells. Leaves it as it is where that does not lead to the fault.
pub(super) fn explain(workers: &Workers, running: &Arc<Running>, fault: &mut ShaderFault) {
    let Some(kernel) = running.pipeline.debug_kernel() else {
        return;
    };
    let found = Arc::new(Mutex::new(None));
    let (shared, result, group) = (Arc::clone(running), Arc::clone(&found), fault.item);
    let ran = workers.run_freely(
        1,
        Arc::new(move |scratch, _| {
            *result.lock() = shared.run_again(scratch, &kernel, group);
            Ok(())
        }),
    );
    let found = found.lock().take();
    if let (Ok(()), Some(found)) = (ran, found) {
        let args = running.args(fault.item);
        let first = found.wave as u32 * WIDTH;
        let at = running.invocation(
            &ComputeArgs {
                first_invocation: first,
                ..args
            },
            found.lane,
        );
        fault.refine(found, running.pipeline.width(), at);
    }
}

impl Running {
    fn run_again(&self, scratch: &mut Scratch, kernel: &DebugKernel, group: u64) -> Option<Found> {
        let waves = self.waves(WIDTH);
        if !kernel.fits(waves) {
            return None;
        }
        self.bind(scratch);
        let frame_bytes = kernel.frame_bytes().next_multiple_of(64) as usize;
        self.clear(scratch, frame_bytes * waves);
        scratch.context.wave_fuel = FUEL;
        let first = self.args(group);
        let args: Vec<ComputeArgs> = (0..waves as u32)
            .map(|wave| ComputeArgs {
                first_invocation: wave * WIDTH,
                ..first
            })
            .collect();
        let addresses: Vec<u64> = args.iter().map(|args| &raw const *args as u64).collect();
        let (ctx, frames) = (scratch.context_address(), scratch.frames.address());
        let field = |offset: usize| ctx + offset as u64;
        Rerun::new(kernel, ctx, &addresses).run(
            |wave| {
                let frame = frames + (wave * frame_bytes) as u64;
                raw::store(field(offset_of!(Context, frame)), frame);
                raw::store(field(offset_of!(Context, fuel)), FUEL);
            },
            || {
                let load = |offset| raw::load::<u32>(field(offset));
                (
                    load(offset_of!(Context, stopped_at)),
                    load(offset_of!(Context, stopped_lanes)),
                )
            },
        )
    }
}
