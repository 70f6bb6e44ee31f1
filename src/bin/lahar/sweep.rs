//! `lahar sweep`: runs a program once for each point where something can go wrong, and says how it took it.

use crate::driver::{Manifest, Settings, library};
use crate::plan::{PointOf, discover_points, read_report};
use crate::verdict::{Outcome, Verdict, html, judge, junit, text};
use clap::Args;
use lahar::fault::plan::Pattern;
use serde_json::json;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io::{IsTerminal as _, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, ExitStatus, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// What is swept, and how.
#[derive(Args, Clone, Debug)]
pub(crate) struct Options {
    #[command(flatten)]
    settings: Settings,
    /// Where results go: results.json, junit.xml, index.html, and what each run printed
    #[arg(long, value_name = "DIR", default_value = "lahar-sweep")]
    out: PathBuf,
    /// Only these events (names with * and ?); may be given again
    #[arg(long, value_name = "NAME")]
    event: Vec<String>,
    /// Not these events
    #[arg(long, value_name = "NAME")]
    skip: Vec<String>,
    /// Points of each event, evenly spread; 0 for all
    #[arg(long, value_name = "N", default_value_t = 5)]
    each: u64,
    /// Every legal code at each point, not only the first
    #[arg(long)]
    all_codes: bool,
    /// Runs at a time
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=256))]
    jobs: u64,
    /// Seconds that a run may take
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..))]
    time_limit: u64,
    /// Go on with what an earlier sweep left: runs that have a result are not repeated
    #[arg(long)]
    resume: bool,
    /// The program and its arguments; `{run}` in them becomes the number of the run
    #[arg(last = true, required = true, value_name = "PROGRAM")]
    program: Vec<OsString>,
}

/// Sweeps; 0 if every verdict is good, 3 if not.
pub(crate) fn sweep(options: &Options) -> Result<ExitCode, String> {
    options.settings.check()?;
    let manifest = Manifest::new(&library(options.settings.driver.as_deref())?)?;
    let make = |dir: &Path| fs::create_dir_all(dir).map_err(|error| format!("{}: {error}", dir.display()));
    make(&options.out)?;
    let lines = options.out.join("results.jsonl");
    let mut done = if options.resume {
        earlier(&lines)
    } else {
        BTreeMap::new()
    };
    if !options.resume {
        // Results of another sweep would be taken for this one's.
        let _ = fs::remove_file(&lines);
    }
    eprintln!("lahar: a run without faults, to see what there is");
    let points = discover_points(&options.settings, &manifest, &command_line(options, 0))?;
    let rules = rules(options, &points);
    if rules.is_empty() {
        let passed = points.len();
        return Err(format!(
            "of the {passed} events that the program passes none is chosen by --event and --skip"
        ));
    }
    let left: Vec<&String> = rules.iter().filter(|rule| !done.contains_key(*rule)).collect();
    eprintln!("lahar: {} runs, {} of them still to do", rules.len(), left.len());
    let log = fs::OpenOptions::new().create(true).append(true).open(&lines);
    let log = Mutex::new(log.map_err(|error| format!("{}: {error}", lines.display()))?);
    let (next, finished) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let results = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..options.jobs {
            scope.spawn(|| {
                loop {
                    let n = next.fetch_add(1, Ordering::Relaxed);
                    let Some(rule) = left.get(n) else { break };
                    let number = 1 + rules.iter().position(|other| other == *rule).unwrap_or(n);
                    let outcome = run_one(options, &manifest, rule, number);
                    let done = 1 + finished.fetch_add(1, Ordering::Relaxed);
                    progress(done, left.len(), &outcome);
                    if let Ok(mut log) = log.lock() {
                        // A result that cannot be kept is in the report all the same.
                        let _ = writeln!(log, "{}", outcome.to_json());
                    }
                    if let Ok(mut results) = results.lock() {
                        results.push(outcome);
                    }
                }
            });
        }
    });
    for outcome in results.into_inner().unwrap_or_default() {
        done.insert(outcome.rule.clone(), outcome);
    }
    let outcomes: Vec<Outcome> = rules.iter().filter_map(|rule| done.remove(rule)).collect();
    report(options, &outcomes)?;
    let bad = outcomes.iter().filter(|outcome| outcome.verdict.is_bad()).count();
    print!("{}", text(&outcomes));
    Ok(ExitCode::from(if bad == 0 { 0 } else { 3 }))
}

/// Tells how far it is: on a terminal a bar under the bad verdicts, else a line for each run.
fn progress(done: usize, all: usize, outcome: &Outcome) {
    let line = format!("[{done}/{all}] {:<12} {}", outcome.verdict.word(), outcome.rule);
    let mut out = std::io::stderr().lock();
    // Who cannot be told is not told.
    let _ = if !out.is_terminal() {
        writeln!(out, "{line}")
    } else {
        let kept = if outcome.verdict.is_bad() {
            format!("{line}\n")
        } else {
            String::new()
        };
        let filled = "#".repeat(done * 30 / all.max(1));
        let end = if done == all { "\n" } else { "" };
        write!(
            out,
            "\r\x1b[K{kept}[{filled:<30}] {done}/{all} {:.60}{end}",
            outcome.rule
        )
    };
}

