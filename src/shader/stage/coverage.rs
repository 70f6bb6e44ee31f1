//! Coverage kernels: which 4x4 blocks of a tile primitives cover, and which of their pixels and samples.
//!
//! Edge functions are exact: positions are integers in 1/256 pixels, and all sample positions of one sample number
//! differ by whole pixels, so `floor(E / 256)` has the sign of `E` at each of them. Within a tile it changes by less
//! than 2^30 (see [`crate::shader::abi::GUARD_BAND`]), so values clamped to 2^30 keep their sign at all pixels and fit in
//! 32 bits.
//!
//! A primitive's rectangle is walked in areas of 4x4 blocks, which an edge may exclude or all edges may cover whole;
//! what is left is evaluated pixel by pixel, all pixels of a block at once.

use super::{at, element, kernel};
use crate::shader::abi::{BlockRecord, CoverageArgs, Edge, MAX_SAMPLES, Primitive};
use crate::shader::ir::{BlockId, Builder, Func, Type, Value};
use std::mem::offset_of;

/// Blocks a row of a tile.
const BLOCKS: i64 = 16;
/// Blocks a tile.
const TILE_BLOCKS: i64 = BLOCKS * BLOCKS;

/// An edge within the tile.
struct TileEdge {
    a: Value,
    b: Value,
    /// Value at the centre of the tile's first pixel.
    e: Value,
    /// Differences of a block's lanes from its first, one vector a wave.
    lanes: Vec<Value>,
    /// The greatest and least that an area's pixels and samples differ from its first pixel's centre.
    up: Value,
    down: Value,
    /// Differences of the samples from the centre (several samples).
    samples: Vec<Value>,
}

/// Columns or rows of blocks: first and end.
#[derive(Clone, Copy)]
struct Range {
    first: Value,
    end: Value,
}

/// What does not change while a primitive is walked.
struct Walk {
    args: Value,
    record_base: Value,
    primitive_data: Value,
    edges: Vec<TileEdge>,
    /// Pixels, from the tile's first.
    pixels: [Range; 2],
    blocks: [Range; 2],
    /// Whether pixels outside the rectangle must be taken out.
    clips: Value,
    samples: usize,
}

/// Builds a kernel for primitives of `edges` edges; `offsets` are the samples' distances from the centre in 1/256
/// pixels.
#[must_use]
pub fn build(edges: usize, offsets: &[[i32; 2]], width: u32) -> Func {
    let (mut func, _, args) = kernel("coverage", width);
    let mut builder = Builder::new(&mut func, BlockId(0));
    let b = &mut builder;
    let count = b.sload(args, at(offset_of!(CoverageArgs, count)));
    let first = b.sload(args, at(offset_of!(CoverageArgs, next)));
    let written = b.sload(args, at(offset_of!(CoverageArgs, written)));
    let (head, params) = b.add_block(&[Type::S32, Type::S32]);
    let (exit, exit_params) = b.add_block(&[Type::S32, Type::S32]);
    let (check, _) = b.add_block(&[]);
    let (begin, _) = b.add_block(&[]);
    let (next, next_params) = b.add_block(&[Type::S32]);
    b.jump(head, &[first, written]);

    b.switch_to(head);
    let (i, n) = (params[0], params[1]);
    let more = b.slt_u(i, count);
    b.branch(more, (check, &[]), (exit, &[i, n]));

    b.switch_to(check);
    let indices = b.lload(args, at(offset_of!(CoverageArgs, indices)));
    let index = element(b, indices, i, 4);
    let index = b.sload(index, 0);
    let primitives = b.lload(args, at(offset_of!(CoverageArgs, primitives)));
    let primitive = element(b, primitives, index, size_of::<Primitive>());
    let stop = must_stop(b, args, primitive, n);
    b.branch(stop, (exit, &[i, n]), (begin, &[]));

    b.switch_to(begin);
    let walk = begin_walk(b, args, primitive, edges, offsets);
    walk.areas(b, n, next);

    b.switch_to(next);
    let one = b.sconst(1);
    let following = b.sadd(i, one);
    b.jump(head, &[following, next_params[0]]);

    b.switch_to(exit);
    b.sstore(args, exit_params[0], at(offset_of!(CoverageArgs, next)));
    b.sstore(args, exit_params[1], at(offset_of!(CoverageArgs, written)));
    let done = b.sconst(0);
    b.ret(done);
    func
}

