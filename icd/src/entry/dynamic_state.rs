//! Recording of dynamic state.

use super::pipeline_state::bias_representation;
use crate::{args::Array, boundary::commands, command::CommandBuffer, dispatch::Ref};
use ash::vk;
use lahar::{command::StateValue, raster::DepthBias};

/// A bit for each attachment; those that nothing is said of are written to.
pub(super) fn attachment_bits(enables: &[vk::Bool32]) -> u8 {
    let off = |(i, enable): (usize, &vk::Bool32)| u8::from(*enable == vk::FALSE) << i;
    let off = enables.iter().take(8).enumerate().map(off);
    !off.fold(0, |all, bit| all | bit)
}

/// Records a value of dynamic state.
pub(super) fn set(buffer: &CommandBuffer, value: StateValue) {
    buffer.record(|r| r.set_state(value));
}

commands! {
    fn vkCmdSetViewport(buffer: Ref<CommandBuffer>, first: u32, count: u32, viewports: Array<vk::Viewport>) {
        // There is one viewport.
        if let (0, Some(viewport)) = (first, viewports.get(count).first()) {
            set(&buffer, StateValue::Viewport(*viewport));
        }
        Ok(())
    }

    fn vkCmdSetViewportWithCount(buffer: Ref<CommandBuffer>, count: u32, viewports: Array<vk::Viewport>) {
        if let Some(viewport) = viewports.get(count).first() {
            set(&buffer, StateValue::Viewport(*viewport));
        }
        Ok(())
    }

    fn vkCmdSetScissor(buffer: Ref<CommandBuffer>, first: u32, count: u32, scissors: Array<vk::Rect2D>) {
        if let (0, Some(scissor)) = (first, scissors.get(count).first()) {
            set(&buffer, StateValue::Scissor(*scissor));
        }
        Ok(())
    }

    fn vkCmdSetScissorWithCount(buffer: Ref<CommandBuffer>, count: u32, scissors: Array<vk::Rect2D>) {
        if let Some(scissor) = scissors.get(count).first() {
            set(&buffer, StateValue::Scissor(*scissor));
        }
        Ok(())
    }

    fn vkCmdSetLineWidth(buffer: Ref<CommandBuffer>, width: f32) {
        set(&buffer, StateValue::LineWidth(width));
        Ok(())
    }

    fn vkCmdSetDepthBias(buffer: Ref<CommandBuffer>, constant: f32, clamp: f32, slope: f32) {
        set(
            &buffer,
            StateValue::DepthBias(DepthBias { constant, clamp, slope, ..DepthBias::default() }),
        );
        Ok(())
    }

    fn vkCmdSetDepthBias2EXT(buffer: Ref<CommandBuffer>, info: &vk::DepthBiasInfoEXT<'_>) {
        set(
            &buffer,
            StateValue::DepthBias(DepthBias {
                constant: info.depth_bias_constant_factor,
                clamp: info.depth_bias_clamp,
                slope: info.depth_bias_slope_factor,
                representation: bias_representation(info),
            }),
        );
        Ok(())
    }

    fn vkCmdSetBlendConstants(buffer: Ref<CommandBuffer>, constants: &[f32; 4]) {
        set(&buffer, StateValue::BlendConstants(*constants));
        Ok(())
    }

    fn vkCmdSetDepthBounds(buffer: Ref<CommandBuffer>, min: f32, max: f32) {
        set(&buffer, StateValue::DepthBounds([min, max]));
        Ok(())
    }

    fn vkCmdSetStencilCompareMask(buffer: Ref<CommandBuffer>, faces: vk::StencilFaceFlags, mask: u32) {
        set(&buffer, StateValue::StencilCompareMask(faces, mask));
        Ok(())
    }

    fn vkCmdSetStencilWriteMask(buffer: Ref<CommandBuffer>, faces: vk::StencilFaceFlags, mask: u32) {
        set(&buffer, StateValue::StencilWriteMask(faces, mask));
        Ok(())
    }

    fn vkCmdSetStencilReference(buffer: Ref<CommandBuffer>, faces: vk::StencilFaceFlags, reference: u32) {
        set(&buffer, StateValue::StencilReference(faces, reference));
        Ok(())
    }

    fn vkCmdSetCullMode(buffer: Ref<CommandBuffer>, mode: vk::CullModeFlags) {
        set(&buffer, StateValue::CullMode(mode));
        Ok(())
    }

    fn vkCmdSetFrontFace(buffer: Ref<CommandBuffer>, face: vk::FrontFace) {
        set(&buffer, StateValue::FrontFace(face));
        Ok(())
    }

    fn vkCmdSetPrimitiveTopology(buffer: Ref<CommandBuffer>, topology: vk::PrimitiveTopology) {
        set(&buffer, StateValue::Topology(topology));
        Ok(())
    }

    fn vkCmdSetDepthTestEnable(buffer: Ref<CommandBuffer>, enable: u32) {
        set(&buffer, StateValue::DepthTest(enable != vk::FALSE));
        Ok(())
    }

    fn vkCmdSetDepthWriteEnable(buffer: Ref<CommandBuffer>, enable: u32) {
        set(&buffer, StateValue::DepthWrite(enable != vk::FALSE));
        Ok(())
    }

    fn vkCmdSetDepthCompareOp(buffer: Ref<CommandBuffer>, op: vk::CompareOp) {
        set(&buffer, StateValue::DepthCompare(op));
        Ok(())
    }

    fn vkCmdSetDepthBoundsTestEnable(buffer: Ref<CommandBuffer>, enable: u32) {
        set(&buffer, StateValue::DepthBoundsTest(enable != vk::FALSE));
        Ok(())
    }

    fn vkCmdSetStencilTestEnable(buffer: Ref<CommandBuffer>, enable: u32) {
        set(&buffer, StateValue::StencilTest(enable != vk::FALSE));
        Ok(())
    }

    fn vkCmdSetStencilOp(
        buffer: Ref<CommandBuffer>,
        faces: vk::StencilFaceFlags,
        fail: vk::StencilOp,
        pass: vk::StencilOp,
        depth_fail: vk::StencilOp,
        compare: vk::CompareOp,
    ) {
        set(&buffer, StateValue::StencilOp { faces, fail, pass, depth_fail, compare });
        Ok(())
    }

    fn vkCmdSetRasterizerDiscardEnable(buffer: Ref<CommandBuffer>, enable: u32) {
        set(&buffer, StateValue::RasterizerDiscard(enable != vk::FALSE));
        Ok(())
    }

    fn vkCmdSetDepthBiasEnable(buffer: Ref<CommandBuffer>, enable: u32) {
        set(&buffer, StateValue::DepthBiasEnable(enable != vk::FALSE));
        Ok(())
    }

    fn vkCmdSetColorWriteEnableEXT(buffer: Ref<CommandBuffer>, count: u32, enables: Array<vk::Bool32>) {
        set(&buffer, StateValue::ColorWrite(attachment_bits(enables.get(count))));
        Ok(())
    }

    fn vkCmdSetAttachmentFeedbackLoopEnableEXT(_buffer: Ref<CommandBuffer>, _aspects: vk::ImageAspectFlags) {
        // What is read is read through a descriptor, whether or not it is drawn to as well.
        Ok(())
    }

    fn vkCmdSetPrimitiveRestartEnable(buffer: Ref<CommandBuffer>, enable: u32) {
        set(&buffer, StateValue::PrimitiveRestart(enable != vk::FALSE));
        Ok(())
    }

    // Commands that extensions bring for features that are not offered: they can be had by name, as every command of
    // an enabled extension, but nothing depends on the state that they set.

    fn vkCmdSetLineStippleKHR(_buffer: Ref<CommandBuffer>, _factor: u32, _pattern: u16) {
        Ok(())
    }

    fn vkCmdSetPatchControlPointsEXT(_buffer: Ref<CommandBuffer>, _points: u32) {
        Ok(())
    }
}

