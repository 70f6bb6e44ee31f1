//! Descriptors that are captured in one process and had again in another: the same bytes, whatever the order in which
//! the objects are made; and nothing but what was captured.

mod common;

use ash::vk;
use common::{
    Device, Instance, child, compute,
    work::{Buffer, all, run, whole},
};
use std::{fs, path::Path};
use vk::DescriptorType as Type;

const SHADER: &[u8] = include_bytes!("../shaders/test/replay.comp.spv");
const INVALID: vk::Result = vk::Result::ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS;
const COLOR: vk::ImageAspectFlags = vk::ImageAspectFlags::COLOR;
/// Binding, type and elements of the set.
const BINDINGS: [(u32, Type, u32); 5] = [
    (0, Type::UNIFORM_BUFFER, 1),
    (1, Type::COMBINED_IMAGE_SAMPLER, 3),
    (2, Type::UNIFORM_TEXEL_BUFFER, 1),
    (3, Type::STORAGE_IMAGE, 1),
    (4, Type::STORAGE_BUFFER, 1),
];
/// Sizes and usages of the buffers: parameters, weights, copy of the picture, descriptors.
const SIZES: [u64; 4] = [16, 16, 1024, 1024];
/// Sizes of the images: three textures and the picture.
const EXTENTS: [u32; 4] = [4, 8, 5, 16];

/// Functions of the extensions.
struct World {
    device: Device,
    addresses: ash::khr::buffer_device_address::Device,
    descriptors: ash::ext::descriptor_buffer::Device,
    properties: vk::PhysicalDeviceDescriptorBufferPropertiesEXT<'static>,
    /// A type of memory that can be mapped.
    mappable: u32,
}

/// What a replay is told of an object: its opaque data, and where its memory was (0 without memory).
#[derive(Clone, Debug, Default, PartialEq)]
struct Seen {
    data: Vec<u8>,
    memory: u64,
}

/// All objects; the descriptors depend on each.
#[derive(Default)]
struct Objects {
    buffers: [(vk::Buffer, vk::DeviceMemory); 4],
    images: [(vk::Image, vk::DeviceMemory); 4],
    views: [vk::ImageView; 4],
    samplers: [vk::Sampler; 3],
}

/// Names an object: its kind (buffer, image, view, sampler) and its number among them.
type Name = (usize, usize);

fn names() -> impl Iterator<Item = Name> {
    [4, 4, 4, 3]
        .into_iter()
        .enumerate()
        .flat_map(|(kind, count)| (0..count).map(move |n| (kind, n)))
}

fn world() -> World {
    let mut addresses = vk::PhysicalDeviceBufferDeviceAddressFeatures::default()
        .buffer_device_address(true)
        .buffer_device_address_capture_replay(true);
    let mut buffers = vk::PhysicalDeviceDescriptorBufferFeaturesEXT::default()
        .descriptor_buffer(true)
        .descriptor_buffer_capture_replay(true);
    let mut border = vk::PhysicalDeviceCustomBorderColorFeaturesEXT::default()
        .custom_border_colors(true)
        .custom_border_color_without_format(true);
    let names = [
        ash::khr::buffer_device_address::NAME,
        ash::ext::descriptor_indexing::NAME,
        ash::khr::synchronization2::NAME,
        ash::ext::descriptor_buffer::NAME,
        ash::ext::custom_border_color::NAME,
    ]
    .map(std::ffi::CStr::as_ptr);
    let info = vk::DeviceCreateInfo::default()
        .enabled_extension_names(&names)
        .push_next(&mut addresses)
        .push_next(&mut buffers)
        .push_next(&mut border);
    let device = Device::create(Instance::new(), info);
    let (instance, raw) = (&device.instance, &device.raw);
    let mut properties = vk::PhysicalDeviceDescriptorBufferPropertiesEXT::default();
    let mut chain = vk::PhysicalDeviceProperties2::default().push_next(&mut properties);
    // SAFETY: the structures are valid.
    unsafe {
        instance
            .raw
            .get_physical_device_properties2(instance.physical, &mut chain);
    };
    // SAFETY: the physical device is alive.
    let types = unsafe {
        instance
            .raw
            .get_physical_device_memory_properties(instance.physical)
    };
    let coherent = vk::MemoryPropertyFlags::HOST_COHERENT;
    let mappable = types
        .memory_types
        .iter()
        .position(|t| t.property_flags.contains(coherent));
    World {
        mappable: mappable.expect("a type of memory") as u32,
        addresses: ash::khr::buffer_device_address::Device::new(&instance.raw, raw),
        descriptors: ash::ext::descriptor_buffer::Device::new(&instance.raw, raw),
        properties,
        device,
    }
}

