//! Operations that touch no memory.

use super::{Frame, Lanes, MAX_WIDTH};
use crate::shader::ir::{Inst, Op};

/// Runs one instruction.
pub(super) fn step(f: &mut Frame<'_>, inst: &Inst) {
    match inst.op {
        op if op.within(Op::BConst, Op::LLtS) => {
            let x = scalar(f, inst);
            f.set_result(inst, x);
        }
        op if op.within(Op::MAnd, Op::MFromBits) => {
            let x = mask(f, inst);
            f.set_scalar(inst.result, x);
        }
        Op::VReadFirst => {
            let m = f.scalar(inst.args[1]);
            let x = if m == 0 {
                0
            } else {
                f.lanes(inst.args[0])[m.trailing_zeros() as usize]
            };
            f.set_scalar(inst.result, x.into());
        }
        op if op.within(Op::VEq, Op::VLeU) || op.within(Op::FEq, Op::FUno) => {
            let x = compare(f, inst);
            f.set_scalar(inst.result, x);
        }
        _ => {
            let x = lanes(f, inst);
            f.set_lanes(inst.result, x);
        }
    }
}

impl Frame<'_> {
    fn set_result(&mut self, inst: &Inst, x: u64) {
        if inst.op == Op::VConst {
            let width = self.width;
            let mut lanes = [0; MAX_WIDTH];
            lanes[..width].fill(x as u32);
            self.set_lanes(inst.result, lanes);
        } else {
            self.set_scalar(inst.result, x);
        }
    }
}

fn scalar(f: &Frame<'_>, inst: &Inst) -> u64 {
    let x = |i: usize| f.scalar(inst.args[i]);
    let u = |i: usize| x(i) as u32;
    let s = |i: usize| x(i) as i32;
    let l = |b: bool| u64::from(b);
    let i32s = |v: i32| u64::from(v as u32);
    match inst.op {
        Op::BConst => l(inst.imm != 0),
        Op::SConst | Op::VConst => u64::from(inst.imm as u32),
        Op::LConst => inst.imm as u64,
        Op::MConst => {
            if inst.imm != 0 {
                f.all_lanes()
            } else {
                0
            }
        }
        Op::BAnd => x(0) & x(1),
        Op::BOr => x(0) | x(1),
        Op::BXor => x(0) ^ x(1),
        Op::BNot => x(0) ^ 1,
        Op::SAdd => u(0).wrapping_add(u(1)).into(),
        Op::SSub => u(0).wrapping_sub(u(1)).into(),
        Op::SMul => u(0).wrapping_mul(u(1)).into(),
        Op::SAnd => (u(0) & u(1)).into(),
        Op::SOr => (u(0) | u(1)).into(),
        Op::SXor => (u(0) ^ u(1)).into(),
        Op::SShl => u(0).wrapping_shl(u(1)).into(),
        Op::SShr => u(0).wrapping_shr(u(1)).into(),
        Op::SSar => i32s(s(0).wrapping_shr(u(1))),
        Op::SMinS => i32s(s(0).min(s(1))),
        Op::SMaxS => i32s(s(0).max(s(1))),
        Op::SMinU => u(0).min(u(1)).into(),
        Op::SMaxU => u(0).max(u(1)).into(),
        Op::SDivU => div_u(u(0), u(1)).into(),
        Op::SDivS => div_s(u(0), u(1)).into(),
        Op::SRemU => rem_u(u(0), u(1)).into(),
        Op::SRemS => rem_s(u(0), u(1)).into(),
        Op::SSelect | Op::LSelect => {
            if x(0) != 0 {
                x(1)
            } else {
                x(2)
            }
        }
        Op::SEq => l(u(0) == u(1)),
        Op::SNe => l(u(0) != u(1)),
        Op::SLtS => l(s(0) < s(1)),
        Op::SLeS => l(s(0) <= s(1)),
        Op::SLtU => l(u(0) < u(1)),
        Op::SLeU => l(u(0) <= u(1)),
        Op::LAdd => x(0).wrapping_add(x(1)),
        Op::LSub => x(0).wrapping_sub(x(1)),
        Op::LMul => x(0).wrapping_mul(x(1)),
        Op::LAnd => x(0) & x(1),
        Op::LOr => x(0) | x(1),
        Op::LXor => x(0) ^ x(1),
        Op::LShl => x(0).wrapping_shl(u(1)),
        Op::LShr => x(0).wrapping_shr(u(1)),
        Op::LSar => (x(0) as i64).wrapping_shr(u(1)) as u64,
        Op::LZext | Op::LTrunc => u(0).into(),
        Op::LSext => i64::from(s(0)) as u64,
        Op::LEq => l(x(0) == x(1)),
        Op::LLtU => l(x(0) < x(1)),
        _ => l((x(0) as i64) < (x(1) as i64)), // LLtS
    }
}

