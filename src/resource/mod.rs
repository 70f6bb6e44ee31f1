//! Resources as memory: formats, images and their layout, buffers, views, samplers.
#![forbid(unsafe_code)]

mod buffer;
mod conversion;
pub mod format;
mod image;
mod layout;
mod sampler;
mod sparse;
mod view;

pub use buffer::{Buffer, BufferInfo, BufferView, buffer_descriptor, texel_descriptor};
pub use conversion::Conversion;
pub use image::{Image, ImageInfo, Subresource};
pub use layout::{ImageLayout, Level, Plane};
pub use sampler::{Sampler, SamplerInfo};
pub use sparse::{may_be_resident_in_part, sparse_format};
pub use view::{ImageView, ImageViewInfo};

use crate::vk;

/// Alignment of buffers and images in memory.
pub const ALIGNMENT: u64 = 64;
/// Most bytes of an image (`maxResourceSize`): compiled code uses offsets of 32 bits.
pub const MAX_IMAGE_SIZE: u64 = 1 << 31;
/// Size of a resource beyond which it cannot exist at all.
const MAX_SIZE: u64 = crate::memory::WINDOW_SIZE / 2;

/// Why a resource could not be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The format is not known, or not for this use.
    #[error("format {0:?} is not supported here")]
    Format(vk::Format),
    /// No memory could hold it.
    #[error("the resource is too large")]
    TooLarge,
    /// A parameter is outside of what was promised.
    #[error("{0} is not supported")]
    Unsupported(&'static str),
}

impl From<Error> for vk::Result {
    fn from(e: Error) -> vk::Result {
        match e {
            Error::Format(_) | Error::Unsupported(_) => vk::Result::ERROR_UNKNOWN,
            Error::TooLarge => vk::Result::ERROR_OUT_OF_DEVICE_MEMORY,
        }
    }
}

/// What memory a resource of `size` bytes needs, of any type.
fn requirements(size: u64, types: u32, alignment: u64) -> vk::MemoryRequirements {
    vk::MemoryRequirements {
        size: size.next_multiple_of(alignment),
        alignment,
        memory_type_bits: types,
    }
}
