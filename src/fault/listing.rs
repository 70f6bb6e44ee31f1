//! Where in a module an instruction is: its text, the function it is in, and the source line that produced it.
//!
//! Reads SPIR-V that has been compiled already, and takes no offence at any words.

use super::attribution::{CodeLine, ShaderRef, SourceLine};
use rustc_hash::FxHashMap;
use spirv::Op;
use std::fmt::Write as _;

/// Words of a module's header.
const HEADER: usize = 5;
/// Instructions shown before and after the one at fault.
const AROUND: usize = 6;
/// Source lines shown before and after.
const LINES_AROUND: u32 = 12;
/// Operands of an instruction that are written out.
const OPERANDS: usize = 16;
/// Longest source line shown, in characters.
const LINE_CHARS: usize = 400;

/// An instruction: where it begins, in words, its operation and its operands.
#[derive(Clone, Copy)]
struct Inst<'w> {
    at: usize,
    code: u16,
    operands: &'w [u32],
}

impl Inst<'_> {
    fn op(&self) -> Option<Op> {
        Op::from_u32(u32::from(self.code))
    }

    fn is(&self, op: Op) -> bool {
        u32::from(self.code) == op as u32
    }

    fn operand(&self, n: usize) -> u32 {
        self.operands.get(n).copied().unwrap_or(0)
    }
}

fn instructions(words: &[u32]) -> impl Iterator<Item = Inst<'_>> {
    let mut at = HEADER;
    std::iter::from_fn(move || {
        let first = *words.get(at)?;
        let len = ((first >> 16) as usize).max(1);
        let operands = words.get(at + 1..at + len)?;
        let inst = Inst {
            at,
            code: first as u16,
            operands,
        };
        at += len;
        Some(inst)
    })
}

