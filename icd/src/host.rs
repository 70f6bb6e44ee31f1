//! Host memory from the application: `VkAllocationCallbacks`.
//!
//! Lahar's objects live in memory of its own. For each the application's allocator is asked for as many bytes, before
//! anything else happens, so that it can count them, bound them and make creation fail.

use crate::error::{Answer, Error};
use ash::vk;
use std::{ffi::c_void, ptr::NonNull};
use vk::{InternalAllocationType, SystemAllocationScope as Scope};

/// Alignment of what is asked for: that of any object.
const ALIGNMENT: usize = 16;

type Allocate = unsafe extern "system" fn(*mut c_void, usize, usize, Scope) -> *mut c_void;
type Free = unsafe extern "system" fn(*mut c_void, *mut c_void);
type Note = unsafe extern "system" fn(*mut c_void, usize, InternalAllocationType, Scope);

/// An application's allocator, copied: the structure itself need not outlive a command.
#[derive(Clone, Copy)]
pub(crate) struct Callbacks {
    data: *mut c_void,
    allocate: Allocate,
    free: Free,
    /// Told of memory that the application cannot provide, as it comes and goes.
    notes: Option<[Note; 2]>,
}

// SAFETY: the application's functions and data may be used on any thread that it calls Vulkan on.
unsafe impl Send for Callbacks {}
// SAFETY: as above.
unsafe impl Sync for Callbacks {}

impl Callbacks {
    /// Those of a command's argument.
    pub(crate) fn of(allocator: Option<&vk::AllocationCallbacks<'_>>) -> Option<Self> {
        let allocator = allocator?;
        Some(Self {
            data: allocator.p_user_data,
            allocate: allocator.pfn_allocation?,
            free: allocator.pfn_free?,
            notes: allocator
                .pfn_internal_allocation
                .zip(allocator.pfn_internal_free)
                .map(|(allocated, freed)| [allocated, freed]),
        })
    }
}

/// Memory of the application's that an object has.
pub(crate) struct HostBlock {
    block: NonNull<c_void>,
    callbacks: Callbacks,
    /// Whether the allocator is the object's own, not that of the device or the instance.
    own: bool,
    scope: Scope,
    /// Bytes of executable memory that the application was told of.
    executable: usize,
}

// SAFETY: it is the only owner of its block, which nobody reads or writes.
unsafe impl Send for HostBlock {}
// SAFETY: as above.
unsafe impl Sync for HostBlock {}

impl HostBlock {
    /// Takes `size` bytes from the command's allocator, else from that of the parent; none if there is neither.
    pub(crate) fn take(
        allocator: Option<&vk::AllocationCallbacks<'_>>,
        parent: Option<Callbacks>,
        size: usize,
        scope: Scope,
    ) -> Answer<Option<Self>> {
        let own = Callbacks::of(allocator);
        let Some(callbacks) = own.or(parent) else {
            return Ok(None);
        };
        // SAFETY: the function is the one that the application gave for this data; size and alignment are valid.
        let block = unsafe { (callbacks.allocate)(callbacks.data, size.max(1), ALIGNMENT, scope) };
        let block = NonNull::new(block).ok_or(Error(vk::Result::ERROR_OUT_OF_HOST_MEMORY))?;
        Ok(Some(Self {
            block,
            callbacks,
            own: own.is_some(),
            scope,
            executable: 0,
        }))
    }

    /// Tells the application of executable memory, which only Lahar itself can allocate.
    pub(crate) fn note_executable(&mut self, bytes: usize) {
        if let (Some([allocated, _]), true) = (self.callbacks.notes, bytes > 0) {
            self.executable = bytes;
            // SAFETY: the function is the one that the application gave for this data.
            unsafe {
                allocated(
                    self.callbacks.data,
                    bytes,
                    InternalAllocationType::EXECUTABLE,
                    self.scope,
                );
            }
        }
    }

    /// The same for memory that came from a pool's allocator, when the pool is destroyed.
    pub(crate) fn give_all(mut self, allocator: Option<&vk::AllocationCallbacks<'_>>) {
        self.own = true;
        self.give(allocator);
    }

    /// Gives it back through the allocator of the command that destroys the object, which is compatible with the one
    /// that it came from.
    pub(crate) fn give(mut self, allocator: Option<&vk::AllocationCallbacks<'_>>) {
        if self.own {
            self.callbacks = Callbacks::of(allocator).unwrap_or(self.callbacks);
        }
    }
}

impl Drop for HostBlock {
    fn drop(&mut self) {
        let Callbacks {
            data, free, notes, ..
        } = self.callbacks;
        if let (Some([_, freed]), true) = (notes, self.executable > 0) {
            // SAFETY: the function is the one that the application gave for this data, and was told of the allocation.
            unsafe {
                freed(
                    data,
                    self.executable,
                    InternalAllocationType::EXECUTABLE,
                    self.scope,
                );
            };
        }
        // SAFETY: the block came from this allocator, or a compatible one, and is freed once.
        unsafe { free(data, self.block.as_ptr()) };
    }
}
