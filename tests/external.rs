//! Memory, semaphores and fences shared by two processes.

mod common;

use ash::vk::{self, Handle};
use common::{Device, Instance, child, work};
use std::{
    fs::File,
    os::fd::{AsRawFd, FromRawFd, IntoRawFd, OwnedFd},
    sync::Mutex,
};

/// What the second process opens: descriptors of the first, as paths.
const PATHS: &str = "LAHAR_TEST_SHARED";
const SIZE: u64 = 64 << 10;
const MEMORY: vk::ExternalMemoryHandleTypeFlags = vk::ExternalMemoryHandleTypeFlags::OPAQUE_FD;
const SEMAPHORE: vk::ExternalSemaphoreHandleTypeFlags = vk::ExternalSemaphoreHandleTypeFlags::OPAQUE_FD;
const FENCE: vk::ExternalFenceHandleTypeFlags = vk::ExternalFenceHandleTypeFlags::OPAQUE_FD;

/// Type, id and handle of memory events.
type Log = Mutex<Vec<(i32, u64, u64)>>;

unsafe extern "system" fn note(
    data: *const vk::DeviceMemoryReportCallbackDataEXT<'_>,
    log: *mut std::ffi::c_void,
) {
    // SAFETY: the driver gives a valid structure and the data given at device creation.
    let (data, log) = unsafe { (&*data, &*log.cast::<Log>()) };
    if data.object_type == vk::ObjectType::DEVICE_MEMORY {
        let event = (data.ty.as_raw(), data.memory_object_id, data.object_handle);
        log.lock().unwrap().push(event);
    }
}

fn device(log: &Log) -> Device {
    let names = [
        ash::khr::external_memory_fd::NAME.as_ptr(),
        ash::khr::external_semaphore_fd::NAME.as_ptr(),
        ash::khr::external_fence_fd::NAME.as_ptr(),
        ash::khr::timeline_semaphore::NAME.as_ptr(),
        ash::ext::device_memory_report::NAME.as_ptr(),
    ];
    let mut report = vk::DeviceDeviceMemoryReportCreateInfoEXT {
        pfn_user_callback: Some(note),
        p_user_data: (&raw const *log).cast_mut().cast(),
        ..Default::default()
    };
    let mut timeline = vk::PhysicalDeviceTimelineSemaphoreFeatures::default().timeline_semaphore(true);
    let mut reports = vk::PhysicalDeviceDeviceMemoryReportFeaturesEXT::default().device_memory_report(true);
    let info = vk::DeviceCreateInfo::default()
        .enabled_extension_names(&names)
        .push_next(&mut timeline)
        .push_next(&mut reports)
        .push_next(&mut report);
    Device::create(Instance::new(), info)
}

/// Memory that is exported, or imported from a descriptor.
fn memory(device: &Device, fd: Option<OwnedFd>) -> Result<vk::DeviceMemory, vk::Result> {
    // SAFETY: the physical device is alive.
    let types = unsafe {
        let instance = &device.instance;
        instance
            .raw
            .get_physical_device_memory_properties(instance.physical)
    };
    let mappable = types
        .memory_types_as_slice()
        .iter()
        .position(|ty| ty.property_flags.contains(vk::MemoryPropertyFlags::HOST_COHERENT));
    let mut export = vk::ExportMemoryAllocateInfo::default().handle_types(MEMORY);
    let mut import = vk::ImportMemoryFdInfoKHR::default().handle_type(MEMORY);
    let info = vk::MemoryAllocateInfo::default()
        .allocation_size(SIZE)
        .memory_type_index(mappable.unwrap() as u32);
    let info = match &fd {
        Some(fd) => {
            import = import.fd(fd.as_raw_fd());
            info.push_next(&mut import)
        }
        None => info.push_next(&mut export),
    };
    // SAFETY: the structures are valid; the descriptor belongs to the driver once this succeeds.
    let made = unsafe { device.raw.allocate_memory(&info, None) };
    if let (Ok(_), Some(fd)) = (&made, fd) {
        let _ = fd.into_raw_fd();
    }
    made
}

fn buffer(device: &Device, memory: vk::DeviceMemory) -> vk::Buffer {
    let mut external = vk::ExternalMemoryBufferCreateInfo::default().handle_types(MEMORY);
    let info = vk::BufferCreateInfo::default()
        .size(SIZE)
        .usage(vk::BufferUsageFlags::TRANSFER_SRC | vk::BufferUsageFlags::TRANSFER_DST)
        .push_next(&mut external);
    // SAFETY: the memory is large enough and of any type.
    unsafe {
        let buffer = device.raw.create_buffer(&info, None).unwrap();
        device.raw.bind_buffer_memory(buffer, memory, 0).unwrap();
        buffer
    }
}

