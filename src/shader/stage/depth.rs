//! Depth bounds, stencil and depth tests of one sample of each lane.

use super::at;
use crate::resource::format::{Format, Numeric};
use crate::shader::abi::{FragmentArgs, StencilFace};
use crate::shader::ir::{Builder, Value};
use crate::shader::sampling::codec;
use crate::vk;
use std::mem::offset_of;

/// Operations of one stencil face.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "Vulkan's names")]
pub struct StencilOps {
    pub fail: vk::StencilOp,
    pub pass: vk::StencilOp,
    pub depth_fail: vk::StencilOp,
    pub compare: vk::CompareOp,
}

/// Tests of a fragment kernel.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct DepthStencilKey {
    /// Compare operation of the depth test, if it is on and there is a depth attachment.
    pub depth: Option<vk::CompareOp>,
    /// Whether passing depths are written.
    pub depth_write: bool,
    /// Whether the depth bounds test is on.
    pub bounds: bool,
    /// Front and back face, if the stencil test is on and there is a stencil attachment.
    pub stencil: Option<[StencilOps; 2]>,
}

impl DepthStencilKey {
    /// Whether there is nothing to do.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.depth.is_none() && !self.bounds && self.stencil.is_none()
    }
}

/// Planes and formats the tests work on.
pub(super) struct Planes {
    /// Address of the words of this sample and these lanes in the depth plane, with its format.
    pub depth: Option<(Value, &'static Format)>,
    /// Address of the words of this sample and these lanes in the stencil plane.
    pub stencil: Option<Value>,
}

/// `a op b` of unsigned integers.
fn compare_u(b: &mut Builder<'_>, op: vk::CompareOp, x: Value, y: Value) -> Value {
    match op {
        vk::CompareOp::NEVER => b.mconst(0),
        vk::CompareOp::LESS => b.vlt_u(x, y),
        vk::CompareOp::EQUAL => b.veq(x, y),
        vk::CompareOp::LESS_OR_EQUAL => b.vle_u(x, y),
        vk::CompareOp::GREATER => b.vlt_u(y, x),
        vk::CompareOp::NOT_EQUAL => b.vne(x, y),
        vk::CompareOp::GREATER_OR_EQUAL => b.vle_u(y, x),
        _ => b.mconst(1),
    }
}

/// `a op b` of floats.
fn compare_f(b: &mut Builder<'_>, op: vk::CompareOp, x: Value, y: Value) -> Value {
    match op {
        vk::CompareOp::NEVER => b.mconst(0),
        vk::CompareOp::LESS => b.flt(x, y),
        vk::CompareOp::EQUAL => b.feq(x, y),
        vk::CompareOp::LESS_OR_EQUAL => b.fle(x, y),
        vk::CompareOp::GREATER => b.flt(y, x),
        vk::CompareOp::NOT_EQUAL => b.fne(x, y),
        vk::CompareOp::GREATER_OR_EQUAL => b.fle(y, x),
        _ => b.mconst(1),
    }
}

fn stencil_op(b: &mut Builder<'_>, op: vk::StencilOp, old: Value, reference: Value) -> Value {
    let (one, most, zero) = (b.vconst(1), b.vconst(255), b.vconst(0));
    match op {
        vk::StencilOp::ZERO => zero,
        vk::StencilOp::REPLACE => reference,
        vk::StencilOp::INCREMENT_AND_CLAMP => {
            let next = b.vadd(old, one);
            b.vmin_s(next, most)
        }
        vk::StencilOp::DECREMENT_AND_CLAMP => {
            let next = b.vsub(old, one);
            b.vmax_s(next, zero)
        }
        vk::StencilOp::INVERT => b.vxor(old, most),
        vk::StencilOp::INCREMENT_AND_WRAP => {
            let next = b.vadd(old, one);
            b.vand(next, most)
        }
        vk::StencilOp::DECREMENT_AND_WRAP => {
            let next = b.vsub(old, one);
            b.vand(next, most)
        }
        _ => old,
    }
}

/// One face's numbers.
struct Face {
    reference: Value,
    compare_mask: Value,
    write_mask: Value,
}

fn face_numbers(b: &mut Builder<'_>, args: Value, front: Value) -> Face {
    let faces = offset_of!(FragmentArgs, stencil_faces);
    let face = |i: usize| at(faces + i * size_of::<StencilFace>());
    let (first, second) = (b.ladd_imm(args, face(0)), b.ladd_imm(args, face(1)));
    let address = b.lselect(front, first, second);
    Face {
        reference: b.vload_splat(address, at(offset_of!(StencilFace, reference))),
        compare_mask: b.vload_splat(address, at(offset_of!(StencilFace, compare_mask))),
        write_mask: b.vload_splat(address, at(offset_of!(StencilFace, write_mask))),
    }
}

/// Does `make` for the operations of the primitive's face.
fn by_face(
    b: &mut Builder<'_>,
    front: Value,
    [ops, back]: &[StencilOps; 2],
    make: impl Fn(&mut Builder<'_>, &StencilOps) -> Value,
) -> Value {
    let value = make(b, ops);
    if ops == back {
        return value;
    }
    let other = make(b, back);
    let (one, zero) = (b.sconst(1), b.sconst(0));
    let front = b.sselect(front, one, zero);
    let front = b.vsplat(front);
    let none = b.vconst(0);
    let is_front = b.vne(front, none);
    b.vselect(is_front, value, other)
}

/// What a sample is tested with.
pub(super) struct Fragment {
    /// Whether the primitive is front-facing, a `B`.
    pub front: Value,
    /// The sample's depth.
    pub depth: Value,
    /// The shader's stencil reference, in place of the state's.
    pub reference: Option<Value>,
}

/// Runs the tests and updates the planes; gives the lanes of `mask` that passed.
pub(super) fn test(
    b: &mut Builder<'_>,
    key: &DepthStencilKey,
    planes: &Planes,
    args: Value,
    fragment: &Fragment,
    mask: Value,
) -> Value {
    let mut mask = mask;
    let stored = planes
        .depth
        .map(|(address, format)| (b.vload(address, 0), address, format));
    if let (true, Some((old, _, format))) = (key.bounds, &stored) {
        let old = codec::unpack(b, format, &[*old])[0];
        let bounds = at(offset_of!(FragmentArgs, depth_bounds));
        let (low, high) = (b.vload_splat(args, bounds), b.vload_splat(args, bounds + 4));
        let (above, below) = (b.fle(low, old), b.fle(old, high));
        mask = b.mand(mask, above);
        mask = b.mand(mask, below);
    }
    // Lanes that pass the depth test, and the words to store.
    let mut passed = None;
    if let (Some(op), Some((old, address, format))) = (key.depth, stored) {
        let new = codec::pack(b, format, [fragment.depth; 4])[0];
        let is_float = format.numeric() == Numeric::Float && !format.is_normalized();
        let pass = if is_float {
            compare_f(b, op, new, old)
        } else {
            compare_u(b, op, new, old)
        };
        passed = Some((pass, new, address));
    }
    if let (Some(ops), Some(address)) = (&key.stencil, planes.stencil) {
        let depth_passed = passed.map(|(pass, ..)| pass);
        mask = stencil_test(b, ops, address, args, fragment, depth_passed, mask);
    }
    if let Some((pass, new, address)) = passed {
        mask = b.mand(mask, pass);
        if key.depth_write {
            b.vstore_masked(address, new, mask, 0);
        }
    }
    mask
}

/// Stencil test and update; gives the lanes of `mask` that passed it, whatever the depth test says.
fn stencil_test(
    b: &mut Builder<'_>,
    ops: &[StencilOps; 2],
    address: Value,
    args: Value,
    fragment: &Fragment,
    depth_passed: Option<Value>,
    mask: Value,
) -> Value {
    let front = fragment.front;
    let old = b.vload(address, 0);
    let numbers = face_numbers(b, args, front);
    let all = b.vconst(255);
    let reference = fragment.reference.unwrap_or(numbers.reference);
    let reference = b.vand(reference, all);
    let (x, y) = (
        b.vand(reference, numbers.compare_mask),
        b.vand(old, numbers.compare_mask),
    );
    let pass = by_face(b, front, ops, |b, ops| {
        let pass = compare_u(b, ops.compare, x, y);
        super::mask_to_int(b, pass)
    });
    let none = b.vconst(0);
    let pass = b.vne(pass, none);
    let new = by_face(b, front, ops, |b, ops| {
        let on_pass = stencil_op(b, ops.pass, old, reference);
        let behind = match depth_passed {
            Some(depth) => {
                let on_depth_fail = stencil_op(b, ops.depth_fail, old, reference);
                b.vselect(depth, on_pass, on_depth_fail)
            }
            None => on_pass,
        };
        let on_fail = stencil_op(b, ops.fail, old, reference);
        b.vselect(pass, behind, on_fail)
    });
    let write = b.vand(numbers.write_mask, all);
    let keep = b.vxor(write, all);
    let (kept, written) = (b.vand(old, keep), b.vand(new, write));
    let new = b.vor(kept, written);
    b.vstore_masked(address, new, mask, 0);
    b.mand(mask, pass)
}
