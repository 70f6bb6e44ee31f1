//! Descriptor pools and sets through the loader. What shaders find in sets is tested with the shaders.

mod common;

use ash::vk;
use common::{Device, compute::set_layout};
use vk::DescriptorType as Type;

fn layout(device: &Device, bindings: &[(u32, Type, u32)]) -> vk::DescriptorSetLayout {
    set_layout(device, vk::DescriptorSetLayoutCreateFlags::empty(), bindings)
}

fn pool(device: &Device, max_sets: u32, sizes: &[(Type, u32)]) -> vk::DescriptorPool {
    let sizes: Vec<_> = sizes
        .iter()
        .map(|&(ty, descriptor_count)| vk::DescriptorPoolSize { ty, descriptor_count })
        .collect();
    let info = vk::DescriptorPoolCreateInfo::default()
        .flags(vk::DescriptorPoolCreateFlags::FREE_DESCRIPTOR_SET)
        .max_sets(max_sets)
        .pool_sizes(&sizes);
    // SAFETY: the structure is valid.
    unsafe { device.raw.create_descriptor_pool(&info, None) }.unwrap()
}

fn allocate(
    device: &Device,
    pool: vk::DescriptorPool,
    layouts: &[vk::DescriptorSetLayout],
) -> Result<Vec<vk::DescriptorSet>, vk::Result> {
    let info = vk::DescriptorSetAllocateInfo::default()
        .descriptor_pool(pool)
        .set_layouts(layouts);
    // SAFETY: pool and layouts are alive.
    unsafe { device.raw.allocate_descriptor_sets(&info) }
}

#[test]
fn a_pool_is_used_up_freed_and_reset() {
    let device = Device::new();
    let layout = layout(
        &device,
        &[(0, Type::UNIFORM_BUFFER, 2), (1, Type::COMBINED_IMAGE_SAMPLER, 1)],
    );
    let pool = pool(
        &device,
        4,
        &[(Type::UNIFORM_BUFFER, 6), (Type::COMBINED_IMAGE_SAMPLER, 3)],
    );
    let sets = allocate(&device, pool, &[layout; 3]).unwrap();
    assert_eq!(
        allocate(&device, pool, &[layout]).unwrap_err(),
        vk::Result::ERROR_OUT_OF_POOL_MEMORY
    );
    // SAFETY: the sets are not in use.
    unsafe {
        device.raw.free_descriptor_sets(pool, &sets[1..2]).unwrap();
        assert_ne!(
            allocate(&device, pool, &[layout]).unwrap()[0],
            sets[1],
            "a stale handle is not given again"
        );
        device
            .raw
            .reset_descriptor_pool(pool, vk::DescriptorPoolResetFlags::empty())
            .unwrap();
        // All or nothing.
        assert_eq!(
            allocate(&device, pool, &[layout; 4]).unwrap_err(),
            vk::Result::ERROR_OUT_OF_POOL_MEMORY
        );
        allocate(&device, pool, &[layout; 3]).unwrap();
        device.raw.destroy_descriptor_pool(pool, None);
        device.raw.destroy_descriptor_set_layout(layout, None);
    }
}

#[test]
fn a_pool_for_one_kind_of_texel_buffers_takes_the_other() {
    let device = Device::new();
    let kinds = [Type::UNIFORM_TEXEL_BUFFER, Type::STORAGE_TEXEL_BUFFER];
    for (asked, taken) in [(kinds[1], kinds[0]), (kinds[0], kinds[1])] {
        let layout = layout(&device, &[(0, taken, 2)]);
        let pool = pool(&device, 3, &[(asked, 4)]);
        allocate(&device, pool, &[layout; 2]).unwrap();
        assert_eq!(
            allocate(&device, pool, &[layout]).unwrap_err(),
            vk::Result::ERROR_OUT_OF_POOL_MEMORY,
            "{asked:?} for {taken:?}: they are counted all the same"
        );
        // SAFETY: none of it is in use.
        unsafe {
            device.raw.destroy_descriptor_pool(pool, None);
            device.raw.destroy_descriptor_set_layout(layout, None);
        }
    }
}

#[test]
fn updates_take_null_and_stale_handles() {
    let device = Device::new();
    let layout = layout(
        &device,
        &[(0, Type::STORAGE_BUFFER, 3), (1, Type::COMBINED_IMAGE_SAMPLER, 2)],
    );
    let pool = pool(
        &device,
        2,
        &[(Type::STORAGE_BUFFER, 6), (Type::COMBINED_IMAGE_SAMPLER, 4)],
    );
    let sets = allocate(&device, pool, &[layout; 2]).unwrap();
    let buffers = [vk::DescriptorBufferInfo {
        range: vk::WHOLE_SIZE,
        ..Default::default()
    }; 3];
    let stale = vk::DescriptorImageInfo {
        sampler: vk::Handle::from_raw(0x0123_4567_89ab_cdef),
        image_view: vk::Handle::from_raw(3),
        ..Default::default()
    };
    let images = [stale, vk::DescriptorImageInfo::default()];
    let writes = [
        vk::WriteDescriptorSet::default()
            .dst_set(sets[0])
            .descriptor_type(Type::STORAGE_BUFFER)
            .buffer_info(&buffers),
        vk::WriteDescriptorSet::default()
            .dst_set(sets[0])
            .dst_binding(1)
            .descriptor_type(Type::COMBINED_IMAGE_SAMPLER)
            .image_info(&images),
    ];
    let copies = [vk::CopyDescriptorSet::default()
        .src_set(sets[0])
        .dst_set(sets[1])
        .descriptor_count(3)];
    // SAFETY: what is stale on purpose must be caught; the rest is valid.
    unsafe {
        device.raw.update_descriptor_sets(&writes, &copies);
        device.raw.destroy_descriptor_pool(pool, None);
        device.raw.destroy_descriptor_set_layout(layout, None);
    }
}

#[test]
fn layouts_of_unknown_types_are_not_supported() {
    let device = Device::new();
    let supported = |ty| {
        let binding = [vk::DescriptorSetLayoutBinding::default()
            .descriptor_type(ty)
            .descriptor_count(1)];
        let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&binding);
        let mut support = vk::DescriptorSetLayoutSupport::default();
        // SAFETY: the structures are valid.
        unsafe { device.raw.get_descriptor_set_layout_support(&info, &mut support) };
        support.supported == vk::TRUE
    };
    assert!(supported(Type::STORAGE_IMAGE));
    assert!(!supported(Type::ACCELERATION_STRUCTURE_KHR));
}
