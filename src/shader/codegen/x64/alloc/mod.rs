//! Register allocation in one pass over the blocks in order, for functions in SSA form.
//!
//! Values stay in registers until one is needed; then the value whose next use is furthest goes (Belady). As
//! values do not change, one store at the definition serves every later eviction and a reload happens at the
//! next use. The state at a block's start is that at the end of its first predecessor; the others move what
//! differs before their jump, which is also how parameters are passed.
//!
//! ```text
//! liveness  next uses, live ranges, loops
//! edge      states at block starts, moves on edges
//! moves     parallel moves one after another; stack slots
//! ```

mod edge;
mod liveness;
mod moves;

use super::inst::{Kind, MachFunc};
use super::regs;
use liveness::{Liveness, NEVER};
use moves::Edits;
use regalloc2::{
    Allocation, Inst, MachineEnv, Operand, OperandConstraint, OperandKind, OperandPos, Output, PReg,
    ProgPoint, RegClass, VReg,
};

/// In no register.
const NOWHERE: u8 = u8::MAX;
/// No value.
const NOBODY: u32 = u32::MAX;
const CLASSES: [RegClass; 3] = [RegClass::Int, RegClass::Float, RegClass::Vector];

/// The value in each register.
type State = [[u32; 32]; 3];
/// One bit a register.
type Sets = [u32; 3];

struct Scan<'a> {
    func: &'a MachFunc,
    live: Liveness,
    /// Registers that may be used, and those of them to use first.
    allowed: Sets,
    preferred: Sets,
    clobbered: Sets,
    at: State,
    free: Sets,
    /// Register of each value.
    place: Vec<u8>,
    /// Position of the next use of each value, at the instruction at hand.
    next: Vec<u32>,
    /// Where and in which register each value was defined.
    defined: Vec<(ProgPoint, u8)>,
    /// Whether each value is on the stack, too.
    stored: Vec<bool>,
    /// Parameter that each value is passed to.
    passed_to: Vec<u32>,
    /// Register of each parameter at the start of its block.
    param_reg: Vec<u8>,
    /// State at the start of each block, once it is known.
    entries: Vec<Option<Box<State>>>,
    edits: Edits,
    allocs: Vec<Allocation>,
    // ---- the instruction at hand
    pinned: Sets,
    reserved: Sets,
}

fn mask(set: &regalloc2::PRegSet, class: usize) -> u32 {
    (0..32)
        .filter(|&i| set.contains(PReg::new(i, CLASSES[class])))
        .fold(0, |bits, i| bits | 1 << i)
}

fn id(value: VReg) -> u32 {
    u32::try_from(value.vreg()).unwrap_or(NOBODY)
}

fn bits(set: u32) -> impl Iterator<Item = u8> {
    (0..32).filter(move |i| set >> i & 1 != 0)
}

fn register(class: usize, reg: u8) -> Allocation {
    Allocation::reg(PReg::new(usize::from(reg), CLASSES[class]))
}

fn is_late(operand: &Operand) -> bool {
    operand.pos() == OperandPos::Late
}

/// Allocates registers; `None` where an instruction asks for more than there are.
pub(super) fn allocate(func: &MachFunc, env: &MachineEnv) -> Option<Output> {
    let preferred = [0, 1, 2].map(|class| mask(&env.preferred_regs_by_class[class], class));
    let others = [0, 1, 2].map(|class| mask(&env.non_preferred_regs_by_class[class], class));
    let clobbers = regs::call_clobbers(func.isa);
    let mut clobbered = [0, 1, 2].map(|class| mask(&clobbers, class));
    clobbered[0] |= 1 << regs::RAX;
    let mut passed_to = vec![NOBODY; func.vregs];
    for block in 0..func.blocks.len() {
        for &succ in func.succs.get(block) {
            let params = func.params.get(succ.index());
            for (arg, param) in func.jump_args.get(block).iter().zip(params) {
                passed_to[arg.vreg()] = id(*param);
            }
        }
    }
    let mut scan = Scan {
        func,
        live: liveness::analyse(func),
        allowed: [0, 1, 2].map(|class| preferred[class] | others[class]),
        preferred,
        clobbered,
        at: [[NOBODY; 32]; 3],
        free: [0; 3],
        place: vec![NOWHERE; func.vregs],
        next: vec![NEVER; func.vregs],
        defined: vec![(ProgPoint::before(Inst::new(0)), NOWHERE); func.vregs],
        stored: vec![false; func.vregs],
        passed_to,
        param_reg: vec![NOWHERE; func.vregs],
        entries: vec![None; func.blocks.len()],
        edits: Edits::new(func.vregs),
        allocs: vec![Allocation::none(); func.operands.len()],
        pinned: [0; 3],
        reserved: [0; 3],
    };
    scan.entries[0] = Some(Box::new([[NOBODY; 32]; 3]));
    for block in 0..func.blocks.len() {
        scan.block(block)?;
    }
    Some(scan.finish())
}

