//! Kernels of transfers: one row of the destination a call.

use super::block::{load_block_texel, texel_index};
use super::call::field;
use super::codec::{Words, load_texel, missing, pack, store_texel};
use super::codec_unpack::{finish_raw, unpack_component, unpack_raw, unpack_shared_exponent};
use super::locate::texel_bytes;
use crate::resource::format::{Encoding, Format, Numeric};
use crate::shader::ir::{BlockId, Builder, Func, Type, Value};
use crate::vk;
use smallvec::SmallVec;

/// The argument of a row kernel.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(super) struct RowArgs {
    /// Address of the first texel written.
    pub(super) dst: u64,
    /// Addresses of the source rows: this and the next one, then those of the next slice.
    pub(super) rows: [u64; 4],
    /// Numbers of the texel rows in those rows of blocks.
    pub(super) row_in_block: [u32; 4],
    /// Bytes from sample to sample.
    pub(super) sample_pitch: u64,
    /// Texels written.
    pub(super) count: u32,
    /// Last texel of a source row.
    pub(super) last: u32,
    /// Source coordinate of the texel `i`: `i * scale + offset`.
    pub(super) scale: f32,
    pub(super) offset: f32,
    /// Weight of the next row and of the next slice.
    pub(super) weight_y: f32,
    pub(super) weight_z: f32,
}

/// What a blit kernel depends on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct BlitKey {
    pub(super) src: vk::Format,
    pub(super) dst: vk::Format,
    /// Source rows interpolated: 1 is nearest.
    pub(super) rows: usize,
}

/// What a resolve kernel depends on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct ResolveKey {
    format: vk::Format,
    samples: u32,
    mode: vk::ResolveModeFlags,
}

impl ResolveKey {
    /// A mode that the format does not have becomes sample 0.
    pub(super) fn new(format: &Format, samples: u32, mode: vk::ResolveModeFlags) -> ResolveKey {
        let average_of_integers = mode == vk::ResolveModeFlags::AVERAGE && format.numeric() != Numeric::Float;
        let mode = if average_of_integers || samples < 2 {
            vk::ResolveModeFlags::SAMPLE_ZERO
        } else {
            mode
        };
        ResolveKey {
            format: format.vk,
            samples: samples.max(1),
            mode,
        }
    }
}

/// The texels that a row kernel works on at once.
#[derive(Clone, Copy)]
struct Lanes {
    ctx: Value,
    arg: Value,
    index: Value,
    mask: Value,
}

/// A kernel that computes the words of every texel of a row with `texel`, `width` at once, and stores them.
fn row_kernel(
    name: &str,
    width: u32,
    dst: &Format,
    texel: impl FnOnce(&mut Builder<'_>, Lanes) -> Words,
) -> Func {
    let mut func = Func::new(name, width, &[Type::S64, Type::S64]);
    let (ctx, arg) = (func.blocks[0].params[0], func.blocks[0].params[1]);
    let mut b = Builder::new(&mut func, BlockId(0));
    let zero = b.sconst(0);
    let count = b.sload(arg, field!(RowArgs, count));
    let (body, params) = b.add_block(&[Type::S32]);
    let (done, _) = b.add_block(&[]);
    let any = b.slt_u(zero, count);
    b.branch(any, (body, &[zero]), (done, &[]));

    b.switch_to(body);
    let first = params[0];
    let iota = b.viota();
    let start = b.vsplat(first);
    let index = b.vadd(iota, start);
    let end = b.vsplat(count);
    let mask = b.vlt_u(index, end);
    let lanes = Lanes {
        ctx,
        arg,
        index,
        mask,
    };
    let words = texel(&mut b, lanes);
    let base = b.lload(arg, field!(RowArgs, dst));
    if dst.bytes == 4 {
        let four = b.sconst(2);
        let bytes = b.sshl(first, four);
        let bytes = b.lzext(bytes);
        let at = b.ladd(base, bytes);
        b.vstore_masked(at, words[0], mask, 0);
    } else {
        let bytes = b.vconst(i64::from(dst.bytes));
        let offset = b.vmul(index, bytes);
        store_texel(&mut b, base, offset, &words, mask, dst.bytes);
    }
    let step = b.sconst(i64::from(width));
    let next = b.sadd(first, step);
    let more = b.slt_u(next, count);
    b.branch(more, (body, &[next]), (done, &[]));

    b.switch_to(done);
    let status = b.sconst(0);
    b.ret(status);
    func
}

/// The components of a texel that the format has, by channel; normalized ones as codes.
fn unpack_codes(b: &mut Builder<'_>, format: &Format, words: &[Value]) -> SmallVec<[Value; 4]> {
    if format.encoding == Encoding::SharedExponent {
        return unpack_shared_exponent(b, words[0]).into_iter().collect();
    }
    format
        .components
        .iter()
        .map(|component| unpack_raw(b, component, words))
        .collect()
}

/// From [`unpack_codes`] to four components.
fn finish_codes(b: &mut Builder<'_>, format: &Format, codes: &[Value]) -> [Value; 4] {
    let mut rgba = [0, 1, 2, 3].map(|channel| missing(b, format, channel));
    for (component, &code) in format.components.iter().zip(codes) {
        rgba[component.channel as usize] = finish_raw(b, component, code);
    }
    rgba
}

fn lerp(b: &mut Builder<'_>, low: &[Value], high: &[Value], weight: Value) -> SmallVec<[Value; 4]> {
    low.iter()
        .zip(high)
        .map(|(&low, &high)| {
            let difference = b.fsub(high, low);
            b.fma(difference, weight, low)
        })
        .collect()
}

/// A blit between formats: `rows` is 1 (nearest), 2 (linear) or 4 (linear, 3D).
pub(super) fn blit(src: &'static Format, dst: &'static Format, rows: usize, width: u32) -> Func {
    row_kernel("transfer.blit", width, dst, |b, lanes| {
        let Lanes {
            ctx,
            arg,
            index,
            mask,
        } = lanes;
        let i = b.utof(index);
        let scale = b.vload_splat(arg, field!(RowArgs, scale));
        let offset = b.vload_splat(arg, field!(RowArgs, offset));
        let last = b.vload_splat(arg, field!(RowArgs, last));
        let u = b.fma(i, scale, offset);
        let load = |b: &mut Builder<'_>, row: usize, x: Value| {
            let zero = b.vconst(0);
            let x = b.vmax_s(x, zero);
            let x = b.vmin_s(x, last);
            let at = texel_bytes(b, src, x);
            let base = b.lload(arg, field!(RowArgs, rows) + row as i64 * 8);
            if src.is_compressed() {
                let y = b.vload_splat(arg, field!(RowArgs, row_in_block) + row as i64 * 4);
                let index = texel_index(b, src, x, Some(y));
                return load_block_texel(b, ctx, src, base, at, index, mask);
            }
            load_texel(b, base, at, mask, src.bytes)
        };
        if rows == 1 {
            let x = b.ffloor(u);
            let x = b.ftoi(x);
            let words = load(b, 0, x);
            // Bits are kept where nothing is converted.
            if src.vk == dst.vk {
                return words;
            }
            let codes = unpack_codes(b, src, &words);
            let rgba = finish_codes(b, src, &codes);
            return pack(b, dst, rgba);
        }
        let half = b.fconst(0.5);
        let u = b.fsub(u, half);
        let floor = b.ffloor(u);
        let weight_x = b.fsub(u, floor);
        let x0 = b.ftoi(floor);
        let one = b.vconst(1);
        let x1 = b.vadd(x0, one);
        let mut sums: SmallVec<[SmallVec<[Value; 4]>; 4]> = SmallVec::new();
        for row in 0..rows {
            let low = load(b, row, x0);
            let low = unpack_codes(b, src, &low);
            let high = load(b, row, x1);
            let high = unpack_codes(b, src, &high);
            sums.push(lerp(b, &low, &high, weight_x));
        }
        for weight in [field!(RowArgs, weight_y), field!(RowArgs, weight_z)] {
            if sums.len() > 1 {
                let weight = b.vload_splat(arg, weight);
                sums = sums
                    .chunks_exact(2)
                    .map(|pair| lerp(b, &pair[0], &pair[1], weight))
                    .collect();
            }
        }
        let rgba = finish_codes(b, src, &sums[0]);
        pack(b, dst, rgba)
    })
}

