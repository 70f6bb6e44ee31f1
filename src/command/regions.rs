//! Vulkan's copy regions turned into memory (see `transfer.rs`). A region that names what the image does not have
//! gives nothing: that is invalid usage, and copying less is the tamest answer.

use super::list::Bytes;
use super::transfer::{
    BufferCopy, BufferImageCopy, Clear, ImageBlit, ImageCopy, ImageLevel, ImageResolve, Region, Rows,
};
use crate::resource::format::PLANES;
use crate::resource::{Buffer, Image};
use crate::vk;
use vk::ImageAspectFlags as Aspect;

/// The aspects of a mask, one by one.
fn aspects(mask: Aspect) -> impl Iterator<Item = Aspect> {
    let all = [Aspect::COLOR, Aspect::DEPTH, Aspect::STENCIL];
    all.into_iter()
        .chain(PLANES)
        .filter(move |&aspect| mask.contains(aspect))
}

fn is_3d(image: &Image) -> bool {
    image.info().image_type == vk::ImageType::TYPE_3D
}

impl ImageLevel {
    /// A level of an image's plane.
    #[must_use]
    pub fn of(image: &Image, aspect: Aspect, level: u32) -> Option<ImageLevel> {
        let s = image.subresource(aspect, level, 0)?;
        let (slice_pitch, depth) = if is_3d(image) {
            (s.slice_pitch, s.extent[2])
        } else {
            (s.layer_pitch, image.info().layers)
        };
        Some(ImageLevel {
            format: s.format.vk,
            block_bytes: u32::from(s.format.bytes),
            block: [u32::from(s.format.block.0), u32::from(s.format.block.1)],
            address: s.address,
            row_pitch: s.row_pitch,
            slice_pitch,
            sample_pitch: s.sample_pitch,
            samples: image.info().samples,
            extent: [s.extent[0], s.extent[1], depth],
        })
    }
}

/// First slice or layer of a region, and how many.
fn slices(image: &Image, layers: &vk::ImageSubresourceLayers, z: i32, depth: u32) -> (u32, u32) {
    if is_3d(image) {
        return (z.max(0).cast_unsigned(), depth);
    }
    let count = match layers.layer_count {
        vk::REMAINING_ARRAY_LAYERS => image.info().layers.saturating_sub(layers.base_array_layer),
        count => count,
    };
    (layers.base_array_layer, count)
}

fn region(
    image: &Image,
    aspect: Aspect,
    layers: &vk::ImageSubresourceLayers,
    offset: vk::Offset3D,
    extent: vk::Extent3D,
) -> Option<Region> {
    let (z, depth) = slices(image, layers, offset.z, extent.depth);
    Some(Region {
        level: ImageLevel::of(image, aspect, layers.mip_level)?,
        offset: [
            offset.x.max(0).cast_unsigned(),
            offset.y.max(0).cast_unsigned(),
            z,
        ],
        extent: [extent.width, extent.height, depth],
    })
}

impl Bytes {
    /// A part of a buffer.
    #[must_use]
    pub fn of(buffer: &Buffer, offset: u64, size: u64) -> Bytes {
        let (address, size) = buffer.span(offset, size);
        Bytes { address, size }
    }
}

impl BufferCopy {
    /// A region of a copy between buffers.
    #[must_use]
    pub fn of(src: &Buffer, dst: &Buffer, region: &vk::BufferCopy) -> BufferCopy {
        let (from, to) = (
            Bytes::of(src, region.src_offset, region.size),
            Bytes::of(dst, region.dst_offset, region.size),
        );
        BufferCopy {
            src: from.address,
            dst: to.address,
            size: from.size.min(to.size),
        }
    }
}

impl BufferImageCopy {
    /// A region of a copy between a buffer and an image.
    #[must_use]
    pub fn of(buffer: &Buffer, image: &Image, copy: &vk::BufferImageCopy) -> Option<BufferImageCopy> {
        BufferImageCopy::at(buffer.address(), image, copy)
    }

