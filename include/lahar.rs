//! Lahar's control interface for Rust programs that use `ash`: copy this file into your tests.
//!
//! ```ignore
//! let lahar = lahar::Control::load(|name| unsafe { (instance.fp_v1_0().get_device_proc_addr)(device.handle(), name) });
//! if let Some(lahar) = lahar {
//!     let rule = lahar.arm(device.handle(), "lose@submit#2 read")?;
//!     // …
//!     assert_eq!(lahar.rules(device.handle())[0].fired, 1);
//! }
//! ```

use ash::vk;
use std::ffi::{CStr, CString, c_char};

/// How a rule stands, as in `lahar.h`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RuleState {
    /// Its number.
    pub rule: u64,
    /// Events that it has counted.
    pub counted: u64,
    /// How often it has fired.
    pub fired: u64,
    /// Its fault, as in a plan.
    pub fault: [c_char; 32],
    /// Its name, or empty.
    pub name: [c_char; 64],
}

type Arm = unsafe extern "system" fn(vk::Device, *const c_char, *mut u64, *mut c_char, usize) -> vk::Result;
type Get = unsafe extern "system" fn(vk::Device, *mut u32, *mut RuleState) -> vk::Result;
type Clear = unsafe extern "system" fn(vk::Device, u64) -> u32;

/// The functions.
#[derive(Clone, Copy)]
pub struct Control {
    arm: Arm,
    get: Get,
    clear: Clear,
}

impl Control {
    /// The functions of a device, if it is Lahar's.
    pub fn load(get: impl Fn(*const c_char) -> vk::PFN_vkVoidFunction) -> Option<Control> {
        let find = |name: &CStr| get(name.as_ptr());
        let (arm, rules, clear) = (
            find(c"laharArmRules")?,
            find(c"laharGetRules")?,
            find(c"laharClearRules")?,
        );
        // SAFETY: the names are those of functions of these types.
        unsafe {
            Some(Control {
                arm: std::mem::transmute::<unsafe extern "system" fn(), Arm>(arm),
                get: std::mem::transmute::<unsafe extern "system" fn(), Get>(rules),
                clear: std::mem::transmute::<unsafe extern "system" fn(), Clear>(clear),
            })
        }
    }

    /// Arms rules, in one line or as the text of a plan; the number of the first, or what is wrong.
    pub fn arm(&self, device: vk::Device, rules: &str) -> Result<u64, String> {
        let text = CString::new(rules).map_err(|error| error.to_string())?;
        let (mut rule, mut message) = (0, [0 as c_char; 1024]);
        // SAFETY: the device is Lahar's; the pointers are valid for what is told.
        let result = unsafe {
            (self.arm)(
                device,
                text.as_ptr(),
                &mut rule,
                message.as_mut_ptr(),
                message.len(),
            )
        };
        if result == vk::Result::SUCCESS {
            return Ok(rule);
        }
        // SAFETY: the message ends with a NUL.
        Err(unsafe { CStr::from_ptr(message.as_ptr()) }
            .to_string_lossy()
            .into_owned())
    }

    /// How all rules stand.
    pub fn rules(&self, device: vk::Device) -> Vec<RuleState> {
        let mut count = 0;
        // SAFETY: the device is Lahar's; a null array asks for the count.
        let counted = unsafe { (self.get)(device, &mut count, std::ptr::null_mut()) };
        if counted != vk::Result::SUCCESS {
            return Vec::new();
        }
        let mut rules = Vec::with_capacity(count as usize);
        // SAFETY: there is room for so many, and as many as are told are filled in.
        unsafe {
            if (self.get)(device, &mut count, rules.as_mut_ptr()).as_raw() >= 0 {
                rules.set_len(count as usize);
            }
        }
        rules
    }

    /// Removes a rule, or all with 0; how many.
    pub fn clear(&self, device: vk::Device, rule: u64) -> u32 {
        // SAFETY: the device is Lahar's.
        unsafe { (self.clear)(device, rule) }
    }
}
