//! Control from the program under test: rules are armed, queried and cleared (`include/lahar.h`).
//!
//! The names are not Vulkan's, so neither loader nor layers know them; `vkGetDeviceProcAddr` hands them out for a device.

use crate::{
    args::{Arg, OutArray, text},
    boundary::{Function, guard},
    device::Device,
    dispatch::Ref,
    error::Error,
};
use ash::vk;
use lahar::{device::planned, fault::plan::Plan};
use std::ffi::{CStr, c_char};

/// `LaharRuleState`.
#[repr(C)]
pub(crate) struct RuleState {
    rule: u64,
    counted: u64,
    fired: u64,
    fault: [c_char; 32],
    name: [c_char; 64],
}

/// The function of a name.
pub(crate) fn find(name: &CStr) -> Option<Function> {
    type Arm =
        unsafe extern "system" fn(vk::Device, *const c_char, *mut u64, *mut c_char, usize) -> vk::Result;
    type Get = unsafe extern "system" fn(vk::Device, *mut u32, *mut RuleState) -> vk::Result;
    type Clear = unsafe extern "system" fn(vk::Device, u64) -> u32;
    // SAFETY: callers cast the pointers back to the types that the header gives them.
    unsafe {
        match name.to_bytes() {
            b"laharArmRules" => Some(std::mem::transmute::<Arm, Function>(arm)),
            b"laharGetRules" => Some(std::mem::transmute::<Get, Function>(get)),
            b"laharClearRules" => Some(std::mem::transmute::<Clear, Function>(clear)),
            _ => None,
        }
    }
}

unsafe extern "system" fn arm(
    device: vk::Device,
    rules: *const c_char,
    first: *mut u64,
    message: *mut c_char,
    size: usize,
) -> vk::Result {
    let body = || {
        // SAFETY: the caller passes a live device and a string.
        let (device, text) = unsafe { (<Ref<'_, Device> as Arg>::from_c(device)?, text(rules)) };
        let text = text.ok_or(Error::NULL)?.to_string_lossy();
        let plan = if text.trim_start().starts_with("version") {
            Plan::parse(&text)
        } else {
            Plan::parse_line(&text)
        };
        let (says, answer) = match plan {
            Ok(plan) => {
                let ids = device.engine.arm(plan.rules);
                device.hide();
                planned::activate();
                // SAFETY: the pointer is null or valid.
                if let (Some(first), Some(id)) = (unsafe { first.as_mut() }, ids.first()) {
                    *first = *id;
                }
                (String::new(), Ok(()))
            }
            Err(error) => (
                error.to_string(),
                Err(Error(vk::Result::ERROR_INITIALIZATION_FAILED)),
            ),
        };
        if !message.is_null() && size > 0 {
            // SAFETY: the caller has room for so many bytes.
            super::instance::copy_text(
                unsafe { std::slice::from_raw_parts_mut(message, size) },
                &c_text(&says),
            );
        }
        answer
    };
    guard("laharArmRules", body, |_| {})
}

unsafe extern "system" fn get(device: vk::Device, count: *mut u32, states: *mut RuleState) -> vk::Result {
    let body = || {
        // SAFETY: the caller passes a live device, a count, and an array of that length or null.
        let (device, count, states) = unsafe {
            (
                <Ref<'_, Device> as Arg>::from_c(device)?,
                <&mut u32 as Arg>::from_c(count)?,
                OutArray::new(states),
            )
        };
        let all = device.engine.plan().states();
        Ok(states.enumerate(
            count,
            all.into_iter().map(|state| {
                let mut out = RuleState {
                    rule: state.id,
                    counted: state.counted,
                    fired: state.fired,
                    fault: [0; 32],
                    name: [0; 64],
                };
                super::instance::copy_text(&mut out.fault, &c_text(state.fault));
                super::instance::copy_text(&mut out.name, &c_text(state.name.as_deref().unwrap_or("")));
                out
            }),
        ))
    };
    guard("laharGetRules", body, |_| {})
}

unsafe extern "system" fn clear(device: vk::Device, rule: u64) -> u32 {
    let body = || {
        // SAFETY: the caller passes a live device.
        let device = unsafe { <Ref<'_, Device> as Arg>::from_c(device) }?;
        let count = device.engine.disarm(rule);
        device.hide();
        Ok(u32::try_from(count).unwrap_or(u32::MAX))
    };
    guard("laharClearRules", body, |_| {})
}

/// A C string of a text, up to a NUL in it.
fn c_text(text: &str) -> std::ffi::CString {
    let end = text.find('\0').unwrap_or(text.len());
    std::ffi::CString::new(&text[..end]).unwrap_or_default()
}
