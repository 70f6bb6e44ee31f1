//! Instance, physical device and device: what is claimed, and what is refused.

mod common;

use ash::vk;
use common::{Device, Instance, entry};
use std::ffi::{CStr, c_void};

#[test]
fn the_version_is_vulkan_1_4() {
    let instance = Instance::new();
    // SAFETY: the physical device is of the instance.
    let properties = unsafe { instance.raw.get_physical_device_properties(instance.physical) };
    assert_eq!(vk::api_version_minor(properties.api_version), 4);
    assert_eq!(properties.device_name_as_c_str(), Ok(c"Lahar"));
    assert_eq!(properties.device_type, vk::PhysicalDeviceType::CPU);
}

#[test]
fn an_unknown_extension_is_refused() {
    let names = [c"VK_KHR_no_such_extension".as_ptr()];
    let instance = Instance::new();
    let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
    let info = vk::DeviceCreateInfo::default()
        .queue_create_infos(&queues)
        .enabled_extension_names(&names);
    // SAFETY: the structures are alive.
    let result = unsafe { instance.raw.create_device(instance.physical, &info, None) };
    assert_eq!(result.err(), Some(vk::Result::ERROR_EXTENSION_NOT_PRESENT));
}

#[test]
fn features_that_are_not_offered_are_refused() {
    let instance = Instance::new();
    let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
    let features = vk::PhysicalDeviceFeatures {
        geometry_shader: vk::TRUE,
        ..Default::default()
    };
    let info = vk::DeviceCreateInfo::default()
        .queue_create_infos(&queues)
        .enabled_features(&features);
    // SAFETY: the structures are alive.
    let result = unsafe { instance.raw.create_device(instance.physical, &info, None) };
    assert_eq!(result.err(), Some(vk::Result::ERROR_FEATURE_NOT_PRESENT));

    let mut protected = vk::PhysicalDeviceProtectedMemoryFeatures::default().protected_memory(true);
    let info = vk::DeviceCreateInfo::default()
        .queue_create_infos(&queues)
        .push_next(&mut protected);
    // SAFETY: the structures are alive.
    let result = unsafe { instance.raw.create_device(instance.physical, &info, None) };
    assert_eq!(result.err(), Some(vk::Result::ERROR_FEATURE_NOT_PRESENT));
}

#[test]
fn all_offered_features_can_be_enabled() {
    let instance = Instance::new();
    let mut multiview = vk::PhysicalDeviceMultiviewFeatures::default();
    let mut features = vk::PhysicalDeviceFeatures2::default().push_next(&mut multiview);
    // SAFETY: the chain is alive.
    unsafe {
        instance
            .raw
            .get_physical_device_features2(instance.physical, &mut features);
    };
    assert_eq!(features.features.robust_buffer_access, vk::TRUE);
    let info = vk::DeviceCreateInfo::default().push_next(&mut features);
    let device = Device::create(instance, info);
    assert_ne!(device.queue, vk::Queue::null());
}

/// A structure that has all of a version says the same as the structures it is made of.
#[test]
fn structures_of_a_version_say_what_single_ones_say() {
    let instance = Instance::new();
    let (mut v11, mut v12, mut v13) = (
        vk::PhysicalDeviceVulkan11Properties::default(),
        vk::PhysicalDeviceVulkan12Properties::default(),
        vk::PhysicalDeviceVulkan13Properties::default(),
    );
    let mut subgroup = vk::PhysicalDeviceSubgroupProperties::default();
    let mut driver = vk::PhysicalDeviceDriverProperties::default();
    let mut maintenance4 = vk::PhysicalDeviceMaintenance4Properties::default();
    let mut head = vk::PhysicalDeviceProperties2::default()
        .push_next(&mut v11)
        .push_next(&mut v12)
        .push_next(&mut v13)
        .push_next(&mut subgroup)
        .push_next(&mut driver)
        .push_next(&mut maintenance4);
    let mut features12 = vk::PhysicalDeviceVulkan12Features::default();
    let mut timeline = vk::PhysicalDeviceTimelineSemaphoreFeatures::default();
    let mut features = vk::PhysicalDeviceFeatures2::default()
        .push_next(&mut features12)
        .push_next(&mut timeline);
    // SAFETY: the chains are alive.
    unsafe {
        instance
            .raw
            .get_physical_device_properties2(instance.physical, &mut head);
        instance
            .raw
            .get_physical_device_features2(instance.physical, &mut features);
    };
    assert_eq!(
        (v11.subgroup_size, v11.subgroup_supported_operations),
        (subgroup.subgroup_size, subgroup.supported_operations)
    );
    assert_eq!(v12.driver_name_as_c_str(), driver.driver_name_as_c_str());
    assert_eq!((v13.min_subgroup_size, v13.max_subgroup_size), (8, 8));
    assert_eq!(v13.max_buffer_size, maintenance4.max_buffer_size);
    assert_eq!(
        (features12.timeline_semaphore, timeline.timeline_semaphore),
        (vk::TRUE, vk::TRUE)
    );
}

