//! GLSL.std.450, by a table of the functions that work component by component; the others by name.

use super::Translator;
use super::real::Whole;
use super::value::{Scalar, Val};
use crate::shader::ir::{Op as IrOp, Value};
use crate::shader::math;
use crate::shader::spirv::SpirvError;
use crate::shader::spirv::error::Result;
use crate::shader::spirv::parse::Inst;
use crate::shader::spirv::types::Leaf;
use ::spirv::{GlslStd450Op as GLOp, Op};

/// Emits one component of a function of floats of any width.
type RealFn = fn(&mut Translator<'_, '_>, &[Scalar]) -> Scalar;

/// Functions of floats of any width: number of operands and what to emit.
const REALS: &[(GLOp, usize, RealFn)] = &[
    (GLOp::Round, 1, |t, a| t.rround(a[0], Whole::Nearest)),
    (GLOp::RoundEven, 1, |t, a| t.rround(a[0], Whole::Nearest)),
    (GLOp::Trunc, 1, |t, a| t.rround(a[0], Whole::Truncated)),
    (GLOp::FAbs, 1, |t, a| t.rabs(a[0])),
    (GLOp::FSign, 1, |t, a| t.float_sign(a[0])),
    (GLOp::Floor, 1, |t, a| t.rround(a[0], Whole::Below)),
    (GLOp::Ceil, 1, |t, a| t.rround(a[0], Whole::Above)),
    (GLOp::Fract, 1, |t, a| {
        let whole = t.rround(a[0], Whole::Below);
        t.rsub(a[0], whole)
    }),
    (GLOp::Sqrt, 1, |t, a| t.rsqrt(a[0])),
    (GLOp::FMin, 2, |t, a| t.rmin(a[1], a[0])),
    (GLOp::FMax, 2, |t, a| t.rmax(a[1], a[0])),
    (GLOp::NMin, 2, |t, a| t.number_min(a[0], a[1])),
    (GLOp::NMax, 2, |t, a| t.number_max(a[0], a[1])),
    (GLOp::FClamp, 3, |t, a| {
        let low = t.rmax(a[0], a[1]);
        t.rmin(low, a[2])
    }),
    (GLOp::NClamp, 3, |t, a| {
        let low = t.number_max(a[0], a[1]);
        t.number_min(low, a[2])
    }),
    (GLOp::FMix, 3, |t, a| {
        let one = t.real(a[0], 1.0);
        let rest = t.rsub(one, a[2]);
        let first = t.rmul(a[0], rest);
        t.rfma(a[1], a[2], first)
    }),
    (GLOp::Step, 2, |t, a| {
        let below = t.rlt(a[1], a[0]);
        let (zero, one) = (t.real(a[0], 0.0), t.real(a[0], 1.0));
        t.blend(below, zero, one)
    }),
    (GLOp::SmoothStep, 3, |t, a| t.smooth_step(a)),
    (GLOp::Fma, 3, |t, a| t.rfma(a[0], a[1], a[2])),
    (GLOp::InverseSqrt, 1, |t, a| {
        if !t.is_pair(a[0]) {
            return math::inverse_sqrt(t.b, a[0].lo).into();
        }
        let (root, one) = (t.rsqrt(a[0]), t.real(a[0], 1.0));
        t.rdiv(one, root)
    }),
];

/// Emits one component of a function of floats of up to 32 bits.
type FloatFn = fn(&mut Translator<'_, '_>, &[Value]) -> Value;

