//! The loss state machine of a device: `Healthy → Losing → Lost`, never back.
//!
//! A fault moves the device to `Losing` with a [`Cause`]. From then on work that was submitted later is
//! dropped, work submitted earlier is completed; should that find an earlier fault, its cause takes the
//! place of the first. When no queue can do more of that work the cause is settled: the [`LossHook`] freezes
//! records and dump, the state becomes `Lost`, and every wait ends. So the reported cause is the first in API order, whatever the
//! threads did, and nothing touches memory any more when the application learns of the loss.

use super::wait::Blocked;
use crate::fault::VendorInfo;
use crate::fault::attribution::Attribution;
use parking_lot::Mutex;
use std::collections::BTreeSet;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering};

/// Where in the device's work something happened; ordered as the API orders it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// Serial number of the submission on the device, from 1; 0 is outside any.
    pub submit: u64,
    /// Commands executed before this one in the submission, those of secondary command buffers included.
    pub command: u32,
    /// Primitive or workgroup within the command.
    pub item: u64,
    /// Invocation within the primitive or workgroup.
    pub invocation: u32,
}

/// Why a device is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CauseKind {
    /// The fault plan said so.
    Planned,
    /// A bad address or the like.
    Detected,
    /// A shader did not come to an end.
    Watchdog,
    /// A shader asked for it (`OpAbortKHR`).
    Abort,
    /// A panic or another fault of the driver's own.
    Internal,
}

/// An address of a fault, in the terms of `VkDeviceFaultAddressInfoEXT`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FaultAddress {
    /// Raw `VkDeviceFaultAddressTypeEXT`.
    pub kind: i32,
    /// Address reported.
    pub address: u64,
    /// Power of two: the size of the range the fault lies in.
    pub precision: u64,
}

/// What lost the device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// The sort of fault.
    pub kind: CauseKind,
    /// Where it happened.
    pub position: Position,
    /// For people.
    pub message: String,
    /// Memory address concerned.
    pub address: Option<FaultAddress>,
    /// Instruction address concerned.
    pub instruction: Option<FaultAddress>,
    /// Debug labels open at the command, outermost first.
    pub labels: Vec<String>,
    /// The messages of an abort.
    pub abort: Vec<Vec<u8>>,
    /// All that it can be attributed to.
    pub attribution: Option<Box<Attribution>>,
    /// What further records of the event say.
    pub vendor: Vec<VendorInfo>,
    /// How many records the event has, at least.
    pub records: u32,
}

impl Cause {
    /// A cause with no address and no labels.
    #[must_use]
    pub fn new(kind: CauseKind, position: Position, message: impl Into<String>) -> Cause {
        Cause {
            kind,
            position,
            message: message.into(),
            address: None,
            instruction: None,
            labels: Vec::new(),
            abort: Vec::new(),
            attribution: None,
            vendor: Vec::new(),
            records: 1,
        }
    }
}

/// State of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum LossState {
    /// Works.
    Healthy,
    /// A fault was found; earlier work is being completed.
    Losing,
    /// Lost for good.
    Lost,
}

/// Is told once, after the cause is settled and before any call can return `VK_ERROR_DEVICE_LOST`.
pub trait LossHook: Send + Sync {
    /// Freezes what is to be known of the loss.
    fn freeze(&self, cause: &Cause);
}

/// What a queue is doing, as far as the order of a loss depends on it.
#[derive(Debug, Default)]
struct Lane {
    pending: BTreeSet<u64>,
    running: bool,
    blocked: Option<Blocked>,
}

impl Lane {
    /// Whether the queue may still do work that comes before `submit`.
    fn busy_before(&self, submit: u64) -> bool {
        let earlier = self.pending.first().is_some_and(|&first| first < submit);
        (self.running || earlier) && !self.is_stuck()
    }

    /// Whether the queue waits for what is not there.
    fn is_stuck(&self) -> bool {
        self.blocked.as_ref().is_some_and(|blocked| !blocked.reached())
    }

    /// Whether the queue may do something without being told anything new.
    fn is_busy(&self) -> bool {
        (self.running || !self.pending.is_empty()) && !self.is_stuck()
    }
}

#[derive(Debug, Default)]
struct Inner {
    lanes: Vec<Lane>,
    cause: Option<Cause>,
}

/// The state machine, and the ledger of submissions it needs.
pub struct Loss {
    state: AtomicU8,
    /// Serial of the submission that the cause belongs to; `u64::MAX` while healthy.
    limit: AtomicU64,
    serial: AtomicU64,
    inner: Mutex<Inner>,
    /// Queues that wait, so that whether there are any costs no lock.
    waiting: AtomicU32,
    /// A bit for each queue that waits in vain.
    doomed: AtomicU64,
    hook: OnceLock<Box<dyn LossHook>>,
}

