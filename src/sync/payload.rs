//! Where the counters of a semaphore or fence are: in the object, or on a page that other processes share.

use crate::device::Device;
use crate::memory::SharedPage;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Weak};

/// What a page holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Binary = 1,
    Timeline = 2,
    Fence = 3,
}

/// The counters.
#[derive(Debug)]
pub(super) enum Payload {
    Own([AtomicU64; 3]),
    Shared(Arc<SharedPage>),
}

impl Payload {
    /// Counters of this process's own.
    pub(super) fn own() -> Payload {
        Payload::Own(Default::default())
    }

    /// Counters that can be exported; none if the system has no memory for them.
    pub(super) fn shared(kind: Kind) -> Option<Payload> {
        SharedPage::new(kind as u64)
            .ok()
            .map(Arc::new)
            .map(Payload::Shared)
    }

    /// Counters that were exported elsewhere.
    pub(super) fn import(fd: BorrowedFd<'_>, kind: Kind) -> Option<Payload> {
        SharedPage::import(fd, kind as u64)
            .ok()
            .map(Arc::new)
            .map(Payload::Shared)
    }

    /// One of them.
    #[inline]
    pub(super) fn cell(&self, index: usize) -> &AtomicU64 {
        match self {
            Payload::Own(cells) => &cells[index],
            Payload::Shared(page) => page.cell(index),
        }
    }

    /// Whether others can change it.
    pub(super) fn is_shared(&self) -> bool {
        matches!(self, Payload::Shared(_))
    }

    /// Tells other processes of a change.
    pub(super) fn changed(&self) {
        if let Payload::Shared(page) = self {
            page.changed();
        }
    }

    /// A descriptor of the page.
    pub(super) fn export(&self) -> Option<OwnedFd> {
        match self {
            Payload::Own(_) => None,
            Payload::Shared(page) => page.file().export().ok(),
        }
    }
}

/// A thread that tells a device of changes that others make.
#[derive(Debug, Default)]
pub(super) struct Watch(parking_lot::Mutex<Option<Watcher>>);

#[derive(Debug)]
struct Watcher {
    page: Arc<SharedPage>,
    over: Arc<AtomicBool>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Watch {
    /// Starts it, if there is anything to watch and it does not run yet.
    pub(super) fn start(&self, device: &Arc<Device>, payload: &Payload) {
        let (Payload::Shared(page), mut watcher) = (payload, self.0.lock()) else {
            return;
        };
        if watcher.is_some() {
            return;
        }
        let over = Arc::new(AtomicBool::new(false));
        let (end, watched, device) = (over.clone(), page.clone(), Arc::downgrade(device));
        let run = move || watch(&end, &watched, &device);
        let thread = std::thread::Builder::new()
            .name("lahar-external".to_owned())
            .spawn(run);
        *watcher = Some(Watcher {
            page: page.clone(),
            over,
            thread: thread.ok(),
        });
    }
}

fn watch(over: &AtomicBool, page: &SharedPage, device: &Weak<Device>) {
    loop {
        let seen = page.latest();
        if over.load(Ordering::SeqCst) {
            return;
        }
        match device.upgrade() {
            Some(device) => device.hub().notify(),
            None => return,
        }
        page.wait_beyond(seen);
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        self.over.store(true, Ordering::SeqCst);
        self.page.changed();
        // Where the last owner of the device is the thread itself it must not wait for itself.
        let thread = self
            .thread
            .take()
            .filter(|t| t.thread().id() != std::thread::current().id());
        thread.into_iter().for_each(|thread| drop(thread.join()));
    }
}
