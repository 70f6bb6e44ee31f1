//! Memory files: what allocations and synchronization objects lie in that other processes share.
//!
//! A file is sealed at its length, so that nobody who has it can take pages away under the others.

use std::{
    ffi::{CStr, c_void},
    fs::File,
    io,
    os::{
        fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd},
        unix::fs::MetadataExt,
    },
    ptr::NonNull,
    sync::atomic::{AtomicU32, AtomicU64, Ordering},
};

const SEALS: libc::c_int = libc::F_SEAL_SHRINK | libc::F_SEAL_GROW | libc::F_SEAL_SEAL;
/// Bytes of a [`SharedPage`].
const PAGE: usize = 4096;
/// Counters on a page.
const CELLS: usize = 4;

/// A sealed memory file.
#[derive(Debug)]
pub struct SharedFile {
    file: File,
    len: u64,
    id: u64,
}

impl SharedFile {
    /// `len` zero bytes.
    ///
    /// # Errors
    /// Those of the operating system.
    pub fn new(name: &CStr, len: u64) -> io::Result<Self> {
        // SAFETY: the name is a C string; the descriptor is new and owned from here on.
        let file = unsafe {
            let fd = libc::memfd_create(name.as_ptr(), libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING);
            if fd < 0 {
                return Err(io::Error::last_os_error());
            }
            File::from_raw_fd(fd)
        };
        file.set_len(len)?;
        // SAFETY: the call takes no pointers.
        if unsafe { libc::fcntl(file.as_raw_fd(), libc::F_ADD_SEALS, SEALS) } < 0 {
            return Err(io::Error::last_os_error());
        }
        Self::of(file)
    }

    /// The file of a descriptor that another Lahar exported.
    ///
    /// # Errors
    /// If it is anything else.
    pub fn import(fd: BorrowedFd<'_>) -> io::Result<Self> {
        let file = File::from(fd.try_clone_to_owned()?);
        // SAFETY: the call takes no pointers.
        let seals = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_GET_SEALS) };
        if seals < 0 || seals & SEALS != SEALS {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        Self::of(file)
    }

    fn of(file: File) -> io::Result<Self> {
        let about = file.metadata()?;
        // Its number identifies the file for all processes; the highest bit keeps it apart from a device's own ids.
        let id = 1 << 63 | (about.dev() << 40 ^ about.ino()) & !(1 << 63);
        Ok(Self {
            len: about.len(),
            file,
            id,
        })
    }

    /// Bytes.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// A number that this file has in every process, and nothing else.
    #[must_use]
    pub fn id(&self) -> u64 {
        self.id
    }

    /// Another descriptor of it.
    ///
    /// # Errors
    /// If the process has too many.
    pub fn export(&self) -> io::Result<OwnedFd> {
        self.file.as_fd().try_clone_to_owned()
    }

    pub(super) fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

/// A page with counters that several processes share and wait on.
#[derive(Debug)]
pub struct SharedPage {
    file: SharedFile,
    cells: NonNull<c_void>,
}

// SAFETY: it owns its mapping, which is only used as atomics.
unsafe impl Send for SharedPage {}
// SAFETY: as above.
unsafe impl Sync for SharedPage {}

impl SharedPage {
    /// A page of zeros, of a kind that [`SharedPage::import`] asks for.
    ///
    /// # Errors
    /// Those of the operating system.
    pub fn new(kind: u64) -> io::Result<Self> {
        let page = Self::map(SharedFile::new(c"lahar-sync", PAGE as u64)?)?;
        page.word(CELLS).store(kind, Ordering::SeqCst);
        Ok(page)
    }

