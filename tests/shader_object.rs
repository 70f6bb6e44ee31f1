//! Shader objects: bound one by one, drawn with in dynamic rendering, and made again from their binaries.

mod common;

use ash::ext::{extended_dynamic_state3, shader_object, vertex_input_dynamic_state};
use common::{
    Device, Instance,
    pipeline::{BufferSet, Pipeline},
    scene::{ALL, BLUE, GENERAL, GREEN, RED},
    vk,
    work::{Buffer, Image, ImageDesc, run, whole},
};
use vk::ImageAspectFlags as Aspect;

const SIZE: u32 = 16;

fn device() -> Device {
    let names = [
        c"VK_EXT_shader_object".as_ptr(),
        c"VK_KHR_dynamic_rendering_local_read".as_ptr(),
    ];
    let mut local =
        vk::PhysicalDeviceDynamicRenderingLocalReadFeaturesKHR::default().dynamic_rendering_local_read(true);
    let mut objects = vk::PhysicalDeviceShaderObjectFeaturesEXT::default().shader_object(true);
    let mut core = vk::PhysicalDeviceVulkan13Features::default().dynamic_rendering(true);
    let info = vk::DeviceCreateInfo::default()
        .enabled_extension_names(&names)
        .push_next(&mut objects)
        .push_next(&mut local)
        .push_next(&mut core);
    Device::create(Instance::new(), info)
}

/// The commands of one device.
struct Objects {
    shaders: shader_object::Device,
    state3: extended_dynamic_state3::Device,
    input: vertex_input_dynamic_state::Device,
}

impl Objects {
    fn new(device: &Device) -> Self {
        let instance = &device.instance.raw;
        Self {
            shaders: shader_object::Device::new(instance, &device.raw),
            state3: extended_dynamic_state3::Device::new(instance, &device.raw),
            input: vertex_input_dynamic_state::Device::new(instance, &device.raw),
        }
    }

    fn make(
        &self,
        (stage, ty, code): (vk::ShaderStageFlags, vk::ShaderCodeTypeEXT, &[u8]),
        sets: &[vk::DescriptorSetLayout],
    ) -> Result<vk::ShaderEXT, vk::Result> {
        let ranges = [vk::PushConstantRange {
            stage_flags: ALL,
            offset: 0,
            size: 12,
        }];
        let info = [vk::ShaderCreateInfoEXT::default()
            .stage(stage)
            .code_type(ty)
            .code(code)
            .name(c"main")
            .set_layouts(sets)
            .push_constant_ranges(&ranges)];
        // SAFETY: the structure is valid.
        match unsafe { self.shaders.create_shaders(&info, None) } {
            Ok(shaders) => Ok(shaders[0]),
            Err((_, error)) => Err(error),
        }
    }

    fn spirv(&self, stage: vk::ShaderStageFlags, code: &[u8]) -> vk::ShaderEXT {
        self.make((stage, vk::ShaderCodeTypeEXT::SPIRV, code), &[])
            .expect("a shader")
    }

    /// A shader of the binary of another.
    fn again(&self, stage: vk::ShaderStageFlags, shader: vk::ShaderEXT) -> vk::ShaderEXT {
        // SAFETY: the shader is there.
        let binary = unsafe { self.shaders.get_shader_binary_data(shader) }.expect("a binary");
        self.make((stage, vk::ShaderCodeTypeEXT::BINARY, &binary), &[])
            .expect("a shader")
    }

