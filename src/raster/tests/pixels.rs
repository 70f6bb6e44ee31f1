//! What covered pixels get: interpolation, depth, stencil, blending.

use super::*;
use crate::shader::ir::Op;

const SIZE: [u32; 2] = [80, 60];

/// Weights of a point in a triangle.
fn weights(p: [[f64; 2]; 3], at: [f64; 2]) -> [f64; 3] {
    let cross =
        |a: [f64; 2], b: [f64; 2], c: [f64; 2]| (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1]);
    let area = cross(p[0], p[1], p[2]);
    [
        cross(p[1], p[2], at) / area,
        cross(p[2], p[0], at) / area,
        cross(p[0], p[1], at) / area,
    ]
}

/// A triangle in perspective, its corners in pixels, and w.
const CORNERS: [[f64; 2]; 3] = [[4.0, 3.0], [75.0, 12.0], [20.0, 57.0]];
const W: [f64; 3] = [1.0, 4.0, 2.0];
const COLORS: [[f32; 4]; 3] = [[1.0, 0.0, 3.0, 1.0], [-2.0, 5.0, 3.0, 1.0], [0.5, 7.0, 3.0, 1.0]];

fn in_perspective() -> Vec<Vertex> {
    (0..3)
        .map(|i| {
            let at = at_pixel(CORNERS[i].map(|v| v as f32), 0.25, SIZE);
            (at.map(|v| v * W[i] as f32), COLORS[i])
        })
        .collect()
}

fn interpolated(interpolation: Interpolation) -> Image {
    let desc = desc(vk::Format::R32G32B32A32_SFLOAT, SIZE);
    draw_once(desc, pass_color(interpolation), &in_perspective(), SIZE, 16)
}

fn each_covered(image: &Image, mut f: impl FnMut([f64; 3], [f32; 4])) {
    let words = image.memory.as_slice::<f32>();
    let mut covered = 0;
    for y in 0..SIZE[1] as usize {
        for x in 0..SIZE[0] as usize {
            let at = y * image.attachment.row_pitch as usize / 4 + 4 * x;
            let weights = weights(CORNERS, [x as f64 + 0.5, y as f64 + 0.5]);
            if weights.iter().all(|&w| w > 1e-3) {
                covered += 1;
                f(weights, std::array::from_fn(|i| words[at + i]));
            }
        }
    }
    assert!(covered > 1000, "{covered} pixels");
}

#[test]
fn inputs_are_interpolated_in_perspective() {
    each_covered(&interpolated(PERSPECTIVE), |weights, color| {
        let q: f64 = (0..3).map(|i| weights[i] / W[i]).sum();
        for c in 0..4 {
            let want: f64 = (0..3)
                .map(|i| weights[i] / W[i] * f64::from(COLORS[i][c]))
                .sum::<f64>()
                / q;
            assert!((want - f64::from(color[c])).abs() < 2e-5, "{want} {color:?}");
        }
        // The same at all corners: exact everywhere.
        assert_eq!(color[2..], [3.0, 1.0]);
    });
}

#[test]
fn inputs_without_perspective_and_flat_ones() {
    each_covered(
        &interpolated(Interpolation {
            no_perspective: true,
            ..PERSPECTIVE
        }),
        |weights, color| {
            for c in 0..4 {
                let want: f64 = (0..3).map(|i| weights[i] * f64::from(COLORS[i][c])).sum();
                assert!((want - f64::from(color[c])).abs() < 2e-5, "{want} {color:?}");
            }
        },
    );
    each_covered(
        &interpolated(Interpolation {
            flat: true,
            ..PERSPECTIVE
        }),
        |_, color| {
            assert_eq!(color, COLORS[0]);
        },
    );
}

