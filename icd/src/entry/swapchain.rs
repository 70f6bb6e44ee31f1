//! Swapchains and presentation.

use super::{image::note_bound, sync::not_lost};
use crate::{
    args::{Out, OutArray, slice},
    boundary::commands,
    chain,
    device::{Device, DeviceState, Queue},
    dispatch::Ref,
    error::{Answer, Error},
    generated::newer::{PresentId2KHR, PresentWait2InfoKHR},
    hook, objects,
};
use ash::vk::{self, Handle};
use lahar::{
    device::{Submission, planned::CallFault},
    fault::plan::SwapchainState,
    memory::{Footprint, bytes_in, bytes_of},
    sync::Deadline,
    wsi::{self, Presentation, Ready, Swapchain, SwapchainDesc},
};
use std::sync::Arc;

/// A swapchain, and the handles of its images.
pub(crate) struct SwapchainObject {
    engine: Arc<Swapchain>,
    images: Vec<vk::Image>,
}

impl Footprint for SwapchainObject {
    fn footprint(&self) -> u64 {
        bytes_of(self) + bytes_in(&self.images) + self.engine.footprint()
    }
}

impl SwapchainObject {
    /// The handles of its images.
    pub(crate) fn handles(&self) -> impl Iterator<Item = u64> {
        self.images.iter().map(|image| image.as_raw())
    }

    /// The handle of an image.
    pub(super) fn image(&self, index: u32) -> Option<vk::Image> {
        self.images.get(index as usize).copied()
    }
}

commands! {
    fn vkCreateSwapchainKHR(
        device: Ref<Device>,
        info: &vk::SwapchainCreateInfoKHR<'_>,
        allocator: Option<&vk::AllocationCallbacks<'_>>,
        swapchain: Out<vk::SwapchainKHR>,
    ) -> vk::Result {
        not_lost(&device)?;
        let scope = vk::SystemAllocationScope::OBJECT;
        let host = device.host_block::<SwapchainObject>(allocator, scope)?;
        let old = device.tables.swapchains.get_optional(info.old_swapchain)?;
        let surface = device.instance.surfaces.find(info.surface);
        let surface = surface.ok_or(Error(vk::Result::ERROR_SURFACE_LOST_KHR))?;
        let old = old.as_ref().map(|old| &old.engine);
        let engine = Swapchain::new(&surface, &device.memory, desc(info), old)?;
        let mut object = SwapchainObject { engine, images: vec![] };
        let added = add_images(&device, &mut object);
        let object = Arc::new(object);
        let added = added.and_then(|()| device.add(&device.tables.swapchains, host, object.clone()));
        swapchain.write(added.inspect_err(|_| remove_images(&device, &object))?);
        Ok(())
    }

    fn vkDestroySwapchainKHR(
        device: Ref<Device>,
        swapchain: vk::SwapchainKHR,
        allocator: Option<&vk::AllocationCallbacks<'_>>,
    ) {
        if let Some(object) = objects::destroy(&device.tables.swapchains, swapchain, allocator) {
            remove_images(&device, &object);
        }
        Ok(())
    }

    fn vkGetSwapchainImagesKHR(
        device: Ref<Device>,
        swapchain: vk::SwapchainKHR,
        count: &mut u32,
        images: OutArray<vk::Image>,
    ) -> vk::Result {
        let object = device.tables.swapchains.get(swapchain)?;
        Ok(images.enumerate(count, object.images.iter().copied()))
    }

    fn vkAcquireNextImageKHR(
        device: Ref<Device>,
        swapchain: vk::SwapchainKHR,
        timeout: u64,
        semaphore: vk::Semaphore,
        fence: vk::Fence,
        index: Out<u32>,
    ) -> vk::Result {
        acquire(&device, swapchain, timeout, (semaphore, fence), index)
    }

    fn vkAcquireNextImage2KHR(
        device: Ref<Device>,
        info: &vk::AcquireNextImageInfoKHR<'_>,
        index: Out<u32>,
    ) -> vk::Result {
        acquire(&device, info.swapchain, info.timeout, (info.semaphore, info.fence), index)
    }

    fn vkQueuePresentKHR(queue: Ref<Queue>, info: &vk::PresentInfoKHR<'_>) -> vk::Result {
        // SAFETY: the results may be absent, else they are as many as swapchains.
        let results = unsafe { OutArray::new(info.p_results) };
        let outcome = present(&queue, info)?;
        for (index, result) in outcome.iter().enumerate() {
            results.write(index, *result);
        }
        Ok(worst(&outcome))
    }

    fn vkReleaseSwapchainImagesEXT(
        device: Ref<Device>,
        info: &vk::ReleaseSwapchainImagesInfoEXT<'_>,
    ) -> vk::Result {
        let object = device.tables.swapchains.get(info.swapchain)?;
        // SAFETY: the array is as long as the structure says.
        let indices = unsafe { slice(info.p_image_indices, info.image_index_count) };
        object.engine.release(&device.engine, indices);
        Ok(vk::Result::SUCCESS)
    }

    fn vkWaitForPresentKHR(
        device: Ref<Device>,
        swapchain: vk::SwapchainKHR,
        id: u64,
        timeout: u64,
    ) -> vk::Result {
        let object = device.tables.swapchains.get(swapchain)?;
        let shown = object.engine.wait_shown(&device.engine, id, Deadline::after(timeout));
        Ok(shown.err().map_or(vk::Result::SUCCESS, wsi::Error::to_vk))
    }

    fn vkWaitForPresent2KHR(
        device: Ref<Device>,
        swapchain: vk::SwapchainKHR,
        info: &PresentWait2InfoKHR,
    ) -> vk::Result {
        let object = device.tables.swapchains.get(swapchain)?;
        let deadline = Deadline::after(info.timeout);
        let shown = object.engine.wait_shown(&device.engine, info.present_id, deadline);
        Ok(shown.err().map_or(vk::Result::SUCCESS, wsi::Error::to_vk))
    }

    fn vkGetDeviceGroupPresentCapabilitiesKHR(
        _device: Ref<Device>,
        capabilities: &mut vk::DeviceGroupPresentCapabilitiesKHR<'_>,
    ) -> vk::Result {
        capabilities.present_mask = [0; vk::MAX_DEVICE_GROUP_SIZE];
        capabilities.present_mask[0] = 1;
        capabilities.modes = vk::DeviceGroupPresentModeFlagsKHR::LOCAL;
        Ok(())
    }

    fn vkGetDeviceGroupSurfacePresentModesKHR(
        _device: Ref<Device>,
        _surface: vk::SurfaceKHR,
        modes: Out<vk::DeviceGroupPresentModeFlagsKHR>,
    ) -> vk::Result {
        modes.write(vk::DeviceGroupPresentModeFlagsKHR::LOCAL);
        Ok(())
    }
}

