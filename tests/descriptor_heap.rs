//! `VK_EXT_descriptor_heap` through the loader: descriptors found by offset, bindings mapped to heaps in every way, and
//! what is told of descriptors in heaps that are not right.

mod common;

use ash::vk;
use common::{
    Device, compute,
    fault::{Report, address},
    heap::{self, Heaps, Mapping, MappingInfo, SAMPLER_STEP, STEP},
    work::{Buffer, Commands, all, run, whole},
};
use std::ptr::null;
use vk::DescriptorType as Type;

/// Finds everything by offset.
const DIRECT: &[u8] = include_bytes!("../shaders/test/heap.spv");
/// Has sets and bindings.
const BINDINGS: &[u8] = include_bytes!("../shaders/test/descriptors.comp.spv");
const COMPUTE: vk::PipelineBindPoint = vk::PipelineBindPoint::COMPUTE;

/// Heaps as host memory.
#[derive(Default)]
struct Bytes {
    resources: Vec<u8>,
    samplers: Vec<u8>,
}

impl Bytes {
    fn put(&mut self, index: usize, descriptor: &[u8]) {
        let end = (index + 1) * STEP;
        self.resources.resize(self.resources.len().max(end), 0);
        self.resources[index * STEP..end].copy_from_slice(descriptor);
    }

    fn put_sampler(&mut self, index: usize, descriptor: &[u8]) {
        let end = (index + 1) * SAMPLER_STEP;
        self.samplers.resize(self.samplers.len().max(end), 0);
        self.samplers[index * SAMPLER_STEP..end].copy_from_slice(descriptor);
    }
}

fn view(image: vk::Image) -> vk::ImageViewCreateInfo<'static> {
    vk::ImageViewCreateInfo::default()
        .image(image)
        .view_type(vk::ImageViewType::TYPE_2D)
        .format(vk::Format::R32_UINT)
        .subresource_range(all(vk::ImageAspectFlags::COLOR))
}

/// What the direct shader needs: eight buffers of a word each, a texture and the result.
struct Direct {
    device: Device,
    heaps: Heaps,
    words: Vec<Buffer>,
    texture: compute::Texture,
    out: Buffer,
    bytes: Bytes,
    pipeline: vk::Pipeline,
}

impl Direct {
    fn new() -> Direct {
        let (device, heaps) = heap::device();
        let words: Vec<Buffer> = (0..8)
            .map(|n| Buffer::with(&device, &compute::words([1000 * n; 16])))
            .collect();
        let texture = compute::texture(&device, 40);
        let out = Buffer::new(&device, 32);
        let mut bytes = Bytes::default();
        for (n, buffer) in words.iter().enumerate() {
            bytes.put(
                n,
                &heaps.buffer(Type::STORAGE_BUFFER, address(&device, buffer), 64),
            );
        }
        bytes.put(8, &heaps.image(Type::SAMPLED_IMAGE, &view(texture.image.raw)));
        bytes.put(9, &heaps.buffer(Type::STORAGE_BUFFER, address(&device, &out), 32));
        bytes.put_sampler(1, &heaps.sampler(&vk::SamplerCreateInfo::default()));
        Direct {
            pipeline: heap::pipeline(&device, DIRECT, &[]),
            device,
            heaps,
            words,
            texture,
            out,
            bytes,
        }
    }

    /// Runs the shader; `hurt` may change what the heaps are in before that.
    fn run(&mut self, hurt: impl FnOnce(&Device, &mut Buffer)) -> (Result<(), vk::Result>, u64) {
        let mut resources = Buffer::with(&self.device, &self.bytes.resources);
        let samplers = Buffer::with(&self.device, &self.bytes.samplers);
        let at = address(&self.device, &resources);
        let commands = Commands::new(&self.device);
        commands.record(&self.device, |cb| {
            self.heaps.bind(&self.device, cb, &resources, &samplers);
            // SAFETY: everything is alive, but for what is tested.
            unsafe {
                self.device.raw.cmd_bind_pipeline(cb, COMPUTE, self.pipeline);
                self.device.raw.cmd_dispatch(cb, 1, 1, 1);
            }
        });
        hurt(&self.device, &mut resources);
        let result = commands.run(&self.device);
        commands.destroy(&self.device);
        resources.destroy(&self.device);
        samplers.destroy(&self.device);
        (result, at)
    }

