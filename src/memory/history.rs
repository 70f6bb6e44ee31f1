//! What lies at an address, and what lay there before: allocations and the resources bound to them, with when
//! they came and went.
//!
//! Time is logical: an event counter of the device, and the submissions that came before. A fault is explained by
//! what was known when its submission was made, so that a report does not depend on how far the application has got
//! meanwhile.
#![forbid(unsafe_code)]

use crate::vk;
use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// Objects that are gone and still remembered.
const HISTORY: usize = 8192;
/// Destroyed resources that one address is explained with.
const FORMER: usize = 4;

/// A point in the device's logical time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stamp {
    /// Events of the device before it: allocations, binds, frees, submissions.
    pub event: u64,
    /// Submissions before it.
    pub submit: u64,
}

/// What a resource is, beyond its range.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Detail {
    /// Nothing more is known.
    #[default]
    None,
    /// Heap of an allocation.
    Heap(u32),
    /// Usage of a buffer.
    Buffer(vk::BufferUsageFlags),
    /// Format and extent of an image.
    Image(vk::Format, [u32; 3]),
}

/// An allocation or a bound resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    /// Its kind; allocations of the application are `DEVICE_MEMORY`, those of the driver name what they are for.
    pub kind: vk::ObjectType,
    /// Its handle, 0 where it has none.
    pub handle: u64,
    /// Its name, once it is gone; that of a live object is asked for when it is reported.
    pub name: Option<Arc<str>>,
    /// First address.
    pub address: u64,
    /// Bytes.
    pub size: u64,
    /// What it is.
    pub detail: Detail,
    /// When it was allocated or bound.
    pub since: Stamp,
    /// When it was freed or destroyed.
    pub gone: Option<Stamp>,
}

impl Object {
    /// Whether it covers an address.
    #[must_use]
    pub fn holds(&self, address: u64) -> bool {
        address >= self.address && address - self.address < self.size
    }

    /// One past its last address.
    #[must_use]
    pub fn end(&self) -> u64 {
        self.address.saturating_add(self.size)
    }
}

/// What an address means.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Whereabouts {
    /// The live allocation there.
    pub memory: Option<Object>,
    /// Else the allocation that was freed there last.
    pub freed: Option<Object>,
    /// Live resources there, though their memory may be gone.
    pub resources: Vec<Object>,
    /// Destroyed resources there, the latest first.
    pub former: Vec<Object>,
    /// The live resource that ends nearest below, in the same allocation.
    pub before: Option<Object>,
    /// The live allocation that ends nearest below.
    pub below: Option<Object>,
    /// The live allocation that begins nearest above.
    pub above: Option<Object>,
}

#[derive(Debug, Default)]
struct Inner {
    now: Stamp,
    /// Live allocations by address; they do not overlap.
    memory: BTreeMap<u64, Object>,
    /// Live resources by kind and handle.
    resources: FxHashMap<(i32, u64), Object>,
    /// What is gone, in the order in which it went.
    gone: VecDeque<Object>,
}

/// The history of a device's address space.
#[derive(Debug, Default)]
pub struct History(Mutex<Inner>);

impl Inner {
    fn tick(&mut self) -> Stamp {
        self.now.event += 1;
        self.now
    }

    fn bury(&mut self, mut object: Object) {
        object.gone = Some(self.now);
        if self.gone.len() == HISTORY {
            self.gone.pop_front();
        }
        self.gone.push_back(object);
    }
}

impl History {
    /// The device has one more submission; the time of that.
    pub fn submitted(&self) -> Stamp {
        let mut inner = self.0.lock();
        let stamp = inner.tick();
        inner.now.submit += 1;
        stamp
    }

    /// Now.
    #[must_use]
    pub fn now(&self) -> Stamp {
        self.0.lock().now
    }

    /// Memory is allocated.
    pub(super) fn allocated(&self, kind: vk::ObjectType, address: u64, size: u64, heap: u32) {
        let mut inner = self.0.lock();
        let since = inner.tick();
        let object = Object {
            kind,
            handle: 0,
            name: None,
            address,
            size,
            detail: Detail::Heap(heap),
            since,
            gone: None,
        };
        inner.memory.insert(address, object);
    }

