//! Memory of the process's own as device memory.

mod common;

use ash::vk;
use common::{
    Device, Instance, child,
    pipeline::{BufferSet, Pipeline},
    reach::{READ, Reach, WRITE},
    work::run,
};

/// Pages of the process's own.
struct Pages(*mut u8, usize);

impl Pages {
    fn new(len: usize) -> Self {
        let layout = std::alloc::Layout::from_size_align(len, 4096).unwrap();
        // SAFETY: the layout is not empty.
        Self(unsafe { std::alloc::alloc_zeroed(layout) }, len)
    }

    fn words(&self) -> Vec<u32> {
        // SAFETY: the pages are there; no work is pending when this is used.
        unsafe { std::slice::from_raw_parts(self.0.cast(), self.1 / 4) }.to_vec()
    }

    fn put(&self, at: usize, words: &[u32]) {
        // SAFETY: as above; the words fit.
        unsafe {
            self.0
                .cast::<u32>()
                .add(at)
                .copy_from_nonoverlapping(words.as_ptr(), words.len());
        };
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        let layout = std::alloc::Layout::from_size_align(self.1, 4096).unwrap();
        // SAFETY: it was allocated so.
        unsafe { std::alloc::dealloc(self.0, layout) };
    }
}

fn device() -> Device {
    let mut features = vk::PhysicalDeviceVulkan12Features::default().buffer_device_address(true);
    let names = [ash::ext::external_memory_host::NAME.as_ptr()];
    let info = vk::DeviceCreateInfo::default()
        .enabled_extension_names(&names)
        .push_next(&mut features);
    Device::create(Instance::new(), info)
}

fn import(device: &Device, at: *mut u8, len: usize) -> Result<vk::DeviceMemory, vk::Result> {
    let host = vk::ExternalMemoryHandleTypeFlags::HOST_ALLOCATION_EXT;
    let functions = ash::ext::external_memory_host::Device::new(&device.instance.raw, &device.raw);
    let mut properties = vk::MemoryHostPointerPropertiesEXT::default();
    // SAFETY: the structure is valid; the pointer is not followed.
    unsafe {
        let get = functions.fp().get_memory_host_pointer_properties_ext;
        let got = get(device.raw.handle(), host, at.cast(), &mut properties);
        assert_eq!(got, vk::Result::SUCCESS);
    }
    let mut pointer = vk::ImportMemoryHostPointerInfoEXT::default()
        .handle_type(host)
        .host_pointer(at.cast());
    let mut flags = vk::MemoryAllocateFlagsInfo::default().flags(vk::MemoryAllocateFlags::DEVICE_ADDRESS);
    let info = vk::MemoryAllocateInfo::default()
        .allocation_size(len as u64)
        .memory_type_index(properties.memory_type_bits.trailing_zeros())
        .push_next(&mut flags)
        .push_next(&mut pointer);
    // SAFETY: the memory outlives what is imported; some of what is asked for is deliberately wrong.
    unsafe { device.raw.allocate_memory(&info, None) }
}

fn buffer(device: &Device, memory: vk::DeviceMemory, size: u64) -> vk::Buffer {
    let mut external = vk::ExternalMemoryBufferCreateInfo::default()
        .handle_types(vk::ExternalMemoryHandleTypeFlags::HOST_ALLOCATION_EXT);
    let info = vk::BufferCreateInfo::default()
        .size(size)
        .usage(
            vk::BufferUsageFlags::TRANSFER_SRC
                | vk::BufferUsageFlags::TRANSFER_DST
                | vk::BufferUsageFlags::STORAGE_BUFFER
                | vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS,
        )
        .push_next(&mut external);
    // SAFETY: the structure is valid, and the memory is as large.
    unsafe {
        let buffer = device.raw.create_buffer(&info, None).expect("a buffer");
        device.raw.bind_buffer_memory(buffer, memory, 0).expect("bound");
        buffer
    }
}

