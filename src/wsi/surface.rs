//! Surfaces: what they offer, and which swapchain they belong to.

use super::{Error, Swapchain, Target};
use crate::{physical::limits::MAX_IMAGE_DIMENSION, vk};
use parking_lot::Mutex;
use std::sync::{Arc, Weak};
use vk::ImageUsageFlags as U;

/// Images that a swapchain has at least and at most.
const IMAGE_COUNTS: [u32; 2] = [2, 8];

/// What swapchain images may be used for.
const USAGE: U = U::from_raw(
    U::TRANSFER_SRC.as_raw()
        | U::TRANSFER_DST.as_raw()
        | U::SAMPLED.as_raw()
        | U::STORAGE.as_raw()
        | U::COLOR_ATTACHMENT.as_raw()
        | U::INPUT_ATTACHMENT.as_raw(),
);

/// A surface.
pub struct Surface {
    target: Box<dyn Target>,
    /// The swapchain that the window belongs to.
    owner: Mutex<Weak<Swapchain>>,
    /// What a plan has made of its extent.
    planned: Mutex<Option<Result<[u32; 2], Error>>>,
}

impl std::fmt::Debug for Surface {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Surface").finish_non_exhaustive()
    }
}

impl Surface {
    /// A surface on a target.
    pub fn new(target: impl Target + 'static) -> Self {
        Self {
            target: Box::new(target),
            owner: Mutex::default(),
            planned: Mutex::default(),
        }
    }

    /// Where its images go.
    pub fn target(&self) -> &dyn Target {
        &*self.target
    }

    /// Width and height, if the window has any; what was planned comes first.
    ///
    /// # Errors
    /// [`Error::SurfaceLost`].
    pub fn extent(&self) -> Result<Option<[u32; 2]>, Error> {
        match *self.planned.lock() {
            Some(planned) => planned.map(Some),
            None => self.target.extent(),
        }
    }

    /// Another extent, or a loss, by plan.
    pub fn change(&self, to: Result<[u32; 2], Error>) {
        let mut planned = self.planned.lock();
        // A lost surface stays lost.
        if !matches!(*planned, Some(Err(_))) {
            *planned = Some(to);
        }
    }

    /// Retires the swapchain `old`, which the application replaces, and makes sure that no other owns the window.
    ///
    /// # Errors
    /// [`Error::WindowInUse`].
    pub(super) fn vacate(&self, old: Option<&Arc<Swapchain>>) -> Result<(), Error> {
        if let Some(old) = old {
            old.retire();
        }
        match self.owner.lock().upgrade() {
            Some(owner) if !owner.is_retired() => Err(Error::WindowInUse),
            _ => Ok(()),
        }
    }

    /// Gives the window to a swapchain.
    pub(super) fn occupy(&self, swapchain: &Arc<Swapchain>) {
        *self.owner.lock() = Arc::downgrade(swapchain);
    }
}

/// What swapchains on the surface can be.
///
/// # Errors
/// [`Error::SurfaceLost`].
pub fn capabilities(surface: &Surface) -> Result<vk::SurfaceCapabilitiesKHR, Error> {
    let extent = |[width, height]: [u32; 2]| vk::Extent2D { width, height };
    let window = surface.extent()?;
    let max = [MAX_IMAGE_DIMENSION; 2];
    Ok(vk::SurfaceCapabilitiesKHR {
        min_image_count: IMAGE_COUNTS[0],
        max_image_count: IMAGE_COUNTS[1],
        current_extent: extent(window.unwrap_or([u32::MAX; 2])),
        min_image_extent: extent(window.unwrap_or([1; 2])),
        max_image_extent: extent(window.unwrap_or(max)),
        max_image_array_layers: 1,
        supported_transforms: vk::SurfaceTransformFlagsKHR::IDENTITY,
        current_transform: vk::SurfaceTransformFlagsKHR::IDENTITY,
        supported_composite_alpha: vk::CompositeAlphaFlagsKHR::OPAQUE | vk::CompositeAlphaFlagsKHR::INHERIT,
        supported_usage_flags: USAGE,
    })
}

/// The formats of swapchains on the surface.
pub fn formats(surface: &Surface) -> impl ExactSizeIterator<Item = vk::SurfaceFormatKHR> {
    let formats = surface.target().formats().iter();
    formats.map(|format| vk::SurfaceFormatKHR {
        format: *format,
        color_space: vk::ColorSpaceKHR::SRGB_NONLINEAR,
    })
}

/// The ways in which images are presented.
#[must_use]
pub fn present_modes() -> [vk::PresentModeKHR; 3] {
    [
        vk::PresentModeKHR::FIFO,
        vk::PresentModeKHR::MAILBOX,
        vk::PresentModeKHR::IMMEDIATE,
    ]
}
