//! Pictures: read from PNG files and from the memory of an X server, written as PNG.

use crate::TaskResult;
use std::{collections::BTreeSet, fs, io::BufReader, path::Path};

/// A picture.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Picture {
    width: u32,
    height: u32,
    /// Rows of red, green, blue, alpha.
    pixels: Vec<[u8; 4]>,
}

impl Picture {
    /// How many different colours it has.
    pub(super) fn colours(&self) -> usize {
        self.pixels.iter().collect::<BTreeSet<_>>().len()
    }

    /// Writes it as PNG.
    pub(super) fn write_png(&self, path: &Path) -> TaskResult {
        let mut encoder = png::Encoder::new(fs::File::create(path)?, self.width, self.height);
        encoder.set_color(png::ColorType::Rgba);
        encoder
            .write_header()?
            .write_image_data(self.pixels.as_flattened())?;
        Ok(())
    }
}

/// Reads an RGBA file.
pub(super) fn read_png(path: &Path) -> TaskResult<Picture> {
    let fail = |what: String| format!("{}: {what}", path.display());
    let file = fs::File::open(path).map_err(|error| fail(error.to_string()))?;
    let mut reader = png::Decoder::new(BufReader::new(file))
        .read_info()
        .map_err(|error| fail(error.to_string()))?;
    let mut bytes = vec![
        0;
        reader
            .output_buffer_size()
            .ok_or_else(|| fail("too large".into()))?
    ];
    let info = reader
        .next_frame(&mut bytes)
        .map_err(|error| fail(error.to_string()))?;
    if info.color_type != png::ColorType::Rgba || info.bit_depth != png::BitDepth::Eight {
        return Err(fail("not RGBA of eight bits".into()).into());
    }
    Ok(Picture {
        width: info.width,
        height: info.height,
        pixels: bytes.as_chunks().0.to_vec(),
    })
}

/// Reads an X window dump (XWD, version 7) of 32 bits a pixel, which is how Xvfb keeps its screen;
/// leaves out the first `margin` columns and rows.
pub(super) fn read_xwd(bytes: &[u8], margin: usize) -> Option<Picture> {
    let word = |index: usize| -> Option<u32> {
        let at = index * 4;
        Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
    };
    let (header, version, colours) = (word(0)?, word(1)?, word(19)?);
    let (width, height, line) = (word(4)?, word(5)?, word(12)?);
    let (little, bits) = (word(7)? == 0, word(11)?);
    if version != 7 || bits != 32 {
        return None;
    }
    let masks = [word(14)?, word(15)?, word(16)?];
    let data = bytes.get(header as usize + colours as usize * 12..)?;
    let mut pixels = Vec::new();
    for y in margin..height as usize {
        let row = data
            .get(y * line as usize..)?
            .get(margin * 4..width as usize * 4)?;
        for pixel in row.as_chunks::<4>().0 {
            let value = if little {
                u32::from_le_bytes(*pixel)
            } else {
                u32::from_be_bytes(*pixel)
            };
            let [r, g, b] = masks.map(|mask| ((value & mask) >> mask.trailing_zeros().min(31)) as u8);
            pixels.push([r, g, b, 255]);
        }
    }
    let margin = margin as u32;
    Some(Picture {
        width: width.checked_sub(margin)?,
        height: height.checked_sub(margin)?,
        pixels,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn window_dumps_are_read() {
        let mut words = [0u32; 25];
        (words[0], words[1], words[4], words[5]) = (100, 7, 2, 1);
        (words[11], words[12]) = (32, 8);
        (words[14], words[15], words[16]) = (0xff_0000, 0xff00, 0xff);
        let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_be_bytes()).collect();
        bytes.extend([3, 2, 1, 0, 6, 5, 4, 0]);
        let picture = read_xwd(&bytes, 0).expect("well formed");
        assert_eq!(picture.pixels, [[1, 2, 3, 255], [4, 5, 6, 255]]);
        assert_eq!(read_xwd(&bytes[..bytes.len() - 1], 0), None, "cut short");
    }
}
