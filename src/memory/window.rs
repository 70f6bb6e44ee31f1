//! The address windows: parts of one region of address space at a fixed place, in which all device memory lies.
//!
//! Device addresses are host addresses. A window begins at the same address in every run, so addresses are
//! reproducible. What is not committed is inaccessible: a stray access traps. Each device has a window; one more
//! is shared by all devices of the process, for addresses that are captured and replayed.

use super::file::SharedFile;
use super::live;
use std::io;
use std::os::fd::AsRawFd;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes of a window.
pub const WINDOW_SIZE: u64 = 1 << 40;
/// First address and size of the region that holds every window of the process. It ends below the addresses of
/// position-independent programs.
pub const REGION: (u64, u64) = (0x1000_0000_0000, WINDOW_SIZE * WINDOWS as u64);
/// Windows in the region; the last one is for captured addresses.
const WINDOWS: u32 = 64;
/// The window of captured addresses.
const CAPTURED: u32 = WINDOWS - 1;
/// What lies between the addresses in use and the ends of a window: more than any offset that a shader's access
/// adds to a base.
const MARGIN: u64 = 1 << 32;
/// Places at the end of a window, of [`MARGIN`] bytes each, that stand for addresses which must not be used.
pub const POISONS: u64 = 8;
/// Bytes at the end of a window in which nothing is ever put.
const RESERVED: u64 = (POISONS + 1) * MARGIN;
/// Unit of protection.
pub(super) const PAGE: u64 = 4096;

/// The windows in use, one bit each. The kernel knows too, but not where address space is limited.
static CLAIMED: AtomicU64 = AtomicU64::new(0);

/// A window. Dropping it gives the addresses back, whatever is still in it.
#[derive(Debug)]
pub struct Window {
    index: u32,
    /// Whether all of it is mapped, if only as inaccessible. Otherwise (the process may not map that much) only
    /// what is committed is.
    reserved: bool,
}

impl Window {
    /// Takes the first free window.
    ///
    /// # Errors
    /// When none is free.
    pub fn reserve() -> io::Result<Window> {
        (0..CAPTURED)
            .find_map(Window::claim)
            .ok_or_else(|| io::ErrorKind::AddrNotAvailable.into())
    }

    /// Takes the window of captured addresses, of which there is one.
    ///
    /// # Errors
    /// When something else of the process lies there.
    pub fn reserve_captured() -> io::Result<Window> {
        Window::claim(CAPTURED).ok_or_else(|| io::ErrorKind::AddrInUse.into())
    }

    fn claim(index: u32) -> Option<Window> {
        let bit = 1 << index;
        if CLAIMED.fetch_or(bit, Ordering::AcqRel) & bit != 0 {
            return None;
        }
        let base = REGION.0 + u64::from(index) * WINDOW_SIZE;
        // The mapping begins and ends a little lower than the window, so that offsets from an address near its start
        // stay inside too; the end of the window is never given out.
        let first = base - MARGIN;
        let how = libc::MAP_PRIVATE | libc::MAP_FIXED_NOREPLACE;
        let reserved = match map(first, WINDOW_SIZE, libc::PROT_NONE, how) {
            Ok(()) => true,
            Err(e) if e.raw_os_error() == Some(libc::ENOMEM) => false,
            Err(_) => {
                CLAIMED.fetch_and(!bit, Ordering::AcqRel);
                return None;
            }
        };
        live::add_window(base, WINDOW_SIZE);
        Some(Window { index, reserved })
    }

    /// First address of what is mapped.
    fn first(&self) -> u64 {
        self.base() - MARGIN
    }

    /// First address; a multiple of the size.
    #[must_use]
    pub fn base(&self) -> u64 {
        REGION.0 + u64::from(self.index) * WINDOW_SIZE
    }

    /// Bytes.
    #[must_use]
    pub fn size(&self) -> u64 {
        WINDOW_SIZE
    }

    /// Bytes from the base on that can hold memory.
    #[must_use]
    pub fn usable(&self) -> u64 {
        WINDOW_SIZE - RESERVED
    }

    /// An address that stands for one that must not be used: 2 GiB to both sides are never accessible.
    #[must_use]
    pub fn poison(&self, slot: u64) -> u64 {
        self.base() + self.usable() + slot % POISONS * MARGIN + MARGIN / 2
    }

    /// Whether `len` bytes from `address` lie inside.
    #[must_use]
    pub fn contains(&self, address: u64, len: u64) -> bool {
        address
            .checked_sub(self.base())
            .is_some_and(|o| o <= WINDOW_SIZE && len <= WINDOW_SIZE - o)
    }

    /// Makes whole pages accessible; they read as zero. `huge` asks for huge pages.
    pub(super) fn commit(&self, address: u64, len: u64, huge: bool) -> io::Result<()> {
        assert!(self.contains(address, len), "commit outside of the window");
        let rw = libc::PROT_READ | libc::PROT_WRITE;
        if !self.reserved {
            map(address, len, rw, libc::MAP_PRIVATE | libc::MAP_FIXED_NOREPLACE)?;
        // SAFETY: the pages lie in this reservation, which nothing but the allocator's users refer to; more
        // access rights cannot invalidate what they do.
        } else if unsafe { libc::mprotect(address as *mut libc::c_void, len as usize, rw) } != 0 {
            return Err(io::Error::last_os_error());
        }
        if huge {
            // SAFETY: advice on pages of this reservation; contents do not change. Failure costs only speed.
            unsafe { libc::madvise(address as *mut libc::c_void, len as usize, libc::MADV_HUGEPAGE) };
        }
        Ok(())
    }

