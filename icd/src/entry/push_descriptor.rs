//! Push descriptors.

use super::{
    command_buffer::{bind_point, bind_points},
    descriptor::{UpdateTemplate, write_descriptors},
};
use crate::{
    args::{Array, slice},
    boundary::commands,
    command::CommandBuffer,
    dispatch::Ref,
    error::Answer,
};
use ash::vk;
use lahar::{
    command::BindPoint,
    descriptor::{PipelineLayout, Target},
};
use std::ffi::c_void;

commands! {
    fn vkCmdPushDescriptorSetKHR(
        buffer: Ref<CommandBuffer>,
        point: vk::PipelineBindPoint,
        layout: vk::PipelineLayout,
        set: u32,
        count: u32,
        writes: Array<vk::WriteDescriptorSet<'_>>,
    ) {
        let layout = buffer.device.tables.pipeline_layouts.get(layout)?;
        push_writes(&buffer, bind_point(point), &layout, set, writes.get(count));
        Ok(())
    }

    fn vkCmdPushDescriptorSetWithTemplateKHR(
        buffer: Ref<CommandBuffer>,
        template: vk::DescriptorUpdateTemplate,
        layout: vk::PipelineLayout,
        set: u32,
        data: *const c_void,
    ) {
        let template = buffer.device.tables.update_templates.get(template)?;
        // SAFETY: the data is what the template says, as Vulkan asks of the application.
        unsafe { push_template(&buffer, &template, layout, set, data) }
    }

    fn vkCmdPushDescriptorSet2KHR(buffer: Ref<CommandBuffer>, info: &vk::PushDescriptorSetInfoKHR<'_>) {
        let layout = buffer.device.tables.pipeline_layouts.get(info.layout)?;
        // SAFETY: the structure's array is valid, as Vulkan asks of the application.
        let writes = unsafe { slice(info.p_descriptor_writes, info.descriptor_write_count) };
        for point in bind_points(info.stage_flags) {
            push_writes(&buffer, point, &layout, info.set, writes);
        }
        Ok(())
    }

    fn vkCmdPushDescriptorSetWithTemplate2KHR(
        buffer: Ref<CommandBuffer>,
        info: &vk::PushDescriptorSetWithTemplateInfoKHR<'_>,
    ) {
        let template = buffer.device.tables.update_templates.get(info.descriptor_update_template)?;
        // SAFETY: the data is what the template says, as Vulkan asks of the application.
        unsafe { push_template(&buffer, &template, info.layout, info.set, info.p_data) }
    }
}

/// Aliases of Vulkan 1.4.
pub(crate) const ALIASES: &[(&str, &str)] = &[
    ("vkCmdPushDescriptorSet", "vkCmdPushDescriptorSetKHR"),
    (
        "vkCmdPushDescriptorSetWithTemplate",
        "vkCmdPushDescriptorSetWithTemplateKHR",
    ),
    ("vkCmdPushDescriptorSet2", "vkCmdPushDescriptorSet2KHR"),
    (
        "vkCmdPushDescriptorSetWithTemplate2",
        "vkCmdPushDescriptorSetWithTemplate2KHR",
    ),
];

/// Writes to a pushed set and binds it.
fn push(
    buffer: &CommandBuffer,
    point: BindPoint,
    layout: &PipelineLayout,
    set: u32,
    write: impl FnOnce(&Target<'_>),
) {
    let Some(Some(set_layout)) = layout.sets().get(set as usize) else {
        return;
    };
    let mut state = buffer.sets.lock();
    let target = state.pushed[point as usize].set(set as usize, set_layout);
    write(&target);
    buffer.record(|r| r.bind_bytes(point, set as u8, target.into_bytes()));
}

fn push_writes(
    buffer: &CommandBuffer,
    point: BindPoint,
    layout: &PipelineLayout,
    set: u32,
    writes: &[vk::WriteDescriptorSet<'_>],
) {
    push(buffer, point, layout, set, |target| {
        for write in writes {
            if let Some(mut cursor) = target.cursor(write.dst_binding, write.dst_array_element) {
                write_descriptors(&buffer.device.tables, &mut cursor, write);
            }
        }
    });
}

/// Pushes what `data` holds.
///
/// # Safety
/// `data` is what the template says.
unsafe fn push_template(
    buffer: &CommandBuffer,
    template: &UpdateTemplate,
    layout: vk::PipelineLayout,
    set: u32,
    data: *const c_void,
) -> Answer {
    let layout = buffer.device.tables.pipeline_layouts.get(layout)?;
    push(buffer, bind_point(template.bind_point), &layout, set, |target| {
        // SAFETY: the caller vouches.
        unsafe {
            template.apply(&buffer.device.tables, data, |binding, element| {
                target.cursor(binding, element)
            });
        };
    });
    Ok(())
}