/// Has a shader write 5, 6, 7 and so on to the first words of a storage buffer.
fn through_a_descriptor(device: &Device, buffer: vk::Buffer) {
    let set = BufferSet::of(device, vk::DescriptorType::STORAGE_BUFFER, buffer, 32);
    let layout = Pipeline::layout(device, &[set.layout], 4);
    let pipeline = Pipeline::compute(device, include_bytes!("../shaders/test/fill.comp.spv"), layout);
    run(device, |cb| {
        let compute = vk::PipelineBindPoint::COMPUTE;
        let all = vk::ShaderStageFlags::ALL;
        // SAFETY: the set fits the layout, and the shader its eight words.
        unsafe {
            device.raw.cmd_bind_pipeline(cb, compute, pipeline.raw);
            device
                .raw
                .cmd_bind_descriptor_sets(cb, compute, layout, 0, &[set.set], &[]);
            device
                .raw
                .cmd_push_constants(cb, layout, all, 0, &5_u32.to_ne_bytes());
            device.raw.cmd_dispatch(cb, 1, 1, 1);
        }
    });
    pipeline.destroy(device);
    set.destroy(device);
}

/// Words of pages that commands and shaders wrote, and the other way round.
fn check_uses() {
    let device = device();
    let raw = &device.raw;
    let pages = Pages::new(3 * 4096);
    let memory = import(&device, pages.0, pages.1).expect("imported");
    let buffer = buffer(&device, memory, pages.1 as u64);
    run(&device, |cb| {
        // SAFETY: the range lies in the buffer.
        unsafe { raw.cmd_fill_buffer(cb, buffer, 4096, 8, 7) };
    });
    assert_eq!(pages.words()[1023..1027], [0, 7, 7, 0]);
    let info = vk::BufferDeviceAddressInfo::default().buffer(buffer);
    // SAFETY: the buffer is bound.
    let at = unsafe { raw.get_buffer_device_address(&info) };
    let reach = |kind, address| Reach {
        address,
        kind,
        stride: 4,
        first: 0,
    };
    pages.put(2, &[11, 12, 13, 14]);
    let read = reach(READ, at + 8).run(&device).expect("read");
    assert_eq!(read[..4], [11, 12, 13, 14]);
    reach(WRITE, at + 8192).run(&device).expect("written");
    assert_ne!(pages.words()[2049], 0);
    through_a_descriptor(&device, buffer);
    assert_eq!(pages.words()[..3], [5, 6, 7]);
    // SAFETY: nothing is pending.
    unsafe {
        let mapped = raw.map_memory(memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty());
        assert_eq!(mapped.expect("mapped"), pages.0.cast());
        raw.destroy_buffer(buffer, None);
        raw.free_memory(memory, None);
    }
    assert_eq!(pages.words()[1024], 7, "the pages stay");
    // Now they are the process's own again, and no business of shaders.
    assert_eq!(
        reach(READ, at).run(&device).unwrap_err(),
        vk::Result::ERROR_DEVICE_LOST
    );
}

#[test]
fn imported_pages_are_used_where_they_are() {
    check_uses();
}

#[test]
fn imported_pages_are_known_where_every_access_is_checked() {
    let name = "imported_pages_are_known_where_every_access_is_checked";
    child::isolated(name, &[("LAHAR_FAULTS", "check")], check_uses);
}

#[test]
fn what_is_not_there_or_already_imported_is_refused() {
    let device = device();
    let pages = Pages::new(4 * 4096);
    let refused = vk::Result::ERROR_INVALID_EXTERNAL_HANDLE;
    let other = common::work::Buffer::new(&device, 4096);
    // SAFETY: the memory is mappable, and mapped once more.
    let of_device = unsafe {
        let mapped = device
            .raw
            .map_memory(other.memory(), 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty());
        mapped.expect("mapped").cast()
    };
    // SAFETY: the pointers are not followed.
    for at in unsafe { [pages.0.add(16), 0x1000 as *mut u8, of_device] } {
        assert_eq!(import(&device, at, 4096).unwrap_err(), refused);
    }
    let memory = import(&device, pages.0, 2 * 4096).expect("imported");
    // SAFETY: it stays in the pages.
    let second = unsafe { pages.0.add(4096) };
    assert_eq!(import(&device, second, 4096).unwrap_err(), refused);
    // SAFETY: nothing is pending.
    unsafe { device.raw.free_memory(memory, None) };
    let again = import(&device, second, 4096).expect("they are free again");
    // SAFETY: as above.
    unsafe { device.raw.free_memory(again, None) };
    other.destroy(&device);
}
