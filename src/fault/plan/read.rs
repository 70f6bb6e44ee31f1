//! From the tree to a plan: every value is checked against the tables.

use super::codes;
use super::error::{At, expected, nearest};
use super::model::{
    Corrupt, Event, Fault, Lose, Pattern, Physical, Plan, Point, Poison, Report, Rule, SwapchainState,
    Target, Touch, When,
};
use super::syntax::{Entry, Node, Value};
use super::tables::{self, Clock, EVENTS, FAULTS, FaultKind, FaultRow, Kind, Member, Place, WHEN};
use crate::fault::record::{AddressType, VendorInfo};
use crate::physical::registry;
use std::collections::BTreeMap;

/// Most rules of a plan.
const MAX_RULES: usize = 10_000;

type Read<T> = Result<T, At>;

/// Checked members of one table.
pub(super) struct Members<'a> {
    at: usize,
    values: BTreeMap<&'static str, &'a Node>,
}

impl<'a> Members<'a> {
    pub(super) fn read(
        entries: &'a [Entry],
        at: usize,
        table: &'static [Member],
        whose: &str,
    ) -> Read<Members<'a>> {
        let mut values = BTreeMap::new();
        for entry in entries {
            let Some(member) = table.iter().find(|member| member.name == entry.name) else {
                let names = table.iter().map(|member| member.name);
                return Err(At::new(
                    entry.at,
                    format!(
                        "unknown member `{}` of {whose}: {}",
                        entry.name,
                        expected(&entry.name, names)
                    ),
                ));
            };
            check(member, &entry.node)?;
            if values.insert(member.name, &entry.node).is_some() {
                return Err(At::new(entry.at, format!("`{}` is given twice", entry.name)));
            }
        }
        Ok(Members { at, values })
    }

    fn has(&self, name: &str) -> bool {
        self.values.contains_key(name)
    }

    pub(super) fn at(&self, name: &str) -> usize {
        self.values.get(name).map_or(self.at, |node| node.at)
    }

    pub(super) fn number(&self, name: &str) -> Option<u64> {
        match self.values.get(name)?.value {
            Value::Number(n) => u64::try_from(n).ok(),
            _ => None,
        }
    }

    pub(super) fn text(&self, name: &str) -> Option<&'a str> {
        match &self.values.get(name)?.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(super) fn flag(&self, name: &str) -> bool {
        matches!(
            self.values.get(name).map(|node| &node.value),
            Some(Value::Flag(true))
        )
    }

    pub(super) fn list(&self, name: &str) -> Vec<(usize, &'a str)> {
        match self.values.get(name).map(|node| (node.at, &node.value)) {
            Some((at, Value::Text(text))) => vec![(at, text)],
            Some((_, Value::List(items))) => items
                .iter()
                .filter_map(|item| match &item.value {
                    Value::Text(text) => Some((item.at, text.as_str())),
                    _ => None,
                })
                .collect(),
            _ => Vec::new(),
        }
    }

    fn pattern(&self, name: &str) -> Option<Pattern> {
        self.text(name).map(Pattern::new)
    }

    /// The word in its list.
    pub(super) fn word(&self, name: &str) -> Option<&'a str> {
        self.text(name)
    }

    pub(super) fn required(&self, name: &str, whose: &str) -> Read<()> {
        if self.has(name) {
            Ok(())
        } else {
            Err(At::new(self.at, format!("missing member `{name}` of {whose}")))
        }
    }
}

