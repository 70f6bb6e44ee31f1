//! Atomics on buffers, shared memory, addresses and texels.

use super::Translator;
use super::buffer::{Access, Place};
use super::inst::is_memory;
use super::pointer::{Base, Pointer};
use super::value::{Scalar, Val};
use crate::shader::abi::Context;
use crate::shader::ir::{AtomicOp, Value};
use crate::shader::sampling::Atomic;
use crate::shader::spirv::SpirvError;
use crate::shader::spirv::error::Result;
use crate::shader::spirv::parse::Inst;
use crate::shader::spirv::types::Leaf;
use ::spirv::Op;
use std::mem::offset_of;

const ATOMICS: &[(Op, AtomicOp)] = &[
    (Op::AtomicLoad, AtomicOp::Load),
    (Op::AtomicExchange, AtomicOp::Exchange),
    (Op::AtomicIIncrement, AtomicOp::Add),
    (Op::AtomicIDecrement, AtomicOp::Add),
    (Op::AtomicIAdd, AtomicOp::Add),
    (Op::AtomicISub, AtomicOp::Add),
    (Op::AtomicSMin, AtomicOp::MinS),
    (Op::AtomicUMin, AtomicOp::MinU),
    (Op::AtomicSMax, AtomicOp::MaxS),
    (Op::AtomicUMax, AtomicOp::MaxU),
    (Op::AtomicAnd, AtomicOp::And),
    (Op::AtomicOr, AtomicOp::Or),
    (Op::AtomicXor, AtomicOp::Xor),
    (Op::AtomicFAddEXT, AtomicOp::FAdd),
];

impl Translator<'_, '_> {
    /// An atomic with a result.
    pub(super) fn atomic(&mut self, inst: &Inst) -> Result<()> {
        let pointer = self.pointer_to(inst.word(3)?, self.result_type(inst)?)?;
        if matches!(self.types.leaf(pointer.ty), Some(Leaf::Int(64, _))) {
            let old = self.wide_atomic(inst, &pointer)?;
            return self.define(inst, Val::from_slice(&[old]));
        }
        let what = match inst.op {
            Op::AtomicCompareExchange | Op::AtomicCompareExchangeWeak => Atomic::CompareExchange {
                value: self.operand_32(inst.word(7)?, &pointer)?,
                expected: self.operand_32(inst.word(8)?, &pointer)?,
            },
            op => {
                let row = ATOMICS.iter().find(|row| row.0 == op);
                let ir = row.ok_or_else(|| SpirvError::unsupported(format!("{op:?}")))?.1;
                let value = match op {
                    Op::AtomicLoad => self.v32(0),
                    Op::AtomicIIncrement => self.v32(1),
                    Op::AtomicIDecrement => self.v32(u32::MAX),
                    Op::AtomicISub => {
                        let value = self.operand_32(inst.word(6)?, &pointer)?;
                        let zero = self.v32(0);
                        self.b.vsub(zero, value)
                    }
                    _ => self.operand_32(inst.word(6)?, &pointer)?,
                };
                Atomic::Op(ir, value)
            }
        };
        let old = self.atomic_at(&pointer, what)?;
        self.define(inst, Val::from_slice(&[Scalar::from(old)]))
    }

    /// `OpAtomicStore`: an exchange whose result nobody wants.
    pub(super) fn atomic_store(&mut self, inst: &Inst) -> Result<()> {
        let pointer = self.pointer_to(inst.word(1)?, self.type_of(inst.word(4)?)?)?;
        if matches!(self.types.leaf(pointer.ty), Some(Leaf::Int(64, _))) {
            let value = self.operand_64(inst.word(4)?)?;
            self.wide_atomic_at(&pointer, AtomicOp::Exchange, value, None)?;
            return Ok(());
        }
        let value = self.operand_32(inst.word(4)?, &pointer)?;
        self.atomic_at(&pointer, Atomic::Op(AtomicOp::Exchange, value))?;
        Ok(())
    }

    fn operand_32(&mut self, id: u32, pointer: &Pointer) -> Result<Value> {
        match (self.leaf_of_id(id)?, self.types.leaf(pointer.ty)) {
            (Leaf::Int(32, _), Some(Leaf::Int(32, _))) | (Leaf::Float(32), Some(Leaf::Float(32))) => {
                let s = self.scalar(id)?;
                Ok(self.as_v(s))
            }
            _ => Err(SpirvError::unsupported("an atomic of this type")),
        }
    }

