//! The contract between compiled kernels and those who call them.
//!
//! Every kernel and routine is `extern "sysv64" fn(ctx: u64, arg: u64) -> u32`: in the IR, a function whose
//! entry block takes two `S64` and which returns an `S32` [`Status`]. `ctx` points at a [`Context`] for stage
//! kernels (vertex, fragment, compute) and routines alike; `arg` is the stage's or routine's own record.
//! All of it is plain memory, read with loads at the offsets of these `repr(C)` structures
//! (`std::mem::offset_of!`).

use crate::descriptor::BufferDescriptor;

/// What a kernel returns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum Status {
    /// Ran to its end.
    Done = 0,
    /// Out of fuel: loops turned more often than [`Context::fuel`] allows.
    OutOfFuel = 1,
    /// Touched memory that is not there; see [`crate::shader::codegen::entry::take_trap`].
    Fault = 2,
    /// A shader asked for it; its message is at [`Context::abort`].
    Abort = 3,
    /// Stopped at a barrier; values from here on are [`Status::BARRIER`] + the state to resume in.
    Barrier = 0x100,
}

impl Status {
    /// First barrier status: a kernel returns `BARRIER + state` and is called again with [`ComputeArgs::state`].
    pub const BARRIER: u32 = Status::Barrier as u32;
}

/// Fuel of a wave where nothing else is asked: turns of small loops that it may take before it counts as endless. A
/// turn of a loop with a large body takes more, so that the time until an endless loop ends does not grow with its body.
pub const FUEL_PER_WAVE: i64 = 300_000_000;

/// Most descriptor sets bound at once (`maxBoundDescriptorSets`).
pub const MAX_SETS: usize = 32;
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
    /// Fuel left before the kernel returns [`Status::OutOfFuel`]; every turn of a loop takes some.
    pub fuel: i64,
    /// What [`Context::fuel`] is set to by kernels that run several waves, for each of them.
    pub wave_fuel: i64,
    /// Address of the [`RoutineSlot`]s (`ROUTINE_SLOTS` of them).
    pub routines: u64,
    /// Address of the code that finds or compiles a sampling routine: `code(ctx, &RoutineRequest)`.
    pub resolve: u64,
    /// Address of the code that decompresses texels for routines: `code(ctx, &DecodeArgs)`.
    pub decode: u64,
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
    /// With [`Status::OutOfFuel`] and [`Status::Abort`]: the origin of the loop or of the abort, see [`crate::shader::ir::Inst::origin`].
    pub stopped_at: u32,
    /// With [`Status::OutOfFuel`] and [`Status::Abort`]: the lanes that were to turn once more or asked for the abort,
    /// lane 0 lowest.
    pub stopped_lanes: u32,
    /// Address of [`ABORT_BYTES`] for the messages of an abort.
    pub abort: u64,
    /// With [`Status::Abort`]: bytes of each message.
    pub abort_size: u32,
    /// With [`Status::Abort`]: bytes from the message of a lane to that of the next lane of the subgroup; 0 where there is
    /// but one.
    pub abort_stride: u32,
    /// What device addresses are checked against.
    pub guards: Guards,
}

/// Spans of bytes for which a [`LiveSlot`] has a limit.
pub const SPANS: [u32; 12] = [1, 2, 4, 8, 12, 16, 24, 32, 48, 64, 128, 256];
/// Entries of [`Guards::live`].
pub const LIVE_SLOTS: usize = 32;

/// Memory that is known to be there.
#[derive(Clone, Copy, Debug, Default, bytemuck::Zeroable, bytemuck::Pod)]
#[repr(C)]
pub struct LiveSlot {
    /// First address; its high word is that of all that is there.
    pub first: u64,
    /// By span: how many addresses, from the first on, can be the start of one. Below 2^32.
    pub starts: [u64; SPANS.len()],
}

/// Entries behind [`Guards::allocations`].
pub const ALLOCATION_SLOTS: usize = 4096;

