//! The C ABI of Lahar: an installable Vulkan client driver.
//!
//! Nothing here renders. An entry point decodes what C passes, calls the engine (`lahar`), and stores the handle of
//! what it made. Only this crate sees raw Vulkan pointers, `pNext` chains and handles.
//!
//! # Entry points
//! Each area has a file in `entry/`, which defines its commands with the `commands!` macro:
//!
//! ```ignore
//! commands! {
//!     fn vkCreateEvent(
//!         device: Ref<Device>,
//!         _info: &vk::EventCreateInfo<'_>,
//!         allocator: Option<&vk::AllocationCallbacks<'_>>,
//!         event: Out<vk::Event>,
//!     ) -> vk::Result {
//!         event.write(device.create(&device.tables.events, allocator, || Ok(Event::default()))?);
//!         Ok(())
//!     }
//!
//!     fn vkGetEventStatus(device: Ref<Device>, event: vk::Event) -> vk::Result {
//!         let event = device.tables.events.get(event)?;
//!         Ok(if event.is_set() { vk::Result::EVENT_SET } else { vk::Result::EVENT_RESET })
//!     }
//!
//!     fn vkDestroyEvent(device: Ref<Device>, event: vk::Event, allocator: Option<&vk::AllocationCallbacks<'_>>) {
//!         objects::destroy(&device.tables.events, event, allocator);
//!         Ok(())
//!     }
//! }
//! ```
//!
//! The macro checks the signature against the command's C type, turns the arguments into what their types say
//! (`args.rs`), catches panics (the device is then lost), and lists the commands in `COMMANDS`; `entry/mod.rs` collects the
//! lists. A body is a closure that gives `Result<_, Error>`: `Ok(())` is `VK_SUCCESS`, `Ok(vk::Result)` another success,
//! and an error is returned as its code, or dropped where the command returns nothing. An alias (`vkFooKHR`) is an entry of
//! its file's `ALIASES`. Names are handed out only if the registry's table says that they apply (`proc_addr.rs`).
//!
//! - Dispatchable objects are `Ref<Device>`, `Ref<Queue>`, …; non-dispatchable handles are looked up in the device's
//!   tables (`tables.rs`), whose `get` fails for stale handles.
//! - `&T` is a required structure, `Option<&T>` one that may be null, `&mut T` one that is filled in, `Out<T>` a result,
//!   `Array<T>` and `OutArray<T>` arrays whose length comes from elsewhere.
//! - Pointers inside structures: `args::slice`, `args::text`, and `chain::find` for extending structures.
//! - Engine errors become results through `impl From<…> for Error` beside their use.

mod args;
mod binding;
mod boundary;
mod capture;
mod chain;
mod command;
mod device;
mod dispatch;
mod entry;
mod error;
mod generated;
mod hook;
mod host;
mod instance;
mod journal;
mod leaks;
mod messenger;
mod objects;
mod offer;
mod pipeline;
mod proc_addr;
mod table;
mod tables;
mod trace;
mod wayland;
mod x11;
