//! The second phase of a batch: everything that happens to one tile, in the order of the calls.

use super::batch::{Batch, Chunk, ClearOp, DrawRecord};
use super::bins::ChunkOutput;
use super::coverage::Rect;
use super::explain::FragmentWave;
use super::limit::{Limit, Order};
use super::planes;
use super::scope::{Plane, ScopeState, Slot};
use crate::device::workers::Scratch;
use crate::exec::{ExecError, Invocation, Stage, check_fixed};
use crate::memory::raw;
use crate::shader::abi::{
    BlockRecord, CoverageArgs, FragmentArgs, MAX_COLORS, StencilFace, TILE_SIZE, primitive_word,
};
use crate::shader::stage::resolve::ResolveArgs;
use crate::vk;
use std::mem::offset_of;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Blocks a tile.
const TILE_BLOCKS: u32 = (TILE_SIZE / 4) * (TILE_SIZE / 4);
/// Blocks are shaded when another tile's worth might not fit into a list of this many.
const LIST_BLOCKS: u32 = TILE_BLOCKS + 128;

/// The second phase.
#[derive(Debug)]
pub(super) struct TilePhase {
    pub scope: Arc<ScopeState>,
    pub batch: Batch,
    /// One a chunk.
    pub outputs: Vec<ChunkOutput>,
    /// Tiles to run, and whether their planes are in memory (else their load operations are yet to happen).
    pub tiles: Vec<(u32, bool)>,
    /// Whether the scope ends.
    pub end: bool,
    /// The first fault, in the order of the calls, that a tile has found.
    pub limit: Limit,
}

/// One tile being run.
struct Tile<'p> {
    phase: &'p TilePhase,
    /// Index in [`TilePhase::tiles`].
    job: usize,
    scratch: &'p mut Scratch,
    layer: u32,
    /// First pixel.
    first: [i32; 2],
    args: Box<FragmentArgs>,
    coverage: Box<CoverageArgs>,
    /// The draw the blocks are of.
    draw: Option<&'p DrawRecord>,
    /// Planes that differ from memory.
    dirty: u32,
}

impl TilePhase {
    /// Runs a tile.
    pub(super) fn run(&self, scratch: &mut Scratch, job: usize) -> Result<(), ExecError> {
        let (tile, in_memory) = self.tiles[job];
        let (layer, first) = self.scope.grid.place(tile as usize);
        scratch.data.ensure(self.scope.words * 4);
        scratch
            .lists
            .ensure(LIST_BLOCKS as usize * size_of::<BlockRecord>());
        let args = fragment_args(&self.scope, scratch.data.address());
        let coverage = coverage_args(scratch.lists.address(), first);
        let mut running = Tile {
            phase: self,
            job,
            scratch,
            layer,
            first,
            args,
            coverage,
            draw: None,
            dirty: 0,
        };
        running.begin(in_memory);
        for (i, (chunk, output)) in self.batch.chunks.iter().zip(&self.outputs).enumerate() {
            if !self.limit.allows_chunk(i) {
                break;
            }
            match chunk {
                Chunk::Draws(_) => running.draws(output, tile)?,
                Chunk::Clear(clear) => running.clear(clear)?,
            }
        }
        running.flush()?;
        if self.end && !self.limit.is_set() {
            running.resolve()?;
        }
        running.store();
        Ok(())
    }
}

/// Pixel of each lane within a block.
pub(super) const LANE_X: [u32; 16] = [0, 1, 0, 1, 2, 3, 2, 3, 0, 1, 0, 1, 2, 3, 2, 3];
pub(super) const LANE_Y: [u32; 16] = [0, 0, 1, 1, 0, 0, 1, 1, 2, 2, 3, 3, 2, 2, 3, 3];

/// The lanes of which a coordinate is at least `n`, for n of 0 to 4.
fn lanes_from(coordinates: &[u32; 16]) -> [u32; 5] {
    std::array::from_fn(|n| {
        let lanes = coordinates.iter().enumerate().filter(|(_, v)| **v as usize >= n);
        lanes.fold(0, |bits, (lane, _)| bits | 1 << lane)
    })
}