/// Whether a value is of the kind that its member asks for.
fn check(member: &Member, node: &Node) -> Read<()> {
    let wrong = |what: &str| {
        Err(At::new(
            node.at,
            format!("`{}`: {} is not {what}", member.name, node.value.what()),
        ))
    };
    match (member.kind, &node.value) {
        (Kind::Number(from, to), Value::Number(n)) => {
            if (i128::from(from)..=i128::from(to)).contains(n) {
                Ok(())
            } else {
                wrong(&format!("a {}", member.kind.name()))
            }
        }
        (Kind::PowerOfTwo, Value::Number(n)) if u64::try_from(*n).is_ok_and(u64::is_power_of_two) => Ok(()),
        (Kind::Chance, Value::Float(p)) if *p > 0.0 && *p <= 1.0 => Ok(()),
        (Kind::Chance, Value::Number(1)) => Ok(()),
        (Kind::Flag, Value::Flag(_)) => Ok(()),
        (Kind::Text | Kind::Pattern | Kind::Hash, Value::Text(text)) if text.len() <= 4096 => Ok(()),
        (Kind::Word(words), Value::Text(text)) => {
            if words.contains(&text.as_str()) {
                Ok(())
            } else {
                let expected = expected(text, words.iter().copied());
                Err(At::new(
                    node.at,
                    format!("unknown {} `{text}`: {expected}", member.name),
                ))
            }
        }
        (Kind::Code, Value::Text(text)) => {
            if codes::code(text).is_some() {
                Ok(())
            } else {
                let words = codes::CODES.iter().map(|row| row.0);
                Err(At::new(
                    node.at,
                    format!("unknown result code `{text}`: {}", expected(text, words)),
                ))
            }
        }
        (Kind::Device, Value::Number(n)) if u64::try_from(*n).is_ok_and(|n| n > 0) => Ok(()),
        (Kind::Device, Value::Text(text)) if text == "any" => Ok(()),
        (Kind::List, Value::Text(_)) => Ok(()),
        (Kind::List, Value::List(items)) => {
            match items.iter().find(|item| !matches!(item.value, Value::Text(_))) {
                None => Ok(()),
                Some(item) => Err(At::new(
                    item.at,
                    format!("`{}`: {} is not a text", member.name, item.value.what()),
                )),
            }
        }
        (kind, _) => wrong(&match kind {
            Kind::Word(words) => expected("", words.iter().copied()),
            Kind::Text | Kind::Pattern | Kind::Hash => "a text of at most 4096 bytes".to_owned(),
            kind => format!("a {}", kind.name()),
        }),
    }
}

pub(super) fn table<'a>(node: &'a Node, what: &str) -> Read<&'a [Entry]> {
    match &node.value {
        Value::Table(entries) => Ok(entries),
        other => Err(At::new(
            node.at,
            format!("{what} is {}: expected a table", other.what()),
        )),
    }
}

/// Reads a plan from its tree.
pub(super) fn plan(root: &Node) -> Read<Plan> {
    let mut plan = Plan::default();
    let mut version = false;
    for entry in table(root, "the plan")? {
        match (&*entry.name, &entry.node.value) {
            ("version", Value::Number(1)) => version = true,
            ("version", other) => {
                let message = format!("{} is not a plan version this driver knows (1)", other.what());
                return Err(At::new(entry.node.at, message));
            }
            ("seed", Value::Number(n)) if u64::try_from(*n).is_ok() => plan.seed = *n as u64,
            ("seed", other) => {
                return Err(At::new(
                    entry.node.at,
                    format!("`seed`: {} is not a number", other.what()),
                ));
            }
            ("rule", Value::List(rules)) => {
                if rules.len() > MAX_RULES {
                    return Err(At::new(entry.node.at, format!("more than {MAX_RULES} rules")));
                }
                plan.rules = rules.iter().map(rule).collect::<Read<_>>()?;
            }
            ("rule", _) => return Err(At::new(entry.at, "`rule` is not a list: expected `[[rule]]`")),
            (name, _) => {
                return Err(At::new(
                    entry.at,
                    format!(
                        "unknown member `{name}` of the plan: {}",
                        expected(name, ["version", "seed", "rule"])
                    ),
                ));
            }
        }
    }
    if !version {
        return Err(At::new(
            0,
            "missing member `version` of the plan: expected `version = 1`",
        ));
    }
    chains(&plan.rules)?;
    Ok(plan)
}

/// `after_rule` must name a rule.
fn chains(rules: &[Rule]) -> Read<()> {
    for rule in rules {
        let Some((name, at)) = rule.when.as_ref().and_then(|when| when.after_rule.as_ref()) else {
            continue;
        };
        let names = rules.iter().filter_map(|rule| rule.name.as_deref());
        if !names.clone().any(|other| other == name) {
            return Err(At::new(
                *at,
                format!("no rule is named `{name}`: {}", expected(name, names)),
            ));
        }
    }
    Ok(())
}

