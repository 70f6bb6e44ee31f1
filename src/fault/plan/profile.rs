//! Device profiles: what the device looks like, in files that are read as plans are.

use super::error::{At, PlanError, expected};
use super::hidden::{self, Hidden};
use super::read::{Members, table};
use super::syntax::{self, Entry, Value};
use super::tables::{self, FaultKind, Kind, Member, member};
use crate::memory::{Heap, MemoryType, Profile, Properties};
use crate::physical::{
    properties::SUBGROUP_SIZE,
    queues::{QueueFamily, families},
};
use crate::vk;
use vk::MemoryPropertyFlags as Memory;

/// What a device looks like.
#[derive(Clone, Debug)]
pub struct DeviceProfile {
    /// Its name.
    pub name: String,
    /// What it is, for people.
    pub description: String,
    /// What it is like where it says nothing else.
    pub like: Profile,
    /// What it does not offer.
    pub hidden: Hidden,
    heaps: Vec<Heap>,
    types: Vec<MemoryType>,
    families: Vec<QueueFamily>,
}

impl Default for DeviceProfile {
    fn default() -> Self {
        DeviceProfile::built_in(Profile::Discrete)
    }
}

/// Files that are part of the driver, by name.
static SHIPPED: &[(&str, &str)] = &[
    ("minimal", include_str!("../../../profiles/minimal.toml")),
    ("tiler", include_str!("../../../profiles/tiler.toml")),
    ("workstation", include_str!("../../../profiles/workstation.toml")),
];

/// The names that need no file.
pub const PROFILE_NAMES: &[&str] = &["discrete", "unified", "minimal", "tiler", "workstation"];

const ANY: u64 = u64::MAX;

static HEAP: &[Member] = &[
    member(
        "size",
        Kind::Number(1 << 20, 1 << 40),
        "required",
        "bytes; less where the machine has less",
    ),
    member(
        "device_local",
        Kind::Flag,
        "`false`",
        "whether it is the device's own",
    ),
];

static MEMORY_TYPE: &[Member] = &[
    member("heap", Kind::Number(0, 15), "required", "its heap, from 0"),
    member(
        "flags",
        Kind::List,
        "none",
        "`device_local`, `host_visible`, `host_coherent`, `host_cached`",
    ),
];

static QUEUE_FAMILY: &[Member] = &[
    member(
        "flags",
        Kind::List,
        "required",
        "`graphics`, `compute`, `transfer`",
    ),
    member("count", Kind::Number(1, 16), "1", "its queues"),
];

static TOP: &[Member] = &[
    member("version", Kind::Number(1, 1), "required", "1"),
    member(
        "name",
        Kind::Text,
        "required",
        "its name, which the device's name has in parentheses",
    ),
    member("description", Kind::Text, "none", "for people"),
    member(
        "like",
        Kind::Word(&["discrete", "unified"]),
        "`discrete`",
        "what heaps, memory types and queue families are like where the file has none",
    ),
    member(
        "subgroup_size",
        Kind::Number(0, ANY),
        "8",
        "invocations of a subgroup; 8 is the only size that shaders really have, so it is the only one that can be said",
    ),
];

const MEMORY_FLAGS: &[(&str, Memory)] = &[
    ("device_local", Memory::DEVICE_LOCAL),
    ("host_visible", Memory::HOST_VISIBLE),
    ("host_coherent", Memory::HOST_COHERENT),
    ("host_cached", Memory::HOST_CACHED),
];

const QUEUE_FLAGS: &[(&str, vk::QueueFlags)] = &[
    ("graphics", vk::QueueFlags::GRAPHICS),
    ("compute", vk::QueueFlags::COMPUTE),
    ("transfer", vk::QueueFlags::TRANSFER),
];

type Read<T> = Result<T, At>;

/// The flags that a list of words means.
fn flags<T: Copy + std::ops::BitOr<Output = T> + Default>(
    members: &Members<'_>,
    table: &[(&str, T)],
) -> Read<T> {
    let mut all = T::default();
    for (at, word) in members.list("flags") {
        let Some((_, flag)) = table.iter().find(|row| row.0 == word) else {
            let words = table.iter().map(|row| row.0);
            return Err(At::new(
                at,
                format!("unknown flag `{word}`: {}", expected(word, words)),
            ));
        };
        all = all | *flag;
    }
    Ok(all)
}

