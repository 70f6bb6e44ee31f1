//! Loads and stores.

use super::Translator;
use super::buffer::{Access, Place};
use super::pointer::{Base, FAR, Pointer, Space};
use super::value::{Scalar, Val};
use crate::shader::abi::Context;
use crate::shader::guard::Guard;
use crate::shader::ir::{Type as IrType, Value};
use crate::shader::spirv::SpirvError;
use crate::shader::spirv::api::{Input, OutputSlot};
use crate::shader::spirv::constants::MAX_COMPS;
use crate::shader::spirv::error::Result;
use crate::shader::spirv::interface::IoComponent;
use crate::shader::spirv::layout::{self, MatrixLayout, Rule};
use crate::shader::spirv::parse::Inst;
use crate::shader::spirv::types::{Leaf, Type, TypeId};
use std::mem::offset_of;

/// Scalars of one kind at regular distances.
#[derive(Clone, Copy, Debug)]
struct Group {
    disp: u32,
    leaf: Leaf,
    count: u32,
    stride: u32,
}

/// Work of an access to memory, see `inst.rs`.
const MEMORY_WORK: u64 = 3;

impl Group {
    /// Whether its scalars are too far apart to be looked at together.
    fn is_far(self) -> bool {
        self.count > u32::from(Guard::MAX_COUNT) || self.count > 1 && self.stride > Guard::MAX_STRIDE
    }

    /// A group for each scalar.
    fn split(self) -> impl Iterator<Item = Group> {
        (0..self.count).map(move |i| Group {
            disp: self.disp.saturating_add(i.saturating_mul(self.stride)).min(FAR),
            count: 1,
            ..self
        })
    }

    fn access(&self, rule: Rule, write: bool) -> Access {
        let bytes = layout::scalar_bytes(self.leaf, rule);
        Access {
            disp: self.disp,
            span: (self.count - 1).saturating_mul(self.stride).saturating_add(bytes),
            word: self.count == 1 && bytes == 4,
            write,
            parts: (bytes, self.count, self.stride),
            atomic: false,
        }
    }
}

impl Translator<'_, '_> {
    /// The same pointer, into the memory of its buffer if it is to the whole of it.
    fn into_block(&mut self, pointer: &Pointer) -> Result<Pointer> {
        let mut pointer = pointer.clone();
        if let Base::Resource(var, element) = pointer.base
            && matches!(self.types.get(pointer.ty), Type::Struct(..))
        {
            pointer.base = Base::Memory(self.buffer(var, element)?);
        }
        Ok(pointer)
    }

    /// What a pointer points at.
    pub(super) fn load(&mut self, pointer: &Pointer) -> Result<Val> {
        let pointer = &self.into_block(pointer)?;
        let comps = self.types.comps(pointer.ty);
        if comps > MAX_COMPS {
            return Err(SpirvError::TooLarge("a value"));
        }
        match &pointer.base {
            Base::Slots(first) => Ok(self.get_slots(*first, comps as usize)),
            Base::Frame(start, words) => self.load_frame(pointer, *start, *words),
            Base::Input(components, first) => {
                let wanted = components.get(*first..*first + comps as usize);
                let wanted = wanted.ok_or(SpirvError::TooLarge("an index"))?.to_vec();
                wanted
                    .iter()
                    .map(|component| self.load_input(component))
                    .collect()
            }
            Base::Memory(space) => {
                self.work += MEMORY_WORK;
                let mut value = Val::new();
                for group in self.groups(pointer)? {
                    self.load_group(*space, pointer, group, &mut value)?;
                }
                Ok(value)
            }
            Base::Resource(..) | Base::Heap(_) | Base::Texel(_) => {
                Err(SpirvError::unsupported("loading a whole block"))
            }
        }
    }

    /// Stores to what a pointer points at.
    pub(super) fn store(&mut self, pointer: &Pointer, value: &Val) -> Result<()> {
        self.check_value(0, pointer.ty, value)?;
        let pointer = &self.into_block(pointer)?;
        match &pointer.base {
            Base::Slots(first) => {
                self.set_slots(*first, value);
                Ok(())
            }
            Base::Frame(start, words) => self.store_frame(pointer, *start, *words, value),
            Base::Memory(space) => {
                self.work += MEMORY_WORK;
                let mut rest = &value[..];
                for group in self.groups(pointer)? {
                    let (now, later) = rest.split_at(group.count as usize);
                    self.store_group(*space, pointer, group, now)?;
                    rest = later;
                }
                Ok(())
            }
            _ => Err(SpirvError::unsupported("a store to this storage class")),
        }
    }

