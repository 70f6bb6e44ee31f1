//! Sets the scene up on a device and draws its frames.

use crate::context::{Context, Object};
use crate::error::{Named, Result};
use crate::mesh::Meshes;
use crate::picture::Picture;
use crate::pipelines::{COLOUR, DEPTH, OBJECT_STAGES, PARTICLE_BYTES, Pipelines, SAMPLES};
use crate::resources::{Buffer, Image, levels};
use crate::scene::{FrameUniforms, PARTICLES, SKY, Scene};
use ash::vk;
use std::ffi::CString;

const TEXTURE_SIZE: u32 = 256;
const TEXTURE_LEVELS: u32 = TEXTURE_SIZE.ilog2() + 1;
const COLOUR_ASPECT: vk::ImageAspectFlags = vk::ImageAspectFlags::COLOR;

/// Everything that lives as long as the device.
pub(crate) struct Renderer<'c> {
    context: &'c Context<'c>,
    size: vk::Extent2D,
    meshes: Meshes,
    pipelines: Pipelines,
    vertices: Buffer,
    indices: Buffer,
    particles: Buffer,
    uniforms: Buffer,
    texture: Image,
    /// What the frame is resolved into.
    picture: Image,
    framebuffer: vk::Framebuffer,
    read_back: Buffer,
    compute_set: vk::DescriptorSet,
    draw_set: vk::DescriptorSet,
}

impl<'c> Renderer<'c> {
    /// Makes all objects and fills buffers and texture, in one submission.
    pub(crate) fn new(context: &'c Context<'c>, size: vk::Extent2D) -> Result<Self> {
        let meshes = Meshes::new();
        let pipelines = Pipelines::new(context, size)?;
        let device_buffer = |size: usize, usage| {
            context.device_buffer(size as u64, usage | vk::BufferUsageFlags::TRANSFER_DST)
        };
        let texture = texture(context)?;
        let (picture, framebuffer) = targets(context, size, pipelines.render_pass)?;
        let particles = context.device_buffer(
            u64::from(PARTICLES * PARTICLE_BYTES),
            vk::BufferUsageFlags::STORAGE_BUFFER | vk::BufferUsageFlags::VERTEX_BUFFER,
        )?;
        let uniforms = context.host_buffer(
            size_of::<FrameUniforms>() as u64,
            vk::BufferUsageFlags::UNIFORM_BUFFER,
        )?;
        let pixels = u64::from(size.width) * u64::from(size.height);
        let (compute_set, draw_set) = sets(context, &pipelines, &texture, particles, uniforms)?;
        let renderer = Renderer {
            context,
            size,
            vertices: device_buffer(
                size_of_val(&meshes.vertices[..]),
                vk::BufferUsageFlags::VERTEX_BUFFER,
            )?,
            indices: device_buffer(
                size_of_val(&meshes.indices[..]),
                vk::BufferUsageFlags::INDEX_BUFFER,
            )?,
            meshes,
            pipelines,
            particles,
            uniforms,
            texture,
            picture,
            framebuffer,
            read_back: context.host_buffer(pixels * 4, vk::BufferUsageFlags::TRANSFER_DST)?,
            compute_set,
            draw_set,
        };
        renderer.prepare()?;
        Ok(renderer)
    }

    fn prepare(&self) -> Result {
        let context = self.context;
        let vertices = context.staging_buffer(bytemuck::cast_slice(&self.meshes.vertices))?;
        let indices = context.staging_buffer(bytemuck::cast_slice(&self.meshes.indices))?;
        context.run(|commands| {
            context.begin_label(commands, c"preparation");
            for (from, to) in [(vertices, self.vertices), (indices, self.indices)] {
                let region = vk::BufferCopy::default().size(from.size);
                // SAFETY: both buffers are alive and as long as the region.
                unsafe {
                    context
                        .device
                        .cmd_copy_buffer(commands, from.raw, to.raw, &[region]);
                };
            }
            let barrier = vk::MemoryBarrier::default()
                .src_access_mask(vk::AccessFlags::TRANSFER_WRITE)
                .dst_access_mask(vk::AccessFlags::VERTEX_ATTRIBUTE_READ | vk::AccessFlags::INDEX_READ);
            // SAFETY: the command buffer is being recorded, outside a render pass.
            unsafe {
                context.device.cmd_pipeline_barrier(
                    commands,
                    vk::PipelineStageFlags::TRANSFER,
                    vk::PipelineStageFlags::VERTEX_INPUT,
                    vk::DependencyFlags::empty(),
                    &[barrier],
                    &[],
                    &[],
                );
            }
            self.fill_texture(commands);
            context.end_label(commands);
            Ok(())
        })
    }

