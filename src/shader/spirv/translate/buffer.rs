//! Descriptors, and addresses that stay in bounds.

use super::Translator;
use super::pointer::{Pointer, Space};
use super::value::Scalar;
use crate::descriptor::BufferDescriptor;
use crate::shader::abi::{Context, MAX_SETS, NO_DESCRIPTOR, STAND_IN, ZERO_BYTES};
use crate::shader::guard::{Form, Guard, Kind, poison_slot};
use crate::shader::ir::{Op, Type, Value};
use crate::shader::spirv::SpirvError;
use crate::shader::spirv::api::BindingLayout;
use crate::shader::spirv::error::Result;
use crate::shader::spirv::heap::PUSH_DATA_BYTES;
use crate::vk;
use ::spirv::Decoration;
use std::mem::offset_of;

/// What is to be accessed, relative to a pointer's offset.
#[derive(Clone, Copy, Debug)]
pub(super) struct Access {
    pub(super) disp: u32,
    /// Bytes from the first to the last.
    pub(super) span: u32,
    /// Whether it is a single 32-bit word.
    pub(super) word: bool,
    pub(super) write: bool,
    /// Bytes of a component, components, and bytes from one to the next.
    pub(super) parts: (u32, u32, u32),
    pub(super) atomic: bool,
}

impl Access {
    fn guard(&self, pointer: bool) -> i64 {
        let kind = match (self.atomic, self.write) {
            (true, _) => Kind::Atomic,
            (_, true) => Kind::Write,
            _ => Kind::Read,
        };
        let (size, count, stride) = self.parts;
        Guard::new(kind, pointer, size, count, stride, self.disp).encode()
    }

    /// What tells of it where it is out of bounds.
    fn masked(&self) -> i64 {
        let guard = Guard::decode(self.guard(false));
        Guard {
            masked: true,
            ..guard
        }
        .encode()
    }
}

/// A place in memory that can be accessed.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    /// One address, always readable; stores only in the lanes of the mask (`None`: all).
    Uniform(Value, Option<Value>),
    /// A base and an offset a lane; only the lanes of the mask are in bounds.
    Offsets(Value, Value, Value),
    /// Consecutive words from this address on; only the lanes of the mask are in bounds.
    Row(Value, Value),
    /// An address a lane, and bytes to add.
    Addresses(Scalar, Value, i64),
}

impl Translator<'_, '_> {
    /// The layout of a resource variable.
    pub(super) fn binding(&self, var: u32) -> Result<(u32, BindingLayout)> {
        let word = |kind| self.source.decoration_word(var, kind).unwrap_or(0);
        let (set, binding) = (word(Decoration::DescriptorSet), word(Decoration::Binding));
        let layout = self
            .layout
            .find(set, binding)
            .filter(|_| (set as usize) < MAX_SETS);
        let layout = layout.ok_or(SpirvError::MissingBinding { set, binding })?;
        Ok((set, layout.clone()))
    }

    /// A field of the context.
    pub(super) fn context_address(&mut self, offset: usize) -> Value {
        let ctx = self.start.ctx;
        let key = (Op::LLoad, ctx, offset as i64);
        if let Some(&value) = self.cache.get(&key) {
            return value;
        }
        let value = self.b.lload(ctx, offset as i64);
        self.remember(key, value);
        value
    }

    /// Address of the bytes of a descriptor set.
    pub(super) fn set_address(&mut self, set: u32) -> Value {
        self.context_address(offset_of!(Context, sets) + 8 * set as usize)
    }

