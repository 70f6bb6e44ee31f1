//! Pointers: what a variable or access chain points at.

use super::value::Scalar;
use super::{Id, Translator};
use crate::shader::ir::{Type as IrType, Value};
use crate::shader::spirv::SpirvError;
use crate::shader::spirv::error::Result;
use crate::shader::spirv::interface::IoComponent;
use crate::shader::spirv::layout::{self, MatrixLayout, Rule};
use crate::shader::spirv::parse::Inst;
use crate::shader::spirv::types::{Leaf, Type, TypeId};
use ::spirv::{Op, StorageClass};
use std::rc::Rc;

/// Displacement that is out of every bounds.
pub(super) const FAR: u32 = 0x7fff_ff00;

/// Where memory is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Space {
    /// A buffer: address (`S64` or a pair) and range in bytes (`S32` or `V`).
    Buffer(Scalar, Scalar),
    /// An address (`S64` or a pair).
    Address(Scalar),
    Shared,
    Push,
    /// Push data from this byte on.
    PushData(u32),
}

/// What a pointer points into.
#[derive(Clone, Debug)]
pub(super) enum Base {
    /// Slots of the environment, from this one on.
    Slots(usize),
    /// Per-lane memory of the frame: byte offset of element 0, words an element. Displacements are elements.
    Frame(u32, u32),
    /// Components of an input variable, from this one on.
    Input(Rc<[IoComponent]>, usize),
    Memory(Space),
    /// A variable in a descriptor set, and the element of its array.
    Resource(u32, Option<Scalar>),
    /// The descriptors of the heap that is bound as this set.
    Heap(u32),
    /// A texel of a storage image.
    Texel(Rc<super::image::Texel>),
}

/// A pointer.
#[derive(Clone, Debug)]
pub(super) struct Pointer {
    pub(super) base: Base,
    pub(super) class: StorageClass,
    /// What it points at.
    pub(super) ty: TypeId,
    pub(super) rule: Rule,
    /// Constant part of the offset, in bytes (elements of the frame).
    pub(super) disp: u32,
    /// The other part: `S32` or `V`.
    pub(super) offset: Option<Scalar>,
    /// Whether an index was not clamped to the length of its array.
    pub(super) loose: bool,
    /// `B`: whether an index that was not clamped is small enough not to wrap around.
    pub(super) guard: Option<Value>,
    pub(super) matrix: MatrixLayout,
    /// Bytes from one component of a vector to the next; 0: adjacent.
    pub(super) comp_stride: u32,
}

impl Pointer {
    pub(super) fn new(base: Base, class: StorageClass, ty: TypeId) -> Pointer {
        use StorageClass::*;
        let rule = match class {
            Uniform | StorageBuffer | PushConstant | PhysicalStorageBuffer => Rule::Explicit,
            _ => Rule::Packed,
        };
        Pointer {
            base,
            class,
            ty,
            rule,
            disp: 0,
            offset: None,
            loose: false,
            guard: None,
            matrix: MatrixLayout::default(),
            comp_stride: 0,
        }
    }
}

/// An index of an access chain.
#[derive(Clone, Copy, Debug)]
pub(super) enum Index {
    Constant(u32),
    Dynamic(Scalar),
}

impl Translator<'_, '_> {
    /// The pointer an id stands for.
    pub(super) fn pointer(&mut self, id: u32) -> Result<Pointer> {
        if !self.ids.contains_key(&id) && self.constants.get(id).is_none() {
            // Fails for values, which are carried elsewhere.
            let _ = self.repeat_definition(id);
        }
        if let Some(Id::Pointer(pointer)) = self.ids.get(&id) {
            return Ok(pointer.clone());
        }
        let (class, ty) = self.target_of(self.type_of(id)?, id)?;
        self.pointer_of_value(id, class, ty)
    }

    /// Storage class of a pointer type and what it points at: itself, if it does not say.
    pub(super) fn target_of(&self, ty: TypeId, id: u32) -> Result<(StorageClass, TypeId)> {
        let untyped = || Some((self.types.untyped(ty)?, ty));
        self.types
            .pointee(ty)
            .or_else(untyped)
            .ok_or(SpirvError::WrongType(id))
    }

    /// The pointer an id stands for, to something of type `ty` if it does not say itself.
    pub(super) fn pointer_to(&mut self, id: u32, ty: TypeId) -> Result<Pointer> {
        let mut pointer = self.pointer(id)?;
        if self.types.untyped(self.type_of(id)?).is_some() {
            self.retype(&mut pointer, ty)?;
        }
        Ok(pointer)
    }

