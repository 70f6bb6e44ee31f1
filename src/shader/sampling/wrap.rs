//! Address modes: from a coordinate on one axis to one or two texel numbers.

use super::state::Address;
use crate::shader::ir::{Builder, Value};

/// Whether texels are interpolated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Filter {
    /// In no lane.
    Nearest,
    /// In every lane.
    Linear,
    /// In the lanes of this mask (magnification and minification differ).
    Mixed(Value),
}

/// What an axis is asked.
#[derive(Clone, Copy, Debug)]
pub(super) struct AxisArgs {
    /// Coordinate, a float.
    pub(super) coord: Value,
    /// Texels, an integer.
    pub(super) size: Value,
    /// Offset in texels, an integer.
    pub(super) offset: Option<Value>,
    /// Interpolation.
    pub(super) filter: Filter,
    /// Whether the coordinate is in texels.
    pub(super) unnormalized: bool,
    /// Whether the two texels must come in the order of the unwrapped axis (gathers).
    pub(super) ordered: bool,
}

/// The texels of an axis.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axis {
    /// First texel and, with interpolation, the second one.
    pub(super) texels: [Value; 2],
    /// Weight of the second one.
    pub(super) weight: Value,
    /// Lanes in which each is inside the image, where the border may be reached.
    pub(super) valid: Option<[Value; 2]>,
}

impl Axis {
    /// Whether there is a second texel.
    pub(super) fn taps(filter: Filter) -> usize {
        if filter == Filter::Nearest { 1 } else { 2 }
    }
}

/// `x` clamped to `low..=high`; NaN gives `low`.
fn fclamp(b: &mut Builder<'_>, x: Value, low: Value, high: Value) -> Value {
    let x = b.fmax(x, low);
    b.fmin(x, high)
}

/// `x` clamped to `0..=last`, signed.
fn iclamp(b: &mut Builder<'_>, x: Value, last: Value) -> Value {
    let zero = b.vconst(0);
    let x = b.vmax_s(x, zero);
    b.vmin_s(x, last)
}

/// Coordinate in texels, half a texel down where it is interpolated.
fn to_texels(b: &mut Builder<'_>, args: &AxisArgs, coord: Value, sizef: Value) -> Value {
    let half = match args.filter {
        Filter::Nearest => None,
        Filter::Linear => Some(b.fconst(-0.5)),
        Filter::Mixed(linear) => {
            let (half, none) = (b.fconst(-0.5), b.fconst(0.0));
            Some(b.vselect(linear, half, none))
        }
    };
    let mut x = match (args.unnormalized, half) {
        (true, None) => coord,
        (true, Some(half)) => b.fadd(coord, half),
        (false, None) => b.fmul(coord, sizef),
        (false, Some(half)) => b.fma(coord, sizef, half),
    };
    if let Some(offset) = args.offset {
        let offset = b.itof(offset);
        x = b.fadd(x, offset);
    }
    x
}

/// Splits a texel coordinate into the texel below (as a float and an integer) and the weight of the next one.
fn split(b: &mut Builder<'_>, filter: Filter, x: Value) -> (Value, Value, Value) {
    let floor = b.ffloor(x);
    let weight = match filter {
        Filter::Nearest => b.fconst(0.0),
        Filter::Linear => b.fsub(x, floor),
        Filter::Mixed(linear) => {
            let (fraction, zero) = (b.fsub(x, floor), b.fconst(0.0));
            b.vselect(linear, fraction, zero)
        }
    };
    (floor, b.ftoi(floor), weight)
}

/// The texels that `args` touches, wrapped by `mode`.
pub(super) fn axis(b: &mut Builder<'_>, mode: Address, args: &AxisArgs) -> Axis {
    let sizef = b.itof(args.size);
    let one = b.vconst(1);
    let last = b.vsub(args.size, one);
    match mode {
        Address::Repeat => repeat(b, args, sizef, last),
        Address::MirroredRepeat if args.ordered || args.offset.is_some() => mirrored(b, args, sizef, last),
        Address::MirroredRepeat => {
            // Fold the coordinate into 0 to 1 first; beyond the ends the mirror repeats the edge.
            let (half, minus_two, one) = (b.fconst(0.5), b.fconst(-2.0), b.fconst(1.0));
            let periods = b.fmul(args.coord, half);
            let periods = b.ffloor(periods);
            let folded = b.fma(periods, minus_two, args.coord);
            let folded = b.fsub(folded, one);
            let folded = b.fabs(folded);
            let folded = b.fsub(one, folded);
            clamp_to_edge(b, args, folded, sizef, last)
        }
        Address::ClampToEdge => clamp_to_edge(b, args, args.coord, sizef, last),
        Address::ClampToBorder => clamp_to_border(b, args, sizef),
        Address::MirrorClampToEdge => mirror_clamp(b, args, sizef, last),
    }
}

fn clamp_to_edge(b: &mut Builder<'_>, args: &AxisArgs, coord: Value, sizef: Value, last: Value) -> Axis {
    let x = to_texels(b, args, coord, sizef);
    let one = b.vconst(1);
    if !args.ordered {
        // Beyond the centres of the first and last texel there is only that texel.
        let (zero, top) = (b.fconst(0.0), b.itof(last));
        let x = fclamp(b, x, zero, top);
        let (_, first, weight) = split(b, args.filter, x);
        let second = b.vadd(first, one);
        let second = b.vmin_s(second, last);
        return Axis {
            texels: [first, second],
            weight,
            valid: None,
        };
    }
    let below = b.fconst(-1.0);
    let x = fclamp(b, x, below, sizef);
    let (_, first, weight) = split(b, args.filter, x);
    let second = b.vadd(first, one);
    Axis {
        texels: [first, second].map(|texel| iclamp(b, texel, last)),
        weight,
        valid: None,
    }
}