/// The tables of a list, each checked against a table of members.
fn tables_of<'a>(entry: &'a Entry, of: &'static [Member], most: usize) -> Read<Vec<Members<'a>>> {
    let Value::List(items) = &entry.node.value else {
        let message = format!("`{0}` is not a list: expected `[[{0}]]`", entry.name);
        return Err(At::new(entry.at, message));
    };
    if items.is_empty() || items.len() > most {
        let message = format!("`{}`: {} of them: expected 1 to {most}", entry.name, items.len());
        return Err(At::new(entry.node.at, message));
    }
    let whose = format!("`{}`", entry.name);
    let read = |node| Members::read(table(node, &whose)?, node.at, of, &whose);
    items.iter().map(read).collect()
}

impl DeviceProfile {
    fn built_in(like: Profile) -> DeviceProfile {
        let (name, description) = match like {
            Profile::Discrete => (
                "discrete",
                "two heaps, the first of which is not mappable as a whole; two queue families (the default)",
            ),
            Profile::Unified => ("unified", "one heap, one queue"),
        };
        DeviceProfile {
            name: name.to_owned(),
            description: description.to_owned(),
            like,
            hidden: Hidden::default(),
            heaps: Vec::new(),
            types: Vec::new(),
            families: families(like).to_vec(),
        }
    }

    /// One of [`PROFILE_NAMES`].
    #[must_use]
    pub fn named(name: &str) -> Option<DeviceProfile> {
        match name {
            "discrete" => Some(DeviceProfile::built_in(Profile::Discrete)),
            "unified" => Some(DeviceProfile::built_in(Profile::Unified)),
            _ => {
                let text = SHIPPED.iter().find(|row| row.0 == name)?.1;
                DeviceProfile::parse(text).ok()
            }
        }
    }

    /// Reads one.
    ///
    /// # Errors
    /// The first thing that is wrong, with its place.
    pub fn parse(text: &str) -> Result<DeviceProfile, PlanError> {
        syntax::toml(text)
            .and_then(|root| DeviceProfile::read(table(&root, "the profile")?))
            .map_err(|at| at.locate(text))
    }

    fn read(entries: &[Entry]) -> Read<DeviceProfile> {
        const LISTS: [&str; 4] = ["heap", "memory_type", "queue_family", "hide"];
        let (lists, plain): (Vec<&Entry>, Vec<&Entry>) =
            entries.iter().partition(|entry| LISTS.contains(&&*entry.name));
        if let Some(entry) = plain
            .iter()
            .find(|entry| !TOP.iter().any(|row| row.name == entry.name))
        {
            let words = TOP.iter().map(|row| row.name).chain(LISTS);
            let message = format!(
                "unknown member `{}` of the profile: {}",
                entry.name,
                expected(&entry.name, words)
            );
            return Err(At::new(entry.at, message));
        }
        let plain: Vec<Entry> = plain.into_iter().cloned().collect();
        let top = Members::read(&plain, 0, TOP, "the profile")?;
        for name in ["version", "name"] {
            top.required(name, "the profile")?;
        }
        if top
            .number("subgroup_size")
            .is_some_and(|size| size != u64::from(SUBGROUP_SIZE))
        {
            let message = format!(
                "`subgroup_size`: expected {SUBGROUP_SIZE}, which is the size that shaders really have"
            );
            return Err(At::new(top.at("subgroup_size"), message));
        }
        let mut profile = DeviceProfile::built_in(match top.word("like") {
            Some("unified") => Profile::Unified,
            _ => Profile::Discrete,
        });
        profile.name = top.text("name").unwrap_or_default().chars().take(64).collect();
        profile.description = top.text("description").unwrap_or_default().to_owned();
        for entry in lists {
            profile.list(entry)?;
        }
        profile.check(entries)?;
        Ok(profile)
    }

