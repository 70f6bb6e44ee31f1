//! `VK_EXT_graphics_pipeline_library`: pipelines that are made of parts, which are made apart.
//!
//! A library keeps the description of its parts. Linking puts the descriptions together and compiles the whole.

use super::pipeline_state::{self, Parts};
use crate::{
    args::slice,
    chain,
    device::DeviceState,
    error::{Answer, Error},
    pipeline::Pipeline,
};
use ash::vk;
use lahar::{
    descriptor::PipelineLayout,
    pipeline::{GraphicsPipelineDesc, ResourceLayout},
};
use std::sync::Arc;
use vk::{DynamicState as D, GraphicsPipelineLibraryFlagsEXT as Part, ShaderStageFlags as Stage};

/// Parts of a graphics pipeline.
#[derive(Clone)]
pub(crate) struct Library {
    /// Which parts there are.
    parts: Part,
    /// Their description; what belongs to other parts is left at its defaults.
    desc: GraphicsPipelineDesc,
    /// What shaders see, while the parts come together: sets that a layout leaves out may be in another.
    layout: Option<Arc<PipelineLayout>>,
    /// Whether the fragment shader's part says how often it runs.
    has_shading: bool,
}

/// All parts.
fn all() -> Part {
    Part::VERTEX_INPUT_INTERFACE | shaders() | Part::FRAGMENT_OUTPUT_INTERFACE
}

/// The parts that have shaders.
fn shaders() -> Part {
    Part::PRE_RASTERIZATION_SHADERS | Part::FRAGMENT_SHADER
}

/// Describes a pipeline or a library: its own parts and those of the libraries that it names.
pub(super) fn describe(device: &DeviceState, info: &vk::GraphicsPipelineCreateInfo<'_>) -> Answer<Library> {
    let libraries = chain::find::<vk::PipelineLibraryCreateInfoKHR<'_>, _>(info);
    // SAFETY: the array has this many elements.
    let libraries = libraries.map_or(&[][..], |l| unsafe { slice(l.p_libraries, l.library_count) });
    let own = match chain::find::<vk::GraphicsPipelineLibraryCreateInfoEXT<'_>, _>(info) {
        Some(own) => own.flags,
        None if libraries.is_empty() => all(),
        None => Part::empty(),
    };
    let mut whole = Library::own(device, info, own)?;
    for handle in libraries {
        if let Pipeline::Library(library) = &*device.tables.pipelines.get(*handle)? {
            whole.add(library);
        }
    }
    // A layout that is given when all is linked is for all.
    if !own.intersects(shaders()) && info.layout != vk::PipelineLayout::null() {
        whole.layout = device.tables.pipeline_layouts.get_optional(info.layout)?;
    }
    Ok(whole)
}

impl Library {
    /// The parts that a structure describes itself.
    fn own(device: &DeviceState, info: &vk::GraphicsPipelineCreateInfo<'_>, own: Part) -> Answer<Library> {
        let layout = if own.intersects(shaders()) {
            device.tables.pipeline_layouts.get_optional(info.layout)?
        } else {
            None
        };
        let targets = if own.intersects(shaders() | Part::FRAGMENT_OUTPUT_INTERFACE) {
            pipeline_state::targets(device, info)?
        } else {
            pipeline_state::Targets::default()
        };
        let parts = Parts::of(info, &targets.formats, own);
        let mut desc = pipeline_state::describe(&parts, targets);
        if own.intersects(shaders()) {
            desc.stages = pipeline_state::stages(device, info, |stage| own.contains(part_of_stage(stage)))?;
        }
        desc.dynamic.retain(|state| own.contains(part_of_state(*state)));
        Ok(Library {
            parts: own,
            has_shading: own.contains(Part::FRAGMENT_SHADER) && parts.multisample.is_some(),
            desc,
            layout,
        })
    }

    /// Adds the parts of another library.
    fn add(&mut self, other: &Library) {
        let (to, from) = (&mut self.desc, &other.desc);
        if other.parts.contains(Part::VERTEX_INPUT_INTERFACE) {
            to.vertex_bindings.clone_from(&from.vertex_bindings);
            to.vertex_attributes.clone_from(&from.vertex_attributes);
            to.state.topology = from.state.topology;
            to.state.primitive_restart = from.state.primitive_restart;
        }
        if other.parts.contains(Part::PRE_RASTERIZATION_SHADERS) {
            to.raster = from.raster;
            pre_rasterization(&mut to.state, &from.state);
        }
        if other.parts.contains(Part::FRAGMENT_SHADER) {
            depth_stencil(&mut to.state, &from.state);
            if other.has_shading {
                if self.parts.contains(Part::FRAGMENT_OUTPUT_INTERFACE) {
                    to.multisample.sample_shading = from.multisample.sample_shading;
                } else {
                    to.multisample = from.multisample;
                }
                self.has_shading = true;
            }
        }
        if other.parts.contains(Part::FRAGMENT_OUTPUT_INTERFACE) {
            let shading = to.multisample.sample_shading;
            to.multisample = from.multisample;
            if self.has_shading {
                to.multisample.sample_shading = shading;
            }
            to.blend.clone_from(&from.blend);
            to.logic_op = from.logic_op;
            to.formats.clone_from(&from.formats);
            to.state.blend_constants = from.state.blend_constants;
            to.state.color_write = from.state.color_write;
        }
        if other
            .parts
            .intersects(shaders() | Part::FRAGMENT_OUTPUT_INTERFACE)
        {
            to.view_mask = from.view_mask;
        }
        to.stages.extend(from.stages.iter().cloned());
        to.dynamic.extend_from_slice(&from.dynamic);
        self.layout = join(self.layout.take(), other.layout.as_ref());
        self.parts |= other.parts;
    }

