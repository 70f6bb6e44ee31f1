//! Commands that use memory which has been freed: each loses the device, with the exact address, and the report says
//! what was there, which command it was and, for descriptors, where they are bound.

mod common;

use common::{
    Device, compute,
    compute::{DESCRIPTORS, OTHER},
    fault::{Report, address, device, name, precision, same_with_all_settings},
    pipeline::{BufferSet, Pipeline},
    vk,
    work::{Buffer, Commands, Image, ImageDesc, all, layers, whole},
};
use vk::{DescriptorType as Type, ImageAspectFlags as Aspect};

const GENERAL: vk::ImageLayout = vk::ImageLayout::GENERAL;
const READ: i32 = 1;
const WRITE: i32 = 2;
const LOST: Result<(), vk::Result> = Err(vk::Result::ERROR_DEVICE_LOST);

/// Checks what a loss left behind; `at` is where the victim began.
fn check(report: &Report, what: &str, access: i32, at: u64, command: &str) {
    let description = &report.description;
    let first = report.addresses[0];
    assert_eq!(first, (access, at, precision()), "{what}: {description}");
    let verb = if access == READ { "read" } else { "write" };
    assert!(description.starts_with(verb), "{what}: {description}");
    let place = format!("in {command}");
    for says in [
        "memory that was freed before submission",
        "'victim' was there",
        &place,
    ] {
        assert!(description.contains(says), "{what}: {description}");
    }
    let at = report.attribution();
    assert_eq!(at.problem, "freed", "{what}");
    let objects = at.objects.expect("objects");
    assert!(objects.now.iter().any(|object| object.name == "victim"), "{what}");
    assert!(
        objects
            .formerly
            .iter()
            .any(|object| object.kind == "VkDeviceMemory"),
        "{what}"
    );
}

/// Records `f` with a buffer, frees its memory and submits.
fn with_buffer(what: &str, access: i32, f: impl FnOnce(&Device, vk::CommandBuffer, &Buffer)) {
    let device = device(&[]);
    let mut victim = Buffer::new(&device, 4096);
    name(&device, victim.raw, c"victim");
    let at = address(&device, &victim);
    let commands = Commands::new(&device);
    name(&device, commands.raw, c"frame");
    commands.record(&device, |cb| f(&device, cb, &victim));
    victim.free_memory(&device);
    assert_eq!(commands.run(&device), LOST, "{what}");
    check(
        &Report::of(&device),
        what,
        access,
        at + 64,
        &format!("1st {what} of command buffer 'frame'"),
    );
    // The rest goes with the device.
    commands.destroy(&device);
}

#[test]
fn transfers_of_buffers() {
    let copy = [vk::BufferCopy {
        src_offset: 64,
        dst_offset: 64,
        size: 32,
    }];
    // SAFETY: the ranges lie within the buffers, here and below.
    with_buffer("vkCmdCopyBuffer", READ, |device, cb, victim| unsafe {
        let other = Buffer::new(device, 4096);
        device.raw.cmd_copy_buffer(cb, victim.raw, other.raw, &copy);
    });
    // SAFETY: as above.
    with_buffer("vkCmdCopyBuffer", WRITE, |device, cb, victim| unsafe {
        let other = Buffer::new(device, 4096);
        device.raw.cmd_copy_buffer(cb, other.raw, victim.raw, &copy);
    });
    // SAFETY: as above.
    with_buffer("vkCmdFillBuffer", WRITE, |device, cb, victim| unsafe {
        device.raw.cmd_fill_buffer(cb, victim.raw, 64, 128, 7);
    });
    // SAFETY: as above.
    with_buffer("vkCmdUpdateBuffer", WRITE, |device, cb, victim| unsafe {
        device.raw.cmd_update_buffer(cb, victim.raw, 64, &[1, 2, 3, 4]);
    });
    with_buffer("vkCmdCopyQueryPoolResults", WRITE, |device, cb, victim| {
        let info = vk::QueryPoolCreateInfo::default()
            .query_type(vk::QueryType::TIMESTAMP)
            .query_count(1);
        let flags = vk::QueryResultFlags::TYPE_64;
        // SAFETY: the pool is alive and the results fit.
        unsafe {
            let pool = device.raw.create_query_pool(&info, None).expect("a pool");
            device.raw.cmd_reset_query_pool(cb, pool, 0, 1);
            device
                .raw
                .cmd_copy_query_pool_results(cb, pool, 0, 1, victim.raw, 64, 8, flags);
        }
    });
    let region = [vk::BufferImageCopy {
        buffer_offset: 64,
        ..whole(Aspect::COLOR, [16, 16, 1])
    }];
    let image = |device: &Device| Image::new(device, &ImageDesc::default());
    // SAFETY: as above.
    with_buffer("vkCmdCopyBufferToImage", READ, |device, cb, victim| unsafe {
        let image = image(device).raw;
        device
            .raw
            .cmd_copy_buffer_to_image(cb, victim.raw, image, GENERAL, &region);
    });
    // SAFETY: as above.
    with_buffer("vkCmdCopyImageToBuffer", WRITE, |device, cb, victim| unsafe {
        let image = image(device).raw;
        device
            .raw
            .cmd_copy_image_to_buffer(cb, image, GENERAL, victim.raw, &region);
    });
}

