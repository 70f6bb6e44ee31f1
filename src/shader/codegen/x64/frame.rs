//! The stack frame: saved registers, scratch vectors of the per-lane loops, spill slots.
//!
//! ```text
//! rbp      saved rbp
//! rbp - 8n saved registers
//! ...      aligned down to 64
//! rsp + …  spill slots
//! rsp      scratch vectors, 64 bytes each
//! ```

use super::encoder::{Assembler, Mem, RegMem};
use super::inst::{Alu, MachFunc};
use super::opcodes;
use super::regs::{CALLEE_SAVED, RBP, RSP};
use regalloc2::{Allocation, Edit, Output, RegClass, SpillSlot};

/// Number of scratch vectors.
pub(super) const SCRATCH_SLOTS: i32 = 8;
const SCRATCH_BYTES: i32 = 64;
const PAGE: i32 = 4096;

/// Layout of one function's frame.
pub(super) struct Frame {
    saved: Vec<u8>,
    bytes: i32,
    scratch_bytes: i32,
    needed: bool,
}

impl Frame {
    /// Lays out the frame of an allocated function.
    pub(super) fn new(func: &MachFunc, out: &Output) -> Frame {
        let scratch_bytes = if func.scratch {
            SCRATCH_SLOTS * SCRATCH_BYTES
        } else {
            0
        };
        let slots = i32::try_from(out.num_spillslots).unwrap_or(i32::MAX / 16);
        let bytes = scratch_bytes + (slots * 8 + 63) / 64 * 64;
        let saved = saved_registers(out);
        Frame {
            needed: bytes > 0 || func.calls || !saved.is_empty(),
            saved,
            bytes,
            scratch_bytes,
        }
    }

    /// A spill slot.
    pub(super) fn slot(&self, slot: SpillSlot) -> RegMem {
        let offset = i32::try_from(slot.index() * 8).unwrap_or(i32::MAX / 2);
        Mem::base(RSP, self.scratch_bytes + offset).into()
    }

    /// A scratch vector.
    pub(super) fn scratch(slot: i32) -> RegMem {
        Mem::base(RSP, slot * SCRATCH_BYTES).into()
    }

    /// One 32-bit lane of a scratch vector.
    pub(super) fn scratch_lane(slot: i32, lane: u8) -> RegMem {
        Mem::indexed(RSP, lane, 2, slot * SCRATCH_BYTES).into()
    }

    /// Code at entry.
    pub(super) fn prologue(&self, asm: &mut Assembler) {
        if !self.needed {
            return;
        }
        asm.push(RBP);
        asm.legacy(None, &[0x8b], true, RBP, RegMem::Reg(RSP));
        for &reg in &self.saved {
            asm.push(reg);
        }
        asm.alu_imm(Alu::And as u8, true, RegMem::Reg(RSP), -64);
        // Touch every page on the way down, so that the guard page is met and not jumped over.
        for page in 1..=self.bytes / PAGE {
            asm.legacy(None, &[0x85], false, 0, Mem::base(RSP, -page * PAGE).into());
        }
        if self.bytes > 0 {
            asm.alu_imm(Alu::Sub as u8, true, RegMem::Reg(RSP), self.bytes);
        }
    }

    /// Code at each return.
    pub(super) fn epilogue(&self, asm: &mut Assembler) {
        asm.code.extend([0xc5, 0xf8, 0x77]); // vzeroupper
        if self.needed {
            let saved = i32::try_from(self.saved.len()).unwrap_or(0);
            asm.legacy(None, &[0x8d], true, RSP, Mem::base(RBP, -8 * saved).into());
            for &reg in self.saved.iter().rev() {
                asm.pop(reg);
            }
            asm.pop(RBP);
        }
        asm.code.push(0xc3);
    }

    /// A move, spill or reload of the register allocator. Keeps flags.
    pub(super) fn edit(&self, asm: &mut Assembler, from: Allocation, to: Allocation) {
        if from == to {
            return;
        }
        match (from.as_reg(), to.as_reg()) {
            (Some(from), Some(to)) => {
                move_in(asm, to.class(), encoding(to), RegMem::Reg(encoding(from)));
            }
            (None, Some(to)) => {
                if let Some(slot) = from.as_stack() {
                    move_in(asm, to.class(), encoding(to), self.slot(slot));
                }
            }
            (Some(from), None) => {
                if let Some(slot) = to.as_stack() {
                    move_out(asm, from.class(), encoding(from), self.slot(slot));
                }
            }
            // The allocator never asks for a move from memory to memory.
            (None, None) => {}
        }
    }
}

/// The number of a register in instructions.
#[allow(clippy::cast_possible_truncation, reason = "six bits")]
pub(super) fn encoding(reg: regalloc2::PReg) -> u8 {
    reg.hw_enc() as u8
}

fn move_in(asm: &mut Assembler, class: RegClass, reg: u8, rm: RegMem) {
    match class {
        RegClass::Int => asm.legacy(None, &[0x8b], true, reg, rm),
        RegClass::Float => asm.v(opcodes::MOVAPS, reg, 0, rm),
        RegClass::Vector => asm.v(opcodes::KMOVW, reg, 0, rm),
    }
}

fn move_out(asm: &mut Assembler, class: RegClass, reg: u8, rm: RegMem) {
    match class {
        RegClass::Int => asm.legacy(None, &[0x89], true, reg, rm),
        RegClass::Float => asm.v(opcodes::MOVAPS_STORE, reg, 0, rm),
        RegClass::Vector => asm.v(opcodes::KMOVW_STORE, reg, 0, rm),
    }
}

/// The callee-saved registers that are used.
fn saved_registers(out: &Output) -> Vec<u8> {
    let mut used = 0u32;
    let mut note = |allocation: Allocation| {
        if let Some(reg) = allocation.as_reg()
            && reg.class() == RegClass::Int
        {
            used |= 1 << reg.hw_enc();
        }
    };
    out.allocs.iter().copied().for_each(&mut note);
    for (_, Edit::Move { from, to }) in &out.edits {
        note(*from);
        note(*to);
    }
    CALLEE_SAVED
        .into_iter()
        .filter(|&reg| used >> reg & 1 != 0)
        .collect()
}
