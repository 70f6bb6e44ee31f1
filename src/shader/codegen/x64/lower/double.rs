//! Varying doubles. The words of four (eight) lanes next to each other make a vector of doubles, which is what unpacking
//! within 128 bits gives; shuffling takes the wanted words of two such results back in order.

use super::{Lower, Src};
use crate::shader::codegen::x64::inst::{Kind, Shape};
use crate::shader::codegen::x64::opcodes::{self, Opcode};
use crate::shader::ir::{self, Op, Value};
use regalloc2::{Operand, VReg};

/// Operations that are one instruction of two operands.
fn direct(op: Op) -> Option<Opcode> {
    Some(match op {
        Op::DAdd => opcodes::ADDPD,
        Op::DSub => opcodes::SUBPD,
        Op::DMul => opcodes::MULPD,
        Op::DDiv => opcodes::DIVPD,
        _ => return None,
    })
}

impl Lower<'_> {
    pub(super) fn lower_double(&mut self, inst: &ir::Inst) -> bool {
        let args = &inst.args;
        let results = match inst.op {
            Op::DFma => self.double_fma(inst),
            Op::DSqrt | Op::DRound => {
                let (op, imm) = match inst.op {
                    Op::DSqrt => (opcodes::SQRTPD, 0),
                    // Nearest, below, above, towards zero; without the inexact exception.
                    _ => (opcodes::ROUNDPD, 8 | (inst.imm >> 1 & 3).to_le_bytes()[0]),
                };
                let [d0, d1] = [(); 2].map(|()| self.vtemp());
                let [a0, a1] = self.doubles(args[0], args[1]);
                self.rm_imm(op, d0, Src::Reg(a0), imm);
                self.rm_imm(op, d1, Src::Reg(a1), imm);
                [d0, d1]
            }
            op => {
                let Some(op) = direct(op) else {
                    return false;
                };
                let [d0, d1] = [(); 2].map(|()| self.vtemp());
                let [a0, a1] = self.doubles(args[0], args[1]);
                let [b0, b1] = self.doubles(args[2], args[3]);
                self.rvm(op, d0, a0, Src::Reg(b0));
                self.rvm(op, d1, a1, Src::Reg(b1));
                [d0, d1]
            }
        };
        let words = if inst.imm & 1 == 0 {
            0b10_00_10_00
        } else {
            0b11_01_11_01
        };
        let d = self.dst(inst.result);
        self.rvm_imm(opcodes::SHUFPS, d, results[0], Src::Reg(results[1]), words);
        true
    }

    /// Words of doubles as two vectors of doubles: the lanes 0, 1 and 2, 3 of each four.
    fn doubles(&mut self, low: Value, high: Value) -> [VReg; 2] {
        let [first, second] = [(); 2].map(|()| self.vtemp());
        let [low, high] = [low, high].map(|value| self.reg(value));
        self.rvm(opcodes::PUNPCKLDQ, first, low, Src::Reg(high));
        self.rvm(opcodes::PUNPCKHDQ, second, low, Src::Reg(high));
        [first, second]
    }

    fn double_fma(&mut self, inst: &ir::Inst) -> [VReg; 2] {
        let args = &inst.args;
        let [d0, d1] = [(); 2].map(|()| self.vtemp());
        let [a0, a1] = self.doubles(args[0], args[1]);
        let [b0, b1] = self.doubles(args[2], args[3]);
        let [c0, c1] = self.doubles(args[4], args[5]);
        for (d, a, b, c) in [(d0, a0, b0, c0), (d1, a1, b1, c1)] {
            let operands = [
                Operand::reg_reuse_def(d, 1),
                Operand::reg_use(c),
                Operand::reg_use(a),
            ];
            self.emit(
                Kind::Vector(Shape::Rtvm, opcodes::FMADD231PD),
                &operands,
                Src::Reg(b),
                0,
            );
        }
        [d0, d1]
    }
}
