//! Heaps and memory types: what `vkGetPhysicalDeviceMemoryProperties` says, and how large heaps may be here.
#![forbid(unsafe_code)]

use crate::vk;
use vk::MemoryPropertyFlags as Flags;

/// Size of each heap where the machine has room for it.
const DEFAULT_HEAP: u64 = 4 << 30;
/// Heap sizes are multiples of this.
const HEAP_UNIT: u64 = 64 << 20;

/// Which device the memory of Lahar looks like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Profile {
    /// A discrete card: memory of its own, not all of it mappable, and a heap of host memory.
    #[default]
    Discrete,
    /// One heap and one type that can do everything.
    Unified,
}

/// A heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Heap {
    /// Bytes.
    pub size: u64,
    /// Vulkan's flags.
    pub flags: vk::MemoryHeapFlags,
}

/// A memory type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryType {
    /// Vulkan's flags.
    pub flags: Flags,
    /// Index of its heap.
    pub heap: u32,
}

/// The heaps and types of a physical device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Properties {
    /// Heaps.
    pub heaps: Vec<Heap>,
    /// Types, in the order that Vulkan prescribes: a subset of flags comes before its superset.
    pub types: Vec<MemoryType>,
    /// Whether types that are coherent within the device may be used (`VK_AMD_device_coherent_memory`).
    pub device_coherent: bool,
}

/// What types have that are coherent within the device. All of Lahar's memory is; these types say so.
const DEVICE_COHERENT: Flags =
    Flags::from_raw(Flags::DEVICE_COHERENT_AMD.as_raw() | Flags::DEVICE_UNCACHED_AMD.as_raw());

impl Properties {
    /// The memory of `profile` on a machine on which `limit` bytes can be used.
    #[must_use]
    pub fn new(profile: Profile, limit: u64) -> Properties {
        let mappable = Flags::HOST_VISIBLE | Flags::HOST_COHERENT;
        let cached = mappable | Flags::HOST_CACHED;
        let local = Flags::DEVICE_LOCAL;
        let device = vk::MemoryHeapFlags::DEVICE_LOCAL;
        let ty = |flags, heap| MemoryType { flags, heap };
        match profile {
            Profile::Discrete => {
                // Three quarters of what there is, shared evenly: the process needs memory of its own.
                let size = heap_size(limit / 8 * 3);
                Properties {
                    heaps: vec![
                        Heap { size, flags: device },
                        Heap {
                            size,
                            flags: vk::MemoryHeapFlags::empty(),
                        },
                    ],
                    types: vec![
                        ty(local, 0),
                        ty(mappable, 1),
                        ty(cached, 1),
                        ty(local | cached, 0),
                        ty(mappable | DEVICE_COHERENT, 1),
                        ty(local | cached | DEVICE_COHERENT, 0),
                    ],
                    device_coherent: false,
                }
            }
            Profile::Unified => Properties {
                heaps: vec![Heap {
                    size: heap_size(limit / 4 * 3),
                    flags: device,
                }],
                types: vec![ty(local | cached, 0), ty(local | cached | DEVICE_COHERENT, 0)],
                device_coherent: false,
            },
        }
    }

    /// Memory of these heaps and types, with heaps no larger than fits a machine on which `limit` bytes can be used.
    #[must_use]
    pub fn made_of(heaps: &[Heap], types: &[MemoryType], limit: u64) -> Properties {
        let most = heap_size(limit / 4 * 3 / heaps.len().max(1) as u64);
        let coherent = types.iter().filter(|ty| ty.flags.contains(Flags::HOST_COHERENT));
        let coherent = coherent.map(|ty| MemoryType {
            flags: ty.flags | DEVICE_COHERENT,
            ..*ty
        });
        Properties {
            heaps: heaps
                .iter()
                .map(|heap| Heap {
                    size: heap.size.min(most),
                    ..*heap
                })
                .collect(),
            types: types.iter().copied().chain(coherent).collect(),
            device_coherent: false,
        }
    }

    /// As Vulkan's structure.
    #[must_use]
    pub fn to_vk(&self) -> vk::PhysicalDeviceMemoryProperties {
        let mut out = vk::PhysicalDeviceMemoryProperties {
            memory_type_count: self.types.len() as u32,
            memory_heap_count: self.heaps.len() as u32,
            ..Default::default()
        };
        for (o, t) in out.memory_types.iter_mut().zip(&self.types) {
            *o = vk::MemoryType {
                property_flags: t.flags,
                heap_index: t.heap,
            };
        }
        for (o, h) in out.memory_heaps.iter_mut().zip(&self.heaps) {
            *o = vk::MemoryHeap {
                size: h.size,
                flags: h.flags,
            };
        }
        out
    }

