//! Which pixels of a tile a primitive covers: 16x16 areas, then 4x4 blocks, then pixels and samples.
//!
//! Edge functions are exact: positions are integers in 1/256 pixels, and all sample positions of one sample
//! number differ by whole pixels, so `floor(E / 256)` has the sign of `E` at each of them and fits in 32 bits
//! within a tile that the edge crosses (see [`crate::shader::abi::GUARD_BAND`]).

use super::samples::SamplePattern;
use crate::shader::abi::{MAX_SAMPLES, TILE_SIZE};

/// A half plane: `a * x + b * y + c >= 0`, coordinates in 1/256 pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Edge {
    pub a: i32,
    pub b: i32,
    pub c: i64,
}

impl Edge {
    /// The left side of the way from `p` to `q` (y down: seen from above the right side), without points on the edge
    /// unless it is a top or left edge.
    pub(super) fn new(p: [i32; 2], q: [i32; 2]) -> Edge {
        let (a, b) = (p[1] - q[1], q[0] - p[0]);
        let top_left = a > 0 || (a == 0 && b > 0);
        let c = -(i64::from(a) * i64::from(p[0]) + i64::from(b) * i64::from(p[1]));
        Edge {
            a,
            b,
            c: c - i64::from(!top_left),
        }
    }

    /// Value at a point.
    fn at(&self, x: i32, y: i32) -> i64 {
        i64::from(self.a) * i64::from(x) + i64::from(self.b) * i64::from(y) + self.c
    }
}

/// Pixels `x0 <= x < x1`, `y0 <= y < y1`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Rect {
    pub x0: i32,
    pub y0: i32,
    pub x1: i32,
    pub y1: i32,
}

impl Rect {
    /// What is in both.
    pub(super) fn intersect(self, other: Rect) -> Rect {
        Rect {
            x0: self.x0.max(other.x0),
            y0: self.y0.max(other.y0),
            x1: self.x1.min(other.x1),
            y1: self.y1.min(other.y1),
        }
    }

    /// Whether there is no pixel in it.
    pub(super) fn is_empty(self) -> bool {
        self.x0 >= self.x1 || self.y0 >= self.y1
    }
}

/// Covered samples of a block: a bit a lane, by sample.
pub(super) type Masks = [u16; MAX_SAMPLES];

/// An edge within a tile: values divided by 256 at the pixel centre of the tile's first pixel, for an edge that crosses
/// the tile.
#[derive(Clone, Copy, Default)]
struct TileEdge {
    edge: Edge,
    /// Value at the centre of the tile's pixel (0, 0).
    e: i32,
    a: i32,
    b: i32,
    /// Differences of the sixteen lanes of a block from its first.
    lanes: [i32; 16],
    /// Value at each sample less `e`, at pixel (0, 0).
    samples: [i32; MAX_SAMPLES],
    /// How much any sample's value in a pixel may differ from that at the centre.
    pad: i32,
}

/// `a * x + b * y` for the lanes of a block.
fn lane_offsets(a: i32, b: i32) -> [i32; 16] {
    let quads = [0, a, b, a + b, 2 * a, 3 * a, 2 * a + b, 3 * a + b];
    std::array::from_fn(|i| quads[i & 7] + if i < 8 { 0 } else { 2 * b })
}

/// A bit for each of the sixteen values that is negative.
#[inline]
fn sign_bits(values: &[i32; 16]) -> u16 {
    let mut bits = 0u32;
    for (i, value) in values.iter().enumerate() {
        bits |= (*value >> 31) as u32 & (1 << i);
    }
    bits as u16
}

/// Columns `lo..hi` (clamped to 0..4) of a block, as lanes.
fn column_bits(lo: i32, hi: i32) -> u16 {
    const COLUMNS: [u16; 4] = [0x0505, 0x0a0a, 0x5050, 0xa0a0];
    (lo.max(0)..hi.min(4)).fold(0, |bits, x| bits | COLUMNS[x as usize])
}