fn report(options: &Options, outcomes: &[Outcome]) -> Result<(), String> {
    let write = |name: &str, text: String| {
        let path = options.out.join(name);
        fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))
    };
    let program: Vec<_> = options
        .program
        .iter()
        .map(|part| part.to_string_lossy())
        .collect();
    let program = program.join(" ");
    let list: Vec<_> = outcomes.iter().map(Outcome::to_json).collect();
    write(
        "results.json",
        format!(
            "{:#}\n",
            json!({ "version": 1, "program": program, "runs": list })
        ),
    )?;
    write("junit.xml", junit(&program, outcomes))?;
    write("index.html", html(&program, outcomes))
}

/// Results of an earlier sweep, by rule; lines that are cut short are runs to repeat.
fn earlier(path: &Path) -> BTreeMap<String, Outcome> {
    let text = fs::read_to_string(path).unwrap_or_default();
    text.lines()
        .filter_map(|line| Outcome::from_json(&serde_json::from_str(line).ok()?))
        .map(|outcome| (outcome.rule.clone(), outcome))
        .collect()
}

/// The rules to try, in the order of the points.
fn rules(options: &Options, points: &[PointOf]) -> Vec<String> {
    let fits = |names: &[String], event: &str| names.iter().any(|name| Pattern::new(name).fits(event));
    let mut rules = Vec::new();
    for point in points.iter().filter(|point| point.device <= 1) {
        let event = point.event.as_str();
        let wanted = options.event.is_empty() || fits(&options.event, event);
        if !wanted || fits(&options.skip, event) || matches!(event, "command" | "label_end") {
            continue;
        }
        for nth in spread(point.count, options.each) {
            if point.codes.is_empty() {
                if !event.starts_with("vk") {
                    rules.push(format!("lose@{event}#{nth} read"));
                }
                continue;
            }
            // The loss of the device comes first where there is one: it is what the rest is least ready for.
            let mut codes: Vec<&String> = point.codes.iter().collect();
            codes.sort_by_key(|code| *code != "device_lost");
            let most = if options.all_codes { codes.len() } else { 1 };
            rules.extend(
                codes[..most]
                    .iter()
                    .map(|code| format!("fail@{event}#{nth} {code}")),
            );
        }
    }
    rules
}

/// `each` numbers from 1 to `count`, the first and the last among them.
fn spread(count: u64, each: u64) -> Vec<u64> {
    if each == 0 || count <= each {
        return (1..=count).collect();
    }
    if each == 1 {
        return vec![1];
    }
    (0..each).map(|i| 1 + i * (count - 1) / (each - 1)).collect()
}

fn command_line(options: &Options, run: usize) -> Vec<OsString> {
    let number = run.to_string();
    let filled = |part: &OsString| match part.to_str() {
        Some(text) => text.replace("{run}", &number).into(),
        None => part.clone(),
    };
    options.program.iter().map(filled).collect()
}

fn run_one(options: &Options, manifest: &Manifest, rule: &str, number: usize) -> Outcome {
    let output = options.out.join(format!("run-{number:04}.txt"));
    let report = options.out.join(format!("run-{number:04}.json"));
    // One of an earlier sweep would be taken for this run's.
    let _ = fs::remove_file(&report);
    let started = (|| -> Result<_, String> {
        let program = command_line(options, number);
        let (name, arguments) = program.split_first().ok_or("no program")?;
        let file = fs::File::create(&output).map_err(|error| format!("{}: {error}", output.display()))?;
        let again = file.try_clone().map_err(|error| error.to_string())?;
        let mut command = Command::new(name);
        command.args(arguments);
        options.settings.apply(&mut command, manifest)?;
        command
            .env("LAHAR_FAULT", rule)
            .env("LAHAR_REPORT", &report)
            .stdin(Stdio::null())
            .stdout(file)
            .stderr(again)
            .process_group(0);
        command
            .spawn()
            .map_err(|error| format!("{}: {error}", name.to_string_lossy()))
    })();
    let mut outcome = Outcome {
        rule: rule.to_owned(),
        number,
        verdict: Verdict::Error,
        detail: String::new(),
    };
    let ended = started.and_then(|child| wait(child, Duration::from_secs(options.time_limit)));
    (outcome.verdict, outcome.detail) = match ended {
        Err(error) => (Verdict::Error, error),
        Ok(None) => (Verdict::Hung, format!("no end within {} s", options.time_limit)),
        Ok(Some(status)) => judge(status, read_report(&report).ok().as_ref()),
    };
    outcome
}

/// Waits for a process, and ends it with all that it started when its time is over.
fn wait(mut child: std::process::Child, limit: Duration) -> Result<Option<ExitStatus>, String> {
    let start = Instant::now();
    let mut pause = Duration::from_millis(2);
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Ok(Some(status)),
            Ok(None) if start.elapsed() >= limit => break,
            Ok(None) => std::thread::sleep(pause),
            Err(error) => return Err(error.to_string()),
        }
        pause = (pause * 2).min(Duration::from_millis(50));
    }
    let group = i32::try_from(child.id())
        .ok()
        .and_then(rustix::process::Pid::from_raw);
    if let Some(group) = group {
        // It may have ended just now.
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    child.wait().map_err(|error| error.to_string())?;
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_spread_from_the_first_to_the_last() {
        assert_eq!(spread(3, 5), [1, 2, 3]);
        assert_eq!(spread(100, 5), [1, 25, 50, 75, 100]);
        assert_eq!(spread(9, 0).len(), 9);
        assert_eq!((spread(9, 1), spread(0, 3)), (vec![1], vec![]));
    }
}
