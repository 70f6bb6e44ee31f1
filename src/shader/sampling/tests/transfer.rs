//! Blits, resolves and clears against scalar references.

use super::codec::Random;
use super::reference::{self, Scalar};
use crate::memory::AlignedBuf;
use crate::resource::format::{Format, Kind};
use crate::shader::abi::{CALL_FRAME_BYTES, Context};
use crate::shader::kernel::Backend;
use crate::shader::sampling::RoutineCache;
use crate::shader::sampling::transfer::{
    Blit, Clear, Resolve, RowJob, Surface, TransferCache, TransferError,
};
use crate::vk;

/// A level in memory.
struct Plane {
    surface: Surface,
    format: &'static Format,
    memory: Vec<u128>,
}

impl Plane {
    fn new(format: vk::Format, extent: [u32; 3], samples: u32, seed: u64) -> Plane {
        let row = Format::of(format).unwrap();
        let pitch = (extent[0] as usize * usize::from(row.bytes)).next_multiple_of(16);
        let slice = pitch * extent[1] as usize;
        let plane = slice * extent[2] as usize;
        let mut random = Random(seed);
        let mut memory = vec![0_u128; plane * samples as usize / 16];
        for word in &mut memory {
            for part in 0..4 {
                let value = random.next();
                let value = if row.kind == Kind::Sfloat && row.components[0].bits == 32 {
                    (value as f32 / 4e9).to_bits()
                } else {
                    // Halves stay finite.
                    value & 0xbfff_bfff
                };
                *word |= u128::from(value) << (32 * part);
            }
        }
        let surface = Surface {
            format,
            address: memory.as_mut_ptr() as u64,
            row_pitch: pitch as u64,
            slice_pitch: slice as u64,
            sample_pitch: plane as u64,
            samples,
            extent,
        };
        Plane {
            surface,
            format: row,
            memory,
        }
    }

    fn bits(&self, sample: u32, [x, y, z]: [u32; 3]) -> u128 {
        let bytes = usize::from(self.format.bytes);
        let at = self.surface.sample_pitch * u64::from(sample)
            + self.surface.slice_pitch * u64::from(z)
            + self.surface.row_pitch * u64::from(y)
            + u64::from(x) * bytes as u64;
        let memory: &[u8] = bytemuck::cast_slice(&self.memory);
        let mut texel = [0; 16];
        texel[..bytes].copy_from_slice(&memory[at as usize..at as usize + bytes]);
        u128::from_le_bytes(texel)
    }

    fn value(&self, sample: u32, at: [u32; 3]) -> [f64; 4] {
        reference::unpack(self.format, self.bits(sample, at)).map(|c| match c {
            Scalar::Float(x) => x,
            Scalar::Int(x) if self.format.kind == Kind::Sint => f64::from(x as i32),
            Scalar::Int(x) => f64::from(x),
        })
    }

    /// Half a code of the format's least precise component, in values.
    fn tolerance(&self) -> f64 {
        self.format
            .components
            .iter()
            .map(|c| match c.kind {
                Kind::Unorm => 0.51 / ((1_u64 << c.bits) - 1) as f64,
                Kind::Snorm => 0.51 / ((1_u64 << (c.bits - 1)) - 1) as f64,
                Kind::Srgb => 0.005,
                Kind::Sfloat if c.bits == 16 => 1e-3,
                Kind::Ufloat => 0.02,
                Kind::Uint | Kind::Sint | Kind::Uscaled | Kind::Sscaled => 0.0,
                Kind::Sfloat => 1e-5,
            })
            .fold(0.0, f64::max)
    }
}

fn cache() -> TransferCache {
    TransferCache::new(Backend::best())
}

/// Runs all rows.
fn run(job: &RowJob) {
    let frame = AlignedBuf::new(CALL_FRAME_BYTES);
    let mut ctx = Context {
        call_frame: frame.address(),
        ..Context::default()
    };
    RoutineCache::new(Backend::best()).attach(&mut ctx);
    assert_eq!(job.run(&raw const ctx as u64, 0..job.len()), 0);
}

