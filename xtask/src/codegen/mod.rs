//! Makes the generated tables of the engine and of the ICD from the Vulkan registry.
//!
//! The files are committed, so building Lahar does not need the registry. Each carries a stamp of the generator's
//! sources; a test fails when they were not made by this generator.

mod ash_source;
mod emit;
mod emit_newer;
mod emit_structs;
mod registry;

use std::{
    error::Error,
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// The result of a task.
pub(crate) type TaskResult<T = ()> = Result<T, Box<dyn Error>>;

/// Generated files, relative to the workspace, and what makes each.
const FILES: [(&str, Emit); 7] = [
    ("src/generated/commands.rs", emit::commands),
    ("src/generated/extensions.rs", emit::extensions),
    ("src/generated/features.rs", emit::features),
    (
        "icd/src/generated/descriptor_heap.rs",
        emit_structs::descriptor_heap,
    ),
    ("icd/src/generated/device_fault.rs", emit_structs::device_fault),
    ("icd/src/generated/newer.rs", emit_newer::structs),
    ("icd/src/generated/pfn.rs", emit::pfn),
];

type Emit = fn(&registry::Registry, &ash_source::AshSource) -> TaskResult<String>;

/// The generator's own sources, for the stamp.
const SOURCES: [&str; 6] = [
    include_str!("mod.rs"),
    include_str!("ash_source.rs"),
    include_str!("emit.rs"),
    include_str!("emit_newer.rs"),
    include_str!("emit_structs.rs"),
    include_str!("registry.rs"),
];

/// Runs the generator on the registry file.
pub(crate) fn run(registry: &Path) -> TaskResult {
    let text = fs::read_to_string(registry).map_err(|error| format!("{}: {error}", registry.display()))?;
    let registry = registry::Registry::parse(&text)?;
    let ash = ash_source::AshSource::load()?;
    for (path, emit) in FILES {
        let body = emit(&registry, &ash)?;
        let head = format!(
            "// Made by `cargo xtask codegen` from the Vulkan registry, header version {}. Do not edit.\n// {}\n",
            registry.header_version,
            stamp()
        );
        let path = workspace().join(path);
        fs::create_dir_all(path.parent().ok_or("no parent")?)?;
        fs::write(&path, rustfmt(&format!("{head}\n{body}"))?)?;
    }
    Ok(())
}

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Identifies the generator's sources (FNV-1a).
fn stamp() -> String {
    let hash = SOURCES
        .iter()
        .flat_map(|source| source.bytes())
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
    format!("Generator stamp {hash:016x}.")
}

fn rustfmt(source: &str) -> TaskResult<String> {
    let mut child = Command::new("rustfmt")
        .args(["--edition", "2024", "--config-path"])
        .arg(workspace().join("rustfmt.toml"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    child
        .stdin
        .take()
        .ok_or("no pipe")?
        .write_all(source.as_bytes())?;
    let output = child.wait_with_output()?;
    if !output.status.success() {
        return Err("rustfmt refuses the generated source".into());
    }
    Ok(String::from_utf8(output.stdout)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_files_are_of_this_generator() {
        for (path, _) in FILES {
            let text = fs::read_to_string(workspace().join(path)).expect(path);
            assert!(
                text.contains(&stamp()),
                "{path} is stale: run `cargo xtask codegen --registry vk.xml`"
            );
        }
    }
}
