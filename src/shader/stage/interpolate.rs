//! Fragment shader inputs: attribute planes and built-ins.

use super::{CLIP_DISTANCES, CULL_DISTANCES, at};
use crate::shader::abi::{FragmentArgs, primitive_word as word};
use crate::shader::ir::{Builder, Value};
use crate::shader::spirv::{BuiltIn, Input, Interpolate, StageIo};
use smallvec::SmallVec;
use std::mem::offset_of;

/// Where in a pixel something is evaluated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Place {
    /// The centre.
    Center,
    /// A sample.
    Sample(u32),
    /// The sample whose number times 8 has been added to the address of the arguments.
    Loaded(Value),
}

/// Weights of the second and third vertex at some place, with and without perspective.
#[derive(Clone, Copy)]
struct Weights {
    linear: [Value; 2],
    perspective: [Value; 2],
    /// 1 / w there.
    q: Value,
}

/// What the inputs of one turn are computed from.
#[derive(Clone, Copy)]
pub(super) struct InputBase {
    pub args: Value,
    /// Address of the primitive's data.
    pub primitive: Value,
    /// Coordinates of the pixels' corners.
    pub corner: [Value; 2],
    pub front: Value,
    /// Where inputs are evaluated unless they say otherwise.
    pub place: Place,
}

/// Inputs of the fragments of one turn of the loop.
pub(super) struct FragmentIo<'d> {
    varyings: &'d [Input],
    base: InputBase,
    here: Weights,
    centroid: Option<Weights>,
    /// Covered samples: all of them, or the one of this turn.
    masks: SmallVec<[Value; 8]>,
    sample_id: Option<Value>,
}

fn load(b: &mut Builder<'_>, primitive: Value, index: u32) -> Value {
    b.vload_splat(primitive, 4 * i64::from(index))
}

/// `value + w1 * d1 + w2 * d2` of three consecutive words.
fn plane(b: &mut Builder<'_>, primitive: Value, index: u32, [w1, w2]: [Value; 2]) -> Value {
    let value = load(b, primitive, index);
    let (d1, d2) = (load(b, primitive, index + 1), load(b, primitive, index + 2));
    let value = b.fma(w1, d1, value);
    b.fma(w2, d2, value)
}

impl<'d> FragmentIo<'d> {
    pub(super) fn new(
        b: &mut Builder<'_>,
        varyings: &'d [Input],
        base: InputBase,
        masks: SmallVec<[Value; 8]>,
        sample_id: Option<Value>,
    ) -> FragmentIo<'d> {
        let corner = base.corner;
        let none = Weights {
            linear: corner,
            perspective: corner,
            q: corner[0],
        };
        let mut io = FragmentIo {
            varyings,
            base,
            here: none,
            centroid: None,
            masks,
            sample_id,
        };
        let offset = io.offset(b, base.place);
        io.here = io.weights(b, offset);
        let centroid = |input: &Input| input.interpolation.centroid && !input.interpolation.sample;
        if io.masks.len() > 1 && varyings.iter().any(centroid) {
            let offset = io.centroid_offset(b);
            io.centroid = Some(io.weights(b, offset));
        }
        io
    }

    /// Takes the masks that are left when the shader starts.
    pub(super) fn set_masks(&mut self, masks: impl Iterator<Item = Value>) {
        self.masks = masks.collect();
    }

    /// Number of the sample, where the kernel runs once a sample: `S32`.
    pub(super) fn sample_id(&self) -> Option<Value> {
        self.sample_id
    }

    /// Offset from the pixel's corner.
    fn offset(&self, b: &mut Builder<'_>, place: Place) -> [Value; 2] {
        let positions = offset_of!(FragmentArgs, sample_positions);
        let (base, at_x) = match place {
            Place::Center => return [b.fconst(0.5), b.fconst(0.5)],
            Place::Sample(sample) => (self.base.args, at(positions + 8 * sample as usize)),
            Place::Loaded(address) => (address, at(positions)),
        };
        [b.vload_splat(base, at_x), b.vload_splat(base, at_x + 4)]
    }

    /// The centre where all samples are covered, else the first sample that is.
    fn centroid_offset(&self, b: &mut Builder<'_>) -> [Value; 2] {
        let [mut x, mut y] = self.offset(b, Place::Center);
        let center = [x, y];
        let mut all = self.masks[0];
        for (s, &mask) in self.masks.iter().enumerate().rev() {
            let [sx, sy] = self.offset(b, Place::Sample(s as u32));
            x = b.vselect(mask, sx, x);
            y = b.vselect(mask, sy, y);
            all = b.mand(all, mask);
        }
        [b.vselect(all, center[0], x), b.vselect(all, center[1], y)]
    }

    fn linear_weights(&self, b: &mut Builder<'_>, offset: [Value; 2]) -> [Value; 2] {
        let distance = |b: &mut Builder<'_>, axis: usize, anchor: u32| {
            let position = b.fadd(self.base.corner[axis], offset[axis]);
            let anchor = load(b, self.base.primitive, anchor);
            b.fsub(position, anchor)
        };
        let (dx, dy) = (distance(b, 0, word::X), distance(b, 1, word::Y));
        let weight = |b: &mut Builder<'_>, by_x: u32, by_y: u32| {
            let (by_x, by_y) = (
                load(b, self.base.primitive, by_x),
                load(b, self.base.primitive, by_y),
            );
            let y = b.fmul(dy, by_y);
            b.fma(dx, by_x, y)
        };
        [
            weight(b, word::L1_DX, word::L1_DY),
            weight(b, word::L2_DX, word::L2_DY),
        ]
    }

    fn weights(&self, b: &mut Builder<'_>, offset: [Value; 2]) -> Weights {
        let linear = self.linear_weights(b, offset);
        let q = plane(b, self.base.primitive, word::Q, linear);
        let one = b.fconst(1.0);
        let w = b.fdiv(one, q);
        let perspective = [(0, word::Q1), (1, word::Q2)].map(|(i, at)| {
            let q = load(b, self.base.primitive, at);
            let weight = b.fmul(linear[i], q);
            b.fmul(weight, w)
        });
        Weights {
            linear,
            perspective,
            q,
        }
    }

    /// Depth of the primitive.
    pub(super) fn depth_at(&self, b: &mut Builder<'_>, place: Place) -> Value {
        let linear = if place == self.base.place {
            self.here.linear
        } else {
            let offset = self.offset(b, place);
            self.linear_weights(b, offset)
        };
        plane(b, self.base.primitive, word::DEPTH, linear)
    }

    /// First word of an input in the primitive's data.
    fn input_word(&self, input: &Input) -> Option<u32> {
        let found = |other: &Input| (other.location, other.component) == (input.location, input.component);
        let index = self.varyings.iter().position(found)?;
        Some(word::INPUTS + 3 * u32::try_from(index).ok()?)
    }

    fn evaluate(&self, b: &mut Builder<'_>, input: &Input, weights: &Weights) -> Value {
        let Some(at) = self.input_word(input) else {
            return b.vconst(0);
        };
        if input.interpolation.flat {
            return load(b, self.base.primitive, at);
        }
        let weights = if input.interpolation.no_perspective {
            weights.linear
        } else {
            weights.perspective
        };
        plane(b, self.base.primitive, at, weights)
    }

    fn distance(&self, b: &mut Builder<'_>, location: u32, component: u32) -> Value {
        let input = Input {
            location,
            component,
            ..Input::default()
        };
        self.evaluate(b, &input, &self.here)
    }

    fn sample_mask_in(&self, b: &mut Builder<'_>) -> Value {
        if let Some(sample) = self.sample_id {
            let one = b.sconst(1);
            let bit = b.sshl(one, sample);
            let (bit, none) = (b.vsplat(bit), b.vconst(0));
            return b.vselect(self.masks[0], bit, none);
        }
        let mut bits = b.vconst(0);
        for (s, &mask) in self.masks.iter().enumerate() {
            let (bit, none) = (b.vconst(1 << s), b.vconst(0));
            let bit = b.vselect(mask, bit, none);
            bits = b.vor(bits, bit);
        }
        bits
    }

    fn sample_offset(&self, b: &mut Builder<'_>, sample: Value) -> [Value; 2] {
        let most = b.vconst(crate::shader::abi::MAX_SAMPLES as i64 - 1);
        let sample = b.vmin_u(sample, most);
        let three = b.vconst(3);
        let offset = b.vshl(sample, three);
        let all = b.mconst(1);
        let positions = at(offset_of!(FragmentArgs, sample_positions));
        [
            b.gather(self.base.args, offset, all, positions),
            b.gather(self.base.args, offset, all, positions + 4),
        ]
    }
}

