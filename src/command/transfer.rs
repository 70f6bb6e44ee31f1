//! Copies between buffers and images, as memory, and their execution.
//!
//! Images are linear rows per level and layer, with depth and stencil as planes of their own, so every copy
//! is a set of equal runs of bytes.

use super::Bytes;
use crate::memory::raw;
use crate::vk;

/// One mip level of one plane of an image: all its layers, slices and samples.
#[derive(Clone, Copy, Debug, Default)]
pub struct ImageLevel {
    /// Format of the plane.
    pub format: vk::Format,
    /// Bytes of a block.
    pub block_bytes: u32,
    /// Texels of a block.
    pub block: [u32; 2],
    /// Address of the first layer.
    pub address: u64,
    /// Bytes from one row of blocks to the next.
    pub row_pitch: u64,
    /// Bytes from one slice (3D) or layer to the next.
    pub slice_pitch: u64,
    /// Bytes from one sample plane to the next.
    pub sample_pitch: u64,
    /// Samples a texel.
    pub samples: u32,
    /// Texels of the level; the depth of a 3D image or its number of layers.
    pub extent: [u32; 3],
}

/// A box of texels in a level. The third coordinate is the slice (3D) or the layer.
#[derive(Clone, Copy, Debug, Default)]
pub struct Region {
    /// The level.
    pub level: ImageLevel,
    /// First texel.
    pub offset: [u32; 3],
    /// Texels.
    pub extent: [u32; 3],
}

impl Region {
    /// The rows of blocks that the box covers.
    #[must_use]
    pub fn rows(&self) -> Rows {
        let level = &self.level;
        let (bw, bh) = (level.block[0].max(1), level.block[1].max(1));
        let x = u64::from(self.offset[0] / bw) * u64::from(level.block_bytes);
        let y = u64::from(self.offset[1] / bh) * level.row_pitch;
        let z = u64::from(self.offset[2]) * level.slice_pitch;
        Rows {
            address: level.address + x + y + z,
            bytes: u64::from(self.extent[0].div_ceil(bw)) * u64::from(level.block_bytes),
            rows: self.extent[1].div_ceil(bh),
            slices: self.extent[2],
            row_pitch: level.row_pitch,
            slice_pitch: level.slice_pitch,
        }
    }
}

/// Equal runs of bytes: rows within slices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rows {
    /// The first byte.
    pub address: u64,
    /// Bytes of a row.
    pub bytes: u64,
    /// Rows of a slice.
    pub rows: u32,
    /// Slices.
    pub slices: u32,
    /// Bytes from row to row.
    pub row_pitch: u64,
    /// Bytes from slice to slice.
    pub slice_pitch: u64,
}

impl Rows {
    /// Copies the rows of `src`, which is as large, here.
    fn copy_from(&self, src: &Rows) {
        let bytes = usize::try_from(self.bytes.min(src.bytes)).unwrap_or(0);
        let packed = self.row_pitch == self.bytes && src.row_pitch == self.bytes;
        for slice in 0..u64::from(self.slices) {
            let to = self.address + slice * self.slice_pitch;
            let from = src.address + slice * src.slice_pitch;
            if packed {
                raw::copy(to, from, bytes * self.rows as usize);
                continue;
            }
            for row in 0..u64::from(self.rows) {
                raw::copy(to + row * self.row_pitch, from + row * src.row_pitch, bytes);
            }
        }
    }

    /// One past the last byte.
    #[must_use]
    pub fn end(&self) -> u64 {
        if self.rows == 0 || self.slices == 0 {
            return self.address;
        }
        let last = u64::from(self.slices - 1) * self.slice_pitch + u64::from(self.rows - 1) * self.row_pitch;
        self.address + last + self.bytes
    }

    /// The bytes from the first to the last.
    #[must_use]
    pub fn span(&self) -> Bytes {
        Bytes {
            address: self.address,
            size: self.end() - self.address,
        }
    }
}

/// A region of `vkCmdCopyBuffer`.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "the names say it")]
pub struct BufferCopy {
    pub src: u64,
    pub dst: u64,
    pub size: u64,
}

/// A region of `vkCmdCopyImage`; extents are in texels of the source, and may differ by the block size.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "the names say it")]
pub struct ImageCopy {
    pub src: Region,
    pub dst: Region,
}

/// A region of a copy between a buffer and an image.
#[derive(Clone, Copy, Debug)]
pub struct BufferImageCopy {
    /// The buffer's side: rows of blocks of the image's format.
    pub buffer: Rows,
    /// The image's side.
    pub image: Region,
}

/// A region of `vkCmdBlitImage`.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "Vulkan's names")]
pub struct ImageBlit {
    pub src: ImageLevel,
    pub dst: ImageLevel,
    /// Corners; the third coordinate is the slice or the layer.
    pub src_offsets: [[i32; 3]; 2],
    pub dst_offsets: [[i32; 3]; 2],
    pub filter: vk::Filter,
    /// Whether the third coordinate is scaled (3D) or counts layers one to one.
    pub scale_z: bool,
}