    /// Mask of all types that may be used.
    #[must_use]
    pub fn all_types(&self) -> u32 {
        (0..self.types.len() as u32)
            .filter(|&index| self.is_usable(index))
            .fold(0, |mask, index| mask | 1 << index)
    }

    /// Whether there is such a type, and it may be used.
    #[must_use]
    pub fn is_usable(&self, type_index: u32) -> bool {
        let ty = self.types.get(type_index as usize);
        ty.is_some_and(|ty| self.device_coherent || !ty.flags.intersects(DEVICE_COHERENT))
    }

    /// Whether memory of a type can be mapped.
    #[must_use]
    pub fn is_mappable(&self, type_index: u32) -> bool {
        self.types
            .get(type_index as usize)
            .is_some_and(|t| t.flags.contains(Flags::HOST_VISIBLE))
    }
}

fn heap_size(room: u64) -> u64 {
    (room.min(DEFAULT_HEAP) / HEAP_UNIT * HEAP_UNIT).max(HEAP_UNIT)
}

/// Bytes that this process may use: physical memory, or the limit of its control group or its own.
#[must_use]
pub fn host_limit() -> u64 {
    let total = meminfo_total().unwrap_or(DEFAULT_HEAP);
    let limits = std::fs::read_to_string("/proc/self/limits").unwrap_or_default();
    cgroup_limits()
        .into_iter()
        .chain(process_limits(&limits))
        .fold(total, u64::min)
}

/// The limits of the process on its memory, as the kernel prints them.
fn process_limits(text: &str) -> impl Iterator<Item = u64> {
    ["Max data size", "Max address space"]
        .into_iter()
        .filter_map(|name| text.lines().find_map(|line| line.strip_prefix(name)))
        .filter_map(|rest| rest.split_whitespace().next()?.parse().ok())
}

fn meminfo_total() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|l| l.strip_prefix("MemTotal:"))?;
    line.trim()
        .strip_suffix("kB")?
        .trim()
        .parse::<u64>()
        .ok()?
        .checked_mul(1024)
}

/// The limits of the process's control group and its parents (version 2, and version 1's memory controller).
fn cgroup_limits() -> Vec<u64> {
    let own = std::fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let mut limits = vec![];
    for line in own.lines() {
        let mut fields = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (fields.next(), fields.next()) else {
            continue;
        };
        let (root, file) = match controllers {
            "" => ("/sys/fs/cgroup", "memory.max"),
            c if c.split(',').any(|c| c == "memory") => ("/sys/fs/cgroup/memory", "memory.limit_in_bytes"),
            _ => continue,
        };
        let mut group = path.trim_matches('/');
        loop {
            let read = std::fs::read_to_string(format!("{root}/{group}/{file}"));
            limits.extend(read.ok().and_then(|t| t.trim().parse::<u64>().ok()));
            if group.is_empty() {
                break;
            }
            group = group.rsplit_once('/').map_or("", |(parent, _)| parent);
        }
    }
    limits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_in_the_order_that_vulkan_prescribes() {
        for profile in [Profile::Discrete, Profile::Unified] {
            let p = Properties::new(profile, 64 << 30);
            for (i, x) in p.types.iter().enumerate() {
                for y in &p.types[..i] {
                    assert!(
                        !(y.flags.contains(x.flags) && y.flags != x.flags),
                        "a superset comes first"
                    );
                }
            }
            assert!(
                p.types
                    .iter()
                    .any(|t| t.flags.contains(Flags::HOST_VISIBLE | Flags::HOST_COHERENT))
            );
            assert!(p.types.iter().any(|t| t.flags.contains(Flags::DEVICE_LOCAL)));
        }
    }

    #[test]
    fn heaps_fit_the_machine() {
        let small = Properties::new(Profile::Discrete, 2 << 30);
        assert!(small.heaps.iter().map(|h| h.size).sum::<u64>() <= 2 << 30);
        assert_eq!(
            Properties::new(Profile::Discrete, 1 << 40).heaps[0].size,
            DEFAULT_HEAP
        );
        assert!(host_limit() > 0);
    }

    #[test]
    fn limits_of_the_process_count() {
        let text = "Max data size             unlimited            unlimited            bytes     \n\
                    Max address space         536870912            unlimited            bytes     \n";
        assert_eq!(process_limits(text).collect::<Vec<_>>(), [536_870_912]);
    }
}
