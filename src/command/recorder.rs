//! Recording: one method a command, each of which pushes a value.

use super::dynamic::StateValue;
use super::list::{BindPoint, Bytes, Command, CommandList, CopyQueries, Indirect};
use super::poison::{self, Undefined};
use super::render_pass::{PassInstance, Rendering};
use super::transfer::{BufferCopy, BufferImageCopy, Clear, ImageBlit, ImageCopy, ImageResolve};
use super::{Begin, fits};
use crate::pipeline::{ComputePipeline, GraphicsPipeline, GraphicsShader};
use crate::query::QueryPool;
use crate::raster::AttachmentClear;
use crate::sync::Event;
use crate::vk;
use std::sync::Arc;

/// What undefined contents get.
#[derive(Debug)]
struct Poison {
    byte: u8,
    /// What becomes undefined at the end of the current scope.
    discarded: Vec<Undefined>,
}

/// A recording in progress.
#[derive(Debug)]
pub struct Recorder {
    list: CommandList,
    pass: Option<PassInstance>,
    /// Views of the current scope.
    view_mask: u32,
    /// Whether a scope is open, or inherited.
    in_scope: bool,
    /// What undefined contents get, if that is asked for.
    poison: Option<Box<Poison>>,
}

impl Recorder {
    pub(super) fn new(list: CommandList, begin: Begin) -> Recorder {
        Recorder {
            list,
            pass: None,
            view_mask: begin.view_mask,
            in_scope: begin.inside_pass,
            poison: begin.poison.map(|byte| {
                Box::new(Poison {
                    byte,
                    discarded: vec![],
                })
            }),
        }
    }

    pub(super) fn finish(self) -> CommandList {
        self.list
    }

    fn push(&mut self, command: Command) {
        self.list.commands.push(command);
    }

    /// Pushes a command that takes time to run.
    fn work(&mut self, command: Command) {
        self.list.has_work = true;
        self.list.commands.push(command);
    }

    /// Slots that a query in the current scope takes: one a view.
    fn query_slots(&self) -> u32 {
        if self.in_scope {
            self.view_mask.count_ones().max(1)
        } else {
            1
        }
    }
}

/// Binding and state.
impl Recorder {
    /// Binds a graphics pipeline.
    pub fn bind_graphics(&mut self, pipeline: Arc<GraphicsPipeline>) {
        self.push(Command::BindGraphics(pipeline));
    }

    /// Binds a compute pipeline.
    pub fn bind_compute(&mut self, pipeline: Arc<ComputePipeline>) {
        self.push(Command::BindCompute(pipeline));
    }

    /// Binds a shader object, or none, to the fragment or the vertex stage.
    pub fn bind_shader(&mut self, fragment: bool, shader: Option<Arc<GraphicsShader>>) {
        self.push(Command::BindShader { fragment, shader });
    }

    /// Binds the set whose bytes are at `address`.
    pub fn bind_set(&mut self, point: BindPoint, index: u8, address: u64, dynamic_offsets: &[u32]) {
        let offsets = if dynamic_offsets.is_empty() {
            super::list::Span::default()
        } else {
            self.list.add(bytemuck::cast_slice(dynamic_offsets))
        };
        self.push(Command::BindSet {
            point,
            index,
            address,
            offsets,
        });
    }

    /// Binds a set of these bytes, a copy of which is part of the recording.
    pub fn bind_bytes(&mut self, point: BindPoint, index: u8, bytes: &[u128]) {
        let address = self.list.add_set(bytes);
        self.bind_set(point, index, address, &[]);
    }

    /// Binds a descriptor heap.
    pub fn bind_heap(&mut self, sampler: bool, bytes: Bytes) {
        self.push(Command::BindHeap { sampler, bytes });
    }

    /// Replaces push constants.
    pub fn push_constants(&mut self, offset: u32, bytes: &[u8]) {
        let data = self.list.add(bytes);
        self.push(Command::Push { offset, data });
    }

    /// Binds a vertex buffer.
    pub fn bind_vertex_buffer(&mut self, binding: u8, bytes: Bytes, stride: Option<u32>) {
        self.push(Command::BindVertexBuffer {
            binding,
            bytes,
            stride,
        });
    }

    /// Binds an index buffer.
    pub fn bind_index_buffer(&mut self, bytes: Bytes, index_type: vk::IndexType) {
        self.push(Command::BindIndexBuffer { bytes, index_type });
    }

    /// Sets dynamic state.
    pub fn set_state(&mut self, value: StateValue) {
        self.push(Command::SetState(value));
    }
}

/// Draws and dispatches.
impl Recorder {
    /// A draw.
    pub fn draw(&mut self, vertices: u32, instances: u32, first_vertex: u32, first_instance: u32) {
        self.draw_of_many(0, [vertices, first_vertex], [instances, first_instance]);
    }

