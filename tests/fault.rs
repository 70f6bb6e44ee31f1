//! Planned device loss and `VK_EXT_device_fault`, through the loader. Each test is a process of its own, since a plan
//! holds for a process and its devices are numbered.

mod common;

use common::{
    Device, Instance,
    child::{isolated, scratch},
    vk,
    work::{Buffer, Commands},
};
use lahar::fault::dump;
use std::{ffi::CStr, fs, path::Path, path::PathBuf};

const PLAN: &str = r#"
version = 1
seed = 11

[[rule]]
name = "the third"
when = { event = "submit", nth = 3 }
lose = { access = "write", address = 0x12345678, precision = 4096, instruction = 0x4000 }
"#;

/// A plan in a file.
fn plan(dir: &Path, text: &str) -> PathBuf {
    let path = dir.join("plan.toml");
    fs::write(&path, text).expect("written");
    path
}

/// Runs `body` in a process with the plan and a directory for dumps; that directory.
fn with_plan(name: &str, text: &str, body: impl FnOnce(&Path)) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    if !common::child::is_child() {
        scratch(name);
        plan(&dir, text);
    }
    let (plan, dir_text) = (dir.join("plan.toml"), dir.display().to_string());
    let settings = [
        ("LAHAR_PLAN", &*plan.display().to_string()),
        ("LAHAR_DUMP_DIR", &*dir_text),
    ];
    isolated(name, &settings, || body(&dir));
    dir
}

/// A device with the fault queries.
fn device(binary: bool) -> Device {
    let application = vk::ApplicationInfo::default()
        .application_name(c"fault test")
        .application_version(7)
        .engine_name(c"engine")
        .engine_version(8)
        .api_version(vk::API_VERSION_1_1);
    let info = vk::InstanceCreateInfo::default().application_info(&application);
    // SAFETY: the structures and what they point to are alive.
    let raw = unsafe { common::entry().create_instance(&info, None) }.expect("an instance");
    // SAFETY: the instance is alive.
    let physical = unsafe { raw.enumerate_physical_devices() }.expect("a list")[0];
    let mut features = vk::PhysicalDeviceFaultFeaturesEXT::default()
        .device_fault(true)
        .device_fault_vendor_binary(binary);
    let names = [ash::ext::device_fault::NAME.as_ptr()];
    let info = vk::DeviceCreateInfo::default()
        .enabled_extension_names(&names)
        .push_next(&mut features);
    Device::create(Instance { raw, physical }, info)
}

/// Work whose result shows: a submission that writes a number into a buffer.
struct Work {
    buffer: Buffer,
    commands: Commands,
}

impl Work {
    fn new(device: &Device) -> Work {
        Work {
            buffer: Buffer::new(device, 4),
            commands: Commands::new(device),
        }
    }

    fn submit(&self, device: &Device, value: u32) -> Result<(), vk::Result> {
        // SAFETY: the buffer is alive and four bytes long.
        self.commands.record(device, |commands| unsafe {
            device.raw.cmd_fill_buffer(commands, self.buffer.raw, 0, 4, value);
        });
        self.commands.run(device)
    }

    fn destroy(self, device: &Device) {
        self.commands.destroy(device);
        self.buffer.destroy(device);
    }
}

/// Two good submissions, then the one that loses the device.
fn lose(device: &Device) {
    let work = Work::new(device);
    for value in [1, 2] {
        assert_eq!(work.submit(device, value), Ok(()));
        assert_eq!(work.buffer.words(), [value]);
    }
    assert_eq!(work.submit(device, 3), Err(vk::Result::ERROR_DEVICE_LOST));
    assert_eq!(work.buffer.words(), [2], "nothing of the lost submission ran");
    work.destroy(device);
}

struct Query {
    device: vk::Device,
    get: vk::PFN_vkGetDeviceFaultInfoEXT,
}

/// What a query gave.
#[derive(Clone, Debug, PartialEq)]
struct Answer {
    result: vk::Result,
    counts: (u32, u32, u64),
    description: String,
    addresses: Vec<(i32, u64, u64)>,
    vendors: Vec<(String, u64, u64)>,
    binary: Vec<u8>,
}

