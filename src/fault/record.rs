//! Fault records in the terms of `VK_EXT_device_fault`.

use crate::device::{Cause, CauseKind, FaultAddress};

/// `VkDeviceFaultAddressTypeEXT`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum AddressType {
    /// No address.
    None = 0,
    /// A read of an address that cannot be read.
    ReadInvalid = 1,
    /// A write to an address that cannot be written.
    WriteInvalid = 2,
    /// Execution of an address that cannot be executed.
    ExecuteInvalid = 3,
    /// An instruction pointer, not known to be at fault.
    InstructionPointerUnknown = 4,
    /// An instruction pointer that is itself invalid.
    InstructionPointerInvalid = 5,
    /// The instruction pointer of the fault.
    InstructionPointerFault = 6,
}

impl AddressType {
    const NAMES: [(AddressType, &'static str); 7] = [
        (AddressType::None, "none"),
        (AddressType::ReadInvalid, "read"),
        (AddressType::WriteInvalid, "write"),
        (AddressType::ExecuteInvalid, "execute"),
        (
            AddressType::InstructionPointerUnknown,
            "instruction-pointer-unknown",
        ),
        (
            AddressType::InstructionPointerInvalid,
            "instruction-pointer-invalid",
        ),
        (AddressType::InstructionPointerFault, "instruction-pointer-fault"),
    ];

    /// Its word in plans and dumps.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::NAMES
            .iter()
            .find(|(ty, _)| *ty == self)
            .map_or("none", |(_, name)| name)
    }

    /// The type with this raw value.
    #[must_use]
    pub fn from_raw(raw: i32) -> AddressType {
        Self::NAMES
            .iter()
            .map(|(ty, _)| *ty)
            .find(|&ty| ty as i32 == raw)
            .unwrap_or(AddressType::None)
    }
}

/// `VkDeviceFaultAddressInfoEXT`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AddressInfo {
    /// Kind of address.
    pub ty: AddressType,
    /// As exact as it is known.
    pub address: u64,
    /// A power of two; the fault lies in `address & !(precision - 1) ..= address | (precision - 1)`.
    pub precision: u64,
}

impl From<FaultAddress> for AddressInfo {
    fn from(from: FaultAddress) -> AddressInfo {
        AddressInfo {
            ty: AddressType::from_raw(from.kind),
            address: from.address,
            precision: from.precision,
        }
    }
}

/// `VkDeviceFaultVendorInfoEXT`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VendorInfo {
    /// At most 255 bytes.
    pub description: String,
    /// The kind of cause, see [`cause_code`].
    pub code: u64,
    /// Serial number of the submission, 0 outside any.
    pub data: u64,
}

/// One fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// At most 255 bytes, never empty.
    pub description: String,
    /// Memory address.
    pub address: Option<AddressInfo>,
    /// Instruction address.
    pub instruction: Option<AddressInfo>,
    /// Always present: every loss says at least this.
    pub vendor: VendorInfo,
}

/// The word and number of a kind of cause.
#[must_use]
pub(super) fn cause_code(kind: CauseKind) -> (u64, &'static str) {
    match kind {
        CauseKind::Planned => (1, "planned"),
        CauseKind::Detected => (2, "detected"),
        CauseKind::Watchdog => (3, "watchdog"),
        CauseKind::Abort => (4, "abort"),
        CauseKind::Internal => (5, "internal"),
    }
}

/// Bytes of a description, without its NUL.
const MAX_DESCRIPTION: usize = 255;

/// The longest prefix of whole characters that fits a description.
fn fit(text: &str) -> String {
    let mut end = text.len().min(MAX_DESCRIPTION);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text[..end].to_owned()
}

impl Record {
    /// The records of a cause: the first says all; the others bear what the plan gives them.
    #[must_use]
    pub fn all_of(cause: &Cause) -> Vec<Record> {
        let first = Record::of(cause);
        let count = (cause.records as usize).max(1 + cause.vendor.len());
        let further = (1..count).map(|n| {
            let mut record = first.clone();
            if let Some(vendor) = cause.vendor.get(n - 1) {
                record.vendor = vendor.clone();
            }
            record
        });
        std::iter::once(first.clone()).chain(further).collect()
    }

    /// The record of a cause.
    #[must_use]
    pub fn of(cause: &Cause) -> Record {
        let (code, word) = cause_code(cause.kind);
        let description = if cause.message.is_empty() {
            word
        } else {
            &cause.message
        };
        Record {
            description: fit(description),
            address: cause.address.map(AddressInfo::from),
            instruction: cause.instruction.map(AddressInfo::from),
            vendor: VendorInfo {
                description: fit(&format!(
                    "lahar: {word} fault at submission {}",
                    cause.position.submit
                )),
                code,
                data: cause.position.submit,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Position;

    #[test]
    fn descriptions_fit_and_are_never_empty() {
        let record = |text: &str| Record::of(&Cause::new(CauseKind::Internal, Position::default(), text));
        assert_eq!(record("").description, "internal", "never empty");
        let long = "é".repeat(200);
        let cut = record(&long).description;
        assert_eq!(
            (cut.len(), cut.chars().count()),
            (254, 127),
            "whole characters only"
        );
    }
}
