//! A dump as one HTML page: nothing is loaded from elsewhere, nothing runs, and every text is escaped.

use super::read::Dump;
use super::sections::{
    AddressMap, CauseSection, Environment, HeapSection, MapRange, ObjectTable, PlanSection, ReachedSection,
    RecordSection,
};
use crate::fault::attribution::{
    Attribution, CommandEntry, ObjectRef, Progress, ShaderRef, SubmissionEntry, Timeline,
};
use std::fmt::{Result, Write as _};

const STYLE: &str = include_str!("style.css");

/// Text for HTML: what has a meaning there is escaped, and control characters are replaced.
fn esc(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\t' => out.push(' '),
            c if c.is_control() => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// The page.
#[must_use]
pub fn to_html(dump: &Dump) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = page(&mut out, dump);
    out
}

fn page(out: &mut String, dump: &Dump) -> Result {
    let cause: CauseSection = dump.content(b"CAUS").unwrap_or_default();
    let at: Attribution = dump.content(b"ATTR").unwrap_or_default();
    let application = match &*dump.header.application_name {
        "" => "unnamed application",
        name => name,
    };
    writeln!(
        out,
        "<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\">"
    )?;
    writeln!(
        out,
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
    )?;
    writeln!(out, "<title>Device lost: {}</title>", esc(application))?;
    writeln!(out, "<style>{STYLE}</style></head><body>")?;
    head(out, &cause, &at, application)?;
    writeln!(out, "<main>")?;
    place(out, &cause, &at)?;
    if let Some(shader) = &at.shader {
        shader_panel(out, shader)?;
    }
    what(out, &at)?;
    if let Some(map) = dump.content::<AddressMap>(b"AMAP") {
        address_map(out, &map)?;
    }
    if let Some(timeline) = dump.content::<Timeline>(b"TIME") {
        timeline_panel(out, &timeline)?;
    }
    rest(out, dump)?;
    writeln!(out, "</main></body></html>")
}

fn head(out: &mut String, cause: &CauseSection, at: &Attribution, application: &str) -> Result {
    // The problem first; where it was is a line of its own.
    let (problem, location) = match cause.message.split_once("; in ") {
        Some((problem, location)) => (problem, location),
        None => (&*cause.message, ""),
    };
    let kind = if cause.kind.is_empty() {
        "unknown"
    } else {
        &cause.kind
    };
    writeln!(
        out,
        "<header><div class=\"inner\"><p class=\"over\">Device lost <b>{}</b>",
        esc(kind)
    )?;
    if !at.problem.is_empty() {
        write!(out, " <b>{}</b>", esc(&at.problem))?;
    }
    writeln!(out, "<span>{}</span></p>", esc(application))?;
    writeln!(out, "<h1>{}</h1>", esc(problem))?;
    if !location.is_empty() {
        writeln!(out, "<p class=\"in\">in {}</p>", esc(location))?;
    }
    writeln!(out, "</div></header>")
}

fn section(out: &mut String, title: &str) -> Result {
    writeln!(out, "<section><h2>{}</h2>", esc(title))
}

fn fact(out: &mut String, name: &str, value: &str) -> Result {
    if value.is_empty() {
        return Ok(());
    }
    writeln!(out, "<dt>{}</dt><dd>{}</dd>", esc(name), esc(value))
}

fn named(kind: &str, name: &str) -> String {
    if name.is_empty() {
        kind.to_owned()
    } else {
        format!("{kind} '{name}'")
    }
}

