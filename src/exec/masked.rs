//! Accesses that robustness makes harmless, where the device wants to know of them.
//!
//! Kernels note them in their context (`shader/guard.rs`); after each call they are taken from there. Of those of one
//! instruction in one draw or dispatch the first in the order of invocations stays, so that a flood of them makes one
//! report, and the same whatever the back end and the number of threads.

use super::{Invocation, ShaderFault, Stage};
use crate::fault::MAX_REPORTS;
use crate::shader::abi::{Context, MaskedEntry};
use crate::shader::guard;
use crate::shader::ir::plain_origin;
use crate::shader::kernel::Kernel;
use parking_lot::Mutex;
use std::collections::BTreeMap;

/// Where an access stands among those of its draw or dispatch: compared from the left.
pub(crate) type Place = [u64; 5];

/// What tells accesses apart: the draw of a scope, the stage, the instruction.
type Site = (u64, u8, u32);

#[derive(Debug, Default)]
struct Found {
    sites: BTreeMap<Site, (Place, ShaderFault)>,
    /// There were more than can be reported.
    overflow: bool,
}

/// Takes the masked accesses of the work of one queue.
#[derive(Debug, Default)]
pub struct MaskedSink(Mutex<Found>);

impl MaskedSink {
    /// Takes an access; of those of a site the first stays.
    pub(crate) fn add(&self, draw: u64, origin: u32, place: Place, fault: ShaderFault) {
        let mut found = self.0.lock();
        let site = (draw, fault.stage as u8, origin);
        match found.sites.get_mut(&site) {
            Some((first, known)) => {
                if place < *first {
                    (*first, *known) = (place, fault);
                }
            }
            None => {
                found.sites.insert(site, (place, fault));
            }
        }
        // As many are kept as can wait to be read; the oldest make room.
        if found.sites.len() > MAX_REPORTS {
            found.sites.pop_first();
            found.overflow = true;
        }
    }

    /// Takes what a call of a kernel has noted. `draw` is 0 for dispatches; `at` gives place, order and invocation of a
    /// lane, and how far the kernel had got.
    pub(crate) fn collect(
        &self,
        context: &Context,
        kernel: &Kernel,
        (stage, item, draw): (Stage, u64, u64),
        mut at: impl FnMut(&MaskedEntry) -> (Place, (u64, Invocation)),
    ) {
        for entry in guard::take_masked(context) {
            let trap = guard::masked_trap(&entry);
            let origin = kernel.origin(&trap);
            let (place, (order, invocation)) = at(&entry);
            let mut fault = ShaderFault::new(super::Problem::Masked, stage, item);
            fault.set_trap(&trap);
            fault.origin = plain_origin(origin);
            (fault.order, fault.invocation) = (order, invocation);
            self.add(draw, origin, place, fault);
        }
    }

    /// Takes all that there are, in order, and whether others had to make room for them.
    #[must_use]
    pub(crate) fn take(&self) -> (Vec<ShaderFault>, bool) {
        let found = std::mem::take(&mut *self.0.lock());
        let mut faults: Vec<_> = found
            .sites
            .into_iter()
            .map(|((draw, ..), (place, fault))| ((draw, rank(fault.stage), place), fault))
            .collect();
        // Of one place the order is that of the instructions.
        faults.sort_by_key(|(key, _)| *key);
        (
            faults.into_iter().map(|(_, fault)| fault).collect(),
            found.overflow,
        )
    }
}

/// Stages in the order in which a draw goes through them.
fn rank(stage: Stage) -> u8 {
    match stage {
        Stage::Fixed => 0,
        Stage::Vertex => 1,
        Stage::Fragment => 2,
        Stage::Compute => 3,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec::Problem;

    fn fault(address: u64, stage: Stage) -> ShaderFault {
        ShaderFault {
            address,
            ..ShaderFault::new(Problem::Masked, stage, 0)
        }
    }

    #[test]
    fn the_first_of_a_site_stays_in_whatever_order_they_come() {
        let sink = MaskedSink::default();
        for (place, address) in [(5, 50), (2, 20), (7, 70)] {
            sink.add(0, 4, [place, 0, 0, 0, 0], fault(address, Stage::Compute));
        }
        sink.add(0, 8, [1, 0, 0, 0, 0], fault(10, Stage::Compute));
        let (faults, overflow) = sink.take();
        assert_eq!(faults.iter().map(|f| f.address).collect::<Vec<_>>(), [10, 20]);
        assert!(!overflow && sink.take().0.is_empty());
    }

    #[test]
    fn draws_come_in_their_order_and_their_stages_in_theirs() {
        let sink = MaskedSink::default();
        for (draw, stage, address) in [
            (1, Stage::Vertex, 3),
            (0, Stage::Fragment, 2),
            (0, Stage::Vertex, 1),
            (0, Stage::Fixed, 0),
        ] {
            sink.add(draw, 4, [0; 5], fault(address, stage));
        }
        let addresses: Vec<u64> = sink.take().0.iter().map(|f| f.address).collect();
        assert_eq!(addresses, [0, 1, 2, 3]);
    }

    #[test]
    fn the_oldest_make_room_in_a_flood() {
        let sink = MaskedSink::default();
        let many = MAX_REPORTS as u64 + 3;
        for draw in (0..many).rev() {
            sink.add(draw, 4, [0; 5], fault(draw, Stage::Vertex));
        }
        let (faults, overflow) = sink.take();
        assert_eq!((faults.len(), overflow), (MAX_REPORTS, true));
        assert_eq!(faults.first().map(|f| f.address), Some(3));
    }
}
