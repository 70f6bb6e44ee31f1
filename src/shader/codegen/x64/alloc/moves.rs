//! Edits in order, parallel moves, and stack slots.

use super::{CLASSES, NOBODY, bits, encoding, register};
use crate::shader::codegen::x64::inst::MachFunc;
use regalloc2::{Allocation, Edit, Function, PReg, ProgPoint, RegClass, SpillSlot};

/// The edits so far. Slots are numbered by the value they hold until the end.
pub(super) struct Edits {
    list: Vec<(ProgPoint, Priority, Allocation, Allocation)>,
    /// Slots used, by value, or beyond the values for temporaries.
    used: Vec<bool>,
    /// Classes of temporary slots.
    temporaries: Vec<RegClass>,
    values: usize,
    /// Parameters on the stack, with each position where they are passed.
    stack_params: Vec<(u32, u32)>,
}

/// Order at one point.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Priority {
    /// Stores at definitions.
    Store,
    Other,
}

impl Edits {
    pub(super) fn new(values: usize) -> Edits {
        Edits {
            list: Vec::new(),
            used: vec![false; values],
            temporaries: Vec::new(),
            values,
            stack_params: Vec::new(),
        }
    }

    /// The slot of a value.
    pub(super) fn slot(value: u32) -> Allocation {
        Allocation::stack(SpillSlot::new(value as usize))
    }

    /// A store where a value is defined.
    pub(super) fn store(&mut self, point: ProgPoint, from: Allocation, value: u32) {
        self.used[value as usize] = true;
        self.list.push((point, Priority::Store, from, Edits::slot(value)));
    }

    /// A move, after those already added at this point.
    pub(super) fn add(&mut self, point: ProgPoint, from: Allocation, to: Allocation) {
        self.list.push((point, Priority::Other, from, to));
    }

    /// A parameter that is passed on the stack at `position`.
    pub(super) fn pass_on_stack(&mut self, value: u32, position: u32) {
        self.used[value as usize] = true;
        self.stack_params.push((value, position));
    }

    fn temporary(&mut self, class: RegClass) -> Allocation {
        self.temporaries.push(class);
        Allocation::stack(SpillSlot::new(self.values + self.temporaries.len() - 1))
    }

    /// Moves that happen at once, one after another. `free` are registers that hold nothing before and are
    /// wanted for nothing after.
    pub(super) fn parallel(
        &mut self,
        point: ProgPoint,
        moves: &mut Vec<(Allocation, Allocation, RegClass)>,
        free: [u32; 3],
    ) {
        while !moves.is_empty() {
            let ready = (0..moves.len()).find(|&i| {
                let to = moves[i].1;
                moves
                    .iter()
                    .enumerate()
                    .all(|(other, &(from, ..))| other == i || from != to)
            });
            if let Some(i) = ready {
                let (from, to, class) = moves.swap_remove(i);
                self.one(point, from, to, class, free);
                continue;
            }
            // Only cycles are left: one value steps aside.
            let (from, _, class) = moves[0];
            let aside = match bits(free[class as usize]).next() {
                Some(reg) if !uses(moves, class, reg) => register(class as usize, reg),
                _ => self.temporary(class),
            };
            self.one(point, from, aside, class, free);
            for entry in moves.iter_mut().filter(|entry| entry.0 == from) {
                entry.0 = aside;
            }
        }
    }

    /// One move; from slot to slot it goes through a register.
    fn one(&mut self, point: ProgPoint, from: Allocation, to: Allocation, class: RegClass, free: [u32; 3]) {
        if from.is_reg() || to.is_reg() {
            self.add(point, from, to);
            return;
        }
        // The last free register: a value that steps aside takes the first.
        let spare = bits(free[class as usize]).skip(1).last();
        if let Some(reg) = spare {
            let through = register(class as usize, reg);
            self.add(point, from, through);
            self.add(point, through, to);
            return;
        }
        // Any register will do for a moment.
        let borrowed = Allocation::reg(PReg::new(1, class));
        let kept = self.temporary(class);
        self.add(point, borrowed, kept);
        self.add(point, from, borrowed);
        self.add(point, borrowed, to);
        self.add(point, kept, borrowed);
    }

    /// The edits in order of the code, with slots in the frame, and the size of the frame in slots.
    pub(super) fn finish(
        &mut self,
        func: &MachFunc,
        ranges: &[(u32, u32)],
    ) -> (Vec<(ProgPoint, Edit)>, usize) {
        let (slots, size) = self.assign_slots(func, ranges);
        self.list.sort_by_key(|&(point, priority, ..)| (point, priority));
        let place = |allocation: Allocation| match allocation.as_stack() {
            Some(slot) => Allocation::stack(SpillSlot::new(slots[slot.index()] as usize)),
            None => allocation,
        };
        let edits = self.list.iter().map(|&(point, _, from, to)| {
            let (from, to) = (place(from), place(to));
            (point, Edit::Move { from, to })
        });
        (edits.collect(), size)
    }

    /// Gives each value on the stack a slot that no other uses while it lives.
    fn assign_slots(&self, func: &MachFunc, ranges: &[(u32, u32)]) -> (Vec<u32>, usize) {
        let mut slots = vec![0; self.values + self.temporaries.len()];
        let mut ranges = ranges.to_vec();
        for &(value, position) in &self.stack_params {
            let range = &mut ranges[value as usize];
            *range = (range.0.min(position), range.1.max(position));
        }
        let mut intervals: Vec<(u32, u32, u32)> = (0..)
            .zip(&self.used)
            .filter(|(_, used)| **used)
            .map(|(value, _)| {
                let (start, end) = ranges[value as usize];
                (start, end, value)
            })
            .collect();
        intervals.sort_unstable();
        let mut size = 0;
        // By class: free slots, and slots in use with the end of their interval.
        let mut free: [Vec<u32>; 3] = Default::default();
        let mut busy: [Vec<(u32, u32)>; 3] = Default::default();
        let mut fresh = |class: usize| {
            let units = func.spillslot_size(CLASSES[class]);
            size = usize::next_multiple_of(size, units) + units;
            u32::try_from(size - units).unwrap_or(NOBODY)
        };
        for (start, end, value) in intervals {
            let class = usize::from(func.classes[value as usize]);
            let (free, busy) = (&mut free[class], &mut busy[class]);
            busy.retain(|&(last, slot)| {
                let ends = last < start;
                if ends {
                    free.push(slot);
                }
                !ends
            });
            let slot = free.pop().unwrap_or_else(|| fresh(class));
            busy.push((end, slot));
            slots[value as usize] = slot;
        }
        for (i, &class) in self.temporaries.iter().enumerate() {
            slots[self.values + i] = fresh(class as usize);
        }
        (slots, size)
    }
}

/// Whether a register takes part in moves.
fn uses(moves: &[(Allocation, Allocation, RegClass)], class: RegClass, reg: u8) -> bool {
    let named = |allocation: Allocation| {
        encoding(allocation) == Some(reg) && allocation.as_reg().is_some_and(|r| r.class() == class)
    };
    moves.iter().any(|&(from, to, _)| named(from) || named(to))
}
