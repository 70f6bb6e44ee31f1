//! Arithmetic, logic, comparison and conversion, component by component.

use super::Translator;
use super::real::Whole;
use super::value::{Scalar, Val};
use crate::shader::ir::{Op as IrOp, Type, Value};
use crate::shader::spirv::SpirvError;
use crate::shader::spirv::error::Result;
use crate::shader::spirv::parse::Inst;
use crate::shader::spirv::types::Leaf;
use ::spirv::Op;

/// An operation on two integers: uniform and varying form, and whether it takes its operands as signed (which
/// matters for those below 32 bits).
struct IntRow(Op, IrOp, IrOp, Option<bool>);

const INT: &[IntRow] = &[
    IntRow(Op::IAdd, IrOp::SAdd, IrOp::VAdd, None),
    IntRow(Op::ISub, IrOp::SSub, IrOp::VSub, None),
    IntRow(Op::IMul, IrOp::SMul, IrOp::VMul, None),
    IntRow(Op::UDiv, IrOp::SDivU, IrOp::VDivU, Some(false)),
    IntRow(Op::SDiv, IrOp::SDivS, IrOp::VDivS, Some(true)),
    IntRow(Op::UMod, IrOp::SRemU, IrOp::VRemU, Some(false)),
    IntRow(Op::SRem, IrOp::SRemS, IrOp::VRemS, Some(true)),
    IntRow(Op::BitwiseAnd, IrOp::SAnd, IrOp::VAnd, None),
    IntRow(Op::BitwiseOr, IrOp::SOr, IrOp::VOr, None),
    IntRow(Op::BitwiseXor, IrOp::SXor, IrOp::VXor, None),
    IntRow(Op::ShiftLeftLogical, IrOp::SShl, IrOp::VShl, None),
    IntRow(Op::ShiftRightLogical, IrOp::SShr, IrOp::VShr, Some(false)),
    IntRow(Op::ShiftRightArithmetic, IrOp::SSar, IrOp::VSar, Some(true)),
];

/// A comparison of integers: uniform and varying form, operands exchanged, signedness.
struct CompareRow(Op, IrOp, IrOp, bool, Option<bool>);

const COMPARE: &[CompareRow] = &[
    CompareRow(Op::IEqual, IrOp::SEq, IrOp::VEq, false, None),
    CompareRow(Op::INotEqual, IrOp::SNe, IrOp::VNe, false, None),
    CompareRow(Op::ULessThan, IrOp::SLtU, IrOp::VLtU, false, Some(false)),
    CompareRow(Op::ULessThanEqual, IrOp::SLeU, IrOp::VLeU, false, Some(false)),
    CompareRow(Op::UGreaterThan, IrOp::SLtU, IrOp::VLtU, true, Some(false)),
    CompareRow(Op::UGreaterThanEqual, IrOp::SLeU, IrOp::VLeU, true, Some(false)),
    CompareRow(Op::SLessThan, IrOp::SLtS, IrOp::VLtS, false, Some(true)),
    CompareRow(Op::SLessThanEqual, IrOp::SLeS, IrOp::VLeS, false, Some(true)),
    CompareRow(Op::SGreaterThan, IrOp::SLtS, IrOp::VLtS, true, Some(true)),
    CompareRow(Op::SGreaterThanEqual, IrOp::SLeS, IrOp::VLeS, true, Some(true)),
];

/// What is compared of floats; all but the last are false on NaN.
#[derive(Clone, Copy)]
enum Compare {
    Equal,
    Less,
    LessOrEqual,
    Unordered,
}

/// A comparison of floats: what is compared, operands exchanged, result inverted.
struct FloatRow(Op, Compare, bool, bool);

const FLOAT_COMPARE: &[FloatRow] = &[
    FloatRow(Op::FOrdEqual, Compare::Equal, false, false),
    FloatRow(Op::FOrdLessThan, Compare::Less, false, false),
    FloatRow(Op::FOrdGreaterThan, Compare::Less, true, false),
    FloatRow(Op::FOrdLessThanEqual, Compare::LessOrEqual, false, false),
    FloatRow(Op::FOrdGreaterThanEqual, Compare::LessOrEqual, true, false),
    FloatRow(Op::FUnordLessThan, Compare::LessOrEqual, true, true),
    FloatRow(Op::FUnordGreaterThan, Compare::LessOrEqual, false, true),
    FloatRow(Op::FUnordLessThanEqual, Compare::Less, true, true),
    FloatRow(Op::FUnordGreaterThanEqual, Compare::Less, false, true),
    FloatRow(Op::Ordered, Compare::Unordered, false, true),
    FloatRow(Op::Unordered, Compare::Unordered, false, false),
];

