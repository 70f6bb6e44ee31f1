//! `lahar dump`: prints crash dumps, and says what differs between two.

use clap::Args;
use lahar::fault::dump::{self, Dump};
use std::path::{Path, PathBuf};

/// What to print, and how.
#[derive(Debug, Args)]
pub(crate) struct DumpArguments {
    /// The dump, as written to LAHAR_DUMP_DIR or read through the fault queries.
    file: PathBuf,
    /// As JSON.
    #[arg(long, conflicts_with_all = ["html", "diff"])]
    json: bool,
    /// As one HTML page that needs nothing else.
    #[arg(long, conflicts_with = "diff")]
    html: bool,
    /// Say what differs in this other dump; where they ran does not count.
    #[arg(long, value_name = "OTHER")]
    diff: Option<PathBuf>,
}

fn read(path: &Path) -> Result<Dump, String> {
    dump::read(&super::read_file(path)?).map_err(|error| format!("{}: {error}", path.display()))
}

/// What to print.
pub(crate) fn show(arguments: &DumpArguments) -> Result<String, String> {
    let dump = read(&arguments.file)?;
    Ok(match &arguments.diff {
        Some(other) => dump::to_diff(&dump, &read(other)?),
        None if arguments.json => dump::to_json(&dump) + "\n",
        None if arguments.html => dump::to_html(&dump),
        None => dump::to_text(&dump),
    })
}
