//! What objects cost beyond the application's allocations: counted against a heap and reported, one event a piece.
#![forbid(unsafe_code)]

use super::allocation::{Error, Memory};
use super::report::Event;
use crate::vk;
use parking_lot::Mutex;
use std::sync::Arc;
use vk::DeviceMemoryReportEventTypeEXT as Kind;

/// An object that takes memory of its own.
pub trait Footprint {
    /// Bytes that it takes, what it points to included; 0 if they are counted elsewhere.
    fn footprint(&self) -> u64;

    /// Where what it takes later is counted, if it grows.
    fn account(&self) -> Option<&Arc<Account>> {
        None
    }
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
    account: Option<Arc<Account>>,
}

/// Bytes that an object takes as it is used, from when it is counted itself until that ends.
#[derive(Debug, Default)]
pub struct Account(Mutex<State>);

#[derive(Debug, Default)]
enum State {
    #[default]
    NotYet,
    Open {
        memory: Arc<Memory>,
        object: Event,
        charges: Vec<Charge>,
        count: u64,
    },
    Closed,
}

/// Ids of what is taken later have this bit. Draws race with the application's calls, so these ids are not of the same
/// sequence, of which each run shall make the same; they are numbered within the object.
const LATER: u64 = 1 << 63;

impl Account {
    /// Counts and reports bytes. There is nobody that a failure could be told, so they may be beyond the heap's size.
    pub fn add(&self, bytes: u64) {
        let (memory, mut event) = match &mut *self.0.lock() {
            State::Open {
                memory,
                object,
                count,
                ..
            } => {
                *count += 1;
                let memory_object_id = LATER | object.memory_object_id << 20 | *count;
                let event = Event {
                    memory_object_id,
                    ..*object
                };
                (memory.clone(), event)
            }
            _ => return,
        };
        event.size = bytes;
        memory.take_later(event.heap_index, bytes);
        memory.reports().emit(&event);
        let charge = Charge {
            memory,
            event,
            account: None,
        };
        if let State::Open { charges, .. } = &mut *self.0.lock() {
            charges.push(charge);
        }
    }

    fn close(&self) {
        let state = std::mem::replace(&mut *self.0.lock(), State::Closed);
        // Without the lock: the application hears of it.
        drop(state);
    }
}

impl Charge {
    /// The same, of an object that grows.
    #[must_use]
    pub fn with_account(self, account: &Arc<Account>) -> Charge {
        *account.0.lock() = State::Open {
            memory: self.memory.clone(),
            object: self.event,
            charges: vec![],
            count: 0,
        };
        let mut charge = self;
        charge.account = Some(account.clone());
        charge
    }

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
            account: None,
        })
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        if let Some(account) = &self.account {
            account.close();
        }
        self.event.kind = Kind::FREE;
        let (heap, bytes) = (self.event.heap_index, self.event.size);
        if self.event.memory_object_id & LATER == 0 {
            self.memory.give(heap, bytes);
        } else {
            self.memory.give_later(heap, bytes);
        }
        self.memory.reports().emit(&self.event);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::{Profile, Properties};

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

    #[test]
    fn what_an_object_takes_later_ends_with_it() {
        let log = Arc::new(Mutex::new(vec![]));
        let sink = log.clone();
        let listener = Box::new(move |e: &Event| sink.lock().push(*e));
        let m = Memory::new(
            Properties::new(Profile::Discrete, 8 << 30),
            Arc::default(),
            vec![listener],
        )
        .unwrap();
        let account = Arc::new(Account::default());
        account.add(1);
        let charge = m
            .charge(100, vk::ObjectType::PIPELINE, 7)
            .unwrap()
            .with_account(&account);
        account.add(20);
        account.add(3);
        assert_eq!(m.used(1), 123);
        // Memory that an application takes is numbered as if they were not.
        assert_eq!(m.next_id(), 2);
        drop(charge);
        account.add(4);
        assert_eq!(m.used(1), 0);
        let seen: Vec<_> = log
            .lock()
            .iter()
            .map(|e| (e.kind, e.memory_object_id, e.size))
            .collect();
        let later = LATER | 1 << 20;
        let expected = [
            (Kind::ALLOCATE, 1, 100),
            (Kind::ALLOCATE, later | 1, 20),
            (Kind::ALLOCATE, later | 2, 3),
            (Kind::FREE, later | 1, 20),
            (Kind::FREE, later | 2, 3),
            (Kind::FREE, 1, 100),
        ];
        assert_eq!(seen, expected);
        assert!(
            log.lock()
                .iter()
                .all(|e| (e.object_type, e.object_handle) == (vk::ObjectType::PIPELINE, 7))
        );
    }
}
