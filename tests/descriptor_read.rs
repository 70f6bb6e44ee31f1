//! What shaders find in descriptor sets, whichever way the sets were written.

mod common;

use ash::vk;
use common::work::{Buffer, run, whole};
use common::{Device, compute, compute::DESCRIPTORS as BINDINGS};
use vk::DescriptorType as Type;

const SHADER: &[u8] = include_bytes!("../shaders/test/descriptors.comp.spv");
const ASPECT: vk::ImageAspectFlags = vk::ImageAspectFlags::COLOR;
const RESULT: usize = 13;

/// Everything that the shader reads.
struct World {
    device: Device,
    layouts: [vk::DescriptorSetLayout; 2],
    layout: vk::PipelineLayout,
    pipeline: vk::Pipeline,
    pool: vk::DescriptorPool,
    /// 64 words a slot of 256 bytes.
    data: Buffer,
    out: Buffer,
    texels: Buffer,
    texel_views: [vk::BufferView; 2],
    textures: Vec<compute::Texture>,
    sampler: vk::Sampler,
    /// What else is to be destroyed with it.
    extra: Vec<Buffer>,
}

/// What is at binding 0 to 10, as the infos of an update.
struct Infos {
    uniforms: [vk::DescriptorBufferInfo; 2],
    out: [vk::DescriptorBufferInfo; 1],
    dynamic: [vk::DescriptorBufferInfo; 1],
    views: [vk::BufferView; 2],
    combined: [vk::DescriptorImageInfo; 2],
    stored: [vk::DescriptorImageInfo; 1],
    separate: [vk::DescriptorImageInfo; 1],
    state: [vk::DescriptorImageInfo; 1],
}

impl World {
    /// `dynamic` is the type of binding 3 (there are no dynamic buffers in pushed sets).
    fn new(device: Device, flags: vk::DescriptorSetLayoutCreateFlags, dynamic: Type) -> World {
        let raw = &device.raw;
        let mut bindings = BINDINGS;
        for (_, ty, _) in &mut bindings {
            if *ty == Type::UNIFORM_BUFFER_DYNAMIC {
                *ty = dynamic;
            }
        }
        let layouts = [
            compute::set_layout(&device, flags, &bindings),
            compute::set_layout(&device, flags & BUFFERS, &[compute::OTHER]),
        ];
        let data = Buffer::with(&device, &compute::words((0..512).map(|w| 1000 + w)));
        let texels = Buffer::with(&device, &compute::words(50..58));
        let texel_view = |offset| {
            let info = vk::BufferViewCreateInfo::default()
                .buffer(texels.raw)
                .format(vk::Format::R32_UINT)
                .offset(offset)
                .range(16);
            // SAFETY: the structure is valid.
            unsafe { raw.create_buffer_view(&info, None) }.expect("a view")
        };
        let texel_views = [texel_view(0), texel_view(16)];
        let pool = compute::pool(&device, 8, &bindings);
        let sampler = vk::SamplerCreateInfo::default().address_mode_u(vk::SamplerAddressMode::CLAMP_TO_EDGE);
        // SAFETY: the structure is valid.
        let sampler = unsafe { raw.create_sampler(&sampler, None) }.expect("a sampler");
        let pipeline_flags = match flags {
            BUFFERS => vk::PipelineCreateFlags::DESCRIPTOR_BUFFER_EXT,
            _ => vk::PipelineCreateFlags::empty(),
        };
        let (layout, pipeline) = compute::pipeline(&device, SHADER, &layouts, pipeline_flags);
        let textures = (0..4).map(|n| compute::texture(&device, 100 * (n + 1))).collect();
        let out = Buffer::new(&device, RESULT * 4);
        World {
            layouts,
            layout,
            pipeline,
            pool,
            data,
            out,
            texels,
            texel_views,
            textures,
            sampler,
            device,
            extra: vec![],
        }
    }

