//! The draws that are run together, cut into chunks that do not depend on the number of workers.

use super::assembly::{Run, Topology, runs};
use super::bins::ChunkOutput;
use super::clip::ViewportTransform;
use super::coverage::Rect;
use super::explain::VertexWave;
use super::geometry::{GeometryScratch, frame};
use super::scope::{ScopeState, Slot, TexelWords};
use super::setup::{DepthUnit, SetupState};
use super::{Draw, DrawState};
use crate::device::workers::Scratch;
use crate::exec::{ExecError, Invocation, Stage, check_status};
use crate::pipeline::GraphicsPipeline;
use crate::shader::guard;
use crate::shader::kernel::Kernel;
use crate::shader::stage::fragment::FragmentKey;
use crate::vk;
use parking_lot::Mutex;
use std::ops::Range;
use std::sync::Arc;

/// Work of a chunk, in primitives; a segment and an instance cost some besides.
const CHUNK_WORK: u32 = 1024;
const SEGMENT_WORK: u32 = 24;
/// Primitives of a segment.
const SEGMENT_PRIMITIVES: u32 = 512;
/// A batch with this much work is run.
const BATCH_WORK: u64 = 1 << 18;
/// A batch with this many draws is run.
const BATCH_DRAWS: usize = 1 << 15;

/// A draw with all that does not change from primitive to primitive worked out.
#[derive(Debug)]
pub(super) struct DrawRecord {
    pub pipeline: Arc<GraphicsPipeline>,
    pub draw: Draw,
    pub key: FragmentKey,
    pub fragment: Kernel,
    pub viewport: ViewportTransform,
    pub setup: SetupState,
    /// Number of the call within the scope.
    pub number: u64,
    /// Fuel of each of its waves.
    pub fuel: i64,
    /// Planes it may write.
    pub writes: u32,
    /// Edges of its primitives.
    pub edges: usize,
}

impl DrawRecord {
    /// `Ok(None)` if nothing is drawn.
    pub(super) fn new(
        pipeline: &Arc<GraphicsPipeline>,
        mut draw: Draw,
        (number, fuel): (u64, i64),
        scope: &ScopeState,
    ) -> Result<DrawRecord, ExecError> {
        let desc = pipeline.desc();
        draw.push
            .resize(draw.push.len().max(desc.layout.push_size as usize), 0);
        draw.vertex_buffers
            .truncate(crate::shader::abi::MAX_VERTEX_BUFFERS);
        let key = pipeline.fragment_key(&draw.state, !draw.counters.is_empty());
        let fragment = pipeline
            .fragment(&key)
            .map_err(|error| ExecError::Compile(error.to_string()))?;
        let fills = desc.raster.polygon_mode == vk::PolygonMode::FILL;
        let is_triangles =
            fills && Topology::of(draw.state.topology).is_some_and(|topology| topology.corners() == 3);
        let mut writes = 0;
        for (i, blend) in desc.blend.iter().enumerate() {
            if !blend.write_mask.is_empty() {
                writes |= ScopeState::bit(Slot::Color(i));
            }
        }
        if key.tests.depth_write {
            writes |= ScopeState::bit(Slot::Depth);
        }
        if key.tests.stencil.is_some() {
            writes |= ScopeState::bit(Slot::Stencil);
        }
        Ok(DrawRecord {
            viewport: viewport(&draw.state),
            setup: setup_state(pipeline, &draw.state, scope),
            pipeline: Arc::clone(pipeline),
            draw,
            key,
            fragment,
            number,
            fuel,
            writes,
            edges: if is_triangles { 3 } else { 4 },
        })
    }

    /// Readies a worker's context for a kernel of this draw that needs this much of a frame.
    pub(super) fn bind(&self, scratch: &mut Scratch, frame_bytes: u32, view: u32) {
        let context = &mut *scratch.context;
        context.sets = self.draw.sets;
        context.push = self.draw.push.as_ptr() as u64;
        context.dynamic_offsets = self.draw.dynamic_offsets.as_ptr() as u64;
        context.frame = frame(&mut scratch.frames, frame_bytes);
        context.shared = 0;
        context.fuel = self.fuel;
        context.wave_fuel = self.fuel;
        context.view_index = view;
        context.draw_index = self.draw.draw_index;
        guard::refresh(context, self.pipeline.desc().layout.sets.len());
    }