/// Functions of floats of up to 32 bits: number of operands and what to emit.
const FLOATS: &[(GLOp, usize, FloatFn)] = &[
    (GLOp::Radians, 1, |t, a| {
        let factor = t.vf(std::f32::consts::PI / 180.0);
        t.b.fmul(a[0], factor)
    }),
    (GLOp::Degrees, 1, |t, a| {
        let factor = t.vf(180.0 / std::f32::consts::PI);
        t.b.fmul(a[0], factor)
    }),
    (GLOp::Sin, 1, |t, a| math::sin(t.b, a[0])),
    (GLOp::Cos, 1, |t, a| math::cos(t.b, a[0])),
    (GLOp::Tan, 1, |t, a| math::tan(t.b, a[0])),
    (GLOp::Asin, 1, |t, a| math::asin(t.b, a[0])),
    (GLOp::Acos, 1, |t, a| math::acos(t.b, a[0])),
    (GLOp::Atan, 1, |t, a| math::atan(t.b, a[0])),
    (GLOp::Sinh, 1, |t, a| math::sinh(t.b, a[0])),
    (GLOp::Cosh, 1, |t, a| math::cosh(t.b, a[0])),
    (GLOp::Tanh, 1, |t, a| math::tanh(t.b, a[0])),
    (GLOp::Asinh, 1, |t, a| math::asinh(t.b, a[0])),
    (GLOp::Acosh, 1, |t, a| math::acosh(t.b, a[0])),
    (GLOp::Atanh, 1, |t, a| math::atanh(t.b, a[0])),
    (GLOp::Atan2, 2, |t, a| math::atan2(t.b, a[0], a[1])),
    (GLOp::Pow, 2, |t, a| math::pow(t.b, a[0], a[1])),
    (GLOp::Exp, 1, |t, a| math::exp(t.b, a[0])),
    (GLOp::Log, 1, |t, a| math::log(t.b, a[0])),
    (GLOp::Exp2, 1, |t, a| math::exp2(t.b, a[0])),
    (GLOp::Log2, 1, |t, a| math::log2(t.b, a[0])),
];

/// Functions of 32-bit integers: uniform form, varying form.
const INTS: &[(GLOp, IrOp, IrOp)] = &[
    (GLOp::UMin, IrOp::SMinU, IrOp::VMinU),
    (GLOp::SMin, IrOp::SMinS, IrOp::VMinS),
    (GLOp::UMax, IrOp::SMaxU, IrOp::VMaxU),
    (GLOp::SMax, IrOp::SMaxS, IrOp::VMaxS),
];

/// Packing: components, bits each, signed.
const PACKS: &[(GLOp, GLOp, u32, bool)] = &[
    (GLOp::PackSnorm4x8, GLOp::UnpackSnorm4x8, 8, true),
    (GLOp::PackUnorm4x8, GLOp::UnpackUnorm4x8, 8, false),
    (GLOp::PackSnorm2x16, GLOp::UnpackSnorm2x16, 16, true),
    (GLOp::PackUnorm2x16, GLOp::UnpackUnorm2x16, 16, false),
];

impl Translator<'_, '_> {
    /// `OpExtInst`.
    pub(super) fn ext_inst(&mut self, inst: &Inst) -> Result<()> {
        let set = inst.word(3)?;
        if self.source.non_semantic.contains(&set) {
            return Ok(());
        }
        if !self.source.glsl.contains(&set) {
            return Err(SpirvError::UnknownId(set));
        }
        let op = GLOp::from_u32(inst.word(4)?)
            .ok_or_else(|| SpirvError::unsupported("GLSL.std.450 instruction"))?;
        if let Some(&(_, count, emit)) = REALS.iter().find(|row| row.0 == op) {
            return self.real_function(inst, count, emit);
        }
        if let Some(&(_, count, emit)) = FLOATS.iter().find(|row| row.0 == op) {
            return self.float_function(inst, count, emit);
        }
        match op {
            GLOp::SAbs
            | GLOp::SSign
            | GLOp::FindILsb
            | GLOp::FindSMsb
            | GLOp::FindUMsb
            | GLOp::UMin
            | GLOp::SMin
            | GLOp::UMax
            | GLOp::SMax
            | GLOp::UClamp
            | GLOp::SClamp => self.int_function(inst, op),
            GLOp::Length
            | GLOp::Distance
            | GLOp::Cross
            | GLOp::Normalize
            | GLOp::FaceForward
            | GLOp::Reflect
            | GLOp::Refract
            | GLOp::Determinant
            | GLOp::MatrixInverse => self.geometric(inst, op),
            GLOp::Modf | GLOp::ModfStruct | GLOp::Frexp | GLOp::FrexpStruct | GLOp::Ldexp => {
                self.split_float(inst, op)
            }
            GLOp::InterpolateAtCentroid | GLOp::InterpolateAtSample | GLOp::InterpolateAtOffset => {
                self.interpolate(inst, op)
            }
            _ => self.pack(inst, op),
        }
    }

