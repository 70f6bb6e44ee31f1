//! Recorded commands: plain values, with every argument copied in and every address resolved.
//!
//! Render passes, subpasses and dynamic rendering all become scopes when they are recorded (see
//! `render_pass.rs`), so that the executor knows only one kind.

use super::dynamic::StateValue;
use super::poison::Undefined;
use super::transfer::{BufferCopy, BufferImageCopy, Clear, ImageBlit, ImageCopy, ImageResolve};
use crate::device::BufferId;
use crate::pipeline::{ComputePipeline, GraphicsPipeline, GraphicsShader};
use crate::query::QueryPool;
use crate::raster::{AttachmentClear, Scope};
use crate::sync::Event;
use crate::vk;
use std::sync::Arc;

/// A run of bytes in [`CommandList::data`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// Bytes.
    pub len: u32,
}

/// Graphics or compute: where pipelines and sets are bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum BindPoint {
    Graphics,
    Compute,
}

/// A range of a buffer, as memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bytes {
    /// Address of the first byte; 0 for none.
    pub address: u64,
    /// Bytes to the end of the range.
    pub size: u64,
}

/// The parameters of an indirect draw.
#[derive(Clone, Copy, Debug)]
pub struct Indirect {
    /// Where the draws' parameters are.
    pub params: Bytes,
    /// Bytes from one draw's to the next's.
    pub stride: u32,
    /// Draws, or the most there may be if there is a count buffer.
    pub count: u32,
    /// Whether they are indexed.
    pub indexed: bool,
    /// Address of the number of draws; 0 for none.
    pub count_address: u64,
}

/// One recorded command.
#[derive(Clone, Debug)]
#[allow(
    missing_docs,
    reason = "the fields are those of the Vulkan commands of the same names"
)]
pub enum Command {
    BindGraphics(Arc<GraphicsPipeline>),
    BindCompute(Arc<ComputePipeline>),
    /// Binds a shader object to the fragment or the vertex stage.
    BindShader {
        fragment: bool,
        shader: Option<Arc<GraphicsShader>>,
    },
    /// Binds one set; `offsets` are its dynamic offsets as `u32`s.
    BindSet {
        point: BindPoint,
        index: u8,
        address: u64,
        offsets: Span,
    },
    /// Binds a descriptor heap, in place of a set of draws and dispatches.
    BindHeap {
        sampler: bool,
        bytes: Bytes,
    },
    Push {
        offset: u32,
        data: Span,
    },
    /// `stride` is `None` where the pipeline's counts.
    BindVertexBuffer {
        binding: u8,
        bytes: Bytes,
        stride: Option<u32>,
    },
    BindIndexBuffer {
        bytes: Bytes,
        index_type: vk::IndexType,
    },
    SetState(StateValue),
    Draw {
        vertices: u32,
        instances: u32,
        first_vertex: u32,
        first_instance: u32,
        draw_index: u32,
    },
    DrawIndexed {
        indices: u32,
        instances: u32,
        first_index: u32,
        vertex_offset: i32,
        first_instance: u32,
        draw_index: u32,
    },
    DrawIndirect(Box<Indirect>),
    Dispatch {
        base: [u32; 3],
        groups: [u32; 3],
    },
    DispatchIndirect {
        address: u64,
    },
    BeginScope(Box<Scope>),
    EndScope,
    ClearAttachments(Box<(Vec<AttachmentClear>, Vec<vk::ClearRect>)>),
    Barrier,
    /// Undefined contents become a byte.
    Poison(Box<(u8, Vec<Undefined>)>),
    CopyBuffer(Box<[BufferCopy]>),
    FillBuffer {
        bytes: Bytes,
        word: u32,
    },
    UpdateBuffer {
        address: u64,
        data: Span,
    },
    CopyImage(Box<[ImageCopy]>),
    CopyBufferToImage(Box<[BufferImageCopy]>),
    CopyImageToBuffer(Box<[BufferImageCopy]>),
    BlitImage(Box<[ImageBlit]>),
    ResolveImage(Box<[ImageResolve]>),
    ClearImage(Box<[Clear]>),
    SetEvent(Arc<Event>),
    ResetEvent(Arc<Event>),
    /// `host` where the host may set them.
    WaitEvents {
        events: Box<[Arc<Event>]>,
        host: bool,
    },
    BeginQuery {
        pool: Arc<QueryPool>,
        index: u32,
    },
    /// `views` slots become available.
    EndQuery {
        pool: Arc<QueryPool>,
        index: u32,
        views: u32,
    },
    ResetQueries {
        pool: Arc<QueryPool>,
        first: u32,
        count: u32,
    },
    /// `early` where earlier commands need not have ended.
    WriteTimestamp {
        pool: Arc<QueryPool>,
        index: u32,
        views: u32,
        early: bool,
    },
    CopyQueryResults(Box<CopyQueries>),
    /// From here on draws, dispatches and clears of attachments run only if the word is not 0, or only if it is.
    BeginConditional {
        address: u64,
        inverted: bool,
    },
    EndConditional,
    BeginLabel(Box<str>),
    EndLabel,
    InsertLabel(Box<str>),
    Execute(Arc<CommandList>),
    /// A checkpoint with the application's marker.
    Checkpoint(u64),
    /// A word that is written when all commands before are done.
    WriteMarker {
        address: u64,
        marker: u32,
    },
}

