//! Recording of copies, fills, blits, resolves and clears.

use super::command_buffer::bytes;
use crate::{
    args::{Array, slice},
    boundary::commands,
    command::CommandBuffer,
    dispatch::Ref,
    error::Answer,
};
use ash::vk;
use lahar::command::{BufferCopy, BufferImageCopy, Clear, ImageBlit, ImageCopy, ImageResolve};
use std::ffi::c_void;

commands! {
    fn vkCmdCopyBuffer(
        buffer: Ref<CommandBuffer>,
        src: vk::Buffer,
        dst: vk::Buffer,
        count: u32,
        regions: Array<vk::BufferCopy>,
    ) {
        copy_buffer(&buffer, src, dst, regions.get(count).iter().copied())
    }

    fn vkCmdCopyBuffer2(buffer: Ref<CommandBuffer>, info: &vk::CopyBufferInfo2<'_>) {
        // SAFETY: the array has this many elements.
        let regions = unsafe { slice(info.p_regions, info.region_count) };
        let regions = regions.iter().map(|r| vk::BufferCopy {
            src_offset: r.src_offset,
            dst_offset: r.dst_offset,
            size: r.size,
        });
        copy_buffer(&buffer, info.src_buffer, info.dst_buffer, regions)
    }

    fn vkCmdCopyImage(
        buffer: Ref<CommandBuffer>,
        src: vk::Image,
        _src_layout: vk::ImageLayout,
        dst: vk::Image,
        _dst_layout: vk::ImageLayout,
        count: u32,
        regions: Array<vk::ImageCopy>,
    ) {
        copy_image(&buffer, src, dst, regions.get(count).iter().copied())
    }

    fn vkCmdCopyImage2(buffer: Ref<CommandBuffer>, info: &vk::CopyImageInfo2<'_>) {
        // SAFETY: the array has this many elements.
        let regions = unsafe { slice(info.p_regions, info.region_count) };
        let regions = regions.iter().map(|r| vk::ImageCopy {
            src_subresource: r.src_subresource,
            src_offset: r.src_offset,
            dst_subresource: r.dst_subresource,
            dst_offset: r.dst_offset,
            extent: r.extent,
        });
        copy_image(&buffer, info.src_image, info.dst_image, regions)
    }

    fn vkCmdCopyBufferToImage(
        buffer: Ref<CommandBuffer>,
        src: vk::Buffer,
        dst: vk::Image,
        _layout: vk::ImageLayout,
        count: u32,
        regions: Array<vk::BufferImageCopy>,
    ) {
        let copies = buffer_image(&buffer, src, dst, regions.get(count).iter().copied())?;
        buffer.record(|r| r.copy_buffer_to_image(copies));
        Ok(())
    }

    fn vkCmdCopyBufferToImage2(buffer: Ref<CommandBuffer>, info: &vk::CopyBufferToImageInfo2<'_>) {
        // SAFETY: the array has this many elements.
        let regions = unsafe { slice(info.p_regions, info.region_count) };
        let copies = buffer_image(&buffer, info.src_buffer, info.dst_image, regions.iter().map(version1))?;
        buffer.record(|r| r.copy_buffer_to_image(copies));
        Ok(())
    }

    fn vkCmdCopyImageToBuffer(
        buffer: Ref<CommandBuffer>,
        src: vk::Image,
        _layout: vk::ImageLayout,
        dst: vk::Buffer,
        count: u32,
        regions: Array<vk::BufferImageCopy>,
    ) {
        let copies = buffer_image(&buffer, dst, src, regions.get(count).iter().copied())?;
        buffer.record(|r| r.copy_image_to_buffer(copies));
        Ok(())
    }

    fn vkCmdCopyImageToBuffer2(buffer: Ref<CommandBuffer>, info: &vk::CopyImageToBufferInfo2<'_>) {
        // SAFETY: the array has this many elements.
        let regions = unsafe { slice(info.p_regions, info.region_count) };
        let copies = buffer_image(&buffer, info.dst_buffer, info.src_image, regions.iter().map(version1))?;
        buffer.record(|r| r.copy_image_to_buffer(copies));
        Ok(())
    }

    fn vkCmdBlitImage(
        buffer: Ref<CommandBuffer>,
        src: vk::Image,
        _src_layout: vk::ImageLayout,
        dst: vk::Image,
        _dst_layout: vk::ImageLayout,
        count: u32,
        regions: Array<vk::ImageBlit>,
        filter: vk::Filter,
    ) {
        blit_image(&buffer, src, dst, regions.get(count).iter().copied(), filter)
    }

    fn vkCmdBlitImage2(buffer: Ref<CommandBuffer>, info: &vk::BlitImageInfo2<'_>) {
        // SAFETY: the array has this many elements.
        let regions = unsafe { slice(info.p_regions, info.region_count) };
        let regions = regions.iter().map(|r| vk::ImageBlit {
            src_subresource: r.src_subresource,
            src_offsets: r.src_offsets,
            dst_subresource: r.dst_subresource,
            dst_offsets: r.dst_offsets,
        });
        blit_image(&buffer, info.src_image, info.dst_image, regions, info.filter)
    }

    fn vkCmdResolveImage(
        buffer: Ref<CommandBuffer>,
        src: vk::Image,
        _src_layout: vk::ImageLayout,
        dst: vk::Image,
        _dst_layout: vk::ImageLayout,
        count: u32,
        regions: Array<vk::ImageResolve>,
    ) {
        resolve_image(&buffer, src, dst, regions.get(count).iter().copied())
    }

    fn vkCmdResolveImage2(buffer: Ref<CommandBuffer>, info: &vk::ResolveImageInfo2<'_>) {
        // SAFETY: the array has this many elements.
        let regions = unsafe { slice(info.p_regions, info.region_count) };
        let regions = regions.iter().map(|r| vk::ImageResolve {
            src_subresource: r.src_subresource,
            src_offset: r.src_offset,
            dst_subresource: r.dst_subresource,
            dst_offset: r.dst_offset,
            extent: r.extent,
        });
        resolve_image(&buffer, info.src_image, info.dst_image, regions)
    }

    fn vkCmdUpdateBuffer(
        buffer: Ref<CommandBuffer>,
        dst: vk::Buffer,
        offset: u64,
        size: u64,
        data: *const c_void,
    ) {
        let dst = bytes(&buffer, dst, offset, size)?;
        // SAFETY: the application gives `size` bytes; `dst` has at most as many.
        let data: &[u8] = unsafe { slice(data.cast(), dst.size as u32) };
        buffer.record(|r| r.update_buffer(dst.address, data));
        Ok(())
    }

    fn vkCmdFillBuffer(buffer: Ref<CommandBuffer>, dst: vk::Buffer, offset: u64, size: u64, word: u32) {
        let dst = bytes(&buffer, dst, offset, size)?;
        buffer.record(|r| r.fill_buffer(dst, word));
        Ok(())
    }

    fn vkCmdClearColorImage(
        buffer: Ref<CommandBuffer>,
        image: vk::Image,
        _layout: vk::ImageLayout,
        color: &vk::ClearColorValue,
        count: u32,
        ranges: Array<vk::ImageSubresourceRange>,
    ) {
        // SAFETY: all members are four words.
        let words = unsafe { color.uint32 };
        clear_image(&buffer, image, ranges.get(count), |_| words)
    }

    fn vkCmdClearDepthStencilImage(
        buffer: Ref<CommandBuffer>,
        image: vk::Image,
        _layout: vk::ImageLayout,
        value: &vk::ClearDepthStencilValue,
        count: u32,
        ranges: Array<vk::ImageSubresourceRange>,
    ) {
        clear_image(&buffer, image, ranges.get(count), |aspect| {
            let stencil = aspect == vk::ImageAspectFlags::STENCIL;
            [if stencil { value.stencil } else { value.depth.to_bits() }, 0, 0, 0]
        })
    }
}

