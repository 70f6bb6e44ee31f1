//! Attributes a fault: which command of which command buffer, what was bound, where in which shader, what the address
//! means. All of it is derived from the recorded commands when there is a fault, so that running them costs nothing.

use super::list::{BindPoint, Command, CommandList};
use super::named;
use super::state::Bound;
use crate::device::{BufferId, Cause, CauseKind, Device, FaultAddress, Queue, Work, queue_ref};
use crate::exec::{Access, Invocation, Problem, ShaderFault, Stage};
use crate::fault::attribution::{
    Attribution, BindingRef, CommandEntry, CommandRef, Labels, PipelineRef, Progress, ShaderRef, Variable,
};
use crate::fault::{AddressType, Explanation, bytes_text, explain, listing};
use crate::pipeline::StageDesc;
use crate::vk;

/// Commands of the submission that a dump shows before and after the one at fault.
const SHOWN: [u32; 2] = [192, 64];
/// Precision of an instruction's address: clients take it for a range.
const PRECISION: u64 = 4096;

/// A fault of work that was being run.
#[derive(Debug)]
pub struct Fault {
    /// What the device is to be lost for.
    pub cause: Cause,
    /// What is known of the shader.
    pub shader: Option<Box<ShaderFault>>,
    /// The access of a command of its own: how it uses the memory, and how many bytes of it.
    pub access: Option<(&'static str, u64)>,
}

impl Fault {
    /// One of which nothing more is known.
    #[must_use]
    pub fn of(cause: Cause) -> Fault {
        Fault {
            cause,
            shader: None,
            access: None,
        }
    }
}

/// The submission that was being run.
#[derive(Clone, Copy, Debug)]
pub struct Scene<'s> {
    /// Its queue.
    pub queue: &'s Queue,
    /// Its work.
    pub work: &'s [Work],
    /// Labels open on the queue.
    pub labels: &'s [String],
}

/// The command at fault and what surrounds it.
struct Found<'w> {
    /// Index of the primary command buffer in the submission.
    buffer: u32,
    list: &'w CommandList,
    index: usize,
    command: &'w Command,
}

/// Walks the commands of a submission up to one of them.
struct Walker<'w> {
    target: u32,
    position: u32,
    bound: Bound,
    labels: Vec<String>,
    inserted: String,
    found: Option<Found<'w>>,
}