#[test]
fn fragments_know_where_they_are() {
    let body: Body = |io, b, _| {
        let values = [0, 1, 2, 3].map(|axis| coordinate(io, b, axis));
        (output4(0, values), None)
    };
    let shader = HandMade {
        interface: Interface::default(),
        body,
    };
    let desc = desc(vk::Format::R32G32B32A32_SFLOAT, SIZE);
    let image = draw_once(desc, shader, &everything(0.25, [0.0; 4]), SIZE, 16);
    let words = image.memory.as_slice::<f32>();
    for y in 0..SIZE[1] as usize {
        for x in 0..SIZE[0] as usize {
            let at = y * image.attachment.row_pitch as usize / 4 + 4 * x;
            assert_eq!(words[at..at + 4], [x as f32 + 0.5, y as f32 + 0.5, 0.25, 1.0]);
        }
    }
}

/// Random triangles with depths, drawn with a depth test; gives colour and depth image.
fn draw_depth(format: vk::Format, bytes: u64, compare: vk::CompareOp) -> (Vec<Vertex>, Image, Image) {
    let mut random = Random(11);
    let vertices: Vec<Vertex> = (0..90)
        .map(|i| {
            let at = [random.float(-20.0, 100.0), random.float(-20.0, 80.0)];
            (
                at_pixel(at, random.float(0.05, 0.95), SIZE),
                [(i / 3 + 1) as f32; 4],
            )
        })
        .collect();
    let mut desc = desc(vk::Format::R32_SFLOAT, SIZE);
    desc.formats.depth = format;
    desc.state.depth_test = true;
    desc.state.depth_write = true;
    desc.state.depth_compare = compare;
    let color = Image::new(vk::Format::R32_SFLOAT, 4, SIZE, 1);
    let depth = Image::new(format, bytes, SIZE, 1);
    let flat = Interpolation {
        flat: true,
        ..PERSPECTIVE
    };
    let pipeline = pipeline(desc, Some(pass_color(flat)));
    let buffer = Vertices::new(&vertices);
    let mut scope = scope(vec![Some(color.target(Load::Clear([0; 4])))], SIZE);
    let far = if compare == vk::CompareOp::LESS {
        1.0f32
    } else {
        0.0
    };
    scope.depth = Some(depth.target(Load::Clear([far.to_bits(); 4])));
    let mut raster = rasterizer(2);
    raster.begin(&scope).expect("begin");
    raster.draw(&pipeline, buffer.draw(&pipeline)).expect("draw");
    raster.end().expect("end");
    (vertices, color, depth)
}

/// The nearest triangle of each pixel and its depth, where no other is close; `sign` turns the order around.
fn nearest(vertices: &[Vertex], [x, y]: [u32; 2], sign: f64) -> Option<(f32, f64)> {
    let mut hits: Vec<(f64, f32)> = Vec::new();
    for triangle in vertices.as_chunks::<3>().0 {
        let snap = |v: f32, extent: u32| {
            ((f64::from(v) + 1.0) / 2.0 * f64::from(extent) * 256.0).round_ties_even() / 256.0
        };
        let p = triangle.map(|(p, _)| [snap(p[0], SIZE[0]), snap(p[1], SIZE[1])]);
        let w = weights(p, [f64::from(x) + 0.5, f64::from(y) + 0.5]);
        if w.iter().any(|w| w.abs() < 1e-4) {
            return None;
        }
        if w.iter().all(|&w| w > 0.0) {
            let z: f64 = (0..3).map(|i| w[i] * f64::from(triangle[i].0[2])).sum();
            hits.push((z * sign, triangle[0].1[0]));
        }
    }
    hits.sort_by(|a, b| a.0.total_cmp(&b.0));
    match hits[..] {
        [] => Some((0.0, if sign > 0.0 { 1.0 } else { 0.0 })),
        [(z, color)] => Some((color, z * sign)),
        [(z, color), (second, _), ..] => (second - z > 1e-4).then_some((color, z * sign)),
    }
}

