//! Powers and logarithms.

use super::{clamp, polynomial};
use crate::shader::ir::{Builder, Value};

/// `2^n` times `x` for an integral float `n` in -300..=300, in two steps so that denormal results round once.
fn scale(b: &mut Builder<'_>, x: Value, n: Value) -> Value {
    let n = b.ftoi(n);
    let one = b.vconst(1);
    let half = b.vsar(n, one);
    let rest = b.vsub(n, half);
    let power = |b: &mut Builder<'_>, n| {
        let (bias, shift) = (b.vconst(127), b.vconst(23));
        let n = b.vadd(n, bias);
        b.vshl(n, shift)
    };
    let (first, second) = (power(b, half), power(b, rest));
    let x = b.fmul(x, first);
    b.fmul(x, second)
}

/// `2^x`.
pub fn exp2(b: &mut Builder<'_>, x: Value) -> Value {
    let x = clamp(b, x, -152.0, 130.0);
    let n = b.fround(x);
    let f = b.fsub(x, n);
    let one = b.fconst(1.0);
    let p = polynomial(
        b,
        f,
        &[
            1.545_316_3e-4,
            1.339_086_3e-3,
            9.618_083e-3,
            5.550_357e-2,
            2.402_265_1e-1,
            std::f32::consts::LN_2,
        ],
    );
    let p = b.fma(p, f, one);
    scale(b, p, n)
}

/// `e^x`.
pub fn exp(b: &mut Builder<'_>, x: Value) -> Value {
    let x = clamp(b, x, -105.0, 90.0);
    let (log2e, ln2_high, ln2_low) = (
        b.fconst(std::f32::consts::LOG2_E),
        b.fconst(-0.693_359_4),
        b.fconst(2.121_944_4e-4),
    );
    let n = b.fmul(x, log2e);
    let n = b.fround(n);
    let f = b.fma(n, ln2_high, x);
    let f = b.fma(n, ln2_low, f);
    let one = b.fconst(1.0);
    let p = polynomial(
        b,
        f,
        &[1.392_618_2e-3, 8.363_178e-3, 4.166_655_5e-2, 1.666_657_7e-1, 0.5],
    );
    let p = b.fma(p, f, one);
    let p = b.fma(p, f, one);
    scale(b, p, n)
}

/// Exponent (as a float) and `log(m)` of a positive finite operand, `m` in `sqrt(1/2)..sqrt(2)`.
fn split_log(b: &mut Builder<'_>, x: Value) -> (Value, Value) {
    // Denormals are scaled into the normal range first.
    let (least, up) = (b.fconst(f32::MIN_POSITIVE), b.fconst(8_388_608.0));
    let tiny = b.flt(x, least);
    let scaled = b.fmul(x, up);
    let x = b.vselect(tiny, scaled, x);
    let (down, zero) = (b.fconst(-23.0), b.fconst(0.0));
    let bias = b.vselect(tiny, down, zero);
    let (root, shift) = (b.vconst(0x3f35_04f3), b.vconst(23));
    let above = b.vsub(x, root);
    let e = b.vsar(above, shift);
    let back = b.vshl(e, shift);
    let m = b.vsub(x, back);
    let e = b.itof(e);
    let e = b.fadd(e, bias);
    let one = b.fconst(1.0);
    let t = b.fsub(m, one);
    let p = polynomial(
        b,
        t,
        &[
            -7.902_744e-2,
            1.262_232e-1,
            -1.299_818_4e-1,
            1.421_449_5e-1,
            -1.664_128_1e-1,
            2.000_104_5e-1,
            -2.500_030_6e-1,
            3.333_333e-1,
        ],
    );
    let square = b.fmul(t, t);
    let cube = b.fmul(square, t);
    let minus_half = b.fconst(-0.5);
    let tail = b.fmul(cube, p);
    let tail = b.fma(square, minus_half, tail);
    (e, b.fadd(t, tail))
}

/// The value of a logarithm for zero, infinity, negative numbers and NaN.
fn log_special(b: &mut Builder<'_>, x: Value, result: Value) -> Value {
    let (zero, infinity) = (b.fconst(0.0), b.fconst(f32::INFINITY));
    let (nan, minus_infinity) = (b.vconst(0x7fc0_0000), b.fconst(f32::NEG_INFINITY));
    // Not below infinity: infinity itself, or a NaN.
    let finite = b.flt(x, infinity);
    let result = b.vselect(finite, result, x);
    let is_zero = b.feq(x, zero);
    let result = b.vselect(is_zero, minus_infinity, result);
    let negative = b.flt(x, zero);
    b.vselect(negative, nan, result)
}

/// Natural logarithm.
pub fn log(b: &mut Builder<'_>, x: Value) -> Value {
    let (e, m) = split_log(b, x);
    let (ln2_high, ln2_low) = (b.fconst(0.693_359_4), b.fconst(-2.121_944_4e-4));
    let low = b.fma(e, ln2_low, m);
    let result = b.fma(e, ln2_high, low);
    log_special(b, x, result)
}

/// Binary logarithm.
pub fn log2(b: &mut Builder<'_>, x: Value) -> Value {
    let (e, m) = split_log(b, x);
    let log2e = b.fconst(std::f32::consts::LOG2_E);
    let result = b.fma(m, log2e, e);
    log_special(b, x, result)
}

/// `x^y` for non-negative `x`, as `2^(y·log2(x))`.
pub fn pow(b: &mut Builder<'_>, x: Value, y: Value) -> Value {
    let log = log2(b, x);
    let product = b.fmul(y, log);
    exp2(b, product)
}

/// `1 / sqrt(x)`.
pub fn inverse_sqrt(b: &mut Builder<'_>, x: Value) -> Value {
    let one = b.fconst(1.0);
    let root = b.fsqrt(x);
    b.fdiv(one, root)
}
