//! Fault plans through the loader: each trigger and each fault, armed by a file and by calls. A comment `covers:` says
//! which of the tables' words a test is for; the book's table of what is tested is made from these.

mod common;
#[path = "common/planned.rs"]
#[allow(dead_code, unreachable_pub, reason = "each test file uses a part")]
mod planned;

use Step::{Begin, End, Fill};
use common::{Device, vk, work::Buffer};
use planned::{Planned, Step, Steps, control, instance, name, planned, report};

const LOST: vk::Result = vk::Result::ERROR_DEVICE_LOST;
const NO_MEMORY: vk::Result = vk::Result::ERROR_OUT_OF_DEVICE_MEMORY;

/// Submissions until one fails; which one, from 1, and what was written.
fn submit_until_lost(device: &Device, most: u32) -> (Option<u32>, Vec<u32>) {
    let steps = Steps::new(device);
    let lost = (1..=most).find(|n| steps.run(device, n * 100, &[Fill(0)]).is_err());
    let words = steps.buffer.words();
    steps.destroy(device);
    (lost, words)
}

// covers: submit nth lose
#[test]
fn nth_submission() {
    planned(
        "nth_submission",
        "rule = [{ name = \"r\", when = { event = \"submit\", nth = 3 }, lose = { access = \"write\", address = 0x1000, \
         precision = 16, instruction = 0x40, vendor = [\"mmu:0x11:7\"], description = \"planned here\" } }]",
        |plan| {
            let device = plan.device();
            let (lost, words) = submit_until_lost(&device, 9);
            assert_eq!((lost, words[0]), (Some(3), 200), "nothing of the third ran");
            let report = report(&device);
            assert_eq!(report.description, "planned here");
            assert_eq!(report.addresses[..2], [(2, 0x1000, 16), (6, 0x40, 1)]);
            assert!(report.vendor.contains(&(0x11, 7)), "{:?}", report.vendor);
        },
    );
}

// covers: every after times fail poll
#[test]
fn every_after_times() {
    planned(
        "every_after_times",
        "rule = [{ when = { event = \"vkGetFenceStatus\", every = 2, after = 1, times = 2 }, fail = \"not_ready\" }]",
        |plan| {
            let device = plan.device();
            let info = vk::FenceCreateInfo::default().flags(vk::FenceCreateFlags::SIGNALED);
            // SAFETY: a plain structure; the fence is alive while it is used.
            let results: Vec<bool> = unsafe {
                let fence = device.raw.create_fence(&info, None).expect("a fence");
                let results = (0..8)
                    .map(|_| device.raw.get_fence_status(fence).expect("a status"))
                    .collect();
                device.raw.destroy_fence(fence, None);
                results
            };
            assert_eq!(results, [true, true, false, true, false, true, true, true]);
        },
    );
}

// covers: probability
#[test]
fn probability() {
    planned(
        "probability",
        "rule = [{ when = { event = \"vkCreateFence\", probability = 0.25 }, fail = \"out_of_device_memory\" }]",
        |plan| {
            let device = plan.device();
            let failed: Vec<u32> = (0..64)
                .filter(|_| {
                    // SAFETY: a plain structure.
                    match unsafe { device.raw.create_fence(&vk::FenceCreateInfo::default(), None) } {
                        Ok(fence) => {
                            // SAFETY: the fence is not used.
                            unsafe { device.raw.destroy_fence(fence, None) };
                            false
                        }
                        Err(error) => error == NO_MEMORY,
                    }
                })
                .collect();
            assert!((6..30).contains(&failed.len()), "{failed:?}");
            if !plan.is_armed() {
                assert_eq!(failed[..3], PROBABLE, "by the seed, and so for ever");
            }
        },
    );
}

/// The first that the seed of the tests chooses.
const PROBABLE: [u32; 3] = [0, 6, 7];

// covers: device
#[test]
fn device_generation() {
    planned(
        "device_generation",
        "rule = [{ when = { event = \"submit\", device = 2 }, lose = { access = \"read\" } }]",
        |plan| {
            // A rule that is armed is for the device that it is armed on, whichever it names.
            let make = |armed| match armed {
                true => plan.device(),
                false => plan.unarmed(),
            };
            let lost = [false, true, false].map(|armed| submit_until_lost(&make(armed), 2).0);
            assert_eq!(lost, [None, Some(1), None]);
        },
    );
}