/// Whether a primitive belongs to another draw, or its blocks might not fit.
fn must_stop(b: &mut Builder<'_>, args: Value, primitive: Value, written: Value) -> Value {
    let draw = b.sload(primitive, at(offset_of!(Primitive, draw)));
    let wanted = b.sload(args, at(offset_of!(CoverageArgs, draw)));
    let other = b.sne(draw, wanted);
    let room = b.sload(args, at(offset_of!(CoverageArgs, room)));
    let most = b.sconst(TILE_BLOCKS);
    let after = b.sadd(written, most);
    let full = b.slt_u(room, after);
    b.bor(other, full)
}

fn begin_walk(
    b: &mut Builder<'_>,
    args: Value,
    primitive: Value,
    edges: usize,
    offsets: &[[i32; 2]],
) -> Walk {
    let tile = [0, 1].map(|axis| b.sload(args, at(offset_of!(CoverageArgs, tile)) + 4 * axis));
    let pixels = [0, 1].map(|axis| {
        let bound = |b: &mut Builder<'_>, i: i64| {
            let bound = b.sload(primitive, at(offset_of!(Primitive, bounds)) + 4 * i);
            b.ssub(bound, tile[axis as usize])
        };
        let (first, end) = (bound(b, axis), bound(b, axis + 2));
        let (zero, size) = (b.sconst(0), b.sconst(4 * BLOCKS));
        Range {
            first: b.smax_s(first, zero),
            end: b.smin_s(end, size),
        }
    });
    let blocks = pixels.map(|range| {
        let (two, three) = (b.sconst(2), b.sconst(3));
        let end = b.sadd(range.end, three);
        Range {
            first: b.ssar(range.first, two),
            end: b.ssar(end, two),
        }
    });
    // The tile's first pixel's centre in 1/256 pixels.
    let centre = tile.map(|pixel| {
        let (scale, half) = (b.sconst(256), b.sconst(128));
        let corner = b.smul(pixel, scale);
        let centre = b.sadd(corner, half);
        b.lsext(centre)
    });
    let data = b.lload(args, at(offset_of!(CoverageArgs, data)));
    let word = b.sload(primitive, at(offset_of!(Primitive, data)));
    let clips = b.sload(primitive, at(offset_of!(Primitive, clips)));
    let zero = b.sconst(0);
    Walk {
        args,
        record_base: b.lload(args, at(offset_of!(CoverageArgs, blocks))),
        primitive_data: element(b, data, word, 4),
        edges: (0..edges)
            .map(|i| tile_edge(b, args, primitive, i, centre, offsets))
            .collect(),
        pixels,
        blocks,
        clips: b.sne(clips, zero),
        samples: offsets.len(),
    }
}

/// `value / 256`, rounded down and clamped to 30 bits.
fn narrow(b: &mut Builder<'_>, value: Value) -> Value {
    let eight = b.sconst(8);
    let value = b.lsar(value, eight);
    let (low, high) = (b.lconst(-(1 << 30)), b.lconst(1 << 30));
    let below = b.llt_s(value, low);
    let value = b.lselect(below, low, value);
    let above = b.llt_s(high, value);
    let value = b.lselect(above, high, value);
    b.ltrunc(value)
}

