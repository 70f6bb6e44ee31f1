//! The long ways of guards, behind the code that runs.
//!
//! A guard's long way writes what the guard is about below the stack pointer, calls the rest of it, and goes back
//! with every register as it was. The rest is there once a function: it keeps all registers, asks the host, and
//! leaves the kernel if the host says so.

use super::emit::Regs;
use super::encoder::{Assembler, Cond, Isa, Label, Mem, RegMem};
use super::inst::{Alu, GuardForm, Inst};
use super::opcodes;
use super::regs::{RAX, RCX, RDI, RSI, RSP};
use crate::memory::POISONS;
use crate::shader::abi::{Context, GuardMiss, Guards, NO_DESCRIPTOR, STAND_IN, Status};
use crate::shader::guard::Form;
use std::mem::offset_of;

/// Bytes below the stack pointer: the record, general registers, vectors, masks.
const RECORD: i32 = size_of::<GuardMiss>() as i32;
const GENERAL: i32 = RECORD;
const VECTORS: i32 = GENERAL + 16 * 8;
const MASKS: i32 = VECTORS + 32 * 64;
const BYTES: i32 = MASKS + 64;

const _: () = assert!(RECORD % 64 == 0 && BYTES % 64 == 0);

/// What is left to be written of a guard or of an address's check.
pub(super) struct LongWay {
    from: Label,
    back: Label,
    inst: Inst,
    /// Its registers.
    regs: [u8; 4],
}

impl LongWay {
    /// That of an instruction that jumps to `from`, to go on at `back`.
    pub(super) fn new(from: Label, back: Label, inst: &Inst, regs: Regs<'_>) -> LongWay {
        LongWay {
            from,
            back,
            inst: *inst,
            regs: std::array::from_fn(|i| regs.get(i)),
        }
    }

    /// The instruction.
    pub(super) fn inst(&self) -> &Inst {
        &self.inst
    }
}

fn stack(disp: i32) -> RegMem {
    Mem::base(RSP, disp).into()
}

fn in_guards(ctx: u8, offset: usize) -> RegMem {
    let disp = i32::try_from(offset_of!(Context, guards) + offset).unwrap_or(0);
    Mem::base(ctx, disp).into()
}

fn load(asm: &mut Assembler, reg: u8, from: RegMem) {
    asm.legacy(None, &[0x8b], true, reg, from);
}

fn store(asm: &mut Assembler, reg: u8, to: RegMem) {
    asm.legacy(None, &[0x89], true, reg, to);
}

fn store_imm(asm: &mut Assembler, to: RegMem, imm: u32) {
    asm.legacy_full(None, &[0xc7], false, 0, to, false, 4);
    asm.code.extend(imm.to_le_bytes());
}

/// A slot of an array of the guards.
fn slot(offset: usize, imm: i64) -> usize {
    offset + 8 * (imm.cast_unsigned() % POISONS) as usize
}

/// The short way of an address's check.
pub(super) fn device(asm: &mut Assembler, from: Label, regs: Regs<'_>) {
    let [d, ctx, t] = [regs.get(0), regs.get(2), regs.get(3)];
    load(asm, t, RegMem::Reg(d));
    asm.alu(Alu::Sub as u8, true, t, in_guards(ctx, offset_of!(Guards, base)));
    asm.alu(
        Alu::Cmp as u8,
        true,
        t,
        in_guards(ctx, offset_of!(Guards, usable)),
    );
    asm.jcc(Cond::AboveEqual, from);
}

