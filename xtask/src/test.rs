//! `cargo xtask test`: everything that must hold before a change lands.

use crate::TaskResult;
use crate::setup::{self, LOADER, NM, VALIDATION, VKCUBE, VULKANINFO, WESTON, XVFB};
use crate::shell::{self, cargo};
use crate::tidy;

/// Runs the checks, cheapest first, then all tests.
pub(crate) fn run() -> TaskResult {
    setup::prepare(&[LOADER, NM, VALIDATION, VKCUBE, VULKANINFO, WESTON, XVFB])?;
    tidy::run()?;
    shell::run(&mut cargo(&["fmt", "--all", "--check"]))?;
    shell::run(&mut cargo(&[
        "clippy",
        "--workspace",
        "--all-targets",
        "--quiet",
        "--",
        "--deny",
        "warnings",
    ]))?;
    // The tests through the loader start what is built here.
    shell::run(&mut cargo(&["build", "--workspace"]))?;
    shell::run(&mut cargo(&["test", "--workspace", "--no-fail-fast"]))
}