fn tile_edge(
    b: &mut Builder<'_>,
    args: Value,
    primitive: Value,
    index: usize,
    centre: [Value; 2],
    offsets: &[[i32; 2]],
) -> TileEdge {
    let place = offset_of!(Primitive, edges) + index * size_of::<Edge>();
    let ea = b.sload(primitive, at(place + offset_of!(Edge, a)));
    let eb = b.sload(primitive, at(place + offset_of!(Edge, b)));
    let c = b.lload(primitive, at(place + offset_of!(Edge, c)));
    let (wide_a, wide_b) = (b.lsext(ea), b.lsext(eb));
    let (x, y) = (b.lmul(wide_a, centre[0]), b.lmul(wide_b, centre[1]));
    let sum = b.ladd(x, y);
    let base = b.ladd(sum, c);
    let e = narrow(b, base);
    let samples = if offsets.len() == 1 {
        Vec::new()
    } else {
        let eight = b.sconst(8);
        let whole = b.lsar(base, eight);
        offsets
            .iter()
            .map(|&offset| sample_difference(b, [wide_a, wide_b], base, whole, offset))
            .collect()
    };
    let [va, vb] = [ea, eb].map(|v| b.vsplat(v));
    let lanes = (0..16 / b.width()).map(|wave| {
        let lane =
            |b: &mut Builder<'_>, field: usize| b.vload(args, at(field) + i64::from(wave * b.width()) * 4);
        let (lx, ly) = (
            lane(b, offset_of!(CoverageArgs, lane_x)),
            lane(b, offset_of!(CoverageArgs, lane_y)),
        );
        let (x, y) = (b.vmul(va, lx), b.vmul(vb, ly));
        b.vadd(x, y)
    });
    let lanes = lanes.collect();
    let (up, down) = reach(b, ea, eb, offsets.len() > 1);
    TileEdge {
        a: ea,
        b: eb,
        e,
        lanes,
        up,
        down,
        samples,
    }
}

/// How much an edge function divided by 256 differs at a sample from the pixel's centre.
fn sample_difference(
    b: &mut Builder<'_>,
    [wide_a, wide_b]: [Value; 2],
    base: Value,
    whole: Value,
    [dx, dy]: [i32; 2],
) -> Value {
    let (dx, dy) = (b.lconst(dx.into()), b.lconst(dy.into()));
    let (x, y) = (b.lmul(wide_a, dx), b.lmul(wide_b, dy));
    let there = b.ladd(base, x);
    let there = b.ladd(there, y);
    let eight = b.sconst(8);
    let there = b.lsar(there, eight);
    let difference = b.lsub(there, whole);
    b.ltrunc(difference)
}

/// The greatest and least difference of an area's pixels, and samples if there are several, from its first.
fn reach(b: &mut Builder<'_>, ea: Value, eb: Value, several: bool) -> (Value, Value) {
    let (zero, span) = (b.sconst(0), b.sconst(15));
    let (pa, pb) = (b.smax_s(ea, zero), b.smax_s(eb, zero));
    let (na, nb) = (b.smin_s(ea, zero), b.smin_s(eb, zero));
    let (plus, minus) = (b.sadd(pa, pb), b.sadd(na, nb));
    let (up, down) = (b.smul(plus, span), b.smul(minus, span));
    if !several {
        return (up, down);
    }
    // Half of |a| + |b|, and one for rounding.
    let size = b.ssub(plus, minus);
    let one = b.sconst(1);
    let half = b.ssar(size, one);
    let pad = b.sadd(half, one);
    (b.sadd(up, pad), b.ssub(down, pad))
}

impl Walk {
    /// Walks the areas and goes on at `next` with the number of records.
    fn areas(&self, b: &mut Builder<'_>, written: Value, next: BlockId) {
        let areas = self.blocks.map(|range| {
            let (two, three) = (b.sconst(2), b.sconst(3));
            let end = b.sadd(range.end, three);
            Range {
                first: b.ssar(range.first, two),
                end: b.ssar(end, two),
            }
        });
        let (row, row_params) = b.add_block(&[Type::S32, Type::S32]);
        let (columns, _) = b.add_block(&[]);
        let (column, column_params) = b.add_block(&[Type::S32, Type::S32]);
        let (row_end, row_end_params) = b.add_block(&[Type::S32]);
        let (area, _) = b.add_block(&[]);
        let (column_end, column_end_params) = b.add_block(&[Type::S32]);
        let one = b.sconst(1);
        b.jump(row, &[areas[1].first, written]);

        b.switch_to(row);
        let (y, n) = (row_params[0], row_params[1]);
        let more = b.slt_s(y, areas[1].end);
        b.branch(more, (columns, &[]), (next, &[n]));
        b.switch_to(columns);
        b.jump(column, &[areas[0].first, n]);

        b.switch_to(column);
        let (x, n) = (column_params[0], column_params[1]);
        let more = b.slt_s(x, areas[0].end);
        b.branch(more, (area, &[]), (row_end, &[n]));
        b.switch_to(area);
        self.area(b, [x, y], n, column_end);

        b.switch_to(column_end);
        let following = b.sadd(x, one);
        b.jump(column, &[following, column_end_params[0]]);
        b.switch_to(row_end);
        let following = b.sadd(y, one);
        b.jump(row, &[following, row_end_params[0]]);
    }

