//! Set layouts and pipeline layouts: where each descriptor lies in the bytes of its set.

use super::Error;
use super::encoding::{BufferDescriptor, ImageDescriptor, SamplerDescriptor, TexelBufferDescriptor};
use super::slot::{self, Slot};
use super::write::Cursor;
use crate::memory::{Footprint, bytes_in, bytes_of};
use crate::pipeline::{LayoutBinding, ResourceLayout};
use crate::vk;
use std::sync::Arc;
use vk::DescriptorType as Type;

/// Bindings begin at multiples of this, within the set; so every descriptor is aligned to 16 bytes.
pub(super) const BINDING_ALIGNMENT: u32 = 16;
/// Sets begin at multiples of this.
pub const SET_ALIGNMENT: u64 = 64;
/// Bytes of a set beyond which it cannot be laid out.
const MAX_SET: u64 = 1 << 31;

/// Bytes of one descriptor; `None` for types that there are none of.
#[must_use]
pub fn descriptor_size(ty: Type) -> Option<u32> {
    Some(match ty {
        Type::UNIFORM_BUFFER | Type::STORAGE_BUFFER => size_of::<BufferDescriptor>(),
        Type::UNIFORM_BUFFER_DYNAMIC | Type::STORAGE_BUFFER_DYNAMIC => size_of::<BufferDescriptor>(),
        Type::UNIFORM_TEXEL_BUFFER | Type::STORAGE_TEXEL_BUFFER => size_of::<TexelBufferDescriptor>(),
        Type::SAMPLED_IMAGE | Type::STORAGE_IMAGE | Type::INPUT_ATTACHMENT => size_of::<ImageDescriptor>(),
        Type::SAMPLER => size_of::<SamplerDescriptor>(),
        Type::COMBINED_IMAGE_SAMPLER => size_of::<ImageDescriptor>() + size_of::<SamplerDescriptor>(),
        Type::INLINE_UNIFORM_BLOCK => 1,
        // The largest that it can become.
        Type::MUTABLE_EXT => return descriptor_size(Type::COMBINED_IMAGE_SAMPLER),
        _ => return None,
    } as u32)
}

/// Whether a buffer of this type takes a dynamic offset.
#[must_use]
pub fn is_dynamic(ty: Type) -> bool {
    matches!(ty, Type::UNIFORM_BUFFER_DYNAMIC | Type::STORAGE_BUFFER_DYNAMIC)
}

/// What a binding is made from.
#[derive(Clone, Debug, Default)]
#[allow(missing_docs, reason = "Vulkan's names")]
pub struct BindingInfo {
    pub binding: u32,
    pub descriptor_type: vk::DescriptorType,
    pub count: u32,
    pub stages: vk::ShaderStageFlags,
    pub flags: vk::DescriptorBindingFlags,
    /// Bytes of the immutable samplers: none, or one an element.
    pub immutable_samplers: Vec<SamplerDescriptor>,
    /// Types that a mutable descriptor can become.
    pub mutable_types: Vec<vk::DescriptorType>,
}

impl BindingInfo {
    /// Bytes of one of its descriptors.
    fn stride(&self) -> Result<u32, Error> {
        let ty = self.descriptor_type;
        if ty != Type::MUTABLE_EXT {
            return descriptor_size(ty).ok_or(Error::Type(ty));
        }
        let size = |&ty: &Type| {
            let fixed = is_dynamic(ty) || matches!(ty, Type::INLINE_UNIFORM_BLOCK | Type::MUTABLE_EXT);
            descriptor_size(ty).filter(|_| !fixed).ok_or(Error::Type(ty))
        };
        self.mutable_types
            .iter()
            .map(size)
            .try_fold(0, |most, size| Ok(most.max(size?)))
    }
}

/// A binding of a set layout.
#[derive(Clone, Debug)]
pub struct Binding {
    /// What it was made from.
    pub info: BindingInfo,
    /// First byte of element 0 in the set.
    pub offset: u32,
    /// Bytes from one element to the next.
    pub stride: u32,
    /// Dynamic buffers: number of element 0 among the set's dynamic descriptors.
    pub first_dynamic: u32,
}

