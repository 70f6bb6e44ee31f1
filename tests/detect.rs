//! Every way in which a shader can miss device memory through an address, through the loader: what is reported is the
//! same with page protection and with compiled checks, in the interpreter and in machine code, with one worker and
//! with four; and the process goes on.

mod common;

use common::{
    Device,
    child::{is_child, isolated},
    reach::{ADD, MAX, NOWHERE, Placed, READ, Reach, VECTOR, WRITE, device, report},
    vk,
};
use lahar::shader::kernel::Backend;

fn checked() -> bool {
    std::env::var("LAHAR_FAULTS").is_ok_and(|mode| mode == "check")
}

/// The device is lost, and this is what is said of it: kind (1 read, 2 write) and address.
#[track_caller]
fn expect(name: &str, device: &Device, reach: Reach, kind: i32, address: u64) {
    assert_eq!(reach.run(device), Err(vk::Result::ERROR_DEVICE_LOST), "{name}");
    let (addresses, description) = report(device);
    let precision = if checked() { 1 } else { 4096 };
    assert_eq!(
        addresses.first(),
        Some(&(kind, address, precision)),
        "{name}: {description}"
    );
    println!("record {name}: {kind} {description}");
}

/// Kinds of access, how each is reported.
const KINDS: [(&str, u32, i32); 5] = [
    ("read", READ, 1),
    ("write", WRITE, 2),
    ("add", ADD, 2),
    ("max", MAX, 2),
    ("vector", VECTOR, 1),
];

/// One near its end.
const EDGE: u64 = 0x10ff_ffff_0040;

/// Addresses where no memory of the device's is, in every kind of access, uniform and by invocation.
fn nowhere() {
    let heap = Box::new([1u32; 64]);
    let stack = [2u32; 64];
    let addresses = [
        ("unmapped", NOWHERE),
        ("null", 0),
        ("low", 0x40),
        ("heap", &raw const *heap as u64),
        ("stack", &raw const stack as u64),
        ("code", nowhere as *const () as u64 & !3),
        ("noncanonical", 0x0000_8000_0000_0000),
        ("top", 0xffff_ffff_ffff_ff00),
        ("beyond", 0x5555_0000_0000),
    ];
    for (place, address) in addresses {
        for (what, kind, ty) in KINDS {
            for stride in [0, 4] {
                let device = device();
                let reach = Reach {
                    address,
                    kind,
                    stride,
                    first: 0,
                };
                let name = format!("{place} {what} {stride}");
                expect(&name, &device, reach, ty, address);
            }
        }
    }
    assert_eq!(
        (heap[0], stack[0]),
        (1, 2),
        "nothing of the process's was written"
    );
}

/// Memory that was there, and what is around memory that is.
fn around() {
    for (what, kind, ty) in KINDS {
        for stride in [0, 4] {
            let device = device();
            let freed = Placed::new(&device, 4096, 4096);
            freed.destroy(&device);
            let reach = Reach {
                address: freed.address + 64,
                kind,
                stride,
                first: 0,
            };
            expect(
                &format!("freed {what} {stride}"),
                &device,
                reach,
                ty,
                freed.address + 64,
            );

            let device = self::device();
            let placed = Placed::new(&device, 4096, 4096);
            let inside = Reach {
                address: placed.address + 4096 - 64,
                kind,
                stride,
                first: if kind == VECTOR { 16 } else { 0 },
            };
            assert!(inside.run(&device).is_ok(), "{what}: all of a buffer can be used");
            // The first word that is not there is that of invocation 13.
            let reach = Reach {
                address: placed.address + 4096 - 52,
                stride: 4,
                ..inside
            };
            let reach = Reach { first: 0, ..reach };
            expect(
                &format!("behind {what} {stride}"),
                &device,
                reach,
                ty,
                placed.address + 4096,
            );
            placed.destroy(&device);
        }
    }
    // A word half of which is there.
    for stride in [0, 4096] {
        let device = device();
        let placed = Placed::new(&device, 8192, 8192);
        let reach = Reach {
            address: placed.address + 8192 - 2 - u64::from(stride) * 3,
            kind: READ,
            stride,
            first: if stride == 0 { 0 } else { 3 },
        };
        expect(
            &format!("half {stride}"),
            &device,
            reach,
            1,
            placed.address + 8192,
        );
        placed.destroy(&device);
    }
}

/// The lowest invocation that misses is the one reported.
fn lowest() {
    for (what, kind, ty) in KINDS {
        let device = device();
        let placed = Placed::new(&device, 4096, 4096);
        // Invocations 0 to 2 do nothing, the others miss by more and more pages.
        let reach = Reach {
            address: placed.address + 4096,
            kind,
            stride: 8192,
            first: 3,
        };
        let first = placed.address + 4096 + 3 * 8192;
        expect(&format!("lowest {what}"), &device, reach, ty, first);
        placed.destroy(&device);
        // Some are in the window and others are not.
        let device = self::device();
        let reach = Reach {
            address: EDGE - 5 * 0x0fff_0000,
            kind,
            stride: 0x0fff_0000,
            first: 5,
        };
        expect(&format!("lowest far {what}"), &device, reach, ty, EDGE);
    }
}

