//! Images in shaders, through the loader: sampling, fetching, storing, atomics, texel buffers.

mod common;

use common::{
    Device, Instance, vk,
    work::{Buffer, Image, ImageDesc, all, run, whole},
};
use vk::DescriptorType as Kind;

const COLOR: vk::ImageAspectFlags = vk::ImageAspectFlags::COLOR;

/// An image with its view, in the general layout.
struct Texture {
    image: Image,
    view: vk::ImageView,
}

impl Texture {
    fn new(
        device: &Device,
        desc: ImageDesc,
        view_type: vk::ImageViewType,
        aspect: vk::ImageAspectFlags,
    ) -> Self {
        let desc = ImageDesc {
            usage: desc.usage | vk::ImageUsageFlags::TRANSFER_SRC | vk::ImageUsageFlags::TRANSFER_DST,
            ..desc
        };
        let image = Image::new(device, &desc);
        let info = vk::ImageViewCreateInfo::default()
            .image(image.raw)
            .view_type(view_type)
            .format(desc.format)
            .subresource_range(all(aspect));
        // SAFETY: the image is alive.
        let view = unsafe { device.raw.create_image_view(&info, None) }.expect("a view");
        let to_general = vk::ImageMemoryBarrier::default()
            .new_layout(vk::ImageLayout::GENERAL)
            .image(image.raw)
            .subresource_range(all(aspect));
        let stage = vk::PipelineStageFlags::ALL_COMMANDS;
        let none = vk::DependencyFlags::empty();
        // SAFETY: all is alive until the work is done.
        run(device, |cb| unsafe {
            device
                .raw
                .cmd_pipeline_barrier(cb, stage, stage, none, &[], &[], &[to_general]);
        });
        Self { image, view }
    }

    fn clear(&self, device: &Device, layer: u32, color: [f32; 4]) {
        let range = vk::ImageSubresourceRange {
            base_array_layer: layer,
            layer_count: 1,
            ..all(COLOR)
        };
        let value = vk::ClearColorValue { float32: color };
        // SAFETY: all is alive until the work is done.
        run(device, |cb| unsafe {
            device
                .raw
                .cmd_clear_color_image(cb, self.image.raw, vk::ImageLayout::GENERAL, &value, &[range]);
        });
    }

    fn upload(&self, device: &Device, level: u32, extent: [u32; 3], bytes: &[u8]) {
        let buffer = Buffer::with(device, bytes);
        let mut copy = whole(COLOR, extent);
        copy.image_subresource.mip_level = level;
        // SAFETY: all is alive until the work is done.
        run(device, |cb| unsafe {
            device.raw.cmd_copy_buffer_to_image(
                cb,
                buffer.raw,
                self.image.raw,
                vk::ImageLayout::GENERAL,
                &[copy],
            );
        });
        buffer.destroy(device);
    }

    fn download(&self, device: &Device, extent: [u32; 3], size: usize) -> Vec<u8> {
        let buffer = Buffer::new(device, size);
        // SAFETY: all is alive until the work is done.
        run(device, |cb| unsafe {
            let copy = [whole(COLOR, extent)];
            device.raw.cmd_copy_image_to_buffer(
                cb,
                self.image.raw,
                vk::ImageLayout::GENERAL,
                buffer.raw,
                &copy,
            );
        });
        let bytes = buffer.bytes();
        buffer.destroy(device);
        bytes
    }

    fn destroy(self, device: &Device) {
        // SAFETY: no work is pending.
        unsafe { device.raw.destroy_image_view(self.view, None) };
        self.image.destroy(device);
    }
}

