//! Says what is wrong with an address, from what the memory's history knows of it.

use super::attribution::{ObjectRef, ObjectsAt};
use crate::device::Names;
use crate::memory::{Detail, Memory, Object, Place, Stamp, Whereabouts};
use crate::vk;

/// Addresses up to here are those of a null pointer with a small offset.
const NULL_END: u64 = 4096;
/// How far behind an allocation an address is still taken to be an overrun of it.
const OVERRUN: u64 = 1 << 20;

/// What is wrong with an address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Explanation {
    /// The problem's word.
    pub problem: &'static str,
    /// The same for people: follows "read of 4 bytes at 0x1000: ".
    pub text: String,
    /// The objects there.
    pub objects: ObjectsAt,
}

/// An object with the name it has or had.
pub(super) fn object_ref(object: &Object, names: &Names) -> ObjectRef {
    let live = || names.get(object.kind.as_raw(), object.handle);
    let name = object.name.clone().or_else(live);
    ObjectRef {
        kind: kind_name(object.kind),
        name: name.as_deref().unwrap_or_default().to_owned(),
        handle: if object.handle == 0 {
            String::new()
        } else {
            format!("{:#x}", object.handle)
        },
        address: format!("{:#x}", object.address),
        size: object.size,
        detail: detail_text(object.detail),
        since_submission: object.since.submit,
        since_event: object.since.event,
        gone_submission: object.gone.map(|gone| gone.submit),
        gone_event: object.gone.map(|gone| gone.event),
    }
}

/// `VkBuffer` for `BUFFER`.
fn kind_name(kind: vk::ObjectType) -> String {
    let words = format!("{kind:?}");
    let vendors = ["KHR", "EXT", "NV", "AMD"];
    let word = |word: &str| {
        if vendors.contains(&word) {
            return word.to_owned();
        }
        let mut letters = word.chars();
        let first = letters.next().map(|c| c.to_ascii_uppercase());
        first
            .into_iter()
            .chain(letters.map(|c| c.to_ascii_lowercase()))
            .collect()
    };
    format!("Vk{}", words.split('_').map(word).collect::<String>())
}

fn detail_text(detail: Detail) -> String {
    match detail {
        Detail::None => String::new(),
        Detail::Heap(heap) => format!("heap {heap}"),
        Detail::Buffer(usage) => {
            let words = format!("{usage:?}").to_lowercase();
            words.replace(" | ", ", ").replace('_', " ")
        }
        Detail::Image(format, [width, height, depth]) => {
            let depth = if depth > 1 {
                format!("x{depth}")
            } else {
                String::new()
            };
            format!("{width}x{height}{depth} {format:?}")
        }
    }
}

/// `3 bytes`.
pub(crate) fn bytes(count: u64) -> String {
    if count == 1 {
        "1 byte".to_owned()
    } else {
        format!("{count} bytes")
    }
}

/// Says what is wrong with `address`, which work submitted at `until` accessed.
#[must_use]
pub fn explain(memory: &Memory, names: &Names, address: u64, until: Stamp) -> Explanation {
    let plain = |problem, text: String| Explanation {
        problem,
        text,
        objects: ObjectsAt::default(),
    };
    if address == 0 {
        return plain("null", "a null address".to_owned());
    }
    if address < NULL_END {
        return plain("null", format!("a null address plus {}", bytes(address)));
    }
    let sign = address >> 47;
    if sign != 0 && sign != (1 << 17) - 1 {
        return plain("non-canonical", "no memory can have this address".to_owned());
    }
    if memory.locate(address) == Place::Outside {
        let text = "not device memory (an address of the process, or none at all)";
        return plain("outside", text.to_owned());
    }
    let found = memory.history().at(address, until);
    let (problem, text) = inside(&found, names, address, until);
    Explanation {
        problem,
        text,
        objects: objects_at(&found, names),
    }
}

/// The objects of an address, for a dump.
fn objects_at(found: &Whereabouts, names: &Names) -> ObjectsAt {
    let object = |object: &Object| object_ref(object, names);
    ObjectsAt {
        now: found.memory.iter().chain(&found.resources).map(object).collect(),
        formerly: found.freed.iter().chain(&found.former).map(object).collect(),
        below: found.below.as_ref().map(object),
        above: found.above.as_ref().map(object),
    }
}

/// `4 bytes past the end of buffer 'particles' (4096 bytes)`.
fn past_end(address: u64, object: &Object, names: &Names) -> String {
    let title = object_ref(object, names).title();
    let past = match address - object.end() {
        0 => "at".to_owned(),
        past => format!("{} past", bytes(past)),
    };
    format!("{past} the end of {title} ({})", bytes(object.size))
}

