//! Draws of hand-made shaders and triangles, against scalar references.

mod coverage;
mod faults;
mod pixels;
mod state;

use super::*;
use crate::device::workers::{RoutineHost, Workers};
use crate::memory::AlignedBuf;
use crate::pipeline::{
    AttachmentFormats, BlendDesc, GraphicsPipeline, GraphicsPipelineDesc, MultisampleDesc, RasterDesc,
    ResourceLayout, VertexAttribute, VertexBinding,
};
use crate::shader::ir::Builder;
use crate::shader::kernel::Backend;
use crate::shader::spirv::{BuiltIn, Input, Interface, Interpolation, Output, OutputSlot, StageIo};
use crate::shader::stage::testing::{Body, HandMade, input_scalar, load4, output4};

/// A vertex: clip-space position and four more numbers.
pub(super) type Vertex = ([f32; 4], [f32; 4]);

/// An image that owns its memory.
pub(super) struct Image {
    pub memory: AlignedBuf,
    pub attachment: Attachment,
}

impl Image {
    pub(super) fn new(format: vk::Format, bytes: u64, [width, height]: [u32; 2], samples: u32) -> Image {
        let row_pitch = (u64::from(width) * bytes).next_multiple_of(16);
        let sample_pitch = row_pitch * u64::from(height);
        let layer_pitch = sample_pitch * u64::from(samples);
        let memory = AlignedBuf::new(layer_pitch as usize * 4);
        let attachment = Attachment {
            format,
            address: memory.address(),
            row_pitch,
            layer_pitch,
            sample_pitch,
            samples,
            width,
            height,
        };
        Image { memory, attachment }
    }

    pub(super) fn target(&self, load: Load) -> Target {
        Target {
            attachment: self.attachment.clone(),
            load,
            store: true,
            resolve: None,
        }
    }

    /// The first word of a texel.
    pub(super) fn word(&self, layer: u32, x: u32, y: u32) -> u32 {
        let a = &self.attachment;
        let offset = u64::from(layer) * a.layer_pitch + u64::from(y) * a.row_pitch;
        self.memory.as_slice::<u32>()[offset as usize / 4 + x as usize]
    }

    pub(super) fn float(&self, x: u32, y: u32) -> f32 {
        f32::from_bits(self.word(0, x, y))
    }
}

pub(super) const PERSPECTIVE: Interpolation = Interpolation {
    flat: false,
    no_perspective: false,
    centroid: false,
    sample: false,
};

/// Location 0 with some interpolation.
pub(super) fn color_input(interpolation: Interpolation) -> Input {
    Input {
        location: 0,
        component: 0,
        interpolation,
    }
}

/// As [`vertex_shader`], with the first colour as clip distance and the second as cull distance.
pub(super) fn clipping_vertex_shader() -> HandMade {
    let body: Body = |io, b, start| {
        let (mut outputs, _) = (vertex_shader().body)(io, b, start);
        let color = load4(
            io,
            b,
            Input {
                location: 1,
                component: 0,
                interpolation: PERSPECTIVE,
            },
        );
        let distance = |builtin, value| Output {
            slot: OutputSlot::BuiltIn(builtin, 0),
            value,
        };
        outputs.push(distance(BuiltIn::ClipDistance, color[0]));
        outputs.push(distance(BuiltIn::CullDistance, color[1]));
        (outputs, None)
    };
    let mut interface = vertex_shader().interface;
    interface.output_builtins = vec![(BuiltIn::ClipDistance, 1), (BuiltIn::CullDistance, 1)];
    HandMade { interface, body }
}

/// Passes position and colour through.
fn vertex_shader() -> HandMade {
    let plain = |location| Input {
        location,
        component: 0,
        interpolation: PERSPECTIVE,
    };
    let interface = Interface {
        inputs: [0, 1]
            .into_iter()
            .flat_map(|location| {
                (0..4).map(move |component| {
                    input_scalar(Input {
                        component,
                        ..plain(location)
                    })
                })
            })
            .collect(),
        ..Interface::default()
    };
    let body: Body = |io, b, _| {
        let plain = |location| Input {
            location,
            component: 0,
            interpolation: PERSPECTIVE,
        };
        let position = load4(io, b, plain(0));
        let color = load4(io, b, plain(1));
        let mut outputs = output4(0, color);
        outputs.extend((0..4).map(|i| Output {
            slot: OutputSlot::BuiltIn(BuiltIn::Position, i),
            value: position[i as usize],
        }));
        // Point size in the last number.
        outputs.push(Output {
            slot: OutputSlot::BuiltIn(BuiltIn::PointSize, 0),
            value: color[3],
        });
        (outputs, None)
    };
    HandMade { interface, body }
}

