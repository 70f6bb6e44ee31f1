//! What descriptor capture and replay must know of an object: opaque bytes that identify it among all that were made
//! from the same information.
//!
//! Descriptors follow from memory addresses and creation information alone, so nothing in these bytes changes a
//! descriptor. They are there to refuse what would not give the same descriptor, and what was not captured.

use parking_lot::Mutex;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Bytes of opaque data, for every kind of object.
pub const CAPTURE_DATA_SIZE: usize = 32;

/// Bytes of the opaque data of an image for descriptor heaps, which says where the image lay, too.
pub const HEAP_CAPTURE_DATA_SIZE: usize = 48;

/// "LHD" and the version of the data.
const MAGIC: [u8; 4] = *b"LHD\x01";

/// What is captured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs, reason = "Vulkan's names")]
#[repr(u32)]
pub enum CaptureKind {
    Buffer = 1,
    Image = 2,
    ImageView = 3,
    Sampler = 4,
}

/// The data does not belong to an object like this one, or is in use, or damaged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the opaque capture data does not fit")]
pub struct NotCaptured;

/// A hash of creation information: the same in every run and on every host.
#[must_use]
pub fn fingerprint(words: impl IntoIterator<Item = u64>) -> u64 {
    words.into_iter().fold(0xcbf2_9ce4_8422_2325, |hash: u64, word| {
        // FNV's step, and a shift so that the high bits of a word reach the low ones of the hash.
        let mixed = (hash ^ word).wrapping_mul(0x0100_0000_01b3);
        mixed ^ mixed >> 32
    })
}

/// The identities of a device's captured objects.
#[derive(Debug, Default)]
pub struct Captures(Mutex<BTreeMap<(CaptureKind, u64), Numbers>>);

/// Numbers of the objects that were made from the same information.
#[derive(Debug, Default)]
struct Numbers {
    used: BTreeSet<u64>,
    /// The greatest that was ever used: fresh objects do not take what may be replayed.
    last: u64,
}

/// The identity of an object; free again when it is dropped.
#[derive(Debug)]
pub struct Capture {
    captures: Arc<Captures>,
    kind: CaptureKind,
    fingerprint: u64,
    number: u64,
}

impl Captures {
    /// An identity for a new object.
    #[must_use]
    pub fn fresh(self: &Arc<Captures>, kind: CaptureKind, fingerprint: u64) -> Capture {
        let mut all = self.0.lock();
        let numbers = all.entry((kind, fingerprint)).or_default();
        numbers.last += 1;
        numbers.used.insert(numbers.last);
        self.capture(kind, fingerprint, numbers.last)
    }

    /// The identity that some data gives an object.
    ///
    /// # Errors
    /// As those of [`number_of`] and [`Captures::take`].
    pub fn replay(
        self: &Arc<Captures>,
        kind: CaptureKind,
        fingerprint: u64,
        data: &[u8; CAPTURE_DATA_SIZE],
    ) -> Result<Capture, NotCaptured> {
        self.take(kind, fingerprint, number_of(kind, fingerprint, data)?)
    }

    /// The identity with a number that says more than that: of a sparse resource, where it lies.
    ///
    /// # Errors
    /// While an object has that identity.
    pub fn take(
        self: &Arc<Captures>,
        kind: CaptureKind,
        fingerprint: u64,
        number: u64,
    ) -> Result<Capture, NotCaptured> {
        let mut all = self.0.lock();
        let numbers = all.entry((kind, fingerprint)).or_default();
        if !numbers.used.insert(number) {
            return Err(NotCaptured);
        }
        numbers.last = numbers.last.max(number);
        Ok(self.capture(kind, fingerprint, number))
    }

    fn capture(self: &Arc<Captures>, kind: CaptureKind, fingerprint: u64, number: u64) -> Capture {
        Capture {
            captures: self.clone(),
            kind,
            fingerprint,
            number,
        }
    }
}

/// The number in an object's data.
///
/// # Errors
/// If the data is of another object than one of this kind and fingerprint, or is damaged.
pub fn number_of(
    kind: CaptureKind,
    fingerprint: u64,
    data: &[u8; CAPTURE_DATA_SIZE],
) -> Result<u64, NotCaptured> {
    let number = u64::from_le_bytes(std::array::from_fn(|i| data[16 + i]));
    // Fresh numbers follow the greatest: one beyond reason would use them up.
    if data_of(kind, fingerprint, number) != *data || number == 0 || number > u64::from(u32::MAX) {
        return Err(NotCaptured);
    }
    Ok(number)
}

