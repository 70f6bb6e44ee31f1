//! Dispatches of hand-made shaders.

use super::{Dispatch, dispatch};
use crate::device::workers::{RoutineHost, Workers};
use crate::exec::ExecError;
use crate::memory::AlignedBuf;
use crate::pipeline::{ComputePipeline, ComputePipelineDesc, ResourceLayout, Specialization, StageDesc};
use crate::shader::abi::Context;
use crate::shader::ir::{Builder, Value};
use crate::shader::kernel::Backend;
use crate::shader::spirv::{BuiltIn, Interface, StageIo, Start};
use crate::shader::stage::testing::{Body, HandMade};
use crate::vk;
use smallvec::SmallVec;
use std::mem::offset_of;
use std::sync::Arc;

fn pipeline(workgroup_size: [u32; 3], shared_bytes: u32, body: Body) -> Arc<ComputePipeline> {
    let interface = Interface {
        workgroup_size,
        shared_bytes,
        ..Interface::default()
    };
    let stage = StageDesc {
        stage: vk::ShaderStageFlags::COMPUTE,
        code: Arc::new([]),
        entry: String::new(),
        specialization: Specialization::default(),
        heap: None,
    };
    let desc = ComputePipelineDesc {
        stage,
        layout: Arc::new(ResourceLayout::default()),
    };
    let shader = HandMade { interface, body };
    Arc::new(ComputePipeline::with_shader(desc, &shader, Backend::best()).expect("it compiles"))
}

/// Runs with `words` output words as set 0.
fn run(
    pipeline: &Arc<ComputePipeline>,
    base: [u32; 3],
    groups: [u32; 3],
    words: usize,
    workers: usize,
) -> Result<Vec<u32>, ExecError> {
    let buffer = AlignedBuf::new(words * 4);
    let mut sets = [0; _];
    sets[0] = buffer.address();
    let what = Dispatch {
        sets,
        dynamic_offsets: SmallVec::new(),
        push: SmallVec::new(),
        base,
        groups,
        counters: SmallVec::new(),
        masked: None,
        order: None,
    };
    let workers = Workers::new(Some(workers), RoutineHost::default());
    dispatch(&workers, pipeline, &what)?;
    Ok(buffer.as_slice::<u32>().to_vec())
}

fn set_address(b: &mut Builder<'_>, start: Start) -> Value {
    b.lload(start.ctx, offset_of!(Context, sets) as i64)
}

/// Linear global index of each lane, for workgroups of `size` invocations in a row.
fn global(io: &mut dyn StageIo, b: &mut Builder<'_>, size: i64) -> Value {
    let group = io
        .load_builtin(b, BuiltIn::WorkgroupId, 0)
        .expect("compute has it");
    let index = io
        .load_builtin(b, BuiltIn::LocalInvocationIndex, 0)
        .expect("compute has it");
    let size = b.sconst(size);
    let first = b.smul(group, size);
    let first = b.vsplat(first);
    b.vadd(first, index)
}

#[test]
fn every_invocation_runs_once_with_its_ids() {
    let body: Body = |io, b, start| {
        let index = global(io, b, 30);
        let [x, y, z] = [0, 1, 2].map(|i| io.load_builtin(b, BuiltIn::LocalInvocationId, i).expect("it has"));
        let (ten, hundred) = (b.vconst(10), b.vconst(100));
        let (y, z) = (b.vmul(y, ten), b.vmul(z, hundred));
        let sum = b.vadd(x, y);
        let sum = b.vadd(sum, z);
        let thousand = b.vconst(1000);
        let tag = b.vmul(index, thousand);
        let value = b.vadd(sum, tag);
        let four = b.vconst(4);
        let offset = b.vmul(index, four);
        let base = set_address(b, start);
        b.scatter(base, offset, value, start.exec, 0);
        (Vec::new(), None)
    };
    let pipeline = pipeline([5, 3, 2], 0, body);
    for workers in [1, 2, 4] {
        // Groups 2 to 100 only.
        let out = run(&pipeline, [2, 0, 0], [99, 1, 1], 30 * 101, workers).expect("it runs");
        for (i, &word) in out.iter().enumerate() {
            let (group, local) = (i / 30, i % 30);
            let id = local % 5 + local / 5 % 3 * 10 + local / 15 * 100;
            assert_eq!(word as usize, if group < 2 { 0 } else { id + i * 1000 });
        }
    }
}

#[test]
fn waves_meet_at_barriers() {
    // Each invocation writes its index to shared memory and reads that of the opposite one.
    let body: Body = |io, b, start| {
        let index = io
            .load_builtin(b, BuiltIn::LocalInvocationIndex, 0)
            .expect("compute has it");
        let shared = b.lload(start.ctx, offset_of!(Context, shared) as i64);
        let four = b.vconst(4);
        let offset = b.vmul(index, four);
        b.scatter(shared, offset, index, start.exec, 0);
        b.barrier();
        let last = b.vconst(4 * 39);
        let opposite = b.vsub(last, offset);
        let value = b.gather(shared, opposite, start.exec, 0);
        let at = global(io, b, 40);
        let at = b.vmul(at, four);
        let base = set_address(b, start);
        b.scatter(base, at, value, start.exec, 0);
        (Vec::new(), None)
    };
    let pipeline = pipeline([40, 1, 1], 160, body);
    let out = run(&pipeline, [0; 3], [3, 1, 1], 120, 2).expect("it runs");
    for (i, &word) in out.iter().enumerate() {
        assert_eq!(word as usize, 39 - i % 40);
    }
}
