//! How far a lost device came, through the loader: checkpoints, markers in buffers, and memory for them.

mod common;

use ash::{
    amd::{buffer_marker, device_coherent_memory},
    khr,
    nv::device_diagnostic_checkpoints,
};
use lahar::fault::dump::ReachedSection;

use common::{
    Device, Instance,
    loss::LOST,
    vk,
    work::{Buffer, Commands},
};

fn device() -> Device {
    let mut sync2 = vk::PhysicalDeviceSynchronization2Features::default().synchronization2(true);
    let names = [
        device_diagnostic_checkpoints::NAME.as_ptr(),
        buffer_marker::NAME.as_ptr(),
        khr::synchronization2::NAME.as_ptr(),
        ash::ext::device_fault::NAME.as_ptr(),
    ];
    let mut fault = vk::PhysicalDeviceFaultFeaturesEXT::default()
        .device_fault(true)
        .device_fault_vendor_binary(true);
    let info = vk::DeviceCreateInfo::default()
        .enabled_extension_names(&names)
        .push_next(&mut fault)
        .push_next(&mut sync2);
    Device::create(Instance::new(), info)
}

/// The checkpoints of the queue: by the first form and by the second.
fn reached(device: &Device) -> [Vec<(u64, usize)>; 2] {
    let functions = device_diagnostic_checkpoints::Device::new(&device.instance.raw, &device.raw);
    let mut count = 0;
    // SAFETY: the queue lives; the arrays are as long as told.
    unsafe {
        let get = functions.fp().get_queue_checkpoint_data_nv;
        get(device.queue, &raw mut count, std::ptr::null_mut());
        let mut one = vec![vk::CheckpointDataNV::default(); count as usize];
        get(device.queue, &raw mut count, one.as_mut_ptr());
        let mut two = vec![vk::CheckpointData2NV::default(); count as usize];
        let get = device.instance.raw.fp_v1_0().get_device_proc_addr;
        let get = get(device.raw.handle(), c"vkGetQueueCheckpointData2NV".as_ptr()).expect("the command");
        type Any = unsafe extern "system" fn();
        let get = std::mem::transmute::<Any, vk::PFN_vkGetQueueCheckpointData2NV>(get);
        get(device.queue, &raw mut count, two.as_mut_ptr());
        [
            one.iter()
                .map(|data| (u64::from(data.stage.as_raw()), data.p_checkpoint_marker as usize))
                .collect(),
            two.iter()
                .map(|data| (data.stage.as_raw(), data.p_checkpoint_marker as usize))
                .collect(),
        ]
    }
}

#[test]
fn checkpoints_and_markers_stop_at_the_command_at_fault() {
    let device = device();
    let raw = &device.raw;
    let points = device_diagnostic_checkpoints::Device::new(&device.instance.raw, raw);
    let markers = buffer_marker::Device::new(&device.instance.raw, raw);
    let (src, dst, words) = (
        Buffer::new(&device, 64),
        Buffer::new(&device, 64),
        Buffer::new(&device, 16),
    );
    let commands = Commands::new(&device);
    let marker = |n: usize| n as *const std::ffi::c_void;
    let write = markers.fp().cmd_write_buffer_marker_amd;
    let set = points.fp().cmd_set_checkpoint_nv;
    // SAFETY: get_device_proc_addr and the command are called as Vulkan asks.
    let write2 = unsafe {
        let get = device.instance.raw.fp_v1_0().get_device_proc_addr;
        let write2 = get(raw.handle(), c"vkCmdWriteBufferMarker2AMD".as_ptr()).expect("the command");
        type Any = unsafe extern "system" fn();
        std::mem::transmute::<Any, vk::PFN_vkCmdWriteBufferMarker2AMD>(write2)
    };
    // SAFETY: all is bound and alive; the copy's source goes before it is submitted, which is the fault that is meant.
    commands.record(&device, |cb| unsafe {
        let (top, bottom) = (
            vk::PipelineStageFlags::TOP_OF_PIPE,
            vk::PipelineStageFlags::BOTTOM_OF_PIPE,
        );
        set(cb, marker(0x10));
        write(cb, top, words.raw, 0, 1);
        raw.cmd_fill_buffer(cb, dst.raw, 0, 64, 7);
        set(cb, marker(0x20));
        write2(cb, vk::PipelineStageFlags2::BOTTOM_OF_PIPE, words.raw, 4, 2);
        raw.cmd_copy_buffer(cb, src.raw, dst.raw, &[vk::BufferCopy::default().size(64)]);
        set(cb, marker(0x30));
        write(cb, top, words.raw, 8, 3);
        write(cb, bottom, words.raw, 12, 4);
    });
    src.destroy(&device);
    assert_eq!(reached(&device), [[], []], "a healthy device tells nothing");
    assert_eq!(commands.run(&device), LOST);
    let both = vec![(0x1, 0x20), (0x2000, 0x20)];
    assert_eq!(reached(&device), [both.clone(), both]);
    assert_eq!(words.words(), [1, 2, 0, 0]);
    let dump = common::fault::Report::of(&device).dump;
    let told: Vec<ReachedSection> = dump.content(b"MARK").expect("what was passed");
    let told: Vec<_> = told
        .iter()
        .map(|step| {
            (
                &*step.kind,
                &*step.value,
                step.address.is_some(),
                step.submission,
                step.command,
            )
        })
        .collect();
    let expected = [
        ("checkpoint", "0x20", false, 1, 3),
        ("buffer-marker", "0x2", true, 1, 4),
    ];
    assert_eq!(told, expected);
    let text = lahar::fault::dump::to_text(&dump);
    assert!(
        text.contains("  queue 0.0: checkpoint 0x20 (submission 1, after 3 of its commands)"),
        "{text}"
    );
    let page = lahar::fault::dump::to_html(&dump);
    assert!(page.contains("checkpoint 0x20"), "{page}");
    assert!(lahar::fault::dump::to_json(&dump).contains("buffer-marker"));
    commands.destroy(&device);
    dst.destroy(&device);
    words.destroy(&device);
}

