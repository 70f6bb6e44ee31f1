//! Windows of Wayland, under a compositor without a screen.

mod common;

use ash::{khr, vk};
use common::{
    Device, child, entry,
    swapchain::{Chain, ORANGE, device},
};
use std::{
    fs,
    os::unix::net::UnixStream,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::Duration,
};
use wayland_client::{
    Connection, Dispatch, EventQueue, Proxy, QueueHandle, delegate_noop,
    globals::{GlobalListContents, registry_queue_init},
    protocol::{wl_compositor::WlCompositor, wl_registry::WlRegistry, wl_surface::WlSurface},
};
use wayland_protocols::xdg::shell::client::{
    xdg_surface::{self, XdgSurface},
    xdg_toplevel::XdgToplevel,
    xdg_wm_base::{self, XdgWmBase},
};

const SIZE: [u32; 2] = [64, 48];

/// A compositor, and the directory of its socket.
struct Compositor {
    process: Child,
    directory: PathBuf,
}

impl Compositor {
    /// None, said loudly, where there is none to start.
    fn new(name: &str) -> Option<Self> {
        // The path of a socket has to be short.
        let directory = std::env::temp_dir().join(format!("lahar-{}-{name}", std::process::id()));
        fs::create_dir_all(&directory).expect("a directory");
        let mut compositor = Command::new("weston");
        compositor
            .args(["--backend=headless-backend.so", "--use-pixman", "--width=640"])
            .args(["--height=480", "--socket=lahar", "--debug", "--no-config"])
            .arg("--idle-time=0")
            .env("XDG_RUNTIME_DIR", &directory)
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let process = match compositor.spawn() {
            Ok(process) => process,
            Err(error) => {
                eprintln!("SKIPPED: weston cannot be started: {error}");
                let _ = fs::remove_dir(&directory);
                return None;
            }
        };
        Some(Self { process, directory })
    }

    /// A connection, once the compositor listens.
    fn connect(&mut self) -> Connection {
        let socket = loop {
            if let Ok(socket) = UnixStream::connect(self.directory.join("lahar")) {
                break socket;
            }
            let ended = self.process.try_wait().expect("a child");
            assert!(ended.is_none(), "the compositor ended: {ended:?}");
            thread::sleep(Duration::from_millis(10));
        };
        Connection::from_socket(socket).expect("a connection")
    }

    /// A client of the compositor.
    fn client(&self, program: &str) -> Command {
        let mut client = child::client(program);
        client
            .env("XDG_RUNTIME_DIR", &self.directory)
            .env("WAYLAND_DISPLAY", "lahar")
            .current_dir(&self.directory);
        client
    }

    /// Waits until so many pixels of the screen have a colour: the shell moves windows in.
    fn shows(&self, count: usize, color: [u8; 3]) {
        let mut counted = Vec::new();
        while counted.last() != Some(&count) {
            assert!(counted.len() < 200, "of {color:?}: {counted:?}");
            counted.push(self.count(color));
        }
    }

    /// How many pixels of the screen have a colour.
    fn count(&self, color: [u8; 3]) -> usize {
        let status = self.client("weston-screenshooter").status();
        assert!(status.expect("it is part of weston").success());
        let is_picture = |path: &Path| path.extension().is_some_and(|ending| ending == "png");
        let path = fs::read_dir(&self.directory)
            .expect("the directory")
            .map(|entry| entry.expect("a file").path())
            .find(|path| is_picture(path))
            .expect("a picture");
        let file = fs::File::open(&path).expect("the picture");
        let mut reader = png::Decoder::new(std::io::BufReader::new(file))
            .read_info()
            .expect("a picture");
        let mut pixels = vec![0; reader.output_buffer_size().expect("a size")];
        let info = reader.next_frame(&mut pixels).expect("pixels");
        fs::remove_file(path).expect("it goes");
        let pixels = pixels.chunks_exact(info.color_type.samples());
        pixels.filter(|pixel| pixel[..3] == color).count()
    }
}

impl Drop for Compositor {
    fn drop(&mut self) {
        // It ends its own children. Nothing depends on how it ends.
        // SAFETY: a signal to a child that has not been waited for, or to nobody.
        unsafe { libc::kill(self.process.id().cast_signed(), libc::SIGTERM) };
        let _ = self.process.wait();
        let _ = fs::remove_dir_all(&self.directory);
    }
}

