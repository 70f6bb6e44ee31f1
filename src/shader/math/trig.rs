//! Sine, cosine, tangent. Accurate for |x| up to some 10^5; beyond, results stay in -1..=1.

use super::{clamp, polynomial};
use crate::shader::ir::{Builder, Value};
use std::f32::consts::{FRAC_2_PI, FRAC_PI_4};

/// The quadrant of `x` and the sine and cosine of what is left of it.
fn reduce(b: &mut Builder<'_>, x: Value) -> (Value, Value, Value) {
    let two_over_pi = b.fconst(FRAC_2_PI);
    let n = b.fmul(x, two_over_pi);
    let n = b.fround(n);
    // Cody and Waite: pi/2 in three parts.
    let mut r = x;
    for part in [-1.570_796_4, 4.371_139e-8, 1.715_123_2e-15] {
        let part = b.fconst(part);
        r = b.fma(n, part, r);
    }
    let r = clamp(b, r, -FRAC_PI_4 - 0.01, FRAC_PI_4 + 0.01);
    let z = b.fmul(r, r);
    let p = polynomial(b, z, &[-1.958_789e-4, 8.332_748e-3, -1.666_666_4e-1]);
    let cube = b.fmul(z, r);
    let sine = b.fma(cube, p, r);
    let p = polynomial(
        b,
        z,
        &[2.454_794_2e-5, -1.388_830_3e-3, 4.166_666_4e-2, -0.5, 1.0],
    );
    (b.ftoi(n), sine, p)
}

/// The value in quadrant `n`: sine or cosine by its lowest bit, negated by its second.
fn quadrant(b: &mut Builder<'_>, n: Value, even: Value, odd: Value) -> Value {
    let (one, thirty) = (b.vconst(1), b.vconst(30));
    let low = b.vand(n, one);
    let is_odd = b.veq(low, one);
    let value = b.vselect(is_odd, odd, even);
    let two = b.vconst(2);
    let sign = b.vand(n, two);
    let sign = b.vshl(sign, thirty);
    b.vxor(value, sign)
}

/// Sine.
pub fn sin(b: &mut Builder<'_>, x: Value) -> Value {
    let (n, sine, cosine) = reduce(b, x);
    quadrant(b, n, sine, cosine)
}

/// Cosine.
pub fn cos(b: &mut Builder<'_>, x: Value) -> Value {
    let (n, sine, cosine) = reduce(b, x);
    let one = b.vconst(1);
    let n = b.vadd(n, one);
    quadrant(b, n, sine, cosine)
}

/// Tangent, as sine over cosine.
pub fn tan(b: &mut Builder<'_>, x: Value) -> Value {
    let (n, s, c) = reduce(b, x);
    let one = b.vconst(1);
    let next = b.vadd(n, one);
    let (sine, cosine) = (quadrant(b, n, s, c), quadrant(b, next, s, c));
    b.fdiv(sine, cosine)
}
