//! Plain-data descriptions of pipelines: everything that vkCreate*Pipelines says, with all pointers followed.

use crate::memory::bytes_in;
use crate::raster::DrawState;
use crate::shader::spirv::heap::{HeapLayout, PUSH_DATA_BYTES};
use crate::vk;
use std::sync::Arc;

/// One specialization constant's bytes within [`Specialization::data`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "Vulkan's names")]
pub struct SpecializationEntry {
    pub constant_id: u32,
    pub offset: u32,
    pub size: u32,
}

/// Values of specialization constants.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Specialization {
    /// Where each constant lies.
    pub entries: Vec<SpecializationEntry>,
    /// Their bytes.
    pub data: Vec<u8>,
}

/// One shader of a pipeline.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StageDesc {
    /// Exactly one bit.
    pub stage: vk::ShaderStageFlags,
    /// SPIR-V words.
    pub code: Arc<[u32]>,
    /// Name of the entry point.
    pub entry: String,
    /// Values of its specialization constants.
    pub specialization: Specialization,
    /// How its bindings are mapped to descriptor heaps, if it uses those in place of sets.
    pub heap: Option<Arc<HeapLayout>>,
}

impl StageDesc {
    /// Bytes that it takes beyond its own, its SPIR-V included.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let constants = bytes_in(&self.specialization.entries) + bytes_in(&self.specialization.data);
        bytes_in(&self.code) + bytes_in(self.entry.as_bytes()) + constants
    }
}

/// One binding of a descriptor set, as a shader finds it in the set's bytes.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct LayoutBinding {
    /// Binding number.
    pub binding: u32,
    /// Kind of its descriptors.
    pub descriptor_type: vk::DescriptorType,
    /// Array elements.
    pub count: u32,
    /// Byte offset of element 0 from the start of the set.
    pub offset: u32,
    /// Bytes from one element to the next.
    pub stride: u32,
    /// For dynamic buffers: index of element 0 in the draw's dynamic offsets, counted over all sets of the
    /// pipeline layout.
    pub first_dynamic: u32,
}

/// What a shader must know of a pipeline layout.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct ResourceLayout {
    /// Bindings by set number, sorted by binding number.
    pub sets: Vec<Vec<LayoutBinding>>,
    /// Bytes of push constants.
    pub push_size: u32,
    /// Whether there are no sets, but descriptor heaps that are bound in their place.
    pub heaps: bool,
}

impl ResourceLayout {
    /// That of all pipelines that use descriptor heaps: the heaps, bound as two sets, and push data.
    #[must_use]
    pub fn of_heaps() -> ResourceLayout {
        ResourceLayout {
            sets: vec![Vec::new(); 2],
            push_size: PUSH_DATA_BYTES,
            heaps: true,
        }
    }
}

/// One vertex buffer binding.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "Vulkan's names")]
pub struct VertexBinding {
    pub binding: u32,
    /// Static stride; the stride that counts at a draw is that of `VertexBuffer`.
    pub stride: u32,
    pub input_rate: vk::VertexInputRate,
    /// Instances an element serves (1 by default; 0 means element 0 for all).
    pub divisor: u32,
}

/// One vertex attribute.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "Vulkan's names")]
pub struct VertexAttribute {
    pub location: u32,
    pub binding: u32,
    pub format: vk::Format,
    pub offset: u32,
}

/// State of the rasterizer that is never dynamic.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[allow(missing_docs, reason = "Vulkan's names")]
pub struct RasterDesc {
    pub depth_clamp_enable: bool,
    /// Whether primitives are clipped to the near and far plane; where nothing is said, unless depths are clamped.
    pub depth_clip_enable: Option<bool>,
    /// Whether the near plane is at -w rather than at 0.
    pub negative_one_to_one: bool,
    /// Whether flat values are those of a primitive's last vertex rather than of its first.
    pub provoking_last: bool,
    pub polygon_mode: vk::PolygonMode,
    /// Whether lines are rectangles rather than parallelograms whose ends run along an axis.
    pub rectangular_lines: bool,
}

