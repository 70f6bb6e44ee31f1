//! A pool of query slots and how their results are written out.

use crate::device::Device;
use crate::exec::Counters;
use crate::memory::{Footprint, bytes_in, bytes_of};
use crate::sync::{Deadline, Outcome};
use crate::vk;
use smallvec::SmallVec;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// What a pool's queries measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueryKind {
    /// Samples that passed.
    Occlusion,
    /// The statistics asked for, in the order of their bits.
    Statistics(vk::QueryPipelineStatisticFlags),
    /// Nanoseconds.
    Timestamp,
}

impl QueryKind {
    /// Values of one query.
    #[must_use]
    pub fn values(self) -> usize {
        match self {
            QueryKind::Statistics(flags) => flags.as_raw().count_ones() as usize,
            QueryKind::Occlusion | QueryKind::Timestamp => 1,
        }
    }
}

/// How results are written: `VkQueryResultFlags`.
pub type ResultFlags = vk::QueryResultFlags;

/// How a request for results ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultStatus {
    /// All were available.
    Ready,
    /// Some were not.
    NotReady,
    /// The device was lost while waiting.
    Lost,
}

#[derive(Debug)]
struct Slot {
    available: AtomicBool,
    values: Box<[AtomicU64]>,
}

/// Most queries of a pool.
const MAX_QUERIES: u32 = 1 << 22;

/// A query pool.
#[derive(Debug)]
pub struct QueryPool {
    kind: QueryKind,
    slots: Box<[Slot]>,
}

impl QueryPool {
    /// A pool of `count` unavailable queries; none if there is no memory for so many.
    #[must_use]
    pub fn new(kind: QueryKind, count: u32) -> Option<QueryPool> {
        if count > MAX_QUERIES {
            return None;
        }
        let slot = |_| Slot {
            available: AtomicBool::new(false),
            values: (0..kind.values()).map(|_| AtomicU64::new(0)).collect(),
        };
        let mut slots = Vec::new();
        slots.try_reserve_exact(count as usize).ok()?;
        slots.extend((0..count).map(slot));
        Some(QueryPool {
            kind,
            slots: slots.into(),
        })
    }

    /// What its queries measure.
    #[must_use]
    pub fn kind(&self) -> QueryKind {
        self.kind
    }

    /// Queries in the pool.
    #[must_use]
    pub fn count(&self) -> u32 {
        u32::try_from(self.slots.len()).unwrap_or(u32::MAX)
    }

    /// Bytes of one query's results.
    #[must_use]
    pub fn result_size(&self, flags: ResultFlags) -> u64 {
        let values = self.kind.values() + usize::from(flags.contains(ResultFlags::WITH_AVAILABILITY));
        values as u64
            * if flags.contains(ResultFlags::TYPE_64) {
                8
            } else {
                4
            }
    }

    fn range(&self, first: u32, count: u32) -> &[Slot] {
        let first = (first as usize).min(self.slots.len());
        let end = (first + count as usize).min(self.slots.len());
        &self.slots[first..end]
    }

    /// Whether all of these queries have results.
    #[must_use]
    pub fn available(&self, first: u32, count: u32) -> bool {
        let mut range = self.range(first, count).iter();
        range.all(|slot| slot.available.load(Ordering::SeqCst))
    }

    /// Makes queries unavailable and zero.
    pub fn reset(&self, first: u32, count: u32) {
        for slot in self.range(first, count) {
            slot.available.store(false, Ordering::SeqCst);
            for value in &slot.values {
                value.store(0, Ordering::SeqCst);
            }
        }
    }

    /// Stores a query's values and makes it available, and the `views - 1` queries after it with zeros.
    /// The caller wakes those who wait.
    pub(crate) fn publish(&self, index: u32, views: u32, values: &[u64]) {
        for (n, slot) in self.range(index, views.max(1)).iter().enumerate() {
            for (i, value) in slot.values.iter().enumerate() {
                let new = if n == 0 {
                    values.get(i).copied().unwrap_or(0)
                } else {
                    0
                };
                value.store(new, Ordering::SeqCst);
            }
            slot.available.store(true, Ordering::SeqCst);
        }
    }

    /// Stores what the counters of an occlusion or statistics query have counted.
    pub(crate) fn publish_counters(&self, index: u32, views: u32, counters: &Counters) {
        let mut values: SmallVec<[u64; 11]> = SmallVec::new();
        match self.kind {
            QueryKind::Statistics(flags) => {
                let all = (0..11).filter(|bit| flags.as_raw() & 1 << bit != 0);
                values.extend(all.map(|bit| statistic(counters, bit)));
            }
            QueryKind::Occlusion => values.push(counters.samples_passed.load(Ordering::SeqCst)),
            QueryKind::Timestamp => {}
        }
        self.publish(index, views, &values);
    }