/// Rows `lo..hi` (clamped to 0..4) of a block, as lanes.
fn row_bits(lo: i32, hi: i32) -> u16 {
    const ROWS: [u16; 4] = [0x0033, 0x00cc, 0x3300, 0xcc00];
    (lo.max(0)..hi.min(4)).fold(0, |bits, y| bits | ROWS[y as usize])
}

/// Finds the covered blocks of tiles.
#[derive(Clone, Debug)]
pub(super) struct Coverage {
    pattern: SamplePattern,
}

/// A primitive within one tile.
struct Walk<'c, F> {
    pattern: &'c SamplePattern,
    edges: [TileEdge; 4],
    count: usize,
    /// Pixels to be covered, from the tile's first.
    rect: Rect,
    out: F,
}

impl Coverage {
    /// For rasterization with this sample pattern.
    pub(super) fn new(pattern: SamplePattern) -> Coverage {
        Coverage { pattern }
    }

    /// Whether the half planes have nothing in common with the tile at `(x, y)`: conservative.
    pub(super) fn misses_tile(&self, edges: &[Edge], x: i32, y: i32) -> bool {
        let span = i64::from(TILE_SIZE) * 256;
        edges.iter().any(|edge| {
            let reach = |d: i32| i64::from(d.max(0)) * span;
            edge.at(x * 256, y * 256) + reach(edge.a) + reach(edge.b) < 0
        })
    }

    /// Gives each block of the tile at pixel `(x, y)` that is covered inside `rect` to `out`: its column and row within
    /// the tile and the masks.
    pub(super) fn blocks(
        &self,
        edges: &[Edge],
        rect: Rect,
        [x, y]: [i32; 2],
        out: impl FnMut(u32, u32, &Masks),
    ) {
        let size = TILE_SIZE as i32;
        let rect = rect.intersect(Rect {
            x0: x,
            y0: y,
            x1: x + size,
            y1: y + size,
        });
        if rect.is_empty() {
            return;
        }
        let rect = Rect {
            x0: rect.x0 - x,
            y0: rect.y0 - y,
            x1: rect.x1 - x,
            y1: rect.y1 - y,
        };
        let mut walk = Walk {
            pattern: &self.pattern,
            edges: Default::default(),
            count: 0,
            rect,
            out,
        };
        for edge in edges {
            if !walk.add_edge(*edge, x, y) {
                return;
            }
        }
        walk.run();
    }
}

