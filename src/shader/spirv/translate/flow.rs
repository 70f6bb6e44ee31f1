//! Sequences, selections and switches.

use super::Translator;
use super::state::{Goal, Pending, State};
use super::value::Scalar;
use crate::shader::ir::{BlockId, Type, Value};
use crate::shader::spirv::SpirvError;
use crate::shader::spirv::error::Result;
use crate::shader::spirv::structure::{If, Node, Seq, Switch};
use ::spirv::Op;

/// Instructions up to which an arm is run without asking whether any lane wants it.
const CHEAP_ARM: usize = 14;
/// Nesting of constructs over all inlined functions that is accepted.
const MAX_DEPTH: usize = 200;

impl Translator<'_, '_> {
    /// Emits a sequence; stops where no lane goes on.
    pub(super) fn seq(&mut self, seq: &Seq) -> Result<()> {
        if self.nesting > MAX_DEPTH {
            return Err(SpirvError::TooLarge("the nesting of control flow"));
        }
        for node in seq {
            if self.state.as_ref().is_none_or(|state| state.exec.is_none()) {
                return Ok(());
            }
            self.check_size()?;
            match node {
                Node::Block(block) => self.block(*block)?,
                Node::Goto(from, to) => self.edge(*from, *to)?,
                Node::Jump(from, to) => {
                    if let Some(from) = from {
                        self.edge(*from, *to)?;
                    }
                    self.jump_to_block(*to)?;
                }
                Node::End(block) => self.end(*block)?,
                Node::If(node) => self.selection(node)?,
                Node::Switch(node) => self.switch(node)?,
                Node::Loop(node) => self.repeat(node)?,
            }
        }
        Ok(())
    }

    /// Emits a region: what is defined in it is not known behind it.
    pub(super) fn region(&mut self, seq: &Seq) -> Result<()> {
        let mark = self.mark();
        self.nesting += 1;
        self.seq(seq)?;
        self.nesting -= 1;
        self.forget(mark);
        Ok(())
    }

    fn jump_to_block(&mut self, block: usize) -> Result<()> {
        let base = self.instance()?.base_target;
        let target = (base..self.targets.len())
            .rev()
            .find(|&t| self.targets[t].goal == Goal::Block(block))
            .ok_or(SpirvError::Unstructured(0))?;
        self.jump(target);
        Ok(())
    }

    fn selection(&mut self, node: &If) -> Result<()> {
        let cond = self.scalar(node.cond)?;
        if !matches!(self.b.func.ty(cond.lo), Type::B | Type::M) {
            return Err(SpirvError::WrongType(node.cond));
        }
        let goal = node.merge.map_or(Goal::Aside, Goal::Block);
        let target = self.push_target(goal, self.slots.len());
        if let Some(cond) = self.as_uniform(cond) {
            self.uniform_if(node, cond, target)?;
            self.land();
            return Ok(());
        }
        let whole = self.exec();
        self.divergent_if(node, cond.lo, target)?;
        self.land();
        let exec = self.state.as_ref().and_then(|state| state.exec);
        if exec.is_some() && exec != Some(whole) && exec != self.nonempty {
            self.leave_if_none();
        }
        Ok(())
    }

    /// Both arms as blocks of their own.
    fn uniform_if(&mut self, node: &If, cond: Scalar, target: usize) -> Result<()> {
        let (mark, nonempty) = (self.mark(), self.nonempty);
        let (then, _) = self.b.add_block(&[]);
        let (otherwise, _) = self.b.add_block(&[]);
        self.b.branch(cond.lo, (then, &[]), (otherwise, &[]));
        let before = self.state.clone();
        for (block, seq) in [(then, &node.then), (otherwise, &node.otherwise)] {
            self.switch_to(block);
            self.state = before.clone();
            self.nesting += 1;
            self.seq(seq)?;
            self.nesting -= 1;
            self.forget(mark);
            self.nonempty = nonempty;
            self.give_up(target);
        }
        Ok(())
    }