fn coverage_args(blocks: u64, tile: [i32; 2]) -> Box<CoverageArgs> {
    let (columns, rows) = (lanes_from(&LANE_X), lanes_from(&LANE_Y));
    Box::new(CoverageArgs {
        indices: 0,
        primitives: 0,
        data: 0,
        blocks,
        count: 0,
        next: 0,
        draw: 0,
        room: LIST_BLOCKS,
        written: 0,
        reserved: 0,
        tile,
        lane_x: LANE_X,
        lane_y: LANE_Y,
        columns_from: columns,
        columns_below: columns.map(|lanes| lanes ^ 0xffff),
        rows_from: rows,
        rows_below: rows.map(|lanes| lanes ^ 0xffff),
    })
}

/// What is the same for all draws in all tiles of a worker.
pub(super) fn fragment_args(scope: &ScopeState, data: u64) -> Box<FragmentArgs> {
    Box::new(FragmentArgs {
        blocks: 0,
        count: 0,
        done: 0,
        colors: [0; MAX_COLORS],
        depth: plane_address(scope, Slot::Depth, data),
        stencil: plane_address(scope, Slot::Stencil, data),
        blend_constants: [0.0; 4],
        depth_bounds: [0.0; 2],
        depth_range: [0.0; 2],
        stencil_faces: [StencilFace::default(); 2],
        lane_x: LANE_X,
        lane_y: LANE_Y,
        sample_positions: scope.pattern.positions(),
        covered: 0,
        reserved: 0,
        samples_passed: [0; 16],
        invocations: [0; 16],
    })
}

/// Fills in what changes from draw to draw: `blocks` are the address and number of records.
pub(super) fn prepare(
    args: &mut FragmentArgs,
    record: &DrawRecord,
    scope: &ScopeState,
    data: u64,
    (blocks, count): (u64, u32),
) {
    let state = &record.draw.state;
    let face = |face: &vk::StencilOpState| StencilFace {
        compare_mask: face.compare_mask,
        write_mask: face.write_mask,
        reference: face.reference,
    };
    args.blocks = blocks;
    args.count = count;
    for (i, format) in record.pipeline.colors().iter().enumerate().take(MAX_COLORS) {
        let plane = scope.plane(Slot::Color(i));
        // What has nowhere to go is written where nobody looks.
        let same = plane.filter(|plane| format.is_some_and(|format| std::ptr::eq(format, plane.format)));
        args.colors[i] = data + 4 * same.map_or(scope.sink, |plane| plane.start) as u64;
    }
    args.blend_constants = state.blend_constants;
    args.depth_bounds = state.depth_bounds.unwrap_or_default();
    let (near, far) = (state.viewport.min_depth, state.viewport.max_depth);
    args.depth_range = [near.min(far), near.max(far)];
    args.stencil_faces = [face(&state.stencil_front), face(&state.stencil_back)];
}

fn plane_address(scope: &ScopeState, slot: Slot, data: u64) -> u64 {
    data + 4 * scope.plane(slot).map_or(scope.sink, |plane| plane.start) as u64
}

