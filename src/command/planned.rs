//! Planned faults of what is executed.
//!
//! What a plan counts among commands is decided when they are submitted: the commands of a submission are walked once,
//! in their order, and each rule that fires is noted with its command. So what fires does not depend on how queues and
//! workers share the work, and without rules of this kind nothing is walked.

use super::exec::{Done, Executor, Stop};
use super::list::{Bytes, Command, CommandList};
use crate::device::{Names, planned};
use crate::fault::plan::{Decision, Event, Fault, Happening, Pattern, PlanRun, Target, Touch, watch};
use crate::memory::raw;
use crate::pipeline::{GraphicsShader, StageDesc};
use crate::raster::{Attachment, Scope};
use crate::vk;
use std::sync::Arc;

/// A fault at a command of a submission.
#[derive(Clone, Debug)]
pub struct Scheduled {
    /// The command, counted as in [`Position`](crate::device::Position).
    pub command: u32,
    /// What happens.
    pub decision: Decision,
}

/// Walks the command lists of one submission.
pub fn schedule(
    run: &PlanRun,
    names: &Names,
    queue: u64,
    labels: &[String],
    submit: u64,
    lists: impl Iterator<Item = Arc<CommandList>>,
) -> Vec<Scheduled> {
    let mut walk = Walk {
        run,
        names,
        queue,
        labels: labels.to_vec(),
        outer: labels.len(),
        submit,
        graphics: None,
        compute: None,
        buffers: Vec::new(),
        scope: Vec::new(),
        command: 0,
        found: Vec::new(),
    };
    for list in lists {
        walk.list(&list);
        // Nothing that is bound and no label outlives its command buffer.
        walk.labels.truncate(walk.outer);
        (walk.graphics, walk.compute) = (None, None);
        walk.buffers.clear();
    }
    walk.found
}

/// A pipeline as filters see it.
#[derive(Clone)]
struct Pipeline {
    handle: u64,
    stages: Vec<StageDesc>,
}

struct Walk<'a> {
    run: &'a PlanRun,
    names: &'a Names,
    queue: u64,
    labels: Vec<String>,
    outer: usize,
    submit: u64,
    graphics: Option<Pipeline>,
    compute: Option<Pipeline>,
    /// Bound vertex and index buffers, by binding; 256 is the index buffer's.
    buffers: Vec<(u16, Bytes)>,
    /// What the open scope draws to.
    scope: Vec<Bytes>,
    command: u32,
    found: Vec<Scheduled>,
}

/// The class of a command, beside `command`.
fn class(command: &Command) -> Option<&'static str> {
    Some(match command {
        Command::Draw { .. } | Command::DrawIndexed { .. } | Command::DrawIndirect(_) => "draw",
        Command::Dispatch { .. } | Command::DispatchIndirect { .. } => "dispatch",
        Command::CopyBuffer(_)
        | Command::FillBuffer { .. }
        | Command::UpdateBuffer { .. }
        | Command::CopyImage(_)
        | Command::CopyBufferToImage(_)
        | Command::CopyImageToBuffer(_)
        | Command::BlitImage(_)
        | Command::ResolveImage(_)
        | Command::ClearImage(_) => "copy",
        Command::BeginLabel(_) => "label",
        Command::EndLabel => "label_end",
        _ => return None,
    })
}

