//! Collects the draws of a scope into batches and runs them.

use super::batch::{Batch, Chunk, ClearOp, DrawRecord, GeometryPhase};
use super::bins::ChunkOutput;
use super::coverage::Rect;
use super::explain::{FaultingWave, explain};
use super::geometry::GeometryScratch;
use super::limit::Limit;
use super::samples::SamplePattern;
use super::scope::{PlaneKernels, ScopeState, Slot, TexelWords};
use super::tile::TilePhase;
use super::{AttachmentClear, Draw, Scope};
use crate::device::workers::Workers;
use crate::exec::{ExecError, check_fixed};
use crate::pipeline::GraphicsPipeline;
use crate::resource::format::Format;
use crate::shader::abi::TILE_SIZE;
use crate::shader::kernel::{self, Backend, Kernel};
use crate::shader::sampling::codec;
use crate::shader::stage::coverage;
use crate::shader::stage::resolve::{self, ClearArgs};
use crate::vk;
use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Runs rendering scopes, one after another. Each queue has its own.
///
/// Draws are collected and run in batches; the memory of the attachments is up to date only after
/// [`Rasterizer::flush`] or [`Rasterizer::end`].
#[derive(Debug)]
pub struct Rasterizer {
    workers: Arc<Workers>,
    kernels: PlaneKernelCache,
    open: Option<Open>,
    // Memory of earlier batches.
    spare_outputs: Vec<ChunkOutput>,
    spare_geometry: Vec<GeometryScratch>,
    spare_batch: Batch,
}

/// The scope that is open.
#[derive(Debug)]
struct Open {
    scope: Arc<ScopeState>,
    batch: Batch,
    /// Tiles whose load operations have happened.
    in_memory: Vec<bool>,
    /// Calls so far.
    calls: u64,
}

/// Kernels that belong to formats, not to pipelines.
#[derive(Debug)]
struct PlaneKernelCache {
    backend: Backend,
    clear: FxHashMap<vk::Format, Kernel>,
    /// By number of samples and edges.
    coverage: FxHashMap<(usize, usize), Kernel>,
    resolve: FxHashMap<(vk::Format, u32, vk::ResolveModeFlags), Kernel>,
}

fn compile(func: crate::shader::ir::Func, backend: Backend) -> Result<Kernel, ExecError> {
    kernel::compile(func, backend).map_err(|error| ExecError::Compile(error.to_string()))
}

impl PlaneKernels for PlaneKernelCache {
    fn clear_words(&mut self, format: &'static Format, value: [u32; 4]) -> Result<TexelWords, ExecError> {
        if let std::collections::hash_map::Entry::Vacant(e) = self.clear.entry(format.vk) {
            // Run too seldom to be worth machine code.
            let backend = Backend::Interpreter;
            let kernel = compile(resolve::build_clear(format, backend.width()), backend)?;
            e.insert(kernel);
        }
        let mut args = ClearArgs {
            value,
            ..ClearArgs::default()
        };
        let status = self.clear[&format.vk].call(0, &raw mut args as u64);
        check_fixed(status)?;
        Ok(TexelWords::from_slice(&args.words[..codec::texel_words(format)]))
    }

    fn coverage(&mut self, pattern: &SamplePattern, edges: usize) -> Result<Kernel, ExecError> {
        let key = (pattern.count(), edges);
        if let Some(kernel) = self.coverage.get(&key) {
            return Ok(kernel.clone());
        }
        let kernel = compile(
            coverage::build(edges, pattern.offsets(), self.backend.width()),
            self.backend,
        )?;
        self.coverage.insert(key, kernel.clone());
        Ok(kernel)
    }

    fn resolve(
        &mut self,
        format: &'static Format,
        samples: u32,
        mode: vk::ResolveModeFlags,
    ) -> Result<Kernel, ExecError> {
        let key = (format.vk, samples, mode);
        if let Some(kernel) = self.resolve.get(&key) {
            return Ok(kernel.clone());
        }
        let func = resolve::build(format, samples, mode, self.backend.width());
        let kernel = compile(func, self.backend)?;
        self.resolve.insert(key, kernel.clone());
        Ok(kernel)
    }
}

fn not_open() -> ExecError {
    ExecError::Compile("no rendering scope is open".to_owned())
}

impl Rasterizer {
    /// A rasterizer that runs on these workers.
    #[must_use]
    pub fn new(workers: Arc<Workers>, backend: Backend) -> Rasterizer {
        Rasterizer {
            workers,
            kernels: PlaneKernelCache {
                backend,
                clear: FxHashMap::default(),
                coverage: FxHashMap::default(),
                resolve: FxHashMap::default(),
            },
            open: None,
            spare_outputs: Vec::new(),
            spare_geometry: Vec::new(),
            spare_batch: Batch::default(),
        }
    }

