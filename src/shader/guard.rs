//! Guards: checks of device addresses before they are used.
//!
//! The process's own memory lies beside the device's window and could be read and written like it, so every
//! address that a shader or a descriptor names is checked.
//!
//! - *Pages* (the default): an address must lie in the device's window. What is not there inside it traps.
//! - *Exact*: the bytes must lie in a buffer (in an allocation, where a descriptor names them). Nothing traps.
//!
//! The operations (`guard.*`, `l.device` of the IR) have a short way for what is right, made of comparisons with
//! [`Guards`]; all else goes to [`miss`], which looks at the table of live memory, and is the same for the
//! interpreter and for machine code: the lowest byte of the lowest lane of the first component that is not there.
//! A descriptor's address that does not lie in the window is replaced by one that traps wherever it is used, so
//! that descriptors can be loaded before it is known whether they will be; what it was is noted. Bytes that are no
//! descriptor (`l.descriptor`) are replaced likewise.
#![forbid(unsafe_code)]

use super::abi::{
    ALLOCATION_SHIFT, ALLOCATION_SLOTS, AllocationSlot, CALL_ARGS, Context, GuardMiss, Guards, LIVE_SLOTS,
    LiveSlot, NO_DESCRIPTOR, RoutineArgs, SET_SHIFT, SPANS, STAND_IN, allocation_slot, keeps_no_allocations,
};
use super::codegen::entry::{self, Trap};
use crate::descriptor::{BufferDescriptor, ImageDescriptor, KIND_MARK, TexelBufferDescriptor};
use crate::exec::Problem;
use crate::memory::live::{self, Span};
use crate::memory::{Memory, POISONS, raw};
use crate::shader::ir::NO_ORIGIN;
use std::mem::offset_of;

mod masked;

pub use masked::{masked, masked_trap, take_masked};

/// Which guards are compiled.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Mode {
    /// None.
    Off,
    /// Comparisons with the window; page protection does the rest.
    #[default]
    Pages,
    /// Checks of each access against the memory that is there.
    Exact,
}

impl Mode {
    /// Its word in the configuration.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Mode::Off => "off",
            Mode::Pages => "trap",
            Mode::Exact => "check",
        }
    }
}

/// What an access does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Kind {
    Read,
    Write,
    Atomic,
}

/// The immediate of a guard: which bytes behind an address are about to be accessed, and how.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Guard {
    /// What the access does.
    pub kind: Kind,
    /// Whether it is checked exactly.
    pub exact: bool,
    /// Whether the address is the shader's own, not one of a descriptor.
    pub pointer: bool,
    /// Bytes of a component: 1, 2, 4 or 8.
    pub size: u8,
    /// Components.
    pub count: u8,
    /// Bytes from one component to the next.
    pub stride: u16,
    /// Bytes from the address to the first component.
    pub disp: u32,
    /// Entry of [`Guards::live`].
    pub slot: u8,
    /// Whether it tells of accesses that robustness makes harmless, rather than of those that are not right.
    pub masked: bool,
    /// Whether it is the bytes of a descriptor that are read: those of pushed sets are the process's own.
    pub set: bool,
}

/// What the low bits of an immediate are for masked accesses: the kind is where others have their slot.
const MASKED: u64 = 3;
/// The kind of such a one for the bytes of descriptors.
const SET: u8 = 3;

impl Guard {
    /// A guard for `count` components; given out by slots later on.
    #[must_use]
    pub fn new(kind: Kind, pointer: bool, size: u32, count: u32, stride: u32, disp: u32) -> Guard {
        Guard {
            kind,
            exact: false,
            pointer,
            size: size.clamp(1, 8) as u8,
            count: count.clamp(1, u32::from(Guard::MAX_COUNT)) as u8,
            stride: stride.min(u32::from(u16::MAX)) as u16,
            disp,
            slot: 0,
            masked: false,
            set: false,
        }
    }