/// The structure that carries opaque data.
fn replayed(seen: Option<&Seen>) -> vk::OpaqueCaptureDescriptorDataCreateInfoEXT<'static> {
    vk::OpaqueCaptureDescriptorDataCreateInfoEXT {
        opaque_capture_descriptor_data: seen.map_or(std::ptr::null(), |s| s.data.as_ptr().cast()),
        ..Default::default()
    }
}

impl World {
    fn memory(
        &self,
        needs: vk::MemoryRequirements,
        seen: Option<&Seen>,
    ) -> Result<vk::DeviceMemory, vk::Result> {
        let mut flags = vk::MemoryAllocateFlagsInfo::default().flags(
            vk::MemoryAllocateFlags::DEVICE_ADDRESS | vk::MemoryAllocateFlags::DEVICE_ADDRESS_CAPTURE_REPLAY,
        );
        let mut capture = vk::MemoryOpaqueCaptureAddressAllocateInfo::default()
            .opaque_capture_address(seen.map_or(0, |s| s.memory));
        let info = vk::MemoryAllocateInfo::default()
            .allocation_size(needs.size)
            .memory_type_index(self.mappable)
            .push_next(&mut flags)
            .push_next(&mut capture);
        // SAFETY: the structures are valid.
        unsafe { self.device.raw.allocate_memory(&info, None) }
    }

    fn raw_buffer(
        &self,
        size: u64,
        usage: vk::BufferUsageFlags,
        seen: Option<&Seen>,
    ) -> Result<vk::Buffer, vk::Result> {
        let mut data = replayed(seen);
        let info = vk::BufferCreateInfo::default()
            .flags(vk::BufferCreateFlags::DESCRIPTOR_BUFFER_CAPTURE_REPLAY_EXT)
            .size(size)
            .usage(usage)
            .push_next(&mut data);
        // SAFETY: the structures are valid, and the data is as long as the properties say.
        unsafe { self.device.raw.create_buffer(&info, None) }
    }

    fn raw_image(
        &self,
        format: vk::Format,
        extent: u32,
        seen: Option<&Seen>,
    ) -> Result<vk::Image, vk::Result> {
        let mut data = replayed(seen);
        let info = vk::ImageCreateInfo::default()
            .flags(vk::ImageCreateFlags::DESCRIPTOR_BUFFER_CAPTURE_REPLAY_EXT)
            .image_type(vk::ImageType::TYPE_2D)
            .format(format)
            .extent(vk::Extent3D {
                width: extent,
                height: extent,
                depth: 1,
            })
            .mip_levels(1)
            .array_layers(1)
            .samples(vk::SampleCountFlags::TYPE_1)
            .usage(
                vk::ImageUsageFlags::SAMPLED
                    | vk::ImageUsageFlags::STORAGE
                    | vk::ImageUsageFlags::TRANSFER_SRC
                    | vk::ImageUsageFlags::TRANSFER_DST,
            )
            .push_next(&mut data);
        // SAFETY: as above.
        unsafe { self.device.raw.create_image(&info, None) }
    }

    fn raw_view(
        &self,
        image: vk::Image,
        swizzle: usize,
        seen: Option<&Seen>,
    ) -> Result<vk::ImageView, vk::Result> {
        let mut data = replayed(seen);
        let red = [vk::ComponentSwizzle::IDENTITY, vk::ComponentSwizzle::B][swizzle % 2];
        let info = vk::ImageViewCreateInfo::default()
            .flags(vk::ImageViewCreateFlags::DESCRIPTOR_BUFFER_CAPTURE_REPLAY_EXT)
            .image(image)
            .view_type(vk::ImageViewType::TYPE_2D)
            .format(vk::Format::R8G8B8A8_UNORM)
            .components(vk::ComponentMapping {
                r: red,
                ..Default::default()
            })
            .subresource_range(all(COLOR))
            .push_next(&mut data);
        // SAFETY: as above.
        unsafe { self.device.raw.create_image_view(&info, None) }
    }