/// Aliases of extensions.
pub(crate) const ALIASES: &[(&str, &str)] = &[
    ("vkCmdSetLineStipple", "vkCmdSetLineStippleKHR"),
    ("vkCmdSetCullModeEXT", "vkCmdSetCullMode"),
    ("vkCmdSetLineStippleEXT", "vkCmdSetLineStippleKHR"),
    ("vkCmdSetDepthBiasEnableEXT", "vkCmdSetDepthBiasEnable"),
    (
        "vkCmdSetDepthBoundsTestEnableEXT",
        "vkCmdSetDepthBoundsTestEnable",
    ),
    ("vkCmdSetDepthCompareOpEXT", "vkCmdSetDepthCompareOp"),
    ("vkCmdSetDepthTestEnableEXT", "vkCmdSetDepthTestEnable"),
    ("vkCmdSetDepthWriteEnableEXT", "vkCmdSetDepthWriteEnable"),
    ("vkCmdSetFrontFaceEXT", "vkCmdSetFrontFace"),
    (
        "vkCmdSetPrimitiveRestartEnableEXT",
        "vkCmdSetPrimitiveRestartEnable",
    ),
    ("vkCmdSetPrimitiveTopologyEXT", "vkCmdSetPrimitiveTopology"),
    (
        "vkCmdSetRasterizerDiscardEnableEXT",
        "vkCmdSetRasterizerDiscardEnable",
    ),
    ("vkCmdSetScissorWithCountEXT", "vkCmdSetScissorWithCount"),
    ("vkCmdSetStencilOpEXT", "vkCmdSetStencilOp"),
    ("vkCmdSetStencilTestEnableEXT", "vkCmdSetStencilTestEnable"),
    ("vkCmdSetViewportWithCountEXT", "vkCmdSetViewportWithCount"),
];
