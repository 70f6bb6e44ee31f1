//! Samplers.

use crate::descriptor::{Capture, SamplerDescriptor, fingerprint};
use crate::vk;
use vk::BorderColor as Border;

/// What a sampler is made from.
#[derive(Clone, Copy, Debug, Default)]
#[allow(missing_docs, reason = "Vulkan's names")]
pub struct SamplerInfo {
    pub flags: vk::SamplerCreateFlags,
    pub mag_filter: vk::Filter,
    pub min_filter: vk::Filter,
    pub mipmap_mode: vk::SamplerMipmapMode,
    /// Address modes u, v, w.
    pub address_modes: [vk::SamplerAddressMode; 3],
    pub mip_lod_bias: f32,
    /// Greatest anisotropy, if enabled.
    pub max_anisotropy: Option<f32>,
    /// Comparison, if enabled.
    pub compare_op: Option<vk::CompareOp>,
    pub min_lod: f32,
    pub max_lod: f32,
    pub border_color: vk::BorderColor,
    pub unnormalized: bool,
    pub reduction_mode: vk::SamplerReductionMode,
    /// Words of a custom border colour.
    pub custom_border: [u32; 4],
}

/// A `VkSampler`.
#[derive(Debug)]
pub struct Sampler {
    descriptor: SamplerDescriptor,
    capture: Option<Capture>,
}

impl Sampler {
    /// A sampler.
    #[must_use]
    pub fn new(info: &SamplerInfo) -> Sampler {
        let custom = is_custom(info.border_color) && uses_border(info);
        Sampler {
            descriptor: SamplerDescriptor {
                kind: kind(info),
                lod_bias: info.mip_lod_bias,
                min_lod: info.min_lod,
                max_lod: info.max_lod,
                border: if custom { info.custom_border } else { [0; 4] },
            },
            capture: None,
        }
    }

    /// What its descriptor depends on: all of it.
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        let d = &self.descriptor;
        let floats = [d.lod_bias, d.min_lod, d.max_lod].map(f32::to_bits);
        fingerprint([d.kind].into_iter().chain(floats).chain(d.border).map(u64::from))
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

    /// Its descriptor.
    #[must_use]
    #[inline]
    pub fn descriptor(&self) -> &SamplerDescriptor {
        &self.descriptor
    }
}

fn is_custom(border: Border) -> bool {
    matches!(border, Border::FLOAT_CUSTOM_EXT | Border::INT_CUSTOM_EXT)
}

fn uses_border(info: &SamplerInfo) -> bool {
    info.address_modes
        .contains(&vk::SamplerAddressMode::CLAMP_TO_BORDER)
}

/// Bits as [`SamplerDescriptor::kind`] says. What has no effect is left zero, so that samplers which do the
/// same share their code.
fn kind(info: &SamplerInfo) -> u32 {
    let [u, v, w] = info.address_modes.map(|m| m.as_raw() as u32 & 7);
    let mut kind = u << 3 | v << 6 | w << 9 | 1 << 31;
    kind |= u32::from(info.mag_filter == vk::Filter::LINEAR);
    kind |= u32::from(info.min_filter == vk::Filter::LINEAR) << 1;
    kind |= u32::from(info.mipmap_mode == vk::SamplerMipmapMode::LINEAR) << 2;
    if let Some(op) = info.compare_op {
        kind |= 1 << 12 | (op.as_raw() as u32 & 7) << 13;
    }
    kind |= u32::from(info.unnormalized) << 16;
    kind |= (info.reduction_mode.as_raw() as u32 & 3) << 17;
    if let Some(max) = info.max_anisotropy.filter(|&max| max > 1.0) {
        kind |= 1 << 19 | (max.min(16.0) as u32) << 24;
    }
    if uses_border(info) {
        kind |= border_bits(info.border_color) << 20;
    }
    let seamless = info
        .flags
        .contains(vk::SamplerCreateFlags::NON_SEAMLESS_CUBE_MAP_EXT);
    kind | u32::from(seamless) << 23
}

/// Border colour kind, and the integer bit above it.
fn border_bits(border: Border) -> u32 {
    match border {
        Border::INT_TRANSPARENT_BLACK => 4,
        Border::FLOAT_OPAQUE_BLACK => 1,
        Border::INT_OPAQUE_BLACK => 5,
        Border::FLOAT_OPAQUE_WHITE => 2,
        Border::INT_OPAQUE_WHITE => 6,
        Border::FLOAT_CUSTOM_EXT => 3,
        Border::INT_CUSTOM_EXT => 7,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_where_the_encoding_says() {
        let mut info = SamplerInfo {
            mag_filter: vk::Filter::LINEAR,
            address_modes: [
                vk::SamplerAddressMode::MIRRORED_REPEAT,
                vk::SamplerAddressMode::CLAMP_TO_EDGE,
                vk::SamplerAddressMode::REPEAT,
            ],
            compare_op: Some(vk::CompareOp::GREATER),
            max_anisotropy: Some(16.0),
            border_color: Border::INT_OPAQUE_WHITE,
            max_lod: 3.0,
            ..Default::default()
        };
        let kind = Sampler::new(&info).descriptor().kind;
        assert_eq!(
            kind,
            1 | 1 << 3 | 2 << 6 | 1 << 12 | 4 << 13 | 1 << 19 | 16 << 24 | 1 << 31
        );
        info.address_modes[2] = vk::SamplerAddressMode::CLAMP_TO_BORDER;
        assert_eq!(Sampler::new(&info).descriptor().kind ^ kind, 3 << 9 | 6 << 20);
    }
}
