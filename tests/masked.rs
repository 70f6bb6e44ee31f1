//! Accesses that robustness makes harmless: where the device asks for it each is reported to the byte, or loses the
//! device; the same on every back end, with any number of threads and in both modes of detection.

mod common;

use common::{
    Device, Instance,
    child::{is_child, isolated},
    compute::{self, Texture, words},
    draw::{self, Target},
    fault::{Report, address, name, same_with_all_settings, settings},
    khr_fault::{Features, Functions, Info, text},
    pipeline::Pipeline,
    vk,
    work::{Buffer, Commands},
};
use vk::DescriptorType as Type;

const COMPUTE: vk::PipelineBindPoint = vk::PipelineBindPoint::COMPUTE;
const GRAPHICS: vk::PipelineBindPoint = vk::PipelineBindPoint::GRAPHICS;
const ALL: vk::ShaderStageFlags = vk::ShaderStageFlags::ALL;
const GENERAL: vk::ImageLayout = vk::ImageLayout::GENERAL;
const LOST: Result<(), vk::Result> = Err(vk::Result::ERROR_DEVICE_LOST);
const READ: u64 = 1;
const WRITE: u64 = 2;
/// `VkDeviceFaultFlagBitsKHR`.
const DEVICE_LOST: u32 = 0x01;
const MEMORY_ADDRESS: u32 = 0x02;
const INSTRUCTION_ADDRESS: u32 = 0x04;
const VENDOR: u32 = 0x08;
const OVERFLOW: u32 = 0x20;
/// Marks the lines that children print what they have found in.
const FOUND: &str = "FOUND ";
/// Bytes of each buffer that are bound.
const BOUND: u64 = 64;

/// What a device does with masked accesses.
#[derive(Clone, Copy, PartialEq)]
enum Masked {
    Ignore,
    Report,
    Lose,
}

fn device(masked: Masked) -> Device {
    let mut features = Features {
        on: [
            1,
            1,
            u32::from(masked != Masked::Ignore),
            u32::from(masked == Masked::Lose),
        ],
        ..Features::default()
    };
    let mut addresses = vk::PhysicalDeviceBufferDeviceAddressFeatures::default().buffer_device_address(true);
    let mut rendering = vk::PhysicalDeviceDynamicRenderingFeatures::default().dynamic_rendering(true);
    let names = [
        c"VK_KHR_device_fault".as_ptr(),
        ash::ext::device_fault::NAME.as_ptr(),
        ash::khr::buffer_device_address::NAME.as_ptr(),
        ash::khr::dynamic_rendering::NAME.as_ptr(),
    ];
    let info = vk::DeviceCreateInfo::default()
        .enabled_extension_names(&names)
        .push_next(&mut features)
        .push_next(&mut addresses)
        .push_next(&mut rendering);
    Device::create(Instance::with_extensions(&[ash::ext::debug_utils::NAME]), info)
}

/// Bindings of set 0 of `masked.comp`: number, type, elements.
const BINDINGS: [(u32, Type, u32); 9] = [
    (0, Type::STORAGE_BUFFER, 1),
    (1, Type::UNIFORM_BUFFER, 1),
    (2, Type::UNIFORM_TEXEL_BUFFER, 1),
    (3, Type::STORAGE_TEXEL_BUFFER, 1),
    (4, Type::STORAGE_IMAGE, 1),
    (5, Type::SAMPLED_IMAGE, 1),
    (6, Type::STORAGE_IMAGE, 1),
    (7, Type::STORAGE_BUFFER, 1),
    (8, Type::STORAGE_BUFFER, 4),
];

/// A device with what `masked.comp` accesses: each in memory of its own, the first [`BOUND`] bytes of buffers bound.
struct World {
    device: Device,
    buffers: Vec<(u32, Buffer)>,
    textures: Vec<(u32, Texture)>,
    set: vk::DescriptorSet,
    layout: vk::PipelineLayout,
    pipeline: vk::Pipeline,
    commands: Commands,
}