const LOGICAL: &[(Op, IrOp, IrOp)] = &[
    (Op::LogicalAnd, IrOp::BAnd, IrOp::MAnd),
    (Op::LogicalOr, IrOp::BOr, IrOp::MOr),
    (Op::LogicalNotEqual, IrOp::BXor, IrOp::MXor),
];

impl Translator<'_, '_> {
    /// An instruction that works component by component.
    pub(super) fn arithmetic(&mut self, inst: &Inst) -> Result<()> {
        match inst.op {
            Op::IAddCarry | Op::ISubBorrow | Op::UMulExtended | Op::SMulExtended => {
                return self.extended(inst);
            }
            Op::Any | Op::All => return self.any_all(inst),
            Op::Bitcast => return self.bitcast(inst),
            Op::ConvertPtrToU | Op::ConvertUToPtr => {
                let value = self.value(inst.word(3)?)?;
                return self.define(inst, value);
            }
            Op::PtrEqual | Op::PtrNotEqual | Op::PtrDiff => return self.compare_pointers(inst),
            _ => {}
        }
        let to = self
            .types
            .leaf(self.result_type(inst)?)
            .ok_or(SpirvError::WrongType(inst.word(2)?))?;
        let mut operands: Vec<(Val, Leaf)> = Vec::new();
        for &id in inst.rest(3) {
            operands.push((self.value(id)?, self.leaf_of_id(id)?));
        }
        let count = operands.first().map_or(0, |operand| operand.0.len());
        // Offset and count of a bit field are scalars, for every component alike.
        let shared = match inst.op {
            Op::BitFieldInsert => 2,
            Op::BitFieldSExtract | Op::BitFieldUExtract => 1,
            _ => operands.len(),
        };
        for (value, _) in operands
            .iter_mut()
            .skip(shared)
            .filter(|(value, _)| value.len() == 1)
        {
            *value = std::iter::repeat_n(value[0], count).collect();
        }
        if operands.iter().any(|operand| operand.0.len() != count) {
            return Err(SpirvError::WrongType(inst.word(2)?));
        }
        let mut out = Val::new();
        for i in 0..count {
            let args: Vec<(Scalar, Leaf)> = operands.iter().map(|(value, leaf)| (value[i], *leaf)).collect();
            out.push(self.component(inst.op, to, &args)?);
        }
        self.define(inst, out)
    }

    fn component(&mut self, op: Op, to: Leaf, args: &[(Scalar, Leaf)]) -> Result<Scalar> {
        match *args {
            [(a, from)] => self.unary(op, from, to, a),
            [(a, from), (b, other)] => self.binary(op, from, other, to, a, b),
            [(a, from), (b, _), (c, _)] => self.bit_field(op, from, a, b, c, None),
            [(a, from), (b, _), (c, _), (d, _)] => self.bit_field(op, from, a, c, d, Some(b)),
            _ => Err(SpirvError::unsupported(format!("{op:?}"))),
        }
    }

    pub(super) fn binary(
        &mut self,
        op: Op,
        from: Leaf,
        other: Leaf,
        to: Leaf,
        a: Scalar,
        b: Scalar,
    ) -> Result<Scalar> {
        match (from, other) {
            (Leaf::Float(x), Leaf::Float(y)) if x == y => self.float_binary(op, to, a, b),
            (Leaf::Bool, Leaf::Bool) => match op {
                Op::LogicalEqual => {
                    let differ = self.logical(Op::LogicalNotEqual, a, b);
                    Ok(self.not(differ))
                }
                _ if LOGICAL.iter().any(|row| row.0 == op) => Ok(self.logical(op, a, b)),
                _ => Err(SpirvError::unsupported(format!("{op:?}"))),
            },
            (Leaf::Int(bits, _), Leaf::Int(other_bits, _)) => {
                let shift = matches!(
                    op,
                    Op::ShiftLeftLogical | Op::ShiftRightLogical | Op::ShiftRightArithmetic
                );
                if bits == 64 && shift {
                    let by = if other_bits == 64 { self.low(b) } else { b };
                    return Ok(self.wide_shift(op, a, by));
                }
                let b = if shift && other_bits == 64 { self.low(b) } else { b };
                if bits != other_bits && !shift {
                    return Err(SpirvError::WrongType(0));
                }
                self.int_binary(op, from, other, to, a, b)
            }
            _ => Err(SpirvError::unsupported(format!("{op:?} of these types"))),
        }
    }

