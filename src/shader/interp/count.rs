//! Loops that only count: many turns taken at once.
//!
//! Machine code turns hundreds of millions of times within the fuel of a wave; here that would take minutes. So where a
//! loop has turned for a while without touching memory but for its fuel, one turn is followed with the steps by which
//! its values change. If every value changes by the same step in each turn, and every comparison has the same outcome for
//! the next `n` turns, then these turns are an addition of `n` steps. All else is run: what comes out is always the same.

use super::{Frame, Lanes, MAX_WIDTH};
use crate::memory::raw;
use crate::shader::abi::Context;
use crate::shader::ir::{Inst, Op, Target, Type, Value};
use std::mem::offset_of;

/// Turns before the first try.
const PATIENCE: u64 = 4096;

/// What is known of the latest turns of the innermost loop.
#[derive(Clone, Debug)]
pub(super) struct Spin {
    /// Turns before the first try.
    patience: u64,
    /// The header that the latest turn began at.
    header: Option<usize>,
    /// Whether it has touched memory.
    touched: bool,
    /// Turns in a row that have not.
    turns: u64,
    /// How many they must be before the next try.
    next: u64,
    /// The fuel at the latest turn.
    fuel: i64,
    /// The turn that is being followed.
    trace: Option<Box<Trace>>,
}

impl Default for Spin {
    fn default() -> Spin {
        Spin {
            patience: PATIENCE,
            header: None,
            touched: false,
            turns: 0,
            next: PATIENCE,
            fuel: 0,
            trace: None,
        }
    }
}

impl Spin {
    /// Whether a turn is being followed.
    pub(super) fn is_followed(&self) -> bool {
        self.trace.is_some()
    }
}

/// A turn that is followed.
#[derive(Clone, Debug)]
struct Trace {
    /// By value number: what is added from turn to turn.
    steps: Vec<u64>,
    lanes: Vec<Lanes>,
    fuel: i64,
    /// Further turns for which every comparison has the outcome that it had in this one.
    turns: u64,
    /// Something changes in another way.
    failed: bool,
}

fn fuel_field() -> i64 {
    offset_of!(Context, fuel) as i64
}

