//! Pipelines: plain descriptions in, compiled kernels out.
#![forbid(unsafe_code)]

pub mod binary;
mod compute;
mod desc;
mod graphics;
mod shader_object;
mod template;

pub use compute::ComputePipeline;
pub use desc::{
    AttachmentFormats, BlendDesc, ComputePipelineDesc, GraphicsPipelineDesc, LayoutBinding, MultisampleDesc,
    RasterDesc, ResourceLayout, Specialization, SpecializationEntry, StageDesc, VertexAttribute,
    VertexBinding,
};
pub use graphics::GraphicsPipeline;
pub use shader_object::{GraphicsShader, ShaderObject};
pub use template::{CompiledState, Coverage, Template, VertexInput};

use crate::shader::kernel::CompileError;
use crate::shader::spirv::heap::HeapLayout;
use crate::shader::spirv::{self, Module, SpecInfo, SpirvError};
use crate::shader::stage::SpirvShader;
use crate::vk;
use std::sync::Arc;

/// Why a pipeline could not be made.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PipelineError {
    /// The SPIR-V is not valid, or uses what Lahar does not claim.
    #[error("{stage:?}: {error}")]
    Shader {
        /// Stage it was for.
        stage: vk::ShaderStageFlags,
        /// What is wrong.
        error: SpirvError,
    },
    /// State that Lahar does not claim.
    #[error("unsupported: {0}")]
    Unsupported(String),
    /// A fault of the compiler.
    #[error("internal error: {0}")]
    Compile(String),
}

impl From<CompileError> for PipelineError {
    fn from(error: CompileError) -> PipelineError {
        PipelineError::Compile(error.to_string())
    }
}

impl PipelineError {
    fn shader(stage: vk::ShaderStageFlags) -> impl Fn(SpirvError) -> PipelineError {
        move |error| PipelineError::Shader { stage, error }
    }
}

impl Specialization {
    /// The values, as the translator takes them. Entries that reach beyond the data are left out.
    fn values(&self) -> SpecInfo {
        let given = |entry: &SpecializationEntry| {
            let start = entry.offset as usize;
            let bytes = self.data.get(start..start.checked_add(entry.size as usize)?)?;
            Some((entry.constant_id, bytes.to_vec()))
        };
        let data: Vec<(u32, Vec<u8>)> = self.entries.iter().filter_map(given).collect();
        let value = |(id, bytes): &(u32, Vec<u8>)| {
            let mut word = [0; 8];
            word.get_mut(..bytes.len())?.copy_from_slice(bytes);
            Some((*id, u64::from_le_bytes(word)))
        };
        SpecInfo {
            values: data.iter().filter_map(value).collect(),
            data,
        }
    }
}

impl ResourceLayout {
    /// The same, as the translator takes it.
    fn bindings(&self, heap: Option<Arc<HeapLayout>>) -> spirv::ResourceLayout {
        let binding = |binding: &LayoutBinding| spirv::BindingLayout {
            binding: binding.binding,
            ty: binding.descriptor_type,
            count: binding.count,
            offset: binding.offset,
            stride: binding.stride,
            dynamic_index: matches!(
                binding.descriptor_type,
                vk::DescriptorType::UNIFORM_BUFFER_DYNAMIC | vk::DescriptorType::STORAGE_BUFFER_DYNAMIC
            )
            .then_some(binding.first_dynamic),
        };
        let sets = self
            .sets
            .iter()
            .map(|set| set.iter().map(binding).collect())
            .collect();
        spirv::ResourceLayout { sets, heap }
    }
}

impl StageDesc {
    /// Keeps of the mapping to heaps what the shader uses.
    ///
    /// # Errors
    /// See [`PipelineError`].
    pub fn reduce_heap(&mut self) -> Result<(), PipelineError> {
        if let Some(heap) = &self.heap {
            let shader = load_shader(self, &ResourceLayout::of_heaps())?;
            self.heap = Some(Arc::new(heap.reduced(&shader.entry.interface)));
        }
        Ok(())
    }
}

/// Parses and specializes one stage.
fn load_shader(stage: &StageDesc, layout: &ResourceLayout) -> Result<SpirvShader, PipelineError> {
    let error = PipelineError::shader(stage.stage);
    let module = Module::parse(&stage.code).map_err(&error)?;
    let entry = module
        .entry(&stage.entry, stage.stage, &stage.specialization.values())
        .map_err(&error)?;
    Ok(SpirvShader {
        entry,
        layout: layout.bindings(stage.heap.clone()),
    })
}
