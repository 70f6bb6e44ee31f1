//! GLSL.std.450, by a table of the functions that work component by component; the others by name.

use super::Translator;
use super::pointer::Base;
use super::value::{Scalar, Val};
use crate::shader::ir::{Op as IrOp, Value};
use crate::shader::math;
use crate::shader::spirv::SpirvError;
use crate::shader::spirv::api::{Input, Interpolate, OutputSlot};
use crate::shader::spirv::error::Result;
use crate::shader::spirv::parse::Inst;
use crate::shader::spirv::types::{Leaf, Type};
use ::spirv::{GlslStd450Op as GLOp, Op};

/// Emits one component of a function of floats.
type FloatFn = fn(&mut Translator<'_, '_>, &[Value]) -> Value;

/// Functions of floats: number of operands and what to emit.
const FLOATS: &[(GLOp, usize, FloatFn)] = &[
    (GLOp::Round, 1, |t, a| t.b.fround(a[0])),
    (GLOp::RoundEven, 1, |t, a| t.b.fround(a[0])),
    (GLOp::Trunc, 1, |t, a| t.b.ftrunc(a[0])),
    (GLOp::FAbs, 1, |t, a| t.b.fabs(a[0])),
    (GLOp::FSign, 1, |t, a| t.float_sign(a[0])),
    (GLOp::Floor, 1, |t, a| t.b.ffloor(a[0])),
    (GLOp::Ceil, 1, |t, a| t.b.fceil(a[0])),
    (GLOp::Fract, 1, |t, a| {
        let whole = t.b.ffloor(a[0]);
        t.b.fsub(a[0], whole)
    }),
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
    (GLOp::Sqrt, 1, |t, a| t.b.fsqrt(a[0])),
    (GLOp::InverseSqrt, 1, |t, a| math::inverse_sqrt(t.b, a[0])),
    (GLOp::FMin, 2, |t, a| t.b.fmin(a[1], a[0])),
    (GLOp::FMax, 2, |t, a| t.b.fmax(a[1], a[0])),
    (GLOp::NMin, 2, |t, a| t.number_min(a[0], a[1])),
    (GLOp::NMax, 2, |t, a| t.number_max(a[0], a[1])),
    (GLOp::FClamp, 3, |t, a| {
        let low = t.b.fmax(a[0], a[1]);
        t.b.fmin(low, a[2])
    }),
    (GLOp::NClamp, 3, |t, a| {
        let low = t.number_max(a[0], a[1]);
        t.number_min(low, a[2])
    }),
    (GLOp::FMix, 3, |t, a| {
        let one = t.vf(1.0);
        let rest = t.b.fsub(one, a[2]);
        let first = t.b.fmul(a[0], rest);
        t.b.fma(a[1], a[2], first)
    }),
    (GLOp::Step, 2, |t, a| {
        let below = t.b.flt(a[1], a[0]);
        let (zero, one) = (t.vf(0.0), t.vf(1.0));
        t.b.vselect(below, zero, one)
    }),
    (GLOp::SmoothStep, 3, |t, a| t.smooth_step(a)),
    (GLOp::Fma, 3, |t, a| t.b.fma(a[0], a[1], a[2])),
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
    fn floats(&mut self, id: u32) -> Result<Vec<Value>> {
        match self.leaf_of_id(id)? {
            Leaf::Float(16 | 32) => Ok(self.value(id)?.iter().map(|s| s.lo).collect()),
            _ => Err(SpirvError::WrongType(id)),
        }
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

    fn float_sign(&mut self, a: Value) -> Value {
        let (zero, one, minus) = (self.vf(0.0), self.vf(1.0), self.vf(-1.0));
        let (above, below) = (self.b.flt(zero, a), self.b.flt(a, zero));
        let rest = self.b.vselect(below, minus, zero);
        self.b.vselect(above, one, rest)
    }

    /// Minimum; the other operand where one is a NaN.
    fn number_min(&mut self, a: Value, b: Value) -> Value {
        let least = self.b.fmin(a, b);
        let nan = self.b.funo(b, b);
        self.b.vselect(nan, a, least)
    }

    fn number_max(&mut self, a: Value, b: Value) -> Value {
        let most = self.b.fmax(a, b);
        let nan = self.b.funo(b, b);
        self.b.vselect(nan, a, most)
    }

    fn saturate_float(&mut self, a: Value, low: f32) -> Value {
        let (low, one) = (self.vf(low), self.vf(1.0));
        let a = self.b.fmax(a, low);
        self.b.fmin(a, one)
    }

    fn smooth_step(&mut self, a: &[Value]) -> Value {
        let (from, range) = (self.b.fsub(a[2], a[0]), self.b.fsub(a[1], a[0]));
        let t = self.b.fdiv(from, range);
        let t = self.saturate_float(t, 0.0);
        let (two, three) = (self.vf(-2.0), self.vf(3.0));
        let rest = self.b.fma(two, t, three);
        let square = self.b.fmul(t, t);
        self.b.fmul(square, rest)
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

    fn geometric(&mut self, inst: &Inst, op: GLOp) -> Result<()> {
        let ty = self.result_type(inst)?;
        let leaf = self.types.leaf(ty).ok_or(SpirvError::WrongType(inst.word(2)?))?;
        let first = inst.word(5)?;
        let wrong = Err(SpirvError::WrongType(first));
        let result: Vec<Value> = if matches!(op, GLOp::Determinant | GLOp::MatrixInverse) {
            let m = self.columns(first)?;
            if m.iter().any(|column| column.len() != m.len()) {
                return wrong;
            }
            match op {
                GLOp::Determinant => vec![self.determinant(&m)],
                _ => self.inverse(&m).into_iter().flatten().collect(),
            }
        } else {
            let mut args = Vec::new();
            for &id in inst.rest(5).iter().take(3) {
                args.push(self.floats(id)?);
            }
            let needed = match op {
                GLOp::Length | GLOp::Normalize => 1,
                GLOp::FaceForward | GLOp::Refract => 3,
                _ => 2,
            };
            let vectors = if op == GLOp::Refract { 2 } else { needed };
            if args.len() != needed || args[..vectors].iter().any(|arg| arg.len() != args[0].len()) {
                return wrong;
            }
            if op == GLOp::Cross && args[0].len() != 3 || op == GLOp::Refract && args[2].len() != 1 {
                return wrong;
            }
            self.vector_function(op, &args)
        };
        let value: Val = result
            .into_iter()
            .map(|v| self.round_half(v, leaf).into())
            .collect();
        self.define(inst, value)
    }

    fn length(&mut self, a: &[Value]) -> Value {
        if let [only] = a {
            return self.b.fabs(*only);
        }
        let square = self.dot(a, a, true);
        self.b.fsqrt(square)
    }

    fn vector_function(&mut self, op: GLOp, args: &[Vec<Value>]) -> Vec<Value> {
        let a = &args[0];
        match op {
            GLOp::Length => vec![self.length(a)],
            GLOp::Distance => {
                let difference: Vec<Value> =
                    a.iter().zip(&args[1]).map(|(&a, &b)| self.b.fsub(a, b)).collect();
                vec![self.length(&difference)]
            }
            GLOp::Normalize => {
                let length = self.length(a);
                let one = self.vf(1.0);
                let scale = self.b.fdiv(one, length);
                a.iter().map(|&a| self.b.fmul(a, scale)).collect()
            }
            GLOp::Cross => [(1, 2), (2, 0), (0, 1)]
                .into_iter()
                .map(|(i, j)| {
                    let second = self.b.fmul(a[j], args[1][i]);
                    let second = self.b.fneg(second);
                    self.b.fma(a[i], args[1][j], second)
                })
                .collect(),
            GLOp::FaceForward => {
                let dot = self.dot(&args[2], &args[1], true);
                let zero = self.vf(0.0);
                let towards = self.b.flt(dot, zero);
                a.iter()
                    .map(|&n| {
                        let minus = self.b.fneg(n);
                        self.b.vselect(towards, n, minus)
                    })
                    .collect()
            }
            GLOp::Reflect => {
                let dot = self.dot(&args[1], a, true);
                let minus_two = self.vf(-2.0);
                let factor = self.b.fmul(dot, minus_two);
                a.iter()
                    .zip(&args[1])
                    .map(|(&i, &n)| self.b.fma(factor, n, i))
                    .collect()
            }
            _ => self.refract(a, &args[1], args[2][0]),
        }
    }

    fn refract(&mut self, i: &[Value], n: &[Value], eta: Value) -> Vec<Value> {
        let (zero, one) = (self.vf(0.0), self.vf(1.0));
        let dot = self.dot(n, i, true);
        let minus = self.b.fneg(dot);
        let sine = self.b.fma(minus, dot, one);
        let square = self.b.fmul(eta, eta);
        let square = self.b.fneg(square);
        let k = self.b.fma(square, sine, one);
        let total = self.b.flt(k, zero);
        let root = self.b.fsqrt(k);
        let along = self.b.fma(eta, dot, root);
        let along = self.b.fneg(along);
        i.iter()
            .zip(n)
            .map(|(&i, &n)| {
                let scaled = self.b.fmul(eta, i);
                let bent = self.b.fma(along, n, scaled);
                self.b.vselect(total, zero, bent)
            })
            .collect()
    }

    /// Modf, Frexp and Ldexp.
    fn split_float(&mut self, inst: &Inst, op: GLOp) -> Result<()> {
        let id = inst.word(5)?;
        let leaf = self.leaf_of_id(id)?;
        let args = self.floats(id)?;
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
                let result = self.ldexp(x, e);
                out.push(self.round_half(result, leaf).into());
            }
            return self.define(inst, out);
        }
        let modf = matches!(op, GLOp::Modf | GLOp::ModfStruct);
        let (mut first, mut second) = (Val::new(), Val::new());
        for &x in &args {
            let (a, b) = if modf { self.modf(x) } else { self.frexp(x) };
            first.push(a.into());
            second.push(b.into());
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
    fn modf(&mut self, x: Value) -> (Value, Value) {
        let whole = self.b.ftrunc(x);
        let rest = self.b.fsub(x, whole);
        let sign = self.v32(0x8000_0000);
        let zero = self.b.vand(x, sign);
        // Also right for infinities.
        let exact = self.b.feq(x, whole);
        (self.b.vselect(exact, zero, rest), whole)
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

    /// `interpolateAt…`.
    fn interpolate(&mut self, inst: &Inst, op: GLOp) -> Result<()> {
        let id = inst.word(5)?;
        let pointer = self.pointer(id)?;
        let Base::Input(components, first) = &pointer.base else {
            return Err(SpirvError::unsupported(
                "interpolation of an input with a dynamic index",
            ));
        };
        if matches!(self.types.get(pointer.ty), Type::Struct(..)) {
            return Err(SpirvError::WrongType(id));
        }
        let count = self.types.comps(pointer.ty) as usize;
        let wanted = components
            .get(*first..*first + count)
            .ok_or(SpirvError::WrongType(id))?;
        let place = match op {
            GLOp::InterpolateAtCentroid => Interpolate::Centroid,
            GLOp::InterpolateAtSample => {
                let sample = inst.word(6)?;
                let Leaf::Int(32, _) = self.leaf_of_id(sample)? else {
                    return Err(SpirvError::WrongType(sample));
                };
                let sample = self.scalar(sample)?;
                Interpolate::Sample(self.as_v(sample))
            }
            _ => match self.floats(inst.word(6)?)?[..] {
                [x, y] => Interpolate::Offset(x, y),
                _ => return Err(SpirvError::WrongType(inst.word(6)?)),
            },
        };
        let mut out = Val::new();
        for component in wanted {
            let OutputSlot::Location {
                location,
                component: c,
                ..
            } = component.slot
            else {
                return Err(SpirvError::WrongType(id));
            };
            let input = Input {
                location,
                component: c,
                interpolation: component.interpolation,
            };
            let value = self.io.interpolate_at(self.b, &input, place);
            out.push(
                value
                    .ok_or_else(|| SpirvError::unsupported("interpolation in this stage"))?
                    .into(),
            );
        }
        self.define(inst, out)
    }
}
