//! The compile-time part of descriptors: what the bits of their `kind` fields say.

use super::op::{OpKind, Operation};
use crate::descriptor::KIND_MARK;
use crate::resource::format::Format;
use crate::vk;

/// What sampling code depends on of an image.
#[derive(Clone, Copy, Debug)]
pub(super) struct ImageState {
    /// Format of the plane of the view's aspect.
    pub(super) format: &'static Format,
    /// For each component of the result: 0, 1 or 2 + channel.
    pub(super) swizzle: [u8; 4],
    /// From luma and chroma to colour.
    pub(super) conversion: Option<Conversion>,
    /// Whether there is a least level of detail.
    pub(super) min_lod: bool,
}

/// What colours luma and chroma stand for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Model {
    /// They are red, green and blue.
    Rgb,
    /// They stay what they are.
    Ycbcr,
    /// They are converted, with these ten-thousandths of red and of blue in luma.
    Weights(u16, u16),
}

/// A conversion of luma and chroma.
#[derive(Clone, Copy, Debug)]
pub(super) struct Conversion {
    pub(super) model: Model,
    pub(super) narrow: bool,
    /// Whether chroma lies on every second texel, along x and y; else between two.
    pub(super) cosited: [bool; 2],
    pub(super) linear: bool,
    pub(super) explicit: bool,
}

impl Conversion {
    /// Decodes bits of [`crate::descriptor::ImageDescriptor::kind`]; `None` if there is no conversion.
    fn decode(kind: u64) -> Option<Conversion> {
        let bit = |at: u32| kind >> at & 1 != 0;
        bit(30).then(|| Conversion {
            model: match kind >> 22 & 7 {
                1 => Model::Ycbcr,
                2 => Model::Weights(2126, 722),
                3 => Model::Weights(2990, 1140),
                4 => Model::Weights(2627, 593),
                _ => Model::Rgb,
            },
            narrow: bit(25),
            cosited: [bit(26), bit(27)],
            linear: bit(28),
            explicit: bit(29),
        })
    }
}

/// Bytes of a texel, or of a block, by [`crate::descriptor::ImageDescriptor::kind`]; `None` for null and unknown ones.
#[must_use]
pub fn texel_bytes(kind: u64) -> Option<u8> {
    Some(ImageState::decode(kind)?.format.bytes)
}

impl ImageState {
    /// Decodes [`crate::descriptor::ImageDescriptor::kind`]; `None` for null and unknown ones.
    pub(super) fn decode(kind: u64) -> Option<ImageState> {
        let format = Format::by_number(kind as u16)?;
        let aspect = match kind >> 20 & 3 {
            _ if !format.is_depth_stencil() => vk::ImageAspectFlags::COLOR,
            2 => vk::ImageAspectFlags::STENCIL,
            1 => vk::ImageAspectFlags::DEPTH,
            _ if format.depth.is_some() => vk::ImageAspectFlags::DEPTH,
            _ => vk::ImageAspectFlags::STENCIL,
        };
        let swizzle = [32, 35, 38, 41].map(|at| (kind >> at & 7) as u8);
        let format = if format.is_ycbcr() {
            format
        } else {
            format.aspect(aspect)?
        };
        Some(ImageState {
            format,
            swizzle,
            conversion: Conversion::decode(kind),
            min_lod: kind >> 31 & 1 != 0,
        })
    }
}

/// Whether an access can have met this [`crate::descriptor::ImageDescriptor::kind`]; if not, the bytes are not those of
/// such a descriptor. The null descriptor fits everything.
pub(super) fn image_fits(kind: u64, operation: Operation) -> bool {
    let view_type = kind >> 16 & 15;
    let texel_buffer = matches!(operation.kind, OpKind::BufferRead | OpKind::BufferWrite);
    let swizzle_fits = [32, 35, 38, 41].iter().all(|at| kind >> at & 7 <= 5);
    kind == 0
        || kind & 0xffff_8000_0000_0000 == KIND_MARK
            && (kind >> 31 & 1 == 0 || kind >> 44 & 7 == 0 && !texel_buffer)
            && (kind & 0x7fc0_0000 == 0 || kind >> 30 & 1 != 0 && kind >> 22 & 7 <= 4 && !texel_buffer)
            && swizzle_fits
            && kind >> 44 & 7 <= 4
            && kind >> 20 & 3 <= 2
            && view_type <= 7
            && (view_type == 7) == texel_buffer
            && ImageState::decode(kind).is_some()
}

