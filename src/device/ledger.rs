//! The ledger of submissions: what was submitted lately, and what of it is done. It is what a crash dump's timeline is
//! made from, and costs a submission next to nothing.

use super::{Names, QueueDesc};
use crate::fault::attribution::{
    BufferEntry, CommandBufferRef, Progress, QueueRef, SubmissionEntry, Timeline,
};
use crate::memory::Stamp;
use crate::vk;
use parking_lot::Mutex;
use smallvec::SmallVec;
use std::collections::VecDeque;
use std::sync::Arc;

/// Submissions that are remembered.
const REMEMBERED: usize = 64;

/// A command buffer, by what does not change from run to run, and by its handle, which its name is found with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BufferId {
    /// Which command buffer of the device, from 1.
    pub number: u64,
    /// Raw handle.
    pub handle: u64,
    /// Whether it is a secondary one.
    pub secondary: bool,
}

impl BufferId {
    /// Its name now. Later its handle may be another's.
    #[must_use]
    pub fn name(&self, names: &Names) -> Option<Arc<str>> {
        names.get(vk::ObjectType::COMMAND_BUFFER.as_raw(), self.handle)
    }

    /// How a dump names it.
    #[must_use]
    pub fn reference(&self, index: u32, name: Option<&str>) -> CommandBufferRef {
        CommandBufferRef {
            index,
            number: self.number,
            name: name.unwrap_or_default().to_owned(),
            secondary: self.secondary,
        }
    }
}

/// What the ledger keeps of a submission.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Serial number.
    pub serial: u64,
    /// When it was submitted.
    pub stamp: Stamp,
    /// Its queue.
    pub queue: QueueDesc,
    /// Raw handle of the queue.
    pub queue_handle: u64,
    /// Labels open on the queue.
    pub labels: Vec<String>,
    /// Command buffers, with their names and how many commands each has.
    pub buffers: SmallVec<[(BufferId, Option<Arc<str>>, u32); 2]>,
    /// Semaphores to wait for and to signal.
    pub semaphores: [u32; 2],
    /// Whether all of it is done.
    pub done: bool,
}

/// The ledger.
#[derive(Debug, Default)]
pub struct Ledger(Mutex<VecDeque<Entry>>);

impl Ledger {
    /// Enters a submission.
    pub fn enter(&self, entry: Entry) {
        let mut entries = self.0.lock();
        if entries.len() == REMEMBERED {
            entries.pop_front();
        }
        entries.push_back(entry);
    }

    /// A submission is done.
    pub fn done(&self, serial: u64) {
        let mut entries = self.0.lock();
        if let Some(entry) = entries.iter_mut().rev().find(|entry| entry.serial == serial) {
            entry.done = true;
        }
    }

    /// When a submission was made.
    #[must_use]
    pub fn stamp(&self, serial: u64) -> Option<Stamp> {
        let entries = self.0.lock();
        let entry = entries.iter().rev().find(|entry| entry.serial == serial)?;
        Some(entry.stamp)
    }

    /// The timeline of a loss by submission `faulting`: what came after it is left out, since how much of that
    /// there was depends on how far the application had got.
    #[must_use]
    pub fn timeline(&self, faulting: u64, names: &Names) -> Timeline {
        let entries = self.0.lock();
        let mut all: Vec<&Entry> = entries.iter().filter(|entry| entry.serial <= faulting).collect();
        all.sort_by_key(|entry| entry.serial);
        Timeline {
            left_out: all.first().map_or(0, |first| first.serial.saturating_sub(1)),
            submissions: all
                .iter()
                .map(|entry| entry.describe(entry.serial == faulting, names))
                .collect(),
        }
    }
}

/// How a dump names a queue.
#[must_use]
pub fn queue_ref(queue: QueueDesc, handle: u64, names: &Names) -> QueueRef {
    let name = names.get(vk::ObjectType::QUEUE.as_raw(), handle);
    QueueRef {
        family: queue.family,
        index: queue.index,
        name: name.as_deref().unwrap_or_default().to_owned(),
    }
}

impl Entry {
    fn describe(&self, faulting: bool, names: &Names) -> SubmissionEntry {
        let state = match (faulting, self.done) {
            (true, _) => Progress::InProgress,
            (false, true) => Progress::Done,
            (false, false) => Progress::Waiting,
        };
        let buffer =
            |(index, (id, name, commands)): (usize, &(BufferId, Option<Arc<str>>, u32))| BufferEntry {
                buffer: id.reference(u32::try_from(index).unwrap_or(u32::MAX), name.as_deref()),
                commands: *commands,
                state: match state {
                    Progress::Done => Progress::Done,
                    _ => Progress::NotStarted,
                },
            };
        SubmissionEntry {
            serial: self.serial,
            queue: queue_ref(self.queue, self.queue_handle, names),
            state,
            labels: self.labels.clone(),
            waits: self.semaphores[0],
            signals: self.semaphores[1],
            command_buffers: self.buffers.iter().enumerate().map(buffer).collect(),
            commands: Vec::new(),
        }
    }
}
