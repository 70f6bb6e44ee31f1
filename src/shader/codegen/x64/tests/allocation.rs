//! Register allocations against regalloc2's checker.

use super::Rng;
use super::random::generate;
use crate::shader::codegen::x64::encoder::Isa;
use crate::shader::codegen::x64::{lower, regs};
use regalloc2::Algorithm;
use regalloc2::checker::Checker;

#[test]
fn allocations_keep_the_flow_of_values() {
    for (isa, width) in [(Isa::Avx2, 8), (Isa::Avx512, 16)] {
        for seed in 0..20 {
            let func = generate(&mut Rng::new(seed + 1), width);
            let (mach, _) = lower::lower(&func, isa).expect("lowering");
            for algorithm in [Algorithm::Ion, Algorithm::Fastalloc] {
                let out = regs::allocate_with(&mach, isa, algorithm).expect("allocation");
                let mut checker = Checker::new(&mach, regs::machine_env(isa));
                checker.prepare(&out);
                if let Err(errors) = checker.run() {
                    panic!("{isa:?} seed {seed} {algorithm:?}: {errors:?}");
                }
            }
        }
    }
}
