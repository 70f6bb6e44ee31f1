//! Dot products of integers.

use super::Translator;
use super::value::{Scalar, Val};
use crate::shader::ir::{Op as IrOp, Type as IrType, Value};
use crate::shader::spirv::SpirvError;
use crate::shader::spirv::error::Result;
use crate::shader::spirv::parse::Inst;
use crate::shader::spirv::types::{Leaf, Type};
use ::spirv::Op;

impl Translator<'_, '_> {
    /// `OpSDot` and its like: operands are vectors of integers, or words of four bytes.
    pub(super) fn integer_dot(&mut self, inst: &Inst) -> Result<()> {
        let (a_signed, b_signed) = match inst.op {
            Op::UDot | Op::UDotAccSat => (false, false),
            Op::SUDot | Op::SUDotAccSat => (true, false),
            _ => (true, true),
        };
        let a = self.dot_operand(inst.word(3)?, a_signed)?;
        let b = self.dot_operand(inst.word(4)?, b_signed)?;
        if a.len() != b.len() {
            return Err(SpirvError::WrongType(inst.word(4)?));
        }
        let Some(to @ Leaf::Int(..)) = self.types.leaf(self.result_type(inst)?) else {
            return Err(SpirvError::unsupported("an integer dot product of this type"));
        };
        let sum = self.sum_of_products(&a, &b, [a_signed, b_signed], to)?;
        if !matches!(inst.op, Op::SDotAccSat | Op::UDotAccSat | Op::SUDotAccSat) {
            let sum = self.normalize(sum, to);
            return self.define(inst, Val::from_slice(&[sum]));
        }
        let id = inst.word(5)?;
        if self.leaf_of_id(id)? != to {
            return Err(SpirvError::WrongType(id));
        }
        let accumulator = self.scalar(id)?;
        let accumulator = self.as_signed(accumulator, to, Some(a_signed));
        let result = match to {
            Leaf::Int(64, _) => self.saturating_add_wide(sum, accumulator, a_signed)?,
            Leaf::Int(32, _) => {
                let (sum, accumulator) = (self.as_v(sum), self.as_v(accumulator));
                self.saturating_add(sum, accumulator, a_signed).into()
            }
            Leaf::Int(bits, _) => {
                let total = self.two(IrOp::SAdd, IrOp::VAdd, sum, accumulator);
                self.clamp_to(total, bits, a_signed)
            }
            _ => return Err(SpirvError::WrongType(id)),
        };
        let result = self.normalize(result, to);
        self.define(inst, Val::from_slice(&[result]))
    }

    fn sum_of_products(&mut self, a: &Val, b: &Val, signed: [bool; 2], to: Leaf) -> Result<Scalar> {
        let wide = to.is_wide();
        let mut sum: Scalar = if wide { self.s64(0) } else { self.s32(0) }.into();
        for (&a, &b) in a.iter().zip(b) {
            if !wide {
                let product = self.two(IrOp::SMul, IrOp::VMul, a, b);
                sum = self.two(IrOp::SAdd, IrOp::VAdd, sum, product);
                continue;
            }
            let (a, b) = (self.widen(a, signed[0]), self.widen(b, signed[1]));
            let product = self.wide_binary(Op::IMul, a, b)?;
            sum = self.wide_add(sum, product);
        }
        Ok(sum)
    }

    fn widen(&mut self, s: Scalar, signed: bool) -> Scalar {
        let is_wide = self.is_pair(s) || self.b.func.ty(s.lo) == IrType::S64;
        if is_wide { s } else { self.extend(s, signed) }
    }

    /// A 32-bit integer brought into the range of a narrower one.
    fn clamp_to(&mut self, s: Scalar, bits: u8, signed: bool) -> Scalar {
        let value = self.as_v(s);
        if !signed {
            let most = self.v32((1 << bits) - 1);
            return self.b.vmin_u(value, most).into();
        }
        let most = (1u32 << (bits - 1)) - 1;
        let (low, high) = (self.v32(!most), self.v32(most));
        let value = self.b.vmax_s(value, low);
        self.b.vmin_s(value, high).into()
    }

    /// The components of an operand, extended by the signedness the operation gives them.
    fn dot_operand(&mut self, id: u32, signed: bool) -> Result<Val> {
        let leaf = self.leaf_of_id(id)?;
        let value = self.value(id)?;
        match (leaf, self.types.get(self.type_of(id)?)) {
            (Leaf::Int(32, _), Type::Scalar(_)) => {
                let word = self.as_v(value[0]);
                Ok((0..4).map(|i| self.byte_of(word, i, signed).into()).collect())
            }
            (Leaf::Int(..), _) => Ok(value
                .iter()
                .map(|&s| self.as_signed(s, leaf, Some(signed)))
                .collect()),
            _ => Err(SpirvError::WrongType(id)),
        }
    }

    fn byte_of(&mut self, word: Value, index: u32, signed: bool) -> Value {
        let (up, down) = (self.v32(24 - 8 * index), self.v32(24));
        let top = self.b.vshl(word, up);
        if signed {
            self.b.vsar(top, down)
        } else {
            self.b.vshr(top, down)
        }
    }

    fn saturating_add(&mut self, a: Value, b: Value, signed: bool) -> Value {
        let sum = self.b.vadd(a, b);
        if !signed {
            let carry = self.b.vlt_u(sum, a);
            let most = self.v32(u32::MAX);
            return self.b.vselect(carry, most, sum);
        }
        // It overflowed where the sum's sign differs from the sign of both operands.
        let (x, y) = (self.b.vxor(sum, a), self.b.vxor(sum, b));
        let both = self.b.vand(x, y);
        let (zero, top, most) = (self.v32(0), self.v32(31), self.v32(0x7fff_ffff));
        let over = self.b.vlt_s(both, zero);
        let sign = self.b.vsar(a, top);
        let limit = self.b.vxor(sign, most);
        self.b.vselect(over, limit, sum)
    }

    /// As [`Self::saturating_add`], of 64-bit integers.
    fn saturating_add_wide(&mut self, a: Scalar, b: Scalar, signed: bool) -> Result<Scalar> {
        let (a, b) = (self.vary(a), self.vary(b));
        let sum = self.wide_add(a, b);
        let ones = self.v32(u32::MAX);
        if !signed {
            let carry = self.wide_compare(Op::ULessThan, sum, a)?;
            return Ok(self.blend(carry.lo, Scalar::pair(ones, ones), sum));
        }
        let (x, y) = (self.b.vxor(sum.hi, a.hi), self.b.vxor(sum.hi, b.hi));
        let both = self.b.vand(x, y);
        let (zero, top, most) = (self.v32(0), self.v32(31), self.v32(0x7fff_ffff));
        let over = self.b.vlt_s(both, zero);
        let sign = self.b.vsar(a.hi, top);
        let limit = Scalar::pair(self.b.vxor(sign, ones), self.b.vxor(sign, most));
        Ok(self.blend(over, limit, sum))
    }
}
