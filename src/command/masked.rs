//! Accesses that robustness makes harmless, as faults to be reported.

use super::attribute::{Fault, Scene, attribute};
use super::exec::{Done, Executor, Stop};
use crate::device::Device;
use crate::exec::{Access, ExecError, Problem, ShaderFault, Stage};
use crate::raster::Indices;
use crate::vk;

/// The masked faults of a command list, in order.
#[derive(Debug, Default)]
pub struct MaskedFaults {
    faults: Vec<Fault>,
    /// There were more than can be reported.
    overflow: bool,
}

impl MaskedFaults {
    /// Reports them.
    pub fn report(self, device: &Device, scene: Scene<'_>) {
        if self.overflow {
            device.fault().drop_masked();
        }
        for fault in self.faults {
            // Given back only where it is to lose the device, and then there are none here.
            drop(device.masked(attribute(device, scene, fault)));
        }
    }
}

impl Executor<'_> {
    /// Takes what work that is done has masked; of work that has failed what comes before its item.
    pub(super) fn take_masked(&mut self, before: Option<u64>) {
        let Some(sink) = &self.masked else { return };
        let (faults, overflow) = sink.take();
        self.reports.overflow |= overflow;
        for fault in faults {
            if before.is_none_or(|item| fault.item < item) {
                let fault = self.fault(ExecError::Fault(Box::new(fault)));
                self.reports.faults.push(fault);
            }
        }
    }

    /// The same at the end of a list that was not run to its end.
    pub(super) fn take_masked_before(&mut self, stop: &Stop) {
        match stop {
            Stop::Error(error) => self.take_masked(Some(error.fault().map_or(0, |fault| fault.item))),
            _ => self.take_masked(None),
        }
    }

    /// Tells of the first index of the latest draw that is not in the index buffer, if the device wants to know.
    pub(super) fn masked_indices(&mut self, indices: Indices, count: u32) -> Done {
        let loses = self.device.fault().desc().lost_on_masked;
        let Indices::Buffer {
            address,
            size,
            index_type,
            first,
            ..
        } = indices
        else {
            return Ok(());
        };
        let bytes = match index_type {
            vk::IndexType::UINT8_EXT => 1,
            vk::IndexType::UINT16 => 2,
            _ => 4,
        };
        let there = size / u64::from(bytes);
        // Without a buffer all indices are zero by design.
        if address == 0 || u64::from(first) + u64::from(count) <= there || count == 0 {
            return Ok(());
        }
        let draw = self.draws.len() as u64 - 1;
        let index = there.max(first.into());
        let fault = ShaderFault {
            access: Access::Read,
            address: address.wrapping_add(index * u64::from(bytes)),
            size: bytes,
            base: Some(address),
            ..ShaderFault::new(Problem::Masked, Stage::Fixed, draw)
        };
        if loses {
            // What comes before it may fail first.
            self.flush()?;
            return Err(Stop::Error(ExecError::Fault(Box::new(fault))));
        }
        if let Some(sink) = &self.masked {
            sink.add(draw, ShaderFault::NO_ORIGIN, [0; 5], fault);
        }
        Ok(())
    }
}
