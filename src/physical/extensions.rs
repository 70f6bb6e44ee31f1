//! The extensions that Lahar offers. An extension is listed when all of it works.

use super::registry::ExtensionId;
use crate::generated::extensions::id;

/// Extensions of the instance.
pub const INSTANCE: &[ExtensionId] = &[id::KHR_GET_PHYSICAL_DEVICE_PROPERTIES2];

/// Extensions of the device.
pub const DEVICE: &[ExtensionId] = &[id::EXT_DEVICE_FAULT];