fn mask(f: &Frame<'_>, inst: &Inst) -> u64 {
    let x = |i: usize| f.scalar(inst.args[i]);
    match inst.op {
        Op::MAnd => x(0) & x(1),
        Op::MOr => x(0) | x(1),
        Op::MXor => x(0) ^ x(1),
        Op::MAndNot => x(0) & !x(1),
        Op::MNot => !x(0) & f.all_lanes(),
        Op::MAny => u64::from(x(0) != 0),
        Op::MBits => x(0),
        _ => x(0) & f.all_lanes(), // MFromBits
    }
}

fn compare(f: &Frame<'_>, inst: &Inst) -> u64 {
    let (a, b) = (f.lanes(inst.args[0]), f.lanes(inst.args[1]));
    let test = |i: usize| {
        let (x, y) = (a[i], b[i]);
        let (p, q) = (f32::from_bits(x), f32::from_bits(y));
        match inst.op {
            Op::VEq => x == y,
            Op::VNe => x != y,
            Op::VLtS => (x as i32) < y as i32,
            Op::VLeS => x as i32 <= y as i32,
            Op::VLtU => x < y,
            Op::VLeU => x <= y,
            Op::FEq => p == q,
            Op::FNe => p != q,
            Op::FLt => p < q,
            Op::FLe => p <= q,
            _ => p.is_nan() || q.is_nan(), // FUno
        }
    };
    (0..f.width).fold(0, |bits, i| bits | u64::from(test(i)) << i)
}

fn lanes(f: &Frame<'_>, inst: &Inst) -> Lanes {
    let mut out = [0; MAX_WIDTH];
    match inst.op {
        Op::VIota => (0..f.width).for_each(|i| out[i] = i as u32),
        Op::VSplat => out[..f.width].fill(f.s32(inst.args[0])),
        Op::VSelect => {
            let (m, a, b) = (
                f.scalar(inst.args[0]),
                f.lanes(inst.args[1]),
                f.lanes(inst.args[2]),
            );
            (0..f.width).for_each(|i| out[i] = if m >> i & 1 != 0 { a[i] } else { b[i] });
        }
        Op::QuadSwizzle => {
            let a = f.lanes(inst.args[0]);
            (0..f.width).for_each(|i| out[i] = a[i & !3 | (inst.imm >> (2 * (i & 3)) & 3) as usize]);
        }
        Op::Shuffle8 => {
            let (a, index) = (f.lanes(inst.args[0]), f.lanes(inst.args[1]));
            (0..f.width).for_each(|i| out[i] = a[i & !7 | (index[i] & 7) as usize]);
        }
        Op::MBallot8 => {
            let m = f.scalar(inst.args[0]);
            (0..f.width).for_each(|i| out[i] = (m >> (i & !7) & 0xff) as u32);
        }
        Op::Fma => {
            let [a, b, c] = [0, 1, 2].map(|i| f.lanes(inst.args[i]));
            (0..f.width).for_each(|i| out[i] = fma(a[i], b[i], c[i]));
        }
        op if op.within(Op::DAdd, Op::DRound) => {
            let words: Vec<&Lanes> = inst.args.iter().map(|&arg| f.lanes(arg)).collect();
            let bits = |n: usize, i: usize| match (words.get(2 * n), words.get(2 * n + 1)) {
                (Some(low), Some(high)) => u64::from(low[i]) | u64::from(high[i]) << 32,
                _ => 0,
            };
            (0..f.width).for_each(|i| {
                let result = double(op, inst.imm, [0, 1, 2].map(|n| bits(n, i)));
                out[i] = (result >> (32 * (inst.imm & 1))) as u32;
            });
        }
        op if inst.args.len() == 1 => {
            let a = f.lanes(inst.args[0]);
            (0..f.width).for_each(|i| out[i] = unary(op, a[i]));
        }
        op => {
            let (a, b) = (f.lanes(inst.args[0]), f.lanes(inst.args[1]));
            (0..f.width).for_each(|i| out[i] = binary(op, a[i], b[i]));
        }
    }
    out
}

/// The first NaN operand made quiet, else the default NaN, where `result` is a NaN.
fn nan_rule(result: f32, operands: &[u32]) -> u32 {
    if !result.is_nan() {
        return result.to_bits();
    }
    operands
        .iter()
        .find(|&&x| f32::from_bits(x).is_nan())
        .map_or(0xffc0_0000, |x| x | 0x0040_0000)
}

fn fma(a: u32, b: u32, c: u32) -> u32 {
    let x = f32::from_bits(a).mul_add(f32::from_bits(b), f32::from_bits(c));
    nan_rule(x, &[b, a, c])
}

