//! What the physical device claims.

use super::checkpoint;
use crate::{
    args::{Out, OutArray},
    boundary::commands,
    chain,
    dispatch::Ref,
    generated::newer::QueueFamilyOwnershipTransferPropertiesKHR,
    instance::PhysicalDevice,
};
use ash::vk;
use lahar::physical::{features, queues::QueueFamily, registry};

commands! {
    fn vkGetPhysicalDeviceFeatures(physical: Ref<PhysicalDevice>, out: Out<vk::PhysicalDeviceFeatures>) {
        out.write(basic_features(&physical));
        Ok(())
    }

    fn vkGetPhysicalDeviceFeatures2(
        physical: Ref<PhysicalDevice>,
        out: &mut vk::PhysicalDeviceFeatures2<'_>,
    ) {
        let hidden = physical.hidden();
        out.features = basic_features(&physical);
        for mut link in chain::links(out) {
            let Some(row) = registry::feature_struct(link.s_type().as_raw()) else { continue };
            let members = row.members.iter().zip(features::members(row));
            for (slot, (name, offered)) in link.bools(row.members.len()).iter_mut().zip(members) {
                *slot = vk::Bool32::from(offered && !hidden.has_feature(name));
            }
        }
        Ok(())
    }

    fn vkGetPhysicalDeviceQueueFamilyProperties(
        physical: Ref<PhysicalDevice>,
        count: &mut u32,
        out: OutArray<vk::QueueFamilyProperties>,
    ) {
        Ok(out.enumerate(count, physical.families().iter().map(QueueFamily::to_vk)))
    }

    fn vkGetPhysicalDeviceQueueFamilyProperties2(
        physical: Ref<PhysicalDevice>,
        count: &mut u32,
        out: OutArray<vk::QueueFamilyProperties2<'_>>,
    ) {
        Ok(out.enumerate_in_place(count, physical.families().iter(), |slot, family| {
            slot.queue_family_properties = family.to_vk();
            let stages = checkpoint::STAGES.iter().fold(vk::PipelineStageFlags::empty(), |all, stage| all | *stage);
            if let Some(told) = chain::find_mut::<vk::QueueFamilyGlobalPriorityPropertiesKHR<'_>, _>(slot) {
                told.priority_count = PRIORITIES.len() as u32;
                told.priorities[..PRIORITIES.len()].copy_from_slice(&PRIORITIES);
            }
            if let Some(told) = chain::find_mut::<QueueFamilyOwnershipTransferPropertiesKHR, _>(slot) {
                // No family keeps anything from another.
                told.optimal_image_transfer_to_queue_families = u32::MAX;
            }
            if let Some(told) = chain::find_mut::<vk::QueueFamilyCheckpointPropertiesNV<'_>, _>(slot) {
                told.checkpoint_execution_stage_mask = stages;
            }
            if let Some(told) = chain::find_mut::<vk::QueueFamilyCheckpointProperties2NV<'_>, _>(slot) {
                told.checkpoint_execution_stage_mask = vk::PipelineStageFlags2::from_raw(stages.as_raw().into());
            }
        }))
    }

    fn vkGetPhysicalDeviceMemoryProperties(
        physical: Ref<PhysicalDevice>,
        out: Out<vk::PhysicalDeviceMemoryProperties>,
    ) {
        out.write(physical.memory.to_vk());
        Ok(())
    }

    fn vkGetPhysicalDeviceMemoryProperties2(
        physical: Ref<PhysicalDevice>,
        out: &mut vk::PhysicalDeviceMemoryProperties2<'_>,
    ) {
        out.memory_properties = physical.memory.to_vk();
        if let Some(budget) = chain::find_mut::<vk::PhysicalDeviceMemoryBudgetPropertiesEXT<'_>, _>(out) {
            budget.heap_budget = [0; vk::MAX_MEMORY_HEAPS];
            budget.heap_usage = [0; vk::MAX_MEMORY_HEAPS];
            for (index, heap) in physical.memory.heaps.iter().enumerate() {
                budget.heap_budget[index] = heap.size.min(physical.memory_usage.budget(index as u32));
                budget.heap_usage[index] = physical.memory_usage.of(index as u32);
            }
        }
        Ok(())
    }
}

/// What queues may ask for; all are served alike.
const PRIORITIES: [vk::QueueGlobalPriorityKHR; 4] = [
    vk::QueueGlobalPriorityKHR::LOW,
    vk::QueueGlobalPriorityKHR::MEDIUM,
    vk::QueueGlobalPriorityKHR::HIGH,
    vk::QueueGlobalPriorityKHR::REALTIME,
];

/// Aliases of extensions.
pub(crate) const ALIASES: &[(&str, &str)] = &[
    ("vkGetPhysicalDeviceFeatures2KHR", "vkGetPhysicalDeviceFeatures2"),
    (
        "vkGetPhysicalDeviceMemoryProperties2KHR",
        "vkGetPhysicalDeviceMemoryProperties2",
    ),
    (
        "vkGetPhysicalDeviceQueueFamilyProperties2KHR",
        "vkGetPhysicalDeviceQueueFamilyProperties2",
    ),
];

/// The features of Vulkan 1.0.
fn basic_features(physical: &PhysicalDevice) -> vk::PhysicalDeviceFeatures {
    let hidden = physical.hidden();
    let mut out = vk::PhysicalDeviceFeatures::default();
    let members = registry::basic_features().iter().zip(features::basic());
    for (slot, (name, offered)) in basic_bools(&mut out).iter_mut().zip(members) {
        *slot = vk::Bool32::from(offered && !hidden.has_feature(name));
    }
    out
}

/// The members of the structure, in order.
fn basic_bools(features: &mut vk::PhysicalDeviceFeatures) -> &mut [vk::Bool32] {
    // SAFETY: all members of the structure are of this type.
    unsafe { std::slice::from_raw_parts_mut(std::ptr::from_mut(features).cast(), BASIC_COUNT) }
}

/// Whether each member of the structure is set, in order.
pub(super) fn basic_values(features: &vk::PhysicalDeviceFeatures) -> impl Iterator<Item = bool> {
    // SAFETY: all members of the structure are of this type.
    let members: &[vk::Bool32] =
        unsafe { std::slice::from_raw_parts(std::ptr::from_ref(features).cast(), BASIC_COUNT) };
    members.iter().map(|member| *member != vk::FALSE)
}

const BASIC_COUNT: usize = size_of::<vk::PhysicalDeviceFeatures>() / size_of::<vk::Bool32>();
