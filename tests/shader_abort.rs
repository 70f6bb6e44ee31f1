//! `VK_KHR_shader_abort` and `VK_KHR_shader_constant_data` through the loader, with modules made by hand: tools do not
//! know the instructions yet.

mod common;

use common::{
    Device, Instance,
    child::{is_child, isolated},
    fault::same_with_all_settings,
    khr_fault::{ABORT_FEATURES, AbortMessages, DebugInfo, Feature, Features, Functions, text},
    loss::LOST,
    pipeline::{BufferSet, Pipeline},
    scene::{Options, Scene},
    vk,
    work::{Buffer, Commands},
};

/// Words of a module under construction.
struct Module(Vec<u32>);

impl Module {
    fn new(bound: u32) -> Self {
        Self(vec![0x0723_0203, 0x0001_0300, 0, bound, 0])
    }

    fn op(&mut self, opcode: u32, words: &[u32]) -> &mut Self {
        self.0.push((words.len() as u32 + 1) << 16 | opcode);
        self.0.extend_from_slice(words);
        self
    }

    fn bytes(&self) -> Vec<u8> {
        self.0.iter().flat_map(|word| word.to_le_bytes()).collect()
    }
}

/// The words of a literal string.
fn string(text: &str) -> Vec<u32> {
    let mut bytes = text.as_bytes().to_vec();
    bytes.resize((bytes.len() / 4 + 1) * 4, 0);
    bytes
        .chunks_exact(4)
        .map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
        .collect()
}

const MAIN: u32 = 1;
const ID: u32 = 2;
const MESSAGE: u32 = 3;
const TEXT_TYPE: u32 = 4;
const TEXT: u32 = 5;

/// What invocation 5 of each workgroup of 8 aborts with.
#[derive(Clone, Copy)]
enum Message {
    /// `{ uint: 3 * x; float at offset 8: 1.5 }`.
    Structure,
    /// Twelve bytes of constant data.
    Text,
    /// The same as a specialization constant with the number 7.
    SpecText,
}

/// A shader of a graphics stage that aborts at once.
fn graphics_module(stage: vk::ShaderStageFlags) -> Vec<u8> {
    let (void, function, uint, byte, length, entry) = (10, 11, 12, 13, 14, 15);
    let fragment = stage == vk::ShaderStageFlags::FRAGMENT;
    let mut m = Module::new(60);
    for capability in [1, 39, 5120, 5146] {
        m.op(17, &[capability]);
    }
    m.op(14, &[0, 1]);
    let model = if fragment { 4 } else { 0 };
    m.op(15, &[&[model, MAIN][..], &string("main")].concat());
    if fragment {
        m.op(16, &[MAIN, 7]);
    }
    m.op(71, &[TEXT_TYPE, 6, 1]);
    m.op(19, &[void]).op(33, &[function, void]);
    m.op(21, &[uint, 32, 0]).op(21, &[byte, 8, 0]);
    m.op(43, &[uint, length, 12]).op(28, &[TEXT_TYPE, byte, length]);
    let text = if fragment { "no such hue!" } else { "no such edge" };
    m.op(5147, &[&[TEXT_TYPE, TEXT][..], &string(text)[..3]].concat());
    m.op(54, &[void, MAIN, 0, function]).op(248, &[entry]);
    m.op(5121, &[TEXT_TYPE, TEXT]).op(56, &[]);
    m.bytes()
}

/// A compute shader that aborts in invocations 5 and 6 of each workgroup of 8.
fn module(message: Message) -> Vec<u8> {
    let (void, function, uint, vector, pointer, boolean, float) = (10, 11, 12, 13, 14, 15, 16);
    let (three, five, six, half, twelve, byte) = (20, 21, 22, 23, 24, 25);
    let (entry, yes, merge) = (30, 31, 32);
    let (id, x, a, b, cond, product, value) = (40, 41, 42, 43, 44, 45, 46);
    let mut m = Module::new(60);
    for capability in [1, 39, 5120, 5146] {
        m.op(17, &[capability]);
    }
    m.op(14, &[0, 1]);
    m.op(15, &[&[5, MAIN][..], &string("main"), &[ID]].concat());
    m.op(16, &[MAIN, 17, 8, 1, 1]);
    // BuiltIn LocalInvocationId; offsets of the message; stride of the text.
    m.op(71, &[ID, 11, 27]);
    m.op(72, &[MESSAGE, 0, 35, 0]).op(72, &[MESSAGE, 1, 35, 8]);
    m.op(71, &[TEXT_TYPE, 6, 1]);
    let data = match message {
        Message::SpecText => {
            m.op(71, &[TEXT, 1, 7]);
            5148
        }
        _ => 5147,
    };
    m.op(19, &[void]).op(33, &[function, void]);
    m.op(21, &[uint, 32, 0]).op(23, &[vector, uint, 3]);
    m.op(32, &[pointer, 1, vector]).op(59, &[pointer, ID, 1]);
    m.op(20, &[boolean]).op(22, &[float, 32]).op(21, &[byte, 8, 0]);
    for (constant, literal) in [(three, 3), (five, 5), (six, 6), (twelve, 12)] {
        m.op(43, &[uint, constant, literal]);
    }
    m.op(43, &[float, half, 1.5_f32.to_bits()]);
    m.op(30, &[MESSAGE, uint, float]);
    m.op(28, &[TEXT_TYPE, byte, twelve]);
    m.op(
        data,
        &[&[TEXT_TYPE, TEXT][..], &string("disk on fire")[..3]].concat(),
    );
    m.op(54, &[void, MAIN, 0, function]).op(248, &[entry]);
    m.op(61, &[vector, id, ID]).op(81, &[uint, x, id, 0]);
    m.op(170, &[boolean, a, x, five]).op(170, &[boolean, b, x, six]);
    m.op(166, &[boolean, cond, a, b]);
    m.op(247, &[merge, 0]).op(250, &[cond, yes, merge]);
    m.op(248, &[yes]);
    match message {
        Message::Structure => {
            m.op(132, &[uint, product, x, three]);
            m.op(80, &[MESSAGE, value, product, half]);
            m.op(5121, &[MESSAGE, value]);
        }
        Message::Text | Message::SpecText => {
            m.op(5121, &[TEXT_TYPE, TEXT]);
        }
    }
    m.op(248, &[merge]).op(253, &[]).op(56, &[]);
    m.bytes()
}

