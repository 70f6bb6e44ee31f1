//! Global value numbering with constant folding and algebraic identities, in one walk over the dominator tree.
//!
//! Loads are merged within a block as long as nothing between them writes; invariant ones as if they were pure.

use super::invariant::{Invariance, Invariants};
use crate::shader::guard::Guard;
use crate::shader::interp::{self, Operand};
use crate::shader::ir::{Cfg, Dominators, Effect, Func, Inst, Op, Terminator, Type, Value};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

type Key = (Op, SmallVec<[Value; 4]>, i64);

/// Runs the pass.
pub(super) fn run(func: &mut Func) {
    let cfg = Cfg::new(func);
    let dominators = Dominators::new(&cfg);
    let mut pass = Gvn {
        replaced: (0..func.types.len() as u32).map(Value).collect(),
        consts: vec![None; func.types.len()],
        table: FxHashMap::default(),
        invariants: Invariants::new(func),
    };
    // Children of each position in the dominator tree; positions are in reverse post-order.
    let mut children = vec![Vec::new(); cfg.order.len()];
    for i in 1..cfg.order.len() {
        children[dominators.idom(i)].push(i);
    }
    // (position, keys added on entry to be removed on exit)
    enum Step {
        Enter(usize),
        Leave(Vec<Key>),
    }
    let mut stack = vec![Step::Enter(0)];
    while let Some(step) = stack.pop() {
        match step {
            Step::Enter(at) => {
                let added = pass.block(func, cfg.order[at].index());
                stack.push(Step::Leave(added));
                stack.extend(children[at].iter().rev().map(|&child| Step::Enter(child)));
            }
            Step::Leave(keys) => keys.iter().for_each(|key| {
                pass.table.remove(key);
            }),
        }
    }
    pass.rename_terminators(func);
}

struct Gvn {
    replaced: Vec<Value>,
    consts: Vec<Option<i64>>,
    table: FxHashMap<Key, Value>,
    invariants: Invariants,
}

impl Gvn {
    /// Numbers one block; gives the keys that hold in the blocks it dominates.
    fn block(&mut self, func: &mut Func, at: usize) -> Vec<Key> {
        let mut added = Vec::new();
        let mut loads: Vec<Key> = Vec::new();
        let insts = std::mem::take(&mut func.blocks[at].insts);
        let mut kept = Vec::with_capacity(insts.len());
        for mut inst in insts {
            for arg in &mut inst.args {
                *arg = self.replaced[arg.index()];
            }
            let effect = match inst.op.info().effect {
                Effect::Read if self.invariants.of(&inst) != Invariance::No => Effect::Pure,
                effect => effect,
            };
            if effect == Effect::Write {
                self.forget(&mut loads);
                kept.push(inst);
                continue;
            }
            if effect == Effect::Guard {
                // Guards write nothing, and what one lets through its equals let through.
                let key = guard_key(&inst);
                if !self.table.contains_key(&key) {
                    self.table.insert(key.clone(), Value::NONE);
                    added.push(key);
                    kept.push(inst);
                }
                continue;
            }
            if effect == Effect::Pure
                && let Some(value) = self.simplify(func, &mut inst)
            {
                self.replaced[inst.result.index()] = value;
                continue;
            }
            let key = (inst.op, inst.args.clone(), inst.imm);
            if let Some(&value) = self.table.get(&key) {
                self.replaced[inst.result.index()] = value;
                continue;
            }
            if is_const(inst.op) {
                self.consts[inst.result.index()] = Some(inst.imm);
            }
            self.table.insert(key.clone(), inst.result);
            if effect == Effect::Read {
                loads.push(key);
            } else {
                added.push(key);
            }
            kept.push(inst);
        }
        self.forget(&mut loads);
        func.blocks[at].insts = kept;
        added
    }

    fn forget(&mut self, keys: &mut Vec<Key>) {
        for key in keys.drain(..) {
            self.table.remove(&key);
        }
    }