/// A fragment shader that reads location 0.
pub(super) fn fragment_shader(interpolation: Interpolation, body: Body) -> HandMade {
    let inputs = (0..4)
        .map(|component| {
            input_scalar(Input {
                component,
                ..color_input(interpolation)
            })
        })
        .collect();
    HandMade {
        interface: Interface {
            inputs,
            ..Interface::default()
        },
        body,
    }
}

/// Writes location 0 as it is.
pub(super) fn pass_color(interpolation: Interpolation) -> HandMade {
    let body: Body = if interpolation.flat {
        |io, b, _| {
            let flat = Interpolation {
                flat: true,
                ..PERSPECTIVE
            };
            (output4(0, load4(io, b, color_input(flat))), None)
        }
    } else if interpolation.no_perspective {
        |io, b, _| {
            let linear = Interpolation {
                no_perspective: true,
                ..PERSPECTIVE
            };
            (output4(0, load4(io, b, color_input(linear))), None)
        }
    } else {
        |io, b, _| (output4(0, load4(io, b, color_input(PERSPECTIVE))), None)
    };
    fragment_shader(interpolation, body)
}

/// Writes 1.
pub(super) fn write_one() -> HandMade {
    let body: Body = |_, b, _| (output4(0, [b.fconst(1.0); 4]), None);
    HandMade {
        interface: Interface::default(),
        body,
    }
}

/// Added where drawn.
pub(super) fn additive() -> BlendDesc {
    BlendDesc {
        enable: true,
        dst_color: vk::BlendFactor::ONE,
        dst_alpha: vk::BlendFactor::ONE,
        ..BlendDesc::default()
    }
}

/// A pipeline description to be changed by tests.
pub(super) fn desc(color: vk::Format, [width, height]: [u32; 2]) -> GraphicsPipelineDesc {
    let attribute = |location| VertexAttribute {
        location,
        binding: 0,
        format: vk::Format::R32G32B32A32_SFLOAT,
        offset: 16 * location,
    };
    GraphicsPipelineDesc {
        stages: Vec::new(),
        layout: Arc::new(ResourceLayout::default()),
        vertex_bindings: vec![VertexBinding {
            binding: 0,
            stride: 32,
            input_rate: vk::VertexInputRate::VERTEX,
            divisor: 1,
        }],
        vertex_attributes: vec![attribute(0), attribute(1)],
        raster: RasterDesc {
            depth_clip_enable: Some(true),
            ..RasterDesc::default()
        },
        multisample: MultisampleDesc::default(),
        blend: vec![BlendDesc::default()],
        logic_op: None,
        formats: AttachmentFormats {
            colors: vec![color],
            ..AttachmentFormats::default()
        },
        view_mask: 0,
        state: DrawState {
            viewport: vk::Viewport {
                x: 0.0,
                y: 0.0,
                width: width as f32,
                height: height as f32,
                min_depth: 0.0,
                max_depth: 1.0,
            },
            scissor: vk::Rect2D {
                offset: vk::Offset2D::default(),
                extent: vk::Extent2D { width, height },
            },
            ..DrawState::default()
        },
        dynamic: Vec::new(),
    }
}

pub(super) fn pipeline(desc: GraphicsPipelineDesc, fragment: Option<HandMade>) -> Arc<GraphicsPipeline> {
    pipeline_for(desc, fragment, Backend::best())
}

pub(super) fn pipeline_for(
    desc: GraphicsPipelineDesc,
    fragment: Option<HandMade>,
    backend: Backend,
) -> Arc<GraphicsPipeline> {
    pipeline_with(desc, &vertex_shader(), fragment, backend)
}

