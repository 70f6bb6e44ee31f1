//! The handle tables of a device, one a type of object.

/// All tables of a device.
#[derive(Default)]
pub(crate) struct Tables {}

impl Tables {
    /// Drops whatever the application has not destroyed, users before what they use.
    pub(crate) fn clear(&self) {}
}
