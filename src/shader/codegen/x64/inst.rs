//! Machine instructions over virtual registers, in the shape the register allocator reads.

use super::encoder::{Cond, Isa};
use super::opcodes::Opcode;
use super::pool::PoolId;
use super::regs;
use regalloc2::{Block, Inst as InstIndex, InstRange, Operand, PRegSet, RegClass, VReg};

/// Which operand of a vector instruction goes where. Names list the operands in order: `R` ModRM.reg, `V` the
/// VEX.vvvv register, `M` ModRM.rm (register or memory), `K` a mask register, `T` tied to the result (not
/// encoded), `I` a register in the immediate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Shape {
    Rm,
    Rvm,
    /// Result in vvvv, the opcode's extension in ModRM.reg.
    Vm,
    /// Result in ModRM.rm.
    Mr,
    Rtvm,
    Rvim,
    Rkvm,
    /// Lanes that are off keep what was there.
    Rkm,
    /// Lanes that are off become zero.
    RkmZero,
    /// Result in ModRM.rm; lanes that are off become zero.
    MkrZero,
    Rtkm,
}

/// Places of the operands of a [`Shape`]; `None` where it has no such operand.
#[derive(Clone, Copy, Default)]
pub(super) struct Roles {
    pub reg: Option<u8>,
    pub v: Option<u8>,
    pub k: Option<u8>,
    pub is4: Option<u8>,
    pub rm: u8,
    pub zero: bool,
}

impl Shape {
    /// Places of its operands.
    pub(super) fn roles(self) -> Roles {
        let roles = |reg: u8, rm: u8| Roles {
            reg: Some(reg),
            rm,
            ..Roles::default()
        };
        match self {
            Shape::Rm => roles(0, 1),
            Shape::Rvm => Roles {
                v: Some(1),
                ..roles(0, 2)
            },
            Shape::Vm => Roles {
                v: Some(0),
                rm: 1,
                ..Roles::default()
            },
            Shape::Mr => roles(1, 0),
            Shape::Rtvm => Roles {
                v: Some(2),
                ..roles(0, 3)
            },
            Shape::Rvim => Roles {
                v: Some(1),
                is4: Some(2),
                ..roles(0, 3)
            },
            Shape::Rkvm => Roles {
                k: Some(1),
                v: Some(2),
                ..roles(0, 3)
            },
            Shape::Rkm => Roles {
                k: Some(1),
                ..roles(0, 2)
            },
            Shape::RkmZero => Roles {
                k: Some(1),
                zero: true,
                ..roles(0, 2)
            },
            Shape::MkrZero => Roles {
                k: Some(1),
                zero: true,
                ..roles(2, 0)
            },
            Shape::Rtkm => Roles {
                k: Some(2),
                ..roles(0, 3)
            },
        }
    }
}

/// Two-operand integer operations, by their x86 number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(super) enum Alu {
    Or = 1,
    And = 4,
    Sub = 5,
    Xor = 6,
    Cmp = 7,
}

/// Shifts of general registers by an immediate, by their x86 number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(super) enum Shift {
    Left = 4,
    Right = 5,
    Arithmetic = 7,
}

/// Widths of loads and stores of general registers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Width {
    Byte,
    Word,
    Dword,
    Qword,
}

/// What a per-lane loop does in each lane of the mask, lowest first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum LaneOp {
    Load(Width),
    Store(Width),
    /// One locked instruction that gives the old value: exchange-add or exchange.
    ExchangeAdd,
    Exchange,
    /// A compare-exchange loop around this.
    Loop(LoopOp),
    CompareExchange,
}

/// Operations that need a compare-exchange loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum LoopOp {
    Alu(Alu),
    /// Keep memory's value if `old <cond> value`, else store the value.
    Keep(Cond),
    FloatAdd,
}

/// How the addresses of a guard are given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum GuardForm {
    Uniform,
    Pairs,
    Offsets,
}

