//! Push descriptors: the sets that a recording writes into, one an index.

use super::layout::SetLayout;
use super::write::Cursor;
use std::sync::Arc;

/// The pushed sets of one bind point, as they are at this place of the recording.
#[derive(Debug, Default)]
pub struct PushedSets(Vec<Option<PushedSet>>);

#[derive(Debug)]
struct PushedSet {
    layout: Arc<SetLayout>,
    bytes: Vec<u128>,
}

impl PushedSets {
    /// The set at `index`, to be written. What was pushed before stays, while the layout is the same.
    pub fn set(&mut self, index: usize, layout: &Arc<SetLayout>) -> Target<'_> {
        if self.0.len() <= index {
            self.0.resize_with(index + 1, || None);
        }
        let slot = &mut self.0[index];
        if slot.as_ref().is_some_and(|s| !Arc::ptr_eq(&s.layout, layout)) {
            *slot = None;
        }
        let set = slot.get_or_insert_with(|| {
            let mut bytes = vec![0; (layout.size() as usize).div_ceil(size_of::<u128>())];
            layout.initialize(bytes.as_mut_ptr() as u64, layout.size());
            PushedSet {
                layout: layout.clone(),
                bytes,
            }
        });
        Target {
            address: set.bytes.as_mut_ptr() as u64,
            layout: &set.layout,
            bytes: &set.bytes,
        }
    }
}

/// A pushed set that is being written.
#[derive(Debug)]
pub struct Target<'a> {
    layout: &'a SetLayout,
    address: u64,
    bytes: &'a Vec<u128>,
}

impl<'a> Target<'a> {
    /// A cursor at an element of a binding; `None` if the layout has no such binding.
    #[must_use]
    pub fn cursor(&self, binding: u32, element: u32) -> Option<Cursor<'a>> {
        let index = self.layout.find(binding)?;
        Some(Cursor::new(
            self.layout.slots(),
            self.address,
            self.layout.size(),
            index,
            element,
        ))
    }

    /// The bytes of the set, once it is written.
    #[must_use]
    pub fn into_bytes(self) -> &'a [u128] {
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::descriptor::BufferDescriptor;
    use crate::descriptor::layout::tests::binding;
    use crate::vk;

    #[test]
    fn what_was_pushed_stays_until_the_layout_changes() {
        let layout = || {
            let infos = vec![
                binding(0, vk::DescriptorType::STORAGE_BUFFER, 1),
                binding(1, vk::DescriptorType::STORAGE_BUFFER, 1),
            ];
            Arc::new(SetLayout::new(vk::DescriptorSetLayoutCreateFlags::PUSH_DESCRIPTOR_KHR, infos).unwrap())
        };
        let (first, second) = (layout(), layout());
        let mut sets = PushedSets::default();
        let mut push = |layout: &Arc<SetLayout>, number: u32, address: u64| {
            let target = sets.set(2, layout);
            target
                .cursor(number, 0)
                .unwrap()
                .buffer(&BufferDescriptor::new(address, 4));
            let bytes = target.into_bytes();
            [bytes[0] as u64, bytes[1] as u64]
        };
        assert_eq!(push(&first, 0, 5), [5, 0]);
        assert_eq!(push(&first, 1, 6), [5, 6]);
        assert_eq!(push(&second, 1, 7), [0, 7]);
    }
}
