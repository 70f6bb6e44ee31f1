//! The command-line tool. `lahar help` lists what it does.
//!
//! Exit codes: 0 done, 1 the input was no good, 2 the command line was.
#![forbid(unsafe_code)]

mod dump;

use clap::{Parser, Subcommand};
use lahar::fault::plan::Plan;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Companion of the Lahar Vulkan device.
#[derive(Debug, Parser)]
#[command(version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Print a crash dump.
    Dump(dump::DumpArguments),
    /// Check a fault plan.
    Plan {
        /// The plan.
        file: PathBuf,
    },
}

/// Largest file read, in bytes.
const MAX_BYTES: u64 = 1 << 30;

fn read_file(path: &Path) -> Result<Vec<u8>, String> {
    let name = path.display();
    let data = std::fs::metadata(path).map_err(|error| format!("{name}: {error}"))?;
    if !data.is_file() {
        return Err(format!("{name}: not a regular file"));
    }
    if data.len() > MAX_BYTES {
        return Err(format!("{name}: larger than 1 GiB"));
    }
    std::fs::read(path).map_err(|error| format!("{name}: {error}"))
}

fn check_plan(path: &Path) -> Result<String, String> {
    let name = path.display();
    let text = String::from_utf8(read_file(path)?).map_err(|error| format!("{name}: {error}"))?;
    let plan = Plan::parse(&text).map_err(|error| format!("{name}: {error}"))?;
    Ok(format!("{name}: {} rule(s), all understood\n", plan.rules.len()))
}

fn main() -> ExitCode {
    let result = match Arguments::parse().command {
        Command::Dump(arguments) => dump::show(&arguments),
        Command::Plan { file } => check_plan(&file),
    };
    use std::io::Write as _;
    match result {
        Ok(text) => match std::io::stdout().write_all(text.as_bytes()) {
            // A reader that has seen enough (`lahar dump … | head`) is no failure.
            Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => ExitCode::FAILURE,
            _ => ExitCode::SUCCESS,
        },
        Err(message) => {
            eprintln!("lahar: {message}");
            ExitCode::FAILURE
        }
    }
}