    fn infos(&self) -> Infos {
        let slot = |n: u64| vk::DescriptorBufferInfo {
            buffer: self.data.raw,
            offset: n * 256,
            range: 16,
        };
        let image = |n: usize| vk::DescriptorImageInfo {
            sampler: self.sampler,
            image_view: self.textures[n].view,
            image_layout: vk::ImageLayout::GENERAL,
        };
        Infos {
            uniforms: [slot(0), slot(1)],
            out: [vk::DescriptorBufferInfo {
                buffer: self.out.raw,
                offset: 0,
                range: vk::WHOLE_SIZE,
            }],
            dynamic: [slot(2)],
            views: self.texel_views,
            combined: [image(0), image(1)],
            stored: [image(2)],
            separate: [image(3)],
            state: [image(0)],
        }
    }

    fn sets(&self, layout: usize, count: usize) -> Vec<vk::DescriptorSet> {
        let layouts = vec![self.layouts[layout]; count];
        let info = vk::DescriptorSetAllocateInfo::default()
            .descriptor_pool(self.pool)
            .set_layouts(&layouts);
        // SAFETY: pool and layouts are alive.
        unsafe { self.device.raw.allocate_descriptor_sets(&info) }.expect("sets")
    }

    /// Set 1, which is the same in all tests.
    fn other(&self) -> vk::DescriptorSet {
        let set = self.sets(1, 1)[0];
        let info = [vk::DescriptorBufferInfo {
            buffer: self.data.raw,
            offset: 1024,
            range: 12,
        }];
        let write = vk::WriteDescriptorSet::default()
            .dst_set(set)
            .dst_binding(3)
            .descriptor_type(Type::STORAGE_BUFFER)
            .buffer_info(&info);
        // SAFETY: the set is not in use.
        unsafe { self.device.raw.update_descriptor_sets(&[write], &[]) };
        set
    }

    /// Dispatches after `bind` and checks what the shader read; `dynamic` is the offset of binding 3 in bytes.
    fn check(self, dynamic: u32, bind: impl FnOnce(&World, vk::CommandBuffer)) {
        let raw = &self.device.raw;
        run(&self.device, |cb| {
            // SAFETY: everything is alive until the work is done.
            unsafe {
                raw.cmd_bind_pipeline(cb, vk::PipelineBindPoint::COMPUTE, self.pipeline);
                bind(&self, cb);
                raw.cmd_dispatch(cb, 1, 1, 1);
            }
        });
        let expected = [
            1000,
            1064,
            1128 + dynamic / 4,
            51,
            56,
            201,
            401,
            302,
            1257,
            3,
            0,
            4,
            102,
        ];
        assert_eq!(self.out.words(), expected);
        assert_eq!(self.texels.words()[4], 78);
        let read = Buffer::new(&self.device, 16);
        run(&self.device, |cb| {
            let copy = [whole(ASPECT, [2, 2, 1])];
            let image = self.textures[2].image.raw;
            // SAFETY: the copy lies within image and buffer.
            unsafe { raw.cmd_copy_image_to_buffer(cb, image, vk::ImageLayout::GENERAL, read.raw, &copy) };
        });
        assert_eq!(read.words(), [300, 301, 302, 77]);
        read.destroy(&self.device);
        self.destroy();
    }

    fn destroy(self) {
        let World {
            device,
            layouts,
            layout,
            pipeline,
            pool,
            data,
            out,
            texels,
            texel_views,
            textures,
            sampler,
            extra,
        } = self;
        // SAFETY: no work is pending.
        unsafe {
            device.raw.destroy_pipeline(pipeline, None);
            device.raw.destroy_pipeline_layout(layout, None);
            device.raw.destroy_descriptor_pool(pool, None);
            layouts
                .into_iter()
                .for_each(|l| device.raw.destroy_descriptor_set_layout(l, None));
            texel_views
                .into_iter()
                .for_each(|v| device.raw.destroy_buffer_view(v, None));
            device.raw.destroy_sampler(sampler, None);
        }
        textures.into_iter().for_each(|t| t.destroy(&device));
        [data, out, texels]
            .into_iter()
            .chain(extra)
            .for_each(|b| b.destroy(&device));
    }
}

