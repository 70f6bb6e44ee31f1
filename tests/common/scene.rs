//! A scene to draw in: a render pass of 64 × 64 texels with colour and depth, and quads in its quarters.

use super::{
    Device, Instance,
    pipeline::{Pipeline, module},
    vk,
    work::{Buffer, Image, ImageDesc, run, whole},
};
use std::ffi::CStr;
use vk::ImageAspectFlags as Aspect;

pub const SIZE: u32 = 64;
pub const GENERAL: vk::ImageLayout = vk::ImageLayout::GENERAL;
pub const GRAPHICS: vk::PipelineBindPoint = vk::PipelineBindPoint::GRAPHICS;
pub const ALL: vk::ShaderStageFlags = vk::ShaderStageFlags::ALL;
pub const RED: u32 = 0xff00_00ff;
pub const GREEN: u32 = 0xff00_ff00;
pub const BLUE: u32 = 0xffff_0000;

/// A colour and a depth target, a pass that clears both, a pipeline, and buffers to draw with.
pub struct Scene {
    pub device: Device,
    pub color: Image,
    depth: Image,
    views: [vk::ImageView; 2],
    pub pass: vk::RenderPass,
    framebuffer: vk::Framebuffer,
    pub pipeline: Pipeline,
    /// Corners of the four quarters of the target, 4 a quarter: top left, top right, bottom left, bottom right.
    pub vertices: Buffer,
    /// Red, green, blue.
    pub colors: Buffer,
    /// Two triangles of a quad, as 16-bit indices.
    pub indices: Buffer,
}

fn view(device: &Device, image: &Image, format: vk::Format, aspect_mask: Aspect) -> vk::ImageView {
    let range = vk::ImageSubresourceRange {
        aspect_mask,
        level_count: 1,
        layer_count: 1,
        ..Default::default()
    };
    let info = vk::ImageViewCreateInfo::default()
        .image(image.raw)
        .view_type(vk::ImageViewType::TYPE_2D)
        .format(format)
        .subresource_range(range);
    // SAFETY: the image is bound and has this range.
    unsafe { device.raw.create_image_view(&info, None) }.expect("a view")
}

fn pass(device: &Device) -> vk::RenderPass {
    let attachment = |format| {
        vk::AttachmentDescription::default()
            .format(format)
            .samples(vk::SampleCountFlags::TYPE_1)
            .load_op(vk::AttachmentLoadOp::CLEAR)
            .store_op(vk::AttachmentStoreOp::STORE)
            .final_layout(GENERAL)
    };
    let attachments = [
        attachment(vk::Format::R8G8B8A8_UNORM),
        attachment(vk::Format::D32_SFLOAT),
    ];
    let colors = [vk::AttachmentReference {
        attachment: 0,
        layout: GENERAL,
    }];
    let depth = vk::AttachmentReference {
        attachment: 1,
        layout: GENERAL,
    };
    let subpasses = [vk::SubpassDescription::default()
        .color_attachments(&colors)
        .depth_stencil_attachment(&depth)];
    let info = vk::RenderPassCreateInfo::default()
        .attachments(&attachments)
        .subpasses(&subpasses);
    // SAFETY: the structures are valid.
    unsafe { device.raw.create_render_pass(&info, None) }.expect("a render pass")
}

/// How the pipeline is made.
#[derive(Clone, Copy, Default)]
pub struct Options<'a> {
    /// Linked from four libraries.
    pub linked: bool,
    /// Dynamic besides viewport and scissor.
    pub dynamic: &'a [vk::DynamicState],
    /// The vertex and the fragment shader, if others than those that draw flat quads.
    pub code: [Option<&'a [u8]>; 2],
}