    /// The pool it runs on.
    #[must_use]
    pub fn workers(&self) -> &Arc<Workers> {
        &self.workers
    }

    /// Begins a scope. One that is still open is dropped.
    ///
    /// # Errors
    /// Attachments that no pipeline could draw to.
    pub fn begin(&mut self, scope: &Scope) -> Result<(), ExecError> {
        self.open = None;
        let state = ScopeState::new(scope, &mut self.kernels)?;
        self.open = Some(Open {
            in_memory: vec![false; state.grid.count()],
            scope: Arc::new(state),
            batch: std::mem::take(&mut self.spare_batch),
            calls: 0,
        });
        Ok(())
    }

    /// Adds a draw to the scope.
    ///
    /// # Errors
    /// As [`ExecError`] says; also for earlier draws of the scope.
    pub fn draw(&mut self, pipeline: &Arc<GraphicsPipeline>, draw: Draw) -> Result<(), ExecError> {
        let mut open = self.open.take().ok_or_else(not_open)?;
        let number = open.calls;
        open.calls += 1;
        let record = DrawRecord::new(pipeline, draw, (number, self.workers.fuel()), &open.scope)?;
        let scope = Arc::clone(&open.scope);
        let mut batch = std::mem::take(&mut open.batch);
        let result = batch.add_draw(record, &scope, |batch| self.run(&mut open, batch, true, false));
        open.batch = batch;
        result?;
        self.open = Some(open);
        Ok(())
    }

    /// Clears regions of the scope's attachments, in order with the draws.
    ///
    /// # Errors
    /// As [`Rasterizer::draw`].
    pub fn clear_attachments(
        &mut self,
        clears: &[AttachmentClear],
        rects: &[vk::ClearRect],
    ) -> Result<(), ExecError> {
        let open = self.open.as_mut().ok_or_else(not_open)?;
        open.calls += 1;
        for clear in clears {
            let color = clear.color_attachment as usize;
            let targets = [
                (vk::ImageAspectFlags::COLOR, Slot::Color(color), clear.value),
                (vk::ImageAspectFlags::DEPTH, Slot::Depth, clear.value),
                (vk::ImageAspectFlags::STENCIL, Slot::Stencil, [clear.value[1]; 4]),
            ];
            for (aspect, slot, value) in targets {
                let Some(plane) = open.scope.plane(slot) else {
                    continue;
                };
                if !clear.aspects.contains(aspect) {
                    continue;
                }
                let words = self.kernels.clear_words(plane.format, value)?;
                for rect in rects {
                    open.batch.add_clear(clear_op(&open.scope, slot, &words, rect));
                }
            }
        }
        Ok(())
    }

    /// Runs what has been collected, so that memory and counters are up to date (a barrier inside a scope).
    ///
    /// # Errors
    /// As [`Rasterizer::draw`].
    pub fn flush(&mut self) -> Result<(), ExecError> {
        let mut open = self.open.take().ok_or_else(not_open)?;
        let mut batch = std::mem::take(&mut open.batch);
        self.run(&mut open, &mut batch, false, false)?;
        open.batch = batch;
        self.open = Some(open);
        Ok(())
    }

    /// Ends the scope: runs what is left, stores and resolves.
    ///
    /// # Errors
    /// As [`Rasterizer::draw`].
    pub fn end(&mut self) -> Result<(), ExecError> {
        let mut open = self.open.take().ok_or_else(not_open)?;
        let mut batch = std::mem::take(&mut open.batch);
        self.run(&mut open, &mut batch, false, true)?;
        self.spare_batch = batch;
        Ok(())
    }

    /// Runs a batch and empties it, but for the last draw if `keep`.
    fn run(&mut self, open: &mut Open, batch: &mut Batch, keep: bool, end: bool) -> Result<(), ExecError> {
        if batch.is_empty() && !end {
            return Ok(());
        }
        let count = batch.chunks.len();
        let outputs = (0..count)
            .map(|_| Mutex::new(self.spare_outputs.pop().unwrap_or_default()))
            .collect();
        let phase = GeometryPhase {
            scope: Arc::clone(&open.scope),
            batch: std::mem::take(batch),
            outputs,
            spare: Mutex::new(std::mem::take(&mut self.spare_geometry)),
            failed: Mutex::default(),
        };
        let (mut phase, failure) = on_workers(&self.workers, count, phase, GeometryPhase::run)?;
        self.spare_geometry = phase.spare.into_inner();
        let mut outputs: Vec<ChunkOutput> = phase.outputs.into_iter().map(Mutex::into_inner).collect();
        let failed = phase.failed.into_inner();
        if failure.is_some() {
            // What comes before the fault is completed, and may hold an earlier one.
            let kept = failed.as_ref().map_or(usize::MAX, |(chunk, _)| chunk + 1);
            phase.batch.chunks.truncate(kept);
            outputs.truncate(kept);
        }
        let end = end && failure.is_none();
        let tiles = tiles(open, &phase.batch, &outputs, end);
        let count = tiles.len();
        let phase = TilePhase {
            scope: Arc::clone(&open.scope),
            batch: phase.batch,
            outputs,
            tiles,
            end,
            limit: Limit::default(),
        };
        let (phase, stopped) = on_workers(&self.workers, count, phase, TilePhase::run)?;
        if let Some((error, wave)) = phase.limit.take() {
            let wave = FaultingWave::Fragment(wave);
            return Err(explain(&self.workers, &Arc::new(phase), error, &wave));
        }
        if let Some(error) = stopped.filter(|_| failure.is_none()) {
            return Err(error);
        }
        if let Some(error) = failure {
            return Err(match failed {
                Some((_, wave)) => {
                    let wave = FaultingWave::Vertex(wave);
                    explain(&self.workers, &Arc::new(phase), error, &wave)
                }
                None => error,
            });
        }
        for &(tile, _) in &phase.tiles {
            open.in_memory[tile as usize] = true;
        }
        *batch = phase.batch;
        batch.reset(keep);
        self.spare_outputs
            .extend(phase.outputs.into_iter().map(|mut output| {
                output.clear();
                output
            }));
        Ok(())
    }
}

