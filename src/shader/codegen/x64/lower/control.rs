//! Blocks, edges and terminators; calls.

use super::{Lower, Src};
use crate::shader::codegen::x64::encoder::Cond;
use crate::shader::codegen::x64::inst::Kind;
use crate::shader::codegen::x64::regs::{self, RAX, RDI, RSI};
use crate::shader::ir::{self, Effect, Op, Target, Terminator, Value};
use regalloc2::{Block, Operand, VReg};

/// A machine block: an IR block, or the edge from one to a successor.
#[derive(Clone, Copy)]
enum Plan {
    Block(u32),
    /// Branches pass no values and lead only to blocks with one predecessor; what they may not do
    /// themselves is done in a block on the edge.
    Edge(u32, u8),
}

impl<'f> Lower<'f> {
    fn terminator(&self, block: u32) -> &'f Terminator {
        static NOWHERE: Terminator = Terminator::Return(Value::NONE);
        let func = self.func;
        func.blocks[block as usize].term.as_ref().unwrap_or(&NOWHERE)
    }

    fn needs_edge(&self, target: &Target) -> bool {
        !target.args.is_empty() || self.order.edges_in[target.block.index()] > 1
    }

    fn plan(&self) -> Vec<Plan> {
        let mut plan = Vec::with_capacity(self.order.blocks.len() * 2);
        for &block in &self.order.blocks {
            plan.push(Plan::Block(block));
            if let Terminator::Branch { then, otherwise, .. } = self.terminator(block) {
                for (which, target) in [then, otherwise].into_iter().enumerate() {
                    if self.needs_edge(target) {
                        plan.push(Plan::Edge(block, u8::from(which == 1)));
                    }
                }
            }
        }
        plan
    }

    /// Fills in successors and predecessors.
    fn link(&mut self, plan: &[Plan]) {
        let mut number = vec![Block::invalid(); self.func.blocks.len()];
        for (i, step) in plan.iter().enumerate() {
            if let Plan::Block(block) = step {
                number[*block as usize] = Block::new(i);
            }
        }
        let mut preds = vec![smallvec::SmallVec::<[Block; 4]>::new(); plan.len()];
        for (i, step) in plan.iter().enumerate() {
            let mut succs = smallvec::SmallVec::<[Block; 2]>::new();
            match *step {
                Plan::Edge(block, which) => {
                    let target = self.terminator(block).targets().nth(usize::from(which));
                    succs.extend(target.map(|target| number[target.block.index()]));
                }
                Plan::Block(block) => {
                    let term = self.terminator(block);
                    let mut next_edge = i + 1;
                    for target in term.targets() {
                        if matches!(term, Terminator::Branch { .. }) && self.needs_edge(target) {
                            succs.push(Block::new(next_edge));
                            next_edge += 1;
                        } else {
                            succs.push(number[target.block.index()]);
                        }
                    }
                }
            }
            for succ in &succs {
                preds[succ.index()].push(Block::new(i));
            }
            self.mach.succs.push(succs);
        }
        for list in preds {
            self.mach.preds.push(list);
        }
    }

    /// Lowers every block, last first.
    pub(super) fn blocks(&mut self) {
        let plan = self.plan();
        self.link(&plan);
        for step in plan.iter().rev() {
            let end = self.mach.insts.len();
            let (args, params) = match *step {
                Plan::Block(block) => {
                    let args = self.lower_block(block);
                    let params = if block == 0 {
                        Vec::new()
                    } else {
                        self.params(block)
                    };
                    (args, params)
                }
                Plan::Edge(block, which) => {
                    self.block = block;
                    let target = self.terminator(block).targets().nth(usize::from(which));
                    let args = target.map_or_else(Vec::new, |target| self.jump(target));
                    self.flush();
                    (args, Vec::new())
                }
            };
            let range = [end, self.mach.insts.len()].map(|i| u32::try_from(i).unwrap_or(u32::MAX));
            self.mach.blocks.push((range[0], range[1]));
            self.mach.jump_args.push(args);
            self.mach.params.push(params);
        }
        let total = u32::try_from(self.mach.insts.len()).unwrap_or(u32::MAX);
        self.mach.insts.reverse();
        self.mach.blocks.reverse();
        for range in &mut self.mach.blocks {
            *range = (total - range.1, total - range.0);
        }
        self.mach.jump_args.reverse();
        self.mach.params.reverse();
    }

    fn params(&self, block: u32) -> Vec<VReg> {
        let params = &self.func.blocks[block as usize].params;
        params.iter().map(|&param| self.dst(param)).collect()
    }

    fn lower_block(&mut self, block: u32) -> Vec<VReg> {
        let body = &self.func.blocks[block as usize];
        self.block = block;
        let writes = body
            .insts
            .iter()
            .filter(|inst| inst.op.info().effect == Effect::Write);
        self.epoch = u32::try_from(writes.count()).unwrap_or(u32::MAX);
        self.inst = u32::try_from(body.insts.len()).unwrap_or(u32::MAX);
        let args = self.lower_terminator(block);
        self.flush();
        for inst in body.insts.iter().rev() {
            self.inst -= 1;
            match inst.op.info().effect {
                Effect::Write => self.epoch -= 1,
                Effect::Guard => {}
                _ if self.values[inst.result.index()].wanted => {}
                _ => continue,
            }
            self.op(inst);
            self.flush();
        }
        if block == 0 {
            let [ctx, arg] = [body.params[0], body.params[1]].map(|param| self.dst(param));
            let operands = [
                Operand::reg_fixed_def(ctx, regs::int(RDI)),
                Operand::reg_fixed_def(arg, regs::int(RSI)),
            ];
            self.emit(Kind::Args, &operands, Src::None, 0);
            self.flush();
        }
        args
    }

    /// Moves the buffered instructions to the function, last first.
    fn flush(&mut self) {
        self.mach.insts.extend(self.buffer.drain(..).rev());
    }

    fn jump(&mut self, target: &Target) -> Vec<VReg> {
        let args = target.args.iter().map(|&arg| self.reg(arg)).collect();
        self.emit(Kind::Jmp, &[], Src::None, 0);
        args
    }

    fn lower_terminator(&mut self, block: u32) -> Vec<VReg> {
        match self.terminator(block) {
            Terminator::Jump(target) => return self.jump(target),
            Terminator::Branch { cond, .. } => {
                let cond = self.condition(*cond);
                self.emit(Kind::Jcc(cond), &[], Src::None, 0);
            }
            Terminator::Return(status) => {
                let status = self.reg(*status);
                let operands = [Operand::reg_fixed_use(status, regs::int(RAX))];
                self.emit(Kind::Ret, &operands, Src::None, 0);
            }
        }
        Vec::new()
    }

    /// Sets the flags from a truth value; true when the condition given back holds. Whatever comes next must
    /// not change them: constants for it are made before.
    pub(super) fn condition(&mut self, value: Value) -> Cond {
        if let Some(inst) = self.definition(value)
            && self.values[value.index()].block == self.block
        {
            if inst.op == Op::BNot {
                return self.condition(inst.args[0]).not();
            }
            if let Some(cond) = self.compare(inst).or_else(|| self.any(inst)) {
                return cond;
            }
        }
        let reg = self.reg(value);
        self.emit(Kind::Test, &[Operand::reg_use(reg)], Src::None, 0);
        Cond::NotEqual
    }

    /// Calls and fences.
    pub(super) fn lower_call(&mut self, inst: &ir::Inst) -> bool {
        match inst.op {
            Op::Call => {
                let [code, ctx, arg] = [0, 1, 2].map(|i| self.reg(inst.args[i]));
                let operands = [
                    Operand::reg_fixed_def(self.dst(inst.result), regs::int(RAX)),
                    Operand::reg_use(code),
                    Operand::reg_fixed_use(ctx, regs::int(RDI)),
                    Operand::reg_fixed_use(arg, regs::int(RSI)),
                ];
                self.mach.calls = true;
                self.emit(Kind::Call, &operands, Src::None, 0);
            }
            Op::Watch => {}
            Op::Fence => self.emit(Kind::Fence, &[], Src::None, 0),
            _ => return false,
        }
        true
    }
}
