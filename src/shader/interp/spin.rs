//! Loops that turn without anything changing: counted all at once.
//!
//! A turn that enters the header with the values of the turn before, and has touched no memory but the fuel, is followed
//! by the same turn for ever. Machine code burns its fuel turn by turn; here that would take minutes.

use super::{Frame, Inst, Op, Target, Type};
use crate::memory::raw;
use crate::shader::abi::Context;
use std::mem::offset_of;

/// What is known of the latest turn.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Spin {
    /// The header it began at.
    header: Option<usize>,
    /// Whether it has touched memory.
    touched: bool,
}

impl Frame<'_> {
    /// Notes an operation on memory.
    pub(super) fn touch(&mut self, inst: &Inst) {
        let context = || inst.args.first() == self.func.blocks[0].params.first();
        let constant = match inst.op {
            Op::SLoad | Op::LLoad => context(),
            Op::LStore => context() && inst.imm == offset_of!(Context, fuel) as i64,
            _ => false,
        };
        self.spin.touched |= !constant;
    }

    /// Notes a jump back to a header; takes the fuel if the loop will never change again.
    pub(super) fn turn(&mut self, target: &Target) {
        let header = target.block.index();
        let params = &self.func.blocks[header].params;
        let same = self.spin.header == Some(header)
            && !self.spin.touched
            && params
                .iter()
                .zip(&target.args)
                .all(|(&param, &arg)| match self.func.ty(param) {
                    Type::V => self.lanes(param) == self.lanes(arg),
                    _ => self.scalar(param) == self.scalar(arg),
                });
        if same {
            let ctx = self.scalar(self.func.blocks[0].params[0]);
            raw::store::<i64>(ctx + offset_of!(Context, fuel) as u64, 0);
        }
        self.spin = Spin {
            header: Some(header),
            touched: false,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::super::run;
    use crate::shader::abi::Context;
    use crate::shader::ir::parse;
    use std::mem::offset_of;

    /// A loop whose parameter becomes `next`, until it is 1000 or the fuel is spent.
    fn turns(next: &str, fuel: i64) -> (u32, i64) {
        let text = format!(
            "func t width 8 frame 0 states 1
block0(v0: S64, v1: S64):
  v2 = s.const #3
  v3 = s.const #1
  jump block1(v2)
block1(v4: S32):
  v5 = l.load v0 #{at}
  v6 = l.const #-1
  v7 = l.add v5, v6
  l.store v0, v7 #{at}
  v8 = l.const #0
  v9 = l.lt_s v7, v8
  branch v9 block2() block3()
block2():
  return v3
block3():
  v10 = s.add v4, v3
  v11 = s.const #1000
  v12 = s.eq v4, v11
  branch v12 block4() block5()
block4():
  v13 = s.const #0
  return v13
block5():
  jump block1({next})
",
            at = offset_of!(Context, fuel),
        );
        let func = parse(&text).unwrap();
        let mut context = Context {
            fuel,
            ..Context::default()
        };
        let status = run(&func, &raw mut context as u64, 0);
        (status, context.fuel)
    }

    #[test]
    fn what_will_never_change_is_counted_at_once() {
        assert_eq!(turns("v4", i64::MAX).0, 1, "out of fuel before the end of time");
        assert_eq!(turns("v10", 5000), (0, 4002), "a loop that counts is run");
        assert_eq!(turns("v10", 500).0, 1);
    }
}
