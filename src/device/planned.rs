//! Planned faults as they happen to a device.

use super::{Cause, CauseKind, Device, FaultAddress, Position};
use crate::command::Bytes;
use crate::exec::Access;
use crate::fault::AddressType;
use crate::fault::plan::{
    Decision, Fault, Happening, Pattern, Plan, PlanRun, Process, Report, Rule, SwapchainState, Target,
};
use crate::memory::live::{self, Span, Watch};
use crate::memory::raw;
use crate::sync::Deadline;
use crate::vk;
use parking_lot::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};

/// What a planned fault does to the call that it is met at; everything else has been done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallFault {
    /// Returns this code and does nothing.
    Fail(i32),
    /// Its swapchains change.
    Swapchain(SwapchainState),
    /// Its submission ends after so many looks.
    Stall(u64),
    /// It takes another image; the number chooses.
    Reorder(u64),
}

/// Whether anything of the process is planned or traced: what entry points look at first.
static ACTIVE: AtomicBool = AtomicBool::new(false);

/// Whether entry points have anything to ask.
#[inline(always)]
#[must_use]
pub fn is_active() -> bool {
    ACTIVE.load(Ordering::Relaxed)
}

/// From now on entry points ask.
pub fn activate() {
    ACTIVE.store(true, Ordering::Relaxed);
}

/// What is planned for the process, beyond any device.
#[derive(Debug, Default)]
pub struct ProcessPlan {
    process: Arc<Process>,
    /// The plan in force with its run for calls on no device.
    run: Mutex<Option<(String, Arc<PlanRun>)>>,
    /// Creations of devices that are to fail.
    failing: AtomicU64,
}

impl ProcessPlan {
    /// That of this process.
    #[must_use]
    pub fn get() -> &'static ProcessPlan {
        static PLAN: LazyLock<ProcessPlan> = LazyLock::new(ProcessPlan::default);
        &PLAN
    }

    /// What runs of all devices share.
    #[must_use]
    pub fn process(&self) -> Arc<Process> {
        self.process.clone()
    }

    /// The run for calls on no device; it goes on counting as long as the plan is the same.
    pub fn run(&self, plan: Option<&Plan>) -> Option<Arc<PlanRun>> {
        let plan = plan?;
        let mut run = self.run.lock();
        match &*run {
            Some((text, run)) if *text == plan.text => Some(run.clone()),
            _ => {
                let new = Arc::new(PlanRun::new(Some(plan), 0, self.process()));
                *run = Some((plan.text.clone(), new.clone()));
                Some(new)
            }
        }
    }

    /// Whether a creation of a device fails, because the physical device is lost. Counts it.
    pub fn creation_fails(&self) -> bool {
        let less = |left: u64| match left {
            0 => None,
            u64::MAX => Some(left),
            left => Some(left - 1),
        };
        self.failing
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, less)
            .is_ok()
    }

    fn lose_physical(&self, creations: u64) {
        self.failing.store(creations, Ordering::SeqCst);
    }
}

/// What a planned fault does to a call on no device.
pub fn process_call(run: &PlanRun, happening: &dyn Happening) -> Option<i32> {
    let decision = run.decide(happening)?;
    match decision.fault() {
        Fault::Fail(code) => Some(*code),
        Fault::Physical(physical) => {
            ProcessPlan::get().lose_physical(physical.creations);
            None
        }
        // There is no device that anything else could happen to.
        _ => None,
    }
}

/// The part of ranges, taken as one, that a target means.
#[must_use]
pub fn part(whole: &[Bytes], target: &Target) -> Vec<Bytes> {
    let (mut skip, mut left) = (target.offset, target.size.unwrap_or(u64::MAX));
    let mut parts = Vec::new();
    for range in whole {
        let from = skip.min(range.size);
        let size = (range.size - from).min(left);
        skip -= from;
        left -= size;
        if size > 0 {
            parts.push(Bytes {
                address: range.address + from,
                size,
            });
        }
    }
    parts
}

