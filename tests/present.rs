//! What applications can say of presentations: identifiers to wait for, fences, modes, images given back.

mod common;

use ash::{ext, khr, vk};
use common::{
    Device, Instance, entry,
    swapchain::{Chain, PresentWait2, WaitForPresent2},
};

fn device() -> Device {
    let instance = Instance::with_extensions(&[
        khr::surface::NAME,
        khr::get_surface_capabilities2::NAME,
        ext::headless_surface::NAME,
        ext::surface_maintenance1::NAME,
    ]);
    let names = [
        khr::swapchain::NAME,
        khr::image_format_list::NAME,
        khr::swapchain_mutable_format::NAME,
        khr::incremental_present::NAME,
        khr::present_id::NAME,
        khr::present_wait::NAME,
        c"VK_KHR_present_id2",
        c"VK_KHR_present_wait2",
        ext::swapchain_maintenance1::NAME,
    ]
    .map(std::ffi::CStr::as_ptr);
    let mut ids = vk::PhysicalDevicePresentIdFeaturesKHR::default().present_id(true);
    let mut waits = vk::PhysicalDevicePresentWaitFeaturesKHR::default().present_wait(true);
    let mut maintenance =
        vk::PhysicalDeviceSwapchainMaintenance1FeaturesEXT::default().swapchain_maintenance1(true);
    let info = vk::DeviceCreateInfo::default()
        .enabled_extension_names(&names)
        .push_next(&mut ids)
        .push_next(&mut waits)
        .push_next(&mut maintenance);
    Device::create(instance, info)
}

fn surface(device: &Device) -> vk::SurfaceKHR {
    let headless = ext::headless_surface::Instance::new(entry(), &device.instance.raw);
    // SAFETY: plain structures.
    unsafe { headless.create_headless_surface(&vk::HeadlessSurfaceCreateInfoEXT::default(), None) }
        .expect("a surface")
}

fn acquire(chain: &Chain<'_>) -> Result<(u32, bool), vk::Result> {
    // SAFETY: the fence is unsignaled, and waited for before it goes.
    unsafe {
        let device = &chain.device.raw;
        let fence = device.create_fence(&vk::FenceCreateInfo::default(), None)?;
        let acquired = chain
            .swapchains
            .acquire_next_image(chain.raw, 0, vk::Semaphore::null(), fence);
        if acquired.is_ok() {
            device.wait_for_fences(&[fence], true, u64::MAX)?;
        }
        device.destroy_fence(fence, None);
        acquired
    }
}

#[test]
fn presentations_are_waited_for_by_identifier() {
    let device = device();
    let chain = Chain::new(&device, surface(&device), [16, 16]);
    let waits = khr::present_wait::Device::new(&device.instance.raw, &device.raw);
    // SAFETY: the swapchain is alive.
    let wait = |id, timeout| unsafe { waits.wait_for_present(chain.raw, id, timeout) };
    assert_eq!(wait(0, 0), Ok(()), "nothing has to be shown for 0");
    assert_eq!(wait(7, 0), Err(vk::Result::TIMEOUT));
    for id in [7, 9] {
        let (index, _) = acquire(&chain).expect("an image");
        let (chains, indices, ids) = ([chain.raw], [index], [id]);
        let mut ids = vk::PresentIdKHR::default().present_ids(&ids);
        let info = vk::PresentInfoKHR::default()
            .swapchains(&chains)
            .image_indices(&indices)
            .push_next(&mut ids);
        // SAFETY: the image was acquired.
        let presented = unsafe { chain.swapchains.queue_present(device.queue, &info) };
        assert_eq!(presented, Ok(false));
        assert_eq!(wait(id, u64::MAX), Ok(()));
    }
    assert_eq!((wait(8, 0), wait(10, 1000)), (Ok(()), Err(vk::Result::TIMEOUT)));
}

/// `VkPresentId2KHR`.
#[repr(C)]
struct PresentId2 {
    s_type: vk::StructureType,
    p_next: *const std::ffi::c_void,
    swapchain_count: u32,
    ids: *const u64,
}

#[test]
fn the_second_form_of_identifiers_is_the_same() {
    let device = device();
    let chain = Chain::new(&device, surface(&device), [16, 16]);
    // SAFETY: the command has this type.
    let wait = unsafe {
        let name = c"vkWaitForPresent2KHR".as_ptr();
        let found = device
            .instance
            .raw
            .get_device_proc_addr(device.raw.handle(), name);
        std::mem::transmute::<unsafe extern "system" fn(), WaitForPresent2>(
            found.expect("the extension is enabled"),
        )
    };
    let wait = |id, timeout| {
        let info = PresentWait2::new(id, timeout);
        // SAFETY: the swapchain is alive.
        unsafe { wait(device.raw.handle(), chain.raw, &info) }
    };
    assert_eq!(wait(3, 0), vk::Result::TIMEOUT);
    let (index, _) = acquire(&chain).expect("an image");
    let (chains, indices, ids) = ([chain.raw], [index], [3]);
    let ids = PresentId2 {
        s_type: vk::StructureType::from_raw(1_000_479_001),
        p_next: std::ptr::null(),
        swapchain_count: 1,
        ids: ids.as_ptr(),
    };
    let mut info = vk::PresentInfoKHR::default()
        .swapchains(&chains)
        .image_indices(&indices);
    info.p_next = (&raw const ids).cast();
    // SAFETY: the image was acquired.
    let presented = unsafe { chain.swapchains.queue_present(device.queue, &info) };
    assert_eq!((presented, wait(3, u64::MAX)), (Ok(false), vk::Result::SUCCESS));
}

