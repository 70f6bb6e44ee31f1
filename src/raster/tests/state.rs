//! Scopes: load and store, clears, scissors, resolves, layers and views, instances, batches, workers.

use super::*;

const SIZE: [u32; 2] = [130, 70];

fn white() -> [u32; 4] {
    [1.0f32.to_bits(); 4]
}

#[test]
fn scissor_area_and_clears_keep_to_their_pixels() {
    let mut image = Image::new(vk::Format::R32_SFLOAT, 4, SIZE, 1);
    image.memory.as_mut_slice::<f32>().fill(9.0);
    let mut desc = desc(vk::Format::R32_SFLOAT, SIZE);
    let rect = |x: i32, y: i32, width: u32, height: u32| vk::Rect2D {
        offset: vk::Offset2D { x, y },
        extent: vk::Extent2D { width, height },
    };
    desc.state.scissor = rect(61, 3, 30, 1000);
    let pipeline = pipeline(desc, Some(write_one()));
    let vertices = Vertices::new(&everything(0.5, [0.0; 4]));
    let mut scope = scope(vec![Some(image.target(Load::Clear([0; 4])))], SIZE);
    scope.area = rect(10, 0, 111, 66);
    let mut raster = rasterizer(2);
    raster.begin(&scope).expect("begin");
    raster.draw(&pipeline, vertices.draw(&pipeline)).expect("draw");
    let clear = AttachmentClear {
        aspects: vk::ImageAspectFlags::COLOR,
        color_attachment: 0,
        value: [5.0f32.to_bits(); 4],
    };
    let region = vk::ClearRect {
        rect: rect(70, 60, 1000, 3),
        base_array_layer: 0,
        layer_count: 1,
    };
    raster.clear_attachments(&[clear], &[region]).expect("clear");
    raster.end().expect("end");
    for y in 0..SIZE[1] {
        for x in 0..SIZE[0] {
            let want = match (x, y) {
                (0..10 | 121.., _) | (_, 66..) => 9.0,
                (70.., 60..63) => 5.0,
                (61..91, 3..) => 1.0,
                _ => 0.0,
            };
            assert_eq!(image.float(x, y), want, "({x}, {y})");
        }
    }
}

#[test]
fn what_is_kept_is_drawn_over_and_flushes_do_not_show() {
    let mut image = Image::new(vk::Format::R32_SFLOAT, 4, SIZE, 1);
    image.memory.as_mut_slice::<f32>().fill(2.0);
    let mut desc = desc(vk::Format::R32_SFLOAT, SIZE);
    desc.blend[0] = additive();
    let pipeline = pipeline(desc, Some(write_one()));
    let vertices = Vertices::new(&everything(0.5, [0.0; 4]));
    let mut raster = rasterizer(2);
    raster
        .begin(&scope(vec![Some(image.target(Load::Keep))], SIZE))
        .expect("begin");
    for flush in [false, true, true, false] {
        raster.draw(&pipeline, vertices.draw(&pipeline)).expect("draw");
        if flush {
            raster.flush().expect("flush");
        }
    }
    raster.end().expect("end");
    assert!((0..SIZE[0]).all(|x| image.float(x, 69) == 6.0));
}

#[test]
fn samples_are_resolved_and_transient_ones_not_stored() {
    let image = Image::new(vk::Format::R8G8B8A8_UNORM, 4, SIZE, 4);
    let resolved = Image::new(vk::Format::R8G8B8A8_UNORM, 4, SIZE, 1);
    let mut desc = desc(vk::Format::R8G8B8A8_UNORM, SIZE);
    desc.multisample.samples = 4;
    let pipeline = pipeline(desc, Some(write_one()));
    // The edge runs through the centres of a column: two of the four samples are left of it.
    let at = |x: f32, y: f32| -> Vertex { (at_pixel([x, y], 0.5, SIZE), [0.0; 4]) };
    let vertices = Vertices::new(&[at(30.5, -1.0), at(30.5, 1000.0), at(-1000.0, -1.0)]);
    let mut target = image.target(Load::Clear([0; 4]));
    target.store = false;
    target.resolve = Some((resolved.attachment.clone(), vk::ResolveModeFlags::AVERAGE));
    let mut raster = rasterizer(2);
    raster.begin(&scope(vec![Some(target)], SIZE)).expect("begin");
    raster.draw(&pipeline, vertices.draw(&pipeline)).expect("draw");
    raster.end().expect("end");
    for (x, want) in [
        (0, 0xffff_ffffu32),
        (29, 0xffff_ffff),
        (30, 0x8080_8080),
        (31, 0),
        (129, 0),
    ] {
        assert_eq!(resolved.word(0, x, 5), want, "column {x}");
    }
    assert!(image.memory.as_slice::<u32>().iter().all(|&word| word == 0));
}

#[test]
fn views_go_to_their_layers() {
    let image = Image::new(vk::Format::R32_SFLOAT, 4, SIZE, 1);
    let pipeline = pipeline(desc(vk::Format::R32_SFLOAT, SIZE), Some(write_one()));
    let vertices = Vertices::new(&everything(0.5, [0.0; 4]));
    let mut scope = scope(vec![Some(image.target(Load::Clear([0.5f32.to_bits(); 4])))], SIZE);
    scope.view_mask = 0b101;
    let mut raster = rasterizer(2);
    raster.begin(&scope).expect("begin");
    raster.draw(&pipeline, vertices.draw(&pipeline)).expect("draw");
    raster.end().expect("end");
    let word = |layer| f32::from_bits(image.word(layer, 100, 50));
    assert_eq!([word(0), word(1), word(2), word(3)], [1.0, 0.0, 1.0, 0.0]);
}

