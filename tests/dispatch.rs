//! Dispatches through the loader: push constants, dynamic offsets, bases, indirect sizes.

mod common;

use common::{
    Device,
    pipeline::{BufferSet, Pipeline},
    vk,
    work::{Buffer, run},
};

const COMPUTE: vk::PipelineBindPoint = vk::PipelineBindPoint::COMPUTE;
const ALL: vk::ShaderStageFlags = vk::ShaderStageFlags::ALL;

#[test]
fn dispatches_take_the_state_that_was_bound_before_them() {
    let device = Device::new();
    let raw = &device.raw;
    let (out, size) = (
        Buffer::new(&device, 1024),
        Buffer::with(&device, &[2, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]),
    );
    let set = BufferSet::new(&device, vk::DescriptorType::STORAGE_BUFFER_DYNAMIC, &out, 256);
    let layout = Pipeline::layout(&device, &[set.layout], 4);
    let pipeline = Pipeline::compute(&device, include_bytes!("../shaders/test/fill.comp.spv"), layout);
    run(&device, |cb| {
        let bind = |offset: u32, value: u32| {
            // SAFETY: the set fits the layout.
            unsafe {
                raw.cmd_bind_descriptor_sets(cb, COMPUTE, layout, 0, &[set.set], &[offset]);
                raw.cmd_push_constants(cb, layout, ALL, 0, &value.to_le_bytes());
            }
        };
        // SAFETY: the dispatches stay within the buffer.
        unsafe {
            raw.cmd_bind_pipeline(cb, COMPUTE, pipeline.raw);
            bind(0, 1000);
            raw.cmd_dispatch(cb, 1, 1, 1);
            bind(256, 2000);
            raw.cmd_dispatch_base(cb, 1, 0, 0, 2, 1, 1);
            bind(512, 3000);
            raw.cmd_dispatch_indirect(cb, size.raw, 0);
            bind(768, 4000);
            raw.cmd_dispatch(cb, 0, 1, 1);
        }
    });
    let words = out.words();
    let expected = |i: usize| {
        let (part, i) = (i / 64, i % 64);
        let written = [0..8, 8..24, 0..16, 0..0][part].contains(&i);
        if written {
            1000 * (part as u32 + 1) + i as u32
        } else {
            0
        }
    };
    assert!(
        words.iter().enumerate().all(|(i, &word)| word == expected(i)),
        "{words:?}"
    );
    pipeline.destroy(&device);
    set.destroy(&device);
    out.destroy(&device);
    size.destroy(&device);
}
