//! Colours into the words of a tile: blending, logic operations, write masks.

use super::{at, blend_advanced};
use crate::pipeline::BlendDesc;
use crate::resource::format::{Format, Kind, Numeric};
use crate::shader::abi::{FragmentArgs, TILE_PLANE_BYTES};
use crate::shader::ir::{Builder, Value};
use crate::shader::sampling::codec;
use crate::vk;
use std::mem::offset_of;

/// One colour attachment and what is to be written to it.
pub(super) struct ColorWrite<'c> {
    pub format: &'static Format,
    pub blend: &'c BlendDesc,
    pub logic_op: Option<vk::LogicOp>,
    pub source: [Value; 4],
    /// The second source of dual-source blending.
    pub source1: [Value; 4],
}

/// Words of a texel by the components that may be written; `None` if all of its bits may.
fn writable(format: &Format, mask: vk::ColorComponentFlags) -> Option<Vec<u32>> {
    let words = codec::texel_words(format);
    let mut bits = vec![0u32; words];
    let mut complete = true;
    for component in format.components {
        if mask.as_raw() >> component.channel as u32 & 1 == 0 {
            complete = false;
            continue;
        }
        let ones = u32::MAX >> (32 - u32::from(component.bits));
        bits[usize::from(component.shift / 32)] |= ones << (component.shift % 32);
    }
    (!complete).then_some(bits)
}

/// Writes one sample of each lane of `mask`; `address` is that of its first word.
pub(super) fn write(b: &mut Builder<'_>, args: Value, color: &ColorWrite<'_>, address: Value, mask: Value) {
    let format = color.format;
    if color.blend.write_mask.is_empty() {
        return;
    }
    let plane = |word: usize| word as i64 * TILE_PLANE_BYTES as i64;
    let count = codec::texel_words(format);
    let bits = writable(format, color.blend.write_mask);
    let blends = color.blend.enable && color.logic_op.is_none() && format.numeric() == Numeric::Float;
    let old: codec::Words = if blends || color.logic_op.is_some() || bits.is_some() {
        (0..count).map(|word| b.vload(address, plane(word))).collect()
    } else {
        codec::Words::new()
    };
    let source = if blends {
        blend(b, args, color, &old)
    } else {
        color.source
    };
    let mut words = codec::pack(b, format, source);
    if let Some(op) = color.logic_op
        && (format.numeric() != Numeric::Float || (format.is_normalized() && !format.is_srgb()))
    {
        for (word, &old) in words.iter_mut().zip(&old) {
            *word = logic(b, op, *word, old);
        }
    }
    if let Some(bits) = bits {
        for ((word, &old), &bits) in words.iter_mut().zip(&old).zip(&bits) {
            let (new_bits, old_bits) = (b.vconst(i64::from(bits)), b.vconst(i64::from(!bits)));
            let (new, old) = (b.vand(*word, new_bits), b.vand(old, old_bits));
            *word = b.vor(new, old);
        }
    }
    for (i, &word) in words.iter().enumerate() {
        b.vstore_masked(address, word, mask, plane(i));
    }
}

fn logic(b: &mut Builder<'_>, op: vk::LogicOp, s: Value, d: Value) -> Value {
    let ones = b.vconst(-1);
    let not = |b: &mut Builder<'_>, x: Value| b.vxor(x, ones);
    match op {
        vk::LogicOp::CLEAR => b.vconst(0),
        vk::LogicOp::AND => b.vand(s, d),
        vk::LogicOp::AND_REVERSE => {
            let d = not(b, d);
            b.vand(s, d)
        }
        vk::LogicOp::AND_INVERTED => {
            let s = not(b, s);
            b.vand(s, d)
        }
        vk::LogicOp::NO_OP => d,
        vk::LogicOp::XOR => b.vxor(s, d),
        vk::LogicOp::OR => b.vor(s, d),
        vk::LogicOp::NOR => {
            let x = b.vor(s, d);
            not(b, x)
        }
        vk::LogicOp::EQUIVALENT => {
            let x = b.vxor(s, d);
            not(b, x)
        }
        vk::LogicOp::INVERT => not(b, d),
        vk::LogicOp::OR_REVERSE => {
            let d = not(b, d);
            b.vor(s, d)
        }
        vk::LogicOp::COPY_INVERTED => not(b, s),
        vk::LogicOp::OR_INVERTED => {
            let s = not(b, s);
            b.vor(s, d)
        }
        vk::LogicOp::NAND => {
            let x = b.vand(s, d);
            not(b, x)
        }
        vk::LogicOp::SET => ones,
        _ => s,
    }
}

/// What factors are made of; all clamped to the range of the format.
struct Terms {
    source: [Value; 4],
    source1: [Value; 4],
    dest: [Value; 4],
    constant: [Value; 4],
}

