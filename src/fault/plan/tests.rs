//! Tests of reading plans.

use super::*;
use crate::fault::record::AddressType;

const GOOD: &str =
    "version = 1\nseed = 7\n[[rule]]\nwhen = { event = \"submit\", nth = 3 }\nlose = { access = \"read\" }\n";

#[test]
fn a_plan_is_read_with_its_defaults() {
    let plan = Plan::parse(GOOD).unwrap();
    let [rule] = &plan.rules[..] else {
        panic!("one rule")
    };
    let when = rule.when.as_ref().unwrap();
    assert_eq!(
        (when.event.name(), when.nth, when.device),
        ("submit", Some(3), Some(1))
    );
    let Fault::Lose(lose) = &rule.fault else {
        panic!("a loss")
    };
    assert_eq!(
        (lose.report.address, lose.report.precision),
        (UNMAPPED_ADDRESS, 4096)
    );
    assert_eq!(lose.report.access, Some(AddressType::ReadInvalid));
    assert_eq!(plan.seed, 7);
}

#[test]
fn errors_give_the_place_and_what_was_expected() {
    for (from, to, says) in [
        (
            "version = 1",
            "version = 2",
            "1:11: 2 is not a plan version this driver knows",
        ),
        ("version = 1\n", "", "1:1: missing member `version`"),
        (
            "\"submit\"",
            "\"sumbit\"",
            "4:18: unknown event `sumbit`: expected `submit`",
        ),
        ("\"submit\"", "\"sumbit\"", "did you mean `submit`?"),
        ("\"submit\"", "\"vkQueueSumbit\"", "did you mean `vkQueueSubmit`?"),
        ("nth = 3", "nth = 0", "4:34: `nth`: 0 is not a number from 1"),
        ("nth = 3", "nth = -1", "-1 is not a number from 1"),
        ("nth", "nht", "unknown member `nht` of `when`"),
        (
            "\"read\"",
            "\"reed\"",
            "5:19: unknown access `reed`: expected `none`, `read`",
        ),
        (
            "access = \"read\"",
            "access = \"read\", precision = 3",
            "3 is not a power of two",
        ),
        ("lose", "loose", "5:1: unknown member `loose` of a rule"),
        ("[[rule]]", "[[rule]", "3:"),
        ("[[rule]]", "[rule]", "expected `[[rule]]`"),
        (
            "lose = {",
            "fail = { code = \"timeout\" }\nlose = {",
            "a second fault in one rule",
        ),
        (
            "lose = { access = \"read\" }",
            "fail = \"format_not_supported\"",
            "`vkQueueSubmit` may not return",
        ),
        (
            "lose = { access = \"read\" }",
            "skip = true",
            "`skip` needs an event of execution",
        ),
        ("nth = 3", "after_rule = \"x\"", "no rule is named `x`"),
        ("nth = 3", "heap = 1", "`heap` is for allocations"),
        ("lose = { access = \"read\" }", "", "a rule without a fault"),
        (
            "lose = { access = \"read\" }",
            "lose = { }",
            "missing member `access` of `lose`",
        ),
    ] {
        let error = Plan::parse(&GOOD.replacen(from, to, 1)).unwrap_err().to_string();
        assert!(error.contains(says), "{from} -> {to}: {error}");
    }
}

#[test]
fn one_line_says_the_same() {
    let file = Plan::parse(GOOD).unwrap();
    let line = Plan::parse_line("lose@submit#3 read; seed=7").unwrap();
    assert_eq!((&line.rules, line.seed), (&file.rules, 7));
    let two = Plan::parse_line(
        "fail@allocate every=2 times=3 out_of_device_memory min_size=0x1000 ; name=late swapchain@acquire#5 out_of_date",
    );
    let error = two.unwrap_err().to_string();
    assert!(error.contains("unknown fault `name`"), "{error}");
    let two =
        Plan::parse_line("masked@draw label=\"main pass/shadow\" write; hide extension=VK_KHR_maintenance3")
            .unwrap();
    assert_eq!(two.rules.len(), 2);
    assert_eq!(two.hidden().extensions, ["VK_KHR_maintenance3"]);
    for (line, says) in [
        ("", "1:1: no rule"),
        ("lose", "missing member `when`"),
        ("lose@", "1:6: expected an event"),
        ("lose@submit#", "expected a number"),
        ("lose@submit#x read", "\"x\" is not a number from 1"),
        ("lose@submit#3 raed", "did you mean `read`?"),
        ("lose@submit#3 read naem=x", "did you mean `name`?"),
        ("lsoe@submit", "did you mean `lose`?"),
        ("lose@submit \"read", "not closed"),
        ("lose@submit precision = ;", "expected a value behind `=`"),
        ("skip@draw now", "takes only MEMBER=VALUE"),
        ("fail@vkCmdDraw out_of_date", "records a command"),
        ("fail@vkDestroyDevice device_lost", "returns nothing"),
        ("swapchain@submit out_of_date", "expected `present`, `acquire`"),
    ] {
        let error = Plan::parse_line(line).unwrap_err().to_string();
        assert!(error.contains(says), "{line}: {error}");
    }
}

