//! Copies between images and the test's own memory, without a command buffer.

mod common;

use common::{
    Device, Instance, vk,
    work::{Image, ImageDesc, layers},
};

const SIZE: u32 = 8;

#[test]
fn texels_go_into_images_and_come_back() {
    let names = [
        c"VK_EXT_host_image_copy".as_ptr(),
        c"VK_KHR_copy_commands2".as_ptr(),
        c"VK_KHR_format_feature_flags2".as_ptr(),
    ];
    let info = vk::DeviceCreateInfo::default().enabled_extension_names(&names);
    let device = Device::create(Instance::new(), info);
    let host = ash::ext::host_image_copy::Device::new(&device.instance.raw, &device.raw);
    let image = || {
        let desc = ImageDesc {
            usage: vk::ImageUsageFlags::HOST_TRANSFER_EXT,
            ..ImageDesc::new(vk::Format::R8G8B8A8_UNORM, [SIZE, SIZE, 1])
        };
        Image::new(&device, &desc)
    };
    let (first, second) = (image(), image());
    let texels: Vec<u32> = (0..SIZE * SIZE).map(|i| i * 0x0102_0305).collect();
    let whole = vk::Extent3D {
        width: SIZE,
        height: SIZE,
        depth: 1,
    };
    let color = layers(vk::ImageAspectFlags::COLOR);
    let general = vk::ImageLayout::GENERAL;
    let in_region = [vk::MemoryToImageCopyEXT {
        p_host_pointer: texels.as_ptr().cast(),
        image_subresource: color,
        image_extent: whole,
        ..Default::default()
    }];
    let between = [vk::ImageCopy2::default()
        .src_subresource(color)
        .dst_subresource(color)
        .extent(whole)];
    // A part, in rows that are longer than it.
    let mut part = vec![7_u32; 2 * 6];
    let out_region = [vk::ImageToMemoryCopyEXT {
        p_host_pointer: part.as_mut_ptr().cast(),
        memory_row_length: 6,
        image_subresource: color,
        image_offset: vk::Offset3D { x: 3, y: 2, z: 0 },
        image_extent: vk::Extent3D {
            width: 4,
            height: 2,
            depth: 1,
        },
        ..Default::default()
    }];
    let to_image = vk::CopyMemoryToImageInfoEXT::default()
        .dst_image(first.raw)
        .dst_image_layout(general)
        .regions(&in_region);
    let images = vk::CopyImageToImageInfoEXT::default()
        .src_image(first.raw)
        .src_image_layout(general)
        .dst_image(second.raw)
        .dst_image_layout(general)
        .regions(&between);
    let to_memory = vk::CopyImageToMemoryInfoEXT::default()
        .src_image(second.raw)
        .src_image_layout(general)
        .regions(&out_region);
    // SAFETY: the pointers have room for what is copied, and the images have memory.
    unsafe {
        host.copy_memory_to_image(&to_image).expect("copied in");
        host.copy_image_to_image(&images).expect("copied over");
        host.copy_image_to_memory(&to_memory).expect("copied out");
    }
    let row = |y: u32| (0..4).map(move |x| (y * SIZE + 3 + x) * 0x0102_0305);
    let wanted: Vec<u32> = row(2).chain([7, 7]).chain(row(3)).chain([7, 7]).collect();
    assert_eq!(part, wanted);
    first.destroy(&device);
    second.destroy(&device);
}
