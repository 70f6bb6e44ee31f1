//! The instance and its physical device, as the C ABI sees them.

use crate::{
    device::Device,
    dispatch::{Dispatch, Owned, Retired},
    hook::Scene,
    host::{Callbacks, HostBlock},
    messenger::{Messenger, Messengers},
    offer::Offer,
    table::Table,
};
use ash::vk;
use lahar::{
    config::Config,
    fault::plan::{Hidden, Plan},
    memory,
    physical::{queues::QueueFamily, registry::ExtensionSet},
    wsi::Surface,
};
use std::sync::Arc;

/// What the instance's objects share.
pub(crate) struct InstanceState {
    /// The minor version of Vulkan 1 that the application asked for.
    pub(crate) api_minor: u32,
    /// Enabled instance extensions.
    pub(crate) extensions: ExtensionSet,
    /// What the environment asked for.
    pub(crate) config: Config,
    /// Who the application says it is.
    pub(crate) application: Application,
    /// Who is told of messages.
    pub(crate) messengers: Messengers,
    /// Their handles.
    pub(crate) messenger_handles: Table<vk::DebugUtilsMessengerEXT, Messenger>,
    /// Its surfaces.
    pub(crate) surfaces: Table<vk::SurfaceKHR, Surface>,
    /// The application's allocator for objects that have none of their own.
    pub(crate) callbacks: Option<Callbacks>,
    /// Where its devices were.
    pub(crate) retired: Retired<Device>,
}

/// `VkApplicationInfo`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Application {
    pub(crate) name: String,
    pub(crate) version: u32,
    pub(crate) engine_name: String,
    pub(crate) engine_version: u32,
    pub(crate) api_version: u32,
}

/// An instance.
pub(crate) struct Instance {
    state: Arc<InstanceState>,
    /// The one physical device.
    pub(crate) physical: Owned<PhysicalDevice>,
    /// The application's host memory for it.
    pub(crate) host: Option<HostBlock>,
}

/// The physical device.
pub(crate) struct PhysicalDevice {
    /// The instance's state.
    pub(crate) instance: Arc<InstanceState>,
    /// Heaps and memory types.
    pub(crate) memory: memory::Properties,
    /// What it hides.
    pub(crate) offer: Arc<Offer>,
    /// What its devices use of them.
    pub(crate) memory_usage: Arc<memory::Usage>,
}

impl Instance {
    /// Makes an instance.
    pub(crate) fn new(state: InstanceState, host: Option<HostBlock>) -> Self {
        let state = Arc::new(state);
        let profile = &state.config.profile;
        let mut memory = profile.memory(memory::host_limit());
        let plan = state.config.plan.as_deref();
        for (heap, bytes) in plan.into_iter().flat_map(Plan::budgets) {
            if let Some(heap) = memory.heaps.get_mut(heap as usize) {
                heap.size = heap.size.min(bytes);
            }
        }
        let mut hidden = profile.hidden.clone();
        hidden.merge(&plan.map(Plan::hidden).unwrap_or_default());
        let physical = Owned::new(PhysicalDevice {
            instance: state.clone(),
            memory,
            offer: Arc::new(Offer::new(hidden)),
            memory_usage: memory::Usage::of_process(),
        });
        Self {
            state,
            physical,
            host,
        }
    }
}

impl PhysicalDevice {
    /// What it hides now.
    pub(crate) fn hidden(&self) -> Arc<Hidden> {
        self.offer.hidden()
    }

    /// Its queue families.
    pub(crate) fn families(&self) -> &[QueueFamily] {
        self.instance.config.profile.families()
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
    fn scene(&self) -> Option<Scene<'_>> {
        Some(Scene::Instance(self))
    }
}

impl Dispatch for PhysicalDevice {
    type Handle = vk::PhysicalDevice;
    fn scene(&self) -> Option<Scene<'_>> {
        Some(Scene::Instance(&self.instance))
    }
}