impl<'w> Walker<'w> {
    fn find(work: &'w [Work], target: u32) -> Walker<'w> {
        let mut walker = Walker {
            target,
            position: 0,
            bound: Bound::default(),
            labels: Vec::new(),
            inserted: String::new(),
            found: None,
        };
        for (buffer, list) in lists(work) {
            walker.bound = Bound::default();
            walker.labels.clear();
            walker.inserted.clear();
            if walker.walk(list, buffer) {
                break;
            }
        }
        walker
    }

    fn walk(&mut self, list: &'w CommandList, buffer: u32) -> bool {
        for (index, command) in list.commands.iter().enumerate() {
            if self.position == self.target {
                self.found = Some(Found {
                    buffer,
                    list,
                    index,
                    command,
                });
                return true;
            }
            self.position += 1;
            match command {
                Command::BeginLabel(name) => self.labels.push(name.to_string()),
                Command::EndLabel => drop(self.labels.pop()),
                Command::InsertLabel(name) => self.inserted = name.to_string(),
                Command::Execute(inner) => {
                    if self.walk(inner, buffer) {
                        return true;
                    }
                }
                _ => drop(self.bound.apply(list, command)),
            }
        }
        false
    }
}

/// The command buffers of a submission, with their indices.
fn lists(work: &[Work]) -> impl Iterator<Item = (u32, &CommandList)> {
    let list = |work| match work {
        &Work::Commands(ref list) => Some(&**list),
        _ => None,
    };
    (0..).zip(work.iter().filter_map(list))
}

/// The commands around the one at fault, with how far each has got.
fn entries(work: &[Work], target: u32) -> Vec<CommandEntry> {
    fn walk(list: &CommandList, buffer: u32, target: u32, at: &mut (u32, u32), out: &mut Vec<CommandEntry>) {
        for command in &list.commands {
            let (position, depth) = *at;
            at.0 += 1;
            if matches!(command, Command::EndLabel | Command::EndScope) {
                at.1 = at.1.saturating_sub(1);
            }
            let near =
                position.saturating_add(SHOWN[0]) >= target && position <= target.saturating_add(SHOWN[1]);
            if near {
                out.push(CommandEntry {
                    buffer,
                    position,
                    depth: depth.min(at.1),
                    name: command.name().to_owned(),
                    parameters: command.parameters(),
                    state: match position.cmp(&target) {
                        std::cmp::Ordering::Less => Progress::Done,
                        std::cmp::Ordering::Equal => Progress::InProgress,
                        std::cmp::Ordering::Greater => Progress::NotStarted,
                    },
                });
            }
            match command {
                Command::BeginLabel(_) | Command::BeginScope(_) => at.1 += 1,
                Command::Execute(inner) => {
                    at.1 += 1;
                    walk(inner, buffer, target, at, out);
                    at.1 = at.1.saturating_sub(1);
                }
                _ => {}
            }
        }
    }
    let (mut at, mut out) = ((0, 0), Vec::new());
    for (buffer, list) in lists(work) {
        at.1 = 0;
        walk(list, buffer, target, &mut at, &mut out);
    }
    out
}

/// Completes the cause of a loss with all that it can be attributed to.
#[must_use]
pub fn attribute(device: &Device, scene: Scene<'_>, fault: Fault) -> Cause {
    let Fault {
        mut cause,
        shader,
        access,
    } = fault;
    let shader = shader.as_deref();
    let mut walker = Walker::find(scene.work, cause.position.command);
    let mut out = Attribution {
        submission: cause.position.submit,
        queue: Some(queue_ref(
            scene.queue.desc(),
            scene.queue.handle(),
            device.names(),
        )),
        labels: Labels {
            queue: scene.labels.to_vec(),
            command_buffer: std::mem::take(&mut walker.labels),
            inserted: std::mem::take(&mut walker.inserted),
        },
        commands: entries(scene.work, cause.position.command),
        ..Attribution::default()
    };
    cause.labels = out
        .labels
        .queue
        .iter()
        .chain(&out.labels.command_buffer)
        .cloned()
        .collect();
    if let Some(found) = &walker.found {
        place(&mut out, found, device);
        if let Some(point) = point_of(found.command) {
            let stage = shader.map(|fault| fault.stage);
            let desc = pipeline(&mut out, &walker.bound, point, stage, device);
            if let (Some(fault), Some(desc)) = (shader, desc) {
                shader_ref(&mut out, fault, desc, &mut cause);
            }
        }
    }
    let explanation = address(&mut out, &cause, (shader, access), device);
    if let (Some(found), Some(known)) = (&walker.found, &cause.address) {
        // What is bound does not reach to a masked access.
        let masked = shader.filter(|fault| fault.problem == Problem::Masked);
        let address = masked.and_then(|fault| fault.base).unwrap_or(known.address);
        let texel;
        (out.bindings, texel) = named::bindings(device, &walker.bound, found.list, found.command, address);
        if let (Some(binding), Some(_)) = (out.bindings.first(), masked) {
            out.explanation = masked_text(binding);
        }
        // Which of a descriptor's bytes is read first depends on what reads them: the first stands for all.
        let gone = out.problem != "descriptor";
        let first = out.bindings.first().filter(|_| gone).and_then(named::own_bytes);
        if let (Some(address), Some(known)) = (first, &mut cause.address)
            && shader.is_some()
            && address ^ known.address < PRECISION
        {
            known.address = address;
            out.address = format!("{address:#x}");
            out.size = 0;
        }
        // In how many parts a texel is read depends on what reads it.
        let of_texels = out.bindings.first().is_some_and(named::is_of_texels);
        if shader.is_some() && of_texels {
            out.size = texel.unwrap_or(0);
        }
    }
    if cause.kind == CauseKind::Detected && explanation.is_some() {
        cause.message = problem_text(&out, shader);
    }
    // What a plan says is to be said as it is.
    let free = cause.kind != CauseKind::Planned;
    if let Some(binding) = out.bindings.first().filter(|_| free) {
        cause.message = format!("{} ({})", cause.message, binding.title());
    }
    let location = location_text(&out);
    if !location.is_empty() && free {
        cause.message = format!("{}; in {location}", cause.message);
    }
    cause.attribution = Some(Box::new(out));
    cause
}

fn place(out: &mut Attribution, found: &Found<'_>, device: &Device) {
    let id: BufferId = found.list.id;
    let name = id.name(device.names());
    out.command_buffer = Some(id.reference(found.buffer, name.as_deref()));
    out.command = Some(CommandRef {
        index: u32::try_from(found.index).unwrap_or(u32::MAX),
        name: found.command.name().to_owned(),
        nth: found.list.nth(found.index),
        parameters: found.command.parameters(),
    });
}

/// Where the pipeline of a command is bound, if it uses one.
pub(super) fn point_of(command: &Command) -> Option<BindPoint> {
    match command {
        Command::Draw { .. } | Command::DrawIndexed { .. } | Command::DrawIndirect(_) => {
            Some(BindPoint::Graphics)
        }
        Command::Dispatch { .. } | Command::DispatchIndirect { .. } => Some(BindPoint::Compute),
        _ => None,
    }
}

fn stage_flags(stage: Stage) -> vk::ShaderStageFlags {
    match stage {
        Stage::Vertex => vk::ShaderStageFlags::VERTEX,
        Stage::Fragment => vk::ShaderStageFlags::FRAGMENT,
        Stage::Compute => vk::ShaderStageFlags::COMPUTE,
        Stage::Fixed => vk::ShaderStageFlags::empty(),
    }
}

/// The bound pipeline; the description of the stage at fault.
fn pipeline<'b>(
    out: &mut Attribution,
    bound: &'b Bound,
    point: BindPoint,
    stage: Option<Stage>,
    device: &Device,
) -> Option<&'b StageDesc> {
    let (kind, handle, stages): (_, _, &[StageDesc]) = match point {
        BindPoint::Graphics => {
            let (handle, stages) = bound.graphics_stages()?;
            ("graphics", handle, stages)
        }
        BindPoint::Compute => {
            let pipeline = bound.compute.as_deref()?;
            (
                "compute",
                pipeline.handle(),
                std::slice::from_ref(&pipeline.desc().stage),
            )
        }
    };
    let mut hash = crc32fast::Hasher::new();
    for stage in stages {
        hash.update(bytemuck::cast_slice(&stage.code));
        hash.update(stage.entry.as_bytes());
    }
    let name = device.names().get(vk::ObjectType::PIPELINE.as_raw(), handle);
    out.pipeline = Some(PipelineRef {
        kind: kind.to_owned(),
        name: name.as_deref().unwrap_or_default().to_owned(),
        handle: format!("{handle:#x}"),
        hash: format!("{:#010x}", hash.finalize()),
    });
    let flags = stage_flags(stage?);
    stages.iter().find(|desc| desc.stage == flags)
}

