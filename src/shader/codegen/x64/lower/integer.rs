//! Varying integers.

use super::{Lower, Src};
use crate::shader::codegen::x64::encoder::Isa;
use crate::shader::codegen::x64::inst::{Kind, Shape};
use crate::shader::codegen::x64::opcodes::{self, Opcode};
use crate::shader::codegen::x64::pool::Vector;
use crate::shader::ir::{self, Op, Value};
use regalloc2::{Operand, VReg};

/// Immediate of `VROUNDPD`: towards zero, no exceptions.
const TRUNCATE: u8 = 11;
/// Immediate of `VPERMQ` that swaps the middle quarters.
pub(super) const SWAP_MIDDLE: u8 = 0b11_01_10_00;

/// Operations that are one instruction of two operands, and whether those commute.
fn direct(op: Op) -> Option<(Opcode, bool)> {
    Some(match op {
        Op::VAdd => (opcodes::PADDD, true),
        Op::VSub => (opcodes::PSUBD, false),
        Op::VMul => (opcodes::PMULLD, true),
        Op::VAnd => (opcodes::PAND, true),
        Op::VOr => (opcodes::POR, true),
        Op::VXor => (opcodes::PXOR, true),
        Op::VMinS => (opcodes::PMINSD, true),
        Op::VMaxS => (opcodes::PMAXSD, true),
        Op::VMinU => (opcodes::PMINUD, true),
        Op::VMaxU => (opcodes::PMAXUD, true),
        _ => return None,
    })
}

fn shift(op: Op) -> Option<(Opcode, Opcode)> {
    Some(match op {
        Op::VShl => (opcodes::PSLLD_I, opcodes::PSLLVD),
        Op::VShr => (opcodes::PSRLD_I, opcodes::PSRLVD),
        Op::VSar => (opcodes::PSRAD_I, opcodes::PSRAVD),
        _ => return None,
    })
}

