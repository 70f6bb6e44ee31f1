//! What plans have met in this process: what fired, and, where a tool asks for it, how much was executed.

use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

/// A rule that fired.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fired {
    /// On which device; 0 for calls on none.
    pub device: u64,
    /// The rule's number.
    pub rule: u64,
    /// Its fault.
    pub fault: &'static str,
    /// Which event it was of those that the rule counts.
    pub count: u64,
}

/// Most that are remembered: a rule with `every = 1` could fire for ever.
const MOST: usize = 10_000;

static WATCHED: AtomicBool = AtomicBool::new(false);
static FIRED: Mutex<Vec<Fired>> = Mutex::new(Vec::new());
static EXECUTED: Mutex<BTreeMap<(u64, &str), u64>> = Mutex::new(BTreeMap::new());

/// From now on what is executed is counted.
pub fn watch() {
    WATCHED.store(true, Ordering::Relaxed);
}

/// Whether what is executed is counted.
pub(super) fn is_watched() -> bool {
    WATCHED.load(Ordering::Relaxed)
}

/// Notes an event of execution on a device.
pub(crate) fn executed(device: u64, class: &'static str) {
    if is_watched() {
        *EXECUTED.lock().entry((device, class)).or_default() += 1;
    }
}

/// Events of execution by device and class.
#[must_use]
pub fn watched() -> BTreeMap<(u64, &'static str), u64> {
    EXECUTED.lock().clone()
}

pub(super) fn note(what: Fired) {
    tracing::info!(
        target: "lahar::faults",
        "device {} rule {}: {} at event {}", what.device, what.rule, what.fault, what.count
    );
    let mut fired = FIRED.lock();
    if fired.len() < MOST {
        fired.push(what);
    }
}

/// What fired, in order.
#[must_use]
pub fn fired() -> Vec<Fired> {
    FIRED.lock().clone()
}