    /// Flow without running lanes goes on behind the construct, where others may wait.
    fn give_up(&mut self, target: usize) {
        let block = self.b.block();
        if let Some(state) = self.state.take() {
            self.targets[target].edges.push((block, state));
        }
    }

    /// One arm after the other, each with its own lanes.
    fn divergent_if(&mut self, node: &If, cond: Value, target: usize) -> Result<()> {
        let exec = self.exec();
        let yes = self.b.mand(exec, cond);
        let no = self.b.mandnot(exec, cond);
        // An arm that leaves comes first: nobody is set aside while the other runs. A jump back to the header
        // of a loop comes last.
        let (then, otherwise) = (&node.then, &node.otherwise);
        let (leaves, other_leaves) = (
            self.only_leaves(then, node.merge),
            self.only_leaves(otherwise, node.merge),
        );
        let swap = other_leaves && (!leaves || self.goes_back(then));
        let mask = if swap { self.b.mnot(cond) } else { cond };
        let [(first, first_seq), (second, second_seq)] = if swap {
            [(no, otherwise), (yes, then)]
        } else {
            [(yes, then), (no, otherwise)]
        };
        let splits = self.splits.len();
        self.splits.push((first, second, exec, mask));
        let nonempty = self.nonempty;
        let env = self.state.as_ref().map(|state| state.env.clone());
        let costly = !leaves && !other_leaves && self.cost(first_seq) > CHEAP_ARM;
        if let (true, [Node::Jump(from, to)]) = (costly, &second_seq[..])
            && Some(*to) == node.merge
        {
            let mark = self.mark();
            let skip = self.guard(first);
            // Without lanes for the arm all of them are where the selection ends.
            let arm = self.here();
            self.switch_to(skip.0);
            self.state = Some(State {
                exec: Some(exec),
                ..skip.1
            });
            if let Some(from) = from {
                self.edge(*from, *to)?;
            }
            self.jump(target);
            self.forget(mark);
            self.resume(arm);
            self.nonempty = Some(first);
            self.run_aside(first_seq, first, target)?;
        } else if costly {
            let mark = self.mark();
            let mut skip = self.guard(first);
            self.nonempty = Some(first);
            self.run_aside(first_seq, first, target)?;
            self.forget(mark);
            let waits = self.state.as_ref().and_then(|state| state.pend[target].as_ref());
            if waits.is_some_and(|pending| pending.mask == first) {
                // As if the lanes, none, had waited too: spares a parameter for the mask.
                skip.1.pend[target] = Some(Pending {
                    mask: first,
                    caps: skip.1.env.clone(),
                });
            }
            skip.1.exec = None;
            let edges = self.here().into_iter().chain([skip]).collect();
            self.join(edges);
        } else {
            self.run_aside(first_seq, first, target)?;
        }
        self.nonempty = nonempty;
        if let (Some(state), Some(env)) = (&mut self.state, env) {
            state.exec = Some(second);
            state.env = env;
        }
        if self
            .state
            .as_ref()
            .is_some_and(|state| state.pend[target].is_none())
        {
            self.leave_if_none();
        }
        self.second_arm(second_seq, second)?;
        self.splits.truncate(splits);
        self.splits.push((first, second, exec, mask));
        Ok(())
    }

    /// Emits the first arm of a divergent selection, while the lanes of the second are set aside.
    fn run_aside(&mut self, seq: &Seq, exec: Value, target: usize) -> Result<()> {
        if let Some(state) = &mut self.state {
            state.exec = Some(exec);
        }
        self.targets[target].blocking = true;
        self.region(seq)?;
        self.targets[target].blocking = false;
        Ok(())
    }

    fn second_arm(&mut self, seq: &Seq, exec: Value) -> Result<()> {
        if self.nonempty == Some(exec) || self.cost(seq) <= CHEAP_ARM {
            return self.region(seq);
        }
        let mark = self.mark();
        let nonempty = self.nonempty;
        let skip = self.guard(exec);
        self.nonempty = Some(exec);
        self.region(seq)?;
        self.nonempty = nonempty;
        self.forget(mark);
        self.rejoin(skip);
        Ok(())
    }

