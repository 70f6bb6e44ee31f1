//! The wave IR: typed SSA with block parameters, written once for every back end.
//!
//! A function computes for one *wave* of [`Func::width`] lanes (8 or 16; sixteen lanes are two subgroups of
//! eight side by side). What is uniform (one value a wave), varying (one a lane) and a mask are different
//! types, so that no pass and no back end has to guess. There are no pairs and no 64-bit lanes: a 64-bit
//! varying value is two `V`s, and the memory operations that need 64-bit addresses a lane take both words.
//!
//! Control flow is uniform by construction: a branch takes a `B`. Divergence is expressed with masks, which
//! only side effects and loads take; pure operations run in every lane.
#![forbid(unsafe_code)]

mod builder;
mod cfg;
mod op;
mod text;
mod verify;

pub use builder::Builder;
pub use cfg::{Cfg, Dominators};
pub use op::{AtomicOp, Effect, Op, OpInfo};
pub use text::{ParseError, parse};
pub use verify::{VerifyError, verify};

use smallvec::SmallVec;

/// Type of a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    /// Uniform truth value.
    B,
    /// Uniform 32-bit integer.
    S32,
    /// Uniform 64-bit integer or address.
    S64,
    /// Varying 32 bits: integer or float.
    V,
    /// Mask: one truth value a lane.
    M,
}

/// An SSA value: an index into [`Func::types`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Value(pub u32);

impl Value {
    /// Stands where an operation has no result.
    pub const NONE: Value = Value(u32::MAX);

    /// Index into per-value tables.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A basic block: an index into [`Func::blocks`]. Block 0 is the entry; its parameters are those of the function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct BlockId(pub u32);

impl BlockId {
    /// Index into per-block tables.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// One instruction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Inst {
    /// The operation.
    pub op: Op,
    /// Operands, as [`OpInfo::args`] says.
    pub args: SmallVec<[Value; 4]>,
    /// Immediate; 0 where the operation has none.
    pub imm: i64,
    /// Result, or [`Value::NONE`].
    pub result: Value,
    /// Byte offset in the shader's module of the instruction this was made for, or [`NO_ORIGIN`].
    pub origin: u32,
}

/// [`Inst::origin`] of what no instruction of a shader asked for.
pub const NO_ORIGIN: u32 = u32::MAX;

/// [`Inst::origin`] of what fetches the vertex attribute of a location: no instruction either, but each is told apart.
#[must_use]
pub fn fetch_origin(location: u32) -> u32 {
    NO_ORIGIN - 1 - location % FETCHES
}

/// Attributes that are told apart.
const FETCHES: u32 = 255;

/// An origin that is an instruction's, or [`NO_ORIGIN`].
#[must_use]
pub fn plain_origin(origin: u32) -> u32 {
    if origin >= NO_ORIGIN - FETCHES {
        NO_ORIGIN
    } else {
        origin
    }
}

/// A jump target with the values for its parameters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Target {
    /// Where to go.
    pub block: BlockId,
    /// One value a parameter of that block.
    pub args: Vec<Value>,
}

/// How a block ends.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Terminator {
    /// Unconditional jump.
    Jump(Target),
    /// Jump on a uniform condition.
    Branch {
        /// Type `B`.
        cond: Value,
        /// Taken when the condition holds.
        then: Target,
        /// Taken otherwise.
        otherwise: Target,
    },
    /// Leave the kernel with an `S32` status (see [`crate::shader::abi::Status`]).
    Return(Value),
}

impl Terminator {
    /// The targets, in order.
    pub fn targets(&self) -> impl Iterator<Item = &Target> {
        let (a, b) = match self {
            Terminator::Jump(t) => (Some(t), None),
            Terminator::Branch { then, otherwise, .. } => (Some(then), Some(otherwise)),
            Terminator::Return(_) => (None, None),
        };
        a.into_iter().chain(b)
    }

    /// The targets, in order.
    pub fn targets_mut(&mut self) -> impl Iterator<Item = &mut Target> {
        let (a, b) = match self {
            Terminator::Jump(t) => (Some(t), None),
            Terminator::Branch { then, otherwise, .. } => (Some(then), Some(otherwise)),
            Terminator::Return(_) => (None, None),
        };
        a.into_iter().chain(b)
    }
}

/// A basic block.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Block {
    /// Values that each predecessor passes.
    pub params: Vec<Value>,
    /// Instructions in order.
    pub insts: Vec<Inst>,
    /// How it ends; `None` only while it is being built.
    pub term: Option<Terminator>,
}

/// A function: one kernel or routine of the ABI in [`crate::shader::abi`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Func {
    /// For people: entry point and stage.
    pub name: String,
    /// Lanes a wave: 8 or 16.
    pub width: u32,
    /// Bytes of frame (barrier slots, per-lane arrays) that the caller provides for each wave at `ctx.frame`.
    pub frame_bytes: u32,
    /// Number of resume states (1 without barriers).
    pub states: u32,
    /// Blocks; 0 is the entry.
    pub blocks: Vec<Block>,
    /// Type of each value.
    pub types: Vec<Type>,
}

impl Func {
    /// An empty function of `width` lanes whose entry block takes `params`.
    #[must_use]
    pub fn new(name: &str, width: u32, params: &[Type]) -> Func {
        let mut func = Func {
            name: name.to_owned(),
            width,
            frame_bytes: 0,
            states: 1,
            blocks: Vec::new(),
            types: Vec::new(),
        };
        func.add_block(params);
        func
    }

    /// A new value of type `ty`.
    pub fn add_value(&mut self, ty: Type) -> Value {
        self.types.push(ty);
        Value(u32::try_from(self.types.len() - 1).unwrap_or(u32::MAX))
    }

    /// A new empty block with parameters of these types.
    pub fn add_block(&mut self, params: &[Type]) -> BlockId {
        let params = params.iter().map(|&ty| self.add_value(ty)).collect();
        self.blocks.push(Block {
            params,
            ..Block::default()
        });
        BlockId(u32::try_from(self.blocks.len() - 1).unwrap_or(u32::MAX))
    }

    /// Type of a value.
    #[must_use]
    pub fn ty(&self, value: Value) -> Type {
        self.types[value.index()]
    }

    /// Number of instructions, terminators included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.blocks.iter().map(|block| block.insts.len() + 1).sum()
    }

    /// Whether there is nothing in it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.blocks.iter().all(|block| block.insts.is_empty())
    }
}
