//! Memory, buffers and images through the loader.

mod common;

use ash::vk;
use common::{Device, child};

fn memory_types(device: &Device) -> vk::PhysicalDeviceMemoryProperties {
    let instance = &device.instance;
    // SAFETY: the physical device is alive.
    unsafe {
        instance
            .raw
            .get_physical_device_memory_properties(instance.physical)
    }
}

fn find_type(device: &Device, bits: u32, flags: vk::MemoryPropertyFlags) -> u32 {
    let types = memory_types(device);
    let has = |i: u32| types.memory_types[i as usize].property_flags.contains(flags);
    (0..types.memory_type_count)
        .find(|&i| bits & 1 << i != 0 && has(i))
        .expect("a type")
}

const MAPPABLE: vk::MemoryPropertyFlags = vk::MemoryPropertyFlags::from_raw(
    vk::MemoryPropertyFlags::HOST_VISIBLE.as_raw() | vk::MemoryPropertyFlags::HOST_COHERENT.as_raw(),
);

fn allocate(device: &Device, size: u64, ty: u32) -> Result<vk::DeviceMemory, vk::Result> {
    let info = vk::MemoryAllocateInfo::default()
        .allocation_size(size)
        .memory_type_index(ty);
    // SAFETY: the type exists.
    unsafe { device.raw.allocate_memory(&info, None) }
}

#[test]
fn mapped_memory_is_zero_and_holds_what_is_written() {
    let device = Device::new();
    let ty = find_type(&device, !0, MAPPABLE);
    for size in [1u64, 4096, 65536, 5 << 20] {
        let memory = allocate(&device, size, ty).unwrap();
        // SAFETY: the memory is mappable, and the slice stays inside of it.
        unsafe {
            let at = device
                .raw
                .map_memory(memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty())
                .unwrap();
            let bytes = std::slice::from_raw_parts_mut(at.cast::<u8>(), size as usize);
            assert!(bytes.iter().all(|b| *b == 0));
            bytes.fill(7);
            device.raw.unmap_memory(memory);
            device.raw.free_memory(memory, None);
        }
    }
}

#[test]
fn memory_that_is_not_host_visible_cannot_be_mapped() {
    let device = Device::new();
    let types = memory_types(&device);
    let hidden = (0..types.memory_type_count)
        .find(|&i| !types.memory_types[i as usize].property_flags.contains(MAPPABLE))
        .expect("a type of the device's own");
    let memory = allocate(&device, 4096, hidden).unwrap();
    // SAFETY: the driver is asked for what it must refuse.
    unsafe {
        let mapped = device
            .raw
            .map_memory(memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty());
        assert_eq!(mapped.unwrap_err(), vk::Result::ERROR_MEMORY_MAP_FAILED);
        device.raw.free_memory(memory, None);
    }
}

#[test]
fn heaps_end_where_they_say() {
    // The devices of a process share its heaps, so other tests must not be there.
    child::isolated("heaps_end_where_they_say", &[], || {
        let (device, other) = (Device::new(), Device::new());
        let types = memory_types(&device);
        // Types that are coherent within the device need a feature.
        let plain = |ty: &u32| {
            let flags = types.memory_types[*ty as usize].property_flags;
            !flags.contains(vk::MemoryPropertyFlags::DEVICE_COHERENT_AMD)
        };
        for ty in (0..types.memory_type_count).filter(plain) {
            let heap = types.memory_heaps[types.memory_types[ty as usize].heap_index as usize];
            let most = allocate(&device, heap.size, ty).unwrap();
            for device in [&device, &other] {
                assert_eq!(
                    allocate(device, 1, ty).unwrap_err(),
                    vk::Result::ERROR_OUT_OF_DEVICE_MEMORY
                );
            }
            // SAFETY: it is not in use.
            unsafe { device.raw.free_memory(most, None) };
            let again = allocate(&other, 1, ty).unwrap();
            // SAFETY: it is not in use.
            unsafe { other.raw.free_memory(again, None) };
        }
    });
}

