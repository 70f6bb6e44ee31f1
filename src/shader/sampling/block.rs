//! Texels of block-compressed formats.
//!
//! Kernels load the words of the blocks they want themselves (so that faults are theirs) and pass them, with
//! the number of the texel in its block, to a host function that decompresses one texel a lane.

use super::call::field;
use super::codec::{Words, load_texel};
use crate::memory::raw;
use crate::resource::format::{Encoding, Format, astc, etc};
use crate::shader::abi::{Context, Status};
use crate::shader::codegen::entry::host_routine;
use crate::shader::ir::{Builder, Value};
use std::cell::RefCell;

/// Most lanes of a wave.
const LANES: usize = 16;
/// Offset in the call frame of what the host function takes: behind the arguments of the routine.
const DECODE_ARGS: i64 = 16 * 64;

/// What the host function takes and gives.
#[derive(Clone, Copy, Debug, bytemuck::Zeroable, bytemuck::Pod)]
#[repr(C)]
struct DecodeArgs {
    /// Number of the format.
    format: u32,
    /// Lanes that are on.
    mask: u32,
    reserved: [u32; 14],
    /// Words of the lanes' blocks.
    words: [[u32; LANES]; 4],
    /// Numbers of the texels in them.
    index: [u32; LANES],
    /// Words of the texels.
    texels: [[u32; LANES]; 2],
}

/// Lets routines and transfer kernels that run in a context decompress.
pub(super) fn attach_decoder(ctx: &mut Context) {
    ctx.decode = host_routine(decode);
}

/// Words of a decompressed texel.
fn texel_words(format: &Format) -> usize {
    match format.encoding {
        Encoding::Bc5 | Encoding::Bc5Signed | Encoding::Bc6h | Encoding::Bc6hSigned => 2,
        Encoding::EacRg | Encoding::EacRgSigned => 2,
        Encoding::Astc if !format.is_srgb() => 2,
        _ => 1,
    }
}

/// The same integers a lane, divided by a number of texels that blocks have along an axis; exact below 2^16.
pub(super) fn blocks_before(b: &mut Builder<'_>, index: Value, texels: u8) -> Value {
    let shift = texels.trailing_zeros();
    let (factor, shift) = match texels >> shift {
        1 => (1, shift),
        3 => (43_691, 17 + shift),
        _ => (52_429, 18 + shift),
    };
    let mut index = index;
    if factor != 1 {
        let factor = b.vconst(factor);
        index = b.vmul(index, factor);
    }
    let shift = b.vconst(shift.into());
    b.vshr(index, shift)
}

/// Number of a texel in its block.
pub(super) fn texel_index(b: &mut Builder<'_>, format: &Format, x: Value, y: Option<Value>) -> Value {
    let mut inside = |at: Value, texels: u8| {
        if texels.is_power_of_two() {
            let mask = b.vconst(i64::from(texels) - 1);
            return b.vand(at, mask);
        }
        let blocks = blocks_before(b, at, texels);
        let texels = b.vconst(texels.into());
        let first = b.vmul(blocks, texels);
        b.vsub(at, first)
    };
    let column = inside(x, format.block.0);
    let Some(y) = y else { return column };
    let row = inside(y, format.block.1);
    if format.block.0 == 4 {
        let two = b.vconst(2);
        let row = b.vshl(row, two);
        return b.vor(row, column);
    }
    let width = b.vconst(format.block.0.into());
    let row = b.vmul(row, width);
    b.vadd(row, column)
}

