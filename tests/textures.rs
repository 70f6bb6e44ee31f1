//! Sampling on a grid of coordinates, through the loader: luma and chroma, compressed formats, anisotropy, slices.

mod common;

use common::{
    Device, Instance,
    pipeline::Pipeline,
    vk,
    work::{Buffer, Image, ImageDesc, all, run, whole},
};

const CODE: &[u8] = include_bytes!("../shaders/test/grid.comp.spv");

/// Where a grid samples: steps along x and y, and the first coordinates.
#[derive(Clone, Copy)]
struct Grid {
    dx: [f32; 2],
    dy: [f32; 2],
    origin: [f32; 2],
    /// Samples along each side, in eights.
    groups: u32,
}

/// What is sampled, and how.
#[derive(Clone, Copy)]
struct Texture {
    image: vk::Image,
    format: vk::Format,
    sampler: vk::Sampler,
    conversion: vk::SamplerYcbcrConversion,
    layer: u32,
    min_lod: f32,
}

impl Texture {
    fn of(image: &Image, format: vk::Format, sampler: vk::Sampler) -> Self {
        Self {
            image: image.raw,
            format,
            sampler,
            conversion: vk::SamplerYcbcrConversion::null(),
            layer: 0,
            min_lod: 0.0,
        }
    }

    /// The values on a grid. The sampler is immutable in the layout.
    fn sample(&self, device: &Device, grid: &Grid) -> Vec<[f32; 4]> {
        let raw = &device.raw;
        let side = grid.groups as usize * 8;
        let out = Buffer::new(device, side * side * 16);
        let samplers = [self.sampler];
        let binding = |n, ty| {
            vk::DescriptorSetLayoutBinding::default()
                .binding(n)
                .descriptor_type(ty)
                .descriptor_count(1)
                .stage_flags(vk::ShaderStageFlags::COMPUTE)
        };
        let kinds = [
            vk::DescriptorType::COMBINED_IMAGE_SAMPLER,
            vk::DescriptorType::STORAGE_BUFFER,
        ];
        let bindings = [
            binding(0, kinds[0]).immutable_samplers(&samplers),
            binding(1, kinds[1]),
        ];
        let sizes = kinds.map(|ty| vk::DescriptorPoolSize {
            ty,
            descriptor_count: 1,
        });
        let mut conversion = vk::SamplerYcbcrConversionInfo::default().conversion(self.conversion);
        let mut info = vk::ImageViewCreateInfo::default()
            .image(self.image)
            .view_type(vk::ImageViewType::TYPE_2D)
            .format(self.format)
            .subresource_range(vk::ImageSubresourceRange {
                base_array_layer: self.layer,
                layer_count: 1,
                ..all(vk::ImageAspectFlags::COLOR)
            });
        let mut least = vk::ImageViewMinLodCreateInfoEXT::default().min_lod(self.min_lod);
        if self.min_lod > 0.0 {
            info = info.push_next(&mut least);
        }
        if self.conversion != vk::SamplerYcbcrConversion::null() {
            info = info.push_next(&mut conversion);
        }
        // SAFETY: everything is alive until the work is done, and destroyed after.
        unsafe {
            let view = raw.create_image_view(&info, None).expect("a view");
            let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
            let layouts = [raw.create_descriptor_set_layout(&info, None).expect("a layout")];
            let info = vk::DescriptorPoolCreateInfo::default()
                .max_sets(1)
                .pool_sizes(&sizes);
            let pool = raw.create_descriptor_pool(&info, None).expect("a pool");
            let info = vk::DescriptorSetAllocateInfo::default()
                .descriptor_pool(pool)
                .set_layouts(&layouts);
            let set = raw.allocate_descriptor_sets(&info).expect("a set")[0];
            let image = [vk::DescriptorImageInfo {
                image_view: view,
                image_layout: vk::ImageLayout::GENERAL,
                ..Default::default()
            }];
            let buffer = [vk::DescriptorBufferInfo {
                buffer: out.raw,
                offset: 0,
                range: vk::WHOLE_SIZE,
            }];
            let write = |n| {
                vk::WriteDescriptorSet::default()
                    .dst_set(set)
                    .dst_binding(n)
                    .descriptor_type(kinds[n as usize])
            };
            raw.update_descriptor_sets(&[write(0).image_info(&image), write(1).buffer_info(&buffer)], &[]);
            let pipeline = Pipeline::compute(device, CODE, Pipeline::layout(device, &layouts, 24));
            let push: Vec<u8> = [grid.dx, grid.dy, grid.origin]
                .into_iter()
                .flatten()
                .flat_map(f32::to_le_bytes)
                .collect();
            run(device, |cb| {
                raw.cmd_bind_pipeline(cb, vk::PipelineBindPoint::COMPUTE, pipeline.raw);
                raw.cmd_bind_descriptor_sets(
                    cb,
                    vk::PipelineBindPoint::COMPUTE,
                    pipeline.layout,
                    0,
                    &[set],
                    &[],
                );
                raw.cmd_push_constants(cb, pipeline.layout, vk::ShaderStageFlags::ALL, 0, &push);
                raw.cmd_dispatch(cb, grid.groups, grid.groups, 1);
            });
            pipeline.destroy(device);
            raw.destroy_descriptor_pool(pool, None);
            raw.destroy_descriptor_set_layout(layouts[0], None);
            raw.destroy_image_view(view, None);
        }
        let words = out.words();
        out.destroy(device);
        words
            .chunks_exact(4)
            .map(|c| std::array::from_fn(|i| f32::from_bits(c[i])))
            .collect()
    }
}

