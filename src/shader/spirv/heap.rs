//! Descriptor heaps: where a shader's bindings find their descriptors or their data, without set layouts.

use super::api::Descriptor;
use super::interface::Interface;
use std::sync::Arc;

/// Where [`crate::shader::abi::Context::sets`] has the address of the resource heap: heaps and sets are never bound both.
pub const RESOURCE_HEAP: u32 = 0;
/// Where it has that of the sampler heap.
pub const SAMPLER_HEAP: u32 = 1;
/// Bytes of push data.
pub const PUSH_DATA_BYTES: u32 = 256;

/// The words of a sampler's descriptor.
pub type SamplerWords = [u32; 8];

/// An index into a heap, and what it is multiplied with.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct HeapIndex {
    /// Byte offset of the first descriptor.
    pub offset: u32,
    /// Bytes from one binding or array element to the next.
    pub array_stride: u32,
    /// Bytes for each unit of the index that is read.
    pub index_stride: u32,
    /// Where in push data the index is, or the address it is behind.
    pub push_offset: u32,
    /// Where behind that address.
    pub address_offset: u32,
}

/// Where the index is read from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[repr(u32)]
pub enum Indexing {
    /// There is none.
    #[default]
    Constant,
    /// Push data.
    Push,
    /// Memory whose address is in push data.
    Indirect,
    /// The same, with an index for each array element.
    IndirectArray,
}

/// What a binding is backed by.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum HeapSource {
    /// A descriptor in a heap.
    Descriptor {
        /// Where the index comes from.
        indexing: Indexing,
        /// The resource's, or that of a sampler that is no part of a combined one.
        resource: HeapIndex,
        /// The sampler's of a combined image sampler.
        sampler: HeapIndex,
        /// Whether the resource's index has that of the sampler in its high 12 bits.
        packed: bool,
        /// The sampler, if it is part of the shader.
        embedded: Option<Arc<SamplerWords>>,
    },
    /// Bytes of the resource heap.
    HeapData {
        /// Byte offset in the heap.
        offset: u32,
        /// Where in push data there is more offset.
        push_offset: u32,
    },
    /// Push data from this offset on.
    PushData(u32),
    /// Memory whose address is in push data.
    PushAddress(u32),
    /// Memory whose address is in memory whose address is in push data.
    IndirectAddress {
        /// Where in push data.
        push_offset: u32,
        /// Where behind that address.
        address_offset: u32,
    },
}

/// How some bindings are mapped.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct HeapMapping {
    /// Descriptor set.
    pub set: u32,
    /// First binding.
    pub first: u32,
    /// Bindings.
    pub count: u32,
    /// Kinds of resources, as [`type_bit`] has them.
    pub types: u32,
    /// What they are backed by.
    pub source: HeapSource,
}

/// How a shader's bindings are mapped to heaps.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct HeapLayout {
    /// The first that fits counts.
    pub mappings: Vec<HeapMapping>,
}

/// The bit of a kind of resource (`VkSpirvResourceTypeFlagBitsEXT`).
#[must_use]
pub fn type_bit(kind: Descriptor, sampled: bool, read_only: bool) -> u32 {
    match kind {
        Descriptor::Sampler => 1,
        Descriptor::CombinedImageSampler => 1 << 4,
        Descriptor::UniformBuffer => 1 << 5,
        Descriptor::StorageBuffer => 1 << if read_only { 6 } else { 7 },
        _ if sampled => 1 << 1,
        _ => 1 << if read_only { 2 } else { 3 },
    }
}

impl HeapLayout {
    /// How one binding is mapped, with its own place worked in.
    #[must_use]
    pub fn find(&self, set: u32, binding: u32, ty: u32) -> Option<HeapSource> {
        let mapping = self.mappings.iter().find(|mapping| {
            mapping.set == set
                && binding
                    .checked_sub(mapping.first)
                    .is_some_and(|n| n < mapping.count)
                && mapping.types & ty != 0
        })?;
        let number = binding - mapping.first;
        let mut source = mapping.source.clone();
        if let HeapSource::Descriptor {
            indexing,
            resource,
            sampler,
            ..
        } = &mut source
        {
            for index in [resource, sampler] {
                let (to, by) = match indexing {
                    Indexing::IndirectArray => (&mut index.address_offset, 4),
                    _ => (&mut index.offset, index.array_stride),
                };
                *to = to.wrapping_add(number.wrapping_mul(by));
            }
        }
        Some(source)
    }