/// Place behind [`Guards::allocations`] for an address with this shift: those of different resources, and of different
/// sets, seldom meet there.
#[must_use]
pub const fn allocation_slot(address: u64, shift: u32) -> usize {
    let mixed = ((address >> shift) as u32).wrapping_mul(ALLOCATION_FACTOR);
    (mixed >> (32 - ALLOCATION_SLOTS.trailing_zeros())) as usize
}

/// For [`allocation_slot`], if the address is a descriptor's: addresses that share the rest share the slot.
pub const ALLOCATION_SHIFT: u32 = 16;
/// For [`allocation_slot`], if it is that of a set: many small pools lie side by side, a page each.
pub const SET_SHIFT: u32 = 12;
/// See [`allocation_slot`]: Knuth's factor, which spreads multiples of powers of two.
pub const ALLOCATION_FACTOR: u32 = 0x9e37_79b1;

/// An allocation that is known to be there.
#[derive(Clone, Copy, Debug, Default, bytemuck::Zeroable, bytemuck::Pod)]
#[repr(C)]
pub struct AllocationSlot {
    /// First address.
    pub first: u64,
    /// Bytes.
    pub size: u64,
}

/// For contexts that keep none; only read.
static NO_ALLOCATIONS: [AllocationSlot; ALLOCATION_SLOTS] =
    [AllocationSlot { first: 0, size: 0 }; ALLOCATION_SLOTS];

/// Whether an address is that of the allocations for contexts that keep none.
#[must_use]
pub fn keeps_no_allocations(address: u64) -> bool {
    address == (&raw const NO_ALLOCATIONS) as u64
}

/// What guards compare with; see [`crate::shader::guard`]. By default every address passes.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub struct Guards {
    /// High word of the window's addresses under `high_mask`.
    pub high: [u32; 16],
    /// Bits of the high word that are the same all over the window.
    pub high_mask: [u32; 16],
    /// First address of the window.
    pub base: u64,
    /// Bytes from there that can hold memory.
    pub usable: u64,
    /// First address of the window that all devices share, and bytes from there; looked at last.
    pub shared_base: u64,
    /// See `shared_base`.
    pub shared_usable: u64,
    /// First address of the process's own memory that is imported, and bytes from there to the end of the last:
    /// compiled code takes what lies between two imports as imported too.
    pub imported_base: u64,
    /// See `imported_base`.
    pub imported_size: u64,
    /// Addresses that stand for a descriptor's that must not be used.
    pub poison: [u64; crate::memory::POISONS as usize],
    /// What each of them stands for.
    pub bad: [u64; crate::memory::POISONS as usize],
    /// Descriptors that stand for bytes which are none: an address that says where those are ([`NO_DESCRIPTOR`]), then
    /// [`STAND_IN`].
    pub stand_ins: [[u64; 8]; crate::memory::POISONS as usize],
    /// Address of the code that decides: `code(ctx, &GuardMiss)` gives 0, or the stack pointer to leave with.
    pub miss: u64,
    /// Address of the code that leaves the kernel.
    pub leave: u64,
    /// Generation of live memory that `live` is of.
    pub generation: u64,
    /// Memory known to be there, by the slots of guards.
    pub live: [LiveSlot; LIVE_SLOTS],
    /// Address of the same for the addresses of descriptors: [`AllocationSlot`]s by [`allocation_slot`].
    pub allocations: u64,
    /// Not 0 if anything has been written there.
    pub allocations_known: u64,
    /// What becomes of accesses that robustness makes harmless.
    pub masked: Masked,
    /// In [`Masked::Report`]: address of a [`MaskedTable`], or 0.
    pub masked_table: u64,
    /// Address of the `u32` that says how far a kernel that runs several waves has got, or 0.
    pub progress: u64,
    /// What that counts: waves of so many lanes of fragments, each as often as there are samples; without samples, lanes.
    pub progress_of: [u32; 2],
    /// With [`Context::guards`] of kernels that tell of masked accesses: origin of the latest call of a routine.
    pub call_site: u32,
}

