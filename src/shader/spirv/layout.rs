//! Bytes of types in memory: as decorated (buffers), or packed (shared and private memory).

use super::error::{Result, SpirvError};
use super::types::{Member, Type, TypeId, Types};

/// How a value lies in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Rule {
    /// By the module's decorations.
    Explicit,
    /// Without padding; every scalar takes 4 or 8 bytes.
    Packed,
}

/// What a matrix inherits from the structure member it is in.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct MatrixLayout {
    /// Bytes from one column (row, if row-major) to the next; 0: packed.
    pub(super) stride: u32,
    pub(super) row_major: bool,
}

impl From<&Member> for MatrixLayout {
    fn from(member: &Member) -> MatrixLayout {
        MatrixLayout {
            stride: member.matrix_stride,
            row_major: member.row_major,
        }
    }
}

/// Bytes of a scalar.
pub(super) fn scalar_bytes(leaf: super::types::Leaf, rule: Rule) -> u32 {
    match rule {
        Rule::Explicit => leaf.bits() / 8,
        Rule::Packed => leaf.bits().max(32) / 8,
    }
}

/// Bytes from the first to the last of a value; a runtime array counts as empty.
pub(super) fn size(types: &Types, ty: TypeId, rule: Rule, matrix: MatrixLayout) -> Result<u32> {
    let too_large = || SpirvError::TooLarge("a type");
    match types.get(ty) {
        Type::Scalar(leaf) => Ok(scalar_bytes(*leaf, rule)),
        Type::Vector(leaf, n) => Ok(scalar_bytes(*leaf, rule) * n),
        Type::Pointer(..) => Ok(8),
        Type::Buffer | Type::Image(_) | Type::Sampler => {
            let bytes = types.descriptor_bytes(ty);
            bytes.ok_or_else(|| SpirvError::unsupported("memory of an opaque type"))
        }
        Type::Matrix(column, n) => {
            let rows = types.comps(*column);
            let column = size(types, *column, rule, matrix)?;
            if rule == Rule::Packed || matrix.stride == 0 {
                Ok(column * n)
            } else if matrix.row_major {
                matrix.stride.checked_mul(rows).ok_or_else(too_large)
            } else {
                matrix.stride.checked_mul(*n).ok_or_else(too_large)
            }
        }
        Type::Array(elem, n, _) => {
            let stride = stride(types, ty, rule, matrix)?;
            let elem = size(types, *elem, rule, matrix)?;
            stride
                .checked_mul(n - 1)
                .and_then(|bytes| bytes.checked_add(elem))
                .ok_or_else(too_large)
        }
        Type::RuntimeArray(..) => Ok(0),
        Type::Struct(_, members) => {
            let mut end = 0u32;
            for (i, member) in members.iter().enumerate() {
                let offset = match (rule, member.offset) {
                    (Rule::Explicit, Some(offset)) => offset,
                    _ => end,
                };
                let bytes = size(types, members[i].ty, rule, MatrixLayout::from(member))?;
                end = end.max(offset.checked_add(bytes).ok_or_else(too_large)?);
            }
            Ok(end)
        }
        _ => Err(SpirvError::unsupported("memory of an opaque type")),
    }
}

/// Bytes from one element to the next of an array, or from one column to the next of a matrix that is not
/// row-major.
pub(super) fn stride(types: &Types, ty: TypeId, rule: Rule, matrix: MatrixLayout) -> Result<u32> {
    match *types.get(ty) {
        Type::Array(elem, _, stride) | Type::RuntimeArray(elem, stride) => {
            if rule == Rule::Explicit && stride != 0 {
                Ok(stride)
            } else {
                size(types, elem, rule, matrix)
            }
        }
        Type::Matrix(column, _) if rule == Rule::Packed || matrix.stride == 0 => {
            size(types, column, rule, matrix)
        }
        Type::Matrix(..) => Ok(matrix.stride),
        _ => Err(SpirvError::unsupported("a stride of a type that is no array")),
    }
}

/// Byte offset of a structure's member.
pub(super) fn member_offset(types: &Types, members: &[Member], index: usize, rule: Rule) -> Result<u32> {
    if let (Rule::Explicit, Some(offset)) = (rule, members[index].offset) {
        return Ok(offset);
    }
    let mut offset = 0u32;
    for member in &members[..index] {
        let bytes = size(types, member.ty, rule, MatrixLayout::from(member))?;
        offset = offset.checked_add(bytes).ok_or(SpirvError::TooLarge("a type"))?;
    }
    Ok(offset)
}
