//! Sparse resources: ranges of addresses that show pages of other allocations, where they are bound.
//!
//! Where nothing is bound lie pages of a scratch file, the same few for all of a device: an access there is
//! harmless and costs no memory, but what is read is undefined (`residencyNonResidentStrict` is not claimed).
#![forbid(unsafe_code)]

use super::allocation::{Allocation, Error, Memory, Placement};
use super::charge::Charge;
use super::file::SharedFile;
use super::live;
use super::ranges::GRANULE;
use super::window::PAGE;
use crate::vk;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};

/// Bytes of the units in which memory is bound to buffers and to images that are resident as a whole.
pub const SPARSE_BLOCK: u64 = GRANULE;
/// Bytes of the units in which memory is bound to images that are resident in part.
pub const SPARSE_PAGE: u64 = PAGE;
/// Bytes of all sparse resources of a device at a time.
pub const SPARSE_ADDRESS_SPACE: u64 = 1 << 38;
/// Bytes of the scratch file. What is not bound takes one of the process's mappings for as many.
const SCRATCH: u64 = 16 << 20;
/// Bound parts of a device at a time: each can take two of the process's mappings.
const MAX_PARTS: u64 = 12 << 10;

/// What a device knows of its sparse resources.
#[derive(Debug, Default)]
pub(super) struct Sparse {
    scratch: Mutex<Weak<Scratch>>,
    ranges: Mutex<BTreeMap<u64, Weak<SparseRange>>>,
    /// Bytes of address space in use.
    size: AtomicU64,
    /// Bound parts, and those that are about to be.
    parts: AtomicU64,
}

/// The pages where nothing is bound.
#[derive(Debug)]
struct Scratch {
    file: SharedFile,
    _charge: Charge,
}

/// The addresses of a sparse resource.
#[derive(Debug)]
pub struct SparseRange {
    memory: Arc<Memory>,
    scratch: Arc<Scratch>,
    address: u64,
    size: u64,
    slot: u32,
    /// What is bound, by offset.
    parts: Mutex<BTreeMap<u64, Part>>,
}

/// A part that is bound: its bytes, and the address of what it shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Part {
    len: u64,
    shows: u64,
}

/// A part of a sparse resource, and the memory it is to show.
#[derive(Clone, Debug)]
pub struct SparseBind {
    /// The resource.
    pub range: Arc<SparseRange>,
    /// First byte in it.
    pub offset: u64,
    /// Bytes.
    pub size: u64,
    /// The memory and the first byte in it.
    pub memory: Option<(Arc<Allocation>, u64)>,
}

/// A binding was asked for that cannot be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BindError {
    /// It does not lie on whole pages within resource and memory.
    #[error("a sparse binding lies outside of its resource or memory, or not on whole pages")]
    Outside,
    /// The system has no more mappings.
    #[error("no room for one more sparse binding")]
    NoRoom,
}