    /// The draw of this number among several: vertices and the first, instances and the first.
    pub fn draw_of_many(&mut self, draw_index: u32, vertices: [u32; 2], instances: [u32; 2]) {
        self.work(Command::Draw {
            vertices: vertices[0],
            instances: instances[0],
            first_vertex: vertices[1],
            first_instance: instances[1],
            draw_index,
        });
    }

    /// An indexed draw.
    pub fn draw_indexed(
        &mut self,
        indices: u32,
        instances: u32,
        first_index: u32,
        vertex_offset: i32,
        first_instance: u32,
    ) {
        self.draw_indexed_of_many(
            0,
            [indices, first_index],
            vertex_offset,
            [instances, first_instance],
        );
    }

    /// The indexed draw of this number among several: indices and the first, instances and the first.
    pub fn draw_indexed_of_many(
        &mut self,
        draw_index: u32,
        indices: [u32; 2],
        vertex_offset: i32,
        instances: [u32; 2],
    ) {
        self.work(Command::DrawIndexed {
            indices: indices[0],
            instances: instances[0],
            first_index: indices[1],
            vertex_offset,
            first_instance: instances[1],
            draw_index,
        });
    }

    /// Indirect draws.
    pub fn draw_indirect(&mut self, indirect: Indirect) {
        self.work(Command::DrawIndirect(Box::new(indirect)));
    }

    /// Makes what follows depend on a word in memory: it runs if the word is not 0, or `inverted`.
    pub fn begin_conditional(&mut self, address: u64, inverted: bool) {
        self.work(Command::BeginConditional { address, inverted });
    }

    /// What follows runs whatever the word is.
    pub fn end_conditional(&mut self) {
        self.push(Command::EndConditional);
    }

    /// A dispatch.
    pub fn dispatch(&mut self, base: [u32; 3], groups: [u32; 3]) {
        self.work(Command::Dispatch { base, groups });
    }

    /// A dispatch whose size is in memory.
    pub fn dispatch_indirect(&mut self, address: u64) {
        self.work(Command::DispatchIndirect { address });
    }
}

/// Scopes.
impl Recorder {
    /// Begins a render pass.
    pub fn begin_render_pass(&mut self, pass: PassInstance) {
        if self.poison.is_some() {
            self.poison_scope(poison::of_pass(&pass));
        }
        self.open(&pass);
        self.pass = Some(pass);
    }

    fn open(&mut self, pass: &PassInstance) {
        self.view_mask = pass.view_mask();
        self.in_scope = true;
        self.list.has_work = true;
        self.list.commands.extend(pass.begin());
    }

    /// Goes on to the next subpass.
    pub fn next_subpass(&mut self) {
        self.push(Command::EndScope);
        if let Some(mut pass) = self.pass.take() {
            pass.advance();
            self.open(&pass);
            self.pass = Some(pass);
        }
    }

    /// Ends the render pass.
    pub fn end_render_pass(&mut self) {
        self.pass = None;
        self.end_rendering();
    }

    /// Begins dynamic rendering.
    pub fn begin_rendering(&mut self, rendering: &Rendering) {
        if self.poison.is_some() {
            self.poison_scope(poison::of_rendering(rendering));
        }
        self.view_mask = rendering.view_mask;
        self.in_scope = true;
        if let Some(clears) = rendering.clears() {
            self.work(Command::BeginScope(Box::new(clears)));
            self.work(Command::EndScope);
        }
        self.work(Command::BeginScope(Box::new(rendering.scope())));
    }

    /// Ends dynamic rendering.
    pub fn end_rendering(&mut self) {
        self.in_scope = false;
        self.view_mask = 0;
        self.push(Command::EndScope);
        if let Some(poison) = &mut self.poison {
            let discarded = std::mem::take(&mut poison.discarded);
            self.poison(discarded);
        }
    }

    /// Fills what is undefined at the start of a scope, and remembers what will be at its end.
    fn poison_scope(&mut self, [undefined, discarded]: [Vec<Undefined>; 2]) {
        self.poison(undefined);
        if let Some(poison) = &mut self.poison {
            poison.discarded = discarded;
        }
    }

    /// Fills memory whose contents become undefined, if that is asked for and can be done here.
    pub fn poison(&mut self, undefined: Vec<Undefined>) {
        if let (Some(poison), false) = (&self.poison, self.in_scope)
            && let Some(command) = poison::command(poison.byte, undefined)
        {
            self.work(command);
        }
    }

    /// Clears attachments of the current scope.
    pub fn clear_attachments(&mut self, clears: Vec<AttachmentClear>, rects: Vec<vk::ClearRect>) {
        self.work(Command::ClearAttachments(Box::new((clears, rects))));
    }

