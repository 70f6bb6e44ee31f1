//! Shaders that go wrong, compiled with debug information: the report names the instruction, the source line, the
//! invocation and the values of its variables; the same on every back end and with any number of threads.

mod common;

use common::{
    Device,
    child::isolated,
    compute,
    draw::{self, Target},
    fault::{Report, address, device},
    pipeline::Pipeline,
    vk,
    work::{Buffer, Commands},
};
use lahar::fault::attribution::ShaderRef;
use std::{fs, path::Path};

const COMPUTE: vk::PipelineBindPoint = vk::PipelineBindPoint::COMPUTE;
const ALL: vk::ShaderStageFlags = vk::ShaderStageFlags::ALL;
const LOST: Result<(), vk::Result> = Err(vk::Result::ERROR_DEVICE_LOST);
/// Marks the line that a child prints what it has found in.
const FOUND: &str = "FOUND ";

fn host_has(instructions: &str) -> bool {
    let info = fs::read_to_string(Path::new("/proc/cpuinfo")).unwrap_or_default();
    info.split_whitespace().any(|flag| flag == instructions)
}

/// Runs `body` in processes with all back ends, several numbers of threads and both ways to detect faults; each must
/// print the same, but for the precision of addresses.
fn everywhere(name: &str, body: impl Fn() -> String) {
    let mut first: Option<(String, String)> = None;
    for (backend, needs) in [
        ("interp", None),
        ("avx2", Some("avx2")),
        ("avx512", Some("avx512f")),
    ] {
        if !needs.is_none_or(host_has) {
            continue;
        }
        for (threads, faults) in [("1", "trap"), ("4", "trap"), ("2", "check")] {
            let settings = [
                ("LAHAR_BACKEND", backend),
                ("LAHAR_THREADS", threads),
                ("LAHAR_FAULTS", faults),
                ("LAHAR_FUEL", "100000"),
            ];
            let Some(text) = isolated(name, &settings, || println!("{FOUND}{}", body())) else {
                return;
            };
            let lines = text.split(FOUND).skip(1);
            let found: Vec<&str> = lines.filter_map(|rest| rest.lines().next()).collect();
            let found = found.join("\n");
            let what = format!("{backend}, {threads} threads, {faults}");
            match &first {
                None => first = Some((what, found)),
                Some((other, known)) => assert_eq!(&found, known, "{what} differs from {other}"),
            }
        }
    }
}

/// Checks what a report says of the shader; gives all of it in one line.
fn check(report: &Report, expect: &Expect) -> String {
    let attribution = report.attribution();
    let shader = attribution.shader.clone().expect("a shader");
    let ShaderRef {
        stage,
        line,
        instruction,
        invocation,
        ..
    } = &shader;
    assert_eq!((&**stage, *line), (expect.stage, expect.line), "{shader:?}");
    assert!(instruction.contains(expect.instruction), "{shader:?}");
    assert!(invocation.contains(expect.invocation), "{shader:?}");
    assert!(shader.file.ends_with(expect.file), "{shader:?}");
    for (name, value) in expect.variables {
        let found = shader.variables.iter().find(|variable| variable.name == *name);
        let found = found.map(|variable| &*variable.value);
        assert_eq!(found, Some(*value), "{name}: {shader:?}");
    }
    let addresses: Vec<_> = report.addresses.iter().map(|(ty, at, _)| (ty, at)).collect();
    format!("{attribution:?} {addresses:?} {:?}", report.description)
}

struct Expect {
    stage: &'static str,
    file: &'static str,
    line: u32,
    instruction: &'static str,
    invocation: &'static str,
    variables: &'static [(&'static str, &'static str)],
}

/// Dispatches 4x1x1 workgroups and gives the report of the loss.
fn dispatch(device: &Device, code: &[u8], push: &[u8]) -> Report {
    let layout = Pipeline::layout(device, &[], push.len() as u32);
    let pipeline = Pipeline::compute(device, code, layout);
    let commands = Commands::new(device);
    commands.record(device, |cb| {
        // SAFETY: what the shader does is what is tested.
        unsafe {
            device.raw.cmd_bind_pipeline(cb, COMPUTE, pipeline.raw);
            device.raw.cmd_push_constants(cb, layout, ALL, 0, push);
            device.raw.cmd_dispatch(cb, 4, 1, 1);
        }
    });
    assert_eq!(commands.run(device), LOST);
    let report = Report::of(device);
    commands.destroy(device);
    pipeline.destroy(device);
    report
}

