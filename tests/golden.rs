//! The demo's picture is exactly the one that was looked at. `LAHAR_BLESS=1` takes a new one.

mod common;

use common::child::{demo, run, scratch};
use std::{fs, path::Path};

const GOLDEN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/demo.png");

/// Width, height and texels of an RGBA picture.
fn read(path: &Path) -> (u32, u32, Vec<u8>) {
    let file = fs::File::open(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let decoder = png::Decoder::new(std::io::BufReader::new(file));
    let mut reader = decoder.read_info().expect("a PNG");
    let mut pixels = vec![0; reader.output_buffer_size().expect("of sane size")];
    let info = reader.next_frame(&mut pixels).expect("a picture");
    (info.width, info.height, pixels)
}

#[test]
fn the_demo_draws_the_golden_picture() {
    let dir = scratch("golden");
    run(&mut demo(&dir, 1, [640, 360]));
    let drawn = dir.join("frame-000.png");
    if std::env::var_os("LAHAR_BLESS").is_some() {
        fs::copy(&drawn, GOLDEN).expect("written");
    }
    let (now, golden) = (read(&drawn), read(Path::new(GOLDEN)));
    assert_eq!((now.0, now.1), (golden.0, golden.1), "size");
    let wrong: Vec<usize> = (0..golden.2.len() / 4)
        .filter(|i| now.2[i * 4..][..4] != golden.2[i * 4..][..4])
        .collect();
    let first = wrong
        .first()
        .map(|i| (i % golden.0 as usize, i / golden.0 as usize));
    assert!(
        wrong.is_empty(),
        "{} pixels differ, the first at {first:?}; see {}",
        wrong.len(),
        drawn.display()
    );
}
