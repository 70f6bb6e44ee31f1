//! `OpAbortKHR`: messages go into the context's buffer, and the kernel is left. They are those of the lanes of one subgroup,
//! that of the lowest lane, so that they are the same in waves of any width; one where it is the same for all, or long.

use super::Translator;
use super::value::Scalar;
use crate::shader::abi::{ABORT_BYTES, Context, SUBGROUP_SIZE, Status};
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
        // From one lane's message to the next one's.
        let stride = match size.next_multiple_of(8) {
            stride if !constant && (stride * SUBGROUP_SIZE) as usize <= ABORT_BYTES => stride,
            _ => 0,
        };
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
                let gaps = parts.iter().map(bytes).sum::<u32>() < size;
                let write = |t: &mut Self, base: u32, lane: Value| {
                    if gaps {
                        t.write_zeros(message, base, size);
                    }
                    for (part, scalar) in parts.iter().zip(&value) {
                        t.write_part(message, base, part, *scalar, lane);
                    }
                };
                match stride {
                    0 => write(self, 0, lanes),
                    _ => self.for_each_teller(lanes, |t, n, lane| write(t, n * stride, lane)),
                }
            }
            None => self.write_constant(message, id, size, &parts)?,
        }
        let words = [
            (i64::from(self.b.origin), offset_of!(Context, stopped_at)),
            (i64::from(size), offset_of!(Context, abort_size)),
            (i64::from(stride), offset_of!(Context, abort_stride)),
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

    /// Emits `f` for each lane of the subgroup of the lowest of `lanes` that is among them, given its number in the
    /// subgroup and a mask of it alone.
    fn for_each_teller(&mut self, lanes: Value, f: impl Fn(&mut Self, u32, Value)) {
        let all = self.b.mbits(lanes);
        let (size, mask) = (self.b.sconst(8), self.b.sconst(0xff));
        let (low, high) = (self.b.sand(all, mask), self.b.sshr(all, size));
        let zero = self.b.sconst(0);
        let in_low = self.b.sne(low, zero);
        let (bits, shift) = (
            self.b.sselect(in_low, low, high),
            self.b.sselect(in_low, zero, size),
        );
        for n in 0..SUBGROUP_SIZE {
            let bit = self.b.sconst(1 << n);
            let here = self.b.sand(bits, bit);
            let here = self.b.sne(here, zero);
            let (tell, _) = self.b.add_block(&[]);
            let (next, _) = self.b.add_block(&[]);
            self.b.branch(here, (tell, &[]), (next, &[]));
            self.switch_to(tell);
            let lane = self.b.sshl(bit, shift);
            let lane = self.b.mfrom_bits(lane);
            let mark = self.mark();
            f(self, n, lane);
            self.forget(mark);
            self.b.jump(next, &[]);
            self.switch_to(next);
        }
    }

    /// Writes the lowest lane's value of one component, `base` bytes into the buffer.
    fn write_part(&mut self, message: Value, base: u32, part: &Part, scalar: Scalar, lanes: Value) {
        let bytes = layout::scalar_bytes(part.leaf, Rule::Explicit);
        let at = i64::from(base + part.offset);
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
    fn write_zeros(&mut self, message: Value, base: u32, size: u32) {
        let zero = self.b.lconst(0);
        for at in (0..size).step_by(8) {
            self.b.lstore(message, zero, i64::from(base + at));
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
