//! `VK_EXT_device_address_binding_report` through the loader: what messengers are told of addresses.

mod common;

use ash::ext::debug_utils;
use common::{
    Device, Instance, entry, vk,
    work::{Buffer, Image, ImageDesc},
};
use std::{
    ffi::{CStr, c_void},
    sync::Mutex,
};

/// One report.
#[derive(Clone, Debug, PartialEq)]
struct Report {
    bound: bool,
    internal: bool,
    kind: vk::ObjectType,
    handle: u64,
    name: Option<String>,
    address: u64,
    size: u64,
}

type Log = Mutex<Vec<Report>>;

unsafe extern "system" fn keep(
    severity: vk::DebugUtilsMessageSeverityFlagsEXT,
    types: vk::DebugUtilsMessageTypeFlagsEXT,
    data: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
    user_data: *mut c_void,
) -> vk::Bool32 {
    assert_eq!(severity, vk::DebugUtilsMessageSeverityFlagsEXT::INFO);
    assert_eq!(types, vk::DebugUtilsMessageTypeFlagsEXT::DEVICE_ADDRESS_BINDING);
    // SAFETY: the test passes a log, and the driver valid data whose first link is the report.
    unsafe {
        let log = &*user_data.cast::<Log>();
        let report = &*(*data)
            .p_next
            .cast::<vk::DeviceAddressBindingCallbackDataEXT<'_>>();
        assert_eq!(
            report.s_type,
            vk::StructureType::DEVICE_ADDRESS_BINDING_CALLBACK_DATA_EXT
        );
        assert_eq!((*data).object_count, 1);
        let object = &*(*data).p_objects;
        let name = (!object.p_object_name.is_null()).then(|| {
            CStr::from_ptr(object.p_object_name)
                .to_string_lossy()
                .into_owned()
        });
        log.lock().expect("a log").push(Report {
            bound: report.binding_type == vk::DeviceAddressBindingTypeEXT::BIND,
            internal: report
                .flags
                .contains(vk::DeviceAddressBindingFlagsEXT::INTERNAL_OBJECT),
            kind: object.object_type,
            handle: object.object_handle,
            name,
            address: report.base_address,
            size: report.size,
        });
    }
    vk::FALSE
}

/// Runs `body` on a device, with the feature or without; what was reported.
fn reported(on: bool, body: impl FnOnce(&Device)) -> Vec<Report> {
    let instance = Instance::with_extensions(&[debug_utils::NAME]);
    let utils = debug_utils::Instance::new(entry(), &instance.raw);
    let log: Box<Log> = Box::default();
    let info = vk::DebugUtilsMessengerCreateInfoEXT::default()
        .message_severity(vk::DebugUtilsMessageSeverityFlagsEXT::INFO)
        .message_type(vk::DebugUtilsMessageTypeFlagsEXT::DEVICE_ADDRESS_BINDING)
        .pfn_user_callback(Some(keep))
        .user_data((&raw const *log).cast_mut().cast());
    // SAFETY: the messenger is destroyed below, before the log goes.
    let messenger = unsafe { utils.create_debug_utils_messenger(&info, None) }.expect("a messenger");
    let mut feature = vk::PhysicalDeviceAddressBindingReportFeaturesEXT::default().report_address_binding(on);
    let names = [ash::ext::device_address_binding_report::NAME.as_ptr()];
    let info = vk::DeviceCreateInfo::default()
        .enabled_extension_names(&names)
        .push_next(&mut feature);
    let device = Device::create(instance, info);
    body(&device);
    // SAFETY: it is not used any more.
    unsafe { utils.destroy_debug_utils_messenger(messenger, None) };
    drop(device);
    log.into_inner().expect("a log")
}

fn name<T: vk::Handle>(device: &Device, handle: T, name: &CStr) {
    let utils = debug_utils::Device::new(&device.instance.raw, &device.raw);
    let info = vk::DebugUtilsObjectNameInfoEXT::default()
        .object_handle(handle)
        .object_name(name);
    // SAFETY: the object is alive.
    unsafe { utils.set_debug_utils_object_name(&info) }.expect("named");
}

#[test]
fn memory_buffers_and_images_are_bound_and_unbound_in_pairs() {
    let log = reported(true, |device| {
        let buffer = Buffer::new(device, 100);
        let image = Image::new(device, &ImageDesc::default());
        name(device, buffer.raw, c"the buffer");
        name(device, image.raw, c"the image");
        image.destroy(device);
        buffer.destroy(device);
    });
    use vk::ObjectType as T;
    let sequence: Vec<_> = log.iter().map(|r| (r.bound, r.kind, r.name.as_deref())).collect();
    assert_eq!(
        sequence,
        [
            (true, T::DEVICE_MEMORY, None),
            (true, T::BUFFER, None),
            (true, T::DEVICE_MEMORY, None),
            (true, T::IMAGE, None),
            (false, T::IMAGE, Some("the image")),
            (false, T::DEVICE_MEMORY, None),
            (false, T::BUFFER, Some("the buffer")),
            (false, T::DEVICE_MEMORY, None),
        ]
    );
    for bind in log.iter().filter(|report| report.bound) {
        let pairs = |report: &&Report| {
            !report.bound
                && (report.handle, report.kind, report.address, report.size)
                    == (bind.handle, bind.kind, bind.address, bind.size)
        };
        assert_eq!(log.iter().filter(pairs).count(), 1, "{bind:?}");
        // Memory has addresses before the application has its handle.
        assert_eq!(bind.internal, bind.kind == T::DEVICE_MEMORY);
        assert!(bind.address != 0 && bind.size != 0);
    }
    let (memory, buffer) = (&log[0], &log[1]);
    assert_eq!(buffer.address, memory.address);
    assert_eq!(buffer.size, 100);
    assert!(log.iter().all(|report| report.bound || !report.internal));
}

#[test]
fn nothing_is_told_without_the_feature() {
    let log = reported(false, |device| Buffer::new(device, 4).destroy(device));
    assert_eq!(log, []);
}