    /// An allocation has got its handle.
    pub(super) fn handled(&self, address: u64, handle: u64) {
        if let Some(object) = self.0.lock().memory.get_mut(&address) {
            object.handle = handle;
        }
    }

    /// Memory is freed; it is remembered if it was `used`.
    pub(super) fn freed(&self, address: u64, used: bool) {
        let mut inner = self.0.lock();
        inner.tick();
        if let Some(object) = inner.memory.remove(&address).filter(|_| used) {
            inner.bury(object);
        }
    }

    /// An allocation gets its last name, since it is about to be freed.
    pub fn name_memory(&self, address: u64, name: Option<Arc<str>>) {
        if let Some(object) = self.0.lock().memory.get_mut(&address) {
            object.name = name;
        }
    }

    /// A resource is bound.
    pub fn bound(&self, kind: vk::ObjectType, handle: u64, address: u64, size: u64, detail: Detail) {
        let mut inner = self.0.lock();
        let since = inner.tick();
        let object = Object {
            kind,
            handle,
            name: None,
            address,
            size,
            detail,
            since,
            gone: None,
        };
        inner.resources.insert((kind.as_raw(), handle), object);
    }

    /// A resource is destroyed; `name` is what it was called. Where it lay, and how many bytes, if it was bound.
    pub fn destroyed(&self, kind: vk::ObjectType, handle: u64, name: Option<Arc<str>>) -> Option<(u64, u64)> {
        let mut inner = self.0.lock();
        let mut object = inner.resources.remove(&(kind.as_raw(), handle))?;
        inner.tick();
        object.name = name;
        let place = (object.address, object.size);
        inner.bury(object);
        Some(place)
    }

    /// First and one past the last address of the live allocation at `address`.
    #[must_use]
    pub fn live_at(&self, address: u64) -> Option<(u64, u64)> {
        let inner = self.0.lock();
        let (_, object) = inner.memory.range(..=address).next_back()?;
        object.holds(address).then(|| (object.address, object.end()))
    }

    /// What `address` means, as far as it was so before `until`. What went later is given as gone all the same.
    #[must_use]
    pub fn at(&self, address: u64, until: Stamp) -> Whereabouts {
        let inner = self.0.lock();
        let known = |object: &&Object| object.since.event <= until.event;
        let below = |from| inner.memory.range(..from).rev().map(|(_, object)| object);
        let memory = below(address.saturating_add(1))
            .next()
            .filter(known)
            .filter(|object| object.holds(address))
            .cloned();
        let mut resources: Vec<Object> = inner
            .resources
            .values()
            .filter(known)
            .filter(|object| object.holds(address))
            .cloned()
            .collect();
        resources.sort_by_key(|object| object.since.event);
        let before = memory.as_ref().and_then(|memory: &Object| {
            let near = inner.resources.values().filter(known);
            near.filter(|object| memory.holds(object.address) && object.end() <= address)
                .max_by_key(|object| (object.end(), object.since.event))
                .cloned()
        });
        let there = |object: &&Object| known(object) && object.holds(address);
        let is_memory = |object: &&Object| matches!(object.detail, Detail::Heap(_));
        let dead = || inner.gone.iter().rev().filter(there);
        Whereabouts {
            freed: if memory.is_some() {
                None
            } else {
                dead().find(is_memory).cloned()
            },
            resources,
            former: dead()
                .filter(|object| !is_memory(object))
                .take(FORMER)
                .cloned()
                .collect(),
            before,
            below: below(address)
                .filter(known)
                .find(|object| !object.holds(address))
                .cloned(),
            above: inner
                .memory
                .range(address.saturating_add(1)..)
                .map(|(_, object)| object)
                .find(known)
                .cloned(),
            memory,
        }
    }

