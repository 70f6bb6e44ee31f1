//! A plan as it runs on one device: counts events and says when a rule fires.

use super::{Event, Plan, Rule};
use crate::device::{Cause, CauseKind, FaultAddress, Position};
use crate::fault::record::AddressType;
use parking_lot::Mutex;
use std::sync::Arc;

/// Counters of one device.
#[derive(Debug, Default)]
pub struct PlanRun {
    plan: Option<Arc<Plan>>,
    generation: u64,
    submits: Mutex<u64>,
}

impl PlanRun {
    /// The run of a plan on the device with this number.
    #[must_use]
    pub fn new(plan: Option<Arc<Plan>>, generation: u64) -> PlanRun {
        // Rules for other devices never fire: without one for this device there is nothing to count.
        let plan = plan.filter(|plan| plan.rules.iter().any(|rule| rule.when.device == generation));
        PlanRun {
            plan,
            generation,
            submits: Mutex::new(0),
        }
    }

    /// Counts an event; the cause of the loss if a rule fires. `position` says where the device is.
    pub fn count(&self, event: Event, position: Position) -> Option<Cause> {
        let plan = self.plan.as_ref()?;
        let count = {
            let mut counter = match event {
                Event::Submit => self.submits.lock(),
            };
            *counter += 1;
            *counter
        };
        let fires = |rule: &&Rule| {
            rule.when.event == event && rule.when.nth == count && rule.when.device == self.generation
        };
        plan.rules.iter().find(fires).map(|rule| cause(rule, position))
    }
}

fn cause(rule: &Rule, position: Position) -> Cause {
    let lose = &rule.lose;
    let ty = lose.access.address_type();
    let message = lose.description.clone().unwrap_or_else(|| {
        let name = rule
            .name
            .as_deref()
            .map_or(String::new(), |name| format!("{name}: "));
        format!("{name}planned invalid {} of {:#x}", ty.name(), lose.address)
    });
    let mut cause = Cause::new(CauseKind::Planned, position, message);
    cause.address = Some(FaultAddress {
        kind: ty as i32,
        address: lose.address,
        precision: lose.precision,
    });
    cause.instruction = lose.instruction.map(|address| FaultAddress {
        kind: AddressType::InstructionPointerFault as i32,
        address,
        precision: 1,
    });
    cause
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(generation: u64) -> PlanRun {
        let text = "version = 1\n[[rule]]\nname = \"r\"\nwhen = { event = \"submit\", nth = 2 }\n\
                    lose = { access = \"write\", address = 0x1000, instruction = 0x40 }\n";
        PlanRun::new(Plan::parse(text).ok().map(Arc::new), generation)
    }

    #[test]
    fn a_rule_fires_once_at_its_count() {
        let run = run(1);
        let at = Position {
            submit: 2,
            ..Position::default()
        };
        assert_eq!(run.count(Event::Submit, at), None);
        let cause = run.count(Event::Submit, at).unwrap();
        assert_eq!(cause.message, "r: planned invalid write of 0x1000");
        assert_eq!(
            cause.address,
            Some(FaultAddress {
                kind: 2,
                address: 0x1000,
                precision: 4096
            })
        );
        assert_eq!(cause.instruction.map(|i| (i.kind, i.address)), Some((6, 0x40)));
        assert_eq!(run.count(Event::Submit, at), None);
    }

    #[test]
    fn other_devices_are_left_alone() {
        let run = run(2);
        assert!((0..5).all(|_| run.count(Event::Submit, Position::default()).is_none()));
    }
}