    /// The same for the bindings that a shader has, each by itself, with nothing in it that does not count.
    #[must_use]
    pub fn reduced(&self, interface: &Interface) -> HeapLayout {
        let one = |resource: &super::Resource| {
            let ty = resource.heap_type;
            let mut source = self.find(resource.set, resource.binding, ty)?;
            strip(&mut source, resource.kind);
            Some(HeapMapping {
                set: resource.set,
                first: resource.binding,
                count: 1,
                types: ty,
                source,
            })
        };
        let mut mappings: Vec<HeapMapping> = interface.resources.iter().filter_map(one).collect();
        mappings.sort_by_key(|mapping| (mapping.set, mapping.first, mapping.types));
        mappings.dedup_by_key(|mapping| (mapping.set, mapping.first, mapping.types));
        HeapLayout { mappings }
    }

    /// As words, which [`HeapLayout::from_words`] reads.
    #[must_use]
    pub fn words(&self) -> Vec<u32> {
        let mut out = vec![self.mappings.len() as u32];
        for mapping in &self.mappings {
            out.extend([mapping.set, mapping.first, mapping.count, mapping.types]);
            match &mapping.source {
                HeapSource::Descriptor {
                    indexing,
                    resource,
                    sampler,
                    packed,
                    embedded,
                } => {
                    out.extend([0, *indexing as u32, u32::from(*packed)]);
                    for index in [resource, sampler] {
                        out.extend([index.offset, index.array_stride, index.index_stride]);
                        out.extend([index.push_offset, index.address_offset]);
                    }
                    out.push(u32::from(embedded.is_some()));
                    out.extend(embedded.iter().flat_map(|words| words.iter()));
                }
                HeapSource::HeapData { offset, push_offset } => out.extend([1, *offset, *push_offset]),
                HeapSource::PushData(offset) => out.extend([2, *offset]),
                HeapSource::PushAddress(offset) => out.extend([3, *offset]),
                HeapSource::IndirectAddress {
                    push_offset,
                    address_offset,
                } => out.extend([4, *push_offset, *address_offset]),
            }
        }
        out
    }

    /// From words, and how many of them it took.
    #[must_use]
    pub fn from_words(words: &[u32]) -> Option<(HeapLayout, usize)> {
        let mut at = 0;
        let mut next = || {
            at += 1;
            words.get(at - 1).copied()
        };
        let count = next()?;
        let mut mappings = Vec::new();
        for _ in 0..count {
            let [set, first, count, types] = [next()?, next()?, next()?, next()?];
            let source = match next()? {
                0 => read_descriptor(&mut next)?,
                1 => HeapSource::HeapData {
                    offset: next()?,
                    push_offset: next()?,
                },
                2 => HeapSource::PushData(next()?),
                3 => HeapSource::PushAddress(next()?),
                _ => HeapSource::IndirectAddress {
                    push_offset: next()?,
                    address_offset: next()?,
                },
            };
            mappings.push(HeapMapping {
                set,
                first,
                count,
                types,
                source,
            });
        }
        Some((HeapLayout { mappings }, at))
    }
}

fn read_descriptor(next: &mut impl FnMut() -> Option<u32>) -> Option<HeapSource> {
    let indexing = match next()? {
        0 => Indexing::Constant,
        1 => Indexing::Push,
        2 => Indexing::Indirect,
        _ => Indexing::IndirectArray,
    };
    let packed = next()? != 0;
    let mut index = || {
        Some(HeapIndex {
            offset: next()?,
            array_stride: next()?,
            index_stride: next()?,
            push_offset: next()?,
            address_offset: next()?,
        })
    };
    let (resource, sampler) = (index()?, index()?);
    let embedded = if next()? == 0 {
        None
    } else {
        let mut words = SamplerWords::default();
        for word in &mut words {
            *word = next()?;
        }
        Some(Arc::new(words))
    };
    Some(HeapSource::Descriptor {
        indexing,
        resource,
        sampler,
        packed,
        embedded,
    })
}

