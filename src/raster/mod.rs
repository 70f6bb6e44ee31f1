//! The rasterizer: draws become primitives, primitives are binned, tiles are shaded by the workers.
//!
//! Invariant: it sees compiled kernels and plain memory, never API objects.

use crate::shader::abi::{MAX_SETS, VertexBuffer};
use crate::vk;

/// One attachment of a rendering scope, as memory (one mip level).
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
#[derive(Clone, Debug)]
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
}

/// Depth bias factors.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "Vulkan's names")]
pub struct DepthBias {
    pub constant: f32,
    pub clamp: f32,
    pub slope: f32,
}

/// One draw: everything but the pipeline, with all addresses resolved.
#[derive(Clone, Debug)]
pub struct Draw {
    /// Dynamic and fixed state.
    pub state: DrawState,
    /// Addresses of the bound sets' bytes.
    pub sets: [u64; MAX_SETS],
    /// Dynamic offsets, in the order of the layout's dynamic descriptors.
    pub dynamic_offsets: Vec<u32>,
    /// Push constants.
    pub push: Vec<u8>,
    /// Bound vertex buffers by binding.
    pub vertex_buffers: Vec<VertexBuffer>,
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
}
