//! Vertex kernels.

use super::{CLIP_DISTANCES, CULL_DISTANCES, Shader, at, element, kernel};
use crate::pipeline::{VertexAttribute, VertexBinding};
use crate::resource::format::Format;
use crate::shader::abi::{GUARD_BAND, MIN_W, VertexArgs, VertexBuffer, clip_flag, vertex_output};
use crate::shader::guard::{Guard, Kind};
use crate::shader::ir::{Builder, Func, NO_ORIGIN, Type, Value, fetch_origin};
use crate::shader::sampling::codec;
use crate::shader::spirv::{BuiltIn, Input, OutputSlot, Outputs, SpirvError, StageIo, Start};
use crate::vk;
use smallvec::SmallVec;
use std::mem::offset_of;

/// What a vertex kernel is made for.
#[derive(Debug)]
pub struct VertexDesc<'d> {
    /// Vertex buffer bindings.
    pub bindings: &'d [VertexBinding],
    /// Attributes.
    pub attributes: &'d [VertexAttribute],
    /// `(location, component)` of each output vector behind the fixed ones; the locations of
    /// [`super::CLIP_DISTANCES`] and its neighbour stand for those.
    pub varyings: &'d [(u32, u32)],
    /// Whether the near plane is at -w rather than at 0.
    pub negative_one_to_one: bool,
}

/// Components of an attribute, loaded before the shader starts.
#[derive(Debug)]
struct Loaded {
    location: u32,
    components: [Value; 4],
}

struct VertexIo {
    args: Value,
    index: Value,
    attributes: Vec<Loaded>,
}

impl StageIo for VertexIo {
    fn load_input(&mut self, b: &mut Builder<'_>, input: &Input) -> Value {
        let loaded = self
            .attributes
            .iter()
            .find(|loaded| loaded.location == input.location);
        match loaded.and_then(|loaded| loaded.components.get(input.component as usize)) {
            Some(&value) => value,
            None => b.vconst(0),
        }
    }

    fn load_builtin(&mut self, b: &mut Builder<'_>, builtin: BuiltIn, _: u32) -> Option<Value> {
        let field = match builtin {
            BuiltIn::VertexIndex => return Some(self.index),
            BuiltIn::InstanceIndex => offset_of!(VertexArgs, instance_index),
            BuiltIn::BaseInstance => offset_of!(VertexArgs, base_instance),
            BuiltIn::BaseVertex => offset_of!(VertexArgs, base_vertex),
            _ => return None,
        };
        Some(b.sload(self.args, at(field)))
    }
}

/// What addressing an attribute needs that is the same for all vertices.
struct Fetch<'f> {
    attribute: &'f VertexAttribute,
    format: &'static Format,
    per_instance: Option<u32>,
    address: Value,
    stride: Value,
    /// Elements that lie within the buffer.
    limit: Value,
}

/// Builds the kernel.
///
/// # Errors
/// What is wrong with the shader.
pub fn build(shader: &dyn Shader, desc: &VertexDesc<'_>, width: u32) -> Result<Func, SpirvError> {
    let (mut func, ctx, args) = kernel("vertex", width);
    let entry = crate::shader::ir::BlockId(0);
    let mut b = Builder::new(&mut func, entry);
    let b = &mut b;
    let fetches = prepare(b, shader, desc, args)?;
    let count = b.sload(args, at(offset_of!(VertexArgs, count)));
    let indices = b.lload(args, at(offset_of!(VertexArgs, indices)));
    let output = b.lload(args, at(offset_of!(VertexArgs, output)));
    let stride = b.lload(args, at(offset_of!(VertexArgs, output_stride)));
    let zero = b.sconst(0);
    let (head, params) = b.add_block(&[Type::S32]);
    b.jump(head, &[zero]);
    b.switch_to(head);
    let first = params[0];
    b.sstore(args, first, at(offset_of!(VertexArgs, done)));
    let here = element(b, indices, first, 4);
    let index = b.vload(here, 0);
    let left = b.ssub(count, first);
    let (left, lane) = (b.vsplat(left), b.viota());
    let lanes = b.vlt_s(lane, left);
    let attributes = fetches
        .iter()
        .map(|fetch| load(b, fetch, (ctx, args), index, lanes))
        .collect();
    let mut io = VertexIo {
        args,
        index,
        attributes,
    };
    super::refuel(b, shader, ctx);
    let outputs = shader.emit(
        &mut io,
        b,
        Start {
            ctx,
            exec: lanes,
            coverage: lanes,
        },
    )?;
    let out = element(b, output, first, 4);
    store(b, args, out, stride, &outputs, desc);
    let step = b.sconst(i64::from(width));
    let next = b.sadd(first, step);
    let more = b.slt_u(next, count);
    let (end, _) = b.add_block(&[]);
    b.branch(more, (head, &[next]), (end, &[]));
    b.switch_to(end);
    let done = b.sconst(0);
    b.ret(done);
    Ok(func)
}

