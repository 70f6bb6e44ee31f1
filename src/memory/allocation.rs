//! Allocations of a device: heaps with enforced budgets, placement in the window, history of freed memory.
//!
//! Pages are committed when an allocation is first bound or mapped. Until then nobody can have an address in
//! it, so an allocation that is freed unused costs no system call and its place can be used again at once.
#![forbid(unsafe_code)]

use super::captured::CapturedSpace;
use super::file::SharedFile;
use super::heap::Properties;
use super::history::History;
use super::live;
use super::ranges::{GRANULE, GUARD, Ranges, block_length};
use super::report::{Event, Listener, Reports};
use super::sparse::Sparse;
use super::usage::Usage;
use super::window::{PAGE, REGION, Window, is_mapped};
use crate::vk;
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Most allocations of the application at a time (`maxMemoryAllocationCount`). Each can cost two of the
/// 65 530 mappings that Linux allows a process.
pub const MAX_ALLOCATIONS: u32 = 16384;
/// The part of the window for the driver's own memory: one in this many. It lies page by page and without guards, so
/// that thousands of descriptor pools take few mappings.
const INTERNAL_PART: u64 = 8;
/// Freed allocations that are remembered.
const HISTORY: usize = 4096;
/// Allocations of at least this size use huge pages.
const HUGE: u64 = 2 << 20;

/// Why memory could not be had.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The heap has no room for it, or the machine has none.
    #[error("out of device memory in heap {heap}")]
    OutOfDeviceMemory {
        /// Index of the heap.
        heap: u32,
    },
    /// There are too many allocations, or devices.
    #[error("too many objects")]
    TooManyObjects,
    /// The address that was asked for is taken, or not one of a captured allocation.
    #[error("address {0:#x} cannot be used again")]
    InvalidCaptureAddress(u64),
    /// What was imported is no exported memory of this size.
    #[error("not a handle of exported memory of this size")]
    InvalidExternalHandle,
    /// No such memory type.
    #[error("no memory type {0}")]
    NoSuchType(u32),
}

impl From<Error> for vk::Result {
    fn from(e: Error) -> vk::Result {
        match e {
            Error::OutOfDeviceMemory { .. } | Error::NoSuchType(_) => vk::Result::ERROR_OUT_OF_DEVICE_MEMORY,
            Error::InvalidCaptureAddress(_) => vk::Result::ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS,
            Error::InvalidExternalHandle => vk::Result::ERROR_INVALID_EXTERNAL_HANDLE,
            Error::TooManyObjects => vk::Result::ERROR_TOO_MANY_OBJECTS,
        }
    }
}

/// What to allocate.
#[derive(Clone, Debug)]
pub struct Request {
    /// Bytes, at least 1.
    pub size: u64,
    /// Memory type.
    pub type_index: u32,
    /// Kind of the object that the memory is for: `DEVICE_MEMORY` for the application's own, anything else
    /// is internal.
    pub owner: vk::ObjectType,
    /// Which addresses it may have.
    pub placement: Placement,
    /// Where its bytes are.
    pub backing: Backing,
}

/// Where the bytes of an allocation are.
#[derive(Clone, Debug, Default)]
pub enum Backing {
    /// With this device alone.
    #[default]
    Private,
    /// With this device, and sparse resources can show it too.
    Aliasable,
    /// In a file that can be exported.
    Exportable,
    /// In a file that was imported.
    Imported(Arc<SharedFile>),
}

/// Where an allocation is placed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Placement {
    /// Among the others.
    #[default]
    Anywhere,
    /// Where it can be placed again in another run.
    Captured,
    /// At the address that it had when it was captured.
    At(u64),
    /// Where the process has it: pages of its own that are imported.
    Host(u64),
}

/// All memory of a device.
#[derive(Debug)]
pub struct Memory {
    window: Window,
    /// Space of allocations whose addresses are captured or replayed.
    captured: CapturedSpace,
    properties: Properties,
    state: Mutex<State>,
    history: History,
    reports: Reports,
    /// Of all devices of the process, and of this one.
    usage: Arc<Usage>,
    own: Usage,
    latest_id: AtomicU64,
    /// What sparse resources there are.
    pub(super) sparse: Sparse,
}

