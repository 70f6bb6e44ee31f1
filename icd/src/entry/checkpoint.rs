//! How far a lost device came: checkpoints (`VK_NV_device_diagnostic_checkpoints`) and markers in buffers
//! (`VK_AMD_buffer_marker`).
//!
//! Both stop where the fault is, in the order of the commands: what was set before the command at fault has been
//! reached, nothing behind it has, whatever the workers had begun.

use super::command_buffer::bytes;
use crate::{
    args::OutArray, boundary::commands, command::CommandBuffer, device::Queue, dispatch::Ref, error::Answer,
};
use ash::vk;
use std::ffi::c_void;

/// Stages at which checkpoints are told of: begun, and done.
pub(super) const STAGES: [vk::PipelineStageFlags; 2] = [
    vk::PipelineStageFlags::TOP_OF_PIPE,
    vk::PipelineStageFlags::BOTTOM_OF_PIPE,
];

commands! {
    fn vkCmdSetCheckpointNV(buffer: Ref<CommandBuffer>, marker: *const c_void) {
        buffer.record(|r| r.checkpoint(marker as u64));
        Ok(())
    }

    fn vkGetQueueCheckpointDataNV(
        queue: Ref<Queue>,
        count: &mut u32,
        data: OutArray<vk::CheckpointDataNV<'_>>,
    ) {
        Ok(data.enumerate_in_place(count, reached(&queue), |slot, (stage, marker)| {
            slot.stage = stage;
            slot.p_checkpoint_marker = marker as *mut c_void;
        }))
    }

    fn vkGetQueueCheckpointData2NV(
        queue: Ref<Queue>,
        count: &mut u32,
        data: OutArray<vk::CheckpointData2NV<'_>>,
    ) {
        Ok(data.enumerate_in_place(count, reached(&queue), |slot, (stage, marker)| {
            slot.stage = vk::PipelineStageFlags2::from_raw(stage.as_raw().into());
            slot.p_checkpoint_marker = marker as *mut c_void;
        }))
    }

    fn vkCmdWriteBufferMarkerAMD(
        buffer: Ref<CommandBuffer>,
        _stage: vk::PipelineStageFlags,
        dst: vk::Buffer,
        offset: u64,
        marker: u32,
    ) {
        write_marker(&buffer, dst, offset, marker)
    }

    fn vkCmdWriteBufferMarker2AMD(
        buffer: Ref<CommandBuffer>,
        _stage: vk::PipelineStageFlags2,
        dst: vk::Buffer,
        offset: u64,
        marker: u32,
    ) {
        write_marker(&buffer, dst, offset, marker)
    }
}

/// Whatever the stage, the marker is written when all commands before are done: later than asked is allowed.
fn write_marker(buffer: &CommandBuffer, dst: vk::Buffer, offset: u64, marker: u32) -> Answer {
    let at = bytes(buffer, dst, offset, 4)?;
    buffer.record(|r| r.write_marker(at.address, marker));
    Ok(())
}

/// The stages with the markers that they reached before the loss; nothing on a healthy device.
fn reached(queue: &Queue) -> impl ExactSizeIterator<Item = (vk::PipelineStageFlags, u64)> {
    let engine = &queue.device.engine;
    let cause = engine.loss().cause();
    let marker = cause.and_then(|cause| engine.trails().checkpoint_before(queue.engine(), cause.position));
    let reached: Vec<_> = marker
        .into_iter()
        .flat_map(|marker| STAGES.map(|stage| (stage, marker)))
        .collect();
    reached.into_iter()
}