/// Atomics at addresses that are no multiples of four.
fn misaligned() {
    for (what, kind, _) in [KINDS[2], KINDS[3]] {
        for stride in [0, 4] {
            for by in [1, 2, 3] {
                let device = device();
                let placed = Placed::new(&device, 4096, 4096);
                let reach = Reach {
                    address: placed.address + 64 + by,
                    kind,
                    stride,
                    first: 0,
                };
                let name = format!("misaligned {what} {stride} {by}");
                expect(&name, &device, reach, 2, placed.address + 64 + by);
                assert!(report(&device).1.contains("not a multiple of its size"));
                placed.destroy(&device);
            }
        }
    }
}

/// What only checks to the byte can see.
fn beyond() {
    for (what, kind, ty) in KINDS {
        for (size, allocation, says) in [(256, 8192, "buffer"), (256, 256, "allocation")] {
            for stride in [0, 4] {
                let device = device();
                let placed = Placed::new(&device, size, allocation);
                let reach = Reach {
                    address: placed.address + size - 64 + if stride == 0 { 0 } else { 4 },
                    kind,
                    stride,
                    first: 0,
                };
                let reach = Reach {
                    address: reach.address + if stride == 0 { 64 } else { 0 },
                    ..reach
                };
                let name = format!("beyond {says} {what} {stride}");
                if checked() {
                    expect(&name, &device, reach, ty, placed.address + size);
                } else {
                    assert!(reach.run(&device).is_ok(), "{name}: within the page");
                }
                placed.destroy(&device);
            }
        }
    }
}

/// Memory of another device is not this one's.
fn other_device() {
    let (mine, other) = (device(), device());
    let placed = Placed::new(&other, 4096, 4096);
    let reach = Reach {
        address: placed.address,
        kind: READ,
        stride: 4,
        first: 0,
    };
    assert_eq!(reach.run(&other).map(|words| words.len()), Ok(16));
    expect("other device", &mine, reach, 1, placed.address);
    assert!(reach.run(&other).is_ok(), "the other one goes on");
    placed.destroy(&other);
}

/// A thread of the process, and the records that a child with these settings gives, without precisions.
fn records(mode: &str, backend: Backend, threads: &str, name: &str, body: fn()) -> Vec<String> {
    let settings = [
        ("LAHAR_FAULTS", mode),
        ("LAHAR_BACKEND", backend.name()),
        ("LAHAR_THREADS", threads),
    ];
    let text = isolated(name, &settings, body).unwrap_or_default();
    // Addresses of the process's own memory differ from run to run.
    let own = ["heap", "stack", "code", "beyond"];
    text.lines()
        .filter_map(|line| line.split_once("record ").map(|(_, record)| record))
        .filter(|record| !own.iter().any(|name| record.starts_with(name)))
        .map(str::to_owned)
        .collect()
}

fn everywhere(name: &str, body: fn()) {
    if is_child() {
        isolated(name, &[], body);
        return;
    }
    let mut first: Option<Vec<String>> = None;
    for backend in [Backend::Interpreter, Backend::Avx2, Backend::Avx512] {
        if !backend.is_supported() {
            continue;
        }
        let all = [("trap", "1"), ("check", "4"), ("trap", "4"), ("check", "1")];
        // How many workers there are is independent of what runs the kernels.
        let count = if backend == Backend::best() { 4 } else { 2 };
        for (mode, threads) in all.into_iter().take(count) {
            let got = records(mode, backend, threads, name, body);
            match &first {
                None => first = Some(got),
                Some(expected) => assert_eq!(&got, expected, "{mode} {backend:?} {threads}"),
            }
        }
    }
}

#[test]
fn addresses_where_no_memory_is() {
    everywhere("addresses_where_no_memory_is", nowhere);
}

#[test]
fn memory_that_was_there_and_what_is_behind_memory() {
    everywhere("memory_that_was_there_and_what_is_behind_memory", around);
}

#[test]
fn the_lowest_invocation_is_reported() {
    everywhere("the_lowest_invocation_is_reported", lowest);
}

#[test]
fn atomics_must_be_aligned() {
    everywhere("atomics_must_be_aligned", misaligned);
}

#[test]
fn checks_see_the_end_of_a_buffer() {
    everywhere("checks_see_the_end_of_a_buffer", beyond);
}

#[test]
fn memory_of_another_device_is_out_of_reach() {
    everywhere("memory_of_another_device_is_out_of_reach", other_device);
}
