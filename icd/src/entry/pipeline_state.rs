//! The state of graphics pipelines: from Vulkan's structures to the engine's description.

use super::{
    dynamic_state::attachment_bits,
    pipeline::{stage, uses_heaps},
};
use crate::{args::slice, chain, device::DeviceState, error::Answer};
use ash::vk::{self, TaggedStructure};
use lahar::{
    pipeline::{
        AttachmentFormats, BlendDesc, GraphicsPipelineDesc, MultisampleDesc, RasterDesc, StageDesc,
        VertexAttribute, VertexBinding,
    },
    raster::{DepthBias, DrawState},
    resource::format::Format,
};
use std::sync::Arc;
use vk::{DynamicState as D, GraphicsPipelineLibraryFlagsEXT as Part};

/// The structures of a graphics pipeline, as references; those that are to be ignored are absent.
pub(super) struct Parts<'a> {
    vertex_input: Option<&'a vk::PipelineVertexInputStateCreateInfo<'a>>,
    assembly: Option<&'a vk::PipelineInputAssemblyStateCreateInfo<'a>>,
    raster: Option<&'a vk::PipelineRasterizationStateCreateInfo<'a>>,
    viewport: Option<&'a vk::PipelineViewportStateCreateInfo<'a>>,
    pub(super) multisample: Option<&'a vk::PipelineMultisampleStateCreateInfo<'a>>,
    depth_stencil: Option<&'a vk::PipelineDepthStencilStateCreateInfo<'a>>,
    blend: Option<&'a vk::PipelineColorBlendStateCreateInfo<'a>>,
    dynamic: &'a [D],
}

/// Where a pipeline draws to.
#[derive(Default)]
pub(super) struct Targets {
    pub(super) formats: AttachmentFormats,
    view_mask: u32,
}

/// Describes a graphics pipeline, but for its shaders and their layout.
pub(super) fn describe(parts: &Parts<'_>, targets: Targets) -> GraphicsPipelineDesc {
    let (vertex_bindings, vertex_attributes) = parts.vertex_input.map(vertex_input).unwrap_or_default();
    let (blend, logic_op) = parts
        .blend
        .map(|info| blend(info, parts.dynamic))
        .unwrap_or_default();
    GraphicsPipelineDesc {
        stages: Vec::new(),
        layout: Arc::default(),
        vertex_bindings,
        vertex_attributes,
        raster: RasterDesc {
            negative_one_to_one: parts.viewport.is_some_and(negative_one_to_one),
            ..parts.raster.map(raster).unwrap_or_default()
        },
        multisample: parts
            .multisample
            .map(|info| multisample(info, parts.dynamic))
            .unwrap_or_default(),
        blend,
        logic_op,
        formats: targets.formats,
        view_mask: targets.view_mask,
        state: state(parts),
        dynamic: parts.dynamic.to_vec(),
    }
}

/// The shaders of those stages that are wanted.
pub(super) fn stages(
    device: &DeviceState,
    info: &vk::GraphicsPipelineCreateInfo<'_>,
    wanted: impl Fn(vk::ShaderStageFlags) -> bool,
) -> Answer<Vec<StageDesc>> {
    // SAFETY: the array has this many elements.
    let stages = unsafe { slice(info.p_stages, info.stage_count) };
    let stages = stages.iter().filter(|s| wanted(s.stage));
    let heaps = uses_heaps(info);
    stages.map(|s| stage(device, s, heaps)).collect()
}

/// The attachment formats, from the subpass or from the rendering structure.
pub(super) fn targets(device: &DeviceState, info: &vk::GraphicsPipelineCreateInfo<'_>) -> Answer<Targets> {
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
                locations: chain::find(info).map(locations).unwrap_or_default(),
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
            locations: Vec::new(),
            depth: with(vk::ImageAspectFlags::DEPTH),
            stencil: with(vk::ImageAspectFlags::STENCIL),
        },
        view_mask: subpass.view_mask,
    })
}

/// The fragment output location of each colour attachment.
pub(super) fn locations(info: &vk::RenderingAttachmentLocationInfoKHR<'_>) -> Vec<u32> {
    // SAFETY: the array has this many elements, or is absent.
    let locations = unsafe { slice(info.p_color_attachment_locations, info.color_attachment_count) };
    locations.to_vec()
}

