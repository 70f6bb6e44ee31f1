//! Render passes and dynamic rendering through the loader: load operations, clears, subpasses, views.

mod common;

use common::{
    Device, Instance, vk,
    work::{Buffer, Image, ImageDesc, run, whole},
};
use vk::ImageAspectFlags as Aspect;

const GENERAL: vk::ImageLayout = vk::ImageLayout::GENERAL;

/// A colour image with a view.
struct Attachment {
    image: Image,
    view: vk::ImageView,
}

impl Attachment {
    fn new(device: &Device, format: vk::Format, aspect: Aspect, layers: u32) -> Self {
        let usage = if aspect == Aspect::COLOR {
            vk::ImageUsageFlags::COLOR_ATTACHMENT
        } else {
            vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT
        };
        let desc = ImageDesc {
            layers,
            usage: usage | vk::ImageUsageFlags::TRANSFER_SRC,
            ..ImageDesc::new(format, [SIZE, SIZE, 1])
        };
        let image = Image::new(device, &desc);
        let range = vk::ImageSubresourceRange {
            aspect_mask: aspect,
            base_mip_level: 0,
            level_count: 1,
            base_array_layer: 0,
            layer_count: layers,
        };
        let info = vk::ImageViewCreateInfo::default()
            .image(image.raw)
            .view_type(vk::ImageViewType::TYPE_2D_ARRAY)
            .format(format)
            .subresource_range(range);
        // SAFETY: the image is bound and has this range.
        let view = unsafe { device.raw.create_image_view(&info, None) }.expect("a view");
        Self { image, view }
    }

    fn color(device: &Device) -> Self {
        Self::new(device, vk::Format::R8G8B8A8_UNORM, Aspect::COLOR, 1)
    }

    /// The words of a layer.
    fn read(&self, device: &Device, aspect: Aspect, layer: u32) -> Vec<u32> {
        let out = Buffer::new(device, (SIZE * SIZE * 4) as usize);
        let mut region = whole(aspect, [SIZE, SIZE, 1]);
        region.image_subresource.base_array_layer = layer;
        run(device, |cb| {
            // SAFETY: the region lies within both.
            unsafe {
                device
                    .raw
                    .cmd_copy_image_to_buffer(cb, self.image.raw, GENERAL, out.raw, &[region]);
            };
        });
        let words = out.words();
        out.destroy(device);
        words
    }

    fn destroy(self, device: &Device) {
        // SAFETY: no work is pending.
        unsafe { device.raw.destroy_image_view(self.view, None) };
        self.image.destroy(device);
    }
}

/// Texels of a side: more than one tile.
const SIZE: u32 = 80;
const RED: [f32; 4] = [1.0, 0.0, 0.0, 1.0];
const BLUE: [f32; 4] = [0.0, 0.0, 1.0, 1.0];
const RED_TEXEL: u32 = 0xff00_00ff;
const BLUE_TEXEL: u32 = 0xffff_0000;

fn color(float32: [f32; 4]) -> vk::ClearValue {
    vk::ClearValue {
        color: vk::ClearColorValue { float32 },
    }
}

fn area(x: i32, y: i32, width: u32, height: u32) -> vk::Rect2D {
    vk::Rect2D {
        offset: vk::Offset2D { x, y },
        extent: vk::Extent2D { width, height },
    }
}

fn attachment(format: vk::Format, load: vk::AttachmentLoadOp) -> vk::AttachmentDescription {
    vk::AttachmentDescription::default()
        .format(format)
        .samples(vk::SampleCountFlags::TYPE_1)
        .load_op(load)
        .store_op(vk::AttachmentStoreOp::STORE)
        .stencil_load_op(load)
        .stencil_store_op(vk::AttachmentStoreOp::STORE)
        .final_layout(GENERAL)
}

struct Pass {
    pass: vk::RenderPass,
    framebuffer: vk::Framebuffer,
}