    /// Branches on whether a mask has lanes; goes on where it has, gives the edge where it has not.
    fn guard(&mut self, exec: Value) -> (BlockId, State) {
        let some = self.b.many(exec);
        let (run, _) = self.b.add_block(&[]);
        let (skip, _) = self.b.add_block(&[]);
        self.b.branch(some, (run, &[]), (skip, &[]));
        let state = self.state.clone().unwrap_or_else(|| State::empty(exec));
        self.switch_to(run);
        (skip, state)
    }

    /// Brings this piece of flow together with one that went around it.
    fn rejoin(&mut self, skip: (BlockId, State)) {
        let edges = self.here().into_iter().chain([skip]).collect();
        self.join(edges);
    }

    fn resume(&mut self, edge: Option<(BlockId, State)>) {
        if let Some((block, state)) = edge {
            self.switch_to(block);
            self.state = Some(state);
        }
    }

    /// Whether an arm does nothing but jump elsewhere than to where its selection ends.
    fn only_leaves(&self, seq: &Seq, merge: Option<usize>) -> bool {
        let short = seq.len() == 1 || matches!(&seq[..], [Node::Goto(..), Node::Block(_), Node::Jump(..)]);
        let away = matches!(seq.last(), Some(Node::Jump(_, to)) if Some(*to) != merge);
        short && away && self.cost(seq) <= CHEAP_ARM
    }

    /// Whether an arm ends with a jump back to the header of a loop.
    fn goes_back(&self, seq: &Seq) -> bool {
        let Some(Node::Jump(_, to)) = seq.last() else {
            return false;
        };
        let target = self.targets.iter().rev().find(|t| t.goal == Goal::Block(*to));
        target.is_some_and(|target| target.back)
    }

    /// The flow at this point as an edge.
    fn here(&mut self) -> Option<(BlockId, State)> {
        let block = self.b.block();
        self.state.take().map(|state| (block, state))
    }

    fn switch(&mut self, node: &Switch) -> Result<()> {
        let selector = self.scalar(node.selector)?;
        let len = self.slots.len();
        let merge = self.push_target(Goal::Block(node.merge), len);
        // The first case is innermost, so that it lands first.
        let mut targets = vec![merge; node.cases.len()];
        for (i, case) in node.cases.iter().enumerate().rev() {
            if !case.outer {
                targets[i] = self.push_target(Goal::Block(case.block), len);
            }
        }
        let chosen = self.as_uniform(selector);
        let uniform = chosen.is_some();
        match chosen {
            Some(selector) => self.uniform_dispatch(node, selector)?,
            None => self.divergent_dispatch(node, selector)?,
        }
        for case in node.cases.iter().filter(|case| !case.outer) {
            self.land();
            let Some(exec) = self.state.as_ref().and_then(|state| state.exec) else {
                continue;
            };
            if uniform || self.cost(&case.body) <= CHEAP_ARM {
                self.region(&case.body)?;
                continue;
            }
            let mark = self.mark();
            let mut skip = self.guard(exec);
            skip.1.exec = None;
            let nonempty = self.nonempty.replace(exec);
            self.region(&case.body)?;
            self.nonempty = nonempty;
            self.forget(mark);
            self.rejoin(skip);
        }
        self.land();
        Ok(())
    }

    /// A chain of comparisons that branch.
    fn uniform_dispatch(&mut self, node: &Switch, selector: Scalar) -> Result<()> {
        let mark = self.mark();
        let Some(before) = self.state.clone() else {
            return Ok(());
        };
        let at = node.at;
        for case in node.cases.iter().filter(|case| !case.default) {
            let hit = self.matches_any(selector, &case.literals)?;
            let (yes, _) = self.b.add_block(&[]);
            let (no, _) = self.b.add_block(&[]);
            self.b.branch(hit.lo, (yes, &[]), (no, &[]));
            self.switch_to(yes);
            self.state = Some(before.clone());
            self.edge(at, case.block)?;
            self.jump_to_block(case.block)?;
            self.strand();
            self.forget(mark);
            self.switch_to(no);
            self.state = Some(before.clone());
        }
        if let Some(default) = node.cases.iter().find(|case| case.default) {
            self.edge(at, default.block)?;
            self.jump_to_block(default.block)?;
            self.strand();
        }
        self.forget(mark);
        Ok(())
    }

