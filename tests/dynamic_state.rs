//! Dynamic state that is compiled into kernels: each draw has the kernels of its state.

mod common;

use common::{
    Device, Instance,
    scene::{BLUE, GREEN, Options, RED, Scene},
    vk,
};
use vk::{ColorComponentFlags as Components, DynamicState as D};

const YELLOW: u32 = RED | GREEN;

/// A device with what the tests set, and the commands that set it.
fn scene(dynamic: &[D]) -> (Scene, ash::ext::extended_dynamic_state3::Device) {
    let names = [
        c"VK_EXT_extended_dynamic_state3",
        c"VK_EXT_vertex_input_dynamic_state",
        c"VK_EXT_depth_clip_control",
        c"VK_EXT_blend_operation_advanced",
    ];
    let names = names.map(std::ffi::CStr::as_ptr);
    let mut state3 = vk::PhysicalDeviceExtendedDynamicState3FeaturesEXT::default()
        .extended_dynamic_state3_color_blend_enable(true)
        .extended_dynamic_state3_color_blend_equation(true)
        .extended_dynamic_state3_color_blend_advanced(true)
        .extended_dynamic_state3_color_write_mask(true)
        .extended_dynamic_state3_depth_clip_negative_one_to_one(true)
        .extended_dynamic_state3_polygon_mode(true)
        .extended_dynamic_state3_sample_mask(true);
    let mut input =
        vk::PhysicalDeviceVertexInputDynamicStateFeaturesEXT::default().vertex_input_dynamic_state(true);
    let mut clip = vk::PhysicalDeviceDepthClipControlFeaturesEXT::default().depth_clip_control(true);
    let info = vk::DeviceCreateInfo::default()
        .enabled_extension_names(&names)
        .push_next(&mut state3)
        .push_next(&mut input)
        .push_next(&mut clip);
    let device = Device::create(Instance::new(), info);
    let scene = Scene::on(
        device,
        Options {
            dynamic,
            ..Options::default()
        },
    );
    let commands =
        ash::ext::extended_dynamic_state3::Device::new(&scene.device.instance.raw, &scene.device.raw);
    (scene, commands)
}

#[test]
fn blending_is_that_of_the_draw() {
    let (scene, state) = scene(&[
        D::COLOR_BLEND_ENABLE_EXT,
        D::COLOR_BLEND_EQUATION_EXT,
        D::COLOR_WRITE_MASK_EXT,
    ]);
    let raw = &scene.device.raw;
    let add = vk::ColorBlendEquationEXT {
        src_color_blend_factor: vk::BlendFactor::ONE,
        dst_color_blend_factor: vk::BlendFactor::ONE,
        src_alpha_blend_factor: vk::BlendFactor::ONE,
        ..Default::default()
    };
    let quarters = scene.draw(|cb| {
        // SAFETY: the draws stay within the buffers.
        unsafe {
            state.cmd_set_color_blend_enable(cb, 0, &[vk::FALSE]);
            state.cmd_set_color_blend_equation(cb, 0, &[add]);
            state.cmd_set_color_write_mask(cb, 0, &[Components::RGBA]);
            scene.push(cb, [0.0, 0.0, 0.75]);
            raw.cmd_draw_indexed(cb, 6, 1, 0, 0, 0);
            raw.cmd_draw_indexed(cb, 6, 1, 0, 4, 0);
            scene.push(cb, [0.0, 0.0, 0.5]);
            raw.cmd_draw_indexed(cb, 6, 1, 0, 0, 2);
            scene.push(cb, [0.0, 0.0, 0.25]);
            state.cmd_set_color_blend_enable(cb, 0, &[vk::TRUE]);
            raw.cmd_draw_indexed(cb, 6, 1, 0, 4, 1);
            state.cmd_set_color_write_mask(cb, 0, &[Components::G | Components::A]);
            raw.cmd_draw_indexed(cb, 6, 1, 0, 8, 0);
        }
    });
    assert_eq!(quarters, [BLUE, YELLOW, 0xff00_0000, 0]);
}