    /// What a kernel's status means.
    pub(super) fn check(
        &self,
        status: u32,
        (kernel, stage): (&Kernel, Stage),
        scratch: &Scratch,
        at: impl FnOnce(u32) -> (u64, Invocation),
    ) -> Result<(), ExecError> {
        check_status(status, Some(kernel), &scratch.context, (stage, self.number), at)
    }
}

fn viewport(state: &DrawState) -> ViewportTransform {
    let v = &state.viewport;
    ViewportTransform {
        scale: [v.width / 2.0, v.height / 2.0, v.max_depth - v.min_depth],
        offset: [v.x + v.width / 2.0, v.y + v.height / 2.0, v.min_depth],
    }
}

fn setup_state(pipeline: &GraphicsPipeline, state: &DrawState, scope: &ScopeState) -> SetupState {
    let scissor = state.scissor;
    let end = |offset: i32, extent: u32| offset.saturating_add(i32::try_from(extent).unwrap_or(i32::MAX));
    let scissor = Rect {
        x0: scissor.offset.x,
        y0: scissor.offset.y,
        x1: end(scissor.offset.x, scissor.extent.width),
        y1: end(scissor.offset.y, scissor.extent.height),
    };
    let representation = state
        .depth_bias
        .map_or_else(Default::default, |bias| bias.representation);
    let unit = pipeline
        .depth()
        .map(|format| DepthUnit::of(format.vk, representation));
    SetupState {
        front_is_ccw: state.front_face == vk::FrontFace::COUNTER_CLOCKWISE,
        cull_front: state.cull_mode.contains(vk::CullModeFlags::FRONT),
        cull_back: state.cull_mode.contains(vk::CullModeFlags::BACK),
        bias: state.depth_bias.zip(unit),
        rect: scissor.intersect(scope.area),
        sample_reach: if scope.pattern.is_single() { 0 } else { 128 },
        line_width: state.line_width,
        polygon_mode: pipeline.desc().raster.polygon_mode,
        rectangular_lines: pipeline.desc().raster.rectangular_lines,
    }
}

/// Some primitives of a draw: of one run and view, of one or several instances.
#[derive(Clone, Copy, Debug)]
pub(super) struct Segment {
    /// Draw within the batch.
    pub draw: u32,
    /// View with multiview, else 0; also the layer.
    pub view: u32,
    /// Counted from the draw's first.
    pub first_instance: u32,
    pub instances: u32,
    pub topology: Topology,
    pub run: Run,
    /// Primitives of the run.
    pub first: u32,
    pub count: u32,
    /// gl_PrimitiveID of the run's first.
    pub id_base: u32,
}

/// A clear of a region, between draws.
#[derive(Debug)]
pub(super) struct ClearOp {
    pub slot: Slot,
    pub words: TexelWords,
    pub rect: Rect,
    pub layers: Range<u32>,
}

/// A part of a batch, run as one job of the first phase.
#[derive(Debug)]
pub(super) enum Chunk {
    /// Segments of the batch.
    Draws(Range<usize>),
    Clear(ClearOp),
}

/// Draws and clears in the order of the calls.
#[derive(Debug, Default)]
pub(super) struct Batch {
    pub draws: Vec<DrawRecord>,
    segments: Vec<Segment>,
    pub chunks: Vec<Chunk>,
    /// Work of the last chunk, and of all.
    chunk_work: u32,
    work: u64,
}

impl Batch {
    /// Whether there is nothing in it.
    pub(super) fn is_empty(&self) -> bool {
        self.chunks.is_empty()
    }

    /// Whether it is time to run it.
    pub(super) fn is_full(&self) -> bool {
        self.work >= BATCH_WORK || self.draws.len() >= BATCH_DRAWS
    }

    pub(super) fn add_clear(&mut self, clear: ClearOp) {
        self.chunks.push(Chunk::Clear(clear));
        self.chunk_work = CHUNK_WORK;
    }

