//! Any text as a fault plan: it is understood, or refused with a reason.
#![no_main]

use lahar::fault::plan::Plan;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Err(error) = Plan::parse(text) {
        assert!(!error.to_string().is_empty());
    }
});