#[derive(Debug)]
struct State {
    ranges: Ranges,
    /// Space for the driver's own memory.
    internal: Ranges,
    count: u32,
    /// Live allocations, in no order; `free_slots` are the empty ones.
    live: Vec<Option<Record>>,
    free_slots: Vec<u32>,
    freed: VecDeque<Record>,
}

/// What is known of an allocation, live or freed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// First address.
    pub address: u64,
    /// Bytes asked for.
    pub size: u64,
    /// [`Event::memory_object_id`].
    pub id: u64,
    /// Handle of the object that it is for, or 0 before there is one.
    pub handle: u64,
    /// Kind of that object.
    pub owner: vk::ObjectType,
}

/// What lies at an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Not in the device's address space.
    Outside,
    /// In a live allocation.
    Live(Record),
    /// In an allocation that was freed; the last one there.
    Freed(Record),
    /// In no allocation that is known; the nearest live one below it.
    Gap(Option<Record>),
}

impl Memory {
    /// Reserves the address space of a device with these heaps.
    ///
    /// # Errors
    /// [`Error::TooManyObjects`] when the process has no room for one more.
    pub fn new(
        properties: Properties,
        usage: Arc<Usage>,
        listeners: Vec<Listener>,
    ) -> Result<Arc<Memory>, Error> {
        let window = Window::reserve().map_err(|_| Error::TooManyObjects)?;
        let part = window.size() / INTERNAL_PART;
        let state = State {
            ranges: Ranges::new(window.base(), window.usable() - part),
            internal: Ranges::new(window.base() + window.usable() - part, part - GUARD),
            count: 0,
            live: vec![],
            free_slots: vec![],
            freed: VecDeque::new(),
        };
        let reports = Reports::new(listeners);
        Ok(Arc::new(Memory {
            window,
            captured: CapturedSpace::of_process(),
            properties,
            state: Mutex::new(state),
            history: History::default(),
            reports,
            usage,
            own: Usage::default(),
            latest_id: AtomicU64::new(0),
            sparse: Sparse::default(),
        }))
    }

    /// The device's own window, and the one it shares with others.
    #[must_use]
    pub fn windows(&self) -> (&Window, Option<&Window>) {
        (&self.window, self.captured.window())
    }

    /// The window of an address of the device's, or of one that could be.
    pub(super) fn window(&self, address: u64) -> Option<&Window> {
        [Some(&self.window), self.captured.window()]
            .into_iter()
            .flatten()
            .find(|w| w.contains(address, 1))
    }

    /// Whether an address can be one of device memory.
    #[must_use]
    pub fn may_hold(&self, address: u64) -> bool {
        self.window(address).is_some() || live::is_imported(address)
    }

    /// Whether an address could be that of a captured allocation.
    #[must_use]
    pub fn may_be_captured(&self, address: u64) -> bool {
        self.captured.window().is_some_and(|w| w.contains(address, 1))
    }

    /// What lies where, and lay there before.
    #[must_use]
    pub fn history(&self) -> &History {
        &self.history
    }

    /// Heaps and types.
    #[must_use]
    pub fn properties(&self) -> &Properties {
        &self.properties
    }

    /// Bytes allocated from a heap.
    #[must_use]
    pub fn used(&self, heap: u32) -> u64 {
        self.own.of(heap)
    }

    /// Most bytes that were ever allocated from a heap.
    #[must_use]
    pub fn most_used(&self, heap: u32) -> u64 {
        self.own.most(heap)
    }

    /// The heap that the driver's own memory counts against.
    pub(super) fn internal_heap(&self) -> u32 {
        self.properties.heaps.len() as u32 - 1
    }

    pub(super) fn reports(&self) -> &Reports {
        &self.reports
    }