    /// The components of a float operand.
    pub(super) fn floats(&mut self, id: u32) -> Result<Vec<Value>> {
        match self.leaf_of_id(id)? {
            Leaf::Float(16 | 32) => Ok(self.value(id)?.iter().map(|s| s.lo).collect()),
            _ => Err(SpirvError::WrongType(id)),
        }
    }

    /// The components of a float operand of any width.
    pub(super) fn reals(&mut self, id: u32) -> Result<Vec<Scalar>> {
        match self.leaf_of_id(id)? {
            Leaf::Float(_) => Ok(self.value(id)?.to_vec()),
            _ => Err(SpirvError::WrongType(id)),
        }
    }

    fn real_function(&mut self, inst: &Inst, count: usize, emit: RealFn) -> Result<()> {
        let ty = self.result_type(inst)?;
        let leaf = self.types.leaf(ty).ok_or(SpirvError::WrongType(inst.word(2)?))?;
        let mut operands = Vec::new();
        for n in 0..count {
            let id = inst.word(5 + n)?;
            if self.leaf_of_id(id)? != leaf {
                return Err(SpirvError::WrongType(id));
            }
            operands.push(self.reals(id)?);
        }
        let comps = operands[0].len();
        if operands.iter().any(|operand| operand.len() != comps) {
            return Err(SpirvError::WrongType(inst.word(5)?));
        }
        let mut out = Val::new();
        for i in 0..comps {
            let args: Vec<Scalar> = operands.iter().map(|operand| operand[i]).collect();
            let result = emit(self, &args);
            out.push(self.round_real(result, leaf));
        }
        self.define(inst, out)
    }

    fn float_function(&mut self, inst: &Inst, count: usize, emit: FloatFn) -> Result<()> {
        let ty = self.result_type(inst)?;
        let leaf = self.types.leaf(ty).ok_or(SpirvError::WrongType(inst.word(2)?))?;
        let mut operands = Vec::new();
        for n in 0..count {
            operands.push(self.floats(inst.word(5 + n)?)?);
        }
        let comps = operands[0].len();
        if operands.iter().any(|operand| operand.len() != comps) {
            return Err(SpirvError::WrongType(inst.word(5)?));
        }
        let mut out = Val::new();
        for i in 0..comps {
            let args: Vec<Value> = operands.iter().map(|operand| operand[i]).collect();
            let result = emit(self, &args);
            out.push(self.round_half(result, leaf).into());
        }
        self.define(inst, out)
    }

    fn float_sign(&mut self, a: Scalar) -> Scalar {
        let [zero, one, minus] = [0.0, 1.0, -1.0].map(|n| self.real(a, n));
        let (above, below) = (self.rlt(zero, a), self.rlt(a, zero));
        let rest = self.blend(below, minus, zero);
        self.blend(above, one, rest)
    }

    /// Minimum; the other operand where one is a NaN.
    fn number_min(&mut self, a: Scalar, b: Scalar) -> Scalar {
        let least = self.rmin(a, b);
        let nan = self.runo(b, b);
        self.blend(nan, a, least)
    }

    fn number_max(&mut self, a: Scalar, b: Scalar) -> Scalar {
        let most = self.rmax(a, b);
        let nan = self.runo(b, b);
        self.blend(nan, a, most)
    }

