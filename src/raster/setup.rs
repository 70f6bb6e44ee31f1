//! From vertices in the framebuffer to edges and attribute planes.
//!
//! The order of operations is part of the result and stated here once: plane slopes are quotients of exact integers
//! in f64 rounded to f32; everything else is f32 without contraction.

use super::coverage::{Rect, edge};
use crate::raster::DepthBias;
use crate::shader::abi::{Edge, Primitive, primitive_word as word};
use crate::vk;

/// A vertex in the framebuffer.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Corner {
    /// 1/256 pixels.
    pub x: i32,
    /// 1/256 pixels.
    pub y: i32,
    /// Depth.
    pub z: f32,
    /// 1 / w.
    pub q: f32,
}

impl Corner {
    fn point(self) -> [i32; 2] {
        [self.x, self.y]
    }
}

/// Where attribute values of a primitive come from: components of its corners and of its provoking vertex.
pub(super) trait Attributes {
    /// Bits of component `k` at corner `i`.
    fn at(&self, i: usize, k: usize) -> u32;
    /// Bits of component `k` at the provoking vertex.
    fn flat(&self, k: usize) -> u32;
}

/// Least difference of depth values that makes a difference, for depth bias.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum DepthUnit {
    /// The same everywhere.
    Fixed(f32),
    /// That of a binary32 near the primitive's largest depth.
    Float,
}

impl DepthUnit {
    /// The unit of a depth format.
    pub(super) fn of(format: vk::Format, representation: vk::DepthBiasRepresentationEXT) -> DepthUnit {
        use vk::DepthBiasRepresentationEXT as R;
        match (representation, DepthUnit::of_format(format)) {
            (R::FLOAT, _) => DepthUnit::Fixed(1.0),
            // As many bits as the mantissa has, with the one that is not stored.
            (R::LEAST_REPRESENTABLE_VALUE_FORCE_UNORM, DepthUnit::Float) => {
                DepthUnit::Fixed(1.0 / 16_777_216.0)
            }
            (_, unit) => unit,
        }
    }

    fn of_format(format: vk::Format) -> DepthUnit {
        match format {
            vk::Format::D16_UNORM | vk::Format::D16_UNORM_S8_UINT => DepthUnit::Fixed(1.0 / 65536.0),
            vk::Format::X8_D24_UNORM_PACK32 | vk::Format::D24_UNORM_S8_UINT => {
                DepthUnit::Fixed(1.0 / 16_777_216.0)
            }
            _ => DepthUnit::Float,
        }
    }

    fn value(self, greatest: f32) -> f32 {
        match self {
            DepthUnit::Fixed(unit) => unit,
            DepthUnit::Float => {
                // 2^(exponent - 23), from the bits.
                let exponent = (greatest.abs().to_bits() >> 23).max(24) - 23;
                f32::from_bits(exponent << 23)
            }
        }
    }
}

/// What setup needs to know of a draw.
#[derive(Clone, Debug)]
pub(super) struct SetupState {
    /// Whether counter-clockwise triangles are front-facing.
    pub front_is_ccw: bool,
    pub cull_front: bool,
    pub cull_back: bool,
    pub bias: Option<(DepthBias, DepthUnit)>,
    /// Pixels that may be touched.
    pub rect: Rect,
    /// How far from a pixel's centre its samples lie at most, in 1/256 pixels.
    pub sample_reach: i32,
    pub line_width: f32,
    pub polygon_mode: vk::PolygonMode,
    pub rectangular_lines: bool,
}

/// Pixels a primitive may cover.
#[derive(Clone, Copy)]
struct Bounds {
    rect: Rect,
    /// Whether its edges cover pixels outside.
    clips: bool,
}

/// The polygon of a primitive and how its attributes run.
struct Shape<'a> {
    points: &'a [[i32; 2]],
    /// Framebuffer coordinates of the anchor.
    anchor: [f32; 2],
    /// `l1` by x and y, `l2` by x and y, a pixel.
    slopes: [f32; 4],
    side: Side,
}

/// The side of a primitive that is seen.
#[derive(Clone, Copy)]
pub(super) struct Side {
    pub front: bool,
    /// Added to the depth.
    pub bias: f32,
}