/// An operation on doubles, of which there may be less than three.
fn double(op: Op, imm: i64, bits: [u64; 3]) -> u64 {
    let [a, b, c] = bits.map(f64::from_bits);
    let result = match op {
        Op::DAdd => a + b,
        Op::DSub => a - b,
        Op::DMul => a * b,
        Op::DDiv => a / b,
        Op::DFma => a.mul_add(b, c),
        Op::DSqrt => a.sqrt(),
        _ => match imm >> 1 & 3 {
            0 => a.round_ties_even(),
            1 => a.floor(),
            2 => a.ceil(),
            _ => a.trunc(),
        },
    };
    if !result.is_nan() {
        return result.to_bits();
    }
    let nan = bits.into_iter().find(|&x| f64::from_bits(x).is_nan());
    nan.map_or(0xfff8 << 48, |x| x | 0x0008 << 48)
}

fn unary(op: Op, a: u32) -> u32 {
    let x = f32::from_bits(a);
    match op {
        Op::FSqrt => nan_rule(x.sqrt(), &[a]),
        Op::FFloor => nan_rule(x.floor(), &[a]),
        Op::FCeil => nan_rule(x.ceil(), &[a]),
        Op::FTrunc => nan_rule(x.trunc(), &[a]),
        Op::FRound => nan_rule(x.round_ties_even(), &[a]),
        Op::FToI => {
            if (-2_147_483_648.0..2_147_483_648.0).contains(&x) {
                x as i32 as u32
            } else {
                0x8000_0000
            }
        }
        Op::FToU => x as u32,
        Op::IToF => (a as i32 as f32).to_bits(),
        Op::UToF => (a as f32).to_bits(),
        Op::HToF => half_to_float(a as u16),
        _ => float_to_half(x).into(), // FToH
    }
}

fn half_to_float(bits: u16) -> u32 {
    let h = half::f16::from_bits(bits);
    if h.is_nan() {
        // Quiet, sign and payload kept, as the hardware does.
        return u32::from(bits & 0x8000) << 16 | 0x7fc0_0000 | u32::from(bits & 0x3ff) << 13;
    }
    h.to_f32_const().to_bits()
}

fn float_to_half(x: f32) -> u16 {
    if x.is_nan() {
        let bits = x.to_bits();
        return (bits >> 16 & 0x8000) as u16 | 0x7e00 | (bits >> 13 & 0x3ff) as u16;
    }
    half::f16::from_f32_const(x).to_bits()
}

fn binary(op: Op, a: u32, b: u32) -> u32 {
    let (x, y) = (f32::from_bits(a), f32::from_bits(b));
    let (s, t) = (a as i32, b as i32);
    match op {
        Op::VAdd => a.wrapping_add(b),
        Op::VSub => a.wrapping_sub(b),
        Op::VMul => a.wrapping_mul(b),
        Op::VMulHiS => ((i64::from(s) * i64::from(t)) >> 32) as u32,
        Op::VMulHiU => ((u64::from(a) * u64::from(b)) >> 32) as u32,
        Op::VAnd => a & b,
        Op::VOr => a | b,
        Op::VXor => a ^ b,
        Op::VShl => a.wrapping_shl(b),
        Op::VShr => a.wrapping_shr(b),
        Op::VSar => s.wrapping_shr(b) as u32,
        Op::VMinS => s.min(t) as u32,
        Op::VMaxS => s.max(t) as u32,
        Op::VMinU => a.min(b),
        Op::VMaxU => a.max(b),
        Op::VDivU => div_u(a, b),
        Op::VDivS => div_s(a, b),
        Op::VRemU => rem_u(a, b),
        Op::VRemS => rem_s(a, b),
        Op::FAdd => nan_rule(x + y, &[a, b]),
        Op::FSub => nan_rule(x - y, &[a, b]),
        Op::FMul => nan_rule(x * y, &[a, b]),
        Op::FDiv => nan_rule(x / y, &[a, b]),
        Op::FMin => {
            if x < y {
                a
            } else {
                b
            }
        }
        _ => {
            // FMax
            if x > y { a } else { b }
        }
    }
}

fn div_u(a: u32, b: u32) -> u32 {
    a.checked_div(b).unwrap_or(u32::MAX)
}

fn div_s(a: u32, b: u32) -> u32 {
    if b == 0 {
        u32::MAX
    } else {
        (a as i32).wrapping_div(b as i32) as u32
    }
}

fn rem_u(a: u32, b: u32) -> u32 {
    a.checked_rem(b).unwrap_or(a)
}

fn rem_s(a: u32, b: u32) -> u32 {
    if b == 0 {
        a
    } else {
        (a as i32).wrapping_rem(b as i32) as u32
    }
}
