//! What `wgpu` makes of faults, armed from the test on the device that it uses.
//!
//! `VK_DRIVER_FILES=$PWD/icd.json cargo test --manifest-path tests/programs/wgpu/Cargo.toml`

#[path = "../../../../include/lahar.rs"]
#[allow(dead_code, reason = "a test uses a part of the file that is for copying")]
mod lahar;

use lahar_wgpu::{Client, Failure, squares};

/// Lahar's control functions for the device of a client, and that device.
fn control(client: &Client) -> (lahar::Control, ash::vk::Device) {
    // SAFETY: the device is only asked for functions, and outlives what they are used for.
    let device = unsafe { client.device.as_hal::<wgpu::hal::api::Vulkan>() }.expect("a Vulkan device");
    let (raw, instance) = (
        device.raw_device().handle(),
        device.shared_instance().raw_instance(),
    );
    // SAFETY: the device is alive, the name a C string.
    let found = lahar::Control::load(|name| unsafe { (instance.fp_v1_0().get_device_proc_addr)(raw, name) });
    (found.expect("set VK_DRIVER_FILES to Lahar's manifest"), raw)
}

fn arm(client: &Client, rules: &str) {
    let (control, device) = control(client);
    control.arm(device, rules).expect("armed");
}

/// How often the rules of a client's device have fired.
fn fired(client: &Client) -> u64 {
    let (control, device) = control(client);
    control.rules(device).iter().map(|rule| rule.fired).sum()
}

#[test]
fn a_lost_device_is_told_and_another_one_works() {
    let client = Client::new().expect("a device");
    assert_eq!(client.square(1024), Ok(squares(1024)));
    // The pipeline has the name that the program gave it.
    arm(
        &client,
        "lose@dispatch#1 read pipeline=square description=\"planned by the test\"",
    );
    let Err(Failure::Lost(why)) = client.square(1024) else {
        panic!("the device works on");
    };
    assert!(why.starts_with("Unknown"), "{why}");
    assert_eq!(fired(&client), 1);
    assert!(client.square(1024).is_err(), "it stays lost, and nothing panics");
    let again = Client::new().expect("another device");
    assert_eq!(again.square(1024), Ok(squares(1024)));
}

#[test]
fn an_allocation_that_fails_is_told_and_the_device_works_on() {
    let client = Client::new().expect("a device");
    assert_eq!(client.square(1024), Ok(squares(1024)));
    // Large enough that wgpu's allocator asks for a block of its own.
    const LARGE: u32 = 48 << 18;
    arm(&client, "fail@allocate#1 out_of_device_memory min_size=0x1000000");
    let Err(Failure::Memory(_)) = client.square(LARGE) else {
        panic!("the allocation worked");
    };
    assert_eq!(fired(&client), 1);
    assert_eq!(client.lost(), None);
    assert_eq!(client.square(1024), Ok(squares(1024)));
}
