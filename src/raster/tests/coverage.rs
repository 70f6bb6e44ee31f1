//! Which pixels are covered.

use super::*;

const SIZE: [u32; 2] = [150, 97];

/// How often each pixel is covered, by the definition of the top-left rule: a sample on an edge counts as inside if the
/// point a little to the right and (much less) below is.
fn reference(triangles: &[[[i64; 2]; 3]], [width, height]: [u32; 2]) -> Vec<u32> {
    let mut counts = vec![0; (width * height) as usize];
    for triangle in triangles {
        // Coordinates times 2^24: room for a step that is much smaller still.
        let p = triangle.map(|p| p.map(|v| i128::from(v) << 40));
        let area = cross(p[0], p[1], p[2]);
        if area == 0 {
            continue;
        }
        for y in 0..height {
            for x in 0..width {
                let mut at = [x, y].map(|v| (i128::from(v) * 256 + 128) << 40);
                at[0] += 1 << 20;
                at[1] += 1;
                let inside = (0..3).all(|i| cross(p[i], p[(i + 1) % 3], at).signum() == area.signum());
                counts[(y * width + x) as usize] += u32::from(inside);
            }
        }
    }
    counts
}

fn cross(a: [i128; 2], b: [i128; 2], c: [i128; 2]) -> i128 {
    (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1])
}

/// Draws triangles given in 1/256 pixels, counting.
fn counts(triangles: &[[[i64; 2]; 3]]) -> Vec<u32> {
    let vertices: Vec<Vertex> = triangles
        .iter()
        .flatten()
        .map(|p| (at_pixel(p.map(|v| v as f32 / 256.0), 0.5, SIZE), [0.0; 4]))
        .collect();
    let mut desc = desc(vk::Format::R32_SFLOAT, SIZE);
    desc.blend[0] = additive();
    let image = draw_once(desc, write_one(), &vertices, SIZE, 4);
    let pixel = |i: u32| image.float(i % SIZE[0], i / SIZE[0]) as u32;
    (0..SIZE[0] * SIZE[1]).map(pixel).collect()
}

fn check(triangles: &[[[i64; 2]; 3]]) {
    let (got, want) = (counts(triangles), reference(triangles, SIZE));
    for (i, (got, want)) in got.iter().zip(&want).enumerate() {
        assert_eq!(
            got,
            want,
            "pixel ({}, {})",
            i as u32 % SIZE[0],
            i as u32 / SIZE[0]
        );
    }
}

#[test]
fn random_triangles_cover_what_the_rule_says() {
    let mut random = Random(1);
    let mut triangles = Vec::new();
    for reach in [3, 20, 150, 400] {
        for _ in 0..60 {
            let center = [random.float(0.0, 150.0), random.float(0.0, 97.0)];
            let mut corner = || {
                let mut near = |axis: usize| {
                    let v = center[axis] + random.float(-1.0, 1.0) * reach as f32;
                    (v * 256.0) as i64
                };
                [near(0), near(1)]
            };
            triangles.push([corner(), corner(), corner()]);
        }
    }
    check(&triangles);
}

#[test]
fn corners_and_edges_on_pixel_centres_follow_the_rule() {
    let mut random = Random(7);
    let triangles: Vec<_> = (0..300)
        .map(|_| {
            // Whole and half pixels.
            let mut corner = || {
                [
                    i64::from(random.next() % 40) * 128,
                    i64::from(random.next() % 40) * 128,
                ]
            };
            [corner(), corner(), corner()]
        })
        .collect();
    check(&triangles);
}

#[test]
fn shared_edges_are_drawn_once() {
    let mut random = Random(3);
    let (columns, rows) = (11, 9);
    let mut points = Vec::new();
    for row in 0..=rows {
        for column in 0..=columns {
            let inner = row > 0 && row < rows && column > 0 && column < columns;
            let mut shift = |v: f32| if inner { v + random.float(-4.0, 4.0) } else { v };
            let x = shift(column as f32 * SIZE[0] as f32 / columns as f32);
            let y = shift(row as f32 * SIZE[1] as f32 / rows as f32);
            points.push([(x * 256.0).round() as i64, (y * 256.0).round() as i64]);
        }
    }
    let at = |row: usize, column: usize| points[row * (columns + 1) + column];
    let mut triangles = Vec::new();
    for row in 0..rows {
        for column in 0..columns {
            let (a, b) = (at(row, column), at(row, column + 1));
            let (c, d) = (at(row + 1, column), at(row + 1, column + 1));
            // Either winding.
            triangles.push([a, b, c]);
            triangles.push([d, b, c]);
        }
    }
    assert!(counts(&triangles).iter().all(|&count| count == 1));
}