    /// A compute shader writes level 0; each other level is made from the one before.
    fn fill_texture(&self, commands: vk::CommandBuffer) {
        use vk::{AccessFlags as Access, ImageLayout as Layout, PipelineStageFlags as Stage};
        let (device, image) = (&self.context.device, self.texture.raw);
        let write = (Stage::COMPUTE_SHADER, Access::SHADER_WRITE, Layout::GENERAL);
        let unused = (Stage::TOP_OF_PIPE, Access::empty(), Layout::UNDEFINED);
        let target = (
            Stage::TRANSFER,
            Access::TRANSFER_WRITE,
            Layout::TRANSFER_DST_OPTIMAL,
        );
        let source = (
            Stage::TRANSFER,
            Access::TRANSFER_READ,
            Layout::TRANSFER_SRC_OPTIMAL,
        );
        let sampled = (
            Stage::FRAGMENT_SHADER,
            Access::SHADER_READ,
            Layout::SHADER_READ_ONLY_OPTIMAL,
        );
        let level = |n| levels(COLOUR_ASPECT, n, 1);
        self.transition(commands, image, level(0), unused, write);
        // SAFETY: the objects are alive and fit each other; the set holds level 0 in the layout it has.
        unsafe {
            device.cmd_bind_pipeline(commands, vk::PipelineBindPoint::COMPUTE, self.pipelines.texture);
            self.bind_compute_set(commands);
            device.cmd_dispatch(commands, TEXTURE_SIZE / 8, TEXTURE_SIZE / 8, 1);
        }
        self.transition(commands, image, level(0), write, source);
        for n in 1..TEXTURE_LEVELS {
            self.transition(commands, image, level(n), unused, target);
            let end = |level: u32| {
                let size = (TEXTURE_SIZE >> level).max(1) as i32;
                [
                    vk::Offset3D::default(),
                    vk::Offset3D {
                        x: size,
                        y: size,
                        z: 1,
                    },
                ]
            };
            let layer = |level| {
                vk::ImageSubresourceLayers::default()
                    .aspect_mask(COLOUR_ASPECT)
                    .mip_level(level)
                    .layer_count(1)
            };
            let blit = vk::ImageBlit {
                src_subresource: layer(n - 1),
                src_offsets: end(n - 1),
                dst_subresource: layer(n),
                dst_offsets: end(n),
            };
            // SAFETY: both levels are in the layouts given, and the regions are within them.
            unsafe {
                device.cmd_blit_image(
                    commands,
                    image,
                    source.2,
                    image,
                    target.2,
                    &[blit],
                    vk::Filter::LINEAR,
                );
            }
            self.transition(commands, image, level(n), target, source);
        }
        self.transition(
            commands,
            image,
            levels(COLOUR_ASPECT, 0, TEXTURE_LEVELS),
            source,
            sampled,
        );
    }

    /// A barrier with a change of layout. Each end is a stage, an access and a layout.
    fn transition(
        &self,
        commands: vk::CommandBuffer,
        image: vk::Image,
        range: vk::ImageSubresourceRange,
        from: (vk::PipelineStageFlags, vk::AccessFlags, vk::ImageLayout),
        to: (vk::PipelineStageFlags, vk::AccessFlags, vk::ImageLayout),
    ) {
        let barrier = vk::ImageMemoryBarrier::default()
            .src_access_mask(from.1)
            .dst_access_mask(to.1)
            .old_layout(from.2)
            .new_layout(to.2)
            .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .image(image)
            .subresource_range(range);
        // SAFETY: the image is alive; the command buffer is being recorded, outside a render pass.
        unsafe {
            self.context.device.cmd_pipeline_barrier(
                commands,
                from.0,
                to.0,
                vk::DependencyFlags::empty(),
                &[],
                &[],
                &[barrier],
            );
        }
    }

