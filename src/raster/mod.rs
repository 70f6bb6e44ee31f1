//! The rasterizer: draws become primitives, primitives are binned, tiles are shaded by the workers.
//!
//! ```text
//! rasterizer.rs  collects the draws of a scope into batches and runs them
//! scope.rs       what tiles need to know of a scope
//! batch.rs       draws, segments of draws, chunks of segments
//! geometry.rs    phase one, a job a chunk: vertices, clipping (clip.rs), setup (setup.rs), bins (bins.rs)
//! assembly.rs    indices, restart, topologies
//! tile.rs        phase two, a job a tile: blocks (coverage.rs) into fragment kernels
//! planes.rs      the words of a tile: load, clear, store
//! ```
//! Chunks and tiles do not depend on the number of workers, so neither do results.
//!
//! Invariant: it sees compiled kernels and plain memory, never API objects.

#![forbid(unsafe_code)]

mod assembly;
mod batch;
mod bins;
mod clip;
mod coverage;
mod explain;
mod geometry;
mod limit;
mod planes;
mod rasterizer;
mod samples;
mod scope;
mod setup;
mod tile;

pub use rasterizer::Rasterizer;
pub use samples::SamplePattern;
pub use setup::MAX_POINT_SIZE;

use crate::exec::{Counters, MaskedSink};
use crate::resource::format::Format;
use crate::shader::abi::{MAX_SETS, VertexBuffer};
use crate::vk;
use smallvec::SmallVec;
use std::sync::Arc;

/// One attachment of a rendering scope, as memory (one mip level).
///
/// Depth and stencil are planes of their own, even in a combined format: a depth plane has 2 bytes a texel
/// (D16) or 4 (D24 in the low bits, D32), a stencil plane 1 byte.
#[derive(Clone, Debug)]
pub struct Attachment {
    /// Format of the view.
    pub format: vk::Format,
    /// Address of the first layer of the view.
    pub address: u64,
    /// Bytes from one row of texels to the next.
    pub row_pitch: u64,
    /// Bytes from one layer to the next.
    pub layer_pitch: u64,
    /// Bytes from one sample plane to the next.
    pub sample_pitch: u64,
    /// Samples a texel.
    pub samples: u32,
    /// Texels of this level.
    pub width: u32,
    /// Texels of this level.
    pub height: u32,
}

impl Attachment {
    /// Bytes from the first texel to the last, in all samples of this many layers.
    #[must_use]
    pub fn span(&self, layers: u32) -> u64 {
        let last = |count: u32| u64::from(count.max(1) - 1);
        last(layers) * self.layer_pitch
            + last(self.height) * self.row_pitch
            + last(self.samples) * self.sample_pitch
            + u64::from(self.width) * u64::from(Format::of(self.format).map_or(1, |f| f.bytes))
    }
}

/// What happens to an attachment at the begin of a rendering scope.
#[derive(Clone, Copy, Debug)]
pub enum Load {
    /// Keep what is there (also used for don't-care, which is legal and deterministic).
    Keep,
    /// Fill the render area: the four words of a `VkClearColorValue`, or depth as float bits or stencil in
    /// the first.
    Clear([u32; 4]),
}

/// An attachment with its load operation and its resolve target.
#[derive(Clone, Debug)]
pub struct Target {
    /// Memory drawn to.
    pub attachment: Attachment,
    /// Load operation.
    pub load: Load,
    /// Whether the result must reach memory.
    pub store: bool,
    /// Single-sample attachment that receives the resolved samples at the end, with the mode.
    pub resolve: Option<(Attachment, vk::ResolveModeFlags)>,
}

/// The attachments of one rendering scope (a dynamic rendering scope or a subpass).
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// Colour targets by location; `None` is unused.
    pub colors: Vec<Option<Target>>,
    /// Depth target.
    pub depth: Option<Target>,
    /// Stencil target.
    pub stencil: Option<Target>,
    /// Render area.
    pub area: vk::Rect2D,
    /// Layers drawn to (1 with multiview).
    pub layers: u32,
    /// Views drawn to, or 0 without multiview.
    pub view_mask: u32,
    /// Samples of the rasterizer when there is no attachment.
    pub samples: u32,
}

