//! Transfers that compute: blits, resolves and clears, on plain memory.
//!
//! Each works on one plane of one level (a [`Surface`]); kernels work on rows and are cached by format.

use super::codec::{pack, texel_words};
use super::transfer_kernels::{self as kernels, RowArgs};
use crate::memory::raw;
use crate::resource::format::{Format, Numeric};
use crate::shader::guard::Mode;
use crate::shader::ir::{BlockId, Builder, Func, Type};
use crate::shader::kernel::{Backend, CompileError, Kernel, Target, compile};
use crate::vk;
use parking_lot::RwLock;
use rustc_hash::FxHashMap;
use std::ops::Range;

/// One mip level of one plane of an image: all its layers, slices and samples.
#[derive(Clone, Copy, Debug, Default)]
pub struct Surface {
    /// Format of the plane; compressed only as the source of a blit.
    pub format: vk::Format,
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
    /// Texels; the depth of a 3D image or its number of layers.
    pub extent: [u32; 3],
}

/// Why a transfer was not done.
#[derive(Debug, thiserror::Error)]
pub enum TransferError {
    /// The format is not known, or not one that can be written so.
    #[error("format {0:?} cannot be transferred so")]
    Format(vk::Format),
    /// The kernel could not be compiled.
    #[error(transparent)]
    Compile(#[from] CompileError),
}

/// A region of `vkCmdBlitImage`.
#[derive(Clone, Copy, Debug)]
pub struct Blit {
    /// Read from.
    pub src: Surface,
    /// Written to.
    pub dst: Surface,
    /// Corners in the source; the third coordinate is the slice or the layer.
    pub src_offsets: [[i32; 3]; 2],
    /// Corners in the destination.
    pub dst_offsets: [[i32; 3]; 2],
    /// Nearest or linear.
    pub filter: vk::Filter,
    /// Whether the third coordinate is scaled (3D) or counts layers one to one.
    pub scale_z: bool,
}

/// A region of `vkCmdResolveImage`, or an attachment resolved at the end of a rendering scope.
#[derive(Clone, Copy, Debug)]
pub struct Resolve {
    /// Read from: several samples.
    pub src: Surface,
    /// Written to: one sample, the same format.
    pub dst: Surface,
    /// First texel in the source.
    pub src_offset: [u32; 3],
    /// First texel in the destination.
    pub dst_offset: [u32; 3],
    /// Texels.
    pub extent: [u32; 3],
    /// What the samples become. Integers are never averaged: they give sample 0.
    pub mode: vk::ResolveModeFlags,
}

/// A box filled with one value, in all samples.
#[derive(Clone, Copy, Debug)]
pub struct Clear {
    /// Written to.
    pub dst: Surface,
    /// First texel.
    pub offset: [u32; 3],
    /// Texels.
    pub extent: [u32; 3],
    /// The words of a `VkClearColorValue`; depth as float bits or stencil in the first.
    pub value: [u32; 4],
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Key {
    Blit(kernels::BlitKey),
    Resolve(kernels::ResolveKey),
    Encode(vk::Format),
}

/// Compiled transfer kernels of a device.
#[derive(Debug)]
pub struct TransferCache {
    backend: Backend,
    map: RwLock<FxHashMap<Key, Kernel>>,
}

impl TransferCache {
    /// An empty cache of kernels for a back end.
    #[must_use]
    pub fn new(backend: Backend) -> TransferCache {
        TransferCache {
            backend,
            map: RwLock::default(),
        }
    }

    fn get(&self, key: Key, build: impl FnOnce(u32) -> Func) -> Result<Kernel, TransferError> {
        if let Some(kernel) = self.map.read().get(&key) {
            return Ok(kernel.clone());
        }
        // The engine has looked at the addresses, and its own memory is among them.
        let target = Target {
            backend: self.backend,
            guards: Mode::Off,
            masked: false,
        };
        let kernel = compile(build(self.backend.width()), target)?;
        Ok(self.map.write().entry(key).or_insert(kernel).clone())
    }