    /// Two of the samplers are alike.
    fn raw_sampler(&self, number: usize, seen: Option<&Seen>) -> Result<vk::Sampler, vk::Result> {
        let mut data = replayed(seen);
        let mut border =
            vk::SamplerCustomBorderColorCreateInfoEXT::default().custom_border_color(vk::ClearColorValue {
                float32: [0.25, 0.5, number as f32 / 8.0, 1.0],
            });
        let filter = [vk::Filter::NEAREST, vk::Filter::LINEAR][usize::from(number > 0)];
        let mut info = vk::SamplerCreateInfo::default()
            .flags(vk::SamplerCreateFlags::DESCRIPTOR_BUFFER_CAPTURE_REPLAY_EXT)
            .mag_filter(filter)
            .min_filter(filter)
            .push_next(&mut data);
        if number == 0 {
            info = info
                .address_mode_u(vk::SamplerAddressMode::CLAMP_TO_BORDER)
                .border_color(vk::BorderColor::FLOAT_CUSTOM_EXT)
                .push_next(&mut border);
        }
        // SAFETY: as above.
        unsafe { self.device.raw.create_sampler(&info, None) }
    }

    /// Makes an object.
    fn make(&self, (kind, n): Name, objects: &mut Objects, seen: Option<&Seen>) -> Result<(), vk::Result> {
        let raw = &self.device.raw;
        // SAFETY: everything was made for each other.
        unsafe {
            match kind {
                0 => {
                    let buffer = self.raw_buffer(SIZES[n], usage(n), seen)?;
                    let memory = self.memory(raw.get_buffer_memory_requirements(buffer), seen)?;
                    raw.bind_buffer_memory(buffer, memory, 0)?;
                    objects.buffers[n] = (buffer, memory);
                }
                1 => {
                    let image = self.raw_image(vk::Format::R8G8B8A8_UNORM, EXTENTS[n], seen)?;
                    let memory = self.memory(raw.get_image_memory_requirements(image), seen)?;
                    raw.bind_image_memory(image, memory, 0)?;
                    objects.images[n] = (image, memory);
                }
                2 => objects.views[n] = self.raw_view(objects.images[n].0, n % 2, seen)?,
                _ => objects.samplers[n] = self.raw_sampler(n, seen)?,
            }
        }
        Ok(())
    }

    /// What a replay must know of an object.
    fn look(&self, (kind, n): Name, objects: &Objects) -> Seen {
        let (ext, p) = (&self.descriptors, &self.properties);
        let memory = [
            objects.buffers[n].1,
            objects.images[n].1,
            Default::default(),
            Default::default(),
        ][kind];
        let info = vk::DeviceMemoryOpaqueCaptureAddressInfo::default().memory(memory);
        // SAFETY: the objects are alive, and there is room for the data.
        unsafe {
            let size = [
                p.buffer_capture_replay_descriptor_data_size,
                p.image_capture_replay_descriptor_data_size,
                p.image_view_capture_replay_descriptor_data_size,
                p.sampler_capture_replay_descriptor_data_size,
            ][kind];
            let mut data = vec![0; size];
            match kind {
                0 => {
                    let info = vk::BufferCaptureDescriptorDataInfoEXT::default().buffer(objects.buffers[n].0);
                    ext.get_buffer_opaque_capture_descriptor_data(&info, &mut data)
                }
                1 => {
                    let info = vk::ImageCaptureDescriptorDataInfoEXT::default().image(objects.images[n].0);
                    ext.get_image_opaque_capture_descriptor_data(&info, &mut data)
                }
                2 => {
                    let info =
                        vk::ImageViewCaptureDescriptorDataInfoEXT::default().image_view(objects.views[n]);
                    ext.get_image_view_opaque_capture_descriptor_data(&info, &mut data)
                }
                _ => {
                    let info =
                        vk::SamplerCaptureDescriptorDataInfoEXT::default().sampler(objects.samplers[n]);
                    ext.get_sampler_opaque_capture_descriptor_data(&info, &mut data)
                }
            }
            .expect("opaque data");
            let memory = match kind {
                0 | 1 => self.addresses.get_device_memory_opaque_capture_address(&info),
                _ => 0,
            };
            Seen { data, memory }
        }
    }

    fn address(&self, buffer: vk::Buffer) -> u64 {
        let info = vk::BufferDeviceAddressInfo::default().buffer(buffer);
        // SAFETY: the buffer is bound.
        unsafe { self.addresses.get_buffer_device_address(&info) }
    }

