//! Luma and chroma: sampled plane by plane, and converted to colours.
//!
//! Chroma that several texels share is filtered at the sample's own place, or, where reconstruction is explicit, at the
//! places of the luma texels that the sampler filters. Both are the same sampling of the chroma plane, at different
//! coordinates.

use super::build::swizzle;
use super::codec::missing;
use super::locate::{Level, plane_level};
use super::op::{Dim, Vectors};
use super::sample::Sampling;
use super::state::{Address, Conversion, Model};
use super::wrap::{Axis, AxisArgs, Filter, axis};
use crate::resource::format::{Format, Part};
use crate::shader::ir::{Builder, Value};
use smallvec::SmallVec;

/// Without a conversion: luma and chroma as they are.
const NONE: Conversion = Conversion {
    model: Model::Rgb,
    narrow: false,
    cosited: [false; 2],
    linear: false,
    explicit: false,
};

impl Sampling {
    /// All planes of the image, converted.
    pub(super) fn sample_planes(&self, b: &mut Builder<'_>) -> [Value; 4] {
        let conversion = self.state.conversion.unwrap_or(NONE);
        let filter = self.plane_filter(b);
        let mut rgba = [0, 1, 2, 3].map(|channel| missing(b, self.format, channel));
        let luma_axes = self.luma_axes(b, filter);
        for (index, part) in self.state.format.parts.iter().enumerate() {
            let plane = self.of_part(b, index, part);
            let level = plane_level(b, self.image, plane.format, part.shift);
            let values = if part.shift == (0, 0) {
                let footprint = plane.plain_footprint(b, &level, &luma_axes, Axis::taps(filter));
                plane.reduce(b, &footprint)
            } else if conversion.explicit {
                plane.reconstruct(b, &level, part, conversion, &luma_axes, filter)
            } else {
                let coords = [0, 1].map(|index| self.texel_coord(b, index));
                plane.chroma(b, &level, part, conversion, coords)
            };
            for (&channel, value) in plane.channels.iter().zip(values) {
                rgba[channel] = plane.finish(b, channel, value);
            }
        }
        let rgba = swizzle(b, &self.state, rgba);
        self.convert(b, rgba)
    }

    /// What samples a part of the format.
    fn of_part(&self, b: &mut Builder<'_>, index: usize, part: &'static Part) -> Sampling {
        let mut plane = self.clone();
        plane.format = &part.texels;
        plane.plane = if part.plane.is_some() { index } else { 0 };
        plane.channels = plane.needed_channels(b);
        plane
    }

    /// How luma is filtered.
    fn plane_filter(&self, b: &mut Builder<'_>) -> Filter {
        match (self.mag_linear, self.min_linear) {
            (true, true) => Filter::Linear,
            (false, false) => Filter::Nearest,
            (mag_linear, _) => {
                let lod = self.lod(b);
                let lod = self.clamped_lod(b, lod);
                let zero = b.fconst(0.0);
                let linear = if mag_linear {
                    b.fle(lod, zero)
                } else {
                    b.flt(zero, lod)
                };
                Filter::Mixed(linear)
            }
        }
    }

    /// The luma texels that are filtered.
    fn luma_axes(&self, b: &mut Builder<'_>, filter: Filter) -> SmallVec<[Axis; 2]> {
        let level = plane_level(b, self.image, &self.state.format.parts[0].texels, (0, 0));
        (0..self.plane_coords())
            .map(|index| {
                let args = AxisArgs {
                    coord: self.coords[index],
                    size: level.size[index],
                    offset: None,
                    filter,
                    unnormalized: self.unnormalized,
                    ordered: false,
                };
                axis(b, Address::ClampToEdge, &args)
            })
            .collect()
    }

    fn plane_coords(&self) -> usize {
        if self.dim == Dim::D1 { 1 } else { 2 }
    }

    /// A coordinate in texels of the image.
    fn texel_coord(&self, b: &mut Builder<'_>, index: usize) -> Value {
        let Some(&coord) = self.coords.get(index) else {
            return b.fconst(0.0);
        };
        if self.unnormalized {
            return coord;
        }
        let level = plane_level(b, self.image, &self.state.format.parts[0].texels, (0, 0));
        let size = b.itof(level.size[index]);
        b.fmul(coord, size)
    }

