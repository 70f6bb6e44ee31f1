//! Writes a dump. The same loss gives the same bytes.

use super::sections::{CauseSection, DeviceSection, PlanSection, RecordSection};
use super::{HEADER_BYTES, Identity, LAYOUT_VERSION, MAGIC};
use crate::device::Cause;
use crate::fault::record::Record;
use crate::fault::scene::Surroundings;
use crate::fault::store::FaultDesc;
use serde::Serialize;

/// Version of every section written here.
const SECTION_VERSION: u32 = 1;

/// The dump of a loss.
#[must_use]
pub fn write(desc: &FaultDesc, cause: &Cause, records: &[Record], around: &Surroundings) -> Vec<u8> {
    let mut sections = Sections::default();
    sections.add(*b"CAUS", &CauseSection::of(cause));
    sections.add(
        *b"RECS",
        &records.iter().map(RecordSection::of).collect::<Vec<_>>(),
    );
    if let Some(attribution) = &cause.attribution {
        sections.add(*b"ATTR", attribution);
    }
    if !around.timeline.submissions.is_empty() {
        sections.add(*b"TIME", &around.timeline);
    }
    if !around.reached.is_empty() {
        sections.add(*b"MARK", &around.reached);
    }
    if let Some(map) = &around.map {
        sections.add(*b"AMAP", map);
    }
    if let Some(objects) = &around.objects {
        sections.add(*b"OBJS", objects);
    }
    if !around.heaps.is_empty() {
        sections.add(*b"HEAP", &around.heaps);
    }
    sections.add(
        *b"DEVI",
        &DeviceSection {
            generation: desc.generation,
        },
    );
    if let Some(plan) = &desc.plan {
        sections.add(*b"PLAN", &PlanSection::of(plan));
    }
    sections.add(*b"ENVI", &desc.environment);
    let mut out = header(&desc.identity);
    out.extend_from_slice(&MAGIC);
    out.extend_from_slice(&LAYOUT_VERSION.to_le_bytes());
    out.extend_from_slice(&sections.count.to_le_bytes());
    out.extend_from_slice(&sections.bytes);
    out
}

#[derive(Default)]
struct Sections {
    count: u32,
    bytes: Vec<u8>,
}

impl Sections {
    /// Tag, version, length and CRC-32 of the payload, then the payload, padded to eight bytes.
    fn add(&mut self, tag: [u8; 4], content: &impl Serialize) {
        // The types of `sections.rs` hold strings, numbers and lists of them: nothing that JSON refuses.
        let Ok(payload) = serde_json::to_vec(content) else {
            return;
        };
        self.count += 1;
        self.bytes.extend_from_slice(&tag);
        for word in [SECTION_VERSION, payload.len() as u32, crc32fast::hash(&payload)] {
            self.bytes.extend_from_slice(&word.to_le_bytes());
        }
        self.bytes.extend_from_slice(&payload);
        pad(&mut self.bytes);
    }
}

fn pad(bytes: &mut Vec<u8>) {
    bytes.resize(bytes.len().next_multiple_of(8), 0);
}

/// `VkDeviceFaultVendorBinaryHeaderVersionOneEXT`, little-endian, and the two names behind it.
fn header(id: &Identity) -> Vec<u8> {
    let mut names = Vec::new();
    let mut place = |name: &str| {
        // A name ends at its first NUL, as in the application's own string.
        let name = name.split('\0').next().unwrap_or_default();
        if name.is_empty() {
            return 0;
        }
        let offset = (HEADER_BYTES + names.len()) as u32;
        names.extend_from_slice(name.as_bytes());
        names.push(0);
        offset
    };
    let (application, engine) = (place(&id.application_name), place(&id.engine_name));
    let mut out = Vec::with_capacity(1024);
    for word in [
        HEADER_BYTES as u32,
        1,
        id.vendor_id,
        id.device_id,
        id.driver_version,
    ] {
        out.extend_from_slice(&word.to_le_bytes());
    }
    out.extend_from_slice(&id.pipeline_cache_uuid);
    for word in [
        application,
        id.application_version,
        engine,
        id.engine_version,
        id.api_version,
    ] {
        out.extend_from_slice(&word.to_le_bytes());
    }
    out.extend_from_slice(&names);
    pad(&mut out);
    out
}

/// Bytes of the header and its names, without which a dump is of no use to a reader; 0 where there is no dump.
#[must_use]
pub fn header_bytes(dump: &[u8]) -> usize {
    dump.windows(MAGIC.len())
        .position(|window| window == MAGIC)
        .unwrap_or(dump.len())
}
