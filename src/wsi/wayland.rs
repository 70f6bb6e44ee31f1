//! Windows of Wayland.
//!
//! A surface is an object of the application's connection, so Lahar speaks over that connection too, with an event queue
//! of its own. Images travel in shared memory: a buffer is written again when the compositor has given it back.

use super::{Error, Frame, Target, copy_rows};
use crate::{memory::SharedBuf, vk};
use parking_lot::Mutex;
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    io::retry_on_intr,
};
use std::{
    io,
    os::fd::AsFd,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};
use wayland_client::{
    Connection, Dispatch, EventQueue, Proxy, QueueHandle,
    backend::WaylandError,
    delegate_noop,
    protocol::{
        wl_buffer::{self, WlBuffer},
        wl_callback::{self, WlCallback},
        wl_registry::{self, WlRegistry},
        wl_shm::{self, WlShm},
        wl_shm_pool::WlShmPool,
        wl_surface::WlSurface,
    },
};

/// How long the compositor may be silent while it is asked.
const PATIENCE: Duration = Duration::from_secs(5);

/// How long a paced image waits for a display that shows the window to nobody.
const UNSEEN: Duration = Duration::from_millis(100);

/// Buffers that the compositor may have at once; it rarely keeps more than two.
const MAX_BUFFERS: usize = 4;

/// A window.
pub struct Wayland {
    connection: Connection,
    surface: WlSurface,
    link: Mutex<Option<Link>>,
}

/// What is made when the first image is shown.
struct Link {
    queue: EventQueue<Events>,
    events: Events,
    shm: WlShm,
    buffers: Vec<Buffer>,
}

/// What the compositor has told.
#[derive(Default)]
struct Events {
    /// The number of the global that makes shared memory.
    shm: Option<u32>,
    /// Whether all globals are told.
    synced: bool,
    /// Whether the next image is due.
    due: bool,
}

/// Shared memory that the compositor has.
struct Buffer {
    memory: SharedBuf,
    extent: [u32; 2],
    proxy: WlBuffer,
    busy: Arc<AtomicBool>,
}

impl Drop for Buffer {
    fn drop(&mut self) {
        self.proxy.destroy();
    }
}

/// What a callback tells.
enum Told {
    Synced,
    Due,
}

impl Wayland {
    /// A surface, and the connection that it belongs to.
    pub fn new(connection: Connection, surface: WlSurface) -> Self {
        Self {
            connection,
            surface,
            link: Mutex::new(None),
        }
    }

    fn connect(&self) -> Option<Link> {
        let mut queue = self.connection.new_event_queue();
        let handle = queue.handle();
        let display = self.connection.display();
        let registry = display.get_registry(&handle, ());
        display.sync(&handle, Told::Synced);
        let mut events = Events::default();
        let synced = wait(&self.connection, &mut queue, &mut events, PATIENCE, |events| {
            events.synced
        });
        if !synced.ok()? {
            return None;
        }
        let shm = registry.bind(events.shm?, 1, &handle, ());
        events.due = true;
        Some(Link {
            queue,
            events,
            shm,
            buffers: Vec::new(),
        })
    }

    fn put(&self, link: &mut Link, frame: &Frame) -> Result<(), Error> {
        if frame.paced {
            let due = |events: &Events| events.due;
            wait(&self.connection, &mut link.queue, &mut link.events, UNSEEN, due)?;
        }
        let index = self.free_buffer(link, frame.extent)?;
        let buffer = &link.buffers[index];
        copy_rows(frame, buffer.memory.address());
        buffer.busy.store(true, Ordering::Relaxed);
        self.surface.attach(Some(&buffer.proxy), 0, 0);
        if self.surface.version() >= 4 {
            self.surface.damage_buffer(0, 0, i32::MAX, i32::MAX);
        } else {
            self.surface.damage(0, 0, i32::MAX, i32::MAX);
        }
        if frame.paced {
            link.events.due = false;
            self.surface.frame(&link.queue.handle(), Told::Due);
        }
        self.surface.commit();
        flush(&self.connection)
    }

    /// The index of a buffer that the compositor does not use.
    fn free_buffer(&self, link: &mut Link, extent: [u32; 2]) -> Result<usize, Error> {
        let Link {
            queue,
            events,
            buffers,
            ..
        } = link;
        // What was given back is found out without waiting; the time-out says nothing.
        wait(&self.connection, queue, events, Duration::ZERO, |_| false)?;
        let is_free = |buffer: &Buffer| !buffer.busy.load(Ordering::Relaxed);
        // After a resize the old ones go as they come back.
        buffers.retain(|buffer| buffer.extent == extent || !is_free(buffer));
        let fits = |buffer: &Buffer| buffer.extent == extent && is_free(buffer);
        if let Some(index) = buffers.iter().position(fits) {
            return Ok(index);
        }
        if buffers.len() >= MAX_BUFFERS {
            let one_came_back = |_: &Events| buffers.iter().any(is_free);
            if !wait(&self.connection, queue, events, PATIENCE, one_came_back)? {
                return Err(Error::SurfaceLost);
            }
            buffers.retain(|buffer| buffer.extent == extent || !is_free(buffer));
            if let Some(index) = buffers.iter().position(fits) {
                return Ok(index);
            }
        }
        let buffer = new_buffer(link, extent).ok_or(Error::SurfaceLost)?;
        link.buffers.push(buffer);
        Ok(link.buffers.len() - 1)
    }
}

