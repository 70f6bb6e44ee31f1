//! What is in each section: a JSON object, so that a reader understands what it does not know.
//!
//! Addresses and other 64-bit numbers are strings in hexadecimal, since JSON's numbers do not hold them.

use crate::device::{Cause, Position};
use crate::fault::attribution::{ObjectRef, QueueRef};
use crate::fault::plan::Plan;
use crate::fault::record::{AddressInfo, Record, cause_code};
use serde::{Deserialize, Serialize};

/// Section `CAUS`: what lost the device.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CauseSection {
    /// `planned`, `detected`, `watchdog`, `abort` or `internal`.
    pub kind: String,
    /// For people.
    pub message: String,
    /// Serial number of the submission on the device, from 1.
    pub submit: u64,
    /// Commands executed before it in the submission.
    pub command: u32,
    /// Primitive or workgroup within the command.
    pub item: u64,
    /// Invocation within the primitive or workgroup.
    pub invocation: u32,
    /// Debug labels open at the command, outermost first.
    pub labels: Vec<String>,
}

impl CauseSection {
    pub(super) fn of(cause: &Cause) -> CauseSection {
        let Position {
            submit,
            command,
            item,
            invocation,
        } = cause.position;
        CauseSection {
            kind: cause_code(cause.kind).1.to_owned(),
            message: cause.message.clone(),
            submit,
            command,
            item,
            invocation,
            labels: cause.labels.clone(),
        }
    }
}

/// An address in a record.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct AddressSection {
    /// `read`, `write`, `execute`, …
    pub ty: String,
    /// In hexadecimal.
    pub address: String,
    /// Size of the range, in hexadecimal.
    pub precision: String,
}

impl AddressSection {
    fn of(info: &AddressInfo) -> AddressSection {
        AddressSection {
            ty: info.ty.name().to_owned(),
            address: format!("{:#x}", info.address),
            precision: format!("{:#x}", info.precision),
        }
    }
}

/// Section `RECS`: an array of these, one a fault record.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RecordSection {
    /// For people.
    pub description: String,
    /// Memory address.
    pub address: Option<AddressSection>,
    /// Instruction address.
    pub instruction: Option<AddressSection>,
    /// Vendor description.
    pub vendor_description: String,
    /// Vendor code, in hexadecimal.
    pub vendor_code: String,
    /// Vendor data, in hexadecimal.
    pub vendor_data: String,
}

impl RecordSection {
    pub(super) fn of(record: &Record) -> RecordSection {
        RecordSection {
            description: record.description.clone(),
            address: record.address.as_ref().map(AddressSection::of),
            instruction: record.instruction.as_ref().map(AddressSection::of),
            vendor_description: record.vendor.description.clone(),
            vendor_code: format!("{:#x}", record.vendor.code),
            vendor_data: format!("{:#x}", record.vendor.data),
        }
    }
}

/// Section `MARK`: an array of these, what each queue passed last before the fault.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ReachedSection {
    /// The queue.
    pub queue: QueueRef,
    /// `checkpoint` or `buffer-marker`.
    pub kind: String,
    /// The application's value, in hexadecimal.
    pub value: String,
    /// Where a marker was written.
    pub address: Option<String>,
    /// Serial number of the submission.
    pub submission: u64,
    /// Commands executed before it in the submission.
    pub command: u32,
}

impl ReachedSection {
    /// What it is, for people.
    #[must_use]
    pub fn title(&self) -> String {
        let kind = match &*self.kind {
            "buffer-marker" => "marker",
            kind => kind,
        };
        let place = match &self.address {
            Some(address) => format!(", written to {address}"),
            None => String::new(),
        };
        format!("{kind} {}{place}", self.value)
    }
}

/// Section `HEAP`: an array of these, one a heap.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct HeapSection {
    /// Index of the heap.
    pub heap: u32,
    /// Its size in bytes.
    pub size: u64,
    /// Bytes in allocations of the device.
    pub used: u64,
    /// Allocations of the device.
    pub allocations: u64,
}

/// Section `OBJS`: allocations and bound resources, in the order in which they came.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ObjectTable {
    /// Objects left out, the table being bounded: those that went first.
    pub left_out: u64,
    /// The objects.
    pub objects: Vec<ObjectRef>,
}

/// What a range of an address map is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct MapRange {
    /// First address.
    pub address: String,
    /// Bytes.
    pub size: u64,
    /// `live`, `freed` or `none`.
    pub state: String,
    /// What is or was there, for people.
    pub title: String,
    /// Whether the fault's address is in it.
    pub fault: bool,
    /// Resources in it.
    pub resources: Vec<MapResource>,
}

/// A resource in an address map.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct MapResource {
    /// First address.
    pub address: String,
    /// Bytes.
    pub size: u64,
    /// `live` or `destroyed`.
    pub state: String,
    /// What it is or was, for people.
    pub title: String,
}

/// Section `AMAP`: the address space around the fault, in the order of addresses, without gaps.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct AddressMap {
    /// The fault's address.
    pub address: String,
    /// The ranges.
    pub ranges: Vec<MapRange>,
}

/// Section `PLAN`: the fault plan in force.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PlanSection {
    /// Its seed, in hexadecimal.
    pub seed: String,
    /// Its text.
    pub text: String,
}

impl PlanSection {
    pub(super) fn of(plan: &Plan) -> PlanSection {
        PlanSection {
            seed: format!("{:#x}", plan.seed),
            text: plan.text.clone(),
        }
    }
}

/// Section `DEVI`: which device it was.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct DeviceSection {
    /// Which device of the process, from 1.
    pub generation: u64,
}

/// Section `ENVI`: the only one that may differ between runs of the same program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Environment {
    /// Version of Lahar.
    pub version: String,
    /// What ran the kernels.
    pub backend: String,
    /// Worker threads.
    pub workers: usize,
    /// Operating system and architecture.
    pub host: String,
}
