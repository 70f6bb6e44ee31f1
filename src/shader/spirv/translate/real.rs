//! Floats of any width: those of up to 32 bits are one `V`, doubles two. What is written in these terms serves both.

use super::Translator;
use super::value::Scalar;
use crate::shader::ir::{Op as IrOp, Value};
use crate::shader::spirv::types::Leaf;
use ::spirv::Op;

/// How a float becomes a whole number, as [`IrOp::DRound`] counts.
#[derive(Clone, Copy)]
pub(super) enum Whole {
    Nearest,
    Below,
    Above,
    Truncated,
}

impl Translator<'_, '_> {
    /// The same number in every lane, of the width of another.
    pub(super) fn real(&mut self, like: Scalar, value: f64) -> Scalar {
        if self.is_pair(like) {
            return self.literal(Leaf::Float(64), value.to_bits());
        }
        self.vf(value as f32).into()
    }

    /// An operation on doubles, for both words.
    fn both_words(&mut self, op: IrOp, args: &[Scalar], mode: i64) -> Scalar {
        let words: Vec<Value> = args.iter().flat_map(|s| [s.lo, s.hi]).collect();
        let lo = self.b.push(op, &words, mode << 1);
        Scalar::pair(lo, self.b.push(op, &words, mode << 1 | 1))
    }

    pub(super) fn radd(&mut self, a: Scalar, b: Scalar) -> Scalar {
        match self.is_pair(a) {
            true => self.both_words(IrOp::DAdd, &[a, b], 0),
            false => self.b.fadd(a.lo, b.lo).into(),
        }
    }

    pub(super) fn rsub(&mut self, a: Scalar, b: Scalar) -> Scalar {
        match self.is_pair(a) {
            true => self.both_words(IrOp::DSub, &[a, b], 0),
            false => self.b.fsub(a.lo, b.lo).into(),
        }
    }

    pub(super) fn rmul(&mut self, a: Scalar, b: Scalar) -> Scalar {
        match self.is_pair(a) {
            true => self.both_words(IrOp::DMul, &[a, b], 0),
            false => self.b.fmul(a.lo, b.lo).into(),
        }
    }

    pub(super) fn rdiv(&mut self, a: Scalar, b: Scalar) -> Scalar {
        match self.is_pair(a) {
            true => self.both_words(IrOp::DDiv, &[a, b], 0),
            false => self.b.fdiv(a.lo, b.lo).into(),
        }
    }

    pub(super) fn rfma(&mut self, a: Scalar, b: Scalar, c: Scalar) -> Scalar {
        match self.is_pair(a) {
            true => self.both_words(IrOp::DFma, &[a, b, c], 0),
            false => self.b.fma(a.lo, b.lo, c.lo).into(),
        }
    }

    pub(super) fn rsqrt(&mut self, a: Scalar) -> Scalar {
        match self.is_pair(a) {
            true => self.both_words(IrOp::DSqrt, &[a], 0),
            false => self.b.fsqrt(a.lo).into(),
        }
    }

    pub(super) fn rround(&mut self, a: Scalar, how: Whole) -> Scalar {
        if self.is_pair(a) {
            return self.both_words(IrOp::DRound, &[a], how as i64);
        }
        match how {
            Whole::Nearest => self.b.fround(a.lo),
            Whole::Below => self.b.ffloor(a.lo),
            Whole::Above => self.b.fceil(a.lo),
            Whole::Truncated => self.b.ftrunc(a.lo),
        }
        .into()
    }

    pub(super) fn rneg(&mut self, a: Scalar) -> Scalar {
        if !self.is_pair(a) {
            return self.b.fneg(a.lo).into();
        }
        let sign = self.v32(1 << 31);
        Scalar::pair(a.lo, self.b.vxor(a.hi, sign))
    }

    pub(super) fn rabs(&mut self, a: Scalar) -> Scalar {
        if !self.is_pair(a) {
            return self.b.fabs(a.lo).into();
        }
        let rest = self.v32(u32::MAX >> 1);
        Scalar::pair(a.lo, self.b.vand(a.hi, rest))
    }

    /// Zero with the sign of a number.
    pub(super) fn rzero(&mut self, a: Scalar) -> Scalar {
        let sign = self.v32(1 << 31);
        if !self.is_pair(a) {
            return self.b.vand(a.lo, sign).into();
        }
        Scalar::pair(self.v32(0), self.b.vand(a.hi, sign))
    }

    pub(super) fn rlt(&mut self, a: Scalar, b: Scalar) -> Value {
        match self.is_pair(a) {
            true => self.double_compare(Op::SLessThan, a, b),
            false => self.b.flt(a.lo, b.lo),
        }
    }

    pub(super) fn rle(&mut self, a: Scalar, b: Scalar) -> Value {
        match self.is_pair(a) {
            true => self.double_compare(Op::SLessThanEqual, a, b),
            false => self.b.fle(a.lo, b.lo),
        }
    }

    pub(super) fn req(&mut self, a: Scalar, b: Scalar) -> Value {
        match self.is_pair(a) {
            true => self.double_compare(Op::IEqual, a, b),
            false => self.b.feq(a.lo, b.lo),
        }
    }

    /// Whether either is a NaN.
    pub(super) fn runo(&mut self, a: Scalar, b: Scalar) -> Value {
        if !self.is_pair(a) {
            return self.b.funo(a.lo, b.lo);
        }
        let first = self.double_nan(a);
        if a == b {
            return first;
        }
        let second = self.double_nan(b);
        self.b.mor(first, second)
    }

    /// `a < b ? a : b`; of two zeros a negative one where their order counts.
    pub(super) fn rmin(&mut self, a: Scalar, b: Scalar) -> Scalar {
        let least = if self.is_pair(a) {
            let less = self.rlt(a, b);
            self.blend(less, a, b)
        } else {
            self.b.fmin(a.lo, b.lo).into()
        };
        self.order_zeros(IrOp::VOr, a, b, least)
    }

    /// `a > b ? a : b`; of two zeros a positive one where their order counts.
    pub(super) fn rmax(&mut self, a: Scalar, b: Scalar) -> Scalar {
        let most = if self.is_pair(a) {
            let greater = self.rlt(b, a);
            self.blend(greater, a, b)
        } else {
            self.b.fmax(a.lo, b.lo).into()
        };
        self.order_zeros(IrOp::VAnd, a, b, most)
    }

    /// Where two numbers are equal, those with signs put together so: nothing else of them can differ.
    fn order_zeros(&mut self, signs: IrOp, a: Scalar, b: Scalar, other: Scalar) -> Scalar {
        if !self.source.orders_zeros {
            return other;
        }
        let equal = self.req(a, b);
        let lo = self.b.push(signs, &[a.lo, b.lo], 0);
        let both = match self.is_pair(a) {
            true => Scalar::pair(lo, self.b.push(signs, &[a.hi, b.hi], 0)),
            false => lo.into(),
        };
        self.blend(equal, both, other)
    }

    /// Rounds what was computed for a type below 32 bits.
    pub(super) fn round_real(&mut self, s: Scalar, leaf: Leaf) -> Scalar {
        match leaf {
            Leaf::Float(16) => self.round_half(s.lo, leaf).into(),
            _ => s,
        }
    }
}
