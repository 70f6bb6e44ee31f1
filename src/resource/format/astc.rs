//! Blocks of ASTC, of low dynamic range, decompressed.
//!
//! Endpoints of colours and the weights between them are integers in sequences ([`sequence`]) of as many levels as fit.

/// What is in place of a block that cannot be decompressed, and of texels of high dynamic range.
const ERROR: [u16; 4] = [0xffff, 0, 0xffff, 0xffff];

/// How levels are kept: whether three or five states each, and bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Levels {
    states: u32,
    bits: u32,
}

const fn levels(states: u32, bits: u32) -> Levels {
    Levels { states, bits }
}

/// All that there are, by number of levels: 2 to 256.
const LEVELS: [Levels; 21] = [
    levels(1, 1),
    levels(3, 0),
    levels(1, 2),
    levels(5, 0),
    levels(3, 1),
    levels(1, 3),
    levels(5, 1),
    levels(3, 2),
    levels(1, 4),
    levels(5, 2),
    levels(3, 3),
    levels(1, 5),
    levels(5, 3),
    levels(3, 4),
    levels(1, 6),
    levels(5, 4),
    levels(3, 5),
    levels(1, 7),
    levels(5, 5),
    levels(3, 6),
    levels(1, 8),
];

/// The fewest that colours have: six.
const FIRST_OF_COLORS: usize = 4;

impl Levels {
    /// Bits of `count` values.
    fn size(self, count: u32) -> u32 {
        let states = match self.states {
            3 => (8 * count).div_ceil(5),
            5 => (7 * count).div_ceil(3),
            _ => 0,
        };
        states + count * self.bits
    }

    /// An 8-bit colour of a value: its bits below, its state above.
    fn color(self, value: u32) -> u32 {
        let (bits, state) = (value & ((1 << self.bits) - 1), value >> self.bits);
        if self.states == 1 {
            return replicate(bits, self.bits, 8);
        }
        let (b, c, d, e, f) = (
            bits >> 1 & 1,
            bits >> 2 & 1,
            bits >> 3 & 1,
            bits >> 4 & 1,
            bits >> 5 & 1,
        );
        let (offset, factor) = match (self.states, self.bits) {
            (3, 1) => (0, 204),
            (3, 2) => (b * 0b1_0001_0110, 93),
            (3, 3) => (c * 0b1_0000_1010 | b * 0b0_1000_0101, 44),
            (3, 4) => (d * 0b1_0000_0100 | c * 0b0_1000_0010 | b * 0b0_0100_0001, 22),
            (3, 5) => (
                e * 0b1_0000_0010 | d * 0b0_1000_0001 | c * 0b0_0100_0000 | b * 0b0_0010_0000,
                11,
            ),
            (3, _) => (f * 0b1_0000_0001 | e << 7 | d << 6 | c << 5 | b << 4, 5),
            (_, 1) => (0, 113),
            (_, 2) => (b * 0b1_0000_1100, 54),
            (_, 3) => (c * 0b1_0000_0101 | b * 0b0_1000_0010, 26),
            (_, 4) => (d * 0b1_0000_0010 | c * 0b0_1000_0001 | b * 0b0_0100_0000, 13),
            _ => (e * 0b1_0000_0001 | d << 7 | c << 6 | b << 5, 6),
        };
        let flip = (bits & 1) * 0x1ff;
        let sum = (state * factor + offset) ^ flip;
        flip & 0x80 | sum >> 2
    }

    /// A weight of a value, 0 to 64.
    fn weight(self, value: u32) -> u32 {
        let (bits, state) = (value & ((1 << self.bits) - 1), value >> self.bits);
        let (b, c) = (bits >> 1 & 1, bits >> 2 & 1);
        let weight = match (self.states, self.bits) {
            (1, count) => replicate(bits, count, 6),
            (3, 0) => [0, 32, 63][state as usize % 3],
            (_, 0) => [0, 16, 32, 47, 63][state as usize % 5],
            (states, count) => {
                let (offset, factor) = match (states, count) {
                    (3, 1) => (0, 50),
                    (3, 2) => (b * 0b100_0101, 23),
                    (3, _) => (c * 0b100_0010 | b * 0b010_0001, 11),
                    (_, 1) => (0, 28),
                    _ => (b * 0b100_0010, 13),
                };
                let flip = (bits & 1) * 0x7f;
                let sum = (state * factor + offset) ^ flip;
                flip & 0x20 | sum >> 2
            }
        };
        weight + u32::from(weight > 32)
    }
}