/// What becomes of accesses that robustness makes harmless, where kernels tell of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(u32)]
pub enum Masked {
    /// Nothing.
    #[default]
    Ignore = 0,
    /// They are noted in the context's table.
    Report = 1,
    /// They end the kernel.
    Lose = 2,
}

/// Entries of a [`MaskedTable`]: one a guard, so far fewer are used.
pub const MASKED_ENTRIES: usize = 256;

/// A masked access: of those of one guard in one call, that of the first wave and lowest lane.
#[derive(Clone, Copy, Debug, Default, bytemuck::Zeroable, bytemuck::Pod)]
#[repr(C)]
pub struct MaskedEntry {
    /// Address of an instruction of the guard; 0 in the interpreter.
    pub instruction: u64,
    /// [`crate::shader::guard::Guard`].
    pub guard: i64,
    /// The address.
    pub address: u64,
    /// What it is relative to, or 0.
    pub base: u64,
    /// [`crate::shader::ir::Inst::origin`], as far as `instruction` does not tell.
    pub origin: u32,
    /// Lane of the wave.
    pub lane: u32,
    /// How far the kernel had got.
    pub done: u32,
    /// Rises from note to note.
    pub order: u32,
    /// Rises from invocation to invocation, however many lanes a wave has.
    pub rank: u64,
}

/// The masked accesses of a call.
#[derive(Clone, Copy, Debug, bytemuck::Zeroable, bytemuck::Pod)]
#[repr(C)]
pub struct MaskedTable {
    /// Entries in use.
    pub count: u32,
    /// Notes so far.
    pub notes: u32,
    /// In use from the first on.
    pub entries: [MaskedEntry; MASKED_ENTRIES],
}

impl Default for Guards {
    fn default() -> Guards {
        let (miss, leave) = crate::shader::codegen::entry::guard_code();
        Guards {
            high: [0; 16],
            high_mask: [0; 16],
            base: 0,
            usable: u64::MAX,
            shared_base: 0,
            shared_usable: 0,
            imported_base: 0,
            imported_size: 0,
            poison: Default::default(),
            bad: Default::default(),
            stand_ins: Default::default(),
            miss,
            leave,
            generation: 0,
            live: [LiveSlot::default(); LIVE_SLOTS],
            allocations: (&raw const NO_ALLOCATIONS) as u64,
            allocations_known: 0,
            masked: Masked::Ignore,
            masked_table: 0,
            progress: 0,
            progress_of: [0; 2],
            call_site: crate::shader::ir::NO_ORIGIN,
        }
    }
}

/// In place of the high 16 bits of an address: what is wrong are the bytes of the buffer's descriptor at that address.
pub const NO_DESCRIPTOR: u64 = 0x8000 << 48;

/// What a descriptor that stands for bytes which are none has behind its address, whatever its type: the greatest range
/// and the mark of a buffer, the greatest extents of an image, and of its texels.
pub const STAND_IN: [u64; 3] = [
    (BufferDescriptor::MARK as u64) << 32 | 0x7fff_ffff,
    u64::MAX,
    0xf_ffff,
];

/// What machine code hands to [`Guards::miss`].
#[derive(Clone, Copy, Debug, bytemuck::Zeroable, bytemuck::Pod)]
#[repr(C)]
pub struct GuardMiss {
    /// [`crate::shader::guard::Guard`].
    pub guard: i64,
    /// Address of an instruction of the guard.
    pub instruction: u64,
    /// The context.
    pub ctx: u64,
    /// One of the constants below.
    pub form: u32,
    /// Whether the wave has 16 lanes: the mask is in `mask_bits`, else in the signs of `mask`.
    pub wide: u32,
    /// Uniform address, unless there are pairs.
    pub address: u64,
    /// One bit a lane.
    pub mask_bits: u64,
    /// Zero.
    pub reserved: [u64; 2],
    /// Low words of addresses, or offsets.
    pub low: [u32; 16],
    /// High words of addresses.
    pub high: [u32; 16],
    /// Mask by lane.
    pub mask: [u32; 16],
}

