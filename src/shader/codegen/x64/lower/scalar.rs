//! Uniform integers and truth values, in general registers.

use super::{Lower, Src};
use crate::shader::codegen::x64::encoder::Cond;
use crate::shader::codegen::x64::inst::{Alu, Kind, Shape, Shift};
use crate::shader::codegen::x64::opcodes::{self, Opcode};
use crate::shader::codegen::x64::regs::{self, RAX, RDX};
use crate::shader::ir::{self, Op, Value};
use regalloc2::{Operand, VReg};

/// How a comparison reads the flags of `a - b`, and whether it is of 64 bits.
fn comparison(op: Op) -> Option<(Cond, bool)> {
    Some(match op {
        Op::SEq => (Cond::Equal, false),
        Op::SNe => (Cond::NotEqual, false),
        Op::SLtS => (Cond::Less, false),
        Op::SLeS => (Cond::LessEqual, false),
        Op::SLtU => (Cond::Below, false),
        Op::SLeU => (Cond::BelowEqual, false),
        Op::LEq => (Cond::Equal, true),
        Op::LLtU => (Cond::Below, true),
        Op::LLtS => (Cond::Less, true),
        _ => return None,
    })
}

/// The same condition with the operands exchanged.
fn mirrored(cond: Cond) -> Cond {
    match cond {
        Cond::Less => Cond::Greater,
        Cond::LessEqual => Cond::GreaterEqual,
        Cond::Below => Cond::Above,
        Cond::BelowEqual => Cond::AboveEqual,
        other => other,
    }
}

fn shift(op: Op) -> Option<(Shift, Opcode, bool)> {
    Some(match op {
        Op::SShl => (Shift::Left, opcodes::SHLX32, false),
        Op::SShr => (Shift::Right, opcodes::SHRX32, false),
        Op::SSar => (Shift::Arithmetic, opcodes::SARX32, false),
        Op::LShl => (Shift::Left, opcodes::SHLX64, true),
        Op::LShr => (Shift::Right, opcodes::SHRX64, true),
        Op::LSar => (Shift::Arithmetic, opcodes::SARX64, true),
        _ => return None,
    })
}

/// Bitwise operations and differences: x86 name, 64 bits, commutative.
fn two_operand(op: Op) -> Option<(Alu, bool, bool)> {
    Some(match op {
        Op::BAnd | Op::SAnd => (Alu::And, false, true),
        Op::BOr | Op::SOr => (Alu::Or, false, true),
        Op::BXor | Op::SXor => (Alu::Xor, false, true),
        Op::SSub => (Alu::Sub, false, false),
        Op::LAnd => (Alu::And, true, true),
        Op::LOr => (Alu::Or, true, true),
        Op::LXor => (Alu::Xor, true, true),
        Op::LSub => (Alu::Sub, true, false),
        _ => return None,
    })
}

