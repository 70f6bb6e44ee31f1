//! Running other programs, and where things are.

use crate::TaskResult;
use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

/// The root of the workspace.
pub(crate) fn workspace() -> PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.parent().unwrap_or(manifest).to_owned()
}

/// Where cargo builds.
pub(crate) fn target() -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| workspace().join("target"), PathBuf::from)
}

/// The program, if it is on the search path.
pub(crate) fn find_program(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path)
        .map(|dir| dir.join(name))
        .find(|file| file.is_file())
}

/// A cargo command in the workspace.
pub(crate) fn cargo(args: &[&str]) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(args).current_dir(workspace());
    command
}

/// The command as one would type it.
fn line(command: &Command) -> String {
    let words: Vec<_> = std::iter::once(command.get_program())
        .chain(command.get_args())
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    words.join(" ")
}

/// Runs it with the terminal as its output; an error if it fails.
pub(crate) fn run(command: &mut Command) -> TaskResult {
    let line = line(command);
    eprintln!("$ {line}");
    let status = command.status().map_err(|error| format!("{line}: {error}"))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("{line}: {status}").into())
    }
}

/// Runs it, prints its output when it has ended, and returns that; an error if it fails.
pub(crate) fn run_captured(command: &mut Command) -> TaskResult<String> {
    let line = line(command);
    eprintln!("$ {line}");
    let output = command.output().map_err(|error| format!("{line}: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    print!("{text}");
    eprint!("{}", String::from_utf8_lossy(&output.stderr));
    if output.status.success() {
        Ok(text)
    } else {
        Err(format!("{line}: {}", output.status).into())
    }
}

/// Writes a manifest that names the driver built in this profile; the path of it.
pub(crate) fn manifest(profile: &str, dir: &Path) -> TaskResult<PathBuf> {
    let library = target().join(profile).join("libvulkan_lahar.so");
    let library = fs::canonicalize(&library).map_err(|error| format!("{}: {error}", library.display()))?;
    fs::create_dir_all(dir)?;
    let path = fs::canonicalize(dir)?.join("lahar_icd.json");
    let text = format!(
        "{{\n    \"file_format_version\": \"1.0.1\",\n    \"ICD\": {{\n        \"library_path\": \"{}\",\n        \
         \"api_version\": \"1.1.0\"\n    }}\n}}\n",
        library.display()
    );
    fs::write(&path, text)?;
    Ok(path)
}

/// Makes the loader see Lahar and nothing else.
pub(crate) fn use_lahar<'c>(command: &'c mut Command, manifest: &Path) -> &'c mut Command {
    command
        .env("VK_DRIVER_FILES", manifest)
        // The name that loaders before 1.3.207 know.
        .env("VK_ICD_FILENAMES", manifest)
        .env("VK_LOADER_LAYERS_DISABLE", "~implicit~")
}
