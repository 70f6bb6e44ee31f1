//! Clipping of triangles and lines in clip space: depth, the eye plane and the guard band.
//!
//! A new vertex lies on an edge and is computed from the inner towards the outer vertex, so that two triangles that
//! share an edge get the same one.

use super::setup::Corner;
use crate::shader::abi::{GUARD_BAND, MIN_W, clip_flag};
use smallvec::SmallVec;

/// From clip space to the framebuffer.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct ViewportTransform {
    pub scale: [f32; 3],
    pub offset: [f32; 3],
}

/// A vertex of the polygon being clipped.
#[derive(Clone, Copy, Debug)]
pub(super) struct ClipVertex {
    pub clip: [f32; 4],
    /// Weights of the primitive's corners.
    pub weights: [f32; 3],
    /// Its place in the framebuffer, if it is one of the primitive's own.
    pub own: Option<Corner>,
}

pub(super) type Polygon = SmallVec<[ClipVertex; 20]>;

/// A half space: the dot product is not negative inside.
#[derive(Clone, Copy)]
enum Plane {
    /// Of the clip-space position.
    Position([f32; 4]),
    /// Of the weights, with a clip distance of each corner.
    Distance([f32; 3]),
    /// A little in front of the eye.
    Eye,
}

/// What to clip at.
#[derive(Clone, Debug, Default)]
pub(super) struct Clipper {
    pub viewport: ViewportTransform,
    pub depth_clip: bool,
    /// Clip distances of the corners.
    pub distances: SmallVec<[[f32; 3]; 8]>,
}

/// Bits of [`clip_flag`] that make clipping necessary.
pub(super) fn needs_clip(depth_clip: bool) -> u32 {
    clip_flag::GUARD
        | clip_flag::CLIPS
        | if depth_clip {
            clip_flag::NEAR | clip_flag::FAR
        } else {
            0
        }
}

impl Clipper {
    /// The planes to clip at, in order.
    fn planes(&self) -> SmallVec<[Plane; 16]> {
        let mut planes: SmallVec<[Plane; 16]> = SmallVec::new();
        if self.depth_clip {
            planes.push(Plane::Position([0.0, 0.0, 1.0, 0.0]));
            planes.push(Plane::Position([0.0, 0.0, -1.0, 1.0]));
        }
        planes.push(Plane::Eye);
        for axis in 0..2 {
            let (scale, offset) = (self.viewport.scale[axis], self.viewport.offset[axis]);
            for sign in [1.0, -1.0] {
                let mut plane = [0.0; 4];
                plane[axis] = scale * sign;
                plane[3] = GUARD_BAND + offset * sign;
                planes.push(Plane::Position(plane));
            }
        }
        planes.extend(self.distances.iter().map(|&distances| Plane::Distance(distances)));
        planes
    }
}

impl Plane {
    fn distance(&self, v: &ClipVertex) -> f32 {
        match self {
            Plane::Position(p) => p[0] * v.clip[0] + p[1] * v.clip[1] + p[2] * v.clip[2] + p[3] * v.clip[3],
            Plane::Distance(d) => d[0] * v.weights[0] + d[1] * v.weights[1] + d[2] * v.weights[2],
            Plane::Eye => v.clip[3] - 2.0 * MIN_W,
        }
    }
}

fn between(inner: &ClipVertex, outer: &ClipVertex, t: f32) -> ClipVertex {
    let mix = |a: f32, b: f32| a + t * (b - a);
    ClipVertex {
        clip: std::array::from_fn(|i| mix(inner.clip[i], outer.clip[i])),
        weights: std::array::from_fn(|i| mix(inner.weights[i], outer.weights[i])),
        own: None,
    }
}

/// What is left of a polygon; fewer than three vertices if nothing is.
pub(super) fn clip_polygon(mut polygon: Polygon, clipper: &Clipper) -> Polygon {
    for plane in clipper.planes() {
        let mut next = Polygon::new();
        for (i, v) in polygon.iter().enumerate() {
            let w = &polygon[if i + 1 == polygon.len() { 0 } else { i + 1 }];
            let (dv, dw) = (plane.distance(v), plane.distance(w));
            if dv >= 0.0 {
                next.push(*v);
            }
            match (dv >= 0.0, dw >= 0.0) {
                (true, false) => next.push(between(v, w, dv / (dv - dw))),
                (false, true) => next.push(between(w, v, dw / (dw - dv))),
                _ => {}
            }
        }
        if next.len() < 3 {
            return Polygon::new();
        }
        polygon = next;
    }
    polygon
}