impl Frame<'_> {
    fn is_context(&self, inst: &Inst) -> bool {
        inst.args.first() == self.func.blocks[0].params.first()
    }

    fn fuel_address(&self) -> u64 {
        self.scalar(self.func.blocks[0].params[0]) + fuel_field() as u64
    }

    /// Notes an operation on memory.
    pub(super) fn touch(&mut self, inst: &Inst) {
        let constant = match inst.op {
            Op::SLoad | Op::LLoad => self.is_context(inst),
            Op::LStore => self.is_context(inst) && inst.imm == fuel_field(),
            _ => false,
        };
        self.spin.touched |= !constant;
    }

    /// Notes a jump back to a header, and enters it.
    pub(super) fn turn(&mut self, target: &Target) -> usize {
        let header = target.block.index();
        let again = self.spin.header == Some(header) && !self.spin.touched;
        self.spin.touched = false;
        self.spin.header = Some(header);
        if !again {
            (self.spin.turns, self.spin.next, self.spin.trace) = (0, self.spin.patience, None);
            return self.enter(target);
        }
        self.spin.turns += 1;
        let at = self.fuel_address();
        let spent = raw::load::<i64>(at).wrapping_sub(std::mem::replace(&mut self.spin.fuel, raw::load(at)));
        if self.stays(target) {
            // The same turn for ever.
            raw::store::<i64>(at, 0);
        }
        let trace = self.spin.trace.take();
        if trace.is_none() && self.spin.turns < self.spin.next {
            return self.enter(target);
        }
        let steps = self.steps_to(target);
        let was_followed = trace.is_some();
        let leap = trace.and_then(|trace| self.leap(&trace, target, &steps, spent));
        let block = self.enter(target);
        match leap {
            // Something is about to come out in another way: past that it goes on.
            Some(0) => self.spin.next = self.spin.turns + 16,
            Some(turns) => self.skip(header, &steps, turns, spent),
            None if was_followed => self.spin.next = self.spin.turns * 2,
            None => {}
        }
        if self.spin.turns >= self.spin.next {
            self.spin.trace = Some(Box::new(self.follow(header, &steps, spent)));
        }
        block
    }

    /// Whether a header would get the values that it has.
    fn stays(&self, target: &Target) -> bool {
        let params = &self.func.blocks[target.block.index()].params;
        let same = |(&param, &arg): (&Value, &Value)| match self.func.ty(param) {
            Type::V => self.lanes(param) == self.lanes(arg),
            _ => self.scalar(param) == self.scalar(arg),
        };
        params.iter().zip(&target.args).all(same)
    }

    /// What the parameters of a header change by.
    fn steps_to(&self, target: &Target) -> Vec<Lanes> {
        let params = &self.func.blocks[target.block.index()].params;
        let step = |(&param, &arg): (&Value, &Value)| match self.func.ty(param) {
            Type::V => {
                let (old, new) = (self.lanes(param), self.lanes(arg));
                std::array::from_fn(|i| new[i].wrapping_sub(old[i]))
            }
            Type::S32 => halves(self.s32(arg).wrapping_sub(self.s32(param)).into()),
            _ => halves(self.scalar(arg).wrapping_sub(self.scalar(param))),
        };
        params.iter().zip(&target.args).map(step).collect()
    }

    /// Begins to follow the turn that begins.
    fn follow(&self, header: usize, steps: &[Lanes], fuel: i64) -> Trace {
        let n = self.func.types.len();
        let mut trace = Trace {
            steps: vec![0; n],
            lanes: vec![[0; MAX_WIDTH]; n],
            fuel,
            turns: u64::MAX,
            failed: false,
        };
        for (&param, step) in self.func.blocks[header].params.iter().zip(steps) {
            match self.func.ty(param) {
                Type::V => trace.lanes[param.index()] = *step,
                Type::B | Type::M => trace.failed |= *step != [0; MAX_WIDTH],
                _ => trace.steps[param.index()] = whole(step),
            }
        }
        trace
    }

    /// How many further turns are like the one that was followed.
    fn leap(&self, trace: &Trace, target: &Target, steps: &[Lanes], fuel: i64) -> Option<u64> {
        let params = &self.func.blocks[target.block.index()].params;
        let same = params
            .iter()
            .zip(&target.args)
            .zip(steps)
            .all(|((&param, &arg), step)| {
                let known = |value: Value| match self.func.ty(value) {
                    Type::V => trace.lanes[value.index()],
                    _ => halves(trace.steps[value.index()]),
                };
                known(param) == *step && known(arg) == *step
            });
        (same && !trace.failed && trace.fuel == fuel && trace.turns < u64::MAX).then_some(trace.turns)
    }

    /// Takes so many turns at once.
    fn skip(&mut self, header: usize, steps: &[Lanes], turns: u64, fuel: i64) {
        let func = self.func;
        for (&param, step) in func.blocks[header].params.iter().zip(steps) {
            match func.ty(param) {
                Type::V => {
                    let old = *self.lanes(param);
                    let new = |i: usize| old[i].wrapping_add(step[i].wrapping_mul(turns as u32));
                    self.set_lanes(param, std::array::from_fn(new));
                }
                Type::S32 => {
                    let new = self.s32(param).wrapping_add(step[0].wrapping_mul(turns as u32));
                    self.set_scalar(param, new.into());
                }
                _ => {
                    let new = self.scalar(param).wrapping_add(whole(step).wrapping_mul(turns));
                    self.set_scalar(param, new);
                }
            }
        }
        let at = self.fuel_address();
        let left = raw::load::<i64>(at).wrapping_add(fuel.wrapping_mul(turns as i64));
        raw::store(at, left);
        self.spin.fuel = left;
    }

    /// Follows an instruction that has been run, where a turn is followed.
    pub(super) fn trace(&mut self, inst: &Inst) {
        if let Some(mut trace) = self.spin.trace.take() {
            if !trace.failed && self.trace_step(&mut trace, inst).is_none() {
                trace.failed = true;
            }
            self.spin.trace = Some(trace);
        }
    }

    /// Follows the arguments of a block.
    pub(super) fn trace_enter(&mut self, target: &Target) {
        let Some(trace) = &mut self.spin.trace else { return };
        let params = &self.func.blocks[target.block.index()].params;
        let of = |&arg: &Value| (trace.steps[arg.index()], trace.lanes[arg.index()]);
        let passed: Vec<_> = target.args.iter().map(of).collect();
        for (param, (step, lanes)) in params.iter().zip(passed) {
            (trace.steps[param.index()], trace.lanes[param.index()]) = (step, lanes);
        }
    }

    /// `None` where the result does not change by a step.
    fn trace_step(&self, trace: &mut Trace, inst: &Inst) -> Option<()> {
        let fuel = self.is_context(inst) && inst.imm == fuel_field();
        match inst.op {
            Op::LLoad if fuel => trace.steps[inst.result.index()] = trace.fuel as u64,
            Op::LStore if fuel => {
                return (trace.steps[inst.args[1].index()] == trace.fuel as u64).then_some(());
            }
            _ if inst.op.info().result.is_none() => return inst.args.is_empty().then_some(()),
            _ => {
                let still = |&arg: &Value| {
                    trace.steps[arg.index()] == 0 && trace.lanes[arg.index()] == [0; MAX_WIDTH]
                };
                let (step, lanes) = match inst.args.iter().all(still) {
                    true => (0, [0; MAX_WIDTH]),
                    false => self.step_of(trace, inst)?,
                };
                (trace.steps[inst.result.index()], trace.lanes[inst.result.index()]) = (step, lanes);
            }
        }
        Some(())
    }

    /// The step of a result of which some operand changes.
    fn step_of(&self, trace: &mut Trace, inst: &Inst) -> Option<(u64, Lanes)> {
        let step = |i: usize| trace.steps[inst.args[i].index()];
        let lanes = |i: usize| &trace.lanes[inst.args[i].index()];
        let value = |i: usize| self.scalar(inst.args[i]);
        let none = [0; MAX_WIDTH];
        let short = |x: u64| Some((u64::from(x as u32), none));
        let each = |f: &dyn Fn(usize) -> u32| Some((0, std::array::from_fn(f)));
        match inst.op {
            Op::SAdd => short(step(0).wrapping_add(step(1))),
            Op::SSub => short(step(0).wrapping_sub(step(1))),
            Op::SMul if step(1) == 0 => short(step(0).wrapping_mul(value(1))),
            Op::SMul if step(0) == 0 => short(step(1).wrapping_mul(value(0))),
            Op::SShl if step(1) == 0 => short((step(0) as u32).wrapping_shl(value(1) as u32).into()),
            Op::LTrunc => short(step(0)),
            Op::LAdd => Some((step(0).wrapping_add(step(1)), none)),
            Op::LSub => Some((step(0).wrapping_sub(step(1)), none)),
            Op::LMul if step(1) == 0 => Some((step(0).wrapping_mul(value(1)), none)),
            Op::LMul if step(0) == 0 => Some((step(1).wrapping_mul(value(0)), none)),
            Op::SSelect | Op::LSelect => Some((step(if value(0) != 0 { 1 } else { 2 }), none)),
            Op::VAdd => each(&|i| lanes(0)[i].wrapping_add(lanes(1)[i])),
            Op::VSub => each(&|i| lanes(0)[i].wrapping_sub(lanes(1)[i])),
            Op::VMul if *lanes(1) == none => {
                let factor = self.lanes(inst.args[1]);
                each(&|i| lanes(0)[i].wrapping_mul(factor[i]))
            }
            Op::VMul if *lanes(0) == none => {
                let factor = self.lanes(inst.args[0]);
                each(&|i| lanes(1)[i].wrapping_mul(factor[i]))
            }
            Op::VShl if *lanes(1) == none => {
                let by = self.lanes(inst.args[1]);
                each(&|i| lanes(0)[i].wrapping_shl(by[i]))
            }
            Op::VSelect => {
                let mask = value(0);
                each(&|i| {
                    if mask >> i & 1 != 0 {
                        lanes(1)[i]
                    } else {
                        lanes(2)[i]
                    }
                })
            }
            Op::VSplat => each(&|i| if i < self.width { step(0) as u32 } else { 0 }),
            Op::VReadFirst => match value(1) {
                0 => Some((0, none)),
                mask => short(lanes(0)[mask.trailing_zeros() as usize].into()),
            },
            _ => {
                let turns = self.constant_for(trace, inst)?;
                trace.turns = trace.turns.min(turns);
                Some((0, none))
            }
        }
    }

    /// For how many further turns a comparison has the outcome that it has now.
    fn constant_for(&self, trace: &Trace, inst: &Inst) -> Option<u64> {
        let [a, b] = inst.args[..] else { return None };
        let line = |value: u64, step: u64| match inst.op {
            Op::SLtS | Op::SLeS | Op::VLtS | Op::VLeS => {
                Line::new(value as i32, step as i32, i32::MIN, i32::MAX)
            }
            Op::LLtS => Line::new(value as i64, step as i64, i64::MIN, i64::MAX),
            Op::LLtU | Op::LEq => Line::new(value, step as i64, 0, u64::MAX),
            _ => Line::new(value as u32, step as i32, 0, u32::MAX),
        };
        let relation = match inst.op {
            Op::SEq | Op::VEq | Op::LEq | Op::SNe | Op::VNe => Relation::Equal,
            Op::SLtS | Op::SLtU | Op::VLtS | Op::VLtU | Op::LLtS | Op::LLtU => Relation::Less,
            Op::SLeS | Op::SLeU | Op::VLeS | Op::VLeU => Relation::LessOrEqual,
            _ => return None,
        };
        if self.func.ty(a) != Type::V {
            let of = |value: Value| line(self.scalar(value), trace.steps[value.index()]);
            return Some(relation.constant_for(&of(a), &of(b)));
        }
        let of = |value: Value, i: usize| {
            let lanes = &trace.lanes[value.index()];
            line(self.lanes(value)[i].into(), lanes[i].into())
        };
        (0..self.width)
            .map(|i| relation.constant_for(&of(a, i), &of(b, i)))
            .min()
    }
}

