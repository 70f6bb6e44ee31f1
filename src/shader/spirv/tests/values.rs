//! Arithmetic, composites, memory, subgroups and atomics against the same in Rust.

use super::run::{Dispatch, run};
use super::{both, spv};

/// Checks rows of sixteen results against what each lane should give.
fn check(out: &[u32], expected: impl Fn(usize) -> Vec<u32>) {
    for i in 0..16 {
        for (row, want) in expected(i).into_iter().enumerate() {
            assert_eq!(out[16 * row + i], want, "row {row}, lane {i}");
        }
    }
}

#[test]
fn integers() {
    let a: Vec<i32> = vec![
        0,
        1,
        -1,
        7,
        -7,
        100,
        i32::MAX,
        i32::MIN,
        0x1234_5678,
        -0x1234_5678,
        5,
        6,
        1 << 20,
        -64,
        3,
        12345,
    ];
    let b: Vec<i32> = vec![
        1,
        2,
        3,
        -3,
        4,
        7,
        -1,
        5,
        0x7654_321,
        99,
        -5,
        31,
        33,
        8,
        1 << 30,
        -12345,
    ];
    let words = |x: &[i32]| x.iter().map(|&x| x as u32).collect::<Vec<_>>();
    let dispatch = Dispatch::new(both!("arith.comp"), vec![words(&a), words(&b), vec![0; 16 * 60]]);
    let out = run(&dispatch).remove(2);
    check(&out, |i| {
        let (x, y) = (a[i], b[i]);
        let (u, v) = (x as u32, y as u32);
        let truth = |t: bool| u32::from(t);
        let msb = |u: u32| 31u32.wrapping_sub(u.leading_zeros());
        let wide = u64::from(u) * u64::from(v);
        vec![
            u.wrapping_add(v),
            u.wrapping_sub(v),
            u.wrapping_mul(v),
            u / v,
            u % v,
            x.wrapping_div(y) as u32,
            u & v,
            u | v,
            u ^ v,
            !u,
            x.wrapping_neg() as u32,
            u.wrapping_shl(v),
            u.wrapping_shr(v),
            x.wrapping_shr(v) as u32,
            truth(x < y),
            truth(u < v),
            truth(x >= y),
            truth(u >= v),
            truth(x == y),
            truth(x != y),
            x.min(y) as u32,
            x.max(y) as u32,
            u.min(v),
            u.max(v),
            x.clamp(-5, 5) as u32,
            x.wrapping_abs() as u32,
            x.signum() as u32,
            u.count_ones(),
            u.reverse_bits(),
            if u == 0 { u32::MAX } else { u.trailing_zeros() },
            msb((x ^ (x >> 31)) as u32),
            msb(u),
            u >> 3 & 0x7f,
            (x << 22 >> 25) as u32,
            u,
            0,
            u & !(0x1ff << 4) | (v & 0x1ff) << 4,
            (wide >> 32) as u32,
            wide as u32,
            (i64::from(x) * i64::from(y) >> 32) as u32,
            u.wrapping_add(v),
            truth(u.checked_add(v).is_none()),
            u.wrapping_sub(v),
            truth(u < v),
            (x as f32).to_bits(),
            (u as f32).to_bits(),
            (x as f32 * 0.5) as i32 as u32,
            ((x as f32).abs() * 0.25) as u32,
            (x << 20 >> 24) as u32,
            (y << 20 >> 24) as u32,
            u & !(0x1ff << 4) | (v & 0x1ff) << 4,
            v & !(0x1ff << 4) | (u & 0x1ff) << 4,
        ]
    });
}

