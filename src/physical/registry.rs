//! Shapes of the generated tables, and how to look things up in them.

use crate::generated::{
    commands::COMMANDS,
    extensions::EXTENSIONS,
    features::{BASIC, FEATURE_STRUCTS},
};
use std::ffi::CStr;

/// What a command is called on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Callable without an instance.
    Global,
    /// On an instance.
    Instance,
    /// On a physical device.
    PhysicalDevice,
    /// On a device, queue or command buffer.
    Device,
}

/// A command of Vulkan.
#[derive(Debug)]
pub struct Command {
    /// Its name in C.
    pub name: &'static str,
    /// What it is called on.
    pub level: Level,
    /// The minor version of Vulkan 1 that has it in its core.
    pub core: Option<u32>,
    /// The extensions that bring it.
    pub extensions: &'static [ExtensionId],
    /// Its legal success codes.
    pub successes: &'static [i32],
    /// Its legal error codes.
    pub errors: &'static [i32],
}

/// An extension of Vulkan.
#[derive(Debug)]
pub struct Extension {
    /// Its name.
    pub name: &'static CStr,
    /// Whether it extends the instance (else the device).
    pub instance: bool,
    /// Its revision in the registry.
    pub revision: u32,
    /// What it depends on, as the registry writes it.
    pub depends: &'static str,
    /// The minor version of Vulkan 1 that took it into its core.
    pub promoted: Option<u32>,
}

/// A structure of a `VkPhysicalDeviceFeatures2` chain.
#[derive(Debug)]
pub struct FeatureStruct {
    /// Its name in C.
    pub name: &'static str,
    /// Its `VkStructureType`.
    pub s_type: i32,
    /// The minor version of Vulkan 1 that has it in its core.
    pub core: Option<u32>,
    /// The extensions that bring it.
    pub extensions: &'static [ExtensionId],
    /// Its `VkBool32` members, which follow `pNext` without gaps.
    pub members: &'static [&'static str],
}

/// An index of the table of extensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ExtensionId(pub u16);

impl ExtensionId {
    /// Finds an extension by name.
    #[must_use]
    pub fn find(name: &CStr) -> Option<Self> {
        let index = EXTENSIONS
            .binary_search_by(|extension| extension.name.cmp(name))
            .ok()?;
        u16::try_from(index).ok().map(Self)
    }

    /// Its row of the table.
    #[must_use]
    pub fn info(self) -> &'static Extension {
        &EXTENSIONS[usize::from(self.0)]
    }
}

/// A set of extensions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExtensionSet(Vec<ExtensionId>);

impl ExtensionSet {
    /// Adds one.
    pub fn insert(&mut self, id: ExtensionId) {
        if let Err(at) = self.0.binary_search(&id) {
            self.0.insert(at, id);
        }
    }

    /// Whether it is in the set.
    #[must_use]
    pub fn contains(&self, id: ExtensionId) -> bool {
        self.0.binary_search(&id).is_ok()
    }

    /// Whether any of the list is in the set.
    #[must_use]
    pub fn contains_any(&self, ids: &[ExtensionId]) -> bool {
        ids.iter().any(|id| self.contains(*id))
    }
}

impl FromIterator<ExtensionId> for ExtensionSet {
    fn from_iter<T: IntoIterator<Item = ExtensionId>>(iter: T) -> Self {
        let mut set = Self::default();
        iter.into_iter().for_each(|id| set.insert(id));
        set
    }
}

/// The index of a command in the table of commands.
#[must_use]
pub fn command_index(name: &str) -> Option<usize> {
    COMMANDS.binary_search_by(|command| command.name.cmp(name)).ok()
}

/// A command by name.
#[must_use]
pub fn command(name: &str) -> Option<&'static Command> {
    command_index(name).map(|index| &COMMANDS[index])
}

/// A feature structure by its `VkStructureType`.
#[must_use]
pub fn feature_struct(s_type: i32) -> Option<&'static FeatureStruct> {
    let index = FEATURE_STRUCTS
        .binary_search_by_key(&s_type, |row| row.s_type)
        .ok()?;
    Some(&FEATURE_STRUCTS[index])
}

/// The names of `VkPhysicalDeviceFeatures`, in order.
#[must_use]
pub fn basic_features() -> &'static [&'static str] {
    &BASIC
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generated::extensions::id;

    #[test]
    fn tables_are_sorted_for_binary_search() {
        assert!(COMMANDS.is_sorted_by(|a, b| a.name < b.name));
        assert!(EXTENSIONS.is_sorted_by(|a, b| a.name < b.name));
        assert!(FEATURE_STRUCTS.is_sorted_by(|a, b| a.s_type < b.s_type));
    }

    #[test]
    fn lookups_find_what_the_registry_says() {
        let submit = command("vkQueueSubmit2KHR").expect("in the registry");
        assert_eq!(submit.extensions, [id::KHR_SYNCHRONIZATION2]);
        assert_eq!((submit.level, submit.core), (Level::Device, None));
        assert!(submit.errors.contains(&-4));
        assert!(command("vkNone").is_none());
        let swapchain = ExtensionId::find(c"VK_KHR_swapchain").expect("in the registry");
        assert_eq!(swapchain, id::KHR_SWAPCHAIN);
        assert!(!swapchain.info().instance);
        assert_eq!(
            feature_struct(1_000_573_000).map(|row| row.members.len()),
            Some(4)
        );
    }
}