/// The text of a literal string.
fn string(words: &[u32]) -> String {
    let bytes: Vec<u8> = words
        .iter()
        .flat_map(|word| word.to_le_bytes())
        .take_while(|&byte| byte != 0)
        .collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// What the debug instructions of a module say.
#[derive(Default)]
struct Debug {
    names: FxHashMap<u32, String>,
    strings: FxHashMap<u32, String>,
    constants: FxHashMap<u32, u32>,
    /// Source text by the id of its file.
    sources: FxHashMap<u32, String>,
    /// The file that a text being continued belongs to.
    current: u32,
    /// The set of `NonSemantic.Shader.DebugInfo.100`.
    info_set: u32,
    /// File of each `DebugSource`.
    debug_sources: FxHashMap<u32, u32>,
    /// The last `DebugSource`, to which `DebugSourceContinued` adds.
    debug_current: u32,
}

/// Instructions of `NonSemantic.Shader.DebugInfo.100`.
const DEBUG_SOURCE: u32 = 35;
const DEBUG_SOURCE_CONTINUED: u32 = 102;
const DEBUG_LINE: u32 = 103;
const DEBUG_NO_LINE: u32 = 104;

impl Debug {
    fn of(words: &[u32]) -> Debug {
        let mut debug = Debug::default();
        for inst in instructions(words) {
            debug.take(&inst);
        }
        debug
    }

    fn take(&mut self, inst: &Inst<'_>) {
        match inst.op() {
            Some(Op::Name) if inst.operands.len() > 1 => {
                let name = string(&inst.operands[1..]);
                if !name.is_empty() {
                    self.names.insert(inst.operand(0), name);
                }
            }
            Some(Op::String) if inst.operands.len() > 1 => {
                self.strings.insert(inst.operand(0), string(&inst.operands[1..]));
            }
            Some(Op::Constant) if inst.operands.len() == 3 => {
                self.constants.insert(inst.operand(1), inst.operand(2));
            }
            Some(Op::Source) if inst.operands.len() > 3 => {
                self.current = inst.operand(2);
                self.sources.insert(self.current, string(&inst.operands[3..]));
            }
            Some(Op::SourceContinued) => {
                let more = string(inst.operands);
                self.sources.entry(self.current).or_default().push_str(&more);
            }
            Some(Op::ExtInstImport) if inst.operands.len() > 1 => {
                if string(&inst.operands[1..]) == "NonSemantic.Shader.DebugInfo.100" {
                    self.info_set = inst.operand(0);
                }
            }
            Some(Op::ExtInst) if self.is_info(inst) => self.take_info(inst),
            _ => {}
        }
    }

    fn is_info(&self, inst: &Inst<'_>) -> bool {
        self.info_set != 0 && inst.is(Op::ExtInst) && inst.operand(2) == self.info_set
    }

    fn take_info(&mut self, inst: &Inst<'_>) {
        let text = |id: u32| self.strings.get(&id).cloned().unwrap_or_default();
        match inst.operand(3) {
            DEBUG_SOURCE => {
                let file = inst.operand(4);
                if inst.operands.len() > 5 {
                    let text = text(inst.operand(5));
                    self.sources.insert(file, text);
                }
                self.debug_sources.insert(inst.operand(1), file);
                self.debug_current = file;
            }
            DEBUG_SOURCE_CONTINUED => {
                let more = text(inst.operand(4));
                self.sources
                    .entry(self.debug_current)
                    .or_default()
                    .push_str(&more);
            }
            _ => {}
        }
    }

    fn constant(&self, id: u32) -> u32 {
        self.constants.get(&id).copied().unwrap_or(0)
    }

    fn id(&self, id: u32) -> String {
        match self.names.get(&id) {
            Some(name) => format!("%{name}"),
            None => format!("%{id}"),
        }
    }

    /// An instruction as text.
    fn text(&self, inst: &Inst<'_>) -> String {
        let Some(op) = inst.op() else {
            return format!("Op{}", inst.code);
        };
        let (result_type, result) = results(op);
        let mut out = String::new();
        let skipped = usize::from(result_type) + usize::from(result);
        if result {
            let _ = write!(out, "{} = ", self.id(inst.operand(usize::from(result_type))));
        }
        let _ = write!(out, "Op{op:?}");
        if result_type {
            let _ = write!(out, " {}", self.id(inst.operand(0)));
        }
        let ids = id_operands(op);
        let rest = inst.operands.get(skipped..).unwrap_or_default();
        for (n, &operand) in rest.iter().take(OPERANDS).enumerate() {
            let _ = match n < ids {
                true => write!(out, " {}", self.id(operand)),
                false => write!(out, " {operand}"),
            };
        }
        if rest.len() > OPERANDS {
            out.push_str(" …");
        }
        out
    }
}

/// Whether an operation of a function's body has a result type and a result.
fn results(op: Op) -> (bool, bool) {
    match op {
        Op::Label => (false, true),
        Op::Store
        | Op::CopyMemory
        | Op::CopyMemorySized
        | Op::AtomicStore
        | Op::AtomicFlagClear
        | Op::ImageWrite
        | Op::Branch
        | Op::BranchConditional
        | Op::Switch
        | Op::Return
        | Op::ReturnValue
        | Op::Kill
        | Op::TerminateInvocation
        | Op::DemoteToHelperInvocation
        | Op::Unreachable
        | Op::SelectionMerge
        | Op::LoopMerge
        | Op::ControlBarrier
        | Op::MemoryBarrier
        | Op::FunctionEnd
        | Op::Line
        | Op::NoLine
        | Op::Nop => (false, false),
        _ => (true, true),
    }
}

/// How many of the operands behind the result are ids; the others are numbers.
fn id_operands(op: Op) -> usize {
    match op {
        Op::Load | Op::CompositeExtract | Op::Branch => 1,
        Op::Store | Op::CompositeInsert | Op::VectorShuffle | Op::CopyMemory | Op::LoopMerge => 2,
        Op::ExtInst | Op::SelectionMerge | Op::Switch => 1,
        Op::Function | Op::Variable => 0,
        Op::ImageRead | Op::ImageFetch | Op::ImageSampleImplicitLod | Op::ImageSampleExplicitLod => 2,
        Op::ImageWrite | Op::BranchConditional => 3,
        _ => usize::MAX,
    }
}

/// A place in the source.
#[derive(Clone, Copy, Default)]
struct Line {
    file: u32,
    line: u32,
    column: u32,
}

impl Debug {
    /// The source line that is in force behind `inst`, given the one before it.
    fn line(&self, inst: &Inst<'_>, before: Line) -> Line {
        if inst.is(Op::Line) {
            return Line {
                file: inst.operand(0),
                line: inst.operand(1),
                column: inst.operand(2),
            };
        }
        if self.is_info(inst) && inst.operand(3) == DEBUG_LINE {
            return Line {
                file: self.debug_sources.get(&inst.operand(4)).copied().unwrap_or(0),
                line: self.constant(inst.operand(5)),
                column: self.constant(inst.operand(7)),
            };
        }
        let ends = inst.is(Op::NoLine)
            || inst.is(Op::FunctionEnd)
            || (self.is_info(inst) && inst.operand(3) == DEBUG_NO_LINE);
        if ends { Line::default() } else { before }
    }

    fn source(&self, line: Line) -> Vec<SourceLine> {
        let text = self.sources.get(&line.file).map_or("", String::as_str);
        let first = line.line.saturating_sub(LINES_AROUND).max(1);
        let count = line.line.saturating_add(LINES_AROUND + 1).saturating_sub(first) as usize;
        text.lines()
            .skip(first as usize - 1)
            .take(count)
            .zip(first..)
            .map(|(text, number)| SourceLine {
                number,
                text: text.chars().take(LINE_CHARS).collect(),
            })
            .collect()
    }
}

/// CRC-32 of a module's words, little-endian.
#[must_use]
pub fn module_hash(words: &[u32]) -> u32 {
    crc32fast::hash(bytemuck::cast_slice(words))
}

/// The address by which fault records name an instruction: the module's CRC-32, then the byte offset in it.
#[must_use]
pub fn instruction_address(words: &[u32], offset: u32) -> u64 {
    u64::from(module_hash(words)) << 32 | u64::from(offset)
}

/// Says in `shader` where the instruction at byte `offset` is.
pub fn locate(words: &[u32], offset: u32, shader: &mut ShaderRef) {
    shader.offset = Some(offset);
    let target = offset as usize / 4;
    let debug = Debug::of(words);
    let mut line = Line::default();
    let mut function = 0;
    let mut body: Vec<Inst<'_>> = Vec::new();
    let mut after = 0;
    let mut found = Line::default();
    for inst in instructions(words) {
        line = debug.line(&inst, line);
        if inst.is(Op::Function) {
            function = inst.operand(1);
            body.clear();
        }
        if inst.at == target {
            found = line;
            shader.instruction = debug.text(&inst);
            shader.function = debug.names.get(&function).cloned().unwrap_or_default();
        }
        if inst.is(Op::Line) || inst.is(Op::NoLine) || debug.is_info(&inst) {
            continue;
        }
        if inst.at > target {
            after += 1;
        }
        body.push(inst);
        if after == AROUND || (after > 0 && inst.is(Op::FunctionEnd)) {
            break;
        }
    }
    let at = body.iter().position(|inst| inst.at == target);
    if let Some(at) = at {
        let shown = &body[at.saturating_sub(AROUND)..];
        shader.code = shown
            .iter()
            .map(|inst| CodeLine {
                offset: u32::try_from(inst.at * 4).unwrap_or(u32::MAX),
                text: debug.text(inst),
            })
            .collect();
    }
    shader.file = debug.strings.get(&found.file).cloned().unwrap_or_default();
    (shader.line, shader.column) = (found.line, found.column);
    if found.line != 0 {
        shader.source = debug.source(found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(bytes: &[u8]) -> Vec<u32> {
        bytes
            .chunks_exact(4)
            .map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
            .collect()
    }

    fn store(words: &[u32]) -> u32 {
        let inst = instructions(words)
            .filter(|inst| inst.is(Op::Store))
            .last()
            .unwrap();
        (inst.at * 4) as u32
    }

    #[test]
    fn an_instruction_is_shown_among_its_neighbours() {
        let words = words(include_bytes!("../../shaders/test/poke.comp.spv"));
        let mut shader = ShaderRef::default();
        locate(&words, store(&words), &mut shader);
        assert!(
            shader.instruction.starts_with("OpStore %"),
            "{}",
            shader.instruction
        );
        assert_eq!(shader.function, "main");
        assert!(shader.code.iter().any(|line| line.text == shader.instruction));
        assert!(shader.code.windows(2).all(|w| w[0].offset < w[1].offset));
    }

    #[test]
    fn any_words_are_read_without_harm() {
        let good = words(include_bytes!("../../shaders/test/poke.comp.spv"));
        let mut state = 7u32;
        for round in 0..2000 {
            let mut words = good.clone();
            for _ in 0..3 {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let at = state as usize % words.len();
                words[at] = state.rotate_left(round % 32);
            }
            locate(&words, (state % 4096) & !3, &mut ShaderRef::default());
        }
        locate(&[], 0, &mut ShaderRef::default());
        locate(&[1, 2, 3], u32::MAX, &mut ShaderRef::default());
    }
}
