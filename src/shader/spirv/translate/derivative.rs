//! Derivatives: differences within a quad. Lanes of a quad are (0,0), (1,0), (0,1), (1,1).

use super::Translator;
use super::value::Val;
use crate::shader::ir::Value;
use crate::shader::spirv::SpirvError;
use crate::shader::spirv::error::Result;
use crate::shader::spirv::parse::Inst;
use crate::shader::spirv::types::Leaf;
use ::spirv::Op;

/// Lanes 1 1 3 3, 0 0 2 2, 2 3 2 3 and 0 1 0 1.
const RIGHT: i64 = 0xf5;
const LEFT: i64 = 0xa0;
const BELOW: i64 = 0xee;
const ABOVE: i64 = 0x44;

impl Translator<'_, '_> {
    /// `OpDPdx` and its like.
    pub(super) fn derivative(&mut self, inst: &Inst) -> Result<()> {
        let id = inst.word(3)?;
        let Leaf::Float(16 | 32) = self.leaf_of_id(id)? else {
            return Err(SpirvError::WrongType(id));
        };
        let value = self.value(id)?;
        let result: Val = value
            .iter()
            .map(|s| self.difference(inst.op, s.lo).into())
            .collect();
        self.define(inst, result)
    }

    fn difference(&mut self, op: Op, value: Value) -> Value {
        let mut between = |far: i64, near: i64| {
            let (far, near) = (self.b.quad_swizzle(value, far), self.b.quad_swizzle(value, near));
            self.b.fsub(far, near)
        };
        match op {
            Op::DPdx | Op::DPdxFine | Op::DPdxCoarse => between(RIGHT, LEFT),
            Op::DPdy | Op::DPdyFine | Op::DPdyCoarse => between(BELOW, ABOVE),
            _ => {
                let (x, y) = (between(RIGHT, LEFT), between(BELOW, ABOVE));
                let (x, y) = (self.b.fabs(x), self.b.fabs(y));
                self.b.fadd(x, y)
            }
        }
    }
}
