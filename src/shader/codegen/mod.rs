//! Wave IR → machine code. The boundary names no instruction set.

pub mod entry;

use super::kernel::Backend;

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
