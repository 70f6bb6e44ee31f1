//! Where each lane is: running, waiting somewhere, or gone.
//!
//! The walk keeps one [`State`] for the point it has reached: the lanes that run (`exec`), what every variable
//! holds (`env`), and for each enclosing [`Target`] the lanes that have jumped to it while others went on
//! (`pend`), with what the variables held when they did. A jump that all running lanes take, with nobody
//! waiting in between, is a branch of the IR; any other jump only moves lanes from `exec` to `pend`.
//! Landing on a target brings both kinds together: block parameters for branches, selects for waiting lanes.

use super::Translator;
use super::env::Env;
use super::value::{Scalar, scalar_types};
use crate::shader::ir::{BlockId, Type, Value};
use crate::shader::spirv::types::Leaf;
use smallvec::SmallVec;

/// Lanes that wait at a target.
#[derive(Clone, Debug)]
pub(super) struct Pending {
    pub(super) mask: Value,
    /// What the variables held for them.
    pub(super) caps: Env,
}

/// Where each lane is.
#[derive(Clone, Debug)]
pub(super) struct State {
    /// Lanes that run; `None` when it is certain that there are none.
    pub(super) exec: Option<Value>,
    /// Lanes whose side effects count, among those that run or wait.
    pub(super) coverage: Value,
    pub(super) env: Env,
    /// Lanes that wait, for each target on the stack.
    pub(super) pend: Vec<Option<Pending>>,
}

impl State {
    /// A state in which nobody is anywhere.
    pub(super) fn empty(coverage: Value) -> State {
        State {
            exec: None,
            coverage,
            env: Env::default(),
            pend: Vec::new(),
        }
    }
}

/// What a target stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Goal {
    /// A block of the function being translated.
    Block(usize),
    /// The end of the function being translated.
    Return,
    /// Nothing can jump there; it only marks lanes that are set aside.
    Aside,
}

/// A place that lanes can jump to.
#[derive(Debug)]
pub(super) struct Target {
    pub(super) goal: Goal,
    /// Lanes are set aside here that no mask of the state knows of: nothing may branch past.
    pub(super) blocking: bool,
    /// Branches, not yet terminated.
    pub(super) edges: Vec<(BlockId, State)>,
    /// Whether it is the header of a loop.
    pub(super) back: bool,
    /// Slots that are of interest behind the target.
    pub(super) env_len: usize,
}

/// A scalar of a state that differs between edges.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Field {
    Exec,
    Coverage,
    Env(usize),
    Mask(usize),
    Cap(usize, usize),
}

impl Translator<'_, '_> {
    /// Opens a target.
    pub(super) fn push_target(&mut self, goal: Goal, env_len: usize) -> usize {
        self.targets.push(Target {
            goal,
            blocking: false,
            back: false,
            edges: Vec::new(),
            env_len,
        });
        if let Some(state) = &mut self.state {
            state.pend.push(None);
        }
        self.targets.len() - 1
    }

    /// Whether the running lanes can leave for a target by a branch.
    fn can_branch(&self, target: usize) -> bool {
        let Some(state) = &self.state else {
            return false;
        };
        !self.targets[target].blocking
            && (target + 1..self.targets.len()).all(|t| !self.targets[t].blocking && state.pend[t].is_none())
    }

    /// All running lanes jump to a target.
    pub(super) fn jump(&mut self, target: usize) {
        if self.can_branch(target) {
            self.branch_to(target);
            return;
        }
        let Some(state) = &mut self.state else {
            return;
        };
        if let Some(exec) = state.exec.take() {
            self.wait_at(target, exec);
        }
    }

    /// Ends this piece of flow with a branch to a target.
    fn branch_to(&mut self, target: usize) {
        let block = self.b.block();
        if let Some(mut state) = self.state.take() {
            state.pend.truncate(target + 1);
            self.targets[target].edges.push((block, state));
        }
    }

    /// Lanes of the mask begin to wait at a target, with the variables as they are.
    pub(super) fn wait_at(&mut self, target: usize, mask: Value) {
        let Some(state) = &self.state else {
            return;
        };
        let len = self.targets[target].env_len;
        let env = state.env.clone();
        let pending = match state.pend[target].clone() {
            None => {
                let mut caps = env;
                caps.truncate(len);
                Pending { mask, caps }
            }
            Some(old) => {
                let mut caps = old.caps.clone();
                for slot in env.differences(&old.caps, len) {
                    let value = match (env.get(slot), old.caps.get(slot)) {
                        (Some(now), Some(before)) => Some(self.blend(mask, now, before)),
                        (now, before) => now.or(before),
                    };
                    caps.set(slot, value);
                }
                Pending {
                    mask: self.b.mor(old.mask, mask),
                    caps,
                }
            }
        };
        if let Some(state) = &mut self.state {
            state.pend[target] = Some(pending);
        }
    }

