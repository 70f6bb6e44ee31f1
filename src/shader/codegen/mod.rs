//! Wave IR → machine code; the only place that names an instruction set.
//!
//! [`assemble`] gives position-independent bytes that can be kept in a cache, [`Image::load`] makes them
//! callable, [`compile`] does both. Code is called through [`entry`]; it obeys the kernel ABI of
//! [`crate::shader::abi`], keeps the caller's registers and leaves the float environment alone, which it
//! expects as processes have it (round to nearest, denormals kept).

pub mod entry;
mod memory;
#[cfg_attr(target_arch = "x86_64", path = "trap.rs")]
#[cfg_attr(not(target_arch = "x86_64"), path = "no_trap.rs")]
mod trap;
mod x64;

use super::ir::Func;
use super::kernel::Backend;
use std::sync::Arc;

/// Whether this machine can run a back end's code.
#[must_use]
pub fn host_supports(backend: Backend) -> bool {
    match backend {
        Backend::Interpreter => true,
        #[cfg(target_arch = "x86_64")]
        Backend::Avx2 => {
            is_x86_feature_detected!("avx2")
                && is_x86_feature_detected!("fma")
                && is_x86_feature_detected!("f16c")
                && is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("bmi2")
        }
        #[cfg(target_arch = "x86_64")]
        Backend::Avx512 => {
            host_supports(Backend::Avx2)
                && is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512vl")
        }
        #[cfg(not(target_arch = "x86_64"))]
        Backend::Avx2 | Backend::Avx512 => false,
    }
}

/// Why a function was not compiled.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum CodegenError {
    /// The function is for waves of another width than the target's.
    #[error("a function of {function} lanes for a target of {target}")]
    Width {
        /// Lanes of the function.
        function: u32,
        /// Lanes of the target.
        target: u32,
    },
    /// The function is not what the verifier would let through at this stage.
    #[error("the function has {0}")]
    Malformed(&'static str),
    /// More values or code than there is room for.
    #[error("the function is too large")]
    TooLarge,
    /// The register allocator gave up.
    #[error("register allocation: {0}")]
    Registers(String),
    /// The back end makes no machine code.
    #[error("the interpreter needs no code")]
    NoCode,
    /// No memory for code.
    #[error("no memory for code: {0}")]
    Memory(String),
    /// This host cannot run the code.
    #[error("the host lacks the instruction set")]
    Host,
}

/// A place in code that touches the memory an instruction of the IR names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Site {
    /// Offset of the machine instruction.
    pub offset: u32,
    /// Block of the IR instruction.
    pub block: u32,
    /// Index of the IR instruction in its block.
    pub inst: u32,
    /// [`crate::shader::ir::Inst::origin`] of the IR instruction.
    pub origin: u32,
    /// Whether it is an atomic.
    pub atomic: bool,
    /// Bytes of a lane's access.
    pub bytes: u32,
}

/// Compiled code as plain data: it runs wherever it is put.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Image {
    /// Code from offset 0, then its constants. To be placed at a multiple of 64.
    pub bytes: Vec<u8>,
    /// By rising offset.
    pub sites: Vec<Site>,
}

impl Image {
    /// Puts the code into executable memory.
    ///
    /// The bytes are trusted: they must come from [`assemble`] for a back end that this host supports.
    ///
    /// # Errors
    /// [`CodegenError::Memory`].
    pub fn load(&self) -> Result<Code, CodegenError> {
        let memory = memory::CodeMemory::new(&self.bytes)?;
        Ok(Code(Arc::new(CodeInner {
            memory,
            sites: self.sites.clone().into(),
        })))
    }
}

#[derive(Debug)]
struct CodeInner {
    memory: memory::CodeMemory,
    sites: Box<[Site]>,
}

/// Executable code. Clones share it; the memory is given back with the last one.
#[derive(Clone, Debug)]
pub struct Code(Arc<CodeInner>);

impl Code {
    /// Address to call.
    #[must_use]
    pub fn address(&self) -> u64 {
        self.0.memory.address()
    }

    /// Bytes of code and constants.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.memory.len()
    }

    /// Bytes of the pages that hold them.
    #[must_use]
    pub fn page_bytes(&self) -> usize {
        self.0.memory.page_bytes()
    }

    /// Whether there is no code.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether an address lies in the code.
    #[must_use]
    pub fn contains(&self, address: u64) -> bool {
        address.wrapping_sub(self.address()) < self.len() as u64
    }

    /// The places that touch memory, by rising offset.
    #[must_use]
    pub fn sites(&self) -> &[Site] {
        &self.0.sites
    }

    /// The IR instruction whose memory access is at this machine address, if there is one: for a fault there.
    #[must_use]
    pub fn site_at(&self, address: u64) -> Option<Site> {
        let offset = u32::try_from(address.wrapping_sub(self.address())).ok()?;
        let sites = self.sites();
        let after = sites.partition_point(|site| site.offset <= offset);
        after.checked_sub(1).map(|i| sites[i])
    }

    /// Runs the code; see [`entry::call`].
    #[must_use]
    pub fn call(&self, ctx: u64, arg: u64) -> u32 {
        entry::call(self.address(), ctx, arg)
    }
}

/// Compiles a function to position-independent bytes.
///
/// # Errors
/// See [`CodegenError`].
pub fn assemble(func: &Func, backend: Backend) -> Result<Image, CodegenError> {
    if func.width != backend.width() {
        return Err(CodegenError::Width {
            function: func.width,
            target: backend.width(),
        });
    }
    x64::assemble(func, backend)
}

/// Compiles a function into executable memory.
///
/// # Errors
/// See [`CodegenError`].
pub fn compile(func: &Func, backend: Backend) -> Result<Code, CodegenError> {
    if !host_supports(backend) {
        return Err(CodegenError::Host);
    }
    assemble(func, backend)?.load()
}
