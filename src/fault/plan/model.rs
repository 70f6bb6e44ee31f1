//! A plan as it is understood.

use super::codes;
use super::hidden::Hidden;
use super::tables::{Clock, EventRow};
use crate::fault::record::{AddressType, VendorInfo};
use crate::physical::registry;
use crate::vk;

/// A whole plan.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    /// Its seed.
    pub seed: u64,
    /// Its rules, in order.
    pub rules: Vec<Rule>,
    /// As it was written.
    pub text: String,
}

/// One rule.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// For people, and for `after_rule`.
    pub name: Option<String>,
    /// When it applies; none: from the start.
    pub when: Option<When>,
    /// What it does.
    pub fault: Fault,
}

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A class.
    Class(&'static EventRow),
    /// Calls of one command.
    Command(&'static str),
}

impl Event {
    /// When it happens.
    #[must_use]
    pub fn clock(self) -> Clock {
        match self {
            Event::Class(row) => row.clock,
            Event::Command(_) => Clock::Call,
        }
    }

    /// Its word.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Event::Class(row) => row.name,
            Event::Command(name) => name,
        }
    }

    /// Whether a call of a command (by its canonical name) counts.
    #[must_use]
    pub fn counts_call(self, command: &str) -> bool {
        match self {
            Event::Command(name) => name == command,
            Event::Class(row) if row.clock != Clock::Call => false,
            Event::Class(row) if row.name == "call" => {
                registry::command(command).is_some_and(codes::can_fail)
            }
            Event::Class(row) if row.name == "create" => {
                command.starts_with("vkCreate") || command.starts_with("vkAllocate")
            }
            Event::Class(row) => row.commands.contains(&command),
        }
    }
}

/// A name with `*` and `?`, or a hash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    text: String,
    hash: Option<u64>,
}

impl Pattern {
    /// From its text.
    #[must_use]
    pub fn new(text: &str) -> Pattern {
        let hash = text
            .strip_prefix("0x")
            .and_then(|digits| u64::from_str_radix(digits, 16).ok());
        Pattern {
            text: text.to_owned(),
            hash,
        }
    }

    /// As it was written.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether it is this hash.
    #[must_use]
    pub fn is_hash(&self, hash: u64) -> bool {
        self.hash == Some(hash)
    }

    /// Whether a name fits.
    #[must_use]
    pub fn fits(&self, name: &str) -> bool {
        glob(self.text.as_bytes(), name.as_bytes())
    }

    /// Whether open labels, outermost first, fit: one of them, or a run of them where the pattern has `/`.
    #[must_use]
    pub fn fits_labels(&self, labels: &[&str]) -> bool {
        let parts: Vec<&str> = self.text.split('/').collect();
        parts.len() <= labels.len()
            && labels.windows(parts.len()).any(|run| {
                run.iter()
                    .zip(&parts)
                    .all(|(label, part)| glob(part.as_bytes(), label.as_bytes()))
            })
    }
}

/// Matches in linear time per star, without recursion.
fn glob(pattern: &[u8], text: &[u8]) -> bool {
    let (mut p, mut t) = (0, 0);
    let mut star = None;
    while t < text.len() {
        if p < pattern.len() && pattern[p] == b'*' {
            star = Some((p, t));
            p += 1;
        } else if p < pattern.len() && (pattern[p] == b'?' || pattern[p] == text[t]) {
            p += 1;
            t += 1;
        } else if let Some((at, from)) = star {
            star = Some((at, from + 1));
            p = at + 1;
            t = from + 1;
        } else {
            return false;
        }
    }
    pattern[p..].iter().all(|&c| c == b'*')
}

/// An address range that is watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Touch {
    /// First address.
    pub first: u64,
    /// Last address.
    pub last: u64,
    /// Reads count.
    pub reads: bool,
    /// Writes count.
    pub writes: bool,
}

/// When a rule applies; see the table [`WHEN`](super::tables::WHEN).
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "the table says it")]
pub struct When {
    pub event: Event,
    pub nth: Option<u64>,
    pub every: Option<u64>,
    pub after: u64,
    pub times: Option<u64>,
    pub chance: Option<f64>,
    /// `None` is any.
    pub device: Option<u64>,
    pub queue: Option<u64>,
    pub thread: Option<u64>,
    pub object: Option<Pattern>,
    pub object_type: Option<vk::ObjectType>,
    pub label: Option<Pattern>,
    pub pipeline: Option<Pattern>,
    pub shader: Option<Pattern>,
    pub min_size: u64,
    pub max_size: u64,
    pub heap: Option<u64>,
    pub memory_type: Option<u64>,
    pub touch: Option<Touch>,
    /// With the byte where it is written.
    pub after_rule: Option<(String, usize)>,
}

/// What a fault record says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// Kind of the faulting access; none: no memory address.
    pub access: Option<AddressType>,
    /// The address.
    pub address: u64,
    /// Size of the range around it, a power of two.
    pub precision: u64,
    /// Address of the faulting instruction.
    pub instruction: Option<u64>,
    /// Records of the event.
    pub records: u64,
    /// What further records say.
    pub vendor: Vec<VendorInfo>,
    /// What the record says.
    pub description: Option<String>,
}

