//! Queues: each runs its submissions in order on a thread of its own.
//!
//! The thread starts with the first submission that needs it and sleeps when there is nothing to do. A
//! submission that has nothing to wait for and no real work runs on the caller's thread when the queue is
//! idle: handing it over would cost more than doing it.

use super::limit::TimeLimit;
use super::{Cause, CauseKind, Device, Entry, LossState, Position, QueueDesc, WaitFor, Waited};
use crate::command::{self, CommandList, Fault, Halt, MaskedFaults, Scene, Scheduled};
use crate::memory::Stamp;
use crate::raster::Rasterizer;
use crate::sync::{Fence, Outcome, Point};
use parking_lot::{Condvar, Mutex};
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::JoinHandle;

/// One step of a submission.
pub enum Work {
    /// A command buffer.
    Commands(Arc<CommandList>),
    /// Something else that the queue does in order (presentation).
    Call(Box<dyn FnOnce(&Device) + Send>),
    /// A call that has been made.
    Done,
}

impl std::fmt::Debug for Work {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Work::Commands(_) => "Commands",
            Work::Call(_) => "Call",
            Work::Done => "Done",
        })
    }
}

/// One batch: waits, then works, then signals.
#[derive(Debug, Default)]
pub struct Submission {
    /// What must be reached before any work.
    pub waits: Vec<Point>,
    /// The work, in order.
    pub work: Vec<Work>,
    /// What is signaled after all work.
    pub signals: Vec<Point>,
    /// Signaled last.
    pub fence: Option<Arc<Fence>>,
    /// Debug labels open on the queue, outermost first.
    pub labels: Vec<String>,
    /// The look of the host that its end waits for, by plan; 0 for none.
    pub stall: u64,
    /// What is planned at its commands.
    pub planned: Vec<Scheduled>,
}

impl Submission {
    /// Whether it is cheaper to run than to hand over.
    fn is_trivial(&self) -> bool {
        self.work
            .iter()
            .all(|work| matches!(work, Work::Commands(list) if list.is_trivial()))
            && self.waits.iter().all(Point::reached)
            && self.stall == 0
    }
}

#[derive(Debug, Default)]
struct Inner {
    items: VecDeque<(u64, Submission)>,
    thread: Option<JoinHandle<()>>,
    /// A submission is being run.
    busy: bool,
    closing: bool,
}

/// A queue of a device.
#[derive(Debug)]
pub struct Queue {
    lane: usize,
    desc: QueueDesc,
    inner: Mutex<Inner>,
    ready: Condvar,
    submitted: AtomicU64,
    completed: AtomicU64,
    handle: AtomicU64,
    rasterizer: Mutex<Option<Rasterizer>>,
}

impl Queue {
    pub(super) fn new(lane: usize, desc: QueueDesc) -> Queue {
        Queue {
            lane,
            desc,
            inner: Mutex::default(),
            ready: Condvar::new(),
            submitted: AtomicU64::new(0),
            completed: AtomicU64::new(0),
            handle: AtomicU64::new(0),
            rasterizer: Mutex::new(None),
        }
    }

    /// Index among the device's queues.
    #[must_use]
    pub fn lane(&self) -> usize {
        self.lane
    }

    /// Family and index.
    #[must_use]
    pub fn desc(&self) -> QueueDesc {
        self.desc
    }

    /// Tells it its raw handle, which its name is found with.
    pub fn set_handle(&self, handle: u64) {
        self.handle.store(handle, Ordering::Relaxed);
    }

    /// Its raw handle.
    #[must_use]
    pub fn handle(&self) -> u64 {
        self.handle.load(Ordering::Relaxed)
    }

