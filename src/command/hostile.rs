//! Descriptors that are not what they should be: random, damaged and misplaced bytes, used by a shader. Nothing may
//! crash, and what does not work must end in a fault.

use crate::compute::{Dispatch, dispatch};
use crate::descriptor::{
    BindingInfo, BufferDescriptor, ImageDescriptor, KIND_MARK, PipelineLayout, SamplerDescriptor, SetLayout,
    TexelBufferDescriptor,
};
use crate::device::workers::{RoutineHost, Workers};
use crate::exec::{ExecError, Problem};
use crate::memory::{Allocation, Memory, Profile, Properties, raw};
use crate::pipeline::{ComputePipeline, ComputePipelineDesc, ResourceLayout, Specialization, StageDesc};
use crate::resource::{Image, ImageInfo, ImageView, ImageViewInfo, Sampler, SamplerInfo, texel_descriptor};
use crate::shader::kernel::Backend;
use crate::shader::sampling::RoutineCache;
use crate::shader::spirv::heap::{HeapIndex, HeapLayout, HeapMapping, HeapSource, Indexing, PUSH_DATA_BYTES};
use crate::vk;
use smallvec::smallvec;
use std::collections::BTreeMap;
use std::mem::offset_of;
use std::sync::Arc;
use vk::DescriptorType as Type;

const SHADER: &[u8] = include_bytes!("../../shaders/test/hostile.comp.spv");
/// Types of the bindings of set 0.
const TYPES: [Type; 13] = [
    Type::UNIFORM_BUFFER,
    Type::STORAGE_BUFFER,
    Type::UNIFORM_TEXEL_BUFFER,
    Type::STORAGE_TEXEL_BUFFER,
    Type::STORAGE_TEXEL_BUFFER,
    Type::SAMPLED_IMAGE,
    Type::SAMPLER,
    Type::COMBINED_IMAGE_SAMPLER,
    Type::COMBINED_IMAGE_SAMPLER,
    Type::STORAGE_IMAGE,
    Type::STORAGE_IMAGE,
    Type::COMBINED_IMAGE_SAMPLER,
    Type::SAMPLED_IMAGE,
];
/// Bytes for the resources, and for each set behind them.
const RESOURCES: u64 = 1 << 20;
const SET: u64 = 4096;

/// xorshift64*
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() >> 32) as usize % n
    }
}

/// A device's parts, as far as a dispatch needs them.
struct World {
    memory: Arc<Memory>,
    allocation: Arc<Allocation>,
    workers: Workers,
    pipeline: Arc<ComputePipeline>,
    layout: Arc<SetLayout>,
    /// Whether the bytes are in heaps that bindings are mapped to.
    heaps: bool,
    /// The right bytes of each binding.
    right: Vec<Vec<u8>>,
    _routines: RoutineCache,
}

fn set_layout(types: &[Type]) -> Arc<SetLayout> {
    let infos = (0..)
        .zip(types)
        .map(|(binding, &descriptor_type)| BindingInfo {
            binding,
            descriptor_type,
            count: 1,
            ..BindingInfo::default()
        })
        .collect();
    Arc::new(SetLayout::new(vk::DescriptorSetLayoutCreateFlags::empty(), infos).expect("a layout"))
}

fn view(address: u64, info: ImageInfo, view_type: vk::ImageViewType) -> Vec<u8> {
    let image = Image::new(info).expect("an image");
    assert!(image.layout().size <= RESOURCES);
    image.bind(address);
    let aspect_mask = match info.format {
        vk::Format::D32_SFLOAT => vk::ImageAspectFlags::DEPTH,
        _ => vk::ImageAspectFlags::COLOR,
    };
    let view = ImageView::new(
        &Arc::new(image),
        ImageViewInfo {
            view_type,
            format: info.format,
            components: vk::ComponentMapping::default(),
            range: vk::ImageSubresourceRange {
                aspect_mask,
                base_mip_level: 0,
                level_count: info.levels,
                base_array_layer: 0,
                layer_count: info.layers,
            },
            usage: info.usage,
            conversion: None,
            slices: None,
            min_lod: 0.0,
        },
    );
    bytemuck::bytes_of(view.expect("a view").descriptor()).to_vec()
}

fn sampler(compare_op: Option<vk::CompareOp>) -> SamplerDescriptor {
    *Sampler::new(&SamplerInfo {
        mag_filter: vk::Filter::LINEAR,
        min_filter: vk::Filter::LINEAR,
        mipmap_mode: vk::SamplerMipmapMode::LINEAR,
        address_modes: [vk::SamplerAddressMode::CLAMP_TO_BORDER; 3],
        border_color: vk::BorderColor::FLOAT_CUSTOM_EXT,
        max_lod: 4.0,
        compare_op,
        ..SamplerInfo::default()
    })
    .descriptor()
}

