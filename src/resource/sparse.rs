//! Images that are resident in part.
//!
//! Memory is bound to them page by page. A page holds texels of one row of blocks, so the granularity is as many
//! texels wide as a page has room for, and one row high. Rows begin with a page, in the smallest level too, so that
//! there is no mip tail.

use super::format::Format;
use super::layout::ROW_ALIGNMENT;
use super::{Image, ImageInfo, Plane};
use crate::memory::SPARSE_PAGE;
use crate::vk;

/// Texels of a page; none if a format's texels do not fill it.
pub(super) fn granularity(format: &Format) -> Option<[u32; 3]> {
    let bytes = u64::from(format.bytes);
    let fills = bytes != 0 && SPARSE_PAGE.is_multiple_of(bytes);
    let blocks = fills.then(|| (SPARSE_PAGE / bytes) as u32)?;
    Some([blocks * u32::from(format.block.0), format.block.1.into(), 1])
}

/// The unit that rows are rounded up to.
pub(super) fn row_unit(info: &ImageInfo) -> u64 {
    if is_resident_in_part(info) {
        SPARSE_PAGE
    } else {
        ROW_ALIGNMENT
    }
}

/// The same for descriptors.
pub(super) fn row_padding(info: &ImageInfo) -> u16 {
    (row_unit(info) - ROW_ALIGNMENT) as u16
}

fn is_resident_in_part(info: &ImageInfo) -> bool {
    info.flags.contains(vk::ImageCreateFlags::SPARSE_RESIDENCY)
}

/// Whether images of a format can be resident in part, in a number of dimensions.
#[must_use]
pub fn may_be_resident_in_part(format: vk::Format, ty: vk::ImageType) -> bool {
    let dimensions = [vk::ImageType::TYPE_2D, vk::ImageType::TYPE_3D].contains(&ty);
    dimensions && !sparse_format(format).is_empty()
}

/// What is known of sparse images of a format, by aspect; nothing if there are none.
#[must_use]
pub fn sparse_format(format: vk::Format) -> Vec<vk::SparseImageFormatProperties> {
    use vk::ImageAspectFlags as A;
    let of = |aspect| Some((aspect, Format::of(format)?.aspect(aspect)?));
    let aspects = [A::COLOR, A::DEPTH, A::STENCIL].into_iter().filter_map(of);
    let properties = aspects.map(|(aspect, format)| properties(aspect, format));
    properties.collect::<Option<_>>().unwrap_or_default()
}

fn properties(aspect_mask: vk::ImageAspectFlags, format: &Format) -> Option<vk::SparseImageFormatProperties> {
    let [width, height, depth] = granularity(format)?;
    Some(vk::SparseImageFormatProperties {
        aspect_mask,
        image_granularity: vk::Extent3D { width, height, depth },
        flags: vk::SparseImageFormatFlags::empty(),
    })
}

impl Image {
    /// How its parts are bound, by aspect; nothing if it is not resident in part.
    #[must_use]
    pub fn sparse_requirements(&self) -> Vec<vk::SparseImageMemoryRequirements> {
        if !is_resident_in_part(self.info()) {
            return vec![];
        }
        let planes = self.layout().planes.iter();
        planes
            .filter_map(|plane| requirements(self.info(), plane))
            .collect()
    }

    /// The bytes of a block of texels of a level, row by row: offsets and sizes in the image. Nothing if there is no
    /// such place.
    pub fn sparse_rows(
        &self,
        subresource: &vk::ImageSubresource,
        offset: vk::Offset3D,
        extent: vk::Extent3D,
    ) -> Option<impl Iterator<Item = (u64, u64)>> {
        let plane = self.plane(subresource.aspect_mask)?;
        let level = plane.levels.get(subresource.mip_level as usize)?;
        let unit = granularity(plane.format)?;
        let inside = subresource.array_layer < self.info().layers && is_resident_in_part(self.info());
        let first = [offset.x, offset.y, offset.z].map(u32::try_from);
        let (&[Ok(x), Ok(y), Ok(z)], true) = (&first, inside) else {
            return None;
        };
        let size = [extent.width, extent.height, extent.depth];
        let ends = [x, y, z].into_iter().zip(size).zip(level.extent);
        if !ends
            .into_iter()
            .all(|((at, size), have)| at <= have && size <= have - at)
        {
            return None;
        }
        let blocks = |texels: u32, axis: usize| u64::from(texels.div_ceil(unit[axis]));
        let begin = plane.offset
            + u64::from(subresource.array_layer) * plane.layer_pitch
            + level.offset
            + u64::from(x / unit[0]) * SPARSE_PAGE;
        let (row, slice) = (level.row_pitch, level.slice_pitch);
        let (y, z) = (u64::from(y / unit[1]), u64::from(z));
        let (width, height, depth) = (
            blocks(size[0], 0) * SPARSE_PAGE,
            blocks(size[1], 1),
            blocks(size[2], 2),
        );
        let rows = move |z: u64| (y..y + height).map(move |y| (begin + z * slice + y * row, width));
        Some((z..z + depth).flat_map(rows))
    }
}