impl Infos {
    /// The writes of set 0, the two uniform buffers among them as one write.
    fn writes(&self, set: vk::DescriptorSet, dynamic: Type) -> Vec<vk::WriteDescriptorSet<'_>> {
        let write = |binding, ty| {
            vk::WriteDescriptorSet::default()
                .dst_set(set)
                .dst_binding(binding)
                .descriptor_type(ty)
        };
        vec![
            write(0, Type::UNIFORM_BUFFER).buffer_info(&self.uniforms),
            write(2, Type::STORAGE_BUFFER).buffer_info(&self.out),
            write(3, dynamic).buffer_info(&self.dynamic),
            write(4, Type::UNIFORM_TEXEL_BUFFER).texel_buffer_view(&self.views[..1]),
            write(5, Type::STORAGE_TEXEL_BUFFER).texel_buffer_view(&self.views[1..]),
            write(6, Type::COMBINED_IMAGE_SAMPLER).image_info(&self.combined),
            write(8, Type::STORAGE_IMAGE).image_info(&self.stored),
            write(9, Type::SAMPLED_IMAGE).image_info(&self.separate),
            write(10, Type::SAMPLER).image_info(&self.state),
        ]
    }
}

const BUFFERS: vk::DescriptorSetLayoutCreateFlags = vk::DescriptorSetLayoutCreateFlags::DESCRIPTOR_BUFFER_EXT;
const PLAIN: vk::DescriptorSetLayoutCreateFlags = vk::DescriptorSetLayoutCreateFlags::empty();
const COMPUTE: vk::PipelineBindPoint = vk::PipelineBindPoint::COMPUTE;

#[test]
fn written_sets() {
    let world = World::new(Device::new(), PLAIN, Type::UNIFORM_BUFFER_DYNAMIC);
    let set = world.sets(0, 1)[0];
    // SAFETY: the set is not in use.
    unsafe {
        world
            .device
            .raw
            .update_descriptor_sets(&world.infos().writes(set, Type::UNIFORM_BUFFER_DYNAMIC), &[]);
    }
    // SAFETY: the sets are alive, as in all tests below.
    world.check(256, |w, cb| unsafe {
        w.device
            .raw
            .cmd_bind_descriptor_sets(cb, COMPUTE, w.layout, 0, &[set, w.other()], &[256]);
    });
}

#[test]
fn copied_sets() {
    let world = World::new(Device::new(), PLAIN, Type::UNIFORM_BUFFER_DYNAMIC);
    let sets = world.sets(0, 2);
    let copies: Vec<_> = BINDINGS
        .iter()
        .map(|&(binding, _, count)| {
            vk::CopyDescriptorSet::default()
                .src_set(sets[0])
                .src_binding(binding)
                .dst_set(sets[1])
                .dst_binding(binding)
                .descriptor_count(count)
        })
        .collect();
    // SAFETY: the sets are not in use.
    unsafe {
        let writes = world.infos();
        world
            .device
            .raw
            .update_descriptor_sets(&writes.writes(sets[0], Type::UNIFORM_BUFFER_DYNAMIC), &copies);
    }
    // SAFETY: as above.
    world.check(0, |w, cb| unsafe {
        w.device
            .raw
            .cmd_bind_descriptor_sets(cb, COMPUTE, w.layout, 0, &[sets[1], w.other()], &[0]);
    });
}