    fn saturate_float(&mut self, a: Value, low: f32) -> Value {
        let (low, one) = (self.vf(low), self.vf(1.0));
        let a = self.b.fmax(a, low);
        self.b.fmin(a, one)
    }

    fn smooth_step(&mut self, a: &[Scalar]) -> Scalar {
        let (from, range) = (self.rsub(a[2], a[0]), self.rsub(a[1], a[0]));
        let t = self.rdiv(from, range);
        let [zero, one, two, three] = [0.0, 1.0, -2.0, 3.0].map(|n| self.real(t, n));
        let t = self.rmax(t, zero);
        let t = self.rmin(t, one);
        let rest = self.rfma(two, t, three);
        let square = self.rmul(t, t);
        self.rmul(square, rest)
    }

    fn int_function(&mut self, inst: &Inst, op: GLOp) -> Result<()> {
        let count = match op {
            GLOp::UClamp | GLOp::SClamp => 3,
            GLOp::UMin | GLOp::SMin | GLOp::UMax | GLOp::SMax => 2,
            _ => 1,
        };
        let mut operands = Vec::new();
        for n in 0..count {
            let id = inst.word(5 + n)?;
            let bits = matches!(op, GLOp::FindILsb | GLOp::FindSMsb | GLOp::FindUMsb);
            match self.leaf_of_id(id)? {
                Leaf::Int(64, _) if bits => return Err(SpirvError::unsupported(format!("64-bit {op:?}"))),
                Leaf::Int(..) => operands.push(self.value(id)?),
                _ => return Err(SpirvError::unsupported(format!("{op:?} of this type"))),
            }
        }
        let leaf = self.leaf_of_id(inst.word(5)?)?;
        for n in 0..count {
            if self.leaf_of_id(inst.word(5 + n)?)?.bits() != leaf.bits() {
                return Err(SpirvError::WrongType(inst.word(5 + n)?));
            }
        }
        let comps = operands[0].len();
        if operands.iter().any(|operand| operand.len() != comps) {
            return Err(SpirvError::WrongType(inst.word(5)?));
        }
        let mut out = Val::new();
        for i in 0..comps {
            let args: Vec<Scalar> = operands.iter().map(|operand| operand[i]).collect();
            if leaf.is_wide() {
                out.push(self.wide_component(op, leaf, &args)?);
                continue;
            }
            let result = self.int_component(op, &args);
            out.push(match op {
                GLOp::FindILsb | GLOp::FindSMsb | GLOp::FindUMsb => result,
                _ => self.normalize(result, leaf),
            });
        }
        self.define(inst, out)
    }

    /// A function of 64-bit integers, by comparisons.
    fn wide_component(&mut self, op: GLOp, leaf: Leaf, a: &[Scalar]) -> Result<Scalar> {
        let (one, ones) = (self.literal(leaf, 1), self.literal(leaf, u64::MAX));
        let mut best = |compare: Op, a: Scalar, b: Scalar| -> Result<Scalar> {
            let first = self.wide_compare(compare, a, b)?;
            Ok(self.choose(first, a, b))
        };
        match op {
            GLOp::UMin => best(Op::ULessThan, a[0], a[1]),
            GLOp::SMin => best(Op::SLessThan, a[0], a[1]),
            GLOp::UMax => best(Op::UGreaterThan, a[0], a[1]),
            GLOp::SMax => best(Op::SGreaterThan, a[0], a[1]),
            GLOp::UClamp => {
                let low = best(Op::UGreaterThan, a[0], a[1])?;
                best(Op::ULessThan, low, a[2])
            }
            GLOp::SClamp => {
                let low = best(Op::SGreaterThan, a[0], a[1])?;
                best(Op::SLessThan, low, a[2])
            }
            GLOp::SAbs => {
                let minus = self.wide_negate(a[0]);
                let positive = self.wide_compare(Op::SGreaterThan, a[0], minus)?;
                Ok(self.choose(positive, a[0], minus))
            }
            _ => {
                let low = best(Op::SGreaterThan, a[0], ones)?;
                best(Op::SLessThan, low, one)
            }
        }
    }

