//! Names and values of a shader's variables, for a run that is to explain a fault.
//!
//! A translation that watches marks, after each named result and each store to a named variable, where the new value
//! is. Whoever runs the kernel collects the values at these marks; [`Watches::show`] writes them in the shader's types.

use super::EntryPoint;
use super::module::Source;
use super::types::{Leaf, Type, TypeId};
use crate::shader::ir::Value;
use ::spirv::Op;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::fmt::Write as _;

/// Characters of a name that are kept.
const MAX_NAME: usize = 80;
/// Names that are watched.
const MAX_SLOTS: usize = 256;
/// Scalars of a value that are watched.
pub(super) const MAX_SCALARS: usize = 64;
/// Elements of an array that are shown.
const MAX_ELEMENTS: usize = 16;

/// A mark: where the scalars of a value are.
#[derive(Clone, Debug)]
pub struct Mark {
    /// Which name has a new value; without one only the lanes are told.
    pub slot: Option<usize>,
    /// The lanes that run, which have it.
    pub lanes: Value,
    /// Low and, if there is one, high word of each scalar.
    pub scalars: SmallVec<[(Value, Value); 4]>,
}

#[derive(Debug)]
struct Slot {
    name: String,
    ty: TypeId,
}

/// What a translation watches.
#[derive(Debug, Default)]
pub struct Watches {
    /// The marks, by the immediate of [`crate::shader::ir::Op::Watch`].
    pub marks: Vec<Mark>,
    slots: Vec<Slot>,
    by_name: FxHashMap<(String, TypeId), usize>,
    names: FxHashMap<u32, String>,
    members: FxHashMap<(u32, u32), String>,
}

impl Watches {
    /// Nothing yet; knows the names of a module.
    pub(super) fn new(source: &Source) -> Watches {
        let mut watches = Watches::default();
        for &at in &source.globals {
            let inst = source.code.inst(at);
            let (target, text) = match inst.op {
                Op::Name => (inst.word(1), inst.string(2)),
                Op::MemberName => (inst.word(1), inst.string(3)),
                _ => continue,
            };
            let (Ok(target), Ok((text, _))) = (target, text) else {
                continue;
            };
            let text = clean(&text);
            if let (Op::MemberName, Ok(member)) = (inst.op, inst.word(2)) {
                watches.members.insert((target, member), text);
            } else {
                watches.names.insert(target, text);
            }
        }
        watches
    }

    /// The name of an id.
    pub(super) fn name(&self, id: u32) -> Option<&str> {
        self.names
            .get(&id)
            .map(String::as_str)
            .filter(|name| !name.is_empty())
    }

    /// Whether an id has a name, if an empty one.
    pub(super) fn is_named(&self, id: u32) -> bool {
        self.names.contains_key(&id)
    }

    /// The name of a structure's member.
    pub(super) fn member(&self, id: u32, member: u32) -> Option<&str> {
        self.members.get(&(id, member)).map(String::as_str)
    }

    /// Adds a mark; gives its number, unless there are too many names.
    pub(super) fn add(
        &mut self,
        name: String,
        ty: TypeId,
        lanes: Value,
        scalars: SmallVec<[(Value, Value); 4]>,
    ) -> Option<usize> {
        let next = self.slots.len();
        let slot = *self.by_name.entry((name.clone(), ty)).or_insert(next);
        if slot == next {
            if next >= MAX_SLOTS {
                return None;
            }
            self.slots.push(Slot { name, ty });
        }
        Some(self.push(Some(slot), lanes, scalars))
    }

    /// Adds a mark that only tells which lanes run.
    pub(super) fn add_lanes(&mut self, lanes: Value) -> usize {
        self.push(None, lanes, SmallVec::new())
    }

    fn push(&mut self, slot: Option<usize>, lanes: Value, scalars: SmallVec<[(Value, Value); 4]>) -> usize {
        self.marks.push(Mark { slot, lanes, scalars });
        self.marks.len() - 1
    }

    /// Names that are watched.
    #[must_use]
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether nothing is watched.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Name and value of a slot, from one number a scalar.
    #[must_use]
    pub fn show(&self, entry: &EntryPoint, slot: usize, scalars: &[u64]) -> Option<(String, String)> {
        let slot = self.slots.get(slot)?;
        let mut text = String::new();
        let mut rest = scalars.iter().copied();
        self.value(entry, slot.ty, &mut rest, &mut text);
        Some((slot.name.clone(), text))
    }

    fn value(&self, entry: &EntryPoint, ty: TypeId, rest: &mut dyn Iterator<Item = u64>, text: &mut String) {
        let types = &entry.types;
        match types.get(ty) {
            Type::Scalar(leaf) => scalar(*leaf, rest.next().unwrap_or(0), text),
            Type::Vector(leaf, count) => {
                self.list(("(", ")"), *count as usize, text, |_, text| {
                    scalar(*leaf, rest.next().unwrap_or(0), text);
                });
            }
            Type::Matrix(inner, count) | Type::Array(inner, count, _) => {
                self.list(("[", "]"), *count as usize, text, |_, text| {
                    self.value(entry, *inner, rest, text);
                });
            }
            Type::Struct(id, members) => {
                self.list(("{", "}"), members.len(), text, |i, text| {
                    if let Some(name) = self.member(*id, i as u32) {
                        text.push_str(name);
                        text.push_str(": ");
                    }
                    self.value(entry, members[i].ty, rest, text);
                });
            }
            _ => scalar(Leaf::Address, rest.next().unwrap_or(0), text),
        }
    }

    /// Writes `count` parts; of many, the last ones only to a string that is thrown away, since each takes its scalars.
    fn list(
        &self,
        (open, close): (&str, &str),
        count: usize,
        text: &mut String,
        mut part: impl FnMut(usize, &mut String),
    ) {
        text.push_str(open);
        let mut unseen = String::new();
        for i in 0..count {
            if i >= MAX_ELEMENTS {
                part(i, &mut unseen);
                continue;
            }
            if i != 0 {
                text.push_str(", ");
            }
            part(i, text);
        }
        if count > MAX_ELEMENTS {
            text.push_str(", …");
        }
        text.push_str(close);
    }
}

fn scalar(leaf: Leaf, bits: u64, text: &mut String) {
    let low = bits as u32;
    // Writing to a string does not fail.
    let _ = match leaf {
        Leaf::Bool => write!(text, "{}", bits != 0),
        Leaf::Int(64, true) => write!(text, "{}", bits.cast_signed()),
        Leaf::Int(64, false) => write!(text, "{bits}"),
        Leaf::Int(_, true) => write!(text, "{}", low.cast_signed()),
        Leaf::Int(_, false) => write!(text, "{low}"),
        Leaf::Float(64) => write!(text, "{:?}", f64::from_bits(bits)),
        Leaf::Float(_) => write!(text, "{:?}", f32::from_bits(low)),
        Leaf::Address => write!(text, "{bits:#x}"),
    };
}

/// A name as it can be printed.
fn clean(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(MAX_NAME).collect()
}