/// Clears what does not count for a resource of this kind.
fn strip(source: &mut HeapSource, kind: Descriptor) {
    let HeapSource::Descriptor {
        indexing,
        resource,
        sampler,
        packed,
        embedded,
    } = source
    else {
        return;
    };
    let combined = kind == Descriptor::CombinedImageSampler;
    if !combined {
        *sampler = HeapIndex::default();
        *packed = false;
    }
    if !combined && kind != Descriptor::Sampler {
        *embedded = None;
    }
    if embedded.is_some() {
        let unused = if combined { &mut *sampler } else { &mut *resource };
        *unused = HeapIndex::default();
        if !combined {
            *indexing = Indexing::Constant;
        }
    } else if *packed {
        (sampler.push_offset, sampler.address_offset) = (0, 0);
    }
    for index in [resource, sampler] {
        match indexing {
            Indexing::Constant => {
                (index.index_stride, index.push_offset, index.address_offset) = (0, 0, 0);
            }
            Indexing::Push => index.address_offset = 0,
            Indexing::Indirect => {}
            Indexing::IndirectArray => index.array_stride = 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shader::spirv::Resource;

    fn layout(first: u32, count: u32, embedded: bool) -> HeapLayout {
        let index = |n: u32| HeapIndex {
            offset: 64 * n,
            array_stride: 64,
            index_stride: 128,
            push_offset: 4 * n,
            address_offset: 8,
        };
        HeapLayout {
            mappings: vec![HeapMapping {
                set: 3,
                first,
                count,
                types: 0x7fff_ffff,
                source: HeapSource::Descriptor {
                    indexing: Indexing::Push,
                    resource: index(1),
                    sampler: index(2),
                    packed: false,
                    embedded: embedded.then(|| Arc::new([7; 8])),
                },
            }],
        }
    }

    fn uses(kind: Descriptor, binding: u32) -> Interface {
        Interface {
            resources: vec![Resource {
                set: 3,
                binding,
                kind,
                count: 1,
                input_attachment: None,
                heap_type: type_bit(kind, true, false),
            }],
            ..Interface::default()
        }
    }

    #[test]
    fn what_a_shader_does_not_use_leaves_no_trace() {
        let storage = uses(Descriptor::StorageBuffer, 5);
        let one = layout(5, 1, false).reduced(&storage);
        let mut other = layout(5, 9, true);
        other.mappings.insert(0, layout(0, 5, true).mappings.remove(0));
        assert_eq!(one, other.reduced(&storage));
        assert_ne!(
            one,
            layout(4, 9, false).reduced(&storage),
            "the binding is the second"
        );
        let combined = uses(Descriptor::CombinedImageSampler, 5);
        assert_ne!(
            layout(5, 1, false).reduced(&combined),
            layout(5, 1, true).reduced(&combined)
        );
    }

    #[test]
    fn words_bring_back_the_layout() {
        let mut all = layout(5, 2, true);
        for source in [
            HeapSource::HeapData {
                offset: 1,
                push_offset: 2,
            },
            HeapSource::PushData(3),
            HeapSource::PushAddress(8),
            HeapSource::IndirectAddress {
                push_offset: 16,
                address_offset: 24,
            },
        ] {
            let mapping = all.mappings[0].clone();
            all.mappings.push(HeapMapping { source, ..mapping });
        }
        let words = all.words();
        assert_eq!(HeapLayout::from_words(&words), Some((all, words.len())));
        for end in 0..words.len() {
            assert_eq!(HeapLayout::from_words(&words[..end]), None);
        }
    }
}