impl World {
    fn new(masked: Masked) -> Self {
        let device = device(masked);
        let layouts = [compute::set_layout(&device, Default::default(), &BINDINGS)];
        let info = vk::DescriptorSetAllocateInfo::default()
            .descriptor_pool(compute::pool(&device, 1, &BINDINGS))
            .set_layouts(&layouts);
        // SAFETY: the structure is valid.
        let set = unsafe { device.raw.allocate_descriptor_sets(&info) }.expect("a set")[0];
        let layout = Pipeline::layout(&device, &layouts, 12);
        let code = include_bytes!("../shaders/test/masked.comp.spv");
        let mut world = Self {
            pipeline: Pipeline::compute(&device, code, layout).raw,
            commands: Commands::new(&device),
            device,
            buffers: Vec::new(),
            textures: Vec::new(),
            set,
            layout,
        };
        name(&world.device, world.commands.raw, c"frame");
        for (binding, ty, count) in BINDINGS {
            (0..count).for_each(|element| world.write(binding, ty, element));
        }
        world
    }

    fn write(&mut self, binding: u32, ty: Type, element: u32) {
        let device = &self.device;
        let write = vk::WriteDescriptorSet::default()
            .dst_set(self.set)
            .dst_binding(binding)
            .dst_array_element(element)
            .descriptor_type(ty);
        // SAFETY: the structures are valid and the set is not in use, here and below.
        let update = |write| unsafe { device.raw.update_descriptor_sets(&[write], &[]) };
        if matches!(ty, Type::STORAGE_IMAGE | Type::SAMPLED_IMAGE) {
            let texture = compute::texture(device, 100);
            let infos = [vk::DescriptorImageInfo {
                image_view: texture.view,
                image_layout: GENERAL,
                ..Default::default()
            }];
            update(write.image_info(&infos));
            self.textures.push((binding, texture));
            return;
        }
        let buffer = Buffer::with(device, &words(0..1024));
        if matches!(ty, Type::UNIFORM_TEXEL_BUFFER | Type::STORAGE_TEXEL_BUFFER) {
            let info = vk::BufferViewCreateInfo::default()
                .buffer(buffer.raw)
                .format(vk::Format::R32_UINT)
                .range(BOUND);
            // SAFETY: as above.
            let view = unsafe { device.raw.create_buffer_view(&info, None) }.expect("a view");
            update(write.texel_buffer_view(&[view]));
        } else {
            let infos = [vk::DescriptorBufferInfo {
                buffer: buffer.raw,
                offset: 0,
                range: if binding == 7 { 160 } else { BOUND },
            }];
            update(write.buffer_info(&infos));
        }
        self.buffers.push((binding, buffer));
    }

    /// Where the `nth` thing that is bound at a binding begins.
    fn base(&self, binding: u32, nth: usize) -> u64 {
        let buffers = self.buffers.iter().filter(|(of, _)| *of == binding);
        match buffers.map(|(_, buffer)| buffer).nth(nth) {
            Some(buffer) => address(&self.device, buffer),
            // Images of two by two texels have memory of their own, behind each other.
            None => 0,
        }
    }

    /// Runs two workgroups of a case, the command buffer's second dispatch.
    fn run(&self, kind: u32, at: u32, first: u32) -> Result<(), vk::Result> {
        let raw = &self.device.raw;
        let push = |cb, values: [u32; 3]| {
            // SAFETY: the layout has these constants.
            unsafe { raw.cmd_push_constants(cb, self.layout, ALL, 0, &words(values)) };
        };
        self.commands.record(&self.device, |cb| {
            // SAFETY: the set fits the layout; what is out of bounds is what is tested.
            unsafe {
                raw.cmd_bind_pipeline(cb, COMPUTE, self.pipeline);
                raw.cmd_bind_descriptor_sets(cb, COMPUTE, self.layout, 0, &[self.set], &[]);
                push(cb, [kind, 0, 99]);
                raw.cmd_dispatch(cb, 1, 1, 1);
                push(cb, [kind, at, first]);
                raw.cmd_dispatch(cb, 2, 1, 1);
            }
        });
        self.commands.run(&self.device)
    }

    fn reports(&self) -> Vec<Info> {
        let (result, reports) = Functions::new(&self.device).take(0, 99);
        assert!(matches!(result, vk::Result::SUCCESS | vk::Result::TIMEOUT));
        reports
    }
}

/// A case of `masked.comp`.
struct Case {
    kind: u32,
    at: u32,
    access: u64,
    /// Binding and element, and bytes from its first byte to the first access out of bounds, if that is known here.
    binding: u32,
    element: usize,
    offset: Option<u64>,
    says: &'static [&'static str],
}

