//! Turns a kernel with workgroup barriers into a state machine.
//!
//! At each barrier the kernel returns `Status::BARRIER + state`; called again with that state it goes on
//! behind the barrier. Values that live across a barrier are kept in slots of the wave's frame: stored once
//! where they are defined, loaded again in each block that uses them. No block parameter and no dominance has
//! to be repaired, since a slot always holds the latest definition.

use crate::shader::abi::{ComputeArgs, Context, Status};
use crate::shader::ir::{
    Block, BlockId, Builder, Effect, Func, Inst, NO_ORIGIN, Op, Terminator, Type, Value,
};
use std::mem::offset_of;

/// Runs the pass; without a barrier nothing changes.
pub(super) fn run(func: &mut Func) {
    let resumes = split(func);
    if resumes.is_empty() {
        return;
    }
    func.states = resumes.len() as u32 + 1;
    let crossing = crossing_values(func, &resumes);
    let slots = assign_slots(func, &crossing);
    spill(func, &slots);
    dispatch(func, &resumes);
}

/// Cuts blocks at barriers; gives the block behind each barrier, in order of state.
fn split(func: &mut Func) -> Vec<BlockId> {
    let mut resumes = Vec::new();
    let mut at = 0;
    while at < func.blocks.len() {
        let barrier = func.blocks[at]
            .insts
            .iter()
            .position(|inst| inst.op == Op::Barrier);
        if let Some(i) = barrier {
            let rest = func.blocks[at].insts.split_off(i + 1);
            func.blocks[at].insts.pop();
            let term = func.blocks[at].term.take();
            func.blocks.push(Block {
                params: Vec::new(),
                insts: rest,
                term,
            });
            resumes.push(BlockId(func.blocks.len() as u32 - 1));
            let status = Status::BARRIER + resumes.len() as u32;
            let mut b = Builder::new(func, BlockId(at as u32));
            let status = b.sconst(status.into());
            b.ret(status);
        }
        at += 1;
    }
    resumes
}

/// Values defined in one block and used in another: all that could live across a barrier, but for the kernel's
/// own parameters and constants, which are there again in every activation.
fn crossing_values(func: &Func, resumes: &[BlockId]) -> Vec<bool> {
    let mut home = vec![None; func.types.len()];
    for (i, block) in func.blocks.iter().enumerate().skip(1) {
        block.params.iter().for_each(|p| home[p.index()] = Some(i));
    }
    for (i, block) in func.blocks.iter().enumerate() {
        for inst in block.insts.iter().filter(|inst| inst.result != Value::NONE) {
            home[inst.result.index()] = (!is_repeatable(func, inst)).then_some(i);
        }
    }
    let live = live_in(func);
    let mut crossing = vec![false; func.types.len()];
    for resume in resumes {
        for (value, slot) in crossing.iter_mut().enumerate() {
            *slot |= live[resume.index()][value] && home[value].is_some();
        }
    }
    crossing
}

/// Values live at the start of each block.
fn live_in(func: &Func) -> Vec<Vec<bool>> {
    let n = func.types.len();
    let mut live = vec![vec![false; n]; func.blocks.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for at in (0..func.blocks.len()).rev() {
            let mut now = vec![false; n];
            let block = &func.blocks[at];
            for target in block.term.iter().flat_map(Terminator::targets) {
                let to = &func.blocks[target.block.index()];
                for (value, slot) in now.iter_mut().enumerate() {
                    *slot |= live[target.block.index()][value];
                }
                to.params.iter().for_each(|p| now[p.index()] = false);
            }
            for target in block.term.iter().flat_map(Terminator::targets) {
                target.args.iter().for_each(|a| now[a.index()] = true);
            }
            match &block.term {
                Some(Terminator::Branch { cond, .. }) => now[cond.index()] = true,
                Some(Terminator::Return(status)) => now[status.index()] = true,
                _ => {}
            }
            for inst in block.insts.iter().rev() {
                if inst.result != Value::NONE {
                    now[inst.result.index()] = false;
                }
                inst.args.iter().for_each(|a| now[a.index()] = true);
            }
            if live[at] != now {
                // Parameters stay in the set: a resume needs to know of them.
                live[at] = now;
                changed = true;
            }
        }
    }
    live
}

