//! `VK_KHR_device_fault` through the loader: the queue of reports and the binary.

mod common;

use common::{
    Device, Instance,
    child::isolated,
    khr_fault::{DebugInfo, Features, Functions, Info, text},
    loss::{LOST, description, fault},
    vk,
    work::Commands,
};

const DEVICE_LOST: u32 = 0x01;
const MEMORY_ADDRESS: u32 = 0x02;
const VENDOR: u32 = 0x08;

fn device(binary: bool) -> Device {
    let mut features = Features {
        on: [1, u32::from(binary), 0, 0],
        ..Features::default()
    };
    let names = [
        c"VK_KHR_device_fault".as_ptr(),
        ash::ext::device_fault::NAME.as_ptr(),
    ];
    let mut info = vk::DeviceCreateInfo::default().enabled_extension_names(&names);
    info.p_next = (&raw mut features).cast();
    Device::create(Instance::new(), info)
}

#[test]
fn features_and_limit_are_told() {
    let instance = Instance::new();
    let mut features = Features::default();
    let mut two = vk::PhysicalDeviceFeatures2 {
        p_next: (&raw mut features).cast(),
        ..Default::default()
    };
    // SAFETY: the chain is valid.
    unsafe {
        instance
            .raw
            .get_physical_device_features2(instance.physical, &mut two);
    }
    assert_eq!(features.on[..2], [1, 1]);
    /// `VkPhysicalDeviceFaultPropertiesKHR`.
    #[repr(C)]
    struct Properties {
        s_type: i32,
        p_next: *mut std::ffi::c_void,
        max: u32,
    }
    let mut limit = Properties {
        s_type: 1_000_573_001,
        p_next: std::ptr::null_mut(),
        max: 0,
    };
    let mut two = vk::PhysicalDeviceProperties2 {
        p_next: (&raw mut limit).cast(),
        ..Default::default()
    };
    // SAFETY: the chain is valid.
    unsafe {
        instance
            .raw
            .get_physical_device_properties2(instance.physical, &mut two);
    }
    assert!(limit.max >= 1 && limit.s_type == 1_000_573_001 && limit.p_next.is_null());
}

#[test]
fn a_healthy_device_has_nothing_to_report() {
    let device = device(true);
    let functions = Functions::new(&device);
    for timeout in [0, 1_000_000] {
        assert_eq!(functions.count(timeout), (vk::Result::TIMEOUT, 0));
        let (result, infos) = functions.take(timeout, 3);
        assert_eq!((result, infos.len()), (vk::Result::TIMEOUT, 0));
    }
    let mut size = DebugInfo::new(9, std::ptr::null_mut());
    assert_eq!(functions.debug(&mut size), vk::Result::SUCCESS);
    assert_eq!(size.size, 0);
}

#[test]
fn a_report_says_what_it_has_and_is_zero_where_it_has_nothing() {
    let device = device(true);
    let functions = Functions::new(&device);
    fault(&device, device.queue);
    assert_eq!(functions.count(u64::MAX), (vk::Result::SUCCESS, 1));
    assert_eq!(
        functions.count(0),
        (vk::Result::SUCCESS, 1),
        "counting takes nothing"
    );
    let (result, none) = functions.take(0, 0);
    assert_eq!((result, none.len()), (vk::Result::INCOMPLETE, 0), "no room");
    let (result, infos) = functions.take(0, 4);
    assert_eq!((result, infos.len()), (vk::Result::SUCCESS, 1));
    let info: &Info = &infos[0];
    assert_eq!(info.flags, DEVICE_LOST | MEMORY_ADDRESS | VENDOR);
    assert_eq!((info.s_type, info.p_next.is_null()), (1_000_573_002, true));
    assert_eq!(info.group, 1);
    assert_eq!(info.address[0] as u32, 1, "a read");
    assert_ne!(info.address[1], 0);
    assert!(info.address[2].is_power_of_two());
    let [kind, address, precision] = info.instruction;
    assert_eq!(
        (kind as u32, address, precision),
        (0, 0, 0),
        "no shader, no instruction"
    );
    assert_eq!(text(&info.description), description(&device));
    assert!(!text(&info.vendor.0).is_empty());

    // Drained for good: even an endless wait ends at once.
    for timeout in [0, u64::MAX] {
        assert_eq!(functions.count(timeout), (vk::Result::TIMEOUT, 0));
        assert_eq!(functions.take(timeout, 4).0, vk::Result::TIMEOUT);
    }
    // What was read here can still be read there.
    assert!(!description(&device).is_empty());
}

#[test]
fn many_readers_get_each_report_once() {
    let device = device(true);
    let functions = Functions::new(&device);
    std::thread::scope(|scope| {
        let reader = || {
            let mut got = 0;
            loop {
                let (result, infos) = functions.take(u64::MAX, 1);
                got += infos.len();
                if result == vk::Result::TIMEOUT {
                    return got;
                }
            }
        };
        let readers: Vec<_> = (0..6).map(|_| scope.spawn(reader)).collect();
        fault(&device, device.queue);
        let got: usize = readers.into_iter().map(|r| r.join().expect("no panic")).sum();
        assert_eq!(got, 1);
    });
}

