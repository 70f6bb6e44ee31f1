//! Private data: numbers that layers and applications attach to objects.

use crate::{
    args::{Out, OutArray},
    boundary::commands,
    device::Device,
    dispatch::Ref,
    instance::PhysicalDevice,
};
use ash::vk::{self, Handle};
use parking_lot::RwLock;
use std::collections::{BTreeMap, BTreeSet};

commands! {
    fn vkCreatePrivateDataSlot(
        device: Ref<Device>,
        _info: &vk::PrivateDataSlotCreateInfo<'_>,
        _allocator: Option<&vk::AllocationCallbacks<'_>>,
        slot: Out<vk::PrivateDataSlot>,
    ) -> vk::Result {
        slot.write(vk::PrivateDataSlot::from_raw(device.private_data.reserve()));
        Ok(())
    }

    fn vkDestroyPrivateDataSlot(
        device: Ref<Device>,
        slot: vk::PrivateDataSlot,
        _allocator: Option<&vk::AllocationCallbacks<'_>>,
    ) {
        device.private_data.release(slot.as_raw());
        Ok(())
    }

    fn vkSetPrivateData(
        device: Ref<Device>,
        ty: vk::ObjectType,
        object: u64,
        slot: vk::PrivateDataSlot,
        value: u64,
    ) -> vk::Result {
        device.private_data.set(ty, object, slot.as_raw(), value);
        Ok(())
    }

    fn vkGetPrivateData(
        device: Ref<Device>,
        ty: vk::ObjectType,
        object: u64,
        slot: vk::PrivateDataSlot,
        value: Out<u64>,
    ) {
        value.write(device.private_data.get(ty, object, slot.as_raw()));
        Ok(())
    }

    fn vkGetPhysicalDeviceToolProperties(
        _physical: Ref<PhysicalDevice>,
        count: &mut u32,
        _out: OutArray<vk::PhysicalDeviceToolProperties<'_>>,
    ) -> vk::Result {
        // Lahar itself is no tool; layers add themselves.
        *count = 0;
        Ok(())
    }
}

/// Aliases of extensions.
pub(crate) const ALIASES: &[(&str, &str)] = &[
    ("vkCreatePrivateDataSlotEXT", "vkCreatePrivateDataSlot"),
    ("vkDestroyPrivateDataSlotEXT", "vkDestroyPrivateDataSlot"),
    (
        "vkGetPhysicalDeviceToolPropertiesEXT",
        "vkGetPhysicalDeviceToolProperties",
    ),
    ("vkGetPrivateDataEXT", "vkGetPrivateData"),
    ("vkSetPrivateDataEXT", "vkSetPrivateData"),
];

/// The private data of a device's objects.
#[derive(Default)]
pub(crate) struct PrivateData {
    inner: RwLock<Inner>,
}

#[derive(Default)]
struct Inner {
    slots: BTreeSet<u64>,
    /// By type and handle of the object, then by slot.
    values: BTreeMap<(i32, u64), BTreeMap<u64, u64>>,
}

impl PrivateData {
    /// Takes the lowest free slot.
    fn reserve(&self) -> u64 {
        let mut inner = self.inner.write();
        let free = (1..).find(|slot| !inner.slots.contains(slot)).unwrap_or(u64::MAX);
        inner.slots.insert(free);
        free
    }

    /// Gives a slot back, with all that was in it.
    fn release(&self, slot: u64) {
        let mut inner = self.inner.write();
        inner.slots.remove(&slot);
        inner.values.retain(|_, values| {
            values.remove(&slot);
            !values.is_empty()
        });
    }

    fn set(&self, ty: vk::ObjectType, object: u64, slot: u64, value: u64) {
        let mut inner = self.inner.write();
        inner
            .values
            .entry((ty.as_raw(), object))
            .or_default()
            .insert(slot, value);
    }

    /// What was set, 0 if nothing.
    fn get(&self, ty: vk::ObjectType, object: u64, slot: u64) -> u64 {
        let inner = self.inner.read();
        let values = inner.values.get(&(ty.as_raw(), object));
        values.and_then(|values| values.get(&slot)).copied().unwrap_or(0)
    }

    /// Forgets an object that is destroyed.
    pub(crate) fn forget(&self, ty: vk::ObjectType, object: u64) {
        if !self.inner.read().values.is_empty() {
            self.inner.write().values.remove(&(ty.as_raw(), object));
        }
    }
}
