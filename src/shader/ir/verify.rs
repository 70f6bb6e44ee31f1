//! Checks the rules of the IR: types, terminators, single definitions, dominance.

use super::{BlockId, Cfg, Dominators, Func, Inst, Terminator, Type, Value};

/// A broken rule, with the block it is in.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum VerifyError {
    #[error("width {0} is neither 8 nor 16")]
    Width(u32),
    #[error("block {0} has no terminator")]
    Unterminated(u32),
    #[error("block {block}: {op} takes {expected} operands, got {got}")]
    OperandCount {
        block: u32,
        op: &'static str,
        expected: usize,
        got: usize,
    },
    #[error("block {block}: {what} has type {got:?}, expected {expected:?}")]
    Type {
        block: u32,
        what: String,
        expected: Type,
        got: Type,
    },
    #[error("block {block}: value {value} does not exist")]
    NoValue { block: u32, value: u32 },
    #[error("block {block}: value {value} is defined twice")]
    Redefined { block: u32, value: u32 },
    #[error("block {block}: value {value} is used where its definition does not reach")]
    NotDominated { block: u32, value: u32 },
    #[error("block {block}: target {target} does not exist")]
    NoBlock { block: u32, target: u32 },
    #[error("block {block}: {got} arguments for block {target}, which takes {expected}")]
    ArgumentCount {
        block: u32,
        target: u32,
        expected: usize,
        got: usize,
    },
    #[error("block {block}: {op} has a result where it should have none, or none where it should")]
    Result { block: u32, op: &'static str },
    #[error("block 0 is jumped to")]
    EntryTarget,
}

/// Checks `func`.
///
/// # Errors
/// The first rule found broken.
pub fn verify(func: &Func) -> Result<(), VerifyError> {
    if !matches!(func.width, 8 | 16) {
        return Err(VerifyError::Width(func.width));
    }
    let mut definitions = vec![None; func.types.len()];
    for (i, block) in func.blocks.iter().enumerate() {
        define_block(func, i as u32, &mut definitions)?;
        let Some(term) = &block.term else {
            return Err(VerifyError::Unterminated(i as u32));
        };
        check_shape(func, i as u32, term)?;
    }
    let cfg = Cfg::new(func);
    let checker = Checker {
        func,
        dominators: Dominators::new(&cfg),
        definitions,
    };
    cfg.order.iter().try_for_each(|&block| checker.block(block))
}

type Definition = Option<(BlockId, usize)>;

fn define_block(func: &Func, block: u32, definitions: &mut [Definition]) -> Result<(), VerifyError> {
    let body = &func.blocks[block as usize];
    let mut define = |value: Value, at: usize| {
        let slot = definitions.get_mut(value.index()).ok_or(VerifyError::NoValue {
            block,
            value: value.0,
        })?;
        match slot.replace((BlockId(block), at)) {
            Some(_) => Err(VerifyError::Redefined {
                block,
                value: value.0,
            }),
            None => Ok(()),
        }
    };
    body.params.iter().try_for_each(|&param| define(param, 0))?;
    for (i, inst) in body.insts.iter().enumerate() {
        match inst.op.info().result {
            Some(_) if inst.result != Value::NONE => define(inst.result, i + 1)?,
            None if inst.result == Value::NONE => {}
            _ => {
                return Err(VerifyError::Result {
                    block,
                    op: inst.op.info().name,
                });
            }
        }
    }
    Ok(())
}

fn check_shape(func: &Func, block: u32, term: &Terminator) -> Result<(), VerifyError> {
    for target in term.targets() {
        if target.block.0 == 0 {
            return Err(VerifyError::EntryTarget);
        }
        let to = target.block.0;
        let Some(body) = func.blocks.get(to as usize) else {
            return Err(VerifyError::NoBlock { block, target: to });
        };
        let (expected, got) = (body.params.len(), target.args.len());
        if expected != got {
            return Err(VerifyError::ArgumentCount {
                block,
                target: to,
                expected,
                got,
            });
        }
    }
    Ok(())
}

struct Checker<'f> {
    func: &'f Func,
    dominators: Dominators,
    definitions: Vec<Definition>,
}

impl Checker<'_> {
    fn block(&self, id: BlockId) -> Result<(), VerifyError> {
        let block = &self.func.blocks[id.index()];
        for (i, inst) in block.insts.iter().enumerate() {
            self.inst(id, i + 1, inst)?;
        }
        let end = block.insts.len() + 1;
        match &block.term {
            Some(Terminator::Branch { cond, .. }) => self.operand(id, end, *cond, Type::B, "condition")?,
            Some(Terminator::Return(status)) => self.operand(id, end, *status, Type::S32, "status")?,
            _ => {}
        }
        for target in block.term.iter().flat_map(Terminator::targets) {
            for (&arg, &param) in target
                .args
                .iter()
                .zip(&self.func.blocks[target.block.index()].params)
            {
                self.operand(id, end, arg, self.func.ty(param), "block argument")?;
            }
        }
        Ok(())
    }

    fn inst(&self, id: BlockId, at: usize, inst: &Inst) -> Result<(), VerifyError> {
        let info = inst.op.info();
        let (expected, got) = (info.args.len(), inst.args.len());
        if expected != got {
            return Err(VerifyError::OperandCount {
                block: id.0,
                op: info.name,
                expected,
                got,
            });
        }
        for (&arg, &ty) in inst.args.iter().zip(info.args) {
            self.operand(id, at, arg, ty, info.name)?;
        }
        if let Some(expected) = info.result {
            let got = self.func.ty(inst.result);
            if got != expected {
                return Err(VerifyError::Type {
                    block: id.0,
                    what: info.name.to_owned(),
                    expected,
                    got,
                });
            }
        }
        Ok(())
    }

    fn operand(&self, id: BlockId, at: usize, value: Value, ty: Type, what: &str) -> Result<(), VerifyError> {
        let Some(&got) = self.func.types.get(value.index()) else {
            return Err(VerifyError::NoValue {
                block: id.0,
                value: value.0,
            });
        };
        if got != ty {
            let what = format!("value {} in {what}", value.0);
            return Err(VerifyError::Type {
                block: id.0,
                what,
                expected: ty,
                got,
            });
        }
        let reaches = self.definitions[value.index()].is_some_and(|(block, defined_at)| {
            if block == id {
                defined_at < at
            } else {
                self.dominators.dominates(block, id)
            }
        });
        if reaches {
            Ok(())
        } else {
            Err(VerifyError::NotDominated {
                block: id.0,
                value: value.0,
            })
        }
    }
}
