//! What is where at the start of blocks, and the moves that bring it there.

use super::liveness::{LOOP_EXIT, NEVER};
use super::moves::Edits;
use super::{NOBODY, NOWHERE, Scan, State, bits, id, register};
use crate::shader::codegen::x64::inst::Kind;
use regalloc2::{Allocation, Inst, ProgPoint, RegClass};

impl Scan<'_> {
    /// Takes up the state at the start of a block.
    pub(super) fn enter(&mut self, block: usize) -> Option<()> {
        let (func, start) = (self.func, self.func.blocks[block].0);
        for class in 0..3 {
            for reg in 0..32 {
                let value = self.at[class][reg];
                if value != NOBODY {
                    self.place[value as usize] = NOWHERE;
                }
            }
        }
        let state = self.entries[block].take()?;
        self.entries[block] = Some(state.clone());
        for &value in state.iter().flatten() {
            if value != NOBODY {
                self.next[value as usize] = NEVER;
            }
        }
        for &(value, distance) in &self.live.live_in[block] {
            self.next[value as usize] = start + distance;
        }
        for (param, &next) in func.params.get(block).iter().zip(&self.live.param_next[block]) {
            self.next[param.vreg()] = next;
        }
        self.at = [[NOBODY; 32]; 3];
        self.free = self.allowed;
        for class in 0..3 {
            for reg in bits(self.allowed[class]) {
                let value = state[class][usize::from(reg)];
                if value != NOBODY && self.next[value as usize] != NEVER {
                    self.occupy(class, reg, value);
                }
            }
        }
        let point = ProgPoint::before(Inst::new(start as usize));
        for param in func.params.get(block) {
            let reg = self.place[param.vreg()];
            if reg != NOWHERE {
                self.defined[param.vreg()] = (point, reg);
            }
        }
        Some(())
    }

    /// Hands the state at the end of a block, whose last instruction is at `position`, to its successors.
    pub(super) fn leave(&mut self, block: usize, position: u32) -> Option<()> {
        let func = self.func;
        let kind = func.insts[position as usize].kind;
        if matches!(kind, Kind::Jmp) {
            let target = func.succs.get(block)[0].index();
            if self.entries[target].is_none() {
                let state = self.choose_entry(block, target, position);
                self.entries[target] = Some(Box::new(state));
            }
            return self.pass(block, target, position);
        }
        // These have no other predecessor and no parameters.
        for succ in func.succs.get(block) {
            self.entries[succ.index()] = Some(Box::new(self.at));
        }
        Some(())
    }

    /// Decides what is in registers at the start of `target`: what is used first. The rest is on the stack.
    fn choose_entry(&mut self, block: usize, target: usize, position: u32) -> State {
        let func = self.func;
        let mut state = [[NOBODY; 32]; 3];
        let mut wanted: [Vec<(u32, u32)>; 3] = Default::default();
        let target_start = func.blocks[target].0;
        let crowded = self.crowded(target);
        for &(value, distance) in &self.live.live_in[target] {
            let class = self.class(value);
            let only_through = crowded[class] && distance >= LOOP_EXIT;
            // What a loop uses is fetched before it, not in every turn.
            let fetch = self.live.loop_end[target].is_some() && distance < LOOP_EXIT;
            if (self.place[value as usize] != NOWHERE || fetch) && !only_through {
                wanted[class].push((distance, value));
            }
        }
        let params = func.params.get(target);
        for (param, &next) in params.iter().zip(&self.live.param_next[target]) {
            if next != NEVER {
                wanted[param.class() as usize].push((next.saturating_sub(target_start), id(*param)));
            }
        }
        for (class, list) in wanted.iter_mut().enumerate() {
            list.sort_unstable();
            list.truncate(self.allowed[class].count_ones() as usize);
            let is_param = |value: u32| params.iter().any(|&param| id(param) == value);
            for &(_, value) in list.iter().filter(|&&(_, value)| !is_param(value)) {
                let reg = self.place[value as usize];
                if reg != NOWHERE {
                    state[class][usize::from(reg)] = value;
                }
            }
        }
        self.choose_params(block, target, &wanted, &mut state);
        for (class, list) in wanted.iter().enumerate() {
            for &(_, value) in list {
                let fetched =
                    self.place[value as usize] == NOWHERE && !params.iter().any(|&p| id(p) == value);
                if fetched && let Some(reg) = self.untaken(class, &state) {
                    state[class][usize::from(reg)] = value;
                }
            }
        }
        for (param, &next) in params.iter().zip(&self.live.param_next[target]) {
            if next != NEVER && self.param_reg[param.vreg()] == NOWHERE {
                self.stored[param.vreg()] = true;
                self.edits.pass_on_stack(id(*param), position);
            }
        }
        state
    }

    /// Which classes are short of registers inside the loop that a block heads.
    fn crowded(&self, header: usize) -> [bool; 3] {
        let Some(end) = self.live.loop_end[header] else {
            return [false; 3];
        };
        [0, 1, 2].map(|class| {
            let registers = self.allowed[class].count_ones();
            self.live.pressure[header..=end as usize]
                .iter()
                .any(|pressure| pressure[class] > registers)
        })
    }

    /// Places parameters, in the register of their argument where that is free.
    fn choose_params(
        &mut self,
        block: usize,
        target: usize,
        wanted: &[Vec<(u32, u32)>; 3],
        state: &mut State,
    ) {
        let pairs: Vec<(u32, u32, usize)> = self
            .func
            .params
            .get(target)
            .iter()
            .zip(self.func.jump_args.get(block))
            .map(|(&param, &arg)| (id(param), id(arg), param.class() as usize))
            .filter(|&(param, _, class)| wanted[class].iter().any(|&(_, value)| value == param))
            .collect();
        for &(param, arg, class) in &pairs {
            let reg = self.place[arg as usize];
            if reg != NOWHERE && state[class][usize::from(reg)] == NOBODY {
                state[class][usize::from(reg)] = param;
                self.param_reg[param as usize] = reg;
            }
        }
        for &(param, _, class) in &pairs {
            if self.param_reg[param as usize] != NOWHERE {
                continue;
            }
            if let Some(reg) = self.untaken(class, state) {
                state[class][usize::from(reg)] = param;
                self.param_reg[param as usize] = reg;
            }
        }
    }

    /// A register that a state leaves empty, best one that is empty now.
    fn untaken(&self, class: usize, state: &State) -> Option<u8> {
        let untaken = bits(self.allowed[class])
            .filter(|&reg| state[class][usize::from(reg)] == NOBODY)
            .fold(0, |set, reg| set | 1u32 << reg);
        let free = untaken & self.free[class];
        let best = [free & self.preferred[class], free, untaken];
        let set = best.into_iter().find(|&set| set != 0)?;
        Some(set.trailing_zeros().to_le_bytes()[0])
    }

    /// Moves everything to where `target` expects it.
    fn pass(&mut self, block: usize, target: usize, position: u32) -> Option<()> {
        let func = self.func;
        let state = self.entries[target].clone()?;
        let mut moves: Vec<(Allocation, Allocation, RegClass)> = Vec::new();
        let mut busy = [0u32; 3];
        for class in 0..3 {
            for reg in bits(self.allowed[class]) {
                if state[class][usize::from(reg)] != NOBODY {
                    busy[class] |= 1 << reg;
                }
            }
        }
        let live_in = std::mem::take(&mut self.live.live_in[target]);
        for &(value, _) in &live_in {
            let class = self.class(value);
            match bits(busy[class]).find(|&reg| state[class][usize::from(reg)] == value) {
                Some(reg) => {
                    let (from, to) = (self.location(class, value), register(class, reg));
                    if from != to {
                        moves.push((from, to, super::CLASSES[class]));
                    }
                }
                None => self.store(value),
            }
        }
        self.live.live_in[target] = live_in;
        let next = std::mem::take(&mut self.live.param_next[target]);
        let args = func.jump_args.get(block);
        for ((&param, &arg), &next) in func.params.get(target).iter().zip(args).zip(&next) {
            if next == NEVER {
                continue;
            }
            let class = param.class() as usize;
            let from = self.location(class, id(arg));
            let to = match self.param_reg[param.vreg()] {
                NOWHERE => {
                    self.edits.pass_on_stack(id(param), position);
                    Edits::slot(id(param))
                }
                reg => register(class, reg),
            };
            if from != to {
                moves.push((from, to, param.class()));
            }
        }
        self.live.param_next[target] = next;
        let idle = [0, 1, 2].map(|class| self.free[class] & !busy[class]);
        let point = ProgPoint::before(Inst::new(position as usize));
        self.edits.parallel(point, &mut moves, idle);
        Some(())
    }
}
