//! The state of graphics pipelines: from Vulkan's structures to the engine's description.

use super::pipeline::stage;
use crate::{args::slice, chain, device::DeviceState, error::Answer};
use ash::vk;
use lahar::{
    pipeline::{
        AttachmentFormats, BlendDesc, GraphicsPipelineDesc, MultisampleDesc, RasterDesc, VertexAttribute,
        VertexBinding,
    },
    raster::{DepthBias, DrawState},
    resource::format::Format,
};
use vk::DynamicState as D;

/// The structures of a graphics pipeline, as references; those that are to be ignored are absent.
struct Parts<'a> {
    vertex_input: Option<&'a vk::PipelineVertexInputStateCreateInfo<'a>>,
    assembly: Option<&'a vk::PipelineInputAssemblyStateCreateInfo<'a>>,
    raster: Option<&'a vk::PipelineRasterizationStateCreateInfo<'a>>,
    viewport: Option<&'a vk::PipelineViewportStateCreateInfo<'a>>,
    multisample: Option<&'a vk::PipelineMultisampleStateCreateInfo<'a>>,
    depth_stencil: Option<&'a vk::PipelineDepthStencilStateCreateInfo<'a>>,
    blend: Option<&'a vk::PipelineColorBlendStateCreateInfo<'a>>,
    dynamic: &'a [D],
}

/// Where a pipeline draws to.
struct Targets {
    formats: AttachmentFormats,
    view_mask: u32,
}

/// Describes a graphics pipeline.
pub(super) fn graphics(
    device: &DeviceState,
    info: &vk::GraphicsPipelineCreateInfo<'_>,
) -> Answer<GraphicsPipelineDesc> {
    let targets = targets(device, info)?;
    let parts = parts(info, &targets.formats);
    // SAFETY: the array has this many elements.
    let stages = unsafe { slice(info.p_stages, info.stage_count) };
    let (vertex_bindings, vertex_attributes) = parts.vertex_input.map(vertex_input).unwrap_or_default();
    let (blend, logic_op) = parts.blend.map(blend).unwrap_or_default();
    Ok(GraphicsPipelineDesc {
        stages: stages.iter().map(|s| stage(device, s)).collect::<Answer<_>>()?,
        layout: device
            .tables
            .pipeline_layouts
            .get(info.layout)?
            .resources()
            .clone(),
        vertex_bindings,
        vertex_attributes,
        raster: parts.raster.map(raster).unwrap_or_default(),
        multisample: parts.multisample.map(multisample).unwrap_or_default(),
        blend,
        logic_op,
        formats: targets.formats,
        view_mask: targets.view_mask,
        state: state(&parts),
        dynamic: parts.dynamic.to_vec(),
    })
}

/// The attachment formats, from the subpass or from the rendering structure.
fn targets(device: &DeviceState, info: &vk::GraphicsPipelineCreateInfo<'_>) -> Answer<Targets> {
    let Some(pass) = device.tables.render_passes.get_optional(info.render_pass)? else {
        let Some(rendering) = chain::find::<vk::PipelineRenderingCreateInfo<'_>, _>(info) else {
            return Ok(Targets {
                formats: AttachmentFormats::default(),
                view_mask: 0,
            });
        };
        // SAFETY: the array has this many elements.
        let colors = unsafe {
            slice(
                rendering.p_color_attachment_formats,
                rendering.color_attachment_count,
            )
        };
        return Ok(Targets {
            formats: AttachmentFormats {
                colors: colors.to_vec(),
                depth: rendering.depth_attachment_format,
                stencil: rendering.stencil_attachment_format,
            },
            view_mask: rendering.view_mask,
        });
    };
    let subpass = pass
        .subpasses
        .get(info.subpass as usize)
        .cloned()
        .unwrap_or_default();
    let format = |index: Option<u32>| {
        index
            .and_then(|index| pass.attachments.get(index as usize))
            .map_or(vk::Format::UNDEFINED, |a| a.format)
    };
    let depth_stencil = format(subpass.depth_stencil);
    let aspects = Format::of(depth_stencil).map_or(vk::ImageAspectFlags::empty(), Format::aspects);
    let with = |aspect| {
        if aspects.contains(aspect) {
            depth_stencil
        } else {
            vk::Format::UNDEFINED
        }
    };
    Ok(Targets {
        formats: AttachmentFormats {
            colors: subpass.colors.iter().map(|color| format(*color)).collect(),
            depth: with(vk::ImageAspectFlags::DEPTH),
            stencil: with(vk::ImageAspectFlags::STENCIL),
        },
        view_mask: subpass.view_mask,
    })
}