/// Loads the blocks at `base + offset` and decompresses the texel `index` of each.
pub(super) fn load_block_texel(
    b: &mut Builder<'_>,
    ctx: Value,
    format: &Format,
    base: Value,
    offset: Value,
    index: Value,
    mask: Value,
) -> Words {
    let words = load_texel(b, base, offset, mask, format.bytes);
    let frame = b.lload(ctx, field!(Context, call_frame));
    let args = b.ladd_imm(frame, DECODE_ARGS);
    let number = b.sconst(i64::from(format.number()));
    b.sstore(args, number, field!(DecodeArgs, format));
    let bits = b.mbits(mask);
    b.sstore(args, bits, field!(DecodeArgs, mask));
    for (i, word) in words.into_iter().enumerate() {
        b.vstore(args, word, field!(DecodeArgs, words) + i as i64 * 64);
    }
    b.vstore(args, index, field!(DecodeArgs, index));
    let code = b.lload(ctx, field!(Context, decode));
    b.call(code, ctx, args);
    (0..texel_words(format))
        .map(|i| b.vload(args, field!(DecodeArgs, texels) + i as i64 * 64))
        .collect()
}

/// Blocks that a thread remembers: of sixteen texels, and of as many as there can be.
const REMEMBERED: [usize; 2] = [512, 128];
/// Most texels of a block.
const MOST: usize = 144;

/// The blocks that a thread decompressed last, by a hash of their words: neighbouring samples hit the same blocks
/// again and again.
#[derive(Default)]
struct Blocks {
    /// Number of the format, and the words.
    of: Vec<(u16, [u32; 4])>,
    texels: Vec<Texel>,
}

thread_local! {
    static BLOCKS: RefCell<[Blocks; 2]> = RefCell::default();
}

impl Blocks {
    /// The texel `index` of a block; `most` texels are kept of each.
    fn texel(&mut self, format: &Format, words: [u32; 4], index: usize, most: usize, count: usize) -> Texel {
        if self.of.is_empty() {
            self.of.resize(count, (0, [0; 4]));
            self.texels.resize(count * most, [0; 2]);
        }
        let number = format.number();
        let mix = words.iter().fold(u32::from(number), |sum, &word| {
            (sum ^ word).wrapping_mul(0x9e37_79b1).rotate_left(15)
        });
        let slot = mix as usize % count;
        let texels = &mut self.texels[slot * most..(slot + 1) * most];
        if self.of[slot] != (number, words) {
            self.of[slot] = (number, words);
            decompress(format, words, texels);
        }
        texels[index.min(most - 1)]
    }
}

/// The host function: decompresses one texel a lane.
extern "C" fn decode(_: u64, args: u64) -> u32 {
    let mut data = raw::load::<DecodeArgs>(args);
    data.texels = [[0; LANES]; 2];
    if let Some(format) = Format::by_number(data.format as u16) {
        let large = usize::from(format.encoding == Encoding::Astc);
        BLOCKS.with_borrow_mut(|blocks| decode_lanes(&mut data, format, &mut blocks[large], large));
    }
    raw::store(
        args + std::mem::offset_of!(DecodeArgs, texels) as u64,
        data.texels,
    );
    Status::Done as u32
}

fn decode_lanes(data: &mut DecodeArgs, format: &Format, blocks: &mut Blocks, large: usize) {
    let used = usize::from(format.bytes / 4).min(4);
    let most = [16, MOST][large];
    for lane in (0..LANES).filter(|lane| data.mask >> lane & 1 != 0) {
        let mut words = [0; 4];
        for (to, from) in words.iter_mut().zip(&data.words[..used]) {
            *to = from[lane];
        }
        let texel = blocks.texel(format, words, data.index[lane] as usize, most, REMEMBERED[large]);
        data.texels[0][lane] = texel[0];
        data.texels[1][lane] = texel[1];
    }
}

/// The words of a texel.
pub(super) type Texel = [u32; 2];

