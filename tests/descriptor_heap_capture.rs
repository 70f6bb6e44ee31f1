//! Descriptor heaps that are captured in one process and uploaded as they were in another, whose objects are made in
//! another order.

mod common;

use ash::vk;
use common::{
    Device, child, compute,
    heap::{self, CAPTURE_SIZE, CaptureInfo, Heaps, HostRange, SAMPLER_STEP, STEP},
    work::{Buffer, all, run, whole},
};
use std::{fs, path::Path};
use vk::DescriptorType as Type;

const SHADER: &[u8] = include_bytes!("../shaders/test/heap.spv");
const INVALID: vk::Result = vk::Result::ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS;
const COLOR: vk::ImageAspectFlags = vk::ImageAspectFlags::COLOR;
/// Texels a side of the images; the shader reads the second.
const EXTENTS: [u32; 2] = [8, 2];
/// Bytes of the buffers: what lanes read, and the result.
const SIZES: [u64; 3] = [64, 128, 32];
/// Bytes that are written of each object.
const EACH: usize = 8 + CAPTURE_SIZE;

/// What a replay is told of an object: the opaque data of an image or the address of a buffer, and where its memory was.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Seen {
    data: Vec<u8>,
    memory: u64,
}

/// The objects, two images after three buffers.
#[derive(Default)]
struct Objects {
    images: [vk::Image; 2],
    buffers: [vk::Buffer; 3],
    memories: [vk::DeviceMemory; 5],
}

struct World {
    device: Device,
    heaps: Heaps,
    addresses: ash::khr::buffer_device_address::Device,
    objects: Objects,
}

fn view(image: vk::Image) -> vk::ImageViewCreateInfo<'static> {
    vk::ImageViewCreateInfo::default()
        .image(image)
        .view_type(vk::ImageViewType::TYPE_2D)
        .format(vk::Format::R32_UINT)
        .subresource_range(all(COLOR))
}

impl World {
    fn new() -> World {
        let (device, heaps) = heap::device();
        let addresses = ash::khr::buffer_device_address::Device::new(&device.instance.raw, &device.raw);
        World {
            device,
            heaps,
            addresses,
            objects: Objects::default(),
        }
    }

    fn memory(&self, needs: vk::MemoryRequirements, seen: u64) -> vk::DeviceMemory {
        let mut flags = vk::MemoryAllocateFlagsInfo::default().flags(
            vk::MemoryAllocateFlags::DEVICE_ADDRESS | vk::MemoryAllocateFlags::DEVICE_ADDRESS_CAPTURE_REPLAY,
        );
        let mut capture = vk::MemoryOpaqueCaptureAddressAllocateInfo::default().opaque_capture_address(seen);
        let info = vk::MemoryAllocateInfo::default()
            .allocation_size(needs.size)
            .memory_type_index(needs.memory_type_bits.trailing_zeros())
            .push_next(&mut flags)
            .push_next(&mut capture);
        // SAFETY: the structures are valid.
        unsafe { self.device.raw.allocate_memory(&info, None) }.expect("memory")
    }

    fn image(&self, extent: u32, seen: Option<&Seen>) -> Result<vk::Image, vk::Result> {
        let range = seen.map(|seen| HostRange {
            address: seen.data.as_ptr().cast_mut().cast(),
            size: seen.data.len(),
        });
        let mut data = CaptureInfo::new(range.as_ref());
        let info = vk::ImageCreateInfo::default()
            .flags(vk::ImageCreateFlags::from_raw(1 << 16))
            .image_type(vk::ImageType::TYPE_2D)
            .format(vk::Format::R32_UINT)
            .extent(vk::Extent3D {
                width: extent,
                height: extent,
                depth: 1,
            })
            .mip_levels(1)
            .array_layers(1)
            .samples(vk::SampleCountFlags::TYPE_1)
            .usage(vk::ImageUsageFlags::SAMPLED | vk::ImageUsageFlags::TRANSFER_DST)
            .push_next(&mut data);
        // SAFETY: the structures are valid, and the data is as long as it says.
        unsafe { self.device.raw.create_image(&info, None) }
    }