impl Command {
    /// Whether conditional rendering can leave it out.
    pub(super) fn is_conditional(&self) -> bool {
        matches!(
            self,
            Command::Draw { .. }
                | Command::DrawIndexed { .. }
                | Command::DrawIndirect(_)
                | Command::Dispatch { .. }
                | Command::DispatchIndirect { .. }
                | Command::ClearAttachments(_)
        )
    }
}

/// The arguments of `vkCmdCopyQueryPoolResults`.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "Vulkan's names")]
pub struct CopyQueries {
    pub pool: Arc<QueryPool>,
    pub first: u32,
    pub count: u32,
    pub dst: Bytes,
    pub stride: u64,
    pub flags: vk::QueryResultFlags,
}

/// What a command buffer has recorded.
#[derive(Debug, Default)]
pub struct CommandList {
    /// The commands, in order.
    pub commands: Vec<Command>,
    /// Bytes that commands refer to.
    pub data: Vec<u8>,
    /// Descriptor sets of its own, which commands refer to by address.
    sets: Vec<Box<[u128]>>,
    /// The command buffer that it was recorded in.
    pub id: BufferId,
    /// Commands of secondary command buffers in it.
    pub(super) nested: u32,
    /// Whether there is anything in it but what costs next to nothing to run.
    pub has_work: bool,
}

impl CommandList {
    /// Whether running it is cheaper than handing it to another thread.
    #[must_use]
    pub fn is_trivial(&self) -> bool {
        !self.has_work
    }

    /// The bytes of a span.
    #[must_use]
    pub fn bytes(&self, span: Span) -> &[u8] {
        let start = span.start as usize;
        self.data.get(start..start + span.len as usize).unwrap_or(&[])
    }

    /// The little-endian words of a span.
    pub fn words(&self, span: Span) -> impl Iterator<Item = u32> + '_ {
        self.bytes(span)
            .chunks_exact(4)
            .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
    }

    /// Appends bytes.
    pub(super) fn add(&mut self, bytes: &[u8]) -> Span {
        let start = u32::try_from(self.data.len()).unwrap_or(u32::MAX);
        self.data.extend_from_slice(bytes);
        Span {
            start,
            len: u32::try_from(bytes.len()).unwrap_or(0),
        }
    }

    /// Keeps a copy of the bytes of a descriptor set; gives its address, which stays.
    pub(super) fn add_set(&mut self, bytes: &[u128]) -> u64 {
        let set: Box<[u128]> = bytes.into();
        let address = set.as_ptr() as u64;
        self.sets.push(set);
        address
    }

    /// Whether these bytes belong to one of its own sets.
    pub(super) fn has_set_bytes(&self, address: u64, size: u64) -> bool {
        self.sets.iter().any(|set| {
            let first = set.as_ptr() as u64;
            let len = size_of_val(&**set) as u64;
            address >= first && size <= len && address - first <= len - size
        })
    }

    /// Bytes that it takes; secondary command buffers count by themselves.
    #[must_use]
    pub fn footprint(&self) -> u64 {
        let room = self.commands.capacity() * size_of::<Command>() + self.data.capacity();
        let sets = self.sets.iter().map(|set| size_of_val(&**set));
        (room + self.sets.capacity() * size_of::<Box<[u128]>>() + sets.sum::<usize>()) as u64
    }

    /// Empties it, keeping its memory unless that is large.
    pub(super) fn clear(&mut self) {
        self.commands.clear();
        self.data.clear();
        self.sets.clear();
        self.nested = 0;
        self.commands.shrink_to(4096);
        self.data.shrink_to(64 * 1024);
        self.has_work = false;
    }

    /// Commands in it, those of secondary command buffers included.
    #[must_use]
    pub fn total(&self) -> u32 {
        let own = u32::try_from(self.commands.len()).unwrap_or(u32::MAX);
        own.saturating_add(self.nested)
    }
}

const _: () = assert!(size_of::<Command>() <= 40);
