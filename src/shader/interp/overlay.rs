//! Stores that are to have no effect outside a run: device memory as the run sees it.

use crate::memory::raw;
use bytemuck::Pod;
use rustc_hash::FxHashMap;

/// Bytes of a page; accesses are cut at its ends.
const PAGE: u64 = 4096;
/// Most pages there are copies of; stores to others are lost.
const MAX_PAGES: usize = 1 << 14;

/// Copies of the pages that have been written.
#[derive(Debug, Default)]
pub struct Overlay {
    pages: FxHashMap<u64, Box<[u8; PAGE as usize]>>,
}

impl Overlay {
    /// Reads what is known to be there.
    pub(super) fn load<T: Pod>(&self, address: u64) -> T {
        let mut value = T::zeroed();
        for (byte, at) in bytemuck::bytes_of_mut(&mut value).iter_mut().zip(address..) {
            *byte = match self.pages.get(&(at / PAGE)) {
                Some(page) => page[(at % PAGE) as usize],
                None => raw::load(at),
            };
        }
        value
    }

    /// Writes where something is known to be.
    pub(super) fn store<T: Pod>(&mut self, address: u64, value: T) {
        for (&byte, at) in bytemuck::bytes_of(&value).iter().zip(address..) {
            let full = self.pages.len() >= MAX_PAGES;
            let first = at / PAGE * PAGE;
            let page = match self.pages.entry(at / PAGE) {
                std::collections::hash_map::Entry::Occupied(page) => page.into_mut(),
                std::collections::hash_map::Entry::Vacant(_) if full => continue,
                // Pages are there as a whole or not at all.
                std::collections::hash_map::Entry::Vacant(page) => {
                    page.insert(Box::new(std::array::from_fn(|i| raw::load(first + i as u64))))
                }
            };
            page[(at % PAGE) as usize] = byte;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Overlay;
    use crate::memory::AlignedBuf;

    #[test]
    fn stores_are_seen_by_loads_and_by_nobody_else() {
        let memory = AlignedBuf::new(16384);
        let inside = memory.address().next_multiple_of(4096);
        let mut overlay = Overlay::default();
        let across = inside + 4094;
        assert_eq!(overlay.load::<u32>(across), 0);
        overlay.store(across, 0x1234_5678_u32);
        assert_eq!(overlay.load::<u32>(across), 0x1234_5678);
        assert_eq!(overlay.load::<u16>(across + 2), 0x1234);
        assert!(memory.as_slice::<u32>().iter().all(|&word| word == 0));
    }
}