#[test]
fn the_depth_test_keeps_the_nearest() {
    let formats = [
        (vk::Format::D32_SFLOAT, 4, 0.0),
        (vk::Format::X8_D24_UNORM_PACK32, 4, 16_777_215.0),
        (vk::Format::D16_UNORM, 2, 65_535.0),
    ];
    for (format, bytes, scale) in formats {
        for (compare, sign) in [(vk::CompareOp::LESS, 1.0), (vk::CompareOp::GREATER, -1.0)] {
            let (vertices, color, depth) = draw_depth(format, bytes, compare);
            let mut checked = 0;
            for y in 0..SIZE[1] {
                for x in 0..SIZE[0] {
                    let Some((want, z)) = nearest(&vertices, [x, y], sign) else {
                        continue;
                    };
                    assert_eq!(color.float(x, y), want, "{format:?} ({x}, {y})");
                    let stored = match bytes {
                        2 => {
                            let row = y as usize * depth.attachment.row_pitch as usize / 2;
                            f64::from(depth.memory.as_slice::<u16>()[row + x as usize]) / scale
                        }
                        _ if scale == 0.0 => f64::from(depth.float(x, y)),
                        _ => f64::from(depth.word(0, x, y)) / scale,
                    };
                    assert!((stored - z).abs() < 1e-4, "{format:?} ({x}, {y}): {stored} {z}");
                    checked += 1;
                }
            }
            assert!(checked > 3000, "{checked} pixels");
        }
    }
}

#[test]
fn depth_bias_moves_primitives_and_no_more() {
    let run = |bias: Option<DepthBias>| {
        let mut desc = desc(vk::Format::R32_SFLOAT, SIZE);
        desc.formats.depth = vk::Format::D32_SFLOAT;
        desc.state.depth_test = true;
        desc.state.depth_write = true;
        desc.state.depth_compare = vk::CompareOp::ALWAYS;
        desc.state.depth_bias = bias;
        let depth = Image::new(vk::Format::D32_SFLOAT, 4, SIZE, 1);
        let pipeline = pipeline(desc, Some(write_one()));
        // Depth rises by 1/160 a pixel to the right.
        let slope = |x: f32| x / 160.0;
        let corner = |x: f32, y: f32| -> Vertex { (at_pixel([x, y], slope(x), SIZE), [0.0; 4]) };
        let vertices = Vertices::new(&[corner(0.0, 0.0), corner(80.0, 0.0), corner(0.0, 60.0)]);
        let mut scope = scope(vec![None], SIZE);
        scope.depth = Some(depth.target(Load::Clear([0; 4])));
        let mut raster = rasterizer(1);
        raster.begin(&scope).expect("begin");
        raster.draw(&pipeline, vertices.draw(&pipeline)).expect("draw");
        raster.end().expect("end");
        depth.float(20, 10)
    };
    let plain = run(None);
    let bias = |constant, slope, clamp| {
        Some(DepthBias {
            constant,
            clamp,
            slope,
            ..DepthBias::default()
        })
    };
    assert!((plain - 20.5 / 160.0).abs() < 1e-6);
    assert!((run(bias(0.0, 2.0, 0.0)) - plain - 2.0 / 160.0).abs() < 1e-6);
    assert!((run(bias(0.0, 2.0, 0.001)) - plain - 0.001).abs() < 1e-6);
    // The greatest depth, 0.5, has an exponent of -1.
    assert!((run(bias(16.0, 0.0, 0.0)) - plain - 16.0 * 2.0f32.powi(-24)).abs() < 1e-9);
    // As it is, in depths.
    let float = DepthBias {
        constant: 0.125,
        representation: vk::DepthBiasRepresentationEXT::FLOAT,
        ..DepthBias::default()
    };
    assert!((run(Some(float)) - plain - 0.125).abs() < 1e-6);
}

/// Draws everything front-facing (or back-facing) with stencil state and gives the stencil value of every pixel.
fn stencil(op: vk::StencilOp, compare: vk::CompareOp, start: u32, reference: u32, back: bool) -> u32 {
    let rows = stencil_rows((op, compare), start, reference, back, None);
    let first = rows[0][0];
    assert!(rows.iter().flatten().all(|&value| value == first));
    first.into()
}

