//! `VK_KHR_maintenance5` through the loader.

mod common;

use common::{
    Device, Instance,
    pipeline::{BufferSet, Pipeline},
    vk,
    work::{Buffer, Commands, Image, ImageDesc, run, whole},
};

fn device() -> Device {
    let mut five = vk::PhysicalDeviceMaintenance5FeaturesKHR::default().maintenance5(true);
    let mut rendering = vk::PhysicalDeviceDynamicRenderingFeatures::default().dynamic_rendering(true);
    let names = [
        ash::khr::maintenance5::NAME.as_ptr(),
        ash::khr::dynamic_rendering::NAME.as_ptr(),
        ash::khr::depth_stencil_resolve::NAME.as_ptr(),
        ash::khr::create_renderpass2::NAME.as_ptr(),
    ];
    let info = vk::DeviceCreateInfo::default()
        .enabled_extension_names(&names)
        .push_next(&mut five)
        .push_next(&mut rendering);
    Device::create(Instance::new(), info)
}

/// Clears an image to a color and gives its bytes.
fn cleared(device: &Device, format: vk::Format, color: [f32; 4], bytes: usize) -> Vec<u8> {
    let image = Image::new(device, &ImageDesc::new(format, [4, 4, 1]));
    let out = Buffer::new(device, bytes);
    run(device, |cb| {
        let aspect = vk::ImageAspectFlags::COLOR;
        let color = vk::ClearColorValue { float32: color };
        // SAFETY: the copy lies within image and buffer.
        unsafe {
            let range = [common::work::all(aspect)];
            device
                .raw
                .cmd_clear_color_image(cb, image.raw, vk::ImageLayout::GENERAL, &color, &range);
            // All layers, which this extension allows to say.
            let mut copy = whole(aspect, [4, 4, 1]);
            copy.image_subresource.layer_count = vk::REMAINING_ARRAY_LAYERS;
            device
                .raw
                .cmd_copy_image_to_buffer(cb, image.raw, vk::ImageLayout::GENERAL, out.raw, &[copy]);
        }
    });
    let bytes = out.bytes();
    out.destroy(device);
    image.destroy(device);
    bytes
}

#[test]
fn the_new_formats_are_stored_as_their_names_say() {
    let device = device();
    let alpha = cleared(&device, vk::Format::A8_UNORM_KHR, [1.0, 1.0, 1.0, 0.2], 16);
    assert_eq!(alpha, [51; 16]);
    let packed = cleared(
        &device,
        vk::Format::A1B5G5R5_UNORM_PACK16_KHR,
        [1.0, 0.0, 0.0, 1.0],
        32,
    );
    assert_eq!(packed[..2], 0x801f_u16.to_le_bytes());
}

#[test]
fn layouts_are_told_without_an_image() {
    let device = device();
    let functions = ash::khr::maintenance5::Device::new(&device.instance.raw, &device.raw);
    let info = vk::ImageCreateInfo::default()
        .image_type(vk::ImageType::TYPE_2D)
        .format(vk::Format::R8G8B8A8_UNORM)
        .extent(vk::Extent3D {
            width: 33,
            height: 7,
            depth: 1,
        })
        .mip_levels(1)
        .array_layers(1)
        .samples(vk::SampleCountFlags::TYPE_1)
        .tiling(vk::ImageTiling::LINEAR)
        .usage(vk::ImageUsageFlags::TRANSFER_DST);
    let subresource = vk::ImageSubresource2KHR::default().image_subresource(vk::ImageSubresource {
        aspect_mask: vk::ImageAspectFlags::COLOR,
        mip_level: 0,
        array_layer: 0,
    });
    let asked = vk::DeviceImageSubresourceInfoKHR::default()
        .create_info(&info)
        .subresource(&subresource);
    let (mut without, mut with) = (
        vk::SubresourceLayout2KHR::default(),
        vk::SubresourceLayout2KHR::default(),
    );
    // SAFETY: the structures are valid; the image is destroyed.
    unsafe {
        functions.get_device_image_subresource_layout(&asked, &mut without);
        let image = device.raw.create_image(&info, None).expect("an image");
        functions.get_image_subresource_layout2(image, &subresource, &mut with);
        device.raw.destroy_image(image, None);
        let area = vk::RenderingAreaInfoKHR::default();
        let granularity = functions.get_rendering_area_granularity(&area);
        assert_eq!((granularity.width, granularity.height), (1, 1));
    }
    let (a, b) = (without.subresource_layout, with.subresource_layout);
    assert_eq!((a.offset, a.size, a.row_pitch), (b.offset, b.size, b.row_pitch));
    assert!(a.row_pitch >= 33 * 4);
}

