//! From image descriptors and integer coordinates to addresses.
//!
//! An address is the view's first byte (uniform) plus 32 bits of offset a lane: no image has more than
//! 2^31 - 1 bytes.

use super::block::blocks_before;
use super::call::{field, first_byte};
use super::op::{Dim, TexelArgs};
use crate::descriptor::{ImageDescriptor, TexelBufferDescriptor};
use crate::resource::format::Format;
use crate::shader::ir::{Builder, Type, Value};

/// Where the texels of each lane are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Located {
    /// Uniform base.
    pub(super) base: Value,
    /// Bytes from it, a lane.
    pub(super) offset: Value,
    /// Lanes that are on and in range.
    pub(super) mask: Value,
    /// Lanes that are on.
    pub(super) lanes: Value,
    /// As `offset`, also where lanes are out of range.
    pub(super) aim: Value,
}

impl Located {
    /// Texels that are all in range.
    pub(super) fn inside(base: Value, offset: Value, mask: Value) -> Located {
        Located {
            base,
            offset,
            mask,
            lanes: mask,
            aim: offset,
        }
    }
}

/// A mip level a lane; all vectors.
#[derive(Clone, Copy, Debug)]
pub(super) struct Level {
    /// Texels.
    pub(super) size: [Value; 3],
    /// Bytes from the view's first byte.
    pub(super) offset: Value,
    /// Bytes a row of blocks.
    pub(super) row: Value,
}

impl Level {
    /// As block arguments.
    pub(super) fn values(&self) -> [Value; 5] {
        let [w, h, d] = self.size;
        [w, h, d, self.offset, self.row]
    }

    /// From block parameters.
    pub(super) fn from_values(values: &[Value]) -> Level {
        Level {
            size: [values[0], values[1], values[2]],
            offset: values[3],
            row: values[4],
        }
    }
}

/// Offset of the level offset that is one before the first (level 0 has none).
const MIP_OFFSETS: i64 = field!(ImageDescriptor, mip_offsets) - 4;

/// Level 0, without a look at the levels.
pub(super) fn first_level(b: &mut Builder<'_>, image: Value, format: &Format) -> Level {
    let width = b.sload16(image, field!(ImageDescriptor, width));
    let row = uniform_row(b, image, width, format);
    let height = b.sload16(image, field!(ImageDescriptor, height));
    let depth = b.sload16(image, field!(ImageDescriptor, depth));
    Level {
        size: [width, height, depth].map(|size| b.vsplat(size)),
        offset: b.vconst(0),
        row: b.vsplat(row),
    }
}

/// The only level of a plane of an image, whose texels are each shared by 2^`shift` of the image's.
pub(super) fn plane_level(b: &mut Builder<'_>, image: Value, format: &Format, shift: (u8, u8)) -> Level {
    let mut extent = |at: i64, shift: u8| {
        let full = b.sload16(image, at);
        let (round, shift) = (b.sconst((1 << shift) - 1), b.sconst(shift.into()));
        let size = b.sadd(full, round);
        b.sshr(size, shift)
    };
    let width = extent(field!(ImageDescriptor, width), shift.0);
    let height = extent(field!(ImageDescriptor, height), shift.1);
    let row = uniform_row(b, image, width, format);
    Level {
        size: [b.vsplat(width), b.vsplat(height), b.vconst(1)],
        offset: b.vconst(0),
        row: b.vsplat(row),
    }
}

/// What rounds a row up to its unit: the unit less one, to be added, and then its complement, to be kept.
fn row_unit(b: &mut Builder<'_>, image: Value) -> (Value, Value) {
    let padding = b.sload16(image, field!(ImageDescriptor, row_padding));
    let (least, ones) = (b.sconst(15), b.sconst(-1));
    let round = b.sor(padding, least);
    (round, b.sxor(round, ones))
}