fn sampled(format: vk::Format, extent: [u32; 3]) -> ImageDesc {
    ImageDesc {
        usage: vk::ImageUsageFlags::SAMPLED | vk::ImageUsageFlags::TRANSFER_DST,
        ..ImageDesc::new(format, extent)
    }
}

fn upload(device: &Device, image: &Image, level: u32, extent: [u32; 3], bytes: &[u8]) {
    let buffer = Buffer::with(device, bytes);
    let mut copy = whole(vk::ImageAspectFlags::COLOR, extent);
    copy.image_subresource.mip_level = level;
    let general = vk::ImageLayout::GENERAL;
    // SAFETY: all is alive until the work is done.
    run(device, |cb| unsafe {
        device
            .raw
            .cmd_copy_buffer_to_image(cb, buffer.raw, image.raw, general, &[copy]);
    });
    buffer.destroy(device);
}

/// A sampler that clamps to edges, with what else `more` asks.
fn sampler(device: &Device, filter: vk::Filter, more: &vk::SamplerCreateInfo<'_>) -> vk::Sampler {
    let info = vk::SamplerCreateInfo {
        mag_filter: filter,
        min_filter: filter,
        address_mode_u: vk::SamplerAddressMode::CLAMP_TO_EDGE,
        address_mode_v: vk::SamplerAddressMode::CLAMP_TO_EDGE,
        address_mode_w: vk::SamplerAddressMode::CLAMP_TO_EDGE,
        max_lod: vk::LOD_CLAMP_NONE,
        ..*more
    };
    // SAFETY: a valid structure.
    unsafe { device.raw.create_sampler(&info, None) }.expect("a sampler")
}

/// Width and height of the pictures of luma and chroma.
const SIZE: usize = 16;

/// A format of luma and chroma: bits of a component, the lowest one's place, subsampling along x and y, planes.
struct Layout {
    format: vk::Format,
    bits: u32,
    low: u32,
    shift: [usize; 2],
    /// The components of each plane by turns: 0 is Cr, 1 luma, 2 Cb; of packed formats those of a block.
    planes: &'static [&'static [usize]],
}

/// A component of the test picture at a place of its own plane, 0 to 255.
fn value(component: usize, x: usize, y: usize) -> usize {
    match component {
        1 => 16 + (x * 13 + y * 29) % 220,
        2 => 40 + (x * 23 + y * 7) % 180,
        _ => 30 + (x * 11 + y * 31) % 190,
    }
}

impl Layout {
    /// The component as sampling sees it, clamped to the edge.
    fn texel(&self, component: usize, x: isize, y: isize) -> f64 {
        let shift = if component == 1 { [0, 0] } else { self.shift };
        let clamp = |at: isize, shift: usize| at.clamp(0, (SIZE >> shift) as isize - 1) as usize;
        let code = value(component, clamp(x, shift[0]), clamp(y, shift[1])) << (self.bits - 8);
        code as f64 / f64::from((1_u32 << self.bits) - 1)
    }