    /// A guard for the bytes of a descriptor.
    #[must_use]
    pub fn set(disp: u32) -> Guard {
        Guard {
            set: true,
            ..Guard::new(Kind::Read, false, 4, 1, 4, disp)
        }
    }

    /// A guard that tells of masked accesses of such components.
    #[must_use]
    pub fn masked(kind: Kind, size: u32, count: u32, stride: u32, disp: u32) -> Guard {
        Guard {
            masked: true,
            ..Guard::new(kind, false, size, count, stride, disp)
        }
    }

    /// A guard that tells of masked accesses to so many bytes at once.
    #[must_use]
    pub fn masked_bytes(kind: Kind, bytes: u32) -> Guard {
        let size = 1 << bytes.trailing_zeros().min(3);
        Guard::masked(kind, size, bytes / size, size, 0)
    }

    /// Most components of a guard.
    pub const MAX_COUNT: u8 = 31;
    /// Largest distance between components.
    pub const MAX_STRIDE: u32 = u16::MAX as u32;

    /// As an immediate.
    #[must_use]
    pub fn encode(self) -> i64 {
        let (low, slot) = match (self.set, self.masked) {
            (true, _) => (MASKED, SET),
            (_, true) => (MASKED, self.kind as u8),
            _ => (self.kind as u64, self.slot),
        };
        let bits = low
            | u64::from(self.exact) << 2
            | u64::from(self.pointer) << 3
            | u64::from(self.size.trailing_zeros() & 3) << 4
            | u64::from(slot & 31) << 6
            | u64::from(self.count & 31) << 11
            | u64::from(self.stride) << 16
            | u64::from(self.disp) << 32;
        bits.cast_signed()
    }

    /// From an immediate; every number is one.
    #[must_use]
    pub fn decode(imm: i64) -> Guard {
        let bits = imm.cast_unsigned();
        let slot = (bits >> 6 & 31) as u8;
        let other = bits & 3 == MASKED;
        let set = other && slot == SET;
        Guard {
            kind: match if other { u64::from(slot) & 3 } else { bits & 3 } {
                _ if set => Kind::Read,
                0 => Kind::Read,
                1 => Kind::Write,
                _ => Kind::Atomic,
            },
            masked: other && !set,
            set,
            exact: bits >> 2 & 1 != 0,
            pointer: bits >> 3 & 1 != 0,
            size: 1 << (bits >> 4 & 3),
            slot: if other { 0 } else { slot },
            count: (bits >> 11 & 31) as u8,
            stride: (bits >> 16) as u16,
            disp: (bits >> 32) as u32,
        }
    }

    /// Bytes from the first to the last, the displacement left out.
    #[must_use]
    pub fn span(self) -> u32 {
        u32::from(self.count.max(1) - 1) * u32::from(self.stride) + u32::from(self.size)
    }

    /// Index of the least entry of [`SPANS`] that is no less than the span.
    #[must_use]
    pub fn span_class(self) -> Option<usize> {
        SPANS.iter().position(|&span| span >= self.span())
    }

    /// See [`allocation_slot`].
    #[must_use]
    pub fn allocation_shift(self) -> u32 {
        if self.set { SET_SHIFT } else { ALLOCATION_SHIFT }
    }

    /// Whether the address must be a multiple of the size. Offsets into buffers are by their layout.
    #[must_use]
    pub fn aligned(self) -> bool {
        self.pointer && self.kind == Kind::Atomic
    }
}

/// Slot of [`Guards::poison`] for images and texel buffers.
pub const IMAGE_SLOT: i64 = POISONS as i64 - 1;
/// Slot for sets that are not bound.
const SET_SLOT: usize = POISONS as usize - 2;

/// Slots for buffers: one a descriptor, as far as there are that many.
#[must_use]
pub fn poison_slot(set: u32, binding: u32) -> i64 {
    i64::from(set.wrapping_mul(31).wrapping_add(binding)) % SET_SLOT as i64
}

