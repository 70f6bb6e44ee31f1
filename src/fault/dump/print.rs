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
    use super::super::{HEADER_BYTES, Identity, ReadError, read, to_diff, to_html, to_text, write};
    use super::*;
    use crate::device::{Cause, CauseKind, FaultAddress, Position};
    use crate::fault::record::Record;
    use crate::fault::scene::Surroundings;
    use crate::fault::store::FaultDesc;
    use proptest::prelude::*;

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

    /// A dump with all that a fault in a shader leaves.
    const FULL: &[u8] = include_bytes!("../../../fuzz/seeds/dump/shader.lahar");

    fn print_all(dump: &Dump) {
        assert!(!to_text(dump).is_empty() && !to_json(dump).is_empty());
        let page = to_html(dump);
        assert!(page.ends_with("</html>\n") && !page.contains("<script"));
        assert_eq!(to_diff(dump, dump), "no difference\n");
    }

    #[test]
    fn a_dump_cut_anywhere_is_read_as_far_as_it_goes() {
        let good = sample();
        for len in 0..good.len() {
            match read(&good[..len]) {
                Ok(dump) => assert!(dump.truncated.is_some() || len + 8 > good.len(), "cut at {len}"),
                Err(error) => assert!(!error.to_string().is_empty()),
            }
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_without_harm(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            if let Ok(dump) = read(&bytes) {
                print_all(&dump);
            }
        }

        #[test]
        fn a_damaged_dump_is_read_without_harm(
            changes in prop::collection::vec((0..FULL.len(), any::<u8>()), 1..6),
        ) {
            let mut bytes = FULL.to_vec();
            for (at, byte) in changes {
                bytes[at] = byte;
            }
            if let Ok(mut dump) = read(&bytes) {
                print_all(&dump);
                // A wrong checksum would keep the contents from being looked at.
                dump.sections.iter_mut().for_each(|section| section.intact = true);
                print_all(&dump);
            }
        }

        #[test]
        fn any_text_in_a_section_is_only_text(text in any::<String>(), n in 0..20_usize) {
            let mut dump = read(FULL).unwrap();
            let text = format!("</style><script>alert(1)</script>{text}");
            for section in &mut dump.sections {
                let mut content: serde_json::Value = serde_json::from_slice(&section.payload).unwrap();
                replace(&mut content, &text, &mut n.clone());
                section.payload = serde_json::to_vec(&content).unwrap();
            }
            dump.header.application_name.clone_from(&text);
            print_all(&dump);
            prop_assert!(!to_text(&dump).contains('\u{1b}'), "nothing reaches the terminal");
        }
    }

    /// Replaces each `n`th text of a value.
    fn replace(value: &mut serde_json::Value, text: &str, n: &mut usize) {
        match value {
            serde_json::Value::String(old) if *n == 0 => text.clone_into(old),
            serde_json::Value::String(_) => *n -= 1,
            serde_json::Value::Array(items) => items.iter_mut().for_each(|item| replace(item, text, n)),
            serde_json::Value::Object(map) => map.values_mut().for_each(|item| replace(item, text, n)),
            _ => {}
        }
    }

    #[test]
    fn what_differs_is_said() {
        let first = read(FULL).unwrap();
        let mut second = first.clone();
        let cause = second
            .sections
            .iter_mut()
            .find(|section| section.tag == *b"CAUS")
            .unwrap();
        let text = String::from_utf8(cause.payload.clone()).unwrap();
        cause.payload = text.replace("\"submit\":3", "\"submit\":4").into_bytes();
        second
            .sections
            .retain(|section| section.tag != *b"ENVI" && section.tag != *b"HEAP");
        let diff = to_diff(&first, &second);
        assert!(diff.starts_with("CAUS.submit: 3 -> 4\n"), "{diff}");
        assert!(
            diff.contains("HEAP: [{") && diff.ends_with("2 difference(s)\n"),
            "{diff}"
        );
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
