//! Asks a lost device what happened.

use crate::context::Context;
use crate::error::{Named, Result};
use ash::vk;
use std::ffi::{CStr, c_char};

/// What the device says of its loss.
pub(crate) struct Report {
    /// For people, a line each.
    pub(crate) lines: Vec<String>,
    /// The vendor binary; empty if there is none.
    pub(crate) binary: Vec<u8>,
}

fn text(chars: &[c_char]) -> String {
    let bytes: &[u8] = bytemuck::cast_slice(chars);
    CStr::from_bytes_until_nul(bytes).map_or(String::new(), |text| text.to_string_lossy().into_owned())
}

fn address_line(info: &vk::DeviceFaultAddressInfoEXT) -> String {
    let (low, high) = (
        info.reported_address & !(info.address_precision.max(1) - 1),
        info.reported_address | (info.address_precision.max(1) - 1),
    );
    format!(
        "address: {:?} at {:#x}, within {low:#x}..={high:#x}",
        info.address_type, info.reported_address
    )
}

/// The report of a lost device; `None` without `VK_EXT_device_fault`.
pub(crate) fn report(context: &Context<'_>) -> Result<Option<Report>> {
    let Some(fault) = &context.fault else {
        return Ok(None);
    };
    let get = fault.fp().get_device_fault_info_ext;
    let device = context.device.handle();
    let mut counts = vk::DeviceFaultCountsEXT::default();
    // SAFETY: the device is lost, and only the sizes are asked for.
    unsafe { get(device, &mut counts, std::ptr::null_mut()) }
        .result()
        .named("vkGetDeviceFaultInfoEXT")?;
    let mut addresses = vec![vk::DeviceFaultAddressInfoEXT::default(); counts.address_info_count as usize];
    let mut vendors = vec![vk::DeviceFaultVendorInfoEXT::default(); counts.vendor_info_count as usize];
    let mut binary = vec![0u8; counts.vendor_binary_size as usize];
    let mut info = vk::DeviceFaultInfoEXT {
        p_address_infos: addresses.as_mut_ptr(),
        p_vendor_infos: vendors.as_mut_ptr(),
        p_vendor_binary_data: binary.as_mut_ptr().cast(),
        ..Default::default()
    };
    // SAFETY: the arrays are as long as `counts` says.
    unsafe { get(device, &mut counts, &mut info) }
        .result()
        .named("vkGetDeviceFaultInfoEXT")?;
    addresses.truncate(counts.address_info_count as usize);
    vendors.truncate(counts.vendor_info_count as usize);
    binary.truncate(counts.vendor_binary_size as usize);
    let mut lines = vec![text(&info.description)];
    lines.extend(addresses.iter().map(address_line));
    lines.extend(vendors.iter().map(|vendor| {
        format!(
            "vendor: {} (code {:#x}, data {:#x})",
            text(&vendor.description),
            vendor.vendor_fault_code,
            vendor.vendor_fault_data
        )
    }));
    Ok(Some(Report { lines, binary }))
}
