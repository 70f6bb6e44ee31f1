//! What an entry point uses: found by reading it, before anything is translated.

use super::api::{Descriptor, Interpolation, OutputSlot, SpecInfo};
use super::constants::Constants;
use super::error::{Result, SpirvError};
use super::heap;
use super::layout::{self, MatrixLayout, Rule};
use super::module::{Module, Source};
use super::parse::{ABORT, CONSTANT_DATA, Inst, SPEC_CONSTANT_DATA};
use super::types::{Leaf, Type, TypeId, Types, builtin};
use crate::vk;
use ::spirv::{BuiltIn, Decoration, ExecutionMode, ExecutionModel, Op, StorageClass};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// Shared memory that is accepted, in bytes.
const MAX_SHARED: u32 = 1 << 20;
/// Locations that are accepted.
const MAX_LOCATION: u32 = 256;

/// A resource variable of the shader.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Resource {
    /// Descriptor set.
    pub set: u32,
    /// Binding.
    pub binding: u32,
    /// Kind.
    pub kind: Descriptor,
    /// Array elements; 0 for an array without a length.
    pub count: u32,
    /// Input attachment index, where it is one.
    pub input_attachment: Option<u32>,
    /// Its bit among the kinds that mappings to heaps are for; see [`super::heap::type_bit`].
    pub heap_type: u32,
}

/// Kind of a scalar of the interface.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the names say it")]
pub enum ScalarKind {
    Float,
    Sint,
    Uint,
    Bool,
}

/// One component of a user-defined input or output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InterfaceScalar {
    /// Location.
    pub location: u32,
    /// Component within the location.
    pub component: u32,
    /// Dual-source index (fragment outputs).
    pub index: u32,
    /// Kind.
    pub kind: ScalarKind,
    /// Interpolation (fragment inputs).
    pub interpolation: Interpolation,
}

/// What an entry point needs from and gives to its surroundings.
#[derive(Clone, Debug, Default)]
pub struct Interface {
    /// Resources statically used.
    pub resources: Vec<Resource>,
    /// Bytes of push constants used.
    pub push_constant_bytes: u32,
    /// Local size of a workgroup (compute).
    pub workgroup_size: [u32; 3],
    /// Bytes of shared memory (compute).
    pub shared_bytes: u32,
    /// Shared memory has to be zero when a workgroup begins.
    pub zero_shared: bool,
    /// User-defined inputs.
    pub inputs: Vec<InterfaceScalar>,
    /// User-defined outputs.
    pub outputs: Vec<InterfaceScalar>,
    /// Built-in inputs statically used.
    pub input_builtins: Vec<BuiltIn>,
    /// Built-in outputs statically used, with the number of components (array elements).
    pub output_builtins: Vec<(BuiltIn, u32)>,
    /// Derivatives or sampling with implicit level of detail are used: quads must be complete.
    pub uses_derivatives: bool,
    /// It has loops.
    pub has_loops: bool,
    /// Lanes may be discarded or demoted.
    pub uses_discard: bool,
    /// The shader must run for each sample.
    pub sample_shading: bool,
    /// Depth and stencil tests come before the shader.
    pub early_fragment_tests: bool,
    /// The shader writes depth.
    pub depth_replacing: bool,
    /// It has workgroup barriers.
    pub uses_barrier: bool,
    /// It may write buffers, images or through addresses.
    pub writes_memory: bool,
}

/// An entry point, specialized and ready to be translated.
#[derive(Debug)]
pub struct EntryPoint {
    /// Its name.
    pub name: String,
    /// Its stage.
    pub stage: vk::ShaderStageFlags,
    /// What it uses.
    pub interface: Interface,
    pub(super) source: Arc<Source>,
    pub(super) types: Types,
    pub(super) constants: Constants,
    pub(super) globals: FxHashMap<u32, Global>,
    /// Index in `Source::functions`.
    pub(super) function: usize,
    /// Global variables used, in the order of the module.
    pub(super) used: Vec<u32>,
}

