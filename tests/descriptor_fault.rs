//! Descriptors whose bytes are damaged or of another type: the device is lost, and the report names the descriptor.

mod common;

use common::{
    Device, compute,
    fault::{Report, address, device},
    pipeline::{BufferSet, Pipeline},
    vk,
    work::{Buffer, Commands},
};
use vk::DescriptorType as Type;

const SHADER: &[u8] = include_bytes!("../shaders/test/hostile.comp.spv");
/// Types of the bindings of set 0.
const TYPES: [Type; 13] = [
    Type::UNIFORM_BUFFER,
    Type::STORAGE_BUFFER,
    Type::UNIFORM_TEXEL_BUFFER,
    Type::STORAGE_TEXEL_BUFFER,
    Type::STORAGE_TEXEL_BUFFER,
    Type::SAMPLED_IMAGE,
    Type::SAMPLER,
    Type::COMBINED_IMAGE_SAMPLER,
    Type::COMBINED_IMAGE_SAMPLER,
    Type::STORAGE_IMAGE,
    Type::STORAGE_IMAGE,
    Type::COMBINED_IMAGE_SAMPLER,
    Type::SAMPLED_IMAGE,
];

fn descriptor_device() -> (Device, ash::ext::descriptor_buffer::Device) {
    let device = device(&[
        ash::ext::descriptor_indexing::NAME,
        ash::khr::synchronization2::NAME,
        ash::ext::descriptor_buffer::NAME,
    ]);
    let functions = ash::ext::descriptor_buffer::Device::new(&device.instance.raw, &device.raw);
    (device, functions)
}

fn set_layout(device: &Device) -> vk::DescriptorSetLayout {
    let bindings: Vec<_> = (0..)
        .zip(TYPES)
        .map(|(binding, ty)| {
            vk::DescriptorSetLayoutBinding::default()
                .binding(binding)
                .descriptor_type(ty)
                .descriptor_count(1)
                .stage_flags(vk::ShaderStageFlags::COMPUTE)
        })
        .collect();
    let info = vk::DescriptorSetLayoutCreateInfo::default()
        .flags(vk::DescriptorSetLayoutCreateFlags::DESCRIPTOR_BUFFER_EXT)
        .bindings(&bindings);
    // SAFETY: the structure is valid.
    unsafe { device.raw.create_descriptor_set_layout(&info, None) }.expect("a layout")
}

