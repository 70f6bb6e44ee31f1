//! The compile-time part of descriptors: what the bits of their `kind` fields say.

use crate::resource::format::Format;
use crate::vk;

/// What sampling code depends on of an image.
#[derive(Clone, Copy, Debug)]
pub(super) struct ImageState {
    /// Format of the plane of the view's aspect.
    pub(super) format: &'static Format,
    /// For each component of the result: 0, 1 or 2 + channel.
    pub(super) swizzle: [u8; 4],
}

/// Whether a number can be an [`crate::descriptor::ImageDescriptor::kind`]; the null descriptor's is one.
pub(super) fn is_image_kind(kind: u64) -> bool {
    const UNUSED: u64 = 0x3ff << 22 | !0 << 47;
    if kind == 0 {
        return true;
    }
    let swizzle = [32, 35, 38, 41].map(|at| kind >> at & 7);
    kind & UNUSED == 0
        && Format::by_number(kind as u16).is_some()
        // The last one stands for texel buffers.
        && kind >> 16 & 15 <= 7
        && kind >> 20 & 3 <= 2
        && swizzle.iter().all(|&entry| entry <= 5)
        && kind >> 44 & 7 <= 3
}

/// Whether a number can be a [`crate::descriptor::SamplerDescriptor::kind`]; that of no sampler is 0.
pub(super) fn is_sampler_kind(kind: u32) -> bool {
    const UNUSED: u32 = 1 << 30;
    const VALID: u32 = 1 << 31;
    let modes = [3, 6, 9].map(|at| kind >> at & 7);
    kind == 0
        || kind & UNUSED == 0
            && kind & VALID != 0
            && modes.iter().all(|&mode| mode <= 4)
            && kind >> 17 & 3 <= 2
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
        Some(ImageState {
            format: format.aspect(aspect)?,
            swizzle,
        })
    }
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
        }
    }
}