#[test]
fn a_stray_read_is_traced_to_line_invocation_and_variables() {
    everywhere("a_stray_read_is_traced_to_line_invocation_and_variables", || {
        let forms: [&[u8]; 2] = [
            include_bytes!("../shaders/test/debug/fetch.comp.g.spv"),
            include_bytes!("../shaders/test/debug/fetch.comp.gvs.spv"),
        ];
        let found = forms.map(|code| {
            let device = device(&[]);
            let words = Buffer::new(&device, 4096);
            let at = address(&device, &words);
            let bad = 0x0100_0000_u32;
            let mut push = at.to_le_bytes().to_vec();
            push.extend(bad.to_le_bytes());
            push.extend([0; 4]);
            let report = dispatch(&device, code, &push);
            assert_eq!(report.addresses[0].1, at + 4 * u64::from(bad));
            let found = check(
                &report,
                &Expect {
                    stage: "compute",
                    file: "fetch.comp",
                    line: 9,
                    instruction: "OpLoad",
                    invocation: "workgroup (2, 0, 0), local invocation (13, 0, 0)",
                    variables: &[
                        ("index", "13"),
                        ("place", "(26.5, 0.0, 0.0)"),
                        ("pair", "{a: 39, b: 3.25}"),
                        ("strays", "true"),
                        ("at", "16777216"),
                        ("fetch(): at", "16777216"),
                    ],
                },
            );
            words.destroy(&device);
            found
        });
        found.join(" | ")
    });
}

/// Draws twelve vertices and five instances, and gives the report of the loss.
fn draw(device: &Device, codes: [&[u8]; 2], push: &[u8]) -> Report {
    let target = Target::new(device);
    let layout = Pipeline::layout(device, &[], push.len() as u32);
    let pipeline = draw::pipeline(device, codes, layout, &Default::default());
    let commands = Commands::new(device);
    commands.record(device, |cb| {
        target.render(device, cb, &pipeline, || {
            // SAFETY: what the shaders do is what is tested.
            unsafe {
                device.raw.cmd_push_constants(cb, layout, ALL, 0, push);
                device.raw.cmd_draw(cb, 12, 5, 0, 0);
            }
        });
    });
    assert_eq!(commands.run(device), LOST);
    let report = Report::of(device);
    target.destroy(device);
    commands.destroy(device);
    pipeline.destroy(device);
    report
}

/// An address and the index of a word that is far behind it, as push constants.
fn stray(words: u64) -> (u64, Vec<u8>) {
    let bad = 0x0100_0000_u32;
    let mut push = words.to_le_bytes().to_vec();
    push.extend(bad.to_le_bytes());
    push.extend([0; 4]);
    (words + 4 * u64::from(bad), push)
}

const COVER: &[u8] = include_bytes!("../shaders/test/debug/cover.vert.g.spv");
const WHITE: &[u8] = include_bytes!("../shaders/test/flat.frag.spv");

#[test]
fn a_vertex_shader_that_strays_is_traced() {
    everywhere("a_vertex_shader_that_strays_is_traced", || {
        let device = device(&[]);
        let words = Buffer::new(&device, 4096);
        let (at, push) = stray(address(&device, &words));
        let code = include_bytes!("../shaders/test/debug/stray.vert.g.spv");
        let report = draw(&device, [code, WHITE], &push);
        assert_eq!(report.addresses[0].1, at);
        let expect = Expect {
            stage: "vertex",
            file: "stray.vert",
            line: 9,
            instruction: "OpLoad",
            invocation: "vertex 11, instance 3",
            variables: &[
                ("gl_VertexIndex", "11"),
                ("corner", "(3.0, 3.0)"),
                ("at", "16777216"),
            ],
        };
        words.destroy(&device);
        check(&report, &expect)
    });
}

#[test]
fn a_fragment_shader_that_strays_is_traced() {
    everywhere("a_fragment_shader_that_strays_is_traced", || {
        let device = device(&[]);
        let words = Buffer::new(&device, 4096);
        let (at, push) = stray(address(&device, &words));
        let code = include_bytes!("../shaders/test/debug/stray.frag.g.spv");
        let report = draw(&device, [COVER, code], &push);
        assert_eq!(report.addresses[0].1, at);
        let expect = Expect {
            stage: "fragment",
            file: "stray.frag",
            line: 12,
            instruction: "OpStore",
            invocation: "fragment (77, 70), layer 0, sample 0, primitive 0",
            variables: &[("pixel", "(77, 70)"), ("strays", "true"), ("words.word[0]", "0")],
        };
        words.destroy(&device);
        check(&report, &expect)
    });
}