    fn set_layout(&self) -> vk::DescriptorSetLayout {
        let bindings = BINDINGS.map(|(binding, ty, count)| {
            vk::DescriptorSetLayoutBinding::default()
                .binding(binding)
                .descriptor_type(ty)
                .descriptor_count(count)
                .stage_flags(vk::ShaderStageFlags::COMPUTE)
        });
        let info = vk::DescriptorSetLayoutCreateInfo::default()
            .flags(vk::DescriptorSetLayoutCreateFlags::DESCRIPTOR_BUFFER_EXT)
            .bindings(&bindings);
        // SAFETY: the structure is valid.
        unsafe { self.device.raw.create_descriptor_set_layout(&info, None) }.expect("a layout")
    }

    /// The bytes of the set.
    fn descriptor_bytes(&self, objects: &Objects, layout: vk::DescriptorSetLayout) -> Vec<u8> {
        let (ext, p) = (&self.descriptors, &self.properties);
        let info = |n: usize| {
            vk::DescriptorAddressInfoEXT::default()
                .address(self.address(objects.buffers[n].0))
                .range(SIZES[n])
                .format(vk::Format::R32_SFLOAT)
        };
        let infos = [info(0), info(1), info(2)];
        let images: [_; 4] = std::array::from_fn(|n| vk::DescriptorImageInfo {
            sampler: objects.samplers[n % 3],
            image_view: objects.views[n],
            image_layout: vk::ImageLayout::GENERAL,
        });
        // SAFETY: the layout is alive.
        let mut bytes = vec![0; unsafe { ext.get_descriptor_set_layout_size(layout) } as usize];
        for (binding, ty, count) in BINDINGS {
            for element in 0..count as usize {
                let (size, data) = match binding {
                    0 => (
                        p.uniform_buffer_descriptor_size,
                        vk::DescriptorDataEXT {
                            p_uniform_buffer: &infos[0],
                        },
                    ),
                    1 => (
                        p.combined_image_sampler_descriptor_size,
                        vk::DescriptorDataEXT {
                            p_combined_image_sampler: &images[element],
                        },
                    ),
                    2 => (
                        p.uniform_texel_buffer_descriptor_size,
                        vk::DescriptorDataEXT {
                            p_uniform_texel_buffer: &infos[1],
                        },
                    ),
                    3 => (
                        p.storage_image_descriptor_size,
                        vk::DescriptorDataEXT {
                            p_storage_image: &images[3],
                        },
                    ),
                    _ => (
                        p.storage_buffer_descriptor_size,
                        vk::DescriptorDataEXT {
                            p_storage_buffer: &infos[2],
                        },
                    ),
                };
                let get = vk::DescriptorGetInfoEXT::default().ty(ty).data(data);
                // SAFETY: binding, data and size are of the type.
                unsafe {
                    let at = ext.get_descriptor_set_layout_binding_offset(layout, binding) as usize
                        + element * size;
                    ext.get_descriptor(&get, &mut bytes[at..at + size]);
                }
            }
        }
        bytes
    }

    /// Fills memory that is mapped.
    fn upload(&self, memory: vk::DeviceMemory, bytes: &[u8]) {
        let raw = &self.device.raw;
        // SAFETY: all memory is of a type that can be mapped, and is as long.
        unsafe {
            let to = raw
                .map_memory(memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty())
                .expect("mapped");
            to.cast::<u8>()
                .copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
            raw.unmap_memory(memory);
        }
    }