    /// Whether all submissions are done.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.completed.load(Ordering::SeqCst) == self.submitted.load(Ordering::SeqCst)
    }

    /// Submits batches. A lost device takes nothing.
    pub fn submit(&self, device: &Arc<Device>, batches: Vec<Submission>) -> Outcome {
        for batch in batches {
            if device.is_lost() {
                return Outcome::Lost;
            }
            self.submit_one(device, batch);
        }
        Outcome::Ready
    }

    fn submit_one(&self, device: &Arc<Device>, mut batch: Submission) {
        if device.plan.counts_execution() {
            batch.planned = self.schedule(device, &batch);
        }
        let serial = device.loss.enter(self.lane);
        self.note(device, serial, &batch);
        self.submitted.fetch_add(1, Ordering::SeqCst);
        let mut inner = self.inner.lock();
        if inner.items.is_empty() && !inner.busy && batch.is_trivial() {
            inner.busy = true;
            drop(inner);
            self.run(device, serial, batch);
            return self.release();
        }
        inner.items.push_back((serial, batch));
        if inner.thread.is_none() && !inner.closing {
            inner.thread = self.spawn(device);
            if inner.thread.is_none() {
                let waiting: Vec<_> = inner.items.drain(..).collect();
                drop(inner);
                return self.run_all(device, waiting);
            }
        }
        drop(inner);
        self.ready.notify_one();
    }

    /// Enters a submission in the ledger.
    fn note(&self, device: &Device, serial: u64, batch: &Submission) {
        let stamp = device
            .memory()
            .map_or_else(Stamp::default, |memory| memory.history().submitted());
        let buffer = |work: &Work| match work {
            Work::Commands(list) => Some((list.id, list.id.name(device.names()), list.total())),
            _ => None,
        };
        let count = |points: &[Point]| u32::try_from(points.len()).unwrap_or(u32::MAX);
        device.ledger().enter(Entry {
            serial,
            stamp,
            queue: self.desc,
            queue_handle: self.handle(),
            labels: batch.labels.clone(),
            buffers: batch.work.iter().filter_map(buffer).collect(),
            semaphores: [count(&batch.waits), count(&batch.signals)],
            done: false,
        });
    }

    /// What is planned at the commands of a submission: decided now, in the order of submissions.
    fn schedule(&self, device: &Device, batch: &Submission) -> Vec<Scheduled> {
        let lists = batch.work.iter().filter_map(|work| match work {
            Work::Commands(list) => Some(list.clone()),
            _ => None,
        });
        command::schedule(
            &device.plan,
            &device.names,
            self.lane as u64,
            &batch.labels,
            device.loss.latest() + 1,
            lists,
        )
    }

    /// No thread could be had: the caller's must do.
    fn run_all(&self, device: &Device, items: Vec<(u64, Submission)>) {
        for (serial, batch) in items {
            self.run(device, serial, batch);
        }
    }

    /// Lends the queue's rasterizer to the work it runs.
    pub(crate) fn with_rasterizer<T>(&self, device: &Device, f: impl FnOnce(&mut Rasterizer) -> T) -> T {
        let mut rasterizer = self.rasterizer.lock();
        f(rasterizer.get_or_insert_with(|| Rasterizer::new(device.workers().clone(), device.backend())))
    }

    fn release(&self) {
        let mut inner = self.inner.lock();
        inner.busy = false;
        if !inner.items.is_empty() {
            self.ready.notify_one();
        }
    }

    fn spawn(&self, device: &Arc<Device>) -> Option<JoinHandle<()>> {
        let (device, lane) = (device.clone(), self.lane);
        let name = format!("lahar-queue-{lane}");
        let body = move || device.queues[lane].thread_main(&device);
        std::thread::Builder::new().name(name).spawn(body).ok()
    }

    fn thread_main(&self, device: &Device) {
        while let Some((serial, batch)) = self.take() {
            self.run(device, serial, batch);
            self.release();
        }
    }

    /// The next submission, or `None` when the queue is closed and empty.
    fn take(&self) -> Option<(u64, Submission)> {
        let mut spun = false;
        loop {
            let mut inner = self.inner.lock();
            if !inner.busy {
                if let Some(item) = inner.items.pop_front() {
                    inner.busy = true;
                    return Some(item);
                }
                if inner.closing {
                    return None;
                }
            }
            if spun {
                self.ready.wait(&mut inner);
            } else {
                drop(inner);
                spun = true;
                crate::sync::spin(|| !self.is_idle());
            }
        }
    }

    fn run(&self, device: &Device, serial: u64, batch: Submission) {
        let wait = WaitFor::Points(batch.waits);
        let position = Position {
            submit: serial,
            ..Position::default()
        };
        let waited = device.queue_wait(self.lane, &wait, position);
        if let Waited::Failed(cause) = waited {
            // No command is at fault: none has begun.
            let (work, labels) = (&[], &*batch.labels);
            let scene = Scene {
                queue: self,
                work,
                labels,
            };
            device.lose(command::attribute(device, scene, Fault::of(*cause)));
        } else if matches!(waited, Waited::Ready) && device.loss.start(self.lane, serial) {
            let limit = TimeLimit::start(device.desc.time_limit);
            let done = run_work(device, self, serial, batch.work, &batch.labels, &batch.planned);
            drop(limit);
            if batch.stall > 0 {
                device.stall(batch.stall);
            }
            if done && device.loss.completes(serial) {
                device.ledger().done(serial);
                for signal in &batch.signals {
                    signal.semaphore.mark(signal.value);
                }
                if let Some(fence) = &batch.fence {
                    fence.mark();
                }
            }
        }
        device.loss.finish(self.lane, serial);
        self.completed.fetch_add(1, Ordering::SeqCst);
        device.hub.notify();
    }

    pub(super) fn close(&self) {
        self.inner.lock().closing = true;
        self.ready.notify_one();
    }

    pub(super) fn join(&self) {
        let thread = self.inner.lock().thread.take();
        if let Some(thread) = thread {
            // Panics of the work are caught in `run_work`; the thread itself has nothing to say.
            let _ = thread.join();
        }
    }
}

