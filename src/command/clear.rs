//! Clears of images: the value becomes a texel once, by the codec that shaders use, and is copied from there.

use super::transfer::{Clear, fill_pattern};
use crate::exec::ExecError;
use crate::memory::raw;
use crate::resource::format::Format;
use crate::shader::ir::{BlockId, Builder, Func, Type};
use crate::shader::kernel::{Backend, compile};
use crate::shader::sampling::codec;
use smallvec::SmallVec;

/// Where the kernel finds the value and leaves the texel: 4 words each.
#[repr(C, align(16))]
struct Record {
    value: [u32; 4],
    texel: [u32; 4],
}

/// The bytes of a texel.
type Texel = SmallVec<[u8; 16]>;

/// The texel of a format that holds a value: the words of a `VkClearColorValue`, or depth or stencil in the first.
fn texel(format: &Format, value: [u32; 4]) -> Result<Texel, ExecError> {
    let width = Backend::Interpreter.width();
    let mut func = Func::new("clear", width, &[Type::S64, Type::S64]);
    let arg = func.blocks[0].params[1];
    let b = &mut Builder::new(&mut func, BlockId(0));
    let rgba = [0, 4, 8, 12].map(|offset| b.vload_splat(arg, offset));
    let all = b.mconst(1);
    let words = codec::pack(b, format, rgba);
    for (offset, word) in (16..).step_by(4).zip(words) {
        let word = b.vread_first(word, all);
        b.sstore(arg, word, offset);
    }
    let done = b.sconst(0);
    b.ret(done);
    let kernel = compile(func, Backend::Interpreter).map_err(|e| ExecError::Compile(e.to_string()))?;
    let record = Record { value, texel: [0; 4] };
    let at = &raw const record as u64;
    let _ = kernel.call(0, at);
    let words: [u32; 4] = raw::load(at + 16);
    let bytes: &[u8] = bytemuck::cast_slice(&words);
    Ok(Texel::from_slice(&bytes[..usize::from(format.bytes).min(16)]))
}

/// Runs a clear.
pub(super) fn clear(clear: &Clear) -> Result<(), ExecError> {
    let level = &clear.region.level;
    let format = Format::of(level.format).ok_or_else(|| ExecError::Compile("unknown format".to_owned()))?;
    let texel = texel(format, clear.value)?;
    let mut rows = clear.region.rows();
    if rows.row_pitch == rows.bytes {
        // Rows that follow each other without gaps are one.
        rows.bytes *= u64::from(rows.rows);
        rows.rows = 1;
    }
    let bytes = usize::try_from(rows.bytes).unwrap_or(0);
    for sample in 0..u64::from(level.samples.max(1)) {
        for slice in 0..u64::from(rows.slices) {
            let at = rows.address + sample * level.sample_pitch + slice * rows.slice_pitch;
            for row in 0..u64::from(rows.rows) {
                fill_pattern(at + row * rows.row_pitch, bytes, &texel);
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vk;

    #[test]
    fn values_become_texels_of_each_sort_of_format() {
        let one = 1.0_f32.to_bits();
        let cases: &[(vk::Format, [u32; 4], &[u8])] = &[
            (vk::Format::R8G8B8A8_UNORM, [one, 0, 0, one], &[255, 0, 0, 255]),
            (vk::Format::B8G8R8A8_UNORM, [one, 0, 0, one], &[0, 0, 255, 255]),
            (
                vk::Format::R16G16_SINT,
                [-2_i32 as u32, 5, 0, 0],
                &[0xfe, 0xff, 5, 0],
            ),
            (
                vk::Format::R32G32B32A32_UINT,
                [1, 2, 3, 4],
                &[1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0],
            ),
            (vk::Format::D16_UNORM, [one, 0, 0, 0], &[0xff, 0xff]),
            (vk::Format::S8_UINT, [0x7f, 0, 0, 0], &[0x7f]),
        ];
        for (format, value, bytes) in cases {
            let format = Format::of(*format).expect("a known format");
            assert_eq!(texel(format, *value).as_deref(), Ok(*bytes), "{}", format.name);
        }
    }
}
