//! The instance and its physical device, as the C ABI sees them.

use crate::dispatch::{Dispatch, Owned};
use ash::vk;
use lahar::{memory, physical::registry::ExtensionSet};
use std::sync::Arc;

/// What the instance's objects share.
pub(crate) struct InstanceState {
    /// The minor version of Vulkan 1 that the application asked for.
    pub(crate) api_minor: u32,
    /// Enabled instance extensions.
    pub(crate) extensions: ExtensionSet,
}

/// An instance.
pub(crate) struct Instance {
    state: Arc<InstanceState>,
    /// The one physical device.
    pub(crate) physical: Owned<PhysicalDevice>,
}

/// The physical device.
pub(crate) struct PhysicalDevice {
    /// The instance's state.
    pub(crate) instance: Arc<InstanceState>,
    /// Heaps and memory types.
    pub(crate) memory: memory::Properties,
}

impl Instance {
    /// Makes an instance.
    pub(crate) fn new(state: InstanceState) -> Self {
        let state = Arc::new(state);
        let memory = memory::Properties::new(memory::Profile::default(), memory::host_limit());
        let physical = Owned::new(PhysicalDevice {
            instance: state.clone(),
            memory,
        });
        Self { state, physical }
    }
}

impl std::ops::Deref for Instance {
    type Target = InstanceState;
    fn deref(&self) -> &InstanceState {
        &self.state
    }
}

impl Dispatch for Instance {
    type Handle = vk::Instance;
}

impl Dispatch for PhysicalDevice {
    type Handle = vk::PhysicalDevice;
}
