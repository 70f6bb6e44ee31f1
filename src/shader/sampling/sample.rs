//! Sampling: from coordinates to a filtered value.
//!
//! Weights are full binary32 fractions and interpolation is `a + (b - a) * w` with one rounding less than it
//! reads (fused). Normalized formats are interpolated as integer codes and divided by the largest code at the
//! end, with the correctly rounded quotient.

use super::build::{Call, swizzle, swizzle_entry};
use super::call::{field, first_byte};
use super::codec::missing;
use super::codec_unpack::finish_raw;
use super::cube::{Face, select_face};
use super::locate::{Level, find_level, first_level};
use super::lod::{quad_derivatives, reached};
use super::op::{Dim, OpKind, Operation, Vectors};
use super::state::{Address, Border, ImageState, Reduction, SamplerState};
use super::wrap::Filter;
use crate::descriptor::ImageDescriptor;
use crate::resource::format::{Component, Format, Numeric};
use crate::shader::ir::{BlockId, Builder, Type, Value};
use crate::vk;
use smallvec::{SmallVec, smallvec};

/// One sampling routine being built.
#[derive(Clone)]
pub(super) struct Sampling {
    pub(super) format: &'static Format,
    pub(super) dim: Dim,
    pub(super) address: [Address; 3],
    pub(super) compare: vk::CompareOp,
    pub(super) unnormalized: bool,
    pub(super) reduction: Reduction,
    pub(super) border: Border,
    pub(super) seamless: bool,
    pub(super) anisotropy: u8,
    /// Colour plane that is read.
    pub(super) plane: usize,
    /// Channels that are filtered: those that the format has and the operation needs.
    pub(super) channels: SmallVec<[usize; 4]>,
    pub(super) ctx: Value,
    pub(super) image: Value,
    pub(super) sampler: Value,
    pub(super) mask: Value,
    /// Coordinates on the image or cube face.
    pub(super) coords: Vectors,
    /// Array layer, clamped; times six for cubes.
    pub(super) layer: Option<Value>,
    /// Face of a cube.
    pub(super) face: Option<Value>,
    pub(super) dref: Option<Value>,
    pub(super) bias: Option<Value>,
    pub(super) min_lod: Option<Value>,
    pub(super) state: ImageState,
    kind: OpKind,
    component: u8,
    pub(super) mag_linear: bool,
    pub(super) min_linear: bool,
    mip_linear: bool,
    pub(super) lod: Option<Value>,
    /// Derivatives of the coordinates along x and y.
    pub(super) derivatives: SmallVec<[(Value, Value); 3]>,
    offset: Option<Vectors>,
    offsets: Option<Vectors>,
}

impl Sampling {
    /// Takes the arguments of a call apart.
    pub(super) fn new(
        b: &mut Builder<'_>,
        call: &mut Call,
        state: ImageState,
        sampler: SamplerState,
        operation: Operation,
    ) -> Sampling {
        let dim = operation.dim;
        let n = dim.coords();
        let mut coords = call.args(b, n);
        let layer = call.arg_if(b, operation.arrayed);
        let dref = call.arg_if(b, operation.dref);
        let level = call.arg_if(b, operation.bias || operation.kind == OpKind::Lod);
        let grad = (operation.kind == OpKind::Grad).then(|| (call.args(b, n), call.args(b, n)));
        let offset = operation.offset.then(|| call.args(b, dim.texel_coords()));
        let offsets = operation.offsets.then(|| call.args(b, 8));
        let min_lod = call.arg_if(b, operation.min_lod);
        let face = (dim == Dim::Cube).then(|| select_face(b, &coords));
        // Integers are never interpolated.
        let float = state.format.numeric() == Numeric::Float;
        let mut sampling = Sampling {
            format: state.format,
            dim,
            address: sampler.address,
            compare: sampler.compare,
            unnormalized: sampler.unnormalized,
            reduction: sampler.reduction,
            border: sampler.border,
            seamless: sampler.seamless,
            anisotropy: sampler.anisotropy,
            plane: 0,
            channels: smallvec![],
            ctx: call.ctx,
            image: call.image,
            sampler: call.sampler,
            mask: call.mask,
            coords: smallvec![],
            layer: None,
            face: face.map(|face| face.number),
            dref: None,
            bias: level.filter(|_| operation.bias),
            min_lod,
            state,
            kind: operation.kind,
            component: operation.component,
            mag_linear: sampler.mag_linear && float,
            min_linear: sampler.min_linear && float,
            mip_linear: sampler.mip_linear && float,
            lod: level.filter(|_| !operation.bias),
            derivatives: smallvec![],
            offset,
            offsets,
        };
        sampling.derivatives = sampling.find_derivatives(b, &coords, grad, face);
        if let Some(face) = face {
            coords = face.coords.into_iter().collect();
        }
        sampling.coords = coords;
        sampling.layer = layer.map(|layer| sampling.clamp_layer(b, layer));
        sampling.dref = dref.map(|dref| sampling.clamp_reference(b, dref));
        sampling.channels = sampling.needed_channels(b);
        sampling
    }

