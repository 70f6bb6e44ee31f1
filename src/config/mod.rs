//! Configuration: environment variables, read once when an instance is created.
//!
//! | variable | meaning |
//! |---|---|
//! | `LAHAR_PLAN` | path of the fault plan (see [`crate::fault::plan`]) |
//! | `LAHAR_FAULT` | further rules in one line, as `lose@submit#3 read` |
//! | `LAHAR_DUMP_DIR` | directory that gets a crash dump at each device loss |
//! | `LAHAR_POISON` | byte that new memory and undefined contents get |
//! | `LAHAR_LEAKS` | `1`: what is left behind on a device is told |
//! | `LAHAR_THREADS` | worker threads, 1 to 256; default: what the affinity mask and the cgroup allow |
//! | `LAHAR_PROFILE` | the device to look like: a name (`discrete` is the default) or a file |
//! | `LAHAR_LOSS` | `strict` (after a loss all calls that may tell of it do; the default) or `weak` (what was done before is still told, as Vulkan without maintenance5 allows) |
//! | `LAHAR_TIMEOUT_MS` | milliseconds that a queue waits for a semaphore, event or query, and that the work of a submission takes, before the device is lost; default: no limit |
//! | `LAHAR_FUEL` | turns of small loops that a wave of shader invocations may take before it counts as endless; default 300 million |
//! | `LAHAR_BACKEND` | `interp`, `avx2` or `avx512`; default: the best the host has |
//! | `LAHAR_FAULTS` | how shaders' addresses are checked: `trap` (window and page protection; the default), `check` (to the byte, without signals), `off` |
#![forbid(unsafe_code)]

mod variables;

pub use variables::{VARIABLES, Variable};

use crate::fault::plan::{DeviceProfile, MAX_PLAN_BYTES, Plan, PlanError};
use crate::shader::guard::Mode;
use crate::shader::kernel::Backend;
use parking_lot::Mutex;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// What the environment asks for.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// The fault plan, if there is one.
    pub plan: Option<Arc<Plan>>,
    /// Where crash dumps go, if anywhere.
    pub dump_dir: Option<PathBuf>,
    /// Worker threads; `None` chooses.
    pub threads: Option<usize>,
    /// What runs kernels; `None` chooses.
    pub backend: Option<Backend>,
    /// Turns of loops a wave may take before it counts as endless; `None` is the default.
    pub fuel: Option<u64>,
    /// How shaders' addresses are checked.
    pub guards: Mode,
    /// Which device Lahar looks like.
    pub profile: Arc<DeviceProfile>,
    /// Whether what was done before a loss is still told afterwards.
    pub weak_loss: bool,
    /// Longest time that a queue waits.
    pub time_limit: Option<Duration>,
    /// The byte that new memory and undefined contents get.
    pub poison: Option<u8>,
    /// Whether to tell what is left behind on a device.
    pub leaks: bool,
    /// What is traced.
    pub trace: Trace,
    /// Where a report of the process goes, for tools.
    pub report: Option<PathBuf>,
    /// What is odd but no reason to stop.
    pub warnings: Vec<String>,
}

/// What is traced to standard error.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    /// Calls of Vulkan's commands.
    pub calls: bool,
    /// Commands that are executed.
    pub commands: bool,
    /// What a plan does.
    pub faults: bool,
}

/// A setting that cannot be used. Creating an instance fails with it rather than run without the setting.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The plan cannot be read.
    #[error("LAHAR_PLAN: cannot read {path}: {error}")]
    PlanFile {
        /// Its path.
        path: PathBuf,
        /// What the system said.
        error: std::io::Error,
    },
    /// The plan is malformed.
    #[error("LAHAR_PLAN: {path}:{error}")]
    Plan {
        /// Its path.
        path: PathBuf,
        /// What is wrong, and where.
        error: PlanError,
    },
    /// The one-line plan is malformed.
    #[error("LAHAR_FAULT:{0}")]
    Line(PlanError),
    /// The profile cannot be read.
    #[error("LAHAR_PROFILE: cannot read {path}: {error}")]
    ProfileFile {
        /// Its path.
        path: PathBuf,
        /// What the system said.
        error: std::io::Error,
    },
    /// The profile is malformed.
    #[error("LAHAR_PROFILE: {path}:{error}")]
    Profile {
        /// Its path.
        path: PathBuf,
        /// What is wrong, and where.
        error: PlanError,
    },
    /// A variable has a value that means nothing.
    #[error("{name}={value}: expected {expected}")]
    Value {
        /// The variable.
        name: &'static str,
        /// Its value.
        value: String,
        /// What it could be.
        expected: &'static str,
    },
    /// The host cannot run this back end.
    #[error("LAHAR_BACKEND={0}: this machine does not have the instructions")]
    Backend(String),
}