    fn bind_compute_set(&self, commands: vk::CommandBuffer) {
        // SAFETY: set and layout are alive and fit each other; the command buffer is being recorded.
        unsafe {
            self.context.device.cmd_bind_descriptor_sets(
                commands,
                vk::PipelineBindPoint::COMPUTE,
                self.pipelines.compute_layout,
                0,
                &[self.compute_set],
                &[],
            );
        }
    }

    /// Draws a frame, in one submission.
    pub(crate) fn frame(&self, number: u32) -> Result<Picture> {
        let context = self.context;
        let scene = Scene::at(number, self.size.width as f32 / self.size.height as f32);
        context.with_mapped(self.uniforms, |memory| {
            memory.copy_from_slice(bytemuck::bytes_of(&scene.frame));
        })?;
        context.run(|commands| {
            let name = CString::new(format!("frame {number}")).unwrap_or_default();
            context.begin_label(commands, &name);
            context.begin_label(commands, c"sparks move");
            self.move_particles(commands, &scene);
            context.end_label(commands);
            context.begin_label(commands, c"scene");
            self.draw(commands, &scene);
            context.end_label(commands);
            context.begin_label(commands, c"read back");
            self.copy_picture(commands);
            context.end_label(commands);
            context.end_label(commands);
            Ok(())
        })?;
        Ok(Picture {
            width: self.size.width,
            height: self.size.height,
            pixels: context.with_mapped(self.read_back, |memory| memory.to_vec())?,
        })
    }

    fn move_particles(&self, commands: vk::CommandBuffer, scene: &Scene) {
        let device = &self.context.device;
        let barrier = vk::BufferMemoryBarrier::default()
            .src_access_mask(vk::AccessFlags::SHADER_WRITE)
            .dst_access_mask(vk::AccessFlags::VERTEX_ATTRIBUTE_READ)
            .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .buffer(self.particles.raw)
            .size(vk::WHOLE_SIZE);
        // SAFETY: the objects are alive and fit each other; the command buffer is being recorded, outside a render
        // pass.
        unsafe {
            device.cmd_bind_pipeline(commands, vk::PipelineBindPoint::COMPUTE, self.pipelines.particles);
            self.bind_compute_set(commands);
            device.cmd_push_constants(
                commands,
                self.pipelines.compute_layout,
                vk::ShaderStageFlags::COMPUTE,
                0,
                bytemuck::bytes_of(&scene.particles),
            );
            device.cmd_dispatch(commands, PARTICLES.div_ceil(64), 1, 1);
            device.cmd_pipeline_barrier(
                commands,
                vk::PipelineStageFlags::COMPUTE_SHADER,
                vk::PipelineStageFlags::VERTEX_INPUT,
                vk::DependencyFlags::empty(),
                &[],
                &[barrier],
                &[],
            );
        }
    }

