//! What doubles need of integers: comparisons, conversions, exponents.

use super::Translator;
use super::value::Scalar;
use crate::shader::ir::Value;
use ::spirv::Op;

/// Bits of the exponent in the high word.
const EXPONENT: u32 = 0x7ff0_0000;

impl Translator<'_, '_> {
    /// Whether a double is a NaN.
    pub(super) fn double_nan(&mut self, a: Scalar) -> Value {
        let (zero, one) = (self.v32(0), self.v32(1));
        let magnitude = self.rabs(a);
        let some = self.b.vne(a.lo, zero);
        let some = self.b.vselect(some, one, zero);
        let sticky = self.b.vor(magnitude.hi, some);
        let infinity = self.v32(EXPONENT);
        self.b.vlt_u(infinity, sticky)
    }

    /// Doubles as integers of the same order; both zeros are one.
    fn double_order(&mut self, a: Scalar) -> Scalar {
        let magnitude = self.rabs(a);
        let minus = self.wide_negate(magnitude);
        let zero = self.v32(0);
        let negative = self.b.vlt_s(a.hi, zero);
        self.blend(negative, minus, magnitude)
    }

    /// An ordered comparison, named by that of integers.
    pub(super) fn double_compare(&mut self, op: Op, a: Scalar, b: Scalar) -> Value {
        let (x, y) = (self.double_order(a), self.double_order(b));
        // Pairs compare to a mask; the operations are all known.
        let holds = self
            .wide_compare(op, x, y)
            .map_or_else(|_| self.mask(false), |s| s.lo);
        let nan = self.runo(a, b);
        self.b.mandnot(holds, nan)
    }

    /// The biased exponent of a double.
    fn double_exponent(&mut self, a: Scalar) -> Value {
        let (by, mask) = (self.v32(20), self.v32(0x7ff));
        let exponent = self.b.vshr(a.hi, by);
        self.b.vand(exponent, mask)
    }

    /// A binary32 as a double, exactly.
    pub(super) fn float_to_double(&mut self, x: Value) -> Scalar {
        let magnitude = self.b.fabs(x);
        let sign = self.v32(1 << 31);
        let sign = self.b.vand(x, sign);
        // Denormal numbers become normal first.
        let (least, up) = (self.v32(1 << 23), self.vf(4_294_967_296.0));
        let small = self.b.vlt_u(magnitude, least);
        let scaled = self.b.fmul(magnitude, up);
        let bits = self.b.vselect(small, scaled, magnitude);
        let (bias, less) = (self.v32(896 << 20), self.v32((896 - 32) << 20));
        let bias = self.b.vselect(small, less, bias);
        let (three, rest) = (self.v32(3), self.v32(29));
        let high = self.b.vshr(bits, three);
        let finite = self.b.vadd(high, bias);
        let (zero, infinity) = (self.v32(0), self.v32(0x7f80_0000));
        let none = self.b.veq(magnitude, zero);
        let finite = self.b.vselect(none, zero, finite);
        // Infinities and NaNs, made quiet.
        let exponent = self.v32(EXPONENT);
        let special = self.b.vor(high, exponent);
        let quiet = self.v32(1 << 19);
        let quiet = self.b.vor(special, quiet);
        let nan = self.b.vlt_u(infinity, magnitude);
        let special = self.b.vselect(nan, quiet, special);
        let huge = self.b.vle_u(infinity, magnitude);
        let high = self.b.vselect(huge, special, finite);
        Scalar::pair(self.b.vshl(bits, rest), self.b.vor(high, sign))
    }

