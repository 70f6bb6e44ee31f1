//! Collects what a dump shows of the device besides the fault itself: timeline, objects, address map, heaps. All of it
//! as it was when the submission at fault was made, so that it does not depend on how far the application has got.

use super::attribution::Timeline;
use super::dump::{AddressMap, HeapSection, MapRange, MapResource, ObjectTable, ReachedSection};
use super::explain::object_ref;
use super::store::Sources;
use crate::device::{Cause, Names};
use crate::memory::{Detail, Memory, Object, Stamp};

/// Objects in a dump's table.
const OBJECTS: usize = 1024;
/// Allocations on each side of the fault in the address map.
const AROUND: usize = 6;
/// Resources of one range of the map.
const RESOURCES: usize = 16;

/// What surrounds a fault.
#[derive(Clone, Debug, Default)]
pub struct Surroundings {
    /// Submissions.
    pub timeline: Timeline,
    /// How far the queues came.
    pub reached: Vec<ReachedSection>,
    /// Objects.
    pub objects: Option<ObjectTable>,
    /// Addresses around the fault's.
    pub map: Option<AddressMap>,
    /// Heaps.
    pub heaps: Vec<HeapSection>,
}

impl Surroundings {
    /// Collects them.
    #[must_use]
    pub fn of(cause: &Cause, sources: &Sources) -> Surroundings {
        let serial = cause.position.submit;
        let mut timeline = sources.ledger.timeline(serial, &sources.names);
        let faulting = timeline
            .submissions
            .iter_mut()
            .find(|entry| entry.serial == serial);
        if let (Some(entry), Some(attribution)) = (faulting, &cause.attribution) {
            entry.commands.clone_from(&attribution.commands);
            let at = attribution
                .command_buffer
                .as_ref()
                .map_or(0, |buffer| buffer.index);
            for buffer in &mut entry.command_buffers {
                buffer.state = progress(buffer.buffer.index, at);
            }
        }
        let reached = sources.trails.reached(cause.position, &sources.names);
        let Some(memory) = &sources.memory else {
            return Surroundings {
                timeline,
                reached,
                ..Surroundings::default()
            };
        };
        let stamp = sources.ledger.stamp(serial);
        let until = stamp.unwrap_or_else(|| memory.history().now());
        let (all, _) = memory.history().table(until, usize::MAX);
        let address = cause.address.map(|info| info.address);
        Surroundings {
            timeline,
            reached,
            objects: Some(table(memory, until, &sources.names)),
            map: address.and_then(|address| map(&all, address, &sources.names)),
            heaps: heaps(memory, &all),
        }
    }
}

fn progress(index: u32, at: u32) -> super::attribution::Progress {
    use super::attribution::Progress;
    match index.cmp(&at) {
        std::cmp::Ordering::Less => Progress::Done,
        std::cmp::Ordering::Equal => Progress::InProgress,
        std::cmp::Ordering::Greater => Progress::NotStarted,
    }
}

fn table(memory: &Memory, until: Stamp, names: &Names) -> ObjectTable {
    let (objects, left_out) = memory.history().table(until, OBJECTS);
    ObjectTable {
        left_out: left_out as u64,
        objects: objects.iter().map(|object| object_ref(object, names)).collect(),
    }
}

fn heaps(memory: &Memory, all: &[Object]) -> Vec<HeapSection> {
    let sizes = memory.properties().heaps.iter().map(|heap| heap.size);
    (0..)
        .zip(sizes)
        .map(|(heap, size)| {
            let own = |object: &&Object| object.gone.is_none() && object.detail == Detail::Heap(heap);
            HeapSection {
                heap,
                size,
                used: all.iter().filter(own).map(|object| object.size).sum(),
                allocations: all.iter().filter(own).count() as u64,
            }
        })
        .collect()
}

/// The ranges around an address: allocations that are there, those that were, and what is between.
fn map(all: &[Object], address: u64, names: &Names) -> Option<AddressMap> {
    let is_memory = |object: &&Object| matches!(object.detail, Detail::Heap(_));
    let mut ranges: Vec<&Object> = all
        .iter()
        .filter(is_memory)
        .filter(|o| o.gone.is_none())
        .collect();
    // Of what is gone, the latest at each place that nothing else has taken.
    for object in all.iter().filter(is_memory).filter(|o| o.gone.is_some()).rev() {
        if ranges
            .iter()
            .all(|other| other.end() <= object.address || object.end() <= other.address)
        {
            ranges.push(object);
        }
    }
    ranges.sort_by_key(|object| object.address);
    let at = ranges.partition_point(|object| object.end() <= address);
    let near = &ranges[at.saturating_sub(AROUND)..ranges.len().min(at + AROUND + 1)];
    let (first, last) = (
        near.first()?.address.min(address),
        near.last()?.end().max(address + 1),
    );
    let mut out = AddressMap {
        address: format!("{address:#x}"),
        ranges: Vec::new(),
    };
    let gap = |from: u64, to: u64, out: &mut Vec<MapRange>| {
        if from < to {
            out.push(MapRange {
                address: format!("{from:#x}"),
                size: to - from,
                state: "none".to_owned(),
                title: "no memory".to_owned(),
                fault: (from..to).contains(&address),
                resources: Vec::new(),
            });
        }
    };
    let mut next = first;
    for object in near {
        gap(next, object.address, &mut out.ranges);
        next = object.end();
        out.ranges.push(range(all, object, address, names));
    }
    gap(next, last, &mut out.ranges);
    Some(out)
}

fn range(all: &[Object], memory: &Object, address: u64, names: &Names) -> MapRange {
    let inside = |object: &&Object| {
        !matches!(object.detail, Detail::Heap(_))
            && object.address >= memory.address
            && object.address < memory.end()
            // What was bound before the memory came belongs to an earlier allocation.
            && object.since.event > memory.since.event
    };
    let state = |object: &Object, gone: &str| if object.gone.is_some() { gone } else { "live" }.to_owned();
    let mut resources: Vec<&Object> = all.iter().filter(inside).collect();
    resources.sort_by_key(|object| (object.gone.is_some(), object.address, object.since.event));
    resources.truncate(RESOURCES);
    MapRange {
        address: format!("{:#x}", memory.address),
        size: memory.size,
        state: state(memory, "freed"),
        title: object_ref(memory, names).title(),
        fault: memory.holds(address),
        resources: resources
            .iter()
            .map(|object| MapResource {
                address: format!("{:#x}", object.address),
                size: object.size,
                state: state(object, "destroyed"),
                title: object_ref(object, names).title(),
            })
            .collect(),
    }
}