/// Aliases of extensions.
pub(crate) const ALIASES: &[(&str, &str)] = &[
    ("vkCmdBlitImage2KHR", "vkCmdBlitImage2"),
    ("vkCmdCopyBuffer2KHR", "vkCmdCopyBuffer2"),
    ("vkCmdCopyBufferToImage2KHR", "vkCmdCopyBufferToImage2"),
    ("vkCmdCopyImage2KHR", "vkCmdCopyImage2"),
    ("vkCmdCopyImageToBuffer2KHR", "vkCmdCopyImageToBuffer2"),
    ("vkCmdResolveImage2KHR", "vkCmdResolveImage2"),
];

fn version1(region: &vk::BufferImageCopy2<'_>) -> vk::BufferImageCopy {
    vk::BufferImageCopy {
        buffer_offset: region.buffer_offset,
        buffer_row_length: region.buffer_row_length,
        buffer_image_height: region.buffer_image_height,
        image_subresource: region.image_subresource,
        image_offset: region.image_offset,
        image_extent: region.image_extent,
    }
}

fn copy_buffer(
    buffer: &CommandBuffer,
    src: vk::Buffer,
    dst: vk::Buffer,
    regions: impl Iterator<Item = vk::BufferCopy>,
) -> Answer {
    let tables = &buffer.device.tables;
    let (src, dst) = (tables.buffers.get(src)?, tables.buffers.get(dst)?);
    buffer.record(|r| {
        r.copy_buffer(
            regions
                .map(|region| BufferCopy::of(&src, &dst, &region))
                .collect(),
        );
    });
    Ok(())
}