#[test]
fn what_lies_behind_the_eye_is_clipped_without_gaps() {
    // A floor below the eye: y = 1, from far in front to far behind; the horizon is in the middle of the image.
    let size = [64, 64];
    let corner = |x: f32, z: f32| -> Vertex { ([x, 1.0, z * 0.5, z], [0.0; 4]) };
    let (left, right) = (-3.0e4, 3.0e4);
    let floor = [
        corner(left, 1000.0),
        corner(right, 1000.0),
        corner(left, -1000.0),
        corner(left, -1000.0),
        corner(right, 1000.0),
        corner(right, -1000.0),
    ];
    let mut desc = desc(vk::Format::R32_SFLOAT, size);
    desc.blend[0] = additive();
    let image = draw_once(desc, write_one(), &floor, size, 4);
    for y in 0..64 {
        for x in 0..64 {
            // The row of the horizon itself is at the far end of the floor.
            let want = if y < 32 { 0.0 } else { 1.0 };
            assert!(
                image.float(x, y) == want || y == 32,
                "pixel ({x}, {y}): {}",
                image.float(x, y)
            );
        }
    }
}

#[test]
fn huge_triangles_are_exact_in_the_guard_band_and_beyond() {
    let big = 20_000 * 256;
    check(&[
        [[-big, -big], [big, -big], [1000, big]],
        [[256 * 70, 256 * 40], [big, 256 * 41], [-big, 256 * 60]],
    ]);
    // Far beyond: the half plane below a line through the image.
    let vertices: [Vertex; 3] = [
        (at_pixel([-1.0e6, 50.0], 0.5, SIZE), [0.0; 4]),
        (at_pixel([1.0e6, 50.0], 0.5, SIZE), [0.0; 4]),
        (at_pixel([0.0, 1.0e6], 0.5, SIZE), [0.0; 4]),
    ];
    let image = draw_once(
        desc(vk::Format::R32_SFLOAT, SIZE),
        write_one(),
        &vertices,
        SIZE,
        4,
    );
    for y in 0..SIZE[1] {
        for x in 0..SIZE[0] {
            assert_eq!(
                image.float(x, y),
                if y < 50 { 0.0 } else { 1.0 },
                "pixel ({x}, {y})"
            );
        }
    }
}

/// Counts of a draw with an index buffer and a topology.
fn indexed_counts(
    topology: vk::PrimitiveTopology,
    points: &[[f32; 2]],
    indices: &[u16],
    restart: bool,
) -> Vec<f32> {
    let mut desc = desc(vk::Format::R32_SFLOAT, SIZE);
    desc.blend[0] = additive();
    desc.state.topology = topology;
    desc.state.primitive_restart = restart;
    let image = Image::new(vk::Format::R32_SFLOAT, 4, SIZE, 1);
    let pipeline = pipeline(desc, Some(write_one()));
    let vertices: Vec<Vertex> = points
        .iter()
        .map(|p| (at_pixel(*p, 0.5, SIZE), [4.0; 4]))
        .collect();
    let vertices = Vertices::new(&vertices);
    let mut buffer = AlignedBuf::new(indices.len() * 2);
    buffer.as_mut_slice::<u16>().copy_from_slice(indices);
    let mut draw = vertices.draw(&pipeline);
    draw.count = indices.len() as u32;
    draw.indices = Indices::Buffer {
        address: buffer.address(),
        size: indices.len() as u64 * 2,
        index_type: vk::IndexType::UINT16,
        first: 0,
        vertex_offset: 0,
    };
    let mut raster = rasterizer(1);
    raster
        .begin(&scope(vec![Some(image.target(Load::Clear([0; 4])))], SIZE))
        .expect("begin");
    raster.draw(&pipeline, draw).expect("draw");
    raster.end().expect("end");
    (0..SIZE[0] * SIZE[1])
        .map(|i| image.float(i % SIZE[0], i / SIZE[0]))
        .collect()
}

