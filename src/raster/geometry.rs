//! The first phase of a batch: vertices are shaded, primitives assembled, clipped, set up and binned.

use super::assembly::{Topology, VertexCache, vertex_indices};
use super::batch::{DrawRecord, Segment};
use super::bins::ChunkOutput;
use super::clip::{self, ClipVertex, Clipper, Polygon};
use super::explain::VertexWave;
use super::setup::{Attributes, Corner, Outline, PrimList, Setup, Side};
use crate::device::workers::Scratch;
use crate::exec::{ExecError, Invocation, Stage};
use crate::memory::AlignedBuf;
use crate::shader::abi::{VertexArgs, VertexBuffer, clip_flag, vertex_output as vector};
use crate::vk;
use smallvec::SmallVec;
use std::sync::atomic::Ordering;

/// Vectors are padded to this many vertices.
const PADDING: usize = 16;

/// Buffers of the first phase, kept from segment to segment.
#[derive(Debug, Default)]
pub(super) struct GeometryScratch {
    vertices: Vec<u32>,
    slots: Vec<u32>,
    cache: VertexCache,
    /// The wave that has failed.
    pub(super) failed: Option<VertexWave>,
}

/// The shaded vertices of a segment and instance.
struct Shaded<'v> {
    words: &'v [u32],
    /// Words a vector.
    stride: usize,
}

impl Shaded<'_> {
    #[inline]
    fn word(&self, vector: u32, slot: usize) -> u32 {
        self.words[vector as usize * self.stride + slot]
    }

    #[inline]
    fn float(&self, vector: u32, slot: usize) -> f32 {
        f32::from_bits(self.word(vector, slot))
    }

    #[inline]
    fn corner(&self, slot: usize) -> Corner {
        Corner {
            x: self.word(vector::FIXED_X, slot) as i32,
            y: self.word(vector::FIXED_Y, slot) as i32,
            z: self.float(vector::DEPTH, slot),
            q: self.float(vector::RECIPROCAL_W, slot),
        }
    }

    fn clip_vertex(&self, slots: &[usize; 3], i: usize) -> ClipVertex {
        let slot = slots[i];
        let mut weights = [0.0; 3];
        weights[i] = 1.0;
        let guard = self.word(vector::FLAGS, slot) & clip_flag::GUARD != 0;
        ClipVertex {
            clip: [vector::X, vector::Y, vector::Z, vector::W].map(|v| self.float(v, slot)),
            weights,
            own: (!guard).then(|| self.corner(slot)),
        }
    }
}

/// Attributes of a primitive that was not clipped.
struct Whole<'v> {
    shaded: &'v Shaded<'v>,
    slots: [usize; 3],
    /// The corner whose flat values are the primitive's.
    provoking: usize,
}

impl Attributes for Whole<'_> {
    #[inline]
    fn at(&self, i: usize, k: usize) -> u32 {
        self.shaded.word(vector::USER + k as u32, self.slots[i])
    }

    #[inline]
    fn flat(&self, k: usize) -> u32 {
        self.at(self.provoking, k)
    }
}

/// Attributes of a part of a clipped primitive.
struct Part<'v> {
    whole: &'v Whole<'v>,
    weights: [[f32; 3]; 3],
}

impl Attributes for Part<'_> {
    fn at(&self, i: usize, k: usize) -> u32 {
        let value = |j: usize| f32::from_bits(self.whole.at(j, k)) * self.weights[i][j];
        match self.weights[i] {
            // The primitive's own vertices as they are.
            [1.0, 0.0, 0.0] => self.whole.at(0, k),
            [0.0, 1.0, 0.0] => self.whole.at(1, k),
            [0.0, 0.0, 1.0] => self.whole.at(2, k),
            _ => (value(0) + value(1) + value(2)).to_bits(),
        }
    }

    fn flat(&self, k: usize) -> u32 {
        self.whole.flat(k)
    }
}

