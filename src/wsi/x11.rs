//! Windows of X11.
//!
//! Lahar talks to the server over a connection of its own, so the application's connection and its locks are never
//! touched from a queue's thread. Images travel in shared memory where the server takes it, else through the socket.

use super::{
    Error, Frame, Target, copy_rows,
    stream::{Quiet, connect},
};
use crate::{
    memory::{SharedBuf, raw},
    vk,
};
use parking_lot::Mutex;
use std::{
    sync::OnceLock,
    thread,
    time::{Duration, Instant},
};
use x11rb::{
    connection::{Connection, RequestConnection},
    protocol::{
        shm::ConnectionExt as _,
        xproto::{ConnectionExt as _, CreateGCAux, ImageFormat},
    },
    rust_connection::RustConnection,
};

/// Makes the application's own connection send what it holds back, so that the server knows the window.
pub type Flush = Box<dyn Fn() + Send + Sync>;

/// The time between two images of a display that does not say.
const FRAME_TIME: Duration = Duration::from_nanos(16_666_667);

/// A window.
pub struct X11 {
    display: Option<String>,
    window: u32,
    flush: Flush,
    link: OnceLock<Option<Link>>,
    /// When the last paced image was shown.
    shown: Mutex<Option<Instant>>,
}

/// The connection and what belongs to it.
struct Link {
    connection: RustConnection<Quiet>,
    context: u32,
    depth: u8,
    /// Shared memory that the server has, of the size of the last image; none if it takes none.
    segment: Mutex<Segments>,
}

enum Segments {
    Unsupported,
    Empty,
    Attached(SharedBuf, u32),
}

impl X11 {
    /// A window of a display, by its name as in `DISPLAY`; none is the default.
    pub fn new(display: Option<String>, window: u32, flush: Flush) -> Self {
        Self {
            display,
            window,
            flush,
            link: OnceLock::new(),
            shown: Mutex::new(None),
        }
    }

    fn link(&self) -> Result<&Link, Error> {
        self.link
            .get_or_init(|| self.connect())
            .as_ref()
            .ok_or(Error::SurfaceLost)
    }

    fn connect(&self) -> Option<Link> {
        (self.flush)();
        let connection = connect(self.display.as_deref())?;
        let depth = connection.get_geometry(self.window).ok()?.reply().ok()?.depth;
        let context = connection.generate_id().ok()?;
        let no_exposures = CreateGCAux::new().graphics_exposures(0);
        connection
            .create_gc(context, self.window, &no_exposures)
            .ok()?
            .check()
            .ok()?;
        let shares = connection
            .shm_query_version()
            .ok()
            .and_then(|cookie| cookie.reply().ok());
        // Version 1.2 takes file descriptors.
        let takes_files =
            shares.is_some_and(|version| (version.major_version, version.minor_version) >= (1, 2));
        let segments = if takes_files {
            Segments::Empty
        } else {
            Segments::Unsupported
        };
        Some(Link {
            connection,
            context,
            depth,
            segment: Mutex::new(segments),
        })
    }

    /// Waits until the next image is due.
    fn pace(&self) {
        let mut shown = self.shown.lock();
        let now = Instant::now();
        let due = shown.map_or(now, |shown| shown + FRAME_TIME);
        if let Some(wait) = due.checked_duration_since(now) {
            thread::sleep(wait);
        }
        // A late image starts the count anew; an early one keeps the beat.
        *shown = Some(due.max(now));
    }
}

impl Link {
    fn extent(&self, window: u32) -> Result<[u32; 2], Error> {
        let lost = Error::SurfaceLost;
        let cookie = self.connection.get_geometry(window).map_err(|_| lost)?;
        let geometry = cookie.reply().map_err(|_| lost)?;
        Ok([u32::from(geometry.width), u32::from(geometry.height)])
    }

    fn put(&self, window: u32, frame: &Frame) -> Option<()> {
        let mut segment = self.segment.lock();
        let len = frame.extent[0] as usize * frame.extent[1] as usize * 4;
        self.attach(&mut segment, len);
        if let Segments::Attached(buffer, id) = &*segment {
            copy_rows(frame, buffer.address());
            let [width, height] = size(frame)?;
            let request = self.connection.shm_put_image(
                window,
                self.context,
                width,
                height,
                0,
                0,
                width,
                height,
                0,
                0,
                self.depth,
                ImageFormat::Z_PIXMAP.into(),
                false,
                *id,
                0,
            );
            // The server has read the memory when it has answered.
            return request.ok()?.check().ok();
        }
        self.put_through_socket(window, frame)
    }

    /// Sees to it that shared memory of the size is attached, if the server takes it.
    fn attach(&self, segment: &mut Segments, len: usize) {
        match segment {
            Segments::Unsupported => return,
            Segments::Attached(buffer, _) if buffer.len() == len => return,
            Segments::Attached(_, id) => {
                // The server drops its mapping by itself if the request gets lost.
                let _ = self.connection.shm_detach(*id);
                *segment = Segments::Empty;
            }
            Segments::Empty => {}
        }
        *segment = self.new_segment(len).unwrap_or(Segments::Unsupported);
    }

    fn new_segment(&self, len: usize) -> Option<Segments> {
        let buffer = SharedBuf::new(len).ok()?;
        let id = self.connection.generate_id().ok()?;
        let file = buffer.file().try_clone_to_owned().ok()?;
        self.connection.shm_attach_fd(id, file, true).ok()?.check().ok()?;
        Some(Segments::Attached(buffer, id))
    }

    /// Sends the rows in requests that are not too long for the server.
    fn put_through_socket(&self, window: u32, frame: &Frame) -> Option<()> {
        let [width, height] = size(frame)?;
        let row = usize::from(width) * 4;
        let room = self.connection.maximum_request_bytes().saturating_sub(64);
        let rows = u16::try_from(room / row).unwrap_or(u16::MAX).max(1);
        let mut bytes = vec![0; row * usize::from(rows)];
        let mut last = None;
        for top in (0..height).step_by(usize::from(rows)) {
            let count = rows.min(height - top);
            for (line, out) in bytes.chunks_exact_mut(row).take(usize::from(count)).enumerate() {
                raw::read(
                    frame.address + (u64::from(top) + line as u64) * frame.row_pitch,
                    out,
                );
            }
            let y = i16::try_from(top).ok()?;
            let data = &bytes[..row * usize::from(count)];
            let request = self.connection.put_image(
                ImageFormat::Z_PIXMAP,
                window,
                self.context,
                width,
                count,
                0,
                y,
                0,
                self.depth,
                data,
            );
            last = Some(request.ok()?);
        }
        last?.check().ok()
    }
}

fn size(frame: &Frame) -> Option<[u16; 2]> {
    let [width, height] = frame.extent;
    Some([u16::try_from(width).ok()?, u16::try_from(height).ok()?])
}

impl Target for X11 {
    fn extent(&self) -> Result<Option<[u32; 2]>, Error> {
        self.link()?.extent(self.window).map(Some)
    }

    fn formats(&self) -> &'static [vk::Format] {
        &[vk::Format::B8G8R8A8_UNORM, vk::Format::B8G8R8A8_SRGB]
    }

    fn show(&self, frame: &Frame) -> Result<(), Error> {
        let link = self.link()?;
        if frame.paced {
            self.pace();
        }
        link.put(self.window, frame).ok_or(Error::SurfaceLost)
    }
}
