//! Pipelines, their layouts and the render pass.

use crate::context::{Context, Object};
use crate::error::{Error, Named, Result};
use crate::mesh::Vertex;
use crate::scene::{ObjectConstants, ParticleConstants};
use ash::vk;
use std::mem::{offset_of, size_of};

/// Format of the picture.
pub(crate) const COLOUR: vk::Format = vk::Format::R8G8B8A8_SRGB;
/// Format of the depth buffer.
pub(crate) const DEPTH: vk::Format = vk::Format::D32_SFLOAT;
/// Samples a pixel.
pub(crate) const SAMPLES: vk::SampleCountFlags = vk::SampleCountFlags::TYPE_4;
/// Bytes of a spark: place and size, colour.
pub(crate) const PARTICLE_BYTES: u32 = 32;
/// Stages that see the constants of an object.
pub(crate) const OBJECT_STAGES: vk::ShaderStageFlags = vk::ShaderStageFlags::from_raw(
    vk::ShaderStageFlags::VERTEX.as_raw() | vk::ShaderStageFlags::FRAGMENT.as_raw(),
);

macro_rules! shader {
    ($name:literal) => {
        include_bytes!(concat!("../../shaders/demo/", $name, ".spv"))
    };
}

/// All of them.
pub(crate) struct Pipelines {
    pub(crate) compute_sets: vk::DescriptorSetLayout,
    pub(crate) compute_layout: vk::PipelineLayout,
    pub(crate) texture: vk::Pipeline,
    pub(crate) particles: vk::Pipeline,
    pub(crate) draw_sets: vk::DescriptorSetLayout,
    pub(crate) draw_layout: vk::PipelineLayout,
    pub(crate) mesh: vk::Pipeline,
    pub(crate) sparks: vk::Pipeline,
    pub(crate) render_pass: vk::RenderPass,
}

impl Pipelines {
    /// Makes them for pictures of this size.
    pub(crate) fn new(context: &Context<'_>, size: vk::Extent2D) -> Result<Pipelines> {
        let compute = vk::ShaderStageFlags::COMPUTE;
        let compute_sets = set_layout(
            context,
            &[
                (vk::DescriptorType::STORAGE_IMAGE, compute),
                (vk::DescriptorType::STORAGE_BUFFER, compute),
            ],
        )?;
        let compute_layout = pipeline_layout(context, compute_sets, compute, size_of::<ParticleConstants>())?;
        let draw_sets = set_layout(
            context,
            &[
                (vk::DescriptorType::UNIFORM_BUFFER, OBJECT_STAGES),
                (
                    vk::DescriptorType::COMBINED_IMAGE_SAMPLER,
                    vk::ShaderStageFlags::FRAGMENT,
                ),
            ],
        )?;
        let draw_layout = pipeline_layout(context, draw_sets, OBJECT_STAGES, size_of::<ObjectConstants>())?;
        let render_pass = render_pass(context)?;
        let graphics = |what: &Drawing<'_>| graphics_pipeline(context, size, draw_layout, render_pass, what);
        Ok(Pipelines {
            compute_sets,
            compute_layout,
            texture: compute_pipeline(context, compute_layout, shader!("texture.comp"))?,
            particles: compute_pipeline(context, compute_layout, shader!("particles.comp"))?,
            draw_sets,
            draw_layout,
            mesh: graphics(&MESH)?,
            sparks: graphics(&SPARKS)?,
            render_pass,
        })
    }
}

/// Bindings 0, 1, … of the given types.
fn set_layout(
    context: &Context<'_>,
    bindings: &[(vk::DescriptorType, vk::ShaderStageFlags)],
) -> Result<vk::DescriptorSetLayout> {
    let bindings: Vec<_> = (0..)
        .zip(bindings)
        .map(|(index, &(ty, stages))| {
            vk::DescriptorSetLayoutBinding::default()
                .binding(index)
                .descriptor_type(ty)
                .descriptor_count(1)
                .stage_flags(stages)
        })
        .collect();
    let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
    // SAFETY: the structure and what it points to are alive.
    let layout = unsafe { context.device.create_descriptor_set_layout(&info, None) }
        .named("vkCreateDescriptorSetLayout")?;
    context.own(Object::DescriptorSetLayout(layout));
    Ok(layout)
}

