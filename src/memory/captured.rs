//! The addresses that are captured and replayed: one space for all devices of the process, so that what one device
//! (of this process or another) captured can be placed again on any other.
#![forbid(unsafe_code)]

use super::ranges::{GRANULE, GUARD};
use super::window::Window;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::{Arc, Weak};

/// The space, and how many devices share it.
static SPACE: Mutex<Weak<Space>> = Mutex::new(Weak::new());

/// A device's share of the space, which goes with the last of them.
#[derive(Debug)]
pub(super) struct CapturedSpace(Option<Arc<Space>>);

#[derive(Debug)]
struct Space {
    window: Window,
    blocks: Mutex<Blocks>,
}

/// The blocks in use.
#[derive(Debug)]
struct Blocks {
    base: u64,
    end: u64,
    /// Length by address.
    used: BTreeMap<u64, u64>,
    /// Where to look for the next block: what was given before is not given again while there is fresh space.
    next: u64,
}

impl CapturedSpace {
    /// The space of the process; it is empty if something else lies there.
    pub(super) fn of_process() -> CapturedSpace {
        let mut known = SPACE.lock();
        if let Some(space) = known.upgrade() {
            return CapturedSpace(Some(space));
        }
        let Ok(window) = Window::reserve_captured() else {
            return CapturedSpace(None);
        };
        let (base, size) = (window.base(), window.usable());
        let space = Arc::new(Space {
            window,
            blocks: Mutex::new(Blocks::new(base, size)),
        });
        *known = Arc::downgrade(&space);
        CapturedSpace(Some(space))
    }

    /// Its window.
    pub(super) fn window(&self) -> Option<&Window> {
        self.0.as_ref().map(|space| &space.window)
    }

    /// Takes a block of `length` bytes (a `block_length`) at a multiple of `align`.
    pub(super) fn take(&self, length: u64, align: u64) -> Option<u64> {
        self.0.as_ref()?.blocks.lock().take(length, align)
    }

    /// Takes the block at `address`, if it is free.
    pub(super) fn take_at(&self, address: u64, length: u64) -> bool {
        self.0
            .as_ref()
            .is_some_and(|space| space.blocks.lock().take_at(address, length))
    }

    /// Gives a block back.
    pub(super) fn give(&self, address: u64) {
        if let Some(space) = &self.0 {
            space.blocks.lock().used.remove(&address);
        }
    }
}

impl Drop for CapturedSpace {
    fn drop(&mut self) {
        // The window must be free again before another device looks for it.
        let _known = SPACE.lock();
        self.0.take();
    }
}

impl Blocks {
    fn new(base: u64, size: u64) -> Blocks {
        Blocks {
            base: base + GUARD,
            end: base + size,
            used: BTreeMap::new(),
            next: base + GUARD,
        }
    }

    fn take(&mut self, length: u64, align: u64) -> Option<u64> {
        let address = self
            .search(self.next, length, align)
            .or_else(|| self.search(self.base, length, align))?;
        self.used.insert(address, length);
        self.next = address + length;
        Some(address)
    }

    /// The first free place from an address on.
    fn search(&self, from: u64, length: u64, align: u64) -> Option<u64> {
        let mut at = from.checked_next_multiple_of(align)?;
        while at.checked_add(length)? <= self.end {
            match self.last_before(at + length).filter(|&(_, end)| end > at) {
                Some((_, end)) => at = end.checked_next_multiple_of(align)?,
                None => return Some(at),
            }
        }
        None
    }

    fn take_at(&mut self, address: u64, length: u64) -> bool {
        let Some(end) = address.checked_add(length) else {
            return false;
        };
        let free = address.is_multiple_of(GRANULE)
            && address >= self.base
            && end <= self.end
            && self.last_before(end).is_none_or(|(_, last)| last <= address);
        if free {
            self.used.insert(address, length);
        }
        free
    }

    /// First and one past the last address of the last block that begins before `end`.
    fn last_before(&self, end: u64) -> Option<(u64, u64)> {
        let (&address, &length) = self.used.range(..end).next_back()?;
        Some((address, address + length))
    }
}

#[cfg(test)]
mod tests {
    use super::super::ranges::block_length;
    use super::*;

    #[test]
    fn a_place_can_be_asked_for_again_and_is_not_given_by_chance() {
        const BASE: u64 = 1 << 44;
        const SIZE: u64 = 1 << 20;
        let length = block_length(65536).unwrap();
        let mut blocks = Blocks::new(BASE, SIZE);
        let a = blocks.take(length, GRANULE).unwrap();
        let b = blocks.take(length, GRANULE).unwrap();
        assert!(
            !blocks.take_at(a, length) && !blocks.take_at(a + GRANULE, length),
            "in use"
        );
        blocks.used.clear();
        assert!(blocks.take_at(b, length) && blocks.take_at(a, length));
        assert!(!blocks.take_at(BASE, length), "the guard at the start");
        assert!(!blocks.take_at(BASE + SIZE - GUARD, length) && !blocks.take_at(!0 - GRANULE + 1, length));
        blocks.used.remove(&a);
        assert!(
            blocks.take_at(b + 2 * length, length),
            "a place that was never given"
        );
        let c = blocks.take(length, GRANULE).unwrap();
        assert_eq!(c, b + length);
        assert_eq!(blocks.take(length, GRANULE), Some(b + 3 * length));
        // When all fresh space is used up, what was freed comes again.
        while blocks.next + length <= BASE + SIZE {
            blocks.take(length, GRANULE).unwrap();
        }
        assert_eq!(blocks.take(length, GRANULE), Some(a));
        assert_eq!(blocks.take(length, GRANULE), None);
    }
}
