//! A run that can be watched, stopped at barriers, and bounded: for explaining a fault.

use super::{Frame, Op, Overlay, Terminator, Type, Value};
use crate::shader::codegen::entry;
use crate::shader::ir::{Effect, Func};
use std::cell::RefCell;
use std::rc::Rc;

/// Why a run has stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// At its end, with this status.
    Ended(u32),
    /// At a workgroup barrier, to be gone on from.
    Barrier,
    /// At an access that is not right, of the instruction with this origin; the trap has been reported. With the lane,
    /// where each has an address of its own.
    Fault(u32, Option<u32>),
    /// The steps are used up.
    Spent,
}

/// A wave that runs.
#[derive(Debug)]
pub struct Machine<'f> {
    frame: Frame<'f>,
    block: usize,
    inst: usize,
}

impl<'f> Machine<'f> {
    /// A wave at the beginning of a verified function, which need not have had its barriers split.
    #[must_use]
    pub fn new(func: &'f Func, ctx: u64, arg: u64) -> Machine<'f> {
        let mut frame = Frame::new(func);
        for (&param, x) in func.blocks[0].params.iter().zip([ctx, arg]) {
            frame.set_scalar(param, x);
        }
        Machine {
            frame,
            block: 0,
            inst: 0,
        }
    }

    /// The same, with stores to device memory going to an overlay.
    #[must_use]
    pub fn with_overlay(mut self, overlay: Rc<RefCell<Overlay>>) -> Machine<'f> {
        self.frame.overlay = Some(overlay);
        self
    }

    /// Goes on; each instruction takes one of `steps`. `needed` tells of each value whether it has to be right: a load
    /// of what nobody needs gives anything rather than fault. `watch` is told of each mark.
    pub fn go_on(
        &mut self,
        steps: &mut u64,
        needed: &[bool],
        mut watch: impl FnMut(usize, &Frame<'f>),
    ) -> Stop {
        let func = self.frame.func;
        loop {
            let body = &func.blocks[self.block];
            while let Some(inst) = body.insts.get(self.inst) {
                let Some(left) = steps.checked_sub(1) else {
                    return Stop::Spent;
                };
                *steps = left;
                self.inst += 1;
                match inst.op {
                    Op::Barrier => return Stop::Barrier,
                    Op::Watch => watch(inst.imm as usize, &self.frame),
                    _ => {
                        self.frame.lane = None;
                        self.frame.step(inst);
                    }
                }
                if self.frame.faulted {
                    let vain = inst.op.info().effect == Effect::Read && !needed[inst.result.index()];
                    if !vain {
                        return Stop::Fault(inst.origin, self.frame.lane);
                    }
                    self.frame.faulted = false;
                    let _ = entry::take_trap();
                }
            }
            let target = match &body.term {
                Some(Terminator::Jump(target)) => target,
                Some(Terminator::Branch {
                    cond,
                    then,
                    otherwise,
                }) => {
                    if self.frame.scalar(*cond) != 0 {
                        then
                    } else {
                        otherwise
                    }
                }
                Some(Terminator::Return(status)) => return Stop::Ended(self.frame.s32(*status)),
                None => return Stop::Ended(0),
            };
            // Empty loops take steps too.
            *steps = steps.saturating_sub(1);
            self.block = self.frame.enter(target);
            self.inst = 0;
        }
    }
}

impl Frame<'_> {
    /// The value of a lane; 0 for [`Value::NONE`].
    #[must_use]
    pub fn word(&self, value: Value, lane: usize) -> u64 {
        if value == Value::NONE {
            return 0;
        }
        match self.func.ty(value) {
            Type::V => u64::from(self.lanes(value)[lane]),
            Type::M => self.scalar(value) >> lane & 1,
            Type::B | Type::S32 | Type::S64 => self.scalar(value),
        }
    }

    /// The lanes of a mask, lane 0 lowest.
    #[must_use]
    pub fn mask(&self, value: Value) -> u32 {
        self.scalar(value) as u32
    }
}
