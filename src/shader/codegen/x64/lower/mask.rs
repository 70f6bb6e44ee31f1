//! Comparisons of lanes, masks and selection. Masks are vectors of zeros and ones at 8 lanes, and k registers
//! at 16.

use super::{Lower, Src};
use crate::shader::codegen::x64::encoder::{Cond, Isa};
use crate::shader::codegen::x64::inst::{Kind, Shape};
use crate::shader::codegen::x64::opcodes::{self, Opcode};
use crate::shader::codegen::x64::pool::Vector;
use crate::shader::ir::{self, Op, Value};
use regalloc2::{Operand, VReg};

/// Predicates of `VCMPPS`, as they are and with the operands exchanged.
fn float_predicate(op: Op) -> Option<(u8, u8)> {
    Some(match op {
        Op::FEq => (0x00, 0x00),
        Op::FNe => (0x04, 0x04),
        Op::FLt => (0x11, 0x1e),
        Op::FLe => (0x12, 0x1d),
        Op::FUno => (0x03, 0x03),
        _ => return None,
    })
}

/// Predicates of `VPCMPD` and `VPCMPUD`, as they are and with the operands exchanged.
fn integer_predicate(op: Op) -> Option<(Opcode, u8, u8)> {
    Some(match op {
        Op::VEq => (opcodes::PCMPD, 0, 0),
        Op::VNe => (opcodes::PCMPD, 4, 4),
        Op::VLtS => (opcodes::PCMPD, 1, 6),
        Op::VLeS => (opcodes::PCMPD, 2, 5),
        Op::VLtU => (opcodes::PCMPUD, 1, 6),
        Op::VLeU => (opcodes::PCMPUD, 2, 5),
        _ => return None,
    })
}

/// Operations on two masks, for vectors and for k registers.
fn logic(op: Op) -> Option<(Opcode, Opcode)> {
    Some(match op {
        Op::MOr => (opcodes::ORPS, opcodes::KORW),
        Op::MXor => (opcodes::XORPS, opcodes::KXORW),
        _ => return None,
    })
}

/// What a value is compared with.
#[derive(Clone, Copy)]
enum Limit {
    Const(u32),
    Value(Value),
}