#[test]
fn flags_and_usage_have_structures_of_their_own() {
    let device = device();
    let usage = vk::BufferUsageFlags2KHR::STORAGE_BUFFER | vk::BufferUsageFlags2KHR::TRANSFER_DST;
    let mut more = vk::BufferUsageFlags2CreateInfoKHR::default().usage(usage);
    let info = vk::BufferCreateInfo::default().size(64).push_next(&mut more);
    // SAFETY: the structures are valid.
    unsafe {
        let buffer = device.raw.create_buffer(&info, None).expect("a buffer");
        device.raw.destroy_buffer(buffer, None);
    }
    // A module in the chain of its stage, and flags that forbid to compile it.
    let code = common::pipeline::words(include_bytes!("../shaders/test/poke.comp.spv"));
    let out = Buffer::new(&device, 4);
    let set = BufferSet::new(&device, vk::DescriptorType::STORAGE_BUFFER, &out, 4);
    let layout = Pipeline::layout(&device, &[set.layout], 12);
    for (flags, result) in [
        (
            vk::PipelineCreateFlags2KHR::DISABLE_OPTIMIZATION,
            vk::Result::SUCCESS,
        ),
        (
            vk::PipelineCreateFlags2KHR::FAIL_ON_PIPELINE_COMPILE_REQUIRED,
            vk::Result::PIPELINE_COMPILE_REQUIRED_EXT,
        ),
    ] {
        let mut module = vk::ShaderModuleCreateInfo::default().code(&code);
        let mut flags = vk::PipelineCreateFlags2CreateInfoKHR::default().flags(flags);
        let stage = vk::PipelineShaderStageCreateInfo::default()
            .stage(vk::ShaderStageFlags::COMPUTE)
            .name(c"main")
            .push_next(&mut module);
        let info = [vk::ComputePipelineCreateInfo::default()
            .stage(stage)
            .layout(layout)
            .push_next(&mut flags)];
        // SAFETY: the structures are valid; pipelines are destroyed, null ones too.
        unsafe {
            let made = device
                .raw
                .create_compute_pipelines(vk::PipelineCache::null(), &info, None);
            let (pipelines, code) = match made {
                Ok(pipelines) => (pipelines, vk::Result::SUCCESS),
                Err(failed) => failed,
            };
            assert_eq!(code, result);
            for pipeline in pipelines {
                device.raw.destroy_pipeline(pipeline, None);
            }
        }
    }
    // SAFETY: nothing uses the layout.
    unsafe { device.raw.destroy_pipeline_layout(layout, None) };
    set.destroy(&device);
    out.destroy(&device);
}

#[test]
fn an_index_buffer_can_be_a_part_of_a_buffer() {
    let device = device();
    let functions = ash::khr::maintenance5::Device::new(&device.instance.raw, &device.raw);
    let buffer = Buffer::new(&device, 64);
    let commands = Commands::new(&device);
    // SAFETY: the range lies in the buffer.
    commands.record(&device, |cb| unsafe {
        functions.cmd_bind_index_buffer2(cb, buffer.raw, 8, 16, vk::IndexType::UINT16);
        functions.cmd_bind_index_buffer2(cb, buffer.raw, 8, vk::WHOLE_SIZE, vk::IndexType::UINT32);
    });
    commands.run(&device).expect("done");
    commands.destroy(&device);
    buffer.destroy(&device);
}

#[test]
fn commands_of_later_versions_are_not_there() {
    let device = device();
    let get = device.instance.raw.fp_v1_0().get_device_proc_addr;
    let there = |name: &std::ffi::CStr| {
        // SAFETY: the device is alive and the name a C string.
        unsafe { get(device.raw.handle(), name.as_ptr()) }.is_some()
    };
    assert!(there(c"vkGetImageSubresourceLayout2KHR") && there(c"vkQueueSubmit"));
    // The application asked for Vulkan 1.3: what 1.4 took over has only the names of its extensions.
    assert!(there(c"vkQueueSubmit2") && there(c"vkGetSemaphoreCounterValue"));
    assert!(!there(c"vkGetImageSubresourceLayout2") && !there(c"vkCmdBindIndexBuffer2"));
    assert!(!there(c"vkGetDeviceFaultInfoEXT"));
}
