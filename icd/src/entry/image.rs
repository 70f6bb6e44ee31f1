//! Images and image views.

use super::buffer::{bind_all, fill_requirements};
use crate::{
    args::{Array, Out, OutArray},
    binding::Binding,
    boundary::commands,
    capture, chain,
    device::{Device, DeviceState},
    dispatch::Ref,
    error::{Answer, Error},
    objects,
};
use ash::vk::{self, Handle};
use lahar::{
    descriptor::CaptureKind,
    memory::Placement,
    resource::{Image, ImageInfo, ImageView, ImageViewInfo},
};

commands! {
    fn vkCreateImage(
        device: Ref<Device>,
        info: &vk::ImageCreateInfo<'_>,
        allocator: Option<&vk::AllocationCallbacks<'_>>,
        image: Out<vk::Image>,
    ) -> vk::Result {
        let mut made = Image::new(image_info(info))?;
        let asked = info.flags.contains(vk::ImageCreateFlags::DESCRIPTOR_BUFFER_CAPTURE_REPLAY_EXT);
        let sparse = info.flags.contains(vk::ImageCreateFlags::SPARSE_BINDING);
        let identity = if sparse {
            let size = made.layout().size;
            let of = (CaptureKind::Image, made.fingerprint());
            let (identity, range) = device.capture_sparse(info, asked, of, Placement::Anywhere, |placement| {
                let (ty, handle) = (vk::ObjectType::IMAGE, device.handle().as_raw());
                Ok(device.memory.reserve_sparse(size, placement, ty, handle)?)
            })?;
            made.set_sparse(range);
            identity
        } else {
            device.capture(info, asked, CaptureKind::Image, made.fingerprint())?
        };
        made.set_capture(identity);
        made.set_captured_at(capture::given_for_heaps(info)?.map_or(0, |(_, address)| address));
        let handle = device.create(&device.tables.images, allocator, || Ok(made))?;
        if sparse {
            device.tables.images.with(handle, |made| note_bound(&device, handle.as_raw(), made, false));
        }
        image.write(handle);
        Ok(())
    }

    fn vkDestroyImage(
        device: Ref<Device>,
        image: vk::Image,
        allocator: Option<&vk::AllocationCallbacks<'_>>,
    ) {
        objects::destroy(&device.tables.images, image, allocator);
        device.bury(vk::ObjectType::IMAGE, image.as_raw());
        Ok(())
    }

    fn vkGetImageMemoryRequirements(
        device: Ref<Device>,
        image: vk::Image,
        requirements: Out<vk::MemoryRequirements>,
    ) {
        let types = device.memory.properties().all_types();
        requirements.write(device.tables.images.get(image)?.requirements(types));
        Ok(())
    }

    fn vkGetImageMemoryRequirements2(
        device: Ref<Device>,
        info: &vk::ImageMemoryRequirementsInfo2<'_>,
        requirements: &mut vk::MemoryRequirements2<'_>,
    ) {
        let types = device.memory.properties().all_types();
        let plane = chain::find::<vk::ImagePlaneMemoryRequirementsInfo<'_>, _>(info);
        let plane = plane.map(|plane| plane.plane_aspect);
        fill_requirements(requirements, requirements_of(&*device.tables.images.get(info.image)?, plane, types));
        Ok(())
    }

    fn vkGetDeviceImageMemoryRequirements(
        device: Ref<Device>,
        info: &vk::DeviceImageMemoryRequirements<'_>,
        requirements: &mut vk::MemoryRequirements2<'_>,
    ) {
        // SAFETY: the structure's pointer is valid, as Vulkan asks of the application.
        let create = unsafe { info.p_create_info.as_ref() }.ok_or(Error::NULL)?;
        let types = device.memory.properties().all_types();
        let found = requirements_of(&Image::new(image_info(create))?, Some(info.plane_aspect), types);
        fill_requirements(requirements, found);
        Ok(())
    }

    fn vkGetImageSparseMemoryRequirements(
        device: Ref<Device>,
        image: vk::Image,
        count: &mut u32,
        requirements: OutArray<vk::SparseImageMemoryRequirements>,
    ) {
        let found = device.tables.images.get(image)?.sparse_requirements();
        // A void command: what does not fit is left out.
        let _ = requirements.enumerate(count, found.into_iter());
        Ok(())
    }

    fn vkGetImageSparseMemoryRequirements2(
        device: Ref<Device>,
        info: &vk::ImageSparseMemoryRequirementsInfo2<'_>,
        count: &mut u32,
        requirements: OutArray<vk::SparseImageMemoryRequirements2<'_>>,
    ) {
        let image = device.tables.images.get(info.image)?;
        list_requirements(&image, count, requirements);
        Ok(())
    }

    fn vkGetDeviceImageSparseMemoryRequirements(
        _device: Ref<Device>,
        info: &vk::DeviceImageMemoryRequirements<'_>,
        count: &mut u32,
        requirements: OutArray<vk::SparseImageMemoryRequirements2<'_>>,
    ) {
        // SAFETY: the structure's pointer is valid, as Vulkan asks of the application.
        let info = unsafe { info.p_create_info.as_ref() }.ok_or(Error::NULL)?;
        list_requirements(&Image::new(image_info(info))?, count, requirements);
        Ok(())
    }

    fn vkBindImageMemory(
        device: Ref<Device>,
        image: vk::Image,
        memory: vk::DeviceMemory,
        offset: u64,
    ) -> vk::Result {
        bind(&device, image, memory, offset, None)
    }

    fn vkBindImageMemory2(
        device: Ref<Device>,
        count: u32,
        infos: Array<vk::BindImageMemoryInfo<'_>>,
    ) -> vk::Result {
        bind_all(infos.get(count), |i| {
            match chain::find::<vk::BindImageMemorySwapchainInfoKHR<'_>, _>(i) {
                Some(info) => bind_swapchain(&device, i.image, info),
                None => {
                    let plane = chain::find::<vk::BindImagePlaneMemoryInfo<'_>, _>(i);
                    bind(&device, i.image, i.memory, i.memory_offset, plane.map(|plane| plane.plane_aspect))
                }
            }
        })
    }

    fn vkGetImageSubresourceLayout(
        device: Ref<Device>,
        image: vk::Image,
        subresource: &vk::ImageSubresource,
        layout: Out<vk::SubresourceLayout>,
    ) {
        layout.write(device.tables.images.get(image)?.subresource_layout(subresource));
        Ok(())
    }

    fn vkGetImageSubresourceLayout2KHR(
        device: Ref<Device>,
        image: vk::Image,
        subresource: &vk::ImageSubresource2KHR<'_>,
        layout: &mut vk::SubresourceLayout2KHR<'_>,
    ) {
        let image = device.tables.images.get(image)?;
        fill_layout(&image, subresource, layout);
        Ok(())
    }

    fn vkGetDeviceImageSubresourceLayoutKHR(
        _device: Ref<Device>,
        info: &vk::DeviceImageSubresourceInfoKHR<'_>,
        layout: &mut vk::SubresourceLayout2KHR<'_>,
    ) {
        // SAFETY: the structure's pointers are valid, as Vulkan asks of the application.
        let (create, subresource) = unsafe { (info.p_create_info.as_ref(), info.p_subresource.as_ref()) };
        let image = Image::new(image_info(create.ok_or(Error::NULL)?))?;
        fill_layout(&image, subresource.ok_or(Error::NULL)?, layout);
        Ok(())
    }

    fn vkCreateImageView(
        device: Ref<Device>,
        info: &vk::ImageViewCreateInfo<'_>,
        allocator: Option<&vk::AllocationCallbacks<'_>>,
        view: Out<vk::ImageView>,
    ) -> vk::Result {
        let mut made = make_view(&device, info)?;
        let asked = info.flags.contains(vk::ImageViewCreateFlags::DESCRIPTOR_BUFFER_CAPTURE_REPLAY_EXT);
        let identity = device.capture(info, asked, CaptureKind::ImageView, made.fingerprint())?;
        made.set_capture(identity);
        view.write(device.create(&device.tables.image_views, allocator, || Ok(made))?);
        Ok(())
    }

    fn vkDestroyImageView(
        device: Ref<Device>,
        view: vk::ImageView,
        allocator: Option<&vk::AllocationCallbacks<'_>>,
    ) {
        objects::destroy(&device.tables.image_views, view, allocator);
        Ok(())
    }
}

