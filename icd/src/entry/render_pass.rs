//! Render passes, framebuffers and dynamic rendering.

use super::{dynamic_state::set, pipeline_state::locations};
use crate::{
    args::{Array, Out, slice},
    boundary::commands,
    chain,
    command::CommandBuffer,
    device::{Device, DeviceState},
    dispatch::Ref,
    error::Answer,
    objects,
};
use ash::vk;
use lahar::{
    command::{
        AttachmentDesc, AttachmentView, Framebuffer, PassInstance, RenderPass, Rendering,
        RenderingAttachment, StateValue, Subpass,
    },
    raster::AttachmentClear,
};

commands! {
    fn vkCreateRenderPass(
        device: Ref<Device>,
        info: &vk::RenderPassCreateInfo<'_>,
        allocator: Option<&vk::AllocationCallbacks<'_>>,
        pass: Out<vk::RenderPass>,
    ) -> vk::Result {
        pass.write(device.create(&device.tables.render_passes, allocator, || Ok(version1(info)))?);
        Ok(())
    }

    fn vkCreateRenderPass2(
        device: Ref<Device>,
        info: &vk::RenderPassCreateInfo2<'_>,
        allocator: Option<&vk::AllocationCallbacks<'_>>,
        pass: Out<vk::RenderPass>,
    ) -> vk::Result {
        pass.write(device.create(&device.tables.render_passes, allocator, || Ok(version2(info)))?);
        Ok(())
    }

    fn vkDestroyRenderPass(
        device: Ref<Device>,
        pass: vk::RenderPass,
        allocator: Option<&vk::AllocationCallbacks<'_>>,
    ) {
        objects::destroy(&device.tables.render_passes, pass, allocator);
        Ok(())
    }

    fn vkGetRenderAreaGranularity(_device: Ref<Device>, _pass: vk::RenderPass, granularity: Out<vk::Extent2D>) {
        granularity.write(vk::Extent2D { width: 1, height: 1 });
        Ok(())
    }

    fn vkGetRenderingAreaGranularityKHR(
        _device: Ref<Device>,
        _info: &vk::RenderingAreaInfoKHR<'_>,
        granularity: Out<vk::Extent2D>,
    ) {
        granularity.write(vk::Extent2D { width: 1, height: 1 });
        Ok(())
    }

    fn vkCreateFramebuffer(
        device: Ref<Device>,
        info: &vk::FramebufferCreateInfo<'_>,
        allocator: Option<&vk::AllocationCallbacks<'_>>,
        framebuffer: Out<vk::Framebuffer>,
    ) -> vk::Result {
        let imageless = info.flags.contains(vk::FramebufferCreateFlags::IMAGELESS);
        let count = if imageless { 0 } else { info.attachment_count };
        // SAFETY: the array has this many elements.
        let views = views(&device, unsafe { slice(info.p_attachments, count) })?;
        let new = Framebuffer { views, width: info.width, height: info.height, layers: info.layers };
        framebuffer.write(device.create(&device.tables.framebuffers, allocator, || Ok(new))?);
        Ok(())
    }

    fn vkDestroyFramebuffer(
        device: Ref<Device>,
        framebuffer: vk::Framebuffer,
        allocator: Option<&vk::AllocationCallbacks<'_>>,
    ) {
        objects::destroy(&device.tables.framebuffers, framebuffer, allocator);
        Ok(())
    }

    fn vkCmdBeginRenderPass(
        buffer: Ref<CommandBuffer>,
        info: &vk::RenderPassBeginInfo<'_>,
        _contents: vk::SubpassContents,
    ) {
        begin(&buffer, info)
    }

    fn vkCmdBeginRenderPass2(
        buffer: Ref<CommandBuffer>,
        info: &vk::RenderPassBeginInfo<'_>,
        _subpass: &vk::SubpassBeginInfo<'_>,
    ) {
        begin(&buffer, info)
    }

    fn vkCmdNextSubpass(buffer: Ref<CommandBuffer>, _contents: vk::SubpassContents) {
        buffer.record(lahar::command::Recorder::next_subpass);
        Ok(())
    }

    fn vkCmdNextSubpass2(
        buffer: Ref<CommandBuffer>,
        _begin: &vk::SubpassBeginInfo<'_>,
        _end: &vk::SubpassEndInfo<'_>,
    ) {
        buffer.record(lahar::command::Recorder::next_subpass);
        Ok(())
    }

    fn vkCmdEndRenderPass(buffer: Ref<CommandBuffer>) {
        buffer.record(lahar::command::Recorder::end_render_pass);
        Ok(())
    }

    fn vkCmdEndRenderPass2(buffer: Ref<CommandBuffer>, _end: &vk::SubpassEndInfo<'_>) {
        buffer.record(lahar::command::Recorder::end_render_pass);
        Ok(())
    }

    fn vkCmdBeginRendering(buffer: Ref<CommandBuffer>, info: &vk::RenderingInfo<'_>) {
        let rendering = rendering(&buffer.device, info)?;
        buffer.record(|r| r.begin_rendering(&rendering));
        Ok(())
    }

    fn vkCmdSetRenderingAttachmentLocationsKHR(
        buffer: Ref<CommandBuffer>,
        info: &vk::RenderingAttachmentLocationInfoKHR<'_>,
    ) {
        set(&buffer, StateValue::Locations(locations(info).into()));
        Ok(())
    }

    fn vkCmdSetRenderingInputAttachmentIndicesKHR(
        _buffer: Ref<CommandBuffer>,
        _info: &vk::RenderingInputAttachmentIndexInfoKHR<'_>,
    ) {
        // Input attachments are read through their descriptors, which name the image.
        Ok(())
    }

    fn vkCmdEndRendering(buffer: Ref<CommandBuffer>) {
        buffer.record(lahar::command::Recorder::end_rendering);
        Ok(())
    }

    fn vkCmdClearAttachments(
        buffer: Ref<CommandBuffer>,
        count: u32,
        attachments: Array<vk::ClearAttachment>,
        rect_count: u32,
        rects: Array<vk::ClearRect>,
    ) {
        let clear = |clear: &vk::ClearAttachment| AttachmentClear {
            aspects: clear.aspect_mask,
            color_attachment: clear.color_attachment,
            value: clear_words(&clear.clear_value),
        };
        let clears = attachments.get(count).iter().map(clear).collect();
        let rects = rects.get(rect_count).to_vec();
        buffer.record(|r| r.clear_attachments(clears, rects));
        Ok(())
    }
}