fn halves(x: u64) -> Lanes {
    let mut lanes = [0; MAX_WIDTH];
    (lanes[0], lanes[1]) = (x as u32, (x >> 32) as u32);
    lanes
}

fn whole(lanes: &Lanes) -> u64 {
    u64::from(lanes[0]) | u64::from(lanes[1]) << 32
}

/// A number that changes by a step each turn, within the range of its type.
struct Line {
    value: i128,
    step: i128,
    range: [i128; 2],
}

impl Line {
    fn new<T: Into<i128>>(value: T, step: impl Into<i128>, first: impl Into<i128>, last: T) -> Line {
        Line {
            value: value.into(),
            step: step.into(),
            range: [first.into(), last.into()],
        }
    }

    /// Turns until it would leave its range.
    fn stays_for(&self) -> i128 {
        match self.step {
            0 => i128::MAX,
            1.. => (self.range[1] - self.value) / self.step,
            _ => (self.value - self.range[0]) / -self.step,
        }
    }
}

#[derive(Clone, Copy)]
enum Relation {
    Equal,
    Less,
    LessOrEqual,
}

impl Relation {
    fn constant_for(self, a: &Line, b: &Line) -> u64 {
        let step = a.step - b.step;
        // How far the difference is from where the outcome would change, and whether the step leads there.
        let difference = a.value - b.value;
        let room = match self {
            Relation::Equal if difference == 0 => {
                if step == 0 {
                    i128::MAX
                } else {
                    0
                }
            }
            Relation::Equal => before(difference.abs() - 1, if difference > 0 { -step } else { step }),
            Relation::Less if difference < 0 => before(-difference - 1, step),
            Relation::Less => before(difference, -step),
            Relation::LessOrEqual if difference <= 0 => before(-difference, step),
            Relation::LessOrEqual => before(difference - 1, -step),
        };
        let turns = room.min(a.stays_for()).min(b.stays_for());
        u64::try_from(turns).unwrap_or(u64::MAX)
    }
}

