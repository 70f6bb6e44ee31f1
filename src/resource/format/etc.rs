//! Blocks of ETC2 and EAC, decompressed.

/// Four texels a row, four rows.
pub type Texels<T> = [T; 16];

/// How much intensities are changed, by table: a little, or more.
const MODIFIERS: [[i32; 2]; 8] = [
    [2, 8],
    [5, 17],
    [9, 29],
    [13, 42],
    [18, 60],
    [24, 80],
    [33, 106],
    [47, 183],
];

/// Distances of the modes with two colours.
const DISTANCES: [i32; 8] = [3, 6, 11, 16, 23, 32, 41, 64];

/// Modifiers of EAC, by table.
const EAC: [[i32; 8]; 16] = [
    [-3, -6, -9, -15, 2, 5, 8, 14],
    [-3, -7, -10, -13, 2, 6, 9, 12],
    [-2, -5, -8, -13, 1, 4, 7, 12],
    [-2, -4, -6, -13, 1, 3, 5, 12],
    [-3, -6, -8, -12, 2, 5, 7, 11],
    [-3, -7, -9, -11, 2, 6, 8, 10],
    [-4, -7, -8, -11, 3, 6, 7, 10],
    [-3, -5, -8, -11, 2, 4, 7, 10],
    [-2, -6, -8, -10, 1, 5, 7, 9],
    [-2, -5, -8, -10, 1, 4, 7, 9],
    [-2, -4, -8, -10, 1, 3, 7, 9],
    [-2, -5, -7, -10, 1, 4, 6, 9],
    [-3, -4, -7, -10, 2, 3, 6, 9],
    [-1, -2, -3, -10, 0, 1, 2, 9],
    [-4, -6, -8, -9, 3, 5, 7, 8],
    [-3, -5, -7, -9, 2, 4, 6, 8],
];

/// A block as one big-endian number.
#[derive(Clone, Copy)]
struct Bits(u64);

impl Bits {
    /// `count` bits from bit `low` on.
    fn get(self, low: u32, count: u32) -> i32 {
        (self.0 >> low & ((1 << count) - 1)) as i32
    }

    /// The same, with a sign.
    fn signed(self, low: u32, count: u32) -> i32 {
        let bits = self.get(low, count);
        bits - ((bits >> (count - 1) & 1) << count)
    }

    /// The number of a texel: columns come one after the other.
    fn index(self, texel: usize) -> usize {
        let at = (texel % 4 * 4 + texel / 4) as u32;
        (self.get(at + 16, 1) << 1 | self.get(at, 1)) as usize
    }
}

type Rgb = [i32; 3];

fn byte(x: i32) -> u8 {
    x.clamp(0, 255) as u8
}

fn opaque(color: Rgb) -> [u8; 4] {
    let [r, g, b] = color.map(byte);
    [r, g, b, 255]
}

fn changed(color: Rgb, by: i32) -> Rgb {
    color.map(|c| c + by)
}

/// Eight bits of four, five, six or seven.
fn widen(value: i32, bits: u32) -> i32 {
    value << (8 - bits) | value >> (2 * bits - 8)
}

/// Colours. With `punch_through` blocks may have transparent texels.
pub fn color(block: u64, punch_through: bool) -> Texels<[u8; 4]> {
    let bits = Bits(block.swap_bytes());
    let differential = bits.get(33, 1) != 0;
    // In such blocks the second texel value stands for transparent black, and colours are always differential.
    let holes = punch_through && !differential;
    if !differential && !punch_through {
        let first = [60, 52, 44].map(|at| widen(bits.get(at, 4), 4));
        let second = [56, 48, 40].map(|at| widen(bits.get(at, 4), 4));
        return halves(bits, [first, second], false);
    }
    let first = [59, 51, 43].map(|at| bits.get(at, 5));
    let delta = [56, 48, 40].map(|at| bits.signed(at, 3));
    let second: Rgb = std::array::from_fn(|c| first[c] + delta[c]);
    match second.map(|c| (0..32).contains(&c)) {
        [false, ..] => t_mode(bits, holes),
        [_, false, _] => h_mode(bits, holes),
        [.., false] => planar(bits),
        _ => halves(bits, [first, second].map(|c| c.map(|c| widen(c, 5))), holes),
    }
}

/// Two halves of one colour each, whose intensity changes.
fn halves(bits: Bits, colors: [Rgb; 2], holes: bool) -> Texels<[u8; 4]> {
    let flipped = bits.get(32, 1) != 0;
    let tables = [37, 34].map(|at| MODIFIERS[bits.get(at, 3) as usize]);
    std::array::from_fn(|texel| {
        let half = if flipped { texel / 8 } else { texel % 4 / 2 };
        let [little, more] = tables[half];
        let by = match bits.index(texel) {
            2 if holes => return [0; 4],
            0 if holes => 0,
            0 => little,
            1 => more,
            2 => -little,
            _ => -more,
        };
        opaque(changed(colors[half], by))
    })
}

fn paint(bits: Bits, colors: [Rgb; 4], holes: bool) -> Texels<[u8; 4]> {
    std::array::from_fn(|texel| match bits.index(texel) {
        2 if holes => [0; 4],
        index => opaque(colors[index]),
    })
}

fn t_mode(bits: Bits, holes: bool) -> Texels<[u8; 4]> {
    let red = bits.get(59, 2) << 2 | bits.get(56, 2);
    let first = [red, bits.get(52, 4), bits.get(48, 4)].map(|c| widen(c, 4));
    let second = [44, 40, 36].map(|at| widen(bits.get(at, 4), 4));
    let distance = DISTANCES[(bits.get(34, 2) << 1 | bits.get(32, 1)) as usize];
    let colors = [
        first,
        changed(second, distance),
        second,
        changed(second, -distance),
    ];
    paint(bits, colors, holes)
}

