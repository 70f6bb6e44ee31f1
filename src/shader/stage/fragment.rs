//! Fragment kernels: a loop over the blocks of a list, one wave of pixels at a time.
//!
//! A kernel runs once a pixel, with all samples of the pixel handled in each turn, or once a sample, with the sample
//! number as the innermost part of the loop counter. Either way a turn has a list of *slots*: the samples whose
//! coverage, depth and colours it is about.

use super::blend::{self, ColorWrite};
use super::depth::{self, Planes};
pub use super::depth::{DepthStencilKey, StencilOps};
use super::interpolate::{FragmentIo, InputBase, Place};
use super::{Shader, at, element, kernel, mask_to_int, whole_quads};
use crate::pipeline::{BlendDesc, MultisampleDesc};
use crate::resource::format::Format;
use crate::shader::abi::{BlockRecord, FragmentArgs, TILE_PLANE_BYTES, primitive_word};
use crate::shader::ir::{BlockId, Builder, Func, Type, Value};
use crate::shader::sampling::codec;
use crate::shader::spirv::{BuiltIn, Input, OutputSlot, Outputs, SpirvError, Start};
use crate::vk;
use smallvec::SmallVec;
use std::mem::offset_of;

/// What of a draw's state is compiled into a fragment kernel.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct FragmentKey {
    /// Depth and stencil tests.
    pub tests: DepthStencilKey,
    /// Whether samples and invocations are counted.
    pub count: bool,
    /// A bit for each colour attachment that is not written to.
    pub masked: u8,
}

/// What a fragment kernel is made for.
#[derive(Debug)]
pub struct FragmentDesc<'d> {
    /// What may change from draw to draw.
    pub key: FragmentKey,
    /// Samples and what happens to them.
    pub multisample: MultisampleDesc,
    /// Whether depths are clamped to the viewport's range.
    pub depth_clamp: bool,
    /// Blending by colour attachment.
    pub blend: &'d [BlendDesc],
    /// Logic operation.
    pub logic_op: Option<vk::LogicOp>,
    /// Formats of the colour attachments.
    pub colors: &'d [Option<&'static Format>],
    /// The output location of each colour attachment; where nothing is said, its number.
    pub locations: &'d [u32],
    /// Format of the depth plane.
    pub depth: Option<&'static Format>,
    /// Whether there is a stencil plane.
    pub stencil: bool,
    /// The inputs that vertices give, in the order of the primitive's data.
    pub varyings: &'d [Input],
}

impl FragmentDesc<'_> {
    /// Whether the shader runs once a sample.
    pub(crate) fn per_sample(&self, shader: Option<&dyn Shader>) -> bool {
        let Some(shader) = shader else { return false };
        let rate = self.multisample.sample_shading.unwrap_or(0.0);
        self.multisample.samples > 1
            && (shader.interface().sample_shading || rate * self.multisample.samples as f32 > 1.0)
    }
}

/// One sample a turn of the loop is about.
#[derive(Clone, Copy)]
struct Slot {
    /// Covered lanes.
    mask: Value,
    /// Added to the address of the block's words in a one-word attachment: `S64`.
    plane: PlaneOffset,
    place: Place,
}

/// Which plane of an attachment a sample is in.
#[derive(Clone, Copy)]
enum PlaneOffset {
    /// A sample number.
    Fixed(u32),
    /// A sample number as `S64`.
    Varying(Value),
}

/// The values of one turn of the loop.
struct Turn {
    args: Value,
    /// Address of the block's record.
    record: Value,
    /// Byte offset of the lanes in vectors of sixteen words: `S64`.
    lane_offset: Value,
    /// Number of the sample, where the kernel runs once a sample: `S32`.
    sample_id: Option<Value>,
    slots: SmallVec<[Slot; 8]>,
    /// Byte offset of the lanes' words in a plane: `S64`.
    offset: Value,
    front: Value,
}

