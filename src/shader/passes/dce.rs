//! Dead code elimination: instructions and block parameters nobody needs, and unreachable blocks.

use crate::shader::ir::{Cfg, Effect, Func, Op, Terminator, Value};

/// Runs the pass.
pub(super) fn run(func: &mut Func) {
    let live = live_values(func);
    for i in 0..func.blocks.len() {
        let mut insts = std::mem::take(&mut func.blocks[i].insts);
        insts.retain(|inst| stays(inst.op) || live[inst.result.index()]);
        func.blocks[i].insts = insts;
    }
    remove_dead_params(func, &live);
    remove_unreachable(func);
}

/// Whether an operation does something besides giving its result.
fn stays(op: Op) -> bool {
    matches!(op.info().effect, Effect::Write | Effect::Guard)
}

pub(super) fn live_values(func: &Func) -> Vec<bool> {
    let cfg = Cfg::new(func);
    let mut live = vec![false; func.types.len()];
    let mut work: Vec<Value> = Vec::new();
    // Where each value comes from: its instruction, or the arguments passed to its parameter.
    let mut sources: Vec<Vec<Value>> = vec![Vec::new(); func.types.len()];
    for &id in &cfg.order {
        let block = &func.blocks[id.index()];
        for inst in &block.insts {
            if inst.result != Value::NONE {
                sources[inst.result.index()].extend_from_slice(&inst.args);
            }
            if stays(inst.op) {
                work.extend_from_slice(&inst.args);
            }
        }
        match &block.term {
            Some(Terminator::Branch { cond, .. }) => work.push(*cond),
            Some(Terminator::Return(status)) => work.push(*status),
            _ => {}
        }
        for target in block.term.iter().flat_map(Terminator::targets) {
            for (&arg, &param) in target.args.iter().zip(&func.blocks[target.block.index()].params) {
                sources[param.index()].push(arg);
            }
        }
    }
    while let Some(value) = work.pop() {
        if !std::mem::replace(&mut live[value.index()], true) {
            work.append(&mut sources[value.index()]);
        }
    }
    live
}

fn remove_dead_params(func: &mut Func, live: &[bool]) {
    let keep: Vec<Vec<bool>> = func
        .blocks
        .iter()
        .enumerate()
        .map(|(i, block)| block.params.iter().map(|p| i == 0 || live[p.index()]).collect())
        .collect();
    for (i, block) in func.blocks.iter_mut().enumerate() {
        let mut flags = keep[i].iter();
        block.params.retain(|_| *flags.next().unwrap_or(&true));
        for target in block.term.iter_mut().flat_map(Terminator::targets_mut) {
            let mut flags = keep[target.block.index()].iter();
            target.args.retain(|_| *flags.next().unwrap_or(&true));
        }
    }
}

/// Empties blocks that cannot be reached and renumbers the rest.
fn remove_unreachable(func: &mut Func) {
    let cfg = Cfg::new(func);
    if cfg.order.len() == func.blocks.len() {
        return;
    }
    let mut number = vec![None; func.blocks.len()];
    let mut next = 0;
    for (i, slot) in number.iter_mut().enumerate() {
        if cfg.position[i] != usize::MAX {
            *slot = Some(next);
            next += 1;
        }
    }
    let mut flags = number.iter();
    func.blocks.retain(|_| flags.next().is_some_and(Option::is_some));
    for block in &mut func.blocks {
        for target in block.term.iter_mut().flat_map(Terminator::targets_mut) {
            target.block.0 = number[target.block.index()].unwrap_or(0);
        }
    }
}