    /// A double as a binary32: to the nearest, ties to even; or, where it is to be rounded once more to a smaller type, to
    /// an odd significand, which does not change what that gives.
    pub(super) fn double_to_float(&mut self, a: Scalar, odd: bool) -> Value {
        let (zero, one) = (self.v32(0), self.v32(1));
        // The highest 32 bits of the significand, and a sticky bit for the others.
        let [eleven, down, rest] = [11, 21, (1 << 21) - 1].map(|n| self.v32(n));
        let high = self.b.vshl(a.hi, eleven);
        let low = self.b.vshr(a.lo, down);
        let word = self.b.vor(high, low);
        let top = self.v32(1 << 31);
        let word = self.b.vor(word, top);
        let lost = self.b.vand(a.lo, rest);
        let word = self.sticky(word, lost);
        // What is below the least normal number moves down.
        let exponent = self.double_exponent(a);
        let bias = self.v32(896);
        let scale = self.b.vsub(exponent, bias);
        let under = self.b.vsub(one, scale);
        let (least, most) = (zero, self.v32(31));
        let by = self.b.vmax_s(under, least);
        let by = self.b.vmin_s(by, most);
        let moved = self.b.vshr(word, by);
        let back = self.b.vshl(moved, by);
        let lost = self.b.vxor(back, word);
        let word = self.sticky(moved, lost);
        let [eight, byte, below] = [8, 0xff, 0x7f].map(|n| self.v32(n));
        let whole = self.b.vshr(word, eight);
        let part = self.b.vand(word, byte);
        let rounded = if odd {
            self.sticky(whole, part)
        } else {
            let even = self.b.vand(whole, one);
            let up = self.b.vadd(part, below);
            let up = self.b.vadd(up, even);
            let up = self.b.vshr(up, eight);
            self.b.vadd(whole, up)
        };
        // The leading bit counts as one in the exponent.
        let step = self.b.vsub(scale, one);
        let step = self.b.vmax_s(step, zero);
        let mantissa = self.v32(23);
        let step = self.b.vshl(step, mantissa);
        let finite = self.b.vadd(rounded, step);
        let infinity = self.v32(0x7f80_0000);
        let limit = self.v32(254);
        let over = self.b.vlt_s(limit, scale);
        let bits = self.b.vselect(over, infinity, finite);
        let nan = self.double_nan(a);
        let [three, payload, quiet, tail] = [3, 0x003f_ffff, 0x7fc0_0000, 29].map(|n| self.v32(n));
        let kept = self.b.vshl(a.hi, three);
        let kept = self.b.vand(kept, payload);
        let tail = self.b.vshr(a.lo, tail);
        let kept = self.b.vor(kept, tail);
        let kept = self.b.vor(kept, quiet);
        let bits = self.b.vselect(nan, kept, bits);
        let sign = self.b.vand(a.hi, top);
        self.b.vor(bits, sign)
    }

    /// Sets the lowest bit where something was lost.
    fn sticky(&mut self, word: Value, lost: Value) -> Value {
        let (zero, one) = (self.v32(0), self.v32(1));
        let some = self.b.vne(lost, zero);
        let bit = self.b.vselect(some, one, zero);
        self.b.vor(word, bit)
    }

    /// A 64-bit integer as the nearest double.
    pub(super) fn wide_to_double(&mut self, s: Scalar, signed: bool) -> Scalar {
        let zero = self.v32(0);
        let (negative, magnitude) = self.wide_magnitude(s, signed);
        let (low, high) = (self.highest_bit(magnitude.lo), self.highest_bit(magnitude.hi));
        let word = self.v32(32);
        let high = self.b.vadd(high, word);
        let upper = self.b.vne(magnitude.hi, zero);
        let top = self.b.vselect(upper, high, low);
        // With the highest bit at the top, eleven bits are too many.
        let most = self.v32(63);
        let by = self.b.vsub(most, top);
        let full = self.wide_shift(Op::ShiftLeftLogical, magnitude, by.into());
        let [eleven, rest, below, one] = [11, 0x7ff, 0x3ff, 1].map(|n| self.v32(n));
        let kept = self.wide_shift(Op::ShiftRightLogical, full, eleven.into());
        let part = self.b.vand(full.lo, rest);
        let even = self.b.vand(kept.lo, one);
        let up = self.b.vadd(part, below);
        let up = self.b.vadd(up, even);
        let up = self.b.vshr(up, eleven);
        let rounded = self.wide_add(kept, Scalar::pair(up, zero));
        let [bias, twenty] = [1022, 20].map(|n| self.v32(n));
        let exponent = self.b.vadd(top, bias);
        let exponent = self.b.vshl(exponent, twenty);
        let high = self.b.vadd(rounded.hi, exponent);
        let any = self.b.vor(magnitude.lo, magnitude.hi);
        let none = self.b.veq(any, zero);
        let result = self.blend(none, Scalar::pair(zero, zero), Scalar::pair(rounded.lo, high));
        if !signed {
            return result;
        }
        let minus = self.rneg(result);
        self.blend(negative, minus, result)
    }