/// Which bits of ranges change: an address and a bit of it, each.
pub fn bits(ranges: &[Bytes], flips: u64, random: u64) -> Vec<(u64, u8)> {
    let total: u64 = ranges.iter().map(|range| range.size).sum();
    if total == 0 {
        return Vec::new();
    }
    let mut state = random | 1;
    (0..flips)
        .filter_map(|_| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let chosen = (state >> 16) % (total * 8).max(1);
            let (mut byte, bit) = (chosen / 8, (chosen % 8) as u8);
            ranges.iter().find_map(|range| {
                if byte < range.size {
                    Some((range.address + byte, bit))
                } else {
                    byte -= range.size;
                    None
                }
            })
        })
        .collect()
}

/// Changes a bit of device memory, which must be there.
pub fn flip(address: u64, bit: u8) {
    let mut byte = [0];
    raw::read(address, &mut byte);
    raw::write(address, &[byte[0] ^ (1 << bit)]);
}

fn cause(decision: &Decision, kind: CauseKind, report: Option<&Report>, position: Position) -> Cause {
    let made = || {
        let what = match (
            kind,
            report.and_then(|report| Some((report.access?, report.address))),
        ) {
            (_, Some((access, address))) => format!("planned invalid {} of {address:#x}", access.name()),
            (CauseKind::Watchdog, None) => "planned: a shader did not come to an end".to_owned(),
            (_, None) => "planned loss".to_owned(),
        };
        format!("{}{what}{}", decision.prefix(), decision.place())
    };
    let message = report
        .and_then(|report| report.description.clone())
        .unwrap_or_else(made);
    let mut cause = Cause::new(kind, position, message);
    if let Some(report) = report {
        cause.address = report.access.map(|access| FaultAddress {
            kind: access as i32,
            address: report.address,
            precision: report.precision,
        });
        cause.instruction = report.instruction.map(|address| FaultAddress {
            kind: AddressType::InstructionPointerFault as i32,
            address,
            precision: 1,
        });
        cause.vendor.clone_from(&report.vendor);
        cause.records = report.records as u32;
    }
    cause
}

impl Device {
    /// The plan as it runs on this device.
    #[must_use]
    pub fn plan(&self) -> &PlanRun {
        &self.plan
    }

    /// Arms further rules; their numbers.
    pub fn arm(&self, rules: Vec<Rule>) -> Vec<u64> {
        let ids = self.plan.arm(rules);
        self.watch();
        self.bound();
        ids
    }

    /// Removes a rule, or all with 0; how many there were.
    pub fn disarm(&self, rule: u64) -> usize {
        let count = self.plan.clear(rule);
        self.watch();
        self.bound();
        count
    }

    /// Has the heaps bounded as the rules that stand ask for.
    fn bound(&self) {
        if let Some(memory) = self.memory() {
            memory.bound(self.plan.generation(), || self.plan.budgets());
        }
    }

    /// Has shaders' accesses watched as the rules that stand ask for.
    pub(super) fn watch(&self) {
        let generation = self.plan.generation();
        live::unwatch(|(device, _)| device == generation);
        let Some(memory) = self.memory() else { return };
        let (own, shared) = memory.windows();
        for (rule, touch) in self.plan.watches() {
            for window in [Some(own), shared].into_iter().flatten() {
                let span = Span {
                    first: touch.first.max(window.base()),
                    end: touch.last.saturating_add(1).min(window.base() + window.size()),
                };
                if span.first < span.end {
                    let (reads, writes) = (touch.reads, touch.writes);
                    live::watch((generation, rule), Watch { span, reads, writes });
                }
            }
        }
    }

    /// What a shader's access that is watched loses the device for.
    pub(crate) fn touched(&self, address: u64, access: Access, position: Position) -> Option<Cause> {
        let (write, read) = (access != Access::Read, access != Access::Write);
        let decision = self.plan.touched(address, write, read)?;
        self.planned_at(&decision, position)
    }

