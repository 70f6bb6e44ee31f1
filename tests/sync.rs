//! Fences, semaphores, events and queues through the loader.

mod common;

use common::{
    Device, vk,
    work::{Buffer, Commands},
};

fn fence(device: &Device, flags: vk::FenceCreateFlags) -> vk::Fence {
    // SAFETY: plain structures.
    unsafe {
        device
            .raw
            .create_fence(&vk::FenceCreateInfo::default().flags(flags), None)
    }
    .expect("a fence")
}

#[test]
fn fences_are_signaled_by_submissions_and_reset_by_the_host() {
    let device = Device::new();
    let set = fence(&device, vk::FenceCreateFlags::SIGNALED);
    let unset = fence(&device, vk::FenceCreateFlags::empty());
    let raw = &device.raw;
    // SAFETY: all handles are alive.
    unsafe {
        assert_eq!(raw.get_fence_status(set), Ok(true));
        assert_eq!(raw.get_fence_status(unset), Ok(false));
        assert_eq!(raw.wait_for_fences(&[set, unset], false, u64::MAX), Ok(()));
        assert_eq!(
            raw.wait_for_fences(&[set, unset], true, 1000),
            Err(vk::Result::TIMEOUT)
        );
        assert_eq!(raw.wait_for_fences(&[unset], true, 0), Err(vk::Result::TIMEOUT));
        raw.reset_fences(&[set]).expect("reset");
        assert_eq!(raw.get_fence_status(set), Ok(false));
        raw.queue_submit(device.queue, &[], set).expect("submitted");
        assert_eq!(raw.wait_for_fences(&[set], true, u64::MAX), Ok(()));
        raw.destroy_fence(set, None);
        raw.destroy_fence(unset, None);
    }
}

#[test]
fn binary_semaphores_order_submissions() {
    let device = Device::new();
    let raw = &device.raw;
    let buffer = Buffer::new(&device, 4);
    let commands: Vec<_> = (0..8).map(|_| Commands::new(&device)).collect();
    for (n, commands) in commands.iter().enumerate() {
        // SAFETY: the buffer is alive.
        commands.record(&device, |cb| unsafe {
            raw.cmd_fill_buffer(cb, buffer.raw, 0, 4, n as u32);
        });
    }
    // SAFETY: all is alive until the queue is idle.
    unsafe {
        let semaphore = raw
            .create_semaphore(&vk::SemaphoreCreateInfo::default(), None)
            .expect("a semaphore");
        let semaphores = [semaphore];
        for (n, commands) in commands.iter().enumerate() {
            let buffers = [commands.raw];
            let mut submit = vk::SubmitInfo::default()
                .command_buffers(&buffers)
                .signal_semaphores(&semaphores);
            if n > 0 {
                let stages = &[vk::PipelineStageFlags::ALL_COMMANDS];
                submit = submit.wait_semaphores(&semaphores).wait_dst_stage_mask(stages);
            }
            raw.queue_submit(device.queue, &[submit], vk::Fence::null())
                .expect("submitted");
        }
        raw.queue_wait_idle(device.queue).expect("idle");
        raw.destroy_semaphore(semaphore, None);
    }
    assert_eq!(buffer.words(), [7]);
    commands
        .into_iter()
        .for_each(|commands| commands.destroy(&device));
    buffer.destroy(&device);
}

#[test]
fn a_queue_waits_for_an_event_that_the_host_sets() {
    let device = Device::new();
    let raw = &device.raw;
    let buffer = Buffer::new(&device, 4);
    let commands = Commands::new(&device);
    // SAFETY: all is alive until the fence is signaled.
    unsafe {
        let [gate, done] = [(); 2].map(|()| {
            raw.create_event(&vk::EventCreateInfo::default(), None)
                .expect("an event")
        });
        commands.record(&device, |cb| {
            let all = vk::PipelineStageFlags::ALL_COMMANDS;
            raw.cmd_wait_events(cb, &[gate], vk::PipelineStageFlags::HOST, all, &[], &[], &[]);
            raw.cmd_fill_buffer(cb, buffer.raw, 0, 4, 5);
            raw.cmd_reset_event(cb, gate, all);
            raw.cmd_set_event(cb, done, all);
        });
        let finished = fence(&device, vk::FenceCreateFlags::empty());
        let buffers = [commands.raw];
        let submit = vk::SubmitInfo::default().command_buffers(&buffers);
        raw.queue_submit(device.queue, &[submit], finished)
            .expect("submitted");
        assert_eq!(
            raw.wait_for_fences(&[finished], true, 2_000_000),
            Err(vk::Result::TIMEOUT)
        );
        assert_eq!(raw.get_event_status(done), Ok(false));
        raw.set_event(gate).expect("set");
        raw.wait_for_fences(&[finished], true, u64::MAX).expect("done");
        assert_eq!(raw.get_event_status(done), Ok(true));
        assert_eq!(raw.get_event_status(gate), Ok(false));
        raw.reset_event(done).expect("reset");
        assert_eq!(raw.get_event_status(done), Ok(false));
        raw.destroy_fence(finished, None);
        raw.destroy_event(gate, None);
        raw.destroy_event(done, None);
    }
    assert_eq!(buffer.words(), [5]);
    commands.destroy(&device);
    buffer.destroy(&device);
}

