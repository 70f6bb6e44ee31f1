//! Fetches, storage images, texel buffers, atomics and queries.

use super::image::{Harness, IDENTITY, TestImage, WIDTH};
use super::reference::Scalar;
use crate::descriptor::{ImageDescriptor, KIND_MARK, SamplerDescriptor, TexelBufferDescriptor};
use crate::resource::format::Format;
use crate::shader::ir::{AtomicOp, Builder, Value};
use crate::shader::sampling::{
    Atomic, Dim, Env, TexelArgs, emit_buffer_atomic, emit_buffer_read, emit_buffer_write, emit_fetch,
    emit_image_atomic, emit_image_read, emit_image_write, emit_query_levels, emit_query_samples,
    emit_query_size,
};
use crate::vk;

fn bits(value: Scalar) -> u32 {
    match value {
        Scalar::Float(x) => (x as f32).to_bits(),
        Scalar::Int(x) => x,
    }
}

fn texel_args(dim: Dim, v: &[Value], layered: bool, mask: Value) -> TexelArgs {
    let n = dim.texel_coords();
    TexelArgs {
        dim,
        coords: v[..n].into(),
        layer: layered.then(|| v[n]),
        sample: None,
        lod: None,
        mask,
    }
}

#[test]
fn fetches_find_every_texel_and_nothing_else() {
    let cases = [
        (Dim::D1, [9, 1, 1], 1, 3, 1),
        (Dim::D1, [9, 1, 1], 3, 1, 1),
        (Dim::D2, [7, 5, 1], 1, 3, 1),
        (Dim::D2, [7, 5, 1], 1, 1, 4),
        (Dim::D2, [300, 3, 1], 2, 9, 1),
        (Dim::D3, [5, 3, 4], 1, 2, 1),
    ];
    for (dim, size, layers, levels, samples) in cases {
        for format in [
            vk::Format::R8G8B8A8_UNORM,
            vk::Format::R16_SINT,
            vk::Format::R32G32B32A32_SFLOAT,
            vk::Format::BC3_UNORM_BLOCK,
        ] {
            if dim == Dim::D1 && format == vk::Format::BC3_UNORM_BLOCK {
                continue;
            }
            let image = TestImage::new(format, dim, size, layers, levels, samples);
            let harness = Harness::new(6, |b, env, image, _, v, mask| {
                let args = TexelArgs {
                    dim,
                    coords: v[..dim.texel_coords()].into(),
                    layer: (layers > 1).then(|| v[3]),
                    sample: (samples > 1).then(|| v[4]),
                    lod: (samples == 1).then(|| v[5]),
                    mask,
                };
                emit_fetch(b, env, image, &args).to_vec()
            });
            let mut wave = Vec::new();
            let flush = |wave: &mut Vec<[u32; 6]>| {
                let inputs: Vec<[u32; WIDTH]> = (0..6)
                    .map(|i| std::array::from_fn(|lane| wave.get(lane).map_or(0, |at| at[i])))
                    .collect();
                let out = harness.run(image.descriptor(IDENTITY), SamplerDescriptor::default(), &inputs);
                for (lane, &[x, y, z, layer, sample, level]) in wave.iter().enumerate() {
                    let inside = level < levels && layer < layers && sample < samples && {
                        let [w, h, d] = image.level_size(level);
                        x < w && y < h && z < d
                    };
                    for channel in 0..4 {
                        let has = image
                            .format
                            .components
                            .iter()
                            .any(|c| c.channel as usize == channel);
                        let want = if inside {
                            bits(image.texel(level, layer, sample, [x, y, z])[channel])
                        } else if has || channel < 3 {
                            0
                        } else {
                            bits(image.texel(0, 0, 0, [0, 0, 0])[3])
                        };
                        assert_eq!(
                            out[channel][lane], want,
                            "{dim:?} {x} {y} {z} {layer} {sample} {level}"
                        );
                    }
                }
                wave.clear();
            };
            for level in 0..=levels {
                for layer in 0..layers + u32::from(layers > 1) {
                    for sample in 0..samples + u32::from(samples > 1) {
                        for at in 0..(size[0].min(12) + 2) * (size[1] + 1) * (size[2] + 1) {
                            let x = at % (size[0].min(12) + 2);
                            let rest = at / (size[0].min(12) + 2);
                            let y = if dim == Dim::D1 { 0 } else { rest % (size[1] + 1) };
                            let z = if dim == Dim::D3 { rest / (size[1] + 1) } else { 0 };
                            let x = if x == size[0].min(12) + 1 { u32::MAX } else { x };
                            let level = if samples > 1 { 0 } else { level };
                            wave.push([x, y, z, layer, sample, level]);
                            if wave.len() == WIDTH {
                                flush(&mut wave);
                            }
                        }
                    }
                }
            }
            flush(&mut wave);
        }
    }
}

