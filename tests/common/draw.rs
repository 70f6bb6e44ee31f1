//! A colour target to draw to with dynamic rendering, and pipelines for it.

use super::{
    Device,
    pipeline::{Pipeline, module},
    vk,
    work::{Image, ImageDesc, all},
};

/// Texels of the target, each way.
pub const SIZE: u32 = 128;
/// Its format.
pub const FORMAT: vk::Format = vk::Format::R8G8B8A8_UNORM;
const GRAPHICS: vk::PipelineBindPoint = vk::PipelineBindPoint::GRAPHICS;

fn area() -> vk::Rect2D {
    vk::Rect2D {
        offset: vk::Offset2D::default(),
        extent: vk::Extent2D {
            width: SIZE,
            height: SIZE,
        },
    }
}

/// A pipeline of a vertex and a fragment shader that draws triangles all over the target.
pub fn pipeline(
    device: &Device,
    codes: [&[u8]; 2],
    layout: vk::PipelineLayout,
    input: &vk::PipelineVertexInputStateCreateInfo<'_>,
) -> Pipeline {
    let modules = codes.map(|code| module(device, code));
    let stages = [vk::ShaderStageFlags::VERTEX, vk::ShaderStageFlags::FRAGMENT];
    let stages: [_; 2] = std::array::from_fn(|i| {
        vk::PipelineShaderStageCreateInfo::default()
            .stage(stages[i])
            .module(modules[i])
            .name(c"main")
    });
    let assembly =
        vk::PipelineInputAssemblyStateCreateInfo::default().topology(vk::PrimitiveTopology::TRIANGLE_LIST);
    let viewports = [vk::Viewport {
        width: SIZE as f32,
        height: SIZE as f32,
        max_depth: 1.0,
        ..vk::Viewport::default()
    }];
    let scissors = [area()];
    let viewport = vk::PipelineViewportStateCreateInfo::default()
        .viewports(&viewports)
        .scissors(&scissors);
    let raster = vk::PipelineRasterizationStateCreateInfo::default().line_width(1.0);
    let multisample =
        vk::PipelineMultisampleStateCreateInfo::default().rasterization_samples(vk::SampleCountFlags::TYPE_1);
    let attachments =
        [vk::PipelineColorBlendAttachmentState::default().color_write_mask(vk::ColorComponentFlags::RGBA)];
    let blend = vk::PipelineColorBlendStateCreateInfo::default().attachments(&attachments);
    let formats = [FORMAT];
    let mut rendering = vk::PipelineRenderingCreateInfo::default().color_attachment_formats(&formats);
    let info = [vk::GraphicsPipelineCreateInfo::default()
        .stages(&stages)
        .vertex_input_state(input)
        .input_assembly_state(&assembly)
        .viewport_state(&viewport)
        .rasterization_state(&raster)
        .multisample_state(&multisample)
        .color_blend_state(&blend)
        .layout(layout)
        .push_next(&mut rendering)];
    // SAFETY: the structures are valid; the modules are not needed afterwards.
    let made = unsafe {
        let cache = vk::PipelineCache::null();
        let made = device.raw.create_graphics_pipelines(cache, &info, None);
        for module in modules {
            device.raw.destroy_shader_module(module, None);
        }
        made
    };
    Pipeline {
        raw: made.expect("a pipeline")[0],
        layout,
    }
}

/// A pipeline of `flat.vert` and `flat.frag`: positions from binding 0, a colour an instance from binding 1.
pub fn flat(device: &Device) -> Pipeline {
    let binding = |binding, stride, input_rate| vk::VertexInputBindingDescription {
        binding,
        stride,
        input_rate,
    };
    let bindings = [
        binding(0, 8, vk::VertexInputRate::VERTEX),
        binding(1, 4, vk::VertexInputRate::INSTANCE),
    ];
    let attribute = |location, format| vk::VertexInputAttributeDescription {
        location,
        binding: location,
        format,
        offset: 0,
    };
    let attributes = [attribute(0, vk::Format::R32G32_SFLOAT), attribute(1, FORMAT)];
    let input = vk::PipelineVertexInputStateCreateInfo::default()
        .vertex_binding_descriptions(&bindings)
        .vertex_attribute_descriptions(&attributes);
    let codes: [&[u8]; 2] = [
        include_bytes!("../../shaders/test/flat.vert.spv"),
        include_bytes!("../../shaders/test/flat.frag.spv"),
    ];
    pipeline(device, codes, Pipeline::layout(device, &[], 12), &input)
}

/// The target.
pub struct Target {
    image: Image,
    view: vk::ImageView,
}

impl Target {
    /// A target.
    pub fn new(device: &Device) -> Self {
        let image = Image::new(
            device,
            &ImageDesc {
                usage: vk::ImageUsageFlags::COLOR_ATTACHMENT,
                ..ImageDesc::new(FORMAT, [SIZE, SIZE, 1])
            },
        );
        let info = vk::ImageViewCreateInfo::default()
            .image(image.raw)
            .view_type(vk::ImageViewType::TYPE_2D)
            .format(FORMAT)
            .subresource_range(all(vk::ImageAspectFlags::COLOR));
        // SAFETY: the image is alive.
        let view = unsafe { device.raw.create_image_view(&info, None) }.expect("a view");
        Self { image, view }
    }

    /// Records what `f` does with a pipeline between begin and end of rendering.
    pub fn render(&self, device: &Device, cb: vk::CommandBuffer, pipeline: &Pipeline, f: impl FnOnce()) {
        let rendering = ash::khr::dynamic_rendering::Device::new(&device.instance.raw, &device.raw);
        let colors = [vk::RenderingAttachmentInfo::default()
            .image_view(self.view)
            .image_layout(vk::ImageLayout::GENERAL)];
        let info = vk::RenderingInfo::default()
            .render_area(area())
            .layer_count(1)
            .color_attachments(&colors);
        // SAFETY: what the draws do is what is tested.
        unsafe {
            rendering.cmd_begin_rendering(cb, &info);
            device.raw.cmd_bind_pipeline(cb, GRAPHICS, pipeline.raw);
            f();
            rendering.cmd_end_rendering(cb);
        }
    }

    /// Destroys it.
    pub fn destroy(self, device: &Device) {
        // SAFETY: no work is pending.
        unsafe { device.raw.destroy_image_view(self.view, None) };
        self.image.destroy(device);
    }
}
