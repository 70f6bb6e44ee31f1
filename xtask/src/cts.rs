//! `cargo xtask cts`: runs conformance tests on the driver and compares with `tests/cts/expected.csv`.
//!
//! `deqp-vk` and `deqp-runner` are the user's own; see `tests/cts/README.md`.

use crate::TaskResult;
use crate::shell::{self, cargo, find_program, use_lahar};
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// What to run.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// The deqp-vk to run.
    #[arg(long)]
    deqp: PathBuf,
    /// File with the names of the cases, one a line.
    #[arg(long)]
    list: PathBuf,
    /// Processes at a time; default: one a core.
    #[arg(long)]
    jobs: Option<usize>,
    /// The deqp-runner; default: the one on the search path.
    #[arg(long)]
    runner: Option<PathBuf>,
    /// Seconds for one case.
    #[arg(long, default_value_t = 60)]
    timeout: u32,
}

const EXPECTED: &str = "tests/cts/expected.csv";

/// Results that count as passed, or that say that there is nothing to test.
const GOOD: [&str; 5] = ["Pass", "Skip", "NotSupported", "Warn", "ExpectedFail"];

/// Case to result.
type Results = BTreeMap<String, String>;

/// Builds the driver, runs the list, compares.
pub(crate) fn run(options: &Options) -> TaskResult {
    let runner = options
        .runner
        .clone()
        .or_else(|| find_program("deqp-runner"))
        .ok_or(
            "there is no deqp-runner on the search path: `cargo install deqp-runner`, or give --runner PATH",
        )?;
    let deqp = fs::canonicalize(&options.deqp).map_err(|e| format!("{}: {e}", options.deqp.display()))?;
    shell::run(&mut cargo(&["build", "--release", "--package", "vulkan_lahar"]))?;
    let dir = shell::target().join("cts");
    if dir.exists() {
        fs::remove_dir_all(&dir)?;
    }
    let manifest = shell::manifest("release", &dir)?;
    check_device(&deqp, &manifest, &dir)?;

    let list = fs::read_to_string(&options.list).map_err(|e| format!("{}: {e}", options.list.display()))?;
    let expected = parse(&fs::read_to_string(shell::workspace().join(EXPECTED))?)?;
    let mut results = Results::new();
    for (area, cases) in areas(&list) {
        results.extend(run_area(
            options,
            &runner,
            &deqp,
            &manifest,
            &dir.join(area),
            &cases,
        )?);
    }
    report(
        &results,
        &expected,
        list.lines().filter(|line| !line.trim().is_empty()).count(),
    )
}

/// Refuses to measure another driver.
fn check_device(deqp: &Path, manifest: &Path, dir: &Path) -> TaskResult {
    let log = fs::canonicalize(dir)?.join("device.qpa");
    let mut command = Command::new(deqp);
    command
        .args(["--deqp-case=dEQP-VK.info.device", "--deqp-log-filename"])
        .arg(&log)
        .current_dir(deqp.parent().unwrap_or(Path::new(".")));
    use_lahar(&mut command, manifest).output()?;
    let text = String::from_utf8_lossy(&fs::read(&log)?).into_owned();
    if text.contains("Lahar") {
        Ok(())
    } else {
        Err(format!("deqp-vk does not run on Lahar; see {}", log.display()).into())
    }
}

/// The cases by area: each process builds the trees of the areas it runs, so mixing them costs much time.
fn areas(list: &str) -> BTreeMap<String, String> {
    let mut areas: BTreeMap<String, String> = BTreeMap::new();
    for case in list.lines().map(str::trim).filter(|case| !case.is_empty()) {
        let area = case.split('.').take(2).collect::<Vec<_>>().join(".");
        let cases = areas.entry(area).or_default();
        cases.push_str(case);
        cases.push('\n');
    }
    areas
}