/// As [`stencil`], with a shader and pixel by pixel.
fn stencil_rows(
    (op, compare): (vk::StencilOp, vk::CompareOp),
    start: u32,
    reference: u32,
    back: bool,
    shader: Option<HandMade>,
) -> Vec<Vec<u8>> {
    let mut desc = desc(vk::Format::R32_SFLOAT, SIZE);
    desc.formats.stencil = vk::Format::S8_UINT;
    desc.state.stencil_test = true;
    let face = vk::StencilOpState {
        fail_op: vk::StencilOp::ZERO,
        pass_op: op,
        depth_fail_op: vk::StencilOp::KEEP,
        compare_op: compare,
        compare_mask: 0xff,
        write_mask: 0xff,
        reference,
    };
    let other = vk::StencilOpState {
        compare_op: vk::CompareOp::NEVER,
        ..face
    };
    (desc.state.stencil_front, desc.state.stencil_back) = if back { (other, face) } else { (face, other) };
    // The triangle that covers everything is clockwise in the framebuffer.
    desc.state.front_face = if back {
        vk::FrontFace::COUNTER_CLOCKWISE
    } else {
        vk::FrontFace::CLOCKWISE
    };
    let image = Image::new(vk::Format::S8_UINT, 1, SIZE, 1);
    let pipeline = pipeline(desc, shader);
    let vertices = Vertices::new(&everything(0.5, [0.0; 4]));
    let mut scope = scope(vec![], SIZE);
    scope.stencil = Some(image.target(Load::Clear([start; 4])));
    let mut raster = rasterizer(1);
    raster.begin(&scope).expect("begin");
    raster.draw(&pipeline, vertices.draw(&pipeline)).expect("draw");
    raster.end().expect("end");
    let bytes = image.memory.as_slice::<u8>();
    let row = |y: usize| bytes[y * image.attachment.row_pitch as usize..][..SIZE[0] as usize].to_vec();
    (0..SIZE[1] as usize).map(row).collect()
}

#[test]
fn shaders_give_the_stencil_reference() {
    // The column, of which the low eight bits count.
    let body: Body = |io, b, _| {
        let x = coordinate(io, b, 0);
        let x = b.ftoi(x);
        let high = b.vconst(0x700);
        let reference = Output {
            slot: OutputSlot::BuiltIn(BuiltIn::FragStencilRefEXT, 0),
            value: b.vor(x, high),
        };
        (vec![reference], None)
    };
    let interface = Interface {
        output_builtins: vec![(BuiltIn::FragStencilRefEXT, 1)],
        ..Interface::default()
    };
    let how = (vk::StencilOp::REPLACE, vk::CompareOp::LESS);
    let rows = stencil_rows(how, 40, 99, false, Some(HandMade { interface, body }));
    for row in rows {
        for (x, value) in (0u8..).zip(row) {
            assert_eq!(value, if x < 40 { x } else { 0 });
        }
    }
}

#[test]
fn stencil_operations() {
    use vk::StencilOp as S;
    let always = vk::CompareOp::ALWAYS;
    let cases = [
        (S::KEEP, 7, 9, 7),
        (S::ZERO, 7, 9, 0),
        (S::REPLACE, 7, 9, 9),
        (S::INCREMENT_AND_CLAMP, 254, 9, 255),
        (S::INCREMENT_AND_CLAMP, 255, 9, 255),
        (S::DECREMENT_AND_CLAMP, 0, 9, 0),
        (S::INVERT, 0x0f, 9, 0xf0),
        (S::INCREMENT_AND_WRAP, 255, 9, 0),
        (S::DECREMENT_AND_WRAP, 0, 9, 255),
    ];
    for back in [false, true] {
        for (op, start, reference, want) in cases {
            assert_eq!(stencil(op, always, start, reference, back), want, "{op:?}");
        }
        // The reference is on the left of the comparison; failing writes zero.
        assert_eq!(stencil(S::REPLACE, vk::CompareOp::LESS, 9, 8, back), 8);
        assert_eq!(stencil(S::REPLACE, vk::CompareOp::LESS, 8, 9, back), 0);
    }
}