impl StageIo for FragmentIo<'_> {
    fn load_input(&mut self, b: &mut Builder<'_>, input: &Input) -> Value {
        let centroid = input.interpolation.centroid && !input.interpolation.sample;
        let weights = match (&self.centroid, centroid) {
            (Some(weights), true) => *weights,
            _ => self.here,
        };
        self.evaluate(b, input, &weights)
    }

    fn load_builtin(&mut self, b: &mut Builder<'_>, builtin: BuiltIn, component: u32) -> Option<Value> {
        Some(match (builtin, component) {
            (BuiltIn::FragCoord, axis @ (0 | 1)) => {
                let offset = self.offset(b, self.base.place);
                b.fadd(self.base.corner[axis as usize], offset[axis as usize])
            }
            (BuiltIn::FragCoord, 2) => self.depth_at(b, self.base.place),
            (BuiltIn::FragCoord, _) => self.here.q,
            (BuiltIn::FrontFacing, _) => self.base.front,
            (BuiltIn::PointCoord, axis) => *self.here.linear.get(axis as usize)?,
            (BuiltIn::SampleId, _) => match self.sample_id {
                Some(sample) => sample,
                None => b.sconst(0),
            },
            (BuiltIn::SamplePosition, axis) => *self.offset(b, self.base.place).get(axis as usize)?,
            (BuiltIn::SampleMask, 0) => self.sample_mask_in(b),
            (BuiltIn::SampleMask, _) => b.vconst(0),
            (BuiltIn::PrimitiveId, _) => b.sload(self.base.primitive, 4 * i64::from(word::PRIMITIVE_ID)),
            (BuiltIn::Layer, _) => b.sload(self.base.primitive, 4 * i64::from(word::LAYER)),
            (BuiltIn::ViewportIndex, _) => b.sconst(0),
            (BuiltIn::ClipDistance, i) => self.distance(b, CLIP_DISTANCES, i),
            (BuiltIn::CullDistance, i) => self.distance(b, CULL_DISTANCES, i),
            _ => return None,
        })
    }

    fn interpolate_at(&mut self, b: &mut Builder<'_>, input: &Input, place: Interpolate) -> Option<Value> {
        let offset = match place {
            Interpolate::Centroid if self.masks.len() > 1 => self.centroid_offset(b),
            Interpolate::Centroid => self.offset(b, self.base.place),
            Interpolate::Sample(sample) => self.sample_offset(b, sample),
            Interpolate::Offset(x, y) => {
                let half = b.fconst(0.5);
                [b.fadd(x, half), b.fadd(y, half)]
            }
        };
        let weights = self.weights(b, offset);
        Some(self.evaluate(b, input, &weights))
    }
}
