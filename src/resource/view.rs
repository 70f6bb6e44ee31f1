//! Image views: descriptor bytes, made once, and attachments.

use super::format::Format;
use super::layout::{Level, Plane};
use super::sparse::row_padding;
use super::{Conversion, Error, Image};
use crate::descriptor::{Capture, ImageDescriptor, KIND_MARK, MAX_MIP_OFFSETS, fingerprint};
use crate::raster::Attachment;
use crate::vk;
use std::sync::Arc;
use vk::ComponentSwizzle as Swizzle;
use vk::ImageAspectFlags as Aspect;

/// What an image view is made from.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "Vulkan's names")]
pub struct ImageViewInfo {
    pub view_type: vk::ImageViewType,
    pub format: vk::Format,
    pub components: vk::ComponentMapping,
    pub range: vk::ImageSubresourceRange,
    /// Usage, if it is less than the image's.
    pub usage: vk::ImageUsageFlags,
    /// What samplers make of it.
    pub conversion: Option<Conversion>,
    /// First and number of the slices of a 3D view, if not all.
    pub slices: Option<(u32, u32)>,
    /// Least level of detail, in levels of the image.
    pub min_lod: f32,
}

/// A `VkImageView`.
#[derive(Debug)]
pub struct ImageView {
    image: Arc<Image>,
    info: ImageViewInfo,
    descriptor: ImageDescriptor,
    /// Of the first level: colour or depth, and stencil.
    attachments: [Option<Attachment>; 2],
    layers: u32,
    levels: u32,
    capture: Option<Capture>,
}

/// View type of texel buffers in the kind of a descriptor.
const TEXEL_BUFFER_VIEW: u64 = 7;
/// Swizzle bits that change nothing.
const IDENTITY: u64 = 2 | 3 << 3 | 4 << 6 | 5 << 9;

/// `kind` of a texel buffer.
pub(super) fn texel_kind(format: &Format) -> u64 {
    KIND_MARK | u64::from(format.number()) | TEXEL_BUFFER_VIEW << 16 | IDENTITY << 32
}

impl ImageView {
    /// A view of a bound image.
    ///
    /// # Errors
    /// [`Error::Format`], [`Error::Unsupported`] for ranges that the image does not have.
    pub fn new(image: &Arc<Image>, mut info: ImageViewInfo) -> Result<ImageView, Error> {
        let sliced =
            image.info().image_type == vk::ImageType::TYPE_3D && info.view_type != vk::ImageViewType::TYPE_3D;
        let (levels, layers) = image.resolve(&info.range, sliced);
        info.range.level_count = levels;
        info.range.layer_count = layers;
        let geometry = |aspect| Geometry::new(image, &info, aspect, sliced);
        let aspect = info.range.aspect_mask;
        let first = geometry(aspect)?;
        let stencil = if aspect.contains(Aspect::STENCIL) {
            Some(geometry(Aspect::STENCIL)?)
        } else {
            None
        };
        let main = if aspect == Aspect::STENCIL {
            None
        } else {
            Some(first.attachment(image))
        };
        Ok(ImageView {
            descriptor: first.descriptor(image, &info),
            attachments: [main, stencil.map(|g| g.attachment(image))],
            image: image.clone(),
            info,
            layers,
            levels,
            capture: None,
        })
    }

