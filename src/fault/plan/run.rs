//! A plan as it runs: counts events, and says which rule fires.
//!
//! Every rule counts for itself what it is about. Where two would fire at one event, the first of the plan does.

use super::Hidden;
use super::model::{Event, Fault, Pattern, Plan, Rule, Touch, When};
use super::watch::{self, Fired};
use crate::vk;
use parking_lot::Mutex;
use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Something that may be counted. What does not apply to it is left at its default, which fits no filter.
pub trait Happening {
    /// Whether it is such an event.
    fn counts(&self, event: Event) -> bool;
    /// Which queue of the device.
    fn queue(&self) -> Option<u64> {
        None
    }
    /// Which thread of the process.
    fn thread(&self) -> Option<u64> {
        None
    }
    /// Whether it has to do with an object of such a name.
    fn has_object(&self, _name: &Pattern) -> bool {
        false
    }
    /// Whether it is given or makes an object of a type.
    fn has_object_type(&self, _ty: vk::ObjectType) -> bool {
        false
    }
    /// Whether such labels are open.
    fn has_label(&self, _labels: &Pattern) -> bool {
        false
    }
    /// Whether it uses such a pipeline.
    fn has_pipeline(&self, _pipeline: &Pattern) -> bool {
        false
    }
    /// Whether it uses such a shader.
    fn has_shader(&self, _shader: &Pattern) -> bool {
        false
    }
    /// Size, heap and memory type of an allocation.
    fn allocation(&self) -> Option<(u64, u64, u64)> {
        None
    }
    /// Whether it reads or writes addresses of a range.
    fn touches(&self, _range: &Touch) -> bool {
        false
    }
}

/// A rule that fires.
#[derive(Clone, Debug)]
pub struct Decision {
    /// The rule.
    pub rule: Arc<Rule>,
    /// Which event it was of those that the rule counts, from 1.
    pub count: u64,
    /// A number that depends on seed, rule and count alone.
    pub random: u64,
}

/// How a rule stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleState {
    /// Its number: those of the plan from 1, those armed later above.
    pub id: u64,
    /// Its name.
    pub name: Option<String>,
    /// Its fault's word.
    pub fault: &'static str,
    /// What it has counted.
    pub counted: u64,
    /// How often it has fired.
    pub fired: u64,
}

/// A rule with its counters.
#[derive(Debug)]
pub struct Armed {
    id: u64,
    rule: Arc<Rule>,
    counted: u64,
    fired: u64,
}

/// What the runs of all devices of a process share: which rules have fired, by name.
#[derive(Debug, Default)]
pub struct Process {
    fired: Mutex<BTreeSet<String>>,
}

/// Counters of one device, or of the calls that are made on none.
#[derive(Debug)]
pub struct PlanRun {
    /// 0 for calls on no device.
    generation: u64,
    seed: u64,
    process: Arc<Process>,
    armed: Mutex<Vec<Armed>>,
    next_id: AtomicU64,
    /// Whether there is any rule: what is looked at where there is none.
    active: AtomicBool,
    /// Whether any is about what is executed.
    executes: AtomicBool,
}

impl Default for PlanRun {
    fn default() -> PlanRun {
        PlanRun::new(None, 1, Arc::default())
    }
}

impl PlanRun {
    /// The run of a plan on the device with this number; 0: for the calls that are made on no device.
    #[must_use]
    pub fn new(plan: Option<&Plan>, generation: u64, process: Arc<Process>) -> PlanRun {
        let rules = plan.map_or(&[][..], |plan| &plan.rules);
        let run = PlanRun {
            generation,
            seed: plan.map_or(0, |plan| plan.seed),
            process,
            armed: Mutex::default(),
            next_id: AtomicU64::new(rules.len() as u64 + 1),
            active: AtomicBool::new(false),
            executes: AtomicBool::new(watch::is_watched()),
        };
        // What a plan has hold from the start, the physical device knows.
        let counting = |rule: &Rule| rule.when.is_some() && run.is_of(rule);
        for (id, rule) in (1..).zip(rules).filter(|(_, rule)| counting(rule)) {
            run.add(id, Arc::new(rule.clone()));
        }
        run
    }