fn sampler(device: &Device, filter: vk::Filter, compare: bool) -> vk::Sampler {
    let info = vk::SamplerCreateInfo::default()
        .mag_filter(filter)
        .min_filter(filter)
        .mipmap_mode(if filter == vk::Filter::LINEAR {
            vk::SamplerMipmapMode::LINEAR
        } else {
            vk::SamplerMipmapMode::NEAREST
        })
        .address_mode_u(vk::SamplerAddressMode::CLAMP_TO_EDGE)
        .address_mode_v(vk::SamplerAddressMode::CLAMP_TO_EDGE)
        .address_mode_w(vk::SamplerAddressMode::CLAMP_TO_EDGE)
        .max_lod(vk::LOD_CLAMP_NONE)
        .compare_enable(compare)
        .compare_op(vk::CompareOp::LESS);
    // SAFETY: a plain structure.
    unsafe { device.raw.create_sampler(&info, None) }.expect("a sampler")
}

/// What is bound at a binding.
enum Bound {
    Sampled(vk::ImageView, vk::Sampler),
    Storage(vk::ImageView),
    Texels(vk::BufferView),
    Buffer(vk::Buffer),
}

/// Runs one workgroup of a compute shader with one descriptor a binding.
fn dispatch(device: &Device, code: &[u8], bound: &[Bound]) {
    let raw = &device.raw;
    let kinds: Vec<Kind> = bound
        .iter()
        .map(|bound| match bound {
            Bound::Sampled(..) => Kind::COMBINED_IMAGE_SAMPLER,
            Bound::Storage(_) => Kind::STORAGE_IMAGE,
            Bound::Texels(_) => Kind::UNIFORM_TEXEL_BUFFER,
            Bound::Buffer(_) => Kind::STORAGE_BUFFER,
        })
        .collect();
    let bindings: Vec<_> = (0..)
        .zip(&kinds)
        .map(|(binding, &kind)| {
            vk::DescriptorSetLayoutBinding::default()
                .binding(binding)
                .descriptor_type(kind)
                .descriptor_count(1)
                .stage_flags(vk::ShaderStageFlags::COMPUTE)
        })
        .collect();
    let sizes: Vec<_> = kinds
        .iter()
        .map(|&ty| vk::DescriptorPoolSize {
            ty,
            descriptor_count: 1,
        })
        .collect();
    let words = ash::util::read_spv(&mut std::io::Cursor::new(code)).expect("words");
    // SAFETY: everything is alive until the work is done, and destroyed after.
    unsafe {
        let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
        let set_layout = [raw.create_descriptor_set_layout(&info, None).expect("a layout")];
        let info = vk::PipelineLayoutCreateInfo::default().set_layouts(&set_layout);
        let layout = raw.create_pipeline_layout(&info, None).expect("a layout");
        let info = vk::DescriptorPoolCreateInfo::default()
            .max_sets(1)
            .pool_sizes(&sizes);
        let pool = raw.create_descriptor_pool(&info, None).expect("a pool");
        let info = vk::DescriptorSetAllocateInfo::default()
            .descriptor_pool(pool)
            .set_layouts(&set_layout);
        let set = raw.allocate_descriptor_sets(&info).expect("a set")[0];
        for (binding, (bound, &kind)) in (0..).zip(bound.iter().zip(&kinds)) {
            let general = vk::ImageLayout::GENERAL;
            let (mut image, mut buffer, mut view) = (
                [vk::DescriptorImageInfo::default()],
                [vk::DescriptorBufferInfo::default()],
                [vk::BufferView::null()],
            );
            let write = vk::WriteDescriptorSet::default()
                .dst_set(set)
                .dst_binding(binding)
                .descriptor_type(kind);
            let write = match *bound {
                Bound::Sampled(view, sampler) => {
                    image[0] = vk::DescriptorImageInfo {
                        sampler,
                        image_view: view,
                        image_layout: general,
                    };
                    write.image_info(&image)
                }
                Bound::Storage(view) => {
                    image[0] = vk::DescriptorImageInfo {
                        image_view: view,
                        image_layout: general,
                        ..Default::default()
                    };
                    write.image_info(&image)
                }
                Bound::Texels(texels) => {
                    view[0] = texels;
                    write.texel_buffer_view(&view)
                }
                Bound::Buffer(raw) => {
                    buffer[0] = vk::DescriptorBufferInfo {
                        buffer: raw,
                        offset: 0,
                        range: vk::WHOLE_SIZE,
                    };
                    write.buffer_info(&buffer)
                }
            };
            raw.update_descriptor_sets(&[write], &[]);
        }
        let module = raw.create_shader_module(&vk::ShaderModuleCreateInfo::default().code(&words), None);
        let module = module.expect("a module");
        let stage = vk::PipelineShaderStageCreateInfo::default()
            .stage(vk::ShaderStageFlags::COMPUTE)
            .module(module)
            .name(c"main");
        let info = vk::ComputePipelineCreateInfo::default()
            .stage(stage)
            .layout(layout);
        let pipeline = raw
            .create_compute_pipelines(vk::PipelineCache::null(), &[info], None)
            .expect("a pipeline")[0];
        run(device, |cb| {
            raw.cmd_bind_pipeline(cb, vk::PipelineBindPoint::COMPUTE, pipeline);
            raw.cmd_bind_descriptor_sets(cb, vk::PipelineBindPoint::COMPUTE, layout, 0, &[set], &[]);
            raw.cmd_dispatch(cb, 1, 1, 1);
        });
        raw.destroy_pipeline(pipeline, None);
        raw.destroy_shader_module(module, None);
        raw.destroy_descriptor_pool(pool, None);
        raw.destroy_pipeline_layout(layout, None);
        raw.destroy_descriptor_set_layout(set_layout[0], None);
    }
}

