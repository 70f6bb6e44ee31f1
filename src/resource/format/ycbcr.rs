//! Formats of luma and chroma: two or three planes, or one in which two texels share a block.

use super::{Channel, Component, Encoding, Format, Kind};
use crate::vk;

/// Some components of such a format, as texels of their own.
#[derive(Debug)]
pub struct Part {
    /// Format in which copies and views see the plane; none where all parts share one plane.
    pub plane: Option<vk::Format>,
    /// The texels as sampling sees them.
    pub texels: Format,
    /// How many of the image's texels share one of these along x and y, as powers of two.
    pub shift: (u8, u8),
}

/// Numbers of these formats begin here.
pub(super) const FIRST_NUMBER: u16 = 0x100;

const fn component(channel: Channel, shift: u8, bits: u8) -> Component {
    Component {
        channel,
        kind: Kind::Unorm,
        shift,
        bits,
    }
}

const fn texels(bytes: u8, components: &'static [Component]) -> Format {
    Format {
        vk: vk::Format::UNDEFINED,
        name: "",
        bytes,
        block: (1, 1),
        encoding: Encoding::Plain,
        kind: Kind::Unorm,
        components,
        class: 0,
        depth: None,
        stencil: None,
        parts: &[],
    }
}

const fn part(plane: vk::Format, shift: (u8, u8), texels: Format) -> Part {
    Part {
        plane: Some(plane),
        texels,
        shift,
    }
}

/// The parts of formats whose components have `$bits` bits from bit `$low` on, in `$bytes` bytes.
macro_rules! depth {
    ($name:ident: $bytes:literal $low:literal $bits:literal $one:ident $two:ident) => {
        mod $name {
            use super::*;

            const UNIT: u8 = $bytes * 8;
            const G: &[Component] = &[component(Channel::G, $low, $bits)];
            const G_ABOVE: &[Component] = &[component(Channel::G, UNIT + $low, $bits)];
            const B: &[Component] = &[component(Channel::B, $low, $bits)];
            const R: &[Component] = &[component(Channel::R, $low, $bits)];
            const BR: &[Component] = &[
                component(Channel::B, $low, $bits),
                component(Channel::R, UNIT + $low, $bits),
            ];
            const B_R: &[Component] = &[
                component(Channel::B, $low, $bits),
                component(Channel::R, 2 * UNIT + $low, $bits),
            ];
            const B_R_ABOVE: &[Component] = &[
                component(Channel::B, UNIT + $low, $bits),
                component(Channel::R, 3 * UNIT + $low, $bits),
            ];

            const fn two(shift: (u8, u8)) -> [Part; 2] {
                [
                    part(vk::Format::$one, (0, 0), texels($bytes, G)),
                    part(vk::Format::$two, shift, texels($bytes * 2, BR)),
                ]
            }

            const fn three(shift: (u8, u8)) -> [Part; 3] {
                [
                    part(vk::Format::$one, (0, 0), texels($bytes, G)),
                    part(vk::Format::$one, shift, texels($bytes, B)),
                    part(vk::Format::$one, shift, texels($bytes, R)),
                ]
            }

            const fn packed(luma: &'static [Component], chroma: &'static [Component]) -> [Part; 2] {
                [
                    Part {
                        plane: None,
                        texels: texels($bytes * 2, luma),
                        shift: (0, 0),
                    },
                    Part {
                        plane: None,
                        texels: texels($bytes * 4, chroma),
                        shift: (1, 0),
                    },
                ]
            }

            pub(super) const TWO_420: &[Part] = &two((1, 1));
            pub(super) const TWO_422: &[Part] = &two((1, 0));
            pub(super) const TWO_444: &[Part] = &two((0, 0));
            pub(super) const THREE_420: &[Part] = &three((1, 1));
            pub(super) const THREE_422: &[Part] = &three((1, 0));
            pub(super) const THREE_444: &[Part] = &three((0, 0));
            pub(super) const LUMA_FIRST: &[Part] = &packed(G, B_R_ABOVE);
            pub(super) const CHROMA_FIRST: &[Part] = &packed(G_ABOVE, B_R);
        }
    };
}

depth!(d8: 1 0 8 R8_UNORM R8G8_UNORM);
depth!(d10: 2 6 10 R10X6_UNORM_PACK16 R10X6G10X6_UNORM_2PACK16);
depth!(d12: 2 4 12 R12X4_UNORM_PACK16 R12X4G12X4_UNORM_2PACK16);
depth!(d16: 2 0 16 R16_UNORM R16G16_UNORM);

macro_rules! ycbcr {
    ($($name:ident: $bytes:literal $w:literal $depth:ident $parts:ident class $class:literal;)*) => {
        /// The formats, by number. Append only.
        pub(super) static TABLE: &[Format] = &[$(Format {
            vk: vk::Format::$name,
            name: stringify!($name),
            bytes: $bytes,
            block: ($w, 1),
            encoding: Encoding::Ycbcr,
            kind: Kind::Unorm,
            components: &[],
            class: $class,
            depth: None,
            stencil: None,
            parts: $depth::$parts,
        },)*];
    };
}