/// Builds the kernel; without a shader it only tests depth and stencil.
///
/// # Errors
/// What is wrong with the shader.
pub fn build(shader: Option<&dyn Shader>, desc: &FragmentDesc<'_>, width: u32) -> Result<Func, SpirvError> {
    let (mut func, ctx, args) = kernel("fragment", width);
    let mut builder = Builder::new(&mut func, BlockId(0));
    let b = &mut builder;
    let per_sample = desc.per_sample(shader);
    let samples = desc.multisample.samples;
    let halves = 16 / width;
    let rounds = halves * if per_sample { samples } else { 1 };

    let blocks = b.lload(args, at(offset_of!(FragmentArgs, blocks)));
    let count = b.sload(args, at(offset_of!(FragmentArgs, count)));
    let rounds_value = b.sconst(i64::from(rounds));
    let total = b.smul(count, rounds_value);
    let (zero, none) = (b.sconst(0), b.vconst(0));
    let (head, params) = b.add_block(&[Type::S32, Type::V, Type::V]);
    let (next, next_params) = b.add_block(&[Type::V, Type::V]);
    let (end, _) = b.add_block(&[]);
    b.jump(head, &[zero, none, none]);

    b.switch_to(head);
    let (n, passed, invoked) = (params[0], params[1], params[2]);
    let skip = (next, [passed, invoked]);
    let by_rounds = b.sconst(i64::from(rounds.trailing_zeros()));
    let record_index = b.sshr(n, by_rounds);
    b.sstore(args, n, at(offset_of!(FragmentArgs, done)));
    let record = element(b, blocks, record_index, size_of::<BlockRecord>());
    let mut turn = begin_turn(b, desc, args, record, n, per_sample);
    let covered = any(b, &turn.slots);
    skip_unless(b, covered, skip);
    let io = prepare_inputs(b, desc, &mut turn);
    let counts = run_turn(b, shader, desc, ctx, turn, io, skip)?;
    let (passed, invoked) = if desc.key.count {
        (b.vadd(passed, counts[0]), b.vadd(invoked, counts[1]))
    } else {
        (passed, invoked)
    };
    b.jump(next, &[passed, invoked]);

    b.switch_to(next);
    let one = b.sconst(1);
    let following = b.sadd(n, one);
    let more = b.slt_u(following, total);
    b.branch(
        more,
        (head, &[following, next_params[0], next_params[1]]),
        (end, &[]),
    );
    b.switch_to(end);
    if desc.key.count {
        add_to(b, args, offset_of!(FragmentArgs, samples_passed), next_params[0]);
        add_to(b, args, offset_of!(FragmentArgs, invocations), next_params[1]);
    }
    let done = b.sconst(0);
    b.ret(done);
    Ok(func)
}

fn add_to(b: &mut Builder<'_>, args: Value, field: usize, value: Value) {
    let old = b.vload(args, at(field));
    let sum = b.vadd(old, value);
    b.vstore(args, sum, at(field));
}

/// Finds the lanes and samples of turn `n`.
fn begin_turn(
    b: &mut Builder<'_>,
    desc: &FragmentDesc<'_>,
    args: Value,
    record: Value,
    n: Value,
    per_sample: bool,
) -> Turn {
    let (samples, width) = (desc.multisample.samples, b.width());
    let sample_bits = if per_sample { samples.trailing_zeros() } else { 0 };
    // Half of the block (always 0 at sixteen lanes) and, innermost, the sample.
    let shift = b.sconst(i64::from(sample_bits));
    let half = b.sshr(n, shift);
    let ones = b.sconst(i64::from(16 / width - 1));
    let half = b.sand(half, ones);
    let half = b.lzext(half);
    let lane_bytes = b.lconst(i64::from(width) * 4);
    let lane_offset = b.lmul(half, lane_bytes);
    let mask_bytes = b.lconst(i64::from(width / 8));
    let mask_offset = b.lmul(half, mask_bytes);
    let coverage = b.ladd(record, mask_offset);
    let coverage_at = at(offset_of!(BlockRecord, coverage));
    let mut slots: SmallVec<[Slot; 8]> = SmallVec::new();
    let mut sample_id = None;
    if per_sample {
        let last = b.sconst(i64::from(samples - 1));
        let sample = b.sand(n, last);
        sample_id = Some(sample);
        let plane = b.lzext(sample);
        let masks = b.ladd(plane, plane);
        let masks = b.ladd(coverage, masks);
        let mask = b.mload_bits(masks, coverage_at);
        let mask = sample_mask(b, desc, mask, sample);
        let positions = element(b, args, sample, size_of::<[f32; 2]>());
        slots.push(Slot {
            mask,
            plane: PlaneOffset::Varying(plane),
            place: Place::Loaded(positions),
        });
    } else {
        for s in 0..samples {
            let mask = match desc.multisample.sample_mask >> s & 1 {
                0 => b.mconst(0),
                _ => b.mload_bits(coverage, coverage_at + 2 * i64::from(s)),
            };
            let place = if samples == 1 {
                Place::Center
            } else {
                Place::Sample(s)
            };
            slots.push(Slot {
                mask,
                plane: PlaneOffset::Fixed(s),
                place,
            });
        }
    }
    // The offset and the face follow in `prepare_inputs`, once it is known that something is covered.
    Turn {
        args,
        record,
        lane_offset,
        sample_id,
        slots,
        offset: lane_offset,
        front: lane_offset,
    }
}