    fn destroy(self) {
        // SAFETY: no work is pending.
        unsafe { self.device.raw.destroy_pipeline(self.pipeline, None) };
        self.texture.destroy(&self.device);
        self.out.destroy(&self.device);
        self.words.into_iter().for_each(|b| b.destroy(&self.device));
    }
}

#[test]
fn shaders_find_descriptors_by_offset() {
    let mut world = Direct::new();
    assert_eq!(world.run(|_, _| ()).0, Ok(()));
    let expected: Vec<u32> = (0..8).map(|n| 1000 * n + 41).collect();
    assert_eq!(world.out.words(), expected, "each lane has its own buffer");
    // All zeros are null descriptors: reads give zeros.
    world.bytes.resources[..8 * STEP].fill(0);
    assert_eq!(world.run(|_, _| ()).0, Ok(()));
    assert_eq!(world.out.words(), [41; 8]);
    world.destroy();
}

/// Runs what must lose the device; the report and the heap's address.
fn lost(world: &mut Direct, hurt: impl FnOnce(&Device, &mut Buffer)) -> (Report, u64) {
    let (result, at) = world.run(hurt);
    assert_eq!(result, Err(vk::Result::ERROR_DEVICE_LOST));
    (Report::of(&world.device), at)
}

#[test]
fn damaged_descriptors_are_named_by_their_offset() {
    for (offset, byte) in [(3 * STEP, 13), (8 * STEP, 15), (9 * STEP, 12)] {
        let mut world = Direct::new();
        world.bytes.resources[offset + byte] ^= 0x48;
        let (report, at) = lost(&mut world, |_, _| ());
        let description = &report.description;
        assert_eq!(report.addresses[0].1, at + offset as u64, "{description}");
        assert!(description.contains("no descriptor"), "{description}");
        let attribution = report.attribution();
        assert_eq!(attribution.problem, "descriptor");
        let kind = &attribution.bindings[0].kind;
        let says = format!("bytes of a descriptor in the resource heap at offset {offset:#x}");
        assert_eq!(*kind, says);
        world.destroy();
    }
    let mut world = Direct::new();
    world.bytes.samplers[SAMPLER_STEP + 3] ^= 0x40;
    let (report, _) = lost(&mut world, |_, _| ());
    let kind = &report.attribution().bindings[0].kind;
    assert_eq!(*kind, "bytes of a descriptor in the sampler heap at offset 0x20");
    world.destroy();
}

#[test]
fn freed_memory_is_told_with_the_descriptor_that_names_it() {
    // A buffer that one of the lanes reads.
    let mut world = Direct::new();
    let at = address(&world.device, &world.words[5]);
    let mut words = std::mem::take(&mut world.words);
    let (report, _) = lost(&mut world, |device, _| words[5].free_memory(device));
    assert_eq!(report.addresses[0].1, at, "{}", report.description);
    let named = &report.attribution().bindings[0];
    assert_eq!(named.kind, "buffer in the resource heap at offset 0x140");
    world.words = words;
    world.destroy();
    // The heap itself.
    let mut world = Direct::new();
    let (report, at) = lost(&mut world, |device, heap| heap.free_memory(device));
    let found = report.addresses[0].1;
    assert!((at..at + 4096).contains(&found), "{found:#x} near {at:#x}");
    let kind = &report.attribution().bindings[0].kind;
    assert!(kind.contains("resource heap at offset"), "{kind}");
    world.destroy();
}

