//! Writing descriptors into the bytes of a set.

use super::encoding::{BufferDescriptor, ImageDescriptor, SamplerDescriptor, TexelBufferDescriptor};
use super::slot::{Slot, takes};
use crate::memory::raw;
use bytemuck::Pod;

/// The place of one descriptor, and what it takes.
#[derive(Clone, Copy, Debug)]
pub struct Spot {
    address: u64,
    takes: u32,
}

impl Spot {
    #[inline(always)]
    pub(super) fn new(address: u64, slot: &Slot) -> Spot {
        Spot {
            address,
            takes: slot.takes,
        }
    }

    /// Stores a descriptor, if its kind is taken.
    #[inline(always)]
    fn put<T: Pod>(self, kind: u32, value: &T) {
        if self.takes & kind != 0 {
            raw::store(self.address, *value);
        }
    }

    /// Writes a uniform or storage buffer.
    #[inline(always)]
    pub fn buffer(self, value: &BufferDescriptor) {
        self.put(takes::BUFFER, value);
    }

    /// Writes a texel buffer.
    #[inline(always)]
    pub fn texel_buffer(self, value: &TexelBufferDescriptor) {
        self.put(takes::TEXEL_BUFFER, value);
    }

    /// Writes an image without a sampler.
    #[inline(always)]
    pub fn image(self, value: &ImageDescriptor) {
        self.put(takes::IMAGE, value);
    }

    /// Writes a sampler, unless it is immutable.
    #[inline(always)]
    pub fn sampler(self, value: &SamplerDescriptor) {
        if self.takes & takes::NO_SAMPLER == 0 {
            self.put(takes::SAMPLER, value);
        }
    }

    /// Writes an image with its sampler; an immutable sampler stays.
    #[inline(always)]
    pub fn combined(self, image: &ImageDescriptor, sampler: &SamplerDescriptor) {
        if self.takes & takes::COMBINED == 0 {
            return;
        }
        raw::store(self.address, *image);
        if self.takes & takes::NO_SAMPLER == 0 {
            raw::store(self.address + size_of::<ImageDescriptor>() as u64, *sampler);
        }
    }
}

/// Walks over the descriptors of a set from some element on, into the following bindings when one is full, as
/// `VkWriteDescriptorSet` does. Whatever would not fit the set is dropped.
#[derive(Clone, Debug)]
pub struct Cursor<'a> {
    slots: &'a [Slot],
    address: u64,
    size: u32,
    index: usize,
    element: u32,
}

impl<'a> Cursor<'a> {
    /// At an element of `slots[index]`, in the set of `size` bytes at `address`.
    #[inline(always)]
    pub(super) fn new(slots: &'a [Slot], address: u64, size: u32, index: usize, element: u32) -> Cursor<'a> {
        Cursor {
            slots,
            address,
            size,
            index,
            element,
        }
    }

    /// The binding and offset of the present element; steps to the next one.
    #[inline(always)]
    fn step(&mut self) -> Option<(&'a Slot, u32)> {
        loop {
            let slot = self.slots.get(self.index)?;
            if self.element < slot.count {
                let offset = slot.offset + self.element * slot.stride;
                self.element += 1;
                return (offset + slot.stride <= self.size).then_some((slot, offset));
            }
            // Elements may be numbered past the end of their binding: they are the next binding's.
            self.element -= slot.count;
            self.index += 1;
        }
    }

    /// The place of the present element; steps to the next one.
    #[inline(always)]
    fn spot(&mut self) -> Option<Spot> {
        let (slot, offset) = self.step()?;
        Some(Spot::new(self.address + u64::from(offset), slot))
    }

    /// Writes a uniform or storage buffer.
    #[inline(always)]
    pub fn buffer(&mut self, value: &BufferDescriptor) {
        if let Some(spot) = self.spot() {
            spot.buffer(value);
        }
    }

    /// Writes a texel buffer.
    #[inline(always)]
    pub fn texel_buffer(&mut self, value: &TexelBufferDescriptor) {
        if let Some(spot) = self.spot() {
            spot.texel_buffer(value);
        }
    }

    /// Writes an image without a sampler.
    #[inline(always)]
    pub fn image(&mut self, value: &ImageDescriptor) {
        if let Some(spot) = self.spot() {
            spot.image(value);
        }
    }

    /// Writes a sampler, unless it is immutable.
    #[inline(always)]
    pub fn sampler(&mut self, value: &SamplerDescriptor) {
        if let Some(spot) = self.spot() {
            spot.sampler(value);
        }
    }

    /// Writes an image with its sampler; an immutable sampler stays.
    #[inline(always)]
    pub fn combined(&mut self, image: &ImageDescriptor, sampler: &SamplerDescriptor) {
        if let Some(spot) = self.spot() {
            spot.combined(image, sampler);
        }
    }

    /// Puts an immutable sampler in its place.
    pub(super) fn immutable(&mut self, sampler: &SamplerDescriptor) {
        if let Some((slot, offset)) = self.step() {
            let skip = if slot.takes(takes::SAMPLER) {
                0
            } else {
                size_of::<ImageDescriptor>()
            };
            raw::store(self.address + u64::from(offset) + skip as u64, *sampler);
        }
    }

    /// Writes bytes of an inline uniform block; the element is a byte offset.
    pub fn inline(&mut self, bytes: &[u8]) {
        let Some(slot) = self.slots.get(self.index) else {
            return;
        };
        let end = u64::from(self.element) + bytes.len() as u64;
        let fits = end <= u64::from(slot.count) && u64::from(slot.offset) + end <= u64::from(self.size);
        if slot.takes(takes::BYTES) && fits {
            raw::write(self.address + u64::from(slot.offset + self.element), bytes);
        }
    }

    /// Copies the next `count` descriptors from another place; immutable samplers of this set stay.
    pub fn copy(&mut self, source: &mut Cursor<'_>, count: u32) {
        for _ in 0..count {
            let (Some((to, to_offset)), Some((from, from_offset))) = (self.step(), source.step()) else {
                return;
            };
            let len = if !to.takes(takes::NO_SAMPLER) {
                to.stride.min(from.stride) as usize
            } else if to.takes(takes::COMBINED) {
                size_of::<ImageDescriptor>()
            } else {
                0
            };
            raw::copy(
                self.address + u64::from(to_offset),
                source.address + u64::from(from_offset),
                len,
            );
        }
    }
}
