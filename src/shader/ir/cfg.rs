//! Control-flow facts: predecessors, reverse post-order, dominators.

use super::{BlockId, Func};

/// Predecessors and reverse post-order of the reachable blocks.
#[derive(Debug)]
pub struct Cfg {
    /// Predecessors of each block, one entry an edge.
    pub preds: Vec<Vec<BlockId>>,
    /// Reachable blocks, each after its forward predecessors.
    pub order: Vec<BlockId>,
    /// Position in `order`, or `usize::MAX` where unreachable.
    pub position: Vec<usize>,
}

impl Cfg {
    /// Computes it without recursion.
    #[must_use]
    pub fn new(func: &Func) -> Cfg {
        let n = func.blocks.len();
        let successors = |block: BlockId| -> Vec<BlockId> {
            func.blocks[block.index()]
                .term
                .iter()
                .flat_map(|t| t.targets().map(|t| t.block))
                .collect()
        };
        let mut preds = vec![Vec::new(); n];
        let mut order = Vec::with_capacity(n);
        let mut seen = vec![false; n];
        let mut stack = Vec::new();
        if n > 0 {
            seen[0] = true;
            stack.push((BlockId(0), successors(BlockId(0)), 0));
        }
        while let Some((block, succ, next)) = stack.last_mut() {
            // Last successor first, so that in reverse the first one follows its block.
            let Some(i) = succ.len().checked_sub(*next + 1) else {
                order.push(*block);
                stack.pop();
                continue;
            };
            *next += 1;
            let (from, to) = (*block, succ[i]);
            preds[to.index()].push(from);
            if !std::mem::replace(&mut seen[to.index()], true) {
                stack.push((to, successors(to), 0));
            }
        }
        order.reverse();
        let mut position = vec![usize::MAX; n];
        for (i, block) in order.iter().enumerate() {
            position[block.index()] = i;
        }
        Cfg {
            preds,
            order,
            position,
        }
    }
}

/// Immediate dominators (Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm").
#[derive(Debug)]
pub struct Dominators {
    /// Immediate dominator of each reachable block, by position in the order; the entry is its own.
    idom: Vec<usize>,
    position: Vec<usize>,
}

impl Dominators {
    /// Computes them.
    #[must_use]
    pub fn new(cfg: &Cfg) -> Dominators {
        let n = cfg.order.len();
        let mut idom = vec![usize::MAX; n];
        if n > 0 {
            idom[0] = 0;
        }
        let mut changed = true;
        while changed {
            changed = false;
            for i in 1..n {
                let known = cfg.preds[cfg.order[i].index()]
                    .iter()
                    .map(|p| cfg.position[p.index()])
                    .filter(|&p| idom[p] != usize::MAX);
                let new = known.reduce(|a, b| Self::intersect(&idom, a, b)).unwrap_or(0);
                changed |= std::mem::replace(&mut idom[i], new) != new;
            }
        }
        Dominators {
            idom,
            position: cfg.position.clone(),
        }
    }

    fn intersect(idom: &[usize], mut a: usize, mut b: usize) -> usize {
        while a != b {
            while a > b {
                a = idom[a];
            }
            while b > a {
                b = idom[b];
            }
        }
        a
    }

    /// Immediate dominator as a position in the order.
    #[must_use]
    pub fn idom(&self, position: usize) -> usize {
        self.idom[position]
    }

    /// Whether every path to `b` goes through `a`. Both must be reachable.
    #[must_use]
    pub fn dominates(&self, a: BlockId, b: BlockId) -> bool {
        let (a, mut b) = (self.position[a.index()], self.position[b.index()]);
        while b > a {
            b = self.idom[b];
        }
        a == b
    }
}
