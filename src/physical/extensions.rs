//! The extensions that Lahar offers. An extension is listed when all of it works.

use super::registry::ExtensionId;
use crate::generated::extensions::id;

/// Extensions of the instance.
pub const INSTANCE: &[ExtensionId] = &[
    id::EXT_DEBUG_UTILS,
    id::EXT_HEADLESS_SURFACE,
    id::KHR_DEVICE_GROUP_CREATION,
    id::KHR_EXTERNAL_FENCE_CAPABILITIES,
    id::KHR_EXTERNAL_MEMORY_CAPABILITIES,
    id::KHR_EXTERNAL_SEMAPHORE_CAPABILITIES,
    id::KHR_GET_PHYSICAL_DEVICE_PROPERTIES2,
    id::KHR_GET_SURFACE_CAPABILITIES2,
    id::KHR_SURFACE,
    id::KHR_XCB_SURFACE,
    id::KHR_XLIB_SURFACE,
];

/// Extensions of the device.
pub const DEVICE: &[ExtensionId] = &[
    id::EXT_DEVICE_FAULT,
    id::KHR_BIND_MEMORY2,
    id::KHR_DEDICATED_ALLOCATION,
    id::KHR_DESCRIPTOR_UPDATE_TEMPLATE,
    id::KHR_GET_MEMORY_REQUIREMENTS2,
    id::KHR_IMAGE_FORMAT_LIST,
    id::KHR_MAINTENANCE3,
    id::KHR_SWAPCHAIN,
];
