//! Fault plans through the loader, continued: what is drawn and dispatched, swapchains, what holds from the start.
//! `covers:` as in `plan.rs`.

mod common;
#[path = "common/planned.rs"]
#[allow(dead_code, unreachable_pub, reason = "each test file uses a part")]
mod planned;

use ash::khr;
use common::{
    Device,
    child::isolated,
    khr_fault::{ABORT_FEATURES, AbortMessages, DebugInfo, Feature, Features, Functions},
    pipeline::{BufferSet, Pipeline},
    scene::{Options, RED, Scene},
    vk,
    work::{Buffer, Commands},
};
use planned::{Planned, Steps, both_ways, control, instance, name, planned, planned_by_file, report};
use vk::SubpassContents;

const LOST: vk::Result = vk::Result::ERROR_DEVICE_LOST;

/// Draws the four quarters of a scene in four draws; how that ended. What is in the image is read with the host's eyes:
/// a lost device copies nothing.
fn draw_quarters(scene: &Scene) -> Result<(), vk::Result> {
    let device = &scene.device;
    let commands = Commands::new(device);
    commands.record(device, |cb| {
        scene.begin(cb, SubpassContents::INLINE);
        scene.bind(cb);
        for quarter in 0..4 {
            // SAFETY: the buffers hold that many vertices.
            unsafe { device.raw.cmd_draw_indexed(cb, 6, 1, 0, quarter * 4, 0) };
        }
        // SAFETY: the pass was begun.
        unsafe { device.raw.cmd_end_render_pass(cb) };
    });
    let result = commands.run(device);
    commands.destroy(device);
    result
}

// covers: draw
#[test]
fn nth_draw_is_left_out() {
    planned(
        "nth_draw_is_left_out",
        "rule = [{ when = { event = \"draw\", nth = 3 }, skip = true }]",
        |plan| {
            let scene = Scene::on(plan.device(), Options::default());
            assert_eq!(draw_quarters(&scene), Ok(()));
            assert_eq!(scene.quarters(), [RED, RED, 0, RED]);
        },
    );
}

#[test]
fn nth_draw_loses_the_device() {
    planned(
        "nth_draw_loses_the_device",
        "rule = [{ when = { event = \"draw\", nth = 6 }, lose = { access = \"write\" } }]",
        |plan| {
            let scene = Scene::on(plan.device(), Options::default());
            assert_eq!(draw_quarters(&scene), Ok(()));
            assert_eq!(draw_quarters(&scene), Err(LOST));
            let report = report(&scene.device);
            assert_eq!(report.addresses[0].0, 2);
        },
    );
}

