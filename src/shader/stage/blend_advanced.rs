//! The blend operations beyond the basic ones: colours as layers that cover each other.
//!
//! Most give `f(s, d) p0 + Y s p1 + Z d p2`, where `s` and `d` are the colours without their alpha, the `p` say how much
//! of a texel both, only the source and only the destination cover, and `X p0 + Y p1 + Z p2` is the alpha.

use crate::pipeline::BlendDesc;
use crate::shader::ir::{Builder, Value};
use crate::vk;
use vk::BlendOp as Op;

type Color = [Value; 3];

/// Whether it is one of these operations.
pub(super) fn is_advanced(op: Op) -> bool {
    op.as_raw() >= Op::ZERO_EXT.as_raw()
}

/// Blends colours with their alpha.
pub(super) fn blend(
    b: &mut Builder<'_>,
    desc: &BlendDesc,
    source: [Value; 4],
    dest: [Value; 4],
) -> [Value; 4] {
    let blended = premultiplied(b, desc, source, dest);
    if desc.dst_premultiplied {
        blended
    } else {
        Math(b).divided(blended)
    }
}

/// The same, with the colour multiplied by its alpha.
fn premultiplied(b: &mut Builder<'_>, desc: &BlendDesc, source: [Value; 4], dest: [Value; 4]) -> [Value; 4] {
    let mut math = Math(b);
    if desc.color_op.as_raw() >= Op::PLUS_EXT.as_raw() {
        let source = if desc.src_premultiplied {
            source
        } else {
            math.multiplied(source)
        };
        let dest = if desc.dst_premultiplied {
            dest
        } else {
            math.multiplied(dest)
        };
        return math.additional(desc.color_op, source, dest);
    }
    let plain = |math: &mut Math<'_, '_>, color: [Value; 4], premultiplied: bool| {
        let [r, g, b, _] = if premultiplied { math.divided(color) } else { color };
        [r, g, b]
    };
    let s = plain(&mut math, source, desc.src_premultiplied);
    let d = plain(&mut math, dest, desc.dst_premultiplied);
    let covered = math.coverage(desc.overlap, source[3], dest[3]);
    let weights = weights(desc.color_op);
    let both = math.both(desc.color_op, s, d);
    let mut terms = [[covered[0]; 4]; 3];
    for i in 0..3 {
        terms[0][i] = both.map_or(terms[0][3], |color| color[i]);
        (terms[1][i], terms[2][i]) = (s[i], d[i]);
    }
    std::array::from_fn(|i| {
        let mut sum: Option<Value> = None;
        for (part, covered) in covered.iter().enumerate() {
            let counts = if i == 3 || part > 0 {
                weights[part]
            } else {
                both.is_some()
            };
            if !counts {
                continue;
            }
            let term = if i == 3 {
                *covered
            } else {
                math.0.fmul(terms[part][i], *covered)
            };
            sum = Some(sum.map_or(term, |sum| math.0.fadd(sum, term)));
        }
        sum.unwrap_or_else(|| math.0.fconst(0.0))
    })
}

/// Whether what both, only the source and only the destination cover counts.
fn weights(op: Op) -> [bool; 3] {
    match op {
        Op::ZERO_EXT => [false, false, false],
        Op::SRC_EXT | Op::DST_ATOP_EXT => [true, true, false],
        Op::DST_EXT | Op::SRC_ATOP_EXT | Op::INVERT_EXT | Op::INVERT_RGB_EXT => [true, false, true],
        Op::SRC_IN_EXT | Op::DST_IN_EXT => [true, false, false],
        Op::SRC_OUT_EXT => [false, true, false],
        Op::DST_OUT_EXT => [false, false, true],
        Op::XOR_EXT => [false, true, true],
        _ => [true, true, true],
    }
}

/// Formulas of values.
struct Math<'m, 'b>(&'m mut Builder<'b>);

impl Math<'_, '_> {
    fn c(&mut self, value: f32) -> Value {
        self.0.fconst(value)
    }

    /// `1 - a`.
    fn rest(&mut self, a: Value) -> Value {
        let one = self.c(1.0);
        self.0.fsub(one, a)
    }

    fn twice(&mut self, a: Value) -> Value {
        self.0.fadd(a, a)
    }

    fn at_most_one(&mut self, a: Value) -> Value {
        let one = self.c(1.0);
        self.0.fmin(a, one)
    }

    fn at_least_zero(&mut self, a: Value) -> Value {
        let zero = self.c(0.0);
        self.0.fmax(a, zero)
    }