#[test]
fn strips_fans_and_restarts_draw_the_same_as_lists() {
    let points: Vec<[f32; 2]> = (0..14)
        .map(|i| [10.0 * (i / 2) as f32 + 3.0, 5.0 + 60.0 * (i % 2) as f32])
        .collect();
    let list = |triangles: &[[u16; 3]]| {
        indexed_counts(
            vk::PrimitiveTopology::TRIANGLE_LIST,
            &points,
            triangles.as_flattened(),
            false,
        )
    };
    let strip = indexed_counts(
        vk::PrimitiveTopology::TRIANGLE_STRIP,
        &points,
        &[0, 1, 2, 3, 0xffff, 6, 7, 8, 9, 10, 0xffff, 11, 12],
        true,
    );
    assert_eq!(
        strip,
        list(&[[0, 1, 2], [1, 3, 2], [6, 7, 8], [7, 9, 8], [8, 9, 10]])
    );
    let fan = indexed_counts(
        vk::PrimitiveTopology::TRIANGLE_FAN,
        &points,
        &[1, 0, 2, 4, 0xffff, 7, 6, 8],
        true,
    );
    assert_eq!(fan, list(&[[0, 2, 1], [2, 4, 1], [6, 8, 7]]));
}

#[test]
fn indices_beyond_the_buffer_read_as_zero() {
    let points = [[10.0, 10.0], [60.0, 10.0], [10.0, 60.0]];
    let whole = indexed_counts(vk::PrimitiveTopology::TRIANGLE_LIST, &points, &[1, 2, 0], false);
    assert!(whole.contains(&1.0));
    // Vertices beyond the vertex buffer are at the origin of clip space with w = 0: nothing is drawn, nothing crashes.
    let beyond = indexed_counts(vk::PrimitiveTopology::TRIANGLE_LIST, &points, &[1, 2, 999], false);
    assert!(beyond.iter().all(|&count| count <= 1.0));
}

#[test]
fn lines_and_points_cover_their_pixels() {
    let points = [[10.5, 20.5], [30.5, 20.5], [50.5, 30.5], [50.5, 40.5]];
    let lines = indexed_counts(vk::PrimitiveTopology::LINE_LIST, &points, &[0, 1, 2, 3], false);
    for (i, &count) in lines.iter().enumerate() {
        let (x, y) = (i as u32 % SIZE[0], i as u32 / SIZE[0]);
        let on = (y == 20 && (10..30).contains(&x)) || (x == 50 && (30..40).contains(&y));
        assert_eq!(count, f32::from(u8::from(on)), "({x}, {y})");
    }
    // Four pixels wide.
    let dots = indexed_counts(
        vk::PrimitiveTopology::POINT_LIST,
        &[[10.0, 20.0], [140.0, 90.0]],
        &[0, 1],
        false,
    );
    for (i, &count) in dots.iter().enumerate() {
        let (x, y) = (i as i32 % SIZE[0] as i32, i as i32 / SIZE[0] as i32);
        let on = |cx: i32, cy: i32| (cx - 2..cx + 2).contains(&x) && (cy - 2..cy + 2).contains(&y);
        assert_eq!(
            count,
            f32::from(u8::from(on(10, 20) || on(140, 90))),
            "({x}, {y})"
        );
    }
}

