//! Shaders that reach for memory which is not there, through the loader: the device is lost, and the report gives
//! the address.

mod common;

use common::{
    Device, Instance,
    pipeline::{BufferSet, Pipeline},
    vk,
    work::{Buffer, Commands},
};

const COMPUTE: vk::PipelineBindPoint = vk::PipelineBindPoint::COMPUTE;
const ALL: vk::ShaderStageFlags = vk::ShaderStageFlags::ALL;

fn device() -> Device {
    let mut fault = vk::PhysicalDeviceFaultFeaturesEXT::default().device_fault(true);
    let mut addresses = vk::PhysicalDeviceBufferDeviceAddressFeatures::default().buffer_device_address(true);
    let names = [
        ash::ext::device_fault::NAME.as_ptr(),
        ash::khr::buffer_device_address::NAME.as_ptr(),
    ];
    let info = vk::DeviceCreateInfo::default()
        .enabled_extension_names(&names)
        .push_next(&mut fault)
        .push_next(&mut addresses);
    Device::create(Instance::new(), info)
}

/// Runs a shader that reads or writes a word at `address`.
fn poke(device: &Device, address: u64, write: bool) -> Result<u32, vk::Result> {
    let out = Buffer::new(device, 4);
    let set = BufferSet::new(device, vk::DescriptorType::STORAGE_BUFFER, &out, 4);
    let layout = Pipeline::layout(device, &[set.layout], 12);
    let pipeline = Pipeline::compute(device, include_bytes!("../shaders/test/poke.comp.spv"), layout);
    let commands = Commands::new(device);
    let push: Vec<u8> = address
        .to_le_bytes()
        .into_iter()
        .chain(u32::from(write).to_le_bytes())
        .collect();
    commands.record(device, |cb| {
        // SAFETY: the set fits the layout; where the shader reaches is what is tested.
        unsafe {
            device.raw.cmd_bind_pipeline(cb, COMPUTE, pipeline.raw);
            device
                .raw
                .cmd_bind_descriptor_sets(cb, COMPUTE, layout, 0, &[set.set], &[]);
            device.raw.cmd_push_constants(cb, layout, ALL, 0, &push);
            device.raw.cmd_dispatch(cb, 1, 1, 1);
        }
    });
    let result = commands.run(device).map(|()| out.words()[0]);
    commands.destroy(device);
    pipeline.destroy(device);
    set.destroy(device);
    out.destroy(device);
    result
}

/// The addresses of the fault report, and its description.
fn report(device: &Device) -> (Vec<(i32, u64, u64)>, String) {
    let functions = ash::ext::device_fault::Device::new(&device.instance.raw, &device.raw);
    let mut addresses = [vk::DeviceFaultAddressInfoEXT::default(); 4];
    let mut counts = vk::DeviceFaultCountsEXT::default().address_info_count(4);
    let mut info = vk::DeviceFaultInfoEXT {
        p_address_infos: addresses.as_mut_ptr(),
        ..Default::default()
    };
    // SAFETY: the array has as many elements as the counts say.
    let result = unsafe {
        (functions.fp().get_device_fault_info_ext)(device.raw.handle(), &raw mut counts, &raw mut info)
    };
    assert_eq!(result, vk::Result::SUCCESS);
    let found = addresses[..counts.address_info_count as usize]
        .iter()
        .map(|a| (a.address_type.as_raw(), a.reported_address, a.address_precision))
        .collect();
    (
        found,
        info.description_as_c_str()
            .expect("a text")
            .to_string_lossy()
            .into_owned(),
    )
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