fn new_buffer(link: &Link, extent: [u32; 2]) -> Option<Buffer> {
    let [width, height] = extent.map(i32::try_from);
    let (width, height) = (width.ok()?, height.ok()?);
    let stride = width.checked_mul(4)?;
    let len = stride.checked_mul(height)?;
    let memory = SharedBuf::new(usize::try_from(len).ok()?).ok()?;
    let handle = link.queue.handle();
    let busy = Arc::new(AtomicBool::new(false));
    let pool = link.shm.create_pool(memory.file(), len, &handle, ());
    let format = wl_shm::Format::Xrgb8888;
    let proxy = pool.create_buffer(0, width, height, stride, format, &handle, busy.clone());
    // The buffer keeps the memory.
    pool.destroy();
    Some(Buffer {
        memory,
        extent,
        proxy,
        busy,
    })
}

/// Takes what the compositor tells until it is enough, or time is up; whether it was enough.
fn wait(
    connection: &Connection,
    queue: &mut EventQueue<Events>,
    events: &mut Events,
    patience: Duration,
    enough: impl Fn(&Events) -> bool,
) -> Result<bool, Error> {
    let lost = Error::SurfaceLost;
    let end = Instant::now() + patience;
    loop {
        queue.dispatch_pending(events).map_err(|_| lost)?;
        if enough(events) {
            return Ok(true);
        }
        flush(connection)?;
        // None: there is something to take already.
        let Some(guard) = queue.prepare_read() else {
            continue;
        };
        let left = end.saturating_duration_since(Instant::now());
        let left = Timespec::try_from(left).map_err(|_| lost)?;
        let ready = {
            let fd = guard.connection_fd();
            let mut fds = [PollFd::from_borrowed_fd(fd.as_fd(), PollFlags::IN)];
            retry_on_intr(|| poll(&mut fds, Some(&left))).map_err(|_| lost)?
        };
        if ready == 0 {
            return Ok(false);
        }
        match guard.read() {
            Ok(_) => {}
            // Another thread took it.
            Err(WaylandError::Io(error)) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(_) => return Err(lost),
        }
    }
}

/// Sends what is held back; what the compositor does not take now is sent with the next.
fn flush(connection: &Connection) -> Result<(), Error> {
    match connection.flush() {
        Err(WaylandError::Io(error)) if error.kind() == io::ErrorKind::WouldBlock => Ok(()),
        result => result.map_err(|_| Error::SurfaceLost),
    }
}

impl Target for Wayland {
    fn extent(&self) -> Result<Option<[u32; 2]>, Error> {
        match self.connection.backend().last_error() {
            // Images decide how large the window is.
            None => Ok(None),
            Some(_) => Err(Error::SurfaceLost),
        }
    }

    fn formats(&self) -> &'static [vk::Format] {
        &[vk::Format::B8G8R8A8_UNORM, vk::Format::B8G8R8A8_SRGB]
    }

    fn show(&self, frame: &Frame) -> Result<(), Error> {
        let mut link = self.link.lock();
        if link.is_none() {
            *link = self.connect();
        }
        self.put(link.as_mut().ok_or(Error::SurfaceLost)?, frame)
    }
}

impl Dispatch<WlRegistry, ()> for Events {
    fn event(
        events: &mut Self,
        _: &WlRegistry,
        event: wl_registry::Event,
        (): &(),
        _: &Connection,
        _: &QueueHandle<Self>,
    ) {
        if let wl_registry::Event::Global { name, interface, .. } = event
            && interface == WlShm::interface().name
        {
            events.shm = Some(name);
        }
    }
}

impl Dispatch<WlCallback, Told> for Events {
    fn event(
        events: &mut Self,
        _: &WlCallback,
        _: wl_callback::Event,
        told: &Told,
        _: &Connection,
        _: &QueueHandle<Self>,
    ) {
        match told {
            Told::Synced => events.synced = true,
            Told::Due => events.due = true,
        }
    }
}

impl Dispatch<WlBuffer, Arc<AtomicBool>> for Events {
    fn event(
        _: &mut Self,
        _: &WlBuffer,
        _: wl_buffer::Event,
        busy: &Arc<AtomicBool>,
        _: &Connection,
        _: &QueueHandle<Self>,
    ) {
        // Its only event is that it is given back.
        busy.store(false, Ordering::Relaxed);
    }
}

delegate_noop!(Events: ignore WlShm);
delegate_noop!(Events: WlShmPool);
