//! Each function against f64 over its domain, within the bounds of the Vulkan specification.

use super::*;
use crate::memory::{AlignedBuf, raw};
use crate::shader::interp;
use crate::shader::ir::{BlockId, Func, Type, verify};
use crate::shader::kernel::{Backend, compile};

type Unary = fn(&mut Builder<'_>, Value) -> Value;
type Binary = fn(&mut Builder<'_>, Value, Value) -> Value;

/// A function that loads vectors at `ctx`, applies `f` and stores the result at `arg`.
fn kernel(f: impl FnOnce(&mut Builder<'_>, Value, Value) -> Value) -> Func {
    let mut func = Func::new("f", 8, &[Type::S64, Type::S64]);
    let (ctx, arg) = (func.blocks[0].params[0], func.blocks[0].params[1]);
    let mut b = Builder::new(&mut func, BlockId(0));
    let (x, y) = (b.vload(ctx, 0), b.vload(ctx, 32));
    let result = f(&mut b, x, y);
    b.vstore(arg, result, 0);
    let done = b.sconst(0);
    b.ret(done);
    assert_eq!(verify(&func), Ok(()), "valid IR");
    func
}

fn run(func: &Func, x: [f32; 8], y: [f32; 8]) -> [f32; 8] {
    let (input, mut out) = ([x, y], [0f32; 8]);
    assert_eq!(
        interp::run(func, input.as_ptr() as u64, out.as_mut_ptr() as u64),
        0,
        "ends"
    );
    raw::load(out.as_ptr() as u64)
}

/// Floats spread over all bit patterns.
fn patterns(step: usize) -> impl Iterator<Item = f32> {
    (0..=u32::MAX).step_by(step).map(f32::from_bits)
}

/// Distance in units of the last place of `want`, denormals counted as zero allowed.
fn ulps(got: f32, want: f64) -> f64 {
    if want.abs() > f64::from(f32::MAX) || got.is_infinite() {
        let near = want.abs() > 0.999 * f64::from(f32::MAX) && got.abs() > 0.999 * f32::MAX;
        return if near { 0.0 } else { f64::INFINITY };
    }
    let exponent = want.abs().max(f64::from(f32::MIN_POSITIVE)).log2().floor();
    (f64::from(got) - want).abs() / (exponent - 23.0).exp2()
}

/// Patterns from one that is tried to the next, in a run that is to be short.
const SAMPLED: usize = 16_411;

/// Holds `f` to `bound(x, got, want)` at every `step`th pattern in `domain`, in machine code where there is any; that it
/// computes as the interpreter does has tests of its own.
fn check(
    step: usize,
    f: Unary,
    reference: fn(f64) -> f64,
    domain: impl Fn(f32) -> bool,
    bound: impl Fn(f32, f32, f64) -> bool,
) {
    let backend = [Backend::Avx2, Backend::Interpreter]
        .into_iter()
        .find(|backend| backend.is_supported())
        .unwrap_or(Backend::Interpreter);
    let kernel = compile(kernel(|b, x, _| f(b, x)), backend).expect("it compiles");
    let memory = AlignedBuf::new(128);
    let (input, output) = (memory.address(), memory.address() + 64);
    let mut values = patterns(step).filter(|&x| domain(x)).peekable();
    let mut tried = 0;
    while values.peek().is_some() {
        let x: [f32; 8] = std::array::from_fn(|_| values.next().unwrap_or(f32::NAN));
        raw::store(input, x);
        assert_eq!(kernel.call(input, output), 0, "ends");
        let results: [f32; 8] = raw::load(output);
        for (x, got) in x.into_iter().zip(results).filter(|(x, _)| domain(*x)) {
            let want = reference(f64::from(x));
            assert!(bound(x, got, want), "f({x:e}) = {got:e}, expected {want:e}");
            tried += 1;
        }
    }
    assert!(tried > 200, "a domain worth testing");
}

fn exponentials_and_logarithms(step: usize) {
    let grows = |x: f32, got: f32, want: f64| ulps(got, want) <= 3.0 + 2.0 * f64::from(x.abs());
    check(step, exp, f64::exp, |x| x.abs() < 1000.0, grows);
    check(step, exp2, f64::exp2, |x| x.abs() < 1000.0, grows);
    let near_one = |x: f32| (0.5..=2.0).contains(&x);
    let log_bound = move |x: f32, got: f32, want: f64| {
        ulps(got, want) <= 3.0 || near_one(x) && (f64::from(got) - want).abs() < 2f64.powi(-21)
    };
    check(step, log, f64::ln, |x| x > 0.0 && x.is_finite(), log_bound);
    check(step, log2, f64::log2, |x| x > 0.0 && x.is_finite(), log_bound);
    check(
        step,
        inverse_sqrt,
        |x| x.powf(-0.5),
        |x| x > f32::MIN_POSITIVE && x.is_finite(),
        |_, got, want| ulps(got, want) <= 2.0,
    );
}

fn trigonometric(step: usize) {
    let absolute = |_: f32, got: f32, want: f64| (f64::from(got) - want).abs() < 2f64.powi(-20);
    check(step, sin, f64::sin, |x| x.abs() < 1000.0, absolute);
    check(step, cos, f64::cos, |x| x.abs() < 1000.0, absolute);
    check(step, sin, |_| 0.0, f32::is_finite, |_, got, _| got.abs() <= 1.0);
    check(
        step,
        tan,
        f64::tan,
        |x| x.abs() < 1.5,
        |_, got, want| ulps(got, want) <= 64.0,
    );
    check(
        step,
        asin,
        f64::asin,
        |x| x.abs() <= 1.0,
        |_, got, want| ulps(got, want) <= 64.0,
    );
    check(
        step,
        acos,
        f64::acos,
        |x| x.abs() <= 1.0,
        |_, got, want| (f64::from(got) - want).abs() < 1e-6,
    );
    check(step, atan, f64::atan, f32::is_finite, |_, got, want| {
        ulps(got, want) <= 16.0
    });
}

fn hyperbolic(step: usize) {
    let close = |_: f32, got: f32, want: f64| ulps(got, want) <= 64.0;
    check(
        step,
        sinh,
        f64::sinh,
        |x| x.abs() < 100.0,
        move |x, got, want| close(x, got, want) || ulps(got, want) <= 3.0 + 2.0 * f64::from(x.abs()),
    );
    check(
        step,
        cosh,
        f64::cosh,
        |x| x.abs() < 100.0,
        move |x, got, want| close(x, got, want) || ulps(got, want) <= 3.0 + 2.0 * f64::from(x.abs()),
    );
    check(step, tanh, f64::tanh, f32::is_finite, close);
    check(step, asinh, f64::asinh, f32::is_finite, close);
    check(
        step,
        acosh,
        f64::acosh,
        |x| x >= 1.0 && x.is_finite(),
        |_, got, want| ulps(got, want) <= 64.0 || (f64::from(got) - want).abs() < 1e-6,
    );
    check(
        step,
        atanh,
        f64::atanh,
        |x| x.abs() < 1.0,
        |_, got, want| ulps(got, want) <= 512.0,
    );
}

#[test]
fn functions_keep_the_precision_of_the_specification() {
    exponentials_and_logarithms(SAMPLED);
    trigonometric(SAMPLED);
    hyperbolic(SAMPLED);
}

#[test]
#[ignore = "tries every float there is, which takes a minute for each of nineteen functions"]
fn functions_keep_their_precision_at_every_float() {
    exponentials_and_logarithms(1);
    trigonometric(1);
    hyperbolic(1);
}

#[test]
fn special_values() {
    let inf = f32::INFINITY;
    let unary: [(Unary, f32, f32); 14] = [
        (exp, -inf, 0.0),
        (exp, inf, inf),
        (exp2, inf, inf),
        (exp2, -inf, 0.0),
        (exp2, 3.0, 8.0),
        (exp2, -149.0, f32::from_bits(1)),
        (log, 0.0, -inf),
        (log2, inf, inf),
        (log2, 8.0, 3.0),
        (atan, inf, std::f32::consts::FRAC_PI_2),
        (sin, 0.0, 0.0),
        (cos, 0.0, 1.0),
        (tanh, inf, 1.0),
        (cosh, 0.0, 1.0),
    ];
    for (i, (f, x, want)) in unary.into_iter().enumerate() {
        let got = run(&kernel(|b, x, _| f(b, x)), [x; 8], [x; 8])[0];
        assert!(
            (got - want).abs() <= 1e-7 * want.abs() || got == want,
            "case {i}: f({x}) = {got}, expected {want}"
        );
    }
    for f in [
        exp as Unary,
        exp2,
        log,
        log2,
        sin,
        cos,
        tan,
        asin,
        acos,
        atan,
        sinh,
        cosh,
        tanh,
        asinh,
        acosh,
        atanh,
    ] {
        assert!(
            run(&kernel(|b, x, _| f(b, x)), [f32::NAN; 8], [0.0; 8])[0].is_nan(),
            "NaN stays NaN"
        );
    }
    assert!(
        run(&kernel(|b, x, _| log(b, x)), [-1.0; 8], [0.0; 8])[0].is_nan(),
        "log of a negative number"
    );
    assert!(
        run(&kernel(|b, x, _| asin(b, x)), [1.5; 8], [0.0; 8])[0].is_nan(),
        "asin beyond 1"
    );
}

#[test]
fn two_operands() {
    let numbers = [
        0.0f32,
        -0.0,
        1.0,
        -1.0,
        0.3,
        -0.7,
        1e-30,
        -1e30,
        f32::INFINITY,
        f32::NEG_INFINITY,
        5.0,
        123.25,
    ];
    let atan2_kernel = kernel(atan2 as Binary);
    let pow_kernel = kernel(pow as Binary);
    for y in numbers {
        for x in numbers {
            let (got, want) = (
                run(&atan2_kernel, [y; 8], [x; 8])[0],
                f64::from(y).atan2(f64::from(x)),
            );
            assert!(
                (f64::from(got) - want).abs() < 1e-6 && got.is_sign_negative() == want.is_sign_negative(),
                "atan2({y}, {x}) = {got}, expected {want}"
            );
            if y > 0.0 && y.is_finite() && x.abs() < 8.0 {
                let (got, want) = (
                    run(&pow_kernel, [y; 8], [x; 8])[0],
                    f64::from(y).powf(f64::from(x)),
                );
                let exponent = (f64::from(x) * f64::from(y).log2()).abs();
                assert!(
                    ulps(got, want) <= 16.0 + 16.0 * exponent,
                    "pow({y}, {x}) = {got}, expected {want}"
                );
            }
        }
    }
}
