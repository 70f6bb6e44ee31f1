//! GLSL.std.450 against the same in double precision.

use super::run::{Dispatch, run};
use super::{both, spv};

type V3 = [f64; 3];

fn dot(a: V3, b: V3) -> f64 {
    (0..3).map(|i| a[i] * b[i]).sum()
}

fn cross(a: V3, b: V3) -> V3 {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

fn normalize(a: V3) -> V3 {
    a.map(|x| x / dot(a, a).sqrt())
}

fn determinant(m: [V3; 3]) -> f64 {
    dot(m[0], cross(m[1], m[2]))
}

fn rows(i: usize, x: f64, y: f64) -> Vec<f64> {
    let (u, v) = ([x, y, 1.0], [y, 0.5, x]);
    let truth = |t: bool| if t { 1.0 } else { 0.0 };
    let t = ((x + 2.0) / 4.0).clamp(0.0, 1.0);
    let difference = [u[0] - v[0], u[1] - v[1], u[2] - v[2]];
    let (nu, nv) = (normalize(u), normalize(v));
    let k = 1.0 - 0.49 * (1.0 - dot(nv, nu) * dot(nv, nu));
    let m = [[x, 1.0, 2.0], [y, 3.0, -1.0], [0.5, 4.0, 2.0]];
    let column = |r: usize| [m[0][r], m[1][r], m[2][r]];
    // Column 1, row 2 of the inverse: cofactor of column 2, row 1.
    let inverse = -(m[0][0] * m[1][2] - m[1][0] * m[0][2]);
    let e = if x == 0.0 {
        0.0
    } else {
        x.abs().log2().floor() + 1.0
    };
    vec![
        x.floor(),
        x.ceil(),
        x.trunc(),
        x.round_ties_even(),
        x - x.floor(),
        x.abs(),
        if x == 0.0 { 0.0 } else { x.signum() },
        x.abs().sqrt(),
        1.0 / (x.abs() + 1.0).sqrt(),
        x.min(y),
        x.max(y),
        x.clamp(-1.0, 1.0),
        x * 0.75 + y * 0.25,
        truth(y >= x),
        t * t * (3.0 - 2.0 * t),
        x * y + 1.0,
        x - 1.5 * (x / 1.5).floor(),
        x.sin(),
        x.cos(),
        x.tan(),
        x.atan(),
        x.atan2(y),
        x.exp(),
        x.exp2(),
        (x.abs() + 0.5).ln(),
        (x.abs() + 0.5).log2(),
        (x.abs() + 0.1).powf(y),
        x.sinh(),
        x.cosh(),
        x.tanh(),
        x.asinh(),
        (x.abs() + 1.0).acosh(),
        (x * 0.1).atanh(),
        (x * 0.1).asin(),
        (x * 0.1).acos(),
        x.to_radians(),
        x.to_degrees(),
        dot(u, u).sqrt(),
        dot(difference, difference).sqrt(),
        dot(u, v),
        cross(u, v)[1],
        nu[2],
        u[0] - 2.0 * dot(nv, u) * nv[0],
        if k < 0.0 {
            0.0
        } else {
            0.7 * nu[1] - (0.7 * dot(nv, nu) + k.sqrt()) * nv[1]
        },
        if dot(u, v) < 0.0 { u[0] } else { -u[0] },
        determinant(m),
        inverse / determinant(m),
        m[1][0],
        dot(column(1), u),
        dot(u, m[2]),
        dot(column(1), m[2]),
        u[2] * v[1],
        6.0,
        x * 2.0 - y,
        f64::NAN,
        x.fract(),
        x.trunc(),
        x / e.exp2(),
        e,
        x * (i as f64 - 8.0).exp2(),
    ]
}

#[test]
fn functions() {
    let a: Vec<f32> = vec![
        0.0, 1.0, -1.0, 0.5, -0.5, 2.25, -2.75, 3.9, 0.001, -7.5, 1.5, 2.5, -3.25, 6.125, 0.3, 9.0,
    ];
    let words = a.iter().map(|x| x.to_bits()).collect();
    let dispatch = Dispatch::new(both!("glsl.comp"), vec![words, vec![0; 16 * 80]]);
    let out = run(&dispatch).remove(1);
    for i in 0..16 {
        let (x, y) = (f64::from(a[i]), f64::from(a[15 - i]));
        for (row, want) in rows(i, x, y).into_iter().enumerate() {
            let got = f64::from(f32::from_bits(out[16 * row + i]));
            let close = (got - want).abs() <= 2e-5 * want.abs().max(1.0);
            assert!(
                close || want.is_nan() || !want.is_finite(),
                "row {row}: {got} for {want} ({x}, {y})"
            );
        }
        let bits = |row: usize| out[16 * row + i];
        let unorm = |x: f32| (x.clamp(0.0, 1.0) * 255.0).round_ties_even() as u32;
        let packed = unorm(a[i]) | unorm(a[15 - i]) << 8 | 128 << 16 | 255 << 24;
        assert_eq!(bits(60), packed >> 2);
        let snorm = |x: f32| (x.clamp(-1.0, 1.0) * 32767.0).round_ties_even() as i32 as u32 & 0xffff;
        assert_eq!(bits(61), (snorm(a[i]) | snorm(a[15 - i]) << 16) & 0x3fff_ffff);
        let half = |x: f32| u32::from(half::f16::from_f32(x).to_bits());
        assert_eq!(bits(62), (half(a[i]) | half(a[15 - i]) << 16) & 0x3fff_ffff);
        let float = |row: usize| f32::from_bits(bits(row));
        assert_eq!(float(63), (1 + i) as f32 / 255.0);
        assert_eq!([float(64), float(65), float(66)], [64.0 / 127.0, 1.0, -1.0]);
        let truth = |t: bool| if t { 1.0 } else { 0.0 };
        let (u, v) = ([x, y, 1.0], [y, 0.5, x]);
        assert_eq!(float(67), 0.0);
        assert_eq!(float(68), truth(x != 0.0));
        assert_eq!(float(69), if x < y { 1.0 } else { 2.0 });
        assert_eq!(float(70), truth((0..3).any(|c| u[c] < v[c])));
        assert_eq!(float(71), truth((0..3).all(|c| u[c] >= v[c])));
        assert_eq!(float(72), truth(u == v));
    }
}
