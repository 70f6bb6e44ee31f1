//! Images.

use super::layout::{ImageLayout, Plane};
use super::{ALIGNMENT, Error, requirements};
use crate::descriptor::{Capture, fingerprint};
use crate::memory::{Footprint, SPARSE_BLOCK, SPARSE_PAGE, SparseRange, bytes_in, bytes_of};
use crate::vk;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// What an image is made from.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "Vulkan's names")]
pub struct ImageInfo {
    pub flags: vk::ImageCreateFlags,
    pub image_type: vk::ImageType,
    pub format: vk::Format,
    pub extent: [u32; 3],
    pub levels: u32,
    pub layers: u32,
    pub samples: u32,
    pub tiling: vk::ImageTiling,
    pub usage: vk::ImageUsageFlags,
}

impl Default for ImageInfo {
    fn default() -> ImageInfo {
        ImageInfo {
            flags: vk::ImageCreateFlags::empty(),
            image_type: vk::ImageType::TYPE_2D,
            format: vk::Format::UNDEFINED,
            extent: [1; 3],
            levels: 1,
            layers: 1,
            samples: 1,
            tiling: vk::ImageTiling::OPTIMAL,
            usage: vk::ImageUsageFlags::empty(),
        }
    }
}

/// A `VkImage`.
#[derive(Debug)]
pub struct Image {
    info: ImageInfo,
    layout: ImageLayout,
    /// Where it would begin for each of its planes, which may be bound one by one.
    addresses: [AtomicU64; 3],
    capture: Option<Capture>,
    /// Its addresses, if it is sparse.
    sparse: Option<Arc<SparseRange>>,
    /// Where it lay when it was captured, or 0.
    captured_at: u64,
}

/// One level of one layer (or, of 3D images, all slices) of one plane, as memory.
#[derive(Clone, Copy, Debug)]
pub struct Subresource {
    /// Format of the texels.
    pub format: &'static super::format::Format,
    /// First byte.
    pub address: u64,
    /// Texels.
    pub extent: [u32; 3],
    /// Bytes from one row of blocks to the next.
    pub row_pitch: u64,
    /// Bytes from one slice to the next.
    pub slice_pitch: u64,
    /// Bytes from one layer to the next.
    pub layer_pitch: u64,
    /// Bytes from one sample to the next.
    pub sample_pitch: u64,
}

impl Image {
    /// An image without memory.
    ///
    /// # Errors
    /// [`Error::Format`], [`Error::TooLarge`], [`Error::Unsupported`].
    pub fn new(info: ImageInfo) -> Result<Image, Error> {
        if !matches!(info.samples, 1 | 2 | 4 | 8 | 16) {
            return Err(Error::Unsupported("this number of samples"));
        }
        let layout = ImageLayout::new(&info)?;
        Ok(Image {
            info,
            layout,
            addresses: [const { AtomicU64::new(0) }; 3],
            capture: None,
            sparse: None,
            captured_at: 0,
        })
    }

