//! Allocated machine instructions → bytes.

use super::encoder::{Assembler, Cond, Isa, Label, Masking, Mem, RegMem};
use super::frame::{Frame, encoding};
use super::guard::{self, LongWay};
use super::inst::{Alu, Inst, Kind, MachFunc, NO_SITE, Rm, Shape};
use super::lanes::{self, LaneRegs};
use super::opcodes::{self, Opcode};
use super::pool::Pool;
use super::regs::{RAX, RDX};
use crate::shader::codegen::Site;
use crate::shader::ir::NO_ORIGIN;
use regalloc2::{Allocation, Edit, Inst as InstIndex, Output, PReg, ProgPoint, RegClass};

struct Emitter<'a> {
    func: &'a MachFunc,
    out: &'a Output,
    asm: Assembler,
    frame: Frame,
    labels: Vec<Label>,
    sites: Vec<Site>,
    /// Next edit of the allocator.
    edit: usize,
    /// What is to be written behind the rest.
    long_ways: Vec<LongWay>,
}

/// Bytes of a function (code, then constants) and the places in it that touch memory.
pub(super) fn emit(func: &MachFunc, out: &Output, pool: &Pool) -> (Vec<u8>, Vec<Site>) {
    let mut asm = Assembler::new(func.isa, func.insts.len() * 8 + 256);
    let labels = func.blocks.iter().map(|_| asm.label()).collect();
    let mut emitter = Emitter {
        func,
        out,
        asm,
        frame: Frame::new(func, out),
        labels,
        sites: Vec::with_capacity(func.sites.len()),
        edit: 0,
        long_ways: Vec::new(),
    };
    emitter.frame.prologue(&mut emitter.asm);
    let targets = emitter.threaded_targets();
    let emitted: Vec<usize> = (0..func.blocks.len())
        .filter(|&block| block == 0 || targets[block] == block)
        .collect();
    for (i, &block) in emitted.iter().enumerate() {
        emitter.block(block, &targets, emitted.get(i + 1).copied());
    }
    emitter.long_ways();
    (emitter.asm.finish(pool), emitter.sites)
}

