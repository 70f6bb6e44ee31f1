//! Pipelines that are compiled when the state is known: what is compiled into kernels may be dynamic.

use super::{
    AttachmentFormats, BlendDesc, GraphicsPipeline, GraphicsPipelineDesc, PipelineError, RasterDesc,
    VertexAttribute, VertexBinding,
};
use crate::memory::Account;
use crate::shader::kernel::Target;
use crate::shader::stage::Shader;
use crate::vk;
use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use vk::DynamicState as D;

/// The dynamic states that are compiled into kernels.
pub(super) const COMPILED_STATES: &[D] = &[
    D::VERTEX_INPUT_EXT,
    D::POLYGON_MODE_EXT,
    D::DEPTH_CLAMP_ENABLE_EXT,
    D::DEPTH_CLIP_ENABLE_EXT,
    D::DEPTH_CLIP_NEGATIVE_ONE_TO_ONE_EXT,
    D::PROVOKING_VERTEX_MODE_EXT,
    D::LINE_RASTERIZATION_MODE_EXT,
    D::RASTERIZATION_SAMPLES_EXT,
    D::SAMPLE_MASK_EXT,
    D::ALPHA_TO_COVERAGE_ENABLE_EXT,
    D::ALPHA_TO_ONE_ENABLE_EXT,
    D::LOGIC_OP_EXT,
    D::LOGIC_OP_ENABLE_EXT,
    D::COLOR_BLEND_ENABLE_EXT,
    D::COLOR_BLEND_EQUATION_EXT,
    D::COLOR_BLEND_ADVANCED_EXT,
    D::COLOR_WRITE_MASK_EXT,
];

/// Vertex buffer bindings and attributes.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct VertexInput {
    /// Vertex buffer bindings.
    pub bindings: Vec<VertexBinding>,
    /// Vertex attributes.
    pub attributes: Vec<VertexAttribute>,
}

/// Multisample state that may be dynamic.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "Vulkan's names")]
pub struct Coverage {
    pub samples: u32,
    pub sample_mask: u32,
    pub alpha_to_coverage: bool,
    pub alpha_to_one: bool,
}

/// What of a pipeline is compiled into kernels and may be dynamic.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "the names are those of the description")]
pub struct CompiledState {
    pub vertex_input: VertexInput,
    pub raster: RasterDesc,
    pub coverage: Coverage,
    pub blend: Vec<BlendDesc>,
    pub logic_op: Option<vk::LogicOp>,
    pub formats: AttachmentFormats,
}

impl CompiledState {
    /// That of a description.
    #[must_use]
    pub fn of(desc: &GraphicsPipelineDesc) -> CompiledState {
        let multisample = &desc.multisample;
        CompiledState {
            vertex_input: VertexInput {
                bindings: desc.vertex_bindings.clone(),
                attributes: desc.vertex_attributes.clone(),
            },
            raster: desc.raster,
            coverage: Coverage {
                samples: multisample.samples,
                sample_mask: multisample.sample_mask,
                alpha_to_coverage: multisample.alpha_to_coverage,
                alpha_to_one: multisample.alpha_to_one,
            },
            blend: desc.blend.clone(),
            logic_op: desc.logic_op,
            formats: desc.formats.clone(),
        }
    }

    /// Replaces what a description says.
    fn apply(&self, desc: &mut GraphicsPipelineDesc) {
        desc.vertex_bindings.clone_from(&self.vertex_input.bindings);
        desc.vertex_attributes.clone_from(&self.vertex_input.attributes);
        desc.raster = self.raster;
        let multisample = &mut desc.multisample;
        multisample.samples = self.coverage.samples;
        multisample.sample_mask = self.coverage.sample_mask;
        multisample.alpha_to_coverage = self.coverage.alpha_to_coverage;
        multisample.alpha_to_one = self.coverage.alpha_to_one;
        desc.blend.clone_from(&self.blend);
        desc.logic_op = self.logic_op;
        desc.formats.clone_from(&self.formats);
    }
}

/// Shaders and state, of which pipelines are made as the dynamic state asks for them.
#[derive(Debug)]
pub struct Template {
    desc: GraphicsPipelineDesc,
    vertex: Arc<dyn Shader>,
    fragment: Option<Arc<dyn Shader>>,
    target: Target,
    any_formats: bool,
    handle: AtomicU64,
    made: Mutex<FxHashMap<CompiledState, Arc<GraphicsPipeline>>>,
    account: Arc<Account>,
}

impl Template {
    /// A template of shaders and the state that does not change.
    #[must_use]
    pub fn new(
        desc: GraphicsPipelineDesc,
        vertex: Arc<dyn Shader>,
        fragment: Option<Arc<dyn Shader>>,
        target: Target,
    ) -> Template {
        Template {
            desc,
            vertex,
            fragment,
            target,
            any_formats: false,
            handle: AtomicU64::new(0),
            made: Mutex::default(),
            account: Arc::default(),
        }
    }

    /// The same; what it makes is counted as part of an object.
    #[must_use]
    pub fn counting_in(self, account: &Arc<Account>) -> Template {
        Template {
            account: account.clone(),
            ..self
        }
    }

    /// The same, for whatever attachments there are at a draw.
    #[must_use]
    pub fn for_any_formats(self) -> Template {
        Template {
            any_formats: true,
            ..self
        }
    }

    /// Whether the formats of attachments are those of the scope of a draw.
    #[must_use]
    pub fn takes_any_formats(&self) -> bool {
        self.any_formats
    }

    /// What the pipelines have in common.
    #[must_use]
    pub fn desc(&self) -> &GraphicsPipelineDesc {
        &self.desc
    }

    /// The raw handle that pipelines of it say they have.
    pub fn set_handle(&self, handle: u64) {
        self.handle.store(handle, Ordering::Relaxed);
    }

    /// The pipeline for a state, compiled at first use.
    ///
    /// # Errors
    /// See [`PipelineError`].
    pub fn with(&self, state: &CompiledState) -> Result<Arc<GraphicsPipeline>, PipelineError> {
        let mut made = self.made.lock();
        if let Some(pipeline) = made.get(state) {
            return Ok(pipeline.clone());
        }
        let mut desc = self.desc.clone();
        state.apply(&mut desc);
        let fragment = self.fragment.clone();
        let mut pipeline = GraphicsPipeline::with_shaders(desc, &*self.vertex, fragment, self.target)?;
        pipeline.set_handle(self.handle.load(Ordering::Relaxed));
        let bytes = pipeline.count_in(&self.account);
        let pipeline = Arc::new(pipeline);
        made.insert(state.clone(), pipeline.clone());
        // An application hears of it: without the lock.
        drop(made);
        self.account.add(bytes);
        Ok(pipeline)
    }
}