fn device() -> Device {
    let features = vk::PhysicalDeviceFeatures::default()
        .texture_compression_bc(true)
        .shader_storage_image_write_without_format(true);
    Device::create(
        Instance::new(),
        vk::DeviceCreateInfo::default().enabled_features(&features),
    )
}

fn sampled(format: vk::Format, extent: [u32; 3]) -> ImageDesc {
    ImageDesc {
        usage: vk::ImageUsageFlags::SAMPLED,
        ..ImageDesc::new(format, extent)
    }
}

fn storage(format: vk::Format, extent: [u32; 3]) -> ImageDesc {
    ImageDesc {
        usage: vk::ImageUsageFlags::STORAGE,
        ..ImageDesc::new(format, extent)
    }
}

/// A 4x4 texture with two levels: (64 x, 64 y, 7, 255), then (100 + x, 100 + y, 0, 255).
fn two_levels(device: &Device) -> Texture {
    let desc = ImageDesc {
        levels: 2,
        ..sampled(vk::Format::R8G8B8A8_UNORM, [4, 4, 1])
    };
    let texture = Texture::new(device, desc, vk::ImageViewType::TYPE_2D, COLOR);
    let level = |size: u8, f: fn(u8, u8) -> [u8; 4]| -> Vec<u8> {
        (0..size * size).flat_map(|i| f(i % size, i / size)).collect()
    };
    texture.upload(device, 0, [4, 4, 1], &level(4, |x, y| [64 * x, 64 * y, 7, 255]));
    texture.upload(device, 1, [2, 2, 1], &level(2, |x, y| [100 + x, 100 + y, 0, 255]));
    texture
}

/// Six faces of one colour each: 20 n in red.
fn cube(device: &Device) -> Texture {
    let desc = ImageDesc {
        flags: vk::ImageCreateFlags::CUBE_COMPATIBLE,
        layers: 6,
        ..sampled(vk::Format::R8G8B8A8_UNORM, [2, 2, 1])
    };
    let texture = Texture::new(device, desc, vk::ImageViewType::CUBE, COLOR);
    for face in 0..6 {
        texture.clear(device, face, [face as f32 * 20.0 / 255.0, 0.0, 0.0, 1.0]);
    }
    texture
}

fn depth(device: &Device) -> Texture {
    let aspect = vk::ImageAspectFlags::DEPTH;
    let texture = Texture::new(
        device,
        sampled(vk::Format::D16_UNORM, [4, 4, 1]),
        vk::ImageViewType::TYPE_2D,
        aspect,
    );
    let value = vk::ClearDepthStencilValue {
        depth: 0.45,
        stencil: 0,
    };
    // SAFETY: all is alive until the work is done.
    run(device, |cb| unsafe {
        let layout = vk::ImageLayout::GENERAL;
        device
            .raw
            .cmd_clear_depth_stencil_image(cb, texture.image.raw, layout, &value, &[all(aspect)]);
    });
    texture
}