/// Makes a context check against a device's memory.
pub fn attach(ctx: &mut Context, memory: &Memory) {
    let guards = &mut ctx.guards;
    let (window, shared) = memory.windows();
    (guards.shared_base, guards.shared_usable) = shared.map_or((0, 0), |w| (w.base(), w.usable()));
    (guards.imported_base, guards.imported_size) = live::imported_hull();
    guards.base = window.base();
    guards.usable = window.usable();
    guards.high = [(window.base() >> 32) as u32; 16];
    guards.high_mask = [(!(window.size() - 1) >> 32) as u32; 16];
    guards.poison = std::array::from_fn(|slot| window.poison(slot as u64));
}

/// Readies a context, whose sets are bound, for work that uses the first `sets` of them: those that are not there trap,
/// and what was known to be live is forgotten if anything has changed since.
pub fn refresh(ctx: &mut Context, sets: usize) {
    ctx.guards.progress = 0;
    ctx.guards.progress_of = [0; 2];
    masked::clear(ctx);
    let stand_in = ctx.guards.poison[SET_SLOT];
    for set in ctx.sets.iter_mut().take(sets).filter(|set| **set == 0) {
        *set = stand_in;
    }
    let generation = live::generation();
    if ctx.guards.generation != generation {
        ctx.guards.generation = generation;
        (ctx.guards.imported_base, ctx.guards.imported_size) = live::imported_hull();
        ctx.guards.live = [LiveSlot::default(); LIVE_SLOTS];
        if std::mem::take(&mut ctx.guards.allocations_known) != 0 {
            let bytes = ALLOCATION_SLOTS * size_of::<AllocationSlot>();
            raw::fill(ctx.guards.allocations, 0, bytes);
        }
    }
}

/// The parts of a context's [`Guards`] that say what is right.
#[derive(Clone, Copy)]
struct Bounds {
    base: u64,
    usable: u64,
    shared_base: u64,
    shared_usable: u64,
    poison: [u64; POISONS as usize],
    bad: [u64; POISONS as usize],
}

fn field(ctx: u64, offset: usize) -> u64 {
    ctx + (offset_of!(Context, guards) + offset) as u64
}

impl Bounds {
    fn of(ctx: u64) -> Bounds {
        Bounds {
            base: raw::load(field(ctx, offset_of!(Guards, base))),
            usable: raw::load(field(ctx, offset_of!(Guards, usable))),
            shared_base: raw::load(field(ctx, offset_of!(Guards, shared_base))),
            shared_usable: raw::load(field(ctx, offset_of!(Guards, shared_usable))),
            poison: raw::load(field(ctx, offset_of!(Guards, poison))),
            bad: raw::load(field(ctx, offset_of!(Guards, bad))),
        }
    }

    fn hold(&self, address: u64) -> bool {
        address.wrapping_sub(self.base) < self.usable
            || address.wrapping_sub(self.shared_base) < self.shared_usable
            || live::is_imported(address)
    }

    /// The address for which one at the end of the window stands.
    fn original(&self, address: u64) -> Option<u64> {
        if self.hold(address) {
            return None;
        }
        let distance = |poison: u64| address.wrapping_sub(poison).cast_signed();
        let slot = self
            .poison
            .iter()
            .position(|&poison| poison != 0 && (-(1 << 31)..1 << 31).contains(&distance(poison)))?;
        let bad = self.bad[slot];
        Some(no_descriptor(bad).unwrap_or_else(|| bad.wrapping_add_signed(distance(self.poison[slot]))))
    }
}

/// The address a descriptor gives, or one that traps: `l.device`.
#[must_use]
pub fn device_address(ctx: u64, address: u64, slot: i64) -> u64 {
    let bounds = Bounds::of(ctx);
    if bounds.hold(address) {
        return address;
    }
    let slot = slot.cast_unsigned() as usize % POISONS as usize;
    raw::store(field(ctx, offset_of!(Guards, bad)) + 8 * slot as u64, address);
    bounds.poison[slot]
}

/// What `l.descriptor` expects.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(i64)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Form {
    Buffer,
    Image,
    TexelBuffer,
}

