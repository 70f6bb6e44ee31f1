//! `lahar run`: a program on Lahar.

use crate::driver::{Manifest, Settings, library};
use std::ffi::OsString;
use std::process::{Command, ExitCode, ExitStatus};

/// Runs a program; its exit code is the tool's.
pub(crate) fn run(settings: &Settings, program: &[OsString]) -> Result<ExitCode, String> {
    settings.check()?;
    let manifest = Manifest::new(&library(settings.driver.as_deref())?)?;
    let (name, arguments) = program.split_first().ok_or("no program")?;
    let mut command = Command::new(name);
    command.args(arguments);
    settings.apply(&mut command, &manifest)?;
    match command.status() {
        Ok(status) => Ok(ExitCode::from(code(status))),
        Err(error) => {
            eprintln!("lahar: {}: {error}", name.to_string_lossy());
            Ok(ExitCode::from(127))
        }
    }
}

/// As a shell gives it: 128 and the signal's number for a program that was killed.
pub(crate) fn code(status: ExitStatus) -> u8 {
    use std::os::unix::process::ExitStatusExt as _;
    let killed = status.signal().map(|signal| 128 + signal);
    u8::try_from(status.code().or(killed).unwrap_or(255)).unwrap_or(255)
}
