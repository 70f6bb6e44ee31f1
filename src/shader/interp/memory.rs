//! Operations that read or write memory, or call.

use super::{Frame, Lanes, MAX_WIDTH};
use crate::exec::Problem;
use crate::memory::{REGION, live, raw};
use crate::shader::abi::Status;
use crate::shader::codegen::entry::{self, Trap};
use crate::shader::guard::{self, Guard, Kind};
use crate::shader::ir::{AtomicOp, Inst, NO_ORIGIN, Op};
use bytemuck::Pod;

/// Runs one instruction. An access that is not right leaves the frame marked as faulted.
pub(super) fn step(f: &mut Frame<'_>, inst: &Inst) {
    f.origin = inst.origin;
    f.atomic = inst.op.is_atomic();
    let done = match inst.op {
        Op::SLoad
        | Op::SLoad8
        | Op::SLoad16
        | Op::LLoad
        | Op::VLoadSplat
        | Op::VLoad
        | Op::VLoadMasked
        | Op::MLoadBits => uniform_load(f, inst),
        Op::SStore | Op::SStore8 | Op::SStore16 | Op::LStore | Op::VStore | Op::VStoreMasked => {
            uniform_store(f, inst)
        }
        Op::Gather | Op::Gather8 | Op::Gather16 | Op::GatherP | Op::GatherP8 | Op::GatherP16 => {
            gather(f, inst)
        }
        Op::Scatter | Op::Scatter8 | Op::Scatter16 | Op::ScatterP | Op::ScatterP8 | Op::ScatterP16 => {
            scatter(f, inst)
        }
        Op::Atomic | Op::AtomicP => atomic(f, inst),
        Op::AtomicCas | Op::AtomicCasP => atomic_cas(f, inst),
        Op::Atomic64P | Op::AtomicCas64P => atomic_64(f, inst),
        _ => {
            other(f, inst);
            Some(())
        }
    };
    debug_assert!(
        done.is_some() || f.faulted,
        "only faults end an instruction early"
    );
}

/// What accesses no memory of its own.
fn other(f: &mut Frame<'_>, inst: &Inst) {
    match inst.op {
        Op::Call => {
            let [code, ctx, arg] = [0, 1, 2].map(|i| f.scalar(inst.args[i]));
            let status = entry::call(code, ctx, arg);
            // What a routine has run into ends its caller too.
            if status == Status::Fault as u32 {
                f.faulted = true;
                if let Some(mut trap) = entry::take_trap() {
                    // Compiled routines do not tell, and what is reported is not to depend on the back end.
                    if !trap.exact {
                        (trap.size, trap.lane) = (0, None);
                    }
                    f.report(trap);
                }
            }
            f.set_scalar(inst.result, status.into());
        }
        Op::GuardL | Op::GuardP | Op::GuardO | Op::MaskedO | Op::MaskedP => check(f, inst),
        Op::LDevice => {
            let [ctx, address] = [0, 1].map(|i| f.scalar(inst.args[i]));
            f.set_scalar(inst.result, guard::device_address(ctx, address, inst.imm));
        }
        Op::LDescriptor => {
            let [at, ctx] = [0, 1].map(|i| f.scalar(inst.args[i]));
            if let Some(words) = f.load(at) {
                f.set_scalar(inst.result, guard::descriptor_at(ctx, at, words, inst.imm));
            }
        }
        _ => std::sync::atomic::fence(std::sync::atomic::Ordering::SeqCst),
    }
}

fn check(f: &mut Frame<'_>, inst: &Inst) {
    let args = &inst.args;
    let address: [u64; MAX_WIDTH] = match inst.op {
        Op::GuardL => [f.scalar(args[1]); MAX_WIDTH],
        Op::GuardP | Op::MaskedP => {
            std::array::from_fn(|i| u64::from(f.lanes(args[1])[i]) | u64::from(f.lanes(args[2])[i]) << 32)
        }
        _ => std::array::from_fn(|i| {
            f.scalar(args[1])
                .wrapping_add_signed(i64::from(f.lanes(args[2])[i] as i32))
        }),
    };
    let guard = Guard::decode(inst.imm);
    let last = f.scalar(args[args.len() - 1]);
    let lanes = guard::Lanes {
        address,
        mask: if guard.masked {
            f.scalar(args[3]) & !last
        } else {
            last
        },
        whole: inst.op == Op::GuardL && guard.kind == Kind::Read,
        base: (!matches!(inst.op, Op::GuardP | Op::MaskedP)).then(|| f.scalar(args[1])),
    };
    let ctx = f.scalar(args[0]);
    let found = match guard.masked {
        true if lanes.mask == 0 => None,
        true => guard::masked(ctx, guard, &lanes, 0, inst.origin),
        false => guard::check(ctx, guard, &lanes),
    };
    if let Some(trap) = found {
        f.report(trap);
    }
}

