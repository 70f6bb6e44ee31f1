//! Draws through the loader: vertex and index buffers, indirect draws, dynamic state, queries, secondary command
//! buffers, in a render pass of 64 × 64 texels.

mod common;

use common::{
    scene::{BLUE, GREEN, Options, RED, SIZE, Scene},
    vk,
    work::{Buffer, Commands, run},
};

#[test]
fn indices_offsets_and_instances_are_taken_from_the_draw() {
    let scene = Scene::new();
    let raw = &scene.device.raw;
    let quarters = scene.draw(|cb| {
        // SAFETY: the draws stay within the buffers.
        unsafe {
            raw.cmd_draw_indexed(cb, 6, 1, 0, 0, 0);
            raw.cmd_draw_indexed(cb, 6, 1, 0, 4, 1);
            raw.cmd_draw(cb, 3, 1, 8, 2);
            raw.cmd_draw_indexed(cb, 0, 1, 0, 12, 0);
            raw.cmd_draw_indexed(cb, 6, 0, 0, 12, 0);
        }
    });
    assert_eq!(quarters, [RED, GREEN, BLUE, 0]);
}

#[test]
fn indirect_draws_read_their_parameters_when_they_run() {
    let scene = Scene::new();
    let raw = &scene.device.raw;
    let draws = [
        [6_u32, 1, 0, 0, 0],
        [6, 1, 0, 4, 1],
        [6, 1, 0, 8, 2],
        [6, 1, 0, 12, 2],
    ];
    let bytes: Vec<u8> = draws
        .as_flattened()
        .iter()
        .flat_map(|word| word.to_le_bytes())
        .collect();
    let params = Buffer::with(&scene.device, &bytes);
    let quarters = scene.draw(|cb| {
        // SAFETY: there are three draws in the buffer.
        unsafe { raw.cmd_draw_indexed_indirect(cb, params.raw, 0, 3, 20) };
    });
    assert_eq!(quarters, [RED, GREEN, BLUE, 0]);
    params.destroy(&scene.device);
}

#[test]
fn state_is_that_of_the_time_of_the_draw() {
    let scene = Scene::new();
    let raw = &scene.device.raw;
    let quarters = scene.draw(|cb| {
        // SAFETY: the draws stay within the buffers.
        unsafe {
            scene.push(cb, [0.0, 0.0, 0.5]);
            raw.cmd_draw_indexed(cb, 6, 1, 0, 0, 0);
            // Behind the first, and in front of it in another quarter.
            scene.push(cb, [0.0, 0.0, 0.75]);
            raw.cmd_draw_indexed(cb, 6, 1, 0, 0, 1);
            scene.push(cb, [1.0, 0.0, 0.25]);
            raw.cmd_draw_indexed(cb, 6, 1, 0, 0, 1);
            // A scissor that leaves out the rest.
            let extent = vk::Extent2D {
                width: SIZE,
                height: SIZE / 2,
            };
            raw.cmd_set_scissor(
                cb,
                0,
                &[vk::Rect2D {
                    offset: vk::Offset2D::default(),
                    extent,
                }],
            );
            scene.push(cb, [0.0, 1.0, 0.0]);
            raw.cmd_draw_indexed(cb, 6, 1, 0, 0, 2);
        }
    });
    assert_eq!(quarters, [RED, GREEN, 0, 0]);
}

#[test]
fn occlusion_queries_count_the_samples_that_pass() {
    let scene = Scene::new();
    let raw = &scene.device.raw;
    let info = vk::QueryPoolCreateInfo::default()
        .query_type(vk::QueryType::OCCLUSION)
        .query_count(3);
    // SAFETY: the structures are valid, and the draws within bounds.
    unsafe {
        let pool = raw.create_query_pool(&info, None).expect("a pool");
        run(&scene.device, |cb| raw.cmd_reset_query_pool(cb, pool, 0, 3));
        scene.draw(|cb| {
            let precise = vk::QueryControlFlags::PRECISE;
            scene.push(cb, [0.0, 0.0, 0.5]);
            raw.cmd_begin_query(cb, pool, 0, precise);
            raw.cmd_draw_indexed(cb, 6, 1, 0, 0, 0);
            raw.cmd_draw_indexed(cb, 6, 1, 0, 4, 0);
            raw.cmd_end_query(cb, pool, 0);
            raw.cmd_begin_query(cb, pool, 1, precise);
            raw.cmd_draw_indexed(cb, 6, 1, 0, 0, 0);
            raw.cmd_end_query(cb, pool, 1);
            raw.cmd_begin_query(cb, pool, 2, precise);
            raw.cmd_draw(cb, 3, 1, 8, 0);
            raw.cmd_end_query(cb, pool, 2);
        });
        let mut counts = [7_u32; 3];
        raw.get_query_pool_results(pool, 0, &mut counts, vk::QueryResultFlags::WAIT)
            .expect("results");
        let whole = SIZE * SIZE / 4;
        assert_eq!(counts[..2], [2 * whole, 0]);
        // A triangle of half a quarter, with its diagonal's texels on one side of it or the other.
        assert!(
            (whole / 2 - 32..=whole / 2 + 32).contains(&counts[2]),
            "{}",
            counts[2]
        );
        raw.destroy_query_pool(pool, None);
    }
}