/// Whether an instruction can be had again anywhere: a constant, or a load from the context, which is the same
/// in every activation of a wave but for the fuel.
fn is_repeatable(func: &Func, inst: &Inst) -> bool {
    let constant = inst.op.info().effect == Effect::Pure && inst.args.is_empty();
    let from_context = matches!(inst.op, Op::LLoad | Op::SLoad)
        && inst.args[0] == func.blocks[0].params[0]
        && inst.imm != offset_of!(Context, fuel) as i64;
    constant || from_context
}

fn assign_slots(func: &mut Func, crossing: &[bool]) -> Vec<Option<u32>> {
    let mut slots = vec![None; crossing.len()];
    let vector = 4 * func.width;
    let mut at = func.frame_bytes.next_multiple_of(64);
    // Vectors first, so that they stay aligned.
    for vectors in [true, false] {
        for (i, slot) in slots.iter_mut().enumerate() {
            if crossing[i] && (func.types[i] == Type::V) == vectors {
                *slot = Some(at);
                at += if vectors { vector } else { 8 };
            }
        }
    }
    func.frame_bytes = at.next_multiple_of(64);
    slots
}

/// Stores each value with a slot behind its definition and loads it in every block that uses it; repeats
/// what is repeatable where they are used, since a resume skips the block that defined them.
fn spill(func: &mut Func, slots: &[Option<u32>]) {
    let mut constants: Vec<Option<Inst>> = vec![None; func.types.len()];
    for inst in func
        .blocks
        .iter()
        .flat_map(|block| &block.insts)
        .filter(|inst| is_repeatable(func, inst))
    {
        constants[inst.result.index()] = Some(inst.clone());
    }
    let params = func.blocks[0].params.clone();
    for at in 0..func.blocks.len() {
        let old = std::mem::take(&mut func.blocks[at]);
        let mut out = Rewriter {
            func,
            slots,
            constants: &constants,
            ctx: params[0],
            here: Vec::new(),
            insts: Vec::new(),
            frame: None,
        };
        for &param in &old.params {
            out.defined(param);
        }
        for mut inst in old.insts {
            for arg in &mut inst.args {
                *arg = out.used(*arg);
            }
            let result = inst.result;
            out.insts.push(inst);
            if result != Value::NONE {
                out.defined(result);
            }
        }
        let mut term = old.term;
        match &mut term {
            Some(Terminator::Branch { cond, .. }) => *cond = out.used(*cond),
            Some(Terminator::Return(status)) => *status = out.used(*status),
            _ => {}
        }
        for arg in term
            .iter_mut()
            .flat_map(Terminator::targets_mut)
            .flat_map(|t| &mut t.args)
        {
            *arg = out.used(*arg);
        }
        let insts = std::mem::take(&mut out.insts);
        func.blocks[at] = Block {
            params: old.params,
            insts,
            term,
        };
    }
}

struct Rewriter<'f> {
    func: &'f mut Func,
    slots: &'f [Option<u32>],
    constants: &'f [Option<Inst>],
    ctx: Value,
    /// Values that stand for others in this block.
    here: Vec<(Value, Value)>,
    insts: Vec<Inst>,
    frame: Option<Value>,
}

impl Rewriter<'_> {
    fn push(&mut self, op: Op, args: &[Value], imm: i64) -> Value {
        let result = op.info().result.map_or(Value::NONE, |ty| self.func.add_value(ty));
        self.insts.push(Inst {
            op,
            args: args.into(),
            imm,
            result,
            origin: NO_ORIGIN,
        });
        result
    }

    fn frame(&mut self) -> Value {
        if let Some(frame) = self.frame {
            return frame;
        }
        let frame = self.push(Op::LLoad, &[self.ctx], offset_of!(Context, frame) as i64);
        self.frame = Some(frame);
        frame
    }

    fn slot(&self, value: Value) -> Option<i64> {
        self.slots.get(value.index()).copied().flatten().map(i64::from)
    }

    fn defined(&mut self, value: Value) {
        self.here.push((value, value));
        let Some(slot) = self.slot(value) else { return };
        let frame = self.frame();
        match self.func.ty(value) {
            Type::V => self.push(Op::VStore, &[frame, value], slot),
            Type::S64 => self.push(Op::LStore, &[frame, value], slot),
            Type::S32 => self.push(Op::SStore, &[frame, value], slot),
            Type::M => {
                let bits = self.push(Op::MBits, &[value], 0);
                self.push(Op::SStore, &[frame, bits], slot)
            }
            Type::B => {
                let (one, zero) = (self.push(Op::SConst, &[], 1), self.push(Op::SConst, &[], 0));
                let bit = self.push(Op::SSelect, &[value, one, zero], 0);
                self.push(Op::SStore, &[frame, bit], slot)
            }
        };
    }

    fn used(&mut self, value: Value) -> Value {
        if let Some(&(_, stand_in)) = self.here.iter().find(|(of, _)| *of == value) {
            return stand_in;
        }
        let stand_in = if let Some(constant) = self.constants.get(value.index()).cloned().flatten() {
            self.push(constant.op, &constant.args, constant.imm)
        } else if let Some(slot) = self.slot(value) {
            let frame = self.frame();
            match self.func.ty(value) {
                Type::V => self.push(Op::VLoad, &[frame], slot),
                Type::S64 => self.push(Op::LLoad, &[frame], slot),
                Type::S32 => self.push(Op::SLoad, &[frame], slot),
                Type::M => {
                    let bits = self.push(Op::SLoad, &[frame], slot);
                    self.push(Op::MFromBits, &[bits], 0)
                }
                Type::B => {
                    let bit = self.push(Op::SLoad, &[frame], slot);
                    let zero = self.push(Op::SConst, &[], 0);
                    self.push(Op::SNe, &[bit, zero], 0)
                }
            }
        } else {
            return value;
        };
        self.here.push((value, stand_in));
        stand_in
    }
}