impl std::fmt::Debug for Loss {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Loss")
            .field("state", &self.state())
            .finish_non_exhaustive()
    }
}

impl Loss {
    /// A healthy device with this many queues.
    #[must_use]
    pub fn new(queues: usize) -> Loss {
        let mut inner = Inner::default();
        inner.lanes.resize_with(queues, Lane::default);
        Loss {
            state: AtomicU8::new(LossState::Healthy as u8),
            limit: AtomicU64::new(u64::MAX),
            serial: AtomicU64::new(0),
            inner: Mutex::new(inner),
            waiting: AtomicU32::new(0),
            doomed: AtomicU64::new(0),
            hook: OnceLock::new(),
        }
    }

    /// Registers the hook; only the first one counts.
    pub fn set_hook(&self, hook: Box<dyn LossHook>) {
        // A second hook is refused on purpose: the first may already have been called.
        let _ = self.hook.set(hook);
    }

    /// The state now.
    #[must_use]
    pub fn state(&self) -> LossState {
        match self.state.load(Ordering::SeqCst) {
            0 => LossState::Healthy,
            1 => LossState::Losing,
            _ => LossState::Lost,
        }
    }

    /// Whether calls are to return `VK_ERROR_DEVICE_LOST`.
    #[must_use]
    pub fn is_lost(&self) -> bool {
        self.state() == LossState::Lost
    }

    /// Whether work of this submission is still to be done.
    #[must_use]
    pub fn allows(&self, submit: u64) -> bool {
        submit <= self.limit.load(Ordering::SeqCst)
    }

    /// Whether this submission comes before any fault, so that its end is to be signaled.
    #[must_use]
    pub fn completes(&self, submit: u64) -> bool {
        submit < self.limit.load(Ordering::SeqCst)
    }

    /// The cause, once the device is lost.
    #[must_use]
    pub fn cause(&self) -> Option<Cause> {
        if self.is_lost() {
            self.inner.lock().cause.clone()
        } else {
            None
        }
    }

    /// Takes the next serial number and enters it as pending on a queue.
    pub(super) fn enter(&self, queue: usize) -> u64 {
        let mut inner = self.inner.lock();
        let serial = self.serial.fetch_add(1, Ordering::SeqCst) + 1;
        inner.lanes[queue].pending.insert(serial);
        serial
    }

    /// The serial number of the oldest submission that is not done; `u64::MAX` when all are.
    pub(crate) fn oldest(&self) -> u64 {
        let inner = self.inner.lock();
        let oldest = inner.lanes.iter().filter_map(|lane| lane.pending.first());
        oldest.min().copied().unwrap_or(u64::MAX)
    }

    /// The serial number of the latest submission.
    #[must_use]
    pub fn latest(&self) -> u64 {
        self.serial.load(Ordering::SeqCst)
    }

    /// The queue waits. That may settle a loss; the caller wakes those who wait.
    pub(super) fn block(&self, queue: usize, blocked: Blocked) {
        let old = self.inner.lock().lanes[queue].blocked.replace(blocked);
        if old.is_none() {
            self.waiting.fetch_add(1, Ordering::SeqCst);
        }
        self.settle();
    }

    /// The queue has what it waited for. False when the device is lost all the same, and its work to be dropped.
    pub(super) fn unblock(&self, queue: usize) -> bool {
        let mut inner = self.inner.lock();
        self.clear(&mut inner.lanes[queue]);
        !self.is_lost()
    }

    fn clear(&self, lane: &mut Lane) {
        if lane.blocked.take().is_some() {
            self.waiting.fetch_sub(1, Ordering::SeqCst);
        }
    }

    /// Looks for the first wait that nothing can end, if no queue can do anything; true if there is a new one, whose
    /// queue must be woken.
    pub(super) fn doom(&self) -> bool {
        if self.waiting.load(Ordering::SeqCst) == 0 || self.state() != LossState::Healthy {
            return false;
        }
        let inner = self.inner.lock();
        if inner.lanes.iter().any(Lane::is_busy) {
            return false;
        }
        let hopeless = inner.lanes.iter().enumerate().filter_map(|(index, lane)| {
            let blocked = lane.blocked.as_ref().filter(|blocked| blocked.is_hopeless())?;
            Some((blocked.position, index))
        });
        let Some((_, lane)) = hopeless.min() else {
            return false;
        };
        self.doomed.fetch_or(1 << lane, Ordering::SeqCst) & 1 << lane == 0
    }

