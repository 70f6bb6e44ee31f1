//! Images: loading handles, sampling, texel access, queries.

use super::pointer::{Base, Pointer};
use super::value::{Scalar, Val};
use super::{Id, Translator};
use crate::descriptor::ImageDescriptor;
use crate::shader::ir::{Type as IrType, Value};
use crate::shader::sampling::{self, Dim, Env, OpKind, SampleArgs, TexelArgs, Vectors};
use crate::shader::spirv::SpirvError;
use crate::shader::spirv::error::Result;
use crate::shader::spirv::parse::Inst;
use crate::shader::spirv::types::{ImageType, Leaf, Type};
use crate::vk;
use ::spirv::{Dim as SpirvDim, ImageOperands, Op};
use smallvec::smallvec;
use std::rc::Rc;

/// Where a descriptor is found.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Source {
    /// A resource variable.
    Variable(u32),
    /// The heap that is bound as this set, and bytes from its start.
    Heap(u32, u32),
}

/// A descriptor: the element of a variable's array, or bytes that are added in the heap.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct ResourceRef {
    pub(super) source: Source,
    pub(super) element: Option<Scalar>,
}

/// A loaded image, sampler or both.
#[derive(Clone, Copy, Debug)]
pub(super) struct Handle {
    pub(super) image: Option<(ResourceRef, ImageType)>,
    pub(super) sampler: Option<ResourceRef>,
}

/// What an `OpImageTexelPointer` points at.
#[derive(Clone, Debug)]
pub(super) struct Texel {
    pub(super) handle: Handle,
    coords: Val,
    sample: Value,
}

/// The optional operands of an image instruction.
#[derive(Default)]
struct Extra {
    bias: Option<u32>,
    lod: Option<u32>,
    grad: Option<(u32, u32)>,
    offset: Option<u32>,
    offsets: Option<u32>,
    sample: Option<u32>,
    min_lod: Option<u32>,
}

impl Extra {
    fn read(words: &[u32]) -> Result<Extra> {
        let mut extra = Extra::default();
        let Some((&mask, words)) = words.split_first() else {
            return Ok(extra);
        };
        let mut words = words.iter().copied();
        let mut next = || words.next().ok_or(SpirvError::Malformed(0));
        let mask = ImageOperands::from_bits(mask).ok_or_else(|| SpirvError::unsupported("image operand"))?;
        for bit in mask.iter() {
            match bit {
                ImageOperands::BIAS => extra.bias = Some(next()?),
                ImageOperands::LOD => extra.lod = Some(next()?),
                ImageOperands::GRAD => extra.grad = Some((next()?, next()?)),
                ImageOperands::CONST_OFFSET | ImageOperands::OFFSET => extra.offset = Some(next()?),
                ImageOperands::CONST_OFFSETS => extra.offsets = Some(next()?),
                ImageOperands::SAMPLE => extra.sample = Some(next()?),
                ImageOperands::MIN_LOD => extra.min_lod = Some(next()?),
                ImageOperands::MAKE_TEXEL_AVAILABLE | ImageOperands::MAKE_TEXEL_VISIBLE => {
                    next()?;
                }
                ImageOperands::OFFSETS => return Err(SpirvError::unsupported("image offsets")),
                _ => {}
            }
        }
        Ok(extra)
    }
}

/// The form of a sampling instruction: kind, projective, with reference depth.
const SAMPLES: &[(Op, bool, bool)] = &[
    (Op::ImageSampleImplicitLod, false, false),
    (Op::ImageSampleExplicitLod, false, false),
    (Op::ImageSampleDrefImplicitLod, false, true),
    (Op::ImageSampleDrefExplicitLod, false, true),
    (Op::ImageSampleProjImplicitLod, true, false),
    (Op::ImageSampleProjExplicitLod, true, false),
    (Op::ImageSampleProjDrefImplicitLod, true, true),
    (Op::ImageSampleProjDrefExplicitLod, true, true),
];

