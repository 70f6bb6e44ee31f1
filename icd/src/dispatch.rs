//! Dispatchable objects: boxed, never moved, with the loader's word first.

use ash::vk;
use parking_lot::Mutex;
use std::{
    cell::UnsafeCell, collections::VecDeque, marker::PhantomData, mem::MaybeUninit, ops::Deref, ptr::NonNull,
};

/// What the loader expects in the first word of a new dispatchable object.
const LOADER_MAGIC: usize = 0x01CD_C0DE;

/// An unusual end of a command.
#[derive(Clone, Copy)]
pub(crate) enum End<'a> {
    /// The driver panicked, with this message.
    Panic(&'a str),
    /// It returns `VK_ERROR_DEVICE_LOST`.
    Lost,
}

/// A type behind a dispatchable handle.
pub(crate) trait Dispatch: 'static {
    /// Its handle.
    type Handle: vk::Handle + Copy;

    /// Learns how a command on it ended, where that is unusual.
    fn note(&self, _end: End<'_>) {}

    /// What it is of, for plans.
    fn scene(&self) -> Option<crate::hook::Scene<'_>> {
        None
    }
}

/// The object as the loader sees it.
#[repr(C)]
struct Boxed<T> {
    /// The loader writes its dispatch table here.
    loader: UnsafeCell<usize>,
    object: T,
}

/// A dispatchable object that is owned. The address is the handle.
pub(crate) struct Owned<T: Dispatch>(NonNull<Boxed<T>>);

// SAFETY: it owns its object, like a box; the loader's word is only the loader's business.
unsafe impl<T: Dispatch + Send> Send for Owned<T> {}
// SAFETY: as above.
unsafe impl<T: Dispatch + Sync> Sync for Owned<T> {}

impl<T: Dispatch> Owned<T> {
    /// Boxes the object.
    pub(crate) fn new(object: T) -> Self {
        let boxed = Box::new(Boxed {
            loader: UnsafeCell::new(LOADER_MAGIC),
            object,
        });
        Self(NonNull::from(Box::leak(boxed)))
    }

    /// Its handle.
    pub(crate) fn handle(&self) -> T::Handle {
        vk::Handle::from_raw(self.0.as_ptr() as u64)
    }

    /// Gives the object to the application, until it destroys it.
    pub(crate) fn into_handle(self) -> T::Handle {
        let handle = self.handle();
        std::mem::forget(self);
        handle
    }

    /// Ends the object, but keeps its place for the loader to look at.
    pub(crate) fn retire(self, to: &Retired<T>) {
        let boxed = self.0.as_ptr();
        std::mem::forget(self);
        // SAFETY: the owner is gone, so nothing else refers to the object; the box has the layout it was made with.
        let place = unsafe {
            std::ptr::drop_in_place(&raw mut (*boxed).object);
            Box::from_raw(boxed.cast::<Boxed<MaybeUninit<T>>>())
        };
        to.keep(place);
    }

    /// Takes the object back from the application.
    ///
    /// # Safety
    /// The handle is null, or came from `into_handle` and is not used again.
    pub(crate) unsafe fn from_handle(handle: T::Handle) -> Option<Self> {
        NonNull::new(vk::Handle::as_raw(handle) as *mut Boxed<T>).map(Self)
    }
}

impl<T: Dispatch> Deref for Owned<T> {
    type Target = T;
    fn deref(&self) -> &T {
        // SAFETY: the box lives as long as its owner; the reference leaves out the loader's word.
        unsafe { &(*self.0.as_ptr()).object }
    }
}

impl<T: Dispatch> std::ops::DerefMut for Owned<T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: as above; the owner is borrowed for as long.
        unsafe { &mut (*self.0.as_ptr()).object }
    }
}

impl<T: Dispatch> Drop for Owned<T> {
    fn drop(&mut self) {
        // SAFETY: it came from a box in `new`, and this was its owner.
        drop(unsafe { Box::from_raw(self.0.as_ptr()) });
    }
}

/// What the first word of a retired object points to: no dispatch table, but something that can be read.
static NO_TABLE: [usize; 8] = [0; 8];

/// Places of destroyed objects, the latest of them.
///
/// Loaders (1.3.239 for one) look a device up in a list whose entries another thread may be destroying: they follow the
/// first word of a device that is already gone.
pub(crate) struct Retired<T>(Mutex<VecDeque<Box<Boxed<MaybeUninit<T>>>>>);

impl<T> Default for Retired<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T> Retired<T> {
    /// How many are kept: more than threads destroy at a time.
    const KEPT: usize = 64;

    fn keep(&self, place: Box<Boxed<MaybeUninit<T>>>) {
        // SAFETY: the word is in the box, which nobody but the loader knows, and that only reads it now.
        unsafe { place.loader.get().write((&raw const NO_TABLE) as usize) };
        let mut places = self.0.lock();
        places.push_back(place);
        let oldest = if places.len() > Self::KEPT {
            places.pop_front()
        } else {
            None
        };
        drop(places);
        drop(oldest);
    }
}

/// A dispatchable object that a command is called on.
pub(crate) struct Ref<'a, T: Dispatch> {
    pointer: NonNull<Boxed<T>>,
    life: PhantomData<&'a T>,
}

impl<T: Dispatch> Clone for Ref<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Dispatch> Copy for Ref<'_, T> {}

impl<T: Dispatch> Ref<'_, T> {
    /// Its handle.
    pub(crate) fn handle(self) -> T::Handle {
        vk::Handle::from_raw(self.pointer.as_ptr() as u64)
    }

    /// The object of a handle.
    ///
    /// # Safety
    /// The handle is null or of a live object of this type, which outlives the reference.
    pub(crate) unsafe fn from_handle(handle: T::Handle) -> Option<Self> {
        NonNull::new(vk::Handle::as_raw(handle) as *mut Boxed<T>).map(|pointer| Self {
            pointer,
            life: PhantomData,
        })
    }
}

impl<T: Dispatch> Deref for Ref<'_, T> {
    type Target = T;
    fn deref(&self) -> &T {
        // SAFETY: `from_handle`'s caller vouches for the object; the reference leaves out the loader's word.
        unsafe { &(*self.pointer.as_ptr()).object }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    struct Thing(#[allow(dead_code, reason = "only its end counts")] Arc<()>);

    impl Dispatch for Thing {
        type Handle = vk::Device;
    }

    #[test]
    fn what_is_destroyed_can_be_looked_at_for_a_while() {
        let (retired, alive) = (Retired::default(), Arc::new(()));
        let mut handles = vec![];
        for _ in 0..2 * Retired::<Thing>::KEPT {
            let thing = Owned::new(Thing(alive.clone()));
            handles.push(vk::Handle::as_raw(thing.handle()));
            thing.retire(&retired);
            assert_eq!(Arc::strong_count(&alive), 1, "the object itself has ended");
        }
        let kept = retired.0.lock();
        assert_eq!(kept.len(), Retired::<Thing>::KEPT);
        for (place, handle) in kept.iter().zip(&handles[Retired::<Thing>::KEPT..]) {
            assert_eq!((&raw const **place) as u64, *handle);
            // SAFETY: the box is there, and nobody writes to it.
            let word = unsafe { *place.loader.get() };
            assert_eq!(word, (&raw const NO_TABLE) as usize);
        }
    }
}
