//! What a fault is attributed to: plain data, as it goes into a crash dump.
//!
//! Addresses and other 64-bit numbers are strings in hexadecimal, since JSON's numbers do not hold them. Every member is
//! optional: what is not known is empty.

use serde::{Deserialize, Serialize};

/// An object and its name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ObjectRef {
    /// `VkBuffer`, `VkImage`, `VkDeviceMemory`, …
    pub kind: String,
    /// Its name (debug utils), or empty.
    pub name: String,
    /// Its handle in hexadecimal, or empty where the handle is no number that lasts.
    pub handle: String,
    /// First address.
    pub address: String,
    /// Bytes.
    pub size: u64,
    /// What it is: usage, format, extent, heap.
    pub detail: String,
    /// It came after this many submissions …
    pub since_submission: u64,
    /// … and this many events of the device.
    pub since_event: u64,
    /// It went after this many submissions; absent while it is there.
    pub gone_submission: Option<u64>,
    /// The event at which it went.
    pub gone_event: Option<u64>,
}

impl ObjectRef {
    /// For people: kind and name, or handle.
    #[must_use]
    pub fn title(&self) -> String {
        let kind = match &*self.kind {
            "VkDeviceMemory" => "memory",
            "VkBuffer" => "buffer",
            "VkImage" => "image",
            other => other,
        };
        if self.name.is_empty() {
            format!("{kind} {}", self.handle)
        } else {
            format!("{kind} '{}'", self.name)
        }
    }
}

/// The objects at and around an address.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ObjectsAt {
    /// There when the work was submitted, or still.
    pub now: Vec<ObjectRef>,
    /// There before; what went last comes first.
    pub formerly: Vec<ObjectRef>,
    /// The allocation that ends nearest below.
    pub below: Option<ObjectRef>,
    /// The allocation that begins nearest above.
    pub above: Option<ObjectRef>,
}

/// A queue.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct QueueRef {
    /// Family.
    pub family: u32,
    /// Index within the family.
    pub index: u32,
    /// Its name, or empty.
    pub name: String,
}

/// A command buffer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CommandBufferRef {
    /// Index in the submission; of a secondary one, that of the primary.
    pub index: u32,
    /// Which command buffer of the device, in the order of allocation, from 1.
    pub number: u64,
    /// Its name, or empty.
    pub name: String,
    /// Whether it is a secondary one.
    pub secondary: bool,
}

impl CommandBufferRef {
    /// For people.
    #[must_use]
    pub fn title(&self) -> String {
        if self.name.is_empty() {
            format!("command buffer {}", self.number)
        } else {
            format!("command buffer '{}'", self.name)
        }
    }
}

/// A command.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CommandRef {
    /// Commands recorded in its command buffer before it. Barriers outside of render passes are not recorded; a call
    /// that binds several things is recorded as several.
    pub index: u32,
    /// Its name: `vkCmdDraw`, …
    pub name: String,
    /// Which of the commands of this name in its command buffer, from 1.
    pub nth: u32,
    /// Its parameters, for people.
    pub parameters: String,
}

/// Debug labels around a command.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Labels {
    /// Open on the queue at the submission, outermost first.
    pub queue: Vec<String>,
    /// Open in the command buffers, outermost first.
    pub command_buffer: Vec<String>,
    /// The last one inserted before the command in its command buffer, or empty.
    pub inserted: String,
}

/// A pipeline.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PipelineRef {
    /// `graphics` or `compute`.
    pub kind: String,
    /// Its name, or empty.
    pub name: String,
    /// Its handle.
    pub handle: String,
    /// CRC-32 of its shaders' SPIR-V, in hexadecimal.
    pub hash: String,
}

/// A variable of the faulting invocation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Its value, for people.
    pub value: String,
}

/// A line of a shader's source.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SourceLine {
    /// Line number, from 1.
    pub number: u32,
    /// Its text.
    pub text: String,
}

/// Where in a shader.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ShaderRef {
    /// `vertex`, `fragment` or `compute`.
    pub stage: String,
    /// Name of the entry point.
    pub entry: String,
    /// CRC-32 of the module's words, in hexadecimal.
    pub module: String,
    /// Byte offset of the instruction in the module; absent where it is not known.
    pub offset: Option<u32>,
    /// The instruction: `OpStore`, …
    pub instruction: String,
    /// Name of the function that it is in, or empty.
    pub function: String,
    /// Source file, or empty where the module carries no lines.
    pub file: String,
    /// Line in it, from 1; 0 if not known.
    pub line: u32,
    /// Column, from 1; 0 if not known.
    pub column: u32,
    /// The source around the line, where the module carries it.
    pub source: Vec<SourceLine>,
    /// The instructions around the fault, as offset and text.
    pub code: Vec<CodeLine>,
    /// The invocation, for people.
    pub invocation: String,
    /// Lane of the wave.
    pub lane: Option<u32>,
    /// Variables of the invocation.
    pub variables: Vec<Variable>,
}