/// `value` of `from` bits repeated until there are `to`.
fn replicate(value: u32, from: u32, to: u32) -> u32 {
    let mut wide = 0;
    let mut at = to as i32;
    while at > 0 {
        at -= from as i32;
        wide |= if at >= 0 { value << at } else { value >> -at };
    }
    wide
}

/// `count` bits of a block from bit `low` on; zeros beyond its end.
fn get(block: u128, low: u32, count: u32) -> u32 {
    let rest = block.checked_shr(low).unwrap_or(0);
    (rest & ((1 << count) - 1)) as u32
}

/// The five states of three that eight bits stand for.
fn threes(t: u32) -> [u32; 5] {
    let bit = |at: u32| t >> at & 1;
    let (c, third, fourth) = if t >> 2 & 7 == 7 {
        ((t >> 5 & 7) << 2 | t & 3, 2, 2)
    } else if t >> 5 & 3 == 3 {
        (t & 31, bit(7), 2)
    } else {
        (t & 31, t >> 5 & 3, bit(7))
    };
    let bit = |at: u32| c >> at & 1;
    let [zero, one, two] = if c & 3 == 3 {
        [bit(3) << 1 | bit(2) & !bit(3), bit(4), 2]
    } else if c >> 2 & 3 == 3 {
        [c & 3, 2, 2]
    } else {
        [bit(1) << 1 | bit(0) & !bit(1), c >> 2 & 3, bit(4)]
    };
    [zero, one, two, third, fourth]
}

/// The three states of five that seven bits stand for.
fn fives(q: u32) -> [u32; 3] {
    let bit = |at: u32| q >> at & 1;
    if q >> 1 & 3 == 3 && q >> 5 & 3 == 0 {
        let open = 1 & !bit(0);
        return [4, 4, bit(0) << 2 | (bit(4) & open) << 1 | bit(3) & open];
    }
    let (c, two) = if q >> 1 & 3 == 3 {
        ((q >> 3 & 3) << 3 | (!(q >> 5) & 3) << 1 | bit(0), 4)
    } else {
        (q & 31, q >> 5 & 3)
    };
    if c & 7 == 5 {
        [c >> 3 & 3, 4, two]
    } else {
        [c & 7, c >> 3 & 3, two]
    }
}

/// Values in a sequence of a block, from bit `low` on: bits below, states above.
fn sequence(block: u128, low: u32, kind: Levels, out: &mut [u32]) {
    // The bits of the states lie in between those of the values.
    let (group, widths): (usize, &[u32]) = match kind.states {
        3 => (5, &[2, 2, 1, 2, 1]),
        5 => (3, &[3, 2, 2]),
        _ => (1, &[0]),
    };
    let end = low + kind.size(out.len() as u32);
    let mut at = low;
    // What lies behind the last value counts as zero.
    let mut take = |count: u32| {
        let bits = get(block, at, count.min(end.saturating_sub(at)));
        at += count;
        bits
    };
    for values in out.chunks_mut(group) {
        let (mut packed, mut place) = (0, 0);
        let mut bits = [0; 5];
        for (slot, &width) in bits.iter_mut().zip(widths) {
            *slot = take(kind.bits);
            packed |= take(width) << place;
            place += width;
        }
        let states = match kind.states {
            3 => threes(packed),
            5 => {
                let [a, b, c] = fives(packed);
                [a, b, c, 0, 0]
            }
            _ => [0; 5],
        };
        for (i, value) in values.iter_mut().enumerate() {
            *value = states[i] << kind.bits | bits[i];
        }
    }
}

/// What the first eleven bits say: size of the grid of weights, their levels, and whether there are two planes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Mode {
    width: u32,
    height: u32,
    levels: Levels,
    planes: u32,
}