    /// Sets all state that draws of whole triangles have.
    fn set_state(&self, device: &Device, cb: vk::CommandBuffer) {
        let raw = &device.raw;
        let extent = vk::Extent2D {
            width: SIZE,
            height: SIZE,
        };
        let viewport = vk::Viewport {
            width: SIZE as f32,
            height: SIZE as f32,
            max_depth: 1.0,
            ..Default::default()
        };
        let scissor = vk::Rect2D {
            extent,
            ..Default::default()
        };
        let binding = |binding, stride| {
            vk::VertexInputBindingDescription2EXT::default()
                .binding(binding)
                .stride(stride)
                .input_rate(if binding == 0 {
                    vk::VertexInputRate::VERTEX
                } else {
                    vk::VertexInputRate::INSTANCE
                })
                .divisor(1)
        };
        let attribute = |location, format| {
            vk::VertexInputAttributeDescription2EXT::default()
                .location(location)
                .binding(location)
                .format(format)
        };
        let attributes = [
            attribute(0, vk::Format::R32G32_SFLOAT),
            attribute(1, vk::Format::R8G8B8A8_UNORM),
        ];
        // SAFETY: the structures are valid.
        unsafe {
            raw.cmd_set_viewport_with_count(cb, &[viewport]);
            raw.cmd_set_scissor_with_count(cb, &[scissor]);
            raw.cmd_set_cull_mode(cb, vk::CullModeFlags::NONE);
            raw.cmd_set_front_face(cb, vk::FrontFace::CLOCKWISE);
            raw.cmd_set_primitive_topology(cb, vk::PrimitiveTopology::TRIANGLE_STRIP);
            raw.cmd_set_primitive_restart_enable(cb, false);
            raw.cmd_set_rasterizer_discard_enable(cb, false);
            raw.cmd_set_depth_test_enable(cb, false);
            raw.cmd_set_depth_write_enable(cb, false);
            raw.cmd_set_depth_bias_enable(cb, false);
            raw.cmd_set_depth_bounds_test_enable(cb, false);
            raw.cmd_set_stencil_test_enable(cb, false);
            let state = &self.state3;
            state.cmd_set_polygon_mode(cb, vk::PolygonMode::FILL);
            state.cmd_set_rasterization_samples(cb, vk::SampleCountFlags::TYPE_1);
            state.cmd_set_sample_mask(cb, vk::SampleCountFlags::TYPE_1, &[u32::MAX]);
            state.cmd_set_alpha_to_coverage_enable(cb, false);
            state.cmd_set_color_blend_enable(cb, 0, &[vk::FALSE]);
            state.cmd_set_color_write_mask(cb, 0, &[vk::ColorComponentFlags::RGBA]);
            self.input
                .cmd_set_vertex_input(cb, &[binding(0, 8), binding(1, 4)], &attributes);
        }
    }
}

/// A target to draw to, and quads of a corner each.
struct Picture {
    color: Image,
    view: vk::ImageView,
    vertices: Buffer,
    colors: Buffer,
}

impl Picture {
    fn new(device: &Device) -> Self {
        let format = vk::Format::R8G8B8A8_UNORM;
        let color = Image::new(
            device,
            &ImageDesc {
                usage: vk::ImageUsageFlags::COLOR_ATTACHMENT | vk::ImageUsageFlags::TRANSFER_SRC,
                ..ImageDesc::new(format, [SIZE, SIZE, 1])
            },
        );
        let range = vk::ImageSubresourceRange {
            aspect_mask: Aspect::COLOR,
            level_count: 1,
            layer_count: 1,
            ..Default::default()
        };
        let info = vk::ImageViewCreateInfo::default()
            .image(color.raw)
            .view_type(vk::ImageViewType::TYPE_2D)
            .format(format)
            .subresource_range(range);
        let corners = [[-1.0_f32, -1.0], [0.0, -1.0], [-1.0, 0.0], [0.0, 0.0]];
        let corners = corners.as_flattened().iter().flat_map(|f| f.to_le_bytes());
        Self {
            // SAFETY: the image is bound and has this range.
            view: unsafe { device.raw.create_image_view(&info, None) }.expect("a view"),
            vertices: Buffer::with(device, &corners.collect::<Vec<u8>>()),
            colors: Buffer::with(device, &[RED, GREEN, BLUE].map(u32::to_le_bytes).concat()),
            color,
        }
    }