/// A variable outside functions.
#[derive(Clone, Debug)]
pub(super) struct Global {
    pub(super) class: StorageClass,
    /// Type of the contents.
    pub(super) ty: TypeId,
    pub(super) init: Option<u32>,
    /// Byte offset (shared memory).
    pub(super) offset: u32,
}

/// Where one component of an input or output variable comes from or goes; of 64 bits the low word, with the high one next.
#[derive(Clone, Copy, Debug)]
pub(super) struct IoComponent {
    pub(super) slot: OutputSlot,
    pub(super) leaf: Leaf,
    pub(super) interpolation: Interpolation,
}

impl Module {
    /// Specializes an entry point and finds out what it uses.
    pub fn entry(
        &self,
        name: &str,
        stage: vk::ShaderStageFlags,
        spec: &SpecInfo,
    ) -> std::result::Result<EntryPoint, SpirvError> {
        let model = match stage {
            vk::ShaderStageFlags::VERTEX => ExecutionModel::Vertex,
            vk::ShaderStageFlags::FRAGMENT => ExecutionModel::Fragment,
            vk::ShaderStageFlags::COMPUTE => ExecutionModel::GLCompute,
            _ => return Err(SpirvError::unsupported("shader stage")),
        };
        let source = &self.source;
        let decl = source
            .entry_points
            .iter()
            .find(|decl| decl.model == model && decl.name == name)
            .ok_or_else(|| SpirvError::NoEntryPoint(name.to_owned()))?;
        let mut entry = EntryPoint {
            name: name.to_owned(),
            stage,
            interface: Interface::default(),
            source: source.clone(),
            types: Types::new(source.code.bound()),
            constants: Constants::default(),
            globals: FxHashMap::default(),
            function: source.find_function(decl.function)?,
            used: Vec::new(),
        };
        entry.define_globals(spec)?;
        let found = entry.scan()?;
        entry.used = entry.globals_in_order(&found);
        entry.read_modes(decl.function)?;
        entry.place_shared()?;
        entry.read_interface()?;
        Ok(entry)
    }
}

impl EntryPoint {
    fn define_globals(&mut self, spec: &SpecInfo) -> Result<()> {
        let source = self.source.clone();
        for &at in &source.globals {
            let inst = source.code.inst(at);
            match inst.op {
                Op::Variable => self.define_variable(&inst)?,
                Op::UntypedVariableKHR => self.define_untyped_variable(&inst)?,
                Op::Undef => self.constants.define(&source, &self.types, spec, &inst)?,
                op if is_type(op) => self.types.define(&source, &self.constants, &inst)?,
                op if is_constant(op) => self.constants.define(&source, &self.types, spec, &inst)?,
                _ => {}
            }
        }
        // Strides and offsets may be constants that come after the types.
        self.types.resolve_layout(&source, &self.constants)
    }

    /// A variable without a type of its contents stands for its pointer's type.
    fn define_untyped_variable(&mut self, inst: &Inst) -> Result<()> {
        let ty = inst.words.get(4).copied().map_or(inst.word(1), Ok)?;
        let global = Global {
            class: StorageClass::from_u32(inst.word(3)?)
                .ok_or_else(|| SpirvError::unsupported("storage class"))?,
            ty: self.types.find(ty)?,
            init: inst.words.get(5).copied(),
            offset: 0,
        };
        self.globals.insert(inst.word(2)?, global);
        Ok(())
    }

    fn define_variable(&mut self, inst: &Inst) -> Result<()> {
        let id = inst.word(2)?;
        let pointer = self.types.find(inst.word(1)?)?;
        let (class, ty) = self.types.pointee(pointer).ok_or(SpirvError::WrongType(id))?;
        let global = Global {
            class,
            ty,
            init: inst.words.get(4).copied(),
            offset: 0,
        };
        self.globals.insert(id, global);
        Ok(())
    }

    fn globals_in_order(&self, found: &FxHashSet<u32>) -> Vec<u32> {
        let code = &self.source.code;
        let variables = self.source.globals.iter().map(|&at| code.inst(at));
        variables
            .filter(|inst| matches!(inst.op, Op::Variable | Op::UntypedVariableKHR))
            .filter_map(|inst| inst.result())
            .filter(|id| found.contains(id))
            .collect()
    }

