//! Types, with array lengths as specialized.

use super::constants::Constants;
use super::error::{Result, SpirvError};
use super::module::Source;
use super::parse::Inst;
use crate::descriptor::{BufferDescriptor, ImageDescriptor, SamplerDescriptor};
use ::spirv::{BuiltIn, Decoration, Dim, Op, StorageClass};

/// Nesting of types that is accepted.
const MAX_DEPTH: u8 = 64;
/// Members of a structure that are accepted.
const MAX_MEMBERS: usize = 4096;

/// A type: an index into [`Types`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct TypeId(u32);

/// What a scalar component is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Leaf {
    Bool,
    /// Bits (8, 16, 32 or 64) and signedness.
    Int(u8, bool),
    /// Bits (16, 32 or 64).
    Float(u8),
    /// A 64-bit address.
    Address,
}

impl Leaf {
    /// Bits of the value; a bool takes 32 in memory that has no layout.
    pub(super) fn bits(self) -> u32 {
        match self {
            Leaf::Bool => 32,
            Leaf::Int(bits, _) | Leaf::Float(bits) => u32::from(bits),
            Leaf::Address => 64,
        }
    }

    /// Whether values are 64 bits wide.
    pub(super) fn is_wide(self) -> bool {
        self.bits() == 64
    }
}

/// A member of a structure.
#[derive(Clone, Debug)]
pub(super) struct Member {
    pub(super) ty: TypeId,
    pub(super) offset: Option<u32>,
    pub(super) matrix_stride: u32,
    pub(super) row_major: bool,
}

/// An image type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ImageType {
    pub(super) texel: Leaf,
    pub(super) dim: Dim,
    pub(super) depth: bool,
    pub(super) arrayed: bool,
    pub(super) multisampled: bool,
    /// 1: sampled, 2: storage.
    pub(super) sampled: u32,
    /// SPIR-V's image format; 0: unknown.
    pub(super) format: u32,
}

/// What a type is made of.
#[derive(Clone, Debug)]
pub(super) enum Type {
    Void,
    Scalar(Leaf),
    /// A scalar and 2 to 4 components.
    Vector(Leaf, u32),
    /// Columns of a vector type.
    Matrix(TypeId, u32),
    /// Elements, length and stride in bytes (0: none given).
    Array(TypeId, u32, u32),
    RuntimeArray(TypeId, u32),
    Struct(u32, Vec<Member>),
    /// Storage class and the id of what is pointed at.
    Pointer(StorageClass, u32),
    Function,
    Image(ImageType),
    Sampler,
    SampledImage(TypeId),
    /// The descriptor of a buffer in a heap.
    Buffer,
    /// Something this compiler does not know values of.
    Opaque,
}

#[derive(Debug)]
struct Entry {
    ty: Type,
    depth: u8,
    /// Scalar components of a value, saturating.
    comps: u32,
}

/// Every type of a module.
#[derive(Debug)]
pub(super) struct Types {
    list: Vec<Entry>,
    /// For each id: index plus one.
    by_id: Vec<u32>,
}

impl Types {
    pub(super) fn new(bound: usize) -> Types {
        Types {
            list: Vec::new(),
            by_id: vec![0; bound],
        }
    }

    /// The type with this id.
    pub(super) fn find(&self, id: u32) -> Result<TypeId> {
        match self.by_id.get(id as usize) {
            Some(&index) if index != 0 => Ok(TypeId(index - 1)),
            _ => Err(SpirvError::UnknownId(id)),
        }
    }

    /// What a type is.
    pub(super) fn get(&self, ty: TypeId) -> &Type {
        &self.list[ty.0 as usize].ty
    }

    /// Scalar components of a value of this type, saturating.
    pub(super) fn comps(&self, ty: TypeId) -> u32 {
        self.list[ty.0 as usize].comps
    }

    /// Adds the type an `OpType…` defines.
    pub(super) fn define(&mut self, source: &Source, constants: &Constants, inst: &Inst) -> Result<()> {
        let id = inst.word(1)?;
        let ty = self.read(source, constants, inst, id)?;
        if let (Ok(known), Type::Pointer(..)) = (self.find(id), &ty) {
            // Announced by an OpTypeForwardPointer.
            self.list[known.0 as usize].ty = ty;
            return Ok(());
        }
        let (depth, comps) = self.measure(&ty);
        if depth > MAX_DEPTH {
            return Err(SpirvError::TooLarge("the nesting of a type"));
        }
        self.list.push(Entry { ty, depth, comps });
        let index = u32::try_from(self.list.len())?;
        *self.by_id.get_mut(id as usize).ok_or(SpirvError::UnknownId(id))? = index;
        Ok(())
    }

