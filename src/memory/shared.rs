//! Memory that another process (a window system) can map.

use std::{
    ffi::c_void,
    fs::File,
    io,
    os::fd::{AsFd, BorrowedFd, FromRawFd},
    ptr::NonNull,
};

/// Zeroed bytes in a memfd, mapped here.
#[derive(Debug)]
pub struct SharedBuf {
    file: File,
    pointer: NonNull<c_void>,
    len: usize,
}

// SAFETY: it owns its mapping; it is written only through `&mut self` and by address, as the module `raw` says.
unsafe impl Send for SharedBuf {}
// SAFETY: as above.
unsafe impl Sync for SharedBuf {}

impl SharedBuf {
    /// `len` zero bytes.
    ///
    /// # Errors
    /// Those of the operating system.
    pub fn new(len: usize) -> io::Result<Self> {
        // SAFETY: the name is a C string; the descriptor is new and owned from here on.
        let file = unsafe {
            let fd = libc::memfd_create(c"lahar-window".as_ptr(), libc::MFD_CLOEXEC);
            if fd < 0 {
                return Err(io::Error::last_os_error());
            }
            File::from_raw_fd(fd)
        };
        file.set_len(len as u64)?;
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let fd = std::os::fd::AsRawFd::as_raw_fd(&file);
        // SAFETY: a new mapping, wherever there is room, of a file that is as long.
        let pointer = unsafe { libc::mmap(std::ptr::null_mut(), len, protection, libc::MAP_SHARED, fd, 0) };
        if pointer == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let pointer = NonNull::new(pointer).ok_or(io::ErrorKind::OutOfMemory)?;
        Ok(Self { file, pointer, len })
    }

    /// Address of the first byte.
    #[must_use]
    pub fn address(&self) -> u64 {
        self.pointer.as_ptr() as u64
    }

    /// Bytes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The file behind it.
    #[must_use]
    pub fn file(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

impl Drop for SharedBuf {
    fn drop(&mut self) {
        // SAFETY: it was mapped in `new` with this length, and nobody has an address of it any more.
        unsafe { libc::munmap(self.pointer.as_ptr(), self.len) };
    }
}