impl Translator<'_, '_> {
    /// `OpLoad` of an image or sampler.
    pub(super) fn load_handle(&mut self, pointer: &Pointer) -> Result<Handle> {
        let (source, element) = match pointer.base {
            Base::Resource(var, element) => (Source::Variable(var), element),
            Base::Heap(set) => (Source::Heap(set, pointer.disp), pointer.offset),
            _ => {
                return Err(SpirvError::unsupported(
                    "an image that is not in a descriptor set",
                ));
            }
        };
        let resource = ResourceRef { source, element };
        Ok(match *self.types.get(pointer.ty) {
            Type::Image(image) => Handle {
                image: Some((resource, image)),
                sampler: None,
            },
            Type::Sampler => Handle {
                image: None,
                sampler: Some(resource),
            },
            Type::SampledImage(image) => match *self.types.get(image) {
                Type::Image(image) => Handle {
                    image: Some((resource, image)),
                    sampler: Some(resource),
                },
                _ => return Err(SpirvError::WrongType(0)),
            },
            _ => return Err(SpirvError::WrongType(0)),
        })
    }

    fn handle(&mut self, id: u32) -> Result<Handle> {
        if !self.ids.contains_key(&id) {
            self.repeat_definition(id)?;
        }
        match self.ids.get(&id) {
            Some(Id::Handle(handle)) => Ok(*handle),
            Some(_) => Err(SpirvError::WrongType(id)),
            None => Err(SpirvError::UnknownId(id)),
        }
    }

    fn image_handle(&mut self, id: u32) -> Result<(Handle, ImageType)> {
        let handle = self.handle(id)?;
        let (_, image) = handle.image.ok_or(SpirvError::WrongType(id))?;
        Ok((handle, image))
    }

    /// Emits one of the image instructions.
    pub(super) fn image_inst(&mut self, inst: &Inst) -> Result<()> {
        match inst.op {
            Op::SampledImage => {
                let (image, sampler) = (self.handle(inst.word(3)?)?, self.handle(inst.word(4)?)?);
                let handle = Handle {
                    image: image.image,
                    sampler: sampler.sampler,
                };
                self.define_id(inst.word(2)?, Id::Handle(handle));
                Ok(())
            }
            Op::Image => {
                let handle = Handle {
                    sampler: None,
                    ..self.handle(inst.word(3)?)?
                };
                self.define_id(inst.word(2)?, Id::Handle(handle));
                Ok(())
            }
            Op::ImageGather | Op::ImageDrefGather => self.gather(inst),
            Op::ImageFetch => self.fetch(inst),
            Op::ImageRead => self.image_read(inst),
            Op::ImageWrite => self.image_write(inst),
            Op::ImageTexelPointer | Op::UntypedImageTexelPointerEXT => self.texel_pointer(inst),
            Op::ImageQuerySizeLod | Op::ImageQuerySize | Op::ImageQueryLevels | Op::ImageQuerySamples => {
                self.query(inst)
            }
            Op::ImageQueryLod => self.query_lod(inst),
            op => match SAMPLES.iter().find(|row| row.0 == op) {
                Some(&(_, projective, dref)) => self.sample(inst, projective, dref),
                None => Err(SpirvError::unsupported(format!("{op:?}"))),
            },
        }
    }

    /// Components of a 32-bit vector operand as `V`s.
    fn vector(&mut self, id: u32) -> Result<Vectors> {
        match self.leaf_of_id(id)? {
            Leaf::Bool | Leaf::Address | Leaf::Int(64, _) | Leaf::Float(64) => Err(SpirvError::WrongType(id)),
            _ => {
                let value = self.value(id)?;
                Ok(value.iter().map(|&s| self.as_v(s)).collect())
            }
        }
    }

    fn optional(&mut self, id: Option<u32>) -> Result<Option<Value>> {
        match id {
            None => Ok(None),
            Some(id) => Ok(self.vector(id)?.first().copied()),
        }
    }

