//! Codecs: every code of small components, random ones of large, and all rounding.

use super::reference::{self, Scalar};
use crate::resource::format::{Encoding, Format, Kind};
use crate::shader::interp;
use crate::shader::ir::{BlockId, Builder, Func, Type, Value};
use crate::shader::sampling::codec::{pack, texel_words, unpack};
use crate::vk;

const WIDTH: usize = 8;

/// Runs `emit` on `inputs` vectors of one wave; gives the outputs.
fn run(func: &Func, inputs: &[[u32; WIDTH]], outputs: usize) -> Vec<[u32; WIDTH]> {
    let mut memory = vec![[0_u32; WIDTH]; inputs.len() + outputs];
    memory[..inputs.len()].copy_from_slice(inputs);
    let status = interp::run(func, 0, memory.as_mut_ptr() as u64);
    assert_eq!(status, 0);
    memory.split_off(inputs.len())
}

fn function(inputs: usize, emit: impl Fn(&mut Builder<'_>, &[Value]) -> Vec<Value>) -> Func {
    let mut func = Func::new("test", WIDTH as u32, &[Type::S64, Type::S64]);
    let arg = func.blocks[0].params[1];
    let mut b = Builder::new(&mut func, BlockId(0));
    let values: Vec<Value> = (0..inputs).map(|i| b.vload(arg, i as i64 * 32)).collect();
    let results = emit(&mut b, &values);
    for (index, result) in results.into_iter().enumerate() {
        b.vstore(arg, result, (inputs + index) as i64 * 32);
    }
    let zero = b.sconst(0);
    b.ret(zero);
    crate::shader::ir::verify(&func).unwrap();
    func
}

fn plain_formats() -> impl Iterator<Item = &'static Format> {
    Format::all().filter(|format| matches!(format.encoding, Encoding::Plain | Encoding::SharedExponent))
}

pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn next(&mut self) -> u32 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as u32 ^ (self.0 >> 11) as u32
    }
}

/// Texels that cover every code of components of up to 16 bits, and many of larger ones.
fn texels(format: &Format) -> Vec<u128> {
    let bits = u32::from(format.bytes) * 8;
    if bits <= 8 || bits == 16 && format.components.len() == 1 {
        return (0..1_u128 << bits).collect();
    }
    let mut random = Random(u64::from(bits));
    let mut out: Vec<u128> = (0..256)
        .map(|_| {
            let words = [0; 4].map(|_| u128::from(random.next()));
            words[0] | words[1] << 32 | words[2] << 64 | words[3] << 96
        })
        .collect();
    // Every code of components of up to 11 bits, in all components at once.
    let widest = format.components.iter().map(|c| c.bits.min(11)).max().unwrap();
    for code in 0..1_u128 << widest {
        out.push(
            format
                .components
                .iter()
                .fold(0, |texel, c| texel | (code & ((1 << c.bits) - 1)) << c.shift),
        );
    }
    out
}

fn same(got: u32, want: Scalar, kind: Kind) -> bool {
    match want {
        Scalar::Int(want) => got == want,
        Scalar::Float(want) => {
            let got = f32::from_bits(got);
            if want.is_nan() {
                return got.is_nan();
            }
            if kind == Kind::Srgb {
                (f64::from(got) - want).abs() < 1e-6 && (want != 1.0 || got == 1.0)
            } else {
                got == want as f32
            }
        }
    }
}

#[test]
fn unpacking_is_exact() {
    for format in plain_formats() {
        let words = texel_words(format);
        let func = function(words, |b, words| unpack(b, format, words).to_vec());
        for wave in texels(format).chunks(WIDTH) {
            let inputs: Vec<[u32; WIDTH]> = (0..words)
                .map(|word| {
                    std::array::from_fn(|lane| {
                        wave.get(lane).map_or(0, |texel| (texel >> (32 * word)) as u32)
                    })
                })
                .collect();
            let outputs = run(&func, &inputs, 4);
            for (lane, &texel) in wave.iter().enumerate() {
                let want = reference::unpack(format, texel);
                for channel in 0..4 {
                    let got = outputs[channel][lane];
                    assert!(
                        same(got, want[channel], format.kind),
                        "{} {texel:#x}.{channel}: {got:#x} ({}) for {:?}",
                        format.name,
                        f32::from_bits(got),
                        want[channel]
                    );
                }
            }
        }
    }
}

