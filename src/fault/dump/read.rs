//! Reads a dump. Safe on any bytes: everything is checked, nothing is trusted.

use super::{HEADER_BYTES, Identity, LAYOUT_VERSION, MAGIC};
use serde::de::DeserializeOwned;

/// The version-one header.
pub type Header = Identity;

/// One section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// Four letters.
    pub tag: [u8; 4],
    /// Version of its content.
    pub version: u32,
    /// Whether the checksum is right.
    pub intact: bool,
    /// Its content: JSON in UTF-8.
    pub payload: Vec<u8>,
}

impl Section {
    /// The tag, with anything unprintable replaced.
    #[must_use]
    pub fn name(&self) -> String {
        self.tag
            .iter()
            .map(|&c| if c.is_ascii_graphic() { char::from(c) } else { '?' })
            .collect()
    }
}

/// A dump, as far as it could be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dump {
    /// Header and names.
    pub header: Header,
    /// Sections in order.
    pub sections: Vec<Section>,
    /// Why reading stopped before the end, if it did.
    pub truncated: Option<String>,
}

impl Dump {
    /// The first intact section with this tag.
    #[must_use]
    pub fn section(&self, tag: &[u8; 4]) -> Option<&Section> {
        self.sections
            .iter()
            .find(|section| section.tag == *tag && section.intact)
    }

    /// The content of a section, if it is there, intact and of a version that is known.
    #[must_use]
    pub fn content<T: DeserializeOwned>(&self, tag: &[u8; 4]) -> Option<T> {
        let section = self.section(tag).filter(|section| section.version == 1)?;
        serde_json::from_slice(&section.payload).ok()
    }
}

/// Why bytes are not a dump at all.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// Shorter than the header.
    #[error("not a crash dump: {0} bytes are less than a header of {HEADER_BYTES}")]
    TooShort(usize),
    /// Another header.
    #[error("not a crash dump: header of {size} bytes, version {version}; expected {HEADER_BYTES} and 1")]
    Header {
        /// Size it gives.
        size: u32,
        /// Version it gives.
        version: u32,
    },
    /// A header, but of another driver's dump.
    #[error("a crash dump of another driver (vendor {vendor:#x}): no Lahar sections behind the header")]
    Foreign {
        /// Vendor id of the header.
        vendor: u32,
    },
    /// A newer layout.
    #[error("layout version {0} is newer than this reader, which knows {LAYOUT_VERSION}")]
    Layout(u32),
}

struct Cursor<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl<'b> Cursor<'b> {
    fn take(&mut self, len: usize) -> Option<&'b [u8]> {
        let slice = self.bytes.get(self.at..self.at.checked_add(len)?)?;
        self.at += len;
        Some(slice)
    }

    fn word(&mut self) -> Option<u32> {
        self.take(4)?.try_into().ok().map(u32::from_le_bytes)
    }

    fn align(&mut self) {
        self.at = self.at.next_multiple_of(8);
    }
}

/// Reads a dump as far as it goes.
///
/// # Errors
/// Where the bytes are not a dump of this driver.
pub fn read(bytes: &[u8]) -> Result<Dump, ReadError> {
    let (header, end) = read_header(bytes)?;
    let mut cursor = Cursor { bytes, at: end };
    cursor.align();
    if cursor.take(MAGIC.len()) != Some(&MAGIC) {
        return Err(ReadError::Foreign {
            vendor: header.vendor_id,
        });
    }
    let mut dump = Dump {
        header,
        sections: Vec::new(),
        truncated: None,
    };
    let (Some(layout), Some(count)) = (cursor.word(), cursor.word()) else {
        dump.truncated = Some("ends before the first section".to_owned());
        return Ok(dump);
    };
    if layout > LAYOUT_VERSION {
        return Err(ReadError::Layout(layout));
    }
    for i in 0..count {
        let Some(section) = read_section(&mut cursor) else {
            dump.truncated = Some(format!("ends within section {} of {count}", i + 1));
            break;
        };
        dump.sections.push(section);
    }
    Ok(dump)
}

fn read_section(cursor: &mut Cursor<'_>) -> Option<Section> {
    let tag = cursor.take(4)?.try_into().ok()?;
    let (version, len, checksum) = (cursor.word()?, cursor.word()?, cursor.word()?);
    let payload = cursor.take(len as usize)?.to_vec();
    cursor.align();
    Some(Section {
        tag,
        version,
        intact: crc32fast::hash(&payload) == checksum,
        payload,
    })
}

/// The header, and where the names behind it end.
fn read_header(bytes: &[u8]) -> Result<(Header, usize), ReadError> {
    let short = || ReadError::TooShort(bytes.len());
    let mut cursor = Cursor {
        bytes: bytes.get(..HEADER_BYTES).ok_or_else(short)?,
        at: 0,
    };
    let mut word = || cursor.word().ok_or_else(short);
    let (size, version) = (word()?, word()?);
    if size as usize != HEADER_BYTES || version != 1 {
        return Err(ReadError::Header { size, version });
    }
    let (vendor_id, device_id, driver_version) = (word()?, word()?, word()?);
    let uuid = cursor
        .take(16)
        .and_then(|uuid| uuid.try_into().ok())
        .ok_or_else(short)?;
    let mut word = || cursor.word().ok_or_else(short);
    let (application, application_version) = (word()?, word()?);
    let (engine, engine_version, api_version) = (word()?, word()?, word()?);
    let mut end = HEADER_BYTES;
    let mut name = |offset: u32| {
        let from = offset as usize;
        let text = bytes.get(from..).filter(|_| from >= HEADER_BYTES)?;
        let len = text.iter().position(|&c| c == 0)?;
        end = end.max(from + len + 1);
        Some(String::from_utf8_lossy(&text[..len]).into_owned())
    };
    let application_name = name(application).unwrap_or_default();
    let engine_name = name(engine).unwrap_or_default();
    let header = Header {
        vendor_id,
        device_id,
        driver_version,
        pipeline_cache_uuid: uuid,
        application_name,
        application_version,
        engine_name,
        engine_version,
        api_version,
    };
    Ok((header, end))
}
