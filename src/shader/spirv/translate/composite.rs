//! Composites: taking apart and putting together.

use super::Translator;
use super::value::{Scalar, Val};
use crate::shader::ir::Type as IrType;
use crate::shader::spirv::SpirvError;
use crate::shader::spirv::error::Result;
use crate::shader::spirv::parse::Inst;
use crate::shader::spirv::types::{Leaf, Type, TypeId};
use ::spirv::Op;

impl Translator<'_, '_> {
    /// Emits one of the composite instructions.
    pub(super) fn composite_inst(&mut self, inst: &Inst) -> Result<()> {
        let value = match inst.op {
            Op::CompositeConstruct => {
                let mut value = Val::new();
                for &id in inst.rest(3) {
                    value.extend(self.value(id)?);
                }
                value
            }
            Op::CompositeExtract => {
                let id = inst.word(3)?;
                let whole = self.value(id)?;
                let (first, count) = self.path(id, inst.rest(4))?;
                whole
                    .get(first..first + count)
                    .ok_or(SpirvError::WrongType(id))?
                    .into()
            }
            Op::CompositeInsert => {
                let (object, id) = (self.value(inst.word(3)?)?, inst.word(4)?);
                let mut whole = self.value(id)?;
                let (first, count) = self.path(id, inst.rest(5))?;
                match whole.get_mut(first..first + count) {
                    Some(part) if part.len() == object.len() => part.copy_from_slice(&object),
                    _ => return Err(SpirvError::WrongType(id)),
                }
                whole
            }
            Op::VectorShuffle => self.vector_shuffle(inst)?,
            Op::VectorExtractDynamic => self.extract_dynamic(inst)?,
            Op::VectorInsertDynamic => self.insert_dynamic(inst)?,
            Op::CopyLogical => self.value(inst.word(3)?)?,
            _ => self.select(inst)?,
        };
        self.define(inst, value)
    }

    /// First component and number of components of what a path of literals leads to.
    fn path(&self, id: u32, path: &[u32]) -> Result<(usize, usize)> {
        let mut ty: TypeId = self.type_of(id)?;
        let mut first = 0;
        for (i, &index) in path.iter().enumerate() {
            if let Type::Vector(_, n) = *self.types.get(ty) {
                return match path.len() - i {
                    1 if index < n => Ok((first + index as usize, 1)),
                    _ => Err(SpirvError::WrongType(id)),
                };
            }
            let (elem, offset) = self.types.element(ty, index).ok_or(SpirvError::WrongType(id))?;
            first += offset as usize;
            ty = elem;
        }
        Ok((first, self.types.comps(ty) as usize))
    }

    fn vector_shuffle(&mut self, inst: &Inst) -> Result<Val> {
        let (a, b) = (inst.word(3)?, inst.word(4)?);
        let (leaf, other) = (self.leaf_of_id(a)?, self.leaf_of_id(b)?);
        if leaf != other {
            return Err(SpirvError::WrongType(b));
        }
        let mut from = self.value(a)?;
        from.extend(self.value(b)?);
        let mut out = Val::new();
        for &index in inst.rest(5) {
            out.push(match from.get(index as usize) {
                Some(&s) => s,
                None if index == u32::MAX => self.zero(leaf, false),
                None => return Err(SpirvError::WrongType(a)),
            });
        }
        Ok(out)
    }

    /// A 32-bit index operand.
    fn index_operand(&mut self, id: u32) -> Result<Scalar> {
        match self.leaf_of_id(id)? {
            Leaf::Int(64, _) => {
                let wide = self.scalar(id)?;
                Ok(self.low(wide))
            }
            Leaf::Int(..) => self.scalar(id),
            _ => Err(SpirvError::WrongType(id)),
        }
    }

    /// Where an index equals a number.
    fn is_index(&mut self, index: Scalar, n: u32) -> Scalar {
        if self.is_varying(index) {
            let n = self.v32(n);
            return self.b.veq(index.lo, n).into();
        }
        let n = self.s32(n);
        self.b.seq(index.lo, n).into()
    }

    fn extract_dynamic(&mut self, inst: &Inst) -> Result<Val> {
        let value = self.value(inst.word(3)?)?;
        let index = self.index_operand(inst.word(4)?)?;
        let mut rest = (0u32..).zip(value.iter().copied());
        let (_, mut result) = rest.next().ok_or(SpirvError::WrongType(inst.word(3)?))?;
        for (n, s) in rest {
            let hit = self.is_index(index, n);
            result = self.choose(hit, s, result);
        }
        Ok(Val::from_slice(&[result]))
    }

    fn insert_dynamic(&mut self, inst: &Inst) -> Result<Val> {
        let value = self.value(inst.word(3)?)?;
        let object = self.scalar(inst.word(4)?)?;
        if self.leaf_of_id(inst.word(3)?)? != self.leaf_of_id(inst.word(4)?)? {
            return Err(SpirvError::WrongType(inst.word(4)?));
        }
        let index = self.index_operand(inst.word(5)?)?;
        let pairs: Vec<(u32, Scalar)> = (0u32..).zip(value).collect();
        Ok(pairs
            .into_iter()
            .map(|(n, s)| {
                let hit = self.is_index(index, n);
                self.choose(hit, object, s)
            })
            .collect())
    }

    /// `a` where the condition holds, else `b`; both of the same kind.
    pub(super) fn choose(&mut self, cond: Scalar, a: Scalar, b: Scalar) -> Scalar {
        if a == b {
            return a;
        }
        if self.is_varying(cond) {
            return self.blend(cond.lo, a, b);
        }
        match (self.b.func.ty(a.lo), self.b.func.ty(b.lo)) {
            (IrType::S32, IrType::S32) => self.b.sselect(cond.lo, a.lo, b.lo).into(),
            (IrType::S64, IrType::S64) => self.b.lselect(cond.lo, a.lo, b.lo).into(),
            (IrType::B, IrType::B) => {
                let on = self.b.band(cond.lo, a.lo);
                let not = self.b.bnot(cond.lo);
                let off = self.b.band(not, b.lo);
                self.b.bor(on, off).into()
            }
            _ => {
                let mask = self.as_m(cond);
                self.blend(mask, a, b)
            }
        }
    }

    fn select(&mut self, inst: &Inst) -> Result<Val> {
        let (cond_id, a_id, b_id) = (inst.word(3)?, inst.word(4)?, inst.word(5)?);
        if self.leaf_of_id(cond_id)? != Leaf::Bool {
            return Err(SpirvError::WrongType(cond_id));
        }
        let ty = self.result_type(inst)?;
        for id in [a_id, b_id] {
            if self.type_of(id)? != ty {
                return Err(SpirvError::WrongType(id));
            }
        }
        let cond = self.value(cond_id)?;
        let (a, b) = (self.value(a_id)?, self.value(b_id)?);
        if cond.len() != 1 && cond.len() != a.len() || a.len() != b.len() {
            return Err(SpirvError::WrongType(cond_id));
        }
        Ok((0..a.len())
            .map(|i| {
                let cond = cond[if cond.len() == 1 { 0 } else { i }];
                self.choose(cond, a[i], b[i])
            })
            .collect())
    }
}
