//! Recording: binding, draws, dispatches, synchronization, queries, labels.

use super::debug_utils::label_name;
use crate::{
    args::{Array, slice},
    boundary::commands,
    command::CommandBuffer,
    dispatch::Ref,
    error::{Answer, Error},
    pipeline::Pipeline,
};
use ash::vk;
use lahar::{
    command::{BindPoint, Bytes, CopyQueries, Indirect},
    descriptor::DescriptorSet,
};
use std::ffi::c_void;

commands! {
    fn vkCmdBindPipeline(buffer: Ref<CommandBuffer>, _point: vk::PipelineBindPoint, pipeline: vk::Pipeline) {
        let bind = |pipeline: &Pipeline| match pipeline {
            Pipeline::Graphics(pipeline) => buffer.record(|r| r.bind_graphics(pipeline.clone())),
            Pipeline::Compute(pipeline) => buffer.record(|r| r.bind_compute(pipeline.clone())),
            // A library is no pipeline to bind.
            Pipeline::Library(_) => {}
        };
        buffer.device.tables.pipelines.with(pipeline, bind).ok_or(Error::STALE)
    }

    fn vkCmdBindDescriptorSets(
        buffer: Ref<CommandBuffer>,
        point: vk::PipelineBindPoint,
        _layout: vk::PipelineLayout,
        first: u32,
        count: u32,
        sets: Array<vk::DescriptorSet>,
        offset_count: u32,
        offsets: Array<u32>,
    ) {
        bind_sets(&buffer, bind_point(point), first, sets.get(count), offsets.get(offset_count))
    }

    fn vkCmdPushConstants(
        buffer: Ref<CommandBuffer>,
        _layout: vk::PipelineLayout,
        _stages: vk::ShaderStageFlags,
        offset: u32,
        size: u32,
        values: *const c_void,
    ) {
        // SAFETY: the application gives `size` bytes.
        let bytes: &[u8] = unsafe { slice(values.cast(), size) };
        buffer.record(|r| r.push_constants(offset, bytes));
        Ok(())
    }

    fn vkCmdBindDescriptorSets2KHR(buffer: Ref<CommandBuffer>, info: &vk::BindDescriptorSetsInfoKHR<'_>) {
        // SAFETY: the structure's arrays are valid, as Vulkan asks of the application.
        let (sets, offsets) = unsafe {
            (
                slice(info.p_descriptor_sets, info.descriptor_set_count),
                slice(info.p_dynamic_offsets, info.dynamic_offset_count),
            )
        };
        bind_points(info.stage_flags)
            .try_for_each(|point| bind_sets(&buffer, point, info.first_set, sets, offsets))
    }

    fn vkCmdPushConstants2KHR(buffer: Ref<CommandBuffer>, info: &vk::PushConstantsInfoKHR<'_>) {
        // SAFETY: the application gives `size` bytes.
        let bytes: &[u8] = unsafe { slice(info.p_values.cast(), info.size) };
        buffer.record(|r| r.push_constants(info.offset, bytes));
        Ok(())
    }

    fn vkCmdBindVertexBuffers(
        buffer: Ref<CommandBuffer>,
        first: u32,
        count: u32,
        buffers: Array<vk::Buffer>,
        offsets: Array<u64>,
    ) {
        bind_vertex_buffers(&buffer, first, buffers.get(count), offsets.get(count), &[], &[])
    }

    fn vkCmdBindVertexBuffers2(
        buffer: Ref<CommandBuffer>,
        first: u32,
        count: u32,
        buffers: Array<vk::Buffer>,
        offsets: Array<u64>,
        sizes: Array<u64>,
        strides: Array<u64>,
    ) {
        let (buffers, offsets) = (buffers.get(count), offsets.get(count));
        bind_vertex_buffers(&buffer, first, buffers, offsets, sizes.get(count), strides.get(count))
    }

    fn vkCmdBindIndexBuffer(
        buffer: Ref<CommandBuffer>,
        indices: vk::Buffer,
        offset: u64,
        index_type: vk::IndexType,
    ) {
        let bytes = index_bytes(&buffer, indices, offset, vk::WHOLE_SIZE)?;
        buffer.record(|r| r.bind_index_buffer(bytes, index_type));
        Ok(())
    }

    fn vkCmdBindIndexBuffer2KHR(
        buffer: Ref<CommandBuffer>,
        indices: vk::Buffer,
        offset: u64,
        size: u64,
        index_type: vk::IndexType,
    ) {
        let bytes = index_bytes(&buffer, indices, offset, size)?;
        buffer.record(|r| r.bind_index_buffer(bytes, index_type));
        Ok(())
    }

    fn vkCmdDraw(
        buffer: Ref<CommandBuffer>,
        vertices: u32,
        instances: u32,
        first_vertex: u32,
        first_instance: u32,
    ) {
        buffer.record(|r| r.draw(vertices, instances, first_vertex, first_instance));
        Ok(())
    }

    fn vkCmdDrawIndexed(
        buffer: Ref<CommandBuffer>,
        indices: u32,
        instances: u32,
        first_index: u32,
        vertex_offset: i32,
        first_instance: u32,
    ) {
        buffer.record(|r| r.draw_indexed(indices, instances, first_index, vertex_offset, first_instance));
        Ok(())
    }

    fn vkCmdDrawIndirect(
        buffer: Ref<CommandBuffer>,
        params: vk::Buffer,
        offset: u64,
        count: u32,
        stride: u32,
    ) {
        draw_indirect(&buffer, (params, offset), None, count, stride, false)
    }

    fn vkCmdDrawIndexedIndirect(
        buffer: Ref<CommandBuffer>,
        params: vk::Buffer,
        offset: u64,
        count: u32,
        stride: u32,
    ) {
        draw_indirect(&buffer, (params, offset), None, count, stride, true)
    }

    fn vkCmdDrawIndirectCount(
        buffer: Ref<CommandBuffer>,
        params: vk::Buffer,
        offset: u64,
        counter: vk::Buffer,
        counter_offset: u64,
        max: u32,
        stride: u32,
    ) {
        draw_indirect(&buffer, (params, offset), Some((counter, counter_offset)), max, stride, false)
    }

    fn vkCmdDrawIndexedIndirectCount(
        buffer: Ref<CommandBuffer>,
        params: vk::Buffer,
        offset: u64,
        counter: vk::Buffer,
        counter_offset: u64,
        max: u32,
        stride: u32,
    ) {
        draw_indirect(&buffer, (params, offset), Some((counter, counter_offset)), max, stride, true)
    }

    fn vkCmdDispatch(buffer: Ref<CommandBuffer>, x: u32, y: u32, z: u32) {
        buffer.record(|r| r.dispatch([0; 3], [x, y, z]));
        Ok(())
    }

    fn vkCmdDispatchBase(
        buffer: Ref<CommandBuffer>,
        base_x: u32,
        base_y: u32,
        base_z: u32,
        x: u32,
        y: u32,
        z: u32,
    ) {
        buffer.record(|r| r.dispatch([base_x, base_y, base_z], [x, y, z]));
        Ok(())
    }

    fn vkCmdDispatchIndirect(buffer: Ref<CommandBuffer>, params: vk::Buffer, offset: u64) {
        let params = bytes(&buffer, params, offset, 12)?;
        buffer.record(|r| r.dispatch_indirect(params.address));
        Ok(())
    }

    fn vkCmdExecuteCommands(buffer: Ref<CommandBuffer>, count: u32, secondaries: Array<vk::CommandBuffer>) {
        for handle in secondaries.get(count) {
            // SAFETY: the handle is of a live command buffer, as Vulkan asks of the application.
            let secondary = unsafe { Ref::<CommandBuffer>::from_handle(*handle) }.ok_or(Error::NULL)?;
            let list = secondary.engine.list().ok_or(Error(vk::Result::ERROR_UNKNOWN))?;
            buffer.record(|r| r.execute(list));
        }
        Ok(())
    }

    fn vkCmdSetDeviceMask(_buffer: Ref<CommandBuffer>, _mask: u32) {
        // There is one device.
        Ok(())
    }

    fn vkCmdPipelineBarrier(
        buffer: Ref<CommandBuffer>,
        _src: vk::PipelineStageFlags,
        _dst: vk::PipelineStageFlags,
        _flags: vk::DependencyFlags,
        _memory_count: u32,
        _memory: Array<vk::MemoryBarrier<'_>>,
        _buffer_count: u32,
        _buffers: Array<vk::BufferMemoryBarrier<'_>>,
        image_count: u32,
        images: Array<vk::ImageMemoryBarrier<'_>>,
    ) {
        buffer.record(lahar::command::Recorder::barrier);
        let images = images.get(image_count).iter();
        poison(&buffer, images.map(|b| (b.old_layout, b.new_layout, b.image, b.subresource_range)));
        Ok(())
    }

    fn vkCmdPipelineBarrier2(buffer: Ref<CommandBuffer>, info: &vk::DependencyInfo<'_>) {
        buffer.record(lahar::command::Recorder::barrier);
        // SAFETY: the array has the length that the structure says.
        let images = unsafe { slice(info.p_image_memory_barriers, info.image_memory_barrier_count) };
        let images = images.iter();
        poison(&buffer, images.map(|b| (b.old_layout, b.new_layout, b.image, b.subresource_range)));
        Ok(())
    }

    fn vkCmdSetEvent(buffer: Ref<CommandBuffer>, event: vk::Event, _stages: vk::PipelineStageFlags) {
        let event = buffer.device.tables.events.get(event)?;
        buffer.record(|r| r.set_event(event));
        Ok(())
    }

    fn vkCmdSetEvent2(buffer: Ref<CommandBuffer>, event: vk::Event, _info: &vk::DependencyInfo<'_>) {
        let event = buffer.device.tables.events.get(event)?;
        buffer.record(|r| r.set_event(event));
        Ok(())
    }

    fn vkCmdResetEvent(buffer: Ref<CommandBuffer>, event: vk::Event, _stages: vk::PipelineStageFlags) {
        let event = buffer.device.tables.events.get(event)?;
        buffer.record(|r| r.reset_event(event));
        Ok(())
    }

    fn vkCmdResetEvent2(buffer: Ref<CommandBuffer>, event: vk::Event, _stages: vk::PipelineStageFlags2) {
        let event = buffer.device.tables.events.get(event)?;
        buffer.record(|r| r.reset_event(event));
        Ok(())
    }

    fn vkCmdWaitEvents(
        buffer: Ref<CommandBuffer>,
        count: u32,
        events: Array<vk::Event>,
        src: vk::PipelineStageFlags,
        _dst: vk::PipelineStageFlags,
        _memory_count: u32,
        _memory: Array<vk::MemoryBarrier<'_>>,
        _buffer_count: u32,
        _buffers: Array<vk::BufferMemoryBarrier<'_>>,
        _image_count: u32,
        _images: Array<vk::ImageMemoryBarrier<'_>>,
    ) {
        wait_events(&buffer, events.get(count), src.contains(vk::PipelineStageFlags::HOST))
    }

    fn vkCmdWaitEvents2(
        buffer: Ref<CommandBuffer>,
        count: u32,
        events: Array<vk::Event>,
        infos: Array<vk::DependencyInfo<'_>>,
    ) {
        wait_events(&buffer, events.get(count), infos.get(count).iter().all(may_be_host))
    }

    fn vkCmdBeginQuery(
        buffer: Ref<CommandBuffer>,
        pool: vk::QueryPool,
        query: u32,
        _flags: vk::QueryControlFlags,
    ) {
        let pool = buffer.device.tables.query_pools.get(pool)?;
        buffer.record(|r| r.begin_query(pool, query));
        Ok(())
    }

    fn vkCmdEndQuery(buffer: Ref<CommandBuffer>, pool: vk::QueryPool, query: u32) {
        let pool = buffer.device.tables.query_pools.get(pool)?;
        buffer.record(|r| r.end_query(pool, query));
        Ok(())
    }

    fn vkCmdResetQueryPool(buffer: Ref<CommandBuffer>, pool: vk::QueryPool, first: u32, count: u32) {
        let pool = buffer.device.tables.query_pools.get(pool)?;
        buffer.record(|r| r.reset_queries(pool, first, count));
        Ok(())
    }

    fn vkCmdWriteTimestamp(
        buffer: Ref<CommandBuffer>,
        stage: vk::PipelineStageFlags,
        pool: vk::QueryPool,
        query: u32,
    ) {
        let pool = buffer.device.tables.query_pools.get(pool)?;
        let early = stage == vk::PipelineStageFlags::TOP_OF_PIPE;
        buffer.record(|r| r.write_timestamp(pool, query, early));
        Ok(())
    }

    fn vkCmdWriteTimestamp2(
        buffer: Ref<CommandBuffer>,
        stage: vk::PipelineStageFlags2,
        pool: vk::QueryPool,
        query: u32,
    ) {
        let pool = buffer.device.tables.query_pools.get(pool)?;
        let early = stage.is_empty() || stage == vk::PipelineStageFlags2::TOP_OF_PIPE;
        buffer.record(|r| r.write_timestamp(pool, query, early));
        Ok(())
    }

    fn vkCmdCopyQueryPoolResults(
        buffer: Ref<CommandBuffer>,
        pool: vk::QueryPool,
        first: u32,
        count: u32,
        dst: vk::Buffer,
        offset: u64,
        stride: u64,
        flags: vk::QueryResultFlags,
    ) {
        let pool = buffer.device.tables.query_pools.get(pool)?;
        let dst = bytes(&buffer, dst, offset, vk::WHOLE_SIZE)?;
        buffer.record(|r| r.copy_query_results(CopyQueries { pool, first, count, dst, stride, flags }));
        Ok(())
    }

    fn vkCmdBeginDebugUtilsLabelEXT(buffer: Ref<CommandBuffer>, label: &vk::DebugUtilsLabelEXT<'_>) {
        let name = label_name(label);
        buffer.record(|r| r.begin_label(&name));
        Ok(())
    }

    fn vkCmdEndDebugUtilsLabelEXT(buffer: Ref<CommandBuffer>) {
        buffer.record(lahar::command::Recorder::end_label);
        Ok(())
    }

    fn vkCmdInsertDebugUtilsLabelEXT(buffer: Ref<CommandBuffer>, label: &vk::DebugUtilsLabelEXT<'_>) {
        let name = label_name(label);
        buffer.record(|r| r.insert_label(&name));
        Ok(())
    }
}