/// The attributes that the shader reads.
fn prepare<'d>(
    b: &mut Builder<'_>,
    shader: &dyn Shader,
    desc: &'d VertexDesc<'_>,
    args: Value,
) -> Result<Vec<Fetch<'d>>, SpirvError> {
    let mut fetches = Vec::new();
    for attribute in desc.attributes {
        if !shader
            .interface()
            .inputs
            .iter()
            .any(|input| input.location == attribute.location)
        {
            continue;
        }
        let format = Format::of(attribute.format)
            .filter(|format| format.is_texel() && !format.is_depth_stencil() && format.bytes <= 16)
            .ok_or_else(|| SpirvError::Unsupported(format!("vertex format {:?}", attribute.format)))?;
        let binding = desc
            .bindings
            .iter()
            .find(|binding| binding.binding == attribute.binding);
        let per_instance = binding
            .filter(|binding| binding.input_rate == vk::VertexInputRate::INSTANCE)
            .map(|binding| binding.divisor);
        let base = offset_of!(VertexArgs, buffers) + attribute.binding as usize * size_of::<VertexBuffer>();
        let address = b.lload(args, at(base + offset_of!(VertexBuffer, address)));
        let size = b.sload(args, at(base + offset_of!(VertexBuffer, size)));
        let stride = b.sload(args, at(base + offset_of!(VertexBuffer, stride)));
        let need = b.sconst(i64::from(attribute.offset) + i64::from(format.bytes));
        let rest = b.ssub(size, need);
        let (zero, one, most) = (b.sconst(0), b.sconst(1), b.sconst(i64::from(u32::MAX)));
        let quotient = b.sdiv_u(rest, stride);
        let elements = b.sadd(quotient, one);
        let no_stride = b.seq(stride, zero);
        let elements = b.sselect(no_stride, most, elements);
        let too_small = b.slt_u(size, need);
        let limit = b.sselect(too_small, zero, elements);
        fetches.push(Fetch {
            attribute,
            format,
            per_instance,
            address,
            stride,
            limit,
        });
    }
    Ok(fetches)
}

/// Tells of elements that are not in their buffer.
fn masked(b: &mut Builder<'_>, fetch: &Fetch<'_>, ctx: Value, element: Value, [lanes, inside]: [Value; 2]) {
    let attribute = fetch.attribute;
    let guard = Guard {
        disp: attribute.offset,
        ..Guard::masked_bytes(Kind::Read, fetch.format.bytes.into())
    };
    let stride = b.vsplat(fetch.stride);
    let offset = b.vmul(element, stride);
    b.origin = fetch_origin(attribute.location);
    b.masked_o(ctx, fetch.address, offset, lanes, inside, guard.encode());
    b.origin = NO_ORIGIN;
}

/// Guards elements as they are loaded: by words, then what is left.
fn guard(b: &mut Builder<'_>, fetch: &Fetch<'_>, ctx: Value, offset: Value, inside: Value) {
    let (bytes, disp) = (u32::from(fetch.format.bytes), fetch.attribute.offset);
    let parts = [
        (4, bytes / 4, 0),
        (2, bytes % 4 / 2, bytes & !3),
        (1, bytes % 2, bytes & !1),
    ];
    for (size, count, at) in parts.into_iter().filter(|(_, count, _)| *count != 0) {
        let guard = Guard::new(Kind::Read, false, size, count, size, disp + at);
        b.guard_o(ctx, fetch.address, offset, inside, guard.encode());
    }
}