const SRC: [f32; 4] = [0.3, 0.6, 0.9, 0.4];
const DST: [f32; 4] = [0.8, 0.1, 0.5, 0.7];
const CONSTANT: [f32; 4] = [0.2, 0.45, 0.65, 0.85];

fn factor(factor: vk::BlendFactor, i: usize) -> f32 {
    use vk::BlendFactor as F;
    match factor {
        F::ZERO => 0.0,
        F::ONE => 1.0,
        F::SRC_COLOR => SRC[i],
        F::ONE_MINUS_SRC_COLOR => 1.0 - SRC[i],
        F::DST_COLOR => DST[i],
        F::ONE_MINUS_DST_COLOR => 1.0 - DST[i],
        F::SRC_ALPHA => SRC[3],
        F::ONE_MINUS_SRC_ALPHA => 1.0 - SRC[3],
        F::DST_ALPHA => DST[3],
        F::ONE_MINUS_DST_ALPHA => 1.0 - DST[3],
        F::CONSTANT_COLOR => CONSTANT[i],
        F::ONE_MINUS_CONSTANT_COLOR => 1.0 - CONSTANT[i],
        F::CONSTANT_ALPHA => CONSTANT[3],
        F::ONE_MINUS_CONSTANT_ALPHA => 1.0 - CONSTANT[3],
        F::SRC_ALPHA_SATURATE if i == 3 => 1.0,
        F::SRC_ALPHA_SATURATE => SRC[3].min(1.0 - DST[3]),
        _ => unreachable!("not a factor of one source"),
    }
}

fn blended(op: vk::BlendOp, src: vk::BlendFactor, dst: vk::BlendFactor, i: usize) -> f32 {
    let (s, d) = (SRC[i] * factor(src, i), DST[i] * factor(dst, i));
    match op {
        vk::BlendOp::ADD => s + d,
        vk::BlendOp::SUBTRACT => s - d,
        vk::BlendOp::REVERSE_SUBTRACT => d - s,
        vk::BlendOp::MIN => SRC[i].min(DST[i]),
        _ => SRC[i].max(DST[i]),
    }
}

/// Blends the constants above in a tiny image.
fn blend(format: vk::Format, bytes: u64, blend: BlendDesc) -> Vec<u32> {
    let size = [4, 4];
    let image = Image::new(format, bytes, size, 1);
    let mut desc = desc(format, size);
    desc.blend[0] = blend;
    desc.state.blend_constants = CONSTANT;
    let pipeline = pipeline(desc, Some(pass_color(PERSPECTIVE)));
    let vertices = Vertices::new(&everything(0.5, SRC));
    let mut raster = rasterizer(1);
    let clear = Load::Clear(DST.map(f32::to_bits));
    raster
        .begin(&scope(vec![Some(image.target(clear))], size))
        .expect("begin");
    raster.draw(&pipeline, vertices.draw(&pipeline)).expect("draw");
    raster.end().expect("end");
    image.memory.as_slice::<u32>()[..bytes as usize / 4].to_vec()
}