impl<F: FnMut(u32, u32, &Masks)> Walk<'_, F> {
    /// Takes an edge in, unless the rectangle lies wholly inside; false if it lies wholly outside.
    fn add_edge(&mut self, edge: Edge, x: i32, y: i32) -> bool {
        let Edge { a, b, .. } = edge;
        let base = edge.at(x * 256 + 128, y * 256 + 128);
        let pad = if self.pattern.is_single() {
            0
        } else {
            (i64::from(a.abs()) + i64::from(b.abs())) * 128
        };
        let rect = self.rect;
        let corner = |d: i32, lo: i32, hi: i32| {
            let (lo, hi) = (
                i64::from(d) * 256 * i64::from(lo),
                i64::from(d) * 256 * i64::from(hi - 1),
            );
            (lo.min(hi), lo.max(hi))
        };
        let ((x_min, x_max), (y_min, y_max)) = (corner(a, rect.x0, rect.x1), corner(b, rect.y0, rect.y1));
        if base + x_max + y_max + pad < 0 {
            return false;
        }
        if base + x_min + y_min - pad >= 0 {
            return true;
        }
        let slot = &mut self.edges[self.count];
        // At pixels beyond the rectangle sums may wrap around; none of those is looked at.
        slot.edge = edge;
        slot.e = (base >> 8) as i32;
        (slot.a, slot.b) = (a, b);
        slot.lanes = lane_offsets(a, b);
        if !self.pattern.is_single() {
            slot.pad = (pad >> 8) as i32 + 1;
            for (s, [dx, dy]) in self.pattern.offsets().iter().enumerate() {
                let there = base + i64::from(a) * i64::from(*dx) + i64::from(b) * i64::from(*dy);
                slot.samples[s] = ((there >> 8) - (base >> 8)) as i32;
            }
        }
        self.count += 1;
        true
    }

    fn run(&mut self) {
        let rect = self.rect;
        let blocks = Rect {
            x0: rect.x0 >> 2,
            y0: rect.y0 >> 2,
            x1: (rect.x1 + 3) >> 2,
            y1: (rect.y1 + 3) >> 2,
        };
        let many = (blocks.x1 - blocks.x0) * (blocks.y1 - blocks.y0) > 12;
        if self.count == 0 || !many {
            return self.run_blocks(blocks, self.count > 0);
        }
        for y in blocks.y0 >> 2..(blocks.y1 + 3) >> 2 {
            for x in blocks.x0 >> 2..(blocks.x1 + 3) >> 2 {
                let area = Rect {
                    x0: x * 4,
                    y0: y * 4,
                    x1: x * 4 + 4,
                    y1: y * 4 + 4,
                }
                .intersect(blocks);
                match self.classify(x * 16, y * 16, 15) {
                    Some(partial) => self.run_blocks(area, partial),
                    None => continue,
                }
            }
        }
    }

    /// The square of pixels from `(x, y)` to `span` further on: `None` if outside, else whether an edge crosses it.
    fn classify(&self, x: i32, y: i32, span: i32) -> Option<bool> {
        let mut partial = false;
        for edge in &self.edges[..self.count] {
            let first = edge.value(x, y);
            let up = edge.a.max(0).wrapping_add(edge.b.max(0)).wrapping_mul(span);
            let down = edge.a.min(0).wrapping_add(edge.b.min(0)).wrapping_mul(span);
            if first + i64::from(up) + i64::from(edge.pad) < 0 {
                return None;
            }
            partial |= first + i64::from(down) - i64::from(edge.pad) < 0;
        }
        Some(partial)
    }

    fn run_blocks(&mut self, blocks: Rect, partial: bool) {
        let rect = self.rect;
        for y in blocks.y0..blocks.y1 {
            let rows = row_bits(rect.y0 - y * 4, rect.y1 - y * 4);
            for x in blocks.x0..blocks.x1 {
                let inside = rows & column_bits(rect.x0 - x * 4, rect.x1 - x * 4);
                let mut masks = [inside; MAX_SAMPLES];
                if partial && !self.block(x * 4, y * 4, &mut masks) {
                    continue;
                }
                (self.out)(x as u32, y as u32, &masks);
            }
        }
    }

    /// Takes what is outside the edges out of the masks of a block; false if nothing is left.
    fn block(&self, x: i32, y: i32, masks: &mut Masks) -> bool {
        let samples = self.pattern.count();
        let mut any = 0;
        for (s, mask) in masks.iter_mut().enumerate().take(samples) {
            let mut values = [0i32; 16];
            for edge in &self.edges[..self.count] {
                let e = edge
                    .e
                    .wrapping_add(edge.samples[s])
                    .wrapping_add(edge.a.wrapping_mul(x))
                    .wrapping_add(edge.b.wrapping_mul(y));
                for (value, lane) in values.iter_mut().zip(&edge.lanes) {
                    *value |= e.wrapping_add(*lane);
                }
            }
            *mask &= !sign_bits(&values);
            any |= *mask;
        }
        any != 0
    }
}

impl TileEdge {
    /// Value at the centre of a pixel of the tile.
    fn value(&self, x: i32, y: i32) -> i64 {
        i64::from(self.e) + i64::from(self.a) * i64::from(x) + i64::from(self.b) * i64::from(y)
    }
}
