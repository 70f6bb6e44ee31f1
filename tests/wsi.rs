//! Surfaces and swapchains: without a window, and in windows of a virtual X server.

mod common;

use ash::{khr, vk};
use common::{
    Device, entry,
    swapchain::{Chain, ORANGE, device},
};
use std::{
    ffi::{CStr, c_char, c_int, c_void},
    process::Child,
};
use x11rb::{
    connection::Connection,
    protocol::xproto::{ConfigureWindowAux, ConnectionExt, CreateWindowAux, ImageFormat, WindowClass},
    rust_connection::RustConnection,
};

/// The same as a pixel of the X server.
const ORANGE_BYTES: [u8; 3] = [0, 128, 255];

#[test]
fn a_headless_swapchain_goes_round() {
    let device = device(ash::ext::headless_surface::NAME);
    let headless = ash::ext::headless_surface::Instance::new(entry(), &device.instance.raw);
    // SAFETY: plain structures.
    let surface =
        unsafe { headless.create_headless_surface(&vk::HeadlessSurfaceCreateInfoEXT::default(), None) };
    let chain = Chain::new(&device, surface.expect("a surface"), [32, 16]);
    assert_eq!(chain.images.len(), 2);
    for frame in 0..5 {
        let index = chain.acquire().expect("an image");
        assert_eq!(index, frame % 2);
        assert_eq!(chain.present(index, ORANGE), Ok(false));
    }
}

#[test]
fn too_few_images_time_out() {
    let device = device(ash::ext::headless_surface::NAME);
    let headless = ash::ext::headless_surface::Instance::new(entry(), &device.instance.raw);
    // SAFETY: plain structures.
    let surface =
        unsafe { headless.create_headless_surface(&vk::HeadlessSurfaceCreateInfoEXT::default(), None) };
    let chain = Chain::new(&device, surface.expect("a surface"), [32, 16]);
    // SAFETY: plain structures; the fences are not in use when they are destroyed.
    unsafe {
        let fence = || {
            device
                .raw
                .create_fence(&vk::FenceCreateInfo::default(), None)
                .expect("a fence")
        };
        let fences = [fence(), fence(), fence()];
        let acquire = |timeout, fence| {
            chain
                .swapchains
                .acquire_next_image(chain.raw, timeout, vk::Semaphore::null(), fence)
        };
        assert_eq!(acquire(0, fences[0]), Ok((0, false)));
        assert_eq!(acquire(0, fences[1]), Ok((1, false)));
        assert_eq!(acquire(0, fences[2]), Err(vk::Result::NOT_READY));
        assert_eq!(acquire(1000, fences[2]), Err(vk::Result::TIMEOUT));
        assert_eq!(device.raw.wait_for_fences(&fences[..2], true, u64::MAX), Ok(()));
        for fence in fences {
            device.raw.destroy_fence(fence, None);
        }
    }
}

/// A virtual X server, with a window and the connection of an application that uses libxcb.
struct Server {
    process: Child,
    connection: RustConnection,
    window: u32,
    xcb: *mut c_void,
    display: String,
}

impl Server {
    fn new(size: [u16; 2], options: &[&str]) -> Self {
        let (process, display) = common::x_server(options);
        let (connection, screen) = RustConnection::connect(Some(&display)).expect("a connection");
        let screen = &connection.setup().roots[screen];
        let window = connection.generate_id().expect("an id");
        let (root, aux) = (screen.root, CreateWindowAux::new().override_redirect(1));
        let class = WindowClass::INPUT_OUTPUT;
        connection
            .create_window(0, window, root, 0, 0, size[0], size[1], 0, class, 0, &aux)
            .and_then(|_| connection.map_window(window))
            .expect("sent")
            .check()
            .expect("a window");
        let xcb = connect(c"libxcb.so.1", c"xcb_connect", &display);
        Self {
            process,
            connection,
            window,
            xcb,
            display,
        }
    }