    fn int_component(&mut self, op: GLOp, a: &[Scalar]) -> Scalar {
        let row = |op: GLOp| INTS.iter().find(|row| row.0 == op).unwrap_or(&INTS[0]);
        match op {
            GLOp::SAbs => {
                let zero = self.s32(0);
                let minus = self.two(IrOp::SSub, IrOp::VSub, zero.into(), a[0]);
                self.two(IrOp::SMaxS, IrOp::VMaxS, a[0], minus)
            }
            GLOp::SSign => {
                let (one, minus) = (self.s32(1), self.s32(u32::MAX));
                let low = self.two(IrOp::SMaxS, IrOp::VMaxS, a[0], minus.into());
                self.two(IrOp::SMinS, IrOp::VMinS, low, one.into())
            }
            GLOp::UClamp | GLOp::SClamp => {
                let (max, min) = match op {
                    GLOp::UClamp => (row(GLOp::UMax), row(GLOp::UMin)),
                    _ => (row(GLOp::SMax), row(GLOp::SMin)),
                };
                let low = self.two(max.1, max.2, a[0], a[1]);
                self.two(min.1, min.2, low, a[2])
            }
            GLOp::FindILsb => {
                let value = self.as_v(a[0]);
                self.lowest_bit(value).into()
            }
            GLOp::FindUMsb => {
                let value = self.as_v(a[0]);
                self.highest_bit(value).into()
            }
            GLOp::FindSMsb => {
                let value = self.as_v(a[0]);
                let top = self.v32(31);
                let sign = self.b.vsar(value, top);
                let value = self.b.vxor(value, sign);
                self.highest_bit(value).into()
            }
            op => {
                let row = row(op);
                self.two(row.1, row.2, a[0], a[1])
            }
        }
    }

    /// Number of the lowest bit set; -1 for 0.
    fn lowest_bit(&mut self, value: Value) -> Value {
        let (zero, one, none) = (self.v32(0), self.v32(1), self.v32(u32::MAX));
        let minus = self.b.vsub(zero, value);
        let low = self.b.vand(value, minus);
        let below = self.b.vsub(low, one);
        let count = self.count_bits(below);
        let empty = self.b.veq(value, zero);
        self.b.vselect(empty, none, count)
    }

    /// Number of the highest bit set; -1 for 0.
    pub(super) fn highest_bit(&mut self, mut value: Value) -> Value {
        for by in [1, 2, 4, 8, 16] {
            let by = self.v32(by);
            let moved = self.b.vshr(value, by);
            value = self.b.vor(value, moved);
        }
        let count = self.count_bits(value);
        let one = self.v32(1);
        self.b.vsub(count, one)
    }

