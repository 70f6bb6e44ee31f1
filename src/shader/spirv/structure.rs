//! The structured control flow of a function, as a tree.
//!
//! Each block appears once. A *region* is a piece of straight-line flow: the arm of a selection, a case, the
//! body or the continue construct of a loop. A value defined in a region may be used in it and in the regions
//! inside it; values used elsewhere (legal where dominance allows it) are [`Cfg::escaping`] and are carried
//! like variables.

use super::error::{Result, SpirvError};
use super::module::{Function, Source};
use ::spirv::Op;
use rustc_hash::{FxHashMap, FxHashSet};

/// Nesting of constructs that is accepted.
const MAX_NESTING: usize = 160;
/// Blocks of a function that are accepted.
const MAX_BLOCKS: usize = 1 << 16;
/// Targets of one switch that are accepted.
const MAX_CASES: usize = 2048;

/// Index of a block in its function.
pub(super) type BlockIndex = usize;
/// Index of a region in its function.
pub(super) type Region = u32;

/// What a header block declares.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Merge {
    None,
    Selection(BlockIndex),
    Loop(BlockIndex, BlockIndex),
}

/// A block of a function.
#[derive(Clone, Debug)]
pub(super) struct Block {
    pub(super) label: u32,
    /// Phis.
    pub(super) phis: std::ops::Range<usize>,
    /// Instructions between the phis and the merge or terminator.
    pub(super) insts: std::ops::Range<usize>,
    /// Index of the terminator.
    pub(super) term: usize,
    pub(super) merge: Merge,
    pub(super) region: Region,
    /// Position in the walk over the tree.
    pub(super) order: u32,
}

/// A piece of the tree.
#[derive(Clone, Debug)]
pub(super) enum Node {
    /// The instructions of a block.
    Block(BlockIndex),
    /// The edge to the block that comes next.
    Goto(BlockIndex, BlockIndex),
    /// The edge to a block that an enclosing construct waits for; the last of its sequence. Without a source
    /// the edge has been walked already.
    Jump(Option<BlockIndex>, BlockIndex),
    /// Return, discard, unreachable: the block's terminator says which.
    End(BlockIndex),
    If(Box<If>),
    Switch(Box<Switch>),
    Loop(Box<Loop>),
}

/// A sequence of nodes.
pub(super) type Seq = Vec<Node>;

/// A two-way branch.
#[derive(Clone, Debug)]
pub(super) struct If {
    pub(super) cond: u32,
    pub(super) then: Seq,
    pub(super) otherwise: Seq,
    /// Where the arms meet; without it both leave.
    pub(super) merge: Option<BlockIndex>,
}

/// A multi-way branch.
#[derive(Clone, Debug)]
pub(super) struct Switch {
    pub(super) selector: u32,
    /// In an order in which each case comes after those that fall through to it.
    pub(super) cases: Vec<Case>,
    pub(super) merge: BlockIndex,
    pub(super) at: BlockIndex,
}

/// One target of a switch.
#[derive(Clone, Debug)]
pub(super) struct Case {
    pub(super) block: BlockIndex,
    pub(super) literals: Vec<u64>,
    pub(super) default: bool,
    /// Empty where the target is one that an enclosing construct waits for.
    pub(super) body: Seq,
    /// Whether the target belongs to an enclosing construct.
    pub(super) outer: bool,
}

/// A loop.
#[derive(Clone, Debug)]
pub(super) struct Loop {
    pub(super) header: BlockIndex,
    pub(super) merge: BlockIndex,
    pub(super) cont: BlockIndex,
    pub(super) body: Seq,
    pub(super) cont_body: Seq,
    /// The region that holds body and continue construct.
    pub(super) region: Region,
}

/// The control flow of a function.
#[derive(Debug)]
pub(super) struct Cfg {
    pub(super) blocks: Vec<Block>,
    pub(super) body: Seq,
    /// Parent of each region; the root is its own.
    parents: Vec<Region>,
    /// Results used outside the region of their definition and the regions inside it.
    pub(super) escaping: FxHashSet<u32>,
    /// Block of each instruction with a result.
    def_block: FxHashMap<u32, BlockIndex>,
    labels: FxHashMap<u32, BlockIndex>,
    /// For each escaping id, the regions that use it.
    uses: FxHashMap<u32, Vec<Region>>,
}