#[test]
fn private_data_belong_to_an_object_and_a_slot() {
    let device = Device::new();
    let info = vk::PrivateDataSlotCreateInfo::default();
    let (raw, queue) = (&device.raw, device.queue);
    // SAFETY: the objects are alive; the slots are destroyed before the device.
    unsafe {
        let slots = [0; 2].map(|_| raw.create_private_data_slot(&info, None).expect("a slot"));
        raw.set_private_data(queue, slots[0], 7).expect("set");
        assert_eq!(raw.get_private_data(queue, slots[0]), 7);
        assert_eq!(raw.get_private_data(queue, slots[1]), 0);
        assert_eq!(raw.get_private_data(raw.handle(), slots[0]), 0);
        raw.destroy_private_data_slot(slots[0], None);
        let again = raw.create_private_data_slot(&info, None).expect("a slot");
        assert_eq!(raw.get_private_data(queue, again), 0);
        raw.destroy_private_data_slot(again, None);
        raw.destroy_private_data_slot(slots[1], None);
    }
}

#[test]
fn unknown_structures_of_a_chain_are_passed_over() {
    #[repr(C)]
    struct Unknown {
        s_type: i32,
        p_next: *mut c_void,
        payload: [u32; 4],
    }
    let instance = Instance::new();
    let mut known = vk::PhysicalDeviceSubgroupProperties::default();
    let mut unknown = Unknown {
        s_type: 2_000_000_000,
        p_next: (&raw mut known).cast(),
        payload: [7; 4],
    };
    let mut head = vk::PhysicalDeviceProperties2 {
        p_next: (&raw mut unknown).cast(),
        ..Default::default()
    };
    // SAFETY: the chain is alive.
    unsafe {
        instance
            .raw
            .get_physical_device_properties2(instance.physical, &mut head);
    };
    assert_eq!(known.subgroup_size, 8);
    assert_eq!((unknown.s_type, unknown.payload), (2_000_000_000, [7; 4]));
    assert_eq!(unknown.p_next, (&raw mut known).cast());
}

#[test]
fn what_a_structure_held_before_a_query_is_gone() {
    let instance = Instance::new();
    let query = |before: u8| {
        let mut floats = vk::PhysicalDeviceFloatControlsProperties::default();
        let mut dots = vk::PhysicalDeviceShaderIntegerDotProductProperties::default();
        let fill = |members: *mut u8, size: usize| {
            // SAFETY: what follows sType and pNext in these structures are plain integers.
            unsafe { members.add(16).write_bytes(before, size - 16) };
        };
        fill((&raw mut floats).cast(), size_of_val(&floats));
        fill((&raw mut dots).cast(), size_of_val(&dots));
        let mut head = vk::PhysicalDeviceProperties2::default()
            .push_next(&mut floats)
            .push_next(&mut dots);
        // SAFETY: the chain is alive.
        unsafe {
            instance
                .raw
                .get_physical_device_properties2(instance.physical, &mut head);
        };
        (
            floats.shader_denorm_flush_to_zero_float16,
            floats.shader_rounding_mode_rtz_float64,
            dots.integer_dot_product4x8_bit_packed_signed_accelerated,
            dots.integer_dot_product64_bit_unsigned_accelerated,
        )
    };
    assert_eq!(query(0x55), (0, 0, 0, 0));
    assert_eq!(query(0), (0, 0, 0, 0));
}

