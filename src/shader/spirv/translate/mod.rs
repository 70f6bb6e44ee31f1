//! The walk that emits wave IR.
//!
//! ```text
//! state.rs     where each lane is; jumps and landings
//! flow.rs      selections and switches, loops.rs: loops, call.rs: functions, phis, values that escape
//! value.rs     scalars, uniform and varying
//! pointer.rs   access chains, memory.rs: loads and stores, buffer.rs: descriptors and robust addresses
//! ...          one file for each group of instructions
//! ```
//!
//! Every id is a list of scalar IR values; functions are inlined; variables whose indices are constant are
//! carried as values. Nothing is decided ahead: whether a value is uniform follows from how it was made. Only
//! a loop cannot know what comes back to its header, so its body is emitted on the assumption that everything
//! stays as it enters, and emitted again where that proves wrong (see `loops.rs`).

mod abort;
mod affine;
mod arith;
mod atomic;
mod buffer;
mod builtin;
mod call;
mod composite;
mod derivative;
mod dot;
mod double;
mod env;
mod flow;
mod geometric;
mod glsl;
mod heap;
mod image;
mod inst;
mod interpolate;
mod loops;
mod matrix;
mod memory;
mod pointer;
mod real;
mod state;
mod subgroup;
mod value;
mod variable_pointer;
mod watch;
mod wide;

use super::constants::{Constants, MAX_COMPS};
use super::error::Result;
use super::module::Source;
use super::parse::Inst;
use super::types::{Leaf, TypeId, Types};
use super::usage::Functions;
use super::watch::Watches;
use super::{EntryPoint, Outputs, ResourceLayout, SpirvError, StageIo, Start};
use crate::shader::ir::{BlockId, Builder, Op, Value};
use call::Instance;
use pointer::Pointer;
use rustc_hash::FxHashMap;
use state::{State, Target};
use value::{Scalar, Val};

/// IR instructions and values that one shader may take.
const MAX_VALUES: usize = 4_000_000;
/// Bytes of a wave's frame that variables may take.
const MAX_FRAME: u32 = 4 << 20;

/// What an id stands for.
#[derive(Clone, Debug)]
enum Id {
    Value(Val),
    Pointer(Pointer),
    /// A loaded image, sampler or combination of both.
    Handle(image::Handle),
}

/// A scalar that lives in the environment.
#[derive(Clone, Copy, Debug)]
struct Slot {
    leaf: Leaf,
    origin: Origin,
}

/// Why a slot exists.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Origin {
    /// Outlives the function: a private or output variable, or a result of a call.
    Outer,
    /// A variable of an instance's function.
    Variable(u32, u32),
    /// A phi of a block of an instance's function.
    Phi(u32, usize, u32),
    /// A value used where its definition does not reach.
    Escape(u32, u32),
}

type CacheKey = (Op, Value, i64);

/// The state of a translation.
struct Translator<'a, 'f> {
    entry: &'a EntryPoint,
    source: &'a Source,
    types: &'a Types,
    constants: &'a Constants,
    layout: &'a ResourceLayout,
    io: &'a mut dyn StageIo,
    b: &'a mut Builder<'f>,
    start: Start,
    functions: Functions,
    ids: FxHashMap<u32, Id>,
    /// Ids in the order in which they were defined.
    id_log: Vec<u32>,
    cache: FxHashMap<CacheKey, Value>,
    cache_log: Vec<CacheKey>,
    /// `None` where no flow arrives.
    state: Option<State>,
    targets: Vec<Target>,
    slots: Vec<Slot>,
    /// Halves of divergent selections: lanes of the first and the second arm, of both, and the condition.
    splits: Vec<(Value, Value, Value, Value)>,
    /// For each IR value: whether it is the same in every lane.
    uniform: Vec<bool>,
    /// For each IR value: block and position of the instruction that gives it.
    defs: Vec<Option<(BlockId, u32)>>,
    /// Up to where `uniform` and `defs` are known.
    cursor: (BlockId, usize),
    /// A mask that is known to have lanes at this point.
    nonempty: Option<Value>,
    /// Open regions, over all functions.
    nesting: usize,
    /// Definitions being emitted again, one for the sake of another.
    repeats: usize,
    /// How often lanes have ended for good.
    kills: usize,
    /// Call sites of sampling routines so far.
    sites: u32,
    /// Values thrown away with loop bodies that had to be emitted again.
    discarded: usize,
    /// Work of the instructions so far, in rough units; see `inst.rs`.
    work: u64,
    /// Calls inlined so far, those emitted again too.
    calls: u32,
    instances: Vec<Instance>,
    /// Number of each (caller, call instruction).
    instance_ids: FxHashMap<(u32, usize), u32>,
    loop_notes: FxHashMap<(u32, usize), loops::Notes>,
    outputs: Vec<call::OutputVariable>,
    /// Where in the frame the old values of 64-bit atomics go, once there are any.
    wide_atomic_frame: Option<u32>,
    /// What is watched, if anything is.
    watches: Option<Watches>,
}