#[test]
fn fences_tell_when_an_image_was_shown_and_modes_change() {
    let device = device();
    let chain = Chain::new(&device, surface(&device), [16, 16]);
    // SAFETY: the fence is waited for before it goes.
    unsafe {
        let fence = device
            .raw
            .create_fence(&vk::FenceCreateInfo::default(), None)
            .expect("a fence");
        for mode in [vk::PresentModeKHR::FIFO, vk::PresentModeKHR::MAILBOX] {
            let (index, _) = acquire(&chain).expect("an image");
            let (chains, indices, fences, modes) = ([chain.raw], [index], [fence], [mode]);
            let mut fences = vk::SwapchainPresentFenceInfoEXT::default().fences(&fences);
            let mut modes = vk::SwapchainPresentModeInfoEXT::default().present_modes(&modes);
            let info = vk::PresentInfoKHR::default()
                .swapchains(&chains)
                .image_indices(&indices)
                .push_next(&mut fences)
                .push_next(&mut modes);
            assert_eq!(chain.swapchains.queue_present(device.queue, &info), Ok(false));
            assert_eq!(device.raw.wait_for_fences(&[fence], true, u64::MAX), Ok(()));
            device.raw.reset_fences(&[fence]).expect("reset");
        }
        device.raw.destroy_fence(fence, None);
    }
}

#[test]
fn images_are_given_back_without_being_shown() {
    let device = device();
    let chain = Chain::new(&device, surface(&device), [16, 16]);
    let maintenance = ext::swapchain_maintenance1::Device::new(&device.instance.raw, &device.raw);
    assert_eq!(
        (acquire(&chain), acquire(&chain)),
        (Ok((0, false)), Ok((1, false)))
    );
    assert_eq!(acquire(&chain), Err(vk::Result::NOT_READY));
    let info = vk::ReleaseSwapchainImagesInfoEXT::default()
        .swapchain(chain.raw)
        .image_indices(&[1]);
    // SAFETY: the image was acquired, and is not in use.
    unsafe { maintenance.release_swapchain_images(&info) }.expect("given back");
    assert_eq!(acquire(&chain), Ok((1, false)));
}

#[test]
fn surfaces_tell_which_modes_go_together() {
    let device = device();
    let surface = surface(&device);
    let capabilities = khr::get_surface_capabilities2::Instance::new(entry(), &device.instance.raw);
    let mut mode = vk::SurfacePresentModeEXT::default().present_mode(vk::PresentModeKHR::FIFO);
    let info = vk::PhysicalDeviceSurfaceInfo2KHR::default()
        .surface(surface)
        .push_next(&mut mode);
    let mut modes = [vk::PresentModeKHR::default(); 8];
    let mut together = vk::SurfacePresentModeCompatibilityEXT::default().present_modes(&mut modes);
    let mut scaling = vk::SurfacePresentScalingCapabilitiesEXT::default();
    let mut out = vk::SurfaceCapabilities2KHR::default()
        .push_next(&mut together)
        .push_next(&mut scaling);
    // SAFETY: the surface is alive.
    unsafe {
        capabilities
            .get_physical_device_surface_capabilities2(device.instance.physical, &info, &mut out)
            .expect("capabilities");
    }
    let extents = out.surface_capabilities;
    let count = together.present_mode_count as usize;
    assert!(scaling.supported_present_scaling.is_empty());
    assert_eq!(scaling.max_scaled_image_extent, extents.max_image_extent);
    assert!(modes[..count].contains(&vk::PresentModeKHR::FIFO) && count == 3);
    let surfaces = khr::surface::Instance::new(entry(), &device.instance.raw);
    // SAFETY: nothing uses it.
    unsafe { surfaces.destroy_surface(surface, None) };
}

#[test]
fn images_of_swapchains_can_be_viewed_in_another_format() {
    let device = device();
    let chain = Chain::new(&device, surface(&device), [16, 16]);
    let formats = [vk::Format::B8G8R8A8_UNORM, vk::Format::B8G8R8A8_SRGB];
    let mut list = vk::ImageFormatListCreateInfo::default().view_formats(&formats);
    let info = vk::SwapchainCreateInfoKHR::default()
        .flags(vk::SwapchainCreateFlagsKHR::MUTABLE_FORMAT)
        .surface(chain.surface)
        .min_image_count(2)
        .image_format(formats[0])
        .image_extent(vk::Extent2D {
            width: 16,
            height: 16,
        })
        .image_array_layers(1)
        .image_usage(vk::ImageUsageFlags::COLOR_ATTACHMENT)
        .pre_transform(vk::SurfaceTransformFlagsKHR::IDENTITY)
        .composite_alpha(vk::CompositeAlphaFlagsKHR::OPAQUE)
        .old_swapchain(chain.raw)
        .push_next(&mut list);
    // SAFETY: all is alive, and goes when nothing uses it.
    unsafe {
        let raw = chain
            .swapchains
            .create_swapchain(&info, None)
            .expect("a swapchain");
        let images = chain.swapchains.get_swapchain_images(raw).expect("images");
        let range = vk::ImageSubresourceRange::default()
            .aspect_mask(vk::ImageAspectFlags::COLOR)
            .level_count(1)
            .layer_count(1);
        let view = vk::ImageViewCreateInfo::default()
            .image(images[0])
            .view_type(vk::ImageViewType::TYPE_2D)
            .format(formats[1])
            .subresource_range(range);
        let view = device.raw.create_image_view(&view, None).expect("a view");
        device.raw.destroy_image_view(view, None);
        chain.swapchains.destroy_swapchain(raw, None);
    }
}
