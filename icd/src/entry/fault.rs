//! Fault queries: `VK_EXT_device_fault` and `VK_KHR_device_fault`.
//!
//! The snapshot that was frozen at the loss is behind all of them, so every call gives the same; on a healthy
//! device all is zero. Only `vkGetDeviceFaultReportsKHR` consumes, and from a queue of its own.

use crate::{
    args::OutArray,
    boundary::commands,
    chain,
    device::{Device, DeviceState},
    dispatch::Ref,
    error::Error,
    generated::device_fault::{
        DeviceFaultDebugInfoKHR, DeviceFaultInfoKHR, DeviceFaultShaderAbortMessageInfoKHR,
        ERROR_NOT_ENOUGH_SPACE_KHR,
    },
};
use ash::vk;
use lahar::{
    fault::{self, AddressInfo, Record, Snapshot, VendorInfo},
    sync::Deadline,
};
use std::ffi::{c_char, c_void};

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

    fn vkGetDeviceFaultReportsKHR(
        device: Ref<Device>,
        timeout: u64,
        count: &mut u32,
        infos: OutArray<DeviceFaultInfoKHR>,
    ) -> vk::Result {
        let (reports, hub) = (device.engine.fault().reports(), device.engine.hub());
        let deadline = Deadline::after(timeout);
        if infos.is_null() {
            *count = reports.count(hub, deadline) as u32;
            return Ok(if *count == 0 { vk::Result::TIMEOUT } else { vk::Result::SUCCESS });
        }
        let (taken, left) = reports.take(hub, deadline, *count as usize);
        for (to, from) in infos.get(taken.len() as u32).iter_mut().zip(&taken) {
            write_report(to, from);
        }
        *count = taken.len() as u32;
        Ok(match (taken.len(), left) {
            (0, 0) => vk::Result::TIMEOUT,
            (_, 0) => vk::Result::SUCCESS,
            _ => vk::Result::INCOMPLETE,
        })
    }

    fn vkGetDeviceFaultDebugInfoKHR(device: Ref<Device>, info: &mut DeviceFaultDebugInfoKHR) -> vk::Result {
        let binary = Report::of(&device).binary;
        let mut size = u64::from(info.vendor_binary_size);
        let fits = fill_bytes(info.p_vendor_binary_data, &mut size, binary);
        info.vendor_binary_size = size as u32;
        let mut all = fits;
        if let Some(messages) = chain::find_mut::<DeviceFaultShaderAbortMessageInfoKHR, _>(info) {
            let snapshot = device.engine.fault().snapshot();
            let told = snapshot.filter(|_| device.features.has("shaderAbort"));
            let bytes = told.map_or(&[][..], |snapshot| &snapshot.messages);
            all &= fill_bytes(messages.p_message_data, &mut messages.message_data_size, bytes);
        }
        if all { Ok(vk::Result::SUCCESS) } else { Err(Error(ERROR_NOT_ENOUGH_SPACE_KHR)) }
    }
}

/// Writes bytes where there is room for all of them, and how many; without a pointer only how many there are.
fn fill_bytes(to: *mut c_void, size: &mut u64, bytes: &[u8]) -> bool {
    let needed = bytes.len() as u64;
    if to.is_null() {
        *size = needed;
        return true;
    }
    if *size < needed {
        *size = 0;
        return false;
    }
    // SAFETY: the pointer is not null and has room for the size given, as Vulkan asks.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), to.cast(), bytes.len()) };
    *size = needed;
    true
}

/// Fills in all but sType and pNext; what its flag does not claim is zero.
fn write_report(to: &mut DeviceFaultInfoKHR, from: &fault::Report) {
    let record = &from.record;
    to.flags = [
        (from.flags.device_lost, DEVICE_LOST),
        (record.address.is_some(), MEMORY_ADDRESS),
        (record.instruction.is_some(), INSTRUCTION_ADDRESS),
        (true, VENDOR),
        (from.flags.watchdog, WATCHDOG_TIMEOUT),
        (from.flags.overflow, OVERFLOW),
    ]
    .iter()
    .fold(0, |flags, &(on, bit)| if on { flags | bit } else { flags });
    to.group_id = from.group;
    write_text(&mut to.description, &record.description);
    write_address(&mut to.fault_address_info, record.address.as_ref());
    write_address(&mut to.instruction_address_info, record.instruction.as_ref());
    to.vendor_info = vendor_info(&record.vendor);
}

// VkDeviceFaultFlagBitsKHR.
const DEVICE_LOST: u32 = 0x01;
const MEMORY_ADDRESS: u32 = 0x02;
const INSTRUCTION_ADDRESS: u32 = 0x04;
const VENDOR: u32 = 0x08;
const WATCHDOG_TIMEOUT: u32 = 0x10;
const OVERFLOW: u32 = 0x20;

/// Writes an address, or zeros; the padding behind the type too, so that equal queries give equal bytes.
fn write_address(to: &mut vk::DeviceFaultAddressInfoEXT, from: Option<&AddressInfo>) {
    // SAFETY: the structure is plain integers, of which zeros are values.
    unsafe { std::ptr::write_bytes(to, 0, 1) };
    if let Some(from) = from {
        to.address_type = vk::DeviceFaultAddressTypeEXT::from_raw(from.ty as i32);
        to.reported_address = from.address;
        to.address_precision = from.precision;
    }
}

fn vendor_info(from: &VendorInfo) -> vk::DeviceFaultVendorInfoEXT {
    let mut to = vk::DeviceFaultVendorInfoEXT {
        vendor_fault_code: from.code,
        vendor_fault_data: from.data,
        ..Default::default()
    };
    write_text(&mut to.description, &from.description);
    to
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
            |to, from| write_address(to, Some(from)),
        );
        let vendors = fill_array(
            info.p_vendor_infos,
            &mut counts.vendor_info_count,
            &self.vendors,
            |to, from| *to = vendor_info(from),
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
        let fit = if info.p_vendor_binary_data.is_null() || room < fault::dump::header_bytes(self.binary) {
            0
        } else {
            room.min(self.binary.len())
        };
        if fit > 0 {
            // SAFETY: the pointer is not null and has room for the capacity in `counts`, as Vulkan asks.
            unsafe {
                std::ptr::copy_nonoverlapping(self.binary.as_ptr(), info.p_vendor_binary_data.cast(), fit);
            };
        }
        counts.vendor_binary_size = fit as u64;
        info.p_vendor_binary_data.is_null() || fit == self.binary.len()
    }
}

/// Writes what fits and its number; whether that was all. A null array asks for nothing.
fn fill_array<F, T>(array: *mut T, count: &mut u32, items: &[F], write: impl Fn(&mut T, &F)) -> bool {
    if array.is_null() {
        *count = 0;
        return true;
    }
    let fit = items.len().min(*count as usize);
    for (i, item) in items[..fit].iter().enumerate() {
        // SAFETY: the array is not null and has `count` elements, as Vulkan asks; `i` is below that.
        write(unsafe { &mut *array.add(i) }, item);
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