    fn is_packed(&self) -> bool {
        self.planes.len() == 1
    }

    fn unit(&self) -> usize {
        if self.bits == 8 { 1 } else { 2 }
    }

    /// Texels of a plane.
    fn extent(&self, plane: usize) -> [usize; 2] {
        let shift = if plane == 0 { [0, 0] } else { self.shift };
        shift.map(|shift| SIZE >> shift)
    }

    /// The bytes of a plane.
    fn bytes(&self, plane: usize) -> Vec<u8> {
        let [width, height] = self.extent(plane);
        let mut bytes = vec![];
        let mut put = |component, x, y| {
            let code = value(component, x, y) << (self.bits - 8) << self.low;
            bytes.extend(&(code as u16).to_le_bytes()[..self.unit()]);
        };
        for y in 0..height {
            if !self.is_packed() {
                (0..width).for_each(|x| self.planes[plane].iter().for_each(|&c| put(c, x, y)));
                continue;
            }
            for block in 0..width / 2 {
                let mut luma = 0;
                for &component in self.planes[0] {
                    let x = if component == 1 { 2 * block + luma } else { block };
                    luma += usize::from(component == 1);
                    put(component, x, y);
                }
            }
        }
        bytes
    }

    /// An image of the picture, and its memory.
    fn image(&self, device: &Device, disjoint: bool) -> (vk::Image, Vec<vk::DeviceMemory>) {
        let raw = &device.raw;
        let aspects = [
            vk::ImageAspectFlags::PLANE_0,
            vk::ImageAspectFlags::PLANE_1,
            vk::ImageAspectFlags::PLANE_2,
        ];
        let info = vk::ImageCreateInfo::default()
            .image_type(vk::ImageType::TYPE_2D)
            .format(self.format)
            .extent(vk::Extent3D {
                width: SIZE as u32,
                height: SIZE as u32,
                depth: 1,
            })
            .mip_levels(1)
            .array_layers(1)
            .samples(vk::SampleCountFlags::TYPE_1)
            .usage(vk::ImageUsageFlags::SAMPLED | vk::ImageUsageFlags::TRANSFER_DST)
            .flags(if disjoint {
                vk::ImageCreateFlags::DISJOINT
            } else {
                vk::ImageCreateFlags::empty()
            });
        let planes = &aspects[..self.planes.len()];
        // SAFETY: the structures are valid; the memory is as large as is asked.
        unsafe {
            let image = raw.create_image(&info, None).expect("an image");
            let mut memories = vec![];
            let bound = if disjoint { planes } else { &planes[..1] };
            for &aspect in bound {
                let mut of_plane = vk::ImagePlaneMemoryRequirementsInfo::default().plane_aspect(aspect);
                let mut info = vk::ImageMemoryRequirementsInfo2::default().image(image);
                let mut bind_plane = vk::BindImagePlaneMemoryInfo::default().plane_aspect(aspect);
                let mut bind = vk::BindImageMemoryInfo::default().image(image);
                if disjoint {
                    info = info.push_next(&mut of_plane);
                    bind = bind.push_next(&mut bind_plane);
                }
                let mut needs = vk::MemoryRequirements2::default();
                raw.get_image_memory_requirements2(&info, &mut needs);
                let needs = needs.memory_requirements;
                let allocate = vk::MemoryAllocateInfo::default()
                    .allocation_size(needs.size)
                    .memory_type_index(needs.memory_type_bits.trailing_zeros());
                let memory = raw.allocate_memory(&allocate, None).expect("memory");
                raw.bind_image_memory2(&[bind.memory(memory)]).expect("bound");
                memories.push(memory);
            }
            for (plane, &aspect) in planes.iter().enumerate() {
                let aspect = if self.is_packed() {
                    vk::ImageAspectFlags::COLOR
                } else {
                    aspect
                };
                let [width, height] = self.extent(plane);
                let buffer = Buffer::with(device, &self.bytes(plane));
                let copy = whole(aspect, [width as u32, height as u32, 1]);
                let general = vk::ImageLayout::GENERAL;
                run(device, |cb| {
                    raw.cmd_copy_buffer_to_image(cb, buffer.raw, image, general, &[copy]);
                });
                buffer.destroy(device);
            }
            (image, memories)
        }
    }
}

