//! Programs of others on Lahar: the loader's own tools.

mod common;

use std::process::{Command, Output};

/// Runs a program of `vulkan-tools` on Lahar; none where it is not installed.
fn run(program: &str, args: &[&str], display: Option<&str>) -> Option<Output> {
    let mut command = Command::new(program);
    command
        .args(args)
        .env("VK_DRIVER_FILES", common::manifest())
        .env("NODEVICE_SELECT", "1");
    match display {
        Some(display) => command.env("DISPLAY", display),
        None => command.env_remove("DISPLAY"),
    };
    match command.output() {
        Ok(output) => Some(output),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            eprintln!("{program} is not installed");
            None
        }
        Err(error) => panic!("{program}: {error}"),
    }
}

fn succeeds(output: &Output) {
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn vulkaninfo_tells_all() {
    let Some(output) = run("vulkaninfo", &[], None) else {
        return;
    };
    succeeds(&output);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("deviceName        = Lahar"), "{text}");
}

#[test]
fn vkcube_turns_in_a_window() {
    let (mut server, display) = common::x_server(&[]);
    let output = run("vkcube", &["--c", "3"], Some(&display));
    // Nothing depends on how the server ends.
    let _ = server.kill();
    let _ = server.wait();
    let Some(output) = output else { return };
    succeeds(&output);
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(text.contains("Lahar"), "{text}");
}
