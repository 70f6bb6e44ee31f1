//! Hyperbolic functions and their inverses.

use super::{copy_sign, exp, log, polynomial};
use crate::shader::ir::{Builder, Value};
use std::f32::consts::LN_2;

/// `e^m / 2` and `e^-m / 2` without overflow before the true result overflows.
fn half_exponentials(b: &mut Builder<'_>, m: Value) -> (Value, Value) {
    let ln2 = b.fconst(LN_2);
    let grown = b.fsub(m, ln2);
    let minus = b.fneg(m);
    let shrunk = b.fsub(minus, ln2);
    (exp(b, grown), exp(b, shrunk))
}

/// Hyperbolic sine.
pub fn sinh(b: &mut Builder<'_>, x: Value) -> Value {
    let m = b.fabs(x);
    let (grown, shrunk) = half_exponentials(b, m);
    let large = b.fsub(grown, shrunk);
    let z = b.fmul(m, m);
    let p = polynomial(
        b,
        z,
        &[2.755_731_9e-6, 1.984_127e-4, 8.333_333e-3, 1.666_666_7e-1],
    );
    let cube = b.fmul(z, m);
    let small = b.fma(cube, p, m);
    let one = b.fconst(1.0);
    let is_small = b.flt(m, one);
    let magnitude = b.vselect(is_small, small, large);
    copy_sign(b, magnitude, x)
}

/// Hyperbolic cosine.
pub fn cosh(b: &mut Builder<'_>, x: Value) -> Value {
    let m = b.fabs(x);
    let (grown, shrunk) = half_exponentials(b, m);
    b.fadd(grown, shrunk)
}

/// Hyperbolic tangent.
pub fn tanh(b: &mut Builder<'_>, x: Value) -> Value {
    let m = b.fabs(x);
    let doubled = b.fadd(m, m);
    let grown = exp(b, doubled);
    let (one, two) = (b.fconst(1.0), b.fconst(2.0));
    let divisor = b.fadd(grown, one);
    let part = b.fdiv(two, divisor);
    let large = b.fsub(one, part);
    let z = b.fmul(m, m);
    let p = polynomial(
        b,
        z,
        &[
            -6.096_714e-3,
            2.099_717_9e-2,
            -5.385_091e-2,
            1.333_277e-1,
            -3.333_333e-1,
        ],
    );
    let cube = b.fmul(z, m);
    let small = b.fma(cube, p, m);
    let limit = b.fconst(0.625);
    let is_small = b.flt(m, limit);
    let magnitude = b.vselect(is_small, small, large);
    copy_sign(b, magnitude, x)
}

/// Inverse hyperbolic sine.
pub fn asinh(b: &mut Builder<'_>, x: Value) -> Value {
    let m = b.fabs(x);
    let one = b.fconst(1.0);
    let square = b.fma(m, m, one);
    let root = b.fsqrt(square);
    let sum = b.fadd(m, root);
    let middle = log(b, sum);
    let huge = log_of_double(b, m);
    let far = b.fconst(1e18);
    let is_far = b.flt(far, m);
    let magnitude = b.vselect(is_far, huge, middle);
    // asinh(m) = m - m^3/6 + 3m^5/40 …
    let z = b.fmul(m, m);
    let p = polynomial(b, z, &[3.038_194_4e-2, -4.464_285_6e-2, 7.5e-2, -1.666_666_7e-1]);
    let cube = b.fmul(z, m);
    let small = b.fma(cube, p, m);
    let limit = b.fconst(0.25);
    let is_small = b.flt(m, limit);
    let magnitude = b.vselect(is_small, small, magnitude);
    copy_sign(b, magnitude, x)
}

/// `log(2m)` without overflow.
fn log_of_double(b: &mut Builder<'_>, m: Value) -> Value {
    let ln2 = b.fconst(LN_2);
    let log = log(b, m);
    b.fadd(log, ln2)
}

/// Inverse hyperbolic cosine; NaN below 1.
pub fn acosh(b: &mut Builder<'_>, x: Value) -> Value {
    // (x - 1)(x + 1) keeps its digits near 1.
    let one = b.fconst(1.0);
    let (below, above) = (b.fsub(x, one), b.fadd(x, one));
    let square = b.fmul(below, above);
    let root = b.fsqrt(square);
    let sum = b.fadd(x, root);
    let middle = log(b, sum);
    let huge = log_of_double(b, x);
    let far = b.fconst(1e18);
    let is_far = b.flt(far, x);
    b.vselect(is_far, huge, middle)
}

/// Inverse hyperbolic tangent; NaN outside -1..=1.
pub fn atanh(b: &mut Builder<'_>, x: Value) -> Value {
    let m = b.fabs(x);
    let (one, half) = (b.fconst(1.0), b.fconst(0.5));
    let (above, below) = (b.fadd(one, m), b.fsub(one, m));
    let quotient = b.fdiv(above, below);
    let log = log(b, quotient);
    let large = b.fmul(log, half);
    let z = b.fmul(m, m);
    let p = polynomial(b, z, &[1.111_111_1e-1, 1.428_571_4e-1, 0.2, 3.333_333_3e-1]);
    let cube = b.fmul(z, m);
    let small = b.fma(cube, p, m);
    let limit = b.fconst(0.25);
    let is_small = b.flt(m, limit);
    let magnitude = b.vselect(is_small, small, large);
    copy_sign(b, magnitude, x)
}
