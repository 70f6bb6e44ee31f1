//! The one place where threads sleep until something they wait for has changed.
//!
//! A device has one hub. Whoever changes a fence, semaphore, event, query or the loss state stores the new
//! value and then calls [`Hub::notify`]; whoever waits gives a condition. Waiters are few (application
//! threads and queue threads), so one list for all of them is simpler than one an object, and waiting for
//! any of several objects needs nothing more.

use parking_lot::{Condvar, Mutex};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// When a wait gives up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deadline {
    /// At once: the condition is only polled.
    Now,
    /// At this time.
    At(Instant),
    /// Never.
    Never,
}

impl Deadline {
    /// A time-out in nanoseconds as Vulkan gives it; times beyond a century are for ever.
    #[must_use]
    pub fn after(nanoseconds: u64) -> Deadline {
        const CENTURY: u64 = 100 * 365 * 86_400 * 1_000_000_000;
        match nanoseconds {
            0 => Deadline::Now,
            n if n < CENTURY => Instant::now()
                .checked_add(Duration::from_nanos(n))
                .map_or(Deadline::Never, Deadline::At),
            _ => Deadline::Never,
        }
    }

    /// This time from now.
    #[must_use]
    pub fn from_now(time: Duration) -> Deadline {
        Instant::now()
            .checked_add(time)
            .map_or(Deadline::Never, Deadline::At)
    }

    /// Whether the time has come.
    #[must_use]
    pub fn passed(self) -> bool {
        match self {
            Deadline::Now => true,
            Deadline::At(at) => Instant::now() >= at,
            Deadline::Never => false,
        }
    }
}

/// How a wait ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The condition holds.
    Ready,
    /// The deadline passed first.
    Timeout,
    /// The device was lost.
    Lost,
}

/// Where waiting threads sleep.
#[derive(Debug, Default)]
pub struct Hub {
    epoch: AtomicU64,
    sleepers: AtomicU32,
    lock: Mutex<()>,
    changed: Condvar,
}

/// How long a waiter spins before it sleeps: about the cost of going to sleep and being woken.
const SPIN: Duration = Duration::from_micros(15);

/// Runs `ready` for a short while; true as soon as it holds. Does not spin on a single processor.
pub(crate) fn spin(mut ready: impl FnMut() -> bool) -> bool {
    static MANY: OnceLock<bool> = OnceLock::new();
    if ready() {
        return true;
    }
    if !*MANY.get_or_init(|| std::thread::available_parallelism().is_ok_and(|n| n.get() > 1)) {
        return false;
    }
    let end = Instant::now() + SPIN;
    loop {
        for _ in 0..32 {
            if ready() {
                return true;
            }
            std::hint::spin_loop();
        }
        if Instant::now() >= end {
            return false;
        }
    }
}

impl Hub {
    /// Wakes every waiter to look at its condition again. Call after the change is stored.
    pub fn notify(&self) {
        self.epoch.fetch_add(1, Ordering::SeqCst);
        if self.sleepers.load(Ordering::SeqCst) > 0 {
            drop(self.lock.lock());
            self.changed.notify_all();
        }
    }

    /// Waits until `ready` gives an answer or the deadline passes (then `None`). `ready` is called often and
    /// must be cheap.
    pub fn wait<T>(&self, deadline: Deadline, mut ready: impl FnMut() -> Option<T>) -> Option<T> {
        let mut answer = ready();
        if answer.is_some() || deadline == Deadline::Now {
            return answer;
        }
        spin(|| {
            answer = ready();
            answer.is_some()
        });
        if answer.is_some() {
            return answer;
        }
        self.sleepers.fetch_add(1, Ordering::SeqCst);
        let answer = self.sleep(deadline, ready);
        self.sleepers.fetch_sub(1, Ordering::SeqCst);
        answer
    }

    fn sleep<T>(&self, deadline: Deadline, mut ready: impl FnMut() -> Option<T>) -> Option<T> {
        loop {
            let epoch = self.epoch.load(Ordering::SeqCst);
            let answer = ready();
            if answer.is_some() || deadline.passed() {
                return answer;
            }
            let mut guard = self.lock.lock();
            while self.epoch.load(Ordering::SeqCst) == epoch {
                match deadline {
                    Deadline::At(at) => {
                        if self.changed.wait_until(&mut guard, at).timed_out() {
                            break;
                        }
                    }
                    Deadline::Never => self.changed.wait(&mut guard),
                    Deadline::Now => break,
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    #[test]
    fn a_poll_does_not_wait() {
        let hub = Hub::default();
        assert_eq!(hub.wait(Deadline::Now, || None::<()>), None);
        assert_eq!(hub.wait(Deadline::Now, || Some(3)), Some(3));
        assert_eq!(hub.wait(Deadline::after(1000), || None::<()>), None);
    }

    #[test]
    fn a_sleeper_is_woken() {
        let hub = Arc::new(Hub::default());
        let flag = Arc::new(AtomicBool::new(false));
        let waiter = {
            let (hub, flag) = (hub.clone(), flag.clone());
            std::thread::spawn(move || {
                hub.wait(Deadline::Never, || flag.load(Ordering::SeqCst).then_some(()))
            })
        };
        while hub.sleepers.load(Ordering::SeqCst) == 0 {
            std::thread::yield_now();
        }
        flag.store(true, Ordering::SeqCst);
        hub.notify();
        assert_eq!(waiter.join().ok(), Some(Some(())));
    }
}
