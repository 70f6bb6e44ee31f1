//! `interpolateAt…`: inputs elsewhere than at their own place.

use super::Translator;
use super::pointer::{Base, Pointer};
use super::value::{Scalar, Val};
use crate::shader::spirv::SpirvError;
use crate::shader::spirv::api::{Input, Interpolate, OutputSlot};
use crate::shader::spirv::error::Result;
use crate::shader::spirv::interface::IoComponent;
use crate::shader::spirv::parse::Inst;
use crate::shader::spirv::types::{Leaf, Type};
use ::spirv::{GlslStd450Op as GLOp, Op, StorageClass};

impl Translator<'_, '_> {
    /// `interpolateAt…`.
    pub(super) fn interpolate(&mut self, inst: &Inst, op: GLOp) -> Result<()> {
        let id = inst.word(5)?;
        let pointer = self.pointer(id)?;
        if matches!(self.types.get(pointer.ty), Type::Struct(..)) {
            return Err(SpirvError::WrongType(id));
        }
        let place = match op {
            GLOp::InterpolateAtCentroid => Interpolate::Centroid,
            GLOp::InterpolateAtSample => {
                let sample = inst.word(6)?;
                let Leaf::Int(32, _) = self.leaf_of_id(sample)? else {
                    return Err(SpirvError::WrongType(sample));
                };
                let sample = self.scalar(sample)?;
                Interpolate::Sample(self.as_v(sample))
            }
            _ => match self.floats(inst.word(6)?)?[..] {
                [x, y] => Interpolate::Offset(x, y),
                _ => return Err(SpirvError::WrongType(inst.word(6)?)),
            },
        };
        let value = match &pointer.base {
            Base::Input(components, first) => {
                let count = self.types.comps(pointer.ty) as usize;
                let wanted = components
                    .get(*first..*first + count)
                    .ok_or(SpirvError::WrongType(id))?
                    .to_vec();
                self.interpolated(id, &wanted, place)?
            }
            Base::Frame(..) => self.interpolate_chosen(id, &pointer, place)?,
            _ => return Err(SpirvError::unsupported("interpolation of this")),
        };
        self.define(inst, value)
    }

    fn interpolated(&mut self, id: u32, wanted: &[IoComponent], place: Interpolate) -> Result<Val> {
        let mut out = Val::new();
        for component in wanted {
            let OutputSlot::Location {
                location,
                component: c,
                ..
            } = component.slot
            else {
                return Err(SpirvError::WrongType(id));
            };
            let input = Input {
                location,
                component: c,
                interpolation: component.interpolation,
            };
            let value = self.io.interpolate_at(self.b, &input, place);
            let value = value.ok_or_else(|| SpirvError::unsupported("interpolation in this stage"))?;
            out.push(Scalar::from(value));
        }
        Ok(out)
    }

    /// An input with an index that is no constant: all of the variable is interpolated, and the wanted part taken.
    fn interpolate_chosen(&mut self, id: u32, pointer: &Pointer, place: Interpolate) -> Result<Val> {
        let mut root = id;
        let global = loop {
            let inst = self.source.code.def_inst(root)?;
            match (inst.op, self.entry.globals.get(&root)) {
                (Op::Variable, Some(global)) if global.class == StorageClass::Input => break global,
                (Op::AccessChain | Op::InBoundsAccessChain | Op::CopyObject, _) => root = inst.word(3)?,
                _ => return Err(SpirvError::unsupported("interpolation of this")),
            }
        };
        let components = self.entry.io_components(root, global.ty)?;
        let value = self.interpolated(id, &components, place)?;
        let whole = Pointer::new(self.frame_memory(global.ty)?, StorageClass::Private, global.ty);
        self.store(&whole, &value)?;
        self.load(&Pointer {
            base: whole.base,
            ..pointer.clone()
        })
    }
}
