//! Where the texels of an image lie: rows in levels in layers in planes.
//!
//! ```text
//! plane    one of a combined depth/stencil format's two, of the colour planes, or the only one
//! layer    layer_pitch apart; holds all levels
//! level    at Level::offset in the layer; levels from 6 on are tail_pitch apart
//! sample   sample_pitch apart (multisampled images have one level)
//! slice    slice_pitch apart (3D)
//! row      row_pitch apart: of blocks, rounded up to 16 bytes, or to whole pages (see `sparse`)
//! ```

use super::format::{Format, PLANES};
use super::sparse::row_unit;
use super::{ALIGNMENT, Error, ImageInfo, MAX_IMAGE_SIZE};
use crate::descriptor::MAX_MIP_OFFSETS;
use crate::vk;
use smallvec::SmallVec;

/// Aspects that planes have.
pub(super) const ASPECTS: [vk::ImageAspectFlags; 6] = [
    vk::ImageAspectFlags::COLOR,
    vk::ImageAspectFlags::DEPTH,
    vk::ImageAspectFlags::STENCIL,
    PLANES[0],
    PLANES[1],
    PLANES[2],
];

/// Rows are multiples of this.
pub(super) const ROW_ALIGNMENT: u64 = 16;

/// One mip level of a plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level {
    /// First byte in the layer.
    pub offset: u64,
    /// Texels.
    pub extent: [u32; 3],
    /// Bytes from one row of blocks to the next.
    pub row_pitch: u64,
    /// Bytes from one slice to the next.
    pub slice_pitch: u64,
}

impl Level {
    /// Bytes of one sample of the level.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.slice_pitch * u64::from(self.extent[2])
    }
}

/// One plane: an image of one format.
#[derive(Clone, Debug)]
pub struct Plane {
    /// Format of its texels.
    pub format: &'static Format,
    /// What it is, for views and copies.
    pub aspect: vk::ImageAspectFlags,
    /// First byte in the image.
    pub offset: u64,
    /// Levels.
    pub levels: SmallVec<[Level; 1]>,
    /// Bytes from one layer to the next.
    pub layer_pitch: u64,
    /// Bytes from one sample to the next.
    pub sample_pitch: u64,
    /// Bytes from one level to the next from level 6 on.
    pub tail_pitch: u64,
}

/// The layout of an image.
#[derive(Clone, Debug)]
pub struct ImageLayout {
    /// Its planes.
    pub planes: SmallVec<[Plane; 1]>,
    /// Bytes of the whole image.
    pub size: u64,
}

impl ImageLayout {
    /// Lays an image out.
    ///
    /// # Errors
    /// [`Error::Format`], [`Error::TooLarge`].
    pub fn new(info: &ImageInfo) -> Result<ImageLayout, Error> {
        let format = Format::of(info.format).ok_or(Error::Format(info.format))?;
        let mut planes: SmallVec<[Plane; 1]> = SmallVec::new();
        let mut size = 0;
        let shifts = format.parts.iter().map(|part| part.shift);
        let shifts = [(0, 0); 3].into_iter().chain(shifts);
        for (aspect, shift) in ASPECTS.into_iter().zip(shifts) {
            let Some(format) = format.aspect(aspect) else {
                continue;
            };
            let mut info = *info;
            info.extent[0] = info.extent[0].div_ceil(1 << shift.0);
            info.extent[1] = info.extent[1].div_ceil(1 << shift.1);
            let plane = Plane::new(&info, format, aspect, size)?;
            size += plane.layer_pitch.saturating_mul(u64::from(info.layers));
            if size > MAX_IMAGE_SIZE {
                return Err(Error::TooLarge);
            }
            planes.push(plane);
        }
        Ok(ImageLayout { planes, size })
    }

    /// The plane of an aspect. Several aspects: that of the first, depth before stencil.
    #[must_use]
    pub fn plane(&self, aspect: vk::ImageAspectFlags) -> Option<&Plane> {
        self.planes.iter().find(|p| p.is_of(aspect))
    }
}

impl Plane {
    /// Whether it is of these aspects; all colour planes are of the colour aspect.
    #[must_use]
    pub fn is_of(&self, aspects: vk::ImageAspectFlags) -> bool {
        let color = aspects.contains(vk::ImageAspectFlags::COLOR) && PLANES.contains(&self.aspect);
        color || aspects.intersects(self.aspect)
    }