impl<'a> Parts<'a> {
    /// The structures that count where a pipeline has only some parts of its own.
    pub(super) fn of(
        info: &'a vk::GraphicsPipelineCreateInfo<'_>,
        formats: &AttachmentFormats,
        own: Part,
    ) -> Parts<'a> {
        // SAFETY: the pointer is null or valid whatever else the pipeline has.
        let dynamic = unsafe { info.p_dynamic_state.as_ref() };
        // SAFETY: the array has this many elements.
        let dynamic = dynamic.map_or(&[][..], |d| unsafe {
            slice(d.p_dynamic_states, d.dynamic_state_count)
        });
        let before = own.contains(Part::PRE_RASTERIZATION_SHADERS);
        let output = own.contains(Part::FRAGMENT_OUTPUT_INTERFACE);
        // SAFETY: the pointer is valid where this part is the pipeline's own.
        let raster = wanted(before, || unsafe { info.p_rasterization_state.as_ref() });
        let discards = raster.is_some_and(|raster| raster.rasterizer_discard_enable != vk::FALSE);
        let rasterizes = !discards || dynamic.contains(&D::RASTERIZER_DISCARD_ENABLE);
        let fragments = rasterizes && own.contains(Part::FRAGMENT_SHADER);
        // The formats of dynamic rendering are known only to the part that has the outputs.
        let apart = !output && info.render_pass == vk::RenderPass::null();
        let has_depth_stencil =
            apart || formats.depth != vk::Format::UNDEFINED || formats.stencil != vk::Format::UNDEFINED;
        let vertices = own.contains(Part::VERTEX_INPUT_INTERFACE);
        let described = !dynamic.contains(&D::VERTEX_INPUT_EXT);
        // SAFETY: these pointers are null or valid where their part is the pipeline's own, something is rasterized,
        // and there are such attachments.
        unsafe {
            Parts {
                vertex_input: wanted(vertices && described, || info.p_vertex_input_state.as_ref()),
                assembly: wanted(vertices, || info.p_input_assembly_state.as_ref()),
                raster,
                viewport: wanted(before && rasterizes, || info.p_viewport_state.as_ref()),
                multisample: wanted(fragments || (output && rasterizes), || {
                    info.p_multisample_state.as_ref()
                }),
                depth_stencil: wanted(fragments && has_depth_stencil, || {
                    info.p_depth_stencil_state.as_ref()
                }),
                blend: wanted(output && rasterizes && !formats.colors.is_empty(), || {
                    info.p_color_blend_state.as_ref()
                }),
                dynamic,
            }
        }
    }
}