fn place(out: &mut String, cause: &CauseSection, at: &Attribution) -> Result {
    section(out, "Where")?;
    writeln!(out, "<dl>")?;
    let submission = match cause.submit {
        0 => "outside any submission".to_owned(),
        n => n.to_string(),
    };
    fact(out, "Submission", &submission)?;
    if let Some(queue) = &at.queue {
        let text = format!("{} of family {}", queue.index, queue.family);
        fact(out, "Queue", &named(&text, &queue.name))?;
    }
    if let Some(buffer) = &at.command_buffer {
        let level = if buffer.secondary { ", secondary" } else { "" };
        let text = format!(
            "{}, index {} of the submission{level}",
            buffer.title(),
            buffer.index
        );
        fact(out, "Command buffer", &text)?;
    }
    if let Some(command) = &at.command {
        let text = format!(
            "{} (number {} of its name, command {})",
            command.name, command.nth, command.index
        );
        fact(out, "Command", &text)?;
        fact(out, "Parameters", &command.parameters)?;
    }
    fact(out, "Labels", &cause.labels.join(" › "))?;
    fact(out, "Last inserted label", &at.labels.inserted)?;
    if let Some(pipeline) = &at.pipeline {
        let text = format!("{} {} (hash {})", pipeline.kind, pipeline.handle, pipeline.hash);
        let name = match &*pipeline.name {
            "" => String::new(),
            name => format!("'{name}', "),
        };
        fact(out, "Pipeline", &(name + &text))?;
    }
    if let Some(shader) = &at.shader {
        fact(
            out,
            "Shader",
            &format!(
                "{} shader '{}', module {}",
                shader.stage, shader.entry, shader.module
            ),
        )?;
        fact(out, "Invocation", &shader.invocation)?;
        if let Some(offset) = shader.offset {
            fact(
                out,
                "Instruction",
                &format!("byte {offset:#x}: {}", shader.instruction),
            )?;
        }
    }
    writeln!(out, "</dl></section>")
}

fn shader_panel(out: &mut String, shader: &ShaderRef) -> Result {
    if !shader.source.is_empty() {
        section(out, &format!("{}:{}", shader.file, shader.line))?;
        writeln!(out, "<div class=\"code\">")?;
        for line in &shader.source {
            let text = line.text.replace('\t', "    ");
            code_line(out, line.number == shader.line, &line.number.to_string(), &text)?;
        }
        writeln!(out, "</div></section>")?;
    }
    if !shader.variables.is_empty() {
        section(out, "Values of the invocation")?;
        writeln!(out, "<div class=\"scroll\"><table>")?;
        for variable in &shader.variables {
            let (name, value) = (esc(&variable.name), esc(&variable.value));
            writeln!(
                out,
                "<tr><td class=\"mono\">{name}</td><td class=\"mono\">{value}</td></tr>"
            )?;
        }
        writeln!(out, "</table></div></section>")?;
    }
    if !shader.code.is_empty() {
        section(out, "Instructions")?;
        writeln!(out, "<div class=\"code\">")?;
        for line in &shader.code {
            let at = Some(line.offset) == shader.offset;
            code_line(out, at, &format!("{:#x}", line.offset), &line.text)?;
        }
        writeln!(out, "</div></section>")?;
    }
    Ok(())
}

fn code_line(out: &mut String, marked: bool, number: &str, text: &str) -> Result {
    let class = if marked { " class=\"hit\"" } else { "" };
    writeln!(
        out,
        "<div{class}><i>{}</i><code>{}</code></div>",
        esc(number),
        esc(text)
    )
}

fn what(out: &mut String, at: &Attribution) -> Result {
    if at.address.is_empty() {
        return Ok(());
    }
    section(out, &format!("What is at {}", at.address))?;
    if !at.explanation.is_empty() {
        writeln!(out, "<p>{}</p>", esc(&at.explanation))?;
    }
    for binding in &at.bindings {
        let moved = binding
            .dynamic_offset
            .map_or(String::new(), |n| format!(", dynamic offset {n} included"));
        let (title, size) = (esc(&binding.title()), binding.size);
        writeln!(
            out,
            "<p>Bound as <b>{title}</b>: {size} bytes at {}{moved}</p>",
            esc(&binding.address)
        )?;
    }
    if let Some(objects) = &at.objects {
        writeln!(
            out,
            "<div class=\"scroll\"><table><tr><th></th>{OBJECT_HEAD}</tr>"
        )?;
        let rows = objects
            .now
            .iter()
            .map(|object| {
                (
                    if at.problem == "freed" {
                        "still bound"
                    } else {
                        "now"
                    },
                    object,
                )
            })
            .chain(objects.formerly.iter().map(|object| ("formerly", object)))
            .chain(objects.below.iter().map(|object| ("nearest below", object)))
            .chain(objects.above.iter().map(|object| ("nearest above", object)));
        for (when, object) in rows {
            writeln!(
                out,
                "<tr><td class=\"keep\"><b>{when}</b></td>{}</tr>",
                object_cells(object)
            )?;
        }
        writeln!(out, "</table></div>")?;
    }
    writeln!(out, "</section>")
}