impl GuardMiss {
    /// All lanes have `address`.
    pub const UNIFORM: u32 = 0;
    /// Each lane has a pair of words.
    pub const PAIRS: u32 = 1;
    /// Each lane has an offset from `address`.
    pub const OFFSETS: u32 = 2;
}

/// Bytes of the longest message of an abort (`maxShaderAbortMessageSize`).
pub const ABORT_BYTES: usize = 1 << 16;

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

/// The `arg` of a vertex kernel: a run of vertices of one instance.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct VertexArgs {
    /// Bound buffers by binding.
    pub buffers: [VertexBuffer; MAX_VERTEX_BUFFERS],
    /// Address of one vertex index a lane (`vertexOffset` added; gl_VertexIndex); readable up to a whole
    /// number of waves.
    pub indices: u64,
    /// Where the outputs go: vector `n` (one word a vertex) at `output + n * output_stride`; writable up to a
    /// whole number of waves.
    pub output: u64,
    /// Bytes from one output vector to the next.
    pub output_stride: u64,
    /// gl_InstanceIndex.
    pub instance_index: u32,
    /// gl_BaseInstance.
    pub base_instance: u32,
    /// gl_BaseVertex.
    pub base_vertex: u32,
    /// Vertices; the kernel runs one wave after another.
    pub count: u32,
    /// Clip space to framebuffer: factors of x, y and z after the division by w.
    pub viewport_scale: [f32; 3],
    /// What is then added.
    pub viewport_offset: [f32; 3],
    /// Vertices done; where a kernel that stops early stood.
    pub done: u32,
    /// Zero.
    pub reserved: u32,
    /// Zero: what lies outside a buffer.
    pub zeros: [u32; 4],
}

/// Output vectors of every vertex kernel; the user's outputs follow at [`vertex_output::USER`].
#[allow(missing_docs, reason = "the comments say it")]
pub mod vertex_output {
    // Clip space.
    pub const X: u32 = 0;
    pub const Y: u32 = 1;
    pub const Z: u32 = 2;
    pub const W: u32 = 3;
    // Framebuffer coordinates in 1/256 pixels, rounded to nearest even (integers); depth; 1 / w.
    pub const FIXED_X: u32 = 4;
    pub const FIXED_Y: u32 = 5;
    pub const DEPTH: u32 = 6;
    pub const RECIPROCAL_W: u32 = 7;
    // `clip_flag` bits.
    pub const FLAGS: u32 = 8;
    pub const POINT_SIZE: u32 = 9;
    pub const USER: u32 = 10;
}

/// Where a vertex lies: bits of [`vertex_output::FLAGS`].
#[allow(missing_docs, reason = "the comments say it")]
pub mod clip_flag {
    // Beyond a side of the view volume.
    pub const LEFT: u32 = 1;
    pub const RIGHT: u32 = 2;
    pub const TOP: u32 = 4;
    pub const BOTTOM: u32 = 8;
    pub const NEAR: u32 = 16;
    pub const FAR: u32 = 32;
    // Behind the eye, outside the guard band or not a number: framebuffer coordinates are not valid.
    pub const GUARD: u32 = 64;
    // A clip distance is negative or not a number, from the first on; a cull distance is negative.
    pub const CLIP: u32 = 1 << 8;
    pub const CULL: u32 = 1 << 16;
    // All of them.
    pub const CLIPS: u32 = 0xff << 8;
    pub const CULLS: u32 = 0xff << 16;
}

/// Framebuffer coordinates within this many pixels of the origin need no clipping at the sides. Edge functions of
/// pixels (in 1/256 pixels, divided by 256) then change by less than 2^30 within a tile.
pub const GUARD_BAND: f32 = 16384.0;
/// Least w in front of the eye.
pub const MIN_W: f32 = 1.0e-12;