/// Clamps to the range a fixed-point format holds.
fn clamp(b: &mut Builder<'_>, format: &Format, value: Value) -> Value {
    let low = match format.kind {
        Kind::Unorm | Kind::Srgb => b.fconst(0.0),
        Kind::Snorm => b.fconst(-1.0),
        _ => return value,
    };
    let one = b.fconst(1.0);
    let value = b.fmax(value, low);
    b.fmin(value, one)
}

fn blend(b: &mut Builder<'_>, args: Value, color: &ColorWrite<'_>, old: &[Value]) -> [Value; 4] {
    let format = color.format;
    let constants = at(offset_of!(FragmentArgs, blend_constants));
    let constant = [0, 1, 2, 3].map(|i| b.vload_splat(args, constants + 4 * i));
    let terms = Terms {
        source: color.source.map(|v| clamp(b, format, v)),
        source1: color.source1.map(|v| clamp(b, format, v)),
        dest: codec::unpack(b, format, old),
        constant: constant.map(|v| clamp(b, format, v)),
    };
    let desc = color.blend;
    if blend_advanced::is_advanced(desc.color_op) {
        return blend_advanced::blend(b, desc, terms.source, terms.dest);
    }
    let mut out = terms.source;
    for (i, value) in out.iter_mut().enumerate() {
        let (op, src, dst) = if i < 3 {
            (desc.color_op, desc.src_color, desc.dst_color)
        } else {
            (desc.alpha_op, desc.src_alpha, desc.dst_alpha)
        };
        *value = equation(b, op, src, dst, &terms, i);
    }
    out
}

fn equation(
    b: &mut Builder<'_>,
    op: vk::BlendOp,
    src: vk::BlendFactor,
    dst: vk::BlendFactor,
    terms: &Terms,
    i: usize,
) -> Value {
    let (s, d) = (terms.source[i], terms.dest[i]);
    match op {
        vk::BlendOp::MIN => return b.fmin(s, d),
        vk::BlendOp::MAX => return b.fmax(s, d),
        _ => {}
    }
    let (s, d) = (scaled(b, src, terms, i, s), scaled(b, dst, terms, i, d));
    match (op, s, d) {
        (vk::BlendOp::SUBTRACT, Some(s), Some(d)) => b.fsub(s, d),
        (vk::BlendOp::REVERSE_SUBTRACT, Some(s), Some(d)) => b.fsub(d, s),
        (vk::BlendOp::SUBTRACT, None, Some(d)) => b.fneg(d),
        (vk::BlendOp::REVERSE_SUBTRACT, Some(s), None) => b.fneg(s),
        (_, Some(s), Some(d)) => b.fadd(s, d),
        (_, Some(x), None) | (_, None, Some(x)) => x,
        (_, None, None) => b.fconst(0.0),
    }
}

/// `value` times the factor; `None` for zero.
fn scaled(
    b: &mut Builder<'_>,
    factor: vk::BlendFactor,
    terms: &Terms,
    i: usize,
    value: Value,
) -> Option<Value> {
    use vk::BlendFactor as F;
    // The term of each factor, and whether it is subtracted from one.
    let (term, inverted) = match factor {
        F::ZERO => return None,
        F::ONE => return Some(value),
        F::SRC_COLOR => (terms.source[i], false),
        F::ONE_MINUS_SRC_COLOR => (terms.source[i], true),
        F::DST_COLOR => (terms.dest[i], false),
        F::ONE_MINUS_DST_COLOR => (terms.dest[i], true),
        F::SRC_ALPHA => (terms.source[3], false),
        F::ONE_MINUS_SRC_ALPHA => (terms.source[3], true),
        F::DST_ALPHA => (terms.dest[3], false),
        F::ONE_MINUS_DST_ALPHA => (terms.dest[3], true),
        F::CONSTANT_COLOR => (terms.constant[i], false),
        F::ONE_MINUS_CONSTANT_COLOR => (terms.constant[i], true),
        F::CONSTANT_ALPHA => (terms.constant[3], false),
        F::ONE_MINUS_CONSTANT_ALPHA => (terms.constant[3], true),
        F::SRC1_COLOR => (terms.source1[i], false),
        F::ONE_MINUS_SRC1_COLOR => (terms.source1[i], true),
        F::SRC1_ALPHA => (terms.source1[3], false),
        F::ONE_MINUS_SRC1_ALPHA => (terms.source1[3], true),
        F::SRC_ALPHA_SATURATE if i == 3 => return Some(value),
        F::SRC_ALPHA_SATURATE => {
            let one = b.fconst(1.0);
            let rest = b.fsub(one, terms.dest[3]);
            (b.fmin(terms.source[3], rest), false)
        }
        _ => return Some(value),
    };
    let term = if inverted {
        let one = b.fconst(1.0);
        b.fsub(one, term)
    } else {
        term
    };
    Some(b.fmul(value, term))
}