/// Bytes of a row of a level `width` texels wide.
fn uniform_row(b: &mut Builder<'_>, image: Value, width: Value, format: &Format) -> Value {
    let mut blocks = width;
    if format.is_compressed() {
        let texels = format.block.0;
        let round = b.sconst(i64::from(texels) - 1);
        blocks = b.sadd(blocks, round);
        blocks = if texels.is_power_of_two() {
            let shift = b.sconst(texels.trailing_zeros().into());
            b.sshr(blocks, shift)
        } else {
            let texels = b.sconst(texels.into());
            b.sdiv_u(blocks, texels)
        };
    }
    let bytes = b.sconst(i64::from(format.bytes));
    let row = b.smul(blocks, bytes);
    let (round, mask) = row_unit(b, image);
    let row = b.sadd(row, round);
    b.sand(row, mask)
}

/// The same as [`uniform_row`], a lane.
fn varying_row(b: &mut Builder<'_>, image: Value, width: Value, format: &Format) -> Value {
    let mut blocks = width;
    if format.is_compressed() {
        let round = b.vconst(i64::from(format.block.0) - 1);
        blocks = b.vadd(blocks, round);
        blocks = blocks_before(b, blocks, format.block.0);
    }
    let bytes = b.vconst(i64::from(format.bytes));
    let row = b.vmul(blocks, bytes);
    let (round, mask) = row_unit(b, image);
    let (round, mask) = (b.vsplat(round), b.vsplat(mask));
    let row = b.vadd(row, round);
    b.vand(row, mask)
}

const EXTENTS: [i64; 3] = [
    field!(ImageDescriptor, width),
    field!(ImageDescriptor, height),
    field!(ImageDescriptor, depth),
];

fn uniform_level(b: &mut Builder<'_>, image: Value, level: Value, format: &Format) -> Level {
    let (zero, one, six, four) = (b.sconst(0), b.sconst(1), b.sconst(6), b.sconst(4));
    let [width, height, depth] = EXTENTS.map(|at| {
        let full = b.sload16(image, at);
        let size = b.sshr(full, level);
        b.smax_u(size, one)
    });
    let row = uniform_row(b, image, width, format);
    let entry = b.smin_s(level, six);
    let rest = b.ssub(level, entry);
    let two = b.sconst(2);
    let entry = b.sshl(entry, two);
    let entry = b.lzext(entry);
    let at = b.ladd(image, entry);
    let offset = b.sload(at, MIP_OFFSETS);
    let first = b.seq(level, zero);
    let offset = b.sselect(first, zero, offset);
    let tail = b.sload(image, field!(ImageDescriptor, tail_pitch));
    let tail = b.smul(rest, tail);
    let offset = b.sadd(offset, tail);
    let offset = b.sshl(offset, four);
    Level {
        size: [width, height, depth].map(|size| b.vsplat(size)),
        offset: b.vsplat(offset),
        row: b.vsplat(row),
    }
}

fn varying_level(b: &mut Builder<'_>, image: Value, level: Value, mask: Value, format: &Format) -> Level {
    let (zero, one, six, two, four) = (b.vconst(0), b.vconst(1), b.vconst(6), b.vconst(2), b.vconst(4));
    let size = EXTENTS.map(|at| {
        let full = b.sload16(image, at);
        let full = b.vsplat(full);
        let size = b.vshr(full, level);
        b.vmax_u(size, one)
    });
    let row = varying_row(b, image, size[0], format);
    let entry = b.vmin_s(level, six);
    let rest = b.vsub(level, entry);
    let later = b.vlt_s(zero, level);
    let later = b.mand(later, mask);
    let entry = b.vshl(entry, two);
    let offset = b.gather(image, entry, later, MIP_OFFSETS);
    let tail = b.sload(image, field!(ImageDescriptor, tail_pitch));
    let tail = b.vsplat(tail);
    let tail = b.vmul(rest, tail);
    let offset = b.vadd(offset, tail);
    let offset = b.vshl(offset, four);
    Level { size, offset, row }
}