    /// Everything as it was at `until`, what was gone by then included: in the order in which it came. At most
    /// `limit` objects; those that went first are left out first, and how many is said.
    #[must_use]
    pub fn table(&self, until: Stamp, limit: usize) -> (Vec<Object>, usize) {
        let inner = self.0.lock();
        let known = |object: &&Object| object.since.event <= until.event;
        let gone_by_then = |object: &Object| object.gone.is_some_and(|gone| gone.event <= until.event);
        // What went later was there.
        let (dead, later): (Vec<Object>, Vec<Object>) =
            inner.gone.iter().filter(known).cloned().partition(gone_by_then);
        let mut live: Vec<Object> = inner
            .memory
            .values()
            .chain(inner.resources.values())
            .filter(known)
            .cloned()
            .chain(later.into_iter().map(|object| Object { gone: None, ..object }))
            .collect();
        live.sort_by_key(|object| object.since.event);
        let total = live.len() + dead.len();
        live.truncate(limit);
        let keep = (limit - live.len()).min(dead.len());
        live.extend(dead.into_iter().rev().take(keep));
        live.sort_by_key(|object| object.since.event);
        let left_out = total - live.len();
        (live, left_out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BUFFER: vk::ObjectType = vk::ObjectType::BUFFER;

    fn bind(history: &History, handle: u64, address: u64, size: u64) {
        history.bound(BUFFER, handle, address, size, Detail::None);
    }

    #[test]
    fn an_address_is_explained_now_and_formerly() {
        let history = History::default();
        history.allocated(vk::ObjectType::DEVICE_MEMORY, 0x1000, 0x1000, 0);
        history.allocated(vk::ObjectType::DEVICE_MEMORY, 0x9000, 0x1000, 0);
        bind(&history, 1, 0x1000, 0x100);
        history.destroyed(BUFFER, 1, Some("old".into()));
        bind(&history, 2, 0x1000, 0x200);
        let first = history.submitted();
        let here = history.at(0x1080, first);
        assert_eq!(here.memory.map(|m| m.address), Some(0x1000));
        assert_eq!(here.resources.len(), 1);
        assert_eq!(here.resources[0].handle, 2);
        assert_eq!(here.former[0].name.as_deref(), Some("old"));
        history.freed(0x1000, true);
        let second = history.submitted();
        let here = history.at(0x1080, second);
        assert_eq!(here.freed.and_then(|m| m.gone).map(|gone| gone.submit), Some(1));
        assert_eq!(here.above.map(|m| m.address), Some(0x9000));
        let beyond = history.at(0xa000, second);
        assert!(beyond.memory.is_none() && beyond.freed.is_none());
        assert_eq!(beyond.below.map(|m| m.end()), Some(0xa000));
    }

    #[test]
    fn what_comes_after_a_submission_does_not_change_what_is_said_of_it() {
        let history = History::default();
        history.allocated(vk::ObjectType::DEVICE_MEMORY, 0x1000, 0x1000, 0);
        bind(&history, 1, 0x1000, 0x100);
        let at = history.submitted();
        let before = (history.table(at, 10), history.at(0x1010, at));
        bind(&history, 2, 0x1000, 0x100);
        history.allocated(vk::ObjectType::DEVICE_MEMORY, 0x9000, 0x1000, 0);
        assert_eq!((history.table(at, 10), history.at(0x1010, at)), before);
        history.destroyed(BUFFER, 1, None);
        history.freed(0x1000, true);
        assert_eq!(history.table(at, 10), before.0);
        assert!(
            history.at(0x1010, at).freed.is_some_and(|m| m.gone > Some(at)),
            "freed while the submission was pending"
        );
    }

    #[test]
    fn the_table_is_bounded() {
        let history = History::default();
        for handle in 0..20 {
            bind(&history, handle, 0x1000, 16);
            if handle % 2 == 0 {
                history.destroyed(BUFFER, handle, None);
            }
        }
        let (table, left_out) = history.table(history.now(), 15);
        assert_eq!((table.len(), left_out), (15, 5));
        assert_eq!(table.iter().filter(|object| object.gone.is_none()).count(), 10);
        assert!(table.windows(2).all(|w| w[0].since.event < w[1].since.event));
    }
}
