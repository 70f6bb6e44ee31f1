//! Constants, with specialization applied, and the arithmetic of `OpSpecConstantOp`.

use super::SpecInfo;
use super::error::{Result, SpirvError};
use super::module::Source;
use super::parse::{CONSTANT_DATA, Inst, SPEC_CONSTANT_DATA};
use super::types::{Leaf, Type, TypeId, Types};
use ::spirv::{Decoration, Op};
use half::f16;
use rustc_hash::FxHashMap;

/// Scalar components of one value that are accepted.
pub(super) const MAX_COMPS: u32 = 1 << 14;

/// Scalar components of data in an instruction that are accepted.
const MAX_DATA: u32 = 1 << 16;

/// A constant's value.
#[derive(Clone, Debug)]
pub(super) enum Data {
    Scalar(u64),
    /// Ids of the constituents.
    Composite(Vec<u32>),
    /// Every scalar component.
    Flat(Vec<u64>),
    /// All zero; also what an undefined value is.
    Null,
}

/// A constant.
#[derive(Clone, Debug)]
pub(super) struct Constant {
    pub(super) ty: TypeId,
    pub(super) data: Data,
}

/// Constants by id.
#[derive(Debug, Default)]
pub(super) struct Constants {
    by_id: FxHashMap<u32, Constant>,
    /// Components kept in [`Data::Flat`], which is bounded.
    flat: usize,
}

impl Constants {
    /// The constant with this id.
    pub(super) fn get(&self, id: u32) -> Option<&Constant> {
        self.by_id.get(&id)
    }

    /// The value of a scalar constant.
    pub(super) fn scalar(&self, id: u32) -> Result<u64> {
        match self.by_id.get(&id).map(|constant| &constant.data) {
            Some(Data::Scalar(value)) => Ok(*value),
            Some(Data::Null) => Ok(0),
            Some(Data::Flat(values)) if values.len() == 1 => Ok(values[0]),
            _ => Err(SpirvError::UnknownId(id)),
        }
    }

    /// The low 32 bits of a scalar constant.
    pub(super) fn word(&self, id: u32) -> Result<u32> {
        Ok(self.scalar(id)? as u32)
    }

    /// Adds what an `OpConstant…`, `OpSpecConstant…` or global `OpUndef` defines.
    pub(super) fn define(
        &mut self,
        source: &Source,
        types: &Types,
        spec: &SpecInfo,
        inst: &Inst,
    ) -> Result<()> {
        let id = inst.word(2)?;
        let ty = types.find(inst.word(1)?)?;
        let given = source
            .decoration_word(id, Decoration::SpecId)
            .and_then(|spec_id| spec.values.iter().find(|value| value.0 == spec_id))
            .map(|value| value.1);
        let bits = types.leaf(ty).map_or(32, Leaf::bits);
        let data = match inst.op {
            Op::ConstantTrue => Data::Scalar(1),
            Op::ConstantFalse => Data::Scalar(0),
            Op::SpecConstantTrue => Data::Scalar(given.map_or(1, |value| u64::from(value as u32 != 0))),
            Op::SpecConstantFalse => Data::Scalar(given.map_or(0, |value| u64::from(value as u32 != 0))),
            Op::Constant | Op::SpecConstant => {
                if !matches!(types.get(ty), Type::Scalar(_)) {
                    return Err(SpirvError::WrongType(id));
                }
                let high = if bits == 64 { u64::from(inst.word(4)?) } else { 0 };
                let literal = u64::from(inst.word(3)?) | high << 32;
                let value = given.filter(|_| inst.op == Op::SpecConstant).unwrap_or(literal);
                Data::Scalar(truncate(value, bits))
            }
            Op::ConstantComposite | Op::SpecConstantComposite => Data::Composite(inst.rest(3).to_vec()),
            CONSTANT_DATA => self.data(types, ty, inst, None)?,
            SPEC_CONSTANT_DATA => {
                let spec_id = source.decoration_word(id, Decoration::SpecId);
                let given = spec.data.iter().find(|data| Some(data.0) == spec_id);
                self.data(types, ty, inst, given.map(|data| &*data.1))?
            }
            Op::ConstantNull | Op::Undef => Data::Null,
            Op::ConstantSizeOfEXT => {
                let of = types.find(inst.word(3)?)?;
                let bytes = types.descriptor_bytes(of).ok_or(SpirvError::WrongType(id))?;
                Data::Scalar(u64::from(bytes))
            }
            Op::SpecConstantOp => self.operation(types, ty, inst)?,
            _ => return Err(SpirvError::unsupported(format!("{:?}", inst.op))),
        };
        self.check(types, ty, id, &data)?;
        self.by_id.insert(id, Constant { ty, data });
        Ok(())
    }