    /// Makes object `n`: the buffers come before the images.
    fn make(&mut self, n: usize, seen: Option<&Seen>) {
        let at = seen.map_or(0, |seen| seen.memory);
        let raw = self.device.raw.clone();
        // SAFETY: everything was made for each other.
        unsafe {
            if n < 3 {
                let opaque = seen.map_or(0, |seen| {
                    u64::from_le_bytes(seen.data[..8].try_into().expect("8 bytes"))
                });
                let mut capture =
                    vk::BufferOpaqueCaptureAddressCreateInfo::default().opaque_capture_address(opaque);
                let info = vk::BufferCreateInfo::default()
                    .flags(vk::BufferCreateFlags::DEVICE_ADDRESS_CAPTURE_REPLAY)
                    .size(SIZES[n])
                    .usage(
                        vk::BufferUsageFlags::STORAGE_BUFFER
                            | vk::BufferUsageFlags::TRANSFER_SRC
                            | vk::BufferUsageFlags::TRANSFER_DST
                            | vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS,
                    )
                    .push_next(&mut capture);
                let buffer = raw.create_buffer(&info, None).expect("a buffer");
                self.objects.buffers[n] = buffer;
                let memory = self.memory(raw.get_buffer_memory_requirements(buffer), at);
                self.objects.memories[n] = memory;
                raw.bind_buffer_memory(buffer, memory, 0).expect("bound");
            } else {
                let image = self.image(EXTENTS[n - 3], seen).expect("an image");
                self.objects.images[n - 3] = image;
                let memory = self.memory(raw.get_image_memory_requirements(image), at);
                self.objects.memories[n] = memory;
                raw.bind_image_memory(image, memory, 0).expect("bound");
            }
        }
    }

    /// What a replay must know of object `n`.
    fn look(&self, n: usize) -> Seen {
        let info = vk::DeviceMemoryOpaqueCaptureAddressInfo::default().memory(self.objects.memories[n]);
        // SAFETY: the objects are alive.
        unsafe {
            let data = if n < 3 {
                let info = vk::BufferDeviceAddressInfo::default().buffer(self.objects.buffers[n]);
                self.addresses
                    .get_buffer_opaque_capture_address(&info)
                    .to_le_bytes()
                    .to_vec()
            } else {
                self.heaps.capture(self.objects.images[n - 3])
            };
            Seen {
                data,
                memory: self.addresses.get_device_memory_opaque_capture_address(&info),
            }
        }
    }

    fn address(&self, n: usize) -> u64 {
        let info = vk::BufferDeviceAddressInfo::default().buffer(self.objects.buffers[n]);
        // SAFETY: the buffer is bound.
        unsafe { self.addresses.get_buffer_device_address(&info) }
    }

    /// The resource heap and, behind it, the sampler heap.
    fn descriptors(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for n in 0..8 {
            let at = self.address(n % 2) + 8 * n as u64;
            bytes.extend(self.heaps.buffer(Type::STORAGE_BUFFER, at, 4));
        }
        let view = view(self.objects.images[1]);
        bytes.extend(self.heaps.image(Type::SAMPLED_IMAGE, &view));
        bytes.extend(self.heaps.buffer(Type::STORAGE_BUFFER, self.address(2), 32));
        for filter in [vk::Filter::LINEAR, vk::Filter::NEAREST] {
            let info = vk::SamplerCreateInfo::default().mag_filter(filter);
            bytes.extend(self.heaps.sampler(&info));
        }
        assert_eq!(bytes.len(), 10 * STEP + 2 * SAMPLER_STEP);
        bytes
    }

    /// What the shader makes of descriptors with these bytes.
    fn picture(&self, descriptors: &[u8]) -> Vec<u32> {
        let device = &self.device;
        let (resources, samplers) = descriptors.split_at(10 * STEP);
        let (resources, samplers) = (Buffer::with(device, resources), Buffer::with(device, samplers));
        let values: Vec<Buffer> = (0..2)
            .map(|n| Buffer::with(device, &compute::words((0..32).map(|word| 1000 * n + word))))
            .collect();
        let texels = Buffer::with(device, &compute::words(70..74));
        let out = Buffer::new(device, 32);
        let pipeline = heap::pipeline(device, SHADER, &[]);
        let raw = &device.raw;
        run(device, |cb| {
            let copy = |size| [vk::BufferCopy::default().size(size)];
            let barrier = || {
                let all = [vk::MemoryBarrier::default()
                    .src_access_mask(vk::AccessFlags::MEMORY_WRITE)
                    .dst_access_mask(vk::AccessFlags::MEMORY_READ)];
                let stage = vk::PipelineStageFlags::ALL_COMMANDS;
                // SAFETY: as below.
                unsafe {
                    raw.cmd_pipeline_barrier(cb, stage, stage, vk::DependencyFlags::empty(), &all, &[], &[]);
                };
            };
            // SAFETY: everything is alive until the work is done, and copies lie within.
            unsafe {
                for (n, values) in values.iter().enumerate() {
                    raw.cmd_copy_buffer(cb, values.raw, self.objects.buffers[n], &copy(SIZES[n]));
                }
                let image = self.objects.images[1];
                let whole = [whole(COLOR, [2, 2, 1])];
                raw.cmd_copy_buffer_to_image(cb, texels.raw, image, vk::ImageLayout::GENERAL, &whole);
                barrier();
                self.heaps.bind(device, cb, &resources, &samplers);
                raw.cmd_bind_pipeline(cb, vk::PipelineBindPoint::COMPUTE, pipeline);
                raw.cmd_dispatch(cb, 1, 1, 1);
                barrier();
                raw.cmd_copy_buffer(cb, self.objects.buffers[2], out.raw, &copy(32));
            }
        });
        let seen = out.words();
        // SAFETY: no work is pending.
        unsafe { raw.destroy_pipeline(pipeline, None) };
        [resources, samplers, texels, out]
            .into_iter()
            .chain(values)
            .for_each(|b| b.destroy(device));
        seen
    }

