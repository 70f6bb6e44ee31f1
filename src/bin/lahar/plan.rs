//! `lahar plan`: checks a plan, says what it does, lists the points of a program where one could do something.

use crate::driver::{Manifest, Settings, library};
use lahar::config;
use lahar::fault::plan::{Plan, Rule, tables};
use serde_json::Value;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Checks a plan file, by the same rules as the driver.
pub(crate) fn check(path: &Path) -> Result<String, String> {
    let plan = config::read_plan(path.to_owned()).map_err(|error| {
        let text = error.to_string();
        text.strip_prefix("LAHAR_PLAN: ").unwrap_or(&text).to_owned()
    })?;
    Ok(format!(
        "{}: {} rule(s), all understood\n",
        path.display(),
        plan.rules.len()
    ))
}

/// Says what a plan does.
pub(crate) fn explain(file: Option<&Path>, line: Option<&str>) -> Result<String, String> {
    let plan = match (file, line) {
        (Some(path), _) => config::read_plan(path.to_owned()).map_err(|error| error.to_string())?,
        (None, Some(line)) => Plan::parse_line(line).map_err(|error| error.to_string())?,
        (None, None) => return Ok(words()),
    };
    let mut text = String::new();
    if plan.seed != 0 {
        // Writing to a string does not fail.
        let _ = writeln!(text, "seed {}", plan.seed);
    }
    for (number, rule) in (1..).zip(&plan.rules) {
        let _ = writeln!(text, "{number}. {}", sentence(rule));
    }
    Ok(text)
}

/// All that a plan can say.
fn words() -> String {
    let mut text = String::from("events:\n");
    for row in tables::EVENTS {
        let _ = writeln!(text, "  {:<16} {}", row.name, row.doc);
    }
    let _ = writeln!(text, "  {:<16} calls of one command of Vulkan", "vk…");
    text.push_str("members of `when`:\n");
    for member in tables::WHEN {
        let _ = writeln!(text, "  {:<16} {}", member.name, member.doc);
    }
    text.push_str("faults:\n");
    for row in tables::FAULTS {
        let _ = writeln!(text, "  {:<16} {}", row.name, row.doc);
        for member in row.members {
            let _ = writeln!(text, "    {:<14} {}", member.name, member.doc);
        }
    }
    text
}

fn sentence(rule: &Rule) -> String {
    let mut text = rule
        .name
        .as_deref()
        .map_or(String::new(), |name| format!("{name}: "));
    let Some(when) = &rule.when else {
        let _ = write!(text, "from the start: {}", rule.fault.name());
        return text;
    };
    let event = when.event.name();
    let mut conditions = Vec::new();
    match (when.nth, when.every, when.chance) {
        (Some(nth), ..) => conditions.push(format!("at number {nth} of the event `{event}`")),
        (_, Some(every), _) => conditions.push(format!("at every {every}. of the event `{event}`")),
        (_, _, Some(chance)) => conditions.push(format!("with a chance of {chance} at the event `{event}`")),
        _ => conditions.push(format!("at each event `{event}`")),
    }
    if when.after > 0 {
        conditions.push(format!("after the first {}", when.after));
    }
    if let Some(times) = when.times {
        conditions.push(format!("{times} time(s) at most"));
    }
    match when.device {
        Some(device) => conditions.push(format!("on device {device}")),
        None => conditions.push("on any device".to_owned()),
    }
    let filters = [
        ("queue", when.queue.map(|n| n.to_string())),
        ("thread", when.thread.map(|n| n.to_string())),
        ("object", when.object.as_ref().map(|p| p.text().to_owned())),
        (
            "type of object",
            when.object_type.map(|ty| format!("{ty:?}").to_lowercase()),
        ),
        ("label", when.label.as_ref().map(|p| p.text().to_owned())),
        ("pipeline", when.pipeline.as_ref().map(|p| p.text().to_owned())),
        ("shader", when.shader.as_ref().map(|p| p.text().to_owned())),
        ("heap", when.heap.map(|n| n.to_string())),
        ("memory type", when.memory_type.map(|n| n.to_string())),
        (
            "at least",
            (when.min_size > 0).then(|| format!("{} bytes", when.min_size)),
        ),
        (
            "at most",
            (when.max_size < u64::MAX).then(|| format!("{} bytes", when.max_size)),
        ),
        (
            "touching",
            when.touch
                .map(|touch| format!("{:#x} to {:#x}", touch.first, touch.last)),
        ),
        (
            "a rule before it,",
            when.after_rule.as_ref().map(|rule| rule.0.clone()),
        ),
    ];
    for (what, value) in filters {
        conditions.extend(value.map(|value| format!("{what} {value}")));
    }
    let _ = write!(text, "{}: {}", conditions.join(", "), rule.fault.name());
    if let lahar::fault::plan::Fault::Fail(code) = &rule.fault {
        let _ = write!(
            text,
            " with {}",
            lahar::fault::plan::codes::word(*code).unwrap_or("a code")
        );
    }
    text
}

