//! How functions use variables: which are indexed dynamically, where they are read and written.

use super::constants::Constants;
use super::error::{Result, SpirvError};
use super::interface::{EntryPoint, pointer_operands};
use super::module::Source;
use super::parse::Inst;
use super::structure::{Cfg, Region};
use ::spirv::Op;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// Depth of calls that is accepted.
pub(super) const MAX_CALLS: usize = 48;

/// A place in a function: position in the walk, instruction, region.
pub(super) type Place = (u32, usize, Region);

/// Uses of one variable (or pointer parameter) in one function.
#[derive(Clone, Debug, Default)]
pub(super) struct Uses {
    /// Whether an index into it is not a constant.
    pub(super) dynamic: bool,
    /// Everything but stores of the whole.
    pub(super) reads: Vec<Place>,
    /// Stores of the whole.
    pub(super) stores: Vec<Place>,
}

/// What is known of a function before it is translated.
#[derive(Debug)]
pub(super) struct FunctionInfo {
    pub(super) cfg: Cfg,
    pub(super) uses: FxHashMap<u32, Uses>,
}

impl FunctionInfo {
    /// Whether what a variable holds at the end of a loop may be read outside it.
    pub(super) fn live_after(&self, var: u32, region: Region) -> bool {
        let uses = self.uses.get(&var);
        uses.is_some_and(|uses| uses.reads.iter().any(|place| !self.cfg.inside(place.2, region)))
    }

    /// Whether a loop may read what a variable held at its header.
    pub(super) fn exposed(&self, var: u32, region: Region) -> bool {
        let Some(uses) = self.uses.get(&var) else {
            return false;
        };
        let reads = || uses.reads.iter().filter(|place| self.cfg.inside(place.2, region));
        let Some(first) = reads().map(|place| (place.0, place.1)).min() else {
            return false;
        };
        // A store of the whole that comes before every read, in a region around every read.
        !uses.stores.iter().any(|store| {
            (store.0, store.1) < first
                && store.2 != region
                && self.cfg.inside(store.2, region)
                && reads().all(|read| self.cfg.inside(read.2, store.2))
        })
    }
}

/// Functions that an entry point can reach.
#[derive(Debug)]
pub(super) struct Functions {
    pub(super) by_index: FxHashMap<usize, Rc<FunctionInfo>>,
    /// Global variables with a dynamic index somewhere.
    pub(super) dynamic_globals: FxHashSet<u32>,
}

impl Functions {
    /// Reads every function that can be reached, callees first; fails on recursion.
    pub(super) fn new(entry: &EntryPoint) -> Result<Functions> {
        let mut functions = Functions {
            by_index: FxHashMap::default(),
            dynamic_globals: FxHashSet::default(),
        };
        let mut path = Vec::new();
        functions.visit(entry, entry.function, &mut path)?;
        for info in functions.by_index.values() {
            for (&id, uses) in &info.uses {
                if uses.dynamic && entry.globals.contains_key(&id) {
                    functions.dynamic_globals.insert(id);
                }
            }
        }
        Ok(functions)
    }

    fn visit(&mut self, entry: &EntryPoint, index: usize, path: &mut Vec<usize>) -> Result<()> {
        if self.by_index.contains_key(&index) {
            return Ok(());
        }
        let source = &entry.source;
        let function = &source.functions[index];
        if path.contains(&index) {
            return Err(SpirvError::Recursive(function.id));
        }
        if path.len() >= MAX_CALLS {
            return Err(SpirvError::TooLarge("the depth of calls"));
        }
        path.push(index);
        for at in function.body.clone() {
            if source.code.op(at) == Op::FunctionCall {
                let callee = source.find_function(source.code.inst(at).word(3)?)?;
                self.visit(entry, callee, path)?;
            }
        }
        path.pop();
        let cfg = Cfg::new(source, function)?;
        let uses = self.find_uses(source, &entry.constants, &cfg)?;
        self.by_index.insert(index, Rc::new(FunctionInfo { cfg, uses }));
        Ok(())
    }

    fn find_uses(&self, source: &Source, constants: &Constants, cfg: &Cfg) -> Result<FxHashMap<u32, Uses>> {
        let mut uses: FxHashMap<u32, Uses> = FxHashMap::default();
        // What each derived pointer points into.
        let mut roots: FxHashMap<u32, u32> = FxHashMap::default();
        for block in cfg.blocks.iter().filter(|block| block.region != Region::MAX) {
            for at in block.phis.start..=block.term {
                let inst = source.code.inst(at);
                let place = (block.order, at, block.region);
                let root = |id: u32| roots.get(&id).copied().unwrap_or(id);
                match inst.op {
                    Op::Store if !roots.contains_key(&inst.word(1)?) => {
                        uses.entry(inst.word(1)?).or_default().stores.push(place);
                        continue;
                    }
                    Op::AccessChain | Op::InBoundsAccessChain => {
                        let base = root(inst.word(3)?);
                        roots.insert(inst.word(2)?, base);
                        let constant = |id: &u32| constants.get(*id).is_some();
                        if !inst.rest(4).iter().all(constant) {
                            uses.entry(base).or_default().dynamic = true;
                        }
                        continue;
                    }
                    Op::CopyObject => {
                        let base = root(inst.word(3)?);
                        roots.insert(inst.word(2)?, base);
                        continue;
                    }
                    Op::FunctionCall => {
                        let args: Vec<u32> = inst.rest(4).iter().map(|&id| root(id)).collect();
                        self.call(source, &inst, &args, &mut uses)?;
                    }
                    _ => {}
                }
                for &id in pointer_operands(&inst) {
                    uses.entry(root(id)).or_default().reads.push(place);
                }
            }
        }
        Ok(uses)
    }

    /// What a callee does with its parameters happens to the arguments.
    fn call(
        &self,
        source: &Source,
        inst: &Inst,
        args: &[u32],
        uses: &mut FxHashMap<u32, Uses>,
    ) -> Result<()> {
        let index = source.find_function(inst.word(3)?)?;
        let Some(callee) = self.by_index.get(&index) else {
            return Ok(());
        };
        for (param, &arg) in source.functions[index].params.iter().zip(args) {
            if callee.uses.get(param).is_some_and(|uses| uses.dynamic) {
                uses.entry(arg).or_default().dynamic = true;
            }
        }
        Ok(())
    }
}
