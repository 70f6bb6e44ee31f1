//! The bytes of each descriptor. All zero is the null descriptor: reads give 0, writes are dropped.

use bytemuck::{Pod, Zeroable};

/// Uniform and storage buffers (16 bytes).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct BufferDescriptor {
    /// Device address of the first byte.
    pub address: u64,
    /// Bytes that can be reached; accesses beyond are masked. At most 2^31 - 1.
    pub range: u32,
    /// [`BufferDescriptor::MARK`], or zero in the null descriptor.
    pub mark: u32,
}

impl BufferDescriptor {
    /// What tells it from other bytes.
    pub const MARK: u32 = u32::from_le_bytes(*b"LBUF");

    /// Of memory that is there.
    #[must_use]
    #[inline]
    pub const fn new(address: u64, range: u32) -> BufferDescriptor {
        BufferDescriptor {
            address,
            range,
            mark: BufferDescriptor::MARK,
        }
    }

    /// Whether these are the bytes of a descriptor.
    #[must_use]
    pub fn is_right(&self) -> bool {
        self.mark == BufferDescriptor::MARK || *self == BufferDescriptor::default()
    }
}

/// Uniform and storage texel buffers (32 bytes).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct TexelBufferDescriptor {
    /// Device address of the first texel.
    pub address: u64,
    /// Texels.
    pub count: u32,
    /// Bytes a texel.
    pub stride: u32,
    /// As [`ImageDescriptor::kind`].
    pub kind: u64,
    /// Zero.
    pub reserved: u64,
}

/// What is in bits 48 to 63 of the kind of images and texel buffers, and of no other bytes but by chance.
pub const KIND_MARK: u64 = 0x4c49 << 48;

/// Mip offsets that fit an image descriptor: those of the view's levels 1 to 6.
pub const MAX_MIP_OFFSETS: usize = 6;

/// Sampled and storage images and input attachments (64 bytes). A combined image sampler is an image
/// descriptor followed by a sampler descriptor (96 bytes).
///
/// Level `l` of layer `a` begins at `address + a * layer_pitch * 16 + mip_offset(l) * 16`, where
/// `mip_offset(l)` is 0 for level 0, `mip_offsets[l - 1]` up to level 6, and
/// `mip_offsets[5] + (l - 6) * tail_pitch` beyond (an image gives its levels from 6 on slots of equal size). Rows of level `l` are `width(l)` blocks times the block size,
/// rounded up to 16 bytes, or to `row_padding` more; slices (3D) follow each other at rows × row pitch. Samples are planes: sample `s`
/// is `s * sample_pitch * 16` further on. `width(l) = max(1, width >> l)`.
///
/// Views of several colour planes have one level; in place of `mip_offsets` are the addresses of the second and third
/// plane (two words each) and their layer pitches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct ImageDescriptor {
    /// Device address of the view's first level and layer.
    pub address: u64,
    /// What sampling depends on at compile time: Lahar format number (bits 0..16), view type (16..20),
    /// aspect (20..22: 0 colour, 1 depth, 2 stencil), conversion of luma and chroma (22..31: model (22..25), narrow
    /// range (25), cosited along x (26) and y (27), linear chroma filter (28), explicit reconstruction (29), present
    /// (30)), least level of detail in place of the sample pitch (31), component swizzle (32..44, three bits each:
    /// 0 zero, 1 one, 2 red, 3 green, 4 blue, 5 alpha), samples log2 (44..47), [`KIND_MARK`]. What is between is
    /// zero. 0 is the null descriptor.
    pub kind: u64,
    /// Texels of the view's first level.
    pub width: u16,
    /// Texels of the view's first level.
    pub height: u16,
    /// Slices of the view's first level (3D), else 1.
    pub depth: u16,
    /// Array layers of the view (6 a cube).
    pub layers: u16,
    /// Levels of the view.
    pub levels: u16,
    /// The unit that rows are rounded up to, a power of two, less 16; in the low four bits how many bytes a texel has, as a power
    /// of two.
    pub row_padding: u16,
    /// Layer to layer, in units of 16 bytes.
    pub layer_pitch: u32,
    /// Sample plane to sample plane, in units of 16 bytes.
    pub sample_pitch: u32,
    /// Level to level from the view's level 6 on, in units of 16 bytes.
    pub tail_pitch: u32,
    /// Offsets of the view's levels 1 to 6 from `address`, in units of 16 bytes.
    pub mip_offsets: [u32; MAX_MIP_OFFSETS],
}

impl ImageDescriptor {
    /// The null descriptor.
    pub const NULL: ImageDescriptor = ImageDescriptor {
        address: 0,
        kind: 0,
        width: 0,
        height: 0,
        depth: 0,
        layers: 0,
        levels: 0,
        row_padding: 0,
        layer_pitch: 0,
        sample_pitch: 0,
        tail_pitch: 0,
        mip_offsets: [0; MAX_MIP_OFFSETS],
    };
}

/// Samplers (32 bytes).
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct SamplerDescriptor {
    /// What sampling depends on at compile time: mag filter (bit 0), min filter (1), mip mode (2), address
    /// modes u, v, w (3..6, 6..9, 9..12), compare enable (12), compare op (13..16), unnormalized (16),
    /// reduction (17..19), anisotropy (19), border colour kind (20..22: 0 transparent black, 1 opaque black,
    /// 2 opaque white, 3 custom), integer border (22), non-seamless cube (23), greatest anisotropy (24..29),
    /// valid (31).
    pub kind: u32,
    /// Added to the level of detail.
    pub lod_bias: f32,
    /// Least level of detail.
    pub min_lod: f32,
    /// Greatest level of detail.
    pub max_lod: f32,
    /// Custom border colour (float bits or integers), or zero.
    pub border: [u32; 4],
}

impl SamplerDescriptor {
    /// The null descriptor.
    pub const NULL: SamplerDescriptor = SamplerDescriptor {
        kind: 0,
        lod_bias: 0.0,
        min_lod: 0.0,
        max_lod: 0.0,
        border: [0; 4],
    };
}

const _: () = assert!(size_of::<BufferDescriptor>() == 16);
const _: () = assert!(size_of::<TexelBufferDescriptor>() == 32);
const _: () = assert!(size_of::<ImageDescriptor>() == 64);
const _: () = assert!(size_of::<SamplerDescriptor>() == 32);
