//! The words of a tile: from and to the memory of attachments.

use super::Attachment;
use super::coverage::Rect;
use crate::memory::raw;
use crate::shader::abi::{TILE_PLANE_BYTES, TILE_SIZE};

/// Words of a plane.
pub(super) const PLANE_WORDS: usize = TILE_PLANE_BYTES as usize / 4;
/// Lane of the pixel in each row and column of a block.
const LANES: [[usize; 4]; 4] = [[0, 1, 4, 5], [2, 3, 6, 7], [8, 9, 12, 13], [10, 11, 14, 15]];
const BLOCKS_A_ROW: usize = TILE_SIZE as usize / 4;

/// Where the pixels of a tile lie in an attachment.
#[derive(Clone, Copy, Debug)]
pub(super) struct TilePlace {
    /// Address of the tile's first pixel in its layer, at sample 0. May lie outside the attachment; its pixels in
    /// `rect` do not.
    pub address: u64,
    pub row_pitch: u64,
    pub sample_pitch: u64,
    /// Pixels of the tile that are meant, from its first.
    pub rect: Rect,
    pub samples: usize,
    /// Bytes a texel: 1, 2, 4, 8 or 16.
    pub bytes: u64,
}

impl TilePlace {
    /// The part of a tile at pixel `(x, y)` that lies in `area`.
    pub(super) fn new(
        attachment: &Attachment,
        bytes: u64,
        layer: u32,
        [x, y]: [i32; 2],
        area: Rect,
    ) -> TilePlace {
        let size = TILE_SIZE as i32;
        let whole = Rect {
            x0: 0,
            y0: 0,
            x1: attachment.width as i32,
            y1: attachment.height as i32,
        };
        let tile = Rect {
            x0: x,
            y0: y,
            x1: x + size,
            y1: y + size,
        };
        let Rect { x0, y0, x1, y1 } = area.intersect(whole).intersect(tile);
        let offset =
            u64::from(layer) * attachment.layer_pitch + y as u64 * attachment.row_pitch + x as u64 * bytes;
        TilePlace {
            address: attachment.address + offset,
            row_pitch: attachment.row_pitch,
            sample_pitch: attachment.sample_pitch,
            rect: Rect {
                x0: x0 - x,
                y0: y0 - y,
                x1: x1 - x,
                y1: y1 - y,
            },
            samples: attachment.samples as usize,
            bytes,
        }
    }

    fn is_whole(&self) -> bool {
        let size = TILE_SIZE as i32;
        self.rect
            == Rect {
                x0: 0,
                y0: 0,
                x1: size,
                y1: size,
            }
    }

    /// Words of a texel.
    pub(super) fn words(&self) -> usize {
        (self.bytes as usize).div_ceil(4)
    }
}

/// Index in a plane of a pixel of the tile.
fn pixel(x: usize, y: usize) -> usize {
    ((y / 4) * BLOCKS_A_ROW + x / 4) * 16 + LANES[y % 4][x % 4]
}

/// Reads the texels of a tile into planes.
pub(super) fn load(place: &TilePlace, planes: &mut [u32]) {
    for (sample, planes) in planes
        .chunks_exact_mut(place.words() * PLANE_WORDS)
        .enumerate()
        .take(place.samples)
    {
        let base = place.address + sample as u64 * place.sample_pitch;
        if place.is_whole() && place.bytes == 4 {
            load_words(base, place.row_pitch, planes);
            continue;
        }
        for_pixels(place.rect, |x, y| {
            let (at, index) = (
                base + y as u64 * place.row_pitch + x as u64 * place.bytes,
                pixel(x, y),
            );
            match place.bytes {
                1 => planes[index] = raw::load::<u8>(at).into(),
                2 => planes[index] = raw::load::<u16>(at).into(),
                bytes => {
                    for word in 0..bytes / 4 {
                        planes[word as usize * PLANE_WORDS + index] = raw::load(at + 4 * word);
                    }
                }
            }
        });
    }
}

/// Writes the texels of a tile from planes.
pub(super) fn store(place: &TilePlace, planes: &[u32]) {
    for (sample, planes) in planes
        .chunks_exact(place.words() * PLANE_WORDS)
        .enumerate()
        .take(place.samples)
    {
        let base = place.address + sample as u64 * place.sample_pitch;
        if place.is_whole() && place.bytes == 4 {
            store_words(base, place.row_pitch, planes);
            continue;
        }
        for_pixels(place.rect, |x, y| {
            let (at, index) = (
                base + y as u64 * place.row_pitch + x as u64 * place.bytes,
                pixel(x, y),
            );
            match place.bytes {
                1 => raw::store(at, planes[index] as u8),
                2 => raw::store(at, planes[index] as u16),
                bytes => {
                    for word in 0..bytes / 4 {
                        raw::store(at + 4 * word, planes[word as usize * PLANE_WORDS + index]);
                    }
                }
            }
        });
    }
}