/// As [`image_fits`], for [`crate::descriptor::SamplerDescriptor::kind`].
pub(super) fn sampler_fits(kind: u32) -> bool {
    let modes_fit = [3, 6, 9].iter().all(|at| kind >> at & 7 <= 4);
    kind == 0 || kind >> 29 == 4 && modes_fit && kind >> 17 & 3 <= 2
}

/// How coordinates outside the image are treated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Address {
    Repeat,
    MirroredRepeat,
    ClampToEdge,
    ClampToBorder,
    MirrorClampToEdge,
}

impl Address {
    fn decode(bits: u32) -> Address {
        match bits & 7 {
            0 => Address::Repeat,
            1 => Address::MirroredRepeat,
            3 => Address::ClampToBorder,
            4 => Address::MirrorClampToEdge,
            _ => Address::ClampToEdge,
        }
    }
}

/// How the texels of a footprint are combined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Reduction {
    Average,
    Min,
    Max,
}

/// The border colour.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Border {
    TransparentBlack,
    OpaqueBlack,
    OpaqueWhite,
    Custom,
}

/// What sampling code depends on of a sampler.
#[derive(Clone, Copy, Debug)]
pub(super) struct SamplerState {
    pub(super) mag_linear: bool,
    pub(super) min_linear: bool,
    pub(super) mip_linear: bool,
    pub(super) address: [Address; 3],
    pub(super) compare: vk::CompareOp,
    pub(super) unnormalized: bool,
    pub(super) reduction: Reduction,
    pub(super) border: Border,
    pub(super) seamless: bool,
    /// Most samples along the longer axis of a footprint.
    pub(super) anisotropy: u8,
}

impl SamplerState {
    /// Decodes [`crate::descriptor::SamplerDescriptor::kind`].
    pub(super) fn decode(kind: u32) -> SamplerState {
        let bit = |at: u32| kind >> at & 1 != 0;
        SamplerState {
            mag_linear: bit(0),
            min_linear: bit(1),
            mip_linear: bit(2),
            address: [3, 6, 9].map(|at| Address::decode(kind >> at)),
            compare: vk::CompareOp::from_raw((kind >> 13 & 7) as i32),
            unnormalized: bit(16),
            reduction: match kind >> 17 & 3 {
                1 => Reduction::Min,
                2 => Reduction::Max,
                _ => Reduction::Average,
            },
            border: match kind >> 20 & 3 {
                0 => Border::TransparentBlack,
                1 => Border::OpaqueBlack,
                2 => Border::OpaqueWhite,
                _ => Border::Custom,
            },
            seamless: !bit(23),
            anisotropy: if bit(19) {
                (kind >> 24 & 31).clamp(1, 16) as u8
            } else {
                1
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shader::sampling::op::Dim;

    #[test]
    fn bytes_of_other_descriptors_do_not_fit() {
        let fetch = Operation::new(OpKind::Fetch, Dim::D2, false);
        let texels = Operation::new(OpKind::BufferRead, Dim::D1, false);
        let identity = (2 | 3 << 3 | 4 << 6 | 5 << 9) << 32;
        let image = KIND_MARK | identity | 1 << 16 | 30;
        assert!(image_fits(image, fetch) && image_fits(0, fetch) && image_fits(0, texels));
        assert!(!image_fits(image, texels), "an image is no texel buffer");
        assert!(!image_fits(KIND_MARK | identity | 7 << 16 | 30, fetch));
        assert!(image_fits(KIND_MARK | identity | 7 << 16 | 30, texels));
        // Sizes and ranges of buffers, addresses, noise.
        for kind in [
            64,
            0x1000_0000_0040,
            image & !KIND_MARK,
            image | 1 << 24,
            image | 1 << 47,
            !0,
        ] {
            assert!(!image_fits(kind, fetch), "{kind:#x}");
        }
        let conversion = image | 1 << 30;
        assert!(
            image_fits(conversion | 4 << 22 | 31 << 25, fetch) && !image_fits(conversion | 5 << 22, fetch)
        );
        assert!(image_fits(image | 1 << 31, fetch) && !image_fits(image | 1 << 31 | 1 << 44, fetch));
        assert!(!image_fits(image | 7 << 32, fetch) && !image_fits(image & !0xffff, fetch));
        assert!(sampler_fits(0) && sampler_fits(1 << 31 | 2 << 3) && !sampler_fits(1 << 3));
        assert!(
            !sampler_fits(1 << 31 | 5 << 3) && !sampler_fits(3 << 30) && !sampler_fits(1 << 31 | 3 << 17)
        );
    }
}
