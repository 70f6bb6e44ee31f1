//! What the fault queries and the crash dump say, for tests.

use super::{Device, Instance, vk, work::Buffer};
use lahar::fault::{attribution::Attribution, dump};
use lahar::shader::kernel::Backend;

/// A device with the fault queries, its binary, buffer addresses and names of objects, and what `extra` names.
pub fn device(extra: &[&std::ffi::CStr]) -> Device {
    let instance = Instance::with_extensions(&[ash::ext::debug_utils::NAME]);
    let mut fault = vk::PhysicalDeviceFaultFeaturesEXT::default()
        .device_fault(true)
        .device_fault_vendor_binary(true);
    let mut addresses = vk::PhysicalDeviceBufferDeviceAddressFeatures::default().buffer_device_address(true);
    let mut rendering = vk::PhysicalDeviceDynamicRenderingFeatures::default().dynamic_rendering(true);
    let names: Vec<_> = [
        ash::ext::device_fault::NAME,
        ash::khr::buffer_device_address::NAME,
        ash::khr::dynamic_rendering::NAME,
    ]
    .iter()
    .chain(extra)
    .map(|name| name.as_ptr())
    .collect();
    let info = vk::DeviceCreateInfo::default()
        .enabled_extension_names(&names)
        .push_next(&mut fault)
        .push_next(&mut addresses)
        .push_next(&mut rendering);
    Device::create(instance, info)
}

/// Names an object.
pub fn name<H: vk::Handle>(device: &Device, object: H, name: &std::ffi::CStr) {
    let functions = ash::ext::debug_utils::Device::new(&device.instance.raw, &device.raw);
    let info = vk::DebugUtilsObjectNameInfoEXT::default()
        .object_handle(object)
        .object_name(name);
    // SAFETY: the object is alive.
    unsafe { functions.set_debug_utils_object_name(&info) }.expect("a name");
}

/// The address of a buffer.
pub fn address(device: &Device, buffer: &Buffer) -> u64 {
    let functions = ash::khr::buffer_device_address::Device::new(&device.instance.raw, &device.raw);
    let info = vk::BufferDeviceAddressInfo::default().buffer(buffer.raw);
    // SAFETY: the buffer is alive and bound.
    unsafe { functions.get_buffer_device_address(&info) }
}

/// Precision of memory addresses in the mode that this process runs in.
pub fn precision() -> u64 {
    if std::env::var("LAHAR_FAULTS").is_ok_and(|mode| mode == "check") {
        1
    } else {
        4096
    }
}

/// Settings of which none may change what is said of a fault, but for the precision of addresses.
pub fn settings() -> Vec<Vec<(&'static str, &'static str)>> {
    let mut all = Vec::new();
    for mode in ["trap", "check"] {
        for backend in [Backend::Interpreter, Backend::Avx2, Backend::Avx512] {
            if !backend.is_supported() {
                continue;
            }
            for threads in ["1", "4"] {
                all.push(vec![
                    ("LAHAR_FAULTS", mode),
                    ("LAHAR_BACKEND", backend.name()),
                    ("LAHAR_THREADS", threads),
                ]);
            }
        }
    }
    all
}

/// The dumps that `body`, the test `name`, leaves with each of the settings must be the same; how many there are.
pub fn same_with_all_settings(name: &str, body: impl Fn()) -> usize {
    same_with(name, settings(), body)
}

/// As above, with these settings only.
pub fn same_with(name: &str, settings: Vec<Vec<(&'static str, &'static str)>>, body: impl Fn()) -> usize {
    let dir = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let mut reference: Vec<dump::Dump> = Vec::new();
    for settings in settings {
        if !super::child::is_child() {
            super::child::scratch(name);
        }
        let text = dir.display().to_string();
        let with_dir = [&settings[..], &[("LAHAR_DUMP_DIR", &*text)]].concat();
        if super::child::isolated(name, &with_dir, &body).is_none() {
            return 0;
        }
        let read = |number: usize| {
            let file = dir.join(format!("application-device{number}.lahar"));
            std::fs::read(file)
                .ok()
                .map(|bytes| dump::read(&bytes).expect("a dump"))
        };
        let dumps: Vec<dump::Dump> = (1..).map_while(read).collect();
        if reference.is_empty() {
            reference = dumps;
            continue;
        }
        assert_eq!(dumps.len(), reference.len(), "{settings:?}");
        for (number, (dump, expected)) in (1..).zip(dumps.iter().zip(&reference)) {
            let diff = dump::to_diff(expected, dump);
            let other = diff
                .lines()
                .find(|line| line.contains(": ") && !line.contains("address.precision: 0x1000 -> 0x1"));
            assert_eq!(other, None, "{settings:?}, device {number}");
        }
    }
    reference.len()
}

/// What is reported of a loss.
pub struct Report {
    /// Type, address and precision of each address.
    pub addresses: Vec<(i32, u64, u64)>,
    /// The description.
    pub description: String,
    /// The crash dump.
    pub dump: dump::Dump,
}

impl Report {
    /// The report of a lost device.
    pub fn of(device: &Device) -> Report {
        let functions = ash::ext::device_fault::Device::new(&device.instance.raw, &device.raw);
        let query = functions.fp().get_device_fault_info_ext;
        let mut counts = vk::DeviceFaultCountsEXT::default();
        // SAFETY: the device is lost; without a structure only the counts are written.
        let sized = unsafe { query(device.raw.handle(), &raw mut counts, std::ptr::null_mut()) };
        assert_eq!(sized, vk::Result::SUCCESS);
        let mut addresses =
            vec![vk::DeviceFaultAddressInfoEXT::default(); counts.address_info_count as usize];
        let mut vendors = vec![vk::DeviceFaultVendorInfoEXT::default(); counts.vendor_info_count as usize];
        let mut binary = vec![0_u8; counts.vendor_binary_size as usize];
        let mut info = vk::DeviceFaultInfoEXT {
            p_address_infos: addresses.as_mut_ptr(),
            p_vendor_infos: vendors.as_mut_ptr(),
            p_vendor_binary_data: binary.as_mut_ptr().cast(),
            ..Default::default()
        };
        // SAFETY: the arrays are as long as the counts say.
        let filled = unsafe { query(device.raw.handle(), &raw mut counts, &raw mut info) };
        assert_eq!(filled, vk::Result::SUCCESS);
        let address = |a: &vk::DeviceFaultAddressInfoEXT| {
            (a.address_type.as_raw(), a.reported_address, a.address_precision)
        };
        let description = info.description_as_c_str().expect("a text").to_string_lossy();
        Report {
            addresses: addresses.iter().map(address).collect(),
            description: description.into_owned(),
            dump: dump::read(&binary).expect("a dump"),
        }
    }

    /// The dump's attribution.
    pub fn attribution(&self) -> Attribution {
        self.dump.content(b"ATTR").expect("a section ATTR")
    }
}