fn shader_ref(out: &mut Attribution, fault: &ShaderFault, desc: &StageDesc, cause: &mut Cause) {
    let mut shader = ShaderRef {
        stage: fault.stage.name().to_owned(),
        entry: desc.entry.clone(),
        module: format!("{:#010x}", listing::module_hash(&desc.code)),
        lane: fault.lane,
        variables: fault
            .variables
            .iter()
            .map(|(name, value)| Variable {
                name: name.clone(),
                value: value.clone(),
            })
            .collect(),
        ..ShaderRef::default()
    };
    if fault.invocation != Invocation::None {
        shader.invocation = fault.invocation.to_string();
    }
    if fault.origin != ShaderFault::NO_ORIGIN {
        listing::locate(&desc.code, fault.origin, &mut shader);
        cause.instruction.get_or_insert(FaultAddress {
            kind: AddressType::InstructionPointerFault as i32,
            address: listing::instruction_address(&desc.code, fault.origin),
            precision: PRECISION,
        });
    }
    out.shader = Some(shader);
}

/// What the address of the fault means.
fn address(
    out: &mut Attribution,
    cause: &Cause,
    (shader, access): (Option<&ShaderFault>, Option<(&'static str, u64)>),
    device: &Device,
) -> Option<Explanation> {
    let info = cause.address?;
    out.address = format!("{:#x}", info.address);
    out.size = access.map_or_else(
        || shader.map_or(0, |fault| u64::from(fault.size)),
        |(_, size)| size,
    );
    out.access = match (shader.map(|fault| fault.access), AddressType::from_raw(info.kind)) {
        (Some(Access::Atomic), _) => "atomic",
        (_, AddressType::WriteInvalid) => "write",
        (_, AddressType::ReadInvalid) => "read",
        (_, other) => other.name(),
    }
    .to_owned();
    let memory = device.memory()?;
    let until = device.submitted_at(cause.position.submit);
    let mut explanation = explain(memory, device.names(), info.address, until);
    if let Some(fault) = shader {
        refine(&mut explanation, fault);
    }
    out.problem = explanation.problem.to_owned();
    out.explanation = explanation.text.clone();
    out.objects = Some(explanation.objects.clone());
    Some(explanation)
}

/// What the shader's fault knows better than the address alone tells.
fn refine(explanation: &mut Explanation, fault: &ShaderFault) {
    match fault.problem {
        Problem::NonCanonical => {
            explanation.problem = "non-canonical";
            explanation.text = "no memory can have this address".to_owned();
        }
        Problem::Misaligned => {
            explanation.problem = "misaligned";
            explanation.text = "not a multiple of its size, as an atomic needs".to_owned();
        }
        // Not what it names is at fault, but the bytes themselves.
        Problem::Descriptor if matches!(explanation.problem, "resource" | "destroyed" | "beyond-buffer") => {
            explanation.problem = "descriptor";
            explanation.text =
                "the bytes there are no descriptor of the type that the shader uses".to_owned();
        }
        Problem::Watched => {
            explanation.problem = "watched";
            explanation.text = "a plan watches it".to_owned();
        }
        Problem::Masked => {
            explanation.problem = "masked";
            explanation.text = "outside of what is bound; robustness masked it".to_owned();
        }
        _ => {}
    }
}

/// What an access that robustness masks is outside of.
fn masked_text(binding: &BindingRef) -> String {
    if named::is_of_texels(binding) {
        return "outside of what is bound; robustness masked it".to_owned();
    }
    let size = bytes_text(binding.size);
    format!("outside of the {size} that are bound; robustness masked it")
}

/// `read of 4 bytes at 0x1000: a null address`.
fn problem_text(out: &Attribution, shader: Option<&ShaderFault>) -> String {
    let what = match &*out.access {
        "atomic" => "atomic access",
        other => other,
    };
    let size = match out.size {
        0 => String::new(),
        size => format!(" of {}", bytes_text(size)),
    };
    // The processor does not tell which address that was.
    if shader.is_some_and(|fault| fault.problem == Problem::NonCanonical && fault.address == 0) {
        return format!("{what}{size} at an address that no memory can have");
    }
    format!("{what}{size} at {}: {}", out.address, out.explanation)
}

/// `1st`, `2nd`, …
fn ordinal(n: u32) -> String {
    let end = match (n % 10, n % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{n}{end}")
}

/// `compute shader 'main' (poke.comp:12), 2nd vkCmdDispatch of command buffer 'frame'`.
fn location_text(out: &Attribution) -> String {
    let mut parts = Vec::new();
    if let Some(shader) = &out.shader {
        let line = match (
            shader.file.rsplit(['/', '\\']).next().unwrap_or_default(),
            shader.line,
        ) {
            (_, 0) => String::new(),
            ("", line) => format!(" (line {line})"),
            (file, line) => format!(" ({file}:{line})"),
        };
        parts.push(format!("{} shader '{}'{line}", shader.stage, shader.entry));
    }
    if let (Some(command), Some(buffer)) = (&out.command, &out.command_buffer) {
        parts.push(format!(
            "{} {} of {}",
            ordinal(command.nth),
            command.name,
            buffer.title()
        ));
    }
    parts.join(", ")
}
