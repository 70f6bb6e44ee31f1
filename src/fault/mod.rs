//! Faults: what is planned, what is recorded, and the crash dump.
//!
//! ```text
//! plan/   the fault plan: a file that says what breaks, and when
//! attribution what a fault is attributed to, as plain data
//! explain what is wrong with an address
//! listing where in a shader an instruction is
//! record  fault records, in the terms of VK_EXT_device_fault
//! reports the queue behind VK_KHR_device_fault, fed from the same records
//! scene   what surrounds a fault: timeline, objects, addresses, heaps
//! store   the frozen snapshot of a loss, behind every query
//! dump/   the crash dump: writer, reader, and how it is printed
//! ```
#![forbid(unsafe_code)]

pub mod attribution;
pub mod dump;
mod explain;
pub mod listing;
mod panic;
pub mod plan;
pub(crate) mod record;
mod reports;
mod scene;
mod store;

pub(crate) use explain::bytes as bytes_text;
pub use explain::{Explanation, explain};
pub use panic::panic_if_asked;
pub use record::{AddressInfo, AddressType, Record, VendorInfo};
pub use reports::{MAX_REPORTS, Report, ReportFlags, Reports};
pub use store::{FaultDesc, FaultStore, Snapshot, Sources};
