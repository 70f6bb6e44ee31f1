//! The crash dump: the version-one header of `VK_EXT_device_fault`, names, then sections.
//!
//! `docs/crash-dump.md` describes the format for those who write another reader.

mod diff;
mod html;
mod print;
mod read;
mod sections;
mod text;
mod write;

pub use diff::to_diff;
pub use html::to_html;
pub use print::to_json;
pub use read::{Dump, Header, ReadError, Section, read};
pub use sections::{
    AddressMap, AddressSection, CauseSection, DeviceSection, Environment, HeapSection, MapRange, MapResource,
    ObjectTable, PlanSection, ReachedSection, RecordSection,
};
pub use text::to_text;
pub use write::{header_bytes, write};

/// Bytes of the version-one header.
pub const HEADER_BYTES: usize = 56;
/// Marks the begin of the section table, behind the names.
pub const MAGIC: [u8; 8] = *b"LAHARDMP";
/// Version of the layout behind the header.
pub const LAYOUT_VERSION: u32 = 1;

/// Who runs on what; the fields of the version-one header.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Identity {
    /// `VkPhysicalDeviceProperties::vendorID`.
    pub vendor_id: u32,
    /// `VkPhysicalDeviceProperties::deviceID`.
    pub device_id: u32,
    /// `VkPhysicalDeviceProperties::driverVersion`.
    pub driver_version: u32,
    /// `VkPhysicalDeviceProperties::pipelineCacheUUID`.
    pub pipeline_cache_uuid: [u8; 16],
    /// `VkApplicationInfo::pApplicationName`, or empty.
    pub application_name: String,
    /// `VkApplicationInfo::applicationVersion`.
    pub application_version: u32,
    /// `VkApplicationInfo::pEngineName`, or empty.
    pub engine_name: String,
    /// `VkApplicationInfo::engineVersion`.
    pub engine_version: u32,
    /// `VkApplicationInfo::apiVersion`.
    pub api_version: u32,
}
