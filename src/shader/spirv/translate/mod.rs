//! The walk that emits wave IR.

use super::{EntryPoint, Outputs, ResourceLayout, SpirvError, StageIo, Start};
use crate::shader::ir::Builder;

/// Appends the shader to the block `b` stands in. On success `b` stands in the block that follows the shader;
/// the kernel may also return [`OutOfFuel`](crate::shader::abi::Status::OutOfFuel) from inside.
pub fn translate(
    entry: &EntryPoint,
    layout: &ResourceLayout,
    io: &mut dyn StageIo,
    b: &mut Builder,
    start: Start,
) -> Result<Outputs, SpirvError> {
    let _ = (entry, layout, io, b, start);
    Err(SpirvError::unsupported("translation"))
}