#[test]
fn wide_integers() {
    let a: Vec<u64> = (0..16u64)
        .map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(i as u32))
        .collect();
    let b: Vec<u64> = (0..16u64)
        .map(|i| [3, u64::MAX, 1 << 33, 0x1_0000_0001][i as usize % 4].wrapping_add(i))
        .collect();
    let words = |x: &[u64]| {
        x.iter()
            .flat_map(|&x| [x as u32, (x >> 32) as u32])
            .collect::<Vec<_>>()
    };
    let k = 0x0123_4567_89ab_cdefu64;
    let mut dispatch = Dispatch::new(both!("wide.comp"), vec![words(&a), words(&b), vec![0; 32 * 40]]);
    dispatch.push = words(&[k]);
    let out = run(&dispatch).remove(2);
    for i in 0..16 {
        let (x, y) = (a[i], b[i]);
        let (s, t) = (x as i64, y as i64);
        let truth = |t: bool| u64::from(t);
        let mut acc = 1u64;
        for _ in 0..i {
            acc = acc
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
        }
        let by = i as u32 * 4;
        let expected = [
            x.wrapping_add(y),
            x.wrapping_sub(y),
            x.wrapping_mul(y),
            x & y,
            x | y,
            x ^ y,
            !x,
            s.wrapping_neg() as u64,
            x.wrapping_shl(by),
            x.wrapping_shr(by),
            s.wrapping_shr(by) as u64,
            truth(x < y),
            truth(s < t),
            truth(x <= y),
            truth(s > t),
            truth(x == y),
            truth(x != y),
            truth(s >= t),
            x.checked_div(y).unwrap_or(u64::MAX),
            x.checked_rem(y).unwrap_or(x),
            if t == 0 { 0 } else { s.wrapping_div(t) as u64 },
            (i as u64).wrapping_mul(k),
            (i as i64 - 8) as u64,
            u64::from(x as u32).wrapping_add(k),
            k.wrapping_mul(k).wrapping_add(7),
            k >> 3,
            truth(k < 5),
            acc,
        ];
        for (row, want) in expected.into_iter().enumerate() {
            if y == 0 && (18..21).contains(&row) {
                continue;
            }
            let at = 2 * (16 * row + i);
            let got = u64::from(out[at]) | u64::from(out[at + 1]) << 32;
            assert_eq!(got, want, "row {row}, lane {i}");
        }
    }
}

#[test]
fn memory() {
    let f = |x: f32| x.to_bits();
    // mat3 m: three columns of 16 bytes; row-major mat2x3 r: three rows of 8 bytes (rounded up to 16 in std430
    // a vec2 needs 8); then s at the next multiple of 16.
    let m = [[1.0f32, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 10.0]];
    let r = [[0.5f32, 1.5], [2.5, 3.5], [4.5, 5.5]];
    let mut words: Vec<u32> = Vec::new();
    for column in m {
        words.extend(column.map(f));
        words.push(0);
    }
    for row in r {
        words.extend(row.map(f));
    }
    words.extend([0, 0]);
    for j in 0..4u32 {
        words.extend([0, 1, 2].map(|c| f((j * 10 + c) as f32)));
        words.push(f(j as f32 * 0.25));
        words.extend([0, 1, 2].map(|c| 100 * j + c));
        words.push(0);
    }
    let tail = words.len();
    words.extend((0..40).map(|j| 0x1000 + j * 3));
    for k in 0..3u32 {
        let mut dispatch = Dispatch::new(both!("memory.comp"), vec![words.clone(), vec![0; 16 * 14]]);
        dispatch.push = vec![k, 14];
        let out = run(&dispatch).remove(1);
        check(&out, |i| {
            let row = |c: usize| (0..3).map(|j| m[j][c] * (j + 1) as f32).sum::<f32>();
            let e = (i & 3) as u32;
            let sum = |v: [f32; 3]| v.iter().sum::<f32>();
            let w = [m[0], [9.0; 3], [7.0, 5.0, 10.0]];
            let element = |j: usize, c: usize| words.get(tail + 2 * j + c).copied().unwrap_or(0);
            let private = |j: usize| if j == (i + 1) & 7 { 100.0 } else { (j * i) as f32 };
            let shared = |j: usize| {
                if j < 16 {
                    (j * j) as u32
                } else if j >= 24 {
                    (39 - j) as u32
                } else {
                    0
                }
            };
            let mut v = [1.0f32, 2.0, 3.0, 4.0];
            v[i & 3] = 10.0;
            vec![
                f(row(i % 3)),
                f(m[i % 3][i / 3 % 3]),
                f(r[i % 3][1] + r[k as usize][0]),
                (100 * e + (i % 3) as u32)
                    .wrapping_add(f((e * 10 + 1) as f32))
                    .wrapping_add(f(e as f32 * 0.25)),
                element(i, 0) ^ element(k as usize, 1),
                20,
                element(i + 14, 0),
                0,
                f(private(i & 7) + private(k as usize) + 100.0),
                f([1.5, 2.5, 3.5, 4.5, 5.5][i % 5]),
                shared(15 - i) + shared(24 + i) + shared(k as usize),
                f(sum(w[i % 3])),
                f(v[0] + v[1] * 2.0 + v[2] * 4.0 + v[3] * 8.0),
                u32::from([i > 3, true, k == 1, false][i & 3]),
            ]
        });
    }
}