/// The levels numbered `level` (in range in every lane of the mask); short when all are the same.
pub(super) fn find_level(
    b: &mut Builder<'_>,
    image: Value,
    level: Value,
    mask: Value,
    format: &Format,
) -> Level {
    let first = b.vread_first(level, mask);
    let splat = b.vsplat(first);
    let differs = b.vne(level, splat);
    let differs = b.mand(differs, mask);
    let differs = b.many(differs);
    let (same, _) = b.add_block(&[]);
    let (other, _) = b.add_block(&[]);
    let (join, params) = b.add_block(&[Type::V; 5]);
    b.branch(differs, (other, &[]), (same, &[]));
    b.switch_to(same);
    let found = uniform_level(b, image, first, format);
    b.jump(join, &found.values());
    b.switch_to(other);
    let found = varying_level(b, image, level, mask, format);
    b.jump(join, &found.values());
    b.switch_to(join);
    Level::from_values(&params)
}

/// Bytes from one layer to the next of a colour plane (0 where there is only one), as a vector.
pub(super) fn layer_bytes(b: &mut Builder<'_>, image: Value, plane: usize) -> Value {
    let pitch = match plane {
        0 => field!(ImageDescriptor, layer_pitch),
        plane => field!(ImageDescriptor, mip_offsets) + 16 + 4 * (plane as i64 - 1),
    };
    let pitch = b.sload(image, pitch);
    let four = b.sconst(4);
    let pitch = b.sshl(pitch, four);
    b.vsplat(pitch)
}

/// Bytes from one slice of a 3D level to the next.
pub(super) fn slice_bytes(b: &mut Builder<'_>, level: &Level, format: &Format) -> Value {
    let mut rows = level.size[1];
    if format.is_compressed() {
        let round = b.vconst(i64::from(format.block.1) - 1);
        rows = b.vadd(rows, round);
        rows = blocks_before(b, rows, format.block.1);
    }
    b.vmul(rows, level.row)
}

/// Bytes from the start of a slice to the row of blocks with texel row `y`.
pub(super) fn row_offset(b: &mut Builder<'_>, format: &Format, y: Value, pitch: Value) -> Value {
    let row = if format.is_compressed() {
        blocks_before(b, y, format.block.1)
    } else {
        y
    };
    b.vmul(row, pitch)
}

/// Bytes from the start of a row to the texel (or the block with the texel) `x`.
pub(super) fn texel_bytes(b: &mut Builder<'_>, format: &Format, x: Value) -> Value {
    let index = if format.is_compressed() {
        blocks_before(b, x, format.block.0)
    } else {
        x
    };
    match format.bytes {
        1 => index,
        bytes if bytes.is_power_of_two() => {
            let shift = b.vconst(i64::from(bytes.trailing_zeros()));
            b.vshl(index, shift)
        }
        bytes => {
            let bytes = b.vconst(bytes.into());
            b.vmul(index, bytes)
        }
    }
}

/// The block of a texel in a level, with everything in range.
pub(super) fn image_texel(b: &mut Builder<'_>, image: Value, format: &Format, args: &TexelArgs) -> Located {
    let level = first_level(b, image, format);
    texel_in_level(b, image, format, args, &level, args.mask)
}

/// As [`image_texel`], where the shader tells the format: a view of smaller texels has none of these.
pub(super) fn declared_texel(
    b: &mut Builder<'_>,
    image: Value,
    format: &Format,
    args: &TexelArgs,
) -> Located {
    let mut level = first_level(b, image, format);
    let has = b.sload16(image, field!(ImageDescriptor, row_padding));
    let (bits, zero) = (b.sconst(15), b.sconst(0));
    let has = b.sand(has, bits);
    let needed = b.sconst(i64::from(format.bytes.max(1).ilog2()));
    let fits = b.sle_u(needed, has);
    let width = b.sload16(image, field!(ImageDescriptor, width));
    let width = b.sselect(fits, width, zero);
    level.size[0] = b.vsplat(width);
    texel_in_level(b, image, format, args, &level, args.mask)
}