    /// An array whose elements are in the instruction's words, one behind the other, or in what is given instead.
    fn data(&mut self, types: &Types, ty: TypeId, inst: &Inst, given: Option<&[u8]>) -> Result<Data> {
        let wrong = || SpirvError::WrongType(inst.word(2).unwrap_or(0));
        let Type::Array(elem, count, _) = *types.get(ty) else {
            return Err(wrong());
        };
        let (leaf, count) = match *types.get(elem) {
            Type::Scalar(leaf) => (leaf, count),
            Type::Vector(leaf, n) => (leaf, count.saturating_mul(n)),
            _ => return Err(wrong()),
        };
        self.flat += count as usize;
        if count > MAX_DATA || self.flat > 1 << 20 {
            return Err(SpirvError::TooLarge("a constant"));
        }
        let words = || inst.rest(3).iter().flat_map(|word| word.to_le_bytes()).collect();
        let bytes: Vec<u8> = given.map_or_else(words, <[u8]>::to_vec);
        let size = (leaf.bits() / 8) as usize;
        if leaf == Leaf::Bool || size == 0 || bytes.len() < size * count as usize {
            return Err(wrong());
        }
        let value = |bytes: &[u8]| {
            let mut eight = [0; 8];
            eight[..size].copy_from_slice(bytes);
            u64::from_le_bytes(eight)
        };
        let values = bytes.chunks_exact(size).take(count as usize).map(value);
        Ok(Data::Flat(values.collect()))
    }

    /// As [`Constants::flatten`], for constants of up to `most` components.
    pub(super) fn flatten_long(&self, types: &Types, id: u32, most: usize) -> Result<Vec<u64>> {
        let constant = self.get(id).ok_or(SpirvError::UnknownId(id))?;
        if types.comps(constant.ty) as usize > most {
            return Err(SpirvError::TooLarge("a constant"));
        }
        let mut out = Vec::new();
        self.collect(types, id, &mut out)?;
        Ok(out)
    }

    /// Checks the parts of a composite against its type.
    fn check(&self, types: &Types, ty: TypeId, id: u32, data: &Data) -> Result<()> {
        let Data::Composite(parts) = data else {
            return Ok(());
        };
        let wrong = Err(SpirvError::WrongType(id));
        let mut comps = 0u32;
        for &part in parts {
            let part = self.get(part).ok_or(SpirvError::UnknownId(part))?;
            comps = comps.saturating_add(types.comps(part.ty));
        }
        let count = match types.get(ty) {
            Type::Vector(_, n) | Type::Matrix(_, n) | Type::Array(_, n, _) => *n as usize,
            Type::Struct(_, members) => members.len(),
            _ => return wrong,
        };
        if parts.len() != count || comps != types.comps(ty) {
            return wrong;
        }
        Ok(())
    }

    /// Every scalar component of a constant.
    pub(super) fn flatten(&self, types: &Types, id: u32) -> Result<Vec<u64>> {
        let constant = self.get(id).ok_or(SpirvError::UnknownId(id))?;
        if types.comps(constant.ty) > MAX_COMPS {
            return Err(SpirvError::TooLarge("a constant"));
        }
        let mut out = Vec::new();
        self.collect(types, id, &mut out)?;
        Ok(out)
    }

    fn collect(&self, types: &Types, id: u32, out: &mut Vec<u64>) -> Result<()> {
        let constant = self.get(id).ok_or(SpirvError::UnknownId(id))?;
        match &constant.data {
            Data::Scalar(value) => out.push(*value),
            Data::Flat(values) => out.extend_from_slice(values),
            Data::Null => out.resize(out.len() + types.comps(constant.ty) as usize, 0),
            // Parts are defined before the whole, so this ends; the depth is that of the types.
            Data::Composite(parts) => {
                for &part in parts {
                    self.collect(types, part, out)?;
                }
            }
        }
        Ok(())
    }

