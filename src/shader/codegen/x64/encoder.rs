//! Instruction bytes: VEX, EVEX and legacy forms, labels and references to the constant pool.

use super::opcodes::{Len, Opcode, Tuple};
use super::pool::{Pool, PoolId};

/// The two instruction sets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Isa {
    /// 8 lanes, masks in vector registers.
    Avx2,
    /// 16 lanes, masks in k registers.
    Avx512,
}

impl Isa {
    /// Bytes of a vector register.
    pub(super) fn vector_bytes(self) -> i32 {
        match self {
            Isa::Avx2 => 32,
            Isa::Avx512 => 64,
        }
    }
}

/// A memory operand in registers; `index` is a general or, for gathers, a vector register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Mem {
    pub base: Option<u8>,
    pub index: Option<u8>,
    /// Log2 of the factor of the index.
    pub scale: u8,
    pub disp: i32,
    /// EVEX only: one element for every lane.
    pub broadcast: bool,
}

impl Mem {
    /// `[base + disp]`.
    pub(super) fn base(base: u8, disp: i32) -> Mem {
        Mem {
            base: Some(base),
            index: None,
            scale: 0,
            disp,
            broadcast: false,
        }
    }

    /// `[base + index << scale + disp]`.
    pub(super) fn indexed(base: u8, index: u8, scale: u8, disp: i32) -> Mem {
        Mem {
            base: Some(base),
            index: Some(index),
            scale,
            disp,
            broadcast: false,
        }
    }
}

/// The operand in ModRM.rm.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum RegMem {
    Reg(u8),
    Mem(Mem),
    /// A constant, RIP-relative; splats are broadcast by the EVEX form.
    Pool(PoolId),
}

impl From<Mem> for RegMem {
    fn from(mem: Mem) -> RegMem {
        RegMem::Mem(mem)
    }
}

/// A place in the code, bound or not yet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Label(u32);

/// Condition codes, as x86 numbers them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(super) enum Cond {
    Below = 2,
    AboveEqual = 3,
    Equal = 4,
    NotEqual = 5,
    BelowEqual = 6,
    Above = 7,
    Less = 12,
    GreaterEqual = 13,
    LessEqual = 14,
    Greater = 15,
}

impl Cond {
    const ALL: [Cond; 10] = [
        Cond::Below,
        Cond::AboveEqual,
        Cond::Equal,
        Cond::NotEqual,
        Cond::BelowEqual,
        Cond::Above,
        Cond::Less,
        Cond::GreaterEqual,
        Cond::LessEqual,
        Cond::Greater,
    ];

    /// The opposite condition.
    pub(super) fn not(self) -> Cond {
        Cond::ALL
            .into_iter()
            .find(|&cond| cond as u8 == self as u8 ^ 1)
            .unwrap_or(self)
    }
}

/// The masking of an EVEX instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Masking {
    /// k register; 0 for none.
    pub k: u8,
    /// Lanes that are off become zero instead of keeping the destination.
    pub zero: bool,
}

/// Code under construction.
pub(super) struct Assembler {
    pub code: Vec<u8>,
    isa: Isa,
    labels: Vec<u32>,
    label_uses: Vec<(u32, Label)>,
    pool_uses: Vec<(u32, PoolId, u8)>,
}

const UNBOUND: u32 = u32::MAX;

impl Assembler {
    pub(super) fn new(isa: Isa, capacity: usize) -> Assembler {
        Assembler {
            code: Vec::with_capacity(capacity),
            isa,
            labels: Vec::new(),
            label_uses: Vec::new(),
            pool_uses: Vec::new(),
        }
    }

    pub(super) fn isa(&self) -> Isa {
        self.isa
    }

