//! The control interface from C and C++: the header compiles, and what it promises holds.

mod common;

use common::child::{client, run, scratch};
use std::process::Command;

/// Compiles the program of the test as this language, and what it prints.
fn compiled(compiler: &str, language: &str, standard: &str) -> String {
    let root = env!("CARGO_MANIFEST_DIR");
    let program = scratch(&format!("control-{language}")).join("control");
    let mut command = Command::new(compiler);
    command
        .args([
            "-x",
            language,
            &format!("{root}/tests/programs/control.c"),
            "-x",
            "none",
        ])
        .args([standard, "-Wall", "-Werror", "-Wno-missing-field-initializers"])
        .args(["-I", &format!("{root}/include")])
        .arg("-o")
        .arg(&program)
        .arg("-lvulkan");
    run(&mut command);
    run(&mut client(&program))
}

#[test]
fn the_header_serves_c() {
    assert!(compiled("cc", "c", "-std=c99").contains("1:6: unknown event `nothing`"));
}

#[test]
fn the_header_serves_cpp() {
    assert!(compiled("c++", "c++", "-std=c++11").contains("1:6: unknown event `nothing`"));
}