fn rule(node: &Node) -> Read<Rule> {
    let (mut name, mut when_node, mut fault) = (None, None, None);
    for entry in table(node, "a rule")? {
        match (&*entry.name, &entry.node.value) {
            ("name", Value::Text(text)) => name = Some(text.clone()),
            ("name", other) => {
                return Err(At::new(
                    entry.node.at,
                    format!("`name`: {} is not a text", other.what()),
                ));
            }
            ("when", _) => when_node = Some(entry),
            (word, _) => {
                let Some(row) = tables::fault(word) else {
                    let words = ["name", "when"]
                        .into_iter()
                        .chain(FAULTS.iter().map(|row| row.name));
                    return Err(At::new(
                        entry.at,
                        format!("unknown member `{word}` of a rule: {}", expected(word, words)),
                    ));
                };
                if fault.replace((row, entry)).is_some() {
                    return Err(At::new(entry.at, "a second fault in one rule: expected one"));
                }
            }
        }
    }
    let when = when_node.map(|entry| when(&entry.node)).transpose()?;
    let Some((row, entry)) = fault else {
        let words = FAULTS.iter().map(|row| row.name);
        return Err(At::new(
            node.at,
            format!("a rule without a fault: {}", expected("", words)),
        ));
    };
    placed(
        row,
        when.as_ref(),
        when_node.map_or(entry.at, |entry| entry.node.at),
    )?;
    // A value instead of a table gives the main member.
    let short;
    let members = match (&entry.node.value, row.main) {
        (Value::Table(entries), _) => entries.as_slice(),
        (Value::Flag(true), None) => &[],
        (_, Some(main)) => {
            short = [Entry {
                name: main.to_owned(),
                at: entry.node.at,
                node: entry.node.clone(),
            }];
            &short
        }
        (other, None) => {
            let message = format!("`{}`: {} is not a table or `true`", row.name, other.what());
            return Err(At::new(entry.node.at, message));
        }
    };
    let whose = format!("`{}`", row.name);
    let members = Members::read(members, entry.at, row.members, &whose)?;
    let fault = self::fault(row, &members, when.as_ref())?;
    Ok(Rule { name, when, fault })
}

/// Whether the fault can happen at the event.
fn placed(row: &FaultRow, when: Option<&When>, at: usize) -> Read<()> {
    let fits = |event: &Event, names: &[&str]| match event {
        Event::Command(name) => names.contains(name),
        Event::Class(class) if class.clock == Clock::Execution => names.contains(&class.name),
        Event::Class(class) => {
            !class.commands.is_empty() && class.commands.iter().all(|name| names.contains(name))
        }
    };
    match (row.place, when) {
        (Place::Start, None) => Ok(()),
        (Place::Start, Some(_)) => Err(At::new(
            at,
            format!("`{}` holds from the start: it takes no `when`", row.name),
        )),
        (_, None) => Err(At::new(
            at,
            format!("missing member `when` of a rule with `{}`", row.name),
        )),
        (Place::Anywhere, Some(_)) => Ok(()),
        (Place::Calls, Some(when)) if when.event.clock() == Clock::Call => Ok(()),
        (Place::Calls, Some(_)) => Err(At::new(
            at,
            format!(
                "`{}` needs an event of a call: expected `submit`, `allocate`, `vkMapMemory` or the like",
                row.name
            ),
        )),
        (Place::Execution, Some(when)) if when.event.clock() == Clock::Execution => Ok(()),
        (Place::Execution, Some(_)) => Err(At::new(
            at,
            format!(
                "`{}` needs an event of execution: expected `draw`, `dispatch`, `copy` or the like",
                row.name
            ),
        )),
        (Place::Commands(names), Some(when)) if fits(&when.event, names) => Ok(()),
        (Place::Commands(names), Some(_)) => {
            let classes = EVENTS
                .iter()
                .filter(|class| fits(&Event::Class(class), names))
                .map(|class| class.name);
            let commands = names.iter().copied().filter(|name| name.starts_with("vk"));
            let words: Vec<&str> = classes.chain(commands).collect();
            Err(At::new(
                at,
                format!("`{}` cannot happen there: {}", row.name, expected("", words)),
            ))
        }
    }
}

fn event(members: &Members<'_>) -> Read<Event> {
    members.required("event", "`when`")?;
    let word = members.text("event").unwrap_or_default();
    if let Some(row) = tables::event(word) {
        return Ok(Event::Class(row));
    }
    if let Some(name) = codes::canonical(word) {
        if name.starts_with("vkCmd") {
            let message = format!(
                "`{name}` records a command, which cannot fail: expected `draw`, `dispatch`, `copy` or \
                                   `command` for its execution"
            );
            return Err(At::new(members.at("event"), message));
        }
        return Ok(Event::Command(name));
    }
    let classes = EVENTS.iter().map(|row| row.name);
    let message = if word.starts_with("vk") {
        let meant = nearest(word, codes::commands())
            .map_or(String::new(), |meant| format!("; did you mean `{meant}`?"));
        format!("unknown command `{word}`: expected a command of Vulkan{meant}")
    } else {
        format!(
            "unknown event `{word}`: {} (or a command by its name)",
            expected(word, classes)
        )
    };
    Err(At::new(members.at("event"), message))
}