/// Uses the descriptor of a binding, made by the driver and then changed by `damage`: what is reported, and how far
/// behind the descriptor's first byte.
fn used(binding: u32, damage: impl FnOnce(&mut [u8])) -> (Report, u64) {
    let (device, functions) = descriptor_device();
    let raw = &device.raw;
    let layout = set_layout(&device);
    let texture = compute::texture(&device, 1);
    // SAFETY: the structure is valid.
    let sampler = unsafe { raw.create_sampler(&vk::SamplerCreateInfo::default(), None) }.expect("a sampler");
    let image = vk::DescriptorImageInfo {
        sampler,
        image_view: texture.view,
        image_layout: vk::ImageLayout::GENERAL,
    };
    let data = Buffer::new(&device, 1024);
    let info = vk::DescriptorAddressInfoEXT::default()
        .address(address(&device, &data))
        .range(1024);
    let ty = TYPES[binding as usize];
    let (size, data_of) = match ty {
        Type::UNIFORM_BUFFER => (
            16,
            vk::DescriptorDataEXT {
                p_uniform_buffer: &info,
            },
        ),
        Type::SAMPLED_IMAGE => (
            64,
            vk::DescriptorDataEXT {
                p_sampled_image: &image,
            },
        ),
        _ => (
            96,
            vk::DescriptorDataEXT {
                p_combined_image_sampler: &image,
            },
        ),
    };
    let get = vk::DescriptorGetInfoEXT::default().ty(ty).data(data_of);
    // SAFETY: the layout has the binding, and there is room for the descriptor.
    let (mut bytes, offset) = unsafe {
        let mut bytes = vec![0; functions.get_descriptor_set_layout_size(layout) as usize];
        let offset = functions.get_descriptor_set_layout_binding_offset(layout, binding) as usize;
        functions.get_descriptor(&get, &mut bytes[offset..offset + size]);
        (bytes, offset)
    };
    damage(&mut bytes[offset..offset + size]);
    let set = Buffer::with(&device, &bytes);
    let at = address(&device, &set) + offset as u64;
    let out = Buffer::new(&device, 32);
    let result = BufferSet::new(&device, Type::STORAGE_BUFFER, &out, 32);
    let pipeline_layout = Pipeline::layout(&device, &[layout, result.layout], 8);
    let pipeline = Pipeline::compute(&device, SHADER, pipeline_layout);
    let commands = Commands::new(&device);
    let point = vk::PipelineBindPoint::COMPUTE;
    let push: Vec<u8> = [binding, 0].iter().flat_map(|w| w.to_le_bytes()).collect();
    commands.record(&device, |cb| {
        let buffers = [vk::DescriptorBufferBindingInfoEXT::default().address(address(&device, &set))];
        // SAFETY: everything is alive; what the descriptor says is what is tested.
        unsafe {
            raw.cmd_bind_pipeline(cb, point, pipeline.raw);
            raw.cmd_bind_descriptor_sets(cb, point, pipeline_layout, 1, &[result.set], &[]);
            functions.cmd_bind_descriptor_buffers(cb, &buffers);
            functions.cmd_set_descriptor_buffer_offsets(cb, point, pipeline_layout, 0, &[0], &[0]);
            raw.cmd_push_constants(cb, pipeline_layout, vk::ShaderStageFlags::ALL, 0, &push);
            raw.cmd_dispatch(cb, 1, 1, 1);
        }
    });
    let run = commands.run(&device);
    assert_eq!(run, Err(vk::Result::ERROR_DEVICE_LOST), "binding {binding}");
    let report = Report::of(&device);
    let behind = report.addresses[0].1.wrapping_sub(at);
    commands.destroy(&device);
    pipeline.destroy(&device);
    result.destroy(&device);
    texture.destroy(&device);
    // SAFETY: the device is lost; nothing is in use.
    unsafe {
        raw.destroy_sampler(sampler, None);
        raw.destroy_descriptor_set_layout(layout, None);
    }
    [data, set, out].into_iter().for_each(|b| b.destroy(&device));
    (report, behind)
}

/// Checks that a report is about the bytes of a descriptor, and names it.
fn check(what: &str, (report, behind): (Report, u64), binding: u32, at: u64) {
    assert_eq!(behind, at, "{what}: {}", report.description);
    let attribution = report.attribution();
    assert_eq!(attribution.problem, "descriptor", "{what}");
    let named = &attribution.bindings[0];
    assert_eq!((named.set, named.binding), (Some(0), Some(binding)), "{what}");
    assert!(named.kind.starts_with("bytes of a "), "{what}: {}", named.kind);
    assert!(
        report.description.contains("no descriptor"),
        "{what}: {}",
        report.description
    );
}

#[test]
fn damaged_bytes_are_named() {
    check("an image", used(5, |bytes| bytes[15] ^= 0x40), 5, 0);
    check("noise", used(5, |bytes| bytes.fill(0x5a)), 5, 0);
    let buffer = |bytes: &mut [u8]| bytes[8..16].copy_from_slice(&1024_u64.to_le_bytes());
    check("a buffer", used(5, buffer), 5, 0);
    // A buffer's descriptor: noise, another type's bytes, and none of it where a null descriptor would have zeros.
    check("noise", used(0, |bytes| bytes.fill(0x5a)), 0, 0);
    check("a mark", used(0, |bytes| bytes[13] ^= 8), 0, 0);
    check("no mark", used(0, |bytes| bytes[12..16].fill(0)), 0, 0);
    check("a sampler", used(7, |bytes| bytes[64 + 3] ^= 0x40), 7, 64);
}

#[test]
fn a_wild_address_is_reported_with_the_descriptor_it_is_in() {
    let wild = 0x7e00_0000_0000_u64;
    let (report, _) = used(0, |bytes| bytes[..8].copy_from_slice(&wild.to_le_bytes()));
    assert_eq!(report.addresses[0].1 & !0xfff, wild);
    let named = &report.attribution().bindings[0];
    assert_eq!((named.set, named.binding), (Some(0), Some(0)));
}