impl Config {
    /// Reads the process's environment.
    ///
    /// # Errors
    /// The first setting that cannot be used.
    pub fn from_environment() -> Result<Config, ConfigError> {
        let mut config =
            Config::read(|name| std::env::var_os(name).map(|v| v.to_string_lossy().into_owned()))?;
        let names = std::env::vars_os().map(|(name, _)| name.to_string_lossy().into_owned());
        config.warnings.extend(variables::misspelt(names));
        if let Some(warning) = config.dump_dir.as_deref().and_then(unusable) {
            config.warnings.push(warning);
        }
        Ok(config)
    }

    /// Reads settings through `get`; an empty value counts as unset.
    ///
    /// # Errors
    /// The first setting that cannot be used.
    pub fn read(get: impl Fn(&str) -> Option<String>) -> Result<Config, ConfigError> {
        let get = |name| get(name).filter(|value| !value.is_empty());
        Ok(Config {
            plan: plan(get("LAHAR_PLAN"), get("LAHAR_FAULT"))?,
            dump_dir: get("LAHAR_DUMP_DIR").map(PathBuf::from),
            report: get("LAHAR_REPORT").map(PathBuf::from),
            trace: get("LAHAR_TRACE")
                .map(parse_trace)
                .transpose()?
                .unwrap_or_default(),
            warnings: Vec::new(),
            poison: get("LAHAR_POISON").map(parse_poison).transpose()?,
            leaks: get("LAHAR_LEAKS").map_or(Ok(false), parse_leaks)?,
            threads: get("LAHAR_THREADS").map(parse_threads).transpose()?,
            fuel: get("LAHAR_FUEL").map(parse_fuel).transpose()?,
            backend: get("LAHAR_BACKEND").map(parse_backend).transpose()?,
            guards: get("LAHAR_FAULTS")
                .map(parse_guards)
                .transpose()?
                .unwrap_or_default(),
            profile: get("LAHAR_PROFILE").map(profile).transpose()?.unwrap_or_default(),
            weak_loss: get("LAHAR_LOSS").map_or(Ok(false), parse_loss)?,
            time_limit: get("LAHAR_TIMEOUT_MS").map(parse_time_limit).transpose()?,
        })
    }
}

/// The plan of a file and a line, of which either may be absent. The last one is kept: programs make one instance after
/// the other, and a plan of thousands of rules takes longer to understand than all the rest of an instance.
fn plan(file: Option<String>, line: Option<String>) -> Result<Option<Arc<Plan>>, ConfigError> {
    type Texts = (Option<String>, Option<String>);
    static LAST: Mutex<Option<(Texts, Option<Arc<Plan>>)>> = Mutex::new(None);
    let path = PathBuf::from(file.unwrap_or_default());
    let file = (!path.as_os_str().is_empty()).then(|| read_text(&path));
    let file = file.transpose().map_err(|error| {
        let path = path.clone();
        ConfigError::PlanFile { path, error }
    })?;
    let texts = (file, line);
    if let Some((_, plan)) = LAST.lock().as_ref().filter(|(last, _)| *last == texts) {
        return Ok(plan.clone());
    }
    let plan = parse_plans(&path, &texts.0, &texts.1)?;
    *LAST.lock() = Some((texts, plan.clone()));
    Ok(plan)
}

fn parse_plans(
    path: &Path,
    file: &Option<String>,
    line: &Option<String>,
) -> Result<Option<Arc<Plan>>, ConfigError> {
    let file = file.as_deref().map(Plan::parse).transpose().map_err(|error| {
        let path = path.to_owned();
        ConfigError::Plan { path, error }
    })?;
    let line = line
        .as_deref()
        .map(Plan::parse_line)
        .transpose()
        .map_err(ConfigError::Line)?;
    Ok(match (file, line) {
        (Some(mut file), Some(line)) => {
            file.append(line);
            Some(file)
        }
        (file, line) => file.or(line),
    }
    .map(Arc::new))
}

