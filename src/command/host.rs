//! Copies that the calling thread makes itself: between its memory and images, and between images.

use super::live::LiveMemory;
use super::transfer::{self, BufferImageCopy, ImageCopy, Region};
use crate::device::Device;

/// A region of such a copy. The side that is no image lies in the application's own memory.
#[derive(Clone, Copy, Debug)]
pub enum HostCopy {
    /// From memory.
    ToImage(BufferImageCopy),
    /// To memory.
    ToMemory(BufferImageCopy),
    /// Between images.
    Between(ImageCopy),
}

/// The memory of an image is not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an image of a host copy has no memory")]
pub struct NoMemory;

/// Copies, if the images have memory.
///
/// # Errors
/// [`NoMemory`]: nothing of the region was copied.
pub fn copy_on_host(device: &Device, copy: &HostCopy) -> Result<(), NoMemory> {
    let workers = device.workers();
    let mut live = LiveMemory::default();
    let mut check = |region: &Region, write| {
        let span = region.span();
        live.check(device, span.address, span.size, write)
            .map_err(|_| NoMemory)
    };
    let done = match copy {
        HostCopy::ToImage(copy) => {
            check(&copy.image, true)?;
            transfer::copy_to_image(copy, workers)
        }
        HostCopy::ToMemory(copy) => {
            check(&copy.image, false)?;
            transfer::copy_to_buffer(copy, workers)
        }
        HostCopy::Between(copy) => {
            check(&copy.src, false)?;
            check(&copy.dst, true)?;
            transfer::copy_image(copy, workers)
        }
    };
    done.map_err(|_| NoMemory)
}
