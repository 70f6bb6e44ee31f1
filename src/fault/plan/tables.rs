//! What a plan can say: one table of events, one of the members of `when`, one of faults.
//!
//! Parser, error messages, `lahar plan --discover` and the reference in the book all come from these tables.

/// The type of a member's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A number from the first to the second.
    Number(u64, u64),
    /// A power of two.
    PowerOfTwo,
    /// A number above 0 and at most 1.
    Chance,
    /// `true` or `false`.
    Flag,
    /// Any text.
    Text,
    /// A name with `*` and `?` for any characters and any one character.
    Pattern,
    /// One of these words.
    Word(&'static [&'static str]),
    /// A `VkResult`, as `out_of_device_memory` or as C spells it.
    Code,
    /// A number of a device from 1, or `any`.
    Device,
    /// Bits in hexadecimal, or a pattern for a name.
    Hash,
    /// One text or several.
    List,
}

impl Kind {
    /// As the reference calls it.
    #[must_use]
    pub fn name(self) -> String {
        match self {
            Kind::Number(0, u64::MAX) => "number".to_owned(),
            Kind::Number(from, u64::MAX) => format!("number from {from}"),
            Kind::Number(from, to) => format!("number from {from} to {to}"),
            Kind::PowerOfTwo => "power of two".to_owned(),
            Kind::Chance => "number above 0, at most 1".to_owned(),
            Kind::Flag => "`true` or `false`".to_owned(),
            Kind::Text => "text".to_owned(),
            Kind::Pattern => "name, with `*` and `?`".to_owned(),
            Kind::Word(words) => words
                .iter()
                .map(|word| format!("`{word}`"))
                .collect::<Vec<_>>()
                .join(", "),
            Kind::Code => "result code".to_owned(),
            Kind::Device => "number from 1, or `any`".to_owned(),
            Kind::Hash => "name, or `0x` and a hash".to_owned(),
            Kind::List => "text, or a list of texts".to_owned(),
        }
    }
}

/// A member of a table of a plan.
#[derive(Debug)]
pub struct Member {
    /// Its name.
    pub name: &'static str,
    /// The type of its value.
    pub kind: Kind,
    /// What holds without it, for the reference.
    pub default: &'static str,
    /// What it means.
    pub doc: &'static str,
}

pub(super) const fn member(
    name: &'static str,
    kind: Kind,
    default: &'static str,
    doc: &'static str,
) -> Member {
    Member {
        name,
        kind,
        default,
        doc,
    }
}

/// When an event happens, which decides what can break there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// When a command of Vulkan is called, before it does anything.
    Call,
    /// When recorded work is executed, counted in the order of submission.
    Execution,
}

/// A class of events.
#[derive(Debug, PartialEq, Eq)]
pub struct EventRow {
    /// Its word.
    pub name: &'static str,
    /// When it happens.
    pub clock: Clock,
    /// The commands that are counted, for events of calls; empty: see `doc`.
    pub commands: &'static [&'static str],
    /// What is counted.
    pub doc: &'static str,
}

