//! The list of faults that are detected, and the test of each row. Every test runs with both ways of detection, on all
//! back ends and with one thread and four (`common::fault::settings`, or a loop of its own), and what is reported must not
//! differ; where a dump is compared, all of it but the section that says where it ran and the precision of addresses.
//!
//! | row | records | dumps |
//! |---|---|---|
//! | read, write, atomic through an address that is unmapped, null, non-canonical | `detect`, `address_fault` | here |
//! | the same of memory that was freed, that is behind an allocation | `detect` | here |
//! | the same beyond a buffer (checks only) | `detect` | |
//! | an atomic that is misaligned | `detect` | here |
//! | the process's own memory: heap, stack, code | `detect` | here, at an address that is the same in every run |
//! | memory of another device | `detect` | |
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
//! | waits that nothing ends | `hopeless` | |
//! | aborts | `shader_abort` | |
//! | a panic of the driver, planned faults | `fault_reports`, `plan`, `determinism` | `determinism` |
//! | signals of the application, several devices at once | `detect_signals` | |

mod common;

use common::{
    child::is_child,
    draw::{self, Target},
    fault::same_with_all_settings,
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
