//! Tables of non-dispatchable handles: index and generation, looked up without locks.
//!
//! A handle is `type << 56 | generation << 32 | index + 1`, so that handles of objects of different types differ too
//! (not all who follow memory reports look at the type). The lowest free index is taken first, so the same calls give the same
//! handles in every run. A handle of a destroyed object is not found.
//!
//! Lookups rest on a rule of Vulkan: no command uses an object while another thread destroys it. A handle that was
//! destroyed before is caught; the race itself is not.

use crate::{
    error::{Answer, Error},
    objects::Costs,
};
use ash::vk;
use parking_lot::Mutex;
use std::{
    cmp::Reverse,
    collections::BinaryHeap,
    marker::PhantomData,
    ptr::NonNull,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicPtr, AtomicU32, Ordering},
    },
};

/// Slots that are always there; chunk `k` behind them has `FIRST << k`.
const FIRST: u32 = 256;
const CHUNKS: usize = 24;

struct Slot<T> {
    generation: AtomicU32,
    /// From `Arc::into_raw`, or null.
    value: AtomicPtr<T>,
    /// From `Box::into_raw`, or null.
    costs: AtomicPtr<Costs>,
    owns: PhantomData<(Arc<T>, Box<Costs>)>,
}

/// Bits of a handle's upper half that count generations; the others are the type.
const GENERATION: u32 = 0xff_ffff;

/// The upper half of the first handles of a type.
fn first_of<H: vk::Handle>() -> u32 {
    let ty = H::TYPE.as_raw();
    // Types of extensions are numbered by thousands.
    let short = if ty < 0x80 { ty } else { 0x80 | ty / 1000 % 0x80 };
    short.cast_unsigned() << GENERATION.count_ones()
}

impl<T> Slot<T> {
    /// An empty slot, with the upper half of its first handle.
    fn new(generation: u32) -> Self {
        Self {
            generation: AtomicU32::new(generation),
            value: AtomicPtr::default(),
            costs: AtomicPtr::default(),
            owns: PhantomData,
        }
    }
}

impl<T> Slot<T> {
    fn swap(&self, new: Option<Arc<T>>) -> Option<Arc<T>> {
        let new = new.map_or(std::ptr::null_mut(), |new| Arc::into_raw(new).cast_mut());
        let old = NonNull::new(self.value.swap(new, Ordering::AcqRel))?;
        // SAFETY: it came from `into_raw`, and taking it out of the slot takes its reference over.
        Some(unsafe { Arc::from_raw(old.as_ptr()) })
    }

    fn swap_costs(&self, new: Option<Box<Costs>>) -> Option<Box<Costs>> {
        let new = new.map_or(std::ptr::null_mut(), Box::into_raw);
        let old = NonNull::new(self.costs.swap(new, Ordering::AcqRel))?;
        // SAFETY: it came from `into_raw`, and taking it out of the slot takes it over.
        Some(unsafe { Box::from_raw(old.as_ptr()) })
    }

    #[inline(always)]
    fn get(&self) -> Option<&T> {
        // SAFETY: what is in the slot lives, and by Vulkan's rules is not destroyed while a command uses it.
        unsafe { self.value.load(Ordering::Acquire).as_ref() }
    }

    fn share(&self) -> Option<Arc<T>> {
        let value = NonNull::new(self.value.load(Ordering::Acquire))?.as_ptr();
        // SAFETY: as for `get`; the count goes up for the new reference.
        unsafe {
            Arc::increment_strong_count(value);
            Some(Arc::from_raw(value))
        }
    }
}

impl<T> Drop for Slot<T> {
    fn drop(&mut self) {
        self.swap(None);
        self.swap_costs(None);
    }
}

/// A table of the objects of one type.
pub(crate) struct Table<H, T> {
    /// Of fixed length, so that the common lookup is a comparison and two loads.
    first: Box<[Slot<T>; FIRST as usize]>,
    chunks: [OnceLock<Box<[Slot<T>]>>; CHUNKS],
    free: Mutex<Free>,
    handle: PhantomData<fn(H) -> H>,
}

#[derive(Default)]
struct Free {
    indices: BinaryHeap<Reverse<u32>>,
    next: u32,
}

impl<H: vk::Handle, T> Default for Table<H, T> {
    fn default() -> Self {
        Self {
            first: Box::new(std::array::from_fn(|_| Slot::new(first_of::<H>()))),
            chunks: [const { OnceLock::new() }; CHUNKS],
            free: Mutex::default(),
            handle: PhantomData,
        }
    }
}

impl<H: vk::Handle + Copy, T> Table<H, T> {
    /// Adds an object and gives its handle.
    pub(crate) fn insert(&self, value: Arc<T>) -> H {
        let handle = self.reserve();
        self.fill(handle, value);
        handle
    }

    /// Makes a handle for an object that must know it before it exists; `fill` or `remove` must follow.
    pub(crate) fn reserve(&self) -> H {
        let index = {
            let mut free = self.free.lock();
            free.indices.pop().map_or_else(
                || {
                    free.next += 1;
                    free.next - 1
                },
                |Reverse(index)| index,
            )
        };
        let generation = self.slot_or_new(index).generation.load(Ordering::Acquire);
        H::from_raw(u64::from(generation) << 32 | u64::from(index + 1))
    }

    /// Puts the object of a reserved handle in its place.
    pub(crate) fn fill(&self, handle: H, value: Arc<T>) {
        if let Some((slot, _, _)) = self.slot(handle) {
            slot.swap(Some(value));
        }
    }

