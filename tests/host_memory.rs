//! Host memory of objects comes from the application, where it provides an allocator.

mod common;

use ash::vk;
use common::{Device, Instance};
use std::{alloc::Layout, collections::BTreeMap, ffi::c_void, sync::Mutex};

/// An application's allocator that counts, and fails once its budget is spent.
#[derive(Default)]
struct Allocator(Mutex<State>);

#[derive(Default)]
struct State {
    live: BTreeMap<usize, Layout>,
    scopes: Vec<vk::SystemAllocationScope>,
    executable: usize,
    budget: usize,
}

unsafe extern "system" fn allocate(
    state: *mut c_void,
    size: usize,
    alignment: usize,
    scope: vk::SystemAllocationScope,
) -> *mut c_void {
    // SAFETY: the data is that of the callbacks.
    let allocator = unsafe { &*state.cast::<Allocator>() };
    let mut state = allocator.0.lock().unwrap();
    if state.budget == 0 {
        return std::ptr::null_mut();
    }
    state.budget -= 1;
    let layout = Layout::from_size_align(size, alignment).unwrap();
    // SAFETY: Vulkan asks for no empty blocks.
    let block = unsafe { std::alloc::alloc(layout) };
    state.live.insert(block as usize, layout);
    state.scopes.push(scope);
    block.cast()
}

unsafe extern "system" fn reallocate(
    _: *mut c_void,
    _: *mut c_void,
    _: usize,
    _: usize,
    _: vk::SystemAllocationScope,
) -> *mut c_void {
    std::ptr::null_mut()
}

unsafe extern "system" fn free(state: *mut c_void, block: *mut c_void) {
    // SAFETY: the data is that of the callbacks.
    let allocator = unsafe { &*state.cast::<Allocator>() };
    if !block.is_null() {
        let layout = allocator.0.lock().unwrap().live.remove(&(block as usize));
        // SAFETY: the block was allocated with this layout.
        unsafe { std::alloc::dealloc(block.cast(), layout.expect("a block of this allocator")) };
    }
}

unsafe extern "system" fn allocated(
    state: *mut c_void,
    size: usize,
    _: vk::InternalAllocationType,
    _: vk::SystemAllocationScope,
) {
    // SAFETY: the data is that of the callbacks.
    unsafe { &*state.cast::<Allocator>() }
        .0
        .lock()
        .unwrap()
        .executable += size;
}

unsafe extern "system" fn freed(
    state: *mut c_void,
    size: usize,
    _: vk::InternalAllocationType,
    _: vk::SystemAllocationScope,
) {
    // SAFETY: the data is that of the callbacks.
    unsafe { &*state.cast::<Allocator>() }
        .0
        .lock()
        .unwrap()
        .executable -= size;
}

impl Allocator {
    fn callbacks(&self) -> vk::AllocationCallbacks<'_> {
        vk::AllocationCallbacks {
            p_user_data: (&raw const *self).cast_mut().cast(),
            pfn_allocation: Some(allocate),
            pfn_reallocation: Some(reallocate),
            pfn_free: Some(free),
            pfn_internal_allocation: Some(allocated),
            pfn_internal_free: Some(freed),
            ..Default::default()
        }
    }

    /// Blocks and bytes of code that are alive.
    fn live(&self) -> (usize, usize) {
        let state = self.0.lock().unwrap();
        (state.live.len(), state.executable)
    }

    fn set_budget(&self, budget: usize) {
        self.0.lock().unwrap().budget = budget;
    }
}

const OUT_OF_HOST_MEMORY: vk::Result = vk::Result::ERROR_OUT_OF_HOST_MEMORY;