    /// Reads every function that can be reached; gives the global variables they name.
    fn scan(&mut self) -> Result<FxHashSet<u32>> {
        let source = self.source.clone();
        let mut found = FxHashSet::default();
        let mut seen = FxHashSet::default();
        let mut work = vec![self.function];
        while let Some(index) = work.pop() {
            if !seen.insert(index) {
                continue;
            }
            for at in source.functions[index].body.clone() {
                let inst = source.code.inst(at);
                if inst.op == Op::FunctionCall {
                    work.push(source.find_function(inst.word(3)?)?);
                }
                self.note_use(&inst);
                let ids = match inst.op {
                    // Pointers that are values may stand here too.
                    Op::Store | Op::ReturnValue => inst.rest(1),
                    Op::PtrEqual | Op::PtrNotEqual | Op::PtrDiff => inst.rest(3),
                    Op::CompositeConstruct | Op::CompositeInsert => inst.rest(3),
                    _ => pointer_operands(&inst),
                };
                found.extend(ids.iter().copied().filter(|id| self.globals.contains_key(id)));
            }
        }
        Ok(found)
    }

    fn note_use(&mut self, inst: &Inst) {
        let name = inst.op;
        let interface = &mut self.interface;
        match name {
            Op::DPdx
            | Op::DPdy
            | Op::Fwidth
            | Op::DPdxFine
            | Op::DPdyFine
            | Op::FwidthFine
            | Op::DPdxCoarse
            | Op::DPdyCoarse
            | Op::FwidthCoarse
            | Op::ImageSampleImplicitLod
            | Op::ImageSampleDrefImplicitLod
            | Op::ImageSampleProjImplicitLod
            | Op::ImageSampleProjDrefImplicitLod
            | Op::ImageQueryLod
            | Op::ImageSparseSampleImplicitLod
            | Op::ImageSparseSampleDrefImplicitLod => {
                interface.uses_derivatives = true;
            }
            Op::Kill | Op::TerminateInvocation | Op::DemoteToHelperInvocation => {
                interface.uses_discard = true;
            }
            Op::ControlBarrier => interface.uses_barrier = true,
            // What a shader tells counts as an effect.
            ABORT => interface.writes_memory = true,
            Op::LoopMerge => interface.has_loops = true,
            Op::ImageWrite | Op::ImageTexelPointer | Op::UntypedImageTexelPointerEXT => {
                interface.writes_memory = true;
            }
            Op::Store | Op::CopyMemory | Op::CopyMemorySized => {
                let class = inst.words.get(1).and_then(|&id| self.class_of(id));
                self.interface.writes_memory |= is_device_memory(class);
            }
            Op::AtomicStore => {
                let class = inst.words.get(1).and_then(|&id| self.class_of(id));
                self.interface.writes_memory |= is_device_memory(class);
            }
            op if is_atomic(op) => {
                let class = inst.words.get(3).and_then(|&id| self.class_of(id));
                self.interface.writes_memory |= is_device_memory(class);
            }
            _ => {}
        }
    }

    /// Storage class of a pointer.
    fn class_of(&self, id: u32) -> Option<StorageClass> {
        let inst = self.source.code.def_inst(id).ok()?;
        let ty = self.types.find(inst.type_id().ok()?).ok()?;
        match *self.types.get(ty) {
            Type::Pointer(class, _) => Some(class),
            _ => None,
        }
    }