/// Aliases of extensions.
pub(crate) const ALIASES: &[(&str, &str)] = &[("vkReleaseSwapchainImagesKHR", "vkReleaseSwapchainImagesEXT")];

/// Gives handles to the images of a new swapchain.
fn add_images(device: &DeviceState, object: &mut SwapchainObject) -> Answer {
    for (index, image) in object.engine.images().into_iter().enumerate() {
        let handle = device.add(&device.tables.images, None, image.clone())?;
        object.images.push(handle);
        object.engine.announce(index, handle.as_raw());
        note_bound(device, handle.as_raw(), &image, true);
    }
    Ok(())
}

fn remove_images(device: &DeviceState, object: &SwapchainObject) {
    object.engine.retire();
    for image in &object.images {
        device.tables.images.remove(*image);
        device.bury(vk::ObjectType::IMAGE, image.as_raw());
    }
}

fn desc(info: &vk::SwapchainCreateInfoKHR<'_>) -> SwapchainDesc {
    SwapchainDesc {
        count: info.min_image_count,
        format: info.image_format,
        extent: [info.image_extent.width, info.image_extent.height],
        usage: info.image_usage,
        flags: if info.flags.contains(vk::SwapchainCreateFlagsKHR::MUTABLE_FORMAT) {
            vk::ImageCreateFlags::MUTABLE_FORMAT
        } else {
            vk::ImageCreateFlags::empty()
        },
        mode: info.present_mode,
    }
}

fn acquire(
    device: &DeviceState,
    swapchain: vk::SwapchainKHR,
    timeout: u64,
    (semaphore, fence): (vk::Semaphore, vk::Fence),
    index: Out<'_, u32>,
) -> Answer<vk::Result> {
    let object = device.tables.swapchains.get(swapchain)?;
    let (mut choice, mut code) = (0, vk::Result::SUCCESS);
    match hook::take() {
        Some(CallFault::Fail(planned)) if planned != vk::Result::SUBOPTIMAL_KHR.as_raw() => {
            return Err(Error(vk::Result::from_raw(planned)));
        }
        Some(CallFault::Fail(_)) => code = vk::Result::SUBOPTIMAL_KHR,
        Some(CallFault::Reorder(number)) => choice = number,
        Some(CallFault::Swapchain(state)) => {
            code = once(state);
            object.engine.change(state);
        }
        _ => {}
    }
    let ready = Ready {
        semaphore: device.tables.semaphores.get_optional(semaphore)?,
        fence: device.tables.fences.get_optional(fence)?,
    };
    match object
        .engine
        .acquire(&device.engine, Deadline::after(timeout), ready, choice)
    {
        Ok(image) => {
            index.write(image);
            Ok(if object.engine.is_suboptimal() {
                vk::Result::SUBOPTIMAL_KHR
            } else {
                code
            })
        }
        Err(error) => Ok(error.to_vk()),
    }
}

