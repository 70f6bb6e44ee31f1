//! The loss of a device through the loader: which calls tell of it, that all waits end, and what goes on working.

mod common;

use ash::{ext::device_fault, khr};
use common::{
    Device, Instance,
    child::{is_child, isolated},
    loss::{LOST, Queues, fault},
    swapchain::{PresentWait2, WaitForPresent2},
    vk,
    work::{Buffer, Commands},
};
use lahar::{
    generated::commands::COMMANDS,
    physical::{
        API_MINOR, extensions,
        registry::{Command, Level},
    },
};
use std::{ffi::CString, mem::transmute, ptr::null};

/// Any command.
type Any = unsafe extern "system" fn();

const ERROR: i32 = vk::Result::ERROR_DEVICE_LOST.as_raw();

/// A device of everything that is offered, with an object of each kind that may tell of a loss.
struct World {
    device: Device,
    queue: vk::Queue,
    fence: vk::Fence,
    signaled: vk::Fence,
    event: vk::Event,
    timeline: vk::Semaphore,
    pool: vk::QueryPool,
    surface: vk::SurfaceKHR,
    swapchain: vk::SwapchainKHR,
}

// SAFETY: the handles may be used on any thread, with the care that the tests take.
unsafe impl Sync for World {}

impl World {
    fn new() -> Self {
        let instance = Instance::with_extensions(&[
            c"VK_KHR_surface",
            c"VK_KHR_get_surface_capabilities2",
            c"VK_EXT_headless_surface",
        ]);
        let names: Vec<_> = extensions::DEVICE
            .iter()
            .map(|id| id.info().name.as_ptr())
            .collect();
        let mut timeline = vk::PhysicalDeviceTimelineSemaphoreFeatures::default().timeline_semaphore(true);
        let mut sync2 = vk::PhysicalDeviceSynchronization2Features::default().synchronization2(true);
        let mut fault = vk::PhysicalDeviceFaultFeaturesEXT::default().device_fault(true);
        let info = vk::DeviceCreateInfo::default()
            .enabled_extension_names(&names)
            .push_next(&mut timeline)
            .push_next(&mut sync2)
            .push_next(&mut fault);
        let device = Device::create(instance, info);
        let raw = &device.raw;
        let fence = |flags| {
            // SAFETY: plain structures.
            unsafe { raw.create_fence(&vk::FenceCreateInfo::default().flags(flags), None) }.expect("a fence")
        };
        let (unset, set) = (
            fence(vk::FenceCreateFlags::empty()),
            fence(vk::FenceCreateFlags::SIGNALED),
        );
        let headless = ash::ext::headless_surface::Instance::new(common::entry(), &device.instance.raw);
        let mut kind = vk::SemaphoreTypeCreateInfo::default()
            .semaphore_type(vk::SemaphoreType::TIMELINE)
            .initial_value(3);
        // SAFETY: the structures are valid.
        unsafe {
            let surface = headless
                .create_headless_surface(&vk::HeadlessSurfaceCreateInfoEXT::default(), None)
                .expect("a surface");
            let pool = vk::QueryPoolCreateInfo::default()
                .query_type(vk::QueryType::TIMESTAMP)
                .query_count(1);
            Self {
                queue: device.queue,
                fence: unset,
                signaled: set,
                event: raw
                    .create_event(&vk::EventCreateInfo::default(), None)
                    .expect("an event"),
                timeline: raw
                    .create_semaphore(&vk::SemaphoreCreateInfo::default().push_next(&mut kind), None)
                    .expect("a semaphore"),
                pool: raw.create_query_pool(&pool, None).expect("a query pool"),
                surface,
                swapchain: khr::swapchain::Device::new(&device.instance.raw, raw)
                    .create_swapchain(&swapchain_info(surface), None)
                    .expect("a swapchain"),
                device,
            }
        }
    }