/// Records `f` with a first image and a second, frees the memory of the first and submits.
fn with_image(
    what: &str,
    access: i32,
    samples: bool,
    f: impl FnOnce(&Device, vk::CommandBuffer, [vk::Image; 2]),
) {
    let device = device(&[]);
    let usage = vk::ImageUsageFlags::COLOR_ATTACHMENT | ImageDesc::default().usage;
    let desc = ImageDesc {
        usage,
        ..ImageDesc::default()
    };
    let many = ImageDesc {
        samples: vk::SampleCountFlags::TYPE_4,
        ..desc
    };
    let mut victim = Image::new(&device, if samples { &many } else { &desc });
    let other = Image::new(&device, &desc);
    name(&device, victim.raw, c"victim");
    let commands = Commands::new(&device);
    name(&device, commands.raw, c"frame");
    commands.record(&device, |cb| f(&device, cb, [victim.raw, other.raw]));
    victim.free_memory(&device);
    assert_eq!(commands.run(&device), LOST, "{what}");
    let report = Report::of(&device);
    let objects = report.attribution().objects.expect("objects");
    let image = objects
        .now
        .iter()
        .find(|object| object.kind == "VkImage")
        .expect("the image");
    let at = u64::from_str_radix(image.address.trim_start_matches("0x"), 16).expect("a number");
    check(
        &report,
        what,
        access,
        at,
        &format!("1st {what} of command buffer 'frame'"),
    );
    commands.destroy(&device);
}

