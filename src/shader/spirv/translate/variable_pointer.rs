//! Pointers that are values: chosen, carried by phis, kept in variables, returned.
//!
//! Into a storage buffer: address, range and offset in bytes. Into shared memory: the offset, with [`SHARED`] added so
//! that a null pointer is out of bounds.

use super::Translator;
use super::pointer::{Base, FAR, Index, Pointer, Space};
use super::value::{Scalar, Val};
use crate::shader::ir::Op as IrOp;
use crate::shader::spirv::SpirvError;
use crate::shader::spirv::error::Result;
use crate::shader::spirv::interface::shared_rule;
use crate::shader::spirv::layout;
use crate::shader::spirv::parse::Inst;
use crate::shader::spirv::types::{Leaf, Type, TypeId};
use ::spirv::{Decoration, Op, StorageClass};

/// What values of pointers into shared memory have added.
const SHARED: u32 = 1 << 31;

impl Translator<'_, '_> {
    /// A pointer as a value.
    pub(super) fn pointer_value(&mut self, id: u32, pointer: &Pointer) -> Result<Val> {
        if pointer.comp_stride != 0 {
            return Err(SpirvError::unsupported("the value of a pointer into a row"));
        }
        match pointer.base {
            Base::Memory(Space::Address(address)) => {
                let mut address = self.wide_add_imm(address, u64::from(pointer.disp));
                if let Some(offset) = pointer.offset {
                    let offset = self.extend(offset, false);
                    address = self.wide_add(address, offset);
                }
                Ok(Val::from_slice(&[address]))
            }
            Base::Memory(Space::Buffer(address, range)) if pointer.class == StorageClass::StorageBuffer => {
                let offset = self.whole_offset(pointer);
                Ok(Val::from_slice(&[address, range, offset]))
            }
            Base::Resource(var, element) if pointer.class == StorageClass::StorageBuffer => {
                if !matches!(self.types.get(pointer.ty), Type::Struct(..)) {
                    return Err(SpirvError::WrongType(id));
                }
                let base = Base::Memory(self.buffer(var, element)?);
                self.pointer_value(
                    id,
                    &Pointer {
                        base,
                        ..pointer.clone()
                    },
                )
            }
            Base::Memory(Space::Shared) => {
                let offset = self.whole_offset(pointer);
                let bias = self.s32(SHARED);
                Ok(Val::from_slice(&[self.add_32(offset, bias.into())]))
            }
            _ => Err(SpirvError::WrongType(id)),
        }
    }

    /// The pointer that a value stands for.
    pub(super) fn pointer_of_value(&mut self, id: u32, class: StorageClass, ty: TypeId) -> Result<Pointer> {
        let value = match class {
            StorageClass::PhysicalStorageBuffer | StorageClass::StorageBuffer | StorageClass::Workgroup => {
                self.value(id)?
            }
            _ => return Err(SpirvError::UnknownId(id)),
        };
        let (space, offset) = match (class, &value[..]) {
            (StorageClass::PhysicalStorageBuffer, &[address]) => {
                return Ok(Pointer::new(Base::Memory(Space::Address(address)), class, ty));
            }
            (StorageClass::StorageBuffer, &[address, range, offset]) => {
                // Both are uniform, or neither is.
                let space = match (self.as_uniform(address), self.as_uniform(range)) {
                    (Some(address), Some(range)) => Space::Buffer(address, range),
                    _ => Space::Buffer(self.vary(address), self.vary(range)),
                };
                (space, offset)
            }
            (StorageClass::Workgroup, &[offset]) => {
                let bias = self.s32(SHARED);
                (Space::Shared, self.add_32(offset, bias.into()))
            }
            _ => return Err(SpirvError::WrongType(id)),
        };
        let mut pointer = Pointer::new(Base::Memory(space), class, ty);
        if class == StorageClass::Workgroup {
            // Either all shared variables have a layout of their own, or none.
            let entry = self.entry;
            let mut globals = entry.used.iter().filter_map(|id| entry.globals.get(id));
            if let Some(global) = globals.find(|global| global.class == class) {
                pointer.rule = shared_rule(self.source, self.types, global.ty);
            }
        }
        pointer.offset = Some(self.as_uniform(offset).unwrap_or(offset));
        pointer.loose = true;
        Ok(pointer)
    }

    /// The constant and the other part of an offset together; out of every bounds where the guard says so.
    fn whole_offset(&mut self, pointer: &Pointer) -> Scalar {
        let disp = self.s32(pointer.disp);
        let offset = match pointer.offset {
            None => disp.into(),
            Some(offset) if pointer.disp == 0 => offset,
            Some(offset) => self.add_32(offset, disp.into()),
        };
        match pointer.guard {
            Some(guard) => {
                let far = self.s32(1 << 31);
                self.choose(guard.into(), offset, far.into())
            }
            None => offset,
        }
    }

    /// The first index of `Op…PtrAccessChain`, which is signed whatever its type says.
    pub(super) fn element_index(&mut self, id: u32) -> Result<Index> {
        let leaf = self.leaf_of_id(id)?;
        let Leaf::Int(bits, _) = leaf else {
            return Err(SpirvError::WrongType(id));
        };
        if self.constants.get(id).is_some() {
            let shift = 64 - u32::from(bits);
            let value = (self.constants.scalar(id)? << shift).cast_signed() >> shift;
            let value = value.clamp(i32::MIN.into(), i32::MAX.into()) as i32;
            return Ok(Index::Constant(value.cast_unsigned()));
        }
        let index = self.scalar(id)?;
        if bits != 64 {
            return Ok(Index::Dynamic(self.as_signed(index, leaf, Some(true))));
        }
        let low = self.low(index);
        let back = self.extend(low, true);
        let fits = self.wide_compare(Op::IEqual, index, back)?;
        let far = self.s32(i32::MAX.cast_unsigned());
        Ok(Index::Dynamic(self.choose(fits, low, far.into())))
    }

