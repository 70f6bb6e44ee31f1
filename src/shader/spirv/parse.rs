//! Words → instructions. Nothing is interpreted here but lengths, opcodes and result ids.

use super::error::{Result, SpirvError};
use ::spirv::Op;

/// Greatest id bound accepted (the universal limit of the specification).
const MAX_BOUND: u32 = 4_194_303;
/// Words of the header.
const HEADER: usize = 5;

/// `OpAbortKHR`, which the crate of the enumeration does not know yet. It goes by the name of an instruction of the same
/// form that no stage of Vulkan offered here has; those themselves are refused.
pub(super) const ABORT: Op = Op::TerminateRayKHR;
/// `OpConstantDataKHR`, as above.
pub(super) const CONSTANT_DATA: Op = Op::ConstantSampler;
/// `OpSpecConstantDataKHR`, as above.
pub(super) const SPEC_CONSTANT_DATA: Op = Op::ConstantPipeStorage;

/// The instruction with this opcode.
fn op_of(opcode: u32) -> Option<Op> {
    const NEW: [(u32, Op); 3] = [(5121, ABORT), (5147, CONSTANT_DATA), (5148, SPEC_CONSTANT_DATA)];
    match NEW.iter().find(|(number, _)| *number == opcode) {
        Some((_, op)) => Some(*op),
        None => Op::from_u32(opcode).filter(|op| !NEW.iter().any(|(_, new)| new == op)),
    }
}

/// Where an instruction is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) op: Op,
    pos: u32,
    len: u16,
}

/// An instruction with its words.
#[derive(Clone, Copy, Debug)]
pub(super) struct Inst<'a> {
    /// Opcode.
    pub(super) op: Op,
    /// All words, the first (length and opcode) included.
    pub(super) words: &'a [u32],
    /// Position in the module, for messages.
    pos: u32,
}

impl<'a> Inst<'a> {
    /// Word `n`, counted as in the specification (word 0 has the opcode).
    pub(super) fn word(&self, n: usize) -> Result<u32> {
        self.words
            .get(n)
            .copied()
            .ok_or(SpirvError::Malformed(self.pos as usize))
    }

    /// Byte offset in the module.
    pub(super) fn offset(&self) -> u32 {
        self.pos.saturating_mul(4)
    }

    /// Words from `n` on (none if there are fewer).
    pub(super) fn rest(&self, n: usize) -> &'a [u32] {
        self.words.get(n..).unwrap_or(&[])
    }

    /// The result id, if the opcode has one.
    pub(super) fn result(&self) -> Option<u32> {
        self.words.get(result_word(self.op)?).copied()
    }

    /// The result type's id; an error where the opcode has none.
    pub(super) fn type_id(&self) -> Result<u32> {
        match result_word(self.op) {
            Some(2) => self.word(1),
            _ => Err(SpirvError::Malformed(self.pos as usize)),
        }
    }

    /// A literal string that begins at word `n`, and the words it takes.
    pub(super) fn string(&self, n: usize) -> Result<(String, usize)> {
        let words = self.rest(n);
        let mut bytes = Vec::new();
        for (i, word) in words.iter().enumerate() {
            for byte in word.to_le_bytes() {
                if byte == 0 {
                    return Ok((String::from_utf8_lossy(&bytes).into_owned(), i + 1));
                }
                bytes.push(byte);
            }
        }
        Err(SpirvError::Malformed(self.pos as usize))
    }
}

/// The words of a module, cut into instructions.
#[derive(Debug)]
pub(super) struct Code {
    words: Vec<u32>,
    places: Vec<Place>,
    /// For each id: index of the defining instruction plus one, or 0.
    defs: Vec<u32>,
}

impl Code {
    /// Cuts a module.
    pub(super) fn parse(words: &[u32]) -> Result<Code> {
        let swapped;
        let words = match words.first() {
            Some(&::spirv::MAGIC_NUMBER) => words,
            Some(&magic) if magic.swap_bytes() == ::spirv::MAGIC_NUMBER => {
                swapped = words.iter().map(|word| word.swap_bytes()).collect::<Vec<_>>();
                &swapped
            }
            _ => return Err(SpirvError::Malformed(0)),
        };
        if words.len() < HEADER || u32::try_from(words.len()).is_err() {
            return Err(SpirvError::Malformed(words.len()));
        }
        let bound = words[3];
        if bound > MAX_BOUND {
            return Err(SpirvError::TooLarge("the id bound"));
        }
        let mut code = Code {
            words: words.to_vec(),
            places: Vec::with_capacity(words.len() / 4),
            defs: vec![0; bound as usize],
        };
        let mut pos = HEADER;
        while pos < words.len() {
            let len = (words[pos] >> 16) as usize;
            let opcode = words[pos] & 0xffff;
            if len == 0 || len > words.len() - pos {
                return Err(SpirvError::Malformed(pos));
            }
            let op = op_of(opcode).ok_or_else(|| SpirvError::unsupported(format!("opcode {opcode}")))?;
            code.add(op, pos, len)?;
            pos += len;
        }
        Ok(code)
    }