/// First invocation that strays: in the third wave of eight lanes and the second of sixteen.
const FIRST: u32 = 21;

const OUTSIDE: &str = "outside of the 64 bytes that are bound; robustness masked it";
const NO_TEXEL: &str = "outside of what is bound; robustness masked it";

#[rustfmt::skip]
fn cases() -> Vec<Case> {
    let case = |kind, access, (binding, element), at: u32, bytes: u64, says| Case {
        kind,
        at,
        access,
        binding,
        element,
        offset: (bytes != 0).then(|| bytes * u64::from(at + FIRST)),
        says,
    };
    let mut cases = vec![
        case(0, READ, (0, 0), 100, 4, &["read of 4 bytes", OUTSIDE, "(storage buffer at set 0, binding 0)"][..]),
        case(1, WRITE, (0, 0), 100, 4, &["write of 4 bytes", OUTSIDE, "(storage buffer at set 0, binding 0)"]),
        case(2, WRITE, (0, 0), 100, 4, &["atomic access of 4 bytes", OUTSIDE, "(storage buffer at set 0, binding 0)"]),
        case(3, READ, (1, 0), 10, 16, &["read of 4 bytes", OUTSIDE, "(uniform buffer at set 0, binding 1)"]),
        case(4, READ, (2, 0), 100, 4, &["read of 4 bytes", NO_TEXEL, "(uniform texel buffer at set 0, binding 2)"]),
        case(5, READ, (3, 0), 100, 4, &["read of 4 bytes", NO_TEXEL, "(storage texel buffer at set 0, binding 3)"]),
        case(6, WRITE, (3, 0), 100, 4, &["write of 4 bytes", NO_TEXEL, "(storage texel buffer at set 0, binding 3)"]),
        case(7, WRITE, (3, 0), 100, 4, &["atomic access of 4 bytes", NO_TEXEL, "(storage texel buffer at set 0, binding 3)"]),
        case(8, READ, (4, 0), 100, 0, &["read of 4 bytes", NO_TEXEL, "(storage image at set 0, binding 4)"]),
        case(9, WRITE, (4, 0), 100, 0, &["write of 4 bytes", NO_TEXEL, "(storage image at set 0, binding 4)"]),
        case(10, WRITE, (4, 0), 100, 0, &["atomic access of 4 bytes", NO_TEXEL, "(storage image at set 0, binding 4)"]),
        case(11, READ, (5, 0), 100, 0, &["read of 4 bytes", NO_TEXEL, "(sampled image at set 0, binding 5)"]),
        case(12, READ, (5, 0), 100, 0, &["read of 4 bytes", NO_TEXEL, "(sampled image at set 0, binding 5)"]),
        case(13, WRITE, (6, 0), 100, 0, &["write of 4 bytes", NO_TEXEL, "(storage image at set 0, binding 6)"]),
        case(15, READ, (0, 0), 100, 4, &["read of 4 bytes", OUTSIDE]),
        // The element differs from invocation to invocation: what it names is found by the address.
        case(16, READ, (8, FIRST as usize & 3), 100, 4, &["read of 4 bytes", "robustness masked it"]),
    ];
    // The second word of a vector.
    cases[3].offset = Some(16 * u64::from(10 + FIRST) + 4);
    // The last of 64 turns, in the lowest invocation that strays at all.
    cases[14].offset = Some(4 * u64::from(100 + FIRST + 63));
    // The same for all invocations.
    cases.push(Case {
        offset: Some(400),
        ..case(14, READ, (0, 0), 100, 4, &["read of 4 bytes", OUTSIDE])
    });
    cases
}

/// Bytes from the first texel of an image to where a case aims. Rows are 16 bytes apart.
fn texel(case: &Case) -> Option<u64> {
    let n = u64::from(case.at + FIRST);
    Some(match case.kind {
        8 => 4 * n + 16,
        9 => 4 + 16 * n,
        10 | 11 | 13 => 4 * n,
        // A level that is not there.
        12 => 0,
        _ => return None,
    })
}

/// The invocation whose access ends the device.
fn first_to_stray(kind: u32) -> u32 {
    match kind {
        14 => 0,
        15 => FIRST + 1,
        _ => FIRST,
    }
}