/// Runs `count` items of a phase and gives the phase back, with the fault of a shader in its lowest item, if there is
/// one.
fn on_workers<P: Send + Sync + 'static>(
    workers: &Workers,
    count: usize,
    phase: P,
    run: fn(&P, &mut crate::device::workers::Scratch, usize) -> Result<(), ExecError>,
) -> Result<(P, Option<ExecError>), ExecError> {
    let phase = Arc::new(phase);
    let shared = Arc::clone(&phase);
    let result = workers.run(count, Arc::new(move |scratch, item| run(&shared, scratch, item)));
    let failure = match result {
        Ok(()) => None,
        // Where time is over, another item may have been stopped within a shader: that tells more.
        Err(error) if error.fault().is_some() || matches!(error, ExecError::Late(_)) => Some(error),
        Err(error) => return Err(error),
    };
    let kept = || ExecError::Panic("a worker kept a finished phase".to_owned());
    Ok((Arc::into_inner(phase).ok_or_else(kept)?, failure))
}

fn clear_op(scope: &ScopeState, slot: Slot, words: &TexelWords, rect: &vk::ClearRect) -> ClearOp {
    let vk::Rect2D { offset, extent } = rect.rect;
    let end = |offset: i32, extent: u32| offset.saturating_add(i32::try_from(extent).unwrap_or(i32::MAX));
    let region = Rect {
        x0: offset.x,
        y0: offset.y,
        x1: end(offset.x, extent.width),
        y1: end(offset.y, extent.height),
    };
    let layers = match scope.view_mask {
        0 => {
            rect.base_array_layer
                ..rect
                    .base_array_layer
                    .saturating_add(rect.layer_count)
                    .min(scope.layers)
        }
        _ => 0..scope.layers,
    };
    ClearOp {
        slot,
        words: words.clone(),
        rect: region.intersect(scope.area),
        layers,
    }
}

/// The tiles a batch is to run, in order, and whether each is in memory.
fn tiles(open: &Open, batch: &Batch, outputs: &[ChunkOutput], end: bool) -> Vec<(u32, bool)> {
    let scope = &open.scope;
    let planes = || scope.planes.iter().flatten();
    let resolves = end && planes().any(|plane| plane.resolve.is_some());
    let clears = end && planes().any(|plane| plane.clear.is_some() && plane.target.store);
    let mut wanted: Vec<bool> = open
        .in_memory
        .iter()
        .map(|in_memory| resolves || (clears && !in_memory))
        .collect();
    for (chunk, output) in batch.chunks.iter().zip(outputs) {
        match chunk {
            Chunk::Draws(_) => output.tiles().for_each(|tile| wanted[tile] = true),
            Chunk::Clear(clear) => mark_clear(scope, clear, &mut wanted),
        }
    }
    let tiles = wanted
        .iter()
        .enumerate()
        .filter(|(tile, wanted)| **wanted && scope.has_tile(*tile));
    tiles
        .map(|(tile, _)| (tile as u32, open.in_memory[tile]))
        .collect()
}

fn mark_clear(scope: &ScopeState, clear: &ClearOp, wanted: &mut [bool]) {
    if clear.rect.is_empty() {
        return;
    }
    let grid = &scope.grid;
    let tile = |pixel: i32| pixel as usize / TILE_SIZE as usize;
    for layer in clear.layers.clone() {
        for row in tile(clear.rect.y0)..=tile(clear.rect.y1 - 1) {
            for column in tile(clear.rect.x0)..=tile(clear.rect.x1 - 1) {
                wanted[grid.index(layer, row as u32, column as u32) as usize] = true;
            }
        }
    }
}
