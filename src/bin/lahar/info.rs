//! `lahar info`: what the device is, from the same tables as the driver.

use lahar::config::VARIABLES;
use lahar::memory::{Profile, Properties, host_limit};
use lahar::physical::{API_VERSION, extensions, properties, queues::families};
use lahar::shader::kernel::Backend;
use lahar::vk;
use std::fmt::Write as _;

/// The report.
pub(crate) fn info() -> String {
    let mut text = String::new();
    let version = |v: u32| {
        let (major, minor, patch) = (
            vk::api_version_major(v),
            vk::api_version_minor(v),
            vk::api_version_patch(v),
        );
        format!("{major}.{minor}.{patch}")
    };
    let lines = [
        ("device", properties::DEVICE_NAME.to_owned()),
        ("version", env!("CARGO_PKG_VERSION").to_owned()),
        ("Vulkan", version(API_VERSION)),
        ("back end", Backend::best().name().to_owned()),
        ("subgroup size", properties::SUBGROUP_SIZE.to_string()),
        ("device extensions", extensions::DEVICE.len().to_string()),
        (
            "host",
            format!("{}-{}", std::env::consts::ARCH, std::env::consts::OS),
        ),
    ];
    for (name, value) in lines {
        // Writing to a string does not fail.
        let _ = writeln!(text, "{name:<18} {value}");
    }
    for (name, profile) in [("discrete", Profile::Discrete), ("unified", Profile::Unified)] {
        let _ = writeln!(text, "profile {name}");
        let memory = Properties::new(profile, host_limit());
        for (index, heap) in memory.heaps.iter().enumerate() {
            let _ = writeln!(text, "  heap {index}: {} MiB", heap.size >> 20);
        }
        for (index, ty) in memory.types.iter().enumerate() {
            let _ = writeln!(text, "  memory type {index}: heap {}, {:?}", ty.heap, ty.flags);
        }
        for (index, family) in families(profile).iter().enumerate() {
            let family = family.to_vk();
            let _ = writeln!(
                text,
                "  queue family {index}: {} queue(s), {:?}",
                family.queue_count, family.queue_flags
            );
        }
    }
    text.push_str("settings\n");
    for variable in VARIABLES {
        let value =
            std::env::var_os(variable.name).map_or(String::new(), |v| format!(" = {}", v.to_string_lossy()));
        let _ = writeln!(text, "  {}{value}: {}", variable.name, variable.doc);
    }
    text
}
