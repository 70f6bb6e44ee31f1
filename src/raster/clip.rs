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

pub(super) type Polygon = SmallVec<[ClipVertex; 12]>;
/// A half space of clip space: the dot product is not negative inside.
type Plane = [f32; 4];

/// Bits of [`clip_flag`] that make clipping necessary.
pub(super) fn needs_clip(depth_clip: bool) -> u32 {
    clip_flag::GUARD
        | if depth_clip {
            clip_flag::NEAR | clip_flag::FAR
        } else {
            0
        }
}

/// The planes to clip at, in order.
fn planes(viewport: &ViewportTransform, depth_clip: bool) -> SmallVec<[Plane; 8]> {
    let mut planes: SmallVec<[Plane; 8]> = SmallVec::new();
    if depth_clip {
        planes.push([0.0, 0.0, 1.0, 0.0]);
        planes.push([0.0, 0.0, -1.0, 1.0]);
    }
    planes.push([0.0, 0.0, 0.0, 1.0]);
    let band = GUARD_BAND;
    for axis in 0..2 {
        let (scale, offset) = (viewport.scale[axis], viewport.offset[axis]);
        for sign in [1.0, -1.0] {
            let mut plane = [0.0; 4];
            plane[axis] = scale * sign;
            plane[3] = band + offset * sign;
            planes.push(plane);
        }
    }
    planes
}

/// Distance from a plane; the eye plane lies a little in front of the eye.
fn distance(plane: &Plane, v: &[f32; 4]) -> f32 {
    if *plane == [0.0, 0.0, 0.0, 1.0] {
        return v[3] - 2.0 * MIN_W;
    }
    plane[0] * v[0] + plane[1] * v[1] + plane[2] * v[2] + plane[3] * v[3]
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
pub(super) fn clip_polygon(mut polygon: Polygon, viewport: &ViewportTransform, depth_clip: bool) -> Polygon {
    for plane in planes(viewport, depth_clip) {
        let mut next = Polygon::new();
        for (i, v) in polygon.iter().enumerate() {
            let w = &polygon[if i + 1 == polygon.len() { 0 } else { i + 1 }];
            let (dv, dw) = (distance(&plane, &v.clip), distance(&plane, &w.clip));
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
pub(super) fn clip_line(
    mut line: [ClipVertex; 2],
    viewport: &ViewportTransform,
    depth_clip: bool,
) -> Option<[ClipVertex; 2]> {
    for plane in planes(viewport, depth_clip) {
        let d = line.map(|v| distance(&plane, &v.clip));
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
        let out = clip_polygon(polygon.clone(), &VIEWPORT, true);
        assert_eq!(out.len(), 4);
        for v in &out {
            assert!(v.clip[2] >= 0.0);
            assert!((v.weights.iter().sum::<f32>() - 1.0).abs() < 1e-6);
        }
        assert_eq!(clip_polygon(polygon, &VIEWPORT, false).len(), 3);
    }

    #[test]
    fn vertices_behind_the_eye_end_up_in_front() {
        let polygon: Polygon = [[0.0, 0.0, 0.5, 1.0], [1.0, 0.0, 0.5, 1.0], [0.0, 1.0, -3.0, -1.0]]
            .into_iter()
            .enumerate()
            .map(|(i, clip)| vertex(i, clip))
            .collect();
        let out = clip_polygon(polygon, &VIEWPORT, false);
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
        assert!(clip_line(line, &VIEWPORT, true).is_none());
        assert!(clip_line(line, &VIEWPORT, false).is_some());
    }
}
