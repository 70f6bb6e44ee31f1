//! Cube maps: choice of the face, and texels over the edges of faces.

use crate::shader::ir::{Builder, Value};

const SIGN: i64 = 0x8000_0000;

/// The face that each lane's direction hits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Face {
    /// 0 to 5: +x, -x, +y, -y, +z, -z.
    pub(super) number: Value,
    /// Coordinates on it, 0 to 1.
    pub(super) coords: [Value; 2],
    is_x: Value,
    is_y: Value,
    /// Sign bit of the major axis.
    sign: Value,
    /// `1 / |major|`.
    inverse: Value,
    /// Coordinates on it, -1 to 1.
    ratios: [Value; 2],
}

/// Components of a vector seen from a face: right, down and towards it.
fn project(b: &mut Builder<'_>, v: &[Value], is_x: Value, is_y: Value, sign: Value) -> [Value; 3] {
    let flip = b.vconst(SIGN);
    let (x, y, z) = (v[0], v[1], v[2]);
    let minus_z = b.vxor(z, flip);
    let x_right = b.vxor(minus_z, sign);
    let z_right = b.vxor(x, sign);
    let right = b.vselect(is_y, x, z_right);
    let right = b.vselect(is_x, x_right, right);
    let minus_y = b.vxor(y, flip);
    let y_down = b.vxor(z, sign);
    let down = b.vselect(is_y, y_down, minus_y);
    let major = b.vselect(is_y, y, z);
    let major = b.vselect(is_x, x, major);
    let major = b.vxor(major, sign);
    [right, down, major]
}

/// Chooses the face of a direction: the axis of greatest magnitude, z before y before x when they tie.
pub(super) fn select_face(b: &mut Builder<'_>, v: &[Value]) -> Face {
    let ax = b.fabs(v[0]);
    let ay = b.fabs(v[1]);
    let az = b.fabs(v[2]);
    let beats_y = b.fle(ay, az);
    let beats_x = b.fle(ax, az);
    let is_z = b.mand(beats_y, beats_x);
    let y_beats_x = b.fle(ax, ay);
    let is_y = b.mandnot(y_beats_x, is_z);
    let is_yz = b.mor(is_y, is_z);
    let is_x = b.mnot(is_yz);
    let major = b.vselect(is_y, v[1], v[2]);
    let major = b.vselect(is_x, v[0], major);
    let flip = b.vconst(SIGN);
    let sign = b.vand(major, flip);
    let [right, down, major] = project(b, v, is_x, is_y, sign);
    let (one, half) = (b.fconst(1.0), b.fconst(0.5));
    let inverse = b.fdiv(one, major);
    let ratios = [right, down].map(|c| b.fmul(c, inverse));
    let coords = ratios.map(|c| b.fma(c, half, half));
    let (zero, two, four, top) = (b.vconst(0), b.vconst(2), b.vconst(4), b.vconst(31));
    let pair = b.vselect(is_y, two, four);
    let pair = b.vselect(is_x, zero, pair);
    let negative = b.vshr(sign, top);
    Face {
        number: b.vadd(pair, negative),
        coords,
        is_x,
        is_y,
        sign,
        inverse,
        ratios,
    }
}

impl Face {
    /// Derivatives of the face's coordinates from those of the direction.
    pub(super) fn derivatives(&self, b: &mut Builder<'_>, v: &[Value]) -> [Value; 2] {
        let [right, down, major] = project(b, v, self.is_x, self.is_y, self.sign);
        let half = b.fconst(0.5);
        let scale = b.fmul(self.inverse, half);
        let minus_major = b.fneg(major);
        [(right, self.ratios[0]), (down, self.ratios[1])].map(|(d, ratio)| {
            let d = b.fma(ratio, minus_major, d);
            b.fmul(d, scale)
        })
    }
}

/// A texel of a face.
#[derive(Clone, Copy, Debug)]
pub(super) struct FaceTexel {
    pub(super) face: Value,
    pub(super) x: Value,
    pub(super) y: Value,
}

