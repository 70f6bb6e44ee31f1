//! Each function against f64 over its domain, within the bounds of the Vulkan specification.

use super::*;
use crate::memory::raw;
use crate::shader::interp;
use crate::shader::ir::{BlockId, Func, Type, verify};

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

/// Holds `f` to `bound(x, got, want)` at every pattern in `domain`.
fn check(
    f: Unary,
    reference: fn(f64) -> f64,
    domain: impl Fn(f32) -> bool,
    bound: impl Fn(f32, f32, f64) -> bool,
) {
    let func = kernel(|b, x, _| f(b, x));
    let values: Vec<f32> = patterns(16_411).filter(|&x| domain(x)).collect();
    assert!(values.len() > 200, "a domain worth testing");
    for chunk in values.chunks_exact(8) {
        let x: [f32; 8] = std::array::from_fn(|i| chunk[i]);
        for (&x, got) in x.iter().zip(run(&func, x, x)) {
            let want = reference(f64::from(x));
            assert!(bound(x, got, want), "f({x:e}) = {got:e}, expected {want:e}");
        }
    }
}

#[test]
fn exponentials_and_logarithms() {
    let grows = |x: f32, got: f32, want: f64| ulps(got, want) <= 3.0 + 2.0 * f64::from(x.abs());
    check(exp, f64::exp, |x| x.abs() < 1000.0, grows);
    check(exp2, f64::exp2, |x| x.abs() < 1000.0, grows);
    let near_one = |x: f32| (0.5..=2.0).contains(&x);
    let log_bound = move |x: f32, got: f32, want: f64| {
        ulps(got, want) <= 3.0 || near_one(x) && (f64::from(got) - want).abs() < 2f64.powi(-21)
    };
    check(log, f64::ln, |x| x > 0.0 && x.is_finite(), log_bound);
    check(log2, f64::log2, |x| x > 0.0 && x.is_finite(), log_bound);
    check(
        inverse_sqrt,
        |x| x.powf(-0.5),
        |x| x > f32::MIN_POSITIVE && x.is_finite(),
        |_, got, want| ulps(got, want) <= 2.0,
    );
}

#[test]
fn trigonometric() {
    let absolute = |_: f32, got: f32, want: f64| (f64::from(got) - want).abs() < 2f64.powi(-20);
    check(sin, f64::sin, |x| x.abs() < 1000.0, absolute);
    check(cos, f64::cos, |x| x.abs() < 1000.0, absolute);
    check(sin, |_| 0.0, f32::is_finite, |_, got, _| got.abs() <= 1.0);
    check(
        tan,
        f64::tan,
        |x| x.abs() < 1.5,
        |_, got, want| ulps(got, want) <= 64.0,
    );
    check(
        asin,
        f64::asin,
        |x| x.abs() <= 1.0,
        |_, got, want| ulps(got, want) <= 64.0,
    );
    check(
        acos,
        f64::acos,
        |x| x.abs() <= 1.0,
        |_, got, want| (f64::from(got) - want).abs() < 1e-6,
    );
    check(atan, f64::atan, f32::is_finite, |_, got, want| {
        ulps(got, want) <= 16.0
    });
}

#[test]
fn hyperbolic() {
    let close = |_: f32, got: f32, want: f64| ulps(got, want) <= 64.0;
    check(
        sinh,
        f64::sinh,
        |x| x.abs() < 100.0,
        move |x, got, want| close(x, got, want) || ulps(got, want) <= 3.0 + 2.0 * f64::from(x.abs()),
    );
    check(
        cosh,
        f64::cosh,
        |x| x.abs() < 100.0,
        move |x, got, want| close(x, got, want) || ulps(got, want) <= 3.0 + 2.0 * f64::from(x.abs()),
    );
    check(tanh, f64::tanh, f32::is_finite, close);
    check(asinh, f64::asinh, f32::is_finite, close);
    check(
        acosh,
        f64::acosh,
        |x| x >= 1.0 && x.is_finite(),
        |_, got, want| ulps(got, want) <= 64.0 || (f64::from(got) - want).abs() < 1e-6,
    );
    check(
        atanh,
        f64::atanh,
        |x| x.abs() < 1.0,
        |_, got, want| ulps(got, want) <= 512.0,
    );
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
