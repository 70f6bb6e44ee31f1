//! Copies between buffers and images, as memory, and their execution.
//!
//! Images are linear rows per level and layer, with depth and stencil as planes of their own, so every copy
//! is a set of equal runs of bytes.

use super::Bytes;
use crate::device::workers::{Scratch, Workers};
use crate::exec::ExecError;
use crate::memory::raw;
use crate::vk;
use std::sync::Arc;

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

impl ImageLevel {
    /// All of the level.
    #[must_use]
    pub fn whole(&self) -> Region {
        Region {
            level: *self,
            offset: [0; 3],
            extent: self.extent,
        }
    }
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

impl Region {
    /// The bytes from the first to the last, in all samples.
    #[must_use]
    pub fn span(&self) -> Bytes {
        let mut span = self.rows().span();
        span.size += u64::from(self.level.samples.max(1) - 1) * self.level.sample_pitch;
        span
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
    /// Rows that follow each other without gaps, in both, as fewer and longer ones.
    fn merge(mut self, mut other: Rows) -> (Rows, Rows) {
        if [&self, &other].iter().all(|r| r.row_pitch == r.bytes) {
            for r in [&mut self, &mut other] {
                (r.bytes, r.rows, r.row_pitch) = (r.bytes * u64::from(r.rows), r.slices, r.slice_pitch);
                r.slices = 1;
            }
            if [&self, &other].iter().all(|r| r.row_pitch == r.bytes) {
                for r in [&mut self, &mut other] {
                    (r.bytes, r.rows) = (r.bytes * u64::from(r.rows), 1);
                }
            }
        }
        (self, other)
    }

    /// Address of a row, counted through all slices.
    pub(super) fn row(&self, index: u64) -> u64 {
        let (slice, row) = (index / u64::from(self.rows), index % u64::from(self.rows));
        self.address + slice * self.slice_pitch + row * self.row_pitch
    }

    /// Copies the rows of `src`, which is as large, here.
    fn copy_from(self, src: Rows, workers: &Workers) -> Result<(), ExecError> {
        let (dst, src) = self.merge(src);
        let bytes = dst.bytes.min(src.bytes);
        let count = u64::from(dst.rows) * u64::from(dst.slices);
        if count == 1 {
            return spread(workers, bytes, 1, move |start, len| {
                raw::copy(dst.address + start, src.address + start, len as usize);
            });
        }
        spread(workers, count, bytes, move |start, len| {
            for index in start..start + len {
                raw::copy(dst.row(index), src.row(index), bytes as usize);
            }
        })
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

/// Bytes that one worker takes at a time: enough to be worth handing out.
const PART: u64 = 512 * 1024;

/// Runs `work(first, count)` over the items `0..count` of `bytes` bytes each, in parts on several workers if
/// there is enough to do.
pub(super) fn spread(
    workers: &Workers,
    count: u64,
    bytes: u64,
    work: impl Fn(u64, u64) + Send + Sync + 'static,
) -> Result<(), ExecError> {
    if count.saturating_mul(bytes) < 2 * PART {
        work(0, count);
        return Ok(());
    }
    // Parts of a part's bytes each, in whole cache lines where items are bytes.
    let per_part = (PART / bytes.max(1)).max(1);
    let parts = usize::try_from(count.div_ceil(per_part)).unwrap_or(usize::MAX);
    let job = move |_: &mut Scratch, part: usize| {
        let first = part as u64 * per_part;
        work(first, per_part.min(count - first));
        Ok(())
    };
    workers.run(parts, Arc::new(job))
}

/// Runs a buffer copy.
pub(super) fn copy_buffer(copy: &BufferCopy, workers: &Workers) -> Result<(), ExecError> {
    let BufferCopy { src, dst, size } = *copy;
    spread(workers, size, 1, move |start, len| {
        raw::copy(dst + start, src + start, len as usize);
    })
}

/// Runs an image copy, sample by sample.
pub(super) fn copy_image(copy: &ImageCopy, workers: &Workers) -> Result<(), ExecError> {
    let (mut src, mut dst) = (copy.src.rows(), copy.dst.rows());
    for _ in 0..copy.src.level.samples.max(1) {
        dst.copy_from(src, workers)?;
        src.address += copy.src.level.sample_pitch;
        dst.address += copy.dst.level.sample_pitch;
    }
    Ok(())
}

/// Runs a copy from a buffer.
pub(super) fn copy_to_image(copy: &BufferImageCopy, workers: &Workers) -> Result<(), ExecError> {
    copy.image.rows().copy_from(copy.buffer, workers)
}

/// Runs a copy to a buffer.
pub(super) fn copy_to_buffer(copy: &BufferImageCopy, workers: &Workers) -> Result<(), ExecError> {
    copy.buffer.copy_from(copy.image.rows(), workers)
}

/// Fills with a word.
pub(super) fn fill(bytes: Bytes, word: u32, workers: &Workers) -> Result<(), ExecError> {
    let b = word.to_le_bytes();
    spread(workers, bytes.size / 4, 4, move |first, words| {
        let (at, len) = (bytes.address + first * 4, (words * 4) as usize);
        if b.iter().all(|&x| x == b[0]) {
            raw::fill(at, b[0], len);
        } else {
            fill_pattern(at, len, &b);
        }
    })
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
    use crate::device::workers::RoutineHost;

    fn workers() -> Workers {
        Workers::new(Some(3), RoutineHost::default())
    }

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
        let buffer = [0_u8; 32];
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
        copy_to_buffer(&copy, &workers()).expect("copies do not fail");
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
        let copy = BufferImageCopy {
            buffer: rows,
            image: to,
        };
        copy_to_image(&copy, &workers()).expect("copies do not fail");
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
        fill(bytes, 0x0403_0201, &workers()).expect("fills do not fail");
        assert_eq!(memory[..4], [1, 2, 3, 4]);
        assert_eq!(memory[2044..], [1, 2, 3, 4, 0, 0, 0, 0]);
    }

    #[test]
    fn large_copies_are_the_same_on_many_threads() {
        let len = 5_000_001_usize;
        let src: Vec<u8> = (0..len).map(|i| (i * 7 / 3) as u8).collect();
        let dst = vec![0_u8; len];
        let copy = BufferCopy {
            src: src.as_ptr() as u64,
            dst: dst.as_ptr() as u64,
            size: len as u64,
        };
        copy_buffer(&copy, &workers()).expect("copies do not fail");
        assert!(src == dst);
        let rows = |memory: &[u8], row_pitch| Rows {
            address: memory.as_ptr() as u64,
            bytes: 1000,
            rows: 450,
            slices: 10,
            row_pitch,
            slice_pitch: 490_000,
        };
        let packed = vec![0_u8; len];
        rows(&packed, 1000)
            .copy_from(rows(&src, 1080), &workers())
            .expect("copies do not fail");
        let same = |slice: usize, row: usize| {
            let (to, from) = (slice * 490_000 + row * 1000, slice * 490_000 + row * 1080);
            packed[to..to + 1000] == src[from..from + 1000]
        };
        assert!((0..10).all(|slice| (0..450).all(|row| same(slice, row))));
    }
}
