//! Random functions with control flow, loops, many live values and calls.

use super::{Memory, Rng, backends, check};
use crate::shader::codegen::entry;
use crate::shader::ir::{BlockId, Builder, Effect, Func, Op, Type, Value};

const TYPES: [Type; 5] = [Type::B, Type::S32, Type::S64, Type::V, Type::M];

/// A host function that changes nothing but memory.
extern "C" fn host(ctx: u64, arg: u64) -> u32 {
    let old: u32 = crate::memory::raw::load(ctx);
    crate::memory::raw::store(ctx, old.rotate_left(5) ^ arg as u32);
    old.wrapping_add(arg as u32)
}

struct Generator<'r, 'f> {
    rng: &'r mut Rng,
    b: Builder<'f>,
    /// Values in scope by type.
    values: [Vec<Value>; 5],
    arg: Value,
    budget: usize,
    /// Operations that this function draws from, by result type.
    ops: [Vec<Op>; 5],
}

fn slot(ty: Type) -> usize {
    TYPES.iter().position(|&t| t == ty).unwrap_or(0)
}

impl Generator<'_, '_> {
    fn value(&mut self, ty: Type) -> Value {
        let known = self.values[slot(ty)].len();
        // Mostly recent ones, sometimes old ones, sometimes constants.
        match self.rng.below(10) {
            0..5 => {
                let from = known.saturating_sub(6);
                self.values[slot(ty)][from + self.rng.below(known - from)]
            }
            5..9 => self.values[slot(ty)][self.rng.below(known)],
            _ => self.constant(ty),
        }
    }

    fn constant(&mut self, ty: Type) -> Value {
        let bits = i64::from(self.rng.spiky());
        match ty {
            Type::B => self.b.bconst(bits & 1),
            Type::S32 => self.b.sconst(bits),
            Type::S64 => self.b.lconst(bits << (bits & 31)),
            Type::V => self.b.vconst(bits),
            Type::M => self.b.mconst(bits & 1),
        }
    }

    fn add(&mut self, value: Value) {
        let ty = self.b.func.ty(value);
        self.values[slot(ty)].push(value);
    }

    fn op(&mut self) {
        let ty = [Type::V, Type::V, Type::V, Type::S32, Type::S64, Type::M, Type::B][self.rng.below(7)];
        let op = self.ops[slot(ty)][self.rng.below(self.ops[slot(ty)].len())];
        let args: Vec<Value> = op.info().args.iter().map(|&ty| self.value(ty)).collect();
        let imm = match op {
            Op::QuadSwizzle => self.rng.below(256) as i64,
            op if op.within(Op::DAdd, Op::DRound) => self.rng.below(8) as i64,
            _ => 0,
        };
        let result = self.b.push(op, &args, imm);
        self.add(result);
    }

    fn memory(&mut self) {
        let at = self.rng.below(64) as i64 * 64;
        match self.rng.below(9) {
            0 => {
                let value = self.value(Type::V);
                self.b.vstore(self.arg, value, at);
            }
            1 => {
                let value = self.value(Type::S32);
                self.b.sstore(self.arg, value, at);
            }
            2 => {
                let value = self.b.vload(self.arg, at);
                self.add(value);
            }
            3 => {
                let value = self.b.vload_splat(self.arg, at);
                self.add(value);
            }
            4 => {
                let (offset, limit, mask) = (self.value(Type::V), self.b.vconst(0xffc), self.value(Type::M));
                let offset = self.b.vand(offset, limit);
                let value = self.b.gather(self.arg, offset, mask, 0);
                self.add(value);
            }
            5 => {
                let (value, mask) = (self.value(Type::V), self.value(Type::M));
                self.b.vstore_masked(self.arg, value, mask, at);
                let mask = self.value(Type::M);
                let value = self.b.vload_masked(self.arg, mask, at);
                self.add(value);
            }
            6 => {
                let (offset, limit, mask) = (self.value(Type::V), self.b.vconst(0xffc), self.value(Type::M));
                let offset = self.b.vand(offset, limit);
                let value = self.value(Type::V);
                let old = self
                    .b
                    .atomic(self.arg, offset, value, mask, self.rng.below(9) as i64);
                self.add(old);
            }
            7 => {
                let value = self.b.sload(self.arg, at);
                self.add(value);
                let value = self.b.lload(self.arg, at);
                self.add(value);
            }
            _ => {
                let code = self.b.lconst(entry::host_routine(host) as i64);
                let arg = self.value(Type::S64);
                let status = self.b.call(code, self.arg, arg);
                self.add(status);
            }
        }
    }

    fn straight(&mut self) {
        for _ in 0..1 + self.rng.below(16) {
            if self.rng.chance(15) {
                self.memory();
            } else {
                self.op();
            }
            self.budget = self.budget.saturating_sub(1);
        }
    }

    fn region(&mut self, depth: usize) {
        for _ in 0..1 + self.rng.below(4) {
            self.straight();
            if depth == 0 || self.budget == 0 {
                continue;
            }
            let before = self.values.clone().map(|list| list.len());
            match self.rng.below(3) {
                0 => self.diamond(depth, &before),
                1 => self.repeat(depth, &before),
                _ => {}
            }
        }
    }

    /// Types of values that a construct passes on.
    fn passed(&mut self) -> Vec<Type> {
        (0..self.rng.below(6)).map(|_| self.rng.pick(&TYPES)).collect()
    }