    /// What its descriptor depends on, the image's memory aside.
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        let ImageViewInfo {
            view_type,
            format,
            components: c,
            range: r,
            usage,
            conversion,
            slices,
            min_lod,
        } = self.info;
        let raw = [
            view_type.as_raw() as u32,
            format.as_raw() as u32,
            swizzle_bits(&c) as u32,
            r.aspect_mask.as_raw(),
            r.base_mip_level,
            r.level_count,
            r.base_array_layer,
            r.layer_count,
            usage.as_raw(),
            min_lod.to_bits(),
        ];
        let rest = conversion.map(|conversion| conversion.bits());
        let slices = slices.map(|(first, count)| u64::from(first) << 32 | u64::from(count));
        let rest = rest.into_iter().chain(slices).chain([self.image.fingerprint()]);
        fingerprint(raw.map(u64::from).into_iter().chain(rest))
    }

    /// Sets its identity for capture and replay.
    pub fn set_capture(&mut self, capture: Option<Capture>) {
        self.capture = capture;
    }

    /// Its identity, if it was made to be captured.
    #[must_use]
    pub fn capture(&self) -> Option<&Capture> {
        self.capture.as_ref()
    }

    /// The image.
    #[must_use]
    pub fn image(&self) -> &Arc<Image> {
        &self.image
    }

    /// What it was made from, with `VK_REMAINING_…` resolved.
    #[must_use]
    pub fn info(&self) -> &ImageViewInfo {
        &self.info
    }

    /// Its descriptor.
    #[must_use]
    #[inline]
    pub fn descriptor(&self) -> &ImageDescriptor {
        &self.descriptor
    }

    /// Layers (slices, for a 2D view of a 3D image).
    #[must_use]
    pub fn layers(&self) -> u32 {
        self.layers
    }

    /// Levels.
    #[must_use]
    pub fn levels(&self) -> u32 {
        self.levels
    }

    /// Its first level as a colour or depth attachment, or with `STENCIL` as a stencil attachment.
    #[must_use]
    pub fn attachment(&self, aspect: Aspect) -> Option<&Attachment> {
        self.attachments[usize::from(aspect == Aspect::STENCIL)].as_ref()
    }
}

/// The memory that a view shows.
struct Geometry<'a> {
    plane: &'a Plane,
    format: &'static Format,
    level: &'a Level,
    base_level: usize,
    address: u64,
    layer_pitch: u64,
    /// Texels of the first level, in texels of the view's format.
    extent: [u32; 3],
    slices: u32,
}

