//! More of descriptors: samplers that are part of a layout, push constants by a structure, null index buffers, a million
//! descriptors in a set, and one that is damaged among those that lanes choose by themselves.

mod common;

use common::{
    Device, Instance, compute,
    fault::{Report, address, same_with_all_settings},
    pipeline::{BufferSet, Pipeline},
    scene::{Options, Scene},
    vk,
    work::{Buffer, Commands, run},
};
use std::ffi::CStr;
use vk::DescriptorType as Type;

const MANY: &[u8] = include_bytes!("../shaders/test/many.comp.spv");
const EMBEDDED: &[u8] = include_bytes!("../shaders/test/embedded.comp.spv");
const COMPUTE: vk::PipelineBindPoint = vk::PipelineBindPoint::COMPUTE;
const ALL: vk::ShaderStageFlags = vk::ShaderStageFlags::ALL;
const LANES: u32 = 16;
const MILLION: u32 = 1_000_000;

fn device() -> Device {
    let mut addresses = vk::PhysicalDeviceBufferDeviceAddressFeatures::default().buffer_device_address(true);
    let mut buffers = vk::PhysicalDeviceDescriptorBufferFeaturesEXT::default().descriptor_buffer(true);
    let mut six = vk::PhysicalDeviceMaintenance6FeaturesKHR::default().maintenance6(true);
    let mut sync = vk::PhysicalDeviceSynchronization2Features::default().synchronization2(true);
    let mut fault = vk::PhysicalDeviceFaultFeaturesEXT::default()
        .device_fault(true)
        .device_fault_vendor_binary(true);
    let mut indexing = vk::PhysicalDeviceDescriptorIndexingFeatures::default()
        .runtime_descriptor_array(true)
        .descriptor_binding_partially_bound(true)
        .descriptor_binding_variable_descriptor_count(true)
        .descriptor_binding_storage_buffer_update_after_bind(true)
        .shader_storage_buffer_array_non_uniform_indexing(true);
    let names = [
        ash::khr::buffer_device_address::NAME,
        ash::ext::descriptor_indexing::NAME,
        ash::khr::synchronization2::NAME,
        ash::ext::descriptor_buffer::NAME,
        ash::khr::maintenance6::NAME,
        ash::ext::device_fault::NAME,
    ]
    .map(CStr::as_ptr);
    let info = vk::DeviceCreateInfo::default()
        .enabled_extension_names(&names)
        .push_next(&mut addresses)
        .push_next(&mut buffers)
        .push_next(&mut six)
        .push_next(&mut sync)
        .push_next(&mut fault)
        .push_next(&mut indexing);
    Device::create(Instance::new(), info)
}

/// A set layout of one binding.
fn layout(
    device: &Device,
    flags: vk::DescriptorSetLayoutCreateFlags,
    (binding, ty, count): (u32, Type, u32),
    samplers: &[vk::Sampler],
) -> vk::DescriptorSetLayout {
    let mut bindings = [vk::DescriptorSetLayoutBinding::default()
        .binding(binding)
        .descriptor_type(ty)
        .descriptor_count(count)
        .stage_flags(ALL)];
    if !samplers.is_empty() {
        bindings[0] = bindings[0].immutable_samplers(samplers);
    }
    let after = vk::DescriptorBindingFlags::UPDATE_AFTER_BIND
        | vk::DescriptorBindingFlags::PARTIALLY_BOUND
        | vk::DescriptorBindingFlags::VARIABLE_DESCRIPTOR_COUNT;
    let binding_flags = [after];
    let mut binding_flags =
        vk::DescriptorSetLayoutBindingFlagsCreateInfo::default().binding_flags(&binding_flags);
    let mut info = vk::DescriptorSetLayoutCreateInfo::default()
        .flags(flags)
        .bindings(&bindings);
    if flags.contains(vk::DescriptorSetLayoutCreateFlags::UPDATE_AFTER_BIND_POOL) {
        info = info.push_next(&mut binding_flags);
    }
    // SAFETY: the structures are valid.
    unsafe { device.raw.create_descriptor_set_layout(&info, None) }.expect("a layout")
}