/// What is left of a line.
pub(super) fn clip_line(mut line: [ClipVertex; 2], clipper: &Clipper) -> Option<[ClipVertex; 2]> {
    for plane in clipper.planes() {
        let d = line.map(|v| plane.distance(&v));
        match d.map(|d| d >= 0.0) {
            [true, true] => {}
            [true, false] => line[1] = between(&line[0], &line[1], d[0] / (d[0] - d[1])),
            [false, true] => line[0] = between(&line[1], &line[0], d[1] / (d[1] - d[0])),
            [false, false] => return None,
        }
    }
    Some(line)
}

/// Where a vertex lies in the framebuffer; the operations are those of the vertex kernel.
pub(super) fn to_framebuffer(v: &ClipVertex, viewport: &ViewportTransform) -> Corner {
    if let Some(corner) = v.own {
        return corner;
    }
    let q = 1.0 / v.clip[3];
    let [x, y, z] = [0, 1, 2].map(|i| v.clip[i] * q * viewport.scale[i] + viewport.offset[i]);
    let fixed = |x: f32| (x.clamp(-GUARD_BAND, GUARD_BAND) * 256.0).round_ties_even() as i32;
    Corner {
        x: fixed(x),
        y: fixed(y),
        z,
        q,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const VIEWPORT: ViewportTransform = ViewportTransform {
        scale: [50.0, 50.0, 1.0],
        offset: [50.0, 50.0, 0.0],
    };

    fn clipper(depth_clip: bool) -> Clipper {
        Clipper {
            viewport: VIEWPORT,
            depth_clip,
            ..Clipper::default()
        }
    }

    fn vertex(i: usize, clip: [f32; 4]) -> ClipVertex {
        let mut weights = [0.0; 3];
        weights[i] = 1.0;
        ClipVertex {
            clip,
            weights,
            own: None,
        }
    }

    #[test]
    fn a_triangle_through_the_near_plane_becomes_a_quadrilateral() {
        let polygon: Polygon = [[0.0, 0.0, 0.5, 1.0], [1.0, 0.0, 0.5, 1.0], [0.0, 1.0, -0.5, 1.0]]
            .into_iter()
            .enumerate()
            .map(|(i, clip)| vertex(i, clip))
            .collect();
        let out = clip_polygon(polygon.clone(), &clipper(true));
        assert_eq!(out.len(), 4);
        for v in &out {
            assert!(v.clip[2] >= 0.0);
            assert!((v.weights.iter().sum::<f32>() - 1.0).abs() < 1e-6);
        }
        assert_eq!(clip_polygon(polygon, &clipper(false)).len(), 3);
    }

    #[test]
    fn vertices_behind_the_eye_end_up_in_front() {
        let polygon: Polygon = [[0.0, 0.0, 0.5, 1.0], [1.0, 0.0, 0.5, 1.0], [0.0, 1.0, -3.0, -1.0]]
            .into_iter()
            .enumerate()
            .map(|(i, clip)| vertex(i, clip))
            .collect();
        let out = clip_polygon(polygon, &clipper(false));
        assert!(out.len() >= 3);
        for v in &out {
            assert!(v.clip[3] > 0.0);
            let corner = to_framebuffer(v, &VIEWPORT);
            assert!(corner.x.abs() <= GUARD_BAND as i32 * 256 && corner.q.is_finite());
        }
    }

    #[test]
    fn a_line_wholly_outside_vanishes() {
        let line = [vertex(0, [0.0, 0.0, -1.0, 1.0]), vertex(1, [1.0, 0.0, -0.1, 1.0])];
        assert!(clip_line(line, &clipper(true)).is_none());
        assert!(clip_line(line, &clipper(false)).is_some());
    }
}