    fn list(&mut self, entry: &Entry) -> Read<()> {
        match &*entry.name {
            "heap" => {
                for heap in tables_of(entry, HEAP, vk::MAX_MEMORY_HEAPS)? {
                    heap.required("size", "`heap`")?;
                    self.heaps.push(Heap {
                        size: heap.number("size").unwrap_or(0),
                        flags: match heap.flag("device_local") {
                            true => vk::MemoryHeapFlags::DEVICE_LOCAL,
                            false => vk::MemoryHeapFlags::empty(),
                        },
                    });
                }
            }
            "memory_type" => {
                // Those that are coherent within the device come in addition.
                for ty in tables_of(entry, MEMORY_TYPE, vk::MAX_MEMORY_TYPES / 2)? {
                    ty.required("heap", "`memory_type`")?;
                    self.types.push(MemoryType {
                        flags: flags(&ty, MEMORY_FLAGS)?,
                        heap: ty.number("heap").unwrap_or(0) as u32,
                    });
                }
            }
            "queue_family" => {
                self.families.clear();
                for family in tables_of(entry, QUEUE_FAMILY, 8)? {
                    family.required("flags", "`queue_family`")?;
                    self.families.push(QueueFamily {
                        flags: flags(&family, QUEUE_FLAGS)?,
                        count: family.number("count").unwrap_or(1) as u32,
                    });
                }
            }
            _ => {
                let row = tables::FAULTS.iter().find(|row| row.kind == FaultKind::Hide);
                let known = row.map_or(&[][..], |row| row.members);
                let members = table(&entry.node, "`hide`")?;
                let members = Members::read(members, entry.at, known, "`hide`")?;
                self.hidden = hidden::read(|name| members.list(name))?;
            }
        }
        Ok(())
    }

    /// Whether it is a device that Vulkan allows.
    fn check(&self, entries: &[Entry]) -> Read<()> {
        let at = |name: &str| {
            entries
                .iter()
                .find(|entry| entry.name == name)
                .map_or(0, |entry| entry.at)
        };
        let wrong = |name: &str, message: &str| Err(At::new(at(name), message.to_owned()));
        if self.heaps.is_empty() != self.types.is_empty() {
            let name = if self.heaps.is_empty() {
                "memory_type"
            } else {
                "heap"
            };
            return wrong(name, "heaps and memory types go together: expected both, or none");
        }
        let everything = vk::QueueFlags::GRAPHICS | vk::QueueFlags::COMPUTE;
        if !self
            .families
            .iter()
            .any(|family| family.flags.contains(everything))
        {
            return wrong(
                "queue_family",
                "expected a queue family with `graphics` and `compute`",
            );
        }
        if self.heaps.is_empty() {
            return Ok(());
        }
        if !self
            .heaps
            .iter()
            .any(|heap| heap.flags.contains(vk::MemoryHeapFlags::DEVICE_LOCAL))
        {
            return wrong("heap", "expected a heap with `device_local = true`");
        }
        let mappable = Memory::HOST_VISIBLE | Memory::HOST_COHERENT;
        for (n, ty) in self.types.iter().enumerate() {
            let local = self
                .heaps
                .get(ty.heap as usize)
                .map(|heap| !heap.flags.is_empty());
            let superset = |other: &&MemoryType| other.flags != ty.flags && other.flags.contains(ty.flags);
            let message = if local.is_none() {
                format!("memory type {n}: there is no heap {}", ty.heap)
            } else if local != Some(ty.flags.contains(Memory::DEVICE_LOCAL)) {
                format!("memory type {n}: `device_local` is that of its heap")
            } else if ty.flags.intersects(mappable | Memory::HOST_CACHED) && !ty.flags.contains(mappable) {
                format!("memory type {n}: what is mappable has `host_visible` and `host_coherent`")
            } else if self.types[..n].iter().find(superset).is_some() {
                format!("memory type {n}: one with more flags comes before it")
            } else {
                continue;
            };
            return wrong("memory_type", &message);
        }
        if !self.types.iter().any(|ty| ty.flags.contains(mappable)) {
            return wrong(
                "memory_type",
                "expected a memory type with `host_visible` and `host_coherent`",
            );
        }
        Ok(())
    }

    /// Its memory on a machine on which `limit` bytes can be used.
    #[must_use]
    pub fn memory(&self, limit: u64) -> Properties {
        match self.heaps.is_empty() {
            true => Properties::new(self.like, limit),
            false => Properties::made_of(&self.heaps, &self.types, limit),
        }
    }

    /// Its queue families.
    #[must_use]
    pub fn families(&self) -> &[QueueFamily] {
        &self.families
    }

    /// The device's name.
    #[must_use]
    pub fn device_name(&self, plain: &str) -> String {
        match &*self.name {
            "discrete" | "unified" => plain.to_owned(),
            name => format!("{plain} ({name})"),
        }
    }
}