/// A point that a rule can name.
#[derive(Clone, Debug)]
pub(crate) struct PointOf {
    pub(crate) device: u64,
    pub(crate) event: String,
    pub(crate) count: u64,
    pub(crate) codes: Vec<String>,
}

/// The points of a report.
pub(crate) fn points(report: &Value) -> Vec<PointOf> {
    let list = report["points"].as_array().map_or(&[][..], Vec::as_slice);
    list.iter()
        .map(|point| PointOf {
            device: point["device"].as_u64().unwrap_or(0),
            event: point["event"].as_str().unwrap_or_default().to_owned(),
            count: point["count"].as_u64().unwrap_or(0),
            codes: point["codes"]
                .as_array()
                .map_or(&[][..], Vec::as_slice)
                .iter()
                .filter_map(|code| code.as_str().map(str::to_owned))
                .collect(),
        })
        .collect()
}

/// Reads a report that the driver wrote.
pub(crate) fn read_report(path: &Path) -> Result<Value, String> {
    let text = std::fs::read_to_string(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => {
            "no report of the program: it did not end by itself, or did not use Vulkan through the loader"
                .to_owned()
        }
        _ => format!("no report of the program: {error}"),
    })?;
    serde_json::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))
}

/// Runs a program once; the driver's report.
fn run_once(settings: &Settings, manifest: &Manifest, program: &[OsString]) -> Result<Value, String> {
    let report = ReportFile::new(manifest);
    let (name, arguments) = program.split_first().ok_or("no program")?;
    let mut command = Command::new(name);
    command.args(arguments).stdout(std::io::stderr());
    settings.apply(&mut command, manifest)?;
    command.env("LAHAR_REPORT", &report.0);
    let status = command
        .status()
        .map_err(|error| format!("{}: {error}", name.to_string_lossy()))?;
    if !status.success() {
        eprintln!("lahar: the program ended with {status}; what it passed until then counts");
    }
    read_report(&report.0)
}

/// Runs a program once; the points that it passes.
pub(crate) fn discover_points(
    settings: &Settings,
    manifest: &Manifest,
    program: &[OsString],
) -> Result<Vec<PointOf>, String> {
    Ok(points(&run_once(settings, manifest, program)?))
}

/// Runs a program once and lists the points that it passes.
pub(crate) fn discover(settings: &Settings, program: &[OsString], json: bool) -> Result<String, String> {
    settings.check()?;
    let manifest = Manifest::new(&library(settings.driver.as_deref())?)?;
    let value = run_once(settings, &manifest, program)?;
    if json {
        return Ok(format!("{:#}\n", value["points"]));
    }
    let mut text = String::new();
    for point in points(&value) {
        let device = match point.device {
            0 => "process ".to_owned(),
            device => format!("device {device}"),
        };
        let codes = point.codes.join(" ");
        // Writing to a string does not fail.
        let _ = writeln!(text, "{device}  {:<36} {:>6}  {codes}", point.event, point.count);
    }
    Ok(text)
}

/// A file for a report, which goes when this does.
pub(crate) struct ReportFile(pub(crate) PathBuf);

impl ReportFile {
    pub(crate) fn new(manifest: &Manifest) -> ReportFile {
        ReportFile(manifest.path().with_extension("report"))
    }
}

impl Drop for ReportFile {
    fn drop(&mut self) {
        // It may never have been written.
        let _ = std::fs::remove_file(&self.0);
    }
}
