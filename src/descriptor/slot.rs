//! What writing needs of a binding: a few words, so that those of a whole set stay in a cache line or two.

use super::encoding::{BufferDescriptor, ImageDescriptor, SamplerDescriptor, TexelBufferDescriptor};
use super::layout::Binding;
use crate::vk::DescriptorType as Type;

/// Descriptors that a binding takes, one bit each.
pub(super) mod takes {
    pub(in super::super) const BUFFER: u32 = 1;
    pub(in super::super) const TEXEL_BUFFER: u32 = 2;
    pub(in super::super) const IMAGE: u32 = 4;
    pub(in super::super) const SAMPLER: u32 = 8;
    pub(in super::super) const COMBINED: u32 = 16;
    /// Bytes of an inline uniform block.
    pub(in super::super) const BYTES: u32 = 32;
    /// Not a descriptor: the samplers are fixed by the layout.
    pub(in super::super) const NO_SAMPLER: u32 = 64;
}

/// A binding as writing sees it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    /// Number of the binding.
    pub(super) binding: u32,
    /// First byte of element 0 in the set.
    pub(super) offset: u32,
    /// Bytes from one element to the next.
    pub(super) stride: u32,
    /// Elements.
    pub(super) count: u32,
    /// See [`takes`].
    pub(super) takes: u32,
}

impl Slot {
    pub(super) fn of(binding: &Binding) -> Slot {
        let fixed = if binding.is_immutable() {
            takes::NO_SAMPLER
        } else {
            0
        };
        Slot {
            binding: binding.info.binding,
            offset: binding.offset,
            stride: binding.stride,
            count: binding.info.count,
            takes: taken(binding) | fixed,
        }
    }

    /// Whether it takes this kind of descriptor.
    #[inline(always)]
    pub(super) fn takes(&self, kind: u32) -> bool {
        self.takes & kind != 0
    }
}

fn taken(binding: &Binding) -> u32 {
    match binding.info.descriptor_type {
        Type::UNIFORM_TEXEL_BUFFER | Type::STORAGE_TEXEL_BUFFER => takes::TEXEL_BUFFER,
        Type::SAMPLED_IMAGE | Type::STORAGE_IMAGE | Type::INPUT_ATTACHMENT => takes::IMAGE,
        Type::SAMPLER => takes::SAMPLER,
        Type::COMBINED_IMAGE_SAMPLER => takes::COMBINED,
        Type::INLINE_UNIFORM_BLOCK => takes::BYTES,
        // Whatever there is room for.
        Type::MUTABLE_EXT => {
            let (image, sampler) = (size_of::<ImageDescriptor>(), size_of::<SamplerDescriptor>());
            let kinds = [
                (takes::BUFFER, size_of::<BufferDescriptor>()),
                (takes::TEXEL_BUFFER, size_of::<TexelBufferDescriptor>()),
                (takes::IMAGE, image),
                (takes::SAMPLER, sampler),
                (takes::COMBINED, image + sampler),
            ];
            let fits = |&(_, size): &(u32, usize)| size <= binding.stride as usize;
            kinds.iter().filter(|kind| fits(kind)).map(|kind| kind.0).sum()
        }
        _ => takes::BUFFER,
    }
}

/// The place of a binding among slots that are sorted by number.
#[inline]
pub(super) fn find(slots: &[Slot], binding: u32) -> Option<usize> {
    // Most layouts have no gaps.
    let index = binding as usize;
    if slots.get(index).is_some_and(|slot| slot.binding == binding) {
        return Some(index);
    }
    slots.binary_search_by_key(&binding, |slot| slot.binding).ok()
}
