//! Functions: the entry point and those inlined into it; blocks, phis and values that escape their region.

use super::pointer::{Base, Pointer, Space};
use super::state::{Goal, State};
use super::value::{Scalar, Val};
use super::{Id, Origin, Slot, Translator};
use crate::shader::ir::Value;
use crate::shader::spirv::SpirvError;
use crate::shader::spirv::api::{Output, OutputSlot, Outputs};
use crate::shader::spirv::error::Result;
use crate::shader::spirv::interface::{IoComponent, heap_of};
use crate::shader::spirv::layout::Rule;
use crate::shader::spirv::parse::{ABORT, Inst};
use crate::shader::spirv::structure::is_repeatable;
use crate::shader::spirv::types::{Leaf, TypeId};
use crate::shader::spirv::usage::FunctionInfo;
use ::spirv::{Op, StorageClass};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Components up to which a variable with constant indices is carried as values.
const MAX_SLOTS: u32 = 512;

/// Calls inlined into a shader, those in loop bodies that are emitted again too.
const MAX_CALLS: u32 = 1 << 18;

/// A function being translated.
#[derive(Clone, Debug)]
pub(super) struct Instance {
    /// Number of this chain of calls.
    pub(super) id: u32,
    pub(super) info: Rc<FunctionInfo>,
    /// Index of its function.
    pub(super) function: usize,
    /// Index of its return target; its own targets come after.
    pub(super) base_target: usize,
    /// First slot of each phi and of each escaping value, with their types.
    slots: Rc<FxHashMap<u32, (usize, TypeId)>>,
    /// First slot of the result.
    ret: usize,
    ret_type: TypeId,
}

/// An output variable of the entry point.
#[derive(Clone, Debug)]
pub(super) struct OutputVariable {
    components: Vec<IoComponent>,
    pointer: Pointer,
}

impl Translator<'_, '_> {
    /// Translates the entry point.
    pub(super) fn main(&mut self) -> Result<Outputs> {
        self.open_globals()?;
        let function = self.entry.function;
        let ret_type = self.types.find(self.source.functions[function].ret)?;
        let ret = self.slots.len();
        self.push_target(Goal::Return, ret);
        self.open_private()?;
        self.enter(0, function, ret, ret_type)?;
        self.run_body(function)?;
        self.land();
        self.finish()
    }

    fn run_body(&mut self, function: usize) -> Result<()> {
        let info = self.instance()?.info.clone();
        debug_assert!(function < self.source.functions.len());
        let nesting = self.nesting;
        self.region(&info.cfg.body)?;
        self.nesting = nesting;
        self.instances.pop();
        Ok(())
    }

    /// The function being translated.
    pub(super) fn instance(&self) -> Result<&Instance> {
        self.instances.last().ok_or(SpirvError::Unstructured(0))
    }

    /// Adds slots for a value of a type; gives the first.
    pub(super) fn add_slots(&mut self, ty: TypeId, origin: Origin) -> Result<usize> {
        let leaves = self.leaves(ty)?;
        let first = self.slots.len();
        self.slots
            .extend(leaves.iter().map(|&leaf| Slot { leaf, origin }));
        if self.slots.len() > 1 << 16 {
            return Err(SpirvError::TooLarge("the variables"));
        }
        let len = self.slots.len();
        if let Some(state) = &mut self.state {
            state.env.resize(len);
        }
        Ok(first)
    }

    fn drop_slots(&mut self, len: usize) {
        self.slots.truncate(len);
        if let Some(state) = &mut self.state {
            state.env.truncate(len);
        }
    }

    /// Sets slots from `first` on.
    pub(super) fn set_slots(&mut self, first: usize, value: &[Scalar]) {
        if let Some(state) = &mut self.state {
            for (slot, &s) in (first..).zip(value) {
                state.env.set(slot, Some(s));
            }
        }
    }

    /// What slots from `first` on hold; zeros where that is undefined.
    pub(super) fn get_slots(&mut self, first: usize, count: usize) -> Val {
        (first..first + count)
            .map(|slot| {
                let now = self.state.as_ref().and_then(|state| state.env.get(slot));
                let leaf = self
                    .slots
                    .get(slot)
                    .map_or(Leaf::Int(32, false), |slot| slot.leaf);
                now.unwrap_or_else(|| self.zero(leaf, false))
            })
            .collect()
    }

