//! What the version of ash in use defines, read from its sources.

use super::TaskResult;
use std::{collections::BTreeSet, fs, path::Path, process::Command};

/// Names that ash defines.
pub(crate) struct AshSource {
    /// Command types, without the `PFN_` prefix.
    pub(crate) commands: BTreeSet<String>,
}

impl AshSource {
    /// Asks cargo where ash is, and reads it.
    pub(crate) fn load() -> TaskResult<Self> {
        let output = Command::new(env!("CARGO"))
            .args(["metadata", "--format-version", "1"])
            .output()?;
        let metadata = String::from_utf8(output.stdout)?;
        let manifest = metadata
            .split('"')
            .find(|text| text.ends_with("/Cargo.toml") && text.contains("/ash-0.38."))
            .ok_or("cargo metadata names no ash")?;
        let vk = Path::new(manifest).with_file_name("src").join("vk");
        let mut commands = BTreeSet::new();
        for entry in fs::read_dir(vk)? {
            for line in fs::read_to_string(entry?.path())?.lines() {
                if let Some(rest) = line.trim_start().strip_prefix("pub type PFN_") {
                    commands.extend(rest.split([' ', '=', '<']).next().map(str::to_owned));
                }
            }
        }
        Ok(Self { commands })
    }
}