    /// Arguments of sampling, from the coordinate operand on.
    fn sample_args(
        &mut self,
        kind: OpKind,
        image: ImageType,
        coord: u32,
        dref: Option<u32>,
        projective: bool,
        extra: &Extra,
    ) -> Result<SampleArgs> {
        let dim = dim_of(image)?;
        let count = dim.coords();
        let mut vector = self.vector(coord)?;
        let mut dref = self.optional(dref)?;
        if vector.len() < count + usize::from(image.arrayed) + usize::from(projective) {
            return Err(SpirvError::WrongType(coord));
        }
        if projective {
            let q = vector[count];
            for value in vector.iter_mut().take(count) {
                *value = self.b.fdiv(*value, q);
            }
            dref = dref.map(|dref| self.b.fdiv(dref, q));
        }
        let exec = self.exec();
        let mut args = SampleArgs::new(kind, dim, &vector[..count], exec);
        args.layer = image.arrayed.then(|| vector[count]);
        args.dref = dref;
        args.lod = match kind {
            OpKind::Implicit => self.optional(extra.bias)?,
            _ => self.optional(extra.lod)?,
        };
        if let Some((x, y)) = extra.grad {
            args.grad = Some((self.vector(x)?, self.vector(y)?));
        }
        if let Some(offset) = extra.offset {
            args.offset = Some(self.vector(offset)?);
        }
        if let Some(id) = extra.offsets {
            args.offsets = Some(self.four_offsets(id)?);
        }
        args.min_lod = self.optional(extra.min_lod)?;
        Ok(args)
    }

    fn four_offsets(&mut self, id: u32) -> Result<[[Value; 2]; 4]> {
        let value = self.value(id)?;
        if value.len() != 8
            || value
                .iter()
                .any(|&s| !matches!(self.b.func.ty(s.lo), IrType::S32 | IrType::V))
        {
            return Err(SpirvError::WrongType(id));
        }
        let vectors: Vec<Value> = value.iter().map(|&s| self.as_v(s)).collect();
        Ok(std::array::from_fn(|i| [vectors[2 * i], vectors[2 * i + 1]]))
    }

    fn sample(&mut self, inst: &Inst, projective: bool, dref: bool) -> Result<()> {
        let (handle, image) = self.image_handle(inst.word(3)?)?;
        let extra = Extra::read(inst.rest(if dref { 6 } else { 5 }))?;
        let kind = match (extra.lod, extra.grad) {
            (Some(_), _) => OpKind::Lod,
            (None, Some(_)) => OpKind::Grad,
            // Without derivatives the level is 0.
            (None, None) if self.entry.stage != vk::ShaderStageFlags::FRAGMENT => OpKind::Lod,
            _ => OpKind::Implicit,
        };
        let dref = if dref { Some(inst.word(5)?) } else { None };
        let args = self.sample_args(kind, image, inst.word(4)?, dref, projective, &extra)?;
        let result = self.sampled(handle, &args)?;
        self.define_texel(inst, &result)
    }

    fn gather(&mut self, inst: &Inst) -> Result<()> {
        let (handle, image) = self.image_handle(inst.word(3)?)?;
        let extra = Extra::read(inst.rest(6))?;
        let dref = if inst.op == Op::ImageDrefGather {
            Some(inst.word(5)?)
        } else {
            None
        };
        let mut args = self.sample_args(OpKind::Gather, image, inst.word(4)?, dref, false, &extra)?;
        if dref.is_none() {
            args.component = (self.constants.word(inst.word(5)?)? & 3) as u8;
        }
        let result = self.sampled(handle, &args)?;
        self.define_texel(inst, &result)
    }

    fn query_lod(&mut self, inst: &Inst) -> Result<()> {
        let (handle, mut image) = self.image_handle(inst.word(3)?)?;
        image.arrayed = false;
        let args = self.sample_args(
            OpKind::QueryLod,
            image,
            inst.word(4)?,
            None,
            false,
            &Extra::default(),
        )?;
        let site = self.next_site();
        let ctx = self.start.ctx;
        let result = self.each_resource(handle, args.mask, 2, |t, image, sampler, mask| {
            let args = SampleArgs { mask, ..args.clone() };
            let env = Env { ctx, site };
            sampling::emit_query_lod(t.b, env, image, sampler, &args)
                .into_iter()
                .collect()
        })?;
        self.define_texel(inst, &result)
    }

    fn sampled(&mut self, handle: Handle, args: &SampleArgs) -> Result<Vectors> {
        if handle.sampler.is_none() {
            return Err(SpirvError::WrongType(0));
        }
        let site = self.next_site();
        let ctx = self.start.ctx;
        self.each_resource(handle, args.mask, 4, |t, image, sampler, mask| {
            let args = SampleArgs { mask, ..args.clone() };
            sampling::emit_sample(t.b, Env { ctx, site }, image, sampler, &args)
                .into_iter()
                .collect()
        })
    }

    fn next_site(&mut self) -> u32 {
        self.sites += 1;
        self.sites - 1
    }