    /// Calls a command with valid arguments.
    ///
    /// # Safety
    /// The pointer is that of the command.
    unsafe fn call(&self, name: &str, f: unsafe extern "system" fn()) -> Option<vk::Result> {
        let (device, mut index, mut value) = (self.device.raw.handle(), 0, 0);
        let values = [3];
        let timelines = [self.timeline];
        let wait = vk::SemaphoreWaitInfo::default()
            .semaphores(&timelines)
            .values(&values);
        let acquire = vk::AcquireNextImageInfoKHR::default()
            .swapchain(self.swapchain)
            .device_mask(1)
            .fence(self.fence);
        let (chains, indices) = ([self.swapchain], [0]);
        let present = vk::PresentInfoKHR::default()
            .swapchains(&chains)
            .image_indices(&indices);
        let mut swapchain = vk::SwapchainKHR::null();
        let (data, size) = ((&raw mut value).cast(), size_of::<u64>());
        // SAFETY: each pointer is cast to the type of its command, and the arguments are as Vulkan asks.
        unsafe {
            Some(match name.trim_end_matches("KHR") {
                "vkQueueSubmit" => {
                    transmute::<Any, vk::PFN_vkQueueSubmit>(f)(self.queue, 0, null(), self.fence)
                }
                "vkQueueSubmit2" => {
                    transmute::<Any, vk::PFN_vkQueueSubmit2>(f)(self.queue, 0, null(), self.fence)
                }
                "vkQueueBindSparse" => {
                    transmute::<Any, vk::PFN_vkQueueBindSparse>(f)(self.queue, 0, null(), self.fence)
                }
                "vkQueueWaitIdle" => transmute::<Any, vk::PFN_vkQueueWaitIdle>(f)(self.queue),
                "vkDeviceWaitIdle" => transmute::<Any, vk::PFN_vkDeviceWaitIdle>(f)(device),
                "vkGetFenceStatus" => transmute::<Any, vk::PFN_vkGetFenceStatus>(f)(device, self.signaled),
                "vkWaitForFences" => {
                    transmute::<Any, vk::PFN_vkWaitForFences>(f)(device, 1, &self.signaled, 1, u64::MAX)
                }
                "vkGetEventStatus" => transmute::<Any, vk::PFN_vkGetEventStatus>(f)(device, self.event),
                "vkGetQueryPoolResults" => transmute::<Any, vk::PFN_vkGetQueryPoolResults>(f)(
                    device,
                    self.pool,
                    0,
                    1,
                    size,
                    data,
                    8,
                    vk::QueryResultFlags::TYPE_64 | vk::QueryResultFlags::WAIT,
                ),
                "vkGetSemaphoreCounterValue" => {
                    transmute::<Any, vk::PFN_vkGetSemaphoreCounterValue>(f)(device, self.timeline, &mut value)
                }
                "vkWaitSemaphores" => transmute::<Any, vk::PFN_vkWaitSemaphores>(f)(device, &wait, u64::MAX),
                "vkCreateSwapchain" => transmute::<Any, vk::PFN_vkCreateSwapchainKHR>(f)(
                    device,
                    &swapchain_info(self.surface),
                    null(),
                    &mut swapchain,
                ),
                "vkAcquireNextImage" => transmute::<Any, vk::PFN_vkAcquireNextImageKHR>(f)(
                    device,
                    self.swapchain,
                    u64::MAX,
                    vk::Semaphore::null(),
                    self.fence,
                    &mut index,
                ),
                "vkAcquireNextImage2" => {
                    transmute::<Any, vk::PFN_vkAcquireNextImage2KHR>(f)(device, &acquire, &mut index)
                }
                "vkQueuePresent" => transmute::<Any, vk::PFN_vkQueuePresentKHR>(f)(self.queue, &present),
                "vkGetSwapchainStatus" => {
                    transmute::<Any, vk::PFN_vkGetSwapchainStatusKHR>(f)(device, self.swapchain)
                }
                "vkWaitForPresent2" => {
                    let info = PresentWait2::new(1, u64::MAX);
                    transmute::<Any, WaitForPresent2>(f)(device, self.swapchain, &info)
                }
                "vkWaitForPresent" => {
                    transmute::<Any, vk::PFN_vkWaitForPresentKHR>(f)(device, self.swapchain, 1, u64::MAX)
                }
                _ => return None,
            })
        }
    }