    /// Leaves by a branch if no lane runs any more: towards the innermost target where lanes wait, or the end.
    pub(super) fn leave_if_none(&mut self) {
        let Some(state) = &self.state else {
            return;
        };
        let Some(exec) = state.exec.filter(|&exec| self.nonempty != Some(exec)) else {
            return;
        };
        let target = state.pend.iter().rposition(Option::is_some).unwrap_or(0);
        if !self.can_branch(target) {
            return;
        }
        let some = self.b.many(exec);
        let (go_on, _) = self.b.add_block(&[]);
        let (leave, _) = self.b.add_block(&[]);
        self.b.branch(some, (go_on, &[]), (leave, &[]));
        let mut left = state.clone();
        left.exec = None;
        left.pend.truncate(target + 1);
        self.targets[target].edges.push((leave, left));
        self.switch_to(go_on);
        self.nonempty = Some(exec);
    }

    /// Brings together all who jumped to the innermost target, and closes it. Lanes that still run arrive too.
    pub(super) fn land(&mut self) {
        let Some(target) = self.targets.pop() else {
            return;
        };
        let index = self.targets.len();
        let mut edges = target.edges;
        if let Some(state) = self.state.take() {
            edges.push((self.b.block(), state));
        }
        let mark = self.mark();
        for (block, state) in &mut edges {
            self.switch_to(*block);
            self.absorb(state, index);
            // What one edge has made does not reach the others.
            self.forget(mark);
            state.pend.truncate(index);
            state.env.truncate(target.env_len);
        }
        self.join(edges);
    }

    /// Lanes that wait at a target run again.
    fn absorb(&mut self, state: &mut State, target: usize) {
        let Some(pending) = state.pend.get_mut(target).and_then(Option::take) else {
            return;
        };
        let len = self.targets.get(target).map_or(usize::MAX, |t| t.env_len);
        let Some(exec) = state.exec else {
            state.exec = Some(pending.mask);
            for slot in state.env.differences(&pending.caps, len.min(pending.caps.len())) {
                let value = pending.caps.get(slot).or(state.env.get(slot));
                state.env.set(slot, value);
            }
            return;
        };
        let (exec, mask) = self.meet(exec, pending.mask);
        state.exec = Some(exec);
        let len = state.env.len().min(pending.caps.len());
        for slot in state.env.differences(&pending.caps, len) {
            let value = match (pending.caps.get(slot), state.env.get(slot)) {
                (Some(cap), Some(now)) => Some(self.blend(mask, cap, now)),
                (cap, now) => cap.or(now),
            };
            state.env.set(slot, value);
        }
    }

    /// The lanes of both masks, and a mask that tells the waiting from the running. The two halves of a
    /// divergent selection give back the whole.
    fn meet(&mut self, running: Value, waiting: Value) -> (Value, Value) {
        for split in self.splits.iter().rev() {
            if split.0 == waiting && split.1 == running {
                return (split.2, split.3);
            }
        }
        (self.b.mor(running, waiting), waiting)
    }

    /// Brings branches together. The builder stands behind them afterwards; without any, the rest is dead.
    pub(super) fn join(&mut self, mut edges: Vec<(BlockId, State)>) {
        if edges.len() < 2 {
            match edges.pop() {
                Some((block, state)) => {
                    self.switch_to(block);
                    self.state = Some(state);
                }
                None => self.state = None,
            }
            return;
        }
        let fields = differing(&edges);
        let mut kinds = Vec::with_capacity(fields.len());
        for &field in &fields {
            let leaf = self.leaf_of(field);
            let values = || edges.iter().filter_map(|(_, state)| get(state, field));
            let varying = leaf == Leaf::Bool && !matches!(field, Field::Env(_) | Field::Cap(..))
                || values().any(|s| self.is_varying(s));
            kinds.push((leaf, varying));
        }
        let types: Vec<Type> = kinds
            .iter()
            .flat_map(|&(leaf, varying)| scalar_types(leaf, varying))
            .collect();
        let (block, params) = self.b.add_block(&types);
        let mark = self.mark();
        let mut uniform = vec![true; params.len()];
        for (from, state) in &edges {
            self.switch_to(*from);
            let mut args: Vec<Value> = Vec::with_capacity(params.len());
            for (&field, &(leaf, varying)) in fields.iter().zip(&kinds) {
                let s = self.conform(get(state, field), leaf, varying);
                args.push(s.lo);
                if s.hi != Value::NONE {
                    args.push(s.hi);
                }
            }
            for (flag, &arg) in uniform.iter_mut().zip(&args) {
                *flag &= self.is_uniform(arg);
            }
            self.b.jump(block, &args);
            self.forget(mark);
        }
        self.switch_to(block);
        for (&param, &flag) in params.iter().zip(&uniform) {
            self.uniform[param.index()] = flag;
        }
        let mut state = template(edges.into_iter().map(|edge| edge.1).collect());
        let mut rest = params.into_iter();
        for (&field, &(leaf, varying)) in fields.iter().zip(&kinds) {
            set(&mut state, field, take_scalar(leaf, varying, &mut rest));
        }
        self.state = Some(state);
    }