#[test]
fn the_same_calls_give_the_same_addresses_and_handles() {
    let run = || {
        let device = Device::new();
        let ty = find_type(&device, !0, MAPPABLE);
        let mut seen = vec![];
        let mut held = std::collections::VecDeque::new();
        for i in 0..40u64 {
            let memory = allocate(&device, 1000 * (i * 7 % 13 + 1), ty).unwrap();
            // SAFETY: the memory is mappable; what is freed is not in use.
            unsafe {
                let at = device
                    .raw
                    .map_memory(memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty())
                    .unwrap();
                seen.push((vk::Handle::as_raw(memory), at as u64));
                held.push_back(memory);
                if i % 3 == 0 {
                    device.raw.free_memory(held.pop_front().unwrap(), None);
                }
            }
        }
        // SAFETY: none is in use.
        held.into_iter()
            .for_each(|m| unsafe { device.raw.free_memory(m, None) });
        // Devices of other tests may hold other windows.
        let first = seen[0].1;
        seen.into_iter()
            .map(|(handle, at)| (handle, at.wrapping_sub(first)))
            .collect::<Vec<_>>()
    };
    assert_eq!(run(), run());
}

#[test]
fn a_linear_image_lies_as_its_layout_says() {
    let device = Device::new();
    let info = vk::ImageCreateInfo::default()
        .image_type(vk::ImageType::TYPE_2D)
        .format(vk::Format::R8G8B8A8_UNORM)
        .extent(vk::Extent3D {
            width: 33,
            height: 17,
            depth: 1,
        })
        .mip_levels(1)
        .array_layers(1)
        .samples(vk::SampleCountFlags::TYPE_1)
        .tiling(vk::ImageTiling::LINEAR)
        .usage(vk::ImageUsageFlags::TRANSFER_DST);
    // SAFETY: everything passed is valid and destroyed once.
    unsafe {
        let image = device.raw.create_image(&info, None).unwrap();
        let needs = device.raw.get_image_memory_requirements(image);
        let whole = vk::ImageSubresource {
            aspect_mask: vk::ImageAspectFlags::COLOR,
            ..Default::default()
        };
        let layout = device.raw.get_image_subresource_layout(image, whole);
        assert!(layout.row_pitch >= 33 * 4 && layout.size >= layout.row_pitch * 17);
        assert!(layout.offset + layout.size <= needs.size && needs.alignment.is_power_of_two());
        let memory = allocate(
            &device,
            needs.size,
            find_type(&device, needs.memory_type_bits, MAPPABLE),
        )
        .unwrap();
        device.raw.bind_image_memory(image, memory, 0).unwrap();
        let view = vk::ImageViewCreateInfo::default()
            .image(image)
            .view_type(vk::ImageViewType::TYPE_2D)
            .format(info.format)
            .subresource_range(vk::ImageSubresourceRange {
                aspect_mask: vk::ImageAspectFlags::COLOR,
                level_count: vk::REMAINING_MIP_LEVELS,
                layer_count: vk::REMAINING_ARRAY_LAYERS,
                ..Default::default()
            });
        let view = device.raw.create_image_view(&view, None).unwrap();
        device.raw.destroy_image_view(view, None);
        device.raw.destroy_image(image, None);
        device.raw.free_memory(memory, None);
    }
}

#[test]
fn a_buffer_takes_no_more_than_its_size_rounded_up() {
    let device = Device::new();
    for size in [1u64, 64, 100, 65536, (1 << 20) + 1] {
        let info = vk::BufferCreateInfo::default()
            .size(size)
            .usage(vk::BufferUsageFlags::STORAGE_BUFFER);
        // SAFETY: everything passed is valid and destroyed once.
        unsafe {
            let buffer = device.raw.create_buffer(&info, None).unwrap();
            let needs = device.raw.get_buffer_memory_requirements(buffer);
            assert_eq!(needs.size, size.next_multiple_of(needs.alignment));
            device.raw.destroy_buffer(buffer, None);
        }
    }
}
