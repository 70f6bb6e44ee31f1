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
pub(super) const SLOT_VALUES_HIGH: i32 = 5;
pub(super) const SLOT_EXPECTED_HIGH: i32 = 6;
pub(super) const SLOT_RESULT_HIGH: i32 = 7;

/// Registers of one loop.
pub(super) struct LaneRegs {
    /// Lanes left; consumed.
    pub bits: u8,
    pub lane: u8,
    pub address: u8,
    pub value: u8,
    /// A vector register, for float sums.
    pub float: u8,
    /// For putting words together.
    pub spare: u8,
    /// Whether each lane has 64 bits.
    pub wide: bool,
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

/// A lane's operand of the loop's width.
fn load_operand(asm: &mut Assembler, regs: &LaneRegs, slots: [i32; 2], reg: u8) {
    if !regs.wide {
        load_lane(asm, slots[0], reg, regs.lane);
        return;
    }
    load_lane(asm, slots[1], reg, regs.lane);
    asm.legacy_full(None, &[0xc1], true, 4, RegMem::Reg(reg), false, 1);
    asm.code.push(32);
    load_lane(asm, slots[0], regs.spare, regs.lane);
    asm.alu(Alu::Or as u8, true, reg, RegMem::Reg(regs.spare));
}

/// Keeps a lane's result of the loop's width; the register is used up.
fn store_wide_result(asm: &mut Assembler, regs: &LaneRegs, reg: u8) {
    store_result(asm, reg, regs.lane);
    if regs.wide {
        asm.legacy_full(None, &[0xc1], true, 5, RegMem::Reg(reg), false, 1);
        asm.code.push(32);
        let slot = Frame::scratch_lane(SLOT_RESULT_HIGH, regs.lane);
        asm.legacy(None, &[0x89], false, reg, slot);
    }
}

const VALUES: [i32; 2] = [SLOT_VALUES, SLOT_VALUES_HIGH];
const EXPECTED: [i32; 2] = [SLOT_EXPECTED, SLOT_EXPECTED_HIGH];

fn lane(asm: &mut Assembler, op: LaneOp, regs: &LaneRegs, memory: RegMem, site: &mut dyn FnMut(u32)) {
    let (lane, value, wide) = (regs.lane, regs.value, regs.wide);
    match op {
        LaneOp::Load(width) => {
            site(asm.offset());
            load(asm, width, value, memory);
            store_wide_result(asm, regs, value);
        }
        LaneOp::Store(width) => {
            load_lane(asm, SLOT_VALUES, value, lane);
            site(asm.offset());
            store(asm, width, value, memory);
        }
        LaneOp::ExchangeAdd => {
            load_operand(asm, regs, VALUES, value);
            site(asm.offset());
            asm.legacy(Some(0xf0), &[0x0f, 0xc1], wide, value, memory);
            store_wide_result(asm, regs, value);
        }
        LaneOp::Exchange => {
            load_operand(asm, regs, VALUES, value);
            site(asm.offset());
            asm.legacy(None, &[0x87], wide, value, memory);
            store_wide_result(asm, regs, value);
        }
        LaneOp::CompareExchange => {
            load_operand(asm, regs, VALUES, value);
            load_operand(asm, regs, EXPECTED, RAX);
            site(asm.offset());
            compare_exchange(asm, wide, value, memory);
            store_wide_result(asm, regs, RAX);
        }
        LaneOp::Loop(op) => {
            let again = asm.label();
            site(asm.offset());
            load(asm, if wide { Width::Qword } else { Width::Dword }, RAX, memory);
            asm.bind(again);
            new_value(asm, op, regs);
            site(asm.offset());
            compare_exchange(asm, wide, value, memory);
            asm.jcc(Cond::NotEqual, again);
            store_wide_result(asm, regs, RAX);
        }
    }
}

/// Computes from the old value in `rax` and the lane's operand what to store.
fn new_value(asm: &mut Assembler, op: LoopOp, regs: &LaneRegs) {
    match op {
        LoopOp::Alu(op) => {
            load_operand(asm, regs, VALUES, regs.value);
            asm.alu(op as u8, regs.wide, regs.value, RegMem::Reg(RAX));
        }
        LoopOp::Keep(cond) => {
            load_operand(asm, regs, VALUES, regs.value);
            asm.alu(Alu::Cmp as u8, regs.wide, RAX, RegMem::Reg(regs.value));
            asm.legacy(
                None,
                &[0x0f, 0x40 | cond as u8],
                regs.wide,
                regs.value,
                RegMem::Reg(RAX),
            );
        }
        LoopOp::FloatAdd => {
            let operand = Frame::scratch_lane(SLOT_VALUES, regs.lane);
            asm.v(opcodes::MOVD_LOAD, regs.float, 0, RegMem::Reg(RAX));
            asm.v(opcodes::ADDSS, regs.float, regs.float, operand);
            asm.v(opcodes::MOVD_STORE, regs.float, 0, RegMem::Reg(regs.value));
        }
    }
}

fn compare_exchange(asm: &mut Assembler, wide: bool, value: u8, memory: RegMem) {
    asm.legacy(Some(0xf0), &[0x0f, 0xb1], wide, value, memory);
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
