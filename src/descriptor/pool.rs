//! Descriptor pools and sets. A pool is one internal allocation; its sets are runs of bytes in it.

use super::Error;
use super::layout::{BINDING_ALIGNMENT, SET_ALIGNMENT, SetLayout, descriptor_size};
use super::slot::{self, Slot};
use super::write::{Cursor, Spot};
use crate::memory::{Allocation, Memory};
use crate::vk;
use parking_lot::Mutex;
use smallvec::SmallVec;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What a pool is made from.
#[derive(Clone, Debug, Default)]
#[allow(missing_docs, reason = "Vulkan's names")]
pub struct PoolInfo {
    pub flags: vk::DescriptorPoolCreateFlags,
    pub max_sets: u32,
    pub sizes: Vec<vk::DescriptorPoolSize>,
    pub max_inline_bindings: u32,
}

/// A `VkDescriptorPool`.
#[derive(Debug)]
pub struct Pool {
    allocation: Arc<Allocation>,
    info: PoolInfo,
    state: Mutex<State>,
}

/// How many descriptors of each type.
type Counts = SmallVec<[(vk::DescriptorType, u32); 12]>;

#[derive(Debug)]
struct State {
    /// Sets that can still be made.
    sets: u32,
    /// Descriptors that can still be had.
    left: Counts,
    /// Free bytes: length by offset.
    free: BTreeMap<u32, u32>,
    /// Whether a set was freed since the last reset.
    freed: bool,
}

/// A `VkDescriptorSet`: its bytes, and their layout.
#[derive(Debug)]
pub struct DescriptorSet {
    layout: Arc<SetLayout>,
    /// Those of the layout, within reach.
    slots: Arc<[Slot]>,
    address: u64,
    size: u32,
    /// Elements of the variable-sized binding.
    variable: u32,
}

fn add(counts: &mut Counts, ty: vk::DescriptorType, count: u32) {
    // The two kinds of texel buffers have the same bytes, and some applications (the conformance tests are one) ask for
    // one and take the other.
    let ty = match ty {
        vk::DescriptorType::UNIFORM_TEXEL_BUFFER => vk::DescriptorType::STORAGE_TEXEL_BUFFER,
        ty => ty,
    };
    match counts.iter_mut().find(|(t, _)| *t == ty) {
        Some((_, c)) => *c = c.saturating_add(count),
        None => counts.push((ty, count)),
    }
}

impl Pool {
    /// A pool with all memory that its sets will need.
    ///
    /// # Errors
    /// [`Error::TooLarge`], [`Error::Memory`].
    pub fn new(memory: &Arc<Memory>, info: PoolInfo) -> Result<Pool, Error> {
        // Every set may lose bytes to alignment, and every inline block.
        let mut bytes = u64::from(info.max_sets) * SET_ALIGNMENT
            + u64::from(info.max_inline_bindings) * u64::from(BINDING_ALIGNMENT);
        for size in &info.sizes {
            // Types that there are no layouts of need no room.
            let each = descriptor_size(size.ty).unwrap_or(0);
            bytes += u64::from(size.descriptor_count) * u64::from(each);
        }
        let bytes = u32::try_from(bytes.max(SET_ALIGNMENT)).map_err(|_| Error::TooLarge)?;
        let allocation = memory.allocate_internal(u64::from(bytes), vk::ObjectType::DESCRIPTOR_POOL)?;
        let state = Mutex::new(State::new(&info, bytes));
        Ok(Pool {
            allocation,
            info,
            state,
        })
    }

    /// Its memory.
    #[must_use]
    pub fn allocation(&self) -> &Arc<Allocation> {
        &self.allocation
    }

    /// Makes a set. `variable` is the size of the variable-sized binding.
    ///
    /// # Errors
    /// [`Error::OutOfPoolMemory`], [`Error::FragmentedPool`].
    pub fn allocate(&self, layout: &Arc<SetLayout>, variable: u32) -> Result<DescriptorSet, Error> {
        let size = layout.size_with(variable);
        let offset = self.state.lock().take(&needs(layout, variable), block(size))?;
        let address = self.allocation.address() + u64::from(offset);
        layout.initialize(address, size);
        Ok(DescriptorSet {
            layout: layout.clone(),
            slots: layout.slots().clone(),
            address,
            size,
            variable,
        })
    }

    /// Takes a set back. It must be one of this pool, and not be used again.
    pub fn free(&self, set: &DescriptorSet) {
        let offset = set.address - self.allocation.address();
        let needs = needs(&set.layout, set.variable);
        self.state.lock().give(&needs, offset as u32, block(set.size));
    }