/// How luma and chroma are to be sampled.
#[derive(Clone, Copy, Debug)]
struct Mode {
    filter: vk::Filter,
    chroma: vk::Filter,
    cosited: bool,
    explicit: bool,
    model: vk::SamplerYcbcrModelConversion,
    narrow: bool,
}

/// Interpolates `texel` at coordinates in its own texels, or takes the nearest.
fn filtered(filter: vk::Filter, at: [f64; 2], texel: impl Fn(isize, isize) -> f64) -> f64 {
    if filter == vk::Filter::NEAREST {
        return texel(at[0].floor() as isize, at[1].floor() as isize);
    }
    let [x, y] = at.map(|at| (at - 0.5).floor());
    let [a, b] = [at[0] - 0.5 - x, at[1] - 0.5 - y];
    let row = |y: f64| {
        let (x, y) = (x as isize, y as isize);
        texel(x, y) * (1.0 - a) + texel(x + 1, y) * a
    };
    row(y) * (1.0 - b) + row(y + 1.0) * b
}

impl Mode {
    /// A chroma component at coordinates in texels of the picture.
    fn chroma(&self, layout: &Layout, component: usize, at: [f64; 2], cosited: bool) -> f64 {
        let place = |at: f64, shift: usize| match (shift, cosited) {
            (0, _) => at,
            (_, true) => (at + 0.5) / 2.0,
            (_, false) => at / 2.0,
        };
        let at = [place(at[0], layout.shift[0]), place(at[1], layout.shift[1])];
        filtered(self.chroma, at, |x, y| layout.texel(component, x, y))
    }

    /// What is to be seen at normalized coordinates.
    fn expected(&self, layout: &Layout, at: [f32; 2]) -> [f64; 4] {
        let at = at.map(|at| f64::from(at) * SIZE as f64);
        let component = |component| {
            if component == 1 || layout.shift == [0, 0] {
                return filtered(self.filter, at, |x, y| layout.texel(component, x, y));
            }
            if !self.explicit {
                return self.chroma(layout, component, at, self.cosited);
            }
            let cosited = self.cosited && self.chroma == vk::Filter::LINEAR;
            filtered(self.filter, at, |x, y| {
                let centre = [x, y].map(|at| at.clamp(0, SIZE as isize - 1) as f64 + 0.5);
                self.chroma(layout, component, centre, cosited)
            })
        };
        let [r, g, b] = [0, 1, 2].map(component);
        let most = f64::from((1_u32 << layout.bits) - 1);
        let unit = f64::from(1_u32 << layout.bits) / 256.0;
        let (cr, y, cb) = if self.narrow {
            let chroma = |c: f64| (c * most - 128.0 * unit) / (224.0 * unit);
            (chroma(r), (g * most - 16.0 * unit) / (219.0 * unit), chroma(b))
        } else {
            (r - 128.0 * unit / most, g, b - 128.0 * unit / most)
        };
        match self.model {
            vk::SamplerYcbcrModelConversion::RGB_IDENTITY => [r, g, b, 1.0],
            vk::SamplerYcbcrModelConversion::YCBCR_IDENTITY => [cr, y, cb, 1.0],
            vk::SamplerYcbcrModelConversion::YCBCR_601 => [
                y + 1.402 * cr,
                y - 0.202_008 / 0.587 * cb - 0.419_198 / 0.587 * cr,
                y + 1.772 * cb,
                1.0,
            ],
            vk::SamplerYcbcrModelConversion::YCBCR_709 => [
                y + 1.5748 * cr,
                y - 0.133_974_32 / 0.7152 * cb - 0.334_802_48 / 0.7152 * cr,
                y + 1.8556 * cb,
                1.0,
            ],
            _ => [
                y + 1.4746 * cr,
                y - 0.111_567_02 / 0.678 * cb - 0.387_377_42 / 0.678 * cr,
                y + 1.8814 * cb,
                1.0,
            ],
        }
    }