/// Runs the work of a submission; false if it was not all done.
fn run_work(
    device: &Device,
    queue: &Queue,
    serial: u64,
    mut work: Vec<Work>,
    labels: &[String],
    planned: &[Scheduled],
) -> bool {
    let mut position = Position {
        submit: serial,
        ..Position::default()
    };
    for index in 0..work.len() {
        if device.loss.state() != LossState::Healthy && !device.loss.completes(serial) {
            return false;
        }
        let step = &mut work[index];
        let mut masked = MaskedFaults::default();
        let result = catch_unwind(AssertUnwindSafe(|| match step {
            Work::Commands(list) => {
                command::execute(device, queue, &mut position, list, planned, &mut masked)
            }
            other => {
                if let Work::Call(call) = std::mem::replace(other, Work::Done) {
                    call(device);
                }
                Ok(())
            }
        }));
        let finished = &*work;
        masked.report(
            device,
            Scene {
                queue,
                work: finished,
                labels,
            },
        );
        let fault = match result {
            Ok(Ok(())) => continue,
            Ok(Err(Halt::Dropped)) => return false,
            Ok(Err(Halt::Fault(fault))) => *fault,
            Err(panic) => {
                let message = format!("the driver failed: {}", panic_text(panic.as_ref()));
                Fault::of(Cause::new(CauseKind::Internal, position, message))
            }
        };
        let work = &work;
        let scene = Scene { queue, work, labels };
        device.lose(command::attribute(device, scene, fault));
        return false;
    }
    true
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::DeviceDesc;
    use crate::sync::{Deadline, Semaphore, wait_fences, wait_points};

    fn device(queues: u32) -> Arc<Device> {
        let queues = (0..queues).map(|index| QueueDesc { family: 0, index }).collect();
        let desc = DeviceDesc {
            queues,
            ..DeviceDesc::default()
        };
        Device::new(desc).unwrap_or_else(|error| panic!("{error}"))
    }

    fn call(f: impl FnOnce(&Device) + Send + 'static) -> Vec<Work> {
        vec![Work::Call(Box::new(f))]
    }

    #[test]
    fn an_empty_batch_signals_its_fence_without_a_thread() {
        let device = device(1);
        let fence = Arc::new(Fence::new(false));
        let batch = Submission {
            fence: Some(fence.clone()),
            ..Submission::default()
        };
        assert_eq!(device.queues()[0].submit(&device, vec![batch]), Outcome::Ready);
        assert!(fence.is_signaled());
        assert!(device.queues()[0].inner.lock().thread.is_none());
        device.shut_down();
    }

    #[test]
    fn batches_run_in_order_across_queues() {
        let device = device(2);
        let semaphore = Arc::new(Semaphore::binary());
        let log = Arc::new(Mutex::new(Vec::new()));
        let (a, b) = (log.clone(), log.clone());
        let signals = vec![semaphore.signal_point(0)];
        let first = Submission {
            work: call(move |_| a.lock().push(1)),
            signals,
            ..Submission::default()
        };
        let fence = Arc::new(Fence::new(false));
        let second = Submission {
            waits: vec![semaphore.wait_point(0)],
            work: call(move |_| b.lock().push(2)),
            fence: Some(fence.clone()),
            ..Submission::default()
        };
        device.queues()[1].submit(&device, vec![second]);
        device.queues()[0].submit(&device, vec![first]);
        assert_eq!(
            wait_fences(&device, &[fence], true, Deadline::Never),
            Outcome::Ready
        );
        assert_eq!(*log.lock(), [1, 2]);
        assert_eq!(device.wait_idle(), Outcome::Ready);
        device.shut_down();
    }

    #[test]
    fn a_panic_loses_the_device_and_ends_waits() {
        let device = device(2);
        let never = Arc::new(Semaphore::timeline(0));
        let blocked = Submission {
            waits: vec![never.wait_point(1)],
            ..Submission::default()
        };
        device.queues()[1].submit(&device, vec![blocked]);
        let broken = Submission {
            work: call(|_| panic!("broken")),
            ..Submission::default()
        };
        device.queues()[0].submit(&device, vec![broken]);
        assert_eq!(
            wait_points(&device, &[never.wait_point(1)], true, Deadline::Never),
            Outcome::Lost
        );
        assert_eq!(device.wait_idle(), Outcome::Lost);
        let cause = device.loss().cause();
        assert!(
            cause.is_some_and(|cause| cause.kind == CauseKind::Internal && cause.message.contains("broken"))
        );
        assert_eq!(device.queues()[0].submit(&device, Vec::new()), Outcome::Ready);
        assert_eq!(
            device.queues()[0].submit(&device, vec![Submission::default()]),
            Outcome::Lost
        );
        device.shut_down();
    }
}