/// What an instruction is. The lists give its operands in order; `mem` stands for the registers of
/// [`Rm::Mem`], `rm` for a register or those.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    /// As the shape says; the immediate is [`Inst::imm`].
    Vector(Shape, Opcode),
    /// `[d]` all zeros, all ones; in the class of `d`.
    Zero,
    Ones,
    /// `[]` entry: defines the two parameters.
    Args,
    Jmp,
    /// Jump to the first successor if the flags say so, else to the second.
    Jcc(Cond),
    /// `[status]`.
    Ret,
    /// `[d]` the immediate. Keeps flags.
    MovImm,
    /// `[d, s]` with the high half cleared.
    Mov32,
    /// `[d, s]` sign extended.
    Movsxd,
    /// `[d, mem]`.
    Lea {
        wide: bool,
    },
    /// `[d, tied, rm]` or `[d, tied]` with an immediate.
    Alu {
        op: Alu,
        wide: bool,
    },
    /// `[a, rm]` or `[a]` with an immediate: sets flags.
    Cmp {
        wide: bool,
    },
    /// `[a]` sets flags as `a & a`.
    Test,
    /// `[d]` 1 if the flags say so, else 0.
    Set(Cond),
    /// `[d, tied, s]` `s` if the flags say so, else the tied operand.
    Cmov {
        cond: Cond,
        wide: bool,
    },
    /// `[d, tied, rm]` product.
    Imul {
        wide: bool,
    },
    /// `[d, rm]` product with the immediate.
    ImulImm {
        wide: bool,
    },
    /// `[d, tied]` shifted by the immediate.
    ShiftImm {
        op: Shift,
        wide: bool,
    },
    /// `[d, mem]`.
    Load(Width),
    /// `[s, mem]`.
    Store(Width),
    /// `[q, r, a, b]`, fixed registers.
    Div {
        signed: bool,
    },
    /// `[d, code, ctx, arg]`.
    Call,
    Fence,
    /// `[ctx, address, mask]`, `[ctx, low, high, mask]` or `[ctx, address, offset, mask]`, all kept: leaves for the
    /// guard's long way if the flags say so. The immediate is the guard.
    Guard {
        cond: Cond,
        form: GuardForm,
    },
    /// `[d, tied, ctx, t]` stays as it is if it is the address of the device's, else becomes one that traps. The immediate is
    /// the slot.
    Device,
    /// `[d, tied, ctx, t, mem]` stays as it is if `mem` marks a descriptor, else becomes the address of one that traps. The
    /// immediate is that of the operation.
    Descriptor,
    /// `[d, s]` number of trailing zeros.
    Tzcnt,
    /// `[d, mask', mask, mem]` with a vector as index; lanes that are off become zero.
    Gather(Opcode),
    /// `[bits, s, mask, mem]` AVX2's masked store, avoided where all lanes are on: it is slow on some machines.
    StoreMasked,
    /// `[bits', bits, lane, address, value, rax, float, spare, mem]`: a loop over the lanes of `bits`, on 64 bits each if
    /// `wide`; see `lanes.rs`.
    Lanes {
        op: LaneOp,
        wide: bool,
    },
    /// `[s]` stores a vector in a scratch slot (the immediate).
    Scratch,
    /// `[d]` loads a vector from a scratch slot (the immediate).
    Unscratch,
}

/// How the last operand is given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Rm {
    /// A register (or there is none).
    Reg,
    /// A constant in memory.
    Pool(PoolId),
    /// An immediate, [`Inst::imm`].
    Imm,
    /// Memory: base, then index, as they are present.
    Mem {
        base: bool,
        index: bool,
        scale: u8,
        disp: i32,
        broadcast: bool,
    },
}

/// No place in the IR.
pub(super) const NO_SITE: u32 = u32::MAX;

/// A machine instruction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Inst {
    pub kind: Kind,
    pub rm: Rm,
    pub imm: i64,
    /// First operand in [`MachFunc::operands`].
    pub first: u32,
    /// Number of operands.
    pub count: u8,
    /// Index into [`MachFunc::sites`] if it touches memory, else [`NO_SITE`].
    pub site: u32,
}

/// Ranges into a shared list, one a block.
pub(super) struct Lists<T> {
    items: Vec<T>,
    ranges: Vec<(u32, u32)>,
}

