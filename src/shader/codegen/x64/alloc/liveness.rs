//! What is live where, and how far away its next use is.

use crate::shader::codegen::x64::inst::MachFunc;
use regalloc2::{Block, OperandKind};

/// No use.
pub(super) const NEVER: u32 = u32::MAX;
/// What leaving a loop adds to a distance: uses inside come first.
pub(super) const LOOP_EXIT: u32 = 1 << 20;
const LIMIT: u32 = 1 << 30;
const NO_BLOCK: u32 = u32::MAX;

/// Facts about the values of a function. Positions are instruction numbers.
pub(super) struct Liveness {
    /// Values live into each block, without its parameters, with the distance from its start to the next use.
    pub live_in: Vec<Vec<(u32, u32)>>,
    /// For each operand the position of the next use of its value after the instruction.
    pub next_after: Vec<u32>,
    /// For each parameter of each block the position of its first use.
    pub param_next: Vec<Vec<u32>>,
    /// Last block of the loop that each block heads, if it heads one.
    pub loop_end: Vec<Option<u32>>,
    /// Most values of each class that are live at once in each block.
    pub pressure: Vec<[u32; 3]>,
    /// First and last position at which each value exists.
    pub range: Vec<(u32, u32)>,
}

struct Analysis<'a> {
    func: &'a MachFunc,
    /// Block that defines each value.
    def_block: Vec<u32>,
    /// Innermost loop of each block, as the range of its blocks.
    loop_of: Vec<Option<(u32, u32)>>,
    out: Liveness,
}

fn index(i: usize) -> u32 {
    u32::try_from(i).unwrap_or(u32::MAX)
}

/// Analyses a function.
pub(super) fn analyse(func: &MachFunc) -> Liveness {
    let blocks = func.blocks.len();
    let (loop_of, loop_end) = loops(func);
    let mut analysis = Analysis {
        func,
        def_block: vec![NO_BLOCK; func.vregs],
        loop_of,
        out: Liveness {
            live_in: vec![Vec::new(); blocks],
            next_after: vec![NEVER; func.operands.len()],
            param_next: Vec::with_capacity(blocks),
            loop_end,
            pressure: Vec::with_capacity(blocks),
            range: vec![(NEVER, 0); func.vregs],
        },
    };
    let exposed = analysis.upward_exposed();
    analysis.flow(&exposed);
    analysis.next_uses();
    analysis.out
}

type Loop = Option<(u32, u32)>;

/// The innermost loop of each block and the end of the loop that each block heads. Loops are contiguous.
fn loops(func: &MachFunc) -> (Vec<Loop>, Vec<Option<u32>>) {
    let blocks = func.blocks.len();
    let mut end = vec![None; blocks];
    for block in 0..blocks {
        for succ in func.succs.get(block) {
            if succ.index() <= block {
                end[succ.index()] = Some(index(block));
            }
        }
    }
    let mut stack: Vec<(u32, u32)> = Vec::new();
    let loop_of = (0..index(blocks))
        .zip(&end)
        .map(|(block, &end)| {
            while stack.last().is_some_and(|&(_, last)| last < block) {
                stack.pop();
            }
            stack.extend(end.map(|end| (block, end)));
            stack.last().copied()
        })
        .collect();
    (loop_of, end)
}

