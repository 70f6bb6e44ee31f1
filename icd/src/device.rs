//! The device and its queues, as the C ABI sees them.

use crate::{
    dispatch::{Dispatch, Owned},
    instance::InstanceState,
    tables::Tables,
};
use ash::vk;
use lahar::{
    device::{self, Cause, CauseKind, Position},
    memory::Memory,
    physical::{features::Enabled, registry::ExtensionSet},
};
use parking_lot::Mutex;
use std::sync::Arc;

/// What the device's objects share.
pub(crate) struct DeviceState {
    /// The engine's device.
    pub(crate) engine: Arc<device::Device>,
    /// Its memory.
    pub(crate) memory: Arc<Memory>,
    /// The handles of its objects.
    pub(crate) tables: Tables,
    /// The minor version of Vulkan 1 that the application asked for.
    pub(crate) api_minor: u32,
    /// Enabled device extensions.
    pub(crate) extensions: ExtensionSet,
    /// Enabled features.
    pub(crate) features: Enabled,
    /// Extensions of the instance, some of which bring commands of devices.
    pub(crate) instance_extensions: ExtensionSet,
    /// Whether `deviceFaultVendorBinary` is enabled.
    pub(crate) fault_binary: bool,
    /// The instance.
    pub(crate) instance: Arc<InstanceState>,
}

/// A device.
pub(crate) struct Device {
    /// What its objects share; they hold it too.
    pub(crate) state: Arc<DeviceState>,
    /// Its queues.
    pub(crate) queues: Vec<Owned<Queue>>,
}

/// A queue.
pub(crate) struct Queue {
    /// The device's state.
    pub(crate) device: Arc<DeviceState>,
    /// Its place in the engine's list of queues.
    pub(crate) index: usize,
    /// The flags that it was created with.
    pub(crate) flags: vk::DeviceQueueCreateFlags,
    /// Debug labels that are open on the queue, outermost first.
    pub(crate) labels: Mutex<Vec<String>>,
}

impl DeviceState {
    /// Loses the device because the driver itself failed.
    pub(crate) fn lose(&self, message: &str) {
        self.instance.messengers.send(
            vk::DebugUtilsMessageSeverityFlagsEXT::ERROR,
            vk::DebugUtilsMessageTypeFlagsEXT::GENERAL,
            "lahar-internal",
            message,
        );
        self.engine
            .lose(Cause::new(CauseKind::Internal, Position::default(), message));
    }
}

impl Queue {
    /// The engine's queue.
    pub(crate) fn engine(&self) -> &device::Queue {
        &self.device.engine.queues()[self.index]
    }
}

impl std::ops::Deref for Device {
    type Target = DeviceState;
    fn deref(&self) -> &DeviceState {
        &self.state
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        self.engine.shut_down();
        self.tables.clear();
    }
}

impl Dispatch for Device {
    type Handle = vk::Device;
    fn blame(&self, message: &str) {
        self.lose(message);
    }
}

impl Dispatch for Queue {
    type Handle = vk::Queue;
    fn blame(&self, message: &str) {
        self.device.lose(message);
    }
}