    fn destroy(self) {
        let raw = &self.device.raw;
        // SAFETY: nothing is used afterwards.
        unsafe {
            raw.destroy_fence(self.fence, None);
            raw.destroy_fence(self.signaled, None);
            raw.destroy_event(self.event, None);
            raw.destroy_semaphore(self.timeline, None);
            raw.destroy_query_pool(self.pool, None);
            khr::swapchain::Device::new(&self.device.instance.raw, raw)
                .destroy_swapchain(self.swapchain, None);
            khr::surface::Instance::new(common::entry(), &self.device.instance.raw)
                .destroy_surface(self.surface, None);
        }
    }
}

fn swapchain_info(surface: vk::SurfaceKHR) -> vk::SwapchainCreateInfoKHR<'static> {
    vk::SwapchainCreateInfoKHR::default()
        .surface(surface)
        .min_image_count(2)
        .image_format(vk::Format::B8G8R8A8_UNORM)
        .image_extent(vk::Extent2D { width: 8, height: 8 })
        .image_array_layers(1)
        .image_usage(vk::ImageUsageFlags::TRANSFER_DST)
        .pre_transform(vk::SurfaceTransformFlagsKHR::IDENTITY)
        .composite_alpha(vk::CompositeAlphaFlagsKHR::OPAQUE)
        .present_mode(vk::PresentModeKHR::FIFO)
}

/// Commands of devices that are offered to one of Vulkan 1.1 and may return the loss.
fn tellers() -> impl Iterator<Item = &'static Command> {
    let offered = |command: &&Command| {
        command.core.is_some_and(|core| core <= API_MINOR.min(1))
            || command
                .extensions
                .iter()
                .any(|id| extensions::DEVICE.contains(id))
    };
    COMMANDS
        .iter()
        .filter(|command| command.level == Level::Device && command.errors.contains(&ERROR))
        .filter(offered)
}

#[test]
fn exactly_the_commands_that_may_tell_of_the_loss_do_so_on_all_threads() {
    let world = World::new();
    let before = Buffer::with(&world.device, &[5, 6, 7, 8]);
    fault(&world.device, world.queue);
    assert_eq!(before.bytes(), [5, 6, 7, 8], "what was mapped stays mapped");
    before.write(&[9, 9]);
    assert_eq!(before.bytes(), [9, 9, 7, 8]);
    before.destroy(&world.device);
    let tell = || {
        let mut told = 0;
        for command in tellers() {
            let name = CString::new(command.name).expect("no NUL");
            // SAFETY: the pointer is that of the command by this name.
            let result = unsafe {
                let get = world.device.instance.raw.fp_v1_0().get_device_proc_addr;
                let f = get(world.device.raw.handle(), name.as_ptr());
                world.call(command.name, f.unwrap_or_else(|| panic!("no {}", command.name)))
            };
            let result = result.unwrap_or_else(|| panic!("add {} to this test", command.name));
            assert_eq!(result, vk::Result::ERROR_DEVICE_LOST, "{}", command.name);
            told += 1;
        }
        told
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..3).map(|_| scope.spawn(tell)).collect();
        for thread in threads {
            assert!(thread.join().expect("no panic") >= 12);
        }
    });
    everything_else_works(&world);
    world.destroy();
}

/// What cannot return the loss goes on working.
fn everything_else_works(world: &World) {
    let device = &world.device;
    let raw = &device.raw;
    let buffer = Buffer::with(device, &[1, 2, 3, 4]);
    assert_eq!(
        buffer.bytes(),
        [1, 2, 3, 4],
        "memory is allocated, bound and mapped"
    );
    let commands = Commands::new(device);
    // SAFETY: all handles are alive.
    commands.record(device, |cb| unsafe {
        raw.cmd_fill_buffer(cb, buffer.raw, 0, 4, 7);
    });
    let functions = device_fault::Device::new(&device.instance.raw, raw);
    let mut counts = vk::DeviceFaultCountsEXT::default();
    // SAFETY: all handles are alive.
    unsafe {
        assert_eq!(raw.reset_fences(&[world.fence, world.signaled]), Ok(()));
        assert_eq!(raw.set_event(world.event), Ok(()));
        assert_eq!(raw.reset_event(world.event), Ok(()));
        let signal = vk::SemaphoreSignalInfo::default()
            .semaphore(world.timeline)
            .value(9);
        let timelines = khr::timeline_semaphore::Device::new(&device.instance.raw, raw);
        assert_eq!(timelines.signal_semaphore(&signal), Ok(()));
        assert_eq!(
            raw.reset_command_buffer(commands.raw, vk::CommandBufferResetFlags::empty()),
            Ok(())
        );
        let images = khr::swapchain::Device::new(&device.instance.raw, raw);
        assert_eq!(
            images.get_swapchain_images(world.swapchain).map(|i| i.len()),
            Ok(2)
        );
        let get = functions.fp().get_device_fault_info_ext;
        let result = get(raw.handle(), &raw mut counts, std::ptr::null_mut());
        assert_eq!((result, counts.address_info_count), (vk::Result::SUCCESS, 1));
    }
    commands.destroy(device);
    buffer.destroy(device);
}

