#![forbid(unsafe_code)]
//! The format table: every `VkFormat` that Lahar knows, as data.
//!
//! ## Combined depth/stencil
//! A combined format is stored as two planes, each laid out as an image of its own format: first all levels,
//! layers and samples of the depth plane, then those of the stencil plane (`Format::depth`,
//! `Format::stencil`; D24 is a 32-bit word with the depth in its low 24 bits and zeros above). A view of one
//! aspect, an attachment or a copy therefore always works on one plane, with that plane's format
//! ([`Format::aspect`]) and address.
//!
//! ## Luma and chroma
//! Formats of several colour planes are stored likewise ([`Format::parts`]).

pub mod astc;
pub mod etc;
mod features;
mod table;
mod ycbcr;

pub use features::{Features, features};
pub use ycbcr::Part;

use crate::vk;

/// Where a component ends up in a shader's four-component value. Depth and stencil are in `R`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Channel {
    R,
    G,
    B,
    A,
}

/// How the bits of a component are to be read.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// Unsigned normalized.
    Unorm,
    /// Signed normalized.
    Snorm,
    /// Unsigned integer.
    Uint,
    /// Signed integer.
    Sint,
    /// Float without a sign: five bits of exponent, the rest mantissa.
    Ufloat,
    /// IEEE float, 16 or 32 bits.
    Sfloat,
    /// Unsigned integer that shaders see as a float.
    Uscaled,
    /// Signed integer that shaders see as a float.
    Sscaled,
    /// Unsigned normalized with the sRGB transfer function.
    Srgb,
}

/// How texels are kept in a block.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "the names of the block compressions say it")]
pub enum Encoding {
    /// One texel, fields of bits.
    Plain,
    /// One texel, three mantissas of nine bits and a common exponent of five.
    SharedExponent,
    /// Two planes: see the module's documentation.
    Combined,
    /// Luma and chroma: see [`Part`].
    Ycbcr,
    Bc1Rgb,
    Bc1,
    Bc2,
    Bc3,
    Bc4,
    Bc4Signed,
    Bc5,
    Bc5Signed,
    Bc6h,
    Bc6hSigned,
    Bc7,
    Etc2Rgb,
    /// With one bit of alpha.
    Etc2Punch,
    Etc2Rgba,
    EacR,
    EacRSigned,
    EacRg,
    EacRgSigned,
    Astc,
}

/// One component of a texel. For compressed formats: of the decompressed texel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Component {
    /// Place in the value.
    pub channel: Channel,
    /// Meaning of the bits.
    pub kind: Kind,
    /// First bit in the texel, seen as one little-endian number.
    pub shift: u8,
    /// Bits.
    pub bits: u8,
}

/// Type of a texel's components in a shader.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Numeric {
    /// binary32.
    Float,
    /// Unsigned 32-bit integers.
    Uint,
    /// Signed 32-bit integers.
    Sint,
}

/// A row of the table.
#[derive(Debug)]
pub struct Format {
    /// Vulkan's number.
    pub vk: vk::Format,
    /// Vulkan's name without `VK_FORMAT_`.
    pub name: &'static str,
    /// Bytes of a block (of a texel where blocks are single texels). Combined: of both planes together.
    pub bytes: u8,
    /// Texels of a block.
    pub block: (u8, u8),
    /// Storage scheme.
    pub encoding: Encoding,
    /// Kind of the first component.
    pub kind: Kind,
    /// Components from the lowest bits up; none for combined formats.
    pub components: &'static [Component],
    /// Compatibility class: formats of equal class may be viewed as each other.
    pub class: u16,
    /// Format of the depth plane.
    pub depth: Option<vk::Format>,
    /// Format of the stencil plane.
    pub stencil: Option<vk::Format>,
    /// Of luma and chroma formats: luma, then chroma.
    pub parts: &'static [Part],
}

