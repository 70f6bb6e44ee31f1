//! Words of a texel to values, one component at a time.

use crate::resource::format::{Component, Kind};
use crate::shader::ir::{Builder, Value};

/// Polynomial for `s^4.8`, lowest power first: sRGB decoding of `s = sqrt((c + 0.055) / 1.055)`. The constant term is
/// such that the greatest code gives exactly 1, as programs expect.
const DECODE: [f32; 7] = [
    0.000_365_705,
    -0.005_102_893_3,
    0.030_840_07,
    -0.110_301_82,
    0.311_186_4,
    0.808_505_65,
    -0.035_493_113,
];

/// Horner's scheme with fused steps; coefficients lowest power first.
pub(super) fn polynomial(b: &mut Builder<'_>, x: Value, coefficients: &[f32]) -> Value {
    let mut rest = coefficients.iter().rev();
    let mut sum = b.fconst(rest.next().copied().unwrap_or(0.0));
    for &coefficient in rest {
        let c = b.fconst(coefficient);
        sum = b.fma(sum, x, c);
    }
    sum
}

/// The bits of a component, zero- or sign-extended to 32.
fn extract(b: &mut Builder<'_>, component: &Component, words: &[Value]) -> Value {
    let word = words[usize::from(component.shift / 32)];
    let (shift, bits) = (i64::from(component.shift % 32), i64::from(component.bits));
    if bits == 32 {
        return word;
    }
    let top = 32 - shift - bits;
    if matches!(component.kind, Kind::Sint | Kind::Snorm | Kind::Sscaled) {
        let left = b.vconst(top);
        let right = b.vconst(32 - bits);
        let high = if top == 0 { word } else { b.vshl(word, left) };
        return b.vsar(high, right);
    }
    let moved = if shift == 0 {
        word
    } else {
        let amount = b.vconst(shift);
        b.vshr(word, amount)
    };
    if top == 0 {
        return moved;
    }
    let mask = b.vconst((1 << bits) - 1);
    b.vand(moved, mask)
}

/// `value / max`, correctly rounded for integers: the reciprocal is kept in two parts.
fn divide(b: &mut Builder<'_>, value: Value, max: u32) -> Value {
    if max == 1 {
        return value;
    }
    let reciprocal = 1.0 / f64::from(max);
    let high = reciprocal as f32;
    let low = (reciprocal - f64::from(high)) as f32;
    let high = b.fconst(high);
    let low = b.fconst(low);
    let small = b.fmul(value, low);
    b.fma(value, high, small)
}

/// Largest code of a linear normalized component: what its raw value is divided by.
pub(super) fn raw_scale(component: &Component) -> Option<f32> {
    let bits = u32::from(component.bits);
    match component.kind {
        Kind::Unorm => Some((u32::MAX >> (32 - bits)) as f32),
        Kind::Snorm => Some((u32::MAX >> (33 - bits)) as f32),
        _ => None,
    }
}

/// A component as a float or integer; linear normalized ones still as codes, to be filtered and then finished.
pub(super) fn unpack_raw(b: &mut Builder<'_>, component: &Component, words: &[Value]) -> Value {
    match component.kind {
        Kind::Unorm => {
            let code = extract(b, component, words);
            b.itof(code)
        }
        Kind::Snorm => {
            let code = extract(b, component, words);
            let least = b.vconst(-(i64::from(u32::MAX) >> (33 - component.bits)));
            let code = b.vmax_s(code, least);
            b.itof(code)
        }
        _ => unpack_component(b, component, words),
    }
}

/// The value of a component kept as [`unpack_raw`] gives it.
pub(super) fn finish_raw(b: &mut Builder<'_>, component: &Component, value: Value) -> Value {
    let bits = u32::from(component.bits);
    match component.kind {
        Kind::Unorm => divide(b, value, u32::MAX >> (32 - bits)),
        Kind::Snorm => divide(b, value, u32::MAX >> (33 - bits)),
        _ => value,
    }
}

/// sRGB code of 0 to 1 to linear.
pub(super) fn srgb_to_linear(b: &mut Builder<'_>, c: Value) -> Value {
    let (scale, offset) = (b.fconst(1.0 / 1.055), b.fconst(0.055 / 1.055));
    let base = b.fma(c, scale, offset);
    let root = b.fsqrt(base);
    let curve = polynomial(b, root, &DECODE);
    let slope = b.fconst(1.0 / 12.92);
    let line = b.fmul(c, slope);
    let knee = b.fconst(0.040_45);
    let low = b.fle(c, knee);
    b.vselect(low, line, curve)
}

/// A component as a float or integer.
pub(super) fn unpack_component(b: &mut Builder<'_>, component: &Component, words: &[Value]) -> Value {
    let bits = u32::from(component.bits);
    match component.kind {
        Kind::Unorm | Kind::Snorm => {
            let raw = unpack_raw(b, component, words);
            return finish_raw(b, component, raw);
        }
        _ => {}
    }
    let code = extract(b, component, words);
    match component.kind {
        Kind::Srgb => {
            let value = b.itof(code);
            let c = divide(b, value, u32::MAX >> (32 - bits));
            srgb_to_linear(b, c)
        }
        Kind::Uscaled | Kind::Sscaled => b.itof(code),
        Kind::Sfloat if bits < 32 => b.htof(code),
        Kind::Ufloat => {
            // Half with the sign gone and fewer bits of mantissa.
            let amount = b.vconst(15 - i64::from(bits));
            let half = b.vshl(code, amount);
            b.htof(half)
        }
        _ => code,
    }
}

/// Three mantissas of nine bits times `2^(exponent - 24)`.
pub(super) fn unpack_shared_exponent(b: &mut Builder<'_>, word: Value) -> [Value; 3] {
    let (exponent_shift, bias, place) = (b.vconst(27), b.vconst(127 - 24), b.vconst(23));
    let exponent = b.vshr(word, exponent_shift);
    let exponent = b.vadd(exponent, bias);
    let scale = b.vshl(exponent, place);
    [0, 9, 18].map(|shift| {
        let (amount, mask) = (b.vconst(shift), b.vconst(0x1ff));
        let moved = if shift == 0 { word } else { b.vshr(word, amount) };
        let mantissa = b.vand(moved, mask);
        let mantissa = b.itof(mantissa);
        b.fmul(mantissa, scale)
    })
}
