//! Prints a dump for people: the cause first, then where, then what, then what surrounds it.

use super::read::Dump;
use super::sections::{
    AddressMap, AddressSection, CauseSection, DeviceSection, Environment, HeapSection, MapRange, ObjectTable,
    PlanSection, ReachedSection, RecordSection,
};
use crate::fault::attribution::{
    Attribution, CommandEntry, ObjectRef, Progress, ShaderRef, SubmissionEntry, Timeline,
};
use std::fmt::{Result, Write as _};

/// Objects that are printed, the latest.
const OBJECTS: usize = 40;
/// Commands printed before and after the one at fault.
const COMMANDS: [usize; 2] = [24, 12];

/// A report that a person understands at once.
#[must_use]
pub fn to_text(dump: &Dump) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write_text(&mut out, dump);
    out
}

fn write_text(out: &mut String, dump: &Dump) -> Result {
    let cause: CauseSection = dump.content(b"CAUS").unwrap_or_default();
    let attribution: Attribution = dump.content(b"ATTR").unwrap_or_default();
    write_cause(out, &cause)?;
    write_where(out, &cause, &attribution)?;
    if let Some(shader) = &attribution.shader {
        write_shader(out, shader)?;
    }
    write_what(out, &attribution)?;
    if let Some(map) = dump.content::<AddressMap>(b"AMAP") {
        write_map(out, &map)?;
    }
    if let Some(timeline) = dump.content::<Timeline>(b"TIME") {
        write_timeline(out, &timeline)?;
    }
    if let Some(reached) = dump.content::<Vec<ReachedSection>>(b"MARK") {
        write_reached(out, &reached)?;
    }
    for (i, record) in dump
        .content::<Vec<RecordSection>>(b"RECS")
        .unwrap_or_default()
        .iter()
        .enumerate()
    {
        write_record(out, i + 1, record)?;
    }
    if let Some(heaps) = dump.content::<Vec<HeapSection>>(b"HEAP") {
        write_heaps(out, &heaps)?;
    }
    if let Some(table) = dump.content::<ObjectTable>(b"OBJS") {
        write_objects(out, &table)?;
    }
    write_identity(out, dump)?;
    write_rest(out, dump)
}

/// Text that cannot break the report's lines, nor do anything to a terminal.
fn clean(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() { '\u{fffd}' } else { c })
        .collect()
}

fn write_cause(out: &mut String, cause: &CauseSection) -> Result {
    let kind = if cause.kind.is_empty() {
        "cause unknown"
    } else {
        &cause.kind
    };
    writeln!(out, "device lost ({}): {}", clean(kind), clean(&cause.message))
}

fn write_where(out: &mut String, cause: &CauseSection, at: &Attribution) -> Result {
    writeln!(out, "\nwhere")?;
    if cause.submit == 0 {
        writeln!(out, "  outside any submission")?;
    } else {
        write!(out, "  submission {}", cause.submit)?;
        if let Some(queue) = &at.queue {
            write!(out, " on queue {} of family {}", queue.index, queue.family)?;
            if !queue.name.is_empty() {
                write!(out, " '{}'", clean(&queue.name))?;
            }
        }
        writeln!(out)?;
    }
    if let Some(buffer) = &at.command_buffer {
        let level = if buffer.secondary { "secondary " } else { "" };
        let (title, index) = (clean(&buffer.title()), buffer.index);
        writeln!(out, "  {level}{title} (index {index} of the submission)")?;
    }
    if let Some(command) = &at.command {
        writeln!(
            out,
            "  command {}: {} (number {} of its name)",
            command.index,
            clean(&command.name),
            command.nth
        )?;
        if !command.parameters.is_empty() {
            writeln!(out, "    {}", clean(&command.parameters))?;
        }
    } else if cause.submit != 0 {
        writeln!(out, "  after {} of its commands", cause.command)?;
    }
    if !cause.labels.is_empty() {
        writeln!(out, "  labels: {}", clean(&cause.labels.join(" / ")))?;
    }
    if !at.labels.inserted.is_empty() {
        writeln!(
            out,
            "  last label inserted before: {}",
            clean(&at.labels.inserted)
        )?;
    }
    if let Some(pipeline) = &at.pipeline {
        let name = if pipeline.name.is_empty() {
            String::new()
        } else {
            format!(" '{}'", clean(&pipeline.name))
        };
        let (kind, handle, hash) = (&pipeline.kind, &pipeline.handle, &pipeline.hash);
        writeln!(
            out,
            "  {} pipeline{name} {} (hash {})",
            clean(kind),
            clean(handle),
            clean(hash)
        )?;
    }
    Ok(())
}