fn clamp_to_border(b: &mut Builder<'_>, args: &AxisArgs, sizef: Value) -> Axis {
    let x = to_texels(b, args, args.coord, sizef);
    let below = b.fconst(-2.0);
    let x = fclamp(b, x, below, sizef);
    let (_, first, weight) = split(b, args.filter, x);
    let one = b.vconst(1);
    let second = b.vadd(first, one);
    let texels = [first, second];
    Axis {
        texels,
        weight,
        valid: Some(texels.map(|texel| b.vlt_u(texel, args.size))),
    }
}

fn repeat(b: &mut Builder<'_>, args: &AxisArgs, sizef: Value, last: Value) -> Axis {
    let whole = b.ffloor(args.coord);
    let coord = b.fsub(args.coord, whole);
    let x = to_texels(b, args, coord, sizef);
    let (floor, mut first, weight) = split(b, args.filter, x);
    if args.offset.is_some() {
        // The offset may span several widths of a small image.
        first = modulo(b, floor, sizef);
    }
    // From -1 to the size: one below the first is the last, and so is what rounding put beyond the end. The
    // comparisons are unsigned, so that whatever NaN became is inside too.
    let (zero, one) = (b.vconst(0), b.vconst(1));
    let next = b.vadd(first, one);
    let inside = b.vlt_u(next, args.size);
    let second = b.vselect(inside, next, zero);
    let first = b.vmin_u(first, last);
    Axis {
        texels: [first, second],
        weight,
        valid: None,
    }
}

/// `x - floor(x / period) * period` of integers kept as floats, as an integer.
fn modulo(b: &mut Builder<'_>, x: Value, period: Value) -> Value {
    let (half, one) = (b.fconst(0.5), b.fconst(1.0));
    let inverse = b.fdiv(one, period);
    let middle = b.fadd(x, half);
    let turns = b.fmul(middle, inverse);
    let turns = b.ffloor(turns);
    let turns = b.fneg(turns);
    let x = b.fma(turns, period, x);
    b.ftoi(x)
}

/// Mirrors integer texel numbers, so that the order of the two texels is kept.
fn mirrored(b: &mut Builder<'_>, args: &AxisArgs, sizef: Value, last: Value) -> Axis {
    let (half, minus_two) = (b.fconst(0.5), b.fconst(-2.0));
    let periods = b.fmul(args.coord, half);
    let periods = b.ffloor(periods);
    let coord = b.fma(periods, minus_two, args.coord);
    let x = to_texels(b, args, coord, sizef);
    let (floor, _, weight) = split(b, args.filter, x);
    let period = b.fadd(sizef, sizef);
    let one = b.fconst(1.0);
    let next = b.fadd(floor, one);
    let doubled = b.vadd(last, last);
    let int_one = b.vconst(1);
    let top = b.vadd(doubled, int_one);
    let texels = [floor, next].map(|texel| {
        let texel = modulo(b, texel, period);
        let back = b.vsub(top, texel);
        let texel = b.vmin_s(texel, back);
        iclamp(b, texel, last)
    });
    Axis {
        texels,
        weight,
        valid: None,
    }
}

fn mirror_clamp(b: &mut Builder<'_>, args: &AxisArgs, sizef: Value, last: Value) -> Axis {
    let x = to_texels(b, args, args.coord, sizef);
    let one = b.fconst(1.0);
    let least = b.fadd(sizef, one);
    let least = b.fneg(least);
    let x = fclamp(b, x, least, sizef);
    let (_, first, weight) = split(b, args.filter, x);
    let int_one = b.vconst(1);
    let second = b.vadd(first, int_one);
    let texels = [first, second].map(|texel| {
        // -1 - t where t is negative: the complement.
        let all = b.vconst(0xffff_ffff);
        let back = b.vxor(texel, all);
        let texel = b.vmax_s(texel, back);
        b.vmin_s(texel, last)
    });
    Axis {
        texels,
        weight,
        valid: None,
    }
}

/// The texels of an axis of a cube face: numbers from -1 to `size`, not wrapped when interpolated.
pub(super) fn cube_axis(b: &mut Builder<'_>, args: &AxisArgs) -> Axis {
    let sizef = b.itof(args.size);
    let x = to_texels(b, args, args.coord, sizef);
    let (below, half) = (b.fconst(-1.0), b.fconst(-0.5));
    // Interpolated coordinates are at most half a texel outside, but for NaN and rounding.
    let above = b.fadd(sizef, half);
    let x = fclamp(b, x, below, above);
    let (_, mut first, weight) = split(b, args.filter, x);
    let one = b.vconst(1);
    let last = b.vsub(args.size, one);
    match args.filter {
        Filter::Nearest => first = iclamp(b, first, last),
        Filter::Linear => {}
        Filter::Mixed(linear) => {
            let inside = iclamp(b, first, last);
            first = b.vselect(linear, first, inside);
        }
    }
    let second = b.vadd(first, one);
    let second = match args.filter {
        // A lane that does not interpolate must not reach over the edge.
        Filter::Mixed(linear) => b.vselect(linear, second, first),
        _ => second,
    };
    Axis {
        texels: [first, second],
        weight,
        valid: None,
    }
}