    /// Defines a result from the first components of a texel.
    fn define_texel(&mut self, inst: &Inst, texel: &[Value]) -> Result<()> {
        let ty = self.result_type(inst)?;
        let leaf = self.types.leaf(ty).ok_or(SpirvError::WrongType(inst.word(2)?))?;
        let mut value = Val::new();
        for &v in texel.iter().take(self.types.comps(ty) as usize) {
            value.push(match leaf {
                Leaf::Float(_) => self.round_half(v, leaf).into(),
                _ => self.normalize(v.into(), leaf),
            });
        }
        self.define(inst, value)
    }

    /// Arguments of an access by integers.
    fn texel_args(
        &mut self,
        image: ImageType,
        coord: &[Value],
        sample: Option<Value>,
        mask: Value,
    ) -> Result<TexelArgs> {
        let dim = dim_of(image)?;
        let count = dim.texel_coords();
        let layered = image.arrayed || dim == Dim::Cube;
        if coord.len() < count + usize::from(layered) {
            return Err(SpirvError::WrongType(0));
        }
        Ok(TexelArgs {
            dim,
            coords: coord[..count].into(),
            layer: layered.then(|| coord[count]),
            sample: sample.filter(|_| image.multisampled),
            lod: None,
            mask,
        })
    }

    fn fetch(&mut self, inst: &Inst) -> Result<()> {
        let (handle, image) = self.image_handle(inst.word(3)?)?;
        let mut coord = self.vector(inst.word(4)?)?;
        let extra = Extra::read(inst.rest(5))?;
        let mask = self.exec();
        if image.dim == SpirvDim::DimBuffer {
            let index = coord[0];
            return self.buffer_read(inst, handle, image, index, mask);
        }
        if let Some(offset) = extra.offset {
            let offset = self.vector(offset)?;
            for (value, by) in coord.iter_mut().zip(offset) {
                *value = self.b.vadd(*value, by);
            }
        }
        let sample = self.optional(extra.sample)?;
        let mut args = self.texel_args(image, &coord, sample, mask)?;
        args.lod = self.optional(extra.lod)?;
        self.fetched(inst, handle, &args)
    }

    fn fetched(&mut self, inst: &Inst, handle: Handle, args: &TexelArgs) -> Result<()> {
        let (site, ctx) = (self.next_site(), self.start.ctx);
        let result = self.each_resource(handle, args.mask, 4, |t, image, _, mask| {
            let args = TexelArgs { mask, ..args.clone() };
            sampling::emit_fetch(t.b, Env { ctx, site }, image, &args)
                .into_iter()
                .collect()
        })?;
        self.define_texel(inst, &result)
    }

    fn buffer_read(
        &mut self,
        inst: &Inst,
        handle: Handle,
        image: ImageType,
        index: Value,
        mask: Value,
    ) -> Result<()> {
        let (site, ctx) = (self.next_site(), self.start.ctx);
        let format = format_of(image);
        let result = self.each_resource(handle, mask, 4, |t, buffer, _, mask| {
            let env = Env { ctx, site };
            sampling::emit_buffer_read(t.b, env, buffer, format, index, mask)
                .into_iter()
                .collect()
        })?;
        self.define_texel(inst, &result)
    }

    fn image_read(&mut self, inst: &Inst) -> Result<()> {
        let (handle, image) = self.image_handle(inst.word(3)?)?;
        let coord = self.vector(inst.word(4)?)?;
        let extra = Extra::read(inst.rest(5))?;
        let sample = self.optional(extra.sample)?;
        let mask = self.exec();
        if image.dim == SpirvDim::DimBuffer {
            return self.buffer_read(inst, handle, image, coord[0], mask);
        }
        if image.dim == SpirvDim::DimSubpassData {
            return self.subpass_read(inst, handle, &coord, sample, mask);
        }
        let args = self.texel_args(image, &coord, sample, mask)?;
        let (site, ctx) = (self.next_site(), self.start.ctx);
        let format = format_of(image);
        let result = self.each_resource(handle, mask, 4, |t, at, _, mask| {
            let args = TexelArgs { mask, ..args.clone() };
            let env = Env { ctx, site };
            sampling::emit_image_read(t.b, env, at, format, &args)
                .into_iter()
                .collect()
        })?;
        self.define_texel(inst, &result)
    }

