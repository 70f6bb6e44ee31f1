//! Compute pipelines.

use super::{ComputePipelineDesc, PipelineError, load_shader};
use crate::memory::{AlignedBuf, Footprint, bytes_of};
use crate::shader::kernel::{self, Kernel, Target};
use crate::shader::rerun::{self, DebugKernel, WatchedShader};
use crate::shader::stage::{Shader, compute};
use crate::vk;
use std::sync::atomic::{AtomicU64, Ordering};

/// A compiled compute pipeline.
#[derive(Debug)]
pub struct ComputePipeline {
    handle: AtomicU64,
    desc: ComputePipelineDesc,
    kernel: Kernel,
    target: Target,
    width: u32,
    workgroup_size: [u32; 3],
    shared_bytes: u32,
    local_ids: AlignedBuf,
}

impl ComputePipeline {
    /// Compiles a pipeline.
    ///
    /// # Errors
    /// See [`PipelineError`].
    pub fn new(
        desc: ComputePipelineDesc,
        target: impl Into<Target>,
    ) -> Result<ComputePipeline, PipelineError> {
        let shader = load_shader(&desc.stage, &desc.layout)?;
        ComputePipeline::with_shader(desc, &shader, target)
    }

    /// Compiles a pipeline around any shader; the stage of the description is not looked at.
    ///
    /// # Errors
    /// See [`PipelineError`].
    pub fn with_shader(
        desc: ComputePipelineDesc,
        shader: &dyn Shader,
        target: impl Into<Target>,
    ) -> Result<ComputePipeline, PipelineError> {
        let target = target.into();
        let error = PipelineError::shader(vk::ShaderStageFlags::COMPUTE);
        let func = compute::build(shader, target.backend.width()).map_err(error)?;
        let kernel = kernel::compile(func, target)?;
        let interface = shader.interface();
        let ids = compute::local_ids(interface.workgroup_size);
        let mut local_ids = AlignedBuf::new(ids.len() * 4);
        local_ids.as_mut_slice::<u32>().copy_from_slice(&ids);
        Ok(ComputePipeline {
            handle: AtomicU64::new(0),
            desc,
            kernel,
            target,
            width: target.backend.width(),
            workgroup_size: interface.workgroup_size,
            shared_bytes: interface.shared_bytes,
            local_ids,
        })
    }

    /// Tells it its raw handle, which its name is found with.
    pub fn set_handle(&self, handle: u64) {
        self.handle.store(handle, Ordering::Relaxed);
    }

    /// Its raw handle.
    #[must_use]
    pub fn handle(&self) -> u64 {
        self.handle.load(Ordering::Relaxed)
    }

    /// What it was made from.
    #[must_use]
    pub fn desc(&self) -> &ComputePipelineDesc {
        &self.desc
    }

    /// The kernel as it is run once more to explain a fault; `None` for shaders that are no SPIR-V.
    #[must_use]
    pub fn debug_kernel(&self) -> Option<DebugKernel> {
        let shader = WatchedShader::new(load_shader(&self.desc.stage, &self.desc.layout).ok()?);
        let func = compute::build(&shader, rerun::WIDTH).ok()?;
        Some(DebugKernel::new(func, shader, self.target))
    }

    /// The kernel.
    #[must_use]
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// Lanes of a wave.
    #[must_use]
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Invocations of a workgroup.
    #[must_use]
    pub fn workgroup_size(&self) -> [u32; 3] {
        self.workgroup_size
    }

    /// Bytes of shared memory.
    #[must_use]
    pub fn shared_bytes(&self) -> u32 {
        self.shared_bytes
    }

    /// What [`crate::shader::abi::ComputeArgs::local_ids`] is to point to.
    #[must_use]
    pub fn local_ids(&self) -> u64 {
        self.local_ids.address()
    }
}

impl Footprint for ComputePipeline {
    fn footprint(&self) -> u64 {
        bytes_of(self) + self.kernel.bytes() + self.local_ids.len() as u64 + self.desc.stage.bytes()
    }
}