/// Aliases of extensions.
pub(crate) const ALIASES: &[(&str, &str)] = &[
    ("vkGetImageSubresourceLayout2", "vkGetImageSubresourceLayout2KHR"),
    (
        "vkGetDeviceImageSubresourceLayout",
        "vkGetDeviceImageSubresourceLayoutKHR",
    ),
    ("vkBindImageMemory2KHR", "vkBindImageMemory2"),
    (
        "vkGetImageSubresourceLayout2EXT",
        "vkGetImageSubresourceLayout2KHR",
    ),
    (
        "vkGetDeviceImageMemoryRequirementsKHR",
        "vkGetDeviceImageMemoryRequirements",
    ),
    (
        "vkGetDeviceImageSparseMemoryRequirementsKHR",
        "vkGetDeviceImageSparseMemoryRequirements",
    ),
    (
        "vkGetImageMemoryRequirements2KHR",
        "vkGetImageMemoryRequirements2",
    ),
    (
        "vkGetImageSparseMemoryRequirements2KHR",
        "vkGetImageSparseMemoryRequirements2",
    ),
];

/// The view of an image that a structure describes.
pub(super) fn make_view(device: &DeviceState, info: &vk::ImageViewCreateInfo<'_>) -> Answer<ImageView> {
    let image = device.tables.images.get(info.image)?;
    let usage = chain::find::<vk::ImageViewUsageCreateInfo<'_>, _>(info);
    let conversion = chain::find::<vk::SamplerYcbcrConversionInfo<'_>, _>(info);
    let conversion = conversion
        .map(|info| device.tables.conversions.get(info.conversion))
        .transpose()?;
    let slices = chain::find::<vk::ImageViewSlicedCreateInfoEXT<'_>, _>(info);
    let min_lod = chain::find::<vk::ImageViewMinLodCreateInfoEXT<'_>, _>(info);
    let info = ImageViewInfo {
        view_type: info.view_type,
        format: info.format,
        components: info.components,
        range: info.subresource_range,
        usage: usage.map_or(image.info().usage, |u| u.usage),
        conversion: conversion.as_deref().copied(),
        slices: slices.map(|slices| (slices.slice_offset, slices.slice_count)),
        min_lod: min_lod.map_or(0.0, |info| info.min_lod),
    };
    Ok(ImageView::new(&image, info)?)
}