    fn clear_slots(&mut self, first: usize, count: usize) {
        if let Some(state) = &mut self.state {
            (first..first + count).for_each(|slot| state.env.set(slot, None));
        }
    }

    /// Makes the global variables known; outputs come first, since they outlive the function.
    fn open_globals(&mut self) -> Result<()> {
        for &id in &self.entry.used {
            let global = &self.entry.globals[&id];
            match global.class {
                StorageClass::Output => {
                    let components = self.entry.io_components(id, global.ty)?;
                    let pointer = self.variable(id, global.class, global.ty, Origin::Outer)?;
                    self.initialize(&pointer, global.init)?;
                    self.outputs.push(OutputVariable { components, pointer });
                }
                StorageClass::Private => {}
                _ => self.open_global(id)?,
            }
        }
        Ok(())
    }

    fn open_private(&mut self) -> Result<()> {
        for &id in &self.entry.used {
            let global = &self.entry.globals[&id];
            if global.class == StorageClass::Private {
                let pointer = self.variable(id, global.class, global.ty, Origin::Outer)?;
                self.initialize(&pointer, global.init)?;
            }
        }
        Ok(())
    }

    fn open_global(&mut self, id: u32) -> Result<()> {
        let global = &self.entry.globals[&id];
        let base = match global.class {
            StorageClass::Input => {
                let components: Rc<[IoComponent]> = self.entry.io_components(id, global.ty)?.into();
                let input = Base::Input(components, 0);
                if self.functions.dynamic_globals.contains(&id) {
                    let value = self.load(&Pointer::new(input, global.class, global.ty))?;
                    let pointer = self.variable(id, global.class, global.ty, Origin::Outer)?;
                    return self.store(&pointer, &value);
                }
                input
            }
            StorageClass::Workgroup => Base::Memory(Space::Shared),
            StorageClass::PushConstant => Base::Memory(Space::Push),
            StorageClass::Uniform | StorageClass::StorageBuffer | StorageClass::UniformConstant => {
                heap_of(self.source, id).map_or(Base::Resource(id, None), Base::Heap)
            }
            class => return Err(SpirvError::unsupported(format!("storage class {class:?}"))),
        };
        let mut pointer = Pointer::new(base, global.class, global.ty);
        if global.class == StorageClass::Workgroup {
            pointer.rule = crate::shader::spirv::interface::shared_rule(self.source, self.types, global.ty);
            pointer.disp = global.offset;
        }
        if let Base::Heap(_) = pointer.base {
            pointer.rule = Rule::Explicit;
        }
        self.define_id(id, Id::Pointer(pointer));
        Ok(())
    }

    /// Makes a variable: slots where all its indices are constant, memory of the frame otherwise.
    fn variable(&mut self, id: u32, class: StorageClass, ty: TypeId, origin: Origin) -> Result<Pointer> {
        let dynamic = match class {
            StorageClass::Function => {
                let uses = &self.instance()?.info.uses;
                uses.get(&id).is_some_and(|uses| uses.dynamic)
            }
            _ => self.functions.dynamic_globals.contains(&id),
        };
        let base = if dynamic || self.types.comps(ty) > MAX_SLOTS {
            self.frame_memory(ty)?
        } else {
            Base::Slots(self.add_slots(ty, origin)?)
        };
        let pointer = Pointer::new(base, class, ty);
        self.define_id(id, Id::Pointer(pointer.clone()));
        Ok(pointer)
    }

    fn initialize(&mut self, pointer: &Pointer, init: Option<u32>) -> Result<()> {
        let Some(init) = init else {
            return Ok(());
        };
        if let Base::Slots(_) = pointer.base {
            let value = self.value(init)?;
            return self.store(pointer, &value);
        }
        let value = self.value(init)?;
        self.store(pointer, &value)
    }