    /// Makes whole pages of a file accessible, for all who share it.
    pub(super) fn commit_file(&self, address: u64, len: u64, file: &SharedFile) -> io::Result<()> {
        self.map_file(address, len, (file, 0), self.fixed())
    }

    /// Makes whole pages accessible that [`Window::alias`] can show at other places too.
    pub(super) fn commit_aliasable(&self, address: u64, len: u64) -> io::Result<()> {
        assert!(self.contains(address, len), "commit outside of the window");
        let rw = libc::PROT_READ | libc::PROT_WRITE;
        map(address, len, rw, libc::MAP_SHARED | self.fixed())
    }

    /// Puts pages of a file, from an offset on, in place of what is there.
    pub(super) fn show_file(&self, address: u64, len: u64, from: (&SharedFile, u64)) -> io::Result<()> {
        self.map_file(address, len, from, libc::MAP_FIXED)
    }

    /// Puts pages that are shared, those of a file or of an aliasable commitment, in place of what is there.
    pub(super) fn alias(&self, address: u64, len: u64, from: u64) -> io::Result<()> {
        assert!(self.contains(address, len), "alias outside of the window");
        let flags = libc::MREMAP_MAYMOVE | libc::MREMAP_FIXED;
        let (old, new) = (from as *mut libc::c_void, address as *mut libc::c_void);
        // SAFETY: what is replaced is this window's; with an old length of zero shared pages stay at their old place too.
        let got = unsafe { libc::mremap(old, 0, len as usize, flags, new) };
        if got == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        Ok(())
    }

    /// The flag by which pages are put at a place that is free.
    fn fixed(&self) -> libc::c_int {
        if self.reserved {
            libc::MAP_FIXED
        } else {
            libc::MAP_FIXED_NOREPLACE
        }
    }

    fn map_file(
        &self,
        address: u64,
        len: u64,
        (file, offset): (&SharedFile, u64),
        fixed: libc::c_int,
    ) -> io::Result<()> {
        assert!(self.contains(address, len), "commit outside of the window");
        if offset > file.len() || len > file.len() - offset {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let (rw, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED | fixed);
        let (at, fd) = (address as *mut libc::c_void, file.as_fd().as_raw_fd());
        // SAFETY: the pages lie in this window, and what is there is the caller's; the file is as long and stays so.
        let got = unsafe { libc::mmap(at, len as usize, rw, flags, fd, offset.cast_signed()) };
        if got == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        Ok(())
    }

    /// Takes pages away: their contents are lost and accesses trap from now on.
    pub(super) fn decommit(&self, address: u64, len: u64) -> io::Result<()> {
        assert!(self.contains(address, len), "decommit outside of the window");
        if self.reserved {
            return map(address, len, libc::PROT_NONE, libc::MAP_PRIVATE | libc::MAP_FIXED);
        }
        // SAFETY: the pages were mapped by `commit`; whoever had addresses in them gave them up.
        if unsafe { libc::munmap(address as *mut libc::c_void, len as usize) } != 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(())
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        live::remove_window(self.base());
        // SAFETY: what is mapped there is this window's; those it belonged to are gone, and with them every user.
        unsafe { libc::munmap(self.first() as *mut libc::c_void, WINDOW_SIZE as usize) };
        CLAIMED.fetch_and(!(1 << self.index), Ordering::AcqRel);
    }
}

/// Whether all of the pages of a range are mapped, whoever did that.
pub(super) fn is_mapped(address: u64, len: u64) -> bool {
    let mut resident = [0; 256];
    let step = resident.len() as u64 * PAGE;
    (0..len).step_by(step as usize).all(|at| {
        let part = (len - at).min(step) as usize;
        // SAFETY: the call looks at no memory and writes a byte a page to a buffer that has as many.
        unsafe { libc::mincore((address + at) as *mut libc::c_void, part, resident.as_mut_ptr()) == 0 }
    })
}

/// Maps new pages at `address`.
fn map(address: u64, len: u64, protection: libc::c_int, how: libc::c_int) -> io::Result<()> {
    let flags = libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | how;
    // SAFETY: NOREPLACE cannot touch existing mappings; plain MAP_FIXED is used only on pages of a window
    // that the caller owns (`decommit`).
    let got = unsafe {
        libc::mmap(
            address as *mut libc::c_void,
            len as usize,
            protection,
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
        assert!(a.poison(0) - (1 << 31) >= a.base() + a.usable());
        assert!(a.poison(POISONS - 1) + (1 << 31) <= a.base() + a.size() - MARGIN);
        let at = a.base() + 65536;
        a.commit(at, 8192, false).unwrap();
        assert_eq!(raw::load::<u64>(at + 4096), 0);
        raw::store(at + 4096, 7u64);
        a.decommit(at, 8192).unwrap();
        a.commit(at, 8192, false).unwrap();
        assert_eq!(raw::load::<u64>(at + 4096), 0);
    }

    #[test]
    fn a_window_that_cannot_be_reserved_works_alike() {
        let reserved = Window::reserve().unwrap();
        let a = Window {
            index: reserved.index,
            reserved: false,
        };
        let at = a.base() + 65536;
        assert!(
            a.commit(at, 4096, false).is_err(),
            "something else is mapped there"
        );
        // SAFETY: nobody has an address in it.
        unsafe { libc::munmap(a.first() as *mut libc::c_void, WINDOW_SIZE as usize) };
        std::mem::forget(reserved);
        a.commit(at, 8192, false).unwrap();
        raw::store(at + 4096, 7u64);
        a.decommit(at, 8192).unwrap();
        a.commit(at, 8192, false).unwrap();
        assert_eq!(raw::load::<u64>(at + 4096), 0);
    }
}