#[test]
fn samples_are_covered_one_by_one() {
    let size = [40, 40];
    let triangle = [[3.3f32, 2.7], [35.1, 9.2], [12.4, 38.8]];
    let image = Image::new(vk::Format::R32_SFLOAT, 4, size, 4);
    let mut desc = desc(vk::Format::R32_SFLOAT, size);
    desc.multisample.samples = 4;
    let pipeline = pipeline(desc, Some(write_one()));
    let vertices: Vec<Vertex> = triangle
        .iter()
        .map(|p| (at_pixel(*p, 0.5, size), [0.0; 4]))
        .collect();
    let vertices = Vertices::new(&vertices);
    let mut draw = vertices.draw(&pipeline);
    let counters = Arc::new(Counters::default());
    draw.counters.push(Arc::clone(&counters));
    let mut raster = rasterizer(2);
    raster
        .begin(&scope(vec![Some(image.target(Load::Clear([0; 4])))], size))
        .expect("begin");
    raster.draw(&pipeline, draw).expect("draw");
    raster.end().expect("end");
    let pattern = SamplePattern::standard(4).expect("four samples");
    let p = triangle.map(|p| p.map(|v| ((v * 256.0).round_ties_even()) as i128));
    let mut total = 0;
    for y in 0..size[1] {
        for x in 0..size[0] {
            for (s, offset) in pattern.offsets().iter().enumerate() {
                let at = [
                    i128::from(x) * 256 + 128 + i128::from(offset[0]),
                    i128::from(y) * 256 + 128 + i128::from(offset[1]),
                ];
                let sides: Vec<i128> = (0..3).map(|i| cross(p[i], p[(i + 1) % 3], at)).collect();
                if sides.contains(&0) {
                    continue;
                }
                let inside = sides.iter().all(|&side| side > 0);
                let plane = s * image.attachment.sample_pitch as usize / 4;
                let at = plane + y as usize * image.attachment.row_pitch as usize / 4 + x as usize;
                assert_eq!(
                    image.memory.as_slice::<f32>()[at],
                    f32::from(u8::from(inside)),
                    "({x}, {y}) {s}"
                );
                total += u64::from(inside);
            }
        }
    }
    assert_eq!(
        counters.samples_passed.load(std::sync::atomic::Ordering::Relaxed),
        total
    );
}

/// Draws triangles into a small image, with a vertex shader that clips.
fn clipped(vertices: &[Vertex], size: [u32; 2]) -> Image {
    let image = Image::new(vk::Format::R32_SFLOAT, 4, size, 1);
    let mut desc = desc(vk::Format::R32_SFLOAT, size);
    desc.blend[0] = additive();
    let pipeline = pipeline_with(
        desc,
        &clipping_vertex_shader(),
        Some(write_one()),
        Backend::best(),
    );
    let vertices = Vertices::new(vertices);
    let mut raster = rasterizer(1);
    raster
        .begin(&scope(vec![Some(image.target(Load::Clear([0; 4])))], size))
        .expect("begin");
    raster.draw(&pipeline, vertices.draw(&pipeline)).expect("draw");
    raster.end().expect("end");
    image
}

#[test]
fn clip_distances_cut_and_cull_distances_remove() {
    let size = [64, 32];
    // Clip distance: clip-space x less 1/4, so that columns from 40 on are left.
    let whole = everything(0.5, [0.0; 4]).map(|(p, _)| (p, [p[0] - 0.25, 1.0, 0.0, 0.0]));
    // One whose cull distances are all negative, and one with a single negative one.
    let culled = whole.map(|(p, _)| (p, [1.0, -1.0, 0.0, 0.0]));
    let mut kept = whole.map(|(p, _)| (p, [1.0, 1.0, 0.0, 0.0]));
    kept[1].1[1] = -1.0;
    let image = clipped(&[whole, culled, kept].concat(), size);
    for y in 0..size[1] {
        for x in 0..size[0] {
            assert_eq!(image.float(x, y), if x < 40 { 1.0 } else { 2.0 }, "({x}, {y})");
        }
    }
}

#[test]
fn outlines_and_corners_of_triangles() {
    let size = [32, 32];
    let corners = [[4.5, 4.5], [24.5, 4.5], [4.5, 24.5]];
    let vertices: Vec<Vertex> = corners
        .iter()
        .map(|p| (at_pixel(*p, 0.5, size), [0.0; 4]))
        .collect();
    let draw = |mode| {
        let mut desc = desc(vk::Format::R32_SFLOAT, size);
        desc.raster.polygon_mode = mode;
        draw_once(desc, write_one(), &vertices, size, 4)
    };
    let lines = draw(vk::PolygonMode::LINE);
    assert!((5..24).all(|i| lines.float(i, 4) == 1.0 && lines.float(4, i) == 1.0));
    assert!((5..20).all(|i| lines.float(i, 24 - i + 4) == 1.0));
    assert_eq!(
        [lines.float(8, 8), lines.float(25, 25), lines.float(3, 10)],
        [0.0; 3]
    );
    let points = draw(vk::PolygonMode::POINT);
    let covered: Vec<_> = (0..1024)
        .filter(|i| points.float(i % 32, i / 32) != 0.0)
        .collect();
    assert_eq!(covered, [4 * 32 + 4, 4 * 32 + 24, 24 * 32 + 4]);
}