    /// Reads an input attachment at the fragment's own place.
    fn subpass_read(
        &mut self,
        inst: &Inst,
        handle: Handle,
        offset: &[Value],
        sample: Option<Value>,
        mask: Value,
    ) -> Result<()> {
        let mut coords: Vectors = smallvec![];
        for n in 0..2 {
            let place = self.load_builtin(::spirv::BuiltIn::FragCoord, n, Leaf::Float(32))?;
            let place = self.b.ftoi(place.lo);
            let by = offset.get(n as usize).copied();
            coords.push(match by {
                Some(by) => self.b.vadd(place, by),
                None => place,
            });
        }
        let view = self.load_builtin(::spirv::BuiltIn::ViewIndex, 0, Leaf::Int(32, false))?;
        let args = TexelArgs {
            dim: Dim::D2,
            coords,
            layer: Some(self.as_v(view)),
            sample,
            lod: None,
            mask,
        };
        self.fetched(inst, handle, &args)
    }

    fn image_write(&mut self, inst: &Inst) -> Result<()> {
        let (handle, image) = self.image_handle(inst.word(1)?)?;
        let coord = self.vector(inst.word(2)?)?;
        let texel = self.vector(inst.word(3)?)?;
        let extra = Extra::read(inst.rest(4))?;
        let sample = self.optional(extra.sample)?;
        let zero = self.v32(0);
        let rgba: [Value; 4] = std::array::from_fn(|i| texel.get(i).copied().unwrap_or(zero));
        let mask = self.effective();
        let (site, ctx) = (self.next_site(), self.start.ctx);
        let format = format_of(image);
        if image.dim == SpirvDim::DimBuffer {
            let index = coord[0];
            self.each_resource(handle, mask, 0, |t, buffer, _, mask| {
                sampling::emit_buffer_write(t.b, Env { ctx, site }, buffer, format, index, rgba, mask);
                smallvec![]
            })?;
            return Ok(());
        }
        let args = self.texel_args(image, &coord, sample, mask)?;
        self.each_resource(handle, mask, 0, |t, at, _, mask| {
            let args = TexelArgs { mask, ..args.clone() };
            sampling::emit_image_write(t.b, Env { ctx, site }, at, format, &args, rgba);
            smallvec![]
        })?;
        Ok(())
    }

    fn texel_pointer(&mut self, inst: &Inst) -> Result<()> {
        // The untyped form says the image's type first.
        let at = if inst.op == Op::ImageTexelPointer { 3 } else { 4 };
        let pointer = if at == 3 {
            self.pointer(inst.word(3)?)?
        } else {
            self.pointer_to(inst.word(4)?, self.types.find(inst.word(3)?)?)?
        };
        let handle = self.load_handle(&pointer)?;
        let texel = handle
            .image
            .map(|(_, image)| image.texel)
            .ok_or(SpirvError::WrongType(inst.word(at)?))?;
        if texel.bits() != 32 {
            return Err(SpirvError::unsupported("image atomics of this size"));
        }
        let coords = self
            .vector(inst.word(at + 1)?)?
            .into_iter()
            .map(Scalar::from)
            .collect();
        let sample = self.vector(inst.word(at + 2)?)?[0];
        let (class, ty) = self.target_of(self.result_type(inst)?, inst.word(2)?)?;
        let base = Base::Texel(Rc::new(Texel {
            handle,
            coords,
            sample,
        }));
        self.define_id(inst.word(2)?, Id::Pointer(Pointer::new(base, class, ty)));
        Ok(())
    }

    /// An atomic on a texel.
    pub(super) fn texel_atomic(&mut self, texel: &Texel, atomic: sampling::Atomic) -> Result<Value> {
        let Some((_, image)) = texel.handle.image else {
            return Err(SpirvError::WrongType(0));
        };
        let mask = self.effective();
        let coord: Vec<Value> = texel.coords.iter().map(|s| s.lo).collect();
        if image.dim == SpirvDim::DimBuffer {
            let index = coord[0];
            let result = self.each_resource(texel.handle, mask, 1, |t, buffer, _, mask| {
                smallvec![sampling::emit_buffer_atomic(t.b, buffer, index, mask, atomic)]
            })?;
            return Ok(result[0]);
        }
        let args = self.texel_args(image, &coord, Some(texel.sample), mask)?;
        let result = self.each_resource(texel.handle, mask, 1, |t, at, _, mask| {
            let args = TexelArgs { mask, ..args.clone() };
            smallvec![sampling::emit_image_atomic(t.b, at, &args, atomic)]
        })?;
        Ok(result[0])
    }

