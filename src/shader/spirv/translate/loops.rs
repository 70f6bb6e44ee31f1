//! Loops.
//!
//! What comes back to the header is only known once the body is there. So the body is emitted on the
//! assumption that variables stay uniform if they enter uniform, that no lane leaves on its own, and so on;
//! where the back edge shows otherwise it is written down in the loop's [`Notes`], the body is thrown away and
//! emitted again. The notes only grow, and they are kept when an outer loop is emitted again.

use super::state::{Field, Goal, Pending, State, get, set, take_scalar};
use super::value::scalar_types;
use super::{Mark, Origin, Translator};
use crate::shader::abi::{Context, Status};
use crate::shader::ir::{BlockId, Type, Value};
use crate::shader::spirv::SpirvError;
use crate::shader::spirv::error::Result;
use crate::shader::spirv::structure::Loop;
use crate::shader::spirv::types::Leaf;
use rustc_hash::FxHashSet;
use std::mem::offset_of;

/// Rounds after which everything is taken to vary.
const PATIENCE: u32 = 6;
/// Rounds after which something is wrong with the notes.
const MAX_ROUNDS: u32 = 64;

/// Work of a loop's body that a turn pays with one unit of fuel.
const WORK_PER_FUEL: u64 = 8;

/// What earlier attempts at a loop have shown.
#[derive(Clone, Debug, Default)]
pub(super) struct Notes {
    rounds: u32,
    /// Fields that change from one iteration to the next.
    changing: FxHashSet<FieldKey>,
    /// Fields that do not stay uniform.
    varying: FxHashSet<FieldKey>,
}

type FieldKey = (u8, usize, usize);

fn key(field: Field) -> FieldKey {
    match field {
        Field::Exec => (0, 0, 0),
        Field::Coverage => (1, 0, 0),
        Field::Env(slot) => (2, slot, 0),
        Field::Mask(t) => (3, t, 0),
        Field::Cap(t, slot) => (4, t, slot),
    }
}

/// A field that the header takes as parameters.
#[derive(Clone, Copy, Debug)]
struct Param {
    field: Field,
    leaf: Leaf,
    varying: bool,
    /// Whether the values are taken to be the same in every lane.
    uniform: bool,
}

/// Everything an attempt changes.
struct Saved {
    blocks: usize,
    values: usize,
    block: BlockId,
    insts: usize,
    frame: u32,
    slots: usize,
    splits: usize,
    edges: Vec<usize>,
    mark: Mark,
    state: Option<State>,
    nonempty: Option<Value>,
}

impl Translator<'_, '_> {
    /// Emits a loop.
    pub(super) fn repeat(&mut self, node: &Loop) -> Result<()> {
        let id = (self.instance()?.id, node.header);
        let mut notes = self.loop_notes.remove(&id).unwrap_or_default();
        let saved = self.save();
        let kills = self.kills;
        while !self.attempt(node, &mut notes)? {
            notes.rounds += 1;
            if notes.rounds > MAX_ROUNDS {
                return Err(SpirvError::TooLarge("a loop"));
            }
            self.restore(&saved);
            self.check_size()?;
        }
        self.forget(saved.mark);
        self.loop_notes.insert(id, notes);
        if let (Some(before), Some(after)) = (&saved.state, &mut self.state) {
            // Where lanes could only leave through the end of the loop, all who came in come out.
            let masks = |state: &State| -> Vec<Option<Value>> {
                state
                    .pend
                    .iter()
                    .map(|pending| pending.as_ref().map(|p| p.mask))
                    .collect()
            };
            if kills == self.kills && masks(before) == masks(after) && after.exec.is_some() {
                after.exec = before.exec;
            }
        }
        Ok(())
    }

    fn save(&mut self) -> Saved {
        self.catch_up();
        let block = self.b.block();
        Saved {
            blocks: self.b.func.blocks.len(),
            values: self.b.func.types.len(),
            block,
            insts: self.b.func.blocks[block.index()].insts.len(),
            frame: self.b.func.frame_bytes,
            slots: self.slots.len(),
            splits: self.splits.len(),
            edges: self.targets.iter().map(|target| target.edges.len()).collect(),
            mark: self.mark(),
            state: self.state.clone(),
            nonempty: self.nonempty,
        }
    }