    /// The memory behind a buffer variable.
    pub(super) fn buffer(&mut self, var: u32, element: Option<Scalar>) -> Result<Space> {
        if self.layout.heap.is_some() {
            return self.mapped_buffer(var, element);
        }
        let (set, layout) = self.binding(var)?;
        let number = set;
        let set = self.set_address(set);
        if layout.ty == vk::DescriptorType::INLINE_UNIFORM_BLOCK {
            let address = self.b.ladd_imm(set, i64::from(layout.offset));
            let bytes = self.s32(layout.count);
            return Ok(Space::Buffer(address.into(), bytes.into()));
        }
        match element.filter(|_| layout.count > 1) {
            Some(element) if self.is_varying(element) => self.buffers_by_lane(set, &layout, element),
            element => {
                let at = self.element_address(set, &layout, element);
                self.one_buffer(number, at, &layout, element)
            }
        }
    }

    /// Address of a descriptor with a uniform element number.
    pub(super) fn element_address(
        &mut self,
        set: Value,
        layout: &BindingLayout,
        element: Option<Scalar>,
    ) -> Value {
        let first = i64::from(layout.offset);
        let (ctx, exec) = (self.start.ctx, self.exec());
        match element.filter(|_| layout.count > 1) {
            None => {
                self.b.guard_l(ctx, set, exec, Guard::set(layout.offset).encode());
                self.b.ladd_imm(set, first)
            }
            Some(element) => {
                let last = self.s32(layout.count - 1);
                let element = self.b.smin_u(element.lo, last);
                let stride = self.s32(layout.stride);
                let bytes = self.b.smul(element, stride);
                let bytes = self.b.lzext(bytes);
                let at = self.b.ladd(set, bytes);
                self.b.guard_l(ctx, at, exec, Guard::set(layout.offset).encode());
                self.b.ladd_imm(at, first)
            }
        }
    }

    fn one_buffer(
        &mut self,
        set: u32,
        at: Value,
        layout: &BindingLayout,
        element: Option<Scalar>,
    ) -> Result<Space> {
        let slot = poison_slot(set, layout.binding);
        let (mut address, range) = self.read_buffer(at, slot);
        if let Some(first) = layout.dynamic_index {
            let offsets = self.context_address(offset_of!(Context, dynamic_offsets));
            let offset = match element.filter(|_| layout.count > 1) {
                None => self.b.sload(offsets, 4 * i64::from(first)),
                Some(element) => {
                    let last = self.s32(layout.count - 1);
                    let element = self.b.smin_u(element.lo, last);
                    let four = self.s32(4);
                    let bytes = self.b.smul(element, four);
                    let bytes = self.b.lzext(bytes);
                    let offsets = self.b.ladd(offsets, bytes);
                    self.b.sload(offsets, 4 * i64::from(first))
                }
            };
            let offset = self.b.lzext(offset);
            address = self.b.ladd(address, offset);
        }
        let address = self.b.ldevice(self.start.ctx, address, slot);
        Ok(Space::Buffer(address.into(), range.into()))
    }

    /// Address, not yet checked, and range in the descriptor of a buffer.
    pub(super) fn read_buffer(&mut self, at: Value, slot: i64) -> (Value, Value) {
        let at = self.b.ldescriptor(at, self.start.ctx, Form::Buffer.encode(slot));
        let address = self.b.lload(at, offset_of!(BufferDescriptor, address) as i64);
        (
            address,
            self.b.sload(at, offset_of!(BufferDescriptor, range) as i64),
        )
    }

    /// Descriptors that differ from lane to lane: address and range are gathered.
    fn buffers_by_lane(&mut self, set: Value, layout: &BindingLayout, element: Scalar) -> Result<Space> {
        let last = self.v32(layout.count - 1);
        let element = self.b.vmin_u(element.lo, last);
        let stride = self.v32(layout.stride);
        let bytes = self.b.vmul(element, stride);
        let all = self.exec();
        let guard = Guard::set(layout.offset);
        let (mut address, range) = self.gather_buffers(set, layout.offset, bytes, guard);
        if let Some(first) = layout.dynamic_index {
            let offsets = self.context_address(offset_of!(Context, dynamic_offsets));
            let offsets = self.b.ladd_imm(offsets, 4 * i64::from(first));
            let four = self.v32(4);
            let at = self.b.vmul(element, four);
            let offset = self.b.gather(offsets, at, all, 0);
            let zero = self.v32(0);
            address = self.wide_add(address, Scalar::pair(offset, zero));
        }
        Ok(Space::Buffer(address, range.into()))
    }