#[test]
fn a_command_buffer_can_be_pending_many_times_and_recorded_anew() {
    let device = Device::new();
    let raw = &device.raw;
    let buffer = Buffer::new(&device, 8);
    let commands = Commands::new(&device);
    for round in 1..4 {
        // SAFETY: the buffer is alive, and nothing is pending.
        commands.record(&device, |cb| unsafe {
            raw.cmd_fill_buffer(cb, buffer.raw, 0, 4, round);
        });
        for _ in 0..3 {
            commands.run(&device).expect("done");
        }
        assert_eq!(buffer.words(), [round, 0]);
    }
    // SAFETY: nothing is pending.
    unsafe {
        raw.reset_command_pool(commands.pool, vk::CommandPoolResetFlags::RELEASE_RESOURCES)
            .expect("reset");
    }
    commands.record(&device, |_| {});
    commands.run(&device).expect("done");
    commands.destroy(&device);
    buffer.destroy(&device);
}

#[test]
fn secondary_command_buffers_run_where_they_are_called() {
    let device = Device::new();
    let raw = &device.raw;
    let buffer = Buffer::new(&device, 12);
    let commands = Commands::new(&device);
    let secondary = Commands::allocate(&device, commands.pool, vk::CommandBufferLevel::SECONDARY);
    // SAFETY: all is alive until the work is done.
    unsafe {
        let inheritance = vk::CommandBufferInheritanceInfo::default();
        let begin = vk::CommandBufferBeginInfo::default()
            .flags(vk::CommandBufferUsageFlags::SIMULTANEOUS_USE)
            .inheritance_info(&inheritance);
        raw.begin_command_buffer(secondary, &begin).expect("begun");
        let copy = [vk::BufferCopy {
            src_offset: 0,
            dst_offset: 4,
            size: 4,
        }];
        raw.cmd_copy_buffer(secondary, buffer.raw, buffer.raw, &copy);
        raw.end_command_buffer(secondary).expect("ended");
        commands.record(&device, |cb| {
            raw.cmd_fill_buffer(cb, buffer.raw, 0, 4, 1);
            raw.cmd_execute_commands(cb, &[secondary]);
            raw.cmd_fill_buffer(cb, buffer.raw, 0, 4, 2);
            let keep = [vk::BufferCopy {
                src_offset: 4,
                dst_offset: 8,
                size: 4,
            }];
            raw.cmd_copy_buffer(cb, buffer.raw, buffer.raw, &keep);
            raw.cmd_execute_commands(cb, &[secondary]);
        });
    }
    commands.run(&device).expect("done");
    assert_eq!(buffer.words(), [2, 2, 1]);
    commands.destroy(&device);
    buffer.destroy(&device);
}

#[test]
fn a_copy_from_freed_memory_loses_the_device() {
    let device = Device::new();
    let raw = &device.raw;
    let (src, dst) = (Buffer::new(&device, 64), Buffer::new(&device, 64));
    let commands = Commands::new(&device);
    commands.record(&device, |cb| {
        let copy = [vk::BufferCopy {
            src_offset: 0,
            dst_offset: 0,
            size: 64,
        }];
        // SAFETY: the buffers are bound; what comes later is the fault that is tested.
        unsafe { raw.cmd_copy_buffer(cb, src.raw, dst.raw, &copy) };
    });
    src.destroy(&device);
    assert_eq!(commands.run(&device), Err(vk::Result::ERROR_DEVICE_LOST));
    assert_eq!(commands.run(&device), Err(vk::Result::ERROR_DEVICE_LOST));
    // SAFETY: objects of a lost device are destroyed as ever.
    unsafe { assert_eq!(raw.device_wait_idle(), Err(vk::Result::ERROR_DEVICE_LOST)) };
    commands.destroy(&device);
    dst.destroy(&device);
}
