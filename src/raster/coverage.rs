//! Half planes and rectangles of pixels. Which pixels they cover is found by the kernel in
//! [`crate::shader::stage::coverage`].

use crate::shader::abi::{Edge, TILE_SIZE};

/// The left side of the way from `p` to `q` (y down: seen from above the right side), in 1/256 pixels, without points on the
/// edge unless it is a top or left edge.
pub(super) fn edge(p: [i32; 2], q: [i32; 2]) -> Edge {
    let (a, b) = (p[1] - q[1], q[0] - p[0]);
    let top_left = a > 0 || (a == 0 && b > 0);
    let c = -(i64::from(a) * i64::from(p[0]) + i64::from(b) * i64::from(p[1]));
    Edge {
        a,
        b,
        c: c - i64::from(!top_left),
    }
}

/// Whether half planes have nothing in common with the tile at pixel `(x, y)`: conservative.
pub(super) fn misses_tile(edges: &[Edge], x: i32, y: i32) -> bool {
    let span = i64::from(TILE_SIZE) * 256;
    edges.iter().any(|edge| {
        let at = |d: i32, v: i32| i64::from(d) * 256 * i64::from(v) + i64::from(d.max(0)) * span;
        at(edge.a, x) + at(edge.b, y) + edge.c < 0
    })
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
