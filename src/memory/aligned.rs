//! Memory that the engine lends to kernels: scratch, frames, tile buffers.

use super::raw;
use bytemuck::Pod;
use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};

/// Zeroed bytes at an address aligned to 64, reached by address like device memory.
#[derive(Debug)]
pub struct AlignedBuf {
    address: u64,
    len: usize,
}

impl AlignedBuf {
    /// Alignment of every buffer.
    pub const ALIGN: usize = 64;

    /// `len` zero bytes.
    #[must_use]
    pub fn new(len: usize) -> AlignedBuf {
        if len == 0 {
            return AlignedBuf {
                address: Self::ALIGN as u64,
                len,
            };
        }
        let Ok(layout) = Layout::from_size_align(len, Self::ALIGN) else {
            handle_alloc_error(Layout::new::<u64>());
        };
        // SAFETY: the layout's size is not zero.
        let pointer = unsafe { alloc_zeroed(layout) };
        if pointer.is_null() {
            handle_alloc_error(layout);
        }
        AlignedBuf {
            address: pointer as u64,
            len,
        }
    }

    /// Address of the first byte.
    #[must_use]
    pub fn address(&self) -> u64 {
        self.address
    }

    /// Bytes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no bytes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Grows to at least `len` bytes; the contents are lost (zero) if it grows.
    pub fn ensure(&mut self, len: usize) {
        if self.len < len {
            *self = AlignedBuf::new(len.next_power_of_two());
        }
    }

    /// Sets every byte to zero.
    pub fn zero(&mut self) {
        raw::fill(self.address, 0, self.len);
    }

    /// Reads the value at a byte offset.
    ///
    /// # Panics
    /// If it lies outside.
    #[must_use]
    pub fn get<T: Pod>(&self, offset: usize) -> T {
        assert!(
            offset
                .checked_add(size_of::<T>())
                .is_some_and(|end| end <= self.len),
            "read outside a buffer"
        );
        raw::load(self.address + offset as u64)
    }

    /// Writes a value at a byte offset.
    ///
    /// # Panics
    /// If it lies outside.
    pub fn set<T: Pod>(&mut self, offset: usize, value: T) {
        assert!(
            offset
                .checked_add(size_of::<T>())
                .is_some_and(|end| end <= self.len),
            "write outside a buffer"
        );
        raw::store(self.address + offset as u64, value);
    }

    /// The bytes as plain values, from the start.
    #[must_use]
    pub fn as_slice<T: Pod>(&self) -> &[T] {
        assert!(
            align_of::<T>() <= Self::ALIGN && size_of::<T>() > 0,
            "{} is not plain",
            size_of::<T>()
        );
        // SAFETY: the memory is this buffer's own, initialised, aligned for T and long enough; it is only
        // written through `&mut self` or by kernels, which run while no such slice is held.
        unsafe { std::slice::from_raw_parts(self.address as *const T, self.len / size_of::<T>()) }
    }

    /// The bytes as plain values, from the start.
    #[must_use]
    pub fn as_mut_slice<T: Pod>(&mut self) -> &mut [T] {
        assert!(
            align_of::<T>() <= Self::ALIGN && size_of::<T>() > 0,
            "{} is not plain",
            size_of::<T>()
        );
        // SAFETY: as in `as_slice`; `&mut self` makes it exclusive.
        unsafe { std::slice::from_raw_parts_mut(self.address as *mut T, self.len / size_of::<T>()) }
    }
}

impl Drop for AlignedBuf {
    fn drop(&mut self) {
        if let (true, Ok(layout)) = (self.len > 0, Layout::from_size_align(self.len, Self::ALIGN)) {
            // SAFETY: allocated in `new` with this very layout, and not yet freed.
            unsafe { dealloc(self.address as *mut u8, layout) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::AlignedBuf;

    #[test]
    fn buffers_are_aligned_zero_and_grow() {
        let mut buf = AlignedBuf::new(100);
        assert_eq!((buf.address() % 64, buf.get::<u32>(96)), (0, 0));
        buf.set(4, 7u32);
        assert_eq!(buf.as_slice::<u32>()[1], 7);
        buf.ensure(50);
        assert_eq!((buf.len(), buf.get::<u32>(4)), (100, 7));
        buf.ensure(101);
        assert_eq!((buf.len(), buf.get::<u32>(4)), (128, 0));
    }
}
