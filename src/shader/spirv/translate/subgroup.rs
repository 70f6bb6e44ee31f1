//! Subgroup operations, on groups of eight lanes. A wave of sixteen is two subgroups, so results vary even
//! where a subgroup agrees.

use super::Translator;
use super::value::{Scalar, Val};
use crate::shader::ir::{Type, Value};
use crate::shader::spirv::SpirvError;
use crate::shader::spirv::error::Result;
use crate::shader::spirv::parse::Inst;
use crate::shader::spirv::types::Leaf;
use ::spirv::{GroupOperation, Op};

/// A reduction: the operation on two values, and what it does not change.
struct Row(Op, Combine, Neutral);

/// How two values become one.
#[derive(Clone, Copy)]
enum Combine {
    /// An arithmetic or bitwise instruction.
    By(Op),
    /// The smaller or greater, by this comparison.
    Least(Op),
    FMin,
    FMax,
}

/// The neutral element, in terms of a type's bits.
#[derive(Clone, Copy)]
enum Neutral {
    Zero,
    One,
    Ones,
    /// Greatest and least signed value.
    Greatest,
    Least,
    Float(f32),
}

const REDUCTIONS: &[Row] = &[
    Row(Op::GroupNonUniformIAdd, Combine::By(Op::IAdd), Neutral::Zero),
    Row(
        Op::GroupNonUniformFAdd,
        Combine::By(Op::FAdd),
        Neutral::Float(-0.0),
    ),
    Row(Op::GroupNonUniformIMul, Combine::By(Op::IMul), Neutral::One),
    Row(
        Op::GroupNonUniformFMul,
        Combine::By(Op::FMul),
        Neutral::Float(1.0),
    ),
    Row(
        Op::GroupNonUniformSMin,
        Combine::Least(Op::SLessThan),
        Neutral::Greatest,
    ),
    Row(
        Op::GroupNonUniformUMin,
        Combine::Least(Op::ULessThan),
        Neutral::Ones,
    ),
    Row(
        Op::GroupNonUniformFMin,
        Combine::FMin,
        Neutral::Float(f32::INFINITY),
    ),
    Row(
        Op::GroupNonUniformSMax,
        Combine::Least(Op::SGreaterThan),
        Neutral::Least,
    ),
    Row(
        Op::GroupNonUniformUMax,
        Combine::Least(Op::UGreaterThan),
        Neutral::Zero,
    ),
    Row(
        Op::GroupNonUniformFMax,
        Combine::FMax,
        Neutral::Float(f32::NEG_INFINITY),
    ),
    Row(
        Op::GroupNonUniformBitwiseAnd,
        Combine::By(Op::BitwiseAnd),
        Neutral::Ones,
    ),
    Row(
        Op::GroupNonUniformBitwiseOr,
        Combine::By(Op::BitwiseOr),
        Neutral::Zero,
    ),
    Row(
        Op::GroupNonUniformBitwiseXor,
        Combine::By(Op::BitwiseXor),
        Neutral::Zero,
    ),
    Row(
        Op::GroupNonUniformLogicalAnd,
        Combine::By(Op::LogicalAnd),
        Neutral::Ones,
    ),
    Row(
        Op::GroupNonUniformLogicalOr,
        Combine::By(Op::LogicalOr),
        Neutral::Zero,
    ),
    Row(
        Op::GroupNonUniformLogicalXor,
        Combine::By(Op::LogicalNotEqual),
        Neutral::Zero,
    ),
];

/// Patterns that exchange lanes of a quad horizontally, vertically and diagonally.
const SWAPS: [i64; 3] = [0xb1, 0x4e, 0x1b];