/// A device with two queues and a fault query.
fn two_queues() -> Queues {
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
    Queues::new(Instance::new(), 2, info)
}

#[test]
fn every_wait_ends() {
    let Queues { device, queues } = two_queues();
    let raw = &device.raw;
    let timelines = khr::timeline_semaphore::Device::new(&device.instance.raw, raw);
    let mut kind = vk::SemaphoreTypeCreateInfo::default().semaphore_type(vk::SemaphoreType::TIMELINE);
    let commands = Commands::new(&device);
    // SAFETY: the structures are valid, and all lives until the waits have ended.
    unsafe {
        let fence = raw
            .create_fence(&vk::FenceCreateInfo::default(), None)
            .expect("a fence");
        let event = raw
            .create_event(&vk::EventCreateInfo::default(), None)
            .expect("an event");
        let timeline = raw
            .create_semaphore(&vk::SemaphoreCreateInfo::default().push_next(&mut kind), None)
            .expect("a semaphore");
        let pool = vk::QueryPoolCreateInfo::default()
            .query_type(vk::QueryType::TIMESTAMP)
            .query_count(1);
        let pool = raw.create_query_pool(&pool, None).expect("a query pool");
        // The first queue waits for an event that the host could set, and so does not.
        commands.record(&device, |cb| {
            let (host, all) = (vk::PipelineStageFlags::HOST, vk::PipelineStageFlags::ALL_COMMANDS);
            raw.cmd_wait_events(cb, &[event], host, all, &[], &[], &[]);
            raw.cmd_write_timestamp(cb, all, pool, 0);
        });
        let (buffers, signals) = ([commands.raw], [timeline]);
        let values = [1];
        let mut values = vk::TimelineSemaphoreSubmitInfo::default().signal_semaphore_values(&values);
        let submit = vk::SubmitInfo::default()
            .command_buffers(&buffers)
            .signal_semaphores(&signals)
            .push_next(&mut values);
        raw.queue_submit(queues[0], &[submit], fence).expect("submitted");
        let wait = || {
            let (semaphores, values) = ([timeline], [1]);
            let info = vk::SemaphoreWaitInfo::default()
                .semaphores(&semaphores)
                .values(&values);
            timelines.wait_semaphores(&info, u64::MAX)
        };
        let results = || {
            let flags = vk::QueryResultFlags::TYPE_64 | vk::QueryResultFlags::WAIT;
            raw.get_query_pool_results(pool, 0, &mut [0u64], flags)
        };
        let waits: [&(dyn Fn() -> Result<(), vk::Result> + Sync); 5] = [
            &|| raw.wait_for_fences(&[fence], true, u64::MAX),
            &|| raw.queue_wait_idle(queues[0]),
            &|| raw.device_wait_idle(),
            &wait,
            &results,
        ];
        std::thread::scope(|scope| {
            let threads: Vec<_> = waits.iter().map(|wait| scope.spawn(wait)).collect();
            fault(&device, queues[1]);
            for thread in threads {
                assert_eq!(thread.join().expect("no panic"), LOST);
            }
        });
        raw.destroy_fence(fence, None);
        raw.destroy_event(event, None);
        raw.destroy_semaphore(timeline, None);
        raw.destroy_query_pool(pool, None);
    }
    commands.destroy(&device);
}