fn negate(b: &mut Builder<'_>, x: Value) -> Value {
    let zero = b.vconst(0);
    b.vsub(zero, x)
}

/// Negated in the lanes of the mask.
fn negate_if(b: &mut Builder<'_>, mask: Value, x: Value) -> Value {
    let minus = negate(b, x);
    b.vselect(mask, minus, x)
}

/// The texel of the neighbouring face for a texel one over the edge of `face`; texels inside stay. One over
/// both edges (there is no such texel) gives one next to it.
///
/// Texel centres are taken as integer points on a cube of half side `size`: over the edge, the coordinate that
/// left the face becomes the major axis, and the old one is at the centre of the neighbour's first row.
pub(super) fn cross_edge(b: &mut Builder<'_>, texel: FaceTexel, size: Value) -> FaceTexel {
    let one = b.vconst(1);
    let last = b.vsub(size, one);
    let out_x = b.vlt_u(last, texel.x);
    let out_y = b.vlt_u(last, texel.y);
    let out = b.mor(out_x, out_y);
    let minus_last = negate(b, last);
    let minus_size = negate(b, size);
    let [right, down] = [texel.x, texel.y].map(|t| {
        let double = b.vadd(t, t);
        let centre = b.vsub(double, last);
        let centre = b.vmax_s(centre, minus_size);
        b.vmin_s(centre, size)
    });
    let inside = b.vmax_s(down, minus_last);
    let inside = b.vmin_s(inside, last);
    let down = b.vselect(out_x, inside, down);
    let major = b.vselect(out, last, size);

    // To the cube's axes.
    let negative = b.vand(texel.face, one);
    let zero = b.vconst(0);
    let negative = b.vne(negative, zero);
    let axis = b.vshr(texel.face, one);
    let two = b.vconst(2);
    let (on_x, on_y, on_z) = (b.veq(axis, zero), b.veq(axis, one), b.veq(axis, two));
    let major = negate_if(b, negative, major);
    let right_signed = negate_if(b, negative, right);
    let x = b.vselect(on_z, right_signed, right);
    let x = b.vselect(on_x, major, x);
    let minus_down = negate(b, down);
    let y = b.vselect(on_y, major, minus_down);
    let minus_right = negate(b, right_signed);
    let down_signed = negate_if(b, negative, down);
    let z = b.vselect(on_y, down_signed, major);
    let z = b.vselect(on_x, minus_right, z);
    from_axes(b, [x, y, z], size, last)
}

/// The face texel of an integer point, one of whose coordinates is plus or minus `size`.
fn from_axes(b: &mut Builder<'_>, [x, y, z]: [Value; 3], size: Value, last: Value) -> FaceTexel {
    let zero = b.vconst(0);
    let is_major = |b: &mut Builder<'_>, c: Value| {
        let minus = b.vsub(zero, c);
        let magnitude = b.vmax_s(c, minus);
        b.veq(magnitude, size)
    };
    let (is_x, is_y) = (is_major(b, x), is_major(b, y));
    let major = b.vselect(is_y, y, z);
    let major = b.vselect(is_x, x, major);
    let negative = b.vlt_s(major, zero);
    let z_signed = negate_if(b, negative, z);
    let x_right = negate(b, z_signed);
    let z_right = negate_if(b, negative, x);
    let right = b.vselect(is_y, x, z_right);
    let right = b.vselect(is_x, x_right, right);
    let minus_y = negate(b, y);
    let down = b.vselect(is_y, z_signed, minus_y);
    let (one, two, four) = (b.vconst(1), b.vconst(2), b.vconst(4));
    let face = b.vselect(is_y, two, four);
    let face = b.vselect(is_x, zero, face);
    let odd = b.vadd(face, one);
    let face = b.vselect(negative, odd, face);
    let [x, y] = [right, down].map(|c| {
        let sum = b.vadd(c, last);
        let texel = b.vshr(sum, one);
        b.vmin_u(texel, last)
    });
    FaceTexel { face, x, y }
}
