//! The signals of the process are not only the driver's: its traps beside handlers of the application, stack overflows
//! and other devices.

mod common;

use common::{
    child::{client, is_child, isolated},
    reach::{READ, Reach, WRITE, device, report},
    vk,
};
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

/// An address inside the device's window that is never given out.
const NOWHERE: u64 = 0x1080_0000_0040;

fn wild(kind: u32) -> Reach {
    Reach {
        address: NOWHERE,
        kind,
        stride: 4,
        first: 0,
    }
}

/// A page of the application's that its own handler makes accessible when it is touched.
static PAGE: AtomicUsize = AtomicUsize::new(0);
static CAUGHT: AtomicU32 = AtomicU32::new(0);
static BEFORE: AtomicUsize = AtomicUsize::new(0);

extern "C" fn own_handler(signal: i32, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    let page = PAGE.load(Ordering::SeqCst);
    // SAFETY: the kernel passes a valid structure.
    let address = unsafe { (*info).si_addr() } as usize;
    if address & !4095 == page {
        CAUGHT.fetch_add(1, Ordering::SeqCst);
        // SAFETY: the page is the application's.
        unsafe {
            libc::mprotect(
                page as *mut libc::c_void,
                4096,
                libc::PROT_READ | libc::PROT_WRITE,
            )
        };
        return;
    }
    type Full = extern "C" fn(i32, *mut libc::siginfo_t, *mut libc::c_void);
    let before = BEFORE.load(Ordering::SeqCst);
    assert!(before > 1, "somebody else's fault, and nobody to ask");
    // SAFETY: it is the handler that was there before, which takes the same arguments.
    let before = unsafe { std::mem::transmute::<usize, Full>(before) };
    before(signal, info, context);
}

/// Puts the application's handler in place.
fn install() {
    // SAFETY: all zero is a valid structure; the handler is safe to run at any point.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = own_handler as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        let mut before: libc::sigaction = std::mem::zeroed();
        assert_eq!(
            libc::sigaction(libc::SIGSEGV, &raw const action, &raw mut before),
            0
        );
        if before.sa_flags & libc::SA_SIGINFO != 0 {
            BEFORE.store(before.sa_sigaction, Ordering::SeqCst);
        }
    }
}

/// The application touches its own page, and its own handler is asked.
fn touch() {
    let count = CAUGHT.load(Ordering::SeqCst);
    // SAFETY: a fresh mapping, accessed once the handler has made it accessible.
    unsafe {
        let page = libc::mmap(
            std::ptr::null_mut(),
            4096,
            libc::PROT_NONE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
            -1,
            0,
        );
        PAGE.store(page as usize, Ordering::SeqCst);
        page.cast::<u32>().write_volatile(7);
        assert_eq!(page.cast::<u32>().read_volatile(), 7);
        libc::munmap(page, 4096);
    }
    assert_eq!(CAUGHT.load(Ordering::SeqCst), count + 1);
}

/// A wild access loses its device and nothing else.
fn lose() {
    let device = device();
    for kind in [READ, WRITE] {
        assert_eq!(wild(kind).run(&device), Err(vk::Result::ERROR_DEVICE_LOST));
    }
    assert_eq!(report(&device).0[0], (1, NOWHERE, 4096));
}

#[test]
fn handlers_of_the_application_go_on_working() {
    isolated("handlers_of_the_application_go_on_working", &[], || {
        // There before the driver.
        install();
        touch();
        lose();
        touch();
        // Put in place once more, in front of the driver's, as a crash reporter would.
        install();
        touch();
        lose();
        touch();
    });
}

#[test]
fn devices_fault_side_by_side() {
    isolated("devices_fault_side_by_side", &[], || {
        let threads: Vec<_> = (0..4)
            .map(|_| {
                std::thread::spawn(|| {
                    (0..5).for_each(|_| {
                        let device = device();
                        assert_eq!(wild(WRITE).run(&device), Err(vk::Result::ERROR_DEVICE_LOST));
                    });
                })
            })
            .collect();
        for thread in threads {
            thread.join().expect("no thread fails");
        }
    });
}

fn overflow(n: u64) -> u64 {
    let frame = std::hint::black_box([n; 64]);
    if n == u64::MAX {
        0
    } else {
        overflow(n + 1) + frame[(n % 64) as usize]
    }
}

#[test]
fn a_stack_overflow_is_still_told_as_one() {
    const NAME: &str = "a_stack_overflow_is_still_told_as_one";
    if std::env::var_os("OVERFLOW").is_some() {
        lose();
        std::hint::black_box(overflow(0));
        return;
    }
    if is_child() {
        return;
    }
    common::library();
    let exe = std::env::current_exe().expect("a running test has a path");
    let output = client(exe)
        .args(["--exact", NAME, "--nocapture"])
        .env("OVERFLOW", "1")
        .env("LAHAR_TEST_CHILD", NAME)
        .output()
        .expect("the test runs again");
    let text = common::child::both(&output);
    assert!(!output.status.success(), "{text}");
    assert!(text.contains("overflowed its stack"), "{text}");
}