#[test]
fn transfers_of_images() {
    let extent = vk::Extent3D {
        width: 16,
        height: 16,
        depth: 1,
    };
    let copy = [vk::ImageCopy {
        src_subresource: layers(Aspect::COLOR),
        dst_subresource: layers(Aspect::COLOR),
        extent,
        ..Default::default()
    }];
    // SAFETY: the regions lie within the images, here and below.
    with_image(
        "vkCmdCopyImage",
        READ,
        false,
        |device, cb, [victim, other]| unsafe {
            device
                .raw
                .cmd_copy_image(cb, victim, GENERAL, other, GENERAL, &copy);
        },
    );
    // SAFETY: as above.
    with_image(
        "vkCmdCopyImage",
        WRITE,
        false,
        |device, cb, [victim, other]| unsafe {
            device
                .raw
                .cmd_copy_image(cb, other, GENERAL, victim, GENERAL, &copy);
        },
    );
    let corner = vk::Offset3D { x: 16, y: 16, z: 1 };
    let blit = [vk::ImageBlit {
        src_subresource: layers(Aspect::COLOR),
        src_offsets: [vk::Offset3D::default(), corner],
        dst_subresource: layers(Aspect::COLOR),
        dst_offsets: [vk::Offset3D::default(), corner],
    }];
    let nearest = vk::Filter::NEAREST;
    // SAFETY: as above.
    with_image(
        "vkCmdBlitImage",
        READ,
        false,
        |device, cb, [victim, other]| unsafe {
            device
                .raw
                .cmd_blit_image(cb, victim, GENERAL, other, GENERAL, &blit, nearest);
        },
    );
    // SAFETY: as above.
    with_image(
        "vkCmdBlitImage",
        WRITE,
        false,
        |device, cb, [victim, other]| unsafe {
            device
                .raw
                .cmd_blit_image(cb, other, GENERAL, victim, GENERAL, &blit, nearest);
        },
    );
    let resolve = [vk::ImageResolve {
        src_subresource: layers(Aspect::COLOR),
        dst_subresource: layers(Aspect::COLOR),
        extent,
        ..Default::default()
    }];
    // SAFETY: as above.
    with_image(
        "vkCmdResolveImage",
        READ,
        true,
        |device, cb, [victim, other]| unsafe {
            device
                .raw
                .cmd_resolve_image(cb, victim, GENERAL, other, GENERAL, &resolve);
        },
    );
    // SAFETY: as above.
    with_image(
        "vkCmdClearColorImage",
        WRITE,
        false,
        |device, cb, [victim, _]| unsafe {
            let color = vk::ClearColorValue { uint32: [1; 4] };
            device
                .raw
                .cmd_clear_color_image(cb, victim, GENERAL, &color, &[all(Aspect::COLOR)]);
        },
    );
}

#[test]
fn render_targets() {
    with_image("begin rendering", WRITE, false, |device, cb, [victim, _]| {
        let info = vk::ImageViewCreateInfo::default()
            .image(victim)
            .view_type(vk::ImageViewType::TYPE_2D)
            .format(vk::Format::R8G8B8A8_UNORM)
            .subresource_range(all(Aspect::COLOR));
        // SAFETY: the image is alive while the view is made.
        let view = unsafe { device.raw.create_image_view(&info, None) }.expect("a view");
        let colors = [vk::RenderingAttachmentInfo::default()
            .image_view(view)
            .image_layout(GENERAL)
            .load_op(vk::AttachmentLoadOp::CLEAR)
            .store_op(vk::AttachmentStoreOp::STORE)];
        let area = vk::Rect2D {
            offset: vk::Offset2D::default(),
            extent: vk::Extent2D {
                width: 16,
                height: 16,
            },
        };
        let info = vk::RenderingInfo::default()
            .render_area(area)
            .layer_count(1)
            .color_attachments(&colors);
        let functions = ash::khr::dynamic_rendering::Device::new(&device.instance.raw, &device.raw);
        // SAFETY: the structures are valid.
        unsafe {
            functions.cmd_begin_rendering(cb, &info);
            functions.cmd_end_rendering(cb);
        }
    });
}

/// Dispatches `descriptors.comp` with a resource of its own at each descriptor, the one at `victim` freed.
struct Descriptors {
    device: Device,
    layouts: [vk::DescriptorSetLayout; 2],
    buffers: Vec<((u32, u32, u32), Buffer)>,
    textures: Vec<((u32, u32, u32), compute::Texture)>,
}

impl Descriptors {
    fn new() -> Self {
        let device = device(&[]);
        let layout = |bindings: &[_]| compute::set_layout(&device, Default::default(), bindings);
        Self {
            layouts: [layout(&DESCRIPTORS), layout(&[OTHER])],
            device,
            buffers: Vec::new(),
            textures: Vec::new(),
        }
    }

