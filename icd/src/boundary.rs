//! The boundary that every entry point stands on: arguments are decoded, and no panic crosses it.

use crate::{
    dispatch::End,
    error::{Answer, Error},
};
use ash::vk;
use lahar::physical::registry;
use std::{
    any::Any,
    panic::{AssertUnwindSafe, catch_unwind},
};

/// The address of an entry point.
pub(crate) type Function = unsafe extern "system" fn();

/// What a command returns in C.
pub(crate) trait Return {
    /// For a failure.
    fn from_error(error: Error) -> Self;

    /// Whether it is `VK_ERROR_DEVICE_LOST`.
    fn is_lost(&self) -> bool {
        false
    }

    /// Its code, if it is a `VkResult`.
    fn code(&self) -> Option<i32> {
        None
    }
}

impl Return for vk::Result {
    fn from_error(error: Error) -> Self {
        error.0
    }

    fn is_lost(&self) -> bool {
        *self == vk::Result::ERROR_DEVICE_LOST
    }

    fn code(&self) -> Option<i32> {
        Some(self.as_raw())
    }
}

impl Return for () {
    fn from_error(_: Error) {}
}

impl Return for u32 {
    fn from_error(_: Error) -> Self {
        0
    }
}

impl Return for u64 {
    fn from_error(_: Error) -> Self {
        0
    }
}

impl<T> Return for Option<T> {
    fn from_error(_: Error) -> Self {
        None
    }
}

/// What the body of a command gives when it succeeds, so that `Ok(())` means `VK_SUCCESS`.
pub(crate) trait Success<R> {
    /// As the command returns it.
    fn into_return(self) -> R;
}

impl<R> Success<R> for R {
    fn into_return(self) -> R {
        self
    }
}

impl Success<vk::Result> for () {
    fn into_return(self) -> vk::Result {
        vk::Result::SUCCESS
    }
}

/// Enumerations of commands that return nothing.
impl Success<()> for vk::Result {
    fn into_return(self) {}
}

/// Runs the body of a command and tells `note` of an unusual end. A panic becomes an error that is legal for the command.
pub(crate) fn guard<R: Return, S: Success<R>>(
    name: &str,
    body: impl FnOnce() -> Answer<S>,
    note: impl Fn(End<'_>),
) -> R {
    // A panic while an object is told is not worth more than what it is told of.
    let note = |end: End<'_>| drop(catch_unwind(AssertUnwindSafe(|| note(end))));
    let result = match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(success)) => success.into_return(),
        Ok(Err(error)) => R::from_error(error),
        Err(panic) => {
            note(End::Panic(&format!(
                "panic in {name}: {}",
                message(panic.as_ref())
            )));
            R::from_error(Error(panic_result(name)))
        }
    };
    if result.is_lost() {
        note(End::Lost);
    }
    result
}

fn message(panic: &(dyn Any + Send)) -> &str {
    panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message")
}

fn panic_result(name: &str) -> vk::Result {
    let errors = registry::command(name).map_or(&[][..], |command| command.errors);
    if errors.contains(&vk::Result::ERROR_DEVICE_LOST.as_raw()) {
        vk::Result::ERROR_DEVICE_LOST
    } else {
        vk::Result::ERROR_UNKNOWN
    }
}

/// The return type of a command.
macro_rules! return_type {
    () => {
        ()
    };
    ($ty:ty) => {
        $ty
    };
}

/// Tells the first of a list of arguments of an unusual end.
macro_rules! note_first {
    ($end:ident;) => {};
    ($end:ident; $arg:ident: $ty:ty $(, $rest:ident: $rest_ty:ty)*) => {
        // SAFETY: the application passes arguments as Vulkan asks.
        unsafe { <$ty as $crate::args::Arg>::note($arg, $end) }
    };
}

/// What the first of a list of arguments is of; none if it is no object or there is none.
macro_rules! scene_first {
    () => {
        None
    };
    ($arg:ident: $ty:ty $(, $rest:ident: $rest_ty:ty)*) => {
        // SAFETY: the application passes arguments as Vulkan asks.
        unsafe { <$ty as $crate::args::Arg>::scene($arg) }
    };
}

/// Defines entry points under their C names, and `COMMANDS`, the list of them. See the crate's documentation.
macro_rules! commands {
    ($($(#[$meta:meta])* fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $(-> $ret:ty)? $body:block)*) => {
        $(
            $(#[$meta])*
            #[allow(non_snake_case, reason = "entry points bear the names of C")]
            pub(crate) unsafe extern "system" fn $name(
                $($arg: <$ty as $crate::args::Arg>::C),*
            ) -> $crate::boundary::return_type!($($ret)?) {
                #[inline(always)]
                unsafe extern "system" fn call(
                    $($arg: <$ty as $crate::args::Arg>::C),*
                ) -> $crate::boundary::return_type!($($ret)?) {
                    $crate::boundary::guard(
                        stringify!($name),
                        move || {
                            $(
                                // SAFETY: the application passes arguments as Vulkan asks.
                                let $arg = unsafe { <$ty as $crate::args::Arg>::from_c($arg) }?;
                            )*
                            $body
                        },
                        move |_end| {
                            $crate::boundary::note_first!(_end; $($arg: $ty),*);
                        },
                    )
                }
                // Apart, so that where nothing is planned its registers need not be kept.
                #[cold]
                #[inline(never)]
                unsafe extern "system" fn planned(
                    $($arg: <$ty as $crate::args::Arg>::C),*
                ) -> $crate::boundary::return_type!($($ret)?) {
                    static NAME: std::sync::LazyLock<&str> =
                        std::sync::LazyLock::new(|| $crate::boundary::counted_as(stringify!($name)));
                    let objects = [$(<$ty as $crate::args::Arg>::object($arg)),*];
                    let scene = $crate::boundary::scene_first!($($arg: $ty),*);
                    // SAFETY: the arguments are those of the command.
                    $crate::hook::around(&NAME, scene, &objects, move || unsafe { call($($arg),*) })
                }
                if $crate::hook::is_active() {
                    // SAFETY: the arguments are those of the command.
                    return unsafe { planned($($arg),*) };
                }
                // SAFETY: the arguments are those of the command.
                unsafe { call($($arg),*) }
            }
        )*

        /// The entry points of this file, by name.
        pub(crate) const COMMANDS: &[(&str, $crate::boundary::Function)] = &[
            $(
                // SAFETY: the type is checked to be the command's; callers cast it back.
                (stringify!($name), unsafe {
                    std::mem::transmute::<$crate::generated::pfn::$name, $crate::boundary::Function>($name)
                }),
            )*
        ];
    };
}

/// The name that plans count a command under.
pub(crate) fn counted_as(name: &'static str) -> &'static str {
    lahar::fault::plan::codes::canonical(name).unwrap_or(name)
}

pub(crate) use {commands, note_first, return_type, scene_first};
