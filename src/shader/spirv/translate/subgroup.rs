//! Subgroup operations, on groups of eight lanes. A wave of sixteen is two subgroups, so results vary even
//! where a subgroup agrees.

use super::Translator;
use super::value::{Scalar, Val};
use crate::shader::ir::{Op as IrOp, Type, Value};
use crate::shader::spirv::SpirvError;
use crate::shader::spirv::error::Result;
use crate::shader::spirv::parse::Inst;
use crate::shader::spirv::types::Leaf;
use ::spirv::{GroupOperation, Op};

/// A reduction: operation on `V`s (`M`s for bools) and its identity.
struct Row(Op, IrOp, u32);

const REDUCTIONS: &[Row] = &[
    Row(Op::GroupNonUniformIAdd, IrOp::VAdd, 0),
    Row(Op::GroupNonUniformFAdd, IrOp::FAdd, 0x8000_0000),
    Row(Op::GroupNonUniformIMul, IrOp::VMul, 1),
    Row(Op::GroupNonUniformFMul, IrOp::FMul, 0x3f80_0000),
    Row(Op::GroupNonUniformSMin, IrOp::VMinS, 0x7fff_ffff),
    Row(Op::GroupNonUniformUMin, IrOp::VMinU, u32::MAX),
    Row(Op::GroupNonUniformFMin, IrOp::FMin, 0x7f80_0000),
    Row(Op::GroupNonUniformSMax, IrOp::VMaxS, 0x8000_0000),
    Row(Op::GroupNonUniformUMax, IrOp::VMaxU, 0),
    Row(Op::GroupNonUniformFMax, IrOp::FMax, 0xff80_0000),
    Row(Op::GroupNonUniformBitwiseAnd, IrOp::VAnd, u32::MAX),
    Row(Op::GroupNonUniformBitwiseOr, IrOp::VOr, 0),
    Row(Op::GroupNonUniformBitwiseXor, IrOp::VXor, 0),
    Row(Op::GroupNonUniformLogicalAnd, IrOp::VAnd, u32::MAX),
    Row(Op::GroupNonUniformLogicalOr, IrOp::VOr, 0),
    Row(Op::GroupNonUniformLogicalXor, IrOp::VXor, 0),
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
        let &Row(_, op, identity) = row.ok_or_else(|| SpirvError::unsupported(format!("{:?}", inst.op)))?;
        let group = GroupOperation::from_u32(inst.word(4)?);
        let id = inst.word(5)?;
        let leaf = self.leaf_of_id(id)?;
        let float = matches!(op, IrOp::FAdd | IrOp::FMul | IrOp::FMin | IrOp::FMax);
        match leaf {
            Leaf::Float(16 | 32) if float => {}
            Leaf::Int(32, _) if !float => {}
            Leaf::Bool if inst.op as u32 >= Op::GroupNonUniformLogicalAnd as u32 => {}
            _ => return Err(SpirvError::unsupported(format!("{:?} of this type", inst.op))),
        }
        let cluster = match group {
            Some(GroupOperation::ClusteredReduce) => self.constants.word(inst.word(6)?)?,
            _ => 8,
        };
        let value = self.value(id)?;
        let mut out = Val::new();
        for &s in &value {
            let varying = self.vary(s);
            let word = if leaf == Leaf::Bool {
                self.mask_word(varying.lo)
            } else {
                varying.lo
            };
            let (exec, none) = (self.exec(), self.v32(identity));
            let word = self.b.vselect(exec, word, none);
            let result = match group {
                Some(GroupOperation::Reduce | GroupOperation::ClusteredReduce) => {
                    self.butterfly(op, word, cluster)
                }
                Some(GroupOperation::InclusiveScan) => self.scan(op, word, none),
                Some(GroupOperation::ExclusiveScan) => {
                    let all = self.scan(op, word, none);
                    self.shift_up(all, 1, none)
                }
                _ => return Err(SpirvError::unsupported("group operation")),
            };
            out.push(match leaf {
                Leaf::Bool => self.nonzero(result.into()),
                _ => self.round_half(result, leaf).into(),
            });
        }
        Ok(out)
    }

    /// Combines lanes at distances 1, 2 and 4, below the size of a cluster.
    fn butterfly(&mut self, op: IrOp, mut value: Value, cluster: u32) -> Value {
        for (distance, pattern) in [(1, Some(SWAPS[0])), (2, Some(SWAPS[1])), (4, None)] {
            if distance >= cluster {
                break;
            }
            let other = match pattern {
                Some(pattern) => self.b.quad_swizzle(value, pattern),
                None => {
                    let lane = self.subgroup_lane();
                    let far = self.v32(4);
                    let lane = self.b.vxor(lane, far);
                    self.b.shuffle8(value, lane)
                }
            };
            value = self.b.push(op, &[value, other], 0);
        }
        value
    }

    /// Inclusive scan.
    fn scan(&mut self, op: IrOp, mut value: Value, identity: Value) -> Value {
        for distance in [1, 2, 4] {
            let below = self.shift_up(value, distance, identity);
            value = self.b.push(op, &[below, value], 0);
        }
        value
    }

    /// What the lane `distance` below holds; the identity where there is none.
    fn shift_up(&mut self, value: Value, distance: u32, identity: Value) -> Value {
        let lane = self.subgroup_lane();
        let by = self.v32(distance);
        let from = self.b.vsub(lane, by);
        let moved = self.b.shuffle8(value, from);
        let there = self.b.vle_u(by, lane);
        self.b.vselect(there, moved, identity)
    }
}
