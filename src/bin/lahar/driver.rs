//! Where the driver is, and how a program is made to use it.

use clap::Args;
use lahar::config::Config;
use lahar::fault::plan::PROFILE_NAMES;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The driver's file name.
pub(crate) const LIBRARY: &str = "libvulkan_lahar.so";

/// Settings of the driver for a program.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct Settings {
    /// A fault plan
    #[arg(long, value_name = "FILE")]
    pub(crate) plan: Option<PathBuf>,
    /// Rules in one line, as "lose@submit#3 read"
    #[arg(long, value_name = "RULES")]
    pub(crate) fault: Option<String>,
    /// The device to look like: a name (`lahar info --profiles`) or a file
    #[arg(long, value_name = "NAME|FILE")]
    pub(crate) profile: Option<String>,
    /// Worker threads
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<u32>,
    /// After a loss every call says so (strict) or what was done before is still told (weak)
    #[arg(long, value_name = "RULE")]
    pub(crate) loss: Option<String>,
    /// A directory for crash dumps; it is made if it is not there
    #[arg(long, value_name = "DIR")]
    pub(crate) dump_dir: Option<PathBuf>,
    /// What is told on standard error: calls, commands, faults
    #[arg(long, value_name = "WHAT")]
    pub(crate) trace: Option<String>,
    /// A file that gets what the process did, as JSON
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    /// The driver's library; default: beside this tool, or where it is installed
    #[arg(long, value_name = "FILE")]
    pub(crate) driver: Option<PathBuf>,
}

/// Finds the driver.
pub(crate) fn library(asked: Option<&Path>) -> Result<PathBuf, String> {
    if let Some(path) = asked {
        let failed = |error| format!("{}: {error}", path.display());
        let mut magic = [0; 4];
        let mut file = std::fs::File::open(path).map_err(failed)?;
        if file.read_exact(&mut magic).is_err() || magic != *b"\x7fELF" {
            return Err(format!("{}: not a shared library", path.display()));
        }
        return path.canonicalize().map_err(failed);
    }
    let tool = std::env::current_exe().map_err(|error| format!("where this tool is: {error}"))?;
    let beside = tool.parent().unwrap_or(Path::new("."));
    let places = [
        beside.join(LIBRARY),
        beside.join("../lib").join(LIBRARY),
        beside.join("../lib/lahar").join(LIBRARY),
    ];
    places
        .iter()
        .find_map(|path| path.canonicalize().ok())
        .ok_or_else(|| {
            format!(
                "no {LIBRARY} beside {}: build it (cargo build --release), or name it with --driver",
                tool.display()
            )
        })
}

/// The text of a manifest for the loader.
pub(crate) fn manifest(library: &Path) -> String {
    let manifest = serde_json::json!({
        "file_format_version": "1.0.1",
        "ICD": { "library_path": library, "api_version": "1.4.0" },
    });
    format!("{manifest:#}\n")
}

/// A manifest in a file, which goes when this does.
#[derive(Debug)]
pub(crate) struct Manifest(PathBuf);

impl Manifest {
    pub(crate) fn new(library: &Path) -> Result<Manifest, String> {
        remove_orphans(&std::env::temp_dir());
        for n in 0..10_000u32 {
            let name = format!("lahar-{}-{n}.json", std::process::id());
            let path = std::env::temp_dir().join(name);
            // A file of somebody else's is never written to.
            match std::fs::File::create_new(&path) {
                Ok(mut file) => {
                    use std::io::Write as _;
                    let written = file.write_all(manifest(library).as_bytes());
                    written.map_err(|error| format!("{}: {error}", path.display()))?;
                    return Ok(Manifest(path));
                }
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(format!("{}: {error}", path.display())),
            }
        }
        Err("no free name for a manifest".to_owned())
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

/// Removes the manifests of processes that were ended before they could do so themselves.
fn remove_orphans(dir: &Path) {
    for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let middle = name
            .to_str()
            .and_then(|name| name.strip_prefix("lahar-")?.strip_suffix(".json"));
        let Some((process, number)) = middle.and_then(|middle| middle.split_once('-')) else {
            continue;
        };
        let numbers = process.parse::<u32>().is_ok() && number.parse::<u32>().is_ok();
        if numbers && !Path::new("/proc").join(process).exists() {
            // One of another user's stays.
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

impl Drop for Manifest {
    fn drop(&mut self) {
        // It is in a directory for such files.
        let _ = std::fs::remove_file(&self.0);
    }
}

/// A profile as a program finds it that changes its directory.
fn from_anywhere(profile: &str) -> String {
    let path = Path::new(profile).canonicalize();
    match path
        .map(PathBuf::into_os_string)
        .map(std::ffi::OsString::into_string)
    {
        Ok(Ok(path)) if !PROFILE_NAMES.contains(&profile) => path,
        _ => profile.to_owned(),
    }
}

impl Settings {
    /// Makes a program use the driver with these settings; others of the environment stay.
    pub(crate) fn apply(&self, command: &mut Command, manifest: &Manifest) -> Result<(), String> {
        command
            .env("VK_DRIVER_FILES", manifest.path())
            .env("VK_ICD_FILENAMES", manifest.path());
        if let Some(dir) = &self.dump_dir {
            std::fs::create_dir_all(dir).map_err(|error| format!("{}: {error}", dir.display()))?;
            command.env("LAHAR_DUMP_DIR", dir);
        }
        if let Some(plan) = &self.plan {
            command.env("LAHAR_PLAN", plan);
        }
        if let Some(report) = &self.report {
            command.env("LAHAR_REPORT", report);
        }
        let texts = [
            ("LAHAR_FAULT", self.fault.clone()),
            ("LAHAR_PROFILE", self.profile.as_deref().map(from_anywhere)),
            ("LAHAR_THREADS", self.threads.map(|n| n.to_string())),
            ("LAHAR_LOSS", self.loss.clone()),
            ("LAHAR_TRACE", self.trace.clone()),
        ];
        for (name, value) in texts {
            if let Some(value) = value {
                command.env(name, value);
            }
        }
        Ok(())
    }

    /// Says what is wrong before a program is started in vain.
    pub(crate) fn check(&self) -> Result<(), String> {
        let text = |path: &PathBuf| path.to_string_lossy().into_owned();
        // What the driver would say to a program, which may not show it.
        let config = Config::read(|name| match name {
            "LAHAR_PLAN" => self.plan.as_ref().map(text),
            "LAHAR_FAULT" => self.fault.clone(),
            "LAHAR_PROFILE" => self.profile.clone(),
            "LAHAR_THREADS" => self.threads.map(|n| n.to_string()),
            "LAHAR_LOSS" => self.loss.clone(),
            "LAHAR_TRACE" => self.trace.clone(),
            _ => None,
        });
        config.map_err(|error| error.to_string())?;
        let dir = self.report.as_deref().and_then(Path::parent);
        match dir.filter(|dir| !dir.as_os_str().is_empty() && !dir.is_dir()) {
            Some(dir) => Err(format!("--report: there is no directory {}", dir.display())),
            None => Ok(()),
        }
    }
}