/// As [`image_texel`], at the level of `args.lod`.
pub(super) fn mip_texel(b: &mut Builder<'_>, image: Value, format: &Format, args: &TexelArgs) -> Located {
    let Some(lod) = args.lod else {
        return image_texel(b, image, format, args);
    };
    let levels = b.sload16(image, field!(ImageDescriptor, levels));
    let levels = b.vsplat(levels);
    let inside = b.vlt_u(lod, levels);
    let mask = b.mand(args.mask, inside);
    let level = find_level(b, image, lod, mask, format);
    let at = texel_in_level(b, image, format, args, &level, mask);
    // A level that is not there is nowhere.
    let zero = b.vconst(0);
    let aim = b.vselect(inside, at.offset, zero);
    Located { aim, ..at }
}

fn texel_in_level(
    b: &mut Builder<'_>,
    image: Value,
    format: &Format,
    args: &TexelArgs,
    level: &Level,
    mask: Value,
) -> Located {
    let mut mask = mask;
    let mut offset = texel_bytes(b, format, args.coords[0]);
    for (&coord, &size) in args.coords.iter().zip(&level.size) {
        let inside = b.vlt_u(coord, size);
        mask = b.mand(mask, inside);
    }
    offset = b.vadd(offset, level.offset);
    if let Some(&y) = args.coords.get(1) {
        let rows = row_offset(b, format, y, level.row);
        offset = b.vadd(offset, rows);
    }
    if let (Dim::D3, Some(&z)) = (args.dim, args.coords.get(2)) {
        let slice = slice_bytes(b, level, format);
        let slices = b.vmul(z, slice);
        offset = b.vadd(offset, slices);
    }
    if let Some(layer) = args.layer {
        let layers = b.sload16(image, field!(ImageDescriptor, layers));
        let layers = b.vsplat(layers);
        let inside = b.vlt_u(layer, layers);
        mask = b.mand(mask, inside);
        let pitch = layer_bytes(b, image, 0);
        let bytes = b.vmul(layer, pitch);
        offset = b.vadd(offset, bytes);
    }
    if let Some(sample) = args.sample {
        let samples = super::emit::emit_query_samples(b, image);
        let inside = b.vlt_u(sample, samples);
        mask = b.mand(mask, inside);
        let pitch = b.sload(image, field!(ImageDescriptor, sample_pitch));
        let four = b.sconst(4);
        let pitch = b.sshl(pitch, four);
        let pitch = b.vsplat(pitch);
        let bytes = b.vmul(sample, pitch);
        offset = b.vadd(offset, bytes);
    }
    let base = first_byte(b, image, field!(ImageDescriptor, address));
    Located {
        lanes: args.mask,
        ..Located::inside(base, offset, mask)
    }
}

/// A texel of a texel buffer.
pub(super) fn buffer_texel(
    b: &mut Builder<'_>,
    buffer: Value,
    format: &Format,
    index: Value,
    mask: Value,
) -> Located {
    let count = b.sload(buffer, field!(TexelBufferDescriptor, count));
    // A view of smaller texels has none of these.
    let has = b.sload(buffer, field!(TexelBufferDescriptor, stride));
    let (needed, zero) = (b.sconst(format.bytes.into()), b.sconst(0));
    let fits = b.sle_u(needed, has);
    let count = b.sselect(fits, count, zero);
    let count = b.vsplat(count);
    let inside = b.vlt_u(index, count);
    let lanes = mask;
    let mask = b.mand(lanes, inside);
    let base = first_byte(b, buffer, field!(TexelBufferDescriptor, address));
    let offset = texel_bytes(b, format, index);
    Located {
        lanes,
        ..Located::inside(base, offset, mask)
    }
}