    fn check(&self, device: &Device, layout: &Layout, image: vk::Image) {
        let location = if self.cosited {
            vk::ChromaLocation::COSITED_EVEN
        } else {
            vk::ChromaLocation::MIDPOINT
        };
        let info = vk::SamplerYcbcrConversionCreateInfo::default()
            .format(layout.format)
            .ycbcr_model(self.model)
            .ycbcr_range(if self.narrow {
                vk::SamplerYcbcrRange::ITU_NARROW
            } else {
                vk::SamplerYcbcrRange::ITU_FULL
            })
            .x_chroma_offset(location)
            .y_chroma_offset(location)
            .chroma_filter(self.chroma)
            .force_explicit_reconstruction(self.explicit);
        // SAFETY: a valid structure.
        let conversion = unsafe { device.raw.create_sampler_ycbcr_conversion(&info, None) };
        let conversion = conversion.expect("a conversion");
        let mut chained = vk::SamplerYcbcrConversionInfo::default().conversion(conversion);
        let info = vk::SamplerCreateInfo::default().push_next(&mut chained);
        let texture = Texture {
            image,
            format: layout.format,
            sampler: sampler(device, self.filter, &info),
            conversion,
            layer: 0,
            min_lod: 0.0,
        };
        // Coordinates at which no rounding decides, beyond the edges too.
        let grid = Grid {
            dx: [0.071, 0.0],
            dy: [0.0, 0.071],
            origin: [-0.0413, -0.0571],
            groups: 2,
        };
        for (i, got) in texture.sample(device, &grid).into_iter().enumerate() {
            let step = [(i % 16) as f32, (i / 16) as f32];
            let at = [0, 1].map(|c| grid.origin[c] + step[c] * 0.071);
            let wanted = self.expected(layout, at);
            let near = got
                .iter()
                .zip(wanted)
                .all(|(&got, wanted)| (f64::from(got) - wanted).abs() < 2e-5);
            assert!(
                near,
                "{:?} {self:?} at {at:?}: {got:?}, not {wanted:?}",
                layout.format
            );
        }
        // SAFETY: no work is pending.
        unsafe {
            device.raw.destroy_sampler(texture.sampler, None);
            device.raw.destroy_sampler_ycbcr_conversion(conversion, None);
        }
    }
}

fn ycbcr_device() -> Device {
    let mut features =
        vk::PhysicalDeviceSamplerYcbcrConversionFeatures::default().sampler_ycbcr_conversion(true);
    Device::create(
        Instance::new(),
        vk::DeviceCreateInfo::default().push_next(&mut features),
    )
}

#[rustfmt::skip]
const LAYOUTS: [Layout; 7] = [
    Layout { format: vk::Format::G8_B8R8_2PLANE_420_UNORM, bits: 8, low: 0, shift: [1, 1], planes: &[&[1], &[2, 0]] },
    Layout { format: vk::Format::G8_B8_R8_3PLANE_422_UNORM, bits: 8, low: 0, shift: [1, 0], planes: &[&[1], &[2], &[0]] },
    Layout { format: vk::Format::G8B8G8R8_422_UNORM, bits: 8, low: 0, shift: [1, 0], planes: &[&[1, 2, 1, 0]] },
    Layout { format: vk::Format::B12X4G12X4R12X4G12X4_422_UNORM_4PACK16, bits: 12, low: 4, shift: [1, 0], planes: &[&[2, 1, 0, 1]] },
    Layout { format: vk::Format::G10X6_B10X6_R10X6_3PLANE_420_UNORM_3PACK16, bits: 10, low: 6, shift: [1, 1], planes: &[&[1], &[2], &[0]] },
    Layout { format: vk::Format::G16_B16R16_2PLANE_444_UNORM, bits: 16, low: 0, shift: [0, 0], planes: &[&[1], &[2, 0]] },
    Layout { format: vk::Format::G8_B8R8_2PLANE_422_UNORM, bits: 8, low: 0, shift: [1, 0], planes: &[&[1], &[2, 0]] },
];