    /// Puts another object in the place of a live one, whose costs stay.
    pub(crate) fn replace(&self, handle: H, value: Arc<T>) {
        if let Some((slot, _, _)) = self.slot(handle) {
            slot.swap(Some(value));
        }
    }

    /// The same for an object with costs.
    pub(crate) fn fill_with(&self, handle: H, value: Arc<T>, costs: Costs) {
        if let Some((slot, _, _)) = self.slot(handle) {
            slot.swap_costs(costs.into_box());
            slot.swap(Some(value));
        }
    }

    /// The object of a handle.
    pub(crate) fn get(&self, handle: H) -> Answer<Arc<T>> {
        self.find(handle).ok_or(Error::STALE)
    }

    /// The object of a handle that may be null.
    pub(crate) fn get_optional(&self, handle: H) -> Answer<Option<Arc<T>>> {
        if handle.as_raw() == 0 {
            Ok(None)
        } else {
            self.get(handle).map(Some)
        }
    }

    /// The object of a handle, if it lives.
    pub(crate) fn find(&self, handle: H) -> Option<Arc<T>> {
        self.slot(handle)?.0.share()
    }

    /// Looks at the object of a handle, if it lives: cheaper than `find`, which counts a reference.
    #[inline(always)]
    pub(crate) fn with<R>(&self, handle: H, look: impl FnOnce(&T) -> R) -> Option<R> {
        self.slot(handle)?.0.get().map(look)
    }

    /// The object of a handle without counting a reference; none for null and stale handles. It is not to be kept
    /// beyond the command: see above.
    #[inline(always)]
    pub(crate) fn peek(&self, handle: H) -> Option<&T> {
        self.slot(handle)?.0.get()
    }

    /// The same for the handles of the slots that are always there, and none for all others: without a call, for loops
    /// that must keep everything in registers.
    #[inline(always)]
    pub(crate) fn peek_near(&self, handle: H) -> Option<&T> {
        let raw = handle.as_raw();
        let slot = self.first.get((raw as u32).wrapping_sub(1) as usize)?;
        if slot.generation.load(Ordering::Acquire) == (raw >> 32) as u32 {
            slot.get()
        } else {
            None
        }
    }

    /// Takes an object out; its handle is stale from now on. A null or stale handle gives none.
    pub(crate) fn remove(&self, handle: H) -> Option<Arc<T>> {
        self.take(handle)?.0
    }

    /// The same with what the object has besides itself.
    pub(crate) fn take(&self, handle: H) -> Option<(Option<Arc<T>>, Option<Box<Costs>>)> {
        let (slot, index, generation) = self.slot(handle)?;
        slot.generation
            .compare_exchange(
                generation,
                generation & !GENERATION | generation.wrapping_add(1) & GENERATION,
                Ordering::AcqRel,
                Ordering::Acquire,
            )
            .ok()?;
        let taken = (slot.swap(None), slot.swap_costs(None));
        self.free.lock().indices.push(Reverse(index));
        Some(taken)
    }

    /// The handles of all objects and the bytes that are counted for each, in the order of their indices.
    pub(crate) fn alive(&self) -> Vec<(H, u64)> {
        let used = self.free.lock().next;
        let one = |index| {
            let slot = self.existing(index)?;
            slot.get()?;
            // SAFETY: as for `get`: the costs go with the object.
            let costs = unsafe { slot.costs.load(Ordering::Acquire).as_ref() };
            let generation = slot.generation.load(Ordering::Acquire);
            let handle = H::from_raw(u64::from(generation) << 32 | u64::from(index + 1));
            Some((handle, costs.map_or(0, Costs::bytes)))
        };
        (0..used).filter_map(one).collect()
    }

    /// Takes all objects out, in the order of their indices.
    pub(crate) fn drain(&self) -> Vec<Arc<T>> {
        let used = self.free.lock().next;
        let handles = (0..used).filter_map(|index| {
            let generation = self.existing(index)?.generation.load(Ordering::Acquire);
            Some(H::from_raw(u64::from(generation) << 32 | u64::from(index + 1)))
        });
        handles
            .filter(|handle| self.find(*handle).is_some())
            .filter_map(|handle| self.remove(handle))
            .collect()
    }

    /// How many objects are in it.
    pub(crate) fn live(&self) -> usize {
        let free = self.free.lock();
        free.next as usize - free.indices.len()
    }

    /// The slot of a live handle, with its index and generation.
    #[inline(always)]
    fn slot(&self, handle: H) -> Option<(&Slot<T>, u32, u32)> {
        let raw = handle.as_raw();
        let index = (raw as u32).checked_sub(1)?;
        let generation = (raw >> 32) as u32;
        let slot = self.existing(index)?;
        (slot.generation.load(Ordering::Acquire) == generation).then_some((slot, index, generation))
    }

    #[inline(always)]
    fn existing(&self, index: u32) -> Option<&Slot<T>> {
        if let Some(slot) = self.first.get(index as usize) {
            return Some(slot);
        }
        let (chunk, offset, _) = place(index);
        self.chunks.get(chunk)?.get()?.get(offset)
    }

    fn slot_or_new(&self, index: u32) -> &Slot<T> {
        if let Some(slot) = self.first.get(index as usize) {
            return slot;
        }
        let (chunk, offset, len) = place(index);
        &self.chunks[chunk].get_or_init(|| {
            std::iter::repeat_with(|| Slot::new(first_of::<H>()))
                .take(len)
                .collect()
        })[offset]
    }
}

/// The chunk of an index from `FIRST` on, the offset in it, and its length.
fn place(index: u32) -> (usize, usize, usize) {
    let chunk = (index / FIRST).ilog2();
    let start = FIRST << chunk;
    (chunk as usize, (index - start) as usize, start as usize)
}
