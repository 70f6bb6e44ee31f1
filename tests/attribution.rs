//! A fault in a frame of many commands: the report and the dump say which of them it was, where in the shader's source,
//! and what was at the address.

mod common;

use common::{
    Device,
    fault::{Report, address, device, name, same_with_all_settings},
    pipeline::Pipeline,
    vk,
    work::{Buffer, Commands},
};
use lahar::fault::{
    attribution::{Progress, Timeline},
    dump,
};
const COMPUTE: vk::PipelineBindPoint = vk::PipelineBindPoint::COMPUTE;
const ALL: vk::ShaderStageFlags = vk::ShaderStageFlags::ALL;
const LINES: &[u8] = include_bytes!("../shaders/test/debug.comp.spv");
const INFO: &[u8] = include_bytes!("../shaders/test/debug.comp.info.spv");
/// Particles in a buffer of 4096 bytes.
const COUNT: u32 = 256;

/// Moves the particles at an address.
fn step(device: &Device, cb: vk::CommandBuffer, pipeline: &Pipeline, address: u64) {
    let push: Vec<u8> = address
        .to_le_bytes()
        .into_iter()
        .chain(0.5_f32.to_le_bytes())
        .chain(COUNT.to_le_bytes())
        .collect();
    // SAFETY: the constants fit the layout; what the shader reaches is what is tested.
    unsafe {
        device.raw.cmd_push_constants(cb, pipeline.layout, ALL, 0, &push);
        device.raw.cmd_dispatch(cb, COUNT / 8, 1, 1);
    }
}

/// Runs a good frame, frees the second of its buffers, and runs the frame again.
fn lose(shader: &[u8]) -> (u64, Report) {
    let device = device(&[]);
    let layout = Pipeline::layout(&device, &[], 16);
    let pipeline = Pipeline::compute(&device, shader, layout);
    let labels = ash::ext::debug_utils::Device::new(&device.instance.raw, &device.raw);
    let label = |name| vk::DebugUtilsLabelEXT::default().label_name(name);
    let kept = Buffer::new(&device, 4096);
    let mut freed = Buffer::new(&device, 4096);
    let spare = Buffer::new(&device, 65536);
    let commands = Commands::new(&device);
    for (object, text) in [(&kept, c"emitters"), (&freed, c"particles"), (&spare, c"trails")] {
        name(&device, object.raw, text);
    }
    name(&device, pipeline.raw, c"move particles");
    name(&device, commands.raw, c"frame");
    name(&device, device.queue, c"main queue");
    let at = address(&device, &freed);
    commands.record(&device, |cb| {
        // SAFETY: all is alive and within bounds while it is recorded.
        unsafe {
            labels.cmd_begin_debug_utils_label(cb, &label(c"simulation"));
            device.raw.cmd_fill_buffer(cb, spare.raw, 0, vk::WHOLE_SIZE, 1);
            device.raw.cmd_bind_pipeline(cb, COMPUTE, pipeline.raw);
            labels.cmd_begin_debug_utils_label(cb, &label(c"emitters"));
            step(&device, cb, &pipeline, address(&device, &kept));
            labels.cmd_end_debug_utils_label(cb);
            labels.cmd_begin_debug_utils_label(cb, &label(c"particles"));
            labels.cmd_insert_debug_utils_label(cb, &label(c"after the emitters"));
            step(&device, cb, &pipeline, at);
            labels.cmd_end_debug_utils_label(cb);
            let copy = [vk::BufferCopy {
                size: 4096,
                ..Default::default()
            }];
            device.raw.cmd_copy_buffer(cb, kept.raw, spare.raw, &copy);
            labels.cmd_end_debug_utils_label(cb);
        }
    });
    // SAFETY: the queue is alive.
    unsafe { labels.queue_begin_debug_utils_label(device.queue, &label(c"frame 7")) };
    for _ in 0..2 {
        assert_eq!(commands.run(&device), Ok(()));
    }
    freed.free_memory(&device);
    assert_eq!(commands.run(&device), Err(vk::Result::ERROR_DEVICE_LOST));
    let report = Report::of(&device);
    commands.destroy(&device);
    (at, report)
}

#[test]
fn a_fault_is_attributed_to_its_command_and_source_line() {
    for shader in [LINES, INFO] {
        let (address, report) = lose(shader);
        let description = &report.description;
        assert_eq!(report.addresses[0].1, address, "{description}");
        for says in [
            "memory that was freed before submission 3; buffer 'particles' was there",
            "compute shader 'main' (debug.comp:29)",
            "2nd vkCmdDispatch of command buffer 'frame'",
        ] {
            assert!(description.contains(says), "`{says}` in {description}");
        }
        let at = report.attribution();
        assert_eq!(at.queue.expect("a queue").name, "main queue");
        assert_eq!((at.submission, at.labels.queue), (3, vec!["frame 7".to_owned()]));
        assert_eq!(at.labels.command_buffer, ["simulation", "particles"]);
        assert_eq!(at.labels.inserted, "after the emitters");
        let command = at.command.expect("a command");
        assert_eq!((&*command.name, command.nth), ("vkCmdDispatch", 2));
        assert_eq!(command.parameters, "groups (32, 1, 1)");
        assert_eq!(at.pipeline.expect("a pipeline").name, "move particles");
        let shader = at.shader.expect("a shader");
        assert_eq!(
            (&*shader.stage, &*shader.entry, shader.line),
            ("compute", "main", 29)
        );
        let line = shader
            .source
            .iter()
            .find(|line| line.number == 29)
            .expect("the line");
        assert_eq!(line.text.trim(), "Particle particle = particles.items[index];");
        assert!(shader.instruction.contains("OpLoad"), "{}", shader.instruction);
        let value = |name: &str| {
            let variable = shader.variables.iter().find(|variable| variable.name == name);
            variable.map(|variable| variable.value.clone())
        };
        assert_eq!(value("index").as_deref(), Some("0"));
        assert_eq!(value("particles"), Some(format!("{address:#x}")));
        assert!(shader.code.iter().any(|line| Some(line.offset) == shader.offset));
        let objects = at.objects.expect("objects");
        assert_eq!(objects.now[0].name, "particles");
        assert_eq!(objects.formerly[0].gone_submission, Some(2));
        let instruction = report.addresses[1];
        assert_eq!((instruction.0, instruction.2), (6, 4096), "{description}");
    }
}

