//! Memory, semaphores and fences shared with other processes by file descriptors.

use super::memory::EXTERNAL_MEMORY;
use crate::{
    args::Out,
    boundary::commands,
    device::{Device, DeviceState},
    dispatch::Ref,
    error::{Answer, Error},
};
use ash::vk::{self, Handle};
use lahar::sync::{Fence, Semaphore};
use parking_lot::Mutex;
use std::{
    collections::BTreeMap,
    ffi::c_int,
    os::fd::{BorrowedFd, FromRawFd, IntoRawFd, OwnedFd},
    sync::Arc,
};

/// What semaphores and fences were before temporary imports, by handle.
#[derive(Default)]
pub(crate) struct Temporary {
    semaphores: Mutex<BTreeMap<u64, Arc<Semaphore>>>,
    fences: Mutex<BTreeMap<u64, Arc<Fence>>>,
}

const INVALID: Error = Error(vk::Result::ERROR_INVALID_EXTERNAL_HANDLE);
const TOO_MANY: Error = Error(vk::Result::ERROR_TOO_MANY_OBJECTS);

commands! {
    fn vkGetMemoryFdKHR(device: Ref<Device>, info: &vk::MemoryGetFdInfoKHR<'_>, fd: Out<c_int>) -> vk::Result {
        let allocation = device.tables.memories.get(info.memory)?;
        let file = allocation.file().filter(|_| info.handle_type == EXTERNAL_MEMORY).ok_or(INVALID)?;
        fd.write(file.export().map_err(|_| TOO_MANY)?.into_raw_fd());
        Ok(())
    }

    fn vkGetMemoryFdPropertiesKHR(
        _device: Ref<Device>,
        _ty: vk::ExternalMemoryHandleTypeFlags,
        _fd: c_int,
        _out: &mut vk::MemoryFdPropertiesKHR<'_>,
    ) -> vk::Result {
        // The one type of descriptors that there is is opaque, which this command is not for.
        Err::<(), _>(INVALID)
    }

    fn vkGetSemaphoreFdKHR(
        device: Ref<Device>,
        info: &vk::SemaphoreGetFdInfoKHR<'_>,
        fd: Out<c_int>,
    ) -> vk::Result {
        let semaphore = device.tables.semaphores.get(info.semaphore)?;
        let opaque = info.handle_type == vk::ExternalSemaphoreHandleTypeFlags::OPAQUE_FD;
        let exported = semaphore.export().filter(|_| opaque).ok_or(TOO_MANY)?;
        semaphore.watch(&device.engine);
        fd.write(exported.into_raw_fd());
        Ok(())
    }

    fn vkImportSemaphoreFdKHR(device: Ref<Device>, info: &vk::ImportSemaphoreFdInfoKHR<'_>) -> vk::Result {
        let old = device.tables.semaphores.get(info.semaphore)?;
        if info.handle_type != vk::ExternalSemaphoreHandleTypeFlags::OPAQUE_FD {
            return Err(INVALID);
        }
        let new = Semaphore::import(old.kind(), borrowed(info.fd)?).ok_or(INVALID)?;
        new.set_handle(info.semaphore.as_raw());
        new.watch(&device.engine);
        device.tables.semaphores.replace(info.semaphore, Arc::new(new));
        let mut kept = device.temporary.semaphores.lock();
        if info.flags.contains(vk::SemaphoreImportFlags::TEMPORARY) {
            kept.entry(info.semaphore.as_raw()).or_insert(old);
        } else {
            kept.remove(&info.semaphore.as_raw());
        }
        close(info.fd);
        Ok(())
    }

    fn vkGetFenceFdKHR(device: Ref<Device>, info: &vk::FenceGetFdInfoKHR<'_>, fd: Out<c_int>) -> vk::Result {
        let fence = device.tables.fences.get(info.fence)?;
        let opaque = info.handle_type == vk::ExternalFenceHandleTypeFlags::OPAQUE_FD;
        let exported = fence.export().filter(|_| opaque).ok_or(TOO_MANY)?;
        fence.watch(&device.engine);
        fd.write(exported.into_raw_fd());
        Ok(())
    }

    fn vkImportFenceFdKHR(device: Ref<Device>, info: &vk::ImportFenceFdInfoKHR<'_>) -> vk::Result {
        let old = device.tables.fences.get(info.fence)?;
        if info.handle_type != vk::ExternalFenceHandleTypeFlags::OPAQUE_FD {
            return Err(INVALID);
        }
        let new = Fence::import(borrowed(info.fd)?).ok_or(INVALID)?;
        new.watch(&device.engine);
        device.tables.fences.replace(info.fence, Arc::new(new));
        let mut kept = device.temporary.fences.lock();
        if info.flags.contains(vk::FenceImportFlags::TEMPORARY) {
            kept.entry(info.fence.as_raw()).or_insert(old);
        } else {
            kept.remove(&info.fence.as_raw());
        }
        close(info.fd);
        Ok(())
    }
}

/// A descriptor of the application's, to look at.
pub(super) fn borrowed<'a>(fd: c_int) -> Answer<BorrowedFd<'a>> {
    if fd < 0 {
        return Err(INVALID);
    }
    // SAFETY: the application passes a descriptor that is open during the command.
    Ok(unsafe { BorrowedFd::borrow_raw(fd) })
}

/// Closes a descriptor that an import has taken over.
pub(super) fn close(fd: c_int) {
    // SAFETY: a successful import hands the descriptor to the driver.
    drop(unsafe { OwnedFd::from_raw_fd(fd) });
}

impl DeviceState {
    /// The semaphore for a wait that is being submitted now: the last one that a temporary import is for.
    pub(super) fn semaphore_to_wait(&self, handle: vk::Semaphore) -> Answer<Arc<Semaphore>> {
        let semaphore = self.tables.semaphores.get(handle)?;
        let mut kept = self.temporary.semaphores.lock();
        if let Some(permanent) = kept.remove(&handle.as_raw()) {
            self.tables.semaphores.replace(handle, permanent);
        }
        Ok(semaphore)
    }

    /// The fence for a reset, which ends a temporary import.
    pub(super) fn fence_to_reset(&self, handle: vk::Fence) -> Answer<Arc<Fence>> {
        if let Some(permanent) = self.temporary.fences.lock().remove(&handle.as_raw()) {
            self.tables.fences.replace(handle, permanent);
        }
        self.tables.fences.get(handle)
    }

    /// Forgets what a semaphore was before.
    pub(super) fn forget_semaphore(&self, handle: vk::Semaphore) {
        self.temporary.semaphores.lock().remove(&handle.as_raw());
    }

    /// Forgets what a fence was before.
    pub(super) fn forget_fence(&self, handle: vk::Fence) {
        self.temporary.fences.lock().remove(&handle.as_raw());
    }
}