/// Numbers for the queries of a draw.
#[derive(Default)]
struct Statistics {
    vertices: u64,
    invocations: u64,
    primitives: u64,
    clipped: u64,
}

impl GeometryScratch {
    /// Runs one segment and appends its primitives.
    pub(super) fn run(
        &mut self,
        scratch: &mut Scratch,
        record: &DrawRecord,
        segment: &Segment,
        out: &mut ChunkOutput,
    ) -> Result<(), ExecError> {
        let draw = &record.draw;
        let run = segment.run;
        self.vertices.clear();
        if segment.topology == Topology::TriangleFan {
            vertex_indices(draw, run.start..run.start + 1, &mut self.vertices);
        }
        let span = segment.topology.span(segment.first, segment.count);
        vertex_indices(
            draw,
            run.start + span.start..run.start + span.end,
            &mut self.vertices,
        );
        let indexed = matches!(draw.indices, super::Indices::Buffer { .. });
        let fetched = self.vertices.len();
        if indexed {
            self.cache.unify(&mut self.vertices, &mut self.slots);
        }
        let mut statistics = Statistics::default();
        for instance in 0..segment.instances {
            let instance = draw
                .first_instance
                .wrapping_add(segment.first_instance + instance);
            let stride = self.shade(scratch, record, segment, instance)?;
            statistics.vertices += fetched as u64;
            statistics.invocations += self.vertices.len() as u64;
            let shaded = Shaded {
                words: scratch.data.as_slice(),
                stride,
            };
            let slots = indexed.then_some(&self.slots[..]);
            assemble(&shaded, slots, record, segment, out, &mut statistics);
        }
        for counters in &draw.counters {
            let add = |counter: &std::sync::atomic::AtomicU64, n| counter.fetch_add(n, Ordering::Relaxed);
            add(&counters.input_assembly_vertices, statistics.vertices);
            add(&counters.vertex_invocations, statistics.invocations);
            add(&counters.input_assembly_primitives, statistics.primitives);
            add(&counters.clipping_invocations, statistics.primitives);
            add(&counters.clipping_primitives, statistics.clipped);
        }
        Ok(())
    }

    /// Runs the vertex kernel for one instance; gives the words a vector.
    fn shade(
        &mut self,
        scratch: &mut Scratch,
        record: &DrawRecord,
        segment: &Segment,
        instance: u32,
    ) -> Result<usize, ExecError> {
        let count = self.vertices.len();
        let stride = count.next_multiple_of(PADDING);
        self.vertices.resize(stride, 0);
        let vectors = vector::USER as usize + record.pipeline.varyings().len();
        scratch.data.ensure(vectors * stride * 4);
        let indices = (self.vertices.as_ptr() as u64, count);
        let output = (scratch.data.address(), stride as u64 * 4);
        let mut args = vertex_args(record, instance, indices, output);
        let kernel = record.pipeline.vertex();
        record.bind(scratch, kernel.frame_bytes(), segment.view);
        scratch.context.guards.progress = &raw const args.done as u64;
        let status = kernel.call(scratch.context_address(), &raw mut args as u64);
        self.vertices.truncate(count);
        if let Some(sink) = &record.draw.masked {
            let what = (Stage::Vertex, record.number, record.number);
            sink.collect(&scratch.context, kernel, what, |entry| {
                let vertex = self.vertices.get(entry.rank as usize).copied().unwrap_or(0);
                let (view, run) = (segment.view.into(), segment.run.start.into());
                let place = [view, run, instance.into(), segment.first.into(), entry.rank];
                (place, (entry.rank, Invocation::Vertex { vertex, instance }))
            });
        }
        let result = record.check(status, (kernel, Stage::Vertex), scratch, |lane| {
            let at = args.done + lane;
            let vertex = self.vertices.get(at as usize).copied().unwrap_or(0);
            (at.into(), Invocation::Vertex { vertex, instance })
        });
        if let Err(error) = result {
            let left = self.vertices.iter().skip(args.done as usize);
            self.failed = Some(VertexWave {
                draw: segment.draw as usize,
                view: segment.view,
                instance,
                first: args.done,
                vertices: left.take(record.pipeline.width() as usize).copied().collect(),
            });
            return Err(error);
        }
        Ok(stride)
    }
}