/// Aliases of extensions.
pub(crate) const ALIASES: &[(&str, &str)] = &[
    ("vkCmdBindDescriptorSets2", "vkCmdBindDescriptorSets2KHR"),
    ("vkCmdPushConstants2", "vkCmdPushConstants2KHR"),
    ("vkCmdBindIndexBuffer2", "vkCmdBindIndexBuffer2KHR"),
    ("vkCmdBindVertexBuffers2EXT", "vkCmdBindVertexBuffers2"),
    ("vkCmdDispatchBaseKHR", "vkCmdDispatchBase"),
    (
        "vkCmdDrawIndexedIndirectCountAMD",
        "vkCmdDrawIndexedIndirectCount",
    ),
    (
        "vkCmdDrawIndexedIndirectCountKHR",
        "vkCmdDrawIndexedIndirectCount",
    ),
    ("vkCmdDrawIndirectCountAMD", "vkCmdDrawIndirectCount"),
    ("vkCmdDrawIndirectCountKHR", "vkCmdDrawIndirectCount"),
    ("vkCmdPipelineBarrier2KHR", "vkCmdPipelineBarrier2"),
    ("vkCmdResetEvent2KHR", "vkCmdResetEvent2"),
    ("vkCmdSetDeviceMaskKHR", "vkCmdSetDeviceMask"),
    ("vkCmdSetEvent2KHR", "vkCmdSetEvent2"),
    ("vkCmdWaitEvents2KHR", "vkCmdWaitEvents2"),
    ("vkCmdWriteTimestamp2KHR", "vkCmdWriteTimestamp2"),
];

