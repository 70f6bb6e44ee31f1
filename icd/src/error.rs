//! How entry points fail.

use ash::vk;

/// The failure of a command, as the code it returns. Engine errors convert into it (`impl From` beside their use).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Error(pub(crate) vk::Result);

/// What the body of an entry point gives.
pub(crate) type Answer<T = ()> = Result<T, Error>;

impl Error {
    /// A handle that names no live object.
    pub(crate) const STALE: Self = Self(vk::Result::ERROR_UNKNOWN);
    /// A required pointer is null.
    pub(crate) const NULL: Self = Self(vk::Result::ERROR_UNKNOWN);
}

impl From<vk::Result> for Error {
    fn from(result: vk::Result) -> Self {
        Self(result)
    }
}
