//! Transcendental functions as wave IR, so that every back end and the interpreter give the same bits.
//!
//! Each is a range reduction and a polynomial whose coefficients are Chebyshev fits over the reduced range.
//! Errors are within the table "Precision of GLSL.std.450 Instructions" of the Vulkan specification
//! (appendix "Vulkan Environment for SPIR-V"); the tests hold the bounds. NaN operands give NaN.
#![forbid(unsafe_code)]

mod exponential;
mod hyperbolic;
mod inverse_trig;
mod trig;

pub use exponential::{exp, exp2, inverse_sqrt, log, log2, pow};
pub use hyperbolic::{acosh, asinh, atanh, cosh, sinh, tanh};
pub use inverse_trig::{acos, asin, atan, atan2};
pub use trig::{cos, sin, tan};

use super::ir::{Builder, Value};

/// `coefficients[0]·x^n + … + coefficients[n]` by Horner's rule, each step fused.
fn polynomial(b: &mut Builder<'_>, x: Value, coefficients: &[f32]) -> Value {
    let mut coefficients = coefficients
        .iter()
        .map(|&c| b.fconst(c))
        .collect::<Vec<_>>()
        .into_iter();
    let first = coefficients.next().unwrap_or(x);
    coefficients.fold(first, |sum, c| b.fma(sum, x, c))
}

/// `magnitude` with the sign bit of `sign`.
fn copy_sign(b: &mut Builder<'_>, magnitude: Value, sign: Value) -> Value {
    let bit = b.vconst(0x8000_0000);
    let bit = b.vand(sign, bit);
    let magnitude = b.fabs(magnitude);
    b.vor(magnitude, bit)
}

/// `x` brought into `low..=high`; NaN stays NaN.
fn clamp(b: &mut Builder<'_>, x: Value, low: f32, high: f32) -> Value {
    let (low, high) = (b.fconst(low), b.fconst(high));
    let x = b.fmax(low, x);
    b.fmin(high, x)
}

#[cfg(test)]
mod tests;