#[test]
fn a_heap_that_is_not_bound_is_a_fault() {
    let world = Direct::new();
    let commands = Commands::new(&world.device);
    commands.record(&world.device, |cb| {
        // SAFETY: the pipeline is alive; that no heap is bound is what is tested.
        unsafe {
            world.device.raw.cmd_bind_pipeline(cb, COMPUTE, world.pipeline);
            world.device.raw.cmd_dispatch(cb, 1, 1, 1);
        }
    });
    assert_eq!(commands.run(&world.device), Err(vk::Result::ERROR_DEVICE_LOST));
    commands.destroy(&world.device);
    world.destroy();
}

#[test]
fn border_colors_are_registered_by_index() {
    let (_device, heaps) = heap::device();
    let (first, second) = ([1, 2, 3, 4], [5, 6, 7, 8]);
    let a = heaps.register(first, None).expect("an index");
    let b = heaps.register(second, None).expect("another");
    assert_ne!(a, b);
    let invalid = Err(vk::Result::ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS);
    assert_eq!(heaps.register(first, Some(b)), invalid, "in use");
    let sampler = |index| {
        let mut index = heap::BorderIndex::new(index);
        let info = vk::SamplerCreateInfo::default()
            .address_mode_u(vk::SamplerAddressMode::CLAMP_TO_BORDER)
            .border_color(vk::BorderColor::INT_CUSTOM_EXT)
            .push_next(&mut index);
        heaps.sampler(&info)
    };
    let of_first = sampler(a);
    assert_ne!(of_first, sampler(b), "the colour is in the descriptor");
    heaps.unregister(b);
    assert_eq!(heaps.register(first, Some(b)), Ok(b), "free again");
    assert_eq!(of_first, sampler(b));
}

/// How the bindings of the other shader are mapped; its uniform buffer at binding 3 as `moved` says, in push data from
/// byte 32 on.
fn mappings(moved: Mapping, sampler: *const vk::SamplerCreateInfo<'_>) -> Vec<Mapping> {
    vec![
        Mapping::constant(0, 0, 0, null()),
        Mapping::push(0, 2, 0),
        moved,
        Mapping::indirect(0, 4, 8, 4, false, false),
        Mapping::indirect(0, 5, 8, 8, true, false),
        Mapping::indirect(0, 6, 8, 12, true, true),
        Mapping::constant(0, 8, 7 * STEP, null()),
        Mapping::push(0, 9, 4),
        Mapping::constant(0, 10, 0, sampler),
        Mapping::constant(1, 3, 9 * STEP, null()),
    ]
}

/// Everything that the shader with bindings reads, its heaps, and what it must find.
struct Mapped {
    device: Device,
    heaps: Heaps,
    data: Buffer,
    out: Buffer,
    texels: Buffer,
    /// Indices into the heaps.
    table: Buffer,
    textures: Vec<compute::Texture>,
    resources: Buffer,
    samplers: Buffer,
}

impl Mapped {
    fn new() -> Mapped {
        let (device, heaps) = heap::device();
        let data = Buffer::with(&device, &compute::words((0..512).map(|w| 1000 + w)));
        let texels = Buffer::with(&device, &compute::words(50..58));
        let out = Buffer::new(&device, 13 * 4);
        let textures: Vec<_> = (0..4).map(|n| compute::texture(&device, 100 * (n + 1))).collect();
        let at = address(&device, &data);
        let mut bytes = Bytes::default();
        bytes.put(0, &heaps.buffer(Type::UNIFORM_BUFFER, at, 16));
        bytes.put(1, &heaps.buffer(Type::UNIFORM_BUFFER, at + 256, 16));
        bytes.put(2, &heaps.buffer(Type::STORAGE_BUFFER, address(&device, &out), 52));
        let format = vk::Format::R32_UINT;
        let texel = address(&device, &texels);
        bytes.put(3, &heaps.texels(Type::UNIFORM_TEXEL_BUFFER, format, texel, 16));
        bytes.put(
            4,
            &heaps.texels(Type::STORAGE_TEXEL_BUFFER, format, texel + 16, 16),
        );
        for (index, texture, ty) in [
            (5, 0, Type::SAMPLED_IMAGE),
            (6, 1, Type::SAMPLED_IMAGE),
            (7, 2, Type::STORAGE_IMAGE),
            (8, 3, Type::SAMPLED_IMAGE),
        ] {
            bytes.put(index, &heaps.image(ty, &view(textures[texture].image.raw)));
        }
        bytes.put(9, &heaps.buffer(Type::STORAGE_BUFFER, at + 1024, 12));
        // What binding 3 can find in the heap itself.
        let mut words = compute::words([0; 16]);
        words[..4].copy_from_slice(&compute::words([1192]));
        bytes.put(10, &words);
        bytes.put_sampler(1, &heaps.sampler(&vk::SamplerCreateInfo::default()));
        // An index for binding 4, one for binding 5, two with the sampler's in the high bits for binding 6, an address.
        let mut table = compute::words([99, 3, 4, 5 | 1 << 20, 6 | 1 << 20, 0]);
        table.extend_from_slice(&(at + 768).to_le_bytes());
        Mapped {
            table: Buffer::with(&device, &table),
            resources: Buffer::with(&device, &bytes.resources),
            samplers: Buffer::with(&device, &bytes.samplers),
            data,
            out,
            texels,
            textures,
            heaps,
            device,
        }
    }