    /// Address and range in the descriptors at different offsets from `set + disp`.
    pub(super) fn gather_buffers(
        &mut self,
        set: Value,
        disp: u32,
        bytes: Value,
        guard: Guard,
    ) -> (Scalar, Value) {
        // A set may end before the layout's last element: idle lanes must not look there.
        let all = self.exec();
        self.b.guard_o(self.start.ctx, set, bytes, all, guard.encode());
        let word = |t: &mut Self, at: usize| {
            let base = t.b.ladd_imm(set, i64::from(disp) + at as i64);
            t.b.gather(base, bytes, all, 0)
        };
        let lo = word(self, 0);
        let hi = word(self, 4);
        let range = word(self, offset_of!(BufferDescriptor, range));
        let mark = word(self, offset_of!(BufferDescriptor, mark));
        self.right_by_lane(set, disp, bytes, ([lo, hi], range, mark))
    }

    /// Address and range of descriptors as they were gathered, or where those lie that are none, as `l.descriptor` does it.
    fn right_by_lane(
        &mut self,
        set: Value,
        disp: u32,
        bytes: Value,
        ([lo, hi], range, mark): ([Value; 2], Value, Value),
    ) -> (Scalar, Value) {
        let zero = self.v32(0);
        let first = self.b.ladd_imm(set, i64::from(disp));
        let at = self.vary(first.into());
        let at = self.wide_add(at, Scalar::pair(bytes, zero));
        let high = self.v32((NO_DESCRIPTOR >> 32) as u32);
        let at_high = self.b.vor(at.hi, high);
        let right = self.v32(BufferDescriptor::MARK);
        let right = self.b.veq(mark, right);
        let any = self.b.vor(lo, hi);
        let any = self.b.vor(any, range);
        let any = self.b.vor(any, mark);
        let null = self.b.veq(any, zero);
        let right = self.b.mor(right, null);
        let most = self.v32(STAND_IN[0] as u32);
        let lo = self.b.vselect(right, lo, at.lo);
        let hi = self.b.vselect(right, hi, at_high);
        (Scalar::pair(lo, hi), self.b.vselect(right, range, most))
    }

    /// Where `span` bytes at `disp + offset` of a space are. Stores leave out lanes that cover nothing.
    pub(super) fn locate(&mut self, space: Space, pointer: &Pointer, access: Access) -> Result<Place> {
        let Access {
            disp, span, write, ..
        } = access;
        let lanes = if write { self.effective() } else { self.exec() };
        let offset = pointer
            .offset
            .map(|offset| self.as_uniform(offset).unwrap_or(offset));
        match space {
            Space::Address(address) => {
                let address = self.as_uniform(address).unwrap_or(address);
                Ok(self.locate_address(address, offset, access))
            }
            Space::Buffer(address, range) if self.is_varying(address) => {
                let offset = match offset {
                    Some(offset) => self.as_v(offset),
                    None => self.v32(0),
                };
                let limit = self.limit_by_lane(range.lo, disp, span);
                let limit = match pointer.guard {
                    Some(guard) => {
                        let (guard, none) = (self.as_m(guard.into()), self.v32(0));
                        self.b.vselect(guard, limit, none)
                    }
                    None => limit,
                };
                let inside = self.b.vlt_u(offset, limit);
                let mask = self.b.mand(lanes, inside);
                let zero = self.v32(0);
                // Where there is no descriptor, its own place is to be told.
                let wrong = self.b.vlt_s(address.hi, zero);
                let offset = self.b.vselect(wrong, zero, offset);
                let address = self.wide_add(address, Scalar::pair(offset, zero));
                let ctx = self.start.ctx;
                self.b
                    .masked_p(ctx, address.lo, address.hi, lanes, mask, access.masked());
                self.b
                    .guard_p(ctx, address.lo, address.hi, mask, access.guard(false));
                Ok(Place::Addresses(address, mask, disp.into()))
            }
            Space::Buffer(address, range) => {
                let limit = self.limit(range.lo, disp, span);
                let limit = self.guarded(limit, pointer.guard);
                self.locate_bounded(address.lo, limit, offset, access, lanes, true)
            }
            Space::Shared => {
                let base = self.context_address(offset_of!(Context, shared));
                if !pointer.loose {
                    return Ok(self.locate_inside(base, offset, access, lanes));
                }
                let limit = self.fixed_limit(self.entry.interface.shared_bytes, disp, span);
                let limit = self.guarded(limit, pointer.guard);
                self.locate_bounded(base, limit, offset, access, lanes, false)
            }
            Space::PushData(first) => {
                let base = self.context_address(offset_of!(Context, push));
                let base = self.b.ladd_imm(base, i64::from(first));
                let limit = self.fixed_limit(PUSH_DATA_BYTES.saturating_sub(first), disp, span);
                let limit = self.guarded(limit, pointer.guard);
                self.locate_bounded(base, limit, offset, access, lanes, false)
            }
            Space::Push => {
                let base = self.context_address(offset_of!(Context, push));
                if !pointer.loose {
                    return Ok(self.locate_inside(base, offset, access, lanes));
                }
                let limit = self.fixed_limit(self.push_bytes(), disp, span);
                let limit = self.guarded(limit, pointer.guard);
                self.locate_bounded(base, limit, offset, access, lanes, false)
            }
        }
    }