// Bytes are those of a block, of planes together those of a texel where nothing is shared.
#[rustfmt::skip]
ycbcr! {
    G8B8G8R8_422_UNORM: 4 2 d8 LUMA_FIRST class 2000;
    B8G8R8G8_422_UNORM: 4 2 d8 CHROMA_FIRST class 2001;
    G8_B8_R8_3PLANE_420_UNORM: 3 1 d8 THREE_420 class 2002;
    G8_B8R8_2PLANE_420_UNORM: 3 1 d8 TWO_420 class 2003;
    G8_B8_R8_3PLANE_422_UNORM: 3 1 d8 THREE_422 class 2004;
    G8_B8R8_2PLANE_422_UNORM: 3 1 d8 TWO_422 class 2005;
    G8_B8_R8_3PLANE_444_UNORM: 3 1 d8 THREE_444 class 2006;
    G8_B8R8_2PLANE_444_UNORM: 3 1 d8 TWO_444 class 2007;
    G10X6B10X6G10X6R10X6_422_UNORM_4PACK16: 8 2 d10 LUMA_FIRST class 2010;
    B10X6G10X6R10X6G10X6_422_UNORM_4PACK16: 8 2 d10 CHROMA_FIRST class 2011;
    G10X6_B10X6_R10X6_3PLANE_420_UNORM_3PACK16: 6 1 d10 THREE_420 class 2012;
    G10X6_B10X6R10X6_2PLANE_420_UNORM_3PACK16: 6 1 d10 TWO_420 class 2013;
    G10X6_B10X6_R10X6_3PLANE_422_UNORM_3PACK16: 6 1 d10 THREE_422 class 2014;
    G10X6_B10X6R10X6_2PLANE_422_UNORM_3PACK16: 6 1 d10 TWO_422 class 2015;
    G10X6_B10X6_R10X6_3PLANE_444_UNORM_3PACK16: 6 1 d10 THREE_444 class 2016;
    G10X6_B10X6R10X6_2PLANE_444_UNORM_3PACK16: 6 1 d10 TWO_444 class 2017;
    G12X4B12X4G12X4R12X4_422_UNORM_4PACK16: 8 2 d12 LUMA_FIRST class 2020;
    B12X4G12X4R12X4G12X4_422_UNORM_4PACK16: 8 2 d12 CHROMA_FIRST class 2021;
    G12X4_B12X4_R12X4_3PLANE_420_UNORM_3PACK16: 6 1 d12 THREE_420 class 2022;
    G12X4_B12X4R12X4_2PLANE_420_UNORM_3PACK16: 6 1 d12 TWO_420 class 2023;
    G12X4_B12X4_R12X4_3PLANE_422_UNORM_3PACK16: 6 1 d12 THREE_422 class 2024;
    G12X4_B12X4R12X4_2PLANE_422_UNORM_3PACK16: 6 1 d12 TWO_422 class 2025;
    G12X4_B12X4_R12X4_3PLANE_444_UNORM_3PACK16: 6 1 d12 THREE_444 class 2026;
    G12X4_B12X4R12X4_2PLANE_444_UNORM_3PACK16: 6 1 d12 TWO_444 class 2027;
    G16B16G16R16_422_UNORM: 8 2 d16 LUMA_FIRST class 2030;
    B16G16R16G16_422_UNORM: 8 2 d16 CHROMA_FIRST class 2031;
    G16_B16_R16_3PLANE_420_UNORM: 6 1 d16 THREE_420 class 2032;
    G16_B16R16_2PLANE_420_UNORM: 6 1 d16 TWO_420 class 2033;
    G16_B16_R16_3PLANE_422_UNORM: 6 1 d16 THREE_422 class 2034;
    G16_B16R16_2PLANE_422_UNORM: 6 1 d16 TWO_422 class 2035;
    G16_B16_R16_3PLANE_444_UNORM: 6 1 d16 THREE_444 class 2036;
    G16_B16R16_2PLANE_444_UNORM: 6 1 d16 TWO_444 class 2037;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn planes_have_the_bits_that_sampling_reads() {
        for (row, number) in TABLE.iter().zip(FIRST_NUMBER..) {
            assert_eq!(row.number(), number, "{}", row.name);
            assert!(std::ptr::eq(Format::by_number(number).unwrap(), row));
            assert!(std::ptr::eq(Format::of(row.vk).unwrap(), row));
            let channels: usize = row.parts.iter().map(|part| part.texels.components.len()).sum();
            assert_eq!(channels, 3, "{}", row.name);
            for part in row.parts {
                let Some(plane) = part.plane.map(|plane| Format::of(plane).unwrap()) else {
                    let texels = u32::from(part.texels.bytes) >> part.shift.0;
                    assert_eq!(texels * u32::from(row.block.0), u32::from(row.bytes));
                    continue;
                };
                assert_eq!(plane.bytes, part.texels.bytes, "{}", row.name);
                let bits = |c: &Component| (c.shift, c.bits);
                assert!(
                    plane
                        .components
                        .iter()
                        .map(bits)
                        .eq(part.texels.components.iter().map(bits)),
                    "{}",
                    row.name
                );
            }
        }
    }
}