impl Form {
    /// As an immediate, with the slot of [`Guards::stand_ins`].
    #[must_use]
    pub fn encode(self, slot: i64) -> i64 {
        (self as i64) << 8 | slot
    }

    /// From an immediate; every number is one.
    #[must_use]
    pub fn decode(imm: i64) -> (Form, usize) {
        let form = match imm >> 8 {
            0 => Form::Buffer,
            1 => Form::Image,
            _ => Form::TexelBuffer,
        };
        (form, (imm & 0xff) as usize % POISONS as usize)
    }

    /// What the high half of that tells it by: the whole of it for a buffer, else its high 16 bits.
    #[must_use]
    pub fn mark(self) -> i32 {
        match self {
            Form::Buffer => BufferDescriptor::MARK.cast_signed(),
            Form::Image | Form::TexelBuffer => (KIND_MARK >> 48) as i32,
        }
    }

    /// Where a descriptor has its kind (a buffer its range and mark).
    #[must_use]
    pub fn kind_at(self) -> usize {
        match self {
            Form::Buffer => offset_of!(BufferDescriptor, range),
            Form::Image => offset_of!(ImageDescriptor, kind),
            Form::TexelBuffer => offset_of!(TexelBufferDescriptor, kind),
        }
    }
}

/// Where the descriptor at an address, whose first words these are, is to be read: there, or from one that traps:
/// `l.descriptor`.
#[must_use]
pub fn descriptor_at(ctx: u64, at: u64, words: [u64; 2], imm: i64) -> u64 {
    let (form, slot) = Form::decode(imm);
    let right = match form {
        Form::Buffer => bytemuck::cast::<_, BufferDescriptor>(words).is_right(),
        Form::Image | Form::TexelBuffer => {
            let kind = match form {
                Form::TexelBuffer => raw::load(at + form.kind_at() as u64),
                _ => words[1],
            };
            kind == 0 || kind >> 48 == KIND_MARK >> 48
        }
    };
    if right {
        return at;
    }
    let size = size_of::<[u64; 8]>();
    let place = field(ctx, offset_of!(Guards, stand_ins)) + (slot * size) as u64;
    let [range, extents, levels] = STAND_IN;
    raw::store(place, [at | NO_DESCRIPTOR, range, extents, levels]);
    place
}

/// The address of the bytes that should have been a descriptor, if that is what an address says.
fn no_descriptor(address: u64) -> Option<u64> {
    (address >> 48 == NO_DESCRIPTOR >> 48).then_some(address & !NO_DESCRIPTOR)
}

/// What a trap at this address is about: the address that was meant, and what is wrong with it.
#[must_use]
pub fn explain(ctx: u64, address: u64) -> (u64, Problem) {
    let Some(window) = live::window(address) else {
        return (address, outside(address));
    };
    // Only a context of a device with this window leads here.
    if address - window.first >= (window.end - window.first) / 2
        && let Some(original) = Bounds::of(ctx).original(address)
    {
        return (original, Problem::Descriptor);
    }
    (address, Problem::Unmapped)
}

/// What is wrong with an address outside of all windows.
fn outside(address: u64) -> Problem {
    match address {
        ..4096 => Problem::Null,
        4096..0x8000_0000_0000 => Problem::OutsideWindow,
        0xffff_8000_0000_0000.. => Problem::OutsideWindow,
        _ => Problem::NonCanonical,
    }
}

/// The first byte of an access that no span found by `live` has.
fn first_missing(address: u64, size: u64, live: impl Fn(u64) -> Option<Span>) -> Option<u64> {
    let mut at = address;
    let mut left = size;
    while left > 0 {
        let Some(span) = live(at) else { return Some(at) };
        let has = (span.end - at).min(left);
        (at, left) = (at.wrapping_add(has), left - has);
    }
    None
}

/// The first byte of an access by compiled code or the interpreter that page protection would refuse.
#[must_use]
pub fn first_unmapped(address: u64, size: u64) -> Option<u64> {
    first_missing(address, size, live::pages)
}