// covers: pipeline shader
#[test]
fn pipelines_and_shaders() {
    let words = common::pipeline::words(include_bytes!("../shaders/test/flat.frag.spv"));
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let rules = format!(
        "rule = [{{ when = {{ event = \"draw\", nth = 2, pipeline = \"fl?t\" }}, skip = true }},
                 {{ when = {{ event = \"draw\", nth = 3, shader = \"{:#x}\" }}, skip = true }},
                 {{ when = {{ event = \"draw\", nth = 1, shader = \"other\" }}, skip = true }}]",
        crc32fast::hash(&bytes)
    );
    planned("pipelines_and_shaders", &rules, |plan| {
        let scene = Scene::on(plan.device(), Options::default());
        name(&scene.device, scene.pipeline.raw, c"flat");
        assert_eq!(draw_quarters(&scene), Ok(()));
        assert_eq!(scene.quarters(), [RED, 0, 0, RED]);
    });
}

// covers: dispatch
#[test]
fn nth_dispatch() {
    planned(
        "nth_dispatch",
        "rule = [{ when = { event = \"dispatch\", nth = 2 }, lose = { access = \"execute\" } }]",
        |plan| {
            let device = plan.device();
            let out = Buffer::new(&device, 256);
            let set = BufferSet::new(&device, vk::DescriptorType::STORAGE_BUFFER_DYNAMIC, &out, 256);
            let layout = Pipeline::layout(&device, &[set.layout], 4);
            let pipeline =
                Pipeline::compute(&device, include_bytes!("../shaders/test/fill.comp.spv"), layout);
            let commands = Commands::new(&device);
            commands.record(&device, |cb| {
                let point = vk::PipelineBindPoint::COMPUTE;
                for value in [100_u32, 200] {
                    // SAFETY: the set fits the layout; the dispatch stays within the buffer.
                    unsafe {
                        device.raw.cmd_bind_pipeline(cb, point, pipeline.raw);
                        device
                            .raw
                            .cmd_bind_descriptor_sets(cb, point, layout, 0, &[set.set], &[0]);
                        let stages = vk::ShaderStageFlags::ALL;
                        device
                            .raw
                            .cmd_push_constants(cb, layout, stages, 0, &value.to_le_bytes());
                        device.raw.cmd_dispatch(cb, 1, 1, 1);
                    }
                }
            });
            assert_eq!(commands.run(&device), Err(LOST));
            assert_eq!(out.words()[0], 100, "the first ran, the second did not");
            assert_eq!(report(&device).addresses[0].0, 3);
            commands.destroy(&device);
            pipeline.destroy(&device);
            set.destroy(&device);
            out.destroy(&device);
        },
    );
}

/// A shader that writes to a buffer, with a rule that watches for that.
fn touched_by_a_shader(plan: &Planned) {
    let device = plan.device();
    let out = Buffer::new(&device, 256);
    let set = BufferSet::new(&device, vk::DescriptorType::STORAGE_BUFFER_DYNAMIC, &out, 256);
    let layout = Pipeline::layout(&device, &[set.layout], 4);
    let pipeline = Pipeline::compute(&device, include_bytes!("../shaders/test/fill.comp.spv"), layout);
    let commands = Commands::new(&device);
    commands.record(&device, |cb| {
        let point = vk::PipelineBindPoint::COMPUTE;
        // SAFETY: the set fits the layout; the dispatch stays within the buffer.
        unsafe {
            device.raw.cmd_bind_pipeline(cb, point, pipeline.raw);
            device
                .raw
                .cmd_bind_descriptor_sets(cb, point, layout, 0, &[set.set], &[0]);
            device
                .raw
                .cmd_push_constants(cb, layout, vk::ShaderStageFlags::ALL, 0, &[7; 4]);
            device.raw.cmd_dispatch(cb, 1, 1, 1);
        }
    });
    assert_eq!(commands.run(&device), Err(LOST));
    assert_eq!(out.words(), [0; 64], "the write is not made");
    let report = report(&device);
    assert_eq!(report.addresses[0], (2, 0x1234, 1));
    assert_eq!(report.description, "touched");
    let states = control(&device).rules(device.raw.handle());
    let fired: Vec<u64> = states.iter().map(|state| state.fired).collect();
    assert_eq!(fired, [0, 0, 1]);
    commands.destroy(&device);
    pipeline.destroy(&device);
    set.destroy(&device);
    out.destroy(&device);
}

const WATCHING: &str = "rule = [
    { when = { event = \"command\", touches = 0x1000, touches_size = 0x1000 }, lose = \"execute\" },
    { when = { event = \"command\", touches = 0x7fff00000000, touches_size = 0x1000 }, lose = \"execute\" },
    { when = { event = \"command\", touches = 0x1000, touches_size = 0x7fffffff0000, touch = \"write\" },
      lose = { access = \"write\", address = 0x1234, precision = 1, description = \"touched\" } }]";

// covers: touches
#[test]
fn addresses_that_shaders_touch() {
    let settings = [("LAHAR_FAULTS", "check")];
    both_ways(
        "addresses_that_shaders_touch",
        WATCHING,
        &["file", "call"],
        &settings,
        touched_by_a_shader,
    );
}

#[test]
fn a_plan_that_watches_shaders_has_them_checked() {
    planned_by_file(
        "a_plan_that_watches_shaders_has_them_checked",
        WATCHING,
        touched_by_a_shader,
    );
}

// covers: pipeline fail illegal
#[test]
fn pipelines_that_fail_are_null() {
    planned(
        "pipelines_that_fail_are_null",
        "rule = [{ when = { event = \"pipeline\", nth = 1 }, fail = \"out_of_device_memory\" },
                 { when = { event = \"vkCreateFence\" }, fail = { code = \"format_not_supported\", illegal = true } }]",
        |plan| {
            let device = plan.device();
            let layout = Pipeline::layout(&device, &[], 4);
            let code = common::pipeline::module(&device, include_bytes!("../shaders/test/fill.comp.spv"));
            let stage = vk::PipelineShaderStageCreateInfo::default()
                .stage(vk::ShaderStageFlags::COMPUTE)
                .module(code)
                .name(c"main");
            let info = [vk::ComputePipelineCreateInfo::default().stage(stage).layout(layout)];
            // SAFETY: the structures are valid; nothing that was not made is used.
            unsafe {
                let cache = vk::PipelineCache::null();
                let (made, error) = device.raw.create_compute_pipelines(cache, &info, None).unwrap_err();
                assert_eq!((made[0], error), (vk::Pipeline::null(), vk::Result::ERROR_OUT_OF_DEVICE_MEMORY));
                let fence = device.raw.create_fence(&vk::FenceCreateInfo::default(), None);
                assert_eq!(fence, Err(vk::Result::ERROR_FORMAT_NOT_SUPPORTED));
                device.raw.destroy_shader_module(code, None);
                device.raw.destroy_pipeline_layout(layout, None);
            }
        },
    );
}

/// A swapchain without a window.
struct Chain<'a> {
    device: &'a Device,
    functions: khr::swapchain::Device,
    surfaces: khr::surface::Instance,
    surface: vk::SurfaceKHR,
    raw: vk::SwapchainKHR,
    fence: vk::Fence,
}

impl<'a> Chain<'a> {
    fn new(device: &'a Device) -> Chain<'a> {
        let (entry, instance) = (common::entry(), &device.instance.raw);
        let headless = ash::ext::headless_surface::Instance::new(entry, instance);
        // SAFETY: plain structures.
        let (surface, fence) = unsafe {
            let surface =
                headless.create_headless_surface(&vk::HeadlessSurfaceCreateInfoEXT::default(), None);
            let fence = device.raw.create_fence(&vk::FenceCreateInfo::default(), None);
            (surface.expect("a surface"), fence.expect("a fence"))
        };
        let mut chain = Chain {
            device,
            functions: khr::swapchain::Device::new(instance, &device.raw),
            surfaces: khr::surface::Instance::new(entry, instance),
            surface,
            raw: vk::SwapchainKHR::null(),
            fence,
        };
        chain.create([16, 16]).expect("a swapchain");
        chain
    }

    /// Makes the swapchain anew.
    fn create(&mut self, [width, height]: [u32; 2]) -> Result<(), vk::Result> {
        let old = self.raw;
        let info = vk::SwapchainCreateInfoKHR::default()
            .surface(self.surface)
            .min_image_count(3)
            .image_format(vk::Format::B8G8R8A8_UNORM)
            .image_extent(vk::Extent2D { width, height })
            .image_array_layers(1)
            .image_usage(vk::ImageUsageFlags::TRANSFER_DST)
            .pre_transform(vk::SurfaceTransformFlagsKHR::IDENTITY)
            .composite_alpha(vk::CompositeAlphaFlagsKHR::OPAQUE)
            .present_mode(vk::PresentModeKHR::IMMEDIATE)
            .old_swapchain(old);
        // SAFETY: the surface is alive, and the old swapchain not in use.
        unsafe {
            self.raw = self.functions.create_swapchain(&info, None)?;
            self.functions.destroy_swapchain(old, None);
        }
        Ok(())
    }

    /// Acquires an image: its index, and whether the swapchain does not quite fit.
    fn acquire(&self) -> Result<(u32, bool), vk::Result> {
        // SAFETY: the fence is waited for and reset.
        unsafe {
            let result =
                self.functions
                    .acquire_next_image(self.raw, u64::MAX, vk::Semaphore::null(), self.fence);
            if result.is_ok() {
                self.device.raw.wait_for_fences(&[self.fence], true, u64::MAX)?;
                self.device.raw.reset_fences(&[self.fence])?;
            }
            result
        }
    }

    fn present(&self, index: u32) -> Result<bool, vk::Result> {
        let (chains, indices) = ([self.raw], [index]);
        let info = vk::PresentInfoKHR::default()
            .swapchains(&chains)
            .image_indices(&indices);
        // SAFETY: the image was acquired.
        unsafe { self.functions.queue_present(self.device.queue, &info) }
    }

    /// A frame: what acquiring and presenting say of the fit.
    fn frame(&self) -> Result<(bool, bool), vk::Result> {
        let (index, acquired) = self.acquire()?;
        Ok((acquired, self.present(index)?))
    }

    fn extent(&self) -> Result<[u32; 2], vk::Result> {
        let physical = self.device.instance.physical;
        // SAFETY: the surface is alive.
        let found = unsafe {
            self.surfaces
                .get_physical_device_surface_capabilities(physical, self.surface)
        }?;
        Ok([found.current_extent.width, found.current_extent.height])
    }
}

impl Drop for Chain<'_> {
    fn drop(&mut self) {
        // SAFETY: nothing is in use once the device is idle, or lost.
        unsafe {
            let _ = self.device.raw.device_wait_idle();
            self.device.raw.destroy_fence(self.fence, None);
            self.functions.destroy_swapchain(self.raw, None);
            self.surfaces.destroy_surface(self.surface, None);
        }
    }
}

const OUT_OF_DATE: vk::Result = vk::Result::ERROR_OUT_OF_DATE_KHR;

// covers: acquire swapchain
#[test]
fn out_of_date_until_it_is_made_anew() {
    planned(
        "out_of_date_until_it_is_made_anew",
        "rule = [{ when = { event = \"acquire\", nth = 2 }, swapchain = \"out_of_date\" }]",
        |plan: &Planned| {
            let device = plan.device();
            let mut chain = Chain::new(&device);
            assert_eq!(chain.frame(), Ok((false, false)));
            assert_eq!(
                [chain.frame(), chain.frame()],
                [Err(OUT_OF_DATE); 2],
                "it stays so"
            );
            chain.create([16, 16]).expect("a swapchain");
            assert_eq!(chain.frame(), Ok((false, false)));
        },
    );
}

// covers: present frame once
#[test]
fn suboptimal_once_and_for_good() {
    planned(
        "suboptimal_once_and_for_good",
        "rule = [{ when = { event = \"acquire\", nth = 1 }, swapchain = { state = \"suboptimal\", once = true } },
                 { when = { event = \"present\", nth = 2 }, swapchain = \"suboptimal\" }]",
        |plan| {
            let device = plan.device();
            let chain = Chain::new(&device);
            let frames = [chain.frame(), chain.frame(), chain.frame()];
            assert_eq!(frames, [Ok((true, false)), Ok((false, true)), Ok((true, true))]);
        },
    );
}

#[test]
fn a_lost_surface_stays_lost() {
    planned(
        "a_lost_surface_stays_lost",
        "rule = [{ when = { event = \"frame\", nth = 1 }, swapchain = \"surface_lost\" }]",
        |plan| {
            let device = plan.device();
            let mut chain = Chain::new(&device);
            let lost = vk::Result::ERROR_SURFACE_LOST_KHR;
            assert_eq!((chain.frame(), chain.extent()), (Err(lost), Err(lost)));
            assert_eq!(chain.create([16, 16]), Err(lost));
        },
    );
}

// covers: width height
#[test]
fn a_window_of_another_size() {
    planned(
        "a_window_of_another_size",
        "rule = [{ when = { event = \"acquire\", nth = 1 }, swapchain = { state = \"resized\", width = 24, height = 8 } },
                 { when = { event = \"acquire\", nth = 3 }, swapchain = { state = \"resized\" } }]",
        |plan| {
            let device = plan.device();
            let mut chain = Chain::new(&device);
            assert_eq!((chain.frame(), chain.extent()), (Err(OUT_OF_DATE), Ok([24, 8])));
            chain.create([24, 8]).expect("a swapchain");
            assert_eq!(chain.frame(), Ok((false, false)));
            assert_eq!((chain.frame(), chain.extent()), (Err(OUT_OF_DATE), Ok([0, 0])), "not shown");
        },
    );
}

// covers: reorder
#[test]
fn images_in_another_order() {
    planned(
        "images_in_another_order",
        "rule = [{ when = { event = \"acquire\", every = 1 }, reorder = true }]",
        |plan| {
            let device = plan.device();
            let chain = Chain::new(&device);
            let mut order: Vec<u32> = (0..3).map(|_| chain.acquire().expect("an image").0).collect();
            if !plan.is_armed() {
                assert_ne!(order, [0, 1, 2], "the seed of the tests changes it");
            }
            order.sort_unstable();
            assert_eq!(order, [0, 1, 2], "each once");
        },
    );
}

// covers: reorder
#[test]
fn workgroups_in_another_order() {
    planned(
        "workgroups_in_another_order",
        "rule = [{ when = { event = \"dispatch\", nth = 2 }, reorder = true }]",
        |plan| {
            let device = plan.device();
            let order = || {
                let out = Buffer::new(&device, 17 * 4);
                let set = BufferSet::new(&device, vk::DescriptorType::STORAGE_BUFFER, &out, 17 * 4);
                let layout = Pipeline::layout(&device, &[set.layout], 0);
                let code = include_bytes!("../shaders/test/order.comp.spv");
                let pipeline = Pipeline::compute(&device, code, layout);
                let commands = Commands::new(&device);
                commands.record(&device, |cb| {
                    let point = vk::PipelineBindPoint::COMPUTE;
                    // SAFETY: the set fits the layout; the dispatch stays within the buffer.
                    unsafe {
                        device.raw.cmd_bind_pipeline(cb, point, pipeline.raw);
                        device
                            .raw
                            .cmd_bind_descriptor_sets(cb, point, layout, 0, &[set.set], &[]);
                        device.raw.cmd_dispatch(cb, 16, 1, 1);
                    }
                });
                assert_eq!(commands.run(&device), Ok(()));
                let words = out.words()[1..].to_vec();
                commands.destroy(&device);
                pipeline.destroy(&device);
                set.destroy(&device);
                out.destroy(&device);
                words
            };
            let straight: Vec<u32> = (0..16).collect();
            assert_eq!(order(), straight);
            let mut other = order();
            assert_ne!(other, straight);
            other.sort_unstable();
            assert_eq!(other, straight, "each once");
            assert_eq!(order(), straight);
        },
    );
}

// covers: hide extension feature format limit
#[test]
fn hidden_capabilities() {
    planned(
        "hidden_capabilities",
        "rule = [{ hide = { extension = \"VK_EXT_memory_budget\", feature = [\"shaderInt64\", \"multiview\"],
                   format = \"VK_FORMAT_R8_UNORM\", limit = \"maxImageDimension2D=4096\" } }]",
        |plan| {
            let device = plan.device();
            let (raw, physical) = (&device.instance.raw, device.instance.physical);
            // SAFETY: the physical device is alive.
            let (extensions, features, format, properties) = unsafe {
                (
                    raw.enumerate_device_extension_properties(physical)
                        .expect("a list"),
                    raw.get_physical_device_features(physical),
                    raw.get_physical_device_format_properties(physical, vk::Format::R8_UNORM),
                    raw.get_physical_device_properties(physical),
                )
            };
            assert!(!extensions.iter().any(is_budget) && extensions.len() > 10);
            assert_eq!((features.shader_int64, features.logic_op), (vk::FALSE, vk::TRUE));
            assert!(format.optimal_tiling_features.is_empty() && format.buffer_features.is_empty());
            assert_eq!(properties.limits.max_image_dimension2_d, 4096);
            let priorities = [1.0];
            let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&priorities)];
            let wanted = vk::PhysicalDeviceFeatures::default().shader_int64(true);
            let info = vk::DeviceCreateInfo::default()
                .queue_create_infos(&queues)
                .enabled_features(&wanted);
            // SAFETY: the structures are alive.
            let made = || unsafe { raw.create_device(physical, &info, None) };
            assert_eq!(made().err(), Some(vk::Result::ERROR_FEATURE_NOT_PRESENT));
            if !plan.is_armed() {
                return;
            }
            // Cleared, all is there again.
            assert_eq!(control(&device).rules(device.raw.handle())[0].fired, 0);
            assert_eq!(control(&device).clear(device.raw.handle(), 0), 1);
            // SAFETY: the physical device is alive, and the device that is made is not used.
            unsafe {
                made().expect("a device").destroy_device(None);
                let extensions = raw
                    .enumerate_device_extension_properties(physical)
                    .expect("a list");
                assert!(extensions.iter().any(is_budget));
                let format = raw.get_physical_device_format_properties(physical, vk::Format::R8_UNORM);
                assert!(!format.optimal_tiling_features.is_empty());
                let limits = raw.get_physical_device_properties(physical).limits;
                assert!(limits.max_image_dimension2_d > 4096);
            }
        },
    );
}

fn is_budget(extension: &vk::ExtensionProperties) -> bool {
    extension.extension_name_as_c_str() == Ok(c"VK_EXT_memory_budget")
}

#[test]
fn a_device_takes_what_it_hides_with_it() {
    isolated("a_device_takes_what_it_hides_with_it", &[], || {
        let instance = instance();
        let (raw, physical) = (instance.raw.clone(), instance.physical);
        let listed = || {
            // SAFETY: the physical device is alive.
            let all = unsafe { raw.enumerate_device_extension_properties(physical) };
            all.expect("a list").iter().any(is_budget)
        };
        let priorities = [1.0];
        let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&priorities)];
        let names = [ash::ext::memory_budget::NAME.as_ptr()];
        let info = vk::DeviceCreateInfo::default()
            .enabled_extension_names(&names)
            .queue_create_infos(&queues);
        // SAFETY: the structures are alive.
        let make = || unsafe { raw.create_device(physical, &info, None) };
        let device = make().expect("a device");
        // SAFETY: the device is alive, the name a C string.
        let get = |name| unsafe { (raw.fp_v1_0().get_device_proc_addr)(device.handle(), name) };
        let control = planned::lahar::Control::load(get).expect("Lahar's device");
        control
            .arm(device.handle(), "hide VK_EXT_memory_budget; budget 1 heap=0")
            .expect("armed");
        assert!(!listed());
        assert_eq!(make().err(), Some(vk::Result::ERROR_EXTENSION_NOT_PRESENT));
        // SAFETY: nothing uses the device.
        unsafe { device.destroy_device(None) };
        assert!(listed());
        let mut budget = vk::PhysicalDeviceMemoryBudgetPropertiesEXT::default();
        let mut memory = vk::PhysicalDeviceMemoryProperties2::default().push_next(&mut budget);
        // SAFETY: the physical device and the structures are alive.
        unsafe { raw.get_physical_device_memory_properties2(physical, &mut memory) };
        let size = memory.memory_properties.memory_heaps[0].size;
        assert_eq!(budget.heap_budget[0], size);
        // SAFETY: nothing uses the device.
        unsafe { make().expect("a device").destroy_device(None) };
    });
}

// covers: budget bytes
#[test]
fn a_small_heap() {
    planned(
        "a_small_heap",
        "rule = [{ budget = { heap = 0, bytes = 0x100000 } }]",
        |plan| {
            let device = plan.device();
            let instance = &device.instance;
            // SAFETY: the physical device is alive.
            let told = || unsafe {
                let mut budget = vk::PhysicalDeviceMemoryBudgetPropertiesEXT::default();
                let mut memory = vk::PhysicalDeviceMemoryProperties2::default().push_next(&mut budget);
                instance
                    .raw
                    .get_physical_device_memory_properties2(instance.physical, &mut memory);
                (memory.memory_properties, budget.heap_budget[0])
            };
            let (memory, budget) = told();
            assert_eq!(budget, 0x10_0000);
            // Sizes are not to change while the application knows them.
            assert_eq!(memory.memory_heaps[0].size == budget, !plan.is_armed());
            let types = &memory.memory_types[..memory.memory_type_count as usize];
            let ty = types
                .iter()
                .position(|ty| ty.heap_index == 0)
                .expect("a type of the heap");
            let allocate = |size| {
                let info = vk::MemoryAllocateInfo::default()
                    .allocation_size(size)
                    .memory_type_index(ty as u32);
                // SAFETY: the type exists; the memory is not used, and goes with the device.
                unsafe { device.raw.allocate_memory(&info, None) }.map(drop)
            };
            let failed = Err(vk::Result::ERROR_OUT_OF_DEVICE_MEMORY);
            assert_eq!([allocate(0x8_0000), allocate(0x9_0000)], [Ok(()), failed]);
            if plan.is_armed() {
                assert_eq!(control(&device).clear(device.raw.handle(), 0), 1);
                assert_eq!(told().1, memory.memory_heaps[0].size);
                assert_eq!(allocate(0x9_0000), Ok(()), "there is room again");
            }
        },
    );
}

/// A device that tells of masked faults, or is lost for them; and of the messages of aborts.
fn masked_device(lost: bool) -> Device {
    let mut features = Features {
        on: [1, 0, 1, u32::from(lost)],
        ..Features::default()
    };
    let mut data = Feature {
        s_type: ABORT_FEATURES[0],
        p_next: (&raw mut features).cast(),
        on: 1,
    };
    let mut abort = Feature {
        s_type: ABORT_FEATURES[1],
        p_next: (&raw mut data).cast(),
        on: 1,
    };
    let names = [
        c"VK_KHR_device_fault".as_ptr(),
        ash::ext::device_fault::NAME.as_ptr(),
        c"VK_KHR_shader_constant_data".as_ptr(),
        c"VK_KHR_shader_abort".as_ptr(),
    ];
    let mut info = vk::DeviceCreateInfo::default().enabled_extension_names(&names);
    info.p_next = (&raw mut abort).cast();
    Device::create(instance(), info)
}

/// Flags of reports.
const DEVICE_LOST: u32 = 0x01;
const OVERFLOW: u32 = 0x20;

// covers: abort message
#[test]
fn the_message_of_an_abort_is_that_of_a_shader() {
    planned(
        "the_message_of_an_abort_is_that_of_a_shader",
        "rule = [{ name = \"r\", when = { event = \"copy\" }, abort = \"index 7 of 4\" }]",
        |plan| {
            let device = masked_device(false);
            plan.arm(&device);
            let steps = Steps::new(&device);
            assert_eq!(steps.run(&device, 10, &[planned::Step::Fill(0)]), Err(LOST));
            assert_eq!(steps.buffer.words()[0], 0);
            let functions = Functions::new(&device);
            let mut bytes = vec![0_u8; 32];
            let mut messages = AbortMessages::new(32, bytes.as_mut_ptr());
            let mut info = DebugInfo::new(0, std::ptr::null_mut());
            info.p_next = (&raw mut messages).cast();
            assert_eq!(functions.debug(&mut info), vk::Result::SUCCESS);
            assert_eq!(messages.size, 20);
            let (length, message) = bytes.split_at(8);
            assert_eq!(length, 12_u64.to_le_bytes());
            assert_eq!(&message[..12], b"index 7 of 4");
            steps.destroy(&device);
        },
    );
}

// covers: masked
#[test]
fn masked_faults_are_told_and_the_device_lives() {
    planned(
        "masked_faults_are_told_and_the_device_lives",
        "rule = [{ when = { event = \"copy\", nth = 2 }, masked = { access = \"read\", address = 0x1000, results = \"poisoned\" } }]",
        |plan| {
            let device = masked_device(false);
            plan.arm(&device);
            let steps = Steps::new(&device);
            let fills = [0, 1, 2].map(planned::Step::Fill);
            assert_eq!(steps.run(&device, 10, &fills), Ok(()));
            assert_eq!(steps.buffer.words()[..3], [10, 11, 12]);
            let (result, reports) = Functions::new(&device).take(0, 9);
            assert_eq!((result, reports.len()), (vk::Result::SUCCESS, 1));
            assert_eq!(
                (reports[0].flags & DEVICE_LOST, reports[0].address),
                (0, [1, 0x1000, 4096])
            );
            assert_eq!(steps.run(&device, 20, &fills), Ok(()), "it lives");
            steps.destroy(&device);
        },
    );
}

#[test]
fn masked_faults_lose_a_device_that_is_to_be_lost_for_them() {
    planned(
        "masked_faults_lose_a_device_that_is_to_be_lost_for_them",
        "rule = [{ when = { event = \"copy\", nth = 2 }, masked = \"write\" }]",
        |plan| {
            let device = masked_device(true);
            plan.arm(&device);
            let steps = Steps::new(&device);
            assert_eq!(
                steps.run(&device, 10, &[0, 1].map(planned::Step::Fill)),
                Err(LOST)
            );
            assert_eq!(steps.buffer.words()[..2], [10, 0]);
            let (_, reports) = Functions::new(&device).take(0, 9);
            assert_eq!(
                reports.last().map(|report| report.flags & DEVICE_LOST),
                Some(DEVICE_LOST)
            );
            steps.destroy(&device);
        },
    );
}

// covers: overflow count
#[test]
fn more_masked_faults_than_are_kept() {
    planned(
        "more_masked_faults_than_are_kept",
        "rule = [{ when = { event = \"submit\", nth = 1 }, overflow = 70 }]",
        |plan| {
            let device = masked_device(false);
            plan.arm(&device);
            let steps = Steps::new(&device);
            assert_eq!(steps.run(&device, 10, &[planned::Step::Fill(0)]), Ok(()));
            let (result, reports) = Functions::new(&device).take(0, 99);
            assert_eq!((result, reports.len()), (vk::Result::SUCCESS, 64));
            let overflows: Vec<bool> = reports
                .iter()
                .map(|report| report.flags & OVERFLOW != 0)
                .collect();
            assert!(
                overflows[0] && !overflows[1..].contains(&true),
                "on the first behind the gap"
            );
            steps.destroy(&device);
        },
    );
}