    fn int_binary(
        &mut self,
        op: Op,
        from: Leaf,
        other: Leaf,
        to: Leaf,
        a: Scalar,
        b: Scalar,
    ) -> Result<Scalar> {
        let compare = COMPARE.iter().find(|row| row.0 == op);
        if from.is_wide() {
            return match compare {
                Some(_) => self.wide_compare(op, a, b),
                None => self.wide_binary(op, a, b),
            };
        }
        if let Some(&CompareRow(_, uniform, varying, swap, signed)) = compare {
            let (a, b) = (self.as_signed(a, from, signed), self.as_signed(b, other, signed));
            let (a, b) = if swap { (b, a) } else { (a, b) };
            return Ok(self.two(uniform, varying, a, b));
        }
        if op == Op::SMod {
            let (a, b) = (
                self.as_signed(a, from, Some(true)),
                self.as_signed(b, other, Some(true)),
            );
            let result = self.signed_modulo(a, b);
            return Ok(self.normalize(result, to));
        }
        let row = INT.iter().find(|row| row.0 == op);
        let &IntRow(_, uniform, varying, signed) =
            row.ok_or_else(|| SpirvError::unsupported(format!("{op:?}")))?;
        let (a, b) = (self.as_signed(a, from, signed), self.as_signed(b, other, signed));
        let result = self.two(uniform, varying, a, b);
        Ok(self.normalize(result, to))
    }

    /// An operation on two 32-bit integers or bools, uniform if both are.
    pub(super) fn two(&mut self, uniform: IrOp, varying: IrOp, a: Scalar, b: Scalar) -> Scalar {
        if !self.is_varying(a) && !self.is_varying(b) {
            return self.b.push(uniform, &[a.lo, b.lo], 0).into();
        }
        let (a, b) = (self.vary(a), self.vary(b));
        self.b.push(varying, &[a.lo, b.lo], 0).into()
    }

    /// Operands below 32 bits are kept extended by their type; some operations want the other extension.
    pub(super) fn as_signed(&mut self, s: Scalar, leaf: Leaf, signed: Option<bool>) -> Scalar {
        match (leaf, signed) {
            (Leaf::Int(bits @ (8 | 16), true), Some(false)) => self.zero_extend(s, bits),
            (Leaf::Int(bits @ (8 | 16), false), Some(true)) => self.sign_extend(s, bits),
            _ => s,
        }
    }

    fn zero_extend(&mut self, s: Scalar, bits: u8) -> Scalar {
        let mask = (1u32 << bits) - 1;
        let (uniform, varying) = (self.s32(mask), self.v32(mask));
        let mask = if self.is_varying(s) { varying } else { uniform };
        self.two(IrOp::SAnd, IrOp::VAnd, s, mask.into())
    }

    /// Brings the result of an integer operation below 32 bits into its form.
    pub(super) fn normalize(&mut self, s: Scalar, leaf: Leaf) -> Scalar {
        match leaf {
            Leaf::Int(bits @ (8 | 16), true) => self.sign_extend(s, bits),
            Leaf::Int(bits @ (8 | 16), false) => self.zero_extend(s, bits),
            _ => s,
        }
    }

    fn signed_modulo(&mut self, a: Scalar, b: Scalar) -> Scalar {
        let rem = self.two(IrOp::SRemS, IrOp::VRemS, a, b);
        let moved = self.two(IrOp::SAdd, IrOp::VAdd, rem, b);
        let signs = self.two(IrOp::SXor, IrOp::VXor, rem, b);
        if self.is_varying(rem) {
            let zero = self.v32(0);
            let differ = self.b.vlt_s(signs.lo, zero);
            let some = self.b.vne(rem.lo, zero);
            let adjust = self.b.mand(differ, some);
            return self.b.vselect(adjust, moved.lo, rem.lo).into();
        }
        let zero = self.s32(0);
        let differ = self.b.slt_s(signs.lo, zero);
        let some = self.b.sne(rem.lo, zero);
        let adjust = self.b.band(differ, some);
        self.b.sselect(adjust, moved.lo, rem.lo).into()
    }

