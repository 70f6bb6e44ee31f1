//! The device's pool of worker threads.
//!
//! Started at first use, named, parked when idle and joined when the device goes. The thread that asks for
//! work takes part in it. What a job does may not depend on which worker runs it, nor on how many there are.
#![forbid(unsafe_code)]

use super::limit::{Limited, Watchdog};
use crate::exec::ExecError;
use crate::memory::{AlignedBuf, Memory};
use crate::shader::abi::{
    ABORT_BYTES, ALLOCATION_SLOTS, AllocationSlot, CALL_FRAME_BYTES, Context, FUEL_PER_WAVE, Guards, Masked,
    MaskedTable, ROUTINE_SLOTS, RoutineSlot, zeros_address,
};
use crate::shader::guard;
use crate::shader::sampling::RoutineCache;
use parking_lot::{Condvar, Mutex};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::thread::JoinHandle;

/// What finds sampling routines for running kernels: the fields of [`Context`] of these names.
#[derive(Clone, Copy, Debug, Default)]
pub struct RoutineHost {
    /// Address of the resolving code.
    pub resolve: u64,
    /// Address of the decompressing code.
    pub decode: u64,
    /// Opaque to kernels; must outlive the pool.
    pub host: u64,
    /// What addresses are checked against.
    pub guards: Guards,
}

impl RoutineHost {
    /// That of a cache of routines, for a device's memory.
    #[must_use]
    pub fn of(routines: &RoutineCache, memory: Option<&Memory>) -> RoutineHost {
        let mut context = Context::default();
        routines.attach(&mut context);
        if let Some(memory) = memory {
            guard::attach(&mut context, memory);
        }
        RoutineHost {
            resolve: context.resolve,
            decode: context.decode,
            host: context.host,
            guards: context.guards,
        }
    }
}

/// What a worker lends to the jobs it runs: kept from job to job, so nothing may be read before it is written.
#[derive(Debug)]
pub struct Scratch {
    /// The context that kernels are given; the addresses of routines and call frame are filled in.
    pub context: Box<Context>,
    /// Frames of waves.
    pub frames: AlignedBuf,
    /// Shared memory of a workgroup.
    pub shared: AlignedBuf,
    /// Vertex outputs, or the planes of a tile.
    pub data: AlignedBuf,
    /// Lists handed to kernels.
    pub lists: AlignedBuf,
    routines: AlignedBuf,
    call_frame: AlignedBuf,
    allocations: AlignedBuf,
    abort: AlignedBuf,
    /// Empty unless masked accesses are reported.
    masked: AlignedBuf,
}

impl Scratch {
    fn new(host: RoutineHost) -> Scratch {
        let routines = AlignedBuf::new(ROUTINE_SLOTS * size_of::<RoutineSlot>());
        let call_frame = AlignedBuf::new(CALL_FRAME_BYTES);
        let allocations = AlignedBuf::new(ALLOCATION_SLOTS * size_of::<AllocationSlot>());
        let abort = AlignedBuf::new(ABORT_BYTES);
        let reports = host.guards.masked == Masked::Report;
        let masked = AlignedBuf::new(if reports { size_of::<MaskedTable>() } else { 0 });
        let context = Box::new(Context {
            routines: routines.address(),
            resolve: host.resolve,
            decode: host.decode,
            host: host.host,
            call_frame: call_frame.address(),
            abort: abort.address(),
            zeros: zeros_address(),
            guards: Guards {
                allocations: allocations.address(),
                masked_table: if reports { masked.address() } else { 0 },
                ..host.guards
            },
            ..Context::default()
        });
        Scratch {
            context,
            frames: AlignedBuf::new(0),
            shared: AlignedBuf::new(0),
            data: AlignedBuf::new(0),
            lists: AlignedBuf::new(0),
            routines,
            call_frame,
            allocations,
            abort,
            masked,
        }
    }

    /// Address of the context.
    #[must_use]
    pub fn context_address(&self) -> u64 {
        debug_assert!(
            [&self.routines, &self.call_frame, &self.allocations, &self.abort]
                .iter()
                .all(|buf| !buf.is_empty())
                && self.masked.is_empty() == (self.context.guards.masked_table == 0),
            "the context points to them"
        );
        &raw const *self.context as u64
    }
}

