//! What differs between two dumps, value by value.

use super::read::Dump;
use serde_json::Value;
use std::fmt::Write as _;

/// Differences that are listed.
const MOST: usize = 200;
/// Characters of a value that are shown.
const CHARS: usize = 120;
/// The section that says where a dump was made, and may differ.
const PLACE: [u8; 4] = *b"ENVI";

/// Says what differs: one line a value, `section path: first -> second`. Where they were made does not count.
#[must_use]
pub fn to_diff(first: &Dump, second: &Dump) -> String {
    let mut found = Vec::new();
    if first.header != second.header {
        found.push("header: names or versions differ".to_owned());
    }
    let tags = first
        .sections
        .iter()
        .chain(&second.sections)
        .map(|section| section.tag);
    let mut seen = Vec::new();
    for tag in tags {
        if tag == PLACE || seen.contains(&tag) {
            continue;
        }
        seen.push(tag);
        let value = |dump: &Dump| {
            let payload = dump.section(&tag).map(|section| &section.payload);
            payload.map_or(Value::Null, |payload| {
                serde_json::from_slice(payload).unwrap_or_default()
            })
        };
        let name: String = tag
            .iter()
            .map(|&c| char::from(c))
            .filter(char::is_ascii_graphic)
            .collect();
        compare(&name, &value(first), &value(second), &mut found);
    }
    let mut out = String::new();
    for line in found.iter().take(MOST) {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "{line}");
    }
    let _ = match found.len() {
        0 => writeln!(out, "no difference"),
        n if n > MOST => writeln!(out, "… and {} more differences", n - MOST),
        n => writeln!(out, "{n} difference(s)"),
    };
    out
}

fn compare(path: &str, a: &Value, b: &Value, found: &mut Vec<String>) {
    match (a, b) {
        (Value::Object(one), Value::Object(other)) => {
            let mut keys: Vec<&String> = one.keys().chain(other.keys()).collect();
            keys.sort_unstable();
            keys.dedup();
            for key in keys {
                let of = |map: &serde_json::Map<String, Value>| map.get(key).cloned().unwrap_or_default();
                compare(&format!("{path}.{key}"), &of(one), &of(other), found);
            }
        }
        (Value::Array(one), Value::Array(other)) => {
            for i in 0..one.len().max(other.len()) {
                let of = |list: &[Value]| list.get(i).cloned().unwrap_or_default();
                compare(&format!("{path}[{i}]"), &of(one), &of(other), found);
            }
        }
        _ if a == b => {}
        _ => found.push(format!("{path}: {} -> {}", short(a), short(b))),
    }
}

fn short(value: &Value) -> String {
    let text = match value {
        Value::Null => "absent".to_owned(),
        Value::String(text) => text
            .chars()
            .map(|c| if c.is_control() { ' ' } else { c })
            .collect(),
        other => other.to_string(),
    };
    match text.char_indices().nth(CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
