//! Scalars of the translation: uniform or varying, and how to go from one to the other.

use super::Translator;
use crate::shader::ir::{Effect, Op, Type, Value};
use crate::shader::spirv::types::Leaf;
use smallvec::{SmallVec, smallvec};

/// One scalar component of a SPIR-V value.
///
/// Uniform: bool `B`, up to 32 bits `S32`, 64 bits `S64`. Varying: bool `M`, up to 32 bits `V`, 64 bits two
/// `V`s. Floats are always `V`, doubles two. Integers below 32 bits are kept extended to 32 by their signedness, binary16
/// is kept as binary32.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Scalar {
    pub(super) lo: Value,
    /// High word of a varying 64-bit value.
    pub(super) hi: Value,
}

/// A SPIR-V value: its scalar components.
pub(super) type Val = SmallVec<[Scalar; 4]>;

impl From<Value> for Scalar {
    fn from(lo: Value) -> Scalar {
        Scalar { lo, hi: Value::NONE }
    }
}

impl Scalar {
    /// A varying 64-bit value.
    pub(super) fn pair(lo: Value, hi: Value) -> Scalar {
        Scalar { lo, hi }
    }
}

/// Types of the IR values of a scalar.
pub(super) fn scalar_types(leaf: Leaf, varying: bool) -> SmallVec<[Type; 2]> {
    match (leaf, varying) {
        (Leaf::Bool, false) => smallvec![Type::B],
        (Leaf::Bool, true) => smallvec![Type::M],
        (Leaf::Float(16 | 32), _) => smallvec![Type::V],
        (Leaf::Float(_), _) => smallvec![Type::V, Type::V],
        (leaf, false) if leaf.is_wide() => smallvec![Type::S64],
        (leaf, true) if leaf.is_wide() => smallvec![Type::V, Type::V],
        (_, false) => smallvec![Type::S32],
        (_, true) => smallvec![Type::V],
    }
}

impl Translator<'_, '_> {
    /// Whether a scalar is of a varying type.
    pub(super) fn is_varying(&self, s: Scalar) -> bool {
        matches!(self.b.func.ty(s.lo), Type::V | Type::M)
    }

    /// A constant made once in this piece of flow.
    fn constant(&mut self, op: Op, imm: i64) -> Value {
        if let Some(&value) = self.cache.get(&(op, Value::NONE, imm)) {
            return value;
        }
        let value = self.b.push(op, &[], imm);
        self.remember((op, Value::NONE, imm), value);
        value
    }

    /// Uniform 32-bit constant.
    pub(super) fn s32(&mut self, value: u32) -> Value {
        self.constant(Op::SConst, i64::from(value))
    }

    /// Uniform 64-bit constant.
    pub(super) fn s64(&mut self, value: u64) -> Value {
        self.constant(Op::LConst, value as i64)
    }

    /// The same 32 bits in every lane.
    pub(super) fn v32(&mut self, value: u32) -> Value {
        self.constant(Op::VConst, i64::from(value))
    }

    /// The same float in every lane.
    pub(super) fn vf(&mut self, value: f32) -> Value {
        self.v32(value.to_bits())
    }

    /// All lanes on or off.
    pub(super) fn mask(&mut self, on: bool) -> Value {
        self.constant(Op::MConst, i64::from(on))
    }

    /// A uniform truth value.
    pub(super) fn bool(&mut self, on: bool) -> Value {
        self.constant(Op::BConst, i64::from(on))
    }

    /// The constant `bits` of a scalar type.
    pub(super) fn literal(&mut self, leaf: Leaf, bits: u64) -> Scalar {
        match leaf {
            Leaf::Bool => self.bool(bits & 1 != 0).into(),
            Leaf::Float(16) => {
                let value = half::f16::from_bits(bits as u16).to_f32();
                self.vf(value).into()
            }
            Leaf::Float(64) => Scalar::pair(self.v32(bits as u32), self.v32((bits >> 32) as u32)),
            Leaf::Float(_) => self.v32(bits as u32).into(),
            leaf if leaf.is_wide() => self.s64(bits).into(),
            Leaf::Int(8, true) => self.s32(bits as i8 as u32).into(),
            Leaf::Int(16, true) => self.s32(bits as i16 as u32).into(),
            _ => self.s32(bits as u32).into(),
        }
    }

    /// Zero of a scalar type, as a uniform or varying value.
    pub(super) fn zero(&mut self, leaf: Leaf, varying: bool) -> Scalar {
        if varying && leaf == Leaf::Bool {
            return self.mask(false).into();
        }
        let zero = self.literal(leaf, 0);
        if varying { self.vary(zero) } else { zero }
    }

    /// The same scalar as varying values.
    pub(super) fn vary(&mut self, s: Scalar) -> Scalar {
        match self.b.func.ty(s.lo) {
            Type::V | Type::M => s,
            Type::S32 => self.splat(s.lo).into(),
            Type::B => self.spread(s.lo).into(),
            Type::S64 => {
                let (lo, hi) = self.halves(s.lo);
                Scalar::pair(self.splat(lo), self.splat(hi))
            }
        }
    }

    /// A cached conversion of one value.
    fn convert(&mut self, op: Op, value: Value, emit: impl FnOnce(&mut Self) -> Value) -> Value {
        if let Some(&done) = self.cache.get(&(op, value, 0)) {
            return done;
        }
        let done = emit(self);
        self.remember((op, value, 0), done);
        done
    }

