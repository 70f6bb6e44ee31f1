//! The texels under a sample: their addresses, their values, their weighted sum.

use super::block::{load_block_texel, texel_index};
use super::call::{field, guard_texel};
use super::codec::load_texel;
use super::codec_unpack::{raw_scale, unpack_component, unpack_raw, unpack_shared_exponent};
use super::cube::{FaceTexel, cross_edge};
use super::locate::{Level, Located, layer_bytes, row_offset, slice_bytes, texel_bytes};
use super::op::{Dim, Vectors};
use super::sample::Sampling;
use super::state::{Border, Reduction};
use super::wrap::{Axis, AxisArgs, Filter, axis, cube_axis};
use crate::descriptor::SamplerDescriptor;
use crate::resource::format::{Encoding, Kind, Numeric};
use crate::shader::guard;
use crate::shader::ir::{Builder, Type, Value};
use crate::vk;
use smallvec::SmallVec;

/// The texels of a footprint; tap `x + 2 y + 4 z` where there are two an axis.
#[derive(Clone, Debug)]
pub(super) struct Footprint {
    /// Bytes from the view's first byte.
    offsets: SmallVec<[Value; 8]>,
    /// Numbers of the texels in their blocks; none where formats have no blocks.
    indices: SmallVec<[Value; 8]>,
    /// Lanes inside the image, where the border may be reached.
    valid: SmallVec<[Option<Value>; 8]>,
    /// Weight of the upper texel, an axis.
    weights: SmallVec<[Value; 3]>,
    /// Lanes in which a tap is the missing texel at a corner of a cube.
    corners: Option<[Value; 4]>,
    taps_an_axis: usize,
}

impl Sampling {
    /// The texels at coordinates on a level.
    pub(super) fn footprint(
        &self,
        b: &mut Builder<'_>,
        level: &Level,
        filter: Filter,
        offset: Option<&[Value]>,
        ordered: bool,
    ) -> Footprint {
        let cube = self.dim == Dim::Cube && self.seamless;
        let axes: SmallVec<[Axis; 3]> = (0..self.coords.len())
            .map(|index| {
                let args = AxisArgs {
                    coord: self.coords[index],
                    size: level.size[index],
                    offset: offset.map(|offset| offset[index]),
                    filter,
                    unnormalized: self.unnormalized,
                    ordered,
                };
                if cube {
                    cube_axis(b, &args)
                } else {
                    axis(b, self.address[index], &args)
                }
            })
            .collect();
        let taps = Axis::taps(filter);
        if cube && taps == 2 {
            let weights = axes.iter().map(|axis| axis.weight).collect();
            let (offsets, indices, corners) = self.cube_offsets(b, level, &axes);
            return Footprint {
                offsets,
                indices,
                valid: SmallVec::from_elem(None, 4),
                weights,
                corners: Some(corners),
                taps_an_axis: taps,
            };
        }
        self.plain_footprint(b, level, &axes, taps)
    }

    /// The texels of axes, but for those of cubes.
    pub(super) fn plain_footprint(
        &self,
        b: &mut Builder<'_>,
        level: &Level,
        axes: &[Axis],
        taps: usize,
    ) -> Footprint {
        let (offsets, valid) = self.plain_offsets(b, level, axes, taps);
        Footprint {
            offsets,
            indices: self.plain_indices(b, axes, taps),
            valid,
            weights: axes.iter().map(|axis| axis.weight).collect(),
            corners: None,
            taps_an_axis: taps,
        }
    }

    /// Bytes of the layer (and face) and level of each lane.
    fn plane_offset(&self, b: &mut Builder<'_>, level: &Level, face: Option<Value>) -> Value {
        let index = match (self.layer, face) {
            (Some(layer), Some(face)) => b.vadd(layer, face),
            (Some(layer), None) => layer,
            (None, Some(face)) => face,
            (None, None) => return level.offset,
        };
        let pitch = layer_bytes(b, self.image, self.plane);
        let bytes = b.vmul(index, pitch);
        b.vadd(bytes, level.offset)
    }