impl Mode {
    fn decode(block: u128) -> Option<Mode> {
        let field = |low, count| get(block, low, count);
        let (a, b) = (field(5, 2), field(7, 2));
        let (mut high, mut dual) = (field(9, 1), field(10, 1));
        let mut range = field(4, 1);
        let (width, height);
        if field(0, 2) != 0 {
            range |= field(0, 2) << 1;
            (width, height) = match (field(2, 2), field(8, 1)) {
                (0, _) => (b + 4, a + 2),
                (1, _) => (b + 8, a + 2),
                (2, _) => (a + 2, b + 8),
                (_, 0) => (a + 2, (b & 1) + 6),
                _ => ((b & 1) + 2, a + 2),
            };
        } else {
            range |= field(2, 2) << 1;
            (width, height) = match (b, a) {
                (0, _) => (12, a + 2),
                (1, _) => (a + 2, 12),
                (2, _) => {
                    let rows = field(9, 2) + 6;
                    (high, dual) = (0, 0);
                    (a + 6, rows)
                }
                (_, 0) => (6, 10),
                (_, 1) => (10, 6),
                _ => return None,
            };
        }
        // Six numbers of levels, then six more.
        let index = range.checked_sub(2)? + 6 * high;
        let mode = Mode {
            width,
            height,
            levels: LEVELS[index as usize],
            planes: 1 + dual,
        };
        let fits = mode.count() <= 64 && (24..=96).contains(&mode.levels.size(mode.count()));
        fits.then_some(mode)
    }

    /// Weights.
    fn count(self) -> u32 {
        self.width * self.height * self.planes
    }

    /// The weight of each plane at a texel of a block of this size; `grid` has those of the block.
    fn at(self, grid: &[u32], size: [u32; 2], texel: [u32; 2]) -> [u32; 2] {
        let place = |texel: u32, size: u32, most: u32| {
            let step = (1024 + size / 2) / (size - 1);
            let at = (step * texel * (most - 1) + 32) >> 6;
            (at >> 4, at & 15)
        };
        let (x, fx) = place(texel[0], size[0], self.width);
        let (y, fy) = place(texel[1], size[1], self.height);
        let both = (fx * fy + 8) >> 4;
        let parts = [16 + both - fx - fy, fx - both, fy - both, both];
        let first = x + y * self.width;
        let corners = [first, first + 1, first + self.width, first + self.width + 1];
        let weight = |plane: u32| {
            let sum: u32 = corners
                .iter()
                .zip(parts)
                .map(|(&at, part)| grid.get((at * self.planes + plane) as usize).unwrap_or(&0) * part)
                .sum();
            (sum + 8) >> 4
        };
        [weight(0), weight(self.planes - 1)]
    }
}

/// Which of `count` partitions a texel belongs to.
fn partition(seed: u32, [x, y]: [u32; 2], count: u32, small: bool) -> usize {
    let scale = u32::from(small);
    let (x, y) = (x << scale, y << scale);
    let seed = seed + (count - 1) * 1024;
    let random = hash(seed);
    let part = |at: u32| {
        let bits = random.rotate_right(at) & 15;
        bits * bits
    };
    let three = if count == 3 { 6 } else { 5 };
    let two = if seed & 2 != 0 { 4 } else { 5 };
    let (odd, even) = if seed & 1 != 0 { (two, three) } else { (three, two) };
    let sum = |a: u32, b: u32, c: u32| {
        ((part(a) >> odd) * x)
            .wrapping_add((part(b) >> even) * y)
            .wrapping_add(random >> c)
            & 63
    };
    let a = sum(0, 4, 14);
    let b = sum(8, 12, 10);
    let c = if count < 3 { 0 } else { sum(16, 20, 6) };
    let d = if count < 4 { 0 } else { sum(24, 28, 2) };
    if a >= b && a >= c && a >= d {
        0
    } else if b >= c && b >= d {
        1
    } else if c >= d {
        2
    } else {
        3
    }
}

