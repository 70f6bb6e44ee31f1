//! `lahar info`: what the device is, from the same tables as the driver.

use clap::Args;
use lahar::config::VARIABLES;
use lahar::fault::plan::{DeviceProfile, PROFILE_NAMES};
use lahar::memory::host_limit;
use lahar::physical::{API_VERSION, extensions, properties};
use lahar::shader::kernel::Backend;
use lahar::vk;
use serde_json::Value;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// What is told.
#[derive(Args, Clone, Debug)]
pub(crate) struct Options {
    /// The profiles that need no file, with their heaps and queues
    #[arg(long, conflicts_with = "profile")]
    profiles: bool,
    /// The device of this profile: a name or a file, which is checked
    #[arg(long, value_name = "NAME|FILE")]
    profile: Option<String>,
    /// What the devices of a process took of each heap, from its report (`LAHAR_REPORT`)
    #[arg(long, value_name = "REPORT", conflicts_with_all = ["profile", "profiles"])]
    memory: Option<PathBuf>,
}

/// The report.
pub(crate) fn info(options: &Options) -> Result<String, String> {
    if options.profiles {
        let named = PROFILE_NAMES.iter().filter_map(|name| DeviceProfile::named(name));
        return Ok(named.map(|profile| looks(&profile)).collect());
    }
    if let Some(report) = &options.memory {
        return memory(report);
    }
    match &options.profile {
        Some(name) => {
            let profile = lahar::config::profile(name.clone()).map_err(|error| error.to_string())?;
            Ok(looks(&profile))
        }
        None => Ok(all()),
    }
}

/// What a profile makes of the device here.
fn looks(profile: &DeviceProfile) -> String {
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = writeln!(text, "profile {}: {}", profile.name, profile.description);
    let memory = profile.memory(host_limit());
    for (index, heap) in memory.heaps.iter().enumerate() {
        let _ = writeln!(text, "  heap {index}: {} MiB", heap.size >> 20);
    }
    for (index, ty) in memory.types.iter().enumerate() {
        let _ = writeln!(text, "  memory type {index}: heap {}, {:?}", ty.heap, ty.flags);
    }
    for (index, family) in profile.families().iter().enumerate() {
        let family = family.to_vk();
        let _ = writeln!(
            text,
            "  queue family {index}: {} queue(s), {:?}",
            family.queue_count, family.queue_flags
        );
    }
    let hidden = &profile.hidden;
    if !hidden.is_empty() {
        let offered = extensions::DEVICE
            .iter()
            .filter(|id| hidden.has_extension(id.info().name));
        let _ = writeln!(
            text,
            "  without {} of its {} extensions, {} features and {} formats; {} limits are lower",
            offered.count(),
            extensions::DEVICE.len(),
            hidden.features.len(),
            hidden.formats.len(),
            hidden.limits.len()
        );
    }
    text
}

/// What the devices of a process took, by its report.
fn memory(report: &Path) -> Result<String, String> {
    let unusable = |error: String| format!("{}: {error}", report.display());
    let text = std::fs::read_to_string(report).map_err(|error| unusable(error.to_string()))?;
    let json: Value = serde_json::from_str(&text).map_err(|error| unusable(error.to_string()))?;
    let list = |value: &Value, name: &str| value[name].as_array().cloned().unwrap_or_default();
    let devices = json["devices"].as_array();
    let devices = devices.ok_or_else(|| unusable("not the report of a process".to_owned()))?;
    let mut text = String::new();
    for device in devices {
        // Writing to a string does not fail.
        let _ = writeln!(text, "device {}", device["device"]);
        let heaps = list(device, "heaps");
        if heaps.is_empty() {
            text.push_str("  was not destroyed\n");
        }
        for (index, heap) in heaps.iter().enumerate() {
            let number = |name: &str| heap[name].as_u64().unwrap_or(0);
            let [size, most, left] = ["size", "most", "left"].map(number);
            let _ = writeln!(
                text,
                "  heap {index}: at most {most} of {size} bytes, {left} left at the end"
            );
        }
    }
    Ok(text)
}

fn all() -> String {
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
    for profile in [DeviceProfile::named("discrete"), DeviceProfile::named("unified")] {
        text.push_str(&profile.map(|profile| looks(&profile)).unwrap_or_default());
    }
    text.push_str("settings\n");
    for variable in VARIABLES {
        let value =
            std::env::var_os(variable.name).map_or(String::new(), |v| format!(" = {}", v.to_string_lossy()));
        let _ = writeln!(text, "  {}{value}: {}", variable.name, variable.doc);
    }
    text
}
