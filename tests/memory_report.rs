//! Memory-report events: one for every byte, and the same sums as the counters and the process's mappings.

mod common;

use ash::vk::{self, Handle};
use common::{
    Device, Instance, child, pipeline,
    scene::{Options, Scene},
    work,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    ffi::c_void,
    fs,
    sync::{Mutex, OnceLock},
};

const ALLOCATE: vk::DeviceMemoryReportEventTypeEXT = vk::DeviceMemoryReportEventTypeEXT::ALLOCATE;
const FREE: vk::DeviceMemoryReportEventTypeEXT = vk::DeviceMemoryReportEventTypeEXT::FREE;
const FAILED: vk::DeviceMemoryReportEventTypeEXT = vk::DeviceMemoryReportEventTypeEXT::ALLOCATION_FAILED;

#[derive(Clone, Copy, Debug, PartialEq)]
struct Event {
    ty: vk::DeviceMemoryReportEventTypeEXT,
    id: u64,
    size: u64,
    object_type: vk::ObjectType,
    handle: u64,
    heap: u32,
}

type Log = Mutex<Vec<Event>>;

fn event(data: &vk::DeviceMemoryReportCallbackDataEXT<'_>) -> Event {
    Event {
        ty: data.ty,
        id: data.memory_object_id,
        size: data.size,
        object_type: data.object_type,
        handle: data.object_handle,
        heap: data.heap_index,
    }
}

unsafe extern "system" fn note(data: *const vk::DeviceMemoryReportCallbackDataEXT<'_>, log: *mut c_void) {
    // SAFETY: the driver gives a valid structure and the data given at device creation.
    let (data, log) = unsafe { (&*data, &*log.cast::<Log>()) };
    log.lock().unwrap().push(event(data));
}

type Callback = unsafe extern "system" fn(*const vk::DeviceMemoryReportCallbackDataEXT<'_>, *mut c_void);

/// A device that reports to each of these.
fn device(listeners: &[(Callback, *mut c_void)]) -> Device {
    let mut reports: Vec<_> = listeners
        .iter()
        .map(|(callback, data)| vk::DeviceDeviceMemoryReportCreateInfoEXT {
            pfn_user_callback: Some(*callback),
            p_user_data: *data,
            ..Default::default()
        })
        .collect();
    let mut features = vk::PhysicalDeviceDeviceMemoryReportFeaturesEXT::default().device_memory_report(true);
    let names = [
        ash::ext::device_memory_report::NAME.as_ptr(),
        ash::ext::memory_budget::NAME.as_ptr(),
        ash::ext::extended_dynamic_state3::NAME.as_ptr(),
    ];
    let mut state3 = vk::PhysicalDeviceExtendedDynamicState3FeaturesEXT::default()
        .extended_dynamic_state3_color_blend_enable(true);
    let sparse = vk::PhysicalDeviceFeatures::default().sparse_binding(true);
    let mut info = vk::DeviceCreateInfo::default()
        .enabled_extension_names(&names)
        .enabled_features(&sparse)
        .push_next(&mut features)
        .push_next(&mut state3);
    for report in &mut reports {
        info = info.push_next(report);
    }
    Device::create(Instance::new(), info)
}

fn pointer<T>(of: &T) -> *mut c_void {
    (&raw const *of).cast_mut().cast()
}

/// What is alive by the events: type, size and heap by id and handle.
type Live = BTreeMap<(u64, u64), (vk::ObjectType, u64, u32)>;

/// Follows events; fails where they do not pair.
fn follow(live: &mut Live, ids: &mut BTreeSet<u64>, events: impl IntoIterator<Item = Event>) {
    for e in events {
        match e.ty {
            ALLOCATE => {
                assert!(e.id != 0 && ids.insert(e.id), "an id twice: {e:?}");
                assert!(e.size > 0 && e.heap < 2, "{e:?}");
                live.insert((e.id, e.handle), (e.object_type, e.size, e.heap));
            }
            FREE => {
                let of = live.remove(&(e.id, e.handle));
                assert_eq!(of.map(|(ty, _, _)| ty), Some(e.object_type), "{e:?}");
            }
            _ => assert!(e.ty == FAILED && e.id == 0 && e.size > 0, "{e:?}"),
        }
    }
}

/// Bytes of a heap in use, as the driver says.
fn usage(device: &Device, heap: usize) -> u64 {
    let mut budget = vk::PhysicalDeviceMemoryBudgetPropertiesEXT::default();
    let mut properties = vk::PhysicalDeviceMemoryProperties2::default().push_next(&mut budget);
    let instance = &device.instance;
    // SAFETY: the physical device is alive.
    unsafe {
        instance
            .raw
            .get_physical_device_memory_properties2(instance.physical, &mut properties);
    }
    budget.heap_usage[heap]
}

/// Accessible bytes of the process where device memory lies.
fn mapped() -> u64 {
    let maps = fs::read_to_string("/proc/self/maps").unwrap();
    maps.lines()
        .filter(|line| line.contains(" rw"))
        .filter_map(|line| line.split_once(' ')?.0.split_once('-'))
        .map(|(from, to)| [from, to].map(|hex| u64::from_str_radix(hex, 16).unwrap()))
        .filter(|[from, _]| (0x1000_0000_0000..0x5000_0000_0000).contains(from))
        .map(|[from, to]| to - from)
        .sum()
}

/// Numbers that look like chance and are the same in every run.
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) % limit
    }
}