impl Side {
    /// Lines and points that are not of polygons.
    pub(super) const NONE: Side = Side {
        front: true,
        bias: 0.0,
    };
}

/// A triangle that is seen.
struct Face {
    /// As in [`Shape`].
    slopes: [f32; 4],
    /// Whether the corners are in the order that edges want.
    positive: bool,
    side: Side,
}

/// What of a triangle is drawn as lines or points.
#[derive(Clone, Copy)]
pub(super) struct Outline {
    /// Edges from corners 0, 1 and 2 to the next; for points, those corners.
    pub edges: [bool; 3],
    /// Sizes of points.
    pub sizes: [f32; 3],
}

/// Attributes of an edge of a triangle.
struct TriangleEdge<'a, A> {
    whole: &'a A,
    corners: [usize; 3],
}

impl<A: Attributes> Attributes for TriangleEdge<'_, A> {
    fn at(&self, i: usize, k: usize) -> u32 {
        self.whole.at(self.corners[i], k)
    }

    fn flat(&self, k: usize) -> u32 {
        self.whole.flat(k)
    }
}

/// Sets primitives of one draw up and appends them to a chunk's lists.
#[derive(Debug)]
pub(super) struct Setup<'s> {
    pub state: &'s SetupState,
    /// For each input component of the fragment shader: whether it is flat.
    pub flat: &'s [bool],
    pub draw: u32,
    pub layer: u32,
}

/// Where set-up primitives go.
#[derive(Debug, Default)]
pub(super) struct PrimList {
    pub prims: Vec<Primitive>,
    pub data: Vec<u32>,
}

/// Half of a line's width at right angles to it, to the side where y grows as x does along the line.
fn normal(dx: i32, dy: i32, width: f32) -> (i32, i32) {
    let (x, y) = (f64::from(dx), f64::from(dy));
    let scale = f64::from(width) * 128.0 / (x * x + y * y).sqrt();
    ((-y * scale).round() as i32, (x * scale).round() as i32)
}

