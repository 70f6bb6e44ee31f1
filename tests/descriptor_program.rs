//! A program in C that draws from a descriptor buffer into a window without a screen.

mod common;

use common::child::{client, run, scratch};
use std::{fs, process::Command};

const SIZE: usize = 64;

#[test]
fn a_program_draws_from_a_descriptor_buffer() {
    let root = env!("CARGO_MANIFEST_DIR");
    let scratch = scratch("descriptor-program");
    let (program, picture) = (scratch.join("program"), scratch.join("picture.ppm"));
    let mut compiler = Command::new("cc");
    compiler
        .args(["-std=c99", "-Wall", "-Werror"])
        .args(["-Wno-missing-field-initializers", "-Wno-missing-braces"])
        .arg(format!("{root}/tests/programs/descriptor_buffer.c"))
        .arg("-o")
        .arg(&program)
        .arg("-lvulkan");
    run(&mut compiler);
    let shader = |stage: &str| format!("{root}/shaders/test/picture.{stage}.spv");
    run(client(&program)
        .args([shader("vert"), shader("frag")])
        .arg(&picture));
    let bytes = fs::read(&picture).expect("a picture");
    let texels = &bytes[bytes.len() - SIZE * SIZE * 3..];
    let texel = |x: usize, y: usize| &texels[3 * (y * SIZE + x)..][..3];
    assert_ne!(texel(4, 32), texel(28, 32), "the texture is there");
    // Both halves show the same, the right one tinted by its own set.
    for (x, y) in (0..SIZE / 2).flat_map(|x| (0..SIZE).map(move |y| (x, y))) {
        let (left, right) = (texel(x, y), texel(x + SIZE / 2, y));
        for (channel, tint) in [0.25, 0.5, 1.0].into_iter().enumerate() {
            let expected = f32::from(left[channel]) * tint;
            assert!(
                (f32::from(right[channel]) - expected).abs() <= 1.0,
                "({x}, {y}): {left:?}, {right:?}"
            );
        }
    }
}