const OBJECT_HEAD: &str =
    "<th>Object</th><th>Address</th><th>Bytes</th><th>Since</th><th>Until</th><th></th>";

fn object_cells(object: &ObjectRef) -> String {
    let moment = |submissions| match submissions {
        0 => "the start".to_owned(),
        n => format!("submission {n}"),
    };
    let gone = object.gone_submission.map_or(String::new(), moment);
    format!(
        "<td class=\"keep\">{}</td><td class=\"mono\">{}</td><td class=\"num\">{}</td><td class=\"keep\">{}</td>\
         <td class=\"keep\">{gone}</td><td class=\"small\">{}</td>",
        esc(&object.title()),
        esc(&object.address),
        object.size,
        moment(object.since_submission),
        esc(&object.detail)
    )
}

/// A number in hexadecimal with `0x`.
fn number(text: &str) -> u64 {
    u64::from_str_radix(text.trim_start_matches("0x"), 16).unwrap_or(0)
}

/// What share of a range an offset is, in percent.
fn share(offset: u64, size: u64) -> f64 {
    (offset as f64 / size.max(1) as f64 * 100.0).clamp(0.0, 100.0)
}

fn size_text(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];
    let unit = (bytes.max(1).ilog2() / 10).min(4) as usize;
    let whole = bytes >> (10 * unit);
    if bytes.is_multiple_of(1 << (10 * unit)) {
        format!("{whole} {}", UNITS[unit])
    } else {
        format!(
            "{:.1} {}",
            bytes as f64 / (1_u64 << (10 * unit)) as f64,
            UNITS[unit]
        )
    }
}

fn address_map(out: &mut String, map: &AddressMap) -> Result {
    section(out, "Addresses around it")?;
    writeln!(
        out,
        "<p class=\"note\">Lowest first; within a range to scale. The mark is where the fault was.</p>"
    )?;
    writeln!(out, "<div class=\"map\">")?;
    for range in &map.ranges {
        map_range(out, range, &map.address)?;
    }
    writeln!(out, "</div></section>")
}

fn map_range(out: &mut String, range: &MapRange, address: &str) -> Result {
    let state = match &*range.state {
        "live" => "live",
        "freed" => "freed",
        _ => "none",
    };
    let hit = if range.fault { " hit" } else { "" };
    let base = number(&range.address);
    writeln!(
        out,
        "<div class=\"range {state}{hit}\"><i>{}</i><div class=\"bar\">",
        esc(&range.address)
    )?;
    writeln!(
        out,
        "<span>{} <em>{}</em></span>",
        esc(&range.title),
        size_text(range.size)
    )?;
    for resource in &range.resources {
        let left = share(number(&resource.address).saturating_sub(base), range.size);
        let width = share(resource.size, range.size).min(100.0 - left);
        let gone = match (&*resource.state, state) {
            ("live", "live") => "",
            // Bound to memory that is no more.
            ("live", _) => " dangling",
            _ => " gone",
        };
        let what = if gone == " dangling" {
            ", its memory freed"
        } else {
            ""
        };
        let (title, size) = (esc(&resource.title), size_text(resource.size));
        writeln!(
            out,
            "<div class=\"lane\"><div class=\"resource{gone}\" style=\"margin-left:{left:.2}%;width:{width:.2}%\" \
             title=\"{title}, {size}\">{title}{what}</div></div>"
        )?;
    }
    if range.fault {
        let at = share(number(address).saturating_sub(base), range.size);
        writeln!(out, "<div class=\"mark\" style=\"left:{at:.2}%\"></div>")?;
    }
    writeln!(out, "</div>")?;
    if range.fault {
        writeln!(out, "<b>{}</b>", esc(address))?;
    }
    writeln!(out, "</div>")
}

fn state_class(state: Progress) -> &'static str {
    match state {
        Progress::Done => "done",
        Progress::InProgress => "now",
        Progress::NotStarted => "later",
        Progress::Waiting => "waiting",
    }
}

