//! `lahar install`: a manifest where the Vulkan loader looks.

use crate::driver::{library, manifest};
use clap::Args;
use std::path::{Path, PathBuf};

/// Where the manifest goes.
#[derive(Args, Clone, Debug)]
pub(crate) struct Options {
    /// For all users (needs the rights to write there); default: for this user
    #[arg(long)]
    system: bool,
    /// Remove it again
    #[arg(long)]
    uninstall: bool,
    /// The driver's library; default: beside this tool
    #[arg(long, value_name = "FILE")]
    driver: Option<PathBuf>,
}

const NAME: &str = "lahar_icd.json";

fn directory(system: bool) -> Result<PathBuf, String> {
    if system {
        return Ok("/etc/vulkan/icd.d".into());
    }
    let set = |name: &str| {
        std::env::var_os(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    let data = set("XDG_DATA_HOME").or_else(|| Some(set("HOME")?.join(".local/share")));
    Ok(data
        .ok_or("neither XDG_DATA_HOME nor HOME is set")?
        .join("vulkan/icd.d"))
}

/// Installs or removes; what was done.
pub(crate) fn install(options: &Options) -> Result<String, String> {
    let path = directory(options.system)?.join(NAME);
    let failed = |path: &Path, error: std::io::Error| format!("{}: {error}", path.display());
    if options.uninstall {
        return match std::fs::remove_file(&path) {
            Ok(()) => Ok(format!("removed {}\n", path.display())),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                Ok(format!("{} is not there\n", path.display()))
            }
            Err(error) => Err(failed(&path, error)),
        };
    }
    let library = library(options.driver.as_deref())?;
    if let Some(dir) = path.parent() {
        std::fs::create_dir_all(dir).map_err(|error| failed(dir, error))?;
    }
    std::fs::write(&path, manifest(&library)).map_err(|error| failed(&path, error))?;
    Ok(format!("{} names {}\n", path.display(), library.display()))
}