    /// Chroma at coordinates in texels of the image.
    fn chroma(
        &self,
        b: &mut Builder<'_>,
        level: &Level,
        part: &Part,
        conversion: Conversion,
        coords: [Value; 2],
    ) -> Vectors {
        let filter = if conversion.linear {
            Filter::Linear
        } else {
            Filter::Nearest
        };
        let shifts = [part.shift.0, part.shift.1];
        let axes: SmallVec<[Axis; 2]> = (0..self.plane_coords())
            .map(|index| {
                let coord = match shifts[index] {
                    0 => coords[index],
                    _ => {
                        let (half, quarter) = (b.fconst(0.5), b.fconst(0.25));
                        if conversion.cosited[index] {
                            b.fma(coords[index], half, quarter)
                        } else {
                            b.fmul(coords[index], half)
                        }
                    }
                };
                let args = AxisArgs {
                    coord,
                    size: level.size[index],
                    offset: None,
                    filter,
                    unnormalized: true,
                    ordered: false,
                };
                axis(b, Address::ClampToEdge, &args)
            })
            .collect();
        let footprint = self.plain_footprint(b, level, &axes, Axis::taps(filter));
        self.reduce(b, &footprint)
    }

    /// Chroma at each of the luma texels, filtered as they are.
    fn reconstruct(
        &self,
        b: &mut Builder<'_>,
        level: &Level,
        part: &Part,
        mut conversion: Conversion,
        luma_axes: &[Axis],
        filter: Filter,
    ) -> Vectors {
        // The nearest chroma of a texel is that of its pair, wherever that lies.
        if !conversion.linear {
            conversion.cosited = [false; 2];
        }
        let taps = Axis::taps(filter);
        let mut values: SmallVec<[Vectors; 4]> = (0..taps.pow(luma_axes.len() as u32))
            .map(|tap| {
                let coords = [0, 1].map(|index| {
                    let half = b.fconst(0.5);
                    let Some(axis) = luma_axes.get(index) else {
                        return half;
                    };
                    let texel = axis.texels[tap / taps.pow(index as u32) % taps];
                    let texel = b.itof(texel);
                    b.fadd(texel, half)
                });
                self.chroma(b, level, part, conversion, coords)
            })
            .collect();
        for axis in luma_axes.iter().filter(|_| taps == 2) {
            values = values
                .chunks_exact(2)
                .map(|pair| {
                    pair[0]
                        .iter()
                        .zip(&pair[1])
                        .map(|(&low, &high)| self.blend(b, low, high, axis.weight))
                        .collect()
                })
                .collect();
        }
        values.swap_remove(0)
    }

    /// What colours sampled luma (green) and chroma (blue and red) stand for.
    pub(super) fn convert(&self, b: &mut Builder<'_>, rgba: [Value; 4]) -> [Value; 4] {
        let Some(conversion) = self.state.conversion else {
            return rgba;
        };
        if conversion.model == Model::Rgb {
            return rgba;
        }
        let [r, g, blue, alpha] = rgba;
        let cr = self.expand(b, 0, r, conversion.narrow);
        let y = self.expand(b, 1, g, conversion.narrow);
        let cb = self.expand(b, 2, blue, conversion.narrow);
        let Model::Weights(red, blue) = conversion.model else {
            return [cr, y, cb, alpha];
        };
        let (kr, kb) = (f64::from(red) / 10000.0, f64::from(blue) / 10000.0);
        let (to_red, to_blue) = (2.0 * (1.0 - kr), 2.0 * (1.0 - kb));
        let kg = 1.0 - kr - kb;
        let mut plus = |sum, value, factor: f64| {
            let factor = b.fconst(factor as f32);
            b.fma(value, factor, sum)
        };
        let red = plus(y, cr, to_red);
        let green = plus(y, cr, -kr * to_red / kg);
        let green = plus(green, cb, -kb * to_blue / kg);
        let blue = plus(y, cb, to_blue);
        [red, green, blue, alpha]
    }

    /// A component in its full range: chroma around zero.
    fn expand(&self, b: &mut Builder<'_>, component: usize, value: Value, narrow: bool) -> Value {
        let bits = self.state.format.bits_of(self.state.swizzle[component]);
        let codes = f64::from(1_u32 << bits);
        let (most, unit) = (codes - 1.0, codes / 256.0);
        let (scale, offset) = match (narrow, component) {
            (true, 1) => (most / (219.0 * unit), -16.0 / 219.0),
            (true, _) => (most / (224.0 * unit), -128.0 / 224.0),
            (false, 1) => return value,
            (false, _) => (1.0, -(codes / 2.0 / most)),
        };
        let (scale, offset) = (b.fconst(scale as f32), b.fconst(offset as f32));
        b.fma(value, scale, offset)
    }
}

impl Format {
    /// Bits of the component that an entry of a swizzle takes; 8 for constants.
    fn bits_of(&self, entry: u8) -> u32 {
        let parts = self.parts.iter().flat_map(|part| part.texels.components);
        let bits = self
            .components
            .iter()
            .chain(parts)
            .find(|component| component.channel as u8 + 2 == entry)
            .map_or(8, |component| component.bits);
        bits.into()
    }
}