    /// `OpCopyMemorySized`: a value, if one of the pointers says what it is to, else bytes.
    pub(super) fn copy_sized(&mut self, inst: &Inst) -> Result<()> {
        let (to, from) = (inst.word(1)?, inst.word(2)?);
        let size = self.constants.word(inst.word(3)?)?;
        for typed in [to, from] {
            let of = self.type_of(typed)?;
            let Some((_, ty)) = self.types.pointee(of) else {
                continue;
            };
            let pointer = self.pointer(typed)?;
            if layout::size(self.types, ty, pointer.rule, pointer.matrix) == Ok(size) {
                let from = self.pointer_to(from, ty)?;
                let to = self.pointer_to(to, ty)?;
                let value = self.load(&from)?;
                return self.store(&to, &value);
            }
        }
        if size > MAX_COMPS {
            return Err(SpirvError::TooLarge("a copy"));
        }
        let (mut to, mut from) = (self.pointer(to)?, self.pointer(from)?);
        let (target, source) = (self.space_of(&to)?, self.space_of(&from)?);
        let (first_to, first_from) = (to.disp, from.disp);
        let mut at = 0;
        while at < size {
            let bytes = if size - at >= 4 { 4 } else { 1 };
            let group = |disp: u32| Group {
                disp,
                leaf: Leaf::Int(8 * bytes as u8, false),
                count: 1,
                stride: 0,
            };
            from.disp = first_from.saturating_add(at).min(FAR);
            to.disp = first_to.saturating_add(at).min(FAR);
            let mut value = Val::new();
            self.load_group(source, &from, group(from.disp), &mut value)?;
            self.store_group(target, &to, group(to.disp), &value)?;
            at += bytes;
        }
        Ok(())
    }

    /// The memory that a pointer is into.
    fn space_of(&mut self, pointer: &Pointer) -> Result<Space> {
        match pointer.base {
            Base::Memory(space) => Ok(space),
            Base::Resource(var, element) => self.buffer(var, element),
            _ => Err(SpirvError::unsupported("a copy of bytes from or to here")),
        }
    }

    /// The scalars of the pointee in order, as groups.
    fn groups(&self, pointer: &Pointer) -> Result<Vec<Group>> {
        let mut out = Vec::new();
        let stride = pointer.comp_stride;
        self.collect(
            pointer.ty,
            pointer.rule,
            pointer.matrix,
            pointer.disp,
            stride,
            &mut out,
        )?;
        Ok(out)
    }

    fn collect(
        &self,
        ty: TypeId,
        rule: Rule,
        matrix: MatrixLayout,
        disp: u32,
        comp_stride: u32,
        out: &mut Vec<Group>,
    ) -> Result<()> {
        let at = |index: u32, stride: u32| disp.saturating_add(index.saturating_mul(stride));
        match self.types.get(ty) {
            Type::Scalar(_) | Type::Vector(..) | Type::Pointer(..) => {
                let leaf = self.types.leaf(ty).ok_or(SpirvError::WrongType(0))?;
                let natural = layout::scalar_bytes(leaf, rule);
                out.push(Group {
                    disp,
                    leaf,
                    count: self.types.comps(ty),
                    stride: if comp_stride == 0 { natural } else { comp_stride },
                });
            }
            Type::Matrix(column, n) => {
                let leaf = self.types.leaf(*column).ok_or(SpirvError::WrongType(0))?;
                let row_major = rule == Rule::Explicit && matrix.row_major && matrix.stride != 0;
                let (step, inner) = if row_major {
                    (layout::scalar_bytes(leaf, rule), matrix.stride)
                } else {
                    (layout::stride(self.types, ty, rule, matrix)?, 0)
                };
                for i in 0..*n {
                    self.collect(*column, rule, matrix, at(i, step), inner, out)?;
                }
            }
            Type::Array(elem, n, _) => {
                let stride = layout::stride(self.types, ty, rule, matrix)?;
                for i in 0..*n {
                    self.collect(*elem, rule, matrix, at(i, stride), 0, out)?;
                }
            }
            Type::Struct(_, members) => {
                for (i, member) in members.iter().enumerate() {
                    let offset = layout::member_offset(self.types, members, i, rule)?;
                    let matrix = MatrixLayout::from(member);
                    self.collect(member.ty, rule, matrix, disp.saturating_add(offset), 0, out)?;
                }
            }
            _ => return Err(SpirvError::unsupported("a value of this type in memory")),
        }
        Ok(())
    }