fn hash(seed: u32) -> u32 {
    let mut p = seed;
    p ^= p >> 15;
    p = p.wrapping_sub(p << 17);
    p = p.wrapping_add(p << 7);
    p = p.wrapping_add(p << 4);
    p ^= p >> 5;
    p = p.wrapping_add(p << 16);
    p ^= p >> 7;
    p ^= p >> 3;
    p ^= p << 6;
    p ^ p >> 17
}

type Color = [i32; 4];

/// The two colours of a partition; none for modes of high dynamic range.
fn endpoints(mode: u32, v: &[u32]) -> Option<[Color; 2]> {
    let mut v: [i32; 8] = std::array::from_fn(|i| v.get(i).map_or(0, |&v| v.cast_signed()));
    // With offsets, the highest bit of a value goes to its base.
    if matches!(mode, 5 | 9 | 13) {
        for pair in v.chunks_exact_mut(2) {
            let (base, offset) = (pair[0] >> 1 | pair[1] & 0x80, pair[1] >> 1 & 0x3f);
            (pair[0], pair[1]) = (base, offset - ((offset & 0x20) << 1));
        }
    }
    let [a, b, c, d, e, f, g, h] = v;
    let colors = match mode {
        0 => [[a, a, a, 255], [b, b, b, 255]],
        1 => {
            let low = a >> 2 | b & 0xc0;
            let high = low + (b & 0x3f);
            [[low, low, low, 255], [high, high, high, 255]]
        }
        4 => [[a, a, a, c], [b, b, b, d]],
        5 => [[a, a, a, c], [a + b, a + b, a + b, c + d]],
        6 => [[a * d >> 8, b * d >> 8, c * d >> 8, 255], [a, b, c, 255]],
        10 => [[a * d >> 8, b * d >> 8, c * d >> 8, e], [a, b, c, f]],
        8 | 12 => {
            let alpha = if mode == 8 { [255; 2] } else { [g, h] };
            let (first, second) = ([a, c, e, alpha[0]], [b, d, f, alpha[1]]);
            if b + d + f >= a + c + e {
                [first, second]
            } else {
                [contracted(second), contracted(first)]
            }
        }
        9 | 13 => {
            let alpha = if mode == 9 { [255, 0] } else { [g, h] };
            let first = [a, c, e, alpha[0]];
            let second = [a + b, c + d, e + f, alpha[0] + alpha[1]];
            if b + d + f >= 0 {
                [first, second]
            } else {
                [contracted(second), contracted(first)]
            }
        }
        _ => return None,
    };
    Some(colors.map(|color| color.map(|c| c.clamp(0, 255))))
}

/// Red and green moved towards blue.
fn contracted([r, g, b, a]: Color) -> Color {
    [(r + b) >> 1, (g + b) >> 1, b, a]
}

/// A block whose parts are found.
struct Block {
    mode: Mode,
    seed: u32,
    partitions: u32,
    colors: [Option<[Color; 2]>; 4],
    /// Component that the second plane of weights is for.
    second: Option<usize>,
    weights: [u32; 64],
}

impl Block {
    fn parse(block: u128, [width, height]: [u32; 2]) -> Option<Block> {
        let mode = Mode::decode(block).filter(|mode| mode.width <= width && mode.height <= height)?;
        let partitions = get(block, 11, 2) + 1;
        if partitions == 4 && mode.planes == 2 {
            return None;
        }
        let mut weights = [0; 64];
        let count = mode.count() as usize;
        // Weights are stored from the last bit down.
        sequence(block.reverse_bits(), 0, mode.levels, &mut weights[..count]);
        weights[..count]
            .iter_mut()
            .for_each(|weight| *weight = mode.levels.weight(*weight));
        let mut end = 128 - mode.levels.size(mode.count());
        let (modes, first) = color_modes(block, partitions, &mut end);
        let second = (mode.planes == 2).then(|| {
            end = end.saturating_sub(2);
            get(block, end, 2) as usize
        });
        let counts = modes.map(|mode| (mode >> 2) * 2 + 2);
        let values: u32 = counts[..partitions as usize].iter().sum();
        let room = end.checked_sub(first).filter(|_| values <= 18)?;
        let kind = LEVELS[FIRST_OF_COLORS..]
            .iter()
            .rfind(|levels| levels.size(values) <= room)?;
        let mut raw = [0; 18];
        let raw = &mut raw[..values as usize];
        sequence(block, first, *kind, raw);
        raw.iter_mut().for_each(|value| *value = kind.color(*value));
        let mut colors = [None; 4];
        let mut rest = &*raw;
        for (slot, (mode, count)) in colors
            .iter_mut()
            .zip(modes.into_iter().zip(counts))
            .take(partitions as usize)
        {
            let (own, others) = rest.split_at(count as usize);
            *slot = endpoints(mode, own);
            rest = others;
        }
        Some(Block {
            mode,
            seed: get(block, 13, 10),
            partitions,
            colors,
            second,
            weights,
        })
    }

