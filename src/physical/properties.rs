//! Who the device is.

use super::{API_VERSION, limits::limits};
use crate::vk;

/// The driver's version as a packed Vulkan version.
pub const DRIVER_VERSION: u32 = vk::make_api_version(0, 0, 1, 0);
/// The vendor: none has been registered, so the number lies beyond all that are (which are PCI's 16 bits, or
/// 0x10000 and a few).
pub const VENDOR_ID: u32 = 0x1A4A_0000;
/// The device of that vendor.
pub const DEVICE_ID: u32 = 1;
/// The device's name.
pub const DEVICE_NAME: &str = "Lahar";
/// The driver's name.
pub const DRIVER_NAME: &str = "Lahar";
/// Invocations of a subgroup, on every host.
pub const SUBGROUP_SIZE: u32 = 8;

/// The properties of Vulkan 1.0 of a device of this name.
pub fn properties(name: &str) -> vk::PhysicalDeviceProperties {
    let mut properties = vk::PhysicalDeviceProperties {
        api_version: API_VERSION,
        driver_version: DRIVER_VERSION,
        vendor_id: VENDOR_ID,
        device_id: DEVICE_ID,
        device_type: vk::PhysicalDeviceType::CPU,
        limits: limits(),
        pipeline_cache_uuid: uuid("pipeline cache"),
        ..Default::default()
    };
    let last = properties.device_name.len() - 1;
    for (slot, byte) in properties.device_name[..last].iter_mut().zip(name.bytes()) {
        *slot = byte.cast_signed();
    }
    properties
}

/// An identifier of something in this version of Lahar: the same on every machine.
#[must_use]
pub fn uuid(what: &str) -> [u8; vk::UUID_SIZE] {
    let text = format!("lahar {} {what}", env!("CARGO_PKG_VERSION"));
    let mut uuid = [0; vk::UUID_SIZE];
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for half in uuid.chunks_exact_mut(8) {
        for byte in text.bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        half.copy_from_slice(&hash.to_le_bytes());
    }
    uuid
}
