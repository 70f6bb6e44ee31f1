//! Tests of fault plans: each runs twice, with the plan in a file and armed from the test.

#[path = "../../include/lahar.rs"]
#[allow(
    dead_code,
    unreachable_pub,
    reason = "each test uses a part; the file is for copying"
)]
pub mod lahar;

use crate::common::{
    Device, Instance,
    child::{isolated, scratch},
    vk,
    work::{Buffer, Commands},
};
use std::{ffi::CStr, fs};

/// Says in the process of a test how its plan gets there.
const WAY: &str = "LAHAR_TEST_WAY";

/// Runs `body` in a process with these settings and the plan in a file, then in one with the plan armed on the first
/// device. The rules are those of a plan file, without its version.
pub fn planned(name: &str, rules: &str, body: impl Fn(&Planned)) {
    both_ways(name, rules, &["file", "call"], &[], body);
}

/// As [`planned`], for what cannot be armed: it is about the whole process.
pub fn planned_by_file(name: &str, rules: &str, body: impl Fn(&Planned)) {
    both_ways(name, rules, &["file"], &[], body);
}

/// As [`planned`], with further settings.
pub fn both_ways(name: &str, rules: &str, ways: &[&str], settings: &[(&str, &str)], body: impl Fn(&Planned)) {
    let text = format!("version = 1\nseed = 5\n{rules}");
    if let Ok(way) = std::env::var(WAY) {
        let planned = Planned {
            armed: (way == "call").then_some(text),
        };
        isolated(name, &[], || body(&planned));
        return;
    }
    let path = scratch(&format!("plan-{name}")).join("plan.toml");
    fs::write(&path, &text).expect("written");
    for way in ways {
        let path = path.display().to_string();
        let mut settings = settings.to_vec();
        settings.push((WAY, way));
        if *way == "file" {
            settings.push(("LAHAR_PLAN", &path));
        }
        // The child finds its way in the environment, and runs the body.
        isolated(name, &settings, || {});
    }
}

/// An instance for [`Planned::device_of`].
pub fn instance() -> Instance {
    Instance::with_extensions(&[
        ash::ext::debug_utils::NAME,
        ash::khr::surface::NAME,
        ash::ext::headless_surface::NAME,
    ])
}

/// How the plan gets to the device.
pub struct Planned {
    armed: Option<String>,
}

/// Extensions of the tests' devices.
const EXTENSIONS: [&CStr; 3] = [
    ash::ext::device_fault::NAME,
    ash::khr::swapchain::NAME,
    ash::khr::dynamic_rendering::NAME,
];

impl Planned {
    /// A device that the plan holds for, if it is the first.
    pub fn device(&self) -> Device {
        self.device_of(instance()).expect("a device")
    }

    /// A device that nothing is armed on.
    pub fn unarmed(&self) -> Device {
        let plan = Planned { armed: None };
        plan.device()
    }

    /// As `device`, which may fail.
    pub fn device_of(&self, instance: Instance) -> Result<Device, vk::Result> {
        let names = EXTENSIONS.map(CStr::as_ptr);
        let mut fault = vk::PhysicalDeviceFaultFeaturesEXT::default()
            .device_fault(true)
            .device_fault_vendor_binary(true);
        let mut rendering = vk::PhysicalDeviceDynamicRenderingFeatures::default().dynamic_rendering(true);
        let priorities = [1.0];
        let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&priorities)];
        let info = vk::DeviceCreateInfo::default()
            .enabled_extension_names(&names)
            .queue_create_infos(&queues)
            .push_next(&mut fault)
            .push_next(&mut rendering);
        // SAFETY: the structures are alive.
        let raw = unsafe { instance.raw.create_device(instance.physical, &info, None) }?;
        // SAFETY: the device was made with this queue.
        let queue = unsafe { raw.get_device_queue(0, 0) };
        let device = Device { raw, queue, instance };
        self.arm(&device);
        Ok(device)
    }

    /// Arms the plan on a device that the test has made, if that is the way.
    pub fn arm(&self, device: &Device) {
        if let Some(text) = &self.armed {
            control(device).arm(device.raw.handle(), text).expect("armed");
        }
    }

    /// Whether the plan is armed by the test: then rules for later devices are not there.
    pub fn is_armed(&self) -> bool {
        self.armed.is_some()
    }
}

/// The control functions of a device.
pub fn control(device: &Device) -> lahar::Control {
    let get = device.instance.raw.fp_v1_0().get_device_proc_addr;
    // SAFETY: the device is alive, the name a C string.
    let control = lahar::Control::load(|name| unsafe { get(device.raw.handle(), name) });
    control.expect("Lahar's device")
}