/// An update template whose data is [`Infos`].
fn template(
    world: &World,
    dynamic: Type,
    info: vk::DescriptorUpdateTemplateCreateInfo<'_>,
) -> vk::DescriptorUpdateTemplate {
    use std::mem::offset_of;
    let offsets = [
        offset_of!(Infos, uniforms),
        offset_of!(Infos, out),
        offset_of!(Infos, dynamic),
        offset_of!(Infos, views),
        offset_of!(Infos, views) + size_of::<vk::BufferView>(),
        offset_of!(Infos, combined),
        offset_of!(Infos, stored),
        offset_of!(Infos, separate),
        offset_of!(Infos, state),
    ];
    let entries: Vec<_> = BINDINGS
        .iter()
        .zip(offsets)
        .map(
            |(&(binding, ty, count), offset)| vk::DescriptorUpdateTemplateEntry {
                dst_binding: binding,
                dst_array_element: 0,
                descriptor_count: count,
                descriptor_type: if ty == Type::UNIFORM_BUFFER_DYNAMIC {
                    dynamic
                } else {
                    ty
                },
                offset,
                stride: size_of::<vk::DescriptorBufferInfo>(),
            },
        )
        .collect();
    let info = info.descriptor_update_entries(&entries);
    // SAFETY: the structure is valid.
    unsafe { world.device.raw.create_descriptor_update_template(&info, None) }.expect("a template")
}

#[test]
fn sets_written_by_template() {
    let world = World::new(Device::new(), PLAIN, Type::UNIFORM_BUFFER_DYNAMIC);
    let set = world.sets(0, 1)[0];
    let info = vk::DescriptorUpdateTemplateCreateInfo::default()
        .template_type(vk::DescriptorUpdateTemplateType::DESCRIPTOR_SET)
        .descriptor_set_layout(world.layouts[0]);
    let template = template(&world, Type::UNIFORM_BUFFER_DYNAMIC, info);
    // SAFETY: the data is what the template says; the set is not in use.
    unsafe {
        let infos = world.infos();
        world
            .device
            .raw
            .update_descriptor_set_with_template(set, template, (&raw const infos).cast());
        world
            .device
            .raw
            .destroy_descriptor_update_template(template, None);
    }
    // SAFETY: as above.
    world.check(64, |w, cb| unsafe {
        w.device
            .raw
            .cmd_bind_descriptor_sets(cb, COMPUTE, w.layout, 0, &[set, w.other()], &[64]);
    });
}

fn push_device() -> (Device, ash::khr::push_descriptor::Device) {
    let names = [
        ash::khr::push_descriptor::NAME.as_ptr(),
        ash::khr::maintenance6::NAME.as_ptr(),
    ];
    let mut six = vk::PhysicalDeviceMaintenance6FeaturesKHR::default().maintenance6(true);
    let info = vk::DeviceCreateInfo::default()
        .enabled_extension_names(&names)
        .push_next(&mut six);
    let device = Device::create(common::Instance::new(), info);
    let push = ash::khr::push_descriptor::Device::new(&device.instance.raw, &device.raw);
    (device, push)
}

fn six(device: &Device) -> ash::khr::maintenance6::Device {
    ash::khr::maintenance6::Device::new(&device.instance.raw, &device.raw)
}

/// Stages of both bind points.
const STAGES: vk::ShaderStageFlags = vk::ShaderStageFlags::ALL;

#[test]
fn sets_bound_by_a_structure() {
    let world = World::new(push_device().0, PLAIN, Type::UNIFORM_BUFFER_DYNAMIC);
    let set = world.sets(0, 1)[0];
    // SAFETY: the set is not in use.
    unsafe {
        world
            .device
            .raw
            .update_descriptor_sets(&world.infos().writes(set, Type::UNIFORM_BUFFER_DYNAMIC), &[]);
    }
    world.check(256, |w, cb| {
        let sets = [set, w.other()];
        let info = vk::BindDescriptorSetsInfoKHR::default()
            .stage_flags(STAGES)
            .layout(w.layout)
            .descriptor_sets(&sets)
            .dynamic_offsets(&[256]);
        // SAFETY: as above.
        unsafe { six(&w.device).cmd_bind_descriptor_sets2(cb, &info) };
    });
}