    /// Binds the heaps and sets push data: two indices, an address, and 8 bytes for binding 3.
    fn bind(&self, cb: vk::CommandBuffer, moved: u64) {
        self.heaps.bind(&self.device, cb, &self.resources, &self.samplers);
        self.heaps.push(cb, 0, &compute::words([2, 8]));
        self.heaps
            .push(cb, 8, &address(&self.device, &self.table).to_le_bytes());
        self.heaps.push(cb, 32, &moved.to_le_bytes());
    }

    /// Dispatches after `bind` and checks what the shader read.
    fn check(&self, what: &str, bind: impl FnOnce(&Mapped, vk::CommandBuffer)) {
        self.out.write(&[0; 52]);
        self.texels.write(&compute::words(50..58));
        run(&self.device, |cb| {
            bind(self, cb);
            // SAFETY: everything is alive until the work is done.
            unsafe { self.device.raw.cmd_dispatch(cb, 1, 1, 1) };
        });
        let expected = [1000, 1064, 1192, 51, 56, 201, 401, 302, 1257, 3, 0, 4, 102];
        assert_eq!(self.out.words(), expected, "{what}");
        assert_eq!(self.texels.words()[4], 78, "{what}");
        let read = Buffer::new(&self.device, 16);
        run(&self.device, |cb| {
            let copy = [whole(vk::ImageAspectFlags::COLOR, [2, 2, 1])];
            let image = self.textures[2].image.raw;
            let general = vk::ImageLayout::GENERAL;
            // SAFETY: the copy lies within image and buffer.
            unsafe {
                self.device
                    .raw
                    .cmd_copy_image_to_buffer(cb, image, general, read.raw, &copy);
            };
        });
        assert_eq!(read.words(), [300, 301, 302, 77], "{what}");
        read.destroy(&self.device);
    }

    fn destroy(self) {
        let buffers = [
            self.data,
            self.out,
            self.texels,
            self.table,
            self.resources,
            self.samplers,
        ];
        buffers.into_iter().for_each(|b| b.destroy(&self.device));
        self.textures.into_iter().for_each(|t| t.destroy(&self.device));
    }
}

#[test]
fn bindings_are_mapped_in_every_way() {
    let world = Mapped::new();
    let sampler = vk::SamplerCreateInfo::default();
    let value = address(&world.device, &world.data) + 768;
    let pair = |low: usize, high: usize| low as u64 | (high as u64) << 32;
    for (what, moved, push) in [
        (
            "heap data",
            Mapping::new(0, 3, 4, &[pair(8 * STEP, 32)]),
            2 * STEP as u64,
        ),
        ("push data", Mapping::new(0, 3, 5, &[32]), 1192),
        ("an address in push data", Mapping::new(0, 3, 6, &[32]), value),
        (
            "an address behind another",
            Mapping::new(0, 3, 7, &[pair(32, 24)]),
            address(&world.device, &world.table),
        ),
    ] {
        let pipeline = heap::pipeline(&world.device, BINDINGS, &mappings(moved, &raw const sampler));
        world.check(what, |world, cb| {
            world.bind(cb, push);
            // SAFETY: the pipeline is alive.
            unsafe { world.device.raw.cmd_bind_pipeline(cb, COMPUTE, pipeline) };
        });
        // SAFETY: no work is pending.
        unsafe { world.device.raw.destroy_pipeline(pipeline, None) };
    }
    world.destroy();
}