    fn query(&mut self, inst: &Inst) -> Result<()> {
        let (handle, image) = self.image_handle(inst.word(3)?)?;
        let lod = match inst.op {
            Op::ImageQuerySizeLod => Some(self.vector(inst.word(4)?)?[0]),
            _ => None,
        };
        let buffer = image.dim == SpirvDim::DimBuffer;
        let dim = if buffer { Dim::D1 } else { dim_of(image)? };
        let count = match inst.op {
            Op::ImageQueryLevels | Op::ImageQuerySamples => 1,
            _ if buffer => 1,
            _ => dim.texel_coords() + usize::from(image.arrayed),
        };
        let mask = self.exec();
        let result = self.each_resource(handle, mask, count, |t, at, _, _| match inst.op {
            Op::ImageQueryLevels => smallvec![sampling::emit_query_levels(t.b, at)],
            Op::ImageQuerySamples => smallvec![sampling::emit_query_samples(t.b, at)],
            _ if buffer => smallvec![sampling::emit_query_buffer_size(t.b, at)],
            _ => sampling::emit_query_size(t.b, at, dim, image.arrayed, lod),
        })?;
        self.define_texel(inst, &result)
    }

    /// Emits an access for the descriptors of a handle: once where they are uniform, else in a loop over the
    /// different ones. `emit` is given their addresses and the lanes.
    fn each_resource(
        &mut self,
        handle: Handle,
        mask: Value,
        results: usize,
        mut emit: impl FnMut(&mut Self, Value, Value, Value) -> Vectors,
    ) -> Result<Vectors> {
        let (image, _) = handle.image.ok_or(SpirvError::WrongType(0))?;
        let mut varying: Vectors = smallvec![];
        for element in [Some(image), handle.sampler]
            .into_iter()
            .flatten()
            .filter_map(|r| r.element)
        {
            if self.is_varying(element) && !varying.contains(&element.lo) {
                varying.push(element.lo);
            }
        }
        if varying.is_empty() {
            let (at, sampler) = self.addresses(handle, &[])?;
            return Ok(emit(self, at, sampler, mask));
        }
        let zero = self.v32(0);
        let types: Vec<IrType> = [IrType::M]
            .into_iter()
            .chain((0..results).map(|_| IrType::V))
            .collect();
        let (head, params) = self.b.add_block(&types);
        let (body, _) = self.b.add_block(&[]);
        let (done, _) = self.b.add_block(&[]);
        let args: Vec<Value> = [mask].into_iter().chain((0..results).map(|_| zero)).collect();
        self.b.jump(head, &args);
        self.switch_to(head);
        let some = self.b.many(params[0]);
        self.b.branch(some, (body, &[]), (done, &[]));
        self.switch_to(body);
        let mark = self.mark();
        let mut lanes = params[0];
        let mut chosen = Vec::new();
        for &element in &varying {
            let first = self.b.vread_first(element, params[0]);
            let all = self.b.vsplat(first);
            let same = self.b.veq(element, all);
            lanes = self.b.mand(lanes, same);
            chosen.push((element, first));
        }
        let (at, sampler) = self.addresses(handle, &chosen)?;
        let values = emit(self, at, sampler, lanes);
        let rest = self.b.mandnot(params[0], lanes);
        let mut args = vec![rest];
        for (i, &old) in params[1..].iter().enumerate() {
            args.push(self.b.vselect(lanes, values[i], old));
        }
        self.b.jump(head, &args);
        self.forget(mark);
        self.switch_to(done);
        Ok(params[1..].into())
    }