    fn draw(&self, commands: vk::CommandBuffer, scene: &Scene) {
        let (device, pipelines) = (&self.context.device, &self.pipelines);
        let clears = [
            vk::ClearValue {
                color: vk::ClearColorValue { float32: SKY },
            },
            vk::ClearValue {
                depth_stencil: vk::ClearDepthStencilValue {
                    depth: 1.0,
                    stencil: 0,
                },
            },
        ];
        let begin = vk::RenderPassBeginInfo::default()
            .render_pass(pipelines.render_pass)
            .framebuffer(self.framebuffer)
            .render_area(self.size.into())
            .clear_values(&clears);
        // SAFETY: the objects are alive and fit each other; the command buffer is being recorded; buffers are as long
        // as what is drawn from them.
        unsafe {
            device.cmd_begin_render_pass(commands, &begin, vk::SubpassContents::INLINE);
            device.cmd_bind_pipeline(commands, vk::PipelineBindPoint::GRAPHICS, pipelines.mesh);
            device.cmd_bind_descriptor_sets(
                commands,
                vk::PipelineBindPoint::GRAPHICS,
                pipelines.draw_layout,
                0,
                &[self.draw_set],
                &[],
            );
            device.cmd_bind_vertex_buffers(commands, 0, &[self.vertices.raw], &[0]);
            device.cmd_bind_index_buffer(commands, self.indices.raw, 0, vk::IndexType::UINT16);
            for (shape, constants) in &scene.objects {
                device.cmd_push_constants(
                    commands,
                    pipelines.draw_layout,
                    OBJECT_STAGES,
                    0,
                    bytemuck::bytes_of(constants),
                );
                let range = self.meshes.range(*shape);
                device.cmd_draw_indexed(commands, range.len() as u32, 1, range.start, 0, 0);
            }
            device.cmd_bind_pipeline(commands, vk::PipelineBindPoint::GRAPHICS, pipelines.sparks);
            device.cmd_bind_vertex_buffers(commands, 0, &[self.particles.raw], &[0]);
            device.cmd_draw(commands, 4, PARTICLES, 0, 0);
            device.cmd_end_render_pass(commands);
        }
    }

    /// The render pass leaves the picture ready to be copied.
    fn copy_picture(&self, commands: vk::CommandBuffer) {
        let device = &self.context.device;
        let region = vk::BufferImageCopy::default()
            .image_subresource(
                vk::ImageSubresourceLayers::default()
                    .aspect_mask(COLOUR_ASPECT)
                    .layer_count(1),
            )
            .image_extent(self.size.into());
        let barrier = vk::MemoryBarrier::default()
            .src_access_mask(vk::AccessFlags::TRANSFER_WRITE)
            .dst_access_mask(vk::AccessFlags::HOST_READ);
        // SAFETY: image and buffer are alive, in the layout given, and as large as the region.
        unsafe {
            device.cmd_copy_image_to_buffer(
                commands,
                self.picture.raw,
                vk::ImageLayout::TRANSFER_SRC_OPTIMAL,
                self.read_back.raw,
                &[region],
            );
            device.cmd_pipeline_barrier(
                commands,
                vk::PipelineStageFlags::TRANSFER,
                vk::PipelineStageFlags::HOST,
                vk::DependencyFlags::empty(),
                &[barrier],
                &[],
                &[],
            );
        }
    }
}

fn texture(context: &Context<'_>) -> Result<Image> {
    let usage = vk::ImageUsageFlags::STORAGE
        | vk::ImageUsageFlags::SAMPLED
        | vk::ImageUsageFlags::TRANSFER_SRC
        | vk::ImageUsageFlags::TRANSFER_DST;
    let info = vk::ImageCreateInfo::default()
        .format(vk::Format::R8G8B8A8_UNORM)
        .extent(vk::Extent3D {
            width: TEXTURE_SIZE,
            height: TEXTURE_SIZE,
            depth: 1,
        })
        .mip_levels(TEXTURE_LEVELS)
        .samples(vk::SampleCountFlags::TYPE_1)
        .usage(usage);
    context.image(&info, COLOUR_ASPECT)
}

/// The picture, and the framebuffer that draws into it.
fn targets(
    context: &Context<'_>,
    size: vk::Extent2D,
    render_pass: vk::RenderPass,
) -> Result<(Image, vk::Framebuffer)> {
    let info = |format, samples, usage| {
        vk::ImageCreateInfo::default()
            .format(format)
            .extent(size.into())
            .mip_levels(1)
            .samples(samples)
            .usage(usage)
    };
    let colour_usage = vk::ImageUsageFlags::COLOR_ATTACHMENT;
    let colour = context.image(&info(COLOUR, SAMPLES, colour_usage), COLOUR_ASPECT)?;
    let depth_usage = vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT;
    let depth = context.image(&info(DEPTH, SAMPLES, depth_usage), vk::ImageAspectFlags::DEPTH)?;
    let picture_usage = colour_usage | vk::ImageUsageFlags::TRANSFER_SRC;
    let picture = context.image(
        &info(COLOUR, vk::SampleCountFlags::TYPE_1, picture_usage),
        COLOUR_ASPECT,
    )?;
    let views = [colour.view, depth.view, picture.view];
    let info = vk::FramebufferCreateInfo::default()
        .render_pass(render_pass)
        .attachments(&views)
        .width(size.width)
        .height(size.height)
        .layers(1);
    // SAFETY: render pass and views are alive and fit each other.
    let framebuffer =
        unsafe { context.device.create_framebuffer(&info, None) }.named("vkCreateFramebuffer")?;
    context.own(Object::Framebuffer(framebuffer));
    Ok((picture, framebuffer))
}

