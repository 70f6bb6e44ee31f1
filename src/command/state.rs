//! What is bound while commands run: pipelines, sets, push constants, vertex and index buffers, dynamic state.

use super::list::{BindPoint, Bytes, Command, CommandList, StateValue};
use crate::compute::Dispatch;
use crate::exec::Counters;
use crate::pipeline::{ComputePipeline, GraphicsPipeline, ResourceLayout};
use crate::raster::{DepthBias, Draw, DrawState, Indices};
use crate::shader::abi::{MAX_SETS, MAX_VERTEX_BUFFERS, VertexBuffer};
use crate::vk;
use smallvec::SmallVec;
use std::sync::Arc;
use vk::DynamicState as D;

/// Bytes of push constants that can be set.
const MAX_PUSH: usize = 256;

/// Queries that are active.
pub(super) type ActiveCounters = SmallVec<[Arc<Counters>; 1]>;

/// Sets bound for graphics or compute.
#[derive(Debug, Default)]
pub(super) struct Sets {
    addresses: [u64; MAX_SETS],
    offsets: [SmallVec<[u32; 4]>; MAX_SETS],
}

impl Sets {
    /// Binds a set.
    pub(super) fn bind(&mut self, index: usize, address: u64, offsets: impl Iterator<Item = u32>) {
        if index < MAX_SETS {
            self.addresses[index] = address;
            self.offsets[index].clear();
            self.offsets[index].extend(offsets);
        }
    }

    /// Address and dynamic offsets of a set; 0 where none is bound.
    pub(super) fn of(&self, index: usize) -> (u64, &[u32]) {
        match (self.addresses.get(index), self.offsets.get(index)) {
            (Some(&address), Some(offsets)) => (address, offsets),
            _ => (0, &[]),
        }
    }

    /// The dynamic offsets in the order of a layout: each set's as many as the layout has.
    fn dynamic(&self, layout: &LayoutFacts) -> SmallVec<[u32; 4]> {
        let mut all = SmallVec::new();
        for (count, offsets) in layout.dynamic.iter().zip(&self.offsets) {
            all.extend((0..*count as usize).map(|i| offsets.get(i).copied().unwrap_or(0)));
        }
        all
    }
}

/// What draws need to know of a pipeline layout.
#[derive(Debug, Default)]
struct LayoutFacts {
    layout: Option<Arc<ResourceLayout>>,
    /// Dynamic descriptors of each set.
    dynamic: SmallVec<[u32; 4]>,
    push: usize,
}

impl LayoutFacts {
    fn update(&mut self, layout: &Arc<ResourceLayout>) {
        if self.layout.as_ref().is_some_and(|old| Arc::ptr_eq(old, layout)) {
            return;
        }
        let dynamic = |set: &Vec<crate::pipeline::LayoutBinding>| {
            let is_dynamic = |ty| {
                ty == vk::DescriptorType::UNIFORM_BUFFER_DYNAMIC
                    || ty == vk::DescriptorType::STORAGE_BUFFER_DYNAMIC
            };
            set.iter()
                .filter(|binding| is_dynamic(binding.descriptor_type))
                .map(|binding| binding.count)
                .sum()
        };
        self.dynamic = layout.sets.iter().map(dynamic).collect();
        self.push = (layout.push_size as usize).min(MAX_PUSH);
        self.layout = Some(layout.clone());
    }
}

/// Values of dynamic state as they were set, whether or not the pipeline takes them.
#[derive(Clone, Copy, Debug)]
struct Dynamic {
    state: DrawState,
    bias: DepthBias,
    bias_enable: bool,
    bounds: [f32; 2],
    bounds_enable: bool,
}

/// Everything that is bound.
#[derive(Debug)]
pub(super) struct Bound {
    pub(super) graphics: Option<Arc<GraphicsPipeline>>,
    pub(super) compute: Option<Arc<ComputePipeline>>,
    pub(super) graphics_sets: Sets,
    pub(super) compute_sets: Sets,
    graphics_layout: LayoutFacts,
    compute_layout: LayoutFacts,
    push: [u8; MAX_PUSH],
    vertex_buffers: [VertexBuffer; MAX_VERTEX_BUFFERS],
    /// Strides of the vertex input state, where they are not dynamic.
    strides: SmallVec<[(u8, u32); 8]>,
    vertex_bindings: usize,
    index_buffer: Bytes,
    index_type: vk::IndexType,
    dynamic: Dynamic,
    /// The merged state of pipeline and dynamic values, while nothing has changed.
    merged: Option<DrawState>,
}