/// The opaque data of an object.
fn data_of(kind: CaptureKind, fingerprint: u64, number: u64) -> [u8; CAPTURE_DATA_SIZE] {
    let mut data = [0; CAPTURE_DATA_SIZE];
    data[..4].copy_from_slice(&MAGIC);
    data[4..8].copy_from_slice(&(kind as u32).to_le_bytes());
    data[8..16].copy_from_slice(&fingerprint.to_le_bytes());
    data[16..24].copy_from_slice(&number.to_le_bytes());
    let sum = crc32fast::hash(&data[..28]);
    data[28..].copy_from_slice(&sum.to_le_bytes());
    data
}

/// The opaque data of an image for descriptor heaps.
#[must_use]
pub fn with_address(data: &[u8; CAPTURE_DATA_SIZE], address: u64) -> [u8; HEAP_CAPTURE_DATA_SIZE] {
    let mut all = [0; HEAP_CAPTURE_DATA_SIZE];
    all[..CAPTURE_DATA_SIZE].copy_from_slice(data);
    all[CAPTURE_DATA_SIZE..40].copy_from_slice(&address.to_le_bytes());
    let sum = crc32fast::hash(&all[..40]);
    all[40..44].copy_from_slice(&sum.to_le_bytes());
    all
}

/// The parts of such data.
///
/// # Errors
/// If it is none, or damaged.
pub fn parts(bytes: &[u8]) -> Result<(&[u8; CAPTURE_DATA_SIZE], u64), NotCaptured> {
    let (data, rest) = bytes.split_first_chunk().ok_or(NotCaptured)?;
    let (address, _) = rest.split_first_chunk().ok_or(NotCaptured)?;
    let address = u64::from_le_bytes(*address);
    if with_address(data, address) != *bytes {
        return Err(NotCaptured);
    }
    Ok((data, address))
}

impl Capture {
    /// The opaque data.
    #[must_use]
    pub fn data(&self) -> [u8; CAPTURE_DATA_SIZE] {
        data_of(self.kind, self.fingerprint, self.number)
    }
}

impl Drop for Capture {
    fn drop(&mut self) {
        if let Some(numbers) = self.captures.0.lock().get_mut(&(self.kind, self.fingerprint)) {
            numbers.used.remove(&self.number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identities_are_had_again_in_any_order_but_once_at_a_time() {
        let kind = CaptureKind::Sampler;
        let captured = {
            let captures = Arc::new(Captures::default());
            let all = [captures.fresh(kind, 7), captures.fresh(kind, 7)];
            all.each_ref().map(Capture::data)
        };
        assert_ne!(captured[0], captured[1]);
        let captures = Arc::new(Captures::default());
        let second = captures.replay(kind, 7, &captured[1]).unwrap();
        assert_eq!(
            captures.replay(kind, 7, &captured[1]).err(),
            Some(NotCaptured),
            "in use"
        );
        let first = captures.replay(kind, 7, &captured[0]).unwrap();
        assert_eq!([first.data(), second.data()], captured);
        let third = captures.fresh(kind, 7);
        assert!(!captured.contains(&third.data()));
        drop(first);
        captures.replay(kind, 7, &captured[0]).unwrap();
    }

    #[test]
    fn data_that_does_not_fit_is_refused() {
        let captures = Arc::new(Captures::default());
        let data = captures.fresh(CaptureKind::Buffer, 7).data();
        let replay = |kind, print, data: &_| captures.replay(kind, print, data).is_ok();
        assert!(replay(CaptureKind::Buffer, 7, &data));
        assert!(!replay(CaptureKind::Image, 7, &data) && !replay(CaptureKind::Buffer, 8, &data));
        for bit in 0..CAPTURE_DATA_SIZE * 8 {
            let mut damaged = data;
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert!(!replay(CaptureKind::Buffer, 7, &damaged), "bit {bit}");
        }
        assert!(!replay(CaptureKind::Buffer, 7, &[0; CAPTURE_DATA_SIZE]));
    }

    #[test]
    fn fingerprints_depend_on_each_word_and_their_order() {
        let of = |words: &[u64]| fingerprint(words.iter().copied());
        assert_ne!(of(&[1, 2]), of(&[2, 1]));
        assert_ne!(of(&[1 << 63, 0]), of(&[0, 0]));
        assert_eq!(of(&[1, 2, 3]), of(&[1, 2, 3]));
    }
}
