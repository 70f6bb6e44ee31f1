//! Sample positions: Vulkan's standard ones.

use crate::shader::abi::MAX_SAMPLES;

/// Positions in sixteenths of a pixel by log2 of the number of samples.
const STANDARD: [&[[u8; 2]]; 4] = [
    &[[8, 8]],
    &[[12, 12], [4, 4]],
    &[[6, 2], [14, 6], [2, 10], [10, 14]],
    &[
        [9, 5],
        [7, 11],
        [13, 9],
        [5, 3],
        [3, 13],
        [1, 7],
        [11, 15],
        [15, 1],
    ],
];

/// The samples of a pixel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SamplePattern {
    count: usize,
    /// From the pixel's centre, in 1/256 pixels.
    offsets: [[i32; 2]; MAX_SAMPLES],
}

impl SamplePattern {
    /// The standard positions of 1, 2, 4 or 8 samples; `None` for other numbers.
    #[must_use]
    pub fn standard(samples: u32) -> Option<SamplePattern> {
        let row = STANDARD.iter().find(|row| row.len() == samples as usize)?;
        let mut offsets = [[0; 2]; MAX_SAMPLES];
        for (offset, position) in offsets.iter_mut().zip(*row) {
            *offset = position.map(|p| (i32::from(p) - 8) * 16);
        }
        Some(SamplePattern {
            count: row.len(),
            offsets,
        })
    }

    /// Number of samples.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count
    }

    /// Whether the one sample is the pixel's centre.
    #[must_use]
    pub fn is_single(&self) -> bool {
        self.count == 1
    }

    /// From the pixel's centre, in 1/256 pixels.
    #[must_use]
    pub fn offsets(&self) -> &[[i32; 2]] {
        &self.offsets[..self.count]
    }

    /// Positions in the pixel, 0 to 1.
    #[must_use]
    pub fn positions(&self) -> [[f32; 2]; MAX_SAMPLES] {
        self.offsets.map(|offset| offset.map(|d| d as f32 / 256.0 + 0.5))
    }
}
