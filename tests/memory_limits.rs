//! Programs with little memory: they are told so, and go on.

mod common;

use ash::vk;
use common::{Device, child, work};

const LIMIT: u64 = 512 << 20;

/// Bounds what the process may use, before the driver is there to see it.
fn limit(resource: libc::__rlimit_resource_t) {
    let limit = libc::rlimit {
        rlim_cur: LIMIT,
        rlim_max: LIMIT,
    };
    // SAFETY: the structure is valid.
    assert_eq!(unsafe { libc::setrlimit(resource, &raw const limit) }, 0);
}

/// Allocates until there is no more, with every byte written; how much that was.
fn fill(device: &Device) -> (u64, Vec<vk::DeviceMemory>) {
    const PIECE: u64 = 4 << 20;
    // SAFETY: the physical device is alive.
    let types = unsafe {
        let instance = &device.instance;
        instance
            .raw
            .get_physical_device_memory_properties(instance.physical)
    };
    let mut made = vec![];
    for (index, ty) in types.memory_types_as_slice().iter().enumerate() {
        loop {
            let info = vk::MemoryAllocateInfo::default()
                .allocation_size(PIECE)
                .memory_type_index(index as u32);
            // SAFETY: the type exists; the memory is mapped where it can be.
            let written = unsafe {
                device.raw.allocate_memory(&info, None).and_then(|memory| {
                    made.push(memory);
                    if ty.property_flags.contains(vk::MemoryPropertyFlags::HOST_VISIBLE) {
                        let all = vk::WHOLE_SIZE;
                        let at = device
                            .raw
                            .map_memory(memory, 0, all, vk::MemoryMapFlags::empty())?;
                        at.cast::<u8>().write_bytes(1, PIECE as usize);
                    }
                    Ok(())
                })
            };
            match written {
                Ok(()) => assert!((made.len() as u64) < LIMIT / PIECE, "there is no end"),
                Err(error) => {
                    assert_eq!(error, vk::Result::ERROR_OUT_OF_DEVICE_MEMORY);
                    break;
                }
            }
        }
    }
    (made.len() as u64 * PIECE, made)
}

fn run() {
    let device = Device::new();
    let mut amounts = vec![];
    for _ in 0..2 {
        let (bytes, made) = fill(&device);
        amounts.push(bytes);
        // SAFETY: none is in use.
        made.into_iter()
            .for_each(|memory| unsafe { device.raw.free_memory(memory, None) });
    }
    assert!(amounts[0] >= LIMIT / 4 && amounts[0] == amounts[1], "{amounts:?}");
    let buffer = work::Buffer::new(&device, 1024);
    work::run(&device, |commands| {
        // SAFETY: the buffer is alive until the work is done.
        unsafe {
            device
                .raw
                .cmd_fill_buffer(commands, buffer.raw, 0, vk::WHOLE_SIZE, 5);
        }
    });
    assert!(buffer.words().iter().all(|word| *word == 5));
    buffer.destroy(&device);
}

#[test]
fn a_small_address_space_is_enough() {
    child::isolated("a_small_address_space_is_enough", &[], || {
        limit(libc::RLIMIT_AS);
        run();
    });
}

#[test]
fn little_memory_of_its_own_is_enough() {
    child::isolated("little_memory_of_its_own_is_enough", &[], || {
        limit(libc::RLIMIT_DATA);
        run();
    });
}