impl Analysis<'_> {
    /// Values that each block uses before it defines them, with the distance of the first use.
    fn upward_exposed(&mut self) -> Vec<Vec<(u32, u32)>> {
        let func = self.func;
        let mut seen = vec![NO_BLOCK; func.vregs];
        let mut out = Vec::with_capacity(func.blocks.len());
        for (block, &(start, end)) in func.blocks.iter().enumerate() {
            let number = index(block);
            let mut exposed = Vec::new();
            for param in func.params.get(block) {
                self.def_block[param.vreg()] = number;
            }
            for position in start..end {
                let operands = func.operands_of(&func.insts[position as usize]);
                let jump_args = if position + 1 == end {
                    func.jump_args.get(block)
                } else {
                    &[]
                };
                let uses = operands
                    .iter()
                    .filter(|operand| operand.kind() == OperandKind::Use)
                    .map(|operand| operand.vreg());
                for value in uses.chain(jump_args.iter().copied()) {
                    let value = value.vreg();
                    if self.def_block[value] != number && seen[value] != number {
                        seen[value] = number;
                        exposed.push((index(value), position - start));
                    }
                }
                for operand in operands {
                    if operand.kind() == OperandKind::Def {
                        self.def_block[operand.vreg().vreg()] = number;
                    }
                }
            }
            out.push(exposed);
        }
        out
    }

    /// What is added to distances on the edge from one block to another.
    fn penalty(&self, from: usize, to: Block) -> u32 {
        let to = index(to.index());
        match self.loop_of[from] {
            Some((first, last)) if to < first || to > last => LOOP_EXIT,
            _ => 0,
        }
    }

    /// Solves for the values live into each block.
    fn flow(&mut self, exposed: &[Vec<(u32, u32)>]) {
        let func = self.func;
        let mut distance = vec![0; func.vregs];
        let mut mark = vec![0u32; func.vregs];
        let mut stamp = 0;
        let cyclic = self.out.loop_end.iter().any(Option::is_some);
        loop {
            let mut changed = false;
            for block in (0..func.blocks.len()).rev() {
                stamp += 1;
                let (start, end) = func.blocks[block];
                let mut list: Vec<(u32, u32)> = exposed[block].clone();
                for &(value, _) in &list {
                    mark[value as usize] = stamp;
                }
                let mut through: Vec<u32> = Vec::new();
                for &succ in func.succs.get(block) {
                    let far = end - start + self.penalty(block, succ);
                    for &(value, near) in &self.out.live_in[succ.index()] {
                        let (v, d) = (value as usize, (near + far).min(LIMIT));
                        if mark[v] != stamp {
                            if self.def_block[v] == index(block) {
                                continue;
                            }
                            mark[v] = stamp;
                            distance[v] = d;
                            through.push(value);
                        } else if d < distance[v] {
                            // Harmless for exposed values, whose distance is taken from their list.
                            distance[v] = d;
                        }
                    }
                }
                list.extend(through.iter().map(|&value| (value, distance[value as usize])));
                changed |= list.len() != self.out.live_in[block].len();
                self.out.live_in[block] = list;
            }
            if !changed || !cyclic {
                return;
            }
        }
    }

    /// Goes through each block backwards with the distances at its end.
    fn next_uses(&mut self) {
        let func = self.func;
        let mut next = vec![NEVER; func.vregs];
        for block in 0..func.blocks.len() {
            let (start, end) = func.blocks[block];
            let mut live = [0u32; 3];
            let mut out = Vec::new();
            for &succ in func.succs.get(block) {
                let far = end + self.penalty(block, succ);
                for &(value, near) in &self.out.live_in[succ.index()] {
                    let v = value as usize;
                    if next[v] == NEVER {
                        out.push(value);
                    }
                    next[v] = next[v].min((near + far).min(NEVER - 1));
                }
            }
            for value in out {
                live[usize::from(func.classes[value as usize])] += 1;
                self.extend(value as usize, end - 1);
            }
            for param in func.jump_args.get(block) {
                self.reach(
                    param.vreg(),
                    end - 1,
                    param.class() as usize,
                    &mut next,
                    &mut live,
                );
            }
            let mut most = live;
            for position in (start..end).rev() {
                self.step(position, &mut next, &mut live);
                for (most, live) in most.iter_mut().zip(live) {
                    *most = (*most).max(live);
                }
            }
            let params = func.params.get(block);
            let first_uses = params.iter().map(|param| next[param.vreg()]).collect();
            for param in params {
                next[param.vreg()] = NEVER;
                self.extend(param.vreg(), start);
            }
            for &(value, _) in &self.out.live_in[block] {
                next[value as usize] = NEVER;
            }
            self.out.param_next.push(first_uses);
            self.out.pressure.push(most);
        }
    }

    /// Notes that a value exists at a position.
    fn extend(&mut self, value: usize, position: u32) {
        let range = &mut self.out.range[value];
        *range = (range.0.min(position), range.1.max(position));
    }

    /// Notes a use.
    fn reach(&mut self, value: usize, position: u32, class: usize, next: &mut [u32], live: &mut [u32; 3]) {
        if next[value] == NEVER {
            live[class] += 1;
        }
        next[value] = position;
        self.extend(value, position);
    }

    fn step(&mut self, position: u32, next: &mut [u32], live: &mut [u32; 3]) {
        let func = self.func;
        let inst = &func.insts[position as usize];
        let operands = func.operands_of(inst);
        let first = inst.first as usize;
        for (i, operand) in operands.iter().enumerate() {
            self.out.next_after[first + i] = next[operand.vreg().vreg()];
        }
        for operand in operands {
            let (value, class) = (operand.vreg().vreg(), operand.class() as usize);
            match operand.kind() {
                OperandKind::Def => {
                    if next[value] != NEVER {
                        live[class] -= 1;
                    }
                    next[value] = NEVER;
                    self.extend(value, position);
                }
                OperandKind::Use => self.reach(value, position, class, next, live),
            }
        }
    }
}
