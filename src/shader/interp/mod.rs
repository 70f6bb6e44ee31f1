//! The oracle: runs the wave IR one instruction after another, one lane after another.
//!
//! It is the reference for every back end, runs everything on hosts without AVX2, and re-runs a faulting wave
//! to name its values.
#![forbid(unsafe_code)]

mod count;
mod eval;
pub mod machine;
mod memory;
mod overlay;

pub use overlay::Overlay;

use super::abi::Status;
use super::ir::{Func, Inst, NO_ORIGIN, Op, Target, Terminator, Type, Value};
use crate::memory::live::Span;
use count::Spin;
use std::cell::RefCell;
use std::rc::Rc;

/// Most lanes a wave has.
pub const MAX_WIDTH: usize = 16;
/// One varying value.
pub type Lanes = [u32; MAX_WIDTH];

/// The values of one activation.
pub struct Frame<'f> {
    func: &'f Func,
    width: usize,
    /// `B`, `S32`, `S64` and `M` (as bits), by value number.
    scalars: Vec<u64>,
    /// `V`, by value number.
    lanes: Vec<Lanes>,
    /// Device memory known to be there, and as of when.
    known: Span,
    generation: u64,
    /// An access was not right: a trap has been reported.
    faulted: bool,
    /// Origin of the memory access at hand.
    origin: u32,
    /// Whether it is an atomic.
    atomic: bool,
    /// The lane whose access it is, where each has its own.
    lane: Option<u32>,
    /// Takes stores to device memory, if that is not to change.
    overlay: Option<Rc<RefCell<Overlay>>>,
    spin: Spin,
}

impl std::fmt::Debug for Frame<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Frame")
            .field("func", &self.func.name)
            .finish_non_exhaustive()
    }
}

impl<'f> Frame<'f> {
    fn new(func: &'f Func) -> Frame<'f> {
        let n = func.types.len();
        let any_lanes = func.types.contains(&Type::V);
        Frame {
            func,
            width: func.width as usize,
            scalars: vec![0; n],
            lanes: vec![[0; MAX_WIDTH]; if any_lanes { n } else { 0 }],
            known: Span::default(),
            generation: 0,
            faulted: false,
            origin: NO_ORIGIN,
            atomic: false,
            lane: None,
            overlay: None,
            spin: Spin::default(),
        }
    }

    fn scalar(&self, value: Value) -> u64 {
        self.scalars[value.index()]
    }

    fn s32(&self, value: Value) -> u32 {
        self.scalars[value.index()] as u32
    }

    fn lanes(&self, value: Value) -> &Lanes {
        &self.lanes[value.index()]
    }

    fn set_scalar(&mut self, value: Value, x: u64) {
        self.scalars[value.index()] = x;
    }

    fn set_lanes(&mut self, value: Value, x: Lanes) {
        self.lanes[value.index()] = x;
    }

    fn all_lanes(&self) -> u64 {
        (1 << self.width) - 1
    }

    /// Passes block arguments; all are read before any is written.
    fn enter(&mut self, target: &Target) -> usize {
        let func = self.func;
        let params = &func.blocks[target.block.index()].params;
        match params[..] {
            [] => {}
            [param] => self.copy_value(param, target.args[0]),
            _ => {
                let values: Vec<(u64, Lanes)> = target
                    .args
                    .iter()
                    .map(|&arg| match func.ty(arg) {
                        Type::V => (0, *self.lanes(arg)),
                        _ => (self.scalar(arg), [0; MAX_WIDTH]),
                    })
                    .collect();
                for (&param, (scalar, lanes)) in params.iter().zip(values) {
                    match func.ty(param) {
                        Type::V => self.set_lanes(param, lanes),
                        _ => self.set_scalar(param, scalar),
                    }
                }
            }
        }
        target.block.index()
    }

    fn copy_value(&mut self, to: Value, from: Value) {
        match self.func.ty(to) {
            Type::V => self.lanes[to.index()] = self.lanes[from.index()],
            _ => self.scalars[to.index()] = self.scalars[from.index()],
        }
    }

    fn step(&mut self, inst: &Inst) {
        if inst.op.within(Op::SLoad, Op::LDescriptor) {
            self.touch(inst);
            memory::step(self, inst);
        } else {
            eval::step(self, inst);
        }
    }

    /// Goes on to another block.
    fn go(&mut self, target: &Target) -> usize {
        if self.spin.is_followed() {
            self.trace_enter(target);
        }
        self.enter(target)
    }

    fn run(&mut self) -> u32 {
        let func = self.func;
        let mut block = 0;
        loop {
            let body = &func.blocks[block];
            for inst in &body.insts {
                self.step(inst);
                if self.spin.is_followed() {
                    self.trace(inst);
                }
                if self.faulted {
                    return Status::Fault as u32;
                }
            }
            block = match &body.term {
                Some(Terminator::Jump(target)) => {
                    if target.block.index() <= block {
                        self.turn(target)
                    } else {
                        self.go(target)
                    }
                }
                Some(Terminator::Branch {
                    cond,
                    then,
                    otherwise,
                }) => {
                    let target = if self.scalar(*cond) != 0 { then } else { otherwise };
                    self.go(target)
                }
                Some(Terminator::Return(status)) => return self.s32(*status),
                None => return 0,
            };
        }
    }
}

/// Runs a verified function to its end and gives its status.
#[must_use]
pub fn run(func: &Func, ctx: u64, arg: u64) -> u32 {
    let mut frame = Frame::new(func);
    for (&param, x) in func.blocks[0].params.iter().zip([ctx, arg]) {
        frame.set_scalar(param, x);
    }
    frame.run()
}

/// Runs one operation on given operands, for constant folding; `None` where it has no result.
#[must_use]
pub fn evaluate(width: u32, op: Op, imm: i64, operands: &[Operand]) -> Option<Operand> {
    let info = op.info();
    let mut func = Func::new("", width, info.args);
    let args = func.blocks[0].params.clone();
    let result = func.add_value(info.result?);
    let mut frame = Frame::new(&func);
    for (&arg, x) in args.iter().zip(operands) {
        match *x {
            Operand::Scalar(x) => frame.set_scalar(arg, x),
            Operand::Lanes(x) => frame.set_lanes(arg, x),
        }
    }
    frame.step(&Inst {
        op,
        args: args.into(),
        imm,
        result,
        origin: NO_ORIGIN,
    });
    Some(match func.ty(result) {
        Type::V => Operand::Lanes(*frame.lanes(result)),
        _ => Operand::Scalar(frame.scalar(result)),
    })
}

/// A value outside a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operand {
    /// `B`, `S32`, `S64`, or `M` as bits.
    Scalar(u64),
    /// `V`.
    Lanes(Lanes),
}
