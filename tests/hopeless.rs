//! Waits of queues that nothing can end, through the loader: the device is lost rather than the program stuck.

mod common;

use ash::{ext::device_fault, khr};
use common::{
    Device, Instance,
    child::isolated,
    loss::{LOST, description, name},
    vk,
    work::Commands,
};

fn device() -> Device {
    let mut timeline = vk::PhysicalDeviceTimelineSemaphoreFeatures::default().timeline_semaphore(true);
    let mut fault = vk::PhysicalDeviceFaultFeaturesEXT::default().device_fault(true);
    let names = [
        khr::timeline_semaphore::NAME.as_ptr(),
        device_fault::NAME.as_ptr(),
    ];
    let info = vk::DeviceCreateInfo::default()
        .enabled_extension_names(&names)
        .push_next(&mut timeline)
        .push_next(&mut fault);
    Device::create(Instance::with_extensions(&[ash::ext::debug_utils::NAME]), info)
}

fn semaphore(device: &Device, kind: vk::SemaphoreType) -> vk::Semaphore {
    let mut kind = vk::SemaphoreTypeCreateInfo::default().semaphore_type(kind);
    let info = vk::SemaphoreCreateInfo::default().push_next(&mut kind);
    // SAFETY: the structures are valid.
    let made = unsafe { device.raw.create_semaphore(&info, None) }.expect("a semaphore");
    name(device, made, c"the gate");
    made
}

/// Submits a wait for a value of a semaphore.
fn submit_wait(device: &Device, semaphore: vk::Semaphore, value: u64) {
    let (semaphores, values) = ([semaphore], [value]);
    let mut values = vk::TimelineSemaphoreSubmitInfo::default().wait_semaphore_values(&values);
    let submit = vk::SubmitInfo::default()
        .wait_semaphores(&semaphores)
        .wait_dst_stage_mask(&[vk::PipelineStageFlags::ALL_COMMANDS])
        .push_next(&mut values);
    // SAFETY: all lives until the wait has ended.
    unsafe {
        device
            .raw
            .queue_submit(device.queue, &[submit], vk::Fence::null())
    }
    .expect("submitted");
}

#[test]
fn a_binary_semaphore_that_nothing_signals() {
    let device = device();
    let gate = semaphore(&device, vk::SemaphoreType::BINARY);
    submit_wait(&device, gate, 0);
    // SAFETY: all handles are alive.
    unsafe {
        assert_eq!(device.raw.queue_wait_idle(device.queue), LOST);
        device.raw.destroy_semaphore(gate, None);
    }
    let says = description(&device);
    assert!(
        says.contains("queue 0 of family 0 waits for semaphore")
            && says.contains("\"the gate\", which nothing submitted brings"),
        "{says}"
    );
}

#[test]
fn a_late_signal_is_in_time_while_nobody_waits_for_ever() {
    let device = device();
    let gate = semaphore(&device, vk::SemaphoreType::BINARY);
    submit_wait(&device, gate, 0);
    // SAFETY: all handles are alive.
    unsafe {
        let fence = device
            .raw
            .create_fence(&vk::FenceCreateInfo::default(), None)
            .expect("a fence");
        device
            .raw
            .queue_submit(device.queue, &[], fence)
            .expect("submitted");
        let timeout = Err(vk::Result::TIMEOUT);
        assert_eq!(device.raw.wait_for_fences(&[fence], true, 2_000_000), timeout);
        assert_eq!(device.raw.get_fence_status(fence), Ok(false), "not lost");
        device.raw.destroy_fence(fence, None);
        device.raw.destroy_semaphore(gate, None);
    }
}

/// Runs commands that wait for an event with these source stages, while the host waits for ever.
fn wait_event(device: &Device, stages: vk::PipelineStageFlags) -> Result<(), vk::Result> {
    let commands = Commands::new(device);
    // SAFETY: all lives until the work is done or the device lost.
    unsafe {
        let event = device
            .raw
            .create_event(&vk::EventCreateInfo::default(), None)
            .expect("an event");
        name(device, event, c"never");
        commands.record(device, |cb| {
            let all = vk::PipelineStageFlags::ALL_COMMANDS;
            device
                .raw
                .cmd_wait_events(cb, &[event], stages, all, &[], &[], &[]);
        });
        let result = commands.run(device);
        device.raw.destroy_event(event, None);
        commands.destroy(device);
        result
    }
}

#[test]
fn an_event_that_no_command_has_set() {
    let device = device();
    assert_eq!(wait_event(&device, vk::PipelineStageFlags::TRANSFER), LOST);
    let says = description(&device);
    assert!(
        says.contains("waits for event") && says.contains("\"never\""),
        "{says}"
    );
}

#[test]
fn a_query_that_nothing_ends() {
    let device = device();
    let commands = Commands::new(&device);
    let buffer = common::work::Buffer::new(&device, 8);
    // SAFETY: all lives until the device is lost.
    unsafe {
        let pool = vk::QueryPoolCreateInfo::default()
            .query_type(vk::QueryType::OCCLUSION)
            .query_count(1);
        let pool = device.raw.create_query_pool(&pool, None).expect("a query pool");
        commands.record(&device, |cb| {
            device.raw.cmd_reset_query_pool(cb, pool, 0, 1);
            let flags = vk::QueryResultFlags::WAIT;
            device
                .raw
                .cmd_copy_query_pool_results(cb, pool, 0, 1, buffer.raw, 0, 8, flags);
        });
        assert_eq!(commands.run(&device), LOST);
        device.raw.destroy_query_pool(pool, None);
    }
    let says = description(&device);
    assert!(says.contains("waits for 1 queries from number 0"), "{says}");
    commands.destroy(&device);
    buffer.destroy(&device);
}

#[test]
fn what_the_host_may_still_do_ends_with_the_time_limit_only() {
    let name = "what_the_host_may_still_do_ends_with_the_time_limit_only";
    isolated(name, &[("LAHAR_TIMEOUT_MS", "50")], || {
        let first = device();
        let gate = semaphore(&first, vk::SemaphoreType::TIMELINE);
        submit_wait(&first, gate, 7);
        // SAFETY: all handles are alive.
        unsafe {
            assert_eq!(first.raw.device_wait_idle(), LOST);
            first.raw.destroy_semaphore(gate, None);
        }
        let says = description(&first);
        assert!(
            says.contains("waits for value 7 of semaphore")
                && says.contains("\"the gate\", which did not come within the limit of 50 ms"),
            "{says}"
        );
        let second = device();
        assert_eq!(wait_event(&second, vk::PipelineStageFlags::HOST), LOST);
        let says = description(&second);
        assert!(
            says.contains("waits for event") && says.contains("50 ms"),
            "{says}"
        );
    });
}