    /// Counts a call for the fault plan. Where a rule fires, what it does to the device is done when this returns: if
    /// it loses the device, earlier work is complete. What it does to the call is left to the caller.
    pub fn planned_call(&self, happening: &dyn Happening) -> Option<CallFault> {
        if !self.plan.is_active() {
            return None;
        }
        let decision = self.plan.decide(happening)?;
        self.meet(&decision)
    }

    /// A fault at a call.
    fn meet(&self, decision: &Decision) -> Option<CallFault> {
        const DEVICE_LOST: i32 = vk::Result::ERROR_DEVICE_LOST.as_raw();
        let position = Position {
            submit: self.loss().latest() + 1,
            ..Position::default()
        };
        match decision.fault() {
            Fault::Fail(code) if *code != DEVICE_LOST => return Some(CallFault::Fail(*code)),
            Fault::Swapchain(state) => return Some(CallFault::Swapchain(*state)),
            Fault::Stall(polls) => return Some(CallFault::Stall(*polls)),
            Fault::Reorder => return Some(CallFault::Reorder(decision.random)),
            Fault::Corrupt(corrupt) => {
                let whole: Vec<Bytes> = corrupt
                    .target
                    .name
                    .as_ref()
                    .and_then(|name| self.named_range(name))
                    .into_iter()
                    .collect();
                for (address, bit) in bits(&part(&whole, &corrupt.target), corrupt.flips, decision.random) {
                    if self.is_there(address, 1) {
                        flip(address, bit);
                    }
                }
            }
            Fault::Poison(poison) => {
                let whole: Vec<Bytes> = poison
                    .target
                    .name
                    .as_ref()
                    .and_then(|name| self.named_range(name))
                    .into_iter()
                    .collect();
                for range in part(&whole, &poison.target) {
                    if self.is_there(range.address, range.size) {
                        raw::fill(
                            range.address,
                            poison.byte,
                            usize::try_from(range.size).unwrap_or(0),
                        );
                    }
                }
            }
            _ => {}
        }
        let mut cause = self.planned_at(decision, position)?;
        cause.message = match decision.fault() {
            Fault::Fail(_) => {
                let (prefix, place) = (decision.prefix(), decision.place());
                format!("{prefix}planned VK_ERROR_DEVICE_LOST{place}")
            }
            _ => cause.message,
        };
        self.lose(cause);
        self.wait(Deadline::Never, || false);
        None
    }

    /// What a fault at this position loses the device for, if it does; a masked one is reported.
    pub(crate) fn planned_at(&self, decision: &Decision, position: Position) -> Option<Cause> {
        let made = |kind, report| cause(decision, kind, report, position);
        match decision.fault() {
            Fault::Lose(lose) => Some(made(CauseKind::Planned, Some(&lose.report))),
            Fault::Watchdog(lose) => Some(made(CauseKind::Watchdog, Some(&lose.report))),
            Fault::Fail(_) => Some(made(CauseKind::Planned, None)),
            Fault::Abort { message, .. } => {
                let mut cause = made(CauseKind::Abort, None);
                cause.message = format!("{}{message}", decision.prefix());
                cause.abort = vec![message.as_bytes().to_vec()];
                Some(cause)
            }
            Fault::Physical(physical) => {
                ProcessPlan::get().lose_physical(physical.creations);
                let mut cause = made(CauseKind::Planned, None);
                let made = || {
                    let (prefix, place) = (decision.prefix(), decision.place());
                    format!("{prefix}planned loss of the physical device{place}")
                };
                cause.message = physical.description.clone().unwrap_or_else(made);
                Some(cause)
            }
            Fault::Masked(lose) => self.masked(made(CauseKind::Planned, Some(&lose.report))),
            Fault::Overflow(count) => (0..*count).find_map(|n| {
                let mut cause = made(CauseKind::Planned, None);
                cause.message = format!("{}planned masked fault {} of {count}", decision.prefix(), n + 1);
                self.masked(cause)
            }),
            _ => None,
        }
    }