impl Lower<'_> {
    pub(super) fn lower_mask(&mut self, inst: &ir::Inst) -> bool {
        if let Some((as_is, exchanged)) = float_predicate(inst.op) {
            self.compare_lanes(inst, opcodes::CMPPS, as_is, exchanged);
            return true;
        }
        if let Some((op, as_is, exchanged)) = integer_predicate(inst.op) {
            match self.isa {
                Isa::Avx2 => self.compare_integers_8(inst),
                Isa::Avx512 => self.compare_lanes(inst, op, as_is, exchanged),
            }
            return true;
        }
        if matches!(inst.op, Op::MAnd | Op::MAndNot) {
            self.mask_and(inst);
            return true;
        }
        if let Some((vector, k)) = logic(inst.op) {
            let args = [0, 1].map(|i| self.reg(inst.args[i]));
            let d = self.dst(inst.result);
            let op = if self.wide() { k } else { vector };
            self.rvm(op, d, args[0], Src::Reg(args[1]));
            return true;
        }
        match inst.op {
            Op::MNot => {
                let a = self.reg(inst.args[0]);
                let d = self.dst(inst.result);
                self.mask_not(d, a);
            }
            Op::MAny => {
                if let Some(cond) = self.any(inst) {
                    let d = self.dst(inst.result);
                    self.emit(Kind::Set(cond), &[Operand::reg_def(d)], Src::None, 0);
                }
            }
            Op::MBits => {
                let mask = self.reg(inst.args[0]);
                let d = self.dst(inst.result);
                self.mask_bits(d, mask);
            }
            Op::MFromBits => {
                let bits = self.reg(inst.args[0]);
                let d = self.dst(inst.result);
                self.mask_from_bits(d, bits);
            }
            Op::MBallot8 => self.ballot(inst),
            Op::VSelect => self.select_lanes(inst),
            Op::MConst => {}
            _ => return false,
        }
        true
    }

    fn compare_lanes(&mut self, inst: &ir::Inst, op: Opcode, as_is: u8, exchanged: u8) {
        let (mut a, mut b, mut predicate) = (inst.args[0], inst.args[1], as_is);
        if self.in_memory(a) && !self.in_memory(b) {
            std::mem::swap(&mut a, &mut b);
            predicate = exchanged;
        }
        let d = self.dst(inst.result);
        let a = self.reg(a);
        let b = self.src(b);
        self.rvm_imm(op, d, a, b, predicate);
    }

    /// A mask as the operand of something that can do with its inverse: true with that.
    fn mask_or_inverse(&mut self, mask: Value) -> (VReg, bool) {
        if let Some(not) = self.local_once(mask, Op::MNot) {
            return (self.reg(not.args[0]), true);
        }
        let compare = [Op::VNe, Op::VLeS, Op::VLtU]
            .into_iter()
            .find_map(|op| self.local_once(mask, op))
            .filter(|inst| !self.wide() && self.is_inverse_8(inst));
        if let Some(inst) = compare {
            let d = self.vtemp();
            self.compare_8(d, inst);
            return (d, true);
        }
        (self.reg(mask), false)
    }

    fn mask_and(&mut self, inst: &ir::Inst) {
        let (a, mut a_inverted) = self.mask_or_inverse(inst.args[0]);
        let (b, b_inverted) = self.mask_or_inverse(inst.args[1]);
        let b_inverted = b_inverted != (inst.op == Op::MAndNot);
        let d = self.dst(inst.result);
        let (mut a, mut b) = (a, b);
        if a_inverted && b_inverted {
            let plain = self.temp(self.mask_class());
            self.mask_not(plain, a);
            (a, a_inverted) = (plain, false);
        }
        let (and, and_not) = if self.wide() {
            (opcodes::KANDW, opcodes::KANDNW)
        } else {
            (opcodes::ANDPS, opcodes::ANDNPS)
        };
        // The first operand is the one that the instruction inverts.
        if b_inverted {
            std::mem::swap(&mut a, &mut b);
        }
        let op = if a_inverted || b_inverted { and_not } else { and };
        self.rvm(op, d, a, Src::Reg(b));
    }

    fn compare_integers_8(&mut self, inst: &ir::Inst) {
        let d = self.dst(inst.result);
        if self.is_inverse_8(inst) {
            let inverse = self.vtemp();
            self.compare_8(inverse, inst);
            self.mask_not(d, inverse);
        } else {
            self.compare_8(d, inst);
        }
    }

    /// Whether [`Self::compare_8`] gives the inverse of a comparison.
    fn is_inverse_8(&self, inst: &ir::Inst) -> bool {
        match inst.op {
            Op::VNe | Op::VLeS => true,
            Op::VLtU => self.neighbours(inst) == (None, None),
            _ => false,
        }
    }

    /// What is just above a constant `a` and just below a constant `b`.
    fn neighbours(&self, inst: &ir::Inst) -> (Option<u32>, Option<u32>) {
        let above = self.vector_const(inst.args[0]);
        let below = self.vector_const(inst.args[1]);
        (
            above.and_then(|bits| bits.checked_add(1)),
            below.and_then(|bits| bits.checked_sub(1)),
        )
    }

    /// AVX2 has equality and signed "greater"; the others are made of those, or their inverses are.
    fn compare_8(&mut self, d: VReg, inst: &ir::Inst) {
        let (a, b) = (inst.args[0], inst.args[1]);
        match inst.op {
            Op::VEq | Op::VNe => self.equal_8(d, a, b),
            // a < b is b > a.
            Op::VLtS => self.greater_8(d, b, a),
            Op::VLeS => self.greater_8(d, a, b),
            Op::VLtU => match self.neighbours(inst) {
                // Against a constant it is "at most" or "at least" its neighbour.
                (_, Some(limit)) => self.extreme_is_first_8(d, opcodes::PMINUD, a, Limit::Const(limit)),
                (Some(limit), _) => self.extreme_is_first_8(d, opcodes::PMAXUD, b, Limit::Const(limit)),
                (None, None) => self.extreme_is_first_8(d, opcodes::PMAXUD, a, Limit::Value(b)),
            },
            // a <= b if a is the lesser.
            _ => self.extreme_is_first_8(d, opcodes::PMINUD, a, Limit::Value(b)),
        }
    }

    fn equal_8(&mut self, d: VReg, a: Value, b: Value) {
        let (a, b) = if self.in_memory(a) { (b, a) } else { (a, b) };
        let a = self.reg(a);
        let b = self.src(b);
        self.rvm(opcodes::PCMPEQD, d, a, b);
    }

    fn greater_8(&mut self, d: VReg, a: Value, b: Value) {
        let a = self.reg(a);
        let b = self.src(b);
        self.rvm(opcodes::PCMPGTD, d, a, b);
    }

    /// `d = op(a, b) == a`, for minimum or maximum.
    fn extreme_is_first_8(&mut self, d: VReg, op: Opcode, a: Value, b: Limit) {
        let extreme = self.vtemp();
        let a = self.reg(a);
        let b = match b {
            Limit::Const(bits) => self.splat(bits),
            Limit::Value(value) => self.src(value),
        };
        self.rvm(op, extreme, a, b);
        self.rvm(opcodes::PCMPEQD, d, extreme, Src::Reg(a));
    }

    fn mask_not(&mut self, d: VReg, a: VReg) {
        match self.isa {
            Isa::Avx2 => {
                let ones = self.splat(u32::MAX);
                self.rvm(opcodes::XORPS, d, a, ones);
            }
            Isa::Avx512 => self.rm(opcodes::KNOTW, d, Src::Reg(a)),
        }
    }

    /// One bit a lane in a general register.
    pub(super) fn mask_bits(&mut self, d: VReg, mask: VReg) {
        let op = match self.isa {
            Isa::Avx2 => opcodes::MOVMSKPS,
            Isa::Avx512 => opcodes::KMOVW_TO_R,
        };
        self.rm(op, d, Src::Reg(mask));
    }

    pub(super) fn mask_from_bits(&mut self, d: VReg, bits: VReg) {
        match self.isa {
            Isa::Avx2 => {
                let [word, all, own] = [(); 3].map(|()| self.vtemp());
                self.rm(opcodes::MOVD_LOAD, word, Src::Reg(bits));
                self.rm(opcodes::PBROADCASTD, all, Src::Reg(word));
                let lane_bit = self.vector(Vector::LaneBit);
                self.rvm(opcodes::PAND, own, all, lane_bit);
                self.rvm(opcodes::PCMPEQD, d, own, lane_bit);
            }
            Isa::Avx512 => self.rm(opcodes::KMOVW_FROM_R, d, Src::Reg(bits)),
        }
    }

    /// Sets the flags from a mask, if `inst` is `m.any`.
    pub(super) fn any(&mut self, inst: &ir::Inst) -> Option<Cond> {
        if inst.op != Op::MAny {
            return None;
        }
        let (op, a, b) = match self.local_once(inst.args[0], Op::MAnd) {
            Some(and) => {
                let op = if self.wide() {
                    opcodes::KTESTW
                } else {
                    opcodes::TESTPS
                };
                (op, self.reg(and.args[0]), self.reg(and.args[1]))
            }
            None if self.wide() => {
                let mask = self.reg(inst.args[0]);
                (opcodes::KORTESTW, mask, mask)
            }
            None => {
                let (mask, bits) = (self.reg(inst.args[0]), self.itemp());
                self.mask_bits(bits, mask);
                self.emit(Kind::Test, &[Operand::reg_use(bits)], Src::None, 0);
                return Some(Cond::NotEqual);
            }
        };
        let kind = Kind::Vector(Shape::Rm, op);
        self.emit(kind, &[Operand::reg_use(a)], Src::Reg(b), 0);
        Some(Cond::NotEqual)
    }

    fn ballot(&mut self, inst: &ir::Inst) {
        let mask = self.reg(inst.args[0]);
        let bits = self.itemp();
        self.mask_bits(bits, mask);
        let d = self.dst(inst.result);
        match self.isa {
            Isa::Avx2 => self.splat_register(d, bits),
            Isa::Avx512 => {
                let [all, own] = [(); 2].map(|()| self.vtemp());
                self.splat_register(all, bits);
                let base = self.vector(Vector::GroupBase);
                self.rvm(opcodes::PSRLVD, own, all, base);
                let byte = self.splat(0xff);
                self.rvm(opcodes::PAND, d, own, byte);
            }
        }
    }

    fn select_lanes(&mut self, inst: &ir::Inst) {
        let (mut yes, mut no) = (inst.args[1], inst.args[2]);
        let d = self.dst(inst.result);
        let (mask, inverted) = self.mask_or_inverse(inst.args[0]);
        if inverted {
            std::mem::swap(&mut yes, &mut no);
        }
        let zero_else = self.vector_const(no) == Some(0);
        match self.isa {
            Isa::Avx2 if zero_else => {
                let yes = self.src(yes);
                self.rvm(opcodes::ANDPS, d, mask, yes);
            }
            Isa::Avx2 if self.vector_const(yes) == Some(0) => {
                let no = self.src(no);
                self.rvm(opcodes::ANDNPS, d, mask, no);
            }
            Isa::Avx2 => {
                let no = self.reg(no);
                let yes = self.src(yes);
                let operands = [Operand::reg_def(d), Operand::reg_use(no), Operand::reg_use(mask)];
                let kind = Kind::Vector(Shape::Rvim, opcodes::BLENDVPS);
                self.emit(kind, &operands, yes, 0);
            }
            Isa::Avx512 if zero_else => {
                let (op, yes) = match self.vector_const(yes) {
                    Some(bits) => (opcodes::BROADCASTSS, self.splat(bits)),
                    None => (opcodes::MOVAPS, Src::Reg(self.reg(yes))),
                };
                let operands = [Operand::reg_def(d), Operand::reg_use(mask)];
                self.emit(Kind::Vector(Shape::RkmZero, op), &operands, yes, 0);
            }
            Isa::Avx512 => {
                let no = self.reg(no);
                let yes = self.src(yes);
                let operands = [Operand::reg_def(d), Operand::reg_use(mask), Operand::reg_use(no)];
                let kind = Kind::Vector(Shape::Rkvm, opcodes::BLENDMPS);
                self.emit(kind, &operands, yes, 0);
            }
        }
    }
}