impl RasterDesc {
    /// Whether primitives are clipped to the near and far plane.
    #[must_use]
    pub fn clips_depth(&self) -> bool {
        self.depth_clip_enable.unwrap_or(!self.depth_clamp_enable)
    }
}

/// Multisample state.
#[derive(Clone, Copy, PartialEq, Debug)]
#[allow(missing_docs, reason = "Vulkan's names")]
pub struct MultisampleDesc {
    pub samples: u32,
    /// `minSampleShading` where sample shading is enabled.
    pub sample_shading: Option<f32>,
    pub sample_mask: u32,
    pub alpha_to_coverage: bool,
    pub alpha_to_one: bool,
}

impl Default for MultisampleDesc {
    fn default() -> Self {
        MultisampleDesc {
            samples: 1,
            sample_shading: None,
            sample_mask: u32::MAX,
            alpha_to_coverage: false,
            alpha_to_one: false,
        }
    }
}

/// Blending of one colour attachment.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "Vulkan's names")]
pub struct BlendDesc {
    pub enable: bool,
    pub src_color: vk::BlendFactor,
    pub dst_color: vk::BlendFactor,
    pub color_op: vk::BlendOp,
    pub src_alpha: vk::BlendFactor,
    pub dst_alpha: vk::BlendFactor,
    pub alpha_op: vk::BlendOp,
    pub write_mask: vk::ColorComponentFlags,
    /// For the operations beyond the basic ones.
    pub src_premultiplied: bool,
    pub dst_premultiplied: bool,
    pub overlap: vk::BlendOverlapEXT,
}

impl Default for BlendDesc {
    fn default() -> Self {
        BlendDesc {
            enable: false,
            src_color: vk::BlendFactor::ONE,
            dst_color: vk::BlendFactor::ZERO,
            color_op: vk::BlendOp::ADD,
            src_alpha: vk::BlendFactor::ONE,
            dst_alpha: vk::BlendFactor::ZERO,
            alpha_op: vk::BlendOp::ADD,
            write_mask: vk::ColorComponentFlags::RGBA,
            src_premultiplied: true,
            dst_premultiplied: true,
            overlap: vk::BlendOverlapEXT::UNCORRELATED,
        }
    }
}

/// Formats of the attachments a pipeline draws to; `UNDEFINED` is an unused one.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct AttachmentFormats {
    /// By attachment.
    pub colors: Vec<vk::Format>,
    /// The fragment output location of each colour attachment, `u32::MAX` for none; where nothing is said, its number.
    pub locations: Vec<u32>,
    /// Depth attachment (the format of the image, which may have stencil too).
    pub depth: vk::Format,
    /// Stencil attachment (the format of the image, which may have depth too).
    pub stencil: vk::Format,
}

/// A graphics pipeline.
#[derive(Clone, Debug)]
pub struct GraphicsPipelineDesc {
    /// Vertex stage and, unless nothing is rasterized or only depth counts, fragment stage.
    pub stages: Vec<StageDesc>,
    /// Descriptor bindings.
    pub layout: Arc<ResourceLayout>,
    /// Vertex buffer bindings.
    pub vertex_bindings: Vec<VertexBinding>,
    /// Vertex attributes.
    pub vertex_attributes: Vec<VertexAttribute>,
    /// Never-dynamic rasterizer state.
    pub raster: RasterDesc,
    /// Multisample state.
    pub multisample: MultisampleDesc,
    /// Blending by colour attachment.
    pub blend: Vec<BlendDesc>,
    /// Logic operation, where enabled.
    pub logic_op: Option<vk::LogicOp>,
    /// Attachment formats.
    pub formats: AttachmentFormats,
    /// Views of the render pass (0 without multiview).
    pub view_mask: u32,
    /// The static value of all state that may be dynamic; where it is dynamic, anything (the default will do).
    pub state: DrawState,
    /// The dynamic states.
    pub dynamic: Vec<vk::DynamicState>,
}

/// A compute pipeline.
#[derive(Clone, Debug)]
pub struct ComputePipelineDesc {
    /// The compute stage.
    pub stage: StageDesc,
    /// Descriptor bindings.
    pub layout: Arc<ResourceLayout>,
}