/// Something that the walk has made.
enum Made {
    Memory(vk::DeviceMemory, Option<vk::Buffer>),
    Image(vk::Image),
    /// A sparse buffer of so many bytes of address space, and the memory of a part of it.
    Sparse(vk::Buffer, u64, vk::DeviceMemory),
    Sampler(vk::Sampler),
    Query(vk::QueryPool),
    Sets(vk::DescriptorPool),
    Commands(vk::CommandPool),
    Module(vk::ShaderModule),
    Pipeline(vk::Pipeline, vk::PipelineLayout),
}

fn make_memory(device: &Device, chance: &mut Chance) -> Option<Made> {
    let raw = &device.raw;
    let size = chance.below(1 << 20) + 1;
    let ty = chance.below(4) as u32;
    let info = vk::MemoryAllocateInfo::default()
        .allocation_size(if chance.below(8) == 0 { 1 << 50 } else { size })
        .memory_type_index(ty);
    let buffer = vk::BufferCreateInfo::default()
        .size(size)
        .usage(vk::BufferUsageFlags::STORAGE_BUFFER);
    // SAFETY: everything passed is valid; the buffer fits the memory, as its size is what is asked for.
    unsafe {
        let memory = raw.allocate_memory(&info, None).ok()?;
        let buffer = (chance.below(2) == 0).then(|| {
            let buffer = raw.create_buffer(&buffer, None).unwrap();
            raw.bind_buffer_memory(buffer, memory, 0).unwrap();
            buffer
        });
        Some(Made::Memory(memory, buffer))
    }
}

/// A sparse buffer of which a part is bound.
fn make_sparse(device: &Device, chance: &mut Chance) -> Option<Made> {
    const BLOCK: u64 = 65536;
    let raw = &device.raw;
    let blocks = chance.below(40) + 1;
    let part = chance.below(blocks) + 1;
    let info = vk::BufferCreateInfo::default()
        .size(blocks * BLOCK)
        .flags(vk::BufferCreateFlags::SPARSE_BINDING)
        .usage(vk::BufferUsageFlags::STORAGE_BUFFER);
    let memory = vk::MemoryAllocateInfo::default().allocation_size(part * BLOCK);
    // SAFETY: everything passed is valid.
    unsafe {
        let memory = raw.allocate_memory(&memory, None).ok()?;
        let buffer = raw.create_buffer(&info, None).unwrap();
        let parts = [vk::SparseMemoryBind {
            resource_offset: (blocks - part) * BLOCK,
            size: part * BLOCK,
            memory,
            ..Default::default()
        }];
        let binds = [vk::SparseBufferMemoryBindInfo::default()
            .buffer(buffer)
            .binds(&parts)];
        let bind = [vk::BindSparseInfo::default().buffer_binds(&binds)];
        raw.queue_bind_sparse(device.queue, &bind, vk::Fence::null())
            .unwrap();
        raw.queue_wait_idle(device.queue).unwrap();
        Some(Made::Sparse(buffer, blocks * BLOCK, memory))
    }
}

