//! Writing descriptors into the bytes of a set.

use super::encoding::{BufferDescriptor, ImageDescriptor, SamplerDescriptor, TexelBufferDescriptor};
use super::layout::{Binding, SetLayout};
use crate::memory::raw;
use crate::vk;
use bytemuck::Pod;
use vk::DescriptorType as Type;

/// Walks over the descriptors of a set from some element on, into the following bindings when one is full, as
/// `VkWriteDescriptorSet` does. Whatever would not fit the set is dropped.
#[derive(Clone, Debug)]
pub struct Cursor<'a> {
    layout: &'a SetLayout,
    address: u64,
    size: u32,
    index: usize,
    element: u32,
}

impl<'a> Cursor<'a> {
    /// At an element of `layout.bindings()[index]`, in the set of `size` bytes at `address`.
    #[must_use]
    #[inline]
    pub fn new(layout: &'a SetLayout, address: u64, size: u32, index: usize, element: u32) -> Cursor<'a> {
        Cursor {
            layout,
            address,
            size,
            index,
            element,
        }
    }

    /// The binding and offset of the present element; steps to the next one.
    #[inline(always)]
    fn step(&mut self) -> Option<(&'a Binding, u32)> {
        loop {
            let b = self.layout.bindings().get(self.index)?;
            if self.element < b.info.count {
                let offset = b.offset + self.element * b.stride;
                self.element += 1;
                return (offset + b.stride <= self.size).then_some((b, offset));
            }
            // Elements may be numbered past the end of their binding: they are the next binding's.
            self.element -= b.info.count;
            self.index += 1;
        }
    }

    #[inline(always)]
    fn put<T: Pod>(&mut self, value: &T) {
        if let Some((b, offset)) = self.step()
            && (b.stride as usize == size_of::<T>() || b.can_become(size_of::<T>()))
        {
            raw::store(self.address + u64::from(offset), *value);
        }
    }

    /// Writes a uniform or storage buffer.
    #[inline(always)]
    pub fn buffer(&mut self, value: &BufferDescriptor) {
        self.put(value);
    }

    /// Writes a texel buffer.
    #[inline]
    pub fn texel_buffer(&mut self, value: &TexelBufferDescriptor) {
        if let Some((b, offset)) = self.step()
            && (matches!(
                b.info.descriptor_type,
                Type::UNIFORM_TEXEL_BUFFER | Type::STORAGE_TEXEL_BUFFER
            ) || b.can_become(size_of_val(value)))
        {
            raw::store(self.address + u64::from(offset), *value);
        }
    }

    /// Writes an image without a sampler.
    #[inline(always)]
    pub fn image(&mut self, value: &ImageDescriptor) {
        self.put(value);
    }

    /// Writes a sampler, unless it is immutable.
    #[inline(always)]
    pub fn sampler(&mut self, value: &SamplerDescriptor) {
        if let Some((b, offset)) = self.step()
            && (b.info.descriptor_type == Type::SAMPLER || b.can_become(size_of_val(value)))
            && !b.is_immutable()
        {
            raw::store(self.address + u64::from(offset), *value);
        }
    }

    /// Writes an image with its sampler; an immutable sampler stays.
    #[inline(always)]
    pub fn combined(&mut self, image: &ImageDescriptor, sampler: &SamplerDescriptor) {
        if let Some((b, offset)) = self.step()
            && (b.info.descriptor_type == Type::COMBINED_IMAGE_SAMPLER
                || b.can_become(size_of_val(image) + size_of_val(sampler)))
        {
            let at = self.address + u64::from(offset);
            raw::store(at, *image);
            if !b.is_immutable() {
                raw::store(at + size_of::<ImageDescriptor>() as u64, *sampler);
            }
        }
    }

    /// Puts an immutable sampler in its place.
    pub(super) fn immutable(&mut self, sampler: &SamplerDescriptor) {
        if let Some((b, offset)) = self.step() {
            let skip = if b.info.descriptor_type == Type::SAMPLER {
                0
            } else {
                size_of::<ImageDescriptor>()
            };
            raw::store(self.address + u64::from(offset) + skip as u64, *sampler);
        }
    }

    /// Writes bytes of an inline uniform block; the element is a byte offset.
    pub fn inline(&mut self, bytes: &[u8]) {
        let Some(b) = self.layout.bindings().get(self.index) else {
            return;
        };
        let end = u64::from(self.element) + bytes.len() as u64;
        let fits = end <= u64::from(b.info.count) && u64::from(b.offset) + end <= u64::from(self.size);
        if b.info.descriptor_type == Type::INLINE_UNIFORM_BLOCK && fits {
            raw::write(self.address + u64::from(b.offset + self.element), bytes);
        }
    }

    /// Copies the next `count` descriptors from another place; immutable samplers of this set stay.
    pub fn copy(&mut self, source: &mut Cursor<'_>, count: u32) {
        for _ in 0..count {
            let (Some((to, to_offset)), Some((from, from_offset))) = (self.step(), source.step()) else {
                return;
            };
            let keep_sampler = to.is_immutable();
            let len = match to.info.descriptor_type {
                Type::SAMPLER if keep_sampler => 0,
                Type::COMBINED_IMAGE_SAMPLER if keep_sampler => size_of::<ImageDescriptor>(),
                _ => to.stride.min(from.stride) as usize,
            };
            raw::copy(
                self.address + u64::from(to_offset),
                source.address + u64::from(from_offset),
                len,
            );
        }
    }
}
