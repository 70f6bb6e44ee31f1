//! A surface without a window: images are presented to nobody.

use super::{Error, Frame, Target};
use crate::vk;

/// The target of `VK_EXT_headless_surface`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Headless;

impl Target for Headless {
    fn extent(&self) -> Result<Option<[u32; 2]>, Error> {
        Ok(None)
    }

    fn formats(&self) -> &'static [vk::Format] {
        &[
            vk::Format::B8G8R8A8_UNORM,
            vk::Format::B8G8R8A8_SRGB,
            vk::Format::R8G8B8A8_UNORM,
            vk::Format::R8G8B8A8_SRGB,
        ]
    }

    fn show(&self, _frame: &Frame) -> Result<(), Error> {
        Ok(())
    }
}
