//! Images in memory for tests, laid out as descriptors say, and a way to run image operations on them.

use super::codec::Random;
use super::reference::{self, Scalar};
use crate::descriptor::{ImageDescriptor, KIND_MARK, SamplerDescriptor};
use crate::resource::format::{Format, Kind};
use crate::shader::abi::{CALL_FRAME_BYTES, Context, ROUTINE_SLOTS, RoutineSlot};
use crate::shader::ir::{BlockId, Builder, Func, Type, Value};
use crate::shader::kernel::{Backend, Kernel, compile};
use crate::shader::sampling::block::decompress;
use crate::shader::sampling::{Dim, Env, RoutineCache};
use crate::vk;

pub(super) const WIDTH: usize = 8;
/// Identity component mapping.
pub(super) const IDENTITY: [u8; 4] = [2, 3, 4, 5];

pub(super) struct TestImage {
    pub(super) format: &'static Format,
    pub(super) dim: Dim,
    pub(super) size: [u32; 3],
    pub(super) layers: u32,
    pub(super) levels: u32,
    pub(super) samples: u32,
    offsets: Vec<usize>,
    layer_pitch: usize,
    sample_pitch: usize,
    memory: Vec<u128>,
}

impl TestImage {
    pub(super) fn new(
        format: vk::Format,
        dim: Dim,
        size: [u32; 3],
        layers: u32,
        levels: u32,
        samples: u32,
    ) -> TestImage {
        let format = Format::of(format).unwrap();
        let mut image = TestImage {
            format,
            dim,
            size,
            layers,
            levels,
            samples,
            offsets: vec![],
            layer_pitch: 0,
            sample_pitch: 0,
            memory: vec![],
        };
        let mut end = 0;
        for level in 0..levels {
            image.offsets.push(end);
            // From level 6 on, levels have slots of the size of level 6.
            end += image.level_bytes(level.min(6));
        }
        image.layer_pitch = end;
        image.sample_pitch = end * layers as usize;
        let mut random = Random(u64::from(size[0] * 31 + layers) + 5);
        image.memory = vec![0; image.sample_pitch * samples as usize / 16 + 1];
        let float = format.kind == Kind::Sfloat && !format.is_compressed();
        for word in &mut image.memory {
            for part in 0..4 {
                // Floats stay moderate, so that interpolation has something to say.
                let value = random.next();
                let value = if float {
                    (value as f32 / 4e9).to_bits()
                } else {
                    value
                };
                *word |= u128::from(value) << (32 * part);
            }
        }
        image
    }

    pub(super) fn level_size(&self, level: u32) -> [u32; 3] {
        self.size.map(|size| (size >> level).max(1))
    }

    fn row(&self, level: u32) -> usize {
        let blocks = self.level_size(level)[0].div_ceil(u32::from(self.format.block.0));
        (blocks as usize * usize::from(self.format.bytes)).next_multiple_of(self.row_unit())
    }

    /// What rows are rounded up to; in some images more, as sparse ones have it.
    fn row_unit(&self) -> usize {
        if self.size[0] % 2 == 1 { 256 } else { 16 }
    }

    /// Rows of blocks of a slice.
    fn rows(&self, level: u32) -> u32 {
        self.level_size(level)[1].div_ceil(u32::from(self.format.block.1))
    }

    fn level_bytes(&self, level: u32) -> usize {
        self.row(level) * (self.rows(level) * self.level_size(level)[2]) as usize
    }

    pub(super) fn descriptor(&self, swizzle: [u8; 4]) -> ImageDescriptor {
        let mut kind = KIND_MARK | u64::from(self.format.number());
        for (index, entry) in (0..).zip(swizzle) {
            kind |= u64::from(entry) << (32 + 3 * index);
        }
        kind |= u64::from(self.samples.trailing_zeros()) << 44;
        let mut mip_offsets = [0; 6];
        for (slot, &offset) in mip_offsets.iter_mut().zip(self.offsets.iter().skip(1)) {
            *slot = (offset / 16) as u32;
        }
        ImageDescriptor {
            address: self.memory.as_ptr() as u64,
            kind,
            width: self.size[0] as u16,
            height: self.size[1] as u16,
            depth: self.size[2] as u16,
            layers: self.layers as u16,
            levels: self.levels as u16,
            row_padding: (self.row_unit() as u16 - 16) | self.format.bytes.ilog2() as u16,
            layer_pitch: (self.layer_pitch / 16) as u32,
            sample_pitch: (self.sample_pitch / 16) as u32,
            tail_pitch: (self.level_bytes(6) / 16) as u32,
            mip_offsets,
            ..ImageDescriptor::default()
        }
    }

    /// A texel; `layer` counts faces.
    pub(super) fn texel(&self, level: u32, layer: u32, sample: u32, [x, y, z]: [u32; 3]) -> [Scalar; 4] {
        let [bw, bh] = [self.format.block.0, self.format.block.1].map(u32::from);
        let bytes = usize::from(self.format.bytes);
        let at = self.offsets[level as usize]
            + self.layer_pitch * layer as usize
            + self.sample_pitch * sample as usize
            + self.row(level) * (y / bh + z * self.rows(level)) as usize
            + (x / bw) as usize * bytes;
        let memory: &[u8] = bytemuck::cast_slice(&self.memory);
        let mut texel = [0; 16];
        texel[..bytes].copy_from_slice(&memory[at..at + bytes]);
        if self.format.is_compressed() {
            let words = bytemuck::cast(texel);
            let mut texels = [[0; 2]; 144];
            decompress(self.format, words, &mut texels);
            let [low, high] = texels[(x % bw + y % bh * bw) as usize];
            return reference::unpack(self.format, u128::from(low) | u128::from(high) << 32);
        }
        reference::unpack(self.format, u128::from_le_bytes(texel))
    }
}