    fn plain_offsets(
        &self,
        b: &mut Builder<'_>,
        level: &Level,
        axes: &[Axis],
        taps: usize,
    ) -> (SmallVec<[Value; 8]>, SmallVec<[Option<Value>; 8]>) {
        let plane = self.plane_offset(b, level, self.face);
        let mut offsets: SmallVec<[Value; 8]> = SmallVec::new();
        let mut valid: SmallVec<[Option<Value>; 8]> = SmallVec::new();
        for tap in 0..taps {
            offsets.push(texel_bytes(b, self.format, axes[0].texels[tap]));
            valid.push(axes[0].valid.map(|valid| valid[tap]));
        }
        let slice = (axes.len() == 3).then(|| slice_bytes(b, level, self.format));
        let pitches = [None, slice];
        let mut base = Some(plane);
        for (axis, pitch) in axes[1..].iter().zip(pitches) {
            let (mut next_offsets, mut next_valid) = (SmallVec::new(), SmallVec::new());
            for tap in 0..taps {
                let mut bytes = match pitch {
                    Some(slice) => b.vmul(axis.texels[tap], slice),
                    None => row_offset(b, self.format, axis.texels[tap], level.row),
                };
                if let Some(base) = base {
                    bytes = b.vadd(bytes, base);
                }
                for (&offset, &inside) in offsets.iter().zip(&valid) {
                    next_offsets.push(b.vadd(offset, bytes));
                    next_valid.push(match (inside, axis.valid) {
                        (Some(a), Some(valid)) => Some(b.mand(a, valid[tap])),
                        (a, valid) => a.or(valid.map(|valid| valid[tap])),
                    });
                }
            }
            base = None;
            (offsets, valid) = (next_offsets, next_valid);
        }
        if let Some(base) = base {
            for offset in &mut offsets {
                *offset = b.vadd(*offset, base);
            }
        }
        (offsets, valid)
    }

    /// Numbers of the taps' texels in their blocks, for compressed formats.
    fn plain_indices(&self, b: &mut Builder<'_>, axes: &[Axis], taps: usize) -> SmallVec<[Value; 8]> {
        if !self.format.is_compressed() {
            return SmallVec::new();
        }
        (0..taps.pow(axes.len() as u32))
            .map(|tap| {
                let texel = |axis: usize| {
                    axes.get(axis)
                        .map(|a| a.texels[tap / taps.pow(axis as u32) % taps])
                };
                texel_index(b, self.format, axes[0].texels[tap % taps], texel(1))
            })
            .collect()
    }

    /// Offsets of four texels of cube faces; those over an edge are on the next face.
    fn cube_offsets(
        &self,
        b: &mut Builder<'_>,
        level: &Level,
        axes: &[Axis],
    ) -> (SmallVec<[Value; 8]>, SmallVec<[Value; 8]>, [Value; 4]) {
        let size = level.size[0];
        let one = b.vconst(1);
        let last = b.vsub(size, one);
        let outside = axes[..2]
            .iter()
            .flat_map(|axis| axis.texels)
            .map(|texel| b.vlt_u(last, texel))
            .collect::<SmallVec<[Value; 4]>>();
        let [x0, x1, y0, y1] = [outside[0], outside[1], outside[2], outside[3]];
        let x = b.mor(x0, x1);
        let y = b.mor(y0, y1);
        let any = b.mor(x, y);
        let any = b.mand(any, self.mask);
        let any = b.many(any);
        let (inside_block, _) = b.add_block(&[]);
        let (edge_block, _) = b.add_block(&[]);
        let compressed = self.format.is_compressed();
        let vectors = if compressed { 8 } else { 4 };
        let mut types = vec![Type::V; vectors];
        types.extend([Type::M; 4]);
        let (join, params) = b.add_block(&types);
        b.branch(any, (edge_block, &[]), (inside_block, &[]));

        b.switch_to(inside_block);
        let (offsets, _) = self.plain_offsets(b, level, &axes[..2], 2);
        let mut args = offsets;
        args.extend(self.plain_indices(b, &axes[..2], 2));
        let none = b.mconst(0);
        args.extend([none; 4]);
        b.jump(join, &args);

        b.switch_to(edge_block);
        let mut args: SmallVec<[Value; 8]> = SmallVec::new();
        let mut indices: SmallVec<[Value; 4]> = SmallVec::new();
        for tap in 0..4 {
            let texel = FaceTexel {
                face: self.face.unwrap_or(one),
                x: axes[0].texels[tap & 1],
                y: axes[1].texels[tap >> 1],
            };
            let texel = cross_edge(b, texel, size);
            let plane = self.plane_offset(b, level, Some(texel.face));
            let row = row_offset(b, self.format, texel.y, level.row);
            let column = texel_bytes(b, self.format, texel.x);
            let offset = b.vadd(plane, row);
            args.push(b.vadd(offset, column));
            if compressed {
                indices.push(texel_index(b, self.format, texel.x, Some(texel.y)));
            }
        }
        args.extend(indices);
        for (out_x, out_y) in [(x0, y0), (x1, y0), (x0, y1), (x1, y1)] {
            args.push(b.mand(out_x, out_y));
        }
        b.jump(join, &args);

        b.switch_to(join);
        let corners = [0, 1, 2, 3].map(|tap| params[vectors + tap]);
        (params[..4].into(), params[4..vectors].into(), corners)
    }