    /// Whether a rule may fire here. Those for other devices never do: without one for this device there is nothing to
    /// count.
    fn is_of(&self, rule: &Rule) -> bool {
        let device = rule.when.as_ref().and_then(|when| when.device);
        self.generation == 0 || device.is_none_or(|device| device == self.generation)
    }

    fn add(&self, id: u64, rule: Arc<Rule>) {
        let clock = rule.when.as_ref().map(|when| when.event.clock());
        if clock == Some(super::tables::Clock::Execution) {
            self.executes.store(true, Ordering::Release);
        }
        let mut armed = self.armed.lock();
        armed.push(Armed {
            id,
            rule,
            counted: 0,
            fired: 0,
        });
        if clock.is_some() {
            self.active.store(true, Ordering::Release);
        }
    }

    /// Arms further rules, which count from now on; their numbers. Rules for other devices are armed here all the
    /// same: whoever asks names the device by asking it.
    pub fn arm(&self, rules: Vec<Rule>) -> Vec<u64> {
        let mut ids = Vec::new();
        for mut rule in rules {
            let id = self.next_id.fetch_add(1, Ordering::Relaxed);
            if let Some(when) = &mut rule.when {
                when.device = None;
            }
            self.add(id, Arc::new(rule));
            ids.push(id);
        }
        ids
    }

    /// Removes the rule with this number, or all with 0; how many there were.
    pub fn clear(&self, id: u64) -> usize {
        let mut armed = self.armed.lock();
        let before = armed.len();
        armed.retain(|rule| id != 0 && rule.id != id);
        before - armed.len()
    }

    /// How the rules stand.
    #[must_use]
    pub fn states(&self) -> Vec<RuleState> {
        let armed = self.armed.lock();
        armed
            .iter()
            .map(|armed| RuleState {
                id: armed.id,
                name: armed.rule.name.clone(),
                fault: armed.rule.fault.name(),
                counted: armed.counted,
                fired: armed.fired,
            })
            .collect()
    }

    /// What the rules that are armed here hide together.
    #[must_use]
    pub fn hidden(&self) -> Hidden {
        super::hidden::all(self.armed.lock().iter().map(|armed| &*armed.rule))
    }

    /// Heaps that the rules that are armed here leave only so much room, with how many bytes.
    #[must_use]
    pub fn budgets(&self) -> Vec<(u64, u64)> {
        let armed = self.armed.lock();
        armed.iter().filter_map(|armed| armed.rule.budget()).collect()
    }

    /// Which device it is of; 0 for calls on none.
    #[must_use]
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// Whether there is anything to count.
    #[must_use]
    pub fn is_active(&self) -> bool {
        self.active.load(Ordering::Acquire)
    }

    /// Whether anything that is executed is counted.
    #[must_use]
    pub fn counts_execution(&self) -> bool {
        self.executes.load(Ordering::Acquire)
    }

    /// Ranges that rules watch shaders' accesses to, with the rules' numbers.
    #[must_use]
    pub fn watches(&self) -> Vec<(u64, Touch)> {
        let armed = self.armed.lock();
        let watching = armed.iter().filter(|armed| armed.fired == 0);
        watching
            .filter_map(|armed| Some((armed.id, armed.rule.watches()?)))
            .collect()
    }

    /// A shader has touched an address that is watched; the rule that fires.
    pub fn touched(&self, address: u64, write: bool, read: bool) -> Option<Decision> {
        let meets = |touch: &Touch| {
            (touch.first..=touch.last).contains(&address) && (touch.writes && write || touch.reads && read)
        };
        self.decide_by(|_, rule| rule.watches().is_some_and(|touch| meets(&touch)))
    }

    /// Counts an event; the rule that fires.
    pub fn decide(&self, happening: &dyn Happening) -> Option<Decision> {
        self.decide_by(|when, _| happening.counts(when.event) && self.fits(when, happening))
    }