/// Decompresses a block. Blocks of eight bytes are in the first two words.
pub(super) fn decompress(format: &Format, words: [u32; 4], out: &mut [Texel]) {
    let mut bytes = [0_u8; 16];
    for (to, word) in bytes.chunks_exact_mut(4).zip(words) {
        to.copy_from_slice(&word.to_le_bytes());
    }
    let half = |first: usize| u64::from(words[first]) | u64::from(words[first + 1]) << 32;
    let texels = match format.encoding {
        Encoding::Bc1Rgb | Encoding::Bc1 => rgba8(|out| bcdec_rs::bc1(&bytes, out, 16)),
        Encoding::Bc2 => rgba8(|out| bcdec_rs::bc2(&bytes, out, 16)),
        Encoding::Bc3 => rgba8(|out| bcdec_rs::bc3(&bytes, out, 16)),
        Encoding::Bc7 => rgba8(|out| bcdec_rs::bc7(&bytes, out, 16)),
        Encoding::Bc4 => floats::<1, 16>(|out| bcdec_rs::bc4_float(&bytes, out, 4, false)),
        Encoding::Bc4Signed => floats::<1, 16>(|out| bcdec_rs::bc4_float(&bytes, out, 4, true)),
        Encoding::Bc5 => floats::<2, 32>(|out| bcdec_rs::bc5_float(&bytes, out, 8, false)),
        Encoding::Bc5Signed => floats::<2, 32>(|out| bcdec_rs::bc5_float(&bytes, out, 8, true)),
        Encoding::Bc6h => halves(|out| bcdec_rs::bc6h_half(&bytes, out, 12, false)),
        Encoding::Bc6hSigned => halves(|out| bcdec_rs::bc6h_half(&bytes, out, 12, true)),
        Encoding::Etc2Rgb => etc::color(half(0), false).map(rgba),
        Encoding::Etc2Punch => etc::color(half(0), true).map(rgba),
        Encoding::Etc2Rgba => {
            let (alpha, color) = (etc::alpha(half(0)), etc::color(half(2), false));
            std::array::from_fn(|i| rgba([color[i][0], color[i][1], color[i][2], alpha[i]]))
        }
        Encoding::EacR | Encoding::EacRSigned => {
            let signed = format.encoding == Encoding::EacRSigned;
            etc::component(half(0), signed).map(|value| [value.to_bits(), 0])
        }
        Encoding::EacRg | Encoding::EacRgSigned => {
            let signed = format.encoding == Encoding::EacRgSigned;
            let [r, g] = [0, 2].map(|first| etc::component(half(first), signed));
            std::array::from_fn(|i| [r[i].to_bits(), g[i].to_bits()])
        }
        Encoding::Astc => {
            let block = u128::from(half(0)) | u128::from(half(2)) << 64;
            let size = [format.block.0.into(), format.block.1.into()];
            for (to, texel) in out
                .iter_mut()
                .zip(astc::decompress(block, size, format.is_srgb()))
            {
                *to = if format.is_srgb() {
                    rgba(texel.map(|code| (code >> 8) as u8))
                } else {
                    let [r, g, b, a] = texel.map(|code| u32::from(astc::half(code)));
                    [r | g << 16, b | a << 16]
                };
            }
            return;
        }
        Encoding::Plain | Encoding::SharedExponent | Encoding::Combined | Encoding::Ycbcr => [[0; 2]; 16],
    };
    out.iter_mut().zip(texels).for_each(|(to, texel)| *to = texel);
}

fn rgba(texel: [u8; 4]) -> Texel {
    [u32::from_le_bytes(texel), 0]
}

fn rgba8(decode: impl FnOnce(&mut [u8])) -> [Texel; 16] {
    let mut out = [0_u8; 64];
    decode(&mut out);
    std::array::from_fn(|i| rgba([out[4 * i], out[4 * i + 1], out[4 * i + 2], out[4 * i + 3]]))
}

fn floats<const N: usize, const SIZE: usize>(decode: impl FnOnce(&mut [f32])) -> [Texel; 16] {
    let mut out = [0.0_f32; SIZE];
    decode(&mut out);
    std::array::from_fn(|i| [0, 1].map(|c: usize| if c < N { out[N * i + c].to_bits() } else { 0 }))
}

fn halves(decode: impl FnOnce(&mut [u16])) -> [Texel; 16] {
    let mut out = [0_u16; 48];
    decode(&mut out);
    std::array::from_fn(|i| {
        let [r, g, b] = [0, 1, 2].map(|c: usize| u32::from(out[3 * i + c]));
        [r | g << 16, b]
    })
}
