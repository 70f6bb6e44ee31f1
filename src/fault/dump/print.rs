//! Prints a dump for people, and as JSON.

use super::read::{Dump, Section};
use super::sections::{AddressSection, CauseSection, DeviceSection, Environment, PlanSection, RecordSection};
use serde::de::DeserializeOwned;
use std::fmt::Write as _;

fn content<T: DeserializeOwned>(dump: &Dump, tag: &[u8; 4]) -> Option<T> {
    serde_json::from_slice(&dump.section(tag)?.payload).ok()
}

/// A report that a person understands at once.
#[must_use]
pub fn to_text(dump: &Dump) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write_text(&mut out, dump);
    out
}

fn write_text(out: &mut String, dump: &Dump) -> std::fmt::Result {
    writeln!(out, "Lahar crash dump")?;
    if let Some(cause) = content::<CauseSection>(dump, b"CAUS") {
        write_cause(out, &cause)?;
    }
    for (i, record) in content::<Vec<RecordSection>>(dump, b"RECS")
        .unwrap_or_default()
        .iter()
        .enumerate()
    {
        write_record(out, i + 1, record)?;
    }
    write_identity(out, dump)?;
    if let Some(plan) = content::<PlanSection>(dump, b"PLAN") {
        writeln!(out, "\nfault plan (seed {})", plan.seed)?;
        for line in plan.text.lines() {
            writeln!(out, "  | {line}")?;
        }
    }
    if let Some(env) = content::<Environment>(dump, b"ENVI") {
        writeln!(out, "\nenvironment")?;
        writeln!(
            out,
            "  Lahar {} on {}, {} back end, {} workers",
            env.version, env.host, env.backend, env.workers
        )?;
    }
    for section in dump.sections.iter().filter(|section| !section.intact) {
        writeln!(
            out,
            "\nsection {} is damaged: its checksum is wrong",
            section.name()
        )?;
    }
    if let Some(why) = &dump.truncated {
        writeln!(out, "\nthe dump is cut short: {why}")?;
    }
    Ok(())
}

fn write_cause(out: &mut String, cause: &CauseSection) -> std::fmt::Result {
    writeln!(out, "\ncause: {} fault", cause.kind)?;
    writeln!(out, "  {}", cause.message)?;
    if cause.submit == 0 {
        writeln!(out, "  outside any submission")?;
    } else {
        writeln!(
            out,
            "  in submission {}, after {} of its commands",
            cause.submit, cause.command
        )?;
    }
    if !cause.labels.is_empty() {
        writeln!(out, "  within {}", cause.labels.join(" / "))?;
    }
    Ok(())
}

fn write_record(out: &mut String, number: usize, record: &RecordSection) -> std::fmt::Result {
    writeln!(out, "\nrecord {number}: {}", record.description)?;
    let mut address = |what: &str, address: &Option<AddressSection>| match address {
        Some(a) => writeln!(
            out,
            "  {what}: {} at {} (precision {})",
            a.ty, a.address, a.precision
        ),
        None => Ok(()),
    };
    address("address", &record.address)?;
    address("instruction", &record.instruction)?;
    writeln!(
        out,
        "  vendor: {} (code {}, data {})",
        record.vendor_description, record.vendor_code, record.vendor_data
    )
}

fn write_identity(out: &mut String, dump: &Dump) -> std::fmt::Result {
    let id = &dump.header;
    let name = |name: &str| {
        if name.is_empty() {
            "(unnamed)".to_owned()
        } else {
            name.to_owned()
        }
    };
    writeln!(
        out,
        "\napplication: {} version {}",
        name(&id.application_name),
        id.application_version
    )?;
    writeln!(
        out,
        "engine: {} version {}",
        name(&id.engine_name),
        id.engine_version
    )?;
    let v = id.api_version;
    writeln!(out, "Vulkan {}.{}.{}", v >> 22 & 0x7f, v >> 12 & 0x3ff, v & 0xfff)?;
    if let Some(device) = content::<DeviceSection>(dump, b"DEVI") {
        writeln!(out, "device: number {} of the process", device.generation)?;
    }
    writeln!(
        out,
        "vendor {:#06x}, device {:#06x}, driver version {:#x}",
        id.vendor_id, id.device_id, id.driver_version
    )
}

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
    use super::super::{HEADER_BYTES, Identity, ReadError, read, write};
    use super::*;
    use crate::device::{Cause, CauseKind, FaultAddress, Position};
    use crate::fault::record::Record;
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
        write(&desc, &cause, &[Record::of(&cause)])
    }

    #[test]
    fn a_dump_says_what_happened() {
        let dump = read(&sample()).unwrap();
        let text = to_text(&dump);
        for line in [
            "cause: planned fault",
            "in submission 3",
            "within frame / shadow",
            "address: read at 0x123456789abc (precision 0x1000)",
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
