//! Swapchains, and frames that are of one colour.

use super::{Device, Instance, entry};
use ash::{khr, vk};
use std::ffi::CStr;

pub const ORANGE: [f32; 4] = [1.0, 128.0 / 255.0, 0.0, 1.0];

/// A device that presents to surfaces of an extension.
pub fn device(surface_extension: &CStr) -> Device {
    let names = [
        c"VK_KHR_surface",
        c"VK_KHR_get_surface_capabilities2",
        surface_extension,
    ];
    let instance = Instance::with_extensions(&names);
    let names = [khr::swapchain::NAME.as_ptr()];
    Device::create(
        instance,
        vk::DeviceCreateInfo::default().enabled_extension_names(&names),
    )
}

/// A swapchain with what presenting takes.
pub struct Chain<'a> {
    pub device: &'a Device,
    pub swapchains: khr::swapchain::Device,
    pub surfaces: khr::surface::Instance,
    pub surface: vk::SurfaceKHR,
    pub raw: vk::SwapchainKHR,
    pub images: Vec<vk::Image>,
    pool: vk::CommandPool,
    semaphores: [vk::Semaphore; 2],
}

impl<'a> Chain<'a> {
    pub fn new(device: &'a Device, surface: vk::SurfaceKHR, extent: [u32; 2]) -> Self {
        let swapchains = khr::swapchain::Device::new(&device.instance.raw, &device.raw);
        let surfaces = khr::surface::Instance::new(entry(), &device.instance.raw);
        let mut chain = Self {
            device,
            swapchains,
            surfaces,
            surface,
            raw: vk::SwapchainKHR::null(),
            images: Vec::new(),
            pool: vk::CommandPool::null(),
            semaphores: [vk::Semaphore::null(); 2],
        };
        // SAFETY: plain structures.
        unsafe {
            let pool = device
                .raw
                .create_command_pool(&vk::CommandPoolCreateInfo::default(), None);
            chain.pool = pool.expect("a pool");
            for semaphore in &mut chain.semaphores {
                let made = device
                    .raw
                    .create_semaphore(&vk::SemaphoreCreateInfo::default(), None);
                *semaphore = made.expect("a semaphore");
            }
        }
        chain.create(extent);
        chain
    }

    /// Makes the swapchain anew.
    pub fn create(&mut self, [width, height]: [u32; 2]) {
        let old = self.raw;
        let info = vk::SwapchainCreateInfoKHR::default()
            .surface(self.surface)
            .min_image_count(2)
            .image_format(vk::Format::B8G8R8A8_UNORM)
            .image_color_space(vk::ColorSpaceKHR::SRGB_NONLINEAR)
            .image_extent(vk::Extent2D { width, height })
            .image_array_layers(1)
            .image_usage(vk::ImageUsageFlags::TRANSFER_DST)
            .pre_transform(vk::SurfaceTransformFlagsKHR::IDENTITY)
            .composite_alpha(vk::CompositeAlphaFlagsKHR::OPAQUE)
            .present_mode(vk::PresentModeKHR::IMMEDIATE)
            .old_swapchain(old);
        // SAFETY: the surface is alive, and the old swapchain not in use.
        unsafe {
            self.raw = self
                .swapchains
                .create_swapchain(&info, None)
                .expect("a swapchain");
            self.swapchains.destroy_swapchain(old, None);
            self.images = self.swapchains.get_swapchain_images(self.raw).expect("images");
        }
    }

    pub fn acquire(&self) -> Result<u32, vk::Result> {
        // SAFETY: the semaphore is unsignaled.
        let result = unsafe {
            self.swapchains
                .acquire_next_image(self.raw, u64::MAX, self.semaphores[0], vk::Fence::null())
        };
        result.map(|(index, _)| index)
    }

    /// Fills the image with a colour and presents it.
    pub fn present(&self, index: u32, color: [f32; 4]) -> Result<bool, vk::Result> {
        let device = &self.device.raw;
        let image = self.images[index as usize];
        let range = vk::ImageSubresourceRange::default()
            .aspect_mask(vk::ImageAspectFlags::COLOR)
            .level_count(1)
            .layer_count(1);
        let [acquired, drawn] = self.semaphores.map(|semaphore| [semaphore]);
        let stages = [vk::PipelineStageFlags::TRANSFER];
        // SAFETY: everything is alive; the queue is idle at the end.
        unsafe {
            let info = vk::CommandBufferAllocateInfo::default()
                .command_pool(self.pool)
                .command_buffer_count(1);
            let buffers = device.allocate_command_buffers(&info).expect("a command buffer");
            device
                .begin_command_buffer(buffers[0], &vk::CommandBufferBeginInfo::default())
                .expect("begun");
            let color = vk::ClearColorValue { float32: color };
            device.cmd_clear_color_image(buffers[0], image, vk::ImageLayout::GENERAL, &color, &[range]);
            device.end_command_buffer(buffers[0]).expect("ended");
            let submit = vk::SubmitInfo::default()
                .wait_semaphores(&acquired)
                .wait_dst_stage_mask(&stages)
                .command_buffers(&buffers)
                .signal_semaphores(&drawn);
            device
                .queue_submit(self.device.queue, &[submit], vk::Fence::null())
                .expect("submitted");
            let (chains, indices) = ([self.raw], [index]);
            let info = vk::PresentInfoKHR::default()
                .wait_semaphores(&drawn)
                .swapchains(&chains)
                .image_indices(&indices);
            let result = self.swapchains.queue_present(self.device.queue, &info);
            device.queue_wait_idle(self.device.queue).expect("idle");
            device.free_command_buffers(self.pool, &buffers);
            result
        }
    }
}

impl Drop for Chain<'_> {
    fn drop(&mut self) {
        let device = &self.device.raw;
        // SAFETY: nothing is in use, as `present` waits.
        unsafe {
            for semaphore in self.semaphores {
                device.destroy_semaphore(semaphore, None);
            }
            device.destroy_command_pool(self.pool, None);
            self.swapchains.destroy_swapchain(self.raw, None);
            self.surfaces.destroy_surface(self.surface, None);
        }
    }
}

/// `VkPresentWait2InfoKHR`.
#[repr(C)]
pub struct PresentWait2 {
    s_type: vk::StructureType,
    p_next: *const std::ffi::c_void,
    id: u64,
    timeout: u64,
}

impl PresentWait2 {
    pub fn new(id: u64, timeout: u64) -> Self {
        Self {
            s_type: vk::StructureType::from_raw(1_000_480_002),
            p_next: std::ptr::null(),
            id,
            timeout,
        }
    }
}

/// The type of `vkWaitForPresent2KHR`.
pub type WaitForPresent2 =
    unsafe extern "system" fn(vk::Device, vk::SwapchainKHR, *const PresentWait2) -> vk::Result;