#[test]
fn embedded_samplers_and_push_constants_by_structures() {
    let device = device();
    let raw = &device.raw;
    let functions = ash::ext::descriptor_buffer::Device::new(&device.instance.raw, raw);
    let six = ash::khr::maintenance6::Device::new(&device.instance.raw, raw);
    let info = vk::SamplerCreateInfo::default()
        .address_mode_u(vk::SamplerAddressMode::CLAMP_TO_BORDER)
        .border_color(vk::BorderColor::INT_OPAQUE_WHITE);
    // SAFETY: the structure is valid.
    let sampler = unsafe { raw.create_sampler(&info, None) }.expect("a sampler");
    let buffers = vk::DescriptorSetLayoutCreateFlags::DESCRIPTOR_BUFFER_EXT;
    let embedded = buffers | vk::DescriptorSetLayoutCreateFlags::EMBEDDED_IMMUTABLE_SAMPLERS_EXT;
    let layouts = [
        layout(&device, buffers, (0, Type::STORAGE_BUFFER, 1), &[]),
        layout(&device, buffers, (0, Type::SAMPLED_IMAGE, 1), &[]),
        layout(&device, embedded, (1, Type::SAMPLER, 1), &[sampler]),
    ];
    let pipeline_layout = Pipeline::layout(&device, &layouts, 8);
    let pipeline = Pipeline::compute(&device, EMBEDDED, pipeline_layout);
    let texture = compute::texture(&device, 70);
    let out = Buffer::new(&device, 12);
    let result = vk::DescriptorAddressInfoEXT::default()
        .address(address(&device, &out))
        .range(12);
    let image = vk::DescriptorImageInfo {
        image_view: texture.view,
        image_layout: vk::ImageLayout::GENERAL,
        ..Default::default()
    };
    let buffer_data = vk::DescriptorDataEXT {
        p_storage_buffer: &result,
    };
    let image_data = vk::DescriptorDataEXT {
        p_sampled_image: &image,
    };
    // The image's descriptor lies at the least offset that a set can have.
    let mut bytes = [0; 256 + 64];
    let get = |ty, data, to: &mut [u8]| {
        let info = vk::DescriptorGetInfoEXT::default().ty(ty).data(data);
        // SAFETY: the data is of the type, and the sizes are those that the device tells.
        unsafe { functions.get_descriptor(&info, to) };
    };
    get(Type::STORAGE_BUFFER, buffer_data, &mut bytes[..16]);
    get(Type::SAMPLED_IMAGE, image_data, &mut bytes[256..]);
    let sets = Buffer::with(&device, &bytes);
    run(&device, |cb| {
        let bound = [vk::DescriptorBufferBindingInfoEXT::default().address(address(&device, &sets))];
        let offsets = vk::SetDescriptorBufferOffsetsInfoEXT {
            stage_flags: ALL,
            layout: pipeline_layout,
            set_count: 2,
            p_buffer_indices: [0, 0].as_ptr(),
            p_offsets: [0, 256].as_ptr(),
            ..Default::default()
        };
        let samplers = vk::BindDescriptorBufferEmbeddedSamplersInfoEXT::default()
            .stage_flags(ALL)
            .layout(pipeline_layout)
            .set(2);
        // SAFETY: everything is alive until the work is done.
        unsafe {
            raw.cmd_bind_pipeline(cb, COMPUTE, pipeline.raw);
            functions.cmd_bind_descriptor_buffers(cb, &bound);
            six.cmd_set_descriptor_buffer_offsets2(cb, &offsets);
            six.cmd_bind_descriptor_buffer_embedded_samplers2(cb, &samplers);
            for (slot, x) in (0_u32..).zip([0.25_f32, 0.75, 1.5]) {
                let push = |offset, values: &[u8]| {
                    let info = vk::PushConstantsInfoKHR::default()
                        .stage_flags(ALL)
                        .layout(pipeline_layout)
                        .offset(offset)
                        .values(values);
                    six.cmd_push_constants2(cb, &info);
                };
                push(0, &x.to_le_bytes());
                push(4, &slot.to_le_bytes());
                raw.cmd_dispatch(cb, 1, 1, 1);
            }
        }
    });
    assert_eq!(out.words(), [70, 71, 1]);
    pipeline.destroy(&device);
    texture.destroy(&device);
    // SAFETY: no work is pending.
    unsafe {
        raw.destroy_sampler(sampler, None);
        layouts
            .into_iter()
            .for_each(|l| raw.destroy_descriptor_set_layout(l, None));
    }
    [sets, out].into_iter().for_each(|b| b.destroy(&device));
}