/// The right descriptors of resources at `base`.
fn descriptors(base: u64) -> Vec<Vec<u8>> {
    let buffer = bytemuck::bytes_of(&crate::resource::buffer_descriptor(base, 1024)).to_vec();
    let texels = |format| {
        let made = texel_descriptor(base, 64, format).expect("a format");
        bytemuck::bytes_of(&made).to_vec()
    };
    let plain = ImageInfo {
        format: vk::Format::R8G8B8A8_UNORM,
        extent: [16, 16, 1],
        ..ImageInfo::default()
    };
    let (d2, d3) = (vk::ImageViewType::TYPE_2D, vk::ImageViewType::TYPE_3D);
    let with =
        |image: Vec<u8>, sampler: SamplerDescriptor| [image, bytemuck::bytes_of(&sampler).to_vec()].concat();
    let compressed = ImageInfo {
        format: vk::Format::BC1_RGBA_UNORM_BLOCK,
        levels: 3,
        ..plain
    };
    let layers = |layers| ImageInfo {
        layers,
        levels: 3,
        ..plain
    };
    vec![
        buffer.clone(),
        buffer,
        texels(vk::Format::R32_UINT),
        texels(vk::Format::R32_UINT),
        texels(vk::Format::R16G16_SFLOAT),
        view(base, compressed, d2),
        bytemuck::bytes_of(&sampler(None)).to_vec(),
        with(
            view(base, layers(4), vk::ImageViewType::TYPE_2D_ARRAY),
            sampler(None),
        ),
        with(view(base, layers(6), vk::ImageViewType::CUBE), sampler(None)),
        view(
            base,
            ImageInfo {
                format: vk::Format::R32_UINT,
                ..plain
            },
            d2,
        ),
        view(
            base,
            ImageInfo {
                image_type: vk::ImageType::TYPE_3D,
                extent: [8, 8, 8],
                ..plain
            },
            d3,
        ),
        with(
            view(
                base,
                ImageInfo {
                    format: vk::Format::D32_SFLOAT,
                    ..plain
                },
                d2,
            ),
            sampler(Some(vk::CompareOp::LESS)),
        ),
        view(base, ImageInfo { samples: 4, ..plain }, d2),
    ]
}

/// The bytes of both sets as one heap, for resources and samplers alike.
fn heap(layout: &SetLayout) -> HeapLayout {
    let mapping = |set, binding, offset| HeapMapping {
        set,
        first: binding,
        count: 1,
        types: u32::MAX,
        source: HeapSource::Descriptor {
            indexing: Indexing::Constant,
            resource: HeapIndex {
                offset,
                ..HeapIndex::default()
            },
            sampler: HeapIndex {
                offset: offset + size_of::<ImageDescriptor>() as u32,
                ..HeapIndex::default()
            },
            packed: false,
            embedded: None,
        },
    };
    let first = (0..).zip(layout.bindings()).map(|(n, b)| mapping(0, n, b.offset));
    HeapLayout {
        mappings: first.chain([mapping(1, 0, SET as u32)]).collect(),
    }
}

impl World {
    fn new(backend: Backend, heaps: bool) -> World {
        let memory = Memory::new(
            Properties::new(Profile::Discrete, 8 << 30),
            Arc::default(),
            vec![],
        );
        let memory = memory.expect("a window");
        let size = RESOURCES + 2 * SET;
        let allocation = memory.allocate_internal(size, vk::ObjectType::DEVICE_MEMORY);
        let allocation = allocation.expect("memory");
        let routines = RoutineCache::new(backend);
        let host = RoutineHost::of(&routines, Some(&memory));
        let layout = set_layout(&TYPES);
        let range = vk::PushConstantRange {
            stage_flags: vk::ShaderStageFlags::COMPUTE,
            offset: 0,
            size: 8,
        };
        let sets = [layout.clone(), set_layout(&[Type::STORAGE_BUFFER])];
        let sets = sets.into_iter().map(Some).collect();
        let code: Vec<u32> = SHADER
            .chunks_exact(4)
            .map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
            .collect();
        let desc = ComputePipelineDesc {
            stage: StageDesc {
                stage: vk::ShaderStageFlags::COMPUTE,
                code: code.into(),
                entry: "main".to_owned(),
                specialization: Specialization::default(),
                heap: heaps.then(|| Arc::new(heap(&layout))),
            },
            layout: if heaps {
                Arc::new(ResourceLayout::of_heaps())
            } else {
                PipelineLayout::new(sets, vec![range]).resources().clone()
            },
        };
        World {
            heaps,
            right: descriptors(allocation.address()),
            workers: Workers::new(Some(1), host),
            pipeline: Arc::new(ComputePipeline::new(desc, backend).expect("a pipeline")),
            layout,
            allocation,
            memory,
            _routines: routines,
        }
    }