    fn restore(&mut self, saved: &Saved) {
        self.discarded += self.b.func.types.len() - saved.values;
        self.b.func.blocks.truncate(saved.blocks);
        self.b.func.types.truncate(saved.values);
        let block = &mut self.b.func.blocks[saved.block.index()];
        block.insts.truncate(saved.insts);
        block.term = None;
        self.b.func.frame_bytes = saved.frame;
        self.uniform.truncate(saved.values);
        self.defs.truncate(saved.values);
        self.slots.truncate(saved.slots);
        self.splits.truncate(saved.splits);
        self.targets.truncate(saved.edges.len());
        for (target, &len) in self.targets.iter_mut().zip(&saved.edges) {
            target.edges.truncate(len);
        }
        self.forget(saved.mark);
        self.state = saved.state.clone();
        self.nonempty = saved.nonempty;
        self.b.switch_to(saved.block);
        self.cursor = (saved.block, saved.insts);
    }

    /// Emits a loop as the notes have it; `false` if they were wrong.
    fn attempt(&mut self, node: &Loop, notes: &mut Notes) -> Result<bool> {
        let exit = self.push_target(Goal::Block(node.merge), self.slots.len());
        let params = self.open_header(node, notes, exit)?;
        let header = self.b.block();
        let work = self.work;
        let mark = self.mark();
        let Some(at_header) = self.state.clone() else {
            return Ok(true);
        };
        let back = self.push_target(Goal::Block(node.header), self.slots.len());
        self.targets[back].back = true;
        if node.cont != node.header {
            self.push_target(Goal::Block(node.cont), self.slots.len());
        }
        self.region(&node.body)?;
        if node.cont != node.header {
            self.land();
            if self.state.as_ref().is_some_and(|state| state.exec.is_some()) {
                self.region(&node.cont_body)?;
            }
        }
        self.land();
        if let Some(state) = self.state.clone() {
            if state.exec.is_none() {
                // Nobody comes back.
                self.jump(exit);
                let block = self.b.block();
                if let Some(state) = self.state.take() {
                    self.targets[exit].edges.push((block, state));
                }
            } else {
                if !self.check(node, notes, &params, &at_header, &state, exit) {
                    return Ok(false);
                }
                let cost = turn_cost(self.work - work);
                let origin = self.loop_origin(node)?;
                let outer = std::mem::replace(&mut self.b.origin, origin);
                self.turn(header, &params, &at_header, exit, cost);
                self.b.origin = outer;
            }
        }
        self.nonempty = None;
        self.forget(mark);
        self.land();
        Ok(true)
    }

    /// Begins the header's block and gives its parameters.
    fn open_header(&mut self, node: &Loop, notes: &Notes, exit: usize) -> Result<Vec<Param>> {
        let Some(mut state) = self.state.clone() else {
            return Ok(Vec::new());
        };
        let entered_with_lanes = state.exec.is_some() && state.exec == self.nonempty;
        let mut fields = Vec::new();
        let noted = |field: Field| notes.changing.contains(&key(field));
        fields.extend([Field::Exec, Field::Coverage].into_iter().filter(|&f| noted(f)));
        for slot in 0..state.env.len() {
            if noted(Field::Env(slot)) || self.carried(node, slot)? {
                fields.push(Field::Env(slot));
            }
        }
        let carried: FxHashSet<usize> = fields
            .iter()
            .filter_map(|field| match field {
                Field::Env(slot) => Some(*slot),
                _ => None,
            })
            .collect();
        for t in 0..=exit {
            if !noted(Field::Mask(t)) {
                continue;
            }
            fields.push(Field::Mask(t));
            let len = self.targets[t].env_len.min(state.env.len());
            if state.pend[t].is_none() {
                let mut caps = state.env.clone();
                caps.truncate(len);
                state.pend[t] = Some(Pending {
                    mask: self.mask(false),
                    caps,
                });
            }
            for slot in 0..len {
                let lives = carried.contains(&slot) && self.live_after(node, t == exit, slot)?;
                if lives || noted(Field::Cap(t, slot)) {
                    fields.push(Field::Cap(t, slot));
                }
            }
        }
        let params = fields
            .iter()
            .map(|&field| self.param(&state, notes, field))
            .collect::<Vec<_>>();
        let types: Vec<Type> = params
            .iter()
            .flat_map(|p| scalar_types(p.leaf, p.varying))
            .collect();
        let mut args = Vec::with_capacity(types.len());
        for param in &params {
            self.pass(&state, param, &mut args);
        }
        let (block, values) = self.b.add_block(&types);
        self.b.jump(block, &args);
        self.switch_to(block);
        let mut rest = values.into_iter();
        for param in &params {
            let s = take_scalar(param.leaf, param.varying, &mut rest);
            for value in [s.lo, s.hi] {
                if value != Value::NONE {
                    self.uniform[value.index()] = param.uniform;
                }
            }
            set(&mut state, param.field, s);
        }
        if entered_with_lanes {
            // And so does the way back.
            self.nonempty = state.exec;
        }
        self.state = Some(state);
        Ok(params)
    }