    fn measure(&self, ty: &Type) -> (u8, u32) {
        let of = |id: &TypeId| (self.list[id.0 as usize].depth + 1, self.comps(*id));
        match ty {
            // Address, range and offset; see `translate/variable_pointer.rs`.
            Type::Pointer(StorageClass::StorageBuffer, _) => (1, 3),
            Type::Scalar(_) | Type::Pointer(..) => (1, 1),
            Type::Vector(_, n) => (2, *n),
            Type::Matrix(column, n) => (3, self.comps(*column) * n),
            Type::Array(elem, n, _) => (of(elem).0, of(elem).1.saturating_mul(*n)),
            Type::RuntimeArray(elem, _) => (of(elem).0, u32::MAX),
            Type::Struct(_, members) => members.iter().fold((1, 0u32), |(depth, comps), member| {
                let (d, c) = of(&member.ty);
                (depth.max(d), comps.saturating_add(c))
            }),
            Type::SampledImage(image) => (of(image).0, 1),
            Type::Image(_) | Type::Sampler | Type::Buffer => (1, 1),
            Type::Void => (1, 0),
            Type::Function | Type::Opaque => (1, u32::MAX),
        }
    }

    fn read(&self, source: &Source, constants: &Constants, inst: &Inst, id: u32) -> Result<Type> {
        let stride = || source.decoration_word(id, Decoration::ArrayStride).unwrap_or(0);
        Ok(match inst.op {
            Op::TypeVoid => Type::Void,
            Op::TypeBool => Type::Scalar(Leaf::Bool),
            Op::TypeInt => {
                let bits = match inst.word(2)? {
                    bits @ (8 | 16 | 32 | 64) => bits as u8,
                    _ => return Err(SpirvError::WrongType(id)),
                };
                Type::Scalar(Leaf::Int(bits, inst.word(3)? != 0))
            }
            Op::TypeFloat => match (inst.word(2)?, inst.words.len()) {
                (bits @ (16 | 32 | 64), 3) => Type::Scalar(Leaf::Float(bits as u8)),
                _ => Type::Opaque,
            },
            Op::TypeVector => match (self.get(self.find(inst.word(2)?)?), inst.word(3)?) {
                (&Type::Scalar(leaf), n @ 2..=4) => Type::Vector(leaf, n),
                _ => return Err(SpirvError::WrongType(id)),
            },
            Op::TypeMatrix => {
                let column = self.find(inst.word(2)?)?;
                match (self.get(column), inst.word(3)?) {
                    (Type::Vector(Leaf::Float(_), _), n @ 2..=4) => Type::Matrix(column, n),
                    _ => return Err(SpirvError::WrongType(id)),
                }
            }
            Op::TypeArray => {
                let elem = self.find(inst.word(2)?)?;
                let n = constants.scalar(inst.word(3)?)?;
                match u32::try_from(n) {
                    Ok(n @ 1..=0x7fff_ffff) => Type::Array(elem, n, stride()),
                    _ => return Err(SpirvError::TooLarge("an array")),
                }
            }
            Op::TypeRuntimeArray => Type::RuntimeArray(self.find(inst.word(2)?)?, stride()),
            Op::TypeStruct => self.structure(source, inst, id)?,
            Op::TypePointer => {
                let class = StorageClass::from_u32(inst.word(2)?)
                    .ok_or_else(|| SpirvError::unsupported("storage class"))?;
                Type::Pointer(class, inst.word(3)?)
            }
            Op::TypeForwardPointer => {
                let class = StorageClass::from_u32(inst.word(2)?)
                    .ok_or_else(|| SpirvError::unsupported("storage class"))?;
                // Points at nothing that is defined until the pointer's own instruction.
                Type::Pointer(class, 0)
            }
            Op::TypeFunction => Type::Function,
            Op::TypeImage => self.image(inst)?,
            Op::TypeSampler => Type::Sampler,
            Op::TypeBufferEXT => Type::Buffer,
            Op::TypeUntypedPointerKHR => {
                let class = StorageClass::from_u32(inst.word(2)?)
                    .ok_or_else(|| SpirvError::unsupported("storage class"))?;
                Type::Pointer(class, 0)
            }
            Op::TypeSampledImage => {
                let image = self.find(inst.word(2)?)?;
                match self.get(image) {
                    Type::Image(_) => Type::SampledImage(image),
                    _ => return Err(SpirvError::WrongType(id)),
                }
            }
            _ => Type::Opaque,
        })
    }

    fn structure(&self, source: &Source, inst: &Inst, id: u32) -> Result<Type> {
        if inst.rest(2).len() > MAX_MEMBERS {
            return Err(SpirvError::TooLarge("a structure"));
        }
        let mut members = Vec::with_capacity(inst.rest(2).len());
        for (i, &ty) in (0u32..).zip(inst.rest(2)) {
            members.push(Member {
                ty: self.find(ty)?,
                offset: source.member_word(id, i, Decoration::Offset),
                matrix_stride: source.member_word(id, i, Decoration::MatrixStride).unwrap_or(0),
                row_major: source.member_decoration(id, i, Decoration::RowMajor).is_some(),
            });
        }
        Ok(Type::Struct(id, members))
    }

