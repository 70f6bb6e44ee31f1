//! What a shader asks of an image, as a number that is part of a routine's key.

use crate::shader::ir::Value;
use smallvec::SmallVec;

/// Dimensionality of an image, as the shader declares it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Dim {
    D1,
    D2,
    D3,
    Cube,
}

impl Dim {
    const ALL: [Dim; 4] = [Dim::D1, Dim::D2, Dim::D3, Dim::Cube];

    /// Components of a sampling coordinate without the array layer.
    #[must_use]
    pub fn coords(self) -> usize {
        match self {
            Dim::D1 => 1,
            Dim::D2 => 2,
            Dim::D3 | Dim::Cube => 3,
        }
    }

    /// Components of an integer coordinate without the layer (a cube's face is its layer).
    #[must_use]
    pub fn texel_coords(self) -> usize {
        match self {
            Dim::Cube => 2,
            dim => dim.coords(),
        }
    }
}

/// The kind of access.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum OpKind {
    /// Level of detail from the derivatives of the coordinates (quads of lanes), with an optional bias.
    Implicit,
    /// Level of detail given.
    Lod,
    /// Derivatives given.
    Grad,
    /// The four texels of a bilinear footprint, one component.
    Gather,
    /// The level (clamped) and level of detail (unclamped) that `Implicit` would use.
    QueryLod,
    /// Integer coordinates and level.
    Fetch,
    /// Storage image load.
    Read,
    /// Storage image store.
    Write,
    /// Texel buffer load.
    BufferRead,
    /// Texel buffer store.
    BufferWrite,
}

impl OpKind {
    const ALL: [OpKind; 10] = [
        OpKind::Implicit,
        OpKind::Lod,
        OpKind::Grad,
        OpKind::Gather,
        OpKind::QueryLod,
        OpKind::Fetch,
        OpKind::Read,
        OpKind::Write,
        OpKind::BufferRead,
        OpKind::BufferWrite,
    ];

    /// Whether it goes through a sampler.
    #[must_use]
    pub fn samples(self) -> bool {
        matches!(
            self,
            OpKind::Implicit | OpKind::Lod | OpKind::Grad | OpKind::Gather | OpKind::QueryLod
        )
    }
}

/// Everything about an access that its code depends on, but for the image and the sampler.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Operation {
    /// The kind of access.
    pub kind: OpKind,
    /// Dimensionality.
    pub dim: Dim,
    /// Whether there is an array layer. For texel coordinates of a cube always set.
    pub arrayed: bool,
    /// Whether there is a reference depth.
    pub dref: bool,
    /// Whether there is a bias (`Implicit`).
    pub bias: bool,
    /// Whether there is an offset in texels.
    pub offset: bool,
    /// Whether there are four offsets (`Gather`).
    pub offsets: bool,
    /// Whether there is a least level of detail.
    pub min_lod: bool,
    /// Whether there is a sample number.
    pub sample: bool,
    /// Component that `Gather` gives, 0 to 3.
    pub component: u8,
}

impl Operation {
    /// An access with nothing optional.
    #[must_use]
    pub fn new(kind: OpKind, dim: Dim, arrayed: bool) -> Operation {
        Operation {
            kind,
            dim,
            arrayed,
            dref: false,
            bias: false,
            offset: false,
            offsets: false,
            min_lod: false,
            sample: false,
            component: 0,
        }
    }

    /// The number that stands for it.
    #[must_use]
    pub fn encode(self) -> u32 {
        let flags = [
            self.arrayed,
            self.dref,
            self.bias,
            self.offset,
            self.offsets,
            self.min_lod,
            self.sample,
        ];
        let flags = (0..)
            .zip(flags)
            .map(|(bit, on)| u32::from(on) << bit)
            .sum::<u32>();
        self.kind as u32 | (self.dim as u32) << 4 | u32::from(self.component & 3) << 6 | flags << 8
    }

    /// The operation with this number.
    #[must_use]
    pub fn decode(number: u32) -> Option<Operation> {
        let flag = |bit: u32| number >> (8 + bit) & 1 != 0;
        Some(Operation {
            kind: *OpKind::ALL.get((number & 15) as usize)?,
            dim: Dim::ALL[(number >> 4 & 3) as usize],
            arrayed: flag(0),
            dref: flag(1),
            bias: flag(2),
            offset: flag(3),
            offsets: flag(4),
            min_lod: flag(5),
            sample: flag(6),
            component: (number >> 6 & 3) as u8,
        })
    }
}

/// A few vectors.
pub type Vectors = SmallVec<[Value; 4]>;

/// Where and how to sample. All vectors are of type `V`.
#[derive(Clone, Debug)]
pub struct SampleArgs {
    /// `Implicit`, `Lod`, `Grad`, `Gather` or `QueryLod`.
    pub kind: OpKind,
    /// Dimensionality.
    pub dim: Dim,
    /// [`Dim::coords`] floats (already divided by q for projective forms).
    pub coords: Vectors,
    /// Array layer, a float.
    pub layer: Option<Value>,
    /// Reference depth.
    pub dref: Option<Value>,
    /// Level of detail (`Lod`) or bias (`Implicit`).
    pub lod: Option<Value>,
    /// Derivatives of the coordinates along x and y (`Grad`).
    pub grad: Option<(Vectors, Vectors)>,
    /// Offset in texels, integers, one a coordinate.
    pub offset: Option<Vectors>,
    /// Offsets of the four texels of a `Gather`.
    pub offsets: Option<[[Value; 2]; 4]>,
    /// Component that `Gather` gives.
    pub component: u8,
    /// Least level of detail.
    pub min_lod: Option<Value>,
    /// Lanes whose result is wanted (helper lanes included where derivatives of it may be taken).
    pub mask: Value,
}

impl SampleArgs {
    /// Arguments with nothing optional.
    #[must_use]
    pub fn new(kind: OpKind, dim: Dim, coords: &[Value], mask: Value) -> SampleArgs {
        SampleArgs {
            kind,
            dim,
            coords: coords.into(),
            layer: None,
            dref: None,
            lod: None,
            grad: None,
            offset: None,
            offsets: None,
            component: 0,
            min_lod: None,
            mask,
        }
    }
}

/// A texel of an image, by integers. All vectors are of type `V`.
#[derive(Clone, Debug)]
pub struct TexelArgs {
    /// Dimensionality.
    pub dim: Dim,
    /// [`Dim::texel_coords`] integers.
    pub coords: Vectors,
    /// Array layer, an integer; for cubes `face + 6 * layer`, always present.
    pub layer: Option<Value>,
    /// Sample number.
    pub sample: Option<Value>,
    /// Level (fetch); 0 if absent.
    pub lod: Option<Value>,
    /// Lanes that are on.
    pub mask: Value,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_survive_encoding() {
        for kind in OpKind::ALL {
            for dim in Dim::ALL {
                for bits in 0..128_u32 {
                    let flag = |bit: u32| bits >> bit & 1 != 0;
                    let operation = Operation {
                        kind,
                        dim,
                        arrayed: flag(0),
                        dref: flag(1),
                        bias: flag(2),
                        offset: flag(3),
                        offsets: flag(4),
                        min_lod: flag(5),
                        sample: flag(6),
                        component: (bits & 3) as u8,
                    };
                    assert_eq!(Operation::decode(operation.encode()), Some(operation));
                }
            }
        }
        assert_eq!(Operation::decode(15), None);
    }
}