const fn call(name: &'static str, commands: &'static [&'static str], doc: &'static str) -> EventRow {
    EventRow {
        name,
        clock: Clock::Call,
        commands,
        doc,
    }
}

const fn executed(name: &'static str, doc: &'static str) -> EventRow {
    EventRow {
        name,
        clock: Clock::Execution,
        commands: &[],
        doc,
    }
}

/// The classes of events.
pub static EVENTS: &[EventRow] = &[
    call(
        "submit",
        &["vkQueueSubmit", "vkQueueSubmit2"],
        "submissions, on all queues of the device together",
    ),
    call("present", &["vkQueuePresentKHR"], "presentations"),
    call(
        "acquire",
        &["vkAcquireNextImageKHR", "vkAcquireNextImage2KHR"],
        "acquisitions of a swapchain's image",
    ),
    call(
        "frame",
        &["vkQueuePresentKHR"],
        "frames, which end with a presentation",
    ),
    call(
        "allocate",
        &["vkAllocateMemory"],
        "allocations of device memory; `min_size`, `max_size`, `heap` and `memory_type` choose among them",
    ),
    call("map", &["vkMapMemory", "vkMapMemory2"], "mappings of memory"),
    call(
        "pipeline",
        &["vkCreateGraphicsPipelines", "vkCreateComputePipelines"],
        "creations of pipelines",
    ),
    call(
        "wait",
        &[
            "vkWaitForFences",
            "vkWaitSemaphores",
            "vkQueueWaitIdle",
            "vkDeviceWaitIdle",
        ],
        "waits of the host",
    ),
    call(
        "poll",
        &[
            "vkGetFenceStatus",
            "vkGetSemaphoreCounterValue",
            "vkGetEventStatus",
            "vkGetQueryPoolResults",
        ],
        "looks at the state of a fence, semaphore, event or query",
    ),
    call(
        "create",
        &[],
        "creations of objects: every `vkCreate…` and `vkAllocate…` that a device or instance is asked for",
    ),
    call("call", &[], "calls of every command that returns a result"),
    executed(
        "draw",
        "draw commands (an indirect one counts once), when they are executed",
    ),
    executed("dispatch", "dispatch commands, when they are executed"),
    executed(
        "copy",
        "copies, fills, updates, clears, blits and resolves outside render passes, when they are executed",
    ),
    executed(
        "label",
        "debug labels, when execution enters them; `label` chooses among them",
    ),
    executed("label_end", "debug labels, when execution leaves them"),
    executed(
        "command",
        "all commands of command buffers, when they are executed",
    ),
];

const ANY: u64 = u64::MAX;

/// The members of `when`.
pub static WHEN: &[Member] = &[
    member(
        "event",
        Kind::Text,
        "required",
        "what is counted: a class of events, or a command of Vulkan by its name (`vkMapMemory`)",
    ),
    member(
        "nth",
        Kind::Number(1, ANY),
        "1, unless `every`, `after` or `probability` is given",
        "at which one the rule fires",
    ),
    member("every", Kind::Number(1, ANY), "none", "it fires at every n-th"),
    member(
        "after",
        Kind::Number(0, ANY),
        "0",
        "so many are let pass before anything counts",
    ),
    member(
        "times",
        Kind::Number(1, ANY),
        "no limit",
        "it fires at most so many times",
    ),
    member(
        "probability",
        Kind::Chance,
        "none",
        "it fires with this chance, by the plan's seed: the same ones in every run",
    ),
    member(
        "device",
        Kind::Device,
        "1",
        "which device of the process, in the order of creation; one made after a loss is the next. Calls that are made on \
         no device (`vkCreateDevice`, `vkEnumeratePhysicalDevices`, …) are counted for the whole process",
    ),
    member(
        "queue",
        Kind::Number(0, 255),
        "any",
        "which queue of the device, in the order of its creation, from 0",
    ),
    member(
        "thread",
        Kind::Number(1, ANY),
        "any",
        "which thread of the process, in the order of their first calls, from 1",
    ),
    member(
        "object",
        Kind::Pattern,
        "any",
        "the debug name of an object that the call is given (of an allocation: of what it is dedicated to), or of the \
         pipeline that is used",
    ),
    member(
        "object_type",
        Kind::Word(super::objects::WORDS),
        "any",
        "the type of an object that the call is given or makes; of an allocation also that of what it is dedicated to",
    ),
    member(
        "label",
        Kind::Pattern,
        "any",
        "open debug labels: a name, or names from outermost to innermost with `/` between them",
    ),
    member(
        "pipeline",
        Kind::Hash,
        "any",
        "the pipeline that is used, by its debug name or hash",
    ),
    member(
        "shader",
        Kind::Hash,
        "any",
        "a shader of it, by its entry point's name or the hash of its module",
    ),
    member(
        "min_size",
        Kind::Number(0, ANY),
        "0",
        "least size of an allocation in bytes",
    ),
    member(
        "max_size",
        Kind::Number(0, ANY),
        "none",
        "greatest size of an allocation in bytes",
    ),
    member("heap", Kind::Number(0, 15), "any", "heap of an allocation"),
    member(
        "memory_type",
        Kind::Number(0, 31),
        "any",
        "memory type of an allocation",
    ),
    member(
        "touches",
        Kind::Number(0, ANY),
        "any",
        "an address that a copy, a fill, a vertex or an index buffer reads or writes; with the event `command`, no other \
         filter and a fault that loses the device before the command, also one that a shader reads or writes",
    ),
    member(
        "touches_size",
        Kind::Number(1, ANY),
        "1",
        "size of the range that begins there",
    ),
    member(
        "touch",
        Kind::Word(&["read", "write", "any"]),
        "`any`",
        "how that range is touched",
    ),
    member(
        "after_rule",
        Kind::Text,
        "none",
        "nothing counts before the rule of this name has fired on the device or an earlier one",
    ),
];

/// Which fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the rows of the table say it")]
pub enum FaultKind {
    Lose,
    Watchdog,
    Masked,
    Overflow,
    Abort,
    Physical,
    Fail,
    HostAllocation,
    Budget,
    Swapchain,
    Stall,
    Corrupt,
    Skip,
    Poison,
    Hide,
    Reorder,
}

/// Where a fault can happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// At any event.
    Anywhere,
    /// At events of calls.
    Calls,
    /// At these commands and classes of execution only.
    Commands(&'static [&'static str]),
    /// At events of execution.
    Execution,
    /// From the start: `when` is not given.
    Start,
}