    /// The value of one tap: the channels asked for, or the outcome of the depth comparison.
    fn tap(
        &self,
        b: &mut Builder<'_>,
        base: Value,
        offset: Value,
        index: Option<Value>,
        valid: Option<Value>,
    ) -> Vectors {
        let mask = match valid {
            Some(valid) => b.mand(self.mask, valid),
            None => self.mask,
        };
        let at = Located::inside(base, offset, mask);
        guard_texel(b, guard::Kind::Read, &at, self.format.bytes);
        let words = match index {
            Some(index) => load_block_texel(b, self.ctx, self.format, base, offset, index, mask),
            None => load_texel(b, base, offset, mask, self.format.bytes),
        };
        let mut values = self.decode(b, &words);
        if let Some(valid) = valid {
            for (value, &channel) in values.iter_mut().zip(&self.channels) {
                let border = self.border(b, channel);
                *value = b.vselect(valid, *value, border);
            }
        }
        if let Some(reference) = self.dref {
            values = [self.compare(b, reference, values[0])].into_iter().collect();
        }
        values
    }

    /// The channels of a texel; normalized ones still as codes (see [`raw_scale`]), but for comparisons.
    fn decode(&self, b: &mut Builder<'_>, words: &[Value]) -> Vectors {
        if self.format.encoding == Encoding::SharedExponent {
            let rgb = unpack_shared_exponent(b, words[0]);
            return self.channels.iter().map(|&channel| rgb[channel.min(2)]).collect();
        }
        self.channels
            .iter()
            .filter_map(|&channel| self.component(channel))
            .map(|component| {
                if self.dref.is_some() {
                    unpack_component(b, component, words)
                } else {
                    unpack_raw(b, component, words)
                }
            })
            .collect()
    }

    /// A channel of the border colour, scaled as [`Sampling::decode`] does.
    fn border(&self, b: &mut Builder<'_>, channel: usize) -> Value {
        let scale = if self.dref.is_some() {
            None
        } else {
            self.component(channel).and_then(raw_scale)
        };
        let constant = match self.border {
            Border::TransparentBlack => 0.0,
            Border::OpaqueBlack if channel < 3 => 0.0,
            Border::OpaqueBlack | Border::OpaqueWhite => 1.0,
            Border::Custom => {
                let at = field!(SamplerDescriptor, border) + channel as i64 * 4;
                let value = b.vload_splat(self.sampler, at);
                return match scale {
                    Some(scale) => {
                        let scale = b.fconst(scale);
                        b.fmul(value, scale)
                    }
                    None => value,
                };
            }
        };
        if self.format.numeric() == Numeric::Float {
            b.fconst(constant * scale.unwrap_or(1.0))
        } else {
            b.vconst(constant as i64)
        }
    }

