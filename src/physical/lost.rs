//! The loss of the physical device: for a while no device can be created on it.
#![forbid(unsafe_code)]

use std::sync::atomic::{AtomicU64, Ordering};

/// Creations of devices that are still to fail. Of the process, as the physical device is.
static REFUSALS: AtomicU64 = AtomicU64::new(0);

/// Loses the physical device until this many creations of devices have failed; `u64::MAX` is for ever. Devices that
/// there are already are not touched.
pub fn lose(creations: u64) {
    REFUSALS.store(creations, Ordering::SeqCst);
}

/// Whether the creation of a device that begins now is to fail with `VK_ERROR_DEVICE_LOST`.
#[must_use]
pub fn refuses() -> bool {
    let next = |left| match left {
        0 => None,
        u64::MAX => Some(u64::MAX),
        left => Some(left - 1),
    };
    REFUSALS
        .fetch_update(Ordering::SeqCst, Ordering::SeqCst, next)
        .is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn so_many_creations_fail() {
        assert!(!refuses());
        lose(2);
        assert!(refuses() && refuses() && !refuses());
        lose(u64::MAX);
        assert!((0..5).all(|_| refuses()));
        lose(0);
        assert!(!refuses());
    }
}