    /// `a` where `low < high`, else `b`.
    fn if_less(&mut self, low: Value, high: Value, a: Value, b: Value) -> Value {
        let less = self.0.flt(low, high);
        self.0.vselect(less, a, b)
    }

    /// `a` where `low <= high`, else `b`.
    fn if_at_most(&mut self, low: Value, high: Value, a: Value, b: Value) -> Value {
        let less = self.0.fle(low, high);
        self.0.vselect(less, a, b)
    }

    /// `a / b`, and 0 where `b` is.
    fn ratio(&mut self, a: Value, b: Value) -> Value {
        let (zero, quotient) = (self.c(0.0), self.0.fdiv(a, b));
        let none = self.0.feq(b, zero);
        self.0.vselect(none, zero, quotient)
    }

    fn multiplied(&mut self, color: [Value; 4]) -> [Value; 4] {
        let [r, g, b, a] = color;
        let [r, g, b] = [r, g, b].map(|c| self.0.fmul(c, a));
        [r, g, b, a]
    }

    fn divided(&mut self, color: [Value; 4]) -> [Value; 4] {
        let [r, g, b, a] = color;
        let [r, g, b] = [r, g, b].map(|c| self.ratio(c, a));
        [r, g, b, a]
    }

    /// What both, only the source and only the destination cover.
    fn coverage(&mut self, overlap: vk::BlendOverlapEXT, s: Value, d: Value) -> Color {
        let (not_s, not_d) = (self.rest(s), self.rest(d));
        match overlap {
            vk::BlendOverlapEXT::CONJOINT => {
                let (over, under) = (self.0.fsub(s, d), self.0.fsub(d, s));
                [
                    self.0.fmin(s, d),
                    self.at_least_zero(over),
                    self.at_least_zero(under),
                ]
            }
            vk::BlendOverlapEXT::DISJOINT => {
                let both = self.0.fsub(s, not_d);
                [
                    self.at_least_zero(both),
                    self.0.fmin(s, not_d),
                    self.0.fmin(d, not_s),
                ]
            }
            _ => [self.0.fmul(s, d), self.0.fmul(s, not_d), self.0.fmul(d, not_s)],
        }
    }

    /// The colour of what both cover; `None` for none.
    fn both(&mut self, op: Op, s: Color, d: Color) -> Option<Color> {
        Some(match op {
            Op::ZERO_EXT | Op::SRC_OUT_EXT | Op::DST_OUT_EXT | Op::XOR_EXT => return None,
            Op::SRC_EXT | Op::SRC_OVER_EXT | Op::SRC_IN_EXT | Op::SRC_ATOP_EXT => s,
            Op::DST_EXT | Op::DST_OVER_EXT | Op::DST_IN_EXT | Op::DST_ATOP_EXT => d,
            Op::HSL_HUE_EXT => self.with_saturation(s, d, d),
            Op::HSL_SATURATION_EXT => self.with_saturation(d, s, d),
            Op::HSL_COLOR_EXT => self.with_luminosity(s, d),
            Op::HSL_LUMINOSITY_EXT => self.with_luminosity(d, s),
            _ => std::array::from_fn(|i| self.component(op, s[i], d[i])),
        })
    }

    /// A component of what both cover, where the components do not depend on each other.
    fn component(&mut self, op: Op, s: Value, d: Value) -> Value {
        match op {
            Op::MULTIPLY_EXT => self.0.fmul(s, d),
            Op::SCREEN_EXT => self.screen(s, d),
            Op::OVERLAY_EXT => self.hard_light(d, s),
            Op::HARDLIGHT_EXT => self.hard_light(s, d),
            Op::DARKEN_EXT => self.0.fmin(s, d),
            Op::LIGHTEN_EXT => self.0.fmax(s, d),
            Op::COLORDODGE_EXT => self.dodge(s, d),
            Op::COLORBURN_EXT => self.burn(s, d),
            Op::SOFTLIGHT_EXT => self.soft_light(s, d),
            Op::DIFFERENCE_EXT => {
                let difference = self.0.fsub(d, s);
                self.0.fabs(difference)
            }
            Op::EXCLUSION_EXT => {
                let (sum, product) = (self.0.fadd(s, d), self.0.fmul(s, d));
                let product = self.twice(product);
                self.0.fsub(sum, product)
            }
            Op::INVERT_EXT => self.rest(d),
            Op::INVERT_RGB_EXT => {
                let rest = self.rest(d);
                self.0.fmul(s, rest)
            }
            Op::LINEARDODGE_EXT => {
                let sum = self.0.fadd(s, d);
                self.at_most_one(sum)
            }
            Op::LINEARBURN_EXT => {
                let rest = self.rest(d);
                let sum = self.0.fsub(s, rest);
                self.at_least_zero(sum)
            }
            Op::LINEARLIGHT_EXT => {
                let (twice, rest) = (self.twice(s), self.rest(d));
                let sum = self.0.fsub(twice, rest);
                let sum = self.at_least_zero(sum);
                self.at_most_one(sum)
            }
            Op::VIVIDLIGHT_EXT => self.vivid_light(s, d),
            Op::PINLIGHT_EXT => self.pin_light(s, d),
            Op::HARDMIX_EXT => {
                let (sum, zero, one) = (self.0.fadd(s, d), self.c(0.0), self.c(1.0));
                self.if_less(sum, one, zero, one)
            }
            _ => s,
        }
    }