/// Aliases of extensions.
pub(crate) const ALIASES: &[(&str, &str)] = &[
    (
        "vkGetRenderingAreaGranularity",
        "vkGetRenderingAreaGranularityKHR",
    ),
    (
        "vkCmdSetRenderingAttachmentLocations",
        "vkCmdSetRenderingAttachmentLocationsKHR",
    ),
    (
        "vkCmdSetRenderingInputAttachmentIndices",
        "vkCmdSetRenderingInputAttachmentIndicesKHR",
    ),
    ("vkCmdBeginRenderPass2KHR", "vkCmdBeginRenderPass2"),
    ("vkCmdBeginRenderingKHR", "vkCmdBeginRendering"),
    ("vkCmdEndRenderPass2KHR", "vkCmdEndRenderPass2"),
    ("vkCmdEndRenderingKHR", "vkCmdEndRendering"),
    ("vkCmdNextSubpass2KHR", "vkCmdNextSubpass2"),
    ("vkCreateRenderPass2KHR", "vkCreateRenderPass2"),
];

/// The four words of a clear value.
fn clear_words(value: &vk::ClearValue) -> [u32; 4] {
    // SAFETY: all members are plain words; the union is as large as the colour.
    unsafe { value.color.uint32 }
}

fn views(device: &DeviceState, handles: &[vk::ImageView]) -> Answer<Vec<AttachmentView>> {
    handles
        .iter()
        .map(|view| Ok(AttachmentView::of(&*device.tables.image_views.get(*view)?)))
        .collect()
}

fn used(attachment: u32) -> Option<u32> {
    (attachment != vk::ATTACHMENT_UNUSED).then_some(attachment)
}

fn version1(info: &vk::RenderPassCreateInfo<'_>) -> RenderPass {
    // SAFETY: the arrays have the lengths that the structures say.
    let (attachments, subpasses, masks) = unsafe {
        let multiview = chain::find::<vk::RenderPassMultiviewCreateInfo<'_>, _>(info);
        (
            slice(info.p_attachments, info.attachment_count),
            slice(info.p_subpasses, info.subpass_count),
            multiview.map_or(&[][..], |m| slice(m.p_view_masks, m.subpass_count)),
        )
    };
    let attachment = |a: &vk::AttachmentDescription| AttachmentDesc {
        format: a.format,
        samples: a.samples.as_raw(),
        load: a.load_op,
        store: a.store_op,
        stencil_load: a.stencil_load_op,
        stencil_store: a.stencil_store_op,
    };
    let subpass = |(i, s): (usize, &vk::SubpassDescription<'_>)| {
        let indices = |pointer, count| {
            // SAFETY: the array has this many elements.
            let references: &[vk::AttachmentReference] = unsafe { slice(pointer, count) };
            references.iter().map(|r| used(r.attachment)).collect()
        };
        Subpass {
            colors: indices(s.p_color_attachments, s.color_attachment_count),
            resolves: indices(s.p_resolve_attachments, s.color_attachment_count),
            // SAFETY: the pointer is null or valid.
            depth_stencil: unsafe { s.p_depth_stencil_attachment.as_ref() }.and_then(|r| used(r.attachment)),
            inputs: indices(s.p_input_attachments, s.input_attachment_count),
            view_mask: masks.get(i).copied().unwrap_or(0),
            ..Subpass::default()
        }
    };
    RenderPass {
        attachments: attachments.iter().map(attachment).collect(),
        subpasses: subpasses.iter().enumerate().map(subpass).collect(),
    }
}

