//! `VK_EXT_device_address_binding_report`: messengers are told which object has which addresses.

use crate::device::DeviceState;
use ash::vk;
use std::ffi::{CString, c_void};

/// A range of addresses and the object that it belongs to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Binding<'a> {
    /// Kind of the object.
    pub(crate) kind: vk::ObjectType,
    /// Its handle.
    pub(crate) handle: u64,
    /// What the application calls it.
    pub(crate) name: Option<&'a str>,
    /// First address.
    pub(crate) address: u64,
    /// Bytes.
    pub(crate) size: u64,
}

impl DeviceState {
    /// Tells that an object gets its addresses; `hidden` while the application does not know its handle.
    pub(crate) fn report_bind(&self, binding: Binding<'_>, hidden: bool) {
        self.report_binding(binding, vk::DeviceAddressBindingTypeEXT::BIND, hidden);
    }

    /// Tells that an object loses its addresses.
    pub(crate) fn report_unbind(&self, binding: Binding<'_>) {
        self.report_binding(binding, vk::DeviceAddressBindingTypeEXT::UNBIND, false);
    }

    fn report_binding(&self, binding: Binding<'_>, what: vk::DeviceAddressBindingTypeEXT, hidden: bool) {
        let messengers = &self.instance.messengers;
        if messengers.is_empty() || !self.features.has("reportAddressBinding") {
            return;
        }
        let bound = what == vk::DeviceAddressBindingTypeEXT::BIND;
        let message = format!(
            "{:?} {:#x} {} {:#x}, {:#x} bytes",
            binding.kind,
            binding.handle,
            if bound {
                "has addresses from"
            } else {
                "no longer has addresses from"
            },
            binding.address,
            binding.size,
        );
        let text = |text: &str| CString::new(text.replace('\0', " ")).unwrap_or_default();
        let (message, name) = (text(&message), binding.name.map(text));
        let mut object = vk::DebugUtilsObjectNameInfoEXT {
            object_type: binding.kind,
            object_handle: binding.handle,
            ..Default::default()
        };
        if let Some(name) = &name {
            object = object.object_name(name);
        }
        let objects = [object];
        let flags = if hidden {
            vk::DeviceAddressBindingFlagsEXT::INTERNAL_OBJECT
        } else {
            vk::DeviceAddressBindingFlagsEXT::empty()
        };
        let report = vk::DeviceAddressBindingCallbackDataEXT {
            flags,
            base_address: binding.address,
            size: binding.size,
            binding_type: what,
            ..Default::default()
        };
        let mut data = vk::DebugUtilsMessengerCallbackDataEXT::default()
            .message_id_name(c"lahar-address-binding")
            .message(&message)
            .objects(&objects);
        let link: *const vk::DeviceAddressBindingCallbackDataEXT<'_> = &report;
        data.p_next = link.cast::<c_void>();
        messengers.forward(
            vk::DebugUtilsMessageSeverityFlagsEXT::INFO,
            vk::DebugUtilsMessageTypeFlagsEXT::DEVICE_ADDRESS_BINDING,
            &data,
        );
    }
}