/// Checks a report of a case; gives it in one line.
fn check(world: &World, case: &Case, report: &Info, lost: bool) -> String {
    let description = text(&report.description);
    let flags = MEMORY_ADDRESS | INSTRUCTION_ADDRESS | VENDOR | u32::from(lost);
    assert_eq!(report.flags, flags, "{description}");
    let [access, reported, precision] = report.address;
    let instruction = report.instruction;
    assert_eq!((access, precision), (case.access, 1), "{description}");
    if let Some(offset) = case.offset {
        let base = world.base(case.binding, case.element);
        assert_eq!(reported, base + offset, "{}: {description}", case.kind);
    }
    // The instruction of the shader.
    assert_eq!((instruction[0], instruction[2]), (6, 4096), "{description}");
    let place = "in compute shader 'main', 2nd vkCmdDispatch of command buffer 'frame'";
    for says in case.says.iter().chain(&[place]) {
        assert!(description.contains(says), "`{says}` in {description}");
    }
    let (_, code, data) = report.vendor;
    format!(
        "{} {} {:?} {:?} {description} {code} {data}",
        case.kind, report.flags, report.address, instruction
    )
}

/// Runs `body` with all settings; each child must print the same lines.
fn everywhere(name: &str, body: impl Fn()) {
    let mut first: Option<Vec<String>> = None;
    for settings in settings() {
        let Some(text) = isolated(name, &settings, &body) else {
            return;
        };
        let lines = text.lines().filter_map(|line| line.split_once(FOUND));
        let found: Vec<String> = lines.map(|(_, found)| found.to_owned()).collect();
        assert!(!found.is_empty(), "{text}");
        match &first {
            None => first = Some(found),
            Some(first) => assert_eq!(&found, first, "{settings:?}"),
        }
    }
}

#[test]
fn each_is_reported_once_and_the_device_lives() {
    everywhere("each_is_reported_once_and_the_device_lives", || {
        let world = World::new(Masked::Report);
        for case in cases() {
            let first = if case.kind == 14 { 0 } else { FIRST };
            world.run(case.kind, case.at, first).expect("it lives");
            let reports = world.reports();
            assert_eq!(reports.len(), 1, "{}", case.kind);
            println!("{FOUND}{}", check(&world, &case, &reports[0], false));
            world.run(case.kind, 0, 99).expect("as well");
            assert_eq!(world.reports().len(), 0, "{}: what is in bounds", case.kind);
        }
        // Two instructions, in their order.
        world.run(99, 100, FIRST).expect("it lives");
        let (base, at) = (world.base(0, 0), 4 * u64::from(100 + FIRST));
        let found: Vec<[u64; 3]> = world.reports().iter().map(|report| report.address).collect();
        assert_eq!(found, [[WRITE, base + at, 1], [READ, base + at + 4, 1]]);
    });
}

#[test]
fn each_loses_a_device_that_is_to_be_lost_for_them() {
    let dumps = same_with_all_settings("each_loses_a_device_that_is_to_be_lost_for_them", || {
        for case in cases() {
            let world = World::new(Masked::Lose);
            let first = if case.kind == 14 { 0 } else { FIRST };
            let case = match case.kind {
                // What is first in time ends the wave.
                15 => Case {
                    offset: Some(4 * u64::from(case.at + FIRST + 1)),
                    ..case
                },
                _ => case,
            };
            world.run(case.kind, 0, 99).expect("what is in bounds");
            assert_eq!(world.run(case.kind, case.at, first), LOST, "{}", case.kind);
            let reports = world.reports();
            assert_eq!(reports.len(), 1, "{}", case.kind);
            check(&world, &case, &reports[0], true);
            let report = Report::of(&world.device);
            let attribution = report.attribution();
            assert_eq!(attribution.problem, "masked");
            if let Some(offset) = texel(&case) {
                let base = attribution.bindings[0].address.trim_start_matches("0x");
                let base = u64::from_str_radix(base, 16).expect("a number");
                assert_eq!(reports[0].address[1], base + offset, "{}", case.kind);
            }
            let shader = attribution.shader.expect("a shader");
            let lane = first_to_stray(case.kind);
            let invocation = format!("workgroup (0, 0, 0), local invocation ({lane}, 0, 0)");
            assert_eq!(shader.invocation, invocation, "{}", case.kind);
        }
    });
    assert!(dumps == cases().len() || is_child(), "{dumps} dumps");
}

