//! A window of Wayland, from an application's own connection.

use lahar::wsi::Wayland;
use std::ffi::c_void;
use wayland_client::{
    Connection, Proxy,
    backend::{Backend, ObjectId},
    protocol::wl_surface::WlSurface,
};

/// The window of a `wl_display` and a `wl_surface`; none if the client library is not to be found.
pub(crate) fn window(display: *mut c_void, surface: *mut c_void) -> Option<Wayland> {
    if !wayland_sys::client::is_lib_available() {
        return None;
    }
    // SAFETY: the application keeps its connection as long as the surface.
    let backend = unsafe { Backend::from_foreign_display(display.cast()) };
    let connection = Connection::from_backend(backend);
    // SAFETY: a live object of that connection.
    let id = unsafe { ObjectId::from_ptr(WlSurface::interface(), surface.cast()) }.ok()?;
    let surface = WlSurface::from_id(&connection, id).ok()?;
    Some(Wayland::new(connection, surface))
}