/// Fills the pixels of `rect` with the words of a texel, in every sample.
pub(super) fn fill(planes: &mut [u32], words: &[u32], rect: Rect) {
    let size = TILE_SIZE as i32;
    let whole = rect
        == Rect {
            x0: 0,
            y0: 0,
            x1: size,
            y1: size,
        };
    for (i, plane) in planes.chunks_exact_mut(PLANE_WORDS).enumerate() {
        let word = words[i % words.len()];
        if whole {
            plane.fill(word);
        } else {
            for_pixels(rect, |x, y| plane[pixel(x, y)] = word);
        }
    }
}

fn for_pixels(rect: Rect, mut f: impl FnMut(usize, usize)) {
    for y in rect.y0..rect.y1 {
        for x in rect.x0..rect.x1 {
            f(x as usize, y as usize);
        }
    }
}

/// All 64x64 words, a row of a block at a time.
fn load_words(base: u64, row_pitch: u64, plane: &mut [u32]) {
    for (row, blocks) in plane.chunks_exact_mut(16 * BLOCKS_A_ROW).enumerate() {
        let base = base + 4 * row as u64 * row_pitch;
        for (column, block) in blocks.as_chunks_mut::<16>().0.iter_mut().enumerate() {
            for (y, lanes) in LANES.iter().enumerate() {
                let four: [u32; 4] = raw::load(base + y as u64 * row_pitch + 16 * column as u64);
                for (&lane, word) in lanes.iter().zip(four) {
                    block[lane] = word;
                }
            }
        }
    }
}

/// All 64x64 words, a row of a block at a time.
fn store_words(base: u64, row_pitch: u64, plane: &[u32]) {
    for (row, blocks) in plane.chunks_exact(16 * BLOCKS_A_ROW).enumerate() {
        let base = base + 4 * row as u64 * row_pitch;
        for (column, block) in blocks.as_chunks::<16>().0.iter().enumerate() {
            for (y, lanes) in LANES.iter().enumerate() {
                let four = lanes.map(|lane| block[lane]);
                raw::store(base + y as u64 * row_pitch + 16 * column as u64, four);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::AlignedBuf;
    use crate::vk;

    #[test]
    fn texels_survive_a_round_trip_and_nothing_else_is_touched() {
        for (bytes, samples) in [(1, 1), (2, 1), (4, 1), (8, 2), (16, 1), (4, 4)] {
            let (width, height) = (100u32, 70u32);
            let row_pitch = u64::from(width) * bytes + 12;
            let sample_pitch = row_pitch * u64::from(height) + 4;
            let mut memory = AlignedBuf::new(sample_pitch as usize * samples as usize);
            for (i, byte) in memory.as_mut_slice::<u8>().iter_mut().enumerate() {
                *byte = (i * 7 + i / 251) as u8;
            }
            let attachment = Attachment {
                format: vk::Format::UNDEFINED,
                address: memory.address(),
                row_pitch,
                layer_pitch: 0,
                sample_pitch,
                samples,
                width,
                height,
            };
            let before = memory.as_slice::<u8>().to_vec();
            let mut planes = vec![0; PLANE_WORDS * 4 * samples as usize];
            for tile in [[0, 0], [64, 0], [0, 64], [64, 64]] {
                let everything = Rect {
                    x0: 0,
                    y0: 0,
                    x1: 1000,
                    y1: 1000,
                };
                let place = TilePlace::new(&attachment, bytes, 0, tile, everything);
                let planes = &mut planes[..PLANE_WORDS * place.words() * samples as usize];
                load(&place, planes);
                fill(
                    planes,
                    &vec![0xabcd_ef01; place.words()],
                    Rect {
                        x0: 3,
                        y0: 2,
                        x1: 5,
                        y1: 3,
                    },
                );
                store(&place, planes);
            }
            let changed: Vec<usize> = (0..before.len())
                .filter(|&i| before[i] != memory.as_slice::<u8>()[i])
                .collect();
            assert!(changed.iter().all(|&i| {
                let (row, at) = (
                    (i as u64 % sample_pitch) / row_pitch,
                    (i as u64 % sample_pitch) % row_pitch,
                );
                [2, 66].contains(&row) && [3, 4, 67, 68].contains(&(at / bytes))
            }));
            // Few bytes are equal by chance.
            assert!(
                changed.len() as u64 > 6 * bytes * u64::from(samples),
                "{bytes} bytes, {samples} samples"
            );
        }
    }
}