#[test]
fn enumerations_say_when_they_are_incomplete() {
    let enumerate = entry().fp_v1_0().enumerate_instance_extension_properties;
    let mut count = 0;
    // SAFETY: null asks for the count.
    let result = unsafe { enumerate(std::ptr::null(), &mut count, std::ptr::null_mut()) };
    assert_eq!(result, vk::Result::SUCCESS);
    assert!(count > 1);
    count -= 1;
    let mut list = vec![vk::ExtensionProperties::default(); count as usize];
    // SAFETY: the array has as many elements as `count` says.
    let result = unsafe { enumerate(std::ptr::null(), &mut count, list.as_mut_ptr()) };
    assert_eq!(result, vk::Result::INCOMPLETE);
    assert_eq!(count as usize, list.len());
}

#[test]
fn queues_have_stable_handles() {
    let device = Device::new();
    // SAFETY: the device was made with this queue.
    let again = unsafe { device.raw.get_device_queue(0, 0) };
    assert_eq!(device.queue, again);
}

#[test]
fn formats_that_vulkan_demands_are_there() {
    let instance = Instance::new();
    let optimal = |format| {
        // SAFETY: the physical device is of the instance.
        unsafe {
            instance
                .raw
                .get_physical_device_format_properties(instance.physical, format)
        }
        .optimal_tiling_features
    };
    let color = vk::FormatFeatureFlags::COLOR_ATTACHMENT_BLEND | vk::FormatFeatureFlags::SAMPLED_IMAGE;
    assert!(optimal(vk::Format::R8G8B8A8_UNORM).contains(color));
    assert!(optimal(vk::Format::D16_UNORM).contains(vk::FormatFeatureFlags::DEPTH_STENCIL_ATTACHMENT));
    assert!(optimal(vk::Format::UNDEFINED).is_empty());
}

unsafe extern "system" fn keep_message(
    _severity: vk::DebugUtilsMessageSeverityFlagsEXT,
    _types: vk::DebugUtilsMessageTypeFlagsEXT,
    data: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
    user_data: *mut c_void,
) -> vk::Bool32 {
    // SAFETY: the test passes a vector of strings, and the driver valid data.
    let (messages, message) = unsafe {
        (
            &mut *user_data.cast::<Vec<String>>(),
            CStr::from_ptr((*data).p_message),
        )
    };
    messages.push(message.to_string_lossy().into_owned());
    vk::FALSE
}

#[test]
fn messengers_hear_messages_until_they_are_destroyed() {
    let instance = Instance::with_extensions(&[c"VK_EXT_debug_utils"]);
    let utils = ash::ext::debug_utils::Instance::new(entry(), &instance.raw);
    let mut messages: Vec<String> = Vec::new();
    let info = vk::DebugUtilsMessengerCreateInfoEXT::default()
        .message_severity(vk::DebugUtilsMessageSeverityFlagsEXT::ERROR)
        .message_type(vk::DebugUtilsMessageTypeFlagsEXT::GENERAL)
        .pfn_user_callback(Some(keep_message))
        .user_data((&raw mut messages).cast());
    let data = vk::DebugUtilsMessengerCallbackDataEXT::default().message(c"hello");
    let send = || {
        // SAFETY: the data are alive.
        unsafe {
            utils.submit_debug_utils_message(
                vk::DebugUtilsMessageSeverityFlagsEXT::ERROR,
                vk::DebugUtilsMessageTypeFlagsEXT::GENERAL,
                &data,
            );
        };
    };
    // SAFETY: the messenger is destroyed below, before `messages` goes.
    unsafe {
        let messenger = utils
            .create_debug_utils_messenger(&info, None)
            .expect("a messenger");
        send();
        utils.destroy_debug_utils_messenger(messenger, None);
    }
    send();
    assert_eq!(messages, ["hello"]);
}
