//! Compute kernels: one wave of a workgroup.

use super::{Shader, at, kernel};
use crate::shader::abi::{ComputeArgs, SUBGROUP_SIZE};
use crate::shader::ir::{BlockId, Builder, Func, Value};
use crate::shader::spirv::{BuiltIn, Input, SpirvError, StageIo, Start};
use std::mem::offset_of;

/// Local ids are kept for a multiple of this many invocations.
const PADDING: u32 = 16;

/// The x of every local invocation of a workgroup, then the ys, then the zs: what [`ComputeArgs::local_ids`] points to.
#[must_use]
pub fn local_ids(size: [u32; 3]) -> Vec<u32> {
    let total = size[0] * size[1] * size[2];
    let padded = total.next_multiple_of(PADDING);
    let of = |i: u32| [i % size[0], i / size[0] % size[1], i / (size[0] * size[1])];
    (0..3)
        .flat_map(|axis| (0..padded).map(move |i| of(i)[axis]))
        .collect()
}

struct ComputeIo {
    args: Value,
    /// Local invocation index of each lane.
    index: Value,
    total: u32,
}

impl StageIo for ComputeIo {
    fn load_input(&mut self, b: &mut Builder<'_>, _: &Input) -> Value {
        b.vconst(0)
    }

    fn load_builtin(&mut self, b: &mut Builder<'_>, builtin: BuiltIn, component: u32) -> Option<Value> {
        let word = 4 * component as usize;
        Some(match builtin {
            BuiltIn::WorkgroupId => b.sload(self.args, at(offset_of!(ComputeArgs, workgroup_id) + word)),
            BuiltIn::NumWorkgroups => b.sload(self.args, at(offset_of!(ComputeArgs, num_workgroups) + word)),
            BuiltIn::LocalInvocationId => {
                let ids = b.lload(self.args, at(offset_of!(ComputeArgs, local_ids)));
                let first = b.sload(self.args, at(offset_of!(ComputeArgs, first_invocation)));
                let here = super::element(b, ids, first, 4);
                let axis = component * self.total.next_multiple_of(PADDING);
                b.vload(here, 4 * i64::from(axis))
            }
            BuiltIn::LocalInvocationIndex => self.index,
            BuiltIn::NumSubgroups => b.sconst(i64::from(self.total.div_ceil(SUBGROUP_SIZE))),
            _ => return None,
        })
    }
}

/// Builds the kernel.
///
/// # Errors
/// What is wrong with the shader.
pub fn build(shader: &dyn Shader, width: u32) -> Result<Func, SpirvError> {
    let (mut func, ctx, args) = kernel("compute", width);
    let mut builder = Builder::new(&mut func, BlockId(0));
    let b = &mut builder;
    let size = shader.interface().workgroup_size;
    let total = size[0] * size[1] * size[2];
    let first = b.sload(args, at(offset_of!(ComputeArgs, first_invocation)));
    let (first, lane) = (b.vsplat(first), b.viota());
    let index = b.vadd(first, lane);
    let exec = if total.is_multiple_of(width) {
        b.mconst(1)
    } else {
        let total = b.vconst(i64::from(total));
        b.vlt_u(index, total)
    };
    let mut io = ComputeIo { args, index, total };
    shader.emit(
        &mut io,
        b,
        Start {
            ctx,
            exec,
            coverage: exec,
        },
    )?;
    let done = b.sconst(0);
    b.ret(done);
    Ok(func)
}

#[cfg(test)]
mod tests {
    use super::local_ids;

    #[test]
    fn local_ids_count_x_first() {
        let ids = local_ids([3, 2, 2]);
        assert_eq!(ids.len(), 48);
        let at = |i: usize| [ids[i], ids[16 + i], ids[32 + i]];
        assert_eq!(
            [at(0), at(2), at(3), at(6), at(11)],
            [[0, 0, 0], [2, 0, 0], [0, 1, 0], [0, 0, 1], [2, 1, 1]]
        );
    }
}
