//! Command buffers: their states and what begins and ends a recording.

use super::{CommandList, Recorder};
use crate::device::BufferId;
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// How a command buffer may be used, from `VkCommandBufferBeginInfo`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Begin {
    /// It may be submitted once.
    pub one_time: bool,
    /// Views of the subpass that a secondary command buffer continues.
    pub view_mask: u32,
    /// A secondary command buffer that runs inside a render pass.
    pub inside_pass: bool,
    /// The byte that undefined contents get, if it is asked for.
    pub poison: Option<u8>,
}

#[derive(Debug)]
enum State {
    Initial,
    Recording(Recorder),
    Executable(Arc<CommandList>),
    Invalid,
}

#[derive(Debug)]
struct Inner {
    state: State,
    one_time: bool,
    /// A list that is not in use any more, for its memory.
    spare: Option<Arc<CommandList>>,
}

/// A command buffer. A submission takes the recorded list, so the command buffer can be recorded anew without
/// regard to what is still running.
#[derive(Debug)]
pub struct CommandBuffer {
    number: u64,
    secondary: bool,
    handle: AtomicU64,
    inner: Mutex<Inner>,
}

impl CommandBuffer {
    /// A command buffer in the initial state; `number` tells it from others of the device.
    #[must_use]
    pub fn new(number: u64, secondary: bool) -> CommandBuffer {
        CommandBuffer {
            number,
            secondary,
            handle: AtomicU64::new(0),
            inner: Mutex::new(Inner {
                state: State::Initial,
                one_time: false,
                spare: None,
            }),
        }
    }

    /// Whether it is a secondary one.
    #[must_use]
    pub fn is_secondary(&self) -> bool {
        self.secondary
    }

    /// Tells it its raw handle.
    pub fn set_handle(&self, handle: u64) {
        self.handle.store(handle, Ordering::Relaxed);
    }

    /// Starts a recording; what was recorded is dropped.
    pub fn begin(&self, begin: Begin) {
        let mut inner = self.inner.lock();
        inner.retire();
        let spare = inner.spare.take().and_then(|list| Arc::try_unwrap(list).ok());
        let mut list = spare.unwrap_or_default();
        list.clear();
        list.id = BufferId {
            number: self.number,
            handle: self.handle.load(Ordering::Relaxed),
            secondary: self.secondary,
        };
        inner.one_time = begin.one_time;
        inner.state = State::Recording(Recorder::new(list, begin));
    }

    /// Ends the recording.
    pub fn end(&self) {
        let mut inner = self.inner.lock();
        if let State::Recording(recorder) = std::mem::replace(&mut inner.state, State::Invalid) {
            inner.state = State::Executable(Arc::new(recorder.finish()));
        }
    }

    /// Goes back to the initial state; `release` gives memory back.
    pub fn reset(&self, release: bool) {
        let mut inner = self.inner.lock();
        inner.retire();
        inner.state = State::Initial;
        if release {
            inner.spare = None;
        }
    }

    /// Records commands. Outside a recording, which is not valid, nothing happens.
    pub fn record<T>(&self, f: impl FnOnce(&mut Recorder) -> T) -> Option<T> {
        match &mut self.inner.lock().state {
            State::Recording(recorder) => Some(f(recorder)),
            _ => None,
        }
    }

    /// What was recorded.
    #[must_use]
    pub fn list(&self) -> Option<Arc<CommandList>> {
        match &self.inner.lock().state {
            State::Executable(list) => Some(list.clone()),
            _ => None,
        }
    }

    /// What was recorded, for a submission: a one-time command buffer becomes invalid.
    #[must_use]
    pub fn take_for_submit(&self) -> Option<Arc<CommandList>> {
        let mut inner = self.inner.lock();
        let State::Executable(list) = &inner.state else {
            return None;
        };
        let list = list.clone();
        if inner.one_time {
            inner.spare = Some(list.clone());
            inner.state = State::Invalid;
        }
        Some(list)
    }
}

impl Inner {
    /// Keeps the memory of what was recorded.
    fn retire(&mut self) {
        let list = match std::mem::replace(&mut self.state, State::Initial) {
            State::Executable(list) => list,
            State::Recording(recorder) => Arc::new(recorder.finish()),
            State::Initial | State::Invalid => return,
        };
        self.spare = Some(match Arc::try_unwrap(list) {
            Ok(mut list) => {
                list.clear();
                Arc::new(list)
            }
            Err(shared) => shared,
        });
    }
}