#[test]
fn secondary_command_buffers_continue_a_pass() {
    let scene = Scene::new();
    let raw = &scene.device.raw;
    let commands = Commands::new(&scene.device);
    let secondary = Commands::allocate(&scene.device, commands.pool, vk::CommandBufferLevel::SECONDARY);
    // SAFETY: the structures are valid, and the draws within bounds.
    unsafe {
        let inheritance = vk::CommandBufferInheritanceInfo::default().render_pass(scene.pass);
        let begin = vk::CommandBufferBeginInfo::default()
            .flags(vk::CommandBufferUsageFlags::RENDER_PASS_CONTINUE)
            .inheritance_info(&inheritance);
        raw.begin_command_buffer(secondary, &begin).expect("begun");
        scene.bind(secondary);
        raw.cmd_draw_indexed(secondary, 6, 1, 0, 12, 2);
        raw.end_command_buffer(secondary).expect("ended");
        commands.record(&scene.device, |cb| {
            scene.begin(cb, vk::SubpassContents::SECONDARY_COMMAND_BUFFERS);
            raw.cmd_execute_commands(cb, &[secondary]);
            raw.cmd_end_render_pass(cb);
        });
    }
    commands.run(&scene.device).expect("done");
    commands.destroy(&scene.device);
    assert_eq!(scene.quarters(), [0, 0, 0, BLUE]);
}

#[test]
fn many_draws_are_recorded_at_once() {
    let scene = Scene::with(&[c"VK_EXT_multi_draw"], Options::default());
    let multi = ash::ext::multi_draw::Device::new(&scene.device.instance.raw, &scene.device.raw);
    let draw = |vertex_offset| vk::MultiDrawIndexedInfoEXT {
        first_index: 0,
        index_count: 6,
        vertex_offset,
    };
    let quarters = scene.draw(|cb| {
        let draws = [draw(0), draw(12)];
        // SAFETY: the draws stay within the buffers.
        unsafe {
            (multi.fp().cmd_draw_multi_indexed_ext)(cb, 2, draws.as_ptr(), 1, 1, 12, std::ptr::null());
            // The offset that is given apart counts, not that of the draws.
            (multi.fp().cmd_draw_multi_indexed_ext)(cb, 1, draws.as_ptr(), 1, 2, 12, &4);
        }
    });
    assert_eq!(quarters, [GREEN, BLUE, 0, GREEN]);
}

#[test]
fn conditional_rendering_leaves_out_draws() {
    let scene = Scene::with(&[c"VK_EXT_conditional_rendering"], Options::default());
    let raw = &scene.device.raw;
    let conditional = ash::ext::conditional_rendering::Device::new(&scene.device.instance.raw, raw);
    let words = Buffer::with(&scene.device, &[0, 0, 0, 0, 0, 1, 0, 0]);
    let begin = |cb, offset, flags| {
        let info = vk::ConditionalRenderingBeginInfoEXT::default()
            .buffer(words.raw)
            .offset(offset)
            .flags(flags);
        // SAFETY: the word is in the buffer.
        unsafe { (conditional.fp().cmd_begin_conditional_rendering_ext)(cb, &info) };
    };
    let quarters = scene.draw(|cb| {
        let cases = [(0, false), (4, false), (0, true), (4, true)];
        for (quarter, (offset, inverted)) in cases.into_iter().enumerate() {
            let flags = vk::ConditionalRenderingFlagsEXT::from_raw(u32::from(inverted));
            begin(cb, offset, flags);
            // SAFETY: the draws stay within the buffers.
            unsafe {
                raw.cmd_draw_indexed(cb, 6, 1, 0, 4 * quarter as i32, 0);
                (conditional.fp().cmd_end_conditional_rendering_ext)(cb);
            }
        }
    });
    assert_eq!(quarters, [0, RED, RED, 0]);
    words.destroy(&scene.device);
}

#[test]
fn attachments_are_written_while_their_writes_are_enabled() {
    let options = Options {
        dynamic: &[vk::DynamicState::COLOR_WRITE_ENABLE_EXT],
        ..Options::default()
    };
    let scene = Scene::with(&[c"VK_EXT_color_write_enable"], options);
    let raw = &scene.device.raw;
    let write = ash::ext::color_write_enable::Device::new(&scene.device.instance.raw, raw);
    let quarters = scene.draw(|cb| {
        // SAFETY: the draws stay within the buffers.
        unsafe {
            (write.fp().cmd_set_color_write_enable_ext)(cb, 1, &vk::FALSE);
            raw.cmd_draw_indexed(cb, 6, 1, 0, 0, 0);
            (write.fp().cmd_set_color_write_enable_ext)(cb, 1, &vk::TRUE);
            raw.cmd_draw_indexed(cb, 6, 1, 0, 4, 1);
        }
    });
    assert_eq!(quarters, [0, GREEN, 0, 0]);
}

#[test]
fn pipelines_are_linked_from_libraries() {
    let extensions = [c"VK_KHR_pipeline_library", c"VK_EXT_graphics_pipeline_library"];
    let options = Options {
        linked: true,
        ..Options::default()
    };
    let scene = Scene::with(&extensions, options);
    let raw = &scene.device.raw;
    let quarters = scene.draw(|cb| {
        // SAFETY: the draws stay within the buffers.
        unsafe {
            scene.push(cb, [0.0, 0.0, 0.25]);
            raw.cmd_draw_indexed(cb, 6, 1, 0, 4, 1);
            // Behind it: the depth test of the library counts.
            scene.push(cb, [0.0, 0.0, 0.5]);
            raw.cmd_draw_indexed(cb, 6, 1, 0, 4, 2);
            raw.cmd_draw_indexed(cb, 6, 1, 0, 8, 2);
        }
    });
    assert_eq!(quarters, [0, GREEN, BLUE, 0]);
}
