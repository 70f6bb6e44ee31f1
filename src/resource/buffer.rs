//! Buffers and buffer views.

use super::format::Format;
use super::{ALIGNMENT, Error, MAX_SIZE, requirements, view};
use crate::descriptor::{BufferDescriptor, Capture, TexelBufferDescriptor, fingerprint};
use crate::memory::{SPARSE_BLOCK, SparseRange, live};
use crate::vk;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Most bytes that a buffer descriptor reaches.
const MAX_RANGE: u64 = (1 << 31) - 1;

/// Capture address of a buffer without memory.
const UNKNOWN_CAPTURE: u64 = 1;

/// What a buffer is made from.
#[derive(Clone, Copy, Debug, Default)]
#[allow(missing_docs, reason = "Vulkan's names")]
pub struct BufferInfo {
    pub flags: vk::BufferCreateFlags,
    pub size: u64,
    pub usage: vk::BufferUsageFlags,
    /// Address that it had when it was captured, or 0.
    pub capture_address: u64,
}

/// A `VkBuffer`: a size, and where it is bound.
#[derive(Debug)]
pub struct Buffer {
    info: BufferInfo,
    address: AtomicU64,
    capture: Option<Capture>,
    /// Its addresses, if it is sparse.
    sparse: Option<Arc<SparseRange>>,
    /// Whether shaders may reach it by its address.
    exposed: AtomicBool,
}

impl Buffer {
    /// A buffer without memory.
    ///
    /// # Errors
    /// [`Error::TooLarge`].
    pub fn new(info: BufferInfo) -> Result<Buffer, Error> {
        if info.size > MAX_SIZE {
            return Err(Error::TooLarge);
        }
        Ok(Buffer {
            info,
            address: AtomicU64::new(0),
            capture: None,
            sparse: None,
            exposed: AtomicBool::new(false),
        })
    }

    /// What its descriptors depend on, its memory aside.
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        let BufferInfo {
            flags, size, usage, ..
        } = self.info;
        fingerprint([flags.as_raw().into(), size, usage.as_raw().into()])
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

    /// What it was made from.
    #[must_use]
    pub fn info(&self) -> &BufferInfo {
        &self.info
    }

    /// Bytes.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.info.size
    }

    /// Memory that it needs.
    #[must_use]
    pub fn requirements(&self, types: u32) -> vk::MemoryRequirements {
        let alignment = match self.info.flags.contains(vk::BufferCreateFlags::SPARSE_BINDING) {
            true => SPARSE_BLOCK,
            false => ALIGNMENT,
        };
        requirements(self.info.size, types, alignment)
    }

    /// Binds it to memory, whose pages are there.
    pub fn bind(&self, address: u64) {
        self.address.store(address, Ordering::Relaxed);
        if self
            .info
            .usage
            .contains(vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS)
        {
            self.expose();
        }
    }

    /// Shaders may reach it by its address, which this gives.
    pub fn expose(&self) -> u64 {
        let address = self.address();
        if address != 0 && !self.exposed.swap(true, Ordering::AcqRel) {
            live::add_buffer(address, self.info.size);
        }
        address
    }

    /// What a replay needs to know of its address.
    #[must_use]
    pub fn capture_address(&self) -> u64 {
        // Before it is bound, the memory's address is all that decides; 1 says that there is nothing to know.
        match (self.address(), self.info.capture_address) {
            (0, 0) => UNKNOWN_CAPTURE,
            (0, given) => given,
            (address, _) => address,
        }
    }

    /// Whether a captured address says nothing: none was captured, or that of a buffer that was never bound.
    #[must_use]
    pub fn is_unknown_capture(address: u64) -> bool {
        [0, UNKNOWN_CAPTURE].contains(&address)
    }

    /// Whether it may be bound at an address, as far as a captured one says.
    #[must_use]
    pub fn may_bind(&self, address: u64) -> bool {
        let captured = self.info.capture_address;
        Self::is_unknown_capture(captured) || captured == address
    }

    /// Device address of the first byte; 0 while unbound.
    #[must_use]
    #[inline]
    pub fn address(&self) -> u64 {
        self.address.load(Ordering::Relaxed)
    }

    /// The address at `offset` and the bytes from there: `size` of them, where `VK_WHOLE_SIZE` means all,
    /// and never more than the buffer has.
    #[must_use]
    #[inline]
    pub fn span(&self, offset: u64, size: u64) -> (u64, u64) {
        let rest = self.info.size.saturating_sub(offset);
        (self.address().wrapping_add(offset), size.min(rest))
    }

    /// Descriptor of a part of it.
    #[must_use]
    #[inline]
    pub fn descriptor(&self, offset: u64, range: u64) -> BufferDescriptor {
        let (address, size) = self.span(offset, range);
        buffer_descriptor(address, size)
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        if *self.exposed.get_mut() {
            live::remove_buffer(self.address(), self.info.size);
        }
    }
}

/// Descriptor of plain memory; one of no address is the null descriptor.
#[must_use]
#[inline]
pub fn buffer_descriptor(address: u64, size: u64) -> BufferDescriptor {
    if address == 0 {
        return BufferDescriptor::default();
    }
    BufferDescriptor::new(address, size.min(MAX_RANGE) as u32)
}

/// Descriptor of `size` bytes seen as texels.
///
/// # Errors
/// [`Error::Format`].
pub fn texel_descriptor(address: u64, size: u64, format: vk::Format) -> Result<TexelBufferDescriptor, Error> {
    let row = Format::of(format)
        .filter(|f| !f.is_compressed() && !f.is_ycbcr())
        .ok_or(Error::Format(format))?;
    if address == 0 {
        return Ok(TexelBufferDescriptor::default());
    }
    let stride = u32::from(row.bytes);
    Ok(TexelBufferDescriptor {
        address,
        count: (size / u64::from(stride)).min(u64::from(u32::MAX)) as u32,
        stride,
        kind: view::texel_kind(row),
        reserved: 0,
    })
}

/// A `VkBufferView`.
#[derive(Debug)]
pub struct BufferView {
    descriptor: TexelBufferDescriptor,
}

impl BufferView {
    /// A view of a bound buffer.
    ///
    /// # Errors
    /// [`Error::Format`].
    pub fn new(buffer: &Buffer, format: vk::Format, offset: u64, range: u64) -> Result<BufferView, Error> {
        let (address, size) = buffer.span(offset, range);
        Ok(BufferView {
            descriptor: texel_descriptor(address, size, format)?,
        })
    }

    /// Its descriptor.
    #[must_use]
    pub fn descriptor(&self) -> &TexelBufferDescriptor {
        &self.descriptor
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptors_never_reach_past_the_buffer() {
        let b = Buffer::new(BufferInfo {
            size: 100,
            ..Default::default()
        })
        .unwrap();
        assert_eq!(b.descriptor(0, vk::WHOLE_SIZE), BufferDescriptor::default());
        b.bind(0x1000);
        assert_eq!(
            b.descriptor(16, vk::WHOLE_SIZE),
            BufferDescriptor::new(0x1010, 84)
        );
        assert_eq!(b.descriptor(96, 64).range, 4);
        assert_eq!(b.requirements(1).size, 128);
        let view = BufferView::new(&b, vk::Format::R32G32_SFLOAT, 8, vk::WHOLE_SIZE).unwrap();
        assert_eq!((view.descriptor().count, view.descriptor().stride), (11, 8));
        assert!(
            Buffer::new(BufferInfo {
                size: u64::MAX,
                ..Default::default()
            })
            .is_err()
        );
    }
}