    fn read_modes(&mut self, function: u32) -> Result<()> {
        let source = self.source.clone();
        for inst in source.modes(function) {
            let Some(mode) = ExecutionMode::from_u32(inst.word(2)?) else {
                return Err(SpirvError::unsupported("execution mode"));
            };
            match mode {
                ExecutionMode::LocalSize => {
                    self.interface.workgroup_size = [inst.word(3)?, inst.word(4)?, inst.word(5)?];
                }
                ExecutionMode::LocalSizeId => {
                    let size = |n: usize| self.constants.word(inst.word(n)?);
                    self.interface.workgroup_size = [size(3)?, size(4)?, size(5)?];
                }
                ExecutionMode::EarlyFragmentTests => self.interface.early_fragment_tests = true,
                ExecutionMode::DepthReplacing => self.interface.depth_replacing = true,
                _ => {}
            }
        }
        // A constant decorated WorkgroupSize overrides the mode.
        for &at in &source.globals {
            let inst = source.code.inst(at);
            if let (true, Some(id)) = (is_constant(inst.op), inst.result())
                && builtin(source.decoration_word(id, Decoration::BuiltIn)) == Some(BuiltIn::WorkgroupSize)
            {
                let values = self.constants.flatten(&self.types, id)?;
                let &[x, y, z] = &values[..] else {
                    return Err(SpirvError::WrongType(id));
                };
                self.interface.workgroup_size = [x as u32, y as u32, z as u32];
            }
        }
        let size = self.interface.workgroup_size.map(u64::from);
        if self.stage == vk::ShaderStageFlags::COMPUTE {
            let total = size[0].saturating_mul(size[1]).saturating_mul(size[2]);
            if total == 0 || total > 1 << 16 {
                return Err(SpirvError::TooLarge("the workgroup size"));
            }
        }
        Ok(())
    }

    /// Gives each shared variable its offset; blocks with explicit layout share offset 0, unless they need not be alike
    /// and are not said to be.
    fn place_shared(&mut self) -> Result<()> {
        let mut end = 0u32;
        let apart = |id: &u32| {
            let untyped = self
                .source
                .code
                .def_inst(*id)
                .is_ok_and(|def| def.op == Op::UntypedVariableKHR);
            untyped && self.source.decoration(*id, Decoration::Aliased).is_none()
        };
        let (last, first): (Vec<u32>, Vec<u32>) = self.used.iter().copied().partition(apart);
        let shared = first.len();
        for (number, id) in first.into_iter().chain(last).enumerate() {
            let Some(global) = self.globals.get_mut(&id) else {
                continue;
            };
            if global.class != StorageClass::Workgroup {
                continue;
            }
            self.interface.zero_shared |= global.init.is_some();
            let rule = shared_rule(&self.source, &self.types, global.ty);
            let bytes = layout::size(&self.types, global.ty, rule, MatrixLayout::default())?;
            let offset = if rule == Rule::Explicit && number < shared {
                0
            } else {
                end.next_multiple_of(16)
            };
            global.offset = offset;
            end = end.max(
                offset
                    .checked_add(bytes)
                    .ok_or(SpirvError::TooLarge("shared memory"))?,
            );
            if end > MAX_SHARED {
                return Err(SpirvError::TooLarge("shared memory"));
            }
        }
        self.interface.shared_bytes = end;
        Ok(())
    }