impl Cfg {
    /// Reads the control flow of a function.
    pub(super) fn new(source: &Source, function: &Function) -> Result<Cfg> {
        let mut cfg = Cfg {
            blocks: Vec::new(),
            body: Vec::new(),
            parents: vec![0],
            escaping: FxHashSet::default(),
            def_block: FxHashMap::default(),
            labels: FxHashMap::default(),
            uses: FxHashMap::default(),
        };
        cfg.read_blocks(source, function)?;
        cfg.resolve_merges(source)?;
        let visited = vec![false; cfg.blocks.len()];
        let mut build = Build {
            source,
            cfg: &mut cfg,
            visited,
            open: Vec::new(),
            depth: 0,
            order: 0,
        };
        let body = if build.cfg.blocks.is_empty() {
            return Err(SpirvError::Unstructured(function.id));
        } else {
            build.seq(0, 0)?
        };
        cfg.body = body;
        cfg.find_escaping(source);
        Ok(cfg)
    }

    fn read_blocks(&mut self, source: &Source, function: &Function) -> Result<()> {
        let code = &source.code;
        let mut at = function.body.start;
        while at < function.body.end {
            let inst = code.inst(at);
            if matches!(inst.op, Op::Line | Op::NoLine) {
                at += 1;
                continue;
            }
            if inst.op != Op::Label || self.blocks.len() >= MAX_BLOCKS {
                return Err(SpirvError::Unstructured(function.id));
            }
            let label = inst.word(1)?;
            let first = at + 1;
            let mut end = first;
            while end < function.body.end && !is_terminator(code.op(end)) {
                if code.op(end) == Op::Label {
                    return Err(SpirvError::Unstructured(label));
                }
                end += 1;
            }
            if end == function.body.end {
                return Err(SpirvError::Unstructured(label));
            }
            let index = self.blocks.len();
            let after_phis = (first..end)
                .find(|&i| !matches!(code.op(i), Op::Phi | Op::Line | Op::NoLine))
                .unwrap_or(end);
            for i in first..end {
                if let Some(id) = code.inst(i).result() {
                    self.def_block.insert(id, index);
                }
            }
            self.labels.insert(label, index);
            self.blocks.push(Block {
                label,
                phis: first..after_phis,
                insts: after_phis..end,
                term: end,
                merge: Merge::None,
                region: Region::MAX,
                order: 0,
            });
            at = end + 1;
        }
        Ok(())
    }

    fn resolve_merges(&mut self, source: &Source) -> Result<()> {
        for i in 0..self.blocks.len() {
            let range = self.blocks[i].insts.clone();
            for at in range.clone() {
                let inst = source.code.inst(at);
                let merge = match inst.op {
                    Op::SelectionMerge => Merge::Selection(self.label(inst.word(1)?)?),
                    Op::LoopMerge => Merge::Loop(self.label(inst.word(1)?)?, self.label(inst.word(2)?)?),
                    _ => continue,
                };
                self.blocks[i].merge = merge;
                self.blocks[i].insts = range.start..at;
                break;
            }
        }
        Ok(())
    }

    /// The block with a label.
    pub(super) fn label(&self, id: u32) -> Result<BlockIndex> {
        self.labels.get(&id).copied().ok_or(SpirvError::UnknownId(id))
    }

    /// Whether `inner` is `outer` or inside it.
    pub(super) fn inside(&self, mut inner: Region, outer: Region) -> bool {
        while inner != outer {
            if inner == 0 || inner == Region::MAX {
                return false;
            }
            inner = self.parents[inner as usize];
        }
        true
    }

    /// Region of the block in which an id is defined.
    pub(super) fn def_region(&self, id: u32) -> Option<Region> {
        self.def_block.get(&id).map(|&block| self.blocks[block].region)
    }

    /// Whether an escaping id is used outside a region.
    pub(super) fn used_outside(&self, id: u32, region: Region) -> bool {
        self.uses
            .get(&id)
            .is_some_and(|uses| uses.iter().any(|&used| !self.inside(used, region)))
    }

