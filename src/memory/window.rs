//! The address window of a device: one reservation of address space in which all its memory lies.
//!
//! Device addresses are host addresses inside the window, and the window begins at the same address in every
//! run, so addresses are reproducible. What is not committed is inaccessible: a stray access traps.

use std::io;

/// Bytes of a window: the lower half for ordinary allocations, the upper one for those whose addresses are
/// captured or replayed.
pub const WINDOW_SIZE: u64 = 1 << 41;
/// Where the first window of a process begins.
const FIRST_BASE: u64 = 0x1000_0000_0000;
/// Candidates; the last one ends below the addresses of position-independent programs.
const CANDIDATES: u64 = 32;
/// Least size of a window, where the process's address space is limited.
const MIN_WINDOW: u64 = 1 << 35;
/// Unit of protection.
pub(super) const PAGE: u64 = 4096;

/// A reserved window. Dropping it gives the addresses back, whatever is still in it.
#[derive(Debug)]
pub struct Window {
    base: u64,
    size: u64,
}

impl Window {
    /// Reserves the first free candidate.
    ///
    /// # Errors
    /// The kernel's, when no candidate of any size is free.
    pub fn reserve() -> io::Result<Window> {
        let mut size = WINDOW_SIZE;
        loop {
            for index in 0..CANDIDATES {
                let base = FIRST_BASE + index * WINDOW_SIZE;
                match map_none(base, size, libc::MAP_FIXED_NOREPLACE) {
                    Ok(()) => return Ok(Window { base, size }),
                    // A smaller window may pass a limit on the address space; another place does not help.
                    Err(e) if e.raw_os_error() == Some(libc::ENOMEM) && size > MIN_WINDOW => break,
                    Err(e) if index + 1 == CANDIDATES && size == MIN_WINDOW => return Err(e),
                    Err(_) => {}
                }
            }
            size = (size / 8).max(MIN_WINDOW);
        }
    }

    /// First address.
    #[must_use]
    pub fn base(&self) -> u64 {
        self.base
    }

    /// Bytes; a power of two, and `base` is a multiple of it.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Whether `len` bytes from `address` lie inside.
    #[must_use]
    pub fn contains(&self, address: u64, len: u64) -> bool {
        address
            .checked_sub(self.base)
            .is_some_and(|o| o <= self.size && len <= self.size - o)
    }

    /// Makes whole pages accessible; they read as zero. `huge` asks for huge pages.
    pub(super) fn commit(&self, address: u64, len: u64, huge: bool) -> io::Result<()> {
        assert!(self.contains(address, len), "commit outside of the window");
        let rw = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: the pages lie in this reservation, which nothing but the allocator's users refer to; more
        // access rights cannot invalidate what they do.
        if unsafe { libc::mprotect(address as *mut libc::c_void, len as usize, rw) } != 0 {
            return Err(io::Error::last_os_error());
        }
        if huge {
            // SAFETY: advice on pages of this reservation; contents do not change. Failure costs only speed.
            unsafe { libc::madvise(address as *mut libc::c_void, len as usize, libc::MADV_HUGEPAGE) };
        }
        Ok(())
    }

    /// Takes pages away: their contents are lost and accesses trap from now on.
    pub(super) fn decommit(&self, address: u64, len: u64) -> io::Result<()> {
        assert!(self.contains(address, len), "decommit outside of the window");
        map_none(address, len, libc::MAP_FIXED)
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        // SAFETY: the range is this reservation; the device it belonged to is gone, and with it every user.
        unsafe { libc::munmap(self.base as *mut libc::c_void, self.size as usize) };
    }
}

/// Maps inaccessible pages at `address`.
fn map_none(address: u64, len: u64, fixed: libc::c_int) -> io::Result<()> {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | fixed;
    // SAFETY: NOREPLACE cannot touch existing mappings; plain MAP_FIXED is used only on pages of a window
    // that the caller owns (`decommit`).
    let got = unsafe {
        libc::mmap(
            address as *mut libc::c_void,
            len as usize,
            libc::PROT_NONE,
            flags,
            -1,
            0,
        )
    };
    if got == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    if got as u64 != address {
        // An old kernel took the address as a hint.
        // SAFETY: the range was mapped just now and nobody knows of it.
        unsafe { libc::munmap(got, len as usize) };
        return Err(io::Error::from_raw_os_error(libc::EEXIST));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::raw;

    #[test]
    fn windows_do_not_overlap_and_pages_come_back_zero() {
        let a = Window::reserve().unwrap();
        let b = Window::reserve().unwrap();
        assert!(!a.contains(b.base(), 1));
        assert_eq!(a.base() % a.size(), 0);
        let at = a.base() + 65536;
        a.commit(at, 8192, false).unwrap();
        assert_eq!(raw::load::<u64>(at + 4096), 0);
        raw::store(at + 4096, 7u64);
        a.decommit(at, 8192).unwrap();
        a.commit(at, 8192, false).unwrap();
        assert_eq!(raw::load::<u64>(at + 4096), 0);
    }
}
