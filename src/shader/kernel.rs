//! A compiled function, whatever runs it.
#![forbid(unsafe_code)]

use super::codegen::{self, entry};
use super::guard::Mode;
use super::ir::{self, Func};
use super::{interp, passes};
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

impl Backend {
    /// Whether this machine can run it.
    #[must_use]
    pub fn is_supported(self) -> bool {
        codegen::host_supports(self)
    }

    /// The fastest that this machine can run.
    #[must_use]
    pub fn best() -> Backend {
        [Backend::Avx512, Backend::Avx2]
            .into_iter()
            .find(|b| b.is_supported())
            .unwrap_or(Backend::Interpreter)
    }

    /// Its word in the configuration and in dumps.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Backend::Interpreter => "interp",
            Backend::Avx2 => "avx2",
            Backend::Avx512 => "avx512",
        }
    }
}

/// Why a function could not be compiled. Each is a fault of the compiler, not of the shader.
#[derive(Debug, thiserror::Error)]
pub enum CompileError {
    /// The IR breaks its own rules.
    #[error("invalid IR in {name}: {error}")]
    Invalid {
        /// Name of the function.
        name: String,
        /// What is wrong.
        error: ir::VerifyError,
    },
    /// The back end could not make code of it.
    #[error("no code for {name}: {error}")]
    Codegen {
        /// Name of the function.
        name: String,
        /// Why.
        error: codegen::CodegenError,
    },
}

/// Machine code and what its callers must know.
#[derive(Debug)]
pub struct Compiled {
    code: codegen::Code,
    frame_bytes: u32,
    states: u32,
}

impl Compiled {
    /// The code, with its table of memory accesses.
    #[must_use]
    pub fn code(&self) -> &codegen::Code {
        &self.code
    }
}

/// A kernel or routine, ready to run.
#[derive(Clone, Debug)]
pub enum Kernel {
    /// Run by the interpreter.
    Interpreted(Arc<Func>),
    /// Machine code.
    Compiled(Arc<Compiled>),
}

impl Kernel {
    /// Runs it once; see [`crate::shader::abi`].
    #[must_use]
    pub fn call(&self, ctx: u64, arg: u64) -> u32 {
        match self {
            Kernel::Interpreted(func) => interp::run(func, ctx, arg),
            Kernel::Compiled(compiled) => compiled.code.call(ctx, arg),
        }
    }

    /// Code and data with which other kernels call this as a routine: `code(ctx, data)`. Valid while `self`
    /// or a clone lives.
    #[must_use]
    pub fn routine(&self) -> (u64, u64) {
        match self {
            Kernel::Interpreted(func) => (entry::interpreter_entry(), Arc::as_ptr(func) as u64),
            Kernel::Compiled(compiled) => (compiled.code.address(), 0),
        }
    }

    /// Origin of the instruction that made an access (see [`ir::Inst::origin`]), or [`ir::NO_ORIGIN`].
    #[must_use]
    pub fn origin(&self, trap: &entry::Trap) -> u32 {
        match self {
            Kernel::Compiled(compiled) if compiled.code.contains(trap.instruction) => compiled
                .code
                .site_at(trap.instruction)
                .map_or(ir::NO_ORIGIN, |site| site.origin),
            _ => trap.origin,
        }
    }

    /// A trap with what the instruction says of it: an atomic may have been caught by the read that it begins with.
    #[must_use]
    pub fn complete(&self, trap: entry::Trap) -> entry::Trap {
        let site = match self {
            Kernel::Compiled(compiled) if compiled.code.contains(trap.instruction) => {
                compiled.code.site_at(trap.instruction)
            }
            _ => None,
        };
        site.map_or(trap, |site| entry::Trap {
            atomic: trap.atomic || site.atomic,
            size: if trap.size == 0 { site.bytes } else { trap.size },
            ..trap
        })
    }

    /// Bytes of frame that each wave needs.
    #[must_use]
    pub fn frame_bytes(&self) -> u32 {
        match self {
            Kernel::Interpreted(func) => func.frame_bytes,
            Kernel::Compiled(compiled) => compiled.frame_bytes,
        }
    }

    /// Bytes of executable pages.
    #[must_use]
    pub fn code_bytes(&self) -> u64 {
        match self {
            Kernel::Interpreted(_) => 0,
            Kernel::Compiled(compiled) => compiled.code.page_bytes() as u64,
        }
    }

    /// Bytes that it takes in all.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let bytes = match self {
            Kernel::Interpreted(func) => {
                let instructions = func.blocks.iter().map(|block| size_of_val(&*block.insts));
                size_of_val(&*func.blocks) + size_of_val(&*func.types) + instructions.sum::<usize>()
            }
            Kernel::Compiled(compiled) => size_of_val(&**compiled) + size_of_val(compiled.code.sites()),
        };
        self.code_bytes() + bytes as u64
    }

    /// Number of resume states; 1 without barriers.
    #[must_use]
    pub fn states(&self) -> u32 {
        match self {
            Kernel::Interpreted(func) => func.states,
            Kernel::Compiled(compiled) => compiled.states,
        }
    }
}

/// What to compile for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Target {
    /// What runs the kernel.
    pub backend: Backend,
    /// Which guards it has.
    pub guards: Mode,
    /// Whether it tells of accesses that robustness makes harmless.
    pub masked: bool,
}

impl From<Backend> for Target {
    fn from(backend: Backend) -> Target {
        Target {
            backend,
            guards: Mode::default(),
            masked: false,
        }
    }
}

/// Optimises and compiles `func`, whose width must be that of the back end.
///
/// # Errors
/// See [`CompileError`].
pub fn compile(mut func: Func, target: impl Into<Target>) -> Result<Kernel, CompileError> {
    let Target {
        backend,
        guards,
        masked,
    } = target.into();
    let check = |func: &Func| {
        ir::verify(func).map_err(|error| CompileError::Invalid {
            name: func.name.clone(),
            error,
        })
    };
    check(&func)?;
    passes::choose_guards(&mut func, guards, masked);
    passes::optimize(&mut func);
    passes::give_guard_slots(&mut func);
    if cfg!(debug_assertions) {
        check(&func)?;
    }
    if backend == Backend::Interpreter {
        return Ok(Kernel::Interpreted(Arc::new(func)));
    }
    match codegen::compile(&func, backend) {
        Ok(code) => Ok(Kernel::Compiled(Arc::new(Compiled {
            code,
            frame_bytes: func.frame_bytes,
            states: func.states,
        }))),
        Err(error) => Err(CompileError::Codegen {
            name: func.name,
            error,
        }),
    }
}