    /// The bytes of a texel with this value, and how many there are.
    ///
    /// # Errors
    /// [`TransferError`]
    pub fn encode(&self, format: vk::Format, value: [u32; 4]) -> Result<([u8; 16], usize), TransferError> {
        let row = writable(format)?;
        let kernel = self.get(Key::Encode(format), |width| encode_kernel(row, width))?;
        // Four words in, then up to four vectors of which lane 0 counts.
        let mut memory = [0_u32; 4 + 4 * 16];
        memory[..4].copy_from_slice(&value);
        // It has no loop and touches only this: it always finishes.
        let _ = kernel.call(0, memory.as_mut_ptr() as u64);
        let mut bytes = [0; 16];
        for (word, out) in bytes.chunks_exact_mut(4).enumerate() {
            out.copy_from_slice(&memory[4 + 16 * word].to_le_bytes());
        }
        Ok((bytes, usize::from(row.bytes)))
    }
}

fn writable(format: vk::Format) -> Result<&'static Format, TransferError> {
    Format::of(format)
        .filter(|row| row.is_texel())
        .ok_or(TransferError::Format(format))
}

fn encode_kernel(format: &Format, width: u32) -> Func {
    let mut func = Func::new("transfer.encode", width, &[Type::S64, Type::S64]);
    let arg = func.blocks[0].params[1];
    let mut b = Builder::new(&mut func, BlockId(0));
    let rgba = [0, 4, 8, 12].map(|at| b.vload_splat(arg, at));
    let words = pack(&mut b, format, rgba);
    debug_assert_eq!(words.len(), texel_words(format));
    for (index, word) in words.into_iter().enumerate() {
        b.vstore(arg, word, 16 + index as i64 * 64);
    }
    let done = b.sconst(0);
    b.ret(done);
    func
}

impl Surface {
    fn row(&self, y: u32, z: u32) -> u64 {
        self.address + u64::from(z) * self.slice_pitch + u64::from(y) * self.row_pitch
    }
}

/// How one axis of a blit maps: `source = index * scale + offset` at the centres of the texels `first..end`.
#[derive(Clone, Copy, Debug)]
struct Axis {
    first: u32,
    end: u32,
    scale: f64,
    offset: f64,
    size: u32,
}

impl Axis {
    fn new(src: [i32; 2], dst: [i32; 2], src_size: u32, dst_size: u32) -> Axis {
        let [s0, s1] = src.map(f64::from);
        let [d0, d1] = dst.map(f64::from);
        let scale = if d1 == d0 { 0.0 } else { (s1 - s0) / (d1 - d0) };
        let bound = |x: i32| u32::try_from(x).unwrap_or(0).min(dst_size);
        let first = bound(dst[0].min(dst[1]));
        Axis {
            first,
            end: bound(dst[0].max(dst[1])),
            scale,
            offset: (f64::from(first) + 0.5 - d0) * scale + s0,
            size: src_size,
        }
    }

    /// The two source texels of the texel `at`, and the weight of the second.
    fn texels(&self, at: u32, linear: bool) -> ([u32; 2], f32) {
        let u = f64::from(at - self.first) * self.scale + self.offset;
        let last = f64::from(self.size.saturating_sub(1));
        let clamp = |x: f64| x.clamp(0.0, last) as u32;
        if !linear {
            return ([clamp(u.floor()); 2], 0.0);
        }
        let floor = (u - 0.5).floor();
        ([clamp(floor), clamp(floor + 1.0)], (u - 0.5 - floor) as f32)
    }
}

/// A prepared blit or resolve: independent rows, in any order and on any thread.
#[derive(Clone, Debug)]
pub struct RowJob {
    kernel: Kernel,
    rows: Vec<RowArgs>,
}

impl RowJob {
    /// Rows to do.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is nothing to do.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Texels of each row.
    #[must_use]
    pub fn width(&self) -> u32 {
        self.rows.first().map_or(0, |row| row.count)
    }