/// A recipe that is no good would be found by whoever needs it.
#[test]
fn the_books_recipes_are_plans() {
    let book = include_str!("../../../docs/recipes.md");
    let rows = book
        .lines()
        .filter(|line| line.starts_with("| ") && line.contains('@'));
    let mut count = 0;
    for row in rows {
        let rule = row.split('`').nth(1).unwrap_or_else(|| panic!("{row}"));
        Plan::parse_line(rule).unwrap_or_else(|error| panic!("{rule}: {error}"));
        count += 1;
    }
    assert!(count > 20, "{count}");
}

#[test]
fn any_text_is_read_without_harm() {
    let mut state = 1u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) as usize
    };
    let line = "lose@submit#3 read addr=0x10; corrupt@draw label=\"a/*\" target=b flips=3; seed=4";
    for round in 0..10_000 {
        let mut bytes = if round % 2 == 0 { GOOD } else { line }.as_bytes().to_vec();
        for _ in 0..=next() % 5 {
            let at = next() % bytes.len();
            match next() % 3 {
                0 => bytes[at] = next() as u8,
                1 if bytes.len() > 1 => drop(bytes.remove(at)),
                _ => bytes.truncate(at.max(1)),
            }
        }
        let text = String::from_utf8_lossy(&bytes);
        let read = if round % 2 == 0 {
            Plan::parse(&text)
        } else {
            Plan::parse_line(&text)
        };
        if let Err(error) = read {
            assert!(error.line > 0 && error.column > 0 && !error.message.is_empty());
        }
    }
}

/// A value of the kind that is right, and some that are not.
fn wrong_values(kind: tables::Kind) -> Vec<&'static str> {
    use tables::Kind;
    match kind {
        Kind::Number(from, to) => {
            let mut values = vec!["\"many\"", "-1", "1.5", "true", "[1]", "{ a = 1 }"];
            if from > 0 {
                values.push("0");
            }
            if to < u64::MAX {
                values.push("99999999999");
            }
            values
        }
        Kind::PowerOfTwo => vec!["3", "0", "\"4096\"", "-2"],
        Kind::Chance => vec!["0", "2", "1.5", "-0.5", "\"often\""],
        Kind::Flag => vec!["1", "\"yes\"", "\"true\""],
        Kind::Text | Kind::Pattern | Kind::Hash => vec!["1", "true", "[\"a\"]"],
        Kind::Word(_) => vec!["\"nonsense\"", "1", "\"\""],
        Kind::Code => vec!["\"out_of_cheese\"", "-2", "\"success\""],
        Kind::Device => vec!["0", "\"all\"", "-1"],
        Kind::List => vec!["1", "[1]", "[\"a\", 2]", "true"],
    }
}

/// Every member of the tables with values that are wrong for it, misspelt words, and broken syntax: each must be told
/// with its place.
#[test]
fn hundreds_of_malformed_plans_are_told_with_their_places() {
    let mut corpus: Vec<(String, usize, usize)> = Vec::new();
    let mut add = |before: &str, wrong: &str, after: &str| {
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        corpus.push((format!("{before}{wrong}{after}"), line, column));
    };
    let head = "version = 1\n\n[[rule]]\nname = \"r\"\n";
    for member in tables::WHEN {
        for wrong in wrong_values(member.kind) {
            if member.name == "event" {
                continue;
            }
            let before = format!("{head}when = {{ event = \"allocate\", {} = ", member.name);
            add(&before, wrong, " }\nlose = \"read\"\n");
        }
        let misspelt = format!("x{}", member.name);
        add(
            &format!("{head}when = {{ event = \"submit\", "),
            &misspelt,
            " = 1 }\nlose = \"read\"\n",
        );
    }
    for row in tables::FAULTS {
        for member in row.members {
            for wrong in wrong_values(member.kind) {
                let before = format!("{head}{} = {{ {} = ", row.name, member.name);
                // Where the fault needs an event the value comes first all the same, if that event fits.
                let event = match row.place {
                    tables::Place::Start => String::new(),
                    tables::Place::Execution => "when = { event = \"draw\" }\n".to_owned(),
                    tables::Place::Commands(names) => format!("when = {{ event = \"{}\" }}\n", names[0]),
                    _ => "when = { event = \"submit\" }\n".to_owned(),
                };
                add(&before, wrong, &format!(" }}\n{event}"));
            }
        }
        add(head, &format!("{}s", row.name), " = true\n");
        let event = format!("\"{}\"", row.name);
        add(
            &format!("{head}when = {{ event = "),
            &event,
            " }\nlose = \"read\"\n",
        );
    }
    assert!(corpus.len() > 300, "{}", corpus.len());
    for (text, line, column) in &corpus {
        let error = Plan::parse(text).expect_err(text);
        assert!(!error.message.is_empty());
        assert_eq!(error.line, *line, "{error}\n{text}");
        // Inside a list it is the item that is wrong.
        assert!(
            error.column >= *column && error.column <= column + 8,
            "{error} ({column})\n{text}"
        );
    }
}