/// Makes a pipeline of libraries of one part each. All of them get all of the state, and look at their own.
fn link(device: &Device, whole: &vk::GraphicsPipelineCreateInfo<'_>) -> vk::Pipeline {
    use vk::GraphicsPipelineLibraryFlagsEXT as Part;
    let make = |info: vk::GraphicsPipelineCreateInfo<'_>| {
        // SAFETY: the structures are valid.
        let made = unsafe {
            device
                .raw
                .create_graphics_pipelines(vk::PipelineCache::null(), &[info], None)
        };
        made.expect("a pipeline")[0]
    };
    let parts = [
        Part::VERTEX_INPUT_INTERFACE,
        Part::PRE_RASTERIZATION_SHADERS,
        Part::FRAGMENT_SHADER,
        Part::FRAGMENT_OUTPUT_INTERFACE,
    ];
    let libraries = parts.map(|part| {
        let mut part = vk::GraphicsPipelineLibraryCreateInfoEXT::default().flags(part);
        make(
            whole
                .flags(vk::PipelineCreateFlags::LIBRARY_KHR)
                .push_next(&mut part),
        )
    });
    let mut names = vk::PipelineLibraryCreateInfoKHR::default().libraries(&libraries);
    let linked = make(
        vk::GraphicsPipelineCreateInfo::default()
            .layout(whole.layout)
            .push_next(&mut names),
    );
    for library in libraries {
        // SAFETY: a linked pipeline does not need them.
        unsafe { device.raw.destroy_pipeline(library, None) };
    }
    linked
}

fn pipeline(device: &Device, pass: vk::RenderPass, options: Options<'_>) -> Pipeline {
    let flat: [&[u8]; 2] = [
        include_bytes!("../../shaders/test/flat.vert.spv"),
        include_bytes!("../../shaders/test/flat.frag.spv"),
    ];
    let [vert, frag] = [0, 1].map(|n| module(device, options.code[n].unwrap_or(flat[n])));
    let stage = |stage, module| {
        vk::PipelineShaderStageCreateInfo::default()
            .stage(stage)
            .module(module)
            .name(c"main")
    };
    let stages = [
        stage(vk::ShaderStageFlags::VERTEX, vert),
        stage(vk::ShaderStageFlags::FRAGMENT, frag),
    ];
    let bindings = [
        vk::VertexInputBindingDescription {
            binding: 0,
            stride: 8,
            input_rate: vk::VertexInputRate::VERTEX,
        },
        vk::VertexInputBindingDescription {
            binding: 1,
            stride: 4,
            input_rate: vk::VertexInputRate::INSTANCE,
        },
    ];
    let attribute = |location, format| vk::VertexInputAttributeDescription {
        location,
        binding: location,
        format,
        offset: 0,
    };
    let attributes = [
        attribute(0, vk::Format::R32G32_SFLOAT),
        attribute(1, vk::Format::R8G8B8A8_UNORM),
    ];
    let input = vk::PipelineVertexInputStateCreateInfo::default()
        .vertex_binding_descriptions(&bindings)
        .vertex_attribute_descriptions(&attributes);
    let assembly =
        vk::PipelineInputAssemblyStateCreateInfo::default().topology(vk::PrimitiveTopology::TRIANGLE_LIST);
    let viewport = vk::PipelineViewportStateCreateInfo::default()
        .viewport_count(1)
        .scissor_count(1);
    let raster = vk::PipelineRasterizationStateCreateInfo::default().line_width(1.0);
    let multisample =
        vk::PipelineMultisampleStateCreateInfo::default().rasterization_samples(vk::SampleCountFlags::TYPE_1);
    let depth = vk::PipelineDepthStencilStateCreateInfo::default()
        .depth_test_enable(true)
        .depth_write_enable(true)
        .depth_compare_op(vk::CompareOp::LESS);
    let attachments =
        [vk::PipelineColorBlendAttachmentState::default().color_write_mask(vk::ColorComponentFlags::RGBA)];
    let blend = vk::PipelineColorBlendStateCreateInfo::default().attachments(&attachments);
    let states = [
        &[vk::DynamicState::VIEWPORT, vk::DynamicState::SCISSOR][..],
        options.dynamic,
    ]
    .concat();
    let dynamic = vk::PipelineDynamicStateCreateInfo::default().dynamic_states(&states);
    let layout = Pipeline::layout(device, &[], 12);
    let info = [vk::GraphicsPipelineCreateInfo::default()
        .stages(&stages)
        .vertex_input_state(&input)
        .input_assembly_state(&assembly)
        .viewport_state(&viewport)
        .rasterization_state(&raster)
        .multisample_state(&multisample)
        .depth_stencil_state(&depth)
        .color_blend_state(&blend)
        .dynamic_state(&dynamic)
        .layout(layout)
        .render_pass(pass)];
    // SAFETY: the structures are valid; the modules are not needed afterwards.
    unsafe {
        let made = if options.linked {
            link(device, &info[0])
        } else {
            let cache = vk::PipelineCache::null();
            let made = device.raw.create_graphics_pipelines(cache, &info, None);
            made.expect("a pipeline")[0]
        };
        device.raw.destroy_shader_module(vert, None);
        device.raw.destroy_shader_module(frag, None);
        Pipeline { raw: made, layout }
    }
}