fn text(chars: &[std::ffi::c_char]) -> String {
    // SAFETY: descriptions end with a NUL (an array of zeros does too).
    unsafe { CStr::from_ptr(chars.as_ptr()) }
        .to_string_lossy()
        .into_owned()
}

impl Query {
    fn new(device: &Device) -> Query {
        let fault = ash::ext::device_fault::Device::new(&device.instance.raw, &device.raw);
        Query {
            device: device.raw.handle(),
            get: fault.fp().get_device_fault_info_ext,
        }
    }

    /// The counts alone.
    fn counts(&self) -> (u32, u32, u64) {
        let mut counts = vk::DeviceFaultCountsEXT::default();
        // SAFETY: the device is alive.
        let result = unsafe { (self.get)(self.device, &mut counts, std::ptr::null_mut()) };
        assert_eq!(result, vk::Result::SUCCESS);
        (
            counts.address_info_count,
            counts.vendor_info_count,
            counts.vendor_binary_size,
        )
    }

    /// A query with room for so many of each.
    fn ask(&self, room: (u32, u32, u64)) -> Answer {
        const UNTOUCHED: u8 = 0xa5;
        let mut addresses = vec![vk::DeviceFaultAddressInfoEXT::default(); room.0 as usize];
        let mut vendors = vec![vk::DeviceFaultVendorInfoEXT::default(); room.1 as usize];
        // A little longer than told, to see that nothing is written there.
        let mut binary = vec![UNTOUCHED; room.2 as usize + 8];
        let mut counts = vk::DeviceFaultCountsEXT {
            address_info_count: room.0,
            vendor_info_count: room.1,
            vendor_binary_size: room.2,
            ..Default::default()
        };
        let mut info = vk::DeviceFaultInfoEXT {
            p_address_infos: addresses.as_mut_ptr(),
            p_vendor_infos: vendors.as_mut_ptr(),
            p_vendor_binary_data: binary.as_mut_ptr().cast(),
            ..Default::default()
        };
        // SAFETY: the device is alive and the arrays are as long as told.
        let result = unsafe { (self.get)(self.device, &mut counts, &mut info) };
        let written = counts.vendor_binary_size as usize;
        assert!(
            binary[written..].iter().all(|&byte| byte == UNTOUCHED),
            "nothing beyond"
        );
        binary.truncate(written);
        Answer {
            result,
            counts: (
                counts.address_info_count,
                counts.vendor_info_count,
                counts.vendor_binary_size,
            ),
            description: text(&info.description),
            addresses: addresses[..counts.address_info_count as usize]
                .iter()
                .map(|a| (a.address_type.as_raw(), a.reported_address, a.address_precision))
                .collect(),
            vendors: vendors[..counts.vendor_info_count as usize]
                .iter()
                .map(|v| (text(&v.description), v.vendor_fault_code, v.vendor_fault_data))
                .collect(),
            binary,
        }
    }
}

#[test]
fn the_third_submission_loses_the_device_and_it_stays_lost() {
    with_plan(
        "the_third_submission_loses_the_device_and_it_stays_lost",
        PLAN,
        |_| {
            let device = device(true);
            let raw = &device.raw;
            // SAFETY: plain structures.
            let (fence, event) = unsafe {
                (
                    raw.create_fence(&vk::FenceCreateInfo::default(), None)
                        .expect("a fence"),
                    raw.create_event(&vk::EventCreateInfo::default(), None)
                        .expect("an event"),
                )
            };
            lose(&device);
            let lost = vk::Result::ERROR_DEVICE_LOST;
            for _ in 0..2 {
                // SAFETY: all handles are alive.
                unsafe {
                    assert_eq!(raw.queue_submit(device.queue, &[], fence), Err(lost));
                    assert_eq!(raw.queue_wait_idle(device.queue), Err(lost));
                    assert_eq!(raw.device_wait_idle(), Err(lost));
                    assert_eq!(raw.wait_for_fences(&[fence], true, u64::MAX), Err(lost));
                    assert_eq!(raw.get_fence_status(fence), Err(lost));
                    assert_eq!(raw.get_event_status(event), Err(lost));
                }
            }
            // What cannot return the loss goes on working.
            let buffer = Buffer::with(&device, &[1, 2, 3, 4]);
            assert_eq!(buffer.bytes(), [1, 2, 3, 4]);
            buffer.destroy(&device);
            // SAFETY: all handles are alive and not used after this.
            unsafe {
                assert_eq!(raw.reset_fences(&[fence]), Ok(()));
                raw.destroy_fence(fence, None);
                raw.destroy_event(event, None);
            }
        },
    );
}