    /// Gives values and pointers a name.
    pub(super) fn define_id(&mut self, id: u32, what: Id) {
        if let Some(instance) = self.instances.last()
            && instance.info.cfg.escaping.contains(&id)
            && let Some(&(first, _)) = instance.slots.get(&id)
        {
            let value = match &what {
                Id::Value(value) => Ok(value.clone()),
                Id::Pointer(pointer) => self.pointer_value(id, pointer),
                Id::Handle(_) => Err(SpirvError::WrongType(id)),
            };
            if let Ok(value) = value {
                self.set_slots(first, &value);
            }
        }
        self.ids.insert(id, what);
        self.id_log.push(id);
    }

    /// A value whose definition does not reach here.
    pub(super) fn escaped(&mut self, id: u32) -> Result<Val> {
        let instance = self.instance()?;
        let Some(&(first, ty)) = instance.slots.get(&id) else {
            self.repeat_definition(id)?;
            return match self.ids.get(&id) {
                Some(Id::Value(value)) => Ok(value.clone()),
                Some(Id::Pointer(pointer)) => {
                    let pointer = pointer.clone();
                    self.pointer_value(id, &pointer)
                }
                _ => Err(SpirvError::UnknownId(id)),
            };
        };
        if !instance.info.cfg.escaping.contains(&id) {
            return Err(SpirvError::UnknownId(id));
        }
        let count = self.types.comps(ty) as usize;
        Ok(self.get_slots(first, count))
    }

    /// Emits the definition of a pointer or handle again, where it does not reach.
    pub(super) fn repeat_definition(&mut self, id: u32) -> Result<()> {
        let unknown = Err(SpirvError::UnknownId(id));
        if !self.instance()?.info.cfg.escaping.contains(&id) || self.repeats > 16 {
            return unknown;
        }
        let at = self.source.code.def(id)?;
        let inst = self.source.code.inst(at);
        // A load of a value is carried as scalars instead: what it read may have changed since.
        let handle = match inst.op {
            Op::Load => self.leaves(self.result_type(&inst)?).is_err(),
            op => is_repeatable(op),
        };
        if !handle {
            return unknown;
        }
        self.repeats += 1;
        let result = self.inst(&inst, at);
        self.repeats -= 1;
        result
    }

    /// Opens a function: slots for its variables, phis and escaping values.
    fn enter(&mut self, id: u32, function: usize, ret: usize, ret_type: TypeId) -> Result<()> {
        let info = self
            .functions
            .by_index
            .get(&function)
            .cloned()
            .ok_or(SpirvError::Unstructured(0))?;
        let mut slots = FxHashMap::default();
        for (index, block) in info.cfg.blocks.iter().enumerate() {
            if block.region == u32::MAX {
                continue;
            }
            for at in block.phis.start..block.insts.end {
                let inst = self.source.code.inst(at);
                let Some(result) = inst.result() else {
                    continue;
                };
                if inst.op == Op::Phi {
                    let ty = self.result_type(&inst)?;
                    slots.insert(result, (self.add_slots(ty, Origin::Phi(id, index, result))?, ty));
                } else if info.cfg.escaping.contains(&result) && inst.op != Op::Variable {
                    // What has no scalars (pointers, images) cannot escape.
                    let Ok(ty) = self.result_type(&inst) else {
                        continue;
                    };
                    if self.types.comps(ty) != 0
                        && self.leaves(ty).is_ok()
                        && !self.is_cheaper_again(&inst, ty)
                    {
                        slots.insert(result, (self.add_slots(ty, Origin::Escape(id, result))?, ty));
                    }
                }
            }
        }
        self.instances.push(Instance {
            id,
            info: info.clone(),
            function,
            base_target: self.targets.len() - 1,
            slots: Rc::new(slots),
            ret,
            ret_type,
        });
        for block in info.cfg.blocks.iter().filter(|block| block.region != u32::MAX) {
            for at in block.insts.clone() {
                let inst = self.source.code.inst(at);
                if inst.op == Op::Variable {
                    self.open_variable(&inst)?;
                }
            }
        }
        Ok(())
    }