impl Translator<'_, '_> {
    /// Emits one of the subgroup instructions.
    pub(super) fn subgroup(&mut self, inst: &Inst) -> Result<()> {
        // The KHR forms of the ballot extension have no scope operand.
        let first = match inst.op {
            Op::SubgroupBallotKHR
            | Op::SubgroupFirstInvocationKHR
            | Op::SubgroupAllKHR
            | Op::SubgroupAnyKHR
            | Op::SubgroupAllEqualKHR
            | Op::SubgroupReadInvocationKHR => 3,
            _ => 4,
        };
        let value = match inst.op {
            Op::GroupNonUniformElect => self.elect(),
            Op::GroupNonUniformAll | Op::SubgroupAllKHR => self.vote(inst.word(first)?, true)?,
            Op::GroupNonUniformAny | Op::SubgroupAnyKHR => self.vote(inst.word(first)?, false)?,
            Op::GroupNonUniformAllEqual | Op::SubgroupAllEqualKHR => self.all_equal(inst.word(first)?)?,
            Op::GroupNonUniformBroadcastFirst | Op::SubgroupFirstInvocationKHR => {
                let value = self.value(inst.word(first)?)?;
                let lane = self.first_lane();
                self.shuffled(&value, lane)?
            }
            Op::GroupNonUniformBallot | Op::SubgroupBallotKHR => self.ballot(inst.word(first)?)?,
            Op::GroupNonUniformInverseBallot
            | Op::GroupNonUniformBallotBitExtract
            | Op::GroupNonUniformBallotBitCount
            | Op::GroupNonUniformBallotFindLSB
            | Op::GroupNonUniformBallotFindMSB => self.ballot_use(inst)?,
            Op::GroupNonUniformBroadcast
            | Op::SubgroupReadInvocationKHR
            | Op::GroupNonUniformShuffle
            | Op::GroupNonUniformShuffleXor
            | Op::GroupNonUniformShuffleUp
            | Op::GroupNonUniformShuffleDown => {
                let value = self.value(inst.word(first)?)?;
                let operand = self.word_operand(inst.word(first + 1)?)?;
                let lane = self.shuffle_lane(inst.op, operand);
                self.shuffled(&value, lane)?
            }
            Op::GroupNonUniformQuadBroadcast | Op::GroupNonUniformQuadSwap => self.quad(inst)?,
            Op::GroupNonUniformRotateKHR => self.rotate(inst)?,
            _ => self.reduction(inst)?,
        };
        self.define(inst, value)
    }

    /// A 32-bit integer operand as a `V`.
    fn word_operand(&mut self, id: u32) -> Result<Value> {
        match self.leaf_of_id(id)? {
            Leaf::Int(8 | 16 | 32, _) => {
                let s = self.scalar(id)?;
                Ok(self.as_v(s))
            }
            _ => Err(SpirvError::WrongType(id)),
        }
    }

    fn bool_operand(&mut self, id: u32) -> Result<Value> {
        match self.leaf_of_id(id)? {
            Leaf::Bool => {
                let s = self.scalar(id)?;
                Ok(self.as_m(s))
            }
            _ => Err(SpirvError::WrongType(id)),
        }
    }

    fn one(&self, value: Value) -> Val {
        Val::from_slice(&[value.into()])
    }

    /// The bit of the lowest running lane of each subgroup.
    fn first_bit(&mut self) -> Value {
        let exec = self.exec();
        let active = self.b.mballot8(exec);
        let zero = self.v32(0);
        let minus = self.b.vsub(zero, active);
        self.b.vand(active, minus)
    }

    fn elect(&mut self) -> Val {
        let first = self.first_bit();
        let lane = self.subgroup_lane();
        let one = self.v32(1);
        let own = self.b.vshl(one, lane);
        let elected = self.b.veq(first, own);
        self.one(elected)
    }

    /// The number of the lowest running lane of each subgroup.
    fn first_lane(&mut self) -> Value {
        let bit = self.first_bit();
        self.bit_number(bit)
    }

    /// The number of the only bit set: the exponent of the value as a float.
    fn bit_number(&mut self, bit: Value) -> Value {
        let float = self.b.utof(bit);
        let (mantissa, bias) = (self.v32(23), self.v32(127));
        let exponent = self.b.vshr(float, mantissa);
        self.b.vsub(exponent, bias)
    }