/// Where a draw's vertex indices come from.
#[derive(Clone, Copy, Debug)]
pub enum Indices {
    /// `first`, `first + 1`, …
    Sequence {
        /// First vertex.
        first: u32,
    },
    /// An index buffer; indices past its end read as 0 (robust access).
    Buffer {
        /// Address of the first byte after the binding's offset.
        address: u64,
        /// Bytes that can be read.
        size: u64,
        /// Type of one index.
        index_type: vk::IndexType,
        /// First index.
        first: u32,
        /// Added to each index.
        vertex_offset: i32,
    },
}

/// Dynamic state at a draw; each field holds the pipeline's value where it is not dynamic.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "Vulkan's names")]
pub struct DrawState {
    pub viewport: vk::Viewport,
    pub scissor: vk::Rect2D,
    pub line_width: f32,
    pub depth_bias: Option<DepthBias>,
    pub blend_constants: [f32; 4],
    pub depth_bounds: Option<[f32; 2]>,
    pub stencil_test: bool,
    pub stencil_front: vk::StencilOpState,
    pub stencil_back: vk::StencilOpState,
    pub cull_mode: vk::CullModeFlags,
    pub front_face: vk::FrontFace,
    pub topology: vk::PrimitiveTopology,
    pub primitive_restart: bool,
    pub rasterizer_discard: bool,
    pub depth_test: bool,
    pub depth_write: bool,
    pub depth_compare: vk::CompareOp,
    /// A bit for each colour attachment that is written to.
    pub color_write: u8,
}

/// Depth bias factors.
#[derive(Clone, Copy, Debug, Default)]
#[allow(missing_docs, reason = "Vulkan's names")]
pub struct DepthBias {
    pub constant: f32,
    pub clamp: f32,
    pub slope: f32,
    /// What the constant is a multiple of.
    pub representation: vk::DepthBiasRepresentationEXT,
}

impl Default for DrawState {
    fn default() -> Self {
        let keep = vk::StencilOpState::default();
        DrawState {
            viewport: vk::Viewport::default(),
            scissor: vk::Rect2D::default(),
            line_width: 1.0,
            depth_bias: None,
            blend_constants: [0.0; 4],
            depth_bounds: None,
            stencil_test: false,
            stencil_front: keep,
            stencil_back: keep,
            cull_mode: vk::CullModeFlags::NONE,
            front_face: vk::FrontFace::COUNTER_CLOCKWISE,
            topology: vk::PrimitiveTopology::TRIANGLE_LIST,
            primitive_restart: false,
            rasterizer_discard: false,
            depth_test: false,
            depth_write: false,
            depth_compare: vk::CompareOp::NEVER,
            color_write: u8::MAX,
        }
    }
}

/// One draw: everything but the pipeline, with all addresses resolved. What the addresses point to must stay
/// as it is until the scope ends or is flushed.
#[derive(Clone, Debug)]
pub struct Draw {
    /// Dynamic and fixed state.
    pub state: DrawState,
    /// Addresses of the bound sets' bytes.
    pub sets: [u64; MAX_SETS],
    /// Dynamic offsets, in the order of the layout's dynamic descriptors.
    pub dynamic_offsets: SmallVec<[u32; 4]>,
    /// Push constants.
    pub push: SmallVec<[u8; 128]>,
    /// Bound vertex buffers by binding.
    pub vertex_buffers: SmallVec<[VertexBuffer; 4]>,
    /// Source of the indices.
    pub indices: Indices,
    /// Vertices or indices.
    pub count: u32,
    /// Instances.
    pub instance_count: u32,
    /// First instance.
    pub first_instance: u32,
    /// gl_DrawID.
    pub draw_index: u32,
    /// Queries that count this draw.
    pub counters: SmallVec<[Arc<Counters>; 1]>,
    /// Takes accesses that robustness makes harmless.
    pub masked: Option<Arc<MaskedSink>>,
}

/// What vkCmdClearAttachments clears.
#[derive(Clone, Copy, Debug)]
pub struct AttachmentClear {
    /// `COLOR`, `DEPTH`, `STENCIL` or both of the latter.
    pub aspects: vk::ImageAspectFlags,
    /// Index of the colour target.
    pub color_attachment: u32,
    /// The four words of a `VkClearColorValue`, or depth as float bits and stencil in the first two.
    pub value: [u32; 4],
}

impl Draw {
    /// gl_BaseVertex.
    fn base_vertex(&self) -> u32 {
        match self.indices {
            Indices::Sequence { first } => first,
            Indices::Buffer { vertex_offset, .. } => vertex_offset as u32,
        }
    }
}

#[cfg(test)]
mod tests;