fn make_commands(device: &Device, chance: &mut Chance) -> vk::CommandPool {
    let raw = &device.raw;
    // SAFETY: everything passed is valid.
    unsafe {
        let pool = raw
            .create_command_pool(&vk::CommandPoolCreateInfo::default(), None)
            .unwrap();
        let info = vk::CommandBufferAllocateInfo::default()
            .command_pool(pool)
            .command_buffer_count(chance.below(3) as u32 + 1);
        for buffer in raw.allocate_command_buffers(&info).unwrap() {
            raw.begin_command_buffer(buffer, &vk::CommandBufferBeginInfo::default())
                .unwrap();
            for _ in 0..chance.below(100) {
                raw.cmd_set_line_width(buffer, 1.0);
            }
            if chance.below(4) > 0 {
                raw.end_command_buffer(buffer).unwrap();
            }
            if chance.below(4) == 0 {
                raw.free_command_buffers(pool, &[buffer]);
            }
        }
        pool
    }
}

fn make(device: &Device, chance: &mut Chance) -> Option<Made> {
    let raw = &device.raw;
    let code = include_bytes!("../shaders/test/dot.spv");
    // SAFETY: everything passed is valid.
    unsafe {
        Some(match chance.below(9) {
            0 => return make_memory(device, chance),
            1 => {
                let info = vk::ImageCreateInfo::default()
                    .image_type(vk::ImageType::TYPE_2D)
                    .format(vk::Format::R8G8B8A8_UNORM)
                    .extent(vk::Extent3D {
                        width: 64,
                        height: 64,
                        depth: 1,
                    })
                    .mip_levels(chance.below(6) as u32 + 1)
                    .array_layers(1)
                    .samples(vk::SampleCountFlags::TYPE_1)
                    .usage(vk::ImageUsageFlags::SAMPLED);
                Made::Image(raw.create_image(&info, None).unwrap())
            }
            2 => Made::Sampler(
                raw.create_sampler(&vk::SamplerCreateInfo::default(), None)
                    .unwrap(),
            ),
            3 => {
                let info = vk::QueryPoolCreateInfo::default()
                    .query_type(vk::QueryType::OCCLUSION)
                    .query_count(chance.below(500) as u32 + 1);
                Made::Query(raw.create_query_pool(&info, None).unwrap())
            }
            4 => {
                let sizes = [vk::DescriptorPoolSize {
                    ty: vk::DescriptorType::STORAGE_BUFFER,
                    descriptor_count: chance.below(5000) as u32 + 1,
                }];
                let info = vk::DescriptorPoolCreateInfo::default()
                    .max_sets(1)
                    .pool_sizes(&sizes);
                Made::Sets(raw.create_descriptor_pool(&info, None).unwrap())
            }
            5 => Made::Commands(make_commands(device, chance)),
            6 => return make_sparse(device, chance),
            7 => Made::Module(pipeline::module(device, code)),
            _ => {
                let (layout, pipeline) = poke(device);
                Made::Pipeline(pipeline, layout)
            }
        })
    }
}

fn destroy(device: &Device, made: &Made) {
    let raw = &device.raw;
    // SAFETY: nothing of it is in use, and it is destroyed once.
    unsafe {
        match *made {
            Made::Memory(memory, buffer) => {
                raw.free_memory(memory, None);
                raw.destroy_buffer(buffer.unwrap_or_default(), None);
            }
            Made::Image(image) => raw.destroy_image(image, None),
            Made::Sparse(buffer, _, memory) => {
                // In either order.
                raw.free_memory(memory, None);
                raw.destroy_buffer(buffer, None);
            }
            Made::Sampler(sampler) => raw.destroy_sampler(sampler, None),
            Made::Query(pool) => raw.destroy_query_pool(pool, None),
            Made::Sets(pool) => raw.destroy_descriptor_pool(pool, None),
            Made::Commands(pool) => raw.destroy_command_pool(pool, None),
            Made::Module(module) => raw.destroy_shader_module(module, None),
            Made::Pipeline(pipeline, layout) => {
                raw.destroy_pipeline(pipeline, None);
                raw.destroy_pipeline_layout(layout, None);
            }
        }
    }
}