impl Binding {
    /// Whether its samplers are fixed by the layout.
    #[must_use]
    #[inline]
    pub fn is_immutable(&self) -> bool {
        !self.info.immutable_samplers.is_empty()
    }

    fn is_variable(&self) -> bool {
        self.info
            .flags
            .contains(vk::DescriptorBindingFlags::VARIABLE_DESCRIPTOR_COUNT)
    }
}

/// A `VkDescriptorSetLayout`.
#[derive(Debug)]
pub struct SetLayout {
    flags: vk::DescriptorSetLayoutCreateFlags,
    /// By binding number.
    bindings: Vec<Binding>,
    slots: Arc<[Slot]>,
    size: u32,
    dynamic_count: u32,
    /// The immutable samplers as a set, where they are embedded in the layout.
    embedded: Option<Box<[u128]>>,
}

impl SetLayout {
    /// Lays a set out.
    ///
    /// # Errors
    /// [`Error::Type`] for types that there are none of, [`Error::TooLarge`].
    pub fn new(
        flags: vk::DescriptorSetLayoutCreateFlags,
        mut infos: Vec<BindingInfo>,
    ) -> Result<SetLayout, Error> {
        infos.sort_by_key(|i| i.binding);
        let mut bindings = Vec::with_capacity(infos.len());
        let (mut end, mut dynamic_count) = (0u64, 0u32);
        for info in infos {
            let ty = info.descriptor_type;
            let stride = info.stride()?;
            let offset = end.next_multiple_of(u64::from(BINDING_ALIGNMENT));
            end = offset + u64::from(stride) * u64::from(info.count);
            if end > MAX_SET {
                return Err(Error::TooLarge);
            }
            let first_dynamic = dynamic_count;
            if is_dynamic(ty) {
                dynamic_count += info.count;
            }
            bindings.push(Binding {
                info,
                offset: offset as u32,
                stride,
                first_dynamic,
            });
        }
        let mut layout = SetLayout {
            flags,
            slots: bindings.iter().map(Slot::of).collect(),
            bindings,
            size: end.next_multiple_of(u64::from(BINDING_ALIGNMENT)) as u32,
            dynamic_count,
            embedded: None,
        };
        if flags.contains(vk::DescriptorSetLayoutCreateFlags::EMBEDDED_IMMUTABLE_SAMPLERS_EXT) {
            layout.embed();
        }
        Ok(layout)
    }

    fn embed(&mut self) {
        let mut bytes = vec![0u128; self.size as usize / size_of::<u128>()].into_boxed_slice();
        for b in &self.bindings {
            for (element, sampler) in (0..).zip(&b.info.immutable_samplers) {
                let at = (b.offset + element * b.stride) as usize;
                bytemuck::cast_slice_mut(&mut bytes)[at..at + size_of::<SamplerDescriptor>()]
                    .copy_from_slice(bytemuck::bytes_of(sampler));
            }
        }
        self.embedded = Some(bytes);
    }

    /// Flags that it was made with.
    #[must_use]
    pub fn flags(&self) -> vk::DescriptorSetLayoutCreateFlags {
        self.flags
    }

    /// Bindings, by number.
    #[must_use]
    #[inline]
    pub fn bindings(&self) -> &[Binding] {
        &self.bindings
    }

    /// The place of a binding among `bindings`.
    #[must_use]
    #[inline]
    pub fn find(&self, binding: u32) -> Option<usize> {
        slot::find(&self.slots, binding)
    }

    /// The bindings as writing sees them.
    pub(super) fn slots(&self) -> &Arc<[Slot]> {
        &self.slots
    }

    /// Bytes of a set.
    #[must_use]
    pub fn size(&self) -> u32 {
        self.size
    }

    /// Bytes of a set whose variable-sized binding (the last one) has `variable` elements.
    #[must_use]
    pub fn size_with(&self, variable: u32) -> u32 {
        match self.variable() {
            Some(b) => (b.offset + b.stride * variable.min(b.info.count)).next_multiple_of(BINDING_ALIGNMENT),
            None => self.size,
        }
    }

