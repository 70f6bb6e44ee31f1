//! Messages of the driver itself to the application (debug utils).

use ash::vk;
use parking_lot::RwLock;
use std::{
    ffi::{CString, c_void},
    sync::Arc,
};

/// Whom the application wants told.
pub(crate) struct Messenger {
    severities: vk::DebugUtilsMessageSeverityFlagsEXT,
    types: vk::DebugUtilsMessageTypeFlagsEXT,
    callback: vk::PFN_vkDebugUtilsMessengerCallbackEXT,
    user_data: *mut c_void,
}

// SAFETY: the user's pointer is only handed back; Vulkan asks the callback to work on any thread.
unsafe impl Send for Messenger {}
// SAFETY: as above.
unsafe impl Sync for Messenger {}

impl Messenger {
    /// What the application asks for.
    pub(crate) fn new(info: &vk::DebugUtilsMessengerCreateInfoEXT<'_>) -> Self {
        Self {
            severities: info.message_severity,
            types: info.message_type,
            callback: info.pfn_user_callback,
            user_data: info.p_user_data,
        }
    }
}

/// All messengers of an instance.
#[derive(Default)]
pub(crate) struct Messengers(RwLock<Vec<Arc<Messenger>>>);

impl Messengers {
    /// Adds one.
    pub(crate) fn add(&self, messenger: Arc<Messenger>) {
        self.0.write().push(messenger);
    }

    /// Removes one.
    pub(crate) fn remove(&self, messenger: &Arc<Messenger>) {
        self.0.write().retain(|other| !Arc::ptr_eq(other, messenger));
    }

    /// Whether anybody listens.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.read().is_empty()
    }

    /// Tells all who want such a message. `id` names the sort of message. An error that nobody listens for goes
    /// to standard error: silence would leave its cause a riddle.
    pub(crate) fn send(
        &self,
        severity: vk::DebugUtilsMessageSeverityFlagsEXT,
        types: vk::DebugUtilsMessageTypeFlagsEXT,
        id: &str,
        message: &str,
    ) {
        if self.is_empty() {
            if severity.contains(vk::DebugUtilsMessageSeverityFlagsEXT::ERROR) {
                eprintln!("lahar: {message}");
            }
            return;
        }
        let text = |text: &str| CString::new(text.replace('\0', " ")).unwrap_or_default();
        let (id, message) = (text(id), text(message));
        let data = vk::DebugUtilsMessengerCallbackDataEXT::default()
            .message_id_name(&id)
            .message(&message);
        self.forward(severity, types, &data);
    }

    /// Tells all who want such a message; the application may have made it.
    pub(crate) fn forward(
        &self,
        severity: vk::DebugUtilsMessageSeverityFlagsEXT,
        types: vk::DebugUtilsMessageTypeFlagsEXT,
        data: &vk::DebugUtilsMessengerCallbackDataEXT<'_>,
    ) {
        // A callback may make or destroy messengers, so the lock is not held meanwhile.
        let messengers = self.0.read().clone();
        for messenger in messengers {
            let wanted = messenger.severities.contains(severity) && messenger.types.intersects(types);
            if let (true, Some(callback)) = (wanted, messenger.callback) {
                // SAFETY: the application gave the function for such calls; the data live while it runs.
                unsafe { callback(severity, types, data, messenger.user_data) };
            }
        }
    }
}
