//! Development tasks: `cargo xtask TASK`.
#![forbid(unsafe_code)]

mod codegen;

use std::process::ExitCode;

const USAGE: &str =
    "usage: cargo xtask codegen --registry PATH   make src/generated from the Vulkan registry (vk.xml)";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let result = match args.as_slice() {
        ["codegen", "--registry", path] => codegen::run(path.as_ref()),
        _ => Err(USAGE.into()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
