//! Guards: which of them are compiled, and where each keeps what it has found.

use crate::shader::abi::{Context, Guards, LIVE_SLOTS};
use crate::shader::guard::{Guard, Mode};
use crate::shader::ir::{Func, Inst, NO_ORIGIN, Op, Type, Value};
use std::mem::offset_of;

/// Leaves those that the mode asks for, and what tells of masked accesses if `masked`. Comes before the other passes.
pub fn choose(func: &mut Func, mode: Mode, masked: bool) {
    if masked {
        note_call_sites(func);
    }
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
                    // The others have an address that has been through `l.device`, but where lanes differ.
                    Mode::Pages => guard.pointer || inst.op == Op::GuardP,
                    Mode::Exact => true,
                }
            }
            Op::MaskedO | Op::MaskedP => {
                // In routines it is the call that counts.
                let guard = Guard {
                    pointer: inst.origin == NO_ORIGIN,
                    ..Guard::decode(inst.imm)
                };
                inst.imm = guard.encode();
                masked
            }
            Op::CallSite => false,
            Op::LDevice | Op::LDescriptor if mode == Mode::Off => {
                let address = usize::from(inst.op == Op::LDevice);
                replaced[inst.result.index()] = inst.args[address];
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

/// Makes stores of the notes of calls.
fn note_call_sites(func: &mut Func) {
    let at = offset_of!(Context, guards) + offset_of!(Guards, call_site);
    for block in 0..func.blocks.len() {
        let mut insts = Vec::with_capacity(func.blocks[block].insts.len());
        for inst in std::mem::take(&mut func.blocks[block].insts) {
            if inst.op != Op::CallSite {
                insts.push(inst);
                continue;
            }
            let origin = func.add_value(Type::S32);
            insts.push(Inst {
                op: Op::SConst,
                args: [].into_iter().collect(),
                imm: i64::from(inst.origin),
                result: origin,
                origin: inst.origin,
            });
            insts.push(Inst {
                op: Op::SStore,
                args: [inst.args[0], origin].into_iter().collect(),
                imm: at as i64,
                result: Value::NONE,
                origin: inst.origin,
            });
        }
        func.blocks[block].insts = insts;
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

/// Slots for guards of descriptors whose addresses differ from lane to lane.
const DESCRIPTOR_SLOTS: u8 = 8;

/// Gives each guard a slot for what it has found to be live; neighbours get different ones. Comes after the other
/// passes, which merge equal guards.
pub fn give_slots(func: &mut Func) {
    let guards = func
        .blocks
        .iter_mut()
        .flat_map(|block| &mut block.insts)
        .filter(|inst| matches!(inst.op, Op::GuardL | Op::GuardP | Op::GuardO));
    // What is known for a pointer is a buffer, for a descriptor an allocation: they must not meet.
    let mut pointers = (0..LIVE_SLOTS as u8 - DESCRIPTOR_SLOTS).cycle();
    let mut descriptors = (LIVE_SLOTS as u8 - DESCRIPTOR_SLOTS..LIVE_SLOTS as u8).cycle();
    for inst in guards {
        let guard = Guard::decode(inst.imm);
        let slots = if guard.pointer {
            &mut pointers
        } else {
            &mut descriptors
        };
        let slot = slots.next().unwrap_or(0);
        inst.imm = Guard { slot, ..guard }.encode();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shader::guard::Kind;
    use crate::shader::ir::{BlockId, Builder, Type};

    #[test]
    fn guards_of_pointers_and_of_descriptors_share_no_slot() {
        let mut func = Func::new("guards", 8, &[Type::S64, Type::S64]);
        let (ctx, address) = (func.blocks[0].params[0], func.blocks[0].params[1]);
        let mut b = Builder::new(&mut func, BlockId(0));
        let all = b.mconst(1);
        for i in 0..100 {
            b.guard_l(
                ctx,
                address,
                all,
                Guard::new(Kind::Read, i % 3 == 0, 4, 1, 4, 4 * i).encode(),
            );
        }
        give_slots(&mut func);
        let guards: Vec<Guard> = func.blocks[0]
            .insts
            .iter()
            .filter(|inst| inst.op == Op::GuardL)
            .map(|inst| Guard::decode(inst.imm))
            .collect();
        let slots = |pointer| {
            guards
                .iter()
                .filter(move |g| g.pointer == pointer)
                .map(|g| g.slot)
        };
        assert_eq!((slots(true).count(), slots(false).count()), (34, 66));
        assert!(slots(true).max() < slots(false).min());
    }
}
