//! Surfaces.

use crate::{
    args::{Out, OutArray},
    boundary::commands,
    chain,
    dispatch::Ref,
    error::{Answer, Error},
    generated::newer::{SurfaceCapabilitiesPresentId2KHR, SurfaceCapabilitiesPresentWait2KHR},
    instance::{Instance, PhysicalDevice},
    objects, wayland,
    x11::{Connection, window_id},
};
use ash::vk;
use lahar::wsi::{self, Headless, Surface, X11};
use std::{ffi::c_void, sync::Arc};

impl From<wsi::Error> for Error {
    fn from(error: wsi::Error) -> Self {
        Self(error.to_vk())
    }
}

commands! {
    fn vkCreateHeadlessSurfaceEXT(
        instance: Ref<Instance>,
        _info: &vk::HeadlessSurfaceCreateInfoEXT<'_>,
        allocator: Option<&vk::AllocationCallbacks<'_>>,
        surface: Out<vk::SurfaceKHR>,
    ) -> vk::Result {
        surface.write(instance.add(&instance.surfaces, allocator, || Arc::new(Surface::new(Headless)))?);
        Ok(())
    }

    fn vkCreateXcbSurfaceKHR(
        instance: Ref<Instance>,
        info: &vk::XcbSurfaceCreateInfoKHR<'_>,
        allocator: Option<&vk::AllocationCallbacks<'_>>,
        surface: Out<vk::SurfaceKHR>,
    ) -> vk::Result {
        let window = x11(Connection::xcb(info.connection.cast()), info.window);
        surface.write(instance.add(&instance.surfaces, allocator, || window)?);
        Ok(())
    }

    fn vkCreateXlibSurfaceKHR(
        instance: Ref<Instance>,
        info: &vk::XlibSurfaceCreateInfoKHR<'_>,
        allocator: Option<&vk::AllocationCallbacks<'_>>,
        surface: Out<vk::SurfaceKHR>,
    ) -> vk::Result {
        let window = x11(Connection::xlib(info.dpy.cast()), window_id(info.window));
        surface.write(instance.add(&instance.surfaces, allocator, || window)?);
        Ok(())
    }

    fn vkCreateWaylandSurfaceKHR(
        instance: Ref<Instance>,
        info: &vk::WaylandSurfaceCreateInfoKHR<'_>,
        allocator: Option<&vk::AllocationCallbacks<'_>>,
        surface: Out<vk::SurfaceKHR>,
    ) -> vk::Result {
        let window = wayland::window(info.display, info.surface).ok_or(Error(vk::Result::ERROR_UNKNOWN))?;
        let window = Arc::new(Surface::new(window));
        surface.write(instance.add(&instance.surfaces, allocator, || window)?);
        Ok(())
    }

    fn vkGetPhysicalDeviceWaylandPresentationSupportKHR(
        _physical: Ref<PhysicalDevice>,
        _family: u32,
        _display: *mut c_void,
    ) -> vk::Bool32 {
        Ok(vk::TRUE)
    }

    fn vkGetPhysicalDeviceXcbPresentationSupportKHR(
        _physical: Ref<PhysicalDevice>,
        _family: u32,
        _connection: *mut c_void,
        _visual: u32,
    ) -> vk::Bool32 {
        Ok(vk::TRUE)
    }

    fn vkGetPhysicalDeviceXlibPresentationSupportKHR(
        _physical: Ref<PhysicalDevice>,
        _family: u32,
        _display: *mut c_void,
        _visual: u32,
    ) -> vk::Bool32 {
        Ok(vk::TRUE)
    }

    fn vkDestroySurfaceKHR(
        instance: Ref<Instance>,
        surface: vk::SurfaceKHR,
        allocator: Option<&vk::AllocationCallbacks<'_>>,
    ) {
        objects::destroy(&instance.surfaces, surface, allocator);
        Ok(())
    }

    fn vkGetPhysicalDeviceSurfaceSupportKHR(
        physical: Ref<PhysicalDevice>,
        family: u32,
        _surface: vk::SurfaceKHR,
        supported: Out<vk::Bool32>,
    ) -> vk::Result {
        supported.write(vk::Bool32::from((family as usize) < physical.families().len()));
        Ok(())
    }

    fn vkGetPhysicalDeviceSurfaceCapabilitiesKHR(
        physical: Ref<PhysicalDevice>,
        surface: vk::SurfaceKHR,
        capabilities: Out<vk::SurfaceCapabilitiesKHR>,
    ) -> vk::Result {
        let surface = find(&physical, surface)?;
        capabilities.write(wsi::capabilities(&surface)?);
        Ok(())
    }

    fn vkGetPhysicalDeviceSurfaceCapabilities2KHR(
        physical: Ref<PhysicalDevice>,
        info: &vk::PhysicalDeviceSurfaceInfo2KHR<'_>,
        capabilities: &mut vk::SurfaceCapabilities2KHR<'_>,
    ) -> vk::Result {
        let surface = find(&physical, info.surface)?;
        capabilities.surface_capabilities = wsi::capabilities(&surface)?;
        if let Some(protected) = chain::find_mut::<vk::SurfaceProtectedCapabilitiesKHR<'_>, _>(capabilities) {
            protected.supports_protected = vk::FALSE;
        }
        let extents = capabilities.surface_capabilities;
        if let Some(scaling) = chain::find_mut::<vk::SurfacePresentScalingCapabilitiesEXT<'_>, _>(capabilities) {
            // Images are shown as large as they are.
            scaling.supported_present_scaling = vk::PresentScalingFlagsEXT::empty();
            scaling.supported_present_gravity_x = vk::PresentGravityFlagsEXT::empty();
            scaling.supported_present_gravity_y = vk::PresentGravityFlagsEXT::empty();
            scaling.min_scaled_image_extent = extents.min_image_extent;
            scaling.max_scaled_image_extent = extents.max_image_extent;
        }
        if let Some(ids) = chain::find_mut::<SurfaceCapabilitiesPresentId2KHR, _>(capabilities) {
            ids.present_id2_supported = vk::TRUE;
        }
        if let Some(waits) = chain::find_mut::<SurfaceCapabilitiesPresentWait2KHR, _>(capabilities) {
            waits.present_wait2_supported = vk::TRUE;
        }
        if let Some(modes) = chain::find_mut::<vk::SurfacePresentModeCompatibilityEXT<'_>, _>(capabilities) {
            // SAFETY: the array is as long as the count says, or absent.
            let all = unsafe { OutArray::new(modes.p_present_modes) };
            // One can follow any other. That an array is too short is no failure of this command.
            let _ = all.enumerate(&mut modes.present_mode_count, wsi::present_modes().into_iter());
        }
        Ok(())
    }

    fn vkGetPhysicalDeviceSurfaceFormatsKHR(
        physical: Ref<PhysicalDevice>,
        surface: vk::SurfaceKHR,
        count: &mut u32,
        formats: OutArray<vk::SurfaceFormatKHR>,
    ) -> vk::Result {
        let surface = find(&physical, surface)?;
        Ok(formats.enumerate(count, wsi::formats(&surface)))
    }

    fn vkGetPhysicalDeviceSurfaceFormats2KHR(
        physical: Ref<PhysicalDevice>,
        info: &vk::PhysicalDeviceSurfaceInfo2KHR<'_>,
        count: &mut u32,
        formats: OutArray<vk::SurfaceFormat2KHR<'_>>,
    ) -> vk::Result {
        let surface = find(&physical, info.surface)?;
        Ok(formats.enumerate_in_place(count, wsi::formats(&surface), |slot, format| {
            slot.surface_format = format;
        }))
    }

    fn vkGetPhysicalDeviceSurfacePresentModesKHR(
        physical: Ref<PhysicalDevice>,
        surface: vk::SurfaceKHR,
        count: &mut u32,
        modes: OutArray<vk::PresentModeKHR>,
    ) -> vk::Result {
        find(&physical, surface)?;
        Ok(modes.enumerate(count, wsi::present_modes().into_iter()))
    }

    fn vkGetPhysicalDevicePresentRectanglesKHR(
        physical: Ref<PhysicalDevice>,
        surface: vk::SurfaceKHR,
        count: &mut u32,
        rectangles: OutArray<vk::Rect2D>,
    ) -> vk::Result {
        let surface = find(&physical, surface)?;
        let extent = wsi::capabilities(&surface)?.current_extent;
        let whole = vk::Rect2D { offset: vk::Offset2D::default(), extent };
        Ok(rectangles.enumerate(count, [whole].into_iter()))
    }
}

fn find(physical: &PhysicalDevice, surface: vk::SurfaceKHR) -> Answer<Arc<Surface>> {
    physical
        .instance
        .surfaces
        .find(surface)
        .ok_or(Error(vk::Result::ERROR_SURFACE_LOST_KHR))
}

fn x11(connection: Connection, window: u32) -> Arc<Surface> {
    Arc::new(Surface::new(X11::new(
        connection.display(),
        window,
        connection.flusher(),
    )))
}