fn copy_image(
    buffer: &CommandBuffer,
    src: vk::Image,
    dst: vk::Image,
    regions: impl Iterator<Item = vk::ImageCopy>,
) -> Answer {
    let tables = &buffer.device.tables;
    let (src, dst) = (tables.images.get(src)?, tables.images.get(dst)?);
    let mut copies = Vec::new();
    regions.for_each(|region| copies.extend(ImageCopy::of(&src, &dst, &region)));
    buffer.record(|r| r.copy_image(copies.into()));
    Ok(())
}

fn buffer_image(
    buffer: &CommandBuffer,
    memory: vk::Buffer,
    image: vk::Image,
    regions: impl Iterator<Item = vk::BufferImageCopy>,
) -> Answer<Box<[BufferImageCopy]>> {
    let tables = &buffer.device.tables;
    let (memory, image) = (tables.buffers.get(memory)?, tables.images.get(image)?);
    Ok(regions
        .filter_map(|region| BufferImageCopy::of(&memory, &image, &region))
        .collect())
}

fn blit_image(
    buffer: &CommandBuffer,
    src: vk::Image,
    dst: vk::Image,
    regions: impl Iterator<Item = vk::ImageBlit>,
    filter: vk::Filter,
) -> Answer {
    let tables = &buffer.device.tables;
    let (src, dst) = (tables.images.get(src)?, tables.images.get(dst)?);
    let mut blits = Vec::new();
    regions.for_each(|region| blits.extend(ImageBlit::of(&src, &dst, &region, filter)));
    buffer.record(|r| r.blit_image(blits.into()));
    Ok(())
}

fn resolve_image(
    buffer: &CommandBuffer,
    src: vk::Image,
    dst: vk::Image,
    regions: impl Iterator<Item = vk::ImageResolve>,
) -> Answer {
    let tables = &buffer.device.tables;
    let (src, dst) = (tables.images.get(src)?, tables.images.get(dst)?);
    let resolves = regions
        .filter_map(|region| ImageResolve::of(&src, &dst, &region))
        .collect();
    buffer.record(|r| r.resolve_image(resolves));
    Ok(())
}

fn clear_image(
    buffer: &CommandBuffer,
    image: vk::Image,
    ranges: &[vk::ImageSubresourceRange],
    value: impl Fn(vk::ImageAspectFlags) -> [u32; 4],
) -> Answer {
    let image = buffer.device.tables.images.get(image)?;
    let mut clears = Vec::new();
    ranges
        .iter()
        .for_each(|range| clears.extend(Clear::of(&image, range, &value)));
    buffer.record(|r| r.clear_image(clears.into()));
    Ok(())
}
