//! The list of faults that are detected, and the test of each row. Every test runs with both ways of detection, on all
//! back ends and with one thread and four (`common::fault::settings`, or a loop of its own), and what is reported must not
//! differ; where a dump is compared, all of it but the section that says where it ran and the precision of addresses.
//!
//! | row | records | dumps |
//! |---|---|---|
//! | read, write, atomic through an address that is unmapped, null, non-canonical | `detect`, `address_fault` | here |
//! | the same of memory that was freed, that is behind an allocation | `detect` | here |
//! | the same beyond a buffer (checks only) | `detect` | here, with checks |
//! | an atomic that is misaligned | `detect` | here |
//! | the process's own memory: heap, stack, code | `detect` | here, at an address that is the same in every run |
//! | memory of another device | `detect` | here |
//! | several lanes, of which the lowest counts | `detect` | here |
//! | draws: indices, vertices, indirect parameters and counts in freed memory | `freed_draw` | `freed_draw` |
//! | indirect dispatches in freed memory | `freed` | `freed` |
//! | copies, fills, clears, blits, resolves, render targets, query results in freed memory | `freed` | `freed` |
//! | descriptors of every type that name freed memory | `freed` | `freed` |
//! | descriptors in memory that was freed | `freed` | `freed` |
//! | descriptors whose bytes are none | `descriptor_fault`, `descriptor_more`, `detect_descriptors` | `descriptor_more` |
//! | endless loops in compute, vertex and fragment shaders | `shader_fault` | here |
//! | stray accesses in each stage, to line, invocation and variables | `shader_fault`, `attribution` | `attribution` |
//! | masked accesses: buffers, texel buffers, images, vertices, indices; told or fatal | `masked` | `masked` |
//! | waits that nothing ends | `hopeless` | here |
//! | aborts | `shader_abort` | `shader_abort` |
//! | a panic of the driver (builds with debug assertions) | `loss` | `loss` |
//! | planned faults | `fault_reports`, `plan` | `determinism` |
//! | signals of the application, several devices at once | `detect_signals` | |

mod common;

use common::{
    Device,
    child::is_child,
    draw::{self, Target},
    fault::{same_with, same_with_all_settings, settings},
    pipeline::Pipeline,
    reach::{ADD, NOWHERE, Placed, READ, Reach, WRITE, device},
    vk,
    work::Commands,
};

const LOST: vk::Result = vk::Result::ERROR_DEVICE_LOST;
const KINDS: [u32; 3] = [READ, WRITE, ADD];

/// Loses a device by a reach to where `place` says, given what is there.
fn lose(kind: u32, stride: u32, place: impl FnOnce(&Placed) -> u64) {
    let device = device();
    let placed = Placed::new(&device, 4096, 8192);
    let reach = Reach {
        address: place(&placed),
        kind,
        stride,
        first: 3,
    };
    assert_eq!(
        reach.run(&device),
        Err(LOST),
        "{:#x} {kind} {stride}",
        reach.address
    );
}

fn addresses() {
    for kind in KINDS {
        for stride in [0, 4] {
            for wild in [NOWHERE, 0, 0x0000_8000_0000_0000, 0x5555_0000_0000] {
                lose(kind, stride, |_| wild);
            }
            lose(kind, stride, |placed| placed.address + 8192);
            let device = device();
            let freed = Placed::new(&device, 4096, 4096);
            freed.destroy(&device);
            let reach = Reach {
                address: freed.address + 64,
                kind,
                stride,
                first: 3,
            };
            assert_eq!(reach.run(&device), Err(LOST));
        }
        // The lowest of several invocations, each in a page of its own.
        lose(kind, 8192, |placed| placed.address + 8192);
    }
    lose(ADD, 0, |placed| placed.address + 2);
    lose(ADD, 4, |placed| placed.address + 2);
}

#[test]
fn addresses_leave_the_same_dumps() {
    let dumps = same_with_all_settings("addresses_leave_the_same_dumps", addresses);
    assert!(dumps == 3 * (2 * 6 + 1) + 2 || is_child(), "{dumps} dumps");
}

#[test]
fn what_only_checks_see_leaves_the_same_dumps() {
    let checked = |settings: &Vec<_>| settings.contains(&("LAHAR_FAULTS", "check"));
    let settings = settings().into_iter().filter(checked).collect();
    let dumps = same_with("what_only_checks_see_leaves_the_same_dumps", settings, || {
        for kind in KINDS {
            for (size, allocation) in [(256, 8192), (256, 256)] {
                let device = device();
                let placed = Placed::new(&device, size, allocation);
                lose_at(&device, placed.address + size - 16, kind);
            }
        }
    });
    assert!(dumps == 3 * 2 || is_child(), "{dumps} dumps");
}

/// Loses a device by a reach of each invocation from the fourth on.
fn lose_at(device: &Device, address: u64, kind: u32) {
    let reach = Reach {
        address,
        kind,
        stride: 4,
        first: 3,
    };
    assert_eq!(reach.run(device), Err(LOST), "{address:#x} {kind}");
}

