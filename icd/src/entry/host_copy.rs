//! `VK_EXT_host_image_copy`: copies between images and the application's memory, by the calling thread.

use crate::{
    args::{Array, slice},
    boundary::commands,
    device::Device,
    dispatch::Ref,
    error::{Answer, Error},
};
use ash::vk;
use lahar::{
    command::{BufferImageCopy, HostCopy, ImageCopy, copy_on_host},
    resource::Image,
};
use vk::ImageLayout as L;

commands! {
    fn vkCopyMemoryToImageEXT(device: Ref<Device>, info: &vk::CopyMemoryToImageInfoEXT<'_>) -> vk::Result {
        let image = device.tables.images.get(info.dst_image)?;
        // SAFETY: the array has this many elements.
        for r in unsafe { slice(info.p_regions, info.region_count) } {
            let region = region(
                info.flags,
                [r.memory_row_length, r.memory_image_height],
                (r.image_subresource, r.image_offset, r.image_extent),
            );
            let copies = aspect_copies(r.p_host_pointer as u64, &image, region);
            run(&device, copies.map(HostCopy::ToImage))?;
        }
        Ok(())
    }

    fn vkCopyImageToMemoryEXT(device: Ref<Device>, info: &vk::CopyImageToMemoryInfoEXT<'_>) -> vk::Result {
        let image = device.tables.images.get(info.src_image)?;
        // SAFETY: the array has this many elements.
        for r in unsafe { slice(info.p_regions, info.region_count) } {
            let region = region(
                info.flags,
                [r.memory_row_length, r.memory_image_height],
                (r.image_subresource, r.image_offset, r.image_extent),
            );
            let copies = aspect_copies(r.p_host_pointer as u64, &image, region);
            run(&device, copies.map(HostCopy::ToMemory))?;
        }
        Ok(())
    }

    fn vkCopyImageToImageEXT(device: Ref<Device>, info: &vk::CopyImageToImageInfoEXT<'_>) -> vk::Result {
        let tables = &device.tables;
        let (src, dst) = (tables.images.get(info.src_image)?, tables.images.get(info.dst_image)?);
        // SAFETY: the array has this many elements.
        for r in unsafe { slice(info.p_regions, info.region_count) } {
            let region = vk::ImageCopy {
                src_subresource: r.src_subresource,
                src_offset: r.src_offset,
                dst_subresource: r.dst_subresource,
                dst_offset: r.dst_offset,
                extent: r.extent,
            };
            run(&device, ImageCopy::of(&src, &dst, &region).map(HostCopy::Between))?;
        }
        Ok(())
    }

    fn vkTransitionImageLayoutEXT(
        device: Ref<Device>,
        count: u32,
        transitions: Array<vk::HostImageLayoutTransitionInfoEXT<'_>>,
    ) -> vk::Result {
        // Images lie in memory in one way only.
        for transition in transitions.get(count) {
            device.tables.images.get(transition.image)?;
        }
        Ok(())
    }
}

/// Aliases of Vulkan 1.4.
pub(crate) const ALIASES: &[(&str, &str)] = &[
    ("vkCopyMemoryToImage", "vkCopyMemoryToImageEXT"),
    ("vkCopyImageToMemory", "vkCopyImageToMemoryEXT"),
    ("vkCopyImageToImage", "vkCopyImageToImageEXT"),
    ("vkTransitionImageLayout", "vkTransitionImageLayoutEXT"),
];

/// A region as a command would have it. Copies of whole subresources as they are leave no gaps between rows.
fn region(
    flags: vk::HostImageCopyFlagsEXT,
    [row_length, image_height]: [u32; 2],
    (image_subresource, image_offset, image_extent): (vk::ImageSubresourceLayers, vk::Offset3D, vk::Extent3D),
) -> vk::BufferImageCopy {
    let raw = flags.contains(vk::HostImageCopyFlagsEXT::MEMCPY);
    vk::BufferImageCopy {
        buffer_offset: 0,
        buffer_row_length: if raw { 0 } else { row_length },
        buffer_image_height: if raw { 0 } else { image_height },
        image_subresource,
        image_offset,
        image_extent,
    }
}

fn aspect_copies(
    memory: u64,
    image: &Image,
    region: vk::BufferImageCopy,
) -> impl Iterator<Item = BufferImageCopy> {
    BufferImageCopy::at(memory, image, &region).into_iter()
}

fn run(device: &Device, copies: impl Iterator<Item = HostCopy>) -> Answer {
    for copy in copies {
        copy_on_host(&device.engine, &copy).map_err(|_| Error(vk::Result::ERROR_MEMORY_MAP_FAILED))?;
    }
    Ok(())
}

/// Layouts that images may be in, on either side.
const LAYOUTS: [L; 19] = [
    L::GENERAL,
    L::PREINITIALIZED,
    L::PRESENT_SRC_KHR,
    L::COLOR_ATTACHMENT_OPTIMAL,
    L::DEPTH_STENCIL_ATTACHMENT_OPTIMAL,
    L::DEPTH_STENCIL_READ_ONLY_OPTIMAL,
    L::SHADER_READ_ONLY_OPTIMAL,
    L::TRANSFER_SRC_OPTIMAL,
    L::TRANSFER_DST_OPTIMAL,
    L::DEPTH_READ_ONLY_STENCIL_ATTACHMENT_OPTIMAL,
    L::DEPTH_ATTACHMENT_STENCIL_READ_ONLY_OPTIMAL,
    L::DEPTH_ATTACHMENT_OPTIMAL,
    L::DEPTH_READ_ONLY_OPTIMAL,
    L::STENCIL_ATTACHMENT_OPTIMAL,
    L::STENCIL_READ_ONLY_OPTIMAL,
    L::READ_ONLY_OPTIMAL,
    L::ATTACHMENT_OPTIMAL,
    L::ATTACHMENT_FEEDBACK_LOOP_OPTIMAL_EXT,
    L::RENDERING_LOCAL_READ_KHR,
];

/// Fills in the properties. The arrays of layouts are the application's.
pub(super) fn properties(out: &mut vk::PhysicalDeviceHostImageCopyPropertiesEXT<'_>) {
    let fill = |count: &mut u32, pointer: *mut L| {
        if pointer.is_null() {
            *count = LAYOUTS.len() as u32;
            return;
        }
        *count = (*count).min(LAYOUTS.len() as u32);
        // SAFETY: the application gives room for as many as it says.
        unsafe { std::slice::from_raw_parts_mut(pointer, *count as usize) }
            .copy_from_slice(&LAYOUTS[..*count as usize]);
    };
    fill(&mut out.copy_src_layout_count, out.p_copy_src_layouts);
    fill(&mut out.copy_dst_layout_count, out.p_copy_dst_layouts);
    out.optimal_tiling_layout_uuid = lahar::physical::properties::uuid("image layout");
    out.identical_memory_type_requirements = vk::TRUE;
}