fn semaphore(device: &Device, ty: vk::SemaphoreType) -> vk::Semaphore {
    let mut ty = vk::SemaphoreTypeCreateInfo::default().semaphore_type(ty);
    let mut export = vk::ExportSemaphoreCreateInfo::default().handle_types(SEMAPHORE);
    let info = vk::SemaphoreCreateInfo::default()
        .push_next(&mut ty)
        .push_next(&mut export);
    // SAFETY: the structure is valid.
    unsafe { device.raw.create_semaphore(&info, None) }.unwrap()
}

/// A submission that waits for one semaphore and signals another; timeline semaphores with the value 1.
fn submit(
    device: &Device,
    commands: &[vk::CommandBuffer],
    waits: &[vk::Semaphore],
    signals: &[vk::Semaphore],
    fence: vk::Fence,
) {
    let mut values = vk::TimelineSemaphoreSubmitInfo::default()
        .wait_semaphore_values(&[1][..waits.len()])
        .signal_semaphore_values(&[1][..signals.len()]);
    let info = vk::SubmitInfo::default()
        .command_buffers(commands)
        .wait_semaphores(waits)
        .wait_dst_stage_mask(&[vk::PipelineStageFlags::ALL_COMMANDS][..waits.len()])
        .signal_semaphores(signals)
        .push_next(&mut values);
    // SAFETY: everything is alive until the caller has waited.
    unsafe { device.raw.queue_submit(device.queue, &[info], fence) }.unwrap();
}

fn open(path: &str) -> OwnedFd {
    File::options().read(true).write(true).open(path).unwrap().into()
}

/// The second process: doubles the first half of the memory into the second, once it is there.
fn second() {
    let paths = std::env::var(PATHS).unwrap();
    let paths: Vec<&str> = paths.split(' ').collect();
    let log = Log::default();
    let device = device(&log);
    let (instance, raw) = (&device.instance.raw, &device.raw);
    let semaphores = ash::khr::external_semaphore_fd::Device::new(instance, raw);
    let fences = ash::khr::external_fence_fd::Device::new(instance, raw);
    let shared = memory(&device, Some(open(paths[0]))).unwrap();
    let id = log.lock().unwrap()[0].1;
    assert_eq!(*log.lock().unwrap(), [(2, id, shared.as_raw())], "an import");
    println!("id {id}");
    let buffer = buffer(&device, shared);
    let (wait, signal) = (
        semaphore(&device, vk::SemaphoreType::TIMELINE),
        semaphore(&device, vk::SemaphoreType::BINARY),
    );
    for (semaphore, path) in [(wait, paths[1]), (signal, paths[2])] {
        let info = vk::ImportSemaphoreFdInfoKHR::default()
            .semaphore(semaphore)
            .handle_type(SEMAPHORE)
            .fd(open(path).into_raw_fd());
        // SAFETY: the descriptor is of a semaphore of this type.
        unsafe { semaphores.import_semaphore_fd(&info) }.unwrap();
    }
    // SAFETY: everything passed is valid, and the queue is idle at the end.
    unsafe {
        let fence = raw.create_fence(&vk::FenceCreateInfo::default(), None).unwrap();
        let info = vk::ImportFenceFdInfoKHR::default()
            .fence(fence)
            .handle_type(FENCE)
            .fd(open(paths[3]).into_raw_fd());
        fences.import_fence_fd(&info).unwrap();
        let work = work::Commands::new(&device);
        let copy = vk::BufferCopy::default().dst_offset(SIZE / 2).size(SIZE / 2);
        work.record(&device, |commands| {
            raw.cmd_copy_buffer(commands, buffer, buffer, &[copy]);
        });
        submit(&device, &[work.raw], &[wait], &[signal], fence);
        raw.wait_for_fences(&[fence], true, u64::MAX).unwrap();
        raw.queue_wait_idle(device.queue).unwrap();
        work.destroy(&device);
        raw.destroy_fence(fence, None);
        raw.destroy_semaphore(wait, None);
        raw.destroy_semaphore(signal, None);
        raw.destroy_buffer(buffer, None);
        raw.free_memory(shared, None);
    }
    assert_eq!(
        log.lock().unwrap()[1],
        (3, id, shared.as_raw()),
        "the end of an import"
    );
}