/// A fault.
#[derive(Debug)]
pub struct FaultRow {
    /// Its word.
    pub name: &'static str,
    /// Which it is.
    pub kind: FaultKind,
    /// Where it can happen.
    pub place: Place,
    /// The member that a value without a name gives.
    pub main: Option<&'static str>,
    /// Its members.
    pub members: &'static [Member],
    /// What it does.
    pub doc: &'static str,
}

const ADDRESS_TYPES: &[&str] = &[
    "none",
    "read",
    "write",
    "execute",
    "instruction-pointer-unknown",
    "instruction-pointer-invalid",
    "instruction-pointer-fault",
];

/// `NAME:CODE:DATA` records of a vendor; shared by the faults that make records.
const VENDOR: Member = member(
    "vendor",
    Kind::List,
    "none",
    "further records, each as `description:code:data`",
);
const DESCRIPTION: Member = member(
    "description",
    Kind::Text,
    "made from the rest",
    "what the record says (at most 255 bytes are kept)",
);
const POINT: Member = member(
    "point",
    Kind::Word(&["before", "after"]),
    "`before`",
    "before or after the command of the event; a call is always met before it does anything",
);
const RESULTS: Member = member(
    "results",
    Kind::Word(&["kept", "poisoned"]),
    "`kept`",
    "what becomes of what the command's render pass or copy wrote before: it stays, or is filled with `0xa5`",
);
const ACCESS: Member = member(
    "access",
    Kind::Word(ADDRESS_TYPES),
    "required",
    "the kind of the invalid access",
);
const ADDRESS: Member = member(
    "address",
    Kind::Number(0, ANY),
    "`0x10ffffff0000`",
    "its address; the default is one that Lahar never gives out",
);
const PRECISION: Member = member(
    "precision",
    Kind::PowerOfTwo,
    "4096",
    "size of the range around the address",
);
const INSTRUCTION: Member = member(
    "instruction",
    Kind::Number(0, ANY),
    "none",
    "address of the instruction at fault",
);
const TARGET: Member = member(
    "target",
    Kind::Pattern,
    "what the command writes",
    "debug name of the buffer, image or memory; the first that matches, by type and handle",
);
const OFFSET: Member = member(
    "offset",
    Kind::Number(0, ANY),
    "0",
    "first byte of the range in it",
);
const SIZE: Member = member("size", Kind::Number(1, ANY), "to its end", "bytes of the range");