    /// Modf, Frexp and Ldexp.
    fn split_float(&mut self, inst: &Inst, op: GLOp) -> Result<()> {
        let id = inst.word(5)?;
        let leaf = self.leaf_of_id(id)?;
        let args = self.reals(id)?;
        if op == GLOp::Ldexp {
            let exponent = inst.word(6)?;
            if !matches!(self.leaf_of_id(exponent)?, Leaf::Int(8 | 16 | 32, _)) {
                return Err(SpirvError::unsupported("ldexp with this exponent"));
            }
            let exponents = self.value(exponent)?;
            if exponents.len() != args.len() {
                return Err(SpirvError::WrongType(exponent));
            }
            let mut out = Val::new();
            for (&x, &e) in args.iter().zip(&exponents) {
                let e = self.as_v(e);
                out.push(if self.is_pair(x) {
                    self.double_ldexp(x, e)
                } else {
                    let result = self.ldexp(x.lo, e);
                    self.round_half(result, leaf).into()
                });
            }
            return self.define(inst, out);
        }
        let modf = matches!(op, GLOp::Modf | GLOp::ModfStruct);
        let (mut first, mut second) = (Val::new(), Val::new());
        for &x in &args {
            let (a, b) = if modf {
                self.modf(x)
            } else if self.is_pair(x) {
                let (significand, exponent) = self.double_frexp(x);
                (significand, exponent.into())
            } else {
                let (significand, exponent) = self.frexp(x.lo);
                (significand.into(), exponent.into())
            };
            first.push(a);
            second.push(b);
        }
        if matches!(op, GLOp::ModfStruct | GLOp::FrexpStruct) {
            first.extend(second);
            return self.define(inst, first);
        }
        let pointer = self.pointer(inst.word(6)?)?;
        self.store(&pointer, &second)?;
        self.define(inst, first)
    }

    /// Fractional and whole part, both with the sign of the argument.
    fn modf(&mut self, x: Scalar) -> (Scalar, Scalar) {
        let whole = self.rround(x, Whole::Truncated);
        let rest = self.rsub(x, whole);
        let zero = self.rzero(x);
        // Also right for infinities.
        let exact = self.req(x, whole);
        (self.blend(exact, zero, rest), whole)
    }

    /// Significand in 0.5..1 and exponent.
    fn frexp(&mut self, x: Value) -> (Value, Value) {
        let magnitude = self.b.fabs(x);
        let least = self.v32(0x0080_0000);
        let small = self.b.vlt_u(magnitude, least);
        let up = self.vf(16_777_216.0);
        let scaled = self.b.fmul(x, up);
        let bits = self.b.vselect(small, scaled, x);
        let (mantissa, low, bias, more) = (self.v32(23), self.v32(0xff), self.v32(126), self.v32(150));
        let exponent = self.b.vshr(bits, mantissa);
        let exponent = self.b.vand(exponent, low);
        let bias = self.b.vselect(small, more, bias);
        let exponent = self.b.vsub(exponent, bias);
        let (keep, half) = (self.v32(0x807f_ffff), self.v32(0x3f00_0000));
        let significand = self.b.vand(bits, keep);
        let significand = self.b.vor(significand, half);
        let (zero, infinity, one) = (self.v32(0), self.v32(0x7f80_0000), self.v32(1));
        // Zero, infinity and NaN are their own significand.
        let special = self.b.vsub(magnitude, one);
        let last = self.b.vsub(infinity, one);
        let ordinary = self.b.vlt_u(special, last);
        let significand = self.b.vselect(ordinary, significand, x);
        (significand, self.b.vselect(ordinary, exponent, zero))
    }

    /// `x * 2^e`, in three steps so that each factor is a normal number.
    fn ldexp(&mut self, x: Value, e: Value) -> Value {
        let (low, high) = (self.v32(-378i32 as u32), self.v32(378));
        let e = self.b.vmax_s(e, low);
        let mut e = self.b.vmin_s(e, high);
        let mut x = x;
        let (most, least) = (self.v32(126), self.v32(-126i32 as u32));
        let (bias, mantissa) = (self.v32(127), self.v32(23));
        for _ in 0..3 {
            let step = self.b.vmin_s(e, most);
            let step = self.b.vmax_s(step, least);
            e = self.b.vsub(e, step);
            let factor = self.b.vadd(step, bias);
            let factor = self.b.vshl(factor, mantissa);
            x = self.b.fmul(x, factor);
        }
        x
    }