fn parts<'a>(info: &'a vk::GraphicsPipelineCreateInfo<'_>, formats: &AttachmentFormats) -> Parts<'a> {
    // SAFETY: these pointers are null or valid whatever else the pipeline has.
    let (vertex_input, assembly, raster, dynamic) = unsafe {
        (
            info.p_vertex_input_state.as_ref(),
            info.p_input_assembly_state.as_ref(),
            info.p_rasterization_state.as_ref(),
            info.p_dynamic_state.as_ref(),
        )
    };
    // SAFETY: the array has this many elements.
    let dynamic = dynamic.map_or(&[][..], |d| unsafe {
        slice(d.p_dynamic_states, d.dynamic_state_count)
    });
    let discards = raster.is_some_and(|raster| raster.rasterizer_discard_enable != vk::FALSE);
    let rasterizes = !discards || dynamic.contains(&D::RASTERIZER_DISCARD_ENABLE);
    let has_depth_stencil =
        formats.depth != vk::Format::UNDEFINED || formats.stencil != vk::Format::UNDEFINED;
    // SAFETY: these pointers are valid, or to be ignored where nothing is rasterized or there is no such attachment.
    let (viewport, multisample, depth_stencil, blend) = unsafe {
        (
            if rasterizes {
                info.p_viewport_state.as_ref()
            } else {
                None
            },
            if rasterizes {
                info.p_multisample_state.as_ref()
            } else {
                None
            },
            if rasterizes && has_depth_stencil {
                info.p_depth_stencil_state.as_ref()
            } else {
                None
            },
            if rasterizes && !formats.colors.is_empty() {
                info.p_color_blend_state.as_ref()
            } else {
                None
            },
        )
    };
    Parts {
        vertex_input,
        assembly,
        raster,
        viewport,
        multisample,
        depth_stencil,
        blend,
        dynamic,
    }
}

fn vertex_input(
    info: &vk::PipelineVertexInputStateCreateInfo<'_>,
) -> (Vec<VertexBinding>, Vec<VertexAttribute>) {
    let divisors = chain::find::<vk::PipelineVertexInputDivisorStateCreateInfoKHR<'_>, _>(info);
    // SAFETY: the arrays have the lengths that the structures say.
    let (bindings, attributes, divisors) = unsafe {
        (
            slice(
                info.p_vertex_binding_descriptions,
                info.vertex_binding_description_count,
            ),
            slice(
                info.p_vertex_attribute_descriptions,
                info.vertex_attribute_description_count,
            ),
            divisors.map_or(&[][..], |d| {
                slice(d.p_vertex_binding_divisors, d.vertex_binding_divisor_count)
            }),
        )
    };
    let binding = |b: &vk::VertexInputBindingDescription| VertexBinding {
        binding: b.binding,
        stride: b.stride,
        input_rate: b.input_rate,
        divisor: divisors
            .iter()
            .find(|d| d.binding == b.binding)
            .map_or(1, |d| d.divisor),
    };
    let attribute = |a: &vk::VertexInputAttributeDescription| VertexAttribute {
        location: a.location,
        binding: a.binding,
        format: a.format,
        offset: a.offset,
    };
    (
        bindings.iter().map(binding).collect(),
        attributes.iter().map(attribute).collect(),
    )
}

fn raster(info: &vk::PipelineRasterizationStateCreateInfo<'_>) -> RasterDesc {
    let clamp = info.depth_clamp_enable != vk::FALSE;
    let clip = chain::find::<vk::PipelineRasterizationDepthClipStateCreateInfoEXT<'_>, _>(info);
    RasterDesc {
        depth_clamp_enable: clamp,
        depth_clip_enable: clip.map_or(!clamp, |clip| clip.depth_clip_enable != vk::FALSE),
        polygon_mode: info.polygon_mode,
    }
}

