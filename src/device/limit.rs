//! The limit of time on the work of a submission (`LAHAR_TIMEOUT_MS`): a thread that takes the fuel of kernels which still
//! run when it is over. So kernels pay nothing for it, whichever back end runs them: they look at their fuel anyway.

use crate::memory::raw;
use crate::shader::abi::Context;
use parking_lot::{Condvar, Mutex};
use std::cell::Cell;
use std::mem::offset_of;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How often fuel is taken: a wave that begins is given some, and one that pays for a turn at that moment puts it back.
const AGAIN: Duration = Duration::from_millis(1);

thread_local! {
    /// When the work that this thread has done is to be over, and the limit that made it so.
    static CURRENT: Cell<Option<(Instant, Duration)>> = const { Cell::new(None) };
}

/// While it lives, what this thread has workers do is to end within a limit.
#[derive(Debug)]
pub(super) struct TimeLimit(());

impl TimeLimit {
    /// From now on.
    pub(super) fn start(limit: Option<Duration>) -> TimeLimit {
        CURRENT.set(limit.and_then(|limit| Some((Instant::now().checked_add(limit)?, limit))));
        TimeLimit(())
    }
}

/// This thread has waited for something, which has a limit of its own: that of its work begins anew.
pub(super) fn restart() {
    if let Some((_, limit)) = CURRENT.get() {
        CURRENT.set(
            Instant::now()
                .checked_add(limit)
                .map(|deadline| (deadline, limit)),
        );
    }
}

impl Drop for TimeLimit {
    fn drop(&mut self) {
        CURRENT.set(None);
    }
}

/// The limit of this thread's work, if its time is over.
#[must_use]
pub fn exceeded() -> Option<Duration> {
    let (deadline, limit) = CURRENT.get()?;
    (Instant::now() >= deadline).then_some(limit)
}

/// Work with a limit.
#[derive(Debug)]
pub(super) struct Limited {
    deadline: Instant,
    limit: Duration,
    /// Addresses of the contexts of kernels that may run.
    contexts: Mutex<Vec<u64>>,
}

impl Limited {
    /// The limit, if time is over.
    pub(super) fn exceeded(&self) -> Option<Duration> {
        (Instant::now() >= self.deadline).then_some(self.limit)
    }

    /// A worker runs kernels with this context from now on, until what this gives is dropped.
    pub(super) fn enter(&self, context: u64) -> Inside<'_> {
        self.contexts.lock().push(context);
        Inside(self, context)
    }

    fn take_fuel(&self) {
        for context in &*self.contexts.lock() {
            for field in [offset_of!(Context, fuel), offset_of!(Context, wave_fuel)] {
                raw::store_shared(context + field as u64, -1);
            }
        }
    }
}

/// See [`Limited::enter`].
#[derive(Debug)]
pub(super) struct Inside<'l>(&'l Limited, u64);

impl Drop for Inside<'_> {
    fn drop(&mut self) {
        self.0.contexts.lock().retain(|context| *context != self.1);
    }
}

#[derive(Debug, Default)]
struct Shared {
    works: Mutex<Vec<Arc<Limited>>>,
    wake: Condvar,
    stop: AtomicBool,
}

impl Shared {
    fn watch(&self) {
        let mut works = self.works.lock();
        while !self.stop.load(Ordering::Relaxed) {
            let late = works.iter().filter(|work| work.exceeded().is_some());
            let any = late.map(|work| work.take_fuel()).count() > 0;
            match works.iter().map(|work| work.deadline).min() {
                Some(_) if any => drop(self.wake.wait_for(&mut works, AGAIN)),
                Some(next) => drop(self.wake.wait_until(&mut works, next)),
                None => self.wake.wait(&mut works),
            }
        }
    }
}

/// Watches over work with a limit. Its thread is started by the first such work.
#[derive(Debug, Default)]
pub(super) struct Watchdog {
    shared: Arc<Shared>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Watchdog {
    /// This thread's work, if it has a limit; to be handed to [`Watchdog::end`].
    pub(super) fn begin(&self) -> Option<Arc<Limited>> {
        let (deadline, limit) = CURRENT.get()?;
        let work = Arc::new(Limited {
            deadline,
            limit,
            contexts: Mutex::default(),
        });
        self.shared.works.lock().push(Arc::clone(&work));
        let mut thread = self.thread.lock();
        if thread.is_none() {
            let shared = Arc::clone(&self.shared);
            let name = "lahar-watchdog".to_owned();
            let spawned = std::thread::Builder::new().name(name);
            // Without it kernels run to their ends; what has not begun by then still does not begin.
            *thread = spawned.spawn(move || shared.watch()).ok();
        }
        drop(thread);
        self.shared.wake.notify_one();
        Some(work)
    }

    /// It is done.
    pub(super) fn end(&self, work: &Arc<Limited>) {
        self.shared.works.lock().retain(|other| !Arc::ptr_eq(other, work));
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        let works = self.shared.works.lock();
        self.shared.stop.store(true, Ordering::Relaxed);
        drop(works);
        self.shared.wake.notify_all();
        if let Some(thread) = self.thread.lock().take() {
            // It has nothing to say.
            let _ = thread.join();
        }
    }
}
