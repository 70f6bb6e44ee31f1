//! 64-bit integers: one `S64` where uniform, two `V`s where varying.

use super::Translator;
use super::value::Scalar;
use crate::shader::ir::{Op as IrOp, Type, Value};
use crate::shader::spirv::SpirvError;
use crate::shader::spirv::error::Result;
use ::spirv::Op;

impl Translator<'_, '_> {
    /// Whether both are `S64`; otherwise both are made pairs.
    fn pairs(&mut self, a: Scalar, b: Scalar) -> Option<(Scalar, Scalar)> {
        if !self.is_varying(a) && !self.is_varying(b) {
            return None;
        }
        Some((self.vary(a), self.vary(b)))
    }

    /// A 32-bit integer as a 64-bit one.
    pub(super) fn extend(&mut self, s: Scalar, signed: bool) -> Scalar {
        if !self.is_varying(s) {
            return if signed {
                self.b.lsext(s.lo)
            } else {
                self.b.lzext(s.lo)
            }
            .into();
        }
        let hi = if signed {
            let by = self.v32(31);
            self.b.vsar(s.lo, by)
        } else {
            self.v32(0)
        };
        Scalar::pair(s.lo, hi)
    }

    /// Low word of a 64-bit integer.
    pub(super) fn low(&mut self, s: Scalar) -> Scalar {
        match self.b.func.ty(s.lo) {
            Type::S64 => self.halves(s.lo).0.into(),
            _ => s.lo.into(),
        }
    }

    /// Low and high word of a 64-bit integer.
    pub(super) fn words(&mut self, s: Scalar) -> (Scalar, Scalar) {
        match self.b.func.ty(s.lo) {
            Type::S64 => {
                let (lo, hi) = self.halves(s.lo);
                (lo.into(), hi.into())
            }
            _ => (s.lo.into(), s.hi.into()),
        }
    }

    /// Sum.
    pub(super) fn wide_add(&mut self, a: Scalar, b: Scalar) -> Scalar {
        let Some((a, b)) = self.pairs(a, b) else {
            return self.b.ladd(a.lo, b.lo).into();
        };
        let lo = self.b.vadd(a.lo, b.lo);
        let carry = self.b.vlt_u(lo, a.lo);
        let hi = self.b.vadd(a.hi, b.hi);
        let (one, zero) = (self.v32(1), self.v32(0));
        let carry = self.b.vselect(carry, one, zero);
        Scalar::pair(lo, self.b.vadd(hi, carry))
    }

    /// Sum with a constant.
    pub(super) fn wide_add_imm(&mut self, a: Scalar, imm: u64) -> Scalar {
        if imm == 0 {
            return a;
        }
        if !self.is_varying(a) {
            return self.b.ladd_imm(a.lo, imm as i64).into();
        }
        let (lo, hi) = (self.v32(imm as u32), self.v32((imm >> 32) as u32));
        self.wide_add(a, Scalar::pair(lo, hi))
    }

    fn wide_sub(&mut self, a: Scalar, b: Scalar) -> Scalar {
        let lo = self.b.vsub(a.lo, b.lo);
        let borrow = self.b.vlt_u(a.lo, b.lo);
        let hi = self.b.vsub(a.hi, b.hi);
        let (one, zero) = (self.v32(1), self.v32(0));
        let borrow = self.b.vselect(borrow, one, zero);
        Scalar::pair(lo, self.b.vsub(hi, borrow))
    }

    fn wide_mul(&mut self, a: Scalar, b: Scalar) -> Scalar {
        let lo = self.b.vmul(a.lo, b.lo);
        let high = self.b.vmulhi_u(a.lo, b.lo);
        let cross = self.b.vmul(a.lo, b.hi);
        let other = self.b.vmul(a.hi, b.lo);
        let hi = self.b.vadd(high, cross);
        Scalar::pair(lo, self.b.vadd(hi, other))
    }

