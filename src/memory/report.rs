//! Memory-report events: what `VK_EXT_device_memory_report` tells an application.
#![forbid(unsafe_code)]

use crate::vk;
use std::fmt;

/// Something that happened to device memory, the application's or internal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// What happened.
    pub kind: vk::DeviceMemoryReportEventTypeEXT,
    /// Identifies the allocation; the same from its first to its last event, and in every run. 0 for failures.
    pub memory_object_id: u64,
    /// Bytes.
    pub size: u64,
    /// Kind of the object that the memory is for.
    pub object_type: vk::ObjectType,
    /// Its handle, where it is known.
    pub object_handle: u64,
    /// Heap that the memory counts against.
    pub heap_index: u32,
}

/// Is told of each event, on the thread that caused it.
pub type Listener = Box<dyn Fn(&Event) + Send + Sync>;

/// Those who listen.
#[derive(Default)]
pub(super) struct Reports(Vec<Listener>);

impl Reports {
    pub(super) fn new(listeners: Vec<Listener>) -> Reports {
        Reports(listeners)
    }

    pub(super) fn emit(&self, event: &Event) {
        for listener in &self.0 {
            listener(event);
        }
    }
}

impl fmt::Debug for Reports {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Reports({} listeners)", self.0.len())
    }
}