#[test]
fn work_before_the_fault_is_complete_when_a_wait_returns() {
    const WORDS: usize = 1 << 20;
    let Queues { device, queues } = two_queues();
    let raw = &device.raw;
    let buffer = Buffer::new(&device, WORDS * 4);
    let commands = Commands::new(&device);
    commands.record(&device, |cb| {
        for value in 1..=20 {
            // SAFETY: the buffer lives.
            unsafe { raw.cmd_fill_buffer(cb, buffer.raw, 0, vk::WHOLE_SIZE, value) };
        }
    });
    let buffers = [commands.raw];
    let submit = [vk::SubmitInfo::default().command_buffers(&buffers)];
    // SAFETY: all lives until the wait in `fault` has returned.
    unsafe { raw.queue_submit(queues[0], &submit, vk::Fence::null()) }.expect("submitted");
    fault(&device, queues[1]);
    assert!(
        buffer.words().iter().all(|&word| word == 20),
        "nobody writes any more"
    );
    buffer.destroy(&device);
    commands.destroy(&device);
}

#[test]
fn under_the_weak_rule_what_was_done_is_still_told() {
    let name = "under_the_weak_rule_what_was_done_is_still_told";
    isolated(name, &[("LAHAR_LOSS", "weak")], || {
        let world = World::new();
        fault(&world.device, world.queue);
        let raw = &world.device.raw;
        let timelines = khr::timeline_semaphore::Device::new(&world.device.instance.raw, raw);
        // SAFETY: all handles are alive.
        unsafe {
            assert_eq!(raw.get_fence_status(world.signaled), Ok(true));
            assert_eq!(raw.wait_for_fences(&[world.signaled], true, u64::MAX), Ok(()));
            assert_eq!(raw.get_event_status(world.event), Ok(false));
            assert_eq!(timelines.get_semaphore_counter_value(world.timeline), Ok(3));
            assert_eq!(
                raw.get_fence_status(world.fence).map(drop),
                LOST,
                "it may not be `not ready` for ever"
            );
            assert_eq!(raw.wait_for_fences(&[world.fence], true, u64::MAX), LOST);
            assert_eq!(raw.queue_submit(world.queue, &[], world.fence), LOST);
            assert_eq!(raw.queue_wait_idle(world.queue), LOST);
            assert_eq!(raw.device_wait_idle(), LOST);
        }
        world.destroy();
    });
}

#[test]
#[cfg_attr(
    not(debug_assertions),
    ignore = "builds for users have no way to make the driver panic"
)]
fn a_panic_of_the_driver_loses_the_device_and_says_why() {
    let name = "a_panic_of_the_driver_loses_the_device_and_says_why";
    let dumps = common::fault::same_with_all_settings(name, panics);
    assert!(dumps == 2 || is_child(), "{dumps} dumps");
}

/// A panic of the driver in an entry point, and one in the work of a queue.
fn panics() {
    // Keeps the driver loaded: it counts devices only as long as it is.
    let _keep = Instance::new();
    for entry_point in [true, false] {
        let names = [device_fault::NAME.as_ptr()];
        let mut fault = vk::PhysicalDeviceFaultFeaturesEXT::default().device_fault(true);
        let info = vk::DeviceCreateInfo::default()
            .enabled_extension_names(&names)
            .push_next(&mut fault);
        let device = Device::create(Instance::with_extensions(&[ash::ext::debug_utils::NAME]), info);
        let labels = ash::ext::debug_utils::Device::new(&device.instance.raw, &device.raw);
        // Builds with debug assertions have this label for a hook.
        let label = vk::DebugUtilsLabelEXT::default().label_name(c"lahar: panic");
        let commands = Commands::new(&device);
        // SAFETY: the label and the queue are valid.
        commands.record(&device, |cb| unsafe {
            if entry_point {
                labels.queue_insert_debug_utils_label(device.queue, &label);
            } else {
                labels.cmd_insert_debug_utils_label(cb, &label);
            }
        });
        assert_eq!(commands.run(&device), LOST);
        let says = common::loss::description(&device);
        assert!(says.contains("a label asked for it"), "{says}");
        commands.destroy(&device);
    }
}
