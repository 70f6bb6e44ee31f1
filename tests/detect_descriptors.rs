//! Descriptors that were damaged, never written or not bound, through the loader: whatever bytes a shader takes for
//! descriptors, work ends, the process goes on and reads nothing of its own, and a lost device says why.

mod common;

use common::{
    Device, Instance,
    child::{is_child, isolated},
    pipeline::Pipeline,
    vk,
    work::{Buffer, Commands},
};
use lahar::shader::kernel::Backend;
use vk::DescriptorType as Type;

const COMPUTE: vk::PipelineBindPoint = vk::PipelineBindPoint::COMPUTE;
const SHADER: &[u8] = include_bytes!("../shaders/test/descriptors.comp.spv");
/// Bindings of the shader: set, number, type, elements.
const BINDINGS: [(usize, u32, Type, u32); 10] = [
    (0, 0, Type::UNIFORM_BUFFER, 2),
    (0, 2, Type::STORAGE_BUFFER, 1),
    (0, 3, Type::UNIFORM_BUFFER, 1),
    (0, 4, Type::UNIFORM_TEXEL_BUFFER, 1),
    (0, 5, Type::STORAGE_TEXEL_BUFFER, 1),
    (0, 6, Type::COMBINED_IMAGE_SAMPLER, 2),
    (0, 8, Type::STORAGE_IMAGE, 1),
    (0, 9, Type::SAMPLED_IMAGE, 1),
    (0, 10, Type::SAMPLER, 1),
    (1, 3, Type::STORAGE_BUFFER, 1),
];
/// Bytes of the buffer that is taken for both sets.
const BYTES: usize = 4096;

/// A device with everything to run the shader on descriptor buffers.
struct World {
    device: Device,
    layouts: Vec<vk::DescriptorSetLayout>,
    pipeline: Pipeline,
    ext: ash::ext::descriptor_buffer::Device,
}

impl World {
    fn new() -> World {
        let mut fault = vk::PhysicalDeviceFaultFeaturesEXT::default().device_fault(true);
        let mut addresses =
            vk::PhysicalDeviceBufferDeviceAddressFeatures::default().buffer_device_address(true);
        let mut buffers = vk::PhysicalDeviceDescriptorBufferFeaturesEXT::default().descriptor_buffer(true);
        let names = [
            ash::ext::device_fault::NAME,
            ash::khr::buffer_device_address::NAME,
            ash::ext::descriptor_indexing::NAME,
            ash::khr::synchronization2::NAME,
            ash::ext::descriptor_buffer::NAME,
        ]
        .map(std::ffi::CStr::as_ptr);
        let info = vk::DeviceCreateInfo::default()
            .enabled_extension_names(&names)
            .push_next(&mut fault)
            .push_next(&mut addresses)
            .push_next(&mut buffers);
        let device = Device::create(Instance::new(), info);
        let layouts: Vec<_> = (0..2)
            .map(|set| {
                let bindings: Vec<_> = BINDINGS
                    .iter()
                    .filter(|row| row.0 == set)
                    .map(|&(_, binding, ty, count)| {
                        vk::DescriptorSetLayoutBinding::default()
                            .binding(binding)
                            .descriptor_type(ty)
                            .descriptor_count(count)
                            .stage_flags(vk::ShaderStageFlags::ALL)
                    })
                    .collect();
                let info = vk::DescriptorSetLayoutCreateInfo::default()
                    .flags(vk::DescriptorSetLayoutCreateFlags::DESCRIPTOR_BUFFER_EXT)
                    .bindings(&bindings);
                // SAFETY: the structures are valid.
                unsafe { device.raw.create_descriptor_set_layout(&info, None) }.expect("a layout")
            })
            .collect();
        let layout = Pipeline::layout(&device, &layouts, 4);
        let pipeline = Pipeline::compute(&device, SHADER, layout);
        let ext = ash::ext::descriptor_buffer::Device::new(&device.instance.raw, &device.raw);
        World {
            device,
            layouts,
            pipeline,
            ext,
        }
    }

    fn address(&self, buffer: &Buffer) -> u64 {
        let functions =
            ash::khr::buffer_device_address::Device::new(&self.device.instance.raw, &self.device.raw);
        let info = vk::BufferDeviceAddressInfo::default().buffer(buffer.raw);
        // SAFETY: the buffer is bound.
        unsafe { functions.get_buffer_device_address(&info) }
    }

    /// Runs the shader with both sets at these offsets from an address (or with none bound).
    fn run(&self, base: u64, offsets: Option<[u64; 2]>) -> Result<(), vk::Result> {
        let commands = Commands::new(&self.device);
        commands.record(&self.device, |cb| {
            let raw = &self.device.raw;
            let bindings = [vk::DescriptorBufferBindingInfoEXT::default().address(base)];
            // SAFETY: what the shader takes for descriptors is what is tested.
            unsafe {
                raw.cmd_bind_pipeline(cb, COMPUTE, self.pipeline.raw);
                if let Some(offsets) = offsets {
                    self.ext.cmd_bind_descriptor_buffers(cb, &bindings);
                    self.ext.cmd_set_descriptor_buffer_offsets(
                        cb,
                        COMPUTE,
                        self.pipeline.layout,
                        0,
                        &[0, 0],
                        &offsets,
                    );
                }
                raw.cmd_dispatch(cb, 2, 1, 1);
            }
        });
        let result = commands.run(&self.device);
        commands.destroy(&self.device);
        result
    }