    /// An id that no other memory of the device has or had.
    pub(super) fn next_id(&self) -> u64 {
        self.latest_id.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Counts bytes against a heap, which the process's devices share.
    pub(super) fn take(&self, heap: u32, bytes: u64) -> Result<(), Error> {
        let size = self.properties.heaps.get(heap as usize).map_or(0, |h| h.size);
        if !self.usage.take(heap, bytes, size) {
            return Err(Error::OutOfDeviceMemory { heap });
        }
        // What fits the sum fits each part.
        self.own.take(heap, bytes, u64::MAX);
        Ok(())
    }

    /// Has the heaps bounded as the rules of a device ask for.
    pub fn bound(&self, device: u64, budgets: impl FnOnce() -> Vec<(u64, u64)>) {
        self.usage.bound(device, budgets);
    }

    /// Counts bytes that a draw took, whether or not the heap has room.
    pub(super) fn take_later(&self, heap: u32, bytes: u64) {
        self.usage.take_later(heap, bytes);
        self.own.take_later(heap, bytes);
    }

    /// Gives them back.
    pub(super) fn give_later(&self, heap: u32, bytes: u64) {
        self.own.give_later(heap, bytes);
        self.usage.give_later(heap, bytes);
    }

    /// Gives counted bytes back.
    pub(super) fn give(&self, heap: u32, bytes: u64) {
        self.own.give(heap, bytes);
        self.usage.give(heap, bytes);
    }

    /// Allocates; the memory reads as zero. [`Allocation::announce`] must follow when the owner has a handle.
    ///
    /// # Errors
    /// [`Error::OutOfDeviceMemory`] past the heap's size, [`Error::TooManyObjects`], [`Error::NoSuchType`].
    pub fn allocate(self: &Arc<Self>, request: &Request) -> Result<Arc<Allocation>, Error> {
        let ty = *self
            .properties
            .types
            .get(request.type_index as usize)
            .filter(|_| self.properties.is_usable(request.type_index))
            .ok_or(Error::NoSuchType(request.type_index))?;
        match self.back(request, ty.heap) {
            Ok((placed, file)) => {
                self.history
                    .allocated(request.owner, placed.address, request.size, ty.heap);
                Ok(Arc::new(Allocation {
                    memory: self.clone(),
                    address: placed.address,
                    size: request.size,
                    charge: placed.charge,
                    length: placed.length,
                    id: file.as_ref().map_or(placed.id, |file| file.id()),
                    file,
                    is_import: matches!(request.backing, Backing::Imported(_))
                        || matches!(request.placement, Placement::Host(_)),
                    is_aliasable: matches!(request.backing, Backing::Aliasable),
                    type_index: request.type_index,
                    heap: ty.heap,
                    owner: request.owner,
                    slot: placed.slot,
                    handle: AtomicU64::new(0),
                    announced: AtomicBool::new(false),
                    committed: AtomicBool::new(false),
                    freed: AtomicBool::new(false),
                    is_captured: is_captured(request.placement),
                    is_host: matches!(request.placement, Placement::Host(_)),
                }))
            }
            Err(error) => {
                self.reports.emit(&Event {
                    kind: vk::DeviceMemoryReportEventTypeEXT::ALLOCATION_FAILED,
                    memory_object_id: 0,
                    size: request.size,
                    object_type: request.owner,
                    object_handle: 0,
                    heap_index: ty.heap,
                });
                Err(error)
            }
        }
    }

    /// Finds a place for a request, and the file of its bytes if they are in one.
    fn back(&self, request: &Request, heap: u32) -> Result<(Placed, Option<Arc<SharedFile>>), Error> {
        let placed = self.place(request, heap)?;
        let file = match &request.backing {
            Backing::Private | Backing::Aliasable => Ok(None),
            Backing::Imported(file) if file.len() >= placed.charge => Ok(Some(file.clone())),
            Backing::Imported(_) => Err(Error::InvalidExternalHandle),
            Backing::Exportable => SharedFile::new(c"lahar-memory", placed.charge)
                .map(|file| Some(Arc::new(file)))
                .map_err(|_| Error::OutOfDeviceMemory { heap }),
        };
        match file {
            Ok(file) => Ok((placed, file)),
            Err(error) => {
                self.give(heap, placed.charge);
                self.unplace(&placed, request.owner, request.placement);
                Err(error)
            }
        }
    }

    /// Gives back a place that nobody knows of yet.
    fn unplace(&self, placed: &Placed, owner: vk::ObjectType, placement: Placement) {
        let mut state = self.state.lock();
        state.live[placed.slot as usize] = None;
        state.free_slots.push(placed.slot);
        if owner == vk::ObjectType::DEVICE_MEMORY {
            state.count -= 1;
            if matches!(placement, Placement::Host(_)) {
                live::unimport(placed.address);
            } else if is_captured(placement) {
                self.captured.give(placed.address);
            } else {
                state.ranges.give_untouched(placed.address, placed.length);
            }
        } else {
            state.internal.give_untouched(placed.address, placed.length);
        }
    }

    /// Counts the bytes of a request and finds a place for them.
    fn place(&self, request: &Request, heap: u32) -> Result<Placed, Error> {
        let none = Error::OutOfDeviceMemory { heap };
        let charge = request.size.max(1).checked_next_multiple_of(PAGE).ok_or(none)?;
        self.take(heap, charge)?;
        let id = || self.next_id();
        let placed = self.state.lock().place(request, charge, none, &self.captured, id);
        if placed.is_err() {
            self.give(heap, charge);
        }
        placed
    }

    /// Allocates and commits memory for an internal object, from the last heap.
    ///
    /// # Errors
    /// As [`Memory::allocate`].
    pub fn allocate_internal(
        self: &Arc<Self>,
        size: u64,
        owner: vk::ObjectType,
    ) -> Result<Arc<Allocation>, Error> {
        let last = self.internal_heap();
        let type_index = self
            .properties
            .types
            .iter()
            .position(|t| t.heap == last)
            .unwrap_or(0) as u32;
        let allocation = self.allocate(&Request {
            size,
            type_index,
            owner,
            placement: Placement::Anywhere,
            backing: Backing::Private,
        })?;
        allocation.commit()?;
        Ok(allocation)
    }

    /// Takes addresses for a sparse resource; the place of their record.
    pub(super) fn take_addresses(
        &self,
        size: u64,
        placement: Placement,
        owner: vk::ObjectType,
    ) -> Result<(u64, u32), Error> {
        let none = Error::OutOfDeviceMemory { heap: 0 };
        let length = block_length(size).ok_or(none)?;
        let mut state = self.state.lock();
        let address = match placement {
            Placement::Anywhere => state.ranges.take(length, GRANULE).ok_or(none)?,
            Placement::Captured => self.captured.take(length, GRANULE).ok_or(none)?,
            Placement::At(address) if self.captured.take_at(address, length) => address,
            Placement::At(address) | Placement::Host(address) => {
                return Err(Error::InvalidCaptureAddress(address));
            }
        };
        let slot = state.enter(Record {
            address,
            size,
            id: 0,
            handle: 0,
            owner,
        });
        Ok((address, slot))
    }

    /// Gives them back; they are used again only if that is allowed.
    pub(super) fn give_addresses(&self, (address, slot): (u64, u32), size: u64, reusable: bool) {
        let mut state = self.state.lock();
        state.live[slot as usize] = None;
        state.free_slots.push(slot);
        if !reusable {
            return;
        }
        match block_length(size) {
            Some(length) if self.window.contains(address, 1) => state.ranges.give(address, length),
            _ => self.captured.give(address),
        }
    }

    /// What lies at `address`; meant for fault reports, not for speed.
    #[must_use]
    pub fn locate(&self, address: u64) -> Place {
        if !self.may_hold(address) {
            return Place::Outside;
        }
        let state = self.state.lock();
        let holds = |r: &&Record| address >= r.address && address - r.address < r.size;
        if let Some(r) = state.live.iter().flatten().find(holds) {
            return Place::Live(*r);
        }
        if let Some(r) = state.freed.iter().rev().find(holds) {
            return Place::Freed(*r);
        }
        let below = state.live.iter().flatten().filter(|r| r.address <= address);
        Place::Gap(below.max_by_key(|r| r.address).copied())
    }

    /// Every live allocation, by address.
    #[must_use]
    pub fn live(&self) -> Vec<Record> {
        let mut all: Vec<Record> = self.state.lock().live.iter().flatten().copied().collect();
        all.sort_by_key(|r| r.address);
        all
    }
}

/// Whether addresses are of those that are captured.
fn is_captured(placement: Placement) -> bool {
    matches!(placement, Placement::Captured | Placement::At(_))
}

/// Takes pages of the process's own, if they are there, nobody else has them and they are no device memory.
fn can_import(address: u64, len: u64) -> bool {
    let (first, end) = (REGION.0, REGION.0 + REGION.1);
    let apart = address
        .checked_add(len)
        .is_some_and(|last| last <= first || address >= end);
    apart && address.is_multiple_of(PAGE) && is_mapped(address, len) && live::import(address, len)
}

struct Placed {
    address: u64,
    /// Bytes of address space, with the guard.
    length: u64,
    /// Bytes that count: whole pages.
    charge: u64,
    id: u64,
    slot: u32,
}

impl State {
    /// Adds a live record; its place.
    fn enter(&mut self, record: Record) -> u32 {
        let slot = self.free_slots.pop().unwrap_or_else(|| {
            self.live.push(None);
            self.live.len() as u32 - 1
        });
        self.live[slot as usize] = Some(record);
        slot
    }

