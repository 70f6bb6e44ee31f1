//! What is used of the heaps: the counters behind budgets, limits and reports.
#![forbid(unsafe_code)]

use crate::vk;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes in use by heap.
#[derive(Debug)]
pub struct Usage {
    now: [AtomicU64; vk::MAX_MEMORY_HEAPS],
    most: [AtomicU64; vk::MAX_MEMORY_HEAPS],
    /// What draws took. They race with the calls of the application, for which limits and peaks shall be the same in each
    /// run: neither looks at it.
    later: [AtomicU64; vk::MAX_MEMORY_HEAPS],
    /// How many may be at most, whatever the heaps' sizes.
    budgets: [AtomicU64; vk::MAX_MEMORY_HEAPS],
    /// The budgets that each device's rules ask for.
    asked: Mutex<BTreeMap<u64, Vec<(u64, u64)>>>,
}

impl Default for Usage {
    fn default() -> Usage {
        Usage {
            now: Default::default(),
            most: Default::default(),
            later: Default::default(),
            budgets: std::array::from_fn(|_| AtomicU64::new(u64::MAX)),
            asked: Mutex::default(),
        }
    }
}

impl Usage {
    /// The counters of this process: all its instances and devices see the same heaps.
    #[must_use]
    pub fn of_process() -> Arc<Usage> {
        static USAGE: std::sync::OnceLock<Arc<Usage>> = std::sync::OnceLock::new();
        Arc::clone(USAGE.get_or_init(Arc::default))
    }

    /// Bytes in use in a heap.
    #[must_use]
    pub fn of(&self, heap: u32) -> u64 {
        let bytes = |of: &[AtomicU64]| of.get(heap as usize).map_or(0, |u| u.load(Ordering::Relaxed));
        bytes(&self.now) + bytes(&self.later)
    }

    /// Most bytes that were ever in use in a heap, but for what draws took.
    #[must_use]
    pub fn most(&self, heap: u32) -> u64 {
        self.most
            .get(heap as usize)
            .map_or(0, |u| u.load(Ordering::Relaxed))
    }

    /// Most bytes that may be in use in a heap; `u64::MAX` where rules leave that to its size.
    #[must_use]
    pub fn budget(&self, heap: u32) -> u64 {
        self.budgets
            .get(heap as usize)
            .map_or(u64::MAX, |u| u.load(Ordering::Relaxed))
    }

    /// Has the heaps bounded as the rules of a device ask for, in place of what they asked for before. What is in use
    /// stays.
    pub fn bound(&self, device: u64, budgets: impl FnOnce() -> Vec<(u64, u64)>) {
        let mut asked = self.asked.lock();
        match budgets() {
            none if none.is_empty() => asked.remove(&device),
            some => asked.insert(device, some),
        };
        for (heap, budget) in (0..).zip(&self.budgets) {
            let of = asked.values().flatten().filter(|asked| asked.0 == heap);
            budget.store(
                of.map(|asked| asked.1).min().unwrap_or(u64::MAX),
                Ordering::Relaxed,
            );
        }
    }

    /// Takes bytes of a heap of which at most `limit` may be in use; false if they are not there.
    pub(super) fn take(&self, heap: u32, bytes: u64, limit: u64) -> bool {
        let limit = limit.min(self.budget(heap));
        let more = |used: u64| used.checked_add(bytes).filter(|&after| after <= limit);
        let Some((used, most)) = self.now.get(heap as usize).zip(self.most.get(heap as usize)) else {
            return false;
        };
        let before = used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
        if let Ok(before) = before {
            most.fetch_max(before + bytes, Ordering::Relaxed);
        }
        before.is_ok()
    }

    /// Counts bytes that a draw took.
    pub(super) fn take_later(&self, heap: u32, bytes: u64) {
        if let Some(later) = self.later.get(heap as usize) {
            later.fetch_add(bytes, Ordering::Relaxed);
        }
    }

    /// Gives them back.
    pub(super) fn give_later(&self, heap: u32, bytes: u64) {
        if let Some(later) = self.later.get(heap as usize) {
            later.fetch_sub(bytes, Ordering::Relaxed);
        }
    }

    /// Gives bytes back.
    pub(super) fn give(&self, heap: u32, bytes: u64) {
        if let Some(used) = self.now.get(heap as usize) {
            used.fetch_sub(bytes, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_is_taken_than_there_is() {
        let usage = Usage::default();
        assert!(usage.take(1, 6, 10) && !usage.take(1, 5, 10) && usage.take(1, 4, 10));
        assert!(!usage.take(1, u64::MAX, 10) && !usage.take(99, 1, 10));
        usage.take_later(1, 100);
        assert_eq!((usage.of(1), usage.take(1, 1, 11)), (110, true));
        usage.give_later(1, 100);
        usage.give(1, 7);
        assert_eq!((usage.of(0), usage.of(1), usage.of(99)), (0, 4, 0));
        assert_eq!((usage.most(0), usage.most(1), usage.most(99)), (0, 11, 0));
    }

    #[test]
    fn the_smallest_budget_holds_until_its_device_takes_it_back() {
        let usage = Usage::default();
        usage.bound(1, || vec![(0, 8), (0, 9), (99, 1)]);
        usage.bound(2, || vec![(0, 4)]);
        assert_eq!((usage.budget(0), usage.budget(1)), (4, u64::MAX));
        assert!(!usage.take(0, 5, 10) && usage.take(0, 4, 10));
        usage.bound(2, Vec::new);
        assert!(!usage.take(0, 5, 10) && usage.take(0, 4, 10));
        usage.bound(1, Vec::new);
        assert!(usage.take(0, 2, 10) && !usage.take(0, 1, 10));
    }
}
