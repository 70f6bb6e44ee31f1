//! Sparse resources: memory bound part by part, shown at several places, taken away under them.

mod common;

use ash::vk;
use common::{
    Device, Instance,
    work::{Buffer, Commands, layers, run, whole},
};

const GENERAL: vk::ImageLayout = vk::ImageLayout::GENERAL;
const COLOR: vk::ImageAspectFlags = vk::ImageAspectFlags::COLOR;
/// Bytes of a block of a sparse buffer.
const BLOCK: u64 = 65536;

fn device() -> Device {
    let features = vk::PhysicalDeviceFeatures::default()
        .sparse_binding(true)
        .sparse_residency_buffer(true)
        .sparse_residency_image2_d(true)
        .sparse_residency_aliased(true);
    Device::create(
        Instance::new(),
        vk::DeviceCreateInfo::default().enabled_features(&features),
    )
}

/// A sparse buffer.
fn sparse_buffer(device: &Device, size: u64) -> vk::Buffer {
    let info = vk::BufferCreateInfo::default()
        .size(size)
        .flags(
            vk::BufferCreateFlags::SPARSE_BINDING
                | vk::BufferCreateFlags::SPARSE_RESIDENCY
                | vk::BufferCreateFlags::SPARSE_ALIASED,
        )
        .usage(vk::BufferUsageFlags::TRANSFER_SRC | vk::BufferUsageFlags::TRANSFER_DST);
    // SAFETY: the structure is valid.
    let buffer = unsafe { device.raw.create_buffer(&info, None) }.expect("a sparse buffer");
    // SAFETY: it is alive.
    let asked = unsafe { device.raw.get_buffer_memory_requirements(buffer) };
    assert_eq!((asked.alignment, asked.size % BLOCK), (BLOCK, 0));
    buffer
}

fn memory(device: &Device, size: u64) -> vk::DeviceMemory {
    let info = vk::MemoryAllocateInfo::default().allocation_size(size);
    // SAFETY: the type exists.
    unsafe { device.raw.allocate_memory(&info, None) }.expect("memory")
}

/// Blocks of a resource: the first, how many, the memory and the first block in it.
fn part(to: u64, count: u64, memory: vk::DeviceMemory, from: u64) -> vk::SparseMemoryBind {
    vk::SparseMemoryBind {
        resource_offset: to * BLOCK,
        size: count * BLOCK,
        memory,
        memory_offset: from * BLOCK,
        ..Default::default()
    }
}

fn bind(device: &Device, info: vk::BindSparseInfo<'_>) -> Result<(), vk::Result> {
    // SAFETY: what it names is alive; some of it is deliberately wrong.
    unsafe {
        device
            .raw
            .queue_bind_sparse(device.queue, &[info], vk::Fence::null())?;
        device.raw.queue_wait_idle(device.queue)
    }
}

fn bind_buffer(
    device: &Device,
    buffer: vk::Buffer,
    parts: &[vk::SparseMemoryBind],
) -> Result<(), vk::Result> {
    let binds = [vk::SparseBufferMemoryBindInfo::default()
        .buffer(buffer)
        .binds(parts)];
    bind(device, vk::BindSparseInfo::default().buffer_binds(&binds))
}

fn fill(device: &Device, buffer: vk::Buffer, block: u64, blocks: u64, word: u32) {
    run(device, |cb| {
        // SAFETY: the blocks lie in the buffer.
        unsafe {
            device
                .raw
                .cmd_fill_buffer(cb, buffer, block * BLOCK, blocks * BLOCK, word);
        };
    });
}

/// The first word of each block.
fn heads(device: &Device, buffer: vk::Buffer, blocks: u64) -> Vec<u32> {
    let to = Buffer::new(device, 4 * blocks as usize);
    run(device, |cb| {
        let copy: Vec<_> = (0..blocks)
            .map(|i| vk::BufferCopy {
                src_offset: i * BLOCK,
                dst_offset: 4 * i,
                size: 4,
            })
            .collect();
        // SAFETY: the copies lie in the buffers.
        unsafe { device.raw.cmd_copy_buffer(cb, buffer, to.raw, &copy) };
    });
    let words = to.words();
    to.destroy(device);
    words
}