impl Setup<'_> {
    /// A triangle, unless it is culled or covers nothing.
    pub(super) fn triangle(
        &self,
        list: &mut PrimList,
        corners: &[Corner; 3],
        attributes: &impl Attributes,
        primitive_id: u32,
    ) {
        let Some(face) = self.face(corners) else { return };
        let [v0, v1, v2] = *corners;
        let points = if face.positive {
            [v0.point(), v1.point(), v2.point()]
        } else {
            [v0.point(), v2.point(), v1.point()]
        };
        let Some(bounds) = self.bounds(&points) else {
            return;
        };
        let shape = Shape {
            points: &points,
            anchor: [v0.x as f32 / 256.0, v0.y as f32 / 256.0],
            slopes: face.slopes,
            side: face.side,
        };
        self.push(list, bounds, &shape, corners, attributes, primitive_id);
    }

    /// The edges or corners of a triangle as lines or points.
    pub(super) fn outline(
        &self,
        list: &mut PrimList,
        corners: &[Corner; 3],
        outline: Outline,
        attributes: &impl Attributes,
        primitive_id: u32,
    ) {
        let Some(face) = self.face(corners) else { return };
        for (i, _) in outline.edges.iter().enumerate().filter(|(_, wanted)| **wanted) {
            let j = (i + 1) % 3;
            let attributes = TriangleEdge {
                whole: attributes,
                corners: [i, j, i],
            };
            if self.state.polygon_mode == vk::PolygonMode::LINE {
                self.line(
                    list,
                    [corners[i], corners[j]],
                    face.side,
                    &attributes,
                    primitive_id,
                );
            } else {
                self.point(
                    list,
                    corners[i],
                    face.side,
                    outline.sizes[i],
                    &attributes,
                    primitive_id,
                );
            }
        }
    }

    /// Which way a triangle faces; `None` if it is culled or has no area.
    fn face(&self, corners: &[Corner; 3]) -> Option<Face> {
        let [v0, v1, v2] = corners;
        let wide = |a: i32, b: i32| i64::from(a) - i64::from(b);
        let (x1, y1) = (wide(v1.x, v0.x), wide(v1.y, v0.y));
        let (x2, y2) = (wide(v2.x, v0.x), wide(v2.y, v0.y));
        let area = x1 * y2 - x2 * y1;
        // Vulkan's signed area is negative where ours is positive.
        let front = (area < 0) == self.state.front_is_ccw;
        let culled = if front {
            self.state.cull_front
        } else {
            self.state.cull_back
        };
        if area == 0 || culled {
            return None;
        }
        let scale = 256.0 / area as f64;
        let slope = |d: i64| (d as f64 * scale) as f32;
        let slopes = [slope(y2), slope(-x2), slope(-y1), slope(x1)];
        let side = Side {
            front,
            bias: self.bias(corners, &slopes),
        };
        Some(Face {
            slopes,
            positive: area > 0,
            side,
        })
    }

    /// A line as a parallelogram: ends parallel to the minor axis, or at right angles to the line.
    pub(super) fn line(
        &self,
        list: &mut PrimList,
        [v0, v1]: [Corner; 2],
        side: Side,
        attributes: &impl Attributes,
        primitive_id: u32,
    ) {
        let (dx, dy) = (v1.x - v0.x, v1.y - v0.y);
        if dx == 0 && dy == 0 {
            return;
        }
        let half = (self.state.line_width * 128.0).round() as i32;
        let x_major = dx.abs() >= dy.abs();
        let square = self.state.rectangular_lines;
        let (ox, oy) = match (square, x_major) {
            (true, _) => normal(dx, dy, self.state.line_width),
            (false, true) => (0, half),
            (false, false) => (half, 0),
        };
        let mut points = [
            [v0.x - ox, v0.y - oy],
            [v1.x - ox, v1.y - oy],
            [v1.x + ox, v1.y + oy],
            [v0.x + ox, v0.y + oy],
        ];
        if !square && ((x_major && dx < 0) || (!x_major && dy > 0)) {
            points.reverse();
        }
        let Some(bounds) = self.bounds(&points) else {
            return;
        };
        let slope = |d: i32| (256.0 / f64::from(d)) as f32;
        let shape = Shape {
            points: &points,
            anchor: [v0.x as f32 / 256.0, v0.y as f32 / 256.0],
            slopes: if square {
                let (x, y) = (f64::from(dx), f64::from(dy));
                let scale = 256.0 / (x * x + y * y);
                [(x * scale) as f32, (y * scale) as f32, 0.0, 0.0]
            } else if x_major {
                [slope(dx), 0.0, 0.0, 0.0]
            } else {
                [0.0, slope(dy), 0.0, 0.0]
            },
            side,
        };
        self.push(list, bounds, &shape, &[v0, v1, v0], attributes, primitive_id);
    }

    /// A point of `size` pixels as a square.
    pub(super) fn point(
        &self,
        list: &mut PrimList,
        v: Corner,
        side: Side,
        size: f32,
        attributes: &impl Attributes,
        primitive_id: u32,
    ) {
        let size = if size >= 1.0 {
            size.min(MAX_POINT_SIZE)
        } else {
            1.0
        };
        let half = (size * 128.0).round() as i32;
        let (x0, y0, x1, y1) = (v.x - half, v.y - half, v.x + half, v.y + half);
        let points = [[x0, y0], [x1, y0], [x1, y1], [x0, y1]];
        let Some(bounds) = self.bounds(&points) else {
            return;
        };
        let shape = Shape {
            points: &points,
            anchor: [x0 as f32 / 256.0, y0 as f32 / 256.0],
            slopes: [1.0 / size, 0.0, 0.0, 1.0 / size],
            side,
        };
        self.push(list, bounds, &shape, &[v, v, v], attributes, primitive_id);
    }

    /// Pixels that a polygon may cover; `None` if there are none.
    fn bounds(&self, points: &[[i32; 2]]) -> Option<Bounds> {
        let reach = self.state.sample_reach;
        let span = |axis: usize| {
            let (mut lo, mut hi) = (points[0][axis], points[0][axis]);
            for p in &points[1..] {
                lo = lo.min(p[axis]);
                hi = hi.max(p[axis]);
            }
            // The first pixel whose centre is not before `lo`, and the one behind the last not after `hi`.
            ((lo - reach + 127) >> 8, ((hi + reach - 128) >> 8) + 1)
        };
        let ((x0, x1), (y0, y1)) = (span(0), span(1));
        let whole = Rect { x0, y0, x1, y1 };
        let rect = whole.intersect(self.state.rect);
        let cut = |side: i32, whole: i32| side != whole && side % 4 != 0;
        let clips = cut(rect.x0, whole.x0)
            || cut(rect.y0, whole.y0)
            || cut(rect.x1, whole.x1)
            || cut(rect.y1, whole.y1);
        (!rect.is_empty()).then_some(Bounds { rect, clips })
    }

    fn bias(&self, corners: &[Corner; 3], slopes: &[f32; 4]) -> f32 {
        let Some((bias, unit)) = self.state.bias else {
            return 0.0;
        };
        let [v0, v1, v2] = corners;
        let (d1, d2) = (v1.z - v0.z, v2.z - v0.z);
        let dx = d1 * slopes[0] + d2 * slopes[2];
        let dy = d1 * slopes[1] + d2 * slopes[3];
        let slope = dx.abs().max(dy.abs());
        let greatest = v0.z.abs().max(v1.z.abs()).max(v2.z.abs());
        let offset = slope * bias.slope + unit.value(greatest) * bias.constant;
        match bias.clamp {
            clamp if clamp > 0.0 => offset.min(clamp),
            clamp if clamp < 0.0 => offset.max(clamp),
            _ => offset,
        }
    }

    fn push(
        &self,
        list: &mut PrimList,
        bounds: Bounds,
        shape: &Shape<'_>,
        corners: &[Corner; 3],
        attributes: &impl Attributes,
        primitive_id: u32,
    ) {
        let n = shape.points.len();
        let mut edges = [Edge::default(); 4];
        for i in 0..n {
            edges[i] = edge(shape.points[i], shape.points[if i + 1 == n { 0 } else { i + 1 }]);
        }
        let Rect { x0, y0, x1, y1 } = bounds.rect;
        list.prims.push(Primitive {
            edges,
            bounds: [x0, y0, x1, y1],
            draw: self.draw,
            data: list.data.len() as u32,
            clips: u32::from(bounds.clips),
            edge_count: n as u32,
        });
        let [v0, v1, v2] = corners;
        // In the order of `primitive_word`.
        let header: [u32; word::INPUTS as usize] = [
            shape.anchor[0].to_bits(),
            shape.anchor[1].to_bits(),
            shape.slopes[0].to_bits(),
            shape.slopes[1].to_bits(),
            shape.slopes[2].to_bits(),
            shape.slopes[3].to_bits(),
            (v0.z + shape.side.bias).to_bits(),
            (v1.z - v0.z).to_bits(),
            (v2.z - v0.z).to_bits(),
            v0.q.to_bits(),
            (v1.q - v0.q).to_bits(),
            (v2.q - v0.q).to_bits(),
            v1.q.to_bits(),
            v2.q.to_bits(),
            u32::from(shape.side.front),
            primitive_id,
            self.layer,
            0,
        ];
        list.data.reserve(header.len() + 3 * self.flat.len());
        list.data.extend_from_slice(&header);
        for (k, flat) in self.flat.iter().enumerate() {
            let words = if *flat {
                [attributes.flat(k), 0, 0]
            } else {
                let a = f32::from_bits(attributes.at(0, k));
                let b = f32::from_bits(attributes.at(1, k));
                let c = f32::from_bits(attributes.at(2, k));
                [a.to_bits(), (b - a).to_bits(), (c - a).to_bits()]
            };
            list.data.extend_from_slice(&words);
        }
    }
}

const _: () = assert!(
    word::X == 0
        && word::L1_DX == 2
        && word::DEPTH == 6
        && word::Q == 9
        && word::Q2 == 13
        && word::LAYER == 16
);

/// Largest point size (`pointSizeRange`).
pub const MAX_POINT_SIZE: f32 = 1024.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_width_of_a_rectangular_line_is_across_it() {
        assert_eq!(normal(256, 0, 2.0), (0, 256));
        assert_eq!(normal(0, 256, 2.0), (-256, 0));
        // 3, 4, 5: half a width of one pixel.
        assert_eq!(normal(4 * 256, 3 * 256, 2.0), (-154, 205));
    }
}