fn pipeline_layout(
    context: &Context<'_>,
    sets: vk::DescriptorSetLayout,
    stages: vk::ShaderStageFlags,
    constant_bytes: usize,
) -> Result<vk::PipelineLayout> {
    let (sets, constants) = (
        [sets],
        [vk::PushConstantRange {
            stage_flags: stages,
            offset: 0,
            size: constant_bytes as u32,
        }],
    );
    let info = vk::PipelineLayoutCreateInfo::default()
        .set_layouts(&sets)
        .push_constant_ranges(&constants);
    // SAFETY: the structure and what it points to are alive.
    let layout =
        unsafe { context.device.create_pipeline_layout(&info, None) }.named("vkCreatePipelineLayout")?;
    context.own(Object::PipelineLayout(layout));
    Ok(layout)
}

fn shader_module(context: &Context<'_>, code: &[u8]) -> Result<vk::ShaderModule> {
    let code = ash::util::read_spv(&mut std::io::Cursor::new(code))
        .map_err(|_| Error::Missing("a shader is not SPIR-V"))?;
    let info = vk::ShaderModuleCreateInfo::default().code(&code);
    // SAFETY: the code is a valid module (shaders/demo/build.sh checks).
    let module = unsafe { context.device.create_shader_module(&info, None) }.named("vkCreateShaderModule")?;
    context.own(Object::ShaderModule(module));
    Ok(module)
}

fn stage(
    module: vk::ShaderModule,
    stage: vk::ShaderStageFlags,
) -> vk::PipelineShaderStageCreateInfo<'static> {
    vk::PipelineShaderStageCreateInfo::default()
        .stage(stage)
        .module(module)
        .name(c"main")
}

fn compute_pipeline(context: &Context<'_>, layout: vk::PipelineLayout, code: &[u8]) -> Result<vk::Pipeline> {
    let module = shader_module(context, code)?;
    let info = vk::ComputePipelineCreateInfo::default()
        .stage(stage(module, vk::ShaderStageFlags::COMPUTE))
        .layout(layout);
    let cache = vk::PipelineCache::null();
    // SAFETY: module and layout are alive and fit each other.
    let made = unsafe { context.device.create_compute_pipelines(cache, &[info], None) };
    own_pipeline(context, made, "vkCreateComputePipelines")
}

type Made = std::result::Result<Vec<vk::Pipeline>, (Vec<vk::Pipeline>, vk::Result)>;

fn own_pipeline(context: &Context<'_>, made: Made, command: &'static str) -> Result<vk::Pipeline> {
    let pipeline = made.map_err(|(_, result)| result).named(command)?[0];
    context.own(Object::Pipeline(pipeline));
    Ok(pipeline)
}

/// In what the graphics pipelines differ.
struct Drawing<'a> {
    vertex: &'a [u8],
    fragment: &'a [u8],
    topology: vk::PrimitiveTopology,
    stride: u32,
    rate: vk::VertexInputRate,
    /// Format and offset of attributes 0, 1, ….
    attributes: &'a [(vk::Format, usize)],
    cull: vk::CullModeFlags,
    /// Adds to what is there, and leaves the depth alone.
    glow: bool,
}