#[test]
fn subgroups() {
    let a: Vec<u32> = (0..16).map(|i| (i * 5 + 3) % 13).collect();
    let dispatch = Dispatch::new(both!("subgroups.comp"), vec![a.clone(), vec![0xdead; 16 * 48]]);
    let out = run(&dispatch).remove(1);
    check(&out, |i| {
        let (lane, x) = (i & 7, a[i]);
        let group = &a[i & 8..(i & 8) + 8];
        let quad = &group[lane & 4..(lane & 4) + 4];
        let before = &group[..lane];
        let f = |x: f32| x.to_bits();
        let truth = |t: bool| u32::from(t);
        let ballot =
            |p: &dyn Fn(u32) -> bool| (0..8).filter(|&l| p(group[l])).map(|l| 1u32 << l).sum::<u32>();
        let above = ballot(&|x| x > 8);
        let high = ballot(&|x| x > 4);
        let own = 1u32 << lane;
        let mut rows = vec![
            lane as u32 + 100 * (i as u32 / 8) + 1000 * 2 + 10000 * 8,
            group.iter().sum(),
            before.iter().sum::<u32>() + x,
            before.iter().sum(),
            *group.iter().max().unwrap_or(&0),
            *group.iter().min().unwrap_or(&0),
            group.iter().fold(1, |p, x| p * (x | 1)),
            group.iter().fold(0, |p, x| p ^ x),
            f(group.iter().map(|&x| x as f32).sum()),
            f(before.iter().map(|&x| (x & 3) as f32).product()),
            quad.iter().sum(),
            group[lane & !1] | group[lane | 1],
            above,
            above.count_ones(),
            (above & (2 * own - 1)).count_ones(),
            (above & (own - 1)).count_ones(),
            high.trailing_zeros(),
            31 - high.leading_zeros(),
            truth(0x5a >> lane & 1 != 0),
            truth(0x5a >> lane & 1 != 0),
            group[3],
            group[0],
            group[lane ^ 5],
            group[lane ^ 3],
            group[lane.wrapping_sub(1) & 7],
            group[(lane + 2) & 7],
            quad[2],
            quad[(lane & 3) ^ 1],
            quad[(lane & 3) ^ 2],
            quad[(lane & 3) ^ 3],
            1,
            truth(group.contains(&9)),
            0,
            1,
            truth(lane == 0),
            own,
            !(own - 1) & 0xff,
            !(2 * own - 1) & 0xff,
            2 * own - 1,
            own - 1,
        ];
        if x > 6 {
            let active: Vec<usize> = (0..8).filter(|&l| group[l] > 6).collect();
            rows.extend([
                active.iter().map(|&l| group[l]).sum(),
                truth(active[0] == lane),
                group[active[0]],
                active.iter().filter(|&&l| l <= lane).count() as u32,
                active.iter().fold(u32::MAX, |p, &l| p & group[l]),
                1,
            ]);
        } else {
            rows.extend([0xdead; 6]);
        }
        // Lanes outside the group are undefined for relative shuffles.
        rows[24] = if lane == 0 { out[16 * 24 + i] } else { rows[24] };
        rows[25] = if lane > 5 { out[16 * 25 + i] } else { rows[25] };
        rows
    });
}

