//! The reference of plans for the book, made from the tables.

use super::codes;
use super::tables::{Clock, EVENTS, FAULTS, Member, Place, WHEN};
use crate::generated::commands::COMMANDS;
use std::fmt::Write as _;

/// All that stands in the tables, as Markdown.
#[must_use]
pub fn reference() -> String {
    let mut text = String::from("## Events\n\n| event | counted | what |\n|---|---|---|\n");
    for row in EVENTS {
        let clock = match row.clock {
            Clock::Call => "when called",
            Clock::Execution => "when executed",
        };
        // Writing to a string does not fail.
        let _ = writeln!(
            text,
            "| `{}` | {clock} | {}{} |",
            row.name,
            row.doc,
            commands(row.commands)
        );
    }
    text.push_str("| `vk…` | when called | calls of this command; one whose name only adds `KHR` or `EXT` counts as the same |\n");
    text.push_str("\n## `when`\n\n");
    members(&mut text, WHEN);
    text.push_str("\n## Faults\n");
    for row in FAULTS {
        let place = match row.place {
            Place::Anywhere => "at every event".to_owned(),
            Place::Calls => "at events of calls".to_owned(),
            Place::Commands(names) => format!("at {}", list(names)),
            Place::Execution => "at events of execution".to_owned(),
            Place::Start => {
                "without `when`: from the start, or armed by a test from then on until it is cleared"
                    .to_owned()
            }
        };
        let _ = write!(text, "\n### `{}`\n\n{} Possible {place}.", row.name, row.doc);
        if let Some(main) = row.main {
            let _ = write!(text, " A value that is no table is its `{main}`.");
        }
        text.push_str("\n\n");
        if !row.members.is_empty() {
            members(&mut text, row.members);
        }
    }
    text.push_str(
        "\n## Result codes\n\n| code | value | commands of Vulkan that may return it |\n|---|---|---|\n",
    );
    for (word, value) in codes::CODES {
        let count = COMMANDS
            .iter()
            .filter(|command| codes::is_legal(command, *value))
            .count();
        let _ = writeln!(text, "| `{word}` | {value} | {count} |");
    }
    text
}

fn list(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    quoted.join(", ")
}

fn commands(names: &[&str]) -> String {
    if names.is_empty() {
        String::new()
    } else {
        format!(" ({})", list(names))
    }
}

pub(super) fn members(text: &mut String, members: &[Member]) {
    text.push_str("| member | value | default | meaning |\n|---|---|---|---|\n");
    for member in members {
        let _ = writeln!(
            text,
            "| `{}` | {} | {} | {} |",
            member.name,
            member.kind.name(),
            member.default,
            member.doc
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEGIN: &str = "<!-- made from the tables of src/fault/plan/tables.rs: LAHAR_BLESS=1 cargo test --lib reference -->\n";

    #[test]
    fn the_books_reference_is_that_of_the_tables() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/fault-plan.md");
        let old = std::fs::read_to_string(&path).expect("the page is there");
        let head = old.split(BEGIN).next().unwrap_or_default();
        let new = format!("{head}{BEGIN}\n{}", reference());
        if std::env::var_os("LAHAR_BLESS").is_some() {
            std::fs::write(&path, &new).expect("written");
        }
        assert!(
            old == new || std::env::var_os("LAHAR_BLESS").is_some(),
            "the page is old: LAHAR_BLESS=1"
        );
    }

    /// The tests that `covers:` comments name, by word, and whether they arm the plan by calls too.
    fn covered() -> std::collections::BTreeMap<String, Vec<(String, bool)>> {
        let mut covered = std::collections::BTreeMap::<String, Vec<(String, bool)>>::new();
        for file in ["plan.rs", "plan_more.rs"] {
            let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("tests")
                .join(file);
            let text = std::fs::read_to_string(path).expect("the tests are there");
            for part in text.split("// covers: ").skip(1) {
                let words = part.lines().next().unwrap_or_default().split_whitespace();
                let test = part.split("fn ").nth(1).and_then(|rest| rest.split('(').next());
                let body = part.split("\n}\n").next().unwrap_or_default();
                let armed = !body.contains("planned_by_file(");
                for word in words {
                    let tests = covered.entry(word.to_owned()).or_default();
                    tests.push((test.unwrap_or_default().to_owned(), armed));
                }
            }
        }
        covered
    }

    #[test]
    fn every_word_of_the_tables_has_its_test() {
        let covered = covered();
        let mut text = String::from(
            "# What is tested\n\nMade from the tests through the loader. Each runs in a process with the plan in a file, and in \
             another with the plan armed by calls.\n\n\
             | | word | by file | by call | tests |\n|---|---|---|---|---|\n",
        );
        let events = EVENTS.iter().map(|row| ("event", row.name));
        let members = WHEN
            .iter()
            .map(|member| ("`when`", member.name))
            .filter(|(_, name)| *name != "event");
        let faults = FAULTS.iter().map(|row| ("fault", row.name));
        for (kind, word) in events.chain(members).chain(faults) {
            let tests = covered
                .get(word)
                .unwrap_or_else(|| panic!("no test says that it covers `{word}`"));
            let armed = tests.iter().any(|(_, armed)| *armed);
            assert!(armed, "`{word}` is never armed by calls");
            let names: Vec<String> = tests.iter().map(|(test, _)| format!("`{test}`")).collect();
            let _ = writeln!(text, "| {kind} | `{word}` | yes | yes | {} |", names.join(", "));
        }
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/coverage.md");
        if std::env::var_os("LAHAR_BLESS").is_some() {
            std::fs::write(&path, &text).expect("written");
        }
        assert_eq!(
            std::fs::read_to_string(&path).unwrap_or_default(),
            text,
            "the page is old: LAHAR_BLESS=1"
        );
    }
}
