//! The rows of the format table. Append only: the position of a row is the format's number in descriptors.

use super::{Channel, Component, Encoding, Format, Kind};
use crate::vk;

/// Components from the lowest bits of the texel up: channel, bits, unused bits below them.
const fn layout<const N: usize>(kind: Kind, parts: [(Channel, u8, u8); N]) -> [Component; N] {
    let mut out = [Component {
        channel: Channel::R,
        kind,
        shift: 0,
        bits: 0,
    }; N];
    let (mut i, mut shift) = (0, 0);
    while i < N {
        let (channel, bits, unused) = parts[i];
        shift += unused;
        let kind = match (kind, channel) {
            (Kind::Srgb, Channel::A) => Kind::Unorm,
            (kind, _) => kind,
        };
        out[i] = Component {
            channel,
            kind,
            shift,
            bits,
        };
        shift += bits;
        i += 1;
    }
    out
}

macro_rules! channel {
    (r) => {
        Channel::R
    };
    (g) => {
        Channel::G
    };
    (b) => {
        Channel::B
    };
    (a) => {
        Channel::A
    };
}

macro_rules! formats {
    ($($name:ident: $bytes:literal $w:literal x $h:literal $encoding:ident $kind:ident [$($channel:ident $bits:literal $(above $unused:literal)?),*]
        class $class:literal $(depth $depth:ident)? $(stencil $stencil:ident)?;)*) => {
        /// Every format that Lahar knows, by number - 1.
        pub(super) static TABLE: &[Format] = &[$(Format {
            vk: vk::Format::$name,
            name: stringify!($name),
            bytes: $bytes,
            block: ($w, $h),
            encoding: Encoding::$encoding,
            kind: Kind::$kind,
            components: {
                const COMPONENTS: &[Component] = &layout(Kind::$kind, [$((channel!($channel), $bits, 0 $(+ $unused)?)),*]);
                COMPONENTS
            },
            class: $class,
            depth: plane!($($depth)?),
            stencil: plane!($($stencil)?),
            parts: &[],
        },)*];
    };
}

macro_rules! plane {
    () => {
        None
    };
    ($name:ident) => {
        Some(vk::Format::$name)
    };
}

