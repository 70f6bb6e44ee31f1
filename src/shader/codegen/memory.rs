//! Executable memory. Pages are writable while code is copied in and executable afterwards, never both.
//! Kernels are packed into arenas, whole pages each, so that a small one costs no mapping of its own.

use super::{CodegenError, trap};
use parking_lot::Mutex;
use std::ptr::NonNull;

const PAGE: usize = 4096;
/// Pages of an ordinary arena.
const ARENA_PAGES: usize = 64;

static ARENAS: Mutex<Vec<Arena>> = Mutex::new(Vec::new());

/// A mapping and which of its pages are taken.
struct Arena {
    base: usize,
    taken: Vec<bool>,
}

/// Pages that hold one kernel.
#[derive(Debug)]
pub(super) struct CodeMemory {
    base: usize,
    pages: usize,
    len: usize,
}

impl CodeMemory {
    /// Copies code into executable memory.
    pub(super) fn new(bytes: &[u8]) -> Result<CodeMemory, CodegenError> {
        let pages = bytes.len().div_ceil(PAGE).max(1);
        let base = take_pages(pages)?;
        let memory = CodeMemory {
            base,
            pages,
            len: bytes.len(),
        };
        // SAFETY: the pages were taken for us alone and are writable; the source is another object.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), base as *mut u8, bytes.len()) };
        protect(base, pages, libc::PROT_READ | libc::PROT_EXEC)?;
        Ok(memory)
    }

    /// Address of the first byte.
    pub(super) fn address(&self) -> u64 {
        self.base as u64
    }

    /// Bytes of its pages.
    pub(super) fn page_bytes(&self) -> usize {
        self.pages * PAGE
    }

    /// Bytes in use.
    pub(super) fn len(&self) -> usize {
        self.len
    }
}

impl Drop for CodeMemory {
    fn drop(&mut self) {
        let mut arenas = ARENAS.lock();
        if protect(self.base, self.pages, libc::PROT_READ | libc::PROT_WRITE).is_err() {
            // The pages stay as they are and are never handed out again.
            return;
        }
        let Some(at) = arenas.iter().position(|arena| arena.holds(self.base)) else {
            return;
        };
        let arena = &mut arenas[at];
        let first = (self.base - arena.base) / PAGE;
        arena.taken[first..first + self.pages].fill(false);
        // One empty ordinary arena is kept for the next kernel.
        if arena.taken.iter().all(|&taken| !taken)
            && (arenas.len() > 1 || arenas[at].taken.len() > ARENA_PAGES)
        {
            let arena = arenas.swap_remove(at);
            trap::remove_arena(arena.base);
            // SAFETY: the mapping is ours, and none of its pages is taken, so nothing refers to it.
            unsafe { libc::munmap(arena.base as *mut libc::c_void, arena.taken.len() * PAGE) };
        }
    }
}

impl Arena {
    fn map(pages: usize) -> Result<Arena, CodegenError> {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: a fresh private mapping where the kernel likes it touches no existing memory.
        let address = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                pages * PAGE,
                libc::PROT_READ | libc::PROT_WRITE,
                flags,
                -1,
                0,
            )
        };
        match NonNull::new(address) {
            Some(address) if address.as_ptr() != libc::MAP_FAILED => Ok(Arena {
                base: address.as_ptr() as usize,
                taken: vec![false; pages],
            }),
            _ => Err(CodegenError::Memory(std::io::Error::last_os_error().to_string())),
        }
    }

    fn holds(&self, address: usize) -> bool {
        address.wrapping_sub(self.base) < self.taken.len() * PAGE
    }

    /// Takes the first run of free pages that is long enough.
    fn take(&mut self, pages: usize) -> Option<usize> {
        let mut run = 0;
        for i in 0..self.taken.len() {
            run = if self.taken[i] { 0 } else { run + 1 };
            if run == pages {
                let first = i + 1 - pages;
                self.taken[first..=i].fill(true);
                return Some(self.base + first * PAGE);
            }
        }
        None
    }
}

/// Writable pages of an arena.
fn take_pages(pages: usize) -> Result<usize, CodegenError> {
    let mut arenas = ARENAS.lock();
    if let Some(base) = arenas.iter_mut().find_map(|arena| arena.take(pages)) {
        return Ok(base);
    }
    let mut arena = Arena::map(pages.max(ARENA_PAGES))?;
    if !trap::add_arena(arena.base, arena.taken.len() * PAGE) {
        // SAFETY: the mapping is new and ours; nothing refers to it.
        unsafe { libc::munmap(arena.base as *mut libc::c_void, arena.taken.len() * PAGE) };
        return Err(CodegenError::Memory("too many kernels".to_owned()));
    }
    let base = arena.take(pages);
    arenas.push(arena);
    base.ok_or_else(|| CodegenError::Memory("arena too small".to_owned()))
}

fn protect(base: usize, pages: usize, protection: i32) -> Result<(), CodegenError> {
    // SAFETY: callers name whole pages of an arena that they have taken.
    let result = unsafe { libc::mprotect(base as *mut libc::c_void, pages * PAGE, protection) };
    if result == 0 {
        Ok(())
    } else {
        Err(CodegenError::Memory(std::io::Error::last_os_error().to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_kernels_share_an_arena_and_pages_come_back() {
        let code = [0xb8, 7, 0, 0, 0, 0xc3];
        let first = CodeMemory::new(&code).expect("code memory");
        let second = CodeMemory::new(&code).expect("code memory");
        assert_ne!(first.address(), second.address());
        assert_eq!(crate::shader::codegen::entry::call(first.address(), 0, 0), 7);
        drop(first);
        let large = CodeMemory::new(&vec![0xc3; ARENA_PAGES * PAGE + 1]).expect("code memory");
        assert_eq!(large.len(), ARENA_PAGES * PAGE + 1);
        assert_eq!(crate::shader::codegen::entry::call(second.address(), 0, 0), 7);
    }
}
