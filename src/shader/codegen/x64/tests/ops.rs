//! Every operation on random data, with operands in registers and as constants.

use super::{Memory, Rng, backends, check};
use crate::shader::ir::{AtomicOp, Builder, Effect, Func, Op, Type, Value};

/// Words of memory; the second half is where results and memory operations go.
const WORDS: usize = 5120;
/// Bytes of one operand.
const SLOT: i64 = 64;
/// Where results go, in bytes from `arg`.
const RESULT: i64 = 4096;

struct Case<'f> {
    b: Builder<'f>,
    ctx: Value,
    arg: Value,
}

impl Case<'_> {
    fn operand(&mut self, ty: Type, slot: i64, constant: Option<u32>) -> Value {
        let (b, at) = (&mut self.b, slot * SLOT);
        if let Some(bits) = constant {
            return match ty {
                Type::B => b.bconst(i64::from(bits & 1)),
                Type::S32 => b.sconst(i64::from(bits)),
                Type::S64 => b.lconst(i64::from(bits.cast_signed()) << (bits & 3)),
                Type::V => b.vconst(i64::from(bits)),
                Type::M => b.mconst(i64::from(bits & 1)),
            };
        }
        match ty {
            Type::B => {
                let word = b.sload(self.ctx, at);
                let two = b.sconst(0x1234_5678);
                b.slt_u(word, two)
            }
            Type::S32 => b.sload(self.ctx, at),
            Type::S64 => b.lload(self.ctx, at),
            Type::V => b.vload(self.ctx, at),
            Type::M => b.mload_bits(self.ctx, at),
        }
    }

    /// Operands of a memory operation: addresses stay inside the second half.
    fn memory_operands(&mut self, op: Op, imm: &mut i64, rng: &mut Rng) -> Vec<Value> {
        let args = op.info().args;
        let aligned = if matches!(op, Op::Atomic | Op::AtomicP | Op::AtomicCas | Op::AtomicCasP) {
            0x7fc
        } else if matches!(op, Op::Atomic64P | Op::AtomicCas64P) {
            0x7f8
        } else {
            0x7ff
        };
        let mut out: Vec<Value> = (0..args.len())
            .map(|i| self.operand(args[i], i as i64, None))
            .collect();
        if args.is_empty() {
            return out;
        }
        let b = &mut self.b;
        let limit = b.vconst(aligned);
        if args[0] == Type::V {
            let word = b.ltrunc(self.arg);
            let base = b.vsplat(word);
            let shift = b.sconst(32);
            let high = b.lshr(self.arg, shift);
            let high = b.ltrunc(high);
            out[1] = b.vsplat(high);
            let offset = b.vand(out[0], limit);
            out[0] = b.vadd(base, offset);
            if args.last() == Some(&Type::S64) {
                out[args.len() - 1] = b.ladd_imm(self.arg, 0xa00);
            }
            if matches!(op.info().effect, Effect::Read) && rng.chance(30) {
                // A displacement that does not fit its field, and addresses that make up for it.
                let far = 0x1_8000_0000i64 + i64::from(rng.word());
                let (low_part, high_part) = (far as u32, (far >> 32) as u32);
                let low_part = b.vconst(i64::from(low_part));
                let high_part = b.vconst(i64::from(high_part));
                let borrow = b.vlt_u(out[0], low_part);
                out[0] = b.vsub(out[0], low_part);
                out[1] = b.vsub(out[1], high_part);
                let (one, zero) = (b.vconst(1), b.vconst(0));
                let borrow = b.vselect(borrow, one, zero);
                out[1] = b.vsub(out[1], borrow);
                *imm = far;
            }
        } else {
            out[0] = match rng.below(4) {
                0 => self.arg,
                1 => b.ladd_imm(self.arg, 64),
                2 => {
                    let index = b.sload(self.ctx, 0);
                    let mask = b.sconst(0x3f);
                    let index = b.sand(index, mask);
                    let index = b.lzext(index);
                    let two = b.sconst(2);
                    let index = b.lshl(index, two);
                    b.ladd(self.arg, index)
                }
                _ => {
                    *imm += 1 << 33;
                    b.ladd_imm(self.arg, -(1 << 33))
                }
            };
            if args.get(1) == Some(&Type::V) && args.len() > 2 {
                out[1] = b.vand(out[1], limit);
            }
            if matches!(op, Op::Atomic | Op::AtomicCas) {
                out[0] = self.arg;
                *imm &= 0xf;
            }
        }
        out
    }

    /// Masks in places where they can be folded away, which takes a single use.
    fn use_once(&mut self, copies: [Value; 4], at: i64) {
        let other = self.operand(Type::M, 1, None);
        let b = &mut self.b;
        let (yes, no) = (b.viota(), b.vload(self.ctx, 256));
        let selected = b.vselect(copies[0], yes, no);
        b.vstore(self.arg, selected, at);
        let not = b.mnot(copies[1]);
        let both = b.mand(not, other);
        let bits = b.mbits(both);
        b.sstore(self.arg, bits, at + 64);
        let rest = b.mandnot(other, copies[2]);
        let bits = b.mbits(rest);
        b.sstore(self.arg, bits, at + 68);
        let both = b.mand(other, copies[3]);
        let any = b.many(both);
        let (yes, no) = (b.sconst(1), b.sconst(0));
        let word = b.sselect(any, yes, no);
        b.sstore(self.arg, word, at + 72);
    }

    fn store(&mut self, value: Value, at: i64) {
        let b = &mut self.b;
        match b.func.ty(value) {
            Type::B => {
                let (yes, no) = (b.sconst(0x1111), b.sconst(0x2222));
                let word = b.sselect(value, yes, no);
                b.sstore(self.arg, word, at);
                // The same as a value and as a branch.
                let not = b.bnot(value);
                let word = b.sselect(not, yes, no);
                b.sstore(self.arg, word, at + 4);
                let (then, _) = b.add_block(&[]);
                let (end, _) = b.add_block(&[]);
                b.branch(value, (then, &[]), (end, &[]));
                b.switch_to(then);
                b.sstore(self.arg, yes, at + 8);
                b.jump(end, &[]);
                b.switch_to(end);
                let word = b.sselect(value, yes, no);
                b.sstore(self.arg, word, at + 12);
            }
            Type::S32 => {
                b.sstore(self.arg, value, at);
                let wide = b.lzext(value);
                b.lstore(self.arg, wide, at + 8);
            }
            Type::S64 => {
                b.lstore(self.arg, value, at);
            }
            Type::V => {
                b.vstore(self.arg, value, at);
            }
            Type::M => {
                let bits = b.mbits(value);
                b.sstore(self.arg, bits, at);
                let any = b.many(value);
                let (yes, no) = (b.sconst(1), b.sconst(0));
                let word = b.sselect(any, yes, no);
                b.sstore(self.arg, word, at + 4);
            }
        }
    }
}

