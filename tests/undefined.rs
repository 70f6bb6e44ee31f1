//! What helps to find mistakes with memory: a pattern where contents are undefined, and a list of what is left behind.

mod common;

use ash::vk;
use common::{
    Device, Instance, child,
    loss::name,
    work::{Buffer, Image, ImageDesc, all, run, whole},
};

const COLOR: vk::ImageAspectFlags = vk::ImageAspectFlags::COLOR;
const GENERAL: vk::ImageLayout = vk::ImageLayout::GENERAL;
const EXTENT: [u32; 3] = [16, 16, 1];

/// A 16x16 image of one byte a texel that holds sevens, or copies of them.
struct Target {
    image: Image,
    view: vk::ImageView,
    sevens: Buffer,
}

impl Target {
    fn new(device: &Device) -> Self {
        let usage = vk::ImageUsageFlags::COLOR_ATTACHMENT | ImageDesc::default().usage;
        let image = Image::new(
            device,
            &ImageDesc {
                usage,
                ..ImageDesc::new(vk::Format::R8_UNORM, EXTENT)
            },
        );
        let info = vk::ImageViewCreateInfo::default()
            .image(image.raw)
            .view_type(vk::ImageViewType::TYPE_2D)
            .format(vk::Format::R8_UNORM)
            .subresource_range(all(COLOR));
        // SAFETY: the structure is valid.
        let view = unsafe { device.raw.create_image_view(&info, None) }.expect("a view");
        let sevens = Buffer::with(device, &[7; 256]);
        Self { image, view, sevens }
    }

    /// Its bytes after it was sevens and then `f` was done.
    fn after(&self, device: &Device, f: impl FnOnce(vk::CommandBuffer)) -> Vec<u8> {
        let to = Buffer::new(device, 256);
        run(device, |cb| {
            let copy = [whole(COLOR, EXTENT)];
            // SAFETY: the copies lie within image and buffers.
            unsafe {
                device
                    .raw
                    .cmd_copy_buffer_to_image(cb, self.sevens.raw, self.image.raw, GENERAL, &copy);
                f(cb);
                device
                    .raw
                    .cmd_copy_image_to_buffer(cb, self.image.raw, GENERAL, to.raw, &copy);
            }
        });
        let bytes = to.bytes();
        to.destroy(device);
        bytes
    }

    /// Renders nothing to its lower right quarter.
    fn render(
        &self,
        device: &Device,
        cb: vk::CommandBuffer,
        load: vk::AttachmentLoadOp,
        store: vk::AttachmentStoreOp,
    ) {
        let colors = [vk::RenderingAttachmentInfo::default()
            .image_view(self.view)
            .image_layout(GENERAL)
            .load_op(load)
            .store_op(store)];
        let quarter = vk::Rect2D {
            offset: vk::Offset2D { x: 8, y: 8 },
            extent: vk::Extent2D { width: 8, height: 8 },
        };
        let info = vk::RenderingInfo::default()
            .render_area(quarter)
            .layer_count(1)
            .color_attachments(&colors);
        // SAFETY: the view is alive and as large.
        unsafe {
            device.raw.cmd_begin_rendering(cb, &info);
            device.raw.cmd_end_rendering(cb);
        }
    }

    fn destroy(self, device: &Device) {
        // SAFETY: no work is pending.
        unsafe { device.raw.destroy_image_view(self.view, None) };
        self.image.destroy(device);
        self.sevens.destroy(device);
    }
}

fn rendering_device() -> Device {
    let mut features = vk::PhysicalDeviceVulkan13Features::default().dynamic_rendering(true);
    Device::create(
        Instance::new(),
        vk::DeviceCreateInfo::default().push_next(&mut features),
    )
}

/// The bytes of fresh memory.
fn fresh(device: &Device, flags: vk::MemoryAllocateFlags) -> Vec<u8> {
    let mut flags = vk::MemoryAllocateFlagsInfo::default().flags(flags);
    // The second type can be mapped.
    let info = vk::MemoryAllocateInfo::default()
        .allocation_size(5000)
        .memory_type_index(1)
        .push_next(&mut flags);
    // SAFETY: the memory is mappable and as long.
    unsafe {
        let memory = device.raw.allocate_memory(&info, None).expect("memory");
        let at = device
            .raw
            .map_memory(memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty());
        let bytes = std::slice::from_raw_parts(at.expect("mapped").cast::<u8>(), 5000).to_vec();
        device.raw.free_memory(memory, None);
        bytes
    }
}

