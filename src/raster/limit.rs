//! The first fault of a batch's tiles, and how it holds back what comes after it.
//!
//! Tiles run in any order, each its primitives in the order of the calls. A tile that meets a fault stops; the others go
//! on up to it, since one of them may hold an earlier one. So the fault that is reported is the first in the order of
//! the calls, and all that comes before it is drawn.

use super::explain::FragmentWave;
use crate::exec::ExecError;
use parking_lot::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Where something stands in the order of the calls.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Order {
    /// Chunk of the batch.
    pub chunk: usize,
    /// Rises from primitive to primitive of a chunk.
    pub primitive: u64,
    /// Tile: orders what is of one primitive.
    pub tile: usize,
}

/// A fault, and the wave that has met it.
type First = (Order, ExecError, FragmentWave);

/// See the module.
#[derive(Debug)]
pub(super) struct Limit {
    /// Chunk of the first fault; `usize::MAX` without one.
    chunk: AtomicUsize,
    first: Mutex<Option<First>>,
}

impl Default for Limit {
    fn default() -> Limit {
        Limit {
            chunk: AtomicUsize::new(usize::MAX),
            first: Mutex::default(),
        }
    }
}

impl Limit {
    /// Whether there is a fault.
    pub(super) fn is_set(&self) -> bool {
        self.chunk.load(Ordering::Relaxed) != usize::MAX
    }

    /// Whether some of a chunk is to be run.
    pub(super) fn allows_chunk(&self, chunk: usize) -> bool {
        chunk <= self.chunk.load(Ordering::Relaxed)
    }

    /// Whether something comes before the first fault.
    pub(super) fn allows(&self, order: Order) -> bool {
        self.first
            .lock()
            .as_ref()
            .is_none_or(|(first, ..)| order < *first)
    }

    /// Takes a fault; the first one stays.
    pub(super) fn lower(&self, order: Order, error: ExecError, wave: FragmentWave) {
        let mut first = self.first.lock();
        if first.as_ref().is_none_or(|(known, ..)| order < *known) {
            *first = Some((order, error, wave));
            self.chunk.store(order.chunk, Ordering::Relaxed);
        }
    }

    /// The first fault.
    pub(super) fn take(&self) -> Option<(ExecError, FragmentWave)> {
        self.first.lock().take().map(|(_, error, wave)| (error, wave))
    }
}

#[cfg(test)]
mod tests {
    use super::{FragmentWave, Limit, Order};
    use crate::exec::ExecError;
    use crate::shader::abi::BlockRecord;

    #[test]
    fn the_first_in_the_order_of_the_calls_stays() {
        let at = |chunk, primitive, tile| Order {
            chunk,
            primitive,
            tile,
        };
        let limit = Limit::default();
        let wave = FragmentWave {
            draw: 0,
            layer: 0,
            block: BlockRecord::default(),
            covered: 0,
            sample: None,
            primitive: 0,
        };
        assert!(!limit.is_set() && limit.allows_chunk(9));
        for (order, name) in [
            (at(3, 8, 0), "late"),
            (at(2, 4, 7), "first"),
            (at(2, 4, 8), "same primitive"),
            (at(2, 5, 1), "next"),
        ] {
            limit.lower(order, ExecError::Compile(name.to_owned()), wave.clone());
        }
        assert!(limit.allows_chunk(2) && !limit.allows_chunk(3));
        assert!(limit.allows(at(2, 4, 6)) && !limit.allows(at(2, 4, 7)) && !limit.allows(at(2, 5, 0)));
        let first = limit.take().map(|(error, _)| error);
        assert_eq!(first, Some(ExecError::Compile("first".to_owned())));
    }
}
