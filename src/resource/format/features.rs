//! What can be done with each format. Claims exactly what sampling, raster and transfer implement.

use super::{Encoding, Format, Kind, Numeric};
use crate::vk;
use vk::FormatFeatureFlags as F;

/// As `VkFormatProperties`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Features {
    /// Images of linear tiling.
    pub linear: F,
    /// Images of optimal tiling.
    pub optimal: F,
    /// Buffers.
    pub buffer: F,
}

/// What an application may do with `format`; nothing for formats that Lahar does not know.
#[must_use]
pub fn features(format: vk::Format) -> Features {
    let Some(row) = Format::of(format) else {
        return Features::default();
    };
    if row.is_ycbcr() {
        let image = ycbcr(row);
        return Features {
            linear: image,
            optimal: image,
            ..Features::default()
        };
    }
    if row.is_compressed() {
        let image = F::SAMPLED_IMAGE | F::SAMPLED_IMAGE_FILTER_LINEAR | F::BLIT_SRC | TRANSFER;
        return Features {
            optimal: image,
            ..Features::default()
        };
    }
    if row.is_depth_stencil() {
        return Features {
            optimal: depth_stencil(row),
            ..Features::default()
        };
    }
    let buffer = buffer(row);
    // Texels of odd sizes are for vertices, and to be read; scaled integers for vertices only.
    if is_for_vertices(row) {
        let scaled = matches!(row.kind, Kind::Uscaled | Kind::Sscaled);
        let image = if scaled { F::empty() } else { read_only(row) };
        return Features {
            linear: image,
            optimal: image,
            buffer,
        };
    }
    let image = color(row);
    Features {
        linear: image,
        optimal: image,
        buffer,
    }
}

const TRANSFER: F = F::from_raw(F::TRANSFER_SRC.as_raw() | F::TRANSFER_DST.as_raw());

/// What conversions of luma and chroma can do.
const CONVERSION: F = F::from_raw(
    F::MIDPOINT_CHROMA_SAMPLES.as_raw()
        | F::COSITED_CHROMA_SAMPLES.as_raw()
        | F::SAMPLED_IMAGE_YCBCR_CONVERSION_LINEAR_FILTER.as_raw()
        | F::SAMPLED_IMAGE_YCBCR_CONVERSION_SEPARATE_RECONSTRUCTION_FILTER.as_raw()
        | F::SAMPLED_IMAGE_YCBCR_CONVERSION_CHROMA_RECONSTRUCTION_EXPLICIT_FORCEABLE.as_raw(),
);

fn ycbcr(row: &Format) -> F {
    let features = F::SAMPLED_IMAGE | F::SAMPLED_IMAGE_FILTER_LINEAR | CONVERSION | TRANSFER;
    if row.has_planes() {
        features | F::DISJOINT
    } else {
        features
    }
}

fn depth_stencil(row: &Format) -> F {
    let mut features = F::SAMPLED_IMAGE | F::BLIT_SRC | F::DEPTH_STENCIL_ATTACHMENT | TRANSFER;
    if row.depth.is_some() {
        features |= F::SAMPLED_IMAGE_FILTER_LINEAR | F::SAMPLED_IMAGE_FILTER_MINMAX;
    }
    features
}

fn read_only(row: &Format) -> F {
    let features = F::SAMPLED_IMAGE | F::BLIT_SRC | TRANSFER;
    if row.numeric() == Numeric::Float {
        features | F::SAMPLED_IMAGE_FILTER_LINEAR | F::SAMPLED_IMAGE_FILTER_MINMAX
    } else {
        features
    }
}

fn color(row: &Format) -> F {
    let mut features = read_only(row) | F::BLIT_DST;
    let float = row.numeric() == Numeric::Float;
    if row.encoding == Encoding::SharedExponent {
        return features & !F::BLIT_DST;
    }
    if row.kind == Kind::Unorm && row.components.len() >= 3 {
        features |= CONVERSION;
    }
    features |= F::COLOR_ATTACHMENT;
    if float {
        features |= F::COLOR_ATTACHMENT_BLEND;
    }
    // What becomes of signed integers that do not fit two bits is not settled: such formats are not stored to.
    let narrow = row.kind == Kind::Sint && row.components.iter().any(|component| component.bits < 8);
    if row.kind != Kind::Srgb && !narrow {
        features |= F::STORAGE_IMAGE;
    }
    if is_atomic(row) {
        features |= F::STORAGE_IMAGE_ATOMIC;
    }
    features
}

fn buffer(row: &Format) -> F {
    if row.kind == Kind::Srgb || row.has_unused_bits() {
        return F::empty();
    }
    if is_for_vertices(row) {
        return F::VERTEX_BUFFER;
    }
    let mut features = F::UNIFORM_TEXEL_BUFFER;
    if row.encoding == Encoding::Plain {
        features |= F::VERTEX_BUFFER | F::STORAGE_TEXEL_BUFFER;
    }
    if is_atomic(row) {
        features |= F::STORAGE_TEXEL_BUFFER_ATOMIC;
    }
    features
}

fn is_for_vertices(row: &Format) -> bool {
    !row.bytes.is_power_of_two() || matches!(row.kind, Kind::Uscaled | Kind::Sscaled)
}

