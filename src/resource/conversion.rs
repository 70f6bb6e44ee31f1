//! Conversions of luma and chroma to red, green and blue.

use super::view::swizzle_bits;
use crate::memory::Footprint;
use crate::vk;

/// A `VkSamplerYcbcrConversion`.
#[derive(Clone, Copy, Debug, Default)]
#[allow(missing_docs, reason = "Vulkan's names")]
pub struct Conversion {
    pub model: vk::SamplerYcbcrModelConversion,
    pub range: vk::SamplerYcbcrRange,
    pub components: vk::ComponentMapping,
    pub x_chroma_offset: vk::ChromaLocation,
    pub y_chroma_offset: vk::ChromaLocation,
    pub chroma_filter: vk::Filter,
    pub force_explicit_reconstruction: bool,
}

impl Conversion {
    /// Bits of the kind of views that are sampled with it.
    pub(super) fn bits(&self) -> u64 {
        let cosited = |offset| u64::from(offset == vk::ChromaLocation::COSITED_EVEN);
        let model = self.model.as_raw().clamp(0, 4) as u64;
        let flags = [
            u64::from(self.range == vk::SamplerYcbcrRange::ITU_NARROW),
            cosited(self.x_chroma_offset),
            cosited(self.y_chroma_offset),
            u64::from(self.chroma_filter == vk::Filter::LINEAR),
            u64::from(self.force_explicit_reconstruction),
            1,
        ];
        let flags = (25..).zip(flags).map(|(at, flag)| flag << at);
        model << 22 | flags.sum::<u64>() | swizzle_bits(&self.components) << 32
    }
}

impl Footprint for Conversion {
    fn footprint(&self) -> u64 {
        crate::memory::bytes_of(self)
    }
}