impl<'a> Geometry<'a> {
    fn new(
        image: &'a Image,
        info: &ImageViewInfo,
        aspect: Aspect,
        sliced: bool,
    ) -> Result<Geometry<'a>, Error> {
        let plane = image.plane(aspect).ok_or(Error::Unsupported("this aspect"))?;
        let base_level = info.range.base_mip_level as usize;
        let level = plane
            .levels
            .get(base_level)
            .ok_or(Error::Unsupported("this level"))?;
        let format = Format::of(info.format).ok_or(Error::Format(info.format))?;
        let planes = info.range.aspect_mask.contains(Aspect::COLOR) && format.has_planes();
        if planes && format.color_planes().count() != image.layout().planes.len() {
            return Err(Error::Format(info.format));
        }
        // Views of one of several planes show the plane's own format, if not another.
        let format = if format.is_depth_stencil() || format.has_planes() && !planes {
            plane.format
        } else {
            format
        };
        let layer_pitch = if sliced {
            level.slice_pitch
        } else {
            plane.layer_pitch
        };
        let mut extent = level.extent;
        if plane.format.is_compressed() && !format.is_compressed() {
            // Blocks seen as texels.
            extent[0] = extent[0].div_ceil(u32::from(plane.format.block.0));
            extent[1] = extent[1].div_ceil(u32::from(plane.format.block.1));
        }
        let all = extent[2];
        let (first_slice, slices) = match info.slices.filter(|_| !sliced) {
            Some((first, count)) if first < all => (first, count.min(all - first)),
            Some(_) => return Err(Error::Unsupported("this slice")),
            None => (0, if sliced { 1 } else { all }),
        };
        Ok(Geometry {
            plane,
            format,
            level,
            base_level,
            address: image.plane_address(plane)
                + level.offset
                + u64::from(first_slice) * level.slice_pitch
                + u64::from(info.range.base_array_layer) * layer_pitch,
            layer_pitch,
            extent,
            slices,
        })
    }

    fn attachment(&self, image: &Image) -> Attachment {
        Attachment {
            format: self.format.vk,
            address: self.address,
            row_pitch: self.level.row_pitch,
            layer_pitch: self.layer_pitch,
            sample_pitch: self.plane.sample_pitch,
            samples: image.info().samples,
            width: self.extent[0],
            height: self.extent[1],
        }
    }

    fn descriptor(&self, image: &Image, info: &ImageViewInfo) -> ImageDescriptor {
        let mut mip_offsets = [0; MAX_MIP_OFFSETS];
        let below = self.plane.levels[self.base_level..].iter().skip(1);
        for (slot, level) in mip_offsets
            .iter_mut()
            .zip(below)
            .take(info.range.level_count as usize - 1)
        {
            *slot = units(level.offset - self.level.offset);
        }
        if self.format.has_planes() {
            mip_offsets = self.chroma_planes(image, info);
        }
        ImageDescriptor {
            address: self.address,
            kind: self.kind(image, info),
            width: self.extent[0] as u16,
            height: self.extent[1] as u16,
            depth: self.slices as u16,
            layers: info.range.layer_count as u16,
            levels: info.range.level_count as u16,
            row_padding: row_padding(image.info()) | self.format.bytes.max(1).ilog2() as u16,
            layer_pitch: units(self.layer_pitch),
            sample_pitch: match self.min_lod(image, info) {
                Some(min_lod) => min_lod.to_bits(),
                None => units(self.plane.sample_pitch),
            },
            tail_pitch: units(self.plane.tail_pitch),
            mip_offsets,
        }
    }

    /// Least level of detail, in levels of the view; samples and levels exclude each other.
    fn min_lod(&self, image: &Image, info: &ImageViewInfo) -> Option<f32> {
        let least = info.min_lod - self.base_level as f32;
        (least > 0.0 && image.info().samples == 1).then_some(least)
    }

    /// What stands in place of the levels' offsets.
    fn chroma_planes(&self, image: &Image, info: &ImageViewInfo) -> [u32; MAX_MIP_OFFSETS] {
        let mut words = [0; MAX_MIP_OFFSETS];
        for (index, plane) in image.layout().planes.iter().skip(1).take(2).enumerate() {
            let first = u64::from(info.range.base_array_layer) * plane.layer_pitch;
            let address = image.plane_address(plane) + first;
            words[2 * index] = address as u32;
            words[2 * index + 1] = (address >> 32) as u32;
            words[4 + index] = units(plane.layer_pitch);
        }
        words
    }

    fn kind(&self, image: &Image, info: &ImageViewInfo) -> u64 {
        // A conversion has its own mapping; the view's is the identity then.
        let mapping = match &info.conversion {
            Some(conversion) => conversion.bits(),
            None => swizzle_bits(&info.components) << 32,
        };
        let aspect = match self.plane.aspect {
            Aspect::DEPTH => 1,
            Aspect::STENCIL => 2,
            _ => 0,
        };
        KIND_MARK
            | u64::from(self.format.number())
            | (info.view_type.as_raw() as u64 & 15) << 16
            | aspect << 20
            | mapping
            | u64::from(self.min_lod(image, info).is_some()) << 31
            | u64::from(image.info().samples.trailing_zeros()) << 44
    }
}

/// Pitches are multiples of 64 bytes, below 2^36.
fn units(bytes: u64) -> u32 {
    u32::try_from(bytes / 16).unwrap_or(u32::MAX)
}