/// Most lanes of a wave.
const LANES: usize = 16;

/// Descriptors and arguments of one wave. Waves of sixteen lanes get every argument twice.
#[repr(C, align(64))]
struct Arg {
    image: ImageDescriptor,
    sampler: SamplerDescriptor,
    inputs: [[u32; LANES]; 24],
    outputs: [[u32; LANES]; 4],
}

struct Compiled {
    kernel: Kernel,
    cache: RoutineCache,
    backend: Backend,
}

/// A kernel with an image operation in it, ready to run on waves of arguments.
pub(super) struct Harness {
    compiled: Vec<Compiled>,
    inputs: usize,
}

/// Builds the code under test: given the image's and sampler's addresses, the inputs and a full mask.
pub(super) trait Emit: Fn(&mut Builder<'_>, Env, Value, Value, &[Value], Value) -> Vec<Value> {}
impl<F: Fn(&mut Builder<'_>, Env, Value, Value, &[Value], Value) -> Vec<Value>> Emit for F {}

/// The back ends of this machine.
pub(super) fn backends() -> Vec<Backend> {
    let mut all = vec![Backend::Interpreter, Backend::Avx2, Backend::Avx512];
    all.retain(|backend| backend.is_supported());
    all
}

impl Harness {
    /// Runs on every back end, and expects the same of all: for code without side effects.
    pub(super) fn new(inputs: usize, emit: impl Emit) -> Harness {
        Harness::on(&backends(), inputs, emit)
    }

    /// Runs on the interpreter.
    pub(super) fn once(inputs: usize, emit: impl Emit) -> Harness {
        Harness::on(&[Backend::Interpreter], inputs, emit)
    }

    fn on(backends: &[Backend], inputs: usize, emit: impl Emit) -> Harness {
        let compiled = backends
            .iter()
            .map(|&backend| Compiled {
                kernel: compile(Harness::function(backend, inputs, &emit), backend).unwrap(),
                cache: RoutineCache::new(backend),
                backend,
            })
            .collect();
        Harness { compiled, inputs }
    }

    fn function(backend: Backend, inputs: usize, emit: &impl Emit) -> Func {
        let mut func = Func::new("test", backend.width(), &[Type::S64, Type::S64]);
        let (ctx, arg) = (func.blocks[0].params[0], func.blocks[0].params[1]);
        let mut b = Builder::new(&mut func, BlockId(0));
        let at = |offset: usize| offset as i64;
        let image = b.ladd_imm(arg, at(std::mem::offset_of!(Arg, image)));
        let sampler = b.ladd_imm(arg, at(std::mem::offset_of!(Arg, sampler)));
        let base = at(std::mem::offset_of!(Arg, inputs));
        let values: Vec<Value> = (0..inputs).map(|i| b.vload(arg, base + at(i * 64))).collect();
        let mask = b.mconst(1);
        let results = emit(&mut b, Env { ctx, site: 3 }, image, sampler, &values, mask);
        let base = at(std::mem::offset_of!(Arg, outputs));
        for (index, result) in results.into_iter().enumerate() {
            b.vstore(arg, result, base + at(index * 64));
        }
        let zero = b.sconst(0);
        b.ret(zero);
        func
    }

    pub(super) fn run(
        &self,
        image: ImageDescriptor,
        sampler: SamplerDescriptor,
        inputs: &[[u32; WIDTH]],
    ) -> [[u32; WIDTH]; 4] {
        assert_eq!(inputs.len(), self.inputs);
        let mut first = None;
        for compiled in &self.compiled {
            let out = compiled.run(image, sampler, inputs);
            let want = *first.get_or_insert(out);
            assert_eq!(out, want, "{:?} is not as the interpreter", compiled.backend);
        }
        first.unwrap()
    }
}

impl Compiled {
    fn run(
        &self,
        image: ImageDescriptor,
        sampler: SamplerDescriptor,
        inputs: &[[u32; WIDTH]],
    ) -> [[u32; WIDTH]; 4] {
        let mut arg = Arg {
            image,
            sampler,
            inputs: [[0; LANES]; 24],
            outputs: [[0; LANES]; 4],
        };
        for (to, from) in arg.inputs.iter_mut().zip(inputs) {
            *to = std::array::from_fn(|lane| from[lane % WIDTH]);
        }
        let mut slots = [RoutineSlot::default(); ROUTINE_SLOTS];
        let mut frame = vec![CallFrame([0; CALL_FRAME_BYTES])];
        let mut ctx = Context {
            routines: slots.as_mut_ptr() as u64,
            call_frame: frame.as_mut_ptr() as u64,
            ..Context::default()
        };
        self.cache.attach(&mut ctx);
        let status = self.kernel.call(&raw mut ctx as u64, &raw mut arg as u64);
        assert_eq!(status, 0);
        arg.outputs.map(|lanes| {
            if self.backend.width() as usize == LANES {
                assert_eq!(lanes[..WIDTH], lanes[WIDTH..]);
            }
            std::array::from_fn(|lane| lanes[lane])
        })
    }
}

#[repr(align(64))]
#[allow(dead_code, reason = "read and written by address")]
struct CallFrame([u8; CALL_FRAME_BYTES]);
