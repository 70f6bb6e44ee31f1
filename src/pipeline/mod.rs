//! Pipelines: plain descriptions in, compiled kernels out.
#![forbid(unsafe_code)]

mod desc;

pub use desc::{
    AttachmentFormats, BlendDesc, ComputePipelineDesc, GraphicsPipelineDesc, LayoutBinding, MultisampleDesc,
    RasterDesc, ResourceLayout, Specialization, SpecializationEntry, StageDesc, VertexAttribute,
    VertexBinding,
};

use crate::raster::DrawState;
use crate::shader::kernel::Backend;
use crate::vk;

/// Why a pipeline could not be made.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PipelineError {
    /// The SPIR-V is not valid, or uses what Lahar does not claim.
    #[error("{stage:?}: {message}")]
    Shader {
        /// Stage it was for.
        stage: vk::ShaderStageFlags,
        /// What is wrong.
        message: String,
    },
    /// State that Lahar does not claim.
    #[error("unsupported: {0}")]
    Unsupported(String),
}

/// A compiled graphics pipeline.
#[derive(Debug)]
pub struct GraphicsPipeline {
    desc: GraphicsPipelineDesc,
}

impl GraphicsPipeline {
    /// Compiles a pipeline.
    ///
    /// # Errors
    /// See [`PipelineError`].
    pub fn new(desc: GraphicsPipelineDesc, backend: Backend) -> Result<GraphicsPipeline, PipelineError> {
        let _ = (desc, backend);
        Err(PipelineError::Unsupported(
            "graphics pipelines are not built yet".to_owned(),
        ))
    }

    /// The static state; a draw replaces what is dynamic.
    #[must_use]
    pub fn state(&self) -> &DrawState {
        &self.desc.state
    }

    /// Whether a state is dynamic.
    #[must_use]
    pub fn is_dynamic(&self, state: vk::DynamicState) -> bool {
        self.desc.dynamic.contains(&state)
    }

    /// What it was made from.
    #[must_use]
    pub fn desc(&self) -> &GraphicsPipelineDesc {
        &self.desc
    }
}

/// A compiled compute pipeline.
#[derive(Debug)]
pub struct ComputePipeline {
    desc: ComputePipelineDesc,
}

impl ComputePipeline {
    /// Compiles a pipeline.
    ///
    /// # Errors
    /// See [`PipelineError`].
    pub fn new(desc: ComputePipelineDesc, backend: Backend) -> Result<ComputePipeline, PipelineError> {
        let _ = (desc, backend);
        Err(PipelineError::Unsupported(
            "compute pipelines are not built yet".to_owned(),
        ))
    }

    /// What it was made from.
    #[must_use]
    pub fn desc(&self) -> &ComputePipelineDesc {
        &self.desc
    }
}