/// The arguments of a vertex kernel: `indices` are the address and number of vertex indices, `output` the address and
/// the bytes from one vector to the next.
pub(super) fn vertex_args(
    record: &DrawRecord,
    instance: u32,
    (indices, count): (u64, usize),
    (output, output_stride): (u64, u64),
) -> VertexArgs {
    let draw = &record.draw;
    let mut buffers = [VertexBuffer::default(); _];
    buffers[..draw.vertex_buffers.len()].copy_from_slice(&draw.vertex_buffers);
    VertexArgs {
        buffers,
        indices,
        output,
        output_stride,
        instance_index: instance,
        base_instance: draw.first_instance,
        base_vertex: draw.base_vertex(),
        count: count as u32,
        viewport_scale: record.viewport.scale,
        viewport_offset: record.viewport.offset,
        done: 0,
        reserved: 0,
        zeros: [0; 4],
    }
}

/// Turns the shaded vertices of a segment into primitives.
struct Assembler<'a> {
    shaded: &'a Shaded<'a>,
    setup: Setup<'a>,
    clipper: Clipper,
    /// Where clip distances begin among the outputs, and how many there are.
    distances: (usize, usize),
    list: &'a mut PrimList,
}

fn assemble(
    shaded: &Shaded<'_>,
    slots: Option<&[u32]>,
    record: &DrawRecord,
    segment: &Segment,
    out: &mut ChunkOutput,
    statistics: &mut Statistics,
) {
    statistics.primitives += u64::from(segment.count);
    if record.draw.state.rasterizer_discard {
        return;
    }
    let raster = &record.pipeline.desc().raster;
    let (depth_clip, last) = (raster.clips_depth(), raster.provoking_last);
    let mut assembler = Assembler {
        shaded,
        setup: Setup {
            state: &record.setup,
            flat: record.pipeline.flat(),
            draw: segment.draw,
            layer: segment.view,
        },
        clipper: Clipper {
            viewport: record.viewport,
            depth_clip,
            ..Clipper::default()
        },
        distances: record.pipeline.clip_distances(),
        list: &mut out.list,
    };
    let clip_mask = clip::needs_clip(depth_clip);
    // What all corners may not share.
    let sides = clip_flag::LEFT | clip_flag::RIGHT | clip_flag::TOP | clip_flag::BOTTOM;
    let depth = if depth_clip {
        clip_flag::NEAR | clip_flag::FAR
    } else {
        0
    };
    let volume = sides | depth | clip_flag::CLIPS | clip_flag::CULLS;
    for i in 0..segment.count {
        let places = segment.topology.corner_places(segment.first, i);
        let corners = match slots {
            Some(slots) => {
                let [a, b, c] = places;
                [slots[a] as usize, slots[b] as usize, slots[c] as usize]
            }
            None => places,
        };
        let flags = |i: usize| shaded.word(vector::FLAGS, corners[i]);
        let (a, b, c) = (flags(0), flags(1), flags(2));
        if a & b & c & volume != 0 {
            continue;
        }
        let id = segment.id_base + segment.first + i;
        let whole = Whole {
            shaded,
            slots: corners,
            provoking: if last {
                segment.topology.last_corner(segment.first, i)
            } else {
                0
            },
        };
        let clipped = (a | b | c) & clip_mask != 0;
        statistics.clipped += match (segment.topology.corners(), clipped) {
            (3, false) => assembler.triangle(&whole, id),
            (3, true) => assembler.clip_triangle(&whole, id),
            (2, false) => assembler.line(&whole, id),
            (2, true) => assembler.clip_line(&whole, id),
            // Points are clipped by their centres, at all planes.
            _ if a & (volume | clip_flag::GUARD) != 0 => 0,
            _ => assembler.point(&whole, id),
        };
    }
}