    fn float_binary(&mut self, op: Op, to: Leaf, a: Scalar, b: Scalar) -> Result<Scalar> {
        if let Some(&FloatRow(_, compare, swap, invert)) = FLOAT_COMPARE.iter().find(|row| row.0 == op) {
            let (a, b) = if swap { (b, a) } else { (a, b) };
            let result = match compare {
                Compare::Equal => self.req(a, b),
                Compare::Less => self.rlt(a, b),
                Compare::LessOrEqual => self.rle(a, b),
                Compare::Unordered => self.runo(a, b),
            };
            return Ok(if invert { self.b.mnot(result) } else { result }.into());
        }
        let result = match op {
            Op::FUnordNotEqual if !self.is_pair(a) => return Ok(self.b.fne(a.lo, b.lo).into()),
            Op::FUnordNotEqual => {
                let equal = self.req(a, b);
                return Ok(self.b.mnot(equal).into());
            }
            Op::FOrdNotEqual => {
                let (less, greater) = (self.rlt(a, b), self.rlt(b, a));
                return Ok(self.b.mor(less, greater).into());
            }
            Op::FUnordEqual => {
                let (less, greater) = (self.rlt(a, b), self.rlt(b, a));
                let differ = self.b.mor(less, greater);
                return Ok(self.b.mnot(differ).into());
            }
            Op::FMod | Op::FRem => self.float_modulo(op, a, b),
            Op::FAdd => self.radd(a, b),
            Op::FSub => self.rsub(a, b),
            Op::FMul => self.rmul(a, b),
            Op::FDiv => self.rdiv(a, b),
            _ => return Err(SpirvError::unsupported(format!("{op:?}"))),
        };
        Ok(self.round_real(result, to))
    }

    /// `a - b * floor(a / b)`, or with truncation.
    fn float_modulo(&mut self, op: Op, a: Scalar, b: Scalar) -> Scalar {
        let quotient = self.rdiv(a, b);
        let how = if op == Op::FMod {
            Whole::Below
        } else {
            Whole::Truncated
        };
        let whole = self.rround(quotient, how);
        let minus = self.rneg(whole);
        self.rfma(minus, b, a)
    }

    /// Rounds results of binary16 type.
    pub(super) fn round_half(&mut self, value: Value, leaf: Leaf) -> Value {
        if leaf != Leaf::Float(16) {
            return value;
        }
        let half = self.b.ftoh(value);
        self.b.htof(half)
    }

    /// And, or, exclusive or of bools.
    pub(super) fn logical(&mut self, op: Op, a: Scalar, b: Scalar) -> Scalar {
        let row = LOGICAL.iter().find(|row| row.0 == op);
        let &(_, uniform, varying) = row.unwrap_or(&LOGICAL[0]);
        self.two(uniform, varying, a, b)
    }

    /// Not of a bool.
    pub(super) fn not(&mut self, a: Scalar) -> Scalar {
        match self.is_varying(a) {
            true => self.b.mnot(a.lo),
            false => self.b.bnot(a.lo),
        }
        .into()
    }