#[test]
fn sets_pushed_by_structures() {
    let (device, push) = push_device();
    let world = World::new(
        device,
        vk::DescriptorSetLayoutCreateFlags::PUSH_DESCRIPTOR_KHR,
        Type::UNIFORM_BUFFER,
    );
    let info = vk::DescriptorUpdateTemplateCreateInfo::default()
        .template_type(vk::DescriptorUpdateTemplateType::PUSH_DESCRIPTORS_KHR)
        .pipeline_bind_point(COMPUTE)
        .pipeline_layout(world.layout)
        .set(0);
    let template = template(&world, Type::UNIFORM_BUFFER, info);
    world.check(0, |w, cb| {
        let (six, infos) = (six(&w.device), w.infos());
        let writes = infos.writes(vk::DescriptorSet::null(), Type::UNIFORM_BUFFER);
        let all = vk::PushDescriptorSetInfoKHR::default()
            .stage_flags(STAGES)
            .layout(w.layout)
            .descriptor_writes(&writes);
        let by_template = vk::PushDescriptorSetWithTemplateInfoKHR {
            descriptor_update_template: template,
            layout: w.layout,
            p_data: (&raw const infos).cast(),
            ..Default::default()
        };
        // SAFETY: as above; the data is what the template says.
        unsafe {
            w.device
                .raw
                .cmd_bind_descriptor_sets(cb, COMPUTE, w.layout, 1, &[w.other()], &[]);
            // Nothing but binding 0 is wrong until the template is applied.
            six.cmd_push_descriptor_set2(cb, &all);
            push.cmd_push_descriptor_set(
                cb,
                COMPUTE,
                w.layout,
                0,
                &[writes[0].dst_binding(0).buffer_info(&infos.dynamic)],
            );
            six.cmd_push_descriptor_set_with_template2(cb, &by_template);
            w.device.raw.destroy_descriptor_update_template(template, None);
        }
    });
}

#[test]
fn pushed_sets() {
    let (device, push) = push_device();
    let world = World::new(
        device,
        vk::DescriptorSetLayoutCreateFlags::PUSH_DESCRIPTOR_KHR,
        Type::UNIFORM_BUFFER,
    );
    // SAFETY: as above.
    world.check(0, |w, cb| unsafe {
        w.device
            .raw
            .cmd_bind_descriptor_sets(cb, COMPUTE, w.layout, 1, &[w.other()], &[]);
        let infos = w.infos();
        // What a later push does not write stays.
        let writes = infos.writes(vk::DescriptorSet::null(), Type::UNIFORM_BUFFER);
        push.cmd_push_descriptor_set(cb, COMPUTE, w.layout, 0, &writes[..4]);
        push.cmd_push_descriptor_set(cb, COMPUTE, w.layout, 0, &writes[4..]);
    });
}

#[test]
fn sets_pushed_by_template() {
    let (device, push) = push_device();
    let world = World::new(
        device,
        vk::DescriptorSetLayoutCreateFlags::PUSH_DESCRIPTOR_KHR,
        Type::UNIFORM_BUFFER,
    );
    let info = vk::DescriptorUpdateTemplateCreateInfo::default()
        .template_type(vk::DescriptorUpdateTemplateType::PUSH_DESCRIPTORS_KHR)
        .pipeline_bind_point(COMPUTE)
        .pipeline_layout(world.layout)
        .set(0);
    let template = template(&world, Type::UNIFORM_BUFFER, info);
    let raw = world.device.raw.clone();
    // SAFETY: as above; the data is what the template says.
    world.check(0, |w, cb| unsafe {
        w.device
            .raw
            .cmd_bind_descriptor_sets(cb, COMPUTE, w.layout, 1, &[w.other()], &[]);
        let infos = w.infos();
        push.cmd_push_descriptor_set_with_template(cb, template, w.layout, 0, (&raw const infos).cast());
        raw.destroy_descriptor_update_template(template, None);
    });
}

