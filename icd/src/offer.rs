//! What the physical device does not offer: by profile and plan, and as long as rules stand that its devices are armed with.

use lahar::fault::plan::Hidden;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What is hidden.
#[derive(Debug)]
pub(crate) struct Offer {
    /// From the start to the end.
    always: Hidden,
    armed: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// What the rules of each device hide.
    by_device: BTreeMap<u64, Hidden>,
    /// All together.
    now: Arc<Hidden>,
}

impl Offer {
    /// What profile and plan hide.
    pub(crate) fn new(always: Hidden) -> Offer {
        let now = Arc::new(always.clone());
        let by_device = BTreeMap::new();
        Offer {
            always,
            armed: Mutex::new(State { by_device, now }),
        }
    }

    /// What is hidden now.
    pub(crate) fn hidden(&self) -> Arc<Hidden> {
        self.armed.lock().now.clone()
    }

    /// Hides what the rules of a device ask for, in place of what they asked for before.
    pub(crate) fn hide(&self, device: u64, hidden: impl FnOnce() -> Hidden) {
        let mut state = self.armed.lock();
        let hidden = hidden();
        let before = state.by_device.remove(&device);
        if before.is_none() && hidden.is_empty() {
            return;
        }
        if !hidden.is_empty() {
            state.by_device.insert(device, hidden);
        }
        let mut now = self.always.clone();
        state.by_device.values().for_each(|hidden| now.merge(hidden));
        state.now = Arc::new(now);
    }
}
