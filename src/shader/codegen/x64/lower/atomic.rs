//! What is done one lane after another: scatters, atomics and what is left of narrow gathers.

use super::{Address, Lower, NO_SITE, Src};
use crate::shader::codegen::x64::encoder::Cond;
use crate::shader::codegen::x64::inst::{Alu, Kind, LaneOp, LoopOp, Shape, Width};
use crate::shader::codegen::x64::lanes::{
    SLOT_EXPECTED, SLOT_EXPECTED_HIGH, SLOT_HIGH, SLOT_OFFSETS, SLOT_RESULT, SLOT_RESULT_HIGH, SLOT_VALUES,
    SLOT_VALUES_HIGH,
};
use crate::shader::codegen::x64::opcodes;
use crate::shader::codegen::x64::regs::{self, RAX};
use crate::shader::ir::{self, AtomicOp, Op, Value};
use regalloc2::{Operand, VReg};

/// The loop for an operation, and whether its addresses are 64 bits a lane.
fn lane_op(inst: &ir::Inst) -> Option<(LaneOp, bool)> {
    Some(match inst.op {
        Op::Scatter => (LaneOp::Store(Width::Dword), false),
        Op::Scatter8 => (LaneOp::Store(Width::Byte), false),
        Op::Scatter16 => (LaneOp::Store(Width::Word), false),
        Op::Atomic => (atomic_op(inst.imm), false),
        Op::AtomicCas => (LaneOp::CompareExchange, false),
        Op::GatherP8 => (LaneOp::Load(Width::Byte), true),
        Op::GatherP16 => (LaneOp::Load(Width::Word), true),
        Op::ScatterP => (LaneOp::Store(Width::Dword), true),
        Op::ScatterP8 => (LaneOp::Store(Width::Byte), true),
        Op::ScatterP16 => (LaneOp::Store(Width::Word), true),
        Op::AtomicP => (atomic_op(inst.imm), true),
        Op::AtomicCasP => (LaneOp::CompareExchange, true),
        _ => return None,
    })
}

fn atomic_op(imm: i64) -> LaneOp {
    match AtomicOp::from_imm(imm) {
        Some(AtomicOp::Add) => LaneOp::ExchangeAdd,
        Some(AtomicOp::And) => LaneOp::Loop(LoopOp::Alu(Alu::And)),
        Some(AtomicOp::Or) => LaneOp::Loop(LoopOp::Alu(Alu::Or)),
        Some(AtomicOp::Xor) => LaneOp::Loop(LoopOp::Alu(Alu::Xor)),
        Some(AtomicOp::MinS) => LaneOp::Loop(LoopOp::Keep(Cond::Less)),
        Some(AtomicOp::MaxS) => LaneOp::Loop(LoopOp::Keep(Cond::Greater)),
        Some(AtomicOp::MinU) => LaneOp::Loop(LoopOp::Keep(Cond::Below)),
        Some(AtomicOp::MaxU) => LaneOp::Loop(LoopOp::Keep(Cond::Above)),
        Some(AtomicOp::Exchange) => LaneOp::Exchange,
        Some(AtomicOp::FAdd) => LaneOp::Loop(LoopOp::FloatAdd),
        Some(AtomicOp::Load) | None => LaneOp::Load(Width::Dword),
    }
}