/// The corners of a quarter of the target in clip space.
fn quarter(x: f32, y: f32) -> Vec<u8> {
    let corners = [[x, y], [x + 1.0, y], [x, y + 1.0], [x + 1.0, y + 1.0]];
    corners
        .as_flattened()
        .iter()
        .flat_map(|f| f.to_le_bytes())
        .collect()
}

impl Scene {
    pub fn new() -> Self {
        Self::with(&[], Options::default())
    }

    /// With these extensions.
    pub fn with(extensions: &[&CStr], options: Options<'_>) -> Self {
        let names: Vec<_> = extensions.iter().map(|name| name.as_ptr()).collect();
        let info = vk::DeviceCreateInfo::default().enabled_extension_names(&names);
        Self::on(Device::create(Instance::new(), info), options)
    }

    /// On this device.
    pub fn on(device: Device, options: Options<'_>) -> Self {
        let image = |format, usage| {
            let usage = usage | vk::ImageUsageFlags::TRANSFER_SRC;
            Image::new(
                &device,
                &ImageDesc {
                    usage,
                    ..ImageDesc::new(format, [SIZE, SIZE, 1])
                },
            )
        };
        let color = image(vk::Format::R8G8B8A8_UNORM, vk::ImageUsageFlags::COLOR_ATTACHMENT);
        let depth = image(
            vk::Format::D32_SFLOAT,
            vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT,
        );
        let views = [
            view(&device, &color, vk::Format::R8G8B8A8_UNORM, Aspect::COLOR),
            view(&device, &depth, vk::Format::D32_SFLOAT, Aspect::DEPTH),
        ];
        let pass = pass(&device);
        let info = vk::FramebufferCreateInfo::default()
            .render_pass(pass)
            .attachments(&views)
            .width(SIZE)
            .height(SIZE)
            .layers(1);
        // SAFETY: the views fit the pass.
        let framebuffer = unsafe { device.raw.create_framebuffer(&info, None) }.expect("a framebuffer");
        let corners = [(-1.0, -1.0), (0.0, -1.0), (-1.0, 0.0), (0.0, 0.0)];
        let vertices: Vec<u8> = corners.iter().flat_map(|&(x, y)| quarter(x, y)).collect();
        let colors = [RED, GREEN, BLUE].map(u32::to_le_bytes).concat();
        let indices = [0_u16, 1, 2, 2, 1, 3].map(u16::to_le_bytes).concat();
        Self {
            pipeline: pipeline(&device, pass, options),
            vertices: Buffer::with(&device, &vertices),
            colors: Buffer::with(&device, &colors),
            indices: Buffer::with(&device, &indices),
            color,
            depth,
            views,
            pass,
            framebuffer,
            device,
        }
    }