#[test]
fn luma_and_chroma_are_sampled_and_converted() {
    use vk::SamplerYcbcrModelConversion as Model;
    let device = ycbcr_device();
    let models = [
        (Model::YCBCR_601, true),
        (Model::YCBCR_709, true),
        (Model::YCBCR_2020, false),
        (Model::YCBCR_IDENTITY, true),
        (Model::RGB_IDENTITY, false),
    ];
    let filters = [vk::Filter::NEAREST, vk::Filter::LINEAR];
    for (number, layout) in LAYOUTS.iter().enumerate() {
        let disjoint = !layout.is_packed() && number % 2 == 0;
        let (image, memories) = layout.image(&device, disjoint);
        // All of it for the first two, a part for the others.
        for bits in (0..16_usize).step_by(if number < 2 { 1 } else { 3 }) {
            let (model, narrow) = models[(bits + number) % models.len()];
            let mode = Mode {
                filter: filters[bits & 1],
                chroma: filters[bits >> 1 & 1],
                cosited: bits & 4 != 0,
                explicit: bits & 8 != 0,
                model,
                narrow,
            };
            mode.check(&device, layout, image);
        }
        // SAFETY: no work is pending.
        unsafe {
            device.raw.destroy_image(image, None);
            memories
                .iter()
                .for_each(|&memory| device.raw.free_memory(memory, None));
        }
    }
}

