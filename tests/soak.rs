//! Many devices, each lost for a reason that a seed chooses, in one process: nothing is left behind.
//!
//! The long run is for `cargo test --release --test soak -- --ignored`.

mod common;

use common::{
    Device, Instance,
    child::{is_child, isolated, scratch},
    loss::{LOST, description},
    pipeline::{BufferSet, Pipeline},
    vk,
    work::{Buffer, Commands},
};
use std::{fmt::Write as _, fs, path::Path};

/// Marks the line that says what the process held.
const HELD: &str = "held: ";

/// Why a device is lost.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Cause {
    Planned,
    Address,
    Endless,
    Freed,
    Panic,
}

impl Cause {
    const ALL: [Cause; 5] = [
        Cause::Planned,
        Cause::Address,
        Cause::Endless,
        Cause::Freed,
        Cause::Panic,
    ];

    /// What the report says of it.
    fn says(self) -> &'static str {
        match self {
            Cause::Planned => "planned",
            Cause::Address => "no memory was ever allocated there",
            Cause::Endless => "fuel",
            Cause::Freed => "memory that was freed",
            Cause::Panic => "a label asked for it",
        }
    }
}

/// The causes of a run, one a device.
fn causes(cycles: usize) -> Vec<Cause> {
    let mut state = 0x5eed_u64;
    let mut next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        // What makes the driver panic is not in builds for users.
        let kinds = Cause::ALL.len() - usize::from(!cfg!(debug_assertions));
        Cause::ALL[(state >> 33) as usize % kinds]
    };
    (0..cycles).map(|_| next()).collect()
}

/// A plan that loses the devices that are to be lost by plan, at their second submission.
fn plan(causes: &[Cause]) -> String {
    let mut text = "version = 1\n".to_owned();
    for (index, _) in causes
        .iter()
        .enumerate()
        .filter(|(_, cause)| **cause == Cause::Planned)
    {
        let number = index + 1;
        let rule = "lose = { access = \"read\" }\n";
        write!(
            text,
            "[[rule]]\nwhen = {{ event = \"submit\", nth = 2, device = {number} }}\n{rule}"
        )
        .expect("a string takes all");
    }
    text
}

fn device() -> Device {
    let mut fault = vk::PhysicalDeviceFaultFeaturesEXT::default()
        .device_fault(true)
        .device_fault_vendor_binary(true);
    let mut addresses = vk::PhysicalDeviceBufferDeviceAddressFeatures::default().buffer_device_address(true);
    let names = [
        ash::ext::device_fault::NAME.as_ptr(),
        ash::khr::buffer_device_address::NAME.as_ptr(),
    ];
    let info = vk::DeviceCreateInfo::default()
        .enabled_extension_names(&names)
        .push_next(&mut fault)
        .push_next(&mut addresses);
    Device::create(Instance::with_extensions(&[ash::ext::debug_utils::NAME]), info)
}

/// Runs a shader that gets these push constants.
fn run_shader(device: &Device, code: &[u8], push: &[u8]) -> Result<(), vk::Result> {
    let out = Buffer::new(device, 4);
    let set = BufferSet::new(device, vk::DescriptorType::STORAGE_BUFFER, &out, 4);
    let layout = Pipeline::layout(device, &[set.layout], 12);
    let pipeline = Pipeline::compute(device, code, layout);
    let commands = Commands::new(device);
    commands.record(device, |cb| {
        let compute = vk::PipelineBindPoint::COMPUTE;
        // SAFETY: the set fits the layout; what the shader does is what is tested.
        unsafe {
            device.raw.cmd_bind_pipeline(cb, compute, pipeline.raw);
            device
                .raw
                .cmd_bind_descriptor_sets(cb, compute, layout, 0, &[set.set], &[]);
            device
                .raw
                .cmd_push_constants(cb, layout, vk::ShaderStageFlags::ALL, 0, push);
            device.raw.cmd_dispatch(cb, 1, 1, 1);
        }
    });
    let result = commands.run(device);
    commands.destroy(device);
    pipeline.destroy(device);
    set.destroy(device);
    out.destroy(device);
    result
}

/// Records with `f`, runs it and throws it away.
fn run(device: &Device, f: impl FnOnce(vk::CommandBuffer)) -> Result<(), vk::Result> {
    let commands = Commands::new(device);
    commands.record(device, f);
    let result = commands.run(device);
    commands.destroy(device);
    result
}