    /// Draws, and gives a texel of each quarter.
    fn draw(&self, device: &Device, f: impl FnOnce(vk::CommandBuffer)) -> [u32; 4] {
        let attachments = [vk::RenderingAttachmentInfo::default()
            .image_view(self.view)
            .image_layout(GENERAL)
            .load_op(vk::AttachmentLoadOp::CLEAR)
            .store_op(vk::AttachmentStoreOp::STORE)];
        let info = vk::RenderingInfo::default()
            .render_area(vk::Rect2D {
                extent: vk::Extent2D {
                    width: SIZE,
                    height: SIZE,
                },
                ..Default::default()
            })
            .layer_count(1)
            .color_attachments(&attachments);
        let out = Buffer::new(device, (SIZE * SIZE * 4) as usize);
        let raw = &device.raw;
        run(device, |cb| {
            // SAFETY: all is alive, and within bounds.
            unsafe {
                raw.cmd_begin_rendering(cb, &info);
                raw.cmd_bind_vertex_buffers(cb, 0, &[self.vertices.raw, self.colors.raw], &[0, 0]);
                f(cb);
                raw.cmd_end_rendering(cb);
                let region = [whole(Aspect::COLOR, [SIZE, SIZE, 1])];
                raw.cmd_copy_image_to_buffer(cb, self.color.raw, GENERAL, out.raw, &region);
            }
        });
        let words = out.words();
        out.destroy(device);
        [(4, 4), (12, 4), (4, 12), (12, 12)].map(|(x, y)| words[y * SIZE as usize + x])
    }
}

#[test]
fn shaders_are_bound_one_by_one() {
    use vk::ShaderStageFlags as Stage;
    let device = device();
    let objects = Objects::new(&device);
    let picture = Picture::new(&device);
    let layout = Pipeline::layout(&device, &[], 12);
    let vert = objects.spirv(Stage::VERTEX, include_bytes!("../shaders/test/flat.vert.spv"));
    let frag = objects.spirv(Stage::FRAGMENT, include_bytes!("../shaders/test/flat.frag.spv"));
    let again = [
        objects.again(Stage::VERTEX, vert),
        objects.again(Stage::FRAGMENT, frag),
    ];
    let raw = &device.raw;
    let push = |cb, shift: [f32; 3]| {
        let bytes: Vec<u8> = shift.iter().flat_map(|f| f.to_le_bytes()).collect();
        // SAFETY: the layout has these constants.
        unsafe { raw.cmd_push_constants(cb, layout, ALL, 0, &bytes) };
    };
    let quarters = picture.draw(&device, |cb| {
        objects.set_state(&device, cb);
        // SAFETY: the draws stay within the buffers.
        unsafe {
            objects
                .shaders
                .cmd_bind_shaders(cb, &[Stage::VERTEX, Stage::FRAGMENT], &[vert, frag]);
            push(cb, [0.0; 3]);
            raw.cmd_draw(cb, 4, 1, 0, 0);
            // One of them, and state, are changed between draws.
            objects
                .shaders
                .cmd_bind_shaders(cb, &[Stage::FRAGMENT], &[again[1]]);
            push(cb, [1.0, 0.0, 0.0]);
            raw.cmd_draw(cb, 4, 1, 0, 1);
            objects
                .shaders
                .cmd_bind_shaders(cb, &[Stage::VERTEX], &[again[0]]);
            let masks = [vk::ColorComponentFlags::B];
            objects.state3.cmd_set_color_write_mask(cb, 0, &masks);
            push(cb, [0.0, 1.0, 0.0]);
            raw.cmd_draw(cb, 4, 1, 0, 2);
            // Without a fragment shader no colour is written.
            objects
                .shaders
                .cmd_bind_shaders(cb, &[Stage::FRAGMENT], &[vk::ShaderEXT::null()]);
            push(cb, [1.0, 1.0, 0.0]);
            raw.cmd_draw(cb, 4, 1, 0, 2);
        }
    });
    assert_eq!(quarters, [RED, GREEN, 0x00ff_0000, 0]);
    // SAFETY: no work is pending.
    unsafe {
        for shader in [vert, frag, again[0], again[1]] {
            objects.shaders.destroy_shader(shader, None);
        }
        raw.destroy_pipeline_layout(layout, None);
        raw.destroy_image_view(picture.view, None);
    }
}