/// Bytes of a descriptor as the driver gives them.
fn descriptor(
    ext: &ash::ext::descriptor_buffer::Device,
    properties: &vk::PhysicalDeviceDescriptorBufferPropertiesEXT<'_>,
    ty: Type,
    data: vk::DescriptorDataEXT<'_>,
) -> Vec<u8> {
    let size = match ty {
        Type::UNIFORM_BUFFER => properties.uniform_buffer_descriptor_size,
        Type::STORAGE_BUFFER => properties.storage_buffer_descriptor_size,
        Type::UNIFORM_TEXEL_BUFFER => properties.uniform_texel_buffer_descriptor_size,
        Type::STORAGE_TEXEL_BUFFER => properties.storage_texel_buffer_descriptor_size,
        Type::COMBINED_IMAGE_SAMPLER => properties.combined_image_sampler_descriptor_size,
        Type::STORAGE_IMAGE => properties.storage_image_descriptor_size,
        Type::SAMPLED_IMAGE => properties.sampled_image_descriptor_size,
        _ => properties.sampler_descriptor_size,
    };
    let mut bytes = vec![0; size];
    let info = vk::DescriptorGetInfoEXT::default().ty(ty).data(data);
    // SAFETY: the data is of the type, and there is room for the descriptor.
    unsafe { ext.get_descriptor(&info, &mut bytes) };
    bytes
}

#[test]
fn descriptor_buffers() {
    read_descriptor_buffers(|ext, w, cb, step| {
        // SAFETY: everything is alive until the work is done.
        unsafe { ext.cmd_set_descriptor_buffer_offsets(cb, COMPUTE, w.layout, 0, &[0, 1], &[0, step]) };
    });
}

#[test]
fn descriptor_buffers_bound_by_a_structure() {
    read_descriptor_buffers(|_, w, cb, step| {
        let info = vk::SetDescriptorBufferOffsetsInfoEXT {
            stage_flags: STAGES,
            layout: w.layout,
            set_count: 2,
            p_buffer_indices: [0, 1].as_ptr(),
            p_offsets: [0, step].as_ptr(),
            ..Default::default()
        };
        // SAFETY: everything is alive until the work is done.
        unsafe { six(&w.device).cmd_set_descriptor_buffer_offsets2(cb, &info) };
    });
}

