//! What can be done with formats, and what is shared with the world outside (nothing).

use super::memory::{EXTERNAL_MEMORY, HOST_MEMORY};
use crate::{
    args::{Out, OutArray},
    boundary::commands,
    chain,
    dispatch::Ref,
    error::{Answer, Error},
    instance::PhysicalDevice,
};
use ash::vk;
use lahar::{
    physical::{
        features::is_offered,
        image_formats::{ImageQuery, image_format_properties, sparse_image_formats},
    },
    resource::format::{Format, features},
};

commands! {
    fn vkGetPhysicalDeviceFormatProperties(
        physical: Ref<PhysicalDevice>,
        format: vk::Format,
        out: Out<vk::FormatProperties>,
    ) {
        out.write(format_properties(&physical, format));
        Ok(())
    }

    fn vkGetPhysicalDeviceFormatProperties2(
        physical: Ref<PhysicalDevice>,
        format: vk::Format,
        out: &mut vk::FormatProperties2<'_>,
    ) {
        let found = format_properties(&physical, format);
        out.format_properties = found;
        if let Some(wide) = chain::find_mut::<vk::FormatProperties3<'_>, _>(out) {
            wide.linear_tiling_features = wide_features(format, found.linear_tiling_features);
            wide.optimal_tiling_features = wide_features(format, found.optimal_tiling_features);
            wide.buffer_features = wide_features(format, found.buffer_features);
        }
        Ok(())
    }

    fn vkGetPhysicalDeviceImageFormatProperties(
        physical: Ref<PhysicalDevice>,
        format: vk::Format,
        ty: vk::ImageType,
        tiling: vk::ImageTiling,
        usage: vk::ImageUsageFlags,
        flags: vk::ImageCreateFlags,
        out: Out<vk::ImageFormatProperties>,
    ) -> vk::Result {
        let found = image_format_properties(&ImageQuery { format, ty, tiling, usage, flags });
        match found.filter(|_| !physical.hidden().has_format(format)) {
            Some(found) => {
                out.write(found);
                Ok(())
            }
            None => {
                out.write(vk::ImageFormatProperties::default());
                Err(Error(vk::Result::ERROR_FORMAT_NOT_SUPPORTED))
            }
        }
    }

    fn vkGetPhysicalDeviceImageFormatProperties2(
        physical: Ref<PhysicalDevice>,
        info: &vk::PhysicalDeviceImageFormatInfo2<'_>,
        out: &mut vk::ImageFormatProperties2<'_>,
    ) -> vk::Result {
        let hidden = physical.hidden().has_format(info.format);
        let unsupported = Error(vk::Result::ERROR_FORMAT_NOT_SUPPORTED);
        let found = if hidden { Err(unsupported) } else { image_format_properties2(info) };
        out.image_format_properties = found.unwrap_or_default();
        if let Some(external) = chain::find_mut::<vk::ExternalImageFormatProperties<'_>, _>(out) {
            let asked = chain::find::<vk::PhysicalDeviceExternalImageFormatInfo<'_>, _>(info);
            let ty = asked.map_or_else(Default::default, |asked| asked.handle_type);
            external.external_memory_properties = external_memory(ty);
        }
        if let Some(host) = chain::find_mut::<vk::HostImageCopyDevicePerformanceQueryEXT<'_>, _>(out) {
            host.optimal_device_access = vk::TRUE;
            host.identical_memory_layout = vk::TRUE;
        }
        let ycbcr = chain::find_mut::<vk::SamplerYcbcrConversionImageFormatProperties<'_>, _>(out);
        if let (Some(ycbcr), Ok(_)) = (ycbcr, &found) {
            ycbcr.combined_image_sampler_descriptor_count = 1;
        }
        found.map(drop)
    }

    fn vkGetPhysicalDeviceSparseImageFormatProperties(
        physical: Ref<PhysicalDevice>,
        format: vk::Format,
        ty: vk::ImageType,
        samples: vk::SampleCountFlags,
        usage: vk::ImageUsageFlags,
        tiling: vk::ImageTiling,
        count: &mut u32,
        out: OutArray<vk::SparseImageFormatProperties>,
    ) {
        let flags = vk::ImageCreateFlags::empty();
        let found = sparse_formats(&physical, &ImageQuery { format, ty, tiling, usage, flags }, samples);
        // A void command: what does not fit is left out.
        let _ = out.enumerate(count, found.into_iter());
        Ok(())
    }

    fn vkGetPhysicalDeviceSparseImageFormatProperties2(
        physical: Ref<PhysicalDevice>,
        info: &vk::PhysicalDeviceSparseImageFormatInfo2<'_>,
        count: &mut u32,
        out: OutArray<vk::SparseImageFormatProperties2<'_>>,
    ) {
        let query = ImageQuery {
            format: info.format,
            ty: info.ty,
            tiling: info.tiling,
            usage: info.usage,
            flags: vk::ImageCreateFlags::empty(),
        };
        let found = sparse_formats(&physical, &query, info.samples).into_iter();
        // A void command: what does not fit is left out.
        let _ = out.enumerate_in_place(count, found, |slot, found| slot.properties = found);
        Ok(())
    }

    fn vkGetPhysicalDeviceExternalBufferProperties(
        _physical: Ref<PhysicalDevice>,
        info: &vk::PhysicalDeviceExternalBufferInfo<'_>,
        out: &mut vk::ExternalBufferProperties<'_>,
    ) {
        out.external_memory_properties = external_memory(info.handle_type);
        Ok(())
    }

    fn vkGetPhysicalDeviceExternalFenceProperties(
        _physical: Ref<PhysicalDevice>,
        info: &vk::PhysicalDeviceExternalFenceInfo<'_>,
        out: &mut vk::ExternalFenceProperties<'_>,
    ) {
        let opaque = vk::ExternalFenceHandleTypeFlags::OPAQUE_FD;
        let shared = info.handle_type == opaque;
        let types = if shared { opaque } else { vk::ExternalFenceHandleTypeFlags::empty() };
        out.export_from_imported_handle_types = types;
        out.compatible_handle_types = types;
        out.external_fence_features = if shared {
            vk::ExternalFenceFeatureFlags::EXPORTABLE | vk::ExternalFenceFeatureFlags::IMPORTABLE
        } else {
            vk::ExternalFenceFeatureFlags::empty()
        };
        Ok(())
    }

    fn vkGetPhysicalDeviceExternalSemaphoreProperties(
        _physical: Ref<PhysicalDevice>,
        info: &vk::PhysicalDeviceExternalSemaphoreInfo<'_>,
        out: &mut vk::ExternalSemaphoreProperties<'_>,
    ) {
        let opaque = vk::ExternalSemaphoreHandleTypeFlags::OPAQUE_FD;
        let shared = info.handle_type == opaque;
        let types = if shared { opaque } else { vk::ExternalSemaphoreHandleTypeFlags::empty() };
        out.export_from_imported_handle_types = types;
        out.compatible_handle_types = types;
        out.external_semaphore_features = if shared {
            vk::ExternalSemaphoreFeatureFlags::EXPORTABLE | vk::ExternalSemaphoreFeatureFlags::IMPORTABLE
        } else {
            vk::ExternalSemaphoreFeatureFlags::empty()
        };
        Ok(())
    }
}

