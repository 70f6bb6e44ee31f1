//! What objects cost beyond the application's allocations: counted against a heap and reported, one event a piece.
#![forbid(unsafe_code)]

use super::allocation::{Error, Memory};
use super::report::Event;
use crate::vk;
use std::sync::Arc;
use vk::DeviceMemoryReportEventTypeEXT as Kind;

/// An object that takes memory of its own.
pub trait Footprint {
    /// Bytes that it takes, what it points to included; 0 if they are counted elsewhere.
    fn footprint(&self) -> u64;
}

/// Bytes of a value and of the reference counts beside it.
#[must_use]
pub fn bytes_of<T>(_: &T) -> u64 {
    size_of::<(usize, usize, T)>() as u64
}

/// Bytes of a list's elements.
#[must_use]
pub fn bytes_in<T>(list: &[T]) -> u64 {
    size_of_val(list) as u64
}

/// Bytes that an object takes. Given back when dropped.
#[derive(Debug)]
pub struct Charge {
    memory: Arc<Memory>,
    event: Event,
}

impl Charge {
    /// Bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.event.size
    }
}

impl Memory {
    /// Counts what an object takes against the last heap, and reports it.
    ///
    /// # Errors
    /// [`Error::OutOfDeviceMemory`] past the heap's size.
    pub fn charge(
        self: &Arc<Self>,
        bytes: u64,
        object_type: vk::ObjectType,
        object_handle: u64,
    ) -> Result<Charge, Error> {
        let heap_index = self.internal_heap();
        let mut event = Event {
            kind: Kind::ALLOCATION_FAILED,
            memory_object_id: 0,
            size: bytes,
            object_type,
            object_handle,
            heap_index,
        };
        if let Err(error) = self.take(heap_index, bytes) {
            event.object_handle = 0;
            self.reports().emit(&event);
            return Err(error);
        }
        event.kind = Kind::ALLOCATE;
        event.memory_object_id = self.next_id();
        self.reports().emit(&event);
        Ok(Charge {
            memory: self.clone(),
            event,
        })
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.event.kind = Kind::FREE;
        self.memory.give(self.event.heap_index, self.event.size);
        self.memory.reports().emit(&self.event);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::{Profile, Properties};
    use parking_lot::Mutex;

    #[test]
    fn charges_count_are_reported_and_end() {
        let log = Arc::new(Mutex::new(vec![]));
        let sink = log.clone();
        let properties = Properties::new(Profile::Discrete, 8 << 30);
        let size = properties.heaps[1].size;
        let listener = Box::new(move |e: &Event| sink.lock().push(*e));
        let m = Memory::new(properties, Arc::default(), vec![listener]).unwrap();
        let charge = m.charge(100, vk::ObjectType::QUERY_POOL, 7).unwrap();
        assert_eq!(m.used(1), 100);
        assert!(m.charge(size - 99, vk::ObjectType::PIPELINE, 8).is_err());
        drop(charge);
        assert_eq!(m.used(1), 0);
        let seen: Vec<_> = log
            .lock()
            .iter()
            .map(|e| (e.kind, e.memory_object_id, e.size, e.object_handle, e.heap_index))
            .collect();
        let expected = [
            (Kind::ALLOCATE, 1, 100, 7, 1),
            (Kind::ALLOCATION_FAILED, 0, size - 99, 0, 1),
            (Kind::FREE, 1, 100, 7, 1),
        ];
        assert_eq!(seen, expected);
    }
}
