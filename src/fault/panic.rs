//! A way to make the driver fail, so that tests see what becomes of its panics. Builds for users do not have it.

/// The label that makes a build with debug assertions panic where it is inserted.
const LABEL: &str = "lahar: panic";

/// Panics if an inserted label says so, in a build for tests.
pub fn panic_if_asked(label: &str) {
    assert!(
        !(cfg!(debug_assertions) && label == LABEL),
        "a label asked for it"
    );
}