    fn unary(&mut self, op: Op, from: Leaf, to: Leaf, a: Scalar) -> Result<Scalar> {
        let wrong = || SpirvError::unsupported(format!("{op:?} of this type"));
        match (op, from) {
            (Op::LogicalNot, Leaf::Bool) => Ok(self.not(a)),
            (Op::SNegate, Leaf::Int(64, _)) => Ok(self.wide_negate(a)),
            (Op::Not, Leaf::Int(64, _)) => Ok(self.wide_not(a)),
            (Op::SNegate, Leaf::Int(..)) => {
                let zero = self.s32(0);
                let result = self.two(IrOp::SSub, IrOp::VSub, zero.into(), a);
                Ok(self.normalize(result, to))
            }
            (Op::Not, Leaf::Int(..)) => {
                let ones = self.s32(u32::MAX);
                let result = self.two(IrOp::SXor, IrOp::VXor, a, ones.into());
                Ok(self.normalize(result, to))
            }
            (Op::BitReverse, Leaf::Int(bits, _)) if bits != 64 => {
                let value = self.as_v(a);
                let reversed = self.reverse_bits(value);
                let by = self.v32(32 - u32::from(bits));
                let result = self.b.vshr(reversed, by);
                Ok(self.normalize(result.into(), to))
            }
            (Op::BitReverse, Leaf::Int(64, _)) => {
                let wide = self.vary(a);
                let (low, high) = (self.reverse_bits(wide.hi), self.reverse_bits(wide.lo));
                Ok(Scalar::pair(low, high))
            }
            (Op::BitCount, Leaf::Int(bits, _)) => {
                let count = self.count_bits_of(a, bits);
                // The result may be wider than what is counted.
                Ok(if to.is_wide() {
                    self.extend(count, false)
                } else {
                    count
                })
            }
            (Op::FNegate, Leaf::Float(_)) => Ok(self.rneg(a)),
            (Op::IsNan, Leaf::Float(_)) => Ok(self.runo(a, a).into()),
            (Op::IsInf, Leaf::Float(_)) => {
                let magnitude = self.rabs(a);
                let infinity = self.real(a, f64::INFINITY);
                Ok(self.req(magnitude, infinity).into())
            }
            (Op::QuantizeToF16, Leaf::Float(32)) => Ok(self.quantize(a.lo).into()),
            _ => self.conversion(op, from, to, a).ok_or_else(wrong),
        }
    }

    /// To binary16 and back; what would be denormal becomes zero.
    fn quantize(&mut self, value: Value) -> Value {
        let half = self.b.ftoh(value);
        let back = self.b.htof(half);
        let magnitude = self.b.fabs(back);
        let least = self.v32(0x3880_0000);
        let small = self.b.vlt_u(magnitude, least);
        let sign = self.v32(0x8000_0000);
        let zero = self.b.vand(back, sign);
        self.b.vselect(small, zero, back)
    }

    fn conversion(&mut self, op: Op, from: Leaf, to: Leaf, a: Scalar) -> Option<Scalar> {
        Some(match (op, from, to) {
            (Op::ConvertFToS, Leaf::Float(16 | 32), Leaf::Int(bits, _)) if bits != 64 => {
                let value = self.b.ftoi(a.lo);
                self.normalize(value.into(), to)
            }
            (Op::ConvertFToU, Leaf::Float(16 | 32), Leaf::Int(bits, _)) if bits != 64 => {
                let value = self.b.ftou(a.lo);
                self.normalize(value.into(), to)
            }
            (Op::ConvertFToS | Op::ConvertFToU, Leaf::Float(16 | 32), Leaf::Int(64, _)) => {
                self.wide_from_float(a.lo, op == Op::ConvertFToS)
            }
            (Op::ConvertSToF | Op::ConvertUToF, Leaf::Int(64, _), Leaf::Float(16 | 32)) => {
                let value = self.wide_to_float(a, op == Op::ConvertSToF);
                self.round_half(value, to).into()
            }
            (Op::ConvertSToF, Leaf::Int(bits, _), Leaf::Float(16 | 32)) if bits != 64 => {
                let a = self.as_signed(a, from, Some(true));
                let a = self.as_v(a);
                let value = self.b.itof(a);
                self.round_half(value, to).into()
            }
            (Op::ConvertUToF, Leaf::Int(bits, _), Leaf::Float(16 | 32)) if bits != 64 => {
                let a = self.as_signed(a, from, Some(false));
                let a = self.as_v(a);
                let value = self.b.utof(a);
                self.round_half(value, to).into()
            }
            (Op::FConvert, Leaf::Float(64), Leaf::Float(64)) => a,
            (Op::FConvert, Leaf::Float(16 | 32), Leaf::Float(64)) => self.float_to_double(a.lo),
            (Op::FConvert, Leaf::Float(64), Leaf::Float(bits)) => {
                let value = self.double_to_float(a, bits == 16);
                self.round_half(value, to).into()
            }
            (Op::ConvertFToS | Op::ConvertFToU, Leaf::Float(64), Leaf::Int(bits, _)) => {
                let signed = op == Op::ConvertFToS;
                match bits {
                    64 => self.wide_from_double(a, signed),
                    _ => {
                        let value = self.narrow_from_double(a, signed);
                        self.normalize(value, to)
                    }
                }
            }
            (Op::ConvertSToF | Op::ConvertUToF, Leaf::Int(bits, _), Leaf::Float(64)) => {
                let signed = op == Op::ConvertSToF;
                let wide = match bits {
                    64 => a,
                    _ => {
                        let a = self.as_signed(a, from, Some(signed));
                        self.extend(a, signed)
                    }
                };
                self.wide_to_double(wide, signed)
            }
            (Op::FConvert, Leaf::Float(16 | 32), Leaf::Float(16 | 32)) => self.round_half(a.lo, to).into(),
            (Op::SConvert | Op::UConvert, Leaf::Int(..), Leaf::Int(64, _)) => {
                if from.is_wide() {
                    return Some(a);
                }
                let signed = op == Op::SConvert;
                let a = self.as_signed(a, from, Some(signed));
                self.extend(a, signed)
            }
            (Op::SConvert | Op::UConvert, Leaf::Int(..), Leaf::Int(..)) => {
                let a = if from.is_wide() { self.low(a) } else { a };
                let a = match from.is_wide() {
                    true => a,
                    false => self.as_signed(a, from, Some(op == Op::SConvert)),
                };
                self.normalize(a, to)
            }
            _ => return None,
        })
    }

