//! What can go wrong.
#![forbid(unsafe_code)]

use ash::vk;

/// An error of the demo.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// The device is gone; a new one may work.
    #[error("{0}: the device is lost")]
    DeviceLost(&'static str),
    /// A Vulkan command failed.
    #[error("{0}: {1:?}")]
    Vulkan(&'static str, vk::Result),
    /// There is no Vulkan loader.
    #[error("no Vulkan loader: {0}")]
    Loader(#[from] ash::LoadingError),
    /// What the scene needs is not there.
    #[error("{0}")]
    Missing(&'static str),
    /// A file cannot be written.
    #[error("{0}: {1}")]
    File(std::path::PathBuf, std::io::Error),
}

/// A result of the demo.
pub(crate) type Result<T = ()> = std::result::Result<T, Error>;

/// Turns a `VkResult` into an [`Error`] that names the command.
pub(crate) trait Named<T> {
    /// Adds the command's name.
    fn named(self, command: &'static str) -> Result<T>;
}

impl<T> Named<T> for std::result::Result<T, vk::Result> {
    fn named(self, command: &'static str) -> Result<T> {
        self.map_err(|result| match result {
            vk::Result::ERROR_DEVICE_LOST => Error::DeviceLost(command),
            other => Error::Vulkan(command, other),
        })
    }
}
