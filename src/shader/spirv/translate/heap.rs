//! Descriptor heaps: descriptors at offsets that shaders compute, and bindings that are mapped to them.

use super::buffer::Access;
use super::pointer::{Base, Pointer, Space};
use super::value::Scalar;
use super::{Id, Translator};
use crate::shader::abi::Context;
use crate::shader::guard::{Guard, Kind, poison_slot};
use crate::shader::ir::Value;
use crate::shader::spirv::SpirvError;
use crate::shader::spirv::api::Descriptor;
use crate::shader::spirv::error::Result;
use crate::shader::spirv::heap::{
    HeapIndex, HeapSource, Indexing, PUSH_DATA_BYTES, RESOURCE_HEAP, SAMPLER_HEAP,
};
use crate::shader::spirv::layout::Rule;
use crate::shader::spirv::parse::Inst;
use crate::shader::spirv::types::Leaf;
use std::mem::offset_of;
use std::sync::Arc;

/// Which part of an index that is packed counts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Whole,
    Resource,
    Sampler,
}

/// The guard of a descriptor's bytes in a heap: unlike sets, heaps are never the process's own memory.
fn guard(disp: u32) -> Guard {
    Guard::new(Kind::Read, false, 4, 1, 4, disp)
}

impl Translator<'_, '_> {
    /// `OpBufferPointerEXT`.
    pub(super) fn buffer_pointer(&mut self, inst: &Inst) -> Result<()> {
        let id = inst.word(2)?;
        let pointer = self.pointer(inst.word(3)?)?;
        let Base::Heap(set) = pointer.base else {
            return Err(SpirvError::WrongType(id));
        };
        let space = self.heap_buffer(set, pointer.disp, pointer.offset);
        let (class, ty) = self.target_of(self.result_type(inst)?, id)?;
        self.define_id(id, Id::Pointer(Pointer::new(Base::Memory(space), class, ty)));
        Ok(())
    }

    /// Address of a descriptor in a heap, at an offset that is uniform.
    pub(super) fn heap_address(&mut self, set: u32, disp: u32, offset: Option<Scalar>) -> Value {
        let mut at = self.set_address(set);
        if let Some(offset) = offset {
            let offset = self.b.lzext(offset.lo);
            at = self.b.ladd(at, offset);
        }
        let (ctx, exec) = (self.start.ctx, self.exec());
        self.b.guard_l(ctx, at, exec, guard(disp).encode());
        self.b.ladd_imm(at, i64::from(disp))
    }

    /// The memory behind the descriptor of a buffer in a heap.
    fn heap_buffer(&mut self, set: u32, disp: u32, offset: Option<Scalar>) -> Space {
        let offset = offset.map(|offset| self.as_uniform(offset).unwrap_or(offset));
        if let Some(offset) = offset.filter(|&offset| self.is_varying(offset)) {
            let heap = self.set_address(set);
            let (address, range) = self.gather_buffers(heap, disp, offset.lo, guard(disp));
            return Space::Buffer(address, range.into());
        }
        let at = self.heap_address(set, disp, offset);
        let slot = poison_slot(set, disp / 16);
        let (address, range) = self.read_buffer(at, slot);
        let address = self.b.ldevice(self.start.ctx, address, slot);
        Space::Buffer(address.into(), range.into())
    }

    /// How a variable is mapped, and what it is.
    fn mapping(&self, var: u32) -> Result<(HeapSource, Descriptor)> {
        let global = self.entry.globals.get(&var).ok_or(SpirvError::UnknownId(var))?;
        let resource = self.entry.resource(var, global)?;
        let (set, binding) = (resource.set, resource.binding);
        let heap = self.layout.heap.as_ref();
        let source = heap.and_then(|heap| heap.find(set, binding, resource.heap_type));
        let source = source.ok_or(SpirvError::MissingBinding { set, binding })?;
        Ok((source, resource.kind))
    }

    /// Address of the image's or sampler's descriptor of a variable, for an element that is uniform.
    pub(super) fn mapped_address(
        &mut self,
        var: u32,
        element: Option<Scalar>,
        sampler: bool,
    ) -> Result<Value> {
        let (source, kind) = self.mapping(var)?;
        let HeapSource::Descriptor {
            indexing,
            resource,
            sampler: of_sampler,
            packed,
            embedded,
        } = source
        else {
            return Err(SpirvError::unsupported("a mapping of an image to data"));
        };
        if let Some(embedded) = embedded.filter(|_| sampler) {
            // The pipeline keeps it as long as its code.
            return Ok(self.s64(Arc::as_ptr(&embedded) as u64));
        }
        let combined = kind == Descriptor::CombinedImageSampler;
        let (set, mut index, part) = match (sampler, combined) {
            (true, true) => (SAMPLER_HEAP, of_sampler, Part::Sampler),
            (true, false) => (SAMPLER_HEAP, resource, Part::Whole),
            (false, true) => (RESOURCE_HEAP, resource, Part::Resource),
            (false, false) => (RESOURCE_HEAP, resource, Part::Whole),
        };
        let part = if packed { part } else { Part::Whole };
        if part == Part::Sampler {
            // One index for both.
            (index.push_offset, index.address_offset) = (resource.push_offset, resource.address_offset);
        }
        let offset = self.heap_offset(indexing, &index, element, part)?;
        Ok(self.heap_address(set, index.offset, offset))
    }