    /// Appends the arguments for one parameter.
    fn pass(&mut self, state: &State, param: &Param, args: &mut Vec<Value>) {
        let now = get(state, param.field);
        let now = match now {
            Some(s) if !param.varying => self.as_uniform(s).filter(|_| !is_float(param.leaf)).or(now),
            now => now,
        };
        let s = self.conform(now, param.leaf, param.varying);
        args.push(s.lo);
        if s.hi != Value::NONE {
            args.push(s.hi);
        }
    }

    /// Decides the form of a parameter.
    fn param(&mut self, state: &State, notes: &Notes, field: Field) -> Param {
        let leaf = self.leaf_of(field);
        let tracked = matches!(field, Field::Env(_));
        let stays = tracked && notes.rounds < PATIENCE && !notes.varying.contains(&key(field));
        let uniform = stays
            && match get(state, field) {
                Some(s) => self.is_uniform(s.lo) && (s.hi == Value::NONE || self.is_uniform(s.hi)),
                None => true,
            };
        Param {
            field,
            leaf,
            varying: !uniform || is_float(leaf),
            uniform,
        }
    }

    /// Whether a slot is sure to need a parameter.
    fn carried(&self, node: &Loop, slot: usize) -> Result<bool> {
        let instance = self.instance()?;
        Ok(match self.slots[slot].origin {
            Origin::Variable(id, var) if id == instance.id => {
                let info = &instance.info;
                let stored = info.uses.get(&var).is_some_and(|uses| {
                    uses.stores
                        .iter()
                        .any(|place| info.cfg.inside(place.2, node.region))
                });
                stored && (info.exposed(var, node.region) || info.live_after(var, node.region))
            }
            Origin::Phi(id, block, _) => id == instance.id && block == node.header,
            _ => false,
        })
    }

    /// Whether a slot may be read behind the loop (or behind an outer target that its body jumps to).
    fn live_after(&self, node: &Loop, own_exit: bool, slot: usize) -> Result<bool> {
        let instance = self.instance()?;
        let info = &instance.info;
        Ok(match self.slots[slot].origin {
            _ if !own_exit => true,
            Origin::Variable(id, var) if id == instance.id => info.live_after(var, node.region),
            Origin::Phi(id, block, phi) if id == instance.id => {
                !info.cfg.inside(info.cfg.blocks[block].region, node.region)
                    || info.cfg.used_outside(phi, node.region)
            }
            Origin::Escape(id, value) if id == instance.id => info.cfg.used_outside(value, node.region),
            _ => true,
        })
    }

    /// Whether a slot that changes without a parameter has to get one.
    fn must_carry(&self, node: &Loop, slot: usize) -> Result<bool> {
        let instance = self.instance()?;
        let info = &instance.info;
        Ok(match self.slots[slot].origin {
            Origin::Variable(id, var) if id == instance.id => {
                info.exposed(var, node.region) || info.live_after(var, node.region)
            }
            Origin::Phi(id, ..) | Origin::Escape(id, _) if id == instance.id => false,
            _ => true,
        })
    }

