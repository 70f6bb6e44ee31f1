//! Kernels over the planes of a tile that belong to no pipeline: resolving samples, and the words of clear values.

use super::{at, kernel};
use crate::resource::format::{Format, Numeric};
use crate::shader::abi::TILE_PLANE_BYTES;
use crate::shader::ir::{BlockId, Builder, Func, Type, Value};
use crate::shader::sampling::codec;
use crate::vk;
use std::mem::offset_of;

/// The `arg` of a resolve kernel.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct ResolveArgs {
    /// Address of the planes of all samples.
    pub source: u64,
    /// Address of the planes of the result.
    pub target: u64,
}

/// The `arg` of a clear kernel.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct ClearArgs {
    /// The clear value: float bits or integers.
    pub value: [u32; 4],
    /// The words of a texel.
    pub words: [u32; 4],
}

/// A kernel that resolves the samples of a tile.
#[must_use]
pub fn build(format: &Format, samples: u32, mode: vk::ResolveModeFlags, width: u32) -> Func {
    let (mut func, _, args) = kernel("resolve", width);
    let mut builder = Builder::new(&mut func, BlockId(0));
    let b = &mut builder;
    let source = b.lload(args, at(offset_of!(ResolveArgs, source)));
    let target = b.lload(args, at(offset_of!(ResolveArgs, target)));
    let zero = b.lconst(0);
    let (head, params) = b.add_block(&[Type::S64]);
    let (end, _) = b.add_block(&[]);
    b.jump(head, &[zero]);
    b.switch_to(head);
    let offset = params[0];
    let (from, to) = (b.ladd(source, offset), b.ladd(target, offset));
    let words = codec::texel_words(format);
    let plane = |i: usize| i as i64 * TILE_PLANE_BYTES as i64;
    let texel = |b: &mut Builder<'_>, sample: usize| -> codec::Words {
        (0..words)
            .map(|word| b.vload(from, plane(sample * words + word)))
            .collect()
    };
    let first = texel(b, 0);
    // Integers have no average.
    let average = mode == vk::ResolveModeFlags::AVERAGE;
    let zero_only =
        mode == vk::ResolveModeFlags::SAMPLE_ZERO || (average && format.numeric() != Numeric::Float);
    let result = if zero_only || samples == 1 {
        first
    } else {
        let mut sum = codec::unpack(b, format, &first);
        for sample in 1..samples as usize {
            let other = texel(b, sample);
            let other = codec::unpack(b, format, &other);
            for (value, other) in sum.iter_mut().zip(other) {
                *value = combine(b, format, mode, *value, other);
            }
        }
        if average {
            let share = b.fconst(1.0 / samples as f32);
            sum = sum.map(|value| b.fmul(value, share));
        }
        codec::pack(b, format, sum)
    };
    for (i, &word) in result.iter().enumerate() {
        b.vstore(to, word, plane(i));
    }
    let next = b.ladd_imm(offset, i64::from(width) * 4);
    let bytes = b.lconst(TILE_PLANE_BYTES as i64);
    let more = b.llt_u(next, bytes);
    b.branch(more, (head, &[next]), (end, &[]));
    b.switch_to(end);
    let done = b.sconst(0);
    b.ret(done);
    func
}

fn combine(b: &mut Builder<'_>, format: &Format, mode: vk::ResolveModeFlags, x: Value, y: Value) -> Value {
    match (mode, format.numeric()) {
        (vk::ResolveModeFlags::MIN, Numeric::Float) => b.fmin(x, y),
        (vk::ResolveModeFlags::MAX, Numeric::Float) => b.fmax(x, y),
        (vk::ResolveModeFlags::MIN, Numeric::Uint) => b.vmin_u(x, y),
        (vk::ResolveModeFlags::MAX, Numeric::Uint) => b.vmax_u(x, y),
        (vk::ResolveModeFlags::MIN, Numeric::Sint) => b.vmin_s(x, y),
        (vk::ResolveModeFlags::MAX, Numeric::Sint) => b.vmax_s(x, y),
        _ => b.fadd(x, y),
    }
}

/// A kernel that packs a clear value.
#[must_use]
pub fn build_clear(format: &Format, width: u32) -> Func {
    let (mut func, _, args) = kernel("clear", width);
    let mut builder = Builder::new(&mut func, BlockId(0));
    let b = &mut builder;
    let value = at(offset_of!(ClearArgs, value));
    let rgba = [0, 1, 2, 3].map(|i| b.vload_splat(args, value + 4 * i));
    let words = codec::pack(b, format, rgba);
    let all = b.mconst(1);
    for (i, &word) in words.iter().enumerate() {
        let word = b.vread_first(word, all);
        b.sstore(args, word, at(offset_of!(ClearArgs, words)) + 4 * i as i64);
    }
    let done = b.sconst(0);
    b.ret(done);
    func
}