    fn decide_by(&self, counts: impl Fn(&When, &Rule) -> bool) -> Option<Decision> {
        let mut chosen = None;
        let mut armed = self.armed.lock();
        for armed in armed.iter_mut() {
            let Some(when) = &armed.rule.when else { continue };
            if !counts(when, &armed.rule) {
                continue;
            }
            armed.counted += 1;
            let random = random(self.seed, armed.id, armed.counted);
            if chosen.is_none() && fires(when, armed.counted, armed.fired, random) {
                armed.fired += 1;
                watch::note(Fired {
                    device: self.generation,
                    rule: armed.id,
                    fault: armed.rule.fault.name(),
                    count: armed.counted,
                });
                chosen = Some(Decision {
                    rule: armed.rule.clone(),
                    count: armed.counted,
                    random,
                });
            }
        }
        drop(armed);
        if let Some(name) = chosen.as_ref().and_then(|chosen| chosen.rule.name.clone()) {
            self.process.fired.lock().insert(name);
        }
        chosen
    }

    fn fits(&self, when: &When, happening: &dyn Happening) -> bool {
        let same = |asked: Option<u64>, is: Option<u64>| asked.is_none_or(|asked| is == Some(asked));
        if !same(when.queue, happening.queue())
            || when.thread.is_some() && !same(when.thread, happening.thread())
        {
            return false;
        }
        let allocation = happening.allocation();
        let of = |part: fn((u64, u64, u64)) -> u64| allocation.map(part);
        if !same(when.heap, of(|a| a.1)) || !same(when.memory_type, of(|a| a.2)) {
            return false;
        }
        if allocation.is_some_and(|(size, ..)| size < when.min_size || size > when.max_size) {
            return false;
        }
        let chained = when
            .after_rule
            .as_ref()
            .is_none_or(|(name, _)| self.process.fired.lock().contains(name));
        let fit =
            |pattern: &Option<Pattern>, has: &dyn Fn(&Pattern) -> bool| pattern.as_ref().is_none_or(has);
        chained
            && when.object_type.is_none_or(|ty| happening.has_object_type(ty))
            && fit(&when.object, &|name| happening.has_object(name))
            && fit(&when.label, &|name| happening.has_label(name))
            && fit(&when.pipeline, &|name| happening.has_pipeline(name))
            && fit(&when.shader, &|name| happening.has_shader(name))
            && when.touch.as_ref().is_none_or(|range| happening.touches(range))
    }
}

fn fires(when: &When, counted: u64, fired: u64, random: u64) -> bool {
    let Some(count) = counted.checked_sub(when.after).filter(|&count| count > 0) else {
        return false;
    };
    when.nth.is_none_or(|nth| count == nth)
        && when.every.is_none_or(|every| count.is_multiple_of(every))
        && when.times.is_none_or(|times| fired < times)
        // The upper 53 bits as a fraction: the same on every machine.
        && when.chance.is_none_or(|chance| ((random >> 11) as f64) < chance * (1u64 << 53) as f64)
}

/// SplitMix64 of three numbers.
fn random(seed: u64, rule: u64, count: u64) -> u64 {
    let mut x = seed;
    for part in [rule, count] {
        x = x.wrapping_add(part).wrapping_add(0x9e37_79b9_7f4a_7c15);
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^= x >> 31;
    }
    x
}

/// Which thread of the process this is, in the order in which they first ask.
#[must_use]
pub fn thread_number() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    thread_local!(static MINE: Cell<u64> = const { Cell::new(0) });
    MINE.with(|mine| {
        if mine.get() == 0 {
            mine.set(NEXT.fetch_add(1, Ordering::Relaxed));
        }
        mine.get()
    })
}

impl Decision {
    /// The rule's name and a colon, if it has one.
    #[must_use]
    pub fn prefix(&self) -> String {
        self.rule
            .name
            .as_deref()
            .map_or(String::new(), |name| format!("{name}: "))
    }