impl Walk<'_> {
    /// A shader object takes the place of the one of its stage, and of a pipeline.
    fn bind_shader(&mut self, fragment: bool, shader: Option<&GraphicsShader>) {
        let stage = if fragment {
            vk::ShaderStageFlags::FRAGMENT
        } else {
            vk::ShaderStageFlags::VERTEX
        };
        let bound = self.graphics.get_or_insert_with(|| Pipeline {
            handle: 0,
            stages: Vec::new(),
        });
        bound.stages.retain(|desc| desc.stage != stage);
        if let Some(shader) = shader {
            bound.stages.push(shader.desc().clone());
            bound.handle = shader.handle();
        }
    }

    fn list(&mut self, list: &CommandList) {
        for command in &list.commands {
            let at = self.command;
            match command {
                Command::BindGraphics(pipeline) => {
                    self.graphics = Some(Pipeline {
                        handle: pipeline.handle(),
                        stages: pipeline.desc().stages.clone(),
                    });
                }
                Command::BindShader { fragment, shader } => self.bind_shader(*fragment, shader.as_deref()),
                Command::BindCompute(pipeline) => {
                    self.compute = Some(Pipeline {
                        handle: pipeline.handle(),
                        stages: vec![pipeline.desc().stage.clone()],
                    });
                }
                Command::BindVertexBuffer { binding, bytes, .. } => self.bind(u16::from(*binding), *bytes),
                Command::BindIndexBuffer { bytes, .. } => self.bind(256, *bytes),
                Command::BeginScope(scope) => self.scope = scope_writes(scope),
                Command::BeginLabel(name) => self.labels.push(name.to_string()),
                _ => {}
            }
            self.decide(command, at);
            self.command += 1;
            match command {
                Command::EndLabel if self.labels.len() > self.outer => drop(self.labels.pop()),
                Command::EndScope => self.scope.clear(),
                Command::Execute(inner) => self.list(inner),
                _ => {}
            }
        }
    }

    fn bind(&mut self, binding: u16, bytes: Bytes) {
        self.buffers.retain(|(other, _)| *other != binding);
        self.buffers.push((binding, bytes));
    }

    fn decide(&mut self, command: &Command, at: u32) {
        tracing::info!(
            target: "lahar::commands",
            "submission {} command {at}: {} {}",
            self.submit,
            command.name(),
            command.parameters()
        );
        for class in class(command).into_iter().chain(["command"]) {
            watch::executed(self.run.generation(), class);
        }
        let step = Step {
            walk: self,
            command,
            class: class(command),
        };
        if let Some(decision) = self.run.decide(&step) {
            self.found.push(Scheduled {
                command: at,
                decision,
            });
        }
    }
}

/// A command as an event.
struct Step<'a, 'b> {
    walk: &'a Walk<'b>,
    command: &'a Command,
    class: Option<&'static str>,
}

impl Step<'_, '_> {
    fn pipeline(&self) -> Option<&Pipeline> {
        match self.class {
            Some("draw") => self.walk.graphics.as_ref(),
            Some("dispatch") => self.walk.compute.as_ref(),
            _ => None,
        }
    }
}

impl Happening for Step<'_, '_> {
    fn counts(&self, event: Event) -> bool {
        match event {
            Event::Class(row) => row.name == "command" || Some(row.name) == self.class,
            Event::Command(_) => false,
        }
    }

    fn queue(&self) -> Option<u64> {
        Some(self.walk.queue)
    }

    fn has_object(&self, name: &Pattern) -> bool {
        self.has_pipeline(name)
    }

    fn has_label(&self, labels: &Pattern) -> bool {
        let open: Vec<&str> = self.walk.labels.iter().map(String::as_str).collect();
        // Where a label itself is the event, it is the one that is meant.
        match self.class {
            Some("label" | "label_end") => {
                let parts = labels.text().split('/').count();
                open.len() >= parts && labels.fits_labels(&open[open.len() - parts..])
            }
            _ => labels.fits_labels(&open),
        }
    }

    fn has_pipeline(&self, pattern: &Pattern) -> bool {
        self.pipeline().is_some_and(|pipeline| {
            let name = self
                .walk
                .names
                .get(vk::ObjectType::PIPELINE.as_raw(), pipeline.handle);
            name.is_some_and(|name| pattern.fits(&name)) || pattern.is_hash(pipeline_hash(&pipeline.stages))
        })
    }