#[test]
fn every_factor_and_operation_blends_as_defined() {
    use vk::BlendFactor as F;
    let factors = [
        F::ZERO,
        F::ONE,
        F::SRC_COLOR,
        F::ONE_MINUS_SRC_COLOR,
        F::DST_COLOR,
        F::ONE_MINUS_DST_COLOR,
        F::SRC_ALPHA,
        F::ONE_MINUS_SRC_ALPHA,
        F::DST_ALPHA,
        F::ONE_MINUS_DST_ALPHA,
        F::CONSTANT_COLOR,
        F::ONE_MINUS_CONSTANT_COLOR,
        F::CONSTANT_ALPHA,
        F::ONE_MINUS_CONSTANT_ALPHA,
        F::SRC_ALPHA_SATURATE,
    ];
    let ops = [
        vk::BlendOp::ADD,
        vk::BlendOp::SUBTRACT,
        vk::BlendOp::REVERSE_SUBTRACT,
        vk::BlendOp::MIN,
        vk::BlendOp::MAX,
    ];
    for (n, (&src, op)) in factors.iter().zip(ops.iter().cycle()).enumerate() {
        let dst = factors[(n * 7 + 3) % factors.len()];
        let (alpha_src, alpha_dst) = (dst, src);
        let desc = BlendDesc {
            enable: true,
            src_color: src,
            dst_color: dst,
            color_op: *op,
            src_alpha: alpha_src,
            dst_alpha: alpha_dst,
            alpha_op: ops[(n + 2) % 5],
            ..BlendDesc::default()
        };
        let want: [f32; 4] = std::array::from_fn(|i| match i {
            3 => blended(desc.alpha_op, alpha_src, alpha_dst, i),
            _ => blended(*op, src, dst, i),
        });
        let got = blend(vk::Format::R32G32B32A32_SFLOAT, 16, desc);
        for i in 0..4 {
            assert!(
                (f32::from_bits(got[i]) - want[i]).abs() < 1e-6,
                "{desc:?}: {want:?}"
            );
        }
        let got = blend(vk::Format::R8G8B8A8_UNORM, 4, desc)[0].to_le_bytes();
        for i in 0..4 {
            let want = want[i].clamp(0.0, 1.0) * 255.0;
            assert!(
                (f32::from(got[i]) - want).abs() < 1.51,
                "{desc:?}: {want} {got:?}"
            );
        }
    }
}

#[test]
fn write_masks_leave_other_components() {
    let desc = BlendDesc {
        write_mask: vk::ColorComponentFlags::G | vk::ColorComponentFlags::A,
        ..BlendDesc::default()
    };
    let got = blend(vk::Format::B8G8R8A8_UNORM, 4, desc)[0].to_le_bytes();
    let round = |v: f32| (v * 255.0).round_ties_even() as u8;
    assert_eq!(got, [round(DST[2]), round(SRC[1]), round(DST[0]), round(SRC[3])]);
}

#[test]
fn discarded_fragments_leave_no_trace() {
    // Left half discarded.
    let body: Body = |io, b, start| {
        let x = coordinate(io, b, 0);
        let half = b.fconst(40.0);
        let right = b.push(Op::FLt, &[half, x], 0);
        let left = b.mand(start.coverage, right);
        (output4(0, [b.fconst(1.0); 4]), Some(left))
    };
    let interface = Interface {
        uses_discard: true,
        ..Interface::default()
    };
    let mut desc = desc(vk::Format::R32_SFLOAT, SIZE);
    desc.formats.depth = vk::Format::D32_SFLOAT;
    desc.state.depth_test = true;
    desc.state.depth_write = true;
    desc.state.depth_compare = vk::CompareOp::LESS;
    let color = Image::new(vk::Format::R32_SFLOAT, 4, SIZE, 1);
    let depth = Image::new(vk::Format::D32_SFLOAT, 4, SIZE, 1);
    let pipeline = pipeline(desc, Some(HandMade { interface, body }));
    let vertices = Vertices::new(&everything(0.5, [0.0; 4]));
    let mut scope = scope(vec![Some(color.target(Load::Clear([0; 4])))], SIZE);
    scope.depth = Some(depth.target(Load::Clear([1.0f32.to_bits(); 4])));
    let mut raster = rasterizer(1);
    raster.begin(&scope).expect("begin");
    let counters = Arc::new(Counters::default());
    let mut draw = vertices.draw(&pipeline);
    draw.counters.push(Arc::clone(&counters));
    raster.draw(&pipeline, draw).expect("draw");
    raster.end().expect("end");
    for y in 0..SIZE[1] {
        for x in 0..SIZE[0] {
            let (want, z) = if x < 40 { (0.0, 1.0) } else { (1.0, 0.5) };
            assert_eq!((color.float(x, y), depth.float(x, y)), (want, z));
        }
    }
    let count = |counter: &std::sync::atomic::AtomicU64| counter.load(std::sync::atomic::Ordering::Relaxed);
    assert_eq!(count(&counters.samples_passed), 40 * 60);
    assert_eq!(count(&counters.fragment_invocations), 80 * 60);
    assert_eq!(count(&counters.vertex_invocations), 3);
}
