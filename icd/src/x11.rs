//! What Lahar needs of an application's own connection to an X server: the display's name, and a flush.
//!
//! The client libraries are the application's; Lahar neither links nor loads them, but asks for the functions of
//! those that are there.

use lahar::wsi::Flush;
use std::{
    ffi::{CStr, c_int, c_ulong, c_void},
    mem::{size_of, zeroed},
};

/// An application's connection: `xcb_connection_t` or Xlib's `Display`.
#[derive(Clone, Copy)]
pub(crate) struct Connection {
    pointer: *mut c_void,
    functions: &'static Functions,
}

// SAFETY: the pointer is only handed to the client library, which takes it on any thread (Xlib where the application
// has asked for that, as Vulkan demands of it).
unsafe impl Send for Connection {}
// SAFETY: as above.
unsafe impl Sync for Connection {}

/// Where a client library has what is needed.
struct Functions {
    library: &'static CStr,
    descriptor: &'static CStr,
    flush: &'static CStr,
}

static XCB: Functions = Functions {
    library: c"libxcb.so.1",
    descriptor: c"xcb_get_file_descriptor",
    flush: c"xcb_flush",
};
static XLIB: Functions = Functions {
    library: c"libX11.so.6",
    descriptor: c"XConnectionNumber",
    flush: c"XFlush",
};

type Call = unsafe extern "C" fn(*mut c_void) -> c_int;

impl Connection {
    /// A connection of libxcb.
    pub(crate) fn xcb(pointer: *mut c_void) -> Self {
        Self {
            pointer,
            functions: &XCB,
        }
    }

    /// A connection of Xlib.
    pub(crate) fn xlib(pointer: *mut c_void) -> Self {
        Self {
            pointer,
            functions: &XLIB,
        }
    }

    /// The name of its display, if it is a local one.
    pub(crate) fn display(self) -> Option<String> {
        let descriptor = self.call(self.functions.descriptor)?;
        let path = peer_path(descriptor)?;
        // Local servers listen at `/tmp/.X11-unix/X<number>`.
        let number = path.rsplit_once("/X")?.1;
        number
            .bytes()
            .all(|byte| byte.is_ascii_digit())
            .then(|| format!(":{number}"))
    }

    /// Sends what the library holds back.
    pub(crate) fn flusher(self) -> Flush {
        Box::new(move || {
            self.call(self.functions.flush);
        })
    }

    fn call(self, name: &CStr) -> Option<c_int> {
        let function = find(self.functions.library, name)?;
        // SAFETY: both libraries' functions of these names take the connection and return an int; the application
        // keeps the connection as long as its surface.
        Some(unsafe { function(self.pointer) })
    }
}

/// A function of a library that the process has loaded.
fn find(library: &CStr, name: &CStr) -> Option<Call> {
    // SAFETY: the library is not loaded by this, only found; the application that uses it keeps it.
    let symbol = unsafe {
        let handle = libc::dlopen(library.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD);
        let scope = if handle.is_null() {
            libc::RTLD_DEFAULT
        } else {
            handle
        };
        let symbol = libc::dlsym(scope, name.as_ptr());
        if !handle.is_null() {
            libc::dlclose(handle);
        }
        symbol
    };
    // SAFETY: a function of one of the names above has this type.
    (!symbol.is_null()).then(|| unsafe { std::mem::transmute::<*mut c_void, Call>(symbol) })
}

/// The path of the local socket at the other end of a connection.
fn peer_path(descriptor: c_int) -> Option<String> {
    // SAFETY: all-zero bytes are a value of the structure.
    let mut address: libc::sockaddr_un = unsafe { zeroed() };
    let mut len = size_of::<libc::sockaddr_un>() as libc::socklen_t;
    // SAFETY: the address is as long as `len` says.
    let result = unsafe { libc::getpeername(descriptor, (&raw mut address).cast(), &mut len) };
    if result != 0 || c_int::from(address.sun_family) != libc::AF_UNIX {
        return None;
    }
    // An abstract address begins with a zero byte.
    let path: Vec<u8> = address.sun_path.iter().map(|char| char.cast_unsigned()).collect();
    let start = usize::from(path.first() == Some(&0));
    let end = path[start..]
        .iter()
        .position(|byte| *byte == 0)
        .unwrap_or(path.len() - start);
    String::from_utf8(path[start..start + end].to_vec()).ok()
}

/// A window's number as Xlib has it.
pub(crate) fn window_id(window: c_ulong) -> u32 {
    // The protocol has 29 bits.
    window as u32
}