    /// The binding of variable size.
    #[must_use]
    pub fn variable(&self) -> Option<&Binding> {
        self.bindings.last().filter(|b| b.is_variable())
    }

    /// Elements of a binding in a set whose variable-sized binding has `variable`.
    #[must_use]
    pub fn count(&self, binding: &Binding, variable: u32) -> u32 {
        if binding.is_variable() {
            variable.min(binding.info.count)
        } else {
            binding.info.count
        }
    }

    /// Dynamic descriptors.
    #[must_use]
    pub fn dynamic_count(&self) -> u32 {
        self.dynamic_count
    }

    /// The bytes of a set of the embedded immutable samplers.
    #[must_use]
    pub fn embedded(&self) -> Option<&[u128]> {
        self.embedded.as_deref()
    }

    /// Makes the `size` bytes at `address` a new set: null descriptors and the immutable samplers.
    pub fn initialize(&self, address: u64, size: u32) {
        crate::memory::raw::fill(address, 0, size as usize);
        for (index, b) in self.bindings.iter().enumerate().filter(|(_, b)| b.is_immutable()) {
            let mut cursor = Cursor::new(&self.slots, address, size, index, 0);
            b.info.immutable_samplers.iter().for_each(|s| cursor.immutable(s));
        }
    }
}

/// A `VkPipelineLayout`.
#[derive(Debug)]
pub struct PipelineLayout {
    sets: Vec<Option<Arc<SetLayout>>>,
    /// Number of each set's first dynamic descriptor.
    first_dynamic: Vec<u32>,
    push_ranges: Vec<vk::PushConstantRange>,
    resources: Arc<ResourceLayout>,
}

impl PipelineLayout {
    /// The layout of these sets and push constants.
    #[must_use]
    pub fn new(sets: Vec<Option<Arc<SetLayout>>>, push_ranges: Vec<vk::PushConstantRange>) -> PipelineLayout {
        let mut next = 0;
        let mut first_dynamic = Vec::with_capacity(sets.len());
        let mut resources = ResourceLayout {
            sets: vec![],
            push_size: push_ranges.iter().map(|r| r.offset + r.size).max().unwrap_or(0),
            heaps: false,
        };
        for set in &sets {
            first_dynamic.push(next);
            let bindings = set.iter().flat_map(|s| s.bindings());
            resources.sets.push(
                bindings
                    .filter(|b| b.info.count > 0)
                    .map(|b| layout_binding(b, next))
                    .collect(),
            );
            next += set.as_ref().map_or(0, |s| s.dynamic_count());
        }
        PipelineLayout {
            sets,
            first_dynamic,
            push_ranges,
            resources: Arc::new(resources),
        }
    }

    /// Layouts of its sets.
    #[must_use]
    pub fn sets(&self) -> &[Option<Arc<SetLayout>>] {
        &self.sets
    }

    /// Number of the first dynamic descriptor of a set among those of all sets.
    #[must_use]
    pub fn first_dynamic(&self, set: u32) -> u32 {
        self.first_dynamic.get(set as usize).copied().unwrap_or(0)
    }

    /// Push constant ranges.
    #[must_use]
    pub fn push_ranges(&self) -> &[vk::PushConstantRange] {
        &self.push_ranges
    }

    /// What shaders must know of it.
    #[must_use]
    pub fn resources(&self) -> &Arc<ResourceLayout> {
        &self.resources
    }
}