fn when(node: &Node) -> Read<When> {
    let entries = table(node, "`when`")?;
    let members = Members::read(entries, node.at, WHEN, "`when`")?;
    let event = event(&members)?;
    for name in ["min_size", "max_size", "heap", "memory_type"] {
        let allocates = matches!(&event, Event::Class(row) if row.name == "allocate")
            || matches!(event, Event::Command("vkAllocateMemory"));
        if members.has(name) && !allocates {
            return Err(At::new(
                members.at(name),
                format!("`{name}` is for allocations: expected the event `allocate`"),
            ));
        }
    }
    if members.has("object_type") && event.clock() != Clock::Call {
        let message =
            "`object_type` is for calls: expected the event `allocate`, `create`, `vkMapMemory` or the like";
        return Err(At::new(members.at("object_type"), message));
    }
    for name in ["pipeline", "shader", "touches", "touch", "touches_size"] {
        if members.has(name) && event.clock() != Clock::Execution {
            let message = format!(
                "`{name}` is for what is executed: expected the event `draw`, `dispatch`, `copy` or the like"
            );
            return Err(At::new(members.at(name), message));
        }
    }
    let chance = match members.values.get("probability").map(|node| &node.value) {
        Some(Value::Float(p)) => Some(*p),
        Some(_) => Some(1.0),
        None => None,
    };
    let unbounded = members.has("every") || members.has("after") || chance.is_some();
    let nth = members.number("nth").or(if unbounded { None } else { Some(1) });
    Ok(When {
        event,
        nth,
        every: members.number("every"),
        after: members.number("after").unwrap_or(0),
        times: members.number("times"),
        chance,
        device: match members.text("device") {
            Some(_) => None,
            None => Some(members.number("device").unwrap_or(1)),
        },
        queue: members.number("queue"),
        thread: members.number("thread"),
        object: members.pattern("object"),
        object_type: members.word("object_type").and_then(super::objects::of_word),
        label: members.pattern("label"),
        pipeline: members.pattern("pipeline"),
        shader: members.pattern("shader"),
        min_size: members.number("min_size").unwrap_or(0),
        max_size: members.number("max_size").unwrap_or(u64::MAX),
        heap: members.number("heap"),
        memory_type: members.number("memory_type"),
        touch: members.number("touches").map(|first| Touch {
            first,
            last: first.saturating_add(members.number("touches_size").unwrap_or(1) - 1),
            reads: members.word("touch") != Some("write"),
            writes: members.word("touch") != Some("read"),
        }),
        after_rule: members
            .text("after_rule")
            .map(|name| (name.to_owned(), members.at("after_rule"))),
    })
}

fn address_type(word: &str) -> AddressType {
    (0..=6)
        .map(AddressType::from_raw)
        .find(|ty| ty.name() == word)
        .unwrap_or(AddressType::None)
}

/// The record of a fault that has one.
fn report(members: &Members<'_>, whose: &str, access: bool) -> Read<Report> {
    if access {
        members.required("access", whose)?;
    }
    let ty = members.word("access").map_or(AddressType::None, address_type);
    Ok(Report {
        access: (ty != AddressType::None).then_some(ty),
        address: members.number("address").unwrap_or(super::UNMAPPED_ADDRESS),
        precision: members.number("precision").unwrap_or(4096),
        instruction: members.number("instruction"),
        records: members.number("group").unwrap_or(1),
        vendor: members
            .list("vendor")
            .into_iter()
            .map(|(at, text)| vendor(at, text))
            .collect::<Read<_>>()?,
        description: members.text("description").map(str::to_owned),
    })
}

/// `description:code:data`
fn vendor(at: usize, text: &str) -> Read<VendorInfo> {
    let number = |text: &str| match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    };
    let wrong = || At::new(at, format!("`vendor`: \"{text}\" is not `description:code:data`"));
    let (rest, data) = text.rsplit_once(':').ok_or_else(wrong)?;
    let (description, code) = rest.rsplit_once(':').ok_or_else(wrong)?;
    Ok(VendorInfo {
        description: description.chars().take(60).collect(),
        code: number(code.trim()).ok_or_else(wrong)?,
        data: number(data.trim()).ok_or_else(wrong)?,
    })
}

fn point(members: &Members<'_>) -> Point {
    Point {
        after: members.word("point") == Some("after"),
        poisoned: members.word("results") == Some("poisoned"),
    }
}

