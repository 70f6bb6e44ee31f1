//! A sampler in f64, written down from the specification.

use super::image::TestImage;
use super::reference::Scalar;
use crate::descriptor::SamplerDescriptor;
use crate::resource::format::{Kind, Numeric};
use crate::shader::sampling::Dim;
use crate::vk;
use vk::SamplerAddressMode as Mode;

/// A sampler as the tests think of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sampler {
    pub(super) mag_linear: bool,
    pub(super) min_linear: bool,
    pub(super) mip_linear: bool,
    pub(super) mode: [Mode; 3],
    pub(super) compare: Option<vk::CompareOp>,
    pub(super) unnormalized: bool,
    pub(super) reduction: u32,
    pub(super) border: u32,
    pub(super) bias: f32,
    pub(super) min_lod: f32,
    pub(super) max_lod: f32,
    pub(super) custom: [f32; 4],
}

impl Sampler {
    pub(super) fn new(linear: bool, mode: Mode) -> Sampler {
        Sampler {
            mag_linear: linear,
            min_linear: linear,
            mip_linear: false,
            mode: [mode; 3],
            compare: None,
            unnormalized: false,
            reduction: 0,
            border: 1,
            bias: 0.0,
            min_lod: 0.0,
            max_lod: 1000.0,
            custom: [0.25, 0.5, 0.75, 1.0],
        }
    }

    pub(super) fn descriptor(&self) -> SamplerDescriptor {
        let mut kind = u32::from(self.mag_linear)
            | u32::from(self.min_linear) << 1
            | u32::from(self.mip_linear) << 2
            | u32::from(self.unnormalized) << 16
            | self.reduction << 17
            | self.border << 20
            | 1 << 31;
        for (at, mode) in [3, 6, 9].into_iter().zip(self.mode) {
            kind |= (mode.as_raw() as u32) << at;
        }
        if let Some(compare) = self.compare {
            kind |= 1 << 12 | (compare.as_raw() as u32) << 13;
        }
        SamplerDescriptor {
            kind,
            lod_bias: self.bias,
            min_lod: self.min_lod,
            max_lod: self.max_lod,
            border: self.custom.map(f32::to_bits),
        }
    }
}

/// Wraps a texel number; `None` is the border.
pub(super) fn wrap(mode: Mode, i: i64, size: i64) -> Option<i64> {
    let mirror = |n: i64| if n >= 0 { n } else { -(1 + n) };
    match mode {
        Mode::REPEAT => Some(i.rem_euclid(size)),
        Mode::MIRRORED_REPEAT => Some(size - 1 - mirror(i.rem_euclid(2 * size) - size)),
        Mode::CLAMP_TO_EDGE => Some(i.clamp(0, size - 1)),
        Mode::MIRROR_CLAMP_TO_EDGE => Some(mirror(i).clamp(0, size - 1)),
        _ => (0..size).contains(&i).then_some(i),
    }
}

/// A request, in f64.
#[derive(Clone, Debug, Default)]
pub(super) struct Request {
    pub(super) coords: Vec<f64>,
    pub(super) layer: f64,
    pub(super) dref: Option<f64>,
    pub(super) lod: f64,
    pub(super) offset: [i64; 3],
}

pub(super) fn border(image: &TestImage, sampler: &Sampler) -> [f64; 4] {
    let mut color = match sampler.border {
        0 => [0.0; 4],
        1 => [0.0, 0.0, 0.0, 1.0],
        2 => [1.0; 4],
        _ => sampler.custom.map(f64::from),
    };
    for (channel, value) in color.iter_mut().enumerate() {
        if !image
            .format
            .components
            .iter()
            .any(|c| c.channel as usize == channel)
        {
            *value = if channel == 3 { 1.0 } else { 0.0 };
        }
    }
    color
}

/// Direction of a point on a cube face; coordinates -1 to 1.
pub(super) fn direction(face: u32, s: f64, t: f64) -> [f64; 3] {
    match face {
        0 => [1.0, -t, -s],
        1 => [-1.0, -t, s],
        2 => [s, 1.0, t],
        3 => [s, -1.0, -t],
        4 => [s, -t, 1.0],
        _ => [-s, -t, -1.0],
    }
}

/// Face and coordinates (0 to 1) of a direction.
fn face_of(v: [f64; 3]) -> (u32, f64, f64) {
    let [x, y, z] = v;
    let a = v.map(f64::abs);
    let (face, sc, tc, ma) = if a[2] >= a[0] && a[2] >= a[1] {
        if z >= 0.0 { (4, x, -y, z) } else { (5, -x, -y, -z) }
    } else if a[1] >= a[0] {
        if y >= 0.0 { (2, x, z, y) } else { (3, x, -z, -y) }
    } else if x >= 0.0 {
        (0, -z, -y, x)
    } else {
        (1, z, -y, -x)
    };
    (face, (sc / ma + 1.0) / 2.0, (tc / ma + 1.0) / 2.0)
}

pub(super) struct Reference<'a> {
    pub(super) image: &'a TestImage,
    pub(super) sampler: &'a Sampler,
}

