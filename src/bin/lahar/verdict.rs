//! How a program took a fault, and how that is told.

use serde_json::{Value, json};
use std::fmt::Write as _;
use std::process::ExitStatus;

/// A verdict, from good to bad.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// The program went on and ended well.
    Recovered,
    /// The program said that it failed, and ended.
    Ended,
    /// The point was not reached: the program took another way.
    NotReached,
    /// It ended well, but left objects behind in a device that it destroyed.
    Leaked,
    /// It was told of a loss and ended well without another device, going on as if nothing had been.
    Ignored,
    /// It used objects that it does not have or has not made ready, or went on using a device that it knew was lost.
    Misused,
    /// It did not end.
    Hung,
    /// It was killed by a signal.
    Crashed,
    /// It could not be run.
    Error,
}

const ALL: [(Verdict, &str); 9] = [
    (Verdict::Recovered, "recovered"),
    (Verdict::Ended, "ended"),
    (Verdict::NotReached, "not-reached"),
    (Verdict::Leaked, "leaked"),
    (Verdict::Ignored, "ignored"),
    (Verdict::Misused, "misused"),
    (Verdict::Hung, "hung"),
    (Verdict::Crashed, "crashed"),
    (Verdict::Error, "error"),
];

impl Verdict {
    /// Its word.
    pub(crate) fn word(self) -> &'static str {
        ALL.iter().find(|row| row.0 == self).map_or("", |row| row.1)
    }

    /// Whether it is a fault of the program's.
    pub(crate) fn is_bad(self) -> bool {
        !matches!(self, Verdict::Recovered | Verdict::Ended | Verdict::NotReached)
    }
}

/// One run.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    pub(crate) rule: String,
    pub(crate) number: usize,
    pub(crate) verdict: Verdict,
    pub(crate) detail: String,
}

impl Outcome {
    pub(crate) fn to_json(&self) -> Value {
        json!({ "run": self.number, "rule": self.rule, "verdict": self.verdict.word(), "detail": self.detail })
    }

    pub(crate) fn from_json(value: &Value) -> Option<Outcome> {
        let word = value["verdict"].as_str()?;
        Some(Outcome {
            rule: value["rule"].as_str()?.to_owned(),
            number: usize::try_from(value["run"].as_u64()?).ok()?,
            verdict: ALL.iter().find(|row| row.1 == word)?.0,
            detail: value["detail"].as_str()?.to_owned(),
        })
    }
}

/// Submissions, presentations and acquisitions after the application knew of the loss: so many can happen to a program
/// with several threads or queues that does the right thing.
const TOLERATED: u64 = 8;

/// The verdict of a run that ended.
pub(crate) fn judge(status: ExitStatus, report: Option<&Value>) -> (Verdict, String) {
    use std::os::unix::process::ExitStatusExt as _;
    if let Some(signal) = status.signal() {
        return (Verdict::Crashed, format!("killed by signal {signal}"));
    }
    let ended = match status.code() {
        Some(0) => "exit code 0".to_owned(),
        code => format!("exit code {}", code.unwrap_or(-1)),
    };
    let Some(report) = report else {
        return (Verdict::Error, format!("{ended}, and the driver wrote no report"));
    };
    let empty = Vec::new();
    if report["fired"].as_array().unwrap_or(&empty).is_empty() {
        return (Verdict::NotReached, ended);
    }
    let invalid = report["invalid_handles"].as_u64().unwrap_or(0);
    if invalid > 0 {
        let what = format!(
            "{invalid} call(s) were given an object that is not there, or not ready for them; {ended}"
        );
        return (Verdict::Misused, what);
    }
    let devices = report["devices"].as_array().unwrap_or(&empty);
    let number = |device: &Value, name: &str| device[name].as_u64().unwrap_or(0);
    for device in devices {
        let work = number(device, "work_after_loss");
        if work > TOLERATED {
            let what = format!(
                "{work} submissions, presentations or acquisitions on device {} after it was told of the loss; {ended}",
                number(device, "device")
            );
            return (Verdict::Misused, what);
        }
    }
    if !status.success() {
        return (Verdict::Ended, ended);
    }
    if let Some(device) = devices.iter().find(|device| number(device, "leaked") > 0) {
        let (count, which) = (number(device, "leaked"), number(device, "device"));
        return (
            Verdict::Leaked,
            format!("{count} object(s) left in device {which}"),
        );
    }
    let last_lost = devices.last().is_some_and(|device| device["lost"] == json!(true));
    let went_on = devices
        .iter()
        .any(|device| device["lost"] == json!(true) && number(device, "work_after_loss") > 0);
    if last_lost && went_on {
        return (Verdict::Ignored, format!("no other device was made; {ended}"));
    }
    (Verdict::Recovered, ended)
}

/// The report for people.
pub(crate) fn text(outcomes: &[Outcome]) -> String {
    let mut text = String::new();
    for outcome in outcomes {
        // Writing to a string does not fail.
        let _ = writeln!(
            text,
            "{:<12} {}  ({})",
            outcome.verdict.word(),
            outcome.rule,
            outcome.detail
        );
    }
    let counts: Vec<String> = ALL
        .iter()
        .map(|(verdict, word)| {
            (
                outcomes
                    .iter()
                    .filter(|outcome| outcome.verdict == *verdict)
                    .count(),
                word,
            )
        })
        .filter(|(count, _)| *count > 0)
        .map(|(count, word)| format!("{count} {word}"))
        .collect();
    let _ = writeln!(text, "{} runs: {}", outcomes.len(), counts.join(", "));
    text
}