impl Lower<'_> {
    pub(super) fn lower_integer(&mut self, inst: &ir::Inst) -> bool {
        if let Some((op, commutative)) = direct(inst.op) {
            let (mut a, mut b) = (inst.args[0], inst.args[1]);
            if commutative && self.in_memory(a) && !self.in_memory(b) {
                std::mem::swap(&mut a, &mut b);
            }
            let d = self.dst(inst.result);
            let a = self.reg(a);
            let b = self.src(b);
            self.rvm(op, d, a, b);
            return true;
        }
        if let Some((by_imm, by_lane)) = shift(inst.op) {
            self.vector_shift(inst, by_imm, by_lane);
            return true;
        }
        match inst.op {
            Op::VMulHiS => self.multiply_high(inst, opcodes::PMULDQ),
            Op::VMulHiU => self.multiply_high(inst, opcodes::PMULUDQ),
            Op::VDivU => self.vector_divide(inst, false, false),
            Op::VDivS => self.vector_divide(inst, true, false),
            Op::VRemU => self.vector_divide(inst, false, true),
            Op::VRemS => self.vector_divide(inst, true, true),
            Op::VConst => {}
            _ => return false,
        }
        true
    }

    fn vector_shift(&mut self, inst: &ir::Inst, by_imm: Opcode, by_lane: Opcode) {
        let d = self.dst(inst.result);
        let a = self.reg(inst.args[0]);
        if let Some(count) = self.vector_const(inst.args[1]) {
            self.shift_imm(by_imm, d, a, (count & 31).to_le_bytes()[0]);
            return;
        }
        let count = self.shift_count(inst.args[1]);
        self.rvm(by_lane, d, a, count);
    }

    /// The count of a shift, below 32.
    fn shift_count(&mut self, count: Value) -> Src {
        let small = self.definition(count).is_some_and(|inst| {
            inst.op == Op::VAnd
                && inst
                    .args
                    .iter()
                    .any(|&arg| self.vector_const(arg).is_some_and(|bits| bits < 32))
        });
        let count = self.reg(count);
        if small {
            return Src::Reg(count);
        }
        let masked = self.vtemp();
        let limit = self.splat(31);
        self.rvm(opcodes::PAND, masked, count, limit);
        Src::Reg(masked)
    }

    /// The high halves of the products, even and odd lanes by themselves.
    fn multiply_high(&mut self, inst: &ir::Inst, multiply: Opcode) {
        let [a, b] = [0, 1].map(|i| self.reg(inst.args[i]));
        let d = self.dst(inst.result);
        let [even, odd_a, odd_b, odd, low] = [(); 5].map(|()| self.vtemp());
        self.rvm(multiply, even, a, Src::Reg(b));
        self.shift_imm(opcodes::PSRLQ_I, odd_a, a, 32);
        self.shift_imm(opcodes::PSRLQ_I, odd_b, b, 32);
        self.rvm(multiply, odd, odd_a, Src::Reg(odd_b));
        self.shift_imm(opcodes::PSRLQ_I, low, even, 32);
        match self.isa {
            Isa::Avx2 => self.rvm_imm(opcodes::PBLENDD, d, low, Src::Reg(odd), 0b1010_1010),
            Isa::Avx512 => {
                let high = self.vtemp();
                let mask = self.vector(Vector::OddLanes);
                self.rvm(opcodes::PAND, high, odd, mask);
                self.rvm(opcodes::POR, d, low, Src::Reg(high));
            }
        }
    }

    /// Quotients through binary64, which holds 32-bit integers and whose quotients of them, cut off, are
    /// exact: a quotient that is no integer is further from the next one than its rounding error.
    fn vector_divide(&mut self, inst: &ir::Inst, signed: bool, remainder: bool) {
        let d = self.dst(inst.result);
        if !signed && self.divide_by_power(inst, d, remainder) {
            return;
        }
        let [a, b] = [0, 1].map(|i| self.reg(inst.args[i]));
        let quotient = if remainder { self.vtemp() } else { d };
        match self.isa {
            Isa::Avx2 => self.quotient_8(quotient, a, b, signed),
            Isa::Avx512 => self.quotient_16(quotient, a, b, signed),
        }
        if remainder {
            // With a quotient of -1 for a divisor of 0 this gives `a`.
            let product = self.vtemp();
            self.rvm(opcodes::PMULLD, product, quotient, Src::Reg(b));
            self.rvm(opcodes::PSUBD, d, a, Src::Reg(product));
        }
    }

    /// Unsigned division by a constant power of two.
    fn divide_by_power(&mut self, inst: &ir::Inst, d: VReg, remainder: bool) -> bool {
        let Some(divisor) = self
            .vector_const(inst.args[1])
            .filter(|divisor| divisor.is_power_of_two())
        else {
            return false;
        };
        let a = self.reg(inst.args[0]);
        if remainder {
            let mask = self.splat(divisor - 1);
            self.rvm(opcodes::PAND, d, a, mask);
        } else {
            self.shift_imm(opcodes::PSRLD_I, d, a, divisor.trailing_zeros().to_le_bytes()[0]);
        }
        true
    }

    fn quotient_8(&mut self, d: VReg, a: VReg, b: VReg, signed: bool) {
        let halves = [0, 1].map(|half| {
            let [a, b] = [a, b].map(|v| self.half_to_double(v, half, signed));
            let quotient = self.vtemp();
            self.rvm(opcodes::DIVPD, quotient, a, Src::Reg(b));
            self.double_to_half(quotient, signed)
        });
        let [joined, zero, is_zero] = [(); 3].map(|()| self.vtemp());
        if signed {
            self.rvm_imm(opcodes::INSERTI128, joined, halves[0], Src::Reg(halves[1]), 1);
        } else {
            // The integers are the low words of the 64-bit lanes.
            let mixed = self.vtemp();
            self.rvm_imm(opcodes::SHUFPS, mixed, halves[0], Src::Reg(halves[1]), 0x88);
            self.rm_imm(opcodes::PERMQ, joined, Src::Reg(mixed), SWAP_MIDDLE);
        }
        self.emit(Kind::Zero, &[Operand::reg_def(zero)], Src::None, 0);
        self.rvm(opcodes::PCMPEQD, is_zero, b, Src::Reg(zero));
        self.rvm(opcodes::POR, d, joined, Src::Reg(is_zero));
    }

    /// Four lanes as binary64.
    fn half_to_double(&mut self, v: VReg, half: u8, signed: bool) -> VReg {
        let mut part = v;
        if half == 1 {
            part = self.vtemp();
            self.mr_imm(opcodes::EXTRACTI128, part, v, 1);
        }
        let double = self.vtemp();
        if signed {
            self.rm(opcodes::CVTDQ2PD, double, Src::Reg(part));
            return double;
        }
        // As low word of 2^52, whose unit in the last place is 1.
        let [long, biased] = [(); 2].map(|()| self.vtemp());
        self.rm(opcodes::PMOVZXDQ, long, Src::Reg(part));
        let two52 = self.vector(Vector::Two52);
        self.rvm(opcodes::POR, biased, long, two52);
        self.rvm(opcodes::SUBPD, double, biased, two52);
        double
    }

    /// Back to integers: four 32-bit lanes if signed, else the low words of four 64-bit lanes.
    fn double_to_half(&mut self, v: VReg, signed: bool) -> VReg {
        let out = self.vtemp();
        if signed {
            self.rm(opcodes::CVTTPD2DQ, out, Src::Reg(v));
            return out;
        }
        let whole = self.vtemp();
        self.rm_imm(opcodes::ROUNDPD, whole, Src::Reg(v), TRUNCATE);
        let two52 = self.vector(Vector::Two52);
        self.rvm(opcodes::ADDPD, out, whole, two52);
        out
    }

    fn quotient_16(&mut self, d: VReg, a: VReg, b: VReg, signed: bool) {
        let (to_double, to_int) = if signed {
            (opcodes::CVTDQ2PD, opcodes::CVTTPD2DQ)
        } else {
            (opcodes::CVTUDQ2PD, opcodes::CVTTPD2UDQ)
        };
        let halves = [0, 1].map(|half| {
            let [a, b] = [a, b].map(|v| {
                let mut part = v;
                if half == 1 {
                    part = self.vtemp();
                    self.mr_imm(opcodes::EXTRACTI64X4, part, v, 1);
                }
                let double = self.vtemp();
                self.rm(to_double, double, Src::Reg(part));
                double
            });
            let [quotient, out] = [(); 2].map(|()| self.vtemp());
            self.rvm(opcodes::DIVPD, quotient, a, Src::Reg(b));
            self.rm(to_int, out, Src::Reg(quotient));
            out
        });
        if !signed {
            // The conversion of infinity and of NaN gives all ones already.
            self.rvm_imm(opcodes::INSERTI64X4, d, halves[0], Src::Reg(halves[1]), 1);
            return;
        }
        let joined = self.vtemp();
        self.rvm_imm(opcodes::INSERTI64X4, joined, halves[0], Src::Reg(halves[1]), 1);
        let is_zero = self.temp(self.mask_class());
        let zero = self.splat(0);
        self.rvm_imm(opcodes::PCMPD, is_zero, b, zero, 0);
        let ones = self.splat(u32::MAX);
        let operands = [
            Operand::reg_reuse_def(d, 1),
            Operand::reg_use(joined),
            Operand::reg_use(is_zero),
        ];
        self.emit(
            Kind::Vector(Shape::Rtkm, opcodes::BROADCASTSS),
            &operands,
            ones,
            0,
        );
    }
}
