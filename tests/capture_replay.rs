//! Addresses of buffers and memory, captured in one process and had again in others; the ids that memory is reported by.

mod common;

use ash::vk::{self, Handle};
use common::{Device, Instance, child};
use std::{
    ffi::c_void,
    fs,
    path::{Path, PathBuf},
    sync::Mutex,
};

/// Where the process that captures writes to, and the one that replays reads from.
const FILE: &str = "LAHAR_TEST_CAPTURE";

/// What the file beside it ends with that has the memory reports of the process that captures.
const IDS: &str = "ids";
const ALLOCATE: i32 = vk::DeviceMemoryReportEventTypeEXT::ALLOCATE.as_raw();

type Addresses = ash::khr::buffer_device_address::Device;

/// What a device reports of its memory, in order: the type of event, and the memory's id.
type Reports = Mutex<Vec<(i32, u64)>>;

unsafe extern "system" fn note(data: *const vk::DeviceMemoryReportCallbackDataEXT<'_>, reports: *mut c_void) {
    // SAFETY: the driver gives a valid structure and the data given at device creation.
    let (data, reports) = unsafe { (&*data, &*reports.cast::<Reports>()) };
    let mut reports = reports.lock().unwrap();
    reports.push((data.ty.as_raw(), data.memory_object_id));
}

/// A device, which reports its memory to `reports` as long as it lives.
fn device(reports: &'static Reports) -> (Device, Addresses) {
    let names = [
        ash::khr::buffer_device_address::NAME.as_ptr(),
        ash::khr::device_group::NAME.as_ptr(),
        ash::ext::device_memory_report::NAME.as_ptr(),
    ];
    let mut reporting = vk::PhysicalDeviceDeviceMemoryReportFeaturesEXT::default().device_memory_report(true);
    let mut listener = vk::DeviceDeviceMemoryReportCreateInfoEXT {
        pfn_user_callback: Some(note),
        p_user_data: std::ptr::from_ref(reports).cast_mut().cast(),
        ..Default::default()
    };
    let mut features = vk::PhysicalDeviceBufferDeviceAddressFeatures::default()
        .buffer_device_address(true)
        .buffer_device_address_capture_replay(true);
    let info = vk::DeviceCreateInfo::default()
        .enabled_extension_names(&names)
        .push_next(&mut features)
        .push_next(&mut reporting)
        .push_next(&mut listener);
    let device = Device::create(Instance::new(), info);
    let addresses = Addresses::new(&device.instance.raw, &device.raw);
    (device, addresses)
}

/// A buffer and its memory, as captured.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Captured {
    size: u64,
    buffer: u64,
    memory: u64,
    address: u64,
}

/// Makes a buffer of `size` bytes with memory of its own, at captured addresses if they are not 0.
fn make(
    device: &Device,
    size: u64,
    buffer: u64,
    memory: u64,
) -> Result<(vk::Buffer, vk::DeviceMemory), vk::Result> {
    let mut capture = vk::BufferOpaqueCaptureAddressCreateInfo::default().opaque_capture_address(buffer);
    let info = vk::BufferCreateInfo::default()
        .flags(vk::BufferCreateFlags::DEVICE_ADDRESS_CAPTURE_REPLAY)
        .size(size)
        .usage(vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS | vk::BufferUsageFlags::STORAGE_BUFFER)
        .push_next(&mut capture);
    let raw = &device.raw;
    // SAFETY: everything passed is valid; what was made is destroyed when something after it fails.
    unsafe {
        let buffer = raw.create_buffer(&info, None)?;
        let needs = raw.get_buffer_memory_requirements(buffer);
        let mut flags = vk::MemoryAllocateFlagsInfo::default().flags(
            vk::MemoryAllocateFlags::DEVICE_ADDRESS | vk::MemoryAllocateFlags::DEVICE_ADDRESS_CAPTURE_REPLAY,
        );
        let mut capture =
            vk::MemoryOpaqueCaptureAddressAllocateInfo::default().opaque_capture_address(memory);
        let info = vk::MemoryAllocateInfo::default()
            .allocation_size(needs.size)
            .push_next(&mut flags)
            .push_next(&mut capture);
        let memory = match raw.allocate_memory(&info, None) {
            Ok(memory) => memory,
            Err(error) => {
                raw.destroy_buffer(buffer, None);
                return Err(error);
            }
        };
        match raw.bind_buffer_memory(buffer, memory, 0) {
            Ok(()) => Ok((buffer, memory)),
            Err(error) => {
                raw.destroy_buffer(buffer, None);
                raw.free_memory(memory, None);
                Err(error)
            }
        }
    }
}

fn look(addresses: &Addresses, size: u64, (buffer, memory): (vk::Buffer, vk::DeviceMemory)) -> Captured {
    let buffer = vk::BufferDeviceAddressInfo::default().buffer(buffer);
    let memory = vk::DeviceMemoryOpaqueCaptureAddressInfo::default().memory(memory);
    // SAFETY: buffer and memory are alive and made for this.
    unsafe {
        Captured {
            size,
            buffer: addresses.get_buffer_opaque_capture_address(&buffer),
            memory: addresses.get_device_memory_opaque_capture_address(&memory),
            address: addresses.get_buffer_device_address(&buffer),
        }
    }
}