/// How far ids and cached values are known, to forget what comes after.
#[derive(Clone, Copy, Debug)]
struct Mark {
    ids: usize,
    cache: usize,
}

/// Appends the shader to the block `b` stands in. On success `b` stands in the block that follows the shader;
/// the kernel may also return [`OutOfFuel`](crate::shader::abi::Status::OutOfFuel) from inside.
pub fn translate(
    entry: &EntryPoint,
    layout: &ResourceLayout,
    io: &mut dyn StageIo,
    b: &mut Builder,
    start: Start,
) -> std::result::Result<Outputs, SpirvError> {
    run(entry, layout, io, b, start, None).map(|(outputs, _)| outputs)
}

/// As [`translate`], with marks where named values are; see [`Watches`].
pub fn translate_watched(
    entry: &EntryPoint,
    layout: &ResourceLayout,
    io: &mut dyn StageIo,
    b: &mut Builder,
    start: Start,
) -> std::result::Result<(Outputs, Watches), SpirvError> {
    let watches = Watches::new(&entry.source);
    let (outputs, watches) = run(entry, layout, io, b, start, Some(watches))?;
    Ok((outputs, watches.unwrap_or_default()))
}

fn run(
    entry: &EntryPoint,
    layout: &ResourceLayout,
    io: &mut dyn StageIo,
    b: &mut Builder,
    start: Start,
    watches: Option<Watches>,
) -> Result<(Outputs, Option<Watches>)> {
    let functions = Functions::new(entry)?;
    let cursor = (b.block(), 0);
    let mut translator = Translator {
        entry,
        source: &entry.source,
        types: &entry.types,
        constants: &entry.constants,
        layout,
        io,
        b,
        start,
        functions,
        ids: FxHashMap::default(),
        id_log: Vec::new(),
        cache: FxHashMap::default(),
        cache_log: Vec::new(),
        state: Some(State {
            exec: Some(start.exec),
            coverage: start.coverage,
            env: Default::default(),
            pend: Vec::new(),
        }),
        targets: Vec::new(),
        slots: Vec::new(),
        splits: Vec::new(),
        uniform: Vec::new(),
        defs: Vec::new(),
        cursor,
        nonempty: Some(start.exec),
        nesting: 0,
        discarded: 0,
        sites: 0,
        kills: 0,
        repeats: 0,
        work: 0,
        calls: 0,
        instances: Vec::new(),
        instance_ids: FxHashMap::default(),
        loop_notes: FxHashMap::default(),
        outputs: Vec::new(),
        wide_atomic_frame: None,
        watches,
    };
    let outputs = translator.main()?;
    Ok((outputs, translator.watches))
}

impl Translator<'_, '_> {
    /// Goes on at the end of another block.
    fn switch_to(&mut self, block: BlockId) {
        self.catch_up();
        self.b.switch_to(block);
        self.cursor = (block, self.b.func.blocks[block.index()].insts.len());
    }

    fn remember(&mut self, key: CacheKey, value: Value) {
        self.cache.insert(key, value);
        self.cache_log.push(key);
    }

    fn mark(&self) -> Mark {
        Mark {
            ids: self.id_log.len(),
            cache: self.cache_log.len(),
        }
    }

    /// Forgets ids and cached values made since the mark: what follows is not dominated by them.
    fn forget(&mut self, mark: Mark) {
        for id in self.id_log.drain(mark.ids..) {
            self.ids.remove(&id);
        }
        for key in self.cache_log.drain(mark.cache..) {
            self.cache.remove(&key);
        }
    }

    /// Fails once the shader has grown out of bounds.
    fn check_size(&self) -> Result<()> {
        if self.b.func.types.len() + self.discarded / 4 > MAX_VALUES || self.b.func.frame_bytes > MAX_FRAME {
            return Err(SpirvError::TooLarge("the shader"));
        }
        Ok(())
    }