/// What is wrong with an access: address of the first byte at fault, and why.
fn fault(guard: Guard, bounds: &Bounds, address: u64, size: u64) -> Option<(u64, Problem)> {
    if !bounds.hold(address) {
        if guard.set && bounds.original(address).is_none() {
            return None;
        }
        return Some(match bounds.original(address).filter(|_| !guard.pointer) {
            Some(original) => (original, Problem::Descriptor),
            None if !guard.pointer => (address, Problem::Descriptor),
            None if live::window(address).is_some() => (address, Problem::Unmapped),
            None => (address, outside(address)),
        });
    }
    if !guard.exact {
        // As page protection would refuse it.
        return first_unmapped(address, size).map(|at| (at, Problem::Unmapped));
    }
    let (reads, writes) = (guard.kind != Kind::Write, guard.kind != Kind::Read);
    if let Some(at) = live::watched(address, size, reads, writes) {
        return Some((at, Problem::Watched));
    }
    let missing = if guard.pointer {
        match live::buffer(address, size) {
            Some(span) if span.holds(address, size) => None,
            Some(span) => Some(span.end),
            None => Some(address),
        }
    } else {
        first_missing(address, size, live::allocation)
    };
    missing.map(|at| {
        let problem = if live::allocation(at).is_some() {
            Problem::BeyondBuffer
        } else if live::pages(at).is_some() {
            Problem::BeyondAllocation
        } else {
            Problem::Unmapped
        };
        (at, problem)
    })
}

/// Addresses of an access, one a lane that is on.
pub struct Lanes {
    /// By lane.
    pub address: [u64; 16],
    /// Lanes that are on.
    pub mask: u64,
    /// Whether 64 bits are accessed at once; else by halves.
    pub whole: bool,
    /// The address that all of them are relative to, if there is one.
    pub base: Option<u64>,
}

/// Decides a guard; `None` if all is well.
#[must_use]
pub fn check(ctx: u64, guard: Guard, lanes: &Lanes) -> Option<Trap> {
    let bounds = Bounds::of(ctx);
    if bounds.usable == u64::MAX {
        // No device: nothing is known of memory.
        return None;
    }
    let passes = |lane: u32| {
        let at = lanes.address[lane as usize];
        bounds.hold(at)
            && !(guard.aligned()
                && !at
                    .wrapping_add(guard.disp.into())
                    .is_multiple_of(guard.size.into()))
    };
    let on = || (0..16_u32).filter(|lane| lanes.mask >> lane & 1 != 0);
    if !guard.exact && on().all(passes) {
        return None;
    }
    let (size, halves) = match guard.size {
        8 if !lanes.whole => (4, 2),
        size => (size, 1),
    };
    let offsets = (0..u64::from(guard.count.max(1)))
        .flat_map(|i| (0..halves).map(move |half| i * u64::from(guard.stride) + 4 * half));
    for offset in offsets {
        for lane in on() {
            let at = lanes.address[lane as usize]
                .wrapping_add(u64::from(guard.disp))
                .wrapping_add(offset);
            let misaligned = guard.aligned() && !at.is_multiple_of(u64::from(size));
            let wrong = no_descriptor(lanes.address[lane as usize]).filter(|_| !guard.pointer);
            let found = if let Some(descriptor) = wrong {
                Some((descriptor, Problem::Descriptor))
            } else if misaligned && bounds.hold(at) {
                Some((at, Problem::Misaligned))
            } else {
                fault(guard, &bounds, at, size.into())
            };
            if let Some((address, problem)) = found {
                return Some(Trap {
                    address,
                    write: guard.kind != Kind::Read,
                    instruction: 0,
                    atomic: guard.kind == Kind::Atomic,
                    size: size.into(),
                    problem: Some(problem),
                    lane: Some(lane),
                    exact: guard.exact,
                    origin: NO_ORIGIN,
                    base: None,
                });
            }
        }
    }
    if !guard.exact {
        return None;
    }
    match (lanes.base.filter(|_| !guard.pointer), on().next()) {
        (Some(base), _) => remember_allocation(ctx, guard, base, guard.set && !bounds.hold(base)),
        (None, Some(lane)) => {
            let first = lanes.address[lane as usize].wrapping_add(u64::from(guard.disp));
            remember(ctx, guard, first);
        }
        (None, None) => {}
    }
    None
}

