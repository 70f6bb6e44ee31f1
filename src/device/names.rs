//! Names that the application gave to objects (debug utils).

use parking_lot::RwLock;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Object names by type and handle value.
#[derive(Debug, Default)]
pub struct Names {
    names: RwLock<BTreeMap<(i32, u64), Arc<str>>>,
}

impl Names {
    /// Names an object; an empty name removes it. `object_type` is the raw `VkObjectType`.
    pub fn set(&self, object_type: i32, handle: u64, name: &str) {
        let mut names = self.names.write();
        if name.is_empty() {
            names.remove(&(object_type, handle));
        } else {
            names.insert((object_type, handle), name.into());
        }
    }

    /// The name of an object.
    #[must_use]
    pub fn get(&self, object_type: i32, handle: u64) -> Option<Arc<str>> {
        self.names.read().get(&(object_type, handle)).cloned()
    }

    /// Forgets an object that is destroyed; its name.
    pub fn take(&self, object_type: i32, handle: u64) -> Option<Arc<str>> {
        if self.names.read().is_empty() {
            return None;
        }
        self.names.write().remove(&(object_type, handle))
    }
}