    /// Derivatives of normalized coordinates, if the level of detail comes from them.
    fn find_derivatives(
        &self,
        b: &mut Builder<'_>,
        coords: &[Value],
        grad: Option<(Vectors, Vectors)>,
        face: Option<Face>,
    ) -> SmallVec<[(Value, Value); 3]> {
        let pairs: SmallVec<[(Value, Value); 3]> = match (self.kind, grad) {
            (OpKind::Grad, Some((dx, dy))) => dx.into_iter().zip(dy).collect(),
            (OpKind::Implicit | OpKind::QueryLod, _) if !self.unnormalized => {
                coords.iter().map(|&coord| quad_derivatives(b, coord)).collect()
            }
            _ => return smallvec![],
        };
        let Some(face) = face else {
            return pairs;
        };
        let (dx, dy): (Vectors, Vectors) = pairs.into_iter().unzip();
        let dx = face.derivatives(b, &dx);
        let dy = face.derivatives(b, &dy);
        dx.into_iter().zip(dy).collect()
    }

    /// The nearest layer there is, times the faces of a cube.
    fn clamp_layer(&self, b: &mut Builder<'_>, layer: Value) -> Value {
        let mut layers = b.sload16(self.image, field!(ImageDescriptor, layers));
        let (one, six) = (b.sconst(1), b.sconst(6));
        if self.dim == Dim::Cube {
            layers = b.sdiv_u(layers, six);
            layers = b.smax_u(layers, one);
        }
        let last = b.ssub(layers, one);
        let last = b.vsplat(last);
        let last = b.itof(last);
        let zero = b.fconst(0.0);
        let layer = b.fround(layer);
        let layer = b.fmax(layer, zero);
        let layer = b.fmin(layer, last);
        let layer = b.ftoi(layer);
        if self.dim == Dim::Cube {
            let six = b.vconst(6);
            b.vmul(layer, six)
        } else {
            layer
        }
    }

    pub(super) fn needed_channels(&self, b: &mut Builder<'_>) -> SmallVec<[usize; 4]> {
        if self.dref.is_some() {
            return smallvec![0];
        }
        let wanted: SmallVec<[usize; 4]> = match self.kind {
            OpKind::Gather => {
                let entry = self.state.swizzle[usize::from(self.component)];
                swizzle_entry(b, self.format, entry).into_iter().collect()
            }
            _ => smallvec![0, 1, 2, 3],
        };
        wanted
            .into_iter()
            .filter(|&channel| self.component(channel).is_some())
            .collect()
    }