fn load(
    b: &mut Builder<'_>,
    fetch: &Fetch<'_>,
    (ctx, args): (Value, Value),
    index: Value,
    lanes: Value,
) -> Loaded {
    let words: codec::Words = match fetch.per_instance {
        Some(divisor) => load_instance(b, fetch, (ctx, args), divisor, lanes),
        None => {
            let limit = b.vsplat(fetch.limit);
            let inside = b.vlt_u(index, limit);
            let inside = b.mand(inside, lanes);
            masked(b, fetch, ctx, index, [lanes, inside]);
            let stride = b.vsplat(fetch.stride);
            let offset = b.vmul(index, stride);
            guard(b, fetch, ctx, offset, inside);
            let base = b.ladd_imm(fetch.address, i64::from(fetch.attribute.offset));
            codec::load_texel(b, base, offset, inside, fetch.format.bytes)
        }
    };
    Loaded {
        location: fetch.attribute.location,
        components: codec::unpack(b, fetch.format, &words),
    }
}

/// The words of the element of the current instance, the same in every lane; zeros outside the buffer.
fn load_instance(
    b: &mut Builder<'_>,
    fetch: &Fetch<'_>,
    (ctx, args): (Value, Value),
    divisor: u32,
    lanes: Value,
) -> codec::Words {
    let base = b.sload(args, at(offset_of!(VertexArgs, base_instance)));
    let element_index = match divisor {
        0 => base,
        1 => b.sload(args, at(offset_of!(VertexArgs, instance_index))),
        _ => {
            let instance = b.sload(args, at(offset_of!(VertexArgs, instance_index)));
            let relative = b.ssub(instance, base);
            let divisor = b.sconst(i64::from(divisor));
            let quotient = b.sdiv_u(relative, divisor);
            b.sadd(base, quotient)
        }
    };
    let (element, limit) = (b.vsplat(element_index), b.vsplat(fetch.limit));
    let there = b.vlt_u(element, limit);
    masked(b, fetch, ctx, element, [lanes, there]);
    let inside = b.slt_u(element_index, fetch.limit);
    let offset = b.smul(element_index, fetch.stride);
    let (by, there) = (b.vsplat(offset), b.mand(there, lanes));
    guard(b, fetch, ctx, by, there);
    let offset = b.lzext(offset);
    let address = b.ladd(fetch.address, offset);
    let address = b.ladd_imm(address, i64::from(fetch.attribute.offset));
    let zeros = b.ladd_imm(args, at(offset_of!(VertexArgs, zeros)));
    let address = b.lselect(inside, address, zeros);
    let bytes = fetch.format.bytes;
    let mut words: codec::Words = (0..bytes / 4)
        .map(|word| b.vload_splat(address, i64::from(word) * 4))
        .collect();
    let rest = i64::from(bytes / 4) * 4;
    let last = match bytes % 4 {
        1 => b.sload8(address, rest),
        2 => b.sload16(address, rest),
        3 => {
            let (low, high) = (b.sload16(address, rest), b.sload8(address, rest + 2));
            let shift = b.sconst(16);
            let high = b.sshl(high, shift);
            b.sor(low, high)
        }
        _ => return words,
    };
    words.push(b.vsplat(last));
    words
}

fn store(
    b: &mut Builder<'_>,
    args: Value,
    out: Value,
    stride: Value,
    outputs: &Outputs,
    desc: &VertexDesc<'_>,
) {
    let find = |slot: OutputSlot| {
        outputs
            .values
            .iter()
            .find(|output| output.slot == slot)
            .map(|o| o.value)
    };
    let zero = b.vconst(0);
    let mut clip = [0, 1, 2, 3].map(|i| find(OutputSlot::BuiltIn(BuiltIn::Position, i)).unwrap_or(zero));
    if desc.negative_one_to_one {
        // The same volume with the near plane at 0.
        let (sum, half) = (b.fadd(clip[2], clip[3]), b.fconst(0.5));
        clip[2] = b.fmul(sum, half);
    }
    let one = b.fconst(1.0);
    let size = find(OutputSlot::BuiltIn(BuiltIn::PointSize, 0)).unwrap_or(one);
    let mut framebuffer = to_framebuffer(b, args, &clip);
    framebuffer[4] = distance_flags(b, outputs, framebuffer[4]);
    let mut vectors: SmallVec<[Value; 32]> = clip.into_iter().chain(framebuffer).collect();
    vectors.push(size);
    debug_assert_eq!(
        vectors.len(),
        vertex_output::USER as usize,
        "the order of `vertex_output`"
    );
    for &(location, component) in desc.varyings {
        let slot = match location {
            CLIP_DISTANCES => OutputSlot::BuiltIn(BuiltIn::ClipDistance, component),
            CULL_DISTANCES => OutputSlot::BuiltIn(BuiltIn::CullDistance, component),
            _ => OutputSlot::Location {
                location,
                component,
                index: 0,
            },
        };
        vectors.push(find(slot).unwrap_or(zero));
    }
    let mut address = out;
    for (i, &vector) in vectors.iter().enumerate() {
        if i > 0 {
            address = b.ladd(address, stride);
        }
        b.vstore(address, vector, 0);
    }
}