    fn has_shader(&self, pattern: &Pattern) -> bool {
        self.pipeline().is_some_and(|pipeline| {
            let stages = &pipeline.stages;
            stages
                .iter()
                .any(|stage| pattern.fits(&stage.entry) || pattern.is_hash(shader_hash(stage)))
        })
    }

    fn touches(&self, range: &Touch) -> bool {
        let meets = |bytes: &Bytes| {
            bytes.size > 0
                && bytes.address <= range.last
                && range.first - range.first.min(bytes.address) < bytes.size
        };
        let (mut reads, mut writes) = ranges(self.command);
        if self.class == Some("draw") {
            reads.extend(self.walk.buffers.iter().map(|(_, bytes)| *bytes));
            writes.extend_from_slice(&self.walk.scope);
        }
        range.reads && reads.iter().any(meets) || range.writes && writes.iter().any(meets)
    }
}

/// The hash of a shader: the checksum of its module's words.
#[must_use]
pub fn shader_hash(stage: &StageDesc) -> u64 {
    let mut hash = crc32fast::Hasher::new();
    for word in stage.code.iter() {
        hash.update(&word.to_le_bytes());
    }
    u64::from(hash.finalize())
}

/// The hash of a pipeline: of its shaders' hashes and entry points.
#[must_use]
pub fn pipeline_hash(stages: &[StageDesc]) -> u64 {
    let mut hash = crc32fast::Hasher::new();
    for stage in stages {
        hash.update(&shader_hash(stage).to_le_bytes());
        hash.update(stage.entry.as_bytes());
    }
    u64::from(hash.finalize())
}

fn attachment_bytes(attachment: &Attachment, layers: u32) -> Bytes {
    let last = |count: u32, pitch: u64| u64::from(count.max(1) - 1) * pitch;
    Bytes {
        address: attachment.address,
        size: last(layers, attachment.layer_pitch)
            + last(attachment.samples, attachment.sample_pitch)
            + u64::from(attachment.height) * attachment.row_pitch,
    }
}

/// What a scope draws to: colours, resolve targets, depth, stencil.
fn scope_writes(scope: &Scope) -> Vec<Bytes> {
    let layers = scope.layers.max(32 - scope.view_mask.leading_zeros());
    let targets = scope
        .colors
        .iter()
        .flatten()
        .chain(&scope.depth)
        .chain(&scope.stencil);
    targets
        .flat_map(|target| {
            let resolve = target.resolve.as_ref().map(|(attachment, _)| attachment);
            std::iter::once(&target.attachment).chain(resolve)
        })
        .map(|attachment| attachment_bytes(attachment, layers))
        .collect()
}

/// What a command outside scopes reads and writes, as far as its arguments say.
fn ranges(command: &Command) -> (Vec<Bytes>, Vec<Bytes>) {
    let (mut reads, mut writes) = (Vec::new(), Vec::new());
    let bytes = |address, size| Bytes { address, size };
    match command {
        Command::CopyBuffer(regions) => {
            reads.extend(regions.iter().map(|r| bytes(r.src, r.size)));
            writes.extend(regions.iter().map(|r| bytes(r.dst, r.size)));
        }
        Command::FillBuffer { bytes, .. } => writes.push(*bytes),
        Command::UpdateBuffer { address, data } => writes.push(bytes(*address, u64::from(data.len))),
        Command::CopyImage(regions) => {
            reads.extend(regions.iter().map(|r| r.src.span()));
            writes.extend(regions.iter().map(|r| r.dst.span()));
        }
        Command::CopyBufferToImage(regions) => {
            reads.extend(regions.iter().map(|r| r.buffer.span()));
            writes.extend(regions.iter().map(|r| r.image.span()));
        }
        Command::CopyImageToBuffer(regions) => {
            reads.extend(regions.iter().map(|r| r.image.span()));
            writes.extend(regions.iter().map(|r| r.buffer.span()));
        }
        Command::BlitImage(regions) => {
            reads.extend(regions.iter().map(|r| r.src.whole().span()));
            writes.extend(regions.iter().map(|r| r.dst.whole().span()));
        }
        Command::ResolveImage(regions) => {
            reads.extend(regions.iter().map(|r| r.src.span()));
            writes.extend(regions.iter().map(|r| r.dst.span()));
        }
        Command::ClearImage(ranges) => writes.extend(ranges.iter().map(|r| r.region.span())),
        Command::DrawIndirect(indirect) => {
            reads.push(indirect.params);
        }
        Command::DispatchIndirect { address } => reads.push(bytes(*address, 12)),
        Command::CopyQueryResults(copy) => writes.push(copy.dst),
        Command::BeginScope(scope) => writes.extend(scope_writes(scope)),
        _ => {}
    }
    (reads, writes)
}

