//! What is known of a fault in a shader, in terms that do not depend on the machine.
#![forbid(unsafe_code)]

use crate::shader::codegen::entry::Trap;
use crate::shader::ir::plain_origin;
use crate::shader::rerun::{self, Found};
use std::fmt;

/// Precision of an address that page protection has caught.
const PAGE: u64 = 4096;

/// What went wrong. More is said where the device's memory and its history are known.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Problem {
    /// No memory at the address.
    Unmapped,
    /// The address is null or within the first page.
    Null,
    /// No process can have such an address.
    NonCanonical,
    /// The process may have memory there; the device has not.
    OutsideWindow,
    /// The memory has been given back.
    Freed,
    /// Behind the end of an allocation.
    BeyondAllocation,
    /// Behind the end of a buffer.
    BeyondBuffer,
    /// An atomic at an address that is no multiple of its size.
    Misaligned,
    /// A descriptor names memory that is not there.
    Descriptor,
    /// An access that robustness has made harmless.
    Masked,
    /// A plan watches the address.
    Watched,
    /// A loop turned more often than the watchdog allows.
    Endless,
    /// It ran beyond the limit of so many milliseconds.
    Late(u64),
    /// The shader asked for it (`OpAbortKHR`).
    Abort,
    /// The kernel broke off with this status.
    Status(u32),
}

/// How memory was accessed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Access {
    /// Not at all: the fault is not one of memory.
    None,
    /// A read.
    Read,
    /// A write.
    Write,
    /// An atomic, which both reads and writes.
    Atomic,
}

/// The stage a kernel is for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Stage {
    /// Vertex shader.
    Vertex,
    /// Fragment shader.
    Fragment,
    /// Compute shader.
    Compute,
    /// No shader: one of the driver's own kernels.
    Fixed,
}

impl Stage {
    /// Its word in messages and dumps.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Stage::Vertex => "vertex",
            Stage::Fragment => "fragment",
            Stage::Compute => "compute",
            Stage::Fixed => "fixed-function",
        }
    }
}

/// Which invocation of a shader.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "the names of the built-in variables")]
pub enum Invocation {
    /// None: the kernel is no shader, or it is not known which.
    None,
    Compute {
        workgroup: [u32; 3],
        local: [u32; 3],
    },
    Vertex {
        vertex: u32,
        instance: u32,
    },
    Fragment {
        x: u32,
        y: u32,
        layer: u32,
        sample: u32,
        primitive: u32,
    },
}

impl fmt::Display for Invocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Invocation::None => f.write_str("no invocation"),
            Invocation::Compute { workgroup, local } => {
                let ([a, b, c], [x, y, z]) = (workgroup, local);
                write!(f, "workgroup ({a}, {b}, {c}), local invocation ({x}, {y}, {z})")
            }
            Invocation::Vertex { vertex, instance } => write!(f, "vertex {vertex}, instance {instance}"),
            Invocation::Fragment {
                x,
                y,
                layer,
                sample,
                primitive,
            } => write!(
                f,
                "fragment ({x}, {y}), layer {layer}, sample {sample}, primitive {primitive}"
            ),
        }
    }
}

/// A fault in a shader.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ShaderFault {
    /// What went wrong.
    pub problem: Problem,
    /// How memory was accessed.
    pub access: Access,
    /// Address of the access; 0 where the processor does not tell.
    pub address: u64,
    /// Bytes of the access; 0 if not known.
    pub size: u32,
    /// Power of two: how exactly the address is known to be at fault.
    pub precision: u64,
    /// Stage of the shader.
    pub stage: Stage,
    /// Byte offset of the SPIR-V instruction in the stage's module, or [`ShaderFault::NO_ORIGIN`].
    pub origin: u32,
    /// Lane of the wave.
    pub lane: Option<u32>,
    /// The invocation.
    pub invocation: Invocation,
    /// Draw of the scope (in the order of the calls) or linear workgroup index.
    pub item: u64,
    /// Lowest vertex, primitive or local invocation of the wave: orders faults within an item.
    pub order: u64,
    /// Of an access that robustness masks: the first byte of what was bound, if known.
    pub base: Option<u64>,
    /// Names and values of the faulting invocation's variables.
    pub variables: Vec<(String, String)>,
    /// The messages of an abort, as the shader lays them out.
    pub messages: Vec<Vec<u8>>,
}