const MESH: Drawing<'_> = Drawing {
    vertex: shader!("mesh.vert"),
    fragment: shader!("mesh.frag"),
    topology: vk::PrimitiveTopology::TRIANGLE_LIST,
    stride: size_of::<Vertex>() as u32,
    rate: vk::VertexInputRate::VERTEX,
    attributes: &[
        (vk::Format::R32G32B32_SFLOAT, offset_of!(Vertex, position)),
        (vk::Format::R32G32B32_SFLOAT, offset_of!(Vertex, normal)),
        (vk::Format::R32G32_SFLOAT, offset_of!(Vertex, uv)),
    ],
    cull: vk::CullModeFlags::BACK,
    glow: false,
};

const SPARKS: Drawing<'_> = Drawing {
    vertex: shader!("particle.vert"),
    fragment: shader!("particle.frag"),
    topology: vk::PrimitiveTopology::TRIANGLE_STRIP,
    stride: PARTICLE_BYTES,
    rate: vk::VertexInputRate::INSTANCE,
    attributes: &[
        (vk::Format::R32G32B32A32_SFLOAT, 0),
        (vk::Format::R32G32B32A32_SFLOAT, 16),
    ],
    cull: vk::CullModeFlags::NONE,
    glow: true,
};

fn graphics_pipeline(
    context: &Context<'_>,
    size: vk::Extent2D,
    layout: vk::PipelineLayout,
    render_pass: vk::RenderPass,
    what: &Drawing<'_>,
) -> Result<vk::Pipeline> {
    let stages = [
        stage(shader_module(context, what.vertex)?, vk::ShaderStageFlags::VERTEX),
        stage(
            shader_module(context, what.fragment)?,
            vk::ShaderStageFlags::FRAGMENT,
        ),
    ];
    let bindings = [vk::VertexInputBindingDescription::default()
        .stride(what.stride)
        .input_rate(what.rate)];
    let attributes: Vec<_> = (0..)
        .zip(what.attributes)
        .map(|(location, &(format, offset))| {
            vk::VertexInputAttributeDescription::default()
                .location(location)
                .format(format)
                .offset(offset as u32)
        })
        .collect();
    let vertex_input = vk::PipelineVertexInputStateCreateInfo::default()
        .vertex_binding_descriptions(&bindings)
        .vertex_attribute_descriptions(&attributes);
    let assembly = vk::PipelineInputAssemblyStateCreateInfo::default().topology(what.topology);
    let viewports = [vk::Viewport {
        width: size.width as f32,
        height: size.height as f32,
        max_depth: 1.0,
        ..Default::default()
    }];
    let scissors = [size.into()];
    let viewport = vk::PipelineViewportStateCreateInfo::default()
        .viewports(&viewports)
        .scissors(&scissors);
    let raster = vk::PipelineRasterizationStateCreateInfo::default()
        .cull_mode(what.cull)
        .front_face(vk::FrontFace::COUNTER_CLOCKWISE)
        .line_width(1.0);
    let samples = vk::PipelineMultisampleStateCreateInfo::default().rasterization_samples(SAMPLES);
    let depth = vk::PipelineDepthStencilStateCreateInfo::default()
        .depth_test_enable(true)
        .depth_write_enable(!what.glow)
        .depth_compare_op(vk::CompareOp::LESS);
    let blends = [vk::PipelineColorBlendAttachmentState::default()
        .blend_enable(what.glow)
        .src_color_blend_factor(vk::BlendFactor::ONE)
        .dst_color_blend_factor(vk::BlendFactor::ONE)
        .color_blend_op(vk::BlendOp::ADD)
        .src_alpha_blend_factor(vk::BlendFactor::ZERO)
        .dst_alpha_blend_factor(vk::BlendFactor::ONE)
        .alpha_blend_op(vk::BlendOp::ADD)
        .color_write_mask(vk::ColorComponentFlags::RGBA)];
    let blend = vk::PipelineColorBlendStateCreateInfo::default().attachments(&blends);
    let info = vk::GraphicsPipelineCreateInfo::default()
        .stages(&stages)
        .vertex_input_state(&vertex_input)
        .input_assembly_state(&assembly)
        .viewport_state(&viewport)
        .rasterization_state(&raster)
        .multisample_state(&samples)
        .depth_stencil_state(&depth)
        .color_blend_state(&blend)
        .layout(layout)
        .render_pass(render_pass);
    let cache = vk::PipelineCache::null();
    // SAFETY: the structures and what they point to are alive; the objects fit each other.
    let made = unsafe { context.device.create_graphics_pipelines(cache, &[info], None) };
    own_pipeline(context, made, "vkCreateGraphicsPipelines")
}