    /// Offset of the next instruction.
    #[allow(
        clippy::cast_possible_truncation,
        reason = "code of one kernel is far below 4 GiB"
    )]
    pub(super) fn offset(&self) -> u32 {
        self.code.len() as u32
    }

    // ---- labels ------------------------------------------------------------------------------------

    pub(super) fn label(&mut self) -> Label {
        self.labels.push(UNBOUND);
        Label(u32::try_from(self.labels.len() - 1).unwrap_or(UNBOUND))
    }

    pub(super) fn bind(&mut self, label: Label) {
        self.labels[label.0 as usize] = self.offset();
    }

    pub(super) fn jmp(&mut self, label: Label) {
        if let Some(short) = self.short_distance(label) {
            self.code.extend([0xeb, short]);
            return;
        }
        self.code.push(0xe9);
        self.label_use(label);
    }

    pub(super) fn call(&mut self, label: Label) {
        self.code.push(0xe8);
        self.label_use(label);
    }

    pub(super) fn jcc(&mut self, cond: Cond, label: Label) {
        if let Some(short) = self.short_distance(label) {
            self.code.extend([0x70 | cond as u8, short]);
            return;
        }
        self.code.extend([0x0f, 0x80 | cond as u8]);
        self.label_use(label);
    }

    /// Displacement of a two-byte jump to a label that is already bound and near.
    fn short_distance(&self, label: Label) -> Option<u8> {
        let target = self.labels[label.0 as usize];
        if target == UNBOUND {
            return None;
        }
        let distance = i64::from(target) - (i64::from(self.offset()) + 2);
        i8::try_from(distance).ok().map(i8::cast_unsigned)
    }

    fn label_use(&mut self, label: Label) {
        self.label_uses.push((self.offset(), label));
        self.code.extend([0; 4]);
    }

    /// Resolves jumps, appends the constants and resolves the references to them.
    pub(super) fn finish(mut self, pool: &Pool) -> Vec<u8> {
        for &(at, label) in &self.label_uses {
            let distance = self.labels[label.0 as usize].wrapping_sub(at + 4);
            self.code[at as usize..at as usize + 4].copy_from_slice(&distance.to_le_bytes());
        }
        if !self.pool_uses.is_empty() {
            let align = self.isa.vector_bytes().unsigned_abs() as usize;
            let padded = self.code.len().next_multiple_of(align);
            self.code.resize(padded, 0xcc);
            let start = self.offset();
            let offsets = pool.write(self.isa, &mut self.code);
            for &(at, id, trailing) in &self.pool_uses {
                let target = start + offsets[id.index()];
                let distance = target.wrapping_sub(at + 4 + u32::from(trailing));
                self.code[at as usize..at as usize + 4].copy_from_slice(&distance.to_le_bytes());
            }
        }
        self.code
    }

    // ---- ModRM -------------------------------------------------------------------------------------

    /// ModRM, SIB and displacement. `unit` is what an 8-bit displacement counts; `trailing` the bytes that
    /// follow, up to the end of the instruction.
    fn modrm(&mut self, reg: u8, rm: RegMem, unit: i32, trailing: u8) {
        let reg = (reg & 7) << 3;
        match rm {
            RegMem::Reg(r) => self.code.push(0xc0 | reg | (r & 7)),
            RegMem::Pool(id) => {
                self.code.push(reg | 5);
                self.pool_uses.push((self.offset(), id, trailing));
                self.code.extend([0; 4]);
            }
            RegMem::Mem(mem) => self.modrm_memory(reg, mem, unit),
        }
    }

    fn modrm_memory(&mut self, reg: u8, mem: Mem, unit: i32) {
        let Some(base) = mem.base else {
            // No base: SIB with base 101 and mod 00 means a 32-bit displacement alone.
            let index = mem.index.map_or(4, |index| index & 7);
            self.code.extend([reg | 4, mem.scale << 6 | index << 3 | 5]);
            self.code.extend(mem.disp.to_le_bytes());
            return;
        };
        let short = i8::try_from(mem.disp / unit)
            .ok()
            .filter(|_| mem.disp % unit == 0);
        // Base 101 (rbp, r13) always takes a displacement.
        let mode = match short {
            Some(0) if base & 7 != 5 => 0x00,
            Some(_) => 0x40,
            None => 0x80,
        };
        if mem.index.is_some() || base & 7 == 4 {
            let index = mem.index.map_or(4, |index| index & 7);
            self.code
                .extend([mode | reg | 4, mem.scale << 6 | index << 3 | (base & 7)]);
        } else {
            self.code.push(mode | reg | (base & 7));
        }
        match (mode, short) {
            (0x40, Some(disp)) => self.code.push(disp.cast_unsigned()),
            (0x80, _) => self.code.extend(mem.disp.to_le_bytes()),
            _ => {}
        }
    }

    // ---- vector forms ------------------------------------------------------------------------------

    /// A vector instruction: VEX or EVEX as the opcode and the wave ask.
    pub(super) fn vector(&mut self, op: Opcode, reg: u8, v: u8, rm: RegMem, masking: Masking, imm: u8) {
        match (op.len, self.isa) {
            (Len::Vex0, _) => self.vex(op, 0, reg, v, rm, imm),
            (Len::Vex1, _) => self.vex(op, 1, reg, v, rm, imm),
            (Len::X128, Isa::Avx2) => self.vex(op, 0, reg, v, rm, imm),
            (Len::Native, Isa::Avx2) => self.vex(op, 1, reg, v, rm, imm),
            (Len::X128, Isa::Avx512) => self.evex(op, 0, reg, v, rm, masking, imm),
            (Len::Native, Isa::Avx512) => self.evex(op, 2, reg, v, rm, masking, imm),
        }
    }

    /// Shorthand without mask and immediate.
    pub(super) fn v(&mut self, op: Opcode, reg: u8, v: u8, rm: RegMem) {
        self.vector(op, reg, v, rm, Masking::default(), 0);
    }

    fn vex(&mut self, op: Opcode, l: u8, reg: u8, v: u8, rm: RegMem, imm: u8) {
        let (x, b) = match rm {
            RegMem::Reg(r) => (0, r >> 3),
            RegMem::Mem(mem) => (mem.index.map_or(0, |i| i >> 3), mem.base.map_or(0, |b| b >> 3)),
            RegMem::Pool(_) => (0, 0),
        };
        let r = reg >> 3 & 1;
        let w = u8::from(op.w && !op.wig);
        let last = (!v & 15) << 3 | l << 2 | op.pp;
        if x | b | w == 0 && op.map == 1 {
            self.code.extend([0xc5, (r ^ 1) << 7 | last]);
        } else {
            let first = (r ^ 1) << 7 | (x ^ 1) << 6 | (b ^ 1) << 5 | op.map;
            self.code.extend([0xc4, first, w << 7 | last]);
        }
        self.code.push(op.byte);
        self.modrm(reg, rm, 1, u8::from(op.imm));
        if op.imm {
            self.code.push(imm);
        }
    }

    #[allow(clippy::too_many_arguments, reason = "the fields of one instruction")]
    fn evex(&mut self, op: Opcode, l: u8, reg: u8, v: u8, rm: RegMem, masking: Masking, imm: u8) {
        let vsib = matches!(op.byte, 0x90 | 0x91) && op.map == 2;
        let (x, b, v_high) = match rm {
            RegMem::Reg(r) => (r >> 4 & 1, r >> 3 & 1, v >> 4),
            RegMem::Mem(mem) => {
                let index = mem.index.unwrap_or(0);
                let v_high = if vsib { index >> 4 } else { v >> 4 };
                (index >> 3 & 1, mem.base.map_or(0, |b| b >> 3), v_high)
            }
            RegMem::Pool(_) => (0, 0, v >> 4),
        };
        let broadcast = op.tuple == Tuple::Full
            && match rm {
                RegMem::Reg(_) => false,
                RegMem::Mem(mem) => mem.broadcast,
                RegMem::Pool(id) => id.is_splat(),
            };
        let unit = match broadcast {
            true if op.w => 8,
            true => 4,
            false => op.memory_bytes(l),
        };
        self.code.extend([
            0x62,
            (!reg >> 3 & 1) << 7 | (x ^ 1) << 6 | (b ^ 1) << 5 | (!reg >> 4 & 1) << 4 | op.map,
            u8::from(op.w) << 7 | (!v & 15) << 3 | 4 | op.pp,
            u8::from(masking.zero) << 7
                | l << 5
                | u8::from(broadcast) << 4
                | (v_high & 1 ^ 1) << 3
                | masking.k,
            op.byte,
        ]);
        self.modrm(reg, rm, unit, u8::from(op.imm));
        if op.imm {
            self.code.push(imm);
        }
    }

    // ---- general forms -----------------------------------------------------------------------------

    /// A legacy instruction: optional REX, opcode bytes, ModRM. `byte` forces a REX so that registers 4 to 7
    /// name the low bytes. `trailing` as in [`Self::modrm`].
    pub(super) fn legacy(&mut self, prefix: Option<u8>, opcode: &[u8], wide: bool, reg: u8, rm: RegMem) {
        self.legacy_full(prefix, opcode, wide, reg, rm, false, 0);
    }

    #[allow(clippy::too_many_arguments, reason = "the fields of one instruction")]
    pub(super) fn legacy_full(
        &mut self,
        prefix: Option<u8>,
        opcode: &[u8],
        wide: bool,
        reg: u8,
        rm: RegMem,
        byte: bool,
        trailing: u8,
    ) {
        let (x, b) = match rm {
            RegMem::Reg(r) => (0, r >> 3),
            RegMem::Mem(mem) => (mem.index.map_or(0, |i| i >> 3), mem.base.map_or(0, |b| b >> 3)),
            RegMem::Pool(_) => (0, 0),
        };
        self.code.extend(prefix);
        let rex = 0x40 | u8::from(wide) << 3 | (reg >> 3) << 2 | x << 1 | b;
        if rex != 0x40 || byte {
            self.code.push(rex);
        }
        self.code.extend_from_slice(opcode);
        self.modrm(reg, rm, 1, trailing);
    }

    /// `mov` of a constant, in its shortest form. Does not touch flags.
    pub(super) fn mov_imm(&mut self, reg: u8, value: i64) {
        if let Ok(value) = u32::try_from(value) {
            if reg >= 8 {
                self.code.push(0x41);
            }
            self.code.push(0xb8 | reg & 7);
            self.code.extend(value.to_le_bytes());
        } else if let Ok(value) = i32::try_from(value) {
            self.legacy_full(None, &[0xc7], true, 0, RegMem::Reg(reg), false, 4);
            self.code.extend(value.to_le_bytes());
        } else {
            self.code.extend([0x48 | reg >> 3, 0xb8 | reg & 7]);
            self.code.extend(value.to_le_bytes());
        }
    }

    /// One of the eight classic operations (`add or adc sbb and sub xor cmp`) with an immediate.
    pub(super) fn alu_imm(&mut self, op: u8, wide: bool, rm: RegMem, imm: i32) {
        if let Ok(imm) = i8::try_from(imm) {
            self.legacy_full(None, &[0x83], wide, op, rm, false, 1);
            self.code.push(imm.cast_unsigned());
        } else {
            self.legacy_full(None, &[0x81], wide, op, rm, false, 4);
            self.code.extend(imm.to_le_bytes());
        }
    }

    /// The same with a register or memory as second operand.
    pub(super) fn alu(&mut self, op: u8, wide: bool, reg: u8, rm: RegMem) {
        self.legacy(None, &[op << 3 | 3], wide, reg, rm);
    }

    pub(super) fn push(&mut self, reg: u8) {
        if reg >= 8 {
            self.code.push(0x41);
        }
        self.code.push(0x50 | reg & 7);
    }

    pub(super) fn pop(&mut self, reg: u8) {
        if reg >= 8 {
            self.code.push(0x41);
        }
        self.code.push(0x58 | reg & 7);
    }
}

impl Opcode {
    /// Bytes of the memory operand of the EVEX form at vector length `l`.
    fn memory_bytes(self, l: u8) -> i32 {
        let vector = 16 << l;
        match self.tuple {
            Tuple::Full | Tuple::FullMem => vector,
            Tuple::Half => vector / 2,
            Tuple::Scalar => 4,
            Tuple::None => 1,
        }
    }
}