impl Lower<'_> {
    pub(super) fn lower_scalar(&mut self, inst: &ir::Inst) -> bool {
        if let Some((alu, wide, commutative)) = two_operand(inst.op) {
            self.alu(inst, alu, wide, commutative);
            return true;
        }
        if let Some((by_imm, by_reg, wide)) = shift(inst.op) {
            self.shift(inst, by_imm, by_reg, wide);
            return true;
        }
        if let Some(cond) = self.compare(inst) {
            let d = self.dst(inst.result);
            self.emit(Kind::Set(cond), &[Operand::reg_def(d)], Src::None, 0);
            return true;
        }
        match inst.op {
            Op::SAdd => self.add(inst, false),
            Op::LAdd => self.add(inst, true),
            Op::SMul => self.multiply(inst, false),
            Op::LMul => self.multiply(inst, true),
            Op::SMinS => self.min_max(inst, Cond::Greater),
            Op::SMaxS => self.min_max(inst, Cond::Less),
            Op::SMinU => self.min_max(inst, Cond::Above),
            Op::SMaxU => self.min_max(inst, Cond::Below),
            Op::SDivU => self.divide(inst, false, false),
            Op::SDivS => self.divide(inst, true, false),
            Op::SRemU => self.divide(inst, false, true),
            Op::SRemS => self.divide(inst, true, true),
            Op::SSelect => self.select(inst, false),
            Op::LSelect => self.select(inst, true),
            Op::BNot => {
                let a = self.reg(inst.args[0]);
                let d = self.dst(inst.result);
                self.tied(
                    Kind::Alu {
                        op: Alu::Xor,
                        wide: false,
                    },
                    d,
                    a,
                    Src::Imm,
                    1,
                );
            }
            Op::LSext | Op::LTrunc => {
                let a = self.reg(inst.args[0]);
                let d = self.dst(inst.result);
                let kind = if inst.op == Op::LSext {
                    Kind::Movsxd
                } else {
                    Kind::Mov32
                };
                self.emit(kind, &[Operand::reg_def(d)], Src::Reg(a), 0);
            }
            // Folded where they are used.
            Op::LZext | Op::SConst | Op::LConst | Op::BConst => {}
            _ => return false,
        }
        true
    }

    /// An instruction whose result takes the register of its first operand.
    pub(super) fn tied(&mut self, kind: Kind, d: VReg, a: VReg, src: Src, imm: i64) {
        let operands = [Operand::reg_reuse_def(d, 1), Operand::reg_use(a)];
        self.emit(kind, &operands, src, imm);
    }

    /// A constant that fits an immediate field.
    fn immediate(&self, value: Value) -> Option<i32> {
        self.scalar_const(value)
            .and_then(|value| i32::try_from(value).ok())
    }

    fn alu(&mut self, inst: &ir::Inst, op: Alu, wide: bool, commutative: bool) {
        let (mut a, mut b) = (inst.args[0], inst.args[1]);
        if commutative && self.immediate(a).is_some() {
            std::mem::swap(&mut a, &mut b);
        }
        let d = self.dst(inst.result);
        let ra = self.reg(a);
        let kind = Kind::Alu { op, wide };
        if let Some(imm) = self.immediate(b) {
            self.tied(kind, d, ra, Src::Imm, i64::from(imm));
        } else {
            let rb = self.reg(b);
            self.tied(kind, d, ra, Src::Reg(rb), 0);
        }
    }

    fn add(&mut self, inst: &ir::Inst, wide: bool) {
        let (mut a, mut b) = (inst.args[0], inst.args[1]);
        if self.immediate(a).is_some() {
            std::mem::swap(&mut a, &mut b);
        }
        let base = self.reg(a);
        let (index, disp) = match self.immediate(b) {
            Some(imm) => (None, imm),
            None => (Some(self.reg(b)), 0),
        };
        let src = Src::Mem(super::Address {
            base: Some(base),
            index,
            scale: 0,
            disp,
            broadcast: false,
            site: super::NO_SITE,
        });
        let d = self.dst(inst.result);
        self.emit(Kind::Lea { wide }, &[Operand::reg_def(d)], src, 0);
    }

    fn multiply(&mut self, inst: &ir::Inst, wide: bool) {
        let (mut a, mut b) = (inst.args[0], inst.args[1]);
        if self.immediate(a).is_some() {
            std::mem::swap(&mut a, &mut b);
        }
        let d = self.dst(inst.result);
        let ra = self.reg(a);
        if let Some(imm) = self.immediate(b) {
            let operands = [Operand::reg_def(d)];
            self.emit_multiply_imm(&operands, ra, wide, imm);
        } else {
            let rb = self.reg(b);
            self.tied(Kind::Imul { wide }, d, ra, Src::Reg(rb), 0);
        }
    }

    fn emit_multiply_imm(&mut self, operands: &[Operand], a: VReg, wide: bool, imm: i32) {
        self.emit(Kind::ImulImm { wide }, operands, Src::Reg(a), i64::from(imm));
    }

    fn shift(&mut self, inst: &ir::Inst, by_imm: Shift, by_reg: Opcode, wide: bool) {
        let a = self.reg(inst.args[0]);
        let d = self.dst(inst.result);
        let limit = if wide { 63 } else { 31 };
        if let Some(count) = self.scalar_const(inst.args[1]) {
            self.tied(Kind::ShiftImm { op: by_imm, wide }, d, a, Src::Imm, count & limit);
        } else {
            let count = self.reg(inst.args[1]);
            let operands = [Operand::reg_def(d), Operand::reg_use(count)];
            self.emit(Kind::Vector(Shape::Rvm, by_reg), &operands, Src::Reg(a), 0);
        }
    }

    /// `a`, replaced by `b` where `a <cond> b`.
    fn min_max(&mut self, inst: &ir::Inst, cond: Cond) {
        let [a, b] = [0, 1].map(|i| self.reg(inst.args[i]));
        self.emit(Kind::Cmp { wide: false }, &[Operand::reg_use(a)], Src::Reg(b), 0);
        let d = self.dst(inst.result);
        self.tied(Kind::Cmov { cond, wide: false }, d, a, Src::Reg(b), 0);
    }

    fn divide(&mut self, inst: &ir::Inst, signed: bool, remainder: bool) {
        let [a, b] = [0, 1].map(|i| self.reg(inst.args[i]));
        let other = self.itemp();
        let (d, rax, rdx) = (self.dst(inst.result), regs::int(RAX), regs::int(RDX));
        let (quotient, rest) = if remainder { (other, d) } else { (d, other) };
        let operands = [
            Operand::reg_fixed_def(quotient, rax),
            Operand::reg_fixed_def_at_start(rest, rdx),
            Operand::reg_fixed_use(a, rax),
            Operand::reg_use(b),
        ];
        self.emit(Kind::Div { signed }, &operands, Src::None, 0);
    }

    fn select(&mut self, inst: &ir::Inst, wide: bool) {
        // Both values first: making a constant must not come between the flags and their use.
        let [a, b] = [1, 2].map(|i| self.reg(inst.args[i]));
        let cond = self.condition(inst.args[0]);
        let d = self.dst(inst.result);
        self.tied(Kind::Cmov { cond, wide }, d, b, Src::Reg(a), 0);
    }

    /// Sets the flags by a comparison, if `inst` is one.
    pub(super) fn compare(&mut self, inst: &ir::Inst) -> Option<Cond> {
        let (mut cond, wide) = comparison(inst.op)?;
        let (mut a, mut b) = (inst.args[0], inst.args[1]);
        if self.immediate(a).is_some() && self.immediate(b).is_none() {
            std::mem::swap(&mut a, &mut b);
            cond = mirrored(cond);
        }
        let ra = self.reg(a);
        let kind = Kind::Cmp { wide };
        match self.immediate(b) {
            Some(0) if !wide && matches!(cond, Cond::Equal | Cond::NotEqual) => {
                self.emit(Kind::Test, &[Operand::reg_use(ra)], Src::None, 0);
            }
            Some(imm) => self.emit(kind, &[Operand::reg_use(ra)], Src::Imm, i64::from(imm)),
            None => {
                let rb = self.reg(b);
                self.emit(kind, &[Operand::reg_use(ra)], Src::Reg(rb), 0);
            }
        }
        Some(cond)
    }
}