#[test]
fn layers_are_blended_by_advanced_operations() {
    let (scene, state) = scene(&[D::COLOR_BLEND_ENABLE_EXT, D::COLOR_BLEND_ADVANCED_EXT]);
    let raw = &scene.device.raw;
    let set = |cb, advanced_blend_op, enable| {
        let advanced = vk::ColorBlendAdvancedEXT {
            advanced_blend_op,
            src_premultiplied: vk::TRUE,
            dst_premultiplied: vk::TRUE,
            ..Default::default()
        };
        // SAFETY: there is one attachment.
        unsafe {
            state.cmd_set_color_blend_enable(cb, 0, &[enable]);
            state.cmd_set_color_blend_advanced(cb, 0, &[advanced]);
        }
    };
    let cases = [
        vk::BlendOp::SCREEN_EXT,
        vk::BlendOp::MULTIPLY_EXT,
        vk::BlendOp::HSL_COLOR_EXT,
        vk::BlendOp::MINUS_CLAMPED_EXT,
    ];
    let quarters = scene.draw(|cb| {
        for (quarter, op) in (0..).zip(cases) {
            // SAFETY: the draws stay within the buffers.
            unsafe {
                set(cb, op, vk::FALSE);
                scene.push(cb, [0.0, 0.0, 0.75]);
                raw.cmd_draw_indexed(cb, 6, 1, 0, 4 * quarter, 0);
                set(cb, op, vk::TRUE);
                scene.push(cb, [0.0, 0.0, 0.5]);
                raw.cmd_draw_indexed(cb, 6, 1, 0, 4 * quarter, 1);
            }
        }
    });
    // Green with the luminosity of red, 0.3 of 0.59.
    let green = (255.0_f32 * 0.3 / 0.59).round() as u32;
    assert_eq!(
        quarters,
        [YELLOW, 0xff00_0000, 0xff00_0000 | green << 8, 0x0000_00ff]
    );
}

#[test]
fn vertices_depth_range_and_sample_mask_are_those_of_the_draw() {
    let (scene, state) = scene(&[
        D::VERTEX_INPUT_EXT,
        D::DEPTH_CLIP_NEGATIVE_ONE_TO_ONE_EXT,
        D::SAMPLE_MASK_EXT,
        D::POLYGON_MODE_EXT,
    ]);
    let raw = &scene.device.raw;
    let input = ash::ext::vertex_input_dynamic_state::Device::new(&scene.device.instance.raw, raw);
    let bindings = [
        (0, 8, vk::VertexInputRate::VERTEX),
        (1, 4, vk::VertexInputRate::INSTANCE),
    ];
    let bindings = bindings.map(|(binding, stride, rate)| {
        vk::VertexInputBindingDescription2EXT::default()
            .binding(binding)
            .stride(stride)
            .input_rate(rate)
            .divisor(1)
    });
    let set_input = |cb, offset| {
        let attributes = [
            (vk::Format::R32G32_SFLOAT, 0),
            (vk::Format::R8G8B8A8_UNORM, offset),
        ];
        let mut location = 0;
        let attributes = attributes.map(|(format, offset)| {
            location += 1;
            vk::VertexInputAttributeDescription2EXT::default()
                .location(location - 1)
                .binding(location - 1)
                .format(format)
                .offset(offset)
        });
        // SAFETY: the structures are valid.
        unsafe { input.cmd_set_vertex_input(cb, &bindings, &attributes) };
    };
    let quarters = scene.draw(|cb| {
        // SAFETY: the draws stay within the buffers.
        unsafe {
            state.cmd_set_depth_clip_negative_one_to_one(cb, false);
            state.cmd_set_sample_mask(cb, vk::SampleCountFlags::TYPE_1, &[1]);
            state.cmd_set_polygon_mode(cb, vk::PolygonMode::FILL);
            set_input(cb, 0);
            raw.cmd_draw_indexed(cb, 6, 1, 0, 0, 0);
            set_input(cb, 4);
            raw.cmd_draw_indexed(cb, 6, 1, 0, 4, 0);
            // Before the near plane, unless that is at -1.
            scene.push(cb, [0.0, 0.0, -0.5]);
            raw.cmd_draw_indexed(cb, 6, 1, 0, 8, 0);
            state.cmd_set_depth_clip_negative_one_to_one(cb, true);
            set_input(cb, 8);
            raw.cmd_draw_indexed(cb, 6, 1, 0, 8, 0);
            state.cmd_set_sample_mask(cb, vk::SampleCountFlags::TYPE_1, &[0]);
            raw.cmd_draw_indexed(cb, 6, 1, 0, 12, 0);
            // Only the outline is drawn.
            state.cmd_set_sample_mask(cb, vk::SampleCountFlags::TYPE_1, &[1]);
            state.cmd_set_polygon_mode(cb, vk::PolygonMode::POINT);
            raw.cmd_draw_indexed(cb, 6, 1, 0, 12, 0);
        }
    });
    assert_eq!(quarters, [RED, GREEN, BLUE, 0]);
}