    /// Takes all sets back.
    pub fn reset(&self) {
        *self.state.lock() = State::new(&self.info, self.allocation.size() as u32);
    }
}

/// Bytes that a set of `size` bytes occupies.
fn block(size: u32) -> u32 {
    size.next_multiple_of(SET_ALIGNMENT as u32)
}

/// Descriptors of a set, by type.
fn needs(layout: &SetLayout, variable: u32) -> Counts {
    let mut needs = Counts::new();
    for b in layout.bindings() {
        add(&mut needs, b.info.descriptor_type, layout.count(b, variable));
    }
    needs
}

impl State {
    fn new(info: &PoolInfo, bytes: u32) -> State {
        let mut left = Counts::new();
        info.sizes
            .iter()
            .for_each(|s| add(&mut left, s.ty, s.descriptor_count));
        State {
            sets: info.max_sets,
            left,
            free: BTreeMap::from([(0, bytes)]),
            freed: false,
        }
    }

    fn take(&mut self, needs: &Counts, size: u32) -> Result<u32, Error> {
        let left = |ty| self.left.iter().find(|(t, _)| *t == ty).map_or(0, |&(_, c)| c);
        if self.sets == 0 || needs.iter().any(|&(ty, n)| n > left(ty)) {
            return Err(Error::OutOfPoolMemory);
        }
        let offset = if size == 0 {
            0
        } else {
            let fit = self
                .free
                .iter()
                .find(|&(_, &len)| len >= size)
                .map(|(&at, &len)| (at, len));
            let lacking = if self.freed {
                Error::FragmentedPool
            } else {
                Error::OutOfPoolMemory
            };
            let (at, len) = fit.ok_or(lacking)?;
            self.free.remove(&at);
            if len > size {
                self.free.insert(at + size, len - size);
            }
            at
        };
        self.sets -= 1;
        for &(ty, n) in needs {
            if let Some((_, c)) = self.left.iter_mut().find(|(t, _)| *t == ty) {
                *c -= n;
            }
        }
        Ok(offset)
    }

    fn give(&mut self, needs: &Counts, mut offset: u32, mut size: u32) {
        self.sets += 1;
        self.freed = true;
        needs.iter().for_each(|&(ty, n)| add(&mut self.left, ty, n));
        if size == 0 {
            return;
        }
        if let Some((&before, &len)) = self.free.range(..offset).next_back()
            && before + len == offset
        {
            self.free.remove(&before);
            offset = before;
            size += len;
        }
        if let Some(len) = self.free.remove(&(offset + size)) {
            size += len;
        }
        self.free.insert(offset, size);
    }
}

impl DescriptorSet {
    /// Device address of its bytes.
    #[must_use]
    #[inline]
    pub fn address(&self) -> u64 {
        self.address
    }

    /// Its layout.
    #[must_use]
    pub fn layout(&self) -> &Arc<SetLayout> {
        &self.layout
    }

    /// The place of one element, if it is one of the binding of this number and no binding below has been left out.
    #[must_use]
    #[inline(always)]
    pub fn place(&self, binding: u32, element: u32) -> Option<Spot> {
        let slot = self.slots.get(binding as usize)?;
        let offset = slot.offset.wrapping_add(element.wrapping_mul(slot.stride));
        let there = slot.binding == binding
            && element < slot.count
            && u64::from(offset) + u64::from(slot.stride) <= u64::from(self.size);
        there.then(|| Spot::new(self.address + u64::from(offset), slot))
    }

    /// A cursor at an element of a binding; `None` if the layout has no such binding.
    #[must_use]
    #[inline]
    pub fn cursor(&self, binding: u32, element: u32) -> Option<Cursor<'_>> {
        let index = slot::find(&self.slots, binding)?;
        Some(Cursor::new(&self.slots, self.address, self.size, index, element))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::descriptor::layout::tests::binding;
    use crate::descriptor::{BindingInfo, BufferDescriptor, ImageDescriptor, SamplerDescriptor};
    use crate::memory::{Profile, Properties, raw};
    use vk::DescriptorType as Type;

    fn memory() -> Arc<Memory> {
        Memory::new(
            Properties::new(Profile::Discrete, 8 << 30),
            Arc::default(),
            vec![],
        )
        .unwrap()
    }

    fn pool(max_sets: u32, sizes: &[(Type, u32)]) -> Pool {
        let sizes = sizes
            .iter()
            .map(|&(ty, descriptor_count)| vk::DescriptorPoolSize { ty, descriptor_count });
        Pool::new(
            &memory(),
            PoolInfo {
                max_sets,
                sizes: sizes.collect(),
                ..Default::default()
            },
        )
        .unwrap()
    }