/// A shader that declares a format of wider texels than the view's must not reach over them.
#[test]
fn wider_texels_than_the_view_has_are_not_there() {
    const CODE: &[u8] = include_bytes!("../shaders/test/wider.comp.spv");
    let device = device();
    for (format, there) in [(vk::Format::R8_UNORM, false), (vk::Format::R8G8B8A8_UNORM, true)] {
        let extent = [8, 4, 1];
        let texture = Texture::new(
            &device,
            storage(format, extent),
            vk::ImageViewType::TYPE_2D,
            COLOR,
        );
        texture.clear(&device, 0, [0.2; 4]);
        let read = Buffer::new(&device, 8 * 4 * 16);
        dispatch(
            &device,
            CODE,
            &[Bound::Storage(texture.view), Bound::Buffer(read.raw)],
        );
        let bytes = texture.download(&device, extent, if there { 128 } else { 32 });
        assert!(
            bytes.iter().all(|&byte| byte == if there { 255 } else { 51 }),
            "{bytes:?}"
        );
        let was = f32::from_bits(read.words()[0]);
        assert!((was - if there { 0.2 } else { 0.0 }).abs() < 1e-3, "{was}");
        read.destroy(&device);
        texture.destroy(&device);
    }
}

/// Checks results `n * 8..`: `want(x, y, i)` for the texel of each invocation.
fn check(results: &[[f32; 4]], n: usize, want: impl Fn(f32, f32, usize) -> [f32; 4]) {
    for i in 0..8 {
        let (got, want) = (results[8 * n + i], want((i & 3) as f32, (i >> 2) as f32, i));
        let near = got.iter().zip(want).all(|(got, want)| (got - want).abs() < 1e-5);
        assert!(near, "result {n} of invocation {i}: {got:?}, not {want:?}");
    }
}