    /// Finds ids used where the region of their definition is not open. Operands that are literals may be
    /// taken for ids, which only costs a slot.
    fn find_escaping(&mut self, source: &Source) {
        let mut found: Vec<(u32, Region)> = Vec::new();
        for block in self.blocks.iter().filter(|block| block.region != Region::MAX) {
            for at in block.phis.start..=block.term {
                let inst = source.code.inst(at);
                if inst.op == Op::Phi {
                    // A phi's operand is used at the end of the block it comes from.
                    for pair in inst.rest(3).chunks_exact(2) {
                        if let Some(&from) = self.labels.get(&pair[1]) {
                            found.push((pair[0], self.blocks[from].region));
                        }
                    }
                } else {
                    found.extend(inst.rest(1).iter().map(|&id| (id, block.region)));
                }
            }
        }
        let mut repeated = FxHashSet::default();
        while let Some((id, region)) = found.pop() {
            let Some(def) = self.def_region(id) else {
                continue;
            };
            if def == region || region == Region::MAX {
                continue;
            }
            self.uses.entry(id).or_default().push(region);
            if self.inside(region, def) {
                continue;
            }
            self.escaping.insert(id);
            // What has no scalars is computed again where it is used, so its operands are used there too.
            if let Some(inst) = source
                .code
                .def_inst(id)
                .ok()
                .filter(|inst| is_repeatable(inst.op))
                && repeated.insert((id, region))
            {
                found.extend(inst.rest(3).iter().map(|&operand| (operand, region)));
            }
        }
    }
}

/// Whether an instruction that gives a pointer or a handle can be emitted again elsewhere.
pub(super) fn is_repeatable(op: Op) -> bool {
    use Op::*;
    matches!(
        op,
        AccessChain
            | InBoundsAccessChain
            | PtrAccessChain
            | InBoundsPtrAccessChain
            | UntypedAccessChainKHR
            | UntypedInBoundsAccessChainKHR
            | UntypedPtrAccessChainKHR
            | UntypedInBoundsPtrAccessChainKHR
            | BufferPointerEXT
            | Load
            | Image
            | SampledImage
    )
}

fn is_terminator(op: Op) -> bool {
    use Op::*;
    matches!(
        op,
        Branch
            | BranchConditional
            | Switch
            | Return
            | ReturnValue
            | Kill
            | Unreachable
            | TerminateInvocation
            | IgnoreIntersectionKHR
            | TerminateRayKHR
            | EmitMeshTasksEXT
    )
}

struct Build<'a> {
    source: &'a Source,
    cfg: &'a mut Cfg,
    visited: Vec<bool>,
    /// Blocks that enclosing constructs wait for.
    open: Vec<BlockIndex>,
    depth: usize,
    order: u32,
}