fn requirements(info: &ImageInfo, plane: &Plane) -> Option<vk::SparseImageMemoryRequirements> {
    Some(vk::SparseImageMemoryRequirements {
        format_properties: properties(plane.aspect, plane.format)?,
        image_mip_tail_first_lod: info.levels,
        ..Default::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(format: vk::Format, extent: [u32; 3], levels: u32, layers: u32) -> Image {
        let flags = vk::ImageCreateFlags::SPARSE_BINDING | vk::ImageCreateFlags::SPARSE_RESIDENCY;
        Image::new(ImageInfo {
            flags,
            format,
            extent,
            levels,
            layers,
            ..ImageInfo::default()
        })
        .unwrap()
    }

    #[test]
    fn every_page_is_in_one_block() {
        for (format, extent) in [
            (vk::Format::R8G8B8A8_UNORM, [2050, 9, 1]),
            (vk::Format::R32G32B32A32_SFLOAT, [60, 33, 1]),
            (vk::Format::BC1_RGBA_UNORM_BLOCK, [4100, 18, 1]),
            (vk::Format::D32_SFLOAT_S8_UINT, [500, 4, 1]),
        ] {
            let image = image(format, extent, 4, 2);
            let mut pages = vec![];
            let list = image.sparse_requirements();
            assert_eq!(list.len(), image.layout().planes.len());
            for (known, layer, level) in list.iter().flat_map(|k| (0..8).map(move |i| (k, i / 4, i % 4))) {
                let at = vk::ImageSubresource {
                    aspect_mask: known.format_properties.aspect_mask,
                    mip_level: level,
                    array_layer: layer,
                };
                let plane = image.plane(at.aspect_mask).unwrap();
                let [width, height, depth] = plane.levels[level as usize].extent;
                let all = vk::Extent3D { width, height, depth };
                let rows = image.sparse_rows(&at, vk::Offset3D::default(), all).unwrap();
                pages.extend(rows.flat_map(|(at, len)| (at..at + len).step_by(SPARSE_PAGE as usize)));
            }
            pages.sort_unstable();
            let all: Vec<u64> = (0..image.requirements(1).size)
                .step_by(SPARSE_PAGE as usize)
                .collect();
            assert_eq!(pages, all, "{format:?}");
        }
    }

    #[test]
    fn places_outside_are_refused() {
        let image = image(vk::Format::R8G8B8A8_UNORM, [2048, 8, 1], 1, 1);
        let rows = |x, width| {
            let at = vk::ImageSubresource {
                aspect_mask: vk::ImageAspectFlags::COLOR,
                ..Default::default()
            };
            let found = image.sparse_rows(
                &at,
                vk::Offset3D { x, y: 2, z: 0 },
                vk::Extent3D {
                    width,
                    height: 2,
                    depth: 1,
                },
            );
            found.map(Iterator::collect::<Vec<_>>)
        };
        assert_eq!(
            rows(1024, 1024),
            Some(vec![(2 * 8192 + 4096, 4096), (3 * 8192 + 4096, 4096)])
        );
        assert_eq!(rows(1024, 2048), None);
        assert_eq!(rows(-1024, 1024), None);
        assert!(!may_be_resident_in_part(
            vk::Format::R32G32B32_SFLOAT,
            vk::ImageType::TYPE_2D
        ));
    }
}