    fn screen(&mut self, s: Value, d: Value) -> Value {
        let (sum, product) = (self.0.fadd(s, d), self.0.fmul(s, d));
        self.0.fsub(sum, product)
    }

    fn hard_light(&mut self, s: Value, d: Value) -> Value {
        let product = self.0.fmul(s, d);
        let dark = self.twice(product);
        let (s_rest, d_rest) = (self.rest(s), self.rest(d));
        let product = self.0.fmul(s_rest, d_rest);
        let product = self.twice(product);
        let light = self.rest(product);
        let half = self.c(0.5);
        self.if_at_most(s, half, dark, light)
    }

    fn dodge(&mut self, s: Value, d: Value) -> Value {
        let (zero, one, rest) = (self.c(0.0), self.c(1.0), self.rest(s));
        let ratio = self.0.fdiv(d, rest);
        let ratio = self.at_most_one(ratio);
        let light = self.if_less(s, one, ratio, one);
        self.if_at_most(d, zero, zero, light)
    }

    fn burn(&mut self, s: Value, d: Value) -> Value {
        let (zero, one, rest) = (self.c(0.0), self.c(1.0), self.rest(d));
        let ratio = self.0.fdiv(rest, s);
        let ratio = self.at_most_one(ratio);
        let ratio = self.rest(ratio);
        let dark = self.if_less(zero, s, ratio, zero);
        self.if_at_most(one, d, one, dark)
    }

    fn soft_light(&mut self, s: Value, d: Value) -> Value {
        let (twice, rest) = (self.twice(s), self.rest(d));
        let one = self.c(1.0);
        let slope = self.0.fsub(twice, one);
        // Below: d + (2s - 1) d (1 - d).
        let product = self.0.fmul(d, rest);
        let dark = self.0.fmul(slope, product);
        let (a, b, c) = (self.c(16.0), self.c(-12.0), self.c(3.0));
        let low = self.0.fmul(a, d);
        let low = self.0.fadd(low, b);
        let low = self.0.fmul(low, d);
        let low = self.0.fadd(low, c);
        let low = self.0.fmul(low, d);
        let root = self.0.fsqrt(d);
        let high = self.0.fsub(root, d);
        let (quarter, half) = (self.c(0.25), self.c(0.5));
        let light = self.if_at_most(d, quarter, low, high);
        let light = self.0.fmul(slope, light);
        let change = self.if_at_most(s, half, dark, light);
        self.0.fadd(d, change)
    }

    fn vivid_light(&mut self, s: Value, d: Value) -> Value {
        let (zero, half, one) = (self.c(0.0), self.c(0.5), self.c(1.0));
        let (twice, d_rest, s_rest) = (self.twice(s), self.rest(d), self.rest(s));
        let dark = self.0.fdiv(d_rest, twice);
        let dark = self.at_most_one(dark);
        let dark = self.rest(dark);
        let twice = self.twice(s_rest);
        let light = self.0.fdiv(d, twice);
        let light = self.at_most_one(light);
        let light = self.if_less(s, one, light, one);
        let value = self.if_less(s, half, dark, light);
        self.if_at_most(s, zero, zero, value)
    }

    fn pin_light(&mut self, s: Value, d: Value) -> Value {
        let (zero, half, one) = (self.c(0.0), self.c(0.5), self.c(1.0));
        let twice = self.twice(s);
        let above = self.0.fsub(twice, one);
        let high = self.if_less(s, half, zero, above);
        let low = self.0.fmin(twice, d);
        self.if_less(d, above, high, low)
    }

    fn smallest(&mut self, [r, g, b]: Color) -> Value {
        let low = self.0.fmin(r, g);
        self.0.fmin(low, b)
    }

    fn largest(&mut self, [r, g, b]: Color) -> Value {
        let high = self.0.fmax(r, g);
        self.0.fmax(high, b)
    }

