//! Dynamic state: its values, and what they make of a pipeline's state.

use crate::pipeline::{
    AttachmentFormats, BlendDesc, CompiledState, Coverage, GraphicsPipeline, RasterDesc, Template,
    VertexInput,
};
use crate::raster::{DepthBias, DrawState};
use crate::vk;
use std::sync::Arc;
use vk::DynamicState as D;

/// Colour attachments that dynamic state can be set of.
const ATTACHMENTS: usize = 8;

/// A value of dynamic state.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "Vulkan's names")]
pub enum StateValue {
    Viewport(vk::Viewport),
    Scissor(vk::Rect2D),
    LineWidth(f32),
    DepthBias(DepthBias),
    BlendConstants([f32; 4]),
    DepthBounds([f32; 2]),
    StencilCompareMask(vk::StencilFaceFlags, u32),
    StencilWriteMask(vk::StencilFaceFlags, u32),
    StencilReference(vk::StencilFaceFlags, u32),
    CullMode(vk::CullModeFlags),
    FrontFace(vk::FrontFace),
    Topology(vk::PrimitiveTopology),
    DepthTest(bool),
    DepthWrite(bool),
    DepthCompare(vk::CompareOp),
    DepthBoundsTest(bool),
    StencilTest(bool),
    StencilOp {
        faces: vk::StencilFaceFlags,
        fail: vk::StencilOp,
        pass: vk::StencilOp,
        depth_fail: vk::StencilOp,
        compare: vk::CompareOp,
    },
    RasterizerDiscard(bool),
    DepthBiasEnable(bool),
    PrimitiveRestart(bool),
    /// A bit for each attachment.
    ColorWrite(u8),
    VertexInput(Arc<VertexInput>),
    /// The fragment output location of each colour attachment.
    Locations(Arc<[u32]>),
    PolygonMode(vk::PolygonMode),
    DepthClamp(bool),
    DepthClip(bool),
    NegativeOneToOne(bool),
    ProvokingLast(bool),
    RectangularLines(bool),
    Samples(u32),
    SampleMask(u32),
    AlphaToCoverage(bool),
    AlphaToOne(bool),
    LogicOp(vk::LogicOp),
    LogicOpEnable(bool),
    /// Of the attachment of this number.
    BlendEnable(u8, bool),
    /// Of the attachment of this number.
    BlendEquation(u8, vk::ColorBlendEquationEXT),
    /// Of the attachment of this number.
    BlendAdvanced(u8, vk::ColorBlendAdvancedEXT),
    /// Of the attachment of this number.
    WriteMask(u8, vk::ColorComponentFlags),
}

/// Values of dynamic state as they were set, whether or not the pipeline takes them.
#[derive(Clone, Debug)]
pub(super) struct Dynamic {
    state: DrawState,
    bias: DepthBias,
    bias_enable: bool,
    bounds: [f32; 2],
    bounds_enable: bool,
    compiled: Compiled,
}

/// Values of dynamic state that is compiled into kernels.
#[derive(Clone, Debug)]
struct Compiled {
    vertex_input: Arc<VertexInput>,
    locations: Arc<[u32]>,
    raster: RasterDesc,
    coverage: Coverage,
    blend: [BlendDesc; ATTACHMENTS],
    logic_op: vk::LogicOp,
    logic_op_enable: bool,
}

impl Default for Dynamic {
    fn default() -> Dynamic {
        Dynamic {
            state: DrawState::default(),
            bias: DepthBias::default(),
            bias_enable: false,
            bounds: [0.0, 1.0],
            bounds_enable: false,
            compiled: Compiled {
                vertex_input: Arc::default(),
                locations: Arc::default(),
                raster: RasterDesc::default(),
                coverage: Coverage {
                    samples: 1,
                    sample_mask: u32::MAX,
                    alpha_to_coverage: false,
                    alpha_to_one: false,
                },
                blend: [BlendDesc::default(); ATTACHMENTS],
                logic_op: vk::LogicOp::COPY,
                logic_op_enable: false,
            },
        }
    }
}

