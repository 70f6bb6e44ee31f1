//! Gathers of 8 and 16 bits, out of gathers of the aligned words they are in. Those never reach into a page that
//! the bytes are not in; a value that lies across two words is loaded by itself.

use super::{Address, Lower, NO_SITE, Src};
use crate::shader::codegen::x64::encoder::Isa;
use crate::shader::codegen::x64::inst::{Kind, LaneOp, Width};
use crate::shader::codegen::x64::lanes::{SLOT_HIGH, SLOT_OFFSETS, SLOT_RESULT};
use crate::shader::codegen::x64::opcodes;
use crate::shader::ir::{self, Op};
use regalloc2::{Operand, VReg};

/// The addresses of a narrow gather.
#[derive(Clone, Copy)]
struct Place {
    /// Base and displacement, or only the displacement.
    address: Address,
    /// Offset or low word of each lane.
    low: VReg,
    /// High word of each lane, if its address is 64 bits.
    high: Option<VReg>,
    /// Byte of the word that each lane's value starts at.
    within: VReg,
}

impl Lower<'_> {
    pub(super) fn lower_narrow(&mut self, inst: &ir::Inst) -> bool {
        let (width, place) = match inst.op {
            Op::Gather8 => (Width::Byte, self.offset_place(inst)),
            Op::Gather16 => (Width::Word, self.offset_place(inst)),
            // Other displacements could carry into the high word.
            Op::GatherP8 if inst.imm % 4 == 0 => (Width::Byte, self.pointer_place(inst)),
            Op::GatherP16 if inst.imm % 4 == 0 => (Width::Word, self.pointer_place(inst)),
            _ => return false,
        };
        let mask = self.reg(inst.args[2]);
        let d = self.dst(inst.result);
        if width == Width::Byte {
            self.gather_fields(d, place, mask, 0xff);
        } else {
            self.gather_halves(d, place, mask);
        }
        true
    }

    fn offset_place(&mut self, inst: &ir::Inst) -> Place {
        let low = self.reg(inst.args[1]);
        let address = self.fold_address(inst.args[0], inst.imm, false);
        let start = self.itemp();
        let operands = [Operand::reg_def(start)];
        self.emit(Kind::Lea { wide: false }, &operands, Src::Mem(address), 0);
        let [all, sum] = [(); 2].map(|()| self.vtemp());
        self.splat_register(all, start);
        self.rvm(opcodes::PADDD, sum, all, Src::Reg(low));
        Place {
            address,
            low,
            high: None,
            within: self.and_const(sum, 3),
        }
    }

    fn pointer_place(&mut self, inst: &ir::Inst) -> Place {
        let [low, high] = [0, 1].map(|i| self.reg(inst.args[i]));
        let (low, high, disp) = self.near_pointers(low, high, inst.imm);
        Place {
            address: Address {
                base: None,
                index: None,
                scale: 0,
                disp,
                broadcast: false,
                site: NO_SITE,
            },
            low,
            high: Some(high),
            within: self.and_const(low, 3),
        }
    }

    fn and_const(&mut self, a: VReg, bits: u32) -> VReg {
        let d = self.vtemp();
        let bits = self.splat(bits);
        self.rvm(opcodes::PAND, d, a, bits);
        d
    }

    /// Gathers words and takes a field out of each.
    fn gather_fields(&mut self, d: VReg, place: Place, mask: VReg, field: u32) {
        let [aligned, words, count, shifted] = [(); 4].map(|()| self.vtemp());
        self.rvm(opcodes::PSUBD, aligned, place.low, Src::Reg(place.within));
        match place.high {
            Some(high) => {
                self.gather_pointers(words, (aligned, high), mask, i64::from(place.address.disp));
            }
            None => {
                let site = self.site(self.block, self.inst);
                let address = Address {
                    index: Some(aligned),
                    site,
                    ..place.address
                };
                self.emit_gather(opcodes::PGATHERDD, words, mask, address);
            }
        }
        self.shift_imm(opcodes::PSLLD_I, count, place.within, 3);
        self.rvm(opcodes::PSRLVD, shifted, words, Src::Reg(count));
        let field = self.splat(field);
        self.rvm(opcodes::PAND, d, shifted, field);
    }

    /// Halves that start at the last byte of a word are left to the loop over lanes, which mostly has none.
    fn gather_halves(&mut self, d: VReg, place: Place, mask: VReg) {
        let [last, across, inside] = [(); 3].map(|()| self.temp(self.mask_class()));
        let three = self.splat(3);
        let (and, and_not) = match self.isa {
            Isa::Avx2 => {
                self.rvm(opcodes::PCMPEQD, last, place.within, three);
                (opcodes::ANDPS, opcodes::ANDNPS)
            }
            Isa::Avx512 => {
                self.rvm_imm(opcodes::PCMPD, last, place.within, three, 0);
                (opcodes::KANDW, opcodes::KANDNW)
            }
        };
        self.rvm(and, across, last, Src::Reg(mask));
        self.rvm(and_not, inside, last, Src::Reg(mask));
        let halves = self.vtemp();
        self.gather_fields(halves, place, inside, 0xffff);
        self.put_scratch(halves, SLOT_RESULT);
        self.put_scratch(place.low, SLOT_OFFSETS);
        if let Some(high) = place.high {
            self.put_scratch(high, SLOT_HIGH);
        }
        self.lane_loop(LaneOp::Load(Width::Word), false, across, place.address);
        let slot = i64::from(SLOT_RESULT);
        self.emit(Kind::Unscratch, &[Operand::reg_def(d)], Src::None, slot);
    }
}