/// Finds what inputs, tests and writes need.
fn prepare_inputs<'d>(b: &mut Builder<'_>, desc: &'d FragmentDesc<'_>, turn: &mut Turn) -> FragmentIo<'d> {
    let record = turn.record;
    let block_offset = b.sload(record, at(offset_of!(BlockRecord, offset)));
    let block_offset = b.lzext(block_offset);
    turn.offset = b.ladd(block_offset, turn.lane_offset);
    let lanes = b.ladd(turn.args, turn.lane_offset);
    let position = |b: &mut Builder<'_>, lane: usize, axis: usize| {
        let lane = b.vload(lanes, at(lane));
        let block = b.vload_splat(record, at(offset_of!(BlockRecord, position) + 4 * axis));
        let pixel = b.vadd(block, lane);
        b.itof(pixel)
    };
    let x = position(b, offset_of!(FragmentArgs, lane_x), 0);
    let y = position(b, offset_of!(FragmentArgs, lane_y), 1);
    let primitive = b.lload(record, at(offset_of!(BlockRecord, primitive)));
    let front = b.sload(primitive, 4 * i64::from(primitive_word::FRONT));
    let zero = b.sconst(0);
    turn.front = b.sne(front, zero);
    let place = if turn.sample_id.is_some() {
        turn.slots[0].place
    } else {
        Place::Center
    };
    let masks = turn.slots.iter().map(|slot| slot.mask).collect();
    let base = InputBase {
        args: turn.args,
        primitive,
        corner: [x, y],
        front: turn.front,
        place,
    };
    FragmentIo::new(b, desc.varyings, base, masks, turn.sample_id)
}

/// Takes a sample that the sample mask excludes out; the sample number is an `S32`.
fn sample_mask(b: &mut Builder<'_>, desc: &FragmentDesc<'_>, mask: Value, sample: Value) -> Value {
    let all = (1 << desc.multisample.samples) - 1;
    if desc.multisample.sample_mask & all == all {
        return mask;
    }
    let bits = b.sconst(i64::from(desc.multisample.sample_mask));
    let bit = b.sshr(bits, sample);
    let one = b.sconst(1);
    let bit = b.sand(bit, one);
    let bit = b.vsplat(bit);
    let none = b.vconst(0);
    let on = b.vne(bit, none);
    b.mand(mask, on)
}

fn any(b: &mut Builder<'_>, slots: &[Slot]) -> Value {
    let mut all = slots[0].mask;
    for slot in &slots[1..] {
        all = b.mor(all, slot.mask);
    }
    all
}

/// Goes on only if some lane of the mask is on.
fn skip_unless(b: &mut Builder<'_>, mask: Value, skip: (BlockId, [Value; 2])) {
    let on = b.many(mask);
    let (go_on, _) = b.add_block(&[]);
    b.branch(on, (go_on, &[]), (skip.0, &skip.1));
    b.switch_to(go_on);
}