#[test]
fn a_fault_in_a_secondary_command_buffer_is_attributed_to_it() {
    let device = device(&[]);
    let mut victim = Buffer::new(&device, 4096);
    let other = Buffer::new(&device, 4096);
    let labels = ash::ext::debug_utils::Device::new(&device.instance.raw, &device.raw);
    let label = |name| vk::DebugUtilsLabelEXT::default().label_name(name);
    let primary = Commands::new(&device);
    let secondary = |text, buffer: &Buffer| {
        let raw = Commands::allocate(&device, primary.pool, vk::CommandBufferLevel::SECONDARY);
        name(&device, raw, text);
        let inheritance = vk::CommandBufferInheritanceInfo::default();
        let begin = vk::CommandBufferBeginInfo::default().inheritance_info(&inheritance);
        // SAFETY: the command buffer is not pending, and the fills lie within the buffer.
        unsafe {
            device.raw.begin_command_buffer(raw, &begin).expect("begun");
            labels.cmd_begin_debug_utils_label(raw, &label(text));
            device.raw.cmd_fill_buffer(raw, other.raw, 0, 16, 1);
            device.raw.cmd_fill_buffer(raw, buffer.raw, 0, 16, 1);
            labels.cmd_end_debug_utils_label(raw);
            device.raw.end_command_buffer(raw).expect("ended");
        }
        raw
    };
    let inner = [secondary(c"first", &other), secondary(c"second", &victim)];
    name(&device, primary.raw, c"frame");
    primary.record(&device, |cb| {
        // SAFETY: the secondary command buffers are executable.
        unsafe {
            labels.cmd_begin_debug_utils_label(cb, &label(c"outer"));
            device.raw.cmd_fill_buffer(cb, other.raw, 0, 16, 1);
            device.raw.cmd_execute_commands(cb, &inner);
            labels.cmd_end_debug_utils_label(cb);
        }
    });
    victim.free_memory(&device);
    assert_eq!(primary.run(&device), Err(vk::Result::ERROR_DEVICE_LOST));
    let report = Report::of(&device);
    let place = "2nd vkCmdFillBuffer of command buffer 'second'";
    assert!(report.description.contains(place), "{}", report.description);
    let at = report.attribution();
    assert_eq!(at.labels.command_buffer, ["outer", "second"]);
    let buffer = at.command_buffer.expect("a command buffer");
    assert!(buffer.secondary && buffer.index == 0, "{buffer:?}");
    let timeline: Timeline = report.dump.content(b"TIME").expect("a timeline");
    let commands = &timeline.submissions[0].commands;
    let running: Vec<_> = commands
        .iter()
        .filter(|c| c.state == Progress::InProgress)
        .collect();
    assert_eq!((running.len(), &*running[0].name), (1, "vkCmdFillBuffer"));
    primary.destroy(&device);
}

#[test]
fn the_timeline_says_what_was_done() {
    let (_, report) = lose(LINES);
    let timeline: Timeline = report.dump.content(b"TIME").expect("a timeline");
    let states: Vec<Progress> = timeline.submissions.iter().map(|s| s.state).collect();
    assert_eq!(states, [Progress::Done, Progress::Done, Progress::InProgress]);
    let last = timeline.submissions.last().expect("a submission");
    assert_eq!(last.command_buffers[0].buffer.name, "frame");
    let state = |name: &str| -> Vec<Progress> {
        let same = last.commands.iter().filter(|command| command.name == name);
        same.map(|command| command.state).collect()
    };
    assert_eq!(state("vkCmdFillBuffer"), [Progress::Done]);
    assert_eq!(state("vkCmdDispatch"), [Progress::Done, Progress::InProgress]);
    assert_eq!(state("vkCmdCopyBuffer"), [Progress::NotStarted]);
    let text = dump::to_text(&report.dump);
    let dispatch = text
        .lines()
        .find(|line| line.contains("[>]") && line.contains("vkCmdDispatch"));
    assert!(dispatch.is_some(), "{text}");
    let html = dump::to_html(&report.dump);
    for says in [
        "class=\"hit\"><i>29</i>",
        "buffer &#39;particles&#39;",
        "class=\"range freed hit\"",
    ] {
        assert!(html.contains(says), "`{says}` is not in the page");
    }
    assert!(
        !html.contains("<script") && !html.contains("http"),
        "nothing is loaded"
    );
}

#[test]
fn no_setting_changes_the_attribution() {
    let dumps = same_with_all_settings("no_setting_changes_the_attribution", || {
        lose(LINES);
        lose(INFO);
    });
    assert!(dumps == 2 || common::child::is_child(), "{dumps} dumps");
}
