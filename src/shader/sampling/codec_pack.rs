//! Values to the bits of a texel, one component at a time. Every function gives a field with zeros above it.

use super::codec_unpack::polynomial;
use crate::resource::format::{Component, Kind};
use crate::shader::ir::{Builder, Value};

/// Polynomial for `1.055 s^(5/3) - 0.055`, lowest power first: sRGB encoding of `s = l^(1/4)`.
const ENCODE: [f32; 8] = [
    -0.058_508_214,
    0.124_537_066,
    1.455_497_6,
    -1.136_085_2,
    1.172_091_8,
    -0.858_727_46,
    0.372_066_7,
    -0.070_872_59,
];

/// Clamp to 0 to 1; NaN becomes 0.
fn saturate(b: &mut Builder<'_>, x: Value) -> Value {
    let (zero, one) = (b.fconst(0.0), b.fconst(1.0));
    let x = b.fmax(x, zero);
    b.fmin(x, one)
}

/// `x * max` to nearest even, as an integer of `bits` bits; `x` is at most 1 in magnitude.
fn scale(b: &mut Builder<'_>, x: Value, max: u32, bits: u32) -> Value {
    let factor = b.fconst(max as f32);
    if bits > 22 {
        // From 2^23 up the product is an integer; below, 2^23 does what the number below does.
        let product = b.fmul(x, factor);
        let large = b.ftoi(product);
        let magic = b.fconst(8_388_608.0);
        let small = b.fma(x, factor, magic);
        let small = b.vxor(small, magic);
        let is_small = b.flt(product, magic);
        return b.vselect(is_small, small, large);
    }
    // Adding 1.5 * 2^23 leaves the rounded integer in the low bits of the sum: one rounding in all.
    let magic = b.fconst(12_582_912.0);
    let y = b.fma(x, factor, magic);
    let mask = b.vconst((1 << bits) - 1);
    b.vand(y, mask)
}

/// Linear 0 to 1 to sRGB code of 0 to 1.
pub(super) fn linear_to_srgb(b: &mut Builder<'_>, l: Value) -> Value {
    let root = b.fsqrt(l);
    let root = b.fsqrt(root);
    let curve = polynomial(b, root, &ENCODE);
    let slope = b.fconst(12.92);
    let line = b.fmul(l, slope);
    let knee = b.fconst(0.003_130_8);
    let low = b.fle(l, knee);
    b.vselect(low, line, curve)
}

/// The bits of a component.
pub(super) fn pack_component(b: &mut Builder<'_>, component: &Component, value: Value) -> Value {
    let bits = u32::from(component.bits);
    let max = u32::MAX >> (32 - bits);
    match component.kind {
        Kind::Uint | Kind::Sint | Kind::Sfloat if bits == 32 => value,
        Kind::Uint => {
            let top = b.vconst(i64::from(max));
            b.vmin_u(value, top)
        }
        Kind::Sint => {
            let (top, bottom) = (b.vconst(i64::from(max >> 1)), b.vconst(!i64::from(max >> 1)));
            let x = b.vmin_s(value, top);
            let x = b.vmax_s(x, bottom);
            let mask = b.vconst(i64::from(max));
            b.vand(x, mask)
        }
        Kind::Uscaled | Kind::Sscaled => {
            // To the nearest integer in range.
            let signed = component.kind == Kind::Sscaled;
            let top = if signed { max >> 1 } else { max };
            let bottom = if signed { -(top as f32) - 1.0 } else { 0.0 };
            let (bottom, top) = (b.fconst(bottom), b.fconst(top as f32));
            let x = b.fmax(value, bottom);
            let x = b.fmin(x, top);
            let x = b.fround(x);
            let x = b.ftoi(x);
            let mask = b.vconst(i64::from(max));
            b.vand(x, mask)
        }
        Kind::Unorm => {
            let x = saturate(b, value);
            scale(b, x, max, bits)
        }
        Kind::Snorm => {
            let (zero, least, most) = (b.vconst(0), b.fconst(-1.0), b.fconst(1.0));
            let nan = b.funo(value, value);
            let x = b.fmax(value, least);
            let x = b.fmin(x, most);
            let x = b.vselect(nan, zero, x);
            scale(b, x, max >> 1, bits)
        }
        Kind::Srgb => {
            let x = saturate(b, value);
            let x = linear_to_srgb(b, x);
            scale(b, x, max, bits)
        }
        Kind::Sfloat => b.ftoh(value),
        Kind::Ufloat => pack_small_float(b, value, bits),
    }
}

