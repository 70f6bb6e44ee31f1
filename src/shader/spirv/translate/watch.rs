//! Marks for those who want to see the values of variables; see `spirv/watch.rs`.

use super::inst::is_image;
use super::pointer::{Base, Pointer};
use super::value::Val;
use super::{Id, Translator};
use crate::shader::spirv::constants::MAX_COMPS;
use crate::shader::spirv::error::Result;
use crate::shader::spirv::interface::is_atomic;
use crate::shader::spirv::parse::Inst;
use crate::shader::spirv::types::{Type, TypeId};
use crate::shader::spirv::watch::MAX_SCALARS;
use ::spirv::Op;

/// Access chains and loads that a name is put together from.
const MAX_STEPS: usize = 8;

impl Translator<'_, '_> {
    /// Marks which lanes run, ahead of an instruction that may fail.
    pub(super) fn watch_lanes(&mut self, inst: &Inst) {
        let may_fail = matches!(inst.op, Op::Load | Op::Store | Op::CopyMemory)
            || is_atomic(inst.op)
            || is_image(inst.op);
        if may_fail && self.watches.is_some() && self.state.as_ref().is_some_and(|state| state.exec.is_some())
        {
            let lanes = self.exec();
            if let Some(watches) = &mut self.watches {
                let index = watches.add_lanes(lanes);
                self.b.watch(index as i64);
            }
        }
    }

    /// Marks what an instruction has given a new value to.
    pub(super) fn watch_inst(&mut self, inst: &Inst) -> Result<()> {
        if self.watches.is_none() || self.state.as_ref().is_none_or(|state| state.exec.is_none()) {
            return Ok(());
        }
        match inst.op {
            Op::Store | Op::CopyMemory => {
                let root = self.root(inst.word(1)?);
                self.watch_variable(root)
            }
            op => {
                let Some(id) = inst.result() else { return Ok(()) };
                let Some(Id::Value(value)) = self.ids.get(&id) else {
                    return Ok(());
                };
                let value = value.clone();
                let named = self.watches.as_ref().and_then(|w| w.name(id)).map(str::to_owned);
                let name = match named {
                    Some(name) => Some(name),
                    None if op == Op::Load && !self.reads_own(inst.word(3)?) => {
                        self.spelled(inst.word(3)?, MAX_STEPS)
                    }
                    None => None,
                };
                match name {
                    Some(name) => {
                        let ty = self.result_type(inst)?;
                        self.mark_value(name, ty, &value);
                        Ok(())
                    }
                    None => Ok(()),
                }
            }
        }
    }

    /// Marks the value of a variable or parameter, if it has a name.
    pub(super) fn watch_variable(&mut self, id: u32) -> Result<()> {
        let Some(name) = self.watches.as_ref().and_then(|w| w.name(id)).map(str::to_owned) else {
            return Ok(());
        };
        let (ty, value) = match self.ids.get(&id) {
            Some(Id::Value(value)) => {
                let value = value.clone();
                (self.type_of(id)?, value)
            }
            Some(Id::Pointer(pointer)) if self.is_own(pointer) => {
                let pointer = pointer.clone();
                (pointer.ty, self.load(&pointer)?)
            }
            _ => return Ok(()),
        };
        self.mark_value(name, ty, &value);
        Ok(())
    }

    /// Whether a pointer leads into a variable of the invocation's own, which is watched where it changes.
    fn reads_own(&self, id: u32) -> bool {
        matches!(
            self.ids.get(&id),
            Some(Id::Pointer(Pointer {
                base: Base::Slots(_) | Base::Frame(..),
                ..
            }))
        )
    }

    /// Whether a pointer is to all of a small variable of the invocation's own.
    fn is_own(&self, pointer: &Pointer) -> bool {
        let comps = self.types.comps(pointer.ty);
        matches!(pointer.base, Base::Slots(_) | Base::Frame(..))
            && comps <= MAX_COMPS
            && comps as usize <= MAX_SCALARS
    }