    /// Folds constants in place; or gives an existing value that equals the instruction.
    fn simplify(&self, func: &Func, inst: &mut Inst) -> Option<Value> {
        if is_const(inst.op) {
            inst.imm = canonical(inst.op, inst.imm);
            return None;
        }
        if let Some(value) = self.identity(inst) {
            return Some(value);
        }
        self.fold(func, inst);
        order_operands(inst);
        None
    }

    fn constant(&self, value: Value) -> Option<i64> {
        self.consts[value.index()]
    }

    /// Algebraic identities that are exact for every operand.
    fn identity(&self, inst: &Inst) -> Option<Value> {
        let arg = |i: usize| inst.args[i];
        let is = |i: usize, x: i64| inst.args.get(i).is_some_and(|&v| self.constant(v) == Some(x));
        const ONES: i64 = 0xffff_ffff;
        match inst.op {
            Op::SAdd
            | Op::LAdd
            | Op::VAdd
            | Op::SOr
            | Op::VOr
            | Op::LOr
            | Op::SXor
            | Op::VXor
            | Op::MOr
            | Op::BOr
            | Op::MXor
                if is(1, 0) =>
            {
                Some(arg(0))
            }
            Op::SAdd
            | Op::LAdd
            | Op::VAdd
            | Op::SOr
            | Op::VOr
            | Op::LOr
            | Op::SXor
            | Op::VXor
            | Op::MOr
            | Op::BOr
            | Op::MXor
                if is(0, 0) =>
            {
                Some(arg(1))
            }
            Op::SSub
            | Op::LSub
            | Op::VSub
            | Op::SShl
            | Op::SShr
            | Op::SSar
            | Op::VShl
            | Op::VShr
            | Op::VSar
            | Op::LShl
            | Op::LShr
            | Op::MAndNot
                if is(1, 0) =>
            {
                Some(arg(0))
            }
            Op::SMul | Op::LMul | Op::VMul | Op::MAnd | Op::BAnd | Op::SDivU | Op::VDivU if is(1, 1) => {
                Some(arg(0))
            }
            Op::SMul | Op::LMul | Op::VMul | Op::MAnd | Op::BAnd if is(0, 1) => Some(arg(1)),
            Op::SAnd | Op::VAnd if is(1, ONES) => Some(arg(0)),
            Op::SAnd | Op::VAnd if is(0, ONES) => Some(arg(1)),
            Op::SAnd | Op::VAnd | Op::LAnd | Op::SMul | Op::VMul | Op::MAnd | Op::BAnd if is(1, 0) => {
                Some(arg(1))
            }
            Op::SAnd | Op::VAnd | Op::LAnd | Op::SMul | Op::VMul | Op::MAnd | Op::BAnd if is(0, 0) => {
                Some(arg(0))
            }
            Op::MOr | Op::BOr if is(0, 1) => Some(arg(0)),
            Op::MOr | Op::BOr if is(1, 1) => Some(arg(1)),
            Op::MAnd | Op::MOr | Op::BAnd | Op::BOr | Op::SAnd | Op::SOr | Op::VAnd | Op::VOr
                if arg(0) == arg(1) =>
            {
                Some(arg(0))
            }
            Op::VSelect | Op::SSelect | Op::LSelect if arg(1) == arg(2) => Some(arg(1)),
            Op::VSelect | Op::SSelect | Op::LSelect => match self.constant(arg(0)) {
                Some(0) => Some(arg(2)),
                Some(_) => Some(arg(1)),
                None => None,
            },
            _ => None,
        }
    }