fn write_shader(out: &mut String, shader: &ShaderRef) -> Result {
    writeln!(out, "\nshader")?;
    let (stage, entry) = (clean(&shader.stage), clean(&shader.entry));
    writeln!(
        out,
        "  {stage} shader '{entry}' of module {}",
        clean(&shader.module)
    )?;
    if shader.line != 0 {
        write!(out, "  {}:{}", clean(&shader.file), shader.line)?;
        if shader.column != 0 {
            write!(out, ":{}", shader.column)?;
        }
        writeln!(out)?;
    }
    if !shader.function.is_empty() {
        writeln!(out, "  in function {}", clean(&shader.function))?;
    }
    if !shader.invocation.is_empty() {
        writeln!(out, "  {}", clean(&shader.invocation))?;
    }
    for line in &shader.source {
        let mark = if line.number == shader.line { ">" } else { " " };
        writeln!(
            out,
            "  {mark} {:>4} | {}",
            line.number,
            clean(&line.text.replace('\t', "    "))
        )?;
    }
    if !shader.code.is_empty() {
        writeln!(out, "  instructions (byte offset in the module)")?;
    }
    for line in &shader.code {
        let mark = if Some(line.offset) == shader.offset {
            ">"
        } else {
            " "
        };
        writeln!(out, "  {mark} {:>#6x} | {}", line.offset, clean(&line.text))?;
    }
    if !shader.variables.is_empty() {
        writeln!(out, "  values of the invocation")?;
    }
    for variable in &shader.variables {
        writeln!(out, "    {} = {}", clean(&variable.name), clean(&variable.value))?;
    }
    Ok(())
}

fn write_what(out: &mut String, at: &Attribution) -> Result {
    if at.address.is_empty() {
        return Ok(());
    }
    writeln!(out, "\nwhat is at {}", clean(&at.address))?;
    if !at.explanation.is_empty() {
        writeln!(out, "  {}", clean(&at.explanation))?;
    }
    for binding in &at.bindings {
        write!(out, "  bound as {}", clean(&binding.title()))?;
        write!(out, ": {} bytes at {}", binding.size, clean(&binding.address))?;
        match binding.dynamic_offset {
            Some(offset) => writeln!(out, ", dynamic offset {offset} included")?,
            None => writeln!(out)?,
        }
    }
    let Some(objects) = &at.objects else { return Ok(()) };
    let now = if at.problem == "freed" {
        "still bound there"
    } else {
        "now"
    };
    for object in &objects.now {
        writeln!(out, "  {now}: {}", object_line(object))?;
    }
    for object in &objects.formerly {
        writeln!(out, "  formerly: {}", object_line(object))?;
    }
    if let Some(object) = &objects.below {
        writeln!(out, "  nearest below: {}", object_line(object))?;
    }
    if let Some(object) = &objects.above {
        writeln!(out, "  nearest above: {}", object_line(object))?;
    }
    Ok(())
}

/// An object in one line.
pub(super) fn object_line(object: &ObjectRef) -> String {
    let mut text = format!("{}, {} bytes at {}", object.title(), object.size, object.address);
    if !object.detail.is_empty() {
        text += &format!(", {}", object.detail);
    }
    text += &format!("; since {}", moment(object.since_submission));
    if let Some(gone) = object.gone_submission {
        text += &format!(", until {}", moment(gone));
    }
    clean(&text)
}