/// Tests, shades and writes; gives what is to be added to the two counters.
fn run_turn(
    b: &mut Builder<'_>,
    shader: Option<&dyn Shader>,
    desc: &FragmentDesc<'_>,
    ctx: Value,
    mut turn: Turn,
    mut io: FragmentIo<'_>,
    skip: (BlockId, [Value; 2]),
) -> Result<[Value; 2], SpirvError> {
    let early = tests_early(shader, desc);
    if early {
        run_tests(b, desc, &mut turn, &io, [None; 2]);
    }
    let mut invocations = b.vconst(0);
    if let Some(shader) = shader {
        let coverage = any(b, &turn.slots);
        if early && !desc.key.tests.is_empty() {
            skip_unless(b, coverage, skip);
        }
        invocations = mask_to_int(b, coverage);
        let exec = if shader.interface().uses_derivatives {
            whole_quads(b, coverage)
        } else {
            coverage
        };
        let bits = b.mbits(coverage);
        b.sstore(turn.args, bits, at(offset_of!(FragmentArgs, covered)));
        super::refuel(b, shader, ctx);
        io.set_masks(turn.slots.iter().map(|slot| slot.mask));
        let outputs = shader.emit(&mut io, b, Start { ctx, exec, coverage })?;
        apply_outputs(b, desc, &mut turn, &io, &outputs);
        if !early {
            let written = [BuiltIn::FragDepth, BuiltIn::FragStencilRefEXT]
                .map(|builtin| find(&outputs, OutputSlot::BuiltIn(builtin, 0)));
            run_tests(b, desc, &mut turn, &io, written);
        }
        let colors = Colors::new(b, desc, &outputs);
        for slot in &turn.slots {
            colors.write(b, desc, &turn, slot);
        }
    }
    let mut passed = b.vconst(0);
    if desc.key.count {
        for slot in &turn.slots {
            let one = mask_to_int(b, slot.mask);
            passed = b.vadd(passed, one);
        }
    }
    Ok([passed, invocations])
}

/// Whether tests may come before the shader: it does not change coverage, depth or stencil reference nor has effects that a failing test
/// should have prevented, or it says so itself.
fn tests_early(shader: Option<&dyn Shader>, desc: &FragmentDesc<'_>) -> bool {
    let Some(shader) = shader else { return true };
    let interface = shader.interface();
    let changes_coverage = interface.uses_discard
        || interface.depth_replacing
        || interface
            .output_builtins
            .iter()
            .any(|(builtin, _)| matches!(builtin, BuiltIn::SampleMask | BuiltIn::FragStencilRefEXT))
        || desc.multisample.alpha_to_coverage;
    interface.early_fragment_tests || !(changes_coverage || interface.writes_memory)
}

fn find(outputs: &Outputs, slot: OutputSlot) -> Option<Value> {
    outputs
        .values
        .iter()
        .find(|output| output.slot == slot)
        .map(|output| output.value)
}

/// Depth and stencil tests of every sample; `written` are the shader's depth and stencil reference.
fn run_tests(
    b: &mut Builder<'_>,
    desc: &FragmentDesc<'_>,
    turn: &mut Turn,
    io: &FragmentIo<'_>,
    written: [Option<Value>; 2],
) {
    let tests = &desc.key.tests;
    if tests.is_empty() {
        return;
    }
    let base = |b: &mut Builder<'_>, field: usize| b.lload(turn.args, at(field));
    let depth_base = desc
        .depth
        .map(|format| (base(b, offset_of!(FragmentArgs, depth)), format));
    let stencil_base = desc.stencil.then(|| base(b, offset_of!(FragmentArgs, stencil)));
    for i in 0..turn.slots.len() {
        let slot = turn.slots[i];
        let depth = match written[0] {
            Some(depth) => depth,
            None => io.depth_at(b, slot.place),
        };
        let depth = if desc.depth_clamp {
            clamp_depth(b, turn.args, depth)
        } else {
            depth
        };
        let planes = Planes {
            depth: depth_base.map(|(base, format)| (plane_address(b, turn, base, &slot, 1), format)),
            stencil: stencil_base.map(|base| plane_address(b, turn, base, &slot, 1)),
        };
        let fragment = depth::Fragment {
            front: turn.front,
            depth,
            reference: written[1],
        };
        turn.slots[i].mask = depth::test(b, tests, &planes, turn.args, &fragment, slot.mask);
    }
}

fn clamp_depth(b: &mut Builder<'_>, args: Value, depth: Value) -> Value {
    let range = at(offset_of!(FragmentArgs, depth_range));
    let (low, high) = (b.vload_splat(args, range), b.vload_splat(args, range + 4));
    let depth = b.fmax(depth, low);
    b.fmin(depth, high)
}