/// An instruction of a module.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CodeLine {
    /// Byte offset in the module.
    pub offset: u32,
    /// The instruction.
    pub text: String,
}

/// A descriptor or another binding that names the faulting address.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct BindingRef {
    /// `storage buffer`, `vertex buffer`, `index buffer`, …
    pub kind: String,
    /// Set of a descriptor.
    pub set: Option<u32>,
    /// Binding number.
    pub binding: Option<u32>,
    /// Array element of a descriptor.
    pub element: Option<u32>,
    /// Dynamic offset that was added.
    pub dynamic_offset: Option<u32>,
    /// First address it names.
    pub address: String,
    /// Bytes it names.
    pub size: u64,
}

impl BindingRef {
    /// For people: `storage buffer at set 0, binding 1[3]`.
    #[must_use]
    pub fn title(&self) -> String {
        let mut text = self.kind.clone();
        if let Some(set) = self.set {
            text += &format!(" at set {set}");
        }
        if let Some(binding) = self.binding {
            let comma = if self.set.is_some() { "," } else { "" };
            text += &format!("{comma} binding {binding}");
        }
        if let Some(element) = self.element {
            text += &format!("[{element}]");
        }
        text
    }
}

/// All that a fault is attributed to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Attribution {
    /// What is wrong with the access: `null`, `freed`, `beyond-allocation`, … or empty.
    pub problem: String,
    /// The same for people.
    pub explanation: String,
    /// `read`, `write`, `atomic` or empty.
    pub access: String,
    /// Address of the access, or empty.
    pub address: String,
    /// Bytes of the access; 0 if not known.
    pub size: u64,
    /// The queue.
    pub queue: Option<QueueRef>,
    /// Serial number of the submission on the device, from 1; 0 outside any.
    pub submission: u64,
    /// The command buffer.
    pub command_buffer: Option<CommandBufferRef>,
    /// The command.
    pub command: Option<CommandRef>,
    /// Labels around it.
    pub labels: Labels,
    /// The pipeline bound at it.
    pub pipeline: Option<PipelineRef>,
    /// Where in a shader.
    pub shader: Option<ShaderRef>,
    /// Bindings that name the address.
    pub bindings: Vec<BindingRef>,
    /// Objects at the address.
    pub objects: Option<ObjectsAt>,
    /// The commands of the submission around the fault.
    #[serde(skip)]
    pub commands: Vec<CommandEntry>,
}

/// How far something had got, as far as the API's order tells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Progress {
    /// Completed.
    Done,
    /// At fault, or cut off by the fault.
    InProgress,
    /// Its submission waits for what will not come.
    Waiting,
    /// Not begun; also what a later version says and this one does not know.
    #[default]
    #[serde(other)]
    NotStarted,
}

impl Progress {
    /// For people.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Progress::Done => "done",
            Progress::InProgress => "in progress",
            Progress::NotStarted => "not started",
            Progress::Waiting => "waiting",
        }
    }
}

/// A command of the faulting submission.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CommandEntry {
    /// Index of the command buffer in the submission.
    pub buffer: u32,
    /// Commands of the submission before it.
    pub position: u32,
    /// Labels and secondary command buffers open around it.
    pub depth: u32,
    /// Its name.
    pub name: String,
    /// Its parameters, for people.
    pub parameters: String,
    /// How far it has got.
    pub state: Progress,
}

/// A submission.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SubmissionEntry {
    /// Serial number on the device, from 1.
    pub serial: u64,
    /// The queue.
    pub queue: QueueRef,
    /// How far it has got.
    pub state: Progress,
    /// Labels open on the queue.
    pub labels: Vec<String>,
    /// Semaphores it waits for.
    pub waits: u32,
    /// Semaphores it signals.
    pub signals: u32,
    /// Its command buffers.
    pub command_buffers: Vec<BufferEntry>,
    /// Its commands around the fault; only of the one at fault.
    pub commands: Vec<CommandEntry>,
}

/// A command buffer of a submission.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct BufferEntry {
    /// Which command buffer.
    pub buffer: CommandBufferRef,
    /// Commands in it, those of secondary ones included.
    pub commands: u32,
    /// How far it has got.
    pub state: Progress,
}

/// The device's submissions, as far as they are remembered.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Timeline {
    /// Earlier submissions that are not in the list; all were done.
    pub left_out: u64,
    /// The latest submissions in the order of their serial numbers, up to the one at fault.
    pub submissions: Vec<SubmissionEntry>,
}

impl Timeline {
    /// Submissions before the first that is not done are only counted, but for the last few.
    const SHOWN_DONE: usize = 3;

    /// The submissions that one line stands for, and those that are worth a line each.
    #[must_use]
    pub fn folded(&self) -> (&[SubmissionEntry], &[SubmissionEntry]) {
        let is_done = |entry: &SubmissionEntry| entry.state == Progress::Done;
        let done = self.submissions.iter().take_while(|entry| is_done(entry)).count();
        self.submissions.split_at(done.saturating_sub(Self::SHOWN_DONE))
    }
}