impl Scan<'_> {
    fn finish(mut self) -> Output {
        let (edits, num_spillslots) = self.edits.finish(self.func, &self.live.range);
        Output {
            num_spillslots,
            edits,
            allocs: std::mem::take(&mut self.allocs),
            inst_alloc_offsets: self.func.insts.iter().map(|inst| inst.first).collect(),
            ..Output::default()
        }
    }

    fn class(&self, value: u32) -> usize {
        usize::from(self.func.classes[value as usize])
    }

    // ---- registers ---------------------------------------------------------------------------------

    fn occupy(&mut self, class: usize, reg: u8, value: u32) {
        self.at[class][usize::from(reg)] = value;
        self.place[value as usize] = reg;
        self.free[class] &= !(1 << reg);
    }

    /// Takes a value out of its register.
    fn vacate(&mut self, value: u32) {
        let (class, reg) = (self.class(value), self.place[value as usize]);
        if reg != NOWHERE {
            self.at[class][usize::from(reg)] = NOBODY;
            self.free[class] |= 1 << reg;
            self.place[value as usize] = NOWHERE;
        }
    }

    /// Makes sure a value is on the stack: one store, where it is defined.
    fn store(&mut self, value: u32) {
        if !std::mem::replace(&mut self.stored[value as usize], true) {
            let (point, reg) = self.defined[value as usize];
            let class = self.class(value);
            self.edits.store(point, register(class, reg), value);
        }
    }

    /// A register that nothing else needs in this instruction, which loses its value if it has one.
    fn take(&mut self, class: usize, hint: u8, not: u32) -> Option<u8> {
        let usable = self.allowed[class] & !self.pinned[class] & !self.reserved[class] & !not;
        let free = self.free[class] & usable;
        if free != 0 {
            let wanted = if hint == NOWHERE { 0 } else { free & 1 << hint };
            let first = free & self.preferred[class];
            let from = [wanted, first, free].into_iter().find(|&set| set != 0)?;
            return Some(from.trailing_zeros().to_le_bytes()[0]);
        }
        let furthest = bits(usable).max_by_key(|&reg| {
            let value = self.at[class][usize::from(reg)];
            (self.next[value as usize], std::cmp::Reverse(reg))
        })?;
        let value = self.at[class][usize::from(furthest)];
        self.store(value);
        self.vacate(value);
        Some(furthest)
    }

    /// The register that a value will be wanted in.
    fn hint(&self, value: u32) -> u8 {
        match self.passed_to[value as usize] {
            NOBODY => NOWHERE,
            param => self.param_reg[param as usize],
        }
    }

    // ---- blocks ------------------------------------------------------------------------------------

    fn block(&mut self, block: usize) -> Option<()> {
        let (start, end) = self.func.blocks[block];
        self.enter(block)?;
        for position in start..end {
            let kind = self.func.insts[position as usize].kind;
            let fixed = matches!(
                kind,
                Kind::Args | Kind::Call | Kind::Div { .. } | Kind::Lanes { .. } | Kind::Ret
            );
            self.inst(position, fixed, matches!(kind, Kind::Call))?;
        }
        self.leave(block, end - 1)
    }

    // ---- instructions ------------------------------------------------------------------------------

    fn inst(&mut self, position: u32, fixed: bool, call: bool) -> Option<()> {
        let func = self.func;
        let inst = &func.insts[position as usize];
        let operands = func.operands_of(inst);
        let first = inst.first as usize;
        self.pinned = [0; 3];
        self.reserved = [0; 3];
        if fixed {
            self.claim(position, operands, first, call)?;
        }
        self.uses(position, operands, first)?;
        for (i, operand) in operands.iter().enumerate() {
            if operand.kind() == OperandKind::Use {
                self.next[operand.vreg().vreg()] = self.live.next_after[first + i];
            }
        }
        self.copies(position, operands, first)?;
        for (i, operand) in operands.iter().enumerate() {
            if operand.kind() == OperandKind::Def && !is_late(operand) {
                self.define(position, operand, first + i, operands, first)?;
            }
        }
        self.release(operands, first, false);
        for (i, operand) in operands.iter().enumerate() {
            if operand.kind() == OperandKind::Def && is_late(operand) {
                self.define(position, operand, first + i, operands, first)?;
            }
        }
        self.release(operands, first, true);
        if call {
            self.after_call(operands, first);
        }
        Some(())
    }

    /// What a call destroys holds nothing any more but its result.
    fn after_call(&mut self, operands: &[Operand], first: usize) {
        for class in 0..3 {
            for reg in bits(self.clobbered[class]) {
                let result =
                    operands[0].class() as usize == class && encoding(self.allocs[first]) == Some(reg);
                if !result {
                    self.drop_value(class, reg);
                }
            }
        }
    }

    /// Takes out of a register whatever is in it; it can be had from the stack if it is still needed.
    fn drop_value(&mut self, class: usize, reg: u8) {
        let value = self.at[class][usize::from(reg)];
        if value != NOBODY {
            if self.next[value as usize] != NEVER {
                self.store(value);
            }
            self.vacate(value);
        }
    }

    /// Clears the registers that the instruction names or destroys of values that must survive it.
    fn claim(&mut self, position: u32, operands: &[Operand], first: usize, call: bool) -> Option<()> {
        let mut early: Sets = [0; 3];
        let mut late: Sets = if call { self.clobbered } else { [0; 3] };
        for operand in operands {
            if let OperandConstraint::FixedReg(reg) = operand.constraint() {
                let set = match (operand.kind(), is_late(operand)) {
                    (OperandKind::Def, true) => &mut late,
                    _ => &mut early,
                };
                set[operand.class() as usize] |= 1 << reg.hw_enc();
                if operand.kind() == OperandKind::Def && !is_late(operand) {
                    late[operand.class() as usize] |= 1 << reg.hw_enc();
                }
            }
        }
        for class in 0..3 {
            for reg in bits((early[class] | late[class]) & self.allowed[class]) {
                let value = self.at[class][usize::from(reg)];
                if value == NOBODY {
                    continue;
                }
                let mut after = self.next[value as usize];
                let mut used = false;
                let mut elsewhere = false;
                for (i, operand) in operands.iter().enumerate() {
                    if operand.kind() == OperandKind::Use && id(operand.vreg()) == value {
                        used = true;
                        after = self.live.next_after[first + i];
                        let here = matches!(operand.constraint(), OperandConstraint::FixedReg(r) if r.hw_enc() == usize::from(reg));
                        elsewhere |= !here && (early[class] >> reg & 1 != 0 || is_late(operand));
                    }
                }
                let survives = after != NEVER;
                let destroyed = late[class] >> reg & 1 != 0;
                let displaced = early[class] >> reg & 1 != 0 && !used;
                if !(survives && destroyed || elsewhere || displaced && survives) {
                    continue;
                }
                self.relocate(position, class, reg, value, early[class] | late[class]);
            }
            self.reserved[class] = early[class];
        }
        // What an instruction destroys holds nothing that survives, but may be read by it.
        self.fixed_uses(position, operands, first);
        Some(())
    }

    /// Moves a value to a register outside `claimed`, or leaves it on the stack.
    fn relocate(&mut self, position: u32, class: usize, reg: u8, value: u32, claimed: u32) {
        let free = self.free[class] & self.allowed[class] & !claimed;
        self.vacate(value);
        if free == 0 {
            self.store(value);
            return;
        }
        let to = free.trailing_zeros().to_le_bytes()[0];
        let point = ProgPoint::before(Inst::new(position as usize));
        self.edits.add(point, register(class, reg), register(class, to));
        self.occupy(class, to, value);
    }

    fn fixed_uses(&mut self, position: u32, operands: &[Operand], first: usize) {
        let point = ProgPoint::before(Inst::new(position as usize));
        for (i, operand) in operands.iter().enumerate() {
            let OperandConstraint::FixedReg(reg) = operand.constraint() else {
                continue;
            };
            let to = Allocation::reg(reg);
            self.allocs[first + i] = to;
            if operand.kind() == OperandKind::Use {
                let (value, class) = (id(operand.vreg()), operand.class() as usize);
                let from = self.location(class, value);
                if from != to {
                    self.edits.add(point, from, to);
                }
            }
        }
    }

    /// Where a value can be read.
    fn location(&self, class: usize, value: u32) -> Allocation {
        match self.place[value as usize] {
            NOWHERE => Edits::slot(value),
            reg => register(class, reg),
        }
    }

    /// Brings the other operands into registers.
    fn uses(&mut self, position: u32, operands: &[Operand], first: usize) -> Option<()> {
        let point = ProgPoint::before(Inst::new(position as usize));
        let is_use = |operand: &Operand| {
            operand.kind() == OperandKind::Use
                && !matches!(operand.constraint(), OperandConstraint::FixedReg(_))
        };
        // Those that are there must not make room for those that are not.
        for operand in operands.iter().filter(|operand| is_use(operand)) {
            let place = self.place[operand.vreg().vreg()];
            if place != NOWHERE {
                self.pinned[operand.class() as usize] |= 1 << place;
            }
        }
        for (i, operand) in operands.iter().enumerate() {
            if !is_use(operand) {
                continue;
            }
            let (value, class) = (id(operand.vreg()), operand.class() as usize);
            if self.place[value as usize] == NOWHERE {
                let reg = self.take(class, NOWHERE, 0)?;
                self.edits.add(point, Edits::slot(value), register(class, reg));
                self.occupy(class, reg, value);
                self.pinned[class] |= 1 << reg;
            }
            self.allocs[first + i] = register(class, self.place[value as usize]);
        }
        Some(())
    }

    /// Copies operands whose register the result takes over although their value lives on.
    fn copies(&mut self, position: u32, operands: &[Operand], first: usize) -> Option<()> {
        let point = ProgPoint::before(Inst::new(position as usize));
        for operand in operands {
            let OperandConstraint::Reuse(tied) = operand.constraint() else {
                continue;
            };
            let (value, class) = (id(operands[tied].vreg()), operand.class() as usize);
            let late_too = operands
                .iter()
                .any(|other| id(other.vreg()) == value && other.kind() == OperandKind::Use && is_late(other));
            if self.next[value as usize] != NEVER || late_too {
                let hint = self.hint(id(operand.vreg()));
                let reg = self.take(class, hint, 0)?;
                let copy = register(class, reg);
                self.edits.add(point, self.allocs[first + tied], copy);
                self.allocs[first + tied] = copy;
                self.pinned[class] |= 1 << reg;
            }
        }
        Some(())
    }

    fn define(
        &mut self,
        position: u32,
        operand: &Operand,
        at: usize,
        operands: &[Operand],
        first: usize,
    ) -> Option<()> {
        let (value, class) = (id(operand.vreg()), operand.class() as usize);
        let reg = match operand.constraint() {
            OperandConstraint::Reuse(tied) => {
                let reg = encoding(self.allocs[first + tied])?;
                let old = id(operands[tied].vreg());
                if self.place[old as usize] == reg {
                    self.vacate(old);
                }
                reg
            }
            OperandConstraint::FixedReg(reg) => {
                let reg = reg.hw_enc().to_le_bytes()[0];
                self.drop_value(class, reg);
                reg
            }
            _ => self.take(class, self.hint(value), 0)?,
        };
        self.allocs[at] = register(class, reg);
        self.next[value as usize] = self.live.next_after[at];
        self.defined[value as usize] = (ProgPoint::after(Inst::new(position as usize)), reg);
        self.occupy(class, reg, value);
        self.pinned[class] |= 1 << reg;
        Some(())
    }

    /// Frees the registers of operands that die: early uses before the results are placed, the rest at the end.
    fn release(&mut self, operands: &[Operand], first: usize, all: bool) {
        if !all {
            self.pinned = [0; 3];
            self.reserved = [0; 3];
        }
        for (i, operand) in operands.iter().enumerate() {
            let (value, class) = (id(operand.vreg()), operand.class() as usize);
            let stays = is_late(operand) || operand.kind() == OperandKind::Def;
            if all || !stays {
                if self.next[value as usize] == NEVER {
                    self.vacate(value);
                }
            } else if let Some(reg) = encoding(self.allocs[first + i])
                && (operand.kind() == OperandKind::Use || !is_late(operand))
            {
                self.pinned[class] |= 1 << reg;
            }
        }
        if !all {
            // Registers that results take over, and those named for them.
            for operand in operands {
                let class = operand.class() as usize;
                match operand.constraint() {
                    OperandConstraint::Reuse(tied) => {
                        if let Some(reg) = encoding(self.allocs[first + tied]) {
                            self.reserved[class] |= 1 << reg;
                        }
                    }
                    OperandConstraint::FixedReg(reg) if operand.kind() == OperandKind::Def => {
                        self.reserved[class] |= 1 << reg.hw_enc();
                    }
                    _ => {}
                }
            }
        }
    }
}

fn encoding(allocation: Allocation) -> Option<u8> {
    allocation.as_reg().map(super::frame::encoding)
}