impl<'p> Tile<'p> {
    fn each_plane(&self) -> impl Iterator<Item = (u32, &'p Plane)> + use<'p> {
        let planes = self.phase.scope.planes.iter().enumerate();
        planes.filter_map(|(i, plane)| Some((1 << i, plane.as_ref()?)))
    }

    fn words(&mut self, plane: &Plane) -> &mut [u32] {
        &mut self.scratch.data.as_mut_slice::<u32>()[plane.start..plane.start + plane.len]
    }

    /// Load operations, or what memory holds.
    fn begin(&mut self, in_memory: bool) {
        for (bit, plane) in self.each_plane() {
            match &plane.clear {
                Some(words) if !in_memory => {
                    let size = TILE_SIZE as i32;
                    // Pixels outside the render area are never stored.
                    let all = Rect {
                        x0: 0,
                        y0: 0,
                        x1: size,
                        y1: size,
                    };
                    planes::fill(self.words(plane), words, all);
                    self.dirty |= bit;
                }
                _ => {
                    let place = plane.place(self.layer, self.first, self.phase.scope.area);
                    planes::load(&place, self.words(plane));
                }
            }
        }
    }

    /// Finds the blocks of a chunk's primitives and shades them.
    fn draws(&mut self, output: &'p ChunkOutput, tile: u32) -> Result<(), ExecError> {
        let indices = output.tile(tile as usize);
        self.coverage.indices = indices.as_ptr() as u64;
        self.coverage.primitives = output.list.prims.as_ptr() as u64;
        self.coverage.data = output.list.data.as_ptr() as u64;
        self.coverage.count = indices.len() as u32;
        self.coverage.next = 0;
        while let Some(&index) = indices.get(self.coverage.next as usize) {
            let draw = output.list.prims[index as usize].draw;
            let record = &self.phase.batch.draws[draw as usize];
            let full = self.coverage.room - self.coverage.written < TILE_BLOCKS;
            if full || !self.draw.is_some_and(|draw| std::ptr::eq(draw, record)) {
                self.flush()?;
                self.draw = Some(record);
                self.coverage.draw = draw;
            }
            let kernel = &self.phase.scope.coverage[record.edges - 3];
            let status = kernel.call(self.scratch.context_address(), &raw mut *self.coverage as u64);
            check_fixed(status)?;
        }
        Ok(())
    }

    /// Runs the fragment kernel on the blocks collected.
    fn flush(&mut self) -> Result<(), ExecError> {
        let Some(record) = self.draw else { return Ok(()) };
        if self.coverage.written == 0 {
            return Ok(());
        }
        if self.phase.limit.is_set() && !self.keep_what_comes_first() {
            return Ok(());
        }
        let (scope, data) = (&self.phase.scope, self.scratch.data.address());
        let list = (self.coverage.blocks, self.coverage.written);
        prepare(&mut self.args, record, scope, data, list);
        let kernel = &record.fragment;
        let view = if self.phase.scope.view_mask == 0 {
            0
        } else {
            self.layer
        };
        record.bind(self.scratch, kernel.frame_bytes(), view);
        let (samples, _) = self.waves(record);
        self.scratch.context.guards.progress = &raw const self.args.done as u64;
        self.scratch.context.guards.progress_of = [record.pipeline.width(), samples];
        let args = &raw mut *self.args as u64;
        let status = kernel.call(self.scratch.context_address(), args);
        self.dirty |= record.writes;
        if let Some(sink) = &record.draw.masked {
            let what = (Stage::Fragment, record.number, record.number);
            sink.collect(&self.scratch.context, kernel, what, |entry| {
                let (samples, halves) = self.waves(record);
                let at = self.order(entry.done / (samples * halves));
                let place = [at.chunk as u64, at.primitive, at.tile as u64, entry.rank, 0];
                (place, self.fragment_of(record, entry.done, entry.lane))
            });
        }
        if status != 0 {
            let result = record.check(status, (kernel, Stage::Fragment), self.scratch, |lane| {
                self.fragment_of(record, self.args.done, lane)
            });
            if let Err(error) = result {
                // Other tiles may hold an earlier one; what they have before it is still to be drawn.
                let order = self.order(self.block_at(record));
                self.phase.limit.lower(order, error, self.wave(record));
            }
        }
        self.coverage.written = 0;
        if record.key.count {
            self.count(record);
        }
        Ok(())
    }

    /// Drops blocks that come after the first fault; false if none are left.
    fn keep_what_comes_first(&mut self) -> bool {
        let blocks = 0..self.coverage.written;
        let kept = blocks
            .take_while(|&block| self.phase.limit.allows(self.order(block)))
            .count();
        self.coverage.written = kept as u32;
        kept != 0
    }

    /// Where a block of the list stands in the order of the calls.
    fn order(&self, block: u32) -> Order {
        let at = self.coverage.blocks + u64::from(block) * size_of::<BlockRecord>() as u64;
        let data: u64 = raw::load(at + offset_of!(BlockRecord, primitive) as u64);
        let found = self.phase.outputs.iter().enumerate().find_map(|(chunk, output)| {
            let offset = data.checked_sub(output.list.data.as_ptr() as u64)?;
            (offset < 4 * output.list.data.len() as u64).then_some((chunk, offset))
        });
        let (chunk, primitive) = found.unwrap_or_default();
        Order {
            chunk,
            primitive,
            tile: self.job,
        }
    }

    /// Samples that the kernel runs one after another, and waves a block takes of each.
    fn waves(&self, record: &DrawRecord) -> (u32, u32) {
        let samples = if record.pipeline.per_sample() {
            self.phase.scope.pattern.count() as u32
        } else {
            1
        };
        (samples, 16 / record.pipeline.width())
    }

    /// The block at which the kernel stopped.
    fn block_at(&self, record: &DrawRecord) -> u32 {
        let (samples, halves) = self.waves(record);
        self.args.done / (samples * halves)
    }

    /// The wave at which the kernel stopped.
    fn wave(&self, record: &DrawRecord) -> FragmentWave {
        let (samples, halves) = self.waves(record);
        let (wave, sample) = (self.args.done / samples, self.args.done % samples);
        let block = self.args.blocks + u64::from(wave / halves) * size_of::<BlockRecord>() as u64;
        let block: BlockRecord = raw::load(block);
        let draws = &self.phase.batch.draws;
        let draw = draws.iter().position(|draw| std::ptr::eq(draw, record));
        FragmentWave {
            draw: draw.unwrap_or(usize::MAX),
            layer: self.layer,
            block,
            covered: self.args.covered << (wave % halves * record.pipeline.width()),
            sample: record.pipeline.per_sample().then_some(sample),
            primitive: raw::load(block.primitive + 4 * u64::from(primitive_word::PRIMITIVE_ID)),
        }
    }

    /// Primitive and fragment of a lane of the wave that the kernel had got to.
    fn fragment_of(&self, record: &DrawRecord, done: u32, lane: u32) -> (u64, Invocation) {
        let (samples, halves) = self.waves(record);
        let (wave, sample) = (done / samples, done % samples);
        let lane = wave % halves * record.pipeline.width() + lane;
        let block = self.args.blocks + u64::from(wave / halves) * size_of::<BlockRecord>() as u64;
        let data: u64 = raw::load(block + offset_of!(BlockRecord, primitive) as u64);
        let position = block + offset_of!(BlockRecord, position) as u64;
        let primitive: u32 = raw::load(data + 4 * u64::from(primitive_word::PRIMITIVE_ID));
        let invocation = Invocation::Fragment {
            x: raw::load::<u32>(position) + LANE_X[lane as usize % 16],
            y: raw::load::<u32>(position + 4) + LANE_Y[lane as usize % 16],
            layer: self.layer,
            sample,
            primitive,
        };
        (primitive.into(), invocation)
    }

    fn count(&mut self, record: &DrawRecord) {
        let take = |lanes: &mut [u32; 16]| std::mem::take(lanes).iter().map(|&n| u64::from(n)).sum::<u64>();
        let (passed, invocations) = (
            take(&mut self.args.samples_passed),
            take(&mut self.args.invocations),
        );
        for counters in &record.draw.counters {
            counters.samples_passed.fetch_add(passed, Ordering::Relaxed);
            counters
                .fragment_invocations
                .fetch_add(invocations, Ordering::Relaxed);
        }
    }

    fn clear(&mut self, clear: &ClearOp) -> Result<(), ExecError> {
        let size = TILE_SIZE as i32;
        let [x, y] = self.first;
        let rect = clear.rect.intersect(Rect {
            x0: x,
            y0: y,
            x1: x + size,
            y1: y + size,
        });
        if rect.is_empty() || !clear.layers.contains(&self.layer) {
            return Ok(());
        }
        self.flush()?;
        if let Some(plane) = self.phase.scope.plane(clear.slot) {
            let rect = Rect {
                x0: rect.x0 - x,
                y0: rect.y0 - y,
                x1: rect.x1 - x,
                y1: rect.y1 - y,
            };
            planes::fill(self.words(plane), &clear.words, rect);
            self.dirty |= ScopeState::bit(clear.slot);
        }
        Ok(())
    }

    /// Resolves into the resolve targets.
    fn resolve(&mut self) -> Result<(), ExecError> {
        let scope = &self.phase.scope;
        for (_, plane) in self.each_plane() {
            let (Some(kernel), Some((target, _))) = (&plane.resolve, &plane.target.resolve) else {
                continue;
            };
            let data = self.scratch.data.address();
            let args = ResolveArgs {
                source: data + 4 * plane.start as u64,
                target: data + 4 * scope.sink as u64,
            };
            let status = kernel.call(self.scratch.context_address(), &raw const args as u64);
            check_fixed(status)?;
            let bytes = u64::from(plane.format.bytes);
            let place = planes::TilePlace::new(target, bytes, self.layer, self.first, scope.area);
            planes::store(&place, &self.scratch.data.as_slice::<u32>()[scope.sink..]);
        }
        Ok(())
    }

    /// Writes what has changed to memory.
    fn store(&mut self) {
        for (bit, plane) in self.each_plane() {
            let wanted = plane.target.store || !self.phase.end;
            if self.dirty & bit != 0 && wanted {
                let place = plane.place(self.layer, self.first, self.phase.scope.area);
                planes::store(&place, self.words(plane));
            }
        }
    }
}
