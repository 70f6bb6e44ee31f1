//! Fragment shaders that fail: which failure is reported, and what is drawn.

use super::*;
use crate::exec::{ExecError, Invocation};

const SIZE: [u32; 2] = [192, 128];

/// Adds one where it draws; breaks off right of the first input, below the second.
fn failing() -> HandMade {
    fragment_shader(PERSPECTIVE, |io, b, start| {
        let color = load4(io, b, color_input(PERSPECTIVE));
        let mut on = start.exec;
        for axis in [0, 1] {
            let at = coordinate(io, b, axis);
            let beyond = b.fle(color[axis as usize], at);
            on = b.mand(on, beyond);
        }
        // An address that no process has.
        let (address, word) = (b.lconst(i64::MIN), b.vconst(0));
        b.scatter(address, word, word, on, 0);
        (output4(0, [b.fconst(1.0); 4]), None)
    })
}

const NEVER: [f32; 4] = [1.0e6; 4];

fn draw(workers: usize, thresholds: &[[f32; 4]]) -> (Result<(), ExecError>, Image) {
    let mut desc = desc(vk::Format::R32_SFLOAT, SIZE);
    desc.blend = vec![additive()];
    let image = Image::new(vk::Format::R32_SFLOAT, 4, SIZE, 1);
    let pipeline = pipeline(desc, Some(failing()));
    let mut raster = rasterizer(workers);
    raster
        .begin(&scope(vec![Some(image.target(Load::Clear([0; 4])))], SIZE))
        .expect("begin");
    for &threshold in thresholds {
        let vertices = Vertices::new(&everything(0.5, threshold));
        raster.draw(&pipeline, vertices.draw(&pipeline)).expect("draw");
        // All draws are of one batch, whose vertices must outlive it.
        std::mem::forget(vertices);
    }
    (raster.end(), image)
}

#[test]
fn the_first_draw_that_fails_is_reported_and_earlier_ones_are_complete() {
    if Backend::best() == Backend::Interpreter {
        return;
    }
    for workers in [1, 2, 4] {
        // The second draw fails in the last tile, the third in all of them.
        let (result, image) = draw(workers, &[NEVER, [130.0, 70.0, 0.0, 0.0], [0.0; 4], NEVER]);
        let error = result.expect_err("two draws fail");
        let fault = error.fault().expect("a fault of a shader");
        assert_eq!(fault.item, 1, "{workers} workers: {fault:?}");
        let Invocation::Fragment { x, y, .. } = fault.invocation else {
            panic!("{fault:?}");
        };
        assert!(x >= 128 && y >= 64, "{fault:?}");
        for y in 0..SIZE[1] {
            for x in 0..SIZE[0] {
                let count = image.float(x, y);
                let last = x >= 128 && y >= 64;
                assert!(count >= if last { 1.0 } else { 2.0 }, "{count} at {x}, {y}");
            }
        }
    }
}