    /// A double as a 64-bit integer, towards zero; what is too great becomes the greatest there is.
    pub(super) fn wide_from_double(&mut self, a: Scalar, signed: bool) -> Scalar {
        let [zero, ones] = [0, u32::MAX].map(|n| self.v32(n));
        let [mantissa, hidden, bias, whole] = [0xf_ffff, 1 << 20, 1023, 52].map(|n| self.v32(n));
        let high = self.b.vand(a.hi, mantissa);
        let significand = Scalar::pair(a.lo, self.b.vor(high, hidden));
        let exponent = self.double_exponent(a);
        let scale = self.b.vsub(exponent, bias);
        let down = self.b.vsub(whole, scale);
        let up = self.b.vsub(scale, whole);
        let less = self.wide_shift(Op::ShiftRightLogical, significand, down.into());
        let more = self.wide_shift(Op::ShiftLeftLogical, significand, up.into());
        let great = self.b.vlt_s(whole, scale);
        let value = self.blend(great, more, less);
        let limit = self.v32(if signed { 62 } else { 63 });
        let over = self.b.vlt_s(limit, scale);
        let top = if signed { self.v32(u32::MAX >> 1) } else { ones };
        let value = self.blend(over, Scalar::pair(ones, top), value);
        let under = self.b.vlt_s(scale, zero);
        let value = self.blend(under, Scalar::pair(zero, zero), value);
        if !signed {
            return value;
        }
        let minus = self.wide_negate(value);
        let negative = self.b.vlt_s(a.hi, zero);
        self.blend(negative, minus, value)
    }

    /// Significand in 0.5..1 and exponent.
    pub(super) fn double_frexp(&mut self, x: Scalar) -> (Scalar, Value) {
        let exponent = self.double_exponent(x);
        let zero = self.v32(0);
        let small = self.b.veq(exponent, zero);
        let up = self.real(x, 18_014_398_509_481_984.0);
        let scaled = self.rmul(x, up);
        let bits = self.blend(small, scaled, x);
        let exponent = self.double_exponent(bits);
        let (bias, more) = (self.v32(1022), self.v32(1022 + 54));
        let bias = self.b.vselect(small, more, bias);
        let exponent = self.b.vsub(exponent, bias);
        let (keep, half) = (self.v32(!EXPONENT), self.v32(1022 << 20));
        let high = self.b.vand(bits.hi, keep);
        let significand = Scalar::pair(bits.lo, self.b.vor(high, half));
        // Zero, infinity and NaN are their own significand.
        let none = self.real(x, 0.0);
        let none = self.req(x, none);
        let greatest = self.v32(EXPONENT);
        let magnitude = self.rabs(x);
        let huge = self.b.vle_u(greatest, magnitude.hi);
        let special = self.b.mor(none, huge);
        let significand = self.blend(special, x, significand);
        (significand, self.b.vselect(special, zero, exponent))
    }

    /// `x * 2^e`, in three steps so that each factor is a normal number.
    pub(super) fn double_ldexp(&mut self, x: Scalar, e: Value) -> Scalar {
        let (low, high) = (self.v32(-3000i32 as u32), self.v32(3000));
        let e = self.b.vmax_s(e, low);
        let mut e = self.b.vmin_s(e, high);
        let mut x = x;
        let (most, least) = (self.v32(1022), self.v32(-1022i32 as u32));
        let (bias, mantissa, zero) = (self.v32(1023), self.v32(20), self.v32(0));
        for _ in 0..3 {
            let step = self.b.vmin_s(e, most);
            let step = self.b.vmax_s(step, least);
            e = self.b.vsub(e, step);
            let factor = self.b.vadd(step, bias);
            let factor = self.b.vshl(factor, mantissa);
            x = self.rmul(x, Scalar::pair(zero, factor));
        }
        x
    }

    /// A double as an integer of up to 32 bits, towards zero.
    pub(super) fn narrow_from_double(&mut self, a: Scalar, signed: bool) -> Scalar {
        let wide = self.wide_from_double(a, signed);
        // What does not fit is undefined; it becomes the nearest that does, as for floats.
        let zero = self.v32(0);
        if !signed {
            let (over, most) = (self.b.vne(wide.hi, zero), self.v32(u32::MAX));
            return self.b.vselect(over, most, wide.lo).into();
        }
        let sign = self.v32(31);
        let fill = self.b.vsar(wide.lo, sign);
        let fits = self.b.veq(fill, wide.hi);
        let least = self.v32(1 << 31);
        self.b.vselect(fits, wide.lo, least).into()
    }
}