fn device(abort: bool) -> Device {
    let mut fault = Features {
        on: [1, 1, 0, 0],
        ..Features::default()
    };
    let mut data = Feature {
        s_type: ABORT_FEATURES[0],
        p_next: (&raw mut fault).cast(),
        on: 1,
    };
    let mut asked = Feature {
        s_type: ABORT_FEATURES[1],
        p_next: (&raw mut data).cast(),
        on: u32::from(abort),
    };
    let names = [
        c"VK_KHR_device_fault".as_ptr(),
        c"VK_KHR_shader_constant_data".as_ptr(),
        c"VK_KHR_shader_abort".as_ptr(),
    ];
    let mut info = vk::DeviceCreateInfo::default().enabled_extension_names(&names);
    info.p_next = (&raw mut asked).cast();
    Device::create(Instance::new(), info)
}

/// Runs a shader of four workgroups, with this data for the constant 7.
fn dispatch_with(device: &Device, code: &[u8], data: &[u8]) -> Result<(), vk::Result> {
    let out = Buffer::new(device, 4);
    let set = BufferSet::new(device, vk::DescriptorType::STORAGE_BUFFER, &out, 4);
    let layout = Pipeline::layout(device, &[set.layout], 4);
    let entry = [vk::SpecializationMapEntry::default()
        .constant_id(7)
        .size(data.len())];
    let constants = vk::SpecializationInfo::default()
        .map_entries(&entry[..usize::from(!data.is_empty())])
        .data(data);
    let pipeline = Pipeline::specialized(device, code, layout, &constants);
    let commands = Commands::new(device);
    // SAFETY: the shader uses no resource.
    commands.record(device, |cb| unsafe {
        device
            .raw
            .cmd_bind_pipeline(cb, vk::PipelineBindPoint::COMPUTE, pipeline.raw);
        device.raw.cmd_dispatch(cb, 4, 1, 1);
    });
    let result = commands.run(device);
    commands.destroy(device);
    pipeline.destroy(device);
    set.destroy(device);
    out.destroy(device);
    result
}

/// Runs a shader of four workgroups.
fn dispatch(device: &Device, code: &[u8]) -> Result<(), vk::Result> {
    dispatch_with(device, code, &[])
}

/// The messages, with room for `room` bytes of them.
fn messages(functions: &Functions, room: Option<u64>) -> (vk::Result, u64, Vec<u8>) {
    let mut bytes = vec![0xa5; room.unwrap_or(0) as usize + 1];
    let data = room.map_or(std::ptr::null_mut(), |_| bytes.as_mut_ptr());
    let mut messages = AbortMessages::new(room.unwrap_or(0), data);
    let mut info = DebugInfo::new(0, std::ptr::null_mut());
    info.p_next = (&raw mut messages).cast();
    let result = functions.debug(&mut info);
    assert_eq!(bytes.pop(), Some(0xa5), "nothing beyond");
    (result, messages.size, bytes)
}