/// The value that a blit writes at a texel of the destination.
fn blitted(blit: &Blit, src: &Plane, at: [u32; 3]) -> [f64; 4] {
    let linear = blit.filter == vk::Filter::LINEAR;
    let mut base = [0_i64; 3];
    let mut weight = [0.0; 3];
    for axis in 0..3 {
        let [s0, s1] = blit.src_offsets.map(|c| f64::from(c[axis]));
        let [d0, d1] = blit.dst_offsets.map(|c| f64::from(c[axis]));
        let u = (f64::from(at[axis]) + 0.5 - d0) * (s1 - s0) / (d1 - d0) + s0;
        let linear = linear && (axis < 2 || blit.scale_z);
        let x = if linear { u - 0.5 } else { u };
        base[axis] = x.floor() as i64;
        weight[axis] = if linear { x - x.floor() } else { 0.0 };
    }
    let mut sum = [0.0; 4];
    for tap in 0..8 {
        let mut w = 1.0;
        let mut texel = [0; 3];
        for axis in 0..3 {
            let up = tap >> axis & 1;
            w *= if up == 1 { weight[axis] } else { 1.0 - weight[axis] };
            let last = i64::from(blit.src.extent[axis]) - 1;
            texel[axis] = (base[axis] + up).clamp(0, last) as u32;
        }
        if w > 0.0 {
            let value = src.value(0, texel);
            sum = std::array::from_fn(|c| sum[c] + w * value[c]);
        }
    }
    sum
}

fn inside(blit: &Blit, at: [u32; 3]) -> bool {
    (0..3).all(|axis| {
        let [a, b] = blit.dst_offsets.map(|c| c[axis]);
        (a.min(b)..a.max(b)).contains(&(at[axis] as i32))
    })
}

fn check_blit(
    src_format: vk::Format,
    dst_format: vk::Format,
    filter: vk::Filter,
    depth: bool,
    corners: [[[i32; 3]; 2]; 2],
) {
    let src = Plane::new(src_format, [9, 7, if depth { 4 } else { 2 }], 1, 1);
    let dst = Plane::new(dst_format, [21, 6, if depth { 5 } else { 2 }], 1, 2);
    let before = dst.memory.clone();
    let [src_offsets, dst_offsets] = corners;
    let blit = Blit {
        src: src.surface,
        dst: dst.surface,
        src_offsets,
        dst_offsets,
        filter,
        scale_z: depth,
    };
    run(&blit.prepare(&cache()).unwrap());
    let old = Plane {
        memory: before,
        ..Plane::new(dst_format, dst.surface.extent, 1, 2)
    };
    let limits = [(0.0, 1.0), (-1.0, 1.0)];
    // What the decoder of sRGB may be off.
    let decoded = if src.format.is_srgb() { 1e-6 } else { 0.0 };
    let tolerance = dst.tolerance() + decoded;
    for z in 0..dst.surface.extent[2] {
        for y in 0..6 {
            for x in 0..21 {
                let at = [x, y, z];
                if !inside(&blit, at) {
                    assert_eq!(dst.bits(0, at), old.bits(0, at), "{at:?} is outside");
                    continue;
                }
                let (want, got) = (blitted(&blit, &src, at), dst.value(0, at));
                for c in dst.format.components {
                    let channel = c.channel as usize;
                    let want = match c.kind {
                        Kind::Unorm | Kind::Srgb => want[channel].clamp(limits[0].0, limits[0].1),
                        Kind::Snorm => want[channel].clamp(limits[1].0, limits[1].1),
                        Kind::Uint => want[channel].clamp(0.0, ((1_u64 << c.bits) - 1) as f64),
                        _ => want[channel],
                    };
                    let near = (got[channel] - want).abs() <= tolerance * want.abs().max(1.0);
                    assert!(
                        near,
                        "{src_format:?} to {dst_format:?} {at:?}.{channel}: {} not {want}",
                        got[channel]
                    );
                }
            }
        }
    }
}