/// The byte that what a fault left undefined is filled with.
const POISON: u8 = 0xa5;

impl Executor<'_> {
    /// What is planned at the current command, before it or after it. True when the command is to be left out.
    pub(super) fn planned(&mut self, command: &Command, after: bool) -> Result<bool, Stop> {
        let at = self.position.command;
        let here =
            |planned: &&Scheduled| planned.command == at && planned.decision.fault().is_after() == after;
        let Some(planned) = self.planned.iter().find(here) else {
            return Ok(false);
        };
        let decision = planned.decision.clone();
        // What came before is done: that it is, is what the point means.
        self.flush()?;
        let mut writes = ranges(command).1;
        if writes.is_empty() {
            writes.clone_from(&self.scope);
        }
        match decision.fault() {
            Fault::Skip => return Ok(true),
            Fault::Corrupt(corrupt) => {
                self.corrupt(&corrupt.target, corrupt.flips, decision.random, &writes)?;
            }
            Fault::Poison(poison) => {
                for range in self.targets(&poison.target, &writes) {
                    self.poison(range, poison.byte)?;
                }
            }
            Fault::Lose(lose) | Fault::Watchdog(lose) | Fault::Masked(lose) if lose.point.poisoned => {
                self.poison_all(&writes)?;
            }
            Fault::Abort { point, .. } if point.poisoned => self.poison_all(&writes)?,
            _ => {}
        }
        match self.device.planned_at(&decision, *self.position) {
            Some(cause) => Err(Stop::Planned(Box::new(cause))),
            None => Ok(false),
        }
    }

    /// What chooses another order for what the current command does, if that is planned.
    pub(super) fn reordered(&self) -> Option<u64> {
        let here = |planned: &&Scheduled| planned.command == self.position.command;
        let planned = self.planned.iter().find(here)?;
        matches!(planned.decision.fault(), Fault::Reorder).then_some(planned.decision.random)
    }

    /// Keeps what the scope draws to, for plans.
    pub(super) fn note_scope(&mut self, scope: Option<&Scope>) {
        if !self.planned.is_empty() {
            self.scope = scope.map(scope_writes).unwrap_or_default();
        }
    }

    fn poison_all(&mut self, ranges: &[Bytes]) -> Done {
        ranges.iter().try_for_each(|range| self.poison(*range, POISON))
    }

    fn poison(&mut self, range: Bytes, byte: u8) -> Done {
        self.write(range.address, range.size)?;
        raw::fill(range.address, byte, usize::try_from(range.size).unwrap_or(0));
        Ok(())
    }

    /// The ranges that a target means.
    fn targets(&self, target: &Target, writes: &[Bytes]) -> Vec<Bytes> {
        let whole = match &target.name {
            Some(name) => self.device.named_range(name).into_iter().collect(),
            None => writes.to_vec(),
        };
        planned::part(&whole, target)
    }

    fn corrupt(&mut self, target: &Target, flips: u64, random: u64, writes: &[Bytes]) -> Done {
        for (address, bit) in planned::bits(&self.targets(target, writes), flips, random) {
            self.write(address, 1)?;
            planned::flip(address, bit);
        }
        Ok(())
    }
}
