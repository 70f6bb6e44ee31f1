//! What device memory is there, over all devices of the process: windows, committed allocations, bound buffers.
//!
//! Checks of addresses that shaders use look here, so a look must not need a device. Changes are rare; a look is
//! repeated only when the generation has changed, or when another place is asked for.
#![forbid(unsafe_code)]

use super::window::PAGE;
use parking_lot::RwLock;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// Addresses from `first` up to, not including, `end`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[allow(missing_docs, reason = "the comment says it")]
pub struct Span {
    pub first: u64,
    pub end: u64,
}

impl Span {
    /// Whether all of `size` bytes from `address` are inside.
    #[must_use]
    #[inline]
    pub fn holds(self, address: u64, size: u64) -> bool {
        address >= self.first && address < self.end && size <= self.end - address
    }
}

/// A range whose accesses by shaders are to be told instead of made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the comment says it")]
pub struct Watch {
    pub span: Span,
    pub reads: bool,
    pub writes: bool,
}

#[derive(Debug)]
struct Table {
    windows: Vec<Span>,
    /// The process's own memory that was imported.
    imported: Vec<Span>,
    /// By whose they are: a device and a rule.
    watches: Vec<((u64, u64), Watch)>,
    /// Bytes of committed allocations, by first address.
    allocations: BTreeMap<u64, u64>,
    /// Buffers that have a device address, by first address and bytes; how many there are of each.
    buffers: BTreeMap<(u64, u64), u32>,
}

static TABLE: RwLock<Table> = RwLock::new(Table {
    windows: Vec::new(),
    imported: Vec::new(),
    watches: Vec::new(),
    allocations: BTreeMap::new(),
    buffers: BTreeMap::new(),
});
static GENERATION: AtomicU64 = AtomicU64::new(1);
/// How many spans of the process's own memory are imported: mostly none, and then a look costs nothing.
static IMPORTED: AtomicUsize = AtomicUsize::new(0);
/// How many watches there are; likewise.
static WATCHES: AtomicUsize = AtomicUsize::new(0);

/// Changes whenever something here does.
#[must_use]
#[inline]
pub fn generation() -> u64 {
    GENERATION.load(Ordering::Acquire)
}

fn change(f: impl FnOnce(&mut Table)) {
    f(&mut TABLE.write());
    GENERATION.fetch_add(1, Ordering::AcqRel);
}

pub(super) fn add_window(first: u64, size: u64) {
    let span = Span {
        first,
        end: first + size,
    };
    change(|table| table.windows.push(span));
}

pub(super) fn remove_window(first: u64) {
    change(|table| table.windows.retain(|window| window.first != first));
}

pub(super) fn add(address: u64, size: u64) {
    change(|table| {
        table.allocations.insert(address, size);
    });
}

pub(super) fn remove(address: u64) {
    change(|table| {
        table.allocations.remove(&address);
    });
}

/// Makes memory of the process's own usable as device memory; false if some of it already is.
pub(super) fn import(first: u64, size: u64) -> bool {
    let span = Span {
        first,
        end: first + size,
    };
    let mut done = false;
    change(|table| {
        let apart = |other: &Span| span.end <= other.first || other.end <= span.first;
        done = table.imported.iter().all(apart);
        if done {
            table.imported.push(span);
            IMPORTED.fetch_add(1, Ordering::AcqRel);
        }
    });
    done
}

/// Ends that.
pub(super) fn unimport(first: u64) {
    change(|table| {
        let before = table.imported.len();
        table.imported.retain(|span| span.first != first);
        IMPORTED.fetch_sub(before - table.imported.len(), Ordering::AcqRel);
    });
}

/// First address of all that is imported, and bytes to the end of the last.
#[must_use]
pub fn imported_hull() -> (u64, u64) {
    if IMPORTED.load(Ordering::Acquire) == 0 {
        return (0, 0);
    }
    let table = TABLE.read();
    let first = table.imported.iter().map(|span| span.first).min();
    let end = table.imported.iter().map(|span| span.end).max();
    first.zip(end).map_or((0, 0), |(first, end)| (first, end - first))
}

/// Whether an address is in memory of the process's own that was imported.
#[must_use]
pub fn is_imported(address: u64) -> bool {
    IMPORTED.load(Ordering::Acquire) > 0 && TABLE.read().imported.iter().any(|span| span.holds(address, 1))
}

/// A buffer with a device address comes to be.
pub fn add_buffer(address: u64, size: u64) {
    change(|table| *table.buffers.entry((address, size)).or_insert(0) += 1);
}

/// A buffer with a device address is gone.
pub fn remove_buffer(address: u64, size: u64) {
    change(|table| {
        if let Some(count) = table.buffers.get_mut(&(address, size)) {
            *count -= 1;
            if *count == 0 {
                table.buffers.remove(&(address, size));
            }
        }
    });
}

/// From now on a range is watched for a rule of a device.
pub fn watch(owner: (u64, u64), watch: Watch) {
    change(|table| {
        table.watches.push((owner, watch));
        WATCHES.store(table.watches.len(), Ordering::Release);
    });
}

/// Watches that are not to be kept go.
pub fn unwatch(gone: impl Fn((u64, u64)) -> bool) {
    // Most devices have none, and a change makes all contexts forget what they know.
    if TABLE.read().watches.iter().any(|(owner, _)| gone(*owner)) {
        change(|table| {
            table.watches.retain(|(owner, _)| !gone(*owner));
            WATCHES.store(table.watches.len(), Ordering::Release);
        });
    }
}