    fn place(
        &mut self,
        request: &Request,
        charge: u64,
        none: Error,
        captured: &CapturedSpace,
        next_id: impl Fn() -> u64,
    ) -> Result<Placed, Error> {
        let internal = request.owner != vk::ObjectType::DEVICE_MEMORY;
        if !internal && self.count >= MAX_ALLOCATIONS {
            return Err(Error::TooManyObjects);
        }
        let align = if request.size >= HUGE { HUGE } else { GRANULE };
        let length = if internal {
            charge
        } else {
            block_length(request.size).ok_or(none)?
        };
        let address = match request.placement {
            Placement::Anywhere if internal => self.internal.take(length, PAGE).ok_or(none)?,
            Placement::Anywhere => self.ranges.take(length, align).ok_or(none)?,
            Placement::Captured => captured.take(length, align).ok_or(none)?,
            Placement::At(address) if captured.take_at(address, length) => address,
            Placement::At(address) => return Err(Error::InvalidCaptureAddress(address)),
            Placement::Host(address) if can_import(address, charge) => address,
            Placement::Host(_) => return Err(Error::InvalidExternalHandle),
        };
        self.count += u32::from(!internal);
        let id = next_id();
        let record = Record {
            address,
            size: request.size,
            id,
            handle: 0,
            owner: request.owner,
        };
        let slot = self.enter(record);
        Ok(Placed {
            address,
            length,
            charge,
            id,
            slot,
        })
    }
}

/// Memory of an application's `VkDeviceMemory`, or of an internal object. Freed when dropped, or before
/// by [`Allocation::free`].
#[derive(Debug)]
pub struct Allocation {
    memory: Arc<Memory>,
    address: u64,
    size: u64,
    /// Bytes that count.
    charge: u64,
    /// Bytes of address space.
    length: u64,
    id: u64,
    type_index: u32,
    heap: u32,
    owner: vk::ObjectType,
    slot: u32,
    handle: AtomicU64,
    /// Whether it was reported.
    announced: AtomicBool,
    committed: AtomicBool,
    freed: AtomicBool,
    is_captured: bool,
    /// Whether its pages are the process's own.
    is_host: bool,
    /// Where its bytes are, if others can share them.
    file: Option<Arc<SharedFile>>,
    is_import: bool,
    /// Whether its pages are shared though they are in no file.
    is_aliasable: bool,
}

impl Allocation {
    /// The file of its bytes, if it can be exported.
    #[must_use]
    pub fn file(&self) -> Option<&Arc<SharedFile>> {
        self.file.as_ref()
    }