impl Compiled {
    fn set(&mut self, value: StateValue) {
        let (raster, coverage) = (&mut self.raster, &mut self.coverage);
        match value {
            StateValue::VertexInput(input) => self.vertex_input = input,
            StateValue::Locations(locations) => self.locations = locations,
            StateValue::PolygonMode(mode) => raster.polygon_mode = mode,
            StateValue::DepthClamp(on) => raster.depth_clamp_enable = on,
            StateValue::DepthClip(on) => raster.depth_clip_enable = Some(on),
            StateValue::NegativeOneToOne(on) => raster.negative_one_to_one = on,
            StateValue::ProvokingLast(on) => raster.provoking_last = on,
            StateValue::RectangularLines(on) => raster.rectangular_lines = on,
            StateValue::Samples(samples) => coverage.samples = samples,
            StateValue::SampleMask(mask) => coverage.sample_mask = mask,
            StateValue::AlphaToCoverage(on) => coverage.alpha_to_coverage = on,
            StateValue::AlphaToOne(on) => coverage.alpha_to_one = on,
            StateValue::LogicOp(op) => self.logic_op = op,
            StateValue::LogicOpEnable(on) => self.logic_op_enable = on,
            StateValue::BlendEnable(at, on) => self.attachment(at, |blend| blend.enable = on),
            StateValue::BlendEquation(at, equation) => {
                self.attachment(at, |blend| take_equation(blend, &equation));
            }
            StateValue::BlendAdvanced(at, advanced) => {
                self.attachment(at, |blend| take_advanced(blend, &advanced));
            }
            StateValue::WriteMask(at, mask) => self.attachment(at, |blend| blend.write_mask = mask),
            _ => {}
        }
    }

    fn attachment(&mut self, at: u8, set: impl FnOnce(&mut BlendDesc)) {
        if let Some(blend) = self.blend.get_mut(usize::from(at)) {
            set(blend);
        }
    }
}

fn take_equation(blend: &mut BlendDesc, equation: &vk::ColorBlendEquationEXT) {
    (blend.src_color, blend.dst_color) = (equation.src_color_blend_factor, equation.dst_color_blend_factor);
    (blend.src_alpha, blend.dst_alpha) = (equation.src_alpha_blend_factor, equation.dst_alpha_blend_factor);
    (blend.color_op, blend.alpha_op) = (equation.color_blend_op, equation.alpha_blend_op);
}

fn take_advanced(blend: &mut BlendDesc, advanced: &vk::ColorBlendAdvancedEXT) {
    (blend.color_op, blend.alpha_op) = (advanced.advanced_blend_op, advanced.advanced_blend_op);
    blend.src_premultiplied = advanced.src_premultiplied != vk::FALSE;
    blend.dst_premultiplied = advanced.dst_premultiplied != vk::FALSE;
    blend.overlap = advanced.blend_overlap;
}

impl Dynamic {
    /// Sets dynamic state.
    pub(super) fn set(&mut self, value: &StateValue) {
        let s = &mut self.state;
        match value.clone() {
            StateValue::Viewport(viewport) => s.viewport = viewport,
            StateValue::Scissor(scissor) => s.scissor = scissor,
            StateValue::LineWidth(width) => s.line_width = width,
            StateValue::DepthBias(bias) => self.bias = bias,
            StateValue::BlendConstants(constants) => s.blend_constants = constants,
            StateValue::DepthBounds(bounds) => self.bounds = bounds,
            StateValue::StencilCompareMask(faces, mask) => {
                each_face(s, faces, |face| face.compare_mask = mask);
            }
            StateValue::StencilWriteMask(faces, mask) => each_face(s, faces, |face| face.write_mask = mask),
            StateValue::StencilReference(faces, value) => each_face(s, faces, |face| face.reference = value),
            StateValue::CullMode(mode) => s.cull_mode = mode,
            StateValue::FrontFace(face) => s.front_face = face,
            StateValue::Topology(topology) => s.topology = topology,
            StateValue::DepthTest(on) => s.depth_test = on,
            StateValue::DepthWrite(on) => s.depth_write = on,
            StateValue::DepthCompare(op) => s.depth_compare = op,
            StateValue::DepthBoundsTest(on) => self.bounds_enable = on,
            StateValue::StencilTest(on) => s.stencil_test = on,
            StateValue::StencilOp {
                faces,
                fail,
                pass,
                depth_fail,
                compare,
            } => each_face(s, faces, |face| {
                (face.fail_op, face.pass_op) = (fail, pass);
                (face.depth_fail_op, face.compare_op) = (depth_fail, compare);
            }),
            StateValue::RasterizerDiscard(on) => s.rasterizer_discard = on,
            StateValue::DepthBiasEnable(on) => self.bias_enable = on,
            StateValue::ColorWrite(attachments) => s.color_write = attachments,
            StateValue::PrimitiveRestart(on) => s.primitive_restart = on,
            value => self.compiled.set(value),
        }
    }
}