    fn texel(&self, size: [u32; 2], at: [u32; 2], srgb: bool) -> [u16; 4] {
        let part = if self.partitions == 1 {
            0
        } else {
            partition(self.seed, at, self.partitions, size[0] * size[1] < 31)
        };
        let Some([low, high]) = self.colors[part] else {
            return ERROR;
        };
        let weights = self.mode.at(&self.weights, size, at);
        std::array::from_fn(|c| {
            let weight = weights[usize::from(self.second == Some(c))];
            let wide = |code: i32| {
                let code = code.cast_unsigned();
                code << 8 | if srgb { 0x80 } else { code }
            };
            ((wide(low[c]) * (64 - weight) + wide(high[c]) * weight + 32) / 64) as u16
        })
    }
}

/// Modes of the partitions' colours, and where those begin; what is kept below the weights is taken from `end`.
fn color_modes(block: u128, partitions: u32, end: &mut u32) -> ([u32; 4], u32) {
    if partitions == 1 {
        return ([get(block, 13, 4); 4], 17);
    }
    let base = get(block, 23, 2);
    if base == 0 {
        return ([get(block, 25, 4); 4], 29);
    }
    let more = 3 * partitions - 4;
    *end -= more;
    // One bit a partition, then two.
    let bits = get(block, 25, 4) | get(block, *end, more) << 4;
    let mode = |i: u32| (base - 1 + (bits >> i & 1)) << 2 | bits >> (partitions + 2 * i) & 3;
    ([0, 1, 2, 3].map(|i| if i < partitions { mode(i) } else { 0 }), 29)
}

/// The colour of a block of one colour.
fn constant(block: u128) -> [u16; 4] {
    let corner = |at: u32| get(block, at, 13);
    let [left, right, top, bottom] = [12, 25, 38, 51].map(corner);
    let none = [left, right, top, bottom] == [0x1fff; 4];
    let high_range = get(block, 9, 1) != 0;
    if high_range || get(block, 10, 2) != 3 || !none && (left >= right || top >= bottom) {
        return ERROR;
    }
    [64, 80, 96, 112].map(|at| get(block, at, 16) as u16)
}

/// The texels of a block of `size` texels, row by row, as 16-bit numbers; `srgb` decides how endpoints are widened.
pub fn decompress(block: u128, size: [u32; 2], srgb: bool) -> impl Iterator<Item = [u16; 4]> {
    let single = (get(block, 0, 9) == 0x1fc).then(|| constant(block));
    let parsed = Block::parse(block, size).filter(|_| single.is_none());
    (0..size[0] * size[1]).map(move |i| match (&parsed, single) {
        (Some(parsed), _) => parsed.texel(size, [i % size[0], i / size[0]], srgb),
        (None, single) => single.unwrap_or(ERROR),
    })
}