pub(super) fn bind_point(point: vk::PipelineBindPoint) -> BindPoint {
    if point == vk::PipelineBindPoint::COMPUTE {
        BindPoint::Compute
    } else {
        BindPoint::Graphics
    }
}

/// The bind points that some stages belong to.
pub(super) fn bind_points(stages: vk::ShaderStageFlags) -> impl Iterator<Item = BindPoint> {
    let graphics = stages.intersects(vk::ShaderStageFlags::ALL_GRAPHICS);
    let compute = stages.contains(vk::ShaderStageFlags::COMPUTE);
    let graphics = graphics.then_some(BindPoint::Graphics);
    graphics.into_iter().chain(compute.then_some(BindPoint::Compute))
}

fn bind_sets(
    buffer: &CommandBuffer,
    point: BindPoint,
    first: u32,
    sets: &[vk::DescriptorSet],
    mut offsets: &[u32],
) -> Answer {
    for (index, set) in (first..).zip(sets) {
        let facts = |set: &DescriptorSet| (set.address(), set.layout().dynamic_count() as usize);
        let set = buffer.device.tables.descriptor_sets.with(*set, facts);
        let (address, count) = set.ok_or(Error::STALE)?;
        let (own, rest) = offsets.split_at(count.min(offsets.len()));
        offsets = rest;
        buffer.record(|r| r.bind_set(point, index as u8, address, own));
    }
    Ok(())
}