    fn any_all(&mut self, inst: &Inst) -> Result<()> {
        let id = inst.word(3)?;
        if self.leaf_of_id(id)? != Leaf::Bool {
            return Err(SpirvError::WrongType(id));
        }
        let value = self.value(id)?;
        let op = if inst.op == Op::Any {
            Op::LogicalOr
        } else {
            Op::LogicalAnd
        };
        let mut rest = value.iter().copied();
        let mut result = rest.next().ok_or(SpirvError::WrongType(id))?;
        for s in rest {
            result = self.logical(op, result, s);
        }
        self.define(inst, [result].as_slice().into())
    }

    /// `OpIAddCarry` and its like: a structure of two values.
    fn extended(&mut self, inst: &Inst) -> Result<()> {
        let (a, b) = (inst.word(3)?, inst.word(4)?);
        let wrong = Err(SpirvError::WrongType(a));
        let (x, y) = (self.leaf_of_id(a)?, self.leaf_of_id(b)?);
        if !matches!((x, y), (Leaf::Int(32, _), Leaf::Int(32, _))) {
            return wrong;
        }
        let (a, b) = (self.value(a)?, self.value(b)?);
        if a.len() != b.len() {
            return wrong;
        }
        let (mut low, mut high) = (Val::new(), Val::new());
        for (&a, &b) in a.iter().zip(&b) {
            let (a, b) = (self.as_v(a), self.as_v(b));
            let (one, zero) = (self.v32(1), self.v32(0));
            let (lo, hi) = match inst.op {
                Op::IAddCarry => {
                    let sum = self.b.vadd(a, b);
                    let carry = self.b.vlt_u(sum, a);
                    (sum, self.b.vselect(carry, one, zero))
                }
                Op::ISubBorrow => {
                    let borrow = self.b.vlt_u(a, b);
                    (self.b.vsub(a, b), self.b.vselect(borrow, one, zero))
                }
                Op::UMulExtended => (self.b.vmul(a, b), self.b.vmulhi_u(a, b)),
                _ => (self.b.vmul(a, b), self.b.vmulhi_s(a, b)),
            };
            low.push(lo.into());
            high.push(hi.into());
        }
        low.extend(high);
        self.define(inst, low)
    }