#[test]
fn a_buffer_shows_memory_where_it_is_bound() {
    let device = device();
    let (buffer, memory) = (sparse_buffer(&device, 8 * BLOCK), memory(&device, 4 * BLOCK));
    bind_buffer(
        &device,
        buffer,
        &[
            part(0, 2, memory, 2),
            part(4, 1, memory, 2),
            part(7, 1, memory, 0),
        ],
    )
    .unwrap();
    for (block, word) in [(0, 1), (1, 2), (7, 3)] {
        fill(&device, buffer, block, 1, word);
    }
    let seen = heads(&device, buffer, 8);
    assert_eq!(
        [seen[0], seen[1], seen[4], seen[7]],
        [1, 2, 1, 3],
        "4 shows what 0 does"
    );
    // Bound elsewhere, the same memory has the same bytes.
    let nothing = vk::DeviceMemory::null();
    bind_buffer(
        &device,
        buffer,
        &[
            part(0, 8, nothing, 0),
            part(3, 2, memory, 2),
            part(6, 1, memory, 0),
        ],
    )
    .unwrap();
    let seen = heads(&device, buffer, 8);
    assert_eq!([seen[3], seen[4], seen[6]], [1, 2, 3]);
    // What is not bound is harmless, and is not part of what is.
    fill(&device, buffer, 0, 3, 99);
    assert_eq!(heads(&device, buffer, 8)[3..5], [1, 2]);
    // Memory may go first.
    // SAFETY: nothing is pending; what the buffer showed is not read.
    unsafe {
        device.raw.free_memory(memory, None);
        fill(&device, buffer, 0, 8, 5);
        device.raw.destroy_buffer(buffer, None);
    }
}

#[test]
fn bindings_wait_and_signal_as_other_work_does() {
    let device = device();
    let raw = &device.raw;
    let (buffer, memory) = (sparse_buffer(&device, BLOCK), memory(&device, 2 * BLOCK));
    let commands = Commands::new(&device);
    commands.record(&device, |cb| {
        // SAFETY: it is as large.
        unsafe { raw.cmd_fill_buffer(cb, buffer, 0, vk::WHOLE_SIZE, 7) };
    });
    let buffers = [commands.raw];
    // SAFETY: everything is alive until the queue is idle.
    unsafe {
        let ready = raw
            .create_semaphore(&vk::SemaphoreCreateInfo::default(), None)
            .unwrap();
        let bound = raw
            .create_semaphore(&vk::SemaphoreCreateInfo::default(), None)
            .unwrap();
        for from in [0, 1] {
            let parts = [part(0, 1, memory, from)];
            let binds = [vk::SparseBufferMemoryBindInfo::default()
                .buffer(buffer)
                .binds(&parts)];
            let (readies, bounds) = ([ready], [bound]);
            let first = [vk::SubmitInfo::default().signal_semaphores(&readies)];
            raw.queue_submit(device.queue, &first, vk::Fence::null()).unwrap();
            let info = [vk::BindSparseInfo::default()
                .wait_semaphores(&readies)
                .buffer_binds(&binds)
                .signal_semaphores(&bounds)];
            raw.queue_bind_sparse(device.queue, &info, vk::Fence::null())
                .unwrap();
            let stages = [vk::PipelineStageFlags::ALL_COMMANDS];
            let last = [vk::SubmitInfo::default()
                .wait_semaphores(&bounds)
                .wait_dst_stage_mask(&stages)
                .command_buffers(&buffers)];
            raw.queue_submit(device.queue, &last, vk::Fence::null()).unwrap();
            raw.queue_wait_idle(device.queue).unwrap();
        }
        let both = sparse_buffer(&device, 2 * BLOCK);
        bind_buffer(&device, both, &[part(0, 2, memory, 0)]).unwrap();
        assert_eq!(heads(&device, both, 2), [7, 7]);
        raw.destroy_buffer(both, None);
        raw.destroy_semaphore(ready, None);
        raw.destroy_semaphore(bound, None);
        raw.destroy_buffer(buffer, None);
        raw.free_memory(memory, None);
    }
    commands.destroy(&device);
}

/// A sparse image of two levels, and what is to be known of it.
fn sparse_image(device: &Device) -> (vk::Image, vk::SparseImageMemoryRequirements) {
    let info = vk::ImageCreateInfo::default()
        .image_type(vk::ImageType::TYPE_2D)
        .format(vk::Format::R8G8B8A8_UNORM)
        .extent(vk::Extent3D {
            width: 1024 + 700,
            height: 8,
            depth: 1,
        })
        .mip_levels(2)
        .array_layers(1)
        .samples(vk::SampleCountFlags::TYPE_1)
        .flags(
            vk::ImageCreateFlags::SPARSE_BINDING
                | vk::ImageCreateFlags::SPARSE_RESIDENCY
                | vk::ImageCreateFlags::SPARSE_ALIASED,
        )
        .usage(vk::ImageUsageFlags::TRANSFER_SRC | vk::ImageUsageFlags::TRANSFER_DST);
    // SAFETY: the structure is valid.
    let image = unsafe { device.raw.create_image(&info, None) }.expect("a sparse image");
    // SAFETY: it is alive.
    let all = unsafe { device.raw.get_image_sparse_memory_requirements(image) };
    let [known] = all[..] else { panic!("one aspect") };
    // What is said of the format is said of the image.
    let instance = &device.instance;
    // SAFETY: the physical device is alive.
    let of_format = unsafe {
        instance.raw.get_physical_device_sparse_image_format_properties(
            instance.physical,
            info.format,
            info.image_type,
            info.samples,
            info.usage,
            info.tiling,
        )
    };
    assert_eq!(of_format.len(), 1);
    let granularity = of_format[0].image_granularity;
    assert_eq!(granularity, known.format_properties.image_granularity);
    assert_eq!(
        (granularity.width, granularity.height, granularity.depth),
        (1024, 1, 1)
    );
    (image, known)
}

