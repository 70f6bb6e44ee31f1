//! Explains the fault of a vertex or fragment shader by running its wave once more.

use super::batch::DrawRecord;
use super::geometry::vertex_args;
use super::tile::{LANE_X, LANE_Y, TilePhase, fragment_args, prepare};
use crate::device::workers::{Scratch, Workers};
use crate::exec::{ExecError, Invocation, ShaderFault};
use crate::memory::raw;
use crate::shader::abi::{BlockRecord, Context, FragmentArgs, VertexArgs, vertex_output};
use crate::shader::rerun::{DebugKernel, FUEL, Found, Rerun, WIDTH};
use parking_lot::Mutex;
use smallvec::SmallVec;
use std::mem::offset_of;
use std::sync::Arc;

/// Most lanes that a wave has.
const MAX_WIDTH: usize = 16;

/// What a wave of vertices was run with.
#[derive(Clone, Debug)]
pub(super) struct VertexWave {
    /// Draw of the batch.
    pub draw: usize,
    pub view: u32,
    /// gl_InstanceIndex.
    pub instance: u32,
    /// Vertices of the segment before them.
    pub first: u32,
    /// gl_VertexIndex of each.
    pub vertices: SmallVec<[u32; MAX_WIDTH]>,
}

/// What a wave of fragments was run with.
#[derive(Clone, Debug)]
pub(super) struct FragmentWave {
    /// Draw of the batch.
    pub draw: usize,
    pub layer: u32,
    pub block: BlockRecord,
    /// Lanes of the block that the shader was begun with.
    pub covered: u32,
    /// Sample, where the shader runs once a sample.
    pub sample: Option<u32>,
    /// gl_PrimitiveID.
    pub primitive: u32,
}

/// A wave to run once more.
#[derive(Clone, Debug)]
pub(super) enum FaultingWave {
    Vertex(VertexWave),
    Fragment(FragmentWave),
}

impl FaultingWave {
    fn draw(&self) -> usize {
        match self {
            FaultingWave::Vertex(wave) => wave.draw,
            FaultingWave::Fragment(wave) => wave.draw,
        }
    }

    /// The order and the invocation of a lane of one of the waves that are run.
    fn place(&self, wave: usize, lane: u32) -> (u64, Invocation) {
        let lane = wave as u32 * WIDTH + lane;
        match self {
            FaultingWave::Vertex(wave) => {
                let invocation = Invocation::Vertex {
                    vertex: wave.vertices.get(lane as usize).copied().unwrap_or(0),
                    instance: wave.instance,
                };
                (u64::from(wave.first + lane), invocation)
            }
            FaultingWave::Fragment(wave) => {
                let [x, y] = wave.block.position;
                let invocation = Invocation::Fragment {
                    x: x + LANE_X[lane as usize % MAX_WIDTH],
                    y: y + LANE_Y[lane as usize % MAX_WIDTH],
                    layer: wave.layer,
                    sample: wave.sample.unwrap_or(0),
                    primitive: wave.primitive,
                };
                (wave.primitive.into(), invocation)
            }
        }
    }
}

/// Adds to an error what a run of the wave tells.
pub(super) fn explain(
    workers: &Workers,
    phase: &Arc<TilePhase>,
    mut error: ExecError,
    wave: &FaultingWave,
) -> ExecError {
    if let ExecError::OutOfFuel(fault) | ExecError::Fault(fault) = &mut error {
        explain_fault(workers, phase, fault, wave);
    }
    error
}