    fn load_group(&mut self, space: Space, pointer: &Pointer, group: Group, out: &mut Val) -> Result<()> {
        if group.is_far() {
            return group
                .split()
                .try_for_each(|part| self.load_group(space, pointer, part, out));
        }
        let place = self.locate(space, pointer, group.access(pointer.rule, false))?;
        for i in 0..group.count {
            let s = self.load_scalar(place, i * group.stride, group.leaf, pointer.rule)?;
            out.push(s);
        }
        Ok(())
    }

    fn store_group(&mut self, space: Space, pointer: &Pointer, group: Group, value: &[Scalar]) -> Result<()> {
        if group.is_far() {
            return group
                .split()
                .zip(value)
                .try_for_each(|(part, s)| self.store_group(space, pointer, part, std::slice::from_ref(s)));
        }
        let place = self.locate(space, pointer, group.access(pointer.rule, true))?;
        for (i, &s) in (0..group.count).zip(value) {
            self.store_scalar(place, i * group.stride, group.leaf, pointer.rule, s);
        }
        Ok(())
    }

    /// One scalar at a place.
    pub(super) fn load_scalar(&mut self, place: Place, disp: u32, leaf: Leaf, rule: Rule) -> Result<Scalar> {
        let bytes = layout::scalar_bytes(leaf, rule);
        let at = i64::from(disp);
        let raw: Scalar = match (place, bytes) {
            (Place::Uniform(address, _), 8) => self.b.lload(address, at).into(),
            (Place::Uniform(address, _), 4) if matches!(leaf, Leaf::Float(_)) => {
                self.b.vload_splat(address, at).into()
            }
            (Place::Uniform(address, _), 4) => self.b.sload(address, at).into(),
            (Place::Uniform(address, _), 2) => self.b.sload16(address, at).into(),
            (Place::Uniform(address, _), _) => self.b.sload8(address, at).into(),
            (Place::Row(address, mask), _) => self.b.vload_masked(address, mask, at).into(),
            (Place::Offsets(base, offset, mask), bytes) => match bytes {
                8 => {
                    let lo = self.b.gather(base, offset, mask, at);
                    Scalar::pair(lo, self.b.gather(base, offset, mask, at + 4))
                }
                4 => self.b.gather(base, offset, mask, at).into(),
                2 => self.b.gather16(base, offset, mask, at).into(),
                _ => self.b.gather8(base, offset, mask, at).into(),
            },
            (Place::Addresses(a, mask, more), bytes) => {
                let at = at + more;
                match bytes {
                    8 => {
                        let lo = self.b.gather_p(a.lo, a.hi, mask, at);
                        Scalar::pair(lo, self.b.gather_p(a.lo, a.hi, mask, at + 4))
                    }
                    4 => self.b.gather_p(a.lo, a.hi, mask, at).into(),
                    2 => self.b.gather_p16(a.lo, a.hi, mask, at).into(),
                    _ => self.b.gather_p8(a.lo, a.hi, mask, at).into(),
                }
            }
        };
        Ok(self.from_memory(raw, leaf, bytes))
    }

    /// Memory bits → the form in which scalars are kept.
    fn from_memory(&mut self, raw: Scalar, leaf: Leaf, bytes: u32) -> Scalar {
        match (leaf, bytes) {
            (Leaf::Bool, _) => self.nonzero(raw),
            (Leaf::Float(16), 2) => {
                let bits = self.as_v(raw);
                self.half_of(bits).into()
            }
            (Leaf::Float(64), _) => self.vary(raw),
            (Leaf::Int(bits @ (8 | 16), true), 1 | 2) => self.sign_extend(raw, bits),
            _ => raw,
        }
    }

