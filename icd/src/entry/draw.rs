//! Draws and conditions that extensions add.

use super::command_buffer::bytes;
use crate::{args::Array, boundary::commands, command::CommandBuffer, dispatch::Ref};
use ash::vk;

commands! {
    fn vkCmdDrawMultiEXT(
        buffer: Ref<CommandBuffer>,
        count: u32,
        draws: Array<vk::MultiDrawInfoEXT>,
        instances: u32,
        first_instance: u32,
        stride: u32,
    ) {
        buffer.record(|r| {
            for i in 0..count {
                if let Some(draw) = draws.at_stride(i, stride) {
                    r.draw_of_many(i, [draw.vertex_count, draw.first_vertex], [instances, first_instance]);
                }
            }
        });
        Ok(())
    }

    fn vkCmdDrawMultiIndexedEXT(
        buffer: Ref<CommandBuffer>,
        count: u32,
        draws: Array<vk::MultiDrawIndexedInfoEXT>,
        instances: u32,
        first_instance: u32,
        stride: u32,
        vertex_offset: Option<&i32>,
    ) {
        buffer.record(|r| {
            for i in 0..count {
                if let Some(draw) = draws.at_stride(i, stride) {
                    let offset = vertex_offset.copied().unwrap_or(draw.vertex_offset);
                    let indices = [draw.index_count, draw.first_index];
                    r.draw_indexed_of_many(i, indices, offset, [instances, first_instance]);
                }
            }
        });
        Ok(())
    }

    fn vkCmdBeginConditionalRenderingEXT(
        buffer: Ref<CommandBuffer>,
        info: &vk::ConditionalRenderingBeginInfoEXT<'_>,
    ) {
        let word = bytes(&buffer, info.buffer, info.offset, 4)?;
        let inverted = info.flags.contains(vk::ConditionalRenderingFlagsEXT::INVERTED);
        buffer.record(|r| r.begin_conditional(word.address, inverted));
        Ok(())
    }

    fn vkCmdEndConditionalRenderingEXT(buffer: Ref<CommandBuffer>) {
        buffer.record(lahar::command::Recorder::end_conditional);
        Ok(())
    }
}
