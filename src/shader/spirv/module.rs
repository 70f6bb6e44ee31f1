//! A parsed module: its sections, before specialization.

use super::error::{Result, SpirvError};
use super::parse::{Code, Inst};
use ::spirv::{Capability, Decoration, ExecutionModel, Op};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Words of a module that are accepted.
const MAX_WORDS: usize = 1 << 25;

/// A parsed SPIR-V module.
#[derive(Clone, Debug)]
pub struct Module {
    pub(super) source: Arc<Source>,
}

/// What parsing finds.
#[derive(Debug)]
pub(super) struct Source {
    pub(super) code: Code,
    pub(super) entry_points: Vec<EntryDecl>,
    pub(super) functions: Vec<Function>,
    /// Instructions outside functions that define types, constants and variables, in order.
    pub(super) globals: Vec<usize>,
    /// Ids of the `GLSL.std.450` imports.
    pub(super) glsl: Vec<u32>,
    /// Ids of imports whose instructions do nothing.
    pub(super) non_semantic: Vec<u32>,
    /// Whether the least of two zeros is the negative one.
    pub(super) orders_zeros: bool,
    /// Execution mode instructions.
    modes: Vec<usize>,
    /// Decoration instructions by target and member ([`WHOLE`] for none), in order.
    decorations: FxHashMap<(u32, u32), Vec<usize>>,
    /// Decoration groups of each target.
    groups: FxHashMap<(u32, u32), Vec<u32>>,
    /// Index in `functions` by id.
    function_index: FxHashMap<u32, usize>,
}

/// Stands for "not a member" in decoration keys.
const WHOLE: u32 = u32::MAX;

/// An `OpEntryPoint`.
#[derive(Debug)]
pub(super) struct EntryDecl {
    pub(super) model: ExecutionModel,
    pub(super) function: u32,
    pub(super) name: String,
}

/// A function's place in the module.
#[derive(Debug)]
pub(super) struct Function {
    pub(super) id: u32,
    pub(super) ret: u32,
    pub(super) params: Vec<u32>,
    /// Instructions after the parameters up to, not including, `OpFunctionEnd`.
    pub(super) body: std::ops::Range<usize>,
}

impl Module {
    /// Parses a module. Its functions are checked when an entry point is translated.
    pub fn parse(words: &[u32]) -> std::result::Result<Module, SpirvError> {
        if words.len() > MAX_WORDS {
            return Err(SpirvError::TooLarge("the module"));
        }
        Ok(Module {
            source: Arc::new(Source::new(Code::parse(words)?)?),
        })
    }

    /// Names of the entry points of the module, with the word of their execution model.
    pub fn entry_points(&self) -> impl Iterator<Item = (&str, ExecutionModel)> {
        self.source
            .entry_points
            .iter()
            .map(|entry| (entry.name.as_str(), entry.model))
    }
}

impl Source {
    fn new(code: Code) -> Result<Source> {
        let mut source = Source {
            code,
            entry_points: Vec::new(),
            functions: Vec::new(),
            globals: Vec::new(),
            glsl: Vec::new(),
            non_semantic: Vec::new(),
            orders_zeros: false,
            modes: Vec::new(),
            decorations: FxHashMap::default(),
            groups: FxHashMap::default(),
            function_index: FxHashMap::default(),
        };
        let mut at = 0;
        while at < source.code.len() {
            at = match source.code.op(at) {
                Op::Function => source.function(at)?,
                _ => {
                    source.global(at)?;
                    at + 1
                }
            };
        }
        Ok(source)
    }

    fn global(&mut self, at: usize) -> Result<()> {
        let inst = self.code.inst(at);
        match inst.op {
            Op::EntryPoint => {
                let model = ExecutionModel::from_u32(inst.word(1)?)
                    .ok_or_else(|| SpirvError::unsupported("execution model"))?;
                let entry = EntryDecl {
                    model,
                    function: inst.word(2)?,
                    name: inst.string(3)?.0,
                };
                self.entry_points.push(entry);
            }
            Op::ExecutionMode | Op::ExecutionModeId => self.modes.push(at),
            // With these controls the sign of a zero counts unless a decoration says otherwise.
            Op::Capability => self.orders_zeros |= inst.word(1)? == Capability::FloatControls2 as u32,
            Op::ExtInstImport => self.import(inst.word(1)?, &inst.string(2)?.0)?,
            Op::Decorate | Op::DecorateId | Op::DecorateString => {
                let key = (inst.word(1)?, WHOLE);
                self.decorations.entry(key).or_default().push(at);
            }
            Op::MemberDecorate | Op::MemberDecorateIdEXT | Op::MemberDecorateString => {
                let key = (inst.word(1)?, inst.word(2)?);
                self.decorations.entry(key).or_default().push(at);
            }
            Op::GroupDecorate => {
                let group = inst.word(1)?;
                let targets: Vec<_> = inst.rest(2).iter().map(|&id| (id, WHOLE)).collect();
                self.add_group(group, &targets);
            }
            Op::GroupMemberDecorate => {
                let group = inst.word(1)?;
                let targets: Vec<_> = inst
                    .rest(2)
                    .chunks_exact(2)
                    .map(|pair| (pair[0], pair[1]))
                    .collect();
                self.add_group(group, &targets);
            }
            _ => self.globals.push(at),
        }
        Ok(())
    }

