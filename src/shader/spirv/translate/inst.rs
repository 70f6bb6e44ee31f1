//! Which file translates an instruction.

use super::{Id, Translator};
use crate::shader::spirv::SpirvError;
use crate::shader::spirv::error::Result;
use crate::shader::spirv::interface::is_atomic;
use crate::shader::spirv::layout;
use crate::shader::spirv::parse::Inst;
use crate::shader::spirv::types::Type;
use ::spirv::{Op, Scope, StorageClass};

impl Translator<'_, '_> {
    /// Emits one instruction.
    pub(super) fn inst(&mut self, inst: &Inst, at: usize) -> Result<()> {
        let outer = std::mem::replace(&mut self.b.origin, inst.offset());
        self.watch_lanes(inst);
        let mut result = self.inst_by_group(inst, at);
        if self.watches.is_some() && result.is_ok() {
            result = self.watch_inst(inst);
        }
        self.b.origin = outer;
        result
    }

    fn inst_by_group(&mut self, inst: &Inst, at: usize) -> Result<()> {
        use Op::*;
        self.work += work(inst.op);
        match inst.op {
            Nop | Line | NoLine | Variable | LifetimeStart | LifetimeStop | AssumeTrueKHR => Ok(()),
            Undef => {
                let leaves = self.leaves(self.result_type(inst)?)?;
                let value = leaves.iter().map(|&leaf| self.zero(leaf, false)).collect();
                self.define(inst, value)
            }
            FunctionCall => self.call(inst, at),
            AccessChain
            | InBoundsAccessChain
            | PtrAccessChain
            | InBoundsPtrAccessChain
            | UntypedAccessChainKHR
            | UntypedInBoundsAccessChainKHR
            | UntypedPtrAccessChainKHR
            | UntypedInBoundsPtrAccessChainKHR => self.access_chain(inst),
            BufferPointerEXT => self.buffer_pointer(inst),
            Load => self.load_inst(inst),
            Store => {
                let pointer = self.pointer_to(inst.word(1)?, self.type_of(inst.word(2)?)?)?;
                let value = self.value(inst.word(2)?)?;
                self.check_same_type(inst.word(2)?, &pointer)?;
                self.store(&pointer, &value)
            }
            CopyMemory => {
                let (to, from) = (inst.word(1)?, inst.word(2)?);
                let ty = self.pointer(to)?.ty;
                let from = self.pointer_to(from, ty)?;
                let to = self.pointer_to(to, from.ty)?;
                let value = self.load(&from)?;
                self.store(&to, &value)
            }
            CopyMemorySized => self.copy_sized(inst),
            CopyObject => self.copy_object(inst),
            ArrayLength | UntypedArrayLengthKHR => self.array_length_inst(inst),
            ControlBarrier => self.control_barrier(inst),
            MemoryBarrier => {
                self.b.fence();
                Ok(())
            }
            DemoteToHelperInvocation => {
                self.uncover();
                Ok(())
            }
            IsHelperInvocationEXT => {
                let helper = self.helper();
                self.define(inst, [helper.into()].as_slice().into())
            }
            AtomicStore => self.atomic_store(inst),
            op if is_atomic(op) => self.atomic(inst),
            ExtInst => self.ext_inst(inst),
            DPdx | DPdy | Fwidth | DPdxFine | DPdyFine | FwidthFine | DPdxCoarse | DPdyCoarse
            | FwidthCoarse => self.derivative(inst),
            Dot | OuterProduct | Transpose | MatrixTimesScalar | MatrixTimesVector | VectorTimesMatrix
            | MatrixTimesMatrix | VectorTimesScalar => self.matrix_inst(inst),
            SDot | UDot | SUDot | SDotAccSat | UDotAccSat | SUDotAccSat => self.integer_dot(inst),
            CompositeConstruct | CompositeExtract | CompositeInsert | VectorShuffle
            | VectorExtractDynamic | VectorInsertDynamic | CopyLogical | Select => self.composite_inst(inst),
            op if (op as u32) >= GroupNonUniformElect as u32
                && (op as u32) <= GroupNonUniformQuadSwap as u32 =>
            {
                self.subgroup(inst)
            }
            SubgroupBallotKHR
            | SubgroupFirstInvocationKHR
            | SubgroupAllKHR
            | SubgroupAnyKHR
            | SubgroupAllEqualKHR
            | SubgroupReadInvocationKHR
            | GroupNonUniformRotateKHR => self.subgroup(inst),
            ExpectKHR => {
                let value = self.value(inst.word(3)?)?;
                self.define(inst, value)
            }
            op if is_image(op) => self.image_inst(inst),
            _ => self.arithmetic(inst),
        }
    }