/// The members of profile files, as Markdown.
#[must_use]
pub fn profile_reference() -> String {
    let mut text = String::new();
    for (title, table) in [
        ("The file", TOP),
        ("`[[heap]]`", HEAP),
        ("`[[memory_type]]`", MEMORY_TYPE),
        ("`[[queue_family]]`", QUEUE_FAMILY),
    ] {
        text.push_str(&format!("## {title}\n\n"));
        super::reference::members(&mut text, table);
        text.push('\n');
    }
    text.push_str("## `[hide]`\n\nAs the fault [`hide`](fault-plan.md#hide) of a plan.\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shipped_profiles_are_understood() {
        for (name, text) in SHIPPED {
            let profile = DeviceProfile::parse(text).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(profile.name, *name);
            assert!(!profile.description.is_empty());
        }
        assert!(
            PROFILE_NAMES
                .iter()
                .all(|name| DeviceProfile::named(name).is_some())
        );
        assert!(DeviceProfile::named("other").is_none());
        let tiler = DeviceProfile::named("tiler").expect("shipped");
        assert_eq!(tiler.memory(64 << 30).heaps.len(), 1);
        assert_eq!(tiler.device_name("Lahar"), "Lahar (tiler)");
        assert!(tiler.hidden.has_format(vk::Format::BC7_UNORM_BLOCK));
        let minimal = DeviceProfile::named("minimal").expect("shipped");
        assert!(minimal.hidden.has_feature("logicOp") && !minimal.hidden.has_feature("robustBufferAccess"));
        assert!(minimal.hidden.has_extension(c"VK_EXT_device_fault"));
        assert!(!minimal.hidden.has_extension(c"VK_KHR_swapchain"));
    }

    #[test]
    fn heaps_are_no_larger_than_the_machine_has() {
        let card = DeviceProfile::named("workstation").expect("shipped");
        let small = card.memory(1 << 30);
        assert!(small.heaps.iter().map(|heap| heap.size).sum::<u64>() <= 1 << 30);
        assert_eq!(card.memory(64 << 30).heaps[2].size, 256 << 20);
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        let head = "version = 1\nname = \"x\"\n";
        let heaps = "[[heap]]\nsize = 0x10000000\ndevice_local = true\n";
        for (text, says) in [
            ("name = \"x\"", "1:1: missing member `version` of the profile"),
            ("version = 1", "missing member `name`"),
            ("version = 2", "1:11: `version`: 2 is not"),
            (
                &format!("{head}nmae = 1"),
                "3:1: unknown member `nmae` of the profile",
            ),
            (&format!("{head}like = \"phone\""), "3:8: unknown like `phone`"),
            (
                &format!("{head}subgroup_size = 16"),
                "3:17: `subgroup_size`: expected 8",
            ),
            (
                &format!("{head}heap = 3"),
                "3:1: `heap` is not a list: expected `[[heap]]`",
            ),
            (&format!("{head}[[heap]]\nsize = 5"), "4:8: `size`: 5 is not"),
            (&format!("{head}{heaps}"), "heaps and memory types go together"),
            (
                &format!("{head}{heaps}[[memory_type]]\nheap = 1\nflags = []"),
                "there is no heap 1",
            ),
            (
                &format!("{head}{heaps}[[memory_type]]\nheap = 0\nflags = [\"host_visible\"]"),
                "`device_local` is that of its heap",
            ),
            (
                &format!(
                    "{head}{heaps}[[memory_type]]\nheap = 0\nflags = [\"device_local\", \"host_visble\"]"
                ),
                "did you mean `host_visible`?",
            ),
            (
                &format!("{head}{heaps}[[memory_type]]\nheap = 0\nflags = [\"device_local\"]"),
                "expected a memory type with `host_visible`",
            ),
            (
                &format!("{head}[[queue_family]]\nflags = [\"compute\"]"),
                "expected a queue family with `graphics` and `compute`",
            ),
            (
                &format!("{head}[hide]\nfeature = \"logicOps\""),
                "did you mean `logicOp`?",
            ),
            (
                &format!("{head}[hide]\nextension = \"VK_XYZ_*\""),
                "nothing fits `VK_XYZ_*`",
            ),
        ] {
            let error = DeviceProfile::parse(text).unwrap_err().to_string();
            assert!(error.contains(says), "{text}\n{error}");
        }
    }

    #[test]
    fn the_books_page_is_that_of_the_tables() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/profiles.md");
        let old = std::fs::read_to_string(&path).expect("the page is there");
        let begin = "<!-- made from the tables of src/fault/plan/profile.rs: LAHAR_BLESS=1 cargo test --lib profile -->\n";
        let head = old.split(begin).next().unwrap_or_default();
        let new = format!("{head}{begin}\n{}", profile_reference());
        if std::env::var_os("LAHAR_BLESS").is_some() {
            std::fs::write(&path, &new).expect("written");
        } else {
            assert_eq!(old, new, "the page is old: LAHAR_BLESS=1");
        }
    }
}