    /// Values of the edges at the first pixel of a square of `size` pixels.
    fn values(&self, b: &mut Builder<'_>, [x, y]: [Value; 2], size: i64) -> Vec<Value> {
        let size = b.sconst(size);
        let (x, y) = (b.smul(x, size), b.smul(y, size));
        let value = |b: &mut Builder<'_>, edge: &TileEdge| {
            let (dy, dx) = (b.smul(edge.b, y), b.smul(edge.a, x));
            let row = b.sadd(edge.e, dy);
            b.sadd(row, dx)
        };
        self.edges.iter().map(|edge| value(b, edge)).collect()
    }

    /// Walks the blocks of an area, unless an edge excludes it, and goes on at `end` with the number of records.
    fn area(&self, b: &mut Builder<'_>, place: [Value; 2], written: Value, end: BlockId) {
        let zero = b.sconst(0);
        let (mut outside, mut partial) = (b.bconst(0), b.bconst(0));
        for (first, edge) in self.values(b, place, 16).into_iter().zip(&self.edges) {
            let (greatest, least) = (b.sadd(first, edge.up), b.sadd(first, edge.down));
            let (below, crossed) = (b.slt_s(greatest, zero), b.slt_s(least, zero));
            outside = b.bor(outside, below);
            partial = b.bor(partial, crossed);
        }
        let (inside, _) = b.add_block(&[]);
        b.branch(outside, (end, &[written]), (inside, &[]));
        b.switch_to(inside);
        let ranges = [0, 1].map(|axis| {
            let (two, four) = (b.sconst(2), b.sconst(4));
            let first = b.sshl(place[axis], two);
            let end = b.sadd(first, four);
            let blocks = self.blocks[axis];
            Range {
                first: b.smax_s(first, blocks.first),
                end: b.smin_s(end, blocks.end),
            }
        });
        let (row, row_params) = b.add_block(&[Type::S32, Type::S32]);
        let (column, column_params) = b.add_block(&[Type::S32, Type::S32]);
        let (row_end, _) = b.add_block(&[]);
        b.jump(row, &[ranges[1].first, written]);
        // An area has at least one block of the rectangle, so both loops test at their ends.
        b.switch_to(row);
        let (y, n) = (row_params[0], row_params[1]);
        b.jump(column, &[ranges[0].first, n]);
        b.switch_to(column);
        let (x, n) = (column_params[0], column_params[1]);
        let n = self.block(b, [x, y], partial, n);
        let one = b.sconst(1);
        let following = b.sadd(x, one);
        let more = b.slt_s(following, ranges[0].end);
        b.branch(more, (column, &[following, n]), (row_end, &[]));
        b.switch_to(row_end);
        let following = b.sadd(y, one);
        let more = b.slt_s(following, ranges[1].end);
        b.branch(more, (row, &[following, n]), (end, &[n]));
    }

    /// Writes the record of a block; gives the number of records, which is one more if anything is covered.
    fn block(&self, b: &mut Builder<'_>, place: [Value; 2], partial: Value, written: Value) -> Value {
        let masks = vec![Type::S32; self.samples];
        let (crossed, _) = b.add_block(&[]);
        let (found, found_params) = b.add_block(&masks);
        let (clip, _) = b.add_block(&[]);
        let (store, store_params) = b.add_block(&masks);
        let all = b.sconst(0xffff);
        b.branch(partial, (crossed, &[]), (found, &vec![all; self.samples]));

        b.switch_to(crossed);
        let values = self.values(b, place, 4);
        let masks: Vec<Value> = (0..self.samples)
            .map(|sample| self.mask(b, &values, sample))
            .collect();
        b.jump(found, &masks);

        b.switch_to(found);
        b.branch(self.clips, (clip, &[]), (store, &found_params));
        b.switch_to(clip);
        let inside = self.inside(b, place);
        let clipped: Vec<Value> = found_params.iter().map(|&mask| b.sand(mask, inside)).collect();
        b.jump(store, &clipped);

        b.switch_to(store);
        self.store(b, place, &store_params, written)
    }

    /// Pixels of a block at which no edge function is negative.
    fn mask(&self, b: &mut Builder<'_>, values: &[Value], sample: usize) -> Value {
        let waves = 16 / b.width();
        let (mut bits, none) = (b.sconst(0), b.vconst(0));
        for wave in 0..waves {
            let mut negative = none;
            for (edge, &value) in self.edges.iter().zip(values) {
                let value = match edge.samples.get(sample) {
                    Some(&difference) => b.sadd(value, difference),
                    None => value,
                };
                let value = b.vsplat(value);
                let value = b.vadd(value, edge.lanes[wave as usize]);
                negative = b.vor(negative, value);
            }
            let inside = b.vle_s(none, negative);
            let wave_bits = b.mbits(inside);
            let shift = b.sconst(i64::from(wave * b.width()));
            let wave_bits = b.sshl(wave_bits, shift);
            bits = b.sor(bits, wave_bits);
        }
        bits
    }

    /// Pixels of a block inside the rectangle.
    fn inside(&self, b: &mut Builder<'_>, place: [Value; 2]) -> Value {
        let tables = [
            [
                offset_of!(CoverageArgs, columns_from),
                offset_of!(CoverageArgs, columns_below),
            ],
            [
                offset_of!(CoverageArgs, rows_from),
                offset_of!(CoverageArgs, rows_below),
            ],
        ];
        let mut bits = b.sconst(0xffff);
        for axis in 0..2 {
            let (zero, four, two) = (b.sconst(0), b.sconst(4), b.sconst(2));
            let first = b.sshl(place[axis], two);
            let range = self.pixels[axis];
            for (bound, table) in [range.first, range.end].into_iter().zip(tables[axis]) {
                let from = b.ssub(bound, first);
                let from = b.smax_s(from, zero);
                let from = b.smin_s(from, four);
                let entry = element(b, self.args, from, 4);
                let entry = b.sload(entry, at(table));
                bits = b.sand(bits, entry);
            }
        }
        bits
    }

    fn store(&self, b: &mut Builder<'_>, [x, y]: [Value; 2], masks: &[Value], written: Value) -> Value {
        let record = element(b, self.record_base, written, size_of::<BlockRecord>());
        b.lstore(
            record,
            self.primitive_data,
            at(offset_of!(BlockRecord, primitive)),
        );
        for (axis, block) in [x, y].into_iter().enumerate() {
            let tile = b.sload(self.args, at(offset_of!(CoverageArgs, tile) + 4 * axis));
            let four = b.sconst(4);
            let pixel = b.smul(block, four);
            let pixel = b.sadd(tile, pixel);
            b.sstore(record, pixel, at(offset_of!(BlockRecord, position) + 4 * axis));
        }
        let (row, bytes) = (b.sconst(BLOCKS), b.sconst(64));
        let offset = b.smul(y, row);
        let offset = b.sadd(offset, x);
        let offset = b.smul(offset, bytes);
        b.sstore(record, offset, at(offset_of!(BlockRecord, offset)));
        let mut any = masks[0];
        for (sample, &mask) in masks.iter().enumerate().take(MAX_SAMPLES) {
            any = b.sor(any, mask);
            b.sstore16(record, mask, at(offset_of!(BlockRecord, coverage) + 2 * sample));
        }
        let (zero, one) = (b.sconst(0), b.sconst(1));
        let covered = b.sne(any, zero);
        let more = b.sselect(covered, one, zero);
        b.sadd(written, more)
    }
}