    /// Arithmetic and bitwise operations on two 64-bit integers.
    pub(super) fn wide_binary(&mut self, op: Op, a: Scalar, b: Scalar) -> Result<Scalar> {
        if let Some((a, b)) = self.pairs(a, b) {
            let mut both = |ir: IrOp| {
                let lo = self.b.push(ir, &[a.lo, b.lo], 0);
                Scalar::pair(lo, self.b.push(ir, &[a.hi, b.hi], 0))
            };
            return Ok(match op {
                Op::IAdd => self.wide_add(a, b),
                Op::ISub => self.wide_sub(a, b),
                Op::IMul => self.wide_mul(a, b),
                Op::BitwiseAnd => both(IrOp::VAnd),
                Op::BitwiseOr => both(IrOp::VOr),
                Op::BitwiseXor => both(IrOp::VXor),
                Op::UDiv | Op::UMod | Op::SDiv | Op::SRem | Op::SMod => return self.wide_divide(op, a, b),
                _ => return Err(SpirvError::unsupported(format!("64-bit {op:?}"))),
            });
        }
        let ir = match op {
            Op::IAdd => IrOp::LAdd,
            Op::ISub => IrOp::LSub,
            Op::IMul => IrOp::LMul,
            Op::BitwiseAnd => IrOp::LAnd,
            Op::BitwiseOr => IrOp::LOr,
            Op::BitwiseXor => IrOp::LXor,
            Op::UDiv | Op::UMod | Op::SDiv | Op::SRem | Op::SMod => {
                let (a, b) = (self.vary(a), self.vary(b));
                return self.wide_divide(op, a, b);
            }
            _ => return Err(SpirvError::unsupported(format!("64-bit {op:?}"))),
        };
        Ok(self.b.push(ir, &[a.lo, b.lo], 0).into())
    }

    /// Shifts by a 32-bit count of the low 6 bits.
    pub(super) fn wide_shift(&mut self, op: Op, a: Scalar, by: Scalar) -> Scalar {
        if !self.is_varying(a) && !self.is_varying(by) {
            let ir = match op {
                Op::ShiftLeftLogical => IrOp::LShl,
                Op::ShiftRightLogical => IrOp::LShr,
                _ => IrOp::LSar,
            };
            return self.b.push(ir, &[a.lo, by.lo], 0).into();
        }
        let (a, by) = (self.vary(a), self.as_v(by));
        let (bit, one, top) = (self.v32(32), self.v32(1), self.v32(31));
        let far = self.b.vand(by, bit);
        let zero = self.v32(0);
        let far = self.b.vne(far, zero);
        // The count of a shift is taken modulo 32; what crosses over moves by 32 - n, as 1 and 31 - n.
        let rest = self.b.vxor(by, top);
        match op {
            Op::ShiftLeftLogical => {
                let lo = self.b.vshl(a.lo, by);
                let cross = self.b.vshr(a.lo, one);
                let cross = self.b.vshr(cross, rest);
                let hi = self.b.vshl(a.hi, by);
                let near = self.b.vor(hi, cross);
                let hi = self.b.vselect(far, lo, near);
                Scalar::pair(self.b.vselect(far, zero, lo), hi)
            }
            _ => {
                let arithmetic = op == Op::ShiftRightArithmetic;
                let fill = if arithmetic { self.b.vsar(a.hi, top) } else { zero };
                let hi = if arithmetic {
                    self.b.vsar(a.hi, by)
                } else {
                    self.b.vshr(a.hi, by)
                };
                let cross = self.b.vshl(a.hi, one);
                let cross = self.b.vshl(cross, rest);
                let lo = self.b.vshr(a.lo, by);
                let near = self.b.vor(lo, cross);
                let lo = self.b.vselect(far, hi, near);
                Scalar::pair(lo, self.b.vselect(far, fill, hi))
            }
        }
    }

    /// `OpBitFieldInsert`, `OpBitField…Extract`; offset and count are words.
    pub(super) fn wide_bit_field(
        &mut self,
        op: Op,
        base: Scalar,
        offset: Scalar,
        count: Scalar,
        insert: Option<Scalar>,
    ) -> Scalar {
        let (base, offset, count) = (self.vary(base), self.as_v(offset), self.as_v(count));
        let (zero, width) = (self.v32(0), self.v32(64));
        // Shifts count modulo 64: a field of no bits is a case of its own.
        let none = self.b.veq(count, zero);
        let nothing = Scalar::pair(zero, zero);
        let rest = self.b.vsub(width, count);
        let Some(insert) = insert else {
            let up = self.b.vsub(rest, offset);
            let moved = self.wide_shift(Op::ShiftLeftLogical, base, up.into());
            let down = if op == Op::BitFieldSExtract {
                Op::ShiftRightArithmetic
            } else {
                Op::ShiftRightLogical
            };
            let field = self.wide_shift(down, moved, rest.into());
            return self.blend(none, nothing, field);
        };
        let ones = self.v32(u32::MAX);
        let mask = self.wide_shift(Op::ShiftRightLogical, Scalar::pair(ones, ones), rest.into());
        let mask = self.blend(none, nothing, mask);
        let mask = self.wide_shift(Op::ShiftLeftLogical, mask, offset.into());
        let insert = self.vary(insert);
        let moved = self.wide_shift(Op::ShiftLeftLogical, insert, offset.into());
        let mut word = |mask: Value, new: Value, old: Value| {
            let outside = self.b.vxor(mask, ones);
            let (new, old) = (self.b.vand(new, mask), self.b.vand(old, outside));
            self.b.vor(new, old)
        };
        let lo = word(mask.lo, moved.lo, base.lo);
        let hi = word(mask.hi, moved.hi, base.hi);
        Scalar::pair(lo, hi)
    }