fn explain_fault(workers: &Workers, phase: &Arc<TilePhase>, fault: &mut ShaderFault, wave: &FaultingWave) {
    let Some(record) = phase.batch.draws.get(wave.draw()) else {
        return;
    };
    let kernel = match wave {
        FaultingWave::Vertex(_) => record.pipeline.debug_vertex(),
        FaultingWave::Fragment(_) => record.pipeline.debug_fragment(),
    };
    let Some(kernel) = kernel.filter(|kernel| kernel.fits(2)) else {
        return;
    };
    let width = record.pipeline.width();
    let found = Arc::new(Mutex::new(None));
    let (result, shared, again) = (Arc::clone(&found), Arc::clone(phase), wave.clone());
    let job = move |scratch: &mut Scratch, _| {
        let record = &shared.batch.draws[again.draw()];
        *result.lock() = match &again {
            FaultingWave::Vertex(wave) => vertices(scratch, record, &kernel, wave),
            FaultingWave::Fragment(wave) => fragments(scratch, &shared, record, &kernel, wave),
        };
        Ok(())
    };
    let ran = workers.run_freely(1, Arc::new(job));
    let found = found.lock().take();
    if let (Ok(()), Some(found)) = (ran, found) {
        let at = wave.place(found.wave, found.lane);
        fault.refine(found, width, at);
    }
}

fn vertices(
    scratch: &mut Scratch,
    record: &DrawRecord,
    kernel: &DebugKernel,
    wave: &VertexWave,
) -> Option<Found> {
    let vectors = vertex_output::USER as usize + record.pipeline.varyings().len();
    scratch.data.ensure(vectors * MAX_WIDTH * 4);
    let indices: Vec<[u32; MAX_WIDTH]> = wave
        .vertices
        .chunks(WIDTH as usize)
        .map(|vertices| std::array::from_fn(|i| vertices.get(i).copied().unwrap_or(0)))
        .collect();
    let counts = wave.vertices.chunks(WIDTH as usize).map(<[u32]>::len);
    let args: Vec<VertexArgs> = indices
        .iter()
        .zip(counts)
        .map(|(indices, count)| {
            let output = (scratch.data.address(), MAX_WIDTH as u64 * 4);
            vertex_args(record, wave.instance, (indices.as_ptr() as u64, count), output)
        })
        .collect();
    record.bind(scratch, kernel.frame_bytes(), wave.view);
    let addresses: Vec<u64> = args.iter().map(|args| &raw const *args as u64).collect();
    run(scratch, kernel, &addresses)
}

fn fragments(
    scratch: &mut Scratch,
    phase: &TilePhase,
    record: &DrawRecord,
    kernel: &DebugKernel,
    wave: &FragmentWave,
) -> Option<Found> {
    let scope = &phase.scope;
    scratch.data.ensure(scope.words * 4);
    let half = |n: u32| {
        let lanes = wave.covered & ((1 << WIDTH) - 1) << (n * WIDTH);
        let mut block = wave.block;
        for (sample, mask) in (0..).zip(&mut block.coverage) {
            let runs = wave.sample.is_none_or(|only| only == sample);
            *mask &= if runs { lanes as u16 } else { 0 };
        }
        block
    };
    let blocks = [half(0), half(1)];
    let args: Vec<FragmentArgs> = blocks
        .iter()
        .map(|block| {
            let mut args = fragment_args(scope, scratch.data.address());
            let list = (&raw const *block as u64, 1);
            prepare(&mut args, record, scope, scratch.data.address(), list);
            *args
        })
        .collect();
    let view = if scope.view_mask == 0 { 0 } else { wave.layer };
    record.bind(scratch, kernel.frame_bytes(), view);
    let addresses: Vec<u64> = args.iter().map(|args| &raw const *args as u64).collect();
    run(scratch, kernel, &addresses)
}

fn run(scratch: &mut Scratch, kernel: &DebugKernel, args: &[u64]) -> Option<Found> {
    scratch.context.wave_fuel = FUEL;
    let ctx = scratch.context_address();
    let load = |offset: usize| raw::load::<u32>(ctx + offset as u64);
    let stopped = || {
        (
            load(offset_of!(Context, stopped_at)),
            load(offset_of!(Context, stopped_lanes)),
        )
    };
    Rerun::new(kernel, ctx, args).run(|_| (), stopped)
}
