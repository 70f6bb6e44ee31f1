//! Passes over the wave IR: one file a pass, the pipeline as one list.
#![forbid(unsafe_code)]

mod dce;
mod guards;
mod gvn;
mod invariant;
mod licm;
mod split_barriers;

use super::ir::Func;

pub use guards::{choose as choose_guards, give_slots as give_guard_slots};

type Pass = fn(&mut Func);

/// The pipeline, in order.
const PIPELINE: &[(&str, Pass)] = &[
    ("gvn", gvn::run),
    ("split_barriers", split_barriers::run),
    ("licm", licm::run),
    ("dce", dce::run),
];

/// For each value whether anything depends on it that can be seen.
#[must_use]
pub fn needed_values(func: &Func) -> Vec<bool> {
    dce::live_values(func)
}

/// Runs every pass. With `LAHAR_DUMP=ir` each intermediate form goes to standard error.
pub fn optimize(func: &mut Func) {
    static DUMP: std::sync::OnceLock<bool> = std::sync::OnceLock::new();
    let dump =
        *DUMP.get_or_init(|| std::env::var("LAHAR_DUMP").is_ok_and(|v| v.split(',').any(|w| w == "ir")));
    for (name, pass) in PIPELINE {
        pass(func);
        if dump {
            eprintln!("// after {name}\n{func}");
        }
    }
}
