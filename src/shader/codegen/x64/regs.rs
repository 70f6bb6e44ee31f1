//! Registers, and the boundary to the register allocator.

use super::alloc;
use super::encoder::Isa;
use super::inst::MachFunc;
use crate::shader::codegen::CodegenError;
use regalloc2::{Algorithm, MachineEnv, Output, PReg, PRegSet, RegClass, RegallocOptions};
use std::cell::RefCell;
use std::sync::LazyLock;

pub(super) const RAX: u8 = 0;
pub(super) const RCX: u8 = 1;
pub(super) const RDX: u8 = 2;
pub(super) const RBX: u8 = 3;
pub(super) const RSP: u8 = 4;
pub(super) const RBP: u8 = 5;
pub(super) const RSI: u8 = 6;
pub(super) const RDI: u8 = 7;

/// Registers that a callee may change.
const CALLER_SAVED: [u8; 9] = [RAX, RCX, RDX, RSI, RDI, 8, 9, 10, 11];
/// Registers that must be kept for the caller; `rbp` is the frame pointer and never allocated.
pub(super) const CALLEE_SAVED: [u8; 5] = [RBX, 12, 13, 14, 15];

/// Machine instructions beyond which the linear allocator is used: the better one grows faster than linearly.
const LARGE: usize = 6000;

/// A general register, for the allocator.
pub(super) const fn int(reg: u8) -> PReg {
    PReg::new(reg as usize, RegClass::Int)
}

const fn class_set(class: RegClass, from: usize, to: usize) -> PRegSet {
    let mut set = PRegSet::empty();
    let mut i = from;
    while i < to {
        set.add(PReg::new(i, class));
        i += 1;
    }
    set
}

const fn int_set(regs: &[u8]) -> PRegSet {
    let mut set = PRegSet::empty();
    let mut i = 0;
    while i < regs.len() {
        set.add(int(regs[i]));
        i += 1;
    }
    set
}

const fn vectors(isa: Isa) -> usize {
    match isa {
        Isa::Avx2 => 16,
        Isa::Avx512 => 32,
    }
}

/// What a call changes besides its result in `rax`: every vector and mask register, and the caller's own.
pub(super) fn call_clobbers(isa: Isa) -> PRegSet {
    let mut set = int_set(&[RCX, RDX, RSI, RDI, 8, 9, 10, 11]);
    set.union_from(class_set(RegClass::Float, 0, vectors(isa)));
    if isa == Isa::Avx512 {
        set.union_from(class_set(RegClass::Vector, 1, 8));
    }
    set
}

fn environment(isa: Isa) -> MachineEnv {
    // k0 cannot mask, so it is left out.
    let masks = if isa == Isa::Avx512 {
        class_set(RegClass::Vector, 1, 8)
    } else {
        PRegSet::empty()
    };
    MachineEnv {
        preferred_regs_by_class: [
            int_set(&CALLER_SAVED),
            class_set(RegClass::Float, 0, vectors(isa)),
            masks,
        ],
        non_preferred_regs_by_class: [int_set(&CALLEE_SAVED), PRegSet::empty(), PRegSet::empty()],
        scratch_by_class: [None; 3],
        fixed_stack_slots: Vec::new(),
    }
}

static AVX2: LazyLock<MachineEnv> = LazyLock::new(|| environment(Isa::Avx2));
static AVX512: LazyLock<MachineEnv> = LazyLock::new(|| environment(Isa::Avx512));

thread_local! {
    /// Buffers that the allocator keeps from one function to the next.
    static CONTEXT: RefCell<regalloc2::Ctx> = RefCell::default();
}

/// The registers of an instruction set, for the allocator and its checker.
pub(super) fn machine_env(isa: Isa) -> &'static MachineEnv {
    match isa {
        Isa::Avx2 => &AVX2,
        Isa::Avx512 => &AVX512,
    }
}

/// Assigns a register or a stack slot to every operand.
pub(super) fn allocate(func: &MachFunc, isa: Isa) -> Result<Output, CodegenError> {
    if let Some(out) = alloc::allocate(func, machine_env(isa)) {
        return Ok(out);
    }
    let algorithm = if func.insts.len() > LARGE {
        Algorithm::Fastalloc
    } else {
        Algorithm::Ion
    };
    allocate_with(func, isa, algorithm)
}

/// The same with regalloc2.
pub(super) fn allocate_with(func: &MachFunc, isa: Isa, algorithm: Algorithm) -> Result<Output, CodegenError> {
    let options = RegallocOptions {
        verbose_log: false,
        validate_ssa: cfg!(debug_assertions),
        algorithm,
    };
    CONTEXT.with_borrow_mut(|context| {
        regalloc2::run_with_ctx(func, machine_env(isa), &options, context)
            .map_err(|error| CodegenError::Registers(format!("{error:?}")))?;
        Ok(std::mem::take(&mut context.output))
    })
}
