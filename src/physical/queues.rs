//! Queue families.

use crate::{memory::Profile, vk};
use vk::QueueFlags as Q;

/// Bits that timestamps have.
pub const TIMESTAMP_BITS: u32 = 64;

/// A queue family.
#[derive(Clone, Copy, Debug)]
pub struct QueueFamily {
    /// What its queues can do.
    pub flags: Q,
    /// How many queues it has.
    pub count: u32,
}

const COMPUTE: Q = Q::from_raw(Q::COMPUTE.as_raw() | Q::TRANSFER.as_raw() | Q::SPARSE_BINDING.as_raw());
const ALL: Q = Q::from_raw(Q::GRAPHICS.as_raw() | COMPUTE.as_raw());

/// The queue families of a device: one for everything, and one for compute beside it where it is to look like a
/// discrete card.
#[must_use]
pub fn families(profile: Profile) -> &'static [QueueFamily] {
    match profile {
        Profile::Discrete => &[
            QueueFamily { flags: ALL, count: 2 },
            QueueFamily {
                flags: COMPUTE,
                count: 2,
            },
        ],
        Profile::Unified => &[QueueFamily { flags: ALL, count: 1 }],
    }
}

impl QueueFamily {
    /// As Vulkan's structure.
    pub fn to_vk(&self) -> vk::QueueFamilyProperties {
        vk::QueueFamilyProperties {
            queue_flags: self.flags,
            queue_count: self.count,
            timestamp_valid_bits: TIMESTAMP_BITS,
            min_image_transfer_granularity: vk::Extent3D {
                width: 1,
                height: 1,
                depth: 1,
            },
        }
    }
}