#[test]
fn memory_of_other_devices_leaves_the_same_dumps() {
    let dumps = same_with_all_settings("memory_of_other_devices_leaves_the_same_dumps", || {
        for kind in KINDS {
            let (mine, other) = (device(), device());
            let placed = Placed::new(&other, 4096, 4096);
            lose_at(&mine, placed.address, kind);
            // The other one goes on until it is lost as well.
            lose_at(&other, placed.address + 4096, kind);
        }
    });
    assert!(dumps == 3 * 2 || is_child(), "{dumps} dumps");
}

/// Waits for a semaphore, an event and a query that nothing brings.
fn hopeless() {
    let semaphore = common::fault::device(&[]);
    let info = vk::SemaphoreCreateInfo::default();
    // SAFETY: all lives until the device is lost, here and below.
    unsafe {
        let gate = semaphore.raw.create_semaphore(&info, None).expect("a semaphore");
        let (gates, stages) = ([gate], [vk::PipelineStageFlags::ALL_COMMANDS]);
        let submit = vk::SubmitInfo::default()
            .wait_semaphores(&gates)
            .wait_dst_stage_mask(&stages);
        let submitted = semaphore
            .raw
            .queue_submit(semaphore.queue, &[submit], vk::Fence::null());
        assert_eq!(submitted, Ok(()));
        assert_eq!(semaphore.raw.queue_wait_idle(semaphore.queue), Err(LOST));
    }
    let event = common::fault::device(&[]);
    let commands = Commands::new(&event);
    let info = vk::EventCreateInfo::default();
    // SAFETY: as above.
    let never = unsafe { event.raw.create_event(&info, None) }.expect("an event");
    let (from, to) = (
        vk::PipelineStageFlags::TRANSFER,
        vk::PipelineStageFlags::ALL_COMMANDS,
    );
    // SAFETY: as above.
    commands.record(&event, |cb| unsafe {
        event.raw.cmd_wait_events(cb, &[never], from, to, &[], &[], &[]);
    });
    assert_eq!(commands.run(&event), Err(LOST), "event");
    let query = common::fault::device(&[]);
    let commands = Commands::new(&query);
    let buffer = common::work::Buffer::new(&query, 8);
    let info = vk::QueryPoolCreateInfo::default()
        .query_type(vk::QueryType::OCCLUSION)
        .query_count(1);
    // SAFETY: as above.
    let pool = unsafe { query.raw.create_query_pool(&info, None) }.expect("a query pool");
    // SAFETY: as above.
    commands.record(&query, |cb| unsafe {
        query.raw.cmd_reset_query_pool(cb, pool, 0, 1);
        let flags = vk::QueryResultFlags::WAIT;
        query
            .raw
            .cmd_copy_query_pool_results(cb, pool, 0, 1, buffer.raw, 0, 8, flags);
    });
    assert_eq!(commands.run(&query), Err(LOST), "query");
}

#[test]
fn hopeless_waits_leave_the_same_dumps() {
    let dumps = same_with_all_settings("hopeless_waits_leave_the_same_dumps", hopeless);
    assert!(dumps == 3 || is_child(), "{dumps} dumps");
}

/// Runs a loop without an end in each stage.
fn endless() {
    let spins: [&[u8]; 3] = [
        include_bytes!("../shaders/test/debug/spin.comp.g.spv"),
        include_bytes!("../shaders/test/debug/spin.vert.g.spv"),
        include_bytes!("../shaders/test/debug/spin.frag.g.spv"),
    ];
    let cover = include_bytes!("../shaders/test/debug/cover.vert.g.spv");
    let white = include_bytes!("../shaders/test/flat.frag.spv");
    for stage in 0..3 {
        let device = common::fault::device(&[]);
        let layout = Pipeline::layout(&device, &[], 4);
        let commands = Commands::new(&device);
        let all = vk::ShaderStageFlags::ALL;
        // SAFETY: that the shaders do not end is what is tested, here and below.
        let push = |cb| unsafe { device.raw.cmd_push_constants(cb, layout, all, 0, &[5, 0, 0, 0]) };
        if stage == 0 {
            let pipeline = Pipeline::compute(&device, spins[0], layout);
            commands.record(&device, |cb| {
                push(cb);
                // SAFETY: as above.
                unsafe {
                    let point = vk::PipelineBindPoint::COMPUTE;
                    device.raw.cmd_bind_pipeline(cb, point, pipeline.raw);
                    device.raw.cmd_dispatch(cb, 4, 1, 1);
                }
            });
        } else {
            let codes = [[spins[1], white], [cover, spins[2]]][stage - 1];
            let pipeline = draw::pipeline(&device, codes, layout, &Default::default());
            let target = Target::new(&device);
            commands.record(&device, |cb| {
                target.render(&device, cb, &pipeline, || {
                    push(cb);
                    // SAFETY: as above.
                    unsafe { device.raw.cmd_draw(cb, 12, 2, 0, 0) };
                });
            });
        }
        assert_eq!(commands.run(&device), Err(LOST), "stage {stage}");
    }
}

#[test]
fn endless_loops_leave_the_same_dumps() {
    let body = || {
        // SAFETY: the child has one thread, and has not yet made an instance.
        unsafe { std::env::set_var("LAHAR_FUEL", "100000") };
        endless();
    };
    let dumps = same_with_all_settings("endless_loops_leave_the_same_dumps", body);
    assert!(dumps == 3 || is_child(), "{dumps} dumps");
}