// covers: copy
#[test]
fn nth_copy() {
    planned(
        "nth_copy",
        "rule = [{ when = { event = \"copy\", nth = 5 }, lose = { access = \"read\" } }]",
        |plan| {
            let device = plan.device();
            let steps = Steps::new(&device);
            assert_eq!(steps.run(&device, 10, &[Fill(0), Fill(1), Fill(2)]), Ok(()));
            assert_eq!(steps.run(&device, 20, &[Fill(0), Fill(1), Fill(2)]), Err(LOST));
            assert_eq!(
                steps.buffer.words()[..3],
                [20, 11, 12],
                "all before the point, nothing after"
            );
            assert_eq!(report(&device).addresses[0].0, 1);
            steps.destroy(&device);
        },
    );
}

// covers: point command
#[test]
fn after_the_point() {
    planned(
        "after_the_point",
        "rule = [{ when = { event = \"command\", nth = 2 }, lose = { access = \"read\", point = \"after\" } }]",
        |plan| {
            let device = plan.device();
            let steps = Steps::new(&device);
            assert_eq!(steps.run(&device, 10, &[Fill(0), Fill(1), Fill(2)]), Err(LOST));
            assert_eq!(steps.buffer.words()[..3], [10, 11, 0]);
            steps.destroy(&device);
        },
    );
}

// covers: results
#[test]
fn poisoned_results() {
    planned(
        "poisoned_results",
        "rule = [{ when = { event = \"copy\", nth = 2 }, lose = { access = \"read\", results = \"poisoned\" } }]",
        |plan| {
            let device = plan.device();
            let steps = Steps::new(&device);
            assert_eq!(steps.run(&device, 10, &[Fill(0), Fill(1), Fill(2)]), Err(LOST));
            assert_eq!(steps.buffer.words()[..3], [10, 0xa5a5_a5a5, 0]);
            steps.destroy(&device);
        },
    );
}

const SCENE: [Step; 9] = [
    Begin(c"frame"),
    Fill(0),
    Begin(c"shadow"),
    Fill(1),
    End,
    Begin(c"main"),
    Fill(2),
    End,
    End,
];

/// What is written of `SCENE` when it is lost there.
fn scene(plan: &Planned) -> Vec<u32> {
    let device = plan.device();
    let steps = Steps::new(&device);
    assert_eq!(steps.run(&device, 10, &SCENE), Err(LOST));
    let words = steps.buffer.words()[..3].to_vec();
    steps.destroy(&device);
    words
}

// covers: label
#[test]
fn label_entered_and_open() {
    planned(
        "label_entered_and_open",
        "rule = [{ when = { event = \"label\", label = \"sh*\" }, lose = { access = \"read\" } }]",
        |plan| assert_eq!(scene(plan), [10, 0, 0]),
    );
}

#[test]
fn label_path() {
    planned(
        "label_path",
        "rule = [{ when = { event = \"copy\", label = \"frame/main\" }, lose = { access = \"read\" } }]",
        |plan| assert_eq!(scene(plan), [10, 11, 0]),
    );
}

// covers: label_end
#[test]
fn label_left() {
    planned(
        "label_left",
        "rule = [{ when = { event = \"label_end\", label = \"shadow\" }, lose = { access = \"read\" } }]",
        |plan| assert_eq!(scene(plan), [10, 11, 0]),
    );
}

// covers: skip
#[test]
fn skipped_write() {
    planned(
        "skipped_write",
        "rule = [{ when = { event = \"copy\", nth = 2 }, skip = true }]",
        |plan| {
            let device = plan.device();
            let steps = Steps::new(&device);
            assert_eq!(steps.run(&device, 10, &[Fill(0), Fill(1), Fill(2)]), Ok(()));
            assert_eq!(steps.buffer.words()[..3], [10, 0, 12]);
            steps.destroy(&device);
        },
    );
}