/// Adds the flags of clip and cull distances.
fn distance_flags(b: &mut Builder<'_>, outputs: &Outputs, flags: Value) -> Value {
    let mut flags = flags;
    let zero = b.fconst(0.0);
    for output in &outputs.values {
        let (bit, on) = match output.slot {
            OutputSlot::BuiltIn(BuiltIn::ClipDistance, i @ 0..8) => {
                let inside = b.fle(zero, output.value);
                (clip_flag::CLIP << i, b.mnot(inside))
            }
            OutputSlot::BuiltIn(BuiltIn::CullDistance, i @ 0..8) => {
                (clip_flag::CULL << i, b.flt(output.value, zero))
            }
            _ => continue,
        };
        let (bit, none) = (b.vconst(i64::from(bit)), b.vconst(0));
        let bit = b.vselect(on, bit, none);
        flags = b.vor(flags, bit);
    }
    flags
}

/// Fixed-point x and y, depth, 1 / w and flags.
fn to_framebuffer(b: &mut Builder<'_>, args: Value, clip: &[Value; 4]) -> [Value; 5] {
    let &[x, y, z, w] = clip;
    let one = b.fconst(1.0);
    let q = b.fdiv(one, w);
    let place = |b: &mut Builder<'_>, axis: usize| {
        let scale = b.vload_splat(args, at(offset_of!(VertexArgs, viewport_scale) + 4 * axis));
        let offset = b.vload_splat(args, at(offset_of!(VertexArgs, viewport_offset) + 4 * axis));
        let v = b.fmul(clip[axis], q);
        let v = b.fmul(v, scale);
        b.fadd(v, offset)
    };
    let [fx, fy, depth] = [0, 1, 2].map(|axis| place(b, axis));
    let fixed = |b: &mut Builder<'_>, v: Value| {
        let factor = b.fconst(256.0);
        let v = b.fmul(v, factor);
        let v = b.fround(v);
        b.ftoi(v)
    };
    let (xi, yi) = (fixed(b, fx), fixed(b, fy));
    let band = b.fconst(GUARD_BAND);
    let least = b.fconst(MIN_W);
    let (ax, ay) = (b.fabs(fx), b.fabs(fy));
    let (mx, my, mw) = (b.fle(ax, band), b.fle(ay, band), b.fle(least, w));
    let valid = b.mand(mx, my);
    let valid = b.mand(valid, mw);
    let (zero, minus_w) = (b.fconst(0.0), b.fneg(w));
    let tests = [
        (clip_flag::LEFT, b.flt(x, minus_w)),
        (clip_flag::RIGHT, b.flt(w, x)),
        (clip_flag::TOP, b.flt(y, minus_w)),
        (clip_flag::BOTTOM, b.flt(w, y)),
        (clip_flag::NEAR, b.flt(z, zero)),
        (clip_flag::FAR, b.flt(w, z)),
        (clip_flag::GUARD, b.mnot(valid)),
    ];
    let mut flags = b.vconst(0);
    for (bit, mask) in tests {
        let (bit, none) = (b.vconst(i64::from(bit)), b.vconst(0));
        let bit = b.vselect(mask, bit, none);
        flags = b.vor(flags, bit);
    }
    [xi, yi, depth, q, flags]
}