    /// A region of a copy between memory that begins at an address and an image.
    #[must_use]
    pub fn at(memory: u64, image: &Image, copy: &vk::BufferImageCopy) -> Option<BufferImageCopy> {
        let layers = &copy.image_subresource;
        let region = region(
            image,
            layers.aspect_mask,
            layers,
            copy.image_offset,
            copy.image_extent,
        )?;
        let level = &region.level;
        let or = |value: u32, extent: u32| if value == 0 { extent } else { value };
        let width = or(copy.buffer_row_length, region.extent[0]);
        let height = or(copy.buffer_image_height, region.extent[1]);
        let row_pitch = u64::from(width.div_ceil(level.block[0])) * u64::from(level.block_bytes);
        let image_rows = region.rows();
        Some(BufferImageCopy {
            buffer: Rows {
                address: memory + copy.buffer_offset,
                row_pitch,
                slice_pitch: row_pitch * u64::from(height.div_ceil(level.block[1])),
                ..image_rows
            },
            image: region,
        })
    }
}

impl ImageCopy {
    /// The copies of a region between images, one an aspect.
    pub fn of<'a>(
        src: &'a Image,
        dst: &'a Image,
        copy: &'a vk::ImageCopy,
    ) -> impl Iterator<Item = ImageCopy> + 'a {
        aspects(copy.src_subresource.aspect_mask).filter_map(move |aspect| {
            let from = region(src, aspect, &copy.src_subresource, copy.src_offset, copy.extent)?;
            let to_aspect = if copy.dst_subresource.aspect_mask.contains(aspect) {
                aspect
            } else {
                copy.dst_subresource.aspect_mask
            };
            let mut to = region(
                dst,
                to_aspect,
                &copy.dst_subresource,
                copy.dst_offset,
                copy.extent,
            )?;
            // As many blocks, in the destination's own texels; as many slices.
            for i in 0..2 {
                to.extent[i] = from.extent[i].div_ceil(from.level.block[i]) * to.level.block[i];
            }
            to.extent[2] = from.extent[2];
            Some(ImageCopy { src: from, dst: to })
        })
    }
}

impl ImageBlit {
    /// The blits of a region, one an aspect.
    pub fn of<'a>(
        src: &'a Image,
        dst: &'a Image,
        blit: &'a vk::ImageBlit,
        filter: vk::Filter,
    ) -> impl Iterator<Item = ImageBlit> + 'a {
        aspects(blit.src_subresource.aspect_mask).filter_map(move |aspect| {
            Some(ImageBlit {
                src: ImageLevel::of(src, aspect, blit.src_subresource.mip_level)?,
                dst: ImageLevel::of(dst, aspect, blit.dst_subresource.mip_level)?,
                src_offsets: corners(src, &blit.src_subresource, &blit.src_offsets),
                dst_offsets: corners(dst, &blit.dst_subresource, &blit.dst_offsets),
                filter,
                scale_z: is_3d(src) || is_3d(dst),
            })
        })
    }
}

fn corners(image: &Image, layers: &vk::ImageSubresourceLayers, offsets: &[vk::Offset3D; 2]) -> [[i32; 3]; 2] {
    let mut corners = offsets.map(|offset| [offset.x, offset.y, offset.z]);
    if !is_3d(image) {
        let (first, count) = slices(image, layers, 0, 1);
        corners[0][2] = first.cast_signed();
        corners[1][2] = (first + count).cast_signed();
    }
    corners
}

impl ImageResolve {
    /// A region of a resolve.
    #[must_use]
    pub fn of(src: &Image, dst: &Image, resolve: &vk::ImageResolve) -> Option<ImageResolve> {
        let (from, to) = (&resolve.src_subresource, &resolve.dst_subresource);
        let dst_region = region(dst, to.aspect_mask, to, resolve.dst_offset, resolve.extent)?;
        let mut src_region = region(src, from.aspect_mask, from, resolve.src_offset, resolve.extent)?;
        src_region.extent[2] = src_region.extent[2].min(dst_region.extent[2]);
        Some(ImageResolve {
            src: src_region,
            dst: dst_region,
        })
    }
}