    /// Offsets below this are in bounds: `max(range - (disp + span) + 1, 0)`.
    fn limit(&mut self, range: Value, disp: u32, span: u32) -> Value {
        let end = self.s32(disp.saturating_add(span) - 1);
        let zero = self.s32(0);
        let limit = self.b.ssub(range, end);
        self.b.smax_s(limit, zero)
    }

    fn limit_by_lane(&mut self, range: Value, disp: u32, span: u32) -> Value {
        let end = self.v32(disp.saturating_add(span) - 1);
        let zero = self.v32(0);
        let limit = self.b.vsub(range, end);
        self.b.vmax_s(limit, zero)
    }

    /// A limit that lets nothing in if an index is not small enough.
    fn guarded(&mut self, limit: Value, guard: Option<Value>) -> Value {
        match guard {
            Some(guard) => {
                let none = self.s32(0);
                self.b.sselect(guard, limit, none)
            }
            None => limit,
        }
    }

    /// Bytes of push constants or push data.
    fn push_bytes(&self) -> u32 {
        match self.layout.heap {
            Some(_) => PUSH_DATA_BYTES,
            None => self.entry.interface.push_constant_bytes,
        }
    }

    fn fixed_limit(&mut self, bytes: u32, disp: u32, span: u32) -> Value {
        let limit = (bytes + 1).saturating_sub(disp.saturating_add(span));
        self.s32(limit)
    }

    /// A place that is in bounds whatever the lanes ask for, because every index was clamped.
    fn locate_inside(&mut self, base: Value, offset: Option<Scalar>, access: Access, lanes: Value) -> Place {
        let base = self.b.ladd_imm(base, i64::from(access.disp));
        match offset {
            Some(offset) if self.is_varying(offset) => Place::Offsets(base, offset.lo, lanes),
            Some(offset) => {
                let offset = self.b.lzext(offset.lo);
                Place::Uniform(self.b.ladd(base, offset), access.write.then_some(lanes))
            }
            None => Place::Uniform(base, access.write.then_some(lanes)),
        }
    }