/// Texels of a file of the golden directory.
fn golden(name: &str) -> Vec<u8> {
    let path = format!("{}/tests/golden/blocks/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// A picture of 64x64 texels that other programs compressed, and how far from it what they decompress is, on average. Of
/// sRGB formats the codes are compared.
#[rustfmt::skip]
const COMPRESSED: [(vk::Format, &str, f64, f64); 4] = [
    (vk::Format::ETC2_R8G8B8A8_UNORM_BLOCK, "etc2.bin", 0.0, 6.0),
    (vk::Format::ASTC_6X6_UNORM_BLOCK, "astc_6x6.bin", 3.43, 3.53),
    (vk::Format::ASTC_10X5_UNORM_BLOCK, "astc_10x5.bin", 4.65, 4.75),
    (vk::Format::ASTC_12X12_SRGB_BLOCK, "astc_12x12.bin", 9.15, 9.25),
];

/// The sRGB code of a linear value.
fn encoded(value: f64) -> f64 {
    if value <= 0.003_130_8 {
        value * 12.92
    } else {
        1.055 * value.powf(1.0 / 2.4) - 0.055
    }
}

#[test]
fn compressed_pictures_look_like_their_source() {
    let bytes = golden("source.png");
    let mut reader = png::Decoder::new(std::io::Cursor::new(bytes))
        .read_info()
        .expect("a PNG");
    let mut source = vec![0; reader.output_buffer_size().expect("of sane size")];
    reader.next_frame(&mut source).expect("a picture");
    let features = vk::PhysicalDeviceFeatures::default()
        .texture_compression_etc2(true)
        .texture_compression_astc_ldr(true);
    let info = vk::DeviceCreateInfo::default().enabled_features(&features);
    let device = Device::create(Instance::new(), info);
    for (format, file, least, most) in COMPRESSED {
        let image = Image::new(&device, &sampled(format, [64, 64, 1]));
        upload(&device, &image, 0, [64, 64, 1], &golden(file));
        let nearest = vk::SamplerCreateInfo::default();
        let texture = Texture::of(&image, format, sampler(&device, vk::Filter::NEAREST, &nearest));
        let step = 1.0 / 64.0;
        let texels = texture.sample(
            &device,
            &Grid {
                dx: [step, 0.0],
                dy: [0.0, step],
                origin: [step / 2.0; 2],
                groups: 8,
            },
        );
        let srgb = format == vk::Format::ASTC_12X12_SRGB_BLOCK;
        let difference: f64 = texels
            .iter()
            .flatten()
            .zip(&source)
            .enumerate()
            .map(|(i, (&got, &wanted))| {
                let got = f64::from(got);
                let code = if srgb && i % 4 != 3 { encoded(got) } else { got };
                ((code * 255.0).round() - f64::from(wanted)).abs()
            })
            .sum();
        let mean = difference / source.len() as f64;
        assert!((least..most).contains(&mean), "{format:?}: {mean}");
        // SAFETY: no work is pending.
        unsafe { device.raw.destroy_sampler(texture.sampler, None) };
        image.destroy(&device);
    }
}

/// A pattern of 64x64 texels.
fn pattern(x: isize, y: isize) -> u8 {
    let [x, y] = [x, y].map(|at| at.clamp(0, 63) as usize);
    ((x * x * 3 + y * 37 + x * y) % 256) as u8
}

/// Footprints that are long in one direction: the mean of bilinear samples along it, at the level of the other.
#[test]
fn anisotropic_footprints_take_several_samples() {
    let format = vk::Format::R8_UNORM;
    let features = vk::PhysicalDeviceFeatures::default().sampler_anisotropy(true);
    let info = vk::DeviceCreateInfo::default().enabled_features(&features);
    let device = Device::create(Instance::new(), info);
    let image = Image::new(
        &device,
        &ImageDesc {
            levels: 4,
            ..sampled(format, [64, 64, 1])
        },
    );
    let texels: Vec<u8> = (0..64 * 64).map(|i| pattern(i % 64, i / 64)).collect();
    upload(&device, &image, 0, [64, 64, 1], &texels);
    // The other levels are grey: what is not sharp shows.
    for level in 1..4 {
        let side = 64 >> level;
        upload(
            &device,
            &image,
            level,
            [side, side, 1],
            &vec![128; (side * side) as usize],
        );
    }
    let texel = |x, y| f64::from(pattern(x, y)) / 255.0;
    for (steps, most, samples, grey) in [
        ([[5.9, 0.0], [0.0, 1.0]], 16.0, 6, false),
        ([[0.0, 1.0], [3.0, 2.5]], 16.0, 4, false),
        ([[1.0, 0.0], [0.0, 1.02]], 16.0, 1, false),
        ([[0.1, 0.0], [0.0, 0.9]], 16.0, 1, false),
        ([[4.0, 0.0], [0.0, 1.0]], 2.0, 2, true),
        ([[4.0, 0.0], [0.0, 1.0]], 1.0, 1, true),
    ] {
        let sharp = vk::SamplerCreateInfo::default()
            .mipmap_mode(vk::SamplerMipmapMode::LINEAR)
            .anisotropy_enable(most > 1.0)
            .max_anisotropy(most);
        let texture = Texture::of(&image, format, sampler(&device, vk::Filter::LINEAR, &sharp));
        let [dx, dy] = steps.map(|step: [f32; 2]| step.map(|texels| texels / 64.0));
        let grid = Grid {
            dx,
            dy,
            origin: [0.031, 0.022],
            groups: 1,
        };
        let major = if steps[0][0].hypot(steps[0][1]) >= steps[1][0].hypot(steps[1][1]) {
            dx
        } else {
            dy
        };
        for (i, got) in texture.sample(&device, &grid).into_iter().enumerate() {
            let [x, y] = [(i % 8) as f32, (i / 8) as f32];
            let at = [0, 1].map(|c| grid.origin[c] + x * dx[c] + y * dy[c]);
            let sum: f64 = (1..=samples)
                .map(|n| {
                    let along = n as f32 / (samples + 1) as f32 - 0.5;
                    let place = [0, 1].map(|c| f64::from(at[c] + along * major[c]) * 64.0);
                    filtered(vk::Filter::LINEAR, place, texel)
                })
                .sum();
            // The second level begins where the shorter side has two texels.
            let wanted = if grey {
                128.0 / 255.0
            } else {
                sum / f64::from(samples)
            };
            // Levels of detail just above 0 take a trace of the grey.
            let near =
                (f64::from(got[0]) - wanted).abs() < 2e-2 * f64::from(u8::from(steps[1][1] > 1.0)) + 1e-4;
            assert!(near, "{steps:?}, at most {most}, {i}: {}, not {wanted}", got[0]);
        }
        // SAFETY: no work is pending.
        unsafe { device.raw.destroy_sampler(texture.sampler, None) };
    }
    image.destroy(&device);
}

#[test]
fn a_view_may_hide_its_finer_levels() {
    let mut features = vk::PhysicalDeviceImageViewMinLodFeaturesEXT::default().min_lod(true);
    let names = [vk::EXT_IMAGE_VIEW_MIN_LOD_NAME.as_ptr()];
    let info = vk::DeviceCreateInfo::default()
        .enabled_extension_names(&names)
        .push_next(&mut features);
    let device = Device::create(Instance::new(), info);
    let format = vk::Format::R8_UNORM;
    let desc = ImageDesc {
        levels: 2,
        ..sampled(format, [16, 16, 1])
    };
    let image = Image::new(&device, &desc);
    upload(&device, &image, 0, [16, 16, 1], &[0; 256]);
    upload(&device, &image, 1, [8, 8, 1], &[255; 64]);
    let smooth = vk::SamplerCreateInfo::default().mipmap_mode(vk::SamplerMipmapMode::LINEAR);
    let grid = Grid {
        dx: [1.0 / 16.0, 0.0],
        dy: [0.0, 1.0 / 16.0],
        origin: [0.0; 2],
        groups: 1,
    };
    let texture = Texture::of(&image, format, sampler(&device, vk::Filter::LINEAR, &smooth));
    for min_lod in [0.0, 0.25, 1.0] {
        let texels = Texture { min_lod, ..texture }.sample(&device, &grid);
        assert!(
            texels.iter().all(|texel| (texel[0] - min_lod).abs() < 1e-4),
            "{min_lod}"
        );
    }
    // SAFETY: no work is pending.
    unsafe { device.raw.destroy_sampler(texture.sampler, None) };
    image.destroy(&device);
}

#[test]
fn a_slice_of_a_volume_is_an_image() {
    let mut features = vk::PhysicalDeviceImage2DViewOf3DFeaturesEXT::default()
        .image2_d_view_of3_d(true)
        .sampler2_d_view_of3_d(true);
    let names = [vk::EXT_IMAGE_2D_VIEW_OF_3D_NAME.as_ptr()];
    let info = vk::DeviceCreateInfo::default()
        .enabled_extension_names(&names)
        .push_next(&mut features);
    let device = Device::create(Instance::new(), info);
    let format = vk::Format::R8_UNORM;
    let image = Image::new(
        &device,
        &ImageDesc {
            flags: vk::ImageCreateFlags::TYPE_2D_ARRAY_COMPATIBLE
                | vk::ImageCreateFlags::TYPE_2D_VIEW_COMPATIBLE_EXT,
            ..sampled(format, [8, 8, 4])
        },
    );
    let texels: Vec<u8> = (0..8 * 8 * 4).map(|i| i as u8).collect();
    upload(&device, &image, 0, [8, 8, 4], &texels);
    let nearest = vk::SamplerCreateInfo::default();
    let texture = Texture {
        layer: 2,
        ..Texture::of(&image, format, sampler(&device, vk::Filter::NEAREST, &nearest))
    };
    let grid = Grid {
        dx: [0.125, 0.0],
        dy: [0.0, 0.125],
        origin: [0.0625; 2],
        groups: 1,
    };
    let slice: Vec<u8> = texture
        .sample(&device, &grid)
        .into_iter()
        .map(|texel| (texel[0] * 255.0).round() as u8)
        .collect();
    assert_eq!(slice, texels[128..192]);
    // SAFETY: no work is pending.
    unsafe { device.raw.destroy_sampler(texture.sampler, None) };
    image.destroy(&device);
}

#[test]
fn texels_of_six_bytes_are_sampled() {
    let device = Device::new();
    let format = vk::Format::R16G16B16_UNORM;
    let image = Image::new(&device, &sampled(format, [8, 8, 1]));
    let codes: Vec<u16> = (0..8 * 8 * 3).map(|i| i * 300).collect();
    let bytes: Vec<u8> = codes.iter().flat_map(|code| code.to_le_bytes()).collect();
    upload(&device, &image, 0, [8, 8, 1], &bytes);
    let nearest = vk::SamplerCreateInfo::default();
    let texture = Texture::of(&image, format, sampler(&device, vk::Filter::NEAREST, &nearest));
    let grid = Grid {
        dx: [0.125, 0.0],
        dy: [0.0, 0.125],
        origin: [0.0625; 2],
        groups: 1,
    };
    let got: Vec<u16> = texture
        .sample(&device, &grid)
        .into_iter()
        .flat_map(|texel| [0, 1, 2].map(|c| (texel[c] * 65535.0).round() as u16))
        .collect();
    assert_eq!(got, codes);
    // SAFETY: no work is pending.
    unsafe { device.raw.destroy_sampler(texture.sampler, None) };
    image.destroy(&device);
}
