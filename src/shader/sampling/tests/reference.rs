//! Scalar texel codecs in f64, written independently of the IR.

use crate::resource::format::{Encoding, Format, Kind};
use half::f16;

/// A component: a float or an integer.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Scalar {
    Float(f64),
    Int(u32),
}

impl Scalar {
    pub(super) fn float(self) -> f64 {
        match self {
            Scalar::Float(x) => x,
            Scalar::Int(x) => panic!("integer {x}"),
        }
    }
}

pub(super) fn srgb_decode(c: f64) -> f64 {
    if c <= 0.04045 {
        c / 12.92
    } else {
        ((c + 0.055) / 1.055).powf(2.4)
    }
}

pub(super) fn srgb_encode(l: f64) -> f64 {
    if l <= 0.003_130_8 {
        l * 12.92
    } else {
        1.055 * l.powf(1.0 / 2.4) - 0.055
    }
}

pub(super) fn small_float(code: u32, mantissa_bits: u32) -> f64 {
    let (exponent, mantissa) = (code >> mantissa_bits, code & ((1 << mantissa_bits) - 1));
    let unit = 2f64.powi(-(mantissa_bits as i32));
    match exponent {
        0 => f64::from(mantissa) * unit * 2f64.powi(-14),
        31 if mantissa == 0 => f64::INFINITY,
        31 => f64::NAN,
        e => (1.0 + f64::from(mantissa) * unit) * 2f64.powi(e as i32 - 15),
    }
}

/// Decodes a texel kept as a little-endian number.
pub(super) fn unpack(format: &Format, texel: u128) -> [Scalar; 4] {
    let one = match format.kind {
        Kind::Uint | Kind::Sint => Scalar::Int(1),
        _ => Scalar::Float(1.0),
    };
    let zero = match format.kind {
        Kind::Uint | Kind::Sint => Scalar::Int(0),
        _ => Scalar::Float(0.0),
    };
    let mut out = [zero, zero, zero, one];
    if format.encoding == Encoding::SharedExponent {
        let texel = texel as u32;
        let scale = 2f64.powi((texel >> 27) as i32 - 24);
        for (index, value) in out[..3].iter_mut().enumerate() {
            *value = Scalar::Float(f64::from(texel >> (9 * index) & 0x1ff) * scale);
        }
        return out;
    }
    for c in format.components {
        let bits = u32::from(c.bits);
        let code = (texel >> c.shift) as u32 & (u32::MAX >> (32 - bits));
        let signed = ((code << (32 - bits)) as i32) >> (32 - bits);
        let max = f64::from(u32::MAX >> (32 - bits));
        let half_max = f64::from(u32::MAX >> (33 - bits).min(31));
        out[c.channel as usize] = match c.kind {
            Kind::Unorm => Scalar::Float(f64::from(code) / max),
            Kind::Snorm => Scalar::Float((f64::from(signed) / half_max).max(-1.0)),
            Kind::Uint => Scalar::Int(code),
            Kind::Sint => Scalar::Int(signed as u32),
            Kind::Uscaled => Scalar::Float(f64::from(code)),
            Kind::Sscaled => Scalar::Float(f64::from(signed)),
            Kind::Srgb => Scalar::Float(srgb_decode(f64::from(code) / max)),
            Kind::Ufloat => Scalar::Float(small_float(code, bits - 5)),
            Kind::Sfloat if bits == 16 => Scalar::Float(f16::from_bits(code as u16).to_f64()),
            Kind::Sfloat => Scalar::Float(f64::from(f32::from_bits(code))),
        };
    }
    out
}
