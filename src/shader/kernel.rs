//! A compiled function, whatever runs it.

use super::ir::Func;
use std::sync::Arc;

/// What runs kernels.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Backend {
    /// The interpreter: any host, 8 lanes.
    Interpreter,
    /// Machine code, 8 lanes.
    Avx2,
    /// Machine code, 16 lanes as two subgroups.
    Avx512,
}

impl Backend {
    /// Lanes of a wave on this back end.
    #[must_use]
    pub fn width(self) -> u32 {
        match self {
            Backend::Interpreter | Backend::Avx2 => 8,
            Backend::Avx512 => 16,
        }
    }
}

/// A kernel or routine, ready to run.
#[derive(Clone, Debug)]
pub enum Kernel {
    /// Run by the interpreter.
    Interpreted(Arc<Func>),
}
