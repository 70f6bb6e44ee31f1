//! Doubles against the same in Rust, bit by bit.

use super::run::{Dispatch, run};
use super::{both, spv};
use crate::shader::spirv::constants::double_to_half;

/// Pairs of operands: ordinary, huge, tiny and special ones, and those on the edge between two results.
const OPERANDS: [(f64, f64); 32] = [
    (1.5, 2.25),
    (-3.75, 1.0e-3),
    (0.1, 0.2),
    (1.0e300, -1.0e300),
    (5.0e-324, 3.0),
    (2.2e-308, 0.5),
    (-0.0, 0.0),
    (f64::INFINITY, 1.0),
    (f64::NAN, 1.0),
    (1.0, f64::NAN),
    (2.5, 2.5),
    (-2.5, -7.0),
    (1.0e-40, 3.0e-42),
    (1.0 + 2.0 / 16_777_216.0 / 4.0, 7.0),
    (65519.999, 65520.0),
    (4_294_967_295.75, -1.0),
    (1.401_298_464_324_817e-45, 9.0),
    (0.7e-45, 1.0e-5),
    (0.700_649_232_162_408_6e-45, 1.0),
    (3.402_823_5e38, 1.0e308),
    (3.402_823_567_797_336_6e38, 1.0),
    (-1.175_494_3e-38, 1.1),
    (5.960_464_477_539_063e-8, 0.3),
    (2.980_232_238_769_531_3e-8, 0.3),
    (2.980_232_238_769_532e-8, 0.3),
    (-9_007_199_254_740_993.0, 1.0),
    (123_456_789.987_654_32, 3.0),
    (-1_234.5, 8.0),
    (9.2e18, 2.0),
    (-4.0, 2.0),
    (0.499_999_999_999_999_94, 0.5),
    (-1.0e-310, 1.0e-310),
];

fn bits(x: f64) -> [u32; 2] {
    [x.to_bits() as u32, (x.to_bits() >> 32) as u32]
}

fn pack(low: u32, high: u32) -> f64 {
    f64::from_bits(u64::from(low) | u64::from(high) << 32)
}

/// Significand and exponent.
fn frexp(x: f64) -> (f64, i32) {
    if x == 0.0 || !x.is_finite() {
        return (x, 0);
    }
    let (mut x, mut e) = (x, 0);
    while x.abs() >= 1.0 {
        (x, e) = (x / 2.0, e + 1);
    }
    while x.abs() < 0.5 {
        (x, e) = (x * 2.0, e - 1);
    }
    (x, e)
}

/// What each row of `doubles.comp` gives up to `modf`, for operands of which integers are not undefined.
fn expected(x: f64, y: f64) -> Vec<Option<f64>> {
    let (significand, exponent) = frexp(x);
    let small = x.is_finite() && x.abs() < 2e9;
    let wide = x.is_finite() && x.abs() < 9.2e18;
    let class = if x < y {
        1.0
    } else if x == y {
        2.0
    } else if x > y {
        3.0
    } else {
        4.0
    };
    let half = double_to_half(x).to_bits();
    let kind = if x.is_nan() {
        1
    } else {
        u32::from(x.is_infinite()) * 2
    };
    let [low, high] = bits(x);
    let one = |cond: bool| Some(if cond { 1.0 } else { 2.0 });
    vec![
        Some(x + y),
        Some(x - y),
        Some(x * y),
        Some(x / y),
        Some(x.sqrt()),
        Some(x.mul_add(y, -x)),
        Some(x.floor()),
        Some(x.ceil()),
        Some(x.trunc()),
        Some(x.round_ties_even()),
        Some(class),
        one(x <= y),
        one(x != y),
        Some(f64::from(x as f32)),
        (!x.is_nan()).then(|| pack(half.into(), kind)),
        small.then(|| f64::from(x as i32)),
        small.then(|| pack(x.abs() as u32, 0)),
        wide.then(|| f64::from_bits((x as i64).cast_unsigned())),
        wide.then(|| f64::from_bits(x.abs() as u64)),
        Some(x.to_bits().cast_signed() as f64),
        Some(y.to_bits() as f64),
        Some(f64::from(high.cast_signed()) + f64::from(low)),
        Some(-y.abs()),
        Some(significand),
        Some(exponent.into()),
        Some(x),
        x.is_finite().then(|| (x - x.trunc()).copysign(x)),
        Some(x.trunc()),
    ]
}

fn same(a: f64, b: f64) -> bool {
    a.is_nan() && b.is_nan() || a.to_bits() == b.to_bits()
}

#[test]
fn doubles_are_those_of_the_processor() {
    const ROWS: usize = 37;
    for half in OPERANDS.chunks(16) {
        let a: Vec<u32> = half.iter().flat_map(|pair| bits(pair.0)).collect();
        let b: Vec<u32> = half.iter().flat_map(|pair| bits(pair.1)).collect();
        let dispatch = Dispatch {
            push: vec![5],
            ..Dispatch::new(both!("doubles.comp"), vec![a, b, vec![0; 32 * ROWS]])
        };
        let out = run(&dispatch).remove(2);
        let at = |row: usize, lane: usize| pack(out[32 * row + 2 * lane], out[32 * row + 2 * lane + 1]);
        let xs: Vec<f64> = half.iter().map(|pair| pair.0).collect();
        for (lane, &(x, y)) in half.iter().enumerate() {
            for (row, want) in expected(x, y).into_iter().enumerate() {
                let got = at(row, lane);
                assert!(
                    want.is_none_or(|want| same(got, want)),
                    "row {row}, {x:e} and {y:e}: {got:e} instead of {want:?}"
                );
            }
            if x.is_finite() {
                let table = [x, y, 1.5, x + 1.0];
                assert!(same(at(33, lane), table[lane & 3]), "row 33, lane {lane}");
                let sum = xs[..=lane.min(9)].iter().fold(0.0, |sum, x| sum + x);
                assert!(same(at(35, lane), sum), "row 35, lane {lane}");
            }
            assert!(same(at(34, lane), xs[15 - lane] + xs[0]), "row 34, lane {lane}");
            assert!(same(at(36, lane), half[3].0 * half[5].1), "row 36, lane {lane}");
        }
    }
}