    /// The memory behind a buffer variable.
    pub(super) fn mapped_buffer(&mut self, var: u32, element: Option<Scalar>) -> Result<Space> {
        let (source, _) = self.mapping(var)?;
        Ok(match source {
            HeapSource::Descriptor {
                indexing, resource, ..
            } => {
                let offset = self.heap_offset(indexing, &resource, element, Part::Whole)?;
                self.heap_buffer(RESOURCE_HEAP, resource.offset, offset)
            }
            HeapSource::HeapData { offset, push_offset } => {
                let heap = self.set_address(RESOURCE_HEAP);
                let more = self.push_word(push_offset);
                let more = self.b.lzext(more);
                let at = self.b.ladd(heap, more);
                Space::Address(self.b.ladd_imm(at, i64::from(offset)).into())
            }
            HeapSource::PushData(offset) => Space::PushData(offset),
            HeapSource::PushAddress(offset) => Space::Address(self.push_address(offset).into()),
            HeapSource::IndirectAddress {
                push_offset,
                address_offset,
            } => {
                let address = self.push_address(push_offset);
                let leaf = Leaf::Int(64, false);
                let address = self.load_at(address.into(), None, address_offset, leaf)?;
                Space::Address(self.as_uniform(address).unwrap_or(address))
            }
        })
    }

    /// A word of push data; nothing else of the process's memory can be meant.
    fn push_word(&mut self, offset: u32) -> Value {
        let push = self.context_address(offset_of!(Context, push));
        self.b
            .sload(push, i64::from(offset.min(PUSH_DATA_BYTES - 4) & !3))
    }

    /// An address in push data.
    fn push_address(&mut self, offset: u32) -> Value {
        let push = self.context_address(offset_of!(Context, push));
        self.b
            .lload(push, i64::from(offset.min(PUSH_DATA_BYTES - 8) & !7))
    }

    /// What is added to a mapping's constant offset, in bytes.
    fn heap_offset(
        &mut self,
        indexing: Indexing,
        index: &HeapIndex,
        element: Option<Scalar>,
        part: Part,
    ) -> Result<Option<Scalar>> {
        let array = match (element, indexing) {
            (Some(element), Indexing::IndirectArray) => {
                let four = self.scale(element, 4);
                return self.indirect_offset(index, Some(four), part).map(Some);
            }
            (element, _) => element.map(|element| self.scale(element, index.array_stride)),
        };
        let read = match indexing {
            Indexing::Constant => return Ok(array),
            Indexing::Push => {
                let word = self.push_word(index.push_offset);
                self.part_of(word.into(), part, index.index_stride)
            }
            Indexing::Indirect | Indexing::IndirectArray => self.indirect_offset(index, None, part)?,
        };
        Ok(Some(match array {
            Some(array) => self.add_32(array, read),
            None => read,
        }))
    }

    /// An index that is in memory, times its stride.
    fn indirect_offset(&mut self, index: &HeapIndex, more: Option<Scalar>, part: Part) -> Result<Scalar> {
        let address = self.push_address(index.push_offset);
        let leaf = Leaf::Int(32, false);
        let word = self.load_at(address.into(), more, index.address_offset, leaf)?;
        Ok(self.part_of(word, part, index.index_stride))
    }

    fn part_of(&mut self, word: Scalar, part: Part, stride: u32) -> Scalar {
        let uniform = self.as_uniform(word);
        let word = match (part, uniform) {
            (Part::Whole, _) => uniform.unwrap_or(word),
            (Part::Resource, Some(word)) => {
                let low = self.s32(0xf_ffff);
                self.b.sand(word.lo, low).into()
            }
            (Part::Resource, None) => {
                let low = self.v32(0xf_ffff);
                self.b.vand(word.lo, low).into()
            }
            (Part::Sampler, Some(word)) => {
                let by = self.s32(20);
                self.b.sshr(word.lo, by).into()
            }
            (Part::Sampler, None) => {
                let by = self.v32(20);
                self.b.vshr(word.lo, by).into()
            }
        };
        self.scale(word, stride)
    }

    /// `index * stride`, modulo 2^32.
    fn scale(&mut self, index: Scalar, stride: u32) -> Scalar {
        let index = self.as_uniform(index).unwrap_or(index);
        if self.is_varying(index) {
            let stride = self.v32(stride);
            return self.b.vmul(index.lo, stride).into();
        }
        let stride = self.s32(stride);
        self.b.smul(index.lo, stride).into()
    }

    /// A scalar in memory.
    fn load_at(&mut self, address: Scalar, offset: Option<Scalar>, disp: u32, leaf: Leaf) -> Result<Scalar> {
        let bytes = leaf.bits() / 8;
        let access = Access {
            disp,
            span: bytes,
            word: false,
            write: false,
            parts: (bytes, 1, 0),
            atomic: false,
        };
        let place = self.locate_address(address, offset, access);
        self.load_scalar(place, 0, leaf, Rule::Explicit)
    }
}