pub(super) fn pipeline_with(
    desc: GraphicsPipelineDesc,
    vertex: &HandMade,
    fragment: Option<HandMade>,
    backend: Backend,
) -> Arc<GraphicsPipeline> {
    let fragment = fragment.map(|shader| Arc::new(shader) as Arc<dyn crate::shader::stage::Shader>);
    let made = GraphicsPipeline::with_shaders(desc, vertex, fragment, backend);
    Arc::new(made.expect("the pipeline compiles"))
}

/// Vertices that draws can read.
pub(super) struct Vertices {
    memory: AlignedBuf,
    count: u32,
}

impl Vertices {
    pub(super) fn new(vertices: &[Vertex]) -> Vertices {
        let mut memory = AlignedBuf::new((vertices.len() * 32).max(32));
        let words: Vec<f32> = vertices
            .iter()
            .flat_map(|(p, c)| p.iter().chain(c))
            .copied()
            .collect();
        memory.as_mut_slice::<f32>()[..words.len()].copy_from_slice(&words);
        Vertices {
            memory,
            count: vertices.len() as u32,
        }
    }

    /// A draw of all of them.
    pub(super) fn draw(&self, pipeline: &GraphicsPipeline) -> Draw {
        let buffer = VertexBuffer {
            address: self.memory.address(),
            size: self.count * 32,
            stride: 32,
        };
        Draw {
            state: *pipeline.state(),
            sets: [0; _],
            dynamic_offsets: SmallVec::new(),
            push: SmallVec::new(),
            vertex_buffers: [buffer].into_iter().collect(),
            indices: Indices::Sequence { first: 0 },
            count: self.count,
            instance_count: 1,
            first_instance: 0,
            draw_index: 0,
            counters: SmallVec::new(),
            masked: None,
        }
    }
}

pub(super) fn rasterizer(workers: usize) -> Rasterizer {
    rasterizer_for(workers, Backend::best())
}

pub(super) fn rasterizer_for(workers: usize, backend: Backend) -> Rasterizer {
    let workers = Workers::new(Some(workers), RoutineHost::default());
    Rasterizer::new(Arc::new(workers), backend)
}

pub(super) fn scope(colors: Vec<Option<Target>>, [width, height]: [u32; 2]) -> Scope {
    let area = vk::Rect2D {
        offset: vk::Offset2D::default(),
        extent: vk::Extent2D { width, height },
    };
    Scope {
        colors,
        area,
        layers: 1,
        ..Scope::default()
    }
}

/// Clip-space position of a pixel position.
pub(super) fn at_pixel([x, y]: [f32; 2], z: f32, [width, height]: [u32; 2]) -> [f32; 4] {
    [
        x / width as f32 * 2.0 - 1.0,
        y / height as f32 * 2.0 - 1.0,
        z,
        1.0,
    ]
}

/// A triangle that covers everything at some depth.
pub(super) fn everything(z: f32, color: [f32; 4]) -> [Vertex; 3] {
    [
        ([-1.0, -1.0, z, 1.0], color),
        ([3.0, -1.0, z, 1.0], color),
        ([-1.0, 3.0, z, 1.0], color),
    ]
}

/// Numbers that look random.
pub(super) struct Random(pub u64);

impl Random {
    pub(super) fn next(&mut self) -> u32 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as u32
    }

    /// From `low` up to `high`.
    pub(super) fn float(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * (self.next() % (1 << 20)) as f32 / (1 << 20) as f32
    }
}

/// Draws once into one cleared image and gives it.
pub(super) fn draw_once(
    desc: GraphicsPipelineDesc,
    fragment: HandMade,
    vertices: &[Vertex],
    size: [u32; 2],
    bytes: u64,
) -> Image {
    let image = Image::new(desc.formats.colors[0], bytes, size, 1);
    let pipeline = pipeline(desc, Some(fragment));
    let vertices = Vertices::new(vertices);
    let mut raster = rasterizer(2);
    raster
        .begin(&scope(vec![Some(image.target(Load::Clear([0; 4])))], size))
        .expect("begin");
    raster.draw(&pipeline, vertices.draw(&pipeline)).expect("draw");
    raster.end().expect("end");
    image
}

/// Keeps `Builder` and `StageIo` in scope for bodies written by tests.
pub(super) fn coordinate(io: &mut dyn StageIo, b: &mut Builder<'_>, axis: u32) -> crate::shader::ir::Value {
    io.load_builtin(b, BuiltIn::FragCoord, axis)
        .expect("fragments have coordinates")
}
