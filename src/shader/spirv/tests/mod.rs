//! Tests through whole shaders: compiled from `shaders/test`, run as compute kernels.

mod doubles;
mod flow;
mod glsl;
mod mutation;
mod run;
mod values;

/// The bytes of a compiled test shader.
macro_rules! spv {
    ($($name:literal),+) => {
        include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/shaders/test/", $($name,)+ ".spv"))
    };
}
use spv;

/// A compiled test shader as the front end makes it (with variables) and optimised (with phis).
macro_rules! both {
    ($name:literal) => {
        [spv!($name) as &'static [u8], spv!($name, ".opt") as &'static [u8]]
    };
}
use both;
