//! How objects of a device come and go: with the application's host memory, and counted and reported.

use crate::{device::DeviceState, error::Answer, host::HostBlock, instance::InstanceState, table::Table};
use ash::vk;
use lahar::memory::{Charge, Footprint};
use std::sync::Arc;

impl InstanceState {
    /// Makes an object and its handle.
    pub(crate) fn add<H: vk::Handle + Copy, T>(
        &self,
        table: &Table<H, T>,
        allocator: Option<&vk::AllocationCallbacks<'_>>,
        make: impl FnOnce() -> Arc<T>,
    ) -> Answer<H> {
        let scope = vk::SystemAllocationScope::OBJECT;
        let host = HostBlock::take(allocator, self.callbacks, size_of::<T>(), scope)?;
        let handle = table.reserve();
        table.fill_with(handle, make(), Costs { host, charge: None });
        Ok(handle)
    }
}

/// What an object has besides itself.
#[derive(Default)]
pub(crate) struct Costs {
    host: Option<HostBlock>,
    charge: Option<Charge>,
}

impl Costs {
    /// Bytes that are counted.
    pub(crate) fn bytes(&self) -> u64 {
        self.charge.as_ref().map_or(0, Charge::bytes)
    }

    /// None if there are none.
    pub(crate) fn into_box(self) -> Option<Box<Self>> {
        (self.host.is_some() || self.charge.is_some()).then(|| Box::new(self))
    }
}

impl DeviceState {
    /// Takes host memory for an object of type `T`, before the object is made.
    pub(crate) fn host_block<T>(
        &self,
        allocator: Option<&vk::AllocationCallbacks<'_>>,
        scope: vk::SystemAllocationScope,
    ) -> Answer<Option<HostBlock>> {
        HostBlock::take(allocator, self.callbacks, size_of::<T>(), scope)
    }

    /// Makes an object and its handle. When that fails nothing of it is left.
    pub(crate) fn create<H: vk::Handle + Copy, T: Footprint>(
        &self,
        table: &Table<H, T>,
        allocator: Option<&vk::AllocationCallbacks<'_>>,
        make: impl FnOnce() -> Answer<T>,
    ) -> Answer<H> {
        let host = self.host_block::<T>(allocator, vk::SystemAllocationScope::OBJECT)?;
        self.add(table, host, Arc::new(make()?))
    }

    /// Gives an object a handle, and counts what it takes.
    pub(crate) fn add<H: vk::Handle + Copy, T: Footprint>(
        &self,
        table: &Table<H, T>,
        host: Option<HostBlock>,
        object: Arc<T>,
    ) -> Answer<H> {
        let bytes = object.footprint();
        let handle = table.reserve();
        let charge = match bytes {
            0 => Ok(None),
            bytes => self.memory.charge(bytes, H::TYPE, handle.as_raw()).map(Some),
        };
        let charge = match object.account() {
            Some(account) => charge.map(|charge| charge.map(|charge| charge.with_account(account))),
            None => charge,
        };
        match charge {
            Ok(charge) => {
                table.fill_with(handle, object, Costs { host, charge });
                Ok(handle)
            }
            Err(error) => {
                table.remove(handle);
                Err(error.into())
            }
        }
    }
}

/// Takes an object out of its table and gives its memory back, if it is there.
pub(crate) fn destroy<H: vk::Handle + Copy, T>(
    table: &Table<H, T>,
    handle: H,
    allocator: Option<&vk::AllocationCallbacks<'_>>,
) -> Option<Arc<T>> {
    let (object, costs) = table.take(handle)?;
    if let Some(Costs { host: Some(host), .. }) = costs.map(|costs| *costs) {
        host.give(allocator);
    }
    object
}