    fn bitcast(&mut self, inst: &Inst) -> Result<()> {
        let id = inst.word(3)?;
        let wrong = Err(SpirvError::WrongType(id));
        let value = self.value(id)?;
        let from = self
            .types
            .leaf(self.type_of(id)?)
            .ok_or(SpirvError::WrongType(id))?;
        let to = self
            .types
            .leaf(self.result_type(inst)?)
            .ok_or(SpirvError::WrongType(id))?;
        if from == Leaf::Bool || to == Leaf::Bool {
            return wrong;
        }
        if from.bits() == to.bits() {
            let cast = value.iter().map(|&s| self.recast(s, from, to)).collect();
            return self.define(inst, cast);
        }
        // Through 32-bit words, low first.
        let mut words = Val::new();
        let total = value.len() * from.bits() as usize;
        match from.bits() {
            64 => {
                for &s in &value {
                    let (lo, hi) = self.words(s);
                    words.extend([lo, hi]);
                }
            }
            32 => words.extend(value),
            bits => {
                let per = (32 / bits) as usize;
                // What does not fill a word becomes something narrow too.
                if value.len() % per != 0 && to.bits() >= 32 {
                    return wrong;
                }
                for chunk in value.chunks(per) {
                    let mut word = self.v32(0);
                    for (i, &s) in (0u32..).zip(chunk) {
                        let raw = self.raw_bits(s, from);
                        let by = self.v32(i * bits);
                        let moved = self.b.vshl(raw, by);
                        word = self.b.vor(word, moved);
                    }
                    words.push(word.into());
                }
            }
        }
        let mut out = Val::new();
        match to.bits() {
            64 => {
                if !words.len().is_multiple_of(2) {
                    return wrong;
                }
                for pair in words.chunks(2) {
                    let word = self.pair_of(pair[0], pair[1]);
                    out.push(self.recast(word, Leaf::Int(64, false), to));
                }
            }
            32 => {
                for &word in &words {
                    out.push(self.recast(word, Leaf::Int(32, false), to));
                }
            }
            bits => {
                let count = total / bits as usize;
                for &word in &words {
                    let word = self.as_v(word);
                    let left = (count - out.len()).min((32 / bits) as usize) as u32;
                    for i in 0..left {
                        let by = self.v32(i * bits);
                        let moved = self.b.vshr(word, by);
                        out.push(self.from_raw(moved, to));
                    }
                }
            }
        }
        self.define(inst, out)
    }

    /// Two words as a 64-bit value.
    fn pair_of(&mut self, lo: Scalar, hi: Scalar) -> Scalar {
        if !self.is_varying(lo) && !self.is_varying(hi) {
            return self.join_halves(lo.lo, hi.lo).into();
        }
        Scalar::pair(self.as_v(lo), self.as_v(hi))
    }

    /// The same bits as another type of the same size.
    fn recast(&mut self, s: Scalar, from: Leaf, to: Leaf) -> Scalar {
        match (from, to) {
            (Leaf::Float(16), _) | (_, Leaf::Float(16)) => {
                let raw = self.raw_bits(s, from);
                self.from_raw(raw, to)
            }
            (_, Leaf::Float(_)) => self.vary(s),
            (Leaf::Float(_), _) => self.as_uniform_word(s),
            _ => self.normalize(s, to),
        }
    }

    /// A float's bits as an integer, uniform if they are the same in every lane.
    fn as_uniform_word(&mut self, s: Scalar) -> Scalar {
        self.as_uniform(s).unwrap_or(s)
    }

    /// Bits of a value below 32 bits in the low bits of a `V`.
    fn raw_bits(&mut self, s: Scalar, from: Leaf) -> Value {
        match from {
            Leaf::Float(16) => self.half_bits(s.lo),
            Leaf::Int(bits @ (8 | 16), true) => {
                let s = self.zero_extend(s, bits);
                self.as_v(s)
            }
            _ => self.as_v(s),
        }
    }

    fn from_raw(&mut self, raw: Value, to: Leaf) -> Scalar {
        match to {
            Leaf::Float(16) => self.half_of(raw).into(),
            _ => self.normalize(raw.into(), to),
        }
    }

