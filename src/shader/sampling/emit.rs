//! Image access as the shader translator emits it. Descriptors are given as uniform addresses (`S64`).
//!
//! Accesses whose format is known here are inline; the others call a routine (see `routine.rs`). A null
//! descriptor reads as zeros and drops writes, as do texels out of range.

use super::call::{Env, Resource, call_routine, descriptor, field, guard_texel};
use super::codec::{load_texel, pack, store_texel, texel_words, unpack};
use super::locate::{Located, buffer_texel, declared_texel};
use super::op::{Dim, OpKind, Operation, SampleArgs, TexelArgs, Vectors};
use crate::descriptor::{ImageDescriptor, TexelBufferDescriptor};
use crate::resource::format::Format;
use crate::shader::guard::{Form, Kind};
use crate::shader::ir::{AtomicOp, Builder, Value};
use smallvec::smallvec;

/// The operation of sampling arguments, and its vectors in the order in which routines take them.
fn sample_operation(b: &mut Builder<'_>, args: &SampleArgs) -> (Operation, Vectors) {
    let zero = b.vconst(0);
    let operation = Operation {
        dref: args.dref.is_some(),
        bias: args.kind == OpKind::Implicit && args.lod.is_some(),
        offset: args.offset.is_some(),
        offsets: args.offsets.is_some(),
        min_lod: args.min_lod.is_some(),
        component: args.component,
        ..Operation::new(args.kind, args.dim, args.layer.is_some())
    };
    let mut vectors: Vectors = (0..args.dim.coords())
        .map(|index| args.coords.get(index).copied().unwrap_or(zero))
        .collect();
    vectors.extend(args.layer);
    vectors.extend(args.dref);
    if operation.bias || args.kind == OpKind::Lod {
        vectors.push(args.lod.unwrap_or(zero));
    }
    if args.kind == OpKind::Grad {
        for part in 0..2 {
            for index in 0..args.dim.coords() {
                let vector = args
                    .grad
                    .as_ref()
                    .map(|grad| if part == 0 { &grad.0 } else { &grad.1 });
                vectors.push(vector.and_then(|v| v.get(index).copied()).unwrap_or(zero));
            }
        }
    }
    if let Some(offset) = &args.offset {
        for index in 0..args.dim.texel_coords() {
            vectors.push(offset.get(index).copied().unwrap_or(zero));
        }
    }
    if let Some(offsets) = args.offsets {
        vectors.extend(offsets.into_iter().flatten());
    }
    vectors.extend(args.min_lod);
    (operation, vectors)
}

/// Samples an image: four components (with a reference depth the result is in the first).
pub fn emit_sample(
    b: &mut Builder<'_>,
    env: Env,
    image: Value,
    sampler: Value,
    args: &SampleArgs,
) -> [Value; 4] {
    let (operation, vectors) = sample_operation(b, args);
    call_routine(
        b,
        env,
        Resource::Sampled(image, sampler),
        operation,
        &vectors,
        args.mask,
    )
}

/// The level that implicit sampling would use, clamped to those there are, and the level of detail before clamping.
pub fn emit_query_lod(
    b: &mut Builder<'_>,
    env: Env,
    image: Value,
    sampler: Value,
    args: &SampleArgs,
) -> [Value; 2] {
    let args = SampleArgs {
        kind: OpKind::QueryLod,
        ..args.clone()
    };
    let (operation, vectors) = sample_operation(b, &args);
    call_routine(
        b,
        env,
        Resource::Sampled(image, sampler),
        operation,
        &vectors,
        args.mask,
    )
}

/// The operation of texel arguments, and its vectors in the order in which routines take them.
fn texel_operation(b: &mut Builder<'_>, kind: OpKind, args: &TexelArgs) -> (Operation, Vectors) {
    let zero = b.vconst(0);
    let operation = Operation {
        sample: args.sample.is_some(),
        ..Operation::new(kind, args.dim, args.layer.is_some() || args.dim == Dim::Cube)
    };
    let mut vectors: Vectors = (0..args.dim.texel_coords())
        .map(|index| args.coords.get(index).copied().unwrap_or(zero))
        .collect();
    if operation.arrayed {
        vectors.push(args.layer.unwrap_or(zero));
    }
    vectors.extend(args.sample);
    if kind == OpKind::Fetch {
        vectors.push(args.lod.unwrap_or(zero));
    }
    (operation, vectors)
}