#[test]
fn every_texel_survives_a_round_trip() {
    for format in plain_formats() {
        if format.encoding == Encoding::SharedExponent {
            continue;
        }
        let words = texel_words(format);
        let func = function(words, |b, words| {
            let rgba = unpack(b, format, words);
            pack(b, format, rgba).to_vec()
        });
        for wave in texels(format).chunks(WIDTH) {
            let inputs: Vec<[u32; WIDTH]> = (0..words)
                .map(|word| {
                    std::array::from_fn(|lane| {
                        wave.get(lane).map_or(0, |texel| (texel >> (32 * word)) as u32)
                    })
                })
                .collect();
            let outputs = run(&func, &inputs, words);
            for (lane, &texel) in wave.iter().enumerate() {
                let got = (0..words).fold(0, |sum, word| {
                    sum | u128::from(outputs[word][lane]) << (32 * word)
                });
                for c in format.components {
                    let code =
                        |texel: u128| (texel >> c.shift) as u32 & (u32::MAX >> (32 - u32::from(c.bits)));
                    let (before, after) = (code(texel), code(got));
                    let lowest = 1_u32 << (c.bits - 1);
                    let float = matches!(c.kind, Kind::Sfloat | Kind::Ufloat);
                    let fine = before == after
                        || c.kind == Kind::Snorm && before == lowest && after == lowest + 1
                        // NaNs need not keep their payload.
                        || float && reference::unpack(format, texel)[c.channel as usize].float().is_nan();
                    assert!(fine, "{} {texel:#x}: {before:#x} became {after:#x}", format.name);
                }
            }
        }
    }
}

/// Packs one value into all four components of `format`.
fn pack_all(format: &'static Format, values: &[f32]) -> Vec<u128> {
    let words = texel_words(format);
    let func = function(1, |b, v| pack(b, format, [v[0]; 4]).to_vec());
    values
        .chunks(WIDTH)
        .flat_map(|wave| {
            let input = std::array::from_fn(|lane| wave.get(lane).map_or(0, |x| x.to_bits()));
            let outputs = run(&func, &[input], words);
            (0..wave.len())
                .map(|lane| {
                    (0..words).fold(0, |sum, word| {
                        sum | u128::from(outputs[word][lane]) << (32 * word)
                    })
                })
                .collect::<Vec<u128>>()
        })
        .collect()
}

fn interesting_floats() -> Vec<f32> {
    let mut random = Random(7);
    let mut out = vec![
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        2.0,
        -3.0,
        1e-9,
        1e9,
        65504.0,
        65519.9,
        65520.0,
        65024.0,
        65280.0,
        64512.0,
        65408.0,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
        f32::MAX,
        f32::MIN_POSITIVE,
        1e-40,
    ];
    out.extend((0..1000).map(|_| random.next() as f32 / 4_294_967_296.0 * 2.4 - 1.2));
    out.extend((0..1000).map(|_| f32::from_bits(random.next())));
    out
}