#[test]
fn nothing_is_said_unless_the_device_asks() {
    let world = World::new(Masked::Ignore);
    for case in cases() {
        world.run(case.kind, case.at, FIRST).expect("it lives");
        assert_eq!(world.reports().len(), 0, "{}", case.kind);
    }
}

/// Draws with the flat pipeline from buffers of 4 vertices, 3 colours and 6 indices; gives vertices, colours, indices.
fn flat(device: &Device, f: impl FnOnce(vk::CommandBuffer)) -> (Result<(), vk::Result>, [u64; 3]) {
    let buffers = [
        Buffer::new(device, 32),
        Buffer::new(device, 12),
        Buffer::with(device, &[0_u16, 1, 2, 2, 1, 3].map(u16::to_le_bytes).concat()),
    ];
    let [vertices, colors, indices] = &buffers;
    let (target, pipeline, commands) = (Target::new(device), draw::flat(device), Commands::new(device));
    commands.record(device, |cb| {
        // SAFETY: all is alive; what is out of bounds is what is tested.
        unsafe {
            device
                .raw
                .cmd_bind_vertex_buffers(cb, 0, &[vertices.raw, colors.raw], &[0, 0]);
            device
                .raw
                .cmd_bind_index_buffer(cb, indices.raw, 0, vk::IndexType::UINT16);
            device
                .raw
                .cmd_push_constants(cb, pipeline.layout, ALL, 0, &[0; 12]);
        }
        target.render(device, cb, &pipeline, || f(cb));
    });
    let result = commands.run(device);
    let places = [vertices, colors, indices].map(|buffer| address(device, buffer));
    commands.destroy(device);
    target.destroy(device);
    pipeline.destroy(device);
    buffers.into_iter().for_each(|buffer| buffer.destroy(device));
    (result, places)
}

/// Draws that fetch out of bounds: four vertices, an instance, three indices, besides some that do not.
fn stray_draws(device: &Device, cb: vk::CommandBuffer) {
    // SAFETY: what is out of bounds is what is tested.
    unsafe {
        device.raw.cmd_draw(cb, 3, 1, 0, 0);
        device.raw.cmd_draw(cb, 6, 1, 2, 0);
        device.raw.cmd_draw(cb, 3, 2, 0, 2);
        device.raw.cmd_draw_indexed(cb, 6, 1, 0, 0, 0);
        device.raw.cmd_draw_indexed(cb, 6, 1, 3, 0, 0);
    }
}

#[test]
fn vertices_and_indices() {
    everywhere("vertices_and_indices", || {
        let device = device(Masked::Report);
        let (result, [vertices, colors, indices]) = flat(&device, |cb| stray_draws(&device, cb));
        assert_eq!(result, Ok(()));
        let (_, reports) = Functions::new(&device).take(0, 99);
        let found: Vec<[u64; 3]> = reports.iter().map(|report| report.address).collect();
        assert_eq!(
            found,
            [
                [READ, vertices + 32, 1],
                [READ, colors + 12, 1],
                [READ, indices + 12, 1]
            ]
        );
        let says = [
            [
                "read of 8 bytes",
                "the 32 bytes",
                "(vertex buffer binding 0)",
                "2nd vkCmdDraw ",
            ],
            [
                "read of 4 bytes",
                "the 12 bytes",
                "(vertex buffer binding 1)",
                "3rd vkCmdDraw ",
            ],
            [
                "read of 2 bytes",
                "the 12 bytes",
                "(index buffer)",
                "2nd vkCmdDrawIndexed ",
            ],
        ];
        for (report, says) in reports.iter().zip(says) {
            let description = text(&report.description);
            println!("{FOUND}{} {description}", report.flags);
            assert_eq!(report.flags, MEMORY_ADDRESS | VENDOR, "no instruction fetches");
            for says in says {
                assert!(description.contains(says), "`{says}` in {description}");
            }
        }
    });
}