pub(super) fn swizzle_bits(c: &vk::ComponentMapping) -> u64 {
    let bits = |s: Swizzle, own: u64| match s {
        Swizzle::ZERO => 0,
        Swizzle::ONE => 1,
        Swizzle::R => 2,
        Swizzle::G => 3,
        Swizzle::B => 4,
        Swizzle::A => 5,
        _ => own,
    };
    bits(c.r, 2) | bits(c.g, 3) << 3 | bits(c.b, 4) << 6 | bits(c.a, 5) << 9
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resource::ImageInfo;

    fn image(info: ImageInfo) -> Arc<Image> {
        let image = Image::new(info).unwrap();
        image.bind(0x10_0000);
        Arc::new(image)
    }

    fn range(aspect: Aspect, level: u32, levels: u32, layer: u32, layers: u32) -> vk::ImageSubresourceRange {
        vk::ImageSubresourceRange {
            aspect_mask: aspect,
            base_mip_level: level,
            level_count: levels,
            base_array_layer: layer,
            layer_count: layers,
        }
    }

    fn view(image: &Arc<Image>, ty: vk::ImageViewType, range: vk::ImageSubresourceRange) -> ImageView {
        let info = ImageViewInfo {
            view_type: ty,
            format: image.info().format,
            components: vk::ComponentMapping::default(),
            range,
            usage: image.info().usage,
            conversion: None,
            slices: None,
            min_lod: 0.0,
        };
        ImageView::new(image, info).unwrap()
    }

    #[test]
    fn a_view_of_some_levels_and_layers() {
        let i = image(ImageInfo {
            format: vk::Format::R8G8B8A8_UNORM,
            extent: [1024, 512, 1],
            levels: 11,
            layers: 8,
            ..Default::default()
        });
        let v = view(
            &i,
            vk::ImageViewType::TYPE_2D_ARRAY,
            range(Aspect::COLOR, 2, !0, 3, !0),
        );
        let d = v.descriptor();
        assert_eq!(
            (d.width, d.height, d.depth, d.layers, d.levels),
            (256, 128, 1, 5, 9)
        );
        let p = &i.layout().planes[0];
        assert_eq!(d.address, 0x10_0000 + 3 * p.layer_pitch + p.levels[2].offset);
        // Every level is found the way the descriptor's documentation says.
        for l in 0..9u64 {
            let at = match l {
                0 => 0,
                1..=6 => u64::from(d.mip_offsets[l as usize - 1]),
                _ => u64::from(d.mip_offsets[5]) + (l - 6) * u64::from(d.tail_pitch),
            };
            assert_eq!(
                d.address + at * 16,
                0x10_0000 + 3 * p.layer_pitch + p.levels[l as usize + 2].offset
            );
        }
        assert_eq!(d.kind >> 32 & 0xfff, IDENTITY);
        assert_eq!(d.kind >> 16 & 15, 5);
        assert_eq!(v.attachment(Aspect::COLOR).unwrap().width, 256);
    }

    #[test]
    fn slices_of_a_volume_are_layers() {
        let i = image(ImageInfo {
            format: vk::Format::R32_SFLOAT,
            image_type: vk::ImageType::TYPE_3D,
            extent: [8, 8, 8],
            levels: 2,
            ..Default::default()
        });
        let v = view(
            &i,
            vk::ImageViewType::TYPE_2D_ARRAY,
            range(Aspect::COLOR, 1, 1, 1, !0),
        );
        let a = v.attachment(Aspect::COLOR).unwrap();
        assert_eq!(
            (v.layers(), a.layer_pitch, a.address),
            (3, 64, 0x10_0000 + 2048 + 64)
        );
        let whole = view(&i, vk::ImageViewType::TYPE_3D, range(Aspect::COLOR, 0, 2, 0, 1));
        assert_eq!((whole.descriptor().depth, whole.descriptor().layers), (8, 1));
        let some = |slices| {
            let info = ImageViewInfo {
                slices: Some(slices),
                ..*whole.info()
            };
            ImageView::new(&i, info)
                .map(|view| (view.descriptor().address - i.address(), view.descriptor().depth))
        };
        assert_eq!(
            (some((3, 2)), some((6, !0))),
            (Ok((3 * 256, 2)), Ok((6 * 256, 2)))
        );
        assert!(some((8, 1)).is_err());
    }

    #[test]
    fn depth_and_stencil_are_two_attachments() {
        let i = image(ImageInfo {
            format: vk::Format::D24_UNORM_S8_UINT,
            extent: [16, 16, 1],
            samples: 4,
            ..Default::default()
        });
        let both = view(
            &i,
            vk::ImageViewType::TYPE_2D,
            range(Aspect::DEPTH | Aspect::STENCIL, 0, 1, 0, 1),
        );
        let (d, s) = (
            both.attachment(Aspect::DEPTH).unwrap(),
            both.attachment(Aspect::STENCIL).unwrap(),
        );
        assert_eq!((d.samples, d.sample_pitch, s.sample_pitch), (4, 1024, 256));
        assert_eq!(s.address, d.address + 4096);
        let stencil = view(&i, vk::ImageViewType::TYPE_2D, range(Aspect::STENCIL, 0, 1, 0, 1));
        assert_eq!(stencil.descriptor().kind >> 20 & 3, 2);
        assert_eq!(stencil.descriptor().kind >> 44 & 7, 2);
        assert_eq!(stencil.descriptor().address, s.address);
        assert!(stencil.attachment(Aspect::DEPTH).is_none());
    }
}