    /// Kind of a scalar of a state.
    pub(super) fn leaf_of(&self, field: Field) -> Leaf {
        match field {
            Field::Env(slot) | Field::Cap(_, slot) => self.slots[slot].leaf,
            _ => Leaf::Bool,
        }
    }

    /// A scalar in the form a block parameter has; zero where it is undefined.
    pub(super) fn conform(&mut self, s: Option<Scalar>, leaf: Leaf, varying: bool) -> Scalar {
        match s {
            Some(s) if varying => self.vary(s),
            Some(s) => s,
            None => self.zero(leaf, varying),
        }
    }
}

/// Takes the block parameters of one scalar.
pub(super) fn take_scalar(leaf: Leaf, varying: bool, params: &mut impl Iterator<Item = Value>) -> Scalar {
    let types: SmallVec<[Type; 2]> = scalar_types(leaf, varying);
    let lo = params.next().unwrap_or(Value::NONE);
    let hi = if types.len() == 2 { params.next() } else { None };
    Scalar {
        lo,
        hi: hi.unwrap_or(Value::NONE),
    }
}

/// A scalar of a state. What lanes held that wait nowhere is what the variables hold now.
pub(super) fn get(state: &State, field: Field) -> Option<Scalar> {
    match field {
        Field::Exec => state.exec.map(Scalar::from),
        Field::Coverage => Some(state.coverage.into()),
        Field::Env(slot) => state.env.get(slot),
        Field::Mask(t) => state.pend[t].as_ref().map(|pending| pending.mask.into()),
        Field::Cap(t, slot) => match &state.pend[t] {
            Some(pending) => pending.caps.get(slot),
            None => state.env.get(slot),
        },
    }
}

/// Changes a scalar of a state.
pub(super) fn set(state: &mut State, field: Field, s: Scalar) {
    match field {
        Field::Exec => state.exec = Some(s.lo),
        Field::Coverage => state.coverage = s.lo,
        Field::Env(slot) => state.env.set(slot, Some(s)),
        Field::Mask(t) => {
            if let Some(pending) = &mut state.pend[t] {
                pending.mask = s.lo;
            }
        }
        Field::Cap(t, slot) => {
            if let Some(pending) = &mut state.pend[t] {
                pending.caps.set(slot, Some(s));
            }
        }
    }
}

/// The fields in which states differ.
fn differing(edges: &[(BlockId, State)]) -> Vec<Field> {
    let first = &edges[0].1;
    let differs = |field: Field| {
        edges[1..]
            .iter()
            .any(|(_, state)| get(state, field) != get(first, field))
    };
    let mut fields = Vec::new();
    fields.extend([Field::Exec, Field::Coverage].into_iter().filter(|&f| differs(f)));
    let len = edges.iter().map(|(_, state)| state.env.len()).min().unwrap_or(0);
    let envs = edges[1..].iter().map(|(_, state)| &state.env);
    fields.extend(any_difference(&first.env, envs, len).map(Field::Env));
    for t in 0..first.pend.len() {
        let waiting = || edges.iter().filter_map(|(_, state)| state.pend[t].as_ref());
        let Some(pending) = waiting().next() else {
            continue;
        };
        fields.extend(Some(Field::Mask(t)).filter(|&f| differs(f)));
        // For those who do not wait there, what the variables hold now stands in.
        let len = waiting().map(|pending| pending.caps.len()).max().unwrap_or(0);
        let held = edges
            .iter()
            .map(|(_, state)| state.pend[t].as_ref().map_or(&state.env, |p| &p.caps));
        fields.extend(any_difference(&pending.caps, held, len).map(|slot| Field::Cap(t, slot)));
    }
    fields
}

/// The slots below `len` in which one of several differs from the first, in order.
fn any_difference<'a>(
    first: &Env,
    others: impl Iterator<Item = &'a Env>,
    len: usize,
) -> impl Iterator<Item = usize> {
    let mut slots: Vec<usize> = others.flat_map(|other| first.differences(other, len)).collect();
    slots.sort_unstable();
    slots.dedup();
    slots.into_iter()
}

/// A state that has lanes wherever one of the states has; its differing fields are to be replaced.
fn template(states: Vec<State>) -> State {
    let mut states = states.into_iter();
    let Some(mut state) = states.next() else {
        return State::empty(Value::NONE);
    };
    for other in states {
        state.exec = state.exec.or(other.exec);
        for (pending, other) in state.pend.iter_mut().zip(other.pend) {
            if pending.is_none() {
                *pending = other;
            }
        }
        let len = state.env.len().min(other.env.len());
        state.env.truncate(len);
    }
    state
}