#[test]
fn a_new_device_works_after_the_loss() {
    with_plan("a_new_device_works_after_the_loss", PLAN, |_| {
        let first = device(true);
        lose(&first);
        let second = device(true);
        assert_eq!(Query::new(&second).counts(), (0, 0, 0), "a healthy device");
        let work = Work::new(&second);
        for value in 1..6 {
            assert_eq!(work.submit(&second, value), Ok(()));
            assert_eq!(work.buffer.words(), [value]);
        }
        work.destroy(&second);
        assert_eq!(Query::new(&first).counts().0, 2, "the first keeps its report");
    });
}

#[test]
fn the_report_is_the_planned_one_and_queries_obey_their_capacities() {
    let name = "the_report_is_the_planned_one_and_queries_obey_their_capacities";
    with_plan(name, PLAN, |_| {
        let device = device(true);
        let query = Query::new(&device);
        assert_eq!(query.counts(), (0, 0, 0), "nothing to tell before the loss");
        assert_eq!(query.ask((2, 2, 99)).result, vk::Result::SUCCESS);
        lose(&device);

        let all = query.counts();
        assert_eq!(query.counts(), all, "the same numbers each time");
        assert_eq!((all.0, all.1), (2, 1));
        let full = query.ask(all);
        assert_eq!((full.result, full.counts), (vk::Result::SUCCESS, all));
        assert_eq!(
            full.description,
            "the third: planned invalid write of 0x12345678 at submit#3"
        );
        assert_eq!(full.addresses, [(2, 0x1234_5678, 4096), (6, 0x4000, 1)]);
        assert_eq!(
            (full.vendors[0].1, full.vendors[0].2),
            (1, 3),
            "planned, submission 3"
        );
        assert_eq!(query.ask(all), full, "asking takes nothing away");
        assert_eq!(
            query.ask((all.0 + 1, all.1 + 1, all.2 + 1)),
            full,
            "room to spare"
        );

        for (room, what) in [
            ((1, all.1, all.2), "addresses"),
            ((all.0, 0, all.2), "vendor records"),
            ((all.0, all.1, all.2 - 1), "binary"),
        ] {
            let cut = query.ask(room);
            assert_eq!((cut.result, cut.counts), (vk::Result::INCOMPLETE, room), "{what}");
            assert!(full.addresses.starts_with(&cut.addresses), "{what}");
            assert!(full.binary.starts_with(&cut.binary), "{what}");
        }
        let small = query.ask((all.0, all.1, 55));
        assert_eq!(small.result, vk::Result::INCOMPLETE);
        assert_eq!(small.counts.2, 0, "less than a header: nothing");

        let mut counts = vk::DeviceFaultCountsEXT::default();
        (counts.address_info_count, counts.vendor_info_count) = (all.0, all.1);
        counts.vendor_binary_size = all.2;
        let mut info = vk::DeviceFaultInfoEXT::default();
        // SAFETY: the device is alive; null arrays are not written.
        let result = unsafe { (query.get)(query.device, &mut counts, &mut info) };
        assert_eq!(result, vk::Result::SUCCESS);
        assert_eq!(text(&info.description), full.description);
    });
}