impl Memory {
    /// Reserves addresses for a sparse resource of `size` bytes; `device` is the handle of the device, which is told
    /// to take what all of them share.
    ///
    /// # Errors
    /// [`Error::OutOfDeviceMemory`] when there are no more, [`Error::InvalidCaptureAddress`].
    pub fn reserve_sparse(
        self: &Arc<Self>,
        size: u64,
        placement: Placement,
        owner: vk::ObjectType,
        device: u64,
    ) -> Result<Arc<SparseRange>, Error> {
        let none = Error::OutOfDeviceMemory { heap: 0 };
        let size = size.max(1).checked_next_multiple_of(SPARSE_BLOCK).ok_or(none)?;
        let take = |used: u64| used.checked_add(size).filter(|all| *all <= SPARSE_ADDRESS_SPACE);
        let counter = &self.sparse.size;
        counter
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, take)
            .map_err(|_| none)?;
        let placed = self
            .scratch(device)
            .and_then(|scratch| Ok((scratch, self.take_addresses(size, placement, owner)?)));
        let (scratch, (address, slot)) = placed.inspect_err(|_| {
            counter.fetch_sub(size, Ordering::Relaxed);
        })?;
        self.history()
            .allocated(owner, address, size, self.internal_heap());
        live::add(address, size);
        let range = Arc::new(SparseRange {
            memory: self.clone(),
            scratch,
            address,
            size,
            slot,
            parts: Mutex::default(),
        });
        range.unmap(0, size, true).map_err(|_| none)?;
        self.sparse.ranges.lock().insert(address, Arc::downgrade(&range));
        Ok(range)
    }

    fn scratch(self: &Arc<Self>, device: u64) -> Result<Arc<Scratch>, Error> {
        let mut known = self.sparse.scratch.lock();
        if let Some(scratch) = known.upgrade() {
            return Ok(scratch);
        }
        let heap = self.internal_heap();
        let charge = self.charge(SCRATCH, vk::ObjectType::DEVICE, device)?;
        let file =
            SharedFile::new(c"lahar-sparse", SCRATCH).map_err(|_| Error::OutOfDeviceMemory { heap })?;
        let scratch = Arc::new(Scratch {
            file,
            _charge: charge,
        });
        *known = Arc::downgrade(&scratch);
        Ok(scratch)
    }

    /// Takes room for bindings that are to be made.
    ///
    /// # Errors
    /// [`BindError::NoRoom`].
    pub fn expect_binds(&self, binds: &[SparseBind]) -> Result<(), BindError> {
        let count = binds.iter().filter(|bind| bind.memory.is_some()).count() as u64;
        let more = |parts: u64| Some(parts + count).filter(|parts| *parts <= MAX_PARTS);
        let taken = self
            .sparse
            .parts
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
        taken.map(drop).map_err(|_| BindError::NoRoom)
    }

    /// Makes the bindings that were expected, in order.
    ///
    /// # Errors
    /// [`BindError::NoRoom`].
    pub fn bind_sparse(&self, binds: &[SparseBind]) -> Result<(), BindError> {
        let bound = binds.iter().try_for_each(SparseBind::make);
        let count = binds.iter().filter(|bind| bind.memory.is_some()).count() as u64;
        self.sparse.parts.fetch_sub(count, Ordering::Relaxed);
        bound
    }

    /// Takes memory that is freed out of the resources that show it.
    pub(super) fn unbind_sparse(&self, first: u64, len: u64) {
        let all: Vec<Arc<SparseRange>> = {
            let ranges = self.sparse.ranges.lock();
            ranges.values().filter_map(Weak::upgrade).collect()
        };
        for range in all {
            range.forget(first, len);
        }
    }
}

impl SparseBind {
    /// A binding; it is checked now and made later.
    ///
    /// # Errors
    /// [`BindError::Outside`].
    pub fn new(
        range: Arc<SparseRange>,
        offset: u64,
        size: u64,
        memory: Option<(Arc<Allocation>, u64)>,
    ) -> Result<SparseBind, BindError> {
        let inside = |offset: u64, size: u64, all: u64| {
            offset.is_multiple_of(PAGE) && offset <= all && size <= all - offset
        };
        // The last block of a resource may be cut off by its end.
        let size = size.checked_next_multiple_of(PAGE).ok_or(BindError::Outside)?;
        let there = memory
            .as_ref()
            .is_none_or(|(memory, from)| memory.is_shared() && inside(*from, size, memory.pages()));
        if !inside(offset, size, range.size) || !there {
            return Err(BindError::Outside);
        }
        Ok(SparseBind {
            range,
            offset,
            size,
            memory,
        })
    }

    /// Adds a binding to a list, as one with the last if it continues that.
    pub fn join(self, list: &mut Vec<SparseBind>) {
        if let Some(last) = list.last_mut()
            && Arc::ptr_eq(&last.range, &self.range)
            && last.offset + last.size == self.offset
            && match (&last.memory, &self.memory) {
                (None, None) => true,
                (Some((a, at)), Some((b, from))) => Arc::ptr_eq(a, b) && at + last.size == *from,
                _ => false,
            }
        {
            last.size += self.size;
        } else {
            list.push(self);
        }
    }

    fn make(&self) -> Result<(), BindError> {
        if self.size == 0 {
            return Ok(());
        }
        let made = match &self.memory {
            Some((memory, from)) if !memory.is_freed() => {
                memory.commit().map_err(|_| BindError::NoRoom)?;
                self.range.map(self.offset, self.size, memory.address() + from)
            }
            _ => self.range.unmap(self.offset, self.size, false),
        };
        made.map_err(|_| BindError::NoRoom)
    }
}

impl SparseRange {
    /// First address.
    #[must_use]
    pub fn address(&self) -> u64 {
        self.address
    }

