//! Anisotropic filtering: the mean of samples along the longer axis of a footprint, each as fine as the shorter one.
//!
//! Cubes are sampled once, as are images whose values are not averaged.

use super::op::{Dim, Vectors};
use super::sample::Sampling;
use super::state::Reduction;
use crate::resource::format::Numeric;
use crate::shader::ir::{Builder, Type};
use smallvec::smallvec;

impl Sampling {
    /// Whether footprints may take several samples.
    pub(super) fn is_anisotropic(&self) -> bool {
        self.anisotropy > 1
            && !self.derivatives.is_empty()
            && self.dim != Dim::Cube
            && self.reduction == Reduction::Average
            && self.format.numeric() == Numeric::Float
            && !self.format.is_ycbcr()
    }

    /// Samples as often as each lane needs.
    pub(super) fn sample_along(&self, b: &mut Builder<'_>) -> Vectors {
        let major = self.major_axis(b);
        let mut one = self.clone();
        one.lod = Some(self.base_lod(b));
        one.derivatives = smallvec![];
        one.anisotropy = 1;
        let steps: Vectors = self
            .derivatives
            .iter()
            .map(|&(dx, dy)| b.vselect(major.along_x, dx, dy))
            .collect();
        let unit = b.fconst(1.0);
        let parts = b.fadd(major.samples, unit);
        let part = b.fdiv(unit, parts);

        // Parameters: the number of the sample, from 1 on, and the sums.
        let mut types = vec![Type::V; 1 + self.count()];
        let (body, params) = b.add_block(&types);
        types.remove(0);
        let (done, sums) = b.add_block(&types);
        let zero = b.fconst(0.0);
        let mut args = vec![unit];
        args.resize(types.len() + 1, zero);
        b.jump(body, &args);

        b.switch_to(body);
        let number = params[0];
        let wanted = b.fle(number, major.samples);
        one.mask = b.mand(self.mask, wanted);
        let middle = b.fconst(-0.5);
        let along = b.fma(number, part, middle);
        // The middle is where it is, however long the step (it may be infinite).
        let aside = b.fne(along, zero);
        one.coords = self
            .coords
            .iter()
            .zip(&steps)
            .map(|(&coord, &step)| {
                let moved = b.fma(step, along, coord);
                b.vselect(aside, moved, coord)
            })
            .collect();
        let values = one.sample(b);
        let sums_now: Vectors = params[1..]
            .iter()
            .zip(values)
            .map(|(&sum, value)| {
                let more = b.fadd(sum, value);
                b.vselect(wanted, more, sum)
            })
            .collect();
        let next = b.fadd(number, unit);
        let more = b.fle(next, major.samples);
        let more = b.mand(more, self.mask);
        let again = b.many(more);
        let (turn, _) = b.add_block(&[]);
        b.branch(again, (turn, &[]), (done, &sums_now));
        b.switch_to(turn);
        let mut args = vec![next];
        args.extend(&sums_now);
        b.jump(body, &args);

        b.switch_to(done);
        sums.iter().map(|&sum| b.fdiv(sum, major.samples)).collect()
    }
}