#[test]
fn endless_loops_are_traced_in_every_stage() {
    everywhere("endless_loops_are_traced_in_every_stage", || {
        let mut found = Vec::new();
        {
            let device = device(&[]);
            let code = include_bytes!("../shaders/test/debug/spin.comp.g.spv");
            let expect = Expect {
                stage: "compute",
                file: "spin.comp",
                line: 7,
                instruction: "OpLoopMerge",
                invocation: "workgroup (1, 0, 0), local invocation (13, 0, 0)",
                variables: &[("turn(): count", "13"), ("turn(): rest", "13")],
            };
            found.push(check(&dispatch(&device, code, &13_u32.to_le_bytes()), &expect));
        }
        {
            let device = device(&[]);
            let code = include_bytes!("../shaders/test/debug/spin.vert.g.spv");
            let expect = Expect {
                stage: "vertex",
                file: "spin.vert",
                line: 5,
                instruction: "OpLoopMerge",
                invocation: "vertex 5, instance 0",
                variables: &[("i", "0")],
            };
            found.push(check(&draw(&device, [code, WHITE], &[0; 4]), &expect));
        }
        {
            let device = device(&[]);
            let code = include_bytes!("../shaders/test/debug/spin.frag.g.spv");
            let expect = Expect {
                stage: "fragment",
                file: "spin.frag",
                line: 7,
                instruction: "OpLoopMerge",
                invocation: "fragment (70, 66), layer 0",
                variables: &[("color", "(0.0, 0.0, 0.0, 0.0)")],
            };
            found.push(check(&draw(&device, [COVER, code], &[0; 4]), &expect));
        }
        found.join(" | ")
    });
}

/// A set layout and a set of one storage image.
fn image_set(device: &Device, view: vk::ImageView) -> (vk::DescriptorSetLayout, vk::DescriptorSet) {
    let ty = vk::DescriptorType::STORAGE_IMAGE;
    let bindings = [vk::DescriptorSetLayoutBinding::default()
        .descriptor_type(ty)
        .descriptor_count(1)
        .stage_flags(vk::ShaderStageFlags::ALL)];
    let sizes = [vk::DescriptorPoolSize {
        ty,
        descriptor_count: 1,
    }];
    let layout_info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
    let pool_info = vk::DescriptorPoolCreateInfo::default()
        .max_sets(1)
        .pool_sizes(&sizes);
    let infos = [vk::DescriptorImageInfo {
        image_view: view,
        image_layout: vk::ImageLayout::GENERAL,
        ..vk::DescriptorImageInfo::default()
    }];
    // SAFETY: the structures are valid; what is left goes with the process.
    unsafe {
        let raw = &device.raw;
        let layouts = [raw
            .create_descriptor_set_layout(&layout_info, None)
            .expect("a layout")];
        let pool = raw.create_descriptor_pool(&pool_info, None).expect("a pool");
        let info = vk::DescriptorSetAllocateInfo::default()
            .descriptor_pool(pool)
            .set_layouts(&layouts);
        let set = raw.allocate_descriptor_sets(&info).expect("a set")[0];
        let write = vk::WriteDescriptorSet::default()
            .dst_set(set)
            .descriptor_type(ty)
            .image_info(&infos);
        raw.update_descriptor_sets(&[write], &[]);
        (layouts[0], set)
    }
}

#[test]
fn a_read_of_a_freed_image_is_traced_through_its_routine() {
    everywhere("a_read_of_a_freed_image_is_traced_through_its_routine", || {
        let device = device(&[]);
        let mut texture = compute::texture(&device, 7);
        let (layout, set) = image_set(&device, texture.view);
        texture.image.free_memory(&device);
        let layout = Pipeline::layout(&device, &[layout], 4);
        let code = include_bytes!("../shaders/test/debug/texel.comp.g.spv");
        let pipeline = Pipeline::compute(&device, code, layout);
        let commands = Commands::new(&device);
        commands.record(&device, |cb| {
            // SAFETY: what the shader reads is what is tested.
            unsafe {
                let raw = &device.raw;
                raw.cmd_bind_pipeline(cb, COMPUTE, pipeline.raw);
                raw.cmd_bind_descriptor_sets(cb, COMPUTE, layout, 0, &[set], &[]);
                raw.cmd_dispatch(cb, 1, 1, 1);
            }
        });
        assert_eq!(commands.run(&device), LOST);
        let expect = Expect {
            stage: "compute",
            file: "texel.comp",
            line: 11,
            instruction: "OpImageRead",
            invocation: "local invocation (11, 0, 0)",
            variables: &[("index", "11"), ("place", "(1, 1)")],
        };
        check(&Report::of(&device), &expect)
    });
}

