//! Which loads give the same value however often and wherever they run within one call of a kernel.
//!
//! That is so for the kernel's context and arguments, but for what the kernel itself stores there, and for what
//! the context points at that nobody may write while a kernel runs: descriptor sets, push constants, dynamic
//! offsets.

use crate::shader::abi::{Context, MAX_SETS};
use crate::shader::ir::{Func, Inst, Op, Value};
use rustc_hash::FxHashMap;
use std::mem::offset_of;

/// Where an address points.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Base {
    /// Into the context, at this displacement.
    Context(i64),
    /// Into the stage's arguments.
    Argument(i64),
    /// At memory that is constant while the kernel runs.
    Constant,
}

/// How freely a load can be moved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Invariance {
    /// Only between the writes around it.
    No,
    /// To where an equal load dominates it.
    Dominated,
    /// Anywhere in the kernel.
    Anywhere,
}

/// The answer for each load of a function.
pub(super) struct Invariants {
    bases: FxHashMap<Value, Base>,
    /// What the kernel stores to in the context and in the arguments: displacement and bytes.
    stored: [Vec<(i64, i64)>; 2],
}

impl Invariants {
    /// Looks at every instruction once. Definitions come before uses but for block parameters, which are never
    /// known.
    pub(super) fn new(func: &Func) -> Invariants {
        let mut found = Invariants {
            bases: FxHashMap::default(),
            stored: [Vec::new(), Vec::new()],
        };
        let params = &func.blocks[0].params;
        for (&param, base) in params.iter().zip([Base::Context(0), Base::Argument(0)]) {
            found.bases.insert(param, base);
        }
        found.stored[0].push((offset_of!(Context, fuel) as i64, 8));
        let mut consts = FxHashMap::default();
        for inst in func.blocks.iter().flat_map(|block| &block.insts) {
            match inst.op {
                Op::LConst => {
                    consts.insert(inst.result, inst.imm);
                }
                Op::LAdd => found.add(inst, &consts),
                // The one that stands in for it does not change either.
                Op::LDescriptor if found.bases.get(&inst.args[0]) == Some(&Base::Constant) => {
                    found.bases.insert(inst.result, Base::Constant);
                }
                Op::LLoad => {
                    if let Some(base) = found.points_at(inst) {
                        found.bases.insert(inst.result, base);
                    }
                }
                op if op.within(Op::SStore, Op::VStoreMasked) => found.store(inst),
                _ => {}
            }
        }
        found
    }

    fn add(&mut self, inst: &Inst, consts: &FxHashMap<Value, i64>) {
        let (a, b) = (inst.args[0], inst.args[1]);
        let base = match (
            self.bases.get(&a),
            self.bases.get(&b),
            consts.get(&a),
            consts.get(&b),
        ) {
            (Some(&base), None, _, Some(&by)) | (None, Some(&base), Some(&by), _) => match base {
                Base::Context(at) => Base::Context(at + by),
                Base::Argument(at) => Base::Argument(at + by),
                Base::Constant => Base::Constant,
            },
            _ => return,
        };
        self.bases.insert(inst.result, base);
    }

    /// What a pointer in the context points at, where that is constant.
    fn points_at(&self, inst: &Inst) -> Option<Base> {
        let Some(Base::Context(at)) = self.bases.get(&inst.args[0]) else {
            return None;
        };
        let at = at + inst.imm;
        let sets = offset_of!(Context, sets) as i64;
        let constant = (sets..sets + 8 * MAX_SETS as i64).contains(&at)
            || at == offset_of!(Context, push) as i64
            || at == offset_of!(Context, dynamic_offsets) as i64;
        constant.then_some(Base::Constant)
    }

    fn store(&mut self, inst: &Inst) {
        let bytes = match inst.op {
            Op::VStore | Op::VStoreMasked => 64,
            _ => 8,
        };
        match self.bases.get(&inst.args[0]) {
            Some(Base::Context(at)) => self.stored[0].push((at + inst.imm, bytes)),
            Some(Base::Argument(at)) => self.stored[1].push((at + inst.imm, bytes)),
            _ => {}
        }
    }

    /// How freely `inst`, a load by uniform address, can be moved.
    pub(super) fn of(&self, inst: &Inst) -> Invariance {
        if !matches!(
            inst.op,
            Op::SLoad | Op::SLoad8 | Op::SLoad16 | Op::LLoad | Op::VLoadSplat | Op::LDescriptor
        ) {
            return Invariance::No;
        }
        let unstored = |space: usize, at: i64| {
            let mut stores = self.stored[space].iter();
            stores.all(|&(stored, bytes)| at + 8 <= stored || stored + bytes <= at)
        };
        match self.bases.get(&inst.args[0]) {
            Some(&Base::Context(at)) if unstored(0, at + inst.imm) => Invariance::Anywhere,
            Some(&Base::Argument(at)) if unstored(1, at + inst.imm) => Invariance::Anywhere,
            Some(Base::Constant) => Invariance::Dominated,
            _ => Invariance::No,
        }
    }
}