    /// Whether a queue waits in vain.
    pub(super) fn is_doomed(&self, queue: usize) -> bool {
        self.doomed.load(Ordering::SeqCst) & 1 << queue != 0
    }

    /// The queue starts on a submission. False when it is to be dropped instead.
    pub(super) fn start(&self, queue: usize, serial: u64) -> bool {
        let mut inner = self.inner.lock();
        let allowed = self.allows(serial) && !self.is_lost();
        self.clear(&mut inner.lanes[queue]);
        inner.lanes[queue].running = allowed;
        allowed
    }

    /// The queue has finished or dropped a submission. True when that settled a loss.
    pub(super) fn finish(&self, queue: usize, serial: u64) -> bool {
        let mut inner = self.inner.lock();
        self.clear(&mut inner.lanes[queue]);
        let lane = &mut inner.lanes[queue];
        lane.running = false;
        lane.pending.remove(&serial);
        drop(inner);
        self.state() == LossState::Losing && self.settle()
    }

    /// Reports a fault; the earliest one reported before the loss is settled is the cause.
    pub(super) fn report(&self, cause: Cause) {
        let mut inner = self.inner.lock();
        if self.is_lost() {
            return;
        }
        if inner
            .cause
            .as_ref()
            .is_none_or(|old| cause.position < old.position)
        {
            self.limit.store(cause.position.submit, Ordering::SeqCst);
            inner.cause = Some(cause);
        }
        self.state.store(LossState::Losing as u8, Ordering::SeqCst);
        drop(inner);
        self.settle();
    }

    /// Moves from `Losing` to `Lost` when no queue can do more of the earlier work; true when it did. The
    /// caller wakes those who wait.
    pub(super) fn settle(&self) -> bool {
        let inner = self.inner.lock();
        if self.state() != LossState::Losing {
            return false;
        }
        let Some(cause) = &inner.cause else { return false };
        if inner
            .lanes
            .iter()
            .any(|lane| lane.busy_before(cause.position.submit))
        {
            return false;
        }
        if let Some(hook) = self.hook.get() {
            hook.freeze(cause);
        }
        self.state.store(LossState::Lost as u8, Ordering::SeqCst);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::WaitFor;
    use std::sync::Arc;

    fn cause(submit: u64, command: u32) -> Cause {
        let position = Position {
            submit,
            command,
            ..Position::default()
        };
        Cause::new(CauseKind::Detected, position, "test")
    }

    #[derive(Clone, Default)]
    struct Count(Arc<Mutex<Vec<Position>>>);

    impl LossHook for Count {
        fn freeze(&self, cause: &Cause) {
            self.0.lock().push(cause.position);
        }
    }

    #[test]
    fn an_idle_device_is_lost_at_once_and_frozen_once() {
        let loss = Loss::new(1);
        let count = Count::default();
        loss.set_hook(Box::new(count.clone()));
        loss.report(cause(0, 0));
        loss.report(cause(0, 0));
        assert!(loss.is_lost());
        assert_eq!(count.0.lock().len(), 1);
    }

    #[test]
    fn the_first_cause_in_api_order_wins() {
        let loss = Loss::new(2);
        let (first, second) = (loss.enter(0), loss.enter(1));
        assert!(loss.start(1, second));
        loss.report(cause(second, 3));
        assert_eq!(loss.state(), LossState::Losing);
        loss.finish(1, second);
        assert_eq!(loss.state(), LossState::Losing, "earlier work is not done");
        assert!(loss.start(0, first));
        loss.report(cause(first, 7));
        loss.finish(0, first);
        assert_eq!(loss.cause().map(|c| c.position), Some(cause(first, 7).position));
    }

    #[test]
    fn later_work_is_dropped() {
        let loss = Loss::new(2);
        let (first, second) = (loss.enter(0), loss.enter(1));
        assert!(loss.start(0, first));
        loss.report(cause(first, 0));
        assert!(!loss.start(1, second));
        loss.finish(1, second);
        loss.finish(0, first);
        assert!(loss.is_lost());
    }

    #[test]
    fn work_that_waits_for_dropped_work_does_not_hold_up_the_loss() {
        let loss = Loss::new(2);
        let semaphore = Arc::new(crate::sync::Semaphore::timeline(0));
        let (_, second) = (loss.enter(0), loss.enter(1));
        loss.block(
            0,
            Blocked {
                wait: WaitFor::Points(vec![semaphore.wait_point(1)]),
                position: Position::default(),
            },
        );
        assert!(loss.start(1, second));
        loss.report(cause(second, 0));
        loss.finish(1, second);
        assert!(loss.is_lost());
    }
}