/// Checks that creation takes host memory, fails without it, and that destruction gives it back.
fn check<H: Copy + std::fmt::Debug>(
    what: &str,
    create: impl Fn(&vk::AllocationCallbacks<'_>) -> Result<H, vk::Result>,
    destroy: impl Fn(H, &vk::AllocationCallbacks<'_>),
) {
    let allocator = Allocator::default();
    let callbacks = allocator.callbacks();
    assert_eq!(create(&callbacks).err(), Some(OUT_OF_HOST_MEMORY), "{what}");
    assert_eq!(allocator.live(), (0, 0), "{what}");
    allocator.set_budget(1);
    let made = create(&callbacks).unwrap();
    assert_eq!(allocator.live().0, 1, "{what}");
    assert_eq!(
        allocator.0.lock().unwrap().scopes,
        [vk::SystemAllocationScope::OBJECT]
    );
    destroy(made, &callbacks);
    assert_eq!(allocator.live(), (0, 0), "{what} leaks");
}

#[test]
fn objects_take_host_memory_and_give_it_back() {
    let device = Device::new();
    let raw = &device.raw;
    let image = vk::ImageCreateInfo::default()
        .image_type(vk::ImageType::TYPE_2D)
        .format(vk::Format::R8G8B8A8_UNORM)
        .extent(vk::Extent3D {
            width: 4,
            height: 4,
            depth: 1,
        })
        .mip_levels(1)
        .array_layers(1)
        .samples(vk::SampleCountFlags::TYPE_1)
        .usage(vk::ImageUsageFlags::SAMPLED);
    let buffer = vk::BufferCreateInfo::default()
        .size(64)
        .usage(vk::BufferUsageFlags::STORAGE_BUFFER);
    let memory = vk::MemoryAllocateInfo::default().allocation_size(64);
    let query = vk::QueryPoolCreateInfo::default()
        .query_type(vk::QueryType::OCCLUSION)
        .query_count(4);
    macro_rules! check {
        ($create:ident, $destroy:ident, $info:expr) => {{
            let info = $info;
            check(
                stringify!($create),
                // SAFETY: the structure and the callbacks are valid.
                |callbacks| unsafe { raw.$create(&info, Some(callbacks)) },
                // SAFETY: the object is not in use.
                |made, callbacks| unsafe { raw.$destroy(made, Some(callbacks)) },
            );
        }};
    }
    check!(create_buffer, destroy_buffer, buffer);
    check!(create_image, destroy_image, image);
    check!(allocate_memory, free_memory, memory);
    check!(create_sampler, destroy_sampler, vk::SamplerCreateInfo::default());
    check!(create_fence, destroy_fence, vk::FenceCreateInfo::default());
    check!(
        create_semaphore,
        destroy_semaphore,
        vk::SemaphoreCreateInfo::default()
    );
    check!(create_event, destroy_event, vk::EventCreateInfo::default());
    check!(create_query_pool, destroy_query_pool, query);
    check!(
        create_command_pool,
        destroy_command_pool,
        vk::CommandPoolCreateInfo::default()
    );
    check!(
        create_pipeline_cache,
        destroy_pipeline_cache,
        vk::PipelineCacheCreateInfo::default()
    );
    check!(
        create_pipeline_layout,
        destroy_pipeline_layout,
        vk::PipelineLayoutCreateInfo::default()
    );
    check!(
        create_descriptor_set_layout,
        destroy_descriptor_set_layout,
        vk::DescriptorSetLayoutCreateInfo::default()
    );
    check!(
        create_descriptor_pool,
        destroy_descriptor_pool,
        vk::DescriptorPoolCreateInfo::default().max_sets(1)
    );
    check!(
        create_render_pass,
        destroy_render_pass,
        vk::RenderPassCreateInfo::default()
    );
}

#[test]
fn command_buffers_take_host_memory_of_their_pool() {
    let device = Device::new();
    let allocator = Allocator::default();
    let callbacks = allocator.callbacks();
    allocator.set_budget(3);
    // SAFETY: everything passed is valid and destroyed once.
    unsafe {
        let info = vk::CommandPoolCreateInfo::default();
        let pool = device.raw.create_command_pool(&info, Some(&callbacks)).unwrap();
        let info = vk::CommandBufferAllocateInfo::default()
            .command_pool(pool)
            .command_buffer_count(3);
        assert_eq!(
            device.raw.allocate_command_buffers(&info).err(),
            Some(OUT_OF_HOST_MEMORY)
        );
        assert_eq!(allocator.live().0, 1, "the pool's own");
        allocator.set_budget(3);
        device.raw.allocate_command_buffers(&info).unwrap();
        assert_eq!(allocator.live().0, 4);
        device.raw.destroy_command_pool(pool, Some(&callbacks));
    }
    assert_eq!(allocator.live(), (0, 0));
}

#[test]
fn objects_without_an_allocator_use_that_of_the_device() {
    let instance = Instance::new();
    let allocator = Allocator::default();
    let callbacks = allocator.callbacks();
    allocator.set_budget(usize::MAX);
    let priorities = [1.0];
    let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&priorities)];
    let info = vk::DeviceCreateInfo::default().queue_create_infos(&queues);
    // SAFETY: everything passed is valid and destroyed once; what is left behind goes with the device.
    unsafe {
        let device = instance
            .raw
            .create_device(instance.physical, &info, Some(&callbacks))
            .unwrap();
        let scopes = allocator.0.lock().unwrap().scopes.clone();
        assert!(scopes.contains(&vk::SystemAllocationScope::DEVICE));
        let before = allocator.live().0;
        let event = device
            .create_event(&vk::EventCreateInfo::default(), None)
            .unwrap();
        device
            .create_fence(&vk::FenceCreateInfo::default(), None)
            .unwrap();
        assert_eq!(allocator.live().0, before + 2);
        device.destroy_event(event, None);
        assert_eq!(allocator.live().0, before + 1);
        device.destroy_device(Some(&callbacks));
    }
    assert_eq!(allocator.live(), (0, 0));
}
