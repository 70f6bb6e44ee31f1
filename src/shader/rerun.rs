//! Runs a faulting wave once more, in the interpreter, to find the lane, the instruction and the values of variables.
//!
//! The stage is translated anew, not optimised, with marks where named values are. Waves are 8 lanes wide whatever the
//! back end was, so that what is found does not depend on it. Stores to device memory go nowhere but into this run, and
//! its length is bounded.
#![forbid(unsafe_code)]

use super::abi::Status;
use super::codegen::entry::{self, Trap};
use super::interp::machine::{Machine, Stop};
use super::interp::{Frame, Overlay};
use super::ir::{Builder, Func};
use super::kernel::Target;
use super::passes;
use super::spirv::{Interface, Outputs, SpirvError, StageIo, Start, Watches, translate_watched};
use super::stage::{Shader, SpirvShader};
use parking_lot::Mutex;
use std::cell::RefCell;
use std::rc::Rc;

/// Lanes of the waves that are run.
pub const WIDTH: u32 = 8;
/// Turns of loops that a wave may take, where an endless loop is looked for.
pub const FUEL: i64 = 1 << 12;
/// Instructions that all waves together may take.
const MAX_STEPS: u64 = 1 << 25;
/// Memory for values that all waves together may take.
const MAX_BYTES: usize = 1 << 28;
/// Variables that are shown.
const MAX_SHOWN: usize = 64;

/// A shader whose translation is watched.
#[derive(Debug)]
pub struct WatchedShader {
    shader: SpirvShader,
    watches: Mutex<Watches>,
}

impl WatchedShader {
    /// A shader to be built into a kernel once.
    #[must_use]
    pub fn new(shader: SpirvShader) -> WatchedShader {
        WatchedShader {
            shader,
            watches: Mutex::default(),
        }
    }
}

impl Shader for WatchedShader {
    fn interface(&self) -> &Interface {
        self.shader.interface()
    }

    fn emit(&self, io: &mut dyn StageIo, b: &mut Builder<'_>, start: Start) -> Result<Outputs, SpirvError> {
        let (outputs, watches) = translate_watched(&self.shader.entry, &self.shader.layout, io, b, start)?;
        *self.watches.lock() = watches;
        Ok(outputs)
    }
}

/// A kernel to be run once more.
#[derive(Debug)]
pub struct DebugKernel {
    func: Func,
    needed: Vec<bool>,
    watches: Watches,
    shader: SpirvShader,
}

impl DebugKernel {
    /// What was built of a shader.
    #[must_use]
    pub fn new(mut func: Func, shader: WatchedShader, target: Target) -> DebugKernel {
        passes::choose_guards(&mut func, target.guards, target.masked);
        passes::give_guard_slots(&mut func);
        DebugKernel {
            needed: passes::needed_values(&func),
            func,
            watches: shader.watches.into_inner(),
            shader: shader.shader,
        }
    }

    /// Bytes of frame that each wave needs.
    #[must_use]
    pub fn frame_bytes(&self) -> u32 {
        self.func.frame_bytes
    }

    /// Whether this many waves can be run at once.
    #[must_use]
    pub fn fits(&self, waves: usize) -> bool {
        let bytes = self.func.types.len() * (size_of::<u64>() + 64) + self.func.frame_bytes as usize;
        bytes.saturating_mul(waves) <= MAX_BYTES
    }

    /// Name and value of each variable of a lane.
    fn show(&self, values: &Values, lane: usize) -> Vec<(String, String)> {
        let slots = values.slots.iter().enumerate();
        let seen = slots.filter(|(_, slot)| slot.lanes >> lane & 1 != 0);
        seen.filter_map(|(i, slot)| {
            let scalars: Vec<u64> = slot.scalars.iter().map(|lanes| lanes[lane]).collect();
            self.watches.show(&self.shader.entry, i, &scalars)
        })
        .take(MAX_SHOWN)
        .collect()
    }
}

/// What a run has found.
#[derive(Clone, Debug)]
pub struct Found {
    /// Origin of the instruction.
    pub origin: u32,
    /// The access, unless a loop was found to be endless.
    pub trap: Option<Trap>,
    /// Number of the wave.
    pub wave: usize,
    /// Its lane.
    pub lane: u32,
    /// Name and value of the lane's variables.
    pub variables: Vec<(String, String)>,
}