impl Default for Bound {
    fn default() -> Bound {
        Bound {
            graphics: None,
            compute: None,
            graphics_sets: Sets::default(),
            compute_sets: Sets::default(),
            graphics_layout: LayoutFacts::default(),
            compute_layout: LayoutFacts::default(),
            push: [0; MAX_PUSH],
            vertex_buffers: [VertexBuffer::default(); MAX_VERTEX_BUFFERS],
            strides: SmallVec::new(),
            vertex_bindings: 0,
            index_buffer: Bytes::default(),
            index_type: vk::IndexType::UINT32,
            dynamic: Dynamic {
                state: DrawState::default(),
                bias: DepthBias::default(),
                bias_enable: false,
                bounds: [0.0, 1.0],
                bounds_enable: false,
            },
            merged: None,
        }
    }
}

impl Bound {
    /// Runs a command that only binds or sets something; whether it is one.
    #[inline]
    pub(super) fn apply(&mut self, list: &CommandList, command: &Command) -> bool {
        match command {
            Command::BindGraphics(pipeline) => self.bind_graphics(pipeline),
            Command::BindCompute(pipeline) => self.bind_compute(pipeline),
            Command::BindSet {
                point,
                index,
                address,
                offsets,
            } => {
                let sets = match point {
                    BindPoint::Graphics => &mut self.graphics_sets,
                    BindPoint::Compute => &mut self.compute_sets,
                };
                sets.bind(usize::from(*index), *address, list.words(*offsets));
            }
            Command::Push { offset, data } => self.push(*offset, list.bytes(*data)),
            Command::BindVertexBuffer {
                binding,
                bytes,
                stride,
            } => self.bind_vertex_buffer(*binding, *bytes, *stride),
            Command::BindIndexBuffer { bytes, index_type } => self.bind_index_buffer(*bytes, *index_type),
            Command::SetState(value) => self.set(value),
            _ => return false,
        }
        true
    }

    /// Sets of a bind point, and the layout of its pipeline.
    pub(super) fn sets(&self, point: BindPoint) -> Option<(&Sets, &ResourceLayout)> {
        let (sets, facts) = match point {
            BindPoint::Graphics => (&self.graphics_sets, &self.graphics_layout),
            BindPoint::Compute => (&self.compute_sets, &self.compute_layout),
        };
        Some((sets, facts.layout.as_deref()?))
    }

    /// The vertex buffers that the graphics pipeline uses.
    pub(super) fn vertex_buffers(&self) -> &[VertexBuffer] {
        &self.vertex_buffers[..self.vertex_bindings]
    }

    /// The index buffer.
    pub(super) fn index_buffer(&self) -> Bytes {
        self.index_buffer
    }

    /// The part of the index buffer that `count` indices from `first` on take.
    pub(super) fn index_range(&self, first: u32, count: u32) -> Bytes {
        let each = match self.index_type {
            vk::IndexType::UINT8_EXT => 1,
            vk::IndexType::UINT16 => 2,
            _ => 4,
        };
        let start = (u64::from(first) * each).min(self.index_buffer.size);
        Bytes {
            address: self.index_buffer.address + start,
            size: (u64::from(count) * each).min(self.index_buffer.size - start),
        }
    }

    /// Binds a graphics pipeline.
    pub(super) fn bind_graphics(&mut self, pipeline: &Arc<GraphicsPipeline>) {
        if self
            .graphics
            .as_ref()
            .is_some_and(|old| Arc::ptr_eq(old, pipeline))
        {
            return;
        }
        let desc = pipeline.desc();
        self.graphics_layout.update(&desc.layout);
        self.strides.clear();
        if !pipeline.is_dynamic(D::VERTEX_INPUT_BINDING_STRIDE) {
            let stride = |b: &crate::pipeline::VertexBinding| Some((u8::try_from(b.binding).ok()?, b.stride));
            self.strides
                .extend(desc.vertex_bindings.iter().filter_map(stride));
        }
        let highest = desc.vertex_bindings.iter().map(|b| b.binding as usize + 1).max();
        self.vertex_bindings = highest.unwrap_or(0).min(MAX_VERTEX_BUFFERS);
        self.graphics = Some(pipeline.clone());
        self.merged = None;
    }

    /// Binds a compute pipeline.
    pub(super) fn bind_compute(&mut self, pipeline: &Arc<ComputePipeline>) {
        self.compute_layout.update(&pipeline.desc().layout);
        self.compute = Some(pipeline.clone());
    }