    fn atomic_at(&mut self, pointer: &Pointer, what: Atomic) -> Result<Value> {
        if !matches!(
            self.types.leaf(pointer.ty),
            Some(Leaf::Int(32, _) | Leaf::Float(32))
        ) {
            return Err(SpirvError::unsupported("an atomic of this type"));
        }
        let space = match &pointer.base {
            Base::Texel(texel) => {
                let texel = texel.clone();
                return self.texel_atomic(&texel, what);
            }
            Base::Memory(space) if is_memory(pointer.class) => *space,
            _ => return Err(SpirvError::unsupported("an atomic on this storage class")),
        };
        let access = Access {
            disp: pointer.disp,
            span: 4,
            word: false,
            write: true,
            parts: (4, 1, 0),
            atomic: true,
        };
        let place = self.locate(space, pointer, access)?;
        let (base, offset, mask) = match place {
            Place::Addresses(a, mask, disp) => {
                let a = self.wide_add_imm(a, disp.cast_unsigned());
                return Ok(match what {
                    Atomic::Op(op, value) => self.b.atomic_p(a.lo, a.hi, value, mask, op as i64),
                    Atomic::CompareExchange { value, expected } => {
                        self.b.atomic_cas_p(a.lo, a.hi, value, expected, mask)
                    }
                });
            }
            Place::Uniform(address, mask) => {
                let mask = mask.unwrap_or_else(|| self.effective());
                (address, self.v32(0), mask)
            }
            Place::Offsets(base, offset, mask) => (base, offset, mask),
            Place::Row(address, mask) => {
                let (lane, two) = (self.b.viota(), self.v32(2));
                (address, self.b.vshl(lane, two), mask)
            }
        };
        Ok(match what {
            Atomic::Op(op, value) => self.b.atomic(base, offset, value, mask, op as i64),
            Atomic::CompareExchange { value, expected } => {
                self.b.atomic_cas(base, offset, value, expected, mask)
            }
        })
    }

    /// The pair of words of a 64-bit operand.
    fn operand_64(&mut self, id: u32) -> Result<Scalar> {
        match self.leaf_of_id(id)? {
            Leaf::Int(64, _) => {
                let s = self.scalar(id)?;
                Ok(self.vary(s))
            }
            _ => Err(SpirvError::unsupported("an atomic of this type")),
        }
    }

    /// An atomic with a result, on 64 bits.
    fn wide_atomic(&mut self, inst: &Inst, pointer: &Pointer) -> Result<Scalar> {
        let leaf = Leaf::Int(64, false);
        if let Op::AtomicCompareExchange | Op::AtomicCompareExchangeWeak = inst.op {
            let value = self.operand_64(inst.word(7)?)?;
            let expected = self.operand_64(inst.word(8)?)?;
            return self.wide_atomic_at(pointer, AtomicOp::Exchange, value, Some(expected));
        }
        let row = ATOMICS.iter().find(|row| row.0 == inst.op);
        let op = row
            .ok_or_else(|| SpirvError::unsupported(format!("{:?}", inst.op)))?
            .1;
        let value = match inst.op {
            Op::AtomicLoad => self.zero(leaf, true),
            Op::AtomicIIncrement | Op::AtomicIDecrement => {
                let by = if inst.op == Op::AtomicIIncrement {
                    1
                } else {
                    u64::MAX
                };
                let by = self.literal(leaf, by);
                self.vary(by)
            }
            Op::AtomicISub => {
                let value = self.operand_64(inst.word(6)?)?;
                self.wide_negate(value)
            }
            _ => self.operand_64(inst.word(6)?)?,
        };
        self.wide_atomic_at(pointer, op, value, None)
    }

    fn wide_atomic_at(
        &mut self,
        pointer: &Pointer,
        op: AtomicOp,
        value: Scalar,
        expected: Option<Scalar>,
    ) -> Result<Scalar> {
        let space = match &pointer.base {
            Base::Memory(space) if is_memory(pointer.class) => *space,
            _ => return Err(SpirvError::unsupported("a 64-bit atomic on this storage class")),
        };
        let access = Access {
            disp: pointer.disp,
            span: 8,
            word: false,
            write: true,
            parts: (8, 1, 0),
            atomic: true,
        };
        let (address, mask) = match self.locate(space, pointer, access)? {
            Place::Addresses(a, mask, disp) => (self.wide_add_imm(a, disp.cast_unsigned()), mask),
            Place::Uniform(address, mask) => {
                let mask = mask.unwrap_or_else(|| self.effective());
                (address.into(), mask)
            }
            Place::Offsets(base, offset, mask) => {
                let offset = self.extend(offset.into(), true);
                (self.wide_add(base.into(), offset), mask)
            }
            Place::Row(..) => return Err(SpirvError::unsupported("a row of 64-bit atomics")),
        };
        let address = self.vary(address);
        // The old values come by way of memory.
        let bytes = 8 * self.b.width();
        let start = match self.wide_atomic_frame {
            Some(start) => start,
            None => {
                let start = self.b.func.frame_bytes.next_multiple_of(64);
                self.b.func.frame_bytes = start.saturating_add(bytes);
                self.check_size()?;
                self.wide_atomic_frame = Some(start);
                start
            }
        };
        let frame = self.context_address(offset_of!(Context, frame));
        let old = self.b.ladd_imm(frame, start.into());
        match expected {
            None => {
                let (a, v) = (address, value);
                self.b.atomic64_p(a.lo, a.hi, v.lo, v.hi, mask, old, op as i64)
            }
            Some(e) => {
                let (a, v) = (address, value);
                self.b
                    .atomic_cas64_p(a.lo, a.hi, v.lo, v.hi, e.lo, e.hi, mask, old)
            }
        };
        let lo = self.b.vload(old, 0);
        Ok(Scalar::pair(lo, self.b.vload(old, (bytes / 2).into())))
    }
}
