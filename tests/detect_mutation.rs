//! Shaders with damaged code that use device addresses, executed: whatever they do, the process goes on.

mod common;

use common::{
    Device,
    child::{is_child, isolated},
    pipeline::{Pipeline, words},
    reach::device,
    vk,
    work::{Buffer, Commands},
};
use lahar::shader::kernel::Backend;

const COMPUTE: vk::PipelineBindPoint = vk::PipelineBindPoint::COMPUTE;

struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % limit.max(1)
    }
}

/// Changes a few operands of instructions that belong to functions.
fn damage(random: &mut Random, code: &mut [u32]) {
    let mut starts = Vec::new();
    let mut at = 5;
    while at < code.len() {
        starts.push(at);
        at += (code[at] >> 16).max(1) as usize;
    }
    let bound = code[3] as usize;
    for _ in 0..=random.below(3) {
        let start = starts[random.below(starts.len())];
        let len = (code[start] >> 16) as usize;
        if len < 2 || start + len > code.len() {
            continue;
        }
        let word = start + 1 + random.below(len - 1);
        code[word] = match random.below(4) {
            0 | 1 => random.below(bound) as u32,
            2 => code[word].wrapping_add(random.below(5) as u32).wrapping_sub(2),
            _ => [0, 1, 4, 64, 4096, 0x7fff_ffff, 0x8000_0000, u32::MAX][random.below(8)],
        };
    }
}

/// A pipeline of the code, if it can be made.
fn pipeline(device: &Device, code: &[u32], layout: vk::PipelineLayout) -> Option<vk::Pipeline> {
    // SAFETY: the driver takes any words; that is what is tested.
    unsafe {
        let info = vk::ShaderModuleCreateInfo::default().code(code);
        let module = device.raw.create_shader_module(&info, None).ok()?;
        let stage = vk::PipelineShaderStageCreateInfo::default()
            .stage(vk::ShaderStageFlags::COMPUTE)
            .module(module)
            .name(c"main");
        let info = [vk::ComputePipelineCreateInfo::default()
            .stage(stage)
            .layout(layout)];
        let made = device
            .raw
            .create_compute_pipelines(vk::PipelineCache::null(), &info, None);
        device.raw.destroy_shader_module(module, None);
        made.ok().map(|pipelines| pipelines[0])
    }
}

/// A device with two buffers in a set.
struct World {
    device: Device,
    buffers: [Buffer; 2],
    set_layout: vk::DescriptorSetLayout,
    pool: vk::DescriptorPool,
    set: vk::DescriptorSet,
    layout: vk::PipelineLayout,
}

impl World {
    fn new() -> World {
        let device = device();
        let buffers = [Buffer::new(&device, 4096), Buffer::new(&device, 4096)];
        let ty = vk::DescriptorType::STORAGE_BUFFER;
        let bindings = [0, 1].map(|binding| {
            vk::DescriptorSetLayoutBinding::default()
                .binding(binding)
                .descriptor_type(ty)
                .descriptor_count(1)
                .stage_flags(vk::ShaderStageFlags::ALL)
        });
        let sizes = [vk::DescriptorPoolSize {
            ty,
            descriptor_count: 2,
        }];
        let layout_info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
        let pool_info = vk::DescriptorPoolCreateInfo::default()
            .max_sets(1)
            .pool_sizes(&sizes);
        // SAFETY: the structures are valid.
        unsafe {
            let raw = &device.raw;
            let set_layout = raw
                .create_descriptor_set_layout(&layout_info, None)
                .expect("a layout");
            let pool = raw.create_descriptor_pool(&pool_info, None).expect("a pool");
            let layouts = [set_layout];
            let info = vk::DescriptorSetAllocateInfo::default()
                .descriptor_pool(pool)
                .set_layouts(&layouts);
            let set = raw.allocate_descriptor_sets(&info).expect("a set")[0];
            for (binding, buffer) in (0..).zip(&buffers) {
                let infos = [vk::DescriptorBufferInfo {
                    buffer: buffer.raw,
                    offset: 0,
                    range: vk::WHOLE_SIZE,
                }];
                let write = vk::WriteDescriptorSet::default()
                    .dst_set(set)
                    .dst_binding(binding)
                    .descriptor_type(ty)
                    .buffer_info(&infos);
                raw.update_descriptor_sets(&[write], &[]);
            }
            let layout = Pipeline::layout(&device, &layouts, 64);
            World {
                device,
                buffers,
                set_layout,
                pool,
                set,
                layout,
            }
        }
    }