    fn destroy(self) {
        let raw = &self.device.raw;
        let objects = self.objects;
        // SAFETY: no work is pending.
        unsafe {
            objects.buffers.iter().for_each(|b| raw.destroy_buffer(*b, None));
            objects.images.iter().for_each(|i| raw.destroy_image(*i, None));
            objects.memories.iter().for_each(|m| raw.free_memory(*m, None));
        }
    }
}

fn capture(file: &Path) {
    let mut world = World::new();
    (0..5).for_each(|n| world.make(n, None));
    let descriptors = world.descriptors();
    let picture = world.picture(&descriptors);
    let expected: Vec<u32> = (0..8).map(|n| 1000 * (n % 2) + 2 * n + 71).collect();
    assert_eq!(picture, expected);
    let mut bytes = Vec::new();
    for n in 0..5 {
        let seen = world.look(n);
        bytes.extend_from_slice(&seen.memory.to_le_bytes());
        bytes.extend_from_slice(&seen.data);
        // Of buffers an address, of images more.
        bytes.resize(bytes.len() + CAPTURE_SIZE - seen.data.len(), 0);
    }
    bytes.extend_from_slice(&descriptors);
    fs::write(file, bytes).expect("written");
    world.destroy();
}

fn replay(file: &Path) {
    let bytes = fs::read(file).expect("a capture");
    let (objects, descriptors) = bytes.split_at(5 * EACH);
    let seen: Vec<Seen> = (0..5)
        .map(|n| Seen {
            memory: u64::from_le_bytes(objects[EACH * n..EACH * n + 8].try_into().expect("8 bytes")),
            data: objects[EACH * n + 8..EACH * n + if n < 3 { 16 } else { EACH }].to_vec(),
        })
        .collect();
    let mut world = World::new();
    // Another object of the same form must not take the place of one that is yet to come.
    let extra = world.image(EXTENTS[1], None).expect("an image");
    // SAFETY: it is not in use.
    unsafe { world.device.raw.destroy_image(extra, None) };
    for n in [4, 1, 3, 0, 2] {
        world.make(n, Some(&seen[n]));
        assert_eq!(world.look(n), seen[n], "object {n}");
    }
    assert_eq!(world.descriptors(), descriptors);
    // The captured bytes as they were.
    let expected: Vec<u32> = (0..8).map(|n| 1000 * (n % 2) + 2 * n + 71).collect();
    assert_eq!(world.picture(descriptors), expected);
    let again = world.image(EXTENTS[1], Some(&seen[4]));
    assert_eq!(again, Err(INVALID), "it is in use");
    world.destroy();
}

#[test]
fn heaps_replay_in_another_process_in_any_order() {
    child::capture_and_replay("heaps_replay_in_another_process_in_any_order", capture, replay);
}

#[test]
fn data_of_images_that_does_not_match_is_refused() {
    let mut world = World::new();
    world.make(4, None);
    let seen = world.look(4);
    assert_eq!(world.image(EXTENTS[0], Some(&seen)), Err(INVALID), "the extent");
    assert_eq!(world.image(EXTENTS[1], Some(&seen)), Err(INVALID), "in use");
    let raw = world.device.raw.clone();
    // SAFETY: it is not in use.
    let requirements = unsafe { raw.get_image_memory_requirements(world.objects.images[1]) };
    // SAFETY: as above.
    unsafe { raw.destroy_image(world.objects.images[1], None) };
    for bit in 0..seen.data.len() * 8 {
        let mut damaged = seen.clone();
        damaged.data[bit / 8] ^= 1 << (bit % 8);
        assert_eq!(world.image(EXTENTS[1], Some(&damaged)), Err(INVALID), "bit {bit}");
    }
    let mut short = seen.clone();
    short.data.truncate(CAPTURE_SIZE - 1);
    assert_eq!(world.image(EXTENTS[1], Some(&short)), Err(INVALID), "too short");
    world.objects.images[1] = world.image(EXTENTS[1], Some(&seen)).expect("free again");
    // Elsewhere, its descriptors cannot be the same.
    let elsewhere = world.memory(requirements, 0);
    let view = view(world.objects.images[1]);
    // SAFETY: the memory is as large as the image asks for.
    unsafe { raw.bind_image_memory(world.objects.images[1], elsewhere, 0) }.expect("bound");
    assert_eq!(world.heaps.try_image(Type::SAMPLED_IMAGE, &view), Err(INVALID));
    // SAFETY: it is not in use.
    unsafe { raw.free_memory(elsewhere, None) };
    world.destroy();
}