/// A window, as an application has it.
struct Window {
    connection: Connection,
    queue: EventQueue<Events>,
    surface: WlSurface,
}

#[derive(Default)]
struct Events {
    configured: bool,
}

impl Window {
    fn new(connection: Connection) -> Self {
        let (globals, mut queue) = registry_queue_init::<Events>(&connection).expect("globals");
        let handle = queue.handle();
        let compositor: WlCompositor = globals.bind(&handle, 1..=4, ()).expect("a compositor");
        let shell: XdgWmBase = globals.bind(&handle, 1..=1, ()).expect("a shell");
        let surface = compositor.create_surface(&handle, ());
        let role = shell.get_xdg_surface(&surface, &handle, ());
        role.get_toplevel(&handle, ());
        surface.commit();
        let mut events = Events::default();
        while !events.configured {
            queue.blocking_dispatch(&mut events).expect("events");
        }
        Self {
            connection,
            queue,
            surface,
        }
    }

    fn surface(&self, device: &Device) -> vk::SurfaceKHR {
        let wayland = khr::wayland_surface::Instance::new(entry(), &device.instance.raw);
        let surface = self.surface.id().as_ptr();
        let info = vk::WaylandSurfaceCreateInfoKHR::default()
            .display(self.connection.backend().display_ptr().cast())
            .surface(surface.cast());
        // SAFETY: both are alive.
        unsafe { wayland.create_wayland_surface(&info, None) }.expect("a surface")
    }

    /// Waits until the compositor has taken all that was sent.
    fn settle(&mut self) {
        self.queue.roundtrip(&mut Events::default()).expect("an answer");
    }
}

impl Dispatch<XdgSurface, ()> for Events {
    fn event(
        events: &mut Self,
        surface: &XdgSurface,
        event: xdg_surface::Event,
        (): &(),
        _: &Connection,
        _: &QueueHandle<Self>,
    ) {
        if let xdg_surface::Event::Configure { serial } = event {
            surface.ack_configure(serial);
            events.configured = true;
        }
    }
}

impl Dispatch<XdgWmBase, ()> for Events {
    fn event(
        _: &mut Self,
        shell: &XdgWmBase,
        event: xdg_wm_base::Event,
        (): &(),
        _: &Connection,
        _: &QueueHandle<Self>,
    ) {
        if let xdg_wm_base::Event::Ping { serial } = event {
            shell.pong(serial);
        }
    }
}

impl Dispatch<WlRegistry, GlobalListContents> for Events {
    fn event(
        _: &mut Self,
        _: &WlRegistry,
        _: <WlRegistry as Proxy>::Event,
        _: &GlobalListContents,
        _: &Connection,
        _: &QueueHandle<Self>,
    ) {
    }
}

delegate_noop!(Events: WlCompositor);
delegate_noop!(Events: ignore WlSurface);
delegate_noop!(Events: ignore XdgToplevel);

#[test]
fn a_window_shows_what_is_presented() {
    let Some(mut compositor) = Compositor::new("shows") else {
        return;
    };
    let mut window = Window::new(compositor.connect());
    let device = device(khr::wayland_surface::NAME);
    let surface = window.surface(&device);
    let mut chain = Chain::new(&device, surface, SIZE);
    // SAFETY: the surface is alive.
    let capabilities = unsafe {
        let physical = device.instance.physical;
        chain
            .surfaces
            .get_physical_device_surface_capabilities(physical, surface)
    };
    let images_decide = [u32::MAX; 2];
    let extent = capabilities.expect("capabilities").current_extent;
    assert_eq!([extent.width, extent.height], images_decide);
    // More frames than there can be buffers.
    for frame in 0..12 {
        let index = chain.acquire().expect("an image");
        let color = [0.0, f32::from(u8::from(frame % 2 == 0)), 1.0, 1.0];
        assert_eq!(chain.present(index, color), Ok(false));
    }
    window.settle();
    compositor.shows(64 * 48, [0, 0, 255]);
    chain.create([80, 48]);
    let index = chain.acquire().expect("an image");
    assert_eq!(chain.present(index, ORANGE), Ok(false));
    window.settle();
    compositor.shows(80 * 48, [255, 128, 0]);
}

