//! Shapes: all in one vertex and one index buffer.
#![forbid(unsafe_code)]

use crate::math::{Vec3, sin_cos};
use bytemuck::{Pod, Zeroable};
use std::ops::Range;

/// A vertex as the shaders read it.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Vertex {
    /// In the model.
    pub(crate) position: Vec3,
    /// Of length one, outward.
    pub(crate) normal: Vec3,
    /// Texture coordinates.
    pub(crate) uv: [f32; 2],
}

/// Which shape.
#[derive(Clone, Copy)]
pub(crate) enum Shape {
    /// A square of side 2 in the plane y = 0.
    Floor,
    /// A cube of side 2.
    Cube,
    /// A sphere of radius 1.
    Sphere,
}

/// All shapes.
pub(crate) struct Meshes {
    /// Vertices.
    pub(crate) vertices: Vec<Vertex>,
    /// Indices of triangles, counter-clockwise seen from outside.
    pub(crate) indices: Vec<u16>,
    ranges: [Range<u32>; 3],
}

const SPHERE_RINGS: u16 = 24;
const SPHERE_SEGMENTS: u16 = 48;

impl Meshes {
    /// Makes them.
    pub(crate) fn new() -> Meshes {
        let mut meshes = Meshes {
            vertices: Vec::new(),
            indices: Vec::new(),
            ranges: [0..0, 0..0, 0..0],
        };
        let shapes: [fn(&mut Meshes); 3] = [Meshes::floor, Meshes::cube, Meshes::sphere];
        for (i, shape) in shapes.into_iter().enumerate() {
            let first = meshes.indices.len() as u32;
            shape(&mut meshes);
            meshes.ranges[i] = first..meshes.indices.len() as u32;
        }
        meshes
    }

    /// The indices of a shape.
    pub(crate) fn range(&self, shape: Shape) -> Range<u32> {
        self.ranges[shape as usize].clone()
    }

    fn quad(&mut self, centre: Vec3, u: Vec3, v: Vec3, normal: Vec3) {
        let base = self.vertices.len() as u16;
        for (s, t) in [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)] {
            self.vertices.push(Vertex {
                position: std::array::from_fn(|i| centre[i] + s * u[i] + t * v[i]),
                normal,
                uv: [s * 0.5 + 0.5, t * 0.5 + 0.5],
            });
        }
        self.indices.extend([0, 1, 2, 0, 2, 3].map(|i| base + i));
    }

    fn floor(&mut self) {
        self.quad([0.0; 3], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]);
    }

    fn cube(&mut self) {
        for axis in 0..3 {
            for sign in [1.0, -1.0] {
                let mut normal = [0.0; 3];
                normal[axis] = sign;
                let (mut u, mut v) = ([0.0; 3], [0.0; 3]);
                // `u × v` is the normal: the order of the two depends on the side.
                u[(axis + 1) % 3] = sign;
                v[(axis + 2) % 3] = 1.0;
                self.quad(normal, u, v, normal);
            }
        }
    }

    fn sphere(&mut self) {
        let base = self.vertices.len() as u16;
        for ring in 0..=SPHERE_RINGS {
            let down = f32::from(ring) / f32::from(SPHERE_RINGS);
            let (radius, y) = sin_cos(down * std::f32::consts::PI);
            for segment in 0..=SPHERE_SEGMENTS {
                let around = f32::from(segment) / f32::from(SPHERE_SEGMENTS);
                let (s, c) = sin_cos(around * std::f32::consts::TAU);
                let normal = [radius * c, y, -radius * s];
                self.vertices.push(Vertex {
                    position: normal,
                    normal,
                    uv: [around * 2.0, down],
                });
            }
        }
        let row = SPHERE_SEGMENTS + 1;
        for ring in 0..SPHERE_RINGS {
            for segment in 0..SPHERE_SEGMENTS {
                let a = base + ring * row + segment;
                self.indices
                    .extend([a, a + row, a + row + 1, a, a + row + 1, a + 1]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triangles_face_outward() {
        let meshes = Meshes::new();
        for triangle in meshes.indices.chunks(3) {
            let [a, b, c] = [0, 1, 2].map(|i| meshes.vertices[usize::from(triangle[i])]);
            let edge = |to: Vertex| -> Vec3 { std::array::from_fn(|i| to.position[i] - a.position[i]) };
            let (u, v) = (edge(b), edge(c));
            let normal: Vec3 = std::array::from_fn(|i| {
                let (j, k) = ((i + 1) % 3, (i + 2) % 3);
                u[j] * v[k] - u[k] * v[j]
            });
            let along: f32 = (0..3)
                .map(|i| normal[i] * (a.normal[i] + b.normal[i] + c.normal[i]))
                .sum();
            // At the poles of the sphere one of the two triangles has no area.
            assert!(along > -1e-6, "{triangle:?}: {along}");
        }
    }
}