/// Where windows of devices are: everything else is the engine's own memory, or has been guarded.
const WINDOWS: std::ops::Range<u64> = REGION.0 - (1 << 32)..REGION.0 + REGION.1;

/// No process has memory below.
const LOW: u64 = 1 << 16;

impl Frame<'_> {
    /// Whether an access is right; if not, it is reported as page protection would do.
    fn reach(&mut self, address: u64, size: u64, write: bool) -> bool {
        if address < LOW {
            self.report(Trap {
                problem: Some(Problem::Null),
                size: size as u32,
                ..Trap::new(address, write, 0)
            });
            return false;
        }
        if !WINDOWS.contains(&address) {
            return true;
        }
        let generation = live::generation();
        if self.generation == generation && self.known.holds(address, size) {
            return true;
        }
        let Some(at) = guard::first_unmapped(address, size) else {
            self.generation = generation;
            self.known = live::pages(address).unwrap_or_default();
            return true;
        };
        if live::window(at).is_none() {
            return true;
        }
        let ctx = self.scalar(self.func.blocks[0].params[0]);
        let (address, problem) = guard::explain(ctx, at);
        self.report(Trap {
            problem: Some(problem),
            size: size as u32,
            ..Trap::new(address, write, 0)
        });
        false
    }

    /// Ends the run with a trap of the instruction at hand.
    fn report(&mut self, trap: Trap) {
        entry::report(Trap {
            origin: if self.origin == NO_ORIGIN {
                trap.origin
            } else {
                self.origin
            },
            atomic: trap.atomic || self.atomic,
            ..trap
        });
        self.faulted = true;
    }

    fn load<T: Pod>(&mut self, address: u64) -> Option<T> {
        if !self.reach(address, size_of::<T>() as u64, false) {
            return None;
        }
        Some(match &self.overlay {
            Some(overlay) if WINDOWS.contains(&address) => overlay.borrow().load(address),
            _ => raw::load(address),
        })
    }

    fn store<T: Pod>(&mut self, address: u64, value: T) -> Option<()> {
        if !self.reach(address, size_of::<T>() as u64, true) {
            return None;
        }
        match &self.overlay {
            Some(overlay) if WINDOWS.contains(&address) => overlay.borrow_mut().store(address, value),
            _ => raw::store(address, value),
        }
        Some(())
    }
}

fn uniform_load(f: &mut Frame<'_>, inst: &Inst) -> Option<()> {
    let at = f.scalar(inst.args[0]).wrapping_add_signed(inst.imm);
    let mut lanes = [0; MAX_WIDTH];
    let scalar = match inst.op {
        Op::SLoad => f.load::<u32>(at)?.into(),
        Op::SLoad8 => f.load::<u8>(at)?.into(),
        Op::SLoad16 => f.load::<u16>(at)?.into(),
        Op::LLoad => f.load::<u64>(at)?,
        Op::MLoadBits if f.width == 8 => f.load::<u8>(at)?.into(),
        Op::MLoadBits => f.load::<u16>(at)?.into(),
        Op::VLoadSplat => {
            lanes[..f.width].fill(f.load(at)?);
            f.set_lanes(inst.result, lanes);
            return Some(());
        }
        op => {
            let m = if op == Op::VLoad {
                f.all_lanes()
            } else {
                f.scalar(inst.args[1])
            };
            for i in on(m, f.width) {
                f.lane = Some(i as u32);
                lanes[i] = f.load(at.wrapping_add(4 * i as u64))?;
            }
            f.set_lanes(inst.result, lanes);
            return Some(());
        }
    };
    f.set_scalar(inst.result, scalar);
    Some(())
}

