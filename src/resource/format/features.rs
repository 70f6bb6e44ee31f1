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
    // Three components of 32 bits are for vertices: rows of 12-byte texels are not worth having as images.
    if row.bytes == 12 {
        return Features {
            buffer,
            ..Features::default()
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

fn depth_stencil(row: &Format) -> F {
    let mut features = F::SAMPLED_IMAGE | F::BLIT_SRC | F::DEPTH_STENCIL_ATTACHMENT | TRANSFER;
    if row.depth.is_some() {
        features |= F::SAMPLED_IMAGE_FILTER_LINEAR;
    }
    features
}

fn color(row: &Format) -> F {
    let mut features = F::SAMPLED_IMAGE | F::BLIT_SRC | F::BLIT_DST | TRANSFER;
    let float = row.numeric() == Numeric::Float;
    if float {
        features |= F::SAMPLED_IMAGE_FILTER_LINEAR;
    }
    if row.encoding == Encoding::SharedExponent {
        return features & !F::BLIT_DST;
    }
    features |= F::COLOR_ATTACHMENT;
    if float {
        features |= F::COLOR_ATTACHMENT_BLEND;
    }
    if row.kind != Kind::Srgb {
        features |= F::STORAGE_IMAGE;
    }
    if is_atomic(row) {
        features |= F::STORAGE_IMAGE_ATOMIC;
    }
    features
}

fn buffer(row: &Format) -> F {
    if row.kind == Kind::Srgb {
        return F::empty();
    }
    if row.bytes == 12 {
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

/// Atomics are for single 32-bit integers.
fn is_atomic(row: &Format) -> bool {
    matches!(row.vk, vk::Format::R32_UINT | vk::Format::R32_SINT)
}