    /// Where it is, as a plan says it: with this in place of the rule's event, and without `every` and `after`, the
    /// rule fires here again.
    #[must_use]
    pub fn place(&self) -> String {
        let when = self.rule.when.as_ref();
        when.map_or(String::new(), |when| {
            format!(" at {}#{}", when.event.name(), self.count)
        })
    }

    /// Its fault.
    #[must_use]
    pub fn fault(&self) -> &Fault {
        &self.rule.fault
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Call(&'static str, u64);

    impl Happening for Call {
        fn counts(&self, event: Event) -> bool {
            event.counts_call(self.0)
        }
        fn queue(&self) -> Option<u64> {
            Some(self.1)
        }
    }

    fn run(line: &str, generation: u64) -> PlanRun {
        PlanRun::new(Some(&Plan::parse_line(line).unwrap()), generation, Arc::default())
    }

    /// At which of `n` calls a rule fires.
    fn fired(run: &PlanRun, call: &Call, n: u64) -> Vec<u64> {
        (1..=n).filter(|_| run.decide(call).is_some()).collect()
    }

    fn at(line: &str, n: u64) -> Vec<u64> {
        let run = run(line, 1);
        (1..=n)
            .filter(|_| run.decide(&Call("vkQueueSubmit2", 0)).is_some())
            .collect()
    }

    #[test]
    fn triggers_fire_at_their_counts() {
        assert_eq!(at("lose@submit#3 read", 9), [3]);
        assert_eq!(at("lose@submit every=4 read", 9), [4, 8]);
        assert_eq!(at("lose@submit every=2 after=3 times=2 read", 12), [5, 7]);
        assert_eq!(at("lose@submit after=2 read times=1", 9), [3]);
        assert_eq!(at("lose@vkQueueSubmit#1 read", 9), [0u64; 0]);
        assert_eq!(at("lose@call#2 read", 3), [2]);
        let some = at("lose@submit probability=0.5 read; seed=9", 200);
        assert!(
            (60..140).contains(&some.len()) && some == at("lose@submit probability=0.5 read; seed=9", 200)
        );
        assert_ne!(some, at("lose@submit probability=0.5 read; seed=10", 200));
    }

    #[test]
    fn other_devices_and_queues_are_left_alone() {
        let call = Call("vkQueueSubmit", 1);
        assert!(!run("lose@submit read", 2).is_active());
        assert_eq!(
            fired(&run("lose@submit read device=any queue=0", 2), &call, 3),
            [0u64; 0]
        );
        let run = run("lose@submit read every=1 device=any queue=1", 2);
        assert!((0..3).all(|_| run.decide(&call).is_some()));
    }

    #[test]
    fn a_rule_can_wait_for_another_on_an_earlier_device() {
        let line =
            "lose@submit#2 read name=first; fail@map memory_map_failed after_rule=first device=any every=1";
        let plan = Plan::parse_line(line).unwrap();
        let process = Arc::new(Process::default());
        let first = PlanRun::new(Some(&plan), 1, process.clone());
        let second = PlanRun::new(Some(&plan), 2, process);
        let (map, submit) = (Call("vkMapMemory", 0), Call("vkQueueSubmit", 0));
        assert!(second.decide(&map).is_none());
        assert!(first.decide(&submit).is_none() && first.decide(&submit).is_some());
        assert!(second.decide(&map).is_some());
    }

    #[test]
    fn rules_can_be_armed_and_cleared() {
        let run = run("lose@submit#9 read", 1);
        let ids = run.arm(
            Plan::parse_line("fail@map#1 memory_map_failed device=7")
                .unwrap()
                .rules,
        );
        assert_eq!(ids, [2]);
        assert!(run.decide(&Call("vkMapMemory", 0)).is_some());
        let states: Vec<_> = run
            .states()
            .iter()
            .map(|s| (s.id, s.fault, s.counted, s.fired))
            .collect();
        assert_eq!(states, [(1, "lose", 0, 0), (2, "fail", 1, 1)]);
        assert_eq!((run.clear(2), run.clear(2), run.clear(0)), (1, 0, 1));
    }
}
