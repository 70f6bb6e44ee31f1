//! Built-in inputs: those that follow from others, and those the stage has.

use super::Translator;
use super::value::Scalar;
use crate::shader::abi::{Context, SUBGROUP_SIZE};
use crate::shader::ir::{Type, Value};
use crate::shader::spirv::SpirvError;
use crate::shader::spirv::error::Result;
use crate::shader::spirv::types::Leaf;
use ::spirv::BuiltIn;
use std::mem::offset_of;

impl Translator<'_, '_> {
    /// Component `n` of a built-in input.
    pub(super) fn load_builtin(&mut self, builtin: BuiltIn, n: u32, leaf: Leaf) -> Result<Scalar> {
        let value = self.builtin_value(builtin, n)?;
        // The stage's form, in the form of the variable's type.
        let ty = self.b.func.ty(value.lo);
        Ok(match (leaf, ty) {
            (Leaf::Bool, Type::S32 | Type::V) => self.nonzero(value),
            (Leaf::Float(_), Type::S32) => self.vary(value),
            (Leaf::Int(..), Type::B | Type::M) => {
                let mask = self.as_m(value);
                let (one, zero) = (self.v32(1), self.v32(0));
                self.b.vselect(mask, one, zero).into()
            }
            _ => value,
        })
    }

    fn builtin_value(&mut self, builtin: BuiltIn, n: u32) -> Result<Scalar> {
        let size = self.entry.interface.workgroup_size;
        Ok(match builtin {
            BuiltIn::LocalInvocationId => self.local_id(n)?,
            BuiltIn::GlobalInvocationId => {
                let group = self.stage_builtin(BuiltIn::WorkgroupId, n)?;
                let local = self.local_id(n)?;
                let size = self.s32(size.get(n as usize).copied().unwrap_or(1));
                let first = self.b.smul(group.lo, size);
                self.add_32(first.into(), local)
            }
            BuiltIn::WorkgroupSize => self.s32(size.get(n as usize).copied().unwrap_or(1)).into(),
            BuiltIn::SubgroupSize => self.s32(SUBGROUP_SIZE).into(),
            BuiltIn::SubgroupLocalInvocationId => self.subgroup_lane().into(),
            BuiltIn::SubgroupId => {
                let index = self.stage_builtin(BuiltIn::LocalInvocationIndex, 0)?;
                let index = self.as_v(index);
                let three = self.v32(3);
                self.b.vshr(index, three).into()
            }
            BuiltIn::NumSubgroups => {
                let lanes = size[0].saturating_mul(size[1]).saturating_mul(size[2]);
                self.s32(lanes.div_ceil(SUBGROUP_SIZE)).into()
            }
            BuiltIn::SubgroupEqMask
            | BuiltIn::SubgroupGeMask
            | BuiltIn::SubgroupGtMask
            | BuiltIn::SubgroupLeMask
            | BuiltIn::SubgroupLtMask => self.subgroup_mask(builtin, n).into(),
            BuiltIn::DeviceIndex => self.s32(0).into(),
            BuiltIn::ViewIndex => self.context_word(offset_of!(Context, view_index)).into(),
            BuiltIn::DrawIndex => self.context_word(offset_of!(Context, draw_index)).into(),
            BuiltIn::HelperInvocation => self.helper().into(),
            _ => self.stage_builtin(builtin, n)?,
        })
    }

    /// A local invocation id. Where a wave lies in one row of the workgroup it follows from the index of
    /// lane 0: x grows with the lane, y and z are uniform.
    fn local_id(&mut self, n: u32) -> Result<Scalar> {
        let size = self.entry.interface.workgroup_size;
        let flat = size[1] == 1 && size[2] == 1;
        if !flat && !size[0].is_multiple_of(self.b.width()) {
            return self.stage_builtin(BuiltIn::LocalInvocationId, n);
        }
        let index = self.stage_builtin(BuiltIn::LocalInvocationIndex, 0)?;
        if flat {
            return Ok(if n == 0 { index } else { self.s32(0).into() });
        }
        let varying = self.as_v(index);
        let Some(first) = self.affine(varying).filter(|affine| affine.stride == 1) else {
            return self.stage_builtin(BuiltIn::LocalInvocationId, n);
        };
        let sizes = size.map(|n| self.s32(n));
        if n == 0 {
            let first = self.b.srem_u(first.base, sizes[0]);
            let first = self.splat(first);
            let lane = self.b.viota();
            return Ok(self.b.vadd(first, lane).into());
        }
        let row = self.b.sdiv_u(first.base, sizes[0]);
        Ok(match n {
            1 => self.b.srem_u(row, sizes[1]),
            _ => self.b.sdiv_u(row, sizes[1]),
        }
        .into())
    }

    /// A built-in of the stage.
    fn stage_builtin(&mut self, builtin: BuiltIn, n: u32) -> Result<Scalar> {
        let value = self.io.load_builtin(self.b, builtin, n);
        let value =
            value.ok_or_else(|| SpirvError::unsupported(format!("built-in {builtin:?} in this stage")))?;
        match self.b.func.ty(value) {
            Type::S64 => Err(SpirvError::unsupported(format!("built-in {builtin:?}"))),
            _ => Ok(value.into()),
        }
    }

    fn context_word(&mut self, offset: usize) -> Value {
        let ctx = self.start.ctx;
        self.b.sload(ctx, offset as i64)
    }

    /// Number of each lane in its subgroup.
    pub(super) fn subgroup_lane(&mut self) -> Value {
        let lane = self.b.viota();
        if self.b.width() == SUBGROUP_SIZE {
            return lane;
        }
        let low = self.v32(SUBGROUP_SIZE - 1);
        self.b.vand(lane, low)
    }

    fn subgroup_mask(&mut self, builtin: BuiltIn, n: u32) -> Value {
        if n != 0 {
            return self.v32(0);
        }
        let lane = self.subgroup_lane();
        let (one, all) = (self.v32(1), self.v32(0xff));
        let equal = self.b.vshl(one, lane);
        let below = self.b.vsub(equal, one);
        match builtin {
            BuiltIn::SubgroupEqMask => equal,
            BuiltIn::SubgroupLtMask => below,
            BuiltIn::SubgroupLeMask => self.b.vor(equal, below),
            BuiltIn::SubgroupGeMask => self.b.vxor(below, all),
            _ => {
                let low = self.b.vor(equal, below);
                self.b.vxor(low, all)
            }
        }
    }

    /// Lanes that run only to complete quads.
    pub(super) fn helper(&mut self) -> Value {
        let coverage = self
            .state
            .as_ref()
            .map_or(self.start.coverage, |state| state.coverage);
        self.b.mnot(coverage)
    }
}
