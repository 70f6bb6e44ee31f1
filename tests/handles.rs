//! Handles: the same in every run, and harmless when they are stale.

mod common;

use ash::vk::{self, Handle};
use common::Device;

fn fence(device: &Device) -> vk::Fence {
    // SAFETY: plain structures.
    unsafe { device.raw.create_fence(&vk::FenceCreateInfo::default(), None) }.expect("a fence")
}

fn destroy(device: &Device, fence: vk::Fence) {
    // SAFETY: the fence is not in use; a stale one is what some tests are about.
    unsafe { device.raw.destroy_fence(fence, None) };
}

#[test]
fn the_same_calls_give_the_same_handles() {
    let (first, second) = (Device::new(), Device::new());
    let make = |device: &Device| {
        let [a, b, c] = [fence(device), fence(device), fence(device)];
        destroy(device, c);
        destroy(device, a);
        let again = [fence(device), fence(device)];
        let handles = [a, b, c, again[0], again[1]].map(Handle::as_raw);
        for fence in [b, again[0], again[1]] {
            destroy(device, fence);
        }
        handles
    };
    let handles = make(&first);
    assert_eq!(handles, make(&second));
    let [a, _, c, d, e] = handles;
    assert_ne!((a, c), (d, e), "a reused place gets a new handle");
    assert_eq!(
        (a as u32, c as u32),
        (d as u32, e as u32),
        "the lowest free place comes first"
    );
}

#[test]
fn stale_and_wild_handles_do_no_harm() {
    let device = Device::new();
    let stale = fence(&device);
    destroy(&device, stale);
    destroy(&device, stale);
    let live = fence(&device);
    destroy(&device, stale);
    // SAFETY: the driver promises to survive these handles.
    let status = |fence| unsafe { device.raw.get_fence_status(fence) };
    assert_eq!(status(live), Ok(false), "the new one has survived");
    for wild in [
        stale,
        vk::Fence::from_raw(0),
        vk::Fence::from_raw(u64::MAX),
        vk::Fence::from_raw(77),
    ] {
        assert!(status(wild).is_err());
        destroy(&device, wild);
    }
    destroy(&device, live);
}

#[test]
fn many_threads_make_and_destroy_objects_at_once() {
    let device = Device::new();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..200 {
                    let fences: Vec<_> = (0..20).map(|_| fence(&device)).collect();
                    for fence in &fences {
                        // SAFETY: the fence is alive.
                        assert_eq!(unsafe { device.raw.get_fence_status(*fence) }, Ok(false));
                    }
                    fences.into_iter().for_each(|fence| destroy(&device, fence));
                }
            });
        }
    });
    assert_eq!(fence(&device).as_raw() as u32, 1, "all places are free again");
}
