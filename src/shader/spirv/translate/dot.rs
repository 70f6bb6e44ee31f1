//! Dot products of integers.

use super::Translator;
use super::value::{Scalar, Val};
use crate::shader::ir::{Op as IrOp, Value};
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
        let to = self.leaf_of_result(inst)?;
        let mut sum: Scalar = self.s32(0).into();
        for (&a, &b) in a.iter().zip(&b) {
            let product = self.two(IrOp::SMul, IrOp::VMul, a, b);
            sum = self.two(IrOp::SAdd, IrOp::VAdd, sum, product);
        }
        if matches!(inst.op, Op::SDotAccSat | Op::UDotAccSat | Op::SUDotAccSat) {
            let id = inst.word(5)?;
            if self.leaf_of_id(id)? != to {
                return Err(SpirvError::WrongType(id));
            }
            let accumulator = self.scalar(id)?;
            let (sum, accumulator) = (self.as_v(sum), self.as_v(accumulator));
            let result = self.saturating_add(sum, accumulator, a_signed);
            return self.define(inst, Val::from_slice(&[result.into()]));
        }
        let sum = self.normalize(sum, to);
        self.define(inst, Val::from_slice(&[sum]))
    }

    /// Kind of the result, which must be a 32-bit integer (or less, without accumulator).
    fn leaf_of_result(&self, inst: &Inst) -> Result<Leaf> {
        let leaf = self.types.leaf(self.result_type(inst)?);
        let saturates = !matches!(inst.op, Op::SDot | Op::UDot | Op::SUDot);
        match leaf {
            Some(leaf @ Leaf::Int(32, _)) => Ok(leaf),
            Some(leaf @ Leaf::Int(8 | 16, _)) if !saturates => Ok(leaf),
            _ => Err(SpirvError::unsupported("an integer dot product of this type")),
        }
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
            (Leaf::Int(8 | 16 | 32, _), _) => Ok(value
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
}
