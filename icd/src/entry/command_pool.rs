//! Command pools, and the life of command buffers.

use crate::{
    args::{Array, Out, OutArray},
    boundary::commands,
    chain,
    command::{CommandBuffer, CommandPool},
    device::{Device, DeviceState},
    dispatch::Ref,
    error::Answer,
};
use ash::vk::{self, Handle};
use lahar::command::{self, Begin};
use parking_lot::Mutex;
use std::sync::Arc;

commands! {
    fn vkCreateCommandPool(
        device: Ref<Device>,
        _info: &vk::CommandPoolCreateInfo<'_>,
        _allocator: Option<&vk::AllocationCallbacks<'_>>,
        pool: Out<vk::CommandPool>,
    ) -> vk::Result {
        pool.write(device.tables.command_pools.insert(Arc::new(CommandPool::default())));
        Ok(())
    }

    fn vkDestroyCommandPool(
        device: Ref<Device>,
        pool: vk::CommandPool,
        _allocator: Option<&vk::AllocationCallbacks<'_>>,
    ) {
        if let Some(pool) = device.tables.command_pools.remove(pool) {
            pool.each(|buffer| device.private_data.forget(vk::ObjectType::COMMAND_BUFFER, buffer));
        }
        Ok(())
    }

    fn vkResetCommandPool(
        device: Ref<Device>,
        pool: vk::CommandPool,
        flags: vk::CommandPoolResetFlags,
    ) -> vk::Result {
        let release = flags.contains(vk::CommandPoolResetFlags::RELEASE_RESOURCES);
        device.tables.command_pools.get(pool)?.reset(release);
        Ok(())
    }

    fn vkTrimCommandPool(_device: Ref<Device>, _pool: vk::CommandPool, _flags: vk::CommandPoolTrimFlags) {
        // Memory belongs to the command buffers; a pool keeps none.
        Ok(())
    }

    fn vkAllocateCommandBuffers(
        device: Ref<Device>,
        info: &vk::CommandBufferAllocateInfo<'_>,
        buffers: OutArray<vk::CommandBuffer>,
    ) -> vk::Result {
        let pool = device.tables.command_pools.get(info.command_pool)?;
        let secondary = info.level == vk::CommandBufferLevel::SECONDARY;
        for index in 0..info.command_buffer_count {
            let buffer = CommandBuffer {
                device: device.state.clone(),
                engine: command::CommandBuffer::new(device.engine.next_command_buffer(), secondary),
                sets: Mutex::default(),
            };
            buffers.write(index as usize, pool.add(buffer));
        }
        Ok(())
    }

    fn vkFreeCommandBuffers(
        device: Ref<Device>,
        pool: vk::CommandPool,
        count: u32,
        buffers: Array<vk::CommandBuffer>,
    ) {
        let pool = device.tables.command_pools.get(pool)?;
        for buffer in buffers.get(count) {
            device.private_data.forget(vk::ObjectType::COMMAND_BUFFER, buffer.as_raw());
            pool.free(*buffer);
        }
        Ok(())
    }

    fn vkBeginCommandBuffer(buffer: Ref<CommandBuffer>, info: &vk::CommandBufferBeginInfo<'_>) -> vk::Result {
        let mut begin = Begin {
            one_time: info.flags.contains(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT),
            ..Begin::default()
        };
        if buffer.engine.is_secondary() && info.flags.contains(vk::CommandBufferUsageFlags::RENDER_PASS_CONTINUE) {
            begin.inside_pass = true;
            // SAFETY: a secondary command buffer's inheritance is valid.
            let inheritance = unsafe { info.p_inheritance_info.as_ref() };
            begin.view_mask = match inheritance {
                Some(inheritance) => inherited_views(&buffer.device, inheritance)?,
                None => 0,
            };
        }
        buffer.engine.begin(begin);
        Ok(())
    }

    fn vkEndCommandBuffer(buffer: Ref<CommandBuffer>) -> vk::Result {
        buffer.engine.end();
        Ok(())
    }

    fn vkResetCommandBuffer(buffer: Ref<CommandBuffer>, flags: vk::CommandBufferResetFlags) -> vk::Result {
        buffer.engine.reset(flags.contains(vk::CommandBufferResetFlags::RELEASE_RESOURCES));
        Ok(())
    }
}

/// Aliases of extensions.
pub(crate) const ALIASES: &[(&str, &str)] = &[("vkTrimCommandPoolKHR", "vkTrimCommandPool")];

/// The view mask of the subpass or rendering that a secondary command buffer continues.
fn inherited_views(device: &DeviceState, info: &vk::CommandBufferInheritanceInfo<'_>) -> Answer<u32> {
    let pass = device.tables.render_passes.get_optional(info.render_pass)?;
    Ok(match pass {
        Some(pass) => pass
            .subpasses
            .get(info.subpass as usize)
            .map_or(0, |subpass| subpass.view_mask),
        None => chain::find::<vk::CommandBufferInheritanceRenderingInfo<'_>, _>(info)
            .map_or(0, |rendering| rendering.view_mask),
    })
}