#[test]
fn indices_of_no_buffer_are_zero() {
    let mut six = vk::PhysicalDeviceMaintenance6FeaturesKHR::default().maintenance6(true);
    let mut robust = vk::PhysicalDeviceRobustness2FeaturesEXT::default().null_descriptor(true);
    let names = [ash::khr::maintenance6::NAME, ash::ext::robustness2::NAME].map(CStr::as_ptr);
    let info = vk::DeviceCreateInfo::default()
        .enabled_extension_names(&names)
        .push_next(&mut six)
        .push_next(&mut robust);
    let scene = Scene::on(Device::create(Instance::new(), info), Options::default());
    let raw = &scene.device.raw;
    let quarters = scene.draw(|cb| {
        // SAFETY: the draws stay within the buffers.
        unsafe {
            raw.cmd_draw_indexed(cb, 6, 1, 0, 0, 0);
            raw.cmd_bind_index_buffer(cb, vk::Buffer::null(), 0, vk::IndexType::UINT16);
            // Triangles of one vertex cover nothing.
            raw.cmd_draw_indexed(cb, 6, 1, 0, 4, 1);
            raw.cmd_bind_index_buffer(cb, scene.indices.raw, 0, vk::IndexType::UINT16);
            raw.cmd_draw_indexed(cb, 6, 1, 0, 8, 2);
        }
    });
    assert_eq!(quarters, [common::scene::RED, 0, common::scene::BLUE, 0]);
}

/// What the shader makes of elements that hold their number plus 1.
fn sums() -> Vec<u32> {
    let of = |lane: u32| (0..=lane % 3).fold(0, |sum, turn| sum * 100 + (lane + 5 * turn) % LANES + 1);
    (0..LANES).map(of).collect()
}

#[test]
fn a_million_descriptors_are_chosen_by_lanes() {
    let device = device();
    let raw = &device.raw;
    let after = vk::DescriptorSetLayoutCreateFlags::UPDATE_AFTER_BIND_POOL;
    let many = layout(&device, after, (3, Type::STORAGE_BUFFER, MILLION), &[]);
    let out = Buffer::new(&device, LANES as usize * 4);
    let result = BufferSet::new(&device, Type::STORAGE_BUFFER, &out, vk::WHOLE_SIZE);
    let pipeline_layout = Pipeline::layout(&device, &[result.layout, many], 4);
    let pipeline = Pipeline::compute(&device, MANY, pipeline_layout);
    let sizes = [vk::DescriptorPoolSize {
        ty: Type::STORAGE_BUFFER,
        descriptor_count: MILLION,
    }];
    let pool = vk::DescriptorPoolCreateInfo::default()
        .flags(vk::DescriptorPoolCreateFlags::UPDATE_AFTER_BIND)
        .max_sets(1)
        .pool_sizes(&sizes);
    // SAFETY: the structure is valid.
    let pool = unsafe { raw.create_descriptor_pool(&pool, None) }.expect("a pool");
    let mut counts = vk::DescriptorSetVariableDescriptorCountAllocateInfo::default();
    let (count, layouts) = ([MILLION], [many]);
    counts = counts.descriptor_counts(&count);
    let info = vk::DescriptorSetAllocateInfo::default()
        .descriptor_pool(pool)
        .set_layouts(&layouts)
        .push_next(&mut counts);
    // SAFETY: the structure is valid.
    let set = unsafe { raw.allocate_descriptor_sets(&info) }.expect("a set")[0];
    let values = Buffer::with(&device, &compute::words((0..LANES * 16).map(|w| w / 16 + 1)));
    // The last lane's element is the last one.
    let stride = (MILLION - 1) / (LANES - 1);
    let commands = Commands::new(&device);
    // SAFETY: everything is alive until the work is done; the set may be written after binding.
    unsafe {
        commands.record(&device, |cb| {
            raw.cmd_bind_pipeline(cb, COMPUTE, pipeline.raw);
            raw.cmd_bind_descriptor_sets(cb, COMPUTE, pipeline_layout, 0, &[result.set, set], &[]);
            raw.cmd_push_constants(cb, pipeline_layout, ALL, 0, &stride.to_le_bytes());
            raw.cmd_dispatch(cb, 1, 1, 1);
        });
        for n in 0..LANES {
            let info = [vk::DescriptorBufferInfo {
                buffer: values.raw,
                offset: u64::from(n) * 64,
                range: 4,
            }];
            let write = vk::WriteDescriptorSet::default()
                .dst_set(set)
                .dst_binding(3)
                .dst_array_element(n * stride)
                .descriptor_type(Type::STORAGE_BUFFER)
                .buffer_info(&info);
            raw.update_descriptor_sets(&[write], &[]);
        }
    }
    commands.run(&device).expect("done");
    assert_eq!(out.words(), sums());
    commands.destroy(&device);
    pipeline.destroy(&device);
    result.destroy(&device);
    // SAFETY: no work is pending.
    unsafe {
        raw.destroy_descriptor_pool(pool, None);
        raw.destroy_descriptor_set_layout(many, None);
    }
    [values, out].into_iter().for_each(|b| b.destroy(&device));
}