#[test]
fn a_compositor_that_is_gone_is_a_lost_surface() {
    let Some(mut compositor) = Compositor::new("gone") else {
        return;
    };
    let window = Window::new(compositor.connect());
    let device = device(khr::wayland_surface::NAME);
    let chain = Chain::new(&device, window.surface(&device), SIZE);
    let index = chain.acquire().expect("an image");
    assert_eq!(chain.present(index, ORANGE), Ok(false));
    compositor.process.kill().expect("killed");
    compositor.process.wait().expect("ended");
    let mut results = (0..4).map(|_| chain.acquire().and_then(|index| chain.present(index, ORANGE)));
    let lost = Err(vk::Result::ERROR_SURFACE_LOST_KHR);
    assert!(results.any(|result| result == lost));
    // SAFETY: an empty submission: the device is well.
    unsafe { device.raw.queue_submit(device.queue, &[], vk::Fence::null()) }.expect("submitted");
}

#[test]
fn a_compositor_that_does_not_answer_is_a_lost_surface() {
    let Some(mut compositor) = Compositor::new("silent") else {
        return;
    };
    let window = Window::new(compositor.connect());
    let device = device(khr::wayland_surface::NAME);
    let chain = Chain::new(&device, window.surface(&device), SIZE);
    let signal = |signal| {
        let process = compositor.process.id().cast_signed();
        // SAFETY: the process is a child that has not been waited for.
        assert_eq!(unsafe { libc::kill(process, signal) }, 0);
    };
    signal(libc::SIGSTOP);
    let mut results = (0..8).map(|_| chain.acquire().and_then(|index| chain.present(index, ORANGE)));
    let lost = Err(vk::Result::ERROR_SURFACE_LOST_KHR);
    assert!(results.any(|result| result == lost));
    signal(libc::SIGCONT);
    assert_eq!(
        chain.acquire(),
        Err(vk::Result::ERROR_SURFACE_LOST_KHR),
        "it stays so"
    );
}

/// Runs a plan's rule in a process of its own, with a swapchain in a window.
fn planned(name: &str, rule: &str, body: impl FnOnce(&mut Chain<'_>)) {
    child::isolated(name, &[("LAHAR_FAULT", rule)], || {
        let Some(mut compositor) = Compositor::new(name) else {
            return;
        };
        let window = Window::new(compositor.connect());
        let device = device(khr::wayland_surface::NAME);
        body(&mut Chain::new(&device, window.surface(&device), SIZE));
    });
}

#[test]
fn windows_change_by_plan() {
    let name = "windows_change_by_plan";
    planned(name, "swapchain@present#2 resized width=80 height=48", |chain| {
        let frame = |chain: &Chain<'_>| {
            let index = chain.acquire()?;
            chain.present(index, ORANGE)
        };
        assert_eq!(frame(chain), Ok(false));
        let old = Err(vk::Result::ERROR_OUT_OF_DATE_KHR);
        assert_eq!((frame(chain), frame(chain)), (old, old));
        chain.create([80, 48]);
        assert_eq!(frame(chain), Ok(false));
    });
}

#[test]
fn windows_are_lost_by_plan() {
    let name = "windows_are_lost_by_plan";
    planned(name, "swapchain@acquire#2 surface_lost", |chain| {
        let index = chain.acquire().expect("an image");
        assert_eq!(chain.present(index, ORANGE), Ok(false));
        let lost = Err(vk::Result::ERROR_SURFACE_LOST_KHR);
        assert_eq!((chain.acquire(), chain.acquire()), (lost, lost));
    });
}

#[test]
fn vkcube_turns_in_a_window() {
    let Some(mut compositor) = Compositor::new("cube") else {
        return;
    };
    drop(compositor.connect());
    let output = match compositor.client("vkcube-wayland").args(["--c", "3"]).output() {
        Ok(output) => output,
        Err(error) => {
            eprintln!("SKIPPED: vkcube-wayland cannot be started: {error}");
            return;
        }
    };
    let text = child::both(&output);
    assert!(output.status.success() && text.contains("Lahar"), "{text}");
}