#[test]
fn packing_rounds_to_nearest() {
    let values = interesting_floats();
    for format in plain_formats() {
        if matches!(format.kind, Kind::Uint | Kind::Sint) || format.encoding == Encoding::SharedExponent {
            continue;
        }
        for (&value, texel) in values.iter().zip(pack_all(format, &values)) {
            for c in format.components {
                let bits = u32::from(c.bits);
                let code = (texel >> c.shift) as u32 & (u32::MAX >> (32 - bits));
                let x = if value.is_nan() { 0.0 } else { f64::from(value) };
                let near = |want: f64, max: f64, got: f64| (want * max - got).abs() <= 0.5;
                let fine = match c.kind {
                    Kind::Unorm => {
                        let max = f64::from(u32::MAX >> (32 - bits));
                        near(x.clamp(0.0, 1.0), max, f64::from(code))
                    }
                    Kind::Snorm => {
                        let max = f64::from(u32::MAX >> (33 - bits));
                        near(
                            x.clamp(-1.0, 1.0),
                            max,
                            f64::from(((code << (32 - bits)) as i32) >> (32 - bits)),
                        )
                    }
                    // Within the specification's 0.6 of a code.
                    Kind::Srgb => {
                        (reference::srgb_encode(x.clamp(0.0, 1.0)) * 255.0 - f64::from(code)).abs() < 0.501
                    }
                    Kind::Sfloat if bits == 32 => code == value.to_bits(),
                    Kind::Sfloat => {
                        let want = half::f16::from_f32(value);
                        want.is_nan() && half::f16::from_bits(code as u16).is_nan()
                            || want.to_bits() == code as u16
                    }
                    Kind::Ufloat => {
                        let m = bits - 5;
                        let got = reference::small_float(code, m);
                        let top = reference::small_float((31 << m) - 1, m);
                        if value.is_nan() {
                            got.is_nan()
                        } else if value == f32::INFINITY {
                            got == f64::INFINITY
                        } else {
                            let x = x.clamp(0.0, top);
                            let step = |code: u32| (reference::small_float(code, m) - x).abs();
                            let better = code > 0 && step(code - 1) < step(code)
                                || code + 1 < 31 << m && step(code + 1) < step(code);
                            got.is_finite() && !better
                        }
                    }
                    Kind::Uscaled => {
                        (x.clamp(0.0, f64::from(u32::MAX >> (32 - bits))) - f64::from(code)).abs() <= 0.5
                    }
                    Kind::Sscaled => {
                        let top = f64::from(u32::MAX >> (33 - bits));
                        let got = ((code << (32 - bits)) as i32) >> (32 - bits);
                        (x.clamp(-top - 1.0, top) - f64::from(got)).abs() <= 0.5 || value.is_nan()
                    }
                    Kind::Uint | Kind::Sint => true,
                };
                assert!(
                    fine,
                    "{}: {value} ({:#x}) became {code:#x}",
                    format.name,
                    value.to_bits()
                );
            }
        }
    }
}

#[test]
fn shared_exponents_follow_the_specification() {
    let format = Format::of(vk::Format::E5B9G9R9_UFLOAT_PACK32).unwrap();
    let func = function(3, |b, v| {
        let one = b.fconst(1.0);
        pack(b, format, [v[0], v[1], v[2], one]).to_vec()
    });
    let reference = |rgb: [f32; 3]| -> u32 {
        let c = rgb.map(|x| if x > 0.0 { f64::from(x).min(65408.0) } else { 0.0 });
        let max = c[0].max(c[1]).max(c[2]);
        let log = if max > 0.0 { max.log2().floor() } else { -1e9 };
        let preliminary = (log.max(-16.0) + 16.0) as i32;
        let top = (max / 2f64.powi(preliminary - 24) + 0.5).floor();
        let exponent = if top == 512.0 {
            preliminary + 1
        } else {
            preliminary
        };
        let m = c.map(|x| (x / 2f64.powi(exponent - 24) + 0.5).floor() as u32);
        m[0] | m[1] << 9 | m[2] << 18 | (exponent as u32) << 27
    };
    let values = interesting_floats();
    for start in (0..values.len() - 24).step_by(8) {
        let inputs: Vec<[u32; WIDTH]> = (0..3)
            .map(|c| std::array::from_fn(|lane| values[start + lane + 8 * c].to_bits()))
            .collect();
        let outputs = run(&func, &inputs, 1);
        for lane in 0..WIDTH {
            let rgb = [0, 1, 2].map(|c: usize| f32::from_bits(inputs[c][lane]));
            assert_eq!(outputs[0][lane], reference(rgb), "{rgb:?}");
        }
    }
}

#[test]
fn integers_saturate() {
    let format = Format::of(vk::Format::R8G8B8A8_SINT).unwrap();
    let func = function(1, |b, v| pack(b, format, [v[0]; 4]).to_vec());
    let input = [
        0,
        127,
        128,
        1000,
        -1_i32 as u32,
        -128_i32 as u32,
        -129_i32 as u32,
        i32::MIN as u32,
    ];
    let want = [0, 127, 127, 127, 0xff, 0x80, 0x80, 0x80].map(|byte: u32| byte * 0x0101_0101);
    assert_eq!(run(&func, &[input], 1)[0], want);
    let format = Format::of(vk::Format::A2B10G10R10_UINT_PACK32).unwrap();
    let func = function(1, |b, v| pack(b, format, [v[0]; 4]).to_vec());
    let texel = run(&func, &[[5000; WIDTH]], 1)[0][0];
    assert_eq!(texel, u32::MAX);
}