#[test]
fn the_depth_bounds_of_the_pipeline_are_there_when_a_draw_switches_them_on() {
    let (scene, _) = scene(&[D::DEPTH_BOUNDS_TEST_ENABLE]);
    let raw = &scene.device.raw;
    let quarters = scene.draw(|cb| {
        // SAFETY: the draws stay within the buffers.
        unsafe {
            raw.cmd_set_depth_bounds_test_enable(cb, false);
            raw.cmd_draw_indexed(cb, 6, 1, 0, 0, 0);
            // The bounds are 0, and what is there is 1.
            raw.cmd_set_depth_bounds_test_enable(cb, true);
            raw.cmd_draw_indexed(cb, 6, 1, 0, 4, 0);
        }
    });
    assert_eq!(quarters, [RED, 0, 0, 0]);
}

#[test]
fn a_destination_without_its_alpha_in_it_stays_so() {
    let (scene, state) = scene(&[D::COLOR_BLEND_ENABLE_EXT, D::COLOR_BLEND_ADVANCED_EXT]);
    let raw = &scene.device.raw;
    let advanced = vk::ColorBlendAdvancedEXT {
        advanced_blend_op: vk::BlendOp::DST_OUT_EXT,
        src_premultiplied: vk::TRUE,
        dst_premultiplied: vk::FALSE,
        ..Default::default()
    };
    let clear = vk::ClearAttachment {
        aspect_mask: vk::ImageAspectFlags::COLOR,
        color_attachment: 0,
        clear_value: vk::ClearValue {
            color: vk::ClearColorValue {
                float32: [0.0, 1.0, 0.0, 1.0],
            },
        },
    };
    let rect = vk::ClearRect {
        rect: vk::Rect2D {
            extent: vk::Extent2D {
                width: 64,
                height: 64,
            },
            ..Default::default()
        },
        base_array_layer: 0,
        layer_count: 1,
    };
    let mut invert = advanced;
    invert.advanced_blend_op = vk::BlendOp::DST_EXT;
    let quarters = scene.draw(|cb| {
        // SAFETY: the draws stay within the buffers.
        unsafe {
            raw.cmd_clear_attachments(cb, &[clear], &[rect]);
            state.cmd_set_color_blend_enable(cb, 0, &[vk::TRUE]);
            state.cmd_set_color_blend_advanced(cb, 0, &[advanced]);
            raw.cmd_draw_indexed(cb, 6, 1, 0, 0, 0);
            state.cmd_set_color_blend_advanced(cb, 0, &[invert]);
            raw.cmd_draw_indexed(cb, 6, 1, 0, 4, 0);
        }
    });
    // What nothing covers any more has no colour.
    assert_eq!(quarters[..3], [0, GREEN, GREEN]);
}