    fn vote(&mut self, id: u32, all: bool) -> Result<Val> {
        let pred = self.bool_operand(id)?;
        let exec = self.exec();
        let lanes = if all {
            self.b.mandnot(exec, pred)
        } else {
            self.b.mand(exec, pred)
        };
        let ballot = self.b.mballot8(lanes);
        let zero = self.v32(0);
        let result = if all {
            self.b.veq(ballot, zero)
        } else {
            self.b.vne(ballot, zero)
        };
        Ok(self.one(result))
    }

    fn all_equal(&mut self, id: u32) -> Result<Val> {
        let leaf = self.leaf_of_id(id)?;
        let value = self.value(id)?;
        let lane = self.first_lane();
        let first = self.shuffled(&value, lane)?;
        let mut differ = self.mask(false);
        for (&a, &b) in value.iter().zip(&first) {
            let (a, b) = (self.vary(a), self.vary(b));
            let other = match leaf {
                Leaf::Float(64) => {
                    let same = self.req(a, b);
                    let other = self.b.mnot(same);
                    differ = self.b.mor(differ, other);
                    continue;
                }
                Leaf::Bool => self.b.mxor(a.lo, b.lo),
                Leaf::Float(_) => self.b.fne(a.lo, b.lo),
                _ => self.b.vne(a.lo, b.lo),
            };
            differ = self.b.mor(differ, other);
            if self.is_pair(a) {
                let high = self.b.vne(a.hi, b.hi);
                differ = self.b.mor(differ, high);
            }
        }
        let exec = self.exec();
        let lanes = self.b.mand(exec, differ);
        let ballot = self.b.mballot8(lanes);
        let zero = self.v32(0);
        let result = self.b.veq(ballot, zero);
        Ok(self.one(result))
    }

    fn ballot(&mut self, id: u32) -> Result<Val> {
        let pred = self.bool_operand(id)?;
        let exec = self.exec();
        let lanes = self.b.mand(exec, pred);
        let ballot = self.b.mballot8(lanes);
        let zero = self.v32(0);
        Ok([ballot, zero, zero, zero].map(Scalar::from).as_slice().into())
    }

    /// Instructions that take a ballot apart.
    fn ballot_use(&mut self, inst: &Inst) -> Result<Val> {
        let counts = inst.op == Op::GroupNonUniformBallotBitCount;
        let id = inst.word(if counts { 5 } else { 4 })?;
        if !matches!(self.leaf_of_id(id)?, Leaf::Int(32, _)) {
            return Err(SpirvError::WrongType(id));
        }
        let ballot = self.value(id)?;
        let bits = self.as_v(ballot[0]);
        let group = self.v32(0xff);
        let bits = self.b.vand(bits, group);
        let one = self.v32(1);
        let result = match inst.op {
            Op::GroupNonUniformBallotBitCount => {
                let lane = self.subgroup_lane();
                let own = self.b.vshl(one, lane);
                let below = self.b.vsub(own, one);
                let wanted = match GroupOperation::from_u32(inst.word(4)?) {
                    Some(GroupOperation::Reduce) => bits,
                    Some(GroupOperation::InclusiveScan) => {
                        let upto = self.b.vor(below, own);
                        self.b.vand(bits, upto)
                    }
                    Some(GroupOperation::ExclusiveScan) => self.b.vand(bits, below),
                    _ => return Err(SpirvError::unsupported("group operation")),
                };
                self.count_bits(wanted)
            }
            Op::GroupNonUniformBallotFindLSB => {
                let zero = self.v32(0);
                let minus = self.b.vsub(zero, bits);
                let low = self.b.vand(bits, minus);
                self.bit_number(low)
            }
            // The exponent of the value is the number of its highest bit.
            Op::GroupNonUniformBallotFindMSB => self.bit_number(bits),
            op => {
                let lane = match op {
                    Op::GroupNonUniformInverseBallot => self.subgroup_lane(),
                    _ => self.word_operand(inst.word(5)?)?,
                };
                let bit = self.b.vshr(bits, lane);
                let bit = self.b.vand(bit, one);
                let zero = self.v32(0);
                self.b.vne(bit, zero)
            }
        };
        Ok(self.one(result))
    }