impl Emitter<'_> {
    /// For each block where jumps to it really go: blocks that only jump, with no moves, are skipped.
    fn threaded_targets(&self) -> Vec<usize> {
        let only_jumps = |block: usize| {
            let (start, end) = self.func.blocks[block];
            end - start == 1 && matches!(self.func.insts[start as usize].kind, Kind::Jmp) && {
                let inst = InstIndex::new(start as usize);
                let at = self
                    .out
                    .edits
                    .partition_point(|(point, _)| *point < ProgPoint::before(inst));
                self.out
                    .edits
                    .get(at)
                    .is_none_or(|(point, _)| point.inst() != inst)
            }
        };
        let skip: Vec<bool> = (0..self.func.blocks.len()).map(only_jumps).collect();
        (0..skip.len())
            .map(|block| {
                let mut target = block;
                // The bound stops at loops of nothing but jumps.
                for _ in 0..skip.len() {
                    if !skip[target] {
                        return target;
                    }
                    target = self.func.succs.get(target)[0].index();
                }
                block
            })
            .collect()
    }

    fn block(&mut self, block: usize, targets: &[usize], next: Option<usize>) {
        self.asm.bind(self.labels[block]);
        let (start, end) = self.func.blocks[block];
        for index in start as usize..end as usize {
            self.edits(ProgPoint::before(InstIndex::new(index)));
            let inst = &self.func.insts[index];
            match inst.kind {
                Kind::Jmp => self.jump(targets[self.func.succs.get(block)[0].index()], next),
                Kind::Jcc(cond) => {
                    let succs = self.func.succs.get(block);
                    let (then, otherwise) = (targets[succs[0].index()], targets[succs[1].index()]);
                    self.branch(cond, then, otherwise, next);
                }
                _ => self.inst(index, inst),
            }
            self.edits(ProgPoint::after(InstIndex::new(index)));
        }
    }

    fn jump(&mut self, target: usize, next: Option<usize>) {
        if next != Some(target) {
            self.asm.jmp(self.labels[target]);
        }
    }

    fn branch(&mut self, cond: Cond, then: usize, otherwise: usize, next: Option<usize>) {
        if next == Some(then) {
            self.asm.jcc(cond.not(), self.labels[otherwise]);
        } else {
            self.asm.jcc(cond, self.labels[then]);
            self.jump(otherwise, next);
        }
    }

    fn edits(&mut self, point: ProgPoint) {
        while let Some((at, Edit::Move { from, to })) = self.out.edits.get(self.edit) {
            if *at > point {
                break;
            }
            self.frame.edit(&mut self.asm, *from, *to);
            self.edit += 1;
        }
    }

    fn site(&mut self, inst: &Inst) {
        if inst.site != NO_SITE {
            let offset = self.asm.offset();
            push_site(&mut self.sites, self.func.sites[inst.site as usize], offset);
        }
    }

    fn inst(&mut self, index: usize, inst: &Inst) {
        let start = self.out.inst_alloc_offsets[index] as usize;
        let regs = Regs(&self.out.allocs[start..start + usize::from(inst.count)]);
        match inst.kind {
            Kind::Vector(shape, op) => self.vector(shape, op, inst, regs),
            Kind::Zero => self.zero(regs.class(0), regs.get(0)),
            Kind::Ones => self.ones(regs.class(0), regs.get(0)),
            Kind::Gather(op) => self.gather(op, inst, regs),
            Kind::StoreMasked => self.store_masked(inst, regs),
            Kind::Scratch | Kind::Unscratch => self.scratch(inst, regs),
            Kind::Lanes { op, wide } => {
                let lane_regs = LaneRegs {
                    bits: regs.get(0),
                    lane: regs.get(2),
                    address: regs.get(3),
                    value: regs.get(4),
                    float: regs.get(6),
                    spare: regs.get(7),
                    wide,
                    base: (inst.count > 8).then(|| regs.get(8)),
                    disp: match inst.rm {
                        Rm::Mem { disp, .. } => disp,
                        _ => 0,
                    },
                };
                let (sites, func) = (&mut self.sites, self.func);
                lanes::emit(&mut self.asm, op, &lane_regs, &mut |offset| {
                    if inst.site != NO_SITE {
                        push_site(sites, func.sites[inst.site as usize], offset);
                    }
                });
            }
            Kind::Ret => self.frame.epilogue(&mut self.asm),
            Kind::Guard { cond, .. } => {
                let way = self.long_way(inst, regs);
                self.asm.jcc(cond, way.0);
                self.asm.bind(way.1);
            }
            Kind::Device => {
                let way = self.long_way(inst, regs);
                guard::device(&mut self.asm, way.0, regs);
                self.asm.bind(way.1);
            }
            Kind::Descriptor => {
                let way = self.long_way(inst, regs);
                self.site(inst);
                guard::descriptor(&mut self.asm, way.0, regs.rm(inst.rm, 4), (regs.get(3), inst.imm));
                self.asm.bind(way.1);
            }
            _ => self.scalar(inst, regs),
        }
    }

    /// Labels of the way there and back.
    fn long_way(&mut self, inst: &Inst, regs: Regs) -> (Label, Label) {
        let (from, back) = (self.asm.label(), self.asm.label());
        self.long_ways.push(LongWay::new(from, back, inst, regs));
        (from, back)
    }

    fn long_ways(&mut self) {
        let ways = std::mem::take(&mut self.long_ways);
        let rest = self.asm.label();
        let mut guards = false;
        for way in &ways {
            if let Kind::Guard { form, .. } = way.inst().kind {
                guards = true;
                let offset = guard::guard_long(&mut self.asm, way, form, rest);
                push_site(&mut self.sites, self.func.sites[way.inst().site as usize], offset);
            } else if matches!(way.inst().kind, Kind::Descriptor) {
                guard::descriptor_long(&mut self.asm, way);
            } else {
                guard::device_long(&mut self.asm, way);
            }
        }
        if guards {
            guard::rest(&mut self.asm, rest);
        }
    }

    fn vector(&mut self, shape: Shape, op: Opcode, inst: &Inst, regs: Regs) {
        let roles = shape.roles();
        let get = |role: Option<u8>| role.map_or(0, |i| regs.get(usize::from(i)));
        let imm = roles
            .is4
            .map_or(inst.imm.to_le_bytes()[0], |i| regs.get(usize::from(i)) << 4);
        let rm = regs.rm(inst.rm, usize::from(roles.rm));
        let masking = Masking {
            k: get(roles.k),
            zero: roles.zero,
        };
        self.site(inst);
        let reg = roles.reg.map_or(op.ext, |i| regs.get(usize::from(i)));
        self.asm.vector(op, reg, get(roles.v), rm, masking, imm);
    }

    fn zero(&mut self, class: RegClass, reg: u8) {
        match class {
            RegClass::Float => self.asm.v(opcodes::PXOR, reg, reg, RegMem::Reg(reg)),
            RegClass::Vector => self.asm.v(opcodes::KXORW, reg, reg, RegMem::Reg(reg)),
            RegClass::Int => self.asm.alu(Alu::Xor as u8, false, reg, RegMem::Reg(reg)),
        }
    }

    fn ones(&mut self, class: RegClass, reg: u8) {
        let rm = RegMem::Reg(reg);
        match (class, self.asm.isa()) {
            (RegClass::Vector, _) => self.asm.v(opcodes::KXNORW, reg, reg, rm),
            (_, Isa::Avx2) => self.asm.v(opcodes::PCMPEQD, reg, reg, rm),
            (_, Isa::Avx512) => self
                .asm
                .vector(opcodes::PTERNLOGD, reg, reg, rm, Masking::default(), 0xff),
        }
    }

    fn gather(&mut self, op: Opcode, inst: &Inst, regs: Regs) {
        let (dst, mask) = (regs.get(0), regs.get(1));
        // Lanes that are off keep what is there; the zeroing also ends the dependency on it.
        self.zero(RegClass::Float, dst);
        let rm = regs.rm(inst.rm, 3);
        self.site(inst);
        match self.asm.isa() {
            Isa::Avx2 => self.asm.v(op, dst, mask, rm),
            Isa::Avx512 => {
                let masking = Masking { k: mask, zero: false };
                self.asm.vector(op, dst, 0, rm, masking, 0);
            }
        }
    }

    fn store_masked(&mut self, inst: &Inst, regs: Regs) {
        let (some, done) = (self.asm.label(), self.asm.label());
        let [bits, value, mask] = [0, 1, 2].map(|i| regs.get(i));
        let rm = regs.rm(inst.rm, 3);
        self.asm.v(opcodes::MOVMSKPS, bits, 0, RegMem::Reg(mask));
        self.asm.alu_imm(Alu::Cmp as u8, false, RegMem::Reg(bits), 0xff);
        self.asm.jcc(Cond::NotEqual, some);
        self.site(inst);
        self.asm.v(opcodes::MOVUPS_STORE, value, 0, rm);
        self.asm.jmp(done);
        self.asm.bind(some);
        self.site(inst);
        self.asm.v(opcodes::MASKMOVPS_STORE, value, mask, rm);
        self.asm.bind(done);
    }

    fn scratch(&mut self, inst: &Inst, regs: Regs) {
        let slot = Frame::scratch(i32::try_from(inst.imm).unwrap_or(0));
        let op = match inst.kind {
            Kind::Scratch => opcodes::MOVAPS_STORE,
            _ => opcodes::MOVAPS,
        };
        self.asm.v(op, regs.get(0), 0, slot);
    }

    /// Instructions on general registers.
    fn scalar(&mut self, inst: &Inst, regs: Regs) {
        let imm = i32::try_from(inst.imm).unwrap_or(0);
        self.site(inst);
        let asm = &mut self.asm;
        match inst.kind {
            Kind::MovImm => asm.mov_imm(regs.get(0), inst.imm),
            Kind::Mov32 => asm.legacy(None, &[0x8b], false, regs.get(0), regs.rm(inst.rm, 1)),
            Kind::Movsxd => asm.legacy(None, &[0x63], true, regs.get(0), regs.rm(inst.rm, 1)),
            Kind::Lea { wide } => asm.legacy(None, &[0x8d], wide, regs.get(0), regs.rm(inst.rm, 1)),
            Kind::Alu { op, wide } if inst.rm == Rm::Imm => {
                asm.alu_imm(op as u8, wide, RegMem::Reg(regs.get(0)), imm);
            }
            Kind::Alu { op, wide } => asm.alu(op as u8, wide, regs.get(0), regs.rm(inst.rm, 2)),
            Kind::Cmp { wide } if inst.rm == Rm::Imm => asm.alu_imm(7, wide, RegMem::Reg(regs.get(0)), imm),
            Kind::Cmp { wide } => asm.alu(7, wide, regs.get(0), regs.rm(inst.rm, 1)),
            Kind::Test => asm.legacy(None, &[0x85], false, regs.get(0), RegMem::Reg(regs.get(0))),
            Kind::Set(cond) => {
                let d = RegMem::Reg(regs.get(0));
                asm.legacy_full(None, &[0x0f, 0x90 | cond as u8], false, 0, d, true, 0);
                asm.legacy_full(None, &[0x0f, 0xb6], false, regs.get(0), d, true, 0);
            }
            Kind::Cmov { cond, wide } => {
                let op = [0x0f, 0x40 | cond as u8];
                asm.legacy(None, &op, wide, regs.get(0), regs.rm(inst.rm, 2));
            }
            Kind::Imul { wide } => asm.legacy(None, &[0x0f, 0xaf], wide, regs.get(0), regs.rm(inst.rm, 2)),
            Kind::ImulImm { wide } => {
                asm.legacy_full(None, &[0x69], wide, regs.get(0), regs.rm(inst.rm, 1), false, 4);
                asm.code.extend(imm.to_le_bytes());
            }
            Kind::ShiftImm { op, wide } => {
                asm.legacy_full(None, &[0xc1], wide, op as u8, RegMem::Reg(regs.get(0)), false, 1);
                asm.code.push(inst.imm.to_le_bytes()[0]);
            }
            Kind::Tzcnt => asm.legacy(Some(0xf3), &[0x0f, 0xbc], false, regs.get(0), regs.rm(inst.rm, 1)),
            Kind::Load(width) => lanes::load(asm, width, regs.get(0), regs.rm(inst.rm, 1)),
            Kind::Store(width) => lanes::store(asm, width, regs.get(0), regs.rm(inst.rm, 1)),
            Kind::Div { signed } => divide(asm, signed, regs.get(3)),
            Kind::Call => {
                asm.code.extend([0xc5, 0xf8, 0x77]); // vzeroupper
                asm.legacy(None, &[0xff], false, 2, RegMem::Reg(regs.get(1)));
                // The upper half of the result is not defined, and 32-bit values are kept zero extended.
                asm.legacy(None, &[0x8b], false, RAX, RegMem::Reg(RAX));
            }
            Kind::Fence => asm.code.extend([0x0f, 0xae, 0xf0]), // mfence
            _ => {}
        }
    }
}