#[test]
fn fetches_apply_the_component_mapping() {
    let image = TestImage::new(vk::Format::R8G8_UINT, Dim::D2, [4, 4, 1], 1, 1, 1);
    let harness = Harness::new(2, |b, env, image, _, v, mask| {
        emit_fetch(b, env, image, &texel_args(Dim::D2, v, false, mask)).to_vec()
    });
    let inputs = [[1; WIDTH], [2; WIDTH]];
    let out = harness.run(
        image.descriptor([3, 1, 0, 2]),
        SamplerDescriptor::default(),
        &inputs,
    );
    let texel = image.texel(0, 0, 0, [1, 2, 0]);
    assert_eq!(out.map(|v| v[0]), [bits(texel[1]), 1, 0, bits(texel[0])]);
}

#[test]
fn storage_images_keep_what_is_written() {
    for format in [
        vk::Format::R8_UNORM,
        vk::Format::R16G16_SFLOAT,
        vk::Format::R16G16B16A16_UINT,
        vk::Format::R32G32B32A32_SINT,
    ] {
        for known in [false, true] {
            let image = TestImage::new(format, Dim::D2, [5, 4, 1], 6, 1, 1);
            let declared = Format::of(format).filter(|_| known);
            let args = |v: &[Value], mask| texel_args(Dim::Cube, v, true, mask);
            let write = Harness::once(7, |b, env, image, _, v, mask| {
                emit_image_write(b, env, image, declared, &args(v, mask), [v[3], v[4], v[5], v[6]]);
                vec![]
            });
            let read = Harness::new(3, |b, env, image, _, v, mask| {
                emit_image_read(b, env, image, declared, &args(v, mask)).to_vec()
            });
            let before = image.texel(0, 5, 0, [3, 2, 0]);
            // Lanes 5 and up are out of range: columns past the end, and a layer past the end.
            let mut inputs = vec![[0, 1, 2, 3, 4, 5, u32::MAX, 0], [1; WIDTH], [2; WIDTH]];
            inputs[2][7] = 6;
            let value = match image.format.numeric() {
                crate::resource::format::Numeric::Float => [1.0_f32.to_bits(), 0, 0.5_f32.to_bits(), 0],
                _ => [77, 1, 4000, 9],
            };
            inputs.extend(value.map(|x| [x; WIDTH]));
            write.run(image.descriptor(IDENTITY), SamplerDescriptor::default(), &inputs);
            let out = read.run(
                image.descriptor(IDENTITY),
                SamplerDescriptor::default(),
                &inputs[..3],
            );
            for lane in 0..WIDTH {
                for c in image.format.components {
                    let channel = c.channel as usize;
                    let want = if lane < 5 { value[channel] } else { 0 };
                    assert_eq!(
                        out[channel][lane], want,
                        "{format:?} lane {lane} channel {channel}"
                    );
                }
            }
            assert_eq!(image.texel(0, 5, 0, [3, 2, 0]), before);
            assert_eq!(bits(image.texel(0, 2, 0, [4, 1, 0])[0]), value[0]);
        }
    }
}

#[test]
fn atomics_count_every_lane() {
    let image = TestImage::new(vk::Format::R32_UINT, Dim::D1, [4, 1, 1], 1, 1, 1);
    let run = |inputs: &[[u32; WIDTH]], emit: &dyn Fn(&mut Builder<'_>, Value, &[Value], Value) -> Value| {
        let harness = Harness::once(inputs.len(), |b, _, image, _, v, mask| {
            vec![emit(b, image, v, mask)]
        });
        harness.run(image.descriptor(IDENTITY), SamplerDescriptor::default(), inputs)[0]
    };
    let at = [[1, 1, 1, 1, 2, 4, u32::MAX, 1]];
    let start = bits(image.texel(0, 0, 0, [1, 0, 0])[0]);
    let old = run(&at, &|b, image, v, mask| {
        let one = b.vconst(1);
        emit_image_atomic(
            b,
            image,
            &texel_args(Dim::D1, v, false, mask),
            Atomic::Op(AtomicOp::Add, one),
        )
    });
    assert_eq!(old[0], start);
    assert_eq!(old[7], start.wrapping_add(4));
    assert_eq!([old[5], old[6]], [0, 0]);
    assert_eq!(bits(image.texel(0, 0, 0, [1, 0, 0])[0]), start.wrapping_add(5));
    run(&at, &|b, image, v, mask| {
        let (value, expected) = (b.vconst(9), b.vconst(i64::from(start.wrapping_add(5))));
        let atomic = Atomic::CompareExchange { value, expected };
        emit_image_atomic(b, image, &texel_args(Dim::D1, v, false, mask), atomic)
    });
    assert_eq!(bits(image.texel(0, 0, 0, [1, 0, 0])[0]), 9);
}

