//! Loads and stores at uniform addresses, and gathers.

use super::{Address, Lower, NO_SITE, Src};
use crate::shader::codegen::x64::encoder::Isa;
use crate::shader::codegen::x64::inst::{Kind, Shape, Width};
use crate::shader::codegen::x64::opcodes::{self, Opcode};
use crate::shader::codegen::x64::pool::Vector;
use crate::shader::ir::{self, Op, Value};
use regalloc2::{Operand, VReg};

impl Lower<'_> {
    pub(super) fn lower_memory(&mut self, inst: &ir::Inst) -> bool {
        match inst.op {
            Op::SLoad => self.load(inst, Width::Dword),
            Op::SLoad8 => self.load(inst, Width::Byte),
            Op::SLoad16 => self.load(inst, Width::Word),
            Op::LLoad => self.load(inst, Width::Qword),
            Op::VLoadSplat => self.vector_load(inst, opcodes::BROADCASTSS),
            Op::VLoad => self.vector_load(inst, opcodes::MOVUPS_LOAD),
            Op::VLoadMasked => self.load_masked(inst),
            Op::MLoadBits => self.load_mask(inst),
            Op::SStore => self.store(inst, Width::Dword),
            Op::SStore8 => self.store(inst, Width::Byte),
            Op::SStore16 => self.store(inst, Width::Word),
            Op::LStore => self.store(inst, Width::Qword),
            Op::VStore => {
                let value = self.reg(inst.args[1]);
                let address = self.address(inst);
                let kind = Kind::Vector(Shape::Rm, opcodes::MOVUPS_STORE);
                self.emit(kind, &[Operand::reg_use(value)], Src::Mem(address), 0);
            }
            Op::VStoreMasked => self.store_masked(inst),
            Op::Gather => self.gather(inst),
            Op::GatherP => {
                let [low, high, mask] = [0, 1, 2].map(|i| self.reg(inst.args[i]));
                let d = self.dst(inst.result);
                self.gather_pointers(d, (low, high), mask, inst.imm);
            }
            _ => return false,
        }
        true
    }

    // ---- addresses ---------------------------------------------------------------------------------

    /// The number of a place in the IR that touches memory.
    pub(super) fn site(&mut self, block: u32, inst: u32) -> u32 {
        self.mach.sites.push((block, inst));
        u32::try_from(self.mach.sites.len() - 1).unwrap_or(NO_SITE)
    }

    /// The address of the instruction at hand: its first operand plus its immediate.
    fn address(&mut self, inst: &ir::Inst) -> Address {
        let site = self.site(self.block, self.inst);
        let address = self.fold_address(inst.args[0], inst.imm, true);
        Address { site, ..address }
    }

    /// The address of a load that defines `value` and happens here.
    pub(super) fn address_at(&mut self, value: Value, addr: Value, disp: i64) -> Address {
        let at = self.values[value.index()];
        let site = self.site(at.block, at.inst);
        let address = self.fold_address(addr, disp, true);
        Address { site, ..address }
    }

    /// `addr + disp` with sums folded into the operand. A second register only where `indexed` allows it.
    pub(super) fn fold_address(&mut self, addr: Value, disp: i64, indexed: bool) -> Address {
        let (addr, disp) = self.fold_constants(addr, disp);
        let Ok(disp) = i32::try_from(disp) else {
            return self.far_address(addr, disp);
        };
        let mut address = Address {
            base: None,
            index: None,
            scale: 0,
            disp,
            broadcast: false,
            site: NO_SITE,
        };
        if indexed && let Some(sum) = self.local_once(addr, Op::LAdd) {
            let (mut a, mut b) = (sum.args[0], sum.args[1]);
            if self.scaled(a).is_some() {
                std::mem::swap(&mut a, &mut b);
            }
            let (b, scale) = self.scaled(b).unwrap_or((b, 0));
            address.base = Some(self.reg(a));
            address.index = Some(self.reg(b));
            address.scale = scale;
        } else {
            address.base = Some(self.reg(addr));
        }
        address
    }

    /// Takes constants out of a chain of sums, as long as the displacement stays encodable.
    fn fold_constants(&self, addr: Value, disp: i64) -> (Value, i64) {
        let (mut addr, mut disp) = (addr, disp);
        while let Some(sum) = self.definition(addr).filter(|inst| inst.op == Op::LAdd) {
            let (rest, constant) = match (self.scalar_const(sum.args[0]), self.scalar_const(sum.args[1])) {
                (_, Some(constant)) => (sum.args[0], constant),
                (Some(constant), _) => (sum.args[1], constant),
                _ => break,
            };
            let Some(sum) = disp
                .checked_add(constant)
                .filter(|&sum| i32::try_from(sum).is_ok())
            else {
                break;
            };
            (addr, disp) = (rest, sum);
        }
        (addr, disp)
    }

    /// An index shifted left by what an address can do by itself.
    fn scaled(&self, value: Value) -> Option<(Value, u8)> {
        let shift = self.local_once(value, Op::LShl)?;
        let count = self.scalar_const(shift.args[1])?;
        let scale = u8::try_from(count).ok().filter(|&scale| scale <= 3)?;
        Some((shift.args[0], scale))
    }

    /// An address whose displacement does not fit.
    fn far_address(&mut self, addr: Value, disp: i64) -> Address {
        let base = self.reg(addr);
        let far = self.int_const(disp);
        let sum = Address {
            base: Some(base),
            index: Some(far),
            scale: 0,
            disp: 0,
            broadcast: false,
            site: NO_SITE,
        };
        let d = self.itemp();
        self.emit(Kind::Lea { wide: true }, &[Operand::reg_def(d)], Src::Mem(sum), 0);
        Address {
            base: Some(d),
            index: None,
            ..sum
        }
    }

    // ---- loads and stores --------------------------------------------------------------------------

    fn load(&mut self, inst: &ir::Inst, width: Width) {
        let address = self.address(inst);
        let d = self.dst(inst.result);
        let kind = Kind::Load(width);
        self.emit(kind, &[Operand::reg_def(d)], Src::Mem(address), 0);
    }

    fn store(&mut self, inst: &ir::Inst, width: Width) {
        let value = self.reg(inst.args[1]);
        let address = self.address(inst);
        let kind = Kind::Store(width);
        self.emit(kind, &[Operand::reg_use(value)], Src::Mem(address), 0);
    }

    fn vector_load(&mut self, inst: &ir::Inst, op: Opcode) {
        let address = self.address(inst);
        let d = self.dst(inst.result);
        self.rm(op, d, Src::Mem(address));
    }

    fn load_mask(&mut self, inst: &ir::Inst) {
        let address = self.address(inst);
        let d = self.dst(inst.result);
        match self.isa {
            Isa::Avx2 => {
                let bits = self.itemp();
                let operands = [Operand::reg_def(bits)];
                self.emit(Kind::Load(Width::Byte), &operands, Src::Mem(address), 0);
                self.mask_from_bits(d, bits);
            }
            Isa::Avx512 => self.rm(opcodes::KMOVW, d, Src::Mem(address)),
        }
    }

    fn load_masked(&mut self, inst: &ir::Inst) {
        let mask = self.reg(inst.args[1]);
        let address = self.address(inst);
        let d = self.dst(inst.result);
        let kind = match self.isa {
            Isa::Avx2 => Kind::Vector(Shape::Rvm, opcodes::MASKMOVPS_LOAD),
            Isa::Avx512 => Kind::Vector(Shape::RkmZero, opcodes::MOVUPS_LOAD),
        };
        let operands = [Operand::reg_def(d), Operand::reg_use(mask)];
        self.emit(kind, &operands, Src::Mem(address), 0);
    }

    fn store_masked(&mut self, inst: &ir::Inst) {
        let [value, mask] = [1, 2].map(|i| self.reg(inst.args[i]));
        let address = self.address(inst);
        let uses = [value, mask].map(Operand::reg_use_at_end);
        match self.isa {
            Isa::Avx2 => {
                let bits = self.itemp();
                let operands = [Operand::reg_temp(bits), uses[0], uses[1]];
                let src = Src::Mem(address);
                self.emit_with(Kind::StoreMasked, &operands, src, 0, Operand::reg_use_at_end);
            }
            Isa::Avx512 => {
                let kind = Kind::Vector(Shape::Rkm, opcodes::MOVUPS_STORE);
                self.emit(kind, &uses, Src::Mem(address), 0);
            }
        }
    }

    // ---- gathers -----------------------------------------------------------------------------------

    fn gather(&mut self, inst: &ir::Inst) {
        let [offset, mask] = [1, 2].map(|i| self.reg(inst.args[i]));
        let site = self.site(self.block, self.inst);
        let address = Address {
            index: Some(offset),
            site,
            ..self.fold_address(inst.args[0], inst.imm, false)
        };
        let d = self.dst(inst.result);
        self.emit_gather(opcodes::PGATHERDD, d, mask, address);
    }

    /// The mask is used up, so a copy goes in; the result is started early because the index and the base
    /// must not share its register.
    pub(super) fn emit_gather(&mut self, op: Opcode, d: VReg, mask: VReg, address: Address) {
        let used_up = self.temp(mask.class());
        let operands = [
            Operand::reg_def_at_start(d),
            Operand::reg_reuse_def(used_up, 2),
            Operand::reg_use(mask),
        ];
        let src = Src::Mem(address);
        self.emit_with(Kind::Gather(op), &operands, src, 0, Operand::reg_use_at_end);
    }

    pub(super) fn gather_pointers(&mut self, d: VReg, (low, high): (VReg, VReg), mask: VReg, disp: i64) {
        let (low, high, disp) = self.near_pointers(low, high, disp);
        let site = self.site(self.block, self.inst);
        let at = |index: VReg| Address {
            base: None,
            index: Some(index),
            scale: 0,
            disp,
            broadcast: false,
            site,
        };
        let [first, second] = [(); 2].map(|()| self.vtemp());
        match self.isa {
            Isa::Avx2 => {
                // Unpacking takes lanes 0 1 4 5, then 2 3 6 7: the middle changes places first, so that lanes are
                // accessed in order and the lowest one at fault is met first.
                let [low_mixed, high_mixed, near, far, mask_far] = [(); 5].map(|()| self.vtemp());
                self.swap_middle(low_mixed, low);
                self.swap_middle(high_mixed, high);
                self.rvm(opcodes::PUNPCKLDQ, near, low_mixed, Src::Reg(high_mixed));
                self.rvm(opcodes::PUNPCKHDQ, far, low_mixed, Src::Reg(high_mixed));
                self.mr_imm(opcodes::EXTRACTI128, mask_far, mask, 1);
                self.emit_gather(opcodes::PGATHERQD, first, mask, at(near));
                self.emit_gather(opcodes::PGATHERQD, second, mask_far, at(far));
                self.rvm_imm(opcodes::INSERTI128, d, first, Src::Reg(second), 1);
            }
            Isa::Avx512 => {
                let near = self.interleave(Vector::InterleaveLow, low, high);
                let far = self.interleave(Vector::InterleaveHigh, low, high);
                let mask_far = self.temp(self.mask_class());
                self.rm_imm(opcodes::KSHIFTRW, mask_far, Src::Reg(mask), 8);
                self.emit_gather(opcodes::PGATHERQD, first, mask, at(near));
                self.emit_gather(opcodes::PGATHERQD, second, mask_far, at(far));
                self.rvm_imm(opcodes::INSERTI64X4, d, first, Src::Reg(second), 1);
            }
        }
    }

    /// Pointers and a displacement that can be encoded.
    pub(super) fn near_pointers(&mut self, low: VReg, high: VReg, disp: i64) -> (VReg, VReg, i32) {
        if let Ok(disp) = i32::try_from(disp) {
            return (low, high, disp);
        }
        let (low, high) = self.add_to_pointers(low, high, disp);
        (low, high, 0)
    }

    /// Pointers some bytes further on.
    pub(super) fn add_to_pointers(&mut self, low: VReg, high: VReg, disp: i64) -> (VReg, VReg) {
        let word = |shift: u32| u32::try_from(disp.cast_unsigned() >> shift & 0xffff_ffff).unwrap_or(0);
        let (add_low, add_high) = (self.splat_const(word(0)), self.splat_const(word(32)));
        let [sum, both, either, lost, carries, carry, part, sum_high] = [(); 8].map(|()| self.vtemp());
        self.rvm(opcodes::PADDD, sum, low, Src::Reg(add_low));
        // The top bit carries if both have it, or if one has and the sum has lost it.
        self.rvm(opcodes::PAND, both, low, Src::Reg(add_low));
        self.rvm(opcodes::POR, either, low, Src::Reg(add_low));
        self.rvm(opcodes::PANDN, lost, sum, Src::Reg(either));
        self.rvm(opcodes::POR, carries, both, Src::Reg(lost));
        self.shift_imm(opcodes::PSRLD_I, carry, carries, 31);
        self.rvm(opcodes::PADDD, part, high, Src::Reg(add_high));
        self.rvm(opcodes::PADDD, sum_high, part, Src::Reg(carry));
        (sum, sum_high)
    }

    /// Eight 64-bit lanes from the words of two vectors.
    fn interleave(&mut self, which: Vector, low: VReg, high: VReg) -> VReg {
        let [order, out] = [(); 2].map(|()| self.vtemp());
        let pool = self.vector(which);
        self.rm(opcodes::MOVAPS, order, pool);
        let operands = [
            Operand::reg_reuse_def(out, 1),
            Operand::reg_use(order),
            Operand::reg_use(low),
        ];
        let kind = Kind::Vector(Shape::Rtvm, opcodes::PERMI2D);
        self.emit(kind, &operands, Src::Reg(high), 0);
        out
    }
}
