//! Window system integration: surfaces and swapchains.
//!
//! A swapchain's images are engine images in linear rows. The queue that presents hands a finished image to the
//! surface's [`Target`] in its turn, so a window only ever shows finished images.
#![forbid(unsafe_code)]

mod headless;
mod stream;
mod surface;
mod swapchain;
mod wayland;
mod x11;

pub use headless::Headless;
pub use surface::{Surface, capabilities, formats, present_modes};
pub use swapchain::{Presentation, Ready, Swapchain, SwapchainDesc};
pub use wayland::Wayland;
pub use x11::{Flush, X11};

use crate::{memory::raw, vk};

/// What goes wrong between a device and a window system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The window has changed so that its swapchain no longer fits; or the swapchain was replaced.
    #[error("the swapchain no longer fits its surface")]
    OutOfDate,
    /// The window or its display is gone.
    #[error("the surface is lost")]
    SurfaceLost,
    /// Another swapchain uses the window.
    #[error("the window has a swapchain already")]
    WindowInUse,
    /// The device is lost.
    #[error("the device is lost")]
    DeviceLost,
    /// No image became available in time.
    #[error("no image is available")]
    Timeout,
    /// No image is available, and the application does not want to wait.
    #[error("no image is available now")]
    NotReady,
    /// The swapchain asks for what the surface does not offer.
    #[error("the surface does not offer this")]
    Unsupported,
    /// The images do not fit into memory.
    #[error("no memory for the images")]
    OutOfMemory,
}

impl Error {
    /// As Vulkan's code.
    pub fn to_vk(self) -> vk::Result {
        match self {
            Self::OutOfDate => vk::Result::ERROR_OUT_OF_DATE_KHR,
            Self::SurfaceLost => vk::Result::ERROR_SURFACE_LOST_KHR,
            Self::WindowInUse => vk::Result::ERROR_NATIVE_WINDOW_IN_USE_KHR,
            Self::DeviceLost => vk::Result::ERROR_DEVICE_LOST,
            Self::Timeout => vk::Result::TIMEOUT,
            Self::NotReady => vk::Result::NOT_READY,
            Self::Unsupported => vk::Result::ERROR_INITIALIZATION_FAILED,
            Self::OutOfMemory => vk::Result::ERROR_OUT_OF_DEVICE_MEMORY,
        }
    }
}

/// A finished image, as rows in memory.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// Address of the first row.
    pub address: u64,
    /// Bytes from one row to the next.
    pub row_pitch: u64,
    /// Width and height in texels of four bytes.
    pub extent: [u32; 2],
    /// Whether the window system should show it at the pace of its display.
    pub paced: bool,
}

/// Where a surface's images go.
pub trait Target: Send + Sync {
    /// The size of the window now; none if images decide it.
    ///
    /// # Errors
    /// [`Error::SurfaceLost`].
    fn extent(&self) -> Result<Option<[u32; 2]>, Error>;

    /// Formats that it shows, the preferred first.
    fn formats(&self) -> &'static [vk::Format];

    /// Shows an image; it may be written again when this returns.
    ///
    /// # Errors
    /// [`Error::SurfaceLost`].
    fn show(&self, frame: &Frame) -> Result<(), Error>;
}

/// Copies the rows of a frame to an address, without gaps.
fn copy_rows(frame: &Frame, to: u64) {
    let row = frame.extent[0] as usize * 4;
    for y in 0..u64::from(frame.extent[1]) {
        raw::copy(to + y * row as u64, frame.address + y * frame.row_pitch, row);
    }
}