#[test]
fn instances_step_through_their_buffer() {
    let image = Image::new(vk::Format::R32_SFLOAT, 4, SIZE, 1);
    let mut desc = desc(vk::Format::R32_SFLOAT, SIZE);
    desc.blend[0] = additive();
    desc.vertex_bindings.push(VertexBinding {
        binding: 1,
        stride: 4,
        input_rate: vk::VertexInputRate::INSTANCE,
        divisor: 2,
    });
    desc.vertex_attributes[1] = VertexAttribute {
        location: 1,
        binding: 1,
        format: vk::Format::R32_SFLOAT,
        offset: 0,
    };
    let flat = Interpolation {
        flat: true,
        ..PERSPECTIVE
    };
    let pipeline = pipeline(desc, Some(pass_color(flat)));
    let vertices = Vertices::new(&everything(0.5, [0.0; 4]));
    let mut values = AlignedBuf::new(16);
    values
        .as_mut_slice::<f32>()
        .copy_from_slice(&[1.0, 10.0, 100.0, 1000.0]);
    let mut draw = vertices.draw(&pipeline);
    draw.vertex_buffers.push(VertexBuffer {
        address: values.address(),
        size: 16,
        stride: 4,
    });
    // Instances 1 to 5: elements 1, 1, 2, 2, 3; those beyond the buffer are zero.
    draw.first_instance = 1;
    draw.instance_count = 5;
    let mut raster = rasterizer(2);
    raster
        .begin(&scope(vec![Some(image.target(Load::Clear([0; 4])))], SIZE))
        .expect("begin");
    raster.draw(&pipeline, draw.clone()).expect("draw");
    raster.end().expect("end");
    assert_eq!(image.float(3, 3), 10.0 + 10.0 + 100.0 + 100.0 + 1000.0);
    draw.vertex_buffers[1].size = 12;
    raster
        .begin(&scope(vec![Some(image.target(Load::Clear([0; 4])))], SIZE))
        .expect("begin");
    raster.draw(&pipeline, draw).expect("draw");
    raster.end().expect("end");
    assert_eq!(image.float(3, 3), 220.0);
}

/// Many draws of random triangles with blending, depth and samples; the bytes of all attachments.
fn scene(workers: usize, backend: Backend) -> Vec<u8> {
    let color = Image::new(vk::Format::R8G8B8A8_UNORM, 4, SIZE, 4);
    let resolved = Image::new(vk::Format::R8G8B8A8_UNORM, 4, SIZE, 1);
    let depth = Image::new(vk::Format::D16_UNORM, 2, SIZE, 4);
    let mut desc = desc(vk::Format::R8G8B8A8_UNORM, SIZE);
    desc.multisample.samples = 4;
    desc.blend[0] = BlendDesc {
        enable: true,
        src_color: vk::BlendFactor::SRC_ALPHA,
        dst_color: vk::BlendFactor::ONE_MINUS_SRC_ALPHA,
        ..BlendDesc::default()
    };
    desc.formats.depth = vk::Format::D16_UNORM;
    desc.state.depth_test = true;
    desc.state.depth_write = true;
    desc.state.depth_compare = vk::CompareOp::LESS_OR_EQUAL;
    let pipeline = pipeline_for(desc, Some(pass_color(PERSPECTIVE)), backend);
    let mut random = Random(5);
    let draws: Vec<Vertices> = (0..40)
        .map(|i| {
            // One draw of several chunks, of small triangles.
            let (count, scale) = if i == 7 { (1800, 0.05) } else { (9, 1.0) };
            let vertices: Vec<Vertex> = (0..count)
                .map(|_| {
                    let w = random.float(0.2, 2.0);
                    let [x, y, z] = [-1.5, -1.5, 0.0].map(|low| random.float(low, 1.5) * w * scale);
                    let color = [0.0; 4].map(|_: f32| random.float(0.0, 1.0));
                    ([x, y, z, w], color)
                })
                .collect();
            Vertices::new(&vertices)
        })
        .collect();
    let mut target = color.target(Load::Clear(white()));
    target.resolve = Some((resolved.attachment.clone(), vk::ResolveModeFlags::AVERAGE));
    let mut scope = scope(vec![Some(target)], SIZE);
    scope.depth = Some(depth.target(Load::Clear(white())));
    let mut raster = rasterizer_for(workers, backend);
    raster.begin(&scope).expect("begin");
    for vertices in &draws {
        raster.draw(&pipeline, vertices.draw(&pipeline)).expect("draw");
    }
    raster.end().expect("end");
    let images = [&color, &resolved, &depth];
    images
        .iter()
        .flat_map(|image| image.memory.as_slice::<u8>().to_vec())
        .collect()
}

#[test]
fn neither_workers_nor_back_ends_show() {
    let one = scene(1, Backend::best());
    assert!(one.iter().any(|&byte| byte != 0 && byte != 255));
    assert!(one == scene(2, Backend::best()), "two workers");
    assert!(one == scene(4, Backend::best()), "four workers");
    for backend in [Backend::Interpreter, Backend::Avx2, Backend::Avx512] {
        if backend.is_supported() {
            assert!(one == scene(2, backend), "{backend:?}");
        }
    }
}