    /// The bits of a half as a float; not-a-numbers keep theirs, as copies are to.
    pub(super) fn half_of(&mut self, bits: Value) -> Value {
        let value = self.b.htof(bits);
        let [low, sign, infinity, ten, exponent] =
            [0x7fff, 0x8000, 0x7c00, 0x3ff, 0x7f80_0000].map(|word| self.v32(word));
        let magnitude = self.b.vand(bits, low);
        let is_nan = self.b.vlt_u(infinity, magnitude);
        let (thirteen, sixteen) = (self.v32(13), self.v32(16));
        let payload = self.b.vand(bits, ten);
        let payload = self.b.vshl(payload, thirteen);
        let sign = self.b.vand(bits, sign);
        let sign = self.b.vshl(sign, sixteen);
        let nan = self.b.vor(sign, exponent);
        let nan = self.b.vor(nan, payload);
        self.b.vselect(is_nan, nan, value)
    }

    /// The reverse of [`Translator::half_of`].
    pub(super) fn half_bits(&mut self, value: Value) -> Value {
        let bits = self.b.ftoh(value);
        let [low, sign, infinity, ten, exponent] =
            [0x7fff_ffff, 0x8000, 0x7f80_0000, 0x3ff, 0x7c00].map(|word| self.v32(word));
        let magnitude = self.b.vand(value, low);
        let is_nan = self.b.vlt_u(infinity, magnitude);
        let (thirteen, sixteen, zero, quiet) = (self.v32(13), self.v32(16), self.v32(0), self.v32(0x200));
        let payload = self.b.vshr(value, thirteen);
        let payload = self.b.vand(payload, ten);
        // What is left of the bits must not be an infinity's.
        let empty = self.b.veq(payload, zero);
        let payload = self.b.vselect(empty, quiet, payload);
        let top = self.b.vshr(value, sixteen);
        let sign = self.b.vand(top, sign);
        let nan = self.b.vor(sign, exponent);
        let nan = self.b.vor(nan, payload);
        self.b.vselect(is_nan, nan, bits)
    }

    /// The reverse of `from_memory`, as varying values.
    pub(super) fn to_memory(&mut self, s: Scalar, leaf: Leaf, bytes: u32) -> Scalar {
        match (leaf, bytes) {
            (Leaf::Bool, _) => {
                let mask = self.as_m(s);
                let (one, zero) = (self.v32(1), self.v32(0));
                self.b.vselect(mask, one, zero).into()
            }
            (Leaf::Float(16), 2) => {
                let value = self.as_v(s);
                self.half_bits(value).into()
            }
            _ => self.vary(s),
        }
    }

    fn store_scalar(&mut self, place: Place, disp: u32, leaf: Leaf, rule: Rule, s: Scalar) {
        let bytes = layout::scalar_bytes(leaf, rule);
        let s = self.to_memory(s, leaf, bytes);
        let at = i64::from(disp);
        let (base, offset, mask) = match place {
            Place::Row(address, mask) => {
                self.b.vstore_masked(address, s.lo, mask, at);
                return;
            }
            Place::Addresses(a, mask, more) => {
                let at = at + more;
                match bytes {
                    8 => {
                        self.b.scatter_p(a.lo, a.hi, s.lo, mask, at);
                        self.b.scatter_p(a.lo, a.hi, s.hi, mask, at + 4)
                    }
                    4 => self.b.scatter_p(a.lo, a.hi, s.lo, mask, at),
                    2 => self.b.scatter_p16(a.lo, a.hi, s.lo, mask, at),
                    _ => self.b.scatter_p8(a.lo, a.hi, s.lo, mask, at),
                };
                return;
            }
            Place::Uniform(address, mask) => {
                let mask = mask.unwrap_or_else(|| self.effective());
                (address, self.v32(0), mask)
            }
            Place::Offsets(base, offset, mask) => (base, offset, mask),
        };
        match bytes {
            8 => {
                self.b.scatter(base, offset, s.lo, mask, at);
                self.b.scatter(base, offset, s.hi, mask, at + 4)
            }
            4 => self.b.scatter(base, offset, s.lo, mask, at),
            2 => self.b.scatter16(base, offset, s.lo, mask, at),
            _ => self.b.scatter8(base, offset, s.lo, mask, at),
        };
    }

