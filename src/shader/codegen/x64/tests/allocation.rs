//! Register allocations against regalloc2's checker.

use super::Rng;
use super::random::generate;
use crate::shader::codegen::x64::encoder::Isa;
use crate::shader::codegen::x64::inst::MachFunc;
use crate::shader::codegen::x64::{alloc, lower, regs};
use regalloc2::checker::Checker;
use regalloc2::{Algorithm, Output};

/// The allocations in the order of the instructions, as the checker reads them.
fn in_order(mach: &MachFunc, out: &Output) -> Output {
    let mut ordered = Output {
        allocs: Vec::new(),
        inst_alloc_offsets: Vec::new(),
        ..out.clone()
    };
    for (inst, &start) in mach.insts.iter().zip(&out.inst_alloc_offsets) {
        let offset = u32::try_from(ordered.allocs.len()).expect("operands");
        ordered.inst_alloc_offsets.push(offset);
        let start = start as usize;
        ordered
            .allocs
            .extend_from_slice(&out.allocs[start..start + usize::from(inst.count)]);
    }
    ordered
}

#[test]
fn allocations_keep_the_flow_of_values() {
    for (isa, width) in [(Isa::Avx2, 8), (Isa::Avx512, 16)] {
        for seed in 0..8 {
            let func = generate(&mut Rng::new(seed + 1), width);
            let (mach, _) = lower::lower(&func, isa).expect("lowering");
            for algorithm in [None, Some(Algorithm::Ion), Some(Algorithm::Fastalloc)] {
                let out = match algorithm {
                    Some(algorithm) => regs::allocate_with(&mach, isa, algorithm).expect("allocation"),
                    None => in_order(
                        &mach,
                        &alloc::allocate(&mach, regs::machine_env(isa)).expect("allocation"),
                    ),
                };
                let mut checker = Checker::new(&mach, regs::machine_env(isa));
                checker.prepare(&out);
                if let Err(errors) = checker.run() {
                    panic!("{isa:?} seed {seed} {algorithm:?}: {errors:?}");
                }
            }
        }
    }
}