    fn destroy(self) {
        let World {
            device,
            layouts,
            pipeline,
            ..
        } = self;
        pipeline.destroy(&device);
        for layout in layouts {
            // SAFETY: nothing uses it any more.
            unsafe { device.raw.destroy_descriptor_set_layout(layout, None) };
        }
    }

    /// Kind and address of the fault, and what is said of it.
    fn report(&self) -> ((i32, u64), String) {
        let functions = ash::ext::device_fault::Device::new(&self.device.instance.raw, &self.device.raw);
        let mut addresses = [vk::DeviceFaultAddressInfoEXT::default(); 2];
        let mut counts = vk::DeviceFaultCountsEXT::default().address_info_count(2);
        let mut info = vk::DeviceFaultInfoEXT {
            p_address_infos: addresses.as_mut_ptr(),
            ..Default::default()
        };
        // SAFETY: the array has as many elements as the counts say.
        let result = unsafe {
            (functions.fp().get_device_fault_info_ext)(
                self.device.raw.handle(),
                &raw mut counts,
                &raw mut info,
            )
        };
        assert!(result == vk::Result::SUCCESS || result == vk::Result::INCOMPLETE);
        assert!(counts.address_info_count > 0, "there is an address");
        let text = info.description_as_c_str().expect("a text").to_string_lossy();
        let first = &addresses[0];
        (
            (first.address_type.as_raw(), first.reported_address),
            text.into_owned(),
        )
    }
}

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}

/// Bytes that could be descriptors: addresses good and bad, kinds good and bad, anything.
fn bytes(random: &mut Random, good: u64, own: u64) -> Vec<u8> {
    let tame = random.next() % 4;
    (0..BYTES / 8)
        .flat_map(|_| {
            let any = random.next();
            let kind = any % 120 | 7 << 16 | (2 | 3 << 3 | 4 << 6 | 5 << 9) << 32;
            let pick = random.next() % (10 + 60 * tame);
            let word = match pick {
                0 => any,
                1 => own + any % 64,
                2 => any >> 32,
                3 => u64::MAX >> (any % 64),
                4 | 5 => good,
                6 => kind,
                7 => 0x0001_0001_0004_0004,
                8 => kind & !(15 << 16) | 1 << 16,
                9 => 4 << 32 | 16,
                _ => 0,
            };
            word.to_le_bytes()
        })
        .collect()
}

fn damaged() {
    let own = Box::new([0x5a5a_5a5a_u32; 64]);
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let (mut world, mut lost) = (World::new(), 0);
    for _ in 0..60 {
        let target = Buffer::new(&world.device, 4096);
        let good = world.address(&target);
        let bytes = bytes(&mut random, good, &raw const *own as u64);
        let set = Buffer::with(&world.device, &bytes);
        let result = world.run(world.address(&set), Some([0, 2048]));
        assert!(
            target.words().iter().all(|&word| word != 0x5a5a_5a5a),
            "nothing of ours was read"
        );
        target.destroy(&world.device);
        set.destroy(&world.device);
        if let Err(error) = result {
            assert_eq!(error, vk::Result::ERROR_DEVICE_LOST);
            let ((kind, _), description) = world.report();
            assert!(kind == 1 || kind == 2, "{description}");
            println!("record {description}");
            lost += 1;
            world.destroy();
            world = World::new();
        }
    }
    world.destroy();
    assert!((5..60).contains(&lost), "{lost}: some are harmless, some are not");
    assert!(
        own.iter().all(|&word| word == 0x5a5a_5a5a),
        "nothing of ours was written"
    );
}

/// Sets that are not bound, or bound where no memory of the device's is.
fn elsewhere() {
    let own = Box::new([0u64; 1024]);
    let world = World::new();
    assert_eq!(world.run(0, None), Err(vk::Result::ERROR_DEVICE_LOST));
    assert_eq!(world.report().0.0, 1);
    world.destroy();
    for offsets in [[1 << 46, 1 << 46], [u64::MAX - 63, 64]] {
        let world = World::new();
        let base = &raw const *own as u64;
        assert_eq!(world.run(base, Some(offsets)), Err(vk::Result::ERROR_DEVICE_LOST));
        assert_eq!(world.report().0.0, 1);
        world.destroy();
    }
    let world = World::new();
    let freed = Buffer::new(&world.device, BYTES);
    let address = world.address(&freed);
    freed.destroy(&world.device);
    assert_eq!(
        world.run(address, Some([0, 2048])),
        Err(vk::Result::ERROR_DEVICE_LOST)
    );
    let (at, description) = world.report();
    assert!(
        at.0 == 1 && (address..address + BYTES as u64).contains(&at.1),
        "{description}"
    );
    assert!(description.contains("freed"), "{description}");
    world.destroy();
}

fn everywhere(name: &str, body: fn()) {
    if is_child() {
        isolated(name, &[], body);
        return;
    }
    for backend in [Backend::Interpreter, Backend::Avx2, Backend::Avx512] {
        for mode in ["trap", "check"] {
            if backend.is_supported() {
                isolated(
                    name,
                    &[("LAHAR_FAULTS", mode), ("LAHAR_BACKEND", backend.name())],
                    body,
                );
            }
        }
    }
}

#[test]
fn damaged_descriptors_lose_the_device_at_worst() {
    everywhere("damaged_descriptors_lose_the_device_at_worst", damaged);
}

#[test]
fn sets_that_are_not_there_lose_the_device() {
    everywhere("sets_that_are_not_there_lose_the_device", elsewhere);
}