fn attachment(format: vk::Format, samples: vk::SampleCountFlags) -> vk::AttachmentDescription {
    vk::AttachmentDescription::default()
        .format(format)
        .samples(samples)
        .load_op(vk::AttachmentLoadOp::CLEAR)
        .store_op(vk::AttachmentStoreOp::DONT_CARE)
        .stencil_load_op(vk::AttachmentLoadOp::DONT_CARE)
        .stencil_store_op(vk::AttachmentStoreOp::DONT_CARE)
}

/// Colour and depth of four samples, both cleared and dropped; the colour is resolved into the picture.
fn render_pass(context: &Context<'_>) -> Result<vk::RenderPass> {
    let colour_layout = vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL;
    let depth_layout = vk::ImageLayout::DEPTH_STENCIL_ATTACHMENT_OPTIMAL;
    let attachments = [
        attachment(COLOUR, SAMPLES).final_layout(colour_layout),
        attachment(DEPTH, SAMPLES).final_layout(depth_layout),
        attachment(COLOUR, vk::SampleCountFlags::TYPE_1)
            .load_op(vk::AttachmentLoadOp::DONT_CARE)
            .store_op(vk::AttachmentStoreOp::STORE)
            .final_layout(vk::ImageLayout::TRANSFER_SRC_OPTIMAL),
    ];
    let reference = |attachment, layout| vk::AttachmentReference { attachment, layout };
    let colours = [reference(0, colour_layout)];
    let depth = reference(1, depth_layout);
    let resolves = [reference(2, colour_layout)];
    let subpasses = [vk::SubpassDescription::default()
        .pipeline_bind_point(vk::PipelineBindPoint::GRAPHICS)
        .color_attachments(&colours)
        .depth_stencil_attachment(&depth)
        .resolve_attachments(&resolves)];
    let output = vk::PipelineStageFlags::COLOR_ATTACHMENT_OUTPUT;
    let tests = vk::PipelineStageFlags::EARLY_FRAGMENT_TESTS | vk::PipelineStageFlags::LATE_FRAGMENT_TESTS;
    let writes = vk::AccessFlags::COLOR_ATTACHMENT_WRITE | vk::AccessFlags::DEPTH_STENCIL_ATTACHMENT_WRITE;
    let dependencies = [
        vk::SubpassDependency::default()
            .src_subpass(vk::SUBPASS_EXTERNAL)
            .src_stage_mask(output | tests | vk::PipelineStageFlags::TRANSFER)
            .src_access_mask(writes)
            .dst_stage_mask(output | tests)
            .dst_access_mask(writes | vk::AccessFlags::DEPTH_STENCIL_ATTACHMENT_READ),
        vk::SubpassDependency::default()
            .dst_subpass(vk::SUBPASS_EXTERNAL)
            .src_stage_mask(output)
            .src_access_mask(vk::AccessFlags::COLOR_ATTACHMENT_WRITE)
            .dst_stage_mask(vk::PipelineStageFlags::TRANSFER)
            .dst_access_mask(vk::AccessFlags::TRANSFER_READ),
    ];
    let info = vk::RenderPassCreateInfo::default()
        .attachments(&attachments)
        .subpasses(&subpasses)
        .dependencies(&dependencies);
    // SAFETY: the structure and what it points to are alive.
    let pass = unsafe { context.device.create_render_pass(&info, None) }.named("vkCreateRenderPass")?;
    context.own(Object::RenderPass(pass));
    Ok(pass)
}
