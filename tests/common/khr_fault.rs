//! `VK_KHR_device_fault` as the registry lays it out, by hand: ash lacks it, and what tests ask with should not come
//! from the generator that is tested.

use super::{Device, vk};
use std::ffi::{c_char, c_void};

/// `VkDeviceFaultInfoKHR`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Info {
    /// sType.
    pub s_type: i32,
    /// pNext.
    pub p_next: *mut c_void,
    /// `VkDeviceFaultFlagsKHR`.
    pub flags: u32,
    /// Group.
    pub group: u64,
    /// Text.
    pub description: [c_char; 256],
    /// Type, padding; address; precision.
    pub address: [u64; 3],
    /// As the above.
    pub instruction: [u64; 3],
    /// `VkDeviceFaultVendorInfoKHR`: text, code, data.
    pub vendor: ([c_char; 256], u64, u64),
}

const _: () = assert!(size_of::<Info>() == 608);
const _: () = assert!(std::mem::offset_of!(Info, address) == 288);
const _: () = assert!(std::mem::offset_of!(Info, vendor) == 336);

impl Default for Info {
    fn default() -> Self {
        Self {
            s_type: 1_000_573_002,
            p_next: std::ptr::null_mut(),
            flags: u32::MAX,
            group: u64::MAX,
            description: [1; 256],
            address: [u64::MAX; 3],
            instruction: [u64::MAX; 3],
            vendor: ([1; 256], u64::MAX, u64::MAX),
        }
    }
}

/// `VkDeviceFaultDebugInfoKHR`.
#[repr(C)]
pub struct DebugInfo {
    /// sType.
    pub s_type: i32,
    /// pNext.
    pub p_next: *mut c_void,
    /// Bytes.
    pub size: u32,
    /// Where to.
    pub data: *mut c_void,
}

const _: () = assert!(size_of::<DebugInfo>() == 32);

impl DebugInfo {
    /// With room for `size` bytes at `data`.
    pub fn new(size: u32, data: *mut u8) -> Self {
        Self {
            s_type: 1_000_573_003,
            p_next: std::ptr::null_mut(),
            size,
            data: data.cast(),
        }
    }
}

/// `VkDeviceFaultShaderAbortMessageInfoKHR`.
#[repr(C)]
pub struct AbortMessages {
    /// sType.
    pub s_type: i32,
    /// pNext.
    pub p_next: *mut c_void,
    /// Bytes.
    pub size: u64,
    /// Where to.
    pub data: *mut c_void,
}

impl AbortMessages {
    /// With room for `size` bytes at `data`.
    pub fn new(size: u64, data: *mut u8) -> Self {
        Self {
            s_type: 1_000_233_001,
            p_next: std::ptr::null_mut(),
            size,
            data: data.cast(),
        }
    }
}

/// A structure of one feature.
#[repr(C)]
pub struct Feature {
    /// sType.
    pub s_type: i32,
    /// pNext.
    pub p_next: *mut c_void,
    /// Whether it is asked for.
    pub on: u32,
}

/// `VkPhysicalDeviceShaderConstantDataFeaturesKHR` and `VkPhysicalDeviceShaderAbortFeaturesKHR`.
pub const ABORT_FEATURES: [i32; 2] = [1_000_231_000, 1_000_233_000];

/// `VkPhysicalDeviceFaultFeaturesKHR`.
#[repr(C)]
pub struct Features {
    /// sType.
    pub s_type: i32,
    /// pNext.
    pub p_next: *mut c_void,
    /// deviceFault, deviceFaultVendorBinary, deviceFaultReportMasked, deviceFaultDeviceLostOnMasked.
    pub on: [u32; 4],
}

impl Default for Features {
    fn default() -> Self {
        Self {
            s_type: 1_000_573_000,
            p_next: std::ptr::null_mut(),
            on: [0; 4],
        }
    }
}

// SAFETY: it begins with sType and pNext, and is one of the chains that it is said to extend.
unsafe impl vk::ExtendsDeviceCreateInfo for Features {}
// SAFETY: as above.
unsafe impl vk::ExtendsPhysicalDeviceFeatures2 for Features {}

/// The two commands.
#[derive(Clone, Copy)]
pub struct Functions {
    device: vk::Device,
    reports: Reports,
    debug: Debug,
}

type Any = unsafe extern "system" fn();
type Reports = unsafe extern "system" fn(vk::Device, u64, *mut u32, *mut Info) -> vk::Result;
type Debug = unsafe extern "system" fn(vk::Device, *mut DebugInfo) -> vk::Result;

impl Functions {
    /// Those of a device that has the extension.
    pub fn new(device: &Device) -> Self {
        let get = device.instance.raw.fp_v1_0().get_device_proc_addr;
        // SAFETY: the pointers are cast to the types that the registry gives the commands.
        unsafe {
            let find = |name: &std::ffi::CStr| {
                get(device.raw.handle(), name.as_ptr()).unwrap_or_else(|| panic!("no {name:?}"))
            };
            Self {
                device: device.raw.handle(),
                reports: std::mem::transmute::<Any, Reports>(find(c"vkGetDeviceFaultReportsKHR")),
                debug: std::mem::transmute::<Any, Debug>(find(c"vkGetDeviceFaultDebugInfoKHR")),
            }
        }
    }

    /// The number of reports.
    pub fn count(&self, timeout: u64) -> (vk::Result, u32) {
        let mut count = 77;
        // SAFETY: the device lives.
        let result = unsafe { (self.reports)(self.device, timeout, &raw mut count, std::ptr::null_mut()) };
        (result, count)
    }

    /// Takes up to `room` reports.
    pub fn take(&self, timeout: u64, room: u32) -> (vk::Result, Vec<Info>) {
        let mut infos = vec![Info::default(); room as usize + 1];
        let mut count = room;
        // SAFETY: the device lives, and the array is long enough.
        let result = unsafe { (self.reports)(self.device, timeout, &raw mut count, infos.as_mut_ptr()) };
        assert_eq!(infos[room as usize].flags, u32::MAX, "nothing beyond");
        infos.truncate(count as usize);
        (result, infos)
    }

    /// Asks for the binary, and what else the chain says.
    pub fn debug(&self, info: &mut DebugInfo) -> vk::Result {
        // SAFETY: the device lives, and the structure is valid.
        unsafe { (self.debug)(self.device, info) }
    }
}

/// A text of a report.
pub fn text(chars: &[c_char; 256]) -> String {
    let end = chars.iter().position(|&c| c == 0).expect("an end");
    let bytes: Vec<u8> = chars[..end].iter().map(|&c| c.cast_unsigned()).collect();
    String::from_utf8(bytes).expect("UTF-8")
}