fn version2(info: &vk::RenderPassCreateInfo2<'_>) -> RenderPass {
    // SAFETY: the arrays have the lengths that the structure says.
    let (attachments, subpasses) = unsafe {
        (
            slice(info.p_attachments, info.attachment_count),
            slice(info.p_subpasses, info.subpass_count),
        )
    };
    let attachment = |a: &vk::AttachmentDescription2<'_>| AttachmentDesc {
        format: a.format,
        samples: a.samples.as_raw(),
        load: a.load_op,
        store: a.store_op,
        stencil_load: a.stencil_load_op,
        stencil_store: a.stencil_store_op,
    };
    RenderPass {
        attachments: attachments.iter().map(attachment).collect(),
        subpasses: subpasses.iter().map(subpass2).collect(),
    }
}

fn subpass2(s: &vk::SubpassDescription2<'_>) -> Subpass {
    let indices = |pointer, count| {
        // SAFETY: the array has this many elements.
        let references: &[vk::AttachmentReference2<'_>] = unsafe { slice(pointer, count) };
        references.iter().map(|r| used(r.attachment)).collect()
    };
    let resolve = chain::find::<vk::SubpassDescriptionDepthStencilResolve<'_>, _>(s);
    // SAFETY: the pointers are null or valid.
    let (depth_stencil, target) = unsafe {
        (
            s.p_depth_stencil_attachment.as_ref(),
            resolve.and_then(|r| r.p_depth_stencil_resolve_attachment.as_ref()),
        )
    };
    Subpass {
        colors: indices(s.p_color_attachments, s.color_attachment_count),
        resolves: indices(s.p_resolve_attachments, s.color_attachment_count),
        depth_stencil: depth_stencil.and_then(|r| used(r.attachment)),
        depth_stencil_resolve: target.and_then(|r| used(r.attachment)),
        depth_resolve_mode: resolve.map_or(vk::ResolveModeFlags::NONE, |r| r.depth_resolve_mode),
        stencil_resolve_mode: resolve.map_or(vk::ResolveModeFlags::NONE, |r| r.stencil_resolve_mode),
        inputs: indices(s.p_input_attachments, s.input_attachment_count),
        view_mask: s.view_mask,
    }
}

fn begin(buffer: &CommandBuffer, info: &vk::RenderPassBeginInfo<'_>) -> Answer {
    let tables = &buffer.device.tables;
    let (pass, framebuffer) = (
        tables.render_passes.get(info.render_pass)?,
        tables.framebuffers.get(info.framebuffer)?,
    );
    // SAFETY: the arrays have the lengths that the structures say.
    let (clears, attachments) = unsafe {
        let begin = chain::find::<vk::RenderPassAttachmentBeginInfo<'_>, _>(info);
        (
            slice(info.p_clear_values, info.clear_value_count),
            begin.map_or(&[][..], |b| slice(b.p_attachments, b.attachment_count)),
        )
    };
    let clears = clears.iter().map(clear_words).collect();
    let views = views(&buffer.device, attachments)?;
    let pass = PassInstance::new(pass, &framebuffer, views, info.render_area, clears);
    buffer.record(|r| r.begin_render_pass(pass));
    Ok(())
}

fn rendering(device: &DeviceState, info: &vk::RenderingInfo<'_>) -> Answer<Rendering> {
    // SAFETY: the array has this many elements; the pointers are null or valid.
    let (colors, depth, stencil) = unsafe {
        (
            slice(info.p_color_attachments, info.color_attachment_count),
            info.p_depth_attachment.as_ref(),
            info.p_stencil_attachment.as_ref(),
        )
    };
    let optional = |info: Option<&vk::RenderingAttachmentInfo<'_>>| match info {
        Some(info) => attachment(device, info),
        None => Ok(None),
    };
    Ok(Rendering {
        flags: info.flags,
        area: info.render_area,
        layers: info.layer_count,
        view_mask: info.view_mask,
        colors: colors
            .iter()
            .map(|color| attachment(device, color))
            .collect::<Answer<_>>()?,
        depth: optional(depth)?,
        stencil: optional(stencil)?,
    })
}

fn attachment(
    device: &DeviceState,
    info: &vk::RenderingAttachmentInfo<'_>,
) -> Answer<Option<RenderingAttachment>> {
    let Some(view) = device.tables.image_views.get_optional(info.image_view)? else {
        return Ok(None);
    };
    let resolve = if info.resolve_mode.is_empty() {
        None
    } else {
        device.tables.image_views.get_optional(info.resolve_image_view)?
    };
    Ok(Some(RenderingAttachment {
        view: AttachmentView::of(&view),
        resolve: resolve.map(|to| (AttachmentView::of(&to), info.resolve_mode)),
        load: info.load_op,
        store: info.store_op,
        clear: clear_words(&info.clear_value),
        is_read: [
            vk::ImageLayout::RENDERING_LOCAL_READ_KHR,
            vk::ImageLayout::ATTACHMENT_FEEDBACK_LOOP_OPTIMAL_EXT,
        ]
        .contains(&info.image_layout),
    }))
}