/// Where exactly, and what of what was done until then.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Point {
    /// After the command rather than before it.
    pub after: bool,
    /// What the command's pass or copy wrote is filled.
    pub poisoned: bool,
}

/// A planned loss.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lose {
    /// What is reported.
    pub report: Report,
    /// Where exactly.
    pub point: Point,
}

/// A lost physical device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Physical {
    /// Creations of devices that fail afterwards.
    pub creations: u64,
    /// What the record says.
    pub description: Option<String>,
}

/// What happens to swapchains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SwapchainState {
    /// Out of date until re-created.
    OutOfDate,
    /// Works, and says so.
    Suboptimal {
        /// For this call only.
        once: bool,
    },
    /// The surface is lost.
    SurfaceLost,
    /// The surface has another extent.
    Resized([u32; 2]),
}

/// A range of memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// Debug name of an object; none: what the command writes.
    pub name: Option<Pattern>,
    /// First byte.
    pub offset: u64,
    /// Bytes; none: to the end.
    pub size: Option<u64>,
}

/// Bits that change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Corrupt {
    /// Where.
    pub target: Target,
    /// How many.
    pub flips: u64,
    /// After the command.
    pub after: bool,
}

/// Memory that is filled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Poison {
    /// Where.
    pub target: Target,
    /// With what.
    pub byte: u8,
    /// After the command.
    pub after: bool,
}

/// What a rule does; see the table [`FAULTS`](super::tables::FAULTS).
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "the table says it")]
pub enum Fault {
    Lose(Lose),
    Watchdog(Lose),
    Masked(Lose),
    Overflow(u64),
    Abort {
        message: String,
        point: Point,
    },
    Physical(Physical),
    /// A result code.
    Fail(i32),
    Budget {
        heap: u64,
        bytes: u64,
    },
    Swapchain(SwapchainState),
    Stall(u64),
    Corrupt(Corrupt),
    Skip,
    Poison(Poison),
    Hide(Hidden),
    Reorder,
}

impl Rule {
    /// The heap that it leaves only so much room, with how many bytes.
    pub(super) fn budget(&self) -> Option<(u64, u64)> {
        match self.fault {
            Fault::Budget { heap, bytes } => Some((heap, bytes)),
            _ => None,
        }
    }

    /// The range that it watches shaders' accesses to as well: where it is about all that is executed and fires at the
    /// first touch, by losing the device. Then nothing need go on behind the touch.
    #[must_use]
    pub fn watches(&self) -> Option<Touch> {
        let when = self.when.as_ref()?;
        let first = when.nth == Some(1)
            && when.every.is_none()
            && when.chance.is_none()
            && when.after == 0
            && when.after_rule.is_none();
        let all = matches!(when.event, Event::Class(row) if row.name == "command")
            && when.queue.is_none()
            && when.thread.is_none()
            && [&when.object, &when.label, &when.pipeline, &when.shader]
                .iter()
                .all(|filter| filter.is_none());
        let loses = match &self.fault {
            Fault::Lose(lose) | Fault::Watchdog(lose) => lose.point == Point::default(),
            Fault::Abort { point, .. } => *point == Point::default(),
            Fault::Physical(_) => true,
            _ => false,
        };
        when.touch.filter(|_| first && all && loses)
    }
}

impl Fault {
    /// Its word.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Fault::Lose(_) => "lose",
            Fault::Watchdog(_) => "watchdog",
            Fault::Masked(_) => "masked",
            Fault::Overflow(_) => "overflow",
            Fault::Abort { .. } => "abort",
            Fault::Physical(_) => "physical",
            Fault::Fail(_) => "fail",
            Fault::Budget { .. } => "budget",
            Fault::Swapchain(_) => "swapchain",
            Fault::Stall(_) => "stall",
            Fault::Corrupt(_) => "corrupt",
            Fault::Skip => "skip",
            Fault::Poison(_) => "poison",
            Fault::Hide(_) => "hide",
            Fault::Reorder => "reorder",
        }
    }

    /// Whether it happens after the command that it is at.
    #[must_use]
    pub fn is_after(&self) -> bool {
        match self {
            Fault::Lose(lose) | Fault::Watchdog(lose) => lose.point.after,
            Fault::Abort { point, .. } => point.after,
            Fault::Corrupt(corrupt) => corrupt.after,
            Fault::Poison(poison) => poison.after,
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_fit_names_and_paths_of_labels() {
        for (pattern, name, fits) in [
            ("shadow", "shadow", true),
            ("shadow*", "shadow map", true),
            ("*map", "shadow map", true),
            ("s?adow", "shadow", true),
            ("*a*b*", "xaxxbx", true),
            ("shadow", "Shadow", false),
            ("", "", true),
            ("*", "anything", true),
            ("a*b", "ac", false),
        ] {
            assert_eq!(Pattern::new(pattern).fits(name), fits, "{pattern} {name}");
        }
        let labels = ["frame", "main pass", "shadow"];
        for (pattern, fits) in [
            ("shadow", true),
            ("main*/shadow", true),
            ("frame/shadow", false),
            ("frame/*/shadow", true),
            ("other", false),
        ] {
            assert_eq!(Pattern::new(pattern).fits_labels(&labels), fits, "{pattern}");
        }
        assert!(Pattern::new("0x1F").is_hash(31));
    }
}
