//! Shaders that reach for memory which is not there, through the loader: the device is lost, and the report gives
//! the address.

mod common;

use common::{
    Device,
    reach::{READ, Reach, WRITE, device, report},
    vk,
    work::Buffer,
};

/// Runs a shader that reads or writes a word at `address`.
fn poke(device: &Device, address: u64, write: bool) -> Result<u32, vk::Result> {
    let reach = Reach {
        address,
        kind: if write { WRITE } else { READ },
        stride: 0,
        first: 0,
    };
    reach.run(device).map(|words| words[0])
}

/// An address inside the device's window that is never given out.
fn nowhere(device: &Device) -> u64 {
    let buffer = Buffer::new(device, 4);
    let functions = ash::khr::buffer_device_address::Device::new(&device.instance.raw, &device.raw);
    let info = vk::BufferDeviceAddressInfo::default().buffer(buffer.raw);
    // SAFETY: the buffer is alive and bound.
    let address = unsafe { functions.get_buffer_device_address(&info) };
    buffer.destroy(device);
    (address & !(lahar::memory::WINDOW_SIZE - 1)) + 0xff_ffff_0040
}

#[test]
fn a_wild_read_or_write_loses_the_device_and_is_reported_where_it_was() {
    for (write, kind, says) in [(false, 1, "read"), (true, 2, "write")] {
        for wild in [None, Some(0x40), Some(0)] {
            let device = device();
            let address = wild.unwrap_or_else(|| nowhere(&device));
            assert_eq!(
                poke(&device, address, write),
                Err(vk::Result::ERROR_DEVICE_LOST),
                "{address:#x}"
            );
            let (addresses, description) = report(&device);
            assert_eq!(addresses[0], (kind, address, 4096));
            // The instruction of the shader.
            assert_eq!((addresses[1].0, addresses[1].2), (6, 4096));
            let problem = match address {
                0 => "a null address;",
                0x40 => "a null address plus 64 bytes",
                _ => "no memory was ever allocated there",
            };
            assert!(
                description.starts_with(says) && description.contains(problem),
                "{description}"
            );
            let place = "in compute shader 'main', 1st vkCmdDispatch of command buffer 1";
            assert!(description.contains(place), "{description}");
        }
    }
}

#[test]
fn freed_memory_is_not_there_and_other_devices_go_on() {
    let (lost, other) = (device(), device());
    let nowhere = nowhere(&lost);
    assert_eq!(poke(&lost, nowhere, true), Err(vk::Result::ERROR_DEVICE_LOST));
    assert_eq!(
        poke(&lost, nowhere, true),
        Err(vk::Result::ERROR_DEVICE_LOST),
        "it stays lost"
    );
    let buffer = Buffer::with(&other, &[5, 0, 0, 0]);
    let functions = ash::khr::buffer_device_address::Device::new(&other.instance.raw, &other.raw);
    let info = vk::BufferDeviceAddressInfo::default().buffer(buffer.raw);
    // SAFETY: the buffer is alive and bound.
    let address = unsafe { functions.get_buffer_device_address(&info) };
    assert_eq!(poke(&other, address, false), Ok(5));
    assert_eq!(poke(&other, address, true), Ok(0));
    assert_eq!(buffer.words(), [7]);
    buffer.destroy(&other);
    assert_eq!(
        poke(&other, address, false),
        Err(vk::Result::ERROR_DEVICE_LOST),
        "freed"
    );
    assert_eq!(report(&other).0[0], (1, address, 4096));
}