/// Texel buffer descriptors have the size of half an image descriptor: tests put them in its place.
fn as_image(buffer: TexelBufferDescriptor) -> ImageDescriptor {
    let words: [u64; 4] = [
        buffer.address,
        u64::from(buffer.count) | u64::from(buffer.stride) << 32,
        buffer.kind,
        buffer.reserved,
    ];
    ImageDescriptor {
        address: words[0],
        kind: words[1],
        width: words[2] as u16,
        height: (words[2] >> 16) as u16,
        depth: (words[2] >> 32) as u16,
        layers: (words[2] >> 48) as u16,
        ..ImageDescriptor::default()
    }
}

#[test]
fn texel_buffers_are_bounded() {
    let format = Format::of(vk::Format::R16G16_SINT).unwrap();
    let mut memory = [0xdead_beef_u32; 8];
    for known in [false, true] {
        memory.fill(0xdead_beef);
        let buffer = as_image(TexelBufferDescriptor {
            address: memory.as_mut_ptr() as u64,
            count: 6,
            stride: 4,
            kind: KIND_MARK | 7 << 16 | u64::from(format.number()),
            reserved: 0,
        });
        let declared = Some(format).filter(|_| known);
        let write = Harness::once(2, |b, env, buffer, _, v, mask| {
            emit_buffer_write(b, env, buffer, declared, v[0], [v[1]; 4], mask);
            vec![]
        });
        let read = Harness::new(1, |b, env, buffer, _, v, mask| {
            emit_buffer_read(b, env, buffer, declared, v[0], mask).to_vec()
        });
        let at = [0, 1, 2, 3, 4, 5, 6, u32::MAX];
        let value: [u32; WIDTH] = std::array::from_fn(|lane| (lane as i32 * -3) as u32);
        write.run(buffer, SamplerDescriptor::default(), &[at, value]);
        let out = read.run(buffer, SamplerDescriptor::default(), &[at]);
        for lane in 0..WIDTH {
            let want = if lane < 6 { value[lane] } else { 0 };
            assert_eq!(
                [out[0][lane], out[1][lane], out[2][lane], out[3][lane]],
                [want, want, 0, 1]
            );
        }
        assert_eq!(memory[6], 0xdead_beef);
        let add = Harness::once(1, |b, _, buffer, _, v, mask| {
            let one = b.vconst(1);
            vec![emit_buffer_atomic(
                b,
                buffer,
                v[0],
                mask,
                Atomic::Op(AtomicOp::Add, one),
            )]
        });
        let before = memory[2];
        add.run(buffer, SamplerDescriptor::default(), &[[2, 2, 2, 6, 6, 6, 6, 6]]);
        assert_eq!(memory[2], before.wrapping_add(3));
        assert_eq!(memory[6], 0xdead_beef);
    }
}

#[test]
fn queries_and_null_descriptors() {
    let image = TestImage::new(vk::Format::R8_UNORM, Dim::D2, [20, 7, 1], 12, 4, 1);
    let emit = |b: &mut Builder<'_>, _: Env, image: Value, _: Value, v: &[Value], _: Value| {
        let mut out = emit_query_size(b, image, Dim::Cube, true, Some(v[0])).to_vec();
        out.push(emit_query_levels(b, image));
        out
    };
    let harness = Harness::new(1, emit);
    let level = [[0, 1, 2, 3, 4, 4, 4, 4]];
    let out = harness.run(image.descriptor(IDENTITY), SamplerDescriptor::default(), &level);
    assert_eq!(out.map(|v| v[0]), [20, 7, 2, 4]);
    assert_eq!(out.map(|v| v[3]), [2, 1, 2, 4]);
    let out = harness.run(ImageDescriptor::default(), SamplerDescriptor::default(), &level);
    assert_eq!(out, [[0; WIDTH]; 4]);
    let harness = Harness::new(0, |b, _, image, _, _, _| vec![emit_query_samples(b, image)]);
    let out = harness.run(image.descriptor(IDENTITY), SamplerDescriptor::default(), &[]);
    assert_eq!(out[0][0], 1);
    let out = harness.run(ImageDescriptor::default(), SamplerDescriptor::default(), &[]);
    assert_eq!(out[0][0], 0);

    let fetch = Harness::once(2, |b, env, image, _, v, mask| {
        let args = texel_args(Dim::D2, v, false, mask);
        let mut out = emit_fetch(b, env, image, &args).to_vec();
        emit_image_write(b, env, image, None, &args, [v[0]; 4]);
        out.truncate(4);
        out
    });
    let out = fetch.run(
        ImageDescriptor::default(),
        SamplerDescriptor::default(),
        &[[0; WIDTH]; 2],
    );
    assert_eq!(out, [[0; WIDTH]; 4]);
}