/// A time by the submissions before it.
fn moment(submissions: u64) -> String {
    match submissions {
        0 => "before submission 1".to_owned(),
        n => format!("after submission {n}"),
    }
}

fn write_map(out: &mut String, map: &AddressMap) -> Result {
    writeln!(out, "\naddresses around it")?;
    for range in &map.ranges {
        write_range(out, range, &map.address)?;
    }
    Ok(())
}

fn write_range(out: &mut String, range: &MapRange, address: &str) -> Result {
    let mark = if range.fault { ">" } else { " " };
    let state = if range.state == "none" { "" } else { &range.state };
    writeln!(
        out,
        "  {mark} {:>16} {:>12} bytes  {} {}",
        clean(&range.address),
        range.size,
        clean(state),
        clean(&range.title)
    )?;
    if range.fault {
        writeln!(out, "      {} is here", clean(address))?;
    }
    for resource in &range.resources {
        writeln!(
            out,
            "      {:>16} {:>12} bytes  {} {}",
            clean(&resource.address),
            resource.size,
            clean(&resource.state),
            clean(&resource.title)
        )?;
    }
    Ok(())
}

/// The sign of a command's or submission's state.
fn sign(state: Progress) -> &'static str {
    match state {
        Progress::Done => "[x]",
        Progress::InProgress => "[>]",
        Progress::NotStarted => "[ ]",
        Progress::Waiting => "[w]",
    }
}

fn write_timeline(out: &mut String, timeline: &Timeline) -> Result {
    writeln!(
        out,
        "\ntimeline ([x] done, [>] in progress, [ ] not started, [w] waiting)"
    )?;
    let (earlier, listed) = timeline.folded();
    match timeline.left_out.saturating_add(earlier.len() as u64) {
        0 => {}
        1 => writeln!(out, "  [x] 1 earlier submission done")?,
        n => writeln!(out, "  [x] {n} earlier submissions done")?,
    }
    for submission in listed {
        write_submission(out, submission)?;
    }
    Ok(())
}

fn write_reached(out: &mut String, reached: &[ReachedSection]) -> Result {
    writeln!(out, "\nlast passed before the fault")?;
    for step in reached {
        let (queue, title) = (&step.queue, clean(&step.title()));
        write!(out, "  queue {}.{}: {title}", queue.family, queue.index)?;
        writeln!(
            out,
            " (submission {}, after {} of its commands)",
            step.submission, step.command
        )?;
    }
    Ok(())
}

fn write_submission(out: &mut String, submission: &SubmissionEntry) -> Result {
    let queue = &submission.queue;
    write!(
        out,
        "  {} submission {} on queue {}.{}",
        sign(submission.state),
        submission.serial,
        queue.family,
        queue.index
    )?;
    if !submission.labels.is_empty() {
        write!(out, " within {}", clean(&submission.labels.join(" / ")))?;
    }
    writeln!(out)?;
    if submission.state == Progress::Done {
        return Ok(());
    }
    for buffer in &submission.command_buffers {
        let (title, commands) = (clean(&buffer.buffer.title()), buffer.commands);
        writeln!(out, "      {} {title}: {commands} commands", sign(buffer.state))?;
        let own: Vec<&CommandEntry> = submission
            .commands
            .iter()
            .filter(|command| command.buffer == buffer.buffer.index)
            .collect();
        let at = own
            .iter()
            .position(|command| command.state == Progress::InProgress);
        let at = at.unwrap_or(if buffer.state == Progress::Done {
            own.len()
        } else {
            0
        });
        let (from, to) = (
            at.saturating_sub(COMMANDS[0]),
            own.len().min(at + COMMANDS[1] + 1),
        );
        if from > 0 {
            writeln!(out, "          …")?;
        }
        for command in &own[from.min(to)..to] {
            write_command(out, command)?;
        }
        if to < own.len() {
            writeln!(out, "          …")?;
        }
    }
    Ok(())
}

