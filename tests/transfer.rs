//! Copies, fills and clears through the loader, against what they must give.

mod common;

use common::{
    Device, vk,
    work::{Buffer, Image, ImageDesc, all, layers, run, whole},
};
use vk::ImageAspectFlags as Aspect;

const GENERAL: vk::ImageLayout = vk::ImageLayout::GENERAL;

/// Bytes that differ from place to place.
fn noise(len: usize) -> Vec<u8> {
    let mut state = 0x1234_5678_u32;
    let next = |_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    (0..len).map(next).collect()
}

fn extent(e: [u32; 3]) -> vk::Extent3D {
    vk::Extent3D {
        width: e[0],
        height: e[1],
        depth: e[2],
    }
}

#[test]
fn buffers_are_copied_filled_and_updated() {
    let device = Device::new();
    let bytes = noise(256);
    let (src, dst) = (Buffer::with(&device, &bytes), Buffer::new(&device, 256));
    run(&device, |cb| {
        let regions = [
            vk::BufferCopy {
                src_offset: 3,
                dst_offset: 100,
                size: 50,
            },
            vk::BufferCopy {
                src_offset: 200,
                dst_offset: 0,
                size: 7,
            },
        ];
        // SAFETY: the ranges lie within the buffers.
        unsafe {
            device.raw.cmd_copy_buffer(cb, src.raw, dst.raw, &regions);
            device.raw.cmd_fill_buffer(cb, dst.raw, 160, 8, 0xaabb_ccdd);
            device.raw.cmd_fill_buffer(cb, dst.raw, 240, vk::WHOLE_SIZE, 0);
            device.raw.cmd_update_buffer(cb, dst.raw, 16, &[1, 2, 3, 4]);
        }
    });
    let mut expected = vec![0; 256];
    expected[100..150].copy_from_slice(&bytes[3..53]);
    expected[..7].copy_from_slice(&bytes[200..207]);
    expected[160..168].copy_from_slice(&[0xdd, 0xcc, 0xbb, 0xaa, 0xdd, 0xcc, 0xbb, 0xaa]);
    expected[16..20].copy_from_slice(&[1, 2, 3, 4]);
    assert_eq!(dst.bytes(), expected);
    src.destroy(&device);
    dst.destroy(&device);
}

#[test]
fn images_come_back_from_buffers_as_they_went() {
    let device = Device::new();
    let cases = [
        (vk::Format::R8_UNORM, Aspect::COLOR, 1, [17, 9, 1]),
        (vk::Format::R8G8B8A8_UNORM, Aspect::COLOR, 4, [16, 16, 1]),
        (vk::Format::R32G32B32A32_SFLOAT, Aspect::COLOR, 16, [5, 3, 1]),
        (vk::Format::R16G16_SFLOAT, Aspect::COLOR, 4, [8, 4, 5]),
        (vk::Format::D16_UNORM, Aspect::DEPTH, 2, [12, 7, 1]),
        (vk::Format::D32_SFLOAT_S8_UINT, Aspect::DEPTH, 4, [12, 7, 1]),
        (vk::Format::D32_SFLOAT_S8_UINT, Aspect::STENCIL, 1, [12, 7, 1]),
    ];
    for (format, aspect, texel, size) in cases {
        let bytes = noise(texel * size.iter().product::<u32>() as usize);
        let (src, dst) = (Buffer::with(&device, &bytes), Buffer::new(&device, bytes.len()));
        let image = Image::new(&device, &ImageDesc::new(format, size));
        let region = [whole(aspect, size)];
        run(&device, |cb| {
            // SAFETY: the region is the whole image.
            unsafe {
                device
                    .raw
                    .cmd_copy_buffer_to_image(cb, src.raw, image.raw, GENERAL, &region);
                device
                    .raw
                    .cmd_copy_image_to_buffer(cb, image.raw, GENERAL, dst.raw, &region);
            }
        });
        assert!(dst.bytes() == bytes, "{format:?} {aspect:?}");
        image.destroy(&device);
        src.destroy(&device);
        dst.destroy(&device);
    }
}

#[test]
fn a_buffer_may_have_pitches_of_its_own() {
    let device = Device::new();
    let bytes = noise(1024);
    let (src, dst) = (Buffer::with(&device, &bytes), Buffer::new(&device, 1024));
    let desc = ImageDesc {
        layers: 2,
        ..ImageDesc::new(vk::Format::R8G8_UINT, [8, 8, 1])
    };
    let image = Image::new(&device, &desc);
    let region = [vk::BufferImageCopy {
        buffer_offset: 10,
        buffer_row_length: 11,
        buffer_image_height: 7,
        image_subresource: vk::ImageSubresourceLayers {
            layer_count: 2,
            ..layers(Aspect::COLOR)
        },
        image_offset: vk::Offset3D { x: 2, y: 1, z: 0 },
        image_extent: extent([5, 6, 1]),
    }];
    run(&device, |cb| {
        // SAFETY: the region lies within buffer and image.
        unsafe {
            device
                .raw
                .cmd_copy_buffer_to_image(cb, src.raw, image.raw, GENERAL, &region);
            device
                .raw
                .cmd_copy_image_to_buffer(cb, image.raw, GENERAL, dst.raw, &region);
        }
    });
    let mut expected = vec![0; 1024];
    for layer in 0..2 {
        for row in 0..6 {
            let at = 10 + layer * 7 * 22 + row * 22;
            expected[at..at + 10].copy_from_slice(&bytes[at..at + 10]);
        }
    }
    assert!(dst.bytes() == expected);
    image.destroy(&device);
    src.destroy(&device);
    dst.destroy(&device);
}