    /// Uses a binding whose bytes are these; all others are right.
    fn run(&self, binding: usize, bytes: &[u8], at: i32) -> Result<(), ExecError> {
        let base = self.allocation.address();
        let sets = [base + RESOURCES, base + RESOURCES + SET];
        let place = |n: usize| sets[0] + u64::from(self.layout.bindings()[n].offset);
        for (n, right) in self.right.iter().enumerate() {
            raw::write(place(n), if n == binding { bytes } else { right });
        }
        let result = crate::resource::buffer_descriptor(base + RESOURCES - 64, 32);
        raw::write(sets[1], bytemuck::bytes_of(&result));
        let mut push = smallvec![];
        push.extend((binding as i32).to_le_bytes());
        push.extend(at.to_le_bytes());
        let mut all = [0; _];
        if self.heaps {
            push.resize(PUSH_DATA_BYTES as usize, 0);
            all[..2].fill(sets[0]);
        } else {
            all[..2].copy_from_slice(&sets);
        }
        let what = Dispatch {
            sets: all,
            dynamic_offsets: smallvec![],
            push,
            base: [0; 3],
            groups: [1; 3],
            counters: smallvec![],
            masked: None,
            order: None,
        };
        dispatch(&self.workers, &self.pipeline, &what)
    }

    /// Bytes of a binding that are probably not right.
    fn wrong(&self, binding: usize, random: &mut Random) -> Vec<u8> {
        let mut bytes = self.right[binding].clone();
        let len = bytes.len();
        match random.below(5) {
            0 => bytes.iter_mut().for_each(|b| *b = random.next() as u8),
            1 => {
                for _ in 0..=random.below(4) {
                    bytes[random.below(len)] ^= 1 << random.below(8);
                }
            }
            2 => {
                let words = [0, !0, 1, 0x7fff_ffff, 0x8000_0000, 0xffff, random.next() as u32];
                let word = words[random.below(words.len())];
                let at = random.below(len / 4) * 4;
                bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
            }
            3 => {
                let other = &self.right[random.below(self.right.len())];
                let n = len.min(other.len());
                bytes[..n].copy_from_slice(&other[..n]);
            }
            _ => {
                let far = [
                    0,
                    0xfff,
                    self.memory.properties().heaps[0].size,
                    1 << 40,
                    1 << 47,
                    !0,
                ][random.below(6)];
                let address = self
                    .allocation
                    .address()
                    .wrapping_add(far)
                    .wrapping_add(random.next() >> 40);
                if binding != 6 {
                    bytes[..8].copy_from_slice(&address.to_le_bytes());
                }
            }
        }
        bytes
    }
}

/// Whether nothing can take these bytes for a descriptor of the binding.
fn is_none(binding: usize, bytes: &[u8]) -> bool {
    let kind = |at: usize| u64::from_le_bytes(std::array::from_fn(|i| bytes[at + i]));
    match TYPES[binding] {
        Type::UNIFORM_BUFFER | Type::STORAGE_BUFFER => {
            !bytemuck::pod_read_unaligned::<BufferDescriptor>(bytes).is_right()
        }
        Type::UNIFORM_TEXEL_BUFFER | Type::STORAGE_TEXEL_BUFFER => {
            let kind = kind(offset_of!(TexelBufferDescriptor, kind));
            kind != 0 && kind >> 48 != KIND_MARK >> 48
        }
        Type::SAMPLER => false,
        _ => {
            let kind = kind(offset_of!(ImageDescriptor, kind));
            kind != 0 && kind >> 48 != KIND_MARK >> 48
        }
    }
}

/// Runs `count` descriptors; how many faults there were, by problem.
fn torture(backend: Backend, count: usize, seed: u64, heaps: bool) -> BTreeMap<String, usize> {
    let world = World::new(backend, heaps);
    for binding in 0..TYPES.len() {
        assert_eq!(
            world.run(binding, &world.right[binding], 0),
            Ok(()),
            "binding {binding}"
        );
    }
    let mut random = Random(seed);
    let mut seen = BTreeMap::new();
    for _ in 0..count {
        let binding = random.below(TYPES.len());
        let bytes = world.wrong(binding, &mut random);
        let at = [0, 5, -1, i32::MAX - 3][random.below(4)];
        let name = match world.run(binding, &bytes, at) {
            Ok(()) => {
                assert!(
                    !(is_none(binding, &bytes) && (0..8).contains(&at)),
                    "nothing was said of binding {binding}: {bytes:x?}"
                );
                "none".to_owned()
            }
            Err(ExecError::Fault(fault)) => {
                assert!(
                    !matches!(fault.problem, Problem::Status(_)),
                    "{fault:?}: {bytes:x?}"
                );
                format!("{:?}", fault.problem)
            }
            Err(other) => panic!("binding {binding}: {other:?}: {bytes:x?}"),
        };
        *seen.entry(name).or_insert(0) += 1;
    }
    seen
}

#[test]
fn hostile_descriptors_end_in_faults() {
    for (heaps, count) in [(false, 3000), (true, 1000)] {
        let seen = torture(Backend::best(), count, 1, heaps);
        assert!(seen.get("Descriptor").is_some_and(|&n| n > count / 6), "{seen:?}");
        let seen = torture(Backend::Interpreter, count / 10, 2, heaps);
        assert!(
            seen.get("Descriptor").is_some_and(|&n| n > count / 60),
            "{seen:?}"
        );
    }
}

#[test]
#[ignore = "minutes"]
fn ten_million_hostile_descriptors() {
    // In parts, to see how far it is.
    for part in 1..=50 {
        let seen = torture(Backend::best(), 200_000, 2 + part, part % 2 == 0);
        println!("{} so far: {seen:?}", part * 200_000);
    }
}