    fn operation(&mut self, types: &Types, ty: TypeId, inst: &Inst) -> Result<Data> {
        let op =
            Op::from_u32(inst.word(3)?).ok_or_else(|| SpirvError::unsupported("specialization opcode"))?;
        let id = inst.word(2)?;
        let comps = types.comps(ty);
        if comps > MAX_COMPS {
            return Err(SpirvError::TooLarge("a constant"));
        }
        let values = match op {
            Op::CompositeExtract => self.extract(types, inst, comps)?,
            Op::CompositeInsert => self.insert(types, inst)?,
            Op::VectorShuffle => {
                let mut from = self.flatten(types, inst.word(4)?)?;
                from.extend(self.flatten(types, inst.word(5)?)?);
                let pick = |&i: &u32| from.get(i as usize).copied().unwrap_or(0);
                inst.rest(6).iter().map(pick).collect()
            }
            _ => self.componentwise(types, op, ty, inst)?,
        };
        if values.len() != comps as usize {
            return Err(SpirvError::WrongType(id));
        }
        if let (&[value], Type::Scalar(_)) = (&values[..], types.get(ty)) {
            return Ok(Data::Scalar(value));
        }
        self.flat += values.len();
        if self.flat > 1 << 20 {
            return Err(SpirvError::TooLarge("the constants"));
        }
        Ok(Data::Flat(values))
    }

    /// First component and type of what a path of literal indices leads to.
    fn path(&self, types: &Types, mut ty: TypeId, path: &[u32]) -> Result<(usize, u32)> {
        let mut first = 0;
        for (i, &index) in path.iter().enumerate() {
            if let Type::Vector(_, n) = *types.get(ty) {
                return match path.len() - i {
                    1 if index < n => Ok((first + index as usize, 1)),
                    _ => Err(SpirvError::TooLarge("an index")),
                };
            }
            let (elem, offset) = types.element(ty, index).ok_or(SpirvError::TooLarge("an index"))?;
            first += offset as usize;
            ty = elem;
        }
        Ok((first, types.comps(ty)))
    }

    fn extract(&self, types: &Types, inst: &Inst, comps: u32) -> Result<Vec<u64>> {
        let id = inst.word(4)?;
        let values = self.flatten(types, id)?;
        let ty = self.get(id).ok_or(SpirvError::UnknownId(id))?.ty;
        let (first, n) = self.path(types, ty, inst.rest(5))?;
        match values.get(first..first + n as usize) {
            Some(values) if n == comps => Ok(values.to_vec()),
            _ => Err(SpirvError::WrongType(id)),
        }
    }

    fn insert(&self, types: &Types, inst: &Inst) -> Result<Vec<u64>> {
        let object = self.flatten(types, inst.word(4)?)?;
        let id = inst.word(5)?;
        let mut values = self.flatten(types, id)?;
        let ty = self.get(id).ok_or(SpirvError::UnknownId(id))?.ty;
        let (first, n) = self.path(types, ty, inst.rest(6))?;
        match values.get_mut(first..first + n as usize) {
            Some(values) if n as usize == object.len() => values.copy_from_slice(&object),
            _ => return Err(SpirvError::WrongType(id)),
        }
        Ok(values)
    }

    fn componentwise(&self, types: &Types, op: Op, ty: TypeId, inst: &Inst) -> Result<Vec<u64>> {
        let leaf = types.leaf(ty).ok_or(SpirvError::WrongType(inst.word(2)?))?;
        let mut operands = Vec::new();
        let mut bits = leaf.bits();
        for &id in inst.rest(4).iter().take(3) {
            let constant = self.get(id).ok_or(SpirvError::UnknownId(id))?;
            // The first operand decides how wide the operation is (for comparisons and conversions too).
            if operands.is_empty() {
                bits = types.leaf(constant.ty).map_or(32, Leaf::bits);
            }
            operands.push(self.flatten(types, id)?);
        }
        let comps = types.comps(ty) as usize;
        (0..comps)
            .map(|i| {
                let arg = |n: usize| {
                    let values: Option<&Vec<u64>> = operands.get(n);
                    let value = values.and_then(|v| v.get(i).or_else(|| v.first()));
                    value
                        .copied()
                        .ok_or(SpirvError::WrongType(inst.word(2).unwrap_or(0)))
                };
                let value = scalar_op(op, bits, leaf, &arg)?;
                Ok(truncate(value, leaf.bits()))
            })
            .collect()
    }
}

/// Keeps the low `bits`.
fn truncate(value: u64, bits: u32) -> u64 {
    if bits >= 64 {
        value
    } else {
        value & ((1 << bits) - 1)
    }
}

