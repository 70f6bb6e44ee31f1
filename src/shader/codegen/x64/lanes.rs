//! Per-lane loops: narrow loads and stores, scatters and atomics, one lane of the mask after another, lowest
//! first. Vectors go in and out through scratch slots of the frame.

use super::encoder::{Assembler, Cond, Mem, RegMem};
use super::frame::Frame;
use super::inst::{Alu, LaneOp, LoopOp, Width};
use super::opcodes;
use super::regs::RAX;

/// Scratch slots.
pub(super) const SLOT_OFFSETS: i32 = 0;
pub(super) const SLOT_HIGH: i32 = 1;
pub(super) const SLOT_VALUES: i32 = 2;
pub(super) const SLOT_EXPECTED: i32 = 3;
pub(super) const SLOT_RESULT: i32 = 4;

/// Registers of one loop.
pub(super) struct LaneRegs {
    /// Lanes left; consumed.
    pub bits: u8,
    pub lane: u8,
    pub address: u8,
    pub value: u8,
    /// A vector register, for float sums.
    pub float: u8,
    /// Uniform base; without it the high words of the addresses are in their slot.
    pub base: Option<u8>,
    pub disp: i32,
}

/// Emits the loop; `site` is told the offset of every instruction that touches the lanes' memory.
pub(super) fn emit(asm: &mut Assembler, op: LaneOp, regs: &LaneRegs, site: &mut dyn FnMut(u32)) {
    let (top, done) = (asm.label(), asm.label());
    asm.legacy(None, &[0x85], false, regs.bits, RegMem::Reg(regs.bits));
    asm.jcc(Cond::Equal, done);
    asm.bind(top);
    asm.legacy(
        Some(0xf3),
        &[0x0f, 0xbc],
        false,
        regs.lane,
        RegMem::Reg(regs.bits),
    );
    let memory = address(asm, regs);
    lane(asm, op, regs, memory, site);
    asm.v(opcodes::BLSR32, 1, regs.bits, RegMem::Reg(regs.bits));
    asm.jcc(Cond::NotEqual, top);
    asm.bind(done);
}

/// Computes the address of one lane.
fn address(asm: &mut Assembler, regs: &LaneRegs) -> RegMem {
    let low = Frame::scratch_lane(SLOT_OFFSETS, regs.lane);
    if let Some(base) = regs.base {
        asm.legacy(None, &[0x63], true, regs.address, low); // movsxd
        return Mem::indexed(base, regs.address, 0, regs.disp).into();
    }
    load_lane(asm, SLOT_HIGH, regs.address, regs.lane);
    asm.legacy_full(None, &[0xc1], true, 4, RegMem::Reg(regs.address), false, 1);
    asm.code.push(32);
    load_lane(asm, SLOT_OFFSETS, regs.value, regs.lane);
    asm.alu(Alu::Or as u8, true, regs.address, RegMem::Reg(regs.value));
    Mem::base(regs.address, regs.disp).into()
}

fn load_lane(asm: &mut Assembler, slot: i32, reg: u8, lane: u8) {
    asm.legacy(None, &[0x8b], false, reg, Frame::scratch_lane(slot, lane));
}

fn store_result(asm: &mut Assembler, reg: u8, lane: u8) {
    asm.legacy(None, &[0x89], false, reg, Frame::scratch_lane(SLOT_RESULT, lane));
}

fn lane(asm: &mut Assembler, op: LaneOp, regs: &LaneRegs, memory: RegMem, site: &mut dyn FnMut(u32)) {
    let (lane, value) = (regs.lane, regs.value);
    match op {
        LaneOp::Load(width) => {
            site(asm.offset());
            load(asm, width, value, memory);
            store_result(asm, value, lane);
        }
        LaneOp::Store(width) => {
            load_lane(asm, SLOT_VALUES, value, lane);
            site(asm.offset());
            store(asm, width, value, memory);
        }
        LaneOp::ExchangeAdd => {
            load_lane(asm, SLOT_VALUES, value, lane);
            site(asm.offset());
            asm.legacy(Some(0xf0), &[0x0f, 0xc1], false, value, memory);
            store_result(asm, value, lane);
        }
        LaneOp::Exchange => {
            load_lane(asm, SLOT_VALUES, value, lane);
            site(asm.offset());
            asm.legacy(None, &[0x87], false, value, memory);
            store_result(asm, value, lane);
        }
        LaneOp::CompareExchange => {
            load_lane(asm, SLOT_VALUES, value, lane);
            load_lane(asm, SLOT_EXPECTED, RAX, lane);
            site(asm.offset());
            compare_exchange(asm, value, memory);
            store_result(asm, RAX, lane);
        }
        LaneOp::Loop(op) => {
            let again = asm.label();
            site(asm.offset());
            load(asm, Width::Dword, RAX, memory);
            asm.bind(again);
            new_value(asm, op, regs);
            site(asm.offset());
            compare_exchange(asm, value, memory);
            asm.jcc(Cond::NotEqual, again);
            store_result(asm, RAX, lane);
        }
    }
}

/// Computes from the old value in `eax` and the lane's operand what to store.
fn new_value(asm: &mut Assembler, op: LoopOp, regs: &LaneRegs) {
    let operand = Frame::scratch_lane(SLOT_VALUES, regs.lane);
    match op {
        LoopOp::Alu(op) => {
            asm.legacy(None, &[0x8b], false, regs.value, RegMem::Reg(RAX));
            asm.alu(op as u8, false, regs.value, operand);
        }
        LoopOp::Keep(cond) => {
            load_lane(asm, SLOT_VALUES, regs.value, regs.lane);
            asm.alu(Alu::Cmp as u8, false, RAX, RegMem::Reg(regs.value));
            asm.legacy(
                None,
                &[0x0f, 0x40 | cond as u8],
                false,
                regs.value,
                RegMem::Reg(RAX),
            );
        }
        LoopOp::FloatAdd => {
            asm.v(opcodes::MOVD_LOAD, regs.float, 0, RegMem::Reg(RAX));
            asm.v(opcodes::ADDSS, regs.float, regs.float, operand);
            asm.v(opcodes::MOVD_STORE, regs.float, 0, RegMem::Reg(regs.value));
        }
    }
}

fn compare_exchange(asm: &mut Assembler, value: u8, memory: RegMem) {
    asm.legacy(Some(0xf0), &[0x0f, 0xb1], false, value, memory);
}

/// A load into a general register, zero extended.
pub(super) fn load(asm: &mut Assembler, width: Width, reg: u8, memory: RegMem) {
    match width {
        Width::Byte => asm.legacy(None, &[0x0f, 0xb6], false, reg, memory),
        Width::Word => asm.legacy(None, &[0x0f, 0xb7], false, reg, memory),
        Width::Dword => asm.legacy(None, &[0x8b], false, reg, memory),
        Width::Qword => asm.legacy(None, &[0x8b], true, reg, memory),
    }
}

/// A store from a general register.
pub(super) fn store(asm: &mut Assembler, width: Width, reg: u8, memory: RegMem) {
    match width {
        Width::Byte => asm.legacy_full(None, &[0x88], false, reg, memory, true, 0),
        Width::Word => asm.legacy(Some(0x66), &[0x89], false, reg, memory),
        Width::Dword => asm.legacy(None, &[0x89], false, reg, memory),
        Width::Qword => asm.legacy(None, &[0x89], true, reg, memory),
    }
}