impl Dynamic {
    /// What a template's pipeline is to be compiled for.
    pub(super) fn compiled(&self, template: &Template, formats: &AttachmentFormats) -> CompiledState {
        let desc = template.desc();
        let is = |state| desc.dynamic.contains(&state);
        let from = &self.compiled;
        let mut state = CompiledState::of(desc);
        if is(D::VERTEX_INPUT_EXT) {
            state.vertex_input = (*from.vertex_input).clone();
            // Strides come with the buffers.
            state
                .vertex_input
                .bindings
                .iter_mut()
                .for_each(|binding| binding.stride = 0);
        }
        if template.takes_any_formats() {
            state.formats.clone_from(formats);
            state.formats.locations = from.locations.to_vec();
        }
        merge_raster(&is, &mut state.raster, &from.raster);
        merge_coverage(&is, &mut state.coverage, &from.coverage);
        let logic_enable = if is(D::LOGIC_OP_ENABLE_EXT) {
            from.logic_op_enable
        } else {
            state.logic_op.is_some()
        };
        let logic_op = if is(D::LOGIC_OP_EXT) {
            Some(from.logic_op)
        } else {
            state.logic_op
        };
        state.logic_op = logic_op.filter(|_| logic_enable);
        let attachments = state.formats.colors.len().min(ATTACHMENTS);
        state.blend.resize(attachments, BlendDesc::default());
        for (blend, from) in state.blend.iter_mut().zip(&from.blend) {
            if is(D::COLOR_BLEND_ENABLE_EXT) {
                blend.enable = from.enable;
            }
            if is(D::COLOR_BLEND_EQUATION_EXT) || is(D::COLOR_BLEND_ADVANCED_EXT) {
                let (enable, write_mask) = (blend.enable, blend.write_mask);
                *blend = BlendDesc {
                    enable,
                    write_mask,
                    ..*from
                };
            }
            if is(D::COLOR_WRITE_MASK_EXT) {
                blend.write_mask = from.write_mask;
            }
        }
        state
    }

