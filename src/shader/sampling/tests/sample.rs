//! Sampling against a reference in f64.

use super::codec::Random;
use super::image::{Harness, IDENTITY, TestImage, WIDTH};
use super::reference::Scalar;
use super::sampler::{Reference, Request, Sampler, direction, wrap};
use crate::resource::format::Numeric;
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
        vk::Format::ETC2_R8G8B8A1_UNORM_BLOCK,
        vk::Format::EAC_R11G11_SNORM_BLOCK,
        vk::Format::ASTC_5X4_UNORM_BLOCK,
        vk::Format::ASTC_10X6_SRGB_BLOCK,
        vk::Format::ASTC_12X12_UNORM_BLOCK,
    ];
    for format in formats {
        for (dim, size, layers) in [
            (Dim::D2, [13, 10, 1], 2),
            (Dim::D2, [37, 26, 1], 1),
            (Dim::D3, [8, 4, 3], 1),
            (Dim::Cube, [8, 8, 1], 6),
        ] {
            let all = [vk::Format::BC3_SRGB_BLOCK, vk::Format::ASTC_10X6_SRGB_BLOCK];
            if dim != Dim::D2 && !all.contains(&format) {
                continue;
            }
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