impl Clear {
    /// The clears of a subresource range, one a level and aspect. `value` is that of each aspect.
    pub fn of<'a>(
        image: &'a Image,
        range: &'a vk::ImageSubresourceRange,
        value: impl Fn(Aspect) -> [u32; 4] + 'a,
    ) -> impl Iterator<Item = Clear> + 'a {
        let (levels, layers) = image.resolve(range, false);
        let levels = range.base_mip_level..range.base_mip_level.saturating_add(levels);
        let all = aspects(range.aspect_mask).flat_map(move |aspect| levels.clone().map(move |l| (aspect, l)));
        all.filter_map(move |(aspect, level)| {
            let level = ImageLevel::of(image, aspect, level)?;
            let (first, count) = if is_3d(image) {
                (0, level.extent[2])
            } else {
                (range.base_array_layer, layers)
            };
            let region = Region {
                level,
                offset: [0, 0, first],
                extent: [level.extent[0], level.extent[1], count],
            };
            Some(Clear {
                region,
                value: value(aspect),
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resource::{BufferInfo, ImageInfo};

    fn image(format: vk::Format, image_type: vk::ImageType, extent: [u32; 3], layers: u32) -> Image {
        let info = ImageInfo {
            format,
            image_type,
            extent,
            layers,
            ..ImageInfo::default()
        };
        let image = Image::new(info).unwrap_or_else(|error| panic!("{error}"));
        image.bind(0x1000);
        image
    }

    fn layers(aspect_mask: Aspect, base_array_layer: u32, layer_count: u32) -> vk::ImageSubresourceLayers {
        vk::ImageSubresourceLayers {
            aspect_mask,
            mip_level: 0,
            base_array_layer,
            layer_count,
        }
    }

    #[test]
    fn blocks_are_counted_in_each_images_own_texels() {
        let bc = image(
            vk::Format::BC1_RGBA_UNORM_BLOCK,
            vk::ImageType::TYPE_2D,
            [16, 16, 1],
            1,
        );
        let plain = image(vk::Format::R32G32_UINT, vk::ImageType::TYPE_2D, [8, 8, 1], 1);
        let copy = vk::ImageCopy {
            src_subresource: layers(Aspect::COLOR, 0, 1),
            dst_subresource: layers(Aspect::COLOR, 0, 1),
            src_offset: vk::Offset3D { x: 4, y: 8, z: 0 },
            dst_offset: vk::Offset3D { x: 1, y: 0, z: 0 },
            extent: vk::Extent3D {
                width: 8,
                height: 4,
                depth: 1,
            },
        };
        let copies: Vec<_> = ImageCopy::of(&bc, &plain, &copy).collect();
        let [copy] = &copies[..] else { panic!("one copy") };
        assert_eq!((copy.src.rows().bytes, copy.src.rows().rows), (16, 1));
        assert_eq!((copy.dst.rows().bytes, copy.dst.rows().rows), (16, 1));
        assert_eq!(copy.dst.rows().address, 0x1008);
    }

    #[test]
    fn a_buffer_follows_its_own_pitch() {
        let image = image(
            vk::Format::D24_UNORM_S8_UINT,
            vk::ImageType::TYPE_2D,
            [16, 16, 1],
            3,
        );
        let buffer = Buffer::new(BufferInfo {
            size: 4096,
            ..BufferInfo::default()
        })
        .unwrap_or_else(|error| panic!("{error}"));
        buffer.bind(0x8000);
        let copy = vk::BufferImageCopy {
            buffer_offset: 32,
            buffer_row_length: 20,
            buffer_image_height: 0,
            image_subresource: layers(Aspect::STENCIL, 1, 2),
            image_offset: vk::Offset3D::default(),
            image_extent: vk::Extent3D {
                width: 5,
                height: 6,
                depth: 1,
            },
        };
        let copy = BufferImageCopy::of(&buffer, &image, &copy).expect("the image has stencil");
        let expected = Rows {
            address: 0x8020,
            bytes: 5,
            rows: 6,
            slices: 2,
            row_pitch: 20,
            slice_pitch: 120,
        };
        assert_eq!(copy.buffer, expected);
        assert_eq!(copy.image.offset, [0, 0, 1]);
    }
}