impl<T> Default for Lists<T> {
    fn default() -> Lists<T> {
        Lists {
            items: Vec::new(),
            ranges: Vec::new(),
        }
    }
}

impl<T> Lists<T> {
    /// Adds the list of the next block.
    pub(super) fn push(&mut self, list: impl IntoIterator<Item = T>) {
        let len = |items: &Vec<T>| u32::try_from(items.len()).unwrap_or(u32::MAX);
        let start = len(&self.items);
        self.items.extend(list);
        self.ranges.push((start, len(&self.items)));
    }

    /// Turns the order of blocks round.
    pub(super) fn reverse(&mut self) {
        self.ranges.reverse();
    }

    /// The list of a block.
    pub(super) fn get(&self, block: usize) -> &[T] {
        let (start, end) = self.ranges[block];
        &self.items[start as usize..end as usize]
    }
}

/// A function before register allocation.
pub(super) struct MachFunc {
    pub isa: Isa,
    pub insts: Vec<Inst>,
    pub operands: Vec<Operand>,
    /// First and one past the last instruction of each block.
    pub blocks: Vec<(u32, u32)>,
    pub succs: Lists<Block>,
    pub preds: Lists<Block>,
    pub params: Lists<VReg>,
    pub jump_args: Lists<VReg>,
    pub vregs: usize,
    /// Class of each virtual register.
    pub classes: Vec<u8>,
    /// IR block and instruction of what touches memory.
    pub sites: Vec<(u32, u32)>,
    /// Whether scratch slots are used.
    pub scratch: bool,
    /// Whether there are calls.
    pub calls: bool,
}

impl MachFunc {
    pub(super) fn new(isa: Isa) -> MachFunc {
        MachFunc {
            isa,
            insts: Vec::new(),
            operands: Vec::new(),
            blocks: Vec::new(),
            succs: Lists::default(),
            preds: Lists::default(),
            params: Lists::default(),
            jump_args: Lists::default(),
            vregs: 0,
            classes: Vec::new(),
            sites: Vec::new(),
            scratch: false,
            calls: false,
        }
    }

    /// The operands of an instruction.
    pub(super) fn operands_of(&self, inst: &Inst) -> &[Operand] {
        &self.operands[inst.first as usize..inst.first as usize + usize::from(inst.count)]
    }
}

impl regalloc2::Function for MachFunc {
    fn num_insts(&self) -> usize {
        self.insts.len()
    }

    fn num_blocks(&self) -> usize {
        self.blocks.len()
    }

    fn entry_block(&self) -> Block {
        Block::new(0)
    }

    fn block_insns(&self, block: Block) -> InstRange {
        let (start, end) = self.blocks[block.index()];
        InstRange::new(InstIndex::new(start as usize), InstIndex::new(end as usize))
    }

    fn block_succs(&self, block: Block) -> &[Block] {
        self.succs.get(block.index())
    }

    fn block_preds(&self, block: Block) -> &[Block] {
        self.preds.get(block.index())
    }

    fn block_params(&self, block: Block) -> &[VReg] {
        self.params.get(block.index())
    }

    fn is_ret(&self, inst: InstIndex) -> bool {
        matches!(self.insts[inst.index()].kind, Kind::Ret)
    }

    fn is_branch(&self, inst: InstIndex) -> bool {
        matches!(self.insts[inst.index()].kind, Kind::Jmp | Kind::Jcc(_))
    }

    fn branch_blockparams(&self, block: Block, _: InstIndex, _: usize) -> &[VReg] {
        self.jump_args.get(block.index())
    }

    fn inst_operands(&self, inst: InstIndex) -> &[Operand] {
        self.operands_of(&self.insts[inst.index()])
    }

    fn inst_clobbers(&self, inst: InstIndex) -> PRegSet {
        if matches!(self.insts[inst.index()].kind, Kind::Call) {
            regs::call_clobbers(self.isa)
        } else {
            PRegSet::empty()
        }
    }

    fn num_vregs(&self) -> usize {
        self.vregs
    }

    fn spillslot_size(&self, class: RegClass) -> usize {
        if class == RegClass::Float {
            self.isa.vector_bytes().unsigned_abs() as usize / 8
        } else {
            1
        }
    }
}
