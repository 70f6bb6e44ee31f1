//! Pictures in files.
#![forbid(unsafe_code)]

use crate::error::{Error, Result};
use std::path::Path;

/// A picture read back: rows of R, G, B, A bytes.
pub(crate) struct Picture {
    /// Pixels a row.
    pub(crate) width: u32,
    /// Rows.
    pub(crate) height: u32,
    /// Its bytes.
    pub(crate) pixels: Vec<u8>,
}

impl Picture {
    /// Writes a PNG.
    pub(crate) fn write(&self, path: &Path) -> Result {
        let fail = |error: std::io::Error| Error::File(path.to_owned(), error);
        let file = std::fs::File::create(path).map_err(fail)?;
        let mut encoder = png::Encoder::new(std::io::BufWriter::new(file), self.width, self.height);
        encoder.set_color(png::ColorType::Rgba);
        encoder.set_depth(png::BitDepth::Eight);
        let mut writer = encoder.write_header().map_err(|e| fail(e.into()))?;
        writer
            .write_image_data(&self.pixels)
            .map_err(|e| fail(e.into()))?;
        writer.finish().map_err(|e| fail(e.into()))
    }
}