/// The half float that a 16-bit number stands for.
pub fn half(code: u16) -> u16 {
    match code {
        u16::MAX => 0x3c00,
        0..4 => code << 8,
        _ => {
            let place = code.ilog2();
            let mantissa = (u32::from(code) << 10 >> place) & 0x3ff;
            ((place as u16 - 1) << 10) | mantissa as u16
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_rounded_towards_zero() {
        for code in 0..u16::MAX {
            let value = half::f16::from_bits(half(code)).to_f64();
            let next = half::f16::from_bits(half(code) + 1).to_f64();
            let exact = f64::from(code) / 65536.0;
            assert!(value <= exact && exact < next, "{code}: {value}, {exact}, {next}");
        }
        assert_eq!(half(u16::MAX), 0x3c00);
    }

    #[test]
    fn levels_grow_and_reach_both_ends() {
        for kind in LEVELS {
            let count = kind.states << kind.bits;
            let mut colors: Vec<u32> = (0..count).map(|value| kind.color(value)).collect();
            colors.sort_unstable();
            colors.dedup();
            assert!(kind.bits == 0 || colors.len() == count as usize, "{kind:?}");
            if kind.bits > 0 {
                assert_eq!((colors[0], colors[colors.len() - 1]), (0, 255), "{kind:?}");
            }
            if count <= 32 {
                let mut weights: Vec<u32> = (0..count).map(|value| kind.weight(value)).collect();
                weights.sort_unstable();
                weights.dedup();
                assert_eq!(
                    (weights.len(), weights[0], weights[weights.len() - 1]),
                    (count as usize, 0, 64)
                );
            }
        }
    }

    #[test]
    fn packed_states_are_all_there() {
        let threes: std::collections::BTreeSet<_> = (0..256).map(threes).collect();
        assert_eq!(threes.len(), 243);
        assert!(threes.iter().flatten().all(|&state| state < 3));
        let fives: std::collections::BTreeSet<_> = (0..128).map(fives).collect();
        assert_eq!(fives.len(), 125);
        assert!(fives.iter().flatten().all(|&state| state < 5));
    }

    #[test]
    fn blocks_of_one_colour() {
        let extents = ((1_u128 << 52) - 1) << 12;
        let color = 0x1234 | 0x5678 << 16 | 0x9abc << 32 | 0xffff_u128 << 48;
        let block = color << 64 | extents | 0xdfc;
        let texels: Vec<_> = decompress(block | 0xc00, [5, 4], false).collect();
        assert_eq!(texels, [[0x1234, 0x5678, 0x9abc, 0xffff]; 20]);
        // Of high dynamic range.
        let error: Vec<_> = decompress(block | 0xe00, [4, 4], false).collect();
        assert_eq!(error, [ERROR; 16]);
        assert_eq!(decompress(0, [4, 4], false).collect::<Vec<_>>(), [ERROR; 16]);
    }

    /// A grid of 4x4 weights of two bits, RGB endpoints 0 and 255.
    #[test]
    fn a_ramp_between_two_colours() {
        // Width b + 4, height a + 2 with a = 2, levels of two bits (range 4): R = 100.
        let mode = 0b10 | 2 << 5;
        let mut block = mode | 8_u128 << 13;
        // Endpoints of eight bits: 0, 255 for red, 0, 0 for green, 255, 255 for blue.
        for (i, value) in [0, 255, 0, 0, 255, 255_u128].into_iter().enumerate() {
            block |= value << (17 + 8 * i);
        }
        for i in 0..16_u32 {
            let weight = u128::from((i % 4).reverse_bits() >> 30);
            block |= weight << (126 - 2 * i);
        }
        let texels: Vec<_> = decompress(block, [4, 4], false).collect();
        let red = [0, 21, 43, 64].map(|w: u32| ((65535 * w + 32) / 64) as u16);
        for (i, texel) in texels.into_iter().enumerate() {
            assert_eq!(texel, [red[i % 4], 0, 65535, 65535], "{i}");
        }
    }

    #[test]
    fn any_bits_give_texels() {
        let mut bits = 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835_u128;
        for _ in 0..20_000 {
            bits = bits
                .wrapping_mul(0x2360_ed05_1fc6_5da4_4385_df64_9fcc_f645)
                .wrapping_add(1);
            let mixed = bits ^ bits >> 64;
            let size = [[4, 4], [5, 4], [6, 6], [10, 5], [12, 12]][(bits >> 120) as usize % 5];
            let count = decompress(mixed, size, mixed & 1 << 100 != 0).count();
            assert_eq!(count as u32, size[0] * size[1]);
        }
    }
}
