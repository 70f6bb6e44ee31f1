//! Shaders made by hand, for tests of what runs them.

use super::Shader;
use crate::shader::ir::{Builder, Value};
use crate::shader::spirv::{
    Input, Interface, InterfaceScalar, Output, OutputSlot, Outputs, ScalarKind, SpirvError, StageIo, Start,
};

/// Appends a shader; gives its outputs and, if it discards, the lanes that are left.
pub(crate) type Body = fn(&mut dyn StageIo, &mut Builder<'_>, Start) -> (Vec<Output>, Option<Value>);

/// A shader made by hand.
#[derive(Debug)]
pub(crate) struct HandMade {
    pub interface: Interface,
    pub body: Body,
}

impl Shader for HandMade {
    fn interface(&self) -> &Interface {
        &self.interface
    }

    fn emit(&self, io: &mut dyn StageIo, b: &mut Builder<'_>, start: Start) -> Result<Outputs, SpirvError> {
        let (mut values, left) = (self.body)(io, b, start);
        values.sort_by_key(|output| output.slot);
        Ok(Outputs {
            values,
            exec: start.exec,
            coverage: left.unwrap_or(start.coverage),
        })
    }
}

/// Component of an input as the interface lists it.
pub(crate) fn input_scalar(input: Input) -> InterfaceScalar {
    InterfaceScalar {
        location: input.location,
        component: input.component,
        index: 0,
        kind: ScalarKind::Float,
        interpolation: input.interpolation,
    }
}

/// The four components of an input.
pub(crate) fn load4(io: &mut dyn StageIo, b: &mut Builder<'_>, input: Input) -> [Value; 4] {
    [0, 1, 2, 3].map(|component| io.load_input(b, &Input { component, ..input }))
}

/// Four components of an output.
pub(crate) fn output4(location: u32, values: [Value; 4]) -> Vec<Output> {
    let slot = |component| OutputSlot::Location {
        location,
        component,
        index: 0,
    };
    (0..4)
        .map(|i| Output {
            slot: slot(i),
            value: values[i as usize],
        })
        .collect()
}