    /// Address of an element of the frame with a uniform number, and the byte offset of each lane otherwise.
    fn frame_place(
        &mut self,
        pointer: &Pointer,
        start: u32,
        words: u32,
        comp: u32,
        word: u32,
    ) -> (Value, Option<Value>) {
        let frame = self.context_address(offset_of!(Context, frame));
        let vector = 4 * self.b.width();
        let element = pointer
            .disp
            .saturating_add(comp)
            .saturating_mul(words)
            .saturating_add(word);
        let at = i64::from(start) + i64::from(element) * i64::from(vector);
        match pointer.offset {
            None => (self.b.ladd_imm(frame, at), None),
            Some(offset) if !self.is_varying(offset) => {
                let scale = self.s32(words * vector);
                let bytes = self.b.smul(offset.lo, scale);
                let bytes = self.b.lzext(bytes);
                let base = self.b.ladd(frame, bytes);
                (self.b.ladd_imm(base, at), None)
            }
            Some(offset) => {
                let scale = self.v32(words * vector);
                let bytes = self.b.vmul(offset.lo, scale);
                let lane = self.b.viota();
                let two = self.v32(2);
                let lane = self.b.vshl(lane, two);
                let bytes = self.b.vadd(bytes, lane);
                (self.b.ladd_imm(frame, at), Some(bytes))
            }
        }
    }

    fn load_frame(&mut self, pointer: &Pointer, start: u32, words: u32) -> Result<Val> {
        let leaves = self.leaves(pointer.ty)?;
        let mut value = Val::new();
        for (i, leaf) in (0u32..).zip(leaves) {
            let word = |t: &mut Self, n: u32| {
                let (base, offset) = t.frame_place(pointer, start, words, i, n);
                match offset {
                    None => t.b.vload(base, 0),
                    Some(offset) => {
                        // Indices are clamped, so that every lane may read.
                        let all = t.mask(true);
                        t.b.gather(base, offset, all, 0)
                    }
                }
            };
            let lo = word(self, 0);
            value.push(match leaf {
                leaf if leaf.is_wide() => Scalar::pair(lo, word(self, 1)),
                Leaf::Bool => self.nonzero(lo.into()),
                _ => lo.into(),
            });
        }
        Ok(value)
    }

    fn store_frame(&mut self, pointer: &Pointer, start: u32, words: u32, value: &Val) -> Result<()> {
        let leaves = self.leaves(pointer.ty)?;
        let exec = self.exec();
        for (i, (leaf, &s)) in (0u32..).zip(leaves.iter().zip(value)) {
            let s = self.to_memory(s, *leaf, 4);
            for (n, part) in [s.lo, s.hi]
                .into_iter()
                .enumerate()
                .filter(|(_, part)| *part != Value::NONE)
            {
                let (base, offset) = self.frame_place(pointer, start, words, i, n as u32);
                match offset {
                    None => self.b.vstore_masked(base, part, exec, 0),
                    Some(offset) => self.b.scatter(base, offset, part, exec, 0),
                };
            }
        }
        Ok(())
    }

    /// Whether an integer is not zero.
    pub(super) fn nonzero(&mut self, s: Scalar) -> Scalar {
        if self.b.func.ty(s.lo) == IrType::S32 {
            let zero = self.s32(0);
            return self.b.sne(s.lo, zero).into();
        }
        let zero = self.v32(0);
        self.b.vne(s.lo, zero).into()
    }

    /// Extends the low bits by their sign.
    pub(super) fn sign_extend(&mut self, s: Scalar, bits: u8) -> Scalar {
        let by = 32 - u32::from(bits);
        if self.is_varying(s) {
            let by = self.v32(by);
            let up = self.b.vshl(s.lo, by);
            return self.b.vsar(up, by).into();
        }
        let by = self.s32(by);
        let up = self.b.sshl(s.lo, by);
        self.b.ssar(up, by).into()
    }

    fn load_input(&mut self, component: &IoComponent) -> Result<Scalar> {
        match component.slot {
            OutputSlot::Location {
                location,
                component: c,
                ..
            } => {
                let input = Input {
                    location,
                    component: c,
                    interpolation: component.interpolation,
                };
                let raw = self.io.load_input(self.b, &input);
                Ok(match component.leaf {
                    leaf if leaf.is_wide() => {
                        let next = Input {
                            component: c + 1,
                            ..input
                        };
                        Scalar::pair(raw, self.io.load_input(self.b, &next))
                    }
                    Leaf::Bool => self.nonzero(raw.into()),
                    _ => raw.into(),
                })
            }
            OutputSlot::BuiltIn(builtin, n) => self.load_builtin(builtin, n, component.leaf),
        }
    }
}