/// Pixels a side of a tile.
pub const TILE_SIZE: u32 = 64;
/// Bytes of one plane of a tile: a 32-bit word a pixel, 4x4 blocks row by row. Texels of more than 32 bits take
/// several planes, samples follow each other: word `w` of sample `s` is in plane `s * words + w`.
pub const TILE_PLANE_BYTES: u64 = 64 * 64 * 4;
/// Most colour attachments.
pub const MAX_COLORS: usize = 8;
/// Most samples a pixel.
pub const MAX_SAMPLES: usize = 8;

/// A 4x4 block of pixels that a primitive covers at least in part. The lanes of a block are four 2x2 quads: quads at
/// (0,0), (2,0), (0,2), (2,2); in a quad (0,0), (1,0), (0,1), (1,1).
#[derive(Clone, Copy, Debug, Default, bytemuck::Zeroable, bytemuck::Pod)]
#[repr(C)]
pub struct BlockRecord {
    /// Address of the primitive's data (see [`primitive_word`]).
    pub primitive: u64,
    /// Pixel coordinates of the block.
    pub position: [u32; 2],
    /// Byte offset of the block in every plane of the tile.
    pub offset: u32,
    /// Zero.
    pub reserved: u32,
    /// Covered pixels by sample, one bit a lane.
    pub coverage: [u16; MAX_SAMPLES],
}

/// A half plane: `a * x + b * y + c >= 0`, coordinates in 1/256 pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
#[allow(missing_docs, reason = "the formula says it")]
pub struct Edge {
    pub a: i32,
    pub b: i32,
    pub c: i64,
}

/// A primitive as the coverage kernel finds it: what is inside all edges and the bounds.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Primitive {
    /// Half planes; lines and points have four.
    pub edges: [Edge; 4],
    /// Pixels it may cover: first x and y, end x and y.
    pub bounds: [i32; 4],
    /// Draw within the batch.
    pub draw: u32,
    /// First word of its data (see [`primitive_word`]) within the chunk's.
    pub data: u32,
    /// 1 if the edges alone would cover pixels outside the bounds.
    pub clips: u32,
    /// Number of edges.
    pub edge_count: u32,
}

/// The `arg` of a coverage kernel, which makes the [`BlockRecord`]s of primitives of one draw in one tile.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct CoverageArgs {
    /// Address of `u32` indices of [`Primitive`]s.
    pub indices: u64,
    /// Address of the primitives.
    pub primitives: u64,
    /// Address of their data.
    pub data: u64,
    /// Address of the records.
    pub blocks: u64,
    /// Number of indices.
    pub count: u32,
    /// The next index; the kernel leaves it at the first that it did not do.
    pub next: u32,
    /// The draw; the kernel stops at a primitive of another.
    pub draw: u32,
    /// Records there is room for; the kernel stops when those of a whole tile might not fit.
    pub room: u32,
    /// Records so far.
    pub written: u32,
    /// Zero.
    pub reserved: u32,
    /// First pixel of the tile.
    pub tile: [i32; 2],
    /// Pixel x of each lane of a block, less that of the block.
    pub lane_x: [u32; 16],
    /// Pixel y of each lane of a block, less that of the block.
    pub lane_y: [u32; 16],
    /// Lanes of the columns from `n` on, for n of 0 to 4.
    pub columns_from: [u32; 5],
    /// Lanes of the columns below `n`.
    pub columns_below: [u32; 5],
    /// Lanes of the rows from `n` on.
    pub rows_from: [u32; 5],
    /// Lanes of the rows below `n`.
    pub rows_below: [u32; 5],
}