/// Puts a new entry in front that jumps to the state asked for.
fn dispatch(func: &mut Func, resumes: &[BlockId]) {
    // The old entry moves to a block of its own; the new one keeps the parameters.
    let old = std::mem::take(&mut func.blocks[0]);
    func.blocks[0].params = old.params.clone();
    let start = BlockId(func.blocks.len() as u32);
    func.blocks.push(Block {
        params: Vec::new(),
        ..old
    });
    let mut b = Builder::new(func, BlockId(0));
    let arg = b.func.blocks[0].params[1];
    let state = b.sload(arg, offset_of!(ComputeArgs, state) as i64);
    for (i, &resume) in resumes.iter().enumerate() {
        let number = b.sconst(i as i64 + 1);
        let here = b.seq(state, number);
        let (next, _) = b.add_block(&[]);
        b.branch(here, (resume, &[]), (next, &[]));
        b.switch_to(next);
    }
    b.jump(start, &[]);
}

#[cfg(test)]
mod tests {
    use crate::shader::abi::{ComputeArgs, Context, Status};
    use crate::shader::interp;
    use crate::shader::ir::{parse, verify};

    /// A loop with a barrier in it: a value, a counter and a constant live across.
    const LOOP: &str = "func t width 8 frame 0 states 1
block0(v0: S64, v1: S64):
  v2 = s.const #0
  v3 = v.iota
  v20 = l.load v0 #OUT
  jump block1(v2, v3)
block1(v4: S32, v5: V):
  v6 = s.const #3
  v7 = s.lt_u v4, v6
  branch v7 block2() block3()
block2():
  v8 = v.add v5, v5
  barrier
  v9 = s.const #1
  v10 = s.add v4, v9
  jump block1(v10, v8)
block3():
  v.store v20, v5 #0
  return v2
";

    #[test]
    fn a_barrier_in_a_loop_resumes_with_its_values() {
        let text = LOOP.replace("#OUT", &format!("#{}", std::mem::offset_of!(Context, shared)));
        let mut func = parse(&text).unwrap();
        super::super::optimize(&mut func);
        assert_eq!(verify(&func), Ok(()), "{func}");
        assert_eq!(func.states, 2, "one barrier");
        let mut frame = vec![0u64; func.frame_bytes as usize / 8];
        let mut out = [0u32; 8];
        // SAFETY-free: a zeroed context with the three addresses that the kernel reads.
        let mut ctx: Box<[u64]> = vec![0; size_of::<Context>() / 8].into();
        ctx[std::mem::offset_of!(Context, frame) / 8] = frame.as_mut_ptr() as u64;
        ctx[std::mem::offset_of!(Context, shared) / 8] = out.as_mut_ptr() as u64;
        let mut args = ComputeArgs::default();
        let mut turns = 0;
        loop {
            match interp::run(&func, ctx.as_ptr() as u64, &raw const args as u64) {
                status if status > Status::BARRIER => args.state = status - Status::BARRIER,
                status => {
                    assert_eq!(status, Status::Done as u32, "ends");
                    break;
                }
            }
            turns += 1;
        }
        assert_eq!(turns, 3, "a barrier a turn");
        assert_eq!(
            out,
            std::array::from_fn::<u32, 8, _>(|i| 8 * i as u32),
            "doubled three times"
        );
    }
}
