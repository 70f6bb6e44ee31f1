//! Checks that the memory of a command is there before the engine's own code touches it.
//!
//! Compiled code needs no such check, since its faults are trapped; a copy in Rust would take the process down.

use super::attribute::Fault;
use super::exec::{Done, Stop};
use crate::device::{Cause, CauseKind, Device, FaultAddress, Position};
use crate::fault::AddressType;
use crate::shader::guard::Mode;
use smallvec::SmallVec;

/// Allocations that are known to live while a command list runs. Freeing what is in use by pending work is invalid, so
/// what was there at first is taken to stay; what is looked for is memory freed before.
#[derive(Debug, Default)]
pub(super) struct LiveMemory {
    /// First and one past the last address.
    known: SmallVec<[(u64, u64); 8]>,
}

/// An access to memory that is not there.
#[derive(Debug)]
pub(super) struct BadAccess {
    address: u64,
    size: u64,
    write: bool,
    /// How exactly addresses are checked.
    precision: u64,
}

/// Precision of an address where pages are protected: clients take it for a range, and expect a page.
const PAGE: u64 = 4096;

impl LiveMemory {
    /// Stops unless all of a range lies in one live allocation.
    pub(super) fn check(&mut self, device: &Device, address: u64, size: u64, write: bool) -> Done {
        let Some(memory) = device.memory() else {
            return Ok(());
        };
        let end = address.saturating_add(size);
        if size == 0
            || self
                .known
                .iter()
                .any(|&(first, last)| first <= address && end <= last)
        {
            return Ok(());
        }
        let bad = |address| {
            let size = end - address;
            let precision = if device.desc().guards == Mode::Exact {
                1
            } else {
                PAGE
            };
            Err(Stop::Access(BadAccess {
                address,
                size,
                write,
                precision,
            }))
        };
        let Some((first, last)) = memory.history().live_at(address) else {
            return bad(address);
        };
        if end > last {
            return bad(last);
        }
        self.known.push((first, last));
        Ok(())
    }
}

impl BadAccess {
    /// The fault that it is.
    pub(super) fn fault(&self, position: Position) -> Fault {
        let (verb, ty) = if self.write {
            ("write", AddressType::WriteInvalid)
        } else {
            ("read", AddressType::ReadInvalid)
        };
        let message = format!("{verb} of {:#x}, where no memory is", self.address);
        let mut cause = Cause::new(CauseKind::Detected, position, message);
        cause.address = Some(FaultAddress {
            kind: ty as i32,
            address: self.address,
            precision: self.precision,
        });
        Fault {
            cause,
            shader: None,
            access: Some((verb, self.size)),
        }
    }
}