/// 32-bit words of a primitive's data, in order. `L1` and `L2` are the weights of the second and third vertex, linear
/// in the framebuffer, 0 at the anchor; the value of an attribute is its value at the anchor plus weights times
/// differences. Points have their point coordinates as weights, and all differences zero.
#[allow(missing_docs, reason = "the comments say it")]
pub mod primitive_word {
    // Framebuffer coordinates of the anchor.
    pub const X: u32 = 0;
    pub const Y: u32 = 1;
    // Change of the weights by pixel.
    pub const L1_DX: u32 = 2;
    pub const L1_DY: u32 = 3;
    pub const L2_DX: u32 = 4;
    pub const L2_DY: u32 = 5;
    // Depth (bias included) at the anchor, and differences.
    pub const DEPTH: u32 = 6;
    pub const DEPTH_D1: u32 = 7;
    pub const DEPTH_D2: u32 = 8;
    // 1 / w of the anchor, differences, and those of the second and third vertex.
    pub const Q: u32 = 9;
    pub const Q_D1: u32 = 10;
    pub const Q_D2: u32 = 11;
    pub const Q1: u32 = 12;
    pub const Q2: u32 = 13;
    // 1 if front-facing, else 0.
    pub const FRONT: u32 = 14;
    pub const PRIMITIVE_ID: u32 = 15;
    pub const LAYER: u32 = 16;
    // Zero.
    pub const RESERVED: u32 = 17;
    // Three words an input component: value, two differences. Flat inputs: the value in the first.
    pub const INPUTS: u32 = 18;
}

/// The dynamic numbers of a stencil face.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
#[allow(missing_docs, reason = "Vulkan's names")]
pub struct StencilFace {
    pub compare_mask: u32,
    pub write_mask: u32,
    pub reference: u32,
}

/// The `arg` of a fragment kernel: a list of blocks in one tile.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct FragmentArgs {
    /// Address of the [`BlockRecord`]s.
    pub blocks: u64,
    /// Number of blocks; at least 1.
    pub count: u32,
    /// Where a kernel that stops early stood: `(block << halves) + half`, where a block is run by halves if waves
    /// are narrower than it, times the samples plus the sample, where it is run sample by sample.
    pub done: u32,
    /// Address of the first plane of each colour attachment in the tile.
    pub colors: [u64; MAX_COLORS],
    /// Address of the depth plane.
    pub depth: u64,
    /// Address of the stencil plane.
    pub stencil: u64,
    /// Blend constants.
    pub blend_constants: [f32; 4],
    /// Depth bounds.
    pub depth_bounds: [f32; 2],
    /// Depth range of the viewport, lower bound first (depth clamp).
    pub depth_range: [f32; 2],
    /// Stencil numbers of front faces, then of back faces.
    pub stencil_faces: [StencilFace; 2],
    /// Pixel x of each lane of a block, less that of the block.
    pub lane_x: [u32; 16],
    /// Pixel y of each lane of a block, less that of the block.
    pub lane_y: [u32; 16],
    /// Lanes that the shader was begun with, of the wave being run.
    pub covered: u32,
    /// Zero.
    pub reserved: u32,
    /// Position of each sample in its pixel, x and y.
    pub sample_positions: [[f32; 2]; MAX_SAMPLES],
    /// Samples that passed, by lane: the kernel adds to it.
    pub samples_passed: [u32; 16],
    /// Fragment shader invocations, by lane: the kernel adds to it.
    pub invocations: [u32; 16],
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn allocations_at_regular_distances_seldom_share_a_slot() {
        let resources = [64 << 10, 128 << 10, 2 << 20, 64 << 20].map(|step| (step, ALLOCATION_SHIFT));
        for (step, shift) in resources
            .into_iter()
            .chain([(4096, SET_SHIFT), (8192, SET_SHIFT)])
        {
            let slots: std::collections::BTreeSet<usize> = (0..1024)
                .map(|i| allocation_slot(0x1000_0000_0000 + i * step, shift))
                .collect();
            assert!(slots.len() > 600, "{step:#x}: {}", slots.len());
            assert!(slots.iter().all(|&slot| slot < ALLOCATION_SLOTS));
        }
    }
}