    /// Draws the picture with a set of these bytes.
    fn picture(&self, objects: &Objects, layout: vk::DescriptorSetLayout, set: &[u8]) -> [Vec<u8>; 2] {
        let raw = &self.device.raw;
        let floats = |f: [f32; 4]| f.iter().flat_map(|f| f.to_le_bytes()).collect::<Vec<_>>();
        self.upload(objects.buffers[0].1, &floats([0.5, 0.75, 0.25, 1.0]));
        self.upload(objects.buffers[1].1, &floats([0.6, 0.3, 0.1, 0.0]));
        self.upload(objects.buffers[3].1, set);
        let (pipeline_layout, pipeline) = compute::pipeline(
            &self.device,
            SHADER,
            &[layout],
            vk::PipelineCreateFlags::DESCRIPTOR_BUFFER_EXT,
        );
        let texels: Vec<_> = (0..3)
            .map(|n| {
                let count = EXTENTS[n] * EXTENTS[n];
                let texel = |i: u32| (i + n as u32).wrapping_mul(0x9e37_79b9) | 0xff00_0000;
                Buffer::with(&self.device, &compute::words((0..count).map(texel)))
            })
            .collect();
        let picture = Buffer::new(&self.device, 1024);
        let bindings = [vk::DescriptorBufferBindingInfoEXT::default()
            .address(self.address(objects.buffers[3].0))
            .usage(usage(3))];
        let general = vk::ImageLayout::GENERAL;
        // SAFETY: everything is alive until the work is done, and copies lie within.
        run(&self.device, |cb| unsafe {
            let barrier = || {
                let all = [vk::MemoryBarrier::default()
                    .src_access_mask(vk::AccessFlags::MEMORY_WRITE)
                    .dst_access_mask(vk::AccessFlags::MEMORY_READ)];
                let stage = vk::PipelineStageFlags::ALL_COMMANDS;
                raw.cmd_pipeline_barrier(cb, stage, stage, vk::DependencyFlags::empty(), &all, &[], &[]);
            };
            for (n, texels) in texels.iter().enumerate() {
                let copy = [whole(COLOR, [EXTENTS[n], EXTENTS[n], 1])];
                raw.cmd_copy_buffer_to_image(cb, texels.raw, objects.images[n].0, general, &copy);
            }
            barrier();
            let point = vk::PipelineBindPoint::COMPUTE;
            raw.cmd_bind_pipeline(cb, point, pipeline);
            self.descriptors.cmd_bind_descriptor_buffers(cb, &bindings);
            self.descriptors
                .cmd_set_descriptor_buffer_offsets(cb, point, pipeline_layout, 0, &[0], &[0]);
            raw.cmd_dispatch(cb, 2, 2, 1);
            barrier();
            let copy = [whole(COLOR, [16, 16, 1])];
            raw.cmd_copy_image_to_buffer(cb, objects.images[3].0, general, picture.raw, &copy);
        });
        let seen = picture.bytes();
        let mut copied = vec![0; 1024];
        // SAFETY: no work is pending; the memory is as long.
        unsafe {
            let from = raw
                .map_memory(
                    objects.buffers[2].1,
                    0,
                    vk::WHOLE_SIZE,
                    vk::MemoryMapFlags::empty(),
                )
                .expect("mapped");
            from.cast::<u8>()
                .copy_to_nonoverlapping(copied.as_mut_ptr(), 1024);
            raw.unmap_memory(objects.buffers[2].1);
            raw.destroy_pipeline(pipeline, None);
            raw.destroy_pipeline_layout(pipeline_layout, None);
        }
        picture.destroy(&self.device);
        texels.into_iter().for_each(|b| b.destroy(&self.device));
        [seen, copied]
    }

    fn destroy(self, objects: &Objects, layout: vk::DescriptorSetLayout) {
        let raw = &self.device.raw;
        // SAFETY: no work is pending.
        unsafe {
            objects
                .views
                .iter()
                .for_each(|v| raw.destroy_image_view(*v, None));
            objects
                .samplers
                .iter()
                .for_each(|s| raw.destroy_sampler(*s, None));
            for (image, memory) in objects.images {
                raw.destroy_image(image, None);
                raw.free_memory(memory, None);
            }
            for (buffer, memory) in objects.buffers {
                raw.destroy_buffer(buffer, None);
                raw.free_memory(memory, None);
            }
            raw.destroy_descriptor_set_layout(layout, None);
        }
    }
}