    /// Moves a pointer into a buffer or shared memory by a signed number of elements.
    pub(super) fn advance_elements(&mut self, pointer: &mut Pointer, index: Index, stride: u32) {
        let most = (FAR / stride.max(1)).cast_signed();
        let bytes = match index {
            Index::Constant(n) => {
                let bytes = n.cast_signed().clamp(-most, most) * stride.cast_signed();
                let disp = i64::from(pointer.disp) + i64::from(bytes);
                if (0..i64::from(FAR)).contains(&disp) {
                    pointer.disp = disp as u32;
                    pointer.loose = true;
                    return;
                }
                self.s32(bytes.cast_unsigned()).into()
            }
            Index::Dynamic(index) => {
                let index = self.as_uniform(index).unwrap_or(index);
                let [least, most, stride] =
                    [(-most).cast_unsigned(), most.cast_unsigned(), stride].map(|n| self.s32(n).into());
                let index = self.two(IrOp::SMaxS, IrOp::VMaxS, index, least);
                let index = self.two(IrOp::SMinS, IrOp::VMinS, index, most);
                self.two(IrOp::SMul, IrOp::VMul, index, stride)
            }
        };
        let offset = self.whole_offset(pointer);
        pointer.offset = Some(self.add_32(offset, bytes));
        (pointer.disp, pointer.guard, pointer.loose) = (0, None, true);
    }

    /// `OpPtrEqual`, `OpPtrNotEqual` and `OpPtrDiff`.
    pub(super) fn compare_pointers(&mut self, inst: &Inst) -> Result<()> {
        let (a, b) = (inst.word(3)?, inst.word(4)?);
        let (class, ty) = self.target_of(self.type_of(a)?, a)?;
        if self.target_of(self.type_of(b)?, b)?.0 != class {
            return Err(SpirvError::WrongType(b));
        }
        let (x, y) = (self.value(a)?, self.value(b)?);
        if inst.op == Op::PtrDiff {
            let pointer = self.pointer_of_value(a, class, ty)?;
            // Untyped pointers are to bytes.
            let stride = match self.types.untyped(self.type_of(a)?) {
                Some(_) => 1,
                None => self.pointer_stride(a, &pointer)?,
            };
            let result = self.pointer_difference(inst, &x, &y, stride)?;
            return self.define(inst, Val::from_slice(&[result]));
        }
        let op = match inst.op {
            Op::PtrEqual => Op::IEqual,
            _ => Op::INotEqual,
        };
        let word = Leaf::Int(32, false);
        let result = match (&x[..], &y[..]) {
            (&[x], &[y]) if class == StorageClass::Workgroup => {
                self.binary(op, word, word, Leaf::Bool, x, y)?
            }
            (&[x], &[y]) => self.wide_compare(op, x, y)?,
            (&[x, _, x_offset], &[y, _, y_offset]) => {
                let (x_offset, y_offset) = (self.extend(x_offset, false), self.extend(y_offset, false));
                let (x, y) = (self.wide_add(x, x_offset), self.wide_add(y, y_offset));
                self.wide_compare(op, x, y)?
            }
            _ => return Err(SpirvError::WrongType(a)),
        };
        self.define(inst, Val::from_slice(&[result]))
    }

    fn pointer_difference(&mut self, inst: &Inst, x: &Val, y: &Val, stride: u32) -> Result<Scalar> {
        let to = self.types.leaf(self.result_type(inst)?);
        let Some(Leaf::Int(bits, signed)) = to else {
            return Err(SpirvError::WrongType(inst.word(2)?));
        };
        let (&[.., x], &[.., y]) = (&x[..], &y[..]) else {
            return Err(SpirvError::WrongType(inst.word(3)?));
        };
        let wide = self.b.func.ty(x.lo) == crate::shader::ir::Type::S64 || self.is_pair(x);
        if wide {
            let difference = self.wide_binary(Op::ISub, x, y)?;
            let stride = self.s64(stride.max(1).into());
            let count = self.wide_binary(Op::SDiv, difference, stride.into())?;
            return Ok(if bits == 64 { count } else { self.low(count) });
        }
        let difference = self.two(IrOp::SSub, IrOp::VSub, x, y);
        let stride = self.s32(stride.max(1));
        let count = self.two(IrOp::SDivS, IrOp::VDivS, difference, stride.into());
        Ok(match bits {
            64 => self.extend(count, true),
            bits => self.normalize(count, Leaf::Int(bits, signed)),
        })
    }

    /// Bytes from what a pointer points at to the next of its kind.
    pub(super) fn pointer_stride(&self, id: u32, pointer: &Pointer) -> Result<u32> {
        let pointer_type = self.source.code.def_inst(id)?.type_id()?;
        match self.source.decoration_word(pointer_type, Decoration::ArrayStride) {
            Some(stride) => Ok(stride),
            None => layout::size(self.types, pointer.ty, pointer.rule, pointer.matrix),
        }
    }
}