    /// Flow that could not branch to an outer target: its lanes wait; it goes on at the innermost one.
    fn strand(&mut self) {
        if self.state.is_some() {
            self.give_up(self.targets.len() - 1);
        }
    }

    /// Sends each lane to wait at its case.
    fn divergent_dispatch(&mut self, node: &Switch, selector: Scalar) -> Result<()> {
        let mut rest = self.exec();
        let env = self.state.as_ref().map(|state| state.env.clone());
        let ordered = node.cases.iter().filter(|case| !case.default);
        for case in ordered.chain(node.cases.iter().filter(|case| case.default)) {
            let lanes = if case.default {
                rest
            } else {
                let hit = self.matches_any(selector, &case.literals)?;
                let hit = self.as_m(hit);
                let lanes = self.b.mand(rest, hit);
                rest = self.b.mandnot(rest, hit);
                lanes
            };
            if let (Some(state), Some(env)) = (&mut self.state, &env) {
                state.exec = Some(lanes);
                state.env = env.clone();
            }
            self.edge(node.at, case.block)?;
            let base = self.instance()?.base_target;
            let target = (base..self.targets.len())
                .rev()
                .find(|&t| self.targets[t].goal == Goal::Block(case.block))
                .ok_or(SpirvError::Unstructured(0))?;
            self.wait_at(target, lanes);
        }
        if let Some(state) = &mut self.state {
            state.exec = None;
        }
        Ok(())
    }

    /// Whether a selector equals one of some literals.
    fn matches_any(&mut self, selector: Scalar, literals: &[u64]) -> Result<Scalar> {
        let mut hit = None;
        for &literal in literals {
            let same = self.equals_literal(selector, literal);
            hit = Some(match hit {
                None => same,
                Some(hit) => self.logical(Op::LogicalOr, hit, same),
            });
        }
        match hit {
            Some(hit) => Ok(hit),
            None => Ok(self.bool(false).into()),
        }
    }

    fn equals_literal(&mut self, s: Scalar, literal: u64) -> Scalar {
        match self.b.func.ty(s.lo) {
            Type::S32 => {
                let literal = self.s32(literal as u32);
                self.b.seq(s.lo, literal).into()
            }
            Type::S64 => {
                let literal = self.s64(literal);
                self.b.leq(s.lo, literal).into()
            }
            _ => {
                let low = self.v32(literal as u32);
                let same = self.b.veq(s.lo, low);
                if s.hi == Value::NONE {
                    return same.into();
                }
                let high = self.v32((literal >> 32) as u32);
                let high = self.b.veq(s.hi, high);
                self.b.mand(same, high).into()
            }
        }
    }

    /// Estimated instructions of a sequence.
    fn cost(&self, seq: &Seq) -> usize {
        let Ok(instance) = self.instance() else {
            return 0;
        };
        let blocks = &instance.info.cfg.blocks;
        seq.iter()
            .map(|node| match node {
                Node::Block(block) => {
                    let ops = blocks[*block].insts.clone().map(|at| self.source.code.op(at));
                    ops.map(op_cost).sum()
                }
                Node::If(node) => 2 + self.cost(&node.then) + self.cost(&node.otherwise),
                Node::Switch(_) | Node::Loop(_) => 1000,
                _ => 0,
            })
            .sum()
    }
}

fn op_cost(op: Op) -> usize {
    match op {
        Op::Load | Op::AccessChain | Op::InBoundsAccessChain | Op::Store | Op::Line | Op::NoLine => 1,
        Op::CompositeExtract | Op::CompositeConstruct | Op::VectorShuffle | Op::CopyObject => 0,
        Op::FunctionCall | Op::ControlBarrier => 1000,
        op if (86..=107).contains(&(op as u32)) => 1000,
        op if crate::shader::spirv::interface::is_atomic(op) => 1000,
        Op::ExtInst => 4,
        _ => 2,
    }
}