/// Loses a device for this reason.
fn lose(device: &Device, cause: Cause) -> Result<(), vk::Result> {
    match cause {
        Cause::Planned => run(device, |_| {}),
        Cause::Address => {
            let push: Vec<u8> = 0x10ff_ffff_0040_u64
                .to_le_bytes()
                .into_iter()
                .chain([1, 0, 0, 0])
                .collect();
            run_shader(device, include_bytes!("../shaders/test/poke.comp.spv"), &push)
        }
        Cause::Endless => {
            let code = include_bytes!("../shaders/test/spin.comp.spv");
            run_shader(device, code, &[0; 12])
        }
        Cause::Freed => {
            let (src, dst) = (Buffer::new(device, 64), Buffer::new(device, 64));
            let source = src.raw;
            let commands = Commands::new(device);
            commands.record(device, |cb| {
                let copy = [vk::BufferCopy::default().size(64)];
                // SAFETY: the buffers are bound; what comes later is the fault that is meant.
                unsafe { device.raw.cmd_copy_buffer(cb, source, dst.raw, &copy) };
            });
            src.destroy(device);
            let result = commands.run(device);
            commands.destroy(device);
            dst.destroy(device);
            result
        }
        Cause::Panic => {
            let labels = ash::ext::debug_utils::Device::new(&device.instance.raw, &device.raw);
            let label = vk::DebugUtilsLabelEXT::default().label_name(c"lahar: panic");
            // SAFETY: the label is valid.
            run(device, |cb| unsafe {
                labels.cmd_insert_debug_utils_label(cb, &label);
            })
        }
    }
}

/// One cycle: a device works, is lost, tells why and goes.
fn cycle(cause: Cause) {
    let device = device();
    let buffer = Buffer::new(&device, 4096);
    let fill = run(&device, |cb| {
        // SAFETY: the buffer lives.
        unsafe { device.raw.cmd_fill_buffer(cb, buffer.raw, 0, vk::WHOLE_SIZE, 7) };
    });
    assert_eq!(fill, Ok(()));
    assert!(buffer.words().iter().all(|&word| word == 7));
    assert_eq!(lose(&device, cause), LOST, "{cause:?}");
    let says = description(&device);
    assert!(says.contains(cause.says()), "{cause:?}: {says}");
    buffer.destroy(&device);
}

/// What a process holds.
#[derive(Clone, Copy, Debug)]
struct Held {
    kilobytes: u64,
    files: usize,
    threads: usize,
    mappings: usize,
}

fn held() -> Held {
    let count = |path: &str| fs::read_dir(path).map_or(0, Iterator::count);
    let status = fs::read_to_string("/proc/self/status").expect("readable");
    let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = resident.and_then(|text| text.trim().trim_end_matches(" kB").parse().ok());
    Held {
        kilobytes: kilobytes.expect("a number"),
        files: count("/proc/self/fd"),
        threads: count("/proc/self/task"),
        mappings: fs::read_to_string("/proc/self/maps")
            .expect("readable")
            .lines()
            .count(),
    }
}

fn soak(name: &str, cycles: usize) {
    let causes = causes(cycles);
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    if !is_child() {
        fs::write(scratch(name).join("plan.toml"), plan(&causes)).expect("written");
    }
    let plan = dir.join("plan.toml").display().to_string();
    // To print where each panic came from takes longer than all the rest.
    let settings = [
        ("LAHAR_PLAN", &*plan),
        ("LAHAR_FUEL", "20000"),
        ("RUST_BACKTRACE", "0"),
    ];
    let text = isolated(name, &settings, || {
        let warm = cycles / 4;
        causes[..warm].iter().for_each(|&cause| cycle(cause));
        let before = held();
        causes[warm..].iter().for_each(|&cause| cycle(cause));
        let after = held();
        println!("{HELD}after {warm} devices {before:?}, after {cycles} {after:?}");
        assert_eq!(
            (after.files, after.threads),
            (before.files, before.threads),
            "{before:?} {after:?}"
        );
        // The allocator's own ups and downs.
        assert!(after.mappings <= before.mappings + 8, "{before:?} {after:?}");
        assert!(
            after.kilobytes <= before.kilobytes + 8 * 1024,
            "{before:?} {after:?}"
        );
    });
    for line in text.iter().flat_map(|text| text.lines()) {
        if line.contains(HELD) {
            println!("{line}");
        }
    }
}

#[test]
fn hundreds_of_lost_devices_leave_nothing_behind() {
    soak("hundreds_of_lost_devices_leave_nothing_behind", 300);
}

#[test]
#[ignore = "takes minutes"]
fn ten_thousand_lost_devices_leave_nothing_behind() {
    soak("ten_thousand_lost_devices_leave_nothing_behind", 10_000);
}
