//! The frozen snapshot of a loss: taken once, read by every query.

use super::dump::{self, Identity};
use super::plan::Plan;
use super::record::Record;
use super::reports::Reports;
use super::scene::Surroundings;
use crate::device::{Cause, Ledger, LossHook, Names, Trails};
use crate::memory::Memory;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// What a store needs to know of its device beforehand.
#[derive(Clone, Debug, Default)]
pub struct FaultDesc {
    /// Who is running on what; goes into the dump's header.
    pub identity: Identity,
    /// How the process was set up; goes into the dump's environment section.
    pub environment: dump::Environment,
    /// The plan that is in force.
    pub plan: Option<Arc<Plan>>,
    /// Where a dump is written at the loss, if anywhere.
    pub dump_dir: Option<PathBuf>,
    /// Which device of the process this is, from 1.
    pub generation: u64,
    /// Faults that the device survives are reported.
    pub report_masked: bool,
    /// Faults that the device could survive lose it.
    pub lost_on_masked: bool,
}

/// What is known of a loss.
#[derive(Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// Records in order of occurrence; at least one.
    pub records: Vec<Record>,
    /// The crash dump.
    pub dump: Vec<u8>,
    /// Messages of aborts, as `VkDeviceFaultShaderAbortMessageInfoKHR` has them: a length in eight bytes, then the message.
    pub messages: Vec<u8>,
}

/// Where a store finds what goes into a dump.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// Names of objects.
    pub names: Arc<Names>,
    /// Submissions.
    pub ledger: Arc<Ledger>,
    /// How far the queues came.
    pub trails: Arc<Trails>,
    /// Memory and its history.
    pub memory: Option<Arc<Memory>>,
}

/// Keeps the snapshot of one device.
#[derive(Debug)]
pub struct FaultStore {
    desc: FaultDesc,
    sources: Sources,
    snapshot: OnceLock<Snapshot>,
    reports: Reports,
}

impl FaultStore {
    /// A store with nothing in it.
    #[must_use]
    pub fn new(desc: FaultDesc, sources: Sources) -> FaultStore {
        FaultStore {
            desc,
            sources,
            snapshot: OnceLock::new(),
            reports: Reports::default(),
        }
    }

    /// What it was made from.
    #[must_use]
    pub fn desc(&self) -> &FaultDesc {
        &self.desc
    }

    /// Reports not yet read; reading them leaves the snapshot as it is.
    #[must_use]
    pub fn reports(&self) -> &Reports {
        &self.reports
    }

    /// The snapshot, once the device is lost.
    #[must_use]
    pub fn snapshot(&self) -> Option<&Snapshot> {
        self.snapshot.get()
    }

    /// Queues the reports of a fault that the device survives.
    pub fn masked(&self, cause: &Cause) {
        self.reports.push(cause, &Record::all_of(cause), false);
    }

    /// Drops the reports that wait: more masked faults follow than can wait besides.
    pub fn drop_masked(&self) {
        self.reports.overflow();
    }

    fn write_dump(&self, dir: &Path, bytes: &[u8]) {
        match write_new(dir, &self.file_stem(), bytes) {
            Ok(path) => eprintln!("lahar: device lost; crash dump written to {}", path.display()),
            // The dump stays available through the fault queries.
            Err(error) => eprintln!("lahar: device lost; no crash dump in {}: {error}", dir.display()),
        }
    }

    /// The application's name in the characters that are safe in a file name, and the device's number.
    fn file_stem(&self) -> String {
        let safe = |c: char| {
            if c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.') {
                c
            } else {
                '_'
            }
        };
        let name: String = self
            .desc
            .identity
            .application_name
            .chars()
            .take(64)
            .map(safe)
            .collect();
        let name = if name.trim_matches('.').is_empty() {
            "application"
        } else {
            &name
        };
        format!("{name}-device{}", self.desc.generation)
    }
}

/// Writes `bytes` to the first of `stem.lahar`, `stem-2.lahar`, … that does not exist yet.
fn write_new(dir: &Path, stem: &str, bytes: &[u8]) -> std::io::Result<PathBuf> {
    use std::io::Write as _;
    for n in 1.. {
        let name = if n == 1 {
            format!("{stem}.lahar")
        } else {
            format!("{stem}-{n}.lahar")
        };
        let path = dir.join(name);
        match std::fs::File::create_new(&path) {
            Ok(mut file) => {
                file.write_all(bytes)?;
                return Ok(path);
            }
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists && n < 10_000 => {}
            Err(error) => return Err(error),
        }
    }
    Err(std::io::Error::other("no free file name"))
}

/// Messages behind their lengths, each at a multiple of eight bytes.
fn pairs(messages: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for message in messages {
        bytes.resize(bytes.len().next_multiple_of(8), 0);
        bytes.extend((message.len() as u64).to_le_bytes());
        bytes.extend(message);
    }
    bytes
}

impl LossHook for Arc<FaultStore> {
    fn freeze(&self, cause: &Cause) {
        let records = Record::all_of(cause);
        let surroundings = Surroundings::of(cause, &self.sources);
        let dump = dump::write(&self.desc, cause, &records, &surroundings);
        if let Some(dir) = &self.desc.dump_dir {
            self.write_dump(dir, &dump);
        }
        self.reports.push(cause, &records, true);
        // The hook is called once; a second snapshot would be dropped here.
        let _ = self.snapshot.set(Snapshot {
            records,
            dump,
            messages: pairs(&cause.abort),
        });
    }
}
