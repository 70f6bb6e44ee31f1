//! Which images can be made.

use super::limits::{MAX_IMAGE_DIMENSION, MAX_IMAGE_DIMENSION_3D, MAX_LAYERS, SAMPLE_COUNTS};
use crate::{
    resource::{
        MAX_IMAGE_SIZE,
        format::{Format, features},
        may_be_resident_in_part, sparse_format,
    },
    vk,
};
use vk::{FormatFeatureFlags as F, ImageCreateFlags as C, ImageUsageFlags as U};

/// What an application wants to make.
#[derive(Clone, Copy, Debug)]
pub struct ImageQuery {
    /// Its format.
    pub format: vk::Format,
    /// Its number of dimensions.
    pub ty: vk::ImageType,
    /// Its tiling.
    pub tiling: vk::ImageTiling,
    /// All that it is used for.
    pub usage: U,
    /// Flags that it is created with.
    pub flags: C,
}

/// What each usage asks of the format.
const USAGES: [(U, F); 7] = [
    (U::TRANSFER_SRC, F::TRANSFER_SRC),
    (U::TRANSFER_DST, F::TRANSFER_DST),
    (U::SAMPLED, F::SAMPLED_IMAGE),
    (U::STORAGE, F::STORAGE_IMAGE),
    (U::COLOR_ATTACHMENT, F::COLOR_ATTACHMENT),
    (U::DEPTH_STENCIL_ATTACHMENT, F::DEPTH_STENCIL_ATTACHMENT),
    (
        U::INPUT_ATTACHMENT,
        F::from_raw(F::COLOR_ATTACHMENT.as_raw() | F::DEPTH_STENCIL_ATTACHMENT.as_raw()),
    ),
];

/// Flags that images may be created with.
const FLAGS: C = C::from_raw(
    C::MUTABLE_FORMAT.as_raw()
        | C::CUBE_COMPATIBLE.as_raw()
        | C::TYPE_2D_ARRAY_COMPATIBLE.as_raw()
        | C::ALIAS.as_raw()
        | C::EXTENDED_USAGE.as_raw()
        | C::BLOCK_TEXEL_VIEW_COMPATIBLE.as_raw()
        | C::SPARSE_BINDING.as_raw()
        | C::SPARSE_RESIDENCY.as_raw()
        | C::SPARSE_ALIASED.as_raw()
        | C::SPLIT_INSTANCE_BIND_REGIONS.as_raw()
        | C::DISJOINT.as_raw()
        | C::TYPE_2D_VIEW_COMPATIBLE_EXT.as_raw(),
);

/// The limits of such images; none if they cannot be made.
#[must_use]
pub fn image_format_properties(query: &ImageQuery) -> Option<vk::ImageFormatProperties> {
    let row = Format::of(query.format)?;
    let all = features(query.format);
    let linear = query.tiling == vk::ImageTiling::LINEAR;
    let offered = if linear { all.linear } else { all.optimal };
    let tiling = linear || query.tiling == vk::ImageTiling::OPTIMAL;
    let flags = FLAGS.contains(query.flags) && flags_fit(query, row);
    if offered.is_empty() || !tiling || !flags || !usage_fits(query, offered) {
        return None;
    }
    let is_3d = query.ty == vk::ImageType::TYPE_3D;
    if is_3d && row.is_depth_stencil() {
        return None;
    }
    let wide = MAX_IMAGE_DIMENSION;
    let extent = match query.ty {
        vk::ImageType::TYPE_1D => [wide, 1, 1],
        vk::ImageType::TYPE_2D => [wide, wide, 1],
        _ => [MAX_IMAGE_DIMENSION_3D; 3],
    };
    Some(vk::ImageFormatProperties {
        max_extent: vk::Extent3D {
            width: extent[0],
            height: extent[1],
            depth: extent[2],
        },
        max_mip_levels: if row.is_ycbcr() { 1 } else { extent[0].ilog2() + 1 },
        max_array_layers: if is_3d { 1 } else { MAX_LAYERS },
        sample_counts: sample_counts(query, offered),
        max_resource_size: MAX_IMAGE_SIZE,
    })
}