/// A compute pipeline.
fn poke(device: &Device) -> (vk::PipelineLayout, vk::Pipeline) {
    let bindings = [vk::DescriptorSetLayoutBinding::default()
        .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
        .descriptor_count(1)
        .stage_flags(vk::ShaderStageFlags::COMPUTE)];
    let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
    // SAFETY: the structures are valid; the layout of the set lives on in that of the pipeline.
    let layout = unsafe {
        let set = device.raw.create_descriptor_set_layout(&info, None).unwrap();
        let layout = pipeline::Pipeline::layout(device, &[set], 16);
        device.raw.destroy_descriptor_set_layout(set, None);
        layout
    };
    let made = pipeline::Pipeline::compute(device, include_bytes!("../shaders/test/poke.comp.spv"), layout);
    (layout, made.raw)
}

/// Bytes that must be accessible: bound memory and the memory of descriptor pools.
fn accessible(live: &Live, bound: &BTreeSet<u64>) -> u64 {
    live.iter()
        .filter(|((_, handle), (ty, _, _))| match *ty {
            vk::ObjectType::DEVICE_MEMORY => bound.contains(handle),
            ty => ty == vk::ObjectType::DESCRIPTOR_POOL,
        })
        .map(|(_, (_, size, _))| size)
        .sum()
}

#[test]
fn events_counters_and_mappings_agree_at_every_step() {
    child::isolated("events_counters_and_mappings_agree_at_every_step", &[], || {
        let logs = [Log::default(), Log::default()];
        let device = device(&[(note, pointer(&logs[0])), (note, pointer(&logs[1]))]);
        let (mut live, mut ids, mut bound) = (Live::new(), BTreeSet::new(), BTreeSet::new());
        let mut chance = Chance(1);
        let mut made = vec![];
        for step in 0..1000 {
            if chance.below(5) < 2 && !made.is_empty() {
                let at = chance.below(made.len() as u64) as usize;
                destroy(&device, &made.swap_remove(at));
            } else {
                made.extend(make(&device, &mut chance));
            }
            if let Some(Made::Memory(memory, Some(_)) | Made::Sparse(_, _, memory)) = made.last() {
                bound.insert(memory.as_raw());
            }
            let events = logs
                .each_ref()
                .map(|log| std::mem::take(&mut *log.lock().unwrap()));
            assert_eq!(events[0], events[1], "every listener hears of everything");
            follow(&mut live, &mut ids, events[0].iter().copied());
            for heap in 0..2 {
                let sum: u64 = live.values().filter(|of| of.2 == heap).map(|of| of.1).sum();
                assert_eq!(sum, usage(&device, heap as usize), "heap {heap}, step {step}");
            }
            // Sparse resources have addresses beside those of the memory that they show.
            let sparse = made.iter().map(|made| match made {
                Made::Sparse(_, size, _) => *size,
                _ => 0,
            });
            let expected = accessible(&live, &bound) + sparse.sum::<u64>();
            assert_eq!(expected, mapped(), "step {step}");
        }
        let kinds: BTreeSet<_> = live.values().map(|of| of.0.as_raw()).collect();
        assert!(kinds.len() >= 9, "{kinds:?}");
        made.iter().for_each(|made| destroy(&device, made));
        let after = vec![usage(&device, 0), usage(&device, 1)];
        assert_eq!(after, [0, 0]);
        drop(device);
        follow(&mut live, &mut ids, logs[0].lock().unwrap().drain(..));
        assert!(live.is_empty(), "{live:?}");
    });
}

#[test]
fn what_an_application_leaves_behind_is_freed_with_the_device() {
    let log = Log::default();
    let device = device(&[(note, pointer(&log))]);
    let mut chance = Chance(7);
    for _ in 0..40 {
        make(&device, &mut chance);
    }
    drop(device);
    let (mut live, mut ids) = (Live::new(), BTreeSet::new());
    follow(&mut live, &mut ids, log.lock().unwrap().drain(..));
    assert!(live.is_empty() && ids.len() > 40, "{live:?}");
}

