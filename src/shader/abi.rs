//! The contract between compiled kernels and those who call them.
//!
//! Every kernel and routine is `extern "sysv64" fn(ctx: u64, arg: u64) -> u32`: in the IR, a function whose
//! entry block takes two `S64` and which returns an `S32` [`Status`]. `ctx` points at a [`Context`] for stage
//! kernels (vertex, fragment, compute) and routines alike; `arg` is the stage's or routine's own record.
//! All of it is plain memory, read with loads at the offsets of these `repr(C)` structures
//! (`std::mem::offset_of!`).

/// What a kernel returns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum Status {
    /// Ran to its end.
    Done = 0,
    /// Out of fuel: a loop turned more often than [`Context::fuel`] allows.
    OutOfFuel = 1,
    /// Stopped at a barrier; values from here on are [`Status::BARRIER`] + the state to resume in.
    Barrier = 0x100,
}

impl Status {
    /// First barrier status: a kernel returns `BARRIER + state` and is called again with [`ComputeArgs::state`].
    pub const BARRIER: u32 = Status::Barrier as u32;
}

/// Most descriptor sets bound at once (`maxBoundDescriptorSets`).
pub const MAX_SETS: usize = 8;
/// Most vertex buffers bound at once (`maxVertexInputBindings`).
pub const MAX_VERTEX_BUFFERS: usize = 32;
/// Lanes of a subgroup on every host.
pub const SUBGROUP_SIZE: u32 = 8;
/// Entries of a context's inline cache of sampling routines.
pub const ROUTINE_SLOTS: usize = 32;

/// What every stage kernel finds behind `ctx`. One a worker; the caller fills it before a batch of waves.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Context {
    /// Address of the bytes of each bound descriptor set.
    pub sets: [u64; MAX_SETS],
    /// Address of the push constants.
    pub push: u64,
    /// Address of `u32` dynamic offsets, in the order of the pipeline layout's dynamic descriptors.
    pub dynamic_offsets: u64,
    /// Address of the frame of the wave being run: `Func::frame_bytes` bytes, 64-byte aligned.
    pub frame: u64,
    /// Address of the workgroup's shared memory.
    pub shared: u64,
    /// Loop back-edges left before the kernel returns [`Status::OutOfFuel`].
    pub fuel: i64,
    /// Address of the [`RoutineSlot`]s (`ROUTINE_SLOTS` of them).
    pub routines: u64,
    /// Address of the code that finds or compiles a sampling routine: `code(ctx, &RoutineRequest)`.
    pub resolve: u64,
    /// Opaque to kernels: the host object behind `resolve`.
    pub host: u64,
    /// Address of the [`CALL_FRAME_BYTES`] through which routines take arguments and give results.
    pub call_frame: u64,
    /// gl_ViewIndex.
    pub view_index: u32,
    /// gl_DrawID.
    pub draw_index: u32,
    /// Address of [`ZERO_BYTES`] zero bytes, which uniform reads out of bounds go to; see [`zeros_address`].
    pub zeros: u64,
}

/// Bytes behind [`Context::zeros`].
pub const ZERO_BYTES: usize = 256;

#[repr(align(64))]
struct Zeros([u8; ZERO_BYTES]);
static ZEROS: Zeros = Zeros([0; ZERO_BYTES]);

/// What [`Context::zeros`] holds.
#[must_use]
pub fn zeros_address() -> u64 {
    ZEROS.0.as_ptr() as u64
}

/// Bytes of [`Context::call_frame`], 64-byte aligned: 32 vectors of 16 lanes.
pub const CALL_FRAME_BYTES: usize = 32 * 64;

/// One entry of the inline cache: the routine for an (image kind, sampler kind) pair.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct RoutineSlot {
    /// [`crate::descriptor::ImageDescriptor::kind`].
    pub image_kind: u64,
    /// [`crate::descriptor::SamplerDescriptor::kind`] (low word; 0 without a sampler) and the operation (high word).
    pub sampler_kind: u64,
    /// Code to call with `(ctx, data)`; 0 while the entry is empty.
    pub code: u64,
    /// Second argument of `code`.
    pub data: u64,
}

/// Offset in [`Context::call_frame`] of the [`RoutineArgs`] of a call.
pub const CALL_ARGS: usize = 31 * 64;
/// Offset in [`Context::call_frame`] of the [`RoutineRequest`] of a miss.
pub const CALL_REQUEST: usize = 30 * 64;

/// What a routine takes besides vectors. Vector `n`, one word a lane, is at `call_frame + n * 64`: the
/// arguments from 0 in, the results from 0 out.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct RoutineArgs {
    /// Address of the image or texel buffer descriptor.
    pub image: u64,
    /// Address of the sampler descriptor, or 0.
    pub sampler: u64,
    /// Lanes that are on, lane 0 lowest.
    pub mask: u32,
    /// Zero.
    pub reserved: u32,
}

/// What [`Context::resolve`] is asked for.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct RoutineRequest {
    /// As [`RoutineSlot::image_kind`].
    pub image_kind: u64,
    /// As [`RoutineSlot::sampler_kind`].
    pub sampler_kind: u64,
    /// Address of the [`RoutineSlot`] to fill.
    pub slot: u64,
}

/// The `arg` of a compute kernel: one wave of a workgroup.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct ComputeArgs {
    /// gl_WorkGroupID.
    pub workgroup_id: [u32; 3],
    /// gl_NumWorkGroups.
    pub num_workgroups: [u32; 3],
    /// Local invocation index of lane 0: wave number times width.
    pub first_invocation: u32,
    /// Resume state, 0 at first.
    pub state: u32,
    /// Address of `[u32; 3 * padded]`: the x of every local invocation, then the ys, then the zs, where
    /// `padded` is the workgroup's size rounded up to a multiple of 16.
    pub local_ids: u64,
}

/// A bound vertex buffer; reads past `size` give zeros.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct VertexBuffer {
    /// Address of the first byte after the binding's offset.
    pub address: u64,
    /// Bytes that can be read.
    pub size: u32,
    /// Bytes from one element to the next (static or dynamic).
    pub stride: u32,
}

/// The `arg` of a vertex kernel: one wave of vertices.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct VertexArgs {
    /// Bound buffers by binding.
    pub buffers: [VertexBuffer; MAX_VERTEX_BUFFERS],
    /// Address of one vertex index a lane (`vertexOffset` added; gl_VertexIndex).
    pub indices: u64,
    /// Where the outputs go: vector `n` (one word a lane) at `output + n * output_stride`.
    pub output: u64,
    /// Bytes from one output vector to the next.
    pub output_stride: u64,
    /// gl_InstanceIndex.
    pub instance_index: u32,
    /// gl_BaseInstance.
    pub base_instance: u32,
    /// gl_BaseVertex.
    pub base_vertex: u32,
    /// Lanes in use, from lane 0.
    pub count: u32,
}

/// Vectors of a vertex output that are always there: clip-space x, y, z, w, then point size; the user's follow.
pub const VERTEX_FIXED_OUTPUTS: u32 = 5;