fn aborts() {
    let device_lost = device(true);
    let functions = Functions::new(&device_lost);
    assert_eq!(messages(&functions, None).1, 0, "a healthy device");
    assert_eq!(dispatch(&device_lost, &module(Message::Structure)), LOST);
    // Of the two invocations of the first workgroup, in their order: a length and a structure of twelve bytes.
    let (result, size, _) = messages(&functions, None);
    assert_eq!((result, size), (vk::Result::SUCCESS, 24 + 20));
    for _ in 0..2 {
        let (result, size, bytes) = messages(&functions, Some(44));
        assert_eq!((result, size), (vk::Result::SUCCESS, 44));
        for (bytes, number) in [(&bytes[..20], 15_u32), (&bytes[24..], 18)] {
            assert_eq!(bytes[..8], 12_u64.to_le_bytes());
            assert_eq!(bytes[8..12], number.to_le_bytes());
            assert_eq!(bytes[12..16], [0; 4], "nothing between the members");
            assert_eq!(bytes[16..], 1.5_f32.to_le_bytes());
        }
    }
    let (result, size, _) = messages(&functions, Some(43));
    assert_eq!((result.as_raw(), size), (-1_000_483_000, 0));
    let (_, reports) = functions.take(0, 4);
    assert_eq!(reports.len(), 1);
    let says = text(&reports[0].description);
    assert!(
        says.starts_with("a compute shader aborted: 12 bytes of message"),
        "{says}"
    );

    let second = device(true);
    assert_eq!(dispatch(&second, &module(Message::Text)), LOST);
    let functions = Functions::new(&second);
    let (_, _, bytes) = messages(&functions, Some(20));
    assert_eq!(&bytes[8..], b"disk on fire");
    let says = text(&functions.take(0, 1).1[0].description);
    assert!(says.contains("a compute shader aborted: disk on fire"), "{says}");
}

#[test]
fn an_abort_loses_the_device_and_leaves_its_message() {
    aborts();
}

#[test]
fn constant_data_can_be_specialized() {
    for (data, message) in [(&b"disk is full"[..], b"disk is full"), (b"", b"disk on fire")] {
        let device = device(true);
        let code = module(Message::SpecText);
        assert_eq!(dispatch_with(&device, &code, data), LOST);
        let (_, _, bytes) = messages(&Functions::new(&device), Some(20));
        assert_eq!(&bytes[8..], message);
    }
}

#[test]
fn graphics_stages_abort_too() {
    let vertex = graphics_module(vk::ShaderStageFlags::VERTEX);
    let fragment = graphics_module(vk::ShaderStageFlags::FRAGMENT);
    for (code, stage, message) in [
        ([Some(&*vertex), None], "vertex", b"no such edge"),
        ([None, Some(&*fragment)], "fragment", b"no such hue!"),
    ] {
        let options = Options {
            code,
            ..Options::default()
        };
        let scene = Scene::on(device(true), options);
        let commands = Commands::new(&scene.device);
        commands.record(&scene.device, |cb| {
            scene.begin(cb, vk::SubpassContents::INLINE);
            scene.bind(cb);
            // SAFETY: all is bound.
            unsafe {
                scene.device.raw.cmd_draw_indexed(cb, 6, 1, 0, 0, 0);
                scene.device.raw.cmd_end_render_pass(cb);
            }
        });
        assert_eq!(commands.run(&scene.device), LOST);
        let functions = Functions::new(&scene.device);
        assert_eq!(&messages(&functions, Some(20)).2[8..], message);
        let says = text(&functions.take(0, 1).1[0].description);
        assert!(
            says.starts_with(&format!("a {stage} shader aborted: no such")),
            "{says}"
        );
        commands.destroy(&scene.device);
    }
}

#[test]
fn an_abort_in_the_interpreter_is_the_same() {
    isolated(
        "an_abort_in_the_interpreter_is_the_same",
        &[("LAHAR_BACKEND", "interp"), ("LAHAR_THREADS", "3")],
        aborts,
    );
}

#[test]
fn no_messages_are_told_without_the_feature() {
    let device = device(false);
    let functions = Functions::new(&device);
    // Not valid usage; what matters is that it does no harm.
    assert_eq!(dispatch(&device, &module(Message::Text)), LOST);
    assert_eq!(messages(&functions, None).1, 0);
}

#[test]
fn the_longest_message_is_told() {
    /// `VkPhysicalDeviceShaderAbortPropertiesKHR`.
    #[repr(C)]
    struct Properties {
        s_type: i32,
        p_next: *mut std::ffi::c_void,
        max: u64,
    }
    let instance = Instance::new();
    let mut limit = Properties {
        s_type: 1_000_233_002,
        p_next: std::ptr::null_mut(),
        max: 0,
    };
    let mut two = vk::PhysicalDeviceProperties2 {
        p_next: (&raw mut limit).cast(),
        ..Default::default()
    };
    // SAFETY: the chain is valid.
    unsafe {
        instance
            .raw
            .get_physical_device_properties2(instance.physical, &mut two);
    }
    assert!(limit.max >= 65536);
}

#[test]
fn aborts_leave_the_same_dumps() {
    let dumps = same_with_all_settings("aborts_leave_the_same_dumps", || {
        for message in [Message::Structure, Message::Text, Message::SpecText] {
            assert_eq!(dispatch(&device(true), &module(message)), LOST);
        }
    });
    assert!(dumps == 3 || is_child(), "{dumps} dumps");
}