fn destroy(device: &Device, (buffer, memory): (vk::Buffer, vk::DeviceMemory)) {
    // SAFETY: neither is in use.
    unsafe {
        device.raw.destroy_buffer(buffer, None);
        device.raw.free_memory(memory, None);
    }
}

/// Numbers that look like chance and are the same in every run.
fn mix(seed: u64) -> u64 {
    let x = seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (x ^ x >> 31).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 20
}

const BUFFERS: u64 = 10_000;

/// Makes buffers, frees every fifth again, and writes down what each got.
fn capture(file: &Path) {
    static REPORTS: Reports = Mutex::new(vec![]);
    let (device, addresses) = device(&REPORTS);
    let mut text = String::new();
    let mut made = vec![];
    for i in 0..BUFFERS * 5 / 4 {
        let size = mix(i) % 50_000 + 1;
        let pair = make(&device, size, 0, 0).unwrap();
        if i % 5 == 4 {
            destroy(&device, pair);
            continue;
        }
        let seen = look(&addresses, size, pair);
        let ids = (pair.0.as_raw(), pair.1.as_raw());
        text += &format!(
            "{} {} {} {} {} {}\n",
            seen.size, seen.buffer, seen.memory, seen.address, ids.0, ids.1
        );
        made.push(pair);
    }
    made.into_iter().for_each(|pair| destroy(&device, pair));
    drop(device);
    let reports = REPORTS.lock().unwrap();
    let allocations = reports.iter().filter(|(ty, _)| *ty == ALLOCATE).count() as u64;
    assert!(allocations >= BUFFERS * 5 / 4, "{allocations} reported");
    let lines: Vec<String> = reports.iter().map(|(ty, id)| format!("{ty} {id}\n")).collect();
    fs::write(file.with_extension(IDS), lines.concat()).unwrap();
    fs::write(file, text).unwrap();
}

fn replay(file: &Path) {
    let text = fs::read_to_string(file).unwrap();
    let mut captured: Vec<Captured> = text
        .lines()
        .map(|line| {
            let n: Vec<u64> = line.split(' ').map(|word| word.parse().unwrap()).collect();
            Captured {
                size: n[0],
                buffer: n[1],
                memory: n[2],
                address: n[3],
            }
        })
        .collect();
    assert_eq!(captured.len() as u64, BUFFERS);
    captured.sort_by_key(|c| mix(c.address));
    // A device that is there before takes none of them.
    static REPORTS: Reports = Mutex::new(vec![]);
    let (other, other_addresses) = device(&REPORTS);
    let (device, addresses) = device(&REPORTS);
    let early = make(&other, 100, 0, 0).unwrap();
    let early_address = look(&other_addresses, 100, early).address;
    destroy(&other, early);
    let mut made = vec![];
    for c in captured {
        let pair = make(&device, c.size, c.buffer, c.memory).unwrap();
        assert_eq!(look(&addresses, c.size, pair), c);
        made.push((c, pair));
    }
    let (first, _) = made[0];
    let taken = make(&other, first.size, first.buffer, first.memory);
    assert_eq!(
        taken,
        Err(vk::Result::ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS),
        "in use by another device"
    );
    assert!(
        made.iter().any(|(c, _)| c.address == early_address),
        "processes capture alike"
    );
    made.into_iter().for_each(|(_, pair)| destroy(&device, pair));
    destroy(
        &other,
        make(&other, first.size, first.buffer, first.memory).unwrap(),
    );
}

#[test]
fn a_capture_replays_in_another_process_in_any_order() {
    let name = "a_capture_replays_in_another_process_in_any_order";
    if child::is_child() {
        let file = std::env::var(FILE).unwrap();
        if Path::new(&file).exists() {
            replay(Path::new(&file));
        } else {
            capture(Path::new(&file));
        }
        return;
    }
    let scratch = child::scratch(name);
    let files = ["first", "second"].map(|name| scratch.join(name));
    for file in &files {
        child::isolated(name, &[(FILE, file.to_str().unwrap())], || ());
    }
    let read =
        |file: &PathBuf| [file.clone(), file.with_extension(IDS)].map(|f| fs::read_to_string(f).unwrap());
    let [first, second] = files.each_ref().map(read);
    assert!(first[0] == second[0], "two runs capture differently");
    assert!(first[1] == second[1], "two runs report differently");
    child::isolated(name, &[(FILE, files[0].to_str().unwrap())], || ());
}

#[test]
fn addresses_that_were_never_captured_are_refused() {
    static REPORTS: Reports = Mutex::new(vec![]);
    let (device, addresses) = device(&REPORTS);
    let invalid = vk::Result::ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS;
    let pair = make(&device, 70_000, 0, 0).unwrap();
    let seen = look(&addresses, 70_000, pair);
    for wild in [
        seen.memory,
        seen.memory + 65536,
        seen.memory + 4096,
        4096,
        !0 - 65535,
    ] {
        assert_eq!(make(&device, 70_000, 0, wild).err(), Some(invalid), "{wild:#x}");
    }
    assert_eq!(
        make(&device, 70_000, 0x1234, 0).err(),
        Some(invalid),
        "of no buffer"
    );
    assert_eq!(
        make(&device, 70_000, seen.buffer, 0).err(),
        Some(invalid),
        "in other memory"
    );
    destroy(&device, pair);
    let again = make(&device, 70_000, seen.buffer, seen.memory).unwrap();
    assert_eq!(look(&addresses, 70_000, again), seen);
    destroy(&device, again);
}