    fn mark_value(&mut self, name: String, ty: TypeId, value: &Val) {
        if value.len() > MAX_SCALARS || value.is_empty() {
            return;
        }
        let name = match self.instances.last() {
            Some(instance) if self.instances.len() > 1 => {
                let function = self.source.functions.get(instance.function).map(|f| f.id);
                let outer = function.and_then(|id| self.watches.as_ref()?.name(id));
                // Names of functions end in what their parameters are.
                let outer = outer.unwrap_or("?").split('(').next().unwrap_or("?");
                format!("{outer}(): {name}")
            }
            _ => name,
        };
        let lanes = self.exec();
        let scalars = value.iter().map(|s| (s.lo, s.hi)).collect();
        let added = self
            .watches
            .as_mut()
            .and_then(|w| w.add(name, ty, lanes, scalars));
        if let Some(index) = added {
            self.b.watch(index as i64);
        }
    }

    /// The variable that a pointer points into.
    fn root(&self, mut id: u32) -> u32 {
        for _ in 0..MAX_STEPS {
            let Ok(inst) = self.source.code.def_inst(id) else {
                break;
            };
            match (inst.op, inst.word(3)) {
                (Op::AccessChain | Op::InBoundsAccessChain | Op::CopyObject, Ok(base)) => id = base,
                _ => break,
            }
        }
        id
    }

    /// What a pointer is called in the shader: `positions[i].x`.
    fn spelled(&self, id: u32, steps: usize) -> Option<String> {
        let watches = self.watches.as_ref()?;
        if let Some(name) = watches.name(id) {
            return Some(name.to_owned());
        }
        let inst = self.source.code.def_inst(id).ok()?;
        let base = inst.word(3);
        match inst.op {
            _ if steps == 0 => None,
            Op::AccessChain | Op::InBoundsAccessChain => {
                let base = base.ok()?;
                let mut text = self.spelled(base, steps - 1)?;
                let mut ty = self.types.pointee(self.type_of(base).ok()?)?.1;
                for &index in inst.rest(4) {
                    ty = self.path_step(ty, index, steps - 1, &mut text)?;
                }
                Some(text)
            }
            Op::Load | Op::CopyObject | Op::Bitcast => self.spelled(base.ok()?, steps - 1),
            // A block without a name: its members have names of their own.
            Op::Variable if watches.is_named(id) => Some(String::new()),
            _ => None,
        }
    }

    /// Adds an index to a path; gives the type of what it leads to.
    fn path_step(&self, ty: TypeId, index: u32, steps: usize, text: &mut String) -> Option<TypeId> {
        let constant = self.constants.get(index).is_some();
        let number = self.constants.word(index).ok().filter(|_| constant);
        match (self.types.get(ty), number) {
            (Type::Struct(id, members), Some(number)) => {
                if !text.is_empty() {
                    text.push('.');
                }
                match self.watches.as_ref()?.member(*id, number) {
                    Some(name) => text.push_str(name),
                    None => text.push_str(&number.to_string()),
                }
                members.get(number as usize).map(|member| member.ty)
            }
            (Type::Vector(..), Some(number @ 0..4)) => {
                text.push('.');
                text.push(char::from(b"xyzw"[number as usize]));
                // Nothing leads further.
                Some(ty)
            }
            (Type::Array(inner, ..) | Type::RuntimeArray(inner, _) | Type::Matrix(inner, _), number) => {
                let number = number.map(|number| number.to_string());
                let index = number.or_else(|| self.spelled(index, steps));
                text.push('[');
                text.push_str(index.as_deref().unwrap_or("?"));
                text.push(']');
                Some(*inner)
            }
            (Type::Vector(..), _) => {
                text.push_str("[?]");
                Some(ty)
            }
            _ => None,
        }
    }

    /// The values of a function's parameters where it begins.
    pub(super) fn watch_parameters(&mut self, params: &[u32]) -> Result<()> {
        if self.watches.is_some() {
            for &param in params {
                self.watch_variable(param)?;
            }
        }
        Ok(())
    }
}