    fn check_same_type(&self, object: u32, pointer: &super::pointer::Pointer) -> Result<()> {
        let ty = self.type_of(object)?;
        let same = ty == pointer.ty
            || self.types.leaf(ty).is_some() && self.types.leaf(ty) == self.types.leaf(pointer.ty);
        if same && self.types.comps(ty) == self.types.comps(pointer.ty) {
            return Ok(());
        }
        Err(SpirvError::WrongType(object))
    }

    fn load_inst(&mut self, inst: &Inst) -> Result<()> {
        let id = inst.word(3)?;
        let ty = self.result_type(inst)?;
        let pointer = self.pointer_to(id, ty)?;
        if pointer.ty != ty && self.types.leaf(ty) != self.types.leaf(pointer.ty) {
            return Err(SpirvError::WrongType(id));
        }
        if let Type::Image(_) | Type::Sampler | Type::SampledImage(_) = self.types.get(ty) {
            let handle = self.load_handle(&pointer)?;
            let result = inst.word(2)?;
            self.define_id(result, Id::Handle(handle));
            return Ok(());
        }
        let value = self.load(&pointer)?;
        self.define(inst, value)
    }

    fn copy_object(&mut self, inst: &Inst) -> Result<()> {
        let id = inst.word(3)?;
        if self.result_type(inst)? != self.type_of(id)? {
            return Err(SpirvError::WrongType(id));
        }
        let what = match self.ids.get(&id) {
            Some(what) => what.clone(),
            None => Id::Value(self.value(id)?),
        };
        self.define_id(inst.word(2)?, what);
        Ok(())
    }

    fn array_length_inst(&mut self, inst: &Inst) -> Result<()> {
        use super::pointer::Base;
        let (id, pointer, at) = if inst.op == Op::UntypedArrayLengthKHR {
            let id = inst.word(4)?;
            (id, self.pointer_to(id, self.types.find(inst.word(3)?)?)?, 5)
        } else {
            let id = inst.word(3)?;
            (id, self.pointer(id)?, 4)
        };
        let Type::Struct(_, members) = self.types.get(pointer.ty) else {
            return Err(SpirvError::WrongType(id));
        };
        let index = inst.word(at)? as usize;
        let member = members.get(index).ok_or(SpirvError::WrongType(id))?;
        let offset = layout::member_offset(self.types, members, index, pointer.rule)?;
        if !matches!(self.types.get(member.ty), Type::RuntimeArray(..)) {
            return Err(SpirvError::WrongType(id));
        }
        let stride = layout::stride(self.types, member.ty, pointer.rule, member.into())?;
        let space = match pointer.base {
            Base::Resource(var, element) => self.buffer(var, element)?,
            Base::Memory(space) => space,
            _ => return Err(SpirvError::WrongType(id)),
        };
        let length = self.array_length(space, offset, stride);
        self.define(inst, [length].as_slice().into())
    }

    fn control_barrier(&mut self, inst: &Inst) -> Result<()> {
        let execution = self.constants.word(inst.word(1)?)?;
        self.b.fence();
        if execution != Scope::Subgroup as u32 && execution != Scope::Invocation as u32 {
            self.b.barrier();
        }
        Ok(())
    }
}

/// Whether a storage class is memory that atomics work on.
pub(super) fn is_memory(class: StorageClass) -> bool {
    use StorageClass::*;
    matches!(class, Uniform | StorageBuffer | PhysicalStorageBuffer | Workgroup)
}

pub(super) fn is_image(op: Op) -> bool {
    let number = op as u32;
    (Op::SampledImage as u32..=Op::ImageQuerySamples as u32).contains(&number)
        || (Op::ImageSparseSampleImplicitLod as u32..=Op::ImageSparseRead as u32).contains(&number)
        || matches!(op, Op::ImageTexelPointer | Op::UntypedImageTexelPointerEXT)
}

/// The work of an instruction, in that of an addition. It does not depend on the back end, and nor does, with it,
/// which loop counts as endless.
fn work(op: Op) -> u64 {
    match op {
        op if is_atomic(op) || is_image(op) => 64,
        Op::ExtInst => 8,
        _ => 1,
    }
}