    /// The format's component for a channel.
    pub(super) fn component(&self, channel: usize) -> Option<&'static Component> {
        self.format
            .components
            .iter()
            .find(|component| component.channel as usize == channel)
    }

    /// Address of the view's first byte.
    pub(super) fn address_of_view(&self, b: &mut Builder<'_>) -> Value {
        let at = match self.plane {
            0 => field!(ImageDescriptor, address),
            plane => field!(ImageDescriptor, mip_offsets) + 8 * (plane as i64 - 1),
        };
        first_byte(b, self.image, at)
    }

    /// Emits everything; the results of the operation.
    pub(super) fn run(&self, b: &mut Builder<'_>) -> SmallVec<[Value; 4]> {
        match self.kind {
            OpKind::Gather => self.gather(b).into_iter().collect(),
            OpKind::QueryLod => self.query_lod(b).into_iter().collect(),
            _ if self.state.format.is_ycbcr() => self.sample_planes(b).into_iter().collect(),
            _ => {
                let values = if self.is_anisotropic() {
                    self.sample_along(b)
                } else {
                    self.sample(b)
                };
                let rgba = self.complete(b, &values);
                self.convert(b, rgba).into_iter().collect()
            }
        }
    }

    /// From filtered channels to the four components of the result.
    fn complete(&self, b: &mut Builder<'_>, values: &[Value]) -> [Value; 4] {
        let mut rgba = [0, 1, 2, 3].map(|channel| missing(b, self.format, channel));
        if self.dref.is_some() {
            rgba[0] = values[0];
            return rgba;
        }
        for (&channel, &value) in self.channels.iter().zip(values) {
            rgba[channel] = self.finish(b, channel, value);
        }
        swizzle(b, &self.state, rgba)
    }

    pub(super) fn finish(&self, b: &mut Builder<'_>, channel: usize, value: Value) -> Value {
        match self.component(channel) {
            Some(component) if self.dref.is_none() => finish_raw(b, component, value),
            _ => value,
        }
    }

    /// The level of detail before any clamp.
    pub(super) fn lod(&self, b: &mut Builder<'_>) -> Value {
        let base = self.base_lod(b);
        self.biased_lod(b, base)
    }

    /// The level of detail before biases.
    pub(super) fn base_lod(&self, b: &mut Builder<'_>) -> Value {
        match self.lod {
            Some(lod) => lod,
            None if self.derivatives.is_empty() => b.fconst(0.0),
            None => self.footprint_lod(b),
        }
    }

    fn query_lod(&self, b: &mut Builder<'_>) -> [Value; 2] {
        let lod = self.lod(b);
        let clamped = self.clamped_lod(b, lod);
        let level = self.level_of(b, clamped);
        let level = if self.mip_linear {
            level
        } else {
            Self::nearest_level(b, level)
        };
        [level, lod]
    }

    pub(super) fn sample(&self, b: &mut Builder<'_>) -> Vectors {
        let one_filter = if self.mag_linear {
            Filter::Linear
        } else {
            Filter::Nearest
        };
        if self.unnormalized {
            let level = first_level(b, self.image, self.format);
            return self.sample_level(b, &level, one_filter);
        }
        let (body, params) = b.add_block(&self.round_types());
        if self.mag_linear != self.min_linear {
            let lod = self.lod(b);
            let lod = self.clamped_lod(b, lod);
            let zero = b.fconst(0.0);
            let linear = if self.mag_linear {
                b.fle(lod, zero)
            } else {
                b.flt(zero, lod)
            };
            let args = self.first_round(b, lod);
            b.jump(body, &args);
            return self.rounds(b, Filter::Mixed(linear), body, &params);
        }
        // With one level and one filter the level of detail does not matter.
        let levels = b.sload16(self.image, field!(ImageDescriptor, levels));
        let one = b.sconst(1);
        let is_single = b.sle_u(levels, one);
        let (single, _) = b.add_block(&[]);
        let (several, _) = b.add_block(&[]);
        b.branch(is_single, (single, &[]), (several, &[]));

        b.switch_to(single);
        let level = first_level(b, self.image, self.format);
        let (never, zero) = (b.bconst(0), b.vconst(0));
        let args = self.round_args(b, &level, never, zero, zero);
        b.jump(body, &args);

        b.switch_to(several);
        let lod = self.lod(b);
        let lod = self.clamped_lod(b, lod);
        let args = self.first_round(b, lod);
        b.jump(body, &args);
        self.rounds(b, one_filter, body, &params)
    }

    /// Channels that sampling a level gives.
    pub(super) fn count(&self) -> usize {
        if self.dref.is_some() {
            1
        } else {
            self.channels.len()
        }
    }

    /// Parameters of the block that samples a level. With interpolation between levels it runs once or twice,
    /// and has besides the level: whether to go round again; the number and the weight of the level to come;
    /// the weight of this one; the sums.
    fn round_types(&self) -> Vec<Type> {
        let mut types = vec![Type::V; 5];
        if self.mip_linear {
            types.push(Type::B);
            types.extend(vec![Type::V; 3 + self.count()]);
        }
        types
    }

    /// Arguments for the first round.
    fn round_args(
        &self,
        b: &mut Builder<'_>,
        level: &Level,
        again: Value,
        next: Value,
        fraction: Value,
    ) -> Vec<Value> {
        let mut args = level.values().to_vec();
        if self.mip_linear {
            let one = b.fconst(1.0);
            args.extend([again, next, fraction, one]);
            let start = b.fconst(match self.reduction {
                Reduction::Average => 0.0,
                Reduction::Min => f32::INFINITY,
                Reduction::Max => f32::NEG_INFINITY,
            });
            args.extend(vec![start; self.count()]);
        }
        args
    }

    /// Arguments for the first round, for a clamped level of detail.
    fn first_round(&self, b: &mut Builder<'_>, lod: Value) -> Vec<Value> {
        let d = self.level_of(b, lod);
        if !self.mip_linear {
            let nearest = Self::nearest_level(b, d);
            let nearest = b.ftoi(nearest);
            let level = find_level(b, self.image, nearest, self.mask, self.format);
            return level.values().to_vec();
        }
        let floor = b.ffloor(d);
        let fraction = b.fsub(d, floor);
        let first = b.ftoi(floor);
        let zero = b.fconst(0.0);
        let between = b.flt(zero, fraction);
        let between = b.mand(between, self.mask);
        let between = b.many(between);
        // Lanes at the last level have no fraction: they sample it again, without weight.
        let last = b.sload16(self.image, field!(ImageDescriptor, levels));
        let one = b.sconst(1);
        let last = b.ssub(last, one);
        let last = b.vsplat(last);
        let one = b.vconst(1);
        let next = b.vadd(first, one);
        let next = b.vmin_s(next, last);
        let level = find_level(b, self.image, first, self.mask, self.format);
        self.round_args(b, &level, between, next, fraction)
    }

    /// The block that samples a level, and what follows it.
    fn rounds(&self, b: &mut Builder<'_>, filter: Filter, body: BlockId, params: &[Value]) -> Vectors {
        b.switch_to(body);
        let level = Level::from_values(&params[..5]);
        let values = self.sample_level(b, &level, filter);
        let [again, next, fraction, weight, sums @ ..] = &params[5..] else {
            return values;
        };
        let blended: Vectors = sums
            .iter()
            .zip(values)
            .map(|(&sum, value)| self.blend(b, sum, value, *weight))
            .collect();
        let (second, _) = b.add_block(&[]);
        let (done, results) = b.add_block(&vec![Type::V; blended.len()]);
        b.branch(*again, (second, &[]), (done, &blended));

        b.switch_to(second);
        let level = find_level(b, self.image, *next, self.mask, self.format);
        let never = b.bconst(0);
        let mut args = level.values().to_vec();
        args.extend([never, *next, *fraction, *fraction]);
        args.extend(&blended);
        b.jump(body, &args);

        b.switch_to(done);
        results.into_iter().collect()
    }

    /// Samples one level a lane.
    fn sample_level(&self, b: &mut Builder<'_>, level: &Level, filter: Filter) -> Vectors {
        let footprint = self.footprint(b, level, filter, self.offset.as_deref(), false);
        self.reduce(b, &footprint)
    }

    /// The four texels of a bilinear footprint at level 0, one channel of each.
    fn gather(&self, b: &mut Builder<'_>) -> [Value; 4] {
        let Some(&channel) = self.channels.first() else {
            let entry = self.state.swizzle[usize::from(self.component)];
            let constant = match swizzle_entry(b, self.format, entry) {
                Ok(channel) => missing(b, self.format, channel),
                Err(constant) => constant,
            };
            return [constant; 4];
        };
        let zero = b.vconst(0);
        let reached = Sampling {
            mask: reached(b, &self.state, self.image, zero, self.mask),
            ..self.clone()
        };
        reached.gather_channel(b, channel)
    }

    fn gather_channel(&self, b: &mut Builder<'_>, channel: usize) -> [Value; 4] {
        let level = first_level(b, self.image, self.format);
        if let Some(offsets) = &self.offsets {
            return std::array::from_fn(|index| {
                let offset = &offsets[2 * index..2 * index + 2];
                let footprint = self.footprint(b, &level, Filter::Linear, Some(offset), true);
                let taps = self.taps(b, &footprint);
                self.finish(b, channel, taps[0][0])
            });
        }
        let footprint = self.footprint(b, &level, Filter::Linear, self.offset.as_deref(), true);
        let taps = self.taps(b, &footprint);
        [2, 3, 1, 0].map(|tap| self.finish(b, channel, taps[tap][0]))
    }
}
