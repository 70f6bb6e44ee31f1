//! The same calls give the same bytes, whatever runs the shaders and on however many threads.

mod common;
#[path = "../xtask/src/demo/words.rs"]
mod words;

use common::child::{demo, run, scratch};
use lahar::fault::dump;
use std::{fs, path::Path};

/// Small, since the interpreter draws it too.
const SIZE: [u32; 2] = [96, 54];
const PLAN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/plans/third-submit.toml");

/// What a run leaves behind.
#[derive(PartialEq)]
struct Traces {
    frames: Vec<Vec<u8>>,
    /// Sections of the dump, without the one that says where it ran.
    header: dump::Header,
    sections: Vec<dump::Section>,
}

/// Draws two frames and loses the device before the second, with these settings.
fn traces(name: &str, settings: &[(&str, &str)]) -> Traces {
    let dir = scratch(name);
    let said = run(demo(&dir, 2, SIZE)
        .env("LAHAR_PLAN", PLAN)
        .env("LAHAR_DUMP_DIR", &dir)
        .envs(settings.iter().copied()));
    let read = |name: &str| fs::read(dir.join(name)).expect(name);
    let file = read("lahar-demo-device1.lahar");
    assert_eq!(file, read("device_fault.bin"), "the file is the vendor binary");
    let mut dump = dump::read(&file).expect("a dump");
    for (words, what) in words::DEMO {
        assert!(said.contains(words), "{what}: {said}");
    }
    assert!(
        dump::to_text(&dump).contains(words::DUMP),
        "what `cargo xtask demo` looks for"
    );
    dump.sections.retain(|section| section.tag != *b"ENVI");
    Traces {
        frames: vec![read("frame-000.png"), read("frame-001.png")],
        header: dump.header,
        sections: dump.sections,
    }
}

fn assert_same(a: &Traces, b: &Traces, what: &str) {
    assert!(a.frames == b.frames, "{what}: the pictures differ");
    assert!(
        a.header == b.header && a.sections == b.sections,
        "{what}: the dumps differ"
    );
}

fn host_has(instructions: &str) -> bool {
    let info = fs::read_to_string(Path::new("/proc/cpuinfo")).unwrap_or_default();
    info.split_whitespace().any(|flag| flag == instructions)
}

#[test]
fn neither_threads_nor_back_end_change_a_byte() {
    let reference = traces("determinism-1", &[("LAHAR_THREADS", "1")]);
    for threads in ["2", "4"] {
        let other = traces("determinism-n", &[("LAHAR_THREADS", threads)]);
        assert_same(&reference, &other, &format!("{threads} threads"));
    }
    for (backend, needs) in [
        ("interp", None),
        ("avx2", Some("avx2")),
        ("avx512", Some("avx512f")),
    ] {
        if needs.is_none_or(host_has) {
            let other = traces("determinism-backend", &[("LAHAR_BACKEND", backend)]);
            assert_same(&reference, &other, backend);
        }
    }
}