    /// Makes an untyped pointer one to `ty`.
    fn retype(&mut self, pointer: &mut Pointer, ty: TypeId) -> Result<()> {
        if let Base::Resource(var, element) = pointer.base
            && matches!(pointer.class, StorageClass::Uniform | StorageClass::StorageBuffer)
            && (element.is_some() || ty != pointer.ty || matches!(self.types.get(ty), Type::Struct(..)))
        {
            pointer.base = Base::Memory(self.buffer(var, element)?);
        }
        if pointer.ty != ty {
            pointer.ty = ty;
            pointer.matrix = MatrixLayout::default();
            pointer.comp_stride = 0;
        }
        Ok(())
    }

    /// `Op…AccessChain` and `Op…PtrAccessChain`.
    pub(super) fn access_chain(&mut self, inst: &Inst) -> Result<()> {
        let id = inst.word(2)?;
        let untyped = matches!(
            inst.op,
            Op::UntypedAccessChainKHR
                | Op::UntypedInBoundsAccessChainKHR
                | Op::UntypedPtrAccessChainKHR
                | Op::UntypedInBoundsPtrAccessChainKHR
        );
        let base = if untyped { 4 } else { 3 };
        let mut pointer = self.pointer(inst.word(base)?)?;
        let of = inst.word(base)?;
        if untyped {
            let ty = self.types.find(inst.word(3)?)?;
            self.retype(&mut pointer, ty)?;
        }
        let mut indices = inst.rest(base + 1);
        if matches!(
            inst.op,
            Op::PtrAccessChain
                | Op::InBoundsPtrAccessChain
                | Op::UntypedPtrAccessChainKHR
                | Op::UntypedInBoundsPtrAccessChainKHR
        ) {
            let element = self.element_index(inst.word(base + 1)?)?;
            let stride = self.pointer_stride(of, &pointer)?;
            match (&pointer.base, element) {
                (Base::Memory(Space::Buffer(..) | Space::Shared), _) => {
                    self.advance_elements(&mut pointer, element, stride);
                }
                (Base::Resource(..), Index::Constant(0)) => {}
                _ => self.advance(&mut pointer, element, stride, u32::MAX)?,
            }
            indices = inst.rest(base + 2);
        }
        for &index in indices {
            let index = self.index(index)?;
            self.step(&mut pointer, index).map_err(|error| match error {
                SpirvError::WrongType(_) => SpirvError::WrongType(id),
                error => error,
            })?;
        }
        let result = self.result_type(inst)?;
        if self.types.untyped(result).is_none() {
            let (_, ty) = self.target_of(result, id)?;
            if !self.same_shape(ty, &pointer) {
                return Err(SpirvError::WrongType(id));
            }
            pointer.ty = ty;
        }
        self.define_id(id, Id::Pointer(pointer));
        Ok(())
    }

    /// Whether a walk ended at the type it says (components of vectors have no type of their own).
    fn same_shape(&self, ty: TypeId, pointer: &Pointer) -> bool {
        ty == pointer.ty
            || self.types.comps(ty) == 1
                && matches!(self.types.get(ty), Type::Scalar(_))
                && self.types.leaf(ty) == self.types.leaf(pointer.ty)
    }

    fn index(&mut self, id: u32) -> Result<Index> {
        if self.constants.get(id).is_some() {
            let value = self.constants.scalar(id)?;
            return Ok(Index::Constant(u32::try_from(value).unwrap_or(u32::MAX)));
        }
        match self.leaf_of_id(id)? {
            Leaf::Int(64, _) => {
                let wide = self.scalar(id)?;
                Ok(Index::Dynamic(self.saturate(wide)))
            }
            Leaf::Int(..) => Ok(Index::Dynamic(self.scalar(id)?)),
            _ => Err(SpirvError::WrongType(id)),
        }
    }