    /// Replaces an instruction whose operands are all constants by a constant, where one can say its value.
    fn fold(&self, func: &Func, inst: &mut Inst) {
        let op = inst.op;
        if inst.args.is_empty() || matches!(op, Op::VIota) {
            return;
        }
        let Some(consts) = inst
            .args
            .iter()
            .map(|&arg| self.constant(arg))
            .collect::<Option<Vec<i64>>>()
        else {
            return;
        };
        let full = if func.width == 16 { 0xffff } else { 0xff };
        let operands: Vec<Operand> = consts
            .iter()
            .zip(op.info().args)
            .map(|(&x, ty)| match ty {
                Type::V => Operand::Lanes([x as u32; interp::MAX_WIDTH]),
                Type::M => Operand::Scalar(if x != 0 { full } else { 0 }),
                Type::S32 | Type::B => Operand::Scalar(u64::from(x as u32)),
                Type::S64 => Operand::Scalar(x as u64),
            })
            .collect();
        let folded = match (
            op.info().result,
            interp::evaluate(func.width, op, inst.imm, &operands),
        ) {
            (Some(Type::V), Some(Operand::Lanes(x)))
                if x[..func.width as usize].iter().all(|&y| y == x[0]) =>
            {
                Some((Op::VConst, i64::from(x[0])))
            }
            (Some(Type::M), Some(Operand::Scalar(x))) if x == 0 || x == full => {
                Some((Op::MConst, i64::from(x != 0)))
            }
            (Some(Type::B), Some(Operand::Scalar(x))) => Some((Op::BConst, x as i64)),
            (Some(Type::S32), Some(Operand::Scalar(x))) => Some((Op::SConst, i64::from(x as u32))),
            (Some(Type::S64), Some(Operand::Scalar(x))) => Some((Op::LConst, x as i64)),
            _ => None,
        };
        if let Some((op, imm)) = folded {
            *inst = Inst {
                op,
                args: SmallVec::new(),
                imm,
                result: inst.result,
                origin: inst.origin,
            };
        }
    }

    fn rename_terminators(&self, func: &mut Func) {
        for block in &mut func.blocks {
            match &mut block.term {
                Some(Terminator::Branch { cond, .. }) => *cond = self.replaced[cond.index()],
                Some(Terminator::Return(status)) => *status = self.replaced[status.index()],
                _ => {}
            }
            if let Some(Terminator::Branch {
                cond,
                then,
                otherwise,
            }) = &block.term
                && let Some(x) = self.constant(*cond)
            {
                block.term = Some(Terminator::Jump(if x != 0 {
                    then.clone()
                } else {
                    otherwise.clone()
                }));
            }
            for target in block.term.iter_mut().flat_map(Terminator::targets_mut) {
                for arg in &mut target.args {
                    *arg = self.replaced[arg.index()];
                }
            }
        }
    }
}

/// What a guard has in common with those that it is enough for. Where only the window counts, that is all but the
/// alignment; of a descriptor's address, whether its allocation is there. (If no lane was on at the first of two, page
/// protection is left for the second.)
fn guard_key(inst: &Inst) -> Key {
    let guard = Guard::decode(inst.imm);
    if guard.masked {
        return (inst.op, inst.args.clone(), inst.imm);
    }
    if guard.exact && !guard.pointer && inst.op != Op::GuardP {
        return (inst.op, inst.args[..2].into(), 0);
    }
    let imm = if guard.exact {
        inst.imm
    } else {
        guard.aligned().into()
    };
    (inst.op, inst.args.clone(), imm)
}

fn is_const(op: Op) -> bool {
    op.within(Op::BConst, Op::MConst)
}

fn canonical(op: Op, imm: i64) -> i64 {
    match op {
        Op::SConst | Op::VConst => i64::from(imm as u32),
        Op::BConst | Op::MConst => i64::from(imm != 0),
        _ => imm,
    }
}

/// One order for operations that commute exactly. Float sums and products are left alone: which NaN they give
/// depends on the order.
fn order_operands(inst: &mut Inst) {
    let commutes = matches!(
        inst.op,
        Op::SAdd
            | Op::SMul
            | Op::SAnd
            | Op::SOr
            | Op::SXor
            | Op::LAdd
            | Op::LMul
            | Op::LAnd
            | Op::LOr
            | Op::LXor
            | Op::VAdd
            | Op::VMul
            | Op::VAnd
            | Op::VOr
            | Op::VXor
            | Op::MAnd
            | Op::MOr
            | Op::MXor
            | Op::BAnd
            | Op::BOr
            | Op::BXor
            | Op::SEq
            | Op::SNe
            | Op::VEq
            | Op::VNe
            | Op::LEq
    );
    if commutes && inst.args[0] > inst.args[1] {
        inst.args.swap(0, 1);
    }
}