impl Lower<'_> {
    pub(super) fn lower_atomic(&mut self, inst: &ir::Inst) -> bool {
        if matches!(inst.op, Op::Atomic64P | Op::AtomicCas64P) {
            self.atomic_64(inst);
            return true;
        }
        let Some((op, pointers)) = lane_op(inst) else {
            return false;
        };
        let args = &inst.args;
        let mask = self.reg(args[args.len() - 1]);
        // The immediate of atomics is the operation.
        let disp = match op {
            LaneOp::Load(Width::Byte | Width::Word) | LaneOp::Store(_) => inst.imm,
            _ => 0,
        };
        let address = if pointers {
            self.lane_pointers(args[0], args[1], disp)
        } else {
            let offsets = self.reg(args[1]);
            self.put_scratch(offsets, SLOT_OFFSETS);
            self.fold_address(args[0], disp, false)
        };
        let slots = [SLOT_VALUES, SLOT_EXPECTED];
        for (&value, slot) in args[2..args.len() - 1].iter().zip(slots) {
            let value = self.reg(value);
            self.put_scratch(value, slot);
        }
        let result = (inst.result != Value::NONE).then(|| self.dst(inst.result));
        if result.is_some() {
            let zero = self.splat_const(0);
            self.put_scratch(zero, SLOT_RESULT);
        }
        self.lane_loop(op, false, mask, address);
        if let Some(d) = result {
            let slot = i64::from(SLOT_RESULT);
            self.emit(Kind::Unscratch, &[Operand::reg_def(d)], Src::None, slot);
        }
        true
    }

    fn atomic_64(&mut self, inst: &ir::Inst) {
        let args = &inst.args;
        let op = match (inst.op, atomic_op(inst.imm)) {
            (Op::AtomicCas64P, _) => LaneOp::CompareExchange,
            (_, LaneOp::Load(_) | LaneOp::Loop(LoopOp::FloatAdd)) => LaneOp::Load(Width::Qword),
            (_, op) => op,
        };
        let words = args.len() - 2;
        let out = self.fold_address(args[words + 1], 0, true);
        let mask = self.reg(args[words]);
        let address = self.lane_pointers(args[0], args[1], 0);
        let slots = [SLOT_VALUES, SLOT_VALUES_HIGH, SLOT_EXPECTED, SLOT_EXPECTED_HIGH];
        for (&value, slot) in args[2..words].iter().zip(slots) {
            let value = self.reg(value);
            self.put_scratch(value, slot);
        }
        let zero = self.splat_const(0);
        self.put_scratch(zero, SLOT_RESULT);
        self.put_scratch(zero, SLOT_RESULT_HIGH);
        self.lane_loop(op, true, mask, address);
        let bytes = self.isa.vector_bytes();
        for (slot, disp) in [(SLOT_RESULT, 0), (SLOT_RESULT_HIGH, bytes)] {
            let word = self.vtemp();
            self.emit(
                Kind::Unscratch,
                &[Operand::reg_def(word)],
                Src::None,
                i64::from(slot),
            );
            let at = Address {
                disp: out.disp + disp,
                ..out
            };
            let kind = Kind::Vector(Shape::Rm, opcodes::MOVUPS_STORE);
            self.emit(kind, &[Operand::reg_use(word)], Src::Mem(at), 0);
        }
    }

    /// Puts the two words of each lane's address in their slots.
    fn lane_pointers(&mut self, low: Value, high: Value, disp: i64) -> Address {
        let [low, high] = [low, high].map(|value| self.reg(value));
        let (low, high, disp) = self.near_pointers(low, high, disp);
        self.put_scratch(low, SLOT_OFFSETS);
        self.put_scratch(high, SLOT_HIGH);
        Address {
            base: None,
            index: None,
            scale: 0,
            disp,
            broadcast: false,
            site: NO_SITE,
        }
    }

    pub(super) fn put_scratch(&mut self, value: VReg, slot: i32) {
        self.mach.scratch = true;
        let operands = [Operand::reg_use(value)];
        self.emit(Kind::Scratch, &operands, Src::None, i64::from(slot));
    }

    pub(super) fn lane_loop(&mut self, op: LaneOp, wide: bool, mask: VReg, address: Address) {
        let [bits, used_up, lane, pointer, value, old, spare] = [(); 7].map(|()| self.itemp());
        let float = self.vtemp();
        self.mask_bits(bits, mask);
        let operands = [
            Operand::reg_reuse_def(used_up, 1),
            Operand::reg_use(bits),
            Operand::reg_temp(lane),
            Operand::reg_temp(pointer),
            Operand::reg_temp(value),
            Operand::reg_fixed_def_at_start(old, regs::int(RAX)),
            Operand::reg_temp(float),
            Operand::reg_temp(spare),
        ];
        let site = self.site(self.block, self.inst);
        let src = Src::Mem(Address { site, ..address });
        self.emit_with(
            Kind::Lanes { op, wide },
            &operands,
            src,
            0,
            Operand::reg_use_at_end,
        );
    }
}