    fn shuffle_lane(&mut self, op: Op, operand: Value) -> Value {
        let lane = self.subgroup_lane();
        match op {
            Op::GroupNonUniformShuffleXor => self.b.vxor(lane, operand),
            Op::GroupNonUniformShuffleUp => self.b.vsub(lane, operand),
            Op::GroupNonUniformShuffleDown => self.b.vadd(lane, operand),
            _ => operand,
        }
    }

    /// Each component from another lane of the subgroup.
    fn shuffled(&mut self, value: &Val, lane: Value) -> Result<Val> {
        Ok(value
            .iter()
            .map(|&s| self.move_lanes(s, |t, v| t.b.shuffle8(v, lane)))
            .collect())
    }

    /// Applies a movement of lanes to a scalar of any kind.
    fn move_lanes(&mut self, s: Scalar, mut step: impl FnMut(&mut Self, Value) -> Value) -> Scalar {
        if !self.is_varying(s) {
            return s;
        }
        if self.b.func.ty(s.lo) == Type::M {
            let word = self.mask_word(s.lo);
            let moved = step(self, word);
            let zero = self.v32(0);
            return self.b.vne(moved, zero).into();
        }
        let lo = step(self, s.lo);
        if !self.is_pair(s) {
            return lo.into();
        }
        Scalar::pair(lo, step(self, s.hi))
    }

    /// All ones where a mask is on.
    fn mask_word(&mut self, mask: Value) -> Value {
        let (ones, zero) = (self.v32(u32::MAX), self.v32(0));
        self.b.vselect(mask, ones, zero)
    }

    fn rotate(&mut self, inst: &Inst) -> Result<Val> {
        let value = self.value(inst.word(4)?)?;
        let delta = self.word_operand(inst.word(5)?)?;
        let cluster = match inst.words.get(6) {
            Some(&id) => self.constants.word(id)?,
            None => 8,
        };
        let lane = self.subgroup_lane();
        let (low, high) = (
            self.v32(cluster.wrapping_sub(1) & 7),
            self.v32(!cluster.wrapping_sub(1) & 7),
        );
        let moved = self.b.vadd(lane, delta);
        let moved = self.b.vand(moved, low);
        let first = self.b.vand(lane, high);
        let lane = self.b.vor(first, moved);
        self.shuffled(&value, lane)
    }

    fn quad(&mut self, inst: &Inst) -> Result<Val> {
        let value = self.value(inst.word(4)?)?;
        let operand = inst.word(5)?;
        if inst.op == Op::GroupNonUniformQuadSwap {
            let direction = self.constants.word(operand)? as usize;
            let pattern = *SWAPS.get(direction).ok_or(SpirvError::WrongType(operand))?;
            return Ok(value
                .iter()
                .map(|&s| self.move_lanes(s, |t, v| t.b.quad_swizzle(v, pattern)))
                .collect());
        }
        if let Ok(index) = self.constants.word(operand) {
            let pattern = 0x55 * i64::from(index & 3);
            return Ok(value
                .iter()
                .map(|&s| self.move_lanes(s, |t, v| t.b.quad_swizzle(v, pattern)))
                .collect());
        }
        let index = self.word_operand(operand)?;
        let lane = self.subgroup_lane();
        let (quad, low) = (self.v32(4), self.v32(3));
        let quad = self.b.vand(lane, quad);
        let index = self.b.vand(index, low);
        let lane = self.b.vor(quad, index);
        self.shuffled(&value, lane)
    }