#[test]
fn vertices_and_indices_lose_devices() {
    let dumps = same_with_all_settings("vertices_and_indices_lose_devices", || {
        type Draw = fn(&Device, vk::CommandBuffer);
        // SAFETY: as above, in all of them.
        let draws: [(Draw, usize, u64); 3] = [
            (|device, cb| unsafe { device.raw.cmd_draw(cb, 6, 1, 2, 0) }, 0, 32),
            (|device, cb| unsafe { device.raw.cmd_draw(cb, 3, 2, 0, 2) }, 1, 12),
            (
                |device, cb| unsafe { device.raw.cmd_draw_indexed(cb, 6, 1, 3, 0, 0) },
                2,
                12,
            ),
        ];
        for (draw, buffer, offset) in draws {
            let device = device(Masked::Lose);
            let (result, places) = flat(&device, |cb| draw(&device, cb));
            assert_eq!(result, LOST);
            let report = Report::of(&device);
            let (access, reported, precision) = report.addresses[0];
            assert_eq!((access, reported, precision), (1, places[buffer] + offset, 1));
        }
    });
    assert!(dumps == 3 || is_child(), "{dumps} dumps");
}

/// Draws one triangle over the target whose fragments store out of bounds from column 70 on.
fn fragments(masked: Masked, instances: u32) -> (Device, Result<(), vk::Result>, u64) {
    let device = device(masked);
    let words = Buffer::new(&device, 4096);
    let set = common::pipeline::BufferSet::new(&device, Type::STORAGE_BUFFER, &words, BOUND);
    let layout = Pipeline::layout(&device, &[set.layout], 8);
    let codes: [&[u8]; 2] = [
        include_bytes!("../shaders/test/debug/cover.vert.g.spv"),
        include_bytes!("../shaders/test/masked.frag.spv"),
    ];
    let pipeline = draw::pipeline(&device, codes, layout, &Default::default());
    let (target, commands) = (Target::new(&device), Commands::new(&device));
    commands.record(&device, |cb| {
        target.render(&device, cb, &pipeline, || {
            // SAFETY: the set fits the layout; what is out of bounds is what is tested.
            unsafe {
                device
                    .raw
                    .cmd_bind_descriptor_sets(cb, GRAPHICS, layout, 0, &[set.set], &[]);
                let push = compute::words([200, 70]);
                device.raw.cmd_push_constants(cb, layout, ALL, 0, &push);
                (0..instances).for_each(|_| device.raw.cmd_draw(cb, 3, 1, 0, 0));
            }
        });
    });
    let result = commands.run(&device);
    let at = address(&device, &words) + 4 * 270;
    commands.destroy(&device);
    target.destroy(&device);
    pipeline.destroy(&device);
    set.destroy(&device);
    words.destroy(&device);
    (device, result, at)
}

#[test]
fn fragments_stray_once_a_draw() {
    everywhere("fragments_stray_once_a_draw", || {
        let (device, result, at) = fragments(Masked::Report, 2);
        assert_eq!(result, Ok(()));
        let (_, reports) = Functions::new(&device).take(0, 99);
        assert_eq!(reports.len(), 2);
        for (report, nth) in reports.iter().zip(["1st", "2nd"]) {
            let description = text(&report.description);
            println!("{FOUND}{} {:?} {description}", report.flags, report.instruction);
            assert_eq!(report.address, [WRITE, at, 1], "{description}");
            let place = format!("in fragment shader 'main', {nth} vkCmdDraw of command buffer 1");
            assert!(description.contains(&place), "{description}");
        }
        let (device, result, at) = fragments(Masked::Lose, 2);
        assert_eq!(result, LOST);
        let report = Report::of(&device);
        assert_eq!(report.addresses[0], (2, at, 1));
        println!("{FOUND}{:?} {:?}", report.description, report.attribution());
    });
}

#[test]
fn a_flood_drops_the_oldest_reports() {
    let (device, result, at) = fragments(Masked::Report, 70);
    assert_eq!(result, Ok(()));
    let (_, reports) = Functions::new(&device).take(0, 99);
    assert_eq!(reports.len(), 64);
    let overflows: Vec<bool> = reports
        .iter()
        .map(|report| report.flags & OVERFLOW != 0)
        .collect();
    assert!(
        overflows[0] && !overflows[1..].contains(&true),
        "on the first behind the gap"
    );
    assert!(reports.iter().all(|report| report.flags & DEVICE_LOST == 0));
    assert_eq!(reports[0].address, [WRITE, at, 1]);
    assert!(text(&reports[0].description).contains("7th vkCmdDraw"));
    assert!(!is_child());
}
