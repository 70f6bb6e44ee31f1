//! Arrays of descriptors: elements that differ between lanes, arrays of variable size, updates after binding.

mod common;

use ash::vk;
use common::work::{Buffer, Commands};
use common::{Device, Instance, compute};
use vk::DescriptorType as Type;

const SHADER: &[u8] = include_bytes!("../shaders/test/indexing.comp.spv");
const LANES: u32 = 16;
/// Type and elements of each binding.
const BINDINGS: [(Type, u32); 7] = [
    (Type::STORAGE_BUFFER, 1),
    (Type::UNIFORM_BUFFER, 4),
    (Type::STORAGE_BUFFER, 4),
    (Type::UNIFORM_TEXEL_BUFFER, 4),
    (Type::STORAGE_TEXEL_BUFFER, 4),
    (Type::STORAGE_IMAGE, 4),
    (Type::COMBINED_IMAGE_SAMPLER, 100_000),
];

fn device() -> Device {
    let mut features = vk::PhysicalDeviceDescriptorIndexingFeatures::default()
        .runtime_descriptor_array(true)
        .descriptor_binding_variable_descriptor_count(true)
        .descriptor_binding_storage_buffer_update_after_bind(true)
        .shader_uniform_buffer_array_non_uniform_indexing(true)
        .shader_storage_buffer_array_non_uniform_indexing(true)
        .shader_sampled_image_array_non_uniform_indexing(true)
        .shader_storage_image_array_non_uniform_indexing(true)
        .shader_uniform_texel_buffer_array_non_uniform_indexing(true)
        .shader_storage_texel_buffer_array_non_uniform_indexing(true);
    let names = [ash::ext::descriptor_indexing::NAME.as_ptr()];
    let info = vk::DeviceCreateInfo::default()
        .enabled_extension_names(&names)
        .push_next(&mut features);
    Device::create(Instance::new(), info)
}

fn set_layout(device: &Device) -> vk::DescriptorSetLayout {
    let bindings: Vec<_> = (0..)
        .zip(BINDINGS)
        .map(|(binding, (ty, count))| {
            vk::DescriptorSetLayoutBinding::default()
                .binding(binding)
                .descriptor_type(ty)
                .descriptor_count(count)
                .stage_flags(vk::ShaderStageFlags::COMPUTE)
        })
        .collect();
    let mut flags = [vk::DescriptorBindingFlags::empty(); 7];
    flags[2] = vk::DescriptorBindingFlags::UPDATE_AFTER_BIND;
    flags[6] = vk::DescriptorBindingFlags::VARIABLE_DESCRIPTOR_COUNT;
    let mut flags = vk::DescriptorSetLayoutBindingFlagsCreateInfo::default().binding_flags(&flags);
    let info = vk::DescriptorSetLayoutCreateInfo::default()
        .flags(vk::DescriptorSetLayoutCreateFlags::UPDATE_AFTER_BIND_POOL)
        .bindings(&bindings)
        .push_next(&mut flags);
    // SAFETY: the structure is valid.
    unsafe { device.raw.create_descriptor_set_layout(&info, None) }.expect("a layout")
}

/// A pool with one set, whose array of variable size has two elements: the last bytes of the pool's memory.
fn set(device: &Device, layout: vk::DescriptorSetLayout) -> (vk::DescriptorPool, vk::DescriptorSet) {
    let sizes = BINDINGS.map(|(ty, count)| vk::DescriptorPoolSize {
        ty,
        descriptor_count: count.min(4),
    });
    let info = vk::DescriptorPoolCreateInfo::default()
        .flags(vk::DescriptorPoolCreateFlags::UPDATE_AFTER_BIND)
        .max_sets(1)
        .pool_sizes(&sizes);
    let mut counts = vk::DescriptorSetVariableDescriptorCountAllocateInfo::default().descriptor_counts(&[2]);
    // SAFETY: the structures are valid.
    unsafe {
        let pool = device.raw.create_descriptor_pool(&info, None).expect("a pool");
        let layouts = [layout];
        let info = vk::DescriptorSetAllocateInfo::default()
            .descriptor_pool(pool)
            .set_layouts(&layouts);
        let sets = device
            .raw
            .allocate_descriptor_sets(&info.push_next(&mut counts))
            .expect("a set");
        (pool, sets[0])
    }
}