#[test]
fn a_pipeline_reports_its_code_and_memory_its_pages() {
    let log = Log::default();
    let device = device(&[(note, pointer(&log))]);
    let (layout, pipeline) = poke(&device);
    let sizes: Vec<u64> = log
        .lock()
        .unwrap()
        .iter()
        .filter(|e| (e.ty, e.object_type) == (ALLOCATE, vk::ObjectType::PIPELINE))
        .map(|e| e.size)
        .collect();
    assert!(sizes.len() == 1 && sizes[0] > 2048, "{sizes:?}");
    destroy(&device, &Made::Pipeline(pipeline, layout));
    let buffer = work::Buffer::new(&device, 5000);
    let seen = log
        .lock()
        .unwrap()
        .iter()
        .any(|e| (e.ty, e.object_type, e.size) == (ALLOCATE, vk::ObjectType::DEVICE_MEMORY, 8192));
    assert!(seen);
    buffer.destroy(&device);
}

#[test]
fn what_draws_compile_is_reported_as_the_pipelines_and_freed_with_it() {
    child::isolated(
        "what_draws_compile_is_reported_as_the_pipelines_and_freed_with_it",
        &[],
        || {
            let log: &'static Log = Box::leak(Box::default());
            let scene = Scene::on(
                device(&[(note, pointer(log))]),
                Options {
                    dynamic: &[vk::DynamicState::COLOR_BLEND_ENABLE_EXT],
                    ..Options::default()
                },
            );
            let raw = &scene.device.raw;
            let state = ash::ext::extended_dynamic_state3::Device::new(&scene.device.instance.raw, raw);
            let (mut live, mut ids) = (Live::new(), BTreeSet::new());
            let mut pipelines = || {
                follow(&mut live, &mut ids, log.lock().unwrap().drain(..));
                let sum: u64 = live.values().filter(|of| of.2 == 1).map(|of| of.1).sum();
                assert_eq!(sum, usage(&scene.device, 1));
                let of_pipelines = |of: &&(vk::ObjectType, u64, u32)| of.0 == vk::ObjectType::PIPELINE;
                let parts: Vec<u64> = live.values().filter(of_pipelines).map(|of| of.1).collect();
                (
                    parts.len(),
                    live.keys().map(|key| key.1).collect::<BTreeSet<_>>().len(),
                )
            };
            let draw = |enable| {
                scene.draw(|cb| {
                    // SAFETY: the draws stay within the buffers, and there is one attachment.
                    unsafe {
                        state.cmd_set_color_blend_enable(cb, 0, &[enable]);
                        raw.cmd_draw_indexed(cb, 6, 1, 0, 0, 0);
                    }
                });
            };
            let (before, _) = pipelines();
            draw(vk::FALSE);
            let (first, handles) = pipelines();
            draw(vk::TRUE);
            let (second, still) = pipelines();
            draw(vk::TRUE);
            assert!(before < first && first < second, "{before} {first} {second}");
            assert_eq!(pipelines(), (second, still), "compiled already");
            assert_eq!(handles, still, "of the pipeline that is drawn with");
            drop(scene);
            follow(&mut live, &mut ids, log.lock().unwrap().drain(..));
            assert!(live.is_empty(), "{live:?}");
        },
    );
}

/// The device that the callback below uses, from another thread.
static REENTRANT: OnceLock<ash::Device> = OnceLock::new();

unsafe extern "system" fn use_device(data: *const vk::DeviceMemoryReportCallbackDataEXT<'_>, _: *mut c_void) {
    // SAFETY: the driver gives a valid structure.
    let event = event(unsafe { &*data });
    if let Some(device) = REENTRANT
        .get()
        .filter(|_| event.object_type != vk::ObjectType::EVENT)
    {
        let other = std::thread::spawn(|| {
            // SAFETY: the device lives until the test ends; memory and event are used here only.
            unsafe {
                let made = device
                    .create_event(&vk::EventCreateInfo::default(), None)
                    .unwrap();
                device.destroy_event(made, None);
            }
        });
        other.join().unwrap();
    }
}

#[test]
fn no_lock_is_held_while_an_application_hears_of_memory() {
    let device = device(&[(use_device, std::ptr::null_mut())]);
    assert!(REENTRANT.set(device.raw.clone()).is_ok());
    let mut chance = Chance(3);
    let made: Vec<Made> = (0..60).filter_map(|_| make(&device, &mut chance)).collect();
    made.iter().for_each(|made| destroy(&device, made));
}