    fn write(&mut self, set: u32, handle: vk::DescriptorSet, (binding, ty, count): (u32, Type, u32)) {
        let device = &self.device;
        for element in 0..count {
            let place = (set, binding, element);
            let write = vk::WriteDescriptorSet::default()
                .dst_set(handle)
                .dst_binding(binding)
                .dst_array_element(element)
                .descriptor_type(ty);
            // SAFETY: the structures are valid and the set is not in use, here and below.
            let update = |write| unsafe { device.raw.update_descriptor_sets(&[write], &[]) };
            match ty {
                Type::SAMPLER => {}
                Type::COMBINED_IMAGE_SAMPLER | Type::STORAGE_IMAGE | Type::SAMPLED_IMAGE => {
                    let texture = compute::texture(device, 100);
                    let infos = [vk::DescriptorImageInfo {
                        image_view: texture.view,
                        image_layout: GENERAL,
                        ..Default::default()
                    }];
                    update(write.image_info(&infos));
                    self.textures.push((place, texture));
                }
                Type::UNIFORM_TEXEL_BUFFER | Type::STORAGE_TEXEL_BUFFER => {
                    let buffer = Buffer::new(device, 4096);
                    let info = vk::BufferViewCreateInfo::default()
                        .buffer(buffer.raw)
                        .format(vk::Format::R32_UINT)
                        .range(64);
                    // SAFETY: as above.
                    let view = unsafe { device.raw.create_buffer_view(&info, None) }.expect("a view");
                    update(write.texel_buffer_view(&[view]));
                    self.buffers.push((place, buffer));
                }
                _ => {
                    let buffer = Buffer::new(device, 4096);
                    let infos = [vk::DescriptorBufferInfo {
                        buffer: buffer.raw,
                        offset: 0,
                        range: 512,
                    }];
                    update(write.buffer_info(&infos));
                    self.buffers.push((place, buffer));
                }
            }
        }
    }

    /// The pool, and the sets, with all that they name.
    fn sets(&mut self) -> (vk::DescriptorPool, [vk::DescriptorSet; 2]) {
        let pool = compute::pool(&self.device, 2, &DESCRIPTORS);
        let info = vk::DescriptorSetAllocateInfo::default()
            .descriptor_pool(pool)
            .set_layouts(&self.layouts);
        // SAFETY: the structure is valid.
        let sets = unsafe { self.device.raw.allocate_descriptor_sets(&info) }.expect("sets");
        for binding in DESCRIPTORS {
            self.write(0, sets[0], binding);
        }
        self.write(1, sets[1], OTHER);
        (pool, [sets[0], sets[1]])
    }

    fn lose(mut self, victim: (u32, u32, u32)) -> Report {
        let (_, sets) = self.sets();
        self.lose_after(sets, |descriptors| {
            let device = &descriptors.device;
            let buffers = descriptors.buffers.iter_mut();
            for (_, buffer) in buffers.filter(|(place, _)| *place == victim) {
                name(device, buffer.raw, c"victim");
                buffer.free_memory(device);
            }
            let textures = descriptors.textures.iter_mut();
            for (_, texture) in textures.filter(|(place, _)| *place == victim) {
                name(device, texture.image.raw, c"victim");
                texture.image.free_memory(device);
            }
        })
    }

    /// Records a dispatch, does what is wrong, and runs it.
    fn lose_after(mut self, sets: [vk::DescriptorSet; 2], wrong: impl FnOnce(&mut Self)) -> Report {
        const COMPUTE: vk::PipelineBindPoint = vk::PipelineBindPoint::COMPUTE;
        const DYNAMIC: u32 = 256;
        let shader = include_bytes!("../shaders/test/descriptors.comp.spv");
        let flags = vk::PipelineCreateFlags::empty();
        let (layout, pipeline) = compute::pipeline(&self.device, shader, &self.layouts, flags);
        name(&self.device, pipeline, c"reader");
        let device = &self.device;
        let commands = Commands::new(device);
        name(device, commands.raw, c"frame");
        commands.record(device, |cb| {
            // SAFETY: the sets fit the layout.
            unsafe {
                device.raw.cmd_bind_pipeline(cb, COMPUTE, pipeline);
                device
                    .raw
                    .cmd_bind_descriptor_sets(cb, COMPUTE, layout, 0, &sets, &[DYNAMIC]);
                device.raw.cmd_dispatch(cb, 1, 1, 1);
            }
        });
        wrong(&mut self);
        let device = &self.device;
        assert_eq!(commands.run(device), LOST);
        let report = Report::of(device);
        commands.destroy(device);
        report
    }
}