#[test]
fn a_workgroup_is_run_again_through_its_barriers_and_leaves_no_trace() {
    let name = "a_workgroup_is_run_again_through_its_barriers_and_leaves_no_trace";
    everywhere(name, || {
        let device = device(&[]);
        let words = Buffer::new(&device, 4096);
        let (at, push) = stray(address(&device, &words));
        let code = include_bytes!("../shaders/test/debug/barrier.comp.gvs.spv");
        let report = dispatch(&device, code, &push);
        assert_eq!(report.addresses[0].1, at);
        // So few workgroups run one after another, and the first fails.
        assert_eq!(words.words()[0], 1, "one atomic");
        let expect = Expect {
            stage: "compute",
            file: "barrier.comp",
            line: 22,
            instruction: "OpStore",
            invocation: "workgroup (0, 0, 0), local invocation (35, 0, 0)",
            variables: &[("index", "35"), ("other", "8"), ("rounds", "17"), ("i", "35")],
        };
        words.destroy(&device);
        check(&report, &expect)
    });
}

#[test]
fn a_time_limit_stops_running_shaders_in_every_stage() {
    let name = "a_time_limit_stops_running_shaders_in_every_stage";
    // The interpreter takes a while to come to the loop.
    for (backend, threads, limit) in [
        ("interp", "2", "2000"),
        ("avx2", "4", "500"),
        ("avx512", "1", "500"),
    ] {
        if backend != "interp" && !host_has(if backend == "avx2" { "avx2" } else { "avx512f" }) {
            continue;
        }
        let settings = [
            ("LAHAR_BACKEND", backend),
            ("LAHAR_THREADS", threads),
            ("LAHAR_FUEL", "9000000000000000000"),
            ("LAHAR_TIMEOUT_MS", limit),
        ];
        let here = isolated(name, &settings, || {
            let limit = std::env::var("LAHAR_TIMEOUT_MS").expect("set");
            let compute = include_bytes!("../shaders/test/debug/wander.comp.g.spv");
            let vertex = include_bytes!("../shaders/test/debug/wander.vert.g.spv");
            let fragment = include_bytes!("../shaders/test/debug/wander.frag.g.spv");
            let reports: [(&str, u32, &dyn Fn(&Device) -> Report); 3] = [
                ("compute", 7, &|device| {
                    dispatch(device, compute, &1_u32.to_le_bytes())
                }),
                ("vertex", 5, &|device| draw(device, [vertex, WHITE], &[0; 4])),
                ("fragment", 6, &|device| draw(device, [COVER, fragment], &[0; 4])),
            ];
            for (stage, line, run) in reports {
                let device = device(&[]);
                let report = run(&device);
                let says = format!("a {stage} shader ran beyond the limit of {limit} ms");
                assert!(report.description.starts_with(&says), "{}", report.description);
                let shader = report.attribution().shader.expect("a shader");
                assert_eq!((&*shader.stage, shader.line), (stage, line), "{shader:?}");
                assert!(shader.instruction.contains("OpLoopMerge"), "{shader:?}");
                assert!(
                    shader.variables.iter().any(|variable| variable.name == "n"),
                    "{shader:?}"
                );
            }
        });
        if here.is_none() {
            return;
        }
    }
}

#[test]
fn counting_without_end_takes_no_time_in_the_interpreter() {
    let name = "counting_without_end_takes_no_time_in_the_interpreter";
    // With the fuel that users have, which would be minutes' worth of turns: the lanes that are done count on.
    isolated(name, &[("LAHAR_BACKEND", "interp")], || {
        let compute = include_bytes!("../shaders/test/debug/spin.comp.g.spv");
        let first = device(&[]);
        let report = dispatch(&first, compute, &13_u32.to_le_bytes());
        assert!(
            report.description.starts_with("a compute shader ran out of fuel"),
            "{}",
            report.description
        );
    });
}