fn h_mode(bits: Bits, holes: bool) -> Texels<[u8; 4]> {
    let green = bits.get(56, 3) << 1 | bits.get(52, 1);
    let blue = bits.get(51, 1) << 3 | bits.get(47, 3);
    let first = [bits.get(59, 4), green, blue].map(|c| widen(c, 4));
    let second = [43, 39, 35].map(|at| widen(bits.get(at, 4), 4));
    // The order of the colours is a bit of its own.
    let order = i32::from(first >= second);
    let distance = DISTANCES[(bits.get(34, 1) << 2 | bits.get(32, 1) << 1 | order) as usize];
    let colors = [
        changed(first, distance),
        changed(first, -distance),
        changed(second, distance),
        changed(second, -distance),
    ];
    paint(bits, colors, holes)
}

/// A plane through the colours of three corners.
fn planar(bits: Bits) -> Texels<[u8; 4]> {
    let green = bits.get(56, 1) << 6 | bits.get(49, 6);
    let blue = bits.get(48, 1) << 5 | bits.get(43, 2) << 3 | bits.get(39, 3);
    let red = bits.get(34, 5) << 1 | bits.get(32, 1);
    let wide = |[r, g, b]: Rgb| [widen(r, 6), widen(g, 7), widen(b, 6)];
    let origin = wide([bits.get(57, 6), green, blue]);
    let right = wide([red, bits.get(25, 7), bits.get(19, 6)]);
    let below = wide([bits.get(13, 6), bits.get(6, 7), bits.get(0, 6)]);
    std::array::from_fn(|texel| {
        let (x, y) = ((texel % 4) as i32, (texel / 4) as i32);
        opaque(std::array::from_fn(|c| {
            (x * (right[c] - origin[c]) + y * (below[c] - origin[c]) + 4 * origin[c] + 2) >> 2
        }))
    })
}

/// The modifiers of an EAC block.
fn modifiers(bits: Bits) -> Texels<i32> {
    let table = EAC[bits.get(48, 4) as usize];
    std::array::from_fn(|texel| {
        let at = (texel % 4 * 4 + texel / 4) as u32;
        table[bits.get(45 - 3 * at, 3) as usize]
    })
}

/// Alpha of eight bits.
pub fn alpha(block: u64) -> Texels<u8> {
    let bits = Bits(block.swap_bytes());
    let (base, multiplier) = (bits.get(56, 8), bits.get(52, 4));
    modifiers(bits).map(|modifier| byte(base + modifier * multiplier))
}

/// A component of eleven bits.
pub fn component(block: u64, signed: bool) -> Texels<f32> {
    let bits = Bits(block.swap_bytes());
    let scale = match bits.get(52, 4) {
        0 => 1,
        multiplier => multiplier * 8,
    };
    modifiers(bits).map(|modifier| {
        if signed {
            let code = bits.signed(56, 8).max(-127) * 8 + modifier * scale;
            code.clamp(-1023, 1023) as f32 / 1023.0
        } else {
            let code = bits.get(56, 8) * 8 + 4 + modifier * scale;
            code.clamp(0, 2047) as f32 / 2047.0
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A block of the bits in the order in which the specification writes them.
    fn block(bits: u64) -> u64 {
        bits.swap_bytes()
    }

    #[test]
    fn each_mode_gives_the_colours_worked_out_by_hand() {
        // Individual: red 8 left, blue 15 right, both tables 0; all texels +2.
        let flat = color(block(0x8 << 60 | 0xf << 40), false);
        assert_eq!((flat[0], flat[3]), ([138, 2, 2, 255], [2, 2, 255, 255]));
        // Differential, upper and lower half: green 16, then 17; the last texel takes -8.
        let bits = 16 << 51 | 1 << 48 | 1 << 33 | 1 << 32 | 1 << 31 | 1 << 15;
        let flipped = color(block(bits), false);
        assert_eq!((flipped[0], flipped[15]), ([2, 134, 2, 255], [0, 132, 0, 255]));
        // Without the opaque bit the third value is transparent, the first unchanged.
        let holes = color(block(16 << 51 | 1 << 32 | 1 << 16), true);
        assert_eq!((holes[0], holes[1]), ([0; 4], [0, 132, 0, 255]));
        // T: red overflows (3 - 4 < 0 in five bits), second colour 8, 0, 0, distance 3.
        let t = color(block(4 << 56 | 8 << 44 | 1 << 33 | 1), false);
        assert_eq!((t[0], t[1]), ([139, 3, 3, 255], [0, 0, 0, 255]));
        // Planar: blue overflows; all corners 0 but red on the right.
        let p = color(block(4 << 40 | 31 << 34 | 1 << 33 | 1 << 32), false);
        assert_eq!((p[0][0], p[1][0], p[3][0], p[12][0]), (0, 64, 191, 0));
    }

    #[test]
    fn components_have_eleven_bits() {
        let bits = 0x80 << 56 | 1 << 52 | 13 << 48 | 0b100 << 45;
        // Base 128 * 8 + 4 and modifier 0 of table 13; then -1 * 8.
        let wide = component(block(bits), false);
        assert_eq!((wide[0], wide[1]), (1028.0 / 2047.0, 1020.0 / 2047.0));
        let signed = component(block(bits), true);
        assert_eq!(signed[0], -1016.0 / 1023.0);
        assert_eq!(alpha(block(bits))[0], 128);
        assert_eq!(alpha(block(bits))[1], 127);
    }
}