fn usage(n: usize) -> vk::BufferUsageFlags {
    use vk::BufferUsageFlags as U;
    let own = [
        U::UNIFORM_BUFFER,
        U::UNIFORM_TEXEL_BUFFER,
        U::STORAGE_BUFFER,
        U::RESOURCE_DESCRIPTOR_BUFFER_EXT | U::SAMPLER_DESCRIPTOR_BUFFER_EXT,
    ];
    own[n] | U::SHADER_DEVICE_ADDRESS
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

fn unhex(text: &str) -> Vec<u8> {
    let byte = |at| u8::from_str_radix(&text[at..at + 2], 16).expect("hexadecimal");
    (0..text.len()).step_by(2).map(byte).collect()
}

/// Captures everything and writes down what a replay needs, and what it must give.
fn capture(file: &Path) {
    let world = world();
    let mut objects = Objects::default();
    names().for_each(|name| world.make(name, &mut objects, None).expect("made"));
    let mut text = String::new();
    for name in names() {
        let seen = world.look(name, &objects);
        text += &format!("{} {}\n", hex(&seen.data), seen.memory);
    }
    let layout = world.set_layout();
    let set = world.descriptor_bytes(&objects, layout);
    let [picture, copied] = world.picture(&objects, layout, &set);
    assert_eq!(picture, copied);
    assert!(picture.iter().any(|b| *b != picture[0]), "an empty picture");
    text += &format!("{}\n{}\n", hex(&set), hex(&picture));
    fs::write(file, text).expect("written");
    world.destroy(&objects, layout);
}

fn replay(file: &Path) {
    let text = fs::read_to_string(file).expect("a capture");
    let lines: Vec<_> = text.lines().collect();
    let parse = |line: &str| {
        let (data, memory) = line.split_once(' ').expect("two words");
        Seen {
            data: unhex(data),
            memory: memory.parse().expect("an address"),
        }
    };
    let mut captured: Vec<_> = names().zip(lines.iter().map(|line| parse(line))).collect();
    let (set, picture) = (unhex(lines[captured.len()]), unhex(lines[captured.len() + 1]));
    // Each view needs its image; apart from that, any order will do.
    captured.sort_by_key(|((kind, n), _)| (*kind == 2, n * 7 % 5, 9 - kind));
    let world = world();
    let mut objects = Objects::default();
    for (name, seen) in &captured {
        world.make(*name, &mut objects, Some(seen)).expect("replayed");
        assert_eq!(world.look(*name, &objects), *seen, "{name:?}");
    }
    let layout = world.set_layout();
    assert_eq!(world.descriptor_bytes(&objects, layout), set);
    // The captured bytes as they were.
    assert_eq!(world.picture(&objects, layout, &set), [picture.clone(), picture]);
    for (name, seen) in &captured {
        let mut other = Objects::default();
        other.images = objects.images;
        assert_eq!(
            world.make(*name, &mut other, Some(seen)),
            Err(INVALID),
            "{name:?} is in use"
        );
    }
    world.destroy(&objects, layout);
}

#[test]
fn descriptors_replay_in_another_process_in_any_order() {
    child::capture_and_replay(
        "descriptors_replay_in_another_process_in_any_order",
        capture,
        replay,
    );
}

#[test]
fn data_that_does_not_match_is_refused() {
    let world = world();
    let mut objects = Objects::default();
    names().for_each(|name| world.make(name, &mut objects, None).expect("made"));
    let seen: Vec<_> = names().map(|name| world.look(name, &objects)).collect();
    let (buffer, image, view, sampler) = (&seen[0], &seen[4], &seen[8], &seen[12]);
    let rgba = vk::Format::R8G8B8A8_UNORM;
    let texture = objects.images[0].0;
    let layout = world.set_layout();
    let refused = |what: &str, result: Result<(), vk::Result>| assert_eq!(result, Err(INVALID), "{what}");
    let none = |_: vk::Buffer| ();
    refused("size", world.raw_buffer(17, usage(0), Some(buffer)).map(none));
    refused(
        "usage",
        world.raw_buffer(SIZES[0], usage(2), Some(buffer)).map(none),
    );
    refused(
        "kind",
        world.raw_buffer(SIZES[0], usage(0), Some(image)).map(none),
    );
    let none = |_: vk::Image| ();
    refused("extent", world.raw_image(rgba, EXTENTS[1], Some(image)).map(none));
    let srgb = vk::Format::R8G8B8A8_SRGB;
    refused("format", world.raw_image(srgb, EXTENTS[0], Some(image)).map(none));
    let none = |_: vk::ImageView| ();
    refused("swizzle", world.raw_view(texture, 1, Some(view)).map(none));
    refused(
        "image",
        world.raw_view(objects.images[1].0, 0, Some(view)).map(none),
    );
    refused("state", world.raw_sampler(1, Some(sampler)).map(|_| ()));
    // SAFETY: it is not in use.
    unsafe { world.device.raw.destroy_sampler(objects.samplers[0], None) };
    for bit in 0..sampler.data.len() * 8 {
        let mut damaged = sampler.clone();
        damaged.data[bit / 8] ^= 1 << (bit % 8);
        refused("damaged", world.raw_sampler(0, Some(&damaged)).map(|_| ()));
    }
    objects.samplers[0] = world.raw_sampler(0, Some(sampler)).expect("free again");
    refused("in use", world.raw_sampler(0, Some(sampler)).map(|_| ()));
    world.destroy(&objects, layout);
}