#[test]
fn atomics() {
    let mut start = vec![0u32; 20];
    start[2] = 100;
    start[3] = u32::MAX;
    let dispatch = Dispatch::new(both!("atomics.comp"), vec![start, vec![0; 32]]);
    let mut buffers = run(&dispatch);
    assert_eq!(buffers.remove(1), vec![5 + 64; 32]);
    let xor = (0..32).fold(0, |p, i| p ^ i);
    let expected = [496, 93, 7, 0, u32::MAX, xor, 4, 4, 77, 4, 4, 0, 0, 0, 0, 0];
    assert_eq!(buffers[0][..16], expected);
    assert_eq!(
        buffers[0][16..18].iter().map(|&x| x as i32).collect::<Vec<_>>(),
        [-16, 15]
    );
}

#[test]
fn device_addresses() {
    // Nodes are in the second buffer's own memory: filled in by the test.
    let nodes = crate::memory::AlignedBuf::new(16 * 8);
    let at = |n: u64| nodes.address() + 16 * (n % 8);
    for n in 0..8u64 {
        crate::memory::raw::store(at(n), at(n + 3));
        crate::memory::raw::store(at(n) + 8, n as u32 + 1);
    }
    let pair = |x: u64| [x as u32, (x >> 32) as u32];
    let mut start: Vec<u32> = pair(at(2)).to_vec();
    start.extend((0..16).flat_map(|i| pair(at(i))));
    let dispatch = Dispatch::new(both!("bda.comp"), vec![start, vec![0; 32]]);
    let out = run(&dispatch).remove(1);
    check(&out, |i| {
        let value = |n: u64| (n % 8) as u32 + 1;
        let chain = (0..4).fold(0, |sum, j| sum * 10 + value(2 + 3 * j));
        vec![chain, value(i as u64 + 3 * (i as u64 & 3))]
    });
}