/// A named value, by lane.
#[derive(Clone, Debug, Default)]
struct Slot {
    /// Lanes that have it.
    lanes: u32,
    scalars: Vec<[u64; WIDTH as usize]>,
}

/// The named values of a wave.
#[derive(Debug, Default)]
struct Values {
    slots: Vec<Slot>,
    /// The lanes that run, as far as marks tell.
    running: u32,
}

impl Values {
    fn mark(&mut self, watches: &Watches, index: usize, frame: &Frame<'_>) {
        let Some(mark) = watches.marks.get(index) else {
            return;
        };
        let lanes = frame.mask(mark.lanes);
        self.running = lanes;
        let Some(slot) = mark.slot else { return };
        if self.slots.len() <= slot {
            self.slots.resize(slot + 1, Slot::default());
        }
        let slot = &mut self.slots[slot];
        slot.scalars.resize(mark.scalars.len(), [0; WIDTH as usize]);
        slot.lanes |= lanes;
        for (kept, &(low, high)) in slot.scalars.iter_mut().zip(&mark.scalars) {
            for lane in (0..WIDTH as usize).filter(|lane| lanes >> lane & 1 != 0) {
                kept[lane] = frame.word(low, lane) | frame.word(high, lane) << 32;
            }
        }
    }
}

/// A wave that is run once more.
#[derive(Debug)]
struct Wave<'k> {
    machine: Machine<'k>,
    values: Values,
    ended: bool,
}

/// Waves that are run once more, from barrier to barrier.
#[derive(Debug)]
pub struct Rerun<'k> {
    kernel: &'k DebugKernel,
    waves: Vec<Wave<'k>>,
    steps: u64,
}

impl<'k> Rerun<'k> {
    /// Waves with these arguments, in order.
    #[must_use]
    pub fn new(kernel: &'k DebugKernel, ctx: u64, args: &[u64]) -> Rerun<'k> {
        let overlay = Rc::new(RefCell::new(Overlay::default()));
        let wave = |&arg| Wave {
            machine: Machine::new(&kernel.func, ctx, arg).with_overlay(Rc::clone(&overlay)),
            values: Values::default(),
            ended: false,
        };
        Rerun {
            kernel,
            waves: args.iter().map(wave).collect(),
            steps: MAX_STEPS,
        }
    }

    /// Runs until a wave fails; `prepare` is told which wave is about to run, `stopped` gives origin and lanes of the
    /// loop at which one ran out of fuel. `None` if all end well or the run is too long.
    pub fn run(
        &mut self,
        mut prepare: impl FnMut(usize),
        mut stopped: impl FnMut() -> (u32, u32),
    ) -> Option<Found> {
        let kernel = self.kernel;
        while self.waves.iter().any(|wave| !wave.ended) {
            for (i, wave) in self.waves.iter_mut().enumerate().filter(|(_, wave)| !wave.ended) {
                prepare(i);
                let values = &mut wave.values;
                let stop = wave
                    .machine
                    .go_on(&mut self.steps, &kernel.needed, |mark, frame| {
                        values.mark(&kernel.watches, mark, frame);
                    });
                let (origin, trap, lane) = match stop {
                    Stop::Barrier => continue,
                    Stop::Spent => return None,
                    Stop::Ended(status) if status == Status::OutOfFuel as u32 => {
                        let (origin, lanes) = stopped();
                        (origin, None, lanes.trailing_zeros())
                    }
                    Stop::Ended(_) => {
                        wave.ended = true;
                        continue;
                    }
                    Stop::Fault(origin, lane) => {
                        let trap = entry::take_trap()?;
                        let lowest = wave.values.running.trailing_zeros();
                        let lane = trap.lane.or(lane).unwrap_or(lowest);
                        (origin, Some(trap), lane)
                    }
                };
                let lane = lane % WIDTH;
                return Some(Found {
                    origin,
                    trap,
                    wave: i,
                    lane,
                    variables: kernel.show(&wave.values, lane as usize),
                });
            }
        }
        None
    }
}
