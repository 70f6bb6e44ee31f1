//! How far each queue came, by what the application strews among its commands: checkpoints
//! (`VK_NV_device_diagnostic_checkpoints`) and markers written to buffers (`VK_AMD_buffer_marker`).

use super::{Names, Position, Queue, QueueDesc, ledger::queue_ref};
use crate::fault::dump::ReachedSection;
use parking_lot::Mutex;
use std::collections::VecDeque;

/// How many are kept before those that no fault can come before are dropped.
const MANY: usize = 256;

/// What was passed, in order, where the next fault may still come before it; and the last before those.
#[derive(Debug)]
struct Trail<T>(VecDeque<(Position, T)>);

impl<T> Default for Trail<T> {
    fn default() -> Trail<T> {
        Trail(VecDeque::new())
    }
}

impl<T: Copy> Trail<T> {
    /// `oldest`: the submission that no fault comes before any more.
    fn pass(&mut self, oldest: u64, position: Position, step: T) {
        if self.0.len() >= MANY {
            let settled = self.0.partition_point(|(at, _)| at.submit < oldest);
            self.0.drain(..settled.saturating_sub(1));
        }
        self.0.push_back((position, step));
    }

    fn before(&self, position: Position) -> Option<(Position, T)> {
        let before = self.0.partition_point(|(at, _)| *at < position);
        self.0.get(before.checked_sub(1)?).copied()
    }
}

#[derive(Debug, Default)]
struct Lane {
    queue: QueueDesc,
    handle: u64,
    checkpoints: Trail<u64>,
    /// Address and value.
    markers: Trail<(u64, u32)>,
}

/// The trails of a device's queues.
#[derive(Debug, Default)]
pub struct Trails(Mutex<Vec<Lane>>);

impl Trails {
    /// A queue passes a checkpoint with the application's marker.
    pub(crate) fn checkpoint(&self, queue: &Queue, oldest: u64, position: Position, marker: u64) {
        self.on(queue, |lane| lane.checkpoints.pass(oldest, position, marker));
    }

    /// A queue writes a marker to a buffer.
    pub(crate) fn marker(&self, queue: &Queue, oldest: u64, position: Position, at: u64, value: u32) {
        self.on(queue, |lane| lane.markers.pass(oldest, position, (at, value)));
    }

    fn on(&self, queue: &Queue, f: impl FnOnce(&mut Lane)) {
        let mut lanes = self.0.lock();
        if lanes.len() <= queue.lane() {
            lanes.resize_with(queue.lane() + 1, Lane::default);
        }
        let lane = &mut lanes[queue.lane()];
        (lane.queue, lane.handle) = (queue.desc(), queue.handle());
        f(lane);
    }

    /// The marker of the last checkpoint of a queue before a position.
    #[must_use]
    pub fn checkpoint_before(&self, queue: &Queue, position: Position) -> Option<u64> {
        let lanes = self.0.lock();
        let (_, marker) = lanes.get(queue.lane())?.checkpoints.before(position)?;
        Some(marker)
    }

    /// What each queue passed last before a position.
    #[must_use]
    pub fn reached(&self, position: Position, names: &Names) -> Vec<ReachedSection> {
        let lanes = self.0.lock();
        let entry =
            |lane: &Lane, kind: &str, at: Position, value: u64, address: Option<u64>| ReachedSection {
                queue: queue_ref(lane.queue, lane.handle, names),
                kind: kind.to_owned(),
                value: format!("{value:#x}"),
                address: address.map(|address| format!("{address:#x}")),
                submission: at.submit,
                command: at.command,
            };
        let of_lane = |lane: &Lane| {
            let checkpoint = lane.checkpoints.before(position);
            let marker = lane.markers.before(position);
            let checkpoint = checkpoint.map(|(at, marker)| entry(lane, "checkpoint", at, marker, None));
            let marker = marker
                .map(|(at, (address, value))| entry(lane, "buffer-marker", at, value.into(), Some(address)));
            [checkpoint, marker]
        };
        lanes.iter().flat_map(of_lane).flatten().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trail_keeps_what_a_fault_may_come_before_and_the_last_before_that() {
        let at = |submit| Position {
            submit,
            ..Position::default()
        };
        let mut trail = Trail::default();
        assert_eq!(trail.before(at(9)), None);
        for submit in 1..=1000_u64 {
            trail.pass(submit.saturating_sub(10), at(submit), submit);
        }
        assert!(trail.0.len() <= MANY + 1);
        assert_eq!(trail.before(at(1001)), Some((at(1000), 1000)));
        assert_eq!(trail.before(at(990)), Some((at(989), 989)));
    }
}