    /// First address.
    #[must_use]
    pub fn address(&self) -> u64 {
        self.address
    }

    /// Bytes asked for.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.size
    }

    /// [`Event::memory_object_id`].
    #[must_use]
    pub fn id(&self) -> u64 {
        self.id
    }

    /// Memory type.
    #[must_use]
    pub fn type_index(&self) -> u32 {
        self.type_index
    }

    /// Whether the host may map it.
    #[must_use]
    pub fn is_mappable(&self) -> bool {
        self.memory.properties.is_mappable(self.type_index)
    }

    /// Bytes of its pages.
    #[must_use]
    pub fn pages(&self) -> u64 {
        self.charge
    }

    /// Whether sparse resources can show it.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        self.is_aliasable || self.file.is_some()
    }

    /// Whether it is gone.
    pub(super) fn is_freed(&self) -> bool {
        self.freed.load(Ordering::Acquire)
    }

    /// Tells of the allocation, now that its owner has a handle.
    pub fn announce(&self, handle: u64) {
        self.handle.store(handle, Ordering::Relaxed);
        if let Some(r) = &mut self.memory.state.lock().live[self.slot as usize] {
            r.handle = handle;
        }
        self.memory.history.handled(self.address, handle);
        self.announced.store(true, Ordering::Relaxed);
        self.emit(if self.is_import {
            vk::DeviceMemoryReportEventTypeEXT::IMPORT
        } else {
            vk::DeviceMemoryReportEventTypeEXT::ALLOCATE
        });
    }

    /// Makes the memory accessible. Must come before anyone is given an address in it.
    ///
    /// # Errors
    /// [`Error::OutOfDeviceMemory`] if the kernel refuses.
    pub fn commit(&self) -> Result<(), Error> {
        if self.committed.load(Ordering::Acquire) {
            return Ok(());
        }
        let _state = self.memory.state.lock();
        if !self.committed.load(Ordering::Acquire) {
            let none = Error::OutOfDeviceMemory { heap: self.heap };
            if self.is_host {
                live::add(self.address, self.size);
                self.committed.store(true, Ordering::Release);
                return Ok(());
            }
            let window = self.memory.window(self.address).ok_or(none)?;
            let committed = match &self.file {
                Some(file) => window.commit_file(self.address, self.charge, file),
                None if self.is_aliasable => window.commit_aliasable(self.address, self.charge),
                None => window.commit(self.address, self.charge, self.size >= HUGE),
            };
            committed.map_err(|_| none)?;
            live::add(self.address, self.size);
            self.committed.store(true, Ordering::Release);
        }
        Ok(())
    }

    /// Gives every byte a value.
    ///
    /// # Errors
    /// As [`Allocation::commit`].
    pub fn fill(&self, byte: u8) -> Result<(), Error> {
        self.commit()?;
        super::raw::fill(self.address, byte, self.charge as usize);
        Ok(())
    }

    /// Gives the memory back: from now on its addresses trap and its bytes count no more.
    pub fn free(&self) {
        if self.freed.swap(true, Ordering::AcqRel) {
            return;
        }
        if self.announced.load(Ordering::Relaxed) {
            self.emit(if self.is_import {
                vk::DeviceMemoryReportEventTypeEXT::UNIMPORT
            } else {
                vk::DeviceMemoryReportEventTypeEXT::FREE
            });
        }
        let committed = self.committed.load(Ordering::Acquire);
        if committed {
            live::remove(self.address);
        }
        self.memory.history.freed(self.address, committed);
        if committed && self.is_shared() {
            self.memory.unbind_sparse(self.address, self.charge);
        }
        // A place that the kernel does not take back is never used again.
        let window = self.memory.window(self.address);
        let usable = !committed
            || self.is_host
            || window.is_some_and(|w| w.decommit(self.address, self.charge).is_ok());
        self.memory.give(self.heap, self.charge);
        let mut state = self.memory.state.lock();
        let state = &mut *state;
        let internal = self.owner != vk::ObjectType::DEVICE_MEMORY;
        state.count -= u32::from(!internal);
        let record = state.live[self.slot as usize].take();
        state.free_slots.push(self.slot);
        let ranges = if internal {
            &mut state.internal
        } else {
            &mut state.ranges
        };
        match usable {
            _ if self.is_host => live::unimport(self.address),
            // Not to be given again by chance, used or not.
            true if self.is_captured => self.memory.captured.give(self.address),
            true if !committed => ranges.give_untouched(self.address, self.length),
            true => ranges.give(self.address, self.length),
            false => {}
        }
        if committed {
            if state.freed.len() == HISTORY {
                state.freed.pop_front();
            }
            state.freed.extend(record);
        }
    }

    fn emit(&self, kind: vk::DeviceMemoryReportEventTypeEXT) {
        self.memory.reports.emit(&Event {
            kind,
            memory_object_id: self.id,
            size: self.charge,
            object_type: self.owner,
            object_handle: self.handle.load(Ordering::Relaxed),
            heap_index: self.heap,
        });
    }
}

impl Drop for Allocation {
    fn drop(&mut self) {
        self.free();
    }
}

#[cfg(test)]
mod tests;