#[test]
fn blits_scale_flip_and_convert() {
    use vk::Format as F;
    let pairs = [
        (F::R8G8B8A8_UNORM, F::B8G8R8A8_UNORM),
        (F::R8G8B8A8_SRGB, F::R16G16B16A16_UNORM),
        (F::R16G16B16A16_SFLOAT, F::R8G8B8A8_SNORM),
        (F::R32_SFLOAT, F::R32G32B32A32_SFLOAT),
        (F::R5G6B5_UNORM_PACK16, F::R8_UNORM),
    ];
    let whole = [[0, 0, 0], [9, 7, 2]];
    let placements = [
        [whole, [[0, 0, 0], [21, 6, 2]]],
        [[[1, 2, 0], [8, 5, 1]], [[20, 1, 1], [2, 6, 2]]],
        [[[8, 6, 0], [2, 1, 2]], [[0, 5, 0], [10, 0, 2]]],
    ];
    for (src, dst) in pairs {
        for filter in [vk::Filter::NEAREST, vk::Filter::LINEAR] {
            for corners in placements {
                check_blit(src, dst, filter, false, corners);
            }
            check_blit(
                src,
                dst,
                filter,
                true,
                [[[0, 0, 0], [9, 7, 4]], [[3, 0, 5], [21, 6, 0]]],
            );
        }
    }
    for (src, dst) in [
        (F::R8G8B8A8_UINT, F::R16G16_UINT),
        (F::R32_UINT, F::R8_UINT),
        (F::R16_SINT, F::R32_SINT),
    ] {
        check_blit(src, dst, vk::Filter::NEAREST, false, placements[1]);
    }
}

#[test]
fn a_plain_blit_keeps_the_bits() {
    let format = vk::Format::R32G32_SFLOAT;
    let mut src = Plane::new(format, [5, 3, 1], 1, 1);
    src.memory[0] = 0x7f80_0001_ffc0_1234_0000_0001_8000_0000;
    let dst = Plane::new(format, [5, 3, 1], 1, 2);
    let corners = [[0, 0, 0], [5, 3, 1]];
    let blit = Blit {
        src: src.surface,
        dst: dst.surface,
        src_offsets: corners,
        dst_offsets: corners,
        filter: vk::Filter::NEAREST,
        scale_z: false,
    };
    run(&blit.prepare(&cache()).unwrap());
    for y in 0..3 {
        for x in 0..5 {
            assert_eq!(src.bits(0, [x, y, 0]), dst.bits(0, [x, y, 0]));
        }
    }
}

fn resolved(format: vk::Format, mode: vk::ResolveModeFlags, samples: u32) -> (Plane, Plane) {
    let src = Plane::new(format, [11, 3, 2], samples, 5);
    let dst = Plane::new(format, [11, 4, 2], 1, 6);
    let resolve = Resolve {
        src: src.surface,
        dst: dst.surface,
        src_offset: [1, 0, 0],
        dst_offset: [1, 1, 0],
        extent: [10, 3, 2],
        mode,
    };
    run(&resolve.prepare(&cache()).unwrap());
    (src, dst)
}

#[test]
fn resolves_average_or_choose() {
    use vk::ResolveModeFlags as Mode;
    let cases = [
        (vk::Format::R8G8B8A8_UNORM, Mode::AVERAGE),
        (vk::Format::B8G8R8A8_SRGB, Mode::AVERAGE),
        (vk::Format::R16G16B16A16_SFLOAT, Mode::AVERAGE),
        (vk::Format::R8G8_SINT, Mode::AVERAGE),
        (vk::Format::D32_SFLOAT, Mode::MIN),
        (vk::Format::D16_UNORM, Mode::MAX),
        (vk::Format::D16_UNORM, Mode::AVERAGE),
        (vk::Format::S8_UINT, Mode::MAX),
        (vk::Format::S8_UINT, Mode::SAMPLE_ZERO),
    ];
    for (format, mode) in cases {
        for samples in [2, 4, 8] {
            let (src, dst) = resolved(format, mode, samples);
            let untouched = Plane::new(format, [11, 4, 2], 1, 6);
            assert_eq!(dst.bits(0, [0, 1, 0]), untouched.bits(0, [0, 1, 0]));
            assert_eq!(dst.bits(0, [3, 0, 1]), untouched.bits(0, [3, 0, 1]));
            let integer = matches!(src.format.kind, Kind::Uint | Kind::Sint);
            for (x, y, z) in [(1, 0, 0), (10, 2, 1), (5, 1, 0)] {
                let values: Vec<[f64; 4]> = (0..samples).map(|s| src.value(s, [x, y, z])).collect();
                let got = dst.value(0, [x, y + 1, z]);
                for c in src.format.components {
                    let channel = c.channel as usize;
                    let all = values.iter().map(|v| v[channel]);
                    let want = match mode {
                        Mode::MIN => all.fold(f64::INFINITY, f64::min),
                        Mode::MAX => all.fold(f64::NEG_INFINITY, f64::max),
                        Mode::AVERAGE if !integer => all.sum::<f64>() / f64::from(samples),
                        _ => values[0][channel],
                    };
                    let near = (got[channel] - want).abs() <= src_tolerance(&src, want);
                    assert!(near, "{format:?} {mode:?} {samples}: {} not {want}", got[channel]);
                }
            }
        }
    }
}

