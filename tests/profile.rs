//! Device profiles through the loader: what the device looks like, and that it works so.

mod common;

use common::{
    Device, Instance,
    child::{isolated, scratch},
    vk,
    work::{Buffer, Commands},
};
use std::{ffi::CStr, fs};

/// Runs `body` with a profile.
fn with(name: &str, profile: &str, body: impl FnOnce()) {
    isolated(name, &[("LAHAR_PROFILE", profile)], body);
}

/// Sizes of heaps, numbers of queues by family, name and limits of the device.
fn looks(instance: &Instance) -> (Vec<u64>, Vec<u32>, String, vk::PhysicalDeviceLimits) {
    let (raw, physical) = (&instance.raw, instance.physical);
    // SAFETY: the physical device is alive.
    unsafe {
        let memory = raw.get_physical_device_memory_properties(physical);
        let families = raw.get_physical_device_queue_family_properties(physical);
        let properties = raw.get_physical_device_properties(physical);
        (
            memory
                .memory_heaps_as_slice()
                .iter()
                .map(|heap| heap.size)
                .collect(),
            families.iter().map(|family| family.queue_count).collect(),
            CStr::from_ptr(properties.device_name.as_ptr())
                .to_string_lossy()
                .into_owned(),
            properties.limits,
        )
    }
}

/// Whether memory can be had, and commands are executed.
fn works() {
    let device = Device::new();
    let (buffer, commands) = (Buffer::new(&device, 64), Commands::new(&device));
    commands.record(&device, |cb| {
        // SAFETY: the buffer is alive and long enough.
        unsafe { device.raw.cmd_fill_buffer(cb, buffer.raw, 0, 64, 7) };
    });
    commands.run(&device).expect("done");
    assert_eq!(buffer.words(), [7; 16]);
    commands.destroy(&device);
    buffer.destroy(&device);
}

#[test]
fn a_telephone() {
    with("a_telephone", "tiler", || {
        let instance = Instance::new();
        let (heaps, queues, name, limits) = looks(&instance);
        assert_eq!((heaps.len(), &*queues, &*name), (1, &[1][..], "Lahar (tiler)"));
        assert_eq!(limits.max_image_dimension2_d, 8192);
        assert_eq!(
            limits.line_width_range,
            [1.0, 1.0],
            "a limit of a feature that is not there"
        );
        let (raw, physical) = (&instance.raw, instance.physical);
        // SAFETY: the physical device is alive.
        let (features, format) = unsafe {
            (
                raw.get_physical_device_features(physical),
                raw.get_physical_device_format_properties(physical, vk::Format::BC1_RGB_UNORM_BLOCK),
            )
        };
        assert_eq!(
            (features.logic_op, features.independent_blend),
            (vk::FALSE, vk::TRUE)
        );
        assert!(format.optimal_tiling_features.is_empty());
        drop(instance);
        works();
    });
}

#[test]
fn no_more_than_is_required() {
    with("no_more_than_is_required", "minimal", || {
        let instance = Instance::new();
        // SAFETY: the physical device is alive.
        let (extensions, features) = unsafe {
            (
                instance
                    .raw
                    .enumerate_device_extension_properties(instance.physical)
                    .expect("a list"),
                instance.raw.get_physical_device_features(instance.physical),
            )
        };
        let names: Vec<_> = extensions.iter().map(|e| e.extension_name_as_c_str()).collect();
        assert_eq!(names, [Ok(c"VK_KHR_swapchain")]);
        assert_eq!(
            (features.robust_buffer_access, features.shader_int64),
            (vk::TRUE, vk::FALSE)
        );
        assert_eq!(looks(&instance).3.max_compute_work_group_invocations, 128);
        drop(instance);
        works();
    });
}

#[test]
fn a_large_card_and_all_its_queues() {
    with("a_large_card_and_all_its_queues", "workstation", || {
        let instance = Instance::new();
        let (heaps, queues, name, _) = looks(&instance);
        assert_eq!(
            (heaps.len(), &*queues, &*name),
            (3, &[2, 4, 2][..], "Lahar (workstation)")
        );
        let priorities = [0.5; 4];
        let asked: Vec<_> = (0..)
            .zip(&queues)
            .map(|(family, &count)| {
                vk::DeviceQueueCreateInfo::default()
                    .queue_family_index(family)
                    .queue_priorities(&priorities[..count as usize])
            })
            .collect();
        let info = vk::DeviceCreateInfo::default().queue_create_infos(&asked);
        // SAFETY: the structures are alive; the device is idle when it goes.
        unsafe {
            let device = instance
                .raw
                .create_device(instance.physical, &info, None)
                .expect("a device");
            let copies = device.get_device_queue(2, 1);
            device
                .queue_submit(copies, &[], vk::Fence::null())
                .expect("submitted");
            device.queue_wait_idle(copies).expect("done");
            device.destroy_device(None);
        }
        drop(instance);
        works();
    });
}

#[test]
fn files_are_read_and_bad_ones_refused() {
    let dir = scratch("profile-files");
    let (good, bad) = (dir.join("good.toml"), dir.join("bad.toml"));
    fs::write(
        &good,
        "version = 1\nname = \"ours\"\n[hide]\nlimit = \"maxPushConstantsSize=128\"\n",
    )
    .expect("written");
    fs::write(
        &bad,
        "version = 1\nname = \"ours\"\n[hide]\nlimit = \"maxPushConstantSize=128\"\n",
    )
    .expect("written");
    with(
        "files_are_read_and_bad_ones_refused",
        &good.display().to_string(),
        || {
            let instance = Instance::new();
            let (_, queues, name, limits) = looks(&instance);
            assert_eq!((&*queues, &*name), (&[2, 2][..], "Lahar (ours)"));
            assert_eq!(limits.max_push_constants_size, 128);
        },
    );
    let mut command = common::child::client("vulkaninfo");
    let Ok(told) = command.env("LAHAR_PROFILE", &bad).output() else {
        return;
    };
    let text = common::child::both(&told);
    assert!(
        text.contains("bad.toml:4:9: unknown limit") && text.contains("did you mean"),
        "{text}"
    );
}