impl Reference<'_> {
    pub(super) fn fetch(&self, level: u32, layer: u32, at: [Option<i64>; 3], dref: Option<f64>) -> [f64; 4] {
        let texel = match at {
            [Some(x), Some(y), Some(z)] => {
                let at = [x, y, z].map(|c| c as u32);
                self.image.texel(level, layer, 0, at).map(|c| match c {
                    Scalar::Float(x) => x,
                    Scalar::Int(x) => f64::from(x),
                })
            }
            _ => border(self.image, self.sampler),
        };
        let Some(dref) = dref else { return texel };
        let dref = if self.image.format.kind == Kind::Unorm {
            dref.clamp(0.0, 1.0)
        } else {
            dref
        };
        let d = texel[0];
        let pass = match self.sampler.compare.unwrap() {
            vk::CompareOp::NEVER => false,
            vk::CompareOp::LESS => dref < d,
            vk::CompareOp::EQUAL => dref == d,
            vk::CompareOp::LESS_OR_EQUAL => dref <= d,
            vk::CompareOp::GREATER => dref > d,
            vk::CompareOp::NOT_EQUAL => dref != d,
            vk::CompareOp::GREATER_OR_EQUAL => dref >= d,
            _ => true,
        };
        [f64::from(u8::from(pass)), 0.0, 0.0, 1.0]
    }

    /// A texel of a cube face that may be one over an edge; `None` at a corner.
    pub(super) fn cube_texel(
        &self,
        level: u32,
        cube: u32,
        face: u32,
        x: i64,
        y: i64,
        dref: Option<f64>,
    ) -> Option<[f64; 4]> {
        let n = i64::from(self.image.level_size(level)[0]);
        let (out_x, out_y) = (!(0..n).contains(&x), !(0..n).contains(&y));
        if out_x && out_y {
            return None;
        }
        let to = |c: i64| (2 * c + 1 - n) as f64 / n as f64;
        let (face, s, t) = face_of(direction(face, to(x), to(y)));
        let index = |c: f64| Some(((c * n as f64).floor() as i64).clamp(0, n - 1));
        Some(self.fetch(level, cube * 6 + face, [index(s), index(t), Some(0)], dref))
    }

    pub(super) fn level(&self, request: &Request, level: u32, linear: bool) -> [f64; 4] {
        let image = self.image;
        let size = image.level_size(level).map(i64::from);
        let layers = if image.dim == Dim::Cube {
            image.layers / 6
        } else {
            image.layers
        };
        let layer = request.layer.round_ties_even().clamp(0.0, f64::from(layers - 1)) as u32;
        let cube = image.dim == Dim::Cube;
        let (face, coords) = if cube {
            let c = &request.coords;
            let (face, s, t) = face_of([c[0], c[1], c[2]]);
            (face, vec![s, t])
        } else {
            (0, request.coords.clone())
        };
        let mut base = [0_i64; 3];
        let mut weight = [0.0; 3];
        for (axis, &coord) in coords.iter().enumerate() {
            let scale = if self.sampler.unnormalized {
                1.0
            } else {
                size[axis] as f64
            };
            let x = coord * scale - if linear { 0.5 } else { 0.0 } + request.offset[axis] as f64;
            base[axis] = x.floor() as i64;
            weight[axis] = if linear { x - x.floor() } else { 0.0 };
        }
        let mut taps: Vec<(f64, Option<[f64; 4]>)> = Vec::new();
        let n = if linear { 1 << coords.len() } else { 1 };
        for tap in 0..n {
            let mut w = 1.0;
            let mut at = [Some(0); 3];
            for axis in 0..coords.len() {
                let up = tap >> axis & 1;
                w *= if up == 1 { weight[axis] } else { 1.0 - weight[axis] };
                let texel = base[axis] + up;
                at[axis] = if cube && linear {
                    Some(texel)
                } else if cube {
                    Some(texel.clamp(0, size[axis] - 1))
                } else {
                    wrap(self.sampler.mode[axis], texel, size[axis])
                };
            }
            let value = if cube {
                self.cube_texel(level, layer, face, at[0].unwrap(), at[1].unwrap(), request.dref)
            } else {
                Some(self.fetch(level, layer, at, request.dref))
            };
            taps.push((w, value));
        }
        let known: Vec<[f64; 4]> = taps.iter().filter_map(|tap| tap.1).collect();
        let mean = [0, 1, 2, 3].map(|c| known.iter().map(|v| v[c]).sum::<f64>() / known.len() as f64);
        [0, 1, 2, 3].map(|c| {
            let values = taps.iter().map(|(w, v)| (*w, v.unwrap_or(mean)[c]));
            match self.sampler.reduction {
                0 => values.map(|(w, v)| w * v).sum(),
                1 => values
                    .filter(|v| v.0 > 0.0)
                    .fold(f64::INFINITY, |a, v| a.min(v.1)),
                _ => values
                    .filter(|v| v.0 > 0.0)
                    .fold(f64::NEG_INFINITY, |a, v| a.max(v.1)),
            }
        })
    }

    pub(super) fn sample(&self, request: &Request) -> [f64; 4] {
        let s = self.sampler;
        let lod = (request.lod + f64::from(s.bias)).clamp(f64::from(s.min_lod), f64::from(s.max_lod));
        let float = self.image.format.numeric() == Numeric::Float;
        let linear = float && if lod <= 0.0 { s.mag_linear } else { s.min_linear };
        let last = self.image.levels - 1;
        let d = lod.clamp(0.0, f64::from(last));
        if !s.mip_linear {
            return self.level(request, ((d + 0.5).ceil() - 1.0) as u32, linear);
        }
        let (low, fraction) = (d.floor() as u32, d.fract());
        let a = self.level(request, low, linear);
        let b = self.level(request, (low + 1).min(last), linear);
        [0, 1, 2, 3].map(|c| a[c] * (1.0 - fraction) + b[c] * fraction)
    }
}