    fn add_group(&mut self, group: u32, targets: &[(u32, u32)]) {
        for &key in targets {
            self.groups.entry(key).or_default().push(group);
        }
    }

    fn import(&mut self, id: u32, name: &str) -> Result<()> {
        if name == "GLSL.std.450" {
            self.glsl.push(id);
        } else if name.starts_with("NonSemantic.") {
            self.non_semantic.push(id);
        } else {
            return Err(SpirvError::unsupported(format!("instruction set {name}")));
        }
        Ok(())
    }

    /// Takes a function; gives the index after its end.
    fn function(&mut self, at: usize) -> Result<usize> {
        let inst = self.code.inst(at);
        let (ret, id) = (inst.word(1)?, inst.word(2)?);
        let mut params = Vec::new();
        let mut next = at + 1;
        while next < self.code.len() && self.code.op(next) == Op::FunctionParameter {
            params.push(self.code.inst(next).word(2)?);
            next += 1;
        }
        let first = next;
        while next < self.code.len() && self.code.op(next) != Op::FunctionEnd {
            if self.code.op(next) == Op::Function {
                return Err(SpirvError::UnknownId(id));
            }
            next += 1;
        }
        if next == self.code.len() {
            return Err(SpirvError::UnknownId(id));
        }
        self.function_index.insert(id, self.functions.len());
        self.functions.push(Function {
            id,
            ret,
            params,
            body: first..next,
        });
        Ok(next + 1)
    }

    /// Index of a function.
    pub(super) fn find_function(&self, id: u32) -> Result<usize> {
        self.function_index
            .get(&id)
            .copied()
            .ok_or(SpirvError::UnknownId(id))
    }

    /// Execution mode instructions of an entry point.
    pub(super) fn modes(&self, function: u32) -> impl Iterator<Item = Inst<'_>> {
        self.modes
            .iter()
            .map(|&at| self.code.inst(at))
            .filter(move |inst| inst.words.get(1) == Some(&function))
    }

    fn find(&self, key: (u32, u32), kind: Decoration, skip: usize) -> Option<&[u32]> {
        let own = self.decorations.get(&key);
        own.into_iter().flatten().find_map(|&at| {
            let words = self.code.inst(at).words;
            (words.get(skip) == Some(&(kind as u32))).then(|| &words[skip + 1..])
        })
    }

    /// Types whose layout is given by constants, in order.
    pub(super) fn layout_by_id(&self) -> Vec<u32> {
        let is_by_id = |at: &usize| {
            let inst = self.code.inst(*at);
            match inst.op {
                Op::DecorateId => inst.words.get(2) == Some(&(Decoration::ArrayStrideIdEXT as u32)),
                op => op == Op::MemberDecorateIdEXT,
            }
        };
        let found = self
            .decorations
            .iter()
            .filter(|(_, list)| list.iter().any(is_by_id));
        let mut ids: Vec<u32> = found.map(|((id, _), _)| *id).collect();
        ids.sort_unstable();
        ids.dedup();
        ids
    }

    /// Operands of a decoration of an id.
    pub(super) fn decoration(&self, id: u32, kind: Decoration) -> Option<&[u32]> {
        self.find((id, WHOLE), kind, 2)
            .or_else(|| self.from_groups((id, WHOLE), kind))
    }

    /// Operands of a decoration of a structure's member.
    pub(super) fn member_decoration(&self, id: u32, member: u32, kind: Decoration) -> Option<&[u32]> {
        self.find((id, member), kind, 3)
            .or_else(|| self.from_groups((id, member), kind))
    }

    fn from_groups(&self, key: (u32, u32), kind: Decoration) -> Option<&[u32]> {
        let groups = self.groups.get(&key)?;
        groups
            .iter()
            .find_map(|&group| self.find((group, WHOLE), kind, 2))
    }

    /// First operand of a decoration of an id.
    pub(super) fn decoration_word(&self, id: u32, kind: Decoration) -> Option<u32> {
        self.decoration(id, kind).and_then(|words| words.first().copied())
    }

    /// First operand of a decoration of a member.
    pub(super) fn member_word(&self, id: u32, member: u32, kind: Decoration) -> Option<u32> {
        self.member_decoration(id, member, kind)
            .and_then(|words| words.first().copied())
    }
}