fn layout_binding(b: &Binding, first_dynamic: u32) -> LayoutBinding {
    LayoutBinding {
        binding: b.info.binding,
        descriptor_type: b.info.descriptor_type,
        count: b.info.count,
        offset: b.offset,
        stride: b.stride,
        first_dynamic: first_dynamic + b.first_dynamic,
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(crate) fn binding(binding: u32, descriptor_type: Type, count: u32) -> BindingInfo {
        BindingInfo {
            binding,
            descriptor_type,
            count,
            ..Default::default()
        }
    }

    #[test]
    fn bindings_lie_in_the_order_of_their_numbers() {
        let l = SetLayout::new(
            vk::DescriptorSetLayoutCreateFlags::empty(),
            vec![
                binding(7, Type::STORAGE_BUFFER_DYNAMIC, 2),
                binding(0, Type::UNIFORM_BUFFER_DYNAMIC, 1),
                binding(3, Type::COMBINED_IMAGE_SAMPLER, 2),
                binding(4, Type::INLINE_UNIFORM_BLOCK, 20),
            ],
        )
        .unwrap();
        let places: Vec<_> = l
            .bindings()
            .iter()
            .map(|b| (b.info.binding, b.offset, b.first_dynamic))
            .collect();
        assert_eq!(places, [(0, 0, 0), (3, 16, 1), (4, 208, 1), (7, 240, 1)]);
        assert_eq!((l.size(), l.dynamic_count()), (272, 3));
        assert_eq!((l.find(4), l.find(5)), (Some(2), None));
    }

    #[test]
    fn a_mutable_binding_has_room_for_the_largest_type() {
        let mutable = |types: &[Type]| {
            let mut info = binding(0, Type::MUTABLE_EXT, 2);
            info.mutable_types = types.to_vec();
            SetLayout::new(vk::DescriptorSetLayoutCreateFlags::empty(), vec![info])
                .map(|l| l.bindings()[0].stride)
        };
        assert_eq!(
            mutable(&[Type::UNIFORM_BUFFER, Type::STORAGE_TEXEL_BUFFER]),
            Ok(32)
        );
        assert_eq!(mutable(&[Type::SAMPLED_IMAGE, Type::SAMPLER]), Ok(64));
        assert!(mutable(&[Type::UNIFORM_BUFFER_DYNAMIC]).is_err());
    }

    #[test]
    fn dynamic_descriptors_are_counted_over_all_sets() {
        let set = |infos| {
            Some(Arc::new(
                SetLayout::new(vk::DescriptorSetLayoutCreateFlags::empty(), infos).unwrap(),
            ))
        };
        let range = vk::PushConstantRange {
            stage_flags: vk::ShaderStageFlags::ALL,
            offset: 16,
            size: 8,
        };
        let p = PipelineLayout::new(
            vec![
                set(vec![binding(0, Type::UNIFORM_BUFFER_DYNAMIC, 3)]),
                None,
                set(vec![binding(2, Type::STORAGE_BUFFER_DYNAMIC, 1)]),
            ],
            vec![range],
        );
        assert_eq!((p.first_dynamic(0), p.first_dynamic(2)), (0, 3));
        assert_eq!(p.resources().sets[2][0].first_dynamic, 3);
        assert_eq!(p.resources().push_size, 24);
    }

    #[test]
    fn a_variable_binding_takes_what_it_is_given() {
        let mut last = binding(1, Type::SAMPLED_IMAGE, 1000);
        last.flags = vk::DescriptorBindingFlags::VARIABLE_DESCRIPTOR_COUNT;
        let l = SetLayout::new(
            vk::DescriptorSetLayoutCreateFlags::empty(),
            vec![binding(0, Type::SAMPLER, 1), last],
        )
        .unwrap();
        assert_eq!(
            (l.size(), l.size_with(3), l.size_with(9999)),
            (32 + 64_000, 32 + 192, 32 + 64_000)
        );
    }
}

impl Footprint for SetLayout {
    fn footprint(&self) -> u64 {
        let lists = self
            .bindings
            .iter()
            .map(|b| bytes_in(&b.info.immutable_samplers) + bytes_in(&b.info.mutable_types));
        let embedded = self.embedded.as_ref().map_or(0, |bytes| bytes_in(bytes));
        bytes_of(self) + bytes_in(&self.bindings) + lists.sum::<u64>() + embedded
    }
}

impl Footprint for PipelineLayout {
    fn footprint(&self) -> u64 {
        let resources = &*self.resources;
        let bindings = resources.sets.iter().map(|set| bytes_in(set));
        let lists = bytes_in(&self.sets) + bytes_in(&self.first_dynamic) + bytes_in(&self.push_ranges);
        bytes_of(self) + lists + bytes_of(resources) + bytes_in(&resources.sets) + bindings.sum::<u64>()
    }
}