#[test]
fn each_lane_finds_its_element() {
    let device = device();
    let raw = &device.raw;
    let layout = set_layout(&device);
    let (pipeline_layout, pipeline) =
        compute::pipeline(&device, SHADER, &[layout], vk::PipelineCreateFlags::empty());
    let (pool, set) = set(&device, layout);
    let out = Buffer::new(&device, LANES as usize * 4);
    let buffers: Vec<Vec<Buffer>> = [1, 2, 3, 4]
        .map(|first| {
            (0..4)
                .map(|n| Buffer::with(&device, &compute::words([first + n; 4])))
                .collect()
        })
        .into();
    let textures: Vec<_> = [5, 6, 7, 8, 30, 40]
        .map(|first| compute::texture(&device, first))
        .into();
    let infos = |b: &[Buffer]| -> Vec<_> {
        b.iter()
            .map(|b| vk::DescriptorBufferInfo {
                buffer: b.raw,
                offset: 0,
                range: vk::WHOLE_SIZE,
            })
            .collect()
    };
    let views = |b: &[Buffer]| -> Vec<_> {
        let view = |b: &Buffer| {
            let info = vk::BufferViewCreateInfo::default()
                .buffer(b.raw)
                .format(vk::Format::R32_UINT)
                .range(16);
            // SAFETY: the structure is valid.
            unsafe { raw.create_buffer_view(&info, None) }.expect("a view")
        };
        b.iter().map(view).collect()
    };
    // SAFETY: the structure is valid.
    let sampler = unsafe { raw.create_sampler(&vk::SamplerCreateInfo::default(), None) }.expect("a sampler");
    let image = |t: &compute::Texture| vk::DescriptorImageInfo {
        sampler,
        image_view: t.view,
        image_layout: vk::ImageLayout::GENERAL,
    };
    let images: Vec<_> = textures.iter().map(image).collect();
    let (uniforms, storages) = (infos(&buffers[0]), infos(&buffers[1]));
    let (texels, stored) = (views(&buffers[2]), views(&buffers[3]));
    let result = infos(std::slice::from_ref(&out));
    let write = |binding: u32| {
        let ty = BINDINGS[binding as usize].0;
        vk::WriteDescriptorSet::default()
            .dst_set(set)
            .dst_binding(binding)
            .descriptor_type(ty)
    };
    let commands = Commands::new(&device);
    // SAFETY: everything is alive until the work is done; binding 2 may be written after binding.
    unsafe {
        raw.update_descriptor_sets(
            &[
                write(0).buffer_info(&result),
                write(1).buffer_info(&uniforms),
                write(3).texel_buffer_view(&texels),
                write(4).texel_buffer_view(&stored),
                write(5).image_info(&images[..4]),
                write(6).image_info(&images[4..]),
            ],
            &[],
        );
        commands.record(&device, |cb| {
            raw.cmd_bind_pipeline(cb, vk::PipelineBindPoint::COMPUTE, pipeline);
            raw.cmd_bind_descriptor_sets(
                cb,
                vk::PipelineBindPoint::COMPUTE,
                pipeline_layout,
                0,
                &[set],
                &[],
            );
            raw.cmd_dispatch(cb, 1, 1, 1);
        });
        raw.update_descriptor_sets(&[write(2).buffer_info(&storages)], &[]);
    }
    commands.run(&device).expect("done");
    let expected: Vec<u32> = (0..LANES)
        .map(|lane| {
            let n = lane * 7 % 4;
            let sum = (1..=5).fold(0, |sum, first| sum * 10 + first + n);
            if lane % 3 == 0 {
                sum * 10 + [33, 43][lane as usize % 2]
            } else {
                sum
            }
        })
        .collect();
    assert_eq!(out.words(), expected);
    assert!((0..4).all(|n| buffers[1][n as usize].words()[0] == 2 + n + LANES / 4));
    // SAFETY: no work is pending.
    unsafe {
        commands.destroy(&device);
        texels
            .into_iter()
            .chain(stored)
            .for_each(|v| raw.destroy_buffer_view(v, None));
        raw.destroy_sampler(sampler, None);
        raw.destroy_descriptor_pool(pool, None);
        raw.destroy_pipeline(pipeline, None);
        raw.destroy_pipeline_layout(pipeline_layout, None);
        raw.destroy_descriptor_set_layout(layout, None);
    }
    textures.into_iter().for_each(|t| t.destroy(&device));
    buffers
        .into_iter()
        .flatten()
        .chain([out])
        .for_each(|b| b.destroy(&device));
}