fn timeline_panel(out: &mut String, timeline: &Timeline) -> Result {
    section(out, "Timeline")?;
    writeln!(
        out,
        "<p class=\"note\"><span class=\"chip done\">done</span> <span class=\"chip now\">in progress</span> \
         <span class=\"chip later\">not started</span> <span class=\"chip waiting\">waiting</span></p>"
    )?;
    writeln!(out, "<ol class=\"time\">")?;
    let (earlier, listed) = timeline.folded();
    if timeline.left_out > 0 || !earlier.is_empty() {
        let count = timeline.left_out.saturating_add(earlier.len() as u64);
        writeln!(
            out,
            "<li class=\"done\"><details><summary>{count} earlier, all done</summary><ol class=\"time\">"
        )?;
        for submission in earlier {
            submission_item(out, submission)?;
        }
        writeln!(out, "</ol></details></li>")?;
    }
    for submission in listed {
        submission_item(out, submission)?;
    }
    writeln!(out, "</ol></section>")
}

fn submission_item(out: &mut String, submission: &SubmissionEntry) -> Result {
    let queue = &submission.queue;
    let place = named(&format!("queue {}.{}", queue.family, queue.index), &queue.name);
    let labels = match submission.labels.is_empty() {
        true => String::new(),
        false => format!(" · {}", submission.labels.join(" › ")),
    };
    let buffers: Vec<String> = submission
        .command_buffers
        .iter()
        .map(|buffer| format!("{} ({} commands)", buffer.buffer.title(), buffer.commands))
        .collect();
    writeln!(
        out,
        "<li class=\"{}\"><p><b>Submission {}</b> · {}{} <span>{}</span></p>",
        state_class(submission.state),
        submission.serial,
        esc(&place),
        esc(&labels),
        esc(&buffers.join(", "))
    )?;
    if !submission.commands.is_empty() {
        commands(out, submission)?;
    }
    writeln!(out, "</li>")
}

fn commands(out: &mut String, submission: &SubmissionEntry) -> Result {
    writeln!(out, "<div class=\"strip\">")?;
    for command in &submission.commands {
        let (class, name) = (state_class(command.state), esc(&command.name));
        writeln!(
            out,
            "<u class=\"{class}\" title=\"{}: {name}\"></u>",
            command.position
        )?;
    }
    writeln!(out, "</div>")?;
    for buffer in &submission.command_buffers {
        let own = |command: &&CommandEntry| command.buffer == buffer.buffer.index;
        let all: Vec<&CommandEntry> = submission.commands.iter().filter(own).collect();
        let class = state_class(buffer.state);
        let title = esc(&buffer.buffer.title());
        let open = if buffer.state == Progress::InProgress {
            " open"
        } else {
            ""
        };
        writeln!(
            out,
            "<details{open}><summary><span class=\"chip {class}\">{title}</span></summary><div class=\"commands\">"
        )?;
        for command in all {
            command_line(out, command)?;
        }
        writeln!(out, "</div></details>")?;
    }
    Ok(())
}

fn command_line(out: &mut String, command: &CommandEntry) -> Result {
    let quiet = ["vkCmdBind", "vkCmdSet", "vkCmdPush", "vkCmdEndDebug"]
        .iter()
        .any(|start| command.name.starts_with(start));
    let quiet = if quiet { " quiet" } else { "" };
    writeln!(
        out,
        "<div class=\"{}{quiet}\"><i>{}</i><span style=\"padding-left:{}em\">{} <em>{}</em></span></div>",
        state_class(command.state),
        command.position,
        command.depth.min(16),
        esc(&command.name),
        esc(&command.parameters)
    )
}

