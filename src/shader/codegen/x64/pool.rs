//! Constants that live behind the code and are used as memory operands.

use super::encoder::Isa;
use rustc_hash::FxHashMap;

/// A constant of the pool.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct PoolId(u32);

const SPLAT: u32 = 1 << 31;

impl PoolId {
    /// Index into the offsets that [`Pool::write`] gives.
    pub(super) fn index(self) -> usize {
        if self.is_splat() {
            VECTORS.len() + (self.0 & !SPLAT) as usize
        } else {
            self.0 as usize
        }
    }

    /// Whether every lane holds the same 32 bits.
    pub(super) fn is_splat(self) -> bool {
        self.0 & SPLAT != 0
    }
}

/// Vectors whose lanes differ; the first half serves 8 lanes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(super) enum Vector {
    /// The number of the lane.
    Iota,
    /// One bit a lane, modulo 8.
    LaneBit,
    /// 0 in the first subgroup, 8 in the second.
    GroupBase,
    /// All bits in odd lanes.
    OddLanes,
    /// Byte shuffle that packs the low halves of four lanes into the low half of each 128 bits.
    PackWords,
    /// 32-bit interleave of two vectors, first half.
    InterleaveLow,
    /// 32-bit interleave of two vectors, second half.
    InterleaveHigh,
    /// 2^52 in every 64-bit lane.
    Two52,
}

const fn repeat(low: u32, high: u32) -> [u32; 16] {
    let mut out = [low; 16];
    let mut i = 1;
    while i < 16 {
        out[i] = high;
        i += 2;
    }
    out
}

const fn interleave(first: u32) -> [u32; 16] {
    let mut out = [0; 16];
    let mut i = 0;
    while i < 8 {
        out[2 * i as usize] = first + i;
        out[2 * i as usize + 1] = first + i + 16;
        i += 1;
    }
    out
}

const VECTORS: [[u32; 16]; 8] = [
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
    [1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128],
    [0, 0, 0, 0, 0, 0, 0, 0, 8, 8, 8, 8, 8, 8, 8, 8],
    repeat(0, u32::MAX),
    {
        let lane = [0x0504_0100, 0x0d0c_0908, 0x8080_8080, 0x8080_8080];
        let mut out = [0; 16];
        let mut i = 0;
        while i < 16 {
            out[i] = lane[i % 4];
            i += 1;
        }
        out
    },
    interleave(0),
    interleave(8),
    repeat(0, 0x4330_0000),
];

/// The constants of one function.
#[derive(Default)]
pub(super) struct Pool {
    splats: Vec<u32>,
    splat_ids: FxHashMap<u32, u32>,
    vectors_used: u32,
}

impl Pool {
    /// The same 32 bits in every lane.
    pub(super) fn splat(&mut self, bits: u32) -> PoolId {
        let next = u32::try_from(self.splats.len()).unwrap_or(0);
        let index = *self.splat_ids.entry(bits).or_insert_with(|| {
            self.splats.push(bits);
            next
        });
        PoolId(index | SPLAT)
    }

    /// One of the fixed vectors.
    pub(super) fn vector(&mut self, vector: Vector) -> PoolId {
        self.vectors_used |= 1 << vector as u8;
        PoolId(u32::from(vector as u8))
    }

    /// Appends the constants, whole vectors first, and gives the offset of each by [`PoolId::index`]. Splats
    /// take a whole vector where memory operands cannot broadcast.
    pub(super) fn write(&self, isa: Isa, out: &mut Vec<u8>) -> Vec<u32> {
        let start = out.len();
        let here = |out: &Vec<u8>| u32::try_from(out.len() - start).unwrap_or(u32::MAX);
        let lanes = isa.vector_bytes().unsigned_abs() as usize / 4;
        let mut offsets = vec![0; VECTORS.len() + self.splats.len()];
        for (i, vector) in VECTORS.iter().enumerate() {
            if self.vectors_used >> i & 1 != 0 {
                offsets[i] = here(out);
                out.extend(vector[..lanes].iter().flat_map(|word| word.to_le_bytes()));
            }
        }
        let repeat = if isa == Isa::Avx2 { lanes } else { 1 };
        for (i, splat) in self.splats.iter().enumerate() {
            offsets[VECTORS.len() + i] = here(out);
            out.extend(std::iter::repeat_n(splat.to_le_bytes(), repeat).flatten());
        }
        offsets
    }
}