    /// The pipeline's state with the dynamic values in the places of those that are dynamic.
    pub(super) fn merge(&self, pipeline: &GraphicsPipeline) -> DrawState {
        let dynamic = self;
        let is = |state| pipeline.is_dynamic(state);
        let mut merged = *pipeline.state();
        let from = &dynamic.state;
        macro_rules! take {
        ($($state:ident $($or:ident)? => $field:ident;)*) => {
            $(if is(D::$state) $(|| is(D::$or))? {
                merged.$field = from.$field;
            })*
        };
    }
        take! {
            VIEWPORT VIEWPORT_WITH_COUNT => viewport;
            SCISSOR SCISSOR_WITH_COUNT => scissor;
            LINE_WIDTH => line_width;
            BLEND_CONSTANTS => blend_constants;
            STENCIL_TEST_ENABLE => stencil_test;
            CULL_MODE => cull_mode;
            FRONT_FACE => front_face;
            PRIMITIVE_TOPOLOGY => topology;
            PRIMITIVE_RESTART_ENABLE => primitive_restart;
            RASTERIZER_DISCARD_ENABLE => rasterizer_discard;
            DEPTH_TEST_ENABLE => depth_test;
            DEPTH_WRITE_ENABLE => depth_write;
            DEPTH_COMPARE_OP => depth_compare;
            COLOR_WRITE_ENABLE_EXT => color_write;
        }
        merge_stencil(&is, &mut merged.stencil_front, &from.stencil_front);
        merge_stencil(&is, &mut merged.stencil_back, &from.stencil_back);
        let enable = if is(D::DEPTH_BIAS_ENABLE) {
            dynamic.bias_enable
        } else {
            merged.depth_bias.is_some()
        };
        let bias = if is(D::DEPTH_BIAS) {
            Some(dynamic.bias)
        } else {
            merged.depth_bias
        };
        merged.depth_bias = bias.filter(|_| enable);
        let enable = if is(D::DEPTH_BOUNDS_TEST_ENABLE) {
            dynamic.bounds_enable
        } else {
            merged.depth_bounds.is_some()
        };
        let bounds = if is(D::DEPTH_BOUNDS) {
            Some(dynamic.bounds)
        } else {
            merged.depth_bounds
        };
        merged.depth_bounds = bounds.filter(|_| enable);
        merged
    }
}

fn each_face(state: &mut DrawState, faces: vk::StencilFaceFlags, f: impl Fn(&mut vk::StencilOpState)) {
    if faces.contains(vk::StencilFaceFlags::FRONT) {
        f(&mut state.stencil_front);
    }
    if faces.contains(vk::StencilFaceFlags::BACK) {
        f(&mut state.stencil_back);
    }
}

fn merge_stencil(is: &impl Fn(D) -> bool, to: &mut vk::StencilOpState, from: &vk::StencilOpState) {
    if is(D::STENCIL_OP) {
        (to.fail_op, to.pass_op) = (from.fail_op, from.pass_op);
        (to.depth_fail_op, to.compare_op) = (from.depth_fail_op, from.compare_op);
    }
    if is(D::STENCIL_COMPARE_MASK) {
        to.compare_mask = from.compare_mask;
    }
    if is(D::STENCIL_WRITE_MASK) {
        to.write_mask = from.write_mask;
    }
    if is(D::STENCIL_REFERENCE) {
        to.reference = from.reference;
    }
}

fn merge_raster(is: &impl Fn(D) -> bool, to: &mut RasterDesc, from: &RasterDesc) {
    if is(D::POLYGON_MODE_EXT) {
        to.polygon_mode = from.polygon_mode;
    }
    if is(D::DEPTH_CLAMP_ENABLE_EXT) {
        to.depth_clamp_enable = from.depth_clamp_enable;
    }
    if is(D::DEPTH_CLIP_ENABLE_EXT) {
        to.depth_clip_enable = from.depth_clip_enable;
    }
    if is(D::DEPTH_CLIP_NEGATIVE_ONE_TO_ONE_EXT) {
        to.negative_one_to_one = from.negative_one_to_one;
    }
    if is(D::PROVOKING_VERTEX_MODE_EXT) {
        to.provoking_last = from.provoking_last;
    }
    if is(D::LINE_RASTERIZATION_MODE_EXT) {
        to.rectangular_lines = from.rectangular_lines;
    }
}

fn merge_coverage(is: &impl Fn(D) -> bool, to: &mut Coverage, from: &Coverage) {
    if is(D::RASTERIZATION_SAMPLES_EXT) {
        to.samples = from.samples;
    }
    if is(D::SAMPLE_MASK_EXT) {
        to.sample_mask = from.sample_mask;
    }
    if is(D::ALPHA_TO_COVERAGE_ENABLE_EXT) {
        to.alpha_to_coverage = from.alpha_to_coverage;
    }
    if is(D::ALPHA_TO_ONE_ENABLE_EXT) {
        to.alpha_to_one = from.alpha_to_one;
    }
}