/// Samples to one: the mean (of the values as a shader sees them), sample 0, the least or the greatest.
pub(super) fn resolve(format: &'static Format, key: ResolveKey, width: u32) -> Func {
    row_kernel("transfer.resolve", width, format, |b, lanes| {
        let Lanes { arg, index, mask, .. } = lanes;
        let bytes = b.vconst(i64::from(format.bytes));
        let offset = b.vmul(index, bytes);
        let mut base = b.lload(arg, field!(RowArgs, rows));
        let pitch = b.lload(arg, field!(RowArgs, sample_pitch));
        let first = load_texel(b, base, offset, mask, format.bytes);
        if key.mode == vk::ResolveModeFlags::SAMPLE_ZERO {
            return first;
        }
        let codes = |b: &mut Builder<'_>, words: &[Value]| match format.encoding {
            // Least and greatest are exact on the values themselves.
            Encoding::Plain if key.mode != vk::ResolveModeFlags::AVERAGE => format
                .components
                .iter()
                .map(|c| unpack_component(b, c, words))
                .collect(),
            _ => unpack_codes(b, format, words),
        };
        let mut sum: SmallVec<[Value; 4]> = codes(b, &first);
        for _ in 1..key.samples {
            base = b.ladd(base, pitch);
            let words = load_texel(b, base, offset, mask, format.bytes);
            let next = codes(b, &words);
            for (sum, next) in sum.iter_mut().zip(next) {
                *sum = combine(b, format, key.mode, *sum, next);
            }
        }
        if key.mode != vk::ResolveModeFlags::AVERAGE {
            let mut rgba = [0, 1, 2, 3].map(|channel| missing(b, format, channel));
            for (component, value) in format.components.iter().zip(sum) {
                rgba[component.channel as usize] = value;
            }
            return pack(b, format, rgba);
        }
        let share = b.fconst(1.0 / key.samples as f32);
        let mean: SmallVec<[Value; 4]> = sum.into_iter().map(|sum| b.fmul(sum, share)).collect();
        let rgba = finish_codes(b, format, &mean);
        pack(b, format, rgba)
    })
}

fn combine(b: &mut Builder<'_>, format: &Format, mode: vk::ResolveModeFlags, a: Value, c: Value) -> Value {
    match (mode, format.numeric()) {
        (vk::ResolveModeFlags::MIN, Numeric::Float) => b.fmin(a, c),
        (vk::ResolveModeFlags::MAX, Numeric::Float) => b.fmax(a, c),
        (vk::ResolveModeFlags::MIN, Numeric::Uint) => b.vmin_u(a, c),
        (vk::ResolveModeFlags::MAX, Numeric::Uint) => b.vmax_u(a, c),
        (vk::ResolveModeFlags::MIN, Numeric::Sint) => b.vmin_s(a, c),
        (vk::ResolveModeFlags::MAX, Numeric::Sint) => b.vmax_s(a, c),
        _ => b.fadd(a, c),
    }
}
