//! Command pools, and the life of command buffers.

use crate::{
    args::{Array, Out, OutArray},
    boundary::commands,
    chain,
    command::{CommandBuffer, CommandPool},
    device::{Device, DeviceState},
    dispatch::Ref,
    error::{Answer, Error},
    hook,
    host::Callbacks,
    objects,
};
use ash::vk::{self, Handle};
use lahar::command::Begin;

commands! {
    fn vkCreateCommandPool(
        device: Ref<Device>,
        _info: &vk::CommandPoolCreateInfo<'_>,
        allocator: Option<&vk::AllocationCallbacks<'_>>,
        pool: Out<vk::CommandPool>,
    ) -> vk::Result {
        pool.write(device.create(&device.tables.command_pools, allocator, || Ok(CommandPool::new(Callbacks::of(allocator).or(device.callbacks))))?);
        Ok(())
    }

    fn vkDestroyCommandPool(
        device: Ref<Device>,
        pool: vk::CommandPool,
        allocator: Option<&vk::AllocationCallbacks<'_>>,
    ) {
        if let Some(pool) = objects::destroy(&device.tables.command_pools, pool, allocator) {
            pool.each(|buffer| device.private_data.forget(vk::ObjectType::COMMAND_BUFFER, buffer));
            pool.free_all(allocator);
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
        if let Some(code) = hook::take_code() {
            (0..info.command_buffer_count as usize).for_each(|index| buffers.write(index, vk::CommandBuffer::null()));
            return Err(Error(code));
        }
        let pool = device.tables.command_pools.get(info.command_pool)?;
        let secondary = info.level == vk::CommandBufferLevel::SECONDARY;
        let count = info.command_buffer_count as usize;
        let mut made = Vec::with_capacity(count);
        let result = (0..count).try_for_each(|_| {
            made.push(pool.allocate(&device.state, secondary)?);
            Ok(())
        });
        if result.is_err() {
            made.drain(..).for_each(|buffer| pool.free(buffer));
        }
        for index in 0..count {
            buffers.write(index, made.get(index).copied().unwrap_or_default());
        }
        result
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
            poison: buffer.device.instance.config.poison,
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
        buffer.recorded.lock().take();
        buffer.engine.begin(begin);
        Ok(())
    }

    fn vkEndCommandBuffer(buffer: Ref<CommandBuffer>) -> vk::Result {
        buffer.end(buffer.handle())
    }

    fn vkResetCommandBuffer(buffer: Ref<CommandBuffer>, flags: vk::CommandBufferResetFlags) -> vk::Result {
        buffer.reset(flags.contains(vk::CommandBufferResetFlags::RELEASE_RESOURCES));
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
