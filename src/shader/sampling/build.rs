//! Builds the function of a sampling routine from its key.

use super::block::{load_block_texel, texel_index};
use super::call::{field, guard_texel};
use super::codec::{missing, unpack};
use super::emit::{read_located, write_located};
use super::locate::{buffer_texel, image_texel, mip_texel};
use super::lod::reached;
use super::op::{Dim, OpKind, Operation, TexelArgs, Vectors};
use super::sample::Sampling;
use super::state::{ImageState, SamplerState};
use crate::resource::format::Format;
use crate::shader::abi::{CALL_ARGS, Context, RoutineArgs};
use crate::shader::guard::Kind;
use crate::shader::ir::{BlockId, Builder, Func, Type, Value};

/// What a routine depends on: the contents of the descriptors and the operation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Key {
    /// [`crate::descriptor::ImageDescriptor::kind`].
    pub image_kind: u64,
    /// [`crate::descriptor::SamplerDescriptor::kind`] below, [`Operation::encode`] above.
    pub sampler_kind: u64,
}

/// What the routine was called with.
pub(super) struct Call {
    pub(super) ctx: Value,
    pub(super) frame: Value,
    pub(super) image: Value,
    pub(super) sampler: Value,
    pub(super) mask: Value,
    next: i64,
}

impl Call {
    fn new(b: &mut Builder<'_>, ctx: Value) -> Call {
        let frame = b.lload(ctx, field!(Context, call_frame));
        let base = CALL_ARGS as i64;
        let bits = b.sload(frame, base + field!(RoutineArgs, mask));
        Call {
            ctx,
            frame,
            image: b.lload(frame, base + field!(RoutineArgs, image)),
            sampler: b.lload(frame, base + field!(RoutineArgs, sampler)),
            mask: b.mfrom_bits(bits),
            next: 0,
        }
    }

    /// The next vector.
    pub(super) fn arg(&mut self, b: &mut Builder<'_>) -> Value {
        self.next += 64;
        b.vload(self.frame, self.next - 64)
    }

    /// The next `n` vectors.
    pub(super) fn args(&mut self, b: &mut Builder<'_>, n: usize) -> Vectors {
        (0..n).map(|_| self.arg(b)).collect()
    }

    /// The next vector, if there is one.
    pub(super) fn arg_if(&mut self, b: &mut Builder<'_>, there: bool) -> Option<Value> {
        there.then(|| self.arg(b))
    }

    fn results(&self, b: &mut Builder<'_>, results: &[Value]) {
        for (index, &result) in results.iter().enumerate() {
            b.vstore(self.frame, result, index as i64 * 64);
        }
    }
}

/// The function of a routine; for an unknown operation or a null image one that gives zeros.
#[must_use]
pub fn build(key: Key, width: u32) -> Func {
    let operation = Operation::decode((key.sampler_kind >> 32) as u32);
    let name = match operation {
        Some(operation) => format!(
            "image.{:?}.{:x}.{:x}",
            operation.kind, key.image_kind, key.sampler_kind
        ),
        None => "image.unknown".to_owned(),
    };
    let mut func = Func::new(&name, width, &[Type::S64, Type::S64]);
    let ctx = func.blocks[0].params[0];
    let mut b = Builder::new(&mut func, BlockId(0));
    let call = Call::new(&mut b, ctx);
    // Only sampling and fetches can see compressed images; only sampling without comparison those of luma and chroma.
    let image = ImageState::decode(key.image_kind).filter(|image| {
        let fits = |op: Operation| match op.kind {
            _ if image.format.is_ycbcr() => op.kind.samples() && op.kind != OpKind::Gather && !op.dref,
            kind => kind.samples() || kind == OpKind::Fetch,
        };
        image.format.is_texel() || operation.is_some_and(fits)
    });
    match (image, operation) {
        (Some(image), Some(operation)) => access(&mut b, call, image, operation, key.sampler_kind as u32),
        _ => {
            let zero = b.vconst(0);
            call.results(&mut b, &[zero; 4]);
        }
    }
    let done = b.sconst(0);
    b.ret(done);
    func
}

fn access(b: &mut Builder<'_>, mut call: Call, image: ImageState, operation: Operation, sampler: u32) {
    let format = image.format;
    match operation.kind {
        OpKind::BufferRead => {
            let index = call.arg(b);
            let at = buffer_texel(b, call.image, format, index, call.mask);
            let rgba = read_located(b, format, &at);
            call.results(b, &rgba);
        }
        OpKind::BufferWrite => {
            let index = call.arg(b);
            let rgba = rgba(b, &mut call);
            let at = buffer_texel(b, call.image, format, index, call.mask);
            write_located(b, format, &at, rgba);
        }
        OpKind::Fetch => {
            let mut args = texel_args(b, &mut call, operation);
            if let Some(level) = args.lod {
                args.mask = reached(b, &image, call.image, level, args.mask);
            }
            let at = mip_texel(b, call.image, format, &args);
            let rgba = if format.is_compressed() {
                let index = texel_index(b, format, args.coords[0], args.coords.get(1).copied());
                guard_texel(b, Kind::Read, &at, format.bytes);
                let words = load_block_texel(b, call.ctx, format, at.base, at.offset, index, at.mask);
                unpack(b, format, &words)
            } else {
                read_located(b, format, &at)
            };
            let rgba = swizzle(b, &image, rgba);
            call.results(b, &rgba);
        }
        OpKind::Read => {
            let args = texel_args(b, &mut call, operation);
            let at = image_texel(b, call.image, format, &args);
            let rgba = read_located(b, format, &at);
            call.results(b, &rgba);
        }
        OpKind::Write => {
            let args = texel_args(b, &mut call, operation);
            let rgba = rgba(b, &mut call);
            let at = image_texel(b, call.image, format, &args);
            write_located(b, format, &at, rgba);
        }
        OpKind::Implicit | OpKind::Lod | OpKind::Grad | OpKind::Gather | OpKind::QueryLod => {
            let sampler = SamplerState::decode(sampler);
            let sampling = Sampling::new(b, &mut call, image, sampler, operation);
            let results = sampling.run(b);
            call.results(b, &results);
        }
    }
}

fn rgba(b: &mut Builder<'_>, call: &mut Call) -> [Value; 4] {
    std::array::from_fn(|_| call.arg(b))
}

fn texel_args(b: &mut Builder<'_>, call: &mut Call, operation: Operation) -> TexelArgs {
    TexelArgs {
        dim: operation.dim,
        coords: call.args(b, operation.dim.texel_coords()),
        layer: call.arg_if(b, operation.arrayed || operation.dim == Dim::Cube),
        sample: call.arg_if(b, operation.sample),
        lod: call.arg_if(b, operation.kind == OpKind::Fetch),
        mask: call.mask,
    }
}

/// The constant of a swizzle entry, or the channel it names.
pub(super) fn swizzle_entry(b: &mut Builder<'_>, format: &Format, entry: u8) -> Result<usize, Value> {
    match entry {
        0 => Err(b.vconst(0)),
        1 => Err(missing(b, format, 3)),
        channel => Ok(usize::from(channel - 2).min(3)),
    }
}

/// Applies the view's component mapping.
pub(super) fn swizzle(b: &mut Builder<'_>, image: &ImageState, rgba: [Value; 4]) -> [Value; 4] {
    image
        .swizzle
        .map(|entry| match swizzle_entry(b, image.format, entry) {
            Ok(channel) => rgba[channel],
            Err(constant) => constant,
        })
}
