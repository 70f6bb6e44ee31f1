//! What the machine must have, and how it gets it.

use crate::TaskResult;
use crate::shell::{find_program, run};
use std::{path::Path, process::Command};

/// Something that must be installed.
pub(crate) struct Need {
    what: What,
    /// What it is for.
    purpose: &'static str,
    /// The Debian package that has it.
    package: &'static str,
}

enum What {
    Program(&'static str),
    Library(&'static str),
    File(&'static str),
}

const fn program(name: &'static str, package: &'static str, purpose: &'static str) -> Need {
    Need {
        what: What::Program(name),
        purpose,
        package,
    }
}

/// The Vulkan loader.
pub(crate) const LOADER: Need = Need {
    what: What::Library("libvulkan.so.1"),
    purpose: "the Vulkan loader",
    package: "libvulkan1",
};
/// The Khronos validation layer.
pub(crate) const VALIDATION: Need = Need {
    what: What::File("vulkan/explicit_layer.d/VkLayer_khronos_validation.json"),
    purpose: "the validation layer that watches the demo in a test",
    package: "vulkan-validationlayers",
};
/// A client that lists what a device can do.
pub(crate) const VULKANINFO: Need = program("vulkaninfo", "vulkan-tools", "lists what the device can do");
/// A client that draws in a window.
pub(crate) const VKCUBE: Need = program("vkcube", "vulkan-tools", "draws a cube in a window");
/// An X server without a screen.
pub(crate) const XVFB: Need = program("Xvfb", "xvfb", "an X server without a screen, for the window");
/// A compositor of Wayland, which can do without a screen.
pub(crate) const WESTON: Need = program(
    "weston",
    "weston",
    "a Wayland compositor without a screen, for the window",
);
/// Lists the exports of a library.
pub(crate) const NM: Need = program("nm", "binutils", "lists what the driver exports");

impl Need {
    fn is_met(&self) -> bool {
        match self.what {
            What::Program(name) => find_program(name).is_some(),
            What::Library(name) => library_dirs()
                .iter()
                .any(|dir| Path::new(dir).join(name).exists()),
            What::File(name) => ["/usr/share", "/usr/local/share", "/etc"]
                .iter()
                .any(|dir| Path::new(dir).join(name).exists()),
        }
    }

    fn name(&self) -> &'static str {
        match self.what {
            What::Program(name) | What::Library(name) => name,
            What::File(name) => name.rsplit('/').next().unwrap_or(name),
        }
    }
}

fn library_dirs() -> Vec<String> {
    let mut dirs: Vec<String> = std::env::var("LD_LIBRARY_PATH")
        .unwrap_or_default()
        .split(':')
        .filter(|dir| !dir.is_empty())
        .map(str::to_owned)
        .collect();
    for base in ["/lib", "/usr/lib", "/usr/local/lib", "/lib64", "/usr/lib64"] {
        dirs.push(base.to_owned());
        dirs.push(format!("{base}/{}-linux-gnu", std::env::consts::ARCH));
    }
    dirs
}

fn is_root() -> bool {
    let output = Command::new("id").arg("-u").output();
    output.is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}

/// Installs what is missing where that can be done, and says what to install where not.
pub(crate) fn prepare(needs: &[Need]) -> TaskResult {
    let missing = || needs.iter().filter(|need| !need.is_met()).collect::<Vec<_>>();
    let lacking = missing();
    if lacking.is_empty() {
        return Ok(());
    }
    let mut packages: Vec<_> = lacking.iter().map(|need| need.package).collect();
    packages.sort_unstable();
    packages.dedup();
    if find_program("apt-get").is_some() && is_root() {
        install(&packages)?;
    }
    let lacking = missing();
    if lacking.is_empty() {
        return Ok(());
    }
    let mut text = String::from("this is missing:\n");
    for need in lacking {
        text += &format!(
            "  {:<16} {} (Debian package {})\n",
            need.name(),
            need.purpose,
            need.package
        );
    }
    text += &format!(
        "on Debian and Ubuntu: sudo apt-get install {}\non other systems: the packages of the same purpose",
        packages.join(" ")
    );
    Err(text.into())
}

fn install(packages: &[&str]) -> TaskResult {
    let apt = |args: &[&str]| {
        let mut command = Command::new("apt-get");
        command
            .env("DEBIAN_FRONTEND", "noninteractive")
            .args(["-q", "-y"])
            .args(args);
        run(&mut command)
    };
    let args: Vec<&str> = ["install", "--no-install-recommends"]
        .into_iter()
        .chain(packages.iter().copied())
        .collect();
    // The package lists may be absent or old.
    apt(&["update"])?;
    apt(&args)
}
