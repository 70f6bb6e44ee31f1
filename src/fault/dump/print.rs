//! A dump as JSON; and the tests of how dumps are written, read and printed.

use super::read::{Dump, Section};

/// Header and sections as one JSON object; sections that are damaged or unknown to JSON are named as such.
#[must_use]
pub fn to_json(dump: &Dump) -> String {
    let id = &dump.header;
    let uuid: String = id
        .pipeline_cache_uuid
        .iter()
        .map(|b| format!("{b:02x}"))
        .collect();
    let sections: Vec<serde_json::Value> = dump.sections.iter().map(section_json).collect();
    let value = serde_json::json!({
        "header": {
            "vendorID": id.vendor_id,
            "deviceID": id.device_id,
            "driverVersion": id.driver_version,
            "pipelineCacheUUID": uuid,
            "applicationName": id.application_name,
            "applicationVersion": id.application_version,
            "engineName": id.engine_name,
            "engineVersion": id.engine_version,
            "apiVersion": id.api_version,
        },
        "sections": sections,
        "truncated": dump.truncated,
    });
    format!("{value:#}")
}

fn section_json(section: &Section) -> serde_json::Value {
    let content = serde_json::from_slice::<serde_json::Value>(&section.payload).ok();
    serde_json::json!({
        "tag": section.name(),
        "version": section.version,
        "intact": section.intact,
        "content": content,
    })
}

#[cfg(test)]
mod tests {
    use super::super::{HEADER_BYTES, Identity, ReadError, read, to_text, write};
    use super::*;
    use crate::device::{Cause, CauseKind, FaultAddress, Position};
    use crate::fault::record::Record;
    use crate::fault::scene::Surroundings;
    use crate::fault::store::FaultDesc;

    fn sample() -> Vec<u8> {
        let mut cause = Cause::new(
            CauseKind::Planned,
            Position {
                submit: 3,
                ..Position::default()
            },
            "as planned",
        );
        cause.address = Some(FaultAddress {
            kind: 1,
            address: 0x1234_5678_9abc,
            precision: 4096,
        });
        cause.labels = vec!["frame".to_owned(), "shadow".to_owned()];
        let identity = Identity {
            vendor_id: 0x1_0000,
            application_name: "app".to_owned(),
            application_version: 7,
            engine_name: "engine".to_owned(),
            api_version: 1 << 22 | 1 << 12,
            ..Identity::default()
        };
        let desc = FaultDesc {
            identity,
            generation: 1,
            ..FaultDesc::default()
        };
        write(&desc, &cause, &[Record::of(&cause)], &Surroundings::default())
    }

    #[test]
    fn a_dump_says_what_happened() {
        let dump = read(&sample()).unwrap();
        let text = to_text(&dump);
        for line in [
            "device lost (planned)",
            "as planned",
            "submission 3",
            "labels: frame / shadow",
            "read at 0x123456789abc (precision 0x1000)",
            "application: app version 7",
            "Vulkan 1.1.0",
        ] {
            assert!(text.contains(line), "`{line}` in:\n{text}");
        }
        let json: serde_json::Value = serde_json::from_str(&to_json(&dump)).unwrap();
        assert_eq!(json["header"]["engineName"], "engine");
        assert_eq!(json["sections"][0]["content"]["submit"], 3);
    }

    #[test]
    fn the_header_is_version_one() {
        let bytes = sample();
        let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
        assert_eq!((word(0), word(4)), (56, 1), "size and version");
        assert_eq!(word(36), 56, "the application's name follows");
        assert_eq!(&bytes[word(44) as usize..][..7], b"engine\0");
    }

    #[test]
    fn any_bytes_are_read_without_harm() {
        let good = sample();
        for len in 0..good.len() {
            match read(&good[..len]) {
                Ok(dump) => assert!(dump.truncated.is_some() || len + 8 > good.len(), "cut at {len}"),
                Err(error) => assert!(!error.to_string().is_empty()),
            }
        }
        let mut state = 1u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as usize
        };
        for _ in 0..20_000 {
            let mut bytes = good.clone();
            for _ in 0..=next() % 4 {
                let at = next() % bytes.len();
                bytes[at] = next() as u8;
            }
            if let Ok(dump) = read(&bytes) {
                assert!(!to_text(&dump).is_empty() && !to_json(&dump).is_empty());
            }
        }
    }

    #[test]
    fn damage_is_named() {
        let mut bytes = sample();
        let last = bytes.len() - 9;
        bytes[last] ^= 1;
        assert!(to_text(&read(&bytes).unwrap()).contains("section ENVI is damaged"));
        assert_eq!(read(&[0; 10]), Err(ReadError::TooShort(10)));
        let foreign = &sample()[..HEADER_BYTES];
        assert_eq!(read(foreign), Err(ReadError::Foreign { vendor: 0x1_0000 }));
    }
}