    fn read_interface(&mut self) -> Result<()> {
        for id in self.used.clone() {
            let global = self.globals[&id].clone();
            match global.class {
                StorageClass::Input => self.add_io(id, global.ty, true)?,
                StorageClass::Output => self.add_io(id, global.ty, false)?,
                StorageClass::PushConstant => {
                    let bytes =
                        layout::size(&self.types, global.ty, Rule::Explicit, MatrixLayout::default())?;
                    self.interface.push_constant_bytes = self.interface.push_constant_bytes.max(bytes);
                }
                StorageClass::UniformConstant if heap_of(&self.source, id).is_some() => {}
                StorageClass::Uniform | StorageClass::StorageBuffer | StorageClass::UniformConstant => {
                    let resource = self.resource(id, &global)?;
                    self.interface.resources.push(resource);
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn add_io(&mut self, id: u32, ty: TypeId, input: bool) -> Result<()> {
        for component in self.io_components(id, ty)? {
            match component.slot {
                OutputSlot::Location {
                    location,
                    component: c,
                    index,
                } => {
                    let kind = match component.leaf {
                        Leaf::Float(_) => ScalarKind::Float,
                        Leaf::Int(_, true) => ScalarKind::Sint,
                        Leaf::Int(_, false) | Leaf::Address => ScalarKind::Uint,
                        Leaf::Bool => ScalarKind::Bool,
                    };
                    self.interface.sample_shading |= input && component.interpolation.sample;
                    let list = if input {
                        &mut self.interface.inputs
                    } else {
                        &mut self.interface.outputs
                    };
                    list.extend(
                        (c..c + component.leaf.bits().div_ceil(32)).map(|c| InterfaceScalar {
                            location,
                            component: c,
                            index,
                            kind,
                            interpolation: component.interpolation,
                        }),
                    );
                }
                OutputSlot::BuiltIn(builtin, n) if input => {
                    if n == 0 && !self.interface.input_builtins.contains(&builtin) {
                        self.interface.input_builtins.push(builtin);
                    }
                    self.interface.sample_shading |=
                        matches!(builtin, BuiltIn::SampleId | BuiltIn::SamplePosition);
                }
                OutputSlot::BuiltIn(builtin, n) => {
                    let list = &mut self.interface.output_builtins;
                    match list.iter_mut().find(|(b, _)| *b == builtin) {
                        Some((_, count)) => *count = (*count).max(n + 1),
                        None => list.push((builtin, n + 1)),
                    }
                }
            }
        }
        Ok(())
    }

    pub(super) fn resource(&self, id: u32, global: &Global) -> Result<Resource> {
        let word = |kind| self.source.decoration_word(id, kind);
        let (mut ty, mut count) = (global.ty, 1);
        match *self.types.get(ty) {
            Type::Array(elem, n, _) => (ty, count) = (elem, n),
            Type::RuntimeArray(elem, _) => (ty, count) = (elem, 0),
            _ => {}
        }
        let kind = descriptor_kind(&self.source, &self.types, global.class, ty);
        let kind = kind.ok_or(SpirvError::WrongType(id))?;
        let sampled = match self.types.get(ty) {
            Type::Image(image) => image.sampled != 2,
            _ => false,
        };
        Ok(Resource {
            set: word(Decoration::DescriptorSet).unwrap_or(0),
            binding: word(Decoration::Binding).unwrap_or(0),
            kind,
            count,
            input_attachment: word(Decoration::InputAttachmentIndex),
            heap_type: heap::type_bit(kind, sampled, self.is_read_only(id, ty)),
        })
    }

    /// Whether a variable, or every member of its block, is not to be written.
    fn is_read_only(&self, id: u32, ty: TypeId) -> bool {
        let members = || match self.types.get(ty) {
            Type::Struct(block, members) => (0..members.len() as u32).all(|member| {
                let found = self
                    .source
                    .member_decoration(*block, member, Decoration::NonWritable);
                found.is_some()
            }),
            _ => false,
        };
        self.source.decoration(id, Decoration::NonWritable).is_some() || members()
    }

    /// Where each scalar component of an input or output variable comes from or goes.
    pub(super) fn io_components(&self, id: u32, ty: TypeId) -> Result<Vec<IoComponent>> {
        let source = &self.source;
        if self.types.comps(ty) > MAX_LOCATION * 4 {
            return Err(SpirvError::TooLarge("an input or output"));
        }
        let interpolation = Interpolation {
            flat: source.decoration(id, Decoration::Flat).is_some(),
            no_perspective: source.decoration(id, Decoration::NoPerspective).is_some(),
            centroid: source.decoration(id, Decoration::Centroid).is_some(),
            sample: source.decoration(id, Decoration::Sample).is_some(),
        };
        let mut walk = IoWalk {
            entry: self,
            index: source.decoration_word(id, Decoration::Index).unwrap_or(0),
            out: Vec::new(),
        };
        if let Some(builtin) = builtin(source.decoration_word(id, Decoration::BuiltIn)) {
            walk.builtin(builtin, ty)?;
        } else {
            let location = source.decoration_word(id, Decoration::Location);
            let component = source.decoration_word(id, Decoration::Component).unwrap_or(0);
            walk.located(ty, location.unwrap_or(0), component, interpolation)?;
        }
        Ok(walk.out)
    }
}

struct IoWalk<'a> {
    entry: &'a EntryPoint,
    index: u32,
    out: Vec<IoComponent>,
}

impl IoWalk<'_> {
    fn builtin(&mut self, builtin: BuiltIn, ty: TypeId) -> Result<()> {
        let mut leaves = Vec::new();
        self.entry.types.leaves(ty, &mut leaves)?;
        for (n, leaf) in (0..).zip(leaves) {
            self.out.push(IoComponent {
                slot: OutputSlot::BuiltIn(builtin, n),
                leaf,
                interpolation: Interpolation::default(),
            });
        }
        Ok(())
    }

    /// Appends the components of a value at a location; gives the location after it.
    fn located(&mut self, ty: TypeId, location: u32, component: u32, mode: Interpolation) -> Result<u32> {
        if location > MAX_LOCATION {
            return Err(SpirvError::TooLarge("a location"));
        }
        let types = &self.entry.types;
        match types.get(ty) {
            Type::Scalar(leaf) | Type::Vector(leaf, _) => {
                // Of 64 bits two fit into a location.
                let words = leaf.bits().div_ceil(32);
                let component = component & 3 & !(words - 1);
                for n in (0..types.comps(ty)).map(|n| component + n * words) {
                    let slot = OutputSlot::Location {
                        location: if words == 2 { location + n / 4 } else { location },
                        component: n & 3,
                        index: self.index,
                    };
                    self.out.push(IoComponent {
                        slot,
                        leaf: *leaf,
                        interpolation: mode,
                    });
                }
                Ok(location + (types.comps(ty) * words).div_ceil(4).max(1))
            }
            Type::Matrix(elem, n) | Type::Array(elem, n, _) => {
                let mut next = location;
                for _ in 0..*n {
                    next = self.located(*elem, next, component, mode)?;
                }
                Ok(next)
            }
            Type::Struct(id, members) => self.structure(*id, members, location, mode),
            _ => Err(SpirvError::unsupported("an input or output of this type")),
        }
    }

    fn structure(
        &mut self,
        id: u32,
        members: &[super::types::Member],
        location: u32,
        mode: Interpolation,
    ) -> Result<u32> {
        let source = &self.entry.source;
        let mut next = location;
        for (i, member) in (0u32..).zip(members) {
            let has = |kind| source.member_decoration(id, i, kind).is_some();
            if let Some(builtin) = builtin(source.member_word(id, i, Decoration::BuiltIn)) {
                self.builtin(builtin, member.ty)?;
                continue;
            }
            let member_mode = Interpolation {
                flat: mode.flat || has(Decoration::Flat),
                no_perspective: mode.no_perspective || has(Decoration::NoPerspective),
                centroid: mode.centroid || has(Decoration::Centroid),
                sample: mode.sample || has(Decoration::Sample),
            };
            next = source.member_word(id, i, Decoration::Location).unwrap_or(next);
            let component = source.member_word(id, i, Decoration::Component).unwrap_or(0);
            next = self.located(member.ty, next, component, member_mode)?;
        }
        Ok(next)
    }
}

fn is_type(op: Op) -> bool {
    let other = matches!(
        op,
        Op::Label | Op::String | Op::ExtInstImport | Op::DecorationGroup
    );
    op == Op::TypeForwardPointer || super::parse::result_word(op) == Some(1) && !other
}

/// Whether an operation is an atomic one that gives a result.
pub(super) fn is_atomic(op: Op) -> bool {
    use Op::*;
    matches!(
        op,
        AtomicLoad
            | AtomicExchange
            | AtomicCompareExchange
            | AtomicCompareExchangeWeak
            | AtomicIIncrement
            | AtomicIDecrement
            | AtomicIAdd
            | AtomicISub
            | AtomicSMin
            | AtomicUMin
            | AtomicSMax
            | AtomicUMax
            | AtomicAnd
            | AtomicOr
            | AtomicXor
            | AtomicFAddEXT
            | AtomicFMinEXT
            | AtomicFMaxEXT
    )
}

fn is_constant(op: Op) -> bool {
    use Op::*;
    matches!(
        op,
        ConstantTrue
            | ConstantFalse
            | Constant
            | ConstantComposite
            | ConstantNull
            | SpecConstantTrue
            | SpecConstantFalse
            | SpecConstant
            | SpecConstantComposite
            | SpecConstantOp
            | CONSTANT_DATA
            | SPEC_CONSTANT_DATA
            | ConstantSizeOfEXT
    )
}

fn is_device_memory(class: Option<StorageClass>) -> bool {
    use StorageClass::*;
    matches!(
        class,
        Some(Uniform | StorageBuffer | PhysicalStorageBuffer | Image)
    )
}

/// Ids of an instruction that may name a variable.
pub(super) fn pointer_operands<'a>(inst: &Inst<'a>) -> &'a [u32] {
    match inst.op {
        Op::Load | Op::CopyObject | Op::ImageTexelPointer | Op::ArrayLength => {
            &inst.rest(3)[..inst.rest(3).len().min(1)]
        }
        Op::BufferPointerEXT => &inst.rest(3)[..inst.rest(3).len().min(1)],
        Op::UntypedArrayLengthKHR | Op::UntypedImageTexelPointerEXT => {
            &inst.rest(4)[..inst.rest(4).len().min(1)]
        }
        Op::UntypedAccessChainKHR
        | Op::UntypedInBoundsAccessChainKHR
        | Op::UntypedPtrAccessChainKHR
        | Op::UntypedInBoundsPtrAccessChainKHR => inst.rest(4),
        Op::Store | Op::AtomicStore => &inst.rest(1)[..inst.rest(1).len().min(1)],
        Op::CopyMemory | Op::CopyMemorySized => &inst.rest(1)[..inst.rest(1).len().min(2)],
        Op::AccessChain
        | Op::InBoundsAccessChain
        | Op::PtrAccessChain
        | Op::InBoundsPtrAccessChain
        | Op::FunctionCall
        | Op::Select
        | Op::Phi => inst.rest(3),
        Op::ExtInst => inst.rest(5),
        op if is_atomic(op) => &inst.rest(3)[..inst.rest(3).len().min(1)],
        _ => &[],
    }
}

