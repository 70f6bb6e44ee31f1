//! Wave IR → machine instructions.
//!
//! Blocks and instructions are lowered backwards. When a definition is reached, all its uses have been seen:
//! pure operations nobody asked for are skipped, so that constants, addresses, comparisons and loads that were
//! folded into their users cost nothing, and an operand that has not been seen yet dies here.

mod atomic;
mod control;
mod double;
mod float;
mod guard;
mod integer;
mod lanes;
mod mask;
mod memory;
mod narrow;
mod scalar;

use super::encoder::Isa;
use super::inst::{Inst, Kind, MachFunc, NO_SITE, Rm, Shape};
use super::opcodes::{self, Opcode};
use super::order::{self, Order};
use super::pool::{Pool, PoolId, Vector};
use crate::shader::codegen::CodegenError;
use crate::shader::ir::{self, Effect, Func, Op, Type, Value};
use regalloc2::{Operand, RegClass, VReg};

/// Where a value comes from.
#[derive(Clone, Copy)]
struct Definition {
    block: u32,
    /// Index in the block; [`PARAM`] for a block parameter.
    inst: u32,
    /// Uses in the IR.
    uses: u32,
    /// Writes to memory before it in its block.
    epoch: u32,
    /// A lowered instruction wants it in its register.
    wanted: bool,
}

const PARAM: u32 = u32::MAX;

/// The operand that may be in memory.
#[derive(Clone, Copy)]
enum Src {
    None,
    Reg(VReg),
    Pool(PoolId),
    Imm,
    Mem(Address),
}

/// A memory operand over virtual registers.
#[derive(Clone, Copy)]
struct Address {
    base: Option<VReg>,
    index: Option<VReg>,
    scale: u8,
    disp: i32,
    broadcast: bool,
    site: u32,
}

/// A lowering in progress.
struct Lower<'f> {
    func: &'f Func,
    isa: Isa,
    mach: MachFunc,
    pool: Pool,
    order: Order,
    values: Vec<Definition>,
    /// Machine instructions of the IR instruction at hand, in order.
    buffer: Vec<Inst>,
    block: u32,
    inst: u32,
    epoch: u32,
}

/// Lowers a function for an instruction set of its width.
pub(super) fn lower(func: &Func, isa: Isa) -> Result<(MachFunc, Pool), CodegenError> {
    let order = order::order(func);
    if order.edges_in[0] != 0 {
        return Err(CodegenError::Malformed("a jump to the entry block"));
    }
    let params: Vec<Type> = func.blocks[0].params.iter().map(|&v| func.ty(v)).collect();
    if params != [Type::S64, Type::S64] {
        return Err(CodegenError::Malformed("parameters other than two S64"));
    }
    let values = definitions(func, &order)?;
    let mut mach = MachFunc::new(isa);
    mach.vregs = func.types.len();
    let mut lower = Lower {
        func,
        isa,
        mach,
        pool: Pool::default(),
        order,
        values,
        buffer: Vec::new(),
        block: 0,
        inst: 0,
        epoch: 0,
    };
    lower.mach.classes = func.types.iter().map(|&ty| lower.class(ty) as u8).collect();
    lower.blocks();
    if lower.mach.vregs >= VReg::MAX {
        return Err(CodegenError::TooLarge);
    }
    Ok((lower.mach, lower.pool))
}

/// Finds where each value is defined and counts its uses.
fn definitions(func: &Func, order: &Order) -> Result<Vec<Definition>, CodegenError> {
    let nowhere = Definition {
        block: 0,
        inst: PARAM,
        uses: 0,
        epoch: 0,
        wanted: false,
    };
    let mut values = vec![nowhere; func.types.len()];
    for &block in &order.blocks {
        let body = &func.blocks[block as usize];
        for &param in &body.params {
            values[param.index()].block = block;
        }
        let mut epoch = 0;
        for (inst, at) in body.insts.iter().zip(0..) {
            for &arg in &inst.args {
                values[arg.index()].uses += 1;
            }
            if inst.op == Op::Barrier {
                return Err(CodegenError::Malformed("a barrier that was not split"));
            }
            if inst.result != Value::NONE {
                let value = &mut values[inst.result.index()];
                (value.block, value.inst, value.epoch) = (block, at, epoch);
            }
            epoch += u32::from(inst.op.info().effect == Effect::Write);
        }
        let term = body
            .term
            .as_ref()
            .ok_or(CodegenError::Malformed("a block without terminator"))?;
        let own = match term {
            ir::Terminator::Branch { cond: value, .. } | ir::Terminator::Return(value) => Some(value),
            ir::Terminator::Jump(_) => None,
        };
        for value in term.targets().flat_map(|target| &target.args).chain(own) {
            values[value.index()].uses += 1;
        }
    }
    Ok(values)
}

impl<'f> Lower<'f> {
    // ---- values ------------------------------------------------------------------------------------

