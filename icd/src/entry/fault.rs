//! Fault queries: `VK_EXT_device_fault`.
//!
//! They read the snapshot that was frozen at the loss, so every call gives the same; on a healthy device all is
//! zero.

use crate::{
    boundary::commands,
    device::{Device, DeviceState},
    dispatch::Ref,
};
use ash::vk;
use lahar::fault::{AddressInfo, Record, Snapshot, VendorInfo};
use std::ffi::c_char;

commands! {
    fn vkGetDeviceFaultInfoEXT(
        device: Ref<Device>,
        counts: &mut vk::DeviceFaultCountsEXT<'_>,
        info: Option<&mut vk::DeviceFaultInfoEXT<'_>>,
    ) -> vk::Result {
        let report = Report::of(&device);
        Ok(match info {
            None => {
                (counts.address_info_count, counts.vendor_info_count) =
                    (report.addresses.len() as u32, report.vendors.len() as u32);
                counts.vendor_binary_size = report.binary.len() as u64;
                vk::Result::SUCCESS
            }
            Some(info) => report.fill(counts, info),
        })
    }
}

/// What the query tells.
struct Report<'d> {
    description: &'d str,
    addresses: Vec<AddressInfo>,
    vendors: Vec<&'d VendorInfo>,
    binary: &'d [u8],
}

impl<'d> Report<'d> {
    fn of(device: &'d DeviceState) -> Report<'d> {
        let snapshot: Option<&Snapshot> = device.engine.fault().snapshot();
        let records: &[Record] = snapshot.map_or(&[], |snapshot| &snapshot.records);
        Report {
            description: records.first().map_or("", |record| &record.description),
            addresses: records
                .iter()
                .flat_map(|record| record.address.into_iter().chain(record.instruction))
                .collect(),
            vendors: records.iter().map(|record| &record.vendor).collect(),
            binary: snapshot
                .filter(|_| device.features.has("deviceFaultVendorBinary"))
                .map_or(&[], |snapshot| &snapshot.dump),
        }
    }

    /// Fills as much as there is room for; `INCOMPLETE` if anything was cut short.
    fn fill(
        &self,
        counts: &mut vk::DeviceFaultCountsEXT<'_>,
        info: &mut vk::DeviceFaultInfoEXT<'_>,
    ) -> vk::Result {
        write_text(&mut info.description, self.description);
        let addresses = fill_array(
            info.p_address_infos,
            &mut counts.address_info_count,
            &self.addresses,
            |from| vk::DeviceFaultAddressInfoEXT {
                address_type: vk::DeviceFaultAddressTypeEXT::from_raw(from.ty as i32),
                reported_address: from.address,
                address_precision: from.precision,
            },
        );
        let vendors = fill_array(
            info.p_vendor_infos,
            &mut counts.vendor_info_count,
            &self.vendors,
            |from| {
                let mut to = vk::DeviceFaultVendorInfoEXT {
                    vendor_fault_code: from.code,
                    vendor_fault_data: from.data,
                    ..Default::default()
                };
                write_text(&mut to.description, &from.description);
                to
            },
        );
        let binary = self.fill_binary(counts, info);
        if addresses && vendors && binary {
            vk::Result::SUCCESS
        } else {
            vk::Result::INCOMPLETE
        }
    }

    /// The binary, or as much of it as fits if that is a complete header with its names; else nothing.
    fn fill_binary(
        &self,
        counts: &mut vk::DeviceFaultCountsEXT<'_>,
        info: &vk::DeviceFaultInfoEXT<'_>,
    ) -> bool {
        let room = usize::try_from(counts.vendor_binary_size).unwrap_or(usize::MAX);
        let fit =
            if info.p_vendor_binary_data.is_null() || room < lahar::fault::dump::header_bytes(self.binary) {
                0
            } else {
                room.min(self.binary.len())
            };
        if fit > 0 {
            // SAFETY: the pointer is not null and has room for the capacity in `counts`, as Vulkan asks.
            unsafe {
                std::ptr::copy_nonoverlapping(self.binary.as_ptr(), info.p_vendor_binary_data.cast(), fit)
            };
        }
        counts.vendor_binary_size = fit as u64;
        info.p_vendor_binary_data.is_null() || fit == self.binary.len()
    }
}

/// Writes what fits and its number; whether that was all. A null array asks for nothing.
fn fill_array<F, T>(array: *mut T, count: &mut u32, items: &[F], make: impl Fn(&F) -> T) -> bool {
    if array.is_null() {
        *count = 0;
        return true;
    }
    let fit = items.len().min(*count as usize);
    for (i, item) in items[..fit].iter().enumerate() {
        // SAFETY: the array is not null and has `count` elements, as Vulkan asks; `i` is below that.
        unsafe { array.add(i).write(make(item)) };
    }
    *count = fit as u32;
    fit == items.len()
}

/// Writes a text with its NUL and zeros behind it; it fits by the rules of the fault records.
fn write_text(to: &mut [c_char; vk::MAX_DESCRIPTION_SIZE], text: &str) {
    let bytes = text.as_bytes().iter().take(to.len() - 1).map(|&c| c as c_char);
    let padded = bytes.chain(std::iter::repeat(0));
    to.iter_mut().zip(padded).for_each(|(to, c)| *to = c);
}