impl Pass {
    fn new(device: &Device, info: &vk::RenderPassCreateInfo<'_>, views: &[vk::ImageView]) -> Self {
        // SAFETY: the structures are valid.
        unsafe {
            let pass = device.raw.create_render_pass(info, None).expect("a render pass");
            Self::of(device, pass, views)
        }
    }

    fn of(device: &Device, pass: vk::RenderPass, views: &[vk::ImageView]) -> Self {
        // SAFETY: the views fit the pass.
        unsafe {
            let info = vk::FramebufferCreateInfo::default()
                .render_pass(pass)
                .attachments(views)
                .width(SIZE)
                .height(SIZE)
                .layers(1);
            let framebuffer = device.raw.create_framebuffer(&info, None).expect("a framebuffer");
            Self { pass, framebuffer }
        }
    }

    /// Begins it, runs `f`, and ends it.
    fn record(
        &self,
        device: &Device,
        cb: vk::CommandBuffer,
        render_area: vk::Rect2D,
        clears: &[vk::ClearValue],
        f: impl FnOnce(),
    ) {
        let begin = vk::RenderPassBeginInfo::default()
            .render_pass(self.pass)
            .framebuffer(self.framebuffer)
            .render_area(render_area)
            .clear_values(clears);
        // SAFETY: the pass fits the framebuffer.
        unsafe {
            device
                .raw
                .cmd_begin_render_pass(cb, &begin, vk::SubpassContents::INLINE);
            f();
            device.raw.cmd_end_render_pass(cb);
        }
    }

    fn destroy(self, device: &Device) {
        // SAFETY: no work is pending.
        unsafe {
            device.raw.destroy_framebuffer(self.framebuffer, None);
            device.raw.destroy_render_pass(self.pass, None);
        }
    }
}

#[test]
fn load_operations_work_on_the_render_area() {
    let device = Device::new();
    let target = Attachment::color(&device);
    let references = [vk::AttachmentReference {
        attachment: 0,
        layout: GENERAL,
    }];
    let subpasses = [vk::SubpassDescription::default().color_attachments(&references)];
    let make = |load| {
        let attachments = [attachment(vk::Format::R8G8B8A8_UNORM, load)];
        let info = vk::RenderPassCreateInfo::default()
            .attachments(&attachments)
            .subpasses(&subpasses);
        Pass::new(&device, &info, &[target.view])
    };
    let (clearing, loading) = (
        make(vk::AttachmentLoadOp::CLEAR),
        make(vk::AttachmentLoadOp::LOAD),
    );
    run(&device, |cb| {
        clearing.record(&device, cb, area(0, 0, SIZE, SIZE), &[color(RED)], || {});
        clearing.record(&device, cb, area(3, 5, 70, 10), &[color(BLUE)], || {});
        loading.record(&device, cb, area(0, 0, SIZE, SIZE), &[], || {});
    });
    let inside = |i: u32| (3..73).contains(&(i % SIZE)) && (5..15).contains(&(i / SIZE));
    let expected = |i| if inside(i) { BLUE_TEXEL } else { RED_TEXEL };
    let words = target.read(&device, Aspect::COLOR, 0);
    assert!((0..).zip(&words).all(|(i, &word)| word == expected(i)));
    clearing.destroy(&device);
    loading.destroy(&device);
    target.destroy(&device);
}

