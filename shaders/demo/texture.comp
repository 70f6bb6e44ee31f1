// Level 0 of the floor's texture: a checker with a little grain, so that filtering shows.
#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 0, rgba8) uniform writeonly image2D level0;

uint hash(uvec2 p)
{
    uint h = p.x * 0x9e3779b1u ^ p.y * 0x85ebca77u;
    h ^= h >> 15;
    h *= 0x2c1b3c6du;
    return h ^ (h >> 13);
}

void main()
{
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    ivec2 size = imageSize(level0);
    if (any(greaterThanEqual(at, size)))
        return;
    ivec2 cell = at * 4 / size;
    bool dark = ((cell.x + cell.y) & 1) != 0;
    vec3 colour = dark ? vec3(0.10, 0.12, 0.16) : vec3(0.78, 0.74, 0.66);
    // Joints between the tiles.
    ivec2 within = at % (size / 4);
    if (any(lessThan(within, ivec2(2))))
        colour *= 0.55;
    float grain = float(hash(uvec2(at)) & 255u) / 255.0;
    imageStore(level0, at, vec4(colour * (0.88 + 0.24 * grain), 1.0));
}