    /// The lanes that run.
    fn exec(&mut self) -> Value {
        match self.state.as_ref().and_then(|state| state.exec) {
            Some(exec) => exec,
            None => self.mask(false),
        }
    }

    /// The lanes whose side effects count.
    fn effective(&mut self) -> Value {
        let exec = self.exec();
        let coverage = self
            .state
            .as_ref()
            .map_or(self.start.coverage, |state| state.coverage);
        if coverage == exec || self.start.coverage == self.start.exec && coverage == self.start.coverage {
            return exec;
        }
        self.b.mand(exec, coverage)
    }

    /// The type of an id.
    fn type_of(&self, id: u32) -> Result<TypeId> {
        self.types.find(self.source.code.def_inst(id)?.type_id()?)
    }

    /// The scalar kind of a scalar, vector or matrix id.
    fn leaf_of_id(&self, id: u32) -> Result<Leaf> {
        self.types
            .leaf(self.type_of(id)?)
            .ok_or(SpirvError::WrongType(id))
    }

    /// The components of a value.
    fn value(&mut self, id: u32) -> Result<Val> {
        match self.ids.get(&id) {
            Some(Id::Value(value)) => return Ok(value.clone()),
            Some(Id::Pointer(pointer)) => {
                let pointer = pointer.clone();
                return self.pointer_value(id, &pointer);
            }
            Some(Id::Handle(_)) => return Err(SpirvError::WrongType(id)),
            None => {}
        }
        if self.constants.get(id).is_some() {
            return self.constant_value(id);
        }
        self.escaped(id)
    }

    fn constant_value(&mut self, id: u32) -> Result<Val> {
        let values = self.constants.flatten(self.types, id)?;
        let mut leaves = Vec::new();
        let ty = self.type_of(id)?;
        self.types.leaves(ty, &mut leaves)?;
        if leaves.len() != values.len() {
            return Err(SpirvError::WrongType(id));
        }
        let pairs = leaves.into_iter().zip(values);
        Ok(pairs.map(|(leaf, bits)| self.literal(leaf, bits)).collect())
    }

    /// The value of a scalar.
    fn scalar(&mut self, id: u32) -> Result<Scalar> {
        match self.value(id)?[..] {
            [scalar] => Ok(scalar),
            _ => Err(SpirvError::WrongType(id)),
        }
    }

    /// The result type of an instruction.
    fn result_type(&self, inst: &Inst) -> Result<TypeId> {
        self.types.find(inst.type_id()?)
    }

    /// Defines the result of an instruction, which must be of its type.
    fn define(&mut self, inst: &Inst, value: Val) -> Result<()> {
        let id = inst.result().ok_or(SpirvError::Malformed(0))?;
        let ty = self.result_type(inst)?;
        self.check_value(id, ty, &value)?;
        self.define_id(id, Id::Value(value));
        Ok(())
    }

    /// Checks that a value has the form of its type.
    fn check_value(&self, id: u32, ty: TypeId, value: &Val) -> Result<()> {
        use crate::shader::ir::Type::*;
        let wrong = Err(SpirvError::WrongType(id));
        if self.types.comps(ty) as usize != value.len() {
            return wrong;
        }
        let fits = |leaf: Leaf, s: &Scalar| match (leaf, self.b.func.ty(s.lo), s.hi != Value::NONE) {
            (Leaf::Bool, B | M, false) => true,
            (Leaf::Float(16 | 32), V, false) => true,
            (Leaf::Float(_), V, true) => leaf == Leaf::Float(64),
            (Leaf::Float(_), ..) => false,
            (leaf, S64, false) | (leaf, V, true) => leaf.is_wide(),
            (leaf, S32 | V, false) => !leaf.is_wide() && leaf != Leaf::Bool,
            _ => false,
        };
        if let Some(leaf) = self.types.leaf(ty) {
            return if value.iter().all(|s| fits(leaf, s)) {
                Ok(())
            } else {
                wrong
            };
        }
        let mut leaves = Vec::new();
        self.types.leaves(ty, &mut leaves)?;
        if leaves.iter().zip(value).all(|(&leaf, s)| fits(leaf, s)) {
            return Ok(());
        }
        wrong
    }

    /// Kinds of the components of a type.
    fn leaves(&self, ty: TypeId) -> Result<Vec<Leaf>> {
        if self.types.comps(ty) > MAX_COMPS {
            return Err(SpirvError::TooLarge("a value"));
        }
        let mut leaves = Vec::new();
        self.types.leaves(ty, &mut leaves)?;
        Ok(leaves)
    }
}