    fn layout(infos: Vec<BindingInfo>) -> Arc<SetLayout> {
        Arc::new(SetLayout::new(vk::DescriptorSetLayoutCreateFlags::empty(), infos).unwrap())
    }

    #[test]
    fn a_pool_gives_exactly_what_it_promised() {
        let p = pool(
            3,
            &[
                (Type::UNIFORM_BUFFER, 4),
                (Type::STORAGE_BUFFER, 1),
                (Type::UNIFORM_BUFFER, 1),
            ],
        );
        let two = layout(vec![binding(0, Type::UNIFORM_BUFFER, 2)]);
        let a = p.allocate(&two, 0).unwrap();
        p.allocate(&two, 0).unwrap();
        assert_eq!(p.allocate(&two, 0).unwrap_err(), Error::OutOfPoolMemory);
        p.free(&a);
        let b = p.allocate(&two, 0).unwrap();
        assert_eq!(a.address(), b.address());
        p.allocate(&layout(vec![binding(0, Type::UNIFORM_BUFFER, 1)]), 0)
            .unwrap();
        // The sets are used up, although a descriptor is left.
        assert_eq!(
            p.allocate(&layout(vec![]), 0).unwrap_err(),
            Error::OutOfPoolMemory
        );
        p.reset();
        assert_eq!(p.allocate(&two, 0).unwrap().address(), a.address());
    }

    #[test]
    fn holes_that_are_too_small_are_fragmentation() {
        // Four sets of 256 bytes, and as much again that alignment could have cost.
        let p = pool(4, &[(Type::UNIFORM_BUFFER, 64)]);
        let quarter = layout(vec![binding(0, Type::UNIFORM_BUFFER, 16)]);
        let sets: Vec<_> = (0..4).map(|_| p.allocate(&quarter, 0).unwrap()).collect();
        sets.iter().step_by(2).for_each(|s| p.free(s));
        let half = layout(vec![binding(0, Type::UNIFORM_BUFFER, 32)]);
        assert_eq!(p.allocate(&half, 0).unwrap_err(), Error::FragmentedPool);
        p.free(&sets[1]);
        p.allocate(&half, 0).unwrap();
        p.allocate(&quarter, 0).unwrap();
    }

    #[test]
    fn writes_run_over_into_the_next_binding() {
        let p = pool(1, &[(Type::STORAGE_BUFFER, 8)]);
        let l = layout(vec![
            binding(0, Type::STORAGE_BUFFER, 2),
            binding(1, Type::STORAGE_BUFFER, 0),
            binding(5, Type::STORAGE_BUFFER, 2),
        ]);
        let set = p.allocate(&l, 0).unwrap();
        let mut c = set.cursor(0, 1).unwrap();
        // One more than there is room for.
        (1..=4).for_each(|n| {
            c.buffer(&BufferDescriptor::new(n, 4));
        });
        let got: Vec<u64> = (0..4).map(|n| raw::load(set.address() + n * 16)).collect();
        assert_eq!(got, [0, 1, 2, 3]);
        assert!(set.cursor(2, 0).is_none());
    }

    #[test]
    fn immutable_samplers_are_there_from_the_start_and_stay() {
        let fixed = SamplerDescriptor {
            kind: 99,
            ..Default::default()
        };
        let mut info = binding(0, Type::COMBINED_IMAGE_SAMPLER, 2);
        info.immutable_samplers = vec![fixed; 2];
        let p = pool(2, &[(Type::COMBINED_IMAGE_SAMPLER, 4)]);
        let set = p.allocate(&layout(vec![info]), 0).unwrap();
        let other = p
            .allocate(&layout(vec![binding(0, Type::COMBINED_IMAGE_SAMPLER, 2)]), 0)
            .unwrap();
        let image = ImageDescriptor {
            address: 7,
            ..Default::default()
        };
        let sampler = SamplerDescriptor {
            kind: 1,
            ..Default::default()
        };
        set.cursor(0, 0).unwrap().combined(&image, &sampler);
        other
            .cursor(0, 0)
            .unwrap()
            .combined(&ImageDescriptor { address: 8, ..image }, &sampler);
        set.cursor(0, 1)
            .unwrap()
            .copy(&mut other.cursor(0, 0).unwrap(), 1);
        let first: [ImageDescriptor; 2] = [raw::load(set.address()), raw::load(set.address() + 96)];
        assert_eq!(first.map(|d| d.address), [7, 8]);
        for element in 0..2 {
            assert_eq!(
                raw::load::<SamplerDescriptor>(set.address() + element * 96 + 64),
                fixed
            );
        }
    }
}
