//! Calls to sampling routines, through the inline cache of the context.

use super::locate::Located;
use super::op::Operation;
use crate::descriptor::{ImageDescriptor, SamplerDescriptor, TexelBufferDescriptor};
use crate::shader::abi::{
    CALL_ARGS, CALL_REQUEST, Context, ROUTINE_SLOTS, RoutineArgs, RoutineRequest, RoutineSlot,
};
use crate::shader::guard::{Form, Guard, IMAGE_SLOT, Kind};
use crate::shader::ir::{Builder, Type, Value};

/// What image access needs of the code around it.
#[derive(Clone, Copy, Debug)]
pub struct Env {
    /// The kernel's first parameter.
    pub ctx: Value,
    /// Number of the call site in the kernel: chooses the entry of the inline cache.
    pub site: u32,
}

/// Offset of field `$field` of `$type`, as an immediate.
macro_rules! field {
    ($type:ty, $field:ident) => {
        std::mem::offset_of!($type, $field) as i64
    };
}
pub(super) use field;

/// The first byte of an image or texel buffer: what the descriptor says, at `offset`, if that is the device's.
pub(super) fn first_byte(b: &mut Builder<'_>, descriptor: Value, offset: i64) -> Value {
    let address = b.lload(descriptor, offset);
    let ctx = b.func.blocks[0].params[0];
    b.ldevice(ctx, address, IMAGE_SLOT)
}

/// The descriptor of an image or texel buffer whose format the shader tells: no routine looks whether it is one.
pub(super) fn descriptor(b: &mut Builder<'_>, form: Form, at: Value) -> Value {
    let ctx = b.func.blocks[0].params[0];
    b.ldescriptor(at, ctx, form.encode(IMAGE_SLOT))
}

/// Guards texels of `bytes` bytes at `base + offset`, as loads and stores of texels access them.
pub(super) fn guard_texel(b: &mut Builder<'_>, kind: Kind, at: &Located, bytes: u8) {
    let ctx = b.func.blocks[0].params[0];
    if at.lanes != at.mask {
        let masked = Guard::masked_bytes(kind, bytes.into()).encode();
        b.masked_o(ctx, at.base, at.aim, at.lanes, at.mask, masked);
    }
    let guard = match bytes {
        1 | 2 => Guard::new(kind, false, bytes.into(), 1, 0, 0),
        _ => Guard::new(kind, false, 4, u32::from(bytes).div_ceil(4), 4, 0),
    };
    b.guard_o(ctx, at.base, at.offset, at.mask, guard.encode());
}

/// The descriptors of a call.
#[derive(Clone, Copy, Debug)]
pub(super) enum Resource {
    /// Address of an image descriptor and of a sampler descriptor.
    Sampled(Value, Value),
    /// Address of an image descriptor.
    Image(Value),
    /// Address of a texel buffer descriptor.
    TexelBuffer(Value),
}

/// Calls the routine of an operation with vector arguments; gives `results` vectors.
pub(super) fn call_routine<const N: usize>(
    b: &mut Builder<'_>,
    env: Env,
    resource: Resource,
    operation: Operation,
    args: &[Value],
    mask: Value,
) -> [Value; N] {
    if !matches!(resource, Resource::Sampled(..)) {
        b.call_site(env.ctx);
    }
    let frame = b.lload(env.ctx, field!(Context, call_frame));
    for (index, &arg) in args.iter().enumerate() {
        b.vstore(frame, arg, index as i64 * 64);
    }
    let (address, sampler, image_kind) = match resource {
        Resource::Sampled(image, sampler) => (image, Some(sampler), field!(ImageDescriptor, kind)),
        Resource::Image(image) => (image, None, field!(ImageDescriptor, kind)),
        Resource::TexelBuffer(buffer) => (buffer, None, field!(TexelBufferDescriptor, kind)),
    };
    let base = CALL_ARGS as i64;
    b.lstore(frame, address, base + field!(RoutineArgs, image));
    if let Some(sampler) = sampler {
        b.lstore(frame, sampler, base + field!(RoutineArgs, sampler));
    }
    let bits = b.mbits(mask);
    b.sstore(frame, bits, base + field!(RoutineArgs, mask));

    let image_kind = b.lload(address, image_kind);
    let number = b.lconst(i64::from(operation.encode()) << 32);
    let sampler_kind = match sampler {
        Some(sampler) => {
            let kind = b.sload(sampler, field!(SamplerDescriptor, kind));
            let kind = b.lzext(kind);
            b.lor(kind, number)
        }
        None => number,
    };
    call_cached(b, env, frame, image_kind, sampler_kind);
    std::array::from_fn(|index| b.vload(frame, index as i64 * 64))
}

/// Looks the routine up in the inline cache, asks for it on a miss, and calls it.
fn call_cached(b: &mut Builder<'_>, env: Env, frame: Value, image_kind: Value, sampler_kind: Value) {
    let slots = b.lload(env.ctx, field!(Context, routines));
    let slot = i64::from(env.site) % ROUTINE_SLOTS as i64 * size_of::<RoutineSlot>() as i64;
    let image_hit = b.lload(slots, slot + field!(RoutineSlot, image_kind));
    let image_hit = b.leq(image_hit, image_kind);
    let sampler_hit = b.lload(slots, slot + field!(RoutineSlot, sampler_kind));
    let sampler_hit = b.leq(sampler_hit, sampler_kind);
    let hit = b.band(image_hit, sampler_hit);
    // The code is checked too: an empty slot equals the key of the null descriptor's first operation.
    let code = b.lload(slots, slot + field!(RoutineSlot, code));
    let none = b.lconst(0);
    let empty = b.leq(code, none);
    let full = b.bnot(empty);
    let hit = b.band(hit, full);
    let data = b.lload(slots, slot + field!(RoutineSlot, data));

    let (miss, _) = b.add_block(&[]);
    let (found, found_args) = b.add_block(&[Type::S64, Type::S64]);
    b.branch(hit, (found, &[code, data]), (miss, &[]));

    b.switch_to(miss);
    let request = CALL_REQUEST as i64;
    b.lstore(frame, image_kind, request + field!(RoutineRequest, image_kind));
    b.lstore(
        frame,
        sampler_kind,
        request + field!(RoutineRequest, sampler_kind),
    );
    let at = b.ladd_imm(slots, slot);
    b.lstore(frame, at, request + field!(RoutineRequest, slot));
    let resolve = b.lload(env.ctx, field!(Context, resolve));
    let arg = b.ladd_imm(frame, request);
    b.call(resolve, env.ctx, arg);
    let code = b.lload(slots, slot + field!(RoutineSlot, code));
    let data = b.lload(slots, slot + field!(RoutineSlot, data));
    b.jump(found, &[code, data]);

    b.switch_to(found);
    b.call(found_args[0], env.ctx, found_args[1]);
}