impl ShaderFault {
    /// [`ShaderFault::origin`] where no instruction of a module is to blame.
    pub const NO_ORIGIN: u32 = u32::MAX;

    /// Takes in what a run in waves of [`rerun::WIDTH`] lanes has found, if that is this fault; `at` is the order and
    /// the invocation there. In wider waves another access may have failed first: then what was found is what counts.
    pub(crate) fn refine(&mut self, found: Found, width: u32, at: (u64, Invocation)) {
        let same = match &found.trap {
            None => self.problem == Problem::Endless && found.origin == self.origin,
            Some(_) if self.problem == Problem::Endless => false,
            Some(trap) => {
                let unknown = self.origin == ShaderFault::NO_ORIGIN;
                unknown
                    || width != rerun::WIDTH
                    || plain_origin(found.origin) == self.origin
                        && trap.address ^ self.address < self.precision
            }
        };
        if !same {
            return;
        }
        if let Some(trap) = &found.trap {
            self.set_trap(trap);
        }
        (self.order, self.invocation) = at;
        self.origin = plain_origin(found.origin);
        self.lane = Some(found.lane);
        self.variables = found.variables;
    }

    /// Takes in an access that was not right.
    pub(crate) fn set_trap(&mut self, trap: &Trap) {
        self.address = trap.address;
        self.precision = if trap.exact { 1 } else { PAGE };
        self.problem = trap.problem.unwrap_or(Problem::Unmapped);
        self.access = match (trap.atomic, trap.write) {
            (true, _) => Access::Atomic,
            (_, true) => Access::Write,
            _ => Access::Read,
        };
        self.size = trap.size;
        self.base = trap.base;
        self.lane = trap.lane;
    }

    /// A fault about which no more is known than where it was.
    #[must_use]
    pub fn new(problem: Problem, stage: Stage, item: u64) -> ShaderFault {
        ShaderFault {
            problem,
            access: Access::None,
            address: 0,
            size: 0,
            precision: 1,
            stage,
            origin: ShaderFault::NO_ORIGIN,
            lane: None,
            invocation: Invocation::None,
            item,
            order: 0,
            base: None,
            variables: Vec::new(),
            messages: Vec::new(),
        }
    }
}

/// A message for people: as the text that it is, or by its size.
fn message_text(message: &[u8]) -> String {
    let end = message
        .iter()
        .rposition(|&byte| byte != 0)
        .map_or(0, |last| last + 1);
    match std::str::from_utf8(&message[..end]) {
        Ok(text) if !text.is_empty() && !text.contains(|c: char| c.is_control() && !c.is_whitespace()) => {
            text.to_owned()
        }
        _ => format!("{} bytes of message", message.len()),
    }
}

impl fmt::Display for ShaderFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let stage = self.stage.name();
        let verb = match self.access {
            Access::None | Access::Read => "read",
            Access::Write => "wrote to",
            Access::Atomic => "atomically accessed",
        };
        let address = self.address;
        match self.problem {
            Problem::Endless => write!(f, "a {stage} shader ran out of fuel"),
            Problem::Late(limit) => write!(f, "a {stage} shader ran beyond the limit of {limit} ms"),
            Problem::Abort => write!(
                f,
                "a {stage} shader aborted: {}",
                message_text(self.messages.first().map_or(&[], Vec::as_slice))
            ),
            Problem::Status(status) => write!(f, "a {stage} shader broke off with status {status:#x}"),
            Problem::NonCanonical if address == 0 => {
                write!(f, "a {stage} shader accessed an address that no memory can have")
            }
            Problem::Misaligned => write!(f, "a {stage} shader {verb} {address:#x}, which is misaligned"),
            Problem::Masked => {
                write!(
                    f,
                    "a {stage} shader {verb} {address:#x}, outside of what is bound"
                )
            }
            Problem::Watched => write!(f, "a {stage} shader {verb} {address:#x}, which a plan watches"),
            Problem::OutsideWindow => {
                write!(f, "a {stage} shader {verb} {address:#x}, outside device memory")
            }
            _ => write!(f, "a {stage} shader {verb} {address:#x}, where no memory is"),
        }
    }
}