#[test]
fn two_processes_share_memory_and_wait_for_each_other() {
    let name = "two_processes_share_memory_and_wait_for_each_other";
    if child::is_child() {
        return second();
    }
    let log = Log::default();
    let device = device(&log);
    let (instance, raw) = (&device.instance.raw, &device.raw);
    let shared = memory(&device, None).unwrap();
    let id = log.lock().unwrap()[0].1;
    let buffer = buffer(&device, shared);
    let (ready, done) = (
        semaphore(&device, vk::SemaphoreType::TIMELINE),
        semaphore(&device, vk::SemaphoreType::BINARY),
    );
    let mut export = vk::ExportFenceCreateInfo::default().handle_types(FENCE);
    let fence = vk::FenceCreateInfo::default().push_next(&mut export);
    // SAFETY: everything passed is valid; what is destroyed is not in use.
    unsafe {
        let fence = raw.create_fence(&fence, None).unwrap();
        let memories = ash::khr::external_memory_fd::Device::new(instance, raw);
        let semaphores = ash::khr::external_semaphore_fd::Device::new(instance, raw);
        let fences = ash::khr::external_fence_fd::Device::new(instance, raw);
        let of_semaphore = |semaphore| {
            let info = vk::SemaphoreGetFdInfoKHR::default()
                .semaphore(semaphore)
                .handle_type(SEMAPHORE);
            semaphores.get_semaphore_fd(&info).unwrap()
        };
        let of_memory = vk::MemoryGetFdInfoKHR::default()
            .memory(shared)
            .handle_type(MEMORY);
        let of_fence = vk::FenceGetFdInfoKHR::default().fence(fence).handle_type(FENCE);
        let descriptors: Vec<OwnedFd> = [
            memories.get_memory_fd(&of_memory).unwrap(),
            of_semaphore(ready),
            of_semaphore(done),
            fences.get_fence_fd(&of_fence).unwrap(),
        ]
        .map(|fd| OwnedFd::from_raw_fd(fd))
        .into();
        let path = |fd: &OwnedFd| format!("/proc/{}/fd/{}", std::process::id(), fd.as_raw_fd());
        let paths = descriptors.iter().map(path).collect::<Vec<_>>().join(" ");
        let other = std::thread::spawn(move || child::isolated(name, &[(PATHS, &paths)], || ()));
        let work = work::Commands::new(&device);
        work.record(&device, |commands| {
            raw.cmd_fill_buffer(commands, buffer, 0, SIZE / 2, 0x1234_5678);
        });
        submit(&device, &[work.raw], &[], &[ready], vk::Fence::null());
        // Only the other process signals the fence, and the semaphore that the queue waits for.
        submit(&device, &[], &[done], &[], vk::Fence::null());
        raw.wait_for_fences(&[fence], true, u64::MAX).unwrap();
        raw.queue_wait_idle(device.queue).unwrap();
        let at = raw
            .map_memory(shared, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty())
            .unwrap();
        let words = std::slice::from_raw_parts(at.cast::<u32>(), SIZE as usize / 4);
        assert!(words.iter().all(|word| *word == 0x1234_5678));
        let said = other.join().unwrap().unwrap();
        assert!(said.contains(&format!("id {id}")), "one payload, one id: {said}");
        work.destroy(&device);
        raw.destroy_fence(fence, None);
        raw.destroy_semaphore(ready, None);
        raw.destroy_semaphore(done, None);
        raw.destroy_buffer(buffer, None);
        raw.free_memory(shared, None);
    }
}

#[test]
fn what_was_never_exported_is_refused() {
    let log = Log::default();
    let device = device(&log);
    let invalid = Some(vk::Result::ERROR_INVALID_EXTERNAL_HANDLE);
    let file = File::open("/dev/null").unwrap();
    assert_eq!(memory(&device, Some(file.into())).err(), invalid);
    let semaphore = semaphore(&device, vk::SemaphoreType::BINARY);
    let (instance, raw) = (&device.instance.raw, &device.raw);
    let semaphores = ash::khr::external_semaphore_fd::Device::new(instance, raw);
    // SAFETY: everything passed is valid; what is refused stays ours.
    unsafe {
        let info = vk::SemaphoreGetFdInfoKHR::default()
            .semaphore(semaphore)
            .handle_type(SEMAPHORE);
        let fd = OwnedFd::from_raw_fd(semaphores.get_semaphore_fd(&info).unwrap());
        assert_eq!(
            memory(&device, Some(fd)).err(),
            invalid,
            "a semaphore is no memory"
        );
        raw.destroy_semaphore(semaphore, None);
    }
}

#[test]
fn a_temporary_import_lasts_for_one_wait() {
    let log = Log::default();
    let device = device(&log);
    let (instance, raw) = (&device.instance.raw, &device.raw);
    let semaphores = ash::khr::external_semaphore_fd::Device::new(instance, raw);
    let [own, other] = [(); 2].map(|()| semaphore(&device, vk::SemaphoreType::BINARY));
    // SAFETY: everything passed is valid; what is destroyed is not in use.
    unsafe {
        let info = vk::SemaphoreGetFdInfoKHR::default()
            .semaphore(other)
            .handle_type(SEMAPHORE);
        let fd = semaphores.get_semaphore_fd(&info).unwrap();
        let info = vk::ImportSemaphoreFdInfoKHR::default()
            .semaphore(own)
            .flags(vk::SemaphoreImportFlags::TEMPORARY)
            .handle_type(SEMAPHORE)
            .fd(fd);
        semaphores.import_semaphore_fd(&info).unwrap();
        submit(&device, &[], &[], &[other], vk::Fence::null());
        submit(&device, &[], &[own], &[], vk::Fence::null());
        // From here on it is its own again.
        submit(&device, &[], &[], &[own], vk::Fence::null());
        submit(&device, &[], &[own], &[], vk::Fence::null());
        raw.queue_wait_idle(device.queue).unwrap();
        raw.destroy_semaphore(own, None);
        raw.destroy_semaphore(other, None);
    }
}
