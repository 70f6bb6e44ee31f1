//! Losing a device on purpose, and what a test asks of it then.

use super::{
    Device, Instance, vk,
    work::{Buffer, Commands},
};

/// Code of `VK_ERROR_DEVICE_LOST` as a result.
pub const LOST: Result<(), vk::Result> = Err(vk::Result::ERROR_DEVICE_LOST);

/// A device with several queues of family 0 and these extensions.
pub struct Queues {
    /// The device; its own queue is the first.
    pub device: Device,
    /// All queues.
    pub queues: Vec<vk::Queue>,
}

impl Queues {
    /// A device of an instance.
    pub fn new(instance: Instance, count: u32, info: vk::DeviceCreateInfo<'_>) -> Self {
        let priorities = vec![1.0; count as usize];
        let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&priorities)];
        let info = info.queue_create_infos(&queues);
        // SAFETY: the structure and what it points to are alive; the queues are the device's.
        let (raw, queues) = unsafe {
            let raw = instance
                .raw
                .create_device(instance.physical, &info, None)
                .expect("a device");
            let queues: Vec<_> = (0..count).map(|i| raw.get_device_queue(0, i)).collect();
            (raw, queues)
        };
        let queue = queues[0];
        Self {
            device: Device { raw, queue, instance },
            queues,
        }
    }
}

/// Submits a copy from freed memory to a queue: the device will be lost.
pub fn fault(device: &Device, queue: vk::Queue) {
    let (src, dst) = (Buffer::new(device, 64), Buffer::new(device, 64));
    let commands = Commands::new(device);
    commands.record(device, |cb| {
        let copy = [vk::BufferCopy {
            src_offset: 0,
            dst_offset: 0,
            size: 64,
        }];
        // SAFETY: the buffers are bound; what comes later is the fault that is meant.
        unsafe { device.raw.cmd_copy_buffer(cb, src.raw, dst.raw, &copy) };
    });
    src.destroy(device);
    let buffers = [commands.raw];
    let submit = [vk::SubmitInfo::default().command_buffers(&buffers)];
    // SAFETY: the command buffer lives; objects of a lost device are destroyed as ever.
    unsafe {
        // The loss may already show.
        let _ = device.raw.queue_submit(queue, &submit, vk::Fence::null());
        assert_eq!(device.raw.device_wait_idle(), LOST);
    }
    commands.destroy(device);
    dst.destroy(device);
}

/// The description of the device's fault report.
pub fn description(device: &Device) -> String {
    let functions = ash::ext::device_fault::Device::new(&device.instance.raw, &device.raw);
    let mut counts = vk::DeviceFaultCountsEXT::default();
    let mut info = vk::DeviceFaultInfoEXT::default();
    // SAFETY: the device lives; null arrays are not written.
    let result = unsafe {
        (functions.fp().get_device_fault_info_ext)(device.raw.handle(), &raw mut counts, &raw mut info)
    };
    assert_eq!(result, vk::Result::SUCCESS);
    info.description_as_c_str()
        .expect("a text")
        .to_string_lossy()
        .into_owned()
}

/// Names an object.
pub fn name<T: vk::Handle>(device: &Device, handle: T, name: &std::ffi::CStr) {
    let utils = ash::ext::debug_utils::Device::new(&device.instance.raw, &device.raw);
    let info = vk::DebugUtilsObjectNameInfoEXT::default()
        .object_handle(handle)
        .object_name(name);
    // SAFETY: the object is alive.
    unsafe { utils.set_debug_utils_object_name(&info) }.expect("named");
}