#[test]
fn descriptors() {
    let cases = [
        ((0, 0, 0), READ, "uniform buffer at set 0, binding 0[0]", 0),
        ((0, 0, 1), READ, "uniform buffer at set 0, binding 0[1]", 0),
        ((0, 2, 0), WRITE, "storage buffer at set 0, binding 2", 0),
        ((0, 3, 0), READ, "dynamic uniform buffer at set 0, binding 3", 256),
        ((0, 4, 0), READ, "uniform texel buffer at set 0, binding 4", 4),
        ((0, 5, 0), READ, "storage texel buffer at set 0, binding 5", 8),
        (
            (0, 6, 1),
            READ,
            "combined image sampler at set 0, binding 6[1]",
            4,
        ),
        ((0, 8, 0), READ, "storage image at set 0, binding 8", 16),
        ((0, 9, 0), READ, "sampled image at set 0, binding 9", 4),
        ((1, 3, 0), READ, "storage buffer at set 1, binding 3", 4),
    ];
    for (victim, access, binding, offset) in cases {
        let report = Descriptors::new().lose(victim);
        let at = report.attribution();
        let object = at
            .objects
            .as_ref()
            .and_then(|objects| objects.now.first())
            .expect(binding);
        let base = u64::from_str_radix(object.address.trim_start_matches("0x"), 16).expect("a number");
        check(&report, binding, access, base + offset, "compute shader 'main'");
        for says in [binding, "of 4 bytes"] {
            assert!(report.description.contains(says), "{}", report.description);
        }
        assert_eq!(at.bindings[0].title(), binding);
        assert_eq!(at.bindings.len(), 1, "{binding}: {:?}", at.bindings);
        assert_eq!(at.pipeline.expect("a pipeline").name, "reader");
    }
}

#[test]
fn descriptors_in_memory_that_is_gone() {
    let mut descriptors = Descriptors::new();
    let (pool, sets) = descriptors.sets();
    let report = descriptors.lose_after(sets, |descriptors| {
        // SAFETY: that the sets are used afterwards is what is tested.
        unsafe { descriptors.device.raw.destroy_descriptor_pool(pool, None) };
    });
    let description = &report.description;
    let (access, _, near) = report.addresses[0];
    assert_eq!((access, near), (READ, precision()), "{description}");
    for says in [
        "memory that was freed before submission",
        "in compute shader 'main'",
        "1st vkCmdDispatch of command buffer 'frame'",
        "bytes of a ",
    ] {
        assert!(description.contains(says), "`{says}` in {description}");
    }
    println!("{description}");
}

#[test]
fn parameters_of_an_indirect_dispatch() {
    with_buffer("vkCmdDispatchIndirect", READ, |device, cb, victim| {
        let out = Buffer::new(device, 4);
        let set = BufferSet::new(device, Type::STORAGE_BUFFER, &out, 4);
        let layout = Pipeline::layout(device, &[set.layout], 12);
        let code = include_bytes!("../shaders/test/poke.comp.spv");
        let pipeline = Pipeline::compute(device, code, layout);
        // SAFETY: the parameters lie within the buffer.
        unsafe {
            device
                .raw
                .cmd_bind_pipeline(cb, vk::PipelineBindPoint::COMPUTE, pipeline.raw);
            device.raw.cmd_dispatch_indirect(cb, victim.raw, 64);
        }
    });
}

#[test]
fn no_setting_changes_what_is_said() {
    let dumps = same_with_all_settings("no_setting_changes_what_is_said", || {
        transfers_of_buffers();
        transfers_of_images();
        render_targets();
        descriptors();
        descriptors_in_memory_that_is_gone();
        parameters_of_an_indirect_dispatch();
    });
    assert!(dumps == 26 || common::child::is_child(), "{dumps} dumps");
}
