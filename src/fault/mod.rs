//! Faults: what is planned, what is recorded, and the crash dump.
//!
//! ```text
//! plan/   the fault plan: a file that says what breaks, and when
//! record  fault records, in the terms of VK_EXT_device_fault
//! reports the queue behind VK_KHR_device_fault, fed from the same records
//! store   the frozen snapshot of a loss, behind every query
//! dump/   the crash dump: writer, reader, and how it is printed
//! ```
#![forbid(unsafe_code)]

pub mod dump;
pub mod plan;
mod record;
mod reports;
mod store;

pub use record::{AddressInfo, AddressType, Record, VendorInfo};
pub use reports::{MAX_REPORTS, Report, ReportFlags, Reports};
pub use store::{FaultDesc, FaultStore, Snapshot};