/// `OpImageFetch`, from a sampled image or (with `lod` absent) an input attachment.
pub fn emit_fetch(b: &mut Builder<'_>, env: Env, image: Value, args: &TexelArgs) -> [Value; 4] {
    let (operation, vectors) = texel_operation(b, OpKind::Fetch, args);
    call_routine(b, env, Resource::Image(image), operation, &vectors, args.mask)
}

/// `OpImageRead`; `format` is the one the shader declares, if it does.
pub fn emit_image_read(
    b: &mut Builder<'_>,
    env: Env,
    image: Value,
    format: Option<&'static Format>,
    args: &TexelArgs,
) -> [Value; 4] {
    if let Some(format) = format {
        let image = descriptor(b, Form::Image, image);
        let at = declared_texel(b, image, format, args);
        return read_located(b, format, &at);
    }
    let (operation, vectors) = texel_operation(b, OpKind::Read, args);
    call_routine(b, env, Resource::Image(image), operation, &vectors, args.mask)
}

/// `OpImageWrite`; `format` is the one the shader declares, if it does.
pub fn emit_image_write(
    b: &mut Builder<'_>,
    env: Env,
    image: Value,
    format: Option<&'static Format>,
    args: &TexelArgs,
    rgba: [Value; 4],
) {
    if let Some(format) = format {
        let image = descriptor(b, Form::Image, image);
        let at = declared_texel(b, image, format, args);
        write_located(b, format, &at, rgba);
        return;
    }
    let (operation, mut vectors) = texel_operation(b, OpKind::Write, args);
    vectors.extend(rgba);
    let [] = call_routine(b, env, Resource::Image(image), operation, &vectors, args.mask);
}

/// A read-modify-write of a 32-bit texel: what to do, and with what.
#[derive(Clone, Copy, Debug)]
pub enum Atomic {
    /// One operand.
    Op(AtomicOp, Value),
    /// Stores `value` where memory equals `expected`.
    CompareExchange {
        /// New value.
        value: Value,
        /// Old value it needs.
        expected: Value,
    },
}

/// An atomic on a texel of a storage image of 32-bit texels; gives the old values (0 out of range).
pub fn emit_image_atomic(b: &mut Builder<'_>, image: Value, args: &TexelArgs, atomic: Atomic) -> Value {
    let Some(format) = Format::of(crate::vk::Format::R32_UINT) else {
        return b.vconst(0);
    };
    let image = descriptor(b, Form::Image, image);
    let at = declared_texel(b, image, format, args);
    atomic_located(b, &at, atomic)
}

/// Loads texels of a texel buffer; `format` is the one the shader declares, if it does.
pub fn emit_buffer_read(
    b: &mut Builder<'_>,
    env: Env,
    buffer: Value,
    format: Option<&'static Format>,
    index: Value,
    mask: Value,
) -> [Value; 4] {
    if let Some(format) = format {
        let buffer = descriptor(b, Form::TexelBuffer, buffer);
        let at = buffer_texel(b, buffer, format, index, mask);
        return read_located(b, format, &at);
    }
    let operation = Operation::new(OpKind::BufferRead, Dim::D1, false);
    call_routine(b, env, Resource::TexelBuffer(buffer), operation, &[index], mask)
}

/// Stores texels of a texel buffer; `format` is the one the shader declares, if it does.
pub fn emit_buffer_write(
    b: &mut Builder<'_>,
    env: Env,
    buffer: Value,
    format: Option<&'static Format>,
    index: Value,
    rgba: [Value; 4],
    mask: Value,
) {
    if let Some(format) = format {
        let buffer = descriptor(b, Form::TexelBuffer, buffer);
        let at = buffer_texel(b, buffer, format, index, mask);
        write_located(b, format, &at, rgba);
        return;
    }
    let operation = Operation::new(OpKind::BufferWrite, Dim::D1, false);
    let [r, g, blue, a] = rgba;
    let args = [index, r, g, blue, a];
    let [] = call_routine(b, env, Resource::TexelBuffer(buffer), operation, &args, mask);
}