/// Lets lanes choose among 16 descriptors in a buffer, changed by `damage`: what is reported, if anything.
fn chosen(damage: impl FnOnce(&mut [u8])) -> Option<Report> {
    let device = device();
    let raw = &device.raw;
    let functions = ash::ext::descriptor_buffer::Device::new(&device.instance.raw, raw);
    let flags = vk::DescriptorSetLayoutCreateFlags::DESCRIPTOR_BUFFER_EXT;
    let layouts = [
        layout(&device, flags, (0, Type::STORAGE_BUFFER, 1), &[]),
        layout(&device, flags, (3, Type::STORAGE_BUFFER, LANES), &[]),
    ];
    let pipeline_layout = Pipeline::layout(&device, &layouts, 4);
    let pipeline = Pipeline::compute(&device, MANY, pipeline_layout);
    let out = Buffer::new(&device, LANES as usize * 4);
    let values = Buffer::with(&device, &compute::words((0..LANES * 16).map(|w| w / 16 + 1)));
    let descriptor = |at: u64, range: u64, to: &mut [u8]| {
        let info = vk::DescriptorAddressInfoEXT::default().address(at).range(range);
        let data = vk::DescriptorDataEXT {
            p_storage_buffer: &info,
        };
        let info = vk::DescriptorGetInfoEXT::default()
            .ty(Type::STORAGE_BUFFER)
            .data(data);
        // SAFETY: the data is of the type, and there is room for the descriptor.
        unsafe { functions.get_descriptor(&info, to) };
    };
    let mut bytes = vec![0; 256 + 16 * LANES as usize];
    descriptor(address(&device, &out), u64::from(LANES) * 4, &mut bytes[..16]);
    for (n, to) in (0..).zip(bytes[256..].chunks_mut(16)) {
        descriptor(address(&device, &values) + n * 64, 4, to);
    }
    damage(&mut bytes[256..]);
    let sets = Buffer::with(&device, &bytes);
    let commands = Commands::new(&device);
    commands.record(&device, |cb| {
        let bound = [vk::DescriptorBufferBindingInfoEXT::default().address(address(&device, &sets))];
        // SAFETY: everything is alive; what the descriptors say is what is tested.
        unsafe {
            raw.cmd_bind_pipeline(cb, COMPUTE, pipeline.raw);
            functions.cmd_bind_descriptor_buffers(cb, &bound);
            functions.cmd_set_descriptor_buffer_offsets(cb, COMPUTE, pipeline_layout, 0, &[0, 0], &[0, 256]);
            raw.cmd_push_constants(cb, pipeline_layout, ALL, 0, &1_u32.to_le_bytes());
            raw.cmd_dispatch(cb, 1, 1, 1);
        }
    });
    let report = match commands.run(&device) {
        Ok(()) => {
            assert_eq!(out.words(), sums());
            None
        }
        Err(error) => {
            assert_eq!(error, vk::Result::ERROR_DEVICE_LOST);
            Some(Report::of(&device))
        }
    };
    commands.destroy(&device);
    pipeline.destroy(&device);
    // SAFETY: no work is pending.
    unsafe {
        layouts
            .into_iter()
            .for_each(|l| raw.destroy_descriptor_set_layout(l, None));
    }
    [sets, values, out].into_iter().for_each(|b| b.destroy(&device));
    report
}

/// Checks that a report is about the bytes of the seventh element.
fn check(report: Option<Report>) {
    let report = report.expect("the device is lost");
    let attribution = report.attribution();
    assert_eq!(attribution.problem, "descriptor", "{}", report.description);
    let named = &attribution.bindings[0];
    assert_eq!(
        (named.set, named.binding, named.element),
        (Some(1), Some(3), Some(6)),
        "{}",
        report.description
    );
    assert_eq!(named.kind, "bytes of a storage buffer");
}

