//! Shaders that reach for memory by its address.

use super::{
    Device, Instance,
    pipeline::{BufferSet, Pipeline},
    vk,
    work::{Buffer, Commands},
};

const COMPUTE: vk::PipelineBindPoint = vk::PipelineBindPoint::COMPUTE;
const ALL: vk::ShaderStageFlags = vk::ShaderStageFlags::ALL;

/// A device with fault reports and device addresses.
pub fn device() -> Device {
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

/// An address inside the device's window that is never given out.
pub const NOWHERE: u64 = 0x1080_0000_0040;

/// A buffer at the start of an allocation of its own.
pub struct Placed {
    buffer: vk::Buffer,
    memory: vk::DeviceMemory,
    /// Its address.
    pub address: u64,
}

impl Placed {
    /// A buffer of so many bytes in an allocation of so many.
    pub fn new(device: &Device, size: u64, allocation: u64) -> Placed {
        let usage = vk::BufferUsageFlags::STORAGE_BUFFER | vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS;
        let info = vk::BufferCreateInfo::default().size(size).usage(usage);
        let mut flags = vk::MemoryAllocateFlagsInfo::default().flags(vk::MemoryAllocateFlags::DEVICE_ADDRESS);
        let functions = ash::khr::buffer_device_address::Device::new(&device.instance.raw, &device.raw);
        // SAFETY: plain structures; the memory is no smaller than the buffer.
        unsafe {
            let buffer = device.raw.create_buffer(&info, None).expect("a buffer");
            let info = vk::MemoryAllocateInfo::default()
                .allocation_size(allocation)
                .push_next(&mut flags);
            let memory = device.raw.allocate_memory(&info, None).expect("memory");
            device.raw.bind_buffer_memory(buffer, memory, 0).expect("bound");
            let info = vk::BufferDeviceAddressInfo::default().buffer(buffer);
            let address = functions.get_buffer_device_address(&info);
            Placed {
                buffer,
                memory,
                address,
            }
        }
    }

    /// Destroys both.
    pub fn destroy(&self, device: &Device) {
        // SAFETY: no work is pending.
        unsafe {
            device.raw.destroy_buffer(self.buffer, None);
            device.raw.free_memory(self.memory, None);
        }
    }
}

/// What invocations do with words at an address.
#[derive(Clone, Copy)]
pub struct Reach {
    /// Where the first invocation's word is.
    pub address: u64,
    /// What is done.
    pub kind: u32,
    /// Bytes from one invocation's word to the next one's.
    pub stride: u32,
    /// First invocation that does it.
    pub first: u32,
}

/// Reads a word.
pub const READ: u32 = 0;
/// Writes one.
pub const WRITE: u32 = 1;
/// Adds to one.
pub const ADD: u32 = 2;
/// Replaces one by the greater.
pub const MAX: u32 = 3;
/// Four words at once.
pub const VECTOR: u32 = 4;

impl Reach {
    /// Does it, and gives what was read.
    pub fn run(&self, device: &Device) -> Result<Vec<u32>, vk::Result> {
        let out = Buffer::new(device, 64);
        let set = BufferSet::new(device, vk::DescriptorType::STORAGE_BUFFER, &out, 64);
        let layout = Pipeline::layout(device, &[set.layout], 20);
        let pipeline = Pipeline::compute(
            device,
            include_bytes!("../../shaders/test/reach.comp.spv"),
            layout,
        );
        let commands = Commands::new(device);
        let push: Vec<u8> = self
            .address
            .to_le_bytes()
            .into_iter()
            .chain(
                [self.kind, self.stride, self.first]
                    .into_iter()
                    .flat_map(u32::to_le_bytes),
            )
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
        let result = commands.run(device).map(|()| out.words());
        commands.destroy(device);
        pipeline.destroy(device);
        set.destroy(device);
        out.destroy(device);
        result
    }
}

/// The addresses of the fault report, and its description.
pub fn report(device: &Device) -> (Vec<(i32, u64, u64)>, String) {
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
    let text = info.description_as_c_str().expect("a text").to_string_lossy();
    (found, text.into_owned())
}