    fn luminosity(&mut self, color: Color) -> Value {
        let [r, g, b] = [0.3, 0.59, 0.11].map(|weight| self.c(weight));
        let terms = [(color[0], r), (color[1], g), (color[2], b)].map(|(c, weight)| self.0.fmul(c, weight));
        let sum = self.0.fadd(terms[0], terms[1]);
        self.0.fadd(sum, terms[2])
    }

    /// `base` with the luminosity of another colour, and then within the range of colours.
    fn with_luminosity(&mut self, base: Color, luminous: Color) -> Color {
        let (wanted, has) = (self.luminosity(luminous), self.luminosity(base));
        let shift = self.0.fsub(wanted, has);
        let color = base.map(|c| self.0.fadd(c, shift));
        let lum = self.luminosity(color);
        let (low, high) = (self.smallest(color), self.largest(color));
        let (zero, one) = (self.c(0.0), self.c(1.0));
        let (below, above, rest) = (self.0.fsub(lum, low), self.0.fsub(high, lum), self.rest(lum));
        color.map(|c| {
            let distance = self.0.fsub(c, lum);
            let scaled = self.0.fmul(distance, lum);
            let scaled = self.0.fdiv(scaled, below);
            let raised = self.0.fadd(lum, scaled);
            let c = self.if_less(low, zero, raised, c);
            let distance = self.0.fsub(c, lum);
            let scaled = self.0.fmul(distance, rest);
            let scaled = self.0.fdiv(scaled, above);
            let lowered = self.0.fadd(lum, scaled);
            self.if_less(one, high, lowered, c)
        })
    }

    /// `base` with the saturation of one colour and the luminosity of another.
    fn with_saturation(&mut self, base: Color, saturated: Color, luminous: Color) -> Color {
        let (low, high) = (self.smallest(base), self.largest(base));
        let has = self.0.fsub(high, low);
        let (low_wanted, high_wanted) = (self.smallest(saturated), self.largest(saturated));
        let wanted = self.0.fsub(high_wanted, low_wanted);
        let color = base.map(|c| {
            let distance = self.0.fsub(c, low);
            let scaled = self.0.fmul(distance, wanted);
            self.ratio(scaled, has)
        });
        self.with_luminosity(color, luminous)
    }

    /// The operations on colours that are multiplied with their alpha.
    fn additional(&mut self, op: Op, s: [Value; 4], d: [Value; 4]) -> [Value; 4] {
        let alpha = self.0.fadd(s[3], d[3]);
        let capped = self.at_most_one(alpha);
        std::array::from_fn(|i| match op {
            Op::PLUS_EXT => self.0.fadd(s[i], d[i]),
            Op::PLUS_CLAMPED_EXT => {
                let sum = self.0.fadd(s[i], d[i]);
                self.at_most_one(sum)
            }
            Op::MINUS_EXT => self.0.fsub(d[i], s[i]),
            Op::MINUS_CLAMPED_EXT => {
                let difference = self.0.fsub(d[i], s[i]);
                self.at_least_zero(difference)
            }
            Op::PLUS_CLAMPED_ALPHA_EXT | Op::PLUS_DARKER_EXT if i == 3 => capped,
            Op::PLUS_CLAMPED_ALPHA_EXT => {
                let sum = self.0.fadd(s[i], d[i]);
                self.0.fmin(capped, sum)
            }
            Op::PLUS_DARKER_EXT => {
                let (s, d) = (self.0.fsub(s[3], s[i]), self.0.fsub(d[3], d[i]));
                let darkness = self.0.fadd(s, d);
                let light = self.0.fsub(capped, darkness);
                self.at_least_zero(light)
            }
            Op::CONTRAST_EXT if i < 3 => {
                let half = self.c(0.5);
                let (s_half, d_half) = (self.0.fmul(s[3], half), self.0.fmul(d[3], half));
                let (s, d) = (self.0.fsub(s[i], s_half), self.0.fsub(d[i], d_half));
                let product = self.0.fmul(d, s);
                let product = self.twice(product);
                self.0.fadd(d_half, product)
            }
            Op::INVERT_OVG_EXT if i == 3 => self.screen(s[3], d[3]),
            Op::INVERT_OVG_EXT => {
                let (s_rest, d_rest) = (self.rest(s[3]), self.rest(d[i]));
                let (over, under) = (self.0.fmul(s[3], d_rest), self.0.fmul(s_rest, d[i]));
                self.0.fadd(over, under)
            }
            Op::RED_EXT if i == 0 => s[0],
            Op::GREEN_EXT if i == 1 => s[1],
            Op::BLUE_EXT if i == 2 => s[2],
            _ => d[i],
        })
    }
}