#[test]
fn one_that_is_damaged_is_named_among_those_that_lanes_choose() {
    assert!(chosen(|_| {}).is_none());
    // Only the mark is wrong, or missing.
    check(chosen(|bytes| bytes[6 * 16 + 12] ^= 1));
    check(chosen(|bytes| bytes[6 * 16 + 12..7 * 16].fill(0)));
}

#[test]
fn no_setting_changes_what_is_said_of_noise() {
    let dumps = same_with_all_settings("no_setting_changes_what_is_said_of_noise", || {
        check(chosen(|bytes| bytes[6 * 16..7 * 16].fill(0x5a)));
    });
    assert!(dumps == 1 || common::child::is_child());
}

#[test]
fn sparse_buffers_lie_where_their_data_says() {
    let core = vk::PhysicalDeviceFeatures::default().sparse_binding(true);
    let mut addresses = vk::PhysicalDeviceBufferDeviceAddressFeatures::default().buffer_device_address(true);
    let mut buffers = vk::PhysicalDeviceDescriptorBufferFeaturesEXT::default()
        .descriptor_buffer(true)
        .descriptor_buffer_capture_replay(true);
    let names = [
        ash::khr::buffer_device_address::NAME,
        ash::ext::descriptor_indexing::NAME,
        ash::khr::synchronization2::NAME,
        ash::ext::descriptor_buffer::NAME,
    ]
    .map(CStr::as_ptr);
    let info = vk::DeviceCreateInfo::default()
        .enabled_extension_names(&names)
        .enabled_features(&core)
        .push_next(&mut addresses)
        .push_next(&mut buffers);
    let device = Device::create(Instance::new(), info);
    let raw = &device.raw;
    let functions = ash::ext::descriptor_buffer::Device::new(&device.instance.raw, raw);
    let bda = ash::khr::buffer_device_address::Device::new(&device.instance.raw, raw);
    let make = |size, data: Option<&[u8]>| {
        let mut given = vk::OpaqueCaptureDescriptorDataCreateInfoEXT::default();
        given.opaque_capture_descriptor_data = data.map_or(std::ptr::null(), |data| data.as_ptr().cast());
        let mut info = vk::BufferCreateInfo::default()
            .flags(
                vk::BufferCreateFlags::SPARSE_BINDING
                    | vk::BufferCreateFlags::DESCRIPTOR_BUFFER_CAPTURE_REPLAY_EXT,
            )
            .size(size)
            .usage(vk::BufferUsageFlags::STORAGE_BUFFER | vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS);
        if data.is_some() {
            info = info.push_next(&mut given);
        }
        // SAFETY: the data is of the size that the device tells.
        unsafe { raw.create_buffer(&info, None) }
    };
    let at = |buffer| {
        // SAFETY: the buffer is alive.
        unsafe { bda.get_buffer_device_address(&vk::BufferDeviceAddressInfo::default().buffer(buffer)) }
    };
    let made = [1000, 1000].map(|size| make(size, None).expect("a buffer"));
    let (expected, mut data) = (made.map(at), [[0_u8; 64]; 2]);
    for (buffer, data) in made.into_iter().zip(&mut data) {
        let info = vk::BufferCaptureDescriptorDataInfoEXT::default().buffer(buffer);
        // SAFETY: there is room for the data; nothing uses the buffers.
        unsafe { functions.get_buffer_opaque_capture_descriptor_data(&info, data) }.expect("data");
    }
    // SAFETY: nothing uses the buffers.
    made.into_iter()
        .for_each(|b| unsafe { raw.destroy_buffer(b, None) });
    let second = make(1000, Some(&data[1])).expect("the second again");
    let invalid = Err(vk::Result::ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS);
    assert_eq!(make(1000, Some(&data[1])), invalid, "taken");
    assert_eq!(make(2000, Some(&data[0])), invalid, "of another size");
    let first = make(1000, Some(&data[0])).expect("the first again");
    assert_eq!([first, second].map(at), expected);
    // SAFETY: nothing uses the buffers.
    [first, second]
        .into_iter()
        .for_each(|b| unsafe { raw.destroy_buffer(b, None) });
}