#[test]
fn narrow_and_mixed_types() {
    let a: Vec<u64> = (0..16u64)
        .map(|i| {
            [
                0,
                1,
                u64::MAX,
                1 << 40,
                0x8000_0000_0000_0000,
                0x1234_5678_9abc_def0,
                77,
                1 << 24 | 1,
            ][i as usize % 8]
                ^ (i / 8) << 33
        })
        .collect();
    let s: Vec<i16> = (0..16).map(|i| (i * 4111 - 30000) as i16).collect();
    let c: Vec<u8> = (0..16).map(|i| (i * 37 + 5) as u8).collect();
    let h: Vec<half::f16> = (0..16)
        .map(|i| half::f16::from_f32(i as f32 * 1.37 - 4.0))
        .collect();
    let words = a.iter().flat_map(|&x| [x as u32, (x >> 32) as u32]).collect();
    let mut small: Vec<u32> = s
        .chunks(2)
        .map(|p| u32::from(p[0] as u16) | u32::from(p[1] as u16) << 16)
        .collect();
    small.extend(c.chunks(4).map(|p| u32::from_le_bytes([p[0], p[1], p[2], p[3]])));
    small.extend(
        h.chunks(2)
            .map(|p| u32::from(p[0].to_bits()) | u32::from(p[1].to_bits()) << 16),
    );
    let dispatch = Dispatch::new(both!("narrow.comp"), vec![words, vec![0; 32 * 40], small]);
    let mut buffers = run(&dispatch);
    let small = buffers.remove(2);
    let out = buffers.remove(1);
    let f = |x: f32| u64::from(x.to_bits());
    for i in 0..16 {
        let (x, y) = (a[i], a[i] as i64);
        let other = a[15 - i];
        let group = i & 8..(i & 8) + 8;
        let (t, narrow) = (s[i], &s[group.clone()]);
        let before = &a[i & 8..i];
        let half = |x: f32| half::f16::from_f32(x).to_f32();
        let g = h[i].to_f32();
        let expected = [
            f(x as f32),
            f(y as f32),
            x as f32 as u64,
            y as f32 as i64 as u64,
            x.min(other),
            y.max(other as i64) as u64,
            y.clamp(-5, 5) as u64,
            y.wrapping_abs() as u64,
            y.signum() as u64,
            a[group.clone()].iter().fold(0, |p, &x| p.wrapping_add(x)),
            a[group.clone()].iter().map(|&x| x as i64).min().unwrap_or(0) as u64,
            a[group.clone()].iter().copied().max().unwrap_or(0),
            before.iter().fold(0, |p, &x| p.wrapping_add(x)),
            a[i ^ 1],
            t.wrapping_mul(300) as i64 as u64,
            t.wrapping_add(32000) as i64 as u64,
            (t >> 3) as i64 as u64,
            (t / 7) as i64 as u64,
            t.min(5) as i64 as u64,
            narrow.iter().fold(0i16, |p, &x| p.wrapping_add(x)) as i64 as u64,
            narrow.iter().copied().min().unwrap_or(0) as i64 as u64,
            s[i & 8..i].iter().copied().min().unwrap_or(i16::MAX) as i64 as u64,
            c[i].wrapping_mul(7).into(),
            (!c[i]).into(),
            (c[i] << 3).into(),
            c[i] as i8 as i64 as u64,
            f(half(g + half(0.1))),
            f(half(g * g)),
            f(half(half(g.abs()).sqrt())),
            u64::from(g as i32 as u32),
        ];
        for (row, want) in expected.into_iter().enumerate() {
            let at = 2 * (16 * row + i);
            let got = u64::from(out[at]) | u64::from(out[at + 1]) << 32;
            // Saturated conversions are not defined.
            let undefined = row == 2 && x as f32 >= 1.8e19 || row == 3 && (y as f32).abs() >= 9.2e18;
            assert!(
                got == want || undefined,
                "row {row}, lane {i}: {got:x} for {want:x}"
            );
        }
        let word = |at: usize, bits: usize| small[at] >> bits;
        assert_eq!(word(i / 2, i % 2 * 16) & 0xffff, i as u32 * 5);
        assert_eq!(word(8 + i / 4, i % 4 * 8) & 0xff, i as u32 * 17 & 0xff);
        assert_eq!(
            word(12 + i / 2, i % 2 * 16) & 0xffff,
            u32::from(half::f16::from_f32(i as f32 * 0.3).to_bits())
        );
    }
}

#[test]
fn integer_dot_products_of_all_widths() {
    let a: Vec<u32> = (0..16u32)
        .map(|i| i.wrapping_mul(0x9e37_79b9) ^ 0x8000_7fff)
        .collect();
    let b: Vec<u32> = (0..16u32)
        .map(|i| i.wrapping_mul(0x85eb_ca6b) | 0x7f80_0000)
        .collect();
    let dispatch = Dispatch::new(
        [spv!("dot"), spv!("dot")],
        vec![a.clone(), b.clone(), vec![0; 16 * 10]],
    );
    let out = run(&dispatch).remove(2);
    check(&out, |i| {
        let bytes = |x: u32| x.to_le_bytes();
        let sum = |f: fn(u8, u8) -> i64| -> i64 {
            bytes(a[i])
                .into_iter()
                .zip(bytes(b[i]))
                .map(|(x, y)| f(x, y))
                .sum()
        };
        let signed = sum(|x, y| i64::from(x as i8) * i64::from(y as i8));
        let unsigned = sum(|x, y| i64::from(x) * i64::from(y));
        let mixed = sum(|x, y| i64::from(x as i8) * i64::from(y));
        let accumulator = 0u32.wrapping_sub(i as u32);
        let big = i64::from(b[i] as i32).wrapping_add(9_223_372_036_854_775_000);
        let wide = big.saturating_add(signed);
        vec![
            signed as u32,
            unsigned as u32,
            (b[i] as i32).saturating_add(mixed as i32) as u32,
            accumulator.saturating_add(unsigned as u32),
            (signed + i64::from(b[i] as i8)).clamp(-128, 127) as u32,
            (unsigned + i64::from(accumulator as u16)).min(65535) as u32,
            (wide >> 32) as u32,
            wide as u32,
            a[i] & !0xf0 | (b[i] & 0xf) << 4,
            a[i].count_ones(),
        ]
    });
}

