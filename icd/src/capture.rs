//! Descriptor capture and replay at the C ABI: opaque data in and out.

use crate::{
    chain,
    device::DeviceState,
    error::{Answer, Error},
};
use ash::vk::{self, TaggedStructure};
use lahar::descriptor::{CAPTURE_DATA_SIZE, Capture, CaptureKind};
use std::ffi::c_void;

impl DeviceState {
    /// The identity of an object for capture and replay: that of the data in the creation's chain, a new one if the
    /// creation's flags ask for one, else none.
    pub(crate) fn capture<I: TaggedStructure>(
        &self,
        info: &I,
        asked: bool,
        kind: CaptureKind,
        fingerprint: u64,
    ) -> Answer<Option<Capture>> {
        let given = chain::find::<vk::OpaqueCaptureDescriptorDataCreateInfoEXT<'_>, _>(info);
        let data = given.map_or(std::ptr::null(), |given| given.opaque_capture_descriptor_data);
        // SAFETY: the pointer is null or to data of the size that the device's properties say.
        let data = unsafe { data.cast::<[u8; CAPTURE_DATA_SIZE]>().as_ref() };
        match data {
            Some(data) => {
                let replayed = self.captures.replay(kind, fingerprint, data);
                replayed
                    .map(Some)
                    .map_err(|_| Error(vk::Result::ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS))
            }
            None => Ok(asked.then(|| self.captures.fresh(kind, fingerprint))),
        }
    }
}

/// Writes the opaque data of an object; zeros, which nothing replays from, if it was not made to be captured.
///
/// # Safety
/// The pointer is null or has room for the data.
pub(crate) unsafe fn write(capture: Option<&Capture>, to: *mut c_void) {
    let data = capture.map_or([0; CAPTURE_DATA_SIZE], Capture::data);
    if !to.is_null() {
        // SAFETY: the caller vouches for the room.
        unsafe { to.cast::<[u8; CAPTURE_DATA_SIZE]>().write_unaligned(data) };
    }
}