    /// The instruction that defines a value, if it is not a parameter.
    fn definition(&self, value: Value) -> Option<&'f ir::Inst> {
        let at = self.values[value.index()];
        let func = self.func;
        (at.inst != PARAM).then(|| &func.blocks[at.block as usize].insts[at.inst as usize])
    }

    /// The instruction that defines a value, if it is in this block and of this operation.
    fn local(&self, value: Value, op: Op) -> Option<&'f ir::Inst> {
        self.definition(value)
            .filter(|inst| inst.op == op && self.values[value.index()].block == self.block)
    }

    /// The same if this is the only use, so that the operation can be folded away.
    fn local_once(&self, value: Value, op: Op) -> Option<&'f ir::Inst> {
        self.local(value, op)
            .filter(|_| self.values[value.index()].uses == 1)
    }

    /// The bits of a uniform constant, sign extended.
    fn scalar_const(&self, value: Value) -> Option<i64> {
        let inst = self.definition(value)?;
        match inst.op {
            #[allow(clippy::cast_possible_truncation, reason = "the low 32 bits are meant")]
            Op::SConst => Some(i64::from(inst.imm as i32)),
            Op::LConst => Some(inst.imm),
            _ => None,
        }
    }

    /// The bits of a varying constant.
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the low 32 bits are meant"
    )]
    fn vector_const(&self, value: Value) -> Option<u32> {
        let inst = self.definition(value)?;
        match inst.op {
            Op::VConst => Some(inst.imm as u32),
            Op::VSplat => Some(self.scalar_const(inst.args[0])? as u32),
            _ => None,
        }
    }

    /// Whether this is the last use of a value: nothing that runs later wants it.
    fn dies(&self, value: Value) -> bool {
        let at = self.values[value.index()];
        !at.wanted
            && self.order.loop_of[at.block as usize] == self.order.loop_of[self.block as usize]
            && self.vector_const(value).is_none()
    }

    fn class(&self, ty: Type) -> RegClass {
        match ty {
            Type::B | Type::S32 | Type::S64 => RegClass::Int,
            Type::V => RegClass::Float,
            Type::M => self.mask_class(),
        }
    }

    fn mask_class(&self) -> RegClass {
        match self.isa {
            Isa::Avx2 => RegClass::Float,
            Isa::Avx512 => RegClass::Vector,
        }
    }

    fn wide(&self) -> bool {
        self.isa == Isa::Avx512
    }

    /// The register of a value that is being defined.
    fn dst(&self, value: Value) -> VReg {
        VReg::new(value.index(), self.class(self.func.ty(value)))
    }

    fn temp(&mut self, class: RegClass) -> VReg {
        self.mach.vregs += 1;
        self.mach.classes.push(class as u8);
        VReg::new(self.mach.vregs - 1, class)
    }

    fn vtemp(&mut self) -> VReg {
        self.temp(RegClass::Float)
    }

    fn itemp(&mut self) -> VReg {
        self.temp(RegClass::Int)
    }

    /// A value in a register. Constants are made on the spot.
    fn reg(&mut self, value: Value) -> VReg {
        if let Some(bits) = self.vector_const(value) {
            return self.splat_const(bits);
        }
        if let Some(inst) = self.definition(value) {
            match inst.op {
                Op::SConst => return self.int_const(inst.imm & 0xffff_ffff),
                Op::LConst => return self.int_const(inst.imm),
                Op::BConst => return self.int_const(i64::from(inst.imm != 0)),
                Op::MConst => {
                    let reg = self.temp(self.mask_class());
                    let kind = if inst.imm == 0 { Kind::Zero } else { Kind::Ones };
                    self.emit(kind, &[Operand::reg_def(reg)], Src::None, 0);
                    return reg;
                }
                // 32-bit registers are kept zero extended.
                Op::LZext => return self.reg(inst.args[0]),
                _ => {}
            }
        }
        self.values[value.index()].wanted = true;
        self.dst(value)
    }

    fn int_const(&mut self, bits: i64) -> VReg {
        let reg = self.itemp();
        // Clearing changes flags, but constants are made before flags are set for their reader.
        let kind = if bits == 0 { Kind::Zero } else { Kind::MovImm };
        self.emit(kind, &[Operand::reg_def(reg)], Src::Imm, bits);
        reg
    }

    fn splat_const(&mut self, bits: u32) -> VReg {
        let reg = self.vtemp();
        match bits {
            0 => self.emit(Kind::Zero, &[Operand::reg_def(reg)], Src::None, 0),
            u32::MAX => self.emit(Kind::Ones, &[Operand::reg_def(reg)], Src::None, 0),
            _ => {
                let pool = Src::Pool(self.pool.splat(bits));
                let op = if self.wide() {
                    opcodes::BROADCASTSS
                } else {
                    opcodes::MOVAPS
                };
                self.rm(op, reg, pool);
            }
        }
        reg
    }

    /// A varying value as the last operand of an instruction on 32-bit lanes: a constant in memory, a load
    /// that nothing else uses, or a register.
    fn src(&mut self, value: Value) -> Src {
        if let Some(bits) = self.vector_const(value) {
            return Src::Pool(self.pool.splat(bits));
        }
        match self.foldable_load(value) {
            Some(inst) => {
                let mut address = self.address_at(value, inst.args[0], inst.imm);
                address.broadcast = inst.op == Op::VLoadSplat;
                Src::Mem(address)
            }
            None => Src::Reg(self.reg(value)),
        }
    }

    /// The load that defines a value, if it can happen here instead.
    fn foldable_load(&self, value: Value) -> Option<&'f ir::Inst> {
        let at = self.values[value.index()];
        let inst = self
            .local_once(value, Op::VLoad)
            .or_else(|| self.local_once(value, Op::VLoadSplat).filter(|_| self.wide()))?;
        (at.epoch == self.epoch).then_some(inst)
    }

    /// Whether a value can be a memory operand.
    fn in_memory(&self, value: Value) -> bool {
        self.vector_const(value).is_some() || self.foldable_load(value).is_some()
    }

    // ---- instructions ------------------------------------------------------------------------------

    /// Appends an instruction; the registers of `src` follow `operands`.
    fn emit(&mut self, kind: Kind, operands: &[Operand], src: Src, imm: i64) {
        self.emit_with(kind, operands, src, imm, Operand::reg_use);
    }

    fn emit_with(
        &mut self,
        kind: Kind,
        operands: &[Operand],
        src: Src,
        imm: i64,
        usage: fn(VReg) -> Operand,
    ) {
        let list = &mut self.mach.operands;
        let first = list.len();
        list.extend_from_slice(operands);
        let mut site = NO_SITE;
        let rm = match src {
            Src::None => Rm::Reg,
            Src::Imm => Rm::Imm,
            Src::Pool(id) => Rm::Pool(id),
            Src::Reg(reg) => {
                list.push(usage(reg));
                Rm::Reg
            }
            Src::Mem(address) => {
                list.extend(address.base.into_iter().chain(address.index).map(usage));
                site = address.site;
                Rm::Mem {
                    base: address.base.is_some(),
                    index: address.index.is_some(),
                    scale: address.scale,
                    disp: address.disp,
                    broadcast: address.broadcast,
                }
            }
        };
        let count = u8::try_from(list.len() - first).unwrap_or(u8::MAX);
        let first = u32::try_from(first).unwrap_or(u32::MAX);
        self.buffer.push(Inst {
            kind,
            rm,
            imm,
            first,
            count,
            site,
        });
    }

    /// `d = op(src)`.
    fn rm(&mut self, op: Opcode, d: VReg, src: Src) {
        self.rm_imm(op, d, src, 0);
    }

    fn rm_imm(&mut self, op: Opcode, d: VReg, src: Src, imm: u8) {
        let kind = Kind::Vector(Shape::Rm, op);
        self.emit(kind, &[Operand::reg_def(d)], src, i64::from(imm));
    }

    /// `d = op(a, src)`.
    fn rvm(&mut self, op: Opcode, d: VReg, a: VReg, src: Src) {
        self.rvm_imm(op, d, a, src, 0);
    }

    fn rvm_imm(&mut self, op: Opcode, d: VReg, a: VReg, src: Src, imm: u8) {
        let operands = [Operand::reg_def(d), Operand::reg_use(a)];
        self.emit(Kind::Vector(Shape::Rvm, op), &operands, src, i64::from(imm));
    }

    /// `d = op(a)` where the result is in ModRM.rm.
    fn mr_imm(&mut self, op: Opcode, d: VReg, a: VReg, imm: u8) {
        let operands = [Operand::reg_def(d), Operand::reg_use(a)];
        self.emit(Kind::Vector(Shape::Mr, op), &operands, Src::None, i64::from(imm));
    }

    /// `d = a shifted by imm`.
    fn shift_imm(&mut self, op: Opcode, d: VReg, a: VReg, imm: u8) {
        let kind = Kind::Vector(Shape::Vm, op);
        self.emit(kind, &[Operand::reg_def(d)], Src::Reg(a), i64::from(imm));
    }

    fn splat(&mut self, bits: u32) -> Src {
        Src::Pool(self.pool.splat(bits))
    }

    fn vector(&mut self, vector: Vector) -> Src {
        Src::Pool(self.pool.vector(vector))
    }

    /// Lowers one instruction by its group.
    fn op(&mut self, inst: &ir::Inst) {
        let info = inst.op.info();
        let done = match info.effect {
            Effect::Pure => {
                self.lower_scalar(inst)
                    || self.lower_integer(inst)
                    || self.lower_float(inst)
                    || self.lower_double(inst)
                    || self.lower_mask(inst)
                    || self.lower_lanes(inst)
                    || self.lower_guard(inst)
            }
            Effect::Guard => self.lower_guard(inst),
            Effect::Read | Effect::Write => {
                self.lower_memory(inst)
                    || self.lower_narrow(inst)
                    || self.lower_atomic(inst)
                    || self.lower_call(inst)
                    || self.lower_guard(inst)
            }
        };
        debug_assert!(done, "{} has no lowering", info.name);
    }
}
