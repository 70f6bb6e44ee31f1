//! Appends instructions to a function. One method an operation comes from the table in `op.rs`.

use super::{BlockId, Func, Inst, NO_ORIGIN, Op, Target, Terminator, Type, Value};

/// A cursor at the end of a block.
#[derive(Debug)]
pub struct Builder<'f> {
    /// The function being built.
    pub func: &'f mut Func,
    /// [`Inst::origin`] of what is appended.
    pub origin: u32,
    block: BlockId,
}

impl<'f> Builder<'f> {
    /// Starts at the end of `block`.
    pub fn new(func: &'f mut Func, block: BlockId) -> Builder<'f> {
        Builder {
            func,
            origin: NO_ORIGIN,
            block,
        }
    }

    /// The block being appended to.
    #[must_use]
    pub fn block(&self) -> BlockId {
        self.block
    }

    /// Lanes a wave.
    #[must_use]
    pub fn width(&self) -> u32 {
        self.func.width
    }

    /// Goes on at the end of another block.
    pub fn switch_to(&mut self, block: BlockId) {
        self.block = block;
    }

    /// A new block with parameters of these types, and its parameters.
    pub fn add_block(&mut self, params: &[Type]) -> (BlockId, Vec<Value>) {
        let block = self.func.add_block(params);
        (block, self.func.blocks[block.index()].params.clone())
    }

    /// Whether the current block has its terminator.
    #[must_use]
    pub fn is_terminated(&self) -> bool {
        self.func.blocks[self.block.index()].term.is_some()
    }

    /// Appends an instruction; [`Value::NONE`] where it has no result.
    pub fn push(&mut self, op: Op, args: &[Value], imm: i64) -> Value {
        debug_assert!(
            args.len() == op.info().args.len()
                && args
                    .iter()
                    .zip(op.info().args)
                    .all(|(&arg, &ty)| self.func.ty(arg) == ty),
            "operands of {}: {:?}",
            op.info().name,
            args.iter().map(|&arg| self.func.ty(arg)).collect::<Vec<_>>()
        );
        let result = op.info().result.map_or(Value::NONE, |ty| self.func.add_value(ty));
        self.func.blocks[self.block.index()].insts.push(Inst {
            op,
            args: args.into(),
            imm,
            result,
            origin: self.origin,
        });
        result
    }

    /// Ends the block with a jump.
    pub fn jump(&mut self, block: BlockId, args: &[Value]) {
        self.terminate(Terminator::Jump(Target {
            block,
            args: args.to_vec(),
        }));
    }

    /// Ends the block with a conditional jump.
    pub fn branch(&mut self, cond: Value, then: (BlockId, &[Value]), otherwise: (BlockId, &[Value])) {
        let target = |(block, args): (BlockId, &[Value])| Target {
            block,
            args: args.to_vec(),
        };
        self.terminate(Terminator::Branch {
            cond,
            then: target(then),
            otherwise: target(otherwise),
        });
    }

    /// Ends the block by leaving the kernel.
    pub fn ret(&mut self, status: Value) {
        self.terminate(Terminator::Return(status));
    }

    fn terminate(&mut self, term: Terminator) {
        let block = &mut self.func.blocks[self.block.index()];
        debug_assert!(block.term.is_none(), "block {} ends twice", self.block.0);
        block.term = Some(term);
    }

    /// A float constant in every lane.
    pub fn fconst(&mut self, value: f32) -> Value {
        self.vconst(i64::from(value.to_bits()))
    }

    /// `-a`, by its sign bit.
    pub fn fneg(&mut self, a: Value) -> Value {
        let sign = self.vconst(0x8000_0000);
        self.vxor(a, sign)
    }

    /// `|a|`, by its sign bit.
    pub fn fabs(&mut self, a: Value) -> Value {
        let rest = self.vconst(0x7fff_ffff);
        self.vand(a, rest)
    }

    /// A uniform address plus a constant.
    pub fn ladd_imm(&mut self, a: Value, imm: i64) -> Value {
        let imm = self.lconst(imm);
        self.ladd(a, imm)
    }
}
