//! Programs that know nothing of Lahar.

mod common;

use common::child::{client, demo, run, scratch};
use std::{
    io::{BufRead as _, BufReader},
    process::{Child, Command, Stdio},
};

fn is_installed(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|dir| dir.join(program).is_file())
}

/// Whether the test can run; `cargo xtask test` installs what it needs.
fn have(programs: &[&str]) -> bool {
    let missing: Vec<_> = programs.iter().filter(|name| !is_installed(name)).collect();
    if !missing.is_empty() {
        eprintln!("skipped: {missing:?} not installed");
    }
    missing.is_empty()
}

#[test]
fn vulkaninfo_lists_the_device() {
    if have(&["vulkaninfo"]) {
        let text = run(&mut client("vulkaninfo"));
        assert!(text.contains("Lahar"), "{text}");
        let summary = run(client("vulkaninfo").arg("--summary"));
        assert!(summary.contains("VK_EXT_device_fault") || text.contains("VK_EXT_device_fault"));
    }
}

/// An X server without a screen; ended when dropped.
struct Server(Child);

impl Server {
    /// The server, and what `DISPLAY` must be.
    fn start() -> (Server, String) {
        let mut process = Command::new("Xvfb")
            .args([
                "-displayfd",
                "1",
                "-nolisten",
                "tcp",
                "-screen",
                "0",
                "640x640x24",
            ])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("Xvfb starts");
        let mut number = String::new();
        let out = process.stdout.take().expect("its output");
        BufReader::new(out).read_line(&mut number).expect("a display");
        (Server(process), format!(":{}", number.trim()))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Asked to end, it removes its lock and socket.
        let _ = Command::new("kill").arg(self.0.id().to_string()).status();
        let _ = self.0.wait();
    }
}

#[test]
fn vkcube_draws_in_a_window() {
    if have(&["vkcube", "Xvfb"]) {
        let (_server, display) = Server::start();
        run(client("vkcube")
            .args(["--suppress_popups", "--c", "30"])
            .env("DISPLAY", display));
    }
}

#[test]
fn the_validation_layer_has_nothing_to_say_of_the_demo() {
    let layer = "VK_LAYER_KHRONOS_validation";
    // SAFETY: no layer is named.
    let layers = unsafe { common::entry().enumerate_instance_layer_properties() }.expect("a list");
    if !layers.iter().any(|found| {
        found
            .layer_name_as_c_str()
            .is_ok_and(|name| name.to_bytes() == layer.as_bytes())
    }) {
        eprintln!("skipped: {layer} not installed");
        return;
    }
    let text = run(demo(&scratch("validated"), 2, [160, 90])
        .env("VK_INSTANCE_LAYERS", layer)
        .env(
            "VK_LAYER_ENABLES",
            "VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT",
        ));
    assert!(!text.contains("VUID") && !text.contains("Validation"), "{text}");
    assert!(text.contains("frame 1:"), "{text}");
}