/// Aliases of extensions.
pub(crate) const ALIASES: &[(&str, &str)] = &[
    (
        "vkGetPhysicalDeviceExternalBufferPropertiesKHR",
        "vkGetPhysicalDeviceExternalBufferProperties",
    ),
    (
        "vkGetPhysicalDeviceExternalFencePropertiesKHR",
        "vkGetPhysicalDeviceExternalFenceProperties",
    ),
    (
        "vkGetPhysicalDeviceExternalSemaphorePropertiesKHR",
        "vkGetPhysicalDeviceExternalSemaphoreProperties",
    ),
    (
        "vkGetPhysicalDeviceFormatProperties2KHR",
        "vkGetPhysicalDeviceFormatProperties2",
    ),
    (
        "vkGetPhysicalDeviceImageFormatProperties2KHR",
        "vkGetPhysicalDeviceImageFormatProperties2",
    ),
    (
        "vkGetPhysicalDeviceSparseImageFormatProperties2KHR",
        "vkGetPhysicalDeviceSparseImageFormatProperties2",
    ),
];

fn format_properties(physical: &PhysicalDevice, format: vk::Format) -> vk::FormatProperties {
    if physical.hidden().has_format(format) {
        return vk::FormatProperties::default();
    }
    let found = features(format);
    vk::FormatProperties {
        linear_tiling_features: found.linear,
        optimal_tiling_features: found.optimal,
        buffer_features: found.buffer,
    }
}

