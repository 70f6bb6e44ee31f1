//! The queue behind `vkGetDeviceFaultReportsKHR`: each report is given out once, in order.

use super::record::Record;
use crate::device::{Cause, CauseKind};
use crate::sync::{Deadline, Hub};
use parking_lot::Mutex;
use std::collections::VecDeque;

/// `maxDeviceFaultCount`: when this many reports wait, the oldest makes room for the next.
pub const MAX_REPORTS: usize = 64;

/// What holds of a report besides its record (`VkDeviceFaultFlagBitsKHR`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReportFlags {
    /// The fault lost the device; nothing follows.
    pub device_lost: bool,
    /// A shader did not come to an end.
    pub watchdog: bool,
    /// Reports before this one were dropped.
    pub overflow: bool,
}

/// One report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// What holds of it.
    pub flags: ReportFlags,
    /// The same for all reports of one event; grows from event to event.
    pub group: u64,
    /// The fault.
    pub record: Record,
}

#[derive(Debug, Default)]
struct Waiting {
    reports: VecDeque<Report>,
    groups: u64,
    /// Reports were dropped since the last one was read.
    overflow: bool,
    /// The device is lost: no report follows.
    closed: bool,
}

/// The queue.
#[derive(Debug, Default)]
pub struct Reports(Mutex<Waiting>);

impl Reports {
    /// Queues the reports of one event; an event that loses the device is the last.
    pub(super) fn push(&self, cause: &Cause, records: &[Record], lost: bool) {
        let mut waiting = self.0.lock();
        if waiting.closed {
            return;
        }
        waiting.groups += 1;
        let group = waiting.groups;
        for (i, record) in records.iter().enumerate() {
            if waiting.reports.len() == MAX_REPORTS {
                waiting.reports.pop_front();
                waiting.overflow = true;
            }
            let flags = ReportFlags {
                device_lost: lost && i + 1 == records.len(),
                watchdog: cause.kind == CauseKind::Watchdog,
                overflow: false,
            };
            waiting.reports.push_back(Report {
                flags,
                group,
                record: record.clone(),
            });
        }
        waiting.closed |= lost;
    }

    /// Drops what waits, as if as many reports had followed and were gone too.
    pub(super) fn overflow(&self) {
        let mut waiting = self.0.lock();
        if !waiting.closed {
            waiting.reports.clear();
            waiting.overflow = true;
        }
    }

    /// Whether a reader need not wait: there is a report, or there never will be one.
    fn settled(&self) -> Option<bool> {
        let waiting = self.0.lock();
        match waiting.reports.len() {
            0 if waiting.closed => Some(false),
            0 => None,
            _ => Some(true),
        }
    }

    /// How many reports wait; waits for one until the deadline.
    #[must_use]
    pub fn count(&self, hub: &Hub, deadline: Deadline) -> usize {
        hub.wait(deadline, || self.settled());
        self.0.lock().reports.len()
    }

    /// Takes up to `room` reports, and says how many are left; waits for one until the deadline. Another
    /// reader may have been quicker: then there are none.
    #[must_use]
    pub fn take(&self, hub: &Hub, deadline: Deadline, room: usize) -> (Vec<Report>, usize) {
        loop {
            let there_are = hub.wait(deadline, || self.settled());
            let mut waiting = self.0.lock();
            if waiting.reports.is_empty() && there_are == Some(true) && !deadline.passed() {
                continue;
            }
            let fit = room.min(waiting.reports.len());
            let mut taken: Vec<Report> = waiting.reports.drain(..fit).collect();
            if let Some(first) = taken.first_mut() {
                first.flags.overflow = std::mem::take(&mut waiting.overflow);
            }
            return (taken, waiting.reports.len());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Position;

    fn push(reports: &Reports, text: &str, lost: bool) {
        let cause = Cause::new(CauseKind::Watchdog, Position::default(), text);
        reports.push(&cause, &[Record::of(&cause), Record::of(&cause)], lost);
    }

    #[test]
    fn each_report_is_given_out_once_and_the_last_one_says_lost() {
        let (reports, hub) = (Reports::default(), Hub::default());
        assert_eq!(reports.count(&hub, Deadline::Now), 0);
        push(&reports, "a", false);
        push(&reports, "b", true);
        push(&reports, "never", true);
        assert_eq!(reports.count(&hub, Deadline::Never), 4, "counting takes nothing");
        let (first, left) = reports.take(&hub, Deadline::Now, 3);
        assert_eq!((first.len(), left), (3, 1));
        let (last, _) = reports.take(&hub, Deadline::Never, 9);
        let all: Vec<Report> = first.into_iter().chain(last).collect();
        assert_eq!(all.iter().map(|r| r.group).collect::<Vec<_>>(), [1, 1, 2, 2]);
        assert_eq!(
            all.iter().map(|r| r.flags.device_lost).collect::<Vec<_>>(),
            [false, false, false, true]
        );
        assert!(all.iter().all(|r| r.flags.watchdog && !r.flags.overflow));
        assert_eq!(
            reports.take(&hub, Deadline::Never, 1).0,
            [],
            "drained for good: no wait"
        );
    }

    #[test]
    fn an_overflow_shows_on_the_first_report_behind_the_gap() {
        let (reports, hub) = (Reports::default(), Hub::default());
        for _ in 0..MAX_REPORTS {
            push(&reports, "a", false);
        }
        let (taken, left) = reports.take(&hub, Deadline::Now, 2);
        assert_eq!(left, MAX_REPORTS - 2);
        assert_eq!(
            taken.iter().map(|r| r.flags.overflow).collect::<Vec<_>>(),
            [true, false]
        );
        assert!(
            !reports.take(&hub, Deadline::Now, 1).0[0].flags.overflow,
            "only once"
        );
    }
}
