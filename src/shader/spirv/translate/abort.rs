//! `OpAbortKHR`: the message of the lowest lane goes into the context's buffer, and the kernel is left.

use super::Translator;
use super::value::Scalar;
use crate::shader::abi::{ABORT_BYTES, Context, Status};
use crate::shader::ir::{Type as IrType, Value};
use crate::shader::spirv::SpirvError;
use crate::shader::spirv::error::Result;
use crate::shader::spirv::layout::{self, MatrixLayout, Rule};
use crate::shader::spirv::parse::Inst;
use crate::shader::spirv::types::{Leaf, Type, TypeId, Types};
use std::mem::offset_of;

/// Where a scalar component of a message lies in it.
struct Part {
    offset: u32,
    leaf: Leaf,
}

impl Translator<'_, '_> {
    /// Leaves the kernel if any lane is there whose effects count; the others end here.
    pub(super) fn abort(&mut self, inst: &Inst) -> Result<()> {
        let (ty, id) = (self.types.find(inst.word(1)?)?, inst.word(2)?);
        let size = layout::size(self.types, ty, Rule::Explicit, MatrixLayout::default())?;
        if size as usize > ABORT_BYTES {
            return Err(SpirvError::TooLarge("the message of an abort"));
        }
        let mut parts = Vec::new();
        place(self.types, ty, 0, MatrixLayout::default(), &mut parts)?;
        let constant = self.constants.get(id).is_some();
        let value = if constant { None } else { Some(self.value(id)?) };
        if value.as_ref().is_some_and(|value| value.len() != parts.len()) {
            return Err(SpirvError::WrongType(id));
        }
        let lanes = self.effective();
        let some = self.b.many(lanes);
        let (stop, _) = self.b.add_block(&[]);
        let (go_on, _) = self.b.add_block(&[]);
        self.b.branch(some, (stop, &[]), (go_on, &[]));
        let mark = self.mark();
        self.switch_to(stop);
        let ctx = self.start.ctx;
        let message = self.b.lload(ctx, offset_of!(Context, abort) as i64);
        match value {
            Some(value) => {
                let bytes = |part: &Part| layout::scalar_bytes(part.leaf, Rule::Explicit);
                if parts.iter().map(bytes).sum::<u32>() < size {
                    self.write_zeros(message, size);
                }
                for (part, scalar) in parts.iter().zip(&value) {
                    self.write_part(message, part, *scalar, lanes);
                }
            }
            None => self.write_constant(message, id, size, &parts)?,
        }
        let words = [
            (i64::from(self.b.origin), offset_of!(Context, stopped_at)),
            (i64::from(size), offset_of!(Context, abort_size)),
        ];
        for (word, at) in words {
            let word = self.b.sconst(word);
            self.b.sstore(ctx, word, at as i64);
        }
        let bits = self.b.mbits(lanes);
        self.b
            .sstore(ctx, bits, offset_of!(Context, stopped_lanes) as i64);
        let status = self.b.sconst(Status::Abort as i64);
        self.b.ret(status);
        self.forget(mark);
        self.switch_to(go_on);
        Ok(())
    }

    /// Writes the lowest lane's value of one component.
    fn write_part(&mut self, message: Value, part: &Part, scalar: Scalar, lanes: Value) {
        let bytes = layout::scalar_bytes(part.leaf, Rule::Explicit);
        let at = i64::from(part.offset);
        let scalar = self.to_memory(scalar, part.leaf, bytes);
        let word = |t: &mut Self, value: Value| match t.b.func.ty(value) {
            IrType::V => t.b.vread_first(value, lanes),
            _ => value,
        };
        let low = word(self, scalar.lo);
        match bytes {
            1 => self.b.sstore8(message, low, at),
            2 => self.b.sstore16(message, low, at),
            _ => self.b.sstore(message, low, at),
        };
        if bytes == 8 {
            let high = word(self, scalar.hi);
            self.b.sstore(message, high, at + 4);
        }
    }

    /// What lies between the components is zero, whatever message was there before.
    fn write_zeros(&mut self, message: Value, size: u32) {
        let zero = self.b.lconst(0);
        for at in (0..i64::from(size)).step_by(8) {
            self.b.lstore(message, zero, at);
        }
    }

    /// Writes a message that is known now, eight bytes at a time: it may be a long text.
    fn write_constant(&mut self, message: Value, id: u32, size: u32, parts: &[Part]) -> Result<()> {
        let values = self.constants.flatten_long(self.types, id, ABORT_BYTES)?;
        if values.len() != parts.len() {
            return Err(SpirvError::WrongType(id));
        }
        let mut bytes = vec![0; (size as usize).next_multiple_of(8)];
        for (part, value) in parts.iter().zip(values) {
            let (at, len) = (
                part.offset as usize,
                layout::scalar_bytes(part.leaf, Rule::Explicit) as usize,
            );
            bytes[at..at + len].copy_from_slice(&value.to_le_bytes()[..len]);
        }
        for (n, eight) in (0..).zip(bytes.chunks_exact(8)) {
            let eight = eight.try_into().map_or(0, i64::from_le_bytes);
            let eight = self.b.lconst(eight);
            self.b.lstore(message, eight, n * 8);
        }
        Ok(())
    }
}

/// The components of a type, in the order of its values.
fn place(types: &Types, ty: TypeId, base: u32, matrix: MatrixLayout, out: &mut Vec<Part>) -> Result<()> {
    let rule = Rule::Explicit;
    if out.len() > ABORT_BYTES {
        return Err(SpirvError::TooLarge("the message of an abort"));
    }
    match types.get(ty) {
        Type::Scalar(leaf) if *leaf != Leaf::Bool => out.push(Part {
            offset: base,
            leaf: *leaf,
        }),
        Type::Vector(leaf, n) if *leaf != Leaf::Bool => {
            let bytes = layout::scalar_bytes(*leaf, rule);
            out.extend((0..*n).map(|i| Part {
                offset: base + i * bytes,
                leaf: *leaf,
            }));
        }
        Type::Matrix(column, n) => {
            let Type::Vector(leaf, rows) = *types.get(*column) else {
                return Err(SpirvError::unsupported("a matrix without columns"));
            };
            let bytes = layout::scalar_bytes(leaf, rule);
            let stride = match matrix.stride {
                0 => bytes * if matrix.row_major { *n } else { rows },
                stride => stride,
            };
            for (c, r) in (0..*n).flat_map(|c| (0..rows).map(move |r| (c, r))) {
                let (outer, inner) = if matrix.row_major { (r, c) } else { (c, r) };
                let offset = base + outer * stride + inner * bytes;
                out.push(Part { offset, leaf });
            }
        }
        Type::Array(elem, n, _) => {
            let stride = layout::stride(types, ty, rule, matrix)?;
            for i in 0..*n {
                place(types, *elem, base + i * stride, matrix, out)?;
            }
        }
        Type::Struct(_, members) => {
            for (i, member) in members.iter().enumerate() {
                let offset = layout::member_offset(types, members, i, rule)?;
                place(types, member.ty, base + offset, MatrixLayout::from(member), out)?;
            }
        }
        _ => return Err(SpirvError::unsupported("such a type as the message of an abort")),
    }
    Ok(())
}