    /// Does some of the rows in a context with a call frame and what `RoutineCache::attach` sets. Gives the
    /// first status that is not 0.
    #[must_use]
    pub fn run(&self, ctx: u64, rows: Range<usize>) -> u32 {
        for row in self.rows.get(rows).unwrap_or_default() {
            let mut args = *row;
            let status = self.kernel.call(ctx, &raw mut args as u64);
            if status != 0 {
                return status;
            }
        }
        0
    }
}

impl Blit {
    /// Makes it ready to run.
    ///
    /// # Errors
    /// [`TransferError`]
    pub fn prepare(&self, cache: &TransferCache) -> Result<RowJob, TransferError> {
        let src = Format::of(self.src.format)
            .filter(|row| row.is_texel() || row.is_compressed())
            .ok_or(TransferError::Format(self.src.format))?;
        let dst = writable(self.dst.format)?;
        let linear = self.filter == vk::Filter::LINEAR && src.numeric() == Numeric::Float;
        let linear_z = linear && self.scale_z;
        let key = kernels::BlitKey {
            src: self.src.format,
            dst: self.dst.format,
            rows: match (linear, linear_z) {
                (false, _) => 1,
                (true, false) => 2,
                (true, true) => 4,
            },
        };
        let kernel = cache.get(Key::Blit(key), |width| kernels::blit(src, dst, key.rows, width))?;
        let axis = |index: usize| {
            let pick = |offsets: [[i32; 3]; 2]| offsets.map(|corner| corner[index]);
            Axis::new(
                pick(self.src_offsets),
                pick(self.dst_offsets),
                self.src.extent[index],
                self.dst.extent[index],
            )
        };
        let [x, y, z] = [axis(0), axis(1), axis(2)];
        let block = u32::from(src.block.1);
        let mut rows = Vec::new();
        for slice in z.first..z.end {
            let ([z0, z1], weight_z) = z.texels(slice, linear_z);
            for row in y.first..y.end {
                let ([y0, y1], weight_y) = y.texels(row, linear);
                let sources = [(y0, z0), (y1, z0), (y0, z1), (y1, z1)];
                rows.push(RowArgs {
                    dst: self.dst.row(row, slice) + u64::from(x.first) * u64::from(dst.bytes),
                    rows: sources.map(|(y, z)| self.src.row(y / block, z)),
                    row_in_block: sources.map(|(y, _)| y % block),
                    sample_pitch: 0,
                    count: x.end.saturating_sub(x.first),
                    last: x.size.saturating_sub(1),
                    scale: x.scale as f32,
                    offset: x.offset as f32,
                    weight_y,
                    weight_z,
                });
            }
        }
        Ok(RowJob { kernel, rows })
    }
}

impl Resolve {
    /// Makes it ready to run.
    ///
    /// # Errors
    /// [`TransferError`]
    pub fn prepare(&self, cache: &TransferCache) -> Result<RowJob, TransferError> {
        let format = writable(self.src.format)?;
        if self.dst.format != self.src.format {
            return Err(TransferError::Format(self.dst.format));
        }
        let key = kernels::ResolveKey::new(format, self.src.samples, self.mode);
        let kernel = cache.get(Key::Resolve(key), |width| kernels::resolve(format, key, width))?;
        let bytes = u64::from(format.bytes);
        let mut rows = Vec::new();
        for z in 0..self.extent[2] {
            for y in 0..self.extent[1] {
                let src = self.src.row(self.src_offset[1] + y, self.src_offset[2] + z)
                    + u64::from(self.src_offset[0]) * bytes;
                let dst = self.dst.row(self.dst_offset[1] + y, self.dst_offset[2] + z)
                    + u64::from(self.dst_offset[0]) * bytes;
                rows.push(RowArgs {
                    dst,
                    rows: [src; 4],
                    sample_pitch: self.src.sample_pitch,
                    count: self.extent[0],
                    ..RowArgs::default()
                });
            }
        }
        Ok(RowJob { kernel, rows })
    }
}

impl Clear {
    /// Does it.
    ///
    /// # Errors
    /// [`TransferError`]
    pub fn run(&self, cache: &TransferCache) -> Result<(), TransferError> {
        let (texel, bytes) = cache.encode(self.dst.format, self.value)?;
        let texel = &texel[..bytes];
        let row = texel.repeat(self.extent[0] as usize);
        let uniform = texel.iter().all(|&byte| byte == texel[0]);
        for sample in 0..u64::from(self.dst.samples.max(1)) {
            for z in 0..self.extent[2] {
                for y in 0..self.extent[1] {
                    let at = self.dst.row(self.offset[1] + y, self.offset[2] + z)
                        + sample * self.dst.sample_pitch
                        + u64::from(self.offset[0]) * bytes as u64;
                    if uniform {
                        raw::fill(at, texel[0], row.len());
                    } else {
                        raw::write(at, &row);
                    }
                }
            }
        }
        Ok(())
    }
}