/// Address of the lanes' first words in an attachment of `words` words a texel.
fn plane_address(b: &mut Builder<'_>, turn: &Turn, base: Value, slot: &Slot, words: usize) -> Value {
    let address = b.ladd(base, turn.offset);
    let bytes = TILE_PLANE_BYTES as i64 * words as i64;
    match slot.plane {
        PlaneOffset::Fixed(0) => address,
        PlaneOffset::Fixed(sample) => b.ladd_imm(address, bytes * i64::from(sample)),
        PlaneOffset::Varying(sample) => {
            let bytes = b.lconst(bytes);
            let offset = b.lmul(sample, bytes);
            b.ladd(address, offset)
        }
    }
}

/// Takes what the shader discarded, its sample mask and alpha-to-coverage into the masks.
fn apply_outputs(
    b: &mut Builder<'_>,
    desc: &FragmentDesc<'_>,
    turn: &mut Turn,
    io: &FragmentIo<'_>,
    outputs: &Outputs,
) {
    let written_mask = find(outputs, OutputSlot::BuiltIn(BuiltIn::SampleMask, 0));
    let alpha = find(
        outputs,
        OutputSlot::Location {
            location: 0,
            component: 3,
            index: 0,
        },
    );
    let alpha = if desc.multisample.alpha_to_coverage {
        alpha
    } else {
        None
    };
    let samples = desc.multisample.samples as f32;
    for (i, slot) in turn.slots.iter_mut().enumerate() {
        slot.mask = b.mand(slot.mask, outputs.coverage);
        let number = match io.sample_id() {
            Some(sample) => b.vsplat(sample),
            None => b.vconst(i as i64),
        };
        if let Some(bits) = written_mask {
            let bit = b.vshr(bits, number);
            let (one, none) = (b.vconst(1), b.vconst(0));
            let bit = b.vand(bit, one);
            let on = b.vne(bit, none);
            slot.mask = b.mand(slot.mask, on);
        }
        if let Some(alpha) = alpha {
            // Sample s of N is covered from an alpha of (s + 1/2) / N on.
            let number = b.utof(number);
            let (half, factor) = (b.fconst(0.5), b.fconst(1.0 / samples));
            let threshold = b.fadd(number, half);
            let threshold = b.fmul(threshold, factor);
            let on = b.fle(threshold, alpha);
            slot.mask = b.mand(slot.mask, on);
        }
    }
}

/// What the shader gives each colour attachment.
struct Colors {
    sources: SmallVec<[Option<[[Value; 4]; 2]>; 8]>,
}

impl Colors {
    fn new(b: &mut Builder<'_>, desc: &FragmentDesc<'_>, outputs: &Outputs) -> Colors {
        let source = |b: &mut Builder<'_>, location: u32, index: u32| {
            let find = |component| {
                find(
                    outputs,
                    OutputSlot::Location {
                        location,
                        component,
                        index,
                    },
                )
            };
            let found = [0, 1, 2, 3].map(find);
            found
                .iter()
                .any(Option::is_some)
                .then(|| found.map(|v| v.unwrap_or_else(|| b.vconst(0))))
        };
        let sources = desc.colors.iter().enumerate().map(|(attachment, format)| {
            (*format).filter(|_| desc.key.masked >> attachment & 1 == 0)?;
            let location = desc.locations.get(attachment).copied();
            let location = location.unwrap_or(attachment as u32);
            let mut first = source(b, location, 0)?;
            if desc.multisample.alpha_to_one {
                first[3] = b.fconst(1.0);
            }
            let second = source(b, location, 1).unwrap_or(first);
            Some([first, second])
        });
        Colors {
            sources: sources.collect(),
        }
    }

    fn write(&self, b: &mut Builder<'_>, desc: &FragmentDesc<'_>, turn: &Turn, slot: &Slot) {
        let unblended = BlendDesc::default();
        for (i, source) in self.sources.iter().enumerate() {
            let (Some([source, source1]), Some(format)) = (*source, desc.colors[i]) else {
                continue;
            };
            let blend = desc.blend.get(i).unwrap_or(&unblended);
            let base = b.lload(turn.args, at(offset_of!(FragmentArgs, colors) + 8 * i));
            let address = plane_address(b, turn, base, slot, codec::texel_words(format));
            let color = ColorWrite {
                format,
                blend,
                logic_op: desc.logic_op,
                source,
                source1,
            };
            blend::write(b, turn.args, &color, address, slot.mask);
        }
    }
}
