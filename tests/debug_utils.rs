//! Debug utils: what the application hears when a planned fault loses its device.

mod common;

use ash::{ext::debug_utils, vk};
use common::{Device, Instance, entry};
use std::ffi::{CStr, c_void};

unsafe extern "system" fn keep_message(
    _severity: vk::DebugUtilsMessageSeverityFlagsEXT,
    _types: vk::DebugUtilsMessageTypeFlagsEXT,
    data: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
    user_data: *mut c_void,
) -> vk::Bool32 {
    // SAFETY: the test passes a vector of strings, and the driver valid data.
    unsafe {
        let messages = &mut *user_data.cast::<Vec<String>>();
        for text in [(*data).p_message_id_name, (*data).p_message] {
            messages.push(CStr::from_ptr(text).to_string_lossy().into_owned());
        }
    }
    vk::FALSE
}

#[test]
fn a_loss_is_told_once_before_the_first_call_returns_it() {
    let plan = common::library().with_file_name("debug_utils_plan.toml");
    std::fs::write(&plan, PLAN).expect("the target directory is writable");
    // SAFETY: this is the process's only test, and no other thread reads the environment now.
    unsafe { std::env::set_var("LAHAR_PLAN", &plan) };
    let instance = Instance::with_extensions(&[debug_utils::NAME]);
    let utils = debug_utils::Instance::new(entry(), &instance.raw);
    let mut messages: Vec<String> = Vec::new();
    let info = vk::DebugUtilsMessengerCreateInfoEXT::default()
        .message_severity(vk::DebugUtilsMessageSeverityFlagsEXT::ERROR)
        .message_type(vk::DebugUtilsMessageTypeFlagsEXT::GENERAL)
        .pfn_user_callback(Some(keep_message))
        .user_data((&raw mut messages).cast());
    // SAFETY: the messenger is destroyed below, before `messages` goes.
    let messenger = unsafe { utils.create_debug_utils_messenger(&info, None) }.expect("a messenger");
    let device = Device::create(instance, vk::DeviceCreateInfo::default());
    let submit = || {
        // SAFETY: an empty submission.
        unsafe {
            device
                .raw
                .queue_submit(device.queue, &[vk::SubmitInfo::default()], vk::Fence::null())
        }
    };
    assert_eq!(submit(), Ok(()));
    assert!(messages.is_empty(), "nothing has happened");
    assert_eq!(submit(), Err(vk::Result::ERROR_DEVICE_LOST));
    assert_eq!(submit(), Err(vk::Result::ERROR_DEVICE_LOST));
    // SAFETY: the device is alive.
    assert_eq!(
        // SAFETY: the device lives.
        unsafe { device.raw.device_wait_idle() },
        Err(vk::Result::ERROR_DEVICE_LOST)
    );
    assert_eq!(messages.len(), 2, "{messages:?}");
    assert_eq!(messages[0], "lahar-device-lost");
    assert!(messages[1].contains("as planned"), "{messages:?}");
    // SAFETY: it is not used any more.
    unsafe { utils.destroy_debug_utils_messenger(messenger, None) };
}

const PLAN: &str = r#"
version = 1

[[rule]]
when = { event = "submit", nth = 2 }
lose = { access = "write", description = "as planned" }
"#;
