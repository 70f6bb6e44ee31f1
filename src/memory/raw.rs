//! Reads and writes of memory by address: the one door through which safe engine code touches device memory.
//!
//! Contract: an address given here lies in a live device allocation, or in a buffer that the engine itself
//! owns and lent to a kernel. The ICD trusts valid usage for bound resources; everything a shader computes
//! goes through compiled code instead, whose faults are trapped.

use bytemuck::Pod;

/// Reads a value; any alignment.
#[must_use]
pub fn load<T: Pod>(address: u64) -> T {
    // SAFETY: by the module's contract the address is mapped and readable for size_of::<T>() bytes; T is
    // plain data, so any bytes are a value.
    unsafe { (address as *const T).read_unaligned() }
}

/// Writes a value; any alignment.
pub fn store<T: Pod>(address: u64, value: T) {
    // SAFETY: by the module's contract the address is mapped and writable for size_of::<T>() bytes.
    unsafe { (address as *mut T).write_unaligned(value) }
}

/// Writes eight bytes at once where another thread may read or write them at the same time.
pub fn store_shared(address: u64, value: i64) {
    use std::sync::atomic::{AtomicI64, Ordering};
    debug_assert!(address.is_multiple_of(8), "aligned, so that it is one write");
    // SAFETY: by the module's contract the address is mapped and writable; it is aligned.
    unsafe { AtomicI64::from_ptr(address as *mut i64) }.store(value, Ordering::Relaxed);
}

/// Copies `len` bytes; the ranges may overlap.
pub fn copy(dst: u64, src: u64, len: usize) {
    // SAFETY: by the module's contract both ranges are mapped for `len` bytes; `copy` allows overlap.
    unsafe { std::ptr::copy(src as *const u8, dst as *mut u8, len) }
}

/// Fills `len` bytes with `byte`.
pub fn fill(dst: u64, byte: u8, len: usize) {
    // SAFETY: by the module's contract the range is mapped and writable for `len` bytes.
    unsafe { std::ptr::write_bytes(dst as *mut u8, byte, len) }
}

/// Copies `len` bytes out of memory.
pub fn read(src: u64, dst: &mut [u8]) {
    // SAFETY: by the module's contract the source is mapped for `dst.len()` bytes; `dst` is exclusive.
    unsafe { std::ptr::copy(src as *const u8, dst.as_mut_ptr(), dst.len()) }
}

/// Copies bytes into memory.
pub fn write(dst: u64, src: &[u8]) {
    // SAFETY: by the module's contract the target is mapped and writable for `src.len()` bytes.
    unsafe { std::ptr::copy(src.as_ptr(), dst as *mut u8, src.len()) }
}

/// Atomic read-modify-write of 32 bits: stores `f(old)` and gives `old`. An address that is not a multiple of
/// four is accessed without atomicity.
pub fn update_u32(address: u64, mut f: impl FnMut(u32) -> u32) -> u32 {
    use std::sync::atomic::{AtomicU32, Ordering};
    if !address.is_multiple_of(4) {
        let old = load(address);
        store(address, f(old));
        return old;
    }
    // SAFETY: by the module's contract the word is mapped, readable and writable; it is aligned, and shaders
    // reach it only by atomic or whole-word accesses.
    let word = unsafe { AtomicU32::from_ptr(address as *mut u32) };
    let mut old = word.load(Ordering::SeqCst);
    while let Err(seen) = word.compare_exchange(old, f(old), Ordering::SeqCst, Ordering::SeqCst) {
        old = seen;
    }
    old
}

/// As [`update_u32`], of 64 bits.
pub fn update_u64(address: u64, mut f: impl FnMut(u64) -> u64) -> u64 {
    use std::sync::atomic::{AtomicU64, Ordering};
    if !address.is_multiple_of(8) {
        let old = load(address);
        store(address, f(old));
        return old;
    }
    // SAFETY: by the module's contract the word is mapped, readable and writable; it is aligned, and shaders
    // reach it only by atomic or whole-word accesses.
    let word = unsafe { AtomicU64::from_ptr(address as *mut u64) };
    let mut old = word.load(Ordering::SeqCst);
    while let Err(seen) = word.compare_exchange(old, f(old), Ordering::SeqCst, Ordering::SeqCst) {
        old = seen;
    }
    old
}
