//! Operations that read or write memory, or call.

use super::{Frame, Lanes, MAX_WIDTH};
use crate::memory::raw;
use crate::shader::codegen::entry;
use crate::shader::ir::{AtomicOp, Inst, Op};

/// Runs one instruction.
pub(super) fn step(f: &mut Frame<'_>, inst: &Inst) {
    match inst.op {
        Op::SLoad
        | Op::SLoad8
        | Op::SLoad16
        | Op::LLoad
        | Op::VLoadSplat
        | Op::VLoad
        | Op::VLoadMasked
        | Op::MLoadBits => {
            uniform_load(f, inst);
        }
        Op::SStore | Op::SStore8 | Op::SStore16 | Op::LStore | Op::VStore | Op::VStoreMasked => {
            uniform_store(f, inst);
        }
        Op::Gather | Op::Gather8 | Op::Gather16 | Op::GatherP | Op::GatherP8 | Op::GatherP16 => {
            gather(f, inst);
        }
        Op::Scatter | Op::Scatter8 | Op::Scatter16 | Op::ScatterP | Op::ScatterP8 | Op::ScatterP16 => {
            scatter(f, inst);
        }
        Op::Atomic | Op::AtomicP => atomic(f, inst),
        Op::AtomicCas | Op::AtomicCasP => atomic_cas(f, inst),
        Op::Call => {
            let [code, ctx, arg] = [0, 1, 2].map(|i| f.scalar(inst.args[i]));
            f.set_scalar(inst.result, entry::call(code, ctx, arg).into());
        }
        _ => std::sync::atomic::fence(std::sync::atomic::Ordering::SeqCst),
    }
}

fn uniform_load(f: &mut Frame<'_>, inst: &Inst) {
    let at = f.scalar(inst.args[0]).wrapping_add_signed(inst.imm);
    let mut lanes = [0; MAX_WIDTH];
    let scalar = match inst.op {
        Op::SLoad => raw::load::<u32>(at).into(),
        Op::SLoad8 => raw::load::<u8>(at).into(),
        Op::SLoad16 => raw::load::<u16>(at).into(),
        Op::LLoad => raw::load::<u64>(at),
        Op::MLoadBits if f.width == 8 => raw::load::<u8>(at).into(),
        Op::MLoadBits => raw::load::<u16>(at).into(),
        Op::VLoadSplat => {
            lanes[..f.width].fill(raw::load(at));
            return f.set_lanes(inst.result, lanes);
        }
        op => {
            let m = if op == Op::VLoad {
                f.all_lanes()
            } else {
                f.scalar(inst.args[1])
            };
            on(m, f.width).for_each(|i| lanes[i] = raw::load(at + 4 * i as u64));
            return f.set_lanes(inst.result, lanes);
        }
    };
    f.set_scalar(inst.result, scalar);
}

fn uniform_store(f: &mut Frame<'_>, inst: &Inst) {
    let at = f.scalar(inst.args[0]).wrapping_add_signed(inst.imm);
    let value = inst.args[1];
    match inst.op {
        Op::SStore => raw::store(at, f.s32(value)),
        Op::SStore8 => raw::store(at, f.s32(value) as u8),
        Op::SStore16 => raw::store(at, f.s32(value) as u16),
        Op::LStore => raw::store(at, f.scalar(value)),
        op => {
            let m = if op == Op::VStore {
                f.all_lanes()
            } else {
                f.scalar(inst.args[2])
            };
            let lanes = f.lanes(value);
            on(m, f.width).for_each(|i| raw::store(at + 4 * i as u64, lanes[i]));
        }
    }
}

/// The lanes that are on, lowest first.
fn on(m: u64, width: usize) -> impl Iterator<Item = usize> {
    (0..width).filter(move |i| m >> i & 1 != 0)
}

/// The address of each lane, and the index of the first operand after the address.
fn addresses(f: &Frame<'_>, inst: &Inst, disp: i64) -> [u64; MAX_WIDTH] {
    let by_pair = matches!(
        inst.op,
        Op::GatherP
            | Op::GatherP8
            | Op::GatherP16
            | Op::ScatterP
            | Op::ScatterP8
            | Op::ScatterP16
            | Op::AtomicP
            | Op::AtomicCasP
    );
    let low = f.lanes(if by_pair { inst.args[0] } else { inst.args[1] });
    std::array::from_fn(|i| {
        let base = if by_pair {
            u64::from(low[i]) | u64::from(f.lanes(inst.args[1])[i]) << 32
        } else {
            f.scalar(inst.args[0])
                .wrapping_add_signed(i64::from(low[i] as i32))
        };
        base.wrapping_add_signed(disp)
    })
}

fn gather(f: &mut Frame<'_>, inst: &Inst) {
    let at = addresses(f, inst, inst.imm);
    let m = f.scalar(inst.args[2]);
    let mut out: Lanes = [0; MAX_WIDTH];
    on(m, f.width).for_each(|i| {
        out[i] = match inst.op {
            Op::Gather8 | Op::GatherP8 => raw::load::<u8>(at[i]).into(),
            Op::Gather16 | Op::GatherP16 => raw::load::<u16>(at[i]).into(),
            _ => raw::load(at[i]),
        }
    });
    f.set_lanes(inst.result, out);
}

fn scatter(f: &mut Frame<'_>, inst: &Inst) {
    let at = addresses(f, inst, inst.imm);
    let (value, m) = (f.lanes(inst.args[2]), f.scalar(inst.args[3]));
    on(m, f.width).for_each(|i| match inst.op {
        Op::Scatter8 | Op::ScatterP8 => raw::store(at[i], value[i] as u8),
        Op::Scatter16 | Op::ScatterP16 => raw::store(at[i], value[i] as u16),
        _ => raw::store(at[i], value[i]),
    });
}

fn atomic(f: &mut Frame<'_>, inst: &Inst) {
    let at = addresses(f, inst, 0);
    let (value, m) = (*f.lanes(inst.args[2]), f.scalar(inst.args[3]));
    let op = AtomicOp::from_imm(inst.imm).unwrap_or(AtomicOp::Load);
    let mut out: Lanes = [0; MAX_WIDTH];
    on(m, f.width).for_each(|i| out[i] = raw::update_u32(at[i], |old| modify(op, old, value[i])));
    f.set_lanes(inst.result, out);
}

fn modify(op: AtomicOp, old: u32, x: u32) -> u32 {
    match op {
        AtomicOp::Add => old.wrapping_add(x),
        AtomicOp::And => old & x,
        AtomicOp::Or => old | x,
        AtomicOp::Xor => old ^ x,
        AtomicOp::MinS => (old as i32).min(x as i32) as u32,
        AtomicOp::MaxS => (old as i32).max(x as i32) as u32,
        AtomicOp::MinU => old.min(x),
        AtomicOp::MaxU => old.max(x),
        AtomicOp::Exchange => x,
        AtomicOp::Load => old,
        AtomicOp::FAdd => (f32::from_bits(old) + f32::from_bits(x)).to_bits(),
    }
}

fn atomic_cas(f: &mut Frame<'_>, inst: &Inst) {
    let at = addresses(f, inst, 0);
    let [value, expected] = [2, 3].map(|i| *f.lanes(inst.args[i]));
    let m = f.scalar(inst.args[4]);
    let mut out: Lanes = [0; MAX_WIDTH];
    on(m, f.width).for_each(|i| {
        out[i] = raw::update_u32(at[i], |old| if old == expected[i] { value[i] } else { old });
    });
    f.set_lanes(inst.result, out);
}