/// Sign-extends the low `bits`.
fn signed(value: u64, bits: u32) -> i64 {
    let shift = 64 - bits.clamp(1, 64);
    ((value << shift) as i64) >> shift
}

/// A float of `from` bits as one of `to` bits, to the nearest, ties to even.
fn convert_float(value: u64, from: u32, to: u32) -> u64 {
    if from == to {
        return value;
    }
    // A double holds every value of the others.
    let wide = match from {
        16 => f16::from_bits(value as u16).to_f64(),
        32 => f32::from_bits(value as u32).into(),
        _ => f64::from_bits(value),
    };
    match to {
        16 => double_to_half(wide).to_bits().into(),
        32 => (wide as f32).to_bits().into(),
        _ => wide.to_bits(),
    }
}

/// The nearest binary16 of a double. Through binary32 it would be rounded twice, unless the first time gives an odd
/// significand wherever something is lost.
pub(super) fn double_to_half(value: f64) -> f16 {
    let near = value as f32;
    let odd = match f64::from(near).partial_cmp(&value) {
        Some(std::cmp::Ordering::Equal) | None => near,
        _ if near.to_bits() & 1 != 0 => near,
        _ if f64::from(near).abs() > value.abs() => f32::from_bits(near.to_bits() - 1),
        _ => f32::from_bits(near.to_bits() + 1),
    };
    f16::from_f32(odd)
}

fn scalar_op(op: Op, bits: u32, to: Leaf, arg: &dyn Fn(usize) -> Result<u64>) -> Result<u64> {
    use Op::*;
    if matches!(op, Select) {
        return Ok(if arg(0)? != 0 { arg(1)? } else { arg(2)? });
    }
    let a = arg(0)?;
    let sa = signed(a, bits);
    let unary = match op {
        SNegate => Some(sa.wrapping_neg() as u64),
        Not => Some(!a),
        LogicalNot => Some(u64::from(a == 0)),
        SConvert => Some(sa as u64),
        UConvert => Some(a),
        FConvert => Some(convert_float(a, bits, to.bits())),
        QuantizeToF16 => {
            let value = f16::from_f32(f32::from_bits(a as u32)).to_f32();
            Some(u64::from(value.to_bits()))
        }
        _ => None,
    };
    if let Some(value) = unary {
        return Ok(value);
    }
    let b = arg(1)?;
    let sb = signed(b, bits);
    let shift = |f: &dyn Fn(u32) -> u64| if b < u64::from(bits) { f(b as u32) } else { 0 };
    Ok(match op {
        IAdd => a.wrapping_add(b),
        ISub => a.wrapping_sub(b),
        IMul => a.wrapping_mul(b),
        UDiv => a.checked_div(b).unwrap_or(u64::MAX),
        UMod => a.checked_rem(b).unwrap_or(a),
        SDiv => match sb {
            0 => u64::MAX,
            _ => sa.wrapping_div(sb) as u64,
        },
        SRem => match sb {
            0 => a,
            _ => sa.wrapping_rem(sb) as u64,
        },
        SMod => match sb {
            0 => a,
            _ => {
                let rem = sa.wrapping_rem(sb);
                (if rem != 0 && (rem < 0) != (sb < 0) {
                    rem.wrapping_add(sb)
                } else {
                    rem
                }) as u64
            }
        },
        ShiftLeftLogical => shift(&|n| a << n),
        ShiftRightLogical => shift(&|n| a >> n),
        ShiftRightArithmetic => shift(&|n| (sa >> n) as u64),
        BitwiseAnd => a & b,
        BitwiseOr => a | b,
        BitwiseXor => a ^ b,
        LogicalAnd => a & b & 1,
        LogicalOr => (a | b) & 1,
        IEqual | LogicalEqual => u64::from(a == b),
        INotEqual | LogicalNotEqual => u64::from(a != b),
        ULessThan => u64::from(a < b),
        ULessThanEqual => u64::from(a <= b),
        UGreaterThan => u64::from(a > b),
        UGreaterThanEqual => u64::from(a >= b),
        SLessThan => u64::from(sa < sb),
        SLessThanEqual => u64::from(sa <= sb),
        SGreaterThan => u64::from(sa > sb),
        SGreaterThanEqual => u64::from(sa >= sb),
        _ => {
            return Err(SpirvError::unsupported(format!(
                "specialization operation {op:?}"
            )));
        }
    })
}