    /// Comparison; the table gives greater as less with the operands exchanged.
    pub(super) fn wide_compare(&mut self, op: Op, a: Scalar, b: Scalar) -> Result<Scalar> {
        let (op, a, b) = match op {
            Op::UGreaterThan => (Op::ULessThan, b, a),
            Op::SGreaterThan => (Op::SLessThan, b, a),
            Op::UGreaterThanEqual => (Op::ULessThanEqual, b, a),
            Op::SGreaterThanEqual => (Op::SLessThanEqual, b, a),
            op => (op, a, b),
        };
        let (op, a, b, not) = match op {
            Op::ULessThanEqual => (Op::ULessThan, b, a, true),
            Op::SLessThanEqual => (Op::SLessThan, b, a, true),
            Op::INotEqual => (Op::IEqual, a, b, true),
            op => (op, a, b, false),
        };
        let result: Scalar = match (op, self.pairs(a, b)) {
            (Op::IEqual, None) => self.b.leq(a.lo, b.lo).into(),
            (Op::ULessThan, None) => self.b.llt_u(a.lo, b.lo).into(),
            (Op::SLessThan, None) => self.b.llt_s(a.lo, b.lo).into(),
            (Op::IEqual, Some((a, b))) => {
                let (lo, hi) = (self.b.veq(a.lo, b.lo), self.b.veq(a.hi, b.hi));
                self.b.mand(lo, hi).into()
            }
            (Op::ULessThan | Op::SLessThan, Some((a, b))) => {
                let lo = self.b.vlt_u(a.lo, b.lo);
                let same = self.b.veq(a.hi, b.hi);
                let low = self.b.mand(lo, same);
                let high = match op {
                    Op::ULessThan => self.b.vlt_u(a.hi, b.hi),
                    _ => self.b.vlt_s(a.hi, b.hi),
                };
                self.b.mor(high, low).into()
            }
            _ => return Err(SpirvError::unsupported(format!("64-bit {op:?}"))),
        };
        Ok(if not { self.not(result) } else { result })
    }

    /// `-a`.
    pub(super) fn wide_negate(&mut self, a: Scalar) -> Scalar {
        if !self.is_varying(a) {
            let zero = self.s64(0);
            return self.b.lsub(zero, a.lo).into();
        }
        let zero = self.v32(0);
        self.wide_sub(Scalar::pair(zero, zero), a)
    }

    /// `~a`.
    pub(super) fn wide_not(&mut self, a: Scalar) -> Scalar {
        if !self.is_varying(a) {
            let ones = self.s64(u64::MAX);
            return self.b.lxor(a.lo, ones).into();
        }
        let ones = self.v32(u32::MAX);
        let lo = self.b.vxor(a.lo, ones);
        Scalar::pair(lo, self.b.vxor(a.hi, ones))
    }

    /// Division of pairs by shift and subtract, 64 steps in a loop.
    fn wide_divide(&mut self, op: Op, a: Scalar, b: Scalar) -> Result<Scalar> {
        let signed = matches!(op, Op::SDiv | Op::SRem | Op::SMod);
        let zero = self.v32(0);
        let (a_neg, b_neg) = (self.b.vlt_s(a.hi, zero), self.b.vlt_s(b.hi, zero));
        let (mut n, mut d) = (a, b);
        if signed {
            let (minus_a, minus_b) = (self.wide_negate(a), self.wide_negate(b));
            n = self.blend(a_neg, minus_a, a);
            d = self.blend(b_neg, minus_b, b);
        }
        let (quotient, rest) = self.divide_loop(n, d);
        if !signed {
            return Ok(if op == Op::UDiv { quotient } else { rest });
        }
        if op == Op::SDiv {
            let minus = self.wide_negate(quotient);
            let differ = self.b.mxor(a_neg, b_neg);
            return Ok(self.blend(differ, minus, quotient));
        }
        let minus = self.wide_negate(rest);
        let rem = self.blend(a_neg, minus, rest);
        if op == Op::SRem {
            return Ok(rem);
        }
        let lo_or_hi = self.b.vor(rem.lo, rem.hi);
        let some = self.b.vne(lo_or_hi, zero);
        let differ = self.b.mxor(a_neg, b_neg);
        let adjust = self.b.mand(some, differ);
        let moved = self.wide_add(rem, b);
        Ok(self.blend(adjust, moved, rem))
    }