/// A job: runs item `index` with the worker's scratch.
pub type Job = Arc<dyn Fn(&mut Scratch, usize) -> Result<(), ExecError> + Send + Sync>;

/// One call of [`Workers::run`].
struct Section {
    job: Mutex<Option<Job>>,
    count: usize,
    next: AtomicUsize,
    /// Threads inside, and the error of the lowest item.
    state: Mutex<SectionState>,
    left: Condvar,
    limited: Option<Arc<Limited>>,
}

#[derive(Default)]
struct SectionState {
    inside: usize,
    error: Option<(usize, ExecError)>,
}

impl Section {
    /// Runs items until there are none left.
    fn work(&self, scratch: &mut Scratch) {
        let Some(job) = self.job.lock().clone() else {
            return;
        };
        let limited = self.limited.as_deref();
        let _inside = limited.map(|limited| limited.enter(scratch.context_address()));
        loop {
            let index = self.next.fetch_add(1, Ordering::Relaxed);
            if index >= self.count {
                break;
            }
            let result = match limited.and_then(Limited::exceeded) {
                Some(limit) => Ok(Err(ExecError::Late(limit))),
                None => catch_unwind(AssertUnwindSafe(|| job(scratch, index))),
            };
            let error = match result {
                Ok(Ok(())) => continue,
                Ok(Err(error)) => error,
                Err(payload) => ExecError::Panic(panic_message(payload.as_ref())),
            };
            // Items are handed out in order, so all below this one have been begun: the lowest error is
            // the same however many workers there are.
            self.next.fetch_max(self.count, Ordering::Relaxed);
            let mut state = self.state.lock();
            if state.error.as_ref().is_none_or(|(lowest, _)| index < *lowest) {
                state.error = Some((index, error));
            }
        }
    }
}

fn panic_message(payload: &(dyn std::any::Any + Send)) -> String {
    payload
        .downcast_ref::<&str>()
        .map(|s| (*s).to_owned())
        .or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a worker panicked".to_owned())
}

#[derive(Default)]
struct Queue {
    sections: Vec<Arc<Section>>,
    stop: bool,
}

struct Shared {
    host: RoutineHost,
    queue: Mutex<Queue>,
    wake: Condvar,
    /// Scratch of calling threads, kept for the next call.
    spare: Mutex<Vec<Box<Scratch>>>,
}

impl Shared {
    /// Body of a worker thread.
    fn serve(&self) {
        let mut scratch = Scratch::new(self.host);
        loop {
            let section = {
                let mut queue = self.queue.lock();
                loop {
                    if queue.stop {
                        return;
                    }
                    if let Some(section) = queue.sections.first().cloned() {
                        section.state.lock().inside += 1;
                        break section;
                    }
                    self.wake.wait(&mut queue);
                }
            };
            section.work(&mut scratch);
            self.remove(&section);
            section.state.lock().inside -= 1;
            section.left.notify_all();
        }
    }

    /// Takes a section whose items are all handed out off the queue.
    fn remove(&self, section: &Arc<Section>) {
        self.queue
            .lock()
            .sections
            .retain(|other| !Arc::ptr_eq(other, section));
    }
}

/// The pool.
pub struct Workers {
    count: usize,
    fuel: AtomicI64,
    shared: Arc<Shared>,
    watchdog: Watchdog,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

impl std::fmt::Debug for Workers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Workers")
            .field("count", &self.count)
            .finish_non_exhaustive()
    }
}

/// Workers of a device where nothing else is asked: as many as the affinity mask and the cgroup's quota allow.
#[must_use]
pub fn default_count() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

impl Workers {
    /// A pool in which `count` threads work at a time, the calling one included; by default as many as the
    /// affinity mask and the cgroup's quota allow. No thread is started yet.
    #[must_use]
    pub fn new(count: Option<usize>, host: RoutineHost) -> Workers {
        Workers {
            count: count.unwrap_or_else(default_count).clamp(1, 256),
            fuel: AtomicI64::new(FUEL_PER_WAVE),
            shared: Arc::new(Shared {
                host,
                queue: Mutex::default(),
                wake: Condvar::new(),
                spare: Mutex::default(),
            }),
            watchdog: Watchdog::default(),
            threads: Mutex::default(),
        }
    }