    /// Whether a pointer is emitted again where its definition does not reach, instead of being carried.
    fn is_cheaper_again(&self, inst: &Inst, ty: TypeId) -> bool {
        let class = self.types.pointee(ty).map(|pointee| pointee.0);
        let class = class.or_else(|| self.types.untyped(ty));
        let value = matches!(class, None | Some(StorageClass::PhysicalStorageBuffer));
        !value && inst.op != Op::Load && is_repeatable(inst.op)
    }

    fn open_variable(&mut self, inst: &Inst) -> Result<()> {
        let id = inst.word(2)?;
        let (class, ty) = self
            .types
            .pointee(self.result_type(inst)?)
            .ok_or(SpirvError::WrongType(id))?;
        if class != StorageClass::Function {
            return Err(SpirvError::WrongType(id));
        }
        let origin = Origin::Variable(self.instance()?.id, id);
        let pointer = self.variable(id, class, ty, origin)?;
        self.initialize(&pointer, inst.words.get(4).copied())
    }

    /// `OpFunctionCall`: the callee's body in place.
    pub(super) fn call(&mut self, inst: &Inst, at: usize) -> Result<()> {
        let index = self.source.find_function(inst.word(3)?)?;
        let function = &self.source.functions[index];
        if function.params.len() != inst.rest(4).len() {
            return Err(SpirvError::WrongType(function.id));
        }
        // Functions that call others twice double the shader with every level, even if they do nothing.
        self.calls += 1;
        if self.calls > MAX_CALLS {
            return Err(SpirvError::TooLarge("the number of calls"));
        }
        let mark = self.mark();
        let mut args = Vec::new();
        for (&param, &arg) in function.params.iter().zip(inst.rest(4)) {
            let what = match self.ids.get(&arg) {
                Some(what) => what.clone(),
                None => Id::Value(self.value(arg)?),
            };
            if self.type_of(param)? != self.type_of(arg)? {
                return Err(SpirvError::WrongType(arg));
            }
            args.push((param, what));
        }
        let caller = self.instance()?.id;
        let next = u32::try_from(self.instance_ids.len() + 1)?;
        let id = *self.instance_ids.entry((caller, at)).or_insert(next);
        let ret_type = self.types.find(function.ret)?;
        let ret = self.slots.len();
        if self.types.comps(ret_type) != 0 {
            self.add_slots(ret_type, Origin::Outer)?;
        }
        let len = self.slots.len();
        self.push_target(Goal::Return, len);
        for (param, what) in args {
            self.define_id(param, what);
        }
        self.enter(id, index, ret, ret_type)?;
        self.watch_parameters(&function.params)?;
        self.run_body(index)?;
        self.land();
        self.forget(mark);
        let count = self.types.comps(ret_type) as usize;
        let value = (count != 0).then(|| self.get_slots(ret, count));
        self.slots.truncate(len);
        self.drop_slots(ret);
        match value {
            Some(value) => self.define(inst, value),
            None => Ok(()),
        }
    }

    /// The instructions of a block.
    pub(super) fn block(&mut self, index: usize) -> Result<()> {
        let instance = self.instance()?;
        let block = instance.info.cfg.blocks[index].clone();
        let slots = instance.slots.clone();
        for at in block.phis.clone() {
            let inst = self.source.code.inst(at);
            let Some((id, &(first, ty))) = inst.result().and_then(|id| Some((id, slots.get(&id)?))) else {
                continue;
            };
            let count = self.types.comps(ty) as usize;
            let value = self.get_slots(first, count);
            if !self.instance()?.info.cfg.escaping.contains(&id) {
                self.clear_slots(first, count);
            }
            self.check_value(id, ty, &value)?;
            self.ids.insert(id, Id::Value(value));
            self.id_log.push(id);
        }
        for at in block.insts {
            if self.state.as_ref().is_none_or(|state| state.exec.is_none()) {
                break;
            }
            let inst = self.source.code.inst(at);
            self.inst(&inst, at)?;
            self.check_size()?;
        }
        Ok(())
    }