/// Five bits of exponent and `bits - 5` of mantissa, no sign: nearest even, negative values to 0, finite values
/// beyond the largest to the largest, infinity and NaN kept.
fn pack_small_float(b: &mut Builder<'_>, value: Value, bits: u32) -> Value {
    let mantissa = i64::from(bits) - 5;
    let zero = b.fconst(0.0);
    let nan = b.funo(value, value);
    let x = b.fmax(value, zero);
    // Scaled so, binary32's exponent field is the small float's, and its denormals are denormals here.
    let scale = b.fconst(f32::from_bits((127 - 112) << 23));
    let y = b.fmul(x, scale);
    let drop = b.vconst(23 - mantissa);
    let (odd, half) = (b.vconst(1), b.vconst((1 << (22 - mantissa)) - 1));
    let low = b.vshr(y, drop);
    let low = b.vand(low, odd);
    let y = b.vadd(y, half);
    let y = b.vadd(y, low);
    let code = b.vshr(y, drop);
    let greatest = b.vconst((31 << mantissa) - 1);
    let code = b.vmin_u(code, greatest);
    let (inf_bits, inf, quiet) = (
        b.fconst(f32::INFINITY),
        b.vconst(31 << mantissa),
        b.vconst((31 << mantissa) | (1 << (mantissa - 1))),
    );
    let is_inf = b.veq(x, inf_bits);
    let code = b.vselect(is_inf, inf, code);
    b.vselect(nan, quiet, code)
}

/// Three mantissas of nine bits with a common exponent, as the Vulkan specification computes them.
pub(super) fn pack_shared_exponent(b: &mut Builder<'_>, rgba: [Value; 4]) -> Value {
    let (zero, most) = (b.fconst(0.0), b.fconst(65408.0));
    let rgb = [rgba[0], rgba[1], rgba[2]].map(|c| {
        let c = b.fmax(c, zero);
        b.fmin(c, most)
    });
    let max = b.fmax(rgb[0], rgb[1]);
    let max = b.fmax(max, rgb[2]);
    // floor(log2(max)) + 127, at least -16 + 127: the exponent field (denormals are far below).
    let (place, least) = (b.vconst(23), b.vconst(127 - 16));
    let exponent = b.vshr(max, place);
    let exponent = b.vmax_u(exponent, least);
    // 1 / 2^(exponent - 15 - 9), where exponent = floor(log2) + 16: 2^(8 - floor(log2)).
    let inverse_bias = b.vconst(127 + 8 + 127);
    let inverse = b.vsub(inverse_bias, exponent);
    let inverse = b.vshl(inverse, place);
    let half = b.fconst(0.5);
    let top = b.fma(max, inverse, half);
    let top = b.ftoi(top);
    let full = b.vconst(512);
    let overflow = b.veq(top, full);
    let halved = b.fmul(inverse, half);
    let inverse = b.vselect(overflow, halved, inverse);
    let one = b.vconst(1);
    let up = b.vadd(exponent, one);
    let exponent = b.vselect(overflow, up, exponent);
    let bias = b.vconst(127 - 16);
    let field = b.vsub(exponent, bias);
    let at = b.vconst(27);
    let mut word = b.vshl(field, at);
    for (index, c) in rgb.into_iter().enumerate() {
        let mantissa = b.fma(c, inverse, half);
        let mantissa = b.ftoi(mantissa);
        let at = b.vconst(9 * index as i64);
        let mantissa = if index == 0 {
            mantissa
        } else {
            b.vshl(mantissa, at)
        };
        word = b.vor(word, mantissa);
    }
    word
}