#[test]
fn layers_can_become_slices() {
    let device = Device::new();
    let bytes = noise(4 * 4 * 4 * 3);
    let (src, dst) = (Buffer::with(&device, &bytes), Buffer::new(&device, bytes.len()));
    let array = Image::new(
        &device,
        &ImageDesc {
            layers: 3,
            ..ImageDesc::new(vk::Format::R32_UINT, [4, 4, 1])
        },
    );
    let volume = Image::new(&device, &ImageDesc::new(vk::Format::R32_UINT, [4, 4, 3]));
    let three = vk::ImageSubresourceLayers {
        layer_count: 3,
        ..layers(Aspect::COLOR)
    };
    let fill = [vk::BufferImageCopy {
        image_subresource: three,
        ..whole(Aspect::COLOR, [4, 4, 1])
    }];
    let copy = [vk::ImageCopy {
        src_subresource: three,
        dst_subresource: layers(Aspect::COLOR),
        extent: extent([4, 4, 3]),
        ..Default::default()
    }];
    run(&device, |cb| {
        // SAFETY: the regions are the whole images.
        unsafe {
            device
                .raw
                .cmd_copy_buffer_to_image(cb, src.raw, array.raw, GENERAL, &fill);
            device
                .raw
                .cmd_copy_image(cb, array.raw, GENERAL, volume.raw, GENERAL, &copy);
            let region = [whole(Aspect::COLOR, [4, 4, 3])];
            device
                .raw
                .cmd_copy_image_to_buffer(cb, volume.raw, GENERAL, dst.raw, &region);
        }
    });
    assert!(dst.bytes() == bytes);
    array.destroy(&device);
    volume.destroy(&device);
    src.destroy(&device);
    dst.destroy(&device);
}

#[test]
fn clears_reach_every_level_and_layer_of_their_range() {
    let device = Device::new();
    let desc = ImageDesc {
        layers: 3,
        levels: 3,
        ..ImageDesc::new(vk::Format::R8G8B8A8_UNORM, [8, 4, 1])
    };
    let image = Image::new(&device, &desc);
    let out = Buffer::new(&device, 4 * 4 * 2 * 3);
    let red = vk::ClearColorValue {
        float32: [1.0, 0.0, 0.0, 0.5],
    };
    let part = vk::ImageSubresourceRange {
        base_mip_level: 1,
        level_count: 1,
        base_array_layer: 1,
        layer_count: 2,
        ..all(Aspect::COLOR)
    };
    let read = vk::BufferImageCopy {
        image_subresource: vk::ImageSubresourceLayers {
            mip_level: 1,
            layer_count: 3,
            ..layers(Aspect::COLOR)
        },
        ..whole(Aspect::COLOR, [4, 2, 1])
    };
    run(&device, |cb| {
        let black = vk::ClearColorValue { float32: [0.0; 4] };
        // SAFETY: the ranges are of the image.
        unsafe {
            device
                .raw
                .cmd_clear_color_image(cb, image.raw, GENERAL, &black, &[all(Aspect::COLOR)]);
            device
                .raw
                .cmd_clear_color_image(cb, image.raw, GENERAL, &red, &[part]);
            device
                .raw
                .cmd_copy_image_to_buffer(cb, image.raw, GENERAL, out.raw, &[read]);
        }
    });
    let words = out.words();
    assert!(
        words[..8].iter().all(|&word| word == 0),
        "layer 0 is not in the range"
    );
    assert!(words[8..].iter().all(|&word| word == 0x8000_00ff), "{words:x?}");
    image.destroy(&device);
    out.destroy(&device);
}

#[test]
fn depth_and_stencil_are_cleared_apart() {
    let device = Device::new();
    let image = Image::new(
        &device,
        &ImageDesc::new(vk::Format::D32_SFLOAT_S8_UINT, [4, 4, 1]),
    );
    let out = Buffer::new(&device, 128);
    run(&device, |cb| {
        let value = |depth, stencil| vk::ClearDepthStencilValue { depth, stencil };
        let both = all(Aspect::DEPTH | Aspect::STENCIL);
        let stencil = vk::BufferImageCopy {
            buffer_offset: 64,
            ..whole(Aspect::STENCIL, [4, 4, 1])
        };
        // SAFETY: the ranges are of the image.
        unsafe {
            device
                .raw
                .cmd_clear_depth_stencil_image(cb, image.raw, GENERAL, &value(0.25, 7), &[both]);
            let depth = [all(Aspect::DEPTH)];
            device
                .raw
                .cmd_clear_depth_stencil_image(cb, image.raw, GENERAL, &value(0.5, 9), &depth);
            let regions = [whole(Aspect::DEPTH, [4, 4, 1]), stencil];
            device
                .raw
                .cmd_copy_image_to_buffer(cb, image.raw, GENERAL, out.raw, &regions);
        }
    });
    assert!(out.words()[..16].iter().all(|&word| word == 0.5_f32.to_bits()));
    assert_eq!(out.bytes()[64..80], [7; 16]);
    image.destroy(&device);
    out.destroy(&device);
}

