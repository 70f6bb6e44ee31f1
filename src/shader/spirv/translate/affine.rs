//! Values that grow evenly from lane to lane: `base + stride * lane` with a uniform base. A row of words at
//! such offsets is one load or store instead of a gather or scatter.

use super::Translator;
use crate::shader::ir::{Inst, Op, Value};

/// Steps that are followed through a computation.
const MAX_STEPS: u32 = 12;
/// Strides that are of interest.
const MAX_STRIDE: i64 = 4096;

/// `base + stride * lane`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Affine {
    /// `S32`: the value of lane 0.
    pub(super) base: Value,
    pub(super) stride: i64,
}

impl Translator<'_, '_> {
    /// The instruction that gives a value, where it is known.
    fn definition(&self, value: Value) -> Option<&Inst> {
        let (block, at) = self.defs.get(value.index()).copied().flatten()?;
        self.b.func.blocks[block.index()].insts.get(at as usize)
    }

    /// The constant a `V` or `S32` is.
    fn constant_of(&self, value: Value) -> Option<u32> {
        let inst = self.definition(value)?;
        match inst.op {
            Op::VConst | Op::SConst => Some(inst.imm as u32),
            Op::VSplat => self.constant_of(inst.args[0]),
            _ => None,
        }
    }

    /// A `V` as an affine function of the lane.
    pub(super) fn affine(&mut self, value: Value) -> Option<Affine> {
        self.catch_up();
        self.affine_within(value, MAX_STEPS)
    }

    fn affine_within(&mut self, value: Value, steps: u32) -> Option<Affine> {
        let steps = steps.checked_sub(1)?;
        let inst = self.definition(value)?.clone();
        let arg = |n: usize| inst.args[n];
        let result = match inst.op {
            Op::VConst => Affine {
                base: self.s32(inst.imm as u32),
                stride: 0,
            },
            Op::VSplat => Affine {
                base: arg(0),
                stride: 0,
            },
            Op::VIota => Affine {
                base: self.s32(0),
                stride: 1,
            },
            Op::VAdd => {
                let (a, b) = (
                    self.affine_within(arg(0), steps)?,
                    self.affine_within(arg(1), steps)?,
                );
                Affine {
                    base: self.b.sadd(a.base, b.base),
                    stride: a.stride + b.stride,
                }
            }
            Op::VSub => {
                let (a, b) = (
                    self.affine_within(arg(0), steps)?,
                    self.affine_within(arg(1), steps)?,
                );
                Affine {
                    base: self.b.ssub(a.base, b.base),
                    stride: a.stride - b.stride,
                }
            }
            Op::VMul => {
                let (value, factor) = match (self.constant_of(arg(0)), self.constant_of(arg(1))) {
                    (_, Some(factor)) => (arg(0), factor),
                    (Some(factor), _) => (arg(1), factor),
                    _ => return None,
                };
                let a = self.affine_within(value, steps)?;
                let by = self.s32(factor);
                Affine {
                    base: self.b.smul(a.base, by),
                    stride: a.stride.checked_mul(i64::from(factor))?,
                }
            }
            Op::VShl => {
                let by = self.constant_of(arg(1))? & 31;
                let a = self.affine_within(arg(0), steps)?;
                let count = self.s32(by);
                Affine {
                    base: self.b.sshl(a.base, count),
                    stride: a.stride.checked_mul(1 << by)?,
                }
            }
            _ if self.uniform.get(value.index()) == Some(&true) => Affine {
                base: self.read_lane(value),
                stride: 0,
            },
            _ => return None,
        };
        (result.stride.abs() <= MAX_STRIDE).then_some(result)
    }
}