fn multisample(info: &vk::PipelineMultisampleStateCreateInfo<'_>) -> MultisampleDesc {
    // SAFETY: the pointer is null or has a word for each 32 samples.
    let mask = unsafe { info.p_sample_mask.as_ref() };
    let shading = info.sample_shading_enable != vk::FALSE;
    MultisampleDesc {
        samples: info.rasterization_samples.as_raw(),
        sample_shading: shading.then_some(info.min_sample_shading),
        sample_mask: mask.copied().unwrap_or(u32::MAX),
        alpha_to_coverage: info.alpha_to_coverage_enable != vk::FALSE,
        alpha_to_one: info.alpha_to_one_enable != vk::FALSE,
    }
}

fn blend(info: &vk::PipelineColorBlendStateCreateInfo<'_>) -> (Vec<BlendDesc>, Option<vk::LogicOp>) {
    // SAFETY: the array has this many elements.
    let attachments = unsafe { slice(info.p_attachments, info.attachment_count) };
    let attachment = |a: &vk::PipelineColorBlendAttachmentState| BlendDesc {
        enable: a.blend_enable != vk::FALSE,
        src_color: a.src_color_blend_factor,
        dst_color: a.dst_color_blend_factor,
        color_op: a.color_blend_op,
        src_alpha: a.src_alpha_blend_factor,
        dst_alpha: a.dst_alpha_blend_factor,
        alpha_op: a.alpha_blend_op,
        write_mask: a.color_write_mask,
    };
    let logic_op = (info.logic_op_enable != vk::FALSE).then_some(info.logic_op);
    (attachments.iter().map(attachment).collect(), logic_op)
}

/// The static values of what may be dynamic.
fn state(parts: &Parts<'_>) -> DrawState {
    let mut state = DrawState::default();
    if let Some(assembly) = parts.assembly {
        state.topology = assembly.topology;
        state.primitive_restart = assembly.primitive_restart_enable != vk::FALSE;
    }
    if let Some(viewport) = parts.viewport {
        viewport_state(&mut state, viewport, parts.dynamic);
    }
    if let Some(raster) = parts.raster {
        state.line_width = raster.line_width;
        state.cull_mode = raster.cull_mode;
        state.front_face = raster.front_face;
        state.rasterizer_discard = raster.rasterizer_discard_enable != vk::FALSE;
        state.depth_bias = (raster.depth_bias_enable != vk::FALSE).then_some(DepthBias {
            constant: raster.depth_bias_constant_factor,
            clamp: raster.depth_bias_clamp,
            slope: raster.depth_bias_slope_factor,
        });
    }
    if let Some(ds) = parts.depth_stencil {
        state.depth_test = ds.depth_test_enable != vk::FALSE;
        state.depth_write = ds.depth_write_enable != vk::FALSE;
        state.depth_compare = ds.depth_compare_op;
        state.depth_bounds =
            (ds.depth_bounds_test_enable != vk::FALSE).then_some([ds.min_depth_bounds, ds.max_depth_bounds]);
        state.stencil_test = ds.stencil_test_enable != vk::FALSE;
        state.stencil_front = ds.front;
        state.stencil_back = ds.back;
    }
    if let Some(blend) = parts.blend {
        state.blend_constants = blend.blend_constants;
    }
    state
}

fn viewport_state(state: &mut DrawState, info: &vk::PipelineViewportStateCreateInfo<'_>, dynamic: &[D]) {
    let is = |names: [D; 2]| names.iter().any(|name| dynamic.contains(name));
    if !is([D::VIEWPORT, D::VIEWPORT_WITH_COUNT]) {
        // SAFETY: static viewports are an array of this length.
        let viewports: &[vk::Viewport] = unsafe { slice(info.p_viewports, info.viewport_count) };
        state.viewport = viewports.first().copied().unwrap_or_default();
    }
    if !is([D::SCISSOR, D::SCISSOR_WITH_COUNT]) {
        // SAFETY: as above.
        let scissors: &[vk::Rect2D] = unsafe { slice(info.p_scissors, info.scissor_count) };
        state.scissor = scissors.first().copied().unwrap_or_default();
    }
}
