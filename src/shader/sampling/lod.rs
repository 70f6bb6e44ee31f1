//! Level of detail: from derivatives to a level. The longer axis of the footprint decides; where the sampler is anisotropic the
//! shorter one, as far as samples along the longer make up for it.

use super::call::field;
use super::codec_unpack::polynomial;
use super::op::Dim;
use super::sample::Sampling;
use super::state::ImageState;
use crate::descriptor::{ImageDescriptor, SamplerDescriptor};
use crate::shader::ir::{Builder, Value};

/// `maxSamplerLodBias`: sums of biases are clamped to this.
pub const MAX_LOD_BIAS: f32 = 15.0;

/// Polynomial for `log2(1 + t) / t`, lowest power first, within 2.1e-6 on 0 to 1.
const LOG2: [f32; 7] = [
    1.442_693,
    -0.721_144_1,
    0.477_496_36,
    -0.338_377_2,
    0.213_943_21,
    -0.094_626_81,
    0.020_016_65,
];

/// Half the base-2 logarithm of a positive number; exact at powers of two. 0 gives -63.5.
fn half_log2(b: &mut Builder<'_>, x: Value) -> Value {
    let (place, bias, one) = (b.vconst(23), b.vconst(127), b.fconst(1.0));
    let exponent = b.vshr(x, place);
    let exponent = b.vsub(exponent, bias);
    let exponent = b.itof(exponent);
    let mantissa_bits = b.vconst(0x7f_ffff);
    let mantissa = b.vand(x, mantissa_bits);
    let mantissa = b.vor(mantissa, one);
    let t = b.fsub(mantissa, one);
    let q = polynomial(b, t, &LOG2);
    let log = b.fma(q, t, exponent);
    let half = b.fconst(0.5);
    b.fmul(log, half)
}

/// Derivatives of a value along x and y, the same for all lanes of a quad.
pub(super) fn quad_derivatives(b: &mut Builder<'_>, value: Value) -> (Value, Value) {
    let origin = b.quad_swizzle(value, 0x00);
    let right = b.quad_swizzle(value, 0x55);
    let below = b.quad_swizzle(value, 0xaa);
    (b.fsub(right, origin), b.fsub(below, origin))
}

/// The least level of detail of a view that has one.
fn view_min_lod(b: &mut Builder<'_>, image: Value) -> Value {
    b.vload_splat(image, field!(ImageDescriptor, sample_pitch))
}

/// The lanes of a mask in which a level is not below the least level of detail of the view.
pub(super) fn reached(
    b: &mut Builder<'_>,
    state: &ImageState,
    image: Value,
    level: Value,
    mask: Value,
) -> Value {
    if !state.min_lod {
        return mask;
    }
    let least = view_min_lod(b, image);
    let least = b.ftoi(least);
    let one = b.vconst(1);
    let below = b.vsub(least, one);
    let shown = b.vlt_s(below, level);
    b.mand(mask, shown)
}

/// Squared lengths in texels of what derivatives of normalized coordinates along x and y span.
fn squared_footprint(
    b: &mut Builder<'_>,
    image: Value,
    derivatives: &[(Value, Value)],
    cube: bool,
) -> [Value; 2] {
    let extents = [
        field!(ImageDescriptor, width),
        field!(ImageDescriptor, height),
        field!(ImageDescriptor, depth),
    ];
    let mut sums: [Option<Value>; 2] = [None; 2];
    for (index, &(dx, dy)) in derivatives.iter().enumerate() {
        let at = if cube { extents[0] } else { extents[index] };
        let size = b.sload16(image, at);
        let size = b.vsplat(size);
        let size = b.itof(size);
        for (sum, d) in sums.iter_mut().zip([dx, dy]) {
            let texels = b.fmul(d, size);
            *sum = Some(match *sum {
                None => b.fmul(texels, texels),
                Some(sum) => b.fma(texels, texels, sum),
            });
        }
    }
    sums.map(|sum| sum.unwrap_or(Value::NONE))
}

