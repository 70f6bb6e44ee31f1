//! Transfers that compute: clears, blits and resolves, spread over the workers.

use super::transfer::{Clear, ImageBlit, ImageLevel, ImageResolve, fill_pattern, spread};
use crate::device::workers::{Scratch, Workers};
use crate::exec::ExecError;
use crate::shader::sampling::transfer::{Blit, Resolve, Surface, TransferCache, TransferError};
use crate::vk;
use smallvec::SmallVec;
use std::ops::Range;
use std::sync::Arc;

/// Rows that a worker takes at a time.
const ROWS: u64 = 32;

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

/// Runs `work` over rows, on several workers if there are many.
fn rows(
    workers: &Workers,
    count: u64,
    work: impl Fn(Range<u64>) -> Result<(), TransferError> + Send + Sync + 'static,
) -> Result<(), ExecError> {
    if count <= ROWS {
        return Ok(work(0..count)?);
    }
    let job = move |_: &mut Scratch, part: usize| {
        let first = part as u64 * ROWS;
        Ok(work(first..count.min(first + ROWS))?)
    };
    workers.run(
        usize::try_from(count.div_ceil(ROWS)).unwrap_or(usize::MAX),
        Arc::new(job),
    )
}

/// Runs a blit.
pub(super) fn blit(blit: &ImageBlit, cache: &Arc<TransferCache>, workers: &Workers) -> Result<(), ExecError> {
    let cache = cache.clone();
    let blit = Blit {
        src: blit.src.surface(),
        dst: blit.dst.surface(),
        src_offsets: blit.src_offsets,
        dst_offsets: blit.dst_offsets,
        filter: blit.filter,
        scale_z: blit.scale_z,
    };
    rows(workers, blit.rows(), move |range| blit.run_rows(&cache, range))
}

/// Runs a resolve.
pub(super) fn resolve(
    resolve: &ImageResolve,
    cache: &Arc<TransferCache>,
    workers: &Workers,
) -> Result<(), ExecError> {
    let cache = cache.clone();
    let resolve = Resolve {
        src: resolve.src.level.surface(),
        dst: resolve.dst.level.surface(),
        src_offset: resolve.src.offset,
        dst_offset: resolve.dst.offset,
        extent: resolve.src.extent,
        mode: vk::ResolveModeFlags::AVERAGE,
    };
    rows(workers, resolve.rows(), move |range| {
        resolve.run_rows(&cache, range)
    })
}