fn escape(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '&' => "&amp;".to_owned(),
            '<' => "&lt;".to_owned(),
            '>' => "&gt;".to_owned(),
            '"' => "&quot;".to_owned(),
            c if c.is_control() => " ".to_owned(),
            c => c.to_string(),
        })
        .collect()
}

/// The report for CI systems.
pub(crate) fn junit(program: &str, outcomes: &[Outcome]) -> String {
    let bad = outcomes.iter().filter(|outcome| outcome.verdict.is_bad()).count();
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"{}\" tests=\"{}\" failures=\"{bad}\">\n",
        escape(program),
        outcomes.len()
    );
    for outcome in outcomes {
        let _ = write!(
            text,
            "  <testcase classname=\"lahar.sweep\" name=\"{}\"",
            escape(&outcome.rule)
        );
        let (word, detail) = (outcome.verdict.word(), escape(&outcome.detail));
        let _ = match outcome.verdict {
            verdict if verdict.is_bad() => {
                writeln!(text, "><failure message=\"{word}\">{detail}</failure></testcase>")
            }
            Verdict::NotReached => writeln!(text, "><skipped message=\"{word}\"/></testcase>"),
            _ => writeln!(text, "/>"),
        };
    }
    text + "</testsuite>\n"
}

/// The report as one page.
pub(crate) fn html(program: &str, outcomes: &[Outcome]) -> String {
    let mut text = format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>Sweep of {0}</title>\n<style>\
         body{{font:14px sans-serif;margin:2em}}td,th{{text-align:left;padding:.2em 1em .2em 0;vertical-align:top}}\
         .bad{{color:#b00020;font-weight:bold}}.good{{color:#1b5e20}}code{{font-size:13px}}</style>\n\
         <h1>Sweep of <code>{0}</code></h1>\n<p>{1}</p>\n<table><tr><th>Verdict<th>Rule<th>Detail<th>Output\n",
        escape(program),
        escape(text_summary(outcomes).trim())
    );
    for outcome in outcomes {
        let class = if outcome.verdict.is_bad() { "bad" } else { "good" };
        let _ = writeln!(
            text,
            "<tr><td class=\"{class}\">{}<td><code>{}</code><td>{}<td><a href=\"run-{:04}.txt\">{}</a>",
            outcome.verdict.word(),
            escape(&outcome.rule),
            escape(&outcome.detail),
            outcome.number,
            outcome.number
        );
    }
    text + "</table></html>\n"
}

fn text_summary(outcomes: &[Outcome]) -> String {
    text(outcomes).lines().last().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::ExitStatusExt as _;

    fn judged(raw: i32, report: &Value) -> Verdict {
        judge(ExitStatus::from_raw(raw), Some(report)).0
    }

    #[test]
    fn verdicts_follow_from_status_and_report() {
        let device = |lost, work, leaked| json!({ "device": 1, "lost": lost, "work_after_loss": work, "leaked": leaked });
        let report = |devices: Vec<Value>| json!({ "fired": [{}], "devices": devices, "invalid_handles": 0 });
        let fine = report(vec![device(false, 0, 0)]);
        assert_eq!(judged(0, &fine), Verdict::Recovered);
        assert_eq!(judged(1 << 8, &fine), Verdict::Ended);
        assert_eq!(judged(11, &fine), Verdict::Crashed);
        assert_eq!(judged(0, &json!({ "fired": [] })), Verdict::NotReached);
        assert_eq!(judged(0, &report(vec![device(true, 2, 0)])), Verdict::Ignored);
        assert_eq!(judged(0, &report(vec![device(true, 99, 0)])), Verdict::Misused);
        assert_eq!(
            judged(0, &report(vec![device(true, 1, 0), device(false, 0, 0)])),
            Verdict::Recovered
        );
        assert_eq!(judged(0, &report(vec![device(false, 0, 3)])), Verdict::Leaked);
        let stale = json!({ "fired": [{}], "devices": [], "invalid_handles": 2 });
        assert_eq!(judged(0, &stale), Verdict::Misused);
        assert_eq!(judge(ExitStatus::from_raw(0), None).0, Verdict::Error);
    }

    #[test]
    fn outcomes_survive_as_json_and_reports_are_escaped() {
        let outcome = Outcome {
            rule: "fail@map#1 <&\">".to_owned(),
            number: 7,
            verdict: Verdict::Crashed,
            detail: "signal".to_owned(),
        };
        let again = Outcome::from_json(&outcome.to_json()).expect("an outcome");
        assert_eq!(
            (again.rule, again.number, again.verdict),
            (outcome.rule.clone(), 7, Verdict::Crashed)
        );
        let all = [outcome];
        for page in [junit("a<b", &all), html("a<b", &all)] {
            assert!(
                page.contains("a&lt;b") && page.contains("&lt;&amp;&quot;&gt;") && page.contains("crashed")
            );
        }
        assert!(text(&all).ends_with("1 runs: 1 crashed\n"));
    }
}
