//! Guards: which of them are compiled, and where each keeps what it has found.

use crate::shader::abi::LIVE_SLOTS;
use crate::shader::guard::{Guard, Mode};
use crate::shader::ir::{Func, Op, Value};

/// Leaves those that the mode asks for. Comes before the other passes.
pub fn choose(func: &mut Func, mode: Mode) {
    let mut replaced: Vec<Value> = (0..func.types.len() as u32).map(Value).collect();
    let mut any = false;
    for block in &mut func.blocks {
        block.insts.retain_mut(|inst| match inst.op {
            Op::GuardL | Op::GuardP | Op::GuardO => {
                let guard = Guard {
                    exact: mode == Mode::Exact,
                    ..Guard::decode(inst.imm)
                };
                inst.imm = guard.encode();
                match mode {
                    Mode::Off => false,
                    // The others have an address that has been through `l.device`.
                    Mode::Pages => guard.pointer,
                    Mode::Exact => true,
                }
            }
            Op::LDevice if mode == Mode::Off => {
                replaced[inst.result.index()] = inst.args[1];
                any = true;
                false
            }
            _ => true,
        });
    }
    if any {
        rename(func, &replaced);
    }
}

fn rename(func: &mut Func, replaced: &[Value]) {
    for block in &mut func.blocks {
        for inst in &mut block.insts {
            for arg in &mut inst.args {
                *arg = replaced[arg.index()];
            }
        }
        if let Some(term) = &mut block.term {
            for target in term.targets_mut() {
                for arg in &mut target.args {
                    *arg = replaced[arg.index()];
                }
            }
        }
    }
}

/// Gives each guard a slot for what it has found to be live; neighbours get different ones. Comes after the other
/// passes, which merge equal guards.
pub fn give_slots(func: &mut Func) {
    let guards = func
        .blocks
        .iter_mut()
        .flat_map(|block| &mut block.insts)
        .filter(|inst| matches!(inst.op, Op::GuardL | Op::GuardP | Op::GuardO));
    for (inst, slot) in guards.zip((0..LIVE_SLOTS as u8).cycle()) {
        inst.imm = Guard {
            slot,
            ..Guard::decode(inst.imm)
        }
        .encode();
    }
}