/// What is wrong with an address inside of the device's window.
fn inside(found: &Whereabouts, names: &Names, address: u64, until: Stamp) -> (&'static str, String) {
    let title = |object: &Object| object_ref(object, names).title();
    if let Some(freed) = &found.freed {
        let gone = freed.gone.unwrap_or_default();
        let when = if gone.event > until.event {
            "while this submission was pending".to_owned()
        } else {
            format!("before submission {}", gone.submit + 1)
        };
        // The resource says more than the memory does.
        let resource = found.resources.first().or(found.former.first());
        let whose = match resource {
            Some(resource) => format!("{} was there", title(resource)),
            None => format!("it was {}", title(freed)),
        };
        return ("freed", format!("memory that was freed {when}; {whose}"));
    }
    if let Some(memory) = &found.memory {
        return match (found.resources.first(), found.former.first()) {
            (Some(resource), _) => ("resource", format!("{} is there", title(resource))),
            (None, Some(former)) => {
                let gone = former.gone.unwrap_or_default();
                let text = format!(
                    "{} was destroyed before submission {}",
                    title(former),
                    gone.submit + 1
                );
                ("destroyed", text)
            }
            (None, None) if found.before.is_some() => {
                let text = found
                    .before
                    .as_ref()
                    .map_or(String::new(), |before| past_end(address, before, names));
                ("beyond-buffer", text)
            }
            (None, None) => (
                "beyond-buffer",
                format!("no buffer or image is there in {}", title(memory)),
            ),
        };
    }
    match &found.below {
        Some(below) if address - below.end() < OVERRUN => {
            ("beyond-allocation", past_end(address, below, names))
        }
        _ => ("never-allocated", "no memory was ever allocated there".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::{Allocation, Backing, Placement, Profile, Properties, Request};
    use std::sync::Arc;

    struct World {
        memory: Arc<Memory>,
        names: Names,
    }

    impl World {
        fn new() -> World {
            let properties = Properties::new(Profile::Discrete, 1 << 30);
            World {
                memory: Memory::new(properties, Arc::default(), vec![]).unwrap(),
                names: Names::default(),
            }
        }

        fn allocate(&self, size: u64) -> Arc<Allocation> {
            let request = Request {
                size,
                type_index: 1,
                owner: vk::ObjectType::DEVICE_MEMORY,
                placement: Placement::Anywhere,
                backing: Backing::Private,
            };
            let allocation = self.memory.allocate(&request).unwrap();
            allocation.commit().unwrap();
            allocation.announce(7);
            allocation
        }

        fn bind(&self, handle: u64, address: u64, size: u64) {
            let (history, kind) = (self.memory.history(), vk::ObjectType::BUFFER);
            history.bound(kind, handle, address, size, Detail::None);
        }

        fn says(&self, address: u64) -> (&'static str, String) {
            let until = self.memory.history().now();
            let explanation = explain(&self.memory, &self.names, address, until);
            (explanation.problem, explanation.text)
        }
    }

    #[test]
    fn an_address_that_cannot_be_one_is_said_to_be_that() {
        let world = World::new();
        assert_eq!(world.says(0).1, "a null address");
        assert_eq!(world.says(1), ("null", "a null address plus 1 byte".to_owned()));
        assert_eq!(world.says(0x1234_5678_9abc_def0).0, "non-canonical");
        assert_eq!(world.says(0x7fff_0000_0000).0, "outside");
    }

    #[test]
    fn what_lies_before_an_address_tells_an_overrun() {
        let world = World::new();
        let memory = world.allocate(8192);
        let base = memory.address();
        world.names.set(vk::ObjectType::BUFFER.as_raw(), 3, "lights");
        world.bind(3, base, 64);
        assert_eq!(world.says(base + 8).0, "resource");
        let text = "4 bytes past the end of buffer 'lights' (64 bytes)".to_owned();
        assert_eq!(world.says(base + 68), ("beyond-buffer", text));
        let text = "at the end of memory 0x7 (8192 bytes)".to_owned();
        assert_eq!(world.says(base + 8192), ("beyond-allocation", text));
        assert_eq!(world.says(base + (1 << 30)).0, "never-allocated");
    }

    #[test]
    fn what_was_there_is_said_and_when_it_went() {
        let world = World::new();
        let memory = world.allocate(4096);
        let base = memory.address();
        world.bind(3, base, 64);
        world.memory.history().submitted();
        let name = Some("old".into());
        world.memory.history().destroyed(vk::ObjectType::BUFFER, 3, name);
        let text = "buffer 'old' was destroyed before submission 2".to_owned();
        assert_eq!(world.says(base), ("destroyed", text));
        let pending = world.memory.history().submitted();
        drop(memory);
        let text = "memory that was freed before submission 3; buffer 'old' was there";
        assert_eq!(world.says(base), ("freed", text.to_owned()));
        let explanation = explain(&world.memory, &world.names, base, pending);
        let text = "memory that was freed while this submission was pending; buffer 'old' was there";
        assert_eq!(explanation.text, text);
    }

    #[test]
    fn kinds_have_their_names() {
        assert_eq!(kind_name(vk::ObjectType::DEVICE_MEMORY), "VkDeviceMemory");
        assert_eq!(kind_name(vk::ObjectType::SWAPCHAIN_KHR), "VkSwapchainKHR");
    }
}