#[test]
fn bit_fields_of_all_widths() {
    let a: Vec<u32> = (0..16u32)
        .map(|i| i.wrapping_mul(0x9e37_79b9) ^ 0x8000_7fff)
        .collect();
    let b: Vec<u32> = (0..16u32)
        .map(|i| i.wrapping_mul(0x85eb_ca6b) | 0x0f80_0000)
        .collect();
    let dispatch = Dispatch::new(
        [spv!("fields"), spv!("fields")],
        vec![a.clone(), b.clone(), vec![0; 16 * 16]],
    );
    let out = run(&dispatch).remove(2);
    check(&out, |i| {
        let (lo, hi) = (u64::from(a[i]), u64::from(b[i]));
        let (x, y) = (lo | hi << 32, lo << 32 ^ hi);
        let (offset, count) = (b[i] & 31, (a[i] & 31) + 1);
        let field = (1_u64 << count) - 1;
        let insert = x & !(field << offset) | (y & field) << offset;
        let unsigned = x >> offset & field;
        let signed = (unsigned << (64 - count)).cast_signed() >> (64 - count);
        let (small, few) = (b[i] & 3, a[i] & 3);
        let bits = (1_u32 << few) - 1;
        let inserted = (b[i] & 0xffff) & !(bits << small) | (a[i] & bits) << small;
        let extracted = (a[i] & 0xff) >> small & bits;
        let sign = match few {
            0 => 0,
            few => (extracted << (32 - few)).cast_signed() >> (32 - few),
        };
        let mut rows = Vec::new();
        for wide in [insert, unsigned, signed.cast_unsigned(), y, 0, x.reverse_bits()] {
            rows.extend([wide as u32, (wide >> 32) as u32]);
        }
        rows.extend([
            inserted & 0xffff,
            sign.cast_unsigned(),
            extracted,
            u32::from((a[i] as u8).reverse_bits()),
        ]);
        rows
    });
}

#[test]
fn conversions_of_specialization_constants() {
    // A tie, one above the largest half, a subnormal half, infinity.
    for value in [1.5_f32, 1.000_488_3, 70000.0, 3.0e-6, f32::NEG_INFINITY] {
        let mut dispatch = Dispatch::new(both!("specialize.comp"), vec![vec![0; 32]]);
        dispatch.spec = vec![(0, value.to_bits().into())];
        let half = half::f16::from_f32(value);
        check(&run(&dispatch).remove(0), |_| {
            vec![half.to_bits().into(), half.to_f32().to_bits()]
        });
    }
}

#[test]
fn pointers_are_values() {
    let a: Vec<u32> = (0..32).map(|i| 100 + i * i).collect();
    let b: Vec<u32> = (0..32).map(|i| 5000 + 3 * i).collect();
    let dispatch = Dispatch::new(
        [spv!("pointers"), spv!("pointers")],
        vec![a.clone(), b.clone(), vec![0; 128]],
    );
    let out = run(&dispatch).remove(2);
    check(&out, |i| {
        let odd = i % 2 == 1;
        let from = if odd { &a } else { &b };
        let flags = u32::from(odd) | 2 | 4 * u32::from(odd);
        let mine = i as i32;
        let shared = if odd {
            15 - mine + 16 * (15 - 2 * mine)
        } else {
            mine
        };
        vec![
            from[i],
            from[i..i + 4].iter().sum(),
            from[i + 1 - usize::from(odd)],
            if odd { b[1] } else { a[i] },
            flags,
            if odd { 0 } else { a[i] },
            shared.cast_unsigned(),
            if odd { i as u32 + 32 } else { 4 },
        ]
    });
}