fn usage_fits(query: &ImageQuery, offered: F) -> bool {
    // With extended usage, a view's format answers for what the image's own cannot do.
    query.flags.contains(C::EXTENDED_USAGE)
        || USAGES
            .iter()
            .all(|(usage, any)| !query.usage.contains(*usage) || offered.intersects(*any))
}

fn flags_fit(query: &ImageQuery, row: &Format) -> bool {
    let two = query.ty == vk::ImageType::TYPE_2D;
    let three = query.ty == vk::ImageType::TYPE_3D;
    (!query.flags.contains(C::CUBE_COMPATIBLE) || two)
        && (!query.flags.contains(C::TYPE_2D_ARRAY_COMPATIBLE) || three)
        && (!query.flags.contains(C::TYPE_2D_VIEW_COMPATIBLE_EXT) || three)
        && (!query.flags.contains(C::BLOCK_TEXEL_VIEW_COMPATIBLE) || row.is_compressed())
        && (!query.flags.contains(C::SPARSE_RESIDENCY) || is_resident_in_part(query))
        && (!query.flags.contains(C::DISJOINT) || row.has_planes())
        && (!row.is_ycbcr() || two && !query.flags.intersects(C::CUBE_COMPATIBLE | C::SPARSE_BINDING))
}

/// Whether memory can be bound to parts of such an image.
fn is_resident_in_part(query: &ImageQuery) -> bool {
    query.tiling == vk::ImageTiling::OPTIMAL && may_be_resident_in_part(query.format, query.ty)
}

/// What Vulkan says of sparse images of a format, by aspect; nothing if there are none of this kind.
#[must_use]
pub fn sparse_image_formats(
    query: &ImageQuery,
    samples: vk::SampleCountFlags,
) -> Vec<vk::SparseImageFormatProperties> {
    let flags = query.flags | C::SPARSE_BINDING | C::SPARSE_RESIDENCY;
    let possible = image_format_properties(&ImageQuery { flags, ..*query });
    match possible {
        Some(_) if samples == vk::SampleCountFlags::TYPE_1 => sparse_format(query.format),
        _ => vec![],
    }
}

fn sample_counts(query: &ImageQuery, offered: F) -> vk::SampleCountFlags {
    let multisampled = query.ty == vk::ImageType::TYPE_2D
        && query.tiling == vk::ImageTiling::OPTIMAL
        && !query.flags.intersects(C::CUBE_COMPATIBLE | C::SPARSE_RESIDENCY)
        && offered.intersects(F::COLOR_ATTACHMENT | F::DEPTH_STENCIL_ATTACHMENT);
    if multisampled {
        SAMPLE_COUNTS
    } else {
        vk::SampleCountFlags::TYPE_1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query() -> ImageQuery {
        ImageQuery {
            format: vk::Format::R8G8B8A8_UNORM,
            ty: vk::ImageType::TYPE_2D,
            tiling: vk::ImageTiling::OPTIMAL,
            usage: U::COLOR_ATTACHMENT | U::SAMPLED,
            flags: C::empty(),
        }
    }

    #[test]
    fn ordinary_images_are_offered() {
        let found = image_format_properties(&query()).expect("is offered");
        assert_eq!(found.max_mip_levels, 15);
        assert!(found.sample_counts.contains(vk::SampleCountFlags::TYPE_4));
    }

    #[test]
    fn what_the_format_cannot_do_is_refused() {
        let depth = ImageQuery {
            format: vk::Format::D32_SFLOAT,
            ..query()
        };
        assert!(image_format_properties(&depth).is_none(), "no colour attachment");
        let sparse = ImageQuery {
            flags: C::SPARSE_BINDING | C::SPARSE_RESIDENCY,
            ..query()
        };
        assert!(image_format_properties(&sparse).is_some());
        let line = ImageQuery {
            ty: vk::ImageType::TYPE_1D,
            ..sparse
        };
        assert!(image_format_properties(&line).is_none());
        let cube = ImageQuery {
            flags: C::CUBE_COMPATIBLE,
            ty: vk::ImageType::TYPE_3D,
            ..query()
        };
        assert!(image_format_properties(&cube).is_none());
    }
}