    fn reduction(&mut self, inst: &Inst) -> Result<Val> {
        let row = REDUCTIONS.iter().find(|row| row.0 == inst.op);
        let &Row(_, combine, neutral) =
            row.ok_or_else(|| SpirvError::unsupported(format!("{:?}", inst.op)))?;
        let group = GroupOperation::from_u32(inst.word(4)?);
        let id = inst.word(5)?;
        let leaf = self.leaf_of_id(id)?;
        let cluster = match group {
            Some(GroupOperation::ClusteredReduce) => self.constants.word(inst.word(6)?)?,
            _ => 8,
        };
        let none = self.neutral(neutral, leaf)?;
        let value = self.value(id)?;
        let mut out = Val::new();
        for &s in &value {
            let exec = self.exec();
            let s = self.vary(s);
            let s = self.blend(exec, s, none);
            out.push(match group {
                Some(GroupOperation::Reduce | GroupOperation::ClusteredReduce) => {
                    self.butterfly(combine, leaf, s, cluster)?
                }
                Some(GroupOperation::InclusiveScan) => self.scan(combine, leaf, s, none)?,
                Some(GroupOperation::ExclusiveScan) => {
                    let all = self.scan(combine, leaf, s, none)?;
                    self.shift_up(all, 1, none)
                }
                _ => return Err(SpirvError::unsupported("group operation")),
            });
        }
        Ok(out)
    }

    fn neutral(&mut self, neutral: Neutral, leaf: Leaf) -> Result<Scalar> {
        let ones = u64::MAX >> (64 - leaf.bits().min(64));
        let bits = match (neutral, leaf) {
            (Neutral::Float(value), Leaf::Float(16)) => half::f16::from_f32(value).to_bits().into(),
            (Neutral::Float(value), Leaf::Float(32)) => value.to_bits().into(),
            (Neutral::Float(value), Leaf::Float(64)) => f64::from(value).to_bits(),
            (Neutral::Float(_), _) | (_, Leaf::Float(_) | Leaf::Address) => {
                return Err(SpirvError::unsupported("a subgroup operation of this type"));
            }
            (Neutral::Zero, _) => 0,
            (Neutral::One, _) => 1,
            (Neutral::Ones, _) => ones,
            (Neutral::Greatest, _) => ones >> 1,
            (Neutral::Least, _) => ones ^ ones >> 1,
        };
        let uniform = self.literal(leaf, bits);
        Ok(self.vary(uniform))
    }

    fn combine(&mut self, combine: Combine, leaf: Leaf, a: Scalar, b: Scalar) -> Result<Scalar> {
        match combine {
            Combine::By(op) => self.binary(op, leaf, leaf, leaf, a, b),
            Combine::Least(op) => {
                let first = self.binary(op, leaf, leaf, Leaf::Bool, a, b)?;
                Ok(self.choose(first, a, b))
            }
            Combine::FMin => Ok(self.rmin(a, b)),
            Combine::FMax => Ok(self.rmax(a, b)),
        }
    }

    /// Combines lanes at distances 1, 2 and 4, below the size of a cluster.
    fn butterfly(&mut self, combine: Combine, leaf: Leaf, mut value: Scalar, cluster: u32) -> Result<Scalar> {
        for (distance, pattern) in [(1, Some(SWAPS[0])), (2, Some(SWAPS[1])), (4, None)] {
            if distance >= cluster {
                break;
            }
            let other = self.move_lanes(value, |t, v| match pattern {
                Some(pattern) => t.b.quad_swizzle(v, pattern),
                None => {
                    let lane = t.subgroup_lane();
                    let far = t.v32(4);
                    let lane = t.b.vxor(lane, far);
                    t.b.shuffle8(v, lane)
                }
            });
            value = self.combine(combine, leaf, value, other)?;
        }
        Ok(value)
    }

    /// Inclusive scan.
    fn scan(&mut self, combine: Combine, leaf: Leaf, mut value: Scalar, none: Scalar) -> Result<Scalar> {
        for distance in [1, 2, 4] {
            let below = self.shift_up(value, distance, none);
            value = self.combine(combine, leaf, below, value)?;
        }
        Ok(value)
    }

    /// What the lane `distance` below holds; the neutral element where there is none.
    fn shift_up(&mut self, value: Scalar, distance: u32, none: Scalar) -> Scalar {
        let lane = self.subgroup_lane();
        let by = self.v32(distance);
        let from = self.b.vsub(lane, by);
        let moved = self.move_lanes(value, |t, v| t.b.shuffle8(v, from));
        let there = self.b.vle_u(by, lane);
        self.blend(there, moved, none)
    }
}