#[test]
fn attachments_are_cleared_inside_a_pass() {
    let device = Device::new();
    let format = vk::Format::D32_SFLOAT_S8_UINT;
    let target = Attachment::color(&device);
    let depth = Attachment::new(&device, format, Aspect::DEPTH | Aspect::STENCIL, 1);
    let references = [vk::AttachmentReference {
        attachment: 0,
        layout: GENERAL,
    }];
    let depth_reference = vk::AttachmentReference {
        attachment: 1,
        layout: GENERAL,
    };
    let subpasses = [vk::SubpassDescription::default()
        .color_attachments(&references)
        .depth_stencil_attachment(&depth_reference)];
    let clear = vk::AttachmentLoadOp::CLEAR;
    let attachments = [
        attachment(vk::Format::R8G8B8A8_UNORM, clear),
        attachment(format, clear),
    ];
    let info = vk::RenderPassCreateInfo::default()
        .attachments(&attachments)
        .subpasses(&subpasses);
    let pass = Pass::new(&device, &info, &[target.view, depth.view]);
    let depth_value = |depth, stencil| vk::ClearValue {
        depth_stencil: vk::ClearDepthStencilValue { depth, stencil },
    };
    run(&device, |cb| {
        let first = [color(RED), depth_value(1.0, 3)];
        pass.record(&device, cb, area(0, 0, SIZE, SIZE), &first, || {
            let clears = [
                vk::ClearAttachment {
                    aspect_mask: Aspect::COLOR,
                    color_attachment: 0,
                    clear_value: color(BLUE),
                },
                vk::ClearAttachment {
                    aspect_mask: Aspect::DEPTH,
                    color_attachment: 0,
                    clear_value: depth_value(0.5, 0),
                },
            ];
            let rect = vk::ClearRect {
                rect: area(60, 2, 10, 8),
                base_array_layer: 0,
                layer_count: 1,
            };
            // SAFETY: the rectangle lies within the render area.
            unsafe { device.raw.cmd_clear_attachments(cb, &clears, &[rect]) };
        });
    });
    let inside = |i: u32| (60..70).contains(&(i % SIZE)) && (2..10).contains(&(i / SIZE));
    let pick = |i, a, b| if inside(i) { a } else { b };
    let words = target.read(&device, Aspect::COLOR, 0);
    assert!(
        (0..)
            .zip(&words)
            .all(|(i, &word)| word == pick(i, BLUE_TEXEL, RED_TEXEL))
    );
    let depths = depth.read(&device, Aspect::DEPTH, 0);
    assert!(
        (0..)
            .zip(&depths)
            .all(|(i, &word)| word == pick(i, 0.5_f32.to_bits(), 1.0_f32.to_bits()))
    );
    let stencil = depth.read(&device, Aspect::STENCIL, 0);
    assert!(
        stencil[..(SIZE * SIZE / 4) as usize]
            .iter()
            .all(|&word| word == 0x0303_0303)
    );
    pass.destroy(&device);
    depth.destroy(&device);
    target.destroy(&device);
}

#[test]
fn each_view_is_cleared_at_its_first_use() {
    let mut multiview = vk::PhysicalDeviceMultiviewFeatures::default().multiview(true);
    let device = Device::create(
        Instance::new(),
        vk::DeviceCreateInfo::default().push_next(&mut multiview),
    );
    let target = Attachment::new(&device, vk::Format::R8G8B8A8_UNORM, Aspect::COLOR, 3);
    let references = [vk::AttachmentReference {
        attachment: 0,
        layout: GENERAL,
    }];
    let subpass = vk::SubpassDescription::default().color_attachments(&references);
    let attachments = [attachment(
        vk::Format::R8G8B8A8_UNORM,
        vk::AttachmentLoadOp::CLEAR,
    )];
    let masks = [0b001, 0b011];
    let mut views = vk::RenderPassMultiviewCreateInfo::default().view_masks(&masks);
    let subpasses = [subpass, subpass];
    let info = vk::RenderPassCreateInfo::default()
        .attachments(&attachments)
        .subpasses(&subpasses)
        .push_next(&mut views);
    let pass = Pass::new(&device, &info, &[target.view]);
    run(&device, |cb| {
        pass.record(&device, cb, area(0, 0, SIZE, SIZE), &[color(RED)], || {
            let clear = vk::ClearAttachment {
                aspect_mask: Aspect::COLOR,
                color_attachment: 0,
                clear_value: color(BLUE),
            };
            let rect = vk::ClearRect {
                rect: area(0, 0, SIZE, SIZE),
                base_array_layer: 0,
                layer_count: 1,
            };
            // SAFETY: the rectangle lies within the render area.
            unsafe {
                device.raw.cmd_clear_attachments(cb, &[clear], &[rect]);
                device.raw.cmd_next_subpass(cb, vk::SubpassContents::INLINE);
            }
        });
    });
    let all = |layer, texel| {
        target
            .read(&device, Aspect::COLOR, layer)
            .iter()
            .all(|&word| word == texel)
    };
    assert!(all(0, BLUE_TEXEL), "the second subpass keeps view 0");
    assert!(
        all(1, RED_TEXEL),
        "view 1 is cleared when the second subpass begins"
    );
    assert!(all(2, 0), "view 2 is not drawn to");
    pass.destroy(&device);
    target.destroy(&device);
}