    fn pixel(&self, x: i16, y: i16) -> [u8; 3] {
        let cookie = self
            .connection
            .get_image(ImageFormat::Z_PIXMAP, self.window, x, y, 1, 1, u32::MAX);
        let data = cookie.expect("sent").reply().expect("an image").data;
        [data[0], data[1], data[2]]
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Nothing depends on how the server ends.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A connection of a client library, which an application would have made: by its function of one argument, or of
/// two of which the second may be null.
fn connect(library: &CStr, function: &CStr, display: &str) -> *mut c_void {
    let display = std::ffi::CString::new(display).expect("no zero in it");
    // SAFETY: both functions take these arguments (the second is passed over by one); the library stays loaded.
    unsafe {
        let library = libc::dlopen(library.as_ptr(), libc::RTLD_NOW);
        let symbol = libc::dlsym(library, function.as_ptr());
        assert!(!symbol.is_null(), "the X client libraries are installed");
        type Connect = unsafe extern "C" fn(*const c_char, *mut c_int) -> *mut c_void;
        std::mem::transmute::<*mut c_void, Connect>(symbol)(display.as_ptr(), std::ptr::null_mut())
    }
}

fn window_surface(device: &Device, server: &Server) -> vk::SurfaceKHR {
    let xcb = khr::xcb_surface::Instance::new(entry(), &device.instance.raw);
    let info = vk::XcbSurfaceCreateInfoKHR::default()
        .connection(server.xcb)
        .window(server.window);
    // SAFETY: the connection and the window are alive.
    unsafe { xcb.create_xcb_surface(&info, None) }.expect("a surface")
}

#[test]
fn large_images_go_through_the_socket_in_parts() {
    // More than the 16 MiB of a request.
    let size = [2200, 2000];
    let server = Server::new(size, &["-extension", "MIT-SHM"]);
    let device = device(khr::xcb_surface::NAME);
    let chain = Chain::new(&device, window_surface(&device, &server), size.map(u32::from));
    let index = chain.acquire().expect("an image");
    assert_eq!(chain.present(index, ORANGE), Ok(false));
    assert_eq!(
        (server.pixel(0, 0), server.pixel(2199, 1999)),
        (ORANGE_BYTES, ORANGE_BYTES)
    );
}

#[test]
fn windows_of_xlib_are_windows() {
    let server = Server::new([64, 48], &[]);
    let device = device(khr::xlib_surface::NAME);
    let xlib = khr::xlib_surface::Instance::new(entry(), &device.instance.raw);
    let display = connect(c"libX11.so.6", c"XOpenDisplay", &server.display);
    let info = vk::XlibSurfaceCreateInfoKHR::default()
        .dpy(display.cast())
        .window(server.window.into());
    // SAFETY: the display and the window are alive.
    let surface = unsafe { xlib.create_xlib_surface(&info, None) }.expect("a surface");
    let chain = Chain::new(&device, surface, [64, 48]);
    let index = chain.acquire().expect("an image");
    assert_eq!(chain.present(index, ORANGE), Ok(false));
    assert_eq!(server.pixel(0, 0), ORANGE_BYTES);
}

#[test]
fn a_window_shows_what_is_presented_until_it_is_resized() {
    let server = Server::new([64, 48], &[]);
    let device = device(khr::xcb_surface::NAME);
    let surface = window_surface(&device, &server);
    let mut chain = Chain::new(&device, surface, [64, 48]);

    let index = chain.acquire().expect("an image");
    assert_eq!(chain.present(index, ORANGE), Ok(false));
    assert_eq!(
        (server.pixel(0, 0), server.pixel(63, 47)),
        (ORANGE_BYTES, ORANGE_BYTES)
    );

    let index = chain.acquire().expect("an image");
    let resize = |width| {
        let cookie = server
            .connection
            .configure_window(server.window, &ConfigureWindowAux::new().width(width));
        cookie.expect("sent").check().expect("resized");
    };
    resize(80);
    assert_eq!(
        chain.present(index, ORANGE),
        Err(vk::Result::ERROR_OUT_OF_DATE_KHR)
    );
    resize(64);
    assert_eq!(
        chain.acquire(),
        Err(vk::Result::ERROR_OUT_OF_DATE_KHR),
        "it stays so"
    );

    resize(80);
    // SAFETY: the surface is alive.
    let capabilities = unsafe {
        chain
            .surfaces
            .get_physical_device_surface_capabilities(device.instance.physical, surface)
    };
    assert_eq!(capabilities.expect("capabilities").current_extent.width, 80);
    chain.create([80, 48]);
    let index = chain.acquire().expect("an image");
    assert_eq!(chain.present(index, [0.0, 1.0, 0.0, 1.0]), Ok(false));
    assert_eq!(server.pixel(79, 0), [0, 255, 0]);

    let index = chain.acquire().expect("an image");
    server
        .connection
        .destroy_window(server.window)
        .expect("sent")
        .check()
        .expect("destroyed");
    assert_eq!(
        chain.present(index, ORANGE),
        Err(vk::Result::ERROR_SURFACE_LOST_KHR)
    );
}

#[test]
fn a_server_that_does_not_answer_is_a_lost_surface_and_holds_up_nothing() {
    let server = Server::new([64, 48], &[]);
    let device = device(khr::xcb_surface::NAME);
    let chain = Chain::new(&device, window_surface(&device, &server), [64, 48]);
    let index = chain.acquire().expect("an image");
    let signal = |signal| {
        assert_eq!(
            // SAFETY: the process is a child that has not been waited for.
            unsafe { libc::kill(server.process.id().cast_signed(), signal) },
            0
        );
    };
    signal(libc::SIGSTOP);
    // `present` waits for the queue, too.
    assert_eq!(
        chain.present(index, ORANGE),
        Err(vk::Result::ERROR_SURFACE_LOST_KHR)
    );
    signal(libc::SIGCONT);
    assert_eq!(
        chain.acquire(),
        Err(vk::Result::ERROR_SURFACE_LOST_KHR),
        "it stays so"
    );
    // SAFETY: an empty submission: the device is well.
    unsafe { device.raw.queue_submit(device.queue, &[], vk::Fence::null()) }.expect("submitted");
}