fn push_site(sites: &mut Vec<Site>, (block, inst): (u32, u32), offset: u32) {
    sites.push(Site {
        offset,
        block,
        inst,
        origin: NO_ORIGIN,
        atomic: false,
        bytes: 0,
    });
}

/// Quotient in `eax`, remainder in `edx`, of `eax` by a register, with the IR's answers for a zero divisor and
/// for the one quotient that does not fit.
fn divide(asm: &mut Assembler, signed: bool, divisor: u8) {
    let (zero, done) = (asm.label(), asm.label());
    let divisor = RegMem::Reg(divisor);
    let reg = |r| RegMem::Reg(r);
    let RegMem::Reg(d) = divisor else { return };
    asm.legacy(None, &[0x85], false, d, divisor);
    asm.jcc(Cond::Equal, zero);
    if signed {
        let negate = asm.label();
        asm.alu_imm(7, false, divisor, -1);
        asm.jcc(Cond::Equal, negate);
        asm.code.push(0x99); // cdq
        asm.legacy(None, &[0xf7], false, 7, divisor);
        asm.jmp(done);
        asm.bind(negate);
        asm.legacy(None, &[0xf7], false, 3, reg(RAX));
        asm.alu(6, false, RDX, reg(RDX));
    } else {
        asm.alu(6, false, RDX, reg(RDX));
        asm.legacy(None, &[0xf7], false, 6, divisor);
    }
    asm.jmp(done);
    asm.bind(zero);
    asm.legacy(None, &[0x8b], false, RDX, reg(RAX));
    asm.mov_imm(RAX, 0xffff_ffff);
    asm.bind(done);
}

/// The registers given to the operands of one instruction.
#[derive(Clone, Copy)]
pub(super) struct Regs<'a>(&'a [Allocation]);

impl Regs<'_> {
    pub(super) fn get(self, index: usize) -> u8 {
        self.0
            .get(index)
            .and_then(|allocation| allocation.as_reg())
            .map_or(0, encoding)
    }

    fn class(self, index: usize) -> RegClass {
        self.0
            .get(index)
            .and_then(|allocation| allocation.as_reg())
            .map_or(RegClass::Int, PReg::class)
    }

    /// The last operand, whose registers start at `index`.
    fn rm(self, rm: Rm, index: usize) -> RegMem {
        match rm {
            Rm::Reg | Rm::Imm => RegMem::Reg(self.get(index)),
            Rm::Pool(id) => RegMem::Pool(id),
            Rm::Mem {
                base,
                index: indexed,
                scale,
                disp,
                broadcast,
            } => RegMem::Mem(Mem {
                base: base.then(|| self.get(index)),
                index: indexed.then(|| self.get(index + usize::from(base))),
                scale,
                disp,
                broadcast,
            }),
        }
    }
}
