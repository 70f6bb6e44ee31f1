//! Sampling against a reference in f64.

use super::codec::Random;
use super::image::{Harness, IDENTITY, TestImage, WIDTH};
use super::reference::Scalar;
use crate::descriptor::SamplerDescriptor;
use crate::resource::format::{Kind, Numeric};
use crate::shader::ir::Value;
use crate::shader::sampling::{Dim, OpKind, SampleArgs, emit_query_lod, emit_sample};
use crate::vk;
use vk::SamplerAddressMode as Mode;

const MODES: [Mode; 5] = [
    Mode::REPEAT,
    Mode::MIRRORED_REPEAT,
    Mode::CLAMP_TO_EDGE,
    Mode::CLAMP_TO_BORDER,
    Mode::MIRROR_CLAMP_TO_EDGE,
];

/// A sampler as the tests think of it.
#[derive(Clone, Copy, Debug)]
struct Sampler {
    mag_linear: bool,
    min_linear: bool,
    mip_linear: bool,
    mode: [Mode; 3],
    compare: Option<vk::CompareOp>,
    unnormalized: bool,
    reduction: u32,
    border: u32,
    bias: f32,
    min_lod: f32,
    max_lod: f32,
    custom: [f32; 4],
}

impl Sampler {
    fn new(linear: bool, mode: Mode) -> Sampler {
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

    fn descriptor(&self) -> SamplerDescriptor {
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
fn wrap(mode: Mode, i: i64, size: i64) -> Option<i64> {
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
struct Request {
    coords: Vec<f64>,
    layer: f64,
    dref: Option<f64>,
    lod: f64,
    offset: [i64; 3],
}

fn border(image: &TestImage, sampler: &Sampler) -> [f64; 4] {
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
fn direction(face: u32, s: f64, t: f64) -> [f64; 3] {
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

struct Reference<'a> {
    image: &'a TestImage,
    sampler: &'a Sampler,
}

impl Reference<'_> {
    fn fetch(&self, level: u32, layer: u32, at: [Option<i64>; 3], dref: Option<f64>) -> [f64; 4] {
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
    fn cube_texel(
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

    fn level(&self, request: &Request, level: u32, linear: bool) -> [f64; 4] {
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

    fn sample(&self, request: &Request) -> [f64; 4] {
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

/// Random coordinates; nearest texels are kept off the boundaries between texels.
fn coordinate(random: &mut Random, size: u32, nearest: bool, range: f64) -> f64 {
    loop {
        let u = (f64::from(random.next() & 0xffff) / 65536.0 * 2.0 - 1.0) * range;
        let texel = u * f64::from(size);
        if !nearest || (texel - texel.round()).abs() > 1e-3 {
            return f64::from(u as f32);
        }
    }
}

struct Case<'a> {
    image: &'a TestImage,
    sampler: Sampler,
    kind: OpKind,
    offset: bool,
    range: f64,
    waves: usize,
}

impl Case<'_> {
    fn harness(&self) -> Harness {
        let (dim, layers) = (self.image.dim, self.image.layers);
        let arrayed = if dim == Dim::Cube { layers > 6 } else { layers > 1 };
        let compare = self.sampler.compare.is_some();
        let (kind, with_offset) = (self.kind, self.offset);
        Harness::new(9, move |b, env, image, sampler, v, mask| {
            let mut args = SampleArgs::new(kind, dim, &v[..dim.coords()], mask);
            args.layer = arrayed.then(|| v[3]);
            args.dref = compare.then(|| v[4]);
            args.lod = (kind == OpKind::Lod).then(|| v[5]);
            args.offset = with_offset.then(|| v[6..6 + dim.texel_coords()].into());
            emit_sample(b, env, image, sampler, &args).to_vec()
        })
    }

    fn check(&self) {
        let harness = self.harness();
        let image = self.image;
        let mut random = Random(99);
        let nearest = !(self.sampler.mag_linear && self.sampler.min_linear);
        let reference = Reference {
            image,
            sampler: &self.sampler,
        };
        for _ in 0..self.waves {
            let mut inputs = vec![[0_u32; WIDTH]; 9];
            let mut requests = Vec::new();
            for lane in 0..WIDTH {
                let mut request = Request::default();
                for axis in 0..image.dim.coords() {
                    let size = image.size[axis.min(2)];
                    let range = if self.sampler.unnormalized {
                        self.range * f64::from(size)
                    } else {
                        self.range
                    };
                    let scale = if self.sampler.unnormalized { 1 } else { size };
                    let u = coordinate(&mut random, scale, nearest, range);
                    request.coords.push(u);
                    inputs[axis][lane] = (u as f32).to_bits();
                }
                request.layer = f64::from(random.next() % 40) / 10.0 + 0.03;
                inputs[3][lane] = (request.layer as f32).to_bits();
                if self.sampler.compare.is_some() {
                    let dref = (random.next() % 1000) as f32 / 800.0 - 0.1;
                    request.dref = Some(f64::from(dref));
                    inputs[4][lane] = dref.to_bits();
                }
                if self.kind == OpKind::Lod {
                    let lod = (random.next() % 997) as f32 / 200.0 - 1.003;
                    request.lod = f64::from(lod);
                    inputs[5][lane] = lod.to_bits();
                }
                if self.offset {
                    for axis in 0..image.dim.texel_coords() {
                        let offset = i64::from(random.next() % 16) - 8;
                        request.offset[axis] = offset;
                        inputs[6 + axis][lane] = offset as u32;
                    }
                }
                requests.push(request);
            }
            let out = harness.run(image.descriptor(IDENTITY), self.sampler.descriptor(), &inputs);
            for (lane, request) in requests.iter().enumerate() {
                self.compare(&reference, request, out.map(|v| v[lane]));
            }
        }
    }

    fn compare(&self, reference: &Reference<'_>, request: &Request, got: [u32; 4]) {
        let want = reference.sample(request);
        let n = if request.dref.is_some() { 1 } else { 4 };
        for channel in 0..n {
            let value = if self.image.format.numeric() == Numeric::Float {
                f64::from(f32::from_bits(got[channel]))
            } else {
                f64::from(got[channel])
            };
            assert!(
                (value - want[channel]).abs() < 2e-5,
                "{} {:?} {:?}: {request:?}: channel {channel} is {value}, not {}",
                self.image.format.name,
                self.image.dim,
                self.sampler,
                want[channel]
            );
        }
    }
}

fn case(image: &TestImage, sampler: Sampler) -> Case<'_> {
    Case {
        image,
        sampler,
        kind: OpKind::Lod,
        offset: false,
        range: 2.7,
        waves: 6,
    }
}

const SHAPES: [(Dim, [u32; 3], u32); 6] = [
    (Dim::D1, [7, 1, 1], 1),
    (Dim::D1, [8, 1, 1], 3),
    (Dim::D2, [7, 5, 1], 1),
    (Dim::D2, [4, 8, 1], 3),
    (Dim::D2, [1, 1, 1], 1),
    (Dim::D3, [5, 3, 4], 1),
];

#[test]
fn address_modes_and_filters() {
    for (dim, size, layers) in SHAPES {
        let image = TestImage::new(vk::Format::R8G8B8A8_UNORM, dim, size, layers, 1, 1);
        for mode in MODES {
            for linear in [false, true] {
                for border in 0..4 {
                    if mode != Mode::CLAMP_TO_BORDER && border > 0 {
                        continue;
                    }
                    case(
                        &image,
                        Sampler {
                            border,
                            ..Sampler::new(linear, mode)
                        },
                    )
                    .check();
                }
            }
        }
    }
}

#[test]
fn offsets_apply_before_wrapping() {
    for (dim, size, layers) in SHAPES {
        let image = TestImage::new(vk::Format::R16G16_SNORM, dim, size, layers, 1, 1);
        for mode in MODES {
            for linear in [false, true] {
                Case {
                    offset: true,
                    ..case(&image, Sampler::new(linear, mode))
                }
                .check();
            }
        }
    }
}

#[test]
fn mip_levels() {
    for (dim, size, layers) in [
        (Dim::D2, [64, 33, 1], 1),
        (Dim::D3, [9, 16, 5], 1),
        (Dim::D2, [600, 3, 1], 2),
    ] {
        let levels = if size[0] > 500 { 10 } else { 4 };
        let image = TestImage::new(vk::Format::R8G8_UNORM, dim, size, layers, levels, 1);
        for mip_linear in [false, true] {
            for (mag_linear, min_linear) in [(false, false), (true, false), (false, true), (true, true)] {
                let sampler = Sampler {
                    mag_linear,
                    min_linear,
                    mip_linear,
                    ..Sampler::new(false, Mode::REPEAT)
                };
                case(&image, sampler).check();
                case(
                    &image,
                    Sampler {
                        bias: 1.3,
                        min_lod: 0.7,
                        max_lod: 2.2,
                        ..sampler
                    },
                )
                .check();
            }
        }
    }
}

#[test]
fn every_kind_of_format() {
    let formats = [
        vk::Format::R8_SRGB,
        vk::Format::B8G8R8A8_SRGB,
        vk::Format::R5G6B5_UNORM_PACK16,
        vk::Format::A2B10G10R10_UNORM_PACK32,
        vk::Format::R16_UNORM,
        vk::Format::R32G32_SFLOAT,
        vk::Format::R32G32B32A32_SFLOAT,
        vk::Format::E5B9G9R9_UFLOAT_PACK32,
        vk::Format::D16_UNORM,
        vk::Format::X8_D24_UNORM_PACK32,
        vk::Format::D32_SFLOAT,
        vk::Format::R8G8B8A8_UINT,
        vk::Format::R16_UINT,
        vk::Format::S8_UINT,
    ];
    for format in formats {
        let image = TestImage::new(format, Dim::D2, [6, 5, 1], 1, 2, 1);
        let hdr = format == vk::Format::E5B9G9R9_UFLOAT_PACK32;
        for (linear, border) in [(false, 1), (true, 2), (true, 3)] {
            let float = image.format.numeric() == Numeric::Float;
            // The custom border of the tests is a float; random shared exponents are too large to interpolate exactly.
            if border == 3 && !float || hdr && linear {
                continue;
            }
            let sampler = Sampler {
                border,
                mip_linear: float && !hdr,
                ..Sampler::new(linear, Mode::CLAMP_TO_BORDER)
            };
            case(&image, sampler).check();
        }
    }
}

#[test]
fn compressed_formats() {
    let formats = [
        vk::Format::BC1_RGB_UNORM_BLOCK,
        vk::Format::BC1_RGBA_SRGB_BLOCK,
        vk::Format::BC2_UNORM_BLOCK,
        vk::Format::BC3_SRGB_BLOCK,
        vk::Format::BC4_UNORM_BLOCK,
        vk::Format::BC4_SNORM_BLOCK,
        vk::Format::BC5_SNORM_BLOCK,
        vk::Format::BC7_UNORM_BLOCK,
    ];
    for format in formats {
        for (dim, size, layers) in [
            (Dim::D2, [13, 10, 1], 2),
            (Dim::D3, [8, 4, 3], 1),
            (Dim::Cube, [8, 8, 1], 6),
        ] {
            let image = TestImage::new(format, dim, size, layers, 3, 1);
            for linear in [false, true] {
                let sampler = Sampler {
                    mip_linear: linear,
                    ..Sampler::new(linear, Mode::REPEAT)
                };
                // Nearest lookups of cubes are not comparable at random coordinates.
                if dim != Dim::Cube || linear {
                    case(&image, sampler).check();
                }
            }
        }
    }
}

#[test]
fn unnormalized_coordinates() {
    let image = TestImage::new(vk::Format::R8G8B8A8_UNORM, Dim::D2, [7, 5, 1], 1, 1, 1);
    for linear in [false, true] {
        for mode in [Mode::CLAMP_TO_EDGE, Mode::CLAMP_TO_BORDER] {
            let sampler = Sampler {
                unnormalized: true,
                ..Sampler::new(linear, mode)
            };
            Case {
                kind: OpKind::Implicit,
                ..case(&image, sampler)
            }
            .check();
        }
    }
}

#[test]
fn depth_comparison() {
    for format in [vk::Format::D16_UNORM, vk::Format::D32_SFLOAT] {
        let image = TestImage::new(format, Dim::D2, [6, 5, 1], 1, 1, 1);
        for op in 0..8 {
            for linear in [false, true] {
                let compare = Some(vk::CompareOp::from_raw(op));
                let sampler = Sampler {
                    compare,
                    border: 2,
                    ..Sampler::new(linear, Mode::CLAMP_TO_BORDER)
                };
                case(&image, sampler).check();
            }
        }
    }
}

#[test]
fn minimum_and_maximum() {
    let image = TestImage::new(vk::Format::R8G8_UNORM, Dim::D2, [6, 5, 1], 1, 1, 1);
    for reduction in 1..3 {
        case(
            &image,
            Sampler {
                reduction,
                ..Sampler::new(true, Mode::MIRRORED_REPEAT)
            },
        )
        .check();
    }
}

#[test]
fn cubes_are_seamless() {
    for (layers, size) in [(6, 5), (12, 4), (6, 1), (6, 2)] {
        let image = TestImage::new(
            vk::Format::R8G8B8A8_UNORM,
            Dim::Cube,
            [size, size, 1],
            layers,
            1,
            1,
        );
        for linear in [false, true] {
            let sampler = Sampler::new(linear, Mode::CLAMP_TO_EDGE);
            // Nearest lookups near face edges and texel boundaries are left to chance: use few of them.
            let waves = if linear { 60 } else { 0 };
            Case {
                range: 1.0,
                waves,
                ..case(&image, sampler)
            }
            .check();
        }
    }
}

#[test]
fn cube_faces_and_texels() {
    let n = 4;
    let image = TestImage::new(vk::Format::R8G8B8A8_UNORM, Dim::Cube, [n, n, 1], 6, 1, 1);
    let case = case(&image, Sampler::new(false, Mode::CLAMP_TO_EDGE));
    let harness = case.harness();
    for face in 0..6 {
        for at in 0..n * n {
            let to = |c: u32| f64::from(2 * c + 1) / f64::from(n) - 1.0;
            let v = direction(face, to(at % n), to(at / n)).map(|c| c * 3.0);
            let mut inputs = vec![[0; WIDTH]; 9];
            for axis in 0..3 {
                inputs[axis] = [(v[axis] as f32).to_bits(); WIDTH];
            }
            let out = harness.run(image.descriptor(IDENTITY), case.sampler.descriptor(), &inputs);
            let want = image.texel(0, face, 0, [at % n, at / n, 0])[0].float() as f32;
            assert_eq!(f32::from_bits(out[0][0]), want, "face {face} texel {at}");
        }
    }
}

#[test]
fn gathers_come_in_order() {
    for (format, mode, component) in [
        (vk::Format::R8G8B8A8_UNORM, Mode::REPEAT, 2),
        (vk::Format::R8G8B8A8_UINT, Mode::MIRRORED_REPEAT, 1),
        (vk::Format::R8G8B8A8_UNORM, Mode::CLAMP_TO_EDGE, 0),
        (vk::Format::R8_UNORM, Mode::CLAMP_TO_EDGE, 3),
    ] {
        let image = TestImage::new(format, Dim::D2, [7, 5, 1], 1, 1, 1);
        let sampler = Sampler::new(false, mode);
        for four in [false, true] {
            let offsets: [[i64; 2]; 4] = if four {
                [[0, 0], [-3, 2], [5, -8], [7, 7]]
            } else {
                [[0; 2]; 4]
            };
            let harness = Harness::new(2, |b, env, image, sampler, v, mask| {
                let mut args = SampleArgs::new(OpKind::Gather, Dim::D2, v, mask);
                args.component = component;
                args.offsets = four.then(|| offsets.map(|o| o.map(|x| b.vconst(x))));
                emit_sample(b, env, image, sampler, &args).to_vec()
            });
            let mut random = Random(3);
            for _ in 0..10 {
                let coords: [[f64; WIDTH]; 2] =
                    [7, 5].map(|size| std::array::from_fn(|_| coordinate(&mut random, size * 2, true, 2.5)));
                let inputs = coords.map(|c| c.map(|x| (x as f32).to_bits()));
                let out = harness.run(image.descriptor(IDENTITY), sampler.descriptor(), &inputs);
                for lane in 0..WIDTH {
                    let base = [0, 1]
                        .map(|axis: usize| (coords[axis][lane] * [7.0, 5.0][axis] - 0.5).floor() as i64);
                    for (index, corner) in [[0, 1], [1, 1], [1, 0], [0, 0]].into_iter().enumerate() {
                        let corner = if four { offsets[index] } else { corner };
                        let x = wrap(mode, base[0] + corner[0], 7).unwrap() as u32;
                        let y = wrap(mode, base[1] + corner[1], 5).unwrap() as u32;
                        let want = match image.texel(0, 0, 0, [x, y, 0])[usize::from(component)] {
                            Scalar::Float(x) => (x as f32).to_bits(),
                            Scalar::Int(x) => x,
                        };
                        assert_eq!(out[index][lane], want, "{format:?} {mode:?} texel {index}");
                    }
                }
            }
        }
    }
}

/// Coordinates of two quads whose derivatives are known, and the level of detail they give.
fn quads(size: [f64; 2], step: [f64; 2]) -> ([[u32; WIDTH]; 2], f64) {
    let mut out = [[0; WIDTH]; 2];
    for lane in 0..WIDTH {
        let (x, y) = (f64::from(lane as u32 & 1), f64::from(lane as u32 >> 1 & 1));
        let u = 0.3 + x * step[0] / size[0];
        let v = 0.4 + y * step[1] / size[1];
        out[0][lane] = (u as f32).to_bits();
        out[1][lane] = (v as f32).to_bits();
    }
    (out, step[0].max(step[1]).log2())
}

#[test]
fn level_of_detail_from_derivatives() {
    let image = TestImage::new(vk::Format::R8_UNORM, Dim::D2, [64, 32, 1], 1, 6, 1);
    let query = |sampler: Sampler, inputs: &[[u32; WIDTH]]| {
        let harness = Harness::new(2, |b, env, image, sampler, v, mask| {
            let args = SampleArgs::new(OpKind::QueryLod, Dim::D2, v, mask);
            emit_query_lod(b, env, image, sampler, &args).to_vec()
        });
        let out = harness.run(image.descriptor(IDENTITY), sampler.descriptor(), inputs);
        [out[0][0], out[1][0]].map(f32::from_bits)
    };
    for step in [[1.0, 1.0], [3.0, 0.5], [0.2, 5.5], [0.01, 0.02], [40.0, 90.0]] {
        let (inputs, lod) = quads([64.0, 32.0], step);
        let sampler = Sampler {
            mip_linear: true,
            ..Sampler::new(true, Mode::REPEAT)
        };
        let [level, got] = query(sampler, &inputs);
        assert!((f64::from(got) - lod).abs() < 1e-3, "{step:?}: {got}, not {lod}");
        assert!((f64::from(level) - lod.clamp(0.0, 5.0)).abs() < 1e-3);
        let [level, _] = query(
            Sampler {
                mip_linear: false,
                ..sampler
            },
            &inputs,
        );
        assert_eq!(
            f64::from(level),
            (lod.clamp(0.0, 5.0) + 0.5 - 1e-4).ceil() - 1.0,
            "{step:?}"
        );
    }
}

#[test]
fn gradients_and_implicit_levels_sample_the_same() {
    let image = TestImage::new(vk::Format::R8G8B8A8_UNORM, Dim::D2, [64, 32, 1], 1, 6, 1);
    let sampler = Sampler {
        mip_linear: true,
        ..Sampler::new(true, Mode::REPEAT)
    };
    for step in [[1.5, 1.0], [3.0, 0.5], [0.2, 5.5]] {
        let (inputs, lod) = quads([64.0, 32.0], step);
        let implicit = Harness::new(2, |b, env, image, sampler, v, mask| {
            emit_sample(
                b,
                env,
                image,
                sampler,
                &SampleArgs::new(OpKind::Implicit, Dim::D2, v, mask),
            )
            .to_vec()
        });
        let grad = Harness::new(2, |b, env, image, sampler, v, mask| {
            let mut args = SampleArgs::new(OpKind::Grad, Dim::D2, v, mask);
            let zero = b.fconst(0.0);
            let (dx, dy) = (
                b.fconst((step[0] / 64.0) as f32),
                b.fconst((step[1] / 32.0) as f32),
            );
            let (x, y): ([Value; 2], [Value; 2]) = ([dx, zero], [zero, dy]);
            args.grad = Some((x[..].into(), y[..].into()));
            emit_sample(b, env, image, sampler, &args).to_vec()
        });
        let reference = Reference {
            image: &image,
            sampler: &sampler,
        };
        for harness in [implicit, grad] {
            let out = harness.run(image.descriptor(IDENTITY), sampler.descriptor(), &inputs);
            for lane in 0..WIDTH {
                let coords = [0, 1]
                    .map(|axis: usize| f64::from(f32::from_bits(inputs[axis][lane])))
                    .to_vec();
                let want = reference.sample(&Request {
                    coords,
                    lod,
                    ..Request::default()
                });
                for channel in 0..4 {
                    let got = f64::from(f32::from_bits(out[channel][lane]));
                    assert!(
                        (got - want[channel]).abs() < 1e-3,
                        "{step:?} {lane}: {got}, not {}",
                        want[channel]
                    );
                }
            }
        }
    }
}

#[test]
fn absurd_coordinates_stay_inside() {
    for (dim, size, layers) in [
        (Dim::D2, [7, 5, 1], 1),
        (Dim::D3, [3, 3, 3], 1),
        (Dim::Cube, [4, 4, 1], 6),
    ] {
        let image = TestImage::new(
            vk::Format::R8_UNORM,
            dim,
            size,
            layers,
            3.min(if layers == 6 { 1 } else { 2 }),
            1,
        );
        for mode in MODES {
            for linear in [false, true] {
                let case = case(
                    &image,
                    Sampler {
                        mip_linear: true,
                        ..Sampler::new(linear, mode)
                    },
                );
                let harness = case.harness();
                for x in [
                    f32::NAN,
                    f32::INFINITY,
                    f32::NEG_INFINITY,
                    f32::MAX,
                    -1e30,
                    0.0,
                    -0.0,
                    4e9,
                ] {
                    let mut inputs = vec![[x.to_bits(); WIDTH]; 9];
                    inputs[0][3] = 0.5_f32.to_bits();
                    let out = harness.run(image.descriptor(IDENTITY), case.sampler.descriptor(), &inputs);
                    // Nothing to compare with: it must not read outside (the interpreter would crash).
                    assert_eq!(f32::from_bits(out[3][0]), 1.0);
                }
            }
        }
    }
}