/// Reads a plan file, which is to be a plan of the size that one may have.
///
/// # Errors
/// [`ConfigError::PlanFile`] and [`ConfigError::Plan`].
pub fn read_plan(path: PathBuf) -> Result<Plan, ConfigError> {
    match read_text(&path) {
        Ok(text) => Plan::parse(&text).map_err(|error| ConfigError::Plan { path, error }),
        Err(error) => Err(ConfigError::PlanFile { path, error }),
    }
}

/// The text of a file of the size that a plan may have.
fn read_text(path: &Path) -> std::io::Result<String> {
    let data = std::fs::metadata(path)?;
    if !data.is_file() {
        return Err(std::io::Error::other("not a regular file"));
    }
    if data.len() > MAX_PLAN_BYTES {
        return Err(std::io::Error::other("larger than 1 MiB"));
    }
    std::fs::read_to_string(path)
}

/// The profile of a name, or else of a file.
///
/// # Errors
/// [`ConfigError::Value`], [`ConfigError::ProfileFile`] and [`ConfigError::Profile`].
pub fn profile(value: String) -> Result<Arc<DeviceProfile>, ConfigError> {
    if let Some(profile) = DeviceProfile::named(&value) {
        return Ok(Arc::new(profile));
    }
    if !value.contains(['/', '.']) {
        return Err(ConfigError::Value {
            name: "LAHAR_PROFILE",
            value,
            expected: "discrete, unified, minimal, tiler, workstation, or the path of a file",
        });
    }
    let path = PathBuf::from(value);
    match read_text(&path) {
        Ok(text) => DeviceProfile::parse(&text)
            .map(Arc::new)
            .map_err(|error| ConfigError::Profile { path, error }),
        Err(error) => Err(ConfigError::ProfileFile { path, error }),
    }
}

/// Why a dump directory cannot be used, if so: better said at the start than at the loss.
fn unusable(dir: &Path) -> Option<String> {
    let why = match std::fs::metadata(dir) {
        Ok(data) if !data.is_dir() => "it is not a directory".to_owned(),
        Ok(data) if data.permissions().readonly() => "it cannot be written".to_owned(),
        Ok(_) => return None,
        Err(error) => error.to_string(),
    };
    Some(format!("LAHAR_DUMP_DIR={}: no crash dumps: {why}", dir.display()))
}

fn parse_trace(value: String) -> Result<Trace, ConfigError> {
    let mut trace = Trace::default();
    for word in value.split(',') {
        match word.trim() {
            "calls" => trace.calls = true,
            "commands" => trace.commands = true,
            "faults" => trace.faults = true,
            _ => {
                return Err(ConfigError::Value {
                    name: "LAHAR_TRACE",
                    value,
                    expected: "calls, commands or faults, with commas between them",
                });
            }
        }
    }
    Ok(trace)
}

fn parse_poison(value: String) -> Result<u8, ConfigError> {
    let hex = value
        .strip_prefix("0x")
        .map(|hex| u8::from_str_radix(hex, 16).ok());
    hex.unwrap_or_else(|| value.parse().ok())
        .ok_or(ConfigError::Value {
            name: "LAHAR_POISON",
            value,
            expected: "a byte, as 0xab or 171",
        })
}

fn parse_leaks(value: String) -> Result<bool, ConfigError> {
    match value.as_str() {
        "0" => Ok(false),
        "1" => Ok(true),
        _ => Err(ConfigError::Value {
            name: "LAHAR_LEAKS",
            value,
            expected: "0 or 1",
        }),
    }
}

fn parse_threads(value: String) -> Result<usize, ConfigError> {
    match value.parse() {
        Ok(n @ 1..=256) => Ok(n),
        _ => Err(ConfigError::Value {
            name: "LAHAR_THREADS",
            value,
            expected: "a number from 1 to 256",
        }),
    }
}

fn parse_fuel(value: String) -> Result<u64, ConfigError> {
    match value.parse() {
        Ok(n @ 1..=0x7fff_ffff_ffff_ffff) => Ok(n),
        _ => Err(ConfigError::Value {
            name: "LAHAR_FUEL",
            value,
            expected: "a number of turns, at least 1",
        }),
    }
}

fn parse_loss(value: String) -> Result<bool, ConfigError> {
    match value.as_str() {
        "strict" => Ok(false),
        "weak" => Ok(true),
        _ => Err(ConfigError::Value {
            name: "LAHAR_LOSS",
            value,
            expected: "strict or weak",
        }),
    }
}

