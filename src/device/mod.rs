//! The device: its queues, its loss state, and what its objects share.
#![forbid(unsafe_code)]

mod ledger;
pub mod limit;
mod loss;
mod names;
pub mod planned;
mod queue;
mod trail;
mod wait;
pub mod workers;

pub use ledger::{BufferId, Entry, Ledger, queue_ref};
pub use loss::{Cause, CauseKind, FaultAddress, Loss, LossHook, LossState, Position};
pub use names::Names;
pub use queue::{Queue, Submission, Work};
pub use trail::Trails;
pub use wait::WaitFor;
pub(crate) use wait::Waited;

use crate::fault::plan::{Plan, PlanRun};
use crate::fault::{FaultDesc, FaultStore, Sources};
use crate::memory::{Memory, Stamp, live};
use crate::shader::abi::Masked;
use crate::shader::guard::Mode;
use crate::shader::kernel::{Backend, Target};
use crate::shader::sampling::RoutineCache;
use crate::shader::sampling::transfer::TransferCache;
use crate::sync::{Deadline, Hub, Outcome};
use crate::vk;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use workers::{RoutineHost, Workers};

/// One queue to create.
#[derive(Clone, Copy, Debug, Default)]
pub struct QueueDesc {
    /// Queue family.
    pub family: u32,
    /// Index within the family.
    pub index: u32,
}

/// What a device is created from.
#[derive(Clone, Debug)]
pub struct DeviceDesc {
    /// Queues.
    pub queues: Vec<QueueDesc>,
    /// Enabled core features.
    pub features: vk::PhysicalDeviceFeatures,
    /// Worker threads; 0 chooses.
    pub workers: usize,
    /// What runs kernels; `None` chooses the best for the host.
    pub backend: Option<Backend>,
    /// Turns of loops a wave may take before it counts as endless; `None` is the default.
    pub fuel: Option<u64>,
    /// How shaders' addresses are checked.
    pub guards: Mode,
    /// Its memory; without it no address is checked before commands use it (tests).
    pub memory: Option<Arc<Memory>>,
    /// Identity, plan and dump directory.
    pub fault: FaultDesc,
    /// Longest time that a queue may wait for a semaphore, event or query.
    pub time_limit: Option<Duration>,
    /// Whether what is already done is still told after a loss, as Vulkan before maintenance5 allows.
    pub weak_loss: bool,
}

impl Default for DeviceDesc {
    /// One queue of family 0, no features, default workers and back end.
    fn default() -> DeviceDesc {
        DeviceDesc {
            queues: vec![QueueDesc { family: 0, index: 0 }],
            features: vk::PhysicalDeviceFeatures::default(),
            workers: 0,
            backend: None,
            fuel: None,
            guards: Mode::default(),
            memory: None,
            fault: FaultDesc::default(),
            time_limit: None,
            weak_loss: false,
        }
    }
}

/// The device could not be created.
#[derive(Debug, thiserror::Error)]
pub enum DeviceError {}

/// A device. Threads of its queues hold it too: [`Device::shut_down`] ends them.
#[derive(Debug)]
pub struct Device {
    desc: DeviceDesc,
    queues: Vec<Queue>,
    loss: Loss,
    hub: Hub,
    names: Arc<Names>,
    ledger: Arc<Ledger>,
    trails: Arc<Trails>,
    command_buffers: AtomicU64,
    fault: Arc<FaultStore>,
    plan: PlanRun,
    workers: Arc<Workers>,
    transfers: Arc<TransferCache>,
    target: Target,
    /// Outlives the workers' use of it: its number is in their contexts.
    _routines: RoutineCache,
    closing: AtomicBool,
    /// Looks of the host at the state of something, where a plan waits for them.
    looks: AtomicU64,
    /// The look that the last of the stalled submissions waits for.
    stalled: AtomicU64,
    start: Instant,
}

impl Device {
    /// Creates a device.
    pub fn new(desc: DeviceDesc) -> Result<Arc<Device>, DeviceError> {
        let queues: Vec<Queue> = desc
            .queues
            .iter()
            .enumerate()
            .map(|(lane, &queue)| Queue::new(lane, queue))
            .collect();
        let (names, ledger) = (Arc::<Names>::default(), Arc::<Ledger>::default());
        let trails = Arc::<Trails>::default();
        let sources = Sources {
            names: names.clone(),
            ledger: ledger.clone(),
            trails: trails.clone(),
            memory: desc.memory.clone(),
        };
        let fault = Arc::new(FaultStore::new(desc.fault.clone(), sources));
        let loss = Loss::new(queues.len());
        loss.set_hook(Box::new(Arc::clone(&fault)));
        let backend = desc.backend.unwrap_or_else(Backend::best);
        let masked = match (desc.fault.lost_on_masked, desc.fault.report_masked) {
            (true, _) => Masked::Lose,
            (_, true) => Masked::Report,
            _ => Masked::Ignore,
        };
        let target = Target {
            backend,
            // Only exact checks see every address.
            guards: match desc.fault.plan.as_deref().is_some_and(Plan::watches) {
                true => Mode::Exact,
                false => desc.guards,
            },
            masked: masked != Masked::Ignore,
        };
        let routines = RoutineCache::new(target);
        let count = (desc.workers != 0).then_some(desc.workers);
        let mut host = RoutineHost::of(&routines, desc.memory.as_deref());
        host.guards.masked = masked;
        let workers = Workers::new(count, host);
        if let Some(fuel) = desc.fuel {
            workers.set_fuel(i64::try_from(fuel).unwrap_or(i64::MAX));
        }
        let device = Arc::new(Device {
            loss,
            plan: PlanRun::new(
                desc.fault.plan.as_deref(),
                desc.fault.generation,
                planned::ProcessPlan::get().process(),
            ),
            fault,
            queues,
            desc,
            hub: Hub::default(),
            names,
            ledger,
            trails,
            command_buffers: AtomicU64::new(0),
            workers: Arc::new(workers),
            transfers: Arc::new(TransferCache::new(backend)),
            target,
            _routines: routines,
            closing: AtomicBool::new(false),
            looks: AtomicU64::new(0),
            stalled: AtomicU64::new(0),
            start: Instant::now(),
        });
        device.watch();
        Ok(device)
    }