    /// A barrier. Outside scopes commands run to their end one after another, so that there is nothing to do.
    pub fn barrier(&mut self) {
        if self.in_scope {
            self.push(Command::Barrier);
        }
    }
}

/// Transfers.
impl Recorder {
    /// Copies between buffers.
    pub fn copy_buffer(&mut self, regions: Box<[BufferCopy]>) {
        self.work(Command::CopyBuffer(regions));
    }

    /// Fills a buffer with a word.
    pub fn fill_buffer(&mut self, bytes: Bytes, word: u32) {
        self.work(Command::FillBuffer { bytes, word });
    }

    /// Writes bytes into a buffer.
    pub fn update_buffer(&mut self, address: u64, bytes: &[u8]) {
        let data = self.list.add(bytes);
        self.work(Command::UpdateBuffer { address, data });
    }

    /// Copies between images.
    pub fn copy_image(&mut self, regions: Box<[ImageCopy]>) {
        self.work(Command::CopyImage(regions));
    }

    /// Copies from a buffer to an image.
    pub fn copy_buffer_to_image(&mut self, regions: Box<[BufferImageCopy]>) {
        self.work(Command::CopyBufferToImage(regions));
    }

    /// Copies from an image to a buffer.
    pub fn copy_image_to_buffer(&mut self, regions: Box<[BufferImageCopy]>) {
        self.work(Command::CopyImageToBuffer(regions));
    }

    /// Copies with scaling and conversion.
    pub fn blit_image(&mut self, regions: Box<[ImageBlit]>) {
        self.work(Command::BlitImage(regions));
    }

    /// Resolves samples.
    pub fn resolve_image(&mut self, regions: Box<[ImageResolve]>) {
        self.work(Command::ResolveImage(regions));
    }

    /// Clears images.
    pub fn clear_image(&mut self, ranges: Box<[Clear]>) {
        self.work(Command::ClearImage(ranges));
    }
}

/// Synchronization, queries, labels, secondary command buffers.
impl Recorder {
    /// Sets an event.
    pub fn set_event(&mut self, event: Arc<Event>) {
        self.push(Command::SetEvent(event));
    }

    /// Resets an event.
    pub fn reset_event(&mut self, event: Arc<Event>) {
        self.push(Command::ResetEvent(event));
    }

    /// Waits for events; this may take for ever, so it never runs on the caller's thread.
    /// `host` says whether the host may set them.
    pub fn wait_events(&mut self, events: Box<[Arc<Event>]>, host: bool) {
        self.work(Command::WaitEvents { events, host });
    }

    /// Begins a query.
    pub fn begin_query(&mut self, pool: Arc<QueryPool>, index: u32) {
        self.push(Command::BeginQuery { pool, index });
    }

    /// Ends a query.
    pub fn end_query(&mut self, pool: Arc<QueryPool>, index: u32) {
        let views = self.query_slots();
        self.push(Command::EndQuery { pool, index, views });
    }

    /// Resets queries.
    pub fn reset_queries(&mut self, pool: Arc<QueryPool>, first: u32, count: u32) {
        self.push(Command::ResetQueries { pool, first, count });
    }

    /// Writes a timestamp; `early` if it need not wait for earlier commands.
    pub fn write_timestamp(&mut self, pool: Arc<QueryPool>, index: u32, early: bool) {
        let views = self.query_slots();
        self.push(Command::WriteTimestamp {
            pool,
            index,
            views,
            early,
        });
    }

    /// Copies query results into a buffer; with `WAIT` this may take for ever.
    pub fn copy_query_results(&mut self, copy: CopyQueries) {
        self.work(Command::CopyQueryResults(Box::new(copy)));
    }

    /// Opens a debug label.
    pub fn begin_label(&mut self, name: &str) {
        self.push(Command::BeginLabel(fits(name)));
    }

    /// Closes a debug label.
    pub fn end_label(&mut self) {
        self.push(Command::EndLabel);
    }

    /// A label at one point.
    pub fn insert_label(&mut self, name: &str) {
        self.push(Command::InsertLabel(fits(name)));
    }

    /// A checkpoint; the marker is what the application wants told of it.
    pub fn checkpoint(&mut self, marker: u64) {
        self.push(Command::Checkpoint(marker));
    }

    /// Writes a word behind all commands before.
    pub fn write_marker(&mut self, address: u64, marker: u32) {
        self.work(Command::WriteMarker { address, marker });
    }

    /// Runs a secondary command buffer.
    pub fn execute(&mut self, list: Arc<CommandList>) {
        self.list.has_work |= list.has_work;
        self.list.nested = self.list.nested.saturating_add(list.total());
        self.push(Command::Execute(list));
    }
}