#[test]
fn shaders_reach_images_in_every_way() {
    let device = device();
    let raw = &device.raw;
    let two = two_levels(&device);
    let cube = cube(&device);
    let bc = Texture::new(
        &device,
        sampled(vk::Format::BC1_RGB_UNORM_BLOCK, [4, 4, 1]),
        vk::ImageViewType::TYPE_2D,
        COLOR,
    );
    // Red and blue in full, then in thirds, a row each.
    bc.upload(
        &device,
        0,
        [4, 4, 1],
        &[0x00, 0xf8, 0x1f, 0x00, 0x00, 0x55, 0xaa, 0xff],
    );
    let depth = depth(&device);
    let known = Texture::new(
        &device,
        storage(vk::Format::R8G8B8A8_UNORM, [8, 2, 1]),
        vk::ImageViewType::TYPE_2D,
        COLOR,
    );
    known.clear(&device, 0, [0.2, 0.4, 0.6, 0.8]);
    let unknown = Texture::new(
        &device,
        storage(vk::Format::R16G16_SFLOAT, [4, 2, 1]),
        vk::ImageViewType::TYPE_2D,
        COLOR,
    );
    let counter = Texture::new(
        &device,
        storage(vk::Format::R32_UINT, [2, 1, 1]),
        vk::ImageViewType::TYPE_2D,
        COLOR,
    );
    counter.clear(&device, 0, [0.0; 4]);
    let words = Buffer::with(&device, bytemuck::cast_slice(&[1_u16, 2, 3, 4, 5, 6, 7, 8]));
    let info = vk::BufferViewCreateInfo::default()
        .buffer(words.raw)
        .format(vk::Format::R16_UINT)
        .range(12);
    // SAFETY: the buffer is alive.
    let texels = unsafe { raw.create_buffer_view(&info, None) }.expect("a view");
    let out = Buffer::new(&device, 13 * 8 * 16);
    let nearest = sampler(&device, vk::Filter::NEAREST, false);
    let linear = sampler(&device, vk::Filter::LINEAR, false);
    let compare = sampler(&device, vk::Filter::NEAREST, true);
    dispatch(
        &device,
        include_bytes!("../shaders/test/images.comp.spv"),
        &[
            Bound::Sampled(two.view, nearest),
            Bound::Sampled(two.view, linear),
            Bound::Sampled(cube.view, nearest),
            Bound::Sampled(bc.view, nearest),
            Bound::Sampled(depth.view, compare),
            Bound::Storage(known.view),
            Bound::Storage(unknown.view),
            Bound::Storage(counter.view),
            Bound::Texels(texels),
            Bound::Buffer(out.raw),
        ],
    );
    let floats: Vec<f32> = out.words().into_iter().map(f32::from_bits).collect();
    let results: Vec<[f32; 4]> = floats.chunks_exact(4).map(|v| [v[0], v[1], v[2], v[3]]).collect();
    let texel = |x: f32, y: f32| [x * 64.0 / 255.0, y * 64.0 / 255.0, 7.0 / 255.0, 1.0];
    check(&results, 0, |x, y, _| texel(x, y));
    check(&results, 1, |x, y, _| {
        texel((x + (x + 1.0).min(3.0)) / 2.0, y + 0.5)
    });
    check(&results, 2, |x, y, _| {
        [(100.0 + x % 2.0) / 255.0, (100.0 + y % 2.0) / 255.0, 0.0, 1.0]
    });
    check(&results, 3, |_, _, i| {
        let lod = i as f32 / 8.0;
        let red = 96.0 + (100.5 - 96.0) * lod;
        [red / 255.0, red / 255.0, 7.0 / 255.0 * (1.0 - lod), 1.0]
    });
    check(
        &results,
        4,
        |x, y, _| if x == 0.0 { [0.0; 4] } else { texel(x - 1.0, y) },
    );
    check(&results, 5, |_, _, _| [2.0, 2.0, 2.0, 2.0]);
    check(&results, 6, |_, y, _| {
        let [low, high] = [texel(0.0, y)[1], texel(0.0, y + 1.0)[1]];
        [high, high, low, low]
    });
    check(&results, 7, |_, _, i| {
        [(i % 6) as f32 * 20.0 / 255.0, 0.0, 0.0, 1.0]
    });
    check(&results, 8, |_, y, _| {
        if y == 0.0 {
            [1.0, 0.0, 0.0, 1.0]
        } else {
            [0.0, 0.0, 1.0, 1.0]
        }
    });
    check(&results, 9, |_, _, i| [f32::from(u8::from(i < 4)); 4]);
    check(&results, 10, |_, _, _| [0.2, 0.4, 0.6, 0.8]);
    let mut counts: Vec<f32> = results[88..96].iter().map(|v| v[0]).collect();
    counts.sort_by(f32::total_cmp);
    assert_eq!(counts, [0.0, 2.0, 4.0, 6.0, 8.0, 10.0, 12.0, 14.0]);
    // The view has six texels; what is before and after it reads as zero.
    check(&results, 12, |_, _, i| {
        [if (1..7).contains(&i) { i as f32 } else { 0.0 }, 0.0, 0.0, 1.0]
    });
    let stored = known.download(&device, [8, 2, 1], 64);
    for i in 0..8 {
        assert_eq!(stored[32 + 4 * i..36 + 4 * i], [i as u8, 51, 255, 0]);
    }
    let stored = unknown.download(&device, [4, 2, 1], 32);
    assert_eq!(stored[..8], [0x00, 0x00, 0x00, 0xb8, 0x00, 0x3c, 0x00, 0xb8]);
    assert_eq!(counter.download(&device, [2, 1, 1], 8), [0, 0, 0, 0, 16, 0, 0, 0]);
    // SAFETY: no work is pending.
    unsafe {
        raw.destroy_buffer_view(texels, None);
        for sampler in [nearest, linear, compare] {
            raw.destroy_sampler(sampler, None);
        }
    }
    for texture in [two, cube, bc, depth, known, unknown, counter] {
        texture.destroy(&device);
    }
    words.destroy(&device);
    out.destroy(&device);
}