    fn image(&self, inst: &Inst) -> Result<Type> {
        let texel = match self.get(self.find(inst.word(2)?)?) {
            &Type::Scalar(leaf) => leaf,
            Type::Void => Leaf::Float(32),
            _ => return Err(SpirvError::WrongType(inst.word(1)?)),
        };
        Ok(Type::Image(ImageType {
            texel,
            dim: Dim::from_u32(inst.word(3)?).ok_or_else(|| SpirvError::unsupported("image dimension"))?,
            depth: inst.word(4)? == 1,
            arrayed: inst.word(5)? != 0,
            multisampled: inst.word(6)? != 0,
            sampled: inst.word(7)?,
            format: inst.word(8)?,
        }))
    }

    /// Bytes of a descriptor in a heap.
    pub(super) fn descriptor_bytes(&self, ty: TypeId) -> Option<u32> {
        let bytes = match self.get(ty) {
            Type::Buffer => size_of::<BufferDescriptor>(),
            // Those of texel buffers are smaller, but applications ask for one size of all images.
            Type::Image(_) => size_of::<ImageDescriptor>(),
            Type::Sampler => size_of::<SamplerDescriptor>(),
            _ => return None,
        };
        Some(bytes as u32)
    }

    /// Works in strides and offsets that are given by constants.
    pub(super) fn resolve_layout(&mut self, source: &Source, constants: &Constants) -> Result<()> {
        for id in source.layout_by_id() {
            let Ok(ty) = self.find(id) else { continue };
            match &mut self.list[ty.0 as usize].ty {
                Type::Array(.., stride) | Type::RuntimeArray(_, stride) => {
                    if let Some(by) = source.decoration_word(id, Decoration::ArrayStrideIdEXT) {
                        *stride = constants.word(by)?;
                    }
                }
                Type::Struct(_, members) => {
                    for (i, member) in (0..).zip(members) {
                        if let Some(at) = source.member_word(id, i, Decoration::OffsetIdEXT) {
                            member.offset = Some(constants.word(at)?);
                        }
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The storage class of a pointer that does not say what it points at.
    pub(super) fn untyped(&self, ty: TypeId) -> Option<StorageClass> {
        match *self.get(ty) {
            Type::Pointer(class, 0) => Some(class),
            _ => None,
        }
    }

    /// What a pointer type points at.
    pub(super) fn pointee(&self, ty: TypeId) -> Option<(StorageClass, TypeId)> {
        match *self.get(ty) {
            Type::Pointer(class, id) => Some((class, self.find(id).ok()?)),
            _ => None,
        }
    }

    /// The scalar kind of a scalar or vector.
    pub(super) fn leaf(&self, ty: TypeId) -> Option<Leaf> {
        match *self.get(ty) {
            Type::Scalar(leaf) | Type::Vector(leaf, _) => Some(leaf),
            Type::Matrix(column, _) => self.leaf(column),
            Type::Pointer(StorageClass::PhysicalStorageBuffer, _) => Some(Leaf::Address),
            _ => None,
        }
    }

    /// Appends the kind of each scalar component of a value; fails where a component is no scalar.
    pub(super) fn leaves(&self, ty: TypeId, out: &mut Vec<Leaf>) -> Result<()> {
        match self.get(ty) {
            Type::Scalar(leaf) => out.push(*leaf),
            Type::Vector(leaf, n) => out.extend((0..*n).map(|_| *leaf)),
            Type::Pointer(StorageClass::PhysicalStorageBuffer, _) => out.push(Leaf::Address),
            Type::Pointer(StorageClass::StorageBuffer, _) => {
                out.extend([Leaf::Address, Leaf::Int(32, false), Leaf::Int(32, false)]);
            }
            Type::Pointer(StorageClass::Workgroup, _) => out.push(Leaf::Int(32, false)),
            Type::Matrix(elem, n) | Type::Array(elem, n, _) => {
                let first = out.len();
                self.leaves(*elem, out)?;
                let one = out[first..].to_vec();
                for _ in 1..*n {
                    out.extend_from_slice(&one);
                }
            }
            Type::Struct(_, members) => {
                for member in members {
                    self.leaves(member.ty, out)?;
                }
            }
            _ => return Err(SpirvError::unsupported("a value of an opaque type")),
        }
        Ok(())
    }

    /// The type of element `index` of a composite, and the first component of that element.
    pub(super) fn element(&self, ty: TypeId, index: u32) -> Option<(TypeId, u32)> {
        match self.get(ty) {
            Type::Matrix(elem, n) | Type::Array(elem, n, _) if index < *n => {
                Some((*elem, self.comps(*elem).checked_mul(index)?))
            }
            Type::Struct(_, members) => {
                let member = members.get(index as usize)?;
                let before = members[..index as usize].iter();
                let first = before.fold(0u32, |sum, m| sum.saturating_add(self.comps(m.ty)));
                Some((member.ty, first))
            }
            _ => None,
        }
    }
}

/// The built-in a decoration names.
pub(super) fn builtin(word: Option<u32>) -> Option<BuiltIn> {
    word.and_then(BuiltIn::from_u32)
}