/// Notes what is live around the address of a descriptor, for the short way. A pushed set counts as live: nothing but
/// guards of sets ever has an address outside of the windows here.
fn remember_allocation(ctx: u64, guard: Guard, address: u64, pushed: bool) {
    let shift = guard.allocation_shift();
    let table: u64 = raw::load(field(ctx, offset_of!(Guards, allocations)));
    let around = || {
        let first = address >> shift << shift;
        Span {
            first,
            end: first + (1 << shift),
        }
    };
    let known = if pushed {
        Some(around())
    } else {
        live::allocation(address).filter(|span| !live::is_watched(*span))
    };
    let Some(span) = known.filter(|_| !keeps_no_allocations(table)) else {
        return;
    };
    let slot = AllocationSlot {
        first: span.first,
        size: span.end - span.first,
    };
    let at = allocation_slot(address, shift) * size_of::<AllocationSlot>();
    raw::store(table + at as u64, slot);
    raw::store(field(ctx, offset_of!(Guards, allocations_known)), 1u64);
}

/// Notes what is live around an address, for the short way.
fn remember(ctx: u64, guard: Guard, address: u64) {
    let span = if guard.pointer {
        live::buffer(address, guard.span().into())
    } else {
        live::allocation(address)
    };
    // What is watched always takes the long way.
    let Some(span) = span.filter(|span| !live::is_watched(*span)) else {
        return;
    };
    // High words are compared for equality, and sizes are of 32 bits.
    let chunk = address & !0xffff_ffff;
    let first = span.first.max(chunk);
    let end = span.end.min(chunk + 0xffff_ffff);
    let slot = LiveSlot {
        first,
        starts: SPANS.map(|size| (end - first + 1).saturating_sub(size.into())),
    };
    let at = field(ctx, offset_of!(Guards, live)) + u64::from(guard.slot) * size_of::<LiveSlot>() as u64;
    raw::store(at, slot);
}

/// Decides a call of a routine for descriptors that nothing can be made of, the sampler's or the image's; true if no
/// lane is on.
pub(super) fn refuse(ctx: u64, sampler: bool) -> bool {
    let frame = raw::load::<u64>(ctx + offset_of!(Context, call_frame) as u64);
    let at = |offset: usize| frame + (CALL_ARGS + offset) as u64;
    let mask = raw::load::<u32>(at(offset_of!(RoutineArgs, mask)));
    if mask == 0 {
        return true;
    }
    let descriptor = if sampler {
        offset_of!(RoutineArgs, sampler)
    } else {
        offset_of!(RoutineArgs, image)
    };
    entry::report(Trap {
        problem: Some(Problem::Descriptor),
        lane: Some(mask.trailing_zeros()),
        ..Trap::new(raw::load(at(descriptor)), false, 0)
    });
    false
}