/// An atomic on a texel of a storage texel buffer of 32-bit texels; gives the old values (0 out of range).
pub fn emit_buffer_atomic(
    b: &mut Builder<'_>,
    buffer: Value,
    index: Value,
    mask: Value,
    atomic: Atomic,
) -> Value {
    let Some(format) = Format::of(crate::vk::Format::R32_UINT) else {
        return b.vconst(0);
    };
    let buffer = descriptor(b, Form::TexelBuffer, buffer);
    let at = buffer_texel(b, buffer, format, index, mask);
    atomic_located(b, &at, atomic)
}

/// Loads and decodes; lanes that are off read zero bits.
pub(super) fn read_located(b: &mut Builder<'_>, format: &Format, at: &Located) -> [Value; 4] {
    guard_texel(b, Kind::Read, at, format.bytes);
    let words = load_texel(b, at.base, at.offset, at.mask, format.bytes);
    unpack(b, format, &words)
}

/// Encodes and stores.
pub(super) fn write_located(b: &mut Builder<'_>, format: &Format, at: &Located, rgba: [Value; 4]) {
    let words = pack(b, format, rgba);
    debug_assert_eq!(words.len(), texel_words(format));
    guard_texel(b, Kind::Write, at, format.bytes);
    store_texel(b, at.base, at.offset, &words, at.mask, format.bytes);
}

fn atomic_located(b: &mut Builder<'_>, at: &Located, atomic: Atomic) -> Value {
    guard_texel(b, Kind::Atomic, at, 4);
    match atomic {
        Atomic::Op(op, value) => b.atomic(at.base, at.offset, value, at.mask, op as i64),
        Atomic::CompareExchange { value, expected } => {
            b.atomic_cas(at.base, at.offset, value, expected, at.mask)
        }
    }
}

/// `OpImageQuerySize(Lod)`: width, then height and depth where the image has them, then layers (of cubes) if
/// arrayed. Zeros for the null descriptor.
pub fn emit_query_size(
    b: &mut Builder<'_>,
    image: Value,
    dim: Dim,
    arrayed: bool,
    lod: Option<Value>,
) -> Vectors {
    let extents = [
        field!(ImageDescriptor, width),
        field!(ImageDescriptor, height),
        field!(ImageDescriptor, depth),
    ];
    let one = b.vconst(1);
    let mut size: Vectors = smallvec![];
    for &at in &extents[..dim.texel_coords()] {
        let full = b.sload16(image, at);
        let full = b.vsplat(full);
        size.push(match lod {
            Some(lod) => {
                let level = b.vshr(full, lod);
                let level = b.vmax_u(level, one);
                b.vmin_u(level, full)
            }
            None => full,
        });
    }
    if arrayed {
        let layers = b.sload16(image, field!(ImageDescriptor, layers));
        let layers = if dim == Dim::Cube {
            let six = b.sconst(6);
            b.sdiv_u(layers, six)
        } else {
            layers
        };
        size.push(b.vsplat(layers));
    }
    size
}

/// `OpImageQueryLevels`.
pub fn emit_query_levels(b: &mut Builder<'_>, image: Value) -> Value {
    let levels = b.sload16(image, field!(ImageDescriptor, levels));
    b.vsplat(levels)
}

/// `OpImageQuerySamples`; 0 for the null descriptor.
pub fn emit_query_samples(b: &mut Builder<'_>, image: Value) -> Value {
    let high = b.sload(image, field!(ImageDescriptor, kind) + 4);
    let (at, three, one, zero) = (b.sconst(44 - 32), b.sconst(7), b.sconst(1), b.sconst(0));
    let log2 = b.sshr(high, at);
    let log2 = b.sand(log2, three);
    let samples = b.sshl(one, log2);
    let kind = b.lload(image, field!(ImageDescriptor, kind));
    let none = b.lconst(0);
    let null = b.leq(kind, none);
    let samples = b.sselect(null, zero, samples);
    b.vsplat(samples)
}

/// `OpImageQuerySize` of a texel buffer.
pub fn emit_query_buffer_size(b: &mut Builder<'_>, buffer: Value) -> Value {
    let count = b.sload(buffer, field!(TexelBufferDescriptor, count));
    b.vsplat(count)
}