#[test]
fn the_last_checkpoint_of_many_submissions_is_told() {
    let device = device();
    let points = device_diagnostic_checkpoints::Device::new(&device.instance.raw, &device.raw);
    let commands = Commands::new(&device);
    for n in 1..=600_usize {
        // SAFETY: the marker is only handed back.
        commands.record(&device, |cb| unsafe {
            (points.fp().cmd_set_checkpoint_nv)(cb, n as *const std::ffi::c_void);
        });
        assert_eq!(commands.run(&device), Ok(()));
    }
    common::loss::fault(&device, device.queue);
    assert_eq!(reached(&device)[0], [(0x1, 600), (0x2000, 600)]);
    let text = lahar::fault::dump::to_text(&common::fault::Report::of(&device).dump);
    assert!(
        text.contains("queue 0.0: checkpoint 0x258 (submission 600, "),
        "{text}"
    );
    // All that came before would only bury it.
    assert!(text.contains("  [x] 597 earlier submissions done\n"), "{text}");
    assert_eq!(text.matches("[x] submission").count(), 3, "{text}");
    commands.destroy(&device);
}

#[test]
fn queue_families_tell_their_checkpoint_stages() {
    let instance = Instance::new();
    let mut one = vk::QueueFamilyCheckpointPropertiesNV::default();
    let mut two = vk::QueueFamilyCheckpointProperties2NV::default();
    let mut families = [
        vk::QueueFamilyProperties2::default().push_next(&mut one),
        vk::QueueFamilyProperties2::default().push_next(&mut two),
    ];
    // SAFETY: the chains are valid.
    unsafe {
        instance
            .raw
            .get_physical_device_queue_family_properties2(instance.physical, &mut families);
    }
    assert_eq!(one.checkpoint_execution_stage_mask.as_raw(), 0x2001);
    assert_eq!(two.checkpoint_execution_stage_mask.as_raw(), 0x2001);
}

#[test]
fn coherent_types_need_their_feature() {
    let requirements = |device: &Device| {
        let info = vk::BufferCreateInfo::default()
            .size(64)
            .usage(vk::BufferUsageFlags::TRANSFER_DST);
        // SAFETY: plain structures; the buffer is destroyed.
        unsafe {
            let buffer = device.raw.create_buffer(&info, None).expect("a buffer");
            let requirements = device.raw.get_buffer_memory_requirements(buffer);
            device.raw.destroy_buffer(buffer, None);
            requirements.memory_type_bits
        }
    };
    let plain = Device::new();
    // SAFETY: the physical device is alive.
    let types = unsafe {
        let instance = &plain.instance;
        instance
            .raw
            .get_physical_device_memory_properties(instance.physical)
    };
    let flags = vk::MemoryPropertyFlags::DEVICE_COHERENT_AMD | vk::MemoryPropertyFlags::DEVICE_UNCACHED_AMD;
    let is_coherent = |i: u32| types.memory_types[i as usize].property_flags.contains(flags);
    let coherent = (0..types.memory_type_count)
        .filter(|&i| is_coherent(i))
        .fold(0_u32, |mask, i| mask | 1 << i);
    let all = (1 << types.memory_type_count) - 1;
    assert!(
        coherent != 0 && coherent.trailing_ones() == 0,
        "they come after plain ones"
    );
    assert_eq!(requirements(&plain), all & !coherent);

    let mut feature = vk::PhysicalDeviceCoherentMemoryFeaturesAMD::default().device_coherent_memory(true);
    let names = [device_coherent_memory::NAME.as_ptr()];
    let info = vk::DeviceCreateInfo::default()
        .enabled_extension_names(&names)
        .push_next(&mut feature);
    let device = Device::create(Instance::new(), info);
    assert_eq!(requirements(&device), all);
    let info = vk::MemoryAllocateInfo::default()
        .allocation_size(64)
        .memory_type_index(coherent.trailing_zeros());
    // SAFETY: plain structures; the memory is freed.
    unsafe {
        let memory = device.raw.allocate_memory(&info, None).expect("memory");
        device.raw.free_memory(memory, None);
    }
}
