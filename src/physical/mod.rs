//! What the device claims: features, properties, limits, queue families, formats.
#![forbid(unsafe_code)]

pub mod extensions;
pub mod features;
pub mod image_formats;
pub mod limits;
pub mod properties;
pub mod queues;
pub mod registry;

use crate::vk;

/// The minor version of Vulkan 1 that the device offers.
pub const API_MINOR: u32 = 4;

/// The version of Vulkan that instance and device offer. The patch is that of the headers in use.
pub const API_VERSION: u32 = vk::make_api_version(0, 1, API_MINOR, vk::HEADER_VERSION);
