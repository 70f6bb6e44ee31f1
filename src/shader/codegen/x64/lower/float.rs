//! Varying floats. Operands are exchanged only where that cannot change which NaN comes out.

use super::{Lower, Src};
use crate::shader::codegen::x64::encoder::Isa;
use crate::shader::codegen::x64::inst::{Kind, Shape};
use crate::shader::codegen::x64::opcodes::{self, Opcode};
use crate::shader::codegen::x64::pool::Vector;
use crate::shader::ir::{self, Op, Value};
use regalloc2::Operand;

/// Operations that are one instruction of two operands, and whether those commute but for NaNs.
fn direct(op: Op) -> Option<(Opcode, bool)> {
    Some(match op {
        Op::FAdd => (opcodes::ADDPS, true),
        Op::FSub => (opcodes::SUBPS, false),
        Op::FMul => (opcodes::MULPS, true),
        Op::FDiv => (opcodes::DIVPS, false),
        Op::FMin => (opcodes::MINPS, false),
        Op::FMax => (opcodes::MAXPS, false),
        _ => return None,
    })
}

/// Operations that are one instruction of one operand, with its immediate.
fn unary(op: Op) -> Option<(Opcode, u8)> {
    Some(match op {
        Op::FSqrt => (opcodes::SQRTPS, 0),
        Op::FFloor => (opcodes::ROUNDPS, 9),
        Op::FCeil => (opcodes::ROUNDPS, 10),
        Op::FTrunc => (opcodes::ROUNDPS, 11),
        Op::FRound => (opcodes::ROUNDPS, 8),
        Op::FToI => (opcodes::CVTTPS2DQ, 0),
        Op::IToF => (opcodes::CVTDQ2PS, 0),
        _ => return None,
    })
}