    fn leave_scope(&mut self, before: &[usize; 5]) {
        for (list, &len) in self.values.iter_mut().zip(before) {
            list.truncate(len);
        }
    }

    fn diamond(&mut self, depth: usize, before: &[usize; 5]) {
        let types = self.passed();
        let (then, _) = self.b.add_block(&[]);
        let (otherwise, _) = self.b.add_block(&[]);
        let (end, params) = self.b.add_block(&types);
        let cond = self.value(Type::B);
        let direct: Vec<Value> = types.iter().map(|&ty| self.value(ty)).collect();
        if self.rng.chance(40) {
            // No else: a critical edge.
            self.b.branch(cond, (then, &[]), (end, &direct));
        } else {
            self.b.branch(cond, (then, &[]), (otherwise, &[]));
        }
        for block in [then, otherwise] {
            self.b.switch_to(block);
            self.region(depth - 1);
            let args: Vec<Value> = types.iter().map(|&ty| self.value(ty)).collect();
            self.b.jump(end, &args);
            self.leave_scope(before);
        }
        self.b.switch_to(end);
        params.into_iter().for_each(|param| self.add(param));
    }

    fn repeat(&mut self, depth: usize, before: &[usize; 5]) {
        let mut types = vec![Type::S32];
        types.extend(self.passed());
        let (head, params) = self.b.add_block(&types);
        let (body, _) = self.b.add_block(&[]);
        let (end, _) = self.b.add_block(&[]);
        let mut args = vec![self.b.sconst(0)];
        args.extend(types[1..].iter().map(|&ty| self.value(ty)).collect::<Vec<_>>());
        self.b.jump(head, &args);
        self.b.switch_to(head);
        params.iter().for_each(|&param| self.add(param));
        let inside = self.values.clone().map(|list| list.len());
        let limit = self.b.sconst(1 + self.rng.below(4) as i64);
        let goes_on = self.b.slt_u(params[0], limit);
        if self.rng.chance(50) {
            self.b.branch(goes_on, (body, &[]), (end, &[]));
        } else {
            let stops = self.b.bnot(goes_on);
            self.b.branch(stops, (end, &[]), (body, &[]));
        }
        self.b.switch_to(body);
        self.region(depth - 1);
        let one = self.b.sconst(1);
        let mut args = vec![self.b.sadd(params[0], one)];
        args.extend(types[1..].iter().map(|&ty| self.value(ty)).collect::<Vec<_>>());
        if self.rng.chance(30) {
            // The back edge is one side of a branch.
            let (cond, zero) = (self.value(Type::B), self.b.sconst(9));
            let mut other = args.clone();
            other[0] = zero;
            self.b.branch(cond, (head, &args), (head, &other));
        } else {
            self.b.jump(head, &args);
        }
        self.leave_scope(&inside);
        self.b.switch_to(end);
        let _ = before;
    }
}

/// Operations without memory, by result type.
fn pure_ops() -> [Vec<Op>; 5] {
    TYPES.map(|ty| {
        Op::ALL
            .iter()
            .copied()
            .filter(|op| op.info().effect == Effect::Pure && op.info().result == Some(ty))
            .filter(|op| !op.info().has_imm || *op == Op::QuadSwizzle)
            .collect()
    })
}

/// A random function over `arg`, which points at 1024 words and more.
pub(super) fn generate(rng: &mut Rng, width: u32) -> Func {
    let mut func = Func::new("random", width, &[Type::S64, Type::S64]);
    let params = func.blocks[0].params.clone();
    let mut generator = Generator {
        arg: params[1],
        b: Builder::new(&mut func, BlockId(0)),
        values: Default::default(),
        budget: 300,
        ops: pure_ops(),
        rng,
    };
    let ctx = params[0];
    let lanes = [12, 24, 40][generator.rng.below(3)];
    for i in 0..lanes {
        let value = generator.b.vload(ctx, i * 64);
        generator.add(value);
        let value = generator.b.sload(ctx, i * 64 + 8);
        generator.add(value);
        let value = generator.b.lload(ctx, i * 64 + 16);
        generator.add(value);
        let value = generator.b.mload_bits(ctx, i * 64 + 5);
        generator.add(value);
        let zero = generator.b.sconst(0);
        let value = generator.b.slt_s(generator.values[1][i as usize], zero);
        generator.add(value);
    }
    generator.region(3);
    // Everything still in scope is looked at.
    let mut at = 4096;
    for ty in [Type::V, Type::S32, Type::S64, Type::M] {
        for value in generator.values[slot(ty)].clone() {
            match ty {
                Type::V => generator.b.vstore(params[1], value, at),
                Type::S32 => generator.b.sstore(params[1], value, at),
                Type::S64 => generator.b.lstore(params[1], value, at),
                _ => {
                    let bits = generator.b.mbits(value);
                    generator.b.sstore(params[1], bits, at)
                }
            };
            at += 64;
        }
    }
    let status = generator.value(Type::S32);
    generator.b.ret(status);
    func
}

#[test]
fn random_functions_agree_with_the_interpreter() {
    let mut memory = Memory::new(1 << 16);
    for backend in backends() {
        for seed in 0..150 {
            let mut rng = Rng::new(seed + 1);
            let func = generate(&mut rng, backend.width());
            memory.words().fill_with(|| rng.spiky());
            check(&func, backend, &mut memory, &format!("seed {seed}"));
        }
    }
}