/// Atomics are for single components of 32 bits; for floats as `shaderImageFloat32Atomics` claims it.
fn is_atomic(row: &Format) -> bool {
    matches!(
        row.vk,
        vk::Format::R32_UINT | vk::Format::R32_SINT | vk::Format::R32_SFLOAT
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Vulkan's required formats: format, what images of optimal tiling must do, what buffers must do. Letters:
    /// sampled, linear filter, storage, Atomics, color attachment, Blend; vertex, uniform and storage texel
    /// buffer, Atomics (of floats because the device claims them). Sampled formats are blit sources, colour attachments blit destinations.
    const REQUIRED: &str = "
        B4G4R4A4_UNORM_PACK16 sl -
        R5G6B5_UNORM_PACK16 slcB -
        A1R5G5B5_UNORM_PACK16 slcB -
        R8_UNORM slcB vu
        R8_SNORM sl vu
        R8_UINT sc vu
        R8_SINT sc vu
        R8G8_UNORM slcB vu
        R8G8_SNORM sl vu
        R8G8_UINT sc vu
        R8G8_SINT sc vu
        R8G8B8A8_UNORM sltcB vut
        R8G8B8A8_SNORM slt vut
        R8G8B8A8_UINT stc vut
        R8G8B8A8_SINT stc vut
        R8G8B8A8_SRGB slcB -
        B8G8R8A8_UNORM slcB vu
        B8G8R8A8_SRGB slcB -
        A8B8G8R8_UNORM_PACK32 slcB vut
        A8B8G8R8_SNORM_PACK32 sl vut
        A8B8G8R8_UINT_PACK32 sc vut
        A8B8G8R8_SINT_PACK32 sc vut
        A8B8G8R8_SRGB_PACK32 slcB -
        A2B10G10R10_UNORM_PACK32 slcB vu
        A2B10G10R10_UINT_PACK32 sc u
        R16_UNORM - v
        R16_SNORM - v
        R16_UINT sc vu
        R16_SINT sc vu
        R16_SFLOAT slcB vu
        R16G16_UNORM - v
        R16G16_SNORM - v
        R16G16_UINT sc vu
        R16G16_SINT sc vu
        R16G16_SFLOAT slcB vu
        R16G16B16A16_UNORM - v
        R16G16B16A16_SNORM - v
        R16G16B16A16_UINT stc vut
        R16G16B16A16_SINT stc vut
        R16G16B16A16_SFLOAT sltcB vut
        R32_UINT stAc vutA
        R32_SINT stAc vutA
        R32_SFLOAT stAc vutA
        R32G32_UINT stc vut
        R32G32_SINT stc vut
        R32G32_SFLOAT stc vut
        R32G32B32_UINT - v
        R32G32B32_SINT - v
        R32G32B32_SFLOAT - v
        R32G32B32A32_UINT stc vut
        R32G32B32A32_SINT stc vut
        R32G32B32A32_SFLOAT stc vut
        B10G11R11_UFLOAT_PACK32 sl u
        E5B9G9R9_UFLOAT_PACK32 sl -
        D16_UNORM sd -
        X8_D24_UNORM_PACK32 d -
        D32_SFLOAT sd -
        D32_SFLOAT_S8_UINT d -
        BC1_RGB_UNORM_BLOCK sl -
        BC1_RGBA_SRGB_BLOCK sl -
        BC2_UNORM_BLOCK sl -
        BC3_SRGB_BLOCK sl -
        BC4_SNORM_BLOCK sl -
        BC5_UNORM_BLOCK sl -
        BC6H_SFLOAT_BLOCK sl -
        BC7_SRGB_BLOCK sl -";

    #[test]
    fn required_formats_are_supported() {
        let image = |letter| match letter {
            's' => F::SAMPLED_IMAGE | F::BLIT_SRC | TRANSFER,
            'l' => F::SAMPLED_IMAGE_FILTER_LINEAR,
            't' => F::STORAGE_IMAGE,
            'A' => F::STORAGE_IMAGE_ATOMIC,
            'c' => F::COLOR_ATTACHMENT | F::BLIT_DST,
            'B' => F::COLOR_ATTACHMENT_BLEND,
            'd' => F::DEPTH_STENCIL_ATTACHMENT,
            _ => F::empty(),
        };
        let buffer = |letter| match letter {
            'v' => F::VERTEX_BUFFER,
            'u' => F::UNIFORM_TEXEL_BUFFER,
            't' => F::STORAGE_TEXEL_BUFFER,
            'A' => F::STORAGE_TEXEL_BUFFER_ATOMIC,
            _ => F::empty(),
        };
        for line in REQUIRED.lines().filter(|line| !line.trim().is_empty()) {
            let mut parts = line.split_whitespace();
            let name = parts.next().unwrap();
            let row = Format::all().find(|row| row.name == name).unwrap();
            let found = features(row.vk);
            let wanted: F = parts
                .next()
                .unwrap()
                .chars()
                .fold(F::empty(), |all, c| all | image(c));
            assert!(found.optimal.contains(wanted), "{name}: {wanted:?}");
            let wanted: F = parts
                .next()
                .unwrap()
                .chars()
                .fold(F::empty(), |all, c| all | buffer(c));
            assert!(found.buffer.contains(wanted), "{name}: {wanted:?}");
        }
    }

    /// Minimum and maximum of what a filter would read: of these at least, as Vulkan 1.2 says.
    #[test]
    fn formats_of_one_component_are_reduced() {
        for format in [
            vk::Format::R8_UNORM,
            vk::Format::R8_SNORM,
            vk::Format::R16_SFLOAT,
            vk::Format::R32_SFLOAT,
            vk::Format::D16_UNORM,
        ] {
            let optimal = features(format).optimal;
            assert!(optimal.contains(F::SAMPLED_IMAGE_FILTER_MINMAX), "{format:?}");
        }
    }

    #[test]
    fn nothing_is_claimed_of_unknown_formats() {
        assert_eq!(features(vk::Format::R64_UINT), Features::default());
        assert_eq!(features(vk::Format::UNDEFINED), Features::default());
    }
}
