//! Guards: the short way, which is comparisons and a jump that is not taken.

use super::{Address, Lower, NO_SITE, Src};
use crate::shader::abi::{ALLOCATION_FACTOR, ALLOCATION_SLOTS, AllocationSlot, Context, Guards, LiveSlot};
use crate::shader::codegen::x64::encoder::{Cond, Isa};
use crate::shader::codegen::x64::inst::{Alu, GuardForm, Inst, Kind, Rm, Shape, Shift, Width};
use crate::shader::codegen::x64::opcodes;
use crate::shader::guard::{Form, Guard};
use crate::shader::ir::{self, Op};
use regalloc2::{Operand, VReg};
use std::mem::offset_of;

/// Offset in the context of a field of its guards.
fn field(offset: usize) -> i32 {
    i32::try_from(offset_of!(Context, guards) + offset).unwrap_or(0)
}

impl Lower<'_> {
    pub(super) fn lower_guard(&mut self, inst: &ir::Inst) -> bool {
        match inst.op {
            Op::LDevice => {
                let [ctx, address] = [0, 1].map(|i| self.reg(inst.args[i]));
                let (d, t) = (self.dst(inst.result), self.itemp());
                let operands = [
                    Operand::reg_reuse_def(d, 1),
                    Operand::reg_use(address),
                    Operand::reg_use_at_end(ctx),
                    Operand::reg_temp(t),
                ];
                self.emit(Kind::Device, &operands, Src::Imm, inst.imm);
            }
            Op::LDescriptor => {
                let [at, ctx] = [0, 1].map(|i| self.reg(inst.args[i]));
                let (d, t) = (self.dst(inst.result), self.itemp());
                let operands = [
                    Operand::reg_reuse_def(d, 1),
                    Operand::reg_use(at),
                    Operand::reg_use_at_end(ctx),
                    Operand::reg_temp(t),
                ];
                let site = self.site(self.block, self.inst);
                let (form, _) = Form::decode(inst.imm);
                let mark = Src::Mem(Address {
                    base: Some(at),
                    index: None,
                    scale: 0,
                    // The high half of the kind, and of a buffer's range and mark.
                    disp: i32::try_from(form.kind_at() + 4).unwrap_or(0),
                    broadcast: false,
                    site,
                });
                self.emit(Kind::Descriptor, &operands, mark, inst.imm);
            }
            Op::GuardL | Op::GuardO => self.guard_uniform(inst),
            Op::GuardP => self.guard_pairs(inst),
            Op::MaskedO => self.masked(inst, GuardForm::Offsets),
            Op::MaskedP => self.masked(inst, GuardForm::Pairs),
            _ => return false,
        }
        true
    }

    /// A place in the context.
    fn in_context(&self, ctx: VReg, disp: i32) -> Address {
        Address {
            base: Some(ctx),
            index: None,
            scale: 0,
            disp,
            broadcast: self.wide(),
            site: NO_SITE,
        }
    }

    fn scalar_in_context(&self, ctx: VReg, disp: i32) -> Src {
        Src::Mem(Address {
            broadcast: false,
            ..self.in_context(ctx, disp)
        })
    }

    /// A word of the context in every lane, as an operand.
    fn splat_in_context(&mut self, ctx: VReg, disp: i32) -> Src {
        let address = self.in_context(ctx, disp);
        if self.wide() {
            return Src::Mem(address);
        }
        let d = self.vtemp();
        self.rm(opcodes::BROADCASTSS, d, Src::Mem(address));
        Src::Reg(d)
    }

    /// Base and limit for the addresses of a guard.
    fn limits(guard: Guard) -> (i32, Option<i32>) {
        if !guard.exact {
            return (
                field(offset_of!(Guards, base)),
                Some(field(offset_of!(Guards, usable))),
            );
        }
        let slot = offset_of!(Guards, live) + usize::from(guard.slot) * size_of::<LiveSlot>();
        // What lanes do with a descriptor's address has been clamped; that it is there is what counts.
        let class = if guard.pointer {
            guard.span_class()
        } else {
            Some(0)
        };
        (
            field(slot + offset_of!(LiveSlot, first)),
            class.map(|class| field(slot + offset_of!(LiveSlot, starts) + 8 * class)),
        )
    }

    fn guard_uniform(&mut self, inst: &ir::Inst) {
        let guard = Guard::decode(inst.imm);
        let regs: smallvec::SmallVec<[VReg; 4]> = inst.args.iter().map(|&arg| self.reg(arg)).collect();
        let form = match inst.op {
            Op::GuardL => GuardForm::Uniform,
            _ => GuardForm::Offsets,
        };
        let (ctx, address) = (regs[0], regs[1]);
        if guard.aligned() {
            self.align_uniform(inst, guard, &regs);
        }
        if guard.exact && !guard.pointer {
            return self.guard_descriptor(inst, form, &regs);
        }
        let (first, starts) = Self::limits(guard);
        // Where only the window counts, what is added to an address cannot leave it unseen.
        let by = if guard.exact && guard.pointer {
            guard.disp
        } else {
            0
        };
        let from = self.moved(address, by);
        let distance = self.itemp();
        let operands = [Operand::reg_reuse_def(distance, 1), Operand::reg_use(from)];
        let kind = Kind::Alu {
            op: Alu::Sub,
            wide: true,
        };
        let base = self.scalar_in_context(ctx, first);
        self.emit(kind, &operands, base, 0);
        match starts {
            Some(starts) => {
                let limit = self.scalar_in_context(ctx, starts);
                self.emit(Kind::Cmp { wide: true }, &[Operand::reg_use(distance)], limit, 0);
                self.leave_if(Cond::AboveEqual, form, &regs, inst.imm);
            }
            // No limit is kept for such a span: always the long way.
            None => {
                self.emit(
                    Kind::Cmp { wide: true },
                    &[Operand::reg_use(distance)],
                    Src::Reg(distance),
                    0,
                );
                self.leave_if(Cond::Equal, form, &regs, inst.imm);
            }
        }
    }

    /// The entry for a descriptor is found by its address: a kernel may meet many of them in turn.
    fn guard_descriptor(&mut self, inst: &ir::Inst, form: GuardForm, regs: &[VReg]) {
        const ENTRY: u32 = size_of::<AllocationSlot>().trailing_zeros();
        const SLOT_BITS: u32 = ALLOCATION_SLOTS.trailing_zeros();
        const { assert!(size_of::<AllocationSlot>().is_power_of_two() && ALLOCATION_SLOTS.is_power_of_two()) };
        let (ctx, address) = (regs[0], regs[1]);
        let shift = Guard::decode(inst.imm).allocation_shift();
        let [high, mixed, top, index, table, distance] = [(); 6].map(|()| self.itemp());
        let right = |wide| Kind::ShiftImm {
            op: Shift::Right,
            wide,
        };
        // As `abi::allocation_slot`, in bytes.
        self.tied(right(true), high, address, Src::Imm, shift.into());
        let factor = i64::from(ALLOCATION_FACTOR.cast_signed());
        let multiply = Kind::ImulImm { wide: false };
        self.emit(multiply, &[Operand::reg_def(mixed)], Src::Reg(high), factor);
        self.tied(
            right(false),
            top,
            mixed,
            Src::Imm,
            i64::from(32 - SLOT_BITS - ENTRY),
        );
        let and = Kind::Alu {
            op: Alu::And,
            wide: false,
        };
        let mask = (ALLOCATION_SLOTS - 1) << ENTRY;
        self.tied(and, index, top, Src::Imm, mask as i64);
        let at = self.scalar_in_context(ctx, field(offset_of!(Guards, allocations)));
        self.emit(Kind::Load(Width::Qword), &[Operand::reg_def(table)], at, 0);
        let place = |lower: &Self, offset: usize| {
            Src::Mem(Address {
                index: Some(index),
                broadcast: false,
                ..lower.in_context(table, offset as i32)
            })
        };
        let first = place(self, offset_of!(AllocationSlot, first));
        let sub = Kind::Alu {
            op: Alu::Sub,
            wide: true,
        };
        self.tied(sub, distance, address, first, 0);
        let size = place(self, offset_of!(AllocationSlot, size));
        self.emit(Kind::Cmp { wide: true }, &[Operand::reg_use(distance)], size, 0);
        self.leave_if(Cond::AboveEqual, form, regs, inst.imm);
    }

    fn align_uniform(&mut self, inst: &ir::Inst, guard: Guard, regs: &[VReg]) {
        let from = self.moved(regs[1], guard.disp % u32::from(guard.size));
        let bits = self.itemp();
        let operands = [Operand::reg_reuse_def(bits, 1), Operand::reg_use(from)];
        let kind = Kind::Alu {
            op: Alu::And,
            wide: false,
        };
        self.emit(kind, &operands, Src::Imm, i64::from(guard.size) - 1);
        self.leave_if(Cond::NotEqual, GuardForm::Uniform, regs, inst.imm);
    }

    /// An address some bytes further on.
    fn moved(&mut self, address: VReg, by: u32) -> VReg {
        let Some(disp) = i32::try_from(by).ok().filter(|&by| by != 0) else {
            return address;
        };
        let sum = self.itemp();
        let at = self.scalar_in_context(address, disp);
        self.emit(Kind::Lea { wide: true }, &[Operand::reg_def(sum)], at, 0);
        sum
    }

    /// Leaves if a lane of the mask is not zero in `bits`.
    fn leave_unless_zero(
        &mut self,
        inst: &ir::Inst,
        regs: &[VReg],
        form: GuardForm,
        bits: VReg,
        [zero, equal]: [VReg; 2],
    ) {
        self.emit(Kind::Zero, &[Operand::reg_def(zero)], Src::None, 0);
        self.equal_lanes(inst, regs, form, bits, Src::Reg(zero), equal);
    }

    /// Leaves unless two vectors are equal in the lanes of the mask.
    fn equal_lanes(&mut self, inst: &ir::Inst, regs: &[VReg], form: GuardForm, a: VReg, b: Src, equal: VReg) {
        let mask = regs[3];
        match self.isa {
            Isa::Avx2 => {
                self.rvm(opcodes::PCMPEQD, equal, a, b);
                self.unless_all(inst, regs, form, equal);
            }
            Isa::Avx512 => {
                let different = self.temp(self.mask_class());
                self.rvm_imm(opcodes::PCMPD, different, a, b, 4);
                self.if_any(inst, regs, form, different, mask);
            }
        }
    }

    /// AVX2: leaves unless all lanes of the mask are in `good`.
    fn unless_all(&mut self, inst: &ir::Inst, regs: &[VReg], form: GuardForm, good: VReg) {
        // The carry says that no lane of the mask is outside.
        let kind = Kind::Vector(Shape::Rm, opcodes::TESTPS);
        self.emit(kind, &[Operand::reg_use(good)], Src::Reg(regs[3]), 0);
        self.leave_if(Cond::AboveEqual, form, regs, inst.imm);
    }

    /// AVX-512: leaves if a lane of the mask is in `bad`.
    fn if_any(&mut self, inst: &ir::Inst, regs: &[VReg], form: GuardForm, bad: VReg, mask: VReg) {
        let kind = Kind::Vector(Shape::Rm, opcodes::KTESTW);
        self.emit(kind, &[Operand::reg_use(bad)], Src::Reg(mask), 0);
        self.leave_if(Cond::NotEqual, form, regs, inst.imm);
    }

    fn guard_pairs(&mut self, inst: &ir::Inst) {
        let guard = Guard::decode(inst.imm);
        let form = GuardForm::Pairs;
        let regs: [VReg; 4] = std::array::from_fn(|i| self.reg(inst.args[i]));
        let [ctx, low, high, _] = regs;
        let (mut low, mut high) = (low, high);
        if guard.disp != 0 && (guard.exact || guard.aligned()) {
            (low, high) = self.add_to_pointers(low, high, guard.disp.into());
        }
        if guard.aligned() {
            let [bits, zero, equal] = [(); 3].map(|()| self.vtemp());
            let mask = self.splat(u32::from(guard.size) - 1);
            self.rvm(opcodes::PAND, bits, low, mask);
            self.leave_unless_zero(inst, &regs, form, bits, [zero, equal]);
        }
        if !guard.exact {
            let [window, equal] = [(); 2].map(|()| self.vtemp());
            let vector = |lower: &Self, offset| {
                Src::Mem(Address {
                    broadcast: false,
                    ..lower.in_context(ctx, field(offset))
                })
            };
            let (bits, expected) = (
                vector(self, offset_of!(Guards, high_mask)),
                vector(self, offset_of!(Guards, high)),
            );
            self.rvm(opcodes::PAND, window, high, bits);
            self.equal_lanes(inst, &regs, form, window, expected, equal);
            return;
        }
        let (first, starts) = Self::limits(guard);
        let Some(starts) = starts else {
            let [zero, equal] = [(); 2].map(|()| self.vtemp());
            let ones = self.splat_const(1);
            self.leave_unless_zero(inst, &regs, form, ones, [zero, equal]);
            return;
        };
        let first_high = self.splat_in_context(ctx, first + 4);
        let first_low = self.splat_in_context(ctx, first);
        let limit = self.splat_in_context(ctx, starts);
        let distance = self.vtemp();
        self.rvm(opcodes::PSUBD, distance, low, first_low);
        match self.isa {
            Isa::Avx2 => {
                let [same, most, beyond, good] = [(); 4].map(|()| self.vtemp());
                self.rvm(opcodes::PCMPEQD, same, high, first_high);
                self.rvm(opcodes::PMAXUD, most, distance, limit);
                self.rvm(opcodes::PCMPEQD, beyond, most, Src::Reg(distance));
                self.rvm(opcodes::ANDNPS, good, beyond, Src::Reg(same));
                self.unless_all(inst, &regs, form, good);
            }
            Isa::Avx512 => {
                let [other, beyond, bad] = [(); 3].map(|()| self.temp(self.mask_class()));
                self.rvm_imm(opcodes::PCMPD, other, high, first_high, 4);
                self.rvm_imm(opcodes::PCMPUD, beyond, distance, limit, 5);
                self.rvm(opcodes::KORW, bad, other, Src::Reg(beyond));
                self.if_any(inst, &regs, form, bad, regs[3]);
            }
        }
    }

    /// Leaves if a lane that is on is not inside.
    fn masked(&mut self, inst: &ir::Inst, form: GuardForm) {
        let [ctx, a, b, lanes, inside] = [0, 1, 2, 3, 4].map(|i| self.reg(inst.args[i]));
        let outside = self.temp(self.mask_class());
        let (and_not, test) = match self.isa {
            Isa::Avx2 => (opcodes::ANDNPS, opcodes::TESTPS),
            Isa::Avx512 => (opcodes::KANDNW, opcodes::KTESTW),
        };
        self.rvm(and_not, outside, inside, Src::Reg(lanes));
        let kind = Kind::Vector(Shape::Rm, test);
        self.emit(kind, &[Operand::reg_use(outside)], Src::Reg(outside), 0);
        self.leave_if(Cond::NotEqual, form, &[ctx, a, b, outside], inst.imm);
    }

    fn leave_if(&mut self, cond: Cond, form: GuardForm, regs: &[VReg], imm: i64) {
        let operands: smallvec::SmallVec<[Operand; 4]> =
            regs.iter().map(|&reg| Operand::reg_use_at_end(reg)).collect();
        let site = self.site(self.block, self.inst);
        let list = &mut self.mach.operands;
        let first = u32::try_from(list.len()).unwrap_or(u32::MAX);
        list.extend_from_slice(&operands);
        self.mach.calls = true;
        self.buffer.push(Inst {
            kind: Kind::Guard { cond, form },
            rm: Rm::Imm,
            imm,
            first,
            count: u8::try_from(operands.len()).unwrap_or(u8::MAX),
            site,
        });
    }
}