    /// What it was created from.
    #[must_use]
    pub fn desc(&self) -> &DeviceDesc {
        &self.desc
    }

    /// Its queues, in the order of [`DeviceDesc::queues`].
    #[must_use]
    pub fn queues(&self) -> &[Queue] {
        &self.queues
    }

    /// Where its threads wait.
    #[must_use]
    pub fn hub(&self) -> &Hub {
        &self.hub
    }

    /// Its loss state.
    #[must_use]
    pub fn loss(&self) -> &Loss {
        &self.loss
    }

    /// Names of its objects.
    #[must_use]
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// Its submissions.
    #[must_use]
    pub(crate) fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// How far its queues came.
    #[must_use]
    pub fn trails(&self) -> &Trails {
        &self.trails
    }

    /// When a submission was made; now where that is not known.
    #[must_use]
    pub fn submitted_at(&self, serial: u64) -> Stamp {
        let now = || {
            self.memory()
                .map_or_else(Stamp::default, |memory| memory.history().now())
        };
        self.ledger.stamp(serial).unwrap_or_else(now)
    }

    /// The number of a new command buffer, from 1.
    #[must_use]
    pub fn next_command_buffer(&self) -> u64 {
        self.command_buffers.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Its memory.
    #[must_use]
    pub fn memory(&self) -> Option<&Arc<Memory>> {
        self.desc.memory.as_ref()
    }

    /// The threads that run its kernels.
    #[must_use]
    pub fn workers(&self) -> &Arc<Workers> {
        &self.workers
    }

    /// Kernels of blits, resolves and clears.
    #[must_use]
    pub fn transfers(&self) -> &Arc<TransferCache> {
        &self.transfers
    }

    /// What runs its kernels.
    #[must_use]
    pub fn backend(&self) -> Backend {
        self.target.backend
    }

    /// What its kernels are compiled for.
    #[must_use]
    pub fn target(&self) -> Target {
        self.target
    }

    /// Time for timestamps: nanoseconds since the device was created.
    #[must_use]
    pub fn now(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    /// Whether the device is being destroyed: nothing will satisfy a wait any more.
    #[must_use]
    pub fn is_closing(&self) -> bool {
        self.closing.load(Ordering::SeqCst)
    }

    /// Whether calls that may return `VK_ERROR_DEVICE_LOST` are to do so.
    #[must_use]
    pub fn is_lost(&self) -> bool {
        self.loss.is_lost()
    }

    /// The frozen snapshot of its loss.
    #[must_use]
    pub fn fault(&self) -> &FaultStore {
        &self.fault
    }

    /// Starts the loss of the device (see [`Loss`]).
    pub fn lose(&self, cause: Cause) {
        self.loss.report(cause);
        self.hub.notify();
    }

    /// A host thread waits until `ready` holds, the device is lost or the deadline passes. On a lost device nothing
    /// is ready any more, so that all threads learn of the loss alike; under the weak rule what was ready stays so.
    /// A wait without limit for queues that stand still for good loses the device.
    pub fn wait(&self, deadline: Deadline, mut ready: impl FnMut() -> bool) -> Outcome {
        let ended = || {
            if self.loss.is_lost() && !self.desc.weak_loss {
                Some(Outcome::Lost)
            } else if ready() {
                Some(Outcome::Ready)
            } else {
                if deadline == Deadline::Never && self.loss.doom() {
                    self.hub.notify();
                }
                self.loss.is_lost().then_some(Outcome::Lost)
            }
        };
        self.hub.wait(deadline, ended).unwrap_or(Outcome::Timeout)
    }

    /// Whether a call that may return `VK_ERROR_DEVICE_LOST` is to do so, although it `has` something to tell.
    #[must_use]
    pub fn hides(&self, has: bool) -> bool {
        self.loss.is_lost() && !(has && self.desc.weak_loss)
    }

    /// Waits until a loss that has begun is complete.
    pub fn wait_lost(&self) {
        self.hub
            .wait(Deadline::Never, || self.loss.is_lost().then_some(()));
    }

    /// Waits until no queue has work left.
    pub fn wait_idle(&self) -> Outcome {
        self.wait_queues(|| self.queues.iter().all(Queue::is_idle))
    }

    /// Waits until `idle` holds of queues. There is no telling on a lost device, since work may have been dropped.
    pub fn wait_queues(&self, mut idle: impl FnMut() -> bool) -> Outcome {
        self.wait(Deadline::Never, || !self.loss.is_lost() && idle())
    }

    /// Completes pending work and ends the device's threads. Work submitted afterwards is not done.
    pub fn shut_down(&self) {
        self.closing.store(true, Ordering::SeqCst);
        for queue in &self.queues {
            queue.close();
        }
        self.hub.notify();
        for queue in &self.queues {
            queue.join();
        }
        let generation = self.plan.generation();
        live::unwatch(|(device, _)| device == generation);
    }
}
