//! Queue families.

use crate::vk;
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

/// The families: one for everything, one for compute beside it, as discrete cards have.
pub const QUEUE_FAMILIES: [QueueFamily; 2] = [
    QueueFamily {
        flags: Q::from_raw(Q::GRAPHICS.as_raw() | Q::COMPUTE.as_raw() | Q::TRANSFER.as_raw()),
        count: 2,
    },
    QueueFamily {
        flags: Q::from_raw(Q::COMPUTE.as_raw() | Q::TRANSFER.as_raw()),
        count: 2,
    },
];

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