    /// What descriptors of its views depend on, its memory aside.
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        let i = &self.info;
        let raw = [
            i.flags.as_raw(),
            i.image_type.as_raw() as u32,
            i.format.as_raw() as u32,
            i.levels,
            i.layers,
            i.samples,
            i.tiling.as_raw() as u32,
            i.usage.as_raw(),
        ];
        fingerprint(raw.into_iter().chain(i.extent).map(u64::from))
    }

    /// Gives it its addresses, as it is sparse.
    pub fn set_sparse(&mut self, range: Arc<SparseRange>) {
        self.bind(range.address());
        self.sparse = Some(range);
    }

    /// Its addresses, if it is sparse.
    #[must_use]
    pub fn sparse(&self) -> Option<&Arc<SparseRange>> {
        self.sparse.as_ref()
    }

    /// Sets its identity for capture and replay.
    pub fn set_capture(&mut self, capture: Option<Capture>) {
        self.capture = capture;
    }

    /// Its identity, if it was made to be captured.
    #[must_use]
    pub fn capture(&self) -> Option<&Capture> {
        self.capture.as_ref()
    }

    /// Says where it lay when it was captured.
    pub fn set_captured_at(&mut self, address: u64) {
        self.captured_at = address;
    }

    /// Whether descriptors of it can be what they were when it was captured.
    #[must_use]
    pub fn is_where_captured(&self) -> bool {
        self.captured_at == 0 || self.captured_at == self.address()
    }

    /// What it was made from.
    #[must_use]
    pub fn info(&self) -> &ImageInfo {
        &self.info
    }

    /// Where its texels lie.
    #[must_use]
    pub fn layout(&self) -> &ImageLayout {
        &self.layout
    }

    /// Memory that it needs.
    #[must_use]
    pub fn requirements(&self, types: u32) -> vk::MemoryRequirements {
        let flags = self.info.flags;
        let alignment = if flags.contains(vk::ImageCreateFlags::SPARSE_RESIDENCY) {
            SPARSE_PAGE
        } else if flags.contains(vk::ImageCreateFlags::SPARSE_BINDING) {
            SPARSE_BLOCK
        } else {
            ALIGNMENT
        };
        requirements(self.layout.size, types, alignment)
    }

    /// Binds it to memory, whose pages are there.
    pub fn bind(&self, address: u64) {
        self.addresses
            .iter()
            .for_each(|slot| slot.store(address, Ordering::Relaxed));
    }

    /// Binds one of its planes to memory, whose pages are there.
    pub fn bind_plane(&self, aspect: vk::ImageAspectFlags, address: u64) {
        let planes = self.layout.planes.iter().zip(&self.addresses);
        for (plane, slot) in planes.filter(|(plane, _)| plane.is_of(aspect)) {
            slot.store(address.wrapping_sub(plane.offset), Ordering::Relaxed);
        }
    }

    /// Device address of the first byte; 0 while unbound.
    #[must_use]
    pub fn address(&self) -> u64 {
        self.addresses[0].load(Ordering::Relaxed)
    }

    /// Device address of the first byte of a plane of its layout.
    #[must_use]
    pub fn plane_address(&self, plane: &Plane) -> u64 {
        let number = self.layout.planes.iter().position(|p| p.aspect == plane.aspect);
        let slot = &self.addresses[number.unwrap_or(0).min(2)];
        slot.load(Ordering::Relaxed).wrapping_add(plane.offset)
    }

    /// Whether its planes are bound one by one.
    #[must_use]
    pub fn is_disjoint(&self) -> bool {
        self.info.flags.contains(vk::ImageCreateFlags::DISJOINT) && self.layout.planes.len() > 1
    }

    /// Memory that one of its planes needs.
    #[must_use]
    pub fn plane_requirements(&self, aspect: vk::ImageAspectFlags, types: u32) -> vk::MemoryRequirements {
        let size = self.plane(aspect).map_or(0, |plane| self.plane_size(plane));
        requirements(size, types, ALIGNMENT)
    }

    /// Bytes of a plane.
    #[must_use]
    pub fn plane_size(&self, plane: &Plane) -> u64 {
        plane.layer_pitch * u64::from(self.info.layers)
    }

    /// The plane of an aspect (depth, if depth and stencil are given).
    #[must_use]
    pub fn plane(&self, aspect: vk::ImageAspectFlags) -> Option<&Plane> {
        self.layout.plane(aspect)
    }

    /// One level and layer of an aspect as memory. `None` if there is no such thing.
    #[must_use]
    pub fn subresource(&self, aspect: vk::ImageAspectFlags, level: u32, layer: u32) -> Option<Subresource> {
        let plane = self.plane(aspect)?;
        let l = plane
            .levels
            .get(level as usize)
            .filter(|_| layer < self.info.layers)?;
        Some(Subresource {
            format: plane.format,
            address: self.plane_address(plane) + u64::from(layer) * plane.layer_pitch + l.offset,
            extent: l.extent,
            row_pitch: l.row_pitch,
            slice_pitch: l.slice_pitch,
            layer_pitch: plane.layer_pitch,
            sample_pitch: plane.sample_pitch,
        })
    }

    /// What `vkGetImageSubresourceLayout` says; zeros for what is not there.
    #[must_use]
    pub fn subresource_layout(&self, subresource: &vk::ImageSubresource) -> vk::SubresourceLayout {
        let layer = u64::from(subresource.array_layer);
        let found = self.plane(subresource.aspect_mask);
        let Some((plane, level)) =
            found.and_then(|p| Some((p, p.levels.get(subresource.mip_level as usize)?)))
        else {
            return vk::SubresourceLayout::default();
        };
        // Offsets in a plane's own memory, if it has such.
        let first = if self.is_disjoint() { 0 } else { plane.offset };
        vk::SubresourceLayout {
            offset: first + layer * plane.layer_pitch + level.offset,
            size: level.size(),
            row_pitch: level.row_pitch,
            array_pitch: plane.layer_pitch,
            depth_pitch: level.slice_pitch,
        }
    }

    /// Levels and layers of a range, with `VK_REMAINING_…` resolved. `slices` counts the slices of the range's
    /// first level as layers, as 2D views of 3D images do.
    #[must_use]
    pub fn resolve(&self, range: &vk::ImageSubresourceRange, slices: bool) -> (u32, u32) {
        let depth = self.info.extent[2]
            .checked_shr(range.base_mip_level)
            .unwrap_or(0)
            .max(1);
        let all_layers = if slices { depth } else { self.info.layers };
        let levels = match range.level_count {
            vk::REMAINING_MIP_LEVELS => self.info.levels.saturating_sub(range.base_mip_level),
            n => n,
        };
        let layers = match range.layer_count {
            vk::REMAINING_ARRAY_LAYERS => all_layers.saturating_sub(range.base_array_layer),
            n => n,
        };
        (levels, layers)
    }
}

impl Footprint for Image {
    fn footprint(&self) -> u64 {
        let planes = &self.layout.planes;
        let spilled = |on_heap: bool, bytes| if on_heap { bytes } else { 0 };
        let levels = planes
            .iter()
            .map(|plane| spilled(plane.levels.spilled(), bytes_in(&plane.levels)));
        bytes_of(self) + spilled(planes.spilled(), bytes_in(planes)) + levels.sum::<u64>()
    }
}