    /// Adds a draw for every view. `flush` runs the batch so far when it is full, keeping the draw.
    pub(super) fn add_draw(
        &mut self,
        record: DrawRecord,
        scope: &ScopeState,
        mut flush: impl FnMut(&mut Batch) -> Result<(), ExecError>,
    ) -> Result<(), ExecError> {
        let Some(topology) = Topology::of(record.draw.state.topology) else {
            return Ok(());
        };
        let (instances, views) = (record.draw.instance_count, scope.view_mask);
        let runs = runs(&record.draw, topology);
        self.draws.push(record);
        for view in (0..32).filter(|view| {
            if views == 0 {
                *view == 0
            } else {
                views >> view & 1 != 0
            }
        }) {
            let mut id_base = 0;
            for &run in &runs {
                let primitives = topology.primitives(run.count);
                if primitives == 0 {
                    continue;
                }
                let draw = self.draws.len() as u32 - 1;
                let template = Segment {
                    draw,
                    view,
                    first_instance: 0,
                    instances,
                    topology,
                    run,
                    first: 0,
                    count: primitives,
                    id_base,
                };
                self.add_run(template, &mut flush)?;
                id_base += primitives;
            }
        }
        Ok(())
    }

    /// Cuts a run into segments: short runs by instances, long ones by primitives.
    fn add_run(
        &mut self,
        whole: Segment,
        flush: &mut impl FnMut(&mut Batch) -> Result<(), ExecError>,
    ) -> Result<(), ExecError> {
        let at_once = if whole.count > SEGMENT_PRIMITIVES {
            1
        } else {
            (CHUNK_WORK / (whole.count + SEGMENT_WORK)).max(1)
        };
        let mut instance = 0;
        while instance < whole.instances {
            let instances = at_once.min(whole.instances - instance);
            for first in (0..whole.count).step_by(SEGMENT_PRIMITIVES as usize) {
                let count = SEGMENT_PRIMITIVES.min(whole.count - first);
                if self.is_full() {
                    flush(self)?;
                }
                let draw = self.draws.len() as u32 - 1;
                self.push(Segment {
                    draw,
                    first_instance: instance,
                    instances,
                    first,
                    count,
                    ..whole
                });
            }
            instance += instances;
        }
        Ok(())
    }

    fn push(&mut self, segment: Segment) {
        let work = segment.instances * (segment.count + SEGMENT_WORK);
        let at = self.segments.len();
        self.segments.push(segment);
        self.work += u64::from(work);
        match self.chunks.last_mut() {
            Some(Chunk::Draws(range)) if self.chunk_work + work <= CHUNK_WORK => {
                range.end = at + 1;
                self.chunk_work += work;
            }
            _ => {
                self.chunks.push(Chunk::Draws(at..at + 1));
                self.chunk_work = work;
            }
        }
    }

    /// Forgets what has been run; the last draw stays if `keep`.
    pub(super) fn reset(&mut self, keep: bool) {
        let last = if keep { self.draws.pop() } else { None };
        self.draws.clear();
        self.draws.extend(last);
        self.segments.clear();
        self.chunks.clear();
        self.chunk_work = 0;
        self.work = 0;
    }
}

/// The first phase.
#[derive(Debug)]
pub(super) struct GeometryPhase {
    pub scope: Arc<ScopeState>,
    pub batch: Batch,
    /// One a chunk.
    pub outputs: Vec<Mutex<ChunkOutput>>,
    /// Buffers, as many as workers have asked for.
    pub spare: Mutex<Vec<GeometryScratch>>,
    /// The lowest chunk in which a shader has failed, and the wave.
    pub failed: Mutex<Option<(usize, VertexWave)>>,
}

impl GeometryPhase {
    /// Runs a chunk.
    pub(super) fn run(&self, scratch: &mut Scratch, chunk: usize) -> Result<(), ExecError> {
        let Chunk::Draws(range) = &self.batch.chunks[chunk] else {
            return Ok(());
        };
        let mut output = self.outputs[chunk].lock();
        let spare = self.spare.lock().pop();
        let mut geometry = spare.unwrap_or_default();
        for segment in &self.batch.segments[range.clone()] {
            let record = &self.batch.draws[segment.draw as usize];
            let from = output.list.prims.len();
            let result = geometry.run(scratch, record, segment, &mut output);
            // What came before a fault is drawn.
            output.bin(from, segment.view, &self.scope.grid);
            if let Err(error) = result {
                if let Some(wave) = geometry.failed.take() {
                    let mut failed = self.failed.lock();
                    if failed.as_ref().is_none_or(|(lowest, _)| chunk < *lowest) {
                        *failed = Some((chunk, wave));
                    }
                }
                output.finish();
                return Err(error);
            }
        }
        output.finish();
        self.spare.lock().push(geometry);
        Ok(())
    }
}
