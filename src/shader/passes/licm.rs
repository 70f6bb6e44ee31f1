//! Loop-invariant code motion.
//!
//! Moves to the block before a loop: uniform operations, invariant loads, and the few vector operations that
//! cost more than loading a spilled value.

use super::invariant::{Invariance, Invariants};
use crate::shader::ir::{BlockId, Cfg, Dominators, Effect, Func, Inst, Op, Type, Value};

/// Runs the pass.
pub(super) fn run(func: &mut Func) {
    let cfg = Cfg::new(func);
    let dominators = Dominators::new(&cfg);
    let mut loops = find_loops(&cfg, &dominators);
    if loops.is_empty() {
        return;
    }
    // Inner loops first, so that what leaves one can leave the next.
    loops.reverse();
    let invariants = Invariants::new(func);
    let mut home = homes(func);
    for natural in &loops {
        hoist(func, natural, &cfg, &dominators, &invariants, &mut home);
    }
}

struct Loop {
    /// Blocks of the loop, by block number.
    contains: Vec<bool>,
    /// The block that is left only into the loop, outside it.
    preheader: BlockId,
    /// Where the loop turns.
    latches: Vec<BlockId>,
}

/// Natural loops with a preheader, in reverse post-order of their headers.
fn find_loops(cfg: &Cfg, dominators: &Dominators) -> Vec<Loop> {
    let mut loops = Vec::new();
    for &header in &cfg.order {
        let (latches, entries): (Vec<BlockId>, Vec<BlockId>) = cfg.preds[header.index()]
            .iter()
            .partition(|&&pred| dominators.dominates(header, pred));
        let ([_, ..], [preheader]) = (&latches[..], &entries[..]) else {
            continue;
        };
        let mut contains = vec![false; cfg.preds.len()];
        contains[header.index()] = true;
        let mut work = latches.clone();
        while let Some(block) = work.pop() {
            if !std::mem::replace(&mut contains[block.index()], true) {
                work.extend(&cfg.preds[block.index()]);
            }
        }
        loops.push(Loop {
            contains,
            preheader: *preheader,
            latches,
        });
    }
    loops
}

/// The block each value is defined in.
fn homes(func: &Func) -> Vec<usize> {
    let mut home = vec![0; func.types.len()];
    for (i, block) in func.blocks.iter().enumerate() {
        block.params.iter().for_each(|p| home[p.index()] = i);
        block
            .insts
            .iter()
            .filter(|inst| inst.result != Value::NONE)
            .for_each(|inst| home[inst.result.index()] = i);
    }
    home
}

fn hoist(
    func: &mut Func,
    natural: &Loop,
    cfg: &Cfg,
    dominators: &Dominators,
    invariants: &Invariants,
    home: &mut [usize],
) {
    let to = natural.preheader.index();
    for &block in cfg.order.iter().filter(|block| natural.contains[block.index()]) {
        let always = natural
            .latches
            .iter()
            .all(|&latch| dominators.dominates(block, latch));
        let insts = std::mem::take(&mut func.blocks[block.index()].insts);
        let (mut moved, mut kept) = (Vec::new(), Vec::with_capacity(insts.len()));
        for inst in insts {
            let outside = inst.args.iter().all(|arg| !natural.contains[home[arg.index()]]);
            if outside && pays(&inst) && may_move(&inst, invariants, always) {
                home[inst.result.index()] = to;
                moved.push(inst);
            } else {
                kept.push(inst);
            }
        }
        func.blocks[block.index()].insts = kept;
        func.blocks[to].insts.append(&mut moved);
    }
}

fn may_move(inst: &Inst, invariants: &Invariants, always: bool) -> bool {
    match inst.op.info().effect {
        Effect::Pure => true,
        Effect::Write | Effect::Guard => false,
        Effect::Read => match invariants.of(inst) {
            Invariance::Anywhere => true,
            Invariance::Dominated => always,
            Invariance::No => false,
        },
    }
}

/// Whether it is worth a register: constants never are, and of the vectors only what takes many cycles.
fn pays(inst: &Inst) -> bool {
    match inst.op.info().result {
        Some(Type::S32 | Type::S64) => !inst.args.is_empty(),
        Some(Type::V) => matches!(
            inst.op,
            Op::FDiv | Op::FSqrt | Op::VDivU | Op::VDivS | Op::VRemU | Op::VRemS | Op::VMulHiS | Op::VMulHiU
        ),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use crate::shader::ir::{parse, verify};

    /// A loop that loads through the context, divides by an invariant, and stores what it loads.
    const LOOP: &str = "func t width 8 frame 0 states 1
block0(v0: S64, v1: S64):
  v2 = s.const #0
  jump block1(v2)
block1(v3: S32):
  v4 = s.const #9
  v5 = s.lt_u v3, v4
  branch v5 block2() block3()
block2():
  v6 = l.load v0 #8
  v7 = l.load v6 #16
  v8 = v.load v7 #0
  v9 = f.div v8, v8
  v10 = l.load v7 #0
  v.store v10, v9 #0
  v11 = s.const #1
  v12 = s.add v3, v11
  jump block1(v12)
block3():
  return v2
";

    #[test]
    fn invariant_loads_leave_the_loop_and_others_stay() {
        let mut func = parse(LOOP).unwrap();
        super::super::optimize(&mut func);
        assert_eq!(verify(&func), Ok(()), "{func}");
        let text = func.to_string();
        let (before, inside) = text.split_once("block1(").unwrap();
        assert!(
            before.contains("l.load v0 #8") && before.contains("#16"),
            "descriptor loads are hoisted: {text}"
        );
        assert!(
            inside.contains("v.load") && inside.contains("f.div"),
            "the data is not: {text}"
        );
    }
}
