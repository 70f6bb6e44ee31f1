//! Texels of block-compressed formats.
//!
//! Kernels load the words of the blocks they want themselves (so that faults are theirs) and pass them, with
//! the number of the texel in its block, to a host function that decompresses one texel a lane.

use super::call::field;
use super::codec::{Words, load_texel};
use crate::memory::raw;
use crate::resource::format::{Encoding, Format};
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
        _ => 1,
    }
}

/// Whether blocks have sixteen bytes.
fn is_wide(encoding: Encoding) -> bool {
    !matches!(
        encoding,
        Encoding::Bc1Rgb | Encoding::Bc1 | Encoding::Bc4 | Encoding::Bc4Signed
    )
}

/// Number of a texel in its block.
pub(super) fn texel_index(b: &mut Builder<'_>, x: Value, y: Option<Value>) -> Value {
    let (three, two) = (b.vconst(3), b.vconst(2));
    let column = b.vand(x, three);
    let Some(y) = y else { return column };
    let row = b.vand(y, three);
    let row = b.vshl(row, two);
    b.vor(row, column)
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

/// Blocks that a thread remembers.
const REMEMBERED: usize = 512;

/// A decompressed block, and what it is of.
#[derive(Clone, Copy)]
struct Entry {
    words: [u32; 4],
    encoding: Encoding,
    block: Block,
}

thread_local! {
    /// The blocks that this thread decompressed last, by a hash of their words: neighbouring samples hit the
    /// same blocks again and again.
    static BLOCKS: RefCell<Vec<Entry>> = const { RefCell::new(Vec::new()) };
}

/// The texel `index` of a block.
fn texel(blocks: &mut Vec<Entry>, encoding: Encoding, words: [u32; 4], index: usize) -> [u32; 2] {
    if blocks.is_empty() {
        let none = Entry {
            words: [0; 4],
            encoding: Encoding::Plain,
            block: [[0; 2]; 16],
        };
        blocks.resize(REMEMBERED, none);
    }
    let mix = words.iter().fold(encoding as u32, |sum, &word| {
        (sum ^ word).wrapping_mul(0x9e37_79b1).rotate_left(15)
    });
    let entry = &mut blocks[mix as usize % REMEMBERED];
    if entry.encoding != encoding || entry.words != words {
        *entry = Entry {
            words,
            encoding,
            block: decompress(encoding, words),
        };
    }
    entry.block[index & 15]
}

/// The host function: decompresses one texel a lane.
extern "C" fn decode(_: u64, args: u64) -> u32 {
    let mut data = raw::load::<DecodeArgs>(args);
    data.texels = [[0; LANES]; 2];
    let encoding = Format::by_number(data.format as u16).map_or(Encoding::Plain, |format| format.encoding);
    let used = if is_wide(encoding) { 4 } else { 2 };
    BLOCKS.with_borrow_mut(|blocks| {
        for lane in (0..LANES).filter(|lane| data.mask >> lane & 1 != 0) {
            let mut words = [0; 4];
            for (to, from) in words.iter_mut().zip(&data.words[..used]) {
                *to = from[lane];
            }
            let texel = texel(blocks, encoding, words, data.index[lane] as usize);
            data.texels[0][lane] = texel[0];
            data.texels[1][lane] = texel[1];
        }
    });
    raw::store(
        args + std::mem::offset_of!(DecodeArgs, texels) as u64,
        data.texels,
    );
    Status::Done as u32
}

/// The words of sixteen texels.
pub(super) type Block = [[u32; 2]; 16];

/// Decompresses a block. Blocks of eight bytes are in the first two words.
pub(super) fn decompress(encoding: Encoding, words: [u32; 4]) -> Block {
    let mut bytes = [0_u8; 16];
    for (to, word) in bytes.chunks_exact_mut(4).zip(words) {
        to.copy_from_slice(&word.to_le_bytes());
    }
    match encoding {
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
        Encoding::Plain | Encoding::SharedExponent | Encoding::Combined | Encoding::Ycbcr => [[0; 2]; 16],
    }
}

fn rgba8(decode: impl FnOnce(&mut [u8])) -> Block {
    let mut out = [0_u8; 64];
    decode(&mut out);
    std::array::from_fn(|i| {
        let texel = [out[4 * i], out[4 * i + 1], out[4 * i + 2], out[4 * i + 3]];
        [u32::from_le_bytes(texel), 0]
    })
}

fn floats<const N: usize, const SIZE: usize>(decode: impl FnOnce(&mut [f32])) -> Block {
    let mut out = [0.0_f32; SIZE];
    decode(&mut out);
    std::array::from_fn(|i| [0, 1].map(|c: usize| if c < N { out[N * i + c].to_bits() } else { 0 }))
}

fn halves(decode: impl FnOnce(&mut [u16])) -> Block {
    let mut out = [0_u16; 48];
    decode(&mut out);
    std::array::from_fn(|i| {
        let [r, g, b] = [0, 1, 2].map(|c: usize| u32::from(out[3 * i + c]));
        [r | g << 16, b]
    })
}