    fn locate_bounded(
        &mut self,
        base: Value,
        limit: Value,
        offset: Option<Scalar>,
        access: Access,
        lanes: Value,
        device: bool,
    ) -> Result<Place> {
        let (ctx, start) = (self.start.ctx, base);
        let base = self.b.ladd_imm(base, i64::from(access.disp));
        if let Some(offset) = offset.filter(|&offset| self.is_varying(offset)) {
            let limit = self.splat(limit);
            let inside = self.b.vlt_u(offset.lo, limit);
            let mask = self.b.mand(lanes, inside);
            if device {
                self.b
                    .masked_o(ctx, start, offset.lo, lanes, mask, access.masked());
                self.b.guard_o(ctx, start, offset.lo, mask, access.guard(false));
            }
            if access.word
                && let Some(affine) = self.affine(offset.lo).filter(|affine| affine.stride == 4)
            {
                // Where lane 0 is out of bounds others need not be: its offset may be negative.
                let first = self.b.lsext(affine.base);
                return Ok(Place::Row(self.b.ladd(base, first), mask));
            }
            return Ok(Place::Offsets(base, offset.lo, mask));
        }
        if access.span as usize > ZERO_BYTES {
            return Err(SpirvError::unsupported("a stride this large within a vector"));
        }
        let offset = offset.map_or_else(|| self.s32(0), |offset| offset.lo);
        let inside = self.b.slt_u(offset, limit);
        let wide = self.b.lzext(offset);
        let address = self.b.ladd(base, wide);
        if device || access.write {
            let inside = self.as_m(inside.into());
            let mask = self.b.mand(lanes, inside);
            if device {
                let by = self.splat(offset);
                self.b.masked_o(ctx, start, by, lanes, mask, access.masked());
                let at = self.b.ladd(start, wide);
                self.b.guard_l(ctx, at, mask, access.guard(false));
            }
            if access.write {
                return Ok(Place::Uniform(address, Some(mask)));
            }
        }
        let zeros = self.context_address(offset_of!(Context, zeros));
        let address = self.b.lselect(inside, address, zeros);
        Ok(Place::Uniform(address, None))
    }

    pub(super) fn locate_address(
        &mut self,
        address: Scalar,
        offset: Option<Scalar>,
        access: Access,
    ) -> Place {
        let ctx = self.start.ctx;
        let guard = access.guard(true);
        let lanes = if access.write {
            self.effective()
        } else {
            self.exec()
        };
        let mut address = address;
        if let Some(offset) = offset {
            let offset = self.extend(offset, false);
            address = self.wide_add(address, offset);
        }
        if self.is_varying(address) || access.span as usize > ZERO_BYTES {
            let address = self.vary(address);
            self.b.guard_p(ctx, address.lo, address.hi, lanes, guard);
            return Place::Addresses(address, lanes, access.disp.into());
        }
        self.b.guard_l(ctx, address.lo, lanes, guard);
        let address = self.wide_add_imm(address, u64::from(access.disp));
        if access.write {
            return Place::Uniform(address.lo, Some(lanes));
        }
        let exec = self.exec();
        if self.nonempty == Some(exec) {
            return Place::Uniform(address.lo, None);
        }
        // Where no lane runs the address may be anything.
        let some = self.b.many(exec);
        let zeros = self.context_address(offset_of!(Context, zeros));
        Place::Uniform(self.b.lselect(some, address.lo, zeros), None)
    }

    /// `OpArrayLength`.
    pub(super) fn array_length(&mut self, space: Space, offset: u32, stride: u32) -> Scalar {
        let range = match space {
            Space::Buffer(_, range) => range,
            _ => self.s32(0).into(),
        };
        let stride = stride.max(1);
        if self.b.func.ty(range.lo) == Type::V {
            let (start, stride) = (self.v32(offset), self.v32(stride));
            let range = self.b.vmax_u(range.lo, start);
            let bytes = self.b.vsub(range, start);
            return self.b.vdiv_u(bytes, stride).into();
        }
        let (start, stride) = (self.s32(offset), self.s32(stride));
        let range = self.b.smax_u(range.lo, start);
        let bytes = self.b.ssub(range, start);
        self.b.sdiv_u(bytes, stride).into()
    }
}
