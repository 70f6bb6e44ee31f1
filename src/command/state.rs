//! What is bound while commands run: pipelines, sets, push constants, vertex and index buffers, dynamic state.

use super::dynamic::{Dynamic, StateValue};
use super::list::{BindPoint, Bytes, Command, CommandList};
use crate::compute::Dispatch;
use crate::exec::{Counters, ExecError};
use crate::pipeline::{
    AttachmentFormats, ComputePipeline, GraphicsPipeline, GraphicsShader, ResourceLayout, StageDesc, Template,
};
use crate::raster::{Draw, DrawState, Indices, Scope, Target};
use crate::shader::abi::{MAX_SETS, MAX_VERTEX_BUFFERS, VertexBuffer};
use crate::shader::spirv::heap::{RESOURCE_HEAP, SAMPLER_HEAP};
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

/// Everything that is bound.
#[derive(Debug)]
pub(super) struct Bound {
    pub(super) graphics: Option<Arc<GraphicsPipeline>>,
    pub(super) compute: Option<Arc<ComputePipeline>>,
    pub(super) graphics_sets: Sets,
    pub(super) compute_sets: Sets,
    /// The resource heap and the sampler heap.
    pub(super) heaps: [Bytes; 2],
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
    /// What the graphics pipeline is made from, where that depends on dynamic state.
    template: Option<Arc<Template>>,
    /// Formats of the scope's attachments.
    formats: AttachmentFormats,
    /// Vertex and fragment shader that are bound by themselves.
    shaders: [Option<Arc<GraphicsShader>>; 2],
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
            heaps: [Bytes::default(); 2],
            graphics_layout: LayoutFacts::default(),
            compute_layout: LayoutFacts::default(),
            push: [0; MAX_PUSH],
            vertex_buffers: [VertexBuffer::default(); MAX_VERTEX_BUFFERS],
            strides: SmallVec::new(),
            vertex_bindings: 0,
            index_buffer: Bytes::default(),
            index_type: vk::IndexType::UINT32,
            dynamic: Dynamic::default(),
            template: None,
            shaders: [None, None],
            formats: AttachmentFormats::default(),
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
            Command::BindShader { fragment, shader } => self.bind_shader(*fragment, shader.as_ref()),
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
            Command::BindHeap { sampler, bytes } => self.bind_heap(*sampler, *bytes),
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
        self.graphics_layout.update(&pipeline.desc().layout);
        self.template = pipeline.template().cloned();
        self.shaders = [None, None];
        self.take_graphics(pipeline.clone());
    }

    /// Binds a shader object, or none, to a stage; it takes the place of the pipeline.
    pub(super) fn bind_shader(&mut self, fragment: bool, shader: Option<&Arc<GraphicsShader>>) {
        self.shaders[usize::from(fragment)] = shader.cloned();
        (self.graphics, self.template, self.merged) = (None, None, None);
        if let Some(vertex) = &self.shaders[0] {
            let template = vertex.with(self.shaders[1].as_ref());
            self.graphics_layout.update(&template.desc().layout);
            self.template = Some(template);
        }
    }

    /// Notes the attachments of the scope that begins.
    pub(super) fn begin_scope(&mut self, scope: &Scope) {
        let format = |target: &Option<Target>| {
            let attachment = target.as_ref().map(|target| &target.attachment);
            attachment.map_or(vk::Format::UNDEFINED, |attachment| attachment.format)
        };
        self.formats.colors.clear();
        self.formats.colors.extend(scope.colors.iter().map(format));
        self.formats.depth = format(&scope.depth);
        self.formats.stencil = format(&scope.stencil);
        // Each attachment has the location of its number until something else is said.
        self.dynamic.set(&StateValue::Locations(Arc::default()));
        self.merged = None;
    }

    /// Makes a pipeline that of the draws.
    fn take_graphics(&mut self, pipeline: Arc<GraphicsPipeline>) {
        let desc = pipeline.desc();
        self.strides.clear();
        let dynamic = [D::VERTEX_INPUT_BINDING_STRIDE, D::VERTEX_INPUT_EXT];
        if !dynamic.iter().any(|state| pipeline.is_dynamic(*state)) {
            let stride = |b: &crate::pipeline::VertexBinding| Some((u8::try_from(b.binding).ok()?, b.stride));
            self.strides
                .extend(desc.vertex_bindings.iter().filter_map(stride));
        }
        let highest = desc.vertex_bindings.iter().map(|b| b.binding as usize + 1).max();
        self.vertex_bindings = highest.unwrap_or(0).min(MAX_VERTEX_BUFFERS);
        self.graphics = Some(pipeline);
        self.merged = None;
    }

    /// Sets dynamic state.
    pub(super) fn set(&mut self, value: &StateValue) {
        self.merged = None;
        if let StateValue::VertexInput(input) = value {
            for binding in &input.bindings {
                if let Some(slot) = self.vertex_buffers.get_mut(binding.binding as usize) {
                    slot.stride = binding.stride;
                }
            }
        }
        self.dynamic.set(value);
    }

    /// Readies what the next draw needs but its numbers.
    ///
    /// # Errors
    /// A pipeline that is made for the dynamic state cannot be compiled.
    fn prepare(&mut self) -> Result<(), ExecError> {
        if self.merged.is_some() {
            return Ok(());
        }
        if let Some(template) = &self.template {
            let state = self.dynamic.compiled(template, &self.formats);
            let made = template.with(&state);
            let made = made.map_err(|error| ExecError::Compile(error.to_string()))?;
            self.take_graphics(made);
        }
        if let Some(pipeline) = &self.graphics {
            self.merged = Some(self.dynamic.merge(pipeline));
        }
        Ok(())
    }

    /// Binds a compute pipeline.
    pub(super) fn bind_compute(&mut self, pipeline: &Arc<ComputePipeline>) {
        self.compute_layout.update(&pipeline.desc().layout);
        self.compute = Some(pipeline.clone());
    }

    /// Binds a descriptor heap. Binding sets undoes that, as Vulkan has it.
    fn bind_heap(&mut self, sampler: bool, bytes: Bytes) {
        let (index, set) = if sampler {
            (1, SAMPLER_HEAP)
        } else {
            (0, RESOURCE_HEAP)
        };
        self.heaps[index] = bytes;
        for sets in [&mut self.graphics_sets, &mut self.compute_sets] {
            sets.bind(set as usize, bytes.address, std::iter::empty());
        }
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

    /// Handle and stages of what is bound for draws.
    pub(super) fn graphics_stages(&self) -> Option<(u64, &[StageDesc])> {
        let pipeline = self.graphics.as_deref();
        let pipeline = pipeline.map(|pipeline| (pipeline.handle(), &pipeline.desc().stages));
        let shaders = || {
            let vertex = self.shaders[0].as_ref()?;
            Some((vertex.handle(), &self.template.as_ref()?.desc().stages))
        };
        let (handle, stages) = pipeline.or_else(shaders)?;
        Some((handle, stages))
    }

    /// Whether draws have a pipeline.
    pub(super) fn draws(&self) -> bool {
        self.graphics.is_some() || self.shaders[0].is_some()
    }

    /// A draw of `count` vertices or indices with what is bound, or `None` without a pipeline.
    ///
    /// # Errors
    /// See [`Bound::prepare`].
    pub(super) fn draw(
        &mut self,
        indices: Indices,
        count: u32,
        instances: [u32; 2],
        draw_index: u32,
        counters: &ActiveCounters,
    ) -> Result<Option<(&Arc<GraphicsPipeline>, Draw)>, ExecError> {
        self.prepare()?;
        let (Some(pipeline), Some(state)) = (&self.graphics, self.merged) else {
            return Ok(None);
        };
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
        Ok(Some((pipeline, draw)))
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