#[test]
fn an_aspect_that_is_not_resolved_keeps_what_it_was_loaded_with() {
    let device = Device::new();
    let format = vk::Format::D32_SFLOAT_S8_UINT;
    let usage = vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT;
    let aspects = Aspect::DEPTH | Aspect::STENCIL;
    let target = Attachment::new(&device, format, aspects, 1);
    let samples = vk::SampleCountFlags::TYPE_4;
    let many = Image::new(
        &device,
        &ImageDesc {
            usage,
            samples,
            ..ImageDesc::new(format, [SIZE, SIZE, 1])
        },
    );
    let range = vk::ImageSubresourceRange::default()
        .aspect_mask(aspects)
        .level_count(1)
        .layer_count(1);
    let info = vk::ImageViewCreateInfo::default()
        .image(many.raw)
        .view_type(vk::ImageViewType::TYPE_2D)
        .format(format)
        .subresource_range(range);
    // SAFETY: the image is bound and has this range.
    let view = unsafe { device.raw.create_image_view(&info, None) }.expect("a view");
    let clear = vk::AttachmentLoadOp::CLEAR;
    let attachments = [samples, vk::SampleCountFlags::TYPE_1].map(|samples| {
        vk::AttachmentDescription2::default()
            .format(format)
            .samples(samples)
            .load_op(clear)
            .store_op(vk::AttachmentStoreOp::STORE)
            .stencil_load_op(clear)
            .stencil_store_op(vk::AttachmentStoreOp::STORE)
            .final_layout(GENERAL)
    });
    let [from, to] = [0, 1].map(|attachment| {
        vk::AttachmentReference2::default()
            .attachment(attachment)
            .layout(GENERAL)
            .aspect_mask(aspects)
    });
    let mut resolve = vk::SubpassDescriptionDepthStencilResolve::default()
        .depth_resolve_mode(vk::ResolveModeFlags::SAMPLE_ZERO)
        .stencil_resolve_mode(vk::ResolveModeFlags::NONE)
        .depth_stencil_resolve_attachment(&to);
    let subpasses = [vk::SubpassDescription2::default()
        .depth_stencil_attachment(&from)
        .push_next(&mut resolve)];
    let info = vk::RenderPassCreateInfo2::default()
        .attachments(&attachments)
        .subpasses(&subpasses);
    // SAFETY: the structures are valid.
    let pass = unsafe { device.raw.create_render_pass2(&info, None) }.expect("a render pass");
    let pass = Pass::of(&device, pass, &[view, target.view]);
    let clears = [(0.25, 3), (0.75, 7)].map(|(depth, stencil)| vk::ClearValue {
        depth_stencil: vk::ClearDepthStencilValue { depth, stencil },
    });
    run(&device, |cb| {
        pass.record(&device, cb, area(0, 0, SIZE, SIZE), &clears, || {});
    });
    let depths = target.read(&device, Aspect::DEPTH, 0);
    assert!(depths.iter().all(|&word| word == 0.25_f32.to_bits()), "resolved");
    let stencil = target.read(&device, Aspect::STENCIL, 0);
    let stencil = &stencil[..(SIZE * SIZE / 4) as usize];
    assert!(stencil.iter().all(|&word| word == 0x0707_0707), "cleared");
    pass.destroy(&device);
    // SAFETY: no work is pending.
    unsafe { device.raw.destroy_image_view(view, None) };
    many.destroy(&device);
    target.destroy(&device);
}