fn rest(out: &mut String, dump: &Dump) -> Result {
    if let Some(records) = dump.content::<Vec<RecordSection>>(b"RECS") {
        records_panel(out, &records)?;
    }
    if let Some(reached) = dump.content::<Vec<ReachedSection>>(b"MARK") {
        reached_panel(out, &reached)?;
    }
    if let Some(heaps) = dump.content::<Vec<HeapSection>>(b"HEAP") {
        section(out, "Memory of the device")?;
        for heap in &heaps {
            let (used, size) = (size_text(heap.used), size_text(heap.size));
            writeln!(
                out,
                "<p>Heap {}: {used} of {size} in {} allocations</p>",
                heap.heap, heap.allocations
            )?;
            let full = share(heap.used, heap.size);
            writeln!(
                out,
                "<div class=\"gauge\"><div style=\"width:{full:.2}%\"></div></div>"
            )?;
        }
        writeln!(out, "</section>")?;
    }
    if let Some(table) = dump.content::<ObjectTable>(b"OBJS") {
        section(out, "Objects")?;
        let left_out = match table.left_out {
            0 => String::new(),
            n => format!(", {n} more forgotten"),
        };
        writeln!(
            out,
            "<details><summary>{} objects{left_out}</summary>",
            table.objects.len()
        )?;
        writeln!(out, "<div class=\"scroll\"><table><tr>{OBJECT_HEAD}</tr>")?;
        for object in &table.objects {
            writeln!(out, "<tr>{}</tr>", object_cells(object))?;
        }
        writeln!(out, "</table></div></details></section>")?;
    }
    if let Some(plan) = dump.content::<PlanSection>(b"PLAN") {
        section(out, &format!("Fault plan (seed {})", plan.seed))?;
        writeln!(out, "<div class=\"code\">")?;
        for (number, line) in plan.text.lines().enumerate() {
            code_line(out, false, &(number + 1).to_string(), line)?;
        }
        writeln!(out, "</div></section>")?;
    }
    identity(out, dump)
}

fn reached_panel(out: &mut String, reached: &[ReachedSection]) -> Result {
    section(out, "Last passed before the fault")?;
    writeln!(
        out,
        "<div class=\"scroll\"><table><tr><th>Queue</th><th>What</th><th>Submission</th><th>Command</th></tr>"
    )?;
    for step in reached {
        let queue = named(
            &format!("{}.{}", step.queue.family, step.queue.index),
            &step.queue.name,
        );
        writeln!(
            out,
            "<tr><td class=\"keep\">{}</td><td class=\"mono\">{}</td><td class=\"num\">{}</td><td class=\"num\">{}</td></tr>",
            esc(&queue),
            esc(&step.title()),
            step.submission,
            step.command
        )?;
    }
    writeln!(out, "</table></div></section>")
}

fn records_panel(out: &mut String, records: &[RecordSection]) -> Result {
    section(out, "Fault records")?;
    writeln!(
        out,
        "<div class=\"scroll\"><table><tr><th>Description</th><th>Address</th><th>Instruction</th></tr>"
    )?;
    for record in records {
        let cell = |address: &Option<super::AddressSection>| {
            address.as_ref().map_or(String::new(), |a| {
                let range = number(&a.precision);
                format!("{} {} (within {})", esc(&a.ty), esc(&a.address), size_text(range))
            })
        };
        let (address, instruction) = (cell(&record.address), cell(&record.instruction));
        let text = esc(&record.description);
        writeln!(
            out,
            "<tr><td>{text}</td><td class=\"mono\">{address}</td><td class=\"mono\">{instruction}</td></tr>"
        )?;
    }
    writeln!(out, "</table></div></section>")
}

fn identity(out: &mut String, dump: &Dump) -> Result {
    let id = &dump.header;
    section(out, "Application and environment")?;
    writeln!(out, "<dl>")?;
    let version = |name: &str, version: u32| match name {
        "" => String::new(),
        name => format!("{name}, version {version}"),
    };
    fact(
        out,
        "Application",
        &version(&id.application_name, id.application_version),
    )?;
    fact(out, "Engine", &version(&id.engine_name, id.engine_version))?;
    let v = id.api_version;
    fact(
        out,
        "Vulkan",
        &format!("{}.{}.{}", v >> 22 & 0x7f, v >> 12 & 0x3ff, v & 0xfff),
    )?;
    let device = format!(
        "vendor {:#x}, device {:#x}, driver {:#x}",
        id.vendor_id, id.device_id, id.driver_version
    );
    fact(out, "Device", &device)?;
    if let Some(env) = dump.content::<Environment>(b"ENVI") {
        let text = format!(
            "{} on {}, {} back end, {} workers",
            env.version, env.host, env.backend, env.workers
        );
        fact(out, "Lahar", &text)?;
    }
    writeln!(out, "</dl>")?;
    for section in dump.sections.iter().filter(|section| !section.intact) {
        writeln!(
            out,
            "<p>Section {} is damaged: its checksum is wrong.</p>",
            esc(&section.name())
        )?;
    }
    if let Some(why) = &dump.truncated {
        writeln!(out, "<p>The dump is cut short: {}.</p>", esc(why))?;
    }
    writeln!(out, "</section>")
}
