//! Any text as a fault plan, as a file's and as a line's: it is understood, or refused with a reason and its place.
#![no_main]

use lahar::fault::plan::{Plan, PlanError};
use libfuzzer_sys::fuzz_target;

fn checked(text: &str, read: Result<Plan, PlanError>) -> Option<Plan> {
    match read {
        Ok(plan) => {
            // What rules together say is made of any plan.
            let _ = (plan.hidden(), plan.budgets().count());
            Some(plan)
        }
        Err(error) => {
            assert!(!error.message.is_empty());
            assert!((1..=text.lines().count() + 1).contains(&error.line), "{error}");
            assert!(error.column >= 1, "{error}");
            None
        }
    }
}

fuzz_target!(|text: &str| {
    let (file, line) = (checked(text, Plan::parse(text)), checked(text, Plan::parse_line(text)));
    if let (Some(mut file), Some(line)) = (file, line) {
        file.append(line);
    }
});