#[test]
fn the_binary_is_whole_or_not_there() {
    let device = device(true);
    let functions = Functions::new(&device);
    fault(&device, device.queue);
    let mut asked = DebugInfo::new(0, std::ptr::null_mut());
    assert_eq!(functions.debug(&mut asked), vk::Result::SUCCESS);
    let size = asked.size;
    assert!(size >= 56);
    let read = |room: u32| {
        let mut bytes = vec![0xa5; room as usize + 1];
        let mut info = DebugInfo::new(room, bytes.as_mut_ptr());
        let result = functions.debug(&mut info);
        assert_eq!((info.s_type, info.p_next.is_null()), (1_000_573_003, true));
        assert!(bytes[info.size as usize..].iter().all(|&byte| byte == 0xa5));
        bytes.truncate(info.size as usize);
        (result, bytes)
    };
    let (result, bytes) = read(size);
    assert_eq!((result, bytes.len()), (vk::Result::SUCCESS, size as usize));
    assert_eq!(read(size + 100).1, bytes, "identical each time");
    for small in [size - 1, 56, 1] {
        let (result, none) = read(small);
        // VK_ERROR_NOT_ENOUGH_SPACE_KHR.
        assert_eq!((result.as_raw(), none.len()), (-1_000_483_000, 0));
    }
    // The other command has the same bytes, and reading reports takes nothing from either.
    assert_eq!(functions.take(0, 9).1.len(), 1);
    let query = ash::ext::device_fault::Device::new(&device.instance.raw, &device.raw);
    let mut other = vec![0; size as usize];
    let mut counts = vk::DeviceFaultCountsEXT::default().vendor_binary_size(u64::from(size));
    let mut info = vk::DeviceFaultInfoEXT {
        p_vendor_binary_data: other.as_mut_ptr().cast(),
        ..Default::default()
    };
    // SAFETY: the device lives, and the buffer is as long as told.
    let result = unsafe {
        (query.fp().get_device_fault_info_ext)(device.raw.handle(), &raw mut counts, &raw mut info)
    };
    // It has addresses and vendor records, too, which were not asked for.
    assert_eq!(result, vk::Result::SUCCESS);
    assert_eq!(other, bytes);
    assert_eq!(read(size).1, bytes);
}

#[test]
fn there_is_no_binary_without_its_feature() {
    let device = device(false);
    let functions = Functions::new(&device);
    fault(&device, device.queue);
    let mut byte = 0xa5;
    let mut info = DebugInfo::new(1, &raw mut byte);
    assert_eq!(functions.debug(&mut info), vk::Result::SUCCESS);
    assert_eq!((info.size, byte), (0, 0xa5));
    assert_eq!(functions.count(0).1, 1, "reports are there");
}

#[test]
fn many_readers_share_masked_faults_and_the_group_of_the_loss() {
    let name = "many_readers_share_masked_faults_and_the_group_of_the_loss";
    let plan = "masked@submit read every=1 times=50; lose@submit#51 read group=5";
    isolated(name, &[("LAHAR_FAULT", plan)], || {
        let mut features = Features {
            on: [1, 0, 1, 0],
            ..Features::default()
        };
        let names = [c"VK_KHR_device_fault".as_ptr()];
        let mut info = vk::DeviceCreateInfo::default().enabled_extension_names(&names);
        info.p_next = (&raw mut features).cast();
        let device = Device::create(Instance::new(), info);
        let functions = Functions::new(&device);
        let commands = Commands::new(&device);
        commands.record(&device, |_| {});
        let mut all: Vec<(u64, u32)> = Vec::new();
        std::thread::scope(|scope| {
            let reader = |room: u32| {
                let functions = &functions;
                move || {
                    let mut got = Vec::new();
                    loop {
                        let (result, infos) = functions.take(u64::MAX, room);
                        got.extend(infos.iter().map(|info| (info.group, info.flags)));
                        if result == vk::Result::TIMEOUT {
                            return got;
                        }
                    }
                }
            };
            let readers: Vec<_> = (0..8).map(|n| scope.spawn(reader(n % 3 + 1))).collect();
            for n in 1..=51 {
                let expected = if n == 51 { LOST } else { Ok(()) };
                assert_eq!(commands.run(&device), expected, "submission {n}");
            }
            for reader in readers {
                let got = reader.join().expect("no reader fails");
                assert!(
                    got.is_sorted_by_key(|(group, _)| *group),
                    "each in order: {got:?}"
                );
                all.extend(got);
            }
        });
        all.sort_unstable();
        let groups: Vec<u64> = all.iter().map(|(group, _)| *group).collect();
        let expected: Vec<u64> = (1..=50).chain([51; 5]).collect();
        assert_eq!(groups, expected, "one group an event");
        let lost = all.iter().filter(|(_, flags)| flags & DEVICE_LOST != 0);
        assert_eq!(
            lost.map(|(group, _)| *group).collect::<Vec<_>>(),
            [51],
            "once, in the last group"
        );
        commands.destroy(&device);
    });
}