    /// The description of the whole.
    pub(super) fn link(mut self) -> Answer<GraphicsPipelineDesc> {
        self.desc.layout = if self.desc.stages.iter().any(|stage| stage.heap.is_some()) {
            Arc::new(ResourceLayout::of_heaps())
        } else {
            self.layout.ok_or(Error::NULL)?.resources().clone()
        };
        Ok(self.desc)
    }
}

/// The sets of both layouts.
fn join(a: Option<Arc<PipelineLayout>>, b: Option<&Arc<PipelineLayout>>) -> Option<Arc<PipelineLayout>> {
    let (Some(a), Some(b)) = (&a, b) else {
        return a.or_else(|| b.cloned());
    };
    if Arc::ptr_eq(a, b) {
        return Some(a.clone());
    }
    let count = a.sets().len().max(b.sets().len());
    let set = |layout: &PipelineLayout, i: usize| layout.sets().get(i).cloned().flatten();
    let sets = (0..count).map(|i| set(a, i).or_else(|| set(b, i))).collect();
    let ranges = [a.push_ranges(), b.push_ranges()].concat();
    Some(Arc::new(PipelineLayout::new(sets, ranges)))
}

fn pre_rasterization(to: &mut lahar::raster::DrawState, from: &lahar::raster::DrawState) {
    to.viewport = from.viewport;
    to.scissor = from.scissor;
    to.line_width = from.line_width;
    to.cull_mode = from.cull_mode;
    to.front_face = from.front_face;
    to.rasterizer_discard = from.rasterizer_discard;
    to.depth_bias = from.depth_bias;
}

fn depth_stencil(to: &mut lahar::raster::DrawState, from: &lahar::raster::DrawState) {
    to.depth_test = from.depth_test;
    to.depth_write = from.depth_write;
    to.depth_compare = from.depth_compare;
    to.depth_bounds = from.depth_bounds;
    to.stencil_test = from.stencil_test;
    to.stencil_front = from.stencil_front;
    to.stencil_back = from.stencil_back;
}

fn part_of_stage(stage: Stage) -> Part {
    if stage == Stage::FRAGMENT {
        Part::FRAGMENT_SHADER
    } else {
        Part::PRE_RASTERIZATION_SHADERS
    }
}

/// The part that a dynamic state belongs to.
fn part_of_state(state: D) -> Part {
    match state {
        D::VERTEX_INPUT_EXT
        | D::VERTEX_INPUT_BINDING_STRIDE
        | D::PRIMITIVE_TOPOLOGY
        | D::PRIMITIVE_RESTART_ENABLE => Part::VERTEX_INPUT_INTERFACE,
        D::DEPTH_BOUNDS
        | D::DEPTH_BOUNDS_TEST_ENABLE
        | D::DEPTH_TEST_ENABLE
        | D::DEPTH_WRITE_ENABLE
        | D::DEPTH_COMPARE_OP
        | D::STENCIL_TEST_ENABLE
        | D::STENCIL_OP
        | D::STENCIL_COMPARE_MASK
        | D::STENCIL_WRITE_MASK
        | D::STENCIL_REFERENCE => Part::FRAGMENT_SHADER,
        D::BLEND_CONSTANTS
        | D::LOGIC_OP_EXT
        | D::LOGIC_OP_ENABLE_EXT
        | D::COLOR_WRITE_ENABLE_EXT
        | D::COLOR_BLEND_ENABLE_EXT
        | D::COLOR_BLEND_EQUATION_EXT
        | D::COLOR_BLEND_ADVANCED_EXT
        | D::COLOR_WRITE_MASK_EXT
        | D::RASTERIZATION_SAMPLES_EXT
        | D::SAMPLE_MASK_EXT
        | D::ALPHA_TO_COVERAGE_ENABLE_EXT
        | D::ALPHA_TO_ONE_ENABLE_EXT => Part::FRAGMENT_OUTPUT_INTERFACE,
        _ => Part::PRE_RASTERIZATION_SHADERS,
    }
}
