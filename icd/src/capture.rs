//! Descriptor capture and replay at the C ABI: opaque data in and out.

use crate::{
    args::slice,
    chain,
    device::DeviceState,
    error::{Answer, Error},
    generated::descriptor_heap::OpaqueCaptureDataCreateInfoEXT,
};
use ash::vk::{self, TaggedStructure};
use lahar::{
    descriptor::{CAPTURE_DATA_SIZE, Capture, CaptureKind, number_of, parts},
    memory::{Placement, SPARSE_BLOCK, SparseRange},
};
use std::{ffi::c_void, sync::Arc};

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
        match given(info)? {
            Some(data) => {
                let replayed = self.captures.replay(kind, fingerprint, data);
                replayed.map(Some).map_err(|_| REFUSED)
            }
            None => Ok(asked.then(|| self.captures.fresh(kind, fingerprint))),
        }
    }

    /// The same for a sparse resource, with its addresses: no memory decides them, so the data does. `otherwise` is where
    /// it may lie if nothing is captured.
    pub(crate) fn capture_sparse<I: TaggedStructure>(
        &self,
        info: &I,
        asked: bool,
        (kind, fingerprint): (CaptureKind, u64),
        otherwise: Placement,
        reserve: impl FnOnce(Placement) -> Answer<Arc<SparseRange>>,
    ) -> Answer<(Option<Capture>, Arc<SparseRange>)> {
        let (range, captured) = match given(info)? {
            Some(data) => {
                let number = number_of(kind, fingerprint, data).map_err(|_| REFUSED)?;
                let address = number * SPARSE_BLOCK;
                if !self.memory.may_be_captured(address) {
                    return Err(REFUSED);
                }
                (reserve(Placement::At(address))?, true)
            }
            None if asked && matches!(otherwise, Placement::Anywhere) => {
                (reserve(Placement::Captured)?, true)
            }
            None => (reserve(otherwise)?, asked),
        };
        let take = || {
            self.captures
                .take(kind, fingerprint, range.address() / SPARSE_BLOCK)
        };
        let capture = captured.then(take).transpose().map_err(|_| REFUSED)?;
        Ok((capture, range))
    }
}

/// What is returned for data that does not fit.
pub(crate) const REFUSED: Error = Error(vk::Result::ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS);

/// The data in a creation's chain.
fn given<I: TaggedStructure>(info: &I) -> Answer<Option<&[u8; CAPTURE_DATA_SIZE]>> {
    if let Some((data, _)) = given_for_heaps(info)? {
        return Ok(Some(data));
    }
    let given = chain::find::<vk::OpaqueCaptureDescriptorDataCreateInfoEXT<'_>, _>(info);
    let data = given.map_or(std::ptr::null(), |given| given.opaque_capture_descriptor_data);
    // SAFETY: the pointer is null or to data of the size that the device's properties say.
    Ok(unsafe { data.cast::<[u8; CAPTURE_DATA_SIZE]>().as_ref() })
}

/// The data for descriptor heaps in a creation's chain, and where the image lay.
pub(crate) fn given_for_heaps<I: TaggedStructure>(
    info: &I,
) -> Answer<Option<(&[u8; CAPTURE_DATA_SIZE], u64)>> {
    let heap = chain::find::<OpaqueCaptureDataCreateInfoEXT, _>(info);
    // SAFETY: the pointer is null or to a range of bytes.
    let Some(range) = heap.and_then(|heap| unsafe { heap.p_data.as_ref() }) else {
        return Ok(None);
    };
    // SAFETY: the range's address is null or that of so many bytes.
    let bytes = unsafe { slice(range.address.cast::<u8>(), range.size as u32) };
    parts(bytes).map(Some).map_err(|_| REFUSED)
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