#[cfg(test)]
mod tests {
    use crate::shader::ir::{parse, verify};

    fn optimized(body: &str) -> String {
        let text = format!("func t width 8 frame 0 states 1\nblock0(v0: S64, v1: S64):\n{body}");
        let mut func = parse(&text).unwrap();
        assert_eq!(verify(&func), Ok(()), "{func}");
        super::super::optimize(&mut func);
        assert_eq!(verify(&func), Ok(()), "{func}");
        func.to_string()
    }

    #[test]
    fn constants_fold_and_equal_values_merge() {
        let text = optimized(
            "v2 = v.const #3\nv3 = v.const #4\nv4 = v.add v2, v3\nv5 = v.load v0 #0\nv6 = v.add v5, v4\n\
             v7 = v.add v4, v5\nv8 = v.mul v6, v7\nv.store v0, v8 #32\nv9 = s.const #0\nreturn v9\n",
        );
        assert!(text.contains("v.const #7"), "{text}");
        assert_eq!(text.matches("v.add").count(), 1, "{text}");
    }

    #[test]
    fn loads_merge_only_up_to_a_write() {
        let text = optimized(
            "v2 = v.load v0 #0\nv3 = v.load v0 #0\nv4 = v.add v2, v3\nv.store v0, v4 #0\nv5 = v.load v0 #0\n\
             v.store v1, v5 #0\nv6 = s.const #0\nreturn v6\n",
        );
        assert_eq!(text.matches("v.load").count(), 2, "{text}");
    }

    #[test]
    fn a_guard_is_enough_for_its_equals() {
        use crate::shader::guard::{Guard, Kind, Mode};
        let read = Guard::new(Kind::Read, true, 4, 1, 0, 0).encode();
        let far = Guard::new(Kind::Write, true, 4, 1, 0, 64).encode();
        let atomic = Guard::new(Kind::Atomic, true, 4, 1, 0, 0).encode();
        let other = Guard::new(Kind::Read, false, 4, 1, 0, 0).encode();
        let text = format!(
            "func t width 8 frame 0 states 1\nblock0(v0: S64, v1: S64):\nv2 = l.load v1 #0\nv3 = m.const #1\n\
             v4 = v.load v1 #8\nv5 = v.load v1 #64\nguard.l v0, v2, v3 #{read}\nguard.l v0, v2, v3 #{far}\n\
             guard.l v0, v2, v3 #{atomic}\nguard.o v0, v1, v4, v3 #{other}\nguard.o v0, v1, v5, v3 #{other}\n\
             v6 = s.const #0\nreturn v6\n"
        );
        for (mode, pointers, descriptors) in [(Mode::Off, 0, 0), (Mode::Pages, 2, 0), (Mode::Exact, 3, 1)] {
            let mut func = parse(&text).unwrap();
            super::super::choose_guards(&mut func, mode, false);
            super::super::optimize(&mut func);
            let text = func.to_string();
            let count = |name| text.matches(name).count();
            assert_eq!(
                (count("guard.l"), count("guard.o")),
                (pointers, descriptors),
                "{mode:?}\n{text}"
            );
        }
    }

    #[test]
    fn a_branch_on_a_constant_goes() {
        let text = optimized(
            "v2 = b.const #1\nbranch v2 block1() block2()\nblock1():\nv3 = s.const #5\nreturn v3\nblock2():\n\
             v4 = s.const #6\nreturn v4\n",
        );
        assert!(
            text.contains("s.const #5") && !text.contains("s.const #6"),
            "{text}"
        );
    }
}