#[test]
fn an_image_shows_memory_where_its_blocks_are_bound() {
    let device = device();
    let (image, known) = sparse_image(&device);
    let alias = sparse_image(&device).0;
    assert_eq!(
        (known.image_mip_tail_first_lod, known.image_mip_tail_size),
        (2, 0)
    );
    // Four rows of two blocks, and all rows of the second level.
    let memory = memory(&device, 12 * 4096);
    let block = |level, y, width, memory_offset| vk::SparseImageMemoryBind {
        subresource: vk::ImageSubresource {
            aspect_mask: COLOR,
            mip_level: level,
            ..Default::default()
        },
        offset: vk::Offset3D { x: 0, y, z: 0 },
        extent: vk::Extent3D {
            width,
            height: 4,
            depth: 1,
        },
        memory,
        memory_offset,
        ..Default::default()
    };
    let rows = [block(0, 2, 1724, 0), block(1, 0, 862, 8 * 4096)];
    for image in [image, alias] {
        let blocks = [vk::SparseImageMemoryBindInfo::default().image(image).binds(&rows)];
        bind(&device, vk::BindSparseInfo::default().image_binds(&blocks)).unwrap();
    }
    let texels: Vec<u8> = (0..1724 * 8 * 4u32).map(|i| (i * 7 / 3) as u8).collect();
    let small: Vec<u8> = (0..862 * 4 * 4u32).map(|i| (i * 5 / 3) as u8).collect();
    let from = [&texels, &small].map(|bytes| Buffer::with(&device, bytes));
    let to = [&texels, &small].map(|bytes| Buffer::new(&device, bytes.len()));
    let mut copies = [whole(COLOR, [1724, 8, 1]), whole(COLOR, [862, 4, 1])];
    copies[1].image_subresource = vk::ImageSubresourceLayers {
        mip_level: 1,
        ..layers(COLOR)
    };
    run(&device, |cb| {
        for (i, copy) in copies.iter().enumerate() {
            // SAFETY: the copies lie in image and buffers.
            unsafe {
                device
                    .raw
                    .cmd_copy_buffer_to_image(cb, from[i].raw, image, GENERAL, &[*copy]);
                device
                    .raw
                    .cmd_copy_image_to_buffer(cb, alias, GENERAL, to[i].raw, &[*copy]);
            }
        }
    });
    let bound = 2 * 1724 * 4..6 * 1724 * 4;
    assert!(
        to[0].bytes()[bound.clone()] == texels[bound],
        "four rows through the alias"
    );
    assert!(to[1].bytes() == small, "the second level through the alias");
    for buffer in from.into_iter().chain(to) {
        buffer.destroy(&device);
    }
    // SAFETY: nothing is pending.
    unsafe {
        device.raw.destroy_image(image, None);
        device.raw.destroy_image(alias, None);
        device.raw.free_memory(memory, None);
    }
}

#[test]
fn what_cannot_be_bound_is_refused() {
    let device = device();
    let raw = &device.raw;
    let (buffer, memory) = (sparse_buffer(&device, 2 * BLOCK), memory(&device, BLOCK));
    for wrong in [
        part(2, 1, memory, 0),
        part(0, 2, memory, 0),
        part(0, 1, memory, 1),
        part(u64::MAX / BLOCK, 2, memory, 0),
        vk::SparseMemoryBind {
            resource_offset: 100,
            ..part(0, 1, memory, 0)
        },
    ] {
        assert_eq!(
            bind_buffer(&device, buffer, &[wrong]),
            Err(vk::Result::ERROR_UNKNOWN)
        );
    }
    let plain = Buffer::new(&device, 4096);
    assert_eq!(
        bind_buffer(&device, plain.raw, &[part(0, 1, memory, 0)]),
        Err(vk::Result::ERROR_UNKNOWN),
        "it is not sparse"
    );
    let huge = vk::BufferCreateInfo::default()
        .size(1 << 39)
        .usage(vk::BufferUsageFlags::TRANSFER_SRC)
        .flags(vk::BufferCreateFlags::SPARSE_BINDING);
    // SAFETY: the structure is valid; nothing is pending.
    unsafe {
        let refused = raw.create_buffer(&huge, None).unwrap_err();
        assert_eq!(refused, vk::Result::ERROR_OUT_OF_DEVICE_MEMORY);
        plain.destroy(&device);
        raw.destroy_buffer(buffer, None);
        raw.free_memory(memory, None);
    }
}