    /// Addresses of the image's and the sampler's descriptors, with what stands for varying elements.
    fn addresses(&mut self, handle: Handle, chosen: &[(Value, Value)]) -> Result<(Value, Value)> {
        let address = |t: &mut Self, resource: ResourceRef, sampler: bool| -> Result<Value> {
            let element = resource.element.map(|element| {
                let choice = chosen.iter().find(|(varying, _)| *varying == element.lo);
                choice.map_or(element, |choice| choice.1.into())
            });
            let var = match resource.source {
                Source::Heap(set, disp) => return Ok(t.heap_address(set, disp, element)),
                Source::Variable(var) if t.layout.heap.is_some() => {
                    return t.mapped_address(var, element, sampler);
                }
                Source::Variable(var) => var,
            };
            let (set, layout) = t.binding(var)?;
            let set = t.set_address(set);
            let at = t.element_address(set, &layout, element);
            // One variable for both is a combined image sampler, also where the layout leaves the type open.
            let is_combined = match layout.ty {
                vk::DescriptorType::MUTABLE_EXT => {
                    handle.image.is_some_and(|i| i.0.source == resource.source)
                }
                ty => ty == vk::DescriptorType::COMBINED_IMAGE_SAMPLER,
            };
            if sampler && is_combined {
                return Ok(t.b.ladd_imm(at, size_of::<ImageDescriptor>() as i64));
            }
            Ok(at)
        };
        let (image, _) = handle.image.ok_or(SpirvError::WrongType(0))?;
        let at = address(self, image, false)?;
        let sampler = match handle.sampler {
            Some(sampler) => address(self, sampler, true)?,
            None => at,
        };
        Ok((at, sampler))
    }
}

fn dim_of(image: ImageType) -> Result<Dim> {
    Ok(match image.dim {
        SpirvDim::Dim1D => Dim::D1,
        SpirvDim::Dim2D | SpirvDim::DimRect | SpirvDim::DimSubpassData => Dim::D2,
        SpirvDim::Dim3D => Dim::D3,
        SpirvDim::DimCube => Dim::Cube,
        _ => return Err(SpirvError::unsupported("an image of this dimension here")),
    })
}

/// The Vulkan format of a storage image that declares one.
fn format_of(image: ImageType) -> Option<&'static crate::resource::format::Format> {
    if image.sampled != 2 {
        return None;
    }
    let format = FORMATS.iter().find(|row| row.0 == image.format)?.1;
    crate::resource::format::Format::of(format)
}

/// SPIR-V image formats and Vulkan's.
const FORMATS: &[(u32, vk::Format)] = &[
    (1, vk::Format::R32G32B32A32_SFLOAT),
    (2, vk::Format::R16G16B16A16_SFLOAT),
    (3, vk::Format::R32_SFLOAT),
    (4, vk::Format::R8G8B8A8_UNORM),
    (5, vk::Format::R8G8B8A8_SNORM),
    (6, vk::Format::R32G32_SFLOAT),
    (7, vk::Format::R16G16_SFLOAT),
    (8, vk::Format::B10G11R11_UFLOAT_PACK32),
    (9, vk::Format::R16_SFLOAT),
    (10, vk::Format::R16G16B16A16_UNORM),
    (11, vk::Format::A2B10G10R10_UNORM_PACK32),
    (12, vk::Format::R16G16_UNORM),
    (13, vk::Format::R8G8_UNORM),
    (14, vk::Format::R16_UNORM),
    (15, vk::Format::R8_UNORM),
    (16, vk::Format::R16G16B16A16_SNORM),
    (17, vk::Format::R16G16_SNORM),
    (18, vk::Format::R8G8_SNORM),
    (19, vk::Format::R16_SNORM),
    (20, vk::Format::R8_SNORM),
    (21, vk::Format::R32G32B32A32_SINT),
    (22, vk::Format::R16G16B16A16_SINT),
    (23, vk::Format::R8G8B8A8_SINT),
    (24, vk::Format::R32_SINT),
    (25, vk::Format::R32G32_SINT),
    (26, vk::Format::R16G16_SINT),
    (27, vk::Format::R8G8_SINT),
    (28, vk::Format::R16_SINT),
    (29, vk::Format::R8_SINT),
    (30, vk::Format::R32G32B32A32_UINT),
    (31, vk::Format::R16G16B16A16_UINT),
    (32, vk::Format::R8G8B8A8_UINT),
    (33, vk::Format::R32_UINT),
    (34, vk::Format::A2B10G10R10_UINT_PACK32),
    (35, vk::Format::R32G32_UINT),
    (36, vk::Format::R16G16_UINT),
    (37, vk::Format::R8G8_UINT),
    (38, vk::Format::R16_UINT),
    (39, vk::Format::R8_UINT),
];