fn build(op: Op, width: u32, rng: &mut Rng, constants: usize, count: usize) -> Func {
    let mut func = Func::new(op.info().name, width, &[Type::S64, Type::S64]);
    let params = func.blocks[0].params.clone();
    let b = Builder::new(&mut func, crate::shader::ir::BlockId(0));
    let mut case = Case {
        b,
        ctx: params[0],
        arg: params[1],
    };
    for round in 0..count as i64 {
        let info = op.info();
        let mut imm = match op {
            Op::BConst | Op::MConst => rng.below(2) as i64,
            Op::SConst | Op::VConst => i64::from(rng.spiky()),
            Op::LConst => rng.next() as i64 >> rng.below(64),
            Op::QuadSwizzle => rng.below(256) as i64,
            op if op.within(Op::DAdd, Op::DRound) => rng.below(8) as i64,
            // Without the sum of floats, which is the last.
            Op::Atomic64P => rng.below(AtomicOp::ALL.len() - 1) as i64,
            Op::Atomic | Op::AtomicP => rng.below(AtomicOp::ALL.len()) as i64,
            _ if info.has_imm => rng.below(128) as i64 * 4,
            _ => 0,
        };
        let args = if info.effect == Effect::Pure {
            (0..info.args.len())
                .map(|i| {
                    let constant = (constants >> i & 1 != 0).then(|| rng.spiky());
                    let slot = if rng.chance(10) { 0 } else { i as i64 };
                    case.operand(info.args[i], slot + 4 * round, constant)
                })
                .collect()
        } else {
            case.memory_operands(op, &mut imm, rng)
        };
        let result = case.b.push(op, &args, imm);
        if result != Value::NONE {
            case.store(result, RESULT + SLOT * round);
        }
        if info.result == Some(Type::M) {
            let copies = [(); 4].map(|()| case.b.push(op, &args, imm));
            case.use_once(copies, RESULT + SLOT * (4 + 4 * round));
        }
    }
    let status = case.b.sconst(0x55);
    case.b.ret(status);
    func
}

#[test]
fn every_operation_agrees_with_the_interpreter() {
    let mut memory = Memory::new(WORDS);
    for backend in backends() {
        for &op in Op::ALL {
            // Guards have tests of their own.
            if matches!(op, Op::Call | Op::Barrier) || op.within(Op::GuardL, Op::LDescriptor) {
                continue;
            }
            let mut rng = Rng::new(op as u64 + 1);
            let pure = op.info().effect == Effect::Pure;
            let variants = if pure { 1 << op.info().args.len() } else { 12 };
            for constants in 0..variants {
                let count = if pure { 4 } else { 1 };
                let func = build(op, backend.width(), &mut rng, constants, count);
                for _ in 0..6 {
                    memory.words().fill_with(|| rng.spiky());
                    check(&func, backend, &mut memory, op.info().name);
                }
            }
        }
    }
}