fn target(members: &Members<'_>) -> Target {
    Target {
        name: members.pattern("target"),
        offset: members.number("offset").unwrap_or(0),
        size: members.number("size"),
    }
}

fn fault(row: &FaultRow, members: &Members<'_>, when: Option<&When>) -> Read<Fault> {
    let whose = format!("`{}`", row.name);
    let lose = |access| -> Read<Lose> {
        Ok(Lose {
            report: report(members, &whose, access)?,
            point: point(members),
        })
    };
    let needs_target = |when: Option<&When>| {
        let executed = when.is_some_and(|when| when.event.clock() == Clock::Execution);
        if executed {
            Ok(())
        } else {
            members.required("target", &whose)
        }
    };
    Ok(match row.kind {
        FaultKind::Lose => Fault::Lose(lose(true)?),
        FaultKind::Masked => Fault::Masked(lose(true)?),
        FaultKind::Watchdog => Fault::Watchdog(lose(false)?),
        FaultKind::Overflow => Fault::Overflow(members.number("count").unwrap_or(65)),
        FaultKind::Abort => Fault::Abort {
            message: members.text("message").unwrap_or("planned abort").to_owned(),
            point: point(members),
        },
        FaultKind::Physical => Fault::Physical(Physical {
            creations: members.number("creations").unwrap_or(u64::MAX),
            description: members.text("description").map(str::to_owned),
        }),
        FaultKind::Fail => {
            members.required("code", &whose)?;
            let code = members.text("code").and_then(codes::code).unwrap_or(-13);
            legal(code, members, when)?;
            Fault::Fail(code)
        }
        FaultKind::HostAllocation => {
            legal(-1, members, when)?;
            Fault::Fail(-1)
        }
        FaultKind::Budget => {
            members.required("bytes", &whose)?;
            Fault::Budget {
                heap: members.number("heap").unwrap_or(0),
                bytes: members.number("bytes").unwrap_or(0),
            }
        }
        FaultKind::Swapchain => {
            members.required("state", &whose)?;
            Fault::Swapchain(match members.word("state") {
                Some("out_of_date") => SwapchainState::OutOfDate,
                Some("surface_lost") => SwapchainState::SurfaceLost,
                Some("resized") => SwapchainState::Resized([
                    members.number("width").unwrap_or(0) as u32,
                    members.number("height").unwrap_or(0) as u32,
                ]),
                _ => SwapchainState::Suboptimal {
                    once: members.flag("once"),
                },
            })
        }
        FaultKind::Stall => {
            members.required("polls", &whose)?;
            Fault::Stall(members.number("polls").unwrap_or(1))
        }
        FaultKind::Corrupt => {
            needs_target(when)?;
            Fault::Corrupt(Corrupt {
                target: target(members),
                flips: members.number("flips").unwrap_or(1),
                after: point(members).after,
            })
        }
        FaultKind::Skip => Fault::Skip,
        FaultKind::Poison => {
            needs_target(when)?;
            Fault::Poison(Poison {
                target: target(members),
                byte: members.number("byte").unwrap_or(0xa5) as u8,
                after: point(members).after,
            })
        }
        FaultKind::Hide => super::hidden::read(|name| members.list(name)).map(Fault::Hide)?,
        FaultKind::Reorder => Fault::Reorder,
    })
}

/// The code must be one that every command of the event may return.
fn legal(code: i32, members: &Members<'_>, when: Option<&When>) -> Read<()> {
    let Some(when) = when.filter(|_| !members.flag("illegal")) else {
        return Ok(());
    };
    let names: &[&'static str] = match &when.event {
        Event::Command(name) => &[name],
        Event::Class(row) => row.commands,
    };
    // `create` and `call` choose the commands that may return the code.
    for name in names {
        let Some(command) = registry::command(name) else {
            continue;
        };
        if !codes::can_fail(command) {
            return Err(At::new(
                when_at(members),
                format!("`{name}` returns nothing, so it cannot fail"),
            ));
        }
        if !codes::is_legal(command, code) {
            let words = codes::legal(command).filter_map(codes::word);
            let word = codes::word(code).unwrap_or("this code");
            return Err(At::new(
                when_at(members),
                format!(
                    "`{name}` may not return `{word}`: {}, or `illegal = true`",
                    expected(word, words)
                ),
            ));
        }
    }
    Ok(())
}

fn when_at(members: &Members<'_>) -> usize {
    members.at("code")
}