// Components are listed from the lowest bits up. Classes are Vulkan's compatibility classes: bits of a texel
// for plain colour, numbers from 1000 for depth/stencil and compressed blocks. Components of compressed formats
// are those of a texel as it is decompressed (BC4 and BC5 to floats, BC6H to halves, the others to RGBA8).
#[rustfmt::skip]
formats! {
    R4G4_UNORM_PACK8: 1 1 x 1 Plain Unorm [g 4, r 4] class 8;
    R4G4B4A4_UNORM_PACK16: 2 1 x 1 Plain Unorm [a 4, b 4, g 4, r 4] class 16;
    B4G4R4A4_UNORM_PACK16: 2 1 x 1 Plain Unorm [a 4, r 4, g 4, b 4] class 16;
    R5G6B5_UNORM_PACK16: 2 1 x 1 Plain Unorm [b 5, g 6, r 5] class 16;
    B5G6R5_UNORM_PACK16: 2 1 x 1 Plain Unorm [r 5, g 6, b 5] class 16;
    R5G5B5A1_UNORM_PACK16: 2 1 x 1 Plain Unorm [a 1, b 5, g 5, r 5] class 16;
    B5G5R5A1_UNORM_PACK16: 2 1 x 1 Plain Unorm [a 1, r 5, g 5, b 5] class 16;
    A1R5G5B5_UNORM_PACK16: 2 1 x 1 Plain Unorm [b 5, g 5, r 5, a 1] class 16;
    A4R4G4B4_UNORM_PACK16: 2 1 x 1 Plain Unorm [b 4, g 4, r 4, a 4] class 16;
    A4B4G4R4_UNORM_PACK16: 2 1 x 1 Plain Unorm [r 4, g 4, b 4, a 4] class 16;

    R8_UNORM: 1 1 x 1 Plain Unorm [r 8] class 8;
    R8_SNORM: 1 1 x 1 Plain Snorm [r 8] class 8;
    R8_UINT: 1 1 x 1 Plain Uint [r 8] class 8;
    R8_SINT: 1 1 x 1 Plain Sint [r 8] class 8;
    R8_SRGB: 1 1 x 1 Plain Srgb [r 8] class 8;
    R8G8_UNORM: 2 1 x 1 Plain Unorm [r 8, g 8] class 16;
    R8G8_SNORM: 2 1 x 1 Plain Snorm [r 8, g 8] class 16;
    R8G8_UINT: 2 1 x 1 Plain Uint [r 8, g 8] class 16;
    R8G8_SINT: 2 1 x 1 Plain Sint [r 8, g 8] class 16;
    R8G8_SRGB: 2 1 x 1 Plain Srgb [r 8, g 8] class 16;
    R8G8B8A8_UNORM: 4 1 x 1 Plain Unorm [r 8, g 8, b 8, a 8] class 32;
    R8G8B8A8_SNORM: 4 1 x 1 Plain Snorm [r 8, g 8, b 8, a 8] class 32;
    R8G8B8A8_UINT: 4 1 x 1 Plain Uint [r 8, g 8, b 8, a 8] class 32;
    R8G8B8A8_SINT: 4 1 x 1 Plain Sint [r 8, g 8, b 8, a 8] class 32;
    R8G8B8A8_SRGB: 4 1 x 1 Plain Srgb [r 8, g 8, b 8, a 8] class 32;
    B8G8R8A8_UNORM: 4 1 x 1 Plain Unorm [b 8, g 8, r 8, a 8] class 32;
    B8G8R8A8_SNORM: 4 1 x 1 Plain Snorm [b 8, g 8, r 8, a 8] class 32;
    B8G8R8A8_UINT: 4 1 x 1 Plain Uint [b 8, g 8, r 8, a 8] class 32;
    B8G8R8A8_SINT: 4 1 x 1 Plain Sint [b 8, g 8, r 8, a 8] class 32;
    B8G8R8A8_SRGB: 4 1 x 1 Plain Srgb [b 8, g 8, r 8, a 8] class 32;
    A8B8G8R8_UNORM_PACK32: 4 1 x 1 Plain Unorm [r 8, g 8, b 8, a 8] class 32;
    A8B8G8R8_SNORM_PACK32: 4 1 x 1 Plain Snorm [r 8, g 8, b 8, a 8] class 32;
    A8B8G8R8_UINT_PACK32: 4 1 x 1 Plain Uint [r 8, g 8, b 8, a 8] class 32;
    A8B8G8R8_SINT_PACK32: 4 1 x 1 Plain Sint [r 8, g 8, b 8, a 8] class 32;
    A8B8G8R8_SRGB_PACK32: 4 1 x 1 Plain Srgb [r 8, g 8, b 8, a 8] class 32;
    A2R10G10B10_UNORM_PACK32: 4 1 x 1 Plain Unorm [b 10, g 10, r 10, a 2] class 32;
    A2R10G10B10_UINT_PACK32: 4 1 x 1 Plain Uint [b 10, g 10, r 10, a 2] class 32;
    A2B10G10R10_UNORM_PACK32: 4 1 x 1 Plain Unorm [r 10, g 10, b 10, a 2] class 32;
    A2B10G10R10_UINT_PACK32: 4 1 x 1 Plain Uint [r 10, g 10, b 10, a 2] class 32;

    R16_UNORM: 2 1 x 1 Plain Unorm [r 16] class 16;
    R16_SNORM: 2 1 x 1 Plain Snorm [r 16] class 16;
    R16_UINT: 2 1 x 1 Plain Uint [r 16] class 16;
    R16_SINT: 2 1 x 1 Plain Sint [r 16] class 16;
    R16_SFLOAT: 2 1 x 1 Plain Sfloat [r 16] class 16;
    R16G16_UNORM: 4 1 x 1 Plain Unorm [r 16, g 16] class 32;
    R16G16_SNORM: 4 1 x 1 Plain Snorm [r 16, g 16] class 32;
    R16G16_UINT: 4 1 x 1 Plain Uint [r 16, g 16] class 32;
    R16G16_SINT: 4 1 x 1 Plain Sint [r 16, g 16] class 32;
    R16G16_SFLOAT: 4 1 x 1 Plain Sfloat [r 16, g 16] class 32;
    R16G16B16A16_UNORM: 8 1 x 1 Plain Unorm [r 16, g 16, b 16, a 16] class 64;
    R16G16B16A16_SNORM: 8 1 x 1 Plain Snorm [r 16, g 16, b 16, a 16] class 64;
    R16G16B16A16_UINT: 8 1 x 1 Plain Uint [r 16, g 16, b 16, a 16] class 64;
    R16G16B16A16_SINT: 8 1 x 1 Plain Sint [r 16, g 16, b 16, a 16] class 64;
    R16G16B16A16_SFLOAT: 8 1 x 1 Plain Sfloat [r 16, g 16, b 16, a 16] class 64;

    R32_UINT: 4 1 x 1 Plain Uint [r 32] class 32;
    R32_SINT: 4 1 x 1 Plain Sint [r 32] class 32;
    R32_SFLOAT: 4 1 x 1 Plain Sfloat [r 32] class 32;
    R32G32_UINT: 8 1 x 1 Plain Uint [r 32, g 32] class 64;
    R32G32_SINT: 8 1 x 1 Plain Sint [r 32, g 32] class 64;
    R32G32_SFLOAT: 8 1 x 1 Plain Sfloat [r 32, g 32] class 64;
    R32G32B32_UINT: 12 1 x 1 Plain Uint [r 32, g 32, b 32] class 96;
    R32G32B32_SINT: 12 1 x 1 Plain Sint [r 32, g 32, b 32] class 96;
    R32G32B32_SFLOAT: 12 1 x 1 Plain Sfloat [r 32, g 32, b 32] class 96;
    R32G32B32A32_UINT: 16 1 x 1 Plain Uint [r 32, g 32, b 32, a 32] class 128;
    R32G32B32A32_SINT: 16 1 x 1 Plain Sint [r 32, g 32, b 32, a 32] class 128;
    R32G32B32A32_SFLOAT: 16 1 x 1 Plain Sfloat [r 32, g 32, b 32, a 32] class 128;

    B10G11R11_UFLOAT_PACK32: 4 1 x 1 Plain Ufloat [r 11, g 11, b 10] class 32;
    E5B9G9R9_UFLOAT_PACK32: 4 1 x 1 SharedExponent Ufloat [r 9, g 9, b 9] class 32;

    D16_UNORM: 2 1 x 1 Plain Unorm [r 16] class 1000 depth D16_UNORM;
    X8_D24_UNORM_PACK32: 4 1 x 1 Plain Unorm [r 24] class 1001 depth X8_D24_UNORM_PACK32;
    D32_SFLOAT: 4 1 x 1 Plain Sfloat [r 32] class 1002 depth D32_SFLOAT;
    S8_UINT: 1 1 x 1 Plain Uint [r 8] class 1003 stencil S8_UINT;
    D16_UNORM_S8_UINT: 3 1 x 1 Combined Unorm [] class 1004 depth D16_UNORM stencil S8_UINT;
    D24_UNORM_S8_UINT: 5 1 x 1 Combined Unorm [] class 1005 depth X8_D24_UNORM_PACK32 stencil S8_UINT;
    D32_SFLOAT_S8_UINT: 5 1 x 1 Combined Sfloat [] class 1006 depth D32_SFLOAT stencil S8_UINT;

    BC1_RGB_UNORM_BLOCK: 8 4 x 4 Bc1Rgb Unorm [r 8, g 8, b 8] class 1010;
    BC1_RGB_SRGB_BLOCK: 8 4 x 4 Bc1Rgb Srgb [r 8, g 8, b 8] class 1010;
    BC1_RGBA_UNORM_BLOCK: 8 4 x 4 Bc1 Unorm [r 8, g 8, b 8, a 8] class 1011;
    BC1_RGBA_SRGB_BLOCK: 8 4 x 4 Bc1 Srgb [r 8, g 8, b 8, a 8] class 1011;
    BC2_UNORM_BLOCK: 16 4 x 4 Bc2 Unorm [r 8, g 8, b 8, a 8] class 1012;
    BC2_SRGB_BLOCK: 16 4 x 4 Bc2 Srgb [r 8, g 8, b 8, a 8] class 1012;
    BC3_UNORM_BLOCK: 16 4 x 4 Bc3 Unorm [r 8, g 8, b 8, a 8] class 1013;
    BC3_SRGB_BLOCK: 16 4 x 4 Bc3 Srgb [r 8, g 8, b 8, a 8] class 1013;
    BC4_UNORM_BLOCK: 8 4 x 4 Bc4 Sfloat [r 32] class 1014;
    BC4_SNORM_BLOCK: 8 4 x 4 Bc4Signed Sfloat [r 32] class 1014;
    BC5_UNORM_BLOCK: 16 4 x 4 Bc5 Sfloat [r 32, g 32] class 1015;
    BC5_SNORM_BLOCK: 16 4 x 4 Bc5Signed Sfloat [r 32, g 32] class 1015;
    BC6H_UFLOAT_BLOCK: 16 4 x 4 Bc6h Sfloat [r 16, g 16, b 16] class 1016;
    BC6H_SFLOAT_BLOCK: 16 4 x 4 Bc6hSigned Sfloat [r 16, g 16, b 16] class 1016;
    BC7_UNORM_BLOCK: 16 4 x 4 Bc7 Unorm [r 8, g 8, b 8, a 8] class 1017;
    BC7_SRGB_BLOCK: 16 4 x 4 Bc7 Srgb [r 8, g 8, b 8, a 8] class 1017;

    // For vertices: normalized and integer ones of an odd size, and integers that shaders see as floats.
    A2R10G10B10_SNORM_PACK32: 4 1 x 1 Plain Snorm [b 10, g 10, r 10, a 2] class 32;
    A2R10G10B10_SINT_PACK32: 4 1 x 1 Plain Sint [b 10, g 10, r 10, a 2] class 32;
    A2R10G10B10_USCALED_PACK32: 4 1 x 1 Plain Uscaled [b 10, g 10, r 10, a 2] class 32;
    A2R10G10B10_SSCALED_PACK32: 4 1 x 1 Plain Sscaled [b 10, g 10, r 10, a 2] class 32;
    A2B10G10R10_SNORM_PACK32: 4 1 x 1 Plain Snorm [r 10, g 10, b 10, a 2] class 32;
    A2B10G10R10_SINT_PACK32: 4 1 x 1 Plain Sint [r 10, g 10, b 10, a 2] class 32;
    A2B10G10R10_USCALED_PACK32: 4 1 x 1 Plain Uscaled [r 10, g 10, b 10, a 2] class 32;
    A2B10G10R10_SSCALED_PACK32: 4 1 x 1 Plain Sscaled [r 10, g 10, b 10, a 2] class 32;
    R8_USCALED: 1 1 x 1 Plain Uscaled [r 8] class 8;
    R8G8_USCALED: 2 1 x 1 Plain Uscaled [r 8, g 8] class 16;
    R8G8B8A8_USCALED: 4 1 x 1 Plain Uscaled [r 8, g 8, b 8, a 8] class 32;
    B8G8R8A8_USCALED: 4 1 x 1 Plain Uscaled [b 8, g 8, r 8, a 8] class 32;
    A8B8G8R8_USCALED_PACK32: 4 1 x 1 Plain Uscaled [r 8, g 8, b 8, a 8] class 32;
    R16_USCALED: 2 1 x 1 Plain Uscaled [r 16] class 16;
    R16G16_USCALED: 4 1 x 1 Plain Uscaled [r 16, g 16] class 32;
    R16G16B16A16_USCALED: 8 1 x 1 Plain Uscaled [r 16, g 16, b 16, a 16] class 64;
    R8_SSCALED: 1 1 x 1 Plain Sscaled [r 8] class 8;
    R8G8_SSCALED: 2 1 x 1 Plain Sscaled [r 8, g 8] class 16;
    R8G8B8A8_SSCALED: 4 1 x 1 Plain Sscaled [r 8, g 8, b 8, a 8] class 32;
    B8G8R8A8_SSCALED: 4 1 x 1 Plain Sscaled [b 8, g 8, r 8, a 8] class 32;
    A8B8G8R8_SSCALED_PACK32: 4 1 x 1 Plain Sscaled [r 8, g 8, b 8, a 8] class 32;
    R16_SSCALED: 2 1 x 1 Plain Sscaled [r 16] class 16;
    R16G16_SSCALED: 4 1 x 1 Plain Sscaled [r 16, g 16] class 32;
    R16G16B16A16_SSCALED: 8 1 x 1 Plain Sscaled [r 16, g 16, b 16, a 16] class 64;
    R8G8B8_UNORM: 3 1 x 1 Plain Unorm [r 8, g 8, b 8] class 24;
    B8G8R8_UNORM: 3 1 x 1 Plain Unorm [b 8, g 8, r 8] class 24;
    R16G16B16_UNORM: 6 1 x 1 Plain Unorm [r 16, g 16, b 16] class 48;
    R8G8B8_SNORM: 3 1 x 1 Plain Snorm [r 8, g 8, b 8] class 24;
    B8G8R8_SNORM: 3 1 x 1 Plain Snorm [b 8, g 8, r 8] class 24;
    R16G16B16_SNORM: 6 1 x 1 Plain Snorm [r 16, g 16, b 16] class 48;
    R8G8B8_USCALED: 3 1 x 1 Plain Uscaled [r 8, g 8, b 8] class 24;
    B8G8R8_USCALED: 3 1 x 1 Plain Uscaled [b 8, g 8, r 8] class 24;
    R16G16B16_USCALED: 6 1 x 1 Plain Uscaled [r 16, g 16, b 16] class 48;
    R8G8B8_SSCALED: 3 1 x 1 Plain Sscaled [r 8, g 8, b 8] class 24;
    B8G8R8_SSCALED: 3 1 x 1 Plain Sscaled [b 8, g 8, r 8] class 24;
    R16G16B16_SSCALED: 6 1 x 1 Plain Sscaled [r 16, g 16, b 16] class 48;
    R8G8B8_UINT: 3 1 x 1 Plain Uint [r 8, g 8, b 8] class 24;
    B8G8R8_UINT: 3 1 x 1 Plain Uint [b 8, g 8, r 8] class 24;
    R16G16B16_UINT: 6 1 x 1 Plain Uint [r 16, g 16, b 16] class 48;
    R8G8B8_SINT: 3 1 x 1 Plain Sint [r 8, g 8, b 8] class 24;
    B8G8R8_SINT: 3 1 x 1 Plain Sint [b 8, g 8, r 8] class 24;
    R16G16B16_SINT: 6 1 x 1 Plain Sint [r 16, g 16, b 16] class 48;
    R16G16B16_SFLOAT: 6 1 x 1 Plain Sfloat [r 16, g 16, b 16] class 48;

    A1B5G5R5_UNORM_PACK16_KHR: 2 1 x 1 Plain Unorm [r 5, g 5, b 5, a 1] class 16;
    A8_UNORM_KHR: 1 1 x 1 Plain Unorm [a 8] class 1008;

    // Planes of luma and chroma formats, and the same with all components in one.
    R10X6_UNORM_PACK16: 2 1 x 1 Plain Unorm [r 10 above 6] class 16;
    R10X6G10X6_UNORM_2PACK16: 4 1 x 1 Plain Unorm [r 10 above 6, g 10 above 6] class 32;
    R10X6G10X6B10X6A10X6_UNORM_4PACK16: 8 1 x 1 Plain Unorm [r 10 above 6, g 10 above 6, b 10 above 6, a 10 above 6] class 64;
    R12X4_UNORM_PACK16: 2 1 x 1 Plain Unorm [r 12 above 4] class 16;
    R12X4G12X4_UNORM_2PACK16: 4 1 x 1 Plain Unorm [r 12 above 4, g 12 above 4] class 32;
    R12X4G12X4B12X4A12X4_UNORM_4PACK16: 8 1 x 1 Plain Unorm [r 12 above 4, g 12 above 4, b 12 above 4, a 12 above 4] class 64;

    // ETC2 and EAC: EAC to floats. ASTC to halves, or to RGBA8.
    ETC2_R8G8B8_UNORM_BLOCK: 8 4 x 4 Etc2Rgb Unorm [r 8, g 8, b 8] class 1030;
    ETC2_R8G8B8_SRGB_BLOCK: 8 4 x 4 Etc2Rgb Srgb [r 8, g 8, b 8] class 1030;
    ETC2_R8G8B8A1_UNORM_BLOCK: 8 4 x 4 Etc2Punch Unorm [r 8, g 8, b 8, a 8] class 1031;
    ETC2_R8G8B8A1_SRGB_BLOCK: 8 4 x 4 Etc2Punch Srgb [r 8, g 8, b 8, a 8] class 1031;
    ETC2_R8G8B8A8_UNORM_BLOCK: 16 4 x 4 Etc2Rgba Unorm [r 8, g 8, b 8, a 8] class 1032;
    ETC2_R8G8B8A8_SRGB_BLOCK: 16 4 x 4 Etc2Rgba Srgb [r 8, g 8, b 8, a 8] class 1032;
    EAC_R11_UNORM_BLOCK: 8 4 x 4 EacR Sfloat [r 32] class 1033;
    EAC_R11_SNORM_BLOCK: 8 4 x 4 EacRSigned Sfloat [r 32] class 1033;
    EAC_R11G11_UNORM_BLOCK: 16 4 x 4 EacRg Sfloat [r 32, g 32] class 1034;
    EAC_R11G11_SNORM_BLOCK: 16 4 x 4 EacRgSigned Sfloat [r 32, g 32] class 1034;
    ASTC_4X4_UNORM_BLOCK: 16 4 x 4 Astc Sfloat [r 16, g 16, b 16, a 16] class 1040;
    ASTC_4X4_SRGB_BLOCK: 16 4 x 4 Astc Srgb [r 8, g 8, b 8, a 8] class 1040;
    ASTC_5X4_UNORM_BLOCK: 16 5 x 4 Astc Sfloat [r 16, g 16, b 16, a 16] class 1041;
    ASTC_5X4_SRGB_BLOCK: 16 5 x 4 Astc Srgb [r 8, g 8, b 8, a 8] class 1041;
    ASTC_5X5_UNORM_BLOCK: 16 5 x 5 Astc Sfloat [r 16, g 16, b 16, a 16] class 1042;
    ASTC_5X5_SRGB_BLOCK: 16 5 x 5 Astc Srgb [r 8, g 8, b 8, a 8] class 1042;
    ASTC_6X5_UNORM_BLOCK: 16 6 x 5 Astc Sfloat [r 16, g 16, b 16, a 16] class 1043;
    ASTC_6X5_SRGB_BLOCK: 16 6 x 5 Astc Srgb [r 8, g 8, b 8, a 8] class 1043;
    ASTC_6X6_UNORM_BLOCK: 16 6 x 6 Astc Sfloat [r 16, g 16, b 16, a 16] class 1044;
    ASTC_6X6_SRGB_BLOCK: 16 6 x 6 Astc Srgb [r 8, g 8, b 8, a 8] class 1044;
    ASTC_8X5_UNORM_BLOCK: 16 8 x 5 Astc Sfloat [r 16, g 16, b 16, a 16] class 1045;
    ASTC_8X5_SRGB_BLOCK: 16 8 x 5 Astc Srgb [r 8, g 8, b 8, a 8] class 1045;
    ASTC_8X6_UNORM_BLOCK: 16 8 x 6 Astc Sfloat [r 16, g 16, b 16, a 16] class 1046;
    ASTC_8X6_SRGB_BLOCK: 16 8 x 6 Astc Srgb [r 8, g 8, b 8, a 8] class 1046;
    ASTC_8X8_UNORM_BLOCK: 16 8 x 8 Astc Sfloat [r 16, g 16, b 16, a 16] class 1047;
    ASTC_8X8_SRGB_BLOCK: 16 8 x 8 Astc Srgb [r 8, g 8, b 8, a 8] class 1047;
    ASTC_10X5_UNORM_BLOCK: 16 10 x 5 Astc Sfloat [r 16, g 16, b 16, a 16] class 1048;
    ASTC_10X5_SRGB_BLOCK: 16 10 x 5 Astc Srgb [r 8, g 8, b 8, a 8] class 1048;
    ASTC_10X6_UNORM_BLOCK: 16 10 x 6 Astc Sfloat [r 16, g 16, b 16, a 16] class 1049;
    ASTC_10X6_SRGB_BLOCK: 16 10 x 6 Astc Srgb [r 8, g 8, b 8, a 8] class 1049;
    ASTC_10X8_UNORM_BLOCK: 16 10 x 8 Astc Sfloat [r 16, g 16, b 16, a 16] class 1050;
    ASTC_10X8_SRGB_BLOCK: 16 10 x 8 Astc Srgb [r 8, g 8, b 8, a 8] class 1050;
    ASTC_10X10_UNORM_BLOCK: 16 10 x 10 Astc Sfloat [r 16, g 16, b 16, a 16] class 1051;
    ASTC_10X10_SRGB_BLOCK: 16 10 x 10 Astc Srgb [r 8, g 8, b 8, a 8] class 1051;
    ASTC_12X10_UNORM_BLOCK: 16 12 x 10 Astc Sfloat [r 16, g 16, b 16, a 16] class 1052;
    ASTC_12X10_SRGB_BLOCK: 16 12 x 10 Astc Srgb [r 8, g 8, b 8, a 8] class 1052;
    ASTC_12X12_UNORM_BLOCK: 16 12 x 12 Astc Sfloat [r 16, g 16, b 16, a 16] class 1053;
    ASTC_12X12_SRGB_BLOCK: 16 12 x 12 Astc Srgb [r 8, g 8, b 8, a 8] class 1053;
}