fn uniform_store(f: &mut Frame<'_>, inst: &Inst) -> Option<()> {
    let at = f.scalar(inst.args[0]).wrapping_add_signed(inst.imm);
    let value = inst.args[1];
    match inst.op {
        Op::SStore => f.store(at, f.s32(value)),
        Op::SStore8 => f.store(at, f.s32(value) as u8),
        Op::SStore16 => f.store(at, f.s32(value) as u16),
        Op::LStore => f.store(at, f.scalar(value)),
        op => {
            let m = if op == Op::VStore {
                f.all_lanes()
            } else {
                f.scalar(inst.args[2])
            };
            let lanes = *f.lanes(value);
            on(m, f.width).try_for_each(|i| {
                f.lane = Some(i as u32);
                f.store(at.wrapping_add(4 * i as u64), lanes[i])
            })
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
            | Op::Atomic64P
            | Op::AtomicCas64P
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

fn gather(f: &mut Frame<'_>, inst: &Inst) -> Option<()> {
    let at = addresses(f, inst, inst.imm);
    let m = f.scalar(inst.args[2]);
    let mut out: Lanes = [0; MAX_WIDTH];
    for i in on(m, f.width) {
        f.lane = Some(i as u32);
        out[i] = match inst.op {
            Op::Gather8 | Op::GatherP8 => f.load::<u8>(at[i])?.into(),
            Op::Gather16 | Op::GatherP16 => f.load::<u16>(at[i])?.into(),
            _ => f.load(at[i])?,
        }
    }
    f.set_lanes(inst.result, out);
    Some(())
}

fn scatter(f: &mut Frame<'_>, inst: &Inst) -> Option<()> {
    let at = addresses(f, inst, inst.imm);
    let (value, m) = (*f.lanes(inst.args[2]), f.scalar(inst.args[3]));
    on(m, f.width).try_for_each(|i| {
        f.lane = Some(i as u32);
        match inst.op {
            Op::Scatter8 | Op::ScatterP8 => f.store(at[i], value[i] as u8),
            Op::Scatter16 | Op::ScatterP16 => f.store(at[i], value[i] as u16),
            _ => f.store(at[i], value[i]),
        }
    })
}

/// A read-modify-write of a lane's word.
fn update(f: &mut Frame<'_>, address: u64, mut change: impl FnMut(u32) -> u32) -> Option<u32> {
    if f.overlay.is_some() {
        let old = f.load(address)?;
        return f.store(address, change(old)).map(|()| old);
    }
    f.reach(address, 4, true)
        .then(|| raw::update_u32(address, change))
}

fn atomic(f: &mut Frame<'_>, inst: &Inst) -> Option<()> {
    let at = addresses(f, inst, 0);
    let (value, m) = (*f.lanes(inst.args[2]), f.scalar(inst.args[3]));
    let op = AtomicOp::from_imm(inst.imm).unwrap_or(AtomicOp::Load);
    let mut out: Lanes = [0; MAX_WIDTH];
    for i in on(m, f.width) {
        f.lane = Some(i as u32);
        out[i] = if op == AtomicOp::Load {
            f.load(at[i])?
        } else {
            update(f, at[i], |old| modify(op, old, value[i]))?
        };
    }
    f.set_lanes(inst.result, out);
    Some(())
}

fn atomic_64(f: &mut Frame<'_>, inst: &Inst) -> Option<()> {
    let at = addresses(f, inst, 0);
    let words = |f: &Frame<'_>, n: usize, i: usize| {
        let [low, high] = [n, n + 1].map(|n| f.lanes(inst.args[n])[i]);
        u64::from(low) | u64::from(high) << 32
    };
    let exchange = inst.op == Op::AtomicCas64P;
    let op = AtomicOp::from_imm(inst.imm).unwrap_or(AtomicOp::Load);
    let (mask, out) = if exchange { (6, 7) } else { (4, 5) };
    let (m, out) = (f.scalar(inst.args[mask]), f.scalar(inst.args[out]));
    let mut olds = [0u64; MAX_WIDTH];
    for i in on(m, f.width) {
        f.lane = Some(i as u32);
        let value = words(f, 2, i);
        let expected = if exchange { words(f, 4, i) } else { 0 };
        let change = |old: u64| match exchange {
            true if old == expected => value,
            true => old,
            false => modify_64(op, old, value),
        };
        olds[i] = if !exchange && op == AtomicOp::Load {
            f.load(at[i])?
        } else if f.overlay.is_some() {
            let old = f.load(at[i])?;
            f.store(at[i], change(old))?;
            old
        } else {
            f.reach(at[i], 8, true).then(|| raw::update_u64(at[i], change))?
        };
    }
    for (i, old) in (0u64..).zip(&olds[..f.width]) {
        f.store(out + 4 * i, *old as u32)?;
        f.store(out + 4 * (i + f.width as u64), (old >> 32) as u32)?;
    }
    Some(())
}

fn modify_64(op: AtomicOp, old: u64, x: u64) -> u64 {
    match op {
        AtomicOp::Add => old.wrapping_add(x),
        AtomicOp::And => old & x,
        AtomicOp::Or => old | x,
        AtomicOp::Xor => old ^ x,
        AtomicOp::MinS => (old as i64).min(x as i64) as u64,
        AtomicOp::MaxS => (old as i64).max(x as i64) as u64,
        AtomicOp::MinU => old.min(x),
        AtomicOp::MaxU => old.max(x),
        AtomicOp::Exchange => x,
        AtomicOp::Load | AtomicOp::FAdd => old,
    }
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

fn atomic_cas(f: &mut Frame<'_>, inst: &Inst) -> Option<()> {
    let at = addresses(f, inst, 0);
    let [value, expected] = [2, 3].map(|i| *f.lanes(inst.args[i]));
    let m = f.scalar(inst.args[4]);
    let mut out: Lanes = [0; MAX_WIDTH];
    for i in on(m, f.width) {
        f.lane = Some(i as u32);
        out[i] = update(f, at[i], |old| if old == expected[i] { value[i] } else { old })?;
    }
    f.set_lanes(inst.result, out);
    Some(())
}