/// Each gives the number of primitives that are left behind clipping.
impl Assembler<'_> {
    #[inline]
    fn triangle(&mut self, whole: &Whole<'_>, id: u32) -> u64 {
        let corner = |i: usize| self.shaded.corner(whole.slots[i]);
        let corners = [corner(0), corner(1), corner(2)];
        if self.setup.state.polygon_mode == vk::PolygonMode::FILL {
            self.setup.triangle(self.list, &corners, whole, id);
        } else {
            let size = |i: usize| self.shaded.float(vector::POINT_SIZE, whole.slots[i]);
            let outline = Outline {
                edges: [true; 3],
                sizes: [size(0), size(1), size(2)],
            };
            self.setup.outline(self.list, &corners, outline, whole, id);
        }
        1
    }

    fn line(&mut self, whole: &Whole<'_>, id: u32) -> u64 {
        let corner = |i: usize| self.shaded.corner(whole.slots[i]);
        self.setup
            .line(self.list, [corner(0), corner(1)], Side::NONE, whole, id);
        1
    }

    fn point(&mut self, whole: &Whole<'_>, id: u32) -> u64 {
        let slot = whole.slots[0];
        let size = self.shaded.float(vector::POINT_SIZE, slot);
        self.setup
            .point(self.list, self.shaded.corner(slot), Side::NONE, size, whole, id);
        1
    }

    /// Takes the clip distances of a primitive's corners.
    fn take_distances(&mut self, whole: &Whole<'_>) {
        let (first, count) = self.distances;
        self.clipper.distances.clear();
        for k in first..first + count {
            self.clipper
                .distances
                .push([0, 1, 2].map(|i| f32::from_bits(whole.at(i, k))));
        }
    }

    fn clip_triangle(&mut self, whole: &Whole<'_>, id: u32) -> u64 {
        self.take_distances(whole);
        let polygon: Polygon = (0..3).map(|i| self.shaded.clip_vertex(&whole.slots, i)).collect();
        let polygon = clip::clip_polygon(polygon, &self.clipper);
        let corners: SmallVec<[Corner; 20]> = polygon
            .iter()
            .map(|v| clip::to_framebuffer(v, &self.clipper.viewport))
            .collect();
        for i in 2..polygon.len() {
            let part = [0, i - 1, i];
            let attributes = Part {
                whole,
                weights: part.map(|j| polygon[j].weights),
            };
            let part = part.map(|j| corners[j]);
            if self.setup.state.polygon_mode == vk::PolygonMode::FILL {
                self.setup.triangle(self.list, &part, &attributes, id);
            } else {
                let edges = [i == 2, true, i + 1 == polygon.len()];
                self.setup.outline(
                    self.list,
                    &part,
                    Outline {
                        edges,
                        sizes: [1.0; 3],
                    },
                    &attributes,
                    id,
                );
            }
        }
        polygon.len().saturating_sub(2) as u64
    }

    fn clip_line(&mut self, whole: &Whole<'_>, id: u32) -> u64 {
        self.take_distances(whole);
        let line = [0, 1].map(|i| self.shaded.clip_vertex(&whole.slots, i));
        let Some(line) = clip::clip_line(line, &self.clipper) else {
            return 0;
        };
        let weights = [line[0].weights, line[1].weights, line[0].weights];
        let corners = line.map(|v| clip::to_framebuffer(&v, &self.clipper.viewport));
        self.setup
            .line(self.list, corners, Side::NONE, &Part { whole, weights }, id);
        1
    }
}

/// Makes a frame of so many bytes and gives its address. What a shader reads before it has written is the same
/// on every worker.
pub(super) fn frame(frames: &mut AlignedBuf, bytes: u32) -> u64 {
    let bytes = bytes as usize;
    frames.ensure(bytes);
    crate::memory::raw::fill(frames.address(), 0, bytes);
    frames.address()
}
