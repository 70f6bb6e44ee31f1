//! Recording of dynamic state that is compiled into kernels: vertex input, and what came with the third extension.

use super::dynamic_state::set;
use crate::{args::Array, boundary::commands, command::CommandBuffer, dispatch::Ref};
use ash::vk;
use lahar::{
    command::StateValue,
    pipeline::{VertexAttribute, VertexBinding, VertexInput},
};
use std::sync::Arc;

/// Records a value for each of some attachments.
fn set_each<T: Copy>(buffer: &CommandBuffer, first: u32, values: &[T], value: impl Fn(u8, T) -> StateValue) {
    for (at, of) in (first..).zip(values) {
        if let Ok(at) = u8::try_from(at) {
            set(buffer, value(at, *of));
        }
    }
}

commands! {
    fn vkCmdSetVertexInputEXT(
        buffer: Ref<CommandBuffer>,
        binding_count: u32,
        bindings: Array<vk::VertexInputBindingDescription2EXT<'_>>,
        attribute_count: u32,
        attributes: Array<vk::VertexInputAttributeDescription2EXT<'_>>,
    ) {
        let binding = |b: &vk::VertexInputBindingDescription2EXT<'_>| VertexBinding {
            binding: b.binding,
            stride: b.stride,
            input_rate: b.input_rate,
            divisor: b.divisor,
        };
        let attribute = |a: &vk::VertexInputAttributeDescription2EXT<'_>| VertexAttribute {
            location: a.location,
            binding: a.binding,
            format: a.format,
            offset: a.offset,
        };
        set(
            &buffer,
            StateValue::VertexInput(Arc::new(VertexInput {
                bindings: bindings.get(binding_count).iter().map(binding).collect(),
                attributes: attributes.get(attribute_count).iter().map(attribute).collect(),
            })),
        );
        Ok(())
    }

    fn vkCmdSetPolygonModeEXT(buffer: Ref<CommandBuffer>, mode: vk::PolygonMode) {
        set(&buffer, StateValue::PolygonMode(mode));
        Ok(())
    }

    fn vkCmdSetDepthClampEnableEXT(buffer: Ref<CommandBuffer>, enable: u32) {
        set(&buffer, StateValue::DepthClamp(enable != vk::FALSE));
        Ok(())
    }

    fn vkCmdSetDepthClipEnableEXT(buffer: Ref<CommandBuffer>, enable: u32) {
        set(&buffer, StateValue::DepthClip(enable != vk::FALSE));
        Ok(())
    }

    fn vkCmdSetDepthClipNegativeOneToOneEXT(buffer: Ref<CommandBuffer>, enable: u32) {
        set(&buffer, StateValue::NegativeOneToOne(enable != vk::FALSE));
        Ok(())
    }

    fn vkCmdSetProvokingVertexModeEXT(buffer: Ref<CommandBuffer>, mode: vk::ProvokingVertexModeEXT) {
        set(
            &buffer,
            StateValue::ProvokingLast(mode == vk::ProvokingVertexModeEXT::LAST_VERTEX),
        );
        Ok(())
    }

    fn vkCmdSetLineRasterizationModeEXT(buffer: Ref<CommandBuffer>, mode: vk::LineRasterizationModeEXT) {
        set(
            &buffer,
            StateValue::RectangularLines(mode == vk::LineRasterizationModeEXT::RECTANGULAR),
        );
        Ok(())
    }

    fn vkCmdSetRasterizationSamplesEXT(buffer: Ref<CommandBuffer>, samples: vk::SampleCountFlags) {
        set(&buffer, StateValue::Samples(samples.as_raw()));
        Ok(())
    }

    fn vkCmdSetSampleMaskEXT(
        buffer: Ref<CommandBuffer>,
        _samples: vk::SampleCountFlags,
        mask: Array<vk::SampleMask>,
    ) {
        // No count has more samples than the first word has bits.
        set(
            &buffer,
            StateValue::SampleMask(mask.get(1).first().copied().unwrap_or(u32::MAX)),
        );
        Ok(())
    }

    fn vkCmdSetAlphaToCoverageEnableEXT(buffer: Ref<CommandBuffer>, enable: u32) {
        set(&buffer, StateValue::AlphaToCoverage(enable != vk::FALSE));
        Ok(())
    }

    fn vkCmdSetAlphaToOneEnableEXT(buffer: Ref<CommandBuffer>, enable: u32) {
        set(&buffer, StateValue::AlphaToOne(enable != vk::FALSE));
        Ok(())
    }

    fn vkCmdSetLogicOpEXT(buffer: Ref<CommandBuffer>, op: vk::LogicOp) {
        set(&buffer, StateValue::LogicOp(op));
        Ok(())
    }

    fn vkCmdSetLogicOpEnableEXT(buffer: Ref<CommandBuffer>, enable: u32) {
        set(&buffer, StateValue::LogicOpEnable(enable != vk::FALSE));
        Ok(())
    }

    fn vkCmdSetColorBlendEnableEXT(
        buffer: Ref<CommandBuffer>,
        first: u32,
        count: u32,
        enables: Array<vk::Bool32>,
    ) {
        set_each(&buffer, first, enables.get(count), |at, on| {
            StateValue::BlendEnable(at, on != vk::FALSE)
        });
        Ok(())
    }

    fn vkCmdSetColorBlendEquationEXT(
        buffer: Ref<CommandBuffer>,
        first: u32,
        count: u32,
        equations: Array<vk::ColorBlendEquationEXT>,
    ) {
        set_each(&buffer, first, equations.get(count), StateValue::BlendEquation);
        Ok(())
    }

    fn vkCmdSetColorBlendAdvancedEXT(
        buffer: Ref<CommandBuffer>,
        first: u32,
        count: u32,
        advanced: Array<vk::ColorBlendAdvancedEXT>,
    ) {
        set_each(&buffer, first, advanced.get(count), StateValue::BlendAdvanced);
        Ok(())
    }

    fn vkCmdSetColorWriteMaskEXT(
        buffer: Ref<CommandBuffer>,
        first: u32,
        count: u32,
        masks: Array<vk::ColorComponentFlags>,
    ) {
        set_each(&buffer, first, masks.get(count), StateValue::WriteMask);
        Ok(())
    }

    // Commands that extensions bring for features that are not offered: they can be had by name, as every command of
    // an enabled extension, but nothing depends on the state that they set.

    fn vkCmdSetTessellationDomainOriginEXT(
        _buffer: Ref<CommandBuffer>,
        _origin: vk::TessellationDomainOrigin,
    ) {
        Ok(())
    }

    fn vkCmdSetRasterizationStreamEXT(_buffer: Ref<CommandBuffer>, _stream: u32) {
        Ok(())
    }

    fn vkCmdSetConservativeRasterizationModeEXT(
        _buffer: Ref<CommandBuffer>,
        _mode: vk::ConservativeRasterizationModeEXT,
    ) {
        Ok(())
    }

    fn vkCmdSetExtraPrimitiveOverestimationSizeEXT(_buffer: Ref<CommandBuffer>, _size: f32) {
        Ok(())
    }

    fn vkCmdSetSampleLocationsEnableEXT(_buffer: Ref<CommandBuffer>, _enable: u32) {
        Ok(())
    }

    fn vkCmdSetLineStippleEnableEXT(_buffer: Ref<CommandBuffer>, _enable: u32) {
        Ok(())
    }

    fn vkCmdSetViewportWScalingEnableNV(_buffer: Ref<CommandBuffer>, _enable: u32) {
        Ok(())
    }

    fn vkCmdSetViewportSwizzleNV(
        _buffer: Ref<CommandBuffer>,
        _first: u32,
        _count: u32,
        _swizzles: Array<vk::ViewportSwizzleNV>,
    ) {
        Ok(())
    }

    fn vkCmdSetCoverageToColorEnableNV(_buffer: Ref<CommandBuffer>, _enable: u32) {
        Ok(())
    }

    fn vkCmdSetCoverageToColorLocationNV(_buffer: Ref<CommandBuffer>, _location: u32) {
        Ok(())
    }

    fn vkCmdSetCoverageModulationModeNV(
        _buffer: Ref<CommandBuffer>,
        _mode: vk::CoverageModulationModeNV,
    ) {
        Ok(())
    }

    fn vkCmdSetCoverageModulationTableEnableNV(_buffer: Ref<CommandBuffer>, _enable: u32) {
        Ok(())
    }

    fn vkCmdSetCoverageModulationTableNV(
        _buffer: Ref<CommandBuffer>,
        _count: u32,
        _table: Array<f32>,
    ) {
        Ok(())
    }

    fn vkCmdSetShadingRateImageEnableNV(_buffer: Ref<CommandBuffer>, _enable: u32) {
        Ok(())
    }

    fn vkCmdSetRepresentativeFragmentTestEnableNV(_buffer: Ref<CommandBuffer>, _enable: u32) {
        Ok(())
    }

    fn vkCmdSetCoverageReductionModeNV(
        _buffer: Ref<CommandBuffer>,
        _mode: vk::CoverageReductionModeNV,
    ) {
        Ok(())
    }
}
