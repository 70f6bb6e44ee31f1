//! Placement: which addresses an allocation gets. Best fit, lowest address first, so that placement depends
//! on nothing but the sequence of calls.
//!
//! Each block is followed by a guard that is never handed out, and the space begins with one.
#![forbid(unsafe_code)]

use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Unit of placement.
pub(super) const GRANULE: u64 = 64 << 10;
/// Bytes between two blocks that are never accessible.
pub(super) const GUARD: u64 = GRANULE;
/// Blocks kept as they are for the next request of the same size.
const RECENT: usize = 128;
/// Freed blocks whose addresses rest before they are used again.
const QUARANTINE: usize = 4096;

/// The free space of a window.
#[derive(Debug)]
pub(super) struct Ranges {
    /// Length by address of each free range.
    by_address: BTreeMap<u64, u64>,
    /// The same as (length, address).
    by_length: BTreeSet<(u64, u64)>,
    /// Blocks freed untouched, as (length, address), newest last: nobody can hold their addresses.
    recent: Vec<(u64, u64)>,
    /// Blocks whose addresses may still be known, as (length, address), oldest first.
    quarantine: VecDeque<(u64, u64)>,
    quarantined: u64,
    /// Blocks and bytes that may rest at most.
    quarantine_limit: (usize, u64),
}

/// Bytes of the block that holds `size` bytes and its guard.
pub(super) fn block_length(size: u64) -> Option<u64> {
    Some(size.max(1).checked_next_multiple_of(GRANULE)? + GUARD)
}

impl Ranges {
    /// Free space of `size` bytes from `base` on.
    pub(super) fn new(base: u64, size: u64) -> Ranges {
        let mut ranges = Ranges {
            by_address: BTreeMap::new(),
            by_length: BTreeSet::new(),
            recent: Vec::with_capacity(RECENT),
            quarantine: VecDeque::new(),
            quarantined: 0,
            quarantine_limit: (QUARANTINE, size / 4),
        };
        ranges.insert(base + GUARD, size - GUARD);
        ranges
    }

    /// Takes a block of `length` bytes (a [`block_length`]) at a multiple of `align`.
    pub(super) fn take(&mut self, length: u64, align: u64) -> Option<u64> {
        if let Some(at) = self
            .recent
            .iter()
            .rposition(|&(l, a)| l == length && a % align == 0)
        {
            return Some(self.recent.remove(at).1);
        }
        loop {
            if let Some(address) = self.take_free(length, align) {
                return Some(address);
            }
            // Out of addresses: let resting blocks go, oldest first.
            if let Some((len, address)) = self.quarantine.pop_front() {
                self.quarantined -= len;
                self.insert(address, len);
            } else if let Some((len, address)) = self.recent.pop() {
                self.insert(address, len);
            } else {
                return None;
            }
        }
    }

    fn take_free(&mut self, length: u64, align: u64) -> Option<u64> {
        let (len, from, address) = self.by_length.range((length, 0)..).find_map(|&(len, from)| {
            let address = from.checked_next_multiple_of(align)?;
            (address + length <= from + len).then_some((len, from, address))
        })?;
        self.remove(from, len);
        if address > from {
            self.insert_alone(from, address - from);
        }
        if address + length < from + len {
            self.insert_alone(address + length, from + len - address - length);
        }
        Some(address)
    }

    /// Gives back a block that nobody can know the address of.
    pub(super) fn give_untouched(&mut self, address: u64, length: u64) {
        if self.recent.len() == RECENT {
            let old: Vec<_> = self.recent.drain(..RECENT / 2).collect();
            for (len, address) in old {
                self.insert(address, len);
            }
        }
        self.recent.push((length, address));
    }

    /// Gives back a block whose address was known: it rests for a while.
    pub(super) fn give(&mut self, address: u64, length: u64) {
        self.quarantine.push_back((length, address));
        self.quarantined += length;
        let (blocks, bytes) = self.quarantine_limit;
        while self.quarantine.len() > blocks || self.quarantined > bytes {
            let Some((len, address)) = self.quarantine.pop_front() else {
                break;
            };
            self.quarantined -= len;
            self.insert(address, len);
        }
    }

    /// Adds a free range, joined with its neighbours.
    fn insert(&mut self, mut address: u64, mut length: u64) {
        if let Some((&before, &len)) = self.by_address.range(..address).next_back()
            && before + len == address
        {
            self.remove(before, len);
            address = before;
            length += len;
        }
        if let Some(&len) = self.by_address.get(&(address + length)) {
            self.remove(address + length, len);
            length += len;
        }
        self.insert_alone(address, length);
    }

    fn insert_alone(&mut self, address: u64, length: u64) {
        self.by_address.insert(address, length);
        self.by_length.insert((length, address));
    }

    fn remove(&mut self, address: u64, length: u64) {
        self.by_address.remove(&address);
        self.by_length.remove(&(length, address));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const BASE: u64 = 1 << 44;
    const SIZE: u64 = 64 << 20;

    #[derive(Clone, Debug)]
    enum Op {
        Take { size: u64, huge: bool },
        Give { index: usize, touched: bool },
    }

    fn op() -> impl Strategy<Value = Op> {
        prop_oneof![
            (1u64..4 << 20, any::<bool>()).prop_map(|(size, huge)| Op::Take { size, huge }),
            (any::<usize>(), any::<bool>()).prop_map(|(index, touched)| Op::Give { index, touched }),
        ]
    }

    /// Runs the calls; gives every address handed out.
    fn run(ops: &[Op]) -> Vec<Option<u64>> {
        let mut ranges = Ranges::new(BASE, SIZE);
        let mut live: Vec<(u64, u64, u64)> = vec![];
        let mut out = vec![];
        for op in ops {
            match *op {
                Op::Take { size, huge } => {
                    let length = block_length(size).unwrap();
                    let align = if huge { 2 << 20 } else { GRANULE };
                    let got = ranges.take(length, align);
                    out.push(got);
                    let Some(address) = got else { continue };
                    assert_eq!(address % align, 0);
                    assert!(address >= BASE + GUARD && address + length <= BASE + SIZE);
                    for &(a, _, l) in &live {
                        assert!(address + length <= a || a + l <= address, "blocks overlap");
                    }
                    assert!(length - size >= GUARD, "no guard behind the block");
                    live.push((address, size, length));
                }
                Op::Give { index, touched } if !live.is_empty() => {
                    let (address, _, length) = live.swap_remove(index % live.len());
                    if touched {
                        ranges.give(address, length);
                    } else {
                        ranges.give_untouched(address, length);
                    }
                }
                Op::Give { .. } => {}
            }
        }
        // Everything given back joins into one range again.
        for (address, _, length) in live {
            ranges.give(address, length);
        }
        assert!(ranges.take(SIZE - GUARD, GRANULE).is_some(), "space was lost");
        out
    }

    proptest! {
        #[test]
        fn blocks_never_overlap_and_placement_is_deterministic(ops in prop::collection::vec(op(), 0..200)) {
            prop_assert_eq!(run(&ops), run(&ops));
        }
    }

    #[test]
    fn a_known_address_rests_but_an_unknown_one_is_used_at_once() {
        let mut ranges = Ranges::new(BASE, SIZE);
        let length = block_length(65536).unwrap();
        let a = ranges.take(length, GRANULE).unwrap();
        ranges.give(a, length);
        let b = ranges.take(length, GRANULE).unwrap();
        assert_ne!(a, b);
        ranges.give_untouched(b, length);
        assert_eq!(ranges.take(length, GRANULE), Some(b));
    }
}