/// Gives an object a debug name.
pub fn name<T: vk::Handle>(device: &Device, object: T, name: &CStr) {
    let utils = ash::ext::debug_utils::Device::new(&device.instance.raw, &device.raw);
    let info = vk::DebugUtilsObjectNameInfoEXT::default()
        .object_handle(object)
        .object_name(name);
    // SAFETY: the object is alive.
    unsafe { utils.set_debug_utils_object_name(&info) }.expect("named");
}

/// A buffer of 16 words, and commands that write them: what ran shows.
pub struct Steps {
    /// The buffer.
    pub buffer: Buffer,
    /// Its commands.
    pub commands: Commands,
    utils: ash::ext::debug_utils::Device,
}

impl Steps {
    /// Nothing written yet.
    pub fn new(device: &Device) -> Steps {
        Steps {
            buffer: Buffer::new(device, 64),
            commands: Commands::new(device),
            utils: ash::ext::debug_utils::Device::new(&device.instance.raw, &device.raw),
        }
    }

    /// Submits fills of these words, each with a value of its own plus `base`; a name begins a label, `""` ends one.
    pub fn run(&self, device: &Device, base: u32, steps: &[Step]) -> Result<(), vk::Result> {
        self.record(device, base, steps);
        self.commands.run(device)
    }

    /// Records the same.
    pub fn record(&self, device: &Device, base: u32, steps: &[Step]) {
        self.commands.record(device, |cb| {
            for step in steps {
                // SAFETY: the command buffer is recording, and the buffer is alive and long enough.
                unsafe {
                    match step {
                        Step::Fill(word) => {
                            let at = u64::from(*word) * 4;
                            device
                                .raw
                                .cmd_fill_buffer(cb, self.buffer.raw, at, 4, base + word);
                        }
                        Step::Begin(label) => {
                            let info = vk::DebugUtilsLabelEXT::default().label_name(label);
                            self.utils.cmd_begin_debug_utils_label(cb, &info);
                        }
                        Step::End => self.utils.cmd_end_debug_utils_label(cb),
                    }
                }
            }
        });
    }

    /// Destroys it.
    pub fn destroy(self, device: &Device) {
        self.commands.destroy(device);
        self.buffer.destroy(device);
    }
}

/// One command of [`Steps`].
#[derive(Clone, Copy)]
pub enum Step {
    /// Writes a word.
    Fill(u32),
    /// Begins a label.
    Begin(&'static CStr),
    /// Ends one.
    End,
}

/// What `VK_EXT_device_fault` reports: description, addresses (type, address, precision) and vendor records.
pub struct Report {
    /// Description.
    pub description: String,
    /// Addresses.
    pub addresses: Vec<(i32, u64, u64)>,
    /// Codes and data of the vendor.
    pub vendor: Vec<(u64, u64)>,
}

/// The report of a device.
pub fn report(device: &Device) -> Report {
    let fault = ash::ext::device_fault::Device::new(&device.instance.raw, &device.raw);
    let get = fault.fp().get_device_fault_info_ext;
    let mut counts = vk::DeviceFaultCountsEXT::default();
    let mut info = vk::DeviceFaultInfoEXT::default();
    // SAFETY: the device is alive; the arrays are as long as the counts say.
    unsafe {
        let result = get(device.raw.handle(), &mut counts, std::ptr::null_mut());
        assert_eq!(result, vk::Result::SUCCESS);
        let mut addresses =
            vec![vk::DeviceFaultAddressInfoEXT::default(); counts.address_info_count as usize];
        let mut vendors = vec![vk::DeviceFaultVendorInfoEXT::default(); counts.vendor_info_count as usize];
        counts.vendor_binary_size = 0;
        info.p_address_infos = addresses.as_mut_ptr();
        info.p_vendor_infos = vendors.as_mut_ptr();
        let result = get(device.raw.handle(), &mut counts, &mut info);
        assert!(result.as_raw() >= 0, "{result:?}");
        Report {
            description: CStr::from_ptr(info.description.as_ptr())
                .to_string_lossy()
                .into_owned(),
            addresses: addresses
                .iter()
                .map(|a| (a.address_type.as_raw(), a.reported_address, a.address_precision))
                .collect(),
            vendor: vendors
                .iter()
                .map(|v| (v.vendor_fault_code, v.vendor_fault_data))
                .collect(),
        }
    }
}