    /// Goes one index deeper.
    fn step(&mut self, pointer: &mut Pointer, index: Index) -> Result<()> {
        let wrong = SpirvError::WrongType(0);
        if let Base::Resource(var, None) = pointer.base
            && let Type::Array(elem, ..) | Type::RuntimeArray(elem, _) = *self.types.get(pointer.ty)
        {
            let element = match index {
                Index::Constant(n) => self.s32(n).into(),
                Index::Dynamic(s) => self.as_uniform(s).unwrap_or(s),
            };
            pointer.base = Base::Resource(var, Some(element));
            pointer.ty = elem;
            return Ok(());
        }
        match self.types.get(pointer.ty) {
            Type::Struct(_, members) => {
                let Index::Constant(n) = index else {
                    return Err(wrong);
                };
                let member = members.get(n as usize).ok_or(wrong)?;
                if let Base::Resource(var, element) = pointer.base {
                    pointer.base = Base::Memory(self.buffer(var, element)?);
                }
                let bytes = layout::member_offset(self.types, members, n as usize, pointer.rule)?;
                self.skip(pointer, n, bytes)?;
                pointer.matrix = MatrixLayout::from(member);
                pointer.ty = member.ty;
            }
            &Type::Array(elem, n, _) => {
                let stride = match pointer.base {
                    Base::Memory(_) | Base::Heap(_) => {
                        layout::stride(self.types, pointer.ty, pointer.rule, pointer.matrix)?
                    }
                    _ => self.types.comps(elem),
                };
                self.advance(pointer, index, stride, n)?;
                pointer.ty = elem;
            }
            &Type::RuntimeArray(elem, _) => {
                let stride = layout::stride(self.types, pointer.ty, pointer.rule, pointer.matrix)?;
                self.advance(pointer, index, stride, u32::MAX)?;
                pointer.ty = elem;
            }
            &Type::Matrix(column, n) => {
                let memory = matches!(pointer.base, Base::Memory(_));
                let leaf = self.types.leaf(column).ok_or(wrong)?;
                let stride = if !memory {
                    self.types.comps(column)
                } else if pointer.matrix.row_major && pointer.matrix.stride != 0 {
                    pointer.comp_stride = pointer.matrix.stride;
                    layout::scalar_bytes(leaf, pointer.rule)
                } else {
                    layout::stride(self.types, pointer.ty, pointer.rule, pointer.matrix)?
                };
                self.advance(pointer, index, stride, n)?;
                pointer.ty = column;
            }
            &Type::Vector(leaf, n) => {
                let stride = match (&pointer.base, pointer.comp_stride) {
                    (Base::Memory(_), 0) => layout::scalar_bytes(leaf, pointer.rule),
                    (Base::Memory(_), stride) => stride,
                    _ => 1,
                };
                self.advance(pointer, index, stride, n)?;
                pointer.comp_stride = 0;
            }
            _ => return Err(wrong),
        }
        Ok(())
    }

    /// Moves to a structure's member.
    fn skip(&mut self, pointer: &mut Pointer, member: u32, bytes: u32) -> Result<()> {
        let (_, comps) = self
            .types
            .element(pointer.ty, member)
            .ok_or(SpirvError::WrongType(0))?;
        match &mut pointer.base {
            Base::Slots(first) | Base::Input(_, first) => *first += comps as usize,
            Base::Frame(..) => pointer.disp = pointer.disp.saturating_add(comps),
            Base::Memory(_) | Base::Heap(_) => {
                pointer.disp = pointer.disp.saturating_add(bytes).min(FAR);
            }
            Base::Resource(..) | Base::Texel(_) => return Err(SpirvError::WrongType(0)),
        }
        Ok(())
    }

    /// Moves by an index times a stride (in components, elements or bytes); `len` elements are there.
    fn advance(&mut self, pointer: &mut Pointer, index: Index, stride: u32, len: u32) -> Result<()> {
        match (&mut pointer.base, index) {
            (Base::Slots(first) | Base::Input(_, first), Index::Constant(n)) => {
                // Out of bounds is undefined; the last element is as good as any.
                *first += n.min(len - 1) as usize * stride as usize;
                Ok(())
            }
            (Base::Frame(..), Index::Constant(n)) => {
                pointer.disp = pointer.disp.saturating_add(n.min(len - 1).saturating_mul(stride));
                Ok(())
            }
            (Base::Memory(Space::Address(address)), index) => {
                *address = match index {
                    Index::Constant(n) => {
                        let bytes = i64::from(n as i32).wrapping_mul(i64::from(stride)) as u64;
                        let address = *address;
                        self.wide_add_imm(address, bytes)
                    }
                    Index::Dynamic(s) => {
                        let address = *address;
                        self.scaled(address, s, stride)
                    }
                };
                Ok(())
            }
            (Base::Memory(_) | Base::Heap(_), Index::Constant(n)) => {
                pointer.loose |= n >= len;
                let bytes = n.checked_mul(stride).unwrap_or(FAR);
                pointer.disp = pointer.disp.saturating_add(bytes).min(FAR);
                Ok(())
            }
            (Base::Memory(_), Index::Dynamic(s)) => {
                let fixed =
                    matches!(pointer.base, Base::Memory(Space::Shared | Space::Push)) && len != u32::MAX;
                // Else only so that the product cannot wrap into the bounds.
                let most = if fixed { len - 1 } else { FAR / stride.max(1) };
                let offset = match self.even_offset(pointer, s, stride, FAR / stride.max(1)) {
                    Some(offset) => {
                        pointer.loose = true;
                        offset
                    }
                    None => {
                        pointer.loose |= !fixed;
                        self.times(s, stride, most)
                    }
                };
                self.add_offset(pointer, offset);
                Ok(())
            }
            (Base::Heap(_), Index::Dynamic(s)) => {
                let offset = self.times(s, stride, FAR / stride.max(1));
                self.add_offset(pointer, offset);
                Ok(())
            }
            (Base::Frame(..), Index::Dynamic(s)) => {
                let offset = self.times(s, stride, len - 1);
                self.add_offset(pointer, offset);
                Ok(())
            }
            _ => Err(SpirvError::unsupported("a dynamic index here")),
        }
    }