fn parse_time_limit(value: String) -> Result<Duration, ConfigError> {
    match value.parse() {
        Ok(n @ 1..=86_400_000) => Ok(Duration::from_millis(n)),
        _ => Err(ConfigError::Value {
            name: "LAHAR_TIMEOUT_MS",
            value,
            expected: "milliseconds, from 1 to a day's",
        }),
    }
}

fn parse_guards(value: String) -> Result<Mode, ConfigError> {
    let all = [Mode::Off, Mode::Pages, Mode::Exact];
    all.into_iter()
        .find(|mode| mode.name() == value)
        .ok_or(ConfigError::Value {
            name: "LAHAR_FAULTS",
            value,
            expected: "trap, check or off",
        })
}

fn parse_backend(value: String) -> Result<Backend, ConfigError> {
    let all = [Backend::Interpreter, Backend::Avx2, Backend::Avx512];
    let Some(backend) = all.into_iter().find(|backend| backend.name() == value) else {
        return Err(ConfigError::Value {
            name: "LAHAR_BACKEND",
            value,
            expected: "interp, avx2 or avx512",
        });
    };
    if backend.is_supported() {
        Ok(backend)
    } else {
        Err(ConfigError::Backend(value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &'static str, value: &str) -> Result<Config, ConfigError> {
        Config::read(|n| (n == name).then(|| value.to_owned()))
    }

    #[test]
    fn settings_are_read() {
        assert_eq!(read("LAHAR_THREADS", "3").unwrap().threads, Some(3));
        assert_eq!(
            read("LAHAR_BACKEND", "interp").unwrap().backend,
            Some(Backend::Interpreter)
        );
        assert_eq!(
            read("LAHAR_DUMP_DIR", "d").unwrap().dump_dir,
            Some(PathBuf::from("d"))
        );
        assert_eq!(read("LAHAR_PROFILE", "unified").unwrap().profile.name, "unified");
        assert_eq!(read("LAHAR_FUEL", "1000").unwrap().fuel, Some(1000));
        assert!(read("LAHAR_LOSS", "weak").unwrap().weak_loss);
        assert!(!read("LAHAR_LOSS", "strict").unwrap().weak_loss);
        assert_eq!(
            read("LAHAR_TIMEOUT_MS", "250").unwrap().time_limit,
            Some(Duration::from_millis(250))
        );
        assert_eq!(read("LAHAR_POISON", "0xab").unwrap().poison, Some(0xab));
        assert_eq!(read("LAHAR_POISON", "171").unwrap().poison, Some(171));
        assert!(read("LAHAR_LEAKS", "1").unwrap().leaks);
        assert_eq!(read("LAHAR_FAULTS", "check").unwrap().guards, Mode::Exact);
        assert!(read("LAHAR_PLAN", "").unwrap().plan.is_none(), "empty is unset");
    }

    #[test]
    fn bad_settings_say_what_was_expected() {
        for (name, value, says) in [
            ("LAHAR_THREADS", "0", "a number from 1 to 256"),
            ("LAHAR_POISON", "0x100", "a byte"),
            ("LAHAR_LEAKS", "yes", "0 or 1"),
            ("LAHAR_THREADS", "many", "a number from 1 to 256"),
            ("LAHAR_FUEL", "0", "at least 1"),
            ("LAHAR_BACKEND", "gpu", "interp, avx2 or avx512"),
            ("LAHAR_PROFILE", "integrated", "discrete, unified, minimal"),
            (
                "LAHAR_PROFILE",
                "/nonexistent.toml",
                "cannot read /nonexistent.toml",
            ),
            ("LAHAR_LOSS", "maybe", "strict or weak"),
            ("LAHAR_TIMEOUT_MS", "0", "milliseconds"),
            ("LAHAR_FAULTS", "on", "trap, check or off"),
            ("LAHAR_TRACE", "calls,all", "calls, commands or faults"),
            (
                "LAHAR_FAULT",
                "lose@sumbit read",
                "LAHAR_FAULT:1:6: unknown event",
            ),
            (
                "LAHAR_PLAN",
                "/nonexistent/plan.toml",
                "cannot read /nonexistent/plan.toml",
            ),
            ("LAHAR_PLAN", "/", "not a regular file"),
        ] {
            let error = read(name, value).unwrap_err().to_string();
            assert!(error.contains(says), "{name}={value}: {error}");
        }
    }
}