/// The part of a buffer that holds indices; of no buffer every index is 0.
fn index_bytes(buffer: &CommandBuffer, handle: vk::Buffer, offset: u64, size: u64) -> Answer<Bytes> {
    if handle == vk::Buffer::null() {
        return Ok(Bytes::default());
    }
    bytes(buffer, handle, offset, size)
}

/// A part of a buffer.
pub(super) fn bytes(buffer: &CommandBuffer, handle: vk::Buffer, offset: u64, size: u64) -> Answer<Bytes> {
    let found = buffer
        .device
        .tables
        .buffers
        .with(handle, |object| Bytes::of(object, offset, size));
    found.ok_or(Error::STALE)
}

fn bind_vertex_buffers(
    buffer: &CommandBuffer,
    first: u32,
    buffers: &[vk::Buffer],
    offsets: &[u64],
    sizes: &[u64],
    strides: &[u64],
) -> Answer {
    for (i, handle) in buffers.iter().enumerate() {
        let binding = (first as usize + i) as u8;
        let offset = offsets.get(i).copied().unwrap_or(0);
        let size = sizes.get(i).copied().unwrap_or(vk::WHOLE_SIZE);
        let bytes = if *handle == vk::Buffer::null() {
            Bytes::default()
        } else {
            bytes(buffer, *handle, offset, size)?
        };
        let stride = strides.get(i).map(|stride| *stride as u32);
        buffer.record(|r| r.bind_vertex_buffer(binding, bytes, stride));
    }
    Ok(())
}