    /// `index * stride` for an index that grows evenly over the lanes; instead of clamping each lane, the
    /// pointer's guard says whether all of them are small.
    fn even_offset(
        &mut self,
        pointer: &mut Pointer,
        index: Scalar,
        stride: u32,
        most: u32,
    ) -> Option<Scalar> {
        if !self.is_varying(index) || self.is_uniform(index.lo) || stride > 4096 {
            return None;
        }
        let affine = self.affine(index.lo)?;
        // Lane 0 may be a little below zero, as long as no lane wraps past the end.
        let slack = (affine.stride.unsigned_abs() * 16) as u32;
        let slack = self.s32(slack);
        let most = self.s32(most);
        let moved = self.b.sadd(affine.base, slack);
        let small = self.b.slt_u(moved, most);
        pointer.guard = Some(match pointer.guard {
            Some(guard) => self.b.band(guard, small),
            None => small,
        });
        let stride = self.v32(stride);
        Some(self.b.vmul(index.lo, stride).into())
    }

    /// `min(index, most) * stride`.
    fn times(&mut self, index: Scalar, stride: u32, most: u32) -> Scalar {
        let index = self.as_uniform(index).unwrap_or(index);
        if self.is_varying(index) {
            let most = self.v32(most);
            let index = self.b.vmin_u(index.lo, most);
            let stride = self.v32(stride);
            return self.b.vmul(index, stride).into();
        }
        let most = self.s32(most);
        let index = self.b.smin_u(index.lo, most);
        let stride = self.s32(stride);
        self.b.smul(index, stride).into()
    }

    fn add_offset(&mut self, pointer: &mut Pointer, more: Scalar) {
        pointer.offset = Some(match pointer.offset {
            None => more,
            Some(offset) => self.add_32(offset, more),
        });
    }

    /// Sum of two 32-bit integers.
    pub(super) fn add_32(&mut self, a: Scalar, b: Scalar) -> Scalar {
        if self.is_varying(a) || self.is_varying(b) {
            let (a, b) = (self.as_v(a), self.as_v(b));
            return self.b.vadd(a, b).into();
        }
        self.b.sadd(a.lo, b.lo).into()
    }

    /// `address + sext(index) * stride`.
    fn scaled(&mut self, address: Scalar, index: Scalar, stride: u32) -> Scalar {
        let index = self.as_uniform(index).unwrap_or(index);
        if !self.is_varying(index) {
            let wide = self.b.lsext(index.lo);
            let stride = self.s64(u64::from(stride));
            let bytes = self.b.lmul(wide, stride);
            return self.wide_add(address, bytes.into());
        }
        let by = self.v32(stride);
        let lo = self.b.vmul(index.lo, by);
        let hi = self.b.vmulhi_s(index.lo, by);
        self.wide_add(address, Scalar::pair(lo, hi))
    }

    /// A 64-bit index as a 32-bit one that is out of bounds where the other is.
    fn saturate(&mut self, wide: Scalar) -> Scalar {
        if self.b.func.ty(wide.lo) == IrType::S64 {
            let (lo, hi) = self.halves(wide.lo);
            let (zero, far) = (self.s32(0), self.s32(u32::MAX));
            let small = self.b.seq(hi, zero);
            return self.b.sselect(small, lo, far).into();
        }
        let (zero, far) = (self.v32(0), self.v32(u32::MAX));
        if wide.hi == Value::NONE {
            return wide;
        }
        let small = self.b.veq(wide.hi, zero);
        self.b.vselect(small, wide.lo, far).into()
    }

    /// Reserves memory of the frame for a variable.
    pub(super) fn frame_memory(&mut self, ty: TypeId) -> Result<Base> {
        let comps = self.types.comps(ty);
        if comps > 1 << 20 {
            return Err(SpirvError::TooLarge("a variable"));
        }
        let words = if self.has_wide(ty) { 2 } else { 1 };
        let bytes = comps * words * 4 * self.b.width();
        let start = self.b.func.frame_bytes.next_multiple_of(64);
        self.b.func.frame_bytes = start.saturating_add(bytes);
        self.check_size()?;
        Ok(Base::Frame(start, words))
    }

    /// Whether a type has 64-bit components.
    fn has_wide(&self, ty: TypeId) -> bool {
        match self.types.get(ty) {
            Type::Scalar(leaf) | Type::Vector(leaf, _) => leaf.is_wide(),
            Type::Matrix(elem, _) | Type::Array(elem, ..) => self.has_wide(*elem),
            Type::Struct(_, members) => members.iter().any(|member| self.has_wide(member.ty)),
            Type::Pointer(..) => true,
            _ => false,
        }
    }
}