    /// What an edge gives to the phis of its target.
    pub(super) fn edge(&mut self, from: usize, to: usize) -> Result<()> {
        let instance = self.instance()?;
        let cfg = &instance.info.cfg;
        let (label, phis) = (cfg.blocks[from].label, cfg.blocks[to].phis.clone());
        if phis.is_empty() {
            return Ok(());
        }
        let slots = instance.slots.clone();
        let mut writes = Vec::new();
        for at in phis {
            let inst = self.source.code.inst(at);
            let Some((id, &(first, ty))) = inst.result().and_then(|id| Some((id, slots.get(&id)?))) else {
                continue;
            };
            let pairs = inst.rest(3).chunks_exact(2);
            let operand = pairs.filter(|pair| pair[1] == label).map(|pair| pair[0]).next();
            let operand = operand.ok_or(SpirvError::UnknownId(label))?;
            let value = self.value(operand)?;
            self.check_value(id, ty, &value)?;
            writes.push((first, value));
        }
        for (first, value) in writes {
            self.set_slots(first, &value);
        }
        Ok(())
    }

    /// Terminators that lead to no block.
    pub(super) fn end(&mut self, index: usize) -> Result<()> {
        let instance = self.instance()?;
        let (target, ret, ret_type) = (instance.base_target, instance.ret, instance.ret_type);
        let term = self.source.code.inst(instance.info.cfg.blocks[index].term);
        match term.op {
            Op::Return => self.jump(target),
            Op::ReturnValue => {
                let id = term.word(1)?;
                let value = self.value(id)?;
                self.check_value(id, ret_type, &value)?;
                if self.instances.len() > 1 {
                    self.set_slots(ret, &value);
                }
                self.jump(target);
            }
            Op::Kill | Op::TerminateInvocation => {
                self.uncover();
                self.vanish();
            }
            Op::Unreachable => self.vanish(),
            ABORT => {
                let outer = std::mem::replace(&mut self.b.origin, term.offset());
                self.abort(&term)?;
                self.b.origin = outer;
                self.vanish();
            }
            op => return Err(SpirvError::unsupported(format!("{op:?}"))),
        }
        Ok(())
    }

    /// The running lanes cover nothing any more.
    pub(super) fn uncover(&mut self) {
        let exec = self.exec();
        if let Some(State { coverage, .. }) = &mut self.state {
            *coverage = self.b.mandnot(*coverage, exec);
        }
    }

    /// The running lanes end for good.
    fn vanish(&mut self) {
        self.kills += 1;
        if let Some(state) = &mut self.state {
            state.exec = None;
        }
    }

    fn finish(&mut self) -> Result<Outputs> {
        if self.state.is_none() {
            // The shader never ends; what follows is dead, but has to be somewhere.
            let (block, _) = self.b.add_block(&[]);
            self.switch_to(block);
            let off = self.b.mconst(0);
            let mut state = State::empty(off);
            state.env.resize(self.slots.len());
            self.state = Some(state);
        }
        let mut values = Vec::new();
        for output in std::mem::take(&mut self.outputs) {
            let written = |state: &State, first: usize, i: usize| state.env.get(first + i).is_some();
            let all = self.load(&output.pointer)?;
            for (i, (component, &s)) in output.components.iter().zip(&all).enumerate() {
                if let (Base::Slots(first), Some(state)) = (&output.pointer.base, &self.state)
                    && !written(state, *first, i)
                {
                    continue;
                }
                let s = self.vary(s);
                values.push(Output {
                    slot: component.slot,
                    value: self.output_value(s, component.leaf),
                });
                if let (
                    true,
                    OutputSlot::Location {
                        location,
                        component,
                        index,
                    },
                ) = (self.is_pair(s), component.slot)
                {
                    let slot = OutputSlot::Location {
                        location,
                        component: component + 1,
                        index,
                    };
                    values.push(Output { slot, value: s.hi });
                }
            }
        }
        values.sort_by_key(|output| output.slot);
        let exec = self.exec();
        let coverage = self.effective();
        Ok(Outputs {
            values,
            exec,
            coverage,
        })
    }

    fn output_value(&mut self, s: Scalar, leaf: Leaf) -> Value {
        if leaf == Leaf::Bool {
            let mask = self.as_m(s);
            let (one, zero) = (self.v32(1), self.v32(0));
            return self.b.vselect(mask, one, zero);
        }
        self.as_v(s)
    }
}
