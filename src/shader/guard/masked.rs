//! Accesses that robustness makes harmless, where a device wants to know of them.
//!
//! Kernels of such devices have `masked.*` beside each access that is kept in bounds. Where lanes are out of bounds they
//! come here: the access is noted in the context's table, to be taken after the call, or ends the kernel.

use super::{Guard, Kind, Lanes, field};
use crate::exec::Problem;
use crate::memory::{live, raw};
use crate::shader::abi::{Context, Guards, MASKED_ENTRIES, Masked, MaskedEntry, MaskedTable};
use crate::shader::codegen::entry::Trap;
use std::mem::offset_of;

/// Forgets the masked accesses of a context.
pub(super) fn clear(ctx: &Context) {
    let table = ctx.guards.masked_table;
    if table != 0 {
        raw::store(table + offset_of!(MaskedTable, count) as u64, 0u32);
    }
}

/// Tells of masked accesses at `instruction` (0 in the interpreter) of `origin`; a trap if they are to end the kernel.
/// What descriptors that name no memory are asked for is no fault: they read as zeros by design.
#[must_use]
pub fn masked(ctx: u64, guard: Guard, lanes: &Lanes, instruction: u64, origin: u32) -> Option<Trap> {
    let mode = raw::load::<u32>(field(ctx, offset_of!(Guards, masked)));
    let window =
        |base, usable| -> (u64, u64) { (raw::load(field(ctx, base)), raw::load(field(ctx, usable))) };
    let windows = [
        window(offset_of!(Guards, base), offset_of!(Guards, usable)),
        window(offset_of!(Guards, shared_base), offset_of!(Guards, shared_usable)),
    ];
    let holds = |address: u64| {
        windows
            .iter()
            .any(|&(base, usable)| address.wrapping_sub(base) < usable)
            || live::is_imported(address)
    };
    if mode == Masked::Ignore as u32 || lanes.base.is_some_and(|base| !holds(base)) {
        return None;
    }
    let lane = (0..16_u32)
        .filter(|lane| lanes.mask >> lane & 1 != 0)
        .find(|&lane| lanes.base.is_some() || holds(lanes.address[lane as usize]))?;
    let address = lanes.address[lane as usize].wrapping_add(guard.disp.into());
    let origin = if guard.pointer {
        raw::load(field(ctx, offset_of!(Guards, call_site)))
    } else {
        origin
    };
    if mode == Masked::Lose as u32 {
        return Some(masked_trap(&MaskedEntry {
            instruction,
            guard: guard.encode(),
            address,
            base: lanes.base.unwrap_or(0),
            origin,
            lane,
            ..MaskedEntry::default()
        }));
    }
    let progress: u64 = raw::load(field(ctx, offset_of!(Guards, progress)));
    let done: u32 = if progress == 0 { 0 } else { raw::load(progress) };
    let [width, samples] = raw::load::<[u32; 2]>(field(ctx, offset_of!(Guards, progress_of))).map(u64::from);
    let (far, by_lane) = (u64::from(done), u64::from(lane));
    let rank = match samples {
        0 => far + by_lane,
        _ => (far / samples * width + by_lane) * samples + far % samples,
    };
    note(
        raw::load(field(ctx, offset_of!(Guards, masked_table))),
        MaskedEntry {
            instruction,
            guard: guard.encode(),
            address,
            base: lanes.base.unwrap_or(0),
            origin,
            lane,
            done,
            order: 0,
            rank,
        },
    );
    None
}

/// The access that a note is of.
#[must_use]
pub fn masked_trap(entry: &MaskedEntry) -> Trap {
    let guard = Guard::decode(entry.guard);
    Trap {
        address: entry.address,
        write: guard.kind != Kind::Read,
        instruction: entry.instruction,
        atomic: guard.kind == Kind::Atomic,
        size: guard.span(),
        problem: Some(Problem::Masked),
        lane: Some(entry.lane),
        exact: true,
        origin: entry.origin,
        base: Some(entry.base).filter(|&base| base != 0),
    }
}

/// Notes a masked access; of those of a guard the first wave's lowest lane stays, however many lanes a wave has.
fn note(table: u64, entry: MaskedEntry) {
    if table == 0 {
        return;
    }
    let at = |offset: usize| table + offset as u64;
    let place = |i: usize| at(offset_of!(MaskedTable, entries) + i * size_of::<MaskedEntry>());
    let count = raw::load::<u32>(at(offset_of!(MaskedTable, count))) as usize;
    let order = raw::load::<u32>(at(offset_of!(MaskedTable, notes))).wrapping_add(1);
    let known = (0..count.min(MASKED_ENTRIES))
        .map(|i| (i, raw::load::<MaskedEntry>(place(i))))
        .find(|(_, known)| {
            (known.instruction, known.origin, known.guard) == (entry.instruction, entry.origin, entry.guard)
        });
    let i = match known {
        Some((_, known)) if known.rank <= entry.rank => return,
        Some((i, _)) => i,
        None if count >= MASKED_ENTRIES => return,
        None => {
            raw::store(at(offset_of!(MaskedTable, count)), count as u32 + 1);
            count
        }
    };
    raw::store(at(offset_of!(MaskedTable, notes)), order);
    raw::store(place(i), MaskedEntry { order, ..entry });
}

/// Takes the masked accesses of the latest call, in the order in which they were met.
#[must_use]
pub fn take_masked(ctx: &Context) -> Vec<MaskedEntry> {
    let table = ctx.guards.masked_table;
    if table == 0 {
        return Vec::new();
    }
    let count = raw::load::<u32>(table + offset_of!(MaskedTable, count) as u64) as usize;
    if count == 0 {
        return Vec::new();
    }
    let first = table + offset_of!(MaskedTable, entries) as u64;
    let mut entries: Vec<MaskedEntry> = (0..count.min(MASKED_ENTRIES))
        .map(|i| raw::load(first + (i * size_of::<MaskedEntry>()) as u64))
        .collect();
    clear(ctx);
    entries.sort_by_key(|entry| entry.order);
    entries
}