    fn new(
        info: &ImageInfo,
        format: &'static Format,
        aspect: vk::ImageAspectFlags,
        offset: u64,
    ) -> Result<Plane, Error> {
        let mut levels: SmallVec<[Level; 1]> = SmallVec::new();
        let (mut end, mut tail_pitch) = (0, 0);
        for l in 0..info.levels {
            let mut level = level(info, format, l).ok_or(Error::TooLarge)?;
            level.offset = end;
            if l as usize == MAX_MIP_OFFSETS {
                tail_pitch = align(level.size());
            }
            end += if l as usize >= MAX_MIP_OFFSETS {
                tail_pitch
            } else {
                align(level.size())
            };
            if end > MAX_IMAGE_SIZE {
                return Err(Error::TooLarge);
            }
            levels.push(level);
        }
        let layer_pitch = end * u64::from(info.samples);
        if layer_pitch > MAX_IMAGE_SIZE {
            return Err(Error::TooLarge);
        }
        Ok(Plane {
            format,
            aspect,
            offset,
            levels,
            layer_pitch,
            sample_pitch: end,
            tail_pitch,
        })
    }
}

fn align(size: u64) -> u64 {
    size.next_multiple_of(ALIGNMENT)
}

/// Level `l`, still without its offset.
fn level(info: &ImageInfo, format: &Format, l: u32) -> Option<Level> {
    let extent = info.extent.map(|e| e.checked_shr(l).unwrap_or(0).max(1));
    let blocks = u64::from(extent[0].div_ceil(u32::from(format.block.0)));
    let rows = u64::from(extent[1].div_ceil(u32::from(format.block.1)));
    let unit = row_unit(info);
    let row_pitch = (blocks * u64::from(format.bytes)).next_multiple_of(unit);
    let slice_pitch = row_pitch.checked_mul(rows)?;
    slice_pitch
        .checked_mul(u64::from(extent[2]))
        .filter(|&s| s <= MAX_IMAGE_SIZE)?;
    Some(Level {
        offset: 0,
        extent,
        row_pitch,
        slice_pitch,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn info(format: vk::Format, extent: [u32; 3], levels: u32, layers: u32, samples: u32) -> ImageInfo {
        ImageInfo {
            format,
            extent,
            levels,
            layers,
            samples,
            ..Default::default()
        }
    }

    #[test]
    fn rows_are_rounded_up_and_the_tail_is_even() {
        let l = ImageLayout::new(&info(vk::Format::R8G8B8A8_UNORM, [513, 300, 1], 10, 3, 1)).unwrap();
        let p = &l.planes[0];
        assert_eq!(p.levels[0].row_pitch, 2064);
        assert_eq!(
            p.levels[1],
            Level {
                offset: 2064 * 300,
                extent: [256, 150, 1],
                row_pitch: 1024,
                slice_pitch: 153_600
            }
        );
        assert_eq!(p.levels[9].extent, [1, 1, 1]);
        let gap = |l: usize| p.levels[l + 1].offset - p.levels[l].offset;
        assert!((6..9).all(|l| gap(l) == p.tail_pitch));
        assert_eq!(l.size, p.layer_pitch * 3);
    }

    #[test]
    fn combined_formats_have_two_planes() {
        let l = ImageLayout::new(&info(vk::Format::D32_SFLOAT_S8_UINT, [32, 8, 1], 1, 2, 4)).unwrap();
        let [d, s] = &l.planes[..] else {
            panic!("two planes")
        };
        assert_eq!(
            (d.format.vk, s.format.vk),
            (vk::Format::D32_SFLOAT, vk::Format::S8_UINT)
        );
        assert_eq!((d.sample_pitch, d.layer_pitch, s.offset), (1024, 4096, 8192));
        assert_eq!((s.sample_pitch, l.size), (256, 8192 + 2048));
        assert_eq!(l.plane(vk::ImageAspectFlags::STENCIL).unwrap().offset, 8192);
        assert!(l.plane(vk::ImageAspectFlags::COLOR).is_none());
    }

    #[test]
    fn images_that_no_memory_holds_are_refused() {
        let big = info(
            vk::Format::R32G32B32A32_SFLOAT,
            [1 << 20, 1 << 20, 1 << 20],
            1,
            1,
            1,
        );
        assert_eq!(ImageLayout::new(&big).unwrap_err(), Error::TooLarge);
        assert!(ImageLayout::new(&info(vk::Format::UNDEFINED, [1, 1, 1], 1, 1, 1)).is_err());
    }

    proptest! {
        #[test]
        fn subresources_do_not_overlap(w in 1u32..300, h in 1u32..300, d in 1u32..20, layers in 1u32..4) {
            let levels = 32 - w.max(h).max(d).leading_zeros();
            for format in [vk::Format::R8_UNORM, vk::Format::D24_UNORM_S8_UINT, vk::Format::R16G16B16A16_SFLOAT] {
                let l = ImageLayout::new(&info(format, [w, h, d], levels, layers, 1)).unwrap();
                let mut end = 0;
                for p in &l.planes {
                    for a in 0..u64::from(layers) {
                        for level in &p.levels {
                            let start = p.offset + a * p.layer_pitch + level.offset;
                            prop_assert!(start >= end && start % ALIGNMENT == 0);
                            end = start + level.size();
                        }
                    }
                }
                prop_assert!(end <= l.size);
            }
        }
    }
}
