//! Between uniform and varying, and between lanes.

use super::integer::SWAP_MIDDLE;
use super::{Lower, Src};
use crate::shader::codegen::x64::encoder::{Cond, Isa};
use crate::shader::codegen::x64::inst::{Kind, Shape};
use crate::shader::codegen::x64::opcodes;
use crate::shader::codegen::x64::pool::Vector;
use crate::shader::ir::{self, Op};
use regalloc2::{Operand, VReg};

impl Lower<'_> {
    pub(super) fn lower_lanes(&mut self, inst: &ir::Inst) -> bool {
        let d = self.dst(inst.result);
        match inst.op {
            Op::VSplat => {
                if self.vector_const(inst.result).is_none() {
                    let a = self.reg(inst.args[0]);
                    self.splat_register(d, a);
                }
            }
            Op::VIota => {
                let iota = self.vector(Vector::Iota);
                self.rm(opcodes::MOVAPS, d, iota);
            }
            Op::VReadFirst => self.read_first(inst, d),
            Op::QuadSwizzle => {
                let a = self.src_whole(inst.args[0]);
                self.rm_imm(opcodes::PSHUFD, d, a, inst.imm.to_le_bytes()[0]);
            }
            Op::Shuffle8 => {
                let [a, mut index] = [0, 1].map(|i| self.reg(inst.args[i]));
                if self.wide() {
                    let [low, own] = [(); 2].map(|()| self.vtemp());
                    let seven = self.splat(7);
                    self.rvm(opcodes::PAND, low, index, seven);
                    let base = self.vector(Vector::GroupBase);
                    self.rvm(opcodes::POR, own, low, base);
                    index = own;
                }
                self.rvm(opcodes::PERMD, d, index, Src::Reg(a));
            }
            _ => return false,
        }
        true
    }

    /// As [`Self::src`]; shuffles of constants are not worth more.
    fn src_whole(&mut self, value: ir::Value) -> Src {
        Src::Reg(self.reg(value))
    }

    /// A general register in every lane.
    pub(super) fn splat_register(&mut self, d: VReg, a: VReg) {
        match self.isa {
            Isa::Avx2 => {
                let word = self.vtemp();
                self.rm(opcodes::MOVD_LOAD, word, Src::Reg(a));
                self.rm(opcodes::PBROADCASTD, d, Src::Reg(word));
            }
            Isa::Avx512 => self.rm(opcodes::PBROADCASTD_R, d, Src::Reg(a)),
        }
    }

    fn read_first(&mut self, inst: &ir::Inst, d: VReg) {
        let [a, mask] = [0, 1].map(|i| self.reg(inst.args[i]));
        let first = self.vtemp();
        if self.wide() {
            // Compression moves the lowest lane of the mask to the front and fills up with zeros.
            let operands = [
                Operand::reg_def(first),
                Operand::reg_use(mask),
                Operand::reg_use(a),
            ];
            let kind = Kind::Vector(Shape::MkrZero, opcodes::PCOMPRESSD);
            self.emit(kind, &operands, Src::None, 0);
            self.mr_imm(opcodes::MOVD_STORE, d, first, 0);
            return;
        }
        let [bits, lane, word] = [(); 3].map(|()| self.itemp());
        let index = self.vtemp();
        self.mask_bits(bits, mask);
        self.emit(Kind::Tzcnt, &[Operand::reg_def(lane)], Src::Reg(bits), 0);
        self.rm(opcodes::MOVD_LOAD, index, Src::Reg(lane));
        self.rvm(opcodes::PERMD, first, index, Src::Reg(a));
        self.mr_imm(opcodes::MOVD_STORE, word, first, 0);
        // An empty mask has no bits: they are the zero that is wanted then.
        self.emit(Kind::Test, &[Operand::reg_use(bits)], Src::None, 0);
        let kind = Kind::Cmov {
            cond: Cond::Equal,
            wide: false,
        };
        self.tied(kind, d, word, Src::Reg(bits), 0);
    }

    /// Swaps the middle quarters of a vector.
    pub(super) fn swap_middle(&mut self, d: VReg, a: VReg) {
        self.rm_imm(opcodes::PERMQ, d, Src::Reg(a), SWAP_MIDDLE);
    }
}
