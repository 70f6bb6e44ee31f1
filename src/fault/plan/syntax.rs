//! The two ways to write a plan, both read into one tree: TOML, and one line.

use super::error::{At, expected, nearest};
use super::tables::{self, FAULTS, WHEN};
use toml::de::{DeTable, DeValue};

/// A value with the byte where it is written.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) at: usize,
    pub(super) value: Value,
}

/// A value.
#[derive(Clone, Debug)]
pub(super) enum Value {
    Number(i128),
    Float(f64),
    Flag(bool),
    Text(String),
    List(Vec<Node>),
    Table(Vec<Entry>),
    /// A date, or a number that is too large.
    Other,
}

/// A member of a table.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) name: String,
    pub(super) at: usize,
    pub(super) node: Node,
}

impl Value {
    /// As errors name it.
    pub(super) fn what(&self) -> String {
        match self {
            Value::Number(n) => format!("{n}"),
            Value::Float(x) => format!("{x}"),
            Value::Flag(flag) => format!("{flag}"),
            Value::Text(text) => format!("\"{}\"", text.chars().take(60).collect::<String>()),
            Value::List(_) => "a list".to_owned(),
            Value::Table(_) => "a table".to_owned(),
            Value::Other => "this value".to_owned(),
        }
    }
}

/// Reads TOML.
pub(super) fn toml(text: &str) -> Result<Node, At> {
    let table = DeTable::parse(text).map_err(|error| {
        let at = error.span().map_or(text.len(), |span| span.start);
        At::new(at, error.message().to_owned())
    })?;
    Ok(Node {
        at: table.span().start,
        value: from_table(table.get_ref()),
    })
}

fn from_table(table: &DeTable<'_>) -> Value {
    let mut entries: Vec<Entry> = table
        .iter()
        .map(|(key, value)| Entry {
            name: key.get_ref().to_string(),
            at: key.span().start,
            node: Node {
                at: value.span().start,
                value: from_value(value.get_ref()),
            },
        })
        .collect();
    // In the order in which they are written, so that the first error is the one that is reported.
    entries.sort_by_key(|entry| entry.at);
    Value::Table(entries)
}

fn from_value(value: &DeValue<'_>) -> Value {
    match value {
        DeValue::String(text) => Value::Text(text.to_string()),
        DeValue::Integer(number) => {
            i128::from_str_radix(number.as_str(), number.radix()).map_or(Value::Other, Value::Number)
        }
        DeValue::Float(number) => number.as_str().parse().map_or(Value::Other, Value::Float),
        DeValue::Boolean(flag) => Value::Flag(*flag),
        DeValue::Datetime(_) => Value::Other,
        DeValue::Array(items) => Value::List(
            items
                .iter()
                .map(|item| Node {
                    at: item.span().start,
                    value: from_value(item.get_ref()),
                })
                .collect(),
        ),
        DeValue::Table(table) => from_table(table),
    }
}

/// A word of a line.
struct Token {
    at: usize,
    text: String,
    /// Where it was in quotes it is only text.
    quoted: bool,
    /// `=`, `@`, `#`, `;` or `:`, by itself.
    sign: bool,
}

fn tokens(line: &str) -> Result<Vec<Token>, At> {
    let mut tokens = Vec::new();
    let mut chars = line.char_indices().peekable();
    while let Some(&(at, c)) = chars.peek() {
        if c.is_whitespace() {
            chars.next();
        } else if "=@#;".contains(c) {
            chars.next();
            tokens.push(Token {
                at,
                text: c.to_string(),
                quoted: false,
                sign: true,
            });
        } else if c == '"' || c == '\'' {
            chars.next();
            let mut text = String::new();
            let mut closed = false;
            for (_, next) in chars.by_ref() {
                if next == c {
                    closed = true;
                    break;
                }
                text.push(next);
            }
            if !closed {
                return Err(At::new(at, format!("a text that is not closed: expected {c}")));
            }
            tokens.push(Token {
                at,
                text,
                quoted: true,
                sign: false,
            });
        } else {
            let mut text = String::new();
            while let Some(&(_, next)) = chars.peek() {
                if next.is_whitespace() || "=@#;\"'".contains(next) {
                    break;
                }
                text.push(next);
                chars.next();
            }
            tokens.push(Token {
                at,
                text,
                quoted: false,
                sign: false,
            });
        }
    }
    Ok(tokens)
}

fn value_of(token: &Token) -> Node {
    let text = token.text.replace('_', "");
    let number = match text.strip_prefix("0x") {
        Some(digits) => i128::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    };
    let value = match (token.quoted, &*token.text) {
        (true, text) => Value::Text(text.to_owned()),
        (_, "true") => Value::Flag(true),
        (_, "false") => Value::Flag(false),
        (_, plain) => match (number, plain.parse::<f64>()) {
            (Some(number), _) => Value::Number(number),
            (None, Ok(float)) if plain.contains('.') => Value::Float(float),
            _ => Value::Text(plain.to_owned()),
        },
    };
    Node { at: token.at, value }
}