/// The long way of an address's check: notes it and takes one that traps.
pub(super) fn device_long(asm: &mut Assembler, way: &LongWay) {
    let [d, _, ctx, t] = way.regs;
    asm.bind(way.from);
    for (first, size) in [
        (offset_of!(Guards, shared_base), offset_of!(Guards, shared_usable)),
        (
            offset_of!(Guards, imported_base),
            offset_of!(Guards, imported_size),
        ),
    ] {
        load(asm, t, RegMem::Reg(d));
        asm.alu(Alu::Sub as u8, true, t, in_guards(ctx, first));
        asm.alu(Alu::Cmp as u8, true, t, in_guards(ctx, size));
        asm.jcc(Cond::Below, way.back);
    }
    store(
        asm,
        d,
        in_guards(ctx, slot(offset_of!(Guards, bad), way.inst.imm)),
    );
    load(
        asm,
        d,
        in_guards(ctx, slot(offset_of!(Guards, poison), way.inst.imm)),
    );
    asm.jmp(way.back);
}

/// The short way of a descriptor's check.
pub(super) fn descriptor(asm: &mut Assembler, from: Label, mark: RegMem, (t, imm): (u8, i64)) {
    let (form, _) = Form::decode(imm);
    let mark = match form {
        Form::Buffer => mark,
        _ => {
            asm.legacy(None, &[0x8b], false, t, mark);
            asm.legacy_full(None, &[0xc1], false, 5, RegMem::Reg(t), false, 1); // shr
            asm.code.push(16);
            RegMem::Reg(t)
        }
    };
    asm.alu_imm(Alu::Cmp as u8, false, mark, form.mark());
    asm.jcc(Cond::NotEqual, from);
}

/// The long way of a descriptor's check: takes one that traps, unless it is the null descriptor.
pub(super) fn descriptor_long(asm: &mut Assembler, way: &LongWay) {
    let [d, _, ctx, t] = way.regs;
    let word = |at: usize| RegMem::from(Mem::base(d, i32::try_from(at).unwrap_or(0)));
    let (form, slot) = Form::decode(way.inst.imm);
    asm.bind(way.from);
    load(asm, t, word(form.kind_at()));
    let other = match form {
        Form::Buffer => word(0),
        _ => RegMem::Reg(t),
    };
    asm.alu(Alu::Or as u8, true, t, other);
    asm.jcc(Cond::Equal, way.back);
    let place = offset_of!(Guards, stand_ins) + slot * size_of::<[u64; 8]>();
    asm.mov_imm(t, NO_DESCRIPTOR.cast_signed());
    asm.alu(Alu::Or as u8, true, t, RegMem::Reg(d));
    store(asm, t, in_guards(ctx, place));
    for (n, word) in (1..).zip(STAND_IN) {
        asm.mov_imm(t, word.cast_signed());
        store(asm, t, in_guards(ctx, place + 8 * n));
    }
    asm.legacy(None, &[0x8d], true, d, in_guards(ctx, place));
    asm.jmp(way.back);
}

/// The long way of a guard; `rest` is the label of [`rest`].
pub(super) fn guard_long(asm: &mut Assembler, way: &LongWay, form: GuardForm, rest: Label) -> u32 {
    asm.bind(way.from);
    asm.legacy(None, &[0x8d], true, RSP, stack(-BYTES));
    let at = |offset: usize| stack(i32::try_from(offset).unwrap_or(0));
    let vector = |asm: &mut Assembler, reg: u8, offset: usize| {
        asm.v(
            opcodes::MOVUPS_STORE,
            reg,
            0,
            stack(i32::try_from(offset).unwrap_or(0)),
        );
    };
    let count = usize::from(way.inst.count).min(way.regs.len());
    let mask = way.regs[count - 1];
    store(asm, way.regs[0], at(offset_of!(GuardMiss, ctx)));
    match form {
        GuardForm::Uniform => store(asm, way.regs[1], at(offset_of!(GuardMiss, address))),
        GuardForm::Pairs => {
            vector(asm, way.regs[1], offset_of!(GuardMiss, low));
            vector(asm, way.regs[2], offset_of!(GuardMiss, high));
        }
        GuardForm::Offsets => {
            store(asm, way.regs[1], at(offset_of!(GuardMiss, address)));
            vector(asm, way.regs[2], offset_of!(GuardMiss, low));
        }
    }
    let wide = asm.isa() == Isa::Avx512;
    if wide {
        asm.v(
            opcodes::KMOVW_STORE,
            mask,
            0,
            at(offset_of!(GuardMiss, mask_bits)),
        );
    } else {
        vector(asm, mask, offset_of!(GuardMiss, mask));
    }
    let form = match form {
        GuardForm::Uniform => GuardMiss::UNIFORM,
        GuardForm::Pairs => GuardMiss::PAIRS,
        GuardForm::Offsets => GuardMiss::OFFSETS,
    };
    store_imm(asm, at(offset_of!(GuardMiss, form)), form);
    store_imm(asm, at(offset_of!(GuardMiss, wide)), u32::from(wide));
    let words = way.inst.imm.cast_unsigned();
    let guard = offset_of!(GuardMiss, guard);
    #[allow(clippy::cast_possible_truncation, reason = "the two halves")]
    for (word, at) in [(words as u32, at(guard)), ((words >> 32) as u32, at(guard + 4))] {
        store_imm(asm, at, word);
    }
    let site = asm.offset();
    asm.call(rest);
    asm.legacy(None, &[0x8d], true, RSP, stack(BYTES));
    asm.jmp(way.back);
    site
}

