//! The device and its queues, as the C ABI sees them.

use crate::{
    binding::Binding,
    dispatch::{Dispatch, End, Owned},
    entry::{external::Temporary, private_data::PrivateData},
    hook::Scene,
    host::{Callbacks, HostBlock},
    instance::InstanceState,
    offer::Offer,
    tables::Tables,
};
use ash::vk;
use lahar::{
    descriptor::Captures,
    device::{self, Cause, CauseKind, Position},
    memory::Memory,
    physical::{features::Enabled, registry::ExtensionSet},
};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

/// What the device's objects share.
pub(crate) struct DeviceState {
    /// The engine's device.
    pub(crate) engine: Arc<device::Device>,
    /// Its memory.
    pub(crate) memory: Arc<Memory>,
    /// The handles of its objects.
    pub(crate) tables: Tables,
    /// Numbers that the application attached to objects.
    pub(crate) private_data: PrivateData,
    /// The identities of objects that are captured and replayed.
    pub(crate) captures: Arc<Captures>,
    /// Custom border colours that are registered, by index.
    pub(crate) border_colors: Mutex<BTreeMap<u32, [u32; 4]>>,
    /// The minor version of Vulkan 1 that the application asked for.
    pub(crate) api_minor: u32,
    /// Enabled device extensions.
    pub(crate) extensions: ExtensionSet,
    /// Enabled features.
    pub(crate) features: Enabled,
    /// Extensions of the instance, some of which bring commands of devices.
    pub(crate) instance_extensions: ExtensionSet,
    /// Whether the application has been told of a loss.
    pub(crate) loss_told: AtomicBool,
    /// Debug labels that are open on queues, outermost first, by their place in the engine's list.
    pub(crate) queue_labels: Mutex<BTreeMap<usize, Vec<String>>>,
    /// The instance.
    pub(crate) instance: Arc<InstanceState>,
    /// What the physical device offers: rules that are armed here may hide some.
    pub(crate) offer: Arc<Offer>,
    /// What temporary imports stand in for.
    pub(crate) temporary: Temporary,
    /// The application's allocator for objects that have none of their own.
    pub(crate) callbacks: Option<Callbacks>,
}

/// A device.
pub(crate) struct Device {
    /// What its objects share; they hold it too.
    pub(crate) state: Arc<DeviceState>,
    /// Its queues.
    pub(crate) queues: Vec<Owned<Queue>>,
    /// The application's host memory for it.
    pub(crate) host: Option<HostBlock>,
}

/// A queue.
pub(crate) struct Queue {
    /// The device's state.
    pub(crate) device: Arc<DeviceState>,
    /// Its place in the engine's list of queues.
    pub(crate) index: usize,
    /// The flags that it was created with.
    pub(crate) flags: vk::DeviceQueueCreateFlags,
}

impl DeviceState {
    /// Remembers that a resource is destroyed.
    pub(crate) fn bury(&self, kind: vk::ObjectType, handle: u64) {
        if handle != 0 {
            self.private_data.forget(kind, handle);
            let name = self.engine.names().take(kind.as_raw(), handle);
            let gone = self.memory.history().destroyed(kind, handle, name.clone());
            if let Some((address, size)) = gone {
                let name = name.as_deref();
                self.report_unbind(Binding {
                    kind,
                    handle,
                    name,
                    address,
                    size,
                });
            }
        }
    }

    /// Has the physical device hide what the rules that stand here ask for.
    pub(crate) fn hide(&self) {
        let plan = self.engine.plan();
        self.offer.hide(plan.generation(), || plan.hidden());
    }

    /// Learns how a command ended: a panic of the driver loses the device; the application hears of a loss once.
    pub(crate) fn note(&self, end: End<'_>) {
        match end {
            End::Panic(message) => {
                self.engine
                    .lose(Cause::new(CauseKind::Internal, Position::default(), message));
                // The command returns the loss, which must be complete by then.
                self.engine.wait_lost();
            }
            End::Lost => {
                if self.loss_told.swap(true, Ordering::Relaxed) {
                    return;
                }
                let cause = self.engine.loss().cause();
                self.instance.messengers.send(
                    vk::DebugUtilsMessageSeverityFlagsEXT::ERROR,
                    vk::DebugUtilsMessageTypeFlagsEXT::GENERAL,
                    "lahar-device-lost",
                    cause
                        .as_ref()
                        .map_or("the device is lost", |cause| &cause.message),
                );
            }
        }
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
        crate::journal::destroyed(&self.state, self.tables.live());
        if self.instance.config.leaks {
            crate::leaks::report(&self.state);
        }
        self.engine.shut_down();
        self.engine.disarm(0);
        self.hide();
        self.tables.clear();
    }
}

impl Dispatch for Device {
    type Handle = vk::Device;
    fn note(&self, end: End<'_>) {
        self.state.note(end);
    }
    fn scene(&self) -> Option<Scene<'_>> {
        Some(Scene::Device(&self.state, None))
    }
}

impl Dispatch for Queue {
    type Handle = vk::Queue;
    fn note(&self, end: End<'_>) {
        self.device.note(end);
    }
    fn scene(&self) -> Option<Scene<'_>> {
        Some(Scene::Device(&self.device, Some(self.index)))
    }
}