/// A region of `vkCmdResolveImage`.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "the names say it")]
pub struct ImageResolve {
    pub src: Region,
    pub dst: Region,
}

/// A range of `vkCmdClearColorImage` or `vkCmdClearDepthStencilImage`.
#[derive(Clone, Copy, Debug)]
pub struct Clear {
    /// What is cleared.
    pub region: Region,
    /// The words of a `VkClearColorValue`; depth as float bits or stencil in the first.
    pub value: [u32; 4],
}

/// Runs a buffer copy.
pub(super) fn copy_buffer(copy: &BufferCopy) {
    raw::copy(copy.dst, copy.src, usize::try_from(copy.size).unwrap_or(0));
}

/// Runs an image copy, sample by sample.
pub(super) fn copy_image(copy: &ImageCopy) {
    let (mut src, mut dst) = (copy.src.rows(), copy.dst.rows());
    for _ in 0..copy.src.level.samples.max(1) {
        dst.copy_from(&src);
        src.address += copy.src.level.sample_pitch;
        dst.address += copy.dst.level.sample_pitch;
    }
}

/// Runs a copy from a buffer.
pub(super) fn copy_to_image(copy: &BufferImageCopy) {
    copy.image.rows().copy_from(&copy.buffer);
}

/// Runs a copy to a buffer.
pub(super) fn copy_to_buffer(copy: &BufferImageCopy) {
    copy.buffer.copy_from(&copy.image.rows());
}

/// Fills with a word.
pub(super) fn fill(bytes: Bytes, word: u32) {
    let size = usize::try_from(bytes.size & !3).unwrap_or(0);
    let b = word.to_le_bytes();
    if b.iter().all(|&x| x == b[0]) {
        return raw::fill(bytes.address, b[0], size);
    }
    fill_pattern(bytes.address, size, &b);
}

/// Fills `size` bytes with copies of a pattern, which is a power of two long or divides the size.
pub(super) fn fill_pattern(address: u64, size: usize, pattern: &[u8]) {
    const BLOCK: usize = 1024;
    let mut block = [0_u8; BLOCK];
    let len = BLOCK - BLOCK % pattern.len().max(1);
    for chunk in block[..len].chunks_exact_mut(pattern.len().max(1)) {
        chunk.copy_from_slice(pattern);
    }
    let mut at = 0;
    while at < size {
        let part = len.min(size - at);
        raw::write(address + at as u64, &block[..part]);
        at += part;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn level(memory: &[u8], row_pitch: u64, slice_pitch: u64) -> ImageLevel {
        ImageLevel {
            block_bytes: 2,
            block: [1, 1],
            address: memory.as_ptr() as u64,
            row_pitch,
            slice_pitch,
            samples: 1,
            extent: [4, 3, 2],
            ..ImageLevel::default()
        }
    }

    #[test]
    fn a_box_is_copied_out_and_in() {
        let image: Vec<u8> = (0..96).collect();
        let buffer = vec![0_u8; 32];
        let region = Region {
            level: level(&image, 16, 48),
            offset: [1, 1, 0],
            extent: [2, 2, 2],
        };
        let rows = Rows {
            address: buffer.as_ptr() as u64,
            bytes: 4,
            rows: 2,
            slices: 2,
            row_pitch: 8,
            slice_pitch: 16,
        };
        let copy = BufferImageCopy {
            buffer: rows,
            image: region,
        };
        copy_to_buffer(&copy);
        let expect = |z: u8, y: u8| [z * 48 + y * 16 + 2, z * 48 + y * 16 + 3];
        assert_eq!(buffer[..2], expect(0, 1));
        assert_eq!(buffer[8..10], expect(0, 2));
        assert_eq!(buffer[16..18], expect(1, 1));
        assert_eq!(buffer[4..8], [0; 4], "what is between rows stays");
        let other = vec![0_u8; 96];
        let to = Region {
            level: level(&other, 16, 48),
            ..region
        };
        copy_to_image(&BufferImageCopy {
            buffer: rows,
            image: to,
        });
        assert_eq!(other[18..22], image[18..22]);
        assert_eq!(other[82..86], image[82..86]);
        assert_eq!(other[..18], [0; 18]);
        assert_eq!(region.rows().end(), image.as_ptr() as u64 + 86);
    }

    #[test]
    fn fills_repeat_the_word() {
        let memory = vec![0_u8; 2052];
        let bytes = Bytes {
            address: memory.as_ptr() as u64,
            size: 2051,
        };
        fill(bytes, 0x0403_0201);
        assert_eq!(memory[..4], [1, 2, 3, 4]);
        assert_eq!(memory[2044..], [1, 2, 3, 4, 0, 0, 0, 0]);
    }
}