/// What is known of sparse images of a kind.
fn sparse_formats(
    physical: &PhysicalDevice,
    query: &ImageQuery,
    samples: vk::SampleCountFlags,
) -> Vec<vk::SparseImageFormatProperties> {
    if physical.hidden().has_format(query.format) {
        return vec![];
    }
    sparse_image_formats(query, samples)
}

/// Features of images or buffers in the form that has 64 bits; it says more of storage and depth comparison.
fn wide_features(format: vk::Format, features: vk::FormatFeatureFlags) -> vk::FormatFeatureFlags2 {
    use vk::FormatFeatureFlags2 as Wide;
    let mut wide = Wide::from_raw(features.as_raw().into());
    let storage = Wide::STORAGE_IMAGE | Wide::STORAGE_TEXEL_BUFFER;
    if wide.intersects(storage) && is_offered("shaderStorageImageReadWithoutFormat") {
        wide |= Wide::STORAGE_READ_WITHOUT_FORMAT;
    }
    if wide.intersects(storage) && is_offered("shaderStorageImageWriteWithoutFormat") {
        wide |= Wide::STORAGE_WRITE_WITHOUT_FORMAT;
    }
    if wide.contains(Wide::TRANSFER_SRC) {
        wide |= Wide::HOST_IMAGE_TRANSFER_EXT;
    }
    let depth = Format::of(format).is_some_and(|row| row.depth.is_some());
    if depth && wide.contains(Wide::SAMPLED_IMAGE) {
        wide |= Wide::SAMPLED_IMAGE_DEPTH_COMPARISON;
    }
    wide
}

/// How memory of a handle type can be shared.
fn external_memory(ty: vk::ExternalMemoryHandleTypeFlags) -> vk::ExternalMemoryProperties {
    if HOST_MEMORY.contains(&ty) {
        return vk::ExternalMemoryProperties {
            external_memory_features: vk::ExternalMemoryFeatureFlags::IMPORTABLE,
            compatible_handle_types: ty,
            ..Default::default()
        };
    }
    if ty != EXTERNAL_MEMORY {
        return vk::ExternalMemoryProperties {
            compatible_handle_types: ty,
            ..Default::default()
        };
    }
    vk::ExternalMemoryProperties {
        external_memory_features: vk::ExternalMemoryFeatureFlags::EXPORTABLE
            | vk::ExternalMemoryFeatureFlags::IMPORTABLE,
        export_from_imported_handle_types: ty,
        compatible_handle_types: ty,
    }
}

fn image_format_properties2(
    info: &vk::PhysicalDeviceImageFormatInfo2<'_>,
) -> Answer<vk::ImageFormatProperties> {
    let unsupported = Error(vk::Result::ERROR_FORMAT_NOT_SUPPORTED);
    let external = chain::find::<vk::PhysicalDeviceExternalImageFormatInfo<'_>, _>(info);
    if external
        .map(|external| external.handle_type)
        .is_some_and(|ty| !ty.is_empty() && ty != EXTERNAL_MEMORY && !HOST_MEMORY.contains(&ty))
    {
        return Err(unsupported);
    }
    let stencil = chain::find::<vk::ImageStencilUsageCreateInfo<'_>, _>(info);
    let query = ImageQuery {
        format: info.format,
        ty: info.ty,
        tiling: info.tiling,
        // The aspects may be used differently; the format must do both.
        usage: info.usage | stencil.map_or(vk::ImageUsageFlags::empty(), |stencil| stencil.stencil_usage),
        flags: info.flags,
    };
    image_format_properties(&query).ok_or(unsupported)
}