    /// Shows pages from an address on.
    fn map(&self, offset: u64, len: u64, shows: u64) -> io::Result<()> {
        let at = self.address + offset;
        let window = self.memory.window(at).ok_or(io::ErrorKind::AddrNotAvailable)?;
        let mut parts = self.parts.lock();
        self.clear(&mut parts, offset, len);
        window.alias(at, len, shows)?;
        parts.insert(offset, Part { len, shows });
        self.memory.sparse.parts.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    /// Shows nothing; `new` if nothing was ever there.
    fn unmap(&self, offset: u64, len: u64, new: bool) -> io::Result<()> {
        let window = self
            .memory
            .window(self.address)
            .ok_or(io::ErrorKind::AddrNotAvailable)?;
        let mut parts = self.parts.lock();
        if !new {
            self.clear(&mut parts, offset, len);
        }
        let (mut at, end) = (self.address + offset, self.address + offset + len);
        while at < end {
            let from = at % SCRATCH;
            let step = (SCRATCH - from).min(end - at);
            window.show_file(at, step, (&self.scratch.file, from))?;
            at += step;
        }
        Ok(())
    }

    /// Takes a part out of what is known to be bound; what is left and right of it stays.
    fn clear(&self, parts: &mut BTreeMap<u64, Part>, offset: u64, len: u64) {
        let end = offset + len;
        let first = parts
            .range(..offset)
            .next_back()
            .filter(|(at, part)| *at + part.len > offset)
            .map_or(offset, |(at, _)| *at);
        let touched: Vec<(u64, Part)> = parts.range(first..end).map(|(at, part)| (*at, *part)).collect();
        let before = parts.len();
        for (at, part) in touched {
            parts.remove(&at);
            if at < offset {
                let left = Part {
                    len: offset - at,
                    ..part
                };
                parts.insert(at, left);
            }
            if at + part.len > end {
                let cut = end - at;
                let right = Part {
                    len: part.len - cut,
                    shows: part.shows + cut,
                };
                parts.insert(end, right);
            }
        }
        let count = &self.memory.sparse.parts;
        count.fetch_add(parts.len() as u64, Ordering::Relaxed);
        count.fetch_sub(before as u64, Ordering::Relaxed);
    }

    /// Shows nothing where it shows some of `len` bytes from `first` on.
    fn forget(&self, first: u64, len: u64) {
        let shown: Vec<(u64, u64)> = {
            let parts = self.parts.lock();
            parts
                .iter()
                .filter(|(_, part)| part.shows >= first && part.shows < first + len)
                .map(|(at, part)| (*at, part.len))
                .collect()
        };
        for (at, len) in shown {
            // Where even that fails the pages stay, as those of nobody else.
            let _ = self.unmap(at, len, false);
        }
    }
}

impl Drop for SparseRange {
    fn drop(&mut self) {
        let sparse = &self.memory.sparse;
        sparse.ranges.lock().remove(&self.address);
        live::remove(self.address);
        self.memory.history().freed(self.address, true);
        let window = self.memory.window(self.address);
        let reusable = window.is_some_and(|w| w.decommit(self.address, self.size).is_ok());
        self.memory
            .give_addresses((self.address, self.slot), self.size, reusable);
        let bound = self.parts.get_mut().len() as u64;
        sparse.parts.fetch_sub(bound, Ordering::Relaxed);
        sparse.size.fetch_sub(self.size, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::{Backing, Profile, Properties, Request, raw};

    fn memory() -> Arc<Memory> {
        Memory::new(
            Properties::new(Profile::Discrete, 8 << 30),
            Arc::default(),
            vec![],
        )
        .unwrap()
    }

    fn allocate(m: &Arc<Memory>, blocks: u64) -> Arc<Allocation> {
        m.allocate(&Request {
            size: blocks * SPARSE_BLOCK,
            type_index: 0,
            owner: vk::ObjectType::DEVICE_MEMORY,
            placement: Placement::Anywhere,
            backing: Backing::Aliasable,
        })
        .unwrap()
    }

    fn reserve(m: &Arc<Memory>, blocks: u64) -> Arc<SparseRange> {
        m.reserve_sparse(
            blocks * SPARSE_BLOCK,
            Placement::Anywhere,
            vk::ObjectType::BUFFER,
            1,
        )
        .unwrap()
    }

    fn bind(range: &Arc<SparseRange>, at: u64, len: u64, shown: Option<(&Arc<Allocation>, u64)>) {
        let memory = shown.map(|(memory, from)| (memory.clone(), from * SPARSE_BLOCK));
        let bind = SparseBind::new(range.clone(), at * SPARSE_BLOCK, len * SPARSE_BLOCK, memory).unwrap();
        range.memory.expect_binds(std::slice::from_ref(&bind)).unwrap();
        range.memory.bind_sparse(&[bind]).unwrap();
    }

    #[test]
    fn bound_parts_show_the_memory_and_others_are_harmless() {
        let m = memory();
        let (a, range) = (allocate(&m, 4), reserve(&m, 8));
        let at = |block: u64| range.address() + block * SPARSE_BLOCK;
        raw::store(at(5), 1u32);
        // Two parts of the resource show one part of the memory.
        for block in [2, 5] {
            bind(&range, block, 2, Some((&a, 1)));
        }
        raw::store(a.address() + SPARSE_BLOCK + 8, 7u32);
        for block in [2, 5] {
            assert_eq!(raw::load::<u32>(at(block)), 0);
            assert_eq!(raw::load::<u32>(at(block) + 8), 7);
        }
        raw::store(at(6), 9u32);
        assert_eq!(raw::load::<u32>(at(3)), 9);
        bind(&range, 5, 1, None);
        raw::store(at(5) + 8, 1u32);
        assert_eq!(raw::load::<u32>(at(2) + 8), 7, "5 shows it no more");
        assert_eq!(raw::load::<u32>(at(6)), 9, "the rest of the part stays");
        for (offset, from) in [(0, 4 * SPARSE_BLOCK), (8 * SPARSE_BLOCK, 0), (1, 0)] {
            let refused = SparseBind::new(range.clone(), offset, PAGE, Some((a.clone(), from)));
            assert_eq!(refused.unwrap_err(), BindError::Outside);
        }
    }

    #[test]
    fn memory_that_is_freed_is_shown_no_more_and_nothing_is_lost() {
        let m = memory();
        let before = m.used(1);
        let (a, range) = (allocate(&m, 4), reserve(&m, 8));
        assert_eq!(m.used(1), before + SCRATCH, "what all sparse resources share");
        bind(&range, 1, 4, Some((&a, 0)));
        bind(&range, 2, 1, None);
        assert_eq!(m.sparse.parts.load(Ordering::Relaxed), 2);
        a.free();
        assert_eq!(m.sparse.parts.load(Ordering::Relaxed), 0);
        raw::store(range.address() + SPARSE_BLOCK, 1u32);
        let late = SparseBind::new(range.clone(), 0, SPARSE_BLOCK, Some((a, 0))).unwrap();
        m.expect_binds(std::slice::from_ref(&late)).unwrap();
        m.bind_sparse(std::slice::from_ref(&late)).unwrap();
        assert_eq!(m.sparse.parts.load(Ordering::Relaxed), 0, "it came too late");
        drop((range, late));
        assert_eq!(m.used(1), before);
        assert_eq!(m.sparse.size.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn parts_are_bounded_and_so_are_addresses() {
        let m = memory();
        let (a, range) = (allocate(&m, 1), reserve(&m, 1));
        let one = SparseBind::new(range, 0, PAGE, Some((a, 0))).unwrap();
        let many = vec![one; MAX_PARTS as usize];
        m.expect_binds(&many).unwrap();
        assert_eq!(m.expect_binds(&many[..1]), Err(BindError::NoRoom));
        m.bind_sparse(&many).unwrap();
        m.expect_binds(&many[..1]).unwrap();
        let most = m.reserve_sparse(
            SPARSE_ADDRESS_SPACE,
            Placement::Anywhere,
            vk::ObjectType::BUFFER,
            1,
        );
        assert!(most.is_err(), "a little is taken");
    }

    #[test]
    fn addresses_can_be_captured() {
        let m = memory();
        let get = |placement| m.reserve_sparse(SPARSE_BLOCK, placement, vk::ObjectType::BUFFER, 1);
        let at = get(Placement::Captured).unwrap().address();
        let again = get(Placement::At(at)).unwrap();
        assert_eq!(again.address(), at);
        raw::store(at, 1u32);
        assert_eq!(
            get(Placement::At(at)).unwrap_err(),
            Error::InvalidCaptureAddress(at)
        );
    }
}