fn src_tolerance(plane: &Plane, value: f64) -> f64 {
    plane.tolerance() * value.abs().max(1.0)
}

#[test]
fn clears_fill_the_box_in_every_sample() {
    let value = [0.25_f32, 0.5, 1.0, 0.125].map(f32::to_bits);
    for format in [
        vk::Format::R8G8B8A8_UNORM,
        vk::Format::R16G16B16A16_SFLOAT,
        vk::Format::D32_SFLOAT,
        vk::Format::R8_SRGB,
        vk::Format::E5B9G9R9_UFLOAT_PACK32,
    ] {
        let dst = Plane::new(format, [6, 5, 3], 2, 8);
        let old = Plane::new(format, [6, 5, 3], 2, 8);
        let clear = Clear {
            dst: dst.surface,
            offset: [1, 2, 1],
            extent: [4, 2, 2],
            value,
        };
        clear.run(&cache()).unwrap();
        for sample in 0..2 {
            for z in 0..3 {
                for y in 0..5 {
                    for x in 0..6 {
                        let at = [x, y, z];
                        if (1..5).contains(&x) && (2..4).contains(&y) && z >= 1 {
                            let got = dst.value(sample, at);
                            for c in dst.format.components {
                                let channel = c.channel as usize;
                                let want = f64::from(f32::from_bits(value[channel]));
                                assert!(
                                    (got[channel] - want).abs() <= dst.tolerance(),
                                    "{format:?} {got:?}"
                                );
                            }
                        } else {
                            assert_eq!(dst.bits(sample, at), old.bits(sample, at));
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn compressed_sources_are_decompressed() {
    // A BC1 block: red and blue, rows of the codes 0 (red), 1 (blue), 2 and 3 (between).
    let block: u64 = 0xff_aa_55_00_001f_f800;
    let src = [block, 0];
    let dst = Plane::new(vk::Format::R8G8B8A8_UNORM, [4, 4, 1], 1, 2);
    let corners = [[0, 0, 0], [4, 4, 1]];
    let surface = Surface {
        format: vk::Format::BC1_RGB_UNORM_BLOCK,
        address: src.as_ptr() as u64,
        row_pitch: 16,
        slice_pitch: 16,
        sample_pitch: 16,
        samples: 1,
        extent: [4, 4, 1],
    };
    for filter in [vk::Filter::NEAREST, vk::Filter::LINEAR] {
        let blit = Blit {
            src: surface,
            dst: dst.surface,
            src_offsets: corners,
            dst_offsets: corners,
            filter,
            scale_z: false,
        };
        run(&blit.prepare(&cache()).unwrap());
        for x in 0..4 {
            let rows = [0xff00_00ff, 0xffff_0000, 0xff55_00aa, 0xffaa_0055];
            for (y, want) in (0..).zip(rows) {
                assert_eq!(dst.bits(0, [x, y, 0]), want, "row {y}");
            }
        }
    }
}

#[test]
fn what_cannot_be_written_is_an_error() {
    let texel = cache().encode(vk::Format::BC1_RGB_UNORM_BLOCK, [0; 4]);
    assert!(matches!(texel, Err(TransferError::Format(_))));
    let (texel, bytes) = cache().encode(vk::Format::R16G16_UINT, [70000, 7, 0, 0]).unwrap();
    assert_eq!(texel[..bytes], [0xff, 0xff, 7, 0]);
}