    /// Fuel that each wave is to be given; see [`Context::fuel`].
    #[must_use]
    pub fn fuel(&self) -> i64 {
        self.fuel.load(Ordering::Relaxed)
    }

    /// Sets the fuel of the waves of work to come.
    pub fn set_fuel(&self, fuel: i64) {
        self.fuel.store(fuel, Ordering::Relaxed);
    }

    /// Threads that work at a time.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count
    }

    /// Runs `job` for the items `0..count` and waits for all of them. Items are begun in order; once one fails, no
    /// further ones are begun.
    ///
    /// # Errors
    /// That of the lowest item that failed; a panic counts as one.
    pub fn run(&self, count: usize, job: Job) -> Result<(), ExecError> {
        let limited = self.watchdog.begin();
        let result = self.run_limited(count, job, limited.clone());
        limited.iter().for_each(|limited| self.watchdog.end(limited));
        result
    }

    /// As [`Workers::run`], for work that no limit of time is meant for: to find out what went wrong.
    ///
    /// # Errors
    /// As there.
    pub fn run_freely(&self, count: usize, job: Job) -> Result<(), ExecError> {
        self.run_limited(count, job, None)
    }

    fn run_limited(&self, count: usize, job: Job, limited: Option<Arc<Limited>>) -> Result<(), ExecError> {
        let section = Arc::new(Section {
            job: Mutex::new(Some(job)),
            count,
            next: AtomicUsize::new(0),
            state: Mutex::default(),
            left: Condvar::new(),
            limited,
        });
        let helpers = (self.count - 1).min(count.saturating_sub(1));
        if helpers > 0 {
            self.start_threads();
            self.shared.queue.lock().sections.push(Arc::clone(&section));
            for _ in 0..helpers {
                self.shared.wake.notify_one();
            }
        }
        let spare = self.shared.spare.lock().pop();
        let mut scratch = spare.unwrap_or_else(|| Box::new(Scratch::new(self.shared.host)));
        section.work(&mut scratch);
        self.shared.spare.lock().push(scratch);
        if helpers > 0 {
            self.shared.remove(&section);
        }
        // The job goes first, so that its data is the caller's alone afterwards.
        *section.job.lock() = None;
        let mut state = section.state.lock();
        while state.inside > 0 {
            section.left.wait(&mut state);
        }
        state.error.take().map_or(Ok(()), |(_, error)| Err(error))
    }

    fn start_threads(&self) {
        let mut threads = self.threads.lock();
        while threads.len() + 1 < self.count {
            let shared = Arc::clone(&self.shared);
            let name = format!("lahar-worker-{}", threads.len());
            match std::thread::Builder::new()
                .name(name)
                .spawn(move || shared.serve())
            {
                Ok(handle) => threads.push(handle),
                // Fewer threads give the same results.
                Err(_) => return,
            }
        }
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        self.shared.queue.lock().stop = true;
        self.shared.wake.notify_all();
        for thread in self.threads.lock().drain(..) {
            // A panic of a job is caught; there is nothing else to report.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{RoutineHost, Workers};
    use crate::exec::ExecError;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};

    #[test]
    fn every_item_runs_once_and_the_data_comes_back() {
        for count in [1, 2, 4] {
            let workers = Workers::new(Some(count), RoutineHost::default());
            for _ in 0..50 {
                let sum = Arc::new(AtomicU64::new(0));
                let shared = Arc::clone(&sum);
                let job = Arc::new(move |_: &mut _, i: usize| {
                    shared.fetch_add(1 << i, Ordering::Relaxed);
                    Ok(())
                });
                workers.run(40, job).expect("no item fails");
                let sum = Arc::try_unwrap(sum).expect("no worker keeps the job");
                assert_eq!(sum.into_inner(), (1 << 40) - 1);
            }
        }
    }

    #[test]
    fn the_lowest_error_wins_and_panics_are_errors() {
        for count in [1, 3] {
            let workers = Workers::new(Some(count), RoutineHost::default());
            let job = Arc::new(|_: &mut _, i: usize| match i {
                5 => panic!("at five"),
                6.. => Err(ExecError::Compile(i.to_string())),
                _ => Ok(()),
            });
            assert_eq!(workers.run(100, job), Err(ExecError::Panic("at five".to_owned())));
        }
    }
}