#[test]
fn untyped_pointers() {
    // Halves: signalling and quiet not-a-numbers, infinities, subnormals, zeros of both signs and others.
    let halves = [
        0x7c01, 0xfd55, 0x7e00, 0xffff, 0x7c00, 0xfc00, 1, 0x8000, 0x3c00, 0xc123,
    ];
    let a: Vec<u32> = (0..16)
        .map(|i| halves[i % halves.len()] | 0x0102_0000 * (i as u32 + 1))
        .collect();
    let shader: [&[u8]; 2] = [spv!("untyped"), spv!("untyped")];
    let out = run(&Dispatch::new(shader, vec![a.clone(), vec![0; 96]])).remove(1);
    check(&out, |i| {
        vec![
            a[i] & 0xffff,
            a[i] >> 16,
            a[i] & 0xff_ffff,
            16,
            a[i],
            a[8 + i % 4],
        ]
    });
}

#[test]
fn atomics_of_64_bits() {
    let a: Vec<u64> = (1..=16u64)
        .map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(i as u32))
        .collect();
    let words = |values: &[u64]| {
        values
            .iter()
            .flat_map(|v| [*v as u32, (*v >> 32) as u32])
            .collect()
    };
    let mut b = vec![1, u64::MAX, 2, 3, u64::MAX, 0, 7, 0, 1 << 40, 2, 3, u64::MAX];
    let dispatch = Dispatch::new(
        both!("atomics64.comp"),
        vec![words(&a), words(&b), vec![0; 2 * 16 * 12]],
    );
    let results = run(&dispatch);
    let pairs = |words: &[u32]| -> Vec<u64> {
        let pair = |pair: &[u32]| u64::from(pair[0]) | u64::from(pair[1]) << 32;
        words.chunks(2).map(pair).collect()
    };
    let out = pairs(&results[2]);
    // One lane after another, the lowest first.
    let change: [fn(u64, u64, u64) -> u64; 8] = [
        |old, x, _| old.wrapping_add(x),
        |old, x, _| old & (x | 0xff00_0000_0000_0000),
        |old, x, _| old | x,
        |old, x, _| old ^ x,
        |old, x, _| old.min(x),
        |old, x, _| old.max(x),
        |_, x, _| x,
        |old, _, i| if old == i << 32 { (i + 1) << 32 } else { old },
    ];
    for (row, change) in change.iter().enumerate() {
        for (i, &x) in (0u64..).zip(&a) {
            assert_eq!(out[16 * row + i as usize], b[row], "row {row}, lane {i}");
            b[row] = change(b[row], x, i);
        }
    }
    for (i, &x) in a.iter().enumerate() {
        assert_eq!(out[16 * 8 + i], b[8 + i % 4]);
        b[8 + i % 4] = b[8 + i % 4].wrapping_add(x << 7);
    }
    assert_eq!(pairs(&results[1]), b);
    let odd = a
        .iter()
        .skip(1)
        .step_by(2)
        .fold(5, |sum: u64, x| sum.wrapping_add(*x));
    let signed = || a.iter().map(|x| x.cast_signed());
    let least = signed().min().unwrap_or_default().cast_unsigned();
    let most = signed().max().unwrap_or_default().cast_unsigned();
    check(
        &results[2][2 * 16 * 9..]
            .chunks(2)
            .map(|pair| pair[0])
            .collect::<Vec<_>>(),
        |_| vec![odd as u32, least as u32, most as u32],
    );
    assert_eq!(out[16 * 9..][..16], [odd; 16]);
}

#[test]
fn zeros_have_an_order_with_the_second_float_controls() {
    let [zero, minus, one] = [0.0f32, -0.0, 1.0].map(f32::to_bits);
    let a = [zero, minus, zero, minus, one, minus, one, zero].repeat(2);
    let b = [minus, zero, zero, minus, minus, one, one, one].repeat(2);
    let dispatch = Dispatch::new([spv!("zeros"), spv!("zeros")], vec![a, b, vec![0; 64]]);
    let least = [minus, minus, zero, minus, minus, minus, one, zero];
    let most = [zero, zero, zero, minus, one, one, one, one];
    check(&run(&dispatch)[2], |i| [least[i % 8], most[i % 8]].repeat(2));
}