/// The heap that a variable is the beginning of.
pub(super) fn heap_of(source: &Source, id: u32) -> Option<u32> {
    match builtin(source.decoration_word(id, Decoration::BuiltIn)) {
        Some(BuiltIn::ResourceHeapEXT) => Some(heap::RESOURCE_HEAP),
        Some(BuiltIn::SamplerHeapEXT) => Some(heap::SAMPLER_HEAP),
        _ => None,
    }
}

/// How a shared variable lies in memory.
pub(super) fn shared_rule(source: &Source, types: &Types, ty: TypeId) -> Rule {
    match types.get(ty) {
        Type::Struct(id, _) if source.decoration(*id, Decoration::Block).is_some() => Rule::Explicit,
        _ => Rule::Packed,
    }
}

fn descriptor_kind(source: &Source, types: &Types, class: StorageClass, ty: TypeId) -> Option<Descriptor> {
    use ::spirv::Dim;
    match (class, types.get(ty)) {
        (StorageClass::StorageBuffer, Type::Struct(..)) => Some(Descriptor::StorageBuffer),
        (StorageClass::Uniform, Type::Struct(id, _)) => {
            let old_storage = source.decoration(*id, Decoration::BufferBlock).is_some();
            Some(if old_storage {
                Descriptor::StorageBuffer
            } else {
                Descriptor::UniformBuffer
            })
        }
        (StorageClass::UniformConstant, Type::Sampler) => Some(Descriptor::Sampler),
        (StorageClass::UniformConstant, Type::SampledImage(image)) => match types.get(*image) {
            Type::Image(image) if image.dim == Dim::DimBuffer => Some(Descriptor::UniformTexelBuffer),
            _ => Some(Descriptor::CombinedImageSampler),
        },
        (StorageClass::UniformConstant, Type::Image(image)) => Some(match (image.dim, image.sampled) {
            (Dim::DimSubpassData, _) => Descriptor::InputAttachment,
            (Dim::DimBuffer, 2) => Descriptor::StorageTexelBuffer,
            (Dim::DimBuffer, _) => Descriptor::UniformTexelBuffer,
            (_, 2) => Descriptor::StorageImage,
            _ => Descriptor::SampledImage,
        }),
        _ => None,
    }
}