/// What is said of each presentation, beyond the image.
#[derive(Clone, Copy)]
struct Extras<'a> {
    ids: &'a [u64],
    modes: &'a [vk::PresentModeKHR],
    fences: &'a [vk::Fence],
}

impl<'a> Extras<'a> {
    fn new(info: &'a vk::PresentInfoKHR<'_>) -> Self {
        let ids = chain::find::<vk::PresentIdKHR<'_>, _>(info);
        let ids2 = chain::find::<PresentId2KHR, _>(info);
        let modes = chain::find::<vk::SwapchainPresentModeInfoEXT<'_>, _>(info);
        let fences = chain::find::<vk::SwapchainPresentFenceInfoEXT<'_>, _>(info);
        // SAFETY: the arrays have the lengths that the structures say.
        unsafe {
            Self {
                ids: match (ids, ids2) {
                    (Some(ids), _) => slice(ids.p_present_ids, ids.swapchain_count),
                    (None, Some(ids)) => slice(ids.p_present_ids, ids.swapchain_count),
                    (None, None) => &[],
                },
                modes: modes.map_or(&[], |modes| slice(modes.p_present_modes, modes.swapchain_count)),
                fences: fences.map_or(&[], |fences| slice(fences.p_fences, fences.swapchain_count)),
            }
        }
    }

    fn of(self, device: &DeviceState, index: usize) -> Answer<Presentation> {
        let fence = self.fences.get(index).copied().unwrap_or_default();
        Ok(Presentation {
            mode: self.modes.get(index).copied(),
            id: self.ids.get(index).copied().unwrap_or(0),
            fence: device.tables.fences.get_optional(fence)?,
        })
    }
}

/// Presents to each swapchain; the results, one a swapchain. The semaphores are waited for even where it fails.
fn present(queue: &Queue, info: &vk::PresentInfoKHR<'_>) -> Answer<Vec<vk::Result>> {
    // SAFETY: the arrays have the lengths that the structure says.
    let (waits, swapchains, indices) = unsafe {
        (
            slice(info.p_wait_semaphores, info.wait_semaphore_count),
            slice(info.p_swapchains, info.swapchain_count),
            slice(info.p_image_indices, info.swapchain_count),
        )
    };
    let extras = Extras::new(info);
    let device = &queue.device;
    not_lost(device)?;
    let planned = hook::take();
    let code = match planned {
        Some(CallFault::Fail(code)) if [-1, -2].contains(&code) => {
            return Err(Error(vk::Result::from_raw(code)));
        }
        Some(CallFault::Fail(code)) => vk::Result::from_raw(code),
        Some(CallFault::Swapchain(state)) => once(state),
        _ => vk::Result::SUCCESS,
    };
    let tables = &device.tables;
    let points = waits
        .iter()
        .map(|semaphore| Ok(device.semaphore_to_wait(*semaphore)?.wait_point(0)));
    let waits = points.collect::<Answer<_>>()?;
    let mut work = Vec::new();
    let mut results = Vec::new();
    for (place, (swapchain, index)) in swapchains.iter().zip(indices).enumerate() {
        let Some(object) = tables.swapchains.find(*swapchain) else {
            results.push(Error::STALE.0);
            continue;
        };
        if let Some(CallFault::Swapchain(state)) = planned {
            object.engine.change(state);
        }
        let status = object.engine.status().map_err(wsi::Error::to_vk);
        // An image that cannot be shown is given back all the same.
        work.push(object.engine.present(*index, extras.of(device, place)?));
        let fine = if object.engine.is_suboptimal() {
            vk::Result::SUBOPTIMAL_KHR
        } else {
            code
        };
        results.push(status.err().unwrap_or(fine));
    }
    let batch = Submission {
        waits,
        work,
        ..Submission::default()
    };
    super::sync::outcome(queue.engine().submit(&device.engine, vec![batch])).map(|_| results)
}

/// What a call returns that meets a state for itself alone.
fn once(state: SwapchainState) -> vk::Result {
    match state {
        SwapchainState::Suboptimal { .. } => vk::Result::SUBOPTIMAL_KHR,
        _ => vk::Result::SUCCESS,
    }
}

/// What a call returns that had several results: the first error, else the first that is no plain success.
fn worst(results: &[vk::Result]) -> vk::Result {
    let error = results.iter().find(|result| result.as_raw() < 0);
    let unusual = results.iter().find(|result| **result != vk::Result::SUCCESS);
    error.or(unusual).copied().unwrap_or(vk::Result::SUCCESS)
}
