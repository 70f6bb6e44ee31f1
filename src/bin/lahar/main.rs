//! The command-line tool. `lahar help` lists what it does.
//!
//! Exit codes:
//!
//! | code | meaning |
//! |---|---|
//! | 0 | done; of `sweep`: every verdict is good |
//! | 1 | the input was no good, or something could not be done; standard error says what |
//! | 2 | the command line was no good |
//! | 3 | of `sweep`: some verdict is bad |
//! | the program's | of `run`; 127 where it could not be started, 128 and the signal's number where it was killed |
#![forbid(unsafe_code)]

mod driver;
mod dump;
mod info;
mod install;
mod plan;
mod run;
mod sweep;
mod verdict;

use clap::{CommandFactory as _, Parser, Subcommand};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Companion of the Lahar Vulkan device.
#[derive(Debug, Parser)]
#[command(name = "lahar", version, after_help = EXIT_CODES)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

const EXIT_CODES: &str = "Exit codes: 0 done; 1 the input was no good; 2 the command line was; 3 a sweep has a bad verdict; \
                          of `run`, the program's own (127: not started, 128+N: killed by signal N).";

#[derive(Debug, Subcommand)]
enum Command {
    /// Run a program on Lahar, with faults if asked for.
    Run {
        #[command(flatten)]
        settings: driver::Settings,
        /// The program and its arguments
        #[arg(last = true, required = true, value_name = "PROGRAM")]
        program: Vec<OsString>,
    },
    /// Check a fault plan, say what it does, or list the points of a program where faults can happen.
    Plan(PlanArguments),
    /// Run a program once for each point where something can go wrong, and judge how it takes it.
    Sweep(sweep::Options),
    /// Print a crash dump.
    Dump(dump::DumpArguments),
    /// Say what the device is, and which settings there are.
    Info(info::Options),
    /// Tell the Vulkan loader of the driver, for this user or for all.
    Install(install::Options),
    /// Print completions for a shell.
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page.
    Manual,
}

#[derive(clap::Args, Debug)]
struct PlanArguments {
    /// The plan to check
    #[arg(required_unless_present_any = ["discover", "explain", "fault"])]
    file: Option<PathBuf>,
    /// Say what the plan does; without one: all that a plan can say
    #[arg(long)]
    explain: bool,
    /// Run a program once and list every point that it passes, with the codes that are legal there
    #[arg(long, conflicts_with_all = ["explain", "file"], requires = "program")]
    discover: bool,
    /// With --discover: as JSON
    #[arg(long, requires = "discover")]
    json: bool,
    /// Rules in one line instead of a file
    #[arg(long, value_name = "RULES")]
    fault: Option<String>,
    /// With --discover: the driver's library
    #[arg(long, value_name = "FILE")]
    driver: Option<PathBuf>,
    /// With --discover: the program and its arguments
    #[arg(last = true, value_name = "PROGRAM")]
    program: Vec<OsString>,
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

fn plan(arguments: &PlanArguments) -> Result<String, String> {
    let (file, line) = (arguments.file.as_deref(), arguments.fault.as_deref());
    if arguments.discover {
        let settings = driver::Settings {
            fault: arguments.fault.clone(),
            driver: arguments.driver.clone(),
            ..driver::Settings::default()
        };
        return plan::discover(&settings, &arguments.program, arguments.json);
    }
    match (arguments.explain, file, line) {
        (false, Some(file), None) => plan::check(file),
        _ => plan::explain(file, line),
    }
}

fn completions(shell: clap_complete::Shell) -> String {
    let mut bytes = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "lahar", &mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The page of the tool and one section for each of its commands.
fn manual() -> Result<String, String> {
    let mut bytes = Vec::new();
    let failed = |error: std::io::Error| error.to_string();
    let command = Arguments::command();
    clap_mangen::Man::new(command.clone())
        .render(&mut bytes)
        .map_err(failed)?;
    for part in command.get_subcommands() {
        let man = clap_mangen::Man::new(part.clone().bin_name(format!("lahar {}", part.get_name())));
        man.render_synopsis_section(&mut bytes).map_err(failed)?;
        man.render_description_section(&mut bytes).map_err(failed)?;
        man.render_options_section(&mut bytes).map_err(failed)?;
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn main() -> ExitCode {
    let result = match Arguments::parse().command {
        Command::Run { settings, program } => return finish(run::run(&settings, &program)),
        Command::Sweep(options) => return finish(sweep::sweep(&options)),
        Command::Plan(arguments) => plan(&arguments),
        Command::Dump(arguments) => dump::show(&arguments),
        Command::Info(options) => info::info(&options),
        Command::Install(options) => install::install(&options),
        Command::Completions { shell } => Ok(completions(shell)),
        Command::Manual => manual(),
    };
    use std::io::Write as _;
    finish(
        result.map(|text| match std::io::stdout().write_all(text.as_bytes()) {
            // A reader that has seen enough (`lahar dump … | head`) is no failure.
            Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => ExitCode::FAILURE,
            _ => ExitCode::SUCCESS,
        }),
    )
}

fn finish(result: Result<ExitCode, String>) -> ExitCode {
    result.unwrap_or_else(|message| {
        eprintln!("lahar: {message}");
        ExitCode::FAILURE
    })
}
