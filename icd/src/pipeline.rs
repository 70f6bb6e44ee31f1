//! Pipelines, their caches and shader modules, as the C ABI sees them.

use crate::entry::pipeline_library::Library;
use ash::vk;
use lahar::{
    memory::{Account, Footprint, bytes_in, bytes_of},
    physical::properties::{DEVICE_ID, VENDOR_ID, uuid},
    pipeline::{ComputePipeline, GraphicsPipeline},
};
use std::sync::Arc;

/// A pipeline.
pub(crate) enum Pipeline {
    /// For draws.
    Graphics(Arc<GraphicsPipeline>),
    /// Parts to make others of.
    Library(Box<Library>),
    /// For dispatches.
    Compute(Arc<ComputePipeline>),
}

impl Pipeline {
    /// Tells it its raw handle.
    pub(crate) fn set_handle(&self, handle: u64) {
        match self {
            Pipeline::Graphics(pipeline) => pipeline.set_handle(handle),
            Pipeline::Compute(pipeline) => pipeline.set_handle(handle),
            Pipeline::Library(_) => {}
        }
    }
}

/// A shader module: SPIR-V as it was given.
pub(crate) struct ShaderModule {
    /// Its words.
    pub(crate) code: Arc<[u32]>,
}

/// A pipeline cache. Compiling is quick, so nothing is kept but the header that says whose cache it is.
#[derive(Default)]
pub(crate) struct PipelineCache;

impl PipelineCache {
    /// Its data.
    pub(crate) fn data() -> [u8; 32] {
        let mut data = [0; 32];
        let words = [
            32,
            vk::PipelineCacheHeaderVersion::ONE.as_raw().cast_unsigned(),
            VENDOR_ID,
            DEVICE_ID,
        ];
        for (slot, word) in data.chunks_exact_mut(4).zip(words) {
            slot.copy_from_slice(&word.to_le_bytes());
        }
        data[16..].copy_from_slice(&uuid("pipeline cache"));
        data
    }
}

impl Pipeline {
    /// Bytes of its executable code.
    pub(crate) fn code_bytes(&self) -> usize {
        let bytes = match self {
            Self::Graphics(pipeline) => pipeline.code_bytes(),
            Self::Compute(pipeline) => pipeline.kernel().code_bytes(),
            Self::Library(_) => 0,
        };
        bytes as usize
    }
}

impl Footprint for Pipeline {
    fn footprint(&self) -> u64 {
        let engine = match self {
            Self::Graphics(pipeline) => pipeline.footprint(),
            Self::Compute(pipeline) => pipeline.footprint(),
            // Its parts are small beside the code of a pipeline.
            Self::Library(_) => 0,
        };
        bytes_of(self) + engine
    }

    fn account(&self) -> Option<&Arc<Account>> {
        match self {
            Self::Graphics(pipeline) => pipeline.account(),
            _ => None,
        }
    }
}

impl Footprint for ShaderModule {
    fn footprint(&self) -> u64 {
        bytes_of(self) + bytes_in(&self.code)
    }
}

impl Footprint for PipelineCache {
    fn footprint(&self) -> u64 {
        bytes_of(self)
    }
}