fn wanted<T>(condition: bool, get: impl FnOnce() -> Option<T>) -> Option<T> {
    if condition { get() } else { None }
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

fn negative_one_to_one(info: &vk::PipelineViewportStateCreateInfo<'_>) -> bool {
    let control = chain::find::<vk::PipelineViewportDepthClipControlCreateInfoEXT<'_>, _>(info);
    control.is_some_and(|control| control.negative_one_to_one != vk::FALSE)
}

fn raster(info: &vk::PipelineRasterizationStateCreateInfo<'_>) -> RasterDesc {
    let clamp = info.depth_clamp_enable != vk::FALSE;
    let clip = chain::find::<vk::PipelineRasterizationDepthClipStateCreateInfoEXT<'_>, _>(info);
    let provoking = chain::find::<vk::PipelineRasterizationProvokingVertexStateCreateInfoEXT<'_>, _>(info);
    let lines = chain::find::<vk::PipelineRasterizationLineStateCreateInfoKHR<'_>, _>(info);
    RasterDesc {
        depth_clamp_enable: clamp,
        depth_clip_enable: clip.map(|clip| clip.depth_clip_enable != vk::FALSE),
        negative_one_to_one: false,
        provoking_last: provoking.is_some_and(|provoking| {
            provoking.provoking_vertex_mode == vk::ProvokingVertexModeEXT::LAST_VERTEX
        }),
        polygon_mode: info.polygon_mode,
        rectangular_lines: lines
            .is_some_and(|lines| lines.line_rasterization_mode == vk::LineRasterizationModeEXT::RECTANGULAR),
    }
}

fn multisample(info: &vk::PipelineMultisampleStateCreateInfo<'_>, dynamic: &[D]) -> MultisampleDesc {
    // SAFETY: the pointer is null or has a word for each 32 samples where it counts.
    let mask = wanted(!dynamic.contains(&D::SAMPLE_MASK_EXT), || unsafe {
        info.p_sample_mask.as_ref()
    });
    let shading = info.sample_shading_enable != vk::FALSE;
    MultisampleDesc {
        samples: if dynamic.contains(&D::RASTERIZATION_SAMPLES_EXT) {
            1
        } else {
            info.rasterization_samples.as_raw()
        },
        sample_shading: shading.then_some(info.min_sample_shading),
        sample_mask: mask.copied().unwrap_or(u32::MAX),
        alpha_to_coverage: info.alpha_to_coverage_enable != vk::FALSE,
        alpha_to_one: info.alpha_to_one_enable != vk::FALSE,
    }
}

fn blend(
    info: &vk::PipelineColorBlendStateCreateInfo<'_>,
    dynamic: &[D],
) -> (Vec<BlendDesc>, Option<vk::LogicOp>) {
    let ignored = [
        D::COLOR_BLEND_ENABLE_EXT,
        D::COLOR_BLEND_EQUATION_EXT,
        D::COLOR_WRITE_MASK_EXT,
    ];
    let attachments = if ignored.iter().all(|state| dynamic.contains(state)) {
        &[][..]
    } else {
        // SAFETY: the array has this many elements where some of it counts.
        unsafe { slice(info.p_attachments, info.attachment_count) }
    };
    let advanced = chain::find::<vk::PipelineColorBlendAdvancedStateCreateInfoEXT<'_>, _>(info);
    let attachment = |a: &vk::PipelineColorBlendAttachmentState| BlendDesc {
        enable: a.blend_enable != vk::FALSE,
        src_color: a.src_color_blend_factor,
        dst_color: a.dst_color_blend_factor,
        color_op: a.color_blend_op,
        src_alpha: a.src_alpha_blend_factor,
        dst_alpha: a.dst_alpha_blend_factor,
        alpha_op: a.alpha_blend_op,
        write_mask: a.color_write_mask,
        src_premultiplied: advanced.is_none_or(|advanced| advanced.src_premultiplied != vk::FALSE),
        dst_premultiplied: advanced.is_none_or(|advanced| advanced.dst_premultiplied != vk::FALSE),
        overlap: advanced.map_or(vk::BlendOverlapEXT::UNCORRELATED, |advanced| {
            advanced.blend_overlap
        }),
    };
    let logic_enable = info.logic_op_enable != vk::FALSE || dynamic.contains(&D::LOGIC_OP_ENABLE_EXT);
    let logic_op = logic_enable.then_some(info.logic_op);
    (attachments.iter().map(attachment).collect(), logic_op)
}

/// What a depth bias is a multiple of, from a chain that may say so.
pub(super) fn bias_representation<T: TaggedStructure>(head: &T) -> vk::DepthBiasRepresentationEXT {
    let found = chain::find::<vk::DepthBiasRepresentationInfoEXT<'_>, _>(head);
    found.map_or_else(Default::default, |info| info.depth_bias_representation)
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
        // What is switched on later has its values from here.
        let enabled = raster.depth_bias_enable != vk::FALSE || parts.dynamic.contains(&D::DEPTH_BIAS_ENABLE);
        state.depth_bias = enabled.then_some(DepthBias {
            constant: raster.depth_bias_constant_factor,
            clamp: raster.depth_bias_clamp,
            slope: raster.depth_bias_slope_factor,
            representation: bias_representation(raster),
        });
    }
    if let Some(ds) = parts.depth_stencil {
        state.depth_test = ds.depth_test_enable != vk::FALSE;
        state.depth_write = ds.depth_write_enable != vk::FALSE;
        state.depth_compare = ds.depth_compare_op;
        let enabled =
            ds.depth_bounds_test_enable != vk::FALSE || parts.dynamic.contains(&D::DEPTH_BOUNDS_TEST_ENABLE);
        state.depth_bounds = enabled.then_some([ds.min_depth_bounds, ds.max_depth_bounds]);
        state.stencil_test = ds.stencil_test_enable != vk::FALSE;
        state.stencil_front = ds.front;
        state.stencil_back = ds.back;
    }
    if let Some(blend) = parts.blend {
        state.blend_constants = blend.blend_constants;
        if let Some(write) = chain::find::<vk::PipelineColorWriteCreateInfoEXT<'_>, _>(blend) {
            // SAFETY: the array has this many elements.
            let enables = unsafe { slice(write.p_color_write_enables, write.attachment_count) };
            state.color_write = attachment_bits(enables);
        }
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