impl Lower<'_> {
    pub(super) fn lower_float(&mut self, inst: &ir::Inst) -> bool {
        if let Some((op, commutative)) = direct(inst.op) {
            let (mut a, mut b) = (inst.args[0], inst.args[1]);
            if commutative && self.number(a) && !self.in_memory(b) {
                std::mem::swap(&mut a, &mut b);
            }
            let d = self.dst(inst.result);
            let a = self.reg(a);
            let b = self.src(b);
            self.rvm(op, d, a, b);
            return true;
        }
        if let Some((op, imm)) = unary(inst.op) {
            let d = self.dst(inst.result);
            let a = self.src(inst.args[0]);
            self.rm_imm(op, d, a, imm);
            return true;
        }
        match inst.op {
            Op::Fma => self.fma(inst),
            Op::FToU => self.float_to_unsigned(inst),
            Op::UToF => self.unsigned_to_float(inst),
            Op::HToF => self.half_to_float(inst),
            Op::FToH => self.float_to_half(inst),
            _ => return false,
        }
        true
    }

    /// Whether a value is a constant and not a NaN.
    fn number(&self, value: Value) -> bool {
        self.vector_const(value)
            .is_some_and(|bits| !f32::from_bits(bits).is_nan())
    }

    /// The three forms differ in which operand the result replaces, which may be in memory, and which NaN
    /// wins: the first factor of the form's name, then the second, then the addend. The IR's order is `b`,
    /// `a`, `c`, which suits Horner's rule with its constant addend.
    fn fma(&mut self, inst: &ir::Inst) {
        let (mut x, mut y, z) = (inst.args[1], inst.args[0], inst.args[2]);
        if self.number(x) && !self.number(y) {
            std::mem::swap(&mut x, &mut y);
        }
        let y_memory = self.in_memory(y) && (self.number(y) || self.vector_const(y).is_none());
        let z_memory = self.in_memory(z);
        // 132: x * rm + z into x; 213: x * y + rm into y; 231: x * rm + z' into z.
        let (op, tied, second, last) = if z_memory {
            (opcodes::FMADD213PS, y, x, z)
        } else if y_memory {
            if !self.dies(z) && self.dies(x) {
                (opcodes::FMADD132PS, x, z, y)
            } else {
                (opcodes::FMADD231PS, z, x, y)
            }
        } else if self.dies(z) {
            (opcodes::FMADD231PS, z, x, y)
        } else if self.dies(y) {
            (opcodes::FMADD213PS, y, x, z)
        } else if self.dies(x) {
            (opcodes::FMADD132PS, x, z, y)
        } else {
            (opcodes::FMADD231PS, z, x, y)
        };
        let d = self.dst(inst.result);
        let [tied, second] = [tied, second].map(|value| self.reg(value));
        let last = self.src(last);
        let operands = [
            Operand::reg_reuse_def(d, 1),
            Operand::reg_use(tied),
            Operand::reg_use(second),
        ];
        self.emit(Kind::Vector(Shape::Rtvm, op), &operands, last, 0);
    }

    fn float_to_unsigned(&mut self, inst: &ir::Inst) {
        let a = self.reg(inst.args[0]);
        let d = self.dst(inst.result);
        // Negative numbers and NaNs become 0.
        let positive = self.vtemp();
        let zero = self.splat(0);
        self.rvm(opcodes::MAXPS, positive, a, zero);
        if self.wide() {
            self.rm(opcodes::CVTTPS2UDQ, d, Src::Reg(positive));
            return;
        }
        // From 2^31 on the signed conversion overflows to the top bit, and the rest comes from the number
        // less 2^31; from 2^32 on everything is set.
        let [low, less, high, top, rest, joined, over] = [(); 7].map(|()| self.vtemp());
        let two31 = self.splat(2f32.powi(31).to_bits());
        let two32 = self.splat(2f32.powi(32).to_bits());
        self.rm(opcodes::CVTTPS2DQ, low, Src::Reg(positive));
        self.rvm(opcodes::SUBPS, less, positive, two31);
        self.rm(opcodes::CVTTPS2DQ, high, Src::Reg(less));
        self.shift_imm(opcodes::PSRAD_I, top, low, 31);
        self.rvm(opcodes::PAND, rest, high, Src::Reg(top));
        self.rvm(opcodes::POR, joined, low, Src::Reg(rest));
        self.rvm_imm(opcodes::CMPPS, over, positive, two32, 0x1d);
        self.rvm(opcodes::POR, d, joined, Src::Reg(over));
    }

    fn unsigned_to_float(&mut self, inst: &ir::Inst) {
        let d = self.dst(inst.result);
        if self.wide() {
            let a = self.src(inst.args[0]);
            self.rm(opcodes::CVTUDQ2PS, d, a);
            return;
        }
        // Both halves are exact; the sum rounds once.
        let a = self.reg(inst.args[0]);
        let [high, high_float, low, low_float] = [(); 4].map(|()| self.vtemp());
        self.shift_imm(opcodes::PSRLD_I, high, a, 16);
        self.rm(opcodes::CVTDQ2PS, high_float, Src::Reg(high));
        let mask = self.splat(0xffff);
        self.rvm(opcodes::PAND, low, a, mask);
        self.rm(opcodes::CVTDQ2PS, low_float, Src::Reg(low));
        let two16 = self.splat(65536f32.to_bits());
        let operands = [
            Operand::reg_reuse_def(d, 1),
            Operand::reg_use(low_float),
            Operand::reg_use(high_float),
        ];
        self.emit(
            Kind::Vector(Shape::Rtvm, opcodes::FMADD231PS),
            &operands,
            two16,
            0,
        );
    }

    fn half_to_float(&mut self, inst: &ir::Inst) {
        let a = self.reg(inst.args[0]);
        let d = self.dst(inst.result);
        let packed = self.vtemp();
        match self.isa {
            Isa::Avx2 => {
                let words = self.vtemp();
                let order = self.vector(Vector::PackWords);
                self.rvm(opcodes::PSHUFB, words, a, order);
                self.rm_imm(opcodes::PERMQ, packed, Src::Reg(words), 0b10_00);
            }
            Isa::Avx512 => self.mr_imm(opcodes::PMOVDW, packed, a, 0),
        }
        self.rm(opcodes::CVTPH2PS, d, Src::Reg(packed));
    }

    fn float_to_half(&mut self, inst: &ir::Inst) {
        let a = self.reg(inst.args[0]);
        let d = self.dst(inst.result);
        let packed = self.vtemp();
        self.mr_imm(opcodes::CVTPS2PH, packed, a, 0);
        self.rm(opcodes::PMOVZXWD, d, Src::Reg(packed));
    }
}
