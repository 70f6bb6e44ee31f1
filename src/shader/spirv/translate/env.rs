//! What the variables hold, by slot. Copies are cheap and share what they do not change, since every branch
//! takes some and large shaders have thousands of slots.

use super::value::Scalar;
use std::rc::Rc;

/// Slots that are shared or copied together.
const CHUNK: usize = 32;

type Chunk = [Option<Scalar>; CHUNK];

/// A value a slot; `None` is undefined.
#[derive(Clone, Debug, Default)]
pub(super) struct Env {
    chunks: Rc<Vec<Rc<Chunk>>>,
    len: usize,
}

impl Env {
    /// Number of slots.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// What a slot holds.
    pub(super) fn get(&self, slot: usize) -> Option<Scalar> {
        if slot >= self.len {
            return None;
        }
        self.chunks
            .get(slot / CHUNK)
            .and_then(|chunk| chunk[slot % CHUNK])
    }

    /// Changes a slot; slots up to it come into being.
    pub(super) fn set(&mut self, slot: usize, value: Option<Scalar>) {
        if slot >= self.len {
            self.resize(slot + 1);
        }
        if self.get(slot) != value {
            let chunks = Rc::make_mut(&mut self.chunks);
            Rc::make_mut(&mut chunks[slot / CHUNK])[slot % CHUNK] = value;
        }
    }

    /// Removes slots at the end, or adds undefined ones.
    pub(super) fn resize(&mut self, len: usize) {
        if len == self.len {
            return;
        }
        let chunks = Rc::make_mut(&mut self.chunks);
        chunks.resize_with(len.div_ceil(CHUNK), || Rc::new([None; CHUNK]));
        let kept = len.min(self.len) % CHUNK;
        // What is behind the end of the last chunk that stays has to be undefined when it comes back.
        if kept != 0
            && let Some(chunk) = chunks.get_mut(len.min(self.len) / CHUNK)
            && chunk[kept..].iter().any(Option::is_some)
        {
            Rc::make_mut(chunk)[kept..].fill(None);
        }
        self.len = len;
    }

    /// Removes slots from `len` on, if there are any.
    pub(super) fn truncate(&mut self, len: usize) {
        self.resize(self.len.min(len));
    }

    /// Whether two are known to hold the same without looking at the slots.
    pub(super) fn same(&self, other: &Env) -> bool {
        self.len == other.len && Rc::ptr_eq(&self.chunks, &other.chunks)
    }

    /// The slots below `len` in which two differ, in order.
    pub(super) fn differences(&self, other: &Env, len: usize) -> Vec<usize> {
        let mut out = Vec::new();
        if self.same(other) {
            return out;
        }
        for first in (0..len).step_by(CHUNK) {
            let (a, b) = (self.chunks.get(first / CHUNK), other.chunks.get(first / CHUNK));
            if let (Some(a), Some(b)) = (a, b)
                && Rc::ptr_eq(a, b)
                && first + CHUNK <= self.len.min(other.len)
            {
                continue;
            }
            let slots = first..len.min(first + CHUNK);
            out.extend(slots.filter(|&slot| self.get(slot) != other.get(slot)));
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::Env;
    use crate::shader::ir::Value;

    #[test]
    fn slots_that_come_back_are_undefined() {
        let mut env = Env::default();
        env.resize(70);
        for slot in 0..70 {
            env.set(slot, Some(Value(slot as u32).into()));
        }
        let whole = env.clone();
        env.truncate(40);
        env.resize(70);
        assert_eq!(whole.differences(&env, 70), (40..70).collect::<Vec<_>>());
        env.set(3, None);
        assert_eq!(whole.differences(&env, 40), [3]);
        assert_eq!(env.get(70), None);
        assert!(whole.same(&whole.clone()) && !whole.same(&env));
    }
}