/// The first byte of an access that is watched.
#[must_use]
pub fn watched(address: u64, size: u64, reads: bool, writes: bool) -> Option<u64> {
    if WATCHES.load(Ordering::Acquire) == 0 {
        return None;
    }
    let end = address.saturating_add(size);
    let table = TABLE.read();
    let met = table.watches.iter().filter_map(|(_, watch)| {
        let kind = watch.reads && reads || watch.writes && writes;
        (kind && watch.span.first < end && address < watch.span.end).then_some(watch.span.first.max(address))
    });
    met.min()
}

/// Whether anything in a range is watched.
#[must_use]
pub fn is_watched(range: Span) -> bool {
    watched(range.first, range.end - range.first, true, true).is_some()
}

impl Table {
    fn allocation(&self, address: u64) -> Option<Span> {
        let (&first, &size) = self.allocations.range(..=address).next_back()?;
        Some(Span {
            first,
            end: first + size,
        })
    }
}

/// The window of a device that an address lies in.
#[must_use]
pub fn window(address: u64) -> Option<Span> {
    let table = TABLE.read();
    table.windows.iter().copied().find(|w| w.holds(address, 1))
}

/// The bytes of the allocation that an address lies in.
#[must_use]
pub fn allocation(address: u64) -> Option<Span> {
    TABLE
        .read()
        .allocation(address)
        .filter(|span| span.holds(address, 1))
}

/// The pages of the allocation that an address lies in: what page protection lets through.
#[must_use]
pub fn pages(address: u64) -> Option<Span> {
    let span = TABLE.read().allocation(address)?;
    let end = span.end.checked_next_multiple_of(PAGE)?;
    Some(Span { end, ..span }).filter(|span| span.holds(address, 1))
}

/// A buffer with a device address that has all of `size` bytes from `address`; else one that has the first of them.
#[must_use]
pub fn buffer(address: u64, size: u64) -> Option<Span> {
    let table = TABLE.read();
    let begin = table.allocation(address)?.first;
    let mut first_byte = None;
    for &(first, bytes) in table
        .buffers
        .range((begin, 0)..=(address, u64::MAX))
        .rev()
        .map(|(key, _)| key)
    {
        let span = Span {
            first,
            end: first.saturating_add(bytes),
        };
        if span.holds(address, size) {
            return Some(span);
        }
        if span.holds(address, 1) && first_byte.is_none_or(|known: Span| known.end < span.end) {
            first_byte = Some(span);
        }
    }
    first_byte
}

#[cfg(test)]
mod tests {
    use super::*;

    // An address that no device of another test has.
    const AT: u64 = 0x7000_0000_0000;

    #[test]
    fn spans_are_found_by_any_address_in_them() {
        let before = generation();
        add(AT, 5000);
        assert_ne!(generation(), before);
        let span = |first, end| Some(Span { first, end });
        assert_eq!(allocation(AT + 4999), span(AT, AT + 5000));
        assert_eq!(allocation(AT + 5000), None);
        assert_eq!(
            pages(AT + 5000),
            span(AT, AT + 8192),
            "page protection is coarser"
        );
        assert_eq!(pages(AT + 8192), None);
        add_buffer(AT + 64, 100);
        add_buffer(AT, 1000);
        add_buffer(AT + 64, 100);
        assert_eq!(buffer(AT + 64, 4), span(AT + 64, AT + 164));
        assert_eq!(
            buffer(AT + 162, 4),
            span(AT, AT + 1000),
            "the one that has all of it"
        );
        assert_eq!(buffer(AT + 998, 4), span(AT, AT + 1000), "or the first byte");
        assert_eq!(buffer(AT + 1000, 4), None);
        remove_buffer(AT, 1000);
        remove_buffer(AT + 64, 100);
        assert_eq!(buffer(AT + 64, 4), span(AT + 64, AT + 164), "there were two");
        remove_buffer(AT + 64, 100);
        assert_eq!(buffer(AT + 64, 4), None);
        remove(AT);
        assert_eq!(allocation(AT), None);
    }

    #[test]
    fn watches_tell_the_first_byte_of_their_kind_and_go_with_their_owner() {
        let at = AT + (1 << 40);
        let span = |first, end| Span { first, end };
        let watch_of = |span, reads, writes| Watch { span, reads, writes };
        watch((77, 1), watch_of(span(at + 8, at + 16), false, true));
        watch((77, 2), watch_of(span(at + 12, at + 13), true, false));
        assert_eq!(watched(at, 8, true, true), None);
        assert_eq!(watched(at, 9, false, true), Some(at + 8));
        assert_eq!(watched(at + 10, 4, false, true), Some(at + 10));
        assert_eq!(watched(at, 64, true, false), Some(at + 12));
        assert!(is_watched(span(at, at + 9)) && !is_watched(span(at + 16, at + 99)));
        unwatch(|owner| owner == (77, 1));
        assert_eq!(watched(at, 64, false, true), None);
        unwatch(|owner| owner.0 == 77);
        assert!(!is_watched(span(at, at + 64)));
    }

    #[test]
    fn a_span_holds_no_access_that_crosses_its_end() {
        let span = Span { first: 16, end: 32 };
        assert!(span.holds(28, 4) && span.holds(16, 16));
        assert!(!span.holds(29, 4) && !span.holds(15, 1) && !span.holds(32, 0) && !span.holds(20, u64::MAX));
    }
}
