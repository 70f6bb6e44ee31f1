//! What is where, at a given time. Plain data: no Vulkan here.
#![forbid(unsafe_code)]

use crate::math::{Camera, Mat4, normalize, place, sin_cos};
use crate::mesh::Shape;
use bytemuck::{Pod, Zeroable};

/// Colour of the sky, linear.
pub(crate) const SKY: [f32; 4] = [0.055, 0.085, 0.15, 1.0];
/// Number of sparks.
pub(crate) const PARTICLES: u32 = 192;
/// Seconds between frames.
const FRAME_TIME: f32 = 0.25;

/// The uniform block of shaders/demo/frame.glsl.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct FrameUniforms {
    view_projection: Mat4,
    eye: [f32; 4],
    right: [f32; 4],
    up: [f32; 4],
    sun: [f32; 4],
    lamp: [f32; 4],
    sky: [f32; 4],
}

/// The push constants of shaders/demo/mesh.vert.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct ObjectConstants {
    model: Mat4,
    colour: [f32; 4],
    surface: [f32; 4],
}

/// The push constants of shaders/demo/particles.comp.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct ParticleConstants {
    time: f32,
    count: u32,
}

/// One frame.
pub(crate) struct Scene {
    /// Camera and lights.
    pub(crate) frame: FrameUniforms,
    /// What is drawn.
    pub(crate) objects: Vec<(Shape, ObjectConstants)>,
    /// What moves the sparks.
    pub(crate) particles: ParticleConstants,
}

fn vec4(v: [f32; 3], w: f32) -> [f32; 4] {
    [v[0], v[1], v[2], w]
}

impl Scene {
    /// The scene in a frame.
    pub(crate) fn at(frame: u32, aspect: f32) -> Scene {
        let time = frame as f32 * FRAME_TIME;
        let (s, c) = sin_cos(0.5 + time * 0.15);
        let camera = Camera::new([6.4 * s, 3.0, 6.4 * c], [0.0, 0.7, 0.0], 0.85, aspect);
        let (s, c) = sin_cos(time * 1.3);
        Scene {
            frame: FrameUniforms {
                view_projection: camera.view_projection,
                eye: vec4(camera.eye, 0.0),
                right: vec4(camera.right, 0.0),
                up: vec4(camera.up, 0.0),
                sun: vec4(normalize([0.5, 0.8, 0.35]), 0.62),
                lamp: [2.3 * s, 1.5, 2.3 * c, 5.0],
                sky: SKY,
            },
            objects: objects(time),
            particles: ParticleConstants {
                time,
                count: PARTICLES,
            },
        }
    }
}

fn objects(time: f32) -> Vec<(Shape, ObjectConstants)> {
    let object = |shape, model, colour, surface| {
        (
            shape,
            ObjectConstants {
                model,
                colour: vec4(colour, 1.0),
                surface,
            },
        )
    };
    let (bob, _) = sin_cos(time * 2.0);
    let mut list = vec![
        object(
            Shape::Floor,
            place(40.0, 0.0, 0.0, [0.0; 3]),
            [1.0; 3],
            [10.0, 1.0, 0.25, 40.0],
        ),
        object(
            Shape::Sphere,
            place(0.95, 0.0, time, [0.0, 1.25 + 0.12 * bob, 0.0]),
            [0.85, 0.16, 0.10],
            [1.0, 0.0, 0.8, 96.0],
        ),
    ];
    let colours = [
        [0.15, 0.45, 0.80],
        [0.20, 0.62, 0.25],
        [0.85, 0.62, 0.12],
        [0.55, 0.25, 0.70],
    ];
    for (i, colour) in colours.into_iter().enumerate() {
        let i = i as f32;
        let (s, c) = sin_cos(0.9 + i * std::f32::consts::FRAC_PI_2);
        let size = 0.42 + 0.08 * i;
        let (turn_x, height) = if i == 2.0 { (time * 1.1, 1.3) } else { (0.0, size) };
        list.push(object(
            Shape::Cube,
            place(size, turn_x, 0.5 + i + time * 0.8, [2.2 * s, height, 2.2 * c]),
            colour,
            [0.5, 0.5, 0.35, 32.0],
        ));
    }
    list
}