/// Aspects of colour planes.
pub const PLANES: [vk::ImageAspectFlags; 3] = [
    vk::ImageAspectFlags::PLANE_0,
    vk::ImageAspectFlags::PLANE_1,
    vk::ImageAspectFlags::PLANE_2,
];

/// Numbers of the formats of Vulkan 1.0 by Vulkan's number; 0 for those that are not in the table.
const INDEX: [u8; 185] = {
    let mut index = [0; 185];
    let mut row = 0;
    assert!(table::TABLE.len() < 256, "numbers fit a byte");
    while row < table::TABLE.len() {
        let raw = table::TABLE[row].vk.as_raw();
        if raw < 185 {
            index[raw as usize] = (row + 1) as u8;
        }
        row += 1;
    }
    index
};

impl Format {
    /// The row of a Vulkan format.
    #[must_use]
    pub fn of(format: vk::Format) -> Option<&'static Format> {
        let raw = format.as_raw();
        match usize::try_from(raw).ok().and_then(|raw| INDEX.get(raw)) {
            Some(&number) => Format::by_number(u16::from(number)),
            None => table::TABLE
                .iter()
                .chain(ycbcr::TABLE)
                .find(|row| row.vk == format),
        }
    }

    /// The row with this number (see [`Format::number`]).
    #[must_use]
    pub fn by_number(number: u16) -> Option<&'static Format> {
        match number.checked_sub(ycbcr::FIRST_NUMBER) {
            Some(index) => ycbcr::TABLE.get(usize::from(index)),
            None => table::TABLE.get(usize::from(number).checked_sub(1)?),
        }
    }

    /// Every format but those of luma and chroma.
    pub fn all() -> impl Iterator<Item = &'static Format> {
        table::TABLE.iter()
    }

    /// Lahar's dense, stable number of the format, from 1: what image descriptors hold.
    #[must_use]
    pub fn number(&self) -> u16 {
        match usize::try_from(self.vk.as_raw())
            .ok()
            .and_then(|raw| INDEX.get(raw))
        {
            Some(&number) => u16::from(number),
            None => (1..)
                .zip(table::TABLE)
                .chain((ycbcr::FIRST_NUMBER..).zip(ycbcr::TABLE))
                .find(|(_, row)| row.vk == self.vk)
                .map_or(0, |(number, _)| number),
        }
    }

    /// Whether blocks of several texels are to be decompressed.
    #[must_use]
    pub fn is_compressed(&self) -> bool {
        self.block != (1, 1) && !self.is_ycbcr()
    }

    /// Whether a block is one texel in one place: neither compressed nor two planes.
    #[must_use]
    pub fn is_texel(&self) -> bool {
        matches!(self.encoding, Encoding::Plain | Encoding::SharedExponent)
    }

    /// Whether it is of luma and chroma, which only conversions put together.
    #[must_use]
    pub fn is_ycbcr(&self) -> bool {
        self.encoding == Encoding::Ycbcr
    }

    /// Whether a texel has bits that belong to no component.
    #[must_use]
    pub fn has_unused_bits(&self) -> bool {
        let used: u32 = self
            .components
            .iter()
            .map(|component| u32::from(component.bits))
            .sum();
        self.encoding == Encoding::Plain && used < u32::from(self.bytes) * 8
    }

    /// Formats of its colour planes; none if it has but one.
    pub fn color_planes(&self) -> impl Iterator<Item = vk::Format> {
        self.parts.iter().filter_map(|part| part.plane)
    }

    /// Whether it has a depth or stencil aspect.
    #[must_use]
    pub fn is_depth_stencil(&self) -> bool {
        self.depth.is_some() || self.stencil.is_some()
    }

    /// Its aspects.
    #[must_use]
    pub fn aspects(&self) -> vk::ImageAspectFlags {
        let mut aspects = vk::ImageAspectFlags::empty();
        if self.depth.is_some() {
            aspects |= vk::ImageAspectFlags::DEPTH;
        }
        if self.stencil.is_some() {
            aspects |= vk::ImageAspectFlags::STENCIL;
        }
        if aspects.is_empty() {
            vk::ImageAspectFlags::COLOR
        } else {
            aspects
        }
    }

    /// The format of the plane that holds one aspect: of itself but for combined formats.
    #[must_use]
    pub fn aspect(&'static self, aspect: vk::ImageAspectFlags) -> Option<&'static Format> {
        match aspect {
            vk::ImageAspectFlags::DEPTH => self.depth.and_then(Format::of),
            vk::ImageAspectFlags::STENCIL => self.stencil.and_then(Format::of),
            vk::ImageAspectFlags::COLOR if !self.is_depth_stencil() && !self.has_planes() => Some(self),
            _ => {
                let plane = PLANES.iter().position(|&plane| plane == aspect)?;
                self.parts.get(plane)?.plane.and_then(Format::of)
            }
        }
    }

    /// Whether it has several colour planes.
    #[must_use]
    pub fn has_planes(&self) -> bool {
        self.color_planes().next().is_some()
    }

    /// Type of the components in a shader. Combined formats: of the depth.
    #[must_use]
    pub fn numeric(&self) -> Numeric {
        match self.kind {
            Kind::Uint => Numeric::Uint,
            Kind::Sint => Numeric::Sint,
            _ => Numeric::Float,
        }
    }

    /// Whether stored values are normalized fixed point with values in 0 to 1 or -1 to 1.
    #[must_use]
    pub fn is_normalized(&self) -> bool {
        matches!(self.kind, Kind::Unorm | Kind::Snorm | Kind::Srgb)
    }

    /// Whether it uses the sRGB transfer function.
    #[must_use]
    pub fn is_srgb(&self) -> bool {
        self.kind == Kind::Srgb
    }

    /// Whether it has this component.
    #[must_use]
    pub fn has(&self, channel: Channel) -> bool {
        self.components
            .iter()
            .any(|component| component.channel == channel)
    }

    /// Blocks that cover `width` × `height` texels.
    #[must_use]
    pub fn blocks(&self, width: u32, height: u32) -> (u32, u32) {
        (
            width.div_ceil(u32::from(self.block.0)),
            height.div_ceil(u32::from(self.block.1)),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn rows_are_unique_and_consistent() {
        let mut seen = BTreeSet::new();
        for (index, row) in Format::all().enumerate() {
            assert!(seen.insert(row.vk.as_raw()), "{} twice", row.name);
            assert_eq!(usize::from(row.number()), index + 1);
            assert!(std::ptr::eq(Format::by_number(row.number()).unwrap(), row));
            if row.encoding == Encoding::Plain {
                let bits: u32 = row.components.iter().map(|c| u32::from(c.bits)).sum();
                assert!(bits <= u32::from(row.bytes) * 8, "{}", row.name);
                for c in row.components {
                    assert!(c.shift % 32 + c.bits <= 32, "{} straddles a word", row.name);
                }
                if !row.is_depth_stencil() && !row.has_unused_bits() {
                    // Texels of nothing but alpha are a class of their own.
                    assert_eq!(bits, u32::from(row.class % 1000), "{}", row.name);
                }
            }
        }
        assert!(Format::by_number(0).is_none());
    }

    #[test]
    fn combined_formats_split_into_planes() {
        let format = Format::of(vk::Format::D24_UNORM_S8_UINT).unwrap();
        let depth = format.aspect(vk::ImageAspectFlags::DEPTH).unwrap();
        let stencil = format.aspect(vk::ImageAspectFlags::STENCIL).unwrap();
        assert_eq!((depth.bytes, stencil.bytes), (4, 1));
        assert!(format.aspect(vk::ImageAspectFlags::COLOR).is_none());
        assert_eq!(format.bytes, depth.bytes + stencil.bytes);
    }
}
