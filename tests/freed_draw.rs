//! Draws whose buffers have been freed: each loses the device, with the exact address and what names it.

mod common;

use common::{
    Device,
    draw::{self, Target},
    fault::{Report, address, device, name, precision, same_with_all_settings},
    vk,
    work::{Buffer, Commands},
};

const ALL: vk::ShaderStageFlags = vk::ShaderStageFlags::ALL;
const READ: i32 = 1;

/// The buffers of a draw, each with memory of its own.
struct Buffers {
    vertices: Buffer,
    colors: Buffer,
    indices: Buffer,
    params: Buffer,
    count: Buffer,
}

/// Draws two triangles of no size, the second with `draw`, after the memory of one of the buffers has been freed.
fn lose(
    pick: fn(&mut Buffers) -> &mut Buffer,
    draw: impl FnOnce(&Device, vk::CommandBuffer, &Buffers),
) -> (u64, Report) {
    let device = device(&[ash::khr::draw_indirect_count::NAME]);
    let params: Vec<u8> = [3_u32, 1, 0, 0, 0]
        .iter()
        .flat_map(|word| word.to_le_bytes())
        .collect();
    let mut buffers = Buffers {
        vertices: Buffer::new(&device, 4096),
        colors: Buffer::new(&device, 4096),
        indices: Buffer::new(&device, 4096),
        params: Buffer::with(&device, &params),
        count: Buffer::with(&device, &1_u32.to_le_bytes()),
    };
    let target = Target::new(&device);
    let pipeline = draw::flat(&device);
    name(&device, pipeline.raw, c"flat");
    let labels = ash::ext::debug_utils::Device::new(&device.instance.raw, &device.raw);
    let commands = Commands::new(&device);
    commands.record(&device, |cb| {
        let raw = &device.raw;
        // SAFETY: all is alive, and within bounds, here and below.
        unsafe {
            labels.cmd_begin_debug_utils_label(cb, &vk::DebugUtilsLabelEXT::default().label_name(c"scene"));
            raw.cmd_push_constants(cb, pipeline.layout, ALL, 0, &[0; 12]);
            raw.cmd_bind_vertex_buffers(cb, 0, &[buffers.vertices.raw, buffers.colors.raw], &[0, 0]);
            raw.cmd_bind_index_buffer(cb, buffers.indices.raw, 0, vk::IndexType::UINT32);
        }
        target.render(&device, cb, &pipeline, || draw(&device, cb, &buffers));
        // SAFETY: the label was begun.
        unsafe { labels.cmd_end_debug_utils_label(cb) };
    });
    let victim = pick(&mut buffers);
    name(&device, victim.raw, c"victim");
    let at = address(&device, victim);
    victim.free_memory(&device);
    assert_eq!(commands.run(&device), Err(vk::Result::ERROR_DEVICE_LOST));
    let report = Report::of(&device);
    commands.destroy(&device);
    (at, report)
}

fn check((at, report): &(u64, Report), offset: u64, binding: &str, command: &str) {
    let description = &report.description;
    let (access, reported, near) = report.addresses[0];
    assert_eq!((access, reported), (READ, at + offset), "{description}");
    assert_eq!(near, precision(), "{description}");
    let place = format!("1st {command} of command buffer 1");
    for says in [
        "memory that was freed before submission 1",
        "buffer 'victim' was there",
        binding,
        &place,
    ] {
        assert!(description.contains(says), "`{says}` in {description}");
    }
    let at = report.attribution();
    assert_eq!(at.labels.command_buffer, ["scene"], "{description}");
    assert_eq!(at.pipeline.map(|pipeline| pipeline.name), Some("flat".to_owned()));
    assert_eq!(at.bindings.len(), 1, "{description}: {:?}", at.bindings);
}

#[test]
fn index_buffers() {
    let lost = lose(
        |b| &mut b.indices,
        |device, cb, _| {
            // SAFETY: the draw stays within the buffers, here and below.
            unsafe { device.raw.cmd_draw_indexed(cb, 3, 1, 6, 0, 0) };
        },
    );
    check(&lost, 24, "(index buffer)", "vkCmdDrawIndexed");
}

#[test]
fn vertex_buffers() {
    let draw = |device: &Device, cb, _: &Buffers| {
        // SAFETY: as above.
        unsafe { device.raw.cmd_draw(cb, 3, 1, 9, 0) };
    };
    let lost = lose(|b| &mut b.vertices, draw);
    check(&lost, 72, "(vertex buffer binding 0)", "vkCmdDraw");
    assert!(
        lost.1.description.contains("vertex shader 'main'"),
        "{}",
        lost.1.description
    );
    check(
        &lose(|b| &mut b.colors, draw),
        0,
        "(vertex buffer binding 1)",
        "vkCmdDraw",
    );
}

#[test]
fn the_draw_at_fault_is_found_among_others() {
    let lost = lose(
        |b| &mut b.params,
        |device, cb, b| {
            // SAFETY: the draws stay within the buffers.
            unsafe {
                device.raw.cmd_draw(cb, 3, 1, 0, 0);
                device.raw.cmd_bind_vertex_buffers(cb, 0, &[b.params.raw], &[0]);
                device.raw.cmd_draw(cb, 1, 3, 1, 0);
                device.raw.cmd_draw(cb, 3, 1, 1, 0);
                device.raw.cmd_bind_vertex_buffers(cb, 0, &[b.vertices.raw], &[0]);
                device.raw.cmd_draw(cb, 3, 1, 0, 0);
            }
        },
    );
    let at = lost.1.attribution();
    let command = at.command.expect("a command");
    // A draw of one vertex makes no triangle, and so does not fetch it.
    assert_eq!((&*command.name, command.nth), ("vkCmdDraw", 3));
    assert_eq!(at.bindings[0].title(), "vertex buffer binding 0");
    assert_eq!(at.labels.command_buffer, ["scene"]);
}

#[test]
fn parameters_of_indirect_draws() {
    let lost = lose(
        |b| &mut b.params,
        |device, cb, b| {
            // SAFETY: the parameters lie within the buffer, here and below.
            unsafe { device.raw.cmd_draw_indirect(cb, b.params.raw, 0, 1, 16) };
        },
    );
    check(&lost, 0, "(indirect parameters)", "vkCmdDrawIndirect");
    let lost = lose(
        |b| &mut b.params,
        |device, cb, b| {
            // SAFETY: as above.
            unsafe { device.raw.cmd_draw_indexed_indirect(cb, b.params.raw, 0, 1, 20) };
        },
    );
    check(&lost, 0, "(indirect parameters)", "vkCmdDrawIndexedIndirect");
    let counted = |device: &Device, cb, b: &Buffers| {
        let functions = ash::khr::draw_indirect_count::Device::new(&device.instance.raw, &device.raw);
        // SAFETY: as above.
        unsafe { functions.cmd_draw_indirect_count(cb, b.params.raw, 0, b.count.raw, 0, 1, 16) };
    };
    check(
        &lose(|b| &mut b.count, counted),
        0,
        "(draw count)",
        "vkCmdDrawIndirectCount",
    );
    check(
        &lose(|b| &mut b.params, counted),
        0,
        "(indirect parameters)",
        "vkCmdDrawIndirectCount",
    );
}

#[test]
fn no_setting_changes_what_is_said_of_draws() {
    let dumps = same_with_all_settings("no_setting_changes_what_is_said_of_draws", || {
        index_buffers();
        vertex_buffers();
        parameters_of_indirect_draws();
    });
    assert!(dumps == 7 || common::child::is_child(), "{dumps} dumps");
}