    /// Unsigned quotient and remainder.
    fn divide_loop(&mut self, n: Scalar, d: Scalar) -> (Scalar, Scalar) {
        let zero = self.b.vconst(0);
        let types = [Type::S32, Type::V, Type::V, Type::V, Type::V];
        let (head, p) = self.b.add_block(&types);
        let (done, _) = self.b.add_block(&[]);
        let count = self.b.sconst(64);
        self.b.jump(head, &[count, n.lo, n.hi, zero, zero]);
        self.switch_to(head);
        // The dividend moves out at the top as the quotient moves in at the bottom.
        let (one, top) = (self.b.vconst(1), self.b.vconst(31));
        let (shifted_lo, shifted_hi) = (self.b.vshl(p[1], one), self.b.vshl(p[2], one));
        let (carry_lo, carry_hi) = (self.b.vshr(p[1], top), self.b.vshr(p[2], top));
        let hi = self.b.vor(shifted_hi, carry_lo);
        let (rest_lo, rest_hi) = (self.b.vshl(p[3], one), self.b.vshl(p[4], one));
        let rest_carry = self.b.vshr(p[3], top);
        let overflow = self.b.vshr(p[4], top);
        let rest = Scalar::pair(self.b.vor(rest_lo, carry_hi), self.b.vor(rest_hi, rest_carry));
        let none = self.b.vconst(0);
        let overflow = self.b.vne(overflow, none);
        let (lo_less, hi_less) = (self.b.vlt_u(rest.lo, d.lo), self.b.vlt_u(rest.hi, d.hi));
        let same = self.b.veq(rest.hi, d.hi);
        let low = self.b.mand(same, lo_less);
        let less = self.b.mor(hi_less, low);
        let less = self.b.mandnot(less, overflow);
        let difference = self.wide_sub(rest, d);
        let rest = self.blend(less, rest, difference);
        let bit = self.b.vselect(less, none, one);
        let lo = self.b.vor(shifted_lo, bit);
        let one_step = self.b.sconst(1);
        let left = self.b.ssub(p[0], one_step);
        let end = self.b.sconst(0);
        let more = self.b.sne(left, end);
        self.b
            .branch(more, (head, &[left, lo, hi, rest.lo, rest.hi]), (done, &[]));
        self.switch_to(done);
        (Scalar::pair(lo, hi), rest)
    }

    /// Whether a varying 64-bit integer is negative, and its magnitude; unsigned ones are their own.
    pub(super) fn wide_magnitude(&mut self, s: Scalar, signed: bool) -> (Value, Scalar) {
        let s = self.vary(s);
        let zero = self.v32(0);
        let negative = self.b.vlt_s(s.hi, zero);
        if !signed {
            return (negative, s);
        }
        let minus = self.wide_negate(s);
        (negative, self.blend(negative, minus, s))
    }

    /// A 64-bit integer as the nearest float.
    pub(super) fn wide_to_float(&mut self, s: Scalar, signed: bool) -> Value {
        let zero = self.v32(0);
        let (negative, magnitude) = self.wide_magnitude(s, signed);
        // The highest 32 bits that count, with a sticky bit for the rest; converting them rounds once.
        let one = self.v32(1);
        let top = self.highest_bit(magnitude.hi);
        let by = self.b.vadd(top, one);
        let word = self.wide_shift(Op::ShiftRightLogical, magnitude, by.into());
        let back = self.wide_shift(Op::ShiftLeftLogical, word, by.into());
        let lost = self.b.vne(back.lo, magnitude.lo);
        let sticky = self.b.vselect(lost, one, zero);
        let word = self.b.vor(word.lo, sticky);
        let float = self.b.utof(word);
        let (bias, mantissa) = (self.v32(127), self.v32(23));
        let scale = self.b.vadd(by, bias);
        let scale = self.b.vshl(scale, mantissa);
        let float = self.b.fmul(float, scale);
        if !signed {
            return float;
        }
        let minus = self.b.fneg(float);
        self.b.vselect(negative, minus, float)
    }

    /// A float as a 64-bit integer, towards zero.
    pub(super) fn wide_from_float(&mut self, value: Value, signed: bool) -> Scalar {
        let magnitude = if signed { self.b.fabs(value) } else { value };
        let (down, up) = (self.vf(1.0 / 4_294_967_296.0), self.vf(-4_294_967_296.0));
        let high = self.b.fmul(magnitude, down);
        let high = self.b.ftrunc(high);
        let low = self.b.fma(high, up, magnitude);
        let result = Scalar::pair(self.b.ftou(low), self.b.ftou(high));
        if !signed {
            return result;
        }
        let minus = self.wide_negate(result);
        let zero = self.vf(0.0);
        let negative = self.b.flt(value, zero);
        self.blend(negative, minus, result)
    }

    /// Whether a value is a varying pair.
    pub(super) fn is_pair(&self, s: Scalar) -> bool {
        s.hi != Value::NONE
    }
}