#[test]
fn compute_shaders_are_objects_and_bad_binaries_are_refused() {
    use vk::ShaderStageFlags as Stage;
    let device = device();
    let objects = Objects::new(&device);
    let buffer = Buffer::new(&device, 256);
    let set = BufferSet::new(&device, vk::DescriptorType::STORAGE_BUFFER, &buffer, 256);
    let layout = Pipeline::layout(&device, &[set.layout], 12);
    let code = include_bytes!("../shaders/test/fill.comp.spv");
    let spirv = vk::ShaderCodeTypeEXT::SPIRV;
    let shader = objects
        .make((Stage::COMPUTE, spirv, code), &[set.layout])
        .expect("a shader");
    let raw = &device.raw;
    run(&device, |cb| {
        // SAFETY: all is alive.
        unsafe {
            objects.shaders.cmd_bind_shaders(cb, &[Stage::COMPUTE], &[shader]);
            raw.cmd_bind_descriptor_sets(cb, vk::PipelineBindPoint::COMPUTE, layout, 0, &[set.set], &[]);
            raw.cmd_push_constants(cb, layout, ALL, 0, &[0; 12]);
            raw.cmd_dispatch(cb, 1, 1, 1);
        }
    });
    assert!(buffer.words().iter().any(|word| *word != 0));
    // SAFETY: the shader is there.
    let mut binary = unsafe { objects.shaders.get_shader_binary_data(shader) }.expect("a binary");
    binary[40] ^= 1;
    let damaged = objects.make(
        (Stage::COMPUTE, vk::ShaderCodeTypeEXT::BINARY, &binary),
        &[set.layout],
    );
    assert_eq!(damaged, Err(vk::Result::INCOMPATIBLE_SHADER_BINARY_EXT));
    // SAFETY: no work is pending.
    unsafe {
        objects.shaders.destroy_shader(shader, None);
        raw.destroy_pipeline_layout(layout, None);
    }
    set.destroy(&device);
}

#[test]
fn attachments_have_the_locations_that_are_set_until_the_end() {
    use vk::ShaderStageFlags as Stage;
    let device = device();
    let objects = Objects::new(&device);
    let picture = Picture::new(&device);
    let layout = Pipeline::layout(&device, &[], 12);
    let vert = objects.spirv(Stage::VERTEX, include_bytes!("../shaders/test/flat.vert.spv"));
    let frag = objects.spirv(Stage::FRAGMENT, include_bytes!("../shaders/test/flat.frag.spv"));
    let raw = &device.raw;
    let local = ash::khr::dynamic_rendering_local_read::Device::new(&device.instance.raw, raw);
    let draw = |locations: Option<u32>| {
        picture.draw(&device, |cb| {
            objects.set_state(&device, cb);
            // SAFETY: the draw stays within the buffers.
            unsafe {
                if let Some(location) = locations {
                    let locations = [location];
                    let info = vk::RenderingAttachmentLocationInfoKHR::default()
                        .color_attachment_locations(&locations);
                    local.cmd_set_rendering_attachment_locations(cb, &info);
                }
                objects
                    .shaders
                    .cmd_bind_shaders(cb, &[Stage::VERTEX, Stage::FRAGMENT], &[vert, frag]);
                raw.cmd_push_constants(cb, layout, ALL, 0, &[0; 12]);
                raw.cmd_draw(cb, 4, 1, 0, 0);
            }
        })
    };
    assert_eq!(draw(Some(vk::ATTACHMENT_UNUSED))[0], 0, "no output goes there");
    assert_eq!(draw(Some(0))[0], RED);
    assert_eq!(draw(None)[0], RED, "each has its own again");
    // SAFETY: no work is pending.
    unsafe {
        objects.shaders.destroy_shader(vert, None);
        objects.shaders.destroy_shader(frag, None);
        raw.destroy_pipeline_layout(layout, None);
        raw.destroy_image_view(picture.view, None);
    }
}