fn run_area(
    options: &Options,
    runner: &Path,
    deqp: &Path,
    manifest: &Path,
    dir: &Path,
    cases: &str,
) -> TaskResult<Results> {
    fs::create_dir_all(dir)?;
    let list = dir.join("cases.txt");
    fs::write(&list, cases)?;
    let mut command = Command::new(runner);
    command
        .arg("run")
        .arg("--deqp")
        .arg(deqp)
        .arg("--caselist")
        .arg(&list)
        .arg("--output")
        .arg(dir)
        .args(["--timeout", &options.timeout.to_string()]);
    if let Some(jobs) = options.jobs {
        command.args(["--jobs", &jobs.to_string()]);
    }
    // It fails when a case fails; what counts is the comparison.
    use_lahar(&mut command, manifest).status()?;
    let file = dir.join("results.csv");
    parse(&fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?)
}

/// Lines of `case,result`, maybe with more fields; `#` begins a comment.
fn parse(csv: &str) -> TaskResult<Results> {
    let mut results = Results::new();
    for line in csv.lines().map(str::trim) {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let mut fields = line.split(',');
        let (Some(case), Some(result)) = (fields.next(), fields.next()) else {
            return Err(format!("not `case,result`: {line}").into());
        };
        results.insert(case.to_owned(), result.to_owned());
    }
    Ok(results)
}

fn is_good(result: &str) -> bool {
    GOOD.contains(&result)
}

/// Failures that are not expected, and expected ones that do not fail any more.
fn compare(results: &Results, expected: &Results) -> (Vec<String>, Vec<String>) {
    let line = |(case, result): (&String, &String)| format!("{case},{result}");
    let new = results
        .iter()
        .filter(|(case, result)| !is_good(result) && !expected.contains_key(*case))
        .map(line)
        .collect();
    let fixed = results
        .iter()
        .filter(|(case, result)| is_good(result) && expected.contains_key(*case))
        .map(line)
        .collect();
    (new, fixed)
}

fn report(results: &Results, expected: &Results, listed: usize) -> TaskResult {
    let mut totals: BTreeMap<&str, usize> = BTreeMap::new();
    for result in results.values() {
        *totals.entry(result).or_default() += 1;
    }
    let (new, fixed) = compare(results, expected);
    for (what, cases) in [
        ("new failures", &new),
        ("fixed, to be taken out of the list", &fixed),
    ] {
        if !cases.is_empty() {
            println!("\n{what} ({}):", cases.len());
            cases.iter().for_each(|case| println!("  {case}"));
        }
    }
    let totals: Vec<_> = totals
        .iter()
        .map(|(result, count)| format!("{result} {count}"))
        .collect();
    println!("\n{} of {listed} cases ran: {}", results.len(), totals.join(", "));
    if results.len() < listed {
        return Err("not all cases ran".into());
    }
    if !new.is_empty() || !fixed.is_empty() {
        return Err(format!("the results are not those of {EXPECTED}").into());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_new_and_what_is_fixed() {
        let expected = parse("# why\na.b.known,Fail\na.b.fixed,Crash\na.b.other,Fail\n").unwrap();
        let results =
            parse("a.b.known,Fail,0.1\na.b.fixed,Pass,0.1\na.b.new,Timeout,60\na.b.good,Skip,0\n").unwrap();
        let (new, fixed) = compare(&results, &expected);
        assert_eq!(new, ["a.b.new,Timeout"]);
        assert_eq!(fixed, ["a.b.fixed,Pass"]);
    }

    #[test]
    fn the_expected_list_is_well_formed_and_has_only_failures() {
        let text = fs::read_to_string(shell::workspace().join(EXPECTED)).unwrap();
        for (case, result) in parse(&text).unwrap() {
            assert!(!is_good(&result), "{case} is expected to be {result}");
        }
    }

    #[test]
    fn cases_are_run_by_area() {
        let areas = areas("d.api.a\nd.draw.b\n\nd.api.c\n");
        assert_eq!(areas["d.api"], "d.api.a\nd.api.c\n");
        assert_eq!(areas.len(), 2);
    }
}