    fn run(&self, pipeline: vk::Pipeline, push: &[u8]) -> Result<(), vk::Result> {
        let commands = Commands::new(&self.device);
        commands.record(&self.device, |cb| {
            let raw = &self.device.raw;
            // SAFETY: the set fits the layout; what the shader does is what is tested.
            unsafe {
                raw.cmd_bind_pipeline(cb, COMPUTE, pipeline);
                raw.cmd_bind_descriptor_sets(cb, COMPUTE, self.layout, 0, &[self.set], &[]);
                raw.cmd_push_constants(cb, self.layout, vk::ShaderStageFlags::ALL, 0, push);
                raw.cmd_dispatch(cb, 2, 1, 1);
            }
        });
        let result = commands.run(&self.device);
        commands.destroy(&self.device);
        result
    }

    fn destroy(self) {
        // SAFETY: no work is pending.
        unsafe {
            self.device.raw.destroy_pipeline_layout(self.layout, None);
            self.device.raw.destroy_descriptor_pool(self.pool, None);
            self.device
                .raw
                .destroy_descriptor_set_layout(self.set_layout, None);
        }
        for buffer in self.buffers {
            buffer.destroy(&self.device);
        }
    }
}

fn mutants() {
    let shaders = [
        words(include_bytes!("../shaders/test/bda.comp.spv")),
        words(include_bytes!("../shaders/test/bda.comp.opt.spv")),
        words(include_bytes!("../shaders/test/reach.comp.opt.spv")),
    ];
    let mut random = Random(0x1234_5678_9abc_def1);
    let own = Box::new([0u32; 64]);
    let (mut world, mut ran, mut lost) = (World::new(), 0, 0);
    for i in 0..120 {
        let mut code = shaders[i % shaders.len()].clone();
        damage(&mut random, &mut code);
        let Some(pipeline) = pipeline(&world.device, &code, world.layout) else {
            continue;
        };
        // Addresses good, bad, and of this process.
        let word = [0, 0x1000_0001_0000, &raw const *own as u64, u64::MAX >> (i % 64)][random.below(4)];
        let push: Vec<u8> = word.to_le_bytes().into_iter().cycle().take(64).collect();
        let result = world.run(pipeline, &push);
        // SAFETY: no work is pending.
        unsafe { world.device.raw.destroy_pipeline(pipeline, None) };
        ran += 1;
        if let Err(error) = result {
            assert_eq!(error, vk::Result::ERROR_DEVICE_LOST);
            lost += 1;
            world.destroy();
            world = World::new();
        }
    }
    world.destroy();
    assert!(ran > 20 && lost > 5, "{ran} ran, {lost} lost their device");
    assert!(own.iter().all(|&word| word == 0), "nothing of ours was written");
}

#[test]
fn damaged_shaders_that_use_addresses_never_end_the_process() {
    const NAME: &str = "damaged_shaders_that_use_addresses_never_end_the_process";
    if is_child() {
        isolated(NAME, &[], mutants);
        return;
    }
    for (mode, backend) in [
        ("trap", Backend::Avx512),
        ("check", Backend::Avx2),
        ("trap", Backend::Interpreter),
    ] {
        if backend.is_supported() {
            let settings = [
                ("LAHAR_FAULTS", mode),
                ("LAHAR_BACKEND", backend.name()),
                ("LAHAR_FUEL", "100000"),
            ];
            isolated(NAME, &settings, mutants);
        }
    }
}