    /// The page of a descriptor that another Lahar exported.
    ///
    /// # Errors
    /// If it is anything else.
    pub fn import(fd: BorrowedFd<'_>, kind: u64) -> io::Result<Self> {
        let file = SharedFile::import(fd)?;
        if file.len() != PAGE as u64 {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let page = Self::map(file)?;
        if page.word(CELLS).load(Ordering::SeqCst) != kind {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        Ok(page)
    }

    fn map(file: SharedFile) -> io::Result<Self> {
        let (protection, fd) = (libc::PROT_READ | libc::PROT_WRITE, file.as_fd().as_raw_fd());
        // SAFETY: a new mapping, wherever there is room, of a file that is as long and stays so.
        let cells = unsafe { libc::mmap(std::ptr::null_mut(), PAGE, protection, libc::MAP_SHARED, fd, 0) };
        if cells == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let cells = NonNull::new(cells).ok_or(io::ErrorKind::OutOfMemory)?;
        Ok(Self { file, cells })
    }

    /// One of its four counters.
    #[must_use]
    pub fn cell(&self, index: usize) -> &AtomicU64 {
        self.word(index % CELLS)
    }

    fn word(&self, index: usize) -> &AtomicU64 {
        // SAFETY: the page holds 512 aligned words, `index` is at most CELLS, and everybody uses them as atomics.
        unsafe { AtomicU64::from_ptr(self.cells.as_ptr().cast::<u64>().add(index)) }
    }

    /// How often it has changed.
    fn changes(&self) -> &AtomicU32 {
        // SAFETY: as for `word`; this one lies behind the others.
        unsafe { AtomicU32::from_ptr(self.cells.as_ptr().cast::<u32>().add(2 * CELLS + 2)) }
    }

    /// The file, to be exported.
    #[must_use]
    pub fn file(&self) -> &SharedFile {
        &self.file
    }

    /// Wakes all processes that wait for a change.
    pub fn changed(&self) {
        self.changes().fetch_add(1, Ordering::SeqCst);
        // SAFETY: the word is mapped and aligned; waking reads nothing else.
        unsafe {
            libc::syscall(
                libc::SYS_futex,
                self.changes().as_ptr(),
                libc::FUTEX_WAKE,
                libc::c_int::MAX,
            )
        };
    }

    /// Number of the latest change.
    #[must_use]
    pub fn latest(&self) -> u32 {
        self.changes().load(Ordering::SeqCst)
    }

    /// Sleeps until there is a change after this one; may wake without.
    pub fn wait_beyond(&self, seen: u32) {
        // SAFETY: the word is mapped and aligned; there is no time limit.
        unsafe {
            libc::syscall(
                libc::SYS_futex,
                self.changes().as_ptr(),
                libc::FUTEX_WAIT,
                seen,
                std::ptr::null::<libc::timespec>(),
            )
        };
    }
}

impl Drop for SharedPage {
    fn drop(&mut self) {
        // SAFETY: it was mapped in `map` with this length, and nobody has a reference into it any more.
        unsafe { libc::munmap(self.cells.as_ptr(), PAGE) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_shared_and_of_a_kind() {
        let page = SharedPage::new(7).unwrap();
        let fd = page.file().export().unwrap();
        assert!(SharedPage::import(fd.as_fd(), 8).is_err());
        let other = SharedPage::import(fd.as_fd(), 7).unwrap();
        assert_eq!(page.file().id(), other.file().id());
        let seen = other.latest();
        let waiter = std::thread::spawn(move || {
            while other.cell(1).load(Ordering::SeqCst) == 0 {
                other.wait_beyond(seen);
            }
            other.cell(1).load(Ordering::SeqCst)
        });
        page.cell(1).store(5, Ordering::SeqCst);
        page.changed();
        assert_eq!(waiter.join().unwrap(), 5);
    }

    #[test]
    fn what_could_shrink_is_refused() {
        let file = File::open("/dev/null").unwrap();
        assert!(SharedFile::import(file.as_fd()).is_err());
        let sealed = SharedFile::new(c"test", 8192).unwrap();
        assert_eq!(SharedFile::import(sealed.as_fd()).unwrap().len(), 8192);
        assert!(sealed.file.set_len(0).is_err());
    }
}