fn draw_indirect(
    buffer: &CommandBuffer,
    params: (vk::Buffer, u64),
    counter: Option<(vk::Buffer, u64)>,
    count: u32,
    stride: u32,
    indexed: bool,
) -> Answer {
    let params = bytes(buffer, params.0, params.1, vk::WHOLE_SIZE)?;
    let count_address = match counter {
        Some((counter, offset)) => bytes(buffer, counter, offset, 4)?.address,
        None => 0,
    };
    buffer.record(|r| {
        r.draw_indirect(Indirect {
            params,
            stride,
            count,
            indexed,
            count_address,
        });
    });
    Ok(())
}

/// Whether a dependency may be one on the host: it names the host's stage, or no stage.
fn may_be_host(info: &vk::DependencyInfo<'_>) -> bool {
    // SAFETY: the arrays have the lengths that the structure says.
    let (memory, buffers, images) = unsafe {
        (
            slice(info.p_memory_barriers, info.memory_barrier_count),
            slice(info.p_buffer_memory_barriers, info.buffer_memory_barrier_count),
            slice(info.p_image_memory_barriers, info.image_memory_barrier_count),
        )
    };
    let stages = memory
        .iter()
        .map(|barrier| barrier.src_stage_mask)
        .chain(buffers.iter().map(|barrier| barrier.src_stage_mask))
        .chain(images.iter().map(|barrier| barrier.src_stage_mask))
        .fold(vk::PipelineStageFlags2::empty(), |all, stages| all | stages);
    stages.is_empty() || stages.contains(vk::PipelineStageFlags2::HOST)
}

/// Fills images that leave the undefined layout, where that is asked for.
fn poison(
    buffer: &CommandBuffer,
    barriers: impl Iterator<
        Item = (
            vk::ImageLayout,
            vk::ImageLayout,
            vk::Image,
            vk::ImageSubresourceRange,
        ),
    >,
) {
    if buffer.device.instance.config.poison.is_none() {
        return;
    }
    let undefined = vk::ImageLayout::UNDEFINED;
    for (_, _, image, range) in barriers.filter(|(old, new, _, _)| *old == undefined && *new != undefined) {
        if let Some(image) = buffer.device.tables.images.find(image) {
            buffer.record(|r| r.poison(lahar::command::undefined_image(&image, &range)));
        }
    }
}

fn wait_events(buffer: &CommandBuffer, events: &[vk::Event], host: bool) -> Answer {
    let events = events
        .iter()
        .map(|event| buffer.device.tables.events.get(*event))
        .collect::<Answer<_>>()?;
    buffer.record(|r| r.wait_events(events, host));
    Ok(())
}