#[test]
fn blits_scale_flip_and_convert() {
    let device = Device::new();
    let src = Image::new(&device, &ImageDesc::new(vk::Format::R8G8B8A8_UNORM, [2, 2, 1]));
    let dst = Image::new(&device, &ImageDesc::new(vk::Format::B8G8R8A8_UNORM, [4, 4, 1]));
    let texels = [0xff00_0001_u32, 0xff00_0002, 0xff00_0003, 0xff00_0004];
    let from = Buffer::with(&device, &texels.map(u32::to_le_bytes).concat());
    let to = Buffer::new(&device, 64);
    let corner = |x, y| vk::Offset3D { x, y, z: 0 };
    let far = |x, y| vk::Offset3D { x, y, z: 1 };
    let blit = vk::ImageBlit {
        src_subresource: layers(Aspect::COLOR),
        dst_subresource: layers(Aspect::COLOR),
        src_offsets: [corner(0, 0), far(2, 2)],
        dst_offsets: [corner(4, 0), far(0, 4)],
    };
    run(&device, |cb| {
        // SAFETY: the regions lie within the images.
        unsafe {
            let raw = &device.raw;
            let fill = [whole(Aspect::COLOR, [2, 2, 1])];
            raw.cmd_copy_buffer_to_image(cb, from.raw, src.raw, GENERAL, &fill);
            raw.cmd_blit_image(
                cb,
                src.raw,
                GENERAL,
                dst.raw,
                GENERAL,
                &[blit],
                vk::Filter::NEAREST,
            );
            let read = [whole(Aspect::COLOR, [4, 4, 1])];
            raw.cmd_copy_image_to_buffer(cb, dst.raw, GENERAL, to.raw, &read);
        }
    });
    let red: Vec<u32> = to.words().iter().map(|word| word >> 16 & 0xff).collect();
    assert_eq!(red, [2, 2, 1, 1, 2, 2, 1, 1, 4, 4, 3, 3, 4, 4, 3, 3]);
    src.destroy(&device);
    dst.destroy(&device);
    from.destroy(&device);
    to.destroy(&device);
}

#[test]
fn a_cleared_multisampled_image_resolves_to_its_value() {
    let device = Device::new();
    let desc = ImageDesc {
        samples: vk::SampleCountFlags::TYPE_4,
        usage: ImageDesc::default().usage | vk::ImageUsageFlags::COLOR_ATTACHMENT,
        ..ImageDesc::default()
    };
    let (src, dst) = (
        Image::new(&device, &desc),
        Image::new(&device, &ImageDesc::default()),
    );
    let out = Buffer::new(&device, 16 * 16 * 4);
    let resolve = vk::ImageResolve {
        src_subresource: layers(Aspect::COLOR),
        dst_subresource: layers(Aspect::COLOR),
        src_offset: vk::Offset3D { x: 1, y: 2, z: 0 },
        dst_offset: vk::Offset3D { x: 3, y: 4, z: 0 },
        extent: extent([5, 6, 1]),
    };
    run(&device, |cb| {
        let green = vk::ClearColorValue {
            float32: [0.0, 1.0, 0.0, 1.0],
        };
        let black = vk::ClearColorValue { float32: [0.0; 4] };
        // SAFETY: the regions lie within the images.
        unsafe {
            let raw = &device.raw;
            raw.cmd_clear_color_image(cb, src.raw, GENERAL, &green, &[all(Aspect::COLOR)]);
            raw.cmd_clear_color_image(cb, dst.raw, GENERAL, &black, &[all(Aspect::COLOR)]);
            raw.cmd_resolve_image(cb, src.raw, GENERAL, dst.raw, GENERAL, &[resolve]);
            let read = [whole(Aspect::COLOR, [16, 16, 1])];
            raw.cmd_copy_image_to_buffer(cb, dst.raw, GENERAL, out.raw, &read);
        }
    });
    let inside = |i: usize| (3..8).contains(&(i % 16)) && (4..10).contains(&(i / 16));
    let expected = |i| if inside(i) { 0xff00_ff00 } else { 0 };
    assert!(
        out.words()
            .iter()
            .enumerate()
            .all(|(i, &word)| word == expected(i))
    );
    src.destroy(&device);
    dst.destroy(&device);
    out.destroy(&device);
}