/// What all guards of a function have in common.
pub(super) fn rest(asm: &mut Assembler, label: Label) {
    asm.bind(label);
    // Above the return address.
    let at = |disp: i32| stack(8 + disp);
    let general = (0..16).filter(|&reg| reg != RSP);
    for reg in general.clone() {
        store(asm, reg, at(GENERAL + 8 * i32::from(reg)));
    }
    let wide = asm.isa() == Isa::Avx512;
    let vectors: u8 = if wide { 32 } else { 16 };
    for reg in 0..vectors {
        asm.v(opcodes::MOVUPS_STORE, reg, 0, at(VECTORS + 64 * i32::from(reg)));
    }
    let masks = if wide { 1..8 } else { 1..1 };
    for reg in masks.clone() {
        asm.v(opcodes::KMOVW_STORE, reg, 0, at(MASKS + 8 * i32::from(reg)));
    }
    let place = |offset: usize| at(i32::try_from(offset).unwrap_or(0));
    load(asm, RAX, stack(0));
    store(asm, RAX, place(offset_of!(GuardMiss, instruction)));
    load(asm, RDI, place(offset_of!(GuardMiss, ctx)));
    asm.legacy(None, &[0x8d], true, RSI, at(0));
    asm.code.extend([0xc5, 0xf8, 0x77]); // vzeroupper
    // A call wants the stack at a multiple of 16.
    asm.alu_imm(Alu::Sub as u8, true, RegMem::Reg(RSP), 8);
    asm.legacy(None, &[0xff], false, 2, in_guards(RDI, offset_of!(Guards, miss)));
    asm.legacy(None, &[0x8d], true, RSP, stack(8));
    asm.legacy(None, &[0x85], true, RAX, RegMem::Reg(RAX));
    let leave = asm.label();
    asm.jcc(Cond::NotEqual, leave);
    for reg in masks {
        asm.v(opcodes::KMOVW, reg, 0, at(MASKS + 8 * i32::from(reg)));
    }
    for reg in 0..vectors {
        asm.v(opcodes::MOVUPS_LOAD, reg, 0, at(VECTORS + 64 * i32::from(reg)));
    }
    for reg in general {
        load(asm, reg, at(GENERAL + 8 * i32::from(reg)));
    }
    asm.code.push(0xc3);
    asm.bind(leave);
    load(asm, RDI, place(offset_of!(GuardMiss, ctx)));
    load(asm, RCX, in_guards(RDI, offset_of!(Guards, leave)));
    load(asm, RSP, RegMem::Reg(RAX));
    asm.mov_imm(RAX, i64::from(Status::Fault as u32));
    asm.legacy(None, &[0xff], false, 4, RegMem::Reg(RCX));
}