    /// A fault that the device survives is reported, if the application wants to know; where it is to lose the device,
    /// it is given back.
    pub fn masked(&self, cause: Cause) -> Option<Cause> {
        let desc = self.fault().desc();
        if desc.lost_on_masked {
            return Some(cause);
        }
        if desc.report_masked {
            self.fault().masked(&cause);
            self.hub().notify();
        }
        None
    }

    /// The host has looked at the state of something, or waits for it without end: then nothing is held back any more.
    pub fn looked(&self, forever: bool) {
        if forever {
            self.looks
                .fetch_max(self.stalled.load(Ordering::SeqCst), Ordering::SeqCst);
        } else {
            self.looks.fetch_add(1, Ordering::SeqCst);
        }
        self.hub().notify();
    }

    /// At which look of the host a submission may end that is to end after so many; for [`Submission::stall`].
    ///
    /// [`Submission::stall`]: super::Submission::stall
    pub fn stall_until(&self, looks: u64) -> u64 {
        let until = self.looks.load(Ordering::SeqCst).saturating_add(looks);
        self.stalled.fetch_max(until, Ordering::SeqCst);
        until
    }

    /// Keeps a queue from ending its submission until the host has looked so often.
    pub(super) fn stall(&self, until: u64) {
        let looked = || self.looks.load(Ordering::SeqCst) >= until;
        self.wait(Deadline::Never, || looked() || self.is_closing());
    }

    /// The memory of the object of such a name: the first by type and handle.
    #[must_use]
    pub fn named_range(&self, name: &Pattern) -> Option<Bytes> {
        let history = self.memory()?.history();
        let (objects, _) = history.table(history.now(), usize::MAX);
        // Memory gets its pages when something is bound to it.
        let memory = vk::ObjectType::DEVICE_MEMORY;
        let has_pages = |object: &crate::memory::Object| {
            let bound = |other: &crate::memory::Object| {
                other.kind != memory && other.gone.is_none() && object.holds(other.address)
            };
            object.kind != memory || objects.iter().any(bound)
        };
        let named = |object: &&crate::memory::Object| {
            let names = self.names().get(object.kind.as_raw(), object.handle);
            object.gone.is_none() && names.is_some_and(|given| name.fits(&given)) && has_pages(object)
        };
        objects
            .iter()
            .filter(named)
            .min_by_key(|object| (object.kind.as_raw(), object.handle))
            .map(|object| Bytes {
                address: object.address,
                size: object.size,
            })
    }

    /// Whether a range lies in live memory that has its pages.
    fn is_there(&self, address: u64, size: u64) -> bool {
        let Some(memory) = self.memory() else { return false };
        match memory.locate(address) {
            crate::memory::Place::Live(record) => size <= record.address + record.size - address,
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_and_bits_stay_in_their_ranges() {
        let bytes = |address, size| Bytes { address, size };
        let whole = [bytes(100, 10), bytes(200, 10)];
        let target = |offset, size| Target {
            name: None,
            offset,
            size,
        };
        assert_eq!(part(&whole, &target(8, Some(4))), [bytes(108, 2), bytes(200, 2)]);
        assert_eq!(part(&whole, &target(15, None)), [bytes(205, 5)]);
        assert_eq!(part(&whole, &target(99, None)), []);
        let flips = bits(&whole, 1000, 7);
        assert_eq!(flips.len(), 1000);
        assert!(flips.iter().all(|&(address, bit)| {
            bit < 8
                && whole
                    .iter()
                    .any(|range| range.address <= address && address < range.address + range.size)
        }));
        assert_eq!(flips, bits(&whole, 1000, 7));
        assert_eq!(bits(&[], 3, 7), []);
    }
}
