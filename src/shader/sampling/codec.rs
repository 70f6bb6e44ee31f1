//! Texel codecs: between the 32-bit words of a texel and four values in registers, as IR.
//!
//! A texel of `n` bytes is [`texel_words`] words: 8- and 16-bit texels are zero-extended into one. The four
//! values are float bits for float, normalized and depth formats, integers for integer and stencil formats.
//! Depth and stencil are in the first component. Missing components read as 0, 0, 0, 1.
//!
//! Rounding: unpacking a normalized value gives the correctly rounded quotient; packing clamps, multiplies by
//! the largest code and rounds to nearest even with one rounding. NaN packs as 0 into
//! normalized formats. Integers out of range saturate. Half and small floats round to nearest even; small
//! floats clamp to the largest finite value. sRGB curves are polynomials within 1e-6 of the exact function.

use super::codec_pack::pack_component;
use super::codec_unpack::unpack_component;
use crate::resource::format::{Encoding, Format, Kind, Numeric};
use crate::shader::ir::{Builder, Value};
use smallvec::{SmallVec, smallvec};

/// The words of a texel, lowest first.
pub type Words = SmallVec<[Value; 4]>;

/// 32-bit words that hold a texel.
#[must_use]
pub fn texel_words(format: &Format) -> usize {
    usize::from(format.bytes).div_ceil(4)
}

/// What a missing component reads as: 0, and 1 for alpha.
pub fn missing(b: &mut Builder<'_>, format: &Format, channel: usize) -> Value {
    match (channel, format.numeric()) {
        (3, Numeric::Float) => b.fconst(1.0),
        (3, _) => b.vconst(1),
        _ => b.vconst(0),
    }
}

/// The four components of a texel. `format` is not combined; of a compressed one, the words are those of a
/// decompressed texel.
pub fn unpack(b: &mut Builder<'_>, format: &Format, words: &[Value]) -> [Value; 4] {
    debug_assert!(format.is_compressed() || words.len() >= texel_words(format));
    let mut rgba = [0, 1, 2, 3].map(|channel| missing(b, format, channel));
    if format.encoding == Encoding::SharedExponent {
        let [r, g, blue] = super::codec_unpack::unpack_shared_exponent(b, words[0]);
        return [r, g, blue, rgba[3]];
    }
    for component in format.components {
        rgba[component.channel as usize] = unpack_component(b, component, words);
    }
    rgba
}

/// The words of a texel with these components. `format` is not compressed and not combined. Bits that no
/// component covers are zero.
pub fn pack(b: &mut Builder<'_>, format: &Format, rgba: [Value; 4]) -> Words {
    if format.encoding == Encoding::SharedExponent {
        return smallvec![super::codec_pack::pack_shared_exponent(b, rgba)];
    }
    let mut words: SmallVec<[Option<Value>; 4]> = smallvec![None; texel_words(format)];
    for component in format.components {
        let field = pack_component(b, component, rgba[component.channel as usize]);
        let word = &mut words[usize::from(component.shift / 32)];
        let field = match component.shift % 32 {
            0 => field,
            shift => {
                let shift = b.vconst(i64::from(shift));
                b.vshl(field, shift)
            }
        };
        *word = Some(match *word {
            Some(rest) => b.vor(rest, field),
            None => field,
        });
    }
    words
        .into_iter()
        .map(|word| word.unwrap_or_else(|| b.vconst(0)))
        .collect()
}

/// Rounds and clamps values as a store to `format` and a load back would, without going through memory.
pub fn quantize(b: &mut Builder<'_>, format: &Format, rgba: [Value; 4]) -> [Value; 4] {
    if format.kind == Kind::Sfloat && format.components.iter().all(|c| c.bits == 32) {
        return rgba;
    }
    let words = pack(b, format, rgba);
    unpack(b, format, &words)
}

/// Loads texels of `bytes` bytes (1 to 16) at `base + offset` a lane; lanes that are off give zeros.
pub fn load_texel(b: &mut Builder<'_>, base: Value, offset: Value, mask: Value, bytes: u8) -> Words {
    let mut words: Words = (0..bytes / 4)
        .map(|word| b.gather(base, offset, mask, i64::from(word) * 4))
        .collect();
    let at = i64::from(bytes / 4) * 4;
    match bytes % 4 {
        1 => words.push(b.gather8(base, offset, mask, at)),
        2 => words.push(b.gather16(base, offset, mask, at)),
        3 => {
            let low = b.gather16(base, offset, mask, at);
            let high = b.gather8(base, offset, mask, at + 2);
            let shift = b.vconst(16);
            let high = b.vshl(high, shift);
            words.push(b.vor(low, high));
        }
        _ => {}
    }
    words
}

/// Stores texels of `bytes` bytes (1 to 16) at `base + offset` in the lanes that are on.
pub fn store_texel(b: &mut Builder<'_>, base: Value, offset: Value, words: &[Value], mask: Value, bytes: u8) {
    for word in 0..bytes / 4 {
        b.scatter(base, offset, words[usize::from(word)], mask, i64::from(word) * 4);
    }
    let at = i64::from(bytes / 4) * 4;
    match bytes % 4 {
        1 => {
            b.scatter8(base, offset, words[usize::from(bytes / 4)], mask, at);
        }
        2 => {
            b.scatter16(base, offset, words[usize::from(bytes / 4)], mask, at);
        }
        3 => {
            let word = words[usize::from(bytes / 4)];
            b.scatter16(base, offset, word, mask, at);
            let shift = b.vconst(16);
            let high = b.vshr(word, shift);
            b.scatter8(base, offset, high, mask, at + 2);
        }
        _ => {}
    }
}
