//! What the tests that drive the built library through the system's Vulkan loader share.
#![allow(dead_code, reason = "each test file uses a part")]
#![allow(unreachable_pub, reason = "a module of test crates, which export nothing")]

pub mod child;
pub mod compute;
pub mod draw;
pub mod fault;
pub mod heap;
pub mod khr_fault;
pub mod loss;
pub mod pipeline;
pub mod reach;
pub mod scene;
pub mod swapchain;
pub mod work;

use std::{
    fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::OnceLock,
};

pub use ash::vk;

/// Builds driver and demo. The whole workspace, since then cargo takes the same features as for the tests and need not
/// build the engine twice.
fn build(profile: &str) {
    let status = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--workspace", "--profile", profile])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .status()
        .expect("cargo runs");
    assert!(status.success(), "the workspace does not build");
}

/// Builds the driver (once a process) and says where it is.
pub fn library() -> &'static Path {
    static LIBRARY: OnceLock<PathBuf> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        // The test itself is `target/debug/deps/NAME-HASH`.
        let exe = std::env::current_exe().expect("a running test has a path");
        let directory = exe
            .ancestors()
            .nth(2)
            .expect("tests run from the target directory");
        if !child::is_child() {
            let name = directory.file_name().expect("the name of a profile");
            build(match name.to_str() {
                Some("debug") | None => "dev",
                Some(profile) => profile,
            });
        }
        directory.join("libvulkan_lahar.so")
    })
}

/// A manifest that names the driver.
pub fn manifest() -> PathBuf {
    let library = library();
    let path = library.with_file_name(format!("lahar_test_icd_{}.json", std::process::id()));
    let text = format!(
        r#"{{"file_format_version": "1.0.1", "ICD": {{"library_path": "{}", "api_version": "1.4.0"}}}}"#,
        library.display()
    );
    fs::write(&path, text).expect("the target directory is writable");
    path
}

/// Starts a virtual X server, which the caller ends, and gives the name of its display.
pub fn x_server(options: &[&str]) -> (Child, String) {
    let mut process = Command::new("Xvfb")
        .args(options)
        .args([
            "-displayfd",
            "1",
            "-screen",
            "0",
            "2200x2000x24",
            "-nolisten",
            "tcp",
        ])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("Xvfb is installed");
    let output = process.stdout.take().expect("its output");
    let mut number = String::new();
    // The server keeps its end open, so only the first line can be waited for.
    BufReader::new(output)
        .read_line(&mut number)
        .expect("a display number");
    (process, format!(":{}", number.trim_end()))
}

/// The loader, with Lahar as its only driver.
pub fn entry() -> &'static ash::Entry {
    static ENTRY: OnceLock<ash::Entry> = OnceLock::new();
    ENTRY.get_or_init(|| {
        let manifest = manifest();
        // SAFETY: it runs once, before the loader is there to read the environment.
        unsafe {
            std::env::set_var("VK_DRIVER_FILES", &manifest);
            std::env::set_var("VK_ICD_FILENAMES", &manifest);
            std::env::set_var("VK_LOADER_LAYERS_DISABLE", "~implicit~");
        }
        // SAFETY: the library is the Vulkan loader.
        let entry = unsafe { ash::Entry::load() }.expect("the Vulkan loader is installed");
        // SAFETY: the structure is default; this makes the loader read the manifest, which is then not needed.
        let instance = unsafe { entry.create_instance(&vk::InstanceCreateInfo::default(), None) };
        // SAFETY: it was just made and nothing of it is used.
        unsafe { instance.expect("an instance").destroy_instance(None) };
        entry
    })
}

/// An instance with its physical device; destroyed at the end.
pub struct Instance {
    /// Its functions.
    pub raw: ash::Instance,
    /// The one physical device.
    pub physical: vk::PhysicalDevice,
}

impl Instance {
    /// An instance of Vulkan 1.1 without extensions.
    pub fn new() -> Self {
        Self::with_extensions(&[])
    }

    /// An instance of Vulkan 1.1.
    pub fn with_extensions(names: &[&std::ffi::CStr]) -> Self {
        Self::of_version(vk::API_VERSION_1_3, names)
    }

    /// For an application of this version of Vulkan.
    pub fn of_version(version: u32, names: &[&std::ffi::CStr]) -> Self {
        let application = vk::ApplicationInfo::default().api_version(version);
        let names: Vec<_> = names.iter().map(|name| name.as_ptr()).collect();
        let info = vk::InstanceCreateInfo::default()
            .application_info(&application)
            .enabled_extension_names(&names);
        // SAFETY: the structure and what it points to are alive.
        let raw = unsafe { entry().create_instance(&info, None) }.expect("an instance");
        // SAFETY: the instance is alive.
        let physical = unsafe { raw.enumerate_physical_devices() }.expect("a list")[0];
        Self { raw, physical }
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        // SAFETY: tests destroy what they made of it before.
        unsafe { self.raw.destroy_instance(None) };
    }
}

/// A device with one queue of family 0, and its instance; both are destroyed at the end.
pub struct Device {
    /// Its functions.
    pub raw: ash::Device,
    /// The queue.
    pub queue: vk::Queue,
    /// Its instance.
    pub instance: Instance,
}

impl Device {
    /// A device without extensions or features.
    pub fn new() -> Self {
        Self::create(Instance::new(), vk::DeviceCreateInfo::default())
    }

    /// A device of what `info` asks, its queues aside.
    pub fn create(instance: Instance, info: vk::DeviceCreateInfo<'_>) -> Self {
        let priorities = [1.0];
        let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&priorities)];
        let info = info.queue_create_infos(&queues);
        // SAFETY: the structure and what it points to are alive.
        let raw = unsafe { instance.raw.create_device(instance.physical, &info, None) }.expect("a device");
        // SAFETY: the device was made with this queue.
        let queue = unsafe { raw.get_device_queue(0, 0) };
        Self { raw, queue, instance }
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        // SAFETY: tests destroy what they made of it before.
        unsafe { self.raw.destroy_device(None) };
    }
}