    /// Compares what comes back with what the header assumed; notes what differs.
    fn check(
        &mut self,
        node: &Loop,
        notes: &mut Notes,
        params: &[Param],
        before: &State,
        now: &State,
        exit: usize,
    ) -> bool {
        let known: FxHashSet<FieldKey> = params.iter().map(|param| key(param.field)).collect();
        let mut fields = vec![Field::Exec, Field::Coverage];
        let changed = before.env.differences(&now.env, before.env.len());
        fields.extend(changed.into_iter().map(Field::Env));
        for t in 0..=exit {
            if before.pend[t].is_none() && now.pend[t].is_none() {
                continue;
            }
            fields.push(Field::Mask(t));
            if before.pend[t].is_some() {
                let len = self.targets[t].env_len.min(before.env.len());
                fields.extend(
                    changed_caps(before, now, t, len)
                        .into_iter()
                        .map(|s| Field::Cap(t, s)),
                );
            }
        }
        let mut good = true;
        for field in fields {
            if known.contains(&key(field)) || get(before, field) == get(now, field) {
                continue;
            }
            let matters = match field {
                Field::Env(slot) => self.must_carry(node, slot),
                Field::Cap(t, slot) => self.live_after(node, t == exit, slot),
                _ => Ok(true),
            };
            if matters.unwrap_or(true) {
                notes.changing.insert(key(field));
                good = false;
            }
        }
        for param in params.iter().filter(|param| param.uniform) {
            let stays = match get(now, param.field) {
                Some(s) => self.is_uniform(s.lo) && (s.hi == Value::NONE || self.is_uniform(s.hi)),
                None => true,
            };
            if !stays {
                notes.varying.insert(key(param.field));
                good = false;
            }
        }
        good
    }

    /// Emits the back edge: leave if no lane is left, stop if out of fuel, go back to the header.
    fn turn(&mut self, header: BlockId, params: &[Param], before: &State, exit: usize, cost: i64) {
        let Some(state) = self.state.clone() else {
            return;
        };
        if state.exec != before.exec
            && state.exec != self.nonempty
            && let Some(exec) = state.exec
        {
            let some = self.b.many(exec);
            let (go_on, _) = self.b.add_block(&[]);
            let (leave, _) = self.b.add_block(&[]);
            self.b.branch(some, (go_on, &[]), (leave, &[]));
            let mut left = state.clone();
            left.exec = None;
            self.targets[exit].edges.push((leave, left));
            self.switch_to(go_on);
        }
        self.burn_fuel(cost);
        let mut args = Vec::new();
        for param in params {
            self.pass(&state, param, &mut args);
        }
        self.b.jump(header, &args);
        self.state = None;
    }

    /// The instruction that stands for a loop: its `OpLoopMerge`.
    fn loop_origin(&self, node: &Loop) -> Result<u32> {
        let block = &self.instance()?.info.cfg.blocks[node.header];
        let inst = self.source.code.inst(block.term.saturating_sub(1));
        Ok(inst.offset())
    }

    /// Counts a turn of a loop; leaves the kernel when there were too many.
    fn burn_fuel(&mut self, cost: i64) {
        let (ctx, at) = (self.start.ctx, offset_of!(Context, fuel) as i64);
        let fuel = self.b.lload(ctx, at);
        let fuel = self.b.ladd_imm(fuel, -cost);
        self.b.lstore(ctx, fuel, at);
        let zero = self.s64(0);
        let spent = self.b.llt_s(fuel, zero);
        let (stop, _) = self.b.add_block(&[]);
        let (go_on, _) = self.b.add_block(&[]);
        self.b.branch(spent, (stop, &[]), (go_on, &[]));
        self.switch_to(stop);
        let exec = self.exec();
        let origin = i64::from(self.b.origin);
        let (origin, lanes) = (self.b.sconst(origin), self.b.mbits(exec));
        self.b.sstore(ctx, origin, offset_of!(Context, stopped_at) as i64);
        self.b
            .sstore(ctx, lanes, offset_of!(Context, stopped_lanes) as i64);
        let status = self.b.sconst(Status::OutOfFuel as i64);
        self.b.ret(status);
        self.switch_to(go_on);
    }
}

/// Fuel that a turn of a loop takes, by the work of its body.
fn turn_cost(work: u64) -> i64 {
    i64::try_from(work / WORK_PER_FUEL).unwrap_or(i64::MAX).max(1)
}

/// Slots whose values for those who wait at a target differ.
fn changed_caps(before: &State, now: &State, t: usize, len: usize) -> Vec<usize> {
    let held = |state: &State| {
        state.pend[t]
            .as_ref()
            .map_or_else(|| state.env.clone(), |p| p.caps.clone())
    };
    held(before).differences(&held(now), len)
}

fn is_float(leaf: Leaf) -> bool {
    matches!(leaf, Leaf::Float(_))
}