    /// `S32` → `V`.
    pub(super) fn splat(&mut self, value: Value) -> Value {
        self.convert(Op::VSplat, value, |t| t.b.vsplat(value))
    }

    /// `B` → `M`.
    fn spread(&mut self, value: Value) -> Value {
        self.convert(Op::MFromBits, value, |t| {
            let (ones, zero) = (t.s32(u32::MAX), t.s32(0));
            let bits = t.b.sselect(value, ones, zero);
            t.b.mfrom_bits(bits)
        })
    }

    /// `S64` → low and high `S32`.
    pub(super) fn halves(&mut self, value: Value) -> (Value, Value) {
        let lo = self.convert(Op::LTrunc, value, |t| t.b.ltrunc(value));
        let hi = self.convert(Op::LShr, value, |t| {
            let by = t.s32(32);
            let high = t.b.lshr(value, by);
            t.b.ltrunc(high)
        });
        (lo, hi)
    }

    /// A 32-bit scalar as a `V`.
    pub(super) fn as_v(&mut self, s: Scalar) -> Value {
        self.vary(s).lo
    }

    /// A bool as an `M`.
    pub(super) fn as_m(&mut self, s: Scalar) -> Value {
        self.vary(s).lo
    }

    /// A varying scalar that is the same in every lane, as a uniform one; `None` where that is not known.
    pub(super) fn as_uniform(&mut self, s: Scalar) -> Option<Scalar> {
        if !self.is_varying(s) {
            return Some(s);
        }
        if !self.is_uniform(s.lo) || (s.hi != Value::NONE && !self.is_uniform(s.hi)) {
            return None;
        }
        if self.b.func.ty(s.lo) == Type::M {
            return Some(self.b.many(s.lo).into());
        }
        let lo = self.read_lane(s.lo);
        if s.hi == Value::NONE {
            return Some(lo.into());
        }
        let hi = self.read_lane(s.hi);
        Some(self.join_halves(lo, hi).into())
    }

    /// Any lane of a value that is the same in all.
    pub(super) fn read_lane(&mut self, value: Value) -> Value {
        self.convert(Op::VReadFirst, value, |t| {
            let all = t.mask(true);
            t.b.vread_first(value, all)
        })
    }

    /// Low and high `S32` → `S64`.
    pub(super) fn join_halves(&mut self, lo: Value, hi: Value) -> Value {
        let (lo, hi) = (self.b.lzext(lo), self.b.lzext(hi));
        let by = self.s32(32);
        let hi = self.b.lshl(hi, by);
        self.b.lor(lo, hi)
    }

    /// `a` in the lanes of the mask, `b` elsewhere.
    pub(super) fn blend(&mut self, mask: Value, a: Scalar, b: Scalar) -> Scalar {
        if a == b {
            return a;
        }
        let (a, b) = (self.vary(a), self.vary(b));
        if self.b.func.ty(a.lo) == Type::M {
            if b.lo == mask {
                return self.b.mand(a.lo, mask).into();
            }
            if a.lo == mask {
                return self.b.mor(mask, b.lo).into();
            }
            let on = self.b.mand(a.lo, mask);
            let off = self.b.mandnot(b.lo, mask);
            return self.b.mor(on, off).into();
        }
        let lo = self.b.vselect(mask, a.lo, b.lo);
        if a.hi == Value::NONE {
            return lo.into();
        }
        Scalar::pair(lo, self.b.vselect(mask, a.hi, b.hi))
    }

    /// Whether a `V` or `M` has the same value in every lane, running or not.
    pub(super) fn is_uniform(&mut self, value: Value) -> bool {
        self.catch_up();
        match self.b.func.ty(value) {
            Type::V | Type::M => self.uniform.get(value.index()).copied().unwrap_or(false),
            _ => true,
        }
    }

    /// Learns what the instructions appended since the last time give.
    pub(super) fn catch_up(&mut self) {
        let block = self.b.block();
        if self.cursor.0 != block {
            // Someone else opened blocks; what is in between stays unknown.
            self.learn(self.cursor.0, self.cursor.1);
            self.cursor = (block, 0);
        }
        self.learn(block, self.cursor.1);
        self.cursor.1 = self.b.func.blocks[block.index()].insts.len();
        self.uniform.resize(self.b.func.types.len(), false);
    }

    fn learn(&mut self, block: crate::shader::ir::BlockId, from: usize) {
        self.uniform.resize(self.b.func.types.len(), false);
        self.defs.resize(self.b.func.types.len(), None);
        let insts = &self.b.func.blocks[block.index()].insts;
        for (at, inst) in (from as u32..).zip(insts.get(from..).unwrap_or(&[])) {
            if inst.result == Value::NONE {
                continue;
            }
            let of = |&arg: &Value| {
                matches!(self.b.func.ty(arg), Type::B | Type::S32 | Type::S64) || self.uniform[arg.index()]
            };
            let uniform = match inst.op {
                Op::VIota => false,
                Op::VLoadSplat => true,
                op => op.info().effect == Effect::Pure && inst.args.iter().all(of),
            };
            self.uniform[inst.result.index()] = uniform;
            self.defs[inst.result.index()] = Some((block, at));
        }
    }
}
