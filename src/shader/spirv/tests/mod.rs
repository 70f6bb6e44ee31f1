//! Tests through whole shaders: compiled from `shaders/test`, run as compute kernels.

mod flow;
mod glsl;
mod mutation;
mod run;
mod values;

/// The bytes of a compiled test shader.
macro_rules! spv {
    ($name:literal) => {
        include_bytes!(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/shaders/test/",
            $name,
            ".spv"
        ))
    };
}
use spv;
