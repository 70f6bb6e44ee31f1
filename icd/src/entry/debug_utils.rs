//! `VK_EXT_debug_utils`: messengers, names, labels of queues.

use crate::{
    args::{Out, text},
    boundary::commands,
    device::{Device, Queue},
    dispatch::Ref,
    instance::Instance,
    messenger::Messenger,
    objects,
};
use ash::vk;
use std::sync::Arc;

commands! {
    fn vkCreateDebugUtilsMessengerEXT(
        instance: Ref<Instance>,
        info: &vk::DebugUtilsMessengerCreateInfoEXT<'_>,
        allocator: Option<&vk::AllocationCallbacks<'_>>,
        out: Out<vk::DebugUtilsMessengerEXT>,
    ) -> vk::Result {
        let messenger = Arc::new(Messenger::new(info));
        out.write(instance.add(&instance.messenger_handles, allocator, || messenger.clone())?);
        instance.messengers.add(messenger);
        Ok(())
    }

    fn vkDestroyDebugUtilsMessengerEXT(
        instance: Ref<Instance>,
        messenger: vk::DebugUtilsMessengerEXT,
        allocator: Option<&vk::AllocationCallbacks<'_>>,
    ) {
        if let Some(messenger) = objects::destroy(&instance.messenger_handles, messenger, allocator) {
            instance.messengers.remove(&messenger);
        }
        Ok(())
    }

    fn vkSubmitDebugUtilsMessageEXT(
        instance: Ref<Instance>,
        severity: vk::DebugUtilsMessageSeverityFlagsEXT,
        types: vk::DebugUtilsMessageTypeFlagsEXT,
        data: &vk::DebugUtilsMessengerCallbackDataEXT<'_>,
    ) {
        instance.messengers.forward(severity, types, data);
        Ok(())
    }

    fn vkSetDebugUtilsObjectNameEXT(
        device: Ref<Device>,
        info: &vk::DebugUtilsObjectNameInfoEXT<'_>,
    ) -> vk::Result {
        // SAFETY: the name is a C string or null, as Vulkan asks of the application.
        let name = unsafe { text(info.p_object_name) }.unwrap_or_default();
        let name = name.to_string_lossy();
        device.engine.names().set(info.object_type.as_raw(), info.object_handle, &name);
        Ok(())
    }

    fn vkSetDebugUtilsObjectTagEXT(
        _device: Ref<Device>,
        _info: &vk::DebugUtilsObjectTagInfoEXT<'_>,
    ) -> vk::Result {
        Ok(())
    }

    fn vkQueueBeginDebugUtilsLabelEXT(queue: Ref<Queue>, label: &vk::DebugUtilsLabelEXT<'_>) {
        queue.device.queue_labels.lock().entry(queue.index).or_default().push(label_name(label));
        Ok(())
    }

    fn vkQueueEndDebugUtilsLabelEXT(queue: Ref<Queue>) {
        if let Some(open) = queue.device.queue_labels.lock().get_mut(&queue.index) {
            open.pop();
        }
        Ok(())
    }

    fn vkQueueInsertDebugUtilsLabelEXT(_queue: Ref<Queue>, label: &vk::DebugUtilsLabelEXT<'_>) {
        lahar::fault::panic_if_asked(&label_name(label));
        Ok(())
    }
}

/// The text of a label.
pub(super) fn label_name(label: &vk::DebugUtilsLabelEXT<'_>) -> String {
    // SAFETY: the name is a C string or null, as Vulkan asks of the application.
    unsafe { text(label.p_label_name) }
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}
