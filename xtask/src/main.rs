//! Development tasks: `cargo xtask TASK`.
#![forbid(unsafe_code)]

mod codegen;
mod cts;
mod demo;
mod setup;
mod shell;
mod test;
mod tidy;

pub(crate) use codegen::TaskResult;

use clap::{Parser, Subcommand};
use std::path::PathBuf;
use std::process::ExitCode;

/// Development tasks of Lahar.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Show Lahar at work: vulkaninfo, vkcube, a scene, a planned device loss and its crash dump.
    Demo,
    /// Run all checks and tests.
    Test,
    /// Check the rules of the source tree that the compiler does not know.
    Tidy,
    /// Run the conformance tests with a deqp-vk of yours and compare with what is expected.
    Cts(cts::Options),
    /// Make the generated tables from the Vulkan registry.
    Codegen {
        /// The registry, vk.xml.
        #[arg(long)]
        registry: PathBuf,
    },
}

fn main() -> ExitCode {
    let result = match Arguments::parse().task {
        Task::Demo => demo::run(),
        Task::Test => test::run(),
        Task::Tidy => tidy::run(),
        Task::Cts(options) => cts::run(&options),
        Task::Codegen { registry } => codegen::run(&registry),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