fn sampler(context: &Context<'_>) -> Result<vk::Sampler> {
    let info = vk::SamplerCreateInfo::default()
        .mag_filter(vk::Filter::LINEAR)
        .min_filter(vk::Filter::LINEAR)
        .mipmap_mode(vk::SamplerMipmapMode::LINEAR)
        .max_lod(vk::LOD_CLAMP_NONE);
    // SAFETY: the device is alive.
    let sampler = unsafe { context.device.create_sampler(&info, None) }.named("vkCreateSampler")?;
    context.own(Object::Sampler(sampler));
    Ok(sampler)
}

/// The descriptor sets of compute and of drawing.
fn sets(
    context: &Context<'_>,
    pipelines: &Pipelines,
    texture: &Image,
    particles: Buffer,
    uniforms: Buffer,
) -> Result<(vk::DescriptorSet, vk::DescriptorSet)> {
    let types = [
        vk::DescriptorType::STORAGE_IMAGE,
        vk::DescriptorType::STORAGE_BUFFER,
        vk::DescriptorType::UNIFORM_BUFFER,
        vk::DescriptorType::COMBINED_IMAGE_SAMPLER,
    ];
    let sizes = types.map(|ty| vk::DescriptorPoolSize {
        ty,
        descriptor_count: 1,
    });
    let info = vk::DescriptorPoolCreateInfo::default()
        .max_sets(2)
        .pool_sizes(&sizes);
    // SAFETY: the device is alive.
    let pool =
        unsafe { context.device.create_descriptor_pool(&info, None) }.named("vkCreateDescriptorPool")?;
    context.own(Object::DescriptorPool(pool));
    let layouts = [pipelines.compute_sets, pipelines.draw_sets];
    let info = vk::DescriptorSetAllocateInfo::default()
        .descriptor_pool(pool)
        .set_layouts(&layouts);
    // SAFETY: pool and layouts are alive.
    let sets = unsafe { context.device.allocate_descriptor_sets(&info) }.named("vkAllocateDescriptorSets")?;
    let level0 = context.image_view(
        texture.raw,
        vk::Format::R8G8B8A8_UNORM,
        levels(COLOUR_ASPECT, 0, 1),
    )?;
    let stored = [vk::DescriptorImageInfo::default()
        .image_view(level0)
        .image_layout(vk::ImageLayout::GENERAL)];
    let sampled = [vk::DescriptorImageInfo::default()
        .sampler(sampler(context)?)
        .image_view(texture.view)
        .image_layout(vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL)];
    let whole = |buffer: Buffer| {
        [vk::DescriptorBufferInfo::default()
            .buffer(buffer.raw)
            .range(vk::WHOLE_SIZE)]
    };
    let (particles, uniforms) = (whole(particles), whole(uniforms));
    let write = |set: usize, binding: u32, ty: usize| {
        vk::WriteDescriptorSet::default()
            .dst_set(sets[set])
            .dst_binding(binding)
            .descriptor_type(types[ty])
    };
    let writes = [
        write(0, 0, 0).image_info(&stored),
        write(0, 1, 1).buffer_info(&particles),
        write(1, 0, 2).buffer_info(&uniforms),
        write(1, 1, 3).image_info(&sampled),
    ];
    // SAFETY: the sets are new, and what is written into them is alive and of the types in their layouts.
    unsafe { context.device.update_descriptor_sets(&writes, &[]) };
    Ok((sets[0], sets[1]))
}