/// Reads what descriptor buffers hold, the second from an offset that `bind` is told.
fn read_descriptor_buffers(
    bind: impl FnOnce(&ash::ext::descriptor_buffer::Device, &World, vk::CommandBuffer, u64),
) {
    let mut addresses = vk::PhysicalDeviceBufferDeviceAddressFeatures::default().buffer_device_address(true);
    let mut buffers = vk::PhysicalDeviceDescriptorBufferFeaturesEXT::default().descriptor_buffer(true);
    let names = [
        ash::khr::buffer_device_address::NAME,
        ash::ext::descriptor_indexing::NAME,
        ash::khr::synchronization2::NAME,
        ash::ext::descriptor_buffer::NAME,
        ash::khr::maintenance6::NAME,
    ]
    .map(std::ffi::CStr::as_ptr);
    let mut six = vk::PhysicalDeviceMaintenance6FeaturesKHR::default().maintenance6(true);
    let info = vk::DeviceCreateInfo::default()
        .enabled_extension_names(&names)
        .push_next(&mut six)
        .push_next(&mut addresses)
        .push_next(&mut buffers);
    let device = Device::create(common::Instance::new(), info);
    let instance = &device.instance;
    let ext = ash::ext::descriptor_buffer::Device::new(&instance.raw, &device.raw);
    let bda = ash::khr::buffer_device_address::Device::new(&instance.raw, &device.raw);
    let mut properties = vk::PhysicalDeviceDescriptorBufferPropertiesEXT::default();
    let mut all = vk::PhysicalDeviceProperties2::default().push_next(&mut properties);
    // SAFETY: the structures are valid.
    unsafe {
        instance
            .raw
            .get_physical_device_properties2(instance.physical, &mut all);
    };
    let mut world = World::new(device, BUFFERS, Type::UNIFORM_BUFFER);
    let address = |buffer: &Buffer| {
        let info = vk::BufferDeviceAddressInfo::default().buffer(buffer.raw);
        // SAFETY: the buffer is bound.
        unsafe { bda.get_buffer_device_address(&info) }
    };
    let info = |buffer: &Buffer, offset: u64, range: u64| {
        vk::DescriptorAddressInfoEXT::default()
            .address(address(buffer) + offset)
            .range(range)
            .format(vk::Format::R32_UINT)
    };
    let infos = world.infos();
    let data =
        [0, 256, 512, 1024].map(|offset| info(&world.data, offset, if offset == 1024 { 12 } else { 16 }));
    let (out, texels) = (
        info(&world.out, 0, RESULT as u64 * 4),
        [info(&world.texels, 0, 16), info(&world.texels, 16, 16)],
    );
    let uniform = |n: usize| vk::DescriptorDataEXT {
        p_uniform_buffer: &data[n],
    };
    let image = |i: &vk::DescriptorImageInfo| vk::DescriptorDataEXT {
        p_combined_image_sampler: i,
    };
    // Set, binding, element, type and data.
    let all = [
        (0, 0, 0, Type::UNIFORM_BUFFER, uniform(0)),
        (0, 0, 1, Type::UNIFORM_BUFFER, uniform(1)),
        (
            0,
            2,
            0,
            Type::STORAGE_BUFFER,
            vk::DescriptorDataEXT {
                p_storage_buffer: &out,
            },
        ),
        (0, 3, 0, Type::UNIFORM_BUFFER, uniform(2)),
        (
            0,
            4,
            0,
            Type::UNIFORM_TEXEL_BUFFER,
            vk::DescriptorDataEXT {
                p_uniform_texel_buffer: &texels[0],
            },
        ),
        (
            0,
            5,
            0,
            Type::STORAGE_TEXEL_BUFFER,
            vk::DescriptorDataEXT {
                p_storage_texel_buffer: &texels[1],
            },
        ),
        (0, 6, 0, Type::COMBINED_IMAGE_SAMPLER, image(&infos.combined[0])),
        (0, 6, 1, Type::COMBINED_IMAGE_SAMPLER, image(&infos.combined[1])),
        (0, 8, 0, Type::STORAGE_IMAGE, image(&infos.stored[0])),
        (0, 9, 0, Type::SAMPLED_IMAGE, image(&infos.separate[0])),
        (
            0,
            10,
            0,
            Type::SAMPLER,
            vk::DescriptorDataEXT {
                p_sampler: &world.sampler,
            },
        ),
        (1, 3, 0, Type::STORAGE_BUFFER, uniform(3)),
    ];
    let mut bytes = [vec![], vec![]];
    for (set, binding, element, ty, data) in all {
        let layout = world.layouts[set];
        let made = descriptor(&ext, &properties, ty, data);
        // SAFETY: the layout is alive and has the binding.
        let (size, offset) = unsafe {
            (
                ext.get_descriptor_set_layout_size(layout),
                ext.get_descriptor_set_layout_binding_offset(layout, binding),
            )
        };
        bytes[set].resize(size as usize, 0xcc);
        let at = offset as usize + element * made.len();
        bytes[set][at..at + made.len()].copy_from_slice(&made);
    }
    // The second set lies at an offset in its buffer.
    let step = properties.descriptor_buffer_offset_alignment;
    bytes[1].splice(0..0, vec![0xcc; step as usize]);
    let sets = bytes.map(|b| Buffer::with(&world.device, &b));
    let bindings = sets
        .each_ref()
        .map(|b| vk::DescriptorBufferBindingInfoEXT::default().address(address(b)));
    world.extra = sets.into();
    world.check(0, |w, cb| {
        // SAFETY: everything is alive until the work is done.
        unsafe { ext.cmd_bind_descriptor_buffers(cb, &bindings) };
        bind(&ext, w, cb, step);
    });
}