/// Checks that what is undefined is `byte`, and all else is not touched.
fn check(byte: u8) {
    use vk::{AttachmentLoadOp as Load, AttachmentStoreOp as Store};
    let device = rendering_device();
    let target = Target::new(&device);
    let quarter = |inside: u8| {
        let texel = |i: usize| if i % 16 >= 8 && i / 16 >= 8 { inside } else { 7 };
        (0..256).map(texel).collect::<Vec<u8>>()
    };
    let rendered = |load, store| target.after(&device, |cb| target.render(&device, cb, load, store));
    assert_eq!(
        rendered(Load::DONT_CARE, Store::STORE),
        quarter(byte),
        "not loaded"
    );
    assert_eq!(
        rendered(Load::LOAD, Store::DONT_CARE),
        quarter(byte),
        "not stored"
    );
    assert_eq!(rendered(Load::LOAD, Store::STORE), quarter(7));
    assert_eq!(rendered(Load::LOAD, Store::NONE), quarter(7));
    let moved = |from| {
        target.after(&device, |cb| {
            let barrier = [vk::ImageMemoryBarrier::default()
                .old_layout(from)
                .new_layout(GENERAL)
                .image(target.image.raw)
                .subresource_range(all(COLOR))];
            let all = vk::PipelineStageFlags::ALL_COMMANDS;
            // SAFETY: the image is alive.
            unsafe {
                device.raw.cmd_pipeline_barrier(
                    cb,
                    all,
                    all,
                    vk::DependencyFlags::empty(),
                    &[],
                    &[],
                    &barrier,
                );
            }
        })
    };
    assert_eq!(moved(vk::ImageLayout::UNDEFINED), [byte; 256]);
    assert_eq!(moved(GENERAL), [7; 256]);
    target.destroy(&device);
}

#[test]
fn undefined_contents_have_the_pattern_that_is_asked_for() {
    let name = "undefined_contents_have_the_pattern_that_is_asked_for";
    child::isolated(name, &[("LAHAR_POISON", "0xab")], || {
        check(0xab);
        let device = Device::new();
        assert_eq!(fresh(&device, vk::MemoryAllocateFlags::empty()), [0xab; 5000]);
        // VK_MEMORY_ALLOCATE_ZERO_INITIALIZE_BIT_EXT
        assert_eq!(fresh(&device, vk::MemoryAllocateFlags::from_raw(8)), [0; 5000]);
    });
}

#[test]
fn without_a_pattern_nothing_is_touched() {
    check(7);
    assert_eq!(fresh(&Device::new(), vk::MemoryAllocateFlags::empty()), [0; 5000]);
}

#[test]
fn what_is_left_behind_is_told_with_names() {
    let text = child::isolated(
        "what_is_left_behind_is_told_with_names",
        &[("LAHAR_LEAKS", "1")],
        || {
            let device = Device::create(
                Instance::with_extensions(&[ash::ext::debug_utils::NAME]),
                vk::DeviceCreateInfo::default(),
            );
            let left = Buffer::new(&device, 5000);
            name(&device, left.raw, c"vertices of the teapot");
            Buffer::new(&device, 16).destroy(&device);
        },
    );
    let Some(text) = text else { return };
    assert!(
        text.contains("left behind on the device: 2 object(s), "),
        "{text}"
    );
    let line = |what: &str| text.lines().find(|line| line.trim_start().starts_with(what));
    let buffer = line("BUFFER 0x").expect("the buffer");
    assert!(buffer.contains(" \"vertices of the teapot\", "), "{buffer}");
    let memory = line("DEVICE_MEMORY 0x").expect("its memory");
    assert!(memory.ends_with(", 8192 bytes"), "{memory}");
}

#[test]
fn nothing_is_told_of_a_device_that_is_left_empty() {
    let text = child::isolated(
        "nothing_is_told_of_a_device_that_is_left_empty",
        &[("LAHAR_LEAKS", "1")],
        || {
            let device = Device::new();
            Buffer::new(&device, 16).destroy(&device);
        },
    );
    assert!(text.is_none_or(|text| !text.contains("left behind")));
}

#[test]
fn what_was_taken_of_each_heap_is_told_by_the_tool() {
    let name = "what_was_taken_of_each_heap_is_told_by_the_tool";
    let dir = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
    let file = dir.join(format!("{name}-{}.json", std::process::id()));
    let text = child::isolated(name, &[("LAHAR_REPORT", file.to_str().expect("a path"))], || {
        let device = Device::new();
        // Device-local memory, of which nothing else takes any.
        let allocate = |size| {
            let info = vk::MemoryAllocateInfo::default().allocation_size(size);
            // SAFETY: the type exists.
            unsafe { device.raw.allocate_memory(&info, None) }.expect("memory")
        };
        let (large, _left) = (allocate(3 << 20), allocate(4096));
        // SAFETY: it is not in use.
        unsafe { device.raw.free_memory(large, None) };
    });
    if text.is_none() {
        return;
    }
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_lahar"))
        .args(["info", "--memory", file.to_str().expect("a path")])
        .output()
        .expect("the tool runs");
    std::fs::remove_file(&file).expect("there was a report");
    let text = child::both(&output);
    let heap = text.lines().find(|line| line.starts_with("  heap 0: "));
    let heap = heap.unwrap_or_else(|| panic!("{text}"));
    let most = (3 << 20) + 4096;
    assert!(
        heap.starts_with(&format!("  heap 0: at most {most} of ")),
        "{heap}"
    );
    assert!(heap.ends_with(" bytes, 4096 left at the end"), "{heap}");
}