fn write_command(out: &mut String, command: &CommandEntry) -> Result {
    let indent = 2 * (command.depth as usize).min(20);
    write!(
        out,
        "          {} {:indent$}{}",
        sign(command.state),
        "",
        clean(&command.name)
    )?;
    if !command.parameters.is_empty() {
        write!(out, "  {}", clean(&command.parameters))?;
    }
    writeln!(out)
}

fn write_record(out: &mut String, number: usize, record: &RecordSection) -> Result {
    writeln!(out, "\nrecord {number}: {}", clean(&record.description))?;
    let mut address = |what: &str, address: &Option<AddressSection>| match address {
        Some(a) => writeln!(
            out,
            "  {what}: {} at {} (precision {})",
            clean(&a.ty),
            clean(&a.address),
            clean(&a.precision)
        ),
        None => Ok(()),
    };
    address("address", &record.address)?;
    address("instruction", &record.instruction)?;
    writeln!(
        out,
        "  vendor: {} (code {}, data {})",
        clean(&record.vendor_description),
        clean(&record.vendor_code),
        clean(&record.vendor_data)
    )
}

fn write_heaps(out: &mut String, heaps: &[HeapSection]) -> Result {
    writeln!(out, "\nmemory of the device")?;
    for heap in heaps {
        writeln!(
            out,
            "  heap {}: {} of {} bytes in {} allocations",
            heap.heap, heap.used, heap.size, heap.allocations
        )?;
    }
    Ok(())
}

fn write_objects(out: &mut String, table: &ObjectTable) -> Result {
    let hidden = table.objects.len().saturating_sub(OBJECTS);
    let gone = table
        .objects
        .iter()
        .filter(|object| object.gone_submission.is_some())
        .count();
    writeln!(
        out,
        "\nobjects: {} there, {gone} gone{}",
        table.objects.len() - gone,
        match table.left_out {
            0 => String::new(),
            n => format!(", {n} more forgotten"),
        }
    )?;
    for object in &table.objects[hidden..] {
        writeln!(out, "  {}", object_line(object))?;
    }
    if hidden > 0 {
        writeln!(out, "  … and {hidden} before; --json gives all")?;
    }
    Ok(())
}

fn write_identity(out: &mut String, dump: &Dump) -> Result {
    let id = &dump.header;
    let name = |name: &str| {
        if name.is_empty() {
            "(unnamed)".to_owned()
        } else {
            clean(name)
        }
    };
    let application = name(&id.application_name);
    writeln!(
        out,
        "\napplication: {application} version {}",
        id.application_version
    )?;
    writeln!(
        out,
        "engine: {} version {}",
        name(&id.engine_name),
        id.engine_version
    )?;
    let v = id.api_version;
    writeln!(out, "Vulkan {}.{}.{}", v >> 22 & 0x7f, v >> 12 & 0x3ff, v & 0xfff)?;
    if let Some(device) = dump.content::<DeviceSection>(b"DEVI") {
        writeln!(out, "device: number {} of the process", device.generation)?;
    }
    writeln!(
        out,
        "vendor {:#06x}, device {:#06x}, driver version {:#x}",
        id.vendor_id, id.device_id, id.driver_version
    )
}

fn write_rest(out: &mut String, dump: &Dump) -> Result {
    if let Some(plan) = dump.content::<PlanSection>(b"PLAN") {
        writeln!(out, "\nfault plan (seed {})", clean(&plan.seed))?;
        for line in plan.text.lines() {
            writeln!(out, "  | {}", clean(&line.replace('\t', "    ")))?;
        }
    }
    if let Some(env) = dump.content::<Environment>(b"ENVI") {
        writeln!(out, "\nenvironment")?;
        writeln!(
            out,
            "  Lahar {} on {}, {} back end, {} workers",
            clean(&env.version),
            clean(&env.host),
            clean(&env.backend),
            env.workers
        )?;
    }
    for section in dump.sections.iter().filter(|section| !section.intact) {
        let name = section.name();
        writeln!(out, "\nsection {name} is damaged: its checksum is wrong")?;
    }
    if let Some(why) = &dump.truncated {
        writeln!(out, "\nthe dump is cut short: {why}")?;
    }
    Ok(())
}