#[test]
fn secondary_command_buffers_have_the_heaps_of_the_primary() {
    let world = Mapped::new();
    let raw = &world.device.raw;
    let sampler = vk::SamplerCreateInfo::default();
    let moved = Mapping::new(0, 3, 5, &[32]);
    let pipeline = heap::pipeline(&world.device, BINDINGS, &mappings(moved, &raw const sampler));
    let commands = Commands::new(&world.device);
    let secondary = Commands::allocate(&world.device, commands.pool, vk::CommandBufferLevel::SECONDARY);
    let inheritance = vk::CommandBufferInheritanceInfo::default();
    let begin = vk::CommandBufferBeginInfo::default().inheritance_info(&inheritance);
    // SAFETY: everything is alive until the work is done.
    unsafe {
        raw.begin_command_buffer(secondary, &begin).expect("begun");
        raw.cmd_bind_pipeline(secondary, COMPUTE, pipeline);
        raw.end_command_buffer(secondary).expect("ended");
    }
    world.check("the heaps are not disturbed", |world, cb| {
        world.bind(cb, 1192);
        // SAFETY: as above.
        unsafe { raw.cmd_execute_commands(cb, &[secondary]) };
    });
    commands.destroy(&world.device);
    // SAFETY: no work is pending.
    unsafe { raw.destroy_pipeline(pipeline, None) };
    world.destroy();
}

#[test]
fn shader_objects_keep_mappings_in_their_binaries() {
    let world = Mapped::new();
    let functions = ash::ext::shader_object::Device::new(&world.device.instance.raw, &world.device.raw);
    let sampler = vk::SamplerCreateInfo::default();
    let create = |code: &[u8], ty, list: &[Mapping]| {
        let mut mapping = MappingInfo::new(list);
        let info = vk::ShaderCreateInfoEXT::default()
            .flags(vk::ShaderCreateFlagsEXT::from_raw(1 << 10))
            .stage(vk::ShaderStageFlags::COMPUTE)
            .code_type(ty)
            .code(code)
            .name(c"main")
            .push_next(&mut mapping);
        // SAFETY: the structures are valid.
        unsafe { functions.create_shaders(&[info], None) }.expect("a shader")[0]
    };
    let spirv = vk::ShaderCodeTypeEXT::SPIRV;
    let moved = || Mapping::new(0, 3, 5, &[32]);
    let shader = create(BINDINGS, spirv, &mappings(moved(), &raw const sampler));
    // In another order, with what no binding uses: the same binary.
    let mut other = mappings(moved(), &raw const sampler);
    other.reverse();
    other.push(Mapping::push(7, 0, 0));
    let twin = create(BINDINGS, spirv, &other);
    // SAFETY: the shaders are alive.
    let binaries = [shader, twin].map(|s| unsafe { functions.get_shader_binary_data(s) }.expect("a binary"));
    assert!(binaries[0] == binaries[1], "what is not used leaves a trace");
    let loaded = create(&binaries[0], vk::ShaderCodeTypeEXT::BINARY, &[]);
    for (what, shader) in [("SPIR-V", shader), ("a binary", loaded)] {
        world.check(what, |world, cb| {
            world.bind(cb, 1192);
            // SAFETY: the shader is alive.
            unsafe { functions.cmd_bind_shaders(cb, &[vk::ShaderStageFlags::COMPUTE], &[shader]) };
        });
    }
    for shader in [shader, twin, loaded] {
        // SAFETY: no work is pending.
        unsafe { functions.destroy_shader(shader, None) };
    }
    world.destroy();
}