// covers: corrupt target object
#[test]
fn corrupted_memory() {
    planned(
        "corrupted_memory",
        "rule = [{ when = { event = \"copy\", nth = 3 }, corrupt = { target = \"vict*\", offset = 4, size = 4, flips = 1 } }]",
        |plan| {
            let device = plan.device();
            let (steps, victim) = (Steps::new(&device), Buffer::new(&device, 16));
            name(&device, victim.raw, c"victim");
            assert_eq!(steps.run(&device, 10, &[Fill(0), Fill(1)]), Ok(()));
            assert_eq!(victim.words(), [0; 4]);
            assert_eq!(steps.run(&device, 10, &[Fill(0), Fill(1)]), Ok(()));
            let words = victim.words();
            assert_eq!((words[0], words[2], words[3]), (0, 0, 0));
            assert_eq!(words[1].count_ones(), 1, "{words:?}");
            victim.destroy(&device);
            steps.destroy(&device);
        },
    );
}

// covers: poison
#[test]
fn poisoned_memory() {
    planned(
        "poisoned_memory",
        "rule = [{ when = { event = \"copy\", nth = 1 }, poison = { byte = 0x11, point = \"after\" } }]",
        |plan| {
            let device = plan.device();
            let steps = Steps::new(&device);
            assert_eq!(steps.run(&device, 10, &[Fill(0), Fill(1)]), Ok(()));
            assert_eq!(steps.buffer.words()[..3], [0x1111_1111, 11, 0]);
            steps.destroy(&device);
        },
    );
}

