//! Arc functions.

use super::{copy_sign, polynomial};
use crate::shader::ir::{Builder, Value};
use std::f32::consts::{FRAC_PI_2, PI};

/// `atan(t)` for `t` in 0..=1.
fn atan_unit(b: &mut Builder<'_>, t: Value) -> Value {
    let z = b.fmul(t, t);
    let p = polynomial(
        b,
        z,
        &[
            3.866_738_9e-3,
            -2.002_674_8e-2,
            4.891_432e-2,
            -8.009_682e-2,
            1.086_575_9e-1,
            -1.425_704_5e-1,
            1.999_868_1e-1,
            -3.333_332_3e-1,
        ],
    );
    let cube = b.fmul(z, t);
    b.fma(cube, p, t)
}

/// Arc tangent.
pub fn atan(b: &mut Builder<'_>, x: Value) -> Value {
    let one = b.fconst(1.0);
    let magnitude = b.fabs(x);
    let large = b.flt(one, magnitude);
    let inverse = b.fdiv(one, magnitude);
    let t = b.vselect(large, inverse, magnitude);
    let a = atan_unit(b, t);
    let half_pi = b.fconst(FRAC_PI_2);
    let rest = b.fsub(half_pi, a);
    let a = b.vselect(large, rest, a);
    copy_sign(b, a, x)
}

/// Angle of the point `(x, y)`, in -pi..=pi; zeros and infinities as C's `atan2`.
pub fn atan2(b: &mut Builder<'_>, y: Value, x: Value) -> Value {
    let (ax, ay) = (b.fabs(x), b.fabs(y));
    let steep = b.flt(ax, ay);
    let (low, high) = (b.vselect(steep, ax, ay), b.vselect(steep, ay, ax));
    let (zero, one) = (b.fconst(0.0), b.fconst(1.0));
    let t = b.fdiv(low, high);
    // Both zero, or both infinite, make no quotient.
    let both_zero = b.feq(high, zero);
    let t = b.vselect(both_zero, zero, t);
    let infinity = b.fconst(f32::INFINITY);
    let both_infinite = b.feq(low, infinity);
    let t = b.vselect(both_infinite, one, t);
    let a = atan_unit(b, t);
    let half_pi = b.fconst(FRAC_PI_2);
    let rest = b.fsub(half_pi, a);
    let a = b.vselect(steep, rest, a);
    let sign = b.vconst(0);
    let left = b.vlt_s(x, sign);
    let pi = b.fconst(PI);
    let mirrored = b.fsub(pi, a);
    let a = b.vselect(left, mirrored, a);
    let signed = copy_sign(b, a, y);
    // A NaN in either operand.
    let sum = b.fadd(x, y);
    let nan = b.funo(x, y);
    b.vselect(nan, sum, signed)
}

/// `asin(t)` for `t` in 0..=1/2.
fn asin_small(b: &mut Builder<'_>, t: Value) -> Value {
    let z = b.fmul(t, t);
    let p = polynomial(
        b,
        z,
        &[
            3.808_502_4e-2,
            2.655_454_2e-2,
            4.500_138e-2,
            7.498_855e-2,
            1.666_667_2e-1,
        ],
    );
    let cube = b.fmul(z, t);
    b.fma(cube, p, t)
}

/// `2·asin(sqrt((1 - m) / 2))`, which is `acos(m)`, for `m` in 1/2..=1, and whether `m` is in that range.
fn acos_large(b: &mut Builder<'_>, m: Value) -> (Value, Value) {
    let (one, half) = (b.fconst(1.0), b.fconst(0.5));
    let rest = b.fsub(one, m);
    let rest = b.fmul(rest, half);
    let root = b.fsqrt(rest);
    let a = asin_small(b, root);
    (b.fadd(a, a), b.flt(half, m))
}

/// Arc sine; NaN outside -1..=1.
pub fn asin(b: &mut Builder<'_>, x: Value) -> Value {
    let m = b.fabs(x);
    let (large_acos, large) = acos_large(b, m);
    let half_pi = b.fconst(FRAC_PI_2);
    let from_large = b.fsub(half_pi, large_acos);
    let small = asin_small(b, m);
    let a = b.vselect(large, from_large, small);
    copy_sign(b, a, x)
}

/// Arc cosine; NaN outside -1..=1.
pub fn acos(b: &mut Builder<'_>, x: Value) -> Value {
    let m = b.fabs(x);
    let (large_acos, large) = acos_large(b, m);
    let (half_pi, pi, zero) = (b.fconst(FRAC_PI_2), b.fconst(PI), b.fconst(0.0));
    let negative = b.flt(x, zero);
    let mirrored = b.fsub(pi, large_acos);
    let from_large = b.vselect(negative, mirrored, large_acos);
    let small = asin_small(b, m);
    let small = copy_sign(b, small, x);
    let from_small = b.fsub(half_pi, small);
    b.vselect(large, from_large, from_small)
}