    fn add(&mut self, op: Op, pos: usize, len: usize) -> Result<()> {
        if let Some(n) = result_word(op) {
            if n >= len {
                return Err(SpirvError::Malformed(pos));
            }
            let id = self.words[pos + n];
            let index = u32::try_from(self.places.len() + 1)?;
            match self.defs.get_mut(id as usize) {
                Some(def @ 0) if id != 0 => *def = index,
                _ => return Err(SpirvError::Malformed(pos)),
            }
        }
        self.places.push(Place {
            op,
            pos: u32::try_from(pos)?,
            len: u16::try_from(len)?,
        });
        Ok(())
    }

    /// Number of instructions.
    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    /// Ids are below this.
    pub(super) fn bound(&self) -> usize {
        self.defs.len()
    }

    /// Instruction `index`, which must be below [`Code::len`].
    pub(super) fn inst(&self, index: usize) -> Inst<'_> {
        let place = self.places[index];
        let pos = place.pos as usize;
        Inst {
            op: place.op,
            words: &self.words[pos..pos + usize::from(place.len)],
            pos: place.pos,
        }
    }

    /// Opcode of instruction `index`.
    pub(super) fn op(&self, index: usize) -> Op {
        self.places[index].op
    }

    /// Index of the instruction that defines `id`.
    pub(super) fn def(&self, id: u32) -> Result<usize> {
        match self.defs.get(id as usize) {
            Some(&def) if def != 0 => Ok(def as usize - 1),
            _ => Err(SpirvError::UnknownId(id)),
        }
    }

    /// The instruction that defines `id`.
    pub(super) fn def_inst(&self, id: u32) -> Result<Inst<'_>> {
        Ok(self.inst(self.def(id)?))
    }
}

/// Which word holds the result id.
pub(super) fn result_word(op: Op) -> Option<usize> {
    use Op::*;
    match op {
        Nop
        | SourceContinued
        | Source
        | SourceExtension
        | Name
        | MemberName
        | Line
        | NoLine
        | Extension
        | MemoryModel
        | EntryPoint
        | ExecutionMode
        | Capability
        | TypeForwardPointer
        | Store
        | CopyMemory
        | CopyMemorySized
        | Decorate
        | MemberDecorate
        | MemberDecorateIdEXT
        | GroupDecorate
        | GroupMemberDecorate
        | ImageWrite
        | EmitVertex
        | EndPrimitive
        | EmitStreamVertex
        | EndStreamPrimitive
        | ControlBarrier
        | MemoryBarrier
        | AtomicStore
        | LoopMerge
        | SelectionMerge
        | Branch
        | BranchConditional
        | Switch
        | Kill
        | Return
        | ReturnValue
        | Unreachable
        | LifetimeStart
        | LifetimeStop
        | FunctionEnd
        | ModuleProcessed
        | ExecutionModeId
        | DecorateId
        | DecorateString
        | MemberDecorateString
        | TerminateInvocation
        | DemoteToHelperInvocation
        | AssumeTrueKHR
        | AtomicFlagClear
        | BeginInvocationInterlockEXT
        | EndInvocationInterlockEXT
        | IgnoreIntersectionKHR
        | TerminateRayKHR
        | EmitMeshTasksEXT
        | SetMeshOutputsEXT => None,
        TypeVoid
        | TypeBool
        | TypeInt
        | TypeFloat
        | TypeVector
        | TypeMatrix
        | TypeImage
        | TypeSampler
        | TypeSampledImage
        | TypeArray
        | TypeRuntimeArray
        | TypeStruct
        | TypeOpaque
        | TypePointer
        | TypeUntypedPointerKHR
        | TypeBufferEXT
        | TypeFunction
        | TypeEvent
        | TypeDeviceEvent
        | TypeReserveId
        | TypeQueue
        | TypePipe
        | TypeAccelerationStructureKHR
        | TypeRayQueryKHR
        | TypeCooperativeMatrixKHR
        | Label
        | String
        | ExtInstImport
        | DecorationGroup => Some(1),
        _ => Some(2),
    }
}