impl Build<'_> {
    fn unstructured<T>(&self, block: BlockIndex) -> Result<T> {
        Err(SpirvError::Unstructured(self.cfg.blocks[block].label))
    }

    fn region(&mut self, parent: Region) -> Region {
        self.cfg.parents.push(parent);
        (self.cfg.parents.len() - 1) as Region
    }

    fn enter(&mut self, block: BlockIndex) -> Result<()> {
        self.depth += 1;
        if self.depth > MAX_NESTING {
            return Err(SpirvError::TooLarge("the nesting of control flow"));
        }
        if self.visited[block] {
            return self.unstructured(block);
        }
        Ok(())
    }

    /// The sequence that begins with `start`.
    fn seq(&mut self, start: BlockIndex, region: Region) -> Result<Seq> {
        self.enter(start)?;
        let mut nodes = Vec::new();
        self.follow(Some(start), region, &mut nodes)?;
        self.depth -= 1;
        Ok(nodes)
    }

    fn follow(&mut self, mut next: Option<BlockIndex>, region: Region, nodes: &mut Seq) -> Result<()> {
        while let Some(block) = next {
            if self.visited[block] {
                return self.unstructured(block);
            }
            next = match self.cfg.blocks[block].merge {
                Merge::Loop(merge, cont) => {
                    let node = self.loop_node(block, merge, cont, region)?;
                    nodes.push(Node::Loop(Box::new(node)));
                    self.after(merge, nodes)
                }
                _ => self.block(block, region, nodes)?,
            };
        }
        Ok(())
    }

    /// Goes on with a merge block, unless something else waits for it too.
    fn after(&self, merge: BlockIndex, nodes: &mut Seq) -> Option<BlockIndex> {
        if self.open.contains(&merge) {
            nodes.push(Node::Jump(None, merge));
            return None;
        }
        Some(merge)
    }

    fn loop_node(
        &mut self,
        header: BlockIndex,
        merge: BlockIndex,
        cont: BlockIndex,
        outer: Region,
    ) -> Result<Loop> {
        if merge == header || merge == cont {
            return self.unstructured(header);
        }
        let region = self.region(outer);
        let body_region = self.region(region);
        self.open.extend([merge, header]);
        if cont != header {
            self.open.push(cont);
        }
        self.enter(header)?;
        let mut body = Vec::new();
        let next = self.block(header, body_region, &mut body)?;
        self.follow(next, body_region, &mut body)?;
        self.depth -= 1;
        let mut cont_body = Vec::new();
        if cont != header {
            self.open.pop();
            let cont_region = self.region(region);
            cont_body = self.seq(cont, cont_region)?;
        }
        self.open.truncate(self.open.len() - 2);
        Ok(Loop {
            header,
            merge,
            cont,
            body,
            cont_body,
            region,
        })
    }

    /// Appends a block and what its terminator begins; gives the block that follows in the same sequence.
    fn block(&mut self, block: BlockIndex, region: Region, nodes: &mut Seq) -> Result<Option<BlockIndex>> {
        self.visited[block] = true;
        self.cfg.blocks[block].region = region;
        self.cfg.blocks[block].order = self.order;
        self.order += 1;
        nodes.push(Node::Block(block));
        let term = self.source.code.inst(self.cfg.blocks[block].term);
        let selection = match self.cfg.blocks[block].merge {
            Merge::Selection(merge) => Some(merge),
            _ => None,
        };
        match term.op {
            Op::Branch => {
                let to = self.cfg.label(term.word(1)?)?;
                Ok(self.go(block, to, nodes))
            }
            Op::BranchConditional => {
                let then = self.cfg.label(term.word(2)?)?;
                let otherwise = self.cfg.label(term.word(3)?)?;
                if then == otherwise {
                    return Ok(self.go(block, then, nodes));
                }
                self.open.extend(selection);
                let node = If {
                    cond: term.word(1)?,
                    then: self.arm(block, then, region)?,
                    otherwise: self.arm(block, otherwise, region)?,
                    merge: selection,
                };
                nodes.push(Node::If(Box::new(node)));
                let Some(merge) = selection else {
                    return Ok(None);
                };
                self.open.pop();
                Ok(self.after(merge, nodes))
            }
            Op::Switch => {
                let Some(merge) = selection else {
                    return self.unstructured(block);
                };
                let node = self.switch(block, merge, region)?;
                nodes.push(Node::Switch(Box::new(node)));
                Ok(self.after(merge, nodes))
            }
            _ => {
                nodes.push(Node::End(block));
                Ok(None)
            }
        }
    }

    fn go(&self, from: BlockIndex, to: BlockIndex, nodes: &mut Seq) -> Option<BlockIndex> {
        if self.open.contains(&to) {
            nodes.push(Node::Jump(Some(from), to));
            return None;
        }
        nodes.push(Node::Goto(from, to));
        Some(to)
    }

    fn arm(&mut self, from: BlockIndex, to: BlockIndex, outer: Region) -> Result<Seq> {
        if self.open.contains(&to) {
            return Ok(vec![Node::Jump(Some(from), to)]);
        }
        let region = self.region(outer);
        let mut nodes = vec![Node::Goto(from, to)];
        nodes.append(&mut self.seq(to, region)?);
        Ok(nodes)
    }

    fn switch(&mut self, at: BlockIndex, merge: BlockIndex, region: Region) -> Result<Switch> {
        let cases = self.read_cases(at)?;
        let selector = self.source.code.inst(self.cfg.blocks[at].term).word(1)?;
        self.open.push(merge);
        let outer = self.open.len();
        for case in &cases {
            if !self.open.contains(&case.block) {
                self.open.push(case.block);
            }
        }
        let mut built = Vec::new();
        for mut case in cases {
            case.outer = self.open[..outer].contains(&case.block);
            if !case.outer {
                // Its own label is not open while it is built; those of the other cases are.
                self.open.retain(|&open| open != case.block);
                let inner = self.region(region);
                case.body = self.seq(case.block, inner)?;
                self.open.push(case.block);
            }
            built.push(case);
        }
        self.open.truncate(outer - 1);
        Ok(Switch {
            selector,
            cases: self.order_cases(at, built)?,
            merge,
            at,
        })
    }

    /// The distinct targets of a switch with their literals; the default's comes last.
    fn read_cases(&self, at: BlockIndex) -> Result<Vec<Case>> {
        let term = self.source.code.inst(self.cfg.blocks[at].term);
        // The selector's type decides whether literals take one or two words.
        let selector = self.source.code.def_inst(term.word(1)?)?;
        let ty = self.source.code.def_inst(selector.type_id()?)?;
        let words = match (ty.op, ty.words.get(2)) {
            (Op::TypeInt, Some(64)) => 2,
            (Op::TypeInt, _) => 1,
            _ => return Err(SpirvError::WrongType(term.word(1)?)),
        };
        let mut cases: Vec<Case> = Vec::new();
        let mut by_block: FxHashMap<BlockIndex, usize> = FxHashMap::default();
        let mut add = |block: BlockIndex, literal: Option<u64>| {
            let index = *by_block.entry(block).or_insert_with(|| {
                cases.push(Case {
                    block,
                    literals: Vec::new(),
                    default: false,
                    body: Vec::new(),
                    outer: false,
                });
                cases.len() - 1
            });
            match literal {
                Some(literal) => cases[index].literals.push(literal),
                None => cases[index].default = true,
            }
        };
        for entry in term.rest(3).chunks_exact(words + 1) {
            let high = if words == 2 { u64::from(entry[1]) } else { 0 };
            add(
                self.cfg.label(entry[words])?,
                Some(u64::from(entry[0]) | high << 32),
            );
        }
        add(self.cfg.label(term.word(2)?)?, None);
        if cases.len() > MAX_CASES {
            return Err(SpirvError::TooLarge("a switch"));
        }
        Ok(cases)
    }

    /// Puts each case after those that fall through to it.
    fn order_cases(&self, at: BlockIndex, cases: Vec<Case>) -> Result<Vec<Case>> {
        let index: FxHashMap<BlockIndex, usize> = cases
            .iter()
            .enumerate()
            .map(|(i, case)| (case.block, i))
            .collect();
        let mut next = vec![None; cases.len()];
        let mut has_before = vec![false; cases.len()];
        for (i, case) in cases.iter().enumerate().filter(|(_, case)| !case.outer) {
            let mut jumps = Vec::new();
            collect_jumps(&case.body, &mut jumps);
            for to in jumps.iter().filter_map(|to| index.get(to)).copied() {
                if !cases[to].outer && to != i {
                    if next[i].is_some_and(|next| next != to) || (has_before[to] && next[i].is_none()) {
                        return self.unstructured(at);
                    }
                    next[i] = Some(to);
                    has_before[to] = true;
                }
            }
        }
        let mut slots: Vec<Option<Case>> = cases.into_iter().map(Some).collect();
        let mut ordered = Vec::with_capacity(slots.len());
        for first in 0..slots.len() {
            if has_before[first] {
                continue;
            }
            let mut at = Some(first);
            while let Some(i) = at {
                ordered.extend(slots[i].take());
                at = next[i];
            }
        }
        if ordered.len() != slots.len() {
            return self.unstructured(at);
        }
        Ok(ordered)
    }
}

/// Appends the targets of all jumps in a tree.
fn collect_jumps(seq: &Seq, out: &mut Vec<BlockIndex>) {
    for node in seq {
        match node {
            Node::Jump(_, to) => out.push(*to),
            Node::If(node) => {
                collect_jumps(&node.then, out);
                collect_jumps(&node.otherwise, out);
            }
            Node::Switch(node) => {
                for case in &node.cases {
                    collect_jumps(&case.body, out);
                }
            }
            Node::Loop(node) => {
                collect_jumps(&node.body, out);
                collect_jumps(&node.cont_body, out);
            }
            _ => {}
        }
    }
}