/// Reads one line: rules with `;` between them, each `FAULT@EVENT#N WORD MEMBER=VALUE …`; also `seed=N`.
pub(super) fn line(text: &str) -> Result<Node, At> {
    let tokens = tokens(text)?;
    let mut top = vec![Entry {
        name: "version".to_owned(),
        at: 0,
        node: Node {
            at: 0,
            value: Value::Number(1),
        },
    }];
    let mut rules = Vec::new();
    for part in tokens.split(|token| token.sign && token.text == ";") {
        match part {
            [] => {}
            [name, sign, value] if sign.text == "=" && name.text == "seed" => top.push(Entry {
                name: "seed".to_owned(),
                at: name.at,
                node: value_of(value),
            }),
            _ => rules.push(rule(part, text.len())?),
        }
    }
    if rules.is_empty() {
        return Err(At::new(
            text.len(),
            "no rule: expected FAULT@EVENT, as `lose@submit#3 read`",
        ));
    }
    top.push(Entry {
        name: "rule".to_owned(),
        at: 0,
        node: Node {
            at: 0,
            value: Value::List(rules),
        },
    });
    Ok(Node {
        at: 0,
        value: Value::Table(top),
    })
}

fn entry(name: &str, at: usize, node: Node) -> Entry {
    Entry {
        name: name.to_owned(),
        at,
        node,
    }
}

fn rule(part: &[Token], end: usize) -> Result<Node, At> {
    let (first, rest) = part
        .split_first()
        .ok_or_else(|| At::new(end, "expected a rule"))?;
    let Some(row) = tables::fault(&first.text).filter(|_| !first.sign && !first.quoted) else {
        let names = FAULTS.iter().map(|row| row.name);
        return Err(At::new(
            first.at,
            format!("unknown fault `{}`: {}", first.text, expected(&first.text, names)),
        ));
    };
    let (mut when, mut members, mut outer) = (Vec::new(), Vec::new(), Vec::new());
    let mut rest = rest;
    while let Some((token, after)) = rest.split_first() {
        let next = after.first().filter(|next| !next.sign);
        let after_next = after.get(1..).unwrap_or(&[]);
        let need = |what: &str| At::new(after.first().map_or(end, |t| t.at), format!("expected {what}"));
        match (token.sign, &*token.text) {
            (true, "@") => {
                let event = next.ok_or_else(|| need("an event behind `@`"))?;
                let value = Value::Text(event.text.clone());
                when.push(entry("event", event.at, Node { at: event.at, value }));
                rest = after_next;
            }
            (true, "#") => {
                let number = next.ok_or_else(|| need("a number behind `#`"))?;
                when.push(entry("nth", number.at, value_of(number)));
                rest = after_next;
            }
            (true, sign) => return Err(At::new(token.at, format!("unexpected `{sign}`"))),
            (false, name) if after.first().is_some_and(|next| next.sign && next.text == "=") => {
                let value = after_next.first().filter(|value| !value.sign).ok_or_else(|| {
                    At::new(
                        after_next.first().map_or(end, |t| t.at),
                        "expected a value behind `=`",
                    )
                })?;
                let to = if row.members.iter().any(|member| member.name == name) {
                    &mut members
                } else if WHEN.iter().any(|member| member.name == name) {
                    &mut when
                } else if name == "name" {
                    &mut outer
                } else {
                    return Err(unknown_member(row, name, token.at));
                };
                to.push(entry(name, token.at, value_of(value)));
                rest = after_next.get(1..).unwrap_or(&[]);
            }
            (false, word) => {
                let Some(main) = row.main else {
                    let message = format!("unexpected `{word}`: `{}` takes only MEMBER=VALUE", row.name);
                    return Err(At::new(token.at, message));
                };
                members.push(entry(main, token.at, value_of(token)));
                rest = after;
            }
        }
    }
    let mut all = outer;
    if !when.is_empty() {
        let at = when[0].at;
        all.push(entry(
            "when",
            at,
            Node {
                at,
                value: Value::Table(when),
            },
        ));
    }
    let value = Value::Table(members);
    all.push(entry(row.name, first.at, Node { at: first.at, value }));
    Ok(Node {
        at: first.at,
        value: Value::Table(all),
    })
}

fn unknown_member(row: &tables::FaultRow, name: &str, at: usize) -> At {
    let own = row.members.iter().map(|member| member.name);
    let all: Vec<&str> = std::iter::once("name")
        .chain(own)
        .chain(WHEN.iter().map(|member| member.name))
        .collect();
    let meant = nearest(name, all.iter().copied())
        .map_or(String::new(), |meant| format!("; did you mean `{meant}`?"));
    let list = all.join("`, `");
    At::new(
        at,
        format!("unknown member `{name}`: expected one of `{list}`{meant}"),
    )
}
