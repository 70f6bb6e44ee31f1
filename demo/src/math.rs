//! The little of linear algebra that a camera needs. Vectors are columns; matrices are column-major.
//!
//! Trigonometry is done in double precision and rounded: the host's library does not show in the picture.
#![forbid(unsafe_code)]

/// Three components.
pub(crate) type Vec3 = [f32; 3];
/// Four columns.
pub(crate) type Mat4 = [[f32; 4]; 4];

/// Sine and cosine.
pub(crate) fn sin_cos(angle: f32) -> (f32, f32) {
    let (sin, cos) = f64::from(angle).sin_cos();
    (sin as f32, cos as f32)
}

fn dot(a: Vec3, b: Vec3) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: Vec3, b: Vec3) -> Vec3 {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

/// The vector of length one in the same direction.
pub(crate) fn normalize(v: Vec3) -> Vec3 {
    let length = dot(v, v).sqrt();
    v.map(|c| c / length)
}

/// `a * b`.
pub(crate) fn multiply(a: &Mat4, b: &Mat4) -> Mat4 {
    std::array::from_fn(|col| std::array::from_fn(|row| (0..4).map(|k| a[k][row] * b[col][k]).sum()))
}

/// Scales by `scale`, turns around the axes x and y, then moves.
pub(crate) fn place(scale: f32, turn_x: f32, turn_y: f32, to: Vec3) -> Mat4 {
    let (sx, cx) = sin_cos(turn_x);
    let (sy, cy) = sin_cos(turn_y);
    let rotate_x = [
        [1.0, 0.0, 0.0, 0.0],
        [0.0, cx, sx, 0.0],
        [0.0, -sx, cx, 0.0],
        [0.0, 0.0, 0.0, 1.0],
    ];
    let rotate_y = [
        [cy, 0.0, -sy, 0.0],
        [0.0, 1.0, 0.0, 0.0],
        [sy, 0.0, cy, 0.0],
        [0.0, 0.0, 0.0, 1.0],
    ];
    let mut model = multiply(&rotate_y, &rotate_x);
    for column in &mut model[..3] {
        *column = column.map(|c| c * scale);
    }
    model[3] = [to[0], to[1], to[2], 1.0];
    model
}

/// Where the camera is, and the directions that are right and up in the picture.
pub(crate) struct Camera {
    /// Its place.
    pub(crate) eye: Vec3,
    /// Right, of length one.
    pub(crate) right: Vec3,
    /// Up, of length one.
    pub(crate) up: Vec3,
    /// From the world to clip space.
    pub(crate) view_projection: Mat4,
}

impl Camera {
    /// A camera at `eye` that looks at `target`, with the vertical opening angle `fov`.
    pub(crate) fn new(eye: Vec3, target: Vec3, fov: f32, aspect: f32) -> Camera {
        let forward = normalize([target[0] - eye[0], target[1] - eye[1], target[2] - eye[2]]);
        let right = normalize(cross(forward, [0.0, 1.0, 0.0]));
        let up = cross(right, forward);
        let view: Mat4 = [
            [right[0], up[0], -forward[0], 0.0],
            [right[1], up[1], -forward[1], 0.0],
            [right[2], up[2], -forward[2], 0.0],
            [-dot(right, eye), -dot(up, eye), dot(forward, eye), 1.0],
        ];
        let (sin, cos) = sin_cos(fov / 2.0);
        let scale = cos / sin;
        let (near, far) = (0.1, 100.0);
        // Vulkan's clip space: y points down, depth is from 0 to 1.
        let projection: Mat4 = [
            [scale / aspect, 0.0, 0.0, 0.0],
            [0.0, -scale, 0.0, 0.0],
            [0.0, 0.0, far / (near - far), -1.0],
            [0.0, 0.0, near * far / (near - far), 0.0],
        ];
        Camera {
            eye,
            right,
            up,
            view_projection: multiply(&projection, &view),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_camera_sees_its_target_in_the_middle() {
        let camera = Camera::new([0.0, 2.0, 5.0], [1.0, 0.0, 0.0], 1.0, 2.0);
        let m = camera.view_projection;
        let clip: [f32; 4] = std::array::from_fn(|row| m[0][row] + m[3][row]);
        assert!(clip[0].abs() < 1e-5 && clip[1].abs() < 1e-5, "{clip:?}");
        assert!(0.0 < clip[2] && clip[2] < clip[3], "{clip:?}");
    }

    #[test]
    fn placing_turns_then_moves() {
        let m = place(2.0, 0.0, std::f32::consts::FRAC_PI_2, [5.0, 0.0, 0.0]);
        let z: [f32; 4] = std::array::from_fn(|row| m[2][row] + m[3][row]);
        assert!((z[0] - 7.0).abs() < 1e-5 && z[2].abs() < 1e-5, "{z:?}");
    }
}