/// The faults.
pub static FAULTS: &[FaultRow] = &[
    FaultRow {
        name: "lose",
        kind: FaultKind::Lose,
        place: Place::Anywhere,
        main: Some("access"),
        members: &[
            ACCESS,
            ADDRESS,
            PRECISION,
            INSTRUCTION,
            member(
                "group",
                Kind::Number(1, 64),
                "1",
                "records of the event: the planned one and its vendor records, repeated up to this number",
            ),
            VENDOR,
            DESCRIPTION,
            POINT,
            RESULTS,
        ],
        doc: "The device is lost. Work before the point is completed, work after it is not begun.",
    },
    FaultRow {
        name: "watchdog",
        kind: FaultKind::Watchdog,
        place: Place::Anywhere,
        main: None,
        members: &[INSTRUCTION, DESCRIPTION, POINT, RESULTS],
        doc: "The device is lost as if a shader had not come to an end.",
    },
    FaultRow {
        name: "masked",
        kind: FaultKind::Masked,
        place: Place::Anywhere,
        main: Some("access"),
        members: &[
            ACCESS,
            ADDRESS,
            PRECISION,
            INSTRUCTION,
            VENDOR,
            DESCRIPTION,
            RESULTS,
        ],
        doc: "A fault that the device survives: reported where `deviceFaultReportMasked` is enabled; where \
              `deviceFaultDeviceLostOnMasked` is, it loses the device.",
    },
    FaultRow {
        name: "overflow",
        kind: FaultKind::Overflow,
        place: Place::Anywhere,
        main: Some("count"),
        members: &[member(
            "count",
            Kind::Number(1, 4096),
            "65",
            "how many masked faults happen at once; from 65 on the oldest are dropped",
        )],
        doc: "More masked faults at once than the device keeps.",
    },
    FaultRow {
        name: "abort",
        kind: FaultKind::Abort,
        place: Place::Anywhere,
        main: Some("message"),
        members: &[
            member("message", Kind::Text, "`planned abort`", "what the shader says"),
            POINT,
            RESULTS,
        ],
        doc: "The device is lost as if a shader had asked for it (`OpAbortKHR`).",
    },
    FaultRow {
        name: "physical",
        kind: FaultKind::Physical,
        place: Place::Anywhere,
        main: Some("creations"),
        members: &[
            member(
                "creations",
                Kind::Number(1, ANY),
                "no end",
                "so many creations of a device fail with `VK_ERROR_DEVICE_LOST` after it",
            ),
            DESCRIPTION,
        ],
        doc: "The device is lost and the physical device with it.",
    },
    FaultRow {
        name: "fail",
        kind: FaultKind::Fail,
        place: Place::Calls,
        main: Some("code"),
        members: &[
            member(
                "code",
                Kind::Code,
                "required",
                "what the call returns; one that the registry gives every counted command",
            ),
            member(
                "illegal",
                Kind::Flag,
                "`false`",
                "takes a code that the command may not return",
            ),
        ],
        doc: "The call returns a code and does nothing else. `device_lost` loses the device; `suboptimal` lets the call do \
              its work.",
    },
    FaultRow {
        name: "host_allocation",
        kind: FaultKind::HostAllocation,
        place: Place::Calls,
        main: None,
        members: &[],
        doc: "The host has no memory for the call: it returns `VK_ERROR_OUT_OF_HOST_MEMORY` and leaves nothing behind.",
    },
    FaultRow {
        name: "budget",
        kind: FaultKind::Budget,
        place: Place::Start,
        main: Some("bytes"),
        members: &[
            member(
                "bytes",
                Kind::Number(0, ANY),
                "required",
                "how much may be allocated from the heap",
            ),
            member("heap", Kind::Number(0, 15), "0", "the heap"),
        ],
        doc: "A heap has only so much room: its size and its budget say so; armed by a test, its budget alone.",
    },
    FaultRow {
        name: "swapchain",
        kind: FaultKind::Swapchain,
        place: Place::Commands(&[
            "vkAcquireNextImageKHR",
            "vkAcquireNextImage2KHR",
            "vkQueuePresentKHR",
        ]),
        main: Some("state"),
        members: &[
            member(
                "state",
                Kind::Word(&["out_of_date", "suboptimal", "surface_lost", "resized"]),
                "required",
                "`out_of_date`: until it is created anew; `suboptimal`: works, and says so; `surface_lost`: for good, and new \
                 swapchains of the surface fail too; `resized`: out of date, and the surface has the extent that is given",
            ),
            member("once", Kind::Flag, "`false`", "`suboptimal`: this call only"),
            member("width", Kind::Number(0, 16384), "0", "`resized`: the new width"),
            member(
                "height",
                Kind::Number(0, 16384),
                "0",
                "`resized`: the new height; 0 by 0 is a window that is not shown",
            ),
        ],
        doc: "The swapchains of the call change.",
    },
    FaultRow {
        name: "stall",
        kind: FaultKind::Stall,
        place: Place::Commands(&["vkQueueSubmit", "vkQueueSubmit2"]),
        main: Some("polls"),
        members: &[member(
            "polls",
            Kind::Number(1, 1_000_000),
            "required",
            "how often the host must look (`poll` and `wait` events) before the submission ends; a wait without a time-out counts as all",
        )],
        doc: "The submission's work, fence and semaphores are late, but come.",
    },
    FaultRow {
        name: "corrupt",
        kind: FaultKind::Corrupt,
        place: Place::Anywhere,
        main: Some("target"),
        members: &[
            TARGET,
            OFFSET,
            SIZE,
            member(
                "flips",
                Kind::Number(1, 1_000_000),
                "1",
                "bits that change, chosen by the plan's seed",
            ),
            POINT,
        ],
        doc: "Bits of memory change, and nothing tells.",
    },
    FaultRow {
        name: "skip",
        kind: FaultKind::Skip,
        place: Place::Execution,
        main: None,
        members: &[],
        doc: "The command does nothing: what it would have written keeps its old contents.",
    },
    FaultRow {
        name: "poison",
        kind: FaultKind::Poison,
        place: Place::Anywhere,
        main: Some("target"),
        members: &[
            TARGET,
            OFFSET,
            SIZE,
            member("byte", Kind::Number(0, 255), "`0xa5`", "what it is filled with"),
            POINT,
        ],
        doc: "Memory is filled with a pattern, as contents that are undefined may be.",
    },
    FaultRow {
        name: "hide",
        kind: FaultKind::Hide,
        place: Place::Start,
        main: Some("extension"),
        members: &[
            member(
                "extension",
                Kind::List,
                "none",
                "extensions that are not there; `*` and `?` stand for others, and `!` before a name keeps it",
            ),
            member(
                "feature",
                Kind::List,
                "none",
                "features that are not there, as their structures name them; with `*`, `?` and `!`",
            ),
            member(
                "format",
                Kind::List,
                "none",
                "formats that nothing can be done with, as `VK_FORMAT_R8_UNORM`; with `*`, `?` and `!`",
            ),
            member(
                "limit",
                Kind::List,
                "none",
                "limits that are lower, as `maxImageDimension2D=1024`",
            ),
        ],
        doc: "The device offers less; armed by a test, for what is asked and created from then on: devices that are there keep what they have.",
    },
    FaultRow {
        name: "reorder",
        kind: FaultKind::Reorder,
        place: Place::Commands(&["vkAcquireNextImageKHR", "vkAcquireNextImage2KHR", "dispatch"]),
        main: None,
        members: &[],
        doc: "What may come in any order comes in one that the plan's seed chooses: another of the swapchain's free images \
              than the one whose turn it is; the workgroups of a dispatch.",
    },
];

/// An event by its word.
#[must_use]
pub fn event(name: &str) -> Option<&'static EventRow> {
    EVENTS.iter().find(|row| row.name == name)
}

/// A fault by its word.
#[must_use]
pub fn fault(name: &str) -> Option<&'static FaultRow> {
    FAULTS.iter().find(|row| row.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::physical::registry;

    #[test]
    fn every_command_of_the_tables_is_one() {
        for row in EVENTS {
            for name in row.commands {
                assert!(registry::command(name).is_some(), "{name}");
            }
        }
        for row in FAULTS {
            if let Place::Commands(names) = row.place {
                assert!(
                    names
                        .iter()
                        .all(|name| registry::command(name).is_some() || event(name).is_some()),
                    "{}",
                    row.name
                );
            }
            let known = |name: &str| row.members.iter().any(|member| member.name == name);
            assert!(row.main.is_none_or(known), "{}", row.name);
            // In the one-line form both stand side by side.
            for member in row.members {
                let both = WHEN.iter().any(|other| other.name == member.name);
                assert!(!both || member.name == "heap", "{}.{}", row.name, member.name);
            }
        }
    }
}
