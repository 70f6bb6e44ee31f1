//! What an application leaves behind when it destroys a device.

use crate::device::DeviceState;
use ash::vk::{self, Handle};
use std::fmt::Write;

/// Objects that are told one by one.
const MOST: usize = 100;

/// Tells of all objects that are still there, on standard error and to messengers.
pub(crate) fn report(device: &DeviceState) {
    let Some(text) = describe(device) else {
        return;
    };
    eprintln!("lahar: {text}");
    device.instance.messengers.send(
        vk::DebugUtilsMessageSeverityFlagsEXT::WARNING,
        vk::DebugUtilsMessageTypeFlagsEXT::GENERAL,
        "lahar-leaks",
        &text,
    );
}

fn describe(device: &DeviceState) -> Option<String> {
    let swapchains = device.tables.swapchains.alive().into_iter();
    let shown: Vec<u64> = swapchains
        .filter_map(|(handle, _)| device.tables.swapchains.find(handle))
        .flat_map(|swapchain| swapchain.handles().collect::<Vec<_>>())
        .collect();
    let mut all = device.tables.alive();
    // Sets go with their pool and images of swapchains with those: nobody destroys them.
    all.retain(|(ty, handle, _)| {
        *ty != vk::ObjectType::DESCRIPTOR_SET && !(*ty == vk::ObjectType::IMAGE && shown.contains(handle))
    });
    for (ty, handle, bytes) in &mut all {
        if *ty == vk::ObjectType::DEVICE_MEMORY {
            let memory = device.tables.memories.find(vk::DeviceMemory::from_raw(*handle));
            *bytes += memory.map_or(0, |memory| memory.pages());
        }
    }
    if all.is_empty() {
        return None;
    }
    let bytes: u64 = all.iter().map(|(_, _, bytes)| bytes).sum();
    let mut text = format!(
        "left behind on the device: {} object(s), {bytes} bytes",
        all.len()
    );
    for (ty, handle, bytes) in all.iter().take(MOST) {
        let name = device.engine.names().get(ty.as_raw(), *handle);
        let name = name.map_or_else(String::new, |name| format!(" \"{name}\""));
        // Writing to a string does not fail.
        let _ = write!(text, "\n  {ty:?} {handle:#x}{name}, {bytes} bytes");
    }
    if let Some(more @ 1..) = all.len().checked_sub(MOST) {
        let _ = write!(text, "\n  and {more} more");
    }
    Some(text)
}