fn fill_layout(
    image: &Image,
    subresource: &vk::ImageSubresource2KHR<'_>,
    out: &mut vk::SubresourceLayout2KHR<'_>,
) {
    out.subresource_layout = image.subresource_layout(&subresource.image_subresource);
    let size = out.subresource_layout.size;
    if let Some(host) = chain::find_mut::<vk::SubresourceHostMemcpySizeEXT<'_>, _>(out) {
        host.size = size;
    }
}

/// Lists how the parts of an image are bound.
fn list_requirements(image: &Image, count: &mut u32, out: OutArray<vk::SparseImageMemoryRequirements2<'_>>) {
    let found = image.sparse_requirements().into_iter();
    // A void command: what does not fit is left out.
    let _ = out.enumerate_in_place(count, found, |slot, found| slot.memory_requirements = found);
}

fn image_info(info: &vk::ImageCreateInfo<'_>) -> ImageInfo {
    let vk::Extent3D { width, height, depth } = info.extent;
    ImageInfo {
        flags: info.flags,
        image_type: info.image_type,
        format: info.format,
        extent: [width, height, depth],
        levels: info.mip_levels,
        layers: info.array_layers,
        samples: info.samples.as_raw(),
        tiling: info.tiling,
        usage: info.usage,
    }
}

/// Lets an image share the memory of a swapchain's.
fn bind_swapchain(
    device: &DeviceState,
    image: vk::Image,
    info: &vk::BindImageMemorySwapchainInfoKHR<'_>,
) -> Answer {
    let handle = image.as_raw();
    let image = device.tables.images.get(image)?;
    let swapchain = device.tables.swapchains.get(info.swapchain)?;
    let shown = swapchain.image(info.image_index).ok_or(Error::STALE)?;
    image.bind(device.tables.images.get(shown)?.address());
    note_bound(device, handle, &image, false);
    Ok(())
}

/// Memory that an image needs, or the plane of one whose planes are bound one by one.
fn requirements_of(image: &Image, plane: Option<vk::ImageAspectFlags>, types: u32) -> vk::MemoryRequirements {
    match plane {
        Some(plane) if image.is_disjoint() => image.plane_requirements(plane, types),
        _ => image.requirements(types),
    }
}

fn bind(
    device: &DeviceState,
    image: vk::Image,
    memory: vk::DeviceMemory,
    offset: u64,
    plane: Option<vk::ImageAspectFlags>,
) -> Answer {
    let handle = image.as_raw();
    let image = device.tables.images.get(image)?;
    let allocation = device.tables.memories.get(memory)?;
    allocation.commit()?;
    let address = allocation.address() + offset;
    match plane.filter(|_| image.is_disjoint()) {
        Some(aspect) => {
            image.bind_plane(aspect, address);
            let size = image.plane(aspect).map_or(0, |plane| image.plane_size(plane));
            note_range(device, handle, &image, (address, size), false);
        }
        None => {
            image.bind(address);
            note_bound(device, handle, &image, false);
        }
    }
    Ok(())
}

/// Remembers where an image lies, and tells of it; `hidden` while the application does not know the handle.
pub(super) fn note_bound(device: &DeviceState, handle: u64, image: &Image, hidden: bool) {
    note_range(
        device,
        handle,
        image,
        (image.address(), image.layout().size),
        hidden,
    );
}

/// The same for a part of its memory: where it begins, and its bytes.
fn note_range(device: &DeviceState, handle: u64, image: &Image, (address, size): (u64, u64), hidden: bool) {
    let info = image.info();
    let detail = lahar::memory::Detail::Image(info.format, info.extent);
    let history = device.memory.history();
    history.bound(vk::ObjectType::IMAGE, handle, address, size, detail);
    let kind = vk::ObjectType::IMAGE;
    let name = device.engine.names().get(kind.as_raw(), handle);
    let name = name.as_deref();
    device.report_bind(
        Binding {
            kind,
            handle,
            name,
            address,
            size,
        },
        hidden,
    );
}