    /// `OpBitFieldInsert`, `OpBitField…Extract`.
    fn bit_field(
        &mut self,
        op: Op,
        leaf: Leaf,
        base: Scalar,
        offset: Scalar,
        count: Scalar,
        insert: Option<Scalar>,
    ) -> Result<Scalar> {
        let Leaf::Int(bits, _) = leaf else {
            return Err(SpirvError::unsupported(format!("{op:?} of this type")));
        };
        // Beyond the width they are undefined, so the low words are all that counts.
        let (offset, count) = (self.low(offset), self.low(count));
        let known = matches!(
            (op, insert.is_some()),
            (Op::BitFieldInsert, true) | (Op::BitFieldSExtract | Op::BitFieldUExtract, false)
        );
        let narrow = |t: &Self, s: Scalar| !matches!(t.b.func.ty(s.lo), Type::S64 | Type::B | Type::M);
        if known && bits == 64 {
            return Ok(self.wide_bit_field(op, base, offset, count, insert));
        }
        // Narrower integers are kept in words, so a field of theirs is one of the word.
        if !known || !narrow(self, offset) || !narrow(self, count) || insert.is_some_and(|s| !narrow(self, s))
        {
            return Err(SpirvError::unsupported(format!("{op:?} of these types")));
        }
        let (base, offset, count) = (self.as_v(base), self.as_v(offset), self.as_v(count));
        let (ones, zero, word) = (self.v32(u32::MAX), self.v32(0), self.v32(32));
        // Shifts count modulo 32: a field of no bits is a case of its own.
        let rest = self.b.vsub(word, count);
        let none = self.b.veq(count, zero);
        if let Some(insert) = insert {
            let insert = self.as_v(insert);
            let mask = self.b.vshr(ones, rest);
            let mask = self.b.vselect(none, zero, mask);
            let mask = self.b.vshl(mask, offset);
            let moved = self.b.vshl(insert, offset);
            let moved = self.b.vand(moved, mask);
            let outside = self.b.vxor(mask, ones);
            let kept = self.b.vand(base, outside);
            let merged = self.b.vor(kept, moved);
            return Ok(self.normalize(merged.into(), leaf));
        }
        let up = self.b.vsub(rest, offset);
        let moved = self.b.vshl(base, up);
        let field = match op {
            Op::BitFieldSExtract => self.b.vsar(moved, rest),
            _ => self.b.vshr(moved, rest),
        };
        let field = self.b.vselect(none, zero, field);
        Ok(self.normalize(field.into(), leaf))
    }

    /// Population count of an integer of any width, as 32 bits.
    fn count_bits_of(&mut self, a: Scalar, bits: u8) -> Scalar {
        if bits != 64 {
            let value = if bits == 32 { a } else { self.zero_extend(a, bits) };
            let value = self.as_v(value);
            return self.count_bits(value).into();
        }
        let (low, high) = self.words(a);
        let (low, high) = (self.as_v(low), self.as_v(high));
        let (low, high) = (self.count_bits(low), self.count_bits(high));
        self.b.vadd(low, high).into()
    }

    /// Population count.
    pub(super) fn count_bits(&mut self, value: Value) -> Value {
        let masks = [0x5555_5555, 0x3333_3333, 0x0f0f_0f0f].map(|mask| self.v32(mask));
        let by = [1, 2, 4, 24].map(|n| self.v32(n));
        let high = self.b.vshr(value, by[0]);
        let high = self.b.vand(high, masks[0]);
        let pairs = self.b.vsub(value, high);
        let low = self.b.vand(pairs, masks[1]);
        let high = self.b.vshr(pairs, by[1]);
        let high = self.b.vand(high, masks[1]);
        let nibbles = self.b.vadd(low, high);
        let high = self.b.vshr(nibbles, by[2]);
        let bytes = self.b.vadd(nibbles, high);
        let bytes = self.b.vand(bytes, masks[2]);
        let all = self.v32(0x0101_0101);
        let sum = self.b.vmul(bytes, all);
        self.b.vshr(sum, by[3])
    }

    /// Bits in the opposite order.
    pub(super) fn reverse_bits(&mut self, mut value: Value) -> Value {
        for (mask, by) in [
            (0x5555_5555, 1),
            (0x3333_3333, 2),
            (0x0f0f_0f0f, 4),
            (0x00ff_00ff, 8),
        ] {
            let (mask, by) = (self.v32(mask), self.v32(by));
            let high = self.b.vshr(value, by);
            let high = self.b.vand(high, mask);
            let low = self.b.vand(value, mask);
            let low = self.b.vshl(low, by);
            value = self.b.vor(high, low);
        }
        let by = self.v32(16);
        let (high, low) = (self.b.vshr(value, by), self.b.vshl(value, by));
        self.b.vor(high, low)
    }
}