/// Decides a guard of machine code whose short way did not do; true if all is well.
pub(super) fn miss(ctx: u64, record: u64) -> bool {
    let record = raw::load::<GuardMiss>(record);
    let guard = Guard::decode(record.guard);
    let lane = |i: usize| match record.form {
        GuardMiss::UNIFORM => record.address,
        GuardMiss::PAIRS => u64::from(record.low[i]) | u64::from(record.high[i]) << 32,
        _ => record
            .address
            .wrapping_add_signed(i64::from(record.low[i].cast_signed())),
    };
    let width = if record.wide != 0 { 16 } else { 8 };
    let mask = if record.wide != 0 {
        record.mask_bits & 0xffff
    } else {
        (0..8).map(|i| u64::from(record.mask[i] >> 31) << i).sum()
    };
    let lanes = Lanes {
        address: std::array::from_fn(|i| if i < width { lane(i) } else { 0 }),
        mask,
        whole: record.form == GuardMiss::UNIFORM && guard.kind == Kind::Read,
        base: (record.form != GuardMiss::PAIRS).then_some(record.address),
    };
    let found = if guard.masked {
        masked(ctx, guard, &lanes, record.instruction, NO_ORIGIN)
    } else {
        check(ctx, guard, &lanes)
    };
    match found {
        None => true,
        Some(trap) => {
            entry::report(Trap {
                instruction: record.instruction,
                ..trap
            });
            false
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::{Profile, Properties};
    use std::sync::Arc;

    #[test]
    fn guards_survive_encoding() {
        for kind in [Kind::Read, Kind::Write, Kind::Atomic] {
            for size in [1, 2, 4, 8] {
                let guard = Guard {
                    exact: size == 2,
                    slot: 31,
                    ..Guard::new(kind, size == 4, size, 4, 65535, u32::MAX)
                };
                assert_eq!(Guard::decode(guard.encode()), guard);
                let masked = Guard::masked(kind, size, 4, 65535, u32::MAX);
                assert_eq!(Guard::decode(masked.encode()), masked);
            }
        }
        let set = Guard {
            exact: true,
            ..Guard::set(96)
        };
        assert_eq!(Guard::decode(set.encode()), set);
        let spans = [1, 2, 3, 4, 6, 8, 12, 16].map(|n| Guard::masked_bytes(Kind::Read, n).span());
        assert_eq!(spans, [1, 2, 3, 4, 6, 8, 12, 16]);
        let guard = Guard::new(Kind::Read, true, 4, 4, 16, 0);
        assert_eq!((guard.span(), guard.span_class()), (52, Some(9)));
        assert_eq!(Guard::new(Kind::Read, true, 4, 4, 60000, 0).span_class(), None);
    }

    #[test]
    fn sets_side_by_side_do_not_take_each_others_place() {
        let table = crate::memory::AlignedBuf::new(ALLOCATION_SLOTS * size_of::<AllocationSlot>());
        let mut ctx = Context::default();
        ctx.guards.allocations = table.address();
        let at = &raw const ctx as u64;
        let sets = (0..16).map(|page| 0x1000_0000_0040 + page * 4096);
        for set in sets.clone() {
            remember_allocation(at, Guard::set(0), set, true);
        }
        for set in sets {
            let slot = allocation_slot(set, SET_SHIFT) * size_of::<AllocationSlot>();
            let slot: AllocationSlot = raw::load(table.address() + slot as u64);
            assert!(set.wrapping_sub(slot.first) < slot.size, "{set:#x}");
        }
    }

    #[test]
    fn addresses_that_must_not_be_used_are_named_as_they_were() {
        let properties = Properties::new(Profile::Discrete, 8 << 30);
        let memory = Memory::new(properties, Arc::default(), vec![]).unwrap();
        let (window, shared) = memory.windows();
        let mut ctx = Context::default();
        attach(&mut ctx, &memory);
        let at = &raw const ctx as u64;
        let captured = shared.unwrap().base() + 4096;
        assert_eq!(device_address(at, captured, 0), captured);
        let good = window.base() + 77;
        assert_eq!(device_address(at, good, 1), good);
        for bad in [0, 0x5555_0000_1230, u64::MAX - 3, window.base() - 1] {
            let stand_in = device_address(at, bad, 1);
            assert_eq!(
                explain(at, stand_in + 12),
                (bad.wrapping_add(12), Problem::Descriptor)
            );
            assert_eq!(first_unmapped(stand_in, 4), Some(stand_in));
        }
        assert_eq!(explain(at, good), (good, Problem::Unmapped));
        assert_eq!(explain(at, 64), (64, Problem::Null));
        assert_eq!(explain(at, 1 << 62), (1 << 62, Problem::NonCanonical));
    }
}