/// The longer axis of an anisotropic footprint.
pub(super) struct Major {
    /// Whether it is that along x, a mask.
    pub(super) along_x: Value,
    /// How many samples are taken along it, a float.
    pub(super) samples: Value,
}

impl Sampling {
    /// Half the logarithm of the squared length of the footprint that one sample stands for.
    pub(super) fn footprint_lod(&self, b: &mut Builder<'_>) -> Value {
        let [x, y] = squared_footprint(b, self.image, &self.derivatives, self.dim == Dim::Cube);
        let longer = b.fmax(x, y);
        let length = self.shortened(b, [x, y], longer);
        half_log2(b, length)
    }

    /// The squared length of a part of the longer axis.
    fn shortened(&self, b: &mut Builder<'_>, [x, y]: [Value; 2], longer: Value) -> Value {
        if !self.is_anisotropic() {
            return longer;
        }
        let most = f32::from(self.anisotropy);
        let shorter = b.fmin(x, y);
        let share = b.fconst(1.0 / (most * most));
        let least = b.fmul(longer, share);
        b.fmax(shorter, least)
    }

    /// The longer axis. Parts of less than a texel need no samples of their own.
    pub(super) fn major_axis(&self, b: &mut Builder<'_>) -> Major {
        let [x, y] = squared_footprint(b, self.image, &self.derivatives, false);
        let longer = b.fmax(x, y);
        let length = self.shortened(b, [x, y], longer);
        let (one, most) = (b.fconst(1.0), b.fconst(self.anisotropy.into()));
        let length = b.fmax(length, one);
        let ratio = b.fdiv(longer, length);
        let ratio = b.fsqrt(ratio);
        // A footprint that is not quite square is not worth a second sample.
        let slack = b.fconst(-1.0 / 32.0);
        let samples = b.fadd(ratio, slack);
        let samples = b.fceil(samples);
        let samples = b.fmax(samples, one);
        Major {
            along_x: b.fle(y, x),
            samples: b.fmin(samples, most),
        }
    }

    /// The level of detail with biases, before any clamp.
    pub(super) fn biased_lod(&self, b: &mut Builder<'_>, base: Value) -> Value {
        let mut bias = b.vload_splat(self.sampler, field!(SamplerDescriptor, lod_bias));
        if let Some(more) = self.bias {
            bias = b.fadd(bias, more);
        }
        let (least, most) = (b.fconst(-MAX_LOD_BIAS), b.fconst(MAX_LOD_BIAS));
        let bias = b.fmax(bias, least);
        let bias = b.fmin(bias, most);
        b.fadd(base, bias)
    }

    /// Clamped to the sampler's range.
    pub(super) fn clamped_lod(&self, b: &mut Builder<'_>, lod: Value) -> Value {
        let mut least = b.vload_splat(self.sampler, field!(SamplerDescriptor, min_lod));
        if let Some(min_lod) = self.min_lod {
            least = b.fmax(least, min_lod);
        }
        let most = b.vload_splat(self.sampler, field!(SamplerDescriptor, max_lod));
        let lod = b.fmax(lod, least);
        let lod = b.fmin(lod, most);
        if !self.state.min_lod {
            return lod;
        }
        let least = view_min_lod(b, self.image);
        b.fmax(lod, least)
    }

    /// Clamped to the levels there are.
    pub(super) fn level_of(&self, b: &mut Builder<'_>, lod: Value) -> Value {
        let levels = b.sload16(self.image, field!(ImageDescriptor, levels));
        let one = b.sconst(1);
        let last = b.ssub(levels, one);
        let last = b.vsplat(last);
        let last = b.itof(last);
        let zero = b.fconst(0.0);
        let lod = b.fmax(lod, zero);
        b.fmin(lod, last)
    }

    /// The integer nearest to a level in 0 to the last, halves down.
    pub(super) fn nearest_level(b: &mut Builder<'_>, level: Value) -> Value {
        let (half, one) = (b.fconst(0.5), b.fconst(1.0));
        let up = b.fadd(level, half);
        let up = b.fceil(up);
        b.fsub(up, one)
    }
}
