//! Waits of queues: what they are for, when nothing can end them, and what the device is then lost for.
//!
//! A wait that nothing can end is one that no legal call ends once all queues stand still (`WaitFor::is_hopeless`). It
//! loses the device as soon as a host thread waits without limit for what would come after it: until then even a program
//! that submits too late gets what it waits for.

use super::{Cause, CauseKind, Device, Position};
use crate::query::QueryPool;
use crate::sync::{Deadline, Event, Point, SemaphoreKind};
use crate::vk;
use std::sync::Arc;

/// What a queue waits for.
#[derive(Clone, Debug)]
pub enum WaitFor {
    /// Semaphores, before a submission.
    Points(Vec<Point>),
    /// Events, in a command buffer.
    Events {
        /// All of them.
        events: Box<[Arc<Event>]>,
        /// Whether the host may set them: if not, only commands that come before could.
        host: bool,
    },
    /// Results of queries that a command copies.
    Queries {
        /// Their pool.
        pool: Arc<QueryPool>,
        /// The first.
        first: u32,
        /// How many.
        count: u32,
    },
}

impl WaitFor {
    /// Whether there is nothing to wait for any more.
    #[must_use]
    pub fn reached(&self) -> bool {
        match self {
            WaitFor::Points(points) => points.iter().all(Point::reached),
            WaitFor::Events { events, .. } => events.iter().all(|event| event.is_set()),
            WaitFor::Queries { pool, first, count } => pool.available(*first, *count),
        }
    }

    /// Whether no legal call can end the wait once all queues have come to a stop: a binary semaphore without a
    /// submitted signal, an event that the host may not set, a query that nothing ends.
    fn is_hopeless(&self) -> bool {
        match self {
            WaitFor::Points(points) => points
                .iter()
                .any(|point| !point.reached() && !point.semaphore.is_promised(point.value)),
            WaitFor::Events { host, .. } => !host,
            WaitFor::Queries { .. } => true,
        }
    }

    /// The first thing that is missing, for people.
    fn describe(&self, device: &Device) -> String {
        let named = |kind: vk::ObjectType, handle: u64| match device.names().get(kind.as_raw(), handle) {
            Some(name) => format!("{handle:#x} \"{name}\""),
            None => format!("{handle:#x}"),
        };
        match self {
            WaitFor::Points(points) => {
                let Some(point) = points.iter().find(|point| !point.reached()) else {
                    return "a semaphore".to_owned();
                };
                let name = named(vk::ObjectType::SEMAPHORE, point.semaphore.handle());
                match point.semaphore.kind() {
                    SemaphoreKind::Timeline => format!("value {} of semaphore {name}", point.value),
                    SemaphoreKind::Binary => format!("semaphore {name}"),
                }
            }
            WaitFor::Events { events, .. } => {
                let unset = events.iter().find(|event| !event.is_set());
                let handle = unset.map_or(0, |event| event.handle());
                format!("event {}", named(vk::ObjectType::EVENT, handle))
            }
            WaitFor::Queries { first, count, .. } => {
                format!("{count} queries from number {first}")
            }
        }
    }
}

/// A queue that stands still.
#[derive(Clone, Debug)]
pub(super) struct Blocked {
    /// What it waits for.
    pub(super) wait: WaitFor,
    /// Where it stands.
    pub(super) position: Position,
}

impl Blocked {
    /// Whether it can go on.
    pub(super) fn reached(&self) -> bool {
        self.wait.reached()
    }

    /// Whether nothing can let it go on once all queues stand still.
    pub(super) fn is_hopeless(&self) -> bool {
        !self.reached() && self.wait.is_hopeless()
    }
}

/// How a wait of a queue ended.
#[derive(Debug)]
pub(crate) enum Waited {
    /// What was waited for has come.
    Ready,
    /// The device is lost or goes: the work is to be dropped.
    Dropped,
    /// It will not come: what the device is to be lost for.
    Failed(Box<Cause>),
}

impl Device {
    /// A queue's thread waits.
    pub(crate) fn queue_wait(&self, lane: usize, wait: &WaitFor, position: Position) -> Waited {
        if wait.reached() {
            return Waited::Ready;
        }
        let blocked = Blocked {
            wait: wait.clone(),
            position,
        };
        self.loss.block(lane, blocked);
        // Those who wait for this queue look whether that is in vain.
        self.hub.notify();
        let deadline = self.desc.time_limit.map_or(Deadline::Never, Deadline::from_now);
        let answer = self.hub.wait(deadline, || {
            if self.loss.is_lost() {
                Some(Waited::Dropped)
            } else if wait.reached() {
                Some(Waited::Ready)
            } else if self.loss.is_doomed(lane) {
                let why = "which nothing submitted brings";
                Some(self.failed(lane, wait, position, why))
            } else {
                self.is_closing().then_some(Waited::Dropped)
            }
        });
        match answer {
            Some(Waited::Ready) if self.loss.unblock(lane) => {
                super::limit::restart();
                Waited::Ready
            }
            Some(Waited::Failed(cause)) => Waited::Failed(cause),
            Some(_) => Waited::Dropped,
            None => {
                let limit = self.desc.time_limit.unwrap_or_default().as_millis();
                let why = format!("which did not come within the limit of {limit} ms");
                self.failed(lane, wait, position, &why)
            }
        }
    }

    fn failed(&self, lane: usize, wait: &WaitFor, position: Position, why: &str) -> Waited {
        let desc = self.queues[lane].desc();
        let what = wait.describe(self);
        let message = format!(
            "queue {} of family {} waits for {what}, {why}",
            desc.index, desc.family
        );
        Waited::Failed(Box::new(Cause::new(CauseKind::Watchdog, position, message)))
    }
}
