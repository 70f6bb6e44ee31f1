//! Transfers that compute: clears, blits and resolves, spread over the workers.

use super::transfer::{Clear, ImageBlit, ImageLevel, ImageResolve, fill_pattern, spread};
use crate::device::workers::{Scratch, Workers};
use crate::exec::{ExecError, check_fixed};
use crate::shader::sampling::transfer::{Blit, Resolve, RowJob, Surface, TransferCache, TransferError};
use crate::vk;
use smallvec::SmallVec;
use std::sync::Arc;

/// Texels that a worker takes at a time.
const PART: usize = 16 * 1024;

impl From<TransferError> for ExecError {
    fn from(error: TransferError) -> ExecError {
        ExecError::Compile(error.to_string())
    }
}

impl ImageLevel {
    fn surface(&self) -> Surface {
        Surface {
            format: self.format,
            address: self.address,
            row_pitch: self.row_pitch,
            slice_pitch: self.slice_pitch,
            sample_pitch: self.sample_pitch,
            samples: self.samples,
            extent: self.extent,
        }
    }
}

/// Runs a clear: the value becomes a texel once, and is copied from there.
pub(super) fn clear(clear: &Clear, cache: &TransferCache, workers: &Workers) -> Result<(), ExecError> {
    let level = clear.region.level;
    let (texel, len) = cache.encode(level.format, clear.value)?;
    let texel: SmallVec<[u8; 16]> = SmallVec::from_slice(&texel[..len]);
    let mut rows = clear.region.rows();
    for _ in 0..level.samples.max(1) {
        let pattern = texel.clone();
        if rows.row_pitch == rows.bytes && rows.slices == 1 {
            let texels = rows.bytes / len as u64 * u64::from(rows.rows);
            spread(workers, texels, len as u64, move |first, count| {
                fill_pattern(rows.address + first * len as u64, count as usize * len, &pattern);
            })?;
        } else {
            let count = u64::from(rows.rows) * u64::from(rows.slices);
            spread(workers, count, rows.bytes, move |first, count| {
                for index in first..first + count {
                    fill_pattern(rows.row(index), rows.bytes as usize, &pattern);
                }
            })?;
        }
        rows.address += level.sample_pitch;
    }
    Ok(())
}

/// Runs the rows of a blit or resolve, on several workers if there are many.
fn rows(job: RowJob, workers: &Workers) -> Result<(), ExecError> {
    let rows = (PART / (job.width() as usize).max(1)).max(1);
    let parts = job.len().div_ceil(rows);
    let part = move |scratch: &mut Scratch, part: usize| {
        let end = job.len().min((part + 1) * rows);
        let status = job.run(scratch.context_address(), part * rows..end);
        check_fixed(status)
    };
    workers.run(parts, Arc::new(part))
}

/// Runs a blit.
pub(super) fn blit(blit: &ImageBlit, cache: &TransferCache, workers: &Workers) -> Result<(), ExecError> {
    let blit = Blit {
        src: blit.src.surface(),
        dst: blit.dst.surface(),
        src_offsets: blit.src_offsets,
        dst_offsets: blit.dst_offsets,
        filter: blit.filter,
        scale_z: blit.scale_z,
    };
    rows(blit.prepare(cache)?, workers)
}

/// Runs a resolve: the mean of the samples, or sample 0 of integers.
pub(super) fn resolve(
    resolve: &ImageResolve,
    cache: &TransferCache,
    workers: &Workers,
) -> Result<(), ExecError> {
    let resolve = Resolve {
        src: resolve.src.level.surface(),
        dst: resolve.dst.level.surface(),
        src_offset: resolve.src.offset,
        dst_offset: resolve.dst.offset,
        extent: resolve.src.extent,
        mode: vk::ResolveModeFlags::AVERAGE,
    };
    rows(resolve.prepare(cache)?, workers)
}