    fn pack(&mut self, inst: &Inst, op: GLOp) -> Result<()> {
        let id = inst.word(5)?;
        if let Some(&(_, _, bits, signed)) = PACKS.iter().find(|row| row.0 == op) {
            let values = self.floats(id)?;
            if values.len() != (32 / bits) as usize {
                return Err(SpirvError::WrongType(id));
            }
            let mut word = self.v32(0);
            for (i, &value) in (0..).zip(&values) {
                let field = self.to_norm(value, bits, signed);
                let by = self.v32(i * bits);
                let field = self.b.vshl(field, by);
                word = self.b.vor(word, field);
            }
            return self.define(inst, Val::from_slice(&[word.into()]));
        }
        if op == GLOp::PackHalf2x16 {
            let values = self.floats(id)?;
            let &[low, high] = &values[..] else {
                return Err(SpirvError::WrongType(id));
            };
            let (low, high) = (self.b.ftoh(low), self.b.ftoh(high));
            let by = self.v32(16);
            let high = self.b.vshl(high, by);
            let word = self.b.vor(low, high);
            return self.define(inst, Val::from_slice(&[word.into()]));
        }
        if op == GLOp::PackDouble2x32 || op == GLOp::UnpackDouble2x32 {
            return self.pack_double(inst, op);
        }
        let row = PACKS.iter().find(|row| row.1 == op);
        if row.is_none() && op != GLOp::UnpackHalf2x16 {
            return Err(SpirvError::unsupported(format!("{op:?}")));
        }
        let Leaf::Int(32, _) = self.leaf_of_id(id)? else {
            return Err(SpirvError::WrongType(id));
        };
        let word = self.scalar(id)?;
        let word = self.as_v(word);
        let mut out = Val::new();
        match row {
            Some(&(_, _, bits, signed)) => {
                for i in 0..32 / bits {
                    out.push(self.from_norm(word, i, bits, signed).into());
                }
            }
            None => {
                let by = self.v32(16);
                let high = self.b.vshr(word, by);
                out.push(self.b.htof(word).into());
                out.push(self.b.htof(high).into());
            }
        }
        self.define(inst, out)
    }

    fn pack_double(&mut self, inst: &Inst, op: GLOp) -> Result<()> {
        let id = inst.word(5)?;
        let value = self.value(id)?;
        let words = match (op, self.leaf_of_id(id)?, &value[..]) {
            (GLOp::PackDouble2x32, Leaf::Int(32, _), &[low, high]) => {
                Val::from_slice(&[Scalar::pair(self.as_v(low), self.as_v(high))])
            }
            (GLOp::UnpackDouble2x32, Leaf::Float(64), &[double]) => {
                Val::from_slice(&[double.lo.into(), double.hi.into()])
            }
            _ => return Err(SpirvError::WrongType(id)),
        };
        self.define(inst, words)
    }

    /// A float as a normalized integer of some bits.
    fn to_norm(&mut self, value: Value, bits: u32, signed: bool) -> Value {
        let (low, scale) = if signed {
            (-1.0, (1 << (bits - 1)) - 1)
        } else {
            (0.0, (1 << bits) - 1)
        };
        let value = self.saturate_float(value, low);
        let scale = self.vf(scale as f32);
        let value = self.b.fmul(value, scale);
        let value = self.b.fround(value);
        let value = self.b.ftoi(value);
        let mask = self.v32((1 << bits) - 1);
        self.b.vand(value, mask)
    }

    fn from_norm(&mut self, word: Value, index: u32, bits: u32, signed: bool) -> Value {
        let up = self.v32(32 - bits * (index + 1));
        let down = self.v32(32 - bits);
        let field = self.b.vshl(word, up);
        if !signed {
            let field = self.b.vshr(field, down);
            let value = self.b.utof(field);
            let scale = self.vf(((1u32 << bits) - 1) as f32);
            return self.b.fdiv(value, scale);
        }
        let field = self.b.vsar(field, down);
        let value = self.b.itof(field);
        let scale = self.vf(((1u32 << (bits - 1)) - 1) as f32);
        let value = self.b.fdiv(value, scale);
        self.saturate_float(value, -1.0)
    }
}