    /// Replaces push constants.
    pub(super) fn push(&mut self, offset: u32, bytes: &[u8]) {
        let start = (offset as usize).min(MAX_PUSH);
        let end = (start + bytes.len()).min(MAX_PUSH);
        self.push[start..end].copy_from_slice(&bytes[..end - start]);
    }

    /// Binds a vertex buffer.
    pub(super) fn bind_vertex_buffer(&mut self, binding: u8, bytes: Bytes, stride: Option<u32>) {
        let Some(slot) = self.vertex_buffers.get_mut(usize::from(binding)) else {
            return;
        };
        slot.address = bytes.address;
        slot.size = u32::try_from(bytes.size).unwrap_or(u32::MAX);
        if let Some(stride) = stride {
            slot.stride = stride;
        }
    }

    /// Binds an index buffer.
    pub(super) fn bind_index_buffer(&mut self, bytes: Bytes, index_type: vk::IndexType) {
        self.index_buffer = bytes;
        self.index_type = index_type;
    }

    /// Sets dynamic state.
    pub(super) fn set(&mut self, value: &StateValue) {
        self.merged = None;
        let d = &mut self.dynamic;
        let s = &mut d.state;
        match *value {
            StateValue::Viewport(viewport) => s.viewport = viewport,
            StateValue::Scissor(scissor) => s.scissor = scissor,
            StateValue::LineWidth(width) => s.line_width = width,
            StateValue::DepthBias(bias) => d.bias = bias,
            StateValue::BlendConstants(constants) => s.blend_constants = constants,
            StateValue::DepthBounds(bounds) => d.bounds = bounds,
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
            StateValue::DepthBoundsTest(on) => d.bounds_enable = on,
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
            StateValue::DepthBiasEnable(on) => d.bias_enable = on,
            StateValue::ColorWrite(attachments) => s.color_write = attachments,
            StateValue::PrimitiveRestart(on) => s.primitive_restart = on,
        }
    }

    /// Whether draws have a pipeline.
    pub(super) fn draws(&self) -> bool {
        self.graphics.is_some()
    }

    /// A draw of `count` vertices or indices with what is bound, or `None` without a pipeline.
    pub(super) fn draw(
        &mut self,
        indices: Indices,
        count: u32,
        instances: [u32; 2],
        draw_index: u32,
        counters: &ActiveCounters,
    ) -> Option<(&Arc<GraphicsPipeline>, Draw)> {
        let pipeline = self.graphics.as_ref()?;
        let state = *self.merged.get_or_insert_with(|| merge(pipeline, &self.dynamic));
        let mut vertex_buffers: SmallVec<[VertexBuffer; 4]> =
            SmallVec::from_slice(&self.vertex_buffers[..self.vertex_bindings]);
        for &(binding, stride) in &self.strides {
            if let Some(buffer) = vertex_buffers.get_mut(usize::from(binding)) {
                buffer.stride = stride;
            }
        }
        let draw = Draw {
            state,
            sets: self.graphics_sets.addresses,
            dynamic_offsets: self.graphics_sets.dynamic(&self.graphics_layout),
            push: SmallVec::from_slice(&self.push[..self.graphics_layout.push]),
            vertex_buffers,
            indices,
            count,
            instance_count: instances[0],
            first_instance: instances[1],
            draw_index,
            counters: counters.clone(),
            masked: None,
        };
        Some((pipeline, draw))
    }

    /// Where an indexed draw takes its indices.
    pub(super) fn indices(&self, first: u32, vertex_offset: i32) -> Indices {
        Indices::Buffer {
            address: self.index_buffer.address,
            size: self.index_buffer.size,
            index_type: self.index_type,
            first,
            vertex_offset,
        }
    }

    /// A dispatch with what is bound, or `None` without a pipeline.
    pub(super) fn dispatch(
        &self,
        base: [u32; 3],
        groups: [u32; 3],
        counters: &ActiveCounters,
    ) -> Option<(&Arc<ComputePipeline>, Dispatch)> {
        let pipeline = self.compute.as_ref()?;
        let dispatch = Dispatch {
            sets: self.compute_sets.addresses,
            dynamic_offsets: self.compute_sets.dynamic(&self.compute_layout),
            push: SmallVec::from_slice(&self.push[..self.compute_layout.push]),
            base,
            groups,
            counters: counters.clone(),
            masked: None,
            order: None,
        };
        Some((pipeline, dispatch))
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

/// The pipeline's state with the dynamic values in the places of those that are dynamic.
fn merge(pipeline: &GraphicsPipeline, dynamic: &Dynamic) -> DrawState {
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