#[test]
fn the_binary_is_a_dump_and_the_file_has_the_same_bytes() {
    let name = "the_binary_is_a_dump_and_the_file_has_the_same_bytes";
    let dir = with_plan(name, PLAN, |dir| {
        let device = device(true);
        lose(&device);
        let query = Query::new(&device);
        let binary = query.ask(query.counts()).binary;
        let word = |at: usize| u32::from_le_bytes(binary[at..at + 4].try_into().expect("four"));
        assert_eq!((word(0), word(4)), (56, 1), "size and version of the header");
        // SAFETY: the physical device is one of the living instance.
        let properties = unsafe {
            let instance = &device.instance;
            instance.raw.get_physical_device_properties(instance.physical)
        };
        assert_eq!((word(8), word(12)), (properties.vendor_id, properties.device_id));
        assert_eq!(word(16), properties.driver_version);
        assert_eq!(binary[20..36], properties.pipeline_cache_uuid);
        assert_eq!((word(40), word(48), word(52)), (7, 8, vk::API_VERSION_1_1));
        let string = |at: usize| CStr::from_bytes_until_nul(&binary[word(at) as usize..]).expect("an end");
        assert_eq!((string(36), string(44)), (c"fault test", c"engine"));
        fs::write(dir.join("binary"), &binary).expect("written");
    });
    if common::child::is_child() {
        return;
    }
    let file = fs::read(dir.join("fault_test-device1.lahar")).expect("the dump was written");
    assert_eq!(file, fs::read(dir.join("binary")).expect("what the query gave"));
    let dump = dump::read(&file).expect("a dump");
    assert!(dump.truncated.is_none() && dump.sections.iter().all(|section| section.intact));
    let text = dump::to_text(&dump);
    for says in [
        "device lost (planned): the third: planned invalid write of 0x12345678 at submit#3",
        "where\n  submission 3\n",
        "write at 0x12345678",
        "seed 0xb",
    ] {
        assert!(text.contains(says), "`{says}` in:\n{text}");
    }
}

#[test]
fn without_its_feature_there_is_no_binary() {
    with_plan("without_its_feature_there_is_no_binary", PLAN, |_| {
        let device = device(false);
        lose(&device);
        let query = Query::new(&device);
        let counts = query.counts();
        assert_eq!((counts.0, counts.1, counts.2), (2, 1, 0));
        let answer = query.ask((2, 1, 4096));
        assert_eq!((answer.result, answer.counts), (vk::Result::SUCCESS, (2, 1, 0)));
    });
}

#[test]
fn a_dump_directory_that_cannot_be_written_does_no_harm() {
    let name = "a_dump_directory_that_cannot_be_written_does_no_harm";
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    if !common::child::is_child() {
        plan(&scratch(name), PLAN);
    }
    let (plan, nowhere) = (dir.join("plan.toml"), dir.join("not/there"));
    let settings = [
        ("LAHAR_PLAN", &*plan.display().to_string()),
        ("LAHAR_DUMP_DIR", &*nowhere.display().to_string()),
    ];
    let said = isolated(name, &settings, || {
        let device = device(true);
        lose(&device);
        let query = Query::new(&device);
        assert!(
            !query.ask(query.counts()).binary.is_empty(),
            "the query has it all the same"
        );
    });
    if let Some(said) = said {
        assert!(said.contains("no crash dump in"), "{said}");
    }
}

/// A plan that cannot be used: no instance, and a message that says why.
fn refused(name: &str, text: Option<&str>, says: &str) {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    if !common::child::is_child() {
        scratch(name);
        text.map(|text| plan(&dir, text));
    }
    let path = dir.join("plan.toml").display().to_string();
    let said = isolated(name, &[("LAHAR_TEST_PLAN", &path)], || {
        let entry = common::entry();
        let path = std::env::var_os("LAHAR_TEST_PLAN").expect("set");
        // SAFETY: no other thread of this process looks at the environment.
        unsafe { std::env::set_var("LAHAR_PLAN", path) };
        // SAFETY: a plain structure.
        let result = unsafe { entry.create_instance(&vk::InstanceCreateInfo::default(), None) };
        assert!(result.is_err(), "no instance without the plan");
    });
    if let Some(said) = said {
        assert!(said.contains("LAHAR_PLAN") && said.contains(says), "{said}");
    }
}

#[test]
fn a_malformed_plan_stops_instance_creation_with_a_message() {
    let text = "version = 1\n[[rule]]\nwhen = { event = \"sumbit\" }\n";
    refused(
        "a_malformed_plan_stops_instance_creation_with_a_message",
        Some(text),
        "expected `submit`",
    );
}

#[test]
fn a_missing_plan_stops_instance_creation_with_a_message() {
    let name = "a_missing_plan_stops_instance_creation_with_a_message";
    refused(name, None, "cannot read");
}