    /// 1 where `reference` compares with `depth`, else 0.
    fn compare(&self, b: &mut Builder<'_>, reference: Value, depth: Value) -> Value {
        let (zero, one) = (b.fconst(0.0), b.fconst(1.0));
        let passes = match self.compare {
            vk::CompareOp::LESS => b.flt(reference, depth),
            vk::CompareOp::EQUAL => b.feq(reference, depth),
            vk::CompareOp::LESS_OR_EQUAL => b.fle(reference, depth),
            vk::CompareOp::GREATER => b.flt(depth, reference),
            vk::CompareOp::NOT_EQUAL => b.fne(reference, depth),
            vk::CompareOp::GREATER_OR_EQUAL => b.fle(depth, reference),
            vk::CompareOp::ALWAYS => return one,
            _ => return zero,
        };
        b.vselect(passes, one, zero)
    }

    /// The reference depth as it is compared: clamped for fixed-point formats.
    pub(super) fn clamp_reference(&self, b: &mut Builder<'_>, reference: Value) -> Value {
        if self.format.kind != Kind::Unorm {
            return reference;
        }
        let (zero, one) = (b.fconst(0.0), b.fconst(1.0));
        let reference = b.fmax(reference, zero);
        b.fmin(reference, one)
    }

    /// The values of all taps of a footprint.
    pub(super) fn taps(&self, b: &mut Builder<'_>, footprint: &Footprint) -> SmallVec<[Vectors; 8]> {
        let base = self.address_of_view(b);
        let mut taps: SmallVec<[Vectors; 8]> = footprint
            .offsets
            .iter()
            .zip(&footprint.valid)
            .enumerate()
            .map(|(tap, (&offset, &valid))| {
                self.tap(b, base, offset, footprint.indices.get(tap).copied(), valid)
            })
            .collect();
        if let Some(corners) = footprint.corners {
            self.average_corners(b, &mut taps, corners);
        }
        taps
    }

    /// Puts the mean of the other three in place of the texel that a corner of a cube lacks.
    fn average_corners(&self, b: &mut Builder<'_>, taps: &mut [Vectors], corners: [Value; 4]) {
        if self.format.numeric() != Numeric::Float {
            return;
        }
        let third = b.fconst(1.0 / 3.0);
        for channel in 0..taps[0].len() {
            let old: SmallVec<[Value; 4]> = taps.iter().map(|tap| tap[channel]).collect();
            for (index, corner) in corners.into_iter().enumerate() {
                let others: SmallVec<[Value; 3]> = (0..4).filter(|&i| i != index).map(|i| old[i]).collect();
                let sum = b.fadd(others[0], others[1]);
                let sum = b.fadd(sum, others[2]);
                let mean = b.fmul(sum, third);
                taps[index][channel] = b.vselect(corner, mean, old[index]);
            }
        }
    }

    /// The weighted (or least, or greatest) value of a footprint.
    pub(super) fn reduce(&self, b: &mut Builder<'_>, footprint: &Footprint) -> Vectors {
        let mut taps = self.taps(b, footprint);
        if footprint.taps_an_axis == 1 {
            return taps.swap_remove(0);
        }
        for &weight in &footprint.weights {
            taps = taps
                .chunks_exact(2)
                .map(|pair| {
                    pair[0]
                        .iter()
                        .zip(&pair[1])
                        .map(|(&low, &high)| self.blend(b, low, high, weight))
                        .collect()
                })
                .collect();
        }
        taps.swap_remove(0)
    }

    /// One value of two: interpolated, or the lesser or greater of those with weight.
    pub(super) fn blend(&self, b: &mut Builder<'_>, low: Value, high: Value, weight: Value) -> Value {
        if self.reduction == Reduction::Average {
            let difference = b.fsub(high, low);
            return b.fma(difference, weight, low);
        }
        let zero = b.fconst(0.0);
        let alone = b.feq(weight, zero);
        let high = b.vselect(alone, low, high);
        if self.reduction == Reduction::Min {
            b.fmin(low, high)
        } else {
            b.fmax(low, high)
        }
    }
}