/// Steps that fit into `room`, where a step that is not positive leads away.
fn before(room: i128, step: i128) -> i128 {
    if step > 0 { room / step } else { i128::MAX }
}

#[cfg(test)]
mod tests {
    use super::super::Frame;
    use crate::shader::abi::Context;
    use crate::shader::ir::parse;
    use proptest::prelude::*;
    use std::mem::offset_of;

    /// A loop that counts `v4` on by `step`, from `first`, and each lane of `v5` by `lanes`, until `test` of `v4` and `last`
    /// holds or no lane of `v5` is less than `limit`, or the fuel is spent. Gives the status, the fuel, and both numbers.
    fn run(
        next: &str,
        test: &str,
        [first, step, last]: [u32; 3],
        fuel: i64,
        patience: u64,
    ) -> (u32, i64, [u32; 2]) {
        let text = format!(
            "func t width 8 frame 0 states 1
block0(v0: S64, v1: S64):
  v2 = s.const #{first}
  v3 = v.iota
  v20 = s.const #{step}
  v21 = s.const #{last}
  v22 = v.splat v20
  v23 = l.const #-2
  v24 = l.const #0
  v25 = m.const #-1
  v26 = v.splat v21
  jump block1(v2, v3)
block1(v4: S32, v5: V):
  v6 = l.load v0 #{at}
  v7 = l.add v6, v23
  l.store v0, v7 #{at}
  v8 = l.lt_s v7, v24
  v27 = s.const #1
  branch v8 block4(v27) block2()
block2():
  v9 = s.add v4, v20
  v10 = v.add v5, v22
  v11 = v.lt_s v10, v26
  v12 = v.select v11, v10, v5
  v13 = s.{test} v9, v21
  v14 = s.mul v9, v20
  branch v13 block3() block5()
block3():
  v15 = s.const #0
  jump block4(v15)
block4(v16: S32):
  v17 = v.read_first v5, v25
  s.store v1, v4 #0
  s.store v1, v17 #4
  return v16
block5():
  jump block1({next}, v12)
",
            at = offset_of!(Context, fuel),
        );
        let func = parse(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
        let mut context = Context {
            fuel,
            ..Context::default()
        };
        let mut out = [0_u32; 2];
        let mut frame = Frame::new(&func);
        let args = [&raw mut context as u64, &raw mut out as u64];
        for (&param, x) in func.blocks[0].params.iter().zip(args) {
            frame.set_scalar(param, x);
        }
        (frame.spin.patience, frame.spin.next) = (patience, patience);
        (frame.run(), context.fuel, out)
    }

    #[test]
    fn what_counts_is_counted_at_once() {
        let long = run("v9", "eq", [0, 1, 4_000_000_000], i64::MAX, 4096);
        assert_eq!((long.0, long.1), (0, i64::MAX - 2 * 4_000_000_000));
        let endless = run("v9", "eq", [0, 2, 1], 1 << 40, 4096);
        assert_eq!((endless.0, endless.1), (1, -2), "nothing but the fuel ends it");
        assert_eq!(endless.2[0], 0, "it has come round many times");
        assert_eq!(
            run("v4", "eq", [0, 1, 9], i64::MAX, 4096).0,
            1,
            "what never changes"
        );
    }

    proptest! {
        #[test]
        fn leaps_give_what_turns_give(
            next in prop::sample::select(vec!["v9", "v14", "v4"]),
            test in prop::sample::select(vec!["eq", "ne", "lt_s", "le_s", "lt_u", "le_u"]),
            first in prop::sample::select(vec![0_u32, 1, 100, 0x7fff_ff00, 0x8000_0000, 0xffff_ff00]),
            step in prop::sample::select(vec![1_u32, 2, 3, 7, u32::MAX, u32::MAX - 6]),
            last in any::<u32>(),
            near in any::<bool>(),
            fuel in 0..2000_i64,
        ) {
            let last = if near { first.wrapping_add(last % 1000) } else { last };
            let numbers = [first, step, last];
            prop_assert_eq!(
                run(next, test, numbers, fuel, 2),
                run(next, test, numbers, fuel, u64::MAX)
            );
        }
    }
}