    /// Writes results as `vkGetQueryPoolResults` lays them out: query `i` at `i * stride`. `write` is given
    /// the byte offset and the bytes of each value.
    pub fn results(
        &self,
        device: &Device,
        first: u32,
        count: u32,
        stride: u64,
        flags: ResultFlags,
        mut write: impl FnMut(u64, &[u8]),
    ) -> ResultStatus {
        let mut status = ResultStatus::Ready;
        for (i, slot) in self.range(first, count).iter().enumerate() {
            let ready = || slot.available.load(Ordering::SeqCst);
            if flags.contains(ResultFlags::WAIT) && device.wait(Deadline::Never, ready) == Outcome::Lost {
                return ResultStatus::Lost;
            }
            let available = ready();
            if !available {
                status = ResultStatus::NotReady;
            }
            let mut put = Put {
                offset: i as u64 * stride,
                wide: flags.contains(ResultFlags::TYPE_64),
                write: &mut write,
            };
            let shown = available || flags.contains(ResultFlags::PARTIAL);
            for value in &slot.values {
                put.value(value.load(Ordering::SeqCst), shown);
            }
            if flags.contains(ResultFlags::WITH_AVAILABILITY) {
                put.value(u64::from(available), true);
            }
        }
        status
    }
}

/// Writes values of 4 or 8 bytes one after another.
struct Put<'a, W> {
    offset: u64,
    wide: bool,
    write: &'a mut W,
}

impl<W: FnMut(u64, &[u8])> Put<'_, W> {
    fn value(&mut self, value: u64, shown: bool) {
        let size = if self.wide { 8 } else { 4 };
        if shown {
            // Narrow results keep the low bits, as the specification allows for values that do not fit.
            (self.write)(self.offset, &value.to_le_bytes()[..size]);
        }
        self.offset += size as u64;
    }
}

/// The statistic of a `VkQueryPipelineStatisticFlagBits` bit; stages that do not exist count nothing.
fn statistic(counters: &Counters, bit: u32) -> u64 {
    let counter = match bit {
        0 => &counters.input_assembly_vertices,
        1 => &counters.input_assembly_primitives,
        2 => &counters.vertex_invocations,
        5 => &counters.clipping_invocations,
        6 => &counters.clipping_primitives,
        7 => &counters.fragment_invocations,
        10 => &counters.compute_invocations,
        _ => return 0,
    };
    counter.load(Ordering::SeqCst)
}

impl Footprint for QueryPool {
    fn footprint(&self) -> u64 {
        let values = self.slots.iter().map(|slot| bytes_in(&slot.values));
        bytes_of(self) + bytes_in(&self.slots) + values.sum::<u64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::DeviceDesc;

    fn read(pool: &QueryPool, flags: ResultFlags, stride: u64, bytes: &mut [u8]) -> ResultStatus {
        let device = Device::new(DeviceDesc::default()).unwrap_or_else(|error| panic!("{error}"));
        pool.results(&device, 0, pool.count(), stride, flags, |offset, value| {
            let offset = usize::try_from(offset).unwrap_or(usize::MAX);
            bytes[offset..offset + value.len()].copy_from_slice(value);
        })
    }

    #[test]
    fn results_are_laid_out_as_asked() {
        let pool = QueryPool::new(QueryKind::Occlusion, 2).unwrap();
        pool.publish(1, 1, &[0x1_0000_0002]);
        let mut bytes = [0xff; 32];
        let flags = ResultFlags::TYPE_64 | ResultFlags::WITH_AVAILABILITY;
        assert_eq!(read(&pool, flags, 16, &mut bytes), ResultStatus::NotReady);
        assert_eq!(bytes[..8], [0xff; 8], "an unavailable result is not written");
        assert_eq!(bytes[8..16], [0; 8]);
        assert_eq!(bytes[16..24], 0x1_0000_0002_u64.to_le_bytes());
        assert_eq!(bytes[24..], 1_u64.to_le_bytes());
        let mut bytes = [0xff; 8];
        assert_eq!(
            read(&pool, ResultFlags::PARTIAL, 4, &mut bytes),
            ResultStatus::NotReady
        );
        assert_eq!(bytes, [0, 0, 0, 0, 2, 0, 0, 0]);
        pool.reset(0, 2);
        assert_eq!(
            read(&pool, ResultFlags::empty(), 4, &mut bytes),
            ResultStatus::NotReady
        );
    }

    #[test]
    fn multiview_queries_put_the_sum_into_the_first() {
        let pool = QueryPool::new(QueryKind::Occlusion, 3).unwrap();
        pool.publish(0, 2, &[7]);
        let mut bytes = [0xff; 12];
        assert_eq!(
            read(&pool, ResultFlags::empty(), 4, &mut bytes),
            ResultStatus::NotReady
        );
        assert_eq!(bytes, [7, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff]);
    }

    #[test]
    fn a_pool_without_measure_is_refused() {
        assert!(QueryPool::new(QueryKind::Timestamp, u32::MAX).is_none());
    }
}
