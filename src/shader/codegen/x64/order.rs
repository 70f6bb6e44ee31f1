//! The order of blocks in the code: reverse post-order with loops kept together.

use crate::shader::ir::Func;

/// Blocks in order, and the innermost loop each belongs to.
pub(super) struct Order {
    /// IR blocks that can be reached, entry first; definitions come before uses.
    pub blocks: Vec<u32>,
    /// Header of the innermost loop around each IR block; `u32::MAX` outside loops.
    pub loop_of: Vec<u32>,
    /// Number of edges into each IR block, from blocks that can be reached.
    pub edges_in: Vec<u32>,
}

/// Outside loops.
const NO_LOOP: u32 = u32::MAX;

fn successors(func: &Func, block: u32) -> [Option<u32>; 2] {
    let mut out = [None; 2];
    if let Some(term) = &func.blocks[block as usize].term {
        for (slot, target) in out.iter_mut().zip(term.targets()) {
            *slot = Some(target.block.0);
        }
    }
    out
}

/// Post-order; of two successors the one of lower `depth` is visited first, so that it ends up later.
fn post_order(func: &Func, depth: &[u32]) -> (Vec<u32>, Vec<(u32, u32)>) {
    #[derive(Clone, Copy, PartialEq)]
    enum State {
        New,
        Open,
        Done,
    }
    let mut state = vec![State::New; func.blocks.len()];
    let mut out = Vec::with_capacity(func.blocks.len());
    let mut back_edges = Vec::new();
    let ordered = |block: u32| {
        let [then, otherwise] = successors(func, block);
        match (then, otherwise) {
            (Some(a), Some(b)) if depth[a as usize] < depth[b as usize] => [Some(a), Some(b)],
            _ => [otherwise, then],
        }
    };
    let mut stack = vec![(0, ordered(0), 0)];
    state[0] = State::Open;
    while let Some((block, succs, next)) = stack.last_mut() {
        let Some(&succ) = succs.get(*next) else {
            state[*block as usize] = State::Done;
            out.push(*block);
            stack.pop();
            continue;
        };
        *next += 1;
        let Some(succ) = succ else { continue };
        match state[succ as usize] {
            State::New => {
                state[succ as usize] = State::Open;
                stack.push((succ, ordered(succ), 0));
            }
            State::Open => back_edges.push((*block, succ)),
            State::Done => {}
        }
    }
    (out, back_edges)
}

/// Orders the blocks of a function.
pub(super) fn order(func: &Func) -> Order {
    let count = func.blocks.len();
    let mut depth = vec![0; count];
    let mut loop_of = vec![NO_LOOP; count];
    let (mut post, back_edges) = post_order(func, &depth);
    let mut preds = vec![Vec::new(); count];
    for &block in &post {
        for succ in successors(func, block).into_iter().flatten() {
            preds[succ as usize].push(block);
        }
    }
    if !back_edges.is_empty() {
        // Headers in reverse post-order: outer loops first, so that inner ones overwrite.
        for &header in post.iter().rev() {
            mark_loop(header, &back_edges, &preds, &mut loop_of, &mut depth);
        }
        post = post_order(func, &depth).0;
    }
    post.reverse();
    Order {
        blocks: post,
        loop_of,
        edges_in: preds
            .iter()
            .map(|list| u32::try_from(list.len()).unwrap_or(u32::MAX))
            .collect(),
    }
}

/// Marks the natural loop of `header`, if it has one.
fn mark_loop(
    header: u32,
    back_edges: &[(u32, u32)],
    preds: &[Vec<u32>],
    loop_of: &mut [u32],
    depth: &mut [u32],
) {
    let mut work: Vec<u32> = Vec::new();
    let mut add = |block: u32, work: &mut Vec<u32>| {
        if loop_of[block as usize] != header {
            loop_of[block as usize] = header;
            depth[block as usize] += 1;
            work.push(block);
        }
    };
    for &(from, to) in back_edges {
        if to == header {
            add(header, &mut work);
            add(from, &mut work);
        }
    }
    while let Some(block) = work.pop() {
        if block != header {
            for &pred in &preds[block as usize] {
                add(pred, &mut work);
            }
        }
    }
}