    /// Binds all that a draw needs.
    pub fn bind(&self, cb: vk::CommandBuffer) {
        let viewport = vk::Viewport {
            x: 0.0,
            y: 0.0,
            width: SIZE as f32,
            height: SIZE as f32,
            min_depth: 0.0,
            max_depth: 1.0,
        };
        let extent = vk::Extent2D {
            width: SIZE,
            height: SIZE,
        };
        let scissor = vk::Rect2D {
            offset: vk::Offset2D::default(),
            extent,
        };
        let raw = &self.device.raw;
        // SAFETY: all is alive, and within bounds.
        unsafe {
            raw.cmd_bind_pipeline(cb, GRAPHICS, self.pipeline.raw);
            raw.cmd_set_viewport(cb, 0, &[viewport]);
            raw.cmd_set_scissor(cb, 0, &[scissor]);
            raw.cmd_bind_vertex_buffers(cb, 0, &[self.vertices.raw, self.colors.raw], &[0, 0]);
            raw.cmd_bind_index_buffer(cb, self.indices.raw, 0, vk::IndexType::UINT16);
        }
        self.push(cb, [0.0; 3]);
    }

    /// Pushes a shift and a depth.
    pub fn push(&self, cb: vk::CommandBuffer, values: [f32; 3]) {
        let bytes: Vec<u8> = values.iter().flat_map(|f| f.to_le_bytes()).collect();
        // SAFETY: the layout has these constants.
        unsafe {
            self.device
                .raw
                .cmd_push_constants(cb, self.pipeline.layout, ALL, 0, &bytes);
        };
    }

    /// Begins the pass.
    pub fn begin(&self, cb: vk::CommandBuffer, contents: vk::SubpassContents) {
        let mut clears = [vk::ClearValue::default(); 2];
        clears[1].depth_stencil = vk::ClearDepthStencilValue {
            depth: 1.0,
            stencil: 0,
        };
        let extent = vk::Extent2D {
            width: SIZE,
            height: SIZE,
        };
        let begin = vk::RenderPassBeginInfo::default()
            .render_pass(self.pass)
            .framebuffer(self.framebuffer)
            .render_area(vk::Rect2D {
                offset: vk::Offset2D::default(),
                extent,
            })
            .clear_values(&clears);
        // SAFETY: the pass fits the framebuffer.
        unsafe { self.device.raw.cmd_begin_render_pass(cb, &begin, contents) };
    }

    /// Draws `f` in the pass and gives a colour of each quarter: top left, top right, bottom left,
    /// bottom right.
    pub fn draw(&self, f: impl FnOnce(vk::CommandBuffer)) -> [u32; 4] {
        run(&self.device, |cb| {
            self.begin(cb, vk::SubpassContents::INLINE);
            self.bind(cb);
            f(cb);
            // SAFETY: the pass was begun.
            unsafe { self.device.raw.cmd_end_render_pass(cb) };
        });
        self.quarters()
    }

    pub fn quarters(&self) -> [u32; 4] {
        let out = Buffer::new(&self.device, (SIZE * SIZE * 4) as usize);
        let region = [whole(Aspect::COLOR, [SIZE, SIZE, 1])];
        run(&self.device, |cb| {
            // SAFETY: the region is the whole image.
            unsafe {
                self.device
                    .raw
                    .cmd_copy_image_to_buffer(cb, self.color.raw, GENERAL, out.raw, &region);
            };
        });
        let words = out.words();
        out.destroy(&self.device);
        let at = |x: u32, y: u32| words[(y * SIZE + x) as usize];
        [at(14, 14), at(46, 14), at(14, 46), at(46, 46)]
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        let raw = &self.device.raw;
        // SAFETY: no work is pending.
        unsafe {
            raw.destroy_pipeline(self.pipeline.raw, None);
            raw.destroy_pipeline_layout(self.pipeline.layout, None);
            raw.destroy_framebuffer(self.framebuffer, None);
            raw.destroy_render_pass(self.pass, None);
            self.views
                .iter()
                .for_each(|view| raw.destroy_image_view(*view, None));
        }
        // Images and buffers go with the device.
        let _ = &self.depth;
    }
}