// covers: allocate min_size max_size heap memory_type
#[test]
fn allocations_by_size_heap_and_type() {
    planned(
        "allocations_by_size_heap_and_type",
        "rule = [
            { when = { event = \"allocate\", nth = 2, min_size = 0x10000, max_size = 0x20000 }, fail = \"out_of_device_memory\" },
            { when = { event = \"allocate\", heap = 1, max_size = 0x3000 }, fail = \"out_of_host_memory\" },
            { when = { event = \"allocate\", memory_type = 0, min_size = 0x50000 }, fail = \"out_of_device_memory\" },
        ]",
        |plan| {
            let device = plan.device();
            let instance = &device.instance;
            // SAFETY: the physical device is alive.
            let memory = unsafe { instance.raw.get_physical_device_memory_properties(instance.physical) };
            let types = &memory.memory_types[..memory.memory_type_count as usize];
            let other = types.iter().position(|ty| ty.heap_index == 1).expect("a type of heap 1");
            let allocate = |(ty, size): (usize, u64)| {
                let info = vk::MemoryAllocateInfo::default().allocation_size(size).memory_type_index(ty as u32);
                // SAFETY: the type exists; the memory is not used.
                unsafe {
                    let memory = device.raw.allocate_memory(&info, None)?;
                    device.raw.free_memory(memory, None);
                }
                Ok(())
            };
            let sizes = [
                (0, 0x1000),
                (0, 0x10000),
                (0, 0x40000),
                (0, 0x20000),
                (0, 0x10000),
                (other, 0x2000),
                (0, 0x60000),
                (0, 0x60000),
            ];
            let (host, device) = (Err(vk::Result::ERROR_OUT_OF_HOST_MEMORY), Err(NO_MEMORY));
            let expected = [Ok(()), Ok(()), Ok(()), device, Ok(()), host, device, Ok(())];
            assert_eq!(sizes.map(allocate), expected);
        },
    );
}

// covers: object_type
#[test]
fn allocations_and_creations_by_type_of_object() {
    planned(
        "allocations_and_creations_by_type_of_object",
        "rule = [
            { when = { event = \"allocate\", object_type = \"image\" }, fail = \"out_of_device_memory\" },
            { when = { event = \"allocate\", object = \"big\" }, fail = \"out_of_host_memory\" },
            { when = { event = \"create\", object_type = \"event\", nth = 2 }, fail = \"out_of_host_memory\" },
        ]",
        |plan| {
            let device = plan.device();
            let allocate = |mut dedicated: vk::MemoryDedicatedAllocateInfo<'_>| {
                let info = vk::MemoryAllocateInfo::default()
                    .allocation_size(0x10000)
                    .memory_type_index(0)
                    .push_next(&mut dedicated);
                // SAFETY: the type exists; the memory is not used.
                unsafe {
                    let memory = device.raw.allocate_memory(&info, None)?;
                    device.raw.free_memory(memory, None);
                }
                Ok::<(), vk::Result>(())
            };
            let image = vk::ImageCreateInfo::default()
                .image_type(vk::ImageType::TYPE_2D)
                .format(vk::Format::R8G8B8A8_UNORM)
                .extent(vk::Extent3D { width: 64, height: 64, depth: 1 })
                .mip_levels(1)
                .array_layers(1)
                .samples(vk::SampleCountFlags::TYPE_1)
                .usage(vk::ImageUsageFlags::TRANSFER_DST);
            let buffer = vk::BufferCreateInfo::default()
                .size(0x10000)
                .usage(vk::BufferUsageFlags::TRANSFER_DST);
            // SAFETY: plain structures; all is alive while it is used.
            unsafe {
                let (image, buffer) = (
                    device.raw.create_image(&image, None).expect("an image"),
                    device.raw.create_buffer(&buffer, None).expect("a buffer"),
                );
                let for_image = vk::MemoryDedicatedAllocateInfo::default().image(image);
                let for_buffer = vk::MemoryDedicatedAllocateInfo::default().buffer(buffer);
                assert_eq!(allocate(vk::MemoryDedicatedAllocateInfo::default()), Ok(()));
                assert_eq!(allocate(for_buffer), Ok(()));
                assert_eq!([allocate(for_image), allocate(for_image)], [Err(NO_MEMORY), Ok(())]);
                name(&device, buffer, c"big");
                assert_eq!(allocate(for_buffer), Err(vk::Result::ERROR_OUT_OF_HOST_MEMORY));
                device.raw.destroy_image(image, None);
                device.raw.destroy_buffer(buffer, None);
                let event = || device.raw.create_event(&vk::EventCreateInfo::default(), None);
                let made = [event(), event()];
                device.raw.destroy_event(made[0].expect("the first"), None);
                assert_eq!(made[1], Err(vk::Result::ERROR_OUT_OF_HOST_MEMORY));
            }
        },
    );
}

// covers: wait
#[test]
fn lost_while_waiting() {
    planned(
        "lost_while_waiting",
        "rule = [{ when = { event = \"wait\", nth = 2 }, fail = \"device_lost\" }]",
        |plan| {
            let device = plan.device();
            let steps = Steps::new(&device);
            assert_eq!(steps.run(&device, 10, &[Fill(0)]), Ok(()));
            assert_eq!(steps.run(&device, 20, &[Fill(0)]), Err(LOST));
            assert_eq!(
                steps.buffer.words()[0],
                20,
                "what was submitted before is complete"
            );
            // SAFETY: the device is alive.
            let again = unsafe { device.raw.device_wait_idle() };
            assert_eq!(again, Err(LOST), "it stays lost");
            assert!(
                report(&device)
                    .description
                    .contains("planned VK_ERROR_DEVICE_LOST")
            );
            steps.destroy(&device);
        },
    );
}

// covers: call
#[test]
fn any_call() {
    planned(
        "any_call",
        "rule = [{ when = { event = \"call\", nth = 2, object = \"victim\" }, fail = \"out_of_host_memory\" }]",
        |plan| {
            let device = plan.device();
            let (buffer, event) = (Buffer::new(&device, 16), vk::EventCreateInfo::default());
            name(&device, buffer.memory(), c"victim");
            // SAFETY: plain structures; the memory is alive, and mapping it twice is only looked at.
            unsafe {
                let map = || {
                    device
                        .raw
                        .map_memory(buffer.memory(), 0, 16, vk::MemoryMapFlags::empty())
                };
                let made = device
                    .raw
                    .create_event(&event, None)
                    .expect("it has another name");
                device.raw.destroy_event(made, None);
                device.raw.unmap_memory(buffer.memory());
                // It returns nothing, and does not count.
                device.raw.get_device_memory_commitment(buffer.memory());
                assert!(map().is_ok(), "the first");
                device.raw.unmap_memory(buffer.memory());
                assert_eq!(map().err(), Some(vk::Result::ERROR_OUT_OF_HOST_MEMORY));
                assert!(map().is_ok(), "the second only");
            }
            buffer.destroy(&device);
        },
    );
}

// covers: map object
#[test]
fn objects_by_name() {
    planned(
        "objects_by_name",
        "rule = [{ when = { event = \"map\", object = \"staging ?\" }, fail = \"memory_map_failed\" }]",
        |plan| {
            let device = plan.device();
            let buffers = [Buffer::new(&device, 16), Buffer::new(&device, 16)];
            let map = |buffer: &Buffer| {
                // SAFETY: the memory is mappable; mapping it twice is only looked at.
                unsafe {
                    device.raw.unmap_memory(buffer.memory());
                    device
                        .raw
                        .map_memory(buffer.memory(), 0, 16, vk::MemoryMapFlags::empty())
                        .map(drop)
                }
            };
            name(&device, buffers[1].memory(), c"staging 1");
            let failed = Err(vk::Result::ERROR_MEMORY_MAP_FAILED);
            assert_eq!(buffers.each_ref().map(map), [Ok(()), failed]);
            assert_eq!(map(&buffers[1]), Ok(()), "the first only");
            for buffer in buffers {
                buffer.destroy(&device);
            }
        },
    );
}

// covers: host_allocation create
#[test]
fn host_allocations() {
    planned(
        "host_allocations",
        "rule = [{ when = { event = \"create\", nth = 3 }, host_allocation = true }]",
        |plan| {
            let device = plan.device();
            let made: Vec<_> = (0..4)
                .map(|_| {
                    // SAFETY: a plain structure; the event is not used.
                    unsafe {
                        let event = device.raw.create_event(&vk::EventCreateInfo::default(), None)?;
                        device.raw.destroy_event(event, None);
                    }
                    Ok(())
                })
                .collect();
            let failed = Err(vk::Result::ERROR_OUT_OF_HOST_MEMORY);
            assert_eq!(made, [Ok(()), Ok(()), failed, Ok(())]);
        },
    );
}

// covers: watchdog
#[test]
fn watchdog() {
    planned(
        "watchdog",
        "rule = [{ when = { event = \"copy\", nth = 2 }, watchdog = { instruction = 0x99 } }]",
        |plan| {
            let device = plan.device();
            let steps = Steps::new(&device);
            assert_eq!(steps.run(&device, 10, &[Fill(0), Fill(1)]), Err(LOST));
            assert_eq!(steps.buffer.words()[..2], [10, 0]);
            let report = report(&device);
            assert_eq!(report.addresses, [(6, 0x99, 1)]);
            assert_eq!(report.vendor[0].0, 3, "the code of a watchdog");
            steps.destroy(&device);
        },
    );
}

// covers: abort
#[test]
fn abort() {
    planned(
        "abort",
        "rule = [{ when = { event = \"copy\", nth = 2 }, abort = \"index out of range\" }]",
        |plan| {
            let device = plan.device();
            let steps = Steps::new(&device);
            assert_eq!(steps.run(&device, 10, &[Fill(0), Fill(1)]), Err(LOST));
            let report = report(&device);
            assert!(
                report.description.contains("index out of range"),
                "{}",
                report.description
            );
            assert_eq!(report.vendor[0].0, 4, "the code of an abort");
            steps.destroy(&device);
        },
    );
}

// covers: physical
#[test]
fn physical_loss() {
    planned(
        "physical_loss",
        "rule = [{ when = { event = \"submit\", nth = 2 }, physical = { creations = 2 } }]",
        |plan| {
            let device = plan.device();
            assert_eq!(submit_until_lost(&device, 5).0, Some(2));
            let again = || plan.device_of(instance()).map(drop);
            assert_eq!([again(), again(), again()], [Err(LOST), Err(LOST), Ok(())]);
        },
    );
}

// covers: after_rule
#[test]
fn chained_rules() {
    planned(
        "chained_rules",
        "rule = [{ name = \"first\", when = { event = \"copy\", nth = 2 }, skip = true },
                 { when = { event = \"copy\", nth = 2, after_rule = \"first\" }, skip = true }]",
        |plan| {
            let device = plan.device();
            let steps = Steps::new(&device);
            assert_eq!(
                steps.run(&device, 10, &[Fill(0), Fill(1), Fill(2), Fill(3), Fill(4)]),
                Ok(())
            );
            assert_eq!(steps.buffer.words()[..5], [10, 0, 12, 0, 14]);
            steps.destroy(&device);
        },
    );
}

// covers: stall poll
#[test]
fn stalled_submission() {
    planned(
        "stalled_submission",
        "rule = [{ when = { event = \"submit\", nth = 2 }, stall = { polls = 3 } }]",
        |plan| {
            let device = plan.device();
            let steps = Steps::new(&device);
            steps.run(&device, 10, &[Fill(0)]).expect("done");
            let buffers = [steps.commands.raw];
            steps.record(&device, 20, &[Fill(0)]);
            let submit = [vk::SubmitInfo::default().command_buffers(&buffers)];
            // SAFETY: all is alive until the fence is signaled.
            unsafe {
                let fence = device
                    .raw
                    .create_fence(&vk::FenceCreateInfo::default(), None)
                    .expect("a fence");
                device
                    .raw
                    .queue_submit(device.queue, &submit, fence)
                    .expect("submitted");
                let looks = [0; 2].map(|_| device.raw.get_fence_status(fence).expect("a status"));
                assert_eq!(looks, [false; 2]);
                device
                    .raw
                    .wait_for_fences(&[fence], true, u64::MAX)
                    .expect("it comes");
                assert_eq!(steps.buffer.words()[0], 20);
                device.raw.destroy_fence(fence, None);
            }
            steps.destroy(&device);
        },
    );
}

// covers: thread queue
#[test]
fn threads_and_queues() {
    planned(
        "threads_and_queues",
        "rule = [{ when = { event = \"submit\", queue = 1 }, lose = { access = \"read\" } },
                 { when = { event = \"vkCreateEvent\", thread = 2 }, fail = \"out_of_host_memory\" }]",
        |plan| {
            let device = plan.device();
            let create = || {
                // SAFETY: a plain structure; the event is not used.
                unsafe {
                    let event = device.raw.create_event(&vk::EventCreateInfo::default(), None)?;
                    device.raw.destroy_event(event, None);
                }
                Ok::<(), vk::Result>(())
            };
            assert_eq!(create(), Ok(()));
            let other = std::thread::scope(|scope| scope.spawn(create).join().expect("no panic"));
            assert_eq!(other, Err(vk::Result::ERROR_OUT_OF_HOST_MEMORY));
            assert_eq!(
                submit_until_lost(&device, 3).0,
                None,
                "the other queue is not there"
            );
        },
    );
}

// covers: touches touches_size touch
#[test]
fn touched_addresses() {
    planned(
        "touched_addresses",
        "rule = [{ when = { event = \"copy\", touches = 1, touches_size = 0x7fffffffffff, touch = \"read\" }, skip = true },
                 { when = { event = \"copy\", touches = 1, touches_size = 0xfff }, skip = true },
                 { when = { event = \"copy\", touches = 0x1000, touches_size = 0x7fffffffffff, touch = \"write\", nth = 2 }, skip = true }]",
        |plan| {
            let device = plan.device();
            let steps = Steps::new(&device);
            steps.run(&device, 10, &[Fill(0), Fill(1), Fill(2)]).expect("done");
            assert_eq!(steps.buffer.words()[..3], [10, 0, 12]);
            let states = control(&device).rules(device.raw.handle());
            let counted: Vec<u64> = states.iter().map(|state| state.counted).collect();
            assert_eq!(counted, [0, 0, 3], "fills read nothing, and none writes below");
            steps.destroy(&device);
        },
    );
}

#[test]
fn rules_are_queried_and_cleared() {
    planned(
        "rules_are_queried_and_cleared",
        "rule = [{ name = \"r\", when = { event = \"submit\", nth = 3 }, lose = { access = \"write\" } }]",
        |plan| {
            let device = plan.device();
            let (control, raw) = (control(&device), device.raw.handle());
            assert_eq!(submit_until_lost(&device, 2).0, None);
            let states = control.rules(raw);
            assert_eq!((states.len(), states[0].counted, states[0].fired), (1, 2, 0));
            let error = control.arm(raw, "lose@sumbit read").unwrap_err();
            assert!(
                error.contains("1:6") && error.contains("did you mean `submit`?"),
                "{error}"
            );
            assert_eq!(control.clear(raw, states[0].rule), 1);
            assert_eq!(submit_until_lost(&device, 4).0, None, "the rule is gone");
        },
    );
}
